/* SPDX-License-Identifier: MIT */
/* YUV4MPEG2: one header line, then "FRAME\n" and the three planes of each frame. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "frames/sink_backend.h"

static const char frame_mark[] = "FRAME\n";
enum { MARK_BYTES = sizeof(frame_mark) - 1 };

struct y4m {
    struct vks_atomic_file file; /* zeroed for standard output */
    const char *path;
    int fd;
    bool to_stdout;
    bool may_wait; /* a pipe or similar, whose reader may be slow */
    atomic_bool cancelled;
    uint32_t picture_width, picture_height;
    uint32_t width, height; /* even */
    struct vks_rate fps;
    enum vks_frame_plane plane; /* VKS_PLANE_YUV or VKS_PLANE_YUV10 */
    uint64_t frames;            /* written */
    uint8_t *packed;            /* the mark and one frame, without padding */
    size_t packed_bytes;
};

static enum vks_result fail_write(const struct y4m *y4m, int error)
{
    if (!y4m->to_stdout) {
        return vks_fail_write(y4m->path, error);
    }
    if (error == ECANCELED) {
        return vks_fail(
            VKS_INTERRUPTED,
            "interrupted while the program that reads vksim's standard output was stalled; "
            "it has %" PRIu64 " complete frames",
            y4m->frames);
    }
    if (error == EPIPE) {
        return vks_fail(VKS_ERROR_FILE,
                        "the program that reads vksim's standard output closed it after %" PRIu64
                        " frames",
                        y4m->frames);
    }
    return vks_fail_write("standard output", error);
}

static void close_y4m(struct y4m *y4m)
{
    if (!y4m->to_stdout && y4m->fd >= 0) {
        close(y4m->fd);
    }
    vks_atomic_file_abort(&y4m->file);
    free(y4m->packed);
    free(y4m);
}

/* Like vks_write_all(), but fails with ECANCELED if cancelled while waiting for the reader of a
 * pipe. After poll(), a write of up to PIPE_BUF bytes does not block. */
static int write_bytes(struct y4m *y4m, const void *data, size_t size)
{
    if (!y4m->may_wait) {
        return vks_write_all(y4m->fd, data, size);
    }
    int error = 0;
    for (const char *at = data; size > 0 && error == 0;) {
        struct pollfd ready = {.fd = y4m->fd, .events = POLLOUT};
        const int found = poll(&ready, 1, 100); /* ms */
        const size_t piece = size < PIPE_BUF ? size : PIPE_BUF;
        if (found > 0) {
            error = vks_write_all(y4m->fd, at, piece);
            at += piece;
            size -= piece;
        } else if (atomic_load(&y4m->cancelled)) {
            error = ECANCELED;
        } else if (found < 0 && errno != EINTR) {
            error = errno;
        }
    }
    return error;
}

static enum vks_result write_head(struct y4m *y4m)
{
    char head[128];
    /* C420jpeg means chroma sited at the centre of its four pixels; C420p10 cannot express that.
     * Neither implies the range, hence XCOLORRANGE. */
    int length = snprintf(head, sizeof(head),
                          "YUV4MPEG2 W%" PRIu32 " H%" PRIu32 " F%" PRIu32 ":%" PRIu32
                          " Ip A1:1 %s XCOLORRANGE=LIMITED\n",
                          y4m->width, y4m->height, y4m->fps.frames, y4m->fps.seconds,
                          y4m->plane == VKS_PLANE_YUV10 ? "C420p10 XYSCSS=420P10" : "C420jpeg");
    int error = write_bytes(y4m, head, (size_t)length);
    return error == 0 ? VKS_OK : fail_write(y4m, error);
}

static enum vks_result open_target(struct y4m *y4m, const struct vks_sink_params *params)
{
    if (y4m->to_stdout) {
        struct stat info;
        y4m->fd = STDOUT_FILENO;
        y4m->may_wait = fstat(STDOUT_FILENO, &info) == 0 && !S_ISREG(info.st_mode);
        return VKS_OK;
    }
    enum vks_result result =
        vks_atomic_file_resume(&y4m->file, params->path, params->overwrite, params->resume);
    y4m->frames = vks_json_count(params->resume, "frames");
    if (result == VKS_OK) {
        result = vks_sink_open_part(&y4m->file, &y4m->fd);
    }
    return result;
}

