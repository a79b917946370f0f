// SPDX-License-Identifier: MIT
// Shared by the field passes: wrapping, and the end of the arithmetic.
#ifndef VKS_PHYSARUM_FIELD_GLSL
#define VKS_PHYSARUM_FIELD_GLSL
#include "lib/exact.glsl"
#include "physarum/constants.glsl"

layout(constant_id = 10) const uint boundary = PHYSARUM_PERIODIC;
layout(constant_id = 12) const bool blurs = true; // the square has 3 x 3 cells, not one
layout(constant_id = 15) const uint curve = PHYSARUM_LINEAR;
// The fields are those of a rank, and the first and the last row of the whole field, which do not
// read each other, may be neighbours in them.
layout(constant_id = 17) const bool seamed = false;

#define SEAM (constants.side - constants.first) // the first row of the whole field

// PHYSARUM_PLANES: each species has a plane with constants of its own. Planes follow each other in
// memory and in the rows of the pass. PHYSARUM_GENERAL: there are walls, food and maps.
#ifdef PHYSARUM_PLANES
layout(constant_id = 16) const uint planes = 1u;
VKS_FIELD(8, readonly, parameters, uint, plane_words);

uint plane = 0u; // of the invocation

// Sets the plane from the invocation's row among `lines` per plane, and returns its row in it.
uint enter_plane(uint line, uint lines)
{
    plane = planes > 1u ? line / lines : 0u;
    return line - plane * lines;
}

#ifdef PHYSARUM_GENERAL
const bool has_words = true;
#else
const bool has_words = planes > 1u;
#endif

float of_plane(uint word, float plain)
{
    return has_words ? uintBitsToFloat(VKS_AT(plane_words, plane * PHYSARUM_BLOCK_WORDS + word))
                     : plain;
}

#define DEPOSIT of_plane(PHYSARUM_DEPOSIT, constants.deposit)
#define KEEP of_plane(PHYSARUM_KEEP, constants.keep)
#define BLURRED of_plane(PHYSARUM_BLURRED, constants.blurred)
#define SHARP of_plane(PHYSARUM_SHARP, constants.sharp)
#else
#define DEPOSIT constants.deposit
#define KEEP constants.keep
#define BLURRED constants.blurred
#define SHARP constants.sharp
#endif

// Wraps a coordinate that is outside by at most the max radius, 31.
uint wrap(int at, uint side)
{
    return (uint(at) + 64u * side) % side;
}

// Wraps a coordinate that is outside by at most one.
uint wrap_once(int at, uint side)
{
    return at < 0 ? side - 1u : uint(at) >= side ? 0u : uint(at);
}

// The deposits of `count` agents of a cell, in units of one agent's.
float deposits_of(uint count)
{
    if (curve != PHYSARUM_LINEAR && constants.deposit_limit > 0u) {
        count = min(count, constants.deposit_limit);
    }
    return curve == PHYSARUM_ROOT    ? vks_sqrt(float(count))
           : curve == PHYSARUM_POWER ? vks_pow(float(count), constants.deposit_power)
                                     : float(count);
}

// D: the trail of a cell plus its agents' deposits.
float with_deposits(float trail, uint count)
{
    precise float d = trail + deposits_of(count) * DEPOSIT;
    return d;
}

// The same for four cells.
vec4 deposits_of(uvec4 count)
{
    return curve == PHYSARUM_LINEAR ? vec4(count)
                                    : vec4(deposits_of(count.x), deposits_of(count.y),
                                           deposits_of(count.z), deposits_of(count.w));
}

vec4 with_deposits(vec4 trail, uvec4 count)
{
    precise vec4 d = trail + deposits_of(count) * vec4(DEPOSIT);
    return d;
}

// The sums of three cells in a row around each of four, from D of these and their neighbours.
vec4 sums_of_three(float before, vec4 d, float after)
{
    precise vec4 sum = vec4(before, d.xyz) + d;
    sum = sum + vec4(d.yzw, after);
    return sum;
}

// T of the next step from D and the sum of the square around it.
float diffused(float d, float sum)
{
    precise float mean = sum * constants.inverse_area;
    precise float kept = SHARP * d;
    precise float blurred = BLURRED * mean;
    precise float t = kept + blurred;
    t = KEEP * t;
    return vks_flush(t);
}

#ifdef PHYSARUM_GENERAL
#include "physarum/surroundings.glsl"
#else
const bool counted = true; // agents add to this trail
#endif
#endif
