// SPDX-License-Identifier: MIT
//
// The middle of an FFT solution: forward along the last axis, times factor / symbol, and back.
// Values stay in the registers of their invocation.
#ifndef VKS_CORE_FFT_SOLVE_GLSL
#define VKS_CORE_FFT_SOLVE_GLSL

#include "core/fft.glsl"

layout(constant_id = 11) const uint axis = 0u; // of the lines: 0 z, 1 y, 2 x
layout(constant_id = 12) const uint depth_bits = 0u;
layout(constant_id = 13) const uint height_bits = 0u;
layout(constant_id = 14) const uint width_bits = 0u;

VKS_FIELD(3, readonly, symbol, float, symbols); // of z, then of y, then of x

float symbol_at(uint of_axis, uint position)
{
    uint at = of_axis == 0u ? position : (1u << depth_bits) + position;
    at += of_axis == 2u ? 1u << height_bits : 0u;
    return VKS_AT(symbols, at);
}

// The symbols of the line along the other two axes.
vec3 symbols_of_line()
{
    uint z = first_cell >> (width_bits + height_bits);
    uint y = (first_cell >> width_bits) & ((1u << height_bits) - 1u);
    uint of_x = first_cell & ((1u << width_bits) - 1u);
    return vec3(symbol_at(0u, z), symbol_at(1u, y), symbol_at(2u, of_x));
}

// The multiplier of a wave: 0 for wave number 0 and where the symbol is 0.
float multiplier(vec3 line, uint position)
{
    float own = symbol_at(axis, position);
    precise float sum = (axis == 0u ? own : line.x) + (axis == 1u ? own : line.y);
    sum = sum + (axis == 2u ? own : line.z);
    if (vks_flush(sum) == 0.0f || (first_cell == 0u && position == 0u)) {
        return 0.0f;
    }
    precise float product = constants.factor * vks_reciprocal(sum);
    return product;
}

void solve()
{
    transform(false, false);
    uint bits = bits_of(stages - 1u, false);
    vec3 line = symbols_of_line();
    [[unroll]] for (uint i = 0u; i < 1u << value_bits; i++) {
        precise vec2 product = flushed(x[i]) * multiplier(line, output_position(i, bits));
        x[i] = flushed(product);
    }
    // Reorders the values for the inverse.
    [[unroll]] for (uint i = 0u; i < 1u << value_bits; i++) {
        uint own = i & ((1u << bits) - 1u);
        uint other = reversed(own, bits);
        if (own < other) {
            uint j = i - own + other;
            vec2 swapped = x[i];
            x[i] = x[j];
            x[j] = swapped;
        }
    }
    transform(true, true);
}

#endif
