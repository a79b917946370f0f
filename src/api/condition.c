/* SPDX-License-Identifier: MIT */
#include "api/condition.h"

#include <stdio.h>
#include <string.h>

#include "sim/registry.h"

/* The option named by the first `length` characters. */
static const struct vks_option *find(const struct vks_model *model, const char *text, size_t length)
{
    char name[64];
    snprintf(name, sizeof(name), "%.*s", (int)length, text);
    const struct vks_option *option = vks_option_find(model->options, name);
    return option ? option : vks_option_find(vks_common_options, name);
}

static bool is_init(const struct vks_option *option)
{
    return option == VKS_COMMON_ROW(init);
}

const char *vks_condition_value(const struct vks_model *model, const struct vks_option *option,
                                uint32_t index)
{
    static const char *const none[] = {NULL};
    const char *const *values = is_init(option)                     ? vks_model_starts(model)
                                : option->type == VKS_OPTION_CHOICE ? option->choices
                                                                    : none;
    uint32_t i = 0;
    while (i < index && values[i]) {
        i++;
    }
    if (i < index) {
        return NULL;
    }
    return !values[i] && is_init(option) && model->starts_from_image ? "image" : values[i];
}

/* Adds the bit of the value named by the first `length` characters. */
static bool add_value(const struct vks_model *model, struct vks_condition *condition,
                      const char *text, size_t length)
{
    const char *value;
    for (uint32_t i = 0; i < 32 && (value = vks_condition_value(model, condition->option, i));
         i++) {
        if (strlen(value) == length && memcmp(value, text, length) == 0) {
            condition->values |= 1U << i;
            return true;
        }
    }
    return false;
}

bool vks_conditions_resolve(const struct vks_model *model, const struct vks_option *option,
                            struct vks_conditions *conditions)
{
    struct vks_condition *needs = &conditions->needs;
    *conditions = (struct vks_conditions){0};
    const char *at = option->needs;
    if (at) {
        const size_t length = strcspn(at, "=");
        needs->option = find(model, at, length);
        at = at[length] ? at + length + 1 : NULL;
        if (!needs->option) {
            return false;
        }
    }
    while (at) {
        const size_t length = strcspn(at, "|");
        if (!add_value(model, needs, at, length)) {
            return false;
        }
        at = at[length] ? at + length + 1 : NULL;
    }
    size_t count = 0;
    for (at = option->unless; at; count++) {
        const size_t length = strcspn(at, "|");
        if (count == VKS_MAX_UNLESS || !(conditions->unless[count] = find(model, at, length))) {
            return false;
        }
        at = at[length] ? at + length + 1 : NULL;
    }
    return true;
}

const void *vks_settings_values(const struct vks_settings *settings,
                                const struct vks_option *option)
{
    return vks_option_find(vks_common_options, option->name) == option
               ? (const void *)&settings->common
               : settings->own;
}

double vks_settings_number(const struct vks_settings *settings, const struct vks_option *option)
{
    const char *values = vks_settings_values(settings, option);
    if (option->same_as && !vks_option_is_set(option, values)) {
        option = vks_option_find(settings->model->options, option->same_as);
    }
    const void *value = values + option->offset;
    return option->type == VKS_OPTION_COUNT ? (double)*(const uint64_t *)value
                                            : *(const double *)value;
}

bool vks_condition_is_met(const struct vks_condition *condition,
                          const struct vks_settings *settings)
{
    const struct vks_option *option = condition->option;
    if (!option) {
        return true;
    }
    const struct vks_common *common = &settings->common;
    const void *values = vks_settings_values(settings, option);
    if (condition->values == 0) {
        return vks_option_is_on(option, values);
    }
    uint32_t value = common->start;
    if (!is_init(option)) {
        value = *(const uint32_t *)(const void *)((const char *)values + option->offset);
    } else if (common->from_image) {
        value = 0;
        while (vks_model_starts(settings->model)[value]) {
            value++;
        }
    }
    return condition->values >> value & 1U;
}

bool vks_option_has_effect(const struct vks_option *option, const struct vks_settings *settings)
{
    struct vks_conditions conditions;
    if (!vks_conditions_resolve(settings->model, option, &conditions) ||
        !vks_condition_is_met(&conditions.needs, settings)) {
        return false;
    }
    for (size_t i = 0; conditions.unless[i]; i++) {
        const struct vks_option *other = conditions.unless[i];
        if (vks_option_is_on(other, vks_settings_values(settings, other))) {
            return false;
        }
    }
    return true;
}
