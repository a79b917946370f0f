// SPDX-License-Identifier: MIT
// For widths that are a multiple of 16: few, wide accesses.
#version 460
#extension GL_GOOGLE_include_directive : require
#define VKS_TEXELS
#define COLUMNS 16
#include "physarum_3d/field.glsl"
