/* SPDX-License-Identifier: MIT */
/* Stills: one file a frame if the name holds a %d, else only the last frame. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <png.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "out/sink_backend.h"

/* --- one picture ----------------------------------------------------------------------------- */

struct encoder {
    int fd;
    int error;     /* errno of a failing write */
    char text[96]; /* what libpng says */
};

static void on_error(png_structp png, png_const_charp text)
{
    struct encoder *encoder = png_get_error_ptr(png);
    snprintf(encoder->text, sizeof(encoder->text), "%s", text);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void on_write(png_structp png, png_bytep data, size_t size)
{
    struct encoder *encoder = png_get_io_ptr(png);
    encoder->error = vks_write_all(encoder->fd, data, size);
    if (encoder->error != 0) {
        png_error(png, "write failed");
    }
}

static void on_flush(png_structp png)
{
    (void)png;
}

/* libpng's errors jump back here, so nothing in this function changes after setjmp(). */
static bool write_picture(png_structp png, png_infop info, struct encoder *encoder,
                          const uint8_t *rgba, uint32_t width, uint32_t height)
{
    if (setjmp(png_jmpbuf(png))) {
        return false;
    }
    png_set_write_fn(png, encoder, on_write, on_flush);
    png_set_compression_buffer_size(png, 1 << 18); /* bytes; its standard is 8 KiB a write */
    /* A colour map leaves few colours, which filters would only hide. Level 2 is within 15 % of
     * level 6 at a quarter of its time. */
    png_set_compression_level(png, 2);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    png_set_IHDR(png, info, width, height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    png_set_filler(png, 0, PNG_FILLER_AFTER); /* drops alpha */
    for (uint32_t row = 0; row < height; row++) {
        png_write_row(png, rgba + (size_t)row * width * 4);
    }
    png_write_end(png, info);
    return true;
}

static enum vks_result encode(const char *path, int fd, const uint8_t *rgba, uint32_t width,
                              uint32_t height)
{
    struct encoder encoder = {.fd = fd};
    png_infop info = NULL;
    png_structp png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, &encoder, on_error, on_warning);
    if (png) {
        info = png_create_info_struct(png);
    }
    enum vks_result result = VKS_OK;
    if (!png || !info) {
        result = vks_fail_memory();
    } else if (!write_picture(png, info, &encoder, rgba, width, height)) {
        result = encoder.error != 0 ? vks_fail_write(path, encoder.error)
                                    : vks_fail(VKS_ERROR_FILE, "cannot write '%s': libpng: %s",
                                               path, encoder.text);
    }
    png_destroy_write_struct(&png, &info);
    return result;
}

/* Writes the picture into a begun file and ends the file either way. */
static enum vks_result write_file(struct vks_new_file *file, const uint8_t *rgba, uint32_t width,
                                  uint32_t height)
{
    int fd = -1;
    enum vks_result result = vks_sink_open_part(file, &fd);
    if (result == VKS_OK) {
        result = encode(file->path, fd, rgba, width, height);
        if (close(fd) != 0 && errno != EINTR && result == VKS_OK) {
            result = vks_fail_write(file->path, errno);
        }
    }
    if (result == VKS_OK) {
        return vks_new_file_commit(file);
    }
    vks_new_file_abort(file);
    return result;
}

enum vks_result vks_write_png(const char *path, const uint8_t *rgba, uint32_t width,
                              uint32_t height, bool overwrite)
{
    struct vks_new_file file;
    enum vks_result result = vks_new_file_begin(&file, path, overwrite);
    return result == VKS_OK ? write_file(&file, rgba, width, height) : result;
}

/* --- names ----------------------------------------------------------------------------------- */

enum { DIGITS_MOST = 20 }; /* of a uint64_t */

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
                    path, DIGITS_MOST);
}

