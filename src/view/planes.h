/* SPDX-License-Identifier: MIT */
/* What can be copied of a frame: one table for the view that makes it, the ring that copies it and
 * the outputs that take it. docs/pictures.md. */
#ifndef VKS_VIEW_PLANES_H
#define VKS_VIEW_PLANES_H

#include <stdbool.h>
#include <stdint.h>

#include <vksim/vksim.h>

enum { VKS_PLANES = VKS_PLANE_HEIGHTS + 1 }; /* enum vks_frame_plane */

struct vks_plane_format {
    const char *field;     /* of the graph that draws the picture */
    uint32_t pixel_bytes;  /* of a picture with as many samples as pixels; else 0 */
    uint32_t sample_bytes; /* of YUV 4:2:0; else 0 */
};

extern const struct vks_plane_format vks_plane_formats[VKS_PLANES]; /* by enum vks_frame_plane */

/* A set of planes has a bit for each. */
static inline unsigned vks_plane_bit(enum vks_frame_plane plane)
{
    return 1U << plane;
}

static inline bool vks_has_plane(unsigned planes, enum vks_frame_plane plane)
{
    return (planes & vks_plane_bit(plane)) != 0;
}

/* Those made with 16 bits per channel, and those without transparency. */
bool vks_planes_are_deep(unsigned planes);
bool vks_planes_are_opaque(unsigned planes);

/* Bytes of a plane of a picture; VKS_PLANE_VALUES has values of `value_planes` planes (0: one), one
 * after the other. Of VKS_PLANE_CELLS those of a field with these cells (width, height, depth). */
uint64_t vks_plane_bytes(enum vks_frame_plane plane, uint32_t width, uint32_t height,
                         uint32_t value_planes, const uint32_t cells[3]);

/* Size of the YUV planes for a picture: width to a multiple of 8, height to one of 2. */
void vks_coded_size(uint32_t width, uint32_t height, uint32_t *coded_width, uint32_t *coded_height);

#endif
