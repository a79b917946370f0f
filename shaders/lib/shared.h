/* SPDX-License-Identifier: MIT */
/* Included first by parameter headers that are read as C and as GLSL: only uint and float members,
 * so that both have the same layout. */
#ifndef VKS_LIB_SHARED_H
#define VKS_LIB_SHARED_H
#ifdef __STDC__ /* C: GLSL has no such macro */
#include <stdint.h>
typedef uint32_t vks_shader_uint;
#define VKS_UINT vks_shader_uint
#else
#define VKS_UINT uint
#endif
#endif
