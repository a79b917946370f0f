/* SPDX-License-Identifier: MIT */
/* Outputs: the contents of the files, and that a failed one leaves nothing behind. Videos are
 * decoded by libav and stills by libpng; the picture is a test card with known colours. */
#define _DEFAULT_SOURCE /* usleep() */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <math.h>
#include <png.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#if VKS_HAVE_EXR
#include <openexr.h>
#endif

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "folder.h"
#include "frames/sink.h"
#if VKS_HAVE_VIDEO
#include "frames/libav.h"
#include "frames/quantise.h"
#endif

/* Messages of the sinks in this test, one per line. */
static char told[2048];

static void hear(void *user, enum vks_log_level level, const char *text)
{
    (void)user;
    assert_int_equal(level, VKS_LOG_INFO);
    size_t used = strlen(told);
    snprintf(told + used, sizeof(told) - used, "%s\n", text);
}

static int make_folder(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    setenv("SVT_LOG", "-1", 1);
    vks_message_to(VKS_LOG_INFO, hear, NULL);
    return create_folder("sink");
}

static int clear_folder(void **state)
{
    (void)state;
    told[0] = '\0';
    count_files(true);
    return 0;
}

/* --- the test card -------------------------------------------------------------------------- */

struct card {
    struct vks_frame frame;
    uint8_t *rgba, *yuv;
    uint16_t *rgba16; /* the same with different low bytes */
    uint16_t *yuv10;
    float *values;
};

static uint16_t deep(uint8_t byte, uint32_t x, uint32_t y, size_t channel)
{
    return (uint16_t)(byte << 8 | ((x * 31 + y * 17 + channel * 5) & 255));
}

static float value_at(uint64_t index, uint32_t x, uint32_t y)
{
    return (float)index * 4096 + (float)y * 64 + (float)x / 32 - 100;
}

static uint8_t to_byte(double value)
{
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : floor(value + 0.5));
}

/* BT.709, limited range. */
static void to_yuv(const double rgb[3], double yuv[3])
{
    double y = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
    yuv[0] = 16 + y * 219 / 255;
    yuv[1] = 128 + (rgb[2] - y) / 1.8556 * 224 / 255;
    yuv[2] = 128 + (rgb[0] - y) / 1.5748 * 224 / 255;
}

static const uint8_t bars[8][3] = {{255, 255, 255}, {255, 255, 0}, {0, 255, 255}, {0, 255, 0},
                                   {255, 0, 255},   {255, 0, 0},   {0, 0, 255},   {0, 0, 0}};

static const uint8_t *pixel_of(const struct card *card, uint32_t x, uint32_t y)
{
    uint32_t column = x < card->frame.width ? x : card->frame.width - 1;
    uint32_t row = y < card->frame.height ? y : card->frame.height - 1;
    return card->rgba + ((size_t)row * card->frame.width + column) * 4;
}

static void convert(struct card *card)
{
    uint32_t width = card->frame.coded_width;
    uint32_t height = card->frame.coded_height;
    uint8_t *planes[3] = {card->yuv, card->yuv + (size_t)width * height,
                          card->yuv + (size_t)width * height / 4 * 5};
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            const uint8_t *pixel = pixel_of(card, x, y);
            double yuv[3];
            to_yuv((const double[3]){pixel[0], pixel[1], pixel[2]}, yuv);
            planes[0][(size_t)y * width + x] = to_byte(yuv[0]);
        }
    }
    for (uint32_t y = 0; y < height / 2; y++) {
        for (uint32_t x = 0; x < width / 2; x++) {
            double mean[3] = {0};
            for (uint32_t i = 0; i < 4; i++) {
                const uint8_t *pixel = pixel_of(card, 2 * x + i % 2, 2 * y + i / 2);
                for (size_t c = 0; c < 3; c++) {
                    mean[c] += pixel[c] / 4.0;
                }
            }
            double yuv[3];
            to_yuv(mean, yuv);
            planes[1][(size_t)y * width / 2 + x] = to_byte(yuv[1]);
            planes[2][(size_t)y * width / 2 + x] = to_byte(yuv[2]);
        }
    }
}

/* Eight colour bars above a grey ramp; a white block of 8 x 8 moves with the index. With
 * `noise`, every pixel is random instead, so that no encoder can compress it. */
static struct card make_card(uint32_t width, uint32_t height, uint64_t index, bool noise)
{
    struct card card = {.frame = {.index = index,
                                  .step = 40 + 3 * index,
                                  .width = width,
                                  .height = height,
                                  .coded_width = (width + 7) / 8 * 8,
                                  .coded_height = (height + 1) / 2 * 2,
                                  .time = 40 + 3 * (double)index,
                                  .extents = {.cells = {width, height, 1}}}};
    const size_t samples = (size_t)card.frame.coded_width * card.frame.coded_height / 2 * 3;
    card.rgba = malloc((size_t)width * height * 4);
    card.yuv = malloc(samples);
    card.yuv10 = malloc(samples * 2);
    card.rgba16 = malloc((size_t)width * height * 8);
    card.values = malloc((size_t)width * height * sizeof(float));
    assert_non_null(card.rgba);
    assert_non_null(card.yuv);
    assert_non_null(card.yuv10);
    assert_non_null(card.rgba16);
    assert_non_null(card.values);
    uint32_t random = 12345 + (uint32_t)index;
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            uint8_t *pixel = card.rgba + ((size_t)y * width + x) * 4;
            uint32_t left = (uint32_t)index * 8 % width;
            bool block = y < 8 && x >= left && x < left + 8 && index > 0;
            for (size_t c = 0; c < 3; c++) {
                random = random * 1664525 + 1013904223;
                pixel[c] = noise                ? (uint8_t)(random >> 24)
                           : block              ? 255
                           : y * 4 < height * 3 ? bars[x * 8 / width][c]
                                                : (uint8_t)(x * 255 / width);
            }
            pixel[3] = 255;
            const size_t at = (size_t)y * width + x;
            for (size_t c = 0; c < 3; c++) {
                card.rgba16[at * 4 + c] = deep(pixel[c], x, y, c);
            }
            card.rgba16[at * 4 + 3] = 65535;
            card.values[at] = value_at(index, x, y);
        }
    }
    convert(&card);
    for (size_t i = 0; i < samples; i++) {
        card.yuv10[i] = (uint16_t)(4 * card.yuv[i]);
    }
    const void *const planes[VKS_PLANES] = {
        [VKS_PLANE_RGBA] = card.rgba,     [VKS_PLANE_RGBA16] = card.rgba16,
        [VKS_PLANE_YUV] = card.yuv,       [VKS_PLANE_YUV10] = card.yuv10,
        [VKS_PLANE_VALUES] = card.values, [VKS_PLANE_CELLS] = card.values,
    };
    memcpy(card.frame.planes, planes, sizeof(planes));
    return card;
}

static void free_card(struct card *card)
{
    free(card->rgba);
    free(card->yuv);
    free(card->yuv10);
    free(card->rgba16);
    free(card->values);
}

static enum vks_result write_card(struct vks_sink *sink, uint32_t width, uint32_t height,
                                  uint64_t index, bool noise)
{
    struct card card = make_card(width, height, index, noise);
    enum vks_result result = vks_sink_write(sink, &card.frame);
    free_card(&card);
    return result;
}

/* As a run does, which opens a device in between. */
static enum vks_result open_and_start(const struct vks_sink_params *params, struct vks_sink **out)
{
    struct vks_sink *sink = NULL;
    enum vks_result result = vks_sink_open(params, &sink);
    if (result == VKS_OK) {
        result = vks_sink_start(sink);
        if (result != VKS_OK) {
            vks_sink_abort(sink);
            return result;
        }
        *out = sink;
    }
    return result;
}

static struct vks_sink *open_params(const struct vks_sink_params *params)
{
    struct vks_sink *sink = NULL;
    if (open_and_start(params, &sink) != VKS_OK) {
        fail_msg("%s", vks_error_text());
    }
    return sink;
}

static struct vks_sink *open_sink(const char *path, uint32_t width, uint32_t height, bool overwrite)
{
    return open_params(&(struct vks_sink_params){.cells = {.list = {{.name = "trail"}}, .count = 1},
                                                 .path = path,
                                                 .width = width,
                                                 .height = height,
                                                 .fps = {25, 1},
                                                 .overwrite = overwrite});
}

static void write_cards(const struct vks_sink_params *params, uint64_t frames)
{
    struct vks_sink *sink = open_params(params);
    for (uint64_t i = 0; i < frames; i++) {
        if (write_card(sink, params->width, params->height, i, false) != VKS_OK) {
            fail_msg("%s", vks_error_text());
        }
    }
    if (vks_sink_finish(sink) != VKS_OK) {
        fail_msg("%s", vks_error_text());
    }
}

static void write_all_frames(const char *path, uint32_t width, uint32_t height, uint64_t frames,
                             bool overwrite)
{
    write_cards(
        &(struct vks_sink_params){
            .path = path, .width = width, .height = height, .fps = {25, 1}, .overwrite = overwrite},
        frames);
}

static void params_refused(const struct vks_sink_params *params, enum vks_result expected,
                           const char *words)
{
    struct vks_sink *sink = NULL;
    int before = count_files(false);
    assert_int_equal(open_and_start(params, &sink), expected);
    assert_says(words);
    assert_null(sink);
    assert_int_equal(count_files(false), before);
}

static void open_refuses(const char *path, enum vks_result expected, const char *words)
{
    params_refused(
        &(struct vks_sink_params){.path = path, .width = 16, .height = 16, .fps = {25, 1}},
        expected, words);
}

/* One name per file format. */
static const char *const formats[] = {
#if VKS_HAVE_VIDEO
    "x.mp4", "x.webm", "x.mkv", "x.gif",
#endif
#if VKS_HAVE_EXR
    "x.exr",
#endif
    "x.y4m", "x.png",  "x.npy", "x.vti"};

/* --- names ---------------------------------------------------------------------------------- */

static void refuses_names_that_mean_nothing(void **state)
{
    (void)state;
    open_refuses("", VKS_ERROR_USAGE, "is empty");
    open_refuses(in_folder("x"), VKS_ERROR_USAGE,
                 ".npy, .npz, .vti, .vtp, .r16, .glb, .stl, .ply, .csv, or be -");
    open_refuses(in_folder("x.avi"), VKS_ERROR_USAGE, "x.avi");
    open_refuses(in_folder("x.png.bak"), VKS_ERROR_USAGE,
                 ".npy, .npz, .vti, .vtp, .r16, .glb, .stl, .ply, .csv, or be -");
    open_refuses("/tmp.png/mp4", VKS_ERROR_USAGE,
                 ".npy, .npz, .vti, .vtp, .r16, .glb, .stl, .ply, .csv, or be -");
#if !VKS_HAVE_VIDEO
    open_refuses(in_folder("x.mp4"), VKS_ERROR_USAGE, "built without libav; use .y4m, .png");
    open_refuses(in_folder("x.GIF"), VKS_ERROR_USAGE, "built without libav; use .y4m, .png");
#endif
}

