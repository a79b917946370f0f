/* SPDX-License-Identifier: MIT */
/* The gas on a grid: finite volumes, docs/sims/gas.md. */
#include <math.h>

#include "base/error.h"
#include "base/exact.h"
#include "base/memory.h"
#include "sim/gas/gas.h"

/* Checks values of a state file: in the range that runs produce. An internal energy below 0 selects
 * the total energy. */
static enum vks_result fill_state(const void *user, const struct vks_field *field,
                                  const struct vks_source *source, void *out)
{
    const bool is_signed = field->name[0] == 'm' || field->name[0] == 'i';
    float *values = out;
    (void)user;
    for (uint64_t i = 0; source->array && i < source->count; i++) {
        const double value = vks_source_number(source, i);
        if (!(fabs(value) <= GAS_LARGEST) || (value < 0 && !is_signed)) {
            return vks_fail(VKS_ERROR_FILE, "'%s': element %llu is %g; it must be %s to 2^30",
                            field->name, (unsigned long long)(source->first + i), value,
                            is_signed ? "-2^30" : "0");
        }
        values[i] = vks_real(value);
    }
    return VKS_OK;
}

/* Nodes of an invocation: along x, they share lines of the cache. */
enum { RUN = 8, RUN_X = 4 };

/* Of a face: what it takes in memory, and arithmetic operations. */
enum { FACE_BYTES = 4 * (int)FACE_WORDS, FACE_OPERATIONS = 600 };

static const char *const face_names[3] = {NULL, "faces_y", "faces_x"};

/* The first axis with more than one node, along which runs are. */
static uint32_t first_axis(const struct vks_config *config)
{
    uint32_t sides[3];
    vks_gas_sides_here(config, sides);
    return sides[0] > 1 ? 0 : sides[1] > 1 ? 1 : 2;
}

/* Whether faces along an axis are kept in memory. */
static bool keeps_faces(const struct vks_config *config, uint32_t axis)
{
    uint32_t sides[3];
    vks_gas_sides_here(config, sides);
    return config->variant.numbers[GAS_KIND] == GAS_FACES && axis > first_axis(config) &&
           sides[axis] > 1;
}

bool vks_gas_fits_faces(const struct vks_config *config)
{
    uint32_t sides[3], axes = 0;
    vks_gas_sides_here(config, sides);
    for (size_t axis = 0; axis < 3; axis++) {
        axes += sides[axis] > 1;
    }
    return axes > 1 && vks_gas_nodes_here(config) * FACE_WORDS <= UINT32_MAX;
}

static void declare_fields(const struct vks_config *config, struct vks_declaration *declaration)
{
    static const char *const state[][2] = {
        {"density", "mass per volume"},
        {"momentum_z", "momentum per volume along z"},
        {"momentum_y", "momentum per volume along y"},
        {"momentum_x", "momentum per volume along x"},
        {"energy", "kinetic and thermal energy per volume"},
        {"internal", "thermal energy per volume, for gas whose energy is nearly all motion"},
    };
    static const char *const scratch[] = {
        "velocity_z",     "velocity_y",     "velocity_x",     "pressure",     "mid_density",
        "mid_momentum_z", "mid_momentum_y", "mid_momentum_x", "mid_energy",   "mid_internal",
        "mid_velocity_z", "mid_velocity_y", "mid_velocity_x", "mid_pressure",
    };
    for (size_t i = 0; i < VKS_COUNT(state); i++) {
        VKS_FIELD(declaration, .name = state[i][0], .help = state[i][1], .element = VKS_F32,
                  .persistent = true, .fill = fill_state);
    }
    for (size_t i = 0; i < VKS_COUNT(scratch); i++) {
        VKS_FIELD(declaration, .name = scratch[i], .element = VKS_F32);
    }
    for (uint32_t axis = 0; axis < 3; axis++) {
        if (keeps_faces(config, axis)) {
            VKS_FIELD(declaration, .name = face_names[axis], .element = VKS_F32, .rank = 1,
                      .shape = {FACE_WORDS * (uint64_t)vks_gas_nodes_here(config)});
        }
    }
    VKS_FIELD(declaration, .name = "measured", .element = VKS_U32, .rank = 1, .shape = {4});
}

