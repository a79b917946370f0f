/* SPDX-License-Identifier: MIT */
/* Ranks that are processes of one host, which share memory. */
#ifndef VKS_RANKS_LOCAL_H
#define VKS_RANKS_LOCAL_H

#include "ranks/transport.h"

enum { VKS_LOCAL_RANKS = 64 }; /* max */

/* Joins the ranks that use the same name, and waits for them. `name`: letters, digits and '-'.
 * `patience`: seconds that this and other calls wait for another rank; INFINITY: for ever.
 * VKS_ERROR_USAGE: the ranks disagree about their number, or a rank is taken; VKS_ERROR_GPU: not
 * all ranks came. On success end it with its leave(), from the same thread. */
enum vks_result vks_local_join(const char *name, uint32_t index, uint32_t count, double patience,
                               struct vks_transport *transport);
/* Removes what is left of ranks that have not all come. */
void vks_local_forget(const char *name);

#endif
