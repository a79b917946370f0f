/* SPDX-License-Identifier: MIT */
#include "runs/grid.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/task.h"
#include "graph/graph.h"
#include "runs/cells.h"
#include "sheet/params.h"

struct vks_grid {
    const struct vks_settings *settings;
    size_t count;
    struct vks_size picture; /* of a cell */
    size_t *owners;          /* of each cell: the one that computes its state */
    bool is_sheet;           /* several cells, or one that was requested as a grid */
    bool by_time;            /* all cells take the same steps */
    struct vks_caption *captions;
    struct vks_sheet sheet;
    /* Open: */
    struct vks_gpu *gpu;
    vks_simulation **simulations;
    struct vks_graph *composite; /* NULL without a sheet */
    struct vks_graph **graphs;   /* of steps, pictures and brushes, by cells; the composite last */
    size_t graph_count;
    uint64_t steps; /* of the cell with the most per frame */
    size_t copying; /* the cell whose picture is being copied */
};

/* --- planning -------------------------------------------------------------------------------- */

uint64_t vks_grid_steps_per_frame(const struct vks_grid *grid)
{
    return grid->by_time ? 1 : vks_cells_max_steps(grid->settings, grid->count);
}

uint64_t vks_grid_common_steps(const struct vks_grid *grid)
{
    return grid->by_time ? 0 : vks_cells_common_steps(grid->settings, grid->count);
}

/* Steps per frame of a cell. */
static uint64_t own_steps(const struct vks_grid *grid, size_t cell)
{
    return grid->by_time ? 1 : grid->settings[cell].common.steps_per_frame;
}

bool vks_grid_follows(const struct vks_grid *grid)
{
    return vks_cells_follow(grid->settings, grid->count);
}

static enum vks_result plan_sheet(struct vks_grid *grid, const struct vks_vary *vary)
{
    grid->captions = calloc(grid->count, sizeof(*grid->captions));
    grid->sheet = (struct vks_sheet){
        .columns = vary->columns,
        .rows = vary->rows,
        .cell_width = grid->picture.width,
        .cell_height = grid->picture.height,
        .count = grid->count,
    };
    enum vks_result result = grid->captions ? VKS_OK : vks_fail_memory();
    if (result == VKS_OK) {
        result = vks_cells_check_pictures(grid->settings, grid->count);
    }
    if (result == VKS_OK) {
        result = vks_cells_captions(grid->settings, vary, grid->captions);
    }
    return result == VKS_OK ? vks_sheet_plan(&grid->sheet, grid->captions) : result;
}

bool vks_grid_is_owner(const struct vks_grid *grid, size_t cell)
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
    grid->picture = vks_cell_picture(&cells[0]);
    grid->owners = vks_cells_owners(cells, grid->count);
    enum vks_result result = grid->owners ? VKS_OK : vks_fail_memory();
    if (result == VKS_OK && grid->is_sheet) {
        result = plan_sheet(grid, vary);
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

/* --- the composite --------------------------------------------------------------------------- */

/* A graph of its own that only draws: "cells", the pictures one after another, are copied
 * into "picture", which already holds the background and the captions. */
static void declare_composite(const struct vks_sheet *sheet, unsigned planes,
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
             .items = {tiles, 1}, /* in one row, whose length has no limit */
             .group = {SHEET_TILE_WIDTH / SHEET_RUN, SHEET_TILE_HEIGHT}, .per_group = {1, 1},
             .bytes = 8 * (double)lines * sheet->cell_width);
    vks_declare_yuv(declaration, planes, sheet->width, sheet->height);
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

enum vks_result vks_grid_check_images(const struct vks_grid *grid, bool from_state)
{
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < grid->count && result == VKS_OK; i++) {
        result = vks_settings_check_images(
            &grid->settings[i], i > 0 ? &grid->settings[i - 1] : NULL, from_state, false);
    }
    return result;
}

