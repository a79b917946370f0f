/* SPDX-License-Identifier: MIT */
/* Recorded runs of the simulations and pictures of their views, and a long run that is compared
 * with itself. */
#define _GNU_SOURCE /* memfd_create() */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "selftest/selftest.h"

/* --- recorded runs --------------------------------------------------------------------------- */

enum { MAX_MOMENTS = 5, MAX_OPTIONS = 48, MAX_TEXT = 1200 };

/* Options are "name=value name=value ...". */
struct recorded {
    const char *name;
    uint32_t width, height, depth, seed;
    const char *start, *basis, *options;
    const char *digests[MAX_MOMENTS]; /* of the state; NULL: not recorded that far */
};

#define GRAY_SCOTT_BASIS                                                               \
    "feed=0.037 kill=0.06 du=0.16 dv=0.08 dt=1 stencil=five-point boundary=periodic "  \
    "precision=float32 start-radius=0.1 start-share=0.5 start-noise=0 start-count=20 " \
    "start-grain=4"

static const struct recorded gray_scott[] = {
#define GRAY_SCOTT_CASE(name, width, height, seed, start, options, d1, d2, d7, d50, d300) \
    {name, width, height, 1, seed, start, GRAY_SCOTT_BASIS, options, {d1, d2, d7, d50, d300}},
#include "selftest/gray_scott_cases.def"
#undef GRAY_SCOTT_CASE
};

static const struct recorded physarum[] = {
#define PHYSARUM_CASE(name, width, height, seed, start, options, d1, d2, d50, d500) \
    {name, width, height, 1, seed, start, "", options, {d1, d2, d50, d500}},
#include "selftest/physarum_cases.def"
#include "selftest/physarum_species.def"
#include "selftest/physarum_surroundings.def"
#undef PHYSARUM_CASE
};

static const struct recorded physarum_3d[] = {
#define PHYSARUM_3D_CASE(name, width, height, depth, options, d1, d8, d60) \
    {name, width, height, depth, 7, "default", "", options, {d1, d8, d60}},
#include "selftest/physarum_3d_cases.def"
#undef PHYSARUM_3D_CASE
};

static const struct recorded gas[] = {
#define GAS_CASE(method, name, width, height, depth, start, options, d1, d4, d12, d40) \
    {method ": " name,  width, height, depth, 1, start, "method=" method, options,     \
     {d1, d4, d12, d40}},
#include "selftest/gas_cases.def"
#undef GAS_CASE
};

static const struct recorded cipher[] = {
#define CIPHER_CASE(name, width, height, start, options, d1, d2, d10, d200) \
    {name, width, height, 1, 1, start, "", options, {d1, d2, d10, d200}},
#include "selftest/cipher_cases.def"
#undef CIPHER_CASE
};

enum { GRAY_SCOTT, PHYSARUM, PHYSARUM_3D, GAS, CIPHER, FAMILIES };

static const struct family {
    const char *model, *preset;
    const struct recorded *runs;
    size_t count;
    uint32_t moments[MAX_MOMENTS]; /* steps after which the digests were recorded */
} families[FAMILIES] = {
    {"gray-scott", "default", gray_scott, VKS_COUNT(gray_scott), {1, 2, 7, 50, 300}},
    {"physarum", "plain", physarum, VKS_COUNT(physarum), {1, 2, 50, 500}},
    {"physarum-3d", "plain", physarum_3d, VKS_COUNT(physarum_3d), {1, 8, 60}},
    {"gas", "plain", gas, VKS_COUNT(gas), {1, 4, 12, 40}},
    {"cipher", "plain", cipher, VKS_COUNT(cipher), {1, 2, 10, 200}},
};

/* Some of them, in the variants of their steps. A short run has only the first ones: SwiftShader
 * takes seconds to compile each of the others. */
