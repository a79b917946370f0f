// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#define GAS_RANKS
#define TILE_AMOUNTS 1u
#include "gas/limits.glsl"