/* Checks a declaration on a device, if there is one, and adds its own bytes to *total. */
static enum vks_result add_needs(const struct vks_gpu *gpu,
                                 const struct vks_declaration *declaration, uint64_t *total)
{
    const enum vks_result result = gpu ? vks_graph_fits(gpu, declaration) : declaration->result;
    *total += result == VKS_OK ? vks_declaration_bytes(declaration) : 0;
    return result;
}

/* The same for the steps of a cell, if it computes them, and its picture. */
static enum vks_result add_cell(const struct vks_grid *grid, size_t cell, const struct vks_gpu *gpu,
                                unsigned planes, const struct vks_view_params *bands,
                                uint64_t *total)
{
    struct vks_declaration steps = {0}, picture = {0};
    vks_declare_steps(&grid->settings[cell], &steps);
    vks_declare_picture(&grid->settings[cell], planes, bands, &steps, &picture);
    enum vks_result result = vks_grid_is_owner(grid, cell) ? add_needs(gpu, &steps, total) : VKS_OK;
    if (result == VKS_OK) {
        result = add_needs(gpu, &picture, total);
    }
    vks_declaration_free(&steps);
    vks_declaration_free(&picture);
    return result;
}

static enum vks_result add_composite(const struct vks_grid *grid, const struct vks_gpu *gpu,
                                     unsigned planes, uint64_t *total)
{
    struct vks_declaration declaration = {0};
    declare_composite(&grid->sheet, planes, &declaration);
    const enum vks_result result = add_needs(gpu, &declaration, total);
    vks_declaration_free(&declaration);
    return result;
}

/* What is made of pictures is made of the sheet; but what the sheet cannot hold, a cell must not
 * have. */
static unsigned planes_of_cells(const struct vks_grid *grid, unsigned planes)
{
    const bool opaque = (planes & VKS_VIEW_OPAQUE) || vks_planes_are_opaque(planes);
    return !grid->is_sheet ? planes : opaque ? VKS_VIEW_OPAQUE : 0;
}

enum vks_result vks_grid_bytes(const struct vks_grid *grid, unsigned planes, uint64_t *bytes)
{
    const unsigned whole = planes & ~(unsigned)VKS_VIEW_BANDS;
    enum vks_result result = VKS_OK;
    *bytes = 0;
    for (size_t i = 0; i < grid->count && result == VKS_OK; i++) {
        result = add_cell(grid, i, NULL, planes_of_cells(grid, whole), NULL, bytes);
    }
    return result == VKS_OK && grid->is_sheet ? add_composite(grid, NULL, whole, bytes) : result;
}

enum vks_result vks_grid_fits(const struct vks_grid *grid, const vks_context *context, bool bands)
{
    const struct vks_gpu *gpu = &context->gpu;
    const struct vks_view_params view = {.max_bytes =
                                             bands && !grid->is_sheet ? gpu->field_range : 0};
    uint64_t total = 0;
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < grid->count && result == VKS_OK; i++) {
        result = add_cell(grid, i, gpu, 0, &view, &total);
    }
    if (result == VKS_OK) {
        result = check_total(grid, gpu, total);
    }
    if (result == VKS_OK && grid->is_sheet) {
        result = add_composite(grid, gpu, vks_plane_bit(VKS_PLANE_YUV), &total);
        result = result == VKS_OK ? check_total(grid, gpu, total) : result;
    }
    return result;
}

enum vks_result vks_grid_each_shader(const struct vks_grid *grid,
                                     void (*add)(void *user, const char *name), void *user)
{
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < grid->count && result == VKS_OK; i++) {
        struct vks_declaration steps = {0}, picture = {0};
        vks_declare_steps(&grid->settings[i], &steps);
        vks_declare_picture(&grid->settings[i], 0, NULL, &steps, &picture);
        result = picture.result;
        for (size_t j = 0; j < steps.pass_count && result == VKS_OK; j++) {
            add(user, steps.passes[j].shader);
        }
        for (size_t j = 0; j < picture.pass_count && result == VKS_OK; j++) {
            add(user, picture.passes[j].shader);
        }
        vks_declaration_free(&picture);
        vks_declaration_free(&steps);
    }
    return result;
}

