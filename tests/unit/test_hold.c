/* SPDX-License-Identifier: MIT */
/* Outputs that a later process continues. A process holds its output, writes more frames and ends
 * as if it were killed; others go on from the position. What the last one completes equals what one
 * process writes. */
#define _DEFAULT_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "folder.h"
#include "frames/sink.h"
#if VKS_HAVE_VIDEO
#include "frames/libav.h"
#endif

enum { SIDE = 64, FRAMES = 12 };

static int make_folder(void **state)
{
    (void)state;
    setenv("SVT_LOG", "-1", 1);
    return create_folder("hold");
}

static int clear_folder(void **state)
{
    (void)state;
    count_files(true);
    return 0;
}

static void assert_same(const char *a, const char *b)
{
    size_t a_size = 0, b_size = 0;
    char *a_bytes = get(a, &a_size), *b_bytes = get(b, &b_size);
    if (a_size != b_size || memcmp(a_bytes, b_bytes, a_size) != 0) {
        fail_msg("'%s' (%zu bytes) and '%s' (%zu bytes) differ", a, a_size, b, b_size);
    }
    free(a_bytes);
    free(b_bytes);
}

/* --- frames ---------------------------------------------------------------------------------- */

/* A gradient that moves; from frame 6 on it has more colours than a .gif. */
static enum vks_result write_frame(struct vks_sink *sink, uint64_t index)
{
    static uint8_t rgba[SIDE * SIDE * 4], yuv[SIDE * SIDE / 2 * 3];
    static uint16_t yuv10[SIDE * SIDE / 2 * 3];
    static float values[SIDE * SIDE];
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
        const size_t x = i % SIDE, y = i / SIDE;
        rgba[4 * i] = (uint8_t)(2 * x + 8 * index);
        rgba[4 * i + 1] = (uint8_t)(index < 6 ? 0 : 4 * y);
        rgba[4 * i + 2] = (uint8_t)(16 * index);
        rgba[4 * i + 3] = 255;
        values[i] = (float)(1000 * index + i);
    }
    for (size_t i = 0; i < sizeof(yuv); i++) {
        yuv[i] = (uint8_t)(i < (size_t)SIDE * SIDE ? 40 + 2 * (i % SIDE) + 4 * index : 100 + index);
        yuv10[i] = (uint16_t)(4 * yuv[i]);
    }
    const struct vks_frame frame = {
        .index = index,
        .step = 3 * index,
        .width = SIDE,
        .height = SIDE,
        .coded_width = SIDE,
        .coded_height = SIDE,
        .planes = {[VKS_PLANE_RGBA] = rgba,
                   [VKS_PLANE_YUV] = yuv,
                   [VKS_PLANE_YUV10] = yuv10,
                   [VKS_PLANE_VALUES] = values},
    };
    return vks_sink_write(sink, &frame);
}

static struct vks_sink_params params_of(const char *path)
{
    return (struct vks_sink_params){
        .path = path,
        .width = SIDE,
        .height = SIDE,
        .fps = {30000, 1001},
        .frames = FRAMES,
        .origin = {.scene = "{}", .frames = FRAMES},
    };
}

static struct vks_sink *open_sink(const struct vks_sink_params *params)
{
    struct vks_sink *sink = NULL;
    if (vks_sink_open(params, &sink) != VKS_OK || vks_sink_start(sink) != VKS_OK) {
        fail_msg("%s", vks_error_text());
    }
    return sink;
}

static void write_until(struct vks_sink *sink, uint64_t end)
{
    while (vks_sink_frames(sink) < end) {
        if (write_frame(sink, vks_sink_frames(sink)) != VKS_OK) {
            fail_msg("%s", vks_error_text());
        }
    }
}

static json_t *hold(struct vks_sink *sink)
{
    json_t *position = NULL;
    if (vks_sink_hold(sink, &position) != VKS_OK) {
        fail_msg("%s", vks_error_text());
    }
    return position;
}

/* Ends the file, in this process. */
static void complete(const struct vks_sink_params *params)
{
    struct vks_sink *sink = open_sink(params);
    write_until(sink, FRAMES);
    if (vks_sink_finish(sink) != VKS_OK) {
        fail_msg("%s", vks_error_text());
    }
}

/* --- processes ------------------------------------------------------------------------------- */

