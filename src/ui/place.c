/* SPDX-License-Identifier: MIT */
#include "ui/place.h"

#include <math.h>

struct vks_place vks_place_whole(struct vks_size picture, struct vks_rect area)
{
    uint64_t width = (uint64_t)area.width, height = (uint64_t)area.height;
    if (width * picture.height <= height * picture.width) {
        height = (width * picture.height + picture.width / 2) / picture.width;
    } else {
        width = (height * picture.width + picture.height / 2) / picture.height;
    }
    width = width ? width : 1;
    height = height ? height : 1;
    return (struct vks_place){
        .area = {area.x + (area.width - (int32_t)width) / 2,
                 area.y + (area.height - (int32_t)height) / 2, (int32_t)width, (int32_t)height},
        .across = (double)width / picture.width,
        .down = (double)height / picture.height,
    };
}

/* Where the area begins in a picture that has `at` at the distance `from` from the beginning. */
static double find_start(double at, double from, double zoom, uint32_t size, int32_t length,
                         bool wraps)
{
    const double seen = length / zoom, start = at - from / zoom;
    if (wraps) {
        return start - floor(start / size) * size;
    }
    return seen >= size          ? (size - seen) / 2
           : start < 0           ? 0
           : start > size - seen ? size - seen
                                 : start;
}

struct vks_place vks_place_zoomed(struct vks_size picture, struct vks_rect area, double zoom,
                                  double x, double y, double at_x, double at_y, bool wraps)
{
    return (struct vks_place){
        .area = area,
        .left = find_start(x, at_x - area.x, zoom, picture.width, area.width, wraps),
        .top = find_start(y, at_y - area.y, zoom, picture.height, area.height, wraps),
        .across = zoom,
        .down = zoom,
        .wraps = wraps,
    };
}

/* One coordinate of vks_place_find(). */
static bool find(double start, double scale, uint32_t size, bool wraps, double from, double *found)
{
    const double at = start + from / scale;
    *found = wraps ? at - floor(at / size) * size : at;
    return *found >= 0 && *found < size;
}

bool vks_place_find(const struct vks_place *place, struct vks_size picture, double at_x,
                    double at_y, double *x, double *y)
{
    const double from_x = at_x - place->area.x, from_y = at_y - place->area.y;
    const bool inside =
        from_x >= 0 && from_x < place->area.width && from_y >= 0 && from_y < place->area.height;
    const bool across = find(place->left, place->across, picture.width, place->wraps, from_x, x);
    const bool down = find(place->top, place->down, picture.height, place->wraps, from_y, y);
    return inside && across && down;
}

/* A whole number if it is nearly one. */
static double snap(double value)
{
    const double whole = floor(value + 0.5);
    return fabs(value - whole) < 1e-6 ? whole : value;
}

size_t vks_place_covers(double start, double scale, uint32_t size, bool wraps, int32_t at,
                        int32_t length, struct vks_cover covers[VKS_MAX_COVERS])
{
    start = snap(start);
    const double end = snap(start + length / scale);
    size_t count = 0;
    double pixel = floor(start);
    while (pixel < end && count < VKS_MAX_COVERS) {
        const double turn = wraps ? floor(pixel / size) * size : 0;
        /* Whole pixels to the picture's edge; a pixel that the area cuts stands alone. */
        double next = turn + size < floor(end) ? turn + size : floor(end);
        next = pixel < start || next <= pixel ? pixel + 1 : next;
        const double first = floor((pixel - start) * scale + 0.5);
        const double last = floor((next - start) * scale + 0.5);
        const struct vks_cover cover = {
            .from = (int32_t)(pixel - turn),
            .to = (int32_t)(next - turn),
            .at = at + (int32_t)(first > 0 ? first : 0),
            .end = at + (int32_t)(last < length ? last : length),
        };
        const bool within = wraps || (cover.from >= 0 && cover.from < (int32_t)size);
        if (within && cover.end > cover.at) {
            covers[count++] = cover;
        }
        pixel = wraps || within ? next : cover.from < 0 ? 0 : end;
    }
    return count;
}
