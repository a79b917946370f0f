/* SPDX-License-Identifier: MIT */
/* Physarum on a device: the digests of physarum_cases.def after 1, 2, 50 and 500 steps, which the
 * C reference recorded; pictures against their C twin (view_reference.c) and the digests of
 * physarum_looks.def; and the laws of runs: pieces, saving and loading, restarts, reading and
 * writing. TAP on standard output. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "out/colormap.h"
#include "physarum_cases.h"
#include "simulation.h"
#include "view_reference.h"

enum { MOST_OPTIONS = 32 };

struct look {
    const char *name;
    uint32_t width, height, frames, steps;
    const char *options, *digest;
};

static const struct look looks[] = {
#define PHYSARUM_LOOK(name, width, height, frames, steps, options, digest) \
    {name, width, height, frames, steps, options, digest},
#include "physarum_looks.def"
#undef PHYSARUM_LOOK
};

static unsigned reported, failed;

static void report(bool good, const char *format, ...) VKS_PRINTF(2, 3);

static void report(bool good, const char *format, ...)
{
    va_list arguments;
    printf("%s %u - ", good ? "ok" : "not ok", ++reported);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    fflush(stdout);
    failed += !good;
}

/* True for VKS_OK; otherwise says why. */
static bool fine(enum vks_result result)
{
    if (result != VKS_OK) {
        printf("# %s\n", vks_error_text());
    }
    return result == VKS_OK;
}

/* A simulation through the public interface; options are words. NULL after a failure. */
static vks_simulation *open_words(vks_context *context, uint32_t width, uint32_t height,
                                  uint32_t seed, const char *start, const char *words,
                                  const char *state)
{
    char *copy = strdup(words);
    const char *options[MOST_OPTIONS + 1];
    size_t count = 0;
    char *rest = copy;
    for (char *word = strtok_r(rest, " ", &rest); word && count < MOST_OPTIONS;
         word = strtok_r(NULL, " ", &rest)) {
        options[count++] = word;
    }
    options[count] = NULL;
    vks_simulation *simulation = NULL;
    (void)fine(
        vks_simulation_create(context,
                              &(struct vks_simulation_params){.model = "physarum",
                                                              .preset = state ? NULL : "plain",
                                                              .width = width,
                                                              .height = height,
                                                              .seed = seed,
                                                              .init = start,
                                                              .options = options,
                                                              .load_state = state},
                              &simulation));
    free(copy);
    return simulation;
}

static vks_simulation *open_case(vks_context *context, const struct physarum_case *row)
{
    return open_words(context, row->width, row->height, row->seed, row->start, row->options, NULL);
}

static const struct physarum_case *find_case(const char *name)
{
    for (size_t i = 0; i < physarum_case_count; i++) {
        if (strcmp(physarum_cases[i].name, name) == 0) {
            return &physarum_cases[i];
        }
    }
    printf("Bail out! there is no case '%s'\n", name);
    exit(1);
}

/* True if the state has the digest now. */
static bool has_digest(vks_simulation *simulation, const char *expected)
{
    char hex[33];
    if (!fine(vks_simulation_digest(simulation, hex))) {
        return false;
    }
    if (strcmp(hex, expected) != 0) {
        printf("# after %llu steps: %s, recorded %s\n",
               (unsigned long long)vks_simulation_steps(simulation), hex, expected);
        return false;
    }
    return true;
}

/* --- the recorded cases ----------------------------------------------------------------------- */

static void test_case(vks_context *context, const struct physarum_case *row)
{
    vks_simulation *simulation = open_case(context, row);
    bool same = simulation != NULL;
    uint32_t done = 0;
    for (size_t i = 0; same && i < PHYSARUM_MOMENTS; i++) {
        same = fine(vks_simulation_run(simulation, physarum_moments[i] - done)) &&
               vks_simulation_steps(simulation) == physarum_moments[i] &&
               has_digest(simulation, row->digests[i]);
        done = physarum_moments[i];
    }
    vks_simulation_destroy(simulation);
    report(same, "%s", row->name);
}

/* --- pictures --------------------------------------------------------------------------------- */

