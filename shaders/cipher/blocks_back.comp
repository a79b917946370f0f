// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#define CIPHER_BACK
#include "cipher/blocks.glsl"
