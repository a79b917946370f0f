// SPDX-License-Identifier: MIT
// For widths that are a multiple of 4.
#version 460
#extension GL_GOOGLE_include_directive : require
#define COLUMNS 4
#include "physarum_3d/field.glsl"
