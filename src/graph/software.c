/* SPDX-License-Identifier: MIT */
#include "graph/software.h"

#include "gpu/device.h"

struct vks_software vks_software_of(const struct vks_gpu *gpu)
{
    if (gpu->info.type != VKS_DEVICE_SOFTWARE) {
        return (struct vks_software){0};
    }
    return (struct vks_software){.driver = true,
                                 .one_by_one = true,
                                 .texels = gpu->properties.limits.maxTexelBufferElements};
}
