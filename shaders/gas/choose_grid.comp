// SPDX-License-Identifier: MIT
// Grid: dt and what follows from it, from the limits, which are cleared for the next step.
// docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/node.glsl"
#include "gas/dt.glsl"

layout(std430, set = 0, binding = 0) buffer clockwork
{
    uint clock_words[];
};
layout(std430, set = 0, binding = 1) buffer limits
{
    uint maxima[];
};
layout(std430, set = 0, binding = 2) writeonly buffer moment
{
    float moments[];
};
layout(std430, set = 0, binding = 3) writeonly buffer time
{
    uvec2 time_now;
};
layout(std430, set = 0, binding = 4) writeonly buffer dt
{
    float dt_now;
};
layout(std430, set = 0, binding = 5) buffer status
{
    uint why;
};

float limit(uint which)
{
    return uintBitsToFloat(maxima[which]);
}

// How much of a node's mass and energy a face may take, by axis.
void store_shares(float fast, float lambda, float half_time)
{
    precise float pull = vks_sqrt(limit(LIMIT_PULL)) * half_time;
    pull = vks_flush(pull);
    precise float all = fast + pull;
    precise float least = 0.015625f * all;
    precise float sum = 0.0f;
    float weights[3];
    for (uint axis = 0u; axis < 3u; axis++) {
        precise float own = limit(LIMIT_RATE + axis) + pull;
        weights[axis] = is_active(axis) ? max(own, least) : 0.0f;
        sum = sum + weights[axis];
    }
    precise float twice = 2.0f * lambda;
    for (uint axis = 0u; axis < 3u; axis++) {
        precise float share = 0.0f;
        if (weights[axis] >= VKS_TINY) {
            share = sum * vks_reciprocal(weights[axis]);
            share = share * twice;
        }
        moments[MOMENT_SHARE + axis] = vks_flush(share);
    }
}

void main()
{
    if (vks_item() > 0u) {
        return;
    }
    precise float fast = 0.0f;
    for (uint axis = 0u; axis < 3u; axis++) {
        fast = fast + (is_active(axis) ? limit(LIMIT_RATE + axis) : 0.0f);
    }
    float step = rounded_dt(pulled_dt(longest_dt(fast, limit(LIMIT_SPREAD)), limit(LIMIT_PULL)));
    if (step == 0.0f) {
        atomicMax(why, STATUS_STALLED);
    }
    precise float lambda = step * constants.per_h;
    precise float cap = 0.15f * constants.h2;
    cap = step > 0.0f ? cap * vks_reciprocal(step) : 0.0f;
    precise float half_time = uintBitsToFloat(clock_words[CLOCK_DT]) + step;
    half_time = 0.5f * half_time;
    store_shares(fast, lambda, half_time);
    moments[MOMENT_DT] = step;
    moments[MOMENT_LAMBDA] = lambda;
    moments[MOMENT_CAP] = vks_flush(cap);
    moments[MOMENT_HALF] = half_time;
    uvec2 now = uvec2(clock_words[CLOCK_TIME], clock_words[CLOCK_TIME + 1]);
    now = vks_fixed_add(now, vks_fixed(step, 1099511627776.0f));
    clock_words[CLOCK_TIME] = now.x;
    clock_words[CLOCK_TIME + 1] = now.y;
    clock_words[CLOCK_DT] = floatBitsToUint(step);
    time_now = now;
    dt_now = step;
    for (uint i = 0u; i < LIMIT_COUNT; i++) {
        maxima[i] = 0u;
    }
}