/* The twin for a look's settings. */
static struct view_reference twin_of(const vks_simulation *simulation, uint32_t palette[256])
{
    const struct vks_common *common = &vks_simulation_settings(simulation)->common;
    const char *normalize = common->look.normalize;
    double low = 0, high = 0;
    struct view_reference twin = {.width = common->size.width,
                                  .height = common->size.height,
                                  .gamma = (float)common->look.gamma,
                                  .contrast = (float)common->look.contrast,
                                  .palette = palette};
    struct vks_colormap map;
    if (vks_colormap_load(common->look.colormap, &map) == VKS_OK) {
        memcpy(palette, map.entries, sizeof(map.entries));
    }
    if (sscanf(normalize, "fixed:%lf:%lf", &low, &high) == 2) {
        twin.mode = VIEW_OF_FIXED;
    } else {
        twin.mode = strcmp(normalize, "frame") == 0 ? VIEW_OF_FRAME : VIEW_OF_SMOOTH;
    }
    twin.low = (float)low;
    twin.high = (float)high;
    return twin;
}

static void append(void *user, const void *bytes, size_t size)
{
    unsigned char **at = user;
    memcpy(*at, bytes, size);
    *at += size;
}

/* One frame by the device and by the twin: RGB and, of the same frame, the YUV planes. */
static bool same_frame(vks_simulation *simulation, struct view_reference *twin, float *trail,
                       uint32_t *pixels, uint8_t *rgb, uint8_t *planes, uint8_t *expected)
{
    const size_t cells = (size_t)twin->width * twin->height;
    const size_t coded = (size_t)((twin->width + 7) / 8 * 8) * ((twin->height + 1) / 2 * 2) * 3 / 2;
    unsigned char *at = planes;
    if (!fine(vks_simulation_read(simulation, "trail", trail, cells * sizeof(float))) ||
        !fine(vks_simulation_render(simulation, rgb, cells * 3)) ||
        !fine(vks_graph_download(vks_simulation_graph(simulation), "planes", append, &at))) {
        return false;
    }
    view_draw(twin, trail, pixels);
    for (size_t i = 0; i < cells; i++) {
        for (int c = 0; c < 3; c++) {
            if (rgb[3 * i + c] != (pixels[i] >> (8 * c) & 0xff)) {
                printf("# pixel %zu, channel %d: %u, the twin has %u\n", i, c, rgb[3 * i + c],
                       pixels[i] >> (8 * c) & 0xff);
                return false;
            }
        }
    }
    view_planes(twin->width, twin->height, pixels, expected);
    for (size_t i = 0; i < coded; i++) {
        if (planes[i] != expected[i]) {
            printf("# byte %zu of the planes: %u, the twin has %u\n", i, planes[i], expected[i]);
            return false;
        }
    }
    return true;
}

static vks_simulation *open_look(vks_context *context, const struct look *look)
{
    struct vks_settings settings = {0};
    vks_simulation *simulation = NULL;
    char size[32];
    snprintf(size, sizeof(size), "%ux%u", look->width, look->height);
    bool good = fine(vks_settings_init(&settings, vks_model_find("physarum"))) &&
                fine(vks_settings_preset(&settings, "plain")) &&
                fine(vks_settings_set(&settings, "size", size)) &&
                fine(vks_settings_set(&settings, "seed", "5"));
    char *copy = strdup(look->options);
    char *rest = copy;
    for (char *word = strtok_r(rest, " ", &rest); good && word; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        *value = '\0';
        good = fine(vks_settings_set(&settings, word, value + 1));
    }
    if (good && fine(vks_settings_finish(&settings))) {
        (void)fine(vks_simulation_open(context, &settings, NULL, true, &simulation));
    }
    free(copy);
    vks_settings_free(&settings);
    return simulation;
}

static void test_look(vks_context *context, const struct look *look)
{
    const size_t cells = (size_t)look->width * look->height;
    const size_t coded = (cells + 8 * (look->height + 1) + 2 * (look->width + 8)) * 3;
    float *trail = malloc(cells * sizeof(*trail));
    uint32_t *pixels = malloc(cells * sizeof(*pixels));
    uint8_t *rgb = malloc(cells * 3), *planes = malloc(coded), *expected = malloc(coded);
    XXH3_state_t *hash = XXH3_createState();
    uint32_t palette[256];
    vks_simulation *simulation = open_look(context, look);
    bool good = simulation && trail && pixels && rgb && planes && expected && hash &&
                XXH3_128bits_reset(hash) == XXH_OK;
    if (good) {
        struct view_reference twin = twin_of(simulation, palette);
        for (uint32_t i = 0; good && i < look->frames; i++) {
            good = (i == 0 || fine(vks_simulation_run(simulation, look->steps))) &&
                   same_frame(simulation, &twin, trail, pixels, rgb, planes, expected);
            XXH3_128bits_update(hash, rgb, cells * 3);
        }
    }
    if (good) {
        XXH128_canonical_t canonical;
        char hex[33];
        XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(hash));
        for (size_t i = 0; i < 16; i++) {
            snprintf(hex + 2 * i, 3, "%02x", canonical.digest[i]);
        }
        good = strcmp(hex, look->digest) == 0;
        if (!good) {
            printf("# PHYSARUM_LOOK(\"%s\", %u, %u, %u, %u, \"%s\", \"%s\")\n", look->name,
                   look->width, look->height, look->frames, look->steps, look->options, hex);
        }
    }
    vks_simulation_destroy(simulation);
    XXH3_freeState(hash);
    free(expected);
    free(planes);
    free(rgb);
    free(pixels);
    free(trail);
    report(good, "picture %s", look->name);
}

