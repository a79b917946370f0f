/* SPDX-License-Identifier: MIT */
#include "frames/sink.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "frames/format.h"
#include "frames/numbered.h"
#include "frames/sink_backend.h"

struct vks_sink {
    bool started;
    const struct vks_sink_backend *backend;
    unsigned planes;
    void *state;
    char *name, *field;
    char *final_name; /* of vks_sink_keep_old(), where it differs; else NULL */
    char *content;    /* the params that a file that is continued must share */
    uint32_t width, height, value_planes;
    uint64_t written;
    uint64_t expected; /* frames; 0: unknown */
    bool continuable;
    uint32_t next_row;      /* of a frame in bands */
    struct vks_error error; /* the first failure, which later calls return again */
};

/* --- formats --------------------------------------------------------------------------------- */

static bool is_folder(const char *path)
{
    struct stat info;
    const size_t length = strlen(path);
    return (length > 0 && path[length - 1] == '/') ||
           (stat(path, &info) == 0 && S_ISDIR(info.st_mode));
}

static enum vks_result fail_depth(const struct vks_sink_params *params,
                                  const struct vks_format *format)
{
    char other[32] = "";
    if (format->depths[1].bits) {
        snprintf(other, sizeof(other), " or %" PRIu32, format->depths[1].bits);
    }
    return vks_fail(VKS_ERROR_USAGE,
                    "'%s' does not support --depth %" PRIu32 "; %s files have %" PRIu32 "%s",
                    params->path, params->depth, format->extension[0] ? format->extension : "Y4M",
                    format->depths[0].bits, other);
}

/* Whether a file whose format has other planes holds heights or caves instead. */
static bool holds_heights(const struct vks_sink_params *params, const struct vks_format *format)
{
    return !(format->depths[0].planes & vks_plane_bit(VKS_PLANE_HEIGHTS)) &&
           vks_format_holds_heights(format, params->terrain.heights, params->terrain.caves);
}

static enum vks_result check_terrain(const struct vks_sink_params *params,
                                     const struct vks_format *format)
{
    const struct vks_terrain *terrain = &params->terrain;
    if (holds_heights(params, format) && params->depth != 0 && params->depth != 16) {
        return vks_fail(VKS_ERROR_USAGE, "'%s' with %s has 16 bits per pixel, not %" PRIu32,
                        params->path, terrain->caves ? "--caves" : "--heights", params->depth);
    }
    if (format->backend == &vks_sink_csv && !terrain->caves) {
        return vks_fail(VKS_ERROR_USAGE, "'%s' needs --caves, whose table it holds", params->path);
    }
    if (!vks_format_is_mesh(format)) {
        return VKS_OK;
    }
    if (params->width < 2 || params->height < 2) {
        return vks_fail(VKS_ERROR_USAGE,
                        "'%s': a mesh needs at least 2x2 pixels; the picture has %" PRIu32
                        "x%" PRIu32,
                        params->path, params->width, params->height);
    }
    const uint64_t vertices = vks_mesh_vertices(terrain, params->width, params->height);
    return vertices <= VKS_MAX_VERTICES
               ? VKS_OK
               : vks_fail(VKS_ERROR_USAGE,
                          "'%s': a mesh of %" PRIu32 "x%" PRIu32 " pixels has %" PRIu64
                          " vertices; the limit is %d: choose a smaller --output-size",
                          params->path, params->width, params->height, vertices, VKS_MAX_VERTICES);
}

