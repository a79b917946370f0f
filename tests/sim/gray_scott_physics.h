/* SPDX-License-Identifier: MIT */
/* Physical laws of Gray-Scott, for the reference and every device: decay of waves, conservation,
 * fixed points, symmetries. */
#ifndef VKS_TESTS_SIM_GRAY_SCOTT_PHYSICS_H
#define VKS_TESTS_SIM_GRAY_SCOTT_PHYSICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Something that runs Gray-Scott. */
struct gray_scott_lab {
    void *self;
    /* Advances u and v (height x width) by the steps. False after a failure, which it reports. */
    bool (*run)(void *self, uint32_t width, uint32_t height, const char *options, uint32_t steps,
                float *u, float *v);
};

struct gray_scott_law {
    const char *name;
    bool (*holds)(const struct gray_scott_lab *lab); /* reports failures on standard output */
};

extern const struct gray_scott_law gray_scott_laws[];
extern const size_t gray_scott_law_count;

#endif
