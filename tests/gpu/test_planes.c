/* SPDX-License-Identifier: MIT */
/* Planes of a picture through the public interface, from whole pictures and from bands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/simulation.h"
#include "base/exact.h"

#define ASSERT_FINE(call)                     \
    do {                                      \
        if ((call) != VKS_OK) {               \
            fail_msg("%s", vks_error_text()); \
        }                                     \
    } while (0)

enum {
    WIDTH = 50,
    HEIGHT = 41,
    PIXELS = WIDTH * HEIGHT,
    CODED_WIDTH = 56,
    CODED_HEIGHT = 42,
    STEP = 8, /* of a channel, from one entry of the colour map to the next */
};
#define BIT(plane) (1U << VKS_PLANE_##plane)

static vks_context *context;

/* Gray-Scott's v after some steps, in its own size unless `options` says otherwise. */
static vks_simulation *open_with(uint32_t planes, const char *const *options, uint64_t range)
{
    vks_simulation *simulation = NULL;
    const uint64_t before = context->gpu.field_range;
    context->gpu.field_range = range ? range : before;
    ASSERT_FINE(vks_simulation_create(context,
                                      &VKS_SIMULATION_PARAMS(.model = "gray-scott", .width = WIDTH,
                                                             .height = HEIGHT, .planes = planes,
                                                             .options = options),
                                      &simulation));
    context->gpu.field_range = before;
    ASSERT_FINE(vks_simulation_run(simulation, 40));
    return simulation;
}

/* The plane on the heap, of the size that it must have. */
static void *read_plane(vks_simulation *simulation, enum vks_frame_plane plane, uint64_t bytes)
{
    struct vks_plane_info info = {.size = sizeof(info)};
    ASSERT_FINE(vks_simulation_plane(simulation, plane, &info));
    assert_int_equal(info.bytes, bytes);
    void *data = malloc(bytes);
    assert_non_null(data);
    ASSERT_FINE(vks_simulation_read_plane(simulation, plane, data, bytes));
    return data;
}

static void test_all(void **state)
{
    (void)state;
    const char *const options[] = {"normalize=frame", NULL};
    vks_simulation *simulation =
        open_with(BIT(RGBA16) | BIT(YUV) | BIT(YUV10) | BIT(VALUES) | BIT(CELLS), options, 0);
    uint8_t *rgb = malloc(PIXELS * 3);
    float *v = malloc(PIXELS * sizeof(*v));
    assert_non_null(rgb);
    assert_non_null(v);
    ASSERT_FINE(vks_simulation_draw(simulation));
    uint8_t *rgba = read_plane(simulation, VKS_PLANE_RGBA, PIXELS * 4);
    uint16_t *rgba16 = read_plane(simulation, VKS_PLANE_RGBA16, PIXELS * 8);
    uint8_t *yuv = read_plane(simulation, VKS_PLANE_YUV, CODED_WIDTH * CODED_HEIGHT * 3 / 2);
    uint16_t *yuv10 = read_plane(simulation, VKS_PLANE_YUV10, CODED_WIDTH * CODED_HEIGHT * 3);
    float *values = read_plane(simulation, VKS_PLANE_VALUES, PIXELS * 4);
    float *cells = read_plane(simulation, VKS_PLANE_CELLS, PIXELS * 4);
    ASSERT_FINE(vks_simulation_read(simulation, "v", v, PIXELS * sizeof(*v)));
    assert_memory_equal(values, v, PIXELS * sizeof(*v));
    assert_memory_equal(cells, v, PIXELS * sizeof(*v));
    ASSERT_FINE(vks_simulation_render(simulation, rgb, PIXELS * 3));
    bool colourful = false;
    for (size_t i = 0; i < PIXELS; i++) {
        const uint8_t *pixel = rgba + 4 * i;
        const size_t at = i / WIDTH * CODED_WIDTH + i % WIDTH;
        const int luma = (1081344 + 11966 * pixel[0] + 40254 * pixel[1] + 4064 * pixel[2]) >> 16;
        assert_memory_equal(rgb + 3 * i, pixel, 3);
        assert_int_equal(pixel[3], 255);
        assert_int_equal(yuv[at], luma);
        assert_true(abs(yuv10[at] - 4 * luma) <= 4 * STEP);
        for (int channel = 0; channel < 4; channel++) {
            assert_true(abs(rgba16[4 * i + channel] - 257 * pixel[channel]) <= 257 * STEP);
        }
        colourful = colourful || memcmp(pixel, rgba, 4) != 0;
    }
    assert_true(colourful);
    void *const planes[] = {rgb, v, rgba, rgba16, yuv, yuv10, values, cells};
    for (size_t i = 0; i < sizeof(planes) / sizeof(*planes); i++) {
        free(planes[i]);
    }
    vks_simulation_destroy(simulation);
}

