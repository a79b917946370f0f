// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#define ELEMENT uvec2
#include "core/move.glsl"
