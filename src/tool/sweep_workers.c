/* SPDX-License-Identifier: MIT */
/* The processes of a sweep. This one hands out jobs and writes rows; it opens no device, so that a
 * lost device or a crash costs a worker and no more. A worker opens its device once. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/task.h"
#include "tool/cli.h"
#include "tool/device_list.h"
#include "tool/sweep.h"

enum { MAX_TEXT = 1 << 16 };

/* From a worker: first whether it has a device, then rows. The socket keeps the bounds. */
struct message {
    int code;            /* enum vks_result of the device, exit code of a row */
    enum vks_hint hint;  /* of a device that could not be opened */
    bool lost;           /* the worker has lost its device, and ends */
    bool too_long;       /* the row: the text is a message */
    char text[MAX_TEXT]; /* the line of the row, or why there is no device */
};

struct order {
    size_t job;
    bool again; /* files of an earlier try may be there */
};

struct worker {
    pid_t process; /* 0: none */
    int fd;
    size_t job; /* NONE: it has none */
    unsigned tries;
    bool ready, lost, ending; /* its device is open; is lost; it gets no more jobs */
};

static const size_t NONE = SIZE_MAX;

struct pool {
    const struct vks_sweep *sweep;
    struct vks_sweep_table *table;
    struct worker workers[VKS_MAX_WORKERS];
    size_t count, next; /* the next job, unless it is done */
    size_t todo, done, failed;
    double begin, shown;
    bool stopping;
    struct vks_error why; /* result VKS_OK: no failure of the sweep itself */
    struct message message;
};

/* --- a worker -------------------------------------------------------------------------------- */

static void send_text(int fd, struct message *message, int code, const char *text)
{
    message->code = code;
    message->hint = vks_error_last()->hint;
    snprintf(message->text, sizeof(message->text), "%s", text);
    (void)send(fd, message, offsetof(struct message, text) + strlen(message->text) + 1,
               MSG_NOSIGNAL);
}

/* Runs a job and sends its row. False if the worker has to end. */
static bool run_job(struct pool *pool, int fd, vks_context *context, struct order order,
                    const char *device)
{
    const double begin = vks_seconds();
    struct vks_words words = {0};
    struct vks_call call = {0};
    struct vks_job_end end = {.steps = 0};
    char code[16], steps[24], seconds[32], why[2048];
    enum vks_result result = vks_sweep_call(pool->sweep, order.job, order.again, &words, &call);
    result = result == VKS_OK ? vks_job_run(&call, context, &end) : result;
    const bool interrupted = result != VKS_OK && vks_interrupted();
    snprintf(code, sizeof(code), "%d", vks_exit_code(result));
    snprintf(steps, sizeof(steps), "%" PRIu64, end.steps);
    snprintf(seconds, sizeof(seconds), "%.3f", vks_seconds() - begin);
    vks_escape(vks_error_last()->text, why, sizeof(why));
    const char *fields[VKS_ROW_FIELDS] = {
        [VKS_ROW_EXIT] = code, [VKS_ROW_SECONDS] = seconds, [VKS_ROW_DEVICE] = device};
    if (result == VKS_OK) {
        fields[VKS_ROW_SCALARS] = end.scalars;
        fields[VKS_ROW_STEPS] = steps;
        fields[VKS_ROW_DIGEST] = end.digest;
    } else {
        fields[VKS_ROW_MESSAGE] = why;
    }
    char *line = vks_sweep_line(pool->sweep, order.job, end.key, fields);
    if (line && !interrupted) {
        pool->message.lost = result == VKS_ERROR_LOST;
        pool->message.too_long = strlen(line) >= MAX_TEXT;
        send_text(fd, &pool->message,
                  pool->message.too_long ? VKS_ERROR_USAGE : vks_exit_code(result),
                  pool->message.too_long ? "its row is longer than 64 KiB" : line);
    }
    free(line);
    vks_call_free(&call);
    vks_words_free(&words);
    free(end.scalars);
    return line && !interrupted && !pool->message.lost; /* without memory the job fails with it */
}

/* The process of a worker, until there are no more jobs. It prints nothing. */
static void work(struct pool *pool, size_t index, int fd)
{
    const char *list = pool->sweep->values.devices;
    struct vks_gpu_params params = vks_call_gpu(pool->sweep->call);
    struct vks_device_info info = {.size = sizeof(info)};
    vks_context *context = NULL;
    struct order order;
    const int none = open("/dev/null", O_WRONLY | O_CLOEXEC);
    (void)dup2(none, STDOUT_FILENO);
    vks_messages_off();
    vks_task_report_to(NULL);
    params.device = list ? vks_nth_device(list, index % vks_device_count(list)) : params.device;
    params.quiet = true;
    enum vks_result result = list && !params.device ? vks_fail_memory() : VKS_OK;
    result = result == VKS_OK ? vks_context_open(&params, &context) : result;
    result = result == VKS_OK ? vks_context_device(context, &info) : result;
    send_text(fd, &pool->message, (int)result, vks_error_text());
    bool going = result == VKS_OK;
    while (going && !vks_interrupted()) {
        const ssize_t got = recv(fd, &order, sizeof(order), 0);
        going = got == sizeof(order) ? run_job(pool, fd, context, order, info.name)
                                     : got < 0 && errno == EINTR;
    }
    const bool closes = context && !pool->message.lost; /* a lost one may never close */
    _exit(closes && vks_context_close(context) > 0 ? VKS_ERROR_VALIDATION : 0);
}

