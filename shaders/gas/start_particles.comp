// SPDX-License-Identifier: MIT
// Initial conditions of particles: places that fill the box evenly, moved by waves or gathered in a
// ball. docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/start.glsl"

VKS_FIELD(1, writeonly, z, uint, zs);
VKS_FIELD(2, writeonly, y, uint, ys);
VKS_FIELD(3, writeonly, x, uint, xs);
VKS_FIELD(4, writeonly, vz, float, vzs);
VKS_FIELD(5, writeonly, vy, float, vys);
VKS_FIELD(6, writeonly, vx, float, vxs);
VKS_FIELD(7, writeonly, mass, float, masses);
VKS_FIELD(8, writeonly, heat, float, heats);
VKS_FIELD(9, writeonly, oscillator, float, oscillators);
VKS_FIELD(10, writeonly, frequency, float, frequencies);

// Lengths of the box as fractions of its sides.
uvec3 moved_by(uvec3 place, vec3 way)
{
    vec3 per_side = vec3(constants.per_side_z, constants.per_side_y, constants.per_side_x);
    return place + uvec3(vks_displacement(way.x, per_side.x), vks_displacement(way.y, per_side.y),
                         vks_displacement(way.z, per_side.z));
}

// The i-th place of a Kronecker sequence, which fills the active axes evenly without a lattice: steps
// of 1 / g, 1 / g^2, 1 / g^3, where g^(n + 1) = g + 1 for n axes.
uvec3 even_place(uint i)
{
    const uint steps[6] = uint[6](2654435769u, 3242174889u, 2447445414u, 3518319155u, 2882110345u,
                                  2360945575u);
    bvec3 moves = greaterThan(vec3(constants.side_z, constants.side_y, constants.side_x), vec3(0.0f));
    uint axes = uint(moves.x) + uint(moves.y) + uint(moves.z);
    uint next = axes == 3u ? 3u : (axes == 2u ? 1u : 0u);
    uvec3 place = uvec3(0u);
    for (uint axis = 0u; axis < 3u; axis++) {
        if (moves[axis]) {
            place[axis] = 0x80000000u + i * steps[next];
            next++;
        }
    }
    return place;
}

// A number from 0 to below 1.
float unit_of(uint word)
{
    precise float unit = float(word >> 8) * 5.9604644775390625e-8f;
    return unit;
}

// From a place in a cube to one in the ball of --init cloud (a disc, or a length, in flat boxes).
uvec3 in_ball(uvec3 place)
{
    bool has_z = constants.side_z > 0.0f;
    bool has_y = constants.side_y > 0.0f;
    float out_share = unit_of(place.x);
    precise vec3 way = vec3(0.0f);
    if (has_z && has_y) {
        precise float up = 2.0f * unit_of(place.y);
        up = up - 1.0f;
        precise float flat_square = 1.0f - up * up;
        float flat_share = vks_sqrt(vks_flush(max(flat_square, 0.0f)));
        precise vec2 turn = vks_sincos(place.z) * flat_share;
        way = vec3(up, turn) * vks_pow(out_share, 0.333333343f);
    } else if (has_y) {
        way.yz = vks_sincos(place.z) * vks_sqrt(out_share);
    } else {
        way.z = 2.0f * unit_of(place.z);
        way.z = way.z - 1.0f;
    }
    way = way * constants.radius;
    return moved_by(middle, flush(way));
}

void main()
{
    uint i = vks_item();
    if (i >= constants.particles) {
        return;
    }
    uvec3 place = even_place(i);
    float m = constants.mass;
    Gas gas;
    if (start == GAS_WAVES) {
        vec3 way = waves_at(place).yzw;
        precise vec3 velocity = way * constants.growth;
        place = moved_by(place, way);
        gas = Gas(1.0f, flush(velocity), constants.temperature);
    } else {
        if (start == GAS_CLOUD && i >= constants.outside) {
            place = in_ball(place);
        }
        gas = gas_at(place);
        if (start != GAS_CLOUD) {
            precise float heavier = m * gas.density;
            m = vks_flush(heavier);
        }
    }
    VKS_AT(zs, i) = place.x;
    VKS_AT(ys, i) = place.y;
    VKS_AT(xs, i) = place.z;
    VKS_AT(vzs, i) = gas.velocity.x;
    VKS_AT(vys, i) = gas.velocity.y;
    VKS_AT(vxs, i) = gas.velocity.z;
    VKS_AT(masses, i) = m;
    VKS_AT(heats, i) = gas.heat;
    VKS_AT(oscillators, i) = 0.0f;
    VKS_AT(frequencies, i) = 0.0f;
}
