/* SPDX-License-Identifier: MIT */
/* The energies that --watch reports: docs/sims/gas.md. */
#include "base/memory.h"
#include "sim/gas/gas.h"

static const char *const parts[] = {"max energies of", "energies of"};

static void declare_particles(const struct gas_params *params, bool are_tracers,
                              struct vks_declaration *declaration)
{
    for (uint32_t part = 0; part < VKS_COUNT(parts); part++) {
        VKS_PASS(
            declaration, .name = vks_declaration_name(declaration, "%s particles", parts[part]),
            .shader = "gas/particle_energies", .when = VKS_EACH_FRAME,
            .uses = VKS_USES({"energy_sums", VKS_ATOMIC | VKS_READ}, {"vz", VKS_READ},
                             {"vy", VKS_READ}, {"vx", VKS_READ}, {"mass", VKS_READ},
                             {"heat", VKS_READ}, {"oscillator", VKS_READ}),
            .specializations = VKS_SPECIALIZATIONS({"summing", part}, {"are_tracers", are_tracers}),
            VKS_PUSH(*params), .items = {params->particles},
            .bytes = (are_tracers ? 8 : 24) * (double)params->particles);
    }
}

static void declare_grid(const struct vks_config *config, const struct gas_params *params,
                         struct vks_declaration *declaration)
{
    const double nodes = vks_gas_nodes_here(config);
    for (uint32_t part = 0; part < VKS_COUNT(parts); part++) {
        VKS_PASS(declaration, .name = vks_declaration_name(declaration, "%s nodes", parts[part]),
                 .shader = "gas/grid_energies", .when = VKS_EACH_FRAME,
                 .uses = VKS_USES({"energy_sums", VKS_ATOMIC | VKS_READ}, {"density", VKS_READ},
                                  {"momentum_z", VKS_READ}, {"momentum_y", VKS_READ},
                                  {"momentum_x", VKS_READ}, {"energy", VKS_READ},
                                  {"clockwork", VKS_READ}),
                 .specializations = VKS_SPECIALIZATIONS({"summing", part}), VKS_PUSH(*params),
                 .items = {(uint64_t)nodes}, .bytes = 20 * nodes);
    }
}

/* From the current fields of the nodes: "density", and velocities or momenta. */
static void declare_gravity(const struct vks_config *config, const struct gas_params *params,
                            bool on_grid, struct vks_declaration *declaration)
{
    const double nodes = vks_gas_nodes_here(config);
    const char *potential = vks_gas_declare_potential(config, declaration);
    for (uint32_t part = 0; part < VKS_COUNT(parts); part++) {
        VKS_PASS(declaration, .name = vks_declaration_name(declaration, "%s gravity", parts[part]),
                 .shader = "gas/gravity_energies", .when = VKS_EACH_FRAME,
                 .uses = VKS_USES({"energy_sums", VKS_ATOMIC | VKS_READ}, {"density", VKS_READ},
                                  {on_grid ? "momentum_z" : "velocity_z", VKS_READ, "motion_z"},
                                  {on_grid ? "momentum_y" : "velocity_y", VKS_READ, "motion_y"},
                                  {on_grid ? "momentum_x" : "velocity_x", VKS_READ, "motion_x"},
                                  {potential, VKS_READ, "potential"}),
                 .specializations =
                     VKS_SPECIALIZATIONS({"summing", part}, {"are_momenta", on_grid}),
                 VKS_PUSH(*params), .items = {(uint64_t)nodes}, .bytes = 20 * nodes);
    }
}

void vks_gas_declare_energies(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct gas_settings *s = config->settings;
    const struct gas_params params = vks_gas_params(config);
    const bool on_grid = s->method == GAS_GRID;
    if (!config->watch) {
        return;
    }
    VKS_FIELD(declaration, .name = "energy_sums", .element = VKS_U32, .rank = 1,
              .shape = {SUM_WORDS});
    VKS_FIELD(
        declaration, .name = "energies", .element = VKS_F32, .rank = 1, .shape = {ENERGY_COUNT},
        .watched = VKS_SCALARS({"kinetic"}, {"heat"}, {"oscillators"}, {"potential"}, {"energy"}));
    if (on_grid) {
        declare_grid(config, &params, declaration);
    }
    if (params.particles > 0) {
        declare_particles(&params, on_grid, declaration);
    }
    if (s->gravity > 0) {
        declare_gravity(config, &params, on_grid, declaration);
    }
    VKS_PASS(declaration, .name = "energies", .shader = "gas/energies", .when = VKS_EACH_FRAME,
             .uses = VKS_USES({"energy_sums", VKS_READ_WRITE}, {"clockwork", VKS_READ},
                              {"energies", VKS_WRITE}),
             .specializations = VKS_SPECIALIZATIONS({"on_grid", on_grid}), VKS_PUSH(params),
             .items = {1}, .group = {1, 1});
}