static void refuses_sizes_that_mean_nothing(void **state)
{
    (void)state;
    struct vks_sink *sink = NULL;
    struct vks_sink_params params = {
        .path = in_folder("x.png"), .width = 0, .height = 1, .fps = {1, 1}};
    assert_int_equal(open_and_start(&params, &sink), VKS_ERROR_USAGE);
    assert_says("0x1");
    params.width = 1;
    params.fps.frames = 0;
    assert_int_equal(open_and_start(&params, &sink), VKS_ERROR_USAGE);
    assert_says("frames must be 1 to 1000000");
    params.fps.frames = 1;
    params.depth = 12;
    assert_int_equal(open_and_start(&params, &sink), VKS_ERROR_USAGE);
    assert_says("does not support --depth 12; .png files have 8 or 16");
    assert_null(sink);
    assert_int_equal(count_files(false), 0);
}

/* An option that the format does not support is an error, not ignored. */
static void refuses_options_of_other_formats(void **state)
{
    (void)state;
    for (size_t i = 0; i < VKS_COUNT(formats); i++) {
        const bool video =
            strstr(formats[i], ".mp4") || strstr(formats[i], ".webm") || strstr(formats[i], ".mkv");
        struct vks_sink_params params = {
            .path = in_folder(formats[i]), .width = 16, .height = 16, .fps = {25, 1}};
        if (!video) {
            params.has_crf = true;
            params_refused(&params, VKS_ERROR_USAGE, "does not support --crf");
            params.has_crf = false;
            params.encoder = VKS_ENCODER_H264;
            params_refused(&params, VKS_ERROR_USAGE, "does not support --encoder");
            params.encoder = VKS_ENCODER_AUTO;
        }
        params.depth = 12;
        params_refused(&params, VKS_ERROR_USAGE, "does not support --depth 12");
    }
}

static void refuses_paths_that_cannot_be(void **state)
{
    (void)state;
    assert_int_equal(mkdir(in_folder("folder.png"), 0700), 0);
    open_refuses(in_folder("folder.png"), VKS_ERROR_FILE, "it is a folder");
    open_refuses(folder, VKS_ERROR_FILE, "it is a folder");
    open_refuses(in_folder("sub/"), VKS_ERROR_FILE, "it is a folder");
    for (size_t i = 0; i < VKS_COUNT(formats); i++) {
        char name[64];
        snprintf(name, sizeof(name), "sub/%s", formats[i]);
        open_refuses(in_folder(name), VKS_ERROR_FILE, "does not exist; create it first");
        snprintf(name, sizeof(name), "/proc/%s", formats[i]);
        open_refuses(name, VKS_ERROR_FILE, "cannot write '/proc/x.");
        snprintf(name, sizeof(name), "old-%s", formats[i]);
        put(in_folder(name), "old");
        open_refuses(in_folder(name), VKS_ERROR_EXISTS, "exists already");
        assert_holds(in_folder(name), "old");
        snprintf(name, sizeof(name), "device-%s", formats[i]);
        assert_int_equal(symlink("/dev/null", in_folder(name)), 0);
        open_refuses(in_folder(name), VKS_ERROR_FILE, "it is a device or a pipe");
    }
}

/* --- all formats ----------------------------------------------------------------------------- */

static void the_name_comes_last(void **state)
{
    (void)state;
    for (size_t i = 0; i < VKS_COUNT(formats); i++) {
        const char *path = in_folder(formats[i]);
        struct vks_sink *sink = open_sink(path, 32, 32, false);
        assert_string_equal(vks_sink_name(sink), path);
        assert_int_equal(write_card(sink, 32, 32, 0, false), VKS_OK);
        assert_false(exists(path));
        /* The part file, and that of the frames of a .gif. */
        assert_int_equal(count_files(false), strstr(path, ".gif") ? 2 : 1);
        assert_int_equal(vks_sink_finish(sink), VKS_OK);
        assert_true(exists(path));
        assert_int_equal(count_files(true), 1);
    }
}

static void abort_leaves_nothing(void **state)
{
    (void)state;
    vks_sink_abort(NULL);
    for (size_t i = 0; i < VKS_COUNT(formats); i++) {
        for (uint64_t frames = 0; frames < 3; frames++) {
            struct vks_sink *sink = open_sink(in_folder(formats[i]), 32, 32, false);
            for (uint64_t n = 0; n < frames; n++) {
                assert_int_equal(write_card(sink, 32, 32, n, false), VKS_OK);
            }
            vks_sink_abort(sink);
            assert_int_equal(count_files(false), 0);
        }
    }
}

static void no_frame_is_no_file(void **state)
{
    (void)state;
    for (size_t i = 0; i < VKS_COUNT(formats); i++) {
        struct vks_sink *sink = open_sink(in_folder(formats[i]), 32, 32, false);
        assert_int_equal(vks_sink_finish(sink), VKS_ERROR_FILE);
        assert_says("no frame was drawn");
        assert_int_equal(count_files(false), 0);
    }
}

static void replaces_the_old_file_at_the_end(void **state)
{
    (void)state;
    for (size_t i = 0; i < VKS_COUNT(formats); i++) {
        const char *path = in_folder(formats[i]);
        put(path, "old");
        struct vks_sink *sink = open_sink(path, 32, 32, true);
        assert_int_equal(write_card(sink, 32, 32, 0, false), VKS_OK);
        assert_holds(path, "old");
        assert_int_equal(vks_sink_finish(sink), VKS_OK);
        size_t size = 0;
        char *bytes = get(path, &size);
        assert_true(size > 60);
        free(bytes);
        assert_int_equal(count_files(true), 1);
    }
}

static void a_wrong_frame_fails_for_good(void **state)
{
    (void)state;
    for (size_t i = 0; i < VKS_COUNT(formats); i++) {
        struct vks_sink *sink = open_sink(in_folder(formats[i]), 32, 32, false);
        assert_int_equal(write_card(sink, 32, 32, 0, false), VKS_OK);
        struct card card = make_card(32, 30, 1, false);
        assert_int_equal(vks_sink_write(sink, &card.frame), VKS_ERROR_USAGE);
        assert_says("32x30");
        free_card(&card);
        assert_int_equal(write_card(sink, 32, 32, 1, false), VKS_ERROR_USAGE);
        assert_says("32x30");
        assert_int_equal(vks_sink_finish(sink), VKS_ERROR_USAGE);
        assert_says("32x30");
        assert_int_equal(count_files(false), 0);

        sink = open_sink(in_folder(formats[i]), 32, 32, false);
        struct vks_frame empty = {.width = 32, .height = 32, .coded_width = 32, .coded_height = 32};
        assert_int_equal(vks_sink_write(sink, &empty), VKS_ERROR_USAGE);
        assert_says("lacks its picture");
        vks_sink_abort(sink);
        assert_int_equal(count_files(false), 0);
    }
}

static struct rlimit old_limit;

/* Limits the size of files, which simulates a full disk. */
static void limit_files(size_t bytes)
{
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old_limit), 0);
    struct rlimit small = {.rlim_cur = bytes, .rlim_max = old_limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
}

static void unlimit_files(void)
{
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old_limit), 0);
}

static void a_full_disk_leaves_nothing_but_the_old_file(void **state)
{
    (void)state;
    for (size_t i = 0; i < VKS_COUNT(formats); i++) {
        const char *path = in_folder(formats[i]);
        put(path, "old");
        struct vks_sink *sink = open_sink(path, 256, 256, true);
        limit_files(20000);
        enum vks_result result = VKS_OK;
        for (uint64_t n = 0; n < 100 && result == VKS_OK; n++) {
            result = write_card(sink, 256, 256, n, true);
        }
        assert_int_equal(result, VKS_ERROR_FILE);
        result = vks_sink_finish(sink);
        unlimit_files();
        assert_int_equal(result, VKS_ERROR_FILE);
        assert_says("cannot write '");
        assert_says("the file would be larger than the limit");
        assert_holds(path, "old");
        assert_int_equal(count_files(true), 1);
    }
}

static void upper_case_is_fine(void **state)
{
    (void)state;
    size_t size = 0;
    write_all_frames(in_folder("X.Y4M"), 16, 16, 1, false);
    char *bytes = get(in_folder("X.Y4M"), &size);
    assert_memory_equal(bytes, "YUV4MPEG2 ", 10);
    free(bytes);
    write_all_frames(in_folder("X.PnG"), 16, 16, 1, false);
    bytes = get(in_folder("X.PnG"), &size);
    assert_memory_equal(bytes, "\x89PNG", 4);
    free(bytes);
#if VKS_HAVE_VIDEO
    write_all_frames(in_folder("X.MP4"), 16, 16, 1, false);
    bytes = get(in_folder("X.MP4"), &size);
    assert_memory_equal(bytes + 4, "ftyp", 4);
    free(bytes);
#endif
}

/* --- y4m ------------------------------------------------------------------------------------ */

/* Compares with the expected bytes. */
static void check_y4m(const char *bytes, size_t size, uint32_t width, uint32_t height,
                      uint64_t frames, bool deep)
{
    const size_t sample = deep ? 2 : 1;
    uint32_t even_width = (width + 1) / 2 * 2;
    uint32_t even_height = (height + 1) / 2 * 2;
    char head[128];
    snprintf(head, sizeof(head), "YUV4MPEG2 W%u H%u F25:1 Ip A1:1 %s XCOLORRANGE=LIMITED\n",
             even_width, even_height, deep ? "C420p10 XYSCSS=420P10" : "C420jpeg");
    size_t at = strlen(head);
    assert_int_equal(size, at + frames * (6 + (size_t)even_width * even_height * 3 / 2 * sample));
    assert_memory_equal(bytes, head, at);
    for (uint64_t n = 0; n < frames; n++) {
        struct card card = make_card(width, height, n, false);
        assert_memory_equal(bytes + at, "FRAME\n", 6);
        at += 6;
        const uint8_t *plane = deep ? (const uint8_t *)card.yuv10 : card.yuv;
        for (size_t p = 0; p < 3; p++) {
            size_t shift = p ? 1 : 0;
            size_t stride = (card.frame.coded_width >> shift) * sample;
            for (size_t y = 0; y < even_height >> shift; y++) {
                assert_memory_equal(bytes + at, plane + y * stride, (even_width >> shift) * sample);
                at += (even_width >> shift) * sample;
            }
            plane += stride * (card.frame.coded_height >> shift);
        }
        free_card(&card);
    }
    assert_int_equal(at, size);
}

