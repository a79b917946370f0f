/* SPDX-License-Identifier: MIT */
/* The gas as particles: docs/sims/gas.md. */
#include <math.h>
#include <string.h>
#include <vksim/model.h>

#include "base/error.h"
#include "base/exact.h"
#include "base/memory.h"
#include "sim/gas/gas.h"

/* --- state from outside ---------------------------------------------------------------------- */

/* Positions in cells; an array of uint32 is copied. */
static enum vks_result fill_position(const void *user, const struct vks_field *field,
                                     const struct vks_source *source, void *out)
{
    const struct vks_config *config = user;
    const uint32_t side = field->name[0] == 'z'   ? config->depth
                          : field->name[0] == 'y' ? config->height
                                                  : config->width;
    return vks_fill_places(field, source, &side, 1, out);
}

/* Velocities may have any sign; masses and energies must not be below 0. */
static enum vks_result fill_amount(const void *user, const struct vks_field *field,
                                   const struct vks_source *source, void *out)
{
    const bool is_velocity = field->name[0] == 'v';
    const bool is_mass = strcmp(field->name, "mass") == 0;
    float *values = out;
    (void)user;
    for (uint64_t i = 0; source->array && i < source->count; i++) {
        const double value = vks_source_number(source, i);
        values[i] = fabs(value) <= GAS_LARGEST ? vks_real(value) : NAN;
        if (isnan(values[i]) || (value < 0 && !is_velocity) || (values[i] == 0 && is_mass)) {
            return vks_fail(VKS_ERROR_FILE, "'%s': element %llu is %g; it must be %s to 2^30",
                            field->name, (unsigned long long)(source->first + i), value,
                            is_velocity ? "-2^30"
                            : is_mass   ? "2^-60"
                                        : "0");
        }
    }
    return VKS_OK;
}

/* --- fields ---------------------------------------------------------------------------------- */

void vks_gas_declare_items(const struct vks_config *config, struct vks_declaration *declaration)
{
    static const char *const places[][2] = {
        {"z", "place along z, fractions of the side in 2^-32"},
        {"y", "place along y, fractions of the side in 2^-32"},
        {"x", "place along x, fractions of the side in 2^-32"},
    };
    static const char *const amounts[][2] = {
        {"vz", "velocity along z"},
        {"vy", "velocity along y"},
        {"vx", "velocity along x"},
        {"mass", "mass"},
        {"heat", "thermal energy per mass"},
        {"oscillator", "energy of the oscillator per mass"},
        {"frequency", "frequency of the oscillator"},
    };
    vks_declare_items(declaration, "particles", vks_gas_count(config));
    const uint64_t count = vks_items_room(declaration, "particles");
    for (size_t i = 0; i < VKS_COUNT(places); i++) {
        VKS_FIELD(declaration, .name = places[i][0], .help = places[i][1], .element = VKS_U32,
                  .rank = 1, .shape = {count}, .persistent = true, .items = "particles",
                  .fill = fill_position, .user = config);
    }
    for (size_t i = 0; i < VKS_COUNT(amounts); i++) {
        VKS_FIELD(declaration, .name = amounts[i][0], .help = amounts[i][1], .element = VKS_F32,
                  .rank = 1, .shape = {count}, .persistent = true, .items = "particles",
                  .fill = fill_amount);
    }
}

static void declare_nodes(const struct vks_config *config, struct vks_declaration *declaration)
{
    static const char *const sums[] = {"sum_mass",       "sum_momentum_z", "sum_momentum_y",
                                       "sum_momentum_x", "sum_heat",       "sum_dispersion"};
    static const char *const nodes[] = {
        "density",    "velocity_z",         "velocity_y",    "velocity_x",  "node_heat",
        "dispersion", "predicted_pressure", "node_pressure", "sound_speed", "mixing_speed",
    };
    const uint64_t count = (uint64_t)vks_gas_nodes_here(config);
    for (size_t i = 0; i < VKS_COUNT(sums); i++) {
        VKS_FIELD(declaration, .name = sums[i], .element = VKS_U32X2);
    }
    for (size_t i = 0; i < VKS_COUNT(nodes); i++) {
        VKS_FIELD(declaration, .name = nodes[i], .element = VKS_F32);
    }
    VKS_FIELD(declaration, .name = "record", .element = VKS_F32, .rank = 1,
              .shape = {count * RECORD_WORDS});
    VKS_FIELD(declaration, .name = "measured", .element = VKS_U32, .rank = 1, .shape = {4});
}

