/* SPDX-License-Identifier: MIT */
/* Making a simulation: what its settings declare, and its start. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/profile.h"
#include "io/image.h"
#include "api/internal.h"
#include "api/rank.h"
#include "api/tune.h"
#include "sim/registry.h"

/* The title of a view's fallback: the name of the view of that field, else the field's. */
static const char *fallback_title(const struct vks_model *model, const char *field)
{
    for (const struct vks_view *view = model->views; field && view->name; view++) {
        if (view->field && strcmp(view->field, field) == 0) {
            return view->name;
        }
    }
    return field;
}

static struct vks_labels labels_of(const struct vks_settings *settings, const struct vks_view *view)
{
    const struct vks_model *model = settings->model;
    const struct vks_size size = settings->common.size;
    const uint32_t flat = size.width > size.height ? size.width : size.height;
    const uint32_t longest = flat > size.depth ? flat : size.depth;
    return (struct vks_labels){.title = view->name,
                               .unit = view->unit,
                               .fallback = fallback_title(model, view->fallback),
                               .time = model->time.scalar,
                               .steps = model->reverse_field,
                               .box = model->unit_box ? longest : 0};
}

struct vks_view_params vks_view_of(const struct vks_settings *settings, const struct vks_view *view,
                                   unsigned planes, const struct vks_view_params *bands)
{
    /* A fixed range is for the view's own field. */
    const bool own = settings->common.look.view != NULL ||
                     settings->common.look.values.range.mode == VKS_RANGE_FIXED;
    return (struct vks_view_params){.name = view->name,
                                    .displayed = view->field,
                                    .fallback = own ? NULL : view->fallback,
                                    .points = view->field ? NULL : view->points,
                                    .tint = view->tint[0] ? view->tint : NULL,
                                    .look = &settings->common.look,
                                    .labels = labels_of(settings, view),
                                    .planes = planes,
                                    .max_bytes = bands ? bands->max_bytes : 0,
                                    .part = bands ? bands->part : VKS_VIEW_MEASURE,
                                    .row = bands ? bands->row : 0};
}

/* "(H, W)" or "(D, H, W)". */
static const char *shape_text(const uint64_t *shape, uint32_t rank, char text[80])
{
    int used = 0;
    for (uint32_t i = 0; i < rank; i++) {
        used += snprintf(text + used, 80 - (size_t)used, "%s%llu", i ? ", " : "(",
                         (unsigned long long)shape[i]);
    }
    snprintf(text + used, 80 - (size_t)used, ")");
    return text;
}

/* Pictures have the size of the grid or of its plane, so the displayed field must have it. */
static void check_displayed_size(const struct vks_settings *settings, const char *name,
                                 struct vks_declaration *declaration)
{
    const struct vks_size size = settings->common.size;
    const struct vks_look_mix *mix = &settings->common.look.values.mix;
    const uint64_t grid[] = {mix->planes > 1 ? mix->planes : size.depth, size.height, size.width};
    const int index = name ? vks_find_field(declaration, name) : -1; /* NULL: points are shown */
    const struct vks_field *field = index < 0 ? NULL : &declaration->fields[index];
    if (declaration->result != VKS_OK || !field || field->rank < 2 ||
        memcmp(field->shape, grid + 3 - field->rank, field->rank * sizeof(*grid)) == 0) {
        return;
    }
    char is[80], must[80], text[64];
    vks_declaration_fail(
        declaration,
        vks_fail(VKS_ERROR_INTERNAL,
                 "the displayed field '%s' must have a value per cell: its shape is %s, not %s "
                 "for a size of %s",
                 field->name, shape_text(field->shape, field->rank, is),
                 shape_text(grid + 3 - field->rank, field->rank, must),
                 vks_option_get(vks_option_find(vks_common_options, "size"), &settings->common,
                                text, sizeof(text))));
}

void vks_declare_steps(const struct vks_settings *settings, struct vks_declaration *declaration)
{
    const struct vks_config config = vks_settings_config(settings);
    vks_declare_model(settings->model, &config, declaration);
}

