/* SPDX-License-Identifier: MIT */
/* Most sums have a closed form: factor * (words of the buffer) is 0 modulo 2^32, so that an index
 * need not be wrapped. */
#include "bench/expected.h"

#include <string.h>

/* 0 + 1 + ... + (n - 1), modulo 2^32. */
static uint32_t sum_below(uint32_t n)
{
    return (uint32_t)((uint64_t)n * (n - (n > 0)) / 2);
}

uint32_t vks_expected_content(const struct vks_kernel *kernel, uint64_t index)
{
    return (uint32_t)index * kernel->params.factor + kernel->params.addend;
}

uint32_t vks_expected_read(const struct vks_kernel *kernel, uint64_t index)
{
    const struct bench_params *p = &kernel->params;
    const uint32_t quarter = p->count / 4;
    /* Element e, of 16 bytes, contributes factor * (16 e + 6) + 4 * addend. */
    const uint32_t elements = p->repeat * (uint32_t)index + p->stride * sum_below(p->repeat);
    return p->factor * (64 * elements + p->repeat * (96 * quarter + 24)) +
           16 * p->repeat * p->addend;
}

uint32_t vks_expected_shared(const struct vks_kernel *kernel, uint64_t index)
{
    const struct bench_params *p = &kernel->params;
    const uint32_t lane = (uint32_t)index % 256;
    uint32_t elements = p->repeat * (16 * lane + 32 * sum_below(16));
    for (uint32_t k = 0; k < p->repeat; k++) {
        elements += 16 * ((96 * k) % 256);
    }
    return p->factor * (16 * elements + 96 * p->repeat) + 64 * p->repeat * p->addend;
}

/* Eight chains from (i mod 256) + 0 to 7, each counting 32 a round. */
uint32_t vks_expected_float32(const struct vks_kernel *kernel, uint64_t index)
{
    const uint32_t steps = 32 * kernel->params.repeat;
    return 8 * ((uint32_t)index % 256) + 28 + 8 * steps * kernel->params.addend;
}

/* Eight sums from 0 to 7, to which a round adds 16 products of `count` terms; as float32. */
uint32_t vks_expected_matrix(const struct vks_kernel *kernel, uint64_t index)
{
    const struct bench_params *p = &kernel->params;
    const float sum = (float)(28 + 8 * 16 * p->repeat * p->count * p->factor * p->addend);
    uint32_t bits;
    (void)index;
    memcpy(&bits, &sum, sizeof(bits));
    return bits;
}

/* Eight pairs, each counting 512 a round. */
uint32_t vks_expected_float16(const struct vks_kernel *kernel, uint64_t index)
{
    (void)index;
    return 16 * 512 * kernel->params.repeat * kernel->params.addend;
}

uint32_t vks_expected_int32(const struct vks_kernel *kernel, uint64_t index)
{
    /* x -> a x + b, `steps` times, by squaring. */
    uint32_t a = kernel->params.factor, b = kernel->params.addend, power = 1, rest = 0;
    for (uint32_t steps = 32 * kernel->params.repeat; steps > 0; steps /= 2) {
        if (steps % 2) {
            rest = a * rest + b;
            power *= a;
        }
        b = a * b + b;
        a *= a;
    }
    return power * (8 * (uint32_t)index + sum_below(8)) + 8 * rest;
}

uint32_t vks_expected_int32_add(const struct vks_kernel *kernel, uint64_t index)
{
    /* (x, y) -> (x + y, x + 2 y), `steps` times: powers of a symmetric matrix (a, b; b, d). */
    uint32_t a = 1, b = 1, d = 2, x = 4 * (uint32_t)index + sum_below(4);
    uint32_t y = 4 * kernel->params.addend;
    for (uint32_t steps = 32 * kernel->params.repeat; steps > 0; steps /= 2) {
        if (steps % 2) {
            const uint32_t next = a * x + b * y;
            y = b * x + d * y;
            x = next;
        }
        const uint32_t off = b * (a + d);
        a = a * a + b * b;
        d = b * b + d * d;
        b = off;
    }
    return x;
}

/* Four chains from (parity) + 0 to 3; the value and the parity of the last lane add up to 1. */
uint32_t vks_expected_shuffle(const struct vks_kernel *kernel, uint64_t index)
{
    const uint32_t swaps = 32 * kernel->params.repeat + 1;
    (void)index;
    return sum_below(4) + 4 + 4 * swaps * kernel->params.addend;
}

uint32_t vks_expected_atomic(const struct vks_kernel *kernel, uint64_t index)
{
    const struct bench_params *p = &kernel->params;
    (void)index;
    return p->invocations / p->count * p->repeat * kernel->runs * p->addend;
}

/* Of BENCH_SCATTER. */
static uint32_t bench_mix(uint32_t x, uint32_t odd, uint32_t mask, uint32_t shift)
{
    const uint32_t y = (x * odd) & mask;
    return y ^ (y >> shift);
}

uint32_t vks_expected_random_read(const struct vks_kernel *kernel, uint64_t index)
{
    const struct bench_params *p = &kernel->params;
    uint32_t sum = 0;
    for (uint32_t k = 0; k < 8 * p->repeat; k++) {
        const uint32_t at =
            BENCH_SCATTER((uint32_t)index + k * p->invocations, p->count - 1, p->shift);
        sum += vks_expected_content(kernel, at);
    }
    return sum;
}
