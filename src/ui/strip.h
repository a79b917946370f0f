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
};

struct vks_mark {
    uint64_t step;
    enum vks_mark_kind kind;
};

/* What the strip shows, the caller's. */
struct vks_strip_data {
    bool paused;
    uint64_t first, last; /* steps that the time line reaches */
    uint64_t now;
    const struct vks_mark *marks;
    size_t mark_count;
    const char *speed; /* "1x - 61 fps - 8.1 ms", with any signs that the font has */
    double recorded;   /* seconds of the video; negative: nothing is recorded */
};

struct vks_strip;

enum vks_result vks_strip_create(struct vks_strip **strip);
void vks_strip_destroy(struct vks_strip *strip); /* NULL is fine */
/* As vks_panel_update(). While the time line is dragged, VKS_ACTION_SEEK has `more`. */
enum vks_result vks_strip_update(struct vks_strip *strip, const struct vks_strip_data *data,
                                 const struct vks_ui_input *input, uint32_t width, uint32_t height,
                                 float scale, struct vks_actions *actions,
                                 struct vks_update *update);
const struct vks_canvas *vks_strip_canvas(const struct vks_strip *strip);
struct vks_ui *vks_strip_ui(struct vks_strip *strip);

/* A number in groups of three digits, with thin spaces. Returns `buffer`. */
const char *vks_group_digits(uint64_t number, char buffer[40]);

/* A row of the page of keys. */
struct vks_key_row {
    const char *keys; /* "P, Shift+P"; NULL: `help` is a heading */
    const char *help;
};

struct vks_keys_page;

enum vks_result vks_keys_page_create(struct vks_keys_page **page);
void vks_keys_page_destroy(struct vks_keys_page *page); /* NULL is fine */
/* The size in points at which all rows fit, within the given one. */
void vks_keys_page_size(size_t count, float max_width, float max_height, float *width,
                        float *height);
enum vks_result vks_keys_page_draw(struct vks_keys_page *page, const struct vks_key_row *rows,
                                   size_t count, uint32_t width, uint32_t height, float scale,
                                   struct vks_update *update);
const struct vks_canvas *vks_keys_page_canvas(const struct vks_keys_page *page);

#endif
