// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#define COLUMNS 1
#include "physarum_3d/field.glsl"
