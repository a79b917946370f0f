/* SPDX-License-Identifier: MIT */
/* What the models are and have, as data. */
#include <vksim/vksim.h>

#include "api/settings.h"
#include "api/sized.h"
#include "sim/registry.h"
#include "view/colormap.h"

const char *vks_model_name(size_t index)
{
    const struct vks_model *model = vks_model_at(index);
    return model ? model->name : NULL;
}

const char *vks_model_summary(const char *name)
{
    const struct vks_model *model = vks_model_find(name);
    return model ? model->summary : NULL;
}

const char *vks_model_preset(const char *name, size_t index, const char **summary)
{
    const struct vks_model *model = vks_model_find(name);
    const struct vks_preset *presets = model ? vks_model_presets(model) : NULL;
    for (size_t i = 0; presets && presets[i].name; i++) {
        if (i == index) {
            if (summary) {
                *summary = presets[i].summary;
            }
            return presets[i].name;
        }
    }
    return NULL;
}

const char *vks_model_view(const char *name, size_t index, const char **help)
{
    const struct vks_model *model = vks_model_find(name);
    for (size_t i = 0; model && model->views[i].name; i++) {
        if (i == index) {
            if (help) {
                *help = model->views[i].help;
            }
            return model->views[i].name;
        }
    }
    return NULL;
}

const char *vks_model_init(const char *name, size_t index)
{
    const struct vks_model *model = vks_model_find(name);
    const char *const *starts = model ? vks_model_starts(model) : NULL;
    for (size_t i = 0; starts && starts[i]; i++) {
        if (i == index) {
            return starts[i];
        }
    }
    return NULL;
}

const char *vks_colormap_name(size_t index)
{
    for (size_t i = 0; vks_colormap_names[i]; i++) {
        if (i == index) {
            return vks_colormap_names[i];
        }
    }
    return NULL;
}

bool vks_model_option(const char *name, size_t index, struct vks_option_info *info)
{
    const struct vks_model *model = info ? vks_model_find(name) : NULL;
    if (!model) {
        return false;
    }
    struct vks_option_table table = model->options;
    if (index >= table.count) {
        index -= table.count;
        table = vks_common_options;
    }
    if (index >= table.count) {
        return false;
    }
    const struct vks_option *option = &table.options[index];
    double low, high;
    vks_option_soft_range(option, &low, &high);
    const struct vks_option_info known = {
        .name = option->name,
        .help = option->help,
        .unit = option->unit ? option->unit : "",
        .default_text = option->default_text,
        .same_as = option->same_as,
        .choices = option->choices,
        .min = option->min,
        .max = option->max,
        .type = option->type,
        .change = option->change,
        .heading = vks_option_heading(table, option),
        .soft_min = low,
        .soft_max = high,
        .logarithmic = option->logarithmic,
    };
    return vks_give_sized(info, &known, sizeof(known)) == VKS_OK;
}
