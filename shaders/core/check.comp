// SPDX-License-Identifier: MIT
// Checks floats from outside, and flushes them in place like those of a state file: values below
// 2^-60, and halves below 2^-14, become 0. `bad` becomes 1 if a value is NaN or outside its range,
// which has finite ends; such values stay. In integers, because devices differ in what comparisons
// make of tiny values.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "core/check.h"

layout(constant_id = 0) const bool halves = false; // two per word

layout(std430, set = 0, binding = 0) buffer values
{
    uint words[];
};
layout(std430, set = 0, binding = 1) buffer bad
{
    uint is_bad;
};
VKS_CONSTANTS(check_params);

#define TINY 0x21800000u // 2^-60
#define MAGNITUDE 0x7fffffffu
#define SIGN 0x80000000u
#define HALF_EXPONENT 0x7c00u

// Integers in the order of the floats with these bits: NaN is beyond infinity.
uint order(uint bits)
{
    bits = (bits & MAGNITUDE) == 0u ? 0u : bits;
    return (bits & SIGN) != 0u ? ~bits : bits | SIGN;
}

bool check(uint bits)
{
    uint place = order(bits);
    bool is_fine = place >= order(constants.low) && place <= order(constants.high);
    if (!is_fine) {
        atomicOr(is_bad, 1u);
    }
    return is_fine;
}

// The bits of the float with a half's value.
uint widen(uint bits)
{
    uint magnitude = bits & 0x7fffu;
    uint wide = (magnitude << 13) + (112u << 23);
    if (magnitude >= HALF_EXPONENT) {
        wide = 0x7f800000u | (magnitude << 13);
    } else if (magnitude < 0x400u) { // times 2^-24
        int highest = findMSB(magnitude);
        wide = magnitude == 0u ? 0u
                               : (uint(highest + 103) << 23) |
                                     ((magnitude << (23 - highest)) & 0x7fffffu);
    }
    return wide | ((bits & 0x8000u) << 16);
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
            bool is_fine = check(widen(parts[i]));
            parts[i] = is_fine && (parts[i] & HALF_EXPONENT) == 0u ? 0u : parts[i];
        }
        words[item] = parts.x | (parts.y << 16);
    } else {
        bool is_fine = check(word);
        words[item] = is_fine && (word & MAGNITUDE) < TINY ? 0u : word;
    }
}
