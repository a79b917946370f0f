/* SPDX-License-Identifier: MIT */
/* Strokes of a model's brushes: what the GPU reads of them, and the passes that apply them. */
#ifndef VKS_GRAPH_BRUSH_H
#define VKS_GRAPH_BRUSH_H

#include "core/stroke.h"
#include "graph/model.h"

/* The field "strokes". */
struct vks_strokes {
    uint32_t words[STROKE_HEADER + VKS_MAX_STROKES * STROKE_WORDS];
};

/* Computes it from up to VKS_MAX_STROKES strokes whose numbers are in range; `closed`: they end at
 * the edges of the grid. */
void vks_strokes_set(struct vks_strokes *words, const struct vks_config *config, bool closed,
                     const struct vks_stroke *strokes, size_t count);

/* Declares the passes of a brush in an empty declaration, bound to that of the steps, `base`.
 * `made_from` differs from one use of the graph to the next. */
void vks_declare_brush(const struct vks_model *model, const struct vks_config *config,
                       const struct vks_brush *brush, const struct vks_strokes *strokes,
                       uint64_t made_from, const struct vks_declaration *base,
                       struct vks_declaration *declaration);

#endif
