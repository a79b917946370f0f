/* SPDX-License-Identifier: MIT */
/* Deposits of particles sorted by tiles of nodes: docs/sims/gas-kernels.md. */
#include <vksim/model.h>

#include "base/memory.h"
#include "core/sort.h"
#include "graph/declare.h"
#include "sim/gas/gas.h"

/* Cells of a tile, z, y, x: in a volume they have 405 surrounding nodes, whose sums take 24 KiB. A
 * shorter side of the box is whole. */
static void tile_sides(const struct vks_config *config, uint32_t tile[3])
{
    /* Along the active axes, by their number. */
    static const uint32_t lengths[4][3] = {{1, 1, 1}, {256, 256, 256}, {16, 16, 16}, {4, 8, 8}};
    uint32_t sides[3];
    size_t axes = 0, next = 0;
    vks_gas_sides_here(config, sides);
    for (size_t axis = 0; axis < 3; axis++) {
        axes += sides[axis] > 1;
    }
    for (size_t axis = 0; axis < 3; axis++) {
        const uint32_t longest = sides[axis] > 1 ? lengths[axes][next++] : 1;
        tile[axis] = sides[axis] < longest ? sides[axis] : longest;
    }
}

/* Nodes around a tile. */
static uint32_t tile_nodes(const uint32_t tile[3])
{
    uint32_t nodes = 1;
    for (size_t axis = 0; axis < 3; axis++) {
        nodes *= tile[axis] + (tile[axis] > 1);
    }
    return nodes;
}

static uint64_t tile_count(const struct gas_params *params)
{
    return (uint64_t)params->tiles_z * params->tiles_y * params->tiles_x;
}

/* Particles per workgroup of a crowded tile. Large crowds write fewer sums; small ones occupy the
 * device when few particles share a tile. */
static uint32_t crowd_size(uint32_t particles)
{
    enum { MIN_CROWD = 512, MAX_CROWD = 4096, CROWDS = 512 };
    uint32_t size = MIN_CROWD;
    while (size < MAX_CROWD && size < particles / CROWDS) {
        size *= 2;
    }
    return size;
}

/* A workgroup per tile and amount: more, smaller workgroups, which occupy the device even if
 * particles are few. Many particles make it slower to compute their places five times. */
static bool deposit_is_split(const struct gas_params *params)
{
    enum { FEW_PARTICLES = 1 << 19 };
    return params->particles < FEW_PARTICLES;
}

/* Large workgroups hide the latency of the deposit better. With small subgroups, they leave too few
 * registers to each lane. */
static uint32_t deposit_group(const struct vks_config *config, bool split)
{
    if (split) {
        return 128;
    }
    return config->limits.invocations >= 512 && config->limits.min_subgroup >= 32 ? 512 : 256;
}

/* Workgroups: one per tile, and more for crowded tiles. */
static uint64_t crowd_count(const struct gas_params *params)
{
    const uint64_t crowd = crowd_size(params->particles);
    return tile_count(params) + (params->particles + crowd - 1) / crowd;
}

void vks_gas_count_tiles(const struct vks_config *config, struct gas_params *params)
{
    uint32_t sides[3], tile[3];
    tile_sides(config, tile);
    vks_gas_sides_here(config, sides);
    params->tiles_z = (sides[0] + tile[0] - 1) / tile[0];
    params->tiles_y = (sides[1] + tile[1] - 1) / tile[1];
    params->tiles_x = (sides[2] + tile[2] - 1) / tile[2];
}

bool vks_gas_fits_tiles(const struct vks_config *config)
{
    struct gas_params params = {0};
    uint32_t tile[3];
    tile_sides(config, tile);
    vks_gas_count_tiles(config, &params);
    return tile_count(&params) * GAS_AMOUNTS * tile_nodes(tile) <= UINT32_MAX;
}

/* Particles may have moved from rank to rank since the last step. */
static void declare_cell_on_ranks(const struct vks_config *config, const struct gas_params *params,
                                  const struct vks_sorting *sorting,
                                  struct vks_declaration *declaration)
{
    uint32_t tile[3];
    tile_sides(config, tile);
    const struct vks_specialization *own =
        VKS_SPECIALIZATIONS({"tile_z", tile[0]}, {"tile_y", tile[1]}, {"tile_x", tile[2]},
                            {"one_by_one", declaration->software.one_by_one});
    vks_declare_ranks(declaration, sorting);
    VKS_PASS(
        declaration, .name = "cell", .shader = "gas/cell_ranks",
        .uses = VKS_USES({"z", VKS_READ}, {"y", VKS_READ}, {"x", VKS_READ}, {"cell", VKS_WRITE},
                         {"particles.counts", VKS_ATOMIC, "counts"},
                         {"particles.slots", VKS_WRITE, "slots"}, {"particles_alive", VKS_READ}),
        .specializations = vks_gas_specialize(config, declaration, GAS_PLACES, own),
        VKS_PUSH(*params), .items = {params->particles}, .bytes = 20 * (double)params->particles);
}

