/* SPDX-License-Identifier: MIT */
/* Points counted per pixel, or soft and coloured by a quantity, on a device, against their C twin
 * (tests/sim/points_reference.c), byte for byte: all axes, parts, sizes and cameras, in one piece
 * and in bands, in fields of several buffers, sorted, and drawn by another graph. */
#include "gpu_test.h"

#include <math.h>
#include <vksim/model.h>

#include "base/error.h"
#include "base/memory.h"
#include "view/bands.h"
#include "points_reference.h"
#include "view_reference.h"
#include "selftest/wander.h"
#include "share.h"

enum { STEPS = 3 };

struct test_case {
    const char *name;
    uint32_t width, height, depth; /* of the box */
    const char *axis;              /* NULL: z */
    const char *crop, *size;
    const char *camera;
    double spin, zoom; /* zoom 0: 1 */
    double bloom, hillshade;
    uint32_t count; /* points; 0: 3001 */
    bool clustered; /* half of them in one place */
    bool wide;      /* fields in several buffers */
    bool fit_crop;
    int tint; /* 1: soft, coloured by a number; 3: by the length of a vector */
};

static const struct test_case cases[] = {
    {"a cube", 8, 8, 8},
    {"one point", 8, 8, 8, .count = 1},
    {"along x", 16, 9, 5, "x", NULL, "90x50"},
    {"along y", 16, 9, 5, "y", NULL, "160x50"},
    {"along z", 16, 9, 5, "z", NULL, "160x90"},
    {"a flat box", 31, 17, 1, NULL, NULL, "100x77"},
    {"a flat box, pixels larger than cells", 31, 17, 1, NULL, NULL, "7x3"},
    {"a line", 100, 1, 1, NULL, NULL, "333x2"},
    {"one cell", 1, 1, 1, NULL, NULL, "40x30"},
    {"a part", 31, 17, 6, NULL, "3,2,7x11", "140x211"},
    {"a part along x", 31, 17, 6, "x", "3,2,7x3", "99x45"},
    {"a single cell, enlarged", 64, 64, 64, "y", "63,0,1x1", "512x512", .clustered = true},
    {"a part as it is", 31, 17, 6, NULL, "3,2,7x11"},
    {"cut to proportions", 64, 48, 6, NULL, NULL, "40x40", .fit_crop = true},
    {"many to a pixel", 16, 16, 16, NULL, NULL, "8x8", .clustered = true, .count = 100000},
    {"a camera", 8, 8, 8, .camera = "30,20", .size = "160x90"},
    {"a camera from the front", 16, 9, 5, .camera = "0,0", .size = "160x90"},
    {"a camera from above", 16, 9, 5, .camera = "0,90", .size = "91x161"},
    {"a camera from below", 16, 9, 5, .camera = "45,-90", .size = "91x91"},
    {"a camera, backwards", 16, 9, 5, .camera = "-123.456,-33.5", .size = "161x91"},
    {"a camera, twice around", 16, 9, 5, .camera = "763.25,12.125", .size = "160x90"},
    {"a camera, the cells' size", 64, 33, 7, .camera = "200,45"},
    {"a camera, near", 16, 9, 5, .camera = "10,20", .zoom = 7.5, .size = "160x90"},
    {"a camera, very near", 4, 4, 4, .camera = "10,20", .zoom = 1000, .size = "401x300",
     .clustered = true},
    {"a camera, far", 16, 9, 5, .camera = "10,20", .zoom = 0.01, .size = "160x90"},
    {"a camera on a long box", 4096, 1, 3, .camera = "70,10", .size = "3000x2"},
    {"a camera on a high box", 1, 1, 4096, .camera = "70,89.5", .size = "2x3000"},
    {"a spin", 8, 8, 8, .spin = 1.25, .size = "160x90"},
    {"a spin backwards from somewhere", 8, 7, 6, .camera = "300,-5", .spin = -123.456,
     .size = "90x160"},
    {"glow and relief", 8, 8, 8, .spin = 33, .size = "120x90", .bloom = 1, .hillshade = 1},
    {"glow and relief of a plane", 120, 90, 8, .bloom = 1, .hillshade = 1},
    {"chunks", 8, 8, 8, NULL, NULL, "160x90", .wide = true},
    {"chunks, along x", 8, 8, 8, "x", NULL, "160x90", .wide = true},
    {"chunks, a camera", 8, 8, 8, .camera = "30,20", .size = "160x90", .wide = true},
    {"soft", 8, 8, 8, .size = "64x80", .tint = 1},
    {"soft, one point", 8, 8, 8, .count = 1, .tint = 3},
    {"soft, along x", 16, 9, 5, "x", NULL, "90x50", .tint = 3},
    {"soft, along y", 16, 9, 5, "y", NULL, "160x50", .tint = 1},
    {"soft, along z", 16, 9, 5, "z", NULL, "160x90", .tint = 3},
    {"soft, a flat box", 31, 17, 1, NULL, NULL, "100x77", .tint = 3},
    {"soft, pixels larger than cells", 31, 17, 1, NULL, NULL, "7x3", .tint = 1},
    {"soft, one pixel", 16, 16, 16, NULL, NULL, "1x1", .clustered = true, .count = 100000,
     .tint = 3},
    {"soft, a part", 31, 17, 6, NULL, "3,2,7x11", "140x211", .tint = 3},
    {"soft, a part along x", 31, 17, 6, "x", "3,2,7x3", "99x45", .tint = 1},
    {"soft, a single cell, enlarged", 64, 64, 64, "y", "63,0,1x1", "512x512", .clustered = true,
     .tint = 3},
    {"soft, a cell of a long side, enlarged", 65536, 1, 1, NULL, "32768,0,1x1", "900x9",
     .clustered = true, .tint = 3},
    {"soft, cut to proportions", 64, 48, 6, NULL, NULL, "40x40", .fit_crop = true, .tint = 1},
    {"soft, a camera", 8, 8, 8, .camera = "30,20", .size = "160x90", .tint = 3},
    {"soft, a camera, backwards", 16, 9, 5, .camera = "-123.456,-33.5", .size = "161x91",
     .tint = 1},
    {"soft, a camera, very near", 4, 4, 4, .camera = "10,20", .zoom = 1000, .size = "401x300",
     .clustered = true, .tint = 3},
    {"soft, a camera, far", 16, 9, 5, .camera = "10,20", .zoom = 0.01, .size = "160x90", .tint = 1},
    {"soft, a spin", 8, 8, 8, .spin = 1.25, .size = "160x90", .tint = 3},
    {"soft, glow and relief", 8, 8, 8, .spin = 33, .size = "120x90", .bloom = 1, .hillshade = 1,
     .tint = 3},
    {"soft, chunks", 8, 8, 8, .camera = "30,20", .size = "160x90", .wide = true, .tint = 3},
};

