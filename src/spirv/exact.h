/* SPDX-License-Identifier: MIT */
/* Checks that a compiled shader keeps to exact arithmetic.
 *
 * vksim promises the same bytes on every device, so a shader that feeds state or pictures may use
 * only operations that Vulkan defines to the last bit (docs/architecture.md). The check is of the
 * final SPIR-V, after any optimizer, because an optimizer may drop the NoContraction decoration
 * from code that it copies.
 *
 * What is not listed in rules.h as exact is an offence, so an instruction of a later SPIR-V is one
 * too. Entry points must be compute shaders: what a rasterizer interpolates is not exact.
 *
 * Part of the build, and of the library for shaders from outside. */
#ifndef VKS_SPIRV_EXACT_H
#define VKS_SPIRV_EXACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum vks_spv_verdict { VKS_SPV_EXACT, VKS_SPV_INEXACT, VKS_SPV_MALFORMED };

struct vks_spv_counts {
    uint64_t arithmetic; /* float operations */
    uint64_t offences;
};

/* Writes one line per offence to `out`, or one that says why this is not a SPIR-V module. A line
 * begins with the file and line of the source if the module has them (glslc -g), else with `name`.
 */
enum vks_spv_verdict vks_spv_exact(const char *name, const uint32_t *words, size_t count, FILE *out,
                                   struct vks_spv_counts *counts);

#endif
