// SPDX-License-Identifier: MIT
// Particles: dt, how far velocities mix, and the units of the next deposits, from the limits and the
// energy, which are cleared. docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/node.glsl"
#include "gas/dt.glsl"
#include "gas/unit.glsl"

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

// Twice the energy that the next deposit may hold: gravity adds at most the work of its largest pull.
float bound_of(float half_time)
{
    float unit = vks_power_of_two(-int(clock_words[CLOCK_ENERGY_UNIT]));
    float energy =
        vks_from_fixed(uvec2(clock_words[CLOCK_ENERGY], clock_words[CLOCK_ENERGY + 1]), unit);
    precise float pull = vks_sqrt(limit(LIMIT_PULL)) * half_time;
    pull = vks_flush(pull);
    precise float work = uintBitsToFloat(clock_words[CLOCK_TOTAL]) * pull;
    work = vks_flush(work);
    work = work * pull;
    work = vks_flush(work);
    precise float bound = energy + energy;
    bound = bound + work;
    return max(bound, VKS_TINY);
}

void main()
{
    if (vks_item() > 0u) {
        return;
    }
    float step = longest_dt(limit(LIMIT_RATE), limit(LIMIT_SPREAD));
    float fast = limit(LIMIT_FAST);
    if (fast >= VKS_TINY) {
        precise float travel = 0.5f * constants.h;
        travel = travel * vks_reciprocal(fast);
        step = min(step, vks_flush(travel));
    }
    step = rounded_dt(pulled_dt(step, limit(LIMIT_PULL)));
    if (step == 0.0f) {
        atomicMax(why, STATUS_STALLED);
    }
    precise float lambda = step * constants.per_h;
    precise float cap = 0.15f * constants.h2;
    cap = step > 0.0f ? cap * vks_reciprocal(step) : 0.0f;
    precise float half_time = uintBitsToFloat(clock_words[CLOCK_DT]) + step;
    half_time = 0.5f * half_time;
    precise float rest = constants.mixing * step;
    rest = vks_flush(rest);
    precise float mix = limit(LIMIT_MIX) * constants.per_h;
    rest = rest * vks_flush(mix);
    rest = min(1.0f, vks_flush(rest));
    precise float chi = 1.0f - rest;
    rest = 1.0f - chi; // so that both add up to 1
    moments[MOMENT_DT] = step;
    moments[MOMENT_LAMBDA] = lambda;
    moments[MOMENT_CAP] = vks_flush(cap);
    moments[MOMENT_HALF] = half_time;
    moments[MOMENT_CHI] = chi;
    moments[MOMENT_REST] = rest;
    float bound = bound_of(half_time);
    clock_words[CLOCK_ENERGY_UNIT] = uint(energy_unit_for(bound));
    clock_words[CLOCK_MOMENTUM_UNIT] =
        uint(momentum_unit_for(uintBitsToFloat(clock_words[CLOCK_TOTAL]), bound));
    clock_words[CLOCK_ENERGY] = 0u;
    clock_words[CLOCK_ENERGY + 1] = 0u;
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
