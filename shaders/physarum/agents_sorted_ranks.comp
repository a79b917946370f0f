// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#define PHYSARUM_RANKS
#define PHYSARUM_SORTED
#include "physarum/agents_direct.glsl"
