// SPDX-License-Identifier: MIT
// Fused steps of a tile with two columns per invocation.
#version 460
#extension GL_GOOGLE_include_directive : require
#define COLUMNS 2
#include "gray_scott/tile.glsl"
