/* SPDX-License-Identifier: MIT */
/* The window's panel, strip and page of keys without a display: what they draw, and what they
 * report for synthetic input. With VKSIM_TEST_KEEP=FOLDER the pictures stay there as PNG files. */
#include <malloc.h>
#include <math.h>
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

#include "api/condition.h"
#include "base/error.h"
#include "sim/registry.h"
#include "ui/panel.h"
#include "ui/strip.h"

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

/* --- a panel without a window ---------------------------------------------------------------- */

struct bench {
    struct vks_settings raw, settings; /* as they were set, and finished */
    char preset[64];
    struct vks_panel *panel;
    struct vks_ui *ui;
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

/* The finished copy of the raw settings; false if they are wrong together. */
static bool refresh(struct bench *bench)
{
    struct vks_settings next;
    assert_int_equal(vks_settings_copy(&next, &bench->raw), VKS_OK);
    if (vks_settings_finish(&next) != VKS_OK) {
        vks_settings_free(&next);
        return false;
    }
    if (bench->settings.model) {
        vks_settings_free(&bench->settings);
    }
    bench->settings = next;
    return true;
}

static void load(struct bench *bench, const struct vks_model *model, const char *preset)
{
    if (bench->raw.model) {
        vks_settings_free(&bench->raw);
    }
    assert_int_equal(vks_settings_init(&bench->raw, model), VKS_OK);
    assert_int_equal(vks_settings_preset(&bench->raw, preset), VKS_OK);
    if (model->needs_image) {
        assert_int_equal(vks_settings_set(&bench->raw, "init", "image:photo.jpg"), VKS_OK);
    }
    if (!refresh(bench)) {
        fail_msg("%s", vks_error_text());
    }
    snprintf(bench->preset, sizeof(bench->preset), "%s", preset);
}

static void open_bench(struct bench *bench, const struct vks_model *model, const char *preset,
                       float scale)
{
    *bench = (struct bench){.width = (uint32_t)(VKS_PANEL_WIDTH * scale),
                            .height = (uint32_t)(875 * scale),
                            .scale = scale};
    load(bench, model, preset);
    assert_int_equal(vks_panel_create(&bench->panel), VKS_OK);
    bench->ui = vks_panel_ui(bench->panel);
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
    vks_settings_free(&bench->raw);
}

static void clear_input(struct vks_ui_input *input)
{
    input->pressed = input->released = false;
    input->wheel = 0;
    input->key_count = 0;
    input->text[0] = '\0';
}

static void update(struct bench *bench)
{
    bench->input.time += 1.0 / 60;
    if (vks_panel_update(bench->panel, &bench->data, &bench->input, bench->width, bench->height,
                         bench->scale, &bench->actions, &bench->update) != VKS_OK) {
        fail_msg("%s", vks_error_text());
    }
    clear_input(&bench->input);
}

/* Brings a widget into view. */
static const struct vks_spot *find(struct bench *bench, uint32_t id)
{
    bench->ui->reveal = id;
    update(bench);
    return vks_ui_spot(bench->ui, id);
}

static void point(struct bench *bench, const struct vks_spot *spot, float x, float y)
{
    bench->input.x = (spot->full.x + spot->full.width * x) * bench->scale;
    bench->input.y = (spot->full.y + spot->full.height * y) * bench->scale;
    bench->input.inside = true;
}

static void press(struct bench *bench, unsigned clicks)
{
    bench->input.down = bench->input.pressed = true;
    bench->input.clicks = clicks;
    update(bench);
}

static void release(struct bench *bench)
{
    bench->input.down = false;
    bench->input.released = true;
    update(bench);
}

static void click(struct bench *bench, uint32_t id)
{
    const struct vks_spot *spot = find(bench, id);
    assert_non_null(spot);
    assert_true(spot->box.width > 0);
    point(bench, spot, 0.5F, 0.5F);
    update(bench);
    press(bench, 1);
    release(bench);
}

static void key(struct bench *bench, enum vks_ui_key which)
{
    bench->input.keys[0] = which;
    bench->input.key_count = 1;
    update(bench);
}

static void type(struct bench *bench, const char *text)
{
    snprintf(bench->input.text, sizeof(bench->input.text), "%s", text);
    update(bench);
}

static const struct vks_option *option_of(const struct bench *bench, const char *name)
{
    const struct vks_option *option = vks_option_find(bench->settings.model->options, name);
    return option ? option : vks_option_find(vks_common_options, name);
}

/* Opens every group of the tab. */
static void open_groups(struct bench *bench, enum vks_tab tab)
{
    const struct vks_option_table tables[] = {bench->settings.model->options, vks_common_options};
    vks_panel_show(bench->panel, tab);
    update(bench);
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < tables[i].count; j++) {
            const char *heading = tables[i].options[j].heading;
            const uint32_t id = heading ? vks_panel_group_id(heading, tab) : 0;
            const struct vks_spot *spot = heading ? vks_ui_spot(bench->ui, id) : NULL;
            const size_t before = bench->ui->spot_count[1];
            if (!spot) {
                continue;
            }
            click(bench, id);
            if (bench->ui->spot_count[1] < before) {
                click(bench, id); /* it was open */
            }
        }
    }
    const uint32_t id = vks_panel_group_id("new run", tab);
    if (tab == VKS_TAB_MODEL && vks_ui_spot(bench->ui, id)) {
        click(bench, id);
    }
    bench->input.inside = false;
    update(bench);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void show_states(void)
{
    struct bench bench;
    open_bench(&bench, vks_model_find("physarum"), "currents", 1);
    update(&bench);
    assert_int_equal(vks_settings_set(&bench.raw, "decay", "0.04"), VKS_OK);
    assert_int_equal(vks_settings_set(&bench.raw, "sensor-angle", "40"), VKS_OK);
    refresh(&bench);
    const struct vks_spot *spot =
        vks_ui_spot(bench.ui, vks_ui_sub(vks_panel_option_id(option_of(&bench, "turn-angle")), 1));
    point(&bench, spot, 0.5F, 0.5F);
    update(&bench);
    bench.input.time += 1;
    update(&bench);
    keep(vks_panel_canvas(bench.panel), "a-tip");
    open_groups(&bench, VKS_TAB_MODEL);
    bench.input.time += 9;
    find(&bench, vks_panel_group_id("gains", VKS_TAB_MODEL));
    keep(vks_panel_canvas(bench.panel), "a-open");
    find(&bench, vks_panel_group_id("walls", VKS_TAB_MODEL));
    keep(vks_panel_canvas(bench.panel), "a-open2");
    find(&bench, vks_ui_id("apply"));
    keep(vks_panel_canvas(bench.panel), "a-bottom");
    click(&bench, vks_panel_option_id(option_of(&bench, "init")));
    keep(vks_panel_canvas(bench.panel), "a-list");
    key(&bench, VKS_UI_ESCAPE);
    click(&bench, vks_panel_number_id(option_of(&bench, "decay")));
    vks_ui_say(bench.ui, "saved physarum-currents-s1-012480.png", 3);
    update(&bench);
    keep(vks_panel_canvas(bench.panel), "a-type");
    type(&bench, "0.05");
    assert_string_equal(bench.ui->edit.text, "0.05");
    key(&bench, VKS_UI_ESCAPE);
    vks_panel_show(bench.panel, VKS_TAB_LOOK);
    for (int i = 0; i < 8; i++) {
        key(&bench, VKS_UI_TAB);
    }
    keep(vks_panel_canvas(bench.panel), "a-focus");
    close_bench(&bench);
}