/* --- passes ---------------------------------------------------------------------------------- */

void vks_gas_declare_items_start(const struct vks_config *config,
                                 struct vks_declaration *declaration)
{
    const struct gas_settings *s = config->settings;
    const struct gas_start_params start = vks_gas_start_particles(config);
    const double count = start.particles;
    const double low = s->lowest_frequency, range = s->highest_frequency - low;
    const struct vks_specialization own[] = {
        {"start", config->start},
        {"lowest_frequency", vks_gas_real_bits(low)},
        {"frequencies", vks_gas_real_bits(range)},
        {vks_gas_on_ranks(config, "room"), vks_gas_room(config, declaration)},
        {NULL, 0}};
    VKS_PASS(declaration, .name = "start particles",
             .shader = vks_gas_shader(config, declaration, "gas/start_particles"),
             .when = VKS_AT_START,
             .uses = VKS_USES({"modes", VKS_READ}, {"z", VKS_WRITE}, {"y", VKS_WRITE},
                              {"x", VKS_WRITE}, {"vz", VKS_WRITE}, {"vy", VKS_WRITE},
                              {"vx", VKS_WRITE}, {"mass", VKS_WRITE}, {"heat", VKS_WRITE},
                              {"oscillator", VKS_WRITE}, {"frequency", VKS_WRITE},
                              {vks_gas_on_ranks(config, "particles_alive"), VKS_ATOMIC},
                              {"particles_number", VKS_WRITE}),
             .specializations = vks_gas_specialize(config, declaration, GAS_ANY_ROW, own),
             VKS_PUSH(start), .items = {start.particles}, .bytes = 40 * count);
}

static void declare_measuring(const struct vks_config *config, const struct gas_params *params,
                              struct vks_declaration *declaration)
{
    static const char *const names[] = {"measure max", "measure sum"};
    const double count = params->particles;
    for (uint32_t part = 0; part < VKS_COUNT(names); part++) {
        VKS_PASS(declaration, .name = names[part],
                 .shader = vks_gas_shader(config, declaration, "gas/measure_particles"),
                 .when = VKS_WHEN_READY,
                 .uses = VKS_USES({"vz", VKS_READ}, {"vy", VKS_READ}, {"vx", VKS_READ},
                                  {"mass", VKS_READ}, {"heat", VKS_READ}, {"oscillator", VKS_READ},
                                  {"measured", VKS_ATOMIC | VKS_READ},
                                  {vks_gas_on_ranks(config, "particles_alive"), VKS_READ}),
                 .specializations = VKS_SPECIALIZATIONS({"part", part}), VKS_PUSH(*params),
                 .items = {params->particles}, .bytes = (part == 0 ? 24 : 4) * count);
        vks_gas_meet_for_measures(config, part == 1, declaration);
    }
    VKS_PASS(declaration, .name = "units", .shader = "gas/units", .when = VKS_WHEN_READY,
             .uses = VKS_USES({"clockwork", VKS_READ_WRITE}, {"measured", VKS_READ_WRITE},
                              {"time", VKS_WRITE}, {"dt", VKS_WRITE}),
             VKS_PUSH(*params), .items = {1}, .group = {1, 1});
}

/* A deposit on the nodes. */
struct deposit {
    const char *names[2]; /* names of the passes */
    enum vks_when when;
    bool momentum;
    const char *heat; /* the particles' field that counts as heat; NULL: none */
};

