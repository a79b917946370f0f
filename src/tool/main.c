/* SPDX-License-Identifier: MIT */
/* The command line tool. */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/settings.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/profile.h"
#include "runs/run.h"
#include "tool/command.h"

static void on_signal(int signal_number)
{
    (void)signal_number;
    vks_run_interrupt();
    signal(SIGINT, SIG_DFL); /* a second signal stops at once */
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
}

static void handle_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < VKS_COUNT(ends); i++) {
        struct sigaction before;
        if (sigaction(ends[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            sigaction(ends[i], &action, NULL);
        }
    }
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL); /* the write fails instead */
    sigaction(SIGXFSZ, &action, NULL);
}

/* Opens closed descriptors 0 to 2, so that no file of ours gets one of them and messages cannot
 * corrupt it. Reading from them finds the end of the file; writing fails. */
static void reserve_descriptors(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) < 0) {
            int opened = open("/dev/null", fd == 2 ? O_WRONLY : O_RDONLY);
            (void)opened; /* the lowest free one, which is fd */
        }
    }
}

/* Adds command-line options to the library's messages, which do not name any. */
static void print_error(void)
{
    static const struct {
        const char *before, *after;
    } hints[] = {
        [VKS_HINT_NONE] = {"", ""},
        [VKS_HINT_SIZE] = {"", "; choose a smaller --size or --output-size, or fewer items"},
        [VKS_HINT_WINDOW] = {"", "; use --headless to render to a file"},
        [VKS_HINT_DEVICE] = {"--device ", ""},
        [VKS_HINT_VALIDATION] = {"--validate: ", ""},
        [VKS_HINT_OPTION] = {"--", ""},
        [VKS_HINT_OVERWRITE] = {"", " (--overwrite replaces it)"},
    };
    const enum vks_hint hint = vks_error_hint();
    fprintf(stderr, "vksim: %s%s%s\n", hints[hint].before, vks_error_text(), hints[hint].after);
}

int main(int argc, char **argv)
{
    struct vks_call call;
    const double begin = vks_seconds();
    setenv("SVT_LOG", "-1", 0); /* keeps the SVT-AV1 encoder from printing to stderr */
    reserve_descriptors();
    handle_signals();
    struct vks_profile *profile = vks_profile_create(begin);
    vks_phase_begin(VKS_PHASE_OPTIONS);
    enum vks_result result = vks_call_parse(&call, argc, argv);
    vks_phase_end();
    call.begin = begin;
    vks_message_to(call.shared.quiet     ? VKS_LOG_ERROR
                   : call.shared.verbose ? VKS_LOG_VERBOSE
                                         : VKS_LOG_INFO,
                   NULL, NULL);
    if (result == VKS_OK && call.shared.version) {
        printf("vksim %s\n", VKS_VERSION);
    } else if (result == VKS_OK && call.shared.help) {
        result = vks_print_help(&call);
    } else if (result == VKS_OK) {
        result = call.command->run(&call);
    }
    if (result != VKS_OK && result != VKS_INTERRUPTED) {
        print_error();
    }
    const uint64_t messages = call.messages;
    vks_call_free(&call);
    vks_profile_destroy(profile);
    if ((fflush(stdout) != 0 || ferror(stdout)) && result == VKS_OK) {
        fprintf(stderr, "vksim: cannot write to standard output\n");
        result = VKS_ERROR_FILE;
    }
    if (result == VKS_OK && messages > 0) {
        fprintf(stderr, "vksim: %" PRIu64 " validation messages\n", messages);
        result = VKS_ERROR_VALIDATION;
    }
    return vks_exit_code(result);
}
