/* SPDX-License-Identifier: MIT */
/* Values of the gas that follow from its options. */
#include "base/exact.h"
#include "sim/gas/gas.h"

static const double pi = 3.14159265358979323846;

uint32_t vks_gas_real_bits(double value)
{
    const union {
        float value;
        uint32_t bits;
    } same = {vks_real(value)};
    return same.bits;
}

void vks_gas_sides(const struct vks_config *config, uint32_t sides[3])
{
    sides[0] = config->depth;
    sides[1] = config->height;
    sides[2] = config->width;
}

void vks_gas_sides_here(const struct vks_config *config, uint32_t sides[3])
{
    const size_t slowest = config->depth > 1 ? 0 : 1;
    vks_gas_sides(config, sides);
    if (config->slab.whole > 0) { /* 0 where options are checked */
        sides[slowest] = vks_slab_length(&config->slab, sides[slowest]);
    }
}

double vks_gas_nodes_here(const struct vks_config *config)
{
    uint32_t sides[3];
    vks_gas_sides_here(config, sides);
    return (double)sides[0] * sides[1] * sides[2];
}

double vks_gas_nodes(const struct vks_config *config)
{
    return (double)config->width * config->height * config->depth;
}

uint32_t vks_gas_longest(const struct vks_config *config)
{
    uint32_t sides[3], longest = 0;
    vks_gas_sides(config, sides);
    for (size_t i = 0; i < 3; i++) {
        longest = sides[i] > longest ? sides[i] : longest;
    }
    return longest;
}

uint64_t vks_gas_count(const struct vks_config *config)
{
    const struct gas_settings *s = config->settings;
    return s->particles > 0 || s->method == GAS_GRID ? s->particles
                                                     : (uint64_t)vks_gas_nodes(config);
}

bool vks_gas_exchanges(const struct vks_config *config)
{
    const struct gas_settings *s = config->settings;
    return s->boltzmann > 0 && (s->exchange_time > 0 || s->conductivity > 0);
}

struct gas_params vks_gas_params(const struct vks_config *config)
{
    const struct gas_settings *s = config->settings;
    const double per_h = vks_gas_longest(config);
    uint32_t sides[3];
    const uint64_t count = vks_gas_count(config);
    uint32_t bits = 0;
    while (count > 0 && (count - 1) >> bits > 0) {
        bits++;
    }
    vks_gas_sides_here(config, sides);
    /* Times the mean density, this is k_B. */
    const double volume = vks_gas_nodes(config) / (per_h * per_h * per_h);
    const double boltzmann = count > 0 ? s->boltzmann * volume / (double)count : 0;
    return (struct gas_params){
        .width = sides[2],
        .height = sides[1],
        .depth = sides[0],
        .gamma = vks_real(s->gamma),
        .g1 = vks_real(s->gamma - 1),
        .inverse_g1 = vks_real(1 / (s->gamma - 1)),
        .inverse_gamma = vks_real(1 / s->gamma),
        .h = vks_real(1 / per_h),
        .per_h = vks_real(per_h),
        .h2 = vks_real(1 / (per_h * per_h)),
        .half_per_h = vks_real(0.5 * per_h),
        .per_cfl = vks_real(1 / s->cfl),
        .conductivity = vks_real(s->conductivity),
        .longest = vks_real(s->dt),
        .per_nodes = vks_real(1 / vks_gas_nodes(config)),
        .particles = (uint32_t)count,
        .bits = bits,
        .per_h3 = vks_real(per_h * per_h * per_h),
        .half_gamma = vks_real(0.5 * s->gamma),
        .stiff = vks_real(0.25 * (s->gamma + 1)),
        .mixing = vks_real(s->mixing),
        .per_side_z = vks_real(1.0 / config->depth),
        .per_side_y = vks_real(1.0 / config->height),
        .per_side_x = vks_real(1.0 / config->width),
        .boltzmann = vks_real(boltzmann),
        .quantum = vks_real(s->boltzmann > 0 ? s->planck / s->boltzmann : 0),
        .exchange_rate = vks_real(s->exchange_time > 0 ? 1 / s->exchange_time
                                                       : -2 * pi * s->conductivity / per_h),
    };
}