/* Current density, velocity and heat of the nodes. */
static void declare_deposit(const struct vks_config *config, const struct gas_params *params,
                            const struct deposit *deposit, struct vks_declaration *declaration)
{
    const uint64_t nodes = (uint64_t)params->width * params->height * params->depth;
    const double count = params->particles;
    const unsigned sums = (deposit->momentum ? 4U : 1U) + (deposit->heat ? 1U : 0U);
    const struct vks_specialization own[] = {
        {"with_momentum", deposit->momentum}, {"with_heat", deposit->heat != NULL}, {NULL, 0}};
    VKS_PASS(declaration, .name = deposit->names[0],
             .shader = vks_gas_shader(config, declaration, "gas/deposit"), .when = deposit->when,
             .uses = VKS_USES({"z", VKS_READ}, {"y", VKS_READ}, {"x", VKS_READ}, {"vz", VKS_READ},
                              {"vy", VKS_READ}, {"vx", VKS_READ}, {"mass", VKS_READ},
                              {deposit->heat ? deposit->heat : "heat", VKS_READ, "heat"},
                              {"clockwork", VKS_READ}, {"sum_mass", VKS_ATOMIC},
                              {"sum_momentum_z", VKS_ATOMIC}, {"sum_momentum_y", VKS_ATOMIC},
                              {"sum_momentum_x", VKS_ATOMIC}, {"sum_heat", VKS_ATOMIC},
                              {vks_gas_on_ranks(config, "particles_alive"), VKS_READ}),
             .specializations = vks_gas_specialize(config, declaration, GAS_PLACES, own),
             VKS_PUSH(*params), .items = {params->particles},
             .bytes = (12 + 4 * (double)sums) * count + 16 * sums * (double)nodes,
             .operations = (100 + 140 * (double)sums) * count,
             .atomics = (params->depth > 1 ? 8 : 4) * sums * count);
    vks_gas_meet_for_sums(config, params,
                          &(struct gas_edge){.deposit = deposit->names[0], .when = deposit->when},
                          declaration);
    VKS_PASS(declaration, .name = deposit->names[1],
             .shader = vks_gas_shader(config, declaration, "gas/nodes"), .when = deposit->when,
             .uses = VKS_USES(
                 {"sum_mass", VKS_READ_WRITE}, {"sum_momentum_z", VKS_READ_WRITE},
                 {"sum_momentum_y", VKS_READ_WRITE}, {"sum_momentum_x", VKS_READ_WRITE},
                 {"sum_heat", VKS_READ_WRITE}, {"clockwork", VKS_READ}, {"density", VKS_WRITE},
                 {"velocity_z", VKS_WRITE}, {"velocity_y", VKS_WRITE}, {"velocity_x", VKS_WRITE},
                 {"node_heat", VKS_WRITE}, {vks_gas_on_ranks(config, "below_sums"), VKS_READ}),
             .specializations = vks_gas_specialize(config, declaration, GAS_OWN_ROWS, NULL),
             VKS_PUSH(*params), .items = {nodes}, .bytes = 100 * (double)nodes,
             .operations = 100 * (double)nodes);
}

static void declare_dispersion(const struct vks_config *config, const struct gas_params *params,
                               struct vks_declaration *declaration)
{
    const double nodes = vks_gas_nodes_here(config), count = params->particles;
    VKS_PASS(declaration, .name = "dispersion", .shader = "gas/dispersion",
             .uses = VKS_USES({"z", VKS_READ}, {"y", VKS_READ}, {"x", VKS_READ}, {"vz", VKS_READ},
                              {"vy", VKS_READ}, {"vx", VKS_READ}, {"mass", VKS_READ},
                              {"density", VKS_READ}, {"velocity_z", VKS_READ},
                              {"velocity_y", VKS_READ}, {"velocity_x", VKS_READ},
                              {"clockwork", VKS_READ}, {"sum_dispersion", VKS_ATOMIC}),
             VKS_PUSH(*params), .items = {params->particles}, .bytes = 28 * count + 32 * nodes,
             .operations = 300 * count, .atomics = (params->depth > 1 ? 8 : 4) * count);
}

static void declare_limits(const struct vks_config *config, const struct gas_params *params,
                           struct vks_declaration *declaration)
{
    const double nodes = vks_gas_nodes_here(config);
    VKS_PASS(declaration, .name = "limits", .shader = "gas/limits",
             .uses = VKS_USES({"density", VKS_READ}, {"velocity_z", VKS_READ},
                              {"velocity_y", VKS_READ}, {"velocity_x", VKS_READ},
                              {"node_heat", VKS_READ}, {"sum_dispersion", VKS_READ_WRITE},
                              {"dispersion", VKS_WRITE}, {"clockwork", VKS_READ},
                              {"limits", VKS_ATOMIC}, {"mixing_speed", VKS_WRITE}),
             VKS_PUSH(*params), .group = {64, 4}, .bytes = 44 * nodes, .operations = 80 * nodes);
}

