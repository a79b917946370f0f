/* SPDX-License-Identifier: MIT */
/* A part of a run's steps, as options name it. */
#ifndef VKS_TOOL_STEPS_H
#define VKS_TOOL_STEPS_H

#include "tool/cli.h"

/* Steps from `first` to `end` - 1; the first step of a run is 0. */
struct vks_steps {
    uint64_t first, end;
};

/* Parses A:B of that option ("--capture"), and checks that it is within the run. The second may end
 * after the run only if `open`. VKS_ERROR_USAGE with a message. */
enum vks_result vks_steps_parse(const struct vks_cli *cli, const char *option, const char *text,
                                bool open, struct vks_steps *steps);

#endif
