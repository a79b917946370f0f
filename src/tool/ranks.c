/* SPDX-License-Identifier: MIT */
#include "tool/ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "api/simulation.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/task.h"
#include "bench/exchange.h"
#include "gpu/device.h"
#include "gpu/memory.h"
#include "ranks/ranks.h"
#include "tool/device_list.h"
#include "tool/outputs.h"
#include "tool/resume.h"

/* --- what runs on ranks ----------------------------------------------------------------------- */

/* An option that needs one process with the whole run. */
static const char *lone_option(const struct vks_cli *cli)
{
    const struct {
        bool given;
        const char *name;
    } rows[] = {
        {cli->collage.width > 0, "collage"},
        {cli->vary.count > 0, "vary"},
        {vks_cli_given(cli, VKS_CLI_ROW(retries)) == VKS_GIVEN && cli->retries > 0, "retries"},
        {cli->hot_reload, "hot-reload"},
        {cli->record_events, "record-events"},
        {cli->points_out, "points-out"},
        {cli->report, "report"},
        {cli->trace, "trace"},
        {cli->capture, "capture"},
    };
    for (size_t i = 0; i < VKS_COUNT(rows); i++) {
        if (rows[i].given) {
            return rows[i].name;
        }
    }
    return NULL;
}

/* Whether events that are still to come paint. */
static bool has_strokes(const struct vks_log *events)
{
    bool found = false;
    for (size_t i = events->done; i < events->count; i++) {
        found = found || events->events[i].paint;
    }
    return found;
}

/* A rank other than the first prints nothing, and leaves interrupts to rank 0. */
static void be_silent(bool mpi)
{
    const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    const int none = open("/dev/null", O_WRONLY | O_CLOEXEC);
    for (size_t i = 0; i < VKS_COUNT(ends); i++) {
        (void)signal(ends[i], SIG_IGN);
    }
    vks_messages_off();
    if (none >= 0) {
        (void)dup2(none, STDOUT_FILENO);
        if (!mpi) { /* there, a rank prints its own failure */
            (void)dup2(none, STDERR_FILENO);
        }
        (void)close(none);
    }
}

/* In a rank of a run other than the first, which leaves files to that. */
static void leave_files(struct vks_cli *cli)
{
    cli->silent = true;
    char **const files[] = {&cli->save_scene, &cli->timings_out};
    for (size_t i = 0; i < VKS_COUNT(files); i++) {
        free(*files[i]);
        *files[i] = NULL;
    }
}

/* Takes the number of ranks from mpirun, if that has started the process. */
static enum vks_result take_mpi(struct vks_cli *cli)
{
    uint32_t index;
    const uint32_t count = vks_mpi_count(&index);
    cli->mpi = count > 1;
    if (cli->mpi && index > 0) {
        be_silent(true);
        leave_files(cli);
    }
    if (count > 1 && vks_cli_given(cli, VKS_CLI_ROW(ranks_text))) {
        return vks_fail_option(VKS_ERROR_USAGE, "ranks",
                               "starts processes of its own, and mpirun has started %" PRIu32,
                               count);
    }
    cli->ranks = count;
    return VKS_OK;
}

static bool has_pictures(const struct vks_cli *cli)
{
    return !vks_outputs_are_none(cli);
}

/* The steps between exchanges, as vks_rank_slab() has them. */
static uint64_t exchange_every(const struct vks_cli *cli)
{
    return vks_cli_given(cli, VKS_CLI_ROW(exchange_every)) ? cli->exchange_every : 0;
}

/* Devices of the best kind. A process that forks later must not open Vulkan, so another one looks.
 */
