/* SPDX-License-Identifier: MIT */
/* Where a picture is on the screen: whole, or magnified and moved. */
#ifndef VKS_UI_PLACE_H
#define VKS_UI_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/option.h"

/* Pixels. */
struct vks_rect {
    int32_t x, y, width, height;
};

struct vks_place {
    struct vks_rect area;
    double left, top;    /* of the area, in pixels of the picture */
    double across, down; /* pixels of the screen per pixel of the picture */
    bool wraps;          /* the picture continues at its opposite edge */
};

/* The whole picture, centred, as large as the area allows with the picture's aspect ratio. */
struct vks_place vks_place_whole(struct vks_size picture, struct vks_rect area);
/* The picture at that many screen pixels per pixel, with its point (x, y) at the point (at_x, at_y)
 * of the screen. One that does not wrap stays in the area: it is centred in a direction in which it
 * is smaller. */
struct vks_place vks_place_zoomed(struct vks_size picture, struct vks_rect area, double zoom,
                                  double x, double y, double at_x, double at_y, bool wraps);
/* The point of the picture, in its pixels, at a point of the screen. False outside the picture. */
bool vks_place_find(const struct vks_place *place, struct vks_size picture, double at_x,
                    double at_y, double *x, double *y);

/* In one direction: pixels `from` to `to` - 1 of the picture cover those `at` to `end` - 1 of the
 * screen. */
struct vks_cover {
    int32_t from, to, at, end;
};

enum { VKS_MAX_COVERS = 64 };

/* The covers of a picture `size` pixels long in an area `length` pixels long from `at` on, which
 * begins at the picture's pixel `start`. Returns their number; what they do not cover is empty. */
size_t vks_place_covers(double start, double scale, uint32_t size, bool wraps, int32_t at,
                        int32_t length, struct vks_cover covers[VKS_MAX_COVERS]);

#endif
