/* SPDX-License-Identifier: MIT */
/* Text in pictures and in the window: a built-in stroke font at any size. Each printable ASCII
 * character, and some signs, arrows and Greek letters, is a few lines and curves; a pixel's
 * coverage follows from its distance to the nearest one. Strokes are hinted to the pixel grid, so
 * small text stays crisp. Only additions, products and square roots in double, so that the pixels
 * are identical on every machine. */
#ifndef VKS_VIEW_TEXT_H
#define VKS_VIEW_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include <vksim/result.h>

/* RGBA8 pixels (byte 0 red), rows from the top, no padding. */
struct vks_canvas {
    uint8_t *rgba;
    uint32_t width, height;
};

enum { VKS_MIN_TEXT_SIZE = 6, VKS_MAX_TEXT_SIZE = 512 }; /* pixels */

/* `size` is the em in pixels; capitals are about 0.7 em high. Sizes are clamped to the range above.
 * A UTF-8 character that the font lacks is drawn as a box. */

/* Width of the text in pixels, with the gaps at its ends. */
uint32_t vks_text_width(const char *text, uint32_t size);
/* Pixels from the baseline up to the top of capitals, and down to the bottom of descenders. */
uint32_t vks_text_ascent(uint32_t size);
uint32_t vks_text_descent(uint32_t size);

/* Draws the text with its left end at `x` and its baseline on the lower edge of row `y` - 1, over
 * the existing pixels and clipped to the canvas. `colour` is 0xRRGGBB. Alpha never decreases.
 * Returns x + vks_text_width(). */
int64_t vks_text_draw(const struct vks_canvas *canvas, int64_t x, int64_t y, const char *text,
                      uint32_t size, uint32_t colour);

/* The code point of the next UTF-8 character; advances *text past it. Any bytes are allowed. */
uint32_t vks_text_next(const char **text);

/* A character alone, to be kept and drawn many times. */
struct vks_glyph {
    int32_t left, top; /* of the coverage, in pixels right of the pen and below the baseline */
    uint32_t width, height;
    uint32_t advance;  /* from this pen position to the next */
    uint8_t *coverage; /* 0 to 255, rows from the top, on the heap; NULL: nothing to draw */
};

/* `weight` is the width of strokes in 1/100 em; vks_text_draw() has 9. On failure there is nothing
 * to free. */
enum vks_result vks_text_glyph(uint32_t code, uint32_t size, uint32_t weight,
                               struct vks_glyph *glyph);

/* Copies the text, truncated with "..." to fit into `max_width` pixels; "" if not even that fits.
 * Never splits a UTF-8 character. Returns `buffer`. */
const char *vks_text_fit(const char *text, uint32_t size, uint32_t max_width, char *buffer,
                         size_t buffer_size);

#endif
