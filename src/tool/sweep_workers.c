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
#include "base/memory.h"
#include "base/task.h"
#include "tool/cli.h"
#include "tool/device_list.h"
#include "tool/sweep.h"

/* From a worker: it is ready for jobs; has a row; could not open its device; has lost it. Messages
 * of a socket keep their bounds. */
enum kind { READY, ROW, CLOSED, LOST };
enum { MAX_TEXT = 1 << 16 };

struct message {
    enum kind kind;
    int code;            /* exit code of the job; enum vks_result of CLOSED */
    enum vks_hint hint;  /* of CLOSED */
    char text[MAX_TEXT]; /* the line of the row, or why */
};

struct order {
    size_t job;
    bool again; /* files of an earlier try may be there */
};

struct worker {
    pid_t process; /* 0: none */
    int fd;
    size_t index, job; /* SIZE_MAX: it has none */
    bool ready, retries, replaced;
};

struct pool {
    const struct vks_sweep *sweep;
    struct vks_sweep_table *table;
    struct worker workers[VKS_MAX_WORKERS];
    size_t count, next;                       /* the next job to hand out, if it needs to run */
    size_t left[VKS_MAX_WORKERS], left_count; /* by workers that have lost their device */
    size_t todo, done, failed;
    struct message message;
    double begin, shown;
    bool stopping;
    struct vks_error why; /* result VKS_OK: no failure of the sweep itself */
};

/* --- a worker --------------------------------------------------------------------------------- */

static void drop_message(void *user, enum vks_log_level level, const char *text)
{
    (void)user;
    (void)level;
    (void)text;
}

static void send_message(int fd, struct message *message, enum kind kind, int code,
                         const char *text)
{
    message->kind = kind;
    message->code = code;
    message->hint = vks_error_last()->hint;
    snprintf(message->text, sizeof(message->text), "%s", text);
    (void)send(fd, message, offsetof(struct message, text) + strlen(message->text) + 1,
               MSG_NOSIGNAL);
}

/* Sends the row of a job. */
static void send_row(int fd, const struct vks_sweep *sweep, size_t job, enum vks_result result,
                     const struct vks_job_end *end, double seconds, const char *device,
                     struct message *message)
{
    char code[16], steps[24] = "", time[32], why[2048] = "";
    const bool good = result == VKS_OK;
    snprintf(code, sizeof(code), "%d", vks_exit_code(result));
    snprintf(time, sizeof(time), "%.3f", seconds);
    if (good) {
        snprintf(steps, sizeof(steps), "%" PRIu64, end->steps);
    } else {
        vks_escape(vks_error_last()->text, why, sizeof(why));
    }
    char *line = vks_sweep_line(sweep, job,
                                (const char *const[VKS_ROW_FIELDS]){
                                    [VKS_ROW_KEY] = end->key,
                                    [VKS_ROW_SCALARS] = good ? end->scalars : "",
                                    [VKS_ROW_STEPS] = steps,
                                    [VKS_ROW_DIGEST] = good ? end->digest : "",
                                    [VKS_ROW_EXIT] = code,
                                    [VKS_ROW_SECONDS] = time,
                                    [VKS_ROW_DEVICE] = device,
                                    [VKS_ROW_MESSAGE] = why,
                                });
    const bool fits = line && strlen(line) < MAX_TEXT;
    send_message(fd, message, fits ? ROW : LOST, vks_exit_code(fits ? result : VKS_ERROR_GPU),
                 fits   ? line
                 : line ? "its row is too long"
                        : "memory ran out");
    free(line);
}

/* Runs a job and sends its row. False if the worker has to end. */
static bool run_job(const struct pool *pool, int fd, vks_context *context, struct order order,
                    const char *device, struct message *message)
{
    const double begin = vks_seconds();
    struct vks_words words = {0};
    struct vks_call call = {0};
    struct vks_job_end end = {.steps = 0};
    enum vks_result result = vks_sweep_call(pool->sweep, order.job, order.again, &words, &call);
    if (result == VKS_OK) {
        result = vks_job_run(&call, context, &end);
    }
    const bool interrupted = result == VKS_INTERRUPTED || vks_interrupted();
    const bool lost = result == VKS_ERROR_LOST;
    if (lost && !interrupted) {
        send_message(fd, message, LOST, vks_exit_code(result), vks_error_text());
    } else if (!interrupted || result == VKS_OK) {
        send_row(fd, pool->sweep, order.job, result, &end, vks_seconds() - begin, device, message);
    }
    vks_call_free(&call);
    vks_words_free(&words);
    free(end.scalars);
    return message->kind != LOST && !interrupted;
}