static void show_gallery(void)
{
    struct bench bench;
    static uint8_t rgba[5][96 * 96 * 4];
    struct vks_gallery_item items[5];
    open_bench(&bench, vks_model_find("gray-scott"), "zeta-a", 1);
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 96 * 96; j++) {
            const uint32_t x = j % 96, y = j / 96;
            rgba[i][4 * j] = (x * x + y * y * i) >> 6;
            rgba[i][4 * j + 1] = (x * y) >> (5 + i % 3);
            rgba[i][4 * j + 2] = 255 - (y * (i + 1));
        }
        items[i] = (struct vks_gallery_item){
            "currents 012480", "physarum / currents, step 12 480", {rgba[i], 96, 96, 0}};
    }
    bench.data.gallery = items;
    bench.data.gallery_count = 5;
    update(&bench);
    open_groups(&bench, VKS_TAB_MODEL);
    click(&bench, vks_panel_option_id(option_of(&bench, "init")));
    keep(vks_panel_canvas(bench.panel), "b-list");
    key(&bench, VKS_UI_ESCAPE);
    click(&bench, vks_ui_sub(vks_ui_id("presets"), 7));
    keep(vks_panel_canvas(bench.panel), "b-all");
    vks_panel_show(bench.panel, VKS_TAB_GALLERY);
    update(&bench);
    click(&bench, vks_ui_sub(vks_ui_id("gallery"), 1));
    keep(vks_panel_canvas(bench.panel), "b-gallery");
    close_bench(&bench);
}

