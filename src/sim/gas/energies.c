/* SPDX-License-Identifier: MIT */
/* The energies that --watch reports: docs/sims/gas.md. */
#include "base/memory.h"
#include "sim/gas/gas.h"

/* First the largest energies, in whose units they are then summed. */
enum { MAX, SUM };
static const char *const parts[] = {[MAX] = "max energies of", [SUM] = "energies of"};

static void declare_particles(const struct vks_config *config, uint32_t part,
                              struct vks_declaration *declaration)
{
    const struct gas_settings *s = config->settings;
    const bool are_tracers = s->method == GAS_GRID;
    struct gas_params params = vks_gas_params(config);
    params.particles = vks_gas_room(config, declaration);
    VKS_PASS(declaration, .name = vks_declaration_name(declaration, "%s particles", parts[part]),
             .shader = vks_gas_shader(config, declaration, "gas/particle_energies"),
             .when = VKS_EACH_FRAME,
             .uses = VKS_USES({"energy_sums", VKS_ATOMIC | VKS_READ}, {"vz", VKS_READ},
                              {"vy", VKS_READ}, {"vx", VKS_READ}, {"mass", VKS_READ},
                              {"heat", VKS_READ}, {"oscillator", VKS_READ},
                              {vks_gas_on_ranks(config, "particles_alive"), VKS_READ}),
             .specializations =
                 VKS_SPECIALIZATIONS({"summing", part == SUM}, {"are_tracers", are_tracers}),
             VKS_PUSH(params), .items = {params.particles},
             .bytes = (are_tracers ? 8 : 24) * (double)params.particles);
}

static void declare_grid(const struct vks_config *config, uint32_t part,
                         struct vks_declaration *declaration)
{
    const struct gas_params params = vks_gas_params(config);
    const double nodes = vks_gas_nodes_here(config);
    VKS_PASS(declaration, .name = vks_declaration_name(declaration, "%s nodes", parts[part]),
             .shader = "gas/grid_energies", .when = VKS_EACH_FRAME,
             .uses =
                 VKS_USES({"energy_sums", VKS_ATOMIC | VKS_READ}, {"density", VKS_READ},
                          {"momentum_z", VKS_READ}, {"momentum_y", VKS_READ},
                          {"momentum_x", VKS_READ}, {"energy", VKS_READ}, {"clockwork", VKS_READ}),
             .specializations = vks_gas_specialize(config, declaration, GAS_OWN_ROWS,
                                                   VKS_SPECIALIZATIONS({"summing", part == SUM})),
             VKS_PUSH(params), .items = {(uint64_t)nodes}, .bytes = 20 * nodes);
}

/* From the current fields of the nodes: "density", and velocities or momenta. */
static void declare_gravity(const struct vks_config *config, uint32_t part, const char *potential,
                            struct vks_declaration *declaration)
{
    const struct gas_settings *s = config->settings;
    const struct gas_params params = vks_gas_params(config);
    const bool on_grid = s->method == GAS_GRID;
    const double nodes = vks_gas_nodes_here(config);
    VKS_PASS(declaration, .name = vks_declaration_name(declaration, "%s gravity", parts[part]),
             .shader = "gas/gravity_energies", .when = VKS_EACH_FRAME,
             .uses = VKS_USES({"energy_sums", VKS_ATOMIC | VKS_READ}, {"density", VKS_READ},
                              {on_grid ? "momentum_z" : "velocity_z", VKS_READ, "motion_z"},
                              {on_grid ? "momentum_y" : "velocity_y", VKS_READ, "motion_y"},
                              {on_grid ? "momentum_x" : "velocity_x", VKS_READ, "motion_x"},
                              {potential, VKS_READ, "potential"}),
             .specializations = vks_gas_specialize(
                 config, declaration, GAS_ANY_ROW,
                 VKS_SPECIALIZATIONS({"summing", part == SUM}, {"are_momenta", on_grid})),
             VKS_PUSH(params), .items = {(uint64_t)nodes}, .bytes = 20 * nodes);
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
    if (s->gravity > 0) {
        vks_gas_meet_for_density(config, VKS_EACH_FRAME, declaration);
    }
    const char *potential = s->gravity > 0 ? vks_gas_declare_potential(config, declaration) : NULL;
    for (uint32_t part = MAX; part <= SUM; part++) {
        if (on_grid) {
            declare_grid(config, part, declaration);
        }
        if (params.particles > 0) {
            declare_particles(config, part, declaration);
        }
        if (potential) {
            declare_gravity(config, part, potential, declaration);
        }
        vks_gas_meet_for_energies(config, part == SUM, declaration);
    }
    VKS_PASS(declaration, .name = "energies", .shader = "gas/energies", .when = VKS_EACH_FRAME,
             .uses = VKS_USES({"energy_sums", VKS_READ_WRITE}, {"clockwork", VKS_READ},
                              {"energies", VKS_WRITE}),
             .specializations = vks_gas_specialize(config, declaration, GAS_SIDE,
                                                   VKS_SPECIALIZATIONS({"on_grid", on_grid})),
             VKS_PUSH(params), .items = {1}, .group = {1, 1});
}
