/* SPDX-License-Identifier: MIT */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/log.h"

static _Thread_local struct vks_error last;

static void record(enum vks_hint hint, const char *format, va_list args)
{
    /* The arguments may point into last.text itself, when a caller adds context. */
    char text[sizeof(last.text)];
    vsnprintf(text, sizeof(text), format, args);
    vks_escape(text, last.text, sizeof(last.text));
    last.hint = hint;
}

enum vks_result vks_fail(enum vks_result result, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    record(VKS_HINT_NONE, format, args);
    va_end(args);
    return result;
}

enum vks_result vks_fail_hint(enum vks_result result, enum vks_hint hint, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    record(hint, format, args);
    va_end(args);
    return result;
}

enum vks_hint vks_error_hint(void)
{
    return last.hint;
}

void vks_error_keep(struct vks_error *error)
{
    *error = last;
}

enum vks_result vks_fail_again(enum vks_result result, const struct vks_error *error)
{
    last = *error;
    return result;
}

enum vks_result vks_fail_memory(void)
{
    return vks_fail(VKS_ERROR_GPU, "out of memory");
}

const char *vks_error_text(void)
{
    return last.text;
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
