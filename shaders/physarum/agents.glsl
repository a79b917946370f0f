// SPDX-License-Identifier: MIT
// An agent's step: sense, steer, move. docs/sims/physarum.md, "Agents".
// PHYSARUM_SORTED: the agents are stored in the core's order. PHYSARUM_GENERAL: each agent has its
// own traits (general.glsl), instead of the constants. PHYSARUM_TRAIL: who includes this defines
// trail_at().
#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "physarum/step.glsl"
#include "physarum/rank_rows.glsl"

layout(constant_id = 2) const uint sampling = PHYSARUM_NEAREST;
layout(constant_id = 3) const uint steering = PHYSARUM_MAX;
layout(constant_id = 4) const bool jittered = false;
layout(constant_id = 5) const bool near = false; // no distance is half a side or more
// Where a side is 2^(32 - n) cells: n, a cheaper way to its cells; otherwise 0.
layout(constant_id = 13) const uint row_shift = 0u;
layout(constant_id = 14) const uint column_shift = 0u;

#ifndef PHYSARUM_TRAIL
VKS_INPUT(0, trail, float, trails)

#ifdef PHYSARUM_GENERAL
uint sensed_plane = 0u; // of the trail: a species
float trail_at(uint row, uint column);
#else
// The trail of a cell.
float trail_at(uint row, uint column)
{
    return VKS_IN(trails, row * constants.width + column);
}
#endif
#endif
#ifdef VKS_TEXELS
// An invocation reads its agent before it writes it, and no other invocation does either.
VKS_FIELD(1, writeonly, position, uvec2, positions); // (y, x)
VKS_FIELD(2, writeonly, heading, uint, headings);
VKS_INPUT(7, position_before, uvec2, positions_before)
VKS_INPUT(8, heading_before, uint, headings_before)
#define POSITION(i) VKS_IN(positions_before, i)
#define HEADING(i) VKS_IN(headings_before, i)
#else
VKS_FIELD(1, , position, uvec2, positions); // (y, x)
VKS_FIELD(2, , heading, uint, headings);
#define POSITION(i) VKS_AT(positions, i)
#define HEADING(i) VKS_AT(headings, i)
#endif
#ifdef PHYSARUM_SORTED
VKS_INPUT(3, agents_number, uint, numbers)
#endif

// The row, in the whole field, and the column of the cell at that place.
uvec2 whole_cell(uvec2 place)
{
    return uvec2(row_shift > 0u ? place.x >> row_shift : vks_high(place.x, PLACE_ROWS),
                 column_shift > 0u ? place.y >> column_shift : vks_high(place.y, constants.width));
}

// The row, in the fields, and the column of the cell at that place.
uvec2 cell(uvec2 place)
{
    uvec2 at = whole_cell(place);
    return uvec2(local_row(at.x), at.y);
}

float bilinear(uvec2 place)
{
    uvec2 at = cell(place);
    precise float fy = float((place.x * PLACE_ROWS) >> 8) * 5.9604644775390625e-8f;
    precise float fx = float((place.y * constants.width) >> 8) * 5.9604644775390625e-8f;
    uint below = row_below(at.x);
    uint right = at.y + 1u == constants.width ? 0u : at.y + 1u;
    precise float a = trail_at(at.x, at.y);
    precise float b = trail_at(at.x, right);
    precise float c = trail_at(below, at.y);
    precise float d = trail_at(below, right);
    precise float top = a + fx * (b - a);
    precise float bottom = c + fx * (d - c);
    precise float value = top + fy * (bottom - top);
    return value;
}

// vks_displacement() of `length` 2^-32 sides. If that is less than half a side, the signed number
// has the same bits.
uint displacement(float cosine, float length)
{
    if (near) {
        precise float signed_length = cosine * length;
        return uint(int(signed_length));
    }
    precise float sides = length * 2.3283064365386963e-10f;
    return vks_displacement(cosine, sides);
}

// The place at that distance, (y, x), in the direction with this (sine, cosine).
uvec2 place_of_sensor(uvec2 place, float sine, float cosine, vec2 distance)
{
    return place + uvec2(displacement(sine, distance.x), displacement(cosine, distance.y));
}

// The trail at that place, as sensors read it.
float sample_at(uvec2 place)
{
    float value;
    if (sampling == PHYSARUM_BILINEAR) {
        value = bilinear(place);
    } else {
        uvec2 at = cell(place);
        value = trail_at(at.x, at.y);
    }
    return value;
}

// The number of the agent that is stored there.
uint number_of(uint i)
{
#ifdef PHYSARUM_SORTED
    return VKS_IN(numbers, i);
#else
    return i;
#endif
}

#ifdef PHYSARUM_GENERAL
#include "physarum/general.glsl"
#else
struct agent {
    uvec2 place;
    uint direction;
};

