/* SPDX-License-Identifier: MIT */
#include "base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

static _Thread_local struct vks_error last;

/* The arguments may point into the last failure, when a caller adds context, so the new sentence is
 * complete before it replaces that. */
static void record(struct vks_error error, const char *begin, const char *format, va_list args)
{
    char text[sizeof(error.text)];
    const size_t length = strlen(begin);
    const size_t used = length < sizeof(text) ? length : sizeof(text) - 1;
    memcpy(text, begin, used);
    vsnprintf(text + used, sizeof(text) - used, format, args);
    vks_escape(text, error.text, sizeof(error.text));
    last = error;
}

enum vks_result vks_fail(enum vks_result result, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    record((struct vks_error){.result = result}, "", format, args);
    va_end(args);
    return result;
}

enum vks_result vks_fail_hint(enum vks_result result, enum vks_hint hint, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    record((struct vks_error){.result = result, .hint = hint}, "", format, args);
    va_end(args);
    return result;
}

enum vks_result vks_fail_option(enum vks_result result, const char *option, const char *format, ...)
{
    struct vks_error error = {.result = result};
    char begin[sizeof(error.option) + 1];
    va_list args;
    snprintf(error.option, sizeof(error.option), "%s", option);
    snprintf(begin, sizeof(begin), "%s%s", error.option, format[0] == ':' ? "" : " ");
    va_start(args, format);
    record(error, begin, format, args);
    va_end(args);
    return result;
}

void vks_error_about(const char *option)
{
    struct vks_error error = last;
    const size_t length = strlen(last.option);
    snprintf(error.option, sizeof(error.option), "%s", option);
    snprintf(error.text, sizeof(error.text), "%s%s", error.option, last.text + length);
    last = error;
}

enum vks_result vks_fail_more(enum vks_result result, const char *format, ...)
{
    struct vks_error error = last;
    va_list args;
    error.result = result;
    va_start(args, format);
    record(error, last.text, format, args);
    va_end(args);
    return result;
}

enum vks_result vks_fail_file(enum vks_result result, const char *path)
{
    if (result != VKS_OK) {
        snprintf(last.file, sizeof(last.file), "%s", path);
    }
    return result;
}

/* Whether a byte of UTF-8 continues a character. */
static bool continues(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

enum vks_result vks_fail_at(enum vks_result result, const char *text, size_t place)
{
    enum { BEFORE = 40, AFTER = 36 }; /* bytes */
    size_t from = place > BEFORE ? place - BEFORE : 0;
    char part[BEFORE + 1], before[8 * BEFORE + 1], after[AFTER];
    while (continues(text[from])) {
        from++;
    }
    snprintf(part, sizeof(part), "%.*s", (int)(place - from), text + from);
    vks_escape(part, before, sizeof(before));
    vks_escape(text + place, after, sizeof(after));
    last.column = from > 0 ? 3 : 0;
    for (const char *at = before; *at; at++) {
        last.column += continues(*at) ? 0 : 1;
    }
    snprintf(last.excerpt, sizeof(last.excerpt), "%s%s%s%s", from > 0 ? "..." : "", before, after,
             strlen(text + place) >= AFTER ? "..." : "");
    return result;
}

enum vks_result vks_fail_null(const char *function)
{
    return vks_fail(VKS_ERROR_USAGE, "%s() got NULL", function);
}

const struct vks_error *vks_error_last(void)
{
    return &last;
}

void vks_error_keep(enum vks_result result, struct vks_error *error)
{
    *error = last;
    error->result = result;
}

enum vks_result vks_fail_again(const struct vks_error *error)
{
    last = *error;
    return last.result;
}

enum vks_result vks_fail_reworded(const struct vks_error *error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    record(*error, "", format, args);
    va_end(args);
    return error->result;
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