/* Options that the format does not support are errors, not ignored. */
static enum vks_result choose_format(const struct vks_sink_params *params,
                                     const struct vks_format **format)
{
    if (strcmp(params->path, "-") != 0 && is_folder(params->path)) {
        return vks_fail(VKS_ERROR_FILE, "cannot write '%s': it is a folder; name a file in it",
                        params->path);
    }
    enum vks_result result = vks_format_find(params->path, format);
    if (result != VKS_OK) {
        return result;
    }
    if (!(*format)->backend) {
        return vks_fail(VKS_ERROR_USAGE,
                        "cannot write '%s': this vksim was built without the library for %s files; "
                        "use .y4m, .png or .npy",
                        params->path, (*format)->extension);
    }
    if (!((*format)->flags & VKS_FORMAT_ENCODED) &&
        (params->encoder != VKS_ENCODER_AUTO || params->has_crf)) {
        return vks_fail(VKS_ERROR_USAGE,
                        "'%s' does not support %s; only .mp4, .webm and .mkv files do",
                        params->path, params->has_crf ? "--crf" : "--encoder");
    }
    if ((*format)->flags & VKS_FORMAT_MOVES) {
        struct vks_numbered names;
        result = vks_numbered_parse(params->path, &names);
        const bool numbered = result == VKS_OK && names.digits > 0;
        vks_numbered_free(&names);
        if (numbered) {
            return vks_fail(VKS_ERROR_USAGE,
                            "'%s': a video is one file, so its name cannot have a frame number; "
                            "use it for stills such as .png",
                            params->path);
        }
        if (result != VKS_OK && result != VKS_ERROR_USAGE) { /* that: no such number */
            return result;
        }
    }
    return vks_format_planes(*format, params->depth) ? check_terrain(params, *format)
                                                     : fail_depth(params, *format);
}

static enum vks_result check_params(const struct vks_sink_params *params)
{
    if (!params->path || params->path[0] == '\0') {
        return vks_fail(VKS_ERROR_USAGE, "the name of the output is empty");
    }
    /* No encoder takes more, and the byte counts computed from these cannot overflow. */
    if (params->width == 0 || params->height == 0 || params->width > 1U << 20 ||
        params->height > 1U << 20) {
        return vks_fail(VKS_ERROR_USAGE,
                        "cannot write '%s': a frame of %" PRIu32 "x%" PRIu32
                        " is not possible; each side must be 1 to 1048576",
                        params->path, params->width, params->height);
    }
    if (params->fps.frames == 0 || params->fps.frames > 1000000 || params->fps.seconds == 0 ||
        params->fps.seconds > 1001) {
        return vks_fail(VKS_ERROR_USAGE,
                        "cannot write '%s' with %" PRIu32 " frames in %" PRIu32
                        " seconds; frames must be 1 to 1000000, and seconds 1 to 1001",
                        params->path, params->fps.frames, params->fps.seconds);
    }
    return VKS_OK;
}

/* --- continuing ------------------------------------------------------------------------------ */

static enum vks_result check_continuable(const struct vks_sink_params *params)
{
    if (params->continuable && strcmp(params->path, "-") == 0) {
        return vks_fail(VKS_ERROR_USAGE, "standard output cannot be continued by a later process; "
                                         "name a file");
    }
    if (params->continuable && params->fade > 0) {
        return vks_fail(VKS_ERROR_USAGE, "'%s': a loop cannot be continued by a later process",
                        params->path);
    }
    return VKS_OK;
}

/* What the file holds, as text; NULL when memory ran out. */
static char *content_of(const struct vks_sink_params *params)
{
    const uint32_t planes = params->value_planes > 1 ? params->value_planes : 1;
    return vks_format("%" PRIu32 "x%" PRIu32 " pixels of %" PRIu32 " x %" PRIu32
                      " bits, %.6g frames per second, encoder %s",
                      params->width, params->height, planes, params->depth,
                      vks_rate_real(params->fps), vks_encoder_names[params->encoder]);
}

static enum vks_result check_resumed(const struct vks_sink *sink, const json_t *resume)
{
    const char *content = json_string_value(json_object_get(resume, "content"));
    return content && strcmp(content, sink->content) == 0
               ? VKS_OK
               : vks_fail(VKS_ERROR_FILE, "cannot continue '%s' with %s: it was begun with %s",
                          sink->name, sink->content, content ? content : "unknown content");
}

enum vks_result vks_sink_hold(struct vks_sink *sink, json_t **position)
{
    *position = NULL;
    if (sink->error.result != VKS_OK) {
        return vks_fail_again(&sink->error);
    }
    if (!sink->continuable || !sink->started) {
        return vks_fail(VKS_ERROR_INTERNAL, "the output '%s' was not opened to be continued",
                        sink->name);
    }
    json_t *held = json_pack("{s:s, s:I, s:s}", "path", sink->name, "frames",
                             (json_int_t)sink->written, "content", sink->content);
    enum vks_result result = held ? VKS_OK : vks_fail_memory();
    if (result == VKS_OK && sink->backend->hold) {
        result = sink->backend->hold(sink->state, held);
    }
    if (result != VKS_OK) {
        json_decref(held);
        vks_error_keep(result, &sink->error);
        return result;
    }
    *position = held;
    return VKS_OK;
}

