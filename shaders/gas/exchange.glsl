// SPDX-License-Identifier: MIT
// Exchange of energy between the heat of a particle and its oscillator: docs/sims/gas.md.
#ifndef VKS_GAS_EXCHANGE_GLSL
#define VKS_GAS_EXCHANGE_GLSL

#include "gas/node.glsl"

struct Store {
    float heat, oscillator; // per mass
};

// x / (e^x - 1) for x from 0 to slightly over 40.
float planck_share(float x)
{
    if (x < 0.5f) {
        precise float z = x * x;
        precise float p = -8.26719577e-7f * z;
        p = p + 3.30687842e-5f;
        p = p * z;
        p = p - 0.00138888892f;
        p = p * z;
        p = p + 0.0833333358f;
        precise float line = 0.5f * x;
        line = 1.0f - line;
        p = p * z;
        p = line + p;
        return p;
    }
    float falling = vks_exp(-x);
    precise float rest = 1.0f - falling;
    precise float share = x * falling;
    share = share * vks_reciprocal(rest);
    return vks_flush(share);
}

// Energy per mass of an oscillator in equilibrium with gas of temperature t, and its slope by t.
// theta is its quantum in units of temperature.
vec2 equilibrium(float theta, float capacity, float t)
{
    precise float warm = 40.0f * t;
    if (t < VKS_TINY || theta >= warm) {
        return vec2(0.0f);
    }
    precise float x = theta * vks_reciprocal(t);
    x = vks_flush(x);
    float r = planck_share(x);
    precise float energy = capacity * t;
    energy = vks_flush(energy) * r;
    precise float sum = r + x;
    precise float slope = capacity * r;
    slope = vks_flush(slope) * sum;
    return vec2(vks_flush(energy), vks_flush(slope));
}

// 1 - e^-z for z not below 0.
float relaxed(float z)
{
    if (z >= 0.25f) {
        precise float rest = z < 40.0f ? 1.0f - vks_exp(-z) : 1.0f;
        return rest;
    }
    const float parts[5] =
        float[5](0.166666672f, 0.200000003f, 0.25f, 0.333333343f, 0.5f); // 1/6 to 1/2
    precise float p = 1.0f;
    for (int i = 0; i < 5; i++) {
        precise float part = z * p;
        part = part * parts[i];
        p = 1.0f - part;
    }
    p = z * p;
    return p;
}

// A particle's stores after `dt`, with the run's mean density.
Store exchanged(Store before, float mass, float frequency, float mean, float dt)
{
    if (mass < VKS_TINY) {
        return before;
    }
    float per_mass = vks_reciprocal(mass);
    precise float capacity = constants.boltzmann * mean;
    capacity = vks_flush(capacity) * per_mass;
    capacity = min(vks_flush(capacity), 1073741824.0f);
    precise float theta = constants.quantum * abs(frequency);
    theta = vks_flush(theta);
    precise float sum = before.heat + before.oscillator;
    sum = vks_flush(sum);
    // Newton's iteration converges from above to the heat at which both stores have the same
    // temperature.
    float q = sum;
    precise float stiff;
    for (int i = 0; i <= 12; i++) {
        vec2 balance = equilibrium(theta, capacity, q);
        stiff = 1.0f + balance.y;
        precise float over = q + balance.x;
        over = over - sum;
        over = vks_flush(over) * vks_reciprocal(stiff);
        precise float next = q - over;
        next = min(max(vks_flush(next), 0.0f), sum);
        if (i == 12 || next == q) {
            break;
        }
        q = next;
    }
    precise float rate = -constants.exchange_rate * per_mass;
    rate = constants.exchange_rate > 0.0f ? constants.exchange_rate : vks_flush(rate);
    precise float z = dt * rate;
    z = vks_flush(z) * stiff;
    precise float gain = sum - q;
    gain = gain - before.oscillator;
    gain = relaxed(vks_flush(z)) * gain;
    gain = min(max(vks_flush(gain), -before.oscillator), before.heat);
    precise float store = before.oscillator + gain;
    store = vks_flush(store);
    precise float taken = store - before.oscillator;
    precise float heat = before.heat - taken;
    return Store(vks_flush(max(0.0f, heat)), store);
}
#endif
