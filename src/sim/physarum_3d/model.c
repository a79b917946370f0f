/* SPDX-License-Identifier: MIT */
/* Physarum in a volume, the Monte Carlo Physarum Machine: docs/sims/physarum-3d.md. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <vksim/model.h>

#include "base/error.h"
#include "base/exact.h"
#include "base/memory.h"
#include "graph/declare.h"
#include "sim/physarum_3d/physarum_3d.h"

_Static_assert(sizeof(struct physarum_3d_agents) <= VKS_MAX_CONSTANTS, "fits the push constants");
_Static_assert(sizeof(struct physarum_3d_field) <= VKS_MAX_CONSTANTS, "fits the push constants");

static const char *const switches[] = {"off", "on", NULL};

/* clang-format off: one row per option */
#define AT(member) offsetof(struct physarum_3d_settings, member)
static const struct vks_option options[] = {
    {.name = "agents",
     .heading = "agents",
     .type = VKS_OPTION_COUNT,
     .change = VKS_CHANGE_NEVER,
     .offset = AT(agents),
     .min = 0,
     .max = 1e9,
     .default_text = "0",
     .unit = "",
     .help = "number of agents; 0: density times the number of cells"},
    {.name = "density",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_NEVER,
     .offset = AT(density),
     .min = 1e-9,
     .max = 1000,
     .soft_min = 0.02,
     .soft_max = 10,
     .logarithmic = true,
     .default_text = "3.814697",
     .unit = "agents per cell",
     .unless = "agents",
     .help = "agents per cell at the start, whatever the size of the field"},
    {.name = "sensor-distance",
     .type = VKS_OPTION_REAL,
     .offset = AT(sensor_distance),
     .min = 0,
     .max = 1000,
     .soft_min = 0,
     .soft_max = 30,
     .default_text = "6",
     .unit = "cells",
     .help = "mean distance from an agent to its sensors"},
    {.name = "distance-spread",
     .type = VKS_OPTION_CHOICE,
     .offset = AT(distance_spread),
     .choices = switches,
     .default_text = "on",
     .help = "sensors at random distances, close to Maxwell's distribution (on), or all at "
             "sensor-distance (off)"},
    {.name = "sensor-angle",
     .type = VKS_OPTION_REAL,
     .offset = AT(sensor_angle),
     .min = 0,
     .max = 180,
     .soft_min = 0,
     .soft_max = 90,
     .default_text = "30",
     .unit = "deg",
     .help = "angle between the sensor in front and the one beside it, which is in a random "
             "direction around the agent"},
    {.name = "turn-angle",
     .type = VKS_OPTION_REAL,
     .offset = AT(turn_angle),
     .min = 0,
     .max = 180,
     .soft_min = 0,
     .soft_max = 90,
     .default_text = "20",
     .unit = "deg",
     .help = "turn of an agent that chooses the sensor beside it"},
    {.name = "step-size",
     .type = VKS_OPTION_REAL,
     .offset = AT(step_size),
     .min = 0,
     .max = 1000,
     .soft_min = 0,
     .soft_max = 5,
     .default_text = "1",
     .unit = "cells",
     .help = "distance that an agent moves per step"},
    {.name = "sharpness",
     .type = VKS_OPTION_REAL,
     .offset = AT(sharpness),
     .min = 0,
     .max = 10,
     .default_text = "4",
     .unit = "",
     .help = "an agent chooses between its sensors by chance, in proportion to this power of their "
             "trail; 0: both alike"},
    {.name = "deposit",
     .heading = "trail",
     .type = VKS_OPTION_REAL,
     .offset = AT(deposit),
     .min = 0,
     .max = 1e6,
     .soft_min = 0.005,
     .soft_max = 10,
     .logarithmic = true,
     .default_text = "0.05",
     .unit = "",
     .help = "trail that an agent deposits per step; with food, keep it small"},
    {.name = "decay",
     .type = VKS_OPTION_REAL,
     .offset = AT(decay),
     .min = 0,
     .max = 1,
     .soft_min = 0.001,
     .soft_max = 0.5,
     .logarithmic = true,
     .default_text = "0.1",
     .unit = "",
     .help = "fraction of the trail that decays per step"},
    {.name = "diffuse",
     .type = VKS_OPTION_REAL,
     .offset = AT(diffuse),
     .min = 0,
     .max = 1,
     .default_text = "1",
     .unit = "",
     .help = "fraction of the trail that diffuses over 3 x 3 x 3 cells per step"},
    {.name = "trace-decay",
     .type = VKS_OPTION_REAL,
     .offset = AT(trace_decay),
     .min = 0,
     .max = 1,
     .soft_min = 0.0005,
     .soft_max = 0.2,
     .logarithmic = true,
     .default_text = "0.01",
     .unit = "",
     .help = "fraction of the trace, the record of visits, that is forgotten per step"},
    {.name = "lifetime",
     .heading = "agents",
     .type = VKS_OPTION_COUNT,
     .offset = AT(lifetime),
     .min = 0,
     .max = 1e9,
     .soft_min = 0,
     .soft_max = 1000,
     .default_text = "0",
     .unit = "steps",
     .help = "mean number of steps until an agent restarts at a random place; 0: never"},
    {.name = "food",
     .heading = "food",
     .type = VKS_OPTION_TEXT,
     .change = VKS_CHANGE_SOMETIMES,
     .offset = AT(food),
     .argument = "points:FILE",
     .help = "sources of trail: data points from FILE.csv or FILE.npy, with x, y, z and optionally "
             "a weight in each row; default: none"},
    {.name = "points-box",
     .type = VKS_OPTION_TEXT,
     .change = VKS_CHANGE_START,
     .offset = AT(points_box),
     .argument = "X0,Y0,Z0,X1,Y1,Z1",
     .needs = "food",
     .help = "two corners of the part of space that the volume covers; default: auto, the points "
             "and a margin"},
    {.name = "points-margin",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_START,
     .offset = AT(points_margin),
     .min = 0,
     .max = 10,
     .soft_min = 0,
     .soft_max = 1,
     .default_text = "0.1",
     .unit = "",
     .needs = "food",
     .unless = "points-box",
     .help = "margin around the points, as a fraction of the longest side of their box"},
    {.name = "food-strength",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_START,
     .offset = AT(food_strength),
     .min = 0,
     .max = 1e6,
     .soft_min = 0.1,
     .soft_max = 100,
     .logarithmic = true,
     .default_text = "10",
     .unit = "",
     .needs = "food",
     .help = "trail per step of a point of weight 1"},
};
#undef AT
/* clang-format on */