/* Removes the segments of a video, and the folder if nothing else is in it. */
static void remove_segments(const char *folder)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    while (entries && (entry = readdir(entries))) {
        const size_t digits = strspn(entry->d_name, "0123456789");
        const char *rest = entry->d_name + digits;
        const bool is_segment = digits > 0 && strncmp(rest, ".mp4", 4) == 0 &&
                                (rest[4] == '\0' || strncmp(rest + 4, ".part-", 6) == 0);
        if (is_segment) {
            unlinkat(dirfd(entries), entry->d_name, 0);
        }
    }
    if (entries) {
        closedir(entries);
        rmdir(folder);
    }
}

void vks_sink_forget(const char *path)
{
    char *target = vks_follow_links(path);
    char *part = target ? vks_format("%s.part", target) : NULL;
    char *folder = target ? vks_format("%s.parts", target) : NULL;
    if (part) {
        unlink(part);
    }
    if (folder) {
        remove_segments(folder);
    }
    free(folder);
    free(part);
    free(target);
}

/* --- the sink -------------------------------------------------------------------------------- */

static void free_sink(struct vks_sink *sink)
{
    free(sink->name);
    free(sink->final_name);
    free(sink->field);
    free(sink->content);
    free(sink);
}

enum vks_result vks_sink_open(const struct vks_sink_params *params, struct vks_sink **sink)
{
    const struct vks_format *format = NULL;
    enum vks_result result = check_params(params);
    if (result == VKS_OK) {
        result = choose_format(params, &format);
    }
    if (result == VKS_OK) {
        result = check_continuable(params);
    }
    if (result != VKS_OK) {
        return result;
    }
    struct vks_sink *opened = calloc(1, sizeof(*opened));
    if (!opened) {
        return vks_fail_memory();
    }
    opened->backend = format->backend;
    opened->planes = holds_heights(params, format) ? vks_plane_bit(VKS_PLANE_HEIGHTS)
                                                   : vks_format_planes(format, params->depth);
    opened->name = vks_strdup(params->path);
    opened->field = vks_strdup(params->field ? params->field : "value");
    opened->continuable = params->continuable;
    opened->expected = params->frames == UINT64_MAX ? 0 : params->frames;
    opened->width = params->width;
    opened->height = params->height;
    opened->value_planes = params->value_planes > 1 ? params->value_planes : 1;
    struct vks_sink_params own = *params;
    own.path = opened->name;
    own.field = opened->field;
    own.depth = params->depth ? params->depth : format->depths[0].bits;
    opened->content = content_of(&own);
    result = opened->name && opened->field && opened->content ? VKS_OK : vks_fail_memory();
    if (result == VKS_OK && params->resume) {
        result = check_resumed(opened, params->resume);
    }
    if (result == VKS_OK) {
        result = opened->backend->open(&own, &opened->state);
    }
    if (result != VKS_OK) {
        free_sink(opened);
        return result;
    }
    opened->written =
        vks_sink_shows_end(opened->name) ? 0 : vks_json_count(params->resume, "frames");
    *sink = opened;
    return VKS_OK;
}

enum vks_result vks_sink_start(struct vks_sink *sink)
{
    const struct vks_sink_backend *backend = sink->backend;
    enum vks_result result = backend->load ? backend->load(sink->name) : VKS_OK;
    if (result == VKS_OK && backend->start) {
        result = backend->start(sink->state);
    }
    sink->started = result == VKS_OK;
    return result;
}

void vks_sink_load(const char *path)
{
    const struct vks_format *format = NULL;
    if (vks_format_find(path, &format) == VKS_OK && format->backend && format->backend->load) {
        format->backend->load(path);
    }
}