static void declare_forces(const struct vks_config *config, const struct gas_params *params,
                           bool sorted, struct vks_declaration *declaration)
{
    const struct gas_settings *s = config->settings;
    static const char *const halos[] = {"dispersion", "mixing_speed", NULL};
    const bool chooses = sorted && !vks_gas_is_cut(config); /* in the last pass of gravity */
    if (sorted) {
        vks_gas_dispersion_tiles(config, params, declaration);
    } else {
        declare_dispersion(config, params, declaration);
    }
    if (sorted) {
        vks_gas_limits_tiles(config, params, declaration);
    } else {
        declare_limits(config, params, declaration);
    }
    if (s->gravity > 0) {
        vks_gas_declare_gravity(config, chooses, declaration);
    }
    if (s->gravity > 0 && chooses) {
        return;
    }
    vks_gas_meet_for_limits(config, halos, declaration);
    VKS_PASS(declaration, .name = "time step", .shader = "gas/time_step_particles",
             .uses = VKS_USES({"clockwork", VKS_READ_WRITE}, {"limits", VKS_READ_WRITE},
                              {"step_values", VKS_WRITE}, {"time", VKS_WRITE}, {"dt", VKS_WRITE},
                              {"status", VKS_ATOMIC}, {"end_time", VKS_READ}),
             VKS_PUSH(*params), .items = {1}, .group = {1, 1});
}

static void declare_lagrangian(const struct vks_config *config, const struct gas_params *params,
                               struct vks_declaration *declaration)
{
    const struct gas_settings *s = config->settings;
    const bool has_gravity = s->gravity > 0;
    const double nodes = vks_gas_nodes_here(config);
    VKS_PASS(declaration, .name = "predict", .shader = "gas/predict",
             .uses =
                 VKS_USES({"density", VKS_READ}, {"velocity_z", VKS_READ}, {"velocity_y", VKS_READ},
                          {"velocity_x", VKS_READ}, {"node_heat", VKS_READ},
                          {"dispersion", VKS_READ}, {"mixing_speed", VKS_READ},
                          {"step_values", VKS_READ}, {"predicted_pressure", VKS_WRITE},
                          {"node_pressure", VKS_WRITE}, {"sound_speed", VKS_WRITE}),
             VKS_PUSH(*params), .group = {64, 4}, .bytes = 40 * nodes, .operations = 110 * nodes);
    VKS_PASS(declaration, .name = "lagrangian",
             .shader = has_gravity ? "gas/lagrangian_gravity" : "gas/lagrangian",
             .uses = VKS_USES(
                 {"density", VKS_READ}, {"velocity_z", VKS_READ}, {"velocity_y", VKS_READ},
                 {"velocity_x", VKS_READ}, {"node_heat", VKS_READ}, {"dispersion", VKS_READ},
                 {"step_values", VKS_READ}, {"predicted_pressure", VKS_READ},
                 {"node_pressure", VKS_READ}, {"sound_speed", VKS_READ}, {"mixing_speed", VKS_READ},
                 {"record", VKS_WRITE}, {has_gravity ? "acceleration_z" : NULL, VKS_READ},
                 {"acceleration_y", VKS_READ}, {"acceleration_x", VKS_READ}),
             VKS_PUSH(*params), .group = {64, 4}, .bytes = (has_gravity ? 100 : 88) * nodes,
             .operations = 600 * nodes);
}

static void declare_move(const struct vks_config *config, const struct gas_params *params,
                         uint32_t every, struct vks_declaration *declaration)
{
    static const char *const shaders[2][2] = {{"gas/move", "gas/move_tiles"},
                                              {"gas/move_exchange", "gas/move_exchange_tiles"}};
    const bool cut = vks_gas_is_cut(config); /* which finds the cells in the next step */
    const bool exchanges = vks_gas_exchanges(config), sorted = every > 0 && !cut;
    const double nodes = vks_gas_nodes_here(config), count = params->particles;
    struct vks_use uses[19] = {
        {"z", VKS_READ_WRITE},
        {"y", VKS_READ_WRITE},
        {"x", VKS_READ_WRITE},
        {"vz", VKS_READ_WRITE},
        {"vy", VKS_READ_WRITE},
        {"vx", VKS_READ_WRITE},
        {"mass", VKS_READ},
        {"heat", VKS_READ_WRITE},
        {"oscillator", exchanges ? VKS_READ_WRITE : VKS_READ},
        {"record", VKS_READ},
        {"step_values", VKS_READ},
        {"clockwork", cut ? VKS_READ : VKS_READ | VKS_ATOMIC},
    };
    size_t next = 12;
    if (exchanges) {
        uses[next++] = (struct vks_use){"frequency", VKS_READ};
    }
    if (sorted) {
        uses[next++] = (struct vks_use){"cell", VKS_WRITE};
        uses[next++] = (struct vks_use){"particles.counts", VKS_ATOMIC, "counts"};
        uses[next++] = (struct vks_use){"particles.slots", VKS_WRITE, "slots"};
    }
    if (cut) {
        uses[next++] = (struct vks_use){"energy_part", VKS_ATOMIC};
        uses[next++] = (struct vks_use){"particles_alive", VKS_READ};
    }
    const struct vks_pass move = {
        .name = "move",
        .shader = vks_gas_shader(config, declaration, shaders[exchanges][sorted]),
        .specializations = vks_gas_specialize(config, declaration, GAS_PLACES, NULL),
        .uses = uses,
        VKS_PUSH(*params),
        .items = {params->particles},
        .bytes = ((exchanges ? 72 : 64) + (sorted ? 8 : 0)) * count + 36 * nodes,
        .operations = (exchanges ? 1400 : 900) * count};
    if (sorted) {
        vks_gas_move_tiles(config, &move, every, declaration);
    } else {
        vks_declare_pass(declaration, &move);
    }
    vks_gas_add_energy(config, params, declaration);
}

