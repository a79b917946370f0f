/* SPDX-License-Identifier: MIT */
/* --watch: the scalars of every frame as rows of a table in a file, and as a line of text. */
#ifndef VKS_RUNS_WATCHER_H
#define VKS_RUNS_WATCHER_H

#include <jansson.h>

#include "graph/graph.h"

struct vks_watcher;

/* VKS_ERROR_USAGE unless the name ends in .csv or .json. */
enum vks_result vks_watcher_check_name(const char *path);

/* Starts the file, under a temporary name, with the names of the graph's scalars. From now on each
 * frame of the graph adds a row. VKS_ERROR_USAGE if the graph has no scalars. `resume`: a position
 * that vks_watcher_hold() gave an earlier process, after which rows go on; VKS_ERROR_FILE if the
 * rows before it are missing or have been changed, or if they have other columns. NULL: a new file.
 */
enum vks_result vks_watcher_open(struct vks_graph *graph, const char *path, bool overwrite,
                                 const json_t *resume, struct vks_watcher **watcher);
/* VKS_ERROR_FILE once a row could not be written, because the file cannot be completed then. */
enum vks_result vks_watcher_check(const struct vks_watcher *watcher);
/* Waits for the rows of all submitted frames. A failure of the GPU. */
enum vks_result vks_watcher_wait(struct vks_watcher *watcher);
/* Waits until all rows so far are on the disk; of frames that the graph has completed
 * (vks_watcher_wait()). *position, to be released by the caller, is a JSON object from which a
 * later process can continue. It stays valid after later rows, finish, abort and a crash. */
enum vks_result vks_watcher_hold(struct vks_watcher *watcher, json_t **position);
/* The run ended early: finish will not replace an existing file, but write NAME.partial.EXT next to
 * it. *name, to be freed, is the final name. */
enum vks_result vks_watcher_keep_old(struct vks_watcher *watcher, char **name);
/* Renames the file, which has the rows so far, and frees the watcher. *rows gets the number of
 * rows; if that is 0, there is no file. NULL is fine. */
enum vks_result vks_watcher_finish(struct vks_watcher *watcher, uint64_t *rows);
/* Frees the watcher and removes the file, unless a position describes it. NULL is fine. */
void vks_watcher_abort(struct vks_watcher *watcher);

/* "u 0.43  v 0.21": the scalars of the latest frame except status words, as many as fit into `size`
 * bytes; "" if there are none. Returns `buffer`. */
const char *vks_watched_text(struct vks_graph *graph, char *buffer, size_t size);

#endif