/* The mean density, which is part of the state. */
static void declare_measuring(const struct vks_config *config, const struct gas_params *params,
                              struct vks_declaration *declaration)
{
    static const char *const names[] = {"measure max", "measure sum"};
    const uint64_t nodes = (uint64_t)vks_gas_nodes_here(config);
    for (uint32_t part = 0; part < VKS_COUNT(names); part++) {
        VKS_PASS(declaration, .name = names[part], .shader = "gas/measure_grid",
                 .when = VKS_WHEN_READY,
                 .uses = VKS_USES({"density", VKS_READ}, {"measured", VKS_ATOMIC | VKS_READ}),
                 .specializations = vks_gas_specialize(config, declaration, GAS_OWN_ROWS,
                                                       VKS_SPECIALIZATIONS({"part", part})),
                 VKS_PUSH(*params), .items = {nodes}, .bytes = 4 * (double)nodes,
                 .operations = 2 * (double)nodes);
        vks_gas_meet_for_measures(config, part == 1, declaration);
    }
    VKS_PASS(declaration, .name = "mean density", .shader = "gas/mean_density",
             .when = VKS_WHEN_READY,
             .uses = VKS_USES({"clockwork", VKS_READ_WRITE}, {"measured", VKS_READ_WRITE},
                              {"time", VKS_WRITE}, {"dt", VKS_WRITE}),
             VKS_PUSH(*params), .items = {1}, .group = {1, 1});
}

/* The faces that a stage reads, from the fields with this prefix. */
static void declare_faces(const struct vks_config *config, const struct gas_params *params,
                          uint32_t stage, const char *prefix, struct vks_declaration *declaration)
{
    static const char *const fields[] = {"density",    "velocity_z", "velocity_y",
                                         "velocity_x", "pressure",   "energy"};
    static const char axis_names[] = "zyx";
    const double nodes = vks_gas_nodes_here(config);
    for (uint32_t axis = 0; axis < 3; axis++) {
        const uint32_t run = axis == 2 ? RUN_X : RUN;
        uint32_t runs[3];
        struct vks_use uses[VKS_COUNT(fields) + 4] = {{face_names[axis], VKS_WRITE, "faces"},
                                                      {"step_values", VKS_READ},
                                                      {"clockwork", VKS_READ}};
        if (!keeps_faces(config, axis)) {
            continue;
        }
        for (size_t i = 0; i < VKS_COUNT(fields); i++) {
            uses[3 + i] = (struct vks_use){
                vks_declaration_name(declaration, "%s%s", prefix, fields[i]), VKS_READ, fields[i]};
        }
        vks_gas_sides_here(config, runs);
        runs[axis] = (runs[axis] + run - 1) / run;
        VKS_PASS(
            declaration,
            .name = vks_declaration_name(declaration, "faces %u along %c", stage, axis_names[axis]),
            .shader = "gas/face_fluxes", .uses = uses,
            .specializations = VKS_SPECIALIZATIONS({"axis", axis}, {"run", run}), VKS_PUSH(*params),
            .items = {runs[2], (uint64_t)runs[0] * runs[1]}, .group = {64, 4}, .by_rows = true,
            .bytes = (24 + FACE_BYTES) * nodes, .operations = FACE_OPERATIONS * nodes);
    }
}

/* In a stage, invocations compute runs of nodes. */
static void declare_stage(const struct vks_config *config, const struct vks_pass *stage,
                          unsigned needs, struct vks_declaration *declaration)
{
    uint32_t runs[3];
    const uint32_t kind = config->variant.numbers[GAS_KIND], axis = first_axis(config);
    const uint32_t number = config->variant.numbers[GAS_NUMBER];
    const uint32_t run = kind == GAS_FACES ? RUN : number > 0 ? number : 1;
    struct vks_pass by_runs = *stage;
    vks_gas_sides_here(config, runs);
    runs[axis] = (runs[axis] + run - 1) / run;
    by_runs.specializations = vks_gas_specialize(
        config, declaration, needs, VKS_SPECIALIZATIONS({"run", run}, {"along", axis}));
    by_runs.items[0] = runs[2];
    by_runs.items[1] = (uint64_t)runs[0] * runs[1];
    by_runs.group[0] = 64;
    by_runs.group[1] = 4;
    by_runs.by_rows = true;
    vks_declare_pass(declaration, &by_runs);
}

