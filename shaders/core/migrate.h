/* SPDX-License-Identifier: MIT */
/* Items that leave a rank's rows or arrive there (graph/migrate.c). */
#ifndef VKS_CORE_MIGRATE_H
#define VKS_CORE_MIGRATE_H

#include "lib/shared.h"

struct migrate_params {
    VKS_UINT message_room, moved_room; /* items */
    VKS_UINT side;                     /* rows of the whole grid */
    VKS_UINT first, rows;              /* own rows of the grid */
    VKS_UINT before, after;            /* of these, the neighbours' halos */
};

/* Words of NAME_alive. */
#define MIGRATE_ALIVE 0u /* items in memory: own ones and copies of others' */
/* Counters, 0 before an exchange. */
#define MIGRATE_BEFORE 1u /* copies for the neighbour before */
#define MIGRATE_AFTER 2u
#define MIGRATE_DROPPED 3u /* items in memory that are not own */
#define MIGRATE_LOST 10u   /* 1: items moved further than the rows of a halo */
/* Counters of the passes after it, which begin at 0. */
#define MIGRATE_FREE 4u  /* places in memory for those that arrive or move */
#define MIGRATE_MOVED 5u /* own items beyond the new end of memory */
/* Set by the host. */
#define MIGRATE_WAS 6u /* items in memory before those that arrive */
#define MIGRATE_FROM_BEFORE 7u
#define MIGRATE_FROM_AFTER 8u
#define MIGRATE_DROPPED_BEFORE 9u /* MIGRATE_DROPPED, of the exchange */
#define MIGRATE_WORDS 12u

#endif
