/* SPDX-License-Identifier: MIT */
/* Radix sorts: what the kernels with and without values share. */
#ifndef VKS_LADDER_RADIX_H
#define VKS_LADDER_RADIX_H

#include "ladder/ladder.h"
#include "ladder/sort.h"

#define VKS_SORT_SIZES "1048576,16777216,100000000"
#define VKS_SORT_SOFTWARE_SIZES "4096,32768"
#define VKS_SORT_AWKWARD_SIZES "1,2049,8191"

/* How a rung sorts by digits. */
struct vks_radix {
    uint32_t bits; /* of a digit */
    uint32_t tile; /* items of a workgroup */
    uint32_t lanes;
    const char *count, *move; /* shaders */
    uint32_t subgroup;        /* size, or 0 */
    const struct vks_specialization *specializations;
    uint32_t shared_bytes; /* of `move` */
    bool keys;             /* without values */
};

/* Fills `source` with keys, and if these are not alone `source_values` with their numbers. */
void vks_radix_fill(const struct vks_ladder_task *task, bool keys,
                    struct vks_declaration *declaration);

/* Each pass counts a digit per tile, scans the counts and moves the items, from and to `source`,
 * `spare`, `result`, `spare`, ... `result`. */
void vks_radix_declare(const struct vks_ladder_task *task, const struct vks_radix *radix,
                       struct vks_declaration *declaration);

/* The tuned sort with digits of 8 bits. */
extern const struct vks_rung_space vks_radix8_space;
void vks_radix8_declare(const struct vks_gpu *gpu, const struct vks_ladder_task *task, bool keys,
                        struct vks_declaration *declaration);

#endif
