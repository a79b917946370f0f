/* SPDX-License-Identifier: MIT */
/* Drawing for the window's panel, on the CPU: shapes, images and text, recorded for every picture
 * and compared with the picture before, so that only what differs is drawn again. Lengths are in
 * points, which are `scale` pixels; edges of boxes and text are on whole pixels. */
#ifndef VKS_UI_DRAW_H
#define VKS_UI_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vksim/result.h>

#include "ui/place.h"
#include "view/text.h"

/* Points. */
struct vks_box {
    float x, y, width, height;
};

/* RGBA8 pixels of the caller, without alpha; NULL: none. They stay until the end of the picture
 * after the next one; another `version` says that they have changed. */
struct vks_thumb {
    const uint8_t *rgba;
    uint32_t width, height;
    uint32_t version;
};

/* A style of text. */
struct vks_style {
    float size;    /* the em, in points */
    float spacing; /* between characters, besides their own */
    uint8_t weight;
    bool tabular; /* all digits have the same width */
};

/* What was drawn, for tests: its place in pixels, and the text, NULL for a shape. */
struct vks_drawn {
    struct vks_rect bounds; /* of the whole; of text from the ascent to the descent */
    struct vks_rect visible;
    const char *text;
};

struct vks_draw;

enum { VKS_MAX_RECTS = 64 }; /* that one picture changes */

/* Colours are 0xRRGGBB. */

enum vks_result vks_draw_create(struct vks_draw **draw);
void vks_draw_destroy(struct vks_draw *draw); /* NULL is fine */

/* Starts a picture of that size in pixels, on a background of one colour. */
void vks_draw_begin(struct vks_draw *draw, uint32_t width, uint32_t height, float scale,
                    uint32_t background);
/* Draws what differs from the picture before into vks_draw_canvas(), and sets rects[0] to
 * rects[*count - 1] to what has changed: at most VKS_MAX_RECTS. */
enum vks_result vks_draw_end(struct vks_draw *draw, struct vks_rect *rects, size_t *count);
/* Valid until the next vks_draw_begin(). */
const struct vks_canvas *vks_draw_canvas(const struct vks_draw *draw);

/* Restricts what follows to a box and to the clip before, until vks_draw_unclip(). */
void vks_draw_clip(struct vks_draw *draw, struct vks_box box);
void vks_draw_unclip(struct vks_draw *draw);

/* A box with rounded corners. `radius` may be large: then the ends are round. */
void vks_draw_box(struct vks_draw *draw, struct vks_box box, float radius, uint32_t colour);
/* The same, but only its border of that thickness, inside. */
void vks_draw_outline(struct vks_draw *draw, struct vks_box box, float radius, float thickness,
                      uint32_t colour);
/* A disc, not moved to whole pixels. */
void vks_draw_disc(struct vks_draw *draw, float x, float y, float radius, uint32_t colour);
void vks_draw_line(struct vks_draw *draw, float x0, float y0, float x1, float y1, float thickness,
                   uint32_t colour);
void vks_draw_triangle(struct vks_draw *draw, const float corners[6], uint32_t colour);
/* Scales the image into the box. */
void vks_draw_image(struct vks_draw *draw, struct vks_box box, float radius,
                    const struct vks_thumb *image);

/* Text from `x`, on a baseline. Returns its end. */
float vks_draw_text(struct vks_draw *draw, float x, float baseline, const struct vks_style *style,
                    uint32_t colour, const char *text);
float vks_draw_text_width(struct vks_draw *draw, const struct vks_style *style, const char *text);
/* Copies the text, cut with an ellipsis where it is wider. Returns `buffer`. */
const char *vks_draw_text_fit(struct vks_draw *draw, const struct vks_style *style,
                              const char *text, float width, char *buffer, size_t size);

/* A colour between two: `part` 0 gives the first. */
uint32_t vks_blend(uint32_t from, uint32_t to, float part);

/* The part of the recorded picture with that index; false past the last. */
bool vks_draw_item(const struct vks_draw *draw, size_t index, struct vks_drawn *item);

#endif
