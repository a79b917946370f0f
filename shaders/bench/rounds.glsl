// SPDX-License-Identifier: MIT
// Unrolled loop bodies: a driver may not unroll loops, and the loop counter would then be measured.
#ifndef VKS_BENCH_ROUNDS_GLSL
#define VKS_BENCH_ROUNDS_GLSL

#include "lib/pass.glsl"
#include "bench/bench.h"

#define TIMES4(step) step step step step
#define TIMES16(step) TIMES4(TIMES4(step))
#define TIMES32(step) TIMES16(step) TIMES16(step)

#endif
