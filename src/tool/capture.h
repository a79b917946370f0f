/* SPDX-License-Identifier: MIT */
/* --capture: a RenderDoc capture of some steps of a run. */
#ifndef VKS_TOOL_CAPTURE_H
#define VKS_TOOL_CAPTURE_H

#include "runs/run.h"
#include "tool/cli.h"

struct vks_capture {
    const struct vks_gpu *gpu;
    uint64_t first; /* step */
};

/* Checks --capture against the number of steps, before anything is opened. VKS_OK without it. */
enum vks_result vks_capture_check(const struct vks_cli *cli);

/* Checks that RenderDoc can capture the opened device, before the run starts. VKS_OK without
 * --capture. */
enum vks_result vks_capture_ready(const struct vks_cli *cli, const struct vks_gpu *gpu);

/* The steps to capture, in the section of the run's parameters; none without --capture. Call
 * vks_capture_check() before. `capture` must outlive the run. */
struct vks_section vks_capture_section(const struct vks_cli *cli, const struct vks_gpu *gpu,
                                       struct vks_capture *capture);

#endif
