/* SPDX-License-Identifier: MIT */
/* Continuing a run from a checkpoint: --resume and --resume-or-start, docs/checkpoints.md. */
#ifndef VKS_TOOL_RESUME_H
#define VKS_TOOL_RESUME_H

#include "api/state.h"
#include "runs/run.h"
#include "tool/command.h"

enum { VKS_CHECKPOINT_SLOTS = 2 };

/* A checkpoint that a run continues from. */
struct vks_resumed {
    char *name; /* of --resume */
    char *path; /* of the file that was chosen */
    size_t slot;
    uint64_t number;            /* checkpoints are counted from 1 */
    struct vks_state_file file; /* until vks_cli_parse() takes it */
    json_t *run;                /* "run" of its header */
    struct vks_run_place place;
    bool complete; /* the run had ended */
};

/* VKS_ERROR_USAGE if the text of that option cannot be the name of a checkpoint. */
enum vks_result vks_checkpoint_check_name(const char *option, const char *name);
/* The name of the file of a slot, to be freed; NULL when memory ran out. */
char *vks_checkpoint_path(const char *name, size_t slot);

/* Takes the lock NAME.lock, for the rest of the process; again for the same name it does nothing,
 * and neither does it in ranks of mpirun other than the first. VKS_ERROR_FILE if another process
 * has it.
 */
enum vks_result vks_checkpoint_lock(const char *name);
/* Removes all locks. */
void vks_checkpoint_unlock(void);
/* In a process that was forked: leaves them to the other one. */
void vks_checkpoint_leave_locks(void);

/* The path of the newer checkpoint whose header can be read, to be freed; NULL: there is none. */
char *vks_checkpoint_newest(const char *name);

/* If the command line has --resume or --resume-or-start, opens the checkpoint and puts the options
 * of its run before those of the command line, which override them. Failures: VKS_ERROR_FILE if
 * there is no checkpoint (--resume), or it is damaged; VKS_ERROR_USAGE for an option that would
 * change what the run computes. */
enum vks_result vks_resume_call(struct vks_call *call);
void vks_resumed_free(struct vks_resumed *resumed); /* NULL is fine */

struct vks_cli;
/* Sets what the run had besides its command line: the values that came from its scene, its state
 * and its events. In place of reading --scene and --load-state. */
enum vks_result vks_resume_cli(struct vks_cli *cli);
/* After the state is applied: sets the options that states do not have, and those of the look that
 * the command line changes. */
enum vks_result vks_resume_settings(const struct vks_cli *cli, struct vks_settings *settings);
/* Once the length is known: VKS_ERROR_USAGE if the run is already longer, or its last frame is not
 * one of a longer run. */
enum vks_result vks_resume_check_length(const struct vks_cli *cli);
/* Whether the run continues a checkpoint of the name that it keeps its own under. */
bool vks_resume_keeps_name(const struct vks_cli *cli);
/* Whether nothing is left to do. */
bool vks_resume_is_complete(const struct vks_cli *cli);
/* Whether the run that continues has begun that file, so that it may replace it. */
bool vks_resume_owns(const struct vks_cli *cli, const char *path);
/* VKS_ERROR_FILE if a checkpoint from elsewhere could replace a file of the user's: one that is
 * neither in this folder, nor in that of the checkpoint, nor on the command line. */
enum vks_result vks_resume_confirm(const struct vks_cli *cli, const char *option, const char *path);
/* The position of an output at the checkpoint; NULL: it has none. */
const json_t *vks_resume_position(const struct vks_cli *cli, const char *path);

#endif
