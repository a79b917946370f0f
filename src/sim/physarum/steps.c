/* SPDX-License-Identifier: MIT */
/* The passes of a step: docs/sims/physarum-kernels.md, "Small counters" and "Agents by windows". */
#include <math.h>
#include <stdio.h>
#include <vksim/model.h>

#include "base/memory.h"
#include "graph/declare.h"
#include "sim/physarum/physarum.h"

/* --- variants -------------------------------------------------------------------------------- */

enum {
    FEW_AGENTS = 50000,   /* are cached anyway */
    MANY_AGENTS = 500000, /* keep a GPU busy with several agents per invocation */
    MAX_INTERVAL = 1000,  /* of sorting, in steps */
};

/* Whether the cache of a GPU can hold the field with its counts as words. */
static bool is_small(const struct vks_config *config)
{
    return (uint64_t)config->width * config->height <= UINT64_C(1) << 21;
}

const struct vks_variant_row vks_physarum_variants[] = {
    {.name = "unsorted",
     .help = "agents stay where they are in memory",
     .numbers = {0, PHYSARUM_UNSORTED}},
    {.name = "sorted-#-bytes",
     .help = "agents sorted every # steps, counted in bytes (large fields)",
     .numbers = {0, PHYSARUM_SORTED, true},
     .min = 1,
     .max = MAX_INTERVAL},
    {.name = "sorted-#-words",
     .help = "the same, counted in words (small fields)",
     .numbers = {0, PHYSARUM_SORTED, false},
     .min = 1,
     .max = MAX_INTERVAL},
    {.name = "joined",
     .help = "the field's pass and the next step's agents in one (few agents)",
     .numbers = {0, PHYSARUM_JOINED}},
    {.name = "together-#",
     .help = "up to # steps per dispatch, if the field fits one workgroup",
     .numbers = {0, PHYSARUM_TOGETHER},
     .min = 2,
     .max = 64},
    {.name = "software",
     .help = "for software drivers: unsorted",
     .numbers = {0, PHYSARUM_SOFTWARE}},
    {.name = "software-#",
     .help = "for software drivers: agents sorted every # steps",
     .numbers = {0, PHYSARUM_SOFTWARE},
     .min = 1,
     .max = MAX_INTERVAL},
    {0},
};

void vks_physarum_add(struct vks_candidates *candidates, uint32_t kind, uint32_t number, bool bytes)
{
    for (const struct vks_variant_row *row = vks_physarum_variants; row->name; row++) {
        if (row->numbers[PHYSARUM_KIND] == kind && row->numbers[PHYSARUM_BYTES] == bytes &&
            number >= row->min && number <= row->max) {
            const struct vks_variant variant = vks_variant_of(row, number);
            vks_candidate_add(candidates, &variant);
        }
    }
}

void vks_physarum_candidates(const struct vks_config *config, struct vks_candidates *candidates)
{
    const struct physarum_settings *s = config->settings;
    const bool few = s->agents < FEW_AGENTS, small = is_small(config);
    if (config->variant.name[0]) {
        return;
    }
    if (config->limits.software.driver) {
        vks_physarum_add(candidates, PHYSARUM_SOFTWARE, few ? 0 : 16, false);
        return;
    }
    /* Unsorted last: with many agents it may take all the time there is for measuring. */
    if (!few && small) {
        vks_physarum_add(candidates, PHYSARUM_SORTED, 64, false);
        vks_physarum_add(candidates, PHYSARUM_SORTED, 16, true);
    } else if (!few) {
        vks_physarum_add(candidates, PHYSARUM_SORTED, 16, true);
        vks_physarum_add(candidates, PHYSARUM_SORTED, 32, true);
    }
    vks_physarum_add(candidates, PHYSARUM_UNSORTED, 0, false);
    if (config->slab.count < 2) {
        vks_physarum_list_fused(config, candidates);
    }
    candidates->period = 64;
    candidates->warm_up = few ? 0 : 0.3; /* agents start in order, and no trails attract them yet */
    /* How fast agents leave their neighbours decides how often they should be sorted. */
    const struct physarum_point widest = vks_physarum_widest(s);
    snprintf(candidates->key, sizeof(candidates->key),
             "physarum %u%s%s%s%s %ux%u/%u %llu agents %s over %llu, steps of %.0f%s",
             vks_physarum_species(s), vks_physarum_has_form(s) ? " form" : "",
             s->lifetime > 0 ? " lifetime" : "",
             vks_physarum_curve(s) != PHYSARUM_LINEAR ? " curve" : "",
             vks_physarum_has_general_field(s) ? " surroundings" : "", config->width,
             config->height, config->slab.count > 1 ? config->slab.count : 1,
             (unsigned long long)s->agents, vks_physarum_samplings[s->sampling],
             (unsigned long long)s->diffuse_size, ceil(widest.step_size.base),
             widest.jitter > 0 ? " with jitter" : "");
}