#define SENSOR_SINE(a) constants.sensor_sine
#define SENSOR_COSINE(a) constants.sensor_cosine
#define SENSOR_DISTANCE(a) vec2(constants.sensor_y, constants.sensor_x)
#define STEP_SIZE(a) vec2(constants.move_y, constants.move_x)
#define TURN_ANGLE(a) constants.turn_angle
#define JITTER(a) constants.jitter
#define SPECIES(a) 0u
#define WALLS(a) false

const bool needs_heading = false; // a random one, at walls

// Plain agents are of one species and have no traits of their own.
void recall(uint i, inout agent a)
{
}

void prepare(inout agent a)
{
}

float sensed(uint own, uvec2 place)
{
    return sample_at(place);
}

// Nothing is in their way, and they live for ever.
bool is_hidden(bool walls, uvec2 place, float sine, float cosine, vec2 distance)
{
    return false;
}

bool travel(bool walls, inout uvec2 place, inout uint heading, float sine, float cosine, vec2 size,
            uint word)
{
    place += uvec2(displacement(sine, size.x), displacement(cosine, size.y));
    return true;
}

void age(uint i, inout agent a)
{
}
#endif

// Whether this is the cell of a deposit; general agents may leave none.
bool is_deposit(uvec2 at)
{
#ifdef PHYSARUM_GENERAL
    return at.x != PHYSARUM_NOWHERE;
#else
    return true;
#endif
}

agent load(uint i)
{
    agent a;
    a.place = POSITION(i);
    a.direction = HEADING(i);
    recall(i, a);
    return a;
}

// What an agent of that species senses at that distance in that direction. `walls`: some are near.
float sense(uint own, bool walls, uvec2 place, float sine, float cosine, vec2 distance)
{
    return is_hidden(walls, place, sine, cosine, distance)
               ? 0.0f
               : sensed(own, place_of_sensor(place, sine, cosine, distance));
}

// The same in front, on the left and on the right.
vec3 look(agent a)
{
    vec2 sc = vks_sincos(a.direction);
    precise float sine_cosine = sc.x * SENSOR_COSINE(a);
    precise float cosine_sine = sc.y * SENSOR_SINE(a);
    precise float cosine_cosine = sc.y * SENSOR_COSINE(a);
    precise float sine_sine = sc.x * SENSOR_SINE(a);
    precise float left_sine = sine_cosine + cosine_sine;
    precise float left_cosine = cosine_cosine - sine_sine;
    precise float right_sine = sine_cosine - cosine_sine;
    precise float right_cosine = cosine_cosine + sine_sine;
    float front = sense(SPECIES(a), WALLS(a), a.place, sc.x, sc.y, SENSOR_DISTANCE(a));
    float left = sense(SPECIES(a), WALLS(a), a.place, left_sine, left_cosine, SENSOR_DISTANCE(a));
    float right =
        sense(SPECIES(a), WALLS(a), a.place, right_sine, right_cosine, SENSOR_DISTANCE(a));
    return vec3(front, left, right);
}

// Moves agent i, which has seen that, and returns the cell of its deposit: its row among those of
// all planes, or PHYSARUM_NOWHERE, and its column.
uvec2 move(uint i, agent a, vec3 seen)
{
    float front = seen.x, left = seen.y, right = seen.z;
    uvec4 r = uvec4(0u);
    if (jittered || steering == PHYSARUM_JONES || needs_heading) {
        r = vks_random(constants.seed, number_of(i), current_step(), 1u);
    }
    uint turn = 0u;
    if (steering == PHYSARUM_MAX) {
        if (left > front && left > right) {
            turn = TURN_ANGLE(a);
        } else if (right > front && right > left) {
            turn = 0u - TURN_ANGLE(a);
        }
    } else if (!(front > left && front > right)) {
        if (front < left && front < right) {
            turn = (r.y >> 31) == 1u ? TURN_ANGLE(a) : 0u - TURN_ANGLE(a);
        } else if (left > right) {
            turn = TURN_ANGLE(a);
        } else if (right > left) {
            turn = 0u - TURN_ANGLE(a);
        }
    }
    a.direction += turn;
    if (jittered) {
        a.direction += vks_high(r.x, 2u * JITTER(a) + 1u) - JITTER(a);
    }

    vec2 sc = vks_sincos(a.direction);
    bool deposits = travel(WALLS(a), a.place, a.direction, sc.x, sc.y, STEP_SIZE(a), r.z);
    uvec2 at = cell(a.place);
    at.x = deposits ? at.x + SPECIES(a) * constants.height : PHYSARUM_NOWHERE;
    age(i, a);
    VKS_AT(positions, i) = a.place;
    VKS_AT(headings, i) = a.direction;
    return at;
}

// The step of agent i. Returns the cell of its deposit.
uvec2 advance(uint i)
{
    agent a = load(i);
    prepare(a);
    vec3 seen = look(a);
    return move(i, a, seen);
}
