/* SPDX-License-Identifier: MIT */
/* vks_declare_fft() on a device against the C reference, bit for bit. */
#include <vksim/model.h>

#include "gpu_test.h"

#include "fft_reference.h"
#include "share.h"

struct fft_case {
    size_t shape[3];
    uint32_t rank; /* of the fields; 0: the grid's */
};

/* The problem to solve. */
struct problem {
    const struct fft_case *c;
    size_t cells;
    struct fft_reference fft;
    float *tables[3];
    float *source, *wanted, *got;
    enum vks_when when;
    uint32_t every;
    bool mean_on_gpu; /* in the field "words" */
};

/* Squared wave numbers, rounded. */
static void fill_squares(float *table, size_t side, double length)
{
    for (size_t i = 0; i < side; i++) {
        const double k = 6.283185307179586 * (double)(i > side / 2 ? side - i : i) / length;
        table[i] = (float)(k * k);
    }
}

static struct problem new_problem(const struct fft_case *c)
{
    static const double lengths[] = {1.5, 1, 0.75};
    struct problem problem = {.c = c, .cells = 1, .fft = {.mean = 1, .factor = -12.566371F}};
    for (int i = 0; i < 3; i++) {
        problem.cells *= c->shape[i];
        problem.fft.shape[i] = c->shape[i];
        problem.fft.symbol[i] = problem.tables[i] = allocate(c->shape[i] * sizeof(float));
        fill_squares(problem.tables[i], c->shape[i], lengths[i]);
    }
    problem.source = allocate(problem.cells * sizeof(float));
    problem.wanted = allocate(problem.cells * sizeof(float));
    problem.got = allocate(problem.cells * sizeof(float));
    return problem;
}

static void free_problem(struct problem *problem)
{
    for (int i = 0; i < 3; i++) {
        free(problem->tables[i]);
    }
    free(problem->source);
    free(problem->wanted);
    free(problem->got);
}

static void declare(struct vks_declaration *declaration, const struct problem *problem)
{
    const size_t *shape = problem->c->shape;
    const struct fft_reference *fft = &problem->fft;
    struct vks_field field = {.element = VKS_F32, .rank = problem->c->rank};
    vks_declaration_grid(declaration, shape[0], shape[1], shape[2]);
    for (uint32_t i = 0; i < field.rank; i++) {
        field.shape[i] = shape[3 - field.rank + i];
    }
    field.name = "density";
    vks_declare_field(declaration, &field);
    field.name = "potential";
    vks_declare_field(declaration, &field);
    VKS_FIELD(declaration, .name = "words", .element = VKS_U32, .rank = 1, .shape = {4});
    vks_declare_fft(declaration,
                    &(struct vks_fft){
                        .name = "gravity",
                        .source = "density",
                        .target = "potential",
                        .mean = problem->mean_on_gpu ? 0 : fft->mean,
                        .mean_field = problem->mean_on_gpu ? "words" : NULL,
                        .mean_word = 3,
                        .factor = fft->factor,
                        .symbol = {fft->symbol[0], fft->symbol[1], fft->symbol[2]},
                        .when = problem->when,
                        .every = problem->every,
                        /* Planes of 64 x 64 by larger workgroups, if there are. */
                        .invocations = shape[0] == 64
                                           ? gpu.properties.limits.maxComputeWorkGroupInvocations
                                           : 0,
                    });
    ASSERT_FINE(declaration->result);
}

/* In buffers of at most `range` bytes; 0: the device's limit. */
static struct vks_graph *create(const struct problem *problem, uint64_t range)
{
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    const uint64_t before = gpu.field_range;
    const uint32_t words[] = {0, 0, 0, bits_of(problem->fft.mean)};
    declare(&declaration, problem);
    gpu.field_range = range ? range : before;
    ASSERT_FINE(vks_graph_create(&gpu, &declaration, &graph));
    gpu.field_range = before;
    ASSERT_FINE(vks_graph_start(graph, 0, true));
    ASSERT_FINE(vks_graph_fill(graph, false, NULL));
    ASSERT_FINE(vks_graph_upload(graph, "words", words));
    return graph;
}