enum { SHORT_PICKS = 13 };
static const struct pick {
    unsigned family;
    const char *name, *option;
} picks[] = {
    {GRAY_SCOTT, "257x129", ""},
    {GRAY_SCOTT, "inverse", "variant=fused-4"},
    {GRAY_SCOTT, "inverse", "variant=march-4-64x4"},
    {GRAY_SCOTT, "half", ""},
    {PHYSARUM, "default", "variant=unsorted"},
    {PHYSARUM, "default", "variant=sorted-2-bytes"},
    {PHYSARUM, "eight-species", ""},
    {PHYSARUM_3D, "random", "variant=sorted-1"},
    {GAS, "grid: tracers that exchange heat", ""},
    {GAS, "grid: clumps", "variant=faces"},
    {GAS, "particles: gravity in a flat box", "variant=unsorted"},
    {GAS, "particles: gravity in a flat box", "variant=sorted-1"},
    {CIPHER, "slime", ""},
    {GRAY_SCOTT, "inverse", "variant=plain"},
    {GRAY_SCOTT, "inverse", "variant=block-4-8x4"},
    {PHYSARUM, "big", "variant=sorted-2-bytes"},
    {PHYSARUM, "default", "variant=joined"},
    {PHYSARUM, "blend-spot", ""},
    {GAS, "grid: gravity", ""},
    {GAS, "grid: clumps", "variant=runs-1"},
    {GAS, "particles: gravity", ""},
    {GAS, "particles: oscillators that are frozen", ""},
    {CIPHER, "crowded", ""},
};

/* The picture that runs of the reversible mould start from. */
static const char photo_start[] = "image:src/selftest/cipher.png";
__asm__(".section .rodata\n"
        "vks_selftest_photo:\n"
        ".incbin \"" VKS_SELFTEST_PHOTO "\"\n"
        "vks_selftest_photo_end:\n"
        ".previous\n");
extern const unsigned char vks_selftest_photo[], vks_selftest_photo_end[];

