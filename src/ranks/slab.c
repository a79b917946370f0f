/* SPDX-License-Identifier: MIT */
#include "ranks/slab.h"

#include "base/error.h"

uint32_t vks_slab_first(uint32_t rows, uint32_t grain, uint32_t index, uint32_t count)
{
    const uint64_t grains = rows / grain;
    return index < count ? (uint32_t)(grains * index / count) * grain : rows;
}

enum vks_result vks_slab_of(uint32_t rows, uint32_t grain, uint32_t halo, bool closed,
                            uint32_t index, uint32_t count, struct vks_slab *slab)
{
    *slab = (struct vks_slab){0};
    if (count < 2) {
        return VKS_OK;
    }
    if (rows / grain < count || rows / grain / count * grain < halo) {
        return vks_fail(VKS_ERROR_USAGE,
                        "%u ranks need at least %u rows each, but the grid has %u; use fewer",
                        count, halo > grain ? halo : grain, rows);
    }
    slab->index = index;
    slab->count = count;
    slab->whole = rows;
    slab->first = vks_slab_first(rows, grain, index, count);
    slab->rows = vks_slab_first(rows, grain, index + 1, count) - slab->first;
    slab->crowding = 1;
    slab->before = closed && index == 0 ? 0 : halo;
    slab->after = closed && index + 1 == count ? 0 : halo;
    return VKS_OK;
}
