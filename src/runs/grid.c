/* SPDX-License-Identifier: MIT */
#include "runs/grid.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "graph/graph.h"
#include "sheet/params.h"

struct vks_grid {
    const struct vks_settings *settings;
    size_t count;
    struct vks_size picture; /* of a cell */
    /* Of each cell: which computes its state. Itself, or an earlier one whose settings differ only
     * in their look. */
    size_t *owners;
    bool is_sheet; /* several cells, or one that was asked for as a grid */
    struct vks_caption *captions;
    struct vks_sheet sheet;
    /* Open: */
    struct vks_gpu *gpu;
    vks_simulation **simulations;
    struct vks_graph *composite; /* NULL without a sheet */
    uint64_t steps;              /* of the cell with the most a frame */
    size_t copying;              /* the cell whose picture is being copied */
};

/* --- planning -------------------------------------------------------------------------------- */

static struct vks_size picture_size(const struct vks_settings *settings)
{
    struct vks_size size;
    vks_picture_size(settings, &size.width, &size.height);
    return size;
}

uint64_t vks_grid_steps_per_frame(const struct vks_grid *grid)
{
    uint64_t most = 0;
    for (size_t i = 0; i < grid->count; i++) {
        const uint64_t steps = grid->settings[i].common.steps_per_frame;
        most = steps > most ? steps : most;
    }
    return most;
}

uint64_t vks_grid_common_steps(const struct vks_grid *grid)
{
    const uint64_t steps = grid->settings[0].common.steps_per_frame;
    for (size_t i = 1; i < grid->count; i++) {
        if (grid->settings[i].common.steps_per_frame != steps) {
            return 0;
        }
    }
    return steps;
}

/* Cells that run at different speeds say so. */
static void add_notes(struct vks_grid *grid)
{
    for (size_t i = 0; vks_grid_common_steps(grid) == 0 && i < grid->count; i++) {
        const uint64_t steps = grid->settings[i].common.steps_per_frame;
        snprintf(grid->captions[i].note, sizeof(grid->captions[i].note), "%" PRIu64 " step%s/frame",
                 steps, steps == 1 ? "" : "s");
    }
}

static enum vks_result plan(struct vks_grid *grid, const struct vks_vary *vary)
{
    struct vks_settings scratch;
    grid->captions = calloc(grid->count, sizeof(*grid->captions));
    if (!grid->captions) {
        return vks_fail_memory();
    }
    enum vks_result result = vks_settings_copy(&scratch, &grid->settings[0]);
    for (size_t i = 0; i < grid->count && result == VKS_OK; i++) {
        const struct vks_size size = picture_size(&grid->settings[i]);
        if (size.width != grid->picture.width || size.height != grid->picture.height) {
            result = vks_fail(VKS_ERROR_USAGE,
                              "the cells of a grid must have pictures of one size, and one has "
                              "%ux%u pixels, another %ux%u; --output-size makes them so",
                              grid->picture.width, grid->picture.height, size.width, size.height);
        }
        vks_vary_caption(vary, &scratch, i, &grid->captions[i]);
    }
    vks_settings_free(&scratch);
    add_notes(grid);
    grid->sheet = (struct vks_sheet){
        .columns = vary->columns,
        .rows = vary->rows,
        .cell_width = grid->picture.width,
        .cell_height = grid->picture.height,
        .count = grid->count,
    };
    return result == VKS_OK ? vks_sheet_plan(&grid->sheet, grid->captions) : result;
}

/* Whether two values of an option are the same. */
static bool is_same(const struct vks_option *option, const void *a, const void *b)
{
    char first[4096], second[4096];
    vks_option_get(option, a, first, sizeof(first));
    vks_option_get(option, b, second, sizeof(second));
    /* A text that was cut may differ behind the cut. */
    return strcmp(first, second) == 0 && strlen(first) + 1 < sizeof(first);
}

