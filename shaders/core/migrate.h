/* SPDX-License-Identifier: MIT */
/* Items that leave a rank's rows or arrive there (graph/migrate.c). */
#ifndef VKS_CORE_MIGRATE_H
#define VKS_CORE_MIGRATE_H

#include "lib/shared.h"

struct migrate_params {
    VKS_UINT room, message_room; /* items */
    VKS_UINT side;               /* rows of the whole grid */
    VKS_UINT first, rows;        /* own rows of the grid */
    VKS_UINT before, after;      /* of these, the neighbours' halos */
};

/* Words of NAME_alive. */
#define MIGRATE_ALIVE 0u /* items in memory: own ones and copies */
/* Counters, 0 between two exchanges. */
#define MIGRATE_OWN 1u
#define MIGRATE_BEFORE 2u /* copies for the neighbour before */
#define MIGRATE_AFTER 3u
/* Set by the host. */
#define MIGRATE_KEPT 4u /* own items, which come first */
#define MIGRATE_FROM_BEFORE 5u
#define MIGRATE_FROM_AFTER 6u
#define MIGRATE_WORDS 8u

#endif