static void declare_step(const struct vks_config *config, const struct gas_params *params,
                         struct vks_declaration *declaration)
{
    const struct gas_settings *s = config->settings;
    const double nodes = vks_gas_nodes_here(config);
    const bool faces = config->variant.numbers[GAS_KIND] == GAS_FACES;
    const int kept = keeps_faces(config, 1) + keeps_faces(config, 2);
    const char *const faces_y = face_names[keeps_faces(config, 1) ? 1 : 2];
    const char *const faces_x = face_names[keeps_faces(config, 2) ? 2 : 1];
    VKS_PASS(declaration, .name = "prepare", .shader = "gas/prepare",
             .uses = VKS_USES(
                 {"density", VKS_READ}, {"momentum_z", VKS_READ}, {"momentum_y", VKS_READ},
                 {"momentum_x", VKS_READ}, {"energy", VKS_READ}, {"internal", VKS_READ_WRITE},
                 {"velocity_z", VKS_WRITE}, {"velocity_y", VKS_WRITE}, {"velocity_x", VKS_WRITE},
                 {"pressure", VKS_WRITE}, {"clockwork", VKS_READ}, {"limits", VKS_ATOMIC},
                 {"end_time", VKS_READ}),
             .specializations = vks_gas_specialize(config, declaration, GAS_OWN_ROWS, NULL),
             VKS_PUSH(*params), .group = {64, 4}, .bytes = 44 * nodes, .operations = 80 * nodes);
    if (s->gravity > 0) {
        (void)vks_gas_whole_density(config, declaration);
        vks_gas_meet_for_density(config, VKS_EACH_STEP, declaration);
        vks_gas_declare_gravity(config, false, declaration);
    }
    vks_gas_meet_for_limits(config, NULL, declaration);
    VKS_PASS(declaration, .name = "time step", .shader = "gas/time_step_grid",
             .uses = VKS_USES({"clockwork", VKS_READ_WRITE}, {"limits", VKS_READ_WRITE},
                              {"step_values", VKS_WRITE}, {"time", VKS_WRITE}, {"dt", VKS_WRITE},
                              {"status", VKS_ATOMIC}, {"end_time", VKS_READ}),
             VKS_PUSH(*params), .items = {1}, .group = {1, 1});
    if (s->gravity > 0) {
        VKS_PASS(declaration, .name = "kick", .shader = "gas/kick",
                 .uses = VKS_USES({"density", VKS_READ}, {"momentum_z", VKS_READ_WRITE},
                                  {"momentum_y", VKS_READ_WRITE}, {"momentum_x", VKS_READ_WRITE},
                                  {"energy", VKS_READ_WRITE}, {"velocity_z", VKS_WRITE},
                                  {"velocity_y", VKS_WRITE}, {"velocity_x", VKS_WRITE},
                                  {"acceleration_z", VKS_READ}, {"acceleration_y", VKS_READ},
                                  {"acceleration_x", VKS_READ}, {"step_values", VKS_READ},
                                  {"clockwork", VKS_READ}),
                 VKS_PUSH(*params), .items = {(uint64_t)nodes}, .bytes = 60 * nodes,
                 .operations = 40 * nodes);
    }
    if (vks_gas_count(config) > 0) {
        vks_gas_declare_sampling(config, declaration);
    }
    const struct vks_pass stage_1 = {
        .name = "stage 1",
        .shader = faces ? "gas/stage1_faces" : "gas/stage1",
        .uses = VKS_USES(
            {"density", VKS_READ}, {"momentum_z", VKS_READ}, {"momentum_y", VKS_READ},
            {"momentum_x", VKS_READ}, {"energy", VKS_READ}, {"internal", VKS_READ},
            {"pressure", VKS_READ}, {"mid_density", VKS_WRITE}, {"mid_momentum_z", VKS_WRITE},
            {"mid_momentum_y", VKS_WRITE}, {"mid_momentum_x", VKS_WRITE}, {"mid_energy", VKS_WRITE},
            {"mid_internal", VKS_WRITE}, {"mid_velocity_z", VKS_WRITE},
            {"mid_velocity_y", VKS_WRITE}, {"mid_velocity_x", VKS_WRITE},
            {"mid_pressure", VKS_WRITE}, {"step_values", VKS_READ}, {"clockwork", VKS_READ},
            {"velocity_z", VKS_READ}, {"velocity_y", VKS_READ}, {"velocity_x", VKS_READ},
            {faces ? faces_y : NULL, VKS_READ, "faces_y"}, {faces_x, VKS_READ, "faces_x"}),
        VKS_PUSH(*params),
        .bytes = (80 + FACE_BYTES * kept) * nodes,
        .operations = (2500 - FACE_OPERATIONS * kept) * nodes};
    if (faces) {
        declare_faces(config, params, 1, "", declaration);
    }
    declare_stage(config, &stage_1, 0, declaration);
    const struct vks_pass stage_2 = {
        .name = "stage 2",
        .shader = faces ? "gas/stage2_faces" : "gas/stage2",
        .uses = VKS_USES(
            {"mid_density", VKS_READ}, {"mid_momentum_z", VKS_READ}, {"mid_momentum_y", VKS_READ},
            {"mid_momentum_x", VKS_READ}, {"mid_energy", VKS_READ}, {"mid_internal", VKS_READ},
            {"mid_pressure", VKS_READ}, {"density", VKS_READ_WRITE}, {"momentum_z", VKS_READ_WRITE},
            {"momentum_y", VKS_READ_WRITE}, {"momentum_x", VKS_READ_WRITE},
            {"energy", VKS_READ_WRITE}, {"internal", VKS_READ_WRITE}, {"status", VKS_ATOMIC},
            {"step_values", VKS_READ}, {"clockwork", VKS_READ}, {"mid_velocity_z", VKS_READ},
            {"mid_velocity_y", VKS_READ}, {"mid_velocity_x", VKS_READ},
            {faces ? faces_y : NULL, VKS_READ, "faces_y"}, {faces_x, VKS_READ, "faces_x"}),
        VKS_PUSH(*params),
        .bytes = (88 + FACE_BYTES * kept) * nodes,
        .operations = (2500 - FACE_OPERATIONS * kept) * nodes};
    if (faces) {
        declare_faces(config, params, 2, "mid_", declaration);
    }
    declare_stage(config, &stage_2, GAS_OWN_ROWS, declaration);
    if (vks_gas_count(config) > 0) {
        vks_gas_declare_advection(config, declaration);
    }
}

