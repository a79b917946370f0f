/* SPDX-License-Identifier: MIT */
#include "base/option.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"

static void *value_of(const struct vks_option *option, void *settings)
{
    return (char *)settings + option->offset;
}

static const void *const_value_of(const struct vks_option *option, const void *settings)
{
    return (const char *)settings + option->offset;
}

const struct vks_option *vks_option_find(struct vks_option_table table, const char *name)
{
    for (size_t i = 0; i < table.count; i++) {
        if (strcmp(table.options[i].name, name) == 0) {
            return &table.options[i];
        }
    }
    return NULL;
}

const struct vks_option *vks_option_at(struct vks_option_table table, size_t offset)
{
    const struct vks_option *option = table.options;
    while (option->offset != offset) {
        option++;
        assert(option < table.options + table.count);
    }
    return option;
}

void vks_option_soft_range(const struct vks_option *option, double *low, double *high)
{
    const bool soft = option->soft_min != 0 || option->soft_max != 0;
    *low = soft ? option->soft_min : option->min;
    *high = soft ? option->soft_max : option->max;
}

const char *vks_option_heading(struct vks_option_table table, const struct vks_option *option)
{
    while (option > table.options && !option->heading) {
        option--;
    }
    return option->heading ? option->heading : "";
}

struct names {
    const struct vks_option_table *tables;
    size_t count;
};

static const char *next_name(void *user, size_t index)
{
    const struct names *names = user;
    for (size_t i = 0; i < names->count; i++) {
        if (index < names->tables[i].count) {
            return names->tables[i].options[index].name;
        }
        index -= names->tables[i].count;
    }
    return NULL;
}

const char *vks_option_nearest(const struct vks_option_table *tables, size_t count,
                               const char *name)
{
    char word[64]; /* as names of options are: Dv and mean_c as dv and mean-c */
    size_t length = 0;
    for (; name[length] && length + 1 < sizeof(word); length++) {
        word[length] = (char)(name[length] == '_' ? '-' : tolower((unsigned char)name[length]));
    }
    word[length] = '\0';
    return vks_nearest(word, next_name, &(struct names){tables, count});
}

/* A count by its own name: 1000000, 1e6, 100k, 2M, 1G. */
static bool parse_count(const char *text, uint64_t *count)
{
    if (!isdigit((unsigned char)text[0])) {
        return false;
    }
    char *end;
    errno = 0;
    unsigned long long whole = strtoull(text, &end, 10);
    if (errno == 0 && *end == '\0') {
        *count = whole;
        return true;
    }
    const char *rest;
    double value = vks_parse_real(text, &rest);
    double scale = 1;
    switch (*rest) {
    case 'k':
        scale = 1e3;
        rest++;
        break;
    case 'M':
        scale = 1e6;
        rest++;
        break;
    case 'G':
        scale = 1e9;
        rest++;
        break;
    default:
        break;
    }
    value *= scale;
    if (*rest != '\0' || !(value >= 0 && value < 9007199254740992.0) || value != floor(value)) {
        return false;
    }
    *count = (uint64_t)value;
    return true;
}

/* Whole numbers with an x between them: two, or three for an option that takes a depth. */
static bool parse_size(const struct vks_option *option, const char *text, struct vks_size *size)
{
    const int most = option->flags & VKS_OPTION_DEPTH ? 3 : 2;
    uint32_t parts[3] = {0, 0, 1};
    for (int i = 0; i < most; i++) {
        char *end;
        errno = 0;
        const unsigned long long part =
            isdigit((unsigned char)text[0]) ? strtoull(text, &end, 10) : 0;
        if (part == 0 || errno || (double)part < option->min || (double)part > option->max) {
            return false;
        }
        parts[i] = (uint32_t)part;
        if (*end == '\0' && i > 0) {
            *size = (struct vks_size){parts[0], parts[1], parts[2]};
            return true;
        }
        if (*end != 'x') {
            return false;
        }
        text = end + 1;
    }
    return false;
}

/* A number, or for an option that may be a list, several separated by commas. Returns how many; 0
 * if the text is something else. */
static size_t parse_reals(const struct vks_option *option, const char *text,
                          double values[VKS_MAX_LIST])
{
    const size_t max = option->flags & VKS_OPTION_LIST ? VKS_MAX_LIST : 1;
    for (size_t count = 0; count < max; count++) {
        const char *end;
        values[count] = vks_parse_fraction(text, &end);
        if (end == text || (*end != ',' && *end != '\0')) {
            return 0;
        }
        if (*end == '\0') {
            return count + 1;
        }
        text = end + 1;
    }
    return 0;
}

