/* SPDX-License-Identifier: MIT */
#include "api/state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "formula/formula.h"

static const uint64_t max_steps = UINT64_C(1) << 62;

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
    if (!file->header) {
        return vks_fail(VKS_ERROR_FILE, "'%s': its vksim.json is damaged: line %d: %s", file->path,
                        error.line, error.text);
    }
    const json_t *options = json_object_get(file->header, "options");
    json_int_t format = 0, steps = 0;
    const char *name = NULL;
    if (json_unpack_ex(file->header, &error, 0, "{s:I, s:s, s:I}", "format", &format, "simulation",
                       &name, "steps", &steps) != 0) {
        return vks_fail(VKS_ERROR_FILE, "'%s': its vksim.json is damaged: %s", file->path,
                        error.text);
    }
    if (steps < 0 || (uint64_t)steps > max_steps || !json_is_object(options)) {
        return vks_fail(VKS_ERROR_FILE, "'%s': its vksim.json is damaged: %s", file->path,
                        json_is_object(options) ? "\"steps\" is out of range"
                                                : "\"options\" is not an object");
    }
    if (format != VKS_STATE_FORMAT) {
        return vks_fail(VKS_ERROR_FILE, "'%s' has state format %lld; this vksim reads format %d",
                        file->path, (long long)format, VKS_STATE_FORMAT);
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
    *file = (struct vks_state_file){.path = vks_strdup(path), .noted = calloc(1, sizeof(bool))};
    enum vks_result result =
        file->path && file->noted ? vks_npz_open(path, &file->npz) : vks_fail_memory();
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
    free(file->noted);
    *file = (struct vks_state_file){0};
}

const char *vks_state_file_model(const struct vks_state_file *file)
{
    return file->header ? json_string_value(json_object_get(file->header, "simulation")) : NULL;
}

