/* SPDX-License-Identifier: MIT */
#ifndef VKS_LADDER_ACCESS_INTERNAL_H
#define VKS_LADDER_ACCESS_INTERNAL_H

#include "ladder/access_picture.h"
#include "report/svg.h"

/* Pixels. */
#define VKS_ACCESS_WIDTH 860.0
#define VKS_ACCESS_MARGIN 28.0

/* The text of a shader, which tools/embed_text.py made. */
struct vks_ladder_text {
    const char *name; /* ladder/NAME; NULL ends the table */
    const char *const *lines;
};
extern const struct vks_ladder_text vks_ladder_texts[];

/* A panel shows one array: a buffer's accesses of one kind, or all of a shared array. */
struct vks_access_panel {
    const struct vks_access_trace *trace;
    size_t array;
    int pass;
    uint32_t kind;                 /* of the request that is picked out */
    struct vks_access_total total; /* of that kind; total.worst is picked out */
};

/* Lists the panels of a pass: inputs, shared arrays, outputs. Returns their number. */
size_t vks_access_panels(const struct vks_access_trace *trace, int pass,
                         struct vks_access_panel *panels, size_t capacity);
/* Draws one with cells of `cell` pixels, 32 in a row. Returns the y below it; NAN if memory ran
 * out. */
double vks_access_put_panel(FILE *out, const struct vks_access_panel *panel, double x, double y,
                            double cell);

/* The time line of a pass. Returns the y below it; *waits: some subgroup waits at a barrier. */
double vks_access_put_time(FILE *out, const struct vks_access_trace *trace, int pass, double y,
                           bool *waits);

/* "loads", "stores", "atomics": of buffers and shared memory. */
const char *vks_access_verb(uint32_t kind);
/* A mean without needless digits: "4", "4.5". */
const char *vks_access_mean(uint64_t sum, uint64_t count, char text[32]);

#endif
