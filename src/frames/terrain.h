/* SPDX-License-Identifier: MIT */
/* Terrain from the heights of a picture: erosion, levels and caves, in integers on the host.
 * docs/terrain.md. */
#ifndef VKS_FRAMES_TERRAIN_H
#define VKS_FRAMES_TERRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include <vksim/result.h>

enum { VKS_MAX_LEVELS = 256, VKS_MAX_HEIGHT = 65535, VKS_MAX_VERTICES = 1 << 26 };

struct vks_terrain {
    uint32_t erode;        /* passes of thermal erosion */
    uint32_t talus;        /* height difference that is stable, 0 to VKS_MAX_HEIGHT */
    uint32_t levels;       /* discrete levels, 2 to VKS_MAX_LEVELS; 0: none */
    uint32_t level_smooth; /* passes of the majority filter */
    /* A `.png`, `.npy` or `.csv` holds caves instead: connected cells of these levels. */
    bool caves;
    uint32_t first_open, last_open;
    uint64_t cave_min; /* cells; smaller caves are closed */
    /* A mesh: the length of a cell, the height of VKS_MAX_HEIGHT and the thickness of a solid base
     * in cells. */
    double size, relief, base;
    bool heights; /* a `.png` holds the heights */
};

/* Erodes the heights, 0 to VKS_MAX_HEIGHT, of width x height pixels, and divides them into levels.
 * *levels (may be NULL): the level of each, to be freed; NULL without levels. VKS_ERROR_MEMORY. */
enum vks_result vks_terrain_shape(const struct vks_terrain *terrain, uint32_t *heights,
                                  uint32_t width, uint32_t height, uint8_t **levels);
/* The label of each pixel, to be freed: 1 + the index of the first pixel of its cave in reading
 * order; 0: it is closed. Pixels that share an edge are connected. */
enum vks_result vks_terrain_caves(const struct vks_terrain *terrain, const uint8_t *levels,
                                  uint32_t width, uint32_t height, uint32_t **labels);

/* --- meshes (mesh.c) ------------------------------------------------------------------------- */

/* The vertices of a mesh of that many pixels, with a base or without. */
uint64_t vks_mesh_vertices(const struct vks_terrain *terrain, uint32_t width, uint32_t height);

#endif
