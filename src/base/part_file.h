/* SPDX-License-Identifier: MIT */
/* Part files: what an output file is until it is complete. */
#ifndef VKS_BASE_PART_FILE_H
#define VKS_BASE_PART_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <vksim/result.h>

/* A file next to the target, locked (flock) until it is closed, which says that a process is
 * writing it. */
struct vks_part_file {
    char *path; /* TARGET.part-PID, or TARGET.part-PID-N if that is taken; NULL: none */
    int lock;   /* its descriptor plus 1; 0: none */
    bool kept;  /* its name is TARGET.part, and a later process may continue it */
};

/* Creates an empty part file. Removes those that killed processes have left of the same target, and
 * warns once per folder about those of other targets. False with errno set on failure, with *part
 * zeroed. */
bool vks_part_file_create(const char *target, struct vks_part_file *part);
/* From now on the file outlasts the process: it gets the name TARGET.part, which replaces one that
 * a killed process has left. Once it has that name, nothing happens. False with errno set on
 * failure: EBUSY if another process has locked that one. */
bool vks_part_file_keep(const char *target, struct vks_part_file *part);
/* Opens TARGET.part, which an earlier process has kept. False with errno set on failure: EBUSY if
 * another process has locked it. */
bool vks_part_file_reopen(const char *target, struct vks_part_file *part);
/* Unlocks it and frees the name; the file stays. A zeroed structure is fine. */
void vks_part_file_close(struct vks_part_file *part);

/* Removes all part files that are neither closed nor kept. For a signal handler that then ends the
 * process: threads that close or create one afterwards block for ever. */
void vks_part_files_remove(void);

#endif