/* Another source, with its solution. */
static void upload(struct problem *problem, struct vks_graph *graph, uint64_t seed)
{
    for (size_t i = 0; i < problem->cells; i++) {
        problem->source[i] = (float)between(&seed, 0, 2);
    }
    fft_reference(&problem->fft, problem->source, problem->wanted);
    ASSERT_FINE(vks_graph_upload(graph, "density", problem->source));
}

static void compare(const struct problem *problem, struct vks_graph *graph)
{
    const size_t *shape = problem->c->shape;
    download(graph, "potential", problem->got);
    for (size_t i = 0; i < problem->cells; i++) {
        if (bits_of(problem->got[i]) != bits_of(problem->wanted[i])) {
            fail_msg("%zux%zux%zu: cell %zu is %a, not %a", shape[0], shape[1], shape[2], i,
                     (double)problem->got[i], (double)problem->wanted[i]);
        }
    }
}

static void check(const struct fft_case *c, uint64_t range)
{
    struct problem problem = new_problem(c);
    struct vks_graph *graph = create(&problem, range);
    if (range) {
        assert_true(vks_graph_piece(graph, "density", 0).size < problem.cells * sizeof(float));
    }
    for (uint64_t seed = 0; seed < 2; seed++) {
        upload(&problem, graph, seed);
        ASSERT_FINE(vks_graph_run(graph, 1));
        compare(&problem, graph);
    }
    vks_graph_destroy(graph);
    free_problem(&problem);
}