/* Reads "d" or "0Nd" at `text`, which follows a percent sign: the end, or NULL. */
static const char *parse_directive(const char *text, int *digits)
{
    int least = 0;
    if (*text == '0') {
        text++;
        while (isdigit((unsigned char)*text) && least <= DIGITS_MOST) {
            least = least * 10 + (*text - '0');
            text++;
        }
        if (least == 0 || least > DIGITS_MOST) {
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
    if (digits < least || digits > DIGITS_MOST || (digits > least && first[0] == '0')) {
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
            result = vks_fail(VKS_ERROR_FILE,
                              "'%s%s' exists already; choose another name or allow overwriting",
                              pattern->folder, entry->d_name);
        }
    }
    closedir(folder);
    return result;
}

/* --- the sink -------------------------------------------------------------------------------- */

struct png {
    struct pattern pattern;
    struct vks_new_file file; /* the single still's; zeroed for a sequence */
    bool overwrite;
    uint64_t frames; /* numbered files written */
    uint32_t width, height;
    uint8_t *latest; /* the single still's: the frame that came last */
};

static void close_png(struct png *png)
{
    free(png->latest);
    vks_new_file_abort(&png->file);
    free_pattern(&png->pattern);
    free(png);
}

static enum vks_result begin(const struct png *png, uint64_t number, bool overwrite,
                             struct vks_new_file *file)
{
    *file = (struct vks_new_file){0};
    char *path = numbered_path(&png->pattern, number);
    if (!path) {
        return vks_fail_memory();
    }
    enum vks_result result = vks_new_file_begin(file, path, overwrite);
    free(path);
    return result;
}

static enum vks_result open_sequence(const struct png *png, uint64_t frames)
{
    /* Tries the folder with the first name. */
    struct vks_new_file file;
    enum vks_result result = begin(png, 0, png->overwrite, &file);
    vks_new_file_abort(&file);
    if (result == VKS_OK && !png->overwrite) {
        result = check_sequence(&png->pattern, frames);
    }
    return result;
}

static enum vks_result open_single(struct png *png)
{
    png->latest = malloc((size_t)png->width * png->height * 4);
    if (!png->latest) {
        return vks_fail_memory();
    }
    return begin(png, 0, png->overwrite, &png->file);
}

static enum vks_result open_png(const struct vks_sink_params *params, void **state)
{
    struct png *png = calloc(1, sizeof(*png));
    if (!png) {
        return vks_fail_memory();
    }
    png->width = params->width;
    png->height = params->height;
    png->overwrite = params->overwrite;
    enum vks_result result = parse_pattern(params->path, &png->pattern);
    if (result == VKS_OK) {
        result = png->pattern.digits > 0 ? open_sequence(png, params->frames) : open_single(png);
    }
    if (result != VKS_OK) {
        close_png(png);
        return result;
    }
    *state = png;
    return VKS_OK;
}

static enum vks_result write_png(void *state, const struct vks_frame *frame)
{
    struct png *png = state;
    if (png->pattern.digits == 0) {
        memcpy(png->latest, frame->rgba, (size_t)png->width * png->height * 4);
        return VKS_OK;
    }
    struct vks_new_file file;
    enum vks_result result = begin(png, png->frames, png->overwrite, &file);
    if (result != VKS_OK) {
        return result;
    }
    file.unsynced = true; /* thousands of syncs would cost more than the pictures */
    result = write_file(&file, frame->rgba, png->width, png->height);
    if (result == VKS_OK) {
        png->frames++;
    }
    return result;
}

static enum vks_result finish_png(void *state)
{
    struct png *png = state;
    enum vks_result result = VKS_OK;
    if (png->pattern.digits == 0) {
        result = write_file(&png->file, png->latest, png->width, png->height);
    }
    close_png(png);
    return result;
}

static void abort_png(void *state, bool keep_whole)
{
    struct png *png = state;
    for (uint64_t number = 0; !keep_whole && number < png->frames; number++) {
        char *path = numbered_path(&png->pattern, number);
        if (path) {
            unlink(path);
        }
        free(path);
    }
    close_png(png);
}

const struct vks_sink_backend vks_sink_png = {
    .wants = VKS_SINK_WANTS_RGBA,
    .open = open_png,
    .write = write_png,
    .finish = finish_png,
    .abort = abort_png,
};
