/* SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
    char *data;
    size_t length, capacity;
    bool failed; /* remembered, because jansson ignores some failures of its callback */
};

static int append(const char *data, size_t size, void *user)
{
    struct text *text = user;
    if (!text->failed && size >= text->capacity - text->length) {
        const size_t capacity = 2 * (text->length + size + 1);
        char *moved = realloc(text->data, capacity);
        text->failed = !moved;
        text->data = moved ? moved : text->data;
        text->capacity = moved ? capacity : text->capacity;
    }
    if (text->failed) {
        return -1;
    }
    memcpy(text->data + text->length, data, size);
    text->length += size;
    text->data[text->length] = '\0';
    return 0;
}

char *vks_json_dump(const json_t *value, size_t flags)
{
    struct text text = {0};
    const bool dumped = append("", 0, &text) == 0 &&
                        json_dump_callback(value, append, &text, flags) == 0 && !text.failed;
    if (!dumped) {
        free(text.data);
        return NULL;
    }
    return text.data;
}

/* jansson reports a comma without a value after it where the next bracket is, which may be lines
 * below. */
static void find_comma(const char *text, size_t size, json_error_t *error)
{
    size_t at =
        error->position > 0 && (size_t)error->position <= size ? (size_t)error->position : 0;
    const char bracket = at > 0 ? text[at - 1] : '\0';
    int lines = 0;
    if (bracket != '}' && bracket != ']') {
        return;
    }
    for (at--; at > 0 && strchr(" \t\r\n", text[at - 1]); at--) {
        lines += text[at - 1] == '\n';
    }
    if (at > 0 && text[at - 1] == ',') {
        error->line -= lines;
        snprintf(error->text, sizeof(error->text), "there is no value between ',' and '%c'",
                 bracket);
    }
}

json_t *vks_json_load(const char *text, size_t size, size_t flags, json_error_t *error)
{
    static const char mark[] = "\xef\xbb\xbf";
    const size_t skip = size >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
    json_t *value = json_loadb(text + skip, size - skip, flags, error);
    if (!value && error) {
        find_comma(text + skip, size - skip, error);
    }
    return value;
}

uint64_t vks_json_count(const json_t *object, const char *name)
{
    const json_int_t value = json_integer_value(json_object_get(object, name));
    return value > 0 ? (uint64_t)value : 0;
}
