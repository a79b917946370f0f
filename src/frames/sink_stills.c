/* SPDX-License-Identifier: MIT */
/* Stills and arrays: one file per frame if the name has a %d; else a file of the last frame, or a
 * .npy of all frames. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "frames/numbered.h"
#include "frames/sink_backend.h"
#include "frames/still.h"
#include "frames/writers.h"
#include "io/npy.h"

enum {
    MAX_WRITERS = 16,
    WRITER_BUDGET = 256 << 20, /* bytes of frames being written */
};

/* A file being written. */
struct output {
    struct vks_atomic_file file;
    int fd;
};

/* A frame of a sequence and its file, for a writer. */
struct job {
    struct output output;
    uint64_t number;
    struct vks_frame frame;
    void *planes[VKS_PLANES]; /* buffers of the frame; NULL: not needed */
};

struct stills {
    vks_still_fn *write;
    struct vks_sink_params params;
    struct vks_numbered names;
    uint64_t written;     /* frames, including those passed to a writer */
    uint64_t held;        /* files of a sequence that a position describes */
    struct output output; /* the one file; unused for a sequence */
    struct vks_png *png;  /* of a frame in bands */
    bool has_alpha;       /* its survey found a transparent pixel */
    struct vks_writers *writers;
    pthread_mutex_t lock;         /* for the members below */
    uint64_t failed[MAX_WRITERS]; /* numbers without a file written by this run */
    size_t failed_count;
};

static bool is_sequence(const struct stills *stills)
{
    return stills->names.digits > 0;
}

/* --- files ----------------------------------------------------------------------------------- */

static enum vks_result begin_output(const struct stills *stills, uint64_t number,
                                    struct output *output)
{
    char *path = vks_numbered_path(&stills->names, number);
    output->fd = -1;
    if (!path) {
        return vks_fail_memory();
    }
    enum vks_result result = vks_atomic_file_begin(&output->file, path, stills->params.overwrite);
    free(path);
    if (result == VKS_OK) {
        result = vks_sink_open_part(&output->file, &output->fd);
        /* Thousands of syncs would take longer than writing the pictures. */
        output->file.unsynced = is_sequence(stills);
    }
    return result;
}

/* Closes the file and renames it to its final name, or removes it after a failure. */
static enum vks_result end_output(struct output *output, enum vks_result result)
{
    if (output->fd >= 0 && close(output->fd) != 0 && errno != EINTR && result == VKS_OK) {
        result = vks_fail_write(output->file.path, errno);
    }
    output->fd = -1;
    if (result == VKS_OK) {
        return vks_atomic_file_commit(&output->file);
    }
    vks_atomic_file_abort(&output->file);
    return result;
}

static struct vks_still still_of(const struct stills *stills, const struct output *output)
{
    return (struct vks_still){
        .path = output->file.path,
        .fd = output->fd,
        .params = &stills->params,
        .alpha = stills->params.alpha || stills->has_alpha,
        .numbered = is_sequence(stills),
    };
}

/* Writes the frame at the current position of the file. */
static enum vks_result write_content(const struct stills *stills, const struct output *output,
                                     const struct vks_frame *frame)
{
    const struct vks_still still = still_of(stills, output);
    return stills->write(&still, frame);
}

/* --- arrays ---------------------------------------------------------------------------------- */

/* The shape of an array is (frames, planes, height, width), without the axes of one frame or of one
 * plane. Its header takes more than 64 and at most 128 bytes whatever the number of frames, so the
 * size is known before that number. */
enum { NPY_HEADER_BYTES = 128 };

static int write_npy_header(int fd, uint64_t frames, const struct vks_sink_params *params)
{
    uint8_t header[VKS_NPY_HEADER_WRITTEN];
    const uint32_t planes = params->value_planes > 1 ? params->value_planes : 0;
    uint64_t shape[4];
    uint32_t rank = 0;
    if (frames) {
        shape[rank++] = frames;
    }
    if (planes) {
        shape[rank++] = planes;
    }
    shape[rank++] = params->height;
    shape[rank++] = params->width;
    const size_t length = vks_npy_format(header, 'f', 4, rank, shape);
    assert(length == NPY_HEADER_BYTES);
    return vks_write_all(fd, header, length);
}

