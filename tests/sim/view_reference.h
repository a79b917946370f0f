/* SPDX-License-Identifier: MIT */
/* The picture passes (docs/pictures.md) in plain C: the bytes that every device must leave. */
#ifndef VKS_TESTS_SIM_VIEW_REFERENCE_H
#define VKS_TESTS_SIM_VIEW_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

enum view_mode { VIEW_OF_FRAME, VIEW_OF_FIXED, VIEW_OF_SMOOTH };

struct view_reference {
    uint32_t width, height;
    enum view_mode mode;
    float low, high; /* of VIEW_OF_FIXED */
    float gamma, contrast;
    float level[4]; /* low, high, 1 / (high - low) or 0, 1 once there was a frame; zero at first */
    const uint32_t *palette; /* 256 */
};

/* Draws `values` into `pixels` (width x height each), and moves the level on. */
void view_draw(struct view_reference *view, const float *values, uint32_t *pixels);

/* Planar YUV 4:2:0 of the coded size (width to a multiple of 8, height to one of 2): Y, U, V. */
void view_planes(uint32_t width, uint32_t height, const uint32_t *pixels, uint8_t *planes);

/* Luma of a pixel; blue and red difference of the sums of four pixels' channels. */
uint8_t view_luma(int red, int green, int blue);
uint8_t view_blue(int red4, int green4, int blue4);
uint8_t view_red(int red4, int green4, int blue4);

#endif