static const struct vks_preset presets[] = {
#include "sim/physarum_3d/presets.def"
    {NULL, NULL, NULL},
};

/* --- variants -------------------------------------------------------------------------------- */

enum { UNSORTED, SORTED }; /* indices of the rows */

static const struct vks_variant_row variants[] = {
    [UNSORTED] = {.name = "unsorted", .help = "agents stay where they are in memory"},
    [SORTED] = {.name = "sorted-#",
                .help = "agents sorted by tiles of 8 x 8 x 8 cells every # steps",
                .min = 1,
                .max = 1000},
    {0},
};

static void add(struct vks_candidates *candidates, size_t row, uint32_t number)
{
    const struct vks_variant variant = vks_variant_of(&variants[row], number);
    vks_candidate_add(candidates, &variant);
}

static void list_candidates(const struct vks_config *config, struct vks_candidates *candidates)
{
    enum { FEW_AGENTS = 50000 }; /* are cached anyway */
    const struct physarum_3d_settings *s = config->settings;
    if (config->variant.name[0] || config->limits.software.driver || s->agents < FEW_AGENTS) {
        return;
    }
    add(candidates, SORTED, 16);
    add(candidates, UNSORTED, 0);
    add(candidates, SORTED, 8);
    add(candidates, SORTED, 32);
    candidates->period = 32;
    candidates->warm_up = 0.3; /* agents start in random order, and no trails attract them yet */
    snprintf(candidates->key, sizeof(candidates->key), "physarum-3d %ux%ux%u %llu agents%s%s",
             config->width, config->height, config->depth, (unsigned long long)s->agents,
             s->has_food ? " food" : "", s->lifetime > 0 ? " lifetime" : "");
}

/* Steps between two sorts; 0: never. */
static uint32_t interval_of(const struct vks_config *config)
{
    return config->variant.numbers[0];
}

/* --- constants ------------------------------------------------------------------------------- */