/* Whether two settings lead to the same state at every frame. */
static bool is_same_state(const struct vks_settings *a, const struct vks_settings *b)
{
    const struct vks_option_table own = a->model->options;
    const size_t look = offsetof(struct vks_common, look);
    bool same = true;
    for (size_t i = 0; i < own.count && same; i++) {
        same = is_same(&own.options[i], a->own, b->own);
    }
    for (size_t i = 0; i < vks_common_options.count && same; i++) {
        const struct vks_option *option = &vks_common_options.options[i];
        const bool looks =
            option->offset >= look && option->offset < look + sizeof(struct vks_look);
        same = looks || is_same(option, &a->common, &b->common);
    }
    return same;
}

/* What the model's own passes of a frame read is either state, which is copied, or made by earlier
 * ones of them, which every cell has. */
static enum vks_result find_owners(struct vks_grid *grid)
{
    grid->owners = calloc(grid->count, sizeof(*grid->owners));
    for (size_t i = 0; i < grid->count && grid->owners; i++) {
        size_t owner = 0;
        while (owner < i && (grid->owners[owner] != owner ||
                             !is_same_state(&grid->settings[owner], &grid->settings[i]))) {
            owner++;
        }
        grid->owners[i] = owner;
    }
    return grid->owners ? VKS_OK : vks_fail_memory();
}

static bool is_owner(const struct vks_grid *grid, size_t cell)
{
    return grid->owners[cell] == cell;
}

enum vks_result vks_grid_create(const struct vks_settings *cells, const struct vks_vary *vary,
                                struct vks_grid **out)
{
    struct vks_grid *grid = calloc(1, sizeof(*grid));
    if (!grid) {
        return vks_fail_memory();
    }
    grid->settings = cells;
    grid->is_sheet = vary->count > 0;
    grid->count = grid->is_sheet ? vary->count : 1;
    grid->picture = picture_size(&cells[0]);
    enum vks_result result = find_owners(grid);
    if (result == VKS_OK && grid->is_sheet) {
        result = plan(grid, vary);
    }
    if (result != VKS_OK) {
        vks_grid_destroy(grid);
        return result;
    }
    *out = grid;
    return VKS_OK;
}

struct vks_size vks_grid_size(const struct vks_grid *grid)
{
    return grid->is_sheet ? (struct vks_size){grid->sheet.width, grid->sheet.height}
                          : grid->picture;
}

const char *vks_grid_label(const struct vks_grid *grid, size_t cell, char *buffer, size_t size)
{
    buffer[0] = '\0';
    return grid->is_sheet ? vks_caption_text(&grid->captions[cell], buffer, size) : buffer;
}

/* --- the composite ------------------------------------------------------------------------------
 */

/* A graph of its own that only draws: "cells", the pictures one after another, are laid onto
 * "picture", which holds the ground and the captions from the beginning. */
static void declare_composite(const struct vks_sheet *sheet, unsigned wants,
                              struct vks_declaration *declaration)
{
    const struct sheet_params params = {
        .cell_width = sheet->cell_width,
        .cell_height = sheet->cell_height,
        .count = (uint32_t)sheet->count,
        .columns = sheet->columns,
        .left = sheet->left,
        .top = sheet->top,
        .across = sheet->across,
        .down = sheet->down,
        .width = sheet->width,
    };
    const uint64_t lines = (uint64_t)sheet->cell_height * sheet->count;
    const uint64_t tiles = (lines + SHEET_TILE_HEIGHT - 1) / SHEET_TILE_HEIGHT *
                           ((sheet->cell_width + SHEET_TILE_WIDTH - 1) / SHEET_TILE_WIDTH);
    VKS_FIELD(declaration, .name = "cells", .element = VKS_U32, .rank = 2,
              .shape = {lines, sheet->cell_width});
    VKS_FIELD(declaration, .name = "picture", .element = VKS_U32, .rank = 2,
              .shape = {sheet->height, sheet->width});
    VKS_PASS(declaration, .name = "composite", .shader = "sheet/composite", .when = VKS_EACH_FRAME,
             .uses = VKS_USES({"cells", VKS_READ}, {"picture", VKS_WRITE}), VKS_PUSH(params),
             .items = {tiles, 1}, /* in one row, which may be of any length */
             .group = {SHEET_TILE_WIDTH / SHEET_RUN, SHEET_TILE_HEIGHT}, .per_group = {1, 1},
             .bytes = 8 * (double)lines * sheet->cell_width);
    vks_declare_yuv(declaration, wants, sheet->width, sheet->height);
}

