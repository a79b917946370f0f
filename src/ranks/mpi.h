/* SPDX-License-Identifier: MIT */
/* The module for MPI, which is loaded only by processes that mpirun has started: neither the tool
 * nor the library is linked to MPI, whose implementations have different ABIs. */
#ifndef VKS_RANKS_MPI_H
#define VKS_RANKS_MPI_H

#include "ranks/transport.h"

/* What the module calls. */
struct vks_mpi_host {
    /* Makes it the message of the failure, which it returns. */
    enum vks_result (*fail)(enum vks_result result, const char *text);
    /* Prints what ends all ranks. */
    void (*say)(const char *text);
};

/* The module's functions: its version, which must be the caller's, and what joins the ranks of
 * MPI_COMM_WORLD (ranks.h). */
typedef const char *vks_mpi_version_fn(void);
typedef enum vks_result vks_mpi_join_fn(const struct vks_mpi_host *host,
                                        struct vks_transport *transport);

#endif