/* --- pieces ----------------------------------------------------------------------------------- */

/* 500 steps in pieces; frames drawn between change nothing. */
static void test_pieces(vks_context *context, const char *name, const uint32_t *pieces, bool draw)
{
    const struct physarum_case *row = find_case(name);
    vks_simulation *simulation = open_case(context, row);
    bool good = simulation != NULL;
    uint8_t *rgb = malloc((size_t)row->width * row->height * 3);
    uint32_t total = 0;
    for (size_t i = 0; good && pieces[i]; i++) {
        good = fine(vks_simulation_run(simulation, pieces[i]));
        total += pieces[i];
        if (good && draw) {
            good =
                fine(vks_simulation_render(simulation, rgb, (size_t)row->width * row->height * 3));
        }
    }
    good = good && total == 500 && fine(vks_simulation_run(simulation, 0)) &&
           vks_simulation_steps(simulation) == 500 && has_digest(simulation, row->digests[3]);
    free(rgb);
    vks_simulation_destroy(simulation);
    report(good, "%s in pieces of %u, %u ...%s", name, pieces[0], pieces[1],
           draw ? " with frames between" : "");
}

static void test_all_pieces(vks_context *context)
{
    static const uint32_t splits[][8] = {
        {7, 1, 492}, {1, 1, 1, 497}, {492, 1, 7}, {64, 64, 64, 64, 244}, {3, 33, 333, 131}, {500},
    };
    static const char *const names[] = {"default", "jones-jitter", "wide-7-zero", "one-cell"};
    for (size_t i = 0; i < sizeof(splits) / sizeof(splits[0]); i++) {
        test_pieces(context, names[i % 4], splits[i], false);
        test_pieces(context, names[(i + 1) % 4], splits[i], true);
    }
}

/* Two simulations that take turns in one context do not touch each other. */
static void test_two_at_once(vks_context *context)
{
    const struct physarum_case *rows[] = {find_case("ring"), find_case("bilinear-jones")};
    vks_simulation *simulations[] = {open_case(context, rows[0]), open_case(context, rows[1])};
    bool good = simulations[0] && simulations[1];
    for (int i = 0; good && i < 20; i++) {
        good = fine(vks_simulation_run(simulations[i % 2], 50)) &&
               (i % 3 != 0 || fine(vks_simulation_wait(simulations[0])));
    }
    good = good && has_digest(simulations[0], rows[0]->digests[3]) &&
           has_digest(simulations[1], rows[1]->digests[3]);
    vks_simulation_destroy(simulations[0]);
    vks_simulation_destroy(simulations[1]);
    report(good, "two simulations that take turns");
}

static void test_restart(vks_context *context)
{
    const struct physarum_case *row = find_case("jones-jitter");
    vks_simulation *simulation = open_case(context, row);
    bool good = simulation && fine(vks_simulation_run(simulation, 123)) &&
                fine(vks_simulation_restart(simulation, row->seed)) &&
                vks_simulation_steps(simulation) == 0 && fine(vks_simulation_run(simulation, 50)) &&
                has_digest(simulation, row->digests[2]);
    report(good, "a restart with the same seed");

    char other[33], fresh[33];
    good = good && fine(vks_simulation_restart(simulation, 4242)) &&
           fine(vks_simulation_run(simulation, 50)) &&
           fine(vks_simulation_digest(simulation, other)) && strcmp(other, row->digests[2]) != 0;
    vks_simulation_destroy(simulation);
    struct physarum_case seeded = *row;
    seeded.seed = 4242;
    simulation = open_case(context, &seeded);
    good = good && simulation && fine(vks_simulation_run(simulation, 50)) &&
           fine(vks_simulation_digest(simulation, fresh)) && strcmp(fresh, other) == 0;
    vks_simulation_destroy(simulation);
    report(good, "a restart with another seed");
}

