/* SPDX-License-Identifier: MIT */
/* The axes of plots: ranges, ticks and numbers with prefixes. */
#ifndef VKS_REPORT_RULER_H
#define VKS_REPORT_RULER_H

#include <stddef.h>

#include "report/plot.h"

enum { VKS_MAX_TICKS = 96 };

struct vks_tick {
    double value;
    char label[32]; /* "": a minor tick, a thinner grid line */
};

struct vks_ruler {
    enum vks_plot_scale scale;
    double min, max;                      /* min < max; both positive on a logarithmic scale */
    char title[256];                      /* the axis' label with its unit, "time (\u00b5s)" */
    struct vks_tick ticks[VKS_MAX_TICKS]; /* ascending */
    size_t count;
};

/* An axis that shows `low` to `high`, which need not be ordered, finite or positive. */
void vks_ruler_make(struct vks_ruler *ruler, const struct vks_plot_axis *axis, double low,
                    double high);

/* The place of a value: 0 at the minimum, 1 at the maximum; NaN where it has none. */
double vks_ruler_at(const struct vks_ruler *ruler, double value);

/* The value at a place. */
double vks_ruler_value(const struct vks_ruler *ruler, double place);

/* Writes three digits with a prefix, "1.25 TB/s", "13.4 us" (with a micro sign), "10k", "87.5 %".
 * `scale` LOG2 with the unit "B" takes binary prefixes. Returns `buffer`. */
const char *vks_plot_number(double value, const char *unit, enum vks_plot_scale scale, char *buffer,
                            size_t size);

#endif
