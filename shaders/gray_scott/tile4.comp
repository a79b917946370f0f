// SPDX-License-Identifier: MIT
// Fused steps of a tile with four columns per invocation.
#version 460
#extension GL_GOOGLE_include_directive : require
#define COLUMNS 4
#include "gray_scott/tile.glsl"