static struct physarum_3d_agents agents_of(const struct vks_config *config)
{
    const double mean_length = 235.6; /* of three sums of four bytes about 510 */
    const struct physarum_3d_settings *s = config->settings;
    const vks_vec2 sensor = vks_sincos(vks_binary_angle(s->sensor_angle));
    const vks_vec2 turn = vks_sincos(vks_binary_angle(s->turn_angle));
    return (struct physarum_3d_agents){
        .width = config->width,
        .height = config->height,
        .depth = config->depth,
        .agents = (uint32_t)s->agents,
        .seed = config->seed,
        .sensor_z = vks_real(s->sensor_distance / config->depth),
        .sensor_y = vks_real(s->sensor_distance / config->height),
        .sensor_x = vks_real(s->sensor_distance / config->width),
        .move_z = vks_real(s->step_size / config->depth),
        .move_y = vks_real(s->step_size / config->height),
        .move_x = vks_real(s->step_size / config->width),
        .sensor_sine = sensor.x,
        .sensor_cosine = sensor.y,
        .turn_sine = turn.x,
        .turn_cosine = turn.y,
        .sharpness = vks_real(s->sharpness),
        .per_mean = vks_real(1 / mean_length),
        .restarts = vks_event_words(s->lifetime),
    };
}

static struct physarum_3d_field field_of(const struct vks_config *config)
{
    const struct physarum_3d_settings *s = config->settings;
    return (struct physarum_3d_field){
        .width = config->width,
        .height = config->height,
        .depth = config->depth,
        .deposit = vks_real(s->deposit),
        .keep = vks_real(1 - s->decay),
        .blurred = vks_real(s->diffuse),
        .sharp = vks_real(1 - s->diffuse),
        .inverse_volume = vks_real(1.0 / 27),
        .hold = vks_real(1 - s->trace_decay),
    };
}

/* --- state from outside ---------------------------------------------------------------------- */

/* Positions in cells. */
static enum vks_result fill_place(const void *user, const struct vks_field *field,
                                  const struct vks_source *source, void *out)
{
    const struct vks_config *config = user;
    const uint32_t side = field->name[0] == 'z'   ? config->depth
                          : field->name[0] == 'y' ? config->height
                                                  : config->width;
    return vks_fill_places(field, source, &side, 1, out);
}

/* Parts of directions, of any length: the pass "directions" makes unit vectors of them. */
static enum vks_result fill_direction(const void *user, const struct vks_field *field,
                                      const struct vks_source *source, void *out)
{
    const double max = 0x1p29; /* the pass squares them */
    float *parts = out;
    (void)user;
    for (uint64_t i = 0; source->array && i < source->count; i++) {
        const double value = vks_source_number(source, i);
        if (!(fabs(value) <= max)) {
            return vks_fail(VKS_ERROR_FILE, "'%s': element %llu is %g; it must be -2^29 to 2^29",
                            field->name, (unsigned long long)(source->first + i), value);
        }
        parts[i] = vks_real(value);
    }
    return VKS_OK;
}

/* --- the declaration ------------------------------------------------------------------------- */

static const char *const bad_directions[] = {
    "an agent has no direction: dz, dy and dx must be a vector longer than 2^-30", NULL};

static void declare_state(const struct vks_config *config, struct vks_declaration *declaration)
{
    static const char *const places[][2] = {
        {"z", "place along z, fractions of the side in 2^-32"},
        {"y", "place along y, fractions of the side in 2^-32"},
        {"x", "place along x, fractions of the side in 2^-32"},
    };
    static const char *const directions[][2] = {
        {"dz", "direction along z"},
        {"dy", "direction along y"},
        {"dx", "direction along x"},
    };
    const struct physarum_3d_settings *s = config->settings;
    vks_declare_items(declaration, "agents", s->agents);
    VKS_FIELD(declaration, .name = "trail", .help = "trail, at least 0", .element = VKS_F32,
              .persistent = true, .ping_pong = true, .range = {0, VKS_LARGEST_AMOUNT});
    VKS_FIELD(declaration, .name = "trace",
              .help = "visits of agents, of which old ones are forgotten", .element = VKS_F32,
              .persistent = true, .range = {0, VKS_LARGEST_AMOUNT});
    vks_physarum_3d_declare_food(config, declaration);
    for (size_t i = 0; i < VKS_COUNT(places); i++) {
        VKS_FIELD(declaration, .name = places[i][0], .help = places[i][1], .element = VKS_U32,
                  .rank = 1, .shape = {s->agents}, .persistent = true, .items = "agents",
                  .fill = fill_place, .user = config);
    }
    for (size_t i = 0; i < VKS_COUNT(directions); i++) {
        VKS_FIELD(declaration, .name = directions[i][0], .help = directions[i][1],
                  .element = VKS_F32, .rank = 1, .shape = {s->agents}, .persistent = true,
                  .items = "agents", .fill = fill_direction);
    }
    VKS_FIELD(declaration, .name = "deposits", .element = VKS_U32, .ping_pong = true);
    VKS_FIELD(declaration, .name = "status", .element = VKS_U32, .rank = 1, .shape = {1},
              .watched = VKS_SCALARS({"status", .failures = bad_directions}));
}