static uint32_t kind_of(const struct vks_config *config)
{
    return config->variant.numbers[PHYSARUM_KIND];
}

/* Steps between two sorts; 0: never. */
static uint32_t interval_of(const struct vks_config *config)
{
    return config->variant.numbers[PHYSARUM_NUMBER];
}

/* Whether shaders read fields as texel buffers, which makes them faster on some software drivers.
 */
static bool has_texels(const struct vks_config *config)
{
    const struct physarum_settings *s = config->settings;
    const uint32_t texels = config->limits.software.texels;
    return kind_of(config) == PHYSARUM_SOFTWARE &&
           (uint64_t)config->width * config->height <= texels && s->agents <= texels;
}

/* Whether counts are bytes rather than words. Bytes make the pass of a large field faster, because
 * they are less memory traffic. Additions to bytes are slower, because each waits for its result.
 */
static bool has_bytes(const struct vks_config *config)
{
    return config->variant.numbers[PHYSARUM_BYTES];
}

/* --- the field ------------------------------------------------------------------------------- */

/* A block, whose spilled counts are marked together, is what this many neighbouring invocations of
 * the field's pass compute, so that all of a subgroup take the same path. */
enum { BLOCK_LANES = 32 };

/* How an invocation and a workgroup of the field's pass divide the field: powers of two. */
struct shape {
    uint32_t columns, rows; /* of an invocation: cells */
    uint32_t group[2];      /* invocations */
};

static struct shape shape_of(const struct vks_config *config)
{
    const double cells = (double)config->width * config->height;
    if (kind_of(config) == PHYSARUM_SOFTWARE && config->width % 16 == 0 &&
        !vks_physarum_has_general_field(config->settings)) {
        /* Few, wide accesses. */
        return (struct shape){.columns = 16, .rows = 16, .group = {64, 1}};
    }
    /* Long columns save reads; many invocations hide latency, which matters more for small
     * fields. */
    return (struct shape){.columns = config->width % 4 == 0 ? 4 : 1,
                          .rows = cells < 5e5   ? 1
                                  : cells < 4e6 ? 2
                                                : 4,
                          .group = {128, 2}};
}

void vks_physarum_set_blocks(const struct vks_config *config, struct physarum_params *params)
{
    const struct shape shape = shape_of(config);
    params->block_columns_bits = vks_exponent(shape.columns * BLOCK_LANES);
    params->block_rows_bits = vks_exponent(shape.rows);
    params->blocks = ((config->width - 1) >> params->block_columns_bits) + 1;
}

/* What a pass of the field computes: the trails of all species, or that of food, to which no agents
 * add. */
struct trail_pass {
    const char *trail; /* field */
    const char *name, *rows, *columns;
    uint32_t planes;
    bool counted; /* agents add to it */
    uint32_t eaters;
};

enum { MAX_USES = 24, DEPOSIT_MAP = 5, DIFFUSE_MAP, DECAY_MAP };

