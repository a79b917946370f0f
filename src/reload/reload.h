/* SPDX-License-Identifier: MIT */
/* Hot reload: a run uses the shaders of a folder instead of those built into vksim, from its start
 * and after each change of a file; or those of its model's folder after each change. A thread
 * watches the folder and compiles; the run takes the new shaders between two steps. */
#ifndef VKS_RELOAD_RELOAD_H
#define VKS_RELOAD_RELOAD_H

#include <jansson.h>

#include "runs/grid.h"

struct vks_reload;

/* Checks that the folder has vksim's shaders, or is that of the model, and that they can be
 * compiled. VKS_ERROR_FILE. */
enum vks_result vks_reload_check(const char *folder, const struct vks_model *model);
/* Begins to watch the folder. From here on vks_shader_find() gives the folder's shaders where they
 * differ from the built-in ones, and waits for the compilation of each one at its first use. There
 * is at most one at a time. */
enum vks_result vks_reload_open(const char *folder, const struct vks_model *model,
                                struct vks_reload **reload);
/* The devices that have used its shaders must be closed. NULL is fine. */
void vks_reload_close(struct vks_reload *reload);

/* Before the grid of a run is opened: compiles its shaders, all at once. If anything is wrong with
 * them, the built-in ones are used, and the first poll tells why. *run: the run's number. */
enum vks_result vks_reload_begin(struct vks_reload *reload, const struct vks_grid *grid,
                                 uint64_t *run);

/* What has changed since the last call. */
struct vks_reload_news {
    bool swapped;       /* the grid has other shaders now */
    bool is_told;       /* `errors` has changed */
    const char *errors; /* why shaders of the folder are not used, as lines; NULL: all are. Valid
                         * until the next call */
};
/* Between two steps, without waiting: gives the open grid the shaders that have been compiled
 * since, all of them or none, and logs it. Only a failure that ends the run is an error. */
enum vks_result vks_reload_poll(struct vks_reload *reload, struct vks_grid *grid, uint64_t steps,
                                struct vks_reload_news *news);

/* The names of the shaders that differed from the built-in ones when the run used them, as a new
 * array; NULL if memory ran out. With 0 for the run, which has not begun: of those that differ now.
 */
json_t *vks_reload_changed(struct vks_reload *reload, uint64_t run);

#endif
