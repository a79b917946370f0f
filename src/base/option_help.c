/* SPDX-License-Identifier: MIT */
/* Option tables as text for --help. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/option.h"

struct text {
    char *data;
    size_t length, capacity;
    bool failed;
};

static void put(struct text *text, const char *data, size_t length)
{
    if (text->failed) {
        return;
    }
    if (text->length + length + 1 > text->capacity) {
        size_t capacity = (text->length + length + 1) * 2;
        char *moved = realloc(text->data, capacity);
        if (!moved) {
            text->failed = true;
            return;
        }
        text->data = moved;
        text->capacity = capacity;
    }
    memcpy(text->data + text->length, data, length);
    text->length += length;
    text->data[text->length] = '\0';
}

const char *vks_option_argument(const struct vks_option *option)
{
    if (option->argument) {
        return option->argument;
    }
    switch (option->type) {
    case VKS_OPTION_FLAG:
        return "";
    case VKS_OPTION_COUNT:
        return "N";
    case VKS_OPTION_REAL:
        return option->flags & VKS_OPTION_LIST ? "X[,X...]" : "X";
    case VKS_OPTION_CHOICE:
        return "NAME";
    case VKS_OPTION_TEXT:
        return "TEXT";
    case VKS_OPTION_SIZE:
        return option->flags & VKS_OPTION_DEPTH ? "WxH[xD]" : "WxH";
    }
    return "";
}

const char *vks_option_values(const struct vks_option *option, char *buffer, size_t size)
{
    char range[512] = "", standard[256] = "";
    const char *unit = option->unit ? option->unit : "";
    const char *gap = unit[0] ? " " : "";
    switch (option->type) {
    case VKS_OPTION_COUNT:
        snprintf(range, sizeof(range), "%s%.0f to %.0f%s%s",
                 option->flags & VKS_OPTION_ODD ? "odd, " : "", option->min, option->max, gap,
                 unit);
        break;
    case VKS_OPTION_SIZE:
        snprintf(range, sizeof(range), "each %.0f to %.0f%s%s", option->min, option->max, gap,
                 unit);
        break;
    case VKS_OPTION_REAL:
        snprintf(range, sizeof(range), "%g to %g%s%s", option->min, option->max, gap, unit);
        break;
    default:
        if (option->choices) {
            vks_join(option->choices, range, sizeof(range));
        }
        break;
    }
    if (option->same_as) {
        snprintf(standard, sizeof(standard), "default: as %s", option->same_as);
    } else if (option->default_text && option->type != VKS_OPTION_FLAG) {
        snprintf(standard, sizeof(standard), "default %s", option->default_text);
    }
    if (range[0] || standard[0]) {
        snprintf(buffer, size, " (%s%s%s)", range, range[0] && standard[0] ? "; " : "", standard);
    } else {
        buffer[0] = '\0';
    }
    return buffer;
}

/* `words` wrapped at `columns`, each line after the first indented; `column` is where it starts. */
static void put_wrapped(struct text *out, const char *words, size_t column, size_t indent,
                        size_t columns)
{
    while (*words) {
        size_t length = strcspn(words, " ");
        if (column > indent && column + 1 + length > columns) {
            put(out, "\n", 1);
            for (size_t i = 0; i < indent; i++) {
                put(out, " ", 1);
            }
            column = indent;
        } else if (column > indent) {
            put(out, " ", 1);
            column++;
        }
        put(out, words, length);
        column += length;
        words += length;
        words += strspn(words, " ");
    }
    put(out, "\n", 1);
}

/* Adds "; preset silk: 22.5" to what vks_option_values() says. */
static void add_value(const struct vks_option *option, const void *settings, const char *source,
                      char *values, size_t size)
{
    char buffer[VKS_VALUE_SIZE];
    const size_t length = strlen(values);
    const char *text = vks_option_get(option, settings, buffer, sizeof(buffer));
    if (length > 0) { /* instead of the closing parenthesis */
        snprintf(values + length - 1, size - length + 1, "; %s: %s)", source, text);
    } else {
        snprintf(values, size, " (%s: %s)", source, text);
    }
}

char *vks_options_help(struct vks_option_table table, unsigned columns, const void *settings,
                       const char *source)
{
    enum { indent = 28 };
    struct text out = {0};
    put(&out, "", 0);
    for (size_t i = 0; i < table.count; i++) {
        const struct vks_option *option = &table.options[i];
        char head[128], values[1024], body[2048];
        const char *argument = vks_option_argument(option);
        const char with_letter[] = {'-', option->letter, ',', ' ', '\0'};
        const char *letter = option->letter ? with_letter : "";
        if (option->implied) {
            snprintf(head, sizeof(head), "  %s--%s[=%s]", letter, option->name, argument);
        } else {
            snprintf(head, sizeof(head), "  %s--%s%s%s", letter, option->name,
                     argument[0] ? " " : "", argument);
        }
        vks_option_values(option, values, sizeof(values));
        if (settings && !vks_option_is_default(option, settings)) {
            add_value(option, settings, source, values, sizeof(values));
        }
        snprintf(body, sizeof(body), "%s%s", option->help, values);
        size_t column = strlen(head);
        put(&out, head, column);
        if (column + 2 > indent) {
            put(&out, "\n", 1);
            column = 0;
        }
        for (; column < indent; column++) {
            put(&out, " ", 1);
        }
        put_wrapped(&out, body, indent, indent, columns);
    }
    if (out.failed) {
        free(out.data);
        return NULL;
    }
    return out.data;
}