/* Appends a frame, or a band of it, to the array; a numbered file is an array of its own. */
static enum vks_result write_npy(const struct vks_still *still, const struct vks_frame *frame)
{
    const uint32_t rows = frame->rows ? frame->rows : frame->height;
    const size_t bytes = (size_t)vks_plane_bytes(VKS_PLANE_VALUES, frame->width, rows,
                                                 frame->value_planes, &frame->extents);
    int error = still->numbered ? write_npy_header(still->fd, 0, still->params) : 0;
    if (error == 0) {
        error = vks_write_all(still->fd, frame->planes[VKS_PLANE_VALUES], bytes);
    }
    return error ? vks_fail_write(still->path, error) : VKS_OK;
}

/* Rewrites the header with the number of frames; an expected single frame has no frame axis. */
static enum vks_result update_header(const struct stills *stills)
{
    const uint64_t frames = stills->params.frames == 1 ? 0 : stills->written;
    int error = lseek(stills->output.fd, 0, SEEK_SET) < 0 ? errno : 0;
    if (error == 0) {
        error = write_npy_header(stills->output.fd, frames, &stills->params);
    }
    return error ? vks_fail_write(stills->output.file.path, error) : VKS_OK;
}

/* Whether one file holds all frames, not only the last. */
static bool is_array(const struct stills *stills)
{
    return stills->write == write_npy && !is_sequence(stills);
}

/* --- bands ----------------------------------------------------------------------------------- */

/* Writes a band of a PNG, or surveys it. */
static enum vks_result write_band(struct stills *stills, const struct vks_frame *frame)
{
    const struct vks_still still = still_of(stills, &stills->output);
    enum vks_result result = VKS_OK;
    if (frame->survey) {
        stills->has_alpha = (stills->has_alpha && frame->row > 0) || vks_has_alpha(frame);
        return VKS_OK;
    }
    if (frame->row == 0) {
        const struct vks_png_params params = vks_png_params_of(&still, frame);
        result = vks_png_begin(&params, &stills->png);
    }
    if (result == VKS_OK) {
        result = vks_png_write(stills->png, vks_png_pixels(frame), frame->rows);
    }
    if (result == VKS_OK && frame->row + frame->rows == frame->height) {
        result = vks_png_end(stills->png);
        vks_png_free(stills->png);
        stills->png = NULL;
    }
    return result;
}

/* --- sequences ------------------------------------------------------------------------------- */

static size_t plane_bytes(const struct vks_frame *frame, unsigned plane)
{
    return (size_t)vks_plane_bytes(plane, frame->width, frame->height, frame->value_planes,
                                   &frame->extents);
}

/* Runs on a writer's thread. */
static enum vks_result write_job(void *user, void *item)
{
    struct stills *stills = user;
    struct job *job = item;
    enum vks_result result = write_content(stills, &job->output, &job->frame);
    result = end_output(&job->output, result);
    if (result != VKS_OK) {
        pthread_mutex_lock(&stills->lock);
        stills->failed[stills->failed_count++] = job->number;
        pthread_mutex_unlock(&stills->lock);
    }
    return result;
}

static void free_job(void *item)
{
    struct job *job = item;
    for (size_t i = 0; i < VKS_PLANES; i++) {
        free(job->planes[i]);
    }
}

/* Copies the frame with the planes that the file needs. */
static enum vks_result copy_frame(struct job *job, const struct vks_frame *frame)
{
    job->frame = *frame;
    for (unsigned i = 0; i < VKS_PLANES; i++) {
        const size_t bytes = frame->planes[i] ? plane_bytes(frame, i) : 0;
        if (bytes > 0 && !job->planes[i]) {
            job->planes[i] = malloc(bytes);
        }
        if (bytes > 0 && !job->planes[i]) {
            return vks_fail_memory();
        }
        if (bytes > 0) {
            memcpy(job->planes[i], frame->planes[i], bytes);
        }
        job->frame.planes[i] = job->planes[i];
    }
    return VKS_OK;
}

