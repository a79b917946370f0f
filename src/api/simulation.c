/* SPDX-License-Identifier: MIT */
#include "api/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "io/image.h"
#include "view/colormap.h"
#include "api/tune.h"

struct vks_simulation {
    vks_context *context;
    bool dead; /* can only be destroyed */
    struct vks_settings settings;
    unsigned planes;              /* view/view.h */
    bool view_only;               /* draws a state that another one computes */
    struct vks_view_params bands; /* max_bytes, part and row of the view */
    char *state_path;             /* what it was started from; NULL: a fresh start */
    struct vks_graph *graph;
};

const char *vks_version(void)
{
    return VKS_VERSION;
}

void vks_log_to(enum vks_log_level max, vks_log_fn *callback, void *user)
{
    vks_message_to(max, callback, user);
}

/* --- contexts -------------------------------------------------------------------------------- */

enum vks_result vks_context_open(const struct vks_gpu_params *params, vks_context **context)
{
    vks_context *made = calloc(1, sizeof(*made));
    if (!made) {
        return vks_fail_memory();
    }
    enum vks_result result = vks_gpu_open(&made->gpu, params);
    if (result != VKS_OK) {
        free(made);
        return result;
    }
    *context = made;
    return VKS_OK;
}

enum vks_result vks_context_create(const struct vks_context_params *params, vks_context **context)
{
    return vks_context_open(&(struct vks_gpu_params){.device = params->device,
                                                     .validation = params->validation,
                                                     .no_disk_cache = params->no_disk_cache},
                            context);
}

uint64_t vks_context_close(vks_context *context)
{
    uint64_t messages = 0;
    if (context) {
        vks_gpu_close(&context->gpu);
        messages = vks_context_validation_messages(context);
        free(context);
    }
    return messages;
}

void vks_context_destroy(vks_context *context)
{
    vks_context_close(context);
}

uint64_t vks_context_validation_messages(const vks_context *context)
{
    return __atomic_load_n(&context->gpu.validation_messages, __ATOMIC_RELAXED);
}

void vks_context_device(const vks_context *context, struct vks_device_info *info)
{
    *info = context->gpu.info;
}

enum vks_result vks_devices(struct vks_device_info *infos, size_t capacity, size_t *count)
{
    return vks_gpu_list(infos, capacity, count);
}

/* --- models ---------------------------------------------------------------------------------- */

const char *vks_model_name(size_t index)
{
    const struct vks_model *model = vks_model_at(index);
    return model ? model->name : NULL;
}

const char *vks_model_summary(const char *name)
{
    const struct vks_model *model = vks_model_find(name);
    return model ? model->summary : NULL;
}

const char *vks_model_preset(const char *name, size_t index, const char **summary)
{
    const struct vks_model *model = vks_model_find(name);
    const struct vks_preset *presets = model ? vks_model_presets(model) : NULL;
    for (size_t i = 0; presets && presets[i].name; i++) {
        if (i == index) {
            if (summary) {
                *summary = presets[i].summary;
            }
            return presets[i].name;
        }
    }
    return NULL;
}

const char *vks_model_view(const char *name, size_t index, const char **help)
{
    const struct vks_model *model = vks_model_find(name);
    for (size_t i = 0; model && model->views[i].name; i++) {
        if (i == index) {
            if (help) {
                *help = model->views[i].help;
            }
            return model->views[i].name;
        }
    }
    return NULL;
}

char *vks_model_help(const char *name)
{
    const struct vks_model *model = vks_model_find(name);
    return model ? vks_options_help(model->options, 100) : NULL;
}

/* --- making a simulation --------------------------------------------------------------------- */

