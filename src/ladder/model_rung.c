/* SPDX-License-Identifier: MIT */
#include "ladder/model_rung.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/settings.h"
#include "api/tune.h"
#include "base/error.h"
#include "base/memory.h"
#include "sim/registry.h"

enum {
    CHECK_STEPS = 37,   /* not a multiple of any number of fused steps */
    TUNING_SECONDS = 10 /* at most, for the variants of the simulation */
};

/* --- running it ------------------------------------------------------------------------------ */

static enum vks_result set_options(struct vks_settings *settings, const struct vks_model_rung *rung,
                                   const char *variant)
{
    enum vks_result result = vks_settings_set(settings, "variant", variant);
    for (const struct vks_model_choice *o = rung->options; o->name && result == VKS_OK; o++) {
        result = vks_settings_set(settings, o->name, o->text);
    }
    return result == VKS_OK ? vks_settings_finish(settings) : result;
}

/* A graph of the simulation in that variant, at its initial condition. Destroy it before the
 * settings are freed. */
static enum vks_result create(struct vks_gpu *gpu, const struct vks_model_rung *rung,
                              const char *variant, struct vks_settings *settings,
                              struct vks_graph **graph)
{
    struct vks_declaration declaration = {0};
    const struct vks_model *model = vks_model_find(rung->model);
    enum vks_result result =
        model ? vks_settings_init(settings, model)
              : vks_fail(VKS_ERROR_INTERNAL, "there is no simulation '%s'", rung->model);
    if (result == VKS_OK) {
        result = set_options(settings, rung, variant);
    }
    if (result == VKS_OK) {
        vks_tune(gpu, settings, TUNING_SECONDS);
        const struct vks_config config = vks_settings_config(settings);
        vks_declare_model(model, &config, &declaration);
        result = vks_graph_create(gpu, &declaration, graph);
    }
    if (result == VKS_OK) {
        result = vks_graph_start(*graph, 0, true);
    }
    if (result == VKS_OK) {
        result = vks_graph_fill(*graph, false, NULL);
    }
    if (result == VKS_OK) {
        result = vks_graph_ready(*graph);
    }
    vks_declaration_free(&declaration);
    return result;
}

/* --- the check ------------------------------------------------------------------------------- */

struct comparison {
    const struct vks_field *field;
    const char *expected; /* of the whole field */
    uint32_t scalar_bytes;
    uint64_t at, different, first; /* scalars */
    double found;                  /* in the first that differs */
};

static enum vks_result compare(void *user, const void *bytes, size_t size)
{
    struct comparison *comparison = user;
    const uint32_t step = comparison->scalar_bytes;
    for (size_t i = 0; i < size / step; i++, comparison->at++) {
        const char *found = (const char *)bytes + i * step;
        if (memcmp(found, comparison->expected + comparison->at * step, step) != 0) {
            if (comparison->different++ == 0) {
                comparison->first = comparison->at;
                comparison->found = vks_ladder_value(comparison->field->element, found, 0);
            }
        }
    }
    return VKS_OK;
}

/* "(x, y)" of a scalar of the field. */
static const char *format_place(const struct vks_field *field, uint64_t index, char text[96])
{
    uint64_t shape[4];
    size_t used = 0;
    for (uint32_t axis = vks_array_shape(field, shape); axis > 0; axis--) {
        used += (size_t)snprintf(text + used, 96 - used, "%s%" PRIu64, used ? ", " : "(",
                                 index % shape[axis - 1]);
        index /= shape[axis - 1];
    }
    snprintf(text + used, 96 - used, ")");
    return text;
}

/* The message says what the other variant computes. */
static enum vks_result fail_different(const struct vks_ladder_task *task,
                                      const struct vks_model_rung *rung,
                                      const struct comparison *comparison)
{
    const struct vks_field *field = comparison->field;
    char size[48], place[96];
    return vks_fail(
        VKS_ERROR_STOPPED,
        "the rung %s of %s is wrong at %s elements: after %d steps, %" PRIu64 " of %" PRIu64
        " values of '%s' differ from the variant %s; the first is element %s, %.10g "
        "instead of %.10g",
        task->rung->name, task->kernel->name,
        vks_ladder_format_size(task->kernel, &task->size, size), CHECK_STEPS, comparison->different,
        vks_field_bytes(field) / comparison->scalar_bytes, field->name, rung->other,
        format_place(field, comparison->first, place), comparison->found,
        vks_ladder_value(field->element, comparison->expected, comparison->first));
}

