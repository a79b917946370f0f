/* SPDX-License-Identifier: MIT */
/* What one rank sees of the others. */
#ifndef VKS_RANKS_TRANSPORT_H
#define VKS_RANKS_TRANSPORT_H

#include <stddef.h>

#include <vksim/result.h>

enum { VKS_BEFORE, VKS_AFTER, VKS_SIDES };

/* What goes to the neighbour on each side and comes from it: as many bytes in both directions; 0:
 * there is no neighbour. The first rank and the last may be neighbours, and a rank may be its
 * neighbour's neighbour on both sides. */
struct vks_trade {
    const void *sent[VKS_SIDES];
    void *received[VKS_SIDES];
    size_t bytes[VKS_SIDES];
};

struct vks_transport {
    /* Collective: returns once the neighbours' data are here and the own may be changed. An error
     * on one rank is one on all of them. */
    enum vks_result (*trade)(void *user, const struct vks_trade *trade);
    void *user;
};

#endif
