/* SPDX-License-Identifier: MIT */
#include "bench/spread.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *sorted, size_t count, double part)
{
    const double at = part * (double)(count - 1);
    const size_t below = (size_t)at;
    const size_t above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (at - (double)below) * (sorted[above] - sorted[below]);
}

struct vks_spread vks_spread_of(double *values, size_t count)
{
    qsort(values, count, sizeof(*values), compare);
    return (struct vks_spread){
        .median = quantile(values, count, 0.5),
        .min = values[0],
        .max = values[count - 1],
        .low_quartile = quantile(values, count, 0.25),
        .high_quartile = quantile(values, count, 0.75),
        .samples = (uint32_t)count,
    };
}

bool vks_spread_is_valid(const struct vks_spread *spread)
{
    return spread->min > 0 && spread->min <= spread->low_quartile &&
           spread->low_quartile <= spread->median && spread->median <= spread->high_quartile &&
           spread->high_quartile <= spread->max && isfinite(spread->max) && spread->samples > 0;
}

json_t *vks_spread_json(json_t *object, const struct vks_spread *spread)
{
    json_t *values =
        json_pack("{s:f, s:f, s:f, s:f, s:f, s:I}", "median", spread->median, "min", spread->min,
                  "max", spread->max, "low_quartile", spread->low_quartile, "high_quartile",
                  spread->high_quartile, "samples", (json_int_t)spread->samples);
    if (!object || !values || json_object_update(object, values) != 0) {
        json_decref(object);
        object = NULL;
    }
    json_decref(values);
    return object;
}