static void show_strip(float width, bool paused, const char *name)
{
    static const struct vks_mark marks[] = {{1800, VKS_MARK_EVENT},   {4200, VKS_MARK_EVENT},
                                            {6000, VKS_MARK_PICTURE}, {7400, VKS_MARK_EVENT},
                                            {9000, VKS_MARK_BRANCH},  {12000, VKS_MARK_PICTURE}};
    const struct vks_strip_data data = {
        paused, 0, 20000, 12480, marks, 6, "1x \xc2\xb7 61 fps \xc2\xb7 8.1 ms", paused ? -1 : 14};
    struct vks_strip *strip;
    struct vks_actions actions = {.count = 0};
    struct vks_update update;
    struct vks_ui_input input = {.time = 1};
    assert_int_equal(vks_strip_create(&strip), VKS_OK);
    assert_int_equal(vks_strip_update(strip, &data, &input, width, 46, 1, &actions, &update),
                     VKS_OK);
    input = (struct vks_ui_input){.x = width * 0.4F, .y = 23, .inside = true, .time = 2};
    assert_int_equal(vks_strip_update(strip, &data, &input, width, 46, 1, &actions, &update),
                     VKS_OK);
    keep(vks_strip_canvas(strip), name);
    vks_strip_destroy(strip);
}

static void show_keys(void)
{
    static const struct vks_key_row rows[] = {
        {NULL, "RUN"},
        {"Space", "pause or go on"},
        {".", "one step"},
        {",", "one step back"},
        {"-, =", "half or twice the steps per frame"},
        {"R", "restart"},
        {"N, Shift+N", "next or previous seed"},
        {NULL, "LOOK"},
        {"C, Shift+C", "next or previous colour map"},
        {"V", "next view"},
        {"X, Shift+X", "surprise, gently"},
        {"Ctrl+Z", "undo"},
        {NULL, "WINDOW"},
        {"Tab", "panel"},
        {"F, F11", "full screen"},
        {"S", "save the picture"},
        {"Enter", "start or end a video"},
        {"Q", "quit"},
    };
    struct vks_keys_page *page;
    struct vks_update update;
    float width, height;
    assert_int_equal(vks_keys_page_create(&page), VKS_OK);
    vks_keys_page_size(18, 1060, 420, &width, &height);
    assert_int_equal(vks_keys_page_draw(page, rows, 18, width, height, 1, &update), VKS_OK);
    keep(vks_keys_page_canvas(page), "keys");
    vks_keys_page_destroy(page);
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
                printf("# %s tab %d scale %g: %.2f ms\n", model->name, tab, scales[s],
                       1e3 * (now() - start));
                snprintf(name, sizeof(name), "%s-%d-%g", model->name, tab, scales[s]);
                keep(vks_panel_canvas(bench.panel), name);
            }
            close_bench(&bench);
        }
    }
    show_states();
    show_gallery();
    show_strip(1060, false, "strip");
    show_strip(720, true, "strip-narrow");
    show_strip(380, true, "strip-tiny");
    show_keys();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
