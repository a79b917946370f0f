/* SPDX-License-Identifier: MIT */
/* Physarum on a device: the digests of the cases (physarum_cases.h) after 1, 2, 50 and 500 steps,
 * which the references recorded; pictures against their C twin (view_reference.c) and the digests
 * of physarum_looks.def; and the laws of runs: pieces, saving and loading, restarts, reading and
 * writing. TAP on standard output. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/exact.h"
#include "sim/registry.h"
#include "view/colormap.h"
#include "physarum_cases.h"
#include "physarum_crowds.h"
#include "sim_test.h"
#include "view_reference.h"

enum { LARGE = 1 << 15 }; /* cells of all planes of a case that takes long when agents are sorted */

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

static struct sim_run run_of(const struct physarum_case *row)
{
    return (struct sim_run){.name = row->name,
                            .model = "physarum",
                            .preset = "plain",
                            .basis = "",
                            .width = row->width,
                            .height = row->height,
                            .seed = row->seed,
                            .start = row->start,
                            .options = row->options};
}

/* The same, with another option. */
static struct sim_run run_with(const struct physarum_case *row, const char *option)
{
    static char name[160], options[1024];
    struct sim_run run = run_of(row);
    snprintf(name, sizeof(name), "%s, %s", row->name, option);
    snprintf(options, sizeof(options), "%s %s", row->options, option);
    run.name = name;
    run.options = options;
    return run;
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

static bool has_species(const struct physarum_case *row)
{
    return strstr(row->options, "species=") != NULL;
}

static bool has_surroundings(const struct physarum_case *row)
{
    return strstr(row->options, "walls=") || strstr(row->options, "food=") ||
           strstr(row->options, "maps=");
}

/* In all planes of its trail. */
static uint64_t count_cells(const struct physarum_case *row)
{
    const char *species = strstr(row->options, "species=");
    const uint64_t planes = species ? strtoull(species + strlen("species="), NULL, 10) : 1;
    return planes * row->width * row->height;
}

/* --- pictures --------------------------------------------------------------------------------- */

/* The twin for a look's settings, in which mixes are sums. */
static struct view_reference twin_of(const vks_simulation *simulation, uint32_t palette[256])
{
    const struct vks_common *common = &vks_simulation_settings(simulation)->common;
    const struct vks_look_mix *mix = &common->look.values.mix;
    const char *normalize = common->look.normalize;
    double low = 0, high = 0;
    const struct vks_look *look = &common->look;
    struct view_reference twin = view_of_field(common->size.width, common->size.height, palette);
    const struct vks_part part = look->values.part;
    const struct vks_background background = look->values.background;
    twin.x = part.x;
    twin.y = part.y;
    twin.part_width = part.width;
    twin.part_height = part.height;
    twin.width = part.out_width;
    twin.height = part.out_height;
    twin.gamma = (float)look->gamma;
    twin.contrast = (float)look->contrast;
    twin.hillshade = look->hillshade;
    twin.bloom = look->bloom;
    twin.logarithmic = look->tone == VKS_TONE_LOG;
    twin.background = background.kind == VKS_BACKGROUND_COLOUR ? VIEW_ON_COLOUR : VIEW_ON_NOTHING;
    twin.colour = background.colour;
    for (size_t i = 0; i < 256; i++) {
        palette[look->invert ? 255 - i : i] = look->values.map.entries[i];
    }
    if (sscanf(normalize, "fixed:%lf:%lf", &low, &high) == 2) {
        twin.mode = VIEW_OF_FIXED;
    } else {
        twin.mode = strcmp(normalize, "frame") == 0 ? VIEW_OF_FRAME : VIEW_OF_SMOOTH;
    }
    twin.low = (float)low;
    twin.high = (float)high;
    twin.planes = mix->planes;
    for (uint32_t i = 0; i < mix->planes; i++) {
        twin.palettes[i] = mix->maps[i].entries;
    }
    return twin;
}

/* Smooths a plane along an axis: 9 binomial weights, in order. */
static void smooth(const float *from, float *to, uint32_t width, uint32_t height, bool down)
{
    static const float weights[] = {1, 8, 28, 56, 70, 56, 28, 8, 1};
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            float sum = 0;
            for (int64_t i = -4; i <= 4; i++) {
                const int64_t row = ((int64_t)y + (down ? i : 0) + 4LL * height) % height;
                const int64_t column = ((int64_t)x + (down ? 0 : i) + 4LL * width) % width;
                sum = sum + weights[i + 4] * from[row * width + column];
            }
            to[(size_t)y * width + x] = sum;
        }
    }
}

/* The planes of the view headings, of the trail in the first one. `sums` are numbers of agents, and
 * sums of cosines and sines in units of 1 / 256. */
