/* SPDX-License-Identifier: MIT */
/* What a run reports about its time: --timings, --trace and --report. */
#ifndef VKS_TOOL_TIMINGS_H
#define VKS_TOOL_TIMINGS_H

#include "tool/summary.h"

/* Checks --trace-steps before a device is opened, and begins to trace if --trace or --report is
 * given. */
enum vks_result vks_timings_begin(const struct vks_cli *cli);

/* Reads the clocks of the GPU and the host, before the first step, if the run is traced. */
enum vks_result vks_timings_start(vks_context *context);

/* True if --timings prints JSON to the stream of the results, which must then be the only text. */
bool vks_timings_print_json(const struct vks_cli *cli);

/* Prints the timings and writes the files that the options ask for, at the end of the run.
 * `digests` (NULL: none) becomes a member of the JSON. */
enum vks_result vks_timings_end(const struct vks_cli *cli, struct vks_grid *grid,
                                const struct vks_outcome *outcome, json_t *digests);

#endif