/* Uses of a pass of the field, a list in the making. */
struct use_list {
    struct vks_use uses[MAX_USES + 1];
    size_t count;
};

static void use(struct use_list *list, const char *field, unsigned access, const char *as)
{
    list->uses[list->count++] = (struct vks_use){field, access, as};
}

/* Adds what passes of the field read of the trail with its deposits. */
static void use_trail(const struct physarum_settings *s, const struct trail_pass *pass,
                      struct use_list *list)
{
    use(list, pass->trail, VKS_READ, "trail");
    use(list, "deposits", VKS_READ, NULL);
    use(list, "spill", VKS_READ, NULL);
    use(list, "spill_marks", VKS_READ, NULL);
    if (!vks_physarum_has_general_field(s)) {
        use(list, vks_physarum_species(s) > 1 ? "parameters" : "spill_marks", VKS_READ,
            "parameters");
        return;
    }
    use(list, "parameters", VKS_READ, NULL);
    use(list, vks_physarum_has_food(s) ? "food" : "blend_shares", VKS_READ, "food");
    use(list, vks_physarum_map_field(s, DEPOSIT_MAP), VKS_READ, "map_deposit");
}

/* Adds what the last pass reads besides, and writes. */
static void use_next(const struct physarum_settings *s, const struct trail_pass *pass,
                     struct use_list *list)
{
    if (vks_physarum_has_general_field(s)) {
        if (s->diffuse_size <= 3) { /* larger squares exclude walls */
            use(list, vks_physarum_has_walls(s) ? "walls" : "parameters", VKS_READ, "walls");
            use(list, vks_physarum_has_walls(s) ? "wall_blocks" : "parameters", VKS_READ,
                "wall_blocks");
        }
        use(list, vks_physarum_map_field(s, DIFFUSE_MAP), VKS_READ, "map_diffuse");
        use(list, vks_physarum_map_field(s, DECAY_MAP), VKS_READ, "map_decay");
    }
    use(list, pass->trail, VKS_WRITE_NEXT, "trail");
    if (pass->counted) {
        use(list, "deposits", VKS_WRITE_NEXT, NULL);
        use(list, "spill", VKS_WRITE_NEXT, NULL);
    } else {
        use(list, "unused_counts", VKS_WRITE, "deposits_next");
        use(list, "unused_counts", VKS_WRITE, "spill_next");
    }
    if (pass->eaters > 0) {
        use(list, "food", VKS_WRITE_NEXT, NULL);
    } else if (vks_physarum_has_general_field(s)) {
        use(list, "unused", VKS_WRITE, "food_next");
    }
}

/* Bytes of the counts of a cell. */
static double count_bytes(const struct vks_config *config)
{
    return has_bytes(config) ? 1 : 4;
}

/* Whether food adds to this trail. */
static bool is_fed(const struct physarum_settings *s, const struct trail_pass *pass)
{
    return vks_physarum_has_food(s) && (vks_physarum_species(s) == 1 || !pass->counted);
}

/* Cells of all planes of a pass. */
static double cells_of(const struct vks_config *config, const struct trail_pass *pass)
{
    return (double)config->width * config->height * pass->planes;
}

/* Minimum memory traffic of one of these cells. */
static double bytes_of(const struct vks_config *config, const struct trail_pass *pass)
{
    const struct physarum_settings *s = config->settings;
    double bytes = 8 + (pass->counted ? 2 * count_bytes(config) : 0);
    bytes += is_fed(s, pass) ? 4 : 0;
    bytes += pass->eaters > 0 ? 4 + (pass->counted ? 0 : pass->eaters * count_bytes(config)) : 0;
    bytes += vks_physarum_has_walls(s) ? 0.125 : 0;
    for (uint32_t map = PHYSARUM_MAP_DEPOSIT; map <= PHYSARUM_MAP_DECAY; map *= 2) {
        bytes += (vks_physarum_maps(s) & map) != 0 ? 4 : 0;
    }
    return bytes;
}

