/* SPDX-License-Identifier: MIT */
/* Pictures and arrays: a file a frame if the name holds a %d; else a .png of the last frame, or a
 * .npy of all frames in a row. */
#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/npy.h"
#include "frames/sink_backend.h"

/* --- names ----------------------------------------------------------------------------------- */

enum { MAX_DIGITS = 20 }; /* of a uint64_t */

/* The user's pattern taken apart; it never reaches a printf format. */
struct pattern {
    char *folder; /* with its slash, or "" */
    char *before, *after;
    int digits; /* least number of them; 0: this is a plain name, `before` holds it */
};

static void free_pattern(struct pattern *pattern)
{
    free(pattern->folder);
    free(pattern->before);
    free(pattern->after);
    *pattern = (struct pattern){0};
}

static enum vks_result fail_pattern(const char *path)
{
    return vks_fail(VKS_ERROR_USAGE,
                    "the name '%s' may hold one %%d or %%0Nd (N from 1 to %d) for the number of "
                    "the frame; write %%%% for a percent sign",
                    path, MAX_DIGITS);
}

/* Reads "d" or "0Nd" at `text`, which follows a percent sign: the end, or NULL. */
static const char *parse_directive(const char *text, int *digits)
{
    int least = 0;
    if (*text == '0') {
        text++;
        while (isdigit((unsigned char)*text) && least <= MAX_DIGITS) {
            least = least * 10 + (*text - '0');
            text++;
        }
        if (least == 0 || least > MAX_DIGITS) {
            return NULL;
        }
    }
    *digits = least > 0 ? least : 1;
    return *text == 'd' ? text + 1 : NULL;
}

static enum vks_result parse_pattern(const char *path, struct pattern *pattern)
{
    const char *slash = strrchr(path, '/');
    size_t folder_length = slash ? (size_t)(slash + 1 - path) : 0;
    const char *name = path + folder_length;
    *pattern = (struct pattern){
        .folder = calloc(1, folder_length + 1),
        .before = calloc(1, strlen(name) + 1),
        .after = calloc(1, strlen(name) + 1),
    };
    if (!pattern->folder || !pattern->before || !pattern->after) {
        free_pattern(pattern);
        return vks_fail_memory();
    }
    memcpy(pattern->folder, path, folder_length);
    char *to = pattern->before;
    while (*name) {
        if (name[0] == '%' && name[1] == '%') {
            name++;
        } else if (name[0] == '%') {
            name = pattern->digits == 0 ? parse_directive(name + 1, &pattern->digits) : NULL;
            if (!name) {
                free_pattern(pattern);
                return fail_pattern(path);
            }
            to = pattern->after;
            continue;
        }
        *to++ = *name++;
    }
    return VKS_OK;
}

/* The path of frame `number`, a heap string; NULL when memory ran out. */
static char *numbered_path(const struct pattern *pattern, uint64_t number)
{
    if (pattern->digits == 0) {
        return vks_format("%s%s", pattern->folder, pattern->before);
    }
    return vks_format("%s%s%0*" PRIu64 "%s", pattern->folder, pattern->before, pattern->digits,
                      number, pattern->after);
}

/* Whether `name` is that of a frame with a number below `frames`. */
static bool is_numbered(const struct pattern *pattern, const char *name, uint64_t frames)
{
    size_t before = strlen(pattern->before);
    size_t after = strlen(pattern->after);
    size_t length = strlen(name);
    if (length <= before + after || strncmp(name, pattern->before, before) != 0 ||
        strcmp(name + length - after, pattern->after) != 0) {
        return false;
    }
    size_t digits = length - before - after;
    const char *first = name + before;
    size_t least = (size_t)pattern->digits;
    if (digits < least || digits > MAX_DIGITS || (digits > least && first[0] == '0')) {
        return false;
    }
    uint64_t number = 0;
    for (size_t i = 0; i < digits; i++) {
        if (!isdigit((unsigned char)first[i])) {
            return false;
        }
        number = number * 10 + (uint64_t)(first[i] - '0');
    }
    return number < frames;
}

/* A sequence is checked as a whole before it starts: a run should not end at frame 300 because of
 * a file that was there all the time. */