static enum vks_result check_total(const struct vks_grid *grid, const struct vks_gpu *gpu,
                                   uint64_t total)
{
    char needs[32], has[32];
    if (total <= gpu->info.memory) {
        return VKS_OK;
    }
    return vks_fail(VKS_ERROR_USAGE,
                    "the %zu cells need %s in all, more than the %s of %s; choose a smaller --size "
                    "or fewer cells",
                    grid->count, vks_format_bytes(total, needs),
                    vks_format_bytes(gpu->info.memory, has), gpu->info.name);
}

/* Checks and frees a declaration; adds the bytes that it needs. */
static enum vks_result add_needs(const struct vks_gpu *gpu, struct vks_declaration *declaration,
                                 uint64_t *total)
{
    const enum vks_result result = vks_graph_fits(gpu, declaration);
    *total += result == VKS_OK ? vks_declaration_bytes(declaration) : 0;
    vks_declaration_free(declaration);
    return result;
}

enum vks_result vks_grid_fits(const struct vks_grid *grid, const vks_context *context, bool bands)
{
    const struct vks_gpu *gpu = &context->gpu;
    const struct vks_view_params view = {.max_bytes =
                                             bands && !grid->is_sheet ? gpu->field_range : 0};
    uint64_t total = 0;
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < grid->count && result == VKS_OK; i++) {
        struct vks_declaration declaration = {0};
        vks_declare_bands(&grid->settings[i], 0, &view, &declaration);
        if (!is_owner(grid, i)) {
            vks_declaration_strip_to_frames(&declaration);
        }
        result = add_needs(gpu, &declaration, &total);
    }
    if (result == VKS_OK) {
        result = check_total(grid, gpu, total);
    }
    if (result == VKS_OK && grid->is_sheet) {
        struct vks_declaration declaration = {0};
        declare_composite(&grid->sheet, vks_plane_bit(VKS_PLANE_YUV), &declaration);
        result = add_needs(gpu, &declaration, &total);
        result = result == VKS_OK ? check_total(grid, gpu, total) : result;
    }
    return result;
}

static enum vks_result open_composite(struct vks_grid *grid, unsigned wants)
{
    struct vks_declaration declaration = {0};
    uint8_t *ground = vks_sheet_ground(&grid->sheet);
    enum vks_result result = ground ? VKS_OK : vks_fail_memory();
    for (size_t i = 0; i < grid->count && result == VKS_OK; i++) {
        vks_sheet_letter(&grid->sheet, ground, i, &grid->captions[i]);
    }
    if (result == VKS_OK) {
        declare_composite(&grid->sheet, wants, &declaration);
        result = vks_graph_create(grid->gpu, &declaration, &grid->composite);
    }
    if (result == VKS_OK) {
        result = vks_graph_start(grid->composite, 0, true);
    }
    if (result == VKS_OK) {
        result = vks_graph_upload(grid->composite, "picture", ground);
    }
    free(ground);
    vks_declaration_free(&declaration);
    return result;
}

enum vks_result vks_grid_open(struct vks_grid *grid, vks_context *context,
                              const struct vks_state_file *state, unsigned wants)
{
    /* What is made of pictures is made of the sheet; but what the sheet cannot hold, a cell must
     * not have. */
    const bool opaque = (wants & VKS_VIEW_OPAQUE) || vks_planes_are_opaque(wants);
    const unsigned cell_wants = !grid->is_sheet ? wants : opaque ? VKS_VIEW_OPAQUE : 0;
    grid->gpu = &context->gpu;
    grid->simulations = calloc(grid->count, sizeof(*grid->simulations));
    enum vks_result result = grid->simulations ? VKS_OK : vks_fail_memory();
    for (size_t i = 0; i < grid->count && result == VKS_OK; i++) {
        const struct vks_settings *settings = &grid->settings[i];
        vks_simulation **simulation = &grid->simulations[i];
        result = is_owner(grid, i)
                     ? vks_simulation_open(context, settings, state, cell_wants, simulation)
                     : vks_simulation_open_view(context, settings, cell_wants, simulation);
    }
    return result == VKS_OK && grid->is_sheet ? open_composite(grid, wants) : result;
}