/* Whether the ends of the whole field, which do not read each other, are neighbours in a rank's. */
static bool has_seam(const struct vks_config *config)
{
    const struct physarum_settings *s = config->settings;
    return config->slab.count > 1 && s->boundary == PHYSARUM_ZERO;
}

/* Specialization constants of all passes of the field, then `ours`. */
#define OF_FIELD(config, pass, ...)                                                    \
    (vks_physarum_has_general_field((config)->settings)                                \
         ? VKS_SPECIALIZATIONS(OF_TRAIL(config, pass), {"maps", vks_physarum_maps(s)}, \
                               {"fed", is_fed(s, pass)}, {"counted", (pass)->counted}, \
                               __VA_ARGS__)                                            \
         : VKS_SPECIALIZATIONS(OF_TRAIL(config, pass), __VA_ARGS__))
#define OF_TRAIL(config, pass)                                                           \
    {"boundary", s->boundary}, {"bytes", has_bytes(config)}, {"planes", (pass)->planes}, \
    {                                                                                    \
        "curve", vks_physarum_curve(s)                                                   \
    }

static void declare_small_square(const struct vks_config *config,
                                 const struct physarum_params *params,
                                 const struct trail_pass *pass, struct vks_declaration *declaration)
{
    const struct physarum_settings *s = config->settings;
    const bool general = vks_physarum_has_general_field(s), blurs = s->diffuse_size > 1;
    const double cells = cells_of(config, pass);
    const struct shape shape = shape_of(config);
    const uint64_t lines = (config->height + shape.rows - 1) / shape.rows; /* of a plane */
    struct use_list list = {0};
    use_trail(s, pass, &list);
    use_next(s, pass, &list);
    VKS_PASS(declaration, .name = pass->name,
             .shader = shape.columns == 1 ? general ? "physarum/field_general" : "physarum/field"
                       : shape.columns == 4
                           ? general ? "physarum/field4_general" : "physarum/field4"
                       : has_texels(config) ? "physarum/field16_texels"
                                            : "physarum/field16",
             .uses = list.uses,
             .specializations =
                 general ? OF_FIELD(config, pass, {"blurs", blurs}, {"rows", shape.rows},
                                    {"seamed", has_seam(config)},
                                    {"walled", vks_physarum_has_walls(s)}, {"eaters", pass->eaters})
                         : OF_FIELD(config, pass, {"blurs", blurs}, {"rows", shape.rows},
                                    {"seamed", has_seam(config)}),
             VKS_PUSH(*params),
             .items = {config->width / shape.columns,
                       pass->planes > 1 ? pass->planes * lines * shape.rows : config->height},
             .group = {shape.group[0], shape.group[1]},
             .per_group = {shape.group[0], shape.group[1] * shape.rows},
             .bytes = bytes_of(config, pass) * cells, .operations = 15 * cells);
}