static void declare_start(const struct physarum_3d_agents *params,
                          struct vks_declaration *declaration)
{
    const double count = params->agents;
    VKS_PASS(declaration, .name = "start", .shader = "physarum_3d/start", .when = VKS_AT_START,
             .uses = VKS_USES({"z", VKS_WRITE}, {"y", VKS_WRITE}, {"x", VKS_WRITE},
                              {"dz", VKS_WRITE}, {"dy", VKS_WRITE}, {"dx", VKS_WRITE}),
             VKS_PUSH(*params), .items = {params->agents}, .bytes = 24 * count);
    VKS_PASS(declaration, .name = "directions", .shader = "physarum_3d/directions",
             .when = VKS_WHEN_READY,
             .uses = VKS_USES({"dz", VKS_READ_WRITE}, {"dy", VKS_READ_WRITE},
                              {"dx", VKS_READ_WRITE}, {"status", VKS_ATOMIC}),
             VKS_PUSH(*params), .items = {params->agents}, .bytes = 12 * count);
}

/* Sorts the agents by tile at an interval of steps, so that neighbours are close in memory. */
static void declare_sorting(const struct physarum_3d_agents *params, uint32_t every,
                            struct vks_declaration *declaration)
{
    enum { TILE = PHYSARUM_3D_TILE };
    const uint64_t tiles = ((uint64_t)params->depth + TILE - 1) / TILE *
                           ((params->height + TILE - 1) / TILE) *
                           ((params->width + TILE - 1) / TILE);
    const struct vks_sorting sorting = {
        .items = "agents", .key = "tile", .bins = tiles, .every = every, .counted = true};
    VKS_FIELD(declaration, .name = "tile", .element = VKS_U32, .rank = 1,
              .shape = {params->agents});
    vks_declare_ranks(declaration, &sorting);
    VKS_PASS(declaration, .name = "tile", .shader = "physarum_3d/tile", .every = every,
             .uses = VKS_USES({"z", VKS_READ}, {"y", VKS_READ}, {"x", VKS_READ},
                              {"tile", VKS_WRITE}, {"agents.counts", VKS_ATOMIC, "counts"},
                              {"agents.slots", VKS_WRITE, "slots"}),
             .specializations =
                 VKS_SPECIALIZATIONS({"one_by_one", declaration->software.one_by_one}),
             VKS_PUSH(*params), .items = {params->agents}, .bytes = 20 * (double)params->agents);
    vks_declare_sorting(declaration, &sorting);
}

static void declare_agents(const struct vks_config *config, const struct physarum_3d_agents *params,
                           struct vks_declaration *declaration)
{
    const struct physarum_3d_settings *s = config->settings;
    const bool sorted = interval_of(config) > 0;
    const double count = params->agents;
    VKS_PASS(declaration, .name = "agents",
             .shader = sorted ? "physarum_3d/agents_sorted" : "physarum_3d/agents",
             .uses = VKS_USES({"trail", VKS_READ}, {"deposits", VKS_ATOMIC}, {"z", VKS_READ_WRITE},
                              {"y", VKS_READ_WRITE}, {"x", VKS_READ_WRITE}, {"dz", VKS_READ_WRITE},
                              {"dy", VKS_READ_WRITE}, {"dx", VKS_READ_WRITE},
                              {sorted ? "agents_number" : NULL, VKS_READ}),
             .specializations = VKS_SPECIALIZATIONS({"spreads", s->distance_spread},
                                                    {"restarts", s->lifetime > 0}),
             VKS_PUSH(*params), .items = {params->agents}, .bytes = (sorted ? 60 : 56) * count,
             .operations = 420 * count, .atomics = count);
}

/* How an invocation of the field's pass divides the field. */
struct shape {
    const char *shader;
    uint32_t columns, planes; /* of an invocation: cells along x and z */
    uint32_t group[2];        /* invocations */
};

static struct shape shape_of(const struct vks_config *config)
{
    const double cells = (double)config->width * config->height * config->depth;
    if (config->width % 16 == 0 && cells / 4 <= config->limits.software.texels) {
        /* Few, wide accesses. */
        return (struct shape){"physarum_3d/field16_texels", 16, 16, {16, 1}};
    }
    /* Many planes save reads; many invocations hide latency, which matters more for small
     * fields. */
    return (struct shape){.shader =
                              config->width % 4 == 0 ? "physarum_3d/field4" : "physarum_3d/field",
                          .columns = config->width % 4 == 0 ? 4 : 1,
                          .planes = cells < 5e5   ? 1
                                    : cells < 4e6 ? 2
                                                  : 8,
                          .group = {32, 8}};
}

