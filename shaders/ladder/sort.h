/* SPDX-License-Identifier: MIT */
/* Constants and keys of the kernel sort (src/ladder/kernels/sort.c). */
#ifndef VKS_LADDER_SORT_H
#define VKS_LADDER_SORT_H

#include "lib/shared.h"

#define SORT_TILE 2048u /* items of a workgroup of the rungs `bitonic` and `radix-4` */

struct sort_rung_params {
    VKS_UINT count;  /* items */
    VKS_UINT tiles;  /* workgroups of a pass of a radix sort */
    VKS_UINT shift;  /* of its digit */
    VKS_UINT span;   /* bitonic: items of the sequences that are merged */
    VKS_UINT apart;  /* bitonic: distance of the items that are compared; 0: mirrored */
    VKS_UINT addend; /* of SORT_KEY */
};

/* The key of item number i: 32 pseudorandom bits. Each key occurs twice. */
#define SORT_MIX(x) (((x) ^ ((x) >> 16)) * 2146121005u)
#define SORT_KEY(i, count, addend) \
    SORT_MIX(SORT_MIX(((i) % (((count) + 1u) / 2u)) * 2654435769u + (addend)))

#endif
