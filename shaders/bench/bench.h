/* SPDX-License-Identifier: MIT */
/* Constants of the kernels that measure ceilings. They come from the host so that no compiler knows
 * them and shortens a loop. */
#ifndef VKS_BENCH_BENCH_H
#define VKS_BENCH_BENCH_H

#include "lib/shared.h"

struct bench_params {
    VKS_UINT count;       /* elements of the buffer: a power of two */
    VKS_UINT invocations; /* a multiple of 256 */
    VKS_UINT repeat;      /* rounds of the kernel's loop */
    VKS_UINT factor;      /* word w of a buffer is factor * w + addend; operands of arithmetic */
    VKS_UINT addend;
    VKS_UINT shift;  /* of BENCH_SCATTER */
    VKS_UINT stride; /* elements that an invocation moves from round to round */
};

/* A stride that reaches all parts of a small buffer, so that no workgroup stays in its own cache.
 */
#define BENCH_TURN 2654435744u

/* A permutation of the numbers up to mask = 2^m - 1, with shift = (m + 1) / 2, or at least 1:
 * neighbours are far apart. */
#define BENCH_SCATTER(x, mask, shift) \
    bench_mix(bench_mix((x) & (mask), 2654435769u, mask, shift), 2246822507u, mask, shift)

#ifndef __STDC__
uint bench_mix(uint x, uint odd, uint mask, uint shift)
{
    uint y = (x * odd) & mask;
    return y ^ (y >> shift);
}
#endif

#endif
