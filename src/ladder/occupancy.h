/* SPDX-License-Identifier: MIT */
/* Registers and shared memory of a rung's pipelines, as the driver reports them, and how many lanes
 * they let a device keep at a time. */
#ifndef VKS_LADDER_OCCUPANCY_H
#define VKS_LADDER_OCCUPANCY_H

#include "ladder/ladder.h"
#include "ladder/trace.h"

/* What one multiprocessor has. Vulkan does not tell it, except for lanes on NVIDIA's devices. */
struct vks_multiprocessor {
    uint32_t lanes, registers, shared_bytes;
    bool lanes_known; /* the others are assumed */
};

struct vks_occupancy {
    uint32_t registers;           /* per lane; 0: not reported */
    uint32_t spilled;             /* bytes of scratch memory per lane */
    uint32_t shared_bytes, lanes; /* of a workgroup */
};

/* Lanes of whole workgroups that fit into a multiprocessor. *limit: what limits them. */
uint32_t vks_occupancy_lanes(const struct vks_multiprocessor *has,
                             const struct vks_occupancy *needs, const char **limit);

enum { VKS_OCCUPANCY_TEXT = 384 };

/* Two lines for each pass of the rung, numbered as traced passes are: what it needs, and what is
 * assumed of the device, which must be opened with vks_gpu_params.statistics for registers. */
enum vks_result vks_occupancy_describe(struct vks_gpu *gpu, const struct vks_ladder_task *task,
                                       char (*texts)[VKS_OCCUPANCY_TEXT]);

#endif
