/* SPDX-License-Identifier: MIT */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

static struct {
    enum vks_log_level most;
    vks_log_fn *callback;
    void *user;
} sink = {.most = VKS_LOG_INFO};

void vks_message_to(enum vks_log_level most, vks_log_fn *callback, void *user)
{
    sink.most = most;
    sink.callback = callback;
    sink.user = user;
}

void vks_message(enum vks_log_level level, const char *format, ...)
{
    if (level > sink.most) {
        return;
    }
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (sink.callback) {
        sink.callback(sink.user, level, text);
    } else {
        fprintf(stderr, "vksim: %s\n", text);
    }
}