void vks_grid_destroy(struct vks_grid *grid)
{
    if (!grid) {
        return;
    }
    for (size_t i = 0; grid->simulations && i < grid->count; i++) {
        vks_simulation_destroy(grid->simulations[i]);
    }
    vks_graph_destroy(grid->composite);
    free(grid->simulations);
    free(grid->owners);
    free(grid->captions);
    free(grid);
}

size_t vks_grid_count(const struct vks_grid *grid)
{
    return grid->count;
}

vks_simulation *vks_grid_simulation(const struct vks_grid *grid, size_t cell)
{
    return grid->simulations[grid->owners[cell]];
}

/* The graph of a cell; after the last cell, that of the composite. */
static struct vks_graph *graph_at(const struct vks_grid *grid, size_t index)
{
    return index < grid->count ? vks_simulation_graph(grid->simulations[index]) : grid->composite;
}

/* --- running --------------------------------------------------------------------------------- */

/* Steps of a cell that takes `own` a frame when one that takes `most` has done `steps`. */
static uint64_t keep_pace(uint64_t steps, uint64_t own, uint64_t most)
{
    return steps / most * own + steps % most * own / most; /* own and most are below 2^30 */
}

static enum vks_result run(void *user, uint64_t steps)
{
    struct vks_grid *grid = user;
    const uint64_t most = vks_grid_steps_per_frame(grid);
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < grid->count && result == VKS_OK; i++) {
        const uint64_t own = grid->settings[i].common.steps_per_frame;
        const uint64_t due =
            keep_pace(grid->steps + steps, own, most) - keep_pace(grid->steps, own, most);
        result = is_owner(grid, i) ? vks_simulation_run(grid->simulations[i], due) : VKS_OK;
    }
    grid->steps += steps;
    return result;
}

static enum vks_result wait(void *user)
{
    struct vks_grid *grid = user;
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < grid->count && result == VKS_OK; i++) {
        result = vks_simulation_wait(grid->simulations[i]);
    }
    return result;
}

/* `seed` is the first cell's; the others' move on by as much. */
static enum vks_result restart(void *user, uint32_t seed)
{
    struct vks_grid *grid = user;
    const uint32_t change =
        seed - (uint32_t)vks_simulation_settings(grid->simulations[0])->common.seed;
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < grid->count && result == VKS_OK; i++) {
        const uint64_t own = vks_simulation_settings(grid->simulations[i])->common.seed;
        result = vks_simulation_restart(grid->simulations[i], (uint32_t)own + change);
    }
    grid->steps = 0;
    return result;
}

struct vks_runnable vks_grid_runnable(struct vks_grid *grid)
{
    return (struct vks_runnable){.user = grid, .run = run, .wait = wait, .restart = restart};
}

uint64_t vks_grid_steps(const struct vks_grid *grid)
{
    uint64_t steps = 0;
    const uint64_t most = vks_grid_steps_per_frame(grid);
    for (size_t i = 0; i < grid->count; i++) {
        const uint64_t own = grid->settings[i].common.steps_per_frame;
        steps += is_owner(grid, i) ? keep_pace(grid->steps, own, most) : 0;
    }
    return steps;
}

bool vks_grid_follows(const struct vks_grid *grid)
{
    for (size_t i = 0; i < grid->count; i++) {
        if (strcmp(grid->settings[i].common.look.normalize, "smooth") == 0) {
            return true;
        }
    }
    return false;
}

/* --- drawing --------------------------------------------------------------------------------- */

/* The state of a cell, and its step, to another that draws it its own way. */
static void copy_state(const struct vks_grid *grid, VkCommandBuffer commands, size_t from,
                       size_t to)
{
    const struct vks_declaration *all = vks_graph_declaration(graph_at(grid, from));
    const struct vks_declaration *drawn = vks_graph_declaration(graph_at(grid, to));
    for (size_t i = 0; i < drawn->field_count; i++) {
        const struct vks_field *field = &drawn->fields[i];
        if (vks_field_is_state(all, field)) {
            vks_graph_copy(graph_at(grid, from), graph_at(grid, to), field->name, commands);
        }
    }
    vks_graph_copy_clock(graph_at(grid, from), graph_at(grid, to), commands);
}

