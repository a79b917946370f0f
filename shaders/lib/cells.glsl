// SPDX-License-Identifier: MIT
//
// What the generated passes of formula models share (src/formula/emit.c): their push constants, the
// cell that is computed, its neighbours, random numbers, and the limits of a field.
#ifndef VKS_LIB_CELLS_GLSL
#define VKS_LIB_CELLS_GLSL

#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "lib/formula.glsl"

struct formula_push {
    uint width, height, depth, seed;
    // Bits 0 to 2: the axes x, y, z whose edges mirror; the others are periodic. Bit 3: values
    // beyond the edges are those of the pass's functions vks_ghost0(), ...
    uint edges;
    float per_width, per_height, per_depth;
};

VKS_CONSTANTS(formula_push);
VKS_CLOCK;

ivec3 vks_here;       // the cell
bool vks_at_edge = false; // values that are read may be beyond an edge with values of its own
uint vks_escaped = 0u; // 1 + the number of a field whose value left its limits; 0: none did

// Maps a coordinate to the field: around the torus, or mirrored at the edge.
uint vks_inside(int at, uint side, uint axis)
{
    int n = int(side);
    if (uint(at) < side) {
        return uint(at);
    }
    if ((constants.edges >> axis & 1u) == 0u) {
        return uint(at < 0 ? at + n * ((n - 1 - at) / n) : at - n * (at / n));
    }
    int period = 2 * n;
    int m = at < 0 ? at + period * ((period - 1 - at) / period) : at - period * (at / period);
    return uint(m < n ? m : period - 1 - m);
}

// The column, and the first cell of the row, of a neighbour.
uint vks_column(int x)
{
    return vks_inside(vks_here.x + x, constants.width, 0u);
}

uint vks_line(int y, int z)
{
    uint row = vks_inside(vks_here.y + y, constants.height, 1u);
    uint plane = vks_inside(vks_here.z + z, constants.depth, 2u);
    return (plane * constants.height + row) * constants.width;
}

// The centre of the cell at an offset, as a fraction of the side.
float vks_centre_x(int x)
{
    precise float at = (float(vks_column(x)) + 0.5f) * constants.per_width;
    return at;
}

float vks_centre_y(int y)
{
    precise float at =
        (float(vks_inside(vks_here.y + y, constants.height, 1u)) + 0.5f) * constants.per_height;
    return at;
}

float vks_centre_z(int z)
{
    precise float at =
        (float(vks_inside(vks_here.z + z, constants.depth, 2u)) + 0.5f) * constants.per_depth;
    return at;
}

uvec4 vks_words(uint call, ivec3 offset)
{
    uint cell = vks_line(offset.y, offset.z) + vks_column(offset.x);
    return vks_random(constants.seed, cell, first_step + step_in_batch, call);
}

// A random number from 0 to 1 - 2^-24.
float vks_uniform(uint call, ivec3 offset)
{
    precise float number = float(vks_words(call, offset).x >> 8) * 5.96046448e-8f;
    return number;
}

float vks_normal(uint call, ivec3 offset)
{
    uvec4 words = vks_words(call, offset);
    return vks_formula_normal(words.x, words.y);
}

// The value of a field beyond an edge, or of a field of another model.
float vks_limited(float x)
{
    return vks_flush(vks_limit(x, -1073741824.0f, 1073741824.0f));
}

// A new value of a field: within its limits, 0 below 2^-60.
float vks_stored(float x, float low, float high, uint field)
{
    float limited = clamp(x, low, high);
    vks_escaped = limited != x ? field : vks_escaped;
    return vks_flush(limited);
}
#endif
