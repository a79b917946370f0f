/* SPDX-License-Identifier: MIT */
/* The arrays of a state file: between the file and the fields of a graph. */
#include "api/simulation.h"
#include "api/state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "formula/formula.h"
#include "base/task.h"

/* --- loading --------------------------------------------------------------------------------- */

static uint32_t scalar_bytes(enum vks_element element)
{
    const struct vks_element_info *info = vks_element_info(element);
    return info->bytes / info->scalars;
}

static char kind_of(enum vks_element element)
{
    return vks_element_info(element)->kind;
}

/* "3 x 4 x 5" into `buffer`, which has room for it. */
static const char *format_shape(const uint64_t *shape, uint32_t rank, char buffer[128])
{
    size_t used = 0;
    buffer[0] = '\0';
    for (uint32_t i = 0; i < rank; i++) {
        used += (size_t)snprintf(buffer + used, 128 - used, "%s%" PRIu64, i ? " x " : "", shape[i]);
    }
    return buffer;
}

/* Whether the array has an element per cell of a mask, whose words the field holds. */
static bool is_mask(const struct vks_field *field, const struct vks_npy *array)
{
    return field->mask_width > 0 && array->rank == 2 && array->shape[0] == field->shape[0] &&
           array->shape[1] == field->mask_width;
}

enum vks_result vks_state_check_shape(const struct vks_state_file *file,
                                      const struct vks_field *field, const struct vks_npy *array)
{
    uint64_t shape[4];
    const uint32_t rank = vks_array_shape(field, shape);
    if (is_mask(field, array) ||
        (array->rank == rank && memcmp(array->shape, shape, rank * sizeof(shape[0])) == 0)) {
        return VKS_OK;
    }
    shape[1] = field->mask_width ? field->mask_width : shape[1];
    char has[128], needs[128];
    format_shape(array->shape, array->rank, has);
    return vks_fail(VKS_ERROR_FILE, "'%s': '%s' %s%s; this run needs %s", file->path, array->name,
                    array->rank ? "has shape " : "is a single number", has,
                    format_shape(shape, rank, needs));
}

/* Puts the file's name before the message about invalid values. */
static enum vks_result name_file(const struct vks_state_file *file, enum vks_result result)
{
    if (result == VKS_OK || result == VKS_ERROR_GPU || result == VKS_ERROR_LOST) {
        return result;
    }
    return vks_fail(result, "'%s': %s", file->path, vks_error_text());
}

/* One field from the file, converted and checked, to the GPU (NULL: only checked). */
static enum vks_result load_field(struct vks_graph *graph, const struct vks_state_file *file,
                                  const struct vks_field *field, const struct vks_npy *array)
{
    enum vks_result result = vks_state_check_shape(file, field, array);
    if (result != VKS_OK) {
        return result;
    }
    const char kind = kind_of(field->element);
    const bool mask = is_mask(field, array);
    const bool same =
        mask || (array->kind == kind && array->item_bytes == scalar_bytes(field->element));
    const uint64_t bytes = vks_field_bytes(field);
    /* Converted in place, which halves the memory, unless the field's elements are larger. */
    const bool grows = mask || array->item_bytes < scalar_bytes(field->element);
    void *data = malloc(array->bytes ? array->bytes : 1);
    void *larger = grows ? calloc(1, bytes) : NULL;
    void *elements = grows ? larger : data;
    result =
        data && elements ? vks_npz_read(file->npz, array, data, array->bytes) : vks_fail_memory();
    if (result == VKS_OK && mask) {
        vks_fill_mask(field,
                      &(struct vks_source){.array = data,
                                           .kind = array->kind,
                                           .item_bytes = array->item_bytes,
                                           .count = array->shape[0] * array->shape[1]},
                      elements);
    }
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
    if (result == VKS_OK && graph) {
        result = vks_graph_upload(graph, field->name, elements);
    }
    free(larger);
    free(data);
    return result;
}