static enum vks_result check_sequence(const struct pattern *pattern, uint64_t frames)
{
    DIR *folder = opendir(pattern->folder[0] ? pattern->folder : ".");
    if (!folder) {
        return VKS_OK; /* writable but not readable: each file is checked when its turn comes */
    }
    enum vks_result result = VKS_OK;
    const struct dirent *entry = NULL;
    while (result == VKS_OK && (entry = readdir(folder))) {
        if (is_numbered(pattern, entry->d_name, frames ? frames : UINT64_MAX)) {
            char *path = vks_format("%s%s", pattern->folder, entry->d_name);
            result = path ? vks_fail_exists(path) : vks_fail_memory();
            free(path);
        }
    }
    closedir(folder);
    return result;
}

/* --- contents -------------------------------------------------------------------------------- */

enum content { PNG, PNG16, NPY };

/* Shape of an array: (frames, height, width), or without frames (height, width). Short enough for
 * two lines of 64 bytes, and too long for one, so that its place in the file is known before the
 * number of frames is. */
enum { NPY_HEADER_BYTES = 128 };

static int write_npy_header(int fd, uint64_t frames, uint32_t width, uint32_t height)
{
    uint8_t header[VKS_NPY_HEADER_WRITTEN];
    const uint64_t shape[] = {frames, height, width};
    const size_t length =
        vks_npy_format(header, 'f', 4, frames ? 3 : 2, frames ? shape : shape + 1);
    assert(length == NPY_HEADER_BYTES);
    return vks_write_all(fd, header, length);
}

static int write_values(int fd, const struct vks_frame *frame)
{
    const uint32_t rows = frame->rows ? frame->rows : frame->height;
    return vks_write_all(fd, frame->values, (size_t)frame->width * rows * sizeof(*frame->values));
}

/* --- the sink -------------------------------------------------------------------------------- */

enum {
    MAX_WRITERS = 16,
    WRITER_BUDGET = 256 << 20, /* bytes of frames that wait for their writers */
};

/* A file being written. */
struct output {
    struct vks_atomic_file file;
    int fd;
};

/* Compressing a picture takes far longer than drawing one, so those of a sequence are written by
 * several threads, a picture each. */
struct writer {
    struct stills *stills;
    pthread_t thread;
    struct output output;
    uint64_t number;
    void *pixels; /* the frame's */
    bool full;    /* under the lock: the thread has something to write */
};

struct stills {
    enum content content;
    bool overwrite, alpha;
    uint64_t expected; /* frames; 0: unknown */
    struct pattern pattern;
    uint64_t written; /* frames, those under way counted */
    uint32_t width, height;
    struct output output; /* the one file; unused for a sequence */
    struct vks_png *png;  /* of a frame that comes in bands */
    bool clear;           /* its survey has seen a transparent pixel */

    struct writer writers[MAX_WRITERS];
    size_t writer_count, most_writers;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool stop;
    enum vks_result result;       /* of the first writer that failed */
    struct vks_error error;       /* of `result` */
    uint64_t failed[MAX_WRITERS]; /* numbers that have no file of ours */
    size_t failed_count;
};

static bool is_sequence(const struct stills *stills)
{
    return stills->pattern.digits > 0;
}

static size_t pixel_bytes(const struct stills *stills)
{
    return stills->content == PNG16 ? 8 : 4;
}

static enum vks_result begin_output(const struct stills *stills, uint64_t number,
                                    struct output *output)
{
    char *path = numbered_path(&stills->pattern, number);
    output->fd = -1;
    if (!path) {
        return vks_fail_memory();
    }
    enum vks_result result = vks_atomic_file_begin(&output->file, path, stills->overwrite);
    free(path);
    if (result == VKS_OK) {
        result = vks_sink_open_part(&output->file, &output->fd);
        /* Thousands of syncs would cost more than the pictures. */
        output->file.unsynced = is_sequence(stills);
    }
    return result;
}

/* Closes the file and gives it its name, or removes it after a failure. */
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

static struct vks_png_params png_params(const struct stills *stills, const struct output *output)
{
    return (struct vks_png_params){
        .path = output->file.path,
        .fd = output->fd,
        .width = stills->width,
        .height = stills->height,
        .deep = stills->content == PNG16,
        .alpha = stills->alpha || stills->clear,
    };
}

