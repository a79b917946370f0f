/* SPDX-License-Identifier: MIT */
/* state.h without a GPU: which arrays of a state file give the size and the count of a run. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/exact.h"
#include "base/task.h"
#include "graph/graph.h"
#include "api/state.h"
#include "../npz_add.h"
#include "sim/registry.h"
#include "volume_model.h"

/* --- shapes ----------------------------------------------------------------------------------- */

static void test_elements(void **state)
{
    (void)state;
    static const struct {
        enum vks_element element;
        const char *name;
        uint32_t bytes, scalars;
        char kind;
    } rows[] = {
        {VKS_F32, "float32", 4, 1, 'f'},
        {VKS_U32, "uint32", 4, 1, 'u'},
        {VKS_U32X2, "uint32", 8, 2, 'u'},
        {VKS_F16, "float16", 2, 1, 'f'},
    };
    for (size_t i = 0; i < VKS_COUNT(rows); i++) {
        const struct vks_element_info *info = vks_element_info(rows[i].element);
        assert_non_null(info);
        assert_string_equal(info->name, rows[i].name);
        assert_int_equal(info->bytes, rows[i].bytes);
        assert_int_equal(info->scalars, rows[i].scalars);
        assert_int_equal(info->kind, rows[i].kind);
        assert_int_equal(vks_element_bytes(rows[i].element), rows[i].bytes);
    }
    assert_null(vks_element_info((enum vks_element)0));
    assert_null(vks_element_info((enum vks_element)5));
    assert_null(vks_element_info((enum vks_element) - 1));
}

static void test_shapes(void **state)
{
    (void)state;
    static const struct {
        struct vks_field field;
        uint32_t rank;
        uint64_t shape[4], bytes;
    } rows[] = {
        {{.element = VKS_F32, .rank = 1, .shape = {5}}, 1, {5}, 20},
        {{.element = VKS_U32X2, .rank = 1, .shape = {5}}, 2, {5, 2}, 40},
        {{.element = VKS_F16, .rank = 2, .shape = {5, 6}}, 2, {5, 6}, 60},
        {{.element = VKS_U32X2, .rank = 2, .shape = {5, 6}}, 3, {5, 6, 2}, 240},
        {{.element = VKS_U32, .rank = 3, .shape = {5, 6, 7}}, 3, {5, 6, 7}, 840},
        {{.element = VKS_U32X2, .rank = 3, .shape = {5, 6, 7}}, 4, {5, 6, 7, 2}, 1680},
        {{.element = VKS_F32, .rank = 3, .shape = {UINT64_C(1) << 31, UINT64_C(1) << 31, 1}},
         3,
         {UINT64_C(1) << 31, UINT64_C(1) << 31, 1},
         UINT64_MAX}, /* 64 bits wrap */
    };
    for (size_t i = 0; i < VKS_COUNT(rows); i++) {
        uint64_t shape[4] = {9, 9, 9, 9};
        assert_int_equal(vks_array_shape(&rows[i].field, shape), rows[i].rank);
        assert_memory_equal(shape, rows[i].shape, sizeof(shape));
        assert_true(vks_field_bytes(&rows[i].field) == rows[i].bytes);
    }
}

