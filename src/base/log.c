/* SPDX-License-Identifier: MIT */
#include "base/log.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/task.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    vks_log_fn *callback;
    void *user;
} sink;
/* A signal handler reads these two. */
static atomic_int max_level = VKS_LOG_INFO;
static atomic_bool in_line;    /* the cursor of the terminal is in the progress line */
static size_t previous_length; /* of that line; with the lock */

void vks_message_to(enum vks_log_level max, vks_log_fn *callback, void *user)
{
    pthread_mutex_lock(&lock);
    atomic_store(&max_level, (int)max);
    sink.callback = callback;
    sink.user = user;
    pthread_mutex_unlock(&lock);
}

static void drop_message(void *user, enum vks_log_level level, const char *text)
{
    (void)user;
    (void)level;
    (void)text;
}

void vks_messages_off(void)
{
    vks_message_to(VKS_LOG_ERROR, drop_message, NULL);
}

/* A message goes out in one piece, so that those of other threads do not mix with it. */
static void print(const char *text)
{
    char line[2112];
    pthread_mutex_lock(&lock);
    const bool ended = atomic_exchange(&in_line, false);
    snprintf(line, sizeof(line), "%svksim: %s\n", ended ? "\n" : "", text);
    fputs(line, stderr);
    pthread_mutex_unlock(&lock);
}

void vks_message(enum vks_log_level level, const char *format, ...)
{
    pthread_mutex_lock(&lock);
    vks_log_fn *const callback = sink.callback;
    void *const user = sink.user;
    pthread_mutex_unlock(&lock);
    if ((int)level > atomic_load(&max_level)) {
        return;
    }
    char raw[2048], text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(raw, sizeof(raw), format, args);
    va_end(args);
    vks_escape(raw, text, sizeof(text));
    if (callback) { /* without the lock: it may log as well */
        callback(user, level, text);
    } else {
        print(text);
    }
}

void vks_message_from_handler(const char *line)
{
    const int error = errno;
    char text[128] = "\nvksim: ";
    size_t length = strlen(text);
    if (atomic_load(&max_level) < VKS_LOG_INFO) {
        return;
    }
    while (*line && length < sizeof(text) - 1) {
        text[length++] = *line++;
    }
    text[length++] = '\n';
    const size_t skipped = atomic_exchange(&in_line, false) ? 0 : 1;
    /* A full pipe or a stopped terminal must not keep the process from ending. */
    struct pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (poll(&ready, 1, 0) == 1 && (ready.revents & POLLOUT)) {
        ssize_t written = write(STDERR_FILENO, text + skipped, length - skipped);
        (void)written; /* the terminal may be gone */
    }
    errno = error;
}

bool vks_progress_is_live(void)
{
    return isatty(STDERR_FILENO) != 0 || getenv(VKS_PROGRESS_VARIABLE);
}

int vks_progress_columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void vks_progress_show(const char *text)
{
    char safe[512], line[1100];
    if (atomic_load(&max_level) < VKS_LOG_INFO) {
        return;
    }
    vks_escape(text, safe, sizeof(safe));
    pthread_mutex_lock(&lock);
    if (vks_interrupted()) { /* what the handler prints about that comes last */
        pthread_mutex_unlock(&lock);
        return;
    }
    if (isatty(STDERR_FILENO)) {
        /* Padding erases the rest of a longer line. */
        const int width = atomic_load(&in_line) ? (int)previous_length : 0;
        previous_length = strlen(safe);
        snprintf(line, sizeof(line), "\r%-*s", width, safe);
        atomic_store(&in_line, true);
    } else {
        snprintf(line, sizeof(line), "%s\n", safe);
    }
    fputs(line, stderr);
    fflush(stderr);
    pthread_mutex_unlock(&lock);
}

void vks_progress_end(void)
{
    pthread_mutex_lock(&lock);
    if (atomic_exchange(&in_line, false)) {
        fputs("\n", stderr);
    }
    pthread_mutex_unlock(&lock);
}