/* The process of a worker, until there are no more jobs. It prints nothing. */
static void work(struct pool *pool, const struct worker *worker, int fd)
{
    const struct vks_sweep *sweep = pool->sweep;
    const char *list = sweep->values.devices;
    struct message *message = &pool->message;
    struct vks_gpu_params params = vks_call_gpu(sweep->call);
    struct vks_device_info info = {.size = sizeof(info)};
    vks_context *context = NULL;
    struct order order;
    const int none = open("/dev/null", O_WRONLY | O_CLOEXEC);
    (void)dup2(none, STDOUT_FILENO);
    (void)close(none);
    vks_message_to(VKS_LOG_ERROR, drop_message, NULL);
    vks_task_report_to(NULL);
    params.device =
        list ? vks_nth_device(list, worker->index % vks_device_count(list)) : params.device;
    params.quiet = true;
    enum vks_result result = vks_context_open(&params, &context);
    if (result == VKS_OK) {
        result = vks_context_device(context, &info);
    }
    send_message(fd, message, result == VKS_OK ? READY : CLOSED, (int)result, vks_error_text());
    bool going = result == VKS_OK;
    while (going) {
        const ssize_t got = recv(fd, &order, sizeof(order), 0);
        going = got == sizeof(order) || (got < 0 && errno == EINTR && !vks_interrupted());
        if (got == sizeof(order)) {
            going = run_job(pool, fd, context, order, info.name, message);
        }
    }
    if (context && message->kind != LOST) {
        const uint64_t messages = vks_context_close(context);
        _exit(messages > 0 ? VKS_ERROR_VALIDATION : 0);
    }
    _exit(0);
}

/* --- starting --------------------------------------------------------------------------------- */

static enum vks_result start(struct pool *pool, struct worker *worker)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        return vks_fail(VKS_ERROR_GPU, "a worker cannot be started: %s", strerror(errno));
    }
    (void)fflush(NULL); /* nothing is written twice */
    const pid_t parent = getpid(), process = fork();
    if (process == 0) {
        for (size_t i = 0; i < pool->count; i++) {
            if (pool->workers[i].process > 0) {
                (void)close(pool->workers[i].fd);
            }
        }
        (void)close(pair[0]);
        (void)close(pool->table->fd); /* and with it the lock, which is the parent's */
        (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() == parent) {
            work(pool, worker, pair[1]);
        }
        _exit(0);
    }
    (void)close(pair[1]);
    if (process < 0) {
        (void)close(pair[0]);
        return vks_fail(VKS_ERROR_GPU, "a worker cannot be started: %s", strerror(errno));
    }
    worker->process = process;
    worker->fd = pair[0];
    worker->ready = false;
    return VKS_OK;
}

/* --- handing out ------------------------------------------------------------------------------ */

/* The next job that has no row, or a failed one; SIZE_MAX: there is none. */
static size_t take_job(struct pool *pool)
{
    if (pool->left_count > 0) {
        return pool->left[--pool->left_count];
    }
    while (pool->next < pool->sweep->count) {
        const size_t job = pool->next;
        pool->next += pool->sweep->parts;
        if (pool->table->done[job] != 0) {
            return job;
        }
    }
    return SIZE_MAX;
}

/* Gives the worker a job, or lets it end. */
static void give(struct pool *pool, struct worker *worker)
{
    if (worker->job == SIZE_MAX && !pool->stopping) {
        worker->job = take_job(pool);
    }
    if (worker->job == SIZE_MAX || pool->stopping) {
        (void)shutdown(worker->fd, SHUT_WR);
        return;
    }
    /* A file that was in the way of a job is not replaced. */
    const int16_t before = pool->table->done[worker->job];
    const struct order order = {.job = worker->job,
                                .again = worker->retries ||
                                         (pool->table->begun && before != VKS_ERROR_FILE)};
    (void)send(worker->fd, &order, sizeof(order), MSG_NOSIGNAL); /* if it has died, poll() tells */
}

static void show_progress(struct pool *pool)
{
    const double now = vks_seconds(), elapsed = now - pool->begin;
    const bool live = vks_progress_is_live();
    char line[160];
    if (now - pool->shown < (live ? 0.1 : 10)) {
        return;
    }
    pool->shown = now;
    const double left =
        pool->done ? elapsed / (double)pool->done * (double)(pool->todo - pool->done) : 0;
    snprintf(line, sizeof(line), "job %zu/%zu  %.2f jobs/s  %.0f s left  %zu failed  ", pool->done,
             pool->todo, elapsed > 0 ? (double)pool->done / elapsed : 0, left, pool->failed);
    vks_progress_show(line);
}

