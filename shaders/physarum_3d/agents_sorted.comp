// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#define PHYSARUM_3D_SORTED
#include "physarum_3d/agents.glsl"
