/* SPDX-License-Identifier: MIT */
/* Measured rungs of kernels as tables, CSV, JSON, plots and an HTML page. */
#ifndef VKS_LADDER_BOOK_H
#define VKS_LADDER_BOOK_H

#include <stdio.h>

#include "bench/ceilings.h"
#include "ladder/ladder.h"

enum { VKS_LADDER_REFUSAL = 256 };

/* One rung at one size. */
struct vks_ladder_row {
    struct vks_ladder_task task;
    const struct vks_ceiling *ceiling; /* what bounds it; NULL: the device has no such ceiling */
    const char *missing;               /* what the device or the build lacks */
    char refused[VKS_LADDER_REFUSAL];  /* why the device refused it; `missing` then points here */
    bool wrong;
    struct vks_spread seconds; /* no samples: not measured */
};

/* A kernel. */
struct vks_ladder_run {
    const struct vks_ladder_kernel *kernel;
    enum vks_element element;
    struct vks_ladder_size *sizes;
    size_t size_count;
    struct vks_ladder_row *rows; /* `rung_count` for each size */
    size_t rung_count;
    size_t row_count; /* rows that are done: fewer than all after an interruption */
    /* The ceiling of its first rung after the measurements over that before them: far from 1 where
     * other programs or the clock rate disturbed them. 0: unknown. */
    double drift;
};

/* What was measured. */
struct vks_ladder_book {
    struct vks_ladder_run *runs; /* each with a row that is done, once they are reported */
    size_t count;
    struct vks_ceilings ceilings;
    const struct vks_device_info *device;
    size_t rows_left; /* that were not measured because of an interruption */
};

/* Bytes or operations of a row, as its ceiling counts. */
double vks_ladder_amount(const struct vks_ladder_row *row);
/* Unit of all rates of a run in text, such as "GB/s", and 1 over it. */
const char *vks_ladder_unit(const struct vks_ladder_run *run, double *scale);
/* True if the run's drift is too large for its figures to be trusted. */
bool vks_ladder_is_disturbed(const struct vks_ladder_run *run);
/* Its rate as a share of the ceiling; 0: unknown. */
double vks_ladder_share(const struct vks_ladder_row *row);
/* True if the data fit the buffer with which no cache helps the ceiling: they may stay in a cache.
 */
bool vks_ladder_may_be_cached(const struct vks_ladder_row *row);
/* How many times as fast as another row; 0: unknown. */
double vks_ladder_factor(const struct vks_ladder_row *row, const struct vks_ladder_row *other);
/* Name of the type of data, as --dtype takes it. */
const char *vks_ladder_dtype(enum vks_element element);

void vks_ladder_print(const struct vks_ladder_book *book);
void vks_ladder_print_csv(const struct vks_ladder_book *book);
/* An object of a kernel; `all`: an object with a list of them. NULL when memory ran out. */
json_t *vks_ladder_json(const struct vks_ladder_book *book, bool all);

/* A plot of each kernel: a line per rung over the size, and the ceiling. */
enum vks_result vks_ladder_plot(const struct vks_ladder_book *book, const char *path,
                                bool overwrite);

/* All kernels as one HTML page: `all` as of vks_ladder_json(). */
enum vks_result vks_ladder_html(const struct vks_ladder_book *book, bool all, const char *path,
                                bool overwrite);

#endif