void vks_gas_declare_tiles(const struct vks_config *config, const struct gas_params *params,
                           uint32_t every, struct vks_declaration *declaration)
{
    uint32_t tile[3];
    tile_sides(config, tile);
    const double count = params->particles;
    const uint64_t bins = tile_count(params) * tile[0] * tile[1] * tile[2];
    const struct vks_sorting sorting = {
        .items = "particles", .key = "cell", .bins = bins, .every = every, .counted = every == 1};
    VKS_FIELD(declaration, .name = "cell", .element = VKS_U32, .rank = 1,
              .shape = {params->particles});
    if (vks_gas_is_cut(config)) {
        declare_cell_on_ranks(config, params, &sorting, declaration);
        vks_declare_sorting(declaration, &sorting);
        return;
    }
    vks_declare_sorting(declaration, &sorting);
    VKS_PASS(declaration, .name = "cell", .shader = "gas/cell", .when = VKS_WHEN_READY,
             .uses = VKS_USES({"z", VKS_READ}, {"y", VKS_READ}, {"x", VKS_READ},
                              {"cell", VKS_WRITE}, {"particles.counts", VKS_WRITE, "counts"}),
             .specializations =
                 VKS_SPECIALIZATIONS({"tile_z", tile[0]}, {"tile_y", tile[1]}, {"tile_x", tile[2]}),
             VKS_PUSH(*params), .items = {params->particles}, .bytes = 16 * count);
    if (every == 1) {
        const struct sort_params sort = {.count = params->particles, .bins = (uint32_t)bins};
        VKS_PASS(declaration, .name = "count", .shader = "core/count", .when = VKS_WHEN_READY,
                 .uses = VKS_USES({"cell", VKS_READ, "keys"},
                                  {"particles.counts", VKS_ATOMIC, "counts"},
                                  {"particles.slots", VKS_WRITE, "slots"}),
                 VKS_PUSH(sort), .items = {params->particles}, .bytes = 8 * count);
    }
}

void vks_gas_deposit_tiles(const struct vks_config *config, const struct gas_params *params,
                           struct vks_declaration *declaration)
{
    uint32_t tile[3];
    tile_sides(config, tile);
    const double nodes = vks_gas_nodes_here(config);
    const uint64_t sums = tile_count(params) * GAS_AMOUNTS * tile_nodes(tile);
    const double count = params->particles;
    const bool split = deposit_is_split(params);
    const uint32_t parts = split ? GAS_AMOUNTS : 1;
    const uint32_t group = deposit_group(config, split);
    VKS_FIELD(declaration, .name = "tile_sums", .element = VKS_U32X2, .rank = 1, .shape = {sums});
    VKS_FIELD(declaration, .name = "marks", .element = VKS_U32, .rank = 1,
              .shape = {tile_count(params)});
    VKS_PASS(
        declaration, .name = "deposit", .shader = "gas/deposit_tiles",
        .uses = VKS_USES({"particles.starts", VKS_READ, "starts"}, {"z", VKS_READ}, {"y", VKS_READ},
                         {"x", VKS_READ}, {"vz", VKS_READ}, {"vy", VKS_READ}, {"vx", VKS_READ},
                         {"mass", VKS_READ}, {"heat", VKS_READ}, {"clockwork", VKS_READ},
                         {"sum_mass", VKS_ATOMIC}, {"sum_momentum_z", VKS_ATOMIC},
                         {"sum_momentum_y", VKS_ATOMIC}, {"sum_momentum_x", VKS_ATOMIC},
                         {"sum_heat", VKS_ATOMIC}, {"tile_sums", VKS_WRITE}, {"marks", VKS_WRITE}),
        .specializations = vks_gas_specialize(
            config, declaration, GAS_PLACES,
            VKS_SPECIALIZATIONS({"tile_z", tile[0]}, {"tile_y", tile[1]}, {"tile_x", tile[2]},
                                {"crowd_size", crowd_size(params->particles)}, {"split", split})),
        VKS_PUSH(*params), .items = {crowd_count(params) * parts * group}, .group = {group},
        .shared_bytes = 12 * GAS_AMOUNTS / parts * tile_nodes(tile),
        .bytes = 32 * count + 8 * (double)sums, .operations = 800 * count);
    const struct vks_specialization *sizes =
        VKS_SPECIALIZATIONS({"tile_z", tile[0]}, {"tile_y", tile[1]}, {"tile_x", tile[2]});
    vks_gas_meet_for_sums(config, params, &(struct gas_edge){.deposit = "deposit", .tile = sizes},
                          declaration);
    VKS_PASS(declaration, .name = "nodes",
             .shader = vks_gas_shader(config, declaration, "gas/nodes_tiles"),
             .uses = VKS_USES(
                 {"sum_mass", VKS_READ_WRITE}, {"sum_momentum_z", VKS_READ_WRITE},
                 {"sum_momentum_y", VKS_READ_WRITE}, {"sum_momentum_x", VKS_READ_WRITE},
                 {"sum_heat", VKS_READ_WRITE}, {"clockwork", VKS_READ}, {"density", VKS_WRITE},
                 {"velocity_z", VKS_WRITE}, {"velocity_y", VKS_WRITE}, {"velocity_x", VKS_WRITE},
                 {"node_heat", VKS_WRITE}, {"tile_sums", VKS_READ}, {"marks", VKS_READ},
                 {vks_gas_on_ranks(config, "below_sums"), VKS_READ}),
             .specializations = vks_gas_specialize(config, declaration, GAS_OWN_ROWS, sizes),
             VKS_PUSH(*params), .items = {tile_count(params) * 256}, .group = {256},
             .bytes = 20 * nodes + 8 * (double)sums, .operations = 100 * nodes);
}

