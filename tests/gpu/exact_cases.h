/* SPDX-License-Identifier: MIT */
/* The functions of shaders/lib/exact.glsl and fixed.glsl by number, for exact.comp and
 * test_exact_gpu.c. */
#define EXACT_FLUSH 0
#define EXACT_RECIPROCAL 1
#define EXACT_DIVIDE 2
#define EXACT_SQRT 3
#define EXACT_SINCOS 4
#define EXACT_EXP2 5
#define EXACT_LOG2 6
#define EXACT_EXP 7
#define EXACT_LOG 8
#define EXACT_POW 9
#define EXACT_RANDOM 10
#define EXACT_HIGH 11
#define EXACT_DISPLACEMENT 12
#define EXACT_POWER_OF_TWO 13
#define EXACT_FIXED_ADD 14
#define EXACT_FIXED_SUBTRACT 15
#define EXACT_FIXED_NEGATE 16
#define EXACT_FIXED 17
#define EXACT_FROM_FIXED 18
#define EXACT_LIMBS 19
#define EXACT_CARRIED 20
#define EXACT_FROM_LIMBS 21
