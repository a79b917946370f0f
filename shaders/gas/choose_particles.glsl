// SPDX-License-Identifier: MIT
// Particles: chooses dt, the mixing of velocities and the units of the next deposits from the
// limits and the energy, and clears both. docs/sims/gas.md.
#ifndef VKS_GAS_CHOOSE_PARTICLES_GLSL
#define VKS_GAS_CHOOSE_PARTICLES_GLSL

#include "gas/choose.glsl"
#include "gas/unit.glsl"

// Bound on twice the energy of the next deposit: gravity adds at most the work of its largest pull.
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

void choose_step()
{
    float step = longest_dt(limit(LIMIT_RATE), limit(LIMIT_SPREAD));
    float fast = limit(LIMIT_FAST);
    if (fast >= VKS_TINY) {
        precise float travel = 0.5f * constants.h;
        travel = travel * vks_reciprocal(fast);
        step = min(step, vks_flush(travel));
    }
    step = rounded_dt(pulled_dt(step, limit(LIMIT_PULL)));
    float half_time = half_time_of(step);
    advance(step);
    precise float rest = constants.mixing * step;
    rest = vks_flush(rest);
    precise float mix = limit(LIMIT_MIX) * constants.per_h;
    rest = rest * vks_flush(mix);
    rest = min(1.0f, vks_flush(rest));
    precise float chi = 1.0f - rest;
    rest = 1.0f - chi; // so that both add up to 1
    moments[MOMENT_CHI] = chi;
    moments[MOMENT_REST] = rest;
    float bound = bound_of(half_time);
    clock_words[CLOCK_ENERGY_UNIT] = uint(unit_for(bound));
    clock_words[CLOCK_MOMENTUM_UNIT] =
        uint(momentum_unit_for(uintBitsToFloat(clock_words[CLOCK_TOTAL]), bound));
    clock_words[CLOCK_ENERGY] = 0u;
    clock_words[CLOCK_ENERGY + 1] = 0u;
    clear_limits();
}
#endif