static uint32_t count_writers(const struct vks_frame *frame)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t bytes = 1;
    for (unsigned i = 0; i < VKS_PLANES; i++) {
        bytes += frame->planes[i] ? plane_bytes(frame, i) : 0;
    }
    uint64_t max = WRITER_BUDGET / bytes;
    max = max < 1 ? 1 : max > MAX_WRITERS ? MAX_WRITERS : max;
    return cores > 0 && (uint64_t)cores < max ? (uint32_t)cores : (uint32_t)max;
}

static enum vks_result hand_over(struct stills *stills, const struct vks_frame *frame)
{
    void *item = NULL;
    if (!stills->writers) {
        stills->writers =
            vks_writers_create(count_writers(frame), sizeof(struct job), write_job, stills);
    }
    enum vks_result result =
        stills->writers ? vks_writers_take(stills->writers, &item) : vks_fail_memory();
    struct job *job = item;
    if (result == VKS_OK) {
        result = copy_frame(job, frame);
    }
    if (result != VKS_OK) {
        return result;
    }
    result = begin_output(stills, stills->written, &job->output);
    if (result != VKS_OK) {
        return end_output(&job->output, result);
    }
    job->number = stills->written;
    vks_writers_start(stills->writers, job);
    return VKS_OK;
}

static enum vks_result wait_for_writers(const struct stills *stills)
{
    return stills->writers ? vks_writers_wait(stills->writers) : VKS_OK;
}

/* --- continuing ------------------------------------------------------------------------------ */

/* Syncs the files since the last hold; the last one describes the position. */
static enum vks_result hold_sequence(struct stills *stills, json_t *position)
{
    enum vks_result result = wait_for_writers(stills);
    while (result == VKS_OK && stills->held < stills->written) {
        char *path = vks_numbered_path(&stills->names, stills->held);
        const int error = path ? vks_sync_file(path) : ENOMEM;
        result = error ? vks_fail_write(stills->params.path, error) : VKS_OK;
        stills->held += result == VKS_OK;
        free(path);
    }
    if (result != VKS_OK || stills->held == 0) {
        return result;
    }
    char *last = vks_numbered_path(&stills->names, stills->held - 1);
    const int error = last ? vks_sync_folder_of(last) : ENOMEM;
    result = error ? vks_fail_write(stills->params.path, error) : vks_file_describe(last, position);
    free(last);
    return result;
}

static enum vks_result resume_sequence(struct stills *stills)
{
    const json_t *position = stills->params.resume;
    stills->written = stills->held = vks_json_count(position, "frames");
    stills->params.overwrite = true; /* what was written after the position is written again */
    if (stills->held == 0) {
        return VKS_OK;
    }
    char *last = vks_numbered_path(&stills->names, stills->held - 1);
    const enum vks_result result =
        last ? vks_file_verify(stills->params.path, last, position) : vks_fail_memory();
    free(last);
    return result;
}

/* A still of the last frame has nothing that continues. */
static enum vks_result hold_stills(void *state, json_t *position)
{
    struct stills *stills = state;
    return is_sequence(stills) ? hold_sequence(stills, position)
           : is_array(stills)  ? vks_atomic_file_hold(&stills->output.file, position)
                               : VKS_OK;
}

/* --- the sink -------------------------------------------------------------------------------- */

static void close_stills(struct stills *stills)
{
    vks_writers_destroy(stills->writers, free_job);
    pthread_mutex_destroy(&stills->lock);
    vks_png_free(stills->png);
    if (stills->output.fd >= 0) {
        close(stills->output.fd);
    }
    vks_atomic_file_abort(&stills->output.file);
    vks_numbered_free(&stills->names);
    free(stills);
}

/* A sequence is checked as a whole before it starts, so that a run does not fail at frame 300
 * because of a file that already existed. */
static enum vks_result open_sequence(struct stills *stills)
{
    enum vks_result result = stills->params.resume ? resume_sequence(stills) : VKS_OK;
    if (result == VKS_OK) {
        result = begin_output(stills, stills->held, &stills->output);
    }
    if (result == VKS_OK) {
        close(stills->output.fd); /* it was opened only to check the folder */
        stills->output.fd = -1;
        vks_atomic_file_abort(&stills->output.file);
    }
    return result != VKS_OK || stills->params.overwrite
               ? result
               : vks_numbered_check_new(&stills->names, stills->params.frames);
}