unsigned vks_sink_planes(const struct vks_sink *sink)
{
    return sink->planes;
}

bool vks_sink_shows_end(const char *path)
{
    const struct vks_format *format = NULL;
    return vks_format_find(path, &format) == VKS_OK && format->backend &&
           format->backend->shows_end && format->backend->shows_end(path);
}

bool vks_sink_needs_frame(const struct vks_sink *sink, uint64_t index)
{
    return !sink->backend->needs_frame || sink->backend->needs_frame(sink->state, index);
}

bool vks_sink_takes_bands(const char *path)
{
    const struct vks_format *format = NULL;
    return vks_format_find(path, &format) == VKS_OK && format->backend &&
           format->backend->takes_bands && format->backend->takes_bands(path);
}

bool vks_sink_holds_scene(const char *path)
{
    const struct vks_format *format = NULL;
    return vks_format_find(path, &format) == VKS_OK && format->backend && format->backend->scene;
}

enum vks_result vks_sink_scene(const char *path, char **scene)
{
    const struct vks_format *format = NULL;
    const enum vks_result result = vks_format_find(path, &format);
    return result == VKS_OK ? format->backend->scene(path, scene) : result;
}

enum vks_result vks_sink_picture(const char *path, uint32_t *width, uint32_t *height,
                                 uint8_t **rgba)
{
    const struct vks_format *format = NULL;
    const enum vks_result result = vks_format_find(path, &format);
    if (result == VKS_OK && !(format->backend && format->backend->picture)) {
        return vks_fail(VKS_ERROR_FILE, "'%s' is no video that vksim can read", path);
    }
    return result == VKS_OK ? format->backend->picture(path, width, height, rgba) : result;
}

enum vks_result vks_fail_no_scene(const char *path)
{
    return vks_fail(VKS_ERROR_FILE,
                    "'%s' contains no scene, or a damaged one: vksim did not write it, or another "
                    "program has changed its metadata",
                    path);
}

bool vks_sink_is_stream(const struct vks_sink *sink)
{
    return strcmp(sink->name, "-") == 0;
}

const char *vks_sink_name(const struct vks_sink *sink)
{
    return sink->final_name           ? sink->final_name
           : vks_sink_is_stream(sink) ? "standard output"
                                      : sink->name;
}

double vks_sink_bytes(const struct vks_sink *sink)
{
    const bool known =
        sink->backend->frame_bytes && !vks_sink_is_stream(sink) && sink->expected > sink->written;
    return known ? (double)(sink->expected - sink->written) *
                       (double)sink->backend->frame_bytes(sink->state)
                 : 0;
}

uint64_t vks_sink_frames(const struct vks_sink *sink)
{
    return sink->written;
}

static enum vks_result check_frame(const struct vks_sink *sink, const struct vks_frame *frame)
{
    if (frame->width != sink->width || frame->height != sink->height) {
        return vks_fail(VKS_ERROR_USAGE,
                        "a frame of %" PRIu32 "x%" PRIu32 " does not fit '%s', opened for %" PRIu32
                        "x%" PRIu32,
                        frame->width, frame->height, sink->name, sink->width, sink->height);
    }
    const uint32_t planes = frame->value_planes > 1 ? frame->value_planes : 1;
    if ((sink->planes & vks_plane_bit(VKS_PLANE_VALUES)) && planes != sink->value_planes) {
        return vks_fail(VKS_ERROR_USAGE,
                        "a frame with %u plane%s of values does not fit '%s', opened for %u",
                        planes, planes == 1 ? "" : "s", sink->name, sink->value_planes);
    }
    if (frame->rows && (!vks_sink_takes_bands(sink->name) || frame->row != sink->next_row ||
                        frame->rows > frame->height - frame->row)) {
        return vks_fail(VKS_ERROR_USAGE, "the bands of frame %" PRIu64 " for '%s' are not in order",
                        frame->index, sink->name);
    }
    unsigned available = 0;
    for (unsigned i = 0; i < VKS_PLANES; i++) {
        available |= frame->planes[i] ? 1U << i : 0;
    }
    if (frame->coded_width < vks_even(frame->width) ||
        frame->coded_height < vks_even(frame->height) || frame->coded_width % 2 != 0 ||
        frame->coded_height % 2 != 0) {
        available &= ~(1U << VKS_PLANE_YUV | 1U << VKS_PLANE_YUV10);
    }
    if (sink->planes & ~available) {
        return vks_fail(VKS_ERROR_USAGE, "frame %" PRIu64 " for '%s' lacks its picture",
                        frame->index, sink->name);
    }
    return VKS_OK;
}

