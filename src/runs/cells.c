/* SPDX-License-Identifier: MIT */
#include "runs/cells.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* --- owners ---------------------------------------------------------------------------------- */

/* Whether two values of an option are equal. */
static bool is_same(const struct vks_option *option, const void *a, const void *b)
{
    char first[VKS_VALUE_SIZE], second[VKS_VALUE_SIZE];
    return strcmp(vks_option_get(option, a, first, sizeof(first)),
                  vks_option_get(option, b, second, sizeof(second))) == 0;
}

/* Whether two settings lead to the same state in every frame. */
static bool is_same_state(const struct vks_settings *a, const struct vks_settings *b)
{
    const struct vks_option_table own = a->model->options;
    const size_t look = offsetof(struct vks_common, look);
    bool same = true;
    for (size_t i = 0; i < own.count && same; i++) {
        same = is_same(&own.options[i], a->own, b->own);
    }
    for (size_t i = 0; i < vks_common_options.count && same; i++) {
        const struct vks_option *option = &vks_common_options.options[i];
        const bool looks =
            option->offset >= look && option->offset < look + sizeof(struct vks_look);
        same = looks || is_same(option, &a->common, &b->common);
    }
    return same;
}

size_t *vks_cells_owners(const struct vks_settings *cells, size_t count)
{
    size_t *owners = calloc(count, sizeof(*owners));
    for (size_t i = 0; owners && i < count; i++) {
        size_t owner = 0;
        while (owner < i && (owners[owner] != owner || !is_same_state(&cells[owner], &cells[i]))) {
            owner++;
        }
        owners[i] = owner;
    }
    return owners;
}

/* --- steps ----------------------------------------------------------------------------------- */

uint64_t vks_cells_max_steps(const struct vks_settings *cells, size_t count)
{
    uint64_t max = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t steps = cells[i].common.steps_per_frame;
        max = steps > max ? steps : max;
    }
    return max;
}

uint64_t vks_cells_common_steps(const struct vks_settings *cells, size_t count)
{
    const uint64_t steps = cells[0].common.steps_per_frame;
    for (size_t i = 1; i < count; i++) {
        if (cells[i].common.steps_per_frame != steps) {
            return 0;
        }
    }
    return steps;
}

/* --- pictures -------------------------------------------------------------------------------- */

bool vks_cells_follow(const struct vks_settings *cells, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (cells[i].common.look.values.range.mode == VKS_RANGE_SMOOTH) {
            return true;
        }
    }
    return false;
}

struct vks_size vks_cell_picture(const struct vks_settings *cell)
{
    struct vks_size size;
    vks_picture_size(cell, &size.width, &size.height);
    return size;
}

enum vks_result vks_cells_check_pictures(const struct vks_settings *cells, size_t count)
{
    const struct vks_size first = vks_cell_picture(&cells[0]);
    for (size_t i = 1; i < count; i++) {
        const struct vks_size size = vks_cell_picture(&cells[i]);
        if (size.width != first.width || size.height != first.height) {
            return vks_fail(VKS_ERROR_USAGE,
                            "the pictures of a grid must all have one size, but one has "
                            "%ux%u pixels and another %ux%u; set --output-size",
                            first.width, first.height, size.width, size.height);
        }
    }
    return VKS_OK;
}

enum vks_result vks_cells_captions(const struct vks_settings *cells, const struct vks_vary *vary,
                                   struct vks_caption *captions)
{
    const bool differ = vks_cells_common_steps(cells, vary->count) == 0;
    struct vks_settings scratch;
    enum vks_result result = vks_settings_copy(&scratch, &cells[0]);
    for (size_t i = 0; result == VKS_OK && i < vary->count; i++) {
        const uint64_t steps = cells[i].common.steps_per_frame;
        vks_vary_caption(vary, &scratch, i, &captions[i]);
        if (differ) {
            snprintf(captions[i].note, sizeof(captions[i].note), "%" PRIu64 " step%s/frame", steps,
                     steps == 1 ? "" : "s");
        }
    }
    vks_settings_free(&scratch);
    return result;
}