static void declare_large_square(const struct vks_config *config,
                                 const struct physarum_params *params,
                                 const struct trail_pass *pass, struct vks_declaration *declaration)
{
    const struct physarum_settings *s = config->settings;
    const bool general = vks_physarum_has_general_field(s), fours = config->width % 4 == 0;
    enum { ROWS = 4 }; /* of an invocation of the columns */
    const uint64_t height = (uint64_t)pass->planes * config->height;
    const uint64_t lines = (config->height + ROWS - 1) / ROWS; /* of a plane */
    const double cells = cells_of(config, pass);
    struct use_list rows = {0}, columns = {0};
    use_trail(s, pass, &rows);
    use(&rows, "row_sums", VKS_WRITE, NULL);
    VKS_PASS(declaration, .name = pass->rows,
             .shader = vks_declaration_name(declaration, "physarum/rows%s%s", fours ? "4" : "",
                                            general ? "_general" : ""),
             .uses = rows.uses, .specializations = OF_FIELD(config, pass, {NULL}),
             VKS_PUSH(*params), .items = {(config->width + 3) / 4, height}, .group = {64, 4},
             .shared_bytes = 5280, .bytes = bytes_of(config, pass) * cells,
             .operations = 3 * cells * (double)s->diffuse_size);
    use_trail(s, pass, &columns);
    use(&columns, "row_sums", VKS_READ, NULL);
    use_next(s, pass, &columns);
    VKS_PASS(declaration, .name = pass->columns,
             .shader = vks_declaration_name(declaration, "physarum/columns%s%s", fours ? "4" : "",
                                            general ? "_general" : ""),
             .uses = columns.uses,
             .specializations = general ? OF_FIELD(config, pass, {"seamed", has_seam(config)},
                                                   {"eaters", pass->eaters})
                                        : OF_FIELD(config, pass, {"seamed", has_seam(config)}),
             VKS_PUSH(*params),
             .items = {config->width / (fours ? 4 : 1), pass->planes * lines * ROWS},
             .group = {64, 4}, .per_group = {64, 4 * ROWS},
             .bytes = (4 + bytes_of(config, pass)) * cells,
             .operations = cells * ((double)s->diffuse_size + 8));
}

/* Declares the passes of the field, and the fields that only they use. */
static void declare_field_passes(const struct vks_config *config,
                                 const struct physarum_params *params,
                                 struct vks_declaration *declaration)
{
    const struct physarum_settings *s = config->settings;
    const uint32_t species = vks_physarum_species(s);
    const bool eaten = vks_physarum_has_food(s) && s->food_eaten > 0;
    const bool has_food_trail = vks_physarum_has_food_trail(s);
    /* Agents of all species eat before their own pass clears the counts. */
    const struct trail_pass passes[] = {
        {.trail = "food_trail",
         .name = "food",
         .rows = "rows of food",
         .columns = "columns of food",
         .planes = 1,
         .eaters = eaten ? species : 0},
        {.trail = "trail",
         .name = "field",
         .rows = "rows",
         .columns = "columns",
         .planes = species,
         .counted = true,
         .eaters = eaten && species == 1 ? 1 : 0},
    };
    if (vks_physarum_has_general_field(s)) {
        VKS_FIELD(declaration, .name = "unused", .element = VKS_F32, .rank = 1, .shape = {4});
    }
    if (has_food_trail) {
        VKS_FIELD(declaration, .name = "unused_counts", .element = VKS_U32, .rank = 1,
                  .shape = {4});
    }
    const bool small = s->diffuse_size <= 3; /* larger squares are summed in two passes */
    if (!small) {
        VKS_FIELD(declaration, .name = "row_sums", .element = VKS_F32, .rank = 2,
                  .shape = {(uint64_t)species * config->height, config->width});
    }
    for (size_t i = has_food_trail ? 0 : 1; i < VKS_COUNT(passes); i++) {
        (small ? declare_small_square : declare_large_square)(config, params, &passes[i],
                                                              declaration);
    }
}

/* --- agents ---------------------------------------------------------------------------------- */