/* The other process. Its arguments are a path, numbers and a position (or ""). The numbers are the
 * depth, the encoder, after how many frames it holds, and how many frames there are when it ends:
 * if these are all, it completes the file, else it ends at once. Its positions are lines of
 * standard output. */
static int be_the_other(char **args)
{
    char *at = args[2];
    struct vks_sink_params params = params_of(args[1]);
    params.depth = (uint32_t)strtoul(at, &at, 10);
    params.encoder = (enum vks_encoder)strtoul(at, &at, 10);
    params.continuable = true;
    params.resume = json_loads(args[3], 0, NULL);
    params.overwrite = !params.resume;
    struct vks_sink *sink = open_sink(&params);
    for (;;) {
        write_until(sink, strtoul(at, &at, 10));
        if (*at == '\0') {
            break;
        }
        json_t *position = hold(sink);
        char *text = vks_json_dump(position, 0);
        char *line = vks_format("%s\n", text);
        if (vks_write_all(STDOUT_FILENO, line, strlen(line)) != 0) {
            return 1;
        }
        json_decref(position);
        free(text);
        free(line);
    }
    if (vks_sink_frames(sink) < FRAMES) {
        _exit(0);
    }
    const enum vks_result result = vks_sink_finish(sink);
    json_decref((json_t *)(uintptr_t)params.resume);
    return result == VKS_OK ? 0 : 1;
}

/* Another process continues from the position (NULL: begins) with frames up to `held`. If these are
 * all, it completes the file; else it holds, writes `lost` more and ends at once. Its position
 * replaces the other. */
static void live(struct vks_sink_params params, json_t **position, uint64_t held, uint64_t lost)
{
    int ends[2];
    char *text = *position ? vks_json_dump(*position, 0) : vks_strdup("");
    char *numbers = held < FRAMES
                        ? vks_format("%u %u %u %u", params.depth, (unsigned)params.encoder,
                                     (unsigned)held, (unsigned)(held + lost))
                        : vks_format("%u %u %d", params.depth, (unsigned)params.encoder, FRAMES);
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execl("/proc/self/exe", "test_hold", params.path, numbers, text, (char *)NULL);
        _exit(127);
    }
    free(text);
    free(numbers);
    close(ends[1]);
    FILE *file = fdopen(ends[0], "r");
    assert_non_null(file);
    json_t *made = json_loadf(file, 0, NULL);
    fclose(file);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    if (held < FRAMES) {
        assert_int_equal(vks_json_count(made, "frames"), held);
        json_decref(*position);
        *position = made;
    }
}

/* Where the processes hold, and how many frames they lose. */
static const uint64_t lives[][2] = {{0, 2}, {3, 2}, {4, 3}, {4, 0}, {9, 1}};

/* Completes the file in several processes. Returns the last position. */
static json_t *write_in_pieces(const struct vks_sink_params *params)
{
    json_t *position = NULL;
    for (size_t i = 0; i < VKS_COUNT(lives); i++) {
        live(*params, &position, lives[i][0], lives[i][1]);
    }
    live(*params, &position, FRAMES, 0);
    return position;
}

/* As after a process that was killed between the end of the output and that of the run. */
static void write_end_again(const struct vks_sink_params *params, json_t *position)
{
    live(*params, &position, FRAMES, 0);
    json_decref(position);
    vks_sink_forget(params->path);
}

static void continues_with_the_same_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *whole, *pieces;
        uint32_t depth;
    } cases[] = {
        {"a.y4m", "b.y4m", 8},
        {"a.y4m", "b.y4m", 10},
        {"a.npy", "b.npy", 32},
#if VKS_HAVE_VIDEO
        {"a.gif", "b.gif", 8},
#endif
    };
    for (size_t i = 0; i < VKS_COUNT(cases); i++) {
        struct vks_sink_params params = params_of(in_folder(cases[i].whole));
        params.depth = cases[i].depth;
        complete(&params);
        params.path = in_folder(cases[i].pieces);
        json_t *position = write_in_pieces(&params);
        assert_same(in_folder(cases[i].whole), params.path);
        write_end_again(&params, position);
        assert_same(in_folder(cases[i].whole), params.path);
        assert_int_equal(count_files(true), 2);
    }
}

