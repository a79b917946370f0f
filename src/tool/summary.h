/* SPDX-License-Identifier: MIT */
/* The results of a run: state file, digests, timings. */
#ifndef VKS_TOOL_SUMMARY_H
#define VKS_TOOL_SUMMARY_H

#include "tool/cli.h"
#include "runs/grid.h"
#include "frames/ring.h"

struct vks_outcome {
    struct vks_run_report run;
    struct vks_ring_stats ring;
    double begin;  /* vks_seconds() at the start of the loop */
    double ending; /* seconds to complete the file after the loop */
    bool has_frames;
    struct vks_collage *thumbnails; /* for --report; NULL: none */
    char frames_digest[33];         /* "": unknown */
    struct vks_log events;          /* what was done to the run */
};

/* Writes the files of --save-state and --points-out, prints the results of --digest, and reports
 * the timings. */
enum vks_result vks_summary(const struct vks_cli *cli, struct vks_grid *grid,
                            const struct vks_outcome *outcome);

#endif
