// SPDX-License-Identifier: MIT
// Applies strokes to the nodes of the grid: docs/sims/gas.md, "Brushes".
#version 460
#extension GL_GOOGLE_include_directive : require
#define VKS_STROKES 6
#include "gas/brush.glsl"

VKS_FIELD(0, , density, float, densities);
VKS_FIELD(1, , momentum_z, float, momenta_z);
VKS_FIELD(2, , momentum_y, float, momenta_y);
VKS_FIELD(3, , momentum_x, float, momenta_x);
VKS_FIELD(4, , energy, float, energies);
VKS_FIELD(5, , internal, float, internals);
layout(std430, set = 0, binding = 7) readonly buffer clockwork
{
    uint clock_words[];
};

struct Gas {
    float density, energy, internal;
    vec3 momentum;
};

float kinetic_of(vec3 momentum, vec3 velocity)
{
    precise vec3 parts = momentum * velocity;
    precise float sum = parts.x + parts.y;
    sum = sum + parts.z;
    sum = 0.5f * sum;
    return sum;
}

// Other heat and velocity, at the same density.
Gas changed(Gas gas, uint stroke, float weight)
{
    vec3 u = velocity_of(gas.density, gas.momentum);
    float thermal = thermal_of(gas.momentum, u, gas.energy);
    float heat = heat_of(thermal, gas.energy, gas.internal);
    if (kind == GAS_BRUSH_HEAT) {
        precise float highest = hot * gas.density;
        heat = heated(heat, highest, stroke, weight);
    } else {
        gas.momentum = pushed(gas.momentum, gas.density, stroke, weight);
    }
    precise float energy =
        kinetic_of(gas.momentum, velocity_of(gas.density, gas.momentum)) + heat;
    gas.internal = vks_flush(heat);
    gas.energy = vks_flush(energy);
    return gas;
}

// Another density, of the same velocity and temperature. At most doubled.
Gas filled(Gas gas, float mean, uint stroke, float weight)
{
    precise float full = mean * (vks_stroke_is_inverse(stroke) ? 0.25f : 4.0f);
    float target = toward(gas.density, full, weight);
    target = vks_stroke_is_inverse(stroke) ? min(gas.density, target) : max(gas.density, target);
    precise float factor = target * vks_reciprocal(gas.density);
    factor = min(factor, 2.0f);
    precise float density = gas.density * factor;
    precise float energy = gas.energy * factor;
    precise float internal = gas.internal * factor;
    precise vec3 momentum = gas.momentum * factor;
    const float largest = 1073741824.0f;
    return density <= largest && energy <= largest
               ? Gas(vks_flush(density), vks_flush(energy), vks_flush(internal), flush(momentum))
               : gas;
}

void main()
{
    uvec3 cell = vks_cell(grid_size());
    if (!vks_inside(cell, grid_size())) {
        return;
    }
    uint node = vks_index(cell, grid_size());
    float mean = uintBitsToFloat(clock_words[CLOCK_MEAN]);
    Gas gas =
        Gas(VKS_AT(densities, node), VKS_AT(energies, node), VKS_AT(internals, node),
            vec3(VKS_AT(momenta_z, node), VKS_AT(momenta_y, node), VKS_AT(momenta_x, node)));
    for (uint k = 0u; k < vks_stroke_count(); k++) {
        float weight = vks_stroke_weight(k, vks_stroke_place(cell));
        bool has_gas = gas.density > vacuum_of(mean);
        if (weight > 0.0f && has_gas && kind == GAS_BRUSH_MASS) {
            gas = filled(gas, mean, k, weight);
        } else if (weight > 0.0f && has_gas && (kind == GAS_BRUSH_HEAT || has_direction(k))) {
            gas = changed(gas, k, weight);
        }
    }
    VKS_AT(densities, node) = gas.density;
    VKS_AT(energies, node) = gas.energy;
    VKS_AT(internals, node) = gas.internal;
    VKS_AT(momenta_z, node) = gas.momentum.x;
    VKS_AT(momenta_y, node) = gas.momentum.y;
    VKS_AT(momenta_x, node) = gas.momentum.z;
}