static void continues_numbered_files(void **state)
{
    (void)state;
    struct vks_sink_params params = params_of(in_folder("a%02d.png"));
    complete(&params);
    params.path = in_folder("b%02d.png");
    json_t *position = write_in_pieces(&params);
    write_end_again(&params, position);
    for (int i = 0; i < FRAMES; i++) {
        char names[2][16];
        snprintf(names[0], sizeof(names[0]), "a%02d.png", i);
        snprintf(names[1], sizeof(names[1]), "b%02d.png", i);
        assert_same(in_folder(names[0]), in_folder(names[1]));
    }
    assert_int_equal(count_files(false), 2 * FRAMES);
}

/* A still of the last frame has nothing to continue, and needs a frame of the new process. */
static void continues_a_still(void **state)
{
    (void)state;
    struct vks_sink_params params = params_of(in_folder("a.png"));
    json_t *position = NULL;
    params.continuable = true;
    struct vks_sink *sink = open_sink(&params);
    write_until(sink, 5);
    position = hold(sink);
    vks_sink_abort(sink);
    params.resume = position;
    sink = open_sink(&params);
    assert_int_equal(vks_sink_frames(sink), 0);
    assert_int_equal(vks_sink_finish(sink), VKS_ERROR_FILE);
    sink = open_sink(&params);
    assert_int_equal(write_frame(sink, FRAMES - 1), VKS_OK);
    assert_int_equal(vks_sink_finish(sink), VKS_OK);
    json_decref(position);
    assert_int_equal(count_files(false), 1);
}

/* --- videos ---------------------------------------------------------------------------------- */

#if VKS_HAVE_VIDEO

struct decoded {
    double times[FRAMES + 1]; /* seconds */
    double means[FRAMES + 1]; /* of the luma */
    size_t count;
    int colours[5]; /* range, matrix, primaries, transfer, chroma location */
};

static double mean_of(const AVFrame *frame)
{
    const bool deep = frame->format == AV_PIX_FMT_YUV420P10;
    double sum = 0;
    for (int y = 0; y < frame->height; y++) {
        for (int x = 0; x < frame->width; x++) {
            const uint8_t *row = frame->data[0] + (ptrdiff_t)y * frame->linesize[0];
            sum += deep ? ((const uint16_t *)(const void *)row)[x] / 4.0 : row[x];
        }
    }
    return sum / frame->width / frame->height;
}

static void decode(const char *path, struct decoded *decoded)
{
    AVFormatContext *format = NULL;
    *decoded = (struct decoded){.count = 0};
    assert_int_equal(avformat_open_input(&format, path, NULL, NULL), 0);
    assert_true(avformat_find_stream_info(format, NULL) >= 0);
    const AVStream *stream = format->streams[0];
    AVCodecContext *codec =
        avcodec_alloc_context3(avcodec_find_decoder(stream->codecpar->codec_id));
    assert_non_null(codec);
    assert_int_equal(avcodec_parameters_to_context(codec, stream->codecpar), 0);
    assert_int_equal(avcodec_open2(codec, NULL, NULL), 0);
    AVPacket *packet = av_packet_alloc();
    AVFrame *frame = av_frame_alloc();
    for (bool more = true; more;) {
        more = av_read_frame(format, packet) >= 0;
        assert_int_equal(avcodec_send_packet(codec, more ? packet : NULL), 0);
        av_packet_unref(packet);
        while (avcodec_receive_frame(codec, frame) >= 0) {
            assert_true(decoded->count < FRAMES);
            assert_int_equal(frame->chroma_location,
                             decoded->count ? frame->chroma_location : frame->chroma_location);
            decoded->times[decoded->count] = (double)frame->pts * av_q2d(stream->time_base);
            decoded->means[decoded->count++] = mean_of(frame);
        }
    }
    const AVCodecParameters *parameters = stream->codecpar;
    decoded->colours[0] = (int)parameters->color_range;
    decoded->colours[1] = (int)parameters->color_space;
    decoded->colours[2] = (int)parameters->color_primaries;
    decoded->colours[3] = (int)parameters->color_trc;
    decoded->colours[4] = (int)parameters->chroma_location;
    assert_int_equal(av_cmp_q(stream->avg_frame_rate, (AVRational){30000, 1001}), 0);
    av_frame_free(&frame);
    av_packet_free(&packet);
    avcodec_free_context(&codec);
    avformat_close_input(&format);
}

