/* SPDX-License-Identifier: MIT */
/* --ranks: one run by several processes of this host. */
#ifndef VKS_TOOL_RANKS_H
#define VKS_TOOL_RANKS_H

#include "tool/cli.h"

/* The processes of a run; zeroed: there is one. */
struct vks_ranks {
    uint32_t index, count;
    long *processes; /* of the other ranks, in rank 0 */
    char name[48];
};

/* Checks what can be checked without a device, and gives the first cell the rows of rank 0.
 * VKS_ERROR_USAGE for what does not run on several ranks. */
enum vks_result vks_ranks_check(struct vks_cli *cli);
/* VKS_ERROR_USAGE for a command that runs in one process, in several that mpirun has started. */
enum vks_result vks_ranks_refuse(const struct vks_call *call);
/* Starts the other ranks: returns in each of them, too, which stay silent, write no files and
 * ignore interrupts. Call it before a device is opened and threads are started. */
enum vks_result vks_ranks_start(struct vks_cli *cli, struct vks_ranks *ranks);
/* Opens the device of the rank. */
enum vks_result vks_ranks_open(const struct vks_cli *cli, const struct vks_ranks *ranks,
                               const struct vks_gpu_params *params, vks_context **context);
/* Waits for the others in rank 0, after its context is closed. Returns `result`, or the failure of
 * one of them. */
enum vks_result vks_ranks_end(struct vks_ranks *ranks, enum vks_result result);
/* Prints the ranks of --dry-run. */
void vks_ranks_print(const struct vks_cli *cli);

#endif