void vks_gas_declare_grid(const struct vks_config *config, struct vks_declaration *declaration)
{
    const double nodes = vks_gas_nodes_here(config);
    const struct gas_params params = vks_gas_params(config);
    const struct gas_start_params start = vks_gas_start_params(config);
    declare_fields(config, declaration);
    vks_gas_declare_exchange(config, declaration);
    if (vks_gas_count(config) > 0) {
        vks_gas_declare_tracers(config, declaration);
    }
    vks_gas_declare_clock(config, declaration);
    vks_gas_declare_modes(config, declaration);
    if (vks_gas_count(config) > 0) {
        vks_gas_declare_items_start(config, declaration);
    }
    VKS_PASS(declaration, .name = "start", .shader = "gas/start_grid", .when = VKS_AT_START,
             .uses =
                 VKS_USES({"modes", VKS_READ}, {"density", VKS_WRITE}, {"momentum_z", VKS_WRITE},
                          {"momentum_y", VKS_WRITE}, {"momentum_x", VKS_WRITE},
                          {"energy", VKS_WRITE}, {"internal", VKS_WRITE}),
             .specializations = vks_gas_specialize(config, declaration, GAS_PLACES,
                                                   VKS_SPECIALIZATIONS({"start", config->start})),
             VKS_PUSH(start), .bytes = 24 * nodes);
    declare_measuring(config, &params, declaration);
    declare_step(config, &params, declaration);
}

/* The fields of pictures, except the density, which is state. */
void vks_gas_declare_grid_frame(const struct vks_config *config,
                                struct vks_declaration *declaration)
{
    const struct gas_params params = vks_gas_params(config);
    const double nodes = vks_gas_nodes_here(config);
    if (vks_is_shown(config, GAS_VIEW_POTENTIAL)) {
        (void)vks_gas_declare_potential(config, declaration);
    }
    if (vks_is_shown(config, GAS_VIEW_OSCILLATORS)) {
        vks_gas_declare_oscillators(config, declaration);
    }
    if ((vks_shown_views(config) & (GAS_HOT_VIEWS | GAS_MOVING_VIEWS)) ||
        vks_gas_shows_velocity(config)) {
        VKS_PASS(declaration, .name = "primitives", .shader = "gas/primitives",
                 .when = VKS_EACH_FRAME,
                 .uses = VKS_USES(
                     {"density", VKS_READ}, {"momentum_z", VKS_READ}, {"momentum_y", VKS_READ},
                     {"momentum_x", VKS_READ}, {"energy", VKS_READ}, {"internal", VKS_READ},
                     {"velocity_z", VKS_WRITE}, {"velocity_y", VKS_WRITE},
                     {"velocity_x", VKS_WRITE}, {"pressure", VKS_WRITE}, {"clockwork", VKS_READ}),
                 VKS_PUSH(params), .items = {(uint64_t)nodes}, .bytes = 40 * nodes,
                 .operations = 50 * nodes);
        vks_gas_declare_views(config, &params, GAS_HOT_VIEWS | GAS_MOVING_VIEWS, "pressure", true,
                              declaration);
    }
}
