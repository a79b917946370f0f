/* SPDX-License-Identifier: MIT */
/* How a process joins the ranks of a run. */
#ifndef VKS_RANKS_RANKS_H
#define VKS_RANKS_RANKS_H

#include "ranks/transport.h"

/* Joins the ranks that the text names, "local:NAME:INDEX/COUNT" (ranks/local.h), and waits for
 * them. VKS_ERROR_USAGE for another text. On success end it with its leave(). */
enum vks_result vks_ranks_join(const char *text, double patience, struct vks_transport *transport);

#endif