void vks_declare_picture(const struct vks_settings *settings, unsigned planes,
                         const struct vks_view_params *bands, const struct vks_declaration *steps,
                         struct vks_declaration *declaration)
{
    const struct vks_config config = vks_settings_config(settings);
    const struct vks_view *view = settings->common.view;
    if (config.slab.count > 1) {
        vks_declare_rank_picture(settings, planes, steps, declaration);
        return;
    }
    vks_declare_frame(settings->model, &config, steps, declaration);
    check_displayed_size(settings, view->field, declaration);
    struct vks_view_params params = vks_view_of(settings, view, planes, bands);
    struct vks_exports cells, items;
    vks_settings_cells(settings, &cells);
    vks_settings_items(settings, steps, &items);
    params.cells = &cells;
    params.items = &items;
    vks_declare_view(declaration, &params);
}

/* The image that was read last, because several fields may be made from one. */
struct brightness {
    const char *path; /* the declaration's */
    uint32_t width, height, fit;
    float *values;
    struct vks_settings *settings; /* of the simulation */
};

/* Notes the digest of an image, by which a state file tells whether it is the same when the run
 * continues. Images of persistent fields are part of the state. */
static enum vks_result note_image(struct vks_settings *settings, const char *path,
                                  const float *values, size_t count)
{
    char hex[33];
    settings->images = settings->images ? settings->images : json_object();
    if (!settings->images) {
        return vks_fail_memory();
    }
    vks_digest_of(values, count * sizeof(*values), hex);
    return json_object_set_new_nocheck(settings->images, path, json_string(hex)) == 0
               ? VKS_OK
               : vks_fail_memory();
}

static enum vks_result read_brightness(void *user, const struct vks_field *field, uint32_t width,
                                       uint32_t height, const float **values)
{
    struct brightness *last = user;
    const char *path = field->image;
    const uint32_t fit = field->image_fit;
    enum vks_result result = VKS_OK;
    if (!last->path || strcmp(last->path, path) != 0 || last->width != width ||
        last->height != height || last->fit != fit) {
        free(last->values);
        *last = (struct brightness){
            .path = path, .width = width, .height = height, .fit = fit, .settings = last->settings};
        result = vks_image_brightness(path, width, height, (enum vks_image_fit)fit, &last->values);
        last->path = result == VKS_OK ? path : NULL;
    }
    *values = last->values;
    return result == VKS_OK && !field->persistent
               ? note_image(last->settings, path, last->values, (size_t)width * height)
               : result;
}

enum vks_result vks_simulation_fill(vks_simulation *simulation, bool has_state)
{
    struct brightness last = {.settings = &simulation->settings};
    const struct vks_images images = {&last, read_brightness};
    enum vks_result result =
        simulation->owner ? VKS_OK : vks_graph_fill(simulation->graph, has_state, &images);
    if (result == VKS_OK) {
        result = vks_graph_fill(simulation->picture, true, &images);
    }
    for (size_t i = 0; i < VKS_COUNT(simulation->values) && result == VKS_OK; i++) {
        if (simulation->values[i]) {
            result = vks_graph_fill(simulation->values[i], true, &images);
        }
    }
    free(last.values);
    return result;
}

/* Starts at a step, without what the host fills. */
static enum vks_result begin_at(vks_simulation *simulation, uint64_t steps)
{
    struct brightness last = {.settings = &simulation->settings};
    const struct vks_images images = {&last, read_brightness};
    enum vks_result result =
        simulation->owner ? VKS_OK : vks_graph_start_from(simulation->graph, steps, &images);
    free(last.values);
    for (size_t i = 0; i < VKS_COUNT(simulation->values) && result == VKS_OK; i++) {
        if (simulation->values[i]) {
            result = vks_graph_start(simulation->values[i], 0, false);
        }
    }
    return result == VKS_OK ? vks_graph_start(simulation->picture, 0, false) : result;
}