static enum vks_result open_composite(struct vks_grid *grid, unsigned planes)
{
    struct vks_declaration declaration = {0};
    uint8_t *background = vks_sheet_background(&grid->sheet);
    enum vks_result result = background ? VKS_OK : vks_fail_memory();
    for (size_t i = 0; i < grid->count && result == VKS_OK; i++) {
        vks_sheet_draw_caption(&grid->sheet, background, i, &grid->captions[i]);
    }
    if (result == VKS_OK) {
        declare_composite(&grid->sheet, planes, &declaration);
        result = vks_graph_create(grid->gpu, &declaration, &grid->composite);
    }
    if (result == VKS_OK) {
        result = vks_graph_start(grid->composite, 0, true);
    }
    if (result == VKS_OK) {
        result = vks_graph_upload(grid->composite, "picture", background);
    }
    free(background);
    vks_declaration_free(&declaration);
    return result;
}

static void list_graphs(struct vks_grid *grid)
{
    grid->graph_count = 0;
    for (size_t i = 0; i < grid->count; i++) {
        struct vks_graph *graphs[VKS_MAX_GRAPHS];
        const size_t count = vks_simulation_graphs(grid->simulations[i], graphs);
        for (size_t j = vks_grid_is_owner(grid, i) ? 0 : 1; j < count; j++) {
            grid->graphs[grid->graph_count++] = graphs[j]; /* the steps' is the owner's */
        }
    }
    if (grid->composite) {
        grid->graphs[grid->graph_count++] = grid->composite;
    }
}

static enum vks_result open_all(struct vks_grid *grid, vks_context *context,
                                const struct vks_state_file *state, unsigned planes)
{
    const unsigned cell_planes = planes_of_cells(grid, planes);
    grid->gpu = &context->gpu;
    grid->simulations = calloc(grid->count, sizeof(*grid->simulations));
    grid->graphs = calloc(VKS_MAX_GRAPHS * grid->count + 1, sizeof(*grid->graphs));
    enum vks_result result = grid->simulations && grid->graphs ? VKS_OK : vks_fail_memory();
    for (size_t i = 0; i < grid->count && result == VKS_OK; i++) {
        const struct vks_settings *settings = &grid->settings[i];
        vks_simulation **simulation = &grid->simulations[i];
        result = vks_task_advance(0);
        if (result == VKS_OK && i > 0) {
            /* Here, so that no more than one cell's start is queued when Ctrl-C arrives. */
            result = vks_simulation_wait(grid->simulations[i - 1]);
        }
        if (result != VKS_OK) {
            break;
        }
        result = vks_grid_is_owner(grid, i)
                     ? vks_simulation_open(context, settings, state, cell_planes, simulation)
                     : vks_simulation_open_view(grid->simulations[grid->owners[i]], settings,
                                                cell_planes, simulation);
    }
    if (result == VKS_OK && grid->is_sheet) {
        result = open_composite(grid, planes);
    }
    if (result == VKS_OK) {
        list_graphs(grid);
    }
    return result;
}

enum vks_result vks_grid_open(struct vks_grid *grid, vks_context *context,
                              const struct vks_state_file *state, unsigned planes)
{
    struct vks_task task;
    vks_task_begin(&task, NULL, 0);
    enum vks_result result = open_all(grid, context, state, planes);
    if (result == VKS_OK) {
        result = vks_task_advance(0);
    }
    vks_task_end(&task);
    return result;
}

enum vks_result vks_grid_use_planes(struct vks_grid *grid, unsigned planes)
{
    return grid->is_sheet
               ? vks_fail(VKS_ERROR_USAGE, "a grid of runs cannot be recorded in the window; use "
                                           "--headless with --out")
               : vks_simulation_use_planes(grid->simulations[0], planes);
}

