// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#define TILE_AMOUNTS GAS_AMOUNTS
#include "gas/edge_sums.glsl"
