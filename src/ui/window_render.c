/* SPDX-License-Identifier: MIT */
/* Pictures and videos that the window renders again, larger, in the background. */
#include "ui/window_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "io/image.h"

enum {
    MAX_SIDE = 16384,  /* pixels of an enlarged picture: what common programs open */
    VIDEO_LONG = 3840, /* a 4K video fits into these */
    VIDEO_SHORT = 2160,
};

/* --- sizes ----------------------------------------------------------------------------------- */

static struct vks_size scale(struct vks_size size, double factor)
{
    return (struct vks_size){.width = (uint32_t)fmax(floor(size.width * factor + 0.5), 1),
                             .height = (uint32_t)fmax(floor(size.height * factor + 0.5), 1)};
}

/* VKS_ENLARGED times as large, or as large as there can be. */
static struct vks_size picture_size(struct vks_size size)
{
    const uint32_t side = size.width > size.height ? size.width : size.height;
    return scale(size, fmin(VKS_ENLARGED, (double)MAX_SIDE / side));
}

/* With even sides. */
static struct vks_size video_size(struct vks_size size)
{
    const double longer = size.width > size.height ? size.width : size.height;
    const double shorter = size.width > size.height ? size.height : size.width;
    struct vks_size video = scale(size, fmin(VIDEO_LONG / longer, VIDEO_SHORT / shorter));
    video.width += video.width % 2;
    video.height += video.height % 2;
    return video;
}

/* --- jobs ------------------------------------------------------------------------------------ */

/* Adds the job, with the thumbnail, which it takes. */
static enum vks_result add(struct vks_window *window, const struct vks_rendering *rendering,
                           uint8_t *thumb)
{
    struct vks_job job = {
        .thumb = thumb, .step = rendering->steps, .run = rendering->log ? window->runs : 0};
    const char *slash = strrchr(rendering->path, '/');
    char words[VKS_UI_TEXT_SIZE];
    enum vks_result result = window->run.render(window->run.user, rendering, &job);
    if (result != VKS_OK) {
        vks_job_free(&job);
        return result;
    }
    result = vks_jobs_add(&window->jobs, &job);
    window->asked = false;
    if (result == VKS_OK) {
        snprintf(words, sizeof(words), "rendering %s with %u x %u pixels",
                 slash ? slash + 1 : rendering->path, rendering->size.width,
                 rendering->size.height);
        vks_window_say(window, words);
    }
    return result;
}

/* A thumbnail of the present picture. */
static enum vks_result make_thumb(const struct vks_window *window, uint8_t *thumb)
{
    const struct vks_size size = window->size;
    uint8_t *pixels = malloc((size_t)size.width * size.height * 4);
    const enum vks_result result =
        pixels ? vks_graph_download_to(vks_grid_graph(window->run.grid), "picture", pixels)
               : vks_fail_memory();
    if (result == VKS_OK) {
        vks_make_thumb(pixels, size.width, size.height, thumb);
    }
    free(pixels);
    return result;
}

/* The present range as a value of normalize, so that the larger picture has the same colours and
 * needs none before it; "": the range does not depend on them. Fewer points fall on a pixel of a
 * larger picture. */
static enum vks_result find_range(const struct vks_window *window, struct vks_size size, char *text,
                                  size_t length)
{
    const struct vks_settings *settings = vks_window_settings(window);
    const struct vks_range *range = &settings->common.look.values.range;
    const bool points = settings->common.view->points[1] != NULL;
    double low, high;
    text[0] = '\0';
    if (range->mode == VKS_RANGE_FIXED && !points) {
        return VKS_OK;
    }
    const enum vks_result result = vks_simulation_range(vks_window_simulation(window), &low, &high);
    const double share = points ? (double)window->size.width * window->size.height /
                                      ((double)size.width * size.height)
                                : 1;
    if (result == VKS_OK && range->symmetric && high > 0) {
        snprintf(text, length, "symmetric:%.9g", high * share);
    } else if (result == VKS_OK && !range->symmetric && high > low) {
        snprintf(text, length, "fixed:%.9g:%.9g", low * share, high * share);
    }
    return result;
}

enum vks_result vks_window_list_video(struct vks_window *window, const char *path)
{
    window->saved[window->saved_count++ % VKS_MAX_SAVED] = window->captured_now;
    return vks_gallery_add(window->gallery, path, NULL, 0, 0);
}