/* The shortest text that parse_reals() reads back to the same values; returns `buffer`. */
static const char *format_reals(const double *values, size_t count, char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        char number[64];
        snprintf(buffer + used, size - used, "%s%s", i ? "," : "",
                 vks_format_real(values[i], number, sizeof(number)));
        used += strlen(buffer + used);
    }
    return buffer;
}

static enum vks_result bad_value(const struct vks_option *option, const char *text)
{
    char unit[64] = "";
    if (option->unit && option->unit[0]) {
        snprintf(unit, sizeof(unit), " %s", option->unit);
    }
    switch (option->type) {
    case VKS_OPTION_COUNT:
        return vks_fail_option(VKS_ERROR_USAGE, option->name, "'%s' is not %s from %.0f to %.0f%s",
                               text,
                               option->flags & VKS_OPTION_ODD ? "an odd number" : "a whole number",
                               option->min, option->max, unit);
    case VKS_OPTION_REAL:
        return vks_fail_option(
            VKS_ERROR_USAGE, option->name, "'%s' is not a number from %g to %g%s%s%s%s", text,
            option->min, option->max, unit,
            option->flags & VKS_OPTION_LIST
                ? ", nor a list of 2 to 8 such numbers separated by commas"
                : "",
            option->same_as ? ", nor " : "", option->same_as ? option->same_as : "");
    case VKS_OPTION_SIZE:
        return vks_fail_option(
            VKS_ERROR_USAGE, option->name, "'%s' is not %s%s with each from %.0f to %.0f%s", text,
            option->argument ? option->argument : "WIDTHxHEIGHT",
            option->flags & VKS_OPTION_DEPTH ? "[xDEPTH]" : "", option->min, option->max, unit);
    default:
        return vks_fail_option(VKS_ERROR_USAGE, option->name, "'%s' is not a valid value", text);
    }
}

static enum vks_result find_choice(const struct vks_option *option, const char *text,
                                   uint32_t *index)
{
    for (uint32_t i = 0; option->choices[i]; i++) {
        if (strcmp(option->choices[i], text) == 0) {
            *index = i;
            return VKS_OK;
        }
    }
    char list[512], near[128];
    return vks_fail_option(VKS_ERROR_USAGE, option->name, "'%s' is not one of: %s%s", text,
                           vks_join(option->choices, list, sizeof(list)),
                           vks_did_you_mean(text, option->choices, near, sizeof(near)));
}

static enum vks_result set_text(const struct vks_option *option, char **value, const char *text)
{
    uint32_t index;
    enum vks_result result = option->choices ? find_choice(option, text, &index) : VKS_OK;
    if (result != VKS_OK) {
        return result;
    }
    char *copy = vks_strdup(text);
    if (!copy) {
        return vks_fail_memory();
    }
    free(*value);
    *value = copy;
    return VKS_OK;
}

/* Stores a number that is in range; `text` is what it was written as. */
static enum vks_result put_count(const struct vks_option *option, uint64_t *value, uint64_t count,
                                 const char *text)
{
    if ((double)count < option->min || (double)count > option->max ||
        ((option->flags & VKS_OPTION_ODD) && count % 2 == 0)) {
        return bad_value(option, text);
    }
    *value = count;
    return VKS_OK;
}

/* Stores one value or a list; they have been checked. */
static void store_reals(const struct vks_option *option, void *settings, const double *values,
                        size_t count)
{
    *(double *)value_of(option, settings) = values[0];
    if (option->flags & VKS_OPTION_LIST) {
        struct vks_list list = {.count = count > 1 ? (uint32_t)count : 0};
        memcpy(list.values, values, list.count * sizeof(*values));
        memcpy((char *)settings + option->list, &list, sizeof(list));
    }
}

static enum vks_result put_reals(const struct vks_option *option, void *settings,
                                 const double *values, size_t count, const char *text)
{
    bool good = count > 0;
    for (size_t i = 0; i < count; i++) {
        good = good && values[i] >= option->min && values[i] <= option->max;
    }
    if (!good) {
        return bad_value(option, text);
    }
    store_reals(option, settings, values, count);
    return VKS_OK;
}

static enum vks_result wrong_type(const struct vks_option *option)
{
    return vks_fail_option(VKS_ERROR_USAGE, option->name, "takes %s, not %s",
                           option->type == VKS_OPTION_COUNT ? "a whole number" : "a text",
                           option->type == VKS_OPTION_COUNT ? "a real one" : "a number");
}

