/* SPDX-License-Identifier: MIT */
/* Repeats of a measurement. */
#ifndef VKS_BENCH_SPREAD_H
#define VKS_BENCH_SPREAD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VKS_MAX_REPEATS = 64 };

struct vks_spread {
    double median, min, max;
    double low_quartile, high_quartile;
    uint32_t samples;
};

/* Sorts the values; `count` is over 0. Quartiles are interpolated. */
struct vks_spread vks_spread_of(double *values, size_t count);

/* True if all values are finite, over 0 and in order, and there are samples. */
bool vks_spread_is_valid(const struct vks_spread *spread);

/* Takes over `object` (NULL: no memory) and adds the members. NULL when memory ran out. */
json_t *vks_spread_json(json_t *object, const struct vks_spread *spread);

#endif
