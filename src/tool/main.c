/* SPDX-License-Identifier: MIT */
/* The command line tool. */
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "api/settings.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/profile.h"
#include "base/task.h"
#include "ladder/ladder.h"
#include "tool/checkpoint.h"
#include "tool/command.h"
#include "tool/ranks.h"
#include "tool/resume.h"

/* Async-signal-safe. The first signal asks the run to finish, the second ends the process. Signals
 * in quick succession count once: timeout(1) sends its signal to the process and to its group, and
 * when a terminal closes, both it and its shell send SIGHUP. Two threads may receive them at the
 * same time, so one exchange decides which was the first. */
static void on_signal(int number)
{
    static _Atomic double last; /* 0: none yet */
    const double now = vks_seconds();
    const double before = atomic_exchange(&last, now);
    const bool is_echo = now - before < (number == SIGHUP ? 0.5 : 0.1);
    if (before == 0) {
        vks_interrupt();
        vks_message_from_handler("finishing ...; interrupt again to stop now");
    } else if (!is_echo) {
        vks_part_files_remove();
        vks_message_from_handler("stopped");
        _exit(VKS_INTERRUPTED);
    }
}

static void handle_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    sigfillset(&action.sa_mask); /* the handler is not interrupted by itself */
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
        [VKS_HINT_SIZE] = {"", "; choose a smaller --size or --output-size"},
        [VKS_HINT_ITEMS] = {"", "; choose fewer items or a smaller --size"},
        [VKS_HINT_WINDOW] = {"", "; use --headless to render to a file"},
        [VKS_HINT_DEVICE] = {"--device ", ""},
        [VKS_HINT_VALIDATION] = {"--validate: ", ""},
        [VKS_HINT_OVERWRITE] = {"", " (--overwrite replaces it)"},
        [VKS_HINT_TIMEOUT] = {"", " (--gpu-timeout)"},
    };
    const struct vks_error *error = vks_error_last();
    const char *before = error->option[0] ? "--" : hints[error->hint].before;
    vks_message(VKS_LOG_ERROR, "%s%s%s", before, error->text, hints[error->hint].after);
    if (error->excerpt[0]) {
        fprintf(stderr, "    %s\n    %*s^\n", error->excerpt, error->column, "");
    }
}

/* A line every ten seconds where standard error is not a terminal, as for the run itself. */
static void show_task(const char *what, double fraction)
{
    static double shown;
    const double now = vks_seconds();
    char line[512];
    shown = shown > 0 ? shown : now;
    if (vks_progress_is_live() || now - shown >= 10) {
        shown = now;
        snprintf(line, sizeof(line), "%.*s: %.0f %%", vks_progress_columns() - 8, what,
                 100 * fraction);
        vks_progress_show(line);
    }
}

/* When the process began: linking its libraries takes processor time only. More than it can take is
 * that of a program that was replaced by exec, a shell's for example. */
static double process_begin(void)
{
    static const double max_linking = 0.25;
    struct timespec used = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    const double seconds = (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
    return vks_seconds() - (seconds < max_linking ? seconds : 0);
}

/* True if standard output is a pipe whose reader has closed it, such as head(1). */
static bool is_pipe_closed(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO};
    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR);
}

/* Ends the process by SIGPIPE, as if it had not been ignored. */
static int end_by_pipe(void)
{
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
    return 128 + SIGPIPE; /* the signal is blocked */
}

int main(int argc, char **argv)
{
    struct vks_call call = {0};
    const double begin = process_begin();
    setenv("SVT_LOG", "-1", 0); /* keeps the SVT-AV1 encoder from printing to stderr */
    reserve_descriptors();
    handle_signals();
    vks_task_report_to(show_task);
    vks_bench_add_shaders();
#if VKS_HAVE_LADDER
    vks_ladder_add_shaders();
#endif
    struct vks_profile *profile = vks_profile_create(begin);
    vks_phase_spent(VKS_PHASE_LINKING);
    vks_phase_begin(VKS_PHASE_OPTIONS);
    enum vks_result result = profile ? vks_call_parse(&call, argc, argv) : vks_fail_memory();
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
        result = vks_ranks_refuse(&call);
        result = result == VKS_OK ? call.command->run(&call) : result;
    }
    vks_progress_end();
    if (result != VKS_OK && result != VKS_INTERRUPTED) {
        print_error();
    }
    if (result == VKS_ERROR_LOST && !vks_interrupted()) {
        vks_checkpoint_retry(argc, argv);
    }
    vks_checkpoint_unlock();
    const uint64_t messages = call.messages;
    vks_call_free(&call);
    vks_profile_destroy(profile);
    if ((fflush(stdout) != 0 || ferror(stdout)) && result == VKS_OK) {
        if (is_pipe_closed()) {
            return end_by_pipe();
        }
        vks_message(VKS_LOG_ERROR, "cannot write to standard output");
        result = VKS_ERROR_FILE;
    }
    if (result == VKS_OK && messages > 0) {
        vks_message(VKS_LOG_ERROR, "%" PRIu64 " validation messages", messages);
        result = VKS_ERROR_VALIDATION;
    }
    if (result != VKS_OK && vks_error_last()->hint == VKS_HINT_TIMEOUT) {
        _exit(vks_exit_code(result)); /* a driver may wait for its device in exit() */
    }
    return vks_exit_code(result);
}