static bool head(const struct view_reference *twin, float *const sums[3], float *displayed)
{
    const size_t cells = (size_t)twin->field_width * twin->field_height;
    const float third = 0x1.555556p-2f, root_third = 0x1.279a74p-1f;
    float *rows = malloc(cells * sizeof(*rows));
    for (int plane = 0; rows && plane < 3; plane++) {
        smooth(sums[plane], rows, twin->field_width, twin->field_height, false);
        smooth(rows, sums[plane], twin->field_width, twin->field_height, true);
    }
    for (size_t i = 0; rows && i < cells; i++) {
        const float trail = displayed[i];
        const float share = sums[0][i] > 0 ? vks_reciprocal(256 * sums[0][i]) : 0;
        float east = sums[1][i] * share, south = sums[2][i] * share;
        const float length = vks_sqrt(vks_flush(east * east + south * south));
        const float stretch = vks_sqrt(length) > 0 ? vks_reciprocal(vks_sqrt(length)) : 0;
        east *= stretch;
        south *= stretch;
        const float shares[] = {third + 2 * third * east,
                                (third - third * east) + root_third * south,
                                (third - third * east) - root_third * south};
        for (size_t plane = 0; plane < 3; plane++) {
            displayed[plane * cells + i] =
                vks_flush(trail * (shares[plane] > 0 ? shares[plane] : 0));
        }
    }
    free(rows);
    return rows != NULL;
}

/* The displayed field, from the state. */
static bool read_displayed(vks_simulation *simulation, const struct view_reference *twin,
                           float *displayed)
{
    const struct vks_settings *settings = vks_simulation_settings(simulation);
    const char *view = settings->common.look.view;
    const size_t cells = (size_t)twin->field_width * twin->field_height;
    const bool agents = view && strcmp(view, "agents") == 0;
    const bool headed = view && strcmp(view, "headings") == 0;
    struct vks_field_info info = {.size = sizeof(info)};
    if (!fine(vks_simulation_read(simulation, "trail", displayed, cells * sizeof(*displayed))) ||
        !vks_simulation_field(simulation, 1, &info)) {
        return false;
    }
    float *const counts = calloc(3 * cells, sizeof(*counts));
    float *const sums[] = {counts, counts + cells, counts + 2 * cells};
    uint32_t *position = malloc(info.bytes), *heading = malloc(info.bytes / 2);
    bool good = counts && position && heading &&
                fine(vks_simulation_read(simulation, "position", position, info.bytes)) &&
                fine(vks_simulation_read(simulation, "heading", heading, info.bytes / 2));
    for (uint64_t i = 0; good && i < info.extent[0]; i++) {
        const uint64_t row = (uint64_t)position[2 * i] * twin->field_height >> 32;
        const uint64_t column = (uint64_t)position[2 * i + 1] * twin->field_width >> 32;
        const uint64_t cell = row * twin->field_width + column;
        const vks_vec2 direction = vks_sincos(heading[i]);
        sums[0][cell] += 1;
        sums[1][cell] += floorf(256 * direction.y + 0.5f);
        sums[2][cell] += floorf(256 * direction.x + 0.5f);
    }
    if (good && agents) {
        memcpy(displayed, sums[0], cells * sizeof(*displayed));
    }
    good = good && (!headed || head(twin, sums, displayed));
    free(counts);
    free(heading);
    free(position);
    return good;
}

/* One frame by the device and by the twin: RGB and, of the same frame, the YUV planes. */
static bool same_frame(vks_simulation *simulation, struct view_reference *twin, float *displayed,
                       uint32_t *pixels, uint8_t *rgb, uint8_t *planes, uint8_t *expected)
{
    const size_t count = (size_t)twin->width * twin->height;
    const size_t coded = (size_t)((twin->width + 7) / 8 * 8) * ((twin->height + 1) / 2 * 2) * 3 / 2;
    if (!read_displayed(simulation, twin, displayed) ||
        !fine(vks_simulation_render(simulation, rgb, count * 3)) ||
        !fine(vks_graph_download_to(vks_simulation_picture(simulation), "planes", planes))) {
        return false;
    }
    view_draw(twin, displayed, NULL, &(struct view_frame){.pixels = pixels});
    for (size_t i = 0; i < count; i++) {
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
        (void)fine(vks_simulation_open(context, &settings, NULL, vks_plane_bit(VKS_PLANE_YUV),
                                       &simulation));
    }
    free(copy);
    vks_settings_free(&settings);
    return simulation;
}

