/* SPDX-License-Identifier: MIT */
/* The passes of a step: docs/architecture.md, "Small counters" and "Agents by windows". */
#include <stdio.h>
#include <stdlib.h>

#include "sim/physarum/physarum.h"

static uint32_t try_number(const char *name, uint32_t number)
{
    const char *text = getenv(name);
    return text ? (uint32_t)strtoul(text, NULL, 10) : number;
}

/* --- variants -------------------------------------------------------------------------------- */

enum { FEW_AGENTS = 300000 };

/* With few agents, everything is cached anyway. */
void vks_physarum_variants(const struct vks_config *config, struct vks_variants *variants)
{
    static const char *const names[] = {"unsorted", "sort-64", "sort-16", NULL};
    const struct physarum_settings *s = config->settings;
    variants->count = 0;
    if (s->agents < FEW_AGENTS) {
        return;
    }
    vks_sort_list(&s->sorting, names, variants);
    snprintf(variants->key, sizeof(variants->key), "physarum %ux%u %llu agents %s", config->width,
             config->height, (unsigned long long)s->agents, vks_physarum_samplings[s->sampling]);
}

/* Whether counts are bytes rather than words, which are faster where agents add one by one. */
static bool uses_bytes(const struct vks_config *config)
{
    const struct physarum_settings *s = config->settings;
    const bool windows = vks_sort_every(&s->sorting, config->variant) > 0;
    return try_number("VKSIM_TRY_BYTES", windows || config->limits.software);
}

/* --- the field ------------------------------------------------------------------------------- */

/* How an invocation and a workgroup of the field's pass divide the field. */
struct shape {
    uint32_t columns, rows; /* of an invocation: cells */
    uint32_t group[2];      /* invocations */
};

static struct shape shape_of(const struct vks_config *config)
{
    const double cells = (double)config->width * config->height;
    /* Long columns save reads; many invocations hide latency, which matters more for small
     * fields. */
    struct shape shape = {.columns = config->width % 4 == 0 ? 4 : 1,
                          .rows = cells < 5e5 ? 1 : cells < 6e7 ? 2 : 16,
                          .group = {128, 2}};
    if (config->limits.software) { /* few and wide accesses, each row read about once */
        shape = (struct shape){.columns = 16, .rows = 16, .group = {64, 1}};
        while (shape.columns > 1 && config->width % shape.columns != 0) {
            shape.columns = shape.columns == 4 ? 1 : shape.columns / 2;
        }
    }
    const char *try = getenv("VKSIM_TRY_FIELD");
    if (try && config->width % 16 == 0) {
        sscanf(try, "%u,%u,%u,%u", &shape.columns, &shape.rows, &shape.group[0], &shape.group[1]);
    }
    return shape;
}

/* Larger squares are summed in two passes, and the field is one block. */
static bool is_one_block(const struct vks_config *config)
{
    return ((const struct physarum_settings *)config->settings)->diffuse_size > 3;
}

/* The exponent of a power of two. */
static uint32_t bits_of(uint32_t power)
{
    uint32_t bits = 0;
    while (power >> (bits + 1) > 0) {
        bits++;
    }
    return bits;
}

void vks_physarum_set_blocks(const struct vks_config *config, struct physarum_params *params)
{
    const struct shape shape = shape_of(config);
    const bool one = is_one_block(config);
    params->block_columns_bits = one ? 31 : bits_of(shape.columns * shape.group[0]);
    params->block_rows_bits = one ? 31 : bits_of(shape.rows * shape.group[1]);
    params->blocks = ((config->width - 1) >> params->block_columns_bits) + 1;
}

static void declare_small_square(const struct vks_config *config,
                                 const struct physarum_params *params,
                                 struct vks_declaration *declaration)
{
    const struct physarum_settings *s = config->settings;
    const double cells = (double)config->width * config->height;
    const struct shape shape = shape_of(config);
    const char *shader = shape.columns == 1 ? "physarum/field"
                                            : vks_declaration_name(declaration, "physarum/field%u%s",
                                                                   shape.columns, try_number("VKSIM_TRY_AHEAD", 0) == 2 ? "s" : "");
    VKS_PASS(declaration, .name = "field", .shader = shader, .subgroup = try_number("VKSIM_TRY_AHEAD", 0) == 2 ? config->limits.subgroup : 0,
             .feature = try_number("VKSIM_TRY_AHEAD", 0) == 2 ? VKS_FEATURE_SUBGROUP_SHUFFLES : VKS_FEATURE_NONE,
             .uses = VKS_USES({"trail", VKS_READ}, {"deposits", VKS_READ}, {"spill", VKS_READ},
                              {"spill_marks", VKS_READ}, {"trail", VKS_WRITE_NEXT},
                              {"deposits", VKS_WRITE_NEXT}, {"spill", VKS_WRITE_NEXT}),
             .specializations =
                 VKS_SPECIALIZATIONS({"boundary", s->boundary}, {"bytes", uses_bytes(config)}, {"rows", shape.rows}, {try_number("VKSIM_TRY_AHEAD", 0) == 2 ? "lanes" : NULL, config->limits.subgroup}),
             VKS_PUSH(*params), .items = {config->width / shape.columns, config->height},
             .group = {shape.group[0], shape.group[1]},
             .per_group = {shape.group[0], shape.group[1] * shape.rows}, .bytes = 10 * cells,
             .operations = 15 * cells);
}

