/* SPDX-License-Identifier: MIT */
/* Steps with few agents: docs/architecture.md, "Few agents". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "sim/physarum/physarum.h"

enum {
    MAX_STEPS = 64,   /* of a dispatch */
    USUAL_STEPS = 32, /* make its barrier cheap */
    MAX_ROWS = 16,    /* of an invocation: its cells are in registers */
    LANES = 256,      /* of a workgroup of joined passes */
};

/* Larger fields take longer than a barrier, and counts of 16 bits hold this many agents. */
static const uint64_t max_joined_cells = UINT64_C(1) << 22, max_joined_agents = 500000;
static const uint64_t max_agents_together = 65535;

enum vks_result vks_physarum_parse_fuse(const char *text, struct physarum_fuse *fuse)
{
    char *end = NULL;
    *fuse = (struct physarum_fuse){.automatic = !text || !text[0] || strcmp(text, "auto") == 0};
    fuse->joined = !fuse->automatic && strcmp(text, "joined") == 0;
    if (fuse->automatic || fuse->joined) {
        return VKS_OK;
    }
    const unsigned long steps = strtoul(text, &end, 10);
    fuse->steps = (uint32_t)steps;
    return text[0] >= '1' && text[0] <= '9' && *end == '\0' && steps <= MAX_STEPS
               ? VKS_OK
               : vks_fail_hint(VKS_ERROR_USAGE, VKS_HINT_OPTION,
                               "fuse '%s' is neither auto, joined nor a number of steps from 1 to "
                               "%d",
                               text, MAX_STEPS);
}

static bool can_join(const struct vks_config *config)
{
    const struct physarum_settings *s = config->settings;
    return s->diffuse_size <= 3 && s->agents <= max_joined_agents &&
           (uint64_t)config->width * config->height <= max_joined_cells;
}

/* How one workgroup divides the field into columns of cells. */
struct columns {
    uint32_t rows, lanes, pairs;
};

/* False if the field or its agents do not fit a workgroup. */
static bool columns_of(const struct vks_config *config, struct columns *columns)
{
    const struct physarum_settings *s = config->settings;
    const uint64_t cells = (uint64_t)config->width * config->height;
    if (s->diffuse_size > 3 || s->agents > max_agents_together ||
        cells > (uint64_t)MAX_ROWS * config->limits.invocations) {
        return false;
    }
    *columns = (struct columns){.rows = 1, .pairs = (uint32_t)((cells + 1) / 2)};
    do {
        columns->lanes = config->width * ((config->height + columns->rows - 1) / columns->rows);
    } while (columns->lanes > config->limits.invocations && (columns->rows *= 2) <= MAX_ROWS);
    return columns->rows <= MAX_ROWS && 4 * columns->pairs <= config->limits.shared_bytes;
}

void vks_physarum_list_fused(const struct vks_config *config, struct vks_variants *variants)
{
    const struct physarum_settings *s = config->settings;
    struct columns columns;
    if (!s->fused.automatic || (!s->sorting.automatic && s->sorting.steps > 0)) {
        return;
    }
    if (variants->count == 0) {
        snprintf(variants->names[variants->count++], sizeof(variants->names[0]), "unsorted");
    }
    if (can_join(config)) {
        snprintf(variants->names[variants->count++], sizeof(variants->names[0]), "joined");
    }
    if (columns_of(config, &columns)) {
        snprintf(variants->names[variants->count++], sizeof(variants->names[0]), "together-%d",
                 USUAL_STEPS);
    }
}

/* The requested or the fastest way. */
static struct physarum_fuse fuse_of(const struct vks_config *config)
{
    struct physarum_fuse fuse = ((const struct physarum_settings *)config->settings)->fused;
    if (fuse.automatic && config->variant) {
        fuse.joined = strcmp(config->variant, "joined") == 0;
        (void)sscanf(config->variant, "together-%u", &fuse.steps);
    }
    return fuse;
}

