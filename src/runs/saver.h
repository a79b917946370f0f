/* SPDX-License-Identifier: MIT */
/* Writes a state file on a thread of its own. */
#ifndef VKS_RUNS_SAVER_H
#define VKS_RUNS_SAVER_H

#include <jansson.h>
#include <stdbool.h>

#include <vksim/vksim.h>

struct vks_saver;

/* Takes a snapshot and starts to write it; an existing file is replaced. If memory is too short for
 * a snapshot, the state is written before this returns. Finish *saver before the simulation's
 * context is destroyed. `run`: of a checkpoint (vks_state_file_save()), whose only reference it
 * takes, also after a failure; NULL: none. */
enum vks_result vks_saver_start(vks_simulation *simulation, const char *path, json_t *run,
                                struct vks_saver **saver);
/* Whether vks_saver_finish() will not wait. */
bool vks_saver_is_done(const struct vks_saver *saver);
/* Waits for the file and frees the saver. Returns the result of writing. NULL is fine. */
enum vks_result vks_saver_finish(struct vks_saver *saver);

#endif