/* Whether this band completes the frame; sets the next row. */
static bool is_complete(struct vks_sink *sink, const struct vks_frame *frame)
{
    const uint32_t end = frame->rows ? frame->row + frame->rows : frame->height;
    sink->next_row = end < frame->height ? end : 0;
    return sink->next_row == 0 && !frame->survey;
}

/* Reports how the output deviates from the params. */
static void report_note(const struct vks_sink *sink)
{
    char *note = sink->backend->note ? sink->backend->note(sink->state) : NULL;
    if (note) {
        vks_message(VKS_LOG_INFO, "%s", note);
    }
    free(note);
}

enum vks_result vks_sink_write(struct vks_sink *sink, const struct vks_frame *frame)
{
    if (sink->error.result != VKS_OK) {
        return vks_fail_again(&sink->error);
    }
    enum vks_result result =
        sink->started ? check_frame(sink, frame)
                      : vks_fail(VKS_ERROR_INTERNAL, "the output '%s' is not started", sink->name);
    if (result == VKS_OK && sink->written == 0) {
        report_note(sink); /* not earlier: the run may still fail to start */
    }
    if (result == VKS_OK) {
        struct vks_frame own = *frame;
        for (unsigned i = 0; i < VKS_PLANES; i++) {
            own.planes[i] = sink->planes >> i & 1U ? frame->planes[i] : NULL;
        }
        result = sink->backend->write(sink->state, &own);
    }
    if (result == VKS_OK) {
        sink->written += is_complete(sink, frame);
    } else {
        vks_error_keep(result, &sink->error);
    }
    return result;
}

enum vks_result vks_sink_keep_old(struct vks_sink *sink)
{
    const char *name = NULL;
    if (sink->error.result != VKS_OK) {
        return VKS_OK; /* finish writes nothing */
    }
    const enum vks_result result = sink->backend->keep_old(sink->state, &name);
    if (result == VKS_OK && strcmp(name, sink->name) != 0) {
        char *copy = vks_strdup(name);
        if (!copy) {
            return vks_fail_memory();
        }
        free(sink->final_name);
        sink->final_name = copy;
    }
    return result;
}

enum vks_result vks_sink_set_origin(struct vks_sink *sink, const struct vks_origin *origin)
{
    return sink->backend->set_origin ? sink->backend->set_origin(sink->state, origin) : VKS_OK;
}

enum vks_result vks_sink_finish(struct vks_sink *sink)
{
    enum vks_result result = VKS_OK;
    if (sink->error.result != VKS_OK) {
        sink->backend->abort(sink->state, true);
        result = vks_fail_again(&sink->error);
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

void vks_sink_cancel(struct vks_sink *sink)
{
    if (sink->backend->cancel) {
        sink->backend->cancel(sink->state);
    }
}

/* --- for the backends ------------------------------------------------------------------------ */

enum vks_result vks_sink_open_part(const struct vks_atomic_file *file, int *fd)
{
    *fd = vks_open(file->part.path, O_RDWR | O_CLOEXEC, 0);
    return *fd < 0 || lseek(*fd, 0, SEEK_END) < 0 ? vks_fail_write(file->path, errno) : VKS_OK;
}

char *vks_padding_note(uint32_t width, uint32_t height)
{
    const bool column = width % 2 != 0, row = height % 2 != 0;
    if (!column && !row) {
        return NULL;
    }
    return vks_format("the video is %" PRIu32 "x%" PRIu32
                      ": a video's sides are even, so the last %s of the %" PRIu32 "x%" PRIu32
                      " picture %s",
                      vks_even(width), vks_even(height),
                      !column ? "row"
                      : !row  ? "column"
                              : "column and row",
                      width, height, column && row ? "are repeated" : "is repeated");
}