enum vks_result vks_option_set_real(const struct vks_option *option, void *settings, double real)
{
    return vks_option_set_list(option, settings, &real, 1);
}

enum vks_result vks_option_set_list(const struct vks_option *option, void *settings,
                                    const double *values, size_t count)
{
    char text[VKS_VALUE_SIZE];
    const size_t max = option->flags & VKS_OPTION_LIST ? VKS_MAX_LIST : 1;
    if (option->type != VKS_OPTION_REAL) {
        return wrong_type(option);
    }
    format_reals(values, count, text, sizeof(text));
    return count > max ? bad_value(option, text) : put_reals(option, settings, values, count, text);
}

enum vks_result vks_option_set_count(const struct vks_option *option, void *settings,
                                     uint64_t count)
{
    char text[32];
    if (option->type == VKS_OPTION_REAL) {
        return vks_option_set_real(option, settings, (double)count);
    }
    snprintf(text, sizeof(text), "%" PRIu64, count);
    return option->type == VKS_OPTION_COUNT
               ? put_count(option, value_of(option, settings), count, text)
               : wrong_type(option);
}

enum vks_result vks_option_set(const struct vks_option *option, void *settings, const char *text)
{
    void *value = value_of(option, settings);
    switch (option->type) {
    case VKS_OPTION_FLAG:
        if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
            *(bool *)value = text[0] == 't';
            return VKS_OK;
        }
        return vks_fail_option(VKS_ERROR_USAGE, option->name,
                               "takes no value (or true, or false), not '%s'", text);
    case VKS_OPTION_COUNT: {
        uint64_t count;
        return parse_count(text, &count) ? put_count(option, value, count, text)
                                         : bad_value(option, text);
    }
    case VKS_OPTION_REAL: {
        double values[VKS_MAX_LIST];
        if (option->same_as && strcmp(text, option->same_as) == 0) {
            store_reals(option, settings, &(double){NAN}, 1);
            return VKS_OK;
        }
        return put_reals(option, settings, values, parse_reals(option, text, values), text);
    }
    case VKS_OPTION_CHOICE:
        return find_choice(option, text, value);
    case VKS_OPTION_TEXT:
        return set_text(option, value, text);
    case VKS_OPTION_SIZE:
        return parse_size(option, text, value) ? VKS_OK : bad_value(option, text);
    }
    return vks_fail(VKS_ERROR_INTERNAL, "the option %s has no type", option->name);
}

const struct vks_list *vks_option_list(const struct vks_option *option, const void *settings)
{
    const struct vks_list *list = (const void *)((const char *)settings + option->list);
    return (option->flags & VKS_OPTION_LIST) && list->count > 0 ? list : NULL;
}

bool vks_option_is_set(const struct vks_option *option, const void *settings)
{
    const void *value = const_value_of(option, settings);
    switch (option->type) {
    case VKS_OPTION_TEXT:
        return *(char *const *)value != NULL;
    case VKS_OPTION_REAL:
        return !isnan(*(const double *)value);
    case VKS_OPTION_SIZE:
        return ((const struct vks_size *)value)->width != 0;
    default:
        return true;
    }
}

bool vks_option_is_on(const struct vks_option *option, const void *settings)
{
    const void *value = const_value_of(option, settings);
    const struct vks_list *list = vks_option_list(option, settings);
    for (uint32_t i = 0; list && i < list->count; i++) {
        if (fabs(list->values[i]) > 0) {
            return true;
        }
    }
    switch (option->type) {
    case VKS_OPTION_FLAG:
        return *(const bool *)value;
    case VKS_OPTION_COUNT:
        return (double)*(const uint64_t *)value > option->min;
    case VKS_OPTION_REAL:
        return fabs(*(const double *)value) > 0;
    case VKS_OPTION_TEXT:
        return vks_text_is_given(*(char *const *)value) &&
               !((option->flags & VKS_OPTION_NAMES) && strcmp(*(char *const *)value, "none") == 0);
    default:
        return vks_option_is_set(option, settings);
    }
}

