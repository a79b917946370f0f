/* SPDX-License-Identifier: MIT */
/* The strip below the picture: time, speed and recording; and the page of keys. Like the panel,
 * they draw into canvases of their own and report actions. */
#ifndef VKS_UI_STRIP_H
#define VKS_UI_STRIP_H

#include "ui/panel.h"

enum { VKS_STRIP_HEIGHT = 46 }; /* points */

enum vks_mark_kind {
    VKS_MARK_EVENT,   /* a change or a stroke */
    VKS_MARK_PICTURE, /* a saved picture */
    VKS_MARK_BRANCH,  /* where the past was changed */
    VKS_MARK_END,     /* of a future that was given up there */
};

struct vks_mark {
    uint64_t step;
    enum vks_mark_kind kind;
};

enum { VKS_MAX_BRANCHES = 16 };

/* Changes of the past, in order of steps: where, and up to where the future reached that they
 * replaced. */
struct vks_branches {
    uint64_t steps[VKS_MAX_BRANCHES], ends[VKS_MAX_BRANCHES];
    size_t count;
};
/* Adds one, which those of the replaced future are forgotten for; the oldest, if there are too
 * many.
 */
void vks_branches_add(struct vks_branches *branches, uint64_t step, uint64_t end);

/* What the strip shows, the caller's. */
struct vks_strip_data {
    bool paused;
    uint64_t first, last; /* steps that the time line reaches */
    uint64_t now;
    const struct vks_mark *marks;
    size_t mark_count;
    const char *speed; /* "1x - 61 fps - 8.1 ms", with any signs that the font has */
    double recorded;   /* seconds of the video; negative: nothing is recorded */
    size_t jobs;       /* files that are being rendered, or wait */
    const char *job;   /* the path of the first */
    double job_share;  /* of it that is done; negative: not known yet */
    const struct vks_gallery_item *saved; /* the picture or video that was saved last; NULL: none */
};

/* As vks_panel_update(), with widgets that the caller has created for the strip. While the time
 * line is dragged, VKS_ACTION_SEEK has `more`. */
enum vks_result vks_strip_update(struct vks_ui *ui, const struct vks_strip_data *data,
                                 const struct vks_ui_input *input,
                                 const struct vks_surface *surface, struct vks_actions *actions,
                                 struct vks_update *update);

/* A number in groups of three digits, with thin spaces. Returns `buffer`. */
const char *vks_group_digits(uint64_t number, char buffer[40]);

/* A row of the page of keys. */
struct vks_key_row {
    const char *keys; /* "P, Shift+P"; NULL: `help` is a heading */
    const char *help;
};

/* The size in points at which all rows fit, within the given one. */
void vks_keys_page_size(size_t count, float max_width, float max_height, float *width,
                        float *height);
/* With widgets that the caller has created for the page. */
enum vks_result vks_keys_page_draw(struct vks_ui *ui, const struct vks_key_row *rows, size_t count,
                                   const struct vks_surface *surface, struct vks_update *update);

#endif
