// SPDX-License-Identifier: MIT
// The time step from its limits. docs/sims/gas.md.
#ifndef VKS_GAS_DT_GLSL
#define VKS_GAS_DT_GLSL

#include "lib/fixed.glsl"
#include "gas/node.glsl"

// `rate` of waves in lengths per time, `diffusivity` the largest diffusivity.
float longest_dt(float rate, float diffusivity)
{
    precise float per_dt = rate * constants.per_h;
    per_dt = vks_flush(per_dt);
    per_dt = per_dt * constants.per_cfl;
    per_dt = vks_flush(per_dt);
    if (constants.conductivity > 0.0f) {
        precise float area = constants.per_h * constants.per_h;
        precise float diffusive = diffusivity * area;
        diffusive = diffusive * 6.66666651f; // 1 / 0.15
        per_dt = per_dt + diffusive;
        per_dt = vks_flush(per_dt);
    }
    per_dt = min(per_dt, 1.1529215e18f);
    precise float steps = per_dt * constants.longest;
    return steps > 1.0f ? vks_reciprocal(per_dt) : constants.longest;
}

// With gravity, free fall from rest covers at most h / 8 in 2 dt; `g2` is the max of |g|^2.
float gravity_dt(float dt, float g2)
{
    if (g2 < VKS_TINY) {
        return dt;
    }
    precise float square = constants.h * vks_reciprocal(vks_sqrt(g2));
    precise float free_fall = 0.25f * vks_sqrt(vks_flush(square));
    return min(dt, free_fall);
}

// Rounds to a multiple of 2^-40, so that time is an integer.
float rounded_dt(float dt)
{
    precise float units = dt * 1099511627776.0f;
    units = floor(units);
    units = units * 9.094947017729282e-13f;
    return units;
}
#endif