void vks_gas_dispersion_tiles(const struct vks_config *config, const struct gas_params *params,
                              struct vks_declaration *declaration)
{
    uint32_t tile[3];
    tile_sides(config, tile);
    const double nodes = vks_gas_nodes_here(config), count = params->particles;
    const double sums = (double)tile_count(params) * tile_nodes(tile);
    VKS_PASS(declaration, .name = "dispersion", .shader = "gas/dispersion_tiles",
             .uses = VKS_USES({"particles.starts", VKS_READ, "starts"}, {"z", VKS_READ},
                              {"y", VKS_READ}, {"x", VKS_READ}, {"vz", VKS_READ}, {"vy", VKS_READ},
                              {"vx", VKS_READ}, {"mass", VKS_READ}, {"density", VKS_READ},
                              {"velocity_z", VKS_READ}, {"velocity_y", VKS_READ},
                              {"velocity_x", VKS_READ}, {"clockwork", VKS_READ},
                              {"sum_dispersion", VKS_ATOMIC}, {"tile_sums", VKS_WRITE}),
             .specializations = vks_gas_specialize(
                 config, declaration, GAS_PLACES,
                 VKS_SPECIALIZATIONS({"tile_z", tile[0]}, {"tile_y", tile[1]}, {"tile_x", tile[2]},
                                     {"crowd_size", crowd_size(params->particles)})),
             VKS_PUSH(*params), .items = {crowd_count(params) * 256}, .group = {256},
             .shared_bytes = 28 * tile_nodes(tile), .bytes = 28 * count + 16 * nodes + 8 * sums,
             .operations = 300 * count);
}

void vks_gas_limits_tiles(const struct vks_config *config, const struct gas_params *params,
                          struct vks_declaration *declaration)
{
    uint32_t tile[3];
    tile_sides(config, tile);
    const double nodes = vks_gas_nodes_here(config);
    const double sums = (double)tile_count(params) * tile_nodes(tile);
    const struct vks_specialization *sizes =
        VKS_SPECIALIZATIONS({"tile_z", tile[0]}, {"tile_y", tile[1]}, {"tile_x", tile[2]});
    vks_gas_meet_for_dispersion(config, params, sizes, declaration);
    VKS_PASS(declaration, .name = "limits",
             .shader = vks_gas_shader(config, declaration, "gas/limits_tiles"),
             .uses =
                 VKS_USES({"density", VKS_READ}, {"velocity_z", VKS_READ}, {"velocity_y", VKS_READ},
                          {"velocity_x", VKS_READ}, {"node_heat", VKS_READ},
                          {"sum_dispersion", VKS_READ_WRITE}, {"dispersion", VKS_WRITE},
                          {"clockwork", VKS_READ}, {"limits", VKS_ATOMIC},
                          {"mixing_speed", VKS_WRITE}, {"tile_sums", VKS_READ}, {"marks", VKS_READ},
                          {vks_gas_on_ranks(config, "below_dispersion"), VKS_READ}),
             .specializations = vks_gas_specialize(config, declaration, GAS_OWN_ROWS, sizes),
             VKS_PUSH(*params), .items = {tile_count(params) * 256}, .group = {256},
             .bytes = 28 * nodes + 8 * sums, .operations = 110 * nodes);
}

void vks_gas_move_tiles(const struct vks_config *config, const struct vks_pass *move,
                        uint32_t every, struct vks_declaration *declaration)
{
    struct vks_pass pass = *move;
    uint32_t tile[3];
    tile_sides(config, tile);
    pass.specializations = VKS_SPECIALIZATIONS({"tile_z", tile[0]}, {"tile_y", tile[1]},
                                               {"tile_x", tile[2]}, {"counting", every == 1});
    vks_declare_pass(declaration, &pass);
}
