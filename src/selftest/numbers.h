/* SPDX-License-Identifier: MIT */
/* Numbers for tests: random ones, which vks_random has no part in, and the bits of floats. */
#ifndef VKS_SELFTEST_NUMBERS_H
#define VKS_SELFTEST_NUMBERS_H

#include <stdint.h>
#include <string.h>

/* splitmix64 */
static inline uint64_t next_word(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Uniform in [low, high). */
static inline double between(uint64_t *state, double low, double high)
{
    return low + (high - low) * ((double)(next_word(state) >> 11) * 0x1p-53);
}

static inline uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static inline float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

#endif
