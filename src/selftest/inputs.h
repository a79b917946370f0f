/* SPDX-License-Identifier: MIT */
/* What the functions and operations of selftest/functions.h are tried with. */
#ifndef VKS_SELFTEST_INPUTS_H
#define VKS_SELFTEST_INPUTS_H

#include <stdint.h>

#include "selftest/functions.h"

enum { VKS_FIRST_OPERATION = EXACT_ADD };

struct vks_words {
    uint32_t x, y, z, w;
};

/* A random input in the function's domain, often at an edge: ties, neighbours, whole numbers. The
 * state of the random numbers advances. */
struct vks_words vks_selftest_input(uint32_t function, uint64_t *random);

#endif
