/* SPDX-License-Identifier: MIT */
/* What a person does in the window, as events of the run: changes of options with undo, presets,
 * surprises, strokes of a brush, ways back in time, and new runs. Independent of SDL. */
#ifndef VKS_UI_PLAYER_H
#define VKS_UI_PLAYER_H

#include "runs/grid.h"
#include "ui/motion.h"
#include "ui/panel.h"
#include "ui/place.h"

enum { VKS_MAX_UNDO = 256 };

/* Something that can be undone: values of options before and after, or strokes. */
struct vks_undo {
    json_t *before, *after; /* objects; NULL for strokes */
    json_t *paint;          /* the strokes; NULL for options */
    double time;            /* of the last change of the same options, which joins */
    uint32_t motion;        /* the number of the motion that does it; 0: none does */
};

/* A run that is asked for. */
struct vks_next_run {
    struct vks_settings settings; /* finished; without a model: none is asked for */
    char preset[64];
    struct vks_log log; /* the future of the run */
    bool seeks;         /* it goes to `step` at once, and pauses there */
    uint64_t step;
    bool carries; /* it begins with the state of the present run */
    bool sized;   /* a preset or a default has chosen its size */
};
void vks_next_run_free(struct vks_next_run *next); /* and zeroes it */

struct vks_player {
    struct vks_grid *grid;
    struct vks_log *log; /* of the run */
    char preset[64];     /* the last one */
    struct vks_brush_state brush;
    struct vks_undo undo[VKS_MAX_UNDO];
    size_t undo_count, undone; /* entries; those of them at the end that are undone */
    bool stroking, inverse;
    bool begins;     /* the stroke has not painted yet */
    double x, y;     /* the end of the stroke so far, in fractions of the field */
    uint32_t random; /* the state of its lots */
    struct vks_motions motions;
    struct vks_next_run next;
};

/* For a run with this grid; the brush stays as it is. */
void vks_player_begin(struct vks_player *player, struct vks_grid *grid, struct vks_log *log,
                      const char *preset);
void vks_player_free(struct vks_player *player);

/* The simulation whose options are shown. */
vks_simulation *vks_player_simulation(const struct vks_player *player);

/* Each adds events to the control's. `time` is a clock in seconds. */
enum vks_result vks_player_set(struct vks_player *player, struct vks_control *control,
                               const char *name, const char *text, double time);
/* With these values, an object that it takes. */
enum vks_result vks_player_change(struct vks_player *player, struct vks_control *control,
                                  json_t *values, double time);
/* The same for the motion of that number, all of which is undone together. */
enum vks_result vks_player_drive(struct vks_player *player, struct vks_control *control,
                                 uint32_t motion, json_t *values);
/* Moves every number that acts at once by up to `share` of its useful range, or less far if the
 * model does not take the values together. */
enum vks_result vks_player_surprise(struct vks_player *player, struct vks_control *control,
                                    double share, double time);
/* The choice after the present one (before it, with a `step` of -1) of an option of names. */
enum vks_result vks_player_cycle(struct vks_player *player, struct vks_control *control,
                                 const char *name, int step, double time);
enum vks_result vks_player_undo(struct vks_player *player, struct vks_control *control);
enum vks_result vks_player_redo(struct vks_player *player, struct vks_control *control);

/* Asks for a new run and ends this one: of a simulation with a preset (NULL: its first), with a
 * preset, or with the option `name` set to `text` besides. VKS_ERROR_USAGE or VKS_ERROR_FILE, and
 * this run goes on, if that is impossible. */
enum vks_result vks_player_new_model(struct vks_player *player, struct vks_control *control,
                                     const struct vks_model *model, const char *preset);
enum vks_result vks_player_new_preset(struct vks_player *player, struct vks_control *control,
                                      const char *preset);
/* The preset that is `step` places after the last one. */
const char *vks_player_next_preset(const struct vks_player *player, int step);
/* Another one by chance. */
const char *vks_player_random_preset(struct vks_player *player);
enum vks_result vks_player_prepare(struct vks_player *player, const char *name, const char *text);
enum vks_result vks_player_new_run(struct vks_player *player, struct vks_control *control);
/* Takes over and asks for a run that is already made. */
void vks_player_ask(struct vks_player *player, struct vks_control *control,
                    const struct vks_next_run *next);

/* Whether a point of the picture, in its pixels, is a place of the field; where, in fractions of
 * its sides. False with a camera, and for other sections of volumes. */
bool vks_player_find(const struct vks_player *player, double x, double y, double *across,
                     double *down);
/* Whether a camera looks at a volume. */
bool vks_player_has_camera(const struct vks_player *player);
/* Turns the camera by degrees to the left and upwards; moves it nearer by a factor. */
enum vks_result vks_player_orbit(struct vks_player *player, struct vks_control *control,
                                 double left, double up, double time);
enum vks_result vks_player_approach(struct vks_player *player, struct vks_control *control,
                                    double factor, double time);
/* The brushes of the simulation. Returns their number. */
size_t vks_player_brushes(const struct vks_player *player,
                          struct vks_brush_row rows[VKS_MAX_BRUSHES]);
/* Begins, continues and ends a stroke at a place of the field. */
void vks_player_press(struct vks_player *player, double across, double down, bool inverse);
enum vks_result vks_player_move(struct vks_player *player, struct vks_control *control,
                                double across, double down);
void vks_player_release(struct vks_player *player);
/* Undoes the last stroke, if nothing was done since, and that ends no motion. */
enum vks_result vks_player_take_back(struct vks_player *player, struct vks_control *control);

#endif
