/* SPDX-License-Identifier: MIT */
/* The headers as C11, each on its own and together. */
#include <vksim/model.h>
#include <vksim/result.h>
#include <vksim/vksim.h>

int main(void)
{
    const struct vks_context_params context = VKS_CONTEXT_PARAMS();
    const struct vks_simulation_params simulation = VKS_SIMULATION_PARAMS(.width = 7);
    return context.size == sizeof(context) && simulation.width == 7 && vks_version()[0] != '\0' ? 0
                                                                                                : 1;
}
