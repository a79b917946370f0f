// SPDX-License-Identifier: MIT
//
// Transforms both axes of a square plane that fits in shared memory: one workgroup per plane, one
// dispatch instead of two. The definition is that of core/fft.glsl.
#ifndef VKS_CORE_FFT_PLANE_GLSL
#define VKS_CORE_FFT_PLANE_GLSL

#define FFT_PLANE
#include "core/fft.glsl"

const uint side_mask = (1u << levels) - 1u;

// Selects this invocation's part of a line.
void take_rows(bool rows)
{
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint t = gl_LocalInvocationID.x;
    in_rows = rows;
    part = rows ? t & ((1u << part_bits) - 1u) : t >> levels;
    column = rows ? t >> part_bits : t & side_mask;
    first_cell = group << (2u * levels) | (rows ? column << levels : column);
}

bool has_plane()
{
    return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x < constants.groups;
}

uint plane_cell(uint position)
{
    return first_cell + (in_rows ? position : position << levels);
}

// Index in shared memory of a position on the invocation's line, for the change of axes.
uint crossing(uint position)
{
    uint at = in_rows ? column << levels | position : position << levels | column;
    return at ^ ((at >> levels) & 15u);
}

// Passes the values from the lines of one axis to those of the other.
void cross()
{
    if (stages > 1u) {
        barrier(); // all have read the last exchange
    }
    uint bits = bits_of(stages - 1u, false);
    [[unroll]] for (uint i = 0u; i < 1u << value_bits; i++) {
        exchange_values[crossing(output_position(i, bits))] = flushed(x[i]);
    }
    barrier();
    take_rows(!in_rows);
    [[unroll]] for (uint i = 0u; i < 1u << value_bits; i++) {
        x[i] = exchange_values[crossing(input_position(i, bits_0))];
    }
}

uint plane_input(uint i)
{
    return plane_cell(input_position(i, bits_0));
}

uint plane_output(uint i)
{
    return plane_cell(output_position(i, bits_of(stages - 1u, false)));
}

#endif
