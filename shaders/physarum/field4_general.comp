// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#define COLUMNS 4
#define PHYSARUM_GENERAL
#include "physarum/fields.glsl"
