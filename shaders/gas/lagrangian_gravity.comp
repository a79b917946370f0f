// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#define GAS_GRAVITY
#include "gas/lagrangian.glsl"
