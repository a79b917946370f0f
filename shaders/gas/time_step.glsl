// SPDX-License-Identifier: MIT
// Shared by the choices of dt of both methods: buffers, values derived from dt, and the advance of
// time. docs/sims/gas.md.
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

// Stores dt and the values derived from it, and advances the time.
void advance(float step)
{
    if (step == 0.0f) {
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
    now = vks_fixed_add(now, vks_fixed(step, 1099511627776.0f));
    clock_words[CLOCK_TIME] = now.x;
    clock_words[CLOCK_TIME + 1] = now.y;
    clock_words[CLOCK_DT] = floatBitsToUint(step);
    time_now = now;
    dt_now = step;
}

// For the next step.
void clear_limits()
{
    for (uint i = 0u; i < LIMIT_COUNT; i++) {
        maxima[i] = 0u;
    }
}
#endif
