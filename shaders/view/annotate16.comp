// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#define ANNOTATE_16
#include "view/annotate.glsl"
