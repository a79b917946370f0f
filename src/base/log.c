/* SPDX-License-Identifier: MIT */
#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    enum vks_log_level max;
    vks_log_fn *callback;
    void *user;
} sink = {.max = VKS_LOG_INFO};

void vks_message_to(enum vks_log_level max, vks_log_fn *callback, void *user)
{
    pthread_mutex_lock(&lock);
    sink.max = max;
    sink.callback = callback;
    sink.user = user;
    pthread_mutex_unlock(&lock);
}

void vks_message(enum vks_log_level level, const char *format, ...)
{
    pthread_mutex_lock(&lock);
    const enum vks_log_level max = sink.max;
    vks_log_fn *const callback = sink.callback;
    void *const user = sink.user;
    pthread_mutex_unlock(&lock);
    if (level > max) {
        return;
    }
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (callback) { /* without the lock: it may log as well */
        callback(user, level, text);
    } else {
        fprintf(stderr, "vksim: %s\n", text);
    }
}
