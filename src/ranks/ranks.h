/* SPDX-License-Identifier: MIT */
/* How a process joins the ranks of a run. */
#ifndef VKS_RANKS_RANKS_H
#define VKS_RANKS_RANKS_H

#include "ranks/transport.h"

/* Joins the ranks that the text names, and waits for them: "local:NAME:INDEX/COUNT"
 * (ranks/local.h), or "mpi", those of MPI_COMM_WORLD, once in a process. VKS_ERROR_USAGE for
 * another text, and without the module for MPI. On success end it with its leave(). */
enum vks_result vks_ranks_join(const char *text, double patience, struct vks_transport *transport);

/* The rank of this process among those that mpirun has started, and their number; 1 if it has not
 * started any. */
uint32_t vks_mpi_count(uint32_t *index);
/* The rank among those of its host; `index`, its rank among all, where mpirun does not say. */
uint32_t vks_mpi_here(uint32_t index);

#endif
