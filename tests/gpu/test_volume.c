/* SPDX-License-Identifier: MIT */
/* A simulation of a volume on a device: its fields as the library describes them, read, written,
 * saved and loaded. */
#include "gpu_test.h"

#include <unistd.h>

#include "base/memory.h"
#include "api/simulation.h"
#include "../npz_add.h"
#include "volume_model.h"

enum { WIDTH = 7, HEIGHT = 5, GRAINS = 11 };

static vks_context *context;
static char path[300];

/* "name=value name=value ..." */
static void set_words(struct vks_settings *settings, const char *words)
{
    char text[256];
    snprintf(text, sizeof(text), "%s", words);
    char *rest = text;
    for (char *word = strtok_r(rest, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        *value = '\0';
        ASSERT_FINE(vks_settings_set(settings, word, value + 1));
    }
}

static vks_simulation *open_volume(const struct vks_state_file *file, const char *size)
{
    struct vks_settings settings = {0};
    vks_simulation *simulation = NULL;
    ASSERT_FINE(vks_settings_init(&settings, &volume_model));
    if (file) {
        ASSERT_FINE(vks_state_file_apply(file, &settings));
    } else {
        ASSERT_FINE(vks_settings_set(&settings, "size", size));
        ASSERT_FINE(vks_settings_set(&settings, "grains", "11"));
    }
    ASSERT_FINE(vks_settings_finish(&settings));
    ASSERT_FINE(vks_simulation_open(context, &settings, file, 0, &simulation));
    vks_settings_free(&settings);
    return simulation;
}

struct wanted {
    const char *name;
    enum vks_element element;
    uint32_t rank;
    uint64_t extent[4];
};

/* The grid's fields in a volume, and at depth 1: `density` has the grid's rank, `flow` its own. */
static const struct wanted deep[] = {
    {"tones", VKS_F32, 1, {VOLUME_TONES}},
    {"table", VKS_F32, 2, {VOLUME_TABLE_ROWS, VOLUME_TABLE_COLUMNS}},
    {"floor", VKS_U32, 2, {HEIGHT, WIDTH}},
    {"density", VKS_F32, 3, {3, HEIGHT, WIDTH}},
    {"heat", VKS_F32, 3, {3, HEIGHT, WIDTH}},
    {"flow", VKS_U32X2, 4, {3, HEIGHT, WIDTH, 2}},
    {"place", VKS_U32X2, 2, {GRAINS, 2}},
    {"mass", VKS_F32, 1, {GRAINS}},
};
static const struct wanted flat[] = {
    {"tones", VKS_F32, 1, {VOLUME_TONES}},
    {"table", VKS_F32, 2, {VOLUME_TABLE_ROWS, VOLUME_TABLE_COLUMNS}},
    {"floor", VKS_U32, 2, {HEIGHT, WIDTH}},
    {"density", VKS_F32, 2, {HEIGHT, WIDTH}},
    {"heat", VKS_F32, 2, {HEIGHT, WIDTH}},
    {"flow", VKS_U32X2, 4, {1, HEIGHT, WIDTH, 2}},
    {"place", VKS_U32X2, 2, {GRAINS, 2}},
    {"mass", VKS_F32, 1, {GRAINS}},
};
enum { FIELDS = 8 };

static void check_fields(vks_simulation *simulation, const struct wanted *wanted)
{
    struct vks_field_info info = {.size = sizeof(info)};
    for (size_t i = 0; i < FIELDS; i++) {
        uint64_t bytes = 4;
        assert_true(vks_simulation_field(simulation, i, &info));
        assert_string_equal(info.name, wanted[i].name);
        assert_int_equal(info.element, wanted[i].element);
        assert_int_equal(info.rank, wanted[i].rank);
        assert_memory_equal(info.extent, wanted[i].extent, sizeof(info.extent));
        for (uint32_t axis = 0; axis < info.rank; axis++) {
            bytes *= info.extent[axis];
        }
        assert_int_equal(info.bytes, bytes);
    }
    assert_false(vks_simulation_field(simulation, FIELDS, &info));
}

/* Random words that are finite and not subnormal as floats. */
static void fill(uint32_t *words, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++) {
        words[i] = ((uint32_t)next_word(&seed) & 0x007fffff) | 0x3f800000;
    }
}