/* Writes the frame where the file stands. */
static enum vks_result write_content(const struct stills *stills, const struct output *output,
                                     const struct vks_frame *frame)
{
    if (stills->content != NPY) {
        const struct vks_png_params params = png_params(stills, output);
        return vks_png_encode(&params, frame);
    }
    int error = 0;
    if (is_sequence(stills)) {
        error = write_npy_header(output->fd, 0, stills->width, stills->height);
    }
    if (error == 0) {
        error = write_values(output->fd, frame);
    }
    return error ? vks_fail_write(output->file.path, error) : VKS_OK;
}

/* A band of a PNG. */
static enum vks_result write_band(struct stills *stills, const struct vks_frame *frame)
{
    const bool deep = stills->content == PNG16;
    enum vks_result result = VKS_OK;
    if (frame->survey) {
        stills->clear = (stills->clear && frame->row > 0) || vks_has_alpha(frame, deep);
        return VKS_OK;
    }
    if (frame->row == 0) {
        const struct vks_png_params params = png_params(stills, &stills->output);
        result = vks_png_begin(&params, &stills->png);
    }
    if (result == VKS_OK) {
        result = vks_png_write(stills->png, deep ? (const void *)frame->rgba16 : frame->rgba,
                               frame->rows);
    }
    if (result == VKS_OK && frame->row + frame->rows == frame->height) {
        result = vks_png_end(stills->png);
        vks_png_free(stills->png);
        stills->png = NULL;
    }
    return result;
}

/* --- writers --------------------------------------------------------------------------------- */

static void write_out(struct writer *writer)
{
    struct stills *stills = writer->stills;
    const struct vks_frame frame = {
        .width = stills->width,
        .height = stills->height,
        .rgba = writer->pixels,
        .rgba16 = writer->pixels,
        .values = writer->pixels,
    };
    enum vks_result result = write_content(stills, &writer->output, &frame);
    result = end_output(&writer->output, result);
    pthread_mutex_lock(&stills->lock);
    if (result != VKS_OK) {
        if (stills->result == VKS_OK) {
            stills->result = result;
            vks_error_keep(&stills->error);
        }
        stills->failed[stills->failed_count++] = writer->number;
    }
    pthread_mutex_unlock(&stills->lock);
}

static void *write_on(void *user)
{
    struct writer *writer = user;
    struct stills *stills = writer->stills;
    pthread_mutex_lock(&stills->lock);
    for (;;) {
        while (!stills->stop && !writer->full) {
            pthread_cond_wait(&stills->changed, &stills->lock);
        }
        if (!writer->full) {
            break;
        }
        pthread_mutex_unlock(&stills->lock);
        write_out(writer);
        pthread_mutex_lock(&stills->lock);
        writer->full = false;
        pthread_cond_broadcast(&stills->changed);
    }
    pthread_mutex_unlock(&stills->lock);
    return NULL;
}

/* NULL when memory ran out or no thread could be started. */
static struct writer *add_writer(struct stills *stills)
{
    struct writer *writer = &stills->writers[stills->writer_count];
    writer->stills = stills;
    writer->pixels = malloc((size_t)stills->width * stills->height * pixel_bytes(stills));
    if (!writer->pixels || pthread_create(&writer->thread, NULL, write_on, writer) != 0) {
        free(writer->pixels);
        writer->pixels = NULL;
        return NULL;
    }
    stills->writer_count++;
    return writer;
}

/* The failure of a writer as this thread's. Call with the lock held. */
static enum vks_result failure(const struct stills *stills)
{
    return stills->result == VKS_OK ? VKS_OK : vks_fail_again(stills->result, &stills->error);
}