/* A picture in bands has the bytes of one in one piece, relief and its values included. */
static void test_bands(void **state)
{
    (void)state;
    const char *const options[] = {"normalize=smooth", "output-size=96x80", "hillshade=1",
                                   "bloom=1", NULL};
    enum { SIZE = 96 * 80 };
    const uint32_t planes = BIT(RGBA16) | BIT(VALUES);
    vks_simulation *whole = open_with(planes, options, 0);
    vks_simulation *bands = open_with(planes, options, 12000);
    assert_true(vks_simulation_bands(bands).rows < 80);
    assert_int_equal(vks_simulation_bands(whole).rows, 80);
    for (int frame = 0; frame < 3; frame++) {
        static const struct {
            enum vks_frame_plane plane;
            uint64_t bytes;
        } rows[] = {
            {VKS_PLANE_VALUES, SIZE * 4}, {VKS_PLANE_RGBA, SIZE * 4}, {VKS_PLANE_RGBA16, SIZE * 8}};
        ASSERT_FINE(vks_simulation_draw(whole));
        ASSERT_FINE(vks_simulation_draw(bands));
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
            void *one = read_plane(whole, rows[i].plane, rows[i].bytes);
            void *other = read_plane(bands, rows[i].plane, rows[i].bytes);
            assert_memory_equal(one, other, rows[i].bytes);
            free(one);
            free(other);
        }
        ASSERT_FINE(vks_simulation_run(whole, 10));
        ASSERT_FINE(vks_simulation_run(bands, 10));
    }
    vks_simulation_destroy(whole);
    vks_simulation_destroy(bands);
}