static void round_trip(const char *size, const struct wanted *wanted)
{
    char before[33], after[33];
    struct vks_state_file file = {0};
    vks_simulation *simulation = open_volume(NULL, size);
    check_fields(simulation, wanted);
    for (size_t i = 0; i < FIELDS; i++) {
        struct vks_field_info info = {.size = sizeof(info)};
        assert_true(vks_simulation_field(simulation, i, &info));
        uint32_t *data = allocate(info.bytes), *back = allocate(info.bytes);
        fill(data, info.bytes / 4, i);
        ASSERT_FINE(vks_simulation_write(simulation, info.name, data, info.bytes));
        ASSERT_FINE(vks_simulation_read(simulation, info.name, back, info.bytes));
        assert_memory_equal(data, back, info.bytes);
        free(back);
        free(data);
    }
    ASSERT_FINE(vks_simulation_digest(simulation, before));
    ASSERT_FINE(vks_simulation_save(simulation, path, true));
    vks_simulation_destroy(simulation);

    ASSERT_FINE(vks_state_file_open(&file, path, &volume_model));
    json_t *options = json_object_get(file.header, "options");
    assert_string_equal(json_string_value(json_object_get(options, "size")), size);
    for (size_t i = 0; i < FIELDS; i++) {
        const struct vks_npy *array = vks_npz_find(file.npz, wanted[i].name);
        assert_non_null(array);
        assert_int_equal(array->rank, wanted[i].rank);
        assert_memory_equal(array->shape, wanted[i].extent, array->rank * sizeof(uint64_t));
    }
    simulation = open_volume(&file, NULL);
    check_fields(simulation, wanted);
    ASSERT_FINE(vks_simulation_digest(simulation, after));
    assert_string_equal(before, after);
    vks_simulation_destroy(simulation);
    vks_state_file_close(&file);
}

static void test_round_trip(void **state)
{
    (void)state;
    round_trip("7x5x3", deep);
    round_trip("7x5", flat);
}

/* Arrays that do not fit, from a file without a header. */
static void test_misfits(void **state)
{
    (void)state;
    static const float zeros[256];
    static const struct {
        const char *name;
        uint32_t rank;
        uint64_t shape[4];
        const char *words;
    } cases[] = {
        {"density", 4, {3, 5, 7, 1}, "'density' has shape 3 x 5 x 7 x 1; this run needs 3 x 5 x 7"},
        {"table", 2, {5, 7}, "'table' has shape 5 x 7; this run needs 4 x 6"},
        {"tones", 1, {11}, "'tones' has shape 11; this run needs 7"},
        {"floor", 2, {5, 8}, "'floor' has shape 5 x 8; this run needs 5 x 7"},
        {"flow", 3, {3, 5, 7}, "'flow' has shape 3 x 5 x 7; this run needs 3 x 5 x 7 x 2"},
        {"floor", 2, {5, 7}, "'floor' has elements of type float32; it takes uint32"},
    };
    for (size_t i = 0; i < VKS_COUNT(cases); i++) {
        struct vks_npz_writer *writer;
        struct vks_state_file file = {0};
        struct vks_settings settings = {0};
        vks_simulation *simulation = NULL;
        ASSERT_FINE(vks_npz_create(path, true, &writer));
        ASSERT_FINE(npz_add(writer, cases[i].name, 'f', 4, cases[i].rank, cases[i].shape, zeros));
        ASSERT_FINE(vks_npz_finish(writer));
        ASSERT_FINE(vks_settings_init(&settings, &volume_model));
        ASSERT_FINE(vks_settings_set(&settings, "size", "7x5x3"));
        ASSERT_FINE(vks_state_file_open(&file, path, &volume_model));
        ASSERT_FINE(vks_state_file_apply(&file, &settings));
        ASSERT_FINE(vks_settings_finish(&settings));
        assert_int_equal(vks_simulation_open(context, &settings, &file, 0, &simulation),
                         VKS_ERROR_FILE);
        if (!strstr(vks_error_text(), cases[i].words)) {
            fail_msg("'%s' does not say '%s'", vks_error_text(), cases[i].words);
        }
        vks_state_file_close(&file);
        vks_settings_free(&settings);
    }
}