static uint32_t count_of(const struct test_case *row)
{
    return row->count ? row->count : 3001;
}

static char *loose(const char *text)
{
    return (char *)(uintptr_t)text;
}

static struct vks_look look_of(const struct test_case *row)
{
    struct vks_look look = {
        .normalize = loose("frame"),
        .axis = loose(row->axis),
        .camera = loose(row->camera),
        .spin = row->spin,
        .zoom = row->zoom > 0 ? row->zoom : 1,
        .tone = VKS_TONE_LOG,
        .gamma = 1,
        .contrast = 1,
        .colormap = loose("viridis"),
        .hillshade = row->hillshade,
        .bloom = row->bloom,
        .bloom_radius = 0.05,
        .crop = loose(row->crop),
        .output_size = loose(row->size),
        .fit = row->fit_crop ? VKS_FIT_CROP : VKS_FIT_STRETCH,
    };
    ASSERT_FINE(vks_look_finish(
        &look, (struct vks_size){row->width, row->height, row->depth ? row->depth : 1}, true));
    return look;
}

/* The twin, which parses the texts itself. */
static struct points_reference twin_of(const struct test_case *row, uint32_t *const places[3])
{
    const char axis = row->camera || row->spin != 0 ? 0 : row->axis ? row->axis[0] : 'z';
    struct points_reference twin = {
        .width = row->width,
        .height = row->height,
        .depth = row->depth,
        .count = count_of(row),
        .z = places[0],
        .y = places[1],
        .x = places[2],
        .axis = axis,
        .part_width = axis == 'x' ? row->height : row->width,
        .part_height = axis == 'x' || axis == 'y' ? row->depth : row->height,
        .elevation = 20,
        .spin = row->spin,
        .zoom = row->zoom > 0 ? row->zoom : 1,
    };
    if (row->camera) {
        assert_int_equal(sscanf(row->camera, "%lf,%lf", &twin.azimuth, &twin.elevation), 2);
    }
    if (row->crop) {
        assert_int_equal(sscanf(row->crop, "%u,%u,%ux%u", &twin.part_x, &twin.part_y,
                                &twin.part_width, &twin.part_height),
                         4);
    }
    twin.picture_width = twin.part_width;
    twin.picture_height = twin.part_height;
    if (row->size) {
        assert_int_equal(sscanf(row->size, "%ux%u", &twin.picture_width, &twin.picture_height), 2);
    }
    if (row->fit_crop) { /* the one row: 64 x 48 to a square */
        twin.part_x = 8;
        twin.part_width = 48;
    }
    return twin;
}

/* Points everywhere, the first ones in the corners. */
static void scatter(const struct test_case *row, uint64_t random, uint32_t *const places[3])
{
    const uint32_t count = count_of(row);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t axis = 0; axis < 3; axis++) {
            const uint32_t place = (uint32_t)next_word(&random);
            const bool near = row->clustered && i % 2 == 0;
            places[axis][i] = i < 8  ? (i >> axis & 1 ? UINT32_MAX : 0)
                              : near ? UINT32_C(0x80000000) + (place >> 26)
                                     : place;
        }
    }
}