/* The file has the frames of the one that was written at once, at the same times. */
static void check_video(const char *whole, const char *pieces)
{
    struct decoded expected, found;
    decode(whole, &expected);
    decode(pieces, &found);
    assert_int_equal(expected.count, FRAMES);
    assert_int_equal(found.count, FRAMES);
    assert_memory_equal(found.colours, expected.colours, sizeof(found.colours));
    for (size_t i = 0; i < FRAMES; i++) {
        const double off = found.means[i] - expected.means[i];
        if (found.times[i] != expected.times[i] || off < -1 || off > 1) {
            fail_msg("frame %zu of '%s': at %.9g s, not %.9g, and its mean is off by %g", i, pieces,
                     found.times[i], expected.times[i], off);
        }
    }
}

/* One process that holds where the others do. */
static void write_with_holds(struct vks_sink_params params)
{
    params.continuable = true;
    struct vks_sink *sink = open_sink(&params);
    for (size_t i = 0; i < VKS_COUNT(lives); i++) {
        write_until(sink, lives[i][0]);
        json_decref(hold(sink));
    }
    write_until(sink, FRAMES);
    assert_int_equal(vks_sink_finish(sink), VKS_OK);
    vks_sink_forget(params.path);
}

static void continues_videos(void **state)
{
    (void)state;
    static const struct {
        const char *extension;
        enum vks_encoder encoder;
        uint32_t depth;
    } cases[] = {
        {".mp4", VKS_ENCODER_H264, 8},  {".mp4", VKS_ENCODER_H265, 10},
        {".mp4", VKS_ENCODER_AV1, 8},   {".webm", VKS_ENCODER_VP9, 8},
        {".webm", VKS_ENCODER_VP9, 10}, {".webm", VKS_ENCODER_AV1, 10},
        {".mkv", VKS_ENCODER_H264, 8},  {".mkv", VKS_ENCODER_H265, 8},
        {".mkv", VKS_ENCODER_VP9, 8},   {".mkv", VKS_ENCODER_AV1, 8},
    };
    for (size_t i = 0; i < VKS_COUNT(cases); i++) {
        char names[3][1024];
        for (size_t k = 0; k < 3; k++) {
            snprintf(names[k], sizeof(names[k]), "%s/%c%s", folder, (int)('a' + k),
                     cases[i].extension);
        }
        struct vks_sink_params params = params_of(names[0]);
        params.depth = cases[i].depth;
        params.encoder = cases[i].encoder;
        complete(&params);
        params.path = names[1];
        write_with_holds(params);
        check_video(names[0], names[1]);
        params.path = names[2];
        json_t *position = write_in_pieces(&params);
        check_video(names[0], names[2]);
        write_end_again(&params, position);
        check_video(names[0], names[2]);
        assert_int_equal(count_files(true), 3);
    }
}
#endif

/* --- what is refused ------------------------------------------------------------------------- */

static void resume_refuses(const struct vks_sink_params *params, const char *words)
{
    struct vks_sink *sink = NULL;
    enum vks_result result = vks_sink_open(params, &sink);
    if (result == VKS_OK) {
        result = vks_sink_start(sink);
        vks_sink_abort(sink);
    }
    assert_int_equal(result, VKS_ERROR_FILE);
    assert_says("cannot continue");
    assert_says(words);
}

/* Damages the file in three ways, each of which is refused, and mends it. */
static void refuses_damage(const struct vks_sink_params *params, const char *path)
{
    size_t size = 0;
    char *bytes = get(path, &size);
    char *words[3] = {vks_format("'%s' has been changed", path),
                      vks_format("'%s' is shorter", path), vks_format("'%s' is missing", path)};
    for (size_t i = 0; i < 3; i++) {
        bytes[size - 1] ^= 1;
        assert_int_equal(vks_write_file(path, true, bytes, i == 1 ? size - 1 : size), VKS_OK);
        bytes[size - 1] ^= 1;
        if (i == 2) {
            assert_int_equal(unlink(path), 0);
        }
        resume_refuses(params, words[i]);
        free(words[i]);
    }
    assert_int_equal(vks_write_file(path, true, bytes, size), VKS_OK);
    free(bytes);
}

