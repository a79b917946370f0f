/* SPDX-License-Identifier: MIT */
#include "api/state.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/exact.h"
#include "base/memory.h"
#include "base/task.h"

enum { STATE_FORMAT = 1 };

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
    if (!file->header ||
        json_unpack(file->header, "{s:I, s:s, s:I}", "format", &format, "simulation", &name,
                    "steps", &steps) != 0 ||
        steps < 0 || steps > INT64_C(1) << 62 ||
        !json_is_object(json_object_get(file->header, "options"))) {
        return vks_fail(VKS_ERROR_FILE, "'%s': its vksim.json is damaged", file->path);
    }
    if (format != STATE_FORMAT) {
        return vks_fail(VKS_ERROR_FILE, "'%s' has state format %lld; this vksim reads format %d",
                        file->path, (long long)format, STATE_FORMAT);
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
    enum vks_result result = VKS_OK;
    if (file->header) { /* which contains all options that have a value */
        result = vks_options_reset(settings->model->options, settings->own);
        if (result == VKS_OK) {
            result = vks_options_reset(vks_common_options, &settings->common);
        }
    }
    if (result == VKS_OK && file->header) {
        result = vks_settings_from_json(settings, json_object_get(file->header, "options"), known,
                                        file->path);
    }
    if (result == VKS_ERROR_USAGE) {
        result = vks_fail(VKS_ERROR_FILE, "%s", vks_error_text());
    }
    return result == VKS_OK ? vks_state_file_shape(file, settings) : result;
}

/* The size of a run according to its settings: its grid and its number of items. */
struct run_shape {
    bool volumes;
    struct vks_field grid;                 /* a field of the grid's shape */
    const struct vks_option *count_option; /* the number of items; NULL: there are none */
};

static struct run_shape shape_of_run(const struct vks_model *model, const struct vks_config *config)
{
    struct run_shape run = {
        .volumes = model->volumes,
        .grid = {.rank = 2, .shape = {config->height, config->width}},
    };
    if (model->volumes) {
        run.grid =
            (struct vks_field){.rank = 3, .shape = {config->depth, config->height, config->width}};
    }
    if (model->count_option) {
        run.count_option = vks_option_find(model->options, model->count_option);
    }
    return run;
}

/* Sets the size to the array's if the field has one element per cell of the grid, the count if it
 * has one per item. Other fields determine neither. */
static enum vks_result take_shape(const struct run_shape *run, const struct vks_field *field,
                                  const struct vks_npy *array, struct vks_settings *settings)
{
    const struct vks_field *grid = &run->grid;
    const uint64_t *sides = array->shape;
    const uint32_t scalars = vks_element_info(field->element)->scalars;
    const uint32_t axes = array->rank - (scalars > 1 && array->rank > 0 ? 1 : 0);
    const bool whole = scalars == 1 || array->rank == 0 || sides[axes] == scalars;
    char text[80];
    if (run->count_option && field->items && array->rank >= 1) {
        snprintf(text, sizeof(text), "%" PRIu64, sides[0]);
        return vks_option_set(run->count_option, settings->own, text);
    }
    if (field->rank != grid->rank ||
        memcmp(field->shape, grid->shape, grid->rank * sizeof(grid->shape[0])) != 0) {
        return VKS_OK;
    }
    if (axes == 3 && whole && run->volumes) {
        snprintf(text, sizeof(text), "%" PRIu64 "x%" PRIu64 "x%" PRIu64, sides[2], sides[1],
                 sides[0]);
    } else if (axes == 2 && whole) { /* a volume of depth 1, too */
        snprintf(text, sizeof(text), "%" PRIu64 "x%" PRIu64, sides[1], sides[0]);
    } else {
        return VKS_OK; /* loading reports what is wrong with it */
    }
    return vks_settings_set(settings, "size", text);
}

/* --- options that determine which fields exist ----------------------------------------------- */

/* How well the file's arrays fit a run with these settings: the number of persistent fields with an
 * array, minus the number without. */
