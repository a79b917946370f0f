// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#define VKS_TEXELS
#define VIEW_FALLBACK
#define VIEW_FOURS
#include "view/colour.glsl"
