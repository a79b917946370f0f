/* SPDX-License-Identifier: MIT */
/* Option tables as text for --help. */
#include <stdio.h>
#include <string.h>

#include "base/option.h"

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

void vks_put_row(FILE *out, const char *head, const char *words, unsigned indent, unsigned columns)
{
    const size_t length = strlen(head);
    const bool fits = length == 0 || length + 2 <= indent;
    fprintf(out, fits ? "%s%*s" : "%s\n%*s", head, (int)(fits ? indent - length : indent), "");
    for (size_t column = indent; *words;) {
        const size_t word = strcspn(words, " ");
        if (column > indent && column + 1 + word > columns) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            putc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", (int)word, words);
        column += word;
        words += word;
        words += strspn(words, " ");
    }
    putc('\n', out);
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

const char *vks_option_head(const struct vks_option *option, char *buffer, size_t size)
{
    const char *argument = vks_option_argument(option);
    const char with_letter[] = {'-', option->letter, ',', ' ', '\0'};
    const char *before = option->implied ? "[=" : argument[0] ? " " : "";
    snprintf(buffer, size, "  %s--%s%s%s%s", option->letter ? with_letter : "", option->name,
             before, argument, option->implied ? "]" : "");
    return buffer;
}

void vks_options_help(FILE *out, struct vks_option_table table, unsigned columns,
                      const void *settings, const char *source)
{
    for (size_t i = 0; i < table.count; i++) {
        const struct vks_option *option = &table.options[i];
        char head[128], values[1024], body[2048];
        vks_option_values(option, values, sizeof(values));
        if (settings && !vks_option_is_default(option, settings)) {
            add_value(option, settings, source, values, sizeof(values));
        }
        snprintf(body, sizeof(body), "%s%s", option->help, values);
        vks_put_row(out, vks_option_head(option, head, sizeof(head)), body, VKS_HELP_INDENT,
                    columns);
    }
}
