/* SPDX-License-Identifier: MIT */
/* Copies of fields for other APIs. A copy, because a field has two buffers whose roles alternate,
 * and its items may be sorted. */
#ifndef VKS_GRAPH_SHARE_H
#define VKS_GRAPH_SHARE_H

#include "graph/graph.h"

struct vks_share;

/* Allocates the copy of a field and the timeline semaphore of both APIs. The descriptors are the
 * caller's; *semaphore is -1 if the device cannot export one: the host waits then, and values are
 * 0. VKS_ERROR_DEVICE: the device cannot export memory; VKS_ERROR_USAGE: the field is in several
 * buffers. Destroy it before the graph. */
enum vks_result vks_share_create(struct vks_graph *graph, const char *field,
                                 struct vks_share **share, int *memory, int *semaphore);
void vks_share_destroy(struct vks_share *share); /* waits for the GPU; NULL is fine */

uint64_t vks_share_bytes(const struct vks_share *share); /* of the memory */

/* Both functions below begin on the GPU when the semaphore has reached `after`, and signal *value
 * at their end. */

/* Submits the copy of the field's current values. */
enum vks_result vks_share_update(struct vks_share *share, uint64_t after, uint64_t *value);

/* Copies the other way what is valid, as in a state file; floats are also flushed, in the copy
 * too. The GPU checks floats that must be finite or in a range. `take` checks and uploads the
 * values of other fields, and values that the GPU found bad; if it fails, the field stays as it
 * is, and nothing is signalled. */
enum vks_result vks_share_store(struct vks_share *share, uint64_t after,
                                enum vks_result (*take)(void *user, const void *data), void *user,
                                uint64_t *value);

#endif
