/* SPDX-License-Identifier: MIT */
#include "tool/small.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/log.h"
#include "runs/grid.h"

static const double max_cells = 512 * 512;
static const uint64_t max_bytes = UINT64_C(20) << 20;

/* Whether the picture, if its size is given, and the sides of the field divided by 2^halvings are
 * set; false: the field cannot be smaller. */
static bool reduce(struct vks_settings *small, unsigned halvings)
{
    const struct vks_size size = small->common.size;
    const struct vks_part *part = &small->common.look.values.part;
    const double share = sqrt(max_cells / ((double)part->out_width * part->out_height));
    const uint32_t sides[] = {size.width >> halvings, size.height >> halvings,
                              size.depth > 1 ? size.depth >> halvings : 1};
    char text[64];
    snprintf(text, sizeof(text), "%" PRIu32 "x%" PRIu32, (uint32_t)(part->out_width * share) & ~1U,
             (uint32_t)(part->out_height * share) & ~1U);
    if (small->common.look.output_size && share < 1 &&
        !vks_settings_set_since(small, VKS_COMMON_ROW(look.output_size)) &&
        vks_settings_set(small, "output-size", text) != VKS_OK) {
        return false;
    }
    const int length = snprintf(text, sizeof(text), "%" PRIu32 "x%" PRIu32, sides[0], sides[1]);
    if (size.depth > 1) {
        snprintf(text + length, sizeof(text) - (size_t)length, "x%" PRIu32, sides[2]);
    }
    return sides[0] > 0 && sides[1] > 0 && sides[2] > 0 &&
           (halvings == 0 || vks_settings_set(small, VKS_COMMON_ROW(size)->name, text) == VKS_OK) &&
           vks_settings_finish(small) == VKS_OK;
}

static enum vks_result measure(const struct vks_settings *settings, bool *fits)
{
    const struct vks_size size = settings->common.size;
    const struct vks_vary none = {.count = 0};
    struct vks_grid *grid = NULL;
    uint64_t bytes = 0;
    enum vks_result result = vks_grid_create(settings, &none, &grid);
    if (result == VKS_OK) {
        result = vks_grid_bytes(grid, 0, &bytes);
    }
    vks_grid_destroy(grid);
    *fits = bytes <= max_bytes && (double)size.width * size.height * size.depth <= max_cells;
    return result;
}

enum vks_result vks_make_small(struct vks_settings *settings)
{
    enum vks_result result = VKS_OK;
    for (unsigned halvings = 0; halvings < 16 && result == VKS_OK; halvings++) {
        struct vks_settings small = {0};
        bool fits = false;
        result = vks_settings_copy(&small, settings);
        if (result != VKS_OK || !reduce(&small, halvings)) {
            vks_settings_free(&small);
            return result;
        }
        result = measure(&small, &fits);
        if (result == VKS_OK && fits) {
            char size[64];
            vks_settings_free(settings);
            *settings = small;
            if (halvings > 0) {
                vks_message(
                    VKS_LOG_INFO,
                    "the field has %s cells on this software driver; --size sets another "
                    "size",
                    vks_option_get(VKS_COMMON_ROW(size), &small.common, size, sizeof(size)));
            }
            return VKS_OK;
        }
        vks_settings_free(&small);
    }
    return result;
}
