/* SPDX-License-Identifier: MIT */
/* Copies of everything that the next step or frame of a graph depends on, besides its declaration:
 * fields with their parity, the order of items, the clock. */
#ifndef VKS_GRAPH_SNAPSHOT_H
#define VKS_GRAPH_SNAPSHOT_H

#include "graph/graph.h"

/* What a snapshot holds of a field. */
enum vks_held {
    VKS_HOLDS_NOTHING, /* a table, which follows from the declaration, or a field that passes
                        * overwrite before they read it */
    VKS_HOLDS_CURRENT,
    VKS_HOLDS_BOTH, /* also the other buffer, to which atomics add */
};
enum vks_held vks_snapshot_holds(const struct vks_declaration *declaration, size_t field);

struct vks_graph_snapshot;

/* Allocates memory for a snapshot of the graph: the device's, or with `in_host` or if too little of
 * it is free, the host's. VKS_ERROR_MEMORY: neither has enough; the message says how many bytes it
 * takes. *snapshot is to be destroyed before the device is closed, and may outlive the graph. */
enum vks_result vks_graph_snapshot_create(struct vks_graph *graph, bool in_host,
                                          struct vks_graph_snapshot **snapshot);
/* Waits for work that uses it; NULL is fine. */
void vks_graph_snapshot_destroy(struct vks_graph_snapshot *snapshot);

/* Submits the copies of the graph's state after all steps submitted so far; does not wait. May be
 * repeated, which waits for the copies of the last time, while the graph has the fields for which
 * the snapshot was created. */
enum vks_result vks_graph_snapshot_take(struct vks_graph *graph,
                                        struct vks_graph_snapshot *snapshot);
/* Waits for submitted steps and copies the state back. The graph must have the fields of the one
 * that the snapshot was taken of: otherwise VKS_ERROR_USAGE, with nothing changed. Of a bound graph
 * only the fields that both have are copied. */
enum vks_result vks_graph_restore(struct vks_graph *graph,
                                  const struct vks_graph_snapshot *snapshot);

/* Gives the sink all persistent fields, as vks_graph_read_state() does. The snapshot may be in use,
 * on any thread; fields of sorted items take memory of their size while they are read. */
enum vks_result vks_graph_snapshot_read_state(const struct vks_graph_snapshot *snapshot,
                                              const struct vks_state_sink *sink);

uint64_t vks_graph_snapshot_steps(const struct vks_graph_snapshot *snapshot);
uint64_t vks_graph_snapshot_bytes(const struct vks_graph_snapshot *snapshot);
bool vks_graph_snapshot_in_host(const struct vks_graph_snapshot *snapshot);

#endif