static int64_t fit_of(const struct vks_state_file *file, struct vks_settings *settings)
{
    struct vks_declaration declaration = {0};
    int64_t fit = 0;
    if (vks_settings_parse(settings) != VKS_OK) {
        return INT64_MIN;
    }
    const struct vks_config config = vks_settings_config(settings);
    vks_declare_model(settings->model, &config, &declaration);
    for (size_t i = 0; i < declaration.field_count; i++) {
        const struct vks_field *field = &declaration.fields[i];
        if (field->persistent) {
            fit += vks_npz_find(file->npz, field->name) ? 1 : -1;
        }
    }
    vks_declaration_free(&declaration);
    return fit;
}

/* Finds a choice of one of the model's options, such as its method, that the file's arrays fit
 * better than the current one; *option is NULL if there is none. */
static enum vks_result find_choice(const struct vks_state_file *file,
                                   const struct vks_settings *settings,
                                   const struct vks_option **option, const char **choice)
{
    const struct vks_option_table *table = &settings->model->options;
    struct vks_settings trial = {0};
    enum vks_result result = vks_settings_copy(&trial, settings);
    int64_t best = result == VKS_OK ? fit_of(file, &trial) : 0;
    *option = NULL;
    for (size_t i = 0; result == VKS_OK && i < table->count; i++) {
        const struct vks_option *row = &table->options[i];
        char text[64];
        if (row->type != VKS_OPTION_CHOICE) {
            continue;
        }
        for (size_t j = 0; result == VKS_OK && row->choices[j]; j++) {
            result = vks_option_set(row, trial.own, row->choices[j]);
            const int64_t fit = result == VKS_OK ? fit_of(file, &trial) : INT64_MIN;
            if (fit > best) {
                best = fit;
                *option = row;
                *choice = row->choices[j];
            }
        }
        if (result == VKS_OK) {
            const char *before = vks_option_get(row, settings->own, text, sizeof(text));
            result = vks_option_set(row, trial.own, before);
        }
    }
    vks_settings_free(&trial);
    return result;
}

enum vks_result vks_state_file_check(const struct vks_state_file *file,
                                     const struct vks_settings *settings)
{
    const struct vks_option *option;
    const char *choice;
    char text[64];
    const enum vks_result result = find_choice(file, settings, &option, &choice);
    return result == VKS_OK && option
               ? vks_fail(VKS_ERROR_FILE, "'%s' holds a state of %s %s, and this run has %s %s",
                          file->path, option->name, choice, option->name,
                          vks_option_get(option, settings->own, text, sizeof(text)))
               : result;
}

/* --- size and count -------------------------------------------------------------------------- */

enum vks_result vks_state_file_shape(const struct vks_state_file *file,
                                     struct vks_settings *settings)
{
    const struct vks_model *model = settings->model;
    struct vks_declaration declaration = {0};
    const struct vks_option *option;
    const char *choice;
    enum vks_result result = find_choice(file, settings, &option, &choice);
    if (result == VKS_OK && option) {
        result = vks_option_set(option, settings->own, choice);
    }
    if (result == VKS_OK) {
        result = vks_settings_parse(settings);
    }
    if (result != VKS_OK) {
        return result;
    }
    struct vks_config config = vks_settings_config(settings);
    if (model->volumes && config.depth == 1) {
        config.depth = 2; /* with 1, a plane and a volume have the same shape */
    }
    const struct run_shape run = shape_of_run(model, &config);
    vks_declare_model(model, &config, &declaration);
    size_t found = 0;
    for (size_t i = 0; result == VKS_OK && i < declaration.field_count; i++) {
        const struct vks_field *field = &declaration.fields[i];
        const struct vks_npy *array =
            field->persistent ? vks_npz_find(file->npz, field->name) : NULL;
        if (!array) {
            continue;
        }
        found++;
        result = take_shape(&run, field, array, settings);
        if (result != VKS_OK) {
            result = vks_fail(VKS_ERROR_FILE, "'%s': '%s' has a shape that %s cannot have",
                              file->path, array->name, model->name);
        }
    }
    if (result == VKS_OK && found == 0) {
        result = declaration.result != VKS_OK
                     ? declaration.result
                     : vks_fail(VKS_ERROR_FILE, "'%s' holds none of the fields of %s", file->path,
                                model->name);
    }
    vks_declaration_free(&declaration);
    return result;
}

static uint32_t scalar_bytes(enum vks_element element)
{
    const struct vks_element_info *info = vks_element_info(element);
    return info->bytes / info->scalars;
}

