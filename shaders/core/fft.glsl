// SPDX-License-Identifier: MIT
//
// Transforms along one axis of a grid whose sides are powers of two: docs/architecture.md, "FFT",
// defines them to the bit. A workgroup transforms 2^line_bits whole lines, an invocation holds
// 2^value_bits complex values of one line. An invocation computes up to four levels of butterflies
// in registers (a stage), then the group exchanges its values in shared memory. The division into
// stages changes no operation.
//
// Element i of a line is its i-th value in the order of the butterflies: level l combines elements
// whose numbers differ in bit l. A stage of `bits` levels from `low` on processes 2^(value_bits -
// bits) sets of 2^bits elements per invocation, whose numbers differ in those bits. Before the
// first level, element i is the value at position i with its bits reversed; after the last one
// positions and elements are the same.
#ifndef VKS_CORE_FFT_GLSL
#define VKS_CORE_FFT_GLSL

#extension GL_EXT_control_flow_attributes : require
#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "core/fft.h"

layout(constant_id = 0) const uint levels = 8u; // log2 of the line's length
layout(constant_id = 1) const uint stages = 2u; // 1 to 3
layout(constant_id = 2) const uint bits_0 = 4u; // levels of each stage
layout(constant_id = 3) const uint bits_1 = 4u;
layout(constant_id = 4) const uint bits_2 = 0u;
layout(constant_id = 5) const uint value_bits = 4u; // of the largest stage
layout(constant_id = 6) const uint line_bits = 3u;
layout(constant_id = 7) const uint stride_bits = 0u; // log2 of the cells between a line's positions
// Neighbouring invocations have neighbouring values of a line, else neighbouring lines.
layout(constant_id = 8) const bool along = true;
layout(constant_id = 9) const uint exchanged = 1u; // values of a group; 1 with a single stage
layout(constant_id = 10) const uint fold = 4u;     // see slot()

VKS_CONSTANTS(fft_params);

// Root 2^l + j is (cos, -sin) of j / 2^(l + 1) turns: the roots of a level are contiguous.
VKS_FIELD(0, readonly, turns, vec2, roots);

shared vec2 exchange_values[exchanged];

vec2 x[1u << value_bits];

const uint part_bits = levels - value_bits;
const uint pairs = value_bits > 0u ? (1u << value_bits) / 2u : 1u;
uint part;       // of the line
uint column;     // line of the group
uint first_cell; // of the line

#ifdef FFT_PLANE
bool in_rows; // the lines of the plane that are being transformed are rows, else columns
#define ALONG in_rows
#define LINE_BITS levels
#define FOLD (in_rows ? 4u : fold)
#else
#define ALONG along
#define LINE_BITS line_bits
#define FOLD fold
#endif

// False if the group has no lines.
bool begin()
{
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint t = gl_LocalInvocationID.x;
    part = along ? t & ((1u << part_bits) - 1u) : t >> line_bits;
    column = along ? t >> part_bits : t & ((1u << line_bits) - 1u);
    uint line = group << line_bits | column;
    first_cell = (line >> stride_bits) << (stride_bits + levels) |
                 (line & ((1u << stride_bits) - 1u));
    return group < constants.groups;
}

uint cell_at(uint position)
{
    return first_cell + (position << stride_bits);
}

uint reversed(uint number, uint bits)
{
    return bits == 0u ? 0u : bitfieldReverse(number) >> (32u - bits);
}

// Levels of a stage. The inverse after a forward transform has its stages in reverse (`turned`)
// order, so that it starts with the values still in registers.
uint bits_of(uint stage, bool turned)
{
    uint i = turned ? stages - 1u - stage : stage;
    return i == 0u ? bits_0 : (i == 1u ? bits_1 : bits_2);
}

// Number of the set that register `i` belongs to, in a stage of `bits` levels.
uint set_of(uint i, uint bits)
{
    return part + ((i >> bits) << part_bits);
}

// Position on the line of the value that register `i` needs before a first stage of `bits` levels.
// Neighbouring invocations need neighbouring positions.
uint input_position(uint i, uint bits)
{
    return reversed(i & ((1u << bits) - 1u), bits) << (levels - bits) | set_of(i, bits);
}

// Element in register `i` during a stage.
uint element_at(uint i, uint low, uint bits)
{
    uint set = set_of(i, bits);
    uint own = i & ((1u << bits) - 1u);
    if (low == 0u) {
        return reversed(set, levels - bits) << bits | own;
    }
    return (set >> low) << (low + bits) | own << low | (set & ((1u << low) - 1u));
}