enum vks_result vks_state_field_load(struct vks_graph *graph, const struct vks_field *declared,
                                     const void *data)
{
    const struct vks_field whole = vks_whole_field(vks_graph_declaration(graph), declared);
    const struct vks_field *field = &whole;
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

/* Where fields are loaded to. */
struct target {
    const struct vks_declaration *declaration;
    struct vks_graph *graph; /* NULL: they are only checked */
};

/* A field that the file lacks, if the model computes it; adds what it is by default to *assumed, a
 * heap string. */
static enum vks_result complete_field(const struct target *target,
                                      const struct vks_state_file *file,
                                      const struct vks_settings *settings,
                                      const struct vks_field *field, char **assumed)
{
    char value[VKS_ASSUMED_SIZE] = "";
    double *numbers = NULL;
    void *elements = NULL;
    enum vks_result result =
        vks_state_complete(file, settings, target->declaration, field, &numbers, value);
    if (result == VKS_OK && numbers) {
        const uint64_t bytes = vks_field_bytes(field);
        const struct vks_source source = {.array = numbers,
                                          .kind = 'f',
                                          .item_bytes = sizeof(*numbers),
                                          .count = bytes / scalar_bytes(field->element)};
        elements = malloc(bytes);
        result = elements ? vks_fill_from_array(field, &source, elements) : vks_fail_memory();
        if (result == VKS_ERROR_FILE) {
            result = vks_fail(result, "'%s': %s, and is computed from other arrays", file->path,
                              vks_error_text());
        }
    }
    if (result == VKS_OK && numbers && target->graph) {
        result = vks_graph_upload(target->graph, field->name, elements);
    }
    if (result == VKS_OK && value[0]) {
        char *longer = vks_format("%s%s%s = %s", *assumed ? *assumed : "", *assumed ? ", " : "",
                                  field->name, value);
        free(*assumed);
        *assumed = longer;
        result = longer ? VKS_OK : vks_fail_memory();
    }
    free(elements);
    free(numbers);
    return result;
}

static enum vks_result load_fields(const struct vks_state_file *file,
                                   const struct vks_settings *settings, const struct target *target)
{
    const struct vks_declaration *declaration = target->declaration;
    char *assumed = NULL;
    enum vks_result result = VKS_OK;
    for (size_t i = 0; result == VKS_OK && i < declaration->field_count; i++) {
        const struct vks_field *declared = &declaration->fields[vks_upload_order(declaration, i)];
        const struct vks_field whole = vks_whole_field(declaration, declared);
        const struct vks_field *field = &whole;
        if (!field->persistent) {
            continue;
        }
        const struct vks_npy *array = vks_npz_find(file->npz, field->name);
        if (array) {
            result = load_field(target->graph, file, field, array);
        } else if (file->header) {
            result = vks_fail(VKS_ERROR_FILE, "'%s' lacks the field '%s'", file->path, field->name);
        } else {
            result = complete_field(target, file, settings, field, &assumed);
        }
    }
    if (result == VKS_OK && !*file->noted) {
        vks_state_warn_unknown(file, settings->model, declaration);
    }
    if (result == VKS_OK && assumed && !*file->noted) {
        vks_message(VKS_LOG_INFO, "'%s' lacks arrays, for which these are assumed: %s", file->path,
                    assumed);
    }
    *file->noted = true;
    free(assumed);
    return result;
}

static enum vks_result load(const struct vks_state_file *file, const struct vks_settings *settings,
                            const struct target *target)
{
    char *what = vks_format("loading %s", file->path);
    if (!what) {
        return vks_fail_memory();
    }
    struct vks_task task;
    vks_task_begin(&task, what, load_bytes(file, target->declaration));
    const enum vks_result result = load_fields(file, settings, target);
    vks_task_end(&task);
    free(what);
    return result;
}

enum vks_result vks_state_file_load(const struct vks_state_file *file,
                                    const struct vks_settings *settings, struct vks_graph *graph)
{
    return load(file, settings, &(struct target){vks_graph_declaration(graph), graph});
}

enum vks_result vks_state_file_try(const struct vks_state_file *file,
                                   const struct vks_settings *settings)
{
    struct vks_declaration steps = {0};
    vks_declare_steps(settings, &steps);
    const enum vks_result result = steps.result == VKS_OK
                                       ? load(file, settings, &(struct target){&steps, NULL})
                                       : steps.result;
    vks_declaration_free(&steps);
    return result;
}

/* --- saving ---------------------------------------------------------------------------------- */

/* The options, with the number of items instead of a density: it is what the arrays have. */
static enum vks_result options_of(const struct vks_settings *settings, json_t *options)
{
    struct vks_settings counted = {0};
    enum vks_result result = vks_settings_copy(&counted, settings);
    if (result == VKS_OK && settings->model->density_option) {
        const struct vks_option *count =
            vks_option_find(settings->model->options, settings->model->count_option);
        const char *resolved = settings->resolved;
        result = vks_option_set_count(count, counted.own,
                                      *(const uint64_t *)(const void *)(resolved + count->offset));
    }
    if (result == VKS_OK) {
        result = vks_settings_to_json(&counted, options);
    }
    for (size_t i = 0; i < settings->model->options.count; i++) {
        const struct vks_option *option = &settings->model->options.options[i];
        if (option->flags & VKS_OPTION_NOT_IN_STATE) {
            json_object_del(options, option->name);
        }
    }
    vks_settings_free(&counted);
    return result;
}

/* With `run` also that of a checkpoint, and the digest of the state. */
static enum vks_result add_header(const struct vks_settings *settings, uint64_t steps, json_t *run,
                                  const char *digest, struct vks_npz_writer *writer)
{
    json_t *options = json_object();
    json_t *header = json_pack("{s:i, s:s, s:s, s:I, s:O}", "format", VKS_STATE_FORMAT, "vksim",
                               VKS_VERSION, "simulation", settings->model->name, "steps",
                               (json_int_t)steps, "options", options);
    if (header && ((settings->images && json_object_set(header, "images", settings->images) != 0) ||
                   (run && (json_object_set(header, "run", run) != 0 ||
                            json_object_set_new(header, "digest", json_string(digest)) != 0)))) {
        json_decref(header);
        header = NULL;
    }
    char *text = NULL;
    enum vks_result result = options && header ? options_of(settings, options) : vks_fail_memory();
    if (result == VKS_OK) {
        result = vks_formula_embed(settings->model, header);
    }
    if (result == VKS_OK) {
        text = vks_json_dump(header, JSON_INDENT(2));
        result = text ? vks_npz_add_text(writer, "vksim.json", text) : vks_fail_memory();
    }
    free(text);
    json_decref(header);
    json_decref(options);
    return result;
}

/* Where the arrays are written, and their digest (NULL: none). */
struct state_writer {
    struct vks_npz_writer *npz;
    struct vks_digest *digest;
    bool ranks;
    struct vks_error failure; /* of several ranks; nothing is written after it */
};

/* The others hand over their rows all the same, so that they can go on after a full disk. */
static enum vks_result postpone(struct state_writer *writer, enum vks_result result)
{
    if (!writer->ranks || result == VKS_OK) {
        return result;
    }
    vks_error_keep(result, &writer->failure);
    return VKS_OK;
}

static bool has_failed(const struct state_writer *writer)
{
    return writer->failure.result != VKS_OK;
}

static enum vks_result begin_field(void *user, const struct vks_field *field)
{
    struct state_writer *writer = user;
    uint64_t shape[4];
    const uint32_t rank = vks_array_shape(field, shape);
    return has_failed(writer)
               ? VKS_OK
               : postpone(writer,
                          vks_npz_begin_array(writer->npz, field->name, kind_of(field->element),
                                              scalar_bytes(field->element), rank, shape));
}

/* Fields are written in pieces as they arrive from the GPU, because they may be larger than the
 * host's memory. */
static enum vks_result save_piece(void *user, const void *bytes, size_t size)
{
    struct state_writer *writer = user;
    if (has_failed(writer)) {
        return VKS_OK;
    }
    if (writer->digest) {
        vks_digest_update(writer->digest, bytes, size);
    }
    return postpone(writer, vks_npz_write(writer->npz, bytes, size));
}

/* Adds the header and the arrays of the snapshot, or of the graph if that is NULL. The header of a
 * checkpoint follows the arrays, because it has their digest. */
static enum vks_result add_members(const struct vks_settings *settings, struct vks_graph *graph,
                                   const struct vks_graph_snapshot *snapshot, json_t *run,
                                   struct state_writer *writer)
{
    const struct vks_state_sink sink = {writer, begin_field, save_piece};
    const uint64_t steps = snapshot ? vks_graph_snapshot_steps(snapshot) : vks_graph_steps(graph);
    char hex[33] = "";
    enum vks_result result = VKS_OK;
    if (!run && !has_failed(writer)) {
        result = postpone(writer, add_header(settings, steps, NULL, NULL, writer->npz));
    }
    if (result == VKS_OK) {
        result = snapshot ? vks_graph_snapshot_read_state(snapshot, &sink)
                          : vks_graph_end_together(graph, vks_graph_read_state(graph, &sink));
    }
    if (result == VKS_OK && has_failed(writer)) {
        result = vks_fail_again(&writer->failure);
    }
    if (result == VKS_OK && run) {
        vks_digest_hex(writer->digest, hex);
        result = add_header(settings, steps, run, hex, writer->npz);
    }
    return result;
}

enum vks_result vks_state_file_save(const char *path, bool overwrite,
                                    const struct vks_settings *settings, struct vks_graph *graph,
                                    const struct vks_graph_snapshot *snapshot, json_t *run)
{
    if (settings->slab.index > 0) { /* rank 0 writes it */
        return vks_graph_end_together(graph,
                                      vks_graph_read_state(graph, &(struct vks_state_sink){0}));
    }
    struct state_writer writer = {.digest = run ? vks_digest_create() : NULL,
                                  .ranks = settings->slab.count > 1};
    enum vks_result result =
        postpone(&writer, run && !writer.digest ? vks_fail_memory()
                                                : vks_npz_create(path, overwrite, &writer.npz));
    if (result == VKS_OK) {
        result = add_members(settings, graph, snapshot, run, &writer);
        if (result == VKS_OK) {
            result = vks_npz_finish(writer.npz);
        } else {
            vks_npz_abort(writer.npz);
        }
    }
    vks_digest_destroy(writer.digest);
    return result;
}

/* --- checking -------------------------------------------------------------------------------- */

enum vks_result vks_state_file_verify(const struct vks_state_file *file)
{
    const char *expected = json_string_value(json_object_get(file->header, "digest"));
    struct vks_digest *digest = vks_digest_create();
    enum vks_result result = digest ? VKS_OK : vks_fail_memory();
    char hex[33] = "";
    for (size_t i = 0; i < vks_npz_count(file->npz) && result == VKS_OK; i++) {
        const struct vks_npy *array = vks_npz_at(file->npz, i);
        void *data = malloc(array->bytes ? array->bytes : 1);
        result = data ? vks_npz_read(file->npz, array, data, array->bytes) : vks_fail_memory();
        if (result == VKS_OK) {
            vks_digest_update(digest, data, array->bytes);
        }
        free(data);
    }
    if (result == VKS_OK) {
        vks_digest_hex(digest, hex);
    }
    vks_digest_destroy(digest);
    return result == VKS_OK && (!expected || strcmp(expected, hex) != 0)
               ? vks_fail(VKS_ERROR_FILE, "'%s': its digest is not that of its arrays", file->path)
               : result;
}
