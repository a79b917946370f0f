/* SPDX-License-Identifier: MIT */
/* Commands that are recorded once and submitted repeatedly, timed by the host. */
#ifndef VKS_BENCH_COMMANDS_H
#define VKS_BENCH_COMMANDS_H

#include "gpu/buffer.h"

/* Zeroed: none. */
struct vks_commands {
    struct vks_gpu *gpu;
    VkCommandBuffer buffer;
};

/* Begins the recording, after the transfers and dispatches of earlier submissions. `name` is for
 * debuggers. After a failure the commands must still be freed. */
enum vks_result vks_commands_begin(struct vks_gpu *gpu, struct vks_commands *commands,
                                   const char *name);
/* A transfer's result is visible to later dispatches, and a dispatch's to later transfers. */
void vks_commands_barrier(const struct vks_commands *commands);
/* Ends the recording; the host sees what the commands have written. */
enum vks_result vks_commands_end(const struct vks_commands *commands);
/* Submits them and waits. *seconds: from the submission to the end of the wait. */
enum vks_result vks_commands_run(const struct vks_commands *commands, double *seconds);
/* The device must no longer use them. */
void vks_commands_free(struct vks_commands *commands);

#endif
