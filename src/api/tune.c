/* SPDX-License-Identifier: MIT */
#include "api/tune.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "graph/graph.h"

/* Long enough for a clock rate to settle and single steps not to matter. */
static const double sample_seconds = 0.004;

/* --- what was found before ------------------------------------------------------------------- */

/* The object {"vksim": version, "variants": {key: variant}} in the file, or a new one. */
static json_t *read_file(const char *path)
{
    char *text = NULL;
    json_t *file = NULL;
    if (path && vks_read_file(path, 1 << 20, &text, NULL) == VKS_OK) {
        file = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    }
    free(text);
    const char *version = json_string_value(json_object_get(file, "vksim"));
    if (!version || strcmp(version, VKS_VERSION) != 0 ||
        !json_is_object(json_object_get(file, "variants"))) {
        json_decref(file);
        file = json_pack("{s:s, s:{}}", "vksim", VKS_VERSION, "variants");
    }
    return file;
}

static void remember(const struct vks_gpu *gpu, const char *key, const char *variant)
{
    char *path = gpu->cache_path ? vks_gpu_cache_name(gpu, "variants", "json") : NULL;
    json_t *file = path ? read_file(path) : NULL;
    if (file &&
        json_object_set_new(json_object_get(file, "variants"), key, json_string(variant)) == 0) {
        char *text = json_dumps(file, JSON_INDENT(1) | JSON_SORT_KEYS);
        if (text) {
            vks_gpu_cache_keep(path, text, strlen(text));
        }
        free(text);
    }
    json_decref(file);
    free(path);
}

/* The variant that the file has for the key, if the model still has it. */
static const char *recall(const struct vks_gpu *gpu, const struct vks_variants *variants)
{
    const char *found = NULL;
    char *path = gpu->cache_path ? vks_gpu_cache_name(gpu, "variants", "json") : NULL;
    json_t *file = path ? read_file(path) : NULL;
    const char *name =
        json_string_value(json_object_get(json_object_get(file, "variants"), variants->key));
    for (size_t i = 0; name && i < variants->count; i++) {
        if (strcmp(variants->names[i], name) == 0) {
            found = variants->names[i];
        }
    }
    json_decref(file);
    free(path);
    return found;
}

/* --- measuring ------------------------------------------------------------------------------- */

/* Runs steps. Returns the seconds a step took on the GPU or, where its clock is missing, here. */
static enum vks_result sample(struct vks_graph *graph, uint64_t steps, double *seconds)
{
    double before, after;
    uint64_t steps_before, steps_after;
    vks_graph_busy(graph, &before, &steps_before);
    const double begin = vks_seconds();
    enum vks_result result = vks_graph_run(graph, steps);
    if (result == VKS_OK) {
        result = vks_graph_wait(graph);
    }
    *seconds = (vks_seconds() - begin) / (double)steps;
    vks_graph_busy(graph, &after, &steps_after);
    if (steps_after > steps_before) {
        *seconds = (after - before) / (double)(steps_after - steps_before);
    }
    return result;
}

/* The least of three samples, after a first one in which batches are recorded, caches filled and
 * the clock rate rises. */
static enum vks_result time_steps(struct vks_graph *graph, uint64_t period, double *seconds)
{
    enum vks_result result = vks_graph_start(graph, 0, true);
    uint64_t steps = period;
    double step = 0;
    if (result == VKS_OK) {
        result = vks_graph_ready(graph);
    }
    if (result == VKS_OK) {
        result = sample(graph, steps, &step);
    }
    const double want = sample_seconds / step;
    steps = want < (double)period ? period : want > 8192 ? 8192 : (uint64_t)want / period * period;
    *seconds = 1e9;
    for (int i = 0; i < 3 && result == VKS_OK; i++) {
        result = sample(graph, steps, &step);
        *seconds = step < *seconds ? step : *seconds;
    }
    return result;
}

static enum vks_result measure(struct vks_gpu *gpu, const struct vks_config *config,
                               const struct vks_model *model, uint64_t period, double *seconds)
{
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    vks_declare_model(model, config, &declaration);
    enum vks_result result = vks_graph_create(gpu, &declaration, &graph);
    if (result == VKS_OK) {
        result = time_steps(graph, period, seconds);
    }
    vks_graph_destroy(graph);
    vks_declaration_free(&declaration);
    return result;
}

/* The best of the variants, the first if none could be measured. *whole says whether all were. */
static const char *find_best(struct vks_gpu *gpu, const struct vks_model *model,
                             struct vks_config *config, const struct vks_variants *variants,
                             double most_seconds, bool *whole)
{
    const double begin = vks_seconds();
    const char *best = variants->names[0];
    double best_seconds = 1e9;
    bool told = false;
    *whole = true;
    for (size_t i = 0; i < variants->count; i++) {
        double seconds = 0;
        config->variant = variants->names[i];
        if (!told && vks_seconds() - begin > 1) {
            vks_message(VKS_LOG_INFO, "measuring which of %zu variants is the fastest here",
                        variants->count);
            told = true;
        }
        if (i > 0 && vks_seconds() - begin > most_seconds) {
            *whole = false;
            break;
        }
        if (measure(gpu, config, model, variants->period ? variants->period : 64, &seconds) !=
            VKS_OK) {
            vks_message(VKS_LOG_VERBOSE, "variant %s not measured: %s", variants->names[i],
                        vks_error_text());
            *whole = false;
            continue;
        }
        vks_message(VKS_LOG_VERBOSE, "variant %s: %.2f us/step", variants->names[i], seconds * 1e6);
        if (seconds < best_seconds) {
            best_seconds = seconds;
            best = variants->names[i];
        }
    }
    return best;
}

void vks_tune(struct vks_gpu *gpu, struct vks_settings *settings, double most_seconds)
{
    struct vks_variants variants = {.count = 0};
    settings->limits = vks_graph_limits(gpu);
    settings->variant[0] = '\0';
    struct vks_config config = vks_settings_config(settings);
    if (settings->model->variants) {
        settings->model->variants(&config, &variants);
    }
    if (variants.count == 0) {
        return;
    }
    const bool measured = !settings->limits.software && variants.count > 1;
    const char *variant = measured ? recall(gpu, &variants) : variants.names[0];
    if (!variant) {
        vks_message(VKS_LOG_VERBOSE, "measuring %zu variants for %s", variants.count, variants.key);
        bool whole;
        variant = find_best(gpu, settings->model, &config, &variants, most_seconds, &whole);
        if (whole) { /* pipelines are in the cache by the next time, or there is more memory */
            remember(gpu, variants.key, variant);
        }
    }
    vks_message(VKS_LOG_VERBOSE, "variant %s for %s", variant, variants.key);
    snprintf(settings->variant, sizeof(settings->variant), "%s", variant);
}