static void test_look(vks_context *context, const struct look *look)
{
    if (!sim_due()) {
        return;
    }
    const size_t cells = (size_t)look->width * look->height;
    uint32_t palette[256], width = 1, height = 1;
    vks_simulation *simulation = open_look(context, look);
    if (simulation) {
        vks_simulation_picture_size(simulation, &width, &height);
    }
    const size_t count = (size_t)width * height;
    const size_t coded = (count + 8 * ((size_t)height + 1) + 2 * ((size_t)width + 8)) * 3;
    float *displayed = malloc(VKS_MAX_MIX * cells * sizeof(*displayed));
    uint32_t *pixels = malloc(count * sizeof(*pixels));
    uint8_t *rgb = malloc(count * 3), *planes = malloc(coded), *expected = malloc(coded);
    XXH3_state_t *hash = XXH3_createState();
    bool good = simulation && displayed && pixels && rgb && planes && expected && hash &&
                XXH3_128bits_reset(hash) == XXH_OK;
    if (good) {
        struct view_reference twin = twin_of(simulation, palette);
        for (uint32_t i = 0; good && i < look->frames; i++) {
            good = (i == 0 || fine(vks_simulation_run(simulation, look->steps))) &&
                   same_frame(simulation, &twin, displayed, pixels, rgb, planes, expected);
            XXH3_128bits_update(hash, rgb, count * 3);
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
    free(displayed);
    report(good, "picture %s", look->name);
}

/* --- pieces ----------------------------------------------------------------------------------- */

/* 500 steps in pieces. */
static void test_pieces(vks_context *context, const char *name, const uint32_t *pieces, bool draw)
{
    const struct physarum_case *row = find_case(name);
    struct sim_run run = run_of(row);
    sim_test_pieces(context, &run, pieces, draw, row->digests[3]);
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

/* Two alternating simulations in one context do not affect each other. */
static void test_two_at_once(vks_context *context)
{
    if (!sim_due()) {
        return;
    }
    const struct physarum_case *rows[] = {find_case("ring"), find_case("bilinear-jones")};
    const struct sim_run runs[] = {run_of(rows[0]), run_of(rows[1])};
    vks_simulation *simulations[] = {sim_open(context, &runs[0]), sim_open(context, &runs[1])};
    bool good = simulations[0] && simulations[1];
    for (int i = 0; good && i < 20; i++) {
        good = fine(vks_simulation_run(simulations[i % 2], 50)) &&
               (i % 3 != 0 || fine(vks_simulation_wait(simulations[0])));
    }
    good = good && sim_has_digest(simulations[0], rows[0]->digests[3]) &&
           sim_has_digest(simulations[1], rows[1]->digests[3]);
    vks_simulation_destroy(simulations[0]);
    vks_simulation_destroy(simulations[1]);
    report(good, "two simulations that take turns");
}

/* --- changes while it runs -------------------------------------------------------------------- */

/* A reference that continues from `state`, which it takes over, with other settings and seed. */
static struct physarum_state *go_on(struct physarum_state *state, const char *options,
                                    uint32_t seed)
{
    struct physarum_settings settings;
    struct physarum_state *next =
        physarum_parse(options, &settings)
            ? physarum_create(state->width, state->height, seed, &settings)
            : NULL;
    if (next) {
        physarum_copy(next, state);
    }
    physarum_free(state);
    return next;
}

static bool equals(vks_simulation *simulation, const struct physarum_state *state)
{
    char digest[PHYSARUM_DIGEST_SIZE];
    return sim_has_digest(simulation, physarum_digest(state, digest));
}

/* The run and the reference take every change after the same step. */
static void test_changes(vks_context *context, uint32_t width, uint32_t height, const char *basis,
                         const char *variant, const char *const *changes)
{
    if (!sim_due()) {
        return;
    }
    char run_options[256], options[1024];
    struct physarum_settings settings;
    snprintf(run_options, sizeof(run_options), "%s variant=%s", basis, variant);
    const struct physarum_case row = {"", width, height, 5, "random", run_options, {NULL}};
    const struct sim_run run = run_of(&row);
    snprintf(options, sizeof(options), "%s", basis);
    vks_simulation *simulation = sim_open(context, &run);
    struct physarum_state *state =
        physarum_parse(options, &settings) ? physarum_create(width, height, 5, &settings) : NULL;
    bool good = simulation && state;
    if (good) {
        physarum_start(state, PHYSARUM_RANDOM);
    }
    for (size_t i = 0; good && changes[i]; i++) {
        const size_t length = strlen(options);
        const uint32_t steps = (uint32_t)(3 + i % 5), seed = 5 + (uint32_t)i / 3;
        snprintf(options + length, sizeof(options) - length, " %s", changes[i]);
        char words[256];
        snprintf(words, sizeof(words), "%s seed=%u", changes[i], seed);
        state = go_on(state, options, seed);
        good = state && sim_set(simulation, words) && fine(vks_simulation_run(simulation, steps));
        for (uint32_t step = 0; good && step < steps; step++) {
            physarum_step(state);
        }
        if (good && (i % 2 || !changes[i + 1]) && !equals(simulation, state)) {
            printf("# after '%s'\n", changes[i]);
            good = false;
        }
    }
    physarum_free(state);
    vks_simulation_destroy(simulation);
    report(good, "%ux%u %s: changes in the run equal the reference's", width, height, run_options);
}

static void test_all_changes(vks_context *context)
{
    /* Push constants, specializations, several at once, and what only the start depends on.
     * turn-angle follows sensor-angle until it is set. */
    static const char *const narrow[] = {"sensor-angle=30",
                                         "deposit=2.5",
                                         "decay=0.07",
                                         "step-size=1.7 sensor-distance=7",
                                         "sampling=bilinear",
                                         "steering=jones",
                                         "boundary=zero",
                                         "jitter=11",
                                         "diffuse=0.9",
                                         "jitter=0 sampling=nearest",
                                         "turn-angle=-20",
                                         "sensor-angle=60",
                                         "start-radius=0.1 field-strength=7",
                                         "steering=max boundary=periodic",
                                         NULL};
    static const char *const wide[] = {
        "diffuse-size=7", "boundary=zero",     "decay=0.2 deposit=4", "diffuse-size=5",
        "sensor-angle=9", "boundary=periodic", "diffuse=0",           NULL};
    static const char *const formed[] = {"sensor-distance-gain=-2",
                                         "turn-angle-power=0.5 trail-full=3",
                                         "trail-ahead=3 trail-below=-2",
                                         "lifetime=5",
                                         "deposit-power=0.5",
                                         "deposit-limit=4 deposit-power=2",
                                         "jitter=30",
                                         "sensor-angle-gain=30 step-size-gain=1",
                                         "lifetime=1",
                                         "lifetime=0 jitter=0 deposit-power=1",
                                         NULL};
    static const char *const form = "agents=700 decay=0.1 turn-angle-gain=20 lifetime=30";
    static const char *const species[] = {
        "attraction=chase",
        "infection=cycle infection-factor=1 infection-time=2 infection-trail=0.2",
        "sensor-distance=9,4,12",
        "attraction=1,-0.25,0.5/0.3,1,0/-1,0.5,1",
        "infection=any infection-time=1",
        "deposit=1,0.5,2 decay=0.1,0.2,0.3 diffuse=0.5",
        "steering=jones jitter=20,0,5",
        "sampling=bilinear",
        "infection=none",
        "attraction=random",
        "infection=rising infection-factor=0.5",
        "turn-angle=10,-20,30 step-size=1,2,0.5",
        "species-shares=1,2,3 species-start=bands",
        NULL};
    static const char *const species_formed[] = {"step-size-gain=1,0",
                                                 "trail-full=3,9 turn-angle-power=0.5,2",
                                                 "infection=any infection-time=2",
                                                 "infection-trail=0.1 infection-factor=1",
                                                 "deposit-power=0.5 lifetime=5",
                                                 "trail-ahead=3",
                                                 "jitter=30,0 attraction=ignore",
                                                 NULL};
    /* Each list unsorted and in one of the sorted variants. */
    static const char *const words[] = {"unsorted", "sorted-3-words"};
    static const char *const bytes[] = {"unsorted", "sorted-3-bytes"};
    for (size_t i = 0; i < 2; i++) {
        test_changes(context, 61, 37, "agents=700 decay=0.1 species=3", words[i], species);
        test_changes(context, 64, 40,
                     "agents=700 decay=0.1 species=2 turn-angle-gain=20,-20 lifetime=30", bytes[i],
                     species_formed);
    }
    static const char *const walled[] = {"at-wall=turn",
                                         "step-size=2.5",
                                         "sensor-distance=12",
                                         "wall-sight=open sampling=bilinear",
                                         "food-eaten=0.05",
                                         "walls-level=0.9 food-strength=7 food-radius=1",
                                         "boundary=zero deposit=2 lifetime=5",
                                         "at-wall=reflect step-size=0.4 wall-sight=blocked",
                                         "jitter=20 food-attraction=0.5,-1",
                                         "food-attraction=-0.3",
                                         NULL};
    static const char *const mapped[] = {
        "maps=decay=tests/sim/physarum_rooms.png:0.5:2,jitter=tests/sim/physarum_rooms.png:2:0",
        "jitter=0",
        "decay=0.3 step-size=1.4",
        "maps=decay=tests/sim/physarum_rooms.png:9:0,jitter=tests/sim/physarum_rooms.png:0:1",
        "jitter=40",
        NULL};
    for (size_t i = 0; i < 2; i++) {
        test_changes(context, 61, 37,
                     "agents=700 decay=0.1 species=2 walls=image:tests/sim/physarum_rooms.png "
                     "walls-level=0.2 food=points:0.1,0.2/0.9,0.7 food-eaten=0.01 lifetime=30",
                     bytes[i], walled);
        test_changes(context, 61, 37,
                     "agents=500 decay=0.1 jitter=15 "
                     "maps=decay=tests/sim/physarum_rooms.png:1:2,"
                     "jitter=tests/sim/physarum_rooms.png:0:3",
                     words[i], mapped);
    }
    test_changes(context, 64, 40, form, "unsorted", formed);
    test_changes(context, 61, 37, form, "sorted-3-words", formed);
    test_changes(context, 64, 40, "agents=700 decay=0.1", "unsorted", narrow);
    test_changes(context, 64, 40, "agents=700 decay=0.1", "sorted-3-words", narrow);
    test_changes(context, 61, 37, "agents=500", "unsorted", narrow);
    test_changes(context, 30, 44, "agents=300 diffuse-size=5", "sorted-4-words", wide);

    const struct physarum_case *row = find_case("default");
    struct sim_run run = run_of(row);
    sim_test_changed_restart(context, &run, "sensor-angle=33 steering=jones decay=0.2", 50);
    sim_test_changed_restart(context, &run, "init=ring start-radius=0.2 seed=1 colormap=gold", 50);
    sim_test_changed_restart(context, &run, "init=image:tests/fuzz/image/rgb8.png", 20);
    static const char *const looks_changed[] = {"colormap=viridis", "invert=true", "gamma=1.5",
                                                "contrast=2", "normalize=fixed:1:4"};
    char fixed[512];
    snprintf(fixed, sizeof(fixed), "%s normalize=fixed:0:3", run.options);
    run.options = fixed;
    for (size_t i = 0; i < sizeof(looks_changed) / sizeof(looks_changed[0]); i++) {
        sim_test_changed_look(context, &run, looks_changed[i], 20);
    }
}

/* Changes that need another graph and invalid values are refused; the run continues. */
static void test_refused_changes(vks_context *context)
{
    if (!sim_due()) {
        return;
    }
    const struct physarum_case *row = find_case("default");
    struct sim_run run = run_of(row);
    char fixed[512];
    /* Sentences name fields, which depend on the variant. */
    snprintf(fixed, sizeof(fixed), "%s normalize=fixed:0:3 variant=unsorted", run.options);
    run.options = fixed;
    vks_simulation *simulation = sim_open(context, &run);
    bool good =
        simulation && fine(vks_simulation_run(simulation, 50)) &&
        sim_refuses(simulation, "agents=77", false,
                    "changes the field 'position', which needs a new simulation") &&
        sim_refuses(simulation, "size=32x32", false, "changes the field 'trail', which needs") &&
        sim_refuses(simulation, "diffuse-size=5", false,
                    "adds the field 'row_sums', which needs") &&
        sim_refuses(simulation, "lifetime=9", false,
                    "adds the field 'parameters', which needs a new simulation") &&
        sim_refuses(simulation, "decay=2", false, "decay '2' is not a number") &&
        sim_refuses(simulation, "dekay=0.1", false, "did you mean 'decay'") &&
        sim_refuses(simulation, "colormap=/nonexistent/a.csv", true, "/nonexistent/a.csv") &&
        sim_refuses(simulation, "normalize=fixed:2:1", false, "fixed:2:1") &&
        sim_has_digest(simulation, row->digests[2]) && fine(vks_simulation_run(simulation, 450)) &&
        sim_has_digest(simulation, row->digests[3]);
    vks_simulation_destroy(simulation);
    report(good, "changes that are refused have sentences and no effect");
}

/* --- reading and writing ---------------------------------------------------------------------- */

/* The fields of a run at step 50, written into a fresh simulation, continue like the run. It uses
 * no random numbers, so the step number does not matter. */
static void test_transplant(vks_context *context, const char *name, const char *option)
{
    if (!sim_due()) {
        return;
    }
    static const char *const names[] = {"trail", "position", "heading", "species"};
    static const char *const walled[] = {"trail", "position", "heading", "walls", "food"};
    const struct physarum_case *row = find_case(name);
    const struct sim_run run = run_with(row, option);
    const bool walls = has_surroundings(row);
    const size_t count = walls ? 5 : has_species(row) ? 4 : 3;
    vks_simulation *from = sim_open(context, &run), *to = sim_open(context, &run);
    bool good = from && to && fine(vks_simulation_run(from, 50)) &&
                fine(vks_simulation_run(to, 7)); /* an odd step: the other buffers of the fields */
    for (size_t i = 0; good && i < count; i++) {
        struct vks_field_info info = {.size = sizeof(info)};
        good = vks_simulation_field(from, i, &info) &&
               strcmp(info.name, (walls ? walled : names)[i]) == 0;
        void *data = malloc(info.bytes), *back = malloc(info.bytes);
        good = good && fine(vks_simulation_read(from, info.name, data, info.bytes)) &&
               fine(vks_simulation_write(to, info.name, data, info.bytes)) &&
               fine(vks_simulation_read(to, info.name, back, info.bytes)) &&
               memcmp(data, back, info.bytes) == 0;
        free(back);
        free(data);
    }
    good = good && sim_has_digest(to, row->digests[2]) && fine(vks_simulation_run(to, 450)) &&
           sim_has_digest(to, row->digests[3]);
    vks_simulation_destroy(from);
    vks_simulation_destroy(to);
    report(good, "fields read and written go on alike, %s", run.name);
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
    if (!sim_due()) {
        return;
    }
    const struct physarum_case *row = find_case("default");
    const struct sim_run run = run_of(row);
    vks_simulation *simulation = sim_open(context, &run);
    bool good = simulation != NULL;
    float trail[64 * 64] = {0};
    uint8_t rgb[4];
    struct vks_field_info info = {.size = sizeof(info)};
    struct vks_pass_timing timing = {.size = sizeof(timing)};
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
                           "it must be 0 to 1e+30");
    trail[4095] = INFINITY;
    good = good && refused(vks_simulation_write(simulation, "trail", trail, sizeof(trail)),
                           "it must be 0 to 1e+30");
    /* None of it has changed anything. */
    good = good && fine(vks_simulation_run(simulation, 1)) &&
           sim_has_digest(simulation, row->digests[0]) &&
           !vks_simulation_field(simulation, 3, &info) &&
           vks_simulation_timing(simulation, 1, &timing) &&
           !vks_simulation_timing(simulation, 99, &timing);
    vks_simulation_destroy(simulation);
    report(good, "wrong use has sentences and no effect");
}

static void test_wrong_options(vks_context *context)
{
    if (!sim_due()) {
        return;
    }
    const struct {
        struct vks_simulation_params params;
        enum vks_result result;
        const char *words;
    } wrong[] = {
        {{.model = "physarun"}, VKS_ERROR_USAGE, "physarum"},
        {{.preset = "no-such-preset"}, VKS_ERROR_USAGE, "no-such-preset"},
        {{.init = "image:/nonexistent/a.png"}, VKS_ERROR_FILE, "/nonexistent/a.png"},
        {{.init = "somewhere"}, VKS_ERROR_USAGE, "init 'somewhere'"},
        {{.load_state = "/nonexistent/a.npz"}, VKS_ERROR_FILE, "/nonexistent/a.npz"},
        {{.options = (const char *const[]){"agents", NULL}}, VKS_ERROR_USAGE, "not NAME=VALUE"},
        {{.options = (const char *const[]){"agents=", NULL}}, VKS_ERROR_USAGE, "agents ''"},
        {{.options = (const char *const[]){"agnets=5", NULL}},
         VKS_ERROR_USAGE,
         "did you mean 'agents'"},
        {{.options = (const char *const[]){"variant=sorted", NULL}},
         VKS_ERROR_USAGE,
         "variant 'sorted' is neither auto nor a variant of physarum; see vksim physarum "
         "--help all"},
        {{.options = (const char *const[]){"variant=sorted-1001-words", NULL}},
         VKS_ERROR_USAGE,
         "variant 'sorted-1001-words'"},
        {{.options = (const char *const[]){"variant=sorted-8-halves", NULL}},
         VKS_ERROR_USAGE,
         "variant 'sorted-8-halves'"},
        {{.options = (const char *const[]){"variant=together-1", NULL}},
         VKS_ERROR_USAGE,
         "variant 'together-1'"},
        {{.options = (const char *const[]){"sort=8", NULL}},
         VKS_ERROR_USAGE,
         "'sort' was replaced by 'variant'; see vksim physarum --help all"},
        {{.options = (const char *const[]){"variant=joined", NULL}, .width = 61, .height = 64},
         VKS_ERROR_USAGE,
         "variant joined needs diffuse-size 1 or 3, a width"},
        {{.options = (const char *const[]){"variant=joined", "diffuse-size=5", NULL}},
         VKS_ERROR_USAGE,
         "variant joined needs"},
        {{.options = (const char *const[]){"variant=together-8", NULL},
          .width = 1024,
          .height = 1024},
         VKS_ERROR_USAGE,
         "variant together-8 needs diffuse-size 1 or 3, at most 65535 agents, and a field that "
         "fits"},
        {{.options = (const char *const[]){"variant=joined", "lifetime=9", NULL},
          .width = 64,
          .height = 64},
         VKS_ERROR_USAGE,
         "variant joined and lifetime exclude each other"},
        {{.options = (const char *const[]){"blend-to=wurms", NULL}},
         VKS_ERROR_USAGE,
         "blend-to 'wurms' is neither a preset of physarum nor a .json file; did you mean 'worms'"},
        {{.options = (const char *const[]){"blend-to=none.json", NULL}},
         VKS_ERROR_FILE,
         "cannot read 'none.json'"},
        {{.options = (const char *const[]){"blend-map=tests/fuzz/image/rgb8.png", NULL}},
         VKS_ERROR_USAGE,
         "blend-map needs blend-to"},
        {{.options = (const char *const[]){"blend-to=silk", "blend-spot=0.5,0.5,30",
                                           "blend-map=tests/fuzz/image/rgb8.png", NULL}},
         VKS_ERROR_USAGE,
         "blend-map and blend-spot exclude each other"},
        {{.options = (const char *const[]){"blend-to=silk", "blend-spot=0.5,1.5,30", NULL}},
         VKS_ERROR_USAGE,
         "blend-spot '0.5,1.5,30' is not X,Y,RADIUS"},
        {{.options = (const char *const[]){"blend-to=silk", "blend-spot=0.5,0.5,1e-20", NULL}},
         VKS_ERROR_USAGE,
         "blend-spot '0.5,0.5,1e-20' is not X,Y,RADIUS"},
        {{.options = (const char *const[]){"blend-to=silk", "blend-spot=0.5,0.5,9,", NULL}},
         VKS_ERROR_USAGE,
         "blend-spot '0.5,0.5,9,' is not X,Y,RADIUS"},
        {{.options = (const char *const[]){"blend-to=silk", "blend-map=none.png", NULL}},
         VKS_ERROR_FILE,
         "cannot read 'none.png'"},
        {{.width = 65536, .height = 65536}, VKS_ERROR_USAGE, "65536x65536"},
        {{.width = 16384, .height = 16384}, VKS_ERROR_USAGE, "the fields need "},
    };
    const uint64_t memory = context->gpu.info.memory;
    bool good = true;
    context->gpu.info.memory = 1 << 28; /* some devices fit any size */
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        vks_simulation *simulation = NULL;
        struct vks_simulation_params params = wrong[i].params;
        params.size = sizeof(params);
        enum vks_result result = vks_simulation_create(context, &params, &simulation);
        if (result != wrong[i].result || simulation || !strstr(vks_error_text(), wrong[i].words)) {
            printf("# row %zu: result %d, '%s'\n", i, (int)result, vks_error_text());
            good = false;
            vks_simulation_destroy(simulation);
        }
    }
    context->gpu.info.memory = memory;
    report(good, "wrong parameters have sentences");
}

/* To the last moment in one of four cases; what the others show is there after 50 steps. */
static size_t count_moments(size_t i)
{
    return i % 4 == 0 ? PHYSARUM_MOMENTS : PHYSARUM_MOMENTS - 1;
}

/* Through a file, from the second moment to the third. */
static void test_save_and_load(vks_context *context, const struct physarum_case *row,
                               const struct sim_run *run)
{
    sim_test_save_and_load(context, run, physarum_moments[1], row->digests[1],
                           physarum_moments[2] - physarum_moments[1], row->digests[2]);
}

/* The order of agents in memory changes no downloaded byte. Besides unsorted, each case runs in one
 * of these variants, and one in four in pieces and through a file. */
static void test_sorted(vks_context *context)
{
    static const char *const sorts[] = {"variant=sorted-1-bytes", "variant=sorted-3-words",
                                        "variant=sorted-8-bytes"};
    static const uint32_t pieces[] = {7, 13, 1, 29, 0};
    for (size_t i = 0; i < physarum_case_count; i++) {
        const struct physarum_case *row = &physarum_cases[i];
        const struct sim_run run = run_with(row, sorts[i % 3]);
        sim_test_moments(context, &run, physarum_moments, row->digests, PHYSARUM_MOMENTS - 1);
        if (i % 4 == 0 && count_cells(row) <= LARGE) {
            sim_test_pieces(context, &run, pieces, i % 8 == 0, row->digests[2]);
            test_save_and_load(context, row, &run);
        }
    }
    const struct physarum_case *random = find_case("jones-jitter");
    struct sim_run run = run_with(random, "variant=sorted-3-bytes");
    sim_test_restart(context, &run, 50, random->digests[2]);
    sim_test_save_and_load(context, &run, 50, random->digests[2], 450, random->digests[3]);
}

/* Whether the case has no option that excludes steps that share dispatches. */
static bool is_plain(const struct physarum_case *row)
{
    static const char *const features[] = {
        "-gain=", "blend-to=", "lifetime=", "deposit-power=", "deposit-limit="};
    bool found = has_species(row) || has_surroundings(row);
    for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++) {
        found = found || strstr(row->options, features[i]);
    }
    return !found;
}