enum vks_result vks_window_render(struct vks_window *window, bool is_video)
{
    char range[96];
    const struct vks_settings *settings = vks_window_settings(window);
    const char *folder = vks_gallery_folder(window->gallery, is_video ? VKS_VIDEOS : VKS_PICTURES);
    struct vks_rendering rendering = {
        .log = window->run.log,
        .steps = window->captured_now,
        .steps_per_frame = window->steps_per_frame,
        .range = is_video ? NULL : range,
        .is_video = is_video,
        .size = is_video ? video_size(window->size) : picture_size(window->size),
    };
    if (!window->captured ||
        vks_window_defers(window, is_video ? VKS_LATER_RENDER : VKS_LATER_ENLARGE)) {
        return VKS_OK;
    }
    char *path = folder ? vks_picture_name(folder, settings->model->name, window->player.preset,
                                           settings->common.seed, window->captured_step,
                                           is_video ? VKS_VIDEO_END : VKS_ENLARGED_END ".png")
                        : NULL;
    uint8_t *thumb = malloc(VKS_THUMB_BYTES);
    enum vks_result result = path && thumb ? make_thumb(window, thumb) : vks_fail_memory();
    if (result == VKS_OK) {
        result = find_range(window, rendering.size, range, sizeof(range));
    }
    rendering.range = range[0] ? rendering.range : NULL;
    rendering.path = path;
    if (result == VKS_OK) {
        result = add(window, &rendering, thumb);
    } else {
        free(thumb);
    }
    free(path);
    return result;
}

enum vks_result vks_window_render_picture(struct vks_window *window, size_t index, bool is_video)
{
    size_t count;
    const struct vks_gallery_item *item = &vks_gallery_items(window->gallery, &count)[index];
    const char *file = vks_gallery_path(window->gallery, index);
    struct vks_size size = {0};
    if (!is_video && vks_gallery_enlarged(window->gallery, index) > 1) {
        return vks_fail(VKS_ERROR_USAGE, "'%s' is enlarged already", file);
    }
    enum vks_result result = vks_image_size(file, &size.width, &size.height);
    const char *name = strrchr(file, '/') + 1; /* the gallery's paths have a folder */
    const char *folder = vks_gallery_folder(window->gallery, is_video ? VKS_VIDEOS : VKS_PICTURES);
    char *base =
        folder ? vks_format("%s/%.*s", folder, (int)(strlen(name) - strlen(".png")), name) : NULL;
    char *path =
        base ? vks_free_name(base, is_video ? VKS_VIDEO_END : VKS_ENLARGED_END ".png") : NULL;
    uint8_t *thumb = malloc(VKS_THUMB_BYTES);
    result = result != VKS_OK || (path && thumb) ? result : vks_fail_memory();
    if (result == VKS_OK && item->image.rgba) {
        memcpy(thumb, item->image.rgba, VKS_THUMB_BYTES);
    } else {
        free(thumb);
        thumb = NULL;
    }
    if (result == VKS_OK) {
        const struct vks_rendering rendering = {
            .file = file,
            .is_video = is_video,
            .size = is_video ? video_size(size) : picture_size(size),
            .path = path,
        };
        result = add(window, &rendering, thumb);
    }
    free(path);
    free(base);
    return result;
}

/* --- their ends ------------------------------------------------------------------------------ */

static void report(struct vks_window *window, const struct vks_job *job, const char *why)
{
    const char *slash = strrchr(job->path, '/');
    char words[VKS_UI_TEXT_SIZE];
    if (why) {
        vks_message(VKS_LOG_WARNING, "cannot render %s: %s", job->path, why);
        snprintf(words, sizeof(words), "cannot render %s: %.200s", slash ? slash + 1 : job->path,
                 why);
    } else {
        vks_message(VKS_LOG_INFO, "wrote %s", job->path);
        snprintf(words, sizeof(words), "wrote %s", slash ? slash + 1 : job->path);
    }
    vks_window_say(window, words);
}

enum vks_result vks_window_poll_jobs(struct vks_window *window)
{
    struct vks_job job;
    const char *why;
    const double share = window->jobs.share;
    enum vks_result result = VKS_OK;
    if (vks_jobs_poll(&window->jobs, &job, &why)) {
        report(window, &job, why);
        if (!why) {
            if (job.run == window->runs) {
                window->saved[window->saved_count++ % VKS_MAX_SAVED] = job.step;
            }
            result = vks_gallery_add(window->gallery, job.path, job.thumb, VKS_THUMB_SIDE,
                                     VKS_THUMB_SIDE);
        }
        vks_job_free(&job);
    } else if (window->jobs.share != share) {
        window->updated = 0; /* the strip shows it */
    }
    return result;
}

void vks_window_cancel_job(struct vks_window *window)
{
    if (window->jobs.count > 0) {
        vks_jobs_cancel(&window->jobs);
        vks_window_say(window, "the rendering is given up");
    }
}

void vks_window_quit(struct vks_window *window, struct vks_control *control)
{
    if (window->jobs.count == 0 || window->asked) {
        control->quit = true;
        return;
    }
    char words[VKS_UI_TEXT_SIZE];
    snprintf(words, sizeof(words), "%zu %s still being rendered: quit again to give %s up, or wait",
             window->jobs.count, window->jobs.count == 1 ? "file is" : "files are",
             window->jobs.count == 1 ? "it" : "them");
    vks_window_say(window, words);
    window->asked = true;
}
