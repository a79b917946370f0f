/* SPDX-License-Identifier: MIT */
/* The parts of the window: where the picture, the panel and the strip are, and how the picture is
 * magnified. */
#ifndef VKS_UI_VIEWPORT_H
#define VKS_UI_VIEWPORT_H

#include "ui/place.h"

struct vks_viewport {
    struct vks_size picture;
    bool wraps;        /* a magnified picture continues at its edges */
    bool panel, strip; /* are shown */
    int notice;        /* points below the picture for a notice; 0: none */
    bool magnified;    /* else the whole picture is shown */
    double zoom, x, y; /* of a magnified one: screen pixels per pixel, and its middle */
    /* Of the window, in pixels: */
    uint32_t width, height; /* 0: minimised */
    float scale;            /* pixels per point */
};

/* Rectangles in pixels; of no width where they are not shown. */
struct vks_rect vks_viewport_panel(const struct vks_viewport *port);
struct vks_rect vks_viewport_strip(const struct vks_viewport *port);
struct vks_rect vks_viewport_notice(const struct vks_viewport *port);
struct vks_rect vks_viewport_area(const struct vks_viewport *port); /* of the picture */
struct vks_place vks_viewport_place(const struct vks_viewport *port);

/* Multiplies the magnification and keeps what is at that point of the window. */
void vks_viewport_zoom(struct vks_viewport *port, double factor, double at_x, double at_y);
/* Moves the picture by pixels of the screen. */
void vks_viewport_pan(struct vks_viewport *port, double across, double down);
/* Moves what is at that point of the window to the middle. */
void vks_viewport_centre(struct vks_viewport *port, double at_x, double at_y);
/* One pixel per pixel of the screen; all of it. */
void vks_viewport_to_pixels(struct vks_viewport *port);
void vks_viewport_to_whole(struct vks_viewport *port);

#endif