/* Sorts the agents by tile at an interval of steps, so that neighbours are close in memory. */
static void declare_sorting(const struct vks_config *config, struct physarum_params params,
                            struct vks_declaration *declaration)
{
    const struct physarum_settings *settings = config->settings;
    const uint32_t every = interval_of(config);
    const uint32_t species = vks_physarum_species(settings);
    const uint64_t rows = (params.height + PHYSARUM_TILE - 1) / PHYSARUM_TILE;
    const uint64_t columns = (params.width + PHYSARUM_TILE - 1) / PHYSARUM_TILE;
    const uint64_t shorter = rows < columns ? rows : columns;
    const uint64_t longer = rows < columns ? columns : rows;
    while (UINT64_C(1) << params.curve_bits < shorter) {
        params.curve_bits++;
    }
    const uint64_t squares = ((longer - 1) >> params.curve_bits) + 1;
    const uint64_t tiles = squares << 2 * params.curve_bits;
    const uint64_t groups = (tiles + PHYSARUM_GROUP - 1) / PHYSARUM_GROUP;
    const uint64_t bins = species > 1 ? groups * PHYSARUM_GROUP * species : tiles;
    VKS_FIELD(declaration, .name = "tile", .element = VKS_U32, .rank = 1, .shape = {params.agents});
    const struct vks_sorting sorting = {
        .items = "agents", .key = "tile", .bins = bins, .every = every, .counted = true};
    vks_declare_ranks(declaration, &sorting);
    VKS_PASS(declaration, .name = "tile",
             .shader = vks_physarum_shader(config, declaration, "physarum/tile"), .every = every,
             .uses = VKS_USES({"position", VKS_READ}, {"tile", VKS_WRITE},
                              {"agents.counts", VKS_ATOMIC, "counts"},
                              {"agents.slots", VKS_WRITE, "slots"},
                              {vks_physarum_species_field(settings), VKS_READ, "species"},
                              {vks_physarum_alive(config), VKS_READ}),
             .specializations = VKS_SPECIALIZATIONS(
                 {"one_by_one", declaration->software.one_by_one}, {"kinds", species}),
             VKS_PUSH(params), .items = {params.agents}, .bytes = 16 * (double)params.agents);
    vks_declare_sorting(declaration, &sorting);
}

bool vks_physarum_is_near(const struct physarum_params *params)
{
    const float max = 0x1p31f * 0.99f;
    return params->sensor_x < max && params->sensor_y < max && params->move_x < max &&
           params->move_y < max;
}

/* n if the side is 2^(32 - n) cells, so that a shift finds the cell of a position; else 0. */
static uint32_t cell_shift(uint32_t side)
{
    return side > 1 && (side & (side - 1)) == 0 ? 32 - vks_exponent(side) : 0;
}

double vks_physarum_agent_bytes(const struct physarum_settings *settings)
{
    const double sensed = settings->sampling == PHYSARUM_BILINEAR ? 48 : 12;
    const double read_near = vks_physarum_has_form(settings) ? 4 : 0;
    const double shares = vks_physarum_blend(settings) == PHYSARUM_BLEND_MAP ? 4 : 0;
    const uint32_t species = vks_physarum_species(settings);
    const uint32_t trails = species + (vks_physarum_has_food_trail(settings) ? 1 : 0);
    double factors = 0; /* of maps */
    for (uint32_t map = 1; map < PHYSARUM_MAP_DEPOSIT; map *= 2) {
        factors += (vks_physarum_maps(settings) & map) != 0 ? 4 : 0;
    }
    const double words = species == 1 ? 0 : settings->infection == PHYSARUM_NO_INFECTION ? 4 : 8;
    return (24 + sensed * trails + read_near + shares + factors + words) * (double)settings->agents;
}

/* Of the agents' pass. */
static double agent_operations(const struct physarum_settings *settings)
{
    const double looking = 50.0 * (vks_physarum_species(settings) - 1);
    return ((vks_physarum_has_form(settings) ? 240 : 110) + looking) * (double)settings->agents;
}

/* Specialization constants of agents' passes: those that all have, those of general
 * shaders, and the others. */
#define OF_AGENTS(s, params, ...)                                                        \
    (vks_physarum_is_general(s)                                                          \
         ? VKS_SPECIALIZATIONS(                                                          \
               OF_ALL(s, params), {"form", vks_physarum_has_form(s)},                    \
               {"blend", vks_physarum_blend(s)}, {"restarts", (s)->lifetime > 0},        \
               {"kinds", vks_physarum_species(s)},                                       \
               {"infection",                                                             \
                vks_physarum_species(s) > 1 ? (s)->infection : PHYSARUM_NO_INFECTION},   \
               {"walled", vks_physarum_has_walls(s)}, {"sight", vks_physarum_sight(s)},  \
               {"substeps", vks_physarum_substeps(s)}, {"at_wall", (s)->at_wall},        \
               {"fed", vks_physarum_has_food_trail(s)},                                  \
               {"maps", vks_physarum_maps(s) & (PHYSARUM_MAP_DEPOSIT - 1)}, __VA_ARGS__) \
         : VKS_SPECIALIZATIONS(OF_ALL(s, params), __VA_ARGS__))
