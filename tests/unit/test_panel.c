/* SPDX-License-Identifier: MIT */
/* The window's panel without a display: what it draws, and what it reports for synthetic input.
 * With VKSIM_TEST_KEEP=FOLDER the pictures stay there as PNG files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <png.h>

#include "base/error.h"
#include "sim/registry.h"
#include "ui/panel.h"

static const float scales[] = {1, 1.5F, 2};

static void keep(const struct vks_canvas *canvas, const char *name)
{
    const char *folder = getenv("VKSIM_TEST_KEEP");
    if (!folder) {
        return;
    }
    char path[512];
    snprintf(path, sizeof(path), "%s/%s.png", folder, name);
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = canvas->width,
                       .height = canvas->height,
                       .format = PNG_FORMAT_RGBA};
    assert_true(png_image_write_to_file(&image, path, 0, canvas->rgba, 0, NULL));
}

/* A panel for a model, with a clock of its own. */
struct bench {
    struct vks_settings settings;
    char preset[64];
    struct vks_panel *panel;
    struct vks_panel_data data;
    struct vks_actions actions;
    struct vks_update update;
    struct vks_ui_input input;
    uint32_t width, height;
    float scale;
};

static const struct vks_named brushes[] = {
    {"attract", "adds trail, which agents follow"},
    {"repel", "negative trail that decays"},
    {"agents", "moves the nearest agents here"},
    {"wall", "cells that agents cannot enter"},
};

static void finish(struct vks_settings *settings)
{
    if (vks_settings_finish(settings) != VKS_OK) {
        fail_msg("%s", vks_error_text());
    }
}

static void open_bench(struct bench *bench, const struct vks_model *model, const char *preset,
                       float scale)
{
    *bench = (struct bench){.width = (uint32_t)(VKS_PANEL_WIDTH * scale),
                            .height = (uint32_t)(875 * scale),
                            .scale = scale};
    assert_int_equal(vks_settings_init(&bench->settings, model), VKS_OK);
    assert_int_equal(vks_settings_preset(&bench->settings, preset), VKS_OK);
    if (model->needs_image) {
        assert_int_equal(vks_settings_set(&bench->settings, "init", "image:photo.jpg"), VKS_OK);
    }
    finish(&bench->settings);
    snprintf(bench->preset, sizeof(bench->preset), "%s", preset);
    assert_int_equal(vks_panel_create(&bench->panel), VKS_OK);
    bench->data = (struct vks_panel_data){.settings = &bench->settings,
                                          .preset = bench->preset,
                                          .brushes = brushes,
                                          .brush_count = 4,
                                          .brush = {0, 30, 0.5, true}};
}

static void close_bench(struct bench *bench)
{
    vks_panel_destroy(bench->panel);
    vks_settings_free(&bench->settings);
}

static void update(struct bench *bench)
{
    bench->input.time += 1.0 / 60;
    if (vks_panel_update(bench->panel, &bench->data, &bench->input, bench->width, bench->height,
                         bench->scale, &bench->actions, &bench->update) != VKS_OK) {
        fail_msg("%s", vks_error_text());
    }
    bench->input.pressed = bench->input.released = false;
    bench->input.wheel = 0;
    bench->input.key_count = 0;
    bench->input.text[0] = '\0';
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void test_pictures(void **state)
{
    (void)state;
    const struct vks_model *model;
    for (size_t i = 0; (model = vks_model_at(i)); i++) {
        for (size_t s = 0; s < 3; s++) {
            struct bench bench;
            open_bench(&bench, model, "default", scales[s]);
            for (int tab = 0; tab < VKS_TABS; tab++) {
                char name[128];
                vks_panel_show(bench.panel, tab);
                const double start = now();
                update(&bench);
                const double mid = now();
                update(&bench);
                print_message("%s tab %d scale %g: %.2f ms, again %.2f ms, %zu rects\n",
                              model->name, tab, scales[s], 1e3 * (mid - start), 1e3 * (now() - mid),
                              bench.update.count);
                snprintf(name, sizeof(name), "%s-%d-%g", model->name, tab, scales[s]);
                keep(vks_panel_canvas(bench.panel), name);
            }
            close_bench(&bench);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