static enum vks_result open_array(struct stills *stills)
{
    const struct vks_sink_params *params = &stills->params;
    if (params->resume) {
        stills->written = vks_json_count(params->resume, "frames");
        const enum vks_result result = vks_atomic_file_resume(&stills->output.file, params->path,
                                                              params->overwrite, params->resume);
        return result == VKS_OK ? vks_sink_open_part(&stills->output.file, &stills->output.fd)
                                : result;
    }
    const enum vks_result result = begin_output(stills, 0, &stills->output);
    /* A placeholder for the header, which is rewritten with the number of frames. */
    const int error = result == VKS_OK ? write_npy_header(stills->output.fd, 1, params) : 0;
    return error ? vks_fail_write(params->path, error) : result;
}

static enum vks_result open_stills(const struct vks_sink_params *params, vks_still_fn *write,
                                   void **state)
{
    struct stills *stills = calloc(1, sizeof(*stills));
    if (!stills) {
        return vks_fail_memory();
    }
    stills->write = write;
    stills->params = *params;
    stills->output.fd = -1;
    pthread_mutex_init(&stills->lock, NULL);
    enum vks_result result = vks_numbered_parse(params->path, &stills->names);
    if (result == VKS_OK) {
        result = is_sequence(stills) ? open_sequence(stills)
                 : is_array(stills)  ? open_array(stills)
                                     : begin_output(stills, 0, &stills->output);
    }
    if (result != VKS_OK) {
        close_stills(stills);
        return result;
    }
    *state = stills;
    return VKS_OK;
}

static enum vks_result open_png(const struct vks_sink_params *params, void **state)
{
    const struct vks_terrain *terrain = &params->terrain;
    return open_stills(params,
                       terrain->caves     ? vks_caves_png_still
                       : terrain->heights ? vks_heights_still
                                          : vks_png_still,
                       state);
}

static enum vks_result open_npy(const struct vks_sink_params *params, void **state)
{
    return open_stills(params, params->terrain.caves ? vks_caves_npy_still : write_npy, state);
}

/* The last frame overwrites the earlier ones. */
static enum vks_result rewind_output(const struct output *output)
{
    return lseek(output->fd, 0, SEEK_SET) < 0 || ftruncate(output->fd, 0) != 0
               ? vks_fail_write(output->file.path, errno)
               : VKS_OK;
}

static enum vks_result write_single(struct stills *stills, const struct vks_frame *frame)
{
    enum vks_result result = VKS_OK;
    if (stills->written > 0 && frame->row == 0 && !frame->survey) {
        result = rewind_output(&stills->output);
    }
    if (result != VKS_OK) {
        return result;
    }
    return frame->rows ? write_band(stills, frame) : write_content(stills, &stills->output, frame);
}

static enum vks_result write_stills(void *state, const struct vks_frame *frame)
{
    struct stills *stills = state;
    enum vks_result result = VKS_OK;
    if (is_sequence(stills)) {
        result = hand_over(stills, frame);
    } else if (is_array(stills)) {
        result = frame->survey ? VKS_OK : write_content(stills, &stills->output, frame);
    } else {
        result = write_single(stills, frame);
    }
    const bool complete = frame->rows == 0 || frame->row + frame->rows == frame->height;
    if (result == VKS_OK && complete && !frame->survey) {
        stills->written++;
    }
    return result;
}

static enum vks_result finish_stills(void *state)
{
    struct stills *stills = state;
    enum vks_result result = wait_for_writers(stills);
    if (!is_sequence(stills)) {
        result = is_array(stills) ? update_header(stills) : VKS_OK;
        result = end_output(&stills->output, result);
    }
    close_stills(stills);
    return result;
}

static enum vks_result keep_old_stills(void *state, const char **name)
{
    struct stills *stills = state;
    const enum vks_result result = vks_atomic_file_keep_old(&stills->output.file);
    *name = is_sequence(stills) ? stills->params.path : stills->output.file.path;
    return result;
}

static bool has_failed(const struct stills *stills, uint64_t number)
{
    bool found = false;
    for (size_t i = 0; i < stills->failed_count; i++) {
        found = found || stills->failed[i] == number;
    }
    return found;
}

