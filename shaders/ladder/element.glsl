// SPDX-License-Identifier: MIT
// The data of a kernel that takes float32 and float16. The build compiles a shader that includes
// this a second time with FLOAT16. Arithmetic is in float32 either way.
#ifndef VKS_LADDER_ELEMENT_GLSL
#define VKS_LADDER_ELEMENT_GLSL

#ifdef FLOAT16
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#define ELEMENT float16_t
#define ELEMENT4 f16vec4
#else
#define ELEMENT float
#define ELEMENT4 vec4
#endif
#define VALUE(element) float(element)
#define VALUE4(elements) vec4(elements)

#endif
