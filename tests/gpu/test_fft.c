/* SPDX-License-Identifier: MIT */
/* vks_declare_fft() on a device against the C reference, bit for bit. */
#include "gpu_test.h"

#include "base/log.h"
#include "fft_reference.h"

struct fft_case {
    size_t shape[3];
    uint32_t rank; /* of the fields; 0: the grid's */
};

/* Squared wave numbers of a side, rounded. */
static float *squares(size_t side, double length)
{
    float *table = allocate(side * sizeof(*table));
    for (size_t i = 0; i < side; i++) {
        const double k = 6.283185307179586 * (double)(i > side / 2 ? side - i : i) / length;
        table[i] = (float)(k * k);
    }
    return table;
}

static void declare(struct vks_declaration *declaration, const struct fft_case *c,
                    const struct fft_reference *fft, enum vks_when when)
{
    const uint64_t shape[3] = {c->shape[0], c->shape[1], c->shape[2]};
    struct vks_field field = {.element = VKS_F32, .rank = c->rank};
    vks_declaration_grid(declaration, shape[0], shape[1], shape[2]);
    memcpy(field.shape, shape + 3 - c->rank, c->rank * sizeof(*shape));
    field.name = "density";
    vks_declare_field(declaration, &field);
    field.name = "potential";
    vks_declare_field(declaration, &field);
    vks_declare_fft(declaration, &(struct vks_fft){
                                     .name = "gravity",
                                     .source = "density",
                                     .target = "potential",
                                     .mean = fft->mean,
                                     .factor = fft->factor,
                                     .symbol = {fft->symbol[0], fft->symbol[1], fft->symbol[2]},
                                     .when = when,
                                 });
    ASSERT_FINE(declaration->result);
}

static void fill(float *values, size_t cells, uint64_t seed)
{
    for (size_t i = 0; i < cells; i++) {
        values[i] = (float)between(&seed, 0, 2);
    }
}

static void compare(const struct fft_case *c, const float *got, const float *wanted, size_t cells)
{
    for (size_t i = 0; i < cells; i++) {
        if (bits_of(got[i]) != bits_of(wanted[i])) {
            fail_msg("%zux%zux%zu: cell %zu is %a, not %a", c->shape[0], c->shape[1], c->shape[2],
                     i, (double)got[i], (double)wanted[i]);
        }
    }
}

static void check(const struct fft_case *c, uint64_t range)
{
    const size_t cells = c->shape[0] * c->shape[1] * c->shape[2];
    const uint64_t before = gpu.field_range;
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    float *source = allocate(4 * cells), *wanted = allocate(4 * cells), *got = allocate(4 * cells);
    float *const symbols[] = {squares(c->shape[0], 1.5), squares(c->shape[1], 1),
                              squares(c->shape[2], 0.75)};
    const struct fft_reference fft = {.shape = {c->shape[0], c->shape[1], c->shape[2]},
                                      .mean = 1,
                                      .factor = -12.566371F,
                                      .symbol = {symbols[0], symbols[1], symbols[2]}};
    declare(&declaration, c, &fft, VKS_EACH_STEP);
    gpu.field_range = range ? range : before;
    ASSERT_FINE(vks_graph_create(&gpu, &declaration, &graph));
    gpu.field_range = before;
    ASSERT_FINE(vks_graph_start(graph, 0, true));
    ASSERT_FINE(vks_graph_fill(graph, false, NULL));
    for (uint64_t again = 0; again < 2; again++) {
        fill(source, cells, 7 * cells + again);
        fft_reference(&fft, source, wanted);
        ASSERT_FINE(vks_graph_upload(graph, "density", source));
        ASSERT_FINE(vks_graph_run(graph, 1));
        download(graph, "potential", got);
        compare(c, got, wanted, cells);
    }
    vks_graph_destroy(graph);
    vks_declaration_free(&declaration);
    for (int i = 0; i < 3; i++) {
        free(symbols[i]);
    }
    free(got);
    free(wanted);
    free(source);
}

static const struct fft_case cases[] = {
    {{1, 1, 1}, 0},     {{1, 1, 2}, 1},    {{1, 1, 4}, 0},    {{1, 1, 8}, 3},    {{1, 1, 16}, 1},
    {{1, 1, 32}, 1},    {{1, 1, 64}, 2},   {{1, 1, 128}, 1},  {{1, 1, 256}, 1},  {{1, 1, 512}, 1},
    {{1, 1, 1024}, 1},  {{1, 1, 2048}, 1}, {{1, 2048, 1}, 2}, {{1, 32, 1}, 0},   {{64, 1, 1}, 0},
    {{1024, 1, 1}, 3},  {{2, 2, 2}, 0},    {{4, 8, 16}, 0},   {{16, 8, 4}, 0},   {{128, 4, 2}, 0},
    {{2, 1, 1024}, 0},  {{1024, 1, 4}, 0}, {{1, 64, 64}, 0},  {{4, 512, 16}, 0}, {{2, 2048, 8}, 0},
    {{1, 256, 512}, 2}, {{8, 256, 1}, 0},  {{64, 64, 64}, 0},
};

static void test_shapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check(&cases[i], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
    };
    open_gpu(&(struct vks_gpu_params){.no_disk_cache = true});
    int failed = cmocka_run_group_tests_name("fft", tests, NULL, NULL);
    vks_gpu_close(&gpu);
    return failed;
}
