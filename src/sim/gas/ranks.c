/* SPDX-License-Identifier: MIT */
/* The gas on one of several ranks: docs/sims/gas.md, "Several GPUs". */
#include <vksim/model.h>

#include "base/error.h"
#include "base/memory.h"
#include "graph/declare.h"
#include "sim/gas/gas.h"

/* Rows beyond a node's own that a step reads: of particles, for the record of a node around an own
 * cell, and of the grid, over both stages and the synchronised energy. */
enum { PARTICLES_REACH = 3, GRID_REACH = 5 };

enum { MAX_SPECIALIZATIONS = 16 };

bool vks_gas_is_cut(const struct vks_config *config)
{
    return config->slab.count > 1;
}

uint64_t vks_gas_row_nodes(const struct vks_config *config)
{
    return config->depth > 1 ? (uint64_t)config->width * config->height : config->width;
}

uint32_t vks_gas_room(const struct vks_config *config, const struct vks_declaration *declaration)
{
    const int place = vks_gas_is_cut(config) ? vks_find_field(declaration, "z") : -1;
    return place < 0 ? (uint32_t)vks_gas_count(config)
                     : (uint32_t)declaration->fields[place].shape[0];
}

const char *vks_gas_shader(const struct vks_config *config, struct vks_declaration *declaration,
                           const char *name)
{
    return vks_gas_is_cut(config) ? vks_declaration_name(declaration, "%s_ranks", name) : name;
}

const char *vks_gas_on_ranks(const struct vks_config *config, const char *field)
{
    return vks_gas_is_cut(config) ? field : NULL;
}

const struct vks_specialization *vks_gas_specialize(const struct vks_config *config,
                                                    struct vks_declaration *declaration,
                                                    unsigned needs,
                                                    const struct vks_specialization *own)
{
    const struct vks_slab *slab = &config->slab;
    struct vks_specialization all[MAX_SPECIALIZATIONS + 1] = {0};
    size_t count = 0;
    if (!vks_gas_is_cut(config)) {
        return own;
    }
    const struct {
        unsigned need;
        struct vks_specialization value;
    } rows[] = {
        {GAS_ANY_ROW, {"slab_side", slab->whole}},
        {GAS_PLACES, {"slab_origin", (slab->whole + slab->first - slab->before) % slab->whole}},
        {GAS_OWN_ROWS, {"slab_begin", slab->before}},
        {GAS_OWN_ROWS, {"slab_rows", slab->rows}},
    };
    for (; own && own[count].name; count++) {
        all[count] = own[count];
    }
    for (size_t i = 0; i < VKS_COUNT(rows); i++) {
        if (needs & rows[i].need) {
            all[count++] = rows[i].value;
        }
    }
    return vks_declaration_copy(declaration, all, sizeof(all));
}

enum vks_result vks_gas_check_ranks(const struct vks_config *config)
{
    const struct gas_settings *s = config->settings;
    const struct vks_variant *variant = &config->variant;
    if (!vks_gas_is_cut(config)) {
        return VKS_OK;
    }
    if (s->method == GAS_GRID && vks_gas_count(config) > 0) {
        return vks_fail_option(VKS_ERROR_USAGE, "particles",
                               "of method grid and several ranks exclude each other");
    }
    if (s->method == GAS_PARTICLES && variant->name[0] && variant->numbers[GAS_NUMBER] != 1) {
        return vks_fail_option(VKS_ERROR_USAGE, "variant",
                               "%s and several ranks exclude each other: ranks sort particles in "
                               "each step",
                               variant->name);
    }
    if (s->method == GAS_PARTICLES && config->slab.whole > 0 && !vks_gas_fits_tiles(config)) {
        return vks_fail(VKS_ERROR_USAGE,
                        "a rank has too many nodes, %.0f, to sort particles; use more ranks",
                        vks_gas_nodes_here(config));
    }
    return vks_is_shown(config, GAS_VIEW_POTENTIAL)
               ? vks_fail_option(VKS_ERROR_USAGE, "view",
                                 "potential and several ranks exclude each other")
               : VKS_OK;
}

