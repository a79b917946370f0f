// SPDX-License-Identifier: MIT
// Initial conditions of the gas at a place, for grid and particles. Vectors have the order z, y, x;
// places are fractions of the sides in 2^-32. docs/sims/gas.md.
#ifndef VKS_GAS_START_GLSL
#define VKS_GAS_START_GLSL

#include "lib/grid.glsl"
#include "gas/vector.glsl"
#include "gas/start.h"

layout(constant_id = 0) const uint start = GAS_WAVES;

VKS_CONSTANTS(gas_start_params);

layout(std430, set = 0, binding = 0) readonly buffer modes
{
    uint mode_words[];
};

struct Gas {
    float density;
    vec3 velocity;
    float heat; // per mass
};

// The vector from one position to another, the shorter way around the torus.
vec3 separation(uvec3 from, uvec3 to)
{
    ivec3 steps = ivec3(to - from) >> 8;
    precise vec3 offset = vec3(steps) * 5.9604644775390625e-8f;
    offset = offset * vec3(constants.side_z, constants.side_y, constants.side_x);
    return flush(offset);
}

// Smooth step: 0 up to 0, 1 from 1 on.
float smooth_step(float t)
{
    float s = t > 0.0f ? (t < 1.0f ? t : 1.0f) : 0.0f;
    precise float twice = 2.0f * s;
    precise float rest = 3.0f - twice;
    precise float square_s = s * s;
    rest = square_s * rest;
    return rest;
}

// The sum of all waves: x the density's, yzw the vector.
vec4 waves_at(uvec3 place)
{
    precise vec4 sum = vec4(0.0f);
    for (uint i = 0u; i < constants.modes; i++) {
        uint row = i * MODE_WORDS;
        uint angle = mode_words[row] * place.x + mode_words[row + 1u] * place.y +
                     mode_words[row + 2u] * place.z + mode_words[row + MODE_PHASE];
        vec2 wave = vks_sincos(angle);
        vec4 amplitude = uintBitsToFloat(
            uvec4(mode_words[row + MODE_DENSITY], mode_words[row + MODE_VECTOR],
                  mode_words[row + MODE_VECTOR + 1u], mode_words[row + MODE_VECTOR + 2u]));
        precise vec4 part = amplitude * vec4(wave.y, wave.x, wave.x, wave.x);
        sum = sum + part;
    }
    return vec4(vks_flush(sum.x), flush(sum.yzw));
}

const uvec3 middle = uvec3(0x80000000u);

Gas tube(uvec3 place)
{
    uint along = constants.axis == 0u ? place.x : (constants.axis == 1u ? place.y : place.z);
    bool dense = ((along + 0x40000000u) >> 31) == 1u;
    Gas gas = Gas(1.0f, vec3(0.0f), constants.temperature);
    if (!dense) {
        precise float cooler = 0.8f * constants.temperature;
        gas.density = constants.per_ratio;
        gas.heat = vks_flush(cooler);
    }
    gas.velocity[constants.axis] = constants.speed;
    return gas;
}

Gas blast(uvec3 place)
{
    precise float density = 1.0f;
    precise float more = constants.ratio - 1.0f;
    for (uint i = 0u; i < constants.clumps; i++) {
        uvec3 centre = vks_random(constants.seed, i, 0u, 4u).xyz;
        precise float share = square(separation(centre, place)) * constants.per_clump;
        if (share < 1.0f) {
            precise float bump = smooth_step(1.0f - share) * more;
            density = density + bump;
        }
    }
    float per_density = vks_reciprocal(density);
    precise float heat = constants.temperature * per_density;
    precise float far = square(separation(middle, place)) * constants.per_area;
    if (far < 40.0f) {
        precise float hot = constants.peak * vks_exp(-far);
        hot = vks_flush(hot) * per_density;
        heat = heat + hot;
    }
    return Gas(vks_flush(density), vec3(0.0f), vks_flush(heat));
}

Gas shear(uvec3 place)
{
    // Distance from the edge of the band in the middle of the box, inwards.
    float off = abs(separation(middle, place).y);
    precise float quarter = 0.25f * constants.side_y;
    precise float inside = quarter - off;
    precise float t = inside * constants.per_edge;
    precise float near = t * 0.25f;
    near = near * near;
    t = t + 0.5f;
    precise float share = smooth_step(t);
    precise float more = constants.ratio - 1.0f;
    precise float density = share * more;
    density = density + 1.0f;
    precise float stream = share - 0.5f;
    stream = stream * constants.speed;
    precise float heat = constants.temperature * vks_reciprocal(density);
    precise float bell = near < 1.0f ? 1.0f - near : 0.0f;
    bell = bell * bell;
    precise vec3 stir = waves_at(place).yzw * bell;
    stir.z = stir.z + stream;
    return Gas(vks_flush(density), flush(stir), vks_flush(heat));
}

// Density waves of the growing mode.
Gas waves(uvec3 place)
{
    vec4 sum = waves_at(place);
    precise float density = 1.0f + sum.x;
    precise vec3 velocity = sum.yzw * constants.growth;
    return Gas(max(density, 0.05f), flush(velocity), constants.temperature);
}

// A turbulent ball in thin gas.
Gas cloud(uvec3 place)
{
    float far = vks_sqrt(vks_flush(square(separation(middle, place))));
    precise float inside = constants.radius - far;
    precise float t = inside * constants.per_edge;
    t = t + 1.0f;
    float share = smooth_step(t);
    precise float more = 1.0f - constants.per_ratio;
    precise float density = share * more;
    density = density + constants.per_ratio;
    precise vec3 velocity = waves_at(place).yzw * share;
    return Gas(vks_flush(density), flush(velocity), constants.temperature);
}

Gas gas_at(uvec3 place)
{
    switch (start) {
    case GAS_CLOUD:
        return cloud(place);
    case GAS_TUBE:
        return tube(place);
    case GAS_BLAST:
        return blast(place);
    case GAS_SHEAR:
        return shear(place);
    default:
        return waves(place);
    }
}
#endif
