// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#define PHYSARUM_GENERAL
#define PHYSARUM_COLUMNS
#include "physarum/column_sums4.glsl"
