/* SPDX-License-Identifier: MIT */
/* Writes a state file on a thread, while the simulation goes on. */
#ifndef VKS_RUNS_SAVER_H
#define VKS_RUNS_SAVER_H

#include <vksim/vksim.h>

struct vks_saver;

/* Takes a snapshot and starts to write it; an existing file is replaced. A state that does not fit
 * the memory twice is written before this returns. *saver is to be finished before the simulation's
 * context is destroyed. */
enum vks_result vks_saver_start(vks_simulation *simulation, const char *path,
                                struct vks_saver **saver);
/* Waits for the file and frees the saver. Returns what writing returned. NULL is fine. */
enum vks_result vks_saver_finish(struct vks_saver *saver);

#endif