static void declare_large_square(const struct vks_config *config,
                                 const struct physarum_params *params,
                                 struct vks_declaration *declaration)
{
    const struct physarum_settings *s = config->settings;
    const double cells = (double)config->width * config->height;
    VKS_FIELD(declaration, .name = "row_sums", .element = VKS_F32);
    VKS_PASS(declaration, .name = "rows", .shader = "physarum/rows",
             .uses = VKS_USES({"trail", VKS_READ}, {"deposits", VKS_READ}, {"spill", VKS_READ},
                              {"spill_marks", VKS_READ}, {"row_sums", VKS_WRITE}),
             .specializations = VKS_SPECIALIZATIONS({"boundary", s->boundary}, {"bytes", uses_bytes(config)}), VKS_PUSH(*params),
             .group = {64, 4}, .bytes = 9 * cells,
             .operations = 3 * cells * (double)s->diffuse_size);
    VKS_PASS(declaration, .name = "columns", .shader = "physarum/columns",
             .uses = VKS_USES({"trail", VKS_READ}, {"deposits", VKS_READ}, {"spill", VKS_READ},
                              {"spill_marks", VKS_READ}, {"row_sums", VKS_READ},
                              {"trail", VKS_WRITE_NEXT}, {"deposits", VKS_WRITE_NEXT},
                              {"spill", VKS_WRITE_NEXT}),
             .specializations = VKS_SPECIALIZATIONS({"boundary", s->boundary}, {"bytes", uses_bytes(config)}), VKS_PUSH(*params),
             .group = {64, 4}, .bytes = 14 * cells,
             .operations = cells * ((double)s->diffuse_size + 8));
}

/* --- agents ---------------------------------------------------------------------------------- */

/* Sorts the agents by tile at an interval of steps, so that neighbours are close in memory. */
static void declare_sorting(struct physarum_params params, uint32_t every,
                            struct vks_declaration *declaration)
{
    const uint32_t tile = try_number("VKSIM_TRY_TILE", PHYSARUM_TILE);
    const uint32_t order = try_number("VKSIM_TRY_ORDER", 2);
    const uint64_t rows = (params.height + tile - 1) / tile;
    const uint64_t columns = (params.width + tile - 1) / tile;
    const uint64_t shorter = rows < columns ? rows : columns;
    const uint64_t longer = rows < columns ? columns : rows;
    while (UINT64_C(1) << params.curve_bits < shorter) {
        params.curve_bits++;
    }
    const uint64_t squares = ((longer - 1) >> params.curve_bits) + 1;
    VKS_FIELD(declaration, .name = "tile", .element = VKS_U32, .rank = 1, .shape = {params.agents});
    VKS_PASS(declaration, .name = "tile", .shader = "physarum/tile", .every = every,
             .specializations = VKS_SPECIALIZATIONS({"order", order}, {"side", tile}),
             .uses = VKS_USES({"position", VKS_READ}, {"tile", VKS_WRITE}), VKS_PUSH(params),
             .items = {params.agents}, .bytes = 12 * (double)params.agents);
    vks_declare_sorting(declaration,
                        &(struct vks_sorting){.items = "agents",
                                              .key = "tile",
                                              .bins = squares << 2 * params.curve_bits,
                                              .every = every});
}

/* Whether no distance, times a sine that may be rounded to a little over 1, is half a side. */
static bool is_near(const struct physarum_params *params)
{
    const float max = 0x1p31f * 0.99f;
    return try_number("VKSIM_TRY_NEAR", 1) && params->sensor_x < max && params->sensor_y < max &&
           params->move_x < max && params->move_y < max;
}

struct window {
    uint32_t lanes, per_lane, words, rows;
};

