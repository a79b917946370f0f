// SPDX-License-Identifier: MIT
// Nodes of the gas: their conserved variables, their primitives and their neighbours. Vectors have
// the order z, y, x. docs/sims/gas.md.
#ifndef VKS_GAS_NODE_GLSL
#define VKS_GAS_NODE_GLSL

#include "lib/grid.glsl"
#include "gas/vector.glsl"
#include "gas/params.h"
#include "gas/slab.glsl"

VKS_CONSTANTS(gas_params);

uvec3 grid_size()
{
    return uvec3(constants.width, constants.height, constants.depth);
}

bool is_active(uint axis)
{
    return (axis == 0u ? constants.depth : (axis == 1u ? constants.height : constants.width)) > 1u;
}

// The axis along which a box is cut into slabs.
uint slab_axis()
{
    return constants.depth > 1u ? 0u : 1u;
}

// Whether a cell is in the rank's own rows.
bool is_own(uvec3 cell)
{
    return is_own_row(constants.depth > 1u ? cell.z : cell.y);
}

// Nodes of a row of a slab.
uint row_nodes()
{
    return constants.width * (constants.depth > 1u ? constants.height : 1u);
}

// The cell before a cell along an axis, or the one after it.
uvec3 stepped_in(uvec3 size, uvec3 cell, uint axis, bool forward)
{
    if (axis == 0u) {
        cell.z = forward ? vks_after(cell.z, size.z) : vks_before(cell.z, size.z);
    } else if (axis == 1u) {
        cell.y = forward ? vks_after(cell.y, size.y) : vks_before(cell.y, size.y);
    } else {
        cell.x = forward ? vks_after(cell.x, size.x) : vks_before(cell.x, size.x);
    }
    return cell;
}

uvec3 stepped(uvec3 cell, uint axis, bool forward)
{
    return stepped_in(grid_size(), cell, axis, forward);
}

// Indices of both.
uvec2 neighbours_in(uvec3 size, uvec3 cell, uint axis)
{
    return uvec2(vks_index(stepped_in(size, cell, axis, false), size),
                 vks_index(stepped_in(size, cell, axis, true), size));
}

uvec2 neighbours_of(uvec3 cell, uint axis)
{
    return neighbours_in(grid_size(), cell, axis);
}

// Indices of the four nodes around a node along an axis, in order: two before it, two after it. Few
// integer operations, because it is called for every face.
uvec4 line_of(uint node, uvec3 cell, uint axis)
{
    uvec3 size = grid_size();
    uint at = axis == 0u ? cell.z : (axis == 1u ? cell.y : cell.x);
    uint side = axis == 0u ? size.z : (axis == 1u ? size.y : size.x);
    uint stride = axis == 0u ? size.x * size.y : (axis == 1u ? size.x : 1u);
    uint around = side * stride;
    return uvec4(node - 2u * stride + (at > 1u ? 0u : around),
                 node - stride + (at > 0u ? 0u : around),
                 node + stride - (at + 1u < side ? 0u : around),
                 node + 2u * stride - (at + 2u < side ? 0u : around));
}

// Slightly less than a / b, at most 1.
float shrunk(float a, float b)
{
    if (!(b > VKS_TINY)) {
        return 0.0f;
    }
    precise float ratio = a * vks_reciprocal(b);
    ratio = ratio * 0.999755859375f;
    return min(1.0f, vks_flush(ratio));
}

// Density at and below which a node is empty.
float vacuum_of(float mean)
{
    precise float vacuum = 1e-10f * mean;
    return vks_flush(vacuum);
}

vec3 velocity_of(float density, vec3 momentum)
{
    precise vec3 velocity = momentum * vks_reciprocal(density);
    return flush(velocity);
}

float thermal_of(vec3 momentum, vec3 velocity, float energy)
{
    precise vec3 parts = momentum * velocity;
    precise float sum = parts.x + parts.y;
    sum = sum + parts.z;
    sum = 0.5f * sum;
    precise float thermal = energy - sum;
    return thermal;
}

// The thermal energy from the total energy, or where little of it is thermal the auxiliary one.
float heat_of(float thermal, float energy, float internal)
{
    precise float little = 0.001f * energy;
    float heat = internal > 0.0f ? internal : max(thermal, 0.0f);
    return thermal > little ? thermal : heat;
}

float pressure_of(float thermal, float energy, float internal)
{
    precise float pressure = constants.g1 * heat_of(thermal, energy, internal);
    return vks_flush(pressure);
}

// Particles: the share of the deviations from a node's mean that a step removes.
float mixed_share(float mixing_time, float mixing_speed)
{
    precise float share = mixing_time * mixing_speed;
    return min(1.0f, vks_flush(share));
}

// The internal energy synchronised with the total one; `highest` of the node and its neighbours.
float synchronised(float thermal, float internal, float highest)
{
    precise float little = 0.1f * highest;
    float kept = internal > 0.0f ? internal : max(thermal, 0.0f);
    return vks_flush(thermal > vks_flush(little) ? thermal : kept);
}

float sound_from(float inverse, float pressure) // inverse: 1 / density
{
    precise float stiff = constants.gamma * pressure;
    stiff = vks_flush(stiff);
    precise float square = stiff * inverse;
    return vks_sqrt(vks_flush(square));
}

float sound_of(float density, float pressure)
{
    return sound_from(vks_reciprocal(density), pressure);
}
#endif
