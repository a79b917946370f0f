/* SPDX-License-Identifier: MIT */
/* The pictures of presets in the tool: every preset has one, and every picture a preset. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/registry.h"
#include "ui/pictures.h"

enum { SIDE = VKS_PICTURE_SIDE, MAX_PRESETS = 256 };

static const struct vks_picture_sheet *sheet_of(const struct vks_model *model)
{
    const struct vks_picture_sheet *sheet = vks_picture_sheets;
    while (sheet->model && strcmp(sheet->model, model->name) != 0) {
        sheet++;
    }
    return sheet;
}

/* The names of a sheet are those of the presets, in their order. */
static void test_names(void **state)
{
    (void)state;
    const struct vks_model *model;
    for (size_t m = 0; (model = vks_model_at(m)); m++) {
        const struct vks_picture_sheet *sheet = sheet_of(model);
        char names[8192] = " ";
        for (const struct vks_preset *preset = vks_model_presets(model); preset->name; preset++) {
            strcat(strcat(names, preset->name), " ");
            assert_true(strlen(names) < sizeof(names) - 100);
        }
        if (!sheet->model || strcmp(sheet->names, names) != 0) {
            fail_msg("run 'tools/preset-pictures %s', and the first time 'meson setup "
                     "--reconfigure': the presets are%sand the pictures are of%s",
                     model->name, names, sheet->model ? sheet->names : " none");
        }
    }
    for (const struct vks_picture_sheet *sheet = vks_picture_sheets; sheet->model; sheet++) {
        assert_non_null(vks_model_find(sheet->model));
    }
}

/* The difference of the brightest and the darkest byte of a channel. */
static int contrast(const struct vks_thumb *thumb)
{
    int most = 0;
    for (size_t c = 0; c < 3; c++) {
        int low = 255, high = 0;
        for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
            const int value = thumb->rgba[4 * i + c];
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
        most = high - low > most ? high - low : most;
    }
    return most;
}

static void test_load(void **state)
{
    (void)state;
    const struct vks_model *model;
    struct vks_thumb thumbs[MAX_PRESETS];
    for (size_t m = 0; (model = vks_model_at(m)); m++) {
        const struct vks_preset *presets = vks_model_presets(model);
        uint8_t *pixels;
        assert_int_equal(vks_pictures_load(model, thumbs, &pixels), VKS_OK);
        for (size_t i = 0; presets[i].name; i++) {
            assert_true(i < MAX_PRESETS);
            assert_non_null(thumbs[i].rgba);
            assert_int_equal(thumbs[i].width, SIDE);
            assert_int_equal(thumbs[i].height, SIDE);
            if (contrast(&thumbs[i]) < 64) {
                fail_msg("the picture of %s %s shows nothing", model->name, presets[i].name);
            }
            for (size_t j = 0; j < i; j++) {
                assert_memory_not_equal(thumbs[i].rgba, thumbs[j].rgba, (size_t)SIDE * SIDE * 4);
            }
        }
        free(pixels);
    }
}

/* Names that begin or end like others, and a simulation without pictures. */
static void test_lacks(void **state)
{
    (void)state;
    static const struct vks_preset presets[] = {
        {.name = "plai"}, {.name = "plain"}, {.name = "lain"}, {.name = "petri"}, {.name = NULL}};
    struct vks_model model = *vks_model_find("physarum");
    struct vks_thumb thumbs[4];
    uint8_t *pixels;
    model.presets = presets;
    assert_int_equal(vks_pictures_load(&model, thumbs, &pixels), VKS_OK);
    assert_null(thumbs[0].rgba);
    assert_ptr_equal(thumbs[1].rgba, pixels + SIDE * SIDE * 4);
    assert_null(thumbs[2].rgba);
    assert_non_null(thumbs[3].rgba);
    free(pixels);
    model.name = "nothing";
    assert_int_equal(vks_pictures_load(&model, thumbs, &pixels), VKS_OK);
    assert_null(pixels);
    assert_null(thumbs[1].rgba);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_load),
        cmocka_unit_test(test_lacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