static enum vks_result start(struct pool *pool, struct worker *worker)
{
    int pair[2] = {-1, -1};
    const pid_t parent = getpid();
    const bool paired = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0;
    (void)fflush(NULL); /* nothing is written twice */
    const pid_t process = paired ? fork() : -1;
    if (process < 0) {
        const int error = errno;
        if (paired) {
            (void)close(pair[0]);
            (void)close(pair[1]);
        }
        return vks_fail(VKS_ERROR_GPU, "a process cannot be started: %s", strerror(error));
    }
    if (process == 0) {
        for (size_t i = 0; i < pool->count; i++) {
            if (pool->workers[i].process > 0) {
                (void)close(pool->workers[i].fd);
            }
        }
        (void)close(pair[0]);
        (void)close(pool->table->fd); /* the lock is the parent's */
        (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() == parent) {
            work(pool, (size_t)(worker - pool->workers), pair[1]);
        }
        _exit(0);
    }
    (void)close(pair[1]);
    *worker = (struct worker){
        .process = process, .fd = pair[0], .job = worker->job, .tries = worker->tries};
    return VKS_OK;
}

/* --- handing out ----------------------------------------------------------------------------- */

/* Gives the worker its job again, or the next one that has no row or a failed one, or lets it end.
 */
static void give(struct pool *pool, struct worker *worker)
{
    const size_t count = pool->sweep->count;
    while (worker->job == NONE && pool->next < count && !pool->stopping) {
        worker->job = pool->table->done[pool->next] != 0 ? pool->next : NONE;
        worker->tries = 0;
        pool->next += pool->sweep->parts;
    }
    worker->ending = worker->job == NONE || pool->stopping;
    if (worker->ending) {
        (void)shutdown(worker->fd, SHUT_WR);
        return;
    }
    /* A file that was in the way of a job is not replaced. */
    const bool begun = pool->table->begun && pool->table->done[worker->job] != VKS_ERROR_FILE;
    const struct order order = {.job = worker->job, .again = worker->tries++ > 0 || begun};
    (void)send(worker->fd, &order, sizeof(order), MSG_NOSIGNAL); /* poll() reports a dead worker */
}

/* The sweep itself fails: no more jobs are handed out. */
static void fail(struct pool *pool, enum vks_result result)
{
    if (result != VKS_OK && pool->why.result == VKS_OK) {
        vks_error_keep(result, &pool->why);
        pool->stopping = true;
    }
}

static void keep_row(struct pool *pool, struct worker *worker, int code, const char *line)
{
    fail(pool, vks_sweep_append(pool->table, line));
    pool->table->done[worker->job] = (int16_t)code;
    pool->done++;
    pool->failed += code != 0;
    worker->job = NONE;
}

/* Writes the row of a job whose worker has sent none. */
static void give_up(struct pool *pool, struct worker *worker, int code, const char *why)
{
    char key[33], text[16];
    (void)vks_sweep_key(pool->sweep, worker->job, false, key);
    snprintf(text, sizeof(text), "%d", code);
    char *line = vks_sweep_line(
        pool->sweep, worker->job, key,
        (const char *const[VKS_ROW_FIELDS]){[VKS_ROW_EXIT] = text, [VKS_ROW_MESSAGE] = why});
    if (line) {
        keep_row(pool, worker, code, line);
    } else {
        fail(pool, vks_fail_memory());
    }
    free(line);
}

