/* SPDX-License-Identifier: MIT */
/* Volumes seen by a camera, on a device, against their C twin (tests/sim/rays_reference.c), byte
 * for byte: shapes, angles, float16, in one piece and in bands, in fields of several buffers; and
 * against the views along axes and of points. */
#include "gpu_test.h"

#include <math.h>
#include <vksim/model.h>

#include "base/error.h"
#include "base/exact.h"
#include "base/memory.h"
#include "points_reference.h"
#include "rays_reference.h"
#include "view/bands.h"

enum { STEPS = 3 };

struct test_case {
    const char *name;
    uint32_t width, height, depth; /* of the volume */
    const char *camera;
    const char *size; /* of the picture */
    const char *project;
    double spin, zoom; /* zoom 0: 1 */
    bool halves;       /* float16 */
    bool wide;         /* fields in several buffers */
    bool fallback;     /* the field is even, and another is shown */
    bool arrays;       /* its values are wanted nevertheless */
};

static const struct test_case cases[] = {
    {"a cube", 8, 8, 8, "30,20", "160x90"},
    {"a cube, the sum", 8, 8, 8, "30,20", "160x90", "column"},
    {"odd sides", 17, 9, 5, "130,35", "90x161"},
    {"from the front", 17, 9, 5, "0,0", "161x90"},
    {"from the back", 17, 9, 5, "180,0", "161x90", "column"},
    {"from the side", 17, 9, 5, "90,0", "161x90"},
    {"from above", 17, 9, 5, "0,90", "91x161"},
    {"from below", 17, 9, 5, "45,-90", "91x91", "column"},
    {"along a diagonal", 9, 9, 9, "45,35.264389682754654", "91x91"},
    {"backwards", 17, 9, 5, "-123.456,-33.5", "161x91"},
    {"nearly along an axis", 17, 9, 5, "0.0000001,0.0000001", "91x91"},
    {"the size of the cells", 64, 33, 7, "200,45"},
    {"near", 17, 9, 5, "10,20", "160x90", .zoom = 7.5},
    {"very near", 5, 4, 3, "10,20", "211x200", .zoom = 1000},
    {"far", 17, 9, 5, "10,20", "160x90", .zoom = 0.01},
    {"a long box", 1024, 1, 3, "70,10", "600x3"},
    {"a high box", 1, 1, 1024, "70,89.5", "3x600", "column"},
    {"two cells", 1, 1, 2, "20,20", "40x30"},
    {"a spin", 8, 8, 8, NULL, "120x90", .spin = 1.25},
    {"a spin backwards", 8, 7, 6, "300,-5", "90x120", .spin = -123.456},
    {"float16", 8, 7, 6, "30,20", "160x90", .halves = true},
    {"float16, odd sides", 10, 7, 5, "-60,70", "61x90", "column", .halves = true},
    {"chunks", 8, 8, 8, "30,20", "160x90", .wide = true},
    {"chunks, float16", 16, 8, 9, "110,20", "80x90", .halves = true, .wide = true},
    {"another field", 8, 8, 8, "30,20", "160x90", .fallback = true},
    {"another field, of float16", 8, 8, 8, "30,20", "90x90", .halves = true, .fallback = true},
    {"another field, and values", 8, 8, 8, "30,20", "90x90", .fallback = true, .arrays = true},
    {"another field, chunks", 8, 8, 8, "30,20", "90x90", .wide = true, .fallback = true},
};

static char *loose(const char *text)
{
    return (char *)(uintptr_t)text;
}

static struct vks_look look_of(const struct test_case *row, bool points)
{
    struct vks_look look = {
        .normalize = loose("frame"),
        .camera = loose(row->camera),
        .project = points ? NULL : loose(row->project),
        .spin = row->spin,
        .zoom = row->zoom > 0 ? row->zoom : 1,
        .gamma = 1,
        .contrast = 1,
        .colormap = loose("viridis"),
        .output_size = loose(row->size),
    };
    ASSERT_FINE(
        vks_look_finish(&look, (struct vks_size){row->width, row->height, row->depth}, points));
    return look;
}

/* The twin, which parses the texts itself. */
static struct rays_reference twin_of(const struct test_case *row, const float *cells)
{
    struct rays_reference twin = {
        .width = row->width,
        .height = row->height,
        .depth = row->depth,
        .cells = cells,
        .elevation = 20,
        .spin = row->spin,
        .zoom = row->zoom > 0 ? row->zoom : 1,
        .column = row->project != NULL,
        .picture_width = row->width,
        .picture_height = row->height,
    };
    if (row->camera) {
        assert_int_equal(sscanf(row->camera, "%lf,%lf", &twin.azimuth, &twin.elevation), 2);
    }
    if (row->size) {
        assert_int_equal(sscanf(row->size, "%ux%u", &twin.picture_width, &twin.picture_height), 2);
    }
    return twin;
}