static uint32_t count_devices(const struct vks_cli *cli)
{
    int status = 0;
    if (cli->devices) {
        return (uint32_t)vks_device_count(cli->devices);
    }
    (void)fflush(NULL);
    const pid_t process = fork();
    if (process == 0) {
        struct vks_device_info infos[VKS_MAX_DEVICES];
        size_t count = 0;
        vks_messages_off();
        const bool listed = vks_gpu_list(infos, VKS_COUNT(infos), &count) == VKS_OK;
        _exit(listed ? (int)vks_best_devices(infos, count) : 0);
    }
    while (process > 0 && waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return process > 0 && WIFEXITED(status) ? (uint32_t)WEXITSTATUS(status) : 0;
}

/* As many ranks as there are devices, or as are probably faster than fewer. */
static uint64_t choose_count(const struct vks_cli *cli)
{
    const struct vks_settings *settings = &cli->cells[0];
    const bool named = cli->call->shared.device || vks_environment("VKSIM_DEVICE");
    const bool possible =
        cli->headless && !named && !lone_option(cli) && !has_strokes(&cli->events);
    uint64_t count = possible ? count_devices(cli) : 1;
    count = count < VKS_LOCAL_RANKS ? count : VKS_LOCAL_RANKS;
    while (count > 1 && !vks_ranks_pay(settings, (uint32_t)count, exchange_every(cli))) {
        count--;
    }
    vks_message(VKS_LOG_VERBOSE, "--ranks auto: %" PRIu64, count > 0 ? count : 1);
    return count > 0 ? count : 1;
}

static bool is_auto(const struct vks_cli *cli)
{
    return strcmp(cli->ranks_text, "auto") == 0;
}

/* Takes the number of ranks from the option. */
static enum vks_result take_count(struct vks_cli *cli)
{
    const char *text = cli->ranks_text, *end;
    const double count = vks_parse_real(text, &end);
    if (is_auto(cli)) {
        cli->ranks = choose_count(cli);
        return VKS_OK;
    }
    if (end == text || *end != '\0' || !(count >= 1 && count <= VKS_LOCAL_RANKS) ||
        (double)(uint64_t)count != count) {
        return vks_fail_option(VKS_ERROR_USAGE, "ranks",
                               "'%s' is not auto or a number from 1 to %d", text, VKS_LOCAL_RANKS);
    }
    cli->ranks = (uint64_t)count;
    return VKS_OK;
}

enum vks_result vks_ranks_check(struct vks_cli *cli)
{
    const char *lone = lone_option(cli);
    enum vks_result taken = take_mpi(cli);
    cli->cells[0].pictures = has_pictures(cli);
    if (taken == VKS_OK && !cli->mpi) {
        taken = take_count(cli);
    }
    if (taken != VKS_OK) {
        return taken;
    }
    if (cli->ranks < 2 && is_auto(cli)) {
        return VKS_OK;
    }
    if (cli->ranks < 2) {
        const struct vks_option *rows[] = {VKS_CLI_ROW(devices), VKS_CLI_ROW(exchange_every)};
        for (size_t i = 0; i < VKS_COUNT(rows); i++) {
            if (vks_cli_given(cli, rows[i])) {
                return vks_fail_option(VKS_ERROR_USAGE, rows[i]->name, "is for several --ranks");
            }
        }
        return VKS_OK;
    }
    if (!cli->headless) {
        return vks_fail_option(VKS_ERROR_USAGE, "ranks",
                               "needs --headless: a window shows one process");
    }
    if (lone) {
        return vks_fail(VKS_ERROR_USAGE, "--%s is not possible on several --ranks", lone);
    }
    if (has_strokes(&cli->events)) {
        return vks_fail(VKS_ERROR_USAGE, "'%s' paints, which is not possible on several --ranks",
                        cli->scene ? cli->scene : cli->resumed->path);
    }
    enum vks_result result = vks_device_list_check(cli->call, cli->devices);
    if (result == VKS_OK) {
        result = vks_rank_slab(&cli->cells[0], 0, (uint32_t)cli->ranks, exchange_every(cli),
                               has_pictures(cli), &cli->cells[0].slab);
    }
    return result;
}

/* The kept measurement of exchanges between the ranks of the run; zero: there is none, as under
 * MPI. */
static void recall_exchange(const struct vks_cli *cli, double *fixed, double *bandwidth)
{
    struct vks_device_info *infos = calloc(VKS_LOCAL_RANKS, sizeof(*infos));
    struct vks_ceilings set = {0};
    struct vks_error before; /* a machine without devices can plan, too */
    vks_error_keep(VKS_OK, &before);
    *fixed = *bandwidth = 0;
    const uint32_t count = (uint32_t)cli->ranks;
    if (infos && !cli->mpi && vks_ranks_devices(cli->call, cli->devices, count, infos) == VKS_OK &&
        vks_exchange_recall(infos, count, &set)) {
        *fixed = vks_ceilings_find(&set, "exchange-fixed")->value.median;
        *bandwidth = vks_ceilings_find(&set, "exchange-bandwidth")->value.median;
    }
    vks_fail_again(&before);
    vks_ceilings_free(&set);
    free(infos);
}

/* A step that takes t on one device takes part t + exchanges on ranks. */
static void print_speed_up(double part, double exchanges)
{
    printf("speed-up       t / (%.3f t + %.2f us) of a step that takes t on one device: ", part,
           1e6 * exchanges);
    if (part < 1) {
        printf("over 1 from t = %.2f us on, at most %.2f\n", 1e6 * exchanges / (1 - part),
               1 / part);
    } else {
        printf("below 1\n");
    }
}

/* Under MPI, ranks may be on several machines, whose exchanges are not measured. */
static enum vks_result print_load(const struct vks_cli *cli)
{
    struct vks_rank_load load;
    double fixed, bandwidth;
    char size[32];
    const enum vks_result result = vks_rank_load(&cli->cells[0], &load);
    if (result != VKS_OK) {
        return result;
    }
    if (load.steps == 0) {
        printf("exchanges      several within each step; their time is not predicted\n");
        return VKS_OK;
    }
    printf("recomputed     %.1f %% of the rows that a rank computes\n",
           100 * load.rows / (1 + load.rows));
    vks_format_bytes((uint64_t)load.bytes, size);
    recall_exchange(cli, &fixed, &bandwidth);
    printf("exchanges      %s from each rank every %" PRIu32 " steps; ", size, load.steps);
    if (cli->mpi) {
        printf("their time is not known under MPI\n");
    } else if (fixed > 0) {
        const double seconds = fixed + load.bytes / bandwidth;
        printf("%.2f us each, %.2f us per step\n", 1e6 * seconds, 1e6 * seconds / load.steps);
        print_speed_up((1 + load.rows) / (double)cli->ranks, seconds / load.steps);
    } else {
        printf("vksim bench ranks --ranks %" PRIu64 "%s measures their time\n", cli->ranks,
               cli->devices               ? " with the same --devices"
               : cli->call->shared.device ? " with the same --device"
                                          : "");
    }
    return VKS_OK;
}

enum vks_result vks_ranks_print(const struct vks_cli *cli)
{
    const struct vks_slab *slab = &cli->cells[0].slab;
    if (slab->count < 2) {
        return VKS_OK;
    }
    printf("ranks          %" PRIu32 ", of some %" PRIu32 " rows each, and %" PRIu32
           " of each neighbour\n",
           slab->count, slab->rows, slab->after);
    return print_load(cli);
}

enum vks_result vks_ranks_refuse(const struct vks_call *call)
{
    uint32_t index;
    const uint32_t count = vks_mpi_count(&index);
    if (count < 2 || call->command->run == vks_command_run) {
        return VKS_OK;
    }
    if (index > 0) {
        vks_messages_off();
    }
    return vks_fail(VKS_ERROR_USAGE,
                    "vksim %s runs in one process, and mpirun has started %" PRIu32,
                    call->command->name, count);
}

/* --- processes -------------------------------------------------------------------------------- */

/* Two processes cannot read through the same open file, whose position they would share. */
static enum vks_result open_state_again(struct vks_cli *cli)
{
    struct vks_state_file again = {0};
    const enum vks_result result =
        cli->state.path ? vks_state_file_open(&again, cli->state.path, cli->settings.model)
                        : VKS_OK;
    if (result == VKS_OK) {
        vks_state_file_close(&cli->state);
        cli->state = again;
    }
    return result;
}

enum vks_result vks_ranks_fork(uint32_t count, struct vks_ranks *ranks)
{
    *ranks = (struct vks_ranks){.count = count, .processes = calloc(count, sizeof(long))};
    if (!ranks->processes) {
        return vks_fail_memory();
    }
    vks_interrupt_together();
    snprintf(ranks->name, sizeof(ranks->name), "%ld-%" PRIx64, (long)getpid(),
             (uint64_t)(vks_seconds() * 1e9));
    (void)fflush(NULL); /* nothing is written twice */
    for (uint32_t i = 1; i < ranks->count; i++) {
        const pid_t process = fork();
        if (process < 0) {
            return vks_fail(VKS_ERROR_GPU, "rank %" PRIu32 " cannot be started: %s", i,
                            strerror(errno)); /* those that were give up waiting */
        }
        if (process == 0) {
            ranks->index = i;
            free(ranks->processes);
            ranks->processes = NULL;
            be_silent(false);
            (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* also before it has joined the others */
            return VKS_OK;
        }
        ranks->processes[i] = process;
    }
    return VKS_OK;
}

enum vks_result vks_ranks_start(struct vks_cli *cli, struct vks_ranks *ranks)
{
    *ranks = (struct vks_ranks){0};
    if (cli->ranks < 2) {
        return VKS_OK;
    }
    if (cli->mpi) {
        *ranks = (struct vks_ranks){.count = (uint32_t)cli->ranks, .mpi = true};
        vks_interrupt_together();
        (void)vks_mpi_count(&ranks->index);
        return VKS_OK;
    }
    const enum vks_result result = vks_ranks_fork((uint32_t)cli->ranks, ranks);
    if (result != VKS_OK || ranks->index == 0) {
        return result;
    }
    leave_files(cli);
    vks_checkpoint_leave_locks();
    return open_state_again(cli);
}

struct vks_rank_params vks_ranks_params(const struct vks_cli *cli)
{
    return (struct vks_rank_params){.exchange_every = exchange_every(cli),
                                    .pictures = has_pictures(cli)};
}

/* Sets the device of a rank in a list of --devices; *name is to be freed. Without a list nothing
 * changes. */
static enum vks_result take_device(const char *devices, uint32_t here,
                                   struct vks_gpu_params *params, char **name)
{
    if (!devices) {
        return VKS_OK;
    }
    params->device = *name = vks_nth_device(devices, here % vks_device_count(devices));
    return *name ? VKS_OK : vks_fail_memory();
}

enum vks_result vks_ranks_open(const struct vks_ranks *ranks, const char *devices,
                               const struct vks_gpu_params *given,
                               const struct vks_rank_params *given_rank, vks_context **context)
{
    struct vks_gpu_params params = *given;
    struct vks_rank_params rank = *given_rank;
    char *text = NULL, *device = NULL;
    enum vks_result result = VKS_OK;
    if (ranks->count > 1) {
        text = ranks->mpi ? vks_strdup("mpi")
                          : vks_format("local:%s:%" PRIu32 "/%" PRIu32, ranks->name, ranks->index,
                                       ranks->count);
        result = text ? VKS_OK : vks_fail_memory();
    }
    if (result == VKS_OK) {
        const uint32_t here = ranks->mpi ? vks_mpi_here(ranks->index) : ranks->index;
        result = take_device(devices, here, &params, &device);
    }
    if (result == VKS_OK) {
        rank.text = text;
        result = vks_context_open_rank(&params, &rank, context);
    }
    free(device);
    free(text);
    return result;
}

enum vks_result vks_ranks_devices(const struct vks_call *call, const char *devices, uint32_t count,
                                  struct vks_device_info infos[VKS_LOCAL_RANKS])
{
    struct vks_gpu_params params[VKS_LOCAL_RANKS] = {{0}};
    char *names[VKS_LOCAL_RANKS] = {NULL};
    enum vks_result result = count <= VKS_LOCAL_RANKS
                                 ? VKS_OK
                                 : vks_fail(VKS_ERROR_INTERNAL, "%u ranks are too many", count);
    for (uint32_t i = 0; i < count && result == VKS_OK; i++) {
        params[i] = vks_call_gpu(call);
        params[i].rank = i;
        params[i].ranks = count;
        result = take_device(devices, i, &params[i], &names[i]);
    }
    if (result == VKS_OK) {
        result = vks_gpu_find(params, count, infos);
    }
    for (uint32_t i = 0; i < VKS_LOCAL_RANKS; i++) {
        free(names[i]);
    }
    return result;
}

/* Waits for a rank, which has so many seconds to end; its wait status. */
static int wait_for(pid_t process, double patience)
{
    const double end = vks_seconds() + patience;
    int status = 0;
    for (;;) {
        const pid_t ended = waitpid(process, &status, WNOHANG);
        if (ended == process || (ended < 0 && errno != EINTR)) {
            return status;
        }
        if (vks_seconds() > end) {
            (void)kill(process, SIGKILL);
        }
        (void)nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
}

enum vks_result vks_ranks_end(struct vks_ranks *ranks, enum vks_result result)
{
    /* After a failure the others may still wait for this rank to join them. */
    const double patience = result == VKS_OK || result == VKS_INTERRUPTED ? 30 : 1;
    for (uint32_t i = 1; ranks->processes && i < ranks->count; i++) {
        const int status =
            ranks->processes[i] > 0 ? wait_for((pid_t)ranks->processes[i], patience) : 0;
        if (result != VKS_OK) {
            continue;
        }
        if (WIFSIGNALED(status)) {
            result = vks_fail(VKS_ERROR_GPU, "rank %" PRIu32 " was ended by signal %d", i,
                              WTERMSIG(status));
        } else if (WEXITSTATUS(status) != 0) {
            result = vks_fail((enum vks_result)WEXITSTATUS(status),
                              "rank %" PRIu32 " ended with exit code %d", i, WEXITSTATUS(status));
        }
    }
    if (ranks->processes) {
        vks_local_forget(ranks->name);
    }
    free(ranks->processes);
    *ranks = (struct vks_ranks){0};
    return result;
}
