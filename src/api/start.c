/* SPDX-License-Identifier: MIT */
#include "api/start.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "sim/registry.h"
#include "io/image.h"

/* What was probably meant: a start, or an image without its prefix. */
static const char *suggestion(const struct vks_model *model, const char *init, char *text,
                              size_t size)
{
    static const char *const extensions[] = {".png", ".jpg", ".jpeg", NULL};
    for (size_t i = 0; model->starts_from_image && extensions[i]; i++) {
        if (vks_has_extension(init, extensions[i])) {
            snprintf(text, size, " (did you mean 'image:%s'?)", init);
            return text;
        }
    }
    return vks_did_you_mean(init, vks_model_starts(model), text, size);
}

enum vks_result vks_start_parse(const struct vks_model *model, struct vks_common *common)
{
    const char *image = vks_image_file(common->init);
    const char *const *starts = vks_model_starts(model);
    common->start = 0;
    common->from_image = model->starts_from_image && image && image[0];
    while (!common->from_image && starts[common->start] &&
           strcmp(starts[common->start], common->init) != 0) {
        common->start++;
    }
    if (starts[common->start]) {
        return VKS_OK;
    }
    char list[512], meant[512];
    return vks_fail_option(VKS_ERROR_USAGE, "init", "'%s' is not one of: %s%s%s", common->init,
                           vks_join(starts, list, sizeof(list)),
                           model->starts_from_image ? ", image:FILE" : "",
                           suggestion(model, common->init, meant, sizeof(meant)));
}

const char *vks_start_image(const struct vks_common *common)
{
    return common->from_image ? vks_image_file(common->init) : NULL;
}

/* The nearest multiple of 8: rows of video are then aligned, and float16 needs an even width. */
static uint32_t rounded_side(double side)
{
    const uint32_t unit = 8, max_side = 65536;
    const double units = floor(side / unit + 0.5);
    return units < 1 ? unit : units > max_side / unit ? max_side : (uint32_t)units * unit;
}

enum vks_result vks_settings_take_image_size(struct vks_settings *settings)
{
    struct vks_common *common = &settings->common;
    uint32_t width, height;
    enum vks_result result = vks_start_parse(settings->model, common);
    const char *image = result == VKS_OK ? vks_start_image(common) : NULL;
    if (!image || settings->has_size) {
        return VKS_OK; /* a bad `init` is refused later, because a cell may replace it */
    }
    result = vks_image_size(image, &width, &height);
    if (result == VKS_OK) {
        const double cells = 1 << 20;
        common->size.width = rounded_side(sqrt(cells * width / height));
        common->size.height = rounded_side(sqrt(cells * height / width));
        common->size.depth = 1;
    }
    return result;
}
