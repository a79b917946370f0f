/* SPDX-License-Identifier: MIT */
/* Checkpoints of a run: docs/checkpoints.md. A checkpoint is a state file whose header also says
 * where the run is, with which options it was begun, and how far its outputs are. */
#ifndef VKS_TOOL_CHECKPOINT_H
#define VKS_TOOL_CHECKPOINT_H

#include "runs/run.h"
#include "runs/timed.h"
#include "runs/watcher.h"
#include "tool/outputs.h"

struct vks_checkpoint;

/* What a checkpoint of a run describes. */
struct vks_checkpointed {
    const struct vks_cli *cli;
    struct vks_grid *grid;
    const struct vks_outputs *outputs;
    struct vks_ring *ring;         /* NULL: none */
    struct vks_watcher *watcher;   /* NULL: none */
    const struct vks_timed *timed; /* NULL: the run has no time */
    const struct vks_log *log;
};

/* Checks --checkpoint and what it excludes, and names its files in *cli. Without it, that of
 * --resume is kept. */
enum vks_result vks_checkpoint_prepare(struct vks_cli *cli);
/* Takes the lock, and SIGUSR1, which asks for a checkpoint. *checkpoint stays NULL without
 * --checkpoint, and the functions below then do nothing. */
enum vks_result vks_checkpoint_open(const struct vks_cli *cli, struct vks_checkpoint **checkpoint);
/* Before the grid is opened: VKS_ERROR_FILE in ranks that have found an older checkpoint than
 * another has, or none. */
enum vks_result vks_checkpoint_compare(const struct vks_cli *cli, const vks_context *context);
/* Puts an open grid where the checkpoint of --resume was, and says so; nothing without it. */
enum vks_result vks_checkpoint_restore(const struct vks_cli *cli, struct vks_grid *grid,
                                       struct vks_timed *timed);
/* For vks_run(): writes a checkpoint at the start of a run, after each interval, and where the run
 * is stopped. What the structure names must live until vks_checkpoint_finish(), but ring and time
 * only until vks_run() ends. */
struct vks_run_keeper vks_checkpoint_keeper(struct vks_checkpoint *checkpoint,
                                            const struct vks_checkpointed *run);
/* Whether the outputs wait for a later process: the run has `failed` or was stopped before its end,
 * and there is a checkpoint that it can continue from. */
bool vks_checkpoint_waits(struct vks_checkpoint *checkpoint, bool failed);
/* After all other files are written, before the grid is closed: writes the checkpoint of a complete
 * run, and says how one that was stopped continues. Returns `result`, or if that is VKS_OK
 * VKS_ERROR_FILE if the last checkpoint could not be written. NULL is fine. */
enum vks_result vks_checkpoint_finish(struct vks_checkpoint *checkpoint, enum vks_result result);
void vks_checkpoint_close(struct vks_checkpoint *checkpoint); /* NULL is fine */

/* After VKS_ERROR_LOST: continues in a new process, unless the run has no checkpoint or has failed
 * too often without progress, which it says. `argv` is that of main(). */
void vks_checkpoint_retry(int argc, char **argv);
/* Seconds of the longest batch, which are fewer after repeated failures; 0: as usual. */
double vks_checkpoint_batch(void);

#endif