/* One that has nothing to do: waits for it. */
static enum vks_result free_writer(struct stills *stills, struct writer **found)
{
    *found = NULL;
    pthread_mutex_lock(&stills->lock);
    while (!*found && stills->result == VKS_OK) {
        for (size_t i = 0; i < stills->writer_count && !*found; i++) {
            *found = stills->writers[i].full ? NULL : &stills->writers[i];
        }
        if (!*found && stills->writer_count < stills->most_writers) {
            *found = add_writer(stills);
            stills->most_writers = *found ? stills->most_writers : stills->writer_count;
        }
        if (!*found && stills->writer_count == 0) {
            pthread_mutex_unlock(&stills->lock);
            return vks_fail_memory();
        }
        if (!*found) {
            pthread_cond_wait(&stills->changed, &stills->lock);
        }
    }
    enum vks_result result = failure(stills);
    pthread_mutex_unlock(&stills->lock);
    return result;
}

/* Waits until all that was begun is written. */
static enum vks_result wait_for_writers(struct stills *stills)
{
    pthread_mutex_lock(&stills->lock);
    for (size_t i = 0; i < stills->writer_count; i++) {
        while (stills->writers[i].full) {
            pthread_cond_wait(&stills->changed, &stills->lock);
        }
    }
    enum vks_result result = failure(stills);
    pthread_mutex_unlock(&stills->lock);
    return result;
}

static enum vks_result hand_over(struct stills *stills, const struct vks_frame *frame)
{
    struct writer *writer = NULL;
    enum vks_result result = free_writer(stills, &writer);
    if (result != VKS_OK) {
        return result;
    }
    result = begin_output(stills, stills->written, &writer->output);
    if (result != VKS_OK) {
        return end_output(&writer->output, result);
    }
    const void *const pixels[] = {frame->rgba, frame->rgba16, frame->values};
    memcpy(writer->pixels, pixels[stills->content],
           (size_t)stills->width * stills->height * pixel_bytes(stills));
    writer->number = stills->written;
    pthread_mutex_lock(&stills->lock);
    writer->full = true;
    pthread_cond_broadcast(&stills->changed);
    pthread_mutex_unlock(&stills->lock);
    return VKS_OK;
}

static uint32_t count_writers(const struct stills *stills)
{
    const uint64_t frame = (uint64_t)stills->width * stills->height * pixel_bytes(stills);
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t most = WRITER_BUDGET / frame;
    most = most < 1 ? 1 : most > MAX_WRITERS ? MAX_WRITERS : most;
    return cores > 0 && (uint64_t)cores < most ? (uint32_t)cores : (uint32_t)most;
}

/* --- its life -------------------------------------------------------------------------------- */

static void close_stills(struct stills *stills)
{
    pthread_mutex_lock(&stills->lock);
    stills->stop = true;
    pthread_cond_broadcast(&stills->changed);
    pthread_mutex_unlock(&stills->lock);
    for (size_t i = 0; i < stills->writer_count; i++) {
        pthread_join(stills->writers[i].thread, NULL);
        free(stills->writers[i].pixels);
    }
    pthread_cond_destroy(&stills->changed);
    pthread_mutex_destroy(&stills->lock);
    vks_png_free(stills->png);
    if (stills->output.fd >= 0) {
        close(stills->output.fd);
    }
    vks_atomic_file_abort(&stills->output.file);
    free_pattern(&stills->pattern);
    free(stills);
}