static char kind_of(enum vks_element element)
{
    return vks_element_info(element)->kind;
}

/* "shape 3 x 4 x 5" into `buffer`, which has room for it. */
static const char *format_shape(const uint64_t *shape, uint32_t rank, char buffer[128])
{
    size_t used = (size_t)snprintf(buffer, 128, rank > 0 ? "shape" : "no shape (one number)");
    for (uint32_t i = 0; i < rank; i++) {
        used +=
            (size_t)snprintf(buffer + used, 128 - used, "%s%" PRIu64, i ? " x " : " ", shape[i]);
    }
    return buffer;
}

/* The array must have the field's shape. */
static enum vks_result check_shape(const struct vks_state_file *file, const struct vks_field *field,
                                   const struct vks_npy *array)
{
    uint64_t shape[4];
    const uint32_t rank = vks_array_shape(field, shape);
    if (array->rank == rank && memcmp(array->shape, shape, rank * sizeof(shape[0])) == 0) {
        return VKS_OK;
    }
    char has[128], needs[128];
    return vks_fail(VKS_ERROR_FILE, "'%s': '%s' has %s, this run needs %s", file->path, field->name,
                    format_shape(array->shape, array->rank, has), format_shape(shape, rank, needs));
}

/* Puts the file's name before the message about invalid values. */
static enum vks_result name_file(const struct vks_state_file *file, enum vks_result result)
{
    if (result == VKS_OK || result == VKS_ERROR_GPU) {
        return result;
    }
    return vks_fail(result, "'%s': %s", file->path, vks_error_text());
}

/* One field from the file, converted and checked, to the GPU. */
static enum vks_result load_field(struct vks_graph *graph, const struct vks_state_file *file,
                                  const struct vks_field *field, const struct vks_npy *array)
{
    enum vks_result result = check_shape(file, field, array);
    if (result != VKS_OK) {
        return result;
    }
    const char kind = kind_of(field->element);
    const bool same = array->kind == kind && array->item_bytes == scalar_bytes(field->element);
    const uint64_t bytes = vks_field_bytes(field);
    /* Converted in place, which halves the memory, unless the field's elements are larger. */
    const bool grows = array->item_bytes < scalar_bytes(field->element);
    void *data = malloc(array->bytes ? array->bytes : 1);
    void *larger = grows ? calloc(1, bytes) : NULL;
    void *elements = grows ? larger : data;
    result =
        data && elements ? vks_npz_read(file->npz, array, data, array->bytes) : vks_fail_memory();
    if (result == VKS_OK && same && field->check && kind != 'f') {
        result = name_file(file, field->check(field->user, field, elements));
    }
    if (result == VKS_OK && (!same || kind == 'f')) {
        const struct vks_source source = {.array = data,
                                          .kind = array->kind,
                                          .item_bytes = array->item_bytes,
                                          .count = bytes / scalar_bytes(field->element)};
        result = name_file(file, vks_fill_from_array(field, &source, elements));
    }
    if (result == VKS_OK) {
        result = vks_graph_upload(graph, field->name, elements);
    }
    free(larger);
    free(data);
    return result;
}

enum vks_result vks_state_field_load(struct vks_graph *graph, const struct vks_field *field,
                                     const void *data)
{
    if (kind_of(field->element) != 'f') {
        const enum vks_result good = field->check ? field->check(field->user, field, data) : VKS_OK;
        return good == VKS_OK           ? vks_graph_upload(graph, field->name, data)
               : good == VKS_ERROR_FILE ? VKS_ERROR_USAGE
                                        : good;
    }
    const uint64_t bytes = vks_field_bytes(field);
    const uint32_t item_bytes = scalar_bytes(field->element);
    const struct vks_source source = {
        .array = data, .kind = 'f', .item_bytes = item_bytes, .count = bytes / item_bytes};
    void *converted = calloc(1, bytes);
    enum vks_result result =
        converted ? vks_fill_from_array(field, &source, converted) : vks_fail_memory();
    result = result == VKS_ERROR_FILE ? VKS_ERROR_USAGE : result;
    if (result == VKS_OK) {
        result = vks_graph_upload(graph, field->name, converted);
    }
    free(converted);
    return result;
}

