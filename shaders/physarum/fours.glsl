// SPDX-License-Identifier: MIT
// Four cells of a row at a time, so that memory is accessed 16 bytes at a time, for widths that are
// a multiple of COLUMNS: 4, or 16 with counts that are words. PHYSARUM_GENERAL is for 4.
// PHYSARUM_ROWS: only D.
#ifndef VKS_PHYSARUM_FOURS_GLSL
#define VKS_PHYSARUM_FOURS_GLSL
#define FOURS (COLUMNS / 4u)
#define PHYSARUM_FOURS

#include "lib/pass.glsl"
#define PHYSARUM_PLANES
#include "physarum/field.glsl"
#include "physarum/spilling.glsl"

VKS_INPUT(0, trail, vec4, trails)
VKS_INPUT(1, deposits, uvec4, counts)
VKS_FIELD(2, readonly, spill, uvec4, spills);
#if COLUMNS == 4
VKS_FIELD(1, readonly, deposits_bytes, uint, count_bytes);
#endif

#ifndef PHYSARUM_ROWS
VKS_FIELD(4, writeonly, trail_next, vec4, trails_next);
VKS_FIELD(5, writeonly, deposits_next, uvec4, counts_next);
VKS_FIELD(6, writeonly, spill_next, uvec4, spills_next);
#if COLUMNS == 4
VKS_FIELD(5, writeonly, deposits_next_bytes, uint, count_bytes_next);
#endif
#endif

// Agents in cell k of these four.
uint count_of(uint four, uint k)
{
#if COLUMNS == 4
    if (bytes) {
        return (VKS_AT(count_bytes, four) >> (8u * k)) & 255u;
    }
#endif
    return VKS_IN(counts, four)[k];
}

// Agents in each of these four cells.
uvec4 counts_of(uint four)
{
#if COLUMNS == 4
    if (bytes) {
        return (uvec4(VKS_AT(count_bytes, four)) >> uvec4(0u, 8u, 16u, 24u)) & uvec4(255u);
    }
#endif
    return VKS_IN(counts, four);
}

#ifndef PHYSARUM_ROWS
void clear_counts(uint four)
{
#if COLUMNS == 4
    if (bytes) {
        VKS_AT(count_bytes_next, four) = 0u;
        return;
    }
#endif
    VKS_AT(counts_next, four) = uvec4(0u);
}
#endif

#ifdef PHYSARUM_GENERAL
uvec4 agents_in(uint four, bool spilled)
{
    uvec4 count = counts_of(four);
    if (spilled) {
        count += VKS_AT(spills, four);
    }
    return count;
}

vec4 deposited_four(uint four, bool spilled)
{
    uint at = four - plane * constants.height * (constants.width / 4u);
    return deposited_in(at, VKS_IN(trails, four), counted ? agents_in(four, spilled) : uvec4(0u));
}

float deposited(uint four, uint k, bool spilled)
{
    return deposited_four(four, spilled)[k];
}

#ifndef PHYSARUM_ROWS
// Lets the agents of four cells eat.
void eat_in(uint y, uint x)
{
    uint at = (y * constants.width + x) / 4u;
    uvec4 count = uvec4(0u);
    for (uint p = 0u; p < eaters; p++) {
        count += agents_in(p * constants.height * (constants.width / 4u) + at,
                           spilling_near(p, y, x).now);
    }
    if (eaters > 0u) {
        eat(at, count);
    }
}
#endif
#else
// D of cell k of these four.
float deposited(uint four, uint k, bool spilled)
{
    uint count = count_of(four, k);
    if (spilled) {
        count += VKS_AT(spills, four)[k];
    }
    return with_deposits(VKS_IN(trails, four)[k], count);
}

// D of these four cells.
vec4 deposited_four(uint four, bool spilled)
{
    uvec4 count = counts_of(four);
    if (spilled) {
        count += VKS_AT(spills, four);
    }
    return with_deposits(VKS_IN(trails, four), count);
}
#endif
#endif