static size_t count_of(const struct test_case *row)
{
    return (size_t)row->width * row->height * row->depth;
}

/* --- cases ------------------------------------------------------------------------------------ */

struct drawing {
    const struct test_case *row;
    struct vks_view_params params;
    struct vks_graph *graph;
};

static void declare(const struct drawing *drawing, struct vks_declaration *declaration)
{
    const struct test_case *row = drawing->row;
    const enum vks_element element = row->halves ? VKS_F16 : VKS_F32;
    vks_declaration_grid(declaration, row->depth, row->height, row->width);
    VKS_FIELD(declaration, .name = "first", .element = element);
    VKS_FIELD(declaration, .name = "second", .element = element);
    vks_declare_view(declaration, &drawing->params);
}

static void open_drawing(struct drawing *drawing)
{
    struct vks_declaration declaration = {0};
    declare(drawing, &declaration);
    ASSERT_FINE(vks_graph_create(&gpu, &declaration, &drawing->graph));
    vks_declaration_free(&declaration);
}

/* Uploads values as the field's elements, which halves hold exactly. */
static void upload(const struct drawing *drawing, const char *name, const float *cells)
{
    const size_t count = count_of(drawing->row);
    uint16_t *halves = allocate(count * sizeof(*halves));
    for (size_t i = 0; i < count; i++) {
        halves[i] = (uint16_t)vks_half(cells[i]);
    }
    ASSERT_FINE(vks_graph_upload(drawing->graph, name,
                                 drawing->row->halves ? (const void *)halves : cells));
    free(halves);
}

/* Values of every magnitude that a half has, many of them 0. */
static void scatter(const struct test_case *row, uint64_t random, bool even, float *cells)
{
    for (size_t i = 0; i < count_of(row); i++) {
        const uint32_t word = (uint32_t)next_word(&random);
        const float value = vks_from_half(word % 0x7800 < 0x400 ? 0 : word % 0x7800);
        cells[i] = even ? 0 : word >> 31 ? -value : value;
    }
}

static void draw(struct vks_graph *graph)
{
    uint64_t value;
    ASSERT_FINE(vks_graph_frame(graph, NULL, NULL, VK_NULL_HANDLE, VK_NULL_HANDLE, &value));
}

static enum vks_result update_band(void *user, enum vks_view_part part, uint32_t row)
{
    struct drawing *drawing = user;
    struct vks_declaration declaration = {0};
    drawing->params.part = part;
    drawing->params.row = row;
    declare(drawing, &declaration);
    const enum vks_result result = vks_graph_update(drawing->graph, &declaration);
    vks_declaration_free(&declaration);
    return result == VKS_OK ? vks_graph_fill(drawing->graph, true, NULL) : result;
}

/* The picture in bands. */
static void draw_bands(struct drawing *drawing, uint32_t width, uint32_t height, uint32_t *pixels)
{
    const struct vks_bands bands = {.graph = drawing->graph,
                                    .height = height,
                                    .rows = vks_band_rows(drawing->graph),
                                    .user = drawing,
                                    .update = update_band};
    uint32_t *got = allocate((size_t)width * height * 4);
    assert_true(bands.rows < height);
    ASSERT_FINE(vks_bands_begin(&bands));
    for (uint32_t row = 0; row < height; row += bands.rows) {
        const uint32_t rows = height - row < bands.rows ? height - row : bands.rows;
        uint64_t value;
        ASSERT_FINE(vks_bands_draw(&bands, row, NULL, NULL, &value));
        download(drawing->graph, "picture", got);
        memcpy(pixels + (size_t)row * width, got, (size_t)rows * width * 4);
    }
    free(got);
}