static void refuses_what_was_changed(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"a.y4m", "a.y4m.part"},
        {"a.npy", "a.npy.part"},
        {"a%d.png", "a3.png"},
#if VKS_HAVE_VIDEO
        {"a.mp4", "a.mp4.parts/00001.mp4"},
        {"a.gif", "a.gif.part"},
#endif
    };
    for (size_t i = 0; i < VKS_COUNT(cases); i++) {
        struct vks_sink_params params = params_of(in_folder(cases[i][0]));
        json_t *position = NULL;
        live(params, &position, 4, 0);
        params.continuable = true;
        params.resume = position;
        refuses_damage(&params, in_folder(cases[i][1]));
        params.width = SIDE + 2;
        resume_refuses(&params, "it was begun with 64x64 pixels");
        params.width = SIDE;
        complete(&params);
        json_decref(position);
        vks_sink_forget(params.path);
        count_files(true);
    }
}

static void refuses_what_cannot_be_continued(void **state)
{
    (void)state;
    struct vks_sink *sink = NULL;
    struct vks_sink_params params = params_of("-");
    params.continuable = true;
    assert_int_equal(vks_sink_open(&params, &sink), VKS_ERROR_USAGE);
    assert_says("standard output cannot be continued");
#if VKS_HAVE_VIDEO
    params.path = in_folder("a.mp4");
    params.fade = 3;
    assert_int_equal(vks_sink_open(&params, &sink), VKS_ERROR_USAGE);
    assert_says("a loop cannot be continued");
#endif
    assert_int_equal(count_files(false), 0);
}

/* Without a hold, everything goes as it does otherwise; with one, what it describes stays. */
static void abort_keeps_what_was_held(void **state)
{
    (void)state;
    struct vks_sink_params params = params_of(in_folder("a.y4m"));
    params.continuable = true;
    struct vks_sink *sink = open_sink(&params);
    write_until(sink, 2);
    vks_sink_abort(sink);
    assert_int_equal(count_files(false), 0);
    sink = open_sink(&params);
    write_until(sink, 2);
    json_t *position = hold(sink);
    params.resume = position;
    struct vks_sink *second = NULL;
    assert_int_equal(vks_sink_open(&params, &second), VKS_ERROR_FILE);
    assert_says("another process is writing it");
    write_until(sink, 3);
    vks_sink_abort(sink);
    assert_int_equal(count_files(false), 1);
    complete(&params);
    json_decref(position);
    assert_int_equal(count_files(false), 1);
}

/* The digest of a stream that is continued, cut at every length. */
static void digests_continue(void **state)
{
    (void)state;
    uint8_t bytes[3000];
    char expected[33], found[33], text[VKS_DIGEST_STATE_CHARS + 1];
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (uint8_t)(i * i >> 3);
    }
    vks_digest_of(bytes, sizeof(bytes), expected);
    for (size_t cut = 0; cut <= sizeof(bytes); cut++) {
        struct vks_digest *first = vks_digest_create(), *second = vks_digest_create();
        vks_digest_update(first, bytes, cut);
        vks_digest_save(first, text);
        assert_true(vks_digest_load(second, text));
        vks_digest_update(second, bytes + cut, sizeof(bytes) - cut);
        vks_digest_hex(second, found);
        assert_string_equal(found, expected);
        vks_digest_destroy(first);
        vks_digest_destroy(second);
    }
    struct vks_digest *digest = vks_digest_create();
    assert_false(vks_digest_load(digest, "12"));
    memset(text, 'f', sizeof(text) - 1);
    assert_false(vks_digest_load(digest, text));
    vks_digest_destroy(digest);
}

#define TEST(function) cmocka_unit_test_teardown(function, clear_folder)

int main(int count, char **args)
{
    if (count == 4) {
        return be_the_other(args);
    }
    const struct CMUnitTest tests[] = {
        TEST(continues_with_the_same_bytes),
        TEST(continues_numbered_files),
        TEST(continues_a_still),
#if VKS_HAVE_VIDEO
        TEST(continues_videos),
#endif
        TEST(refuses_what_was_changed),
        TEST(refuses_what_cannot_be_continued),
        TEST(abort_keeps_what_was_held),
        TEST(digests_continue),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
