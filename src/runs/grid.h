/* SPDX-License-Identifier: MIT */
/* What a run computes: one simulation, or several as the cells of a grid, whose pictures are drawn
 * together on a sheet with captions. */
#ifndef VKS_RUNS_GRID_H
#define VKS_RUNS_GRID_H

#include "runs/run.h"
#include "runs/vary.h"

struct vks_grid;

/* Plans vary->count cells, or one simulation if that is 0; opens nothing on the device. The
 * settings remain the caller's and must outlive the grid. VKS_ERROR_USAGE if the cells' pictures
 * differ in size or the sheet would be too large. */
enum vks_result vks_grid_create(const struct vks_settings *cells, const struct vks_vary *vary,
                                struct vks_grid **grid);
/* Frames are at equal times of the simulations: all cells take the same steps. Before anything else
 * is asked of the grid. */
void vks_grid_by_time(struct vks_grid *grid);
void vks_grid_destroy(struct vks_grid *grid); /* waits for the GPU; NULL is fine */
/* Checks, without a device, that the images of all cells exist. `from_state`: fields
 * will come from a state file, and not from --init. */
enum vks_result vks_grid_check_images(const struct vks_grid *grid, bool from_state);

/* Size of a frame: the cell's picture, or the sheet. */
struct vks_size vks_grid_size(const struct vks_grid *grid);
/* The memory of all fields, as far as it is known without a device, for frames with these planes,
 * as in view/view.h. Fails as the run would if what is declared is wrong. */
enum vks_result vks_grid_bytes(const struct vks_grid *grid, unsigned planes, uint64_t *bytes);
/* Checks that everything fits into the memory of the device. `bands`: a picture may be drawn in
 * bands, see VKS_VIEW_BANDS; a sheet may not. */
enum vks_result vks_grid_fits(const struct vks_grid *grid, const vks_context *context, bool bands);

/* Calls `add` with the names of the shaders that the cells will have, repeatedly where several
 * passes have one; planes of files may need more. Needs no device. */
enum vks_result vks_grid_each_shader(const struct vks_grid *grid,
                                     void (*add)(void *user, const char *name), void *user);

/* Starts every cell, from `state` unless it is NULL. `planes` as in view/view.h; a sheet has
 * only RGBA and YUV of 8 bits, in one piece. */
enum vks_result vks_grid_open(struct vks_grid *grid, vks_context *context,
                              const struct vks_state_file *state, unsigned planes);
/* Changes the planes of an open grid, as vks_simulation_use_planes(). VKS_ERROR_USAGE for a sheet,
 * whose planes stay. */
enum vks_result vks_grid_use_planes(struct vks_grid *grid, unsigned planes);
/* As vks_simulation_reload(), for everything in the open grid. */
enum vks_result vks_grid_reload(struct vks_grid *grid);
/* Undoes vks_grid_open(), also after its failure. It must precede the context's end. */
void vks_grid_close(struct vks_grid *grid);

size_t vks_grid_count(const struct vks_grid *grid);
/* The settings of a cell as the grid was created with. */
const struct vks_settings *vks_grid_settings(const struct vks_grid *grid, size_t cell);
/* False for a cell whose state another one computes. */
bool vks_grid_is_owner(const struct vks_grid *grid, size_t cell);
/* The simulation that computes a cell's state; cells that differ only in their look share one. */
vks_simulation *vks_grid_simulation(const struct vks_grid *grid, size_t cell);
/* Builds the pipelines of pictures now instead of when the first one is drawn. */
enum vks_result vks_grid_build(struct vks_grid *grid);
/* The caption of a cell as plain text, "" if it has none. Returns `buffer`. */
const char *vks_grid_label(const struct vks_grid *grid, size_t cell, char *buffer, size_t size);

/* What vks_run() runs. Its steps are those of the cell with the most steps per frame; the others
 * keep pace, so that frame i of each cell is after i x its own steps_per_frame. */
struct vks_runnable vks_grid_runnable(struct vks_grid *grid);
uint64_t vks_grid_steps_per_frame(const struct vks_grid *grid);
/* Steps per frame if all cells have the same number; else, and by time, 0. */
uint64_t vks_grid_common_steps(const struct vks_grid *grid);

/* Takes and restores the states of all cells, for struct vks_history. */
struct vks_keeper vks_grid_keeper(struct vks_grid *grid);

/* True if the pictures of a cell depend on the frames drawn before. */
bool vks_grid_follows(const struct vks_grid *grid);

/* How long submissions of steps are; NULL: as without. */
void vks_grid_divide(const struct vks_grid *grid, const struct vks_division *division);

/* Draws the current state of all cells and copies their pictures to the graph below. */
enum vks_result vks_grid_draw(struct vks_grid *grid);
/* The graph whose frames have the whole picture in "picture" (and "planes"), after
 * vks_grid_draw(). */
struct vks_graph *vks_grid_graph(const struct vks_grid *grid);
/* How those frames are drawn. */
struct vks_bands vks_grid_bands(const struct vks_grid *grid);

/* Steps of all cells in total; shared ones count once. */
uint64_t vks_grid_steps(const struct vks_grid *grid);
/* As vks_simulation_timing(): passes of the same name in several cells count as one; the sheet's
 * are last. Waits for the GPU. *each_frame: whether the pass draws frames. */
bool vks_grid_timing(struct vks_grid *grid, size_t index, struct vks_pass_timing *timing,
                     bool *each_frame);
/* As vks_graph_dropped(), over all cells. */
uint64_t vks_grid_dropped(const struct vks_grid *grid);
/* As vks_graph_busy(), over all cells. */
void vks_grid_busy(const struct vks_grid *grid, double *seconds, uint64_t *steps);

#endif
