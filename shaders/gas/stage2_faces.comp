// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define GAS_FACES
#define GAS_SECOND
#include "gas/stage.glsl"