static void y4m_bytes(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{16, 8}, {5, 3}, {1, 1}, {10, 7}, {9, 16}};
    for (size_t i = 0; i < VKS_COUNT(sizes); i++) {
        for (uint32_t depth = 8; depth <= 10; depth += 2) {
            const struct vks_sink_params params = {.path = in_folder("x.y4m"),
                                                   .width = sizes[i][0],
                                                   .height = sizes[i][1],
                                                   .fps = {25, 1},
                                                   .depth = depth,
                                                   .overwrite = true};
            struct vks_sink *sink = open_params(&params);
            for (uint64_t n = 0; n < 3; n++) {
                assert_int_equal(write_card(sink, params.width, params.height, n, false), VKS_OK);
            }
            assert_int_equal(vks_sink_finish(sink), VKS_OK);
            size_t size = 0;
            char *bytes = get(params.path, &size);
            check_y4m(bytes, size, params.width, params.height, 3, depth == 10);
            free(bytes);
        }
    }
}

/* Replaces standard output by `fd`; returns the old descriptor. */
static int swap_stdout(int fd)
{
    fflush(stdout);
    int old = dup(STDOUT_FILENO);
    assert_true(old >= 0);
    assert_true(dup2(fd, STDOUT_FILENO) >= 0);
    return old;
}

static void y4m_on_standard_output(void **state)
{
    (void)state;
    const char *path = in_folder("stdout");
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    int old = swap_stdout(fd);
    close(fd);
    struct vks_sink *sink = NULL;
    enum vks_result result = open_and_start(
        &(struct vks_sink_params){.path = "-", .width = 6, .height = 6, .fps = {25, 1}}, &sink);
    for (uint64_t n = 0; n < 2 && result == VKS_OK; n++) {
        result = write_card(sink, 6, 6, n, false);
    }
    bool named = sink && strcmp(vks_sink_name(sink), "standard output") == 0;
    if (result == VKS_OK) {
        result = vks_sink_finish(sink);
    }
    bool open_still = fcntl(STDOUT_FILENO, F_GETFD) >= 0;
    close(swap_stdout(old));
    close(old);
    assert_int_equal(result, VKS_OK);
    assert_true(named);
    assert_true(open_still);
    size_t size = 0;
    char *bytes = get(path, &size);
    check_y4m(bytes, size, 6, 6, 2, false);
    free(bytes);
    assert_int_equal(count_files(false), 1);
}

static void a_closed_pipe_has_a_sentence(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    int old = swap_stdout(ends[1]);
    close(ends[1]);
    struct vks_sink *sink = NULL;
    enum vks_result opened = open_and_start(
        &(struct vks_sink_params){.path = "-", .width = 6, .height = 6, .fps = {25, 1}}, &sink);
    enum vks_result first = opened == VKS_OK ? write_card(sink, 6, 6, 0, false) : opened;
    close(ends[0]);
    enum vks_result second = opened == VKS_OK ? write_card(sink, 6, 6, 1, false) : opened;
    enum vks_result finished = opened == VKS_OK ? vks_sink_finish(sink) : opened;
    close(swap_stdout(old));
    close(old);
    assert_int_equal(first, VKS_OK);
    assert_int_equal(second, VKS_ERROR_FILE);
    assert_int_equal(finished, VKS_ERROR_FILE);
    assert_says("closed it after 1 frames");
}

static void *cancel_soon(void *sink)
{
    usleep(300000);
    vks_sink_cancel(sink);
    return NULL;
}

/* A write waits for a stalled reader until it is cancelled. */
static void a_pipe_that_nobody_reads(void **state)
{
    (void)state;
    int ends[2];
    pthread_t thread;
    assert_int_equal(pipe(ends), 0);
    int old = swap_stdout(ends[1]);
    struct vks_sink *sink = NULL;
    enum vks_result result = open_and_start(
        &(struct vks_sink_params){.path = "-", .width = 100, .height = 100, .fps = {25, 1}}, &sink);
    bool started = result == VKS_OK && pthread_create(&thread, NULL, cancel_soon, sink) == 0;
    uint64_t frames = 0;
    while (started && result == VKS_OK && frames < 100) {
        result = write_card(sink, 100, 100, frames, false);
        frames += result == VKS_OK;
    }
    if (started) {
        pthread_join(thread, NULL);
    }
    enum vks_result finished = sink ? vks_sink_finish(sink) : result;
    close(swap_stdout(old));
    close(old);
    close(ends[0]);
    close(ends[1]);
    assert_true(started);
    assert_int_equal(result, VKS_INTERRUPTED);
    assert_int_equal(finished, VKS_INTERRUPTED);
    assert_in_range(frames, 1, 4); /* of 15 000 bytes, into a pipe of 65 536 */
    char words[64];
    snprintf(words, sizeof(words), "was stalled; it has %u complete frames", (unsigned)frames);
    assert_says(words);
}

static void odd_sides_are_told_once(void **state)
{
    (void)state;
    write_all_frames(in_folder("x.y4m"), 5, 3, 3, false);
    assert_string_equal(told, "the video is 6x4: a video's sides are even, so the last column and "
                              "row of the 5x3 picture are repeated\n");
    told[0] = '\0';
    write_all_frames(in_folder("y.y4m"), 6, 3, 3, false);
    assert_non_null(strstr(told, "the video is 6x4"));
    assert_non_null(strstr(told, "the last row of the 6x3 picture is repeated"));
    told[0] = '\0';
    write_all_frames(in_folder("z.y4m"), 6, 4, 3, false);
    write_all_frames(in_folder("z.png"), 5, 3, 1, false);
    assert_string_equal(told, "");
}

/* --- png ------------------------------------------------------------------------------------ */

/* Checks that the file holds exactly the card's colours. */
static void check_png(const char *path, uint32_t width, uint32_t height, uint64_t index)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&image, path)) {
        fail_msg("%s: %s", path, image.message);
    }
    assert_int_equal(image.width, width);
    assert_int_equal(image.height, height);
    assert_int_equal(image.format, PNG_FORMAT_RGB); /* 8 bits, no alpha, no palette */
    uint8_t *pixels = malloc(PNG_IMAGE_SIZE(image));
    assert_non_null(pixels);
    assert_true(png_image_finish_read(&image, NULL, pixels, 0, NULL));
    struct card card = make_card(width, height, index, false);
    for (size_t i = 0; i < (size_t)width * height; i++) {
        assert_memory_equal(pixels + 3 * i, card.rgba + 4 * i, 3);
    }
    free_card(&card);
    free(pixels);
}

static void png_keeps_the_last_frame(void **state)
{
    (void)state;
    const char *path = in_folder("last.png");
    write_all_frames(path, 33, 17, 4, false);
    check_png(path, 33, 17, 3);
    write_all_frames(in_folder("dot.png"), 1, 1, 1, false);
    check_png(in_folder("dot.png"), 1, 1, 0);
    assert_int_equal(count_files(false), 2);
}

/* Every row of a PNG as decoded by libpng, unchanged except for the byte order. */
static uint8_t *read_png(const char *path, uint32_t *width, uint32_t *height, int *depth,
                         int *colour)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    assert_non_null(info);
    if (setjmp(png_jmpbuf(png))) {
        fail_msg("%s is damaged", path);
    }
    png_init_io(png, file);
    png_read_png(png, info, PNG_TRANSFORM_SWAP_ENDIAN, NULL);
    *width = png_get_image_width(png, info);
    *height = png_get_image_height(png, info);
    *depth = png_get_bit_depth(png, info);
    *colour = png_get_color_type(png, info);
    size_t row = png_get_rowbytes(png, info);
    uint8_t *pixels = malloc(row * *height);
    assert_non_null(pixels);
    for (uint32_t y = 0; y < *height; y++) {
        memcpy(pixels + y * row, png_get_rows(png, info)[y], row);
    }
    png_destroy_read_struct(&png, &info, NULL);
    fclose(file);
    return pixels;
}

static void png_of_16_bits(void **state)
{
    (void)state;
    struct vks_sink_params params = {
        .path = in_folder("deep%d.png"), .width = 37, .height = 11, .fps = {25, 1}, .depth = 16};
    write_cards(&params, 2);
    uint32_t width, height;
    int depth, colour;
    uint8_t *pixels = read_png(in_folder("deep1.png"), &width, &height, &depth, &colour);
    assert_int_equal(width, 37);
    assert_int_equal(height, 11);
    assert_int_equal(depth, 16);
    assert_int_equal(colour, PNG_COLOR_TYPE_RGB);
    struct card card = make_card(37, 11, 1, false);
    for (size_t i = 0; i < 37 * 11; i++) {
        assert_memory_equal(pixels + 6 * i, card.rgba16 + 4 * i, 6);
    }
    free_card(&card);
    free(pixels);
}

/* Writes two frames in bands of `rows` rows, with a survey first if they may be transparent. */
static void write_in_bands(const struct vks_sink_params *params, const struct card *card,
                           uint32_t rows, bool survey)
{
    struct vks_sink *sink = open_params(params);
    for (uint32_t pass = survey ? 0 : 1; pass < 3; pass++) {
        for (uint32_t row = 0; row < params->height; row += rows) {
            const size_t at = (size_t)row * params->width;
            struct vks_frame band = card->frame;
            band.index = pass;
            band.row = row;
            band.rows = row + rows < params->height ? rows : params->height - row;
            band.survey = pass == 0;
            band.planes[VKS_PLANE_RGBA] = card->rgba + 4 * at;
            band.planes[VKS_PLANE_RGBA16] = card->rgba16 + 4 * at;
            band.planes[VKS_PLANE_VALUES] = card->values + at;
            if (vks_sink_write(sink, &band) != VKS_OK) {
                fail_msg("%s", vks_error_text());
            }
        }
    }
    assert_int_equal(vks_sink_finish(sink), VKS_OK);
}

