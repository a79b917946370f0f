/* SPDX-License-Identifier: MIT */
/* Runs in a window. */
#ifndef VKS_TOOL_SHOW_H
#define VKS_TOOL_SHOW_H

#include "runs/grid.h"
#include "tool/checkpoint.h"
#include "tool/cli.h"

/* Shows the cells of the grid in a window, and what is asked for there afterwards, until it is
 * closed; prints the results of the last run. VKS_INTERRUPTED after Ctrl-C. *messages: those of
 * validation. `checkpoint`, of the first run, may be NULL. */
enum vks_result vks_show(const struct vks_cli *cli, struct vks_grid *grid,
                         struct vks_checkpoint *checkpoint, uint64_t *messages);

#endif
