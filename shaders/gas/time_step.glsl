// SPDX-License-Identifier: MIT
// Shared by the choices of dt of both methods: buffers, values derived from dt, and the advance of
// time. At the end dt is 0, and such a step changes nothing. docs/sims/gas.md.
#ifndef VKS_GAS_TIME_STEP_GLSL
#define VKS_GAS_TIME_STEP_GLSL

#include "gas/dt.glsl"
#include "gas/node.glsl"

layout(std430, set = 0, binding = 0) buffer clockwork
{
    uint clock_words[];
};
layout(std430, set = 0, binding = 1) buffer limits
{
    uint maxima[];
};
layout(std430, set = 0, binding = 2) writeonly buffer step_values
{
    float step_value[];
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
#include "gas/end.glsl"

// GAS_LAST: workgroups of the same dispatch have raised the limits.
float limit(uint which)
{
#ifdef GAS_LAST
    return uintBitsToFloat(atomicAdd(maxima[which], 0u));
#else
    return uintBitsToFloat(maxima[which]);
#endif
}

// Time from the middle of the previous step to the middle of this one. Call it before advance().
float half_time_of(float step)
{
    precise float time = uintBitsToFloat(clock_words[CLOCK_DT]) + step;
    time = 0.5f * time;
    return time;
}

// The units of time of a step: no more than are left.
uvec2 units_of(float longest)
{
    uvec2 units = vks_fixed(longest, 1099511627776.0f);
    uvec2 left = time_left();
    return is_below(units, left) ? units : left;
}

float dt_of(uvec2 units)
{
    return vks_from_fixed(units, 9.094947017729282e-13f);
}

// Stores dt and the values derived from it, and advances the time. `longest` is the step without
// an end.
void advance(float longest, uvec2 units)
{
    float step = dt_of(units);
    if (longest == 0.0f && time_left() != uvec2(0u)) {
        atomicMax(why, STATUS_STALLED);
    }
    precise float lambda = step * constants.per_h;
    precise float cap = 0.15f * constants.h2;
    cap = step > 0.0f ? cap * vks_reciprocal(step) : 0.0f;
    step_value[STEP_DT] = step;
    step_value[STEP_LAMBDA] = lambda;
    step_value[STEP_CAP] = vks_flush(cap);
    step_value[STEP_HALF] = half_time_of(step);
    uvec2 now = uvec2(clock_words[CLOCK_TIME], clock_words[CLOCK_TIME + 1]);
    now = vks_fixed_add(now, units);
    if (step > 0.0f) {
        clock_words[CLOCK_TIME] = now.x;
        clock_words[CLOCK_TIME + 1] = now.y;
        clock_words[CLOCK_DT] = floatBitsToUint(step);
    }
    time_now = now;
    dt_now = longest;
}

// For the next step.
void clear_limits()
{
    for (uint i = 0u; i < LIMIT_COUNT; i++) {
        maxima[i] = 0u;
    }
}
#endif