/* The bytes of a file do not depend on whether its frames were passed in bands. */
static void stills_in_bands(void **state)
{
    (void)state;
    static const struct {
        const char *whole, *banded;
        uint32_t depth;
        bool clear;
    } stills[] = {{"w.png", "b.png", 8, false},
                  {"w.png", "b.png", 8, true},
                  {"w.png", "b.png", 16, false},
                  {"w.png", "b.png", 16, true},
                  {"w.npy", "b.npy", 0, true}};
    for (size_t i = 0; i < VKS_COUNT(stills); i++) {
        struct vks_sink_params params = {.path = in_folder(stills[i].whole),
                                         .width = 19,
                                         .height = 23,
                                         .fps = {25, 1},
                                         .frames = 2,
                                         .overwrite = true,
                                         .depth = stills[i].depth};
        struct card card = make_card(19, 23, 1, false);
        if (stills[i].clear) { /* in the last row */
            card.rgba[4 * (19 * 22 + 5) + 3] = 7;
            card.rgba16[4 * (19 * 22 + 5) + 3] = 700;
        }
        struct vks_sink *sink = open_params(&params);
        assert_int_equal(vks_sink_write(sink, &card.frame), VKS_OK);
        assert_int_equal(vks_sink_write(sink, &card.frame), VKS_OK);
        assert_int_equal(vks_sink_finish(sink), VKS_OK);
        char *expected = NULL, *got = NULL;
        size_t expected_size, got_size;
        assert_int_equal(vks_read_file(params.path, 1 << 20, &expected, &expected_size), VKS_OK);
        for (uint32_t rows = 1; rows <= 23; rows += 11) {
            params.path = in_folder(stills[i].banded);
            write_in_bands(&params, &card, rows, stills[i].clear);
            assert_int_equal(vks_read_file(params.path, 1 << 20, &got, &got_size), VKS_OK);
            assert_int_equal(got_size, expected_size);
            assert_memory_equal(got, expected, expected_size);
            free(got);
        }
        free(expected);
        free_card(&card);
    }
}

/* Only single stills accept bands, and only in order; an incomplete picture leaves no file. */
static void bands_refused(void **state)
{
    (void)state;
    assert_true(vks_sink_takes_bands("a.png"));
    assert_true(vks_sink_takes_bands("a.npy"));
    assert_true(vks_sink_takes_bands("a%%d.png"));
    assert_false(vks_sink_takes_bands("a%d.png"));
    assert_false(vks_sink_takes_bands("a.mp4"));
    assert_false(vks_sink_takes_bands("a.y4m"));
    assert_false(vks_sink_takes_bands("-"));
    assert_false(vks_sink_takes_bands("a"));
    struct card card = make_card(8, 6, 0, false);
    for (int i = 0; i < 3; i++) {
        struct vks_sink *sink = open_sink(in_folder(i == 2 ? "x.y4m" : "x.png"), 8, 6, false);
        struct vks_frame band = card.frame;
        band.rows = 4;
        if (i < 2) {
            assert_int_equal(vks_sink_write(sink, &band), VKS_OK);
            band.row =
                i == 0 ? 0 : 4; /* the first band again; the next, but longer than the rest */
        }
        assert_int_equal(vks_sink_write(sink, &band), VKS_ERROR_USAGE);
        assert_says("are not in order");
        assert_int_equal(vks_sink_finish(sink), VKS_ERROR_USAGE);
        assert_int_equal(count_files(false), 0);
        sink = open_sink(in_folder("x.png"), 8, 6, false);
        band.row = 0;
        assert_int_equal(vks_sink_write(sink, &band), VKS_OK);
        assert_int_equal(vks_sink_finish(sink), VKS_ERROR_FILE);
        assert_says("no frame was drawn");
        assert_int_equal(count_files(false), 0);
    }
    free_card(&card);
}

/* One pixel that is not opaque, or the parameter, adds an alpha channel. */
static void png_with_alpha(void **state)
{
    (void)state;
    for (uint32_t bits = 8; bits <= 16; bits += 8) {
        for (int wished = 0; wished < 2; wished++) {
            struct vks_sink_params params = {.path = in_folder("alpha.png"),
                                             .width = 9,
                                             .height = 5,
                                             .fps = {25, 1},
                                             .overwrite = true,
                                             .depth = bits,
                                             .alpha = wished};
            struct card card = make_card(9, 5, 0, false);
            if (!wished) {
                card.rgba[4 * 44 + 3] = 7;
                card.rgba16[4 * 44 + 3] = 700;
            }
            struct vks_sink *sink = open_params(&params);
            assert_int_equal(vks_sink_write(sink, &card.frame), VKS_OK);
            assert_int_equal(vks_sink_finish(sink), VKS_OK);
            uint32_t width, height;
            int depth, colour;
            uint8_t *pixels = read_png(params.path, &width, &height, &depth, &colour);
            assert_int_equal(depth, bits);
            assert_int_equal(colour, PNG_COLOR_TYPE_RGB_ALPHA);
            assert_memory_equal(pixels, bits == 8 ? (void *)card.rgba : card.rgba16, 45 * bits / 2);
            free(pixels);
            free_card(&card);
        }
    }
}

/* A single still needs only the frame that it shows. */
static void stills_want_what_they_write(void **state)
{
    (void)state;
    struct vks_sink_params params = {
        .path = in_folder("x.png"), .width = 8, .height = 8, .fps = {25, 1}, .frames = 10};
    struct vks_sink *sink = open_params(&params);
    assert_int_equal(vks_sink_planes(sink), 1U << VKS_PLANE_RGBA);
    for (uint64_t n = 0; n < 9; n++) {
        assert_false(vks_sink_needs_frame(sink, n));
    }
    assert_true(vks_sink_needs_frame(sink, 9));
    vks_sink_abort(sink);
    params.frames = 0; /* unknown: any frame may be the last */
    sink = open_params(&params);
    assert_true(vks_sink_needs_frame(sink, 0));
    vks_sink_abort(sink);
    params.frames = 10;
    params.path = in_folder("x%d.png");
    params.depth = 16;
    sink = open_params(&params);
    assert_int_equal(vks_sink_planes(sink), 1U << VKS_PLANE_RGBA16);
    assert_true(vks_sink_needs_frame(sink, 0));
    vks_sink_abort(sink);
    params.path = in_folder("x.npy");
    params.depth = 32;
    sink = open_params(&params);
    assert_int_equal(vks_sink_planes(sink), 1U << VKS_PLANE_VALUES);
    assert_true(vks_sink_needs_frame(sink, 0));
    vks_sink_abort(sink);
}

/* The values of a .vti follow their length and precede only the closing tags. */
static void check_vti(const char *path, uint32_t width, uint32_t height, uint64_t index,
                      uint64_t step)
{
    static const char tail[] = "\n  </AppendedData>\n</VTKFile>\n";
    size_t size = 0;
    uint64_t length;
    char *bytes = get(path, &size);
    char text[128];
    struct card card = make_card(width, height, index, false);
    const size_t data = (size_t)width * height * sizeof(float);
    static const char mark[] = "encoding=\"raw\">\n_";
    size_t at = 0;
    while (at < size && strncmp(bytes + at, mark, strlen(mark)) != 0) {
        at++;
    }
    at += strlen(mark);
    assert_int_equal(at + sizeof(length) + data + sizeof(tail) - 1, size);
    memcpy(&length, bytes + at, sizeof(length));
    assert_int_equal(length, data);
    assert_memory_equal(bytes + at + sizeof(length), card.values, data);
    assert_memory_equal(bytes + size - (sizeof(tail) - 1), tail, sizeof(tail) - 1);
    snprintf(text, sizeof(text), "WholeExtent=\"0 %u 0 %u 0 0\"", width - 1, height - 1);
    assert_non_null(strstr(bytes, text));
    snprintf(text, sizeof(text), "format=\"ascii\">%llu<", (unsigned long long)step);
    assert_non_null(strstr(bytes, text));
    assert_non_null(strstr(bytes, "Name=\"trail\""));
    assert_non_null(strstr(bytes, "Origin=\"0.125 0.125 0.125\" Spacing=\"0.25 0.25 0.25\""));
    free_card(&card);
    free(bytes);
}

static void vti_bytes(void **state)
{
    (void)state;
    struct vks_sink_params params = {.path = in_folder("f%02d.vti"),
                                     .width = 13,
                                     .height = 7,
                                     .fps = {25, 1},
                                     .cells = {.list = {{.name = "trail"}}, .count = 1},
                                     .spacing = 0.25,
                                     .first_place = 0.125};
    for (int numbered = 1; numbered >= 0; numbered--) {
        struct vks_sink *sink = open_params(&params);
        assert_int_equal(vks_sink_planes(sink), 1U << VKS_PLANE_CELLS);
        for (uint64_t n = 0; n < 4; n++) {
            assert_int_equal(write_card(sink, 13, 7, n, false), VKS_OK);
        }
        assert_int_equal(vks_sink_finish(sink), VKS_OK);
        if (numbered) {
            check_vti(in_folder("f00.vti"), 13, 7, 0, 40);
            check_vti(in_folder("f03.vti"), 13, 7, 3, 49);
            params.path = in_folder("last.vti");
        } else {
            check_vti(params.path, 13, 7, 3, 49);
        }
    }
    assert_int_equal(count_files(true), 5);
}

#if VKS_HAVE_EXR
/* All rows of a channel, one of so many, as float. */
static float *read_one_of(int channels, const char *path, const char *name, uint32_t width,
                          uint32_t height, exr_pixel_type_t type)
{
    exr_context_t file;
    const exr_context_initializer_t own = EXR_DEFAULT_CONTEXT_INITIALIZER;
    float *values = calloc((size_t)width * height, sizeof(*values));
    int32_t rows = 0;
    bool found = false;
    assert_non_null(values);
    assert_int_equal(exr_start_read(&file, path, &own), EXR_ERR_SUCCESS);
    assert_int_equal(exr_get_scanlines_per_chunk(file, 0, &rows), EXR_ERR_SUCCESS);
    for (int32_t row = 0; row < (int32_t)height; row += rows) {
        exr_chunk_info_t chunk;
        exr_decode_pipeline_t decoder = EXR_DECODE_PIPELINE_INITIALIZER;
        assert_int_equal(exr_read_scanline_chunk_info(file, 0, row, &chunk), EXR_ERR_SUCCESS);
        assert_int_equal(exr_decoding_initialize(file, 0, &chunk, &decoder), EXR_ERR_SUCCESS);
        assert_int_equal(decoder.channel_count, channels);
        for (int i = 0; i < decoder.channel_count; i++) {
            exr_coding_channel_info_t *channel = &decoder.channels[i];
            if (strcmp(channel->channel_name, name) == 0) {
                found = true;
                assert_int_equal(channel->data_type, type);
                channel->decode_to_ptr = (uint8_t *)(values + (size_t)row * width);
                channel->user_data_type = EXR_PIXEL_FLOAT;
                channel->user_bytes_per_element = 4;
                channel->user_pixel_stride = 4;
                channel->user_line_stride = (int32_t)(4 * width);
            }
        }
        assert_int_equal(exr_decoding_choose_default_routines(file, 0, &decoder), EXR_ERR_SUCCESS);
        assert_int_equal(exr_decoding_run(file, 0, &decoder), EXR_ERR_SUCCESS);
        assert_int_equal(exr_decoding_destroy(file, &decoder), EXR_ERR_SUCCESS);
    }
    assert_int_equal(exr_finish(&file), EXR_ERR_SUCCESS);
    assert_true(found);
    return values;
}

