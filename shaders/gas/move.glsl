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
#include "gas/present.glsl"
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
#ifdef GAS_RANKS
layout(std430, set = 0, binding = 11) readonly buffer clockwork
{
    uint clock_words[];
};
layout(std430, set = 0, binding = 13) buffer energy_part
{
    uint energy_words[2]; // of this rank's particles
};
#define ENERGY_WORD(word) energy_words[word]
#else
layout(std430, set = 0, binding = 11) buffer clockwork
{
    uint clock_words[];
};
#define ENERGY_WORD(word) clock_words[CLOCK_ENERGY + word]
#endif
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

// What a particle takes from the record of a corner.
struct Part {
    vec3 velocity, kick; // of the node after the step; change of the particle's
    vec2 heat;           // change in proportion to its heat, and by its mass
};

// Rows are read whole: of a field in chunks, the llvmpipe of Mesa 22.3 reads a wrong component if
// only the last one is used.
vec3 kick_by(vec4 after, vec4 change, vec3 v)
{
    precise vec3 before = after.xyz - change.xyz;
    precise vec3 off = v - before;
    off = off * after.w;
    precise vec3 kick = change.xyz - off;
    return kick;
}

Part part_of(Place place, uint corner, vec3 v)
{
    uint node = corner_node(place, corner);
    float weight = corner_weight(place, corner);
    vec4 after = VKS_AT(records, RECORD_ROWS * node);
    vec4 change = VKS_AT(records, RECORD_ROWS * node + 1u);
    float gained = VKS_AT(records, RECORD_ROWS * node + 2u).x;
    precise vec3 velocity = after.xyz * weight;
    precise vec3 kick = kick_by(after, change, v) * weight;
    precise vec2 heat = vec2(change.w, gained) * weight;
    return Part(velocity, kick, heat);
}

Part sum_of(Part a, Part b)
{
    precise vec3 velocity = a.velocity + b.velocity;
    precise vec3 kick = a.kick + b.kick;
    precise vec2 heat = a.heat + b.heat;
    return Part(velocity, kick, heat);
}

float spread_of(Place place, uint corner, vec3 v, vec3 mean)
{
    uint node = corner_node(place, corner);
    precise vec3 off = kick_by(VKS_AT(records, RECORD_ROWS * node),
                               VKS_AT(records, RECORD_ROWS * node + 1u), v) -
                       mean;
    precise float spread = corner_weight(place, corner) * vks_flush(square(off));
    return spread;
}

// Sums over the corners are of the diagonals of the cell first, those of corners 0 and 1 and those
// of 2 and 3, and then of both, so that a mirrored cell has the same bytes.
uint opposite_of(uint corner)
{
    return corner ^ ((constants.depth > 1u ? 4u : 0u) | (constants.height > 1u ? 2u : 0u) |
                     (constants.width > 1u ? 1u : 0u));
}

bool begins_diagonal(uint corner)
{
    return !is_left_out(corner) && opposite_of(corner) >= corner;
}

Part add_diagonal(Part sum, Place place, uint corner, vec3 v)
{
    if (!begins_diagonal(corner)) {
        return sum;
    }
    Part part = part_of(place, corner, v);
    uint opposite = opposite_of(corner);
    return sum_of(sum, opposite == corner ? part : sum_of(part, part_of(place, opposite, v)));
}

float add_spread(float sum, Place place, uint corner, vec3 v, vec3 mean)
{
    if (!begins_diagonal(corner)) {
        return sum;
    }
    precise float spread = spread_of(place, corner, v, mean);
    uint opposite = opposite_of(corner);
    if (opposite != corner) {
        spread = spread + spread_of(place, opposite, v, mean);
    }
    precise float result = sum + spread;
    return result;
}

// Moves a particle to the returned position. `limbs` is its energy; 0 in a step that changes
// nothing.
uvec3 moved(uint i, out ivec3 limbs)
{
    uvec3 position = uvec3(VKS_AT(zs, i), VKS_AT(ys, i), VKS_AT(xs, i));
    limbs = ivec3(0);
    if (step_value[STEP_DT] == 0.0f) {
        return position;
    }
    Place place = place_of(position);
    vec3 v = vec3(VKS_AT(vzs, i), VKS_AT(vys, i), VKS_AT(vxs, i));
    const Part none = Part(vec3(0.0f), vec3(0.0f), vec2(0.0f));
    Part part = sum_of(add_diagonal(add_diagonal(none, place, 0u, v), place, 1u, v),
                       add_diagonal(add_diagonal(none, place, 2u, v), place, 3u, v));
    precise float spread =
        add_spread(add_spread(0.0f, place, 0u, v, part.kick), place, 1u, v, part.kick) +
        add_spread(add_spread(0.0f, place, 2u, v, part.kick), place, 3u, v, part.kick);
    float before = VKS_AT(heats, i);
    precise vec3 velocity = v + part.kick;
    velocity = flush(velocity);
    precise float gain = before * part.heat.x;
    gain = gain + part.heat.y;
    spread = 0.5f * spread;
    gain = gain + spread;
    precise float heat = before + gain;
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
    position = advected(position, part.velocity, step_value[STEP_LAMBDA]);
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
    bool present = i < PARTICLES;
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
    uint key = present ? sort_key(position) : SORT_NO_ITEM;
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
        uint before = atomicAdd(ENERGY_WORD(0), energy.x);
        uint high = energy.y + (before + energy.x < before ? 1u : 0u);
        atomicAdd(ENERGY_WORD(1), high);
    }
}
