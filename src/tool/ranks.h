/* SPDX-License-Identifier: MIT */
/* --ranks: one run by several processes of this host. */
#ifndef VKS_TOOL_RANKS_H
#define VKS_TOOL_RANKS_H

#include "ranks/local.h"
#include "tool/cli.h"

/* The processes of a run; zeroed: there is one. */
struct vks_ranks {
    uint32_t index, count;
    bool mpi;        /* mpirun has started them */
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
/* The same of `count` ranks of a command other than a run. */
enum vks_result vks_ranks_fork(uint32_t count, struct vks_ranks *ranks);
/* Opens the device of the rank, the one that `devices`, the list of --devices, has for it; NULL: as
 * `params` say. `rank` need not have a text. */
enum vks_result vks_ranks_open(const struct vks_ranks *ranks, const char *devices,
                               const struct vks_gpu_params *params,
                               const struct vks_rank_params *rank, vks_context **context);
/* How the run uses its ranks, without a text. */
struct vks_rank_params vks_ranks_params(const struct vks_cli *cli);
/* The devices that vks_ranks_open() opens for ranks of this host. */
enum vks_result vks_ranks_devices(const struct vks_call *call, const char *devices, uint32_t count,
                                  struct vks_device_info infos[VKS_LOCAL_RANKS]);
/* Waits for the others in rank 0, after its context is closed. Returns `result`, or the failure of
 * one of them. */
enum vks_result vks_ranks_end(struct vks_ranks *ranks, enum vks_result result);
/* Prints the ranks of --dry-run, and what exchanges take if `vksim bench ranks` has measured it. */
enum vks_result vks_ranks_print(const struct vks_cli *cli);

#endif