/* The sweep itself fails: no more jobs are handed out. */
static void fail(struct pool *pool, enum vks_result result)
{
    if (pool->why.result == VKS_OK) {
        vks_error_keep(result, &pool->why);
    }
    pool->stopping = true;
}

/* Keeps the row of the worker's job. */
static void keep_row(struct pool *pool, struct worker *worker, int code, const char *line)
{
    const size_t job = worker->job;
    const enum vks_result result = vks_sweep_append(pool->table, line);
    if (result != VKS_OK) {
        fail(pool, result);
        return;
    }
    pool->table->done[job] = (int16_t)code;
    pool->done++;
    pool->failed += code != 0;
    worker->job = SIZE_MAX;
    worker->retries = false;
}

/* --- the end of a worker ---------------------------------------------------------------------- */

/* Writes the row of a job that has ended two workers. */
static void give_up(struct pool *pool, struct worker *worker, int exit_code, const char *why)
{
    struct vks_words words = {0};
    struct vks_call call = {0};
    char key[33] = "", code[16];
    if (vks_sweep_call(pool->sweep, worker->job, true, &words, &call) == VKS_OK) {
        (void)vks_job_key(&call, false, key);
    }
    snprintf(code, sizeof(code), "%d", exit_code);
    char *line =
        vks_sweep_line(pool->sweep, worker->job,
                       (const char *const[VKS_ROW_FIELDS]){
                           [VKS_ROW_KEY] = key, [VKS_ROW_EXIT] = code, [VKS_ROW_MESSAGE] = why});
    vks_call_free(&call);
    vks_words_free(&words);
    if (line) {
        vks_message(VKS_LOG_WARNING, "job %zu failed twice: %s", worker->job, why);
        keep_row(pool, worker, exit_code, line);
    } else {
        fail(pool, vks_fail_memory());
    }
    free(line);
}

/* Waits for the end of the process; its status. */
static int reap(struct worker *worker)
{
    int status = 0;
    while (waitpid(worker->process, &status, 0) < 0 && errno == EINTR) {
    }
    (void)close(worker->fd);
    worker->process = 0;
    return status;
}

/* Waits for the worker, starts another one for its job, and tries a job at most twice. `why`: what
 * it has said; NULL: it ended without a word. */
