/* SPDX-License-Identifier: MIT */
/* Constants of the rungs of scan (src/ladder/kernels/scan.c). */
#ifndef VKS_LADDER_SCAN_H
#define VKS_LADDER_SCAN_H

#include "lib/shared.h"

#define SCAN_TILE 4096u /* of the rung `several`: 256 lanes with 4 x 4 words each */

struct scan_rung_params {
    VKS_UINT count; /* words to scan */
    VKS_UINT shift; /* doubling: 1 in the first pass, which makes the sums exclusive, then 0 */
    VKS_UINT reach; /* doubling: words that are added; add: words per start */
};

#endif
