/* SPDX-License-Identifier: MIT */
/* Parts of the command `bench`. */
#ifndef VKS_TOOL_BENCH_H
#define VKS_TOOL_BENCH_H

#include "ladder/ladder.h"
#include "tool/command.h"

struct vks_bench_values {
    char *plot, *sizes, *rungs, *dtype, *report, *explain, *devices;
    uint64_t ranks; /* 0: not given */
    bool json, csv, fresh, retune, show_tuning, overwrite;
};

/* Verifies and measures the rungs of a kernel, or of all (NULL), and prints them. VKS_ERROR_STOPPED
 * if one is wrong; the others are printed. */
enum vks_result vks_bench_ladder(struct vks_call *call, const struct vks_bench_values *values,
                                 const struct vks_ladder_kernel *kernel);

/* How a rung is timed. */
struct vks_effort vks_bench_effort(const struct vks_gpu *gpu);

/* Draws what the rungs of a kernel access. */
enum vks_result vks_bench_explain(struct vks_call *call, const struct vks_bench_values *values,
                                  const struct vks_ladder_kernel *kernel);

/* Measures exchanges between ranks, prints and keeps the result. */
enum vks_result vks_bench_ranks(struct vks_call *call, const struct vks_bench_values *values);
/* A row of a table of ceilings: name, median, min, max and spread. */
void vks_bench_print_row(const char *name, const struct vks_spread *value, double scale);

#endif
