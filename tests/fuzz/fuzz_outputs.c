/* SPDX-License-Identifier: MIT */
/* Outputs that a run continues: the position that a checkpoint has of one, a NUL, and the file as
 * it is found. The digest "right" becomes that of the file. */
#include "fuzz.h"

#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "frames/sink.h"
#include "words.h"

enum { SIDE = 8 };
static const char segment[] = "a.mp4.parts/00001.mp4";

unsigned long fuzz_taken;
const struct vks_option_table *const fuzz_options = NULL;

static void check(enum vks_result result)
{
    fuzz_require(result == VKS_OK || result == VKS_ERROR_FILE || result == VKS_ERROR_USAGE ||
                     result == VKS_ERROR_EXISTS,
                 "a failure is of the input");
    fuzz_require(result == VKS_OK || strlen(vks_error_text()) > 10, "a failure has a sentence");
}

/* Of the outputs that the position may name; NULL: it is none. */
static const char *part_of(const char *path)
{
    const char *const names[][2] = {
        {"a.y4m", "a.y4m.part"}, {"a.npy", "a.npy.part"},   {"a.gif", "a.gif.part"},
        {"a.csv", "a.csv.part"}, {"a%03d.png", "a000.png"}, {"a.mp4", segment},
    };
    for (size_t i = 0; path && i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(path, names[i][0]) == 0) {
            return names[i][1];
        }
    }
    return NULL;
}

/* Puts the digest of the file up to the object's bytes in place of "right". */
static void set_digest(json_t *object, const uint8_t *data, size_t size)
{
    const char *digest = json_string_value(json_object_get(object, "digest"));
    const uint64_t bytes = vks_json_count(object, "bytes");
    json_t *right = json_object();
    if (digest && strcmp(digest, "right") == 0) {
        fuzz_write_file("digest", data, bytes < size ? (size_t)bytes : size);
        fuzz_require(vks_file_describe("digest", right) == VKS_OK, "a digest");
        json_object_set(object, "digest", json_object_get(right, "digest"));
    }
    json_decref(right);
}

static enum vks_result write_frame(struct vks_sink *sink)
{
    static const uint8_t rgba[SIDE * SIDE * 4], yuv[SIDE * SIDE / 2 * 3];
    static const float values[SIDE * SIDE];
    const struct vks_frame frame = {
        .index = vks_sink_frames(sink),
        .width = SIDE,
        .height = SIDE,
        .coded_width = SIDE,
        .coded_height = SIDE,
        .planes = {[VKS_PLANE_RGBA] = rgba, [VKS_PLANE_YUV] = yuv, [VKS_PLANE_VALUES] = values},
    };
    return vks_sink_write(sink, &frame);
}

/* Continues the output with one frame; a video, whose encoder takes long to start, without any. */
static enum vks_result go_on(const char *path, const json_t *position)
{
    const struct vks_sink_params params = {
        .path = path,
        .width = SIDE,
        .height = SIDE,
        .fps = {30, 1},
        .frames = 4,
        .overwrite = true,
        .origin = {.scene = "{}", .frames = 4},
        .continuable = true,
        .resume = position,
    };
    struct vks_sink *sink = NULL;
    enum vks_result result = vks_sink_open(&params, &sink);
    check(result);
    if (result == VKS_OK && strcmp(path, "a.mp4") == 0) {
        vks_sink_abort(sink);
        return VKS_OK;
    }
    if (result != VKS_OK) {
        return result;
    }
    result = vks_sink_start(sink);
    if (result == VKS_OK) {
        result = write_frame(sink);
    }
    if (result == VKS_OK) {
        result = vks_sink_finish(sink);
    } else {
        vks_sink_abort(sink);
    }
    check(result);
    return result;
}

/* A table of --watch continues without a sink. */
static enum vks_result go_on_table(const char *path, const json_t *position)
{
    struct vks_atomic_file file;
    const enum vks_result result = vks_atomic_file_resume(&file, path, true, position);
    check(result);
    vks_atomic_file_abort(&file);
    return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = memchr(data, 0, size);
    const size_t length = end ? (size_t)(end - data) : size;
    const uint8_t *file = end ? end + 1 : data + size;
    const size_t rest = size - (size_t)(file - data);
    json_t *position = json_loadb((const char *)data, length, 0, NULL);
    const char *path = json_string_value(json_object_get(position, "path"));
    const char *part = part_of(path);
    json_t *value;
    size_t index;
    if (fuzz_folder[0] == '\0') {
        fuzz_enter_folder();
        vks_message_to(VKS_LOG_ERROR, NULL, NULL);
    }
    if (part) {
        unlink(segment);
        fuzz_clear_folder();
        (void)mkdir("a.mp4.parts", 0700);
        fuzz_write_file(part, file, rest);
        set_digest(position, file, rest);
        json_array_foreach(json_object_get(position, "segments"), index, value)
        {
            set_digest(value, file, rest);
        }
        fuzz_taken += (strcmp(path, "a.csv") == 0 ? go_on_table(path, position)
                                                  : go_on(path, position)) == VKS_OK;
    }
    json_decref(position);
    return 0;
}
