// SPDX-License-Identifier: MIT
// Fields of several planes, each with its own colours. docs/pictures.md.
#ifndef VKS_VIEW_MIX_GLSL
#define VKS_VIEW_MIX_GLSL

// Loops over the planes test at their end: a loop of SwiftShader's that tests first computes one
// turn more than it counts.
layout(constant_id = 5) const uint planes = 1u;
layout(constant_id = 6) const bool strongest = false; // not the sum of the colours

// The colour of the planes before one of colour `next`, with that one. `highest`: its normalised
// value is above theirs.
uvec3 mixed(uvec3 colour, uvec3 next, bool highest)
{
    return strongest ? (highest ? next : colour) : colour + next;
}
#endif