/* Compares a field with that of the other variant. */
static enum vks_result check_field(struct vks_graph *graph, const struct vks_field *field,
                                   const char *expected, const struct vks_ladder_task *task,
                                   const struct vks_model_rung *rung)
{
    const struct vks_element_info *element = vks_element_info(field->element);
    struct comparison comparison = {
        .field = field, .expected = expected, .scalar_bytes = element->bytes / element->scalars};
    const enum vks_result result = vks_graph_download(graph, field->name, compare, &comparison);
    return result == VKS_OK && comparison.different > 0 ? fail_different(task, rung, &comparison)
                                                        : result;
}

/* Downloads the state, field after field, or compares it (`compares`: with that of the rung's other
 * variant). */
static enum vks_result download(struct vks_graph *graph, char *state,
                                const struct vks_ladder_task *task,
                                const struct vks_model_rung *compares)
{
    const struct vks_declaration *declaration = vks_graph_declaration(graph);
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < declaration->field_count && result == VKS_OK; i++) {
        const struct vks_field *field = &declaration->fields[i];
        if (field->persistent) {
            result = compares ? check_field(graph, field, state, task, compares)
                              : vks_graph_download_to(graph, field->name, state);
            state += vks_field_bytes(field);
        }
    }
    return result;
}

static uint64_t state_bytes(const struct vks_declaration *declaration)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < declaration->field_count; i++) {
        bytes += declaration->fields[i].persistent ? vks_field_bytes(&declaration->fields[i]) : 0;
    }
    return bytes;
}

/* The state after the steps of the check, by the other variant: to be freed. */
static enum vks_result run_other(struct vks_gpu *gpu, const struct vks_ladder_task *task,
                                 const struct vks_model_rung *rung, char **state)
{
    struct vks_settings settings = {0};
    struct vks_graph *graph = NULL;
    enum vks_result result = create(gpu, rung, rung->other, &settings, &graph);
    if (result == VKS_OK) {
        *state = malloc((size_t)state_bytes(vks_graph_declaration(graph)));
        result = *state ? vks_graph_run(graph, CHECK_STEPS + task->spoiled) : vks_fail_memory();
    }
    if (result == VKS_OK) {
        result = download(graph, *state, task, NULL);
    }
    vks_graph_destroy(graph);
    vks_settings_free(&settings);
    return result;
}

enum vks_result vks_model_rung_measure(struct vks_gpu *gpu, const struct vks_ladder_task *task,
                                       const struct vks_effort *effort, struct vks_spread *seconds,
                                       const struct vks_model_rung *rung)
{
    struct vks_settings settings = {0};
    struct vks_graph *graph = NULL;
    char *state = NULL;
    double samples[VKS_MAX_REPEATS];
    enum vks_result result = run_other(gpu, task, rung, &state);
    if (result == VKS_OK) {
        result = create(gpu, rung, rung->variant, &settings, &graph);
    }
    if (result == VKS_OK) {
        result = vks_graph_run(graph, CHECK_STEPS);
    }
    if (result == VKS_OK) {
        result = download(graph, state, task, rung);
    }
    free(state);
    if (result == VKS_OK && effort->repeats > 0) {
        result = vks_graph_run(graph, settings.limits.software.driver ? 0 : rung->lead);
    }
    if (result == VKS_OK && effort->repeats > 0) {
        result = vks_steps_measure(graph, rung->period, effort, samples);
    }
    if (result == VKS_OK && effort->repeats > 0) {
        *seconds = vks_spread_of(samples, effort->repeats);
    }
    vks_graph_destroy(graph);
    vks_settings_free(&settings);
    return result;
}
