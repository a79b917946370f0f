/* SPDX-License-Identifier: MIT */
#include "gas_exchange_reference.h"

#include <math.h>

#include "base/exact.h"

static const float tiny = 0x1p-60f;

struct balance {
    float energy, slope;
};

static float constant(double value)
{
    return vks_flush((float)value);
}

struct gas_exchange gas_exchange_of(const struct gas_exchange_settings *settings,
                                    const uint32_t side[3], uint64_t particles)
{
    const double longest = fmax(side[0], fmax(side[1], side[2])), h = 1 / longest;
    const double volume = (double)side[0] * side[1] * side[2] / (longest * longest * longest);
    const double pi = 3.14159265358979323846;
    struct gas_exchange exchange = {0};
    exchange.on = settings->boltzmann > 0 && particles > 0 &&
                  (settings->exchange_time > 0 || settings->conductivity > 0);
    if (exchange.on) {
        exchange.boltzmann = constant(settings->boltzmann * volume / (double)particles);
        exchange.quantum = constant(settings->planck / settings->boltzmann);
        exchange.per_tau = settings->exchange_time > 0 ? constant(1 / settings->exchange_time) : 0;
        exchange.leak = constant(2 * pi * settings->conductivity * h);
    }
    return exchange;
}

/* r = x / (e^x - 1) */
static float planck_ratio(float x)
{
    if (x < 0.5f) {
        const float z = x * x;
        const float a = 1.0f / 30240 - 1.0f / 1209600 * z;
        const float b = a * z - 1.0f / 720;
        const float c = b * z + 1.0f / 12;
        return (1.0f - 0.5f * x) + c * z;
    }
    const float y = vks_exp(-x);
    return vks_flush((x * y) * vks_reciprocal(1.0f - y));
}

static struct balance equilibrium(float theta, float capacity, float t)
{
    if (t < tiny || theta >= 40.0f * t) {
        return (struct balance){0, 0};
    }
    const float x = vks_flush(theta * vks_reciprocal(t));
    const float r = planck_ratio(x);
    return (struct balance){vks_flush(vks_flush(capacity * t) * r),
                            vks_flush(vks_flush(capacity * r) * (r + x))};
}

/* 1 - e^-z */
static float relaxed(float z)
{
    float p = 1.0f;
    if (z >= 40.0f) {
        return 1.0f;
    }
    if (z >= 0.25f) {
        return 1.0f - vks_exp(-z);
    }
    for (int k = 6; k > 1; k--) {
        p = 1.0f - (z * p) * (1.0f / (float)k);
    }
    return z * p;
}

static float clamped(float value, float low, float high)
{
    const float above = value < low ? low : value;
    return above > high ? high : above;
}

void gas_exchange(const struct gas_exchange *exchange, float mean, float dt, float mass,
                  float frequency, float *heat, float *oscillator)
{
    if (mass < tiny) {
        return;
    }
    const float v = vks_reciprocal(mass);
    const float share = vks_flush(vks_flush(exchange->boltzmann * mean) * v);
    const float capacity = share < 0x1p30f ? share : 0x1p30f;
    const float theta = vks_flush(exchange->quantum * fabsf(frequency));
    const float rate = exchange->per_tau > 0 ? exchange->per_tau : vks_flush(exchange->leak * v);
    const float s = vks_flush(*heat + *oscillator);
    float q = s, next = 0;
    struct balance at = equilibrium(theta, capacity, q);
    for (int round = 0; round < 12; round++) {
        const float off = vks_flush((q + at.energy) - s);
        next = clamped(vks_flush(q - off * vks_reciprocal(1.0f + at.slope)), 0, s);
        if (next == q) {
            break;
        }
        q = next;
        at = equilibrium(theta, capacity, q);
    }
    const float z = vks_flush(vks_flush(dt * rate) * (1.0f + at.slope));
    const float gain =
        clamped(vks_flush(relaxed(z) * ((s - q) - *oscillator)), -*oscillator, *heat);
    const float after = vks_flush(*oscillator + gain);
    const float left = *heat - (after - *oscillator);
    *heat = vks_flush(left > 0 ? left : 0);
    *oscillator = after;
}