enum vks_result vks_grid_reload(struct vks_grid *grid)
{
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < grid->count && result == VKS_OK; i++) {
        result = vks_simulation_reload(grid->simulations[i]);
    }
    return result == VKS_OK && grid->composite ? vks_graph_reload(grid->composite) : result;
}

void vks_grid_close(struct vks_grid *grid)
{
    for (size_t i = grid->count; grid->simulations && i-- > 0;) { /* owners after their views */
        vks_simulation_destroy(grid->simulations[i]);
    }
    vks_graph_destroy(grid->composite);
    free(grid->graphs);
    free(grid->simulations);
    grid->composite = NULL;
    grid->graphs = NULL;
    grid->simulations = NULL;
    grid->graph_count = 0;
}

void vks_grid_by_time(struct vks_grid *grid)
{
    grid->by_time = true;
}

void vks_grid_destroy(struct vks_grid *grid)
{
    if (!grid) {
        return;
    }
    vks_grid_close(grid);
    free(grid->owners);
    free(grid->captions);
    free(grid);
}

const struct vks_settings *vks_grid_settings(const struct vks_grid *grid, size_t cell)
{
    return &grid->settings[cell];
}

size_t vks_grid_count(const struct vks_grid *grid)
{
    return grid->count;
}

vks_simulation *vks_grid_simulation(const struct vks_grid *grid, size_t cell)
{
    return grid->simulations[grid->owners[cell]];
}

enum vks_result vks_grid_build(struct vks_grid *grid)
{
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < grid->graph_count && result == VKS_OK; i++) {
        result = vks_graph_build(grid->graphs[i]);
    }
    return result;
}

/* --- moments --------------------------------------------------------------------------------- */

/* The states of all cells that have one of their own, and of the pictures of the others. */
struct moment {
    uint64_t steps;
    vks_snapshot *snapshots[]; /* of each cell; NULL: not taken */
};

static void forget(void *user, void *kept)
{
    const struct vks_grid *grid = user;
    struct moment *moment = kept;
    for (size_t i = 0; moment && i < grid->count; i++) {
        vks_snapshot_release(moment->snapshots[i]);
    }
    free(moment);
}

static enum vks_result keep(void *user, void **kept, uint64_t *bytes)
{
    struct vks_grid *grid = user;
    struct moment *moment = calloc(1, sizeof(*moment) + grid->count * sizeof(vks_snapshot *));
    enum vks_result result = moment ? VKS_OK : vks_fail_memory();
    *bytes = 0;
    for (size_t i = 0; i < grid->count && result == VKS_OK; i++) {
        struct vks_snapshot_info info = {.size = sizeof(info)};
        result = vks_simulation_snapshot(grid->simulations[i], VKS_SNAPSHOT_DEVICE,
                                         &moment->snapshots[i]);
        if (result == VKS_OK) {
            result = vks_snapshot_describe(moment->snapshots[i], &info);
            *bytes += info.bytes;
        }
    }
    if (result != VKS_OK) {
        forget(grid, moment);
        return result;
    }
    moment->steps = grid->steps;
    *kept = moment;
    return VKS_OK;
}

static enum vks_result go_back(void *user, const void *kept)
{
    struct vks_grid *grid = user;
    const struct moment *moment = kept;
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < grid->count && result == VKS_OK; i++) {
        result = vks_simulation_restore(grid->simulations[i], moment->snapshots[i]);
    }
    grid->steps = moment->steps;
    return result;
}

struct vks_keeper vks_grid_keeper(struct vks_grid *grid)
{
    return (struct vks_keeper){.user = grid, .keep = keep, .restore = go_back, .forget = forget};
}

/* --- running --------------------------------------------------------------------------------- */

/* Steps that a cell with `own` steps per frame has completed when one with `max` has `steps`. */
static uint64_t keep_pace(uint64_t steps, uint64_t own, uint64_t max)
{
    return steps / max * own + steps % max * own / max; /* own and max are below 2^30 */
}