enum vks_result vks_simulation_start(vks_simulation *simulation, const struct vks_state_file *state)
{
    struct vks_graph *graph = simulation->owner ? NULL : simulation->graph;
    vks_phase_begin(VKS_PHASE_START);
    enum vks_result result = begin_at(simulation, state ? state->steps : 0);
    if (result == VKS_OK && state) {
        result = vks_state_file_load(state, &simulation->settings, graph);
    }
    if (result == VKS_OK) { /* what a file without a header lacks, too */
        result = vks_simulation_fill(simulation, false);
    }
    if (result == VKS_OK && state) {
        vks_state_file_compare_images(state, &simulation->settings);
    }
    if (result == VKS_OK && graph) {
        result = vks_graph_ready(graph);
    }
    vks_phase_end();
    return result;
}

static bool same_array(const struct vks_field *a, const struct vks_field *b)
{
    return a->element == b->element && a->rank == b->rank &&
           memcmp(a->shape, b->shape, a->rank * sizeof(*a->shape)) == 0;
}

/* The largest number of bytes of a field of the state, if `from` has all of these; 0: it lacks
 * some. */
static uint64_t common_bytes(const vks_simulation *simulation, const vks_simulation *from)
{
    const struct vks_declaration *own = vks_graph_declaration(simulation->graph),
                                 *other = vks_graph_declaration(from->graph);
    uint64_t most = 0;
    for (size_t i = 0; i < own->field_count; i++) {
        const struct vks_field *field = &own->fields[i];
        const int found = field->persistent ? vks_find_field(other, field->name) : 0;
        if (field->persistent && (found < 0 || !same_array(field, &other->fields[found]))) {
            return 0;
        }
        const uint64_t bytes = field->persistent ? vks_field_bytes(field) : 0;
        most = bytes > most ? bytes : most;
    }
    return most;
}

static enum vks_result copy_state(vks_simulation *simulation, const vks_simulation *from,
                                  void *data)
{
    const struct vks_declaration *own = vks_graph_declaration(simulation->graph);
    enum vks_result result = begin_at(simulation, vks_graph_steps(from->graph));
    for (size_t i = 0; i < own->field_count && result == VKS_OK; i++) {
        const struct vks_field *field = &own->fields[vks_upload_order(own, i)];
        if (field->persistent) {
            result = vks_graph_download_to(from->graph, field->name, data);
        }
        if (field->persistent && result == VKS_OK) {
            result = vks_state_field_load(simulation->graph, field, data);
        }
    }
    result = result == VKS_OK ? vks_simulation_fill(simulation, false) : result;
    return result == VKS_OK ? vks_graph_ready(simulation->graph) : result;
}

enum vks_result vks_simulation_carry(vks_simulation *simulation, const vks_simulation *from,
                                     bool *carried)
{
    const uint64_t bytes = common_bytes(simulation, from);
    void *data = bytes > 0 && bytes <= SIZE_MAX ? malloc((size_t)bytes) : NULL;
    enum vks_result result = data ? copy_state(simulation, from, data) : VKS_OK;
    *carried = data && result == VKS_OK;
    free(data);
    if (result == VKS_ERROR_USAGE || result == VKS_ERROR_FILE) { /* values outside their range */
        result = vks_simulation_start(simulation, NULL);
    }
    return result;
}

/* Builds the graphs of the declarations. */
static enum vks_result create_graphs(vks_simulation *simulation, struct vks_declaration *steps,
                                     struct vks_declaration *picture)
{
    struct vks_gpu *gpu = &simulation->context->gpu;
    enum vks_result result = picture->result;
    if (result == VKS_OK && !simulation->owner) {
        steps->addressed = vks_declaration_splits(gpu, picture);
        result = vks_graph_fits(gpu, steps);
    }
    if (result == VKS_OK) {
        result = vks_graph_fits(gpu, picture); /* before the pipelines of steps are built */
    }
    if (result == VKS_OK && !simulation->owner) {
        result = vks_graph_create(gpu, steps, &simulation->graph);
    }
    if (result == VKS_OK && simulation->settings.slab.count > 1) {
        result = vks_rank_join(simulation);
    }
    if (result == VKS_OK) {
        result = vks_graph_create_bound(simulation->graph, picture, &simulation->picture);
    }
    return result == VKS_OK ? vks_rank_update_values(simulation) : result;
}