static void check(const struct test_case *row)
{
    static const uint32_t steps[STEPS] = {0, 1, 4000000007};
    const struct vks_look look = look_of(row, false);
    float *cells[2] = {allocate(count_of(row) * 4), allocate(count_of(row) * 4)};
    struct rays_reference twin = twin_of(row, cells[row->fallback]);
    const uint32_t width = twin.picture_width, height = twin.picture_height;
    const size_t bytes = (size_t)width * height * 4;
    float *values = allocate(bytes);
    uint32_t *got = allocate(bytes), *bands = allocate(bytes);
    struct drawing drawings[2];
    for (size_t i = 0; i < 2; i++) {
        drawings[i] = (struct drawing){row,
                                       {.displayed = "first",
                                        .fallback = row->fallback ? "second" : NULL,
                                        .look = &look,
                                        .planes = row->arrays ? 1U << VKS_PLANE_VALUES : 0,
                                        .max_bytes = i ? bytes / 3 + 1 : 0},
                                       NULL};
        open_drawing(&drawings[i]);
    }
    assert_int_equal(vks_graph_piece(drawings[0].graph, "first", 0).size < count_of(row) * 2,
                     row->wide);
    for (size_t i = 0; i < STEPS; i++) {
        scatter(row, i, row->fallback, cells[0]);
        scatter(row, i + STEPS, false, cells[1]);
        for (size_t k = 0; k < 2; k++) {
            ASSERT_FINE(vks_graph_start(drawings[k].graph, steps[i], true));
            ASSERT_FINE(vks_graph_fill(drawings[k].graph, false, NULL));
            upload(&drawings[k], "first", cells[0]);
            upload(&drawings[k], "second", cells[1]);
        }
        twin.step = steps[i];
        rays_cast(&twin, values);
        draw(drawings[0].graph);
        download(drawings[0].graph, row->arrays ? "picture_values" : "values", got);
        assert_same("the values", steps[i], got, values, bytes);
        if (row->arrays) { /* those of the first field */
            memset(values, 0, bytes);
            download(drawings[0].graph, "values", got);
            assert_same("the array", steps[i], got, values, bytes);
        }
        download(drawings[0].graph, "picture", got);
        draw_bands(&drawings[1], width, height, bands);
        assert_same("the bands", steps[i], bands, got, bytes);
    }
    for (size_t i = 0; i < 2; i++) {
        vks_graph_destroy(drawings[i].graph);
        free(cells[i]);
    }
    free(bands);
    free(got);
    free(values);
}

static void test_case(void **state)
{
    const struct test_case *row = *state;
    const uint64_t range = gpu.field_range;
    gpu.field_range = row->wide ? 1000 : range;
    check(row);
    gpu.field_range = range;
}

/* --- what cameras see ------------------------------------------------------------------------- */

/* The values of one frame of a volume. */
static void show(const struct test_case *row, const float *cells, float *values)
{
    const struct vks_look look = look_of(row, false);
    struct drawing drawing = {row, {.displayed = "first", .look = &look}, NULL};
    open_drawing(&drawing);
    ASSERT_FINE(vks_graph_start(drawing.graph, 0, true));
    ASSERT_FINE(vks_graph_fill(drawing.graph, false, NULL));
    upload(&drawing, "first", cells);
    draw(drawing.graph);
    download(drawing.graph, "values", values);
    vks_graph_destroy(drawing.graph);
}

/* Along an axis, with a pixel per cell, the sum is that of the cells. */
static void test_axes(void **state)
{
    (void)state;
    enum { SIDE = 16 };
    static const struct {
        const char *camera;
        size_t across, down, along; /* strides */
    } rows[] = {
        {"0,90", 1, SIDE, SIDE * SIDE},
        {"0,0", 1, SIDE * SIDE, SIDE},
        {"90,0", SIDE, SIDE * SIDE, 1},
    };
    float cells[SIDE * SIDE * SIDE], got[SIDE * SIDE];
    uint64_t random = 3;
    for (size_t i = 0; i < VKS_COUNT(cells); i++) {
        cells[i] = (float)(next_word(&random) % 1000); /* so that sums are exact in any order */
    }
    for (size_t i = 0; i < VKS_COUNT(rows); i++) {
        const struct test_case row = {
            "", SIDE, SIDE, SIDE, rows[i].camera, NULL, "column", .zoom = 1.4142135623730951};
        show(&row, cells, got);
        for (size_t k = 0; k < VKS_COUNT(got); k++) {
            float sum = 0;
            for (size_t n = 0; n < SIDE; n++) {
                sum +=
                    cells[k % SIDE * rows[i].across + k / SIDE * rows[i].down + n * rows[i].along];
            }
            if (got[k] != sum) {
                fail_msg("%s, pixel %zu: %g, not %g", rows[i].camera, k, (double)got[k],
                         (double)sum);
            }
        }
    }
}

