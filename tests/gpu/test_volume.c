/* SPDX-License-Identifier: MIT */
/* A simulation of a volume on a device: its fields as the library describes them, read, written,
 * saved and loaded. */
#include "gpu_test.h"

#include <unistd.h>

#include "base/memory.h"
#include "simulation.h"
#include "volume_model.h"

enum { WIDTH = 7, HEIGHT = 5, GRAINS = 11 };

static vks_context *context;
static char path[300];

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

/* The fields of the grid in a volume, and in one of depth 1: `density` leaves its rank to the core,
 * `flow` does not. */
static const struct wanted deep[] = {
    {"tones", VKS_F32, 1, {VOLUME_TONES}},
    {"table", VKS_F32, 2, {VOLUME_TABLE_ROWS, VOLUME_TABLE_COLUMNS}},
    {"floor", VKS_U32, 2, {HEIGHT, WIDTH}},
    {"density", VKS_F32, 3, {3, HEIGHT, WIDTH}},
    {"flow", VKS_U32X2, 4, {3, HEIGHT, WIDTH, 2}},
    {"place", VKS_U32X2, 2, {GRAINS, 2}},
    {"mass", VKS_F32, 1, {GRAINS}},
};
static const struct wanted flat[] = {
    {"tones", VKS_F32, 1, {VOLUME_TONES}},
    {"table", VKS_F32, 2, {VOLUME_TABLE_ROWS, VOLUME_TABLE_COLUMNS}},
    {"floor", VKS_U32, 2, {HEIGHT, WIDTH}},
    {"density", VKS_F32, 2, {HEIGHT, WIDTH}},
    {"flow", VKS_U32X2, 4, {1, HEIGHT, WIDTH, 2}},
    {"place", VKS_U32X2, 2, {GRAINS, 2}},
    {"mass", VKS_F32, 1, {GRAINS}},
};
enum { FIELDS = 7 };

static void check_fields(vks_simulation *simulation, const struct wanted *wanted)
{
    struct vks_field_info info;
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

/* Numbers of a field that are finite and not subnormal as floats. */
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
        struct vks_field_info info;
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
    ASSERT_FINE(vks_simulation_save(simulation, path));
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
        {"density", 4, {3, 5, 7, 1}, "'density' has shape 3 x 5 x 7 x 1, this run needs 3 x 5 x 7"},
        {"table", 2, {5, 7}, "'table' has shape 5 x 7, this run needs 4 x 6"},
        {"tones", 1, {11}, "'tones' has shape 11, this run needs 7"},
        {"floor", 2, {5, 8}, "'floor' has shape 5 x 8, this run needs 5 x 7"},
        {"flow", 3, {3, 5, 7}, "'flow' has shape 3 x 5 x 7, this run needs 3 x 5 x 7 x 2"},
        {"floor", 2, {5, 7}, "'floor' has elements of a type it cannot have; it takes uint32"},
    };
    for (size_t i = 0; i < VKS_COUNT(cases); i++) {
        struct vks_npz_writer *writer;
        struct vks_state_file file = {0};
        struct vks_settings settings = {0};
        vks_simulation *simulation = NULL;
        ASSERT_FINE(vks_npz_create(path, true, &writer));
        ASSERT_FINE(
            vks_npz_add(writer, cases[i].name, 'f', 4, cases[i].rank, cases[i].shape, zeros));
        ASSERT_FINE(vks_npz_finish(writer));
        ASSERT_FINE(vks_settings_init(&settings, &volume_model));
        ASSERT_FINE(vks_settings_set(&settings, "size", "7x5x3"));
        ASSERT_FINE(vks_state_file_open(&file, path, &volume_model));
        ASSERT_FINE(vks_state_file_apply(&file, &settings));
        assert_int_equal(vks_simulation_open(context, &settings, &file, 0, &simulation),
                         VKS_ERROR_FILE);
        if (!strstr(vks_error_text(), cases[i].words)) {
            fail_msg("'%s' does not say '%s'", vks_error_text(), cases[i].words);
        }
        vks_state_file_close(&file);
        vks_settings_free(&settings);
    }
}

/* The depth of the parameters goes to the settings: the models there are refuse one. */
static void test_parameters(void **state)
{
    (void)state;
    vks_simulation *simulation = NULL;
    struct vks_simulation_params params = {.width = 16, .height = 8, .depth = 4};
    assert_int_equal(vks_simulation_create(context, &params, &simulation), VKS_ERROR_USAGE);
    assert_string_equal(vks_error_text(), "'physarum' is two-dimensional: --size takes "
                                          "WIDTHxHEIGHT, not 16x8x4");
    params.depth = 1;
    ASSERT_FINE(vks_simulation_create(context, &params, &simulation));
    vks_simulation_destroy(simulation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_misfits),
        cmocka_unit_test(test_parameters),
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