/* The depth of the parameters is passed to the settings; flat models refuse it. */
static void test_parameters(void **state)
{
    (void)state;
    vks_simulation *simulation = NULL;
    struct vks_simulation_params params =
        VKS_SIMULATION_PARAMS(.width = 16, .height = 8, .depth = 4);
    assert_int_equal(vks_simulation_create(context, &params, &simulation), VKS_ERROR_USAGE);
    assert_string_equal(vks_error_text(), "'physarum' is two-dimensional: size takes "
                                          "WIDTHxHEIGHT, not 16x8x4");
    params.depth = 1;
    ASSERT_FINE(vks_simulation_create(context, &params, &simulation));
    vks_simulation_destroy(simulation);
}

/* --- pictures --------------------------------------------------------------------------------- */

/* A volume with noise in both fields, or a uniform `density`. */
static vks_simulation *open_shown(const char *words, bool even)
{
    struct vks_settings settings = {0};
    struct vks_field_info info = {.size = sizeof(info)};
    vks_simulation *simulation = NULL;
    ASSERT_FINE(vks_settings_init(&settings, &volume_model));
    set_words(&settings, words);
    ASSERT_FINE(vks_settings_finish(&settings));
    ASSERT_FINE(vks_simulation_open(context, &settings, NULL, VKS_VIEW_BANDS, &simulation));
    vks_settings_free(&settings);
    for (size_t i = 0; vks_simulation_field(simulation, i, &info); i++) {
        const bool density = strcmp(info.name, "density") == 0;
        if (!density && strcmp(info.name, "heat") != 0) {
            continue;
        }
        float *values = allocate(info.bytes);
        uint64_t random = density;
        for (size_t k = 0; k < info.bytes / sizeof(*values); k++) {
            values[k] = (float)(density && even ? 3 : between(&random, 0, 9));
        }
        ASSERT_FINE(vks_simulation_write(simulation, info.name, values, info.bytes));
        free(values);
    }
    return simulation;
}

struct shot {
    uint32_t width, height;
    size_t size;
    uint8_t *rgb;
};

static struct shot shoot(vks_simulation *simulation)
{
    struct shot shot;
    vks_simulation_picture_size(simulation, &shot.width, &shot.height);
    shot.size = (size_t)shot.width * shot.height * 3;
    shot.rgb = allocate(shot.size);
    ASSERT_FINE(vks_simulation_render(simulation, shot.rgb, shot.size));
    return shot;
}

static bool is_same(const struct shot *a, const struct shot *b)
{
    return a->width == b->width && a->height == b->height && memcmp(a->rgb, b->rgb, a->size) == 0;
}

/* The picture has the plane's size, the look determines the passes, and fields of flat grids need
 * no projection. */
static void test_planes(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        uint32_t width, height;
        bool projects;
    } rows[] = {
        {"size=7x5x3 view=density", 7, 5, true},
        {"size=7x5x3 view=density axis=z", 7, 5, true},
        {"size=7x5x3 view=density axis=y", 7, 3, true},
        {"size=7x5x3 view=density axis=x project=max", 5, 3, true},
        {"size=7x5x3 view=density axis=x crop=2,1,3x2", 3, 2, true},
        {"size=7x5x3 view=density axis=x output-size=0x30", 50, 30, true},
        {"size=7x5x3 view=shadow", 7, 5, false}, /* a plane of the model's own */
        {"size=7x5 view=density", 7, 5, false},
        {"size=7x5x1 view=density", 7, 5, false},
        {"size=7x1x5 view=density", 7, 1, true},
    };
    for (size_t i = 0; i < VKS_COUNT(rows); i++) {
        vks_simulation *simulation = open_shown(rows[i].words, false);
        const struct vks_declaration *declaration =
            vks_graph_declaration(vks_simulation_picture(simulation));
        const struct shot shot = shoot(simulation);
        if (shot.width != rows[i].width || shot.height != rows[i].height ||
            vks_has_pass(declaration, "project") != rows[i].projects) {
            fail_msg("%s: %ux%u", rows[i].words, shot.width, shot.height);
        }
        free(shot.rgb);
        vks_simulation_destroy(simulation);
    }
}

