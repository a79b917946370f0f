/* SPDX-License-Identifier: MIT */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char last_error[2048];

enum vks_result vks_fail(enum vks_result result, const char *format, ...)
{
    /* The arguments may point into last_error itself, when a caller adds context. */
    char text[sizeof(last_error)];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    snprintf(last_error, sizeof(last_error), "%s", text);
    return result;
}

enum vks_result vks_fail_memory(void)
{
    return vks_fail(VKS_ERROR_GPU, "out of memory");
}

const char *vks_error_text(void)
{
    return last_error;
}

const char *vks_result_text(enum vks_result result)
{
    switch (result) {
#define VKS_RESULT_ROW(name, value, text) \
    case name:                            \
        return text;
        VKS_RESULTS(VKS_RESULT_ROW)
#undef VKS_RESULT_ROW
    }
    return "unknown result";
}
