// SPDX-License-Identifier: MIT
// An agent's part of a step: docs/sims/cipher.md, "A step". CIPHER_BACK: of a step backward.
#include "cipher/cipher.glsl"

VKS_FIELD(0, readonly, trail, uint, trails);
VKS_FIELD(1, , position, uvec2, positions); // (y, x)
VKS_FIELD(2, , heading, uint, headings);
VKS_FIELD(3, , register, uint, registers);
VKS_FIELD(4, readonly, moment, uint, moments);
#ifdef CIPHER_BACK
VKS_FIELD(5, writeonly, moment_next, uint, moments_next);
#else
VKS_FIELD(5, , counts, uint, agents_in);
#endif

// The trail at a distance from (y, x) in the direction with this sine and cosine.
int sense(uint y, uint x, float sine, float cosine)
{
    uint row = vks_high(y + vks_displacement(sine, constants.sensor_y), constants.height);
    uint column = vks_high(x + vks_displacement(cosine, constants.sensor_x), constants.width);
    return int(VKS_AT(trails, row * constants.width + column));
}

// The turn of an agent: towards a side that is stronger than both other sensors.
uint turn_of(uint y, uint x, uint direction)
{
    vec2 sc = vks_sincos(direction);
    precise float sine_cosine = sc.x * constants.sensor_cosine;
    precise float cosine_sine = sc.y * constants.sensor_sine;
    precise float cosine_cosine = sc.y * constants.sensor_cosine;
    precise float sine_sine = sc.x * constants.sensor_sine;
    precise float left_sine = sine_cosine + cosine_sine;
    precise float left_cosine = cosine_cosine - sine_sine;
    precise float right_sine = sine_cosine - cosine_sine;
    precise float right_cosine = cosine_cosine + sine_sine;
    int front = sense(y, x, sc.x, sc.y);
    int left = sense(y, x, left_sine, left_cosine);
    int right = sense(y, x, right_sine, right_cosine);
    uint turn = 0u;
    if (left > front && left > right) {
        turn = constants.turn_angle;
    } else if (right > front && right > left) {
        turn = 0u - constants.turn_angle;
    }
    return turn;
}

// The way of an agent in a step.
uvec2 way_of(uint direction)
{
    vec2 sc = vks_sincos(direction);
    return uvec2(vks_displacement(sc.x, constants.move_y),
                 vks_displacement(sc.y, constants.move_x));
}

// The register of agent i at that moment.
uint register_of(uint i, uint moment)
{
    uint plane = moment % constants.registers;
    uint offset = vks_high(keyed(plane, moment, 5u).x, constants.agents);
    uint owner = i + offset; // both are below 2^31
    owner = owner >= constants.agents ? owner - constants.agents : owner;
    return plane * constants.agents + owner;
}

void main()
{
    uint i = vks_item();
    if (i >= constants.agents) {
        return;
    }
    uint moment = VKS_AT(moments, 0u);
#ifdef CIPHER_BACK
    if (i == 0u) {
        VKS_AT(moments_next, 0u) = moment > 0u ? moment - 1u : 0u;
    }
    if (moment == 0u) {
        return;
    }
    uint at = register_of(i, moment - 1u);
    uint direction = VKS_AT(headings, i);
    uvec2 place = VKS_AT(positions, i) - way_of(direction);
    uint word = VKS_AT(registers, at);
    direction -= word;
    word -= turn_of(place.x, place.y, direction);
#else
    uint at = register_of(i, moment);
    uint direction = VKS_AT(headings, i);
    uvec2 place = VKS_AT(positions, i);
    uint word = VKS_AT(registers, at) + turn_of(place.x, place.y, direction);
    direction += word;
    place += way_of(direction);
    uint row = vks_high(place.x, constants.height);
    uint column = vks_high(place.y, constants.width);
    atomicAdd(VKS_AT(agents_in, row * constants.width + column), 1u);
#endif
    VKS_AT(registers, at) = word;
    VKS_AT(headings, i) = direction;
    VKS_AT(positions, i) = place;
}
