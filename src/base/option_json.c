/* SPDX-License-Identifier: MIT */
#include "base/option_json.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/number.h"

static json_t *list_to_json(const struct vks_list *list)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < list->count; i++) {
        if (json_array_append_new(array, json_real(list->values[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

/* The numbers of an array; 0 if it is not one, is empty, too long or contains something else. */
static size_t list_from_json(const json_t *array, double values[VKS_MAX_LIST])
{
    const size_t count = json_array_size(array);
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(array, i);
        if (i == VKS_MAX_LIST || !json_is_number(value)) {
            return 0;
        }
        values[i] = json_number_value(value);
    }
    return count;
}

static json_t *value_of(const struct vks_option *option, const void *settings)
{
    const void *value = (const char *)settings + option->offset;
    const struct vks_list *list = vks_option_list(option, settings);
    char text[64];
    switch (option->type) {
    case VKS_OPTION_FLAG:
        return json_boolean(*(const bool *)value);
    case VKS_OPTION_COUNT:
        return json_integer((json_int_t) * (const uint64_t *)value);
    case VKS_OPTION_REAL:
        return list                                  ? list_to_json(list)
               : vks_option_is_set(option, settings) ? json_real(*(const double *)value)
                                                     : json_string(option->same_as);
    case VKS_OPTION_TEXT:
    case VKS_OPTION_CHOICE:
    case VKS_OPTION_SIZE:
        return json_string(vks_option_get(option, settings, text, sizeof(text)));
    }
    return NULL;
}

enum vks_result vks_options_to_json(struct vks_option_table table, const void *settings,
                                    json_t *object)
{
    for (size_t i = 0; i < table.count; i++) {
        const struct vks_option *option = &table.options[i];
        if ((option->flags & VKS_OPTION_UNSAVED) ||
            (!vks_option_is_set(option, settings) && !option->same_as)) {
            continue;
        }
        json_t *value = value_of(option, settings);
        if (!value && option->type == VKS_OPTION_TEXT &&
            !vks_is_utf8(*(char *const *)((const char *)settings + option->offset))) {
            return vks_fail_option(VKS_ERROR_FILE, option->name,
                                   "cannot be written as JSON: it must be UTF-8");
        }
        if (!value || json_object_set_new(object, option->name, value) != 0) {
            return vks_fail_memory();
        }
    }
    return VKS_OK;
}

enum vks_result vks_fail_in(const char *source, enum vks_result result)
{
    return result == VKS_OK || !source ? result
                                       : vks_fail(result, "'%s': %s", source, vks_error_text());
}

enum vks_result vks_option_from_json(const struct vks_option *option, void *settings,
                                     const json_t *value, const char *source)
{
    const bool may_be_list = option->flags & VKS_OPTION_LIST;
    double list[VKS_MAX_LIST];
    const size_t count = may_be_list ? list_from_json(value, list) : 0;
    char number[64] = "";
    const char *text = number;
    enum vks_result result = VKS_OK;
    if (json_is_null(value) && !option->default_text && option->type != VKS_OPTION_FLAG) {
        return vks_options_reset((struct vks_option_table){option, 1}, settings);
    }
    if (json_is_string(value)) {
        text = json_string_value(value);
    } else if (json_is_boolean(value)) {
        text = json_is_true(value) ? "true" : "false";
    } else if (json_is_integer(value)) {
        snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    } else if (json_is_real(value)) {
        vks_format_real(json_real_value(value), number, sizeof(number));
    } else if (count == 0) {
        return vks_fail_in(source,
                           vks_fail(VKS_ERROR_USAGE, "\"%s\" must be %s", option->name,
                                    may_be_list ? "a number, an array of up to 8 numbers, or a "
                                                  "string"
                                                : "a number, a string, true or false"));
    }
    if (count > 0) {
        result = vks_option_set_list(option, settings, list, count);
    } else if (json_is_real(value) && option->type == VKS_OPTION_REAL) {
        result = vks_option_set_real(option, settings, json_real_value(value));
    } else {
        result = vks_option_set(option, settings, text);
    }
    return vks_fail_in(source, result);
}