static void assert_refused(enum vks_result result, const char *words)
{
    assert_int_equal(result, VKS_ERROR_USAGE);
    if (!strstr(vks_error_text(), words)) {
        fail_msg("'%s' does not say '%s'", vks_error_text(), words);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    static uint8_t data[PIXELS * 4];
    struct vks_plane_info info = {.size = sizeof(info)};
    vks_simulation *simulation = open_with(0, NULL, 0);
    assert_refused(vks_simulation_read_plane(simulation, VKS_PLANE_RGBA, data, sizeof(data)),
                   "no picture has been drawn");
    ASSERT_FINE(vks_simulation_draw(simulation));
    ASSERT_FINE(vks_simulation_read_plane(simulation, VKS_PLANE_RGBA, data, sizeof(data)));
    assert_refused(vks_simulation_read_plane(simulation, VKS_PLANE_RGBA, data, 7),
                   "the plane has 8200 bytes, not 7");
    assert_refused(vks_simulation_read_plane(simulation, VKS_PLANE_YUV, data, sizeof(data)),
                   "not one of those");
    assert_refused(vks_simulation_plane(simulation, (enum vks_frame_plane)77, &info),
                   "not one of those");
    ASSERT_FINE(vks_simulation_set(simulation, "gamma", "0.7"));
    assert_refused(vks_simulation_read_plane(simulation, VKS_PLANE_RGBA, data, sizeof(data)),
                   "no picture has been drawn");
    vks_simulation_destroy(simulation);
    assert_refused(
        vks_simulation_create(context, &VKS_SIMULATION_PARAMS(.planes = 0x100), &simulation),
        "no plane for some bits");
    /* YUV has no transparency. */
    const char *const options[] = {"background=transparent", NULL};
    assert_refused(
        vks_simulation_create(context,
                              &VKS_SIMULATION_PARAMS(.width = 32, .height = 32, .planes = BIT(YUV),
                                                     .options = options),
                              &simulation),
        "transparen");
}

/* Planes that are chosen later have the bytes of those chosen at first. */
static void test_later(void **state)
{
    (void)state;
    static const char *const transparent[] = {"background=transparent", NULL};
    static uint8_t values[PIXELS * 4];
    vks_simulation *first = open_with(BIT(VALUES), NULL, 0);
    vks_simulation *later = open_with(0, NULL, 0);
    ASSERT_FINE(vks_simulation_draw(first));
    ASSERT_FINE(vks_simulation_draw(later));
    ASSERT_FINE(vks_simulation_set_planes(later, BIT(VALUES)));
    assert_refused(vks_simulation_read_plane(later, VKS_PLANE_VALUES, values, sizeof(values)),
                   "no picture has been drawn");
    ASSERT_FINE(vks_simulation_draw(later));
    for (int i = 0; i < 2; i++) {
        void *one = read_plane(first, VKS_PLANE_VALUES, PIXELS * 4);
        void *other = read_plane(later, VKS_PLANE_VALUES, PIXELS * 4);
        assert_memory_equal(one, other, PIXELS * 4);
        free(one);
        free(other);
        /* The second time after a failure, which leaves the planes. */
        assert_refused(vks_simulation_set_planes(later, 0x100), "no plane for some bits");
    }
    assert_refused(vks_simulation_set_planes(NULL, 0), "NULL");
    vks_simulation_destroy(later);
    later = open_with(0, transparent, 0);
    assert_refused(vks_simulation_set_planes(later, BIT(YUV)), "transparen");
    ASSERT_FINE(vks_simulation_draw(later));
    vks_simulation_destroy(first);
    vks_simulation_destroy(later);
}

/* Options are set as numbers and read back; what follows another option has its value. */
static void test_values(void **state)
{
    (void)state;
    char text[64], little[4];
    double real;
    vks_simulation *simulation = NULL;
    ASSERT_FINE(vks_simulation_create(
        context, &VKS_SIMULATION_PARAMS(.preset = "plain", .width = 32, .height = 32, .seed = 7),
        &simulation));
    ASSERT_FINE(vks_simulation_set_real(simulation, "sensor-angle", 33.25));
    ASSERT_FINE(vks_simulation_get(simulation, "sensor-angle", text, sizeof(text)));
    assert_string_equal(text, "33.25");
    ASSERT_FINE(vks_simulation_set(simulation, "turn-angle", "sensor-angle"));
    ASSERT_FINE(vks_simulation_get(simulation, "turn-angle", text, sizeof(text)));
    assert_string_equal(text, "sensor-angle");
    ASSERT_FINE(vks_simulation_get_real(simulation, "turn-angle", &real));
    assert_true(real == 33.25);
    ASSERT_FINE(vks_simulation_get_real(simulation, "seed", &real));
    assert_true(real == 7);
    ASSERT_FINE(vks_simulation_set_count(simulation, "seed", 9));
    ASSERT_FINE(vks_simulation_get(simulation, "seed", text, sizeof(text)));
    assert_string_equal(text, "9");
    ASSERT_FINE(vks_simulation_get(simulation, "size", text, sizeof(text)));
    assert_string_equal(text, "32x32");
    ASSERT_FINE(vks_simulation_set(simulation, "output-size", "8x8"));
    ASSERT_FINE(vks_simulation_set(simulation, "output-size", ""));
    ASSERT_FINE(vks_simulation_get(simulation, "output-size", text, sizeof(text)));
    assert_string_equal(text, "");
    assert_refused(vks_simulation_set(simulation, "colormap", ""), "colormap");
    assert_refused(vks_simulation_get(simulation, "size", little, sizeof(little)),
                   "size needs 6 bytes for its text, not 4");
    assert_refused(vks_simulation_get_real(simulation, "colormap", &real),
                   "colormap is not a number");
    assert_refused(vks_simulation_set_real(simulation, "decay", 2), "decay '2' is not a number");
    assert_refused(vks_simulation_set_count(simulation, "agents", 999999),
                   "which needs a new simulation");
    vks_simulation_destroy(simulation);
}

/* The samples of a field with `each` values per part, all of them in one part if it is small, are
 * its values in that order. */
static void check_samples(vks_simulation *simulation, const float *values, size_t count)
{
    static struct vks_samples samples;
    const bool small = count < VKS_SHOWN_SAMPLES;
    const size_t parts = small ? 1 : 64, each = small ? count : VKS_SHOWN_SAMPLES / parts;
    ASSERT_FINE(vks_simulation_sample(simulation, &samples));
    assert_int_equal(samples.count, parts * each);
    for (size_t i = 0; i < parts; i++) {
        assert_memory_equal(samples.values + i * each, values + count / each * i / parts * each,
                            each * sizeof(*values));
    }
    assert_true(samples.low == 0.125 && samples.high == 0.5);
}

static void test_samples(void **state)
{
    (void)state;
    static float v[200 * 150];
    static struct vks_samples samples;
    static const char *const options[][4] = {
        {"normalize=fixed:0.125:0.5", NULL},
        {"normalize=fixed:0.125:0.5", "precision=float16", NULL},
        {"normalize=fixed:0.125:0.5", "hillshade=1", "output-size=100x75", NULL}};
    for (size_t i = 0; i < 3; i++) {
        for (uint32_t side = 1; side <= 4; side += 3) {
            const uint32_t width = 50 * side, height = side == 4 ? 150 : 40;
            vks_simulation *simulation = NULL;
            ASSERT_FINE(vks_simulation_create(
                context,
                &VKS_SIMULATION_PARAMS(.model = "gray-scott", .width = width, .height = height,
                                       .planes = i == 2 ? BIT(VALUES) : 0, .options = options[i]),
                &simulation));
            ASSERT_FINE(vks_simulation_run(simulation, 40));
            ASSERT_FINE(vks_simulation_draw(simulation));
            const size_t cells = i == 2 ? 100 * 75 : (size_t)width * height;
            if (i == 2) {
                ASSERT_FINE(vks_simulation_read_plane(simulation, VKS_PLANE_VALUES, v, cells * 4));
            } else {
                ASSERT_FINE(vks_simulation_read(simulation, "v", v, cells * (i == 1 ? 2 : 4)));
            }
            for (size_t at = cells; i == 1 && at-- > 0;) {
                uint16_t half;
                memcpy(&half, (const char *)v + 2 * at, sizeof(half));
                v[at] = vks_from_half(half);
            }
            check_samples(simulation, v, cells);
            vks_simulation_destroy(simulation);
        }
    }
    vks_simulation *bands = open_with(0, (const char *const[]){"output-size=96x80", NULL}, 12000);
    ASSERT_FINE(vks_simulation_draw(bands));
    ASSERT_FINE(vks_simulation_sample(bands, &samples));
    assert_int_equal(samples.count, 0);
    vks_simulation_destroy(bands);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),      cmocka_unit_test(test_bands),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_values),
        cmocka_unit_test(test_samples),  cmocka_unit_test(test_later),
    };
    if (vks_context_create(
            &VKS_CONTEXT_PARAMS(.no_disk_cache = true, .validation = VKS_VALIDATION_SYNC),
            &context) != VKS_OK) {
        print_message("%s\n", vks_error_text());
        return 1;
    }
    const int failed = cmocka_run_group_tests_name("planes", tests, NULL, NULL);
    return failed + (vks_context_close(context) > 0);
}
