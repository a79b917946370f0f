/* SPDX-License-Identifier: MIT */
/* What a window has shown, rendered again by another process. */
#ifndef VKS_TOOL_RENDERING_H
#define VKS_TOOL_RENDERING_H

#include "tool/cli.h"
#include "ui/window.h"

/* Fills a zeroed job with the command line of `rendering`, on that device. `cli` is that of the
 * present run. A picture is rendered from the last restart on, with the options as they were then;
 * a video from the start. VKS_ERROR_USAGE for a grid of runs. Free the job after a failure, too. */
enum vks_result vks_rendering_job(const struct vks_cli *cli, uint32_t device,
                                  const struct vks_rendering *rendering, struct vks_job *job);

#endif