/* --- saving and loading ----------------------------------------------------------------------- */

static char folder[256];

static const char *in_folder(const char *name)
{
    static char path[320];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static bool same_files(const char *one, const char *other)
{
    char path[320];
    snprintf(path, sizeof(path), "%s", in_folder(one));
    FILE *a = fopen(path, "rb"), *b = fopen(in_folder(other), "rb");
    int x = 0, y = 0;
    size_t size = 0;
    while (a && b && x == y && x != EOF) {
        x = fgetc(a);
        y = fgetc(b);
        size++;
    }
    bool same = a && b && x == y && size > 100;
    if (a) {
        fclose(a);
    }
    if (b) {
        fclose(b);
    }
    return same;
}

/* 50 steps, save, load, 450 steps are 500 steps. */
static void test_save_and_load(vks_context *context, const struct physarum_case *row)
{
    vks_simulation *first = open_case(context, row), *second = NULL;
    bool good = first && fine(vks_simulation_run(first, 50)) &&
                fine(vks_simulation_save(first, in_folder("a.npz")));
    if (good) {
        second = open_words(context, 0, 0, 0, NULL, "", in_folder("a.npz"));
    }
    good = good && second && vks_simulation_steps(second) == 50 &&
           has_digest(second, row->digests[2]) &&
           fine(vks_simulation_save(second, in_folder("b.npz")));
    if (good && !same_files("a.npz", "b.npz")) {
        printf("# a state that is loaded and saved is another file\n");
        good = false;
    }
    good = good && fine(vks_simulation_run(second, 450)) && vks_simulation_steps(second) == 500 &&
           has_digest(second, row->digests[3]) &&
           /* and the first was not disturbed by being saved */
           fine(vks_simulation_run(first, 450)) && has_digest(first, row->digests[3]);
    vks_simulation_destroy(second);
    vks_simulation_destroy(first);
    unlink(in_folder("a.npz"));
    unlink(in_folder("b.npz"));
    report(good, "%s saved and loaded", row->name);
}

/* --- reading and writing ---------------------------------------------------------------------- */

/* The fields of a run at step 50, written into a fresh simulation, go on like the run. No random
 * numbers in this one, so that the step number does not matter. */
static void test_transplant(vks_context *context)
{
    static const char *const names[] = {"trail", "position", "heading"};
    const struct physarum_case *row = find_case("default");
    vks_simulation *from = open_case(context, row), *to = open_case(context, row);
    bool good = from && to && fine(vks_simulation_run(from, 50)) &&
                fine(vks_simulation_run(to, 7)); /* an odd step: the other side of the fields */
    for (size_t i = 0; good && i < 3; i++) {
        struct vks_field_info info;
        good = vks_simulation_field(from, i, &info) && strcmp(info.name, names[i]) == 0;
        void *data = malloc(info.bytes), *back = malloc(info.bytes);
        good = good && fine(vks_simulation_read(from, info.name, data, info.bytes)) &&
               fine(vks_simulation_write(to, info.name, data, info.bytes)) &&
               fine(vks_simulation_read(to, info.name, back, info.bytes)) &&
               memcmp(data, back, info.bytes) == 0;
        free(back);
        free(data);
    }
    good = good && has_digest(to, row->digests[2]) && fine(vks_simulation_run(to, 450)) &&
           has_digest(to, row->digests[3]);
    vks_simulation_destroy(from);
    vks_simulation_destroy(to);
    report(good, "fields read and written go on alike");
}

static bool refused(enum vks_result result, const char *words)
{
    if (result != VKS_ERROR_USAGE || !strstr(vks_error_text(), words)) {
        printf("# result %d, '%s' does not say '%s'\n", (int)result, vks_error_text(), words);
        return false;
    }
    return true;
}

static void test_wrong_use(vks_context *context)
{
    const struct physarum_case *row = find_case("default");
    vks_simulation *simulation = open_case(context, row);
    bool good = simulation != NULL;
    float trail[64 * 64] = {0};
    uint8_t rgb[4];
    struct vks_field_info info;
    struct vks_pass_timing timing;
    good = good &&
           refused(vks_simulation_read(simulation, "trial", trail, sizeof(trail)),
                   "no field 'trial'") &&
           refused(vks_simulation_read(simulation, "deposits", trail, sizeof(trail)),
                   "no field 'deposits'") &&
           refused(vks_simulation_read(simulation, "trail", trail, sizeof(trail) - 4),
                   "has 16384 bytes, not 16380") &&
           refused(vks_simulation_write(simulation, "trail", trail, 4), "has 16384 bytes, not 4") &&
           refused(vks_simulation_render(simulation, rgb, sizeof(rgb)), "has 12288 bytes, not 4");
    trail[4095] = NAN;
    good = good && refused(vks_simulation_write(simulation, "trail", trail, sizeof(trail)),
                           "element 4095 is not a finite number");
    trail[4095] = INFINITY;
    good = good && refused(vks_simulation_write(simulation, "trail", trail, sizeof(trail)),
                           "element 4095 is not a finite number");
    /* None of it has changed anything. */
    good = good && fine(vks_simulation_run(simulation, 1)) &&
           has_digest(simulation, row->digests[0]) && !vks_simulation_field(simulation, 3, &info) &&
           vks_simulation_timing(simulation, 1, &timing) &&
           !vks_simulation_timing(simulation, 99, &timing);
    vks_simulation_destroy(simulation);
    report(good, "wrong use has sentences and no effect");
}

static void test_wrong_options(vks_context *context)
{
    const struct {
        struct vks_simulation_params params;
        enum vks_result result;
        const char *words;
    } wrong[] = {
        {{.model = "physarun"}, VKS_ERROR_USAGE, "physarum"},
        {{.preset = "no-such-preset"}, VKS_ERROR_USAGE, "no-such-preset"},
        {{.init = "image:/nonexistent/a.png"}, VKS_ERROR_FILE, "/nonexistent/a.png"},
        {{.init = "somewhere"}, VKS_ERROR_USAGE, "--init 'somewhere'"},
        {{.load_state = "/nonexistent/a.npz"}, VKS_ERROR_FILE, "/nonexistent/a.npz"},
        {{.options = (const char *const[]){"agents", NULL}}, VKS_ERROR_USAGE, "not NAME=VALUE"},
        {{.options = (const char *const[]){"agents=", NULL}}, VKS_ERROR_USAGE, "--agents ''"},
        {{.options = (const char *const[]){"agnets=5", NULL}},
         VKS_ERROR_USAGE,
         "did you mean 'agents'"},
        {{.width = 65536, .height = 65536}, VKS_ERROR_USAGE, "65536x65536"},
        {{.width = 65536, .height = 60000}, VKS_ERROR_USAGE, "needs"},
    };
    bool good = true;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        vks_simulation *simulation = NULL;
        enum vks_result result = vks_simulation_create(context, &wrong[i].params, &simulation);
        if (result != wrong[i].result || simulation || !strstr(vks_error_text(), wrong[i].words)) {
            printf("# row %zu: result %d, '%s'\n", i, (int)result, vks_error_text());
            good = false;
            vks_simulation_destroy(simulation);
        }
    }
    report(good, "wrong parameters have sentences");
}

