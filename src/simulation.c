/* SPDX-License-Identifier: MIT */
#include "simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "io/image.h"
#include "out/colormap.h"

enum { STATE_FORMAT = 1 };

struct vks_simulation {
    vks_context *context;
    struct vks_settings settings;
    bool yuv;
    struct vks_graph *graph;
};

const char *vks_version(void)
{
    return VKS_VERSION;
}

void vks_log_to(enum vks_log_level most, vks_log_fn *callback, void *user)
{
    vks_message_to(most, callback, user);
}

/* --- contexts ------------------------------------------------------------------------------------- */

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

void vks_context_destroy(vks_context *context)
{
    if (context) {
        vks_gpu_close(&context->gpu);
        free(context);
    }
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

/* --- models ---------------------------------------------------------------------------------------- */

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
    for (size_t i = 0; model && model->presets[i].name; i++) {
        if (i == index) {
            if (summary) {
                *summary = model->presets[i].summary;
            }
            return model->presets[i].name;
        }
    }
    return NULL;
}

char *vks_model_help(const char *name)
{
    const struct vks_model *model = vks_model_find(name);
    return model ? vks_options_help(model->options, 100) : NULL;
}

/* --- state files --------------------------------------------------------------------------------- */

static enum vks_result read_header(struct vks_state_file *file, const struct vks_model *model)
{
    char *text;
    json_error_t error;
    enum vks_result result = vks_npz_text(file->npz, "vksim.json", &text);
    if (result != VKS_OK || !text) {
        return result;
    }
    file->header = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    free(text);
    json_int_t format = 0, steps = 0;
    const char *name = NULL;
    if (!file->header || json_unpack(file->header, "{s:I, s:s, s:I}", "format", &format,
                                     "simulation", &name, "steps", &steps) != 0 ||
        steps < 0 || !json_is_object(json_object_get(file->header, "options"))) {
        return vks_fail(VKS_ERROR_FILE, "'%s': its vksim.json is damaged", file->path);
    }
    if (format != STATE_FORMAT) {
        return vks_fail(VKS_ERROR_FILE, "'%s' has state format %d; this vksim reads format %d",
                        file->path, (int)format, STATE_FORMAT);
    }
    if (model && strcmp(name, model->name) != 0) {
        return vks_fail(VKS_ERROR_FILE, "'%s' holds a state of %s, not of %s", file->path, name,
                        model->name);
    }
    file->steps = (uint64_t)steps;
    return VKS_OK;
}

enum vks_result vks_state_file_open(struct vks_state_file *file, const char *path,
                                    const struct vks_model *model)
{
    *file = (struct vks_state_file){.path = vks_strdup(path)};
    enum vks_result result = file->path ? vks_npz_open(path, &file->npz) : vks_fail_memory();
    if (result == VKS_OK) {
        result = read_header(file, model);
    }
    if (result != VKS_OK) {
        vks_state_file_close(file);
    }
    return result;
}

void vks_state_file_close(struct vks_state_file *file)
{
    vks_npz_close(file->npz);
    json_decref(file->header);
    free(file->path);
    *file = (struct vks_state_file){0};
}

const char *vks_state_file_model(const struct vks_state_file *file)
{
    return file->header ? json_string_value(json_object_get(file->header, "simulation")) : NULL;
}

