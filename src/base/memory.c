/* SPDX-License-Identifier: MIT */
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *vks_grow(void *items, size_t item_size, size_t count, size_t *capacity)
{
    if (count < *capacity) {
        return items;
    }
    size_t wanted = *capacity ? *capacity * 2 : 8;
    if (wanted > SIZE_MAX / item_size) {
        return NULL;
    }
    void *moved = realloc(items, wanted * item_size);
    if (moved) {
        *capacity = wanted;
    }
    return moved;
}

char *vks_strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

char *vks_format(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0) {
        return NULL;
    }
    char *text = malloc((size_t)length + 1);
    if (text) {
        va_start(args, format);
        vsnprintf(text, (size_t)length + 1, format, args);
        va_end(args);
    }
    return text;
}
