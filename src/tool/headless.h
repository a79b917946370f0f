/* SPDX-License-Identifier: MIT */
/* Runs without a window: frames are written to files. */
#ifndef VKS_TOOL_HEADLESS_H
#define VKS_TOOL_HEADLESS_H

#include "reload/reload.h"
#include "runs/grid.h"
#include "tool/checkpoint.h"
#include "tool/cli.h"
#include "runs/watcher.h"
#include "tool/outputs.h"
#include "tool/summary.h"

/* Starts the cells of a grid, from --load-state's file if there is one, writes --save-scene's file
 * and opens --watch's into *watcher, which stays NULL without --watch. `planes` as in view/view.h.
 */
enum vks_result vks_begin_run(const struct vks_cli *cli, vks_context *context,
                              struct vks_grid *grid, unsigned planes, struct vks_watcher **watcher);

/* Takes the new shaders of --hot-reload, if there are any: vks_run_params.between of a run. */
struct vks_reloading {
    const struct vks_cli *cli;
    struct vks_grid *grid;
    void *user;
    enum vks_result (*tell)(void *user,
                            const struct vks_reload_news *news); /* what has changed; NULL: not */
};
enum vks_result vks_reload_between(void *reloading, struct vks_control *control);

/* Completes the file of --watch, which is kept even if the run failed or was interrupted
 * (`partial`), and prints its name; or leaves it for a later process (`waits`). Returns `result`,
 * or its own failure if that is VKS_OK. NULL is fine. */
enum vks_result vks_end_watch(const struct vks_cli *cli, struct vks_watcher *watcher,
                              enum vks_result result, bool partial, bool waits);

/* Writes the file of --record-events, also after a failure of a run that took steps, and frees the
 * events. Returns `result`, or its own failure if that is VKS_OK. */
enum vks_result vks_end_record(const struct vks_cli *cli, struct vks_outcome *outcome,
                               enum vks_result result);

/* Runs the cells of the grid with checkpoints (NULL: none), writes the opened outputs and prints
 * the results. VKS_INTERRUPTED after Ctrl-C, with all completed frames written. */
enum vks_result vks_headless(const struct vks_cli *cli, vks_context *context, struct vks_grid *grid,
                             struct vks_outputs *outputs, struct vks_checkpoint *checkpoint);

#endif