/* Steps that share dispatches, where the case can: with all drivers of the tests, a workgroup holds
 * 2 500 cells. */
static void test_fused(vks_context *context)
{
    static const uint32_t pieces[] = {7, 64, 1, 29, 399, 0};
    static const char *const fuses[] = {"variant=joined", "variant=together-2",
                                        "variant=together-7", "variant=together-64"};
    size_t joined = 0, together = 0;
    for (size_t i = 0; i < physarum_case_count; i++) {
        const struct physarum_case *row = &physarum_cases[i];
        const bool fit = is_plain(row) && row->width * row->height <= 8192 &&
                         strstr(row->options, "diffuse-size=5") == NULL &&
                         strstr(row->options, "diffuse-size=7") == NULL;
        for (size_t j = 0; fit && j < sizeof(fuses) / sizeof(fuses[0]); j++) {
            const bool fits = j == 0 ? row->width % 4 == 0 : row->width * row->height <= 2500;
            if (!fits || (j > 0 && i % 3 != j - 1)) {
                continue;
            }
            joined += j == 0;
            together += j > 0;
            const struct sim_run run = run_with(row, fuses[j]);
            sim_test_moments(context, &run, physarum_moments, row->digests, count_moments(i));
            if (i == 0) {
                sim_test_pieces(context, &run, pieces, j == 0, row->digests[3]);
            }
        }
    }
    report(joined >= 8 && together >= 5, "%zu cases have joined passes, %zu one workgroup", joined,
           together);
    const struct physarum_case *row = find_case("default");
    const struct sim_run run = run_with(row, "variant=joined");
    sim_test_restart(context, &run, 50, row->digests[2]);
    sim_test_save_and_load(context, &run, 50, row->digests[2], 450, row->digests[3]);
}

