/* SPDX-License-Identifier: MIT */
/* What one rank sees of the others. */
#ifndef VKS_RANKS_TRANSPORT_H
#define VKS_RANKS_TRANSPORT_H

#include <stdbool.h>
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
    size_t
        used[VKS_SIDES]; /* bytes of the messages that are sent next; the neighbours' may differ */
    void *own;           /* the transport's */
};

/* Memory of all ranks, each of which writes a part. Two take turns, as those of messages. */
struct vks_shared_memory {
    const uint64_t *firsts; /* bytes before the part of each rank, and of all; multiples of 4 */
    void *memory[VKS_TURNS];
    void *own; /* the transport's */
};

enum vks_combining { VKS_HIGHEST, VKS_SUM };
enum { VKS_MAX_COMBINED = 24 };

/* The functions are collective: all ranks call them in the same order. What fails on one rank fails
 * on all of them, with a message that names it. */
struct vks_transport {
    uint32_t index, count;     /* of this rank, and of all */
    uint32_t here, here_count; /* of this rank among those of its host, and of these */
    /* Provides memory for `bytes`, each in whole pages, so that devices can import it
     * (vks_external_import()). Close it before the transport ends, also after a failure. */
    enum vks_result (*open)(void *user, struct vks_mail *mail);
    void (*close)(void *user, struct vks_mail *mail);
    /* Sends the messages of a turn, which the device has written, and returns when those of the
     * neighbours are here. By then the neighbours have also read the messages of the turn before
     * the last, if each has waited for its device before this call. *stop: whether this rank asks
     * all of them to stop; afterwards, whether they stop now, which comes some calls later, and for
     * all of them at the same one. */
    enum vks_result (*trade)(void *user, const struct vks_mail *mail, uint32_t turn, bool *stop);
    /* Takes bytes from rank `from` to rank 0: the others do nothing. */
    enum vks_result (*hand)(void *user, uint32_t from, void *data, size_t bytes);
    /* Makes each value, at most VKS_MAX_COMBINED, the highest of all ranks', or their sum. */
    enum vks_result (*combine)(void *user, enum vks_combining how, uint64_t *values, size_t count);
    /* Provides memory for the parts of all ranks, which give the same `firsts`, in whole pages.
     * Close it as a mail. */
    enum vks_result (*open_shared)(void *user, struct vks_shared_memory *shared);
    void (*close_shared)(void *user, struct vks_shared_memory *shared);
    /* Returns when the parts of all ranks are in the memory of a turn. By then all have also read
     * that of the last call, if each has waited for its device before this one; so turns alternate,
     * or another collective call lies between. */
    enum vks_result (*share)(void *user, const struct vks_shared_memory *shared, uint32_t turn);
    void (*set_patience)(void *user, double seconds); /* of waiting for a silent rank */
    /* The others, and this rank's later calls, fail with this message. */
    void (*fail)(void *user, const char *why);
    /* The others fail with this message if they wait for this rank; NULL: with one that says that
     * it has ended. */
    void (*leave)(void *user, const char *why);
    void *user;
};

#endif