/* After a cell's frame: its picture to the composite, its state to those that share it. */
static void copy_frame(void *user, VkCommandBuffer commands)
{
    struct vks_grid *grid = user;
    const size_t cell = grid->copying;
    const uint64_t bytes = (uint64_t)grid->picture.width * grid->picture.height * 4;
    const VkBufferCopy region = {.dstOffset = cell * bytes, .size = bytes};
    grid->gpu->vk.vkCmdCopyBuffer(commands, vks_graph_buffer(graph_at(grid, cell), "picture"),
                                  vks_graph_buffer(grid->composite, "cells"), 1, &region);
    for (size_t i = cell + 1; i < grid->count; i++) {
        if (grid->owners[i] == cell) {
            copy_state(grid, commands, cell, i);
        }
    }
}

enum vks_result vks_grid_draw(struct vks_grid *grid)
{
    enum vks_result result = VKS_OK;
    uint64_t value;
    for (size_t i = 0; grid->composite && i < grid->count && result == VKS_OK; i++) {
        grid->copying = i;
        result = vks_graph_frame(graph_at(grid, i), copy_frame, grid, VK_NULL_HANDLE,
                                 VK_NULL_HANDLE, &value);
    }
    return result;
}

struct vks_graph *vks_grid_graph(const struct vks_grid *grid)
{
    return grid->composite ? grid->composite : graph_at(grid, 0);
}

struct vks_bands vks_grid_bands(const struct vks_grid *grid)
{
    const uint32_t height = vks_grid_size(grid).height;
    return grid->composite
               ? (struct vks_bands){.graph = grid->composite, .height = height, .rows = height}
               : vks_simulation_bands(grid->simulations[0]);
}

/* --- timings --------------------------------------------------------------------------------- */

/* Whether a pass of that name stands before pass `pass` of graph `graph`. */
static bool is_repeated(const struct vks_grid *grid, size_t graph, size_t pass, const char *name)
{
    for (size_t i = 0; i <= graph; i++) {
        const struct vks_declaration *declaration = vks_graph_declaration(graph_at(grid, i));
        const size_t end = i == graph ? pass : declaration->pass_count;
        for (size_t j = 0; j < end; j++) {
            if (strcmp(declaration->passes[j].name, name) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* The pass with that index among all of different names; NULL past the last. */
static const struct vks_pass *pass_at(const struct vks_grid *grid, size_t graphs, size_t index)
{
    for (size_t i = 0; i < graphs; i++) {
        const struct vks_declaration *declaration = vks_graph_declaration(graph_at(grid, i));
        for (size_t j = 0; j < declaration->pass_count; j++) {
            const struct vks_pass *pass = &declaration->passes[j];
            if (!is_repeated(grid, i, j, pass->name) && index-- == 0) {
                return pass;
            }
        }
    }
    return NULL;
}

bool vks_grid_timing(struct vks_grid *grid, size_t index, struct vks_pass_timing *timing,
                     bool *each_frame)
{
    const size_t count = grid->count + (grid->composite ? 1 : 0);
    const struct vks_pass *pass = pass_at(grid, count, index);
    struct vks_graph **graphs = calloc(count, sizeof(struct vks_graph *));
    bool found = pass && graphs && wait(grid) == VKS_OK;
    for (size_t i = 0; found && i < count; i++) {
        graphs[i] = graph_at(grid, i);
    }
    found = found && vks_graphs_timing(graphs, count, pass->name, timing);
    if (found) {
        *each_frame = pass->when == VKS_EACH_FRAME;
    }
    free(graphs);
    return found;
}

void vks_grid_busy(const struct vks_grid *grid, double *seconds, uint64_t *steps)
{
    *seconds = 0;
    *steps = 0;
    for (size_t i = 0; i < grid->count; i++) {
        double busy;
        uint64_t done;
        vks_graph_busy(graph_at(grid, i), &busy, &done);
        *seconds += busy;
        *steps += done;
    }
}
