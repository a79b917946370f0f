// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#define PHYSARUM_WIDE_WINDOW
#define PHYSARUM_AT_ONCE
#include "physarum/windows.glsl"