/* What a field without fill() takes from an array: numbers, without those that are nearly 0. */
static void test_arrays(void **state)
{
    (void)state;
    static const struct vks_field halves = {.name = "h", .element = VKS_F16},
                                  floats = {.name = "f", .element = VKS_F32};
    const uint16_t half[] = {0x3c00, 0x0000, 0x8000, 0x0400, 0x03ff, 0x8001, 0xfbff};
    const uint16_t expected[] = {0x3c00, 0x0000, 0x0000, 0x0400, 0x0000, 0x0000, 0xfbff};
    uint16_t got[VKS_COUNT(half)];
    struct vks_source source = {
        .array = half, .count = VKS_COUNT(half), .kind = 'f', .item_bytes = 2};
    assert_int_equal(vks_fill_from_array(&halves, &source, got), VKS_OK);
    assert_memory_equal(got, expected, sizeof(got));
    assert_int_equal(vks_fill_from_array(&floats, &source, got), VKS_ERROR_FILE);
    assert_string_equal(vks_error_text(), "'f' has elements of type float16; it takes float32");
    const uint16_t wrong[] = {0x7c00, 0xfc00, 0x7e01};
    for (size_t i = 0; i < VKS_COUNT(wrong); i++) {
        source = (struct vks_source){.array = &wrong[i], .count = 1, .kind = 'f', .item_bytes = 2};
        assert_int_equal(vks_fill_from_array(&halves, &source, got), VKS_ERROR_FILE);
        assert_string_equal(vks_error_text(), "'h': element 0 is not a finite number");
    }
    const float real[] = {1.5f, -0.0f, 1e-40f, -0x1p-59f};
    const float flushed[] = {1.5f, 0, 0, -0x1p-59f};
    float out[VKS_COUNT(real)];
    source =
        (struct vks_source){.array = real, .count = VKS_COUNT(real), .kind = 'f', .item_bytes = 4};
    assert_int_equal(vks_fill_from_array(&floats, &source, out), VKS_OK);
    assert_memory_equal(out, flushed, sizeof(out));
    assert_int_equal(vks_fill_from_array(&halves, &source, out), VKS_ERROR_FILE);
}

/* Large arrays are converted in pieces: messages count elements of the array, and y and x stay in
 * turn. */
static void test_pieces(void **state)
{
    (void)state;
    enum { COUNT = (1 << 21) + 5 };
    static const struct vks_field floats = {.name = "f", .element = VKS_F32};
    float *numbers = malloc(COUNT * sizeof(*numbers));
    assert_non_null(numbers);
    for (size_t i = 0; i < COUNT; i++) {
        numbers[i] = (float)i;
    }
    const struct vks_source source = {
        .array = numbers, .count = COUNT, .kind = 'f', .item_bytes = 4};
    assert_int_equal(vks_fill_from_array(&floats, &source, numbers), VKS_OK);
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(numbers[i] == (float)i);
    }
    numbers[COUNT - 2] = NAN;
    assert_int_equal(vks_fill_from_array(&floats, &source, numbers), VKS_ERROR_FILE);
    assert_string_equal(vks_error_text(), "'f': element 2097155 is not a finite number");
    /* A task that is asked to end. The last test, because the request cannot be undone. */
    struct vks_task task;
    numbers[COUNT - 2] = 0;
    vks_interrupt();
    assert_int_equal(vks_fill_from_array(&floats, &source, numbers), VKS_OK); /* no task */
    vks_task_begin(&task, NULL, 0);
    assert_int_equal(vks_fill_from_array(&floats, &source, numbers), VKS_INTERRUPTED);
    vks_task_end(&task);
    free(numbers);
}

