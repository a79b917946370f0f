/* SPDX-License-Identifier: MIT */
#include "ui/preview.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __linux__
#include <sys/resource.h>
#endif

#include "api/simulation.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "ui/pictures.h"

enum { SIDE = VKS_MADE_SIDE, BYTES = VKS_MADE_BYTES };

static const double frame_seconds = 1.0 / 30;
static const double max_share = 0.5;     /* of the time in which it computes */
static const double still_seconds = 2.5; /* of computing for a still */
enum { STILL_FRAMES = 300 };

struct vks_preview {
    struct vks_gpu_params params;
    char device[sizeof(((struct vks_device_info *)NULL)->uuid)];
    vks_context *context; /* the thread's; NULL: not opened */
    uint64_t messages;
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    bool started, ends;
    const struct vks_model *model; /* to run; NULL: none */
    const char *preset;
    bool still, done; /* one picture is wanted, and there */
    uint32_t wanted;  /* counts calls that changed it */
    uint32_t frames;  /* of this preset */
    uint8_t newest[BYTES];
    /* The window's: */
    uint32_t seen; /* frames */
    uint32_t version;
    uint8_t shown[BYTES];
};

/* --- the thread ------------------------------------------------------------------------------ */

/* The preset in a field of that size. A volume has half the side. */
static enum vks_result choose(struct vks_settings *settings, const struct vks_model *model,
                              const char *preset)
{
    enum vks_result result = vks_settings_init(settings, model);
    if (result == VKS_OK) {
        result = vks_settings_preset(settings, preset);
    }
    if (result == VKS_OK) {
        const bool flat = settings->common.size.depth <= 1;
        result =
            vks_settings_set(settings, VKS_COMMON_ROW(size)->name, flat ? "128x128" : "64x64x64");
    }
    if (result == VKS_OK) {
        result = vks_settings_set(settings, VKS_COMMON_ROW(look.output_size)->name, "128x128");
    }
    return result == VKS_OK ? vks_settings_finish(settings) : result;
}

static enum vks_result open_run(struct vks_preview *preview, const struct vks_model *model,
                                const char *preset, vks_simulation **run)
{
    struct vks_settings settings = {0};
    enum vks_result result = choose(&settings, model, preset);
    if (result == VKS_OK && !preview->context) {
        result = vks_context_open(&preview->params, &preview->context);
    }
    if (result == VKS_OK) {
        result = vks_simulation_open(preview->context, &settings, NULL, 0, run);
    }
    vks_settings_free(&settings);
    return result;
}

/* The steps of a frame, and its picture. */
static enum vks_result advance(vks_simulation *run, uint8_t *rgba)
{
    const uint64_t steps = vks_simulation_settings(run)->common.steps_per_frame;
    enum vks_result result = vks_simulation_draw(run);
    if (result == VKS_OK) {
        result = vks_simulation_read_plane(run, VKS_PLANE_RGBA, rgba, BYTES);
    }
    return result == VKS_OK ? vks_simulation_run(run, steps) : result;
}

/* Waits until something else is wanted, at most that long. To be called with the lock. */
static void wait_for(struct vks_preview *preview, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    const uint64_t nanoseconds = (uint64_t)until.tv_nsec + (uint64_t)(seconds * 1e9);
    until.tv_sec += (time_t)(nanoseconds / 1000000000);
    until.tv_nsec = (long)(nanoseconds % 1000000000);
    const uint32_t wanted = preview->wanted;
    while (wanted == preview->wanted && !preview->ends &&
           pthread_cond_timedwait(&preview->changed, &preview->lock, &until) != ETIMEDOUT) {
    }
}

/* Runs the preset until the picture shows what becomes of it, or another one is wanted. With the
 * lock, but not while it computes. */
static enum vks_result run_still(struct vks_preview *preview, vks_simulation *run, uint8_t *rgba)
{
    const uint64_t steps = vks_simulation_settings(run)->common.steps_per_frame;
    const uint32_t wanted = preview->wanted;
    enum vks_result result = VKS_OK;
    double computed = 0;
    for (size_t i = 0; i < STILL_FRAMES && computed < still_seconds && result == VKS_OK &&
                       wanted == preview->wanted && !preview->ends;
         i++) {
        const double start = vks_seconds();
        pthread_mutex_unlock(&preview->lock);
        result = vks_simulation_run(run, steps);
        result = result == VKS_OK ? vks_simulation_wait(run) : result;
        pthread_mutex_lock(&preview->lock);
        const double took = vks_seconds() - start;
        computed += took;
        wait_for(preview, took * (1 / max_share - 1));
    }
    pthread_mutex_unlock(&preview->lock);
    result = result == VKS_OK ? advance(run, rgba) : result;
    pthread_mutex_lock(&preview->lock);
    if (result == VKS_OK && wanted == preview->wanted) {
        memcpy(preview->newest, rgba, BYTES);
        preview->frames++;
        preview->done = true;
        preview->model = NULL;
    }
    return result;
}

