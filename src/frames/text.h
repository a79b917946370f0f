/* SPDX-License-Identifier: MIT */
/* Lettering for captions: a stroke font of our own, drawn at any size. Every printable ASCII
 * character is a few lines and curves; a pixel is covered by its distance to the nearest one. Lines
 * are fitted to the pixel grid, so small text stays crisp. Only additions, products and square
 * roots in double: the same bytes on every machine. */
#ifndef VKS_FRAMES_TEXT_H
#define VKS_FRAMES_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* RGBA8 pixels (byte 0 red), rows from the top, no padding. */
struct vks_canvas {
    uint8_t *rgba;
    uint32_t width, height;
};

enum { VKS_TEXT_SMALLEST = 6, VKS_TEXT_LARGEST = 512 }; /* sizes, pixels */

/* `size` is that of the em, in pixels: capitals are 0.7 of it high. Sizes outside the range above
 * are taken as its ends. What is not printable ASCII is drawn as a box, one a UTF-8 character. */

/* Pixels that the text takes, its outer gaps included. */
uint32_t vks_text_width(const char *text, uint32_t size);
/* Pixels from the baseline up to the top of capitals, and down to the bottom of descenders. */
uint32_t vks_text_ascent(uint32_t size);
uint32_t vks_text_descent(uint32_t size);

/* Draws the text with its left end at `x` and its baseline on the lower edge of row `y` - 1, over
 * what is there; what falls outside the canvas is left out. `colour` is 0xRRGGBB. Alpha becomes
 * what it was or more. Returns x + vks_text_width(). */
int64_t vks_text_draw(const struct vks_canvas *canvas, int64_t x, int64_t y, const char *text,
                      uint32_t size, uint32_t colour);

/* Copies as much of the text as fits into `most` pixels, ended with "..." where it was cut; "" if
 * not even that fits. Never cuts within a UTF-8 character. Returns `buffer`. */
const char *vks_text_fit(const char *text, uint32_t size, uint32_t most, char *buffer,
                         size_t buffer_size);

#endif