/* Positions of agents and particles: each in its cell, without delay, also next to an edge. */
static void check_positions(const char *model, const char *name, uint32_t axes)
{
    enum { HEIGHT = 240, WIDTH = 320 };
    static const struct {
        double cells;
        uint32_t cell;
    } rows[] = {
        {0.0, 0},
        {-0.0, 0},
        {-1e-9, 0}, /* nearer to 0 than to the last fraction */
        {-1e-300, 0},
        {240 - 1e-13, 0},
        {240 - 1e-7, 239},
        {-1e-7, 239},
        {240, 0},
        {239, 239},
        {7, 7},
        {7 - 1e-7, 6},
        {-1, 239},
        {-239.5, 0},
        {480.5, 0},
        {1e15, UINT32_MAX},
        {1e300, UINT32_MAX}, /* in some cell */
    };
    struct vks_settings settings;
    struct vks_declaration declaration = {0};
    assert_int_equal(vks_settings_init(&settings, vks_model_find(model)), VKS_OK);
    assert_int_equal(vks_settings_preset(&settings, "plain"), VKS_OK);
    assert_int_equal(vks_settings_set(&settings, "size", "320x240"), VKS_OK);
    assert_int_equal(vks_settings_finish(&settings), VKS_OK);
    const struct vks_config config = vks_settings_config(&settings);
    vks_declare_model(settings.model, &config, &declaration);
    const int index = vks_find_field(&declaration, name);
    assert_true(index >= 0);
    const struct vks_field *field = &declaration.fields[index];
    for (size_t i = 0; i < VKS_COUNT(rows); i++) {
        const double place[2] = {rows[i].cells, 319.25};
        const struct vks_source source = {
            .array = place, .count = axes, .kind = 'f', .item_bytes = 8};
        uint32_t got[2];
        assert_int_equal(vks_fill_from_array(field, &source, got), VKS_OK);
        if (rows[i].cell != UINT32_MAX && vks_high(got[0], HEIGHT) != rows[i].cell) {
            fail_msg("%.17g is in cell %u", rows[i].cells, (unsigned)vks_high(got[0], HEIGHT));
        }
        assert_true(axes == 1 || vks_high(got[1], WIDTH) == 319);
    }
    const double wrong[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < VKS_COUNT(wrong); i++) {
        const double place[2] = {1, wrong[i]};
        char sentence[80];
        const struct vks_source source = {.array = place, .count = 2, .kind = 'f', .item_bytes = 8};
        uint32_t got[2];
        assert_int_equal(vks_fill_from_array(field, &source, got), VKS_ERROR_FILE);
        snprintf(sentence, sizeof(sentence), "'%s': element 1 is not a finite number", name);
        assert_string_equal(vks_error_text(), sentence);
    }
    vks_declaration_free(&declaration);
    vks_settings_free(&settings);
}

static void test_positions(void **state)
{
    (void)state;
    check_positions("physarum", "position", 2);
    check_positions("gas", "y", 1);
}

/* --- files ------------------------------------------------------------------------------------ */

static char path[300];

struct array {
    const char *name;
    uint32_t rank;
    uint64_t shape[4];
};

/* A file of zeros; unsigned where the name is that of an unsigned field. */
static void write_file(const struct array *arrays)
{
    struct vks_npz_writer *writer;
    static const char zeros[65536];
    assert_int_equal(vks_npz_create(path, true, &writer), VKS_OK);
    for (size_t i = 0; arrays[i].name; i++) {
        assert_int_equal(
            npz_add(writer, arrays[i].name, 'u', 4, arrays[i].rank, arrays[i].shape, zeros),
            VKS_OK);
    }
    assert_int_equal(vks_npz_finish(writer), VKS_OK);
}

/* What a run of the model takes from such a file: "SIZE, COUNT", or the sentence of its failure. */
static const char *taken(const struct vks_model *model, const struct array *arrays)
{
    static char text[512];
    struct vks_settings settings = {0};
    struct vks_state_file file = {0};
    write_file(arrays);
    assert_int_equal(vks_settings_init(&settings, model), VKS_OK);
    assert_int_equal(vks_settings_set(&settings, "size", model->volumes ? "10x9x8" : "10x9"),
                     VKS_OK);
    assert_int_equal(vks_state_file_open(&file, path, model), VKS_OK);
    if (vks_state_file_apply(&file, &settings) == VKS_OK) {
        const struct vks_size size = settings.common.size;
        const struct volume_settings *s = settings.own;
        snprintf(text, sizeof(text), "%ux%ux%u, %d", size.width, size.height, size.depth,
                 (int)s->grains);
    } else {
        snprintf(text, sizeof(text), "%s", vks_error_text());
    }
    vks_state_file_close(&file);
    vks_settings_free(&settings);
    return text;
}