static enum vks_result run(void *user, uint64_t *steps_now)
{
    struct vks_grid *grid = user;
    const uint64_t before = vks_graph_steps(vks_simulation_graph(grid->simulations[0]));
    uint64_t steps = *steps_now;
    const uint64_t max = vks_grid_steps_per_frame(grid);
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < grid->count && result == VKS_OK; i++) {
        const uint64_t own = own_steps(grid, i);
        const uint64_t due =
            keep_pace(grid->steps + steps, own, max) - keep_pace(grid->steps, own, max);
        result =
            vks_grid_is_owner(grid, i) ? vks_simulation_run(grid->simulations[i], due) : VKS_OK;
    }
    if (result == VKS_INTERRUPTED) { /* several ranks, which run one simulation */
        steps = vks_graph_steps(vks_simulation_graph(grid->simulations[0])) - before;
        *steps_now = steps;
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
    return result == VKS_OK && grid->composite ? vks_graph_wait(grid->composite) : result;
}

/* `seed` is the first cell's; the others change by the same amount. */
static enum vks_result restart_cells(struct vks_grid *grid, uint32_t seed)
{
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

/* If a cell fails, all return to what they were; a single simulation does by itself. */
static enum vks_result restart(struct vks_grid *grid, uint32_t seed)
{
    void *before = NULL;
    uint64_t bytes;
    enum vks_result result = grid->count > 1 ? keep(grid, &before, &bytes) : VKS_OK;
    if (result == VKS_OK) {
        result = restart_cells(grid, seed);
        if (result != VKS_OK && before) {
            const enum vks_result back = go_back(grid, before);
            result = back == VKS_OK ? result : back;
        }
    }
    forget(grid, before);
    return result;
}

/* Sets options of all cells, or of none. */
static enum vks_result set(struct vks_grid *grid, const json_t *values)
{
    json_t **before = calloc(grid->count, sizeof(json_t *));
    enum vks_result result = before ? VKS_OK : vks_fail_memory();
    size_t done = 0;
    while (result == VKS_OK && done < grid->count) {
        vks_simulation *simulation = grid->simulations[done];
        result = vks_settings_read(vks_simulation_settings(simulation), values, &before[done]);
        if (result == VKS_OK) {
            result = vks_simulation_set_values(simulation, values);
        }
        done += result == VKS_OK;
    }
    for (size_t i = 0; result != VKS_OK && i < done; i++) {
        const enum vks_result back = vks_simulation_set_values(grid->simulations[i], before[i]);
        result = back == VKS_OK ? result : back;
    }
    for (size_t i = 0; before && i < grid->count; i++) {
        json_decref(before[i]);
    }
    free(before);
    return result;
}

/* Paints in all cells with a state of their own, or in none. */
static enum vks_result paint(struct vks_grid *grid, const struct vks_event *event)
{
    struct vks_stroke strokes[VKS_MAX_STROKES];
    size_t count;
    enum vks_result result = vks_event_strokes(event, strokes, &count);
    for (size_t i = 0; i < grid->count && result == VKS_OK; i++) {
        result = vks_simulation_can_paint(grid->simulations[i], strokes, count);
    }
    for (size_t i = 0; i < grid->count && result == VKS_OK; i++) {
        if (vks_grid_is_owner(grid, i)) {
            result = vks_simulation_paint(grid->simulations[i], strokes, count);
        }
    }
    return result;
}

static enum vks_result apply(void *user, const struct vks_event *event, json_t **values)
{
    struct vks_grid *grid = user;
    enum vks_result result = event->set ? set(grid, event->set) : VKS_OK;
    if (result == VKS_OK && event->set) {
        result =
            vks_settings_read(vks_simulation_settings(grid->simulations[0]), event->set, values);
    }
    if (result == VKS_OK && event->restarts) {
        result = restart(grid, event->seed);
    }
    return result == VKS_OK && event->paint ? paint(grid, event) : result;
}

struct vks_runnable vks_grid_runnable(struct vks_grid *grid)
{
    return (struct vks_runnable){.user = grid, .run = run, .wait = wait, .apply = apply};
}

uint64_t vks_grid_steps(const struct vks_grid *grid)
{
    uint64_t steps = 0;
    const uint64_t max = vks_grid_steps_per_frame(grid);
    for (size_t i = 0; i < grid->count; i++) {
        const uint64_t own = own_steps(grid, i);
        steps += vks_grid_is_owner(grid, i) ? keep_pace(grid->steps, own, max) : 0;
    }
    return steps;
}

/* --- drawing --------------------------------------------------------------------------------- */

/* After a cell's frame: copies its picture to the composite. */
static void copy_frame(void *user, VkCommandBuffer commands)
{
    struct vks_grid *grid = user;
    const size_t cell = grid->copying;
    const uint64_t bytes = (uint64_t)grid->picture.width * grid->picture.height * 4;
    const VkBufferCopy region = {.dstOffset = cell * bytes, .size = bytes};
    grid->gpu->vk.vkCmdCopyBuffer(
        commands, vks_graph_buffer(vks_simulation_picture(grid->simulations[cell]), "picture"),
        vks_graph_buffer(grid->composite, "cells"), 1, &region);
}

enum vks_result vks_grid_draw(struct vks_grid *grid)
{
    const bool ranks = vks_simulation_settings(grid->simulations[0])->slab.count > 1;
    enum vks_result result = ranks ? vks_simulation_collect(grid->simulations[0]) : VKS_OK;
    uint64_t value;
    for (size_t i = 0; grid->composite && i < grid->count && result == VKS_OK; i++) {
        grid->copying = i;
        result = vks_graph_frame(vks_simulation_picture(grid->simulations[i]), copy_frame, grid,
                                 VK_NULL_HANDLE, VK_NULL_HANDLE, &value);
    }
    return result;
}

struct vks_graph *vks_grid_graph(const struct vks_grid *grid)
{
    return grid->composite ? grid->composite : vks_simulation_picture(grid->simulations[0]);
}

struct vks_bands vks_grid_bands(const struct vks_grid *grid)
{
    const uint32_t height = vks_grid_size(grid).height;
    return grid->composite
               ? (struct vks_bands){.graph = grid->composite,
                                    .stepped = vks_simulation_graph(grid->simulations[0]),
                                    .height = height,
                                    .rows = height}
               : vks_simulation_bands(grid->simulations[0]);
}

/* --- timings --------------------------------------------------------------------------------- */

bool vks_grid_timing(struct vks_grid *grid, size_t index, struct vks_pass_timing *timing,
                     bool *each_frame)
{
    list_graphs(grid); /* more brushes may have painted */
    const struct vks_pass *pass = vks_graphs_pass(grid->graphs, grid->graph_count, index);
    if (!pass || wait(grid) != VKS_OK) {
        return false;
    }
    *each_frame = pass->when == VKS_EACH_FRAME;
    return vks_graphs_timing(grid->graphs, grid->graph_count, index, timing);
}

void vks_grid_divide(const struct vks_grid *grid, const struct vks_division *division)
{
    for (size_t i = 0; i < grid->graph_count; i++) {
        vks_graph_divide(grid->graphs[i], division);
    }
}

uint64_t vks_grid_dropped(const struct vks_grid *grid)
{
    uint64_t dropped = 0;
    for (size_t i = 0; i < grid->graph_count; i++) {
        dropped += vks_graph_dropped(grid->graphs[i]);
    }
    return dropped;
}

void vks_grid_busy(const struct vks_grid *grid, double *seconds, uint64_t *steps)
{
    *seconds = 0;
    *steps = 0;
    for (size_t i = 0; i < grid->graph_count; i++) {
        double busy;
        uint64_t done;
        vks_graph_busy(grid->graphs[i], &busy, &done);
        *seconds += busy;
        *steps += done;
    }
}