static void declare_field(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct physarum_3d_settings *s = config->settings;
    const struct physarum_3d_field params = field_of(config);
    const struct shape shape = shape_of(config);
    const double cells = (double)config->width * config->height * config->depth;
    const uint64_t layers = ((uint64_t)config->depth + shape.planes - 1) / shape.planes;
    VKS_PASS(declaration, .name = "field", .shader = shape.shader,
             .uses = VKS_USES({"trail", VKS_READ}, {"deposits", VKS_READ},
                              {s->has_food ? "food" : "trail", VKS_READ, "food"},
                              {"trace", VKS_READ_WRITE}, {"trail", VKS_WRITE_NEXT},
                              {"deposits", VKS_WRITE_NEXT}),
             .specializations = VKS_SPECIALIZATIONS({"fed", s->has_food}, {"planes", shape.planes}),
             VKS_PUSH(params), .items = {config->width / shape.columns, config->height * layers},
             .by_rows = true, .group = {shape.group[0], shape.group[1]},
             .bytes = (s->has_food ? 28 : 24) * cells, .operations = 20 * cells);
}

static void declare(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct physarum_3d_agents params = agents_of(config);
    const uint32_t every = interval_of(config);
    declare_state(config, declaration);
    declare_start(&params, declaration);
    if (every > 0) {
        declare_sorting(&params, every, declaration);
    }
    declare_agents(config, &params, declaration);
    declare_field(config, declaration);
}

static void declare_frame(const struct vks_config *config, struct vks_declaration *declaration)
{
    static const char *const names[] = {"trail", "trace"};
    for (size_t i = 0; config->watch && i < VKS_COUNT(names); i++) {
        vks_declare_mean(declaration, names[i], 0x1p20, names[i]);
        const char *range = vks_declaration_name(declaration, "%s.range", names[i]);
        vks_declare_range(declaration, names[i], range, VKS_EACH_FRAME);
        vks_declare_watch(declaration, range,
                          VKS_SCALARS({vks_declaration_name(declaration, "%s_min", names[i])},
                                      {vks_declaration_name(declaration, "%s_max", names[i])}));
    }
}

static enum vks_result check(const struct vks_config *config)
{
    if (config->depth == 1) {
        return vks_fail_option(VKS_ERROR_USAGE, "size",
                               "%ux%u is flat, and physarum-3d needs a volume: WIDTHxHEIGHTxDEPTH; "
                               "for a flat field there is physarum",
                               config->width, config->height);
    }
    return VKS_OK;
}

const struct vks_model vks_model_physarum_3d = {
    .name = "physarum-3d",
    .summary = "slime mould in a volume: webs between data points (Elek et al. 2022)",
    .options = {options, VKS_COUNT(options)},
    .settings_size = sizeof(struct physarum_3d_settings),
    .presets = presets,
    .views = VKS_VIEWS([PHYSARUM_3D_VIEW_TRACE] = {"trace", "trace", .help = "visits of agents"},
                       [PHYSARUM_3D_VIEW_TRAIL] = {"trail", "trail", .help = "the trail",
                                                   .look = "colormap=dusk normalize=frame"},
                       [PHYSARUM_3D_VIEW_POINTS] = {"points", .points = {"z", "y", "x"},
                                                    .help = "number of agents in each pixel",
                                                    .look = "colormap=ember tone=log gamma=1 "
                                                            "normalize=frame"}),
    .count_option = "agents",
    .density_option = "density",
    .shape_options = VKS_SHAPE_OPTIONS({"food", "given", {"food"}, .instead_of = "none"}),
    .brushes = VKS_BRUSHES(
        {"attract", "adds ten times the deposit of an agent to the trail", "removes trail",
         .effects = {{"trail", VKS_ADD(10), VKS_TO(0), .max = 1e30, .times = "deposit"}}},
        {"food", "moves food to the food-strength", "removes food", .needs = "food",
         .effects = {{"food", VKS_TO(1), VKS_TO(0), .max = 1e30, .times = "food-strength"}}}),
    .volumes = true,
    .parse = vks_physarum_3d_parse,
    .check = check,
    .check_files = vks_physarum_3d_check_files,
    .declare = declare,
    .declare_frame = declare_frame,
    .has_points = vks_physarum_3d_has_points,
    .tabulate = vks_physarum_3d_tabulate,
    .variants = variants,
    .candidates = list_candidates,
};