enum vks_result vks_state_file_apply(const struct vks_state_file *file,
                                     struct vks_settings *settings)
{
    static const char *const known[] = {NULL};
    const struct vks_model *model = settings->model;
    enum vks_result result = VKS_OK;
    if (file->header) {
        result = vks_settings_from_json(settings, json_object_get(file->header, "options"), known,
                                        file->path);
    }
    if (result != VKS_OK) {
        return result;
    }
    /* Size and count as the arrays have them. */
    struct vks_declaration declaration = {0};
    struct vks_config config;
    const char *image;
    result = vks_settings_config(settings, &config, &image);
    if (result != VKS_OK) {
        return result;
    }
    model->declare(&config, &declaration);
    size_t found = 0;
    for (size_t i = 0; result == VKS_OK && i < declaration.field_count; i++) {
        const struct vks_field *field = &declaration.fields[i];
        const struct vks_npy *array =
            field->persistent ? vks_npz_find(file->npz, field->name) : NULL;
        if (!array) {
            continue;
        }
        found++;
        char text[64];
        if (field->rank == 2 && array->rank == 2) {
            snprintf(text, sizeof(text), "%llux%llu", (unsigned long long)array->shape[1],
                     (unsigned long long)array->shape[0]);
            result = vks_settings_set(settings, "size", text);
        } else if (field->rank == 1 && array->rank >= 1 && model->counted) {
            snprintf(text, sizeof(text), "%llu", (unsigned long long)array->shape[0]);
            result = vks_settings_set(settings, model->counted, text);
        }
        if (result != VKS_OK) {
            result = vks_fail(VKS_ERROR_FILE, "'%s': '%s' has a shape that %s cannot have",
                              file->path, array->name, model->name);
        }
    }
    if (result == VKS_OK && found == 0) {
        result = vks_fail(VKS_ERROR_FILE, "'%s' holds none of the fields of %s", file->path,
                          model->name);
    }
    return result;
}

/* Scalars of an element as a state file stores it. */
static uint32_t scalars_of(enum vks_element element)
{
    return element == VKS_U32X2 ? 2 : 1;
}

/* The array must have the field's shape, with one more axis for two scalars an element. */
static bool shape_fits(const struct vks_field *field, const struct vks_npy *array)
{
    uint32_t scalars = scalars_of(field->element);
    uint32_t rank = field->rank + (scalars > 1 ? 1 : 0);
    bool fits = array->rank == rank;
    for (uint32_t i = 0; fits && i < field->rank; i++) {
        fits = array->shape[i] == field->extent[i];
    }
    return fits && (scalars == 1 || array->shape[field->rank] == scalars);
}

static enum vks_result bad_shape(const struct vks_state_file *file, const struct vks_field *field,
                                 const struct vks_npy *array)
{
    char has[128] = "", wants[128] = "";
    for (uint32_t i = 0, used = 0; i < array->rank; i++) {
        used += (uint32_t)snprintf(has + used, sizeof(has) - used, "%s%llu", i ? " x " : "",
                                   (unsigned long long)array->shape[i]);
    }
    uint32_t used = 0;
    for (uint32_t i = 0; i < field->rank; i++) {
        used += (uint32_t)snprintf(wants + used, sizeof(wants) - used, "%s%llu", i ? " x " : "",
                                   (unsigned long long)field->extent[i]);
    }
    if (scalars_of(field->element) > 1) {
        snprintf(wants + used, sizeof(wants) - used, " x %u", scalars_of(field->element));
    }
    return vks_fail(VKS_ERROR_FILE, "'%s': '%s' has shape %s, this run needs %s", file->path,
                    field->name, has, wants);
}

/* One field from the file, converted and checked, to the GPU. */
static enum vks_result load_field(vks_simulation *simulation, const struct vks_config *config,
                                  const struct vks_state_file *file, const struct vks_field *field,
                                  const struct vks_npy *array)
{
    if (!shape_fits(field, array)) {
        return bad_shape(file, field, array);
    }
    const struct vks_model *model = simulation->settings.model;
    const char kind = field->element == VKS_F32 ? 'f' : 'u';
    const bool same = array->kind == kind && array->item_bytes == 4;
    const uint64_t bytes = vks_field_bytes(field);
    void *data = malloc(array->bytes ? array->bytes : 1);
    void *converted = NULL;
    enum vks_result result =
        data ? vks_npz_read(file->npz, array, data, array->bytes) : vks_fail_memory();
    const void *upload = data;
    if (result == VKS_OK && (!same || kind == 'f')) {
        converted = malloc(bytes);
        struct vks_foreign_field foreign = {
            .name = field->name,
            .declared = field,
            .kind = array->kind,
            .item_bytes = array->item_bytes,
            .data = data,
            .out = converted,
            .count = bytes / 4,
        };
        bool readable = (array->kind == 'f' && array->item_bytes >= 4) || same;
        if (!converted) {
            result = vks_fail_memory();
        } else if (!model->accept || !readable) {
            result = vks_fail(VKS_ERROR_FILE, "'%s' has elements of a type it cannot have",
                              field->name);
        } else {
            result = model->accept(config, &foreign);
        }
        if (result != VKS_OK && result != VKS_ERROR_GPU) {
            char why[512];
            snprintf(why, sizeof(why), "%s", vks_error_text());
            result = vks_fail(result, "'%s': %s", file->path, why);
        }
        upload = converted;
    }
    if (result == VKS_OK) {
        result = vks_graph_upload(simulation->graph, field->name, upload);
    }
    free(converted);
    free(data);
    return result;
}