/* Whether a run of many agents has the same state in that variant as without sorting. */
static bool equals_unsorted(vks_context *context, const char *options, const char *variant,
                            uint32_t steps)
{
    char hex[33] = "", one[512], other[512];
    snprintf(one, sizeof(one), "%s variant=%s", options, variant);
    snprintf(other, sizeof(other), "%s variant=unsorted", options);
    const struct physarum_case rows[] = {{"", 112, 75, 5, "point", one, {NULL}},
                                         {"", 112, 75, 5, "point", other, {NULL}}};
    const struct sim_run runs[] = {run_of(&rows[0]), run_of(&rows[1])};
    vks_simulation *a = sim_open(context, &runs[0]), *b = sim_open(context, &runs[1]);
    const bool good = a && b && fine(vks_simulation_run(a, steps)) &&
                      fine(vks_simulation_run(b, steps)) && fine(vks_simulation_digest(b, hex)) &&
                      sim_has_digest(a, hex);
    vks_simulation_destroy(a);
    vks_simulation_destroy(b);
    return good;
}

/* The variant that the device prefers for many agents. */
static void test_automatic(vks_context *context, const char *options)
{
    if (sim_due()) {
        report(equals_unsorted(context, options, "auto", 39), "many agents: %s equals unsorted",
               options);
    }
}