/* All lengths, and all combinations of axes of length 1, or a share of them. */
static void test_shapes(void **state)
{
    (void)state;
    static const struct fft_case cases[] = {
        {{1, 1, 1}, 0},    {{1, 1, 2}, 1},     {{1, 1, 4}, 0},    {{1, 1, 8}, 3},
        {{1, 1, 16}, 1},   {{1, 1, 32}, 1},    {{1, 1, 64}, 2},   {{1, 1, 128}, 1},
        {{1, 1, 256}, 1},  {{1, 1, 512}, 1},   {{1, 1, 1024}, 1}, {{1, 1, 2048}, 1},
        {{1, 2048, 1}, 2}, {{1, 32, 1}, 0},    {{64, 1, 1}, 0},   {{1024, 1, 1}, 3},
        {{2, 2, 2}, 0},    {{4, 8, 16}, 0},    {{16, 8, 4}, 0},   {{128, 4, 2}, 0},
        {{2, 1, 1024}, 0}, {{1024, 1, 4}, 0},  {{1, 64, 64}, 0},  {{4, 512, 16}, 0},
        {{2, 2048, 8}, 0}, {{1, 256, 512}, 2}, {{8, 256, 1}, 0},  {{64, 64, 64}, 0},
        {{8, 4, 4}, 0},    {{2, 8, 8}, 0},     {{64, 16, 16}, 0}, {{4, 32, 32}, 0},
        {{2, 64, 64}, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (share_due()) {
            check(&cases[i], 0);
        }
    }
}

/* Fields in chunks of 512 bytes, the tables as well. */
static void test_chunks(void **state)
{
    (void)state;
    static const struct fft_case cases[] = {
        {{1, 1, 2048}, 1}, {{2, 8, 128}, 0}, {{16, 8, 32}, 0}, {{8, 32, 32}, 0}, {{512, 1, 2}, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check(&cases[i], 1000);
    }
}

/* A mean that a pass has written. */
static void test_mean(void **state)
{
    (void)state;
    static const struct fft_case cases[] = {{{4, 4, 4}, 0}, {{1, 1, 32}, 1}};
    for (size_t i = 0; i < 2; i++) {
        struct problem problem = new_problem(&cases[i]);
        problem.mean_on_gpu = true;
        problem.fft.mean = 0.75F;
        struct vks_graph *graph = create(&problem, 0);
        upload(&problem, graph, 3);
        ASSERT_FINE(vks_graph_run(graph, 1));
        compare(&problem, graph);
        vks_graph_destroy(graph);
        free_problem(&problem);
    }
}

/* Symbols that are 0, missing or negative, and sources near 0. */
static void test_values(void **state)
{
    (void)state;
    static const struct fft_case c = {{8, 4, 16}, 0};
    struct problem problem = new_problem(&c);
    memset(problem.tables[0], 0, 8 * sizeof(float));
    problem.fft.symbol[1] = problem.tables[1];
    for (size_t i = 0; i < 4; i++) {
        problem.tables[1][i] = -problem.tables[2][i];
    }
    problem.fft.mean = 0;
    problem.fft.factor = 0x1p30F;
    struct vks_graph *graph = create(&problem, 0);
    upload(&problem, graph, 4);
    for (size_t i = 0; i < problem.cells; i++) {
        problem.source[i] *= i % 3 == 0 ? 0x1p-61F : 0x1p-40F;
    }
    fft_reference(&problem.fft, problem.source, problem.wanted);
    ASSERT_FINE(vks_graph_upload(graph, "density", problem.source));
    ASSERT_FINE(vks_graph_run(graph, 1));
    compare(&problem, graph);
    vks_graph_destroy(graph);
    free_problem(&problem);
}

/* In frames, and in some of the steps. */
static void test_times(void **state)
{
    (void)state;
    static const struct fft_case c = {{4, 16, 8}, 0};
    uint64_t value;
    struct problem problem = new_problem(&c);
    problem.when = VKS_EACH_FRAME;
    struct vks_graph *graph = create(&problem, 0);
    upload(&problem, graph, 5);
    ASSERT_FINE(vks_graph_frame(graph, NULL, NULL, VK_NULL_HANDLE, VK_NULL_HANDLE, &value));
    compare(&problem, graph);
    vks_graph_destroy(graph);
    problem.when = VKS_EACH_STEP;
    problem.every = 3;
    graph = create(&problem, 0);
    upload(&problem, graph, 6);
    ASSERT_FINE(vks_graph_run(graph, 1));
    compare(&problem, graph);
    ASSERT_FINE(vks_graph_upload(graph, "density", problem.wanted));
    ASSERT_FINE(vks_graph_run(graph, 2));
    compare(&problem, graph); /* still of step 0 */
    vks_graph_destroy(graph);
    free_problem(&problem);
}

/* Other symbols, another factor and another mean between two steps. */
static void test_update(void **state)
{
    (void)state;
    static const struct fft_case c = {{16, 1, 8}, 0};
    struct problem problem = new_problem(&c);
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = create(&problem, 0);
    upload(&problem, graph, 7);
    ASSERT_FINE(vks_graph_run(graph, 3));
    compare(&problem, graph);
    problem.fft.mean = 0.5F;
    problem.fft.factor = 3;
    fill_squares(problem.tables[0], 16, 2);
    declare(&declaration, &problem);
    ASSERT_FINE(vks_graph_update(graph, &declaration));
    ASSERT_FINE(vks_graph_fill(graph, false, NULL));
    upload(&problem, graph, 8);
    ASSERT_FINE(vks_graph_run(graph, 3));
    compare(&problem, graph);
    vks_graph_destroy(graph);
    free_problem(&problem);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes), cmocka_unit_test(test_chunks), cmocka_unit_test(test_mean),
        cmocka_unit_test(test_values), cmocka_unit_test(test_times),  cmocka_unit_test(test_update),
    };
    share_read(argc, argv);
    open_gpu(&(struct vks_gpu_params){.no_disk_cache = true});
    int failed = cmocka_run_group_tests_name("fft", tests, NULL, NULL);
    vks_gpu_close(&gpu);
    return failed;
}