static enum vks_result open_y4m(const struct vks_sink_params *params, void **state)
{
    struct y4m *y4m = calloc(1, sizeof(*y4m));
    if (!y4m) {
        return vks_fail_memory();
    }
    y4m->fd = -1;
    y4m->path = params->path;
    y4m->to_stdout = strcmp(params->path, "-") == 0;
    y4m->picture_width = params->width;
    y4m->picture_height = params->height;
    y4m->fps = params->fps;
    y4m->width = vks_even(params->width);
    y4m->height = vks_even(params->height);
    y4m->plane = params->depth == 10 ? VKS_PLANE_YUV10 : VKS_PLANE_YUV;
    y4m->packed_bytes = MARK_BYTES + (size_t)y4m->width * y4m->height / 2 * 3 *
                                         vks_plane_formats[y4m->plane].sample_bytes;
    const enum vks_result result = open_target(y4m, params);
    if (result != VKS_OK) {
        close_y4m(y4m);
        return result;
    }
    *state = y4m;
    return VKS_OK;
}

static enum vks_result start_y4m(void *state)
{
    struct y4m *y4m = state;
    if (y4m->to_stdout && isatty(STDOUT_FILENO)) {
        return vks_fail(VKS_ERROR_USAGE, "standard output is a terminal; pipe the video to a "
                                         "program or file, as in '... | ffplay -'");
    }
    fflush(stdout); /* printed text must precede the video, not interrupt it */
    y4m->packed = malloc(y4m->packed_bytes);
    if (!y4m->packed) {
        return vks_fail_memory();
    }
    memcpy(y4m->packed, frame_mark, MARK_BYTES);
    return VKS_OK;
}

/* Copies the top left width x height bytes of a plane; returns the end of the copy. */
static uint8_t *pack(uint8_t *to, const uint8_t *from, size_t stride, size_t width, size_t height)
{
    for (size_t row = 0; row < height; row++) {
        memcpy(to, from + row * stride, width);
        to += width;
    }
    return to;
}

static enum vks_result write_y4m(void *state, const struct vks_frame *frame)
{
    struct y4m *y4m = state;
    const uint8_t *yuv = frame->planes[y4m->plane];
    const size_t sample = vks_plane_formats[y4m->plane].sample_bytes;
    const size_t stride = frame->coded_width * sample, width = y4m->width * sample;
    const size_t luma = stride * frame->coded_height;
    uint8_t *to = y4m->packed + MARK_BYTES;
    to = pack(to, yuv, stride, width, y4m->height);
    to = pack(to, yuv + luma, stride / 2, width / 2, y4m->height / 2);
    pack(to, yuv + luma + luma / 4, stride / 2, width / 2, y4m->height / 2);
    if (y4m->frames ==
        0) { /* not earlier: if the run fails to start, standard output stays empty */
        enum vks_result result = write_head(y4m);
        if (result != VKS_OK) {
            return result;
        }
    }
    int error = write_bytes(y4m, y4m->packed, y4m->packed_bytes);
    if (error != 0) {
        return fail_write(y4m, error);
    }
    y4m->frames++;
    return VKS_OK;
}

static uint64_t frame_bytes_of_y4m(const void *state)
{
    return ((const struct y4m *)state)->packed_bytes;
}

static enum vks_result hold_y4m(void *state, json_t *position)
{
    return vks_atomic_file_hold(&((struct y4m *)state)->file, position);
}

static enum vks_result finish_y4m(void *state)
{
    struct y4m *y4m = state;
    enum vks_result result = VKS_OK;
    if (!y4m->to_stdout) {
        int error = close(y4m->fd) != 0 && errno != EINTR ? errno : 0;
        y4m->fd = -1;
        result = error == 0 ? vks_atomic_file_commit(&y4m->file) : fail_write(y4m, error);
    }
    close_y4m(y4m);
    return result;
}

static enum vks_result keep_old_y4m(void *state, const char **name)
{
    struct y4m *y4m = state;
    const enum vks_result result = vks_atomic_file_keep_old(&y4m->file);
    *name = y4m->to_stdout ? y4m->path : y4m->file.path;
    return result;
}

static void abort_y4m(void *state, bool keep_complete)
{
    (void)keep_complete; /* there is only the part file */
    close_y4m(state);
}

static void cancel_y4m(void *state)
{
    struct y4m *y4m = state;
    atomic_store(&y4m->cancelled, true);
}

static char *note_on_y4m(const void *state)
{
    const struct y4m *y4m = state;
    return vks_padding_note(y4m->picture_width, y4m->picture_height);
}

const struct vks_sink_backend vks_sink_y4m = {
    .open = open_y4m,
    .start = start_y4m,
    .write = write_y4m,
    .frame_bytes = frame_bytes_of_y4m,
    .hold = hold_y4m,
    .finish = finish_y4m,
    .abort = abort_y4m,
    .keep_old = keep_old_y4m,
    .cancel = cancel_y4m,
    .note = note_on_y4m,
};