// Position of register `i` after a last stage of `bits` levels.
uint output_position(uint i, uint bits)
{
    return element_at(i, levels - bits, bits);
}

// Index of an element in shared memory. The fold avoids bank conflicts of invocations that write
// elements differing in their highest bits.
uint slot(uint element)
{
    uint at = ALONG ? column << levels | element : element << LINE_BITS | column;
    return at ^ ((at >> FOLD) & 15u);
}

void butterfly(uint a, uint b, vec2 root)
{
    vec2 upper = x[a];
    vec2 lower = x[b];
    precise float re = root.x * lower.x - root.y * lower.y;
    precise float im = root.x * lower.y + root.y * lower.x;
    precise vec2 sum = upper + vec2(re, im);
    precise vec2 difference = upper - vec2(re, im);
    x[a] = sum;
    x[b] = difference;
}

// The same for the root 1, or a quarter turn: times 1 and plus 0 only change the sign of zeros,
// which vks_flush() drops in the end.
void butterfly_exact(uint a, uint b, bool quarter, bool inverse)
{
    vec2 upper = x[a];
    vec2 lower = x[b];
    if (quarter) {
        lower = inverse ? vec2(-lower.y, lower.x) : vec2(lower.y, -lower.x);
    }
    precise vec2 sum = upper + lower;
    precise vec2 difference = upper - lower;
    x[a] = sum;
    x[b] = difference;
}

// The levels of a stage. Roots of the second half of a level are a quarter turn after those of the
// first. A single loop over all butterflies, because some drivers do not unroll nested loops and
// keep the values in memory.
void butterflies(uint low, uint bits, bool inverse)
{
    vec2 roots_of_level[8];
    [[unroll]] for (uint i = 0u; i < bits * pairs; i++) {
        uint level = i / pairs;
        uint pair = i % pairs;
        uint span = 1u << level; // of a butterfly
        uint a = (pair >> level) << (level + 1u) | (pair & (span - 1u));
        uint b = a + span;
        uint k = pair & (span - 1u); // number of the root
        uint first = k & ((span >> 1) - 1u);
        uint kept = (a >> bits) * max(span >> 1, 1u) + first;
        bool quarter = k != first;
        if (low == 0u && first == 0u) {
            butterfly_exact(a, b, quarter, inverse);
        } else {
            if (a == ((a >> bits) << bits | first)) {
                uint before = set_of(a, bits) & ((1u << low) - 1u);
                uint at = ((span | first) << low) + before;
                roots_of_level[kept] = VKS_AT(roots, at);
            }
            vec2 root = roots_of_level[kept];
            root = quarter ? vec2(root.y, -root.x) : root;
            butterfly(a, b, inverse ? vec2(root.x, -root.y) : root);
        }
    }
}

// Moves values from the registers of one stage to those of the next.
void exchange(uint low, uint bits, uint next_bits, bool again)
{
    if (again) {
        barrier(); // all have read the previous exchange
    }
    [[unroll]] for (uint i = 0u; i < 1u << value_bits; i++) {
        exchange_values[slot(element_at(i, low, bits))] = x[i];
    }
    barrier();
    [[unroll]] for (uint i = 0u; i < 1u << value_bits; i++) {
        x[i] = exchange_values[slot(element_at(i, low + bits, next_bits))];
    }
}

// `again`: shared memory is in use by a previous exchange.
void transform_again(bool inverse, bool turned, bool again)
{
    uint first = bits_of(0u, turned);
    butterflies(0u, first, inverse);
    if (stages > 1u) {
        uint second = bits_of(1u, turned);
        exchange(0u, first, second, again);
        butterflies(first, second, inverse);
        if (stages > 2u) {
            uint third = bits_of(2u, turned);
            exchange(first, second, third, true);
            butterflies(first + second, third, inverse);
        }
    }
}

void transform(bool inverse, bool turned)
{
    transform_again(inverse, turned, turned);
}

vec2 flushed(vec2 value)
{
    return vec2(vks_flush(value.x), vks_flush(value.y));
}

// Cells of register `i`, for the input and for the output of a transform.
uint input_cell(uint i)
{
    return cell_at(input_position(i, bits_0));
}

uint output_cell(uint i, bool turned)
{
    return cell_at(output_position(i, bits_of(stages - 1u, turned)));
}

#endif