/* Several general agents, or agents of several species, per invocation, and crowds of more than a
 * byte counts; physarum_crowds.c has crowds in all variants. */
static void test_many(vks_context *context)
{
    static const struct {
        const char *variant, *options;
    } many[] = {
        {"sorted-2-bytes", "agents=500000 decay=0.1 jitter=20 sensor-distance-gain=6 "
                           "turn-angle-gain=30 lifetime=20 deposit-power=0.5 deposit-limit=3000"},
        {"sorted-2-words",
         "agents=500000 decay=0.1 jitter=20,10,30 species=3 species-shares=5,1,2 attraction=chase "
         "infection=cycle infection-factor=1 infection-time=2 infection-trail=0.5"},
        {"sorted-2-bytes",
         "agents=500000 decay=0.1 jitter=20 walls=image:tests/sim/physarum_rooms.png at-wall=turn "
         "food=points:0.3,0.4 maps=decay=tests/sim/physarum_shares.png:0.5:2"},
    };
    for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++) {
        if (sim_runs_all()) { /* software takes seconds for each */
            report(equals_unsorted(context, many[i].options, many[i].variant, 7),
                   "many agents: %s, %s equals unsorted", many[i].options, many[i].variant);
        }
    }
}

/* A second species without agents that attracts no one leaves the bytes of one species. */
static void test_share_of_0(vks_context *context, const char *name, const char *variant)
{
    if (!sim_due()) {
        return;
    }
    const struct physarum_case *row = find_case(name);
    char options[256], digest[PHYSARUM_DIGEST_SIZE];
    snprintf(options, sizeof(options),
             "species=2 species-shares=1,0 attraction=ignore infection=any variant=%s", variant);
    const struct sim_run run = run_with(row, options);
    struct physarum_settings settings;
    vks_simulation *simulation = sim_open(context, &run);
    struct physarum_state *one = physarum_parse(row->options, &settings)
                                     ? physarum_create(row->width, row->height, 1, &settings)
                                     : NULL;
    const size_t cells = (size_t)row->width * row->height;
    float *trails = malloc(2 * cells * sizeof(float));
    bool good = simulation && one && trails && fine(vks_simulation_run(simulation, 50)) &&
                fine(vks_simulation_read(simulation, "trail", trails, 2 * cells * sizeof(float))) &&
                fine(vks_simulation_read(simulation, "position", one->position,
                                         one->agents * 2 * sizeof(uint32_t))) &&
                fine(vks_simulation_read(simulation, "heading", one->heading,
                                         one->agents * sizeof(uint32_t)));
    if (good) {
        memcpy(one->trail, trails, cells * sizeof(float));
        good = strcmp(physarum_digest(one, digest), row->digests[2]) == 0;
    }
    for (size_t cell = cells; good && cell < 2 * cells; cell++) {
        good = trails[cell] == 0.0f;
    }
    free(trails);
    physarum_free(one);
    vks_simulation_destroy(simulation);
    report(good, "%s equals one species", run.name);
}

