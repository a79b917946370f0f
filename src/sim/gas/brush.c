/* SPDX-License-Identifier: MIT */
/* Brushes of the gas: docs/sims/gas.md, "Brushes". */
#include <math.h>

#include "sim/gas/gas.h"

static void declare_grid(const struct gas_params *params, const struct vks_specialization *values,
                         struct vks_declaration *declaration)
{
    const double nodes = (double)params->width * params->height * params->depth;
    VKS_PASS(declaration, .name = "paint gas", .shader = "gas/brush_grid", .when = VKS_EACH_FRAME,
             .uses = VKS_USES({"density", VKS_READ_WRITE}, {"momentum_z", VKS_READ_WRITE},
                              {"momentum_y", VKS_READ_WRITE}, {"momentum_x", VKS_READ_WRITE},
                              {"energy", VKS_READ_WRITE}, {"internal", VKS_READ_WRITE},
                              {"strokes", VKS_READ}, {"clockwork", VKS_READ}),
             .specializations = values, VKS_PUSH(*params), .bytes = 48 * nodes);
}

static void declare_particles(const struct gas_params *params,
                              const struct vks_specialization *values,
                              struct vks_declaration *declaration)
{
    VKS_PASS(
        declaration, .name = "paint gas", .shader = "gas/brush_particles", .when = VKS_EACH_FRAME,
        .uses = VKS_USES({"z", VKS_READ}, {"y", VKS_READ}, {"x", VKS_READ}, {"vz", VKS_READ_WRITE},
                         {"vy", VKS_READ_WRITE}, {"vx", VKS_READ_WRITE}, {"heat", VKS_READ_WRITE},
                         {"strokes", VKS_READ}),
        .specializations = values, VKS_PUSH(*params), .items = {params->particles},
        .bytes = 44 * (double)params->particles);
}

static void declare_brush(const struct vks_config *config, uint32_t kind,
                          struct vks_declaration *declaration)
{
    const struct gas_settings *s = config->settings;
    const struct gas_params params = vks_gas_params(config);
    const double temperature = s->temperature > 0 ? s->temperature : 1;
    const struct vks_specialization values[] = {
        {"kind", kind},
        {"hot", vks_gas_real_bits(fmin(16 * temperature, GAS_LARGEST))},
        {"fast", vks_gas_real_bits(2 * sqrt(temperature))},
        {NULL, 0}};
    if (s->method == GAS_GRID) {
        declare_grid(&params, values, declaration);
    } else {
        declare_particles(&params, values, declaration);
    }
    if (s->method == GAS_PARTICLES || kind == GAS_BRUSH_MASS) {
        VKS_PASS(declaration, .name = "forget units", .shader = "gas/brush_clock",
                 .when = VKS_EACH_FRAME, .uses = VKS_USES({"clockwork", VKS_READ_WRITE}),
                 VKS_PUSH(params), .items = {1}, .group = {1, 1});
    }
}

static void declare_heat(const struct vks_config *config, struct vks_declaration *declaration)
{
    declare_brush(config, GAS_BRUSH_HEAT, declaration);
}

static void declare_push(const struct vks_config *config, struct vks_declaration *declaration)
{
    declare_brush(config, GAS_BRUSH_PUSH, declaration);
}

static void declare_mass(const struct vks_config *config, struct vks_declaration *declaration)
{
    declare_brush(config, GAS_BRUSH_MASS, declaration);
}

const struct vks_brush vks_gas_brushes[] = {
    {"heat", "heats up to 16 times the temperature, or 16 if that is 0", "cools",
     .declare = declare_heat, .measures = true},
    {"push", "drags the gas along the stroke", "brings the gas to rest", .declare = declare_push,
     .measures = true},
    {"mass", "adds gas up to 4 times the mean density, as hot and as fast as what is there",
     "removes gas down to a quarter of the mean density", .needs = "method=grid",
     .declare = declare_mass, .measures = true},
    {0},
};