/* Builds the graphs for the settings as they are and starts them. */
static enum vks_result build(vks_simulation *simulation, const struct vks_state_file *state)
{
    struct vks_declaration steps = {0}, picture = {0};
    const double begin = vks_seconds();
    if (!simulation->owner) {
        vks_declare_steps(&simulation->settings, &steps);
    }
    vks_declare_picture(&simulation->settings, simulation->planes, &simulation->bands,
                        simulation->owner ? vks_graph_declaration(simulation->graph) : &steps,
                        &picture);
    enum vks_result result = create_graphs(simulation, &steps, &picture);
    vks_declaration_free(&steps);
    vks_declaration_free(&picture);
    const double created = vks_seconds();
    if (result == VKS_OK) {
        result = vks_simulation_start(simulation, state);
    }
    vks_message(VKS_LOG_VERBOSE, "pipelines and buffers made in %.1f ms, fields filled in %.1f ms",
                1e3 * (created - begin), 1e3 * (vks_seconds() - created));
    return result;
}

/* A simulation without graphs. */
static enum vks_result prepare(vks_context *context, const struct vks_settings *settings,
                               unsigned planes, vks_simulation **out)
{
    vks_simulation *simulation = calloc(1, sizeof(*simulation));
    if (!simulation) {
        return vks_fail_memory();
    }
    simulation->context = context;
    vks_simulation_take_planes(simulation, planes);
    *out = simulation;
    return vks_settings_copy(&simulation->settings, settings);
}

enum vks_result vks_simulation_open(vks_context *context, const struct vks_settings *settings,
                                    const struct vks_state_file *state, unsigned planes,
                                    vks_simulation **out)
{
    vks_simulation *simulation = NULL;
    enum vks_result result = prepare(context, settings, planes, &simulation);
    if (result == VKS_OK && context->ranks.count > 1) {
        simulation->settings.limits = vks_graph_limits(&context->gpu);
        simulation->settings.slab = (struct vks_slab){0};
        result =
            vks_rank_slab(&simulation->settings, context->ranks.index, context->ranks.count,
                          context->exchange_every, context->pictures, &simulation->settings.slab);
        simulation->settings.pictures = context->pictures;
    }
    if (result == VKS_OK) {
        vks_phase_begin(VKS_PHASE_TUNE);
        vks_tune(&context->gpu, &simulation->settings, 4);
        vks_phase_end();
    }
    if (result == VKS_OK && state) {
        simulation->origin.state_path = vks_strdup(state->path);
        simulation->origin.seed = settings->common.seed;
        result = simulation->origin.state_path ? VKS_OK : vks_fail_memory();
    }
    if (result == VKS_OK) {
        result = vks_check_start(state, &simulation->settings, 0);
    }
    if (result == VKS_OK) {
        result = build(simulation, state);
    }
    if (result != VKS_OK) {
        vks_simulation_destroy(simulation);
        return result;
    }
    *out = simulation;
    return VKS_OK;
}

enum vks_result vks_simulation_set_start(vks_simulation *simulation, const char *state_path,
                                         uint64_t seed)
{
    char *path = state_path ? vks_strdup(state_path) : NULL;
    if (state_path && !path) {
        return vks_fail_memory();
    }
    free(simulation->origin.state_path);
    simulation->origin = (struct vks_origin){path, seed};
    return VKS_OK;
}

enum vks_result vks_simulation_open_view(vks_simulation *owner, const struct vks_settings *settings,
                                         unsigned planes, vks_simulation **out)
{
    vks_simulation *simulation = NULL;
    enum vks_result result = prepare(owner->context, settings, planes, &simulation);
    if (result == VKS_OK) {
        simulation->owner = owner;
        simulation->graph = owner->graph;
        simulation->settings.limits = owner->settings.limits;
        simulation->settings.variant = owner->settings.variant;
        result = build(simulation, NULL);
    }
    if (result != VKS_OK) {
        vks_simulation_destroy(simulation);
        return result;
    }
    *out = simulation;
    return VKS_OK;
}

