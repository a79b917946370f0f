// SPDX-License-Identifier: MIT
// Agents with traits of their own, and lifetimes: docs/sims/physarum.md, "Agents that read the
// trail" and "Deposits of crowds, lifetimes".

layout(constant_id = 16) const bool form = true; // false: the traits are the constants
layout(constant_id = 17) const uint blend = PHYSARUM_NO_BLEND;
layout(constant_id = 18) const bool restarts = false; // agents have a lifetime

VKS_FIELD(9, readonly, parameters, uint, words);
VKS_FIELD(10, readonly, blend_shares, float, shares); // of cells, with PHYSARUM_BLEND_MAP

struct agent {
    uvec2 place;
    uint direction;
    uint turn_angle, jitter;
    float sensor_sine, sensor_cosine;
    vec2 sensor_distance, step_size; // (y, x) in 2^-32 sides
};

#define SENSOR_SINE(a) a.sensor_sine
#define SENSOR_COSINE(a) a.sensor_cosine
#define SENSOR_DISTANCE(a) a.sensor_distance
#define STEP_SIZE(a) a.step_size
#define TURN_ANGLE(a) a.turn_angle
#define JITTER(a) a.jitter

float parameter(uint word)
{
    return uintBitsToFloat(VKS_AT(words, word));
}

// The share of the second point at that place, a multiple of 2^-16.
float share_at(uvec2 place)
{
    if (blend == PHYSARUM_BLEND_MAP) {
        uvec2 at = cell(place);
        return VKS_AT(shares, at.x * constants.width + at.y);
    }
    if (blend == PHYSARUM_BLEND_SPOT) {
        uvec2 from = uvec2(VKS_AT(words, PHYSARUM_SPOT_Y), VKS_AT(words, PHYSARUM_SPOT_X));
        precise vec2 d = vec2(ivec2(place - from)) * 2.3283064365386963e-10f;
        d = d * vec2(constants.height, constants.width);
        precise float distance = d.x * d.x + d.y * d.y;
        precise float t = 1.0f - distance * parameter(PHYSARUM_SPOT_SHARPNESS);
        t = max(t, 0.0f);
        precise float parts = (t * t) * 65536.0f + 0.5f;
        parts = floor(parts) * 1.52587890625e-5f;
        return parts;
    }
    return parameter(PHYSARUM_SHARE);
}

// A parameter between both points.
float mixed(uint word, float share)
{
    precise float a = parameter(word);
    if (blend != PHYSARUM_NO_BLEND) {
        a = a + share * (parameter(PHYSARUM_POINT_WORDS + word) - a);
    }
    return a;
}

// A quantity from the log2 of the relative trail, clamped to low .. high.
float quantity(uint word, float share, float logarithm, float low, float high)
{
    precise float exponent = mixed(word + 2u, share) * logarithm;
    precise float value =
        mixed(word, share) + mixed(word + 1u, share) * vks_exp2(max(exponent, -60.0f));
    return vks_flush(min(max(value, low), high));
}

// A number of turns as a binary angle.
uint binary_angle(float turns)
{
    return vks_displacement(turns < 0.0f ? -1.0f : 1.0f, abs(turns));
}

// A length in cells as (y, x) in 2^-32 sides.
vec2 length_of(float cells)
{
    precise vec2 sides =
        cells * vec2(parameter(PHYSARUM_INVERSE_HEIGHT), parameter(PHYSARUM_INVERSE_WIDTH));
    sides = sides * 4294967296.0f;
    return sides;
}

// log2 of the relative trail that the agent's traits depend on, which is at least 2^-30 and at most
// 1.
float logarithm_near(agent a, float share)
{
    float ahead = mixed(PHYSARUM_AHEAD, share), below = mixed(PHYSARUM_BELOW, share);
    uvec2 place = a.place;
    if (ahead != 0.0f) {
        precise vec2 direction = vks_sincos(a.direction) * (ahead < 0.0f ? -1.0f : 1.0f);
        precise vec2 sides = abs(ahead) * vec2(parameter(PHYSARUM_INVERSE_HEIGHT),
                                               parameter(PHYSARUM_INVERSE_WIDTH));
        place += uvec2(vks_displacement(direction.x, sides.x),
                       vks_displacement(direction.y, sides.y));
    }
    precise float down = abs(below) * parameter(PHYSARUM_INVERSE_HEIGHT);
    place.x += vks_displacement(below < 0.0f ? -1.0f : 1.0f, down);
    uvec2 at = cell(place);
    precise float relative = trail_at(at.x, at.y) * mixed(PHYSARUM_SCALE, share);
    return vks_log2(min(max(relative, 9.31322574615478515625e-10f), 1.0f));
}

// Computes the agent's traits from the trail near it.
void prepare(inout agent a)
{
    if (!form) {
        a.turn_angle = constants.turn_angle;
        a.jitter = constants.jitter;
        a.sensor_sine = constants.sensor_sine;
        a.sensor_cosine = constants.sensor_cosine;
        a.sensor_distance = vec2(constants.sensor_y, constants.sensor_x);
        a.step_size = vec2(constants.move_y, constants.move_x);
        return;
    }
    float share = share_at(a.place);
    float logarithm = logarithm_near(a, share);
    float distance = quantity(PHYSARUM_DISTANCE, share, logarithm, 0.0f, 1000.0f);
    float sensor_angle = quantity(PHYSARUM_SENSOR_ANGLE, share, logarithm, -64.0f, 64.0f);
    float turn_angle = quantity(PHYSARUM_TURN_ANGLE, share, logarithm, -64.0f, 64.0f);
    float step_size = quantity(PHYSARUM_STEP_SIZE, share, logarithm, 0.0f, 1000.0f);
    vec2 sc = vks_sincos(binary_angle(sensor_angle));
    a.sensor_sine = sc.x;
    a.sensor_cosine = sc.y;
    a.turn_angle = binary_angle(turn_angle);
    a.jitter = binary_angle(min(mixed(PHYSARUM_JITTER, share), 0.49999997f));
    a.sensor_distance = length_of(distance);
    a.step_size = length_of(step_size);
}

// What happens to agent i after its deposit: at the end of its life it restarts at a random place.
void age(uint i, inout agent a)
{
    if (!restarts) {
        return;
    }
    uint number = number_of(i);
    if (vks_random(constants.seed, number, current_step(), 2u).x <=
        VKS_AT(words, PHYSARUM_RESTARTS)) {
        uvec4 r = vks_random(constants.seed, number, current_step(), 16u);
        a.place = uvec2(r.x - (r.x * constants.height) / constants.height,
                        r.y - (r.y * constants.width) / constants.width);
        a.direction = r.z;
    }
}
