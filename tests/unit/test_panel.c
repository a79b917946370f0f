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
#include "base/memory.h"
#include "sim/registry.h"
#include "ui/panel.h"
#include "ui/pictures.h"
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
    struct vks_surface surface;
};

static const struct vks_brush_row brushes[] = {
    {"attract", "adds ten times the deposit of an agent to the trail of every species",
     "removes trail", NULL},
    {"agents", "brings agents here from all over the field", "scatters the agents that are here",
     NULL},
    {"walls", "builds walls; agents and trail in them leave", "removes walls", "walls"},
    {"food", "moves food to the food-strength", NULL, NULL},
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
    *bench = (struct bench){
        .surface = {(uint32_t)(VKS_PANEL_WIDTH * scale), (uint32_t)(875 * scale), scale}};
    load(bench, model, preset);
    assert_int_equal(vks_panel_create(&bench->panel), VKS_OK);
    bench->ui = vks_panel_ui(bench->panel);
    bench->data = (struct vks_panel_data){.settings = &bench->settings,
                                          .preset = bench->preset,
                                          .brushes = brushes,
                                          .brush_count = 4,
                                          .brush = {0, 30, 0.5, 1}};
}

static void close_bench(struct bench *bench)
{
    vks_panel_destroy(bench->panel);
    vks_settings_free(&bench->settings);
    vks_settings_free(&bench->raw);
}

static void clear_input(struct vks_ui_input *input)
{
    input->pressed = input->released = input->menu = false;
    input->wheel = 0;
    input->key_count = 0;
    input->text[0] = '\0';
}