static const char *const names[] = {"z", "y", "x"};
static const char *const tint_names[] = {"p", "q", "r"};

/* Quantities over many powers of ten, of both signs, and some that are 0. */
static void scatter_tints(const struct test_case *row, uint64_t random, float *const tints[3])
{
    for (uint32_t i = 0; i < count_of(row); i++) {
        for (int axis = 0; axis < row->tint; axis++) {
            const uint32_t word = (uint32_t)next_word(&random);
            const float size = ldexpf(1.0f + (float)(word & 255) / 256.0f, (int)(word >> 28) - 12);
            tints[axis][i] = i % 7 == 3 ? 0 : word >> 8 & 1 ? size : -size;
        }
    }
}

/* The largest channel of the look's colours, in full. */
static void check_hues(const struct vks_look *look, const uint32_t *palette)
{
    for (int i = 0; i < 256; i++) {
        const uint32_t colour = look->values.map.entries[i];
        const uint32_t max =
            (uint32_t)fmax(colour & 0xff, fmax(colour >> 8 & 0xff, colour >> 16 & 0xff));
        for (int shift = 0; shift < 24; shift += 8) {
            const double channel = floor((colour >> shift & 0xff) * 255.0 / max + 0.5);
            assert_int_equal(palette[i] >> shift & 0xff, (uint32_t)channel);
        }
    }
}

static void declare_box(const struct test_case *row, struct vks_declaration *declaration)
{
    vks_declaration_grid(declaration, row->depth, row->height, row->width);
    for (size_t axis = 0; axis < 3; axis++) {
        VKS_FIELD(declaration, .name = names[axis], .element = VKS_U32, .rank = 1,
                  .shape = {count_of(row)});
    }
    for (int axis = 0; axis < row->tint; axis++) {
        VKS_FIELD(declaration, .name = tint_names[axis], .element = VKS_F32, .rank = 1,
                  .shape = {count_of(row)});
    }
}

static void draw(struct vks_graph *graph)
{
    uint64_t value;
    ASSERT_FINE(vks_graph_frame(graph, NULL, NULL, VK_NULL_HANDLE, VK_NULL_HANDLE, &value));
}

/* --- cases ------------------------------------------------------------------------------------ */

struct drawing {
    const struct test_case *row;
    struct vks_view_params params;
    struct vks_graph *graph;
};

static void declare(const struct drawing *drawing, struct vks_declaration *declaration)
{
    declare_box(drawing->row, declaration);
    vks_declare_view(declaration, &drawing->params);
}

static void open_drawing(struct drawing *drawing)
{
    struct vks_declaration declaration = {0};
    declare(drawing, &declaration);
    ASSERT_FINE(vks_graph_create(&gpu, &declaration, &drawing->graph));
    vks_declaration_free(&declaration);
}