static float *read_channel(const char *path, const char *name, uint32_t width, uint32_t height,
                           exr_pixel_type_t type)
{
    return read_one_of(5, path, name, width, height, type);
}

/* Values of planes, a channel each. */
static void exr_planes(void **state)
{
    (void)state;
    enum { WIDTH = 21, HEIGHT = 37, PLANES = 8 };
    const struct vks_sink_params params = {.path = in_folder("x.exr"),
                                           .width = WIDTH,
                                           .height = HEIGHT,
                                           .fps = {25, 1},
                                           .field = "trail",
                                           .value_planes = PLANES};
    struct card card = make_card(WIDTH, HEIGHT * PLANES, 2, false);
    card.frame.height = HEIGHT;
    card.frame.value_planes = PLANES;
    struct vks_sink *sink = open_params(&params);
    assert_int_equal(vks_sink_write(sink, &card.frame), VKS_OK);
    assert_int_equal(vks_sink_finish(sink), VKS_OK);
    for (size_t plane = 0; plane < PLANES; plane++) {
        char name[16];
        snprintf(name, sizeof(name), "trail.%zu", plane + 1);
        float *got = read_one_of(4 + PLANES, params.path, name, WIDTH, HEIGHT, EXR_PIXEL_FLOAT);
        assert_memory_equal(got, card.values + plane * WIDTH * HEIGHT,
                            sizeof(float) * WIDTH * HEIGHT);
        free(got);
    }
    free_card(&card);
}

static double to_linear(double v)
{
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

/* Linear light, associated alpha and the values, in halves and in floats; read by OpenEXR. */
static void exr_channels(void **state)
{
    (void)state;
    enum { WIDTH = 37, HEIGHT = 41 };
    static const char *const names[] = {"R", "G", "B", "A"};
    for (uint32_t depth = 16; depth <= 32; depth += 16) {
        const struct vks_sink_params params = {.path = in_folder("x.exr"),
                                               .width = WIDTH,
                                               .height = HEIGHT,
                                               .fps = {25, 1},
                                               .depth = depth == 16 ? 0 : depth,
                                               .field = "density",
                                               .overwrite = true};
        /* Half of the last bit; halves under the smallest normal one become 0. */
        const double error = depth == 16 ? 1.0 / 2048 : 3e-6;
        const double smallest = depth == 16 ? 6.2e-5 : 1e-7;
        struct card card = make_card(WIDTH, HEIGHT, 2, false);
        for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++) {
            card.rgba16[4 * i + 3] = (uint16_t)(65535 - 40 * i);
        }
        struct vks_sink *sink = open_params(&params);
        assert_int_equal(vks_sink_write(sink, &card.frame), VKS_OK);
        assert_int_equal(vks_sink_finish(sink), VKS_OK);
        for (size_t c = 0; c < 4; c++) {
            float *got = read_channel(params.path, names[c], WIDTH, HEIGHT,
                                      depth == 16 ? EXR_PIXEL_HALF : EXR_PIXEL_FLOAT);
            for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++) {
                const double alpha = card.rgba16[4 * i + 3] / 65535.0;
                const double colour = to_linear(card.rgba16[4 * i + c] / 65535.0) * alpha;
                const double expected = c == 3 ? alpha : colour;
                assert_true(fabs((double)got[i] - expected) <= error * expected + smallest);
            }
            free(got);
        }
        float *values = read_channel(params.path, "density", WIDTH, HEIGHT, EXR_PIXEL_FLOAT);
        assert_memory_equal(values, card.values, sizeof(float) * WIDTH * HEIGHT);
        free(values);
        free_card(&card);
    }
}
#endif

static void png_sequence(void **state)
{
    (void)state;
    write_all_frames(in_folder("a%d.png"), 20, 10, 11, false);
    check_png(in_folder("a0.png"), 20, 10, 0);
    check_png(in_folder("a10.png"), 20, 10, 10);
    assert_int_equal(count_files(true), 11);

    write_all_frames(in_folder("%05d-100%%.png"), 20, 10, 2, false);
    check_png(in_folder("00000-100%.png"), 20, 10, 0);
    check_png(in_folder("00001-100%.png"), 20, 10, 1);
    assert_int_equal(count_files(true), 2);

    write_all_frames(in_folder("%%d.png"), 20, 10, 2, false);
    check_png(in_folder("%d.png"), 20, 10, 1);
    assert_int_equal(count_files(true), 1);
}

static void png_patterns_that_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {
        "%s.png",    "%n.png",    "%.png",
        "%5d.png",   "%-5d.png",  "%0d.png",
        "%00d.png",  "%021d.png", "%099999999999d.png",
        "%ld.png",   "%d%d.png",  "%d-%s.png",
        "100%.png",  "%x.png",    "%*d.png",
        "%1$d.png",  "%.5d.png",  "%05.png",
        "%0-5d.png",
    };
    for (size_t i = 0; i < VKS_COUNT(names); i++) {
        open_refuses(in_folder(names[i]), VKS_ERROR_USAGE, "one %d or %0Nd");
        assert_says(names[i]);
    }
    assert_int_equal(count_files(false), 0);
}

/* A percent sign in a folder's name is not a pattern. */
static void png_folder_with_a_percent_sign(void **state)
{
    (void)state;
    assert_int_equal(mkdir(in_folder("50%d"), 0700), 0);
    const char *path = in_folder("50%d/f%d.png");
    write_all_frames(path, 8, 8, 1, false);
    check_png(in_folder("50%d/f0.png"), 8, 8, 0);
    assert_int_equal(unlink(in_folder("50%d/f0.png")), 0);
}

static void png_sequence_spares_old_files(void **state)
{
    (void)state;
    char path[1024];
    snprintf(path, sizeof(path), "%s", in_folder("f%03d.png"));
    struct vks_sink_params params = {
        .path = path, .width = 8, .height = 8, .fps = {25, 1}, .frames = 10};
    struct vks_sink *sink = NULL;
    put(in_folder("f009.png"), "old");
    assert_int_equal(open_and_start(&params, &sink), VKS_ERROR_EXISTS);
    assert_says("f009.png' exists already");
    params.frames = 0; /* unknown: any number is in the way */
    assert_int_equal(open_and_start(&params, &sink), VKS_ERROR_EXISTS);
    params.frames = 9;
    assert_int_equal(open_and_start(&params, &sink), VKS_OK);
    vks_sink_abort(sink);
    /* Names that do not match. */
    put(in_folder("f01.png"), "");
    put(in_folder("f0001.png"), "");
    put(in_folder("f00x.png"), "");
    put(in_folder("f.png"), "");
    put(in_folder("g000.png"), "");
    assert_int_equal(open_and_start(&params, &sink), VKS_OK);
    /* A file created after the check. */
    put(in_folder("f001.png"), "new");
    assert_int_equal(write_card(sink, 8, 8, 0, false), VKS_OK);
    assert_int_equal(write_card(sink, 8, 8, 1, false), VKS_ERROR_EXISTS);
    assert_says("f001.png' exists already");
    vks_sink_abort(sink);
    assert_holds(in_folder("f001.png"), "new");
    assert_holds(in_folder("f009.png"), "old");
    assert_false(exists(in_folder("f000.png")));

    params.overwrite = true;
    assert_int_equal(open_and_start(&params, &sink), VKS_OK);
    assert_int_equal(write_card(sink, 8, 8, 0, false), VKS_OK);
    assert_int_equal(write_card(sink, 8, 8, 1, false), VKS_OK);
    assert_int_equal(vks_sink_finish(sink), VKS_OK);
    check_png(in_folder("f001.png"), 8, 8, 1);
}

static void png_sequence_keeps_complete_stills_of_a_failed_run(void **state)
{
    (void)state;
    for (int aborted = 0; aborted < 2; aborted++) {
        struct vks_sink *sink = open_sink(in_folder("f%d.png"), 64, 64, false);
        assert_int_equal(write_card(sink, 64, 64, 0, false), VKS_OK);
        while (!exists(in_folder("f0.png"))) { /* written by one of the sink's threads */
            usleep(1000);
        }
        limit_files(2000);
        enum vks_result result = VKS_OK;
        for (uint64_t n = 1; n < 1000 && result == VKS_OK; n++) {
            result = write_card(sink, 64, 64, n, true);
        }
        if (aborted) {
            vks_sink_abort(sink);
        } else {
            assert_int_equal(vks_sink_finish(sink), result);
        }
        unlimit_files();
        assert_int_equal(result, VKS_ERROR_FILE);
        assert_says("limit");
        if (!aborted) {
            check_png(in_folder("f0.png"), 64, 64, 0);
        }
        assert_int_equal(count_files(true), aborted ? 0 : 1);
    }
}

/* A failure of the last picture is reported at the end of the sequence. */
static void png_sequence_fails_at_its_end(void **state)
{
    (void)state;
    struct vks_sink *sink = open_sink(in_folder("f%d.png"), 64, 64, false);
    limit_files(2000);
    enum vks_result written = write_card(sink, 64, 64, 0, true);
    enum vks_result finished = vks_sink_finish(sink);
    unlimit_files();
    assert_int_equal(written, VKS_OK);
    assert_int_equal(finished, VKS_ERROR_FILE);
    assert_says("f0.png': the file would be larger than the limit");
    assert_int_equal(count_files(false), 0);
}

/* Many pictures in flight at once, each under its own number. */
static void png_sequence_of_many(void **state)
{
    (void)state;
    write_all_frames(in_folder("f%03d.png"), 40, 30, 200, false);
    for (uint64_t n = 0; n < 200; n += 7) {
        char name[32];
        snprintf(name, sizeof(name), "f%03u.png", (unsigned)n);
        check_png(in_folder(name), 40, 30, n);
    }
    assert_int_equal(count_files(false), 200);
}