static void replace(struct pool *pool, struct worker *worker, int code, const char *why)
{
    char text[256];
    const int status = reap(worker);
    if (pool->stopping) {
        return;
    }
    if (!why) {
        snprintf(text, sizeof(text),
                 WIFSIGNALED(status) ? "its process was ended by signal %d"
                                     : "its process ended with exit code %d",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : VKS_ERROR_GPU;
        why = text;
    }
    if (!worker->ready) {
        fail(pool, vks_fail(VKS_ERROR_GPU, "a worker ended before it was ready: %s", why));
        return;
    }
    if (worker->job != SIZE_MAX && worker->retries) {
        give_up(pool, worker, code, why);
    } else if (worker->job != SIZE_MAX) {
        vks_message(VKS_LOG_WARNING, "job %zu is tried again: %s", worker->job, why);
        worker->retries = true;
    }
    worker->replaced = true;
    const enum vks_result result = start(pool, worker);
    if (result != VKS_OK) {
        fail(pool, result);
    }
}

/* A worker without a device is left out while there are others that have one. */
static void leave_out(struct pool *pool, struct worker *worker, const struct message *message)
{
    size_t others = 0;
    for (size_t i = 0; i < pool->count; i++) {
        others +=
            &pool->workers[i] != worker && pool->workers[i].process > 0 && pool->workers[i].ready;
    }
    (void)reap(worker);
    if (worker->replaced && others > 0) {
        vks_message(VKS_LOG_WARNING, "a worker is left out: %s", message->text);
        if (worker->job != SIZE_MAX) { /* another takes it */
            pool->left[pool->left_count++] = worker->job;
        }
    } else {
        fail(pool,
             vks_fail_hint((enum vks_result)message->code, message->hint, "%s", message->text));
    }
}

/* --- the loop --------------------------------------------------------------------------------- */

/* Reads a message of a worker, or learns of its end. */
static void hear(struct pool *pool, struct worker *worker)
{
    struct message *message = &pool->message;
    const ssize_t got = recv(worker->fd, message, sizeof(*message), 0);
    if (got < 0 && errno == EINTR) {
        return;
    }
    if (got <= (ssize_t)offsetof(struct message, text)) {
        const bool ended = worker->job == SIZE_MAX && worker->ready;
        pool->stopping = pool->stopping || vks_interrupted();
        if (!ended) {
            replace(pool, worker, 0, NULL);
            return;
        }
        const int status = reap(worker);
        pool->table->messages = pool->table->messages ||
                                (WIFEXITED(status) && WEXITSTATUS(status) == VKS_ERROR_VALIDATION);
        return;
    }
    switch (message->kind) {
    case READY:
        worker->ready = true;
        give(pool, worker);
        break;
    case ROW:
        if (message->code != 0) {
            vks_message(VKS_LOG_VERBOSE, "job %zu failed with exit code %d", worker->job,
                        message->code);
        }
        keep_row(pool, worker, message->code, message->text);
        give(pool, worker);
        break;
    case LOST:
        replace(pool, worker, message->code, message->text);
        break;
    case CLOSED:
        leave_out(pool, worker, message);
        break;
    }
}

/* After Ctrl-C or a failure, the workers end their jobs early. */
static void stop_workers(struct pool *pool)
{
    pool->stopping = true;
    for (size_t i = 0; i < pool->count; i++) {
        if (pool->workers[i].process > 0) {
            (void)kill(pool->workers[i].process, SIGTERM);
        }
    }
}

static void loop(struct pool *pool)
{
    for (bool stopped = false;;) {
        struct pollfd fds[VKS_MAX_WORKERS];
        size_t live = 0;
        for (size_t i = 0; i < pool->count; i++) {
            const struct worker *worker = &pool->workers[i];
            fds[i] = (struct pollfd){.fd = worker->process > 0 ? worker->fd : -1, .events = POLLIN};
            live += worker->process > 0;
        }
        if (live == 0) {
            return;
        }
        if ((vks_interrupted() || pool->why.result != VKS_OK) && !stopped) {
            stopped = true;
            stop_workers(pool);
        }
        (void)poll(fds, (nfds_t)pool->count, 100);
        for (size_t i = 0; i < pool->count; i++) {
            if (pool->workers[i].process > 0 && (fds[i].revents & (POLLIN | POLLHUP | POLLERR))) {
                hear(pool, &pool->workers[i]);
            }
        }
        show_progress(pool);
    }
}

static size_t count_todo(const struct pool *pool)
{
    size_t todo = 0;
    for (size_t job = pool->sweep->part; job < pool->sweep->count; job += pool->sweep->parts) {
        todo += pool->table->done[job] != 0;
    }
    return todo;
}

enum vks_result vks_sweep_run(const struct vks_sweep *sweep, struct vks_sweep_table *table)
{
    const size_t devices = vks_device_count(sweep->values.devices);
    struct pool *pool = calloc(1, sizeof(*pool));
    enum vks_result result = pool ? VKS_OK : vks_fail_memory();
    if (result != VKS_OK) {
        return result;
    }
    pool->sweep = sweep;
    pool->table = table;
    pool->next = sweep->part;
    pool->todo = count_todo(pool);
    pool->begin = pool->shown = vks_seconds();
    pool->count = sweep->values.jobs ? sweep->values.jobs : devices ? devices : 1;
    pool->count = pool->count > pool->todo ? pool->todo : pool->count;
    for (size_t i = 0; i < pool->count && result == VKS_OK; i++) {
        pool->workers[i] = (struct worker){.index = i, .job = SIZE_MAX};
        result = start(pool, &pool->workers[i]);
    }
    if (result != VKS_OK) {
        fail(pool, result);
    }
    loop(pool);
    vks_progress_end();
    result = vks_fail_again(&pool->why);
    if (result == VKS_OK && pool->done < pool->todo && vks_interrupted()) {
        vks_message(VKS_LOG_WARNING,
                    "interrupted after %zu of %zu jobs; vksim sweep --resume %s continues",
                    pool->done, pool->todo, table->path);
        result = VKS_INTERRUPTED;
    } else if (result == VKS_OK && pool->done < pool->todo) {
        result = vks_fail(VKS_ERROR_GPU, "%zu of %zu jobs were not run; --resume %s runs them",
                          pool->todo - pool->done, pool->todo, table->path);
    }
    free(pool);
    return result;
}
