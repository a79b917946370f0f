/* SPDX-License-Identifier: MIT */
/* What can be copied of a frame: one table for the view that makes it, the ring that copies it and
 * the outputs that take it. docs/pictures.md. */
#ifndef VKS_VIEW_PLANES_H
#define VKS_VIEW_PLANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vksim/vksim.h>

/* enum vks_frame_plane, and one that only the tool uses: arrays of items, words in order of number
 */
enum { VKS_PUBLIC_PLANES = VKS_PLANE_HEIGHTS + 1, VKS_PLANE_ITEMS = VKS_PUBLIC_PLANES, VKS_PLANES };

/* An array of VKS_PLANE_CELLS or VKS_PLANE_ITEMS: one field, or those of a vector's components
 * along z, y and x. */
struct vks_export {
    char name[64];
    const char *fields[3]; /* the declaration's or the model's */
    bool is_vector;
    bool is_integer; /* of items: uint32; else float32 */
};

enum { VKS_MAX_EXPORTS = 40 };

/* The arrays of such a plane, one after the other, each with its components one after the other. */
struct vks_exports {
    struct vks_export list[VKS_MAX_EXPORTS];
    size_t count;
    const char *of; /* the items (vks_declare_items()): the declaration's */
};

/* The number of components of an array, and of all arrays. */
static inline uint32_t vks_export_components(const struct vks_export *array)
{
    return array->is_vector ? 3 : 1;
}
uint32_t vks_exports_components(const struct vks_exports *exports);
/* The field of a picture's graph with a component of such a plane. Returns `name`. */
const char *vks_export_copy(unsigned plane, uint32_t component, char name[32]);

/* How much of such planes there is. */
struct vks_extents {
    uint32_t cells[3]; /* width, height and depth of the fields of cells */
    uint32_t of_cells; /* components; 0: one */
    uint64_t items;
    uint32_t of_items; /* components */
};

struct vks_plane_format {
    const char *field;     /* of the graph that draws the picture */
    uint32_t pixel_bytes;  /* of a picture with as many samples as pixels; else 0 */
    uint32_t sample_bytes; /* of YUV 4:2:0; else 0 */
};

extern const struct vks_plane_format vks_plane_formats[VKS_PLANES]; /* by enum vks_frame_plane */

/* A set of planes has a bit for each. */
static inline unsigned vks_plane_bit(unsigned plane)
{
    return 1U << plane;
}

static inline bool vks_has_plane(unsigned planes, unsigned plane)
{
    return (planes & vks_plane_bit(plane)) != 0;
}

/* Those made with 16 bits per channel, and those without transparency. */
bool vks_planes_are_deep(unsigned planes);
bool vks_planes_are_opaque(unsigned planes);

/* Bytes of a plane of a picture; VKS_PLANE_VALUES has values of `value_planes` planes (0: one), one
 * after the other. VKS_PLANE_CELLS and VKS_PLANE_ITEMS depend on the extents. */
uint64_t vks_plane_bytes(unsigned plane, uint32_t width, uint32_t height, uint32_t value_planes,
                         const struct vks_extents *extents);

/* Size of the YUV planes for a picture: width to a multiple of 8, height to one of 2. */
void vks_coded_size(uint32_t width, uint32_t height, uint32_t *coded_width, uint32_t *coded_height);

#endif
