// SPDX-License-Identifier: MIT
// Checks floats from outside, and flushes them in place like those of a state file: values below
// 2^-60, and halves below 2^-14, become 0. `worst` becomes the complement of the index of the first
// value that is infinite or NaN; 0: all are finite.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"

layout(constant_id = 0) const bool halves = false; // two per word

layout(std430, set = 0, binding = 0) buffer values
{
    uint words[];
};
layout(std430, set = 0, binding = 1) buffer bad
{
    uint worst;
};

#define TINY 0x21800000u // 2^-60
#define EXPONENT 0x7f800000u
#define HALF_EXPONENT 0x7c00u

void note(bool is_bad, uint index)
{
    if (is_bad) {
        atomicMax(worst, ~index);
    }
}

void main()
{
    uint item = vks_item();
    if (item >= uint(words.length())) {
        return;
    }
    uint word = words[item];
    if (halves) {
        uvec2 parts = uvec2(word & 0xffffu, word >> 16);
        for (uint i = 0u; i < 2u; i++) {
            uint exponent = parts[i] & HALF_EXPONENT;
            note(exponent == HALF_EXPONENT, 2u * item + i);
            parts[i] = exponent == 0u ? 0u : parts[i];
        }
        words[item] = parts.x | (parts.y << 16);
    } else {
        note((word & EXPONENT) == EXPONENT, item);
        words[item] = (word & 0x7fffffffu) < TINY ? 0u : word;
    }
}
