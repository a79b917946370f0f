/* SPDX-License-Identifier: MIT */
/* Parts of the command `bench`. */
#ifndef VKS_TOOL_BENCH_H
#define VKS_TOOL_BENCH_H

#include "ladder/ladder.h"
#include "tool/command.h"

struct vks_bench_values {
    char *plot, *sizes, *rungs, *dtype, *report, *explain;
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

#endif