void vks_gas_declare_particles(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct gas_settings *s = config->settings;
    const bool has_gravity = s->gravity > 0;
    const uint32_t every = vks_gas_is_cut(config) ? 1 : config->variant.numbers[GAS_NUMBER];
    struct gas_params params = vks_gas_params(config);
    vks_gas_count_tiles(config, &params);
    vks_gas_declare_items(config, declaration);
    vks_gas_declare_exchange(config, declaration);
    params.particles = vks_gas_room(config, declaration);
    declare_nodes(config, declaration);
    vks_gas_declare_edges(config, declaration);
    vks_gas_declare_clock(config, declaration);
    vks_gas_declare_modes(config, declaration);
    vks_gas_declare_items_start(config, declaration);
    declare_measuring(config, &params, declaration);
    if (every > 0) {
        vks_gas_declare_tiles(config, &params, every, declaration);
        vks_gas_deposit_tiles(config, &params, declaration);
    } else {
        declare_deposit(
            config, &params,
            &(struct deposit){.names = {"deposit", "nodes"}, .momentum = true, .heat = "heat"},
            declaration);
    }
    if (has_gravity) {
        (void)vks_gas_whole_density(config, declaration);
    }
    vks_gas_meet_for_nodes(config, VKS_EACH_STEP, has_gravity, declaration);
    declare_forces(config, &params, every > 0, declaration);
    declare_lagrangian(config, &params, declaration);
    declare_move(config, &params, every, declaration);
}

/* Pictures need another deposit: particles have moved since the step's. */
void vks_gas_declare_particles_frame(const struct vks_config *config,
                                     struct vks_declaration *declaration)
{
    const struct gas_settings *s = config->settings;
    struct gas_params params = vks_gas_params(config);
    const bool weighed = config->watch && s->gravity > 0; /* energies also need the nodes */
    const uint32_t nodes = ~(GAS_POINTS_VIEWS | 1U << GAS_VIEW_OSCILLATORS);
    const bool moves =
        (vks_shown_views(config) & GAS_MOVING_VIEWS) || vks_gas_shows_velocity(config) || weighed;
    const bool oscillates = vks_is_shown(config, GAS_VIEW_OSCILLATORS);
    params.particles = vks_gas_room(config, declaration);
    /* Before the gas itself, on the same nodes. */
    if (oscillates) {
        declare_deposit(config, &params,
                        &(struct deposit){.names = {"deposit oscillators", "nodes of oscillators"},
                                          .when = VKS_EACH_FRAME,
                                          .heat = "oscillator"},
                        declaration);
        vks_gas_declare_views(config, &params, 1U << GAS_VIEW_OSCILLATORS, "node_heat", false,
                              declaration);
    }
    if ((vks_shown_views(config) & nodes) || moves) {
        declare_deposit(config, &params,
                        &(struct deposit){
                            .names = {"deposit now", "nodes now"},
                            .when = VKS_EACH_FRAME,
                            .momentum = moves,
                            .heat = vks_shown_views(config) & GAS_HOT_VIEWS ? "heat" : NULL,
                        },
                        declaration);
        if (vks_is_shown(config, GAS_VIEW_VORTICITY)) {
            vks_gas_meet_for_nodes(config, VKS_EACH_FRAME, false, declaration);
        }
    }
    if (vks_is_shown(config, GAS_VIEW_POTENTIAL)) {
        (void)vks_gas_declare_potential(config, declaration);
    }
    vks_gas_declare_views(config, &params, GAS_HOT_VIEWS | GAS_MOVING_VIEWS, "node_heat", false,
                          declaration);
}
