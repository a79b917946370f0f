// SPDX-License-Identifier: MIT
// Initial conditions of particles: evenly distributed in the box, displaced by waves or mapped into
// a ball. docs/sims/gas.md.
#include "gas/start.glsl"
#include "gas/slab.glsl"

layout(constant_id = 1) const float lowest_frequency = 0.0f;
layout(constant_id = 2) const float frequencies = 0.0f; // from the lowest to the highest

VKS_FIELD(1, writeonly, z, uint, zs);
VKS_FIELD(2, writeonly, y, uint, ys);
VKS_FIELD(3, writeonly, x, uint, xs);
VKS_FIELD(4, writeonly, vz, float, vzs);
VKS_FIELD(5, writeonly, vy, float, vys);
VKS_FIELD(6, writeonly, vx, float, vxs);
VKS_FIELD(7, writeonly, mass, float, masses);
VKS_FIELD(8, writeonly, heat, float, heats);
VKS_FIELD(9, writeonly, oscillator, float, oscillators);
VKS_FIELD(10, writeonly, frequency, float, own_frequencies);
#ifdef GAS_RANKS
layout(constant_id = 3) const uint room = 0u; // of this rank, for particles
VKS_FIELD(11, , particles_alive, uint, alive);
VKS_FIELD(12, writeonly, particles_number, uint, item_numbers);
#endif

// Moves a place by a vector in units of the box.
uvec3 moved_by(uvec3 place, vec3 offset)
{
    vec3 per_side = vec3(constants.per_side_z, constants.per_side_y, constants.per_side_x);
    return place + uvec3(vks_displacement(offset.x, per_side.x),
                         vks_displacement(offset.y, per_side.y),
                         vks_displacement(offset.z, per_side.z));
}

uint axis_count()
{
    return uint(constants.side_z > 0.0f) + uint(constants.side_y > 0.0f) +
           uint(constants.side_x > 0.0f);
}

bool moves_along(uint axis)
{
    float side =
        axis == 0u ? constants.side_z : (axis == 1u ? constants.side_y : constants.side_x);
    return side > 0.0f;
}

// A Kronecker sequence, which fills a line, square or cube evenly: steps of 1 / g, 1 / g^2, 1 /
// g^3, where g^(n + 1) = g + 1 for n axes. Where its lattice would show in pictures from some
// angles, places are jittered by up to their spacing.
uvec3 even_numbers(uint i, uint axes)
{
    const uint steps[7] = uint[7](0u, 2654435769u, 3242174889u, 2447445414u, 3518319155u,
                                  2882110345u, 2360945575u);
    uint first = axes == 3u ? 4u : (axes == 2u ? 2u : axes);
    uvec3 numbers = uvec3(0x80000000u);
    uvec3 random = vks_random(constants.seed, i, 0u, 5u).xyz;
    for (uint j = 0u; j < axes; j++) {
        numbers[j] = 0x80000000u + i * steps[first + j] + vks_high(random[j], constants.jitter);
    }
    return numbers;
}

// A number in [0, 1).
float unit_of(uint word)
{
    precise float unit = float(word >> 8) * 5.9604644775390625e-8f;
    return unit;
}

// A random vector, uniform in the ball of --init cloud (a disc or a line in flat boxes).
vec3 into_ball(uvec3 numbers, uint axes)
{
    precise vec3 offset = vec3(0.0f);
    if (axes == 3u) {
        precise float up = 2.0f * unit_of(numbers.y);
        up = up - 1.0f;
        precise float flat_square = up * up;
        flat_square = 1.0f - flat_square;
        float flat_share = vks_sqrt(vks_flush(max(flat_square, 0.0f)));
        precise vec2 turn = vks_sincos(numbers.z) * flat_share;
        offset = vec3(up, turn) * vks_pow(unit_of(numbers.x), 0.333333343f);
    } else if (axes == 2u) {
        offset.xy = vks_sincos(numbers.y) * vks_sqrt(unit_of(numbers.x));
    } else {
        offset.x = 2.0f * unit_of(numbers.x);
        offset.x = offset.x - 1.0f;
    }
    offset = offset * constants.radius;
    return flush(offset);
}

void main()
{
    uint i = vks_item();
    if (i >= constants.particles) {
        return;
    }
    uint axes = axis_count();
    uvec3 numbers = even_numbers(i, axes);
    vec3 ball = into_ball(numbers, axes);
    uvec3 place = uvec3(0u);
    vec3 offset = vec3(0.0f);
    uint next = 0u;
    for (uint axis = 0u; axis < 3u; axis++) {
        if (moves_along(axis)) {
            place[axis] = numbers[next];
            offset[axis] = ball[next];
            next++;
        }
    }
    float m = constants.mass;
    Gas gas;
    if (start == GAS_WAVES) {
        offset = waves_at(place).yzw;
        precise vec3 velocity = offset * constants.growth;
        place = moved_by(place, offset);
        gas = Gas(1.0f, flush(velocity), constants.temperature);
    } else {
        if (start == GAS_CLOUD && i >= constants.outside) {
            place = moved_by(middle, offset);
        }
        gas = gas_at(place);
        if (start != GAS_CLOUD) {
            precise float heavier = m * gas.density;
            m = vks_flush(heavier);
        }
    }
    precise float part = unit_of(vks_random(constants.seed, i, 0u, 6u).x) * frequencies;
    precise float own = lowest_frequency + part;
#ifdef GAS_RANKS
    uint row = vks_high(constants.side_z > 0.0f ? place.x : place.y, slab_side);
    if (!is_own_row(row_here(row))) {
        return; // another rank's
    }
    uint number = i;
    i = atomicAdd(VKS_AT(alive, 0u), 1u);
    if (i >= room) {
        return; // there is too little room: these passes run again, with more
    }
    VKS_AT(item_numbers, i) = number;
#endif
    VKS_AT(zs, i) = place.x;
    VKS_AT(ys, i) = place.y;
    VKS_AT(xs, i) = place.z;
    VKS_AT(vzs, i) = gas.velocity.x;
    VKS_AT(vys, i) = gas.velocity.y;
    VKS_AT(vxs, i) = gas.velocity.z;
    VKS_AT(masses, i) = m;
    VKS_AT(heats, i) = gas.heat;
    VKS_AT(oscillators, i) = 0.0f;
    VKS_AT(own_frequencies, i) = vks_flush(own);
}
