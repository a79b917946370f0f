/* SPDX-License-Identifier: MIT */
#include "ui/recording.h"

#include <stdlib.h>

#include "base/error.h"
#include "frames/loop.h"

static bool never(void)
{
    return false; /* an encoder always goes on; the run is asked between frames */
}

static enum vks_result open_sink(struct vks_recording *recording, const char *name)
{
    const struct vks_size size = vks_grid_size(recording->grid);
    const struct vks_sink_params params = {
        .path = name,
        .width = size.width,
        .height = size.height,
        .fps = {.frames = VKS_RECORDING_FPS, .seconds = 1},
        .fade = recording->loops ? VKS_LOOP_FADE : 0,
        .origin = {.scene = recording->scene},
    };
    const enum vks_result result = vks_sink_open(&params, &recording->sink);
    return result == VKS_OK ? vks_sink_start(recording->sink) : result;
}

static enum vks_result open_ring(struct vks_recording *recording, struct vks_gpu *gpu)
{
    const struct vks_size size = vks_grid_size(recording->grid);
    const struct vks_bands bands = vks_grid_bands(recording->grid);
    return vks_ring_create(gpu, &bands,
                           &(struct vks_ring_params){.width = size.width,
                                                     .height = size.height,
                                                     .sinks = &recording->sink,
                                                     .sink_count = 1,
                                                     .frames = UINT64_MAX,
                                                     .interrupted = never},
                           &recording->ring);
}

enum vks_result vks_recording_begin(struct vks_recording *recording, struct vks_gpu *gpu,
                                    struct vks_grid *grid, const char *name, bool loops,
                                    char *scene)
{
    *recording = (struct vks_recording){.grid = grid, .scene = scene, .loops = loops};
    enum vks_result result = open_sink(recording, name);
    if (result == VKS_OK) {
        result = vks_grid_use_planes(grid, vks_sink_planes(recording->sink));
    }
    if (result == VKS_OK) {
        result = open_ring(recording, gpu);
    }
    if (result != VKS_OK) {
        struct vks_error why;
        vks_error_keep(result, &why);
        (void)vks_recording_end(recording, NULL);
        return vks_fail_again(&why);
    }
    return VKS_OK;
}

uint64_t vks_recording_length(const struct vks_recording *recording)
{
    return recording->loops ? vks_loop_length(recording->frames, VKS_LOOP_FADE) : recording->frames;
}

/* After the ring's end. */
static enum vks_result complete(const struct vks_recording *recording, const char *scene)
{
    const struct vks_origin origin = {
        .scene = scene, .steps = recording->steps, .frames = recording->frames};
    const enum vks_result result = vks_sink_set_origin(recording->sink, &origin);
    if (result != VKS_OK) {
        vks_sink_abort(recording->sink);
        return result;
    }
    return vks_sink_finish(recording->sink);
}

enum vks_result vks_recording_end(struct vks_recording *recording, const char *scene)
{
    struct vks_error why;
    enum vks_result result = recording->ring ? vks_ring_drain(recording->ring) : VKS_OK;
    vks_ring_destroy(recording->ring);
    if (result == VKS_OK && scene) {
        result = complete(recording, scene);
    } else {
        vks_sink_abort(recording->sink);
    }
    vks_error_keep(result, &why);
    /* A run in the window is opened without planes. */
    const enum vks_result back = vks_grid_use_planes(recording->grid, 0);
    free(recording->scene);
    *recording = (struct vks_recording){0};
    return result == VKS_OK ? back : vks_fail_again(&why);
}
