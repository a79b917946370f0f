// SPDX-License-Identifier: MIT
// Loop bodies written out, so that no loop counter is measured: drivers need not unroll a loop.
#ifndef VKS_BENCH_ROUNDS_GLSL
#define VKS_BENCH_ROUNDS_GLSL

#include "lib/pass.glsl"
#include "bench/bench.h"

#define TIMES4(step) step step step step
#define TIMES16(step) TIMES4(TIMES4(step))
#define TIMES32(step) TIMES16(step) TIMES16(step)

#endif