static void declare_windows(const struct vks_config *config, const struct physarum_params *params, const struct physarum_settings *s,
                            double bytes, struct vks_declaration *declaration)
{
    struct window window = {256, 4, 17, 68};
    const char *try = getenv("VKSIM_TRY_WINDOW");
    if (try) {
        sscanf(try, "%u,%u,%u,%u", &window.lanes, &window.per_lane, &window.words, &window.rows);
    }
    if (window.lanes == 0) {
        VKS_PASS(declaration, .name = "agents", .shader = "physarum/agents_sorted",
             .uses = VKS_USES({"trail", VKS_READ}, {"position", VKS_READ_WRITE},
                              {"heading", VKS_READ_WRITE}, {"deposits", VKS_ATOMIC},
                              {"spill", VKS_ATOMIC}, {"spill_marks", VKS_ATOMIC},
                              {"agents_number", VKS_READ}),
             .specializations = VKS_SPECIALIZATIONS(
                 {"sampling", s->sampling}, {"steering", s->steering},
                 {"jittered", params->jitter > 0}, {"near", is_near(params)}, {"bytes", uses_bytes(config)}, {"lazy", try_number("VKSIM_TRY_LAZY", 0)}, {"skip", try_number("VKSIM_TRY_SKIP", 0)}),
             VKS_PUSH(*params), .items = {s->agents}, .bytes = bytes,
             .operations = 150 * (double)s->agents, .atomics = (double)s->agents);
        return;
    }
    VKS_PASS(declaration, .name = "agents", .shader = vks_declaration_name(declaration, "physarum/agents_%s%s", try_number("VKSIM_TRY_WIDE", 0) ? "wide" : "windows", try_number("VKSIM_TRY_FOUR", 0) ? "4" : ""),
             .uses = VKS_USES({"trail", VKS_READ}, {"position", VKS_READ_WRITE},
                              {"heading", VKS_READ_WRITE}, {"deposits", VKS_ATOMIC},
                              {"spill", VKS_ATOMIC}, {"spill_marks", VKS_ATOMIC},
                              {"agents_number", VKS_READ}),
             .specializations = VKS_SPECIALIZATIONS(
                 {"sampling", s->sampling}, {"steering", s->steering},
                 {"jittered", params->jitter > 0}, {"near", is_near(params)}, {"bytes", uses_bytes(config)}, {"per_lane", window.per_lane},
                 {"prefetch", try_number("VKSIM_TRY_PREFETCH", 1)}, {"run", try_number("VKSIM_TRY_RUN", 32)}, {"merge", try_number("VKSIM_TRY_MERGE", 0)}, {"spread", try_number("VKSIM_TRY_SPREAD", 0)}, {"window_words", window.words}, {"window_rows", window.rows},
                 {"lazy", try_number("VKSIM_TRY_LAZY", 0)}, {"skip", try_number("VKSIM_TRY_SKIP", 0)}),
             .shared_bytes = (try_number("VKSIM_TRY_WIDE", 0) ? 16 : 4) * window.words * window.rows + 64, VKS_PUSH(*params),
             .items = {s->agents}, .group = {window.lanes, 1},
             .per_group = {window.lanes * window.per_lane, 1}, .bytes = bytes,
             .operations = 150 * (double)s->agents);
}

void vks_physarum_declare_steps(const struct vks_config *config,
                                const struct physarum_params *params,
                                struct vks_declaration *declaration)
{
    const struct physarum_settings *s = config->settings;
    const uint32_t every = vks_sort_every(&s->sorting, config->variant);
    const uint64_t words = uses_bytes(config) ? (config->width + 3) / 4 : config->width;
    const uint64_t blocks =
        (uint64_t)params->blocks * (((config->height - 1) >> params->block_rows_bits) + 1);
    VKS_FIELD(declaration, .name = "deposits", .element = VKS_U32, .rank = 2,
              .shape = {config->height, words}, .ping_pong = true);
    VKS_FIELD(declaration, .name = "spill", .element = VKS_U32, .ping_pong = true);
    VKS_FIELD(declaration, .name = "spill_marks", .element = VKS_U32, .rank = 1,
              .shape = {2 * blocks});
    const double reads = s->sampling == PHYSARUM_BILINEAR ? 12 : 3;
    const double bytes = (24 + 4 * reads + 2) * (double)s->agents;
    if (every > 0) {
        declare_sorting(*params, every, declaration);
        declare_windows(config, params, s, bytes, declaration);
    } else {
    VKS_PASS(declaration, .name = "agents", .shader = "physarum/agents",
             .uses = VKS_USES({"trail", VKS_READ}, {"position", VKS_READ_WRITE},
                              {"heading", VKS_READ_WRITE}, {"deposits", VKS_ATOMIC},
                              {"spill", VKS_ATOMIC}, {"spill_marks", VKS_ATOMIC}),
             .specializations = VKS_SPECIALIZATIONS(
                 {"sampling", s->sampling}, {"steering", s->steering},
                 {"jittered", params->jitter > 0}, {"near", is_near(params)}, {"bytes", uses_bytes(config)}, {"lazy", try_number("VKSIM_TRY_LAZY", 0)}, {"skip", try_number("VKSIM_TRY_SKIP", 0)}),
             VKS_PUSH(*params), .items = {s->agents}, .bytes = bytes,
             .operations = 150 * (double)s->agents, .atomics = (double)s->agents);
    }
    if (is_one_block(config)) {
        declare_large_square(config, params, declaration);
    } else {
        declare_small_square(config, params, declaration);
    }
}
