/* SPDX-License-Identifier: MIT */
/* Tracers, which follow the gas of the grid and exchange heat with it: docs/sims/gas.md. */
#include <vksim/model.h>

#include "base/memory.h"
#include "sim/gas/gas.h"

void vks_gas_declare_tracers(const struct vks_config *config, struct vks_declaration *declaration)
{
    const uint64_t count = vks_gas_count(config);
    vks_gas_declare_items(config, declaration);
    if (vks_gas_exchanges(config)) {
        VKS_FIELD(declaration, .name = "gain", .element = VKS_F32, .rank = 1, .shape = {count},
                  .items = "particles");
        VKS_FIELD(declaration, .name = "sum_gain", .element = VKS_U32X2);
        VKS_FIELD(declaration, .name = "allotted_share", .element = VKS_F32);
    }
}

void vks_gas_declare_sampling(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct gas_params params = vks_gas_params(config);
    const double nodes = vks_gas_nodes_here(config), count = params.particles;
    VKS_PASS(declaration, .name = "sample velocity", .shader = "gas/sample_velocity",
             .uses = VKS_USES(
                 {"z", VKS_READ}, {"y", VKS_READ}, {"x", VKS_READ}, {"vz", VKS_READ_WRITE},
                 {"vy", VKS_READ_WRITE}, {"vx", VKS_READ_WRITE}, {"density", VKS_READ},
                 {"momentum_z", VKS_READ}, {"momentum_y", VKS_READ}, {"momentum_x", VKS_READ},
                 {"clockwork", VKS_READ}, {"step_values", VKS_READ}),
             VKS_PUSH(params), .items = {params.particles}, .bytes = 36 * count + 16 * nodes,
             .operations = 200 * count);
}

/* Deposits the item field `amounts` on the nodes' `sums`, as particles do. */
static void declare_amounts(const struct gas_params *params, const char *name, const char *amounts,
                            const char *sums, bool gains_only, enum vks_when when,
                            struct vks_declaration *declaration)
{
    const double nodes = (double)params->width * params->height * params->depth;
    const char *extent = vks_declaration_name(declaration, "%s_extent", amounts);
    VKS_PASS(declaration, .name = name, .shader = "gas/deposit_amounts", .when = when,
             .uses = VKS_USES({"z", VKS_READ}, {"y", VKS_READ}, {"x", VKS_READ},
                              {amounts, VKS_READ, "gain"}, {extent, VKS_READ, "extent"},
                              {sums, VKS_ATOMIC, "sum_gain"}),
             .specializations = VKS_SPECIALIZATIONS({"gains_only", gains_only}), VKS_PUSH(*params),
             .items = {params->particles}, .bytes = 16 * (double)params->particles + 16 * nodes,
             .operations = 240 * (double)params->particles);
}

static void declare_exchange(const struct vks_config *config, const struct gas_params *params,
                             struct vks_declaration *declaration)
{
    const double nodes = vks_gas_nodes_here(config), count = params->particles;
    VKS_PASS(declaration, .name = "request", .shader = "gas/request",
             .uses = VKS_USES({"mass", VKS_READ}, {"heat", VKS_READ}, {"oscillator", VKS_READ},
                              {"frequency", VKS_READ}, {"gain", VKS_WRITE},
                              {"step_values", VKS_READ}, {"clockwork", VKS_READ}),
             VKS_PUSH(*params), .items = {params->particles}, .bytes = 20 * count,
             .operations = 500 * count);
    vks_declare_range(declaration, "gain", "gain_extent", VKS_EACH_STEP);
    declare_amounts(params, "deposit requests", "gain", "sum_gain", true, VKS_EACH_STEP,
                    declaration);
    VKS_PASS(declaration, .name = "allot", .shader = "gas/allot",
             .uses =
                 VKS_USES({"density", VKS_READ}, {"momentum_z", VKS_READ}, {"momentum_y", VKS_READ},
                          {"momentum_x", VKS_READ}, {"energy", VKS_READ}, {"internal", VKS_READ},
                          {"sum_gain", VKS_READ_WRITE}, {"allotted_share", VKS_WRITE},
                          {"gain_extent", VKS_READ, "extent"}, {"clockwork", VKS_READ}),
             VKS_PUSH(*params), .items = {(uint64_t)nodes}, .bytes = 44 * nodes,
             .operations = 80 * nodes);
    VKS_PASS(declaration, .name = "apply exchange", .shader = "gas/apply_exchange",
             .uses = VKS_USES({"z", VKS_READ}, {"y", VKS_READ}, {"x", VKS_READ}, {"mass", VKS_READ},
                              {"oscillator", VKS_READ_WRITE}, {"gain", VKS_READ_WRITE},
                              {"allotted_share", VKS_READ}),
             VKS_PUSH(*params), .items = {params->particles}, .bytes = 32 * count + 4 * nodes,
             .operations = 100 * count);
    declare_amounts(params, "deposit gains", "gain", "sum_gain", false, VKS_EACH_STEP, declaration);
    VKS_PASS(declaration, .name = "withdraw", .shader = "gas/withdraw",
             .uses = VKS_USES({"energy", VKS_READ_WRITE}, {"internal", VKS_READ_WRITE},
                              {"sum_gain", VKS_READ_WRITE}, {"gain_extent", VKS_READ, "extent"},
                              {"step_values", VKS_READ}),
             VKS_PUSH(*params), .items = {(uint64_t)nodes}, .bytes = 32 * nodes,
             .operations = 40 * nodes);
}

