/* SPDX-License-Identifier: MIT */
/* With the arguments --every N one case in N, on a driver that repeats what another has shown. */
#ifndef VKS_TESTS_GPU_SHARE_H
#define VKS_TESTS_GPU_SHARE_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static unsigned long share_every = 1, share_offered;

/* Called first, with those of main(). */
static inline void share_read(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "--every") == 0) {
        share_every = strtoul(argv[2], NULL, 10);
    }
}

/* Whether all cases run. */
static inline bool share_is_all(void)
{
    return share_every == 1;
}

/* Whether the next case runs. Called before each case. */
static inline bool share_due(void)
{
    return share_offered++ % share_every == 0;
}

#endif
