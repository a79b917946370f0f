// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#define MIGRATE_WORD_PLACE
#include "core/leave.glsl"
