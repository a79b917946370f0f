/* SPDX-License-Identifier: MIT */
/* Pictures drawn in bands: first what all bands have in common, then band by band from the top,
 * each a frame of the graph. docs/pictures.md. Most pictures are a single band. */
#ifndef VKS_VIEW_BANDS_H
#define VKS_VIEW_BANDS_H

#include "graph/graph.h"
#include "view/view.h"

struct vks_bands {
    struct vks_graph *graph;   /* declared with vks_declare_view() */
    struct vks_graph *stepped; /* whose steps the picture shows; NULL: `graph` */
    uint32_t height;           /* of the picture */
    uint32_t rows;             /* of a band, the last may have fewer; `height`: a single band */
    bool alpha;                /* the picture may be transparent in places */
    void *user;
    /* Declares everything again for this part and row (struct vks_view_params), updates and fills
     * the graph. Not called for a single band. */
    enum vks_result (*update)(void *user, enum vks_view_part part, uint32_t row);
};

/* The rows of a graph's bands, from its field "picture"; 0: it draws none. */
uint32_t vks_band_rows(const struct vks_graph *graph);

/* Draws what all bands need and waits for it; does nothing for a single band. Call it once per
 * picture, because each call advances a smooth range. */
enum vks_result vks_bands_begin(const struct vks_bands *bands);
/* Submits the band that begins with `row`, as vks_graph_frame(); may be repeated. */
enum vks_result vks_bands_draw(const struct vks_bands *bands, uint32_t row,
                               void (*record)(void *user, VkCommandBuffer commands), void *user,
                               uint64_t *value);

#endif