/* A live change gives the picture of a simulation opened with it; a refused one changes nothing.
 * With uniform `density`, `heat` is displayed. */
static void test_live_looks(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value, *words; /* NULL: taken */
    } changes[] = {
        {"slice", "0.9", NULL},
        {"tone", "log", NULL},
        {"axis", "y", NULL}, /* 9 x 9 cells as along z */
        {"slice", "0", NULL},
        {"slice", "2", "slice '2' is not a number from 0 to 1"},
        {"project", "mean", "slice '0' requires project slice, not project mean"},
        {"view", "shadow", "axis 'y' requires a volume, and this view is flat"},
        {"axis", "w", "axis 'w' is not one of: x, y, z"},
        {"view", "denisty", "whose views are: density, shadow (did you mean 'density'?)"},
        {"tone", "linear", NULL},
        {"size", "9x9", "axis 'y' requires a volume, and this view is flat"},
    };
    for (int even = 0; even < 2; even++) {
        char words[256] = "size=9x9x9 normalize=frame"; /* a chosen view has no fallback */
        vks_simulation *simulation = open_shown(words, even);
        for (size_t i = 0; i < VKS_COUNT(changes); i++) {
            const struct shot before = shoot(simulation);
            const enum vks_result result =
                vks_simulation_set(simulation, changes[i].name, changes[i].value);
            if ((result == VKS_OK) != (changes[i].words == NULL) ||
                (changes[i].words && !strstr(vks_error_text(), changes[i].words))) {
                fail_msg("%s=%s: '%s'", changes[i].name, changes[i].value, vks_error_text());
            }
            const struct shot after = shoot(simulation);
            if (changes[i].words) {
                assert_true(is_same(&before, &after));
            } else {
                const size_t used = strlen(words);
                snprintf(words + used, sizeof(words) - used, " %s=%s", changes[i].name,
                         changes[i].value);
                vks_simulation *fresh = open_shown(words, even);
                const struct shot wanted = shoot(fresh);
                assert_true(is_same(&after, &wanted) && !is_same(&after, &before));
                free(wanted.rgb);
                vks_simulation_destroy(fresh);
            }
            free(after.rgb);
            free(before.rgb);
        }
        vks_simulation_destroy(simulation);
    }
}

/* Changes of a running simulation, one after another, give the pictures of simulations opened with
 * them. */
static void change_one_by_one(const char *const (*changes)[2], size_t count)
{
    char words[512] = "size=9x8x7 view=density normalize=frame";
    vks_simulation *simulation = open_shown(words, false);
    for (size_t i = 0; i < count; i++) {
        const size_t used = strlen(words);
        snprintf(words + used, sizeof(words) - used, " %s=%s", changes[i][0], changes[i][1]);
        ASSERT_FINE(vks_simulation_set(simulation, changes[i][0], changes[i][1]));
        vks_simulation *fresh = open_shown(words, false);
        const struct shot got = shoot(simulation), wanted = shoot(fresh);
        assert_true(is_same(&got, &wanted));
        free(wanted.rgb);
        free(got.rgb);
        vks_simulation_destroy(fresh);
    }
    vks_simulation_destroy(simulation);
}

/* Planes of another shape, views of other fields and pictures of other sizes. */
static void test_live_structure(void **state)
{
    (void)state;
    static const char *const changes[][2] = {
        {"axis", "x"},          {"output-size", "40x30"},
        {"axis", "y"},          {"slice", "0.25"},
        {"output-size", "8x0"}, {"hillshade", "2"},
        {"bloom", "1"},         {"crop", "2,1,5x4"},
        {"background", "red"},  {"output-size", "20x20"},
        {"fit", "crop"},        {"bloom", "0"},
        {"hillshade", "0"},     {"axis", "x"},
        {"gamma", "0.7"},       {"invert", "true"},
    };
    change_one_by_one(changes, VKS_COUNT(changes));
}