/* Bytes that loading reads, converts and uploads. */
static uint64_t load_bytes(const struct vks_state_file *file,
                           const struct vks_declaration *declaration)
{
    uint64_t total = 0;
    for (size_t i = 0; i < declaration->field_count; i++) {
        const struct vks_field *field = &declaration->fields[i];
        const struct vks_npy *array =
            field->persistent ? vks_npz_find(file->npz, field->name) : NULL;
        if (array) {
            const bool converted = array->kind == 'f' || array->kind != kind_of(field->element);
            total += array->bytes + (converted ? array->bytes : 0) + vks_field_bytes(field);
        }
    }
    return total;
}

static enum vks_result load_fields(const struct vks_state_file *file, struct vks_graph *graph)
{
    const struct vks_declaration *declaration = vks_graph_declaration(graph);
    enum vks_result result = VKS_OK;
    for (size_t i = 0; result == VKS_OK && i < declaration->field_count; i++) {
        const struct vks_field *field = &declaration->fields[i];
        if (!field->persistent) {
            continue;
        }
        const struct vks_npy *array = vks_npz_find(file->npz, field->name);
        if (array) {
            result = load_field(graph, file, field, array);
        } else if (file->header) {
            result = vks_fail(VKS_ERROR_FILE, "'%s' lacks the field '%s'", file->path, field->name);
        }
    }
    return result;
}

enum vks_result vks_state_file_load(const struct vks_state_file *file, struct vks_graph *graph)
{
    char *what = vks_format("loading %s", file->path);
    if (!what) {
        return vks_fail_memory();
    }
    struct vks_task task;
    vks_task_begin(&task, what, load_bytes(file, vks_graph_declaration(graph)));
    const enum vks_result result = load_fields(file, graph);
    vks_task_end(&task);
    free(what);
    return result;
}

/* --- saving ---------------------------------------------------------------------------------- */

static enum vks_result add_header(const struct vks_settings *settings, uint64_t steps,
                                  struct vks_npz_writer *writer)
{
    json_t *options = json_object();
    json_t *header = json_pack("{s:i, s:s, s:s, s:I, s:O}", "format", STATE_FORMAT, "vksim",
                               VKS_VERSION, "simulation", settings->model->name, "steps",
                               (json_int_t)steps, "options", options);
    char *text = NULL;
    enum vks_result result =
        options && header ? vks_settings_to_json(settings, options) : vks_fail_memory();
    if (result == VKS_OK) {
        text = json_dumps(header, JSON_INDENT(2));
        result = text ? vks_npz_add_text(writer, "vksim.json", text) : vks_fail_memory();
    }
    free(text);
    json_decref(header);
    json_decref(options);
    return result;
}

static enum vks_result save_piece(void *user, const void *bytes, size_t size)
{
    return vks_npz_write(user, bytes, size);
}

/* The field is written in pieces as they arrive from the GPU, because it may be larger than the
 * host's memory. */
static enum vks_result add_field(struct vks_graph *graph, struct vks_npz_writer *writer,
                                 const struct vks_field *field)
{
    uint64_t shape[4];
    const uint32_t rank = vks_array_shape(field, shape);
    const enum vks_result result = vks_npz_begin_array(writer, field->name, kind_of(field->element),
                                                       scalar_bytes(field->element), rank, shape);
    return result == VKS_OK ? vks_graph_download(graph, field->name, save_piece, writer) : result;
}

enum vks_result vks_state_file_save(const char *path, bool overwrite,
                                    const struct vks_settings *settings, struct vks_graph *graph)
{
    struct vks_npz_writer *writer;
    enum vks_result result = vks_npz_create(path, overwrite, &writer);
    if (result != VKS_OK) {
        return result;
    }
    const struct vks_declaration *declaration = vks_graph_declaration(graph);
    result = add_header(settings, vks_graph_steps(graph), writer);
    for (size_t i = 0; result == VKS_OK && i < declaration->field_count; i++) {
        if (declaration->fields[i].persistent) {
            result = add_field(graph, writer, &declaration->fields[i]);
        }
    }
    if (result != VKS_OK) {
        vks_npz_abort(writer);
        return result;
    }
    return vks_npz_finish(writer);
}
