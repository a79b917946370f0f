/* SPDX-License-Identifier: MIT */
#include "tool/rendering.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

/* --- the scene ------------------------------------------------------------------------------- */

/* The number of the event after the last restart that was applied; 0: there was none. */
static size_t after_restart(const struct vks_log *log)
{
    size_t first = log->done;
    while (first > 0 && !log->events[first - 1].restarts) {
        first--;
    }
    return first;
}

/* Applies what has been done to a run before it was restarted. */
static enum vks_result apply(const struct vks_event *event, struct vks_settings *settings)
{
    if (event->set) {
        return vks_settings_set_values(settings, event->set);
    }
    if (!event->restarts) {
        return VKS_OK;
    }
    char *seed = vks_format("%" PRIu32, event->seed);
    const enum vks_result result =
        seed ? vks_settings_set(settings, VKS_COMMON_ROW(seed)->name, seed) : vks_fail_memory();
    free(seed);
    return result;
}

/* Adds an event `earlier` steps earlier. */
static enum vks_result add(struct vks_log *log, const struct vks_event *event, uint64_t earlier)
{
    struct vks_event copy = *event;
    copy.step -= earlier;
    json_incref(copy.set);
    json_incref(copy.paint);
    return vks_log_add(log, &copy);
}

/* The settings with which a run that starts at event `first` has that picture in the end, and its
 * events. */
static enum vks_result shorten(const struct vks_rendering *rendering, size_t first,
                               struct vks_settings *settings, struct vks_log *log)
{
    const struct vks_log *all = rendering->log;
    const uint64_t begin = first > 0 ? all->events[first - 1].step : 0;
    const char *normalize = VKS_COMMON_ROW(look.normalize)->name;
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < first && result == VKS_OK; i++) {
        result = apply(&all->events[i], settings);
    }
    if (result == VKS_OK && rendering->range) {
        result = vks_settings_set(settings, normalize, rendering->range);
    }
    if (result == VKS_OK) {
        result = vks_settings_finish(settings);
    }
    for (size_t i = first; i < all->done && result == VKS_OK; i++) {
        result = add(log, &all->events[i], begin);
    }
    if (result == VKS_OK && rendering->range) { /* the others may have set another */
        struct vks_event last = vks_event_option(normalize, rendering->range);
        last.step = rendering->steps - begin;
        result = vks_log_add(log, &last);
    }
    return result;
}

/* Sets the job's scene; *steps: its length. */
static enum vks_result make_scene(const struct vks_cli *cli, const struct vks_rendering *rendering,
                                  struct vks_job *job, uint64_t *steps)
{
    const size_t first = rendering->is_video ? 0 : after_restart(rendering->log);
    struct vks_settings settings = {0};
    struct vks_log log = {0};
    struct vks_cli part = *cli;
    enum vks_result result = vks_settings_copy(&settings, &cli->settings);
    if (result == VKS_OK) {
        result = shorten(rendering, first, &settings, &log);
    }
    if (result == VKS_OK) {
        part.settings = settings;
        part.load_state = first > 0 ? NULL : cli->load_state; /* a restart begins without it */
        result = vks_scene_origin(&part, &log, false, &job->scene);
    }
    *steps = rendering->steps - (first > 0 ? rendering->log->events[first - 1].step : 0);
    vks_log_free(&log);
    vks_settings_free(&settings);
    return result;
}

/* --- the command line ------------------------------------------------------------------------ */

/* Adds an option and its value, a number. */
static enum vks_result add_number(struct vks_job *job, const char *option, uint64_t value)
{
    char *text = vks_format("%s=%" PRIu64, option, value);
    const enum vks_result result = text ? vks_job_word(job, text) : vks_fail_memory();
    free(text);
    return result;
}

static enum vks_result add_text(struct vks_job *job, const char *option, const char *value)
{
    const enum vks_result result = vks_job_word(job, option);
    return result == VKS_OK ? vks_job_word(job, value) : result;
}

/* The length of the present run; a file's scene has its own. */
static enum vks_result add_length(struct vks_job *job, const struct vks_rendering *rendering,
                                  uint64_t steps)
{
    enum vks_result result = add_number(job, "--warmup", 0);
    if (result == VKS_OK) {
        result = add_number(job, "--steps", steps);
    }
    return result == VKS_OK && rendering->is_video
               ? add_number(job, "--steps-per-frame", rendering->steps_per_frame)
               : result;
}

enum vks_result vks_rendering_job(const struct vks_cli *cli, uint32_t device,
                                  const struct vks_rendering *rendering, struct vks_job *job)
{
    uint64_t steps = 0;
    if (!rendering->file && cli->vary.count > 0) {
        return vks_fail(VKS_ERROR_USAGE, "a grid of runs cannot be rendered again in the window; "
                                         "vksim --scene can");
    }
    char *size = vks_format("--output-size=%ux%u", rendering->size.width, rendering->size.height);
    job->path = vks_strdup(rendering->path);
    enum vks_result result = size && job->path ? vks_job_word(job, "vksim") : vks_fail_memory();
    if (result == VKS_OK && !rendering->file) {
        result = make_scene(cli, rendering, job, &steps);
    }
    if (result == VKS_OK) {
        result = add_text(job, "--scene", rendering->file ? rendering->file : VKS_JOB_SCENE);
    }
    if (result == VKS_OK) {
        result = add_text(job, "--out", rendering->path);
    }
    if (result == VKS_OK) {
        result = add_number(job, "--device", device);
    }
    if (result == VKS_OK) {
        result = vks_job_word(job, size);
    }
    if (result == VKS_OK && rendering->is_video) {
        result = add_number(job, "--fps", VKS_RENDERING_FPS);
    }
    if (result == VKS_OK && !rendering->file) {
        result = add_length(job, rendering, steps);
    }
    free(size);
    return result;
}