void vks_gas_declare_exchange(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct gas_settings *s = config->settings;
    if (s->method == GAS_PARTICLES) {
        vks_declare_exchange(declaration, &(struct vks_exchange){
                                              .fields = (const char *const[]){NULL},
                                              .reach = PARTICLES_REACH,
                                              .items = "particles",
                                              .position = config->depth > 1 ? "z" : "y",
                                              .moves = true,
                                          });
    } else if (vks_gas_count(config) == 0) {
        vks_declare_exchange(
            declaration,
            &(struct vks_exchange){
                .fields = (const char *const[]){"density", "momentum_z", "momentum_y", "momentum_x",
                                                "energy", "internal", NULL},
                .reach = GRID_REACH,
            });
    }
}

void vks_gas_meet_for_limits(const struct vks_config *config, const char *const *halos,
                             struct vks_declaration *declaration)
{
    vks_declare_meeting(declaration, &(struct vks_meeting){.when = VKS_EACH_STEP,
                                                           .slab = &config->slab,
                                                           .halos = halos,
                                                           .highest = "limits"});
}

void vks_gas_meet_for_measures(const struct vks_config *config, bool sum,
                               struct vks_declaration *declaration)
{
    vks_declare_meeting(declaration, &(struct vks_meeting){.when = VKS_WHEN_READY,
                                                           .slab = &config->slab,
                                                           .highest = sum ? NULL : "measured",
                                                           .summed = sum ? "measured" : NULL,
                                                           .sums = sum});
}

void vks_gas_declare_edges(const struct vks_config *config, struct vks_declaration *declaration)
{
    const uint64_t nodes = vks_gas_row_nodes(config);
    if (!vks_gas_is_cut(config)) {
        return;
    }
    VKS_FIELD(declaration, .name = "edge_sums", .element = VKS_U32X2, .rank = 1,
              .shape = {GAS_AMOUNTS * nodes});
    VKS_FIELD(declaration, .name = "below_sums", .element = VKS_U32X2, .rank = 1,
              .shape = {GAS_AMOUNTS * nodes});
    VKS_FIELD(declaration, .name = "edge_dispersion", .element = VKS_U32X2, .rank = 1,
              .shape = {nodes});
    VKS_FIELD(declaration, .name = "below_dispersion", .element = VKS_U32X2, .rank = 1,
              .shape = {nodes});
    VKS_FIELD(declaration, .name = "energy_part", .element = VKS_U32X2, .rank = 1, .shape = {1});
}

/* Hands the sums at the edge to the rank after. */
static void meet_at_edge(const struct vks_config *config, enum vks_when when, const char *edge,
                         const char *below, struct vks_declaration *declaration)
{
    vks_declare_meeting(declaration,
                        &(struct vks_meeting){
                            .when = when, .slab = &config->slab, .sent = edge, .received = below});
}

void vks_gas_meet_for_sums(const struct vks_config *config, const struct gas_params *params,
                           const struct gas_edge *edge, struct vks_declaration *declaration)
{
    const bool tiles = edge->tile != NULL;
    const double nodes = (double)vks_gas_row_nodes(config);
    if (!vks_gas_is_cut(config)) {
        return;
    }
    VKS_PASS(declaration, .name = vks_declaration_name(declaration, "edge of %s", edge->deposit),
             .shader = tiles ? "gas/edge_sums_tiles" : "gas/edge_sums", .when = edge->when,
             .uses =
                 VKS_USES({"sum_mass", VKS_READ_WRITE}, {"sum_momentum_z", VKS_READ_WRITE},
                          {"sum_momentum_y", VKS_READ_WRITE}, {"sum_momentum_x", VKS_READ_WRITE},
                          {"sum_heat", VKS_READ_WRITE}, {"edge_sums", VKS_WRITE},
                          {tiles ? "tile_sums" : NULL, VKS_READ}, {"marks", VKS_READ}),
             .specializations = vks_gas_specialize(config, declaration, GAS_OWN_ROWS, edge->tile),
             VKS_PUSH(*params), .items = {vks_gas_row_nodes(config)}, .bytes = 80 * nodes);
    meet_at_edge(config, edge->when, "edge_sums", "below_sums", declaration);
}