const char *vks_option_get(const struct vks_option *option, const void *settings, char *buffer,
                           size_t size)
{
    const void *value = const_value_of(option, settings);
    const struct vks_list *list = vks_option_list(option, settings);
    if (!vks_option_is_set(option, settings)) {
        return option->same_as ? option->same_as : "";
    }
    switch (option->type) {
    case VKS_OPTION_FLAG:
        return *(const bool *)value ? "true" : "false";
    case VKS_OPTION_COUNT:
        snprintf(buffer, size, "%" PRIu64, *(const uint64_t *)value);
        return buffer;
    case VKS_OPTION_REAL:
        return format_reals(list ? list->values : value, list ? list->count : 1, buffer, size);
    case VKS_OPTION_CHOICE:
        return option->choices[*(const uint32_t *)value];
    case VKS_OPTION_TEXT:
        return *(char *const *)value;
    case VKS_OPTION_SIZE: {
        const struct vks_size *parts = value;
        char depth[16] = "";
        if (parts->depth > 1) {
            snprintf(depth, sizeof(depth), "x%" PRIu32, parts->depth);
        }
        snprintf(buffer, size, "%" PRIu32 "x%" PRIu32 "%s", parts->width, parts->height, depth);
        return buffer;
    }
    }
    return "";
}

enum vks_result vks_options_reset(struct vks_option_table table, void *settings)
{
    for (size_t i = 0; i < table.count; i++) {
        const struct vks_option *option = &table.options[i];
        void *value = value_of(option, settings);
        if (option->default_text) {
            enum vks_result result = vks_option_set(option, settings, option->default_text);
            if (result == VKS_ERROR_USAGE) {
                return vks_fail(VKS_ERROR_INTERNAL, "an option's default is wrong: %s",
                                vks_error_text());
            }
            if (result != VKS_OK) {
                return result;
            }
            continue;
        }
        switch (option->type) {
        case VKS_OPTION_FLAG:
            *(bool *)value = false;
            break;
        case VKS_OPTION_COUNT:
            *(uint64_t *)value = 0;
            break;
        case VKS_OPTION_REAL:
            store_reals(option, settings, &(double){NAN}, 1);
            break;
        case VKS_OPTION_CHOICE:
            *(uint32_t *)value = 0;
            break;
        case VKS_OPTION_TEXT:
            free(*(char **)value);
            *(char **)value = NULL;
            break;
        case VKS_OPTION_SIZE:
            *(struct vks_size *)value = (struct vks_size){0};
            break;
        }
    }
    return VKS_OK;
}

bool vks_option_is_default(const struct vks_option *option, const void *settings)
{
    /* Settings with one value, of any type. */
    struct settings {
        union {
            bool flag;
            uint64_t count;
            double real;
            uint32_t choice;
            struct vks_size size;
        } value;
        struct vks_list list;
    } standard = {.value = {.size = {0}}};
    struct vks_option row = *option;
    row.offset = offsetof(struct settings, value);
    row.list = offsetof(struct settings, list);
    const void *value = const_value_of(option, settings);
    const struct vks_option_table table = {&row, 1};
    if (option->type == VKS_OPTION_TEXT) {
        const char *text = *(char *const *)value;
        return text && option->default_text ? strcmp(text, option->default_text) == 0
                                            : !text && !option->default_text;
    }
    char first[VKS_VALUE_SIZE], second[VKS_VALUE_SIZE];
    return vks_options_reset(table, &standard) == VKS_OK &&
           strcmp(vks_option_get(&row, &standard, first, sizeof(first)),
                  vks_option_get(option, settings, second, sizeof(second))) == 0;
}

void vks_options_resolve(struct vks_option_table table, void *settings)
{
    for (size_t i = 0; i < table.count; i++) {
        const struct vks_option *option = &table.options[i];
        if (option->same_as && !vks_option_is_set(option, settings)) {
            const struct vks_option *other = vks_option_find(table, option->same_as);
            const struct vks_list *list = vks_option_list(other, settings);
            store_reals(option, settings, list ? list->values : const_value_of(other, settings),
                        list ? list->count : 1);
        }
    }
}

enum vks_result vks_options_copy(struct vks_option_table table, void *to, const void *from,
                                 size_t size)
{
    enum vks_result result = VKS_OK;
    vks_options_free(table, to);
    memcpy(to, from, size);
    for (size_t i = 0; i < table.count; i++) {
        char **text = value_of(&table.options[i], to);
        if (table.options[i].type != VKS_OPTION_TEXT || !*text) {
            continue;
        }
        /* All, also after a failure: none may remain the text of `from`. */
        *text = result == VKS_OK ? vks_strdup(*text) : NULL;
        if (!*text) {
            result = vks_fail_memory();
        }
    }
    return result;
}

void vks_options_free(struct vks_option_table table, void *settings)
{
    for (size_t i = 0; i < table.count; i++) {
        if (table.options[i].type == VKS_OPTION_TEXT) {
            char **value = value_of(&table.options[i], settings);
            free(*value);
            *value = NULL;
        }
    }
}