static void run_all(vks_context *context)
{
    for (size_t i = 0; i < physarum_case_count; i++) {
        test_case(context, &physarum_cases[i]);
    }
    for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
        test_look(context, &looks[i]);
    }
    test_all_pieces(context);
    test_two_at_once(context);
    test_restart(context);
    for (size_t i = 0; i < physarum_case_count; i += 3) {
        test_save_and_load(context, &physarum_cases[i]);
    }
    test_save_and_load(context, find_case("jones-jitter"));
    test_transplant(context);
    test_wrong_use(context);
    test_wrong_options(context);
}

int main(void)
{
    vks_context *context;
    struct vks_device_info device;
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof(folder), "%.200s/vksim-physarum-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder)) {
        printf("Bail out! no folder for temporary files\n");
        return 1;
    }
    if (vks_context_create(&(struct vks_context_params){.no_disk_cache = true}, &context) !=
        VKS_OK) {
        printf("Bail out! %s\n", vks_error_text());
        rmdir(folder);
        return 1;
    }
    vks_context_device(context, &device);
    printf("# on %s (%s)\n", device.name, device.driver);
    run_all(context);
    vks_context_destroy(context);
    if (rmdir(folder) != 0) {
        report(false, "%s is not empty", folder);
    }
    printf("1..%u\n", reported);
    return failed != 0;
}