static void test_size_and_count(void **state)
{
    (void)state;
    const struct vks_model *model = &volume_model;
    /* A volume, of one scalar per cell or two. */
    assert_string_equal(taken(model, (struct array[]){{"density", 3, {2, 3, 4}}, {NULL}}),
                        "4x3x2, 5");
    assert_string_equal(taken(model, (struct array[]){{"flow", 4, {2, 3, 4, 2}}, {NULL}}),
                        "4x3x2, 5");
    assert_string_equal(taken(model, (struct array[]){{"density", 3, {1, 3, 4}}, {NULL}}),
                        "4x3x1, 5");
    /* Items. */
    assert_string_equal(taken(model, (struct array[]){{"mass", 1, {17}}, {NULL}}), "10x9x8, 17");
    assert_string_equal(taken(model, (struct array[]){{"place", 2, {17, 2}}, {NULL}}),
                        "10x9x8, 17");
    /* The second array of a kind does not go by what the first has changed. */
    assert_string_equal(taken(model, (struct array[]){{"place", 2, {3, 2}},
                                                      {"mass", 1, {3}},
                                                      {"density", 3, {2, 3, 4}},
                                                      {"flow", 4, {2, 3, 4, 2}},
                                                      {NULL}}),
                        "4x3x2, 3");
    /* Fields that are neither say nothing, as large as they may be. */
    assert_string_equal(taken(model, (struct array[]){{"table", 2, {4, 6}}, {NULL}}), "10x9x8, 5");
    assert_string_equal(taken(model, (struct array[]){{"tones", 1, {7}}, {NULL}}), "10x9x8, 5");
    assert_string_equal(taken(model, (struct array[]){{"floor", 2, {3, 4}}, {NULL}}), "10x9x8, 5");
    assert_string_equal(taken(model, (struct array[]){{"floor", 2, {3, 4}},
                                                      {"density", 3, {5, 3, 4}},
                                                      {"table", 2, {4, 6}},
                                                      {"tones", 1, {7}},
                                                      {"mass", 1, {6}},
                                                      {NULL}}),
                        "4x3x5, 6");
    /* A volume of depth 1 may be saved as a plane. */
    assert_string_equal(taken(model, (struct array[]){{"density", 2, {3, 4}}, {NULL}}), "4x3x1, 5");
    assert_string_equal(taken(model, (struct array[]){{"flow", 3, {3, 4, 2}}, {NULL}}), "4x3x1, 5");
    /* Other ranks, or another number of scalars, give no size: loading says what is wrong. */
    static const struct array odd[] = {
        {"density", 0, {0}},    {"density", 1, {3}},      {"density", 4, {2, 3, 4, 2}},
        {"flow", 0, {0}},       {"flow", 1, {2}},         {"flow", 2, {3, 4}},
        {"flow", 3, {2, 3, 4}}, {"flow", 4, {2, 3, 4, 3}}};
    for (size_t i = 0; i < VKS_COUNT(odd); i++) {
        assert_string_equal(taken(model, (struct array[]){odd[i], {NULL}}), "10x9x8, 5");
    }
    /* Sizes that no run can have. */
    assert_non_null(strstr(taken(model, (struct array[]){{"mass", 1, {1001}}, {NULL}}),
                           "'mass' has a shape that volume cannot have"));
    assert_non_null(strstr(taken(model, (struct array[]){{"density", 3, {0, 3, 4}}, {NULL}}),
                           "'density' has a shape that volume cannot have"));
    assert_non_null(strstr(taken(model, (struct array[]){{"dust", 1, {5}}, {NULL}}),
                           "holds none of the fields of volume"));
}

/* The same model in two dimensions: the plane is its grid, and a volume gives no size. */
static void test_flat(void **state)
{
    (void)state;
    struct vks_model model = volume_model;
    model.volumes = false;
    assert_string_equal(taken(&model, (struct array[]){{"floor", 2, {3, 4}}, {NULL}}), "4x3x1, 5");
    assert_string_equal(taken(&model, (struct array[]){{"table", 2, {4, 6}}, {NULL}}), "10x9x1, 5");
    assert_string_equal(taken(&model, (struct array[]){{"density", 3, {1, 3, 4}}, {NULL}}),
                        "10x9x1, 5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements), cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_arrays),   cmocka_unit_test(test_size_and_count),
        cmocka_unit_test(test_flat),     cmocka_unit_test(test_positions),
        cmocka_unit_test(test_pieces),
    };
    const char *base = getenv("TMPDIR");
    snprintf(path, sizeof(path), "%.200s/vksim-state-%ld.npz", base && *base ? base : "/tmp",
             (long)getpid());
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
