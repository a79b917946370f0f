/* SPDX-License-Identifier: MIT */
/* Steps with few agents: docs/sims/physarum-kernels.md, "Few agents". */
#include "base/error.h"
#include "base/memory.h"
#include "sim/physarum/physarum.h"

enum {
    USUAL_STEPS = 32,   /* of a dispatch: make its barrier cheap */
    MAX_ROWS = 16,      /* of an invocation: its cells are in registers */
    MAX_AGENTS = 65535, /* fit counts of 16 bits; more take longer joined than apart */
    LANES = 256,        /* of a workgroup of joined passes */
    PER_GROUP = 32,     /* agents of such a workgroup: few, so that all of a GPU loads for them */
};

/* Larger fields take longer than a barrier. */
static const uint64_t max_joined_cells = UINT64_C(1) << 22;

static bool can_join(const struct vks_config *config)
{
    const struct physarum_settings *s = config->settings;
    return !vks_physarum_feature(s) && s->diffuse_size <= 3 && config->width % 4 == 0 &&
           s->agents <= MAX_AGENTS && (uint64_t)config->width * config->height <= max_joined_cells;
}

/* How one workgroup divides the field into columns of cells. */
struct columns {
    uint32_t rows, lanes, shared_bytes;
};

/* Of the field and its agents, in the registers and the shared memory of a workgroup: the trail and
 * counts of 16 bits. */
static uint32_t max_cells(const struct vks_config *config)
{
    const uint32_t fit = (config->limits.shared_bytes - 2) / 6,
                   kept = MAX_ROWS * config->limits.invocations;
    return fit < kept ? fit : kept;
}

/* False if the field or its agents do not fit a workgroup. */
static bool columns_of(const struct vks_config *config, struct columns *columns)
{
    const struct physarum_settings *s = config->settings;
    const uint64_t cells = (uint64_t)config->width * config->height;
    if (vks_physarum_feature(s) || s->diffuse_size > 3 || s->agents > MAX_AGENTS ||
        cells > max_cells(config)) {
        return false;
    }
    *columns =
        (struct columns){.rows = 1, .shared_bytes = (uint32_t)(4 * cells + 4 * ((cells + 1) / 2))};
    do {
        columns->lanes = config->width * ((config->height + columns->rows - 1) / columns->rows);
    } while (columns->lanes > config->limits.invocations && (columns->rows *= 2) <= MAX_ROWS);
    return columns->rows <= MAX_ROWS;
}

void vks_physarum_list_fused(const struct vks_config *config, struct vks_candidates *candidates)
{
    struct columns columns;
    if (can_join(config)) {
        vks_physarum_add(candidates, PHYSARUM_JOINED, 0, false);
    }
    if (columns_of(config, &columns)) {
        vks_physarum_add(candidates, PHYSARUM_TOGETHER, USUAL_STEPS, false);
    }
}

enum vks_result vks_physarum_check_fused(const struct vks_config *config)
{
    const uint32_t kind = config->variant.numbers[PHYSARUM_KIND];
    const bool has_device = config->limits.invocations > 0;
    const char *feature = vks_physarum_feature(config->settings);
    struct columns columns;
    if (feature && (kind == PHYSARUM_JOINED || kind == PHYSARUM_TOGETHER)) {
        return vks_fail_option(VKS_ERROR_USAGE, "variant", "%s and %s exclude each other",
                               config->variant.name, feature);
    }
    if (kind == PHYSARUM_JOINED && !can_join(config)) {
        return vks_fail_option(VKS_ERROR_USAGE, "variant",
                               "%s needs diffuse-size 1 or 3, a width that is a multiple of "
                               "4, at most %d agents and at most %llu cells",
                               config->variant.name, MAX_AGENTS,
                               (unsigned long long)max_joined_cells);
    }
    if (kind == PHYSARUM_TOGETHER && has_device && !columns_of(config, &columns)) {
        return vks_fail_option(VKS_ERROR_USAGE, "variant",
                               "%s needs diffuse-size 1 or 3, at most %d agents, and a field "
                               "that fits a workgroup of this device: at most %u cells, %u wide",
                               config->variant.name, MAX_AGENTS, max_cells(config),
                               config->limits.invocations);
    }
    return VKS_OK;
}

/* --- passes that are joined ------------------------------------------------------------------ */

/* Specialization constants of passes that move agents, then `ours`. */
#define OF_AGENTS(config, params, ...)                                                  \
    VKS_SPECIALIZATIONS(                                                                \
        {"sampling", ((const struct physarum_settings *)(config)->settings)->sampling}, \
        {"steering", ((const struct physarum_settings *)(config)->settings)->steering}, \
        {"jittered", (params)->jitter > 0}, {"near", vks_physarum_is_near(params)}, __VA_ARGS__)

