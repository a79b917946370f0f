/* SPDX-License-Identifier: MIT */
/* What one rank sees of the others. */
#ifndef VKS_RANKS_TRANSPORT_H
#define VKS_RANKS_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>

#include <vksim/result.h>

enum { VKS_BEFORE, VKS_AFTER, VKS_SIDES };
enum { VKS_TURNS = 2 };
enum { VKS_PAGE = 4096 }; /* to which devices align what they import, on all that are known */

/* Memory of messages to and from the neighbours. Two take turns: that of the last message may still
 * be read while the next is written. */
struct vks_mail {
    /* As many bytes go to the neighbour on a side as come from it; 0: there is no neighbour. The
     * sides with one have the same size. The first rank and the last may be neighbours, and a rank
     * may be its neighbour's neighbour on both sides. */
    size_t bytes[VKS_SIDES];
    void *sent[VKS_TURNS][VKS_SIDES], *received[VKS_TURNS][VKS_SIDES];
};

/* The functions are collective: all ranks call them in the same order. What fails on one rank fails
 * on all of them, with a message that names it. */
struct vks_transport {
    /* Provides memory for `bytes`, each in whole pages, so that devices can import it
     * (vks_external_import()). It stays until the transport ends. */
    enum vks_result (*open)(void *user, struct vks_mail *mail);
    /* Sends the messages of a turn, which the device has written, and returns when those of the
     * neighbours are here. By then the neighbours have also read the messages of the turn before
     * the last, if each has waited for its device before this call. */
    enum vks_result (*trade)(void *user, const struct vks_mail *mail, uint32_t turn);
    void *user;
};

#endif