static void one_still(void **state)
{
    (void)state;
    struct card card = make_card(21, 9, 0, false);
    const char *path = in_folder("%d still.png"); /* not a pattern for this function */
    assert_int_equal(vks_write_png(path, card.rgba, 21, 9, NULL, false), VKS_OK);
    check_png(path, 21, 9, 0);
    assert_int_equal(vks_write_png(path, card.rgba, 21, 9, NULL, false), VKS_ERROR_EXISTS);
    assert_says("exists already");
    assert_int_equal(vks_write_png(path, card.rgba, 21, 9, NULL, true), VKS_OK);
    assert_int_equal(vks_write_png(in_folder("none/x.png"), card.rgba, 21, 9, NULL, true),
                     VKS_ERROR_FILE);
    assert_int_equal(vks_write_png(path, card.rgba, 0, 9, NULL, true), VKS_ERROR_FILE);
    assert_says("libpng");
    check_png(path, 21, 9, 0);
    assert_int_equal(count_files(false), 1);
    free_card(&card);
}

/* --- npy ------------------------------------------------------------------------------------ */

/* Checks for a float32 array with that shape as NumPy writes it, holding the cards from `first`. */
static void check_npy(const char *path, const char *shape, uint32_t width, uint32_t height,
                      uint64_t first, uint64_t frames)
{
    size_t size = 0;
    char *bytes = get(path, &size);
    char text[160];
    snprintf(text, sizeof(text), "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }", shape);
    assert_memory_equal(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
    assert_memory_equal(bytes + 10, text, strlen(text));
    assert_int_equal(bytes[127], '\n');
    assert_int_equal(size, 128 + frames * width * height * 4);
    for (uint64_t n = 0; n < frames; n++) {
        struct card card = make_card(width, height, first + n, false);
        assert_memory_equal(bytes + 128 + n * width * height * 4, card.values,
                            (size_t)width * height * 4);
        free_card(&card);
    }
    free(bytes);
}

static void npy_of_all_frames(void **state)
{
    (void)state;
    write_all_frames(in_folder("a.npy"), 7, 5, 3, false);
    check_npy(in_folder("a.npy"), "(3, 5, 7)", 7, 5, 0, 3);
    write_all_frames(in_folder("a%%d.npy"), 1, 1, 1, false);
    check_npy(in_folder("a%d.npy"), "(1, 1, 1)", 1, 1, 0, 1);
    /* Ended early, with a thousand expected. */
    struct vks_sink_params params = {
        .path = in_folder("b.npy"), .width = 7, .height = 5, .fps = {25, 1}, .frames = 1000};
    write_cards(&params, 12);
    check_npy(params.path, "(12, 5, 7)", 7, 5, 0, 12);
}

/* Fields of three planes of 5 rows, which are in memory what a field of 15 is. */
static void npy_of_planes(void **state)
{
    (void)state;
    struct vks_sink_params params = {.path = in_folder("a.npy"),
                                     .width = 7,
                                     .height = 5,
                                     .fps = {25, 1},
                                     .frames = 2,
                                     .value_planes = 3};
    for (int numbered = 0; numbered < 2; numbered++) {
        params.path = in_folder(numbered ? "a%d.npy" : "a.npy");
        struct vks_sink *sink = open_params(&params);
        for (uint64_t i = 0; i < 2; i++) {
            struct card card = make_card(7, 15, i, false);
            card.frame.height = 5;
            card.frame.value_planes = 3;
            assert_int_equal(vks_sink_write(sink, &card.frame), VKS_OK);
            free_card(&card);
        }
        assert_int_equal(vks_sink_finish(sink), VKS_OK);
    }
    params.overwrite = true;
    struct vks_sink *other = open_params(&params);
    assert_int_equal(write_card(other, 7, 5, 0, false), VKS_ERROR_USAGE);
    assert_says("a frame with 1 plane of values does not fit");
    vks_sink_abort(other);
    check_npy(in_folder("a.npy"), "(2, 3, 5, 7)", 7, 15, 0, 2);
    check_npy(in_folder("a0.npy"), "(3, 5, 7)", 7, 15, 0, 1);
    check_npy(in_folder("a1.npy"), "(3, 5, 7)", 7, 15, 1, 1);
}

static void npy_of_one_frame(void **state)
{
    (void)state;
    struct vks_sink_params params = {
        .path = in_folder("a.npy"), .width = 40, .height = 30, .fps = {25, 1}, .frames = 1};
    write_cards(&params, 1);
    check_npy(params.path, "(30, 40)", 40, 30, 0, 1);
    params.path = in_folder("a%03d.npy");
    params.frames = 2;
    write_cards(&params, 2);
    check_npy(in_folder("a000.npy"), "(30, 40)", 40, 30, 0, 1);
    check_npy(in_folder("a001.npy"), "(30, 40)", 40, 30, 1, 1);
    assert_int_equal(count_files(false), 3);
    params_refused(&params, VKS_ERROR_EXISTS, "a000.npy' exists already");
}

/* --- mp4 ------------------------------------------------------------------------------------ */

#if VKS_HAVE_VIDEO

/* Mean absolute difference of a plane, in levels. */
static double difference(const uint8_t *a, size_t a_stride, const uint8_t *b, size_t b_stride,
                         size_t width, size_t height)
{
    double sum = 0;
    for (size_t y = 0; y < height; y++) {
        for (size_t x = 0; x < width; x++) {
            sum += fabs((double)a[y * a_stride + x] - b[y * b_stride + x]);
        }
    }
    return sum / (double)(width * height);
}

static void check_decoded(const AVFrame *frame, uint32_t width, uint32_t height, uint64_t index)
{
    assert_int_equal(frame->width, (width + 1) / 2 * 2);
    assert_int_equal(frame->height, (height + 1) / 2 * 2);
    assert_int_equal(frame->format, AV_PIX_FMT_YUV420P);
    assert_int_equal(frame->color_range, AVCOL_RANGE_MPEG);
    assert_int_equal(frame->colorspace, AVCOL_SPC_BT709);
    assert_int_equal(frame->color_primaries, AVCOL_PRI_BT709);
    assert_int_equal(frame->color_trc, AVCOL_TRC_BT709);
    struct card card = make_card(width, height, index, false);
    const uint8_t *plane = card.yuv;
    for (size_t p = 0; p < 3; p++) {
        size_t shift = p ? 1 : 0;
        size_t stride = card.frame.coded_width >> shift;
        double off = difference(frame->data[p], (size_t)frame->linesize[p], plane, stride,
                                (size_t)frame->width >> shift, (size_t)frame->height >> shift);
        if (off > 4) {
            fail_msg("frame %u of %ux%u: plane %zu is off by %g", (unsigned)index, width, height, p,
                     off);
        }
        plane += stride * (card.frame.coded_height >> shift);
    }
    free_card(&card);
}

/* Calls `check` with every frame of a file's only stream; returns their number. */
static uint64_t decode(const char *path, enum AVCodecID codec_id,
                       void (*check)(const AVFrame *frame, uint64_t index, void *user), void *user)
{
    char url[1100];
    snprintf(url, sizeof(url), "file:%s", path);
    AVFormatContext *format = NULL;
    assert_int_equal(avformat_open_input(&format, url, NULL, NULL), 0);
    assert_true(avformat_find_stream_info(format, NULL) >= 0);
    assert_int_equal(format->nb_streams, 1);
    const AVStream *stream = format->streams[0];
    assert_int_equal(stream->codecpar->codec_id, codec_id);
    const AVCodec *decoder = avcodec_find_decoder(codec_id);
    assert_non_null(decoder);
    AVCodecContext *codec = avcodec_alloc_context3(decoder);
    assert_non_null(codec);
    assert_int_equal(avcodec_parameters_to_context(codec, stream->codecpar), 0);
    codec->thread_count = 1;
    assert_int_equal(avcodec_open2(codec, decoder, NULL), 0);
    uint64_t frames = 0;
    AVPacket *packet = av_packet_alloc();
    AVFrame *frame = av_frame_alloc();
    assert_non_null(packet);
    assert_non_null(frame);
    bool more = true;
    while (more) {
        more = av_read_frame(format, packet) >= 0;
        assert_int_equal(avcodec_send_packet(codec, more ? packet : NULL), 0);
        av_packet_unref(packet);
        while (avcodec_receive_frame(codec, frame) >= 0) {
            check(frame, frames++, user);
        }
    }
    av_frame_free(&frame);
    av_packet_free(&packet);
    avcodec_free_context(&codec);
    avformat_close_input(&format);
    return frames;
}

static void check_card(const AVFrame *frame, uint64_t index, void *user)
{
    const uint32_t *size = user;
    check_decoded(frame, size[0], size[1], index);
    if (size[2]) {
        assert_int_equal(frame->chroma_location, AVCHROMA_LOC_CENTER);
    }
}

/* The frames are the test cards, in order, at 25 frames per second. */
static void check_video(const char *path, enum AVCodecID codec_id, uint32_t width, uint32_t height,
                        uint64_t frames)
{
    /* AV1 cannot express centred chroma. */
    uint32_t size[3] = {width, height, codec_id != AV_CODEC_ID_AV1};
    char url[1100];
    snprintf(url, sizeof(url), "file:%s", path);
    AVFormatContext *format = NULL;
    assert_int_equal(avformat_open_input(&format, url, NULL, NULL), 0);
    assert_true(avformat_find_stream_info(format, NULL) >= 0);
    assert_int_equal(av_cmp_q(format->streams[0]->avg_frame_rate, (AVRational){25, 1}), 0);
    assert_true(fabs((double)format->duration / AV_TIME_BASE - (double)frames / 25) < 2e-3);
    avformat_close_input(&format);
    assert_int_equal(decode(path, codec_id, check_card, size), frames);
}

static void check_mp4(const char *path, uint32_t width, uint32_t height, uint64_t frames)
{
    check_video(path, AV_CODEC_ID_H264, width, height, frames);
}

/* Offset of a top-level box, or -1. */
static long find_box(const char *bytes, size_t size, const char *name)
{
    size_t at = 0;
    while (at + 8 <= size) {
        const uint8_t *head = (const uint8_t *)bytes + at;
        size_t length =
            (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | (size_t)head[3];
        if (memcmp(head + 4, name, 4) == 0) {
            return (long)at;
        }
        if (length < 8) {
            return -1;
        }
        at += length;
    }
    return -1;
}

static void mp4_decodes_to_its_frames(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{96, 64}, {65, 47}, {130, 99}, {2, 2}, {1, 1}, {16, 7}};
    for (size_t i = 0; i < VKS_COUNT(sizes); i++) {
        const char *path = in_folder("x.mp4");
        write_all_frames(path, sizes[i][0], sizes[i][1], 30, true);
        check_mp4(path, sizes[i][0], sizes[i][1], 30);
    }
    assert_int_equal(count_files(false), 1);
}

/* The colours of the bars, of the frame near the end that depends on no other. */
static void mp4_shows_a_picture(void **state)
{
    (void)state;
    const char *path = in_folder("x.mp4");
    uint32_t width, height;
    uint8_t *rgba;
    write_all_frames(path, 128, 96, 120, false);
    assert_int_equal(vks_sink_picture(path, &width, &height, &rgba), VKS_OK);
    assert_int_equal(width, 128);
    assert_int_equal(height, 96);
    for (size_t bar = 0; bar < 8; bar++) {
        for (size_t c = 0; c < 4; c++) {
            const int off = rgba[(40 * 128 + bar * 16 + 8) * 4 + c] - (c < 3 ? bars[bar][c] : 255);
            assert_true(off > -8 && off < 8);
        }
    }
    assert_true(rgba[(4 * 128 + 36) * 4] > 200); /* the white block of frame 100 on cyan */
    free(rgba);
    put(path, "text");
    assert_int_equal(vks_sink_picture(path, &width, &height, &rgba), VKS_ERROR_FILE);
    assert_says("x.mp4'");
    assert_int_equal(vks_sink_picture(in_folder("x.png"), &width, &height, &rgba), VKS_ERROR_FILE);
}

static void check_loop(const AVFrame *frame, uint64_t index, void *user)
{
    (void)user;
    if (index < 20) { /* what follows is blended */
        check_decoded(frame, 96, 64, index + 10);
    }
}

static void mp4_loops(void **state)
{
    (void)state;
    const char *path = in_folder("x.mp4");
    write_cards(
        &(struct vks_sink_params){
            .path = path, .width = 96, .height = 64, .fps = {25, 1}, .fade = 10, .overwrite = true},
        40);
    assert_int_equal(decode(path, AV_CODEC_ID_H264, check_loop, NULL), 30);
}

/* libav must not interpret "pipe:" as a protocol, nor "%d" as a pattern. */
static void mp4_with_odd_characters_in_its_name(void **state)
{
    (void)state;
    int here = open(".", O_RDONLY);
    assert_true(here >= 0);
    assert_int_equal(chdir(folder), 0);
    write_all_frames("pipe:%s,y.mp4", 32, 32, 3, false);
    check_mp4("pipe:%s,y.mp4", 32, 32, 3);
    assert_int_equal(fchdir(here), 0);
    close(here);
    assert_int_equal(count_files(false), 1);
}

static void mp4_plays_from_its_beginning(void **state)
{
    (void)state;
    const char *path = in_folder("x.mp4");
    write_all_frames(path, 96, 64, 60, false);
    size_t size = 0;
    char *bytes = get(path, &size);
    long index = find_box(bytes, size, "moov");
    long data = find_box(bytes, size, "mdat");
    assert_true(index > 0);
    assert_true(data > index);
    free(bytes);
}

static void mp4_ends_early(void **state)
{
    (void)state;
    const char *path = in_folder("x.mp4");
    for (uint64_t frames = 1; frames <= 3; frames++) {
        struct vks_sink *sink = NULL;
        assert_int_equal(open_and_start(&(struct vks_sink_params){.path = path,
                                                                  .width = 48,
                                                                  .height = 48,
                                                                  .fps = {25, 1},
                                                                  .frames = 1000,
                                                                  .overwrite = true},
                                        &sink),
                         VKS_OK);
        for (uint64_t n = 0; n < frames; n++) {
            assert_int_equal(write_card(sink, 48, 48, n, false), VKS_OK);
        }
        assert_int_equal(vks_sink_finish(sink), VKS_OK);
        check_mp4(path, 48, 48, frames);
    }
}

/* A disk that fills up at any point of the completion, while the index moves to the front. */
static void mp4_disk_full_at_the_end(void **state)
{
    (void)state;
    const char *path = in_folder("x.mp4");
    write_all_frames(path, 64, 64, 5, false);
    size_t size = 0;
    free(get(path, &size));
    const size_t limits[] = {size - 1, size - 100, size - 700, size / 2, 40};
    for (size_t i = 0; i < VKS_COUNT(limits); i++) {
        assert_int_equal(unlink(path), 0);
        struct vks_sink *sink = open_sink(path, 64, 64, false);
        for (uint64_t n = 0; n < 5; n++) {
            assert_int_equal(write_card(sink, 64, 64, n, false), VKS_OK);
        }
        limit_files(limits[i]);
        enum vks_result result = vks_sink_finish(sink);
        unlimit_files();
        assert_int_equal(result, VKS_ERROR_FILE);
        assert_says("x.mp4': the file would be larger than the limit");
        assert_int_equal(count_files(false), 0);
        put(path, "");
    }
    assert_int_equal(unlink(path), 0);
    write_all_frames(path, 64, 64, 5, false);
    check_mp4(path, 64, 64, 5);
}

/* Encoders of libav hidden from the sinks. */
static unsigned hidden;

static const AVCodec *unless_hidden(const AVCodec *codec)
{
    return codec && ((codec->id == AV_CODEC_ID_H264 && hidden >> VKS_ENCODER_H264 & 1) ||
                     (codec->id == AV_CODEC_ID_HEVC && hidden >> VKS_ENCODER_H265 & 1) ||
                     (codec->id == AV_CODEC_ID_VP9 && hidden >> VKS_ENCODER_VP9 & 1) ||
                     (codec->id == AV_CODEC_ID_AV1 && hidden >> VKS_ENCODER_AV1 & 1))
               ? NULL
               : codec;
}

static const AVCodec *find_encoder(enum AVCodecID id)
{
    return unless_hidden(avcodec_find_encoder(id));
}

static const AVCodec *find_encoder_by_name(const char *name)
{
    return unless_hidden(avcodec_find_encoder_by_name(name));
}

static void encoders_that_libav_lacks(void **state)
{
    (void)state;
    struct vks_sink_params params = {
        .path = in_folder("x.mp4"), .width = 64, .height = 64, .fps = {25, 1}};
    assert_int_equal(vks_libav_load(params.path), VKS_OK);
    const struct vks_av libav = vks_av;
    vks_av.avcodec_find_encoder = find_encoder;
    vks_av.avcodec_find_encoder_by_name = find_encoder_by_name;
    hidden = 1U << VKS_ENCODER_H264;
    params_refused(&params, VKS_ERROR_FILE,
                   "libav has no h264 encoder; for .mp4 files it has h265 and av1;");
    hidden |= 1U << VKS_ENCODER_AV1;
    params.encoder = VKS_ENCODER_AV1;
    params_refused(&params, VKS_ERROR_FILE, "no av1 encoder; for .mp4 files it has h265;");
    hidden = 0;
    params.encoder = VKS_ENCODER_VP9;
    params_refused(&params, VKS_ERROR_USAGE,
                   "does not support --encoder vp9; .mp4 files support h264, h265 and av1");
    params.path = in_folder("x.webm");
    params.encoder = VKS_ENCODER_H264;
    params_refused(&params, VKS_ERROR_USAGE,
                   "does not support --encoder h264; .webm files support vp9 and av1");
    params.encoder = VKS_ENCODER_AUTO;
    hidden = ~0U;
    params_refused(&params, VKS_ERROR_FILE, "no vp9 encoder; for .webm files it has none;");
    vks_av = libav;
}

static const struct {
    const char *name;
    enum vks_encoder encoder;
    enum AVCodecID id;
    uint32_t max_crf;
} videos[] = {
    {"x.mp4", VKS_ENCODER_AUTO, AV_CODEC_ID_H264, 51},
    {"x.mp4", VKS_ENCODER_H265, AV_CODEC_ID_HEVC, 51},
    {"x.mp4", VKS_ENCODER_AV1, AV_CODEC_ID_AV1, 63},
    {"x.webm", VKS_ENCODER_AUTO, AV_CODEC_ID_VP9, 63},
    {"x.webm", VKS_ENCODER_AV1, AV_CODEC_ID_AV1, 63},
    {"x.mkv", VKS_ENCODER_AUTO, AV_CODEC_ID_H264, 51},
    {"x.mkv", VKS_ENCODER_H265, AV_CODEC_ID_HEVC, 51},
    {"x.mkv", VKS_ENCODER_VP9, AV_CODEC_ID_VP9, 63},
    {"x.mkv", VKS_ENCODER_AV1, AV_CODEC_ID_AV1, 63},
};

static void every_encoder_in_every_container(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{96, 64}, {67, 65}, {17, 16}};
    for (size_t i = 0; i < VKS_COUNT(videos); i++) {
        for (size_t j = 0; j < VKS_COUNT(sizes); j++) {
            struct vks_sink_params params = {.path = in_folder(videos[i].name),
                                             .width = sizes[j][0],
                                             .height = sizes[j][1],
                                             .fps = {25, 1},
                                             .overwrite = true,
                                             .encoder = videos[i].encoder};
            write_cards(&params, 20);
            check_video(params.path, videos[i].id, sizes[j][0], sizes[j][1], 20);
        }
    }
}