/* A file without a name that holds it; -1 on failure. The device has nothing to do with it. */
static int open_photo(void)
{
    const int fd = memfd_create("photo", MFD_CLOEXEC);
    if (fd >= 0 && vks_write_all(fd, vks_selftest_photo,
                                 (size_t)(vks_selftest_photo_end - vks_selftest_photo)) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Runs that read other files are for the tests, which have them. */
static bool reads_files(const struct recorded *run)
{
    return strstr(run->start, "tests/") || strstr(run->options, "tests/");
}

static size_t count_simulations(enum vks_selftest_length length)
{
    size_t count = length == VKS_SELFTEST_SHORT ? (size_t)SHORT_PICKS : VKS_COUNT(picks);
    for (unsigned f = 0; f < FAMILIES && length == VKS_SELFTEST_LONG; f++) {
        for (size_t i = 0; i < families[f].count; i++) {
            count += !reads_files(&families[f].runs[i]);
        }
    }
    return count;
}

static const struct recorded *find_run(const struct pick *pick)
{
    const struct family *family = &families[pick->family];
    size_t at = 0;
    while (at + 1 < family->count && strcmp(family->runs[at].name, pick->name) != 0) {
        at++;
    }
    return &family->runs[at];
}

/* The run of a row: those above, then all. */
static const struct recorded *run_of(size_t row, const struct family **family, const char **option)
{
    *option = "";
    if (row < VKS_COUNT(picks)) {
        *family = &families[picks[row].family];
        *option = picks[row].option;
        return find_run(&picks[row]);
    }
    row -= VKS_COUNT(picks);
    for (*family = families;; ++*family) {
        for (size_t i = 0; i < (*family)->count; i++) {
            if (!reads_files(&(*family)->runs[i]) && row-- == 0) {
                return &(*family)->runs[i];
            }
        }
    }
}

/* Splits the words of `text` in place. */
static void split_words(char *text, const char *options[MAX_OPTIONS + 1])
{
    size_t count = 0;
    for (char *word = strtok_r(text, " ", &text); word && count < MAX_OPTIONS;
         word = strtok_r(NULL, " ", &text)) {
        options[count++] = word;
    }
    options[count] = NULL;
}

static enum vks_result create(vks_context *context, const struct family *family,
                              const struct recorded *run, const char *option,
                              vks_simulation **simulation)
{
    char text[MAX_TEXT], start[64];
    const char *options[MAX_OPTIONS + 1];
    const int photo = strcmp(run->start, photo_start) == 0 ? open_photo() : -1;
    snprintf(text, sizeof(text), "%s %s %s", run->basis, run->options, option);
    snprintf(start, sizeof(start), "image:/proc/self/fd/%d", photo);
    split_words(text, options);
    const enum vks_result result = vks_simulation_create(
        context,
        &VKS_SIMULATION_PARAMS(.model = family->model, .preset = family->preset,
                               .width = run->width, .height = run->height, .depth = run->depth,
                               .seed = run->seed, .init = photo < 0 ? run->start : start,
                               .options = options),
        simulation);
    if (photo >= 0) {
        close(photo);
    }
    return result;
}

/* Compares the digests of the state after the recorded numbers of steps up to `max_steps`, until
 * the first that differs. */
static enum vks_result follow(vks_simulation *simulation, const struct family *family,
                              const struct recorded *run, uint32_t max_steps,
                              struct vks_selftest_result *result)
{
    enum vks_result ended = VKS_OK;
    uint32_t done = 0;
    for (int i = 0; i < MAX_MOMENTS && run->digests[i] && family->moments[i] <= max_steps &&
                    ended == VKS_OK && result->outcome == VKS_SELFTEST_PASSED;
         i++) {
        char found[33], what[64];
        ended = vks_simulation_run(simulation, family->moments[i] - done);
        ended = ended == VKS_OK ? vks_simulation_digest(simulation, found) : ended;
        done = family->moments[i];
        snprintf(what, sizeof(what), "the state after %" PRIu32 " steps", done);
        if (ended == VKS_OK) {
            vks_selftest_compare_digests(result, what, found, run->digests[i]);
            result->count = done;
        }
    }
    return ended;
}

static enum vks_result test_simulation(const struct vks_selftest *test, size_t row,
                                       struct vks_selftest_result *result)
{
    const struct family *family;
    const char *option;
    const struct recorded *run = run_of(row, &family, &option);
    const uint32_t max_steps = test->length == VKS_SELFTEST_SHORT ? 50 : UINT32_MAX;
    vks_simulation *simulation = NULL;
    snprintf(result->name, sizeof(result->name), "%s, %s%s%s", family->model, run->name,
             option[0] ? ", " : "", option);
    enum vks_result ended = create(test->context, family, run, option, &simulation);
    if (ended == VKS_ERROR_USAGE && option[0]) {
        snprintf(result->text, sizeof(result->text), "%s", vks_error_text());
        result->outcome = VKS_SELFTEST_ABSENT;
        return VKS_OK;
    }
    ended = ended == VKS_OK ? follow(simulation, family, run, max_steps, result) : ended;
    vks_simulation_destroy(simulation);
    return ended;
}

const struct vks_selftest_group vks_selftest_simulations = {"simulations", count_simulations,
                                                            test_simulation};

/* --- pictures -------------------------------------------------------------------------------- */

static const struct view {
    const char *model, *options;
    uint32_t width, height, depth, steps;
    enum vks_frame_plane plane;
    const char *digest;
} views[] = {
#define VIEW(model, width, height, depth, steps, options, plane, digest) \
    {model, options, width, height, depth, steps, plane, digest},
#include "selftest/views.def"
#undef VIEW
};

static size_t count_pictures(enum vks_selftest_length length)
{
    (void)length;
    return VKS_COUNT(views);
}

static enum vks_result digest_plane(vks_simulation *simulation, const struct view *view,
                                    struct vks_selftest_result *result)
{
    struct vks_plane_info info = {.size = sizeof(info)};
    char found[33], what[64];
    enum vks_result ended = vks_simulation_plane(simulation, view->plane, &info);
    uint8_t *data = ended == VKS_OK ? malloc((size_t)info.bytes) : NULL;
    ended = ended == VKS_OK && !data ? vks_fail_memory() : ended;
    ended = ended == VKS_OK ? vks_simulation_draw(simulation) : ended;
    ended = ended == VKS_OK
                ? vks_simulation_read_plane(simulation, view->plane, data, (size_t)info.bytes)
                : ended;
    if (ended == VKS_OK) {
        vks_digest_of(data, (size_t)info.bytes, found);
        snprintf(what, sizeof(what), "the picture after %" PRIu32 " steps", view->steps);
        vks_selftest_compare_digests(result, what, found, view->digest);
        result->count = info.bytes;
    }
    free(data);
    return ended;
}

static enum vks_result test_picture(const struct vks_selftest *test, size_t row,
                                    struct vks_selftest_result *result)
{
    static const char *const planes[] = {
        [VKS_PLANE_RGBA] = "", [VKS_PLANE_YUV] = ", YUV", [VKS_PLANE_YUV10] = ", YUV of 10 bits"};
    const struct view *view = &views[row];
    char text[MAX_TEXT];
    const char *options[MAX_OPTIONS + 1];
    vks_simulation *simulation = NULL;
    snprintf(result->name, sizeof(result->name), "%s %s%s", view->model, view->options,
             planes[view->plane]);
    snprintf(text, sizeof(text), "%s", view->options);
    split_words(text, options);
    enum vks_result ended = vks_simulation_create(
        test->context,
        &VKS_SIMULATION_PARAMS(.model = view->model, .preset = "plain", .width = view->width,
                               .height = view->height, .depth = view->depth, .seed = 1,
                               .planes = UINT32_C(1) << view->plane, .options = options),
        &simulation);
    ended = ended == VKS_OK ? vks_simulation_run(simulation, view->steps) : ended;
    ended = ended == VKS_OK ? digest_plane(simulation, view, result) : ended;
    vks_simulation_destroy(simulation);
    return ended;
}

const struct vks_selftest_group vks_selftest_pictures = {"pictures", count_pictures, test_picture};

/* --- soak ------------------------------------------------------------------------------------ */

static size_t count_soaks(enum vks_selftest_length length)
{
    (void)length;
    return 1;
}

/* Steps until the time is over; returns their number, which is even. */
static enum vks_result run_for(vks_simulation *simulation, double seconds, uint64_t *steps)
{
    enum { AT_ONCE = 16 };
    const double begin = vks_seconds();
    enum vks_result result = VKS_OK;
    for (*steps = 0; result == VKS_OK && vks_seconds() - begin < seconds; *steps += AT_ONCE) {
        result = vks_simulation_run(simulation, AT_ONCE);
        result = result == VKS_OK ? vks_simulation_wait(simulation) : result;
    }
    return result;
}

/* The same steps in two halves, from the start. */
static enum vks_result run_again(vks_simulation *simulation, uint64_t steps, char digest[33])
{
    enum vks_result result = vks_simulation_restart(simulation, 1);
    for (int half = 0; half < 2 && result == VKS_OK; half++) {
        result = vks_simulation_run(simulation, steps / 2);
        result = result == VKS_OK ? vks_simulation_digest(simulation, digest) : result;
    }
    return result;
}

static enum vks_result test_soak(const struct vks_selftest *test, size_t row,
                                 struct vks_selftest_result *result)
{
    static const double seconds[] = {1, 5, 60}; /* of either run */
    const bool small = test->length == VKS_SELFTEST_SHORT;
    vks_simulation *simulation = NULL;
    char first[33] = "", second[33] = "", what[64];
    uint64_t steps = 0;
    (void)row;
    snprintf(result->name, sizeof(result->name), "physarum at full load");
    enum vks_result ended = vks_simulation_create(
        test->context,
        &VKS_SIMULATION_PARAMS(.model = "physarum", .preset = "plain", .width = small ? 256 : 4096,
                               .height = small ? 256 : 4096, .seed = 1),
        &simulation);
    ended = ended == VKS_OK ? run_for(simulation, seconds[test->length], &steps) : ended;
    ended = ended == VKS_OK ? vks_simulation_digest(simulation, first) : ended;
    ended = ended == VKS_OK ? run_again(simulation, steps, second) : ended;
    vks_simulation_destroy(simulation);
    if (ended == VKS_OK) {
        snprintf(what, sizeof(what), "the state after %" PRIu64 " steps, in two halves", steps);
        vks_selftest_compare_digests(result, what, second, first);
        result->count = steps;
        result->digest[0] = '\0'; /* the number of steps depends on the time */
    }
    return ended;
}

const struct vks_selftest_group vks_selftest_soak = {"soak", count_soaks, test_soak};