static void test_shares_of_0(vks_context *context)
{
    static const char *const names[] = {"default", "bilinear-jones", "ring",     "wide-7-zero",
                                        "form",    "blend-spot",     "lifetime", "limit"};
    static const char *const variants[] = {"unsorted", "sorted-3-bytes", "sorted-2-words"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        test_share_of_0(context, names[i], variants[i % 3]);
    }
}

static void run_all(vks_context *context)
{
    for (size_t i = 0; i < physarum_case_count; i++) {
        const struct physarum_case *row = &physarum_cases[i];
        struct sim_run run = run_of(row);
        sim_test_moments(context, &run, physarum_moments, row->digests, count_moments(i));
    }
    for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
        test_look(context, &looks[i]);
    }
    test_all_pieces(context);
    test_two_at_once(context);
    const struct physarum_case *random = find_case("jones-jitter");
    struct sim_run run = run_of(random);
    sim_test_restart(context, &run, 50, random->digests[2]);
    sim_test_save_and_load(context, &run, 50, random->digests[2], 450, random->digests[3]);
    const struct physarum_case *attraction = find_case("random-attraction"); /* from the seed */
    run = run_of(attraction);
    sim_test_restart(context, &run, 50, attraction->digests[2]);
    for (size_t i = 0; i < physarum_case_count; i += 3) {
        const struct physarum_case *row = &physarum_cases[i];
        run = run_of(row);
        test_save_and_load(context, row, &run);
    }
    test_all_changes(context);
    test_refused_changes(context);
    test_sorted(context);
    test_fused(context);
    physarum_test_crowds(context);
    test_automatic(context, "agents=60000 steering=jones jitter=9");
    test_automatic(context, "agents=60000 boundary=zero decay=0.2");
    test_automatic(context, "agents=60000 species=3 attraction=chase decay=0.1 jitter=9");
    test_shares_of_0(context);
    test_many(context);
    test_transplant(context, "default", "variant=unsorted");
    test_transplant(context, "default", "variant=sorted-8-bytes");
    test_transplant(context, "default", "variant=joined");
    test_transplant(context, "default", "variant=together-5");
    test_transplant(context, "rising", "variant=unsorted");
    test_transplant(context, "rising", "variant=sorted-8-bytes");
    test_transplant(context, "walls", "variant=unsorted");
    test_transplant(context, "walls", "variant=sorted-8-bytes");
    test_wrong_use(context);
    test_wrong_options(context);
}

static void run_few(vks_context *context)
{
    for (size_t i = 0; i < 3; i++) {
        const struct physarum_case *row = &physarum_cases[i];
        struct sim_run run = run_of(row);
        sim_test_moments(context, &run, physarum_moments, row->digests, 3);
    }
}

int main(int argc, char **argv)
{
    return sim_test_main(argc, argv, "physarum", run_all, run_few);
}
