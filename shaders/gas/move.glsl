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

// The corners at the ends of a diagonal of a particle's cell.
struct Diagonal {
    uint first, last;
};

// Sums over the corners are of diagonals, then of pairs of diagonals, so that a mirrored cell has
// the same bytes. Diagonals whose first corner is left out or behind the last are skipped.
Diagonal diagonal_of(uint first)
{
    uint opposite = (constants.depth > 1u ? 4u : 0u) | (constants.height > 1u ? 2u : 0u) |
                    (constants.width > 1u ? 1u : 0u);
    return Diagonal(first, first ^ opposite);
}

bool is_skipped(Diagonal diagonal)
{
    return is_left_out(diagonal.first) || diagonal.last < diagonal.first;
}

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

// Moves a particle to the returned position. `limbs` is its energy.
uvec3 moved(uint i, out ivec3 limbs)
{
    uvec3 position = uvec3(VKS_AT(zs, i), VKS_AT(ys, i), VKS_AT(xs, i));
    Place place = place_of(position);
    vec3 v = vec3(VKS_AT(vzs, i), VKS_AT(vys, i), VKS_AT(vxs, i));
    // Two variables: an array whose index is not constant would be in slow memory.
    Part one = Part(vec3(0.0f), vec3(0.0f), vec2(0.0f));
    Part other = one;
    uint count = 0u;
    for (uint corner = 0u; corner < 4u; corner++) {
        Diagonal diagonal = diagonal_of(corner);
        if (is_skipped(diagonal)) {
            continue;
        }
        Part sum = part_of(place, diagonal.first, v);
        if (diagonal.last != diagonal.first) {
            sum = sum_of(sum, part_of(place, diagonal.last, v));
        }
        if (count < 2u) {
            one = sum_of(one, sum);
        } else {
            other = sum_of(other, sum);
        }
        count++;
    }
    Part part = sum_of(one, other);
    precise float one_spread = 0.0f;
    precise float other_spread = 0.0f;
    count = 0u;
    for (uint corner = 0u; corner < 4u; corner++) {
        Diagonal diagonal = diagonal_of(corner);
        if (is_skipped(diagonal)) {
            continue;
        }
        precise float sum = spread_of(place, diagonal.first, v, part.kick);
        if (diagonal.last != diagonal.first) {
            sum = sum + spread_of(place, diagonal.last, v, part.kick);
        }
        if (count < 2u) {
            one_spread = one_spread + sum;
        } else {
            other_spread = other_spread + sum;
        }
        count++;
    }
    precise float spread = one_spread + other_spread;
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