#define OF_ALL(s, params)                                                                         \
    {"sampling", (s)->sampling}, {"steering", (s)->steering}, {"jittered", (params)->jitter > 0}, \
    {                                                                                             \
        "near", vks_physarum_is_near(params)                                                      \
    }

/* Adds the fields that only general shaders use. */
static void use_general(const struct physarum_settings *s, struct use_list *list)
{
    static const char *const maps[] = {"map_sensor_distance", "map_sensor_angle", "map_turn_angle",
                                       "map_step_size", "map_jitter"};
    const bool walls = vks_physarum_has_walls(s);
    if (!vks_physarum_is_general(s)) {
        return;
    }
    use(list, "parameters", VKS_READ, NULL);
    use(list, "blend_shares", VKS_READ, NULL);
    use(list, vks_physarum_species_field(s), VKS_READ_WRITE, "species");
    use(list, walls ? "walls" : "parameters", VKS_READ, "walls");
    use(list, walls ? "wall_blocks" : "parameters", VKS_READ, "wall_blocks");
    use(list, walls ? "open_cell" : "position", VKS_READ, "open_cell");
    use(list, vks_physarum_has_food_trail(s) ? "food_trail" : "blend_shares", VKS_READ,
        "food_trail");
    for (uint32_t i = 0; i < VKS_COUNT(maps); i++) {
        use(list, vks_physarum_map_field(s, i), VKS_READ, maps[i]);
    }
}

static void declare_direct_agents(const struct vks_config *config,
                                  const struct physarum_params *params,
                                  struct vks_declaration *declaration)
{
    const struct physarum_settings *s = config->settings;
    const bool ranks = config->slab.count > 1; /* which number the agents */
    const bool general = vks_physarum_is_general(s), sorted = ranks || interval_of(config) > 0;
    const bool texels = has_texels(config) && !general && !ranks;
    struct use_list list = {0};
    use(&list, "trail", VKS_READ, NULL);
    use(&list, "position", texels ? VKS_WRITE : VKS_READ_WRITE, NULL);
    use(&list, "heading", texels ? VKS_WRITE : VKS_READ_WRITE, NULL);
    use(&list, "deposits", VKS_ATOMIC, NULL);
    if (sorted) {
        use(&list, "agents_number", VKS_READ, NULL);
    }
    if (ranks) {
        use(&list, "agents_alive", VKS_READ, NULL);
    }
    if (texels) {
        use(&list, "position", VKS_READ, "position_before");
        use(&list, "heading", VKS_READ, "heading_before");
    }
    use_general(s, &list);
    VKS_PASS(declaration, .name = "agents",
             .shader = vks_physarum_shader(config, declaration,
                                           vks_declaration_name(declaration, "physarum/agents%s%s",
                                                                sorted ? "_sorted" : "",
                                                                general  ? "_general"
                                                                : texels ? "_texels"
                                                                         : "")),
             .uses = list.uses, .specializations = OF_AGENTS(s, params, {NULL}), VKS_PUSH(*params),
             .items = {params->agents},
             .bytes = vks_physarum_agent_bytes(s) + 8 * (double)s->agents,
             .operations = agent_operations(s), .atomics = (double)s->agents);
}

/* How a workgroup of agents by windows divides its work. */
struct windows {
    uint32_t lanes;    /* invocations */
    uint32_t per_lane; /* agents */
    uint32_t words;    /* of four cells, per invocation */
    uint32_t row;      /* words per row */
};

