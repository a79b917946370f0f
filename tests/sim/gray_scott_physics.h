/* SPDX-License-Identifier: MIT */
/* What must hold of Gray-Scott wherever it runs: decay of waves, conservation, states that rest,
 * symmetries. The reference and every device are held to the same laws. */
#ifndef VKS_TESTS_SIM_GRAY_SCOTT_PHYSICS_H
#define VKS_TESTS_SIM_GRAY_SCOTT_PHYSICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Something that runs Gray-Scott. */
struct gray_scott_lab {
    void *self;
    /* Takes u and v (height x width) through the steps. False after a failure that it has said. */
    bool (*run)(void *self, uint32_t width, uint32_t height, const char *options, uint32_t steps,
                float *u, float *v);
};

struct gray_scott_law {
    const char *name;
    bool (*holds)(const struct gray_scott_lab *lab); /* says on standard output what does not */
};

extern const struct gray_scott_law gray_scott_laws[];
extern const size_t gray_scott_law_count;

#endif