static void update(struct bench *bench)
{
    bench->input.time += 1.0 / 60;
    if (vks_panel_update(bench->panel, &bench->data, &bench->input, &bench->surface,
                         &bench->actions, &bench->update) != VKS_OK) {
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
    bench->input.x = (spot->full.x + spot->full.width * x) * bench->surface.scale;
    bench->input.y = (spot->full.y + spot->full.height * y) * bench->surface.scale;
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

static bool meet(struct vks_rect a, struct vks_rect b)
{
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height &&
           b.y < a.y + a.height;
}

/* No text runs into another one or out of the picture, nor a name into the control next to it. */
static void check_texts(const struct vks_ui *ui, float scale)
{
    const struct vks_canvas *canvas = vks_draw_canvas(ui->draw);
    struct vks_drawn a, b;
    for (size_t i = 0; vks_draw_item(ui->draw, i, &a); i++) {
        if (!a.text) {
            continue;
        }
        if (a.bounds.x < 0 || a.bounds.x + a.bounds.width > (int32_t)canvas->width) {
            fail_msg("'%s' leaves the picture at scale %g", a.text, (double)scale);
        }
        for (size_t j = i + 1; vks_draw_item(ui->draw, j, &b); j++) {
            if (b.text && meet(a.bounds, b.bounds) && meet(a.visible, b.visible)) {
                fail_msg("'%s' runs into '%s' at scale %g", a.text, b.text, (double)scale);
            }
        }
        for (size_t j = 0; j < ui->spot_count[1]; j++) {
            const struct vks_box box = ui->spots[1][j].box;
            const struct vks_rect rect = {ceilf(box.x * scale), ceilf(box.y * scale),
                                          floorf(box.width * scale) - 1,
                                          floorf(box.height * scale) - 1};
            const int32_t middle = a.bounds.x + a.bounds.width / 2;
            const bool within = middle >= rect.x && middle < rect.x + rect.width;
            if (box.width > 0 && !within && meet(a.bounds, rect) && meet(a.visible, rect)) {
                fail_msg("'%s' runs into a widget at scale %g", a.text, (double)scale);
            }
        }
    }
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
        vks_ui_spot(bench.ui, vks_panel_label_id(option_of(&bench, "turn-angle")));
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
        items[i] = (struct vks_gallery_item){"currents 012480",
                                             "physarum / currents, step 12 480",
                                             {rgba[i], 96, 96, 0},
                                             i == 2,
                                             1 + i};
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
    click(&bench, vks_ui_sub(vks_ui_id("gallery"), 2));
    assert_null(vks_ui_spot(bench.ui, vks_ui_id("video"))); /* of a video */
    keep(vks_panel_canvas(bench.panel), "b-gallery-video");
    close_bench(&bench);
}

static void show_strip(float width, bool paused, const char *name)
{
    static const struct vks_mark marks[] = {{1800, VKS_MARK_EVENT},   {4200, VKS_MARK_EVENT},
                                            {6000, VKS_MARK_PICTURE}, {7400, VKS_MARK_EVENT},
                                            {9000, VKS_MARK_BRANCH},  {12000, VKS_MARK_PICTURE},
                                            {11000, VKS_MARK_END}};
    static uint8_t pixels[8 * 8 * 4];
    for (size_t i = 0; i < sizeof(pixels); i++) {
        pixels[i] = (uint8_t)(i % 4 == 3 ? 255 : 40 * (i / 32) + 10 * (i % 4));
    }
    const struct vks_gallery_item saved = {.name = "a.png", .image = {pixels, 8, 8, 1}};
    const struct vks_strip_data data = {paused,
                                        0,
                                        20000,
                                        12480,
                                        marks,
                                        VKS_COUNT(marks),
                                        "1x \xc2\xb7 61 fps \xc2\xb7 8.1 ms",
                                        paused ? -1 : 14,
                                        .saved = paused ? NULL : &saved};
    const struct vks_surface surface = {width, 46, 1};
    struct vks_ui ui;
    struct vks_actions actions = {.count = 0};
    struct vks_update update;
    struct vks_ui_input input = {.time = 1};
    assert_int_equal(vks_ui_create(&ui), VKS_OK);
    assert_int_equal(vks_strip_update(&ui, &data, &input, &surface, &actions, &update), VKS_OK);
    input = (struct vks_ui_input){.x = width * 0.4F, .y = 23, .inside = true, .time = 2};
    assert_int_equal(vks_strip_update(&ui, &data, &input, &surface, &actions, &update), VKS_OK);
    keep(vks_draw_canvas(ui.draw), name);
    vks_ui_destroy(&ui);
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
    struct vks_ui page;
    struct vks_update update;
    float width, height;
    assert_int_equal(vks_ui_create(&page), VKS_OK);
    vks_keys_page_size(18, 1060, 420, &width, &height);
    const struct vks_surface surface = {width, height, 1};
    assert_int_equal(vks_keys_page_draw(&page, rows, 18, &surface, &update), VKS_OK);
    check_texts(&page, 1);
    keep(vks_draw_canvas(page.draw), "keys");
    vks_ui_destroy(&page);
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

/* --- drawing --------------------------------------------------------------------------------- */

static const uint8_t *pixel_of(const struct vks_canvas *canvas, int32_t x, int32_t y)
{
    return canvas->rgba + ((size_t)y * canvas->width + (size_t)x) * 4;
}

static void test_shapes(void **state)
{
    (void)state;
    struct vks_draw *draw;
    struct vks_rect rects[VKS_MAX_RECTS];
    size_t count;
    static const uint8_t red[] = {255, 0, 0, 255}, black[] = {0, 0, 0, 255};
    static const uint8_t texels[] = {255, 0, 0, 255, 0, 0, 0, 255};
    const struct vks_thumb image = {texels, 2, 1, 0};
    assert_int_equal(vks_draw_create(&draw), VKS_OK);
    for (size_t s = 0; s < 3; s++) {
        const float scale = scales[s];
        vks_draw_begin(draw, 200, 120, scale, 0);
        vks_draw_box(draw, (struct vks_box){10, 10, 20, 10}, 0, 0xff0000);
        vks_draw_outline(draw, (struct vks_box){40, 10, 20, 10}, 0, 1, 0xff0000);
        vks_draw_disc(draw, 20, 40, 8, 0xff0000);
        vks_draw_line(draw, 40, 40, 60, 40, 3, 0xff0000);
        vks_draw_triangle(draw, (const float[]){70, 30, 70, 50, 90, 40}, 0xff0000);
        vks_draw_image(draw, (struct vks_box){70, 10, 20, 10}, 0, &image);
        assert_int_equal(vks_draw_end(draw, rects, &count), VKS_OK);
        assert_int_equal(count, 1);
        const struct vks_canvas *canvas = vks_draw_canvas(draw);
#define AT(x, y) pixel_of(canvas, (int32_t)((x)*scale + 0.5F), (int32_t)((y)*scale + 0.5F))
        assert_memory_equal(AT(10, 10), red, 4); /* whole pixels at every scale */
        assert_memory_equal(AT(29, 19), red, 4);
        assert_memory_equal(AT(9, 9), black, 4);
        assert_memory_equal(AT(30, 20), black, 4);
        assert_memory_equal(AT(40, 10), red, 4);
        assert_memory_equal(AT(50, 15), black, 4);
        assert_memory_equal(AT(20, 40), red, 4);
        assert_memory_equal(AT(13, 33), black, 4);
        assert_memory_equal(AT(50, 40), red, 4);
        assert_memory_equal(AT(50, 44), black, 4);
        assert_memory_equal(AT(75, 40), red, 4);
        assert_memory_equal(AT(86, 34), black, 4);
        assert_memory_equal(AT(72, 15), red, 4);
        assert_memory_equal(AT(88, 15), black, 4);
#undef AT
    }
    vks_draw_destroy(draw);
}

/* Nothing is drawn outside a clip, nor outside the canvas; the sanitizers check the latter. */
static void test_clip(void **state)
{
    (void)state;
    struct vks_draw *draw;
    struct vks_rect rects[VKS_MAX_RECTS];
    size_t count;
    static const uint8_t black[] = {0, 0, 0, 255};
    static const uint8_t texels[] = {255, 255, 255, 255};
    const struct vks_thumb image = {texels, 1, 1, 0};
    assert_int_equal(vks_draw_create(&draw), VKS_OK);
    vks_draw_begin(draw, 100, 80, 1, 0);
    vks_draw_clip(draw, (struct vks_box){30, 20, 40, 30});
    for (int i = 0; i < 2; i++) {
        vks_draw_box(draw, (struct vks_box){-50, -50, 300, 300}, 9, 0xff8040);
        vks_draw_disc(draw, 30, 20, 25, 0xffffff);
        vks_draw_outline(draw, (struct vks_box){20, 10, 60, 50}, 5, 12, 0x00ff00);
        vks_draw_line(draw, -20, -20, 400, 300, 5, 0xff00ff);
        vks_draw_triangle(draw, (const float[]){-9, -9, 200, 40, 20, 200}, 0x0000ff);
        vks_draw_image(draw, (struct vks_box){10, 10, 80, 60}, 4, &image);
        vks_draw_text(draw, -10, 40, &vks_style_body, 0xffffff, "a long text over the clip");
        /* Clips only shrink. */
        vks_draw_clip(draw, (struct vks_box){0, 0, 100, 80});
    }
    assert_int_equal(vks_draw_end(draw, rects, &count), VKS_OK);
    const struct vks_canvas *canvas = vks_draw_canvas(draw);
    for (int32_t y = 0; y < 80; y++) {
        for (int32_t x = 0; x < 100; x++) {
            const bool inside = x >= 30 && x < 70 && y >= 20 && y < 50;
            assert_true(inside || memcmp(pixel_of(canvas, x, y), black, 4) == 0);
        }
    }
    assert_true(memcmp(pixel_of(canvas, 50, 30), black, 4) != 0);
    vks_draw_begin(draw, 0, 0, 1, 0);
    vks_draw_box(draw, (struct vks_box){0, 0, 9, 9}, 0, 0xffffff);
    assert_int_equal(vks_draw_end(draw, rects, &count), VKS_OK);
    assert_int_equal(count, 0);
    vks_draw_destroy(draw);
}

/* What differs from the picture before is drawn again, and nothing else. */
static void test_changes(void **state)
{
    (void)state;
    struct vks_draw *draw;
    struct vks_rect rects[VKS_MAX_RECTS];
    size_t count;
    static const uint8_t texels[] = {255, 255, 255, 255};
    assert_int_equal(vks_draw_create(&draw), VKS_OK);
    for (int change = 0; change < 8; change++) {
        for (int i = 0; i < 3; i++) {
            const bool now = i > 0; /* the same twice */
            const struct vks_thumb image = {texels, 1, 1, now && change == 1};
            const float x = now && change == 2 ? 110 : 100;
            vks_draw_begin(draw, 640, 640, 1, 0);
            vks_draw_clip(draw, (struct vks_box){0, 0, 640, now && change == 3 ? 110 : 640});
            vks_draw_image(draw, (struct vks_box){100, 100, 20, 20}, 0, &image);
            vks_draw_box(draw, (struct vks_box){x, 100, 10, 10}, now && change == 4 ? 3 : 0,
                         now && change == 5 ? 0xff0000 : 0x00ff00);
            vks_draw_text(draw, 100, 120, &vks_style_body, now && change == 6 ? 0xff : 0xffffff,
                          now && change == 7 ? "b" : "d");
            assert_int_equal(vks_draw_end(draw, rects, &count), VKS_OK);
            assert_true(i == 0 || (count > 0) == (i == 1 && change > 0));
            for (size_t j = 0; j < count && i > 0; j++) {
                assert_true(rects[j].x >= 96 && rects[j].x + rects[j].width <= 128);
                assert_true(rects[j].y >= 96 && rects[j].y + rects[j].height <= 128);
            }
        }
    }
    vks_draw_destroy(draw);
}

static void test_text_fit(void **state)
{
    (void)state;
    struct vks_draw *draw;
    char text[64];
    assert_int_equal(vks_draw_create(&draw), VKS_OK);
    vks_draw_begin(draw, 100, 80, 1, 0);
    const char *words = "sensor distance \xce\xb1\xce\xb2\xce\xb3";
    const float all = vks_draw_text_width(draw, &vks_style_body, words);
    assert_string_equal(vks_draw_text_fit(draw, &vks_style_body, words, all, text, 64), words);
    for (float width = 12; width < all; width++) {
        vks_draw_text_fit(draw, &vks_style_body, words, width, text, 64);
        assert_true(vks_draw_text_width(draw, &vks_style_body, text) <= width);
        const size_t kept = strlen(text) - 3;
        assert_memory_equal(text + kept, "\xe2\x80\xa6", 3);
        assert_memory_equal(text, words, kept);
        assert_true(kept == 0 || text[kept - 1] != ' ');
        assert_true((words[kept] & 0xc0) != 0x80); /* a whole character */
    }
    assert_true(vks_draw_text_width(draw, &vks_style_number, "111") ==
                vks_draw_text_width(draw, &vks_style_number, "000"));
    assert_true(vks_draw_text_width(draw, &vks_style_body, "111") <
                vks_draw_text_width(draw, &vks_style_body, "000"));
    vks_draw_destroy(draw);
}

/* --- the layout ------------------------------------------------------------------------------ */

static void test_layout(void **state)
{
    (void)state;
    const struct vks_model *model;
    for (size_t i = 0; (model = vks_model_at(i)); i++) {
        for (size_t s = 0; s < 3; s++) {
            struct bench bench;
            open_bench(&bench, model, "default", scales[s]);
            /* Everything at once: no scrolling hides a fault. */
            bench.surface.height = (uint32_t)(2400 * scales[s]);
            open_groups(&bench, VKS_TAB_MODEL);
            check_texts(bench.ui, scales[s]);
            for (int tab = 1; tab < VKS_TABS; tab++) {
                open_groups(&bench, tab);
                check_texts(bench.ui, scales[s]);
            }
            close_bench(&bench);
        }
    }
}

/* Every option of every simulation that has an effect has its control, without a line in ui/. */
static void test_complete(void **state)
{
    (void)state;
    const struct vks_model *model;
    for (size_t i = 0; (model = vks_model_at(i)); i++) {
        struct bench bench;
        open_bench(&bench, model, "default", 1);
        bench.surface.height = 4000;
        open_groups(&bench, VKS_TAB_MODEL);
        for (size_t j = 0; j < model->options.count; j++) {
            const struct vks_option *option = &model->options.options[j];
            const uint32_t id = vks_panel_option_id(option);
            if ((option->flags & (VKS_OPTION_SECRET | VKS_OPTION_COLOURS)) ||
                !vks_option_has_effect(option, &bench.settings)) {
                continue;
            }
            if (!vks_ui_spot(bench.ui, id) && !vks_ui_spot(bench.ui, vks_ui_sub(id, 0))) {
                fail_msg("%s has no control for %s", model->name, option->name);
            }
        }
        close_bench(&bench);
    }
}

/* --- input ----------------------------------------------------------------------------------- */

/* What the last action must be. */
static const struct vks_action *last_set(const struct bench *bench, const char *name)
{
    assert_true(bench->actions.count > 0);
    const struct vks_action *action = &bench->actions.items[bench->actions.count - 1];
    const bool prepared = option_of(bench, name)->change == VKS_CHANGE_NEVER;
    assert_false(prepared);
    assert_int_equal(action->kind, VKS_ACTION_SET);
    assert_string_equal(action->name, name);
    return action;
}

/* Does what the actions say, as the window would. False if the values do not go together. */
static bool apply(struct bench *bench)
{
    bool good = true;
    for (size_t i = 0; i < bench->actions.count; i++) {
        const struct vks_action *action = &bench->actions.items[i];
        if (action->kind == VKS_ACTION_SET) {
            if (vks_settings_set(&bench->raw, action->name, action->text) != VKS_OK) {
                fail_msg("%s", vks_error_text());
            }
            good = refresh(bench) && good;
        }
    }
    bench->actions.count = 0;
    return good;
}

static double value_of(const struct bench *bench, const struct vks_option *option)
{
    const char *values = vks_settings_values(&bench->settings, option);
    const void *at = values + option->offset;
    return option->type == VKS_OPTION_COUNT ? (double)*(const uint64_t *)at : *(const double *)at;
}

/* Drags one slider to its ends, and turns the wheel over it. False if the simulation refuses an
 * end: not all values go together. */
static bool drag_one(struct bench *bench, const struct vks_option *option)
{
    double low, high;
    vks_option_soft_range(option, &low, &high);
    const uint32_t id = vks_panel_option_id(option);
    const struct vks_spot *spot = find(bench, id);
    bench->input.time += 1;
    point(bench, spot, 0.5F, 0.5F);
    update(bench);
    press(bench, 1);
    if (bench->actions.count > 0) { /* none if the knob was there */
        assert_true(last_set(bench, option->name)->more);
    }
    point(bench, vks_ui_spot(bench->ui, id), 1.4F, 0.5F);
    update(bench);
    assert_true(last_set(bench, option->name)->more);
    release(bench);
    assert_false(last_set(bench, option->name)->more);
    if (!apply(bench)) {
        printf("# %s: %g is refused: %s\n", option->name, high, vks_error_text());
        return false;
    }
    /* The largest odd number, where only those are allowed. */
    assert_true(fabs(value_of(bench, option) - high) <= 1e-6 * fabs(high) + 1e-12);
    point(bench, vks_ui_spot(bench->ui, id), 1 - 5.0F / spot->full.width, 0.5F);
    update(bench);
    press(bench, 1);
    point(bench, vks_ui_spot(bench->ui, id), -0.4F, 0.5F);
    update(bench);
    release(bench);
    if (!apply(bench)) {
        printf("# %s: %g is refused: %s\n", option->name, low, vks_error_text());
        return false;
    }
    assert_true(fabs(value_of(bench, option) - low) <= 1e-6 * fabs(low) + 1e-12);
    bench->input.inside = true;
    point(bench, vks_ui_spot(bench->ui, id), 0.5F, 0.5F);
    bench->input.wheel = 1;
    update(bench);
    apply(bench);
    assert_true(value_of(bench, option) > low && value_of(bench, option) < high);
    return true;
}

/* Only the options that a slider shows now, and that NEVER is not said of. */
static bool is_dragged(const struct bench *bench, const struct vks_option *option)
{
    const struct vks_spot *spot = vks_ui_spot(bench->ui, vks_panel_option_id(option));
    return spot && vks_ui_spot(bench->ui, vks_panel_number_id(option)) &&
           option->change != VKS_CHANGE_NEVER;
}

static size_t drag_all(struct bench *bench, enum vks_tab tab, const char *preset)
{
    const struct vks_model *model = bench->settings.model;
    const struct vks_option_table tables[] = {model->options, vks_common_options};
    size_t count = 0;
    open_groups(bench, tab);
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < tables[i].count; j++) {
            const struct vks_option *option = &tables[i].options[j];
            if (!is_dragged(bench, option)) {
                continue;
            }
            const double before = value_of(bench, option);
            count++;
            if (drag_one(bench, option)) {
                /* A double click gives the preset's value again. */
                press(bench, 2);
                release(bench);
                assert_true(apply(bench));
                assert_true(option->same_as || value_of(bench, option) == before);
            }
            load(bench, model, preset);
            update(bench);
        }
    }
    return count;
}

static void test_sliders(void **state)
{
    (void)state;
    static const struct {
        const char *model, *preset;
        size_t min[2]; /* sliders in the tabs */
    } cases[] = {{"physarum", "rivals", {15, 3}},
                 {"physarum", "ripple", {20, 3}},
                 {"gray-scott", "default", {7, 3}},
                 {"gas", "cloud", {12, 3}},
                 {"physarum-3d", "default", {10, 4}}};
    for (size_t i = 0; i < VKS_COUNT(cases); i++) {
        struct bench bench;
        open_bench(&bench, vks_model_find(cases[i].model), cases[i].preset, scales[i % 3]);
        for (int tab = 0; tab < 2; tab++) {
            const size_t count = drag_all(&bench, tab, cases[i].preset);
            printf("# %s %s: %zu sliders in tab %d\n", cases[i].model, cases[i].preset, count, tab);
            assert_true(count >= cases[i].min[tab]);
        }
        close_bench(&bench);
    }
}

/* The light follows the pointer on its ball, and arrows move it. */
static void test_dial(void **state)
{
    (void)state;
    static const struct {
        float x, y; /* of the ball, from its left upper corner */
        const char *text;
    } places[] = {{0.5F, 0.5F, "315,90"},
                  {0.98F, 0.5F, "90,5"},
                  {0.5F, 0.98F, "180,5"},
                  {0.02F, 0.5F, "270,5"}};
    struct bench bench;
    open_bench(&bench, vks_model_find("gray-scott"), "default", 1);
    const struct vks_option *light = option_of(&bench, "light");
    const uint32_t id = vks_ui_sub(vks_panel_option_id(light), 0);
    assert_int_equal(vks_settings_set(&bench.raw, "hillshade", "1"), VKS_OK);
    refresh(&bench);
    open_groups(&bench, VKS_TAB_LOOK);
    for (size_t i = 0; i < VKS_COUNT(places); i++) {
        find(&bench, id);
        point(&bench, vks_ui_spot(bench.ui, id), places[i].x, places[i].y);
        update(&bench);
        press(&bench, 1);
        assert_string_equal(last_set(&bench, "light")->text, places[i].text);
        release(&bench);
    }
    keep(vks_panel_canvas(bench.panel), "c-dial");
    bench.ui->focus = id;
    bench.ui->keyboard = true;
    key(&bench, VKS_UI_RIGHT);
    assert_string_equal(last_set(&bench, "light")->text, "320,45");
    key(&bench, VKS_UI_DOWN);
    assert_string_equal(last_set(&bench, "light")->text, "315,40");
    close_bench(&bench);
}

/* With Shift a drag is ten times slower, and finer. */
static void test_shift(void **state)
{
    (void)state;
    struct bench bench;
    double moved[2];
    for (int fine = 0; fine < 2; fine++) {
        open_bench(&bench, vks_model_find("gray-scott"), "default", 1);
        const struct vks_option *feed = option_of(&bench, "feed");
        update(&bench);
        const struct vks_spot *spot = vks_ui_spot(bench.ui, vks_panel_option_id(feed));
        point(&bench, spot, (5 + 0.04F / 0.12F * (spot->full.width - 10)) / spot->full.width, 0.5F);
        update(&bench);
        bench.input.shift = fine;
        press(&bench, 1);
        assert_int_equal(bench.actions.count, 0); /* the knob was taken */
        bench.input.x += 30;
        update(&bench);
        moved[fine] = strtod(last_set(&bench, "feed")->text, NULL) - 0.04;
        close_bench(&bench);
    }
    assert_true(moved[0] > 0.02 && moved[0] < 0.05);
    assert_true(moved[1] > 0.09 * moved[0] && moved[1] < 0.11 * moved[0]);
}

/* A number is typed after a click on it, or from the keyboard; Escape leaves it as it is. */
static void test_typing(void **state)
{
    (void)state;
    struct bench bench;
    open_bench(&bench, vks_model_find("physarum"), "currents", 1.5F);
    update(&bench);
    const struct vks_option *decay = option_of(&bench, "decay");
    click(&bench, vks_panel_number_id(decay));
    assert_true(vks_ui_takes_keys(bench.ui));
    type(&bench, "0.07x");
    key(&bench, VKS_UI_BACKSPACE);
    key(&bench, VKS_UI_LEFT);
    type(&bench, "5");
    key(&bench, VKS_UI_ENTER);
    assert_string_equal(last_set(&bench, "decay")->text, "0.057");
    assert_false(vks_ui_takes_keys(bench.ui));
    bench.actions.count = 0;
    click(&bench, vks_panel_number_id(decay));
    type(&bench, "0.2");
    key(&bench, VKS_UI_ESCAPE);
    assert_int_equal(bench.actions.count, 0);
    click(&bench, vks_panel_number_id(decay));
    type(&bench, "0.25");
    click(&bench, vks_panel_option_id(option_of(&bench, "jitter"))); /* elsewhere: it counts */
    assert_int_equal(bench.actions.count, 3); /* the drag, the text, and its end */
    assert_string_equal(bench.actions.items[1].text, "0.25");
    /* A text that is longer than any value, and bytes of half a character. */
    click(&bench, vks_panel_number_id(decay));
    for (int i = 0; i < 20; i++) {
        type(&bench, "0123456789012345678901234567890\xce\xb1\xe2\x80\xa6\xce");
        key(&bench, i % 2 ? VKS_UI_LEFT : VKS_UI_DELETE);
    }
    assert_true(strlen(bench.ui->edit.text) < VKS_UI_TEXT_SIZE);
    key(&bench, VKS_UI_ESCAPE);
    /* A field that goes away takes no keys. */
    click(&bench, vks_panel_number_id(decay));
    vks_panel_show(bench.panel, VKS_TAB_BRUSH);
    update(&bench);
    assert_false(vks_ui_takes_keys(bench.ui));
    /* Nor does a list. */
    vks_panel_show(bench.panel, VKS_TAB_LOOK);
    update(&bench);
    click(&bench, vks_panel_option_id(option_of(&bench, "view")));
    assert_true(vks_ui_takes_keys(bench.ui));
    vks_panel_show(bench.panel, VKS_TAB_BRUSH);
    update(&bench);
    assert_false(vks_ui_takes_keys(bench.ui));
    close_bench(&bench);
}

/* Every choice of every option with choices, and every toggle. */
static void choose_all(struct bench *bench, const struct vks_option *option)
{
    char text[VKS_VALUE_SIZE];
    const uint32_t id = vks_panel_option_id(option);
    for (size_t i = 0; option->choices[i]; i++) {
        if (!vks_ui_spot(bench->ui, id)) {
            return; /* a choice that another option excludes */
        }
        const char *now = vks_option_get(option, vks_settings_values(&bench->settings, option),
                                         text, sizeof(text));
        if (strcmp(now, option->choices[i]) == 0) {
            continue;
        }
        bench->actions.count = 0;
        find(bench, id);
        const uint32_t list = vks_ui_sub(id, SIZE_MAX - 1);
        if (!vks_ui_spot(bench->ui, vks_ui_sub(id, i))) {
            click(bench, id); /* a list */
            click(bench, vks_ui_sub(list, i));
            assert_null(vks_ui_spot(bench->ui, list));
        } else {
            click(bench, vks_ui_sub(id, i));
        }
        assert_string_equal(last_set(bench, option->name)->text, option->choices[i]);
        apply(bench);
        update(bench);
    }
}

static void test_choices(void **state)
{
    (void)state;
    const struct vks_model *model;
    for (size_t i = 0; (model = vks_model_at(i)); i++) {
        struct bench bench;
        open_bench(&bench, model, "default", 1);
        const struct vks_option_table tables[] = {model->options, vks_common_options};
        for (int tab = 0; tab < 2; tab++) {
            open_groups(&bench, tab);
            for (size_t j = 0; j < tables[0].count + tables[1].count; j++) {
                const bool own = j < tables[0].count;
                const struct vks_option *option =
                    own ? &tables[0].options[j] : &tables[1].options[j - tables[0].count];
                const uint32_t id = vks_panel_option_id(option);
                if (option->change == VKS_CHANGE_NEVER || !vks_ui_spot(bench.ui, id)) {
                    continue;
                }
                if (option->choices) {
                    choose_all(&bench, option);
                } else if (option->type == VKS_OPTION_FLAG) {
                    bench.actions.count = 0;
                    find(&bench, id);
                    const struct vks_spot *spot = vks_ui_spot(bench.ui, id);
                    point(&bench, spot, 0.95F, 0.5F);
                    update(&bench);
                    press(&bench, 1);
                    release(&bench);
                    assert_string_equal(last_set(&bench, option->name)->text, "true");
                    apply(&bench);
                }
                load(&bench, model, "default");
                update(&bench);
            }
        }
        close_bench(&bench);
    }
}

static const struct vks_action *only(struct bench *bench, enum vks_action_kind kind)
{
    assert_int_equal(bench->actions.count, 1);
    assert_int_equal(bench->actions.items[0].kind, kind);
    bench->actions.count = 0;
    return &bench->actions.items[0];
}

/* The right button starts the wave of an option, and stops it; its own sliders change it. */
static void test_waves(void **state)
{
    (void)state;
    struct bench bench;
    open_bench(&bench, vks_model_find("gray-scott"), "default", 1);
    const struct vks_option *feed = option_of(&bench, "feed");
    const uint32_t parts[] = {vks_panel_option_id(feed), vks_panel_number_id(feed)};
    struct vks_wave wave = {.option = feed};
    bench.data.waves = &wave;
    for (size_t i = 0; i < 2; i++) {
        bench.data.wave_count = 0;
        point(&bench, find(&bench, parts[i]), 0.5F, 0.5F);
        assert_null(vks_ui_spot(bench.ui, vks_panel_period_id(feed)));
        bench.input.menu = true;
        update(&bench);
        const struct vks_action *action = only(&bench, VKS_ACTION_ANIMATE);
        assert_string_equal(action->name, "feed");
        assert_true(action->period == 10 && action->share == 0.15);
        wave.period = action->period;
        wave.share = action->share;
        bench.data.wave_count = 1;
        point(&bench, find(&bench, parts[i]), 0.5F, 0.5F);
        bench.input.menu = true;
        update(&bench);
        assert_true(only(&bench, VKS_ACTION_ANIMATE)->share == 0);
    }
    point(&bench, find(&bench, vks_panel_period_id(feed)), 0.9F, 0.5F);
    update(&bench);
    press(&bench, 1);
    assert_true(bench.actions.items[0].period > 100 && bench.actions.items[0].share == 0.15);
    release(&bench);
    /* What acts at the next start does not move. */
    bench.actions.count = 0;
    point(&bench, find(&bench, vks_panel_option_id(option_of(&bench, "start-radius"))), 0.5F, 0.5F);
    bench.input.menu = true;
    update(&bench);
    assert_int_equal(bench.actions.count, 0);
    close_bench(&bench);
}

/* The limits of the range are dragged over the values of the picture. */
/* Of branches only those before the last one remain, and not too many. */
static void test_branches(void **state)
{
    (void)state;
    struct vks_branches branches = {.count = 0};
    vks_branches_add(&branches, 100, 300);
    vks_branches_add(&branches, 200, 250);
    assert_int_equal(branches.count, 2);
    vks_branches_add(&branches, 150, 400);
    assert_int_equal(branches.count, 2);
    assert_true(branches.steps[0] == 100 && branches.ends[0] == 300);
    assert_true(branches.steps[1] == 150 && branches.ends[1] == 400);
    for (uint64_t i = 0; i < 20; i++) {
        vks_branches_add(&branches, 1000 + i, 2000 + i);
    }
    assert_int_equal(branches.count, VKS_MAX_BRANCHES);
    assert_true(branches.steps[0] == 1004 && branches.ends[0] == 2004);
    assert_true(branches.steps[15] == 1019 && branches.ends[15] == 2019);
}

static void test_histogram(void **state)
{
    (void)state;
    struct bench bench;
    struct vks_histogram histogram;
    const float values[] = {0, 0, 0, 0, 1, 2, 4, NAN, INFINITY};
    const uint32_t low = vks_ui_id("range low"), high = vks_ui_id("range high");
    vks_histogram_make(&histogram, values, 9, 0.5, 3, false);
    assert_true(histogram.low == 0 && histogram.high == 4);
    assert_true(histogram.range[0] == 0.5 && histogram.range[1] == 3);
    assert_true(histogram.bars[0] == 1 && histogram.bars[24] > 0.3F && histogram.bars[24] < 1 &&
                histogram.bars[95] == histogram.bars[24] && histogram.bars[30] == 0);
    open_bench(&bench, vks_model_find("gray-scott"), "default", 1);
    assert_int_equal(vks_settings_set(&bench.raw, "normalize", "smooth"), VKS_OK);
    assert_true(refresh(&bench));
    vks_panel_show(bench.panel, VKS_TAB_LOOK);
    update(&bench);
    assert_null(vks_ui_spot(bench.ui, low));
    bench.data.histogram = &histogram;
    for (int i = 0; i < 2; i++) {
        point(&bench, find(&bench, i ? high : low), 0.5F, 0.5F);
        update(&bench);
        press(&bench, 1);
        bench.input.x += i ? 1000 : -1000;
        update(&bench);
        release(&bench);
        assert_string_equal(last_set(&bench, "normalize")->text, i ? "fixed:0:4" : "fixed:0:3");
        apply(&bench);
        keep(vks_panel_canvas(bench.panel), "histogram");
    }
    point(&bench, find(&bench, low), 0.5F, 0.5F);
    update(&bench);
    press(&bench, 1);
    bench.input.x += 1000; /* past the other one */
    update(&bench);
    release(&bench);
    apply(&bench);
    const struct vks_range *range = &bench.settings.common.look.values.range;
    assert_true(range->low > 3.8 && range->low < range->high);
    point(&bench, find(&bench, low), 0.5F, 0.5F);
    update(&bench);
    press(&bench, 2);
    release(&bench);
    assert_string_equal(last_set(&bench, "normalize")->text, "smooth");
    /* Both sides of a symmetric range. */
    assert_int_equal(vks_settings_set(&bench.raw, "normalize", "symmetric"), VKS_OK);
    assert_true(refresh(&bench));
    bench.actions.count = 0;
    vks_histogram_make(&histogram, values, 9, 0, 4, true);
    assert_true(histogram.low == -4 && histogram.range[0] == -4);
    point(&bench, find(&bench, low), 0.5F, 0.5F);
    update(&bench);
    press(&bench, 1);
    bench.input.x += 69;
    update(&bench);
    assert_string_equal(last_set(&bench, "normalize")->text, "symmetric:2.17");
    close_bench(&bench);
}

/* The name of a simulation, as a cell of the panel. */
static uint32_t name_of(const char *model)
{
    uint32_t at = 0;
    while (strcmp(vks_model_at(at)->name, model) != 0) {
        at++;
    }
    return vks_ui_sub(vks_ui_id("models"), at);
}

static void test_actions(void **state)
{
    (void)state;
    struct bench bench;
    open_bench(&bench, vks_model_find("physarum"), "default", 1);
    update(&bench);
    click(&bench, name_of("gray-scott"));
    assert_string_equal(only(&bench, VKS_ACTION_MODEL)->name, "gray-scott");
    click(&bench, vks_ui_sub(vks_ui_id("presets"), 3));
    assert_string_equal(bench.actions.items[0].name, "corona");
    assert_false(only(&bench, VKS_ACTION_PRESET)->keep);
    bench.input.shift = true;
    click(&bench, vks_ui_sub(vks_ui_id("presets"), 2));
    bench.input.shift = false;
    assert_true(only(&bench, VKS_ACTION_PRESET)->keep);
    /* All presets: the last tile opens them. */
    click(&bench, vks_ui_sub(vks_ui_id("presets"), 7));
    click(&bench, vks_ui_sub(vks_ui_id("presets"), 19));
    assert_string_equal(only(&bench, VKS_ACTION_PRESET)->name,
                        vks_model_presets(bench.settings.model)[19].name);
    click(&bench, vks_ui_id("restart"));
    only(&bench, VKS_ACTION_RESTART);
    /* Values of a new run wait for the button. */
    click(&bench, vks_panel_group_id("new run", VKS_TAB_MODEL));
    click(&bench, vks_panel_option_id(option_of(&bench, "size")));
    type(&bench, "512x256");
    key(&bench, VKS_UI_ENTER);
    click(&bench, vks_panel_number_id(option_of(&bench, "species")));
    type(&bench, "3");
    key(&bench, VKS_UI_ENTER);
    assert_int_equal(bench.actions.count, 0);
    click(&bench, vks_ui_id("apply"));
    assert_int_equal(bench.actions.count, 3);
    assert_int_equal(bench.actions.items[0].kind, VKS_ACTION_PREPARE);
    assert_string_equal(bench.actions.items[0].name, "size");
    assert_string_equal(bench.actions.items[0].text, "512x256");
    assert_string_equal(bench.actions.items[1].name, "species");
    assert_string_equal(bench.actions.items[1].text, "3");
    assert_int_equal(bench.actions.items[2].kind, VKS_ACTION_NEW_RUN);
    bench.actions.count = 0;
    vks_panel_show(bench.panel, VKS_TAB_LOOK);
    update(&bench);
    click(&bench, vks_ui_sub(vks_ui_id("colour maps"), 2));
    assert_string_equal(last_set(&bench, "colormap")->text, "viridis");
    close_bench(&bench);
}

/* The pixels of a preset's tile, without its rounded corners, are those of its picture: one to one
 * at scale 2, means of four at scale 1. */
static void check_tile(struct bench *bench, size_t index, const struct vks_thumb *picture)
{
    enum { CORNER = 8 };
    const struct vks_spot *spot = find(bench, vks_ui_sub(vks_ui_id("presets"), index));
    const struct vks_canvas *canvas = vks_panel_canvas(bench->panel);
    const uint32_t step = bench->surface.scale > 1 ? 1 : 2, side = picture->width / step;
    const int32_t left = (int32_t)(spot->full.x * bench->surface.scale);
    const int32_t top = (int32_t)(spot->full.y * bench->surface.scale);
    for (uint32_t y = CORNER; y < side - CORNER; y++) {
        for (uint32_t x = CORNER; x < side - CORNER; x++) {
            const uint8_t *from = picture->rgba + (size_t)step * (y * picture->width + x) * 4;
            const uint8_t *below = from + (size_t)(step - 1) * picture->width * 4;
            const uint8_t *pixel = pixel_of(canvas, left + (int32_t)x, top + (int32_t)y);
            for (uint32_t c = 0; c < 3; c++) {
                const int sum =
                    step == 1 ? 4 * from[c] : from[c] + from[c + 4] + below[c] + below[c + 4];
                assert_int_equal(pixel[c], (sum + 2) / 4);
            }
        }
    }
}

static void test_presets(void **state)
{
    (void)state;
    const struct vks_model *model = vks_model_find("physarum");
    struct vks_thumb pictures[128];
    uint8_t *pixels;
    assert_int_equal(vks_pictures_load(model, pictures, &pixels), VKS_OK);
    for (size_t s = 0; s < 3; s += 2) {
        struct bench bench;
        open_bench(&bench, model, "default", scales[s]);
        update(&bench);
        for (size_t i = 0; i < 7; i++) {
            check_tile(&bench, i, &pictures[i]);
        }
        close_bench(&bench);
    }
    free(pixels);
}

/* A preset without a picture shows its colour map. */
static void test_no_pictures(void **state)
{
    (void)state;
    struct vks_model model = *vks_model_find("gray-scott");
    struct bench bench;
    struct vks_colormap map;
    model.name = "nothing";
    open_bench(&bench, &model, "default", 1);
    assert_int_equal(vks_colormap_load("dusk", &map), VKS_OK);
    const struct vks_spot *spot = find(&bench, vks_ui_sub(vks_ui_id("presets"), 0));
    const struct vks_canvas *canvas = vks_panel_canvas(bench.panel);
    const int32_t left = (int32_t)spot->full.x, top = (int32_t)spot->full.y;
    for (int32_t x = 1; x < 71; x++) {
        const uint8_t *entry = (const uint8_t *)&map.entries[(2 * x + 1) * 256 / 144];
        const uint8_t *pixel = pixel_of(canvas, left + x, top + 36);
        for (int c = 0; c < 3; c++) {
            assert_true(abs(pixel[c] - entry[c]) <= 6);
        }
    }
    close_bench(&bench);
}

/* Half a second on a preset asks for its run, whose picture takes the place of its own. */
static void test_live(void **state)
{
    (void)state;
    static uint8_t rgba[128 * 128 * 4];
    struct bench bench;
    memset(rgba, 99, sizeof(rgba));
    open_bench(&bench, vks_model_find("gray-scott"), "default", 2);
    bench.data.live = (struct vks_thumb){rgba, 128, 128, 1};
    const struct vks_spot *spot = find(&bench, vks_ui_sub(vks_ui_id("presets"), 2));
    const int32_t x = (int32_t)(spot->full.x * 2) + 72, y = (int32_t)(spot->full.y * 2) + 72;
    const struct vks_canvas *canvas = vks_panel_canvas(bench.panel);
    uint8_t still[4];
    memcpy(still, pixel_of(canvas, x, y), sizeof(still));
    point(&bench, spot, 0.5F, 0.4F);
    update(&bench);
    assert_null(vks_panel_pointed(bench.panel));
    assert_true(bench.update.wake <= bench.input.time + 0.5);
    bench.input.time += 0.4;
    update(&bench);
    assert_null(vks_panel_pointed(bench.panel));
    assert_memory_equal(pixel_of(canvas, x, y), still, sizeof(still));
    bench.input.time += 0.1;
    update(&bench);
    assert_string_equal(vks_panel_pointed(bench.panel), "alpha-a");
    assert_memory_equal(pixel_of(canvas, x, y), rgba, 3);
    assert_memory_not_equal(pixel_of(canvas, x - 160, y), rgba, 3); /* only this one */
    bench.input.x += 160;
    update(&bench); /* another: its time starts again */
    assert_null(vks_panel_pointed(bench.panel));
    assert_memory_equal(pixel_of(canvas, x, y), still, sizeof(still));
    bench.input.time += 1;
    update(&bench);
    assert_string_equal(vks_panel_pointed(bench.panel), "alpha-b");
    vks_panel_show(bench.panel, VKS_TAB_LOOK);
    update(&bench);
    assert_null(vks_panel_pointed(bench.panel));
    close_bench(&bench);
}

/* Two options at once; a click near a preset's dot takes its values. */
static void test_chart(void **state)
{
    (void)state;
    struct bench bench;
    open_bench(&bench, vks_model_find("gray-scott"), "default", 1.5F);
    update(&bench);
    const struct vks_chart *chart = &bench.settings.model->chart;
    const struct vks_spot *spot = find(&bench, vks_ui_id("chart"));
    point(&bench, spot, 0.1F, 0.25F);
    update(&bench);
    press(&bench, 1);
    assert_int_equal(bench.actions.count, 2);
    assert_true(bench.actions.items[0].more && bench.actions.items[1].more);
    assert_string_equal(bench.actions.items[0].name, "kill");
    assert_true(fabs(strtod(bench.actions.items[0].text, NULL) - 0.0345) < 0.0003);
    assert_string_equal(bench.actions.items[1].name, "feed");
    assert_true(fabs(strtod(bench.actions.items[1].text, NULL) - 0.09) < 0.0003);
    point(&bench, spot, 2, -1);
    update(&bench);
    release(&bench);
    assert_int_equal(bench.actions.count, 6);
    assert_false(bench.actions.items[5].more);
    assert_string_equal(bench.actions.items[4].text, "0.075");
    assert_string_equal(bench.actions.items[5].text, "0.12");
    bench.actions.count = 0;
    /* sigma-b has feed 0.11 and kill 0.0523. */
    point(&bench, spot, (0.0523F - chart->low[0]) / (chart->high[0] - chart->low[0]) + 0.005F,
          1 - 0.11F / 0.12F);
    update(&bench);
    press(&bench, 1);
    release(&bench);
    assert_string_equal(bench.actions.items[0].text, "0.0523");
    assert_string_equal(bench.actions.items[1].text, "0.11");
    apply(&bench);
    bench.ui->focus = vks_ui_id("chart");
    bench.ui->keyboard = true;
    key(&bench, VKS_UI_DOWN);
    assert_string_equal(bench.actions.items[0].text, "0.0523");
    assert_string_equal(bench.actions.items[1].text, "0.1088");
    apply(&bench);
    keep(vks_panel_canvas(bench.panel), "chart");
    /* Along the line: the middle is on it, and the arrow upwards stays there. */
    click(&bench, vks_ui_id("along"));
    point(&bench, find(&bench, vks_ui_id("chart")), 0.5F, 0.25F);
    update(&bench);
    press(&bench, 1);
    release(&bench);
    double kill = strtod(bench.actions.items[0].text, NULL);
    double feed = strtod(bench.actions.items[1].text, NULL);
    assert_true(fabs(feed - 0.09) < 0.0003 && fabs(kill - chart->edge(feed)) < 0.0003);
    apply(&bench);
    keep(vks_panel_canvas(bench.panel), "crescent");
    bench.ui->focus = vks_ui_id("chart");
    bench.ui->keyboard = true;
    key(&bench, VKS_UI_DOWN);
    kill = strtod(bench.actions.items[0].text, NULL);
    feed = strtod(bench.actions.items[1].text, NULL);
    assert_true(feed < 0.0895 && fabs(kill - chart->edge(feed)) < 0.0004);
    bench.actions.count = 0;
    /* A map gives both values: there is nothing to drag. */
    assert_int_equal(vks_settings_set(&bench.raw, "map", "0.01:0.1,0.045:0.07"), VKS_OK);
    assert_true(refresh(&bench));
    update(&bench);
    assert_null(vks_ui_spot(bench.ui, vks_ui_id("chart")));
    close_bench(&bench);
}

static void assert_near(const double at[2], double kill, double feed)
{
    assert_true(fabs(at[0] - kill) < 0.0003 && fabs(at[1] - feed) < 0.0003);
}

/* The right button draws a path; a click with it, and Escape while it is drawn, end it. */
static void test_path(void **state)
{
    (void)state;
    struct bench bench;
    struct vks_trip trip = {0};
    open_bench(&bench, vks_model_find("gray-scott"), "default", 1.5F);
    update(&bench);
    const struct vks_spot *spot = find(&bench, vks_ui_id("chart"));
    assert_null(vks_ui_spot(bench.ui, vks_ui_id("path")));
    point(&bench, spot, 0.1F, 0.25F);
    update(&bench);
    bench.input.menu = bench.input.menu_down = true;
    update(&bench);
    for (int i = 1; i <= 500; i++) { /* more than a path has points */
        point(&bench, spot, 0.1F + 0.8F * (float)(i % 50) / 50, 0.25F + 0.001F * (float)i);
        update(&bench);
    }
    assert_int_equal(bench.actions.count, 0);
    assert_true(vks_ui_takes_keys(bench.ui));
    keep(vks_panel_canvas(bench.panel), "path-drawn");
    bench.input.menu_down = false;
    update(&bench);
    assert_int_equal(bench.actions.count, 1);
    const struct vks_action *action = &bench.actions.items[0];
    const struct vks_path *path = action->path;
    assert_int_equal(action->kind, VKS_ACTION_PATH);
    assert_true(action->period == 10 && path->count > VKS_MAX_PATH / 2);
    assert_near(path->at[0], 0.0345, 0.09);
    assert_near(path->at[path->count - 1], 0.0345, 0.03);
    assert_true(path->reach[0] == 0);
    for (size_t i = 1; i < path->count; i++) {
        assert_true(path->reach[i] > path->reach[i - 1]);
    }
    trip.path = *path;
    bench.data.trip = &trip;
    /* While it is played, its slider is there. */
    point(&bench, find(&bench, vks_ui_id("path")), 0.9F, 0.5F);
    bench.actions.count = 0;
    update(&bench);
    press(&bench, 1);
    assert_true(bench.actions.items[0].kind == VKS_ACTION_PATH && !bench.actions.items[0].path &&
                bench.actions.items[0].period > 100);
    release(&bench);
    bench.actions.count = 0;
    keep(vks_panel_canvas(bench.panel), "path-played");
    point(&bench, find(&bench, vks_ui_id("chart")), 0.5F, 0.5F);
    bench.input.menu = true;
    update(&bench);
    assert_true(only(&bench, VKS_ACTION_PATH)->period == 0);
    bench.input.menu = bench.input.menu_down = true;
    update(&bench);
    key(&bench, VKS_UI_ESCAPE);
    point(&bench, spot, 0.9F, 0.9F);
    bench.input.menu_down = false;
    update(&bench);
    assert_int_equal(bench.actions.count, 0);
    assert_false(vks_ui_takes_keys(bench.ui));
    close_bench(&bench);
}

/* The last action: the brush, which paints about these values. */
static void assert_paints(struct bench *bench, double feed, double kill)
{
    assert_true(bench->actions.count > 0);
    const struct vks_action *action = &bench->actions.items[bench->actions.count - 1];
    assert_int_equal(action->kind, VKS_ACTION_BRUSH);
    assert_int_equal(action->brush.index, 1);
    assert_true(fabs(action->brush.values[0] - feed) < 0.0003);
    assert_true(fabs(action->brush.values[1] - kill) < 0.0003);
    bench->data.brush = action->brush;
    bench->actions.count = 0;
}

/* With Alt, and in the tab of brushes, the chart chooses what a brush paints. */
static void test_chart_of_brush(void **state)
{
    (void)state;
    static const struct vks_brush_value none[VKS_STROKE_VALUES] = {{NULL, 0}},
                                        values[] = {{"feed", 0.1}, {"kill", 0.125}};
    struct vks_brush_row rows[] = {
        {"seed", "moves v", "clears", NULL, none},
        {"rates", "moves F and k", "moves them back", "rates=painted", values}};
    struct bench bench;
    open_bench(&bench, vks_model_find("gray-scott"), "default", 1.5F);
    bench.data.brushes = rows;
    bench.data.brush_count = 2;
    update(&bench);
    const struct vks_spot *spot = find(&bench, vks_ui_id("chart"));
    bench.input.alt = true;
    point(&bench, spot, 0.1F, 0.25F);
    update(&bench);
    press(&bench, 1);
    release(&bench);
    assert_int_equal(bench.actions.count, 0); /* the run lacks what it needs */
    assert_string_equal(bench.ui->toast, "the brush 'rates' needs a run with rates=painted");
    rows[1].lacks = NULL;
    press(&bench, 1);
    assert_paints(&bench, 0.09, 0.0345);
    bench.input.alt = false; /* the drag stays the brush's */
    point(&bench, spot, 0.5F, -1);
    update(&bench);
    assert_paints(&bench, 0.1, 0.0525); /* at most */
    release(&bench);
    bench.actions.count = 0;
    point(&bench, spot, 0.5F, 0.5F);
    update(&bench);
    press(&bench, 1);
    assert_string_equal(bench.actions.items[0].name, "kill");
    release(&bench);
    bench.actions.count = 0;
    vks_panel_show(bench.panel, VKS_TAB_BRUSH);
    update(&bench);
    spot = find(&bench, vks_ui_id("chart"));
    point(&bench, spot, 0.4F, 0.5F);
    update(&bench);
    press(&bench, 1);
    assert_paints(&bench, 0.06, 0.048);
    release(&bench);
    bench.actions.count = 0;
    click(&bench, vks_ui_id("feed"));
    assert_paints(&bench, 0.05, 0.048);
    close_bench(&bench);
}

static void test_brush_and_gallery(void **state)
{
    (void)state;
    struct bench bench;
    static const struct vks_gallery_item items[] = {{"one", "one", {NULL, 0, 0, 0}, false, 1},
                                                    {"two", NULL, {NULL, 0, 0, 0}, false, 2}};
    static const struct vks_gallery_item moved[] = {{"new", NULL, {NULL, 0, 0, 0}, false, 3},
                                                    {"one", "one", {NULL, 0, 0, 0}, false, 1},
                                                    {"two", NULL, {NULL, 0, 0, 0}, false, 2}};
    open_bench(&bench, vks_model_find("physarum"), "default", 2);
    vks_panel_show(bench.panel, VKS_TAB_BRUSH);
    update(&bench);
    click(&bench, vks_ui_sub(vks_ui_id("brushes"), 3));
    assert_int_equal(only(&bench, VKS_ACTION_BRUSH)->brush.index, 3);
    click(&bench, vks_ui_sub(vks_ui_id("brushes"), 2));
    assert_int_equal(bench.actions.count, 0); /* the run lacks what it needs */
    click(&bench, vks_ui_id("strength"));
    assert_true(bench.actions.items[0].brush.strength == 0.5);
    assert_true(bench.actions.items[0].brush.radius == 30);
    bench.actions.count = 0;
    bench.data.gallery = items;
    bench.data.gallery_count = 2;
    vks_panel_show(bench.panel, VKS_TAB_GALLERY);
    update(&bench);
    assert_null(vks_ui_spot(bench.ui, vks_ui_id("return")));
    click(&bench, vks_ui_sub(vks_ui_id("gallery"), 1));
    assert_int_equal(only(&bench, VKS_ACTION_GALLERY_LOOK)->index, 1);
    click(&bench, vks_ui_id("return"));
    assert_int_equal(only(&bench, VKS_ACTION_GALLERY_RETURN)->index, 1);
    bench.data.gallery = moved; /* a new picture at the front */
    bench.data.gallery_count = 3;
    update(&bench);
    click(&bench, vks_ui_id("delete"));
    assert_int_equal(only(&bench, VKS_ACTION_GALLERY_DELETE)->index, 2);
    bench.data.gallery_count = 2; /* as it asked */
    assert_false(vks_panel_loops(bench.panel));
    click(&bench, vks_ui_id("loops"));
    assert_true(vks_panel_loops(bench.panel));
    update(&bench);
    assert_null(vks_ui_spot(bench.ui, vks_ui_id("return")));
    click(&bench, vks_ui_id("folder"));
    only(&bench, VKS_ACTION_GALLERY_FOLDER);
    close_bench(&bench);
}

/* The keyboard reaches everything that it can change, and each stop is visible. */
static void test_keyboard(void **state)
{
    (void)state;
    struct bench bench;
    open_bench(&bench, vks_model_find("gray-scott"), "default", 1);
    open_groups(&bench, VKS_TAB_MODEL);
    size_t stops = 0, expected = 0;
    for (size_t i = 0; i < bench.ui->spot_count[1]; i++) {
        expected += bench.ui->spots[1][i].focusable;
    }
    vks_ui_enter(bench.ui);
    update(&bench);
    const uint32_t first = bench.ui->focus;
    do {
        const struct vks_spot *spot = vks_ui_spot(bench.ui, bench.ui->focus);
        assert_true(vks_ui_takes_keys(bench.ui));
        assert_non_null(spot);
        assert_true(spot->box.height >= fminf(spot->full.height, 200));
        key(&bench, VKS_UI_TAB);
        stops++;
    } while (bench.ui->focus != first && stops < 200);
    assert_int_equal(stops, expected);
    bench.input.shift = true;
    key(&bench, VKS_UI_TAB);
    bench.input.shift = false;
    assert_int_equal(bench.ui->focus, vks_ui_id("apply"));
    key(&bench, VKS_UI_SPACE);
    only(&bench, VKS_ACTION_NEW_RUN);
    /* A slider, its number, and a list. */
    const struct vks_option *feed = option_of(&bench, "feed");
    bench.ui->focus = vks_panel_option_id(feed);
    key(&bench, VKS_UI_RIGHT);
    assert_true(strtod(last_set(&bench, "feed")->text, NULL) > 0.04);
    apply(&bench);
    key(&bench, VKS_UI_DELETE);
    assert_string_equal(last_set(&bench, "feed")->text, "0.04");
    type(&bench, "0");
    type(&bench, ".05");
    key(&bench, VKS_UI_ENTER);
    assert_string_equal(last_set(&bench, "feed")->text, "0.05");
    bench.ui->focus = vks_panel_option_id(option_of(&bench, "init"));
    key(&bench, VKS_UI_ENTER);
    key(&bench, VKS_UI_DOWN);
    key(&bench, VKS_UI_ENTER);
    assert_string_equal(last_set(&bench, "init")->text, "spots");
    bench.actions.count = 0;
    bench.ui->focus = vks_ui_id("presets");
    bench.ui->cursor = SIZE_MAX;
    key(&bench, VKS_UI_DOWN);
    key(&bench, VKS_UI_RIGHT);
    key(&bench, VKS_UI_ENTER);
    assert_string_equal(only(&bench, VKS_ACTION_PRESET)->name, "beta-b");
    key(&bench, VKS_UI_ESCAPE);
    assert_false(vks_ui_takes_keys(bench.ui));
    close_bench(&bench);
}

/* --- what is drawn again --------------------------------------------------------------------- */

static uint32_t random_of(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

static void random_input(struct bench *bench, uint32_t *seed)
{
    struct vks_ui_input *input = &bench->input;
    input->x = random_of(seed) % bench->surface.width;
    input->y = random_of(seed) % bench->surface.height;
    input->inside = random_of(seed) % 8 != 0;
    const uint32_t what = random_of(seed) % 10;
    if (what < 3 && !input->down) {
        input->down = input->pressed = true;
        input->clicks = 1 + random_of(seed) % 2;
    } else if (what < 6 && input->down) {
        input->down = false;
        input->released = true;
    } else if (what == 6) {
        input->wheel = (float)(random_of(seed) % 5) - 2;
    } else if (what == 7) {
        input->keys[0] = random_of(seed) % (VKS_UI_DELETE + 1);
        input->key_count = 1;
    } else if (what == 8) {
        snprintf(input->text, sizeof(input->text), "%u", random_of(seed) % 100);
    }
    input->shift = random_of(seed) % 4 == 0;
    input->time += random_of(seed) % 3 == 0 ? 1 : 0;
}

static bool in_rects(const struct vks_update *update, int32_t x, int32_t y)
{
    for (size_t i = 0; i < update->count; i++) {
        if (meet(update->rects[i], (struct vks_rect){x, y, 1, 1})) {
            return true;
        }
    }
    return false;
}

static void check_rows(const struct bench *bench, const uint8_t *before, const uint8_t *after)
{
    const size_t row = (size_t)bench->surface.width * 4;
    for (size_t y = 0; y < bench->surface.height; y++, before += row, after += row) {
        for (size_t x = 0; x < row && memcmp(before, after, row) != 0; x += 4) {
            assert_true(memcmp(before + x, after + x, 4) == 0 ||
                        in_rects(&bench->update, x / 4, y));
        }
    }
}

/* Pixels change only in the rectangles that are reported, and the picture is the one that would be
 * drawn from nothing. */
static void test_rects(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (size_t s = 0; s < 3; s++) {
        struct bench bench;
        open_bench(&bench, vks_model_at(s), "default", scales[s]);
        update(&bench);
        const size_t bytes = (size_t)bench.surface.width * bench.surface.height * 4;
        uint8_t *before = malloc(bytes), *after = malloc(bytes);
        assert_true(before && after);
        for (int i = 0; i < 120; i++) {
            memcpy(before, vks_panel_canvas(bench.panel)->rgba, bytes);
            random_input(&bench, &seed);
            update(&bench);
            memcpy(after, vks_panel_canvas(bench.panel)->rgba, bytes);
            check_rows(&bench, before, after);
            apply(&bench);
        }
        update(&bench);
        memcpy(after, vks_panel_canvas(bench.panel)->rgba, bytes);
        /* Another background colour makes all pixels new. */
        struct vks_rect rects[VKS_MAX_RECTS];
        size_t count;
        vks_draw_begin(bench.ui->draw, bench.surface.width, bench.surface.height,
                       bench.surface.scale, 0x123456);
        assert_int_equal(vks_draw_end(bench.ui->draw, rects, &count), VKS_OK);
        bench.input.time -= 1.0 / 60;
        update(&bench);
        assert_memory_equal(vks_panel_canvas(bench.panel)->rgba, after, bytes);
        free(before);
        free(after);
        close_bench(&bench);
    }
}

/* Memory does not grow, and nothing is drawn when nothing changes. */
static void test_steady(void **state)
{
    (void)state;
    struct bench bench;
    uint32_t seed = 7;
    size_t used = 0;
    open_bench(&bench, vks_model_find("physarum"), "currents", 1);
    for (int i = 0; i < 1200; i++) {
        if (i == 600) {
            used = mallinfo2().uordblks;
        }
        random_input(&bench, &seed);
        update(&bench);
        bench.actions.count = 0;
    }
    assert_true(mallinfo2().uordblks <= used + 65536);
    bench.input.inside = bench.input.down = false;
    bench.input.time += 60;
    update(&bench);
    update(&bench);
    update(&bench);
    assert_int_equal(bench.update.count, 0);
    close_bench(&bench);
}

static void test_times(void **state)
{
    (void)state;
    struct bench bench;
    double whole = 1e9, one = 1e9, idle = 1e9;
    open_bench(&bench, vks_model_find("physarum"), "currents", 1);
    const struct vks_option *decay = option_of(&bench, "decay");
    size_t count = 0;
    for (int i = 0; i < 20; i++) {
        struct vks_rect rects[VKS_MAX_RECTS];
        vks_draw_begin(bench.ui->draw, bench.surface.width, bench.surface.height, 1, 0x123456);
        assert_int_equal(vks_draw_end(bench.ui->draw, rects, &count), VKS_OK);
        double start = now();
        update(&bench);
        whole = fmin(whole, now() - start);
        assert_int_equal(bench.update.count, 1);
        assert_int_equal(vks_settings_set(&bench.raw, "decay", i % 2 ? "0.1" : "0.01"), VKS_OK);
        refresh(&bench);
        start = now();
        update(&bench);
        one = fmin(one, now() - start);
        count = bench.update.count;
        start = now();
        update(&bench);
        idle = fmin(idle, now() - start);
    }
    assert_true(count >= 1 && count < 8);
    assert_non_null(vks_ui_spot(bench.ui, vks_panel_option_id(decay)));
    printf("# panel %.2f ms, one slider %.2f ms (%zu rectangles), unchanged %.2f ms\n", 1e3 * whole,
           1e3 * one, count, 1e3 * idle);
    close_bench(&bench);
}

/* --- the strip ------------------------------------------------------------------------------- */

static void test_strip(void **state)
{
    (void)state;
    char text[40];
    assert_string_equal(vks_group_digits(0, text), "0");
    assert_string_equal(vks_group_digits(999, text), "999");
    assert_string_equal(vks_group_digits(12480, text), "12\xe2\x80\x89"
                                                       "480");
    assert_string_equal(vks_group_digits(UINT64_MAX, text) + 26 + 6 * 3 - 6 - 3, "615");
    static const struct vks_mark marks[] = {{0, VKS_MARK_EVENT}, {99999, VKS_MARK_PICTURE}};
    struct vks_strip_data data = {.last = 1000,
                                  .now = 500,
                                  .marks = marks,
                                  .mark_count = 2,
                                  .speed = "1x \xc2\xb7 61 fps \xc2\xb7 8.1 ms",
                                  .recorded = -1};
    for (size_t s = 0; s < 3; s++) {
        for (float width = 300; width < 1600; width += 97) {
            struct vks_ui ui;
            struct vks_actions actions = {.count = 0};
            struct vks_update result;
            struct vks_ui_input input = {.time = 1};
            const float high = 46 * scales[s];
            const struct vks_surface surface = {width * scales[s], high, scales[s]};
            assert_int_equal(vks_ui_create(&ui), VKS_OK);
#define UPDATE() \
    assert_int_equal(vks_strip_update(&ui, &data, &input, &surface, &actions, &result), VKS_OK)

            data.recorded = -1;
            UPDATE();
            check_texts(&ui, scales[s]);
            data.recorded = 75;
            UPDATE();
            check_texts(&ui, scales[s]);
            const struct vks_spot *line = vks_ui_spot(&ui, vks_ui_id("time"));
            if (width > 400) {
                assert_non_null(line);
                input.inside = true;
                input.y = high / 2;
                input.x = (line->full.x + 4) * scales[s];
                UPDATE();
                input.down = input.pressed = true;
                UPDATE();
                assert_int_equal(actions.count, 1);
                assert_int_equal(actions.items[0].kind, VKS_ACTION_SEEK);
                assert_true(actions.items[0].more && actions.items[0].step < 10);
                input.pressed = false;
                input.x = (line->full.x + line->full.width - 4) * scales[s];
                UPDATE();
                input.down = false;
                input.released = true;
                UPDATE();
                assert_int_equal(actions.count, 3);
                assert_true(!actions.items[2].more && actions.items[2].step > 990);
            }
            vks_ui_destroy(&ui);
#undef UPDATE
        }
    }
}

static void test_strip_buttons(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum vks_action_kind kind;
    } buttons[] = {{"pause", VKS_ACTION_PAUSE},
                   {"save", VKS_ACTION_SAVE},
                   {"record", VKS_ACTION_RECORD},
                   {"saved", VKS_ACTION_GALLERY},
                   {"keys", VKS_ACTION_KEYS}};
    static const uint8_t pixels[4 * 4 * 4];
    const struct vks_gallery_item saved = {.name = "a.png", .image = {pixels, 4, 4, 1}};
    const struct vks_strip_data data = {.last = 1000, .now = 500, .recorded = -1, .saved = &saved};
    const struct vks_surface surface = {900, 46, 1};
    struct vks_ui ui;
    struct vks_actions actions = {.count = 0};
    struct vks_update result;
    struct vks_ui_input input = {.time = 1};
    assert_int_equal(vks_ui_create(&ui), VKS_OK);
    for (size_t i = 0; i < VKS_COUNT(buttons); i++) {
        for (int phase = 0; phase < 3; phase++) {
            const struct vks_spot *spot = vks_ui_spot(&ui, vks_ui_id(buttons[i].name));
            input.inside = spot != NULL;
            input.x = spot ? spot->full.x + spot->full.width / 2 : 0;
            input.y = 23;
            input.down = input.pressed = phase == 1;
            input.released = phase == 2;
            assert_int_equal(vks_strip_update(&ui, &data, &input, &surface, &actions, &result),
                             VKS_OK);
            if (!spot) {
                phase--; /* the first picture */
            }
        }
        assert_int_equal(actions.count, 1);
        assert_int_equal(actions.items[0].kind, buttons[i].kind);
        actions.count = 0;
    }
    vks_ui_destroy(&ui);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pictures),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_clip),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_text_fit),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_complete),
        cmocka_unit_test(test_sliders),
        cmocka_unit_test(test_dial),
        cmocka_unit_test(test_shift),
        cmocka_unit_test(test_typing),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_waves),
        cmocka_unit_test(test_histogram),
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_actions),
        cmocka_unit_test(test_presets),
        cmocka_unit_test(test_no_pictures),
        cmocka_unit_test(test_live),
        cmocka_unit_test(test_chart),
        cmocka_unit_test(test_path),
        cmocka_unit_test(test_chart_of_brush),
        cmocka_unit_test(test_brush_and_gallery),
        cmocka_unit_test(test_keyboard),
        cmocka_unit_test(test_rects),
        cmocka_unit_test(test_steady),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_strip),
        cmocka_unit_test(test_strip_buttons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
