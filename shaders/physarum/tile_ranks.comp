// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#define PHYSARUM_RANKS
#include "physarum/tile.glsl"
