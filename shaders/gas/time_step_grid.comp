// SPDX-License-Identifier: MIT
// Grid: chooses dt from the limits, derives values from it, and clears the limits for the next
// step. docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/time_step.glsl"

// The share of a node's mass and energy that a face may take, by axis.
void store_shares(float fast, float lambda, float half_time)
{
    precise float kick = vks_sqrt(limit(LIMIT_ACCELERATION)) * half_time;
    kick = vks_flush(kick);
    precise float all = fast + kick;
    precise float min_weight = 0.015625f * all;
    precise float sum = 0.0f;
    float weights[3];
    for (uint axis = 0u; axis < 3u; axis++) {
        precise float own = limit(LIMIT_RATE + axis) + kick;
        weights[axis] = is_active(axis) ? max(own, min_weight) : 0.0f;
        sum = sum + weights[axis];
    }
    precise float twice = 2.0f * lambda;
    for (uint axis = 0u; axis < 3u; axis++) {
        precise float share = 0.0f;
        if (weights[axis] >= VKS_TINY) {
            share = sum * vks_reciprocal(weights[axis]);
            share = share * twice;
        }
        step_value[STEP_SHARE + axis] = vks_flush(share);
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
    float longest = longest_dt(fast, limit(LIMIT_DIFFUSIVITY));
    longest = rounded_dt(gravity_dt(longest, limit(LIMIT_ACCELERATION)));
    uvec2 units = units_of(longest);
    float step = dt_of(units);
    precise float lambda = step * constants.per_h;
    store_shares(fast, lambda, half_time_of(step));
    advance(longest, units);
    clear_limits();
}
