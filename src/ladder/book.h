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

/* True if the run's drift is too large for its figures to be trusted. */
bool vks_ladder_is_disturbed(const struct vks_ladder_run *run);
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
