/* SPDX-License-Identifier: MIT */
/* Values that move by themselves: a wave of one option, a morph to a preset, and a path of two
 * options. Each frame that the window presents while the run goes on adds one event with the next
 * values, so the log of events repeats them; their clock is the frames, of which a video has 60 per
 * second. A motion is one entry of what can be undone. It ends when a person sets one of its
 * options, and when the run goes to another step, where the log repeats what it did. */
#ifndef VKS_UI_MOTION_H
#define VKS_UI_MOTION_H

#include "runs/run.h"
#include "ui/panel.h"

enum { VKS_FRAMES_PER_SECOND = 60, VKS_MAX_MOVES = 128 };

/* A number on its way. */
struct vks_move {
    const struct vks_option *option;
    double from, to;
};

struct vks_morph {
    struct vks_move moves[VKS_MAX_MOVES];
    size_t count;
    json_t *middle;         /* what cannot move is set half-way; NULL: nothing, or it is done */
    json_t *end;            /* the numbers as the preset has them; NULL: there is no morph */
    unsigned frame, frames; /* how far it is, and its length */
    uint32_t number;
};

struct vks_motions {
    struct vks_wave waves[VKS_MAX_WAVES];
    size_t wave_count;
    struct vks_morph morph;
    struct vks_trip trip;
    bool due;        /* a frame has been presented since the last values */
    uint32_t number; /* of the last motion, from 1 */
};

struct vks_player;

/* Moves an option that takes values at any time along its slider; with a `share` of 0 it stays
 * where it is. */
enum vks_result vks_player_animate(struct vks_player *player, const char *name, double period,
                                   double share);
/* Moves to the values of a preset that a run can take, without those of pictures' size, in that
 * many frames (0: at once). Numbers move along their sliders; the others change half-way. */
enum vks_result vks_player_morph(struct vks_player *player, struct vks_control *control,
                                 const char *preset, unsigned frames, double time);
/* Moves the two options of the model's chart along a path, as fast everywhere on the screen. NULL:
 * the path on which they are; then a period of 0 ends it. */
enum vks_result vks_player_travel(struct vks_player *player, const struct vks_path *path,
                                  double period);
/* Adds the next values, after a frame. */
enum vks_result vks_player_advance(struct vks_player *player, struct vks_control *control);

/* Ends the motions of these options, and a morph in any case. */
void vks_motions_yield(struct vks_motions *motions, const json_t *values);
/* Ends all. */
void vks_motions_end(struct vks_motions *motions);

#endif
