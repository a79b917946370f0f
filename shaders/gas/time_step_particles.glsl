// SPDX-License-Identifier: MIT
// Particles: chooses dt and the units of the next deposits from the limits and the energy, and
// clears both. docs/sims/gas.md.
#ifndef VKS_GAS_TIME_STEP_PARTICLES_GLSL
#define VKS_GAS_TIME_STEP_PARTICLES_GLSL

#include "gas/time_step.glsl"
#include "gas/unit.glsl"

// Bound on twice the energy of the next deposit: gravity adds at most the work of its largest kick.
float bound_of(float half_time)
{
    float unit = vks_power_of_two(-int(clock_words[CLOCK_ENERGY_UNIT]));
    float energy =
        vks_from_fixed(uvec2(clock_words[CLOCK_ENERGY], clock_words[CLOCK_ENERGY + 1]), unit);
    precise float kick = vks_sqrt(limit(LIMIT_ACCELERATION)) * half_time;
    kick = vks_flush(kick);
    precise float work = uintBitsToFloat(clock_words[CLOCK_TOTAL]) * kick;
    work = vks_flush(work);
    work = work * kick;
    work = vks_flush(work);
    precise float bound = energy + energy;
    bound = bound + work;
    return max(bound, VKS_TINY);
}

// The units of the next deposits; their energy is added up again.
void choose_units(float half_time)
{
    float bound = bound_of(half_time);
    clock_words[CLOCK_ENERGY_UNIT] = uint(unit_for(bound));
    clock_words[CLOCK_MOMENTUM_UNIT] =
        uint(momentum_unit_for(uintBitsToFloat(clock_words[CLOCK_TOTAL]), bound));
    clock_words[CLOCK_ENERGY] = 0u;
    clock_words[CLOCK_ENERGY + 1] = 0u;
}

void choose_dt()
{
    float longest = longest_dt(limit(LIMIT_RATE), limit(LIMIT_DIFFUSIVITY));
    float fast = limit(LIMIT_SPEED);
    if (fast >= VKS_TINY) {
        precise float travel = 0.5f * constants.h;
        travel = travel * vks_reciprocal(fast);
        longest = min(longest, vks_flush(travel));
    }
    longest = rounded_dt(gravity_dt(longest, limit(LIMIT_ACCELERATION)));
    uvec2 units = units_of(longest);
    float step = dt_of(units);
    float half_time = half_time_of(step);
    advance(longest, units);
    precise float mixing = constants.mixing * step;
    mixing = vks_flush(mixing) * constants.per_h;
    step_value[STEP_MIXING] = vks_flush(mixing);
    if (step > 0.0f) {
        choose_units(half_time);
    }
    clear_limits();
}
#endif