/* A worker has ended: starts another one, unless there are no more jobs. */
static void replace(struct pool *pool, struct worker *worker)
{
    int status = 0;
    char why[64];
    while (waitpid(worker->process, &status, 0) < 0 && errno == EINTR) {
    }
    (void)close(worker->fd);
    worker->process = 0;
    const bool killed = WIFSIGNALED(status);
    const int number = killed ? WTERMSIG(status) : WEXITSTATUS(status);
    pool->stopping = pool->stopping || vks_interrupted();
    if (worker->ending && !killed && number == VKS_ERROR_VALIDATION) {
        fail(pool, vks_fail(VKS_ERROR_VALIDATION, "the validation layers reported messages, which "
                                                  "the commands of --list show"));
    }
    if (worker->ending || pool->stopping) {
        return;
    }
    if (worker->lost) {
        snprintf(why, sizeof(why), "its device was lost");
    } else {
        snprintf(why, sizeof(why), "its process ended with %s %d", killed ? "signal" : "exit code",
                 number);
    }
    if (!worker->ready) {
        fail(pool, vks_fail(VKS_ERROR_GPU, "a process ended with %s %d before it had a device",
                            killed ? "signal" : "exit code", number));
        return;
    }
    if (worker->job != NONE) {
        vks_message(VKS_LOG_WARNING, "job %zu %s: %s", worker->job,
                    worker->tries > 1 ? "has failed twice" : "is tried again", why);
    }
    if (worker->job != NONE && worker->tries > 1) {
        give_up(pool, worker, killed ? 128 + number : VKS_ERROR_GPU, why);
    }
    fail(pool, start(pool, worker));
}

/* Reads a message of a worker, or learns of its end. */
static void hear(struct pool *pool, struct worker *worker)
{
    struct message *message = &pool->message;
    const ssize_t got = recv(worker->fd, message, sizeof(*message), 0);
    if (got <= (ssize_t)offsetof(struct message, text)) {
        if (got >= 0 || errno != EINTR) {
            replace(pool, worker);
        }
        return;
    }
    if (!worker->ready && message->code != VKS_OK) {
        fail(pool,
             vks_fail_hint((enum vks_result)message->code, message->hint, "%s", message->text));
        return;
    }
    worker->lost = worker->ready && message->lost;
    const bool again = worker->lost && worker->tries < 2;
    if (worker->ready && message->too_long) {
        give_up(pool, worker, message->code, message->text);
    } else if (worker->ready && !again) {
        keep_row(pool, worker, message->code, message->text);
    }
    if (!worker->lost) {
        worker->ready = true;
        give(pool, worker);
    }
}

/* --- the loop -------------------------------------------------------------------------------- */

static void show_progress(struct pool *pool)
{
    const double now = vks_seconds(), elapsed = now - pool->begin;
    char line[160];
    if (now - pool->shown < (vks_progress_is_live() ? 0.1 : 10)) {
        return;
    }
    pool->shown = now;
    const double each = pool->done ? elapsed / (double)pool->done : 0;
    snprintf(line, sizeof(line), "job %zu/%zu  %.2f jobs/s  %.0f s left  %zu failed  ", pool->done,
             pool->todo, each > 0 ? 1 / each : 0, each * (double)(pool->todo - pool->done),
             pool->failed);
    vks_progress_show(line);
}

/* Until all workers have ended. After Ctrl-C or a failure they end their jobs early. */
static void loop(struct pool *pool)
{
    for (bool stopped = false;;) {
        struct pollfd fds[VKS_MAX_WORKERS];
        size_t live = 0;
        pool->stopping = pool->stopping || vks_interrupted();
        for (size_t i = 0; i < pool->count; i++) {
            const struct worker *worker = &pool->workers[i];
            fds[i] = (struct pollfd){.fd = worker->process ? worker->fd : -1, .events = POLLIN};
            live += worker->process > 0;
            if (worker->process > 0 && pool->stopping && !stopped) {
                (void)kill(worker->process, SIGTERM);
            }
        }
        stopped = pool->stopping;
        if (live == 0) {
            return;
        }
        (void)poll(fds, (nfds_t)pool->count, 100);
        for (size_t i = 0; i < pool->count; i++) {
            if (pool->workers[i].process > 0 && fds[i].revents) {
                hear(pool, &pool->workers[i]);
            }
        }
        show_progress(pool);
    }
}

enum vks_result vks_sweep_run(const struct vks_sweep *sweep, struct vks_sweep_table *table)
{
    static struct pool pool;
    const size_t devices = vks_device_count(sweep->values.devices);
    const size_t count = sweep->values.jobs ? sweep->values.jobs : devices ? devices : 1;
    pool = (struct pool){.sweep = sweep, .table = table, .next = sweep->part};
    for (size_t job = sweep->part; job < sweep->count; job += sweep->parts) {
        pool.todo += table->done[job] != 0;
    }
    pool.begin = pool.shown = vks_seconds();
    while (pool.count < count && pool.count < pool.todo && !pool.stopping) {
        struct worker *worker = &pool.workers[pool.count++];
        worker->job = NONE;
        fail(&pool, start(&pool, worker));
    }
    loop(&pool);
    vks_progress_end();
    if (pool.why.result == VKS_OK && pool.done < pool.todo) {
        vks_message(VKS_LOG_WARNING,
                    "interrupted after %zu of %zu jobs; vksim sweep --resume %s continues",
                    pool.done, pool.todo, table->path);
        return VKS_INTERRUPTED;
    }
    return vks_fail_again(&pool.why);
}
