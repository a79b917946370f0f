/* SPDX-License-Identifier: MIT */
/* Annotations of pictures (docs/pictures.md) in plain C, with the numbers of printf(). */
#ifndef VKS_TESTS_SIM_ANNOTATION_REFERENCE_H
#define VKS_TESTS_SIM_ANNOTATION_REFERENCE_H

#include "view_reference.h"

struct annotation_reference {
    const char *title, *unit, *fallback;
    const char *names[8]; /* of planes */
    const char *kind;     /* "mean " and so on, of a volume; summed: without the unit */
    bool summed;
    bool light;    /* on a light picture */
    bool has_time; /* `amount` is in units of 2^-40; else steps */
    uint64_t amount;
    uint32_t box; /* cells of a unit of length; 0: lengths are in cells */
};

/* The decimal number of that many significant digits as in pictures; `trims`: without final zeros.
 * Returns `text`. */
const char *annotation_number(float value, int digits, bool trims, char text[32]);

/* Draws over a frame with the view's range. `other`: of the fallback. */
void annotation_draw(const struct annotation_reference *annotation,
                     const struct view_reference *view, bool other, const struct view_frame *frame);

#endif