/* Runs the preset that is wanted until another one is. With the lock, but not while it computes. */
static void run_one(struct vks_preview *preview)
{
    const struct vks_model *model = preview->model;
    const char *preset = preview->preset;
    const uint32_t wanted = preview->wanted;
    vks_simulation *run = NULL;
    uint8_t rgba[BYTES];
    pthread_mutex_unlock(&preview->lock);
    enum vks_result result = open_run(preview, model, preset, &run);
    pthread_mutex_lock(&preview->lock);
    const bool still = preview->still;
    if (result == VKS_OK && still && wanted == preview->wanted) {
        result = run_still(preview, run, rgba);
    }
    while (result == VKS_OK && !still && wanted == preview->wanted && !preview->ends) {
        const double start = vks_seconds();
        pthread_mutex_unlock(&preview->lock);
        result = advance(run, rgba);
        pthread_mutex_lock(&preview->lock);
        if (result == VKS_OK && wanted == preview->wanted) {
            const double took = vks_seconds() - start;
            const double pause = took * (1 / max_share - 1);
            memcpy(preview->newest, rgba, BYTES);
            preview->frames++;
            wait_for(preview, took + pause < frame_seconds ? frame_seconds - took : pause);
        }
    }
    if (result != VKS_OK) {
        vks_message(VKS_LOG_VERBOSE, "no preview of %s: %s", preset, vks_error_text());
        if (wanted == preview->wanted) {
            preview->model = NULL;
            preview->done = true;
        }
    }
    pthread_mutex_unlock(&preview->lock);
    vks_simulation_destroy(run);
    pthread_mutex_lock(&preview->lock);
}

static void *work(void *user)
{
    struct vks_preview *preview = user;
#ifdef __linux__
    (void)setpriority(PRIO_PROCESS, 0, 10); /* of this thread, and those of a software driver */
#endif
    pthread_mutex_lock(&preview->lock);
    while (!preview->ends) {
        if (preview->model) {
            run_one(preview);
        } else {
            pthread_cond_wait(&preview->changed, &preview->lock);
        }
    }
    pthread_mutex_unlock(&preview->lock);
    preview->messages = vks_context_close(preview->context);
    return NULL;
}

/* --- the window's side ----------------------------------------------------------------------- */

enum vks_result vks_preview_create(const struct vks_gpu_params *params, const struct vks_gpu *gpu,
                                   struct vks_preview **out)
{
    struct vks_preview *preview = calloc(1, sizeof(*preview));
    if (!preview) {
        return vks_fail_memory();
    }
    memcpy(preview->device, gpu->info.uuid, sizeof(preview->device));
    preview->params = (struct vks_gpu_params){.device = preview->device,
                                              .validation = params->validation,
                                              .no_disk_cache = params->no_disk_cache,
                                              .quiet = true};
    pthread_mutex_init(&preview->lock, NULL);
    pthread_cond_init(&preview->changed, NULL);
    *out = preview;
    return VKS_OK;
}

uint64_t vks_preview_destroy(struct vks_preview *preview)
{
    if (!preview) {
        return 0;
    }
    if (preview->started) {
        pthread_mutex_lock(&preview->lock);
        preview->ends = true;
        pthread_cond_signal(&preview->changed);
        pthread_mutex_unlock(&preview->lock);
        pthread_join(preview->thread, NULL);
    }
    const uint64_t messages = preview->messages;
    pthread_cond_destroy(&preview->changed);
    pthread_mutex_destroy(&preview->lock);
    free(preview);
    return messages;
}

void vks_preview_show(struct vks_preview *preview, const struct vks_model *model,
                      const char *preset, bool still)
{
    if (preset && !preview->started) { /* without a thread there are no previews */
        preview->started = pthread_create(&preview->thread, NULL, work, preview) == 0;
    }
    pthread_mutex_lock(&preview->lock);
    if (preset != preview->preset || still != preview->still) { /* names are the tables' */
        preview->still = still;
        preview->done = false;
        preview->model = preset ? model : NULL;
        preview->preset = preset;
        preview->wanted++;
        preview->frames = preview->seen = 0;
        pthread_cond_signal(&preview->changed);
    }
    pthread_mutex_unlock(&preview->lock);
}

bool vks_preview_runs(struct vks_preview *preview)
{
    pthread_mutex_lock(&preview->lock);
    const bool runs = preview->model != NULL;
    pthread_mutex_unlock(&preview->lock);
    return runs;
}

bool vks_preview_has_still(struct vks_preview *preview, struct vks_thumb *picture)
{
    pthread_mutex_lock(&preview->lock);
    const bool done = preview->still && preview->done;
    pthread_mutex_unlock(&preview->lock);
    if (done) {
        *picture = vks_preview_picture(preview);
    }
    return done;
}

bool vks_preview_is_new(struct vks_preview *preview)
{
    pthread_mutex_lock(&preview->lock);
    const bool is_new = preview->frames != preview->seen;
    pthread_mutex_unlock(&preview->lock);
    return is_new;
}

struct vks_thumb vks_preview_picture(struct vks_preview *preview)
{
    pthread_mutex_lock(&preview->lock);
    const bool any = preview->frames > 0;
    if (preview->frames != preview->seen) {
        memcpy(preview->shown, preview->newest, BYTES);
        preview->seen = preview->frames;
        preview->version++;
    }
    pthread_mutex_unlock(&preview->lock);
    return (struct vks_thumb){any ? preview->shown : NULL, SIDE, SIDE, preview->version};
}
