// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#define GAS_RANKS
#define TILE_AMOUNTS GAS_AMOUNTS
#include "gas/nodes.glsl"