/* Whether a member of the parameters sets that option. */
static bool is_given(const struct vks_simulation_params *params, const char *option)
{
    return (strcmp(option, "size") == 0 && (params->width || params->height || params->depth)) ||
           (strcmp(option, "seed") == 0 && params->seed) ||
           (strcmp(option, "init") == 0 && params->init);
}

enum vks_result vks_simulation_create(vks_context *context,
                                      const struct vks_simulation_params *given,
                                      vks_simulation **simulation)
{
    if (!context || !given || !simulation) {
        return vks_fail_null(__func__);
    }
    struct vks_simulation_params known, *const params = &known;
    struct vks_settings settings = {0};
    struct vks_state_file state = {0};
    enum vks_result result = vks_take_sized(params, sizeof(known), given);
    if (result != VKS_OK) {
        return result;
    }
    unsigned planes;
    result = vks_planes_with_bands(params->planes, &planes);
    if (result != VKS_OK) {
        return result;
    }
    const struct vks_model *model = vks_model_find(params->model ? params->model : "physarum");
    if (!model) {
        return VKS_ERROR_USAGE;
    }
    result = vks_settings_init(&settings, model);
    settings.watch = params->watch;
    if (result == VKS_OK && params->load_state) {
        result = vks_state_file_open(&state, params->load_state, model);
        if (result == VKS_OK) {
            result = vks_state_file_apply(&state, &settings);
        }
    }
    if (result == VKS_OK && params->preset) {
        result = vks_settings_preset(&settings, params->preset);
    }
    if (result == VKS_OK && params->load_state) {
        result = vks_state_file_shape(&state, &settings);
    }
    if (result == VKS_OK && (params->width || params->height || params->depth)) {
        const struct vks_size size = settings.common.size;
        char text[48];
        snprintf(text, sizeof(text), "%ux%ux%u", params->width ? params->width : size.width,
                 params->height ? params->height : size.height,
                 params->depth ? params->depth : size.depth);
        result = vks_settings_set(&settings, "size", text);
    }
    if (params->seed) {
        settings.common.seed = params->seed;
    }
    if (result == VKS_OK && params->init) {
        result = vks_settings_set(&settings, "init", params->init);
    }
    for (size_t i = 0; result == VKS_OK && params->options && params->options[i]; i++) {
        char *name = vks_strdup(params->options[i]);
        char *value = name ? strchr(name, '=') : NULL;
        if (!name) {
            result = vks_fail_memory();
        } else if (!value) {
            result = vks_fail(VKS_ERROR_USAGE, "'%s' is not NAME=VALUE", params->options[i]);
        } else {
            *value = '\0';
            result = is_given(params, name)
                         ? vks_fail(VKS_ERROR_USAGE,
                                    "'%s' is given twice: as a parameter and as an option", name)
                         : vks_settings_set(&settings, name, value + 1);
        }
        free(name);
    }
    if (result == VKS_OK) {
        result = vks_settings_take_image_size(&settings);
    }
    if (result == VKS_OK) {
        result = vks_settings_finish(&settings);
    }
    if (result == VKS_OK) {
        result = vks_simulation_open(context, &settings, params->load_state ? &state : NULL, planes,
                                     simulation);
    }
    result = vks_state_file_explain(&state, &settings, result);
    vks_state_file_close(&state);
    vks_settings_free(&settings);
    return result;
}

void vks_simulation_destroy(vks_simulation *simulation)
{
    if (simulation) {
        for (size_t i = 0; i < VKS_MAX_BRUSHES; i++) {
            vks_graph_destroy(simulation->brushes[i]);
        }
        vks_graph_destroy(simulation->values[0]);
        vks_graph_destroy(simulation->values[1]);
        free(simulation->collected);
        vks_graph_destroy(simulation->picture);
        vks_graph_destroy(simulation->owner ? NULL : simulation->graph);
        vks_settings_free(&simulation->settings);
        free(simulation->origin.state_path);
        free(simulation);
    }
}