static enum vks_result load_state(vks_simulation *simulation, const struct vks_config *config,
                                  const struct vks_state_file *file)
{
    const struct vks_declaration *declaration = vks_graph_declaration(simulation->graph);
    enum vks_result result = VKS_OK;
    for (size_t i = 0; result == VKS_OK && i < declaration->field_count; i++) {
        const struct vks_field *field = &declaration->fields[i];
        if (!field->persistent) {
            continue;
        }
        const struct vks_npy *array = vks_npz_find(file->npz, field->name);
        if (array) {
            result = load_field(simulation, config, file, field, array);
        } else if (file->header) {
            result = vks_fail(VKS_ERROR_FILE, "'%s' lacks the field '%s'", file->path, field->name);
        }
    }
    return result;
}

/* --- making a simulation ------------------------------------------------------------------------ */

void vks_declare_all(const struct vks_settings *settings, bool yuv,
                     struct vks_declaration *declaration)
{
    struct vks_config config;
    const char *image;
    *declaration = (struct vks_declaration){0};
    enum vks_result result = vks_settings_config(settings, &config, &image);
    if (result != VKS_OK) {
        vks_declaration_fail(declaration, result);
        return;
    }
    settings->model->declare(&config, declaration);
    vks_declare_view(declaration, settings->model->shown, &settings->common.look, yuv);
}

static enum vks_result load_image(vks_simulation *simulation, const struct vks_config *config,
                                  const char *path)
{
    const struct vks_model *model = simulation->settings.model;
    float *brightness = NULL;
    enum vks_result result =
        vks_image_brightness(path, config->width, config->height, &brightness);
    if (result == VKS_OK) {
        model->from_image(config, brightness, (size_t)config->width * config->height);
        result = vks_graph_upload(simulation->graph, model->image_field, brightness);
    }
    free(brightness);
    return result;
}

/* Builds the graph for the settings as they are and puts the model in its start. */
static enum vks_result build(vks_simulation *simulation, const struct vks_state_file *state)
{
    struct vks_declaration *declaration = calloc(1, sizeof(*declaration));
    struct vks_config config;
    const char *image;
    uint32_t palette[256];
    if (!declaration) {
        return vks_fail_memory();
    }
    const double begin = vks_seconds();
    vks_declare_all(&simulation->settings, simulation->yuv, declaration);
    enum vks_result result =
        vks_graph_create(&simulation->context->gpu, declaration, &simulation->graph);
    free(declaration);
    const double created = vks_seconds();
    if (result == VKS_OK) {
        result = vks_graph_start(simulation->graph, state ? state->steps : 0, true);
    }
    if (result == VKS_OK) {
        vks_colormap_fill(simulation->settings.common.look.colormap, palette);
        result = vks_graph_upload(simulation->graph, "palette", palette);
    }
    if (result == VKS_OK) {
        result = vks_settings_config(&simulation->settings, &config, &image);
    }
    if (result == VKS_OK && image && !state) {
        result = load_image(simulation, &config, image);
    }
    if (result == VKS_OK && state) {
        result = load_state(simulation, &config, state);
    }
    vks_message(VKS_LOG_VERBOSE, "pipelines and buffers made in %.1f ms, fields filled in %.1f ms",
                1e3 * (created - begin), 1e3 * (vks_seconds() - created));
    return result;
}