/* A camera, and what goes with it. */
static void test_live_cameras(void **state)
{
    (void)state;
    static const char *const changes[][2] = {
        {"camera", "30,20"},   {"output-size", "40x30"}, {"project", "column"}, {"zoom", "1.5"},
        {"camera", "-50,-70"}, {"project", "soft"},      {"hillshade", "1"},    {"zoom", "1"},
        {"project", "column"}, {"camera", "none"},       {"project", "max"},
    };
    change_one_by_one(changes, VKS_COUNT(changes));
}

/* All projections in turn on a running simulation. */
static void test_live_projections(void **state)
{
    (void)state;
    static const char *const kinds[] = {"mean", "max", "column", "slice", "mean"};
    vks_simulation *simulation =
        open_shown("size=7x5x11 view=density axis=x normalize=frame", false);
    for (size_t i = 0; i < VKS_COUNT(kinds); i++) {
        char words[128];
        ASSERT_FINE(vks_simulation_set(simulation, "project", kinds[i]));
        snprintf(words, sizeof(words), "size=7x5x11 view=density axis=x normalize=frame project=%s",
                 kinds[i]);
        vks_simulation *fresh = open_shown(words, false);
        const struct shot got = shoot(simulation), wanted = shoot(fresh);
        assert_true(is_same(&got, &wanted));
        free(wanted.rgb);
        free(got.rgb);
        vks_simulation_destroy(fresh);
    }
    vks_simulation_destroy(simulation);
}

/* Options for volumes are refused for flat fields, wherever that is detected. */
static void test_flat_refusals(void **state)
{
    (void)state;
    static const char *const looks[] = {"axis=z", "slice=0.5", "camera=30,20", "spin=1"};
    for (size_t i = 0; i < VKS_COUNT(looks); i++) {
        for (int volume = 0; volume < 2; volume++) {
            struct vks_settings settings = {0};
            vks_simulation *simulation = NULL;
            ASSERT_FINE(vks_settings_init(&settings, &volume_model));
            set_words(&settings, volume ? "size=7x5x3 view=shadow" : "size=7x5 view=density");
            set_words(&settings, looks[i]);
            enum vks_result result = vks_settings_finish(&settings);
            if (volume) { /* only the declaration reveals that this view is a plane */
                ASSERT_FINE(result);
                result = vks_simulation_open(context, &settings, NULL, 0, &simulation);
            }
            assert_int_equal(result, VKS_ERROR_USAGE);
            assert_non_null(strstr(vks_error_text(), "requires a volume, and this view is flat"));
            vks_settings_free(&settings);
        }
    }
}

/* A plane is its own projection. */
static void test_flat_projections(void **state)
{
    (void)state;
    static const char *const projections[] = {"project=column", "project=mean", "project=max"};
    vks_simulation *plain = open_shown("size=7x5 view=density normalize=frame", false);
    const struct shot expected = shoot(plain);
    for (size_t i = 0; i < VKS_COUNT(projections); i++) {
        char words[80];
        snprintf(words, sizeof(words), "size=7x5 view=density normalize=frame %s", projections[i]);
        vks_simulation *simulation = open_shown(words, false);
        const struct shot got = shoot(simulation);
        assert_true(is_same(&got, &expected));
        free(got.rgb);
        vks_simulation_destroy(simulation);
    }
    free(expected.rgb);
    vks_simulation_destroy(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planes),           cmocka_unit_test(test_live_looks),
        cmocka_unit_test(test_live_structure),   cmocka_unit_test(test_live_cameras),
        cmocka_unit_test(test_flat_projections), cmocka_unit_test(test_live_projections),
        cmocka_unit_test(test_flat_refusals),    cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_misfits),          cmocka_unit_test(test_parameters),
    };
    const char *base = getenv("TMPDIR");
    snprintf(path, sizeof(path), "%.200s/vksim-volume-%ld.npz", base && *base ? base : "/tmp",
             (long)getpid());
    const struct vks_gpu_params params = {.no_disk_cache = true, .validation = VKS_VALIDATION_CORE};
    if (vks_context_open(&params, &context) != VKS_OK) {
        printf("Bail out! %s\n", vks_error_text());
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    const uint64_t messages = vks_context_close(context);
    unlink(path);
    if (messages > 0) {
        printf("# %d validation messages\n", (int)messages);
    }
    return failed || messages > 0;
}
