/* SPDX-License-Identifier: MIT */
/* The conditions under which an option has an effect: .needs and .unless of its row, resolved to
 * pointers. */
#ifndef VKS_API_CONDITION_H
#define VKS_API_CONDITION_H

#include "api/settings.h"

/* True while `option` is on, or while it has one of some values. */
struct vks_condition {
    const struct vks_option *option; /* of the simulation or common; NULL: there is no condition */
    uint32_t values; /* bits of its choices, or of the initial conditions; 0: any that is on */
};

enum { VKS_MAX_UNLESS = 4 };

struct vks_conditions {
    struct vks_condition needs;
    const struct vks_option *unless[VKS_MAX_UNLESS + 1]; /* NULL at the end */
};

/* Resolves the texts of the row. False if one names an unknown option, or a value that the option
 * does not have. */
bool vks_conditions_resolve(const struct vks_model *model, const struct vks_option *option,
                            struct vks_conditions *conditions);

/* True if the finished settings meet it, or if there is none. */
bool vks_condition_is_met(const struct vks_condition *condition,
                          const struct vks_settings *settings);

/* Whether the option has an effect with the finished settings, as .needs and .unless of its row
 * say.
 */
bool vks_option_has_effect(const struct vks_option *option, const struct vks_settings *settings);

/* Name of the option's value with that bit; NULL past the last. */
const char *vks_condition_value(const struct vks_model *model, const struct vks_option *option,
                                uint32_t index);

/* The structure of the settings in which the option's value is. */
const void *vks_settings_values(const struct vks_settings *settings,
                                const struct vks_option *option);
/* The number of a COUNT or REAL there; of one that follows another, the other's. */
double vks_settings_number(const struct vks_settings *settings, const struct vks_option *option);

#endif