/* Uploads the points and sets the step. */
static void begin(const struct drawing *drawing, uint32_t step, uint32_t *const places[3],
                  float *const tints[3])
{
    ASSERT_FINE(vks_graph_start(drawing->graph, step, true));
    ASSERT_FINE(vks_graph_fill(drawing->graph, false, NULL));
    for (size_t axis = 0; axis < 3; axis++) {
        ASSERT_FINE(vks_graph_upload(drawing->graph, names[axis], places[axis]));
    }
    for (int axis = 0; axis < drawing->row->tint; axis++) {
        ASSERT_FINE(vks_graph_upload(drawing->graph, tint_names[axis], tints[axis]));
    }
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

/* The picture and its values in bands equal those in one piece. */
static void check_bands(struct drawing *drawing, uint32_t step, uint32_t width, uint32_t height,
                        const float *values, const uint32_t *pixels)
{
    const struct vks_bands bands = {.graph = drawing->graph,
                                    .height = height,
                                    .rows = vks_band_rows(drawing->graph),
                                    .user = drawing,
                                    .update = update_band};
    const struct vks_declaration *declaration = vks_graph_declaration(drawing->graph);
    const struct vks_field *field = &declaration->fields[vks_find_field(declaration, "values")];
    const uint32_t value_rows = (uint32_t)field->shape[0];
    unsigned char *got = allocate((size_t)width * height * 4);
    ASSERT_FINE(vks_bands_begin(&bands));
    for (uint32_t row = 0; row < height; row += bands.rows) {
        uint64_t value;
        const uint32_t first = vks_view_first_value(height, bands.rows, value_rows, row);
        const uint32_t rows = height - row < bands.rows ? height - row : bands.rows;
        ASSERT_FINE(vks_bands_draw(&bands, row, NULL, NULL, &value));
        download(drawing->graph, "values", got);
        assert_same("a band's values", step, got, values + (size_t)first * width,
                    (size_t)value_rows * width * 4);
        download(drawing->graph, "picture", got);
        assert_same("a band", step, got, pixels + (size_t)row * width, (size_t)rows * width * 4);
    }
    free(got);
}

static void check(const struct test_case *row)
{
    static const uint32_t steps[STEPS] = {0, 1, 4000000007};
    const struct vks_look look = look_of(row);
    const bool banded = look.bloom <= 0; /* a glow of these sizes has one block */
    const bool deep = row->tint == 1;
    struct drawing drawings[2];
    const char *const tint[] = {"p", row->tint > 1 ? "q" : NULL, row->tint > 1 ? "r" : NULL};
    uint32_t *places[3];
    float *quantities[3];
    for (size_t axis = 0; axis < 3; axis++) {
        places[axis] = allocate(count_of(row) * 4);
        quantities[axis] = allocate(count_of(row) * 4);
    }
    struct points_reference twin = twin_of(row, places);
    for (int axis = 0; axis < row->tint; axis++) {
        twin.tint[axis] = quantities[axis];
    }
    const uint32_t width = twin.picture_width, height = twin.picture_height;
    const size_t bytes = (size_t)width * height * 4;
    float *values = allocate(bytes);
    uint32_t *got = allocate(2 * bytes), *colours = allocate(257 * 4), *tints = allocate(bytes);
    struct view_frame frame = {.values = allocate(bytes),
                               .pixels = allocate(bytes),
                               .deep = deep ? allocate(2 * bytes) : NULL};
    for (size_t i = 0; i < 2; i++) {
        drawings[i] = (struct drawing){row,
                                       {.points = names,
                                        .tint = row->tint ? tint : NULL,
                                        .look = &look,
                                        .planes = deep ? vks_plane_bit(VKS_PLANE_RGBA16) : 0,
                                        .max_bytes = i ? bytes / 5 + 1 : 0},
                                       NULL};
        open_drawing(&drawings[i]);
    }
    assert_int_equal(vks_graph_piece(drawings[0].graph, "y", 0).size < count_of(row) * 4ULL,
                     row->wide);
    for (size_t i = 0; i < STEPS; i++) {
        scatter(row, i, places);
        scatter_tints(row, i + 9, quantities);
        twin.step = steps[i];
        if (row->tint) {
            points_splat(&twin, values, tints);
        } else {
            points_count(&twin, values);
        }
        begin(&drawings[0], steps[i], places, quantities);
        download(drawings[0].graph, "palette", colours);
        /* A field whose cells are the pixels. */
        struct view_reference picture = view_of_field(width, height, colours);
        picture.gamma = picture.contrast = 1;
        picture.logarithmic = true;
        picture.bloom = row->bloom;
        picture.hillshade = row->hillshade;
        picture.tints = row->tint ? tints : NULL;
        if (row->tint) {
            check_hues(&look, colours);
        }
        view_draw(&picture, values, NULL, &frame);
        for (int again = 0; again < 2; again++) { /* the second frame is independent of the first */
            draw(drawings[0].graph);
            download(drawings[0].graph, "values", got);
            assert_same("the values", steps[i], got, values, bytes);
        }
        if (row->tint) {
            download(drawings[0].graph, "view_tints", got);
            assert_same("the tints", steps[i], got, tints, bytes);
        }
        if (deep) {
            download(drawings[0].graph, "picture16", got);
            assert_same("the picture of 16 bits", steps[i], got, frame.deep, 2 * bytes);
        }
        download(drawings[0].graph, "picture", got);
        assert_same("the picture", steps[i], got, frame.pixels, bytes);
        if (banded && height > 1) {
            begin(&drawings[1], steps[i], places, quantities);
            check_bands(&drawings[1], steps[i], width, height, values, got);
        }
    }
    for (size_t i = 0; i < 2; i++) {
        vks_graph_destroy(drawings[i].graph);
    }
    free(frame.deep);
    free(frame.pixels);
    free(frame.values);
    free(tints);
    free(colours);
    free(got);
    free(values);
    for (size_t axis = 0; axis < 3; axis++) {
        free(quantities[axis]);
        free(places[axis]);
    }
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

/* Three cameras equal the views along the axes. Points in the middle of cells, so that no rounding
 * moves one into another pixel. */
static void test_axes(void **state)
{
    (void)state;
    enum { SIDE = 16, PIXELS = SIDE * SIDE };
    static const struct {
        const char *axis, *camera;
        double zoom; /* so that the box fills the picture */
    } rows[] = {
        {"x", "90,0", 1.4142135623730951},
        {"y", "0,0", 1.4142135623730951},
        {"z", "0,90", 1.4142135623730951},
    };
    for (size_t i = 0; i < VKS_COUNT(rows); i++) {
        const struct test_case along = {"", SIDE, SIDE, SIDE, .axis = rows[i].axis};
        const struct test_case turned = {
            "", SIDE, SIDE, SIDE, .camera = rows[i].camera, .zoom = rows[i].zoom};
        const struct test_case *const both[] = {&along, &turned};
        float values[2][PIXELS];
        uint32_t *places[3];
        for (size_t axis = 0; axis < 3; axis++) {
            places[axis] = allocate(count_of(&along) * 4);
        }
        scatter(&along, i, places);
        for (uint32_t k = 0; k < count_of(&along); k++) {
            for (size_t axis = 0; axis < 3; axis++) {
                places[axis][k] = (places[axis][k] & 0xf0000000) | 0x08000000;
            }
        }
        for (size_t k = 0; k < 2; k++) {
            const struct vks_look look = look_of(both[k]);
            struct drawing drawing = {both[k], {.points = names, .look = &look}, NULL};
            open_drawing(&drawing);
            begin(&drawing, 0, places, NULL);
            draw(drawing.graph);
            download(drawing.graph, "values", values[k]);
            vks_graph_destroy(drawing.graph);
        }
        assert_memory_equal(values[0], values[1], sizeof(values[0]));
        for (size_t axis = 0; axis < 3; axis++) {
            free(places[axis]);
        }
    }
}

/* At zoom 1 no point of the box is outside at any azimuth, and the box nearly fills a side of the
 * picture at some. */
static void test_fit(void **state)
{
    (void)state;
    static const uint32_t sides[][3] = {{8, 8, 8}, {16, 5, 3}, {3, 5, 16}, {1, 9, 2}};
    for (size_t i = 0; i < VKS_COUNT(sides) * 3; i++) {
        static const char *const cameras[] = {"0,0", "0,-35", "0,90"};
        const struct test_case row = {
            "",        sides[i / 3][0],  sides[i / 3][1], sides[i / 3][2], .camera = cameras[i % 3],
            .spin = 1, .size = "160x90", .count = 8};
        const struct vks_look look = look_of(&row);
        struct drawing drawing = {&row, {.points = names, .look = &look}, NULL};
        uint32_t corners[3][8], *const places[3] = {corners[0], corners[1], corners[2]};
        uint32_t left = 160, top = 90;
        scatter(&row, 0, places);
        open_drawing(&drawing);
        for (uint32_t step = 0; step < 360; step += 9) {
            float values[90 * 160], sum = 0;
            begin(&drawing, step, places, NULL);
            draw(drawing.graph);
            download(drawing.graph, "values", values);
            for (uint32_t at = 0; at < 90 * 160; at++) {
                sum += values[at];
                if (values[at] > 0) {
                    left = at % 160 < left ? at % 160 : left;
                    top = at / 160 < top ? at / 160 : top;
                }
            }
            assert_true(sum == 8);
        }
        assert_true(left <= 1 || top <= 1);
        vks_graph_destroy(drawing.graph);
    }
}

/* The camera and the part change between two frames of a graph. */
static void test_live(void **state)
{
    (void)state;
    static const struct test_case rows[][3] = {
        {{"", 8, 9, 10, .camera = "10,20", .size = "80x60"},
         {"", 8, 9, 10, .camera = "-50,70", .size = "80x60", .zoom = 3},
         {"", 8, 9, 10, .spin = 5, .size = "80x60"}},
        {{"", 8, 9, 10, NULL, "0,0,4x3", "80x60"},
         {"", 8, 9, 10, NULL, "1,2,7x6", "80x60"},
         {"", 8, 9, 10, "z", "7,0,1x9", "80x60"}},
    };
    for (size_t i = 0; i < VKS_COUNT(rows); i++) {
        struct vks_look look = look_of(&rows[i][0]);
        struct drawing drawing = {&rows[i][0], {.points = names, .look = &look}, NULL};
        float got[80 * 60], values[80 * 60];
        uint32_t *places[3];
        for (size_t axis = 0; axis < 3; axis++) {
            places[axis] = allocate(count_of(&rows[i][0]) * 4);
        }
        scatter(&rows[i][0], i, places);
        open_drawing(&drawing);
        begin(&drawing, 17, places, NULL);
        for (size_t k = 0; k < VKS_COUNT(rows[i]); k++) {
            struct points_reference twin = twin_of(&rows[i][k], places);
            twin.step = 17;
            look = look_of(&rows[i][k]);
            ASSERT_FINE(update_band(&drawing, VKS_VIEW_MEASURE, 0));
            draw(drawing.graph);
            download(drawing.graph, "values", got);
            points_count(&twin, values);
            assert_same("the values", (uint32_t)k, got, values, sizeof(values));
        }
        vks_graph_destroy(drawing.graph);
        for (size_t axis = 0; axis < 3; axis++) {
            free(places[axis]);
        }
    }
}

/* Counts that float32 cannot hold are rounded to the nearest. */
static void test_large_counts(void **state)
{
    (void)state;
    static const uint32_t before[] = {16777214,   16777215,   16777216,   16777217,
                                      16777218,   33554433,   33554434,   2147483520,
                                      2147483583, 4294967167, 4294967294, 7};
    const struct test_case row = {"", VKS_COUNT(before), 1, 1, .count = 1};
    const struct vks_look look = look_of(&row);
    struct drawing drawing = {&row, {.points = names, .look = &look}, NULL};
    uint32_t zero = 0, *const places[3] = {&zero, &zero, &zero};
    float values[VKS_COUNT(before)];
    open_drawing(&drawing);
    begin(&drawing, 0, places, NULL);
    ASSERT_FINE(vks_graph_upload(drawing.graph, "view_counts", before));
    draw(drawing.graph);
    download(drawing.graph, "values", values);
    for (uint32_t i = 0; i < VKS_COUNT(before); i++) {
        if (values[i] != (float)(before[i] + (i == 0))) {
            fail_msg("%u: %.0f", before[i] + (i == 0), (double)values[i]);
        }
    }
    vks_graph_destroy(drawing.graph);
}

/* Soft points inside a picture add up to their number, wherever in their pixels they are. */
static void test_soft_sum(void **state)
{
    (void)state;
    enum { COUNT = 500, WIDTH = 70, HEIGHT = 50 };
    static const char *const tint[] = {"p", NULL, NULL};
    const struct test_case row = {"", 16, 16, 16, NULL, NULL, "70x50", .count = COUNT, .tint = 1};
    const struct vks_look look = look_of(&row);
    struct drawing drawing = {&row, {.points = names, .tint = tint, .look = &look}, NULL};
    uint32_t words[3][COUNT], *const places[3] = {words[0], words[1], words[2]};
    float numbers[COUNT], *const tints[3] = {numbers}, values[WIDTH * HEIGHT];
    double sum = 0;
    scatter(&row, 3, places);
    scatter_tints(&row, 4, tints);
    for (size_t i = 0; i < COUNT; i++) {
        words[1][i] = UINT32_C(0x20000000) + words[1][i] / 2;
        words[2][i] = UINT32_C(0x20000000) + words[2][i] / 2;
    }
    open_drawing(&drawing);
    begin(&drawing, 0, places, tints);
    draw(drawing.graph);
    download(drawing.graph, "values", values);
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        sum += (double)values[i];
    }
    assert_true(sum == COUNT);
    vks_graph_destroy(drawing.graph);
}

/* Fields that cannot be a tint, and a part that is too small for its picture. */
static void test_soft_refusals(void **state)
{
    (void)state;
    static const struct {
        enum vks_element element;
        uint64_t count;
        const char *name, *crop;
        enum vks_result result;
        const char *words;
    } rows[] = {
        {VKS_F32, 5, "p", NULL, VKS_OK, ""},
        {VKS_U32, 5, "p", NULL, VKS_ERROR_INTERNAL, "cannot be coloured by 'p'"},
        {VKS_F32, 6, "p", NULL, VKS_ERROR_INTERNAL, "cannot be coloured by 'p'"},
        {VKS_F32, 5, "q", NULL, VKS_ERROR_INTERNAL, "cannot be coloured by 'q'"},
        {VKS_F32, 5, "p", "9,0,1x1", VKS_ERROR_USAGE, "2^26 pixels long, and here it has 67174400"},
    };
    for (size_t i = 0; i < VKS_COUNT(rows); i++) {
        const struct test_case row = {"", 65600, 1, 1, NULL, rows[i].crop, "1024x1"};
        const struct vks_look look = look_of(&row);
        const char *const tint[] = {rows[i].name, NULL, NULL};
        struct vks_declaration declaration = {0};
        vks_declaration_grid(&declaration, 1, 1, 65600);
        for (size_t axis = 0; axis < 3; axis++) {
            VKS_FIELD(&declaration, .name = names[axis], .element = VKS_U32, .rank = 1,
                      .shape = {5});
        }
        VKS_FIELD(&declaration, .name = "p", .element = rows[i].element, .rank = 1,
                  .shape = {rows[i].count});
        vks_declare_view(&declaration,
                         &(struct vks_view_params){.points = names, .tint = tint, .look = &look});
        assert_int_equal(declaration.result, rows[i].result);
        if (rows[i].result != VKS_OK && !strstr(vks_error_text(), rows[i].words)) {
            fail_msg("'%s' does not say '%s'", vks_error_text(), rows[i].words);
        }
        vks_declaration_free(&declaration);
    }
}

/* --- steps ------------------------------------------------------------------------------------ */

enum { SIDE = 64, WANDERERS = 20011 };

static const struct test_case wandering = {
    "", SIDE, SIDE, SIDE, .camera = "10,30", .spin = -77.7, .size = "200x150", .count = WANDERERS};
static const char *const wandering_names[] = {"other", "heading", "third"};

/* Items that move and are sorted every `every` steps; 0: never. */
static void declare_wanderers(uint32_t every, struct vks_declaration *declaration)
{
    const struct wander_params params = {WANDERERS, SIDE};
    vks_declaration_grid(declaration, SIDE, SIDE, SIDE);
    vks_declare_items(declaration, "wanderers", WANDERERS);
    vks_declare_numbers(declaration, "wanderers");
    VKS_FIELD(declaration, .name = "place", .element = VKS_U32X2, .rank = 1, .shape = {WANDERERS},
              .items = "wanderers");
    for (size_t axis = 0; axis < 3; axis++) {
        VKS_FIELD(declaration, .name = wandering_names[axis], .element = VKS_U32, .rank = 1,
                  .shape = {WANDERERS}, .items = "wanderers");
    }
    VKS_FIELD(declaration, .name = "ground", .element = VKS_U32, .rank = 2, .shape = {SIDE, SIDE});
    VKS_FIELD(declaration, .name = "left", .element = VKS_U32, .rank = 2, .shape = {SIDE, SIDE});
    VKS_FIELD(declaration, .name = "tile", .element = VKS_U32, .rank = 1, .shape = {WANDERERS});
    VKS_PASS(declaration, .name = "tile", .shader = "selftest/tile",
             .uses = VKS_USES({"place", VKS_READ}, {"tile", VKS_WRITE}), VKS_PUSH(params),
             .items = {WANDERERS});
    if (every > 0) {
        vks_declare_sorting(
            declaration, &(struct vks_sorting){.items = "wanderers",
                                               .key = "tile",
                                               .bins = (SIDE / WANDER_TILE) * (SIDE / WANDER_TILE),
                                               .every = every});
    }
    VKS_PASS(declaration, .name = "wander", .shader = "test/wander",
             .uses = VKS_USES({"ground", VKS_READ}, {"place", VKS_READ_WRITE},
                              {"heading", VKS_READ_WRITE}, {"wanderers_number", VKS_READ},
                              {"left", VKS_ATOMIC}),
             VKS_PUSH(params), .items = {WANDERERS});
    VKS_PASS(declaration, .name = "settle", .shader = "test/settle",
             .uses = VKS_USES({"ground", VKS_READ_WRITE}, {"left", VKS_READ_WRITE}),
             VKS_PUSH(params), .items = {SIDE * SIDE});
}

/* The steps and one picture, and another picture in a graph that binds their buffers. */
static void open_wandering(uint32_t every, const struct vks_look *look, struct vks_graph **graph,
                           struct vks_graph **bound)
{
    const struct vks_view_params view = {.points = wandering_names, .look = look};
    struct vks_declaration declaration = {0}, picture = {0};
    declare_wanderers(every, &declaration);
    vks_declare_view(&declaration, &view);
    ASSERT_FINE(vks_graph_create(&gpu, &declaration, graph));
    ASSERT_FINE(vks_graph_start(*graph, 0, true));
    ASSERT_FINE(vks_graph_fill(*graph, false, NULL));
    declare_wanderers(every, &declaration);
    vks_declaration_bind(&picture, &declaration);
    vks_declare_view(&picture, &view);
    ASSERT_FINE(vks_graph_create_bound(*graph, &picture, bound));
    ASSERT_FINE(vks_graph_start(*bound, 0, true));
    ASSERT_FINE(vks_graph_fill(*bound, true, NULL));
    vks_declaration_free(&declaration);
}

/* The values after that many steps. */
static void count_wandering(struct vks_graph *graph, uint32_t steps, float *values)
{
    uint32_t *places[3];
    for (size_t axis = 0; axis < 3; axis++) {
        places[axis] = allocate(WANDERERS * 4);
        download(graph, wandering_names[axis], places[axis]);
    }
    struct points_reference twin = twin_of(&wandering, places);
    twin.step = steps;
    points_count(&twin, values);
    for (size_t axis = 0; axis < 3; axis++) {
        free(places[axis]);
    }
}

/* A picture depends only on its step, not on batches, the order of items in memory, or the graph
 * that draws it. */
static void test_steps(void **state)
{
    (void)state;
    static const uint32_t orders[] = {0, 1, 3};
    static const uint32_t runs[][4] = {{7, 0, 9, 1}, {1, 1, 14, 1}, {16, 1}};
    const struct vks_look look = look_of(&wandering);
    float *first = allocate(200 * 150 * 4), *values = allocate(200 * 150 * 4);
    uint32_t *got = allocate(200 * 150 * 4), *other = allocate(WANDERERS * 4);
    uint32_t *third = allocate(WANDERERS * 4);
    uint64_t random = 5;
    for (uint32_t i = 0; i < WANDERERS; i++) {
        other[i] = (uint32_t)next_word(&random);
        third[i] = (uint32_t)next_word(&random);
    }
    for (size_t i = 0; i < VKS_COUNT(orders) * VKS_COUNT(runs); i++) {
        const uint32_t *run = runs[i % VKS_COUNT(runs)];
        struct vks_graph *graph, *bound;
        uint32_t steps = 0;
        open_wandering(orders[i / VKS_COUNT(runs)], &look, &graph, &bound);
        ASSERT_FINE(vks_graph_upload(graph, "other", other));
        ASSERT_FINE(vks_graph_upload(graph, "third", third));
        for (size_t k = 0; k < 4; k++) {
            ASSERT_FINE(vks_graph_run(graph, run[k]));
            draw(graph);
            draw(bound);
            steps += run[k];
            assert_int_equal(vks_graph_steps(bound), steps);
            download(graph, "values", got);
            count_wandering(graph, steps, values);
            assert_same("the values", steps, got, values, 200 * 150 * 4);
            download(bound, "values", got);
            assert_same("the bound graph's values", steps, got, values, 200 * 150 * 4);
        }
        assert_int_equal(steps, 17);
        memcpy(i == 0 ? first : values, got, 200 * 150 * 4);
        assert_memory_equal(first, values, 200 * 150 * 4);
        vks_graph_destroy(bound);
        vks_graph_destroy(graph);
    }
    free(third);
    free(other);
    free(got);
    free(values);
    free(first);
}

/* --- declarations ----------------------------------------------------------------------------- */

/* Fields that cannot be points. */
static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        struct vks_field y;
        const char *z;
        uint64_t depth;
        enum vks_result result;
        const char *words;
    } rows[] = {
        {{.name = "w", .element = VKS_U32, .rank = 1, .shape = {5}},
         NULL,
         1,
         VKS_ERROR_USAGE,
         "there are none: the field 'y' is missing"},
        {{.name = "y", .element = VKS_U32, .rank = 1, .shape = {5}},
         "z",
         4,
         VKS_ERROR_USAGE,
         "there are none: the field 'z' is missing"},
        {{.name = "y", .element = VKS_U32, .rank = 1, .shape = {5}},
         NULL,
         4,
         VKS_ERROR_INTERNAL,
         "needs a field for z"},
        {{.name = "y", .element = VKS_U32, .rank = 1, .shape = {6}},
         NULL,
         1,
         VKS_ERROR_INTERNAL,
         "'y' cannot be shown as points"},
        {{.name = "y", .element = VKS_F32, .rank = 1, .shape = {5}},
         NULL,
         1,
         VKS_ERROR_INTERNAL,
         "'y' cannot be shown as points"},
        {{.name = "y", .element = VKS_U32, .rank = 2, .shape = {5, 1}},
         NULL,
         1,
         VKS_ERROR_INTERNAL,
         "'y' cannot be shown as points"},
        {{.name = "y", .element = VKS_U32, .rank = 1, .shape = {5}}, NULL, 1, VKS_OK, ""},
    };
    for (size_t i = 0; i < VKS_COUNT(rows); i++) {
        const struct vks_look look =
            look_of(&(struct test_case){.width = 4, .height = 4, .depth = (uint32_t)rows[i].depth});
        const char *const points[] = {rows[i].z, "y", "x"};
        struct vks_declaration declaration = {0};
        vks_declaration_grid(&declaration, rows[i].depth, 4, 4);
        VKS_FIELD(&declaration, .name = "x", .element = VKS_U32, .rank = 1, .shape = {5});
        vks_declare_field(&declaration, &rows[i].y);
        vks_declare_view(&declaration, &(struct vks_view_params){.points = points, .look = &look});
        assert_int_equal(declaration.result, rows[i].result);
        if (rows[i].result != VKS_OK && !strstr(vks_error_text(), rows[i].words)) {
            fail_msg("'%s' does not say '%s'", vks_error_text(), rows[i].words);
        }
        vks_declaration_free(&declaration);
    }
}

int main(int argc, char **argv)
{
    enum { CASES = sizeof(cases) / sizeof(cases[0]) };
    struct CMUnitTest tests[CASES + 8] = {
        [CASES] = cmocka_unit_test(test_axes), cmocka_unit_test(test_fit),
        cmocka_unit_test(test_live),           cmocka_unit_test(test_large_counts),
        cmocka_unit_test(test_steps),          cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_soft_sum),       cmocka_unit_test(test_soft_refusals),
    };
    share_read(argc, argv);
    for (size_t i = 0; i < CASES; i++) { /* cmocka leaves out tests without a function */
        tests[i] = (struct CMUnitTest){.name = cases[i].name,
                                       .test_func = share_due() ? test_case : NULL,
                                       .initial_state = (void *)(uintptr_t)&cases[i]};
    }
    open_gpu(&(struct vks_gpu_params){.no_disk_cache = true});
    int failed = cmocka_run_group_tests_name("points", tests, NULL, NULL);
    vks_gpu_close(&gpu);
    return failed;
}
