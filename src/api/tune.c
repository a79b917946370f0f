/* SPDX-License-Identifier: MIT */
#include "api/tune.h"

#include <stdio.h>

#include "base/log.h"
#include "base/task.h"
#include "graph/tuner.h"

struct run {
    struct vks_gpu *gpu;
    const struct vks_model *model;
    struct vks_config *config;
    const struct vks_candidates *candidates;
};

static void name(void *user, const uint32_t *choice, char text[VKS_TUNER_NAME])
{
    const struct run *run = user;
    snprintf(text, VKS_TUNER_NAME, "%s", run->candidates->variants[choice[0]].name);
}

static enum vks_result measure(void *user, const uint32_t *choice, double best, double *seconds)
{
    struct run *run = user;
    struct vks_declaration declaration = {0};
    const uint32_t period = run->candidates->period;
    const struct vks_tuner_steps steps = {
        .period = period ? period : 64, .warm_up = run->candidates->warm_up, .best = best};
    run->config->variant = run->candidates->variants[choice[0]];
    vks_declare_model(run->model, run->config, &declaration);
    return vks_tuner_time(run->gpu, &declaration, &steps, seconds);
}

/* The index of the fastest variant, 0 if none could be measured. */
static size_t choose(struct run *run, double most_seconds)
{
    const struct vks_tuner tuner = {
        .kind = "variants",
        .noun = "variants",
        .key = run->candidates->key,
        .counts = {(uint32_t)run->candidates->count},
        .user = run,
        .name = name,
        .measure = measure,
        .stop = vks_interrupted,
        .seconds = most_seconds,
    };
    struct vks_tuning tuning;
    const enum vks_result result = vks_tuner_choose(run->gpu, &tuner, &tuning);
    const size_t best = result == VKS_OK ? tuning.best : 0;
    vks_tuning_free(&tuning);
    return best;
}

static void choose_variant(struct vks_gpu *gpu, struct vks_settings *settings,
                           struct vks_config *config, const struct vks_candidates *candidates,
                           double most_seconds)
{
    const bool measured = !settings->limits.software.driver && candidates->count > 1;
    struct run run = {gpu, settings->model, config, candidates};
    settings->variant = candidates->variants[measured ? choose(&run, most_seconds) : 0];
    vks_message(VKS_LOG_VERBOSE, "variant %s%s%s", settings->variant.name,
                candidates->key[0] ? " for " : "", candidates->key);
}

void vks_tune(struct vks_gpu *gpu, struct vks_settings *settings, double most_seconds)
{
    struct vks_candidates candidates = {.count = 0};
    settings->limits = vks_graph_limits(gpu);
    settings->variant = (struct vks_variant){0};
    struct vks_config config = vks_settings_config(settings);
    const struct vks_option *end = vks_settings_end_option(settings);
    const double time = vks_settings_end(settings);
    if (end) { /* steps after the end would be measured */
        (void)vks_option_set_real(end, settings->resolved, 0);
    }
    if (settings->model->candidates) {
        settings->model->candidates(&config, &candidates);
    }
    if (candidates.count > 0) {
        choose_variant(gpu, settings, &config, &candidates, most_seconds);
    }
    if (end) {
        (void)vks_option_set_real(end, settings->resolved, time);
    }
}
