// SPDX-License-Identifier: MIT
// Particles, last pass: velocity, heat and place from the records of surrounding nodes, and the
// total energy; with GAS_EXCHANGE also the exchange with oscillators; with GAS_SORTED the new cell
// and, for a sort in the next step, its count of particles. docs/sims/gas.md.
#ifdef GAS_SORTED
#include "gas/tile.glsl"
#else
#include "gas/particle.glsl"
#endif
#include "lib/fixed.glsl"
#ifdef GAS_EXCHANGE
#include "gas/exchange.glsl"
#endif

VKS_FIELD(0, , z, uint, zs);
VKS_FIELD(1, , y, uint, ys);
VKS_FIELD(2, , x, uint, xs);
VKS_FIELD(3, , vz, float, vzs);
VKS_FIELD(4, , vy, float, vys);
VKS_FIELD(5, , vx, float, vxs);
VKS_FIELD(6, readonly, mass, float, masses);
VKS_FIELD(7, , heat, float, heats);
#ifdef GAS_EXCHANGE
VKS_FIELD(8, , oscillator, float, oscillators);
VKS_FIELD(12, readonly, frequency, float, frequencies);
#else
VKS_FIELD(8, readonly, oscillator, float, oscillators);
#endif
VKS_FIELD(9, readonly, record, vec4, records);
layout(std430, set = 0, binding = 10) readonly buffer step_values
{
    float step_value[];
};
layout(std430, set = 0, binding = 11) buffer clockwork
{
    uint clock_words[];
};
#ifdef GAS_SORTED
layout(constant_id = 7) const bool counting = false;
VKS_FIELD(13, writeonly, cell, uint, cells);
layout(std430, set = 0, binding = 14) buffer counts
{
    uint counted[];
};
VKS_FIELD(16, writeonly, slots, uint, ranks);
#include "core/count.glsl"
#endif

// Limbs of the workgroup's energy, without carries: a workgroup has at most 1024 particles. Atomics
// take less shared memory than VKS_FOLD().
shared int energy_x, energy_y, energy_z;

// Moves a particle to the returned position. `limbs` is its energy.
uvec3 moved(uint i, out ivec3 limbs)
{
    uvec3 position = uvec3(VKS_AT(zs, i), VKS_AT(ys, i), VKS_AT(xs, i));
    Place place = place_of(position);
    precise vec3 mean = vec3(0.0f);   // velocity of the nodes after the step
    precise vec3 change = vec3(0.0f); // of it
    precise vec3 shares = vec3(0.0f);
    for (uint corner = 0u; corner < 8u; corner++) {
        if (is_left_out(corner)) {
            continue;
        }
        uint node = corner_node(place, corner);
        float weight = corner_weight(place, corner);
        precise vec4 part = VKS_AT(records, RECORD_ROWS * node) * weight;
        mean = mean + part.xyz;
        shares.x = shares.x + part.w;
        part = VKS_AT(records, RECORD_ROWS * node + 1u) * weight;
        change = change + part.xyz;
        shares.y = shares.y + part.w;
        precise float gained = VKS_AT(records, RECORD_ROWS * node + 2u).x * weight;
        shares.z = shares.z + gained;
    }
    precise float around_mean = 0.0f;
    precise float around_change = 0.0f;
    for (uint corner = 0u; corner < 8u; corner++) {
        if (is_left_out(corner)) {
            continue;
        }
        uint node = corner_node(place, corner);
        float weight = corner_weight(place, corner);
        precise vec3 off = VKS_AT(records, RECORD_ROWS * node).xyz - mean;
        precise float part = weight * vks_flush(square(off));
        around_mean = around_mean + part;
        off = VKS_AT(records, RECORD_ROWS * node + 1u).xyz - change;
        part = weight * vks_flush(square(off));
        around_change = around_change + part;
    }
    float rest = step_value[STEP_REST];
    float before = VKS_AT(heats, i);
    vec3 v = vec3(VKS_AT(vzs, i), VKS_AT(vys, i), VKS_AT(vxs, i));
    precise float half_mean = 0.5f * around_mean;
    precise float mixed = shares.x + half_mean;
    precise vec3 kept = v + change;
    precise float gain = before * shares.y;
    gain = gain + shares.z;
    precise float half_change = 0.5f * around_change;
    gain = gain + half_change;
    precise float own = before + gain;
    precise vec3 between = kept - mean;
    precise vec3 mixing = between * rest;
    precise vec3 velocity = kept - mixing;
    velocity = flush(velocity);
    precise float blend = 0.5f * step_value[STEP_CHI];
    blend = blend * rest;
    blend = vks_flush(blend) * square(between);
    precise float heat = mixed - own;
    heat = rest * heat;
    heat = gain + heat;
    heat = heat + blend;
    heat = before + heat;
    heat = max(0.0f, heat);
    heat = vks_flush(heat);
    float oscillator = VKS_AT(oscillators, i);
#ifdef GAS_EXCHANGE
    Store stores = exchanged(Store(heat, oscillator), VKS_AT(masses, i), VKS_AT(frequencies, i),
                             uintBitsToFloat(clock_words[CLOCK_MEAN]), step_value[STEP_DT]);
    heat = stores.heat;
    oscillator = stores.oscillator;
    VKS_AT(oscillators, i) = oscillator;
#endif
    VKS_AT(vzs, i) = velocity.x;
    VKS_AT(vys, i) = velocity.y;
    VKS_AT(vxs, i) = velocity.z;
    VKS_AT(heats, i) = heat;
    position = advected(position, mean, step_value[STEP_LAMBDA]);
    VKS_AT(zs, i) = position.x;
    VKS_AT(ys, i) = position.y;
    VKS_AT(xs, i) = position.z;
    precise float energy = heat + oscillator;
    precise float motion = 0.5f * square(velocity);
    energy = energy + motion;
    energy = VKS_AT(masses, i) * vks_flush(energy);
    precise float top = energy * vks_top_scale(int(clock_words[CLOCK_ENERGY_UNIT]));
    limbs = vks_limbs(top);
    return position;
}

void main()
{
    uint t = gl_LocalInvocationID.x;
    uint i = vks_item();
    bool present = i < constants.particles;
    uvec3 position = uvec3(0u);
    ivec3 limbs = ivec3(0);
    if (t == 0u) {
        energy_x = 0;
        energy_y = 0;
        energy_z = 0;
    }
    barrier();
    if (present) {
        position = moved(i, limbs);
    }
#ifdef GAS_SORTED
    uint key = present ? sort_key(position) : FREE;
    uint rank = counting ? rank_in(key, t, false) : 0u;
    if (present) {
        VKS_AT(cells, i) = key;
        if (counting) {
            VKS_AT(ranks, i) = rank;
        }
    }
#endif
    atomicAdd(energy_x, limbs.x);
    atomicAdd(energy_y, limbs.y);
    atomicAdd(energy_z, limbs.z);
    barrier();
    if (t == 0u) {
        uvec2 energy = vks_from_limbs(ivec3(energy_x, energy_y, energy_z));
        uint before = atomicAdd(clock_words[CLOCK_ENERGY], energy.x);
        uint high = energy.y + (before + energy.x < before ? 1u : 0u);
        atomicAdd(clock_words[CLOCK_ENERGY + 1], high);
    }
}