enum vks_result vks_simulation_open(vks_context *context, const struct vks_settings *settings,
                                    const struct vks_state_file *state, bool yuv,
                                    vks_simulation **out)
{
    vks_simulation *simulation = calloc(1, sizeof(*simulation));
    if (!simulation) {
        return vks_fail_memory();
    }
    simulation->context = context;
    simulation->yuv = yuv;
    enum vks_result result = vks_settings_copy(&simulation->settings, settings);
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
    if (result == VKS_OK && params->load_state) {
        result = vks_state_file_open(&state, params->load_state, model);
        if (result == VKS_OK) {
            result = vks_state_file_apply(&state, &settings);
        }
    }
    if (result == VKS_OK && params->preset) {
        result = vks_settings_preset(&settings, params->preset);
    }
    if (result == VKS_OK && params->width && params->height) {
        settings.common.size = (struct vks_size){params->width, params->height};
    }
    if (!params->load_state || params->seed) {
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
        result = vks_simulation_open(context, &settings, params->load_state ? &state : NULL, false,
                                     simulation);
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

/* --- running -------------------------------------------------------------------------------------- */

enum vks_result vks_simulation_run(vks_simulation *simulation, uint64_t steps)
{
    return vks_graph_run(simulation->graph, steps);
}

enum vks_result vks_simulation_wait(vks_simulation *simulation)
{
    return vks_graph_wait(simulation->graph);
}

uint64_t vks_simulation_steps(const vks_simulation *simulation)
{
    return vks_graph_steps(simulation->graph);
}

enum vks_result vks_simulation_restart(vks_simulation *simulation, uint32_t seed)
{
    vks_graph_destroy(simulation->graph);
    simulation->graph = NULL;
    simulation->settings.common.seed = seed;
    return build(simulation, NULL);
}

bool vks_simulation_timing(vks_simulation *simulation, size_t index,
                           struct vks_pass_timing *timing)
{
    return vks_graph_wait(simulation->graph) == VKS_OK &&
           vks_graph_timing(simulation->graph, index, timing);
}

/* --- fields ------------------------------------------------------------------------------------------ */

static const struct vks_field *persistent_field(const vks_simulation *simulation, size_t index)
{
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
            .rank = field->rank,
            .extent = {field->extent[0], field->rank == 2 ? field->extent[1] : 0},
            .bytes = vks_field_bytes(field),
        };
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

static void append(void *user, const void *bytes, size_t size)
{
    unsigned char **at = user;
    memcpy(*at, bytes, size);
    *at += size;
}

enum vks_result vks_simulation_read(vks_simulation *simulation, const char *name, void *data,
                                    size_t size)
{
    const struct vks_field *field;
    unsigned char *at = data;
    enum vks_result result = find_persistent(simulation, name, size, &field);
    return result == VKS_OK ? vks_graph_download(simulation->graph, name, append, &at) : result;
}

enum vks_result vks_simulation_write(vks_simulation *simulation, const char *name,
                                     const void *data, size_t size)
{
    const struct vks_field *field;
    enum vks_result result = find_persistent(simulation, name, size, &field);
    if (result == VKS_OK && field->element == VKS_F32) {
        for (size_t i = 0; i < size / 4; i++) {
            if (!isfinite(((const float *)data)[i])) {
                return vks_fail(VKS_ERROR_USAGE,
                                "field '%s': element %zu is not a finite number", name, i);
            }
        }
    }
    return result == VKS_OK ? vks_graph_upload(simulation->graph, name, data) : result;
}

static void digest_piece(void *user, const void *bytes, size_t size)
{
    XXH3_128bits_update(user, bytes, size);
}

enum vks_result vks_simulation_digest(vks_simulation *simulation, char hex[33])
{
    XXH3_state_t *hash = XXH3_createState();
    if (!hash || XXH3_128bits_reset(hash) != XXH_OK) {
        XXH3_freeState(hash);
        return vks_fail_memory();
    }
    const struct vks_field *field;
    enum vks_result result = VKS_OK;
    for (size_t i = 0;
         result == VKS_OK && (field = persistent_field(simulation, i)) != NULL; i++) {
        result = vks_graph_download(simulation->graph, field->name, digest_piece, hash);
    }
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(hash));
    for (unsigned i = 0; i < sizeof(canonical.digest); i++) {
        snprintf(hex + 2 * i, 3, "%02x", canonical.digest[i]);
    }
    XXH3_freeState(hash);
    return result;
}

enum vks_result vks_simulation_render(vks_simulation *simulation, uint8_t *rgb, size_t size)
{
    const struct vks_size picture = simulation->settings.common.size;
    const size_t pixels = (size_t)picture.width * picture.height;
    if (size != pixels * 3) {
        return vks_fail(VKS_ERROR_USAGE, "a picture has %zu bytes, not %zu", pixels * 3, size);
    }
    uint32_t *rgba = malloc(pixels * 4);
    unsigned char *at = (unsigned char *)rgba;
    uint64_t value;
    enum vks_result result = rgba ? vks_graph_frame(simulation->graph, NULL, NULL, VK_NULL_HANDLE,
                                                    VK_NULL_HANDLE, &value)
                                  : vks_fail_memory();
    if (result == VKS_OK) {
        result = vks_graph_download(simulation->graph, "picture", append, &at);
    }
    for (size_t i = 0; result == VKS_OK && i < pixels; i++) {
        rgb[3 * i] = (uint8_t)(rgba[i] & 0xff);
        rgb[3 * i + 1] = (uint8_t)(rgba[i] >> 8 & 0xff);
        rgb[3 * i + 2] = (uint8_t)(rgba[i] >> 16 & 0xff);
    }
    free(rgba);
    return result;
}

/* --- saving ----------------------------------------------------------------------------------------- */

static enum vks_result add_header(vks_simulation *simulation, struct vks_npz_writer *writer)
{
    json_t *options = json_object();
    json_t *header = json_pack("{s:i, s:s, s:s, s:I, s:O}", "format", STATE_FORMAT, "vksim",
                               VKS_VERSION, "simulation", simulation->settings.model->name,
                               "steps", (json_int_t)vks_simulation_steps(simulation), "options",
                               options);
    char *text = NULL;
    enum vks_result result = options && header
                                 ? vks_settings_to_json(&simulation->settings, options)
                                 : vks_fail_memory();
    if (result == VKS_OK) {
        text = json_dumps(header, JSON_INDENT(2));
        result = text ? vks_npz_add_text(writer, "vksim.json", text) : vks_fail_memory();
    }
    free(text);
    json_decref(header);
    json_decref(options);
    return result;
}

static enum vks_result add_field(vks_simulation *simulation, struct vks_npz_writer *writer,
                                 const struct vks_field *field)
{
    const uint64_t bytes = vks_field_bytes(field);
    const uint32_t scalars = scalars_of(field->element);
    uint64_t shape[3] = {field->extent[0], field->extent[1], 0};
    shape[field->rank] = scalars;
    void *data = malloc(bytes);
    unsigned char *at = data;
    enum vks_result result =
        data ? vks_graph_download(simulation->graph, field->name, append, &at) : vks_fail_memory();
    if (result == VKS_OK) {
        result = vks_npz_add(writer, field->name, field->element == VKS_F32 ? 'f' : 'u', 4,
                             field->rank + (scalars > 1 ? 1 : 0), shape, data);
    }
    free(data);
    return result;
}

enum vks_result vks_simulation_save(vks_simulation *simulation, const char *path)
{
    struct vks_npz_writer *writer;
    enum vks_result result = vks_npz_create(path, true, &writer);
    if (result != VKS_OK) {
        return result;
    }
    const struct vks_field *field;
    result = add_header(simulation, writer);
    for (size_t i = 0;
         result == VKS_OK && (field = persistent_field(simulation, i)) != NULL; i++) {
        result = add_field(simulation, writer, field);
    }
    if (result != VKS_OK) {
        vks_npz_abort(writer);
        return result;
    }
    return vks_npz_finish(writer);
}