static enum vks_result open_content(const struct vks_sink_params *params, enum content content,
                                    void **state)
{
    struct stills *stills = calloc(1, sizeof(*stills));
    if (!stills) {
        return vks_fail_memory();
    }
    stills->content = content;
    stills->overwrite = params->overwrite;
    stills->alpha = params->alpha;
    stills->expected = params->frames;
    stills->width = params->width;
    stills->height = params->height;
    stills->output.fd = -1;
    stills->most_writers = count_writers(stills);
    pthread_mutex_init(&stills->lock, NULL);
    pthread_cond_init(&stills->changed, NULL);
    enum vks_result result = parse_pattern(params->path, &stills->pattern);
    if (result == VKS_OK) {
        result = begin_output(stills, 0, &stills->output);
    }
    if (result == VKS_OK && is_sequence(stills)) { /* that was only to try the folder */
        close(stills->output.fd);
        stills->output.fd = -1;
        vks_atomic_file_abort(&stills->output.file);
        if (!stills->overwrite) {
            result = check_sequence(&stills->pattern, stills->expected);
        }
    }
    if (result == VKS_OK && content == NPY && !is_sequence(stills)) {
        /* The room of the header; it is written again when the frames are counted. */
        int error = write_npy_header(stills->output.fd, 1, stills->width, stills->height);
        result = error ? vks_fail_write(params->path, error) : VKS_OK;
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
    return open_content(params, PNG, state);
}

static enum vks_result open_png16(const struct vks_sink_params *params, void **state)
{
    return open_content(params, PNG16, state);
}

static enum vks_result open_npy(const struct vks_sink_params *params, void **state)
{
    return open_content(params, NPY, state);
}

/* The last frame's place is the first. */
static enum vks_result rewind_output(const struct output *output)
{
    return lseek(output->fd, 0, SEEK_SET) < 0 || ftruncate(output->fd, 0) != 0
               ? vks_fail_write(output->file.path, errno)
               : VKS_OK;
}

static enum vks_result write_stills(void *state, const struct vks_frame *frame)
{
    struct stills *stills = state;
    enum vks_result result = VKS_OK;
    if (is_sequence(stills)) {
        result = hand_over(stills, frame);
    } else if (stills->content == NPY) {
        result = frame->survey ? VKS_OK : write_content(stills, &stills->output, frame);
    } else {
        if (stills->written > 0 && frame->row == 0 && !frame->survey) {
            result = rewind_output(&stills->output);
        }
        if (result == VKS_OK) {
            result = frame->rows ? write_band(stills, frame)
                                 : write_content(stills, &stills->output, frame);
        }
    }
    const bool complete = frame->rows == 0 || frame->row + frame->rows == frame->height;
    if (result == VKS_OK && complete && !frame->survey) {
        stills->written++;
    }
    return result;
}

/* A .npy of all frames, or of the one that was expected. */
static enum vks_result count_in_header(const struct stills *stills)
{
    const uint64_t frames = stills->expected == 1 ? 0 : stills->written;
    int error = lseek(stills->output.fd, 0, SEEK_SET) < 0 ? errno : 0;
    if (error == 0) {
        error = write_npy_header(stills->output.fd, frames, stills->width, stills->height);
    }
    return error ? vks_fail_write(stills->output.file.path, error) : VKS_OK;
}

static enum vks_result finish_stills(void *state)
{
    struct stills *stills = state;
    enum vks_result result = wait_for_writers(stills);
    if (!is_sequence(stills)) {
        result = stills->content == NPY ? count_in_header(stills) : VKS_OK;
        result = end_output(&stills->output, result);
    }
    close_stills(stills);
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

static void abort_stills(void *state, bool keep_whole)
{
    struct stills *stills = state;
    (void)wait_for_writers(stills); /* of no interest any more */
    for (uint64_t number = 0; is_sequence(stills) && !keep_whole && number < stills->written;
         number++) {
        char *path = has_failed(stills, number) ? NULL : numbered_path(&stills->pattern, number);
        if (path) {
            unlink(path);
        }
        free(path);
    }
    close_stills(stills);
}

static bool is_single(const char *path)
{
    struct pattern pattern;
    const bool single = parse_pattern(path, &pattern) == VKS_OK && pattern.digits == 0;
    free_pattern(&pattern);
    return single;
}

/* A single still shows the last frame. */
static bool wants_picture(const void *state, uint64_t index)
{
    const struct stills *stills = state;
    return is_sequence(stills) || index + 1 >= stills->expected;
}

const struct vks_sink_backend vks_sink_png = {
    .wants = VKS_SINK_WANTS_RGBA,
    .open = open_png,
    .write = write_stills,
    .finish = finish_stills,
    .abort = abort_stills,
    .wants_frame = wants_picture,
    .takes_bands = is_single,
};

const struct vks_sink_backend vks_sink_png16 = {
    .wants = VKS_SINK_WANTS_RGBA16,
    .open = open_png16,
    .write = write_stills,
    .finish = finish_stills,
    .abort = abort_stills,
    .wants_frame = wants_picture,
    .takes_bands = is_single,
};

const struct vks_sink_backend vks_sink_npy = {
    .wants = VKS_SINK_WANTS_VALUES,
    .open = open_npy,
    .write = write_stills,
    .finish = finish_stills,
    .abort = abort_stills,
    .takes_bands = is_single,
};
