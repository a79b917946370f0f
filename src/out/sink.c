/* SPDX-License-Identifier: MIT */
#include "out/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "out/sink_backend.h"

struct vks_sink {
    const struct vks_sink_backend *backend;
    void *state;
    char *name;
    uint32_t width, height;
    uint64_t written;
    /* The first failure; later calls return it again. */
    enum vks_result failure;
    char *reason; /* NULL if memory ran out too */
};

static bool is_folder(const char *path)
{
    struct stat info;
    size_t length = strlen(path);
    return (length > 0 && path[length - 1] == '/') ||
           (stat(path, &info) == 0 && S_ISDIR(info.st_mode));
}

static enum vks_result choose_backend(const char *path, const struct vks_sink_backend **backend)
{
    if (strcmp(path, "-") == 0) {
        *backend = &vks_sink_y4m;
        return VKS_OK;
    }
    if (is_folder(path)) {
        return vks_fail(VKS_ERROR_FILE, "cannot write '%s': it is a folder; name a file in it",
                        path);
    }
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash + 1 : path, '.');
    const char *extension = dot ? dot : "";
    if (strcasecmp(extension, ".mp4") == 0) {
#if VKS_HAVE_VIDEO
        *backend = &vks_sink_video;
        return VKS_OK;
#else
        return vks_fail(VKS_ERROR_USAGE,
                        "cannot write '%s': this vksim was built without libav; use .y4m or .png",
                        path);
#endif
    }
    if (strcasecmp(extension, ".y4m") == 0) {
        *backend = &vks_sink_y4m;
        return VKS_OK;
    }
    if (strcasecmp(extension, ".png") == 0) {
        *backend = &vks_sink_png;
        return VKS_OK;
    }
    return vks_fail(VKS_ERROR_USAGE,
                    "cannot tell the kind of output '%s': its name must end in .mp4, .y4m or .png, "
                    "or be - (y4m on standard output)",
                    path);
}

static enum vks_result check_params(const struct vks_sink_params *params)
{
    if (!params->path || params->path[0] == '\0') {
        return vks_fail(VKS_ERROR_USAGE, "the name of the output is empty");
    }
    /* Frames beyond this fit no encoder, and byte counts below stay far from overflow. */
    if (params->width == 0 || params->height == 0 || params->width > 1U << 20 ||
        params->height > 1U << 20) {
        return vks_fail(VKS_ERROR_USAGE,
                        "cannot write '%s': a frame of %" PRIu32 "x%" PRIu32
                        " is not possible; each side must be 1 to 1048576",
                        params->path, params->width, params->height);
    }
    if (params->fps == 0 || params->fps > 1000000) {
        return vks_fail(VKS_ERROR_USAGE,
                        "cannot write '%s' with %" PRIu32
                        " frames a second; the rate must be 1 to 1000000",
                        params->path, params->fps);
    }
    return VKS_OK;
}

static void free_sink(struct vks_sink *sink)
{
    free(sink->reason);
    free(sink->name);
    free(sink);
}

enum vks_result vks_sink_open(const struct vks_sink_params *params, struct vks_sink **sink)
{
    const struct vks_sink_backend *backend = NULL;
    enum vks_result result = check_params(params);
    if (result == VKS_OK) {
        result = choose_backend(params->path, &backend);
    }
    if (result != VKS_OK) {
        return result;
    }
    struct vks_sink *opened = calloc(1, sizeof(*opened));
    char *name = vks_strdup(params->path);
    if (!opened || !name) {
        free(name);
        free(opened);
        return vks_fail_memory();
    }
    opened->backend = backend;
    opened->name = name;
    opened->width = params->width;
    opened->height = params->height;
    struct vks_sink_params own = *params;
    own.path = name;
    result = backend->open(&own, &opened->state);
    if (result != VKS_OK) {
        free_sink(opened);
        return result;
    }
    *sink = opened;
    return VKS_OK;
}

unsigned vks_sink_wants(const struct vks_sink *sink)
{
    return sink->backend->wants;
}

const char *vks_sink_name(const struct vks_sink *sink)
{
    return strcmp(sink->name, "-") == 0 ? "standard output" : sink->name;
}

static enum vks_result check_frame(const struct vks_sink *sink, const struct vks_frame *frame)
{
    if (frame->width != sink->width || frame->height != sink->height) {
        return vks_fail(VKS_ERROR_USAGE,
                        "a frame of %" PRIu32 "x%" PRIu32 " does not fit '%s', opened for %" PRIu32
                        "x%" PRIu32,
                        frame->width, frame->height, sink->name, sink->width, sink->height);
    }
    unsigned wants = sink->backend->wants;
    bool yuv = frame->yuv && frame->coded_width >= vks_even(frame->width) &&
               frame->coded_height >= vks_even(frame->height) && frame->coded_width % 2 == 0 &&
               frame->coded_height % 2 == 0;
    if (((wants & VKS_SINK_WANTS_RGBA) && !frame->rgba) || ((wants & VKS_SINK_WANTS_YUV) && !yuv)) {
        return vks_fail(VKS_ERROR_USAGE, "frame %" PRIu64 " for '%s' lacks its picture",
                        frame->index, sink->name);
    }
    return VKS_OK;
}

static enum vks_result fail_again(const struct vks_sink *sink)
{
    return sink->reason ? vks_fail(sink->failure, "%s", sink->reason) : vks_fail_memory();
}

enum vks_result vks_sink_write(struct vks_sink *sink, const struct vks_frame *frame)
{
    if (sink->failure != VKS_OK) {
        return fail_again(sink);
    }
    enum vks_result result = check_frame(sink, frame);
    if (result == VKS_OK) {
        result = sink->backend->write(sink->state, frame);
    }
    if (result == VKS_OK) {
        sink->written++;
    } else {
        sink->failure = result;
        sink->reason = vks_strdup(vks_error_text());
    }
    return result;
}

enum vks_result vks_sink_finish(struct vks_sink *sink)
{
    enum vks_result result = VKS_OK;
    if (sink->failure != VKS_OK) {
        sink->backend->abort(sink->state, true);
        result = fail_again(sink);
    } else if (sink->written == 0) {
        sink->backend->abort(sink->state, true);
        result = vks_fail(VKS_ERROR_FILE, "no frame was drawn, so nothing was written to '%s'",
                          sink->name);
    } else {
        result = sink->backend->finish(sink->state);
    }
    free_sink(sink);
    return result;
}

void vks_sink_abort(struct vks_sink *sink)
{
    if (!sink) {
        return;
    }
    sink->backend->abort(sink->state, false);
    free_sink(sink);
}

enum vks_result vks_sink_open_part(const struct vks_new_file *file, int *fd)
{
    do {
        *fd = open(file->part, O_WRONLY | O_CLOEXEC);
    } while (*fd < 0 && errno == EINTR);
    return *fd < 0 ? vks_fail_write(file->path, errno) : VKS_OK;
}