static void abort_stills(void *state, bool keep_complete)
{
    struct stills *stills = state;
    (void)wait_for_writers(stills); /* the result no longer matters */
    for (uint64_t number = stills->held;
         is_sequence(stills) && !keep_complete && number < stills->written; number++) {
        char *path = has_failed(stills, number) ? NULL : vks_numbered_path(&stills->names, number);
        if (path) {
            unlink(path);
        }
        free(path);
    }
    close_stills(stills);
}

static bool is_single(const char *path)
{
    struct vks_numbered names;
    const bool single = vks_numbered_parse(path, &names) == VKS_OK && names.digits == 0;
    vks_numbered_free(&names);
    return single;
}

/* A single still shows the last frame; an array has all. */
static bool needs_still(const void *state, uint64_t index)
{
    const struct stills *stills = state;
    return is_sequence(stills) || is_array(stills) || index + 1 >= stills->params.frames;
}

static uint64_t frame_bytes_of_npy(const void *state)
{
    const struct stills *stills = state;
    const struct vks_sink_params *params = &stills->params;
    return stills->write != write_npy
               ? 0
               : vks_plane_bytes(VKS_PLANE_VALUES, params->width, params->height,
                                 params->value_planes, &(struct vks_extents){0});
}

const struct vks_sink_backend vks_sink_png = {
    .open = open_png,
    .write = write_stills,
    .hold = hold_stills,
    .finish = finish_stills,
    .abort = abort_stills,
    .keep_old = keep_old_stills,
    .needs_frame = needs_still,
    .shows_end = is_single,
    .takes_bands = is_single,
    .scene = vks_png_scene,
};

const struct vks_sink_backend vks_sink_npy = {
    .open = open_npy,
    .write = write_stills,
    .hold = hold_stills,
    .finish = finish_stills,
    .abort = abort_stills,
    .keep_old = keep_old_stills,
    .needs_frame = needs_still,
    .frame_bytes = frame_bytes_of_npy,
    .takes_bands = is_single,
};

/* The largest side that the codec has; checked before the run. */
static enum vks_result check_side(const struct vks_sink_params *params, uint32_t max)
{
    return params->width <= max && params->height <= max
               ? VKS_OK
               : vks_fail(VKS_ERROR_USAGE,
                          "'%s': a side has at most %" PRIu32 " pixels, not %" PRIu32 "x%" PRIu32
                          "; use .png",
                          params->path, max, params->width, params->height);
}

/* A backend of stills of one kind, with further members. */
#define STILLS(name, still, max_side, ...)                                                 \
    static enum vks_result open_##name(const struct vks_sink_params *params, void **state) \
    {                                                                                      \
        const enum vks_result result = check_side(params, max_side);                       \
        return result == VKS_OK ? open_stills(params, still, state) : result;              \
    }                                                                                      \
    const struct vks_sink_backend vks_sink_##name = {.open = open_##name,                  \
                                                     .write = write_stills,                \
                                                     .hold = hold_stills,                  \
                                                     .finish = finish_stills,              \
                                                     .abort = abort_stills,                \
                                                     .keep_old = keep_old_stills,          \
                                                     .needs_frame = needs_still,           \
                                                     .shows_end = is_single,               \
                                                     __VA_ARGS__}

STILLS(jpg, vks_jpeg_still, 65500, );
#if VKS_HAVE_VIDEO
STILLS(webp, vks_webp_still, 16383, .load = vks_webp_load);
#endif
STILLS(vti, vks_vti_still, UINT32_MAX, );
STILLS(vtp, vks_vtp_still, UINT32_MAX, );
STILLS(fields_npz, vks_fields_npz_still, UINT32_MAX, );
#if VKS_HAVE_EXR
STILLS(exr, vks_exr_still, UINT32_MAX, );
#endif
STILLS(r16, vks_r16_still, UINT32_MAX, );
STILLS(glb, vks_glb_still, UINT32_MAX, );
STILLS(stl, vks_stl_still, UINT32_MAX, );
STILLS(ply, vks_ply_still, UINT32_MAX, );
STILLS(csv, vks_caves_csv_still, UINT32_MAX, );
