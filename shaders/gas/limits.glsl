// SPDX-License-Identifier: MIT
// Particles: the limits of dt, the speed of mixing, and the dispersion, whose sum is cleared.
// TILE_AMOUNTS: includes the sums of tiles. GAS_RANKS: and those of the rank before.
// docs/sims/gas.md.
#include "gas/node.glsl"
#include "lib/fixed.glsl"
#ifdef TILE_AMOUNTS
#include "gas/gather.glsl"
#endif

VKS_FIELD(0, readonly, density, float, densities);
VKS_FIELD(1, readonly, velocity_z, float, velocities_z);
VKS_FIELD(2, readonly, velocity_y, float, velocities_y);
VKS_FIELD(3, readonly, velocity_x, float, velocities_x);
VKS_FIELD(4, readonly, node_heat, float, node_heats);
VKS_FIELD(5, , sum_dispersion, uvec2, sums_dispersion);
VKS_FIELD(6, writeonly, dispersion, float, dispersions);
layout(std430, set = 0, binding = 7) readonly buffer clockwork
{
    uint clock_words[];
};
layout(std430, set = 0, binding = 8) buffer limits
{
    uint maxima[];
};
VKS_FIELD(9, writeonly, mixing_speed, float, mixing_speeds);
#ifdef GAS_RANKS
VKS_FIELD(10, readonly, below_dispersion, uvec2, sums_below); // of the first own row
#endif

#include "gas/reduce_max.glsl"

float velocity_along(uint node, uint axis)
{
    return axis == 0u   ? VKS_AT(velocities_z, node)
           : axis == 1u ? VKS_AT(velocities_y, node)
                        : VKS_AT(velocities_x, node);
}

// Bits of the maxima, in the order of "limits", and the speed of mixing.
uvec4 limits_of(uvec3 cell, uint node, float r, float dispersion, out float mixing_speed)
{
    // All reads come first, needed or not, because memory is slow.
    vec3 own = vec3(0.0f);
    vec3 before_u = vec3(0.0f), after_u = vec3(0.0f);
    vec3 before_r = vec3(0.0f), after_r = vec3(0.0f);
    for (uint axis = 0u; axis < 3u; axis++) {
        uvec2 near = neighbours_of(cell, axis);
        own[axis] = velocity_along(node, axis);
        before_u[axis] = velocity_along(near.x, axis);
        after_u[axis] = velocity_along(near.y, axis);
        before_r[axis] = VKS_AT(densities, near.x);
        after_r[axis] = VKS_AT(densities, near.y);
    }
    precise float e = VKS_AT(node_heats, node) + dispersion;
    e = vks_flush(e);
    precise float p = constants.g1 * e;
    float c = sound_of(r, vks_flush(p));
    precise float axes = 0.0f;
    precise float closing = 0.0f; // over the axes, the sum and the largest
    float fastest = 0.0f;
    float fast = 0.0f;
    for (uint axis = 0u; axis < 3u; axis++) {
        if (!is_active(axis)) {
            continue;
        }
        axes = axes + 1.0f;
        fast = max(fast, abs(own[axis]));
        precise float of_lower = before_u[axis] - own[axis];
        precise float of_upper = own[axis] - after_u[axis];
        float jump = max(max(before_r[axis] > 0.0f ? of_lower : 0.0f,
                             after_r[axis] > 0.0f ? of_upper : 0.0f),
                         0.0f);
        closing = closing + jump;
        fastest = max(fastest, jump);
    }
    precise float rate = axes * c;
    rate = rate + closing;
    precise float mixing = c + fastest;
    float mean = uintBitsToFloat(clock_words[CLOCK_MEAN]);
    precise float thick = 0.01f * mean;
    precise float diffusivity = constants.conductivity * vks_reciprocal(r);
    mixing_speed = vks_flush(mixing);
    return floatBitsToUint(
        vec4(rate, fast, 0.0f, r >= vks_flush(thick) ? vks_flush(diffusivity) : 0.0f));
}

// Reads and clears a node's own sum.
uvec2 own_sum(uint node)
{
    uvec2 sum = VKS_AT(sums_dispersion, node);
    VKS_AT(sums_dispersion, node) = uvec2(0u);
    return sum;
}

uvec4 limited(uvec3 cell, uvec2 sum)
{
    uint node = vks_index(cell, grid_size());
    float r = VKS_AT(densities, node);
    precise float dispersion = 0.0f;
    if (r > 0.0f) {
        float unit = vks_power_of_two(-int(clock_words[CLOCK_ENERGY_UNIT]));
        dispersion = vks_from_fixed(sum, unit) * constants.per_h3;
    }
    dispersion = vks_flush(dispersion);
    VKS_AT(dispersions, node) = dispersion;
    float mixing_speed;
    uvec4 own_limits = limits_of(cell, node, r > 0.0f ? r : 1.0f, dispersion, mixing_speed);
    VKS_AT(mixing_speeds, node) = r > 0.0f ? mixing_speed : 0.0f;
    return r > 0.0f && is_own(cell) ? own_limits : uvec4(0u);
}

void main()
{
    uint t = gl_LocalInvocationIndex;
    uvec4 own = uvec4(0u);
#ifdef TILE_AMOUNTS
    TileNode here = tile_node_at(t);
    if (here.inside) {
        uvec2 sums[1] = uvec2[1](uvec2(0u));
        if (is_marked(here.number)) {
            sums[0] = own_sum(vks_index(here.cell, grid_size()));
        }
        add_tiles(here, sums);
#ifdef GAS_RANKS
        uint i = vks_index(here.cell, grid_size()) - slab_begin * row_nodes();
        if (i < row_nodes()) {
            sums[0] = vks_fixed_add(sums[0], VKS_AT(sums_below, i));
        }
#endif
        own = limited(here.cell, sums[0]);
    }
#else
    uvec3 cell = vks_cell(grid_size());
    if (vks_inside(cell, grid_size())) {
        own = limited(cell, own_sum(vks_index(cell, grid_size())));
    }
#endif
    reduce_max(LIMIT_RATE, 4u, own);
}