/* How the settings draw a view: belongs to them. */
static struct vks_view_params view_of(const struct vks_settings *settings,
                                      const struct vks_view *view, unsigned planes,
                                      const struct vks_view_params *bands)
{
    return (struct vks_view_params){.shown = view->field,
                                    .shown_else = view->fallback,
                                    .points = view->field ? NULL : view->points,
                                    .look = &settings->common.look,
                                    .planes = planes,
                                    .max_bytes = bands->max_bytes,
                                    .part = bands->part,
                                    .row = bands->row};
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

/* Pictures have the size of the grid or of its plane, so the shown field must have it. */
static void check_shown_size(const struct vks_settings *settings, const char *name,
                             struct vks_declaration *declaration)
{
    const struct vks_size size = settings->common.size;
    const uint64_t grid[] = {size.depth, size.height, size.width};
    const int index = name ? vks_find_field(declaration, name) : -1; /* NULL: points are shown */
    const struct vks_field *field = index < 0 ? NULL : &declaration->fields[index];
    if (declaration->result != VKS_OK || !field || field->rank < 2 ||
        memcmp(field->shape, grid + 3 - field->rank, field->rank * sizeof(*grid)) == 0) {
        return;
    }
    char is[80], must[80], text[64];
    vks_declaration_fail(
        declaration,
        vks_fail(VKS_ERROR_GPU,
                 "the field '%s' is shown and must have a value per cell: its shape is %s, not %s "
                 "for a size of %s",
                 field->name, shape_text(field->shape, field->rank, is),
                 shape_text(grid + 3 - field->rank, field->rank, must),
                 vks_option_get(vks_option_find(vks_common_options, "size"), &settings->common,
                                text, sizeof(text))));
}

void vks_declare_bands(const struct vks_settings *settings, unsigned planes,
                       const struct vks_view_params *bands, struct vks_declaration *declaration)
{
    struct vks_config config;
    enum vks_result result = vks_settings_config(settings, &config);
    if (result != VKS_OK) {
        vks_declaration_fail(declaration, result);
        return;
    }
    const struct vks_view *view = &settings->model->views[config.view];
    vks_declare_model(settings->model, &config, declaration);
    check_shown_size(settings, view->field, declaration);
    const struct vks_view_params params = view_of(settings, view, planes, bands);
    vks_declare_view(declaration, &params);
}

void vks_declare_all(const struct vks_settings *settings, unsigned planes,
                     struct vks_declaration *declaration)
{
    vks_declare_bands(settings, planes, &(struct vks_view_params){0}, declaration);
}

/* The picture that was read last: several fields may be made from one. */
struct brightness {
    const char *path; /* the declaration's */
    uint32_t width, height;
    float *values;
};

static enum vks_result read_brightness(void *user, const char *path, uint32_t width,
                                       uint32_t height, const float **values)
{
    struct brightness *last = user;
    enum vks_result result = VKS_OK;
    if (!last->path || strcmp(last->path, path) != 0 || last->width != width ||
        last->height != height) {
        free(last->values);
        *last = (struct brightness){.path = path, .width = width, .height = height};
        result = vks_image_brightness(path, width, height, &last->values);
        last->path = result == VKS_OK ? path : NULL;
    }
    *values = last->values;
    return result;
}

/* Fills what the host makes; a state file brings the state itself. */
static enum vks_result fill(vks_simulation *simulation, bool has_state)
{
    struct brightness last = {0};
    const struct vks_pictures pictures = {&last, read_brightness};
    enum vks_result result = vks_graph_fill(simulation->graph, has_state, &pictures);
    free(last.values);
    return result;
}

/* What the settings declare: all of a simulation, or only what draws. */
static void declare(const vks_simulation *simulation, struct vks_declaration *declaration)
{
    vks_declare_bands(&simulation->settings, simulation->planes, &simulation->bands, declaration);
    if (simulation->view_only) {
        vks_declaration_strip_to_frames(declaration);
    }
}

/* Puts the model in its start, or in that of the state file. */
static enum vks_result start(vks_simulation *simulation, const struct vks_state_file *state)
{
    enum vks_result result = vks_graph_start(simulation->graph, state ? state->steps : 0, true);
    if (result == VKS_OK) {
        result = fill(simulation, state != NULL || simulation->view_only);
    }
    if (result == VKS_OK && state) {
        result = vks_state_file_load(state, simulation->graph);
    }
    return result == VKS_OK ? vks_graph_ready(simulation->graph) : result;
}

/* Builds the graph for the settings as they are and starts it. */
static enum vks_result build(vks_simulation *simulation, const struct vks_state_file *state)
{
    struct vks_declaration declaration = {0};
    const double begin = vks_seconds();
    declare(simulation, &declaration);
    enum vks_result result =
        vks_graph_create(&simulation->context->gpu, &declaration, &simulation->graph);
    vks_declaration_free(&declaration);
    const double created = vks_seconds();
    if (result == VKS_OK) {
        result = start(simulation, state);
    }
    vks_message(VKS_LOG_VERBOSE, "pipelines and buffers made in %.1f ms, fields filled in %.1f ms",
                1e3 * (created - begin), 1e3 * (vks_seconds() - created));
    return result;
}

static enum vks_result open_simulation(vks_context *context, const struct vks_settings *settings,
                                       const struct vks_state_file *state, unsigned planes,
                                       bool view_only, vks_simulation **out)
{
    vks_simulation *simulation = calloc(1, sizeof(*simulation));
    if (!simulation) {
        return vks_fail_memory();
    }
    simulation->context = context;
    simulation->planes = planes;
    simulation->view_only = view_only;
    simulation->bands.max_bytes = planes & VKS_VIEW_BANDS ? context->gpu.field_range : 0;
    enum vks_result result = vks_settings_copy(&simulation->settings, settings);
    if (result == VKS_OK && !view_only) {
        result = vks_tune(&context->gpu, &simulation->settings, 4);
    }
    if (result == VKS_OK && state) {
        simulation->state_path = vks_strdup(state->path);
        result = simulation->state_path ? vks_state_file_check(state, &simulation->settings)
                                        : vks_fail_memory();
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

enum vks_result vks_simulation_open(vks_context *context, const struct vks_settings *settings,
                                    const struct vks_state_file *state, unsigned planes,
                                    vks_simulation **simulation)
{
    return open_simulation(context, settings, state, planes, false, simulation);
}

enum vks_result vks_simulation_open_view(vks_context *context, const struct vks_settings *settings,
                                         unsigned planes, vks_simulation **simulation)
{
    return open_simulation(context, settings, NULL, planes, true, simulation);
}

enum vks_result vks_simulation_create(vks_context *context,
                                      const struct vks_simulation_params *params,
                                      vks_simulation **simulation)
{
    struct vks_settings settings = {0};
    struct vks_state_file state = {0};
    const struct vks_model *model = vks_model_find(params->model ? params->model : "physarum");
    if (!model) {
        return VKS_ERROR_USAGE;
    }
    enum vks_result result = vks_settings_init(&settings, model);
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
            result = vks_settings_set(&settings, name, value + 1);
        }
        free(name);
    }
    if (result == VKS_OK) {
        result = vks_settings_finish(&settings);
    }
    if (result == VKS_OK) {
        result = vks_simulation_open(context, &settings, params->load_state ? &state : NULL,
                                     VKS_VIEW_BANDS, simulation);
    }
    vks_state_file_close(&state);
    vks_settings_free(&settings);
    return result;
}

void vks_simulation_destroy(vks_simulation *simulation)
{
    if (simulation) {
        vks_graph_destroy(simulation->graph);
        vks_settings_free(&simulation->settings);
        free(simulation->state_path);
        free(simulation);
    }
}

vks_context *vks_simulation_context(const vks_simulation *simulation)
{
    return simulation->context;
}

const struct vks_settings *vks_simulation_settings(const vks_simulation *simulation)
{
    return &simulation->settings;
}

struct vks_graph *vks_simulation_graph(const vks_simulation *simulation)
{
    return simulation->graph;
}

/* --- running --------------------------------------------------------------------------------- */

/* False after a failure that left the graph half changed. It stays until the simulation goes, for
 * those who look at it. */
static bool is_alive(const vks_simulation *simulation)
{
    return !simulation->dead;
}

static enum vks_result fail_dead(void)
{
    return vks_fail(VKS_ERROR_GPU,
                    "a restart or a change of options has failed; the simulation can "
                    "only be destroyed");
}

enum vks_result vks_simulation_run(vks_simulation *simulation, uint64_t steps)
{
    return is_alive(simulation) ? vks_graph_run(simulation->graph, steps) : fail_dead();
}

enum vks_result vks_simulation_wait(vks_simulation *simulation)
{
    return is_alive(simulation) ? vks_graph_wait(simulation->graph) : fail_dead();
}

uint64_t vks_simulation_steps(const vks_simulation *simulation)
{
    return is_alive(simulation) ? vks_graph_steps(simulation->graph) : 0;
}

/* Gives the graph what the settings declare now. A failure leaves the graph as it was, or ends it.
 */
static enum vks_result update(vks_simulation *simulation)
{
    struct vks_declaration declaration = {0};
    declare(simulation, &declaration);
    enum vks_result result = vks_graph_update(simulation->graph, &declaration);
    if (result != VKS_OK && declaration.field_count == 0 && declaration.result == VKS_OK) {
        simulation->dead = true; /* it has the new values, but not everything made from them */
    }
    vks_declaration_free(&declaration);
    return result;
}

/* Goes on with other settings, which the simulation takes over. On failure they stay the caller's
 * and the simulation is as it was, or dead. */
static enum vks_result use_settings(vks_simulation *simulation, struct vks_settings *settings)
{
    struct vks_settings before = simulation->settings;
    simulation->settings = *settings;
    enum vks_result result = update(simulation);
    if (result == VKS_OK) {
        result = fill(simulation, true);
        if (result != VKS_OK) { /* back: the graph's declaration points into the settings */
            struct vks_error why;
            vks_error_keep(&why);
            simulation->settings = before;
            if (update(simulation) != VKS_OK || fill(simulation, true) != VKS_OK) {
                simulation->dead = true;
            }
            return vks_fail_again(result, &why);
        }
    }
    if (result != VKS_OK) {
        simulation->settings = before;
        return result;
    }
    vks_settings_free(&before);
    *settings = (struct vks_settings){0};
    return VKS_OK;
}

static enum vks_result update_band(void *user, enum vks_view_part part, uint32_t row)
{
    vks_simulation *simulation = user;
    simulation->bands.part = part;
    simulation->bands.row = row;
    const enum vks_result result = update(simulation);
    return result == VKS_OK ? fill(simulation, true) : result;
}

struct vks_bands vks_simulation_bands(vks_simulation *simulation)
{
    struct vks_ground ground = {0};
    uint32_t width, height;
    vks_picture_size(&simulation->settings, &width, &height);
    (void)vks_look_ground(&simulation->settings.common.look, &ground); /* was checked */
    return (struct vks_bands){
        .graph = simulation->graph,
        .height = height,
        .rows = vks_band_rows(simulation->graph),
        .alpha = ground.kind == VKS_GROUND_TRANSPARENT || ground.kind == VKS_GROUND_FILE,
        .user = simulation,
        .update = update_band,
    };
}

enum vks_result vks_simulation_set(vks_simulation *simulation, const char *name, const char *value)
{
    struct vks_settings settings = {0};
    if (!is_alive(simulation)) {
        return fail_dead();
    }
    enum vks_result result = vks_settings_copy(&settings, &simulation->settings);
    if (result == VKS_OK) {
        result = vks_settings_set(&settings, name, value);
    }
    if (result == VKS_OK) {
        result = vks_settings_finish(&settings);
    }
    if (result == VKS_OK) {
        result = use_settings(simulation, &settings);
    }
    vks_settings_free(&settings);
    if (result != VKS_OK) {
        struct vks_error why;
        vks_error_keep(&why);
        result = vks_fail(result, "'%s' = '%s': %s", name, value, why.text);
    }
    return result;
}

enum vks_result vks_simulation_restart(vks_simulation *simulation, uint32_t seed)
{
    struct vks_state_file state = {0};
    if (!is_alive(simulation)) {
        return fail_dead();
    }
    const bool from_file = simulation->state_path && seed == simulation->settings.common.seed;
    enum vks_result result =
        from_file ? vks_state_file_open(&state, simulation->state_path, simulation->settings.model)
                  : VKS_OK;
    if (result == VKS_OK) {
        simulation->settings.common.seed = seed;
        result = update(simulation);
        if (result == VKS_OK) {
            result = start(simulation, from_file ? &state : NULL);
        }
        if (result != VKS_OK) {
            simulation->dead = true;
        }
    }
    vks_state_file_close(&state);
    return result;
}

bool vks_simulation_timing(vks_simulation *simulation, size_t index, struct vks_pass_timing *timing)
{
    return is_alive(simulation) && vks_graph_wait(simulation->graph) == VKS_OK &&
           vks_graph_timing(simulation->graph, index, timing);
}

/* --- fields ---------------------------------------------------------------------------------- */

static const struct vks_field *persistent_field(const vks_simulation *simulation, size_t index)
{
    if (!is_alive(simulation)) {
        return NULL;
    }
    const struct vks_declaration *declaration = vks_graph_declaration(simulation->graph);
    for (size_t i = 0; i < declaration->field_count; i++) {
        if (declaration->fields[i].persistent && index-- == 0) {
            return &declaration->fields[i];
        }
    }
    return NULL;
}

bool vks_simulation_field(const vks_simulation *simulation, size_t index,
                          struct vks_field_info *info)
{
    const struct vks_field *field = persistent_field(simulation, index);
    if (field) {
        *info = (struct vks_field_info){
            .name = field->name,
            .help = field->help,
            .element = field->element,
            .bytes = vks_field_bytes(field),
        };
        info->rank = vks_array_shape(field, info->extent);
    }
    return field != NULL;
}

static enum vks_result find_persistent(const vks_simulation *simulation, const char *name,
                                       size_t size, const struct vks_field **out)
{
    const struct vks_field *field;
    for (size_t i = 0; (field = persistent_field(simulation, i)) != NULL; i++) {
        if (strcmp(field->name, name) == 0) {
            if (vks_field_bytes(field) != size) {
                return vks_fail(VKS_ERROR_USAGE, "field '%s' has %llu bytes, not %zu", name,
                                (unsigned long long)vks_field_bytes(field), size);
            }
            *out = field;
            return VKS_OK;
        }
    }
    return vks_fail(VKS_ERROR_USAGE, "%s has no field '%s'", simulation->settings.model->name,
                    name);
}

enum vks_result vks_simulation_read(vks_simulation *simulation, const char *name, void *data,
                                    size_t size)
{
    const struct vks_field *field;
    enum vks_result result = find_persistent(simulation, name, size, &field);
    return result == VKS_OK ? vks_graph_download_to(simulation->graph, name, data) : result;
}

enum vks_result vks_simulation_write(vks_simulation *simulation, const char *name, const void *data,
                                     size_t size)
{
    const struct vks_field *field;
    enum vks_result result = find_persistent(simulation, name, size, &field);
    if (result == VKS_OK) {
        result = vks_state_field_load(simulation->graph, field, data);
    }
    return result == VKS_OK ? vks_graph_ready(simulation->graph) : result;
}

static void digest_piece(void *user, const void *bytes, size_t size)
{
    vks_digest_update(user, bytes, size);
}

enum vks_result vks_simulation_digest(vks_simulation *simulation, char hex[33])
{
    if (!is_alive(simulation)) {
        return fail_dead();
    }
    struct vks_digest *digest = vks_digest_create();
    const struct vks_field *field;
    enum vks_result result = digest ? VKS_OK : vks_fail_memory();
    for (size_t i = 0; result == VKS_OK && (field = persistent_field(simulation, i)) != NULL; i++) {
        result = vks_graph_download(simulation->graph, field->name, digest_piece, digest);
    }
    if (result == VKS_OK) {
        vks_digest_hex(digest, hex);
    }
    vks_digest_destroy(digest);
    return result;
}

void vks_simulation_picture_size(const vks_simulation *simulation, uint32_t *width,
                                 uint32_t *height)
{
    vks_picture_size(&simulation->settings, width, height);
}

enum vks_result vks_simulation_render(vks_simulation *simulation, uint8_t *rgb, size_t size)
{
    if (!is_alive(simulation)) {
        return fail_dead();
    }
    uint32_t width, height;
    uint64_t value;
    const struct vks_bands bands = vks_simulation_bands(simulation);
    if (!rgb && size == 0) {
        return bands.rows < bands.height ? vks_bands_begin(&bands)
                                         : vks_graph_frame(simulation->graph, NULL, NULL,
                                                           VK_NULL_HANDLE, VK_NULL_HANDLE, &value);
    }
    vks_picture_size(&simulation->settings, &width, &height);
    const size_t pixels = (size_t)width * height;
    if (size != pixels * 3) {
        return vks_fail(VKS_ERROR_USAGE, "a picture has %zu bytes, not %zu", pixels * 3, size);
    }
    uint8_t *rgba = malloc((size_t)width * bands.rows * 4);
    enum vks_result result = rgba ? VKS_OK : vks_fail_memory();
    if (result == VKS_OK) {
        result = vks_bands_begin(&bands);
    }
    for (uint64_t row = 0; result == VKS_OK && row < height; row += bands.rows) {
        const uint64_t left = height - row, rows = left < bands.rows ? left : bands.rows;
        result = vks_bands_draw(&bands, (uint32_t)row, NULL, NULL, &value);
        if (result == VKS_OK) {
            result = vks_graph_download_to(simulation->graph, "picture", rgba);
        }
        if (result == VKS_OK) {
            vks_rgb_from_rgba(rgb + row * width * 3, rgba, (size_t)rows * width);
        }
    }
    free(rgba);
    return result;
}

bool vks_simulation_watched(vks_simulation *simulation, size_t index, struct vks_watched *watched)
{
    const struct vks_scalar *scalar =
        is_alive(simulation) ? vks_graph_scalar(simulation->graph, index) : NULL;
    struct vks_row row;
    if (!scalar) {
        return false;
    }
    *watched = (struct vks_watched){.name = scalar->name};
    if (vks_graph_watched(simulation->graph, &row)) {
        watched->value = row.values[index];
        watched->step = row.step;
        watched->known = true;
    }
    return true;
}

enum vks_result vks_simulation_save(vks_simulation *simulation, const char *path)
{
    return is_alive(simulation)
               ? vks_state_file_save(path, &simulation->settings, simulation->graph)
               : fail_dead();
}
