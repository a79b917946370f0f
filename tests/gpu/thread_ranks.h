/* SPDX-License-Identifier: MIT */
/* Ranks that are threads of one process: a transport that copies memory. Include it after
 * gpu_test.h. */
#ifndef VKS_TESTS_THREAD_RANKS_H
#define VKS_TESTS_THREAD_RANKS_H

#include <pthread.h>

#include "ranks/transport.h"

enum { MAX_RANKS = 4 };

/* What ranks have posted, and where they meet. */
struct thread_ranks {
    uint32_t count;
    const struct vks_trade *posted[MAX_RANKS];
    pthread_barrier_t meeting;
};

struct thread_rank {
    struct thread_ranks *all;
    uint32_t index;
    uint64_t trades, bytes; /* so far; received */
};

static inline enum vks_result thread_trade(void *user, const struct vks_trade *trade)
{
    struct thread_rank *rank = user;
    struct thread_ranks *all = rank->all;
    all->posted[rank->index] = trade;
    (void)pthread_barrier_wait(&all->meeting);
    for (uint32_t side = 0; side < VKS_SIDES; side++) {
        const uint32_t step = side == VKS_BEFORE ? all->count - 1 : 1;
        const struct vks_trade *other = all->posted[(rank->index + step) % all->count];
        const uint32_t facing = side == VKS_BEFORE ? VKS_AFTER : VKS_BEFORE;
        if (trade->bytes[side] > 0) {
            memcpy(trade->received[side], other->sent[facing], trade->bytes[side]);
        }
        rank->bytes += trade->bytes[side];
    }
    rank->trades++;
    (void)pthread_barrier_wait(&all->meeting);
    return VKS_OK;
}

#endif