static size_t size_with_crf(struct vks_sink_params params, uint32_t crf)
{
    size_t size = 0;
    params.has_crf = true;
    params.crf = crf;
    write_cards(&params, 10);
    free(get(params.path, &size));
    return size;
}

static void crf_sets_the_quality(void **state)
{
    (void)state;
    for (size_t i = 0; i < VKS_COUNT(videos); i++) {
        struct vks_sink_params params = {.path = in_folder(videos[i].name),
                                         .width = 96,
                                         .height = 64,
                                         .fps = {25, 1},
                                         .overwrite = true,
                                         .encoder = videos[i].encoder};
        const size_t fine = size_with_crf(params, 1);
        const size_t coarse = size_with_crf(params, videos[i].max_crf);
        if (fine <= coarse) {
            fail_msg("%s by %s: %zu bytes are not more than %zu", videos[i].name,
                     vks_encoder_names[videos[i].encoder], fine, coarse);
        }
        assert_int_equal(count_files(true), 1);
        params.has_crf = true;
        params.crf = videos[i].max_crf + 1;
        params_refused(&params, VKS_ERROR_USAGE,
                       videos[i].max_crf == 51 ? "supports 0 (best) to 51 (smallest)"
                                               : "--crf 64 is out of range: ");
    }
}

static void too_large_for_an_encoder(void **state)
{
    (void)state;
    for (size_t i = 0; i < VKS_COUNT(videos); i++) {
        struct vks_sink_params params = {.path = in_folder(videos[i].name),
                                         .width = 16386,
                                         .height = 64,
                                         .fps = {25, 1},
                                         .encoder = videos[i].encoder};
        params_refused(&params, VKS_ERROR_USAGE, "16384 pixels per side");
        assert_says("not 16386x64; use .png");
        params.width = 16384;
        params.height = 16384;
        params_refused(&params, VKS_ERROR_USAGE, "268 million in total, not 16384x16384");
    }
    struct vks_sink_params params = {
        .path = in_folder("x.mp4"), .width = 14, .height = 64, .fps = {25, 1}};
    params.encoder = VKS_ENCODER_H265;
    params_refused(&params, VKS_ERROR_USAGE, "h265 supports 16 to 16384 pixels per side");
    params.path = in_folder("x.gif");
    params.encoder = VKS_ENCODER_AUTO;
    params.width = 65536;
    params_refused(&params, VKS_ERROR_USAGE, "at most 65535 pixels per side, not 65536x64");
}