enum vks_result vks_physarum_check_fuse(const struct vks_config *config)
{
    const struct physarum_settings *s = config->settings;
    const struct physarum_fuse fuse = fuse_of(config);
    struct columns columns;
    if (config->limits.invocations == 0 || (!fuse.joined && fuse.steps < 2)) {
        return VKS_OK; /* no device yet, or not fused */
    }
    if (s->sorting.steps > 0) {
        return vks_fail_hint(VKS_ERROR_USAGE, VKS_HINT_OPTION,
                             "fuse %s does not sort: use sort 0 or auto", s->fuse);
    }
    if (fuse.joined && !can_join(config)) {
        return vks_fail_hint(VKS_ERROR_USAGE, VKS_HINT_OPTION,
                             "fuse joined needs diffuse-size 1 or 3, at most %llu agents and at "
                             "most %llu cells",
                             (unsigned long long)max_joined_agents,
                             (unsigned long long)max_joined_cells);
    }
    if (fuse.steps > 1 && !columns_of(config, &columns)) {
        return vks_fail_hint(VKS_ERROR_USAGE, VKS_HINT_OPTION,
                             "fuse %u needs diffuse-size 1 or 3, at most %llu agents and a field "
                             "that fits a workgroup of this device: %u cells, %u wide",
                             fuse.steps, (unsigned long long)max_agents_together,
                             MAX_ROWS * config->limits.invocations, config->limits.invocations);
    }
    return VKS_OK;
}

/* --- passes that are joined ------------------------------------------------------------------ */

/* Specialization constants of passes that move agents, then `ours`. */
#define OF_AGENTS(config, params, ...)                                                       \
    VKS_SPECIALIZATIONS(                                                                     \
        {"sampling", ((const struct physarum_settings *)(config)->settings)->sampling},      \
        {"steering", ((const struct physarum_settings *)(config)->settings)->steering},      \
        {"jittered", (params)->jitter > 0}, {"near", vks_physarum_is_near(params)}, __VA_ARGS__)

static void declare_joined(const struct vks_config *config, const struct physarum_params *params,
                           struct vks_declaration *declaration)
{
    const struct physarum_settings *s = config->settings;
    const double cells = (double)config->width * config->height, agents = (double)s->agents;
    const uint64_t whole_groups = (s->agents + LANES - 1) / LANES * LANES;
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
             .uses = VKS_USES({"trail", VKS_READ}, {"deposits", VKS_READ},
                              {"trail", VKS_WRITE_NEXT}),
             .specializations = VKS_SPECIALIZATIONS({"boundary", s->boundary}), VKS_PUSH(*params),
             .bytes = 12 * cells, .operations = 15 * cells);
    VKS_PASS(declaration, .name = "field, agents", .shader = "physarum/joined",
             .joins = {"field", "agents"},
             .uses = VKS_USES({"trail", VKS_READ}, {"deposits", VKS_READ},
                              {"position", VKS_READ_WRITE}, {"heading", VKS_READ_WRITE},
                              {"deposited_cells", VKS_READ_WRITE}, {"trail", VKS_WRITE_NEXT},
                              {"deposits", VKS_ATOMIC_NEXT}),
             .specializations = OF_AGENTS(config, params, {"boundary", s->boundary}),
             VKS_PUSH(*params), .items = {whole_groups + (uint64_t)config->width * config->height},
             .group = {LANES, 1}, .bytes = 12 * cells + agent_bytes,
             .operations = 15 * cells + 145 * agents, .atomics = 2 * agents);
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
                 .specializations =
                     OF_AGENTS(config, params, {"boundary", s->boundary}, {"rows", columns->rows},
                               {"pairs", columns->pairs}),
                 .shared_bytes = 4 * columns->pairs, VKS_PUSH(own), .items = {columns->lanes},
                 .group = {columns->lanes, 1}, .bytes = 8 * cells + 24 * agents,
                 .operations = own.steps * (15 * cells + 100 * agents));
    }
}

bool vks_physarum_declare_fused(const struct vks_config *config,
                                const struct physarum_params *params,
                                struct vks_declaration *declaration)
{
    const struct physarum_fuse fuse = fuse_of(config);
    struct columns columns;
    if (fuse.joined) {
        declare_joined(config, params, declaration);
    } else if (fuse.steps > 1 && columns_of(config, &columns)) {
        declare_together(config, params, &columns, fuse.steps, declaration);
    } else {
        return false;
    }
    return true;
}