void vks_gas_meet_for_dispersion(const struct vks_config *config, const struct gas_params *params,
                                 const struct vks_specialization *tile,
                                 struct vks_declaration *declaration)
{
    const double nodes = (double)vks_gas_row_nodes(config);
    if (!vks_gas_is_cut(config)) {
        return;
    }
    VKS_PASS(declaration, .name = "edge of dispersion", .shader = "gas/edge_dispersion",
             .uses = VKS_USES({"sum_dispersion", VKS_READ_WRITE}, {"edge_dispersion", VKS_WRITE},
                              {"tile_sums", VKS_READ}, {"marks", VKS_READ}),
             .specializations = vks_gas_specialize(config, declaration, GAS_OWN_ROWS, tile),
             VKS_PUSH(*params), .items = {vks_gas_row_nodes(config)}, .bytes = 16 * nodes);
    meet_at_edge(config, VKS_EACH_STEP, "edge_dispersion", "below_dispersion", declaration);
}

void vks_gas_declare_whole(const struct vks_config *config, const char *name,
                           struct vks_declaration *declaration)
{
    uint32_t sides[3];
    vks_gas_sides(config, sides);
    const bool volume = sides[0] > 1;
    VKS_FIELD(declaration, .name = name, .element = VKS_F32, .rank = volume ? 3 : 2,
              .shape = {sides[volume ? 0 : 1], sides[volume ? 1 : 2], volume ? sides[2] : 0});
}

const char *vks_gas_whole_density(const struct vks_config *config,
                                  struct vks_declaration *declaration)
{
    if (!vks_gas_is_cut(config)) {
        return "density";
    }
    if (vks_find_field(declaration, "whole_density") < 0) {
        vks_gas_declare_whole(config, "whole_density", declaration);
    }
    return "whole_density";
}

void vks_gas_meet_for_nodes(const struct vks_config *config, enum vks_when when, bool gathers,
                            struct vks_declaration *declaration)
{
    static const char *const fields[] = {"density",    "velocity_z", "velocity_y",
                                         "velocity_x", "node_heat",  NULL};
    vks_declare_meeting(declaration,
                        &(struct vks_meeting){.when = when,
                                              .slab = &config->slab,
                                              .halos = fields,
                                              .part = gathers ? "density" : NULL,
                                              .whole = gathers ? "whole_density" : NULL});
}

void vks_gas_meet_for_density(const struct vks_config *config, enum vks_when when,
                              struct vks_declaration *declaration)
{
    vks_declare_meeting(declaration, &(struct vks_meeting){.when = when,
                                                           .slab = &config->slab,
                                                           .part = "density",
                                                           .whole = "whole_density"});
}

void vks_gas_meet_for_energies(const struct vks_config *config, bool sum,
                               struct vks_declaration *declaration)
{
    vks_declare_meeting(declaration, &(struct vks_meeting){.when = VKS_EACH_FRAME,
                                                           .slab = &config->slab,
                                                           .highest = sum ? NULL : "energy_sums",
                                                           .summed = sum ? "energy_sums" : NULL,
                                                           .sums = sum ? SUM_COUNT : 0});
}

void vks_gas_add_energy(const struct vks_config *config, const struct gas_params *params,
                        struct vks_declaration *declaration)
{
    if (!vks_gas_is_cut(config)) {
        return;
    }
    vks_declare_meeting(declaration, &(struct vks_meeting){.when = VKS_EACH_STEP,
                                                           .slab = &config->slab,
                                                           .summed = "energy_part",
                                                           .sums = 1});
    VKS_PASS(declaration, .name = "add energy", .shader = "gas/add_energy",
             .uses = VKS_USES({"clockwork", VKS_READ_WRITE}, {"energy_part", VKS_READ_WRITE}),
             VKS_PUSH(*params), .items = {1}, .group = {1, 1});
}