/* The largest accepted side can also be encoded. */
static void as_large_as_an_encoder_takes(void **state)
{
    (void)state;
    struct vks_sink_params params = {
        .path = in_folder("x.mp4"), .width = 16384, .height = 2, .fps = {25, 1}};
    write_cards(&params, 2);
    check_video(params.path, AV_CODEC_ID_H264, 16384, 2, 2);
}

/* --- gif ------------------------------------------------------------------------------------ */

struct animation {
    uint32_t width, height;
    uint32_t rate;
    double worst_block, worst_pixel; /* mean of 8 x 8 pixels, and any pixel: error in levels */
    double sum_blocks, blocks;       /* for the mean of all blocks */
    uint64_t crowded;                /* first frame with too many colours for a palette */
};

/* Colours that no palette of 256 holds; or, before `crowded`, the test card. */
static struct card animation_card(const struct animation *animation, uint64_t index)
{
    struct card card = make_card(animation->width, animation->height, index, false);
    for (uint32_t y = 0; y < animation->height && index >= animation->crowded; y++) {
        for (uint32_t x = 0; x < animation->width; x++) {
            uint8_t *pixel = card.rgba + ((size_t)y * animation->width + x) * 4;
            pixel[0] = (uint8_t)(x * 255 / animation->width);
            pixel[1] = (uint8_t)(y * 255 / animation->height);
            pixel[2] = (uint8_t)((x + y) * 127 / animation->width + index);
        }
    }
    return card;
}

static void check_animation(const AVFrame *frame, uint64_t index, void *user)
{
    struct animation *animation = user;
    assert_int_equal(frame->width, animation->width);
    assert_int_equal(frame->height, animation->height);
    assert_int_equal(frame->format, AV_PIX_FMT_BGRA);
    assert_int_equal(frame->pts, (index * 100 + animation->rate / 2) / animation->rate);
    struct card card = animation_card(animation, index);
    for (uint32_t y = 0; y + 8 <= animation->height; y += 8) {
        for (uint32_t x = 0; x + 8 <= animation->width; x += 8) {
            for (size_t c = 0; c < 3; c++) {
                double sum = 0;
                for (uint32_t i = 0; i < 64; i++) {
                    const uint32_t row = y + i / 8, column = x + i % 8;
                    const double off =
                        (double)frame->data[0][(size_t)row * (size_t)frame->linesize[0] +
                                               column * 4 + 2 - c] -
                        card.rgba[((size_t)row * animation->width + column) * 4 + c];
                    sum += off;
                    animation->worst_pixel = fmax(animation->worst_pixel, fabs(off));
                }
                animation->worst_block = fmax(animation->worst_block, fabs(sum / 64));
                animation->sum_blocks += fabs(sum / 64);
                animation->blocks++;
            }
        }
    }
    free_card(&card);
}

static void write_animation(struct animation *animation, const char *path, uint64_t frames,
                            uint32_t fps)
{
    struct vks_sink *sink = open_params(&(struct vks_sink_params){
        .path = path, .width = animation->width, .height = animation->height, .fps = {fps, 1}});
    for (uint64_t n = 0; n < frames; n++) {
        struct card card = animation_card(animation, n);
        assert_int_equal(vks_sink_write(sink, &card.frame), VKS_OK);
        free_card(&card);
        assert_int_equal(count_files(false), 2); /* the part file, and that of the frames */
    }
    if (vks_sink_finish(sink) != VKS_OK) {
        fail_msg("%s", vks_error_text());
    }
    assert_int_equal(decode(path, AV_CODEC_ID_GIF, check_animation, animation), frames);
    assert_int_equal(count_files(true), 1);
}

/* With as many colours as a palette holds, every pixel is exact. */
static void gif_keeps_few_colours(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{96, 64}, {65, 47}, {200, 16}, {1, 1}, {9, 8}};
    for (size_t i = 0; i < VKS_COUNT(sizes); i++) {
        struct animation animation = {
            .width = sizes[i][0], .height = sizes[i][1], .rate = 25, .crowded = UINT64_MAX};
        write_animation(&animation, in_folder("x.gif"), 12, 25);
        assert_true(animation.worst_pixel == 0);
    }
    assert_string_equal(told, "");
}

static void gif_mixes_many_colours(void **state)
{
    (void)state;
    for (uint64_t crowded = 0; crowded < 3; crowded++) {
        struct animation animation = {.width = 160, .height = 160, .rate = 25, .crowded = crowded};
        write_animation(&animation, in_folder("x.gif"), 5, 25);
        assert_true(animation.sum_blocks / animation.blocks < 3);
        assert_true(animation.worst_block < 25);
        assert_true(animation.worst_pixel < 140);
    }
}

/* Delays are in hundredths of a second; players honour no less than two. */
static void gif_pauses(void **state)
{
    (void)state;
    static const uint32_t rates[][2] = {{30, 30}, {24, 24}, {1, 1}, {50, 50}, {60, 50}, {1000, 50}};
    for (size_t i = 0; i < VKS_COUNT(rates); i++) {
        struct animation animation = {
            .width = 16, .height = 16, .rate = rates[i][1], .crowded = UINT64_MAX};
        told[0] = '\0';
        write_animation(&animation, in_folder("x.gif"), 10, rates[i][0]);
        if (rates[i][0] == rates[i][1]) {
            assert_string_equal(told, "");
        } else {
            assert_non_null(strstr(told, "x.gif' will play at 50 frames per second, not "));
        }
    }
}

static void palettes(void **state)
{
    (void)state;
    struct vks_colour_counts *counts = vks_colour_counts_create();
    uint8_t palette[256][3];
    assert_non_null(counts);
    /* Fewer colours than allowed: exactly those. */
    static const uint8_t few[][3] = {{0, 0, 0}, {255, 255, 255}, {200, 10, 30}};
    for (size_t i = 0; i < VKS_COUNT(few); i++) {
        vks_colour_count(counts, few[i], 1000000 >> (8 * i));
    }
    assert_int_equal(vks_palette_make(counts, 255, palette), 3);
    for (size_t i = 0; i < VKS_COUNT(few); i++) {
        bool found = false;
        for (size_t j = 0; j < 3; j++) {
            found = found || memcmp(palette[j], few[i], 3) == 0;
        }
        assert_true(found);
    }
    /* A grey ramp of 64 in 8 colours: the error stays small although black occurs a million times.
     */
    for (int i = 0; i < 64; i++) {
        const uint8_t grey[3] = {(uint8_t)(i * 4), (uint8_t)(i * 4), (uint8_t)(i * 4)};
        vks_colour_count(counts, grey, 100);
    }
    struct vks_mixer mixer = {.count = vks_palette_make(counts, 8, palette)};
    assert_int_equal(mixer.count, 8);
    memcpy(mixer.palette, palette, sizeof(palette));
    vks_mixer_prepare(&mixer);
    for (int i = 8; i < 60; i++) {
        const uint8_t grey[3] = {(uint8_t)(i * 4), (uint8_t)(i * 4), (uint8_t)(i * 4)};
        const struct vks_mixture mixture = vks_mixer_find(&mixer, grey);
        double sum = 0;
        for (uint32_t j = 0; j < 64; j++) {
            sum += mixer.palette[vks_mixture_at(&mixture, j % 8, j / 8)][1];
        }
        assert_true(fabs(sum / 64 - i * 4) < 12);
    }
    vks_colour_counts_destroy(counts);
    vks_colour_counts_destroy(NULL);
}

#endif

#define TEST(function) cmocka_unit_test_teardown(function, clear_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(refuses_names_that_mean_nothing),
        TEST(refuses_sizes_that_mean_nothing),
        TEST(refuses_options_of_other_formats),
        TEST(refuses_paths_that_cannot_be),
        TEST(the_name_comes_last),
        TEST(abort_leaves_nothing),
        TEST(no_frame_is_no_file),
        TEST(replaces_the_old_file_at_the_end),
        TEST(a_wrong_frame_fails_for_good),
        TEST(a_full_disk_leaves_nothing_but_the_old_file),
        TEST(upper_case_is_fine),
        TEST(y4m_bytes),
        TEST(y4m_on_standard_output),
        TEST(a_closed_pipe_has_a_sentence),
        TEST(a_pipe_that_nobody_reads),
        TEST(odd_sides_are_told_once),
        TEST(png_keeps_the_last_frame),
        TEST(png_of_16_bits),
        TEST(png_with_alpha),
        TEST(stills_in_bands),
        TEST(bands_refused),
        TEST(stills_want_what_they_write),
        TEST(vti_bytes),
#if VKS_HAVE_EXR
        TEST(exr_channels),
        TEST(exr_planes),
#endif
        TEST(png_sequence),
        TEST(png_patterns_that_are_refused),
        TEST(png_folder_with_a_percent_sign),
        TEST(png_sequence_spares_old_files),
        TEST(png_sequence_keeps_complete_stills_of_a_failed_run),
        TEST(png_sequence_fails_at_its_end),
        TEST(png_sequence_of_many),
        TEST(one_still),
        TEST(npy_of_all_frames),
        TEST(npy_of_one_frame),
        TEST(npy_of_planes),
#if VKS_HAVE_VIDEO
        TEST(mp4_decodes_to_its_frames),
        TEST(mp4_shows_a_picture),
        TEST(mp4_loops),
        TEST(mp4_with_odd_characters_in_its_name),
        TEST(mp4_plays_from_its_beginning),
        TEST(mp4_ends_early),
        TEST(mp4_disk_full_at_the_end),
        TEST(encoders_that_libav_lacks),
        TEST(every_encoder_in_every_container),
        TEST(crf_sets_the_quality),
        TEST(too_large_for_an_encoder),
        TEST(as_large_as_an_encoder_takes),
        TEST(gif_keeps_few_colours),
        TEST(gif_mixes_many_colours),
        TEST(gif_pauses),
        TEST(palettes),
#endif
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