/* A cell is where a point in its middle is, with its whole content. */
static void test_places(void **state)
{
    (void)state;
    enum { WIDTH = 16, HEIGHT = 12, DEPTH = 9, SIDE = 256, CELLS = WIDTH * HEIGHT * DEPTH };
    static const char *const cameras[] = {"0,0",    "30,20",   "135,-40",
                                          "250,80", "300,-75", "-20,45.5"};
    static const uint32_t places[][3] = {{8, 6, 4}, {2, 9, 7}, {13, 3, 1}};
    float *values = allocate(SIDE * SIDE * 4), *counts = allocate(SIDE * SIDE * 4);
    float *cells = allocate(CELLS * 4);
    memset(cells, 0, CELLS * 4);
    for (size_t i = 0; i < VKS_COUNT(cameras) * VKS_COUNT(places); i++) {
        const uint32_t *place = places[i % VKS_COUNT(places)];
        const struct test_case row = {"",        WIDTH,   HEIGHT, DEPTH, cameras[i / 3],
                                      "256x256", "column"};
        const size_t lit = (place[2] * (size_t)HEIGHT + place[1]) * WIDTH + place[0];
        const struct rays_reference rays = twin_of(&row, cells);
        uint32_t x = (uint32_t)((2 * place[0] + 1) * (UINT64_C(1) << 31) / WIDTH);
        uint32_t y = (uint32_t)((2 * place[1] + 1) * (UINT64_C(1) << 31) / HEIGHT);
        uint32_t z = (uint32_t)((2 * place[2] + 1) * (UINT64_C(1) << 31) / DEPTH);
        const struct points_reference point = {.width = WIDTH,
                                               .height = HEIGHT,
                                               .depth = DEPTH,
                                               .count = 1,
                                               .z = &z,
                                               .y = &y,
                                               .x = &x,
                                               .azimuth = rays.azimuth,
                                               .elevation = rays.elevation,
                                               .zoom = 1,
                                               .picture_width = SIDE,
                                               .picture_height = SIDE};
        double sum = 0, column = 0, line = 0;
        size_t found = 0;
        cells[lit] = 1;
        show(&row, cells, values);
        cells[lit] = 0;
        points_count(&point, counts);
        for (size_t k = 0; k < (size_t)SIDE * SIDE; k++) {
            sum += (double)values[k];
            column += (double)values[k] * (double)(k % SIDE);
            line += (double)values[k] * (double)(k / SIDE);
            found = counts[k] > 0 ? k : found;
        }
        const double tilt = rays.elevation * 3.14159265358979 / 180;
        const double scale = fmin(SIDE / 20.0, SIDE / (20 * fabs(sin(tilt)) + DEPTH * cos(tilt)));
        if (fabs(column / sum - (double)(found % SIDE)) > 0.75 ||
            fabs(line / sum - (double)(found / SIDE)) > 0.75 ||
            fabs(sum / (scale * scale) - 1) > 0.02) {
            fail_msg("%s: %g at %g, %g, not %zu, %zu", row.camera, sum / (scale * scale),
                     column / sum, line / sum, found % SIDE, found / SIDE);
        }
    }
    free(cells);
    free(counts);
    free(values);
}

/* What is in front is brighter than what is behind it, by the light that the box lets through. */
static void test_depth(void **state)
{
    (void)state;
    enum { SIDE = 16, CELLS = SIDE * SIDE * SIDE };
    static const struct {
        const char *camera;
        uint32_t front, along; /* the front cell in the middle of a side, the stride to the back */
    } rows[] = {
        {"0,90", 8 * SIDE + 8, SIDE * SIDE},
        {"90,0", (8 * SIDE + 8) * SIDE, 1},
        {"180,0", 8 * SIDE * SIDE + 8, SIDE},
    };
    float *cells = allocate(CELLS * 4), values[2][SIDE * SIDE];
    memset(cells, 0, CELLS * 4);
    for (size_t i = 0; i < VKS_COUNT(rows); i++) {
        const struct test_case row = {"",   SIDE,           SIDE,
                                      SIDE, rows[i].camera, .zoom = 1.4142135623730951};
        double greatest[2] = {0};
        for (size_t k = 0; k < 2; k++) {
            const size_t lit = rows[i].front + k * rows[i].along * (SIDE - 1);
            cells[lit] = 1;
            show(&row, cells, values[k]);
            cells[lit] = 0;
            for (size_t n = 0; n < (size_t)SIDE * SIDE; n++) {
                greatest[k] = fmax(greatest[k], (double)values[k][n]);
            }
        }
        const double cover = 1 - exp(-2.0 / SIDE), through = exp(-2.0 * (SIDE - 1) / SIDE);
        if (fabs(greatest[0] - cover) > 1e-6 || fabs(greatest[1] - cover * through) > 1e-6) {
            fail_msg("%s: %g and %g", rows[i].camera, greatest[0], greatest[1]);
        }
    }
    free(cells);
}

int main(void)
{
    enum { CASES = sizeof(cases) / sizeof(cases[0]) };
    struct CMUnitTest tests[CASES + 3] = {
        [CASES] = cmocka_unit_test(test_axes),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_depth),
    };
    for (size_t i = 0; i < CASES; i++) {
        tests[i] = (struct CMUnitTest){.name = cases[i].name,
                                       .test_func = test_case,
                                       .initial_state = (void *)(uintptr_t)&cases[i]};
    }
    open_gpu(&(struct vks_gpu_params){.no_disk_cache = true});
    int failed = cmocka_run_group_tests_name("rays", tests, NULL, NULL);
    vks_gpu_close(&gpu);
    return failed;
}