static struct windows windows_of(const struct vks_config *config)
{
    const struct physarum_settings *s = config->settings;
    if (s->agents < MANY_AGENTS) {
        return (struct windows){.lanes = 256, .per_lane = 1, .words = 1, .row = 8};
    }
    const uint32_t species = vks_physarum_species(s);
    const uint32_t per_lane = species > 2 ? 1 : species > 1 ? 2 : 4;
    if (has_bytes(config)) {
        return (struct windows){.lanes = 256, .per_lane = per_lane, .words = 4, .row = 16};
    }
    return (struct windows){.lanes = 128, .per_lane = per_lane, .words = 4, .row = 8};
}

static void declare_agents_by_windows(const struct vks_config *config,
                                      const struct physarum_params *params,
                                      struct vks_declaration *declaration)
{
    const struct physarum_settings *s = config->settings;
    const struct windows windows = windows_of(config);
    struct use_list list = {.uses = {{"trail", VKS_READ},
                                     {"position", VKS_READ_WRITE},
                                     {"heading", VKS_READ_WRITE},
                                     {"deposits", VKS_ATOMIC},
                                     {"spill", VKS_ATOMIC},
                                     {"spill_marks", VKS_ATOMIC},
                                     {"agents_number", VKS_READ}},
                            .count = 7};
    if (config->slab.count > 1) {
        use(&list, "agents_alive", VKS_READ, NULL);
    }
    use_general(s, &list);
    VKS_PASS(
        declaration, .name = "agents",
        .shader = vks_physarum_shader(config, declaration,
                                      !vks_physarum_is_general(s) ? "physarum/agents_windows"
                                      : windows.per_lane == 4     ? "physarum/agents_pairs_general"
                                                              : "physarum/agents_windows_general"),
        .uses = list.uses,
        .specializations = OF_AGENTS(
            s, params, {"bytes", has_bytes(config)}, {"per_lane", windows.per_lane},
            {"window_words", windows.words}, {"row_words", windows.row},
            {"row_shift", cell_shift(params->side)}, {"column_shift", cell_shift(config->width)}),
        .shared_bytes =
            4 * windows.words * windows.lanes + 64 + (vks_physarum_is_general(s) ? 4 : 0),
        VKS_PUSH(*params), .items = {params->agents}, .group = {windows.lanes, 1},
        .per_group = {windows.lanes * windows.per_lane, 1}, .bytes = vks_physarum_agent_bytes(s),
        .operations = agent_operations(s));
}

void vks_physarum_declare_steps(const struct vks_config *config,
                                const struct physarum_params *params,
                                struct vks_declaration *declaration)
{
    if (vks_physarum_declare_fused(config, params, declaration)) {
        return;
    }
    const uint32_t interval = interval_of(config);
    const bool bytes = has_bytes(config);
    const uint32_t species = vks_physarum_species(config->settings);
    const uint64_t height = (uint64_t)species * config->height; /* of all planes */
    const uint64_t blocks = (uint64_t)params->blocks * species *
                            (((config->height - 1) >> params->block_rows_bits) + 1);
    VKS_FIELD(declaration, .name = "deposits", .element = VKS_U32, .rank = 2,
              .shape = {height, bytes ? (config->width + 3) / 4 : config->width},
              .ping_pong = true);
    /* Without bytes these two are not used. */
    VKS_FIELD(declaration, .name = "spill", .element = VKS_U32, .rank = 1,
              .shape = {bytes ? config->width * height : 4}, .ping_pong = true);
    VKS_FIELD(declaration, .name = "spill_marks", .element = VKS_U32, .rank = 1,
              .shape = {bytes ? 2 * blocks : 2});
    if (interval > 0) {
        declare_sorting(config, *params, declaration);
    }
    if (kind_of(config) == PHYSARUM_SORTED) {
        declare_agents_by_windows(config, params, declaration);
    } else {
        declare_direct_agents(config, params, declaration);
    }
    declare_field_passes(config, params, declaration);
}
