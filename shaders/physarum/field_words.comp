// SPDX-License-Identifier: MIT
// The field's pass with few agents.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "physarum/words.glsl"

void main()
{
    move_column(vks_item());
}