static void declare_joined(const struct vks_config *config, const struct physarum_params *params,
                           struct vks_declaration *declaration)
{
    const struct physarum_settings *s = config->settings;
    const double cells = (double)config->width * config->height, agents = (double)s->agents;
    const uint64_t groups = (s->agents + PER_GROUP - 1) / PER_GROUP;
    /* Long columns save reads; many invocations hide latency. */
    const uint32_t rows = cells < 5e5 ? 1 : 2;
    const uint64_t columns = (uint64_t)config->width / 4 * ((config->height + rows - 1) / rows);
    const bool blurs = s->diffuse_size > 1;
    const double agent_bytes = vks_physarum_agent_bytes(s) + 32 * agents;
    VKS_FIELD(declaration, .name = "deposits", .element = VKS_U32, .ping_pong = true);
    VKS_FIELD(declaration, .name = "deposited_cells", .element = VKS_U32X2, .rank = 1,
              .shape = {s->agents});
    VKS_PASS(declaration, .name = "agents", .shader = "physarum/agents_words",
             .uses = VKS_USES({"trail", VKS_READ}, {"position", VKS_READ_WRITE},
                              {"heading", VKS_READ_WRITE}, {"deposited_cells", VKS_READ_WRITE},
                              {"deposits", VKS_ATOMIC_NEXT}),
             .specializations = OF_AGENTS(config, params, {NULL}), VKS_PUSH(*params),
             .items = {s->agents}, .bytes = agent_bytes, .operations = 100 * agents,
             .atomics = 2 * agents);
    VKS_PASS(declaration, .name = "field", .shader = "physarum/field_words",
             .uses =
                 VKS_USES({"trail", VKS_READ}, {"deposits", VKS_READ}, {"trail", VKS_WRITE_NEXT}),
             .specializations =
                 VKS_SPECIALIZATIONS({"boundary", s->boundary}, {"blurs", blurs}, {"rows", rows}),
             VKS_PUSH(*params), .items = {columns}, .bytes = 12 * cells, .operations = 15 * cells);
    VKS_PASS(
        declaration, .name = "field, agents", .shader = "physarum/joined",
        .joins = {"field", "agents"},
        .uses = VKS_USES({"trail", VKS_READ}, {"deposits", VKS_READ}, {"position", VKS_READ_WRITE},
                         {"heading", VKS_READ_WRITE}, {"deposited_cells", VKS_READ_WRITE},
                         {"trail", VKS_WRITE_NEXT}, {"deposits", VKS_ATOMIC_NEXT}),
        .specializations = OF_AGENTS(config, params, {"boundary", s->boundary}, {"blurs", blurs},
                                     {"rows", rows}, {"per_group", PER_GROUP}),
        VKS_PUSH(*params), .items = {groups * LANES + columns}, .group = {LANES, 1},
        .bytes = 12 * cells + agent_bytes, .operations = 15 * cells + 145 * agents,
        .atomics = 2 * agents);
}

/* --- steps of one workgroup ------------------------------------------------------------------ */

static void declare_together(const struct vks_config *config, const struct physarum_params *params,
                             const struct columns *columns, uint32_t max_steps,
                             struct vks_declaration *declaration)
{
    const struct physarum_settings *s = config->settings;
    const double cells = (double)config->width * config->height, agents = (double)s->agents;
    struct physarum_params own = *params;
    for (own.steps = max_steps; own.steps > 0; own.steps--) {
        VKS_PASS(declaration, .name = vks_declaration_name(declaration, "step x%u", own.steps),
                 .shader = "physarum/together", .steps_per_dispatch = own.steps,
                 .uses = VKS_USES({"trail", VKS_READ_WRITE}, {"position", VKS_READ_WRITE},
                                  {"heading", VKS_READ_WRITE}),
                 .specializations = OF_AGENTS(config, params, {"boundary", s->boundary},
                                              {"blurs", s->diffuse_size > 1},
                                              {"rows", columns->rows}, {"cells", (uint32_t)cells}),
                 .shared_bytes = columns->shared_bytes, VKS_PUSH(own), .items = {columns->lanes},
                 .group = {columns->lanes, 1}, .bytes = 8 * cells + 24 * agents,
                 .operations = own.steps * (15 * cells + 100 * agents));
    }
}

bool vks_physarum_declare_fused(const struct vks_config *config,
                                const struct physarum_params *params,
                                struct vks_declaration *declaration)
{
    const uint32_t *numbers = config->variant.numbers;
    struct columns columns;
    const enum vks_result result = vks_physarum_check_fused(config);
    if (result != VKS_OK) {
        vks_declaration_fail(declaration, result);
        return true;
    }
    if (numbers[PHYSARUM_KIND] == PHYSARUM_JOINED) {
        declare_joined(config, params, declaration);
        return true;
    }
    if (numbers[PHYSARUM_KIND] == PHYSARUM_TOGETHER && columns_of(config, &columns)) {
        declare_together(config, params, &columns, numbers[PHYSARUM_NUMBER], declaration);
        return true;
    }
    return false;
}