/* The size of a run according to its settings: its grid and its number of items. */
struct run_shape {
    bool volumes;
    bool has_size, has_count;              /* an array has given it already */
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

/* Sets the size to the array's if the field has one element per cell of the grid, or of several
 * planes of it, the count if it has one per item. The first array decides; loading refuses others
 * that do not fit it. */
static enum vks_result take_shape(struct run_shape *run, const struct vks_field *field,
                                  const struct vks_npy *array, struct vks_settings *settings)
{
    const struct vks_field *grid = &run->grid;
    const uint64_t *sides = array->shape;
    const uint32_t scalars = vks_element_info(field->element)->scalars;
    const uint32_t axes = array->rank - (scalars > 1 && array->rank > 0 ? 1 : 0);
    const bool whole = scalars == 1 || array->rank == 0 || sides[axes] == scalars;
    const uint32_t planes = !run->volumes && field->rank == grid->rank + 1 ? 1 : 0; /* axes */
    char text[80];
    if (run->count_option && field->items && array->rank >= 1) {
        if (run->has_count) {
            return VKS_OK;
        }
        if (sides[0] == 0) {
            return VKS_ERROR_USAGE;
        }
        run->has_count = true;
        snprintf(text, sizeof(text), "%" PRIu64, sides[0]);
        return vks_option_set(run->count_option, settings->own, text);
    }
    if (run->has_size || field->rank != grid->rank + planes ||
        memcmp(field->shape + planes, grid->shape, grid->rank * sizeof(grid->shape[0])) != 0) {
        return VKS_OK;
    }
    if (axes == 3 && whole && run->volumes) {
        snprintf(text, sizeof(text), "%" PRIu64 "x%" PRIu64 "x%" PRIu64, sides[2], sides[1],
                 sides[0]);
    } else if (axes == 2 + planes && whole) { /* a volume of depth 1, too */
        snprintf(text, sizeof(text), "%" PRIu64 "x%" PRIu64, sides[planes + 1], sides[planes]);
    } else {
        return VKS_OK; /* loading reports what is wrong with it */
    }
    run->has_size = true;
    return vks_settings_set(settings, "size", text);
}

/* --- options that determine which fields exist ----------------------------------------------- */

static bool has_any(const struct vks_state_file *file, const struct vks_shape_option *row)
{
    bool found = false;
    for (size_t i = 0; i < VKS_COUNT(row->fields) && row->fields[i]; i++) {
        const struct vks_npy *array = vks_npz_find(file->npz, row->fields[i]);
        found = found || (array && array->rank >= row->min_rank);
    }
    return found;
}

/* The next choice of an option that the file's arrays determine; NULL: there are no more. Start
 * with NULL. */
static const struct vks_shape_option *next_choice(const struct vks_state_file *file,
                                                  const struct vks_model *model,
                                                  const struct vks_shape_option *last)
{
    const struct vks_shape_option *all = model->shape_options;
    for (const struct vks_shape_option *row = last ? last + 1 : all; row && row->option; row++) {
        bool taken = false; /* by an earlier row */
        for (const struct vks_shape_option *other = all; other < row; other++) {
            taken = taken || (strcmp(other->option, row->option) == 0 && has_any(file, other));
        }
        if (!taken && has_any(file, row)) {
            return row;
        }
    }
    return NULL;
}

/* The value that the row's option has for this file: the choice, or what the header says instead of
 * `instead_of`. As long as the file and the model. */
static const char *value_of(const struct vks_state_file *file, const struct vks_shape_option *row)
{
    const json_t *options = json_object_get(file->header, "options");
    const char *said =
        row->instead_of ? json_string_value(json_object_get(options, row->option)) : NULL;
    return vks_text_is_given(said) && strcmp(said, row->instead_of) != 0 ? said : row->choice;
}

/* The value of the option in the file's array, as text; "": it does not say. */
static const char *axis_of(const struct vks_state_file *file, const struct vks_axis_option *row,
                           char text[32])
{
    const struct vks_npy *array = vks_npz_find(file->npz, row->field);
    text[0] = '\0';
    if (array && (array->rank == row->rank || array->rank + 1 == row->rank)) {
        snprintf(text, 32, "%" PRIu64, array->rank == row->rank ? array->shape[0] : 1);
    }
    return text;
}

/* Fails if the option of the run has another value than the file's arrays say. */
static enum vks_result check_option(const struct vks_state_file *file,
                                    const struct vks_settings *settings, const char *option,
                                    const char *value)
{
    char buffer[64];
    const char *text = vks_option_get(vks_option_find(settings->model->options, option),
                                      settings->own, buffer, sizeof(buffer));
    return strcmp(text, value) == 0
               ? VKS_OK
               : vks_fail(VKS_ERROR_FILE, "'%s' holds a state of %s %s, and this run has %s %s",
                          file->path, option, value, option, text);
}

enum vks_result vks_state_file_check(const struct vks_state_file *file,
                                     const struct vks_settings *settings)
{
    const struct vks_model *model = settings->model;
    const struct vks_axis_option *axis = model->axis_options;
    for (; axis && axis->option; axis++) {
        char text[32];
        const enum vks_result result = axis_of(file, axis, text)[0]
                                           ? check_option(file, settings, axis->option, text)
                                           : VKS_OK;
        if (result != VKS_OK) {
            return result;
        }
    }
    const struct vks_shape_option *row = NULL;
    while ((row = next_choice(file, model, row)) != NULL) {
        const enum vks_result result =
            check_option(file, settings, row->option, value_of(file, row));
        if (result != VKS_OK) {
            return result;
        }
    }
    return vks_state_check_members(file, settings);
}

/* --- size and count -------------------------------------------------------------------------- */

static enum vks_result wrong_shape(const struct vks_state_file *file, const char *array,
                                   const struct vks_model *model)
{
    return vks_fail(VKS_ERROR_FILE, "'%s': '%s' has a shape that %s cannot have", file->path, array,
                    model->name);
}

enum vks_result vks_state_file_shape(const struct vks_state_file *file,
                                     struct vks_settings *settings)
{
    const struct vks_model *model = settings->model;
    struct vks_declaration declaration = {0};
    const struct vks_shape_option *row = NULL;
    enum vks_result result = VKS_OK;
    while (result == VKS_OK && (row = next_choice(file, model, row)) != NULL) {
        result = vks_settings_set(settings, row->option, value_of(file, row));
    }
    const struct vks_axis_option *axis = model->axis_options;
    for (; result == VKS_OK && axis && axis->option; axis++) {
        char text[32];
        if (axis_of(file, axis, text)[0]) {
            result = vks_settings_set(settings, axis->option, text);
            result = result == VKS_ERROR_USAGE ? wrong_shape(file, axis->field, model) : result;
        }
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
    struct run_shape run = shape_of_run(model, &config);
    vks_declare_model(model, &config, &declaration);
    size_t found = 0;
    for (size_t i = 0; result == VKS_OK && i < declaration.field_count; i++) {
        const struct vks_field *field = &declaration.fields[i];
        const struct vks_npy *array =
            field->persistent ? vks_state_array(file, model, &declaration, field) : NULL;
        if (!array) {
            continue;
        }
        found++;
        result = take_shape(&run, field, array, settings);
        if (result != VKS_OK) {
            result = wrong_shape(file, array->name, model);
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

/* Fails if the header has another value of an option than the arrays. A count of 0 means that the
 * model chooses it. `row` may be NULL. */
static enum vks_result check_value(const struct vks_state_file *file, const struct vks_option *row,
                                   const void *found, const void *said)
{
    char of_arrays[64], text[64];
    if (!row || !json_object_get(json_object_get(file->header, "options"), row->name)) {
        return VKS_OK;
    }
    snprintf(of_arrays, sizeof(of_arrays), "%s", vks_option_get(row, found, text, sizeof(text)));
    vks_option_get(row, said, text, sizeof(text));
    return strcmp(text, of_arrays) == 0 || strcmp(text, "0") == 0
               ? VKS_OK
               : vks_fail(VKS_ERROR_FILE,
                          "'%s': its vksim.json says %s %s, but its arrays have %s %s", file->path,
                          row->name, text, row->name, of_arrays);
}

/* The same of all options that arrays have, with these settings. */
static enum vks_result check_header(const struct vks_state_file *file,
                                    const struct vks_settings *settings,
                                    const struct vks_settings *of_header)
{
    const struct vks_model *model = settings->model;
    const struct vks_axis_option *axis = model->axis_options;
    enum vks_result result =
        check_value(file, VKS_COMMON_ROW(size), &settings->common, &of_header->common);
    if (result == VKS_OK && model->count_option) {
        result = check_value(file, vks_option_find(model->options, model->count_option),
                             settings->own, of_header->own);
    }
    for (; result == VKS_OK && axis && axis->option; axis++) {
        result = check_value(file, vks_option_find(model->options, axis->option), settings->own,
                             of_header->own);
    }
    return result;
}

/* As vks_state_file_shape(), but the header must agree. */
static enum vks_result take_shapes(const struct vks_state_file *file, struct vks_settings *settings)
{
    struct vks_settings of_header = {0};
    enum vks_result result = vks_settings_copy(&of_header, settings);
    if (result == VKS_OK) {
        result = vks_state_file_shape(file, settings);
    }
    if (result == VKS_OK && file->header) {
        result = check_header(file, settings, &of_header);
    }
    vks_settings_free(&of_header);
    return result;
}

enum vks_result vks_state_file_apply(const struct vks_state_file *file,
                                     struct vks_settings *settings)
{
    static const char *const known[] = {NULL};
    enum vks_result result = settings->allow_model_change
                                 ? VKS_OK
                                 : vks_formula_compare(file->header, file->path, settings->model);
    if (result != VKS_OK) {
        return result;
    }
    if (file->header) { /* which contains all options that have a value */
        result = vks_settings_reset(settings);
    }
    if (result == VKS_OK && file->header) {
        const json_t *options = json_object_get(file->header, "options");
        result = vks_settings_stretch_images(settings, options);
        if (result == VKS_OK) {
            result = vks_settings_from_json(settings, options, known, file->path);
        }
    }
    if (result == VKS_ERROR_USAGE) {
        result = vks_fail(VKS_ERROR_FILE, "%s", vks_error_text());
    }
    return result == VKS_OK ? take_shapes(file, settings) : result;
}

/* --- starts ---------------------------------------------------------------------------------- */

/* The first two words of a small field of uint32 in the file; 0 if the file does not have it, or
 * something else, which loading refuses. */
static enum vks_result first_words(const struct vks_state_file *file, const char *field,
                                   uint32_t words[2])
{
    const struct vks_npy *array = vks_npz_find(file->npz, field);
    uint32_t all[16] = {0};
    enum vks_result result = VKS_OK;
    if (array && array->kind == 'u' && array->item_bytes == 4 && array->bytes <= sizeof(all)) {
        result = vks_npz_read(file->npz, array, all, (size_t)array->bytes);
    }
    words[0] = all[0];
    words[1] = all[1];
    return result;
}

enum vks_result vks_start_time(const struct vks_state_file *file, const struct vks_model *model,
                               double *time)
{
    uint32_t words[2] = {0};
    const enum vks_result result =
        file && model->time.field ? first_words(file, model->time.field, words) : VKS_OK;
    *time = ((double)words[1] * 0x1p32 + (double)words[0]) * VKS_TIME_UNIT;
    return result;
}

enum vks_result vks_check_end(const struct vks_state_file *file,
                              const struct vks_settings *settings)
{
    const struct vks_model *model = settings->model;
    const double end = vks_settings_end(settings);
    double time;
    const enum vks_result result = vks_start_time(file, model, &time);
    return result == VKS_OK && end > 0 && time - end >= VKS_TIME_UNIT
               ? vks_fail_option(VKS_ERROR_USAGE, model->time.end_option,
                                 "%.10g is before the time of '%s', %.10g: choose a later one, or "
                                 "0 for none",
                                 end, file->path, time)
               : result;
}

enum vks_result vks_check_start(const struct vks_state_file *file,
                                const struct vks_settings *settings, uint64_t steps)
{
    const struct vks_model *model = settings->model;
    const struct vks_option *reverse =
        model->reverse_option ? vks_option_find(model->options, model->reverse_option) : NULL;
    const bool backward = reverse && vks_option_is_on(reverse, settings->own);
    uint32_t moment[2];
    if (backward && !file) {
        return vks_fail_option(VKS_ERROR_USAGE, reverse->name,
                               "needs a state to run backward from (load-state)");
    }
    if (!file) {
        return model->needs_image && !settings->common.from_image
                   ? vks_fail_option(VKS_ERROR_USAGE, "init",
                                     "must be image:FILE: %s starts from an image or from a state",
                                     model->name)
                   : VKS_OK;
    }
    enum vks_result result = vks_state_file_check(file, settings);
    const bool is_bounded = steps <= max_steps; /* else until the end of its time */
    if (result == VKS_OK && is_bounded && steps > max_steps - file->steps) {
        result =
            vks_fail(VKS_ERROR_USAGE, "'%s' is at step %llu; runs end at step %llu at the latest",
                     file->path, (unsigned long long)file->steps, (unsigned long long)max_steps);
    }
    if (result == VKS_OK && backward) {
        result = first_words(file, model->reverse_field, moment);
    }
    if (result == VKS_OK && backward && steps > moment[0]) {
        result =
            vks_fail_option(VKS_ERROR_USAGE, reverse->name, "can take %u steps from '%s', not %llu",
                            moment[0], file->path, (unsigned long long)steps);
    }
    return result;
}

void vks_state_file_compare_images(const struct vks_state_file *file,
                                   const struct vks_settings *settings)
{
    const json_t *before = json_object_get(file->header, "images"), *digest;
    const char *path;
    json_object_foreach(settings->images, path, digest)
    {
        const char *was = json_string_value(json_object_get(before, path));
        if (was && strcmp(was, json_string_value(digest)) != 0) {
            vks_message(VKS_LOG_WARNING, "'%s' has changed since '%s' was saved", path, file->path);
        }
    }
}

/* --- messages -------------------------------------------------------------------------------- */

/* Whether the value of an option in the file names that file. */
static bool names_file(const struct vks_settings *settings, const char *option, const char *value,
                       const char *file)
{
    const struct vks_option_table tables[] = {settings->model->options, vks_common_options};
    char path[VKS_PATH_SIZE];
    for (size_t i = 0; i < VKS_COUNT(tables); i++) {
        const struct vks_option *row = vks_option_find(tables[i], option);
        for (const char *rest = value; row && vks_next_file(row, &rest, path);) {
            if (strcmp(path, file) == 0) {
                return true;
            }
        }
    }
    return false;
}

enum vks_result vks_state_file_explain(const struct vks_state_file *file,
                                       const struct vks_settings *settings, enum vks_result result)
{
    const json_t *options = json_object_get(file->header, "options"), *value;
    const char *name, *missing = result == VKS_ERROR_FILE ? vks_error_last()->file : "";
    if (!missing[0]) {
        return result;
    }
    json_object_foreach((json_t *)(uintptr_t)options, name, value)
    {
        if (names_file(settings, name, json_string_value(value), missing)) {
            return vks_fail_more(result, " (named in the state '%s')", file->path);
        }
    }
    return result;
}
