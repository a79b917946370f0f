/* SPDX-License-Identifier: MIT */
#include "bench/model_rung.h"

#include <stdlib.h>
#include <string.h>

#include "api/settings.h"
#include "api/tune.h"
#include "base/error.h"
#include "base/memory.h"

enum {
    CHECK_STEPS = 37,   /* not a multiple of any number of fused steps */
    TUNING_SECONDS = 10 /* at most, for the variants of the simulation */
};

/* --- running it ------------------------------------------------------------------------------ */

static enum vks_result set_options(struct vks_settings *settings, const struct vks_model_rung *rung,
                                   const struct vks_model_choice *choice)
{
    enum vks_result result = vks_settings_set(settings, choice->name, choice->text);
    for (const struct vks_model_choice *o = rung->options; o->name && result == VKS_OK; o++) {
        result = vks_settings_set(settings, o->name, o->text);
    }
    return result == VKS_OK ? vks_settings_finish(settings) : result;
}

/* A graph of the simulation with the choice, at its initial condition. Destroy it before the
 * settings are freed. */
static enum vks_result create(struct vks_gpu *gpu, const struct vks_model_rung *rung,
                              const struct vks_model_choice *choice, struct vks_settings *settings,
                              struct vks_graph **graph)
{
    struct vks_declaration declaration = {0};
    const struct vks_model *model = vks_model_find(rung->model);
    enum vks_result result =
        model ? vks_settings_init(settings, model)
              : vks_fail(VKS_ERROR_INTERNAL, "there is no simulation '%s'", rung->model);
    if (result == VKS_OK) {
        result = set_options(settings, rung, choice);
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
    const struct vks_ladder_task *task;
    const uint32_t *expected;
    size_t at;
};

static enum vks_result compare(void *user, const void *bytes, size_t size)
{
    struct comparison *comparison = user;
    for (size_t i = 0; i < size / 4; i++, comparison->at++) {
        const uint32_t expected = comparison->expected[comparison->at];
        uint32_t found;
        memcpy(&found, (const char *)bytes + 4 * i, 4);
        if (found != expected) {
            return vks_ladder_wrong(comparison->task, 0, (uint32_t)comparison->at, found, expected);
        }
    }
    return VKS_OK;
}

/* Downloads the state, field after field, or compares it with that of another graph. */
static enum vks_result download(struct vks_graph *graph, uint32_t *words, bool compares,
                                const struct vks_ladder_task *task)
{
    const struct vks_declaration *declaration = vks_graph_declaration(graph);
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < declaration->field_count && result == VKS_OK; i++) {
        const struct vks_field *field = &declaration->fields[i];
        struct comparison comparison = {.task = task, .expected = words};
        if (!field->persistent) {
            continue;
        }
        result = compares ? vks_graph_download(graph, field->name, compare, &comparison)
                          : vks_graph_download_to(graph, field->name, words);
        words += vks_field_bytes(field) / 4;
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
                                 const struct vks_model_rung *rung, uint32_t **state)
{
    struct vks_settings settings = {0};
    struct vks_graph *graph = NULL;
    enum vks_result result = create(gpu, rung, &rung->other, &settings, &graph);
    if (result == VKS_OK) {
        *state = malloc((size_t)state_bytes(vks_graph_declaration(graph)));
        result = *state ? vks_graph_run(graph, CHECK_STEPS + task->spoiled) : vks_fail_memory();
    }
    if (result == VKS_OK) {
        result = download(graph, *state, false, task);
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
    uint32_t *state = NULL;
    double samples[VKS_MAX_REPEATS];
    enum vks_result result = run_other(gpu, task, rung, &state);
    if (result == VKS_OK) {
        result = create(gpu, rung, &rung->own, &settings, &graph);
    }
    if (result == VKS_OK) {
        result = vks_graph_run(graph, CHECK_STEPS);
    }
    if (result == VKS_OK) {
        result = download(graph, state, true, task);
    }
    free(state);
    if (result == VKS_OK && effort->repeats > 0) {
        result = vks_graph_run(graph, settings.limits.software ? 0 : rung->lead);
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