void vks_gas_declare_advection(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct gas_params params = vks_gas_params(config);
    const double nodes = vks_gas_nodes_here(config), count = params.particles;
    VKS_PASS(declaration, .name = "advect", .shader = "gas/advect",
             .uses = VKS_USES(
                 {"z", VKS_READ_WRITE}, {"y", VKS_READ_WRITE}, {"x", VKS_READ_WRITE},
                 {"vz", VKS_READ_WRITE}, {"vy", VKS_READ_WRITE}, {"vx", VKS_READ_WRITE},
                 {"heat", VKS_WRITE}, {"density", VKS_READ}, {"momentum_z", VKS_READ},
                 {"momentum_y", VKS_READ}, {"momentum_x", VKS_READ}, {"energy", VKS_READ},
                 {"internal", VKS_READ}, {"step_values", VKS_READ}, {"clockwork", VKS_READ}),
             VKS_PUSH(params), .items = {params.particles}, .bytes = 52 * count + 24 * nodes,
             .operations = 800 * count);
    if (vks_gas_exchanges(config)) {
        declare_exchange(config, &params, declaration);
    }
}

void vks_gas_declare_oscillators(const struct vks_config *config,
                                 struct vks_declaration *declaration)
{
    const struct gas_params params = vks_gas_params(config);
    const double nodes = vks_gas_nodes_here(config), count = params.particles;
    VKS_FIELD(declaration, .name = "oscillator_energy", .element = VKS_F32, .rank = 1,
              .shape = {params.particles});
    VKS_FIELD(declaration, .name = "sum_oscillators", .element = VKS_U32X2);
    VKS_FIELD(declaration, .name = "displayed_oscillators", .element = VKS_F32);
    VKS_PASS(declaration, .name = "oscillator energy", .shader = "gas/oscillator_energy",
             .when = VKS_EACH_FRAME,
             .uses = VKS_USES({"mass", VKS_READ}, {"oscillator", VKS_READ},
                              {"oscillator_energy", VKS_WRITE}),
             VKS_PUSH(params), .items = {params.particles}, .bytes = 12 * count);
    vks_declare_range(declaration, "oscillator_energy", "oscillator_energy_extent", VKS_EACH_FRAME);
    declare_amounts(&params, "deposit oscillators", "oscillator_energy", "sum_oscillators", false,
                    VKS_EACH_FRAME, declaration);
    VKS_PASS(declaration, .name = "view oscillators", .shader = "gas/view_oscillators",
             .when = VKS_EACH_FRAME,
             .uses = VKS_USES({"sum_oscillators", VKS_READ_WRITE},
                              {"displayed_oscillators", VKS_WRITE, "displayed"},
                              {"oscillator_energy_extent", VKS_READ, "extent"}),
             VKS_PUSH(params), .items = {(uint64_t)nodes}, .bytes = 20 * nodes);
}
