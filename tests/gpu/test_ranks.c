/* SPDX-License-Identifier: MIT */
/* Runs on several ranks leave the bytes of one rank: ranks are threads, each with a device of its
 * own. Their halos are garbage before each first exchange. */
#include "gpu_test.h"

#include "api/internal.h"
#include "base/memory.h"
#include "ranks/slab.h"
#include "share.h"
#include "sim/registry.h"
#include "thread_ranks.h"

enum { MAX_OPTIONS = 8, STEPS = 50 };

/* A run, and how it is cut. */
struct run_case {
    const char *model;
    const char *options[MAX_OPTIONS]; /* names and values */
    uint32_t width, height, grain;
    bool closed;
    const char *fields[3];
};

static const struct run_case cases[] = {
    {"gray-scott", {"variant", "plain"}, 24, 64, 4, false, {"u", "v"}},
    {"gray-scott", {"variant", "plain", "init", "noise"}, 23, 61, 1, false, {"u", "v"}},
    {"gray-scott", {"variant", "plain", "boundary", "no-flux"}, 32, 77, 4, true, {"u", "v"}},
    {"gray-scott", {"stencil", "nine-point", "start-noise", "0.1"}, 20, 65, 4, false, {"u", "v"}},
    {"gray-scott", {"precision", "float16", "boundary", "no-flux"}, 30, 67, 1, true, {"u", "v"}},
    {"gray-scott", {"variant", "tile-2-4x4", "init", "ring"}, 40, 70, 4, false, {"u", "v"}},
    {"gray-scott", {"variant", "quad-3-5x8", "boundary", "no-flux"}, 40, 71, 4, true, {"u", "v"}},
    {"gray-scott", {"variant", "march-4-64x4", "init", "noise"}, 48, 69, 4, false, {"u", "v"}},
    {"gray-scott",
     {"preset", "parameter-map", "boundary", "periodic"},
     32,
     66,
     4,
     false,
     {"u", "v"}},
};

/* How the grid is cut: ranks and rows of their halos. */
static const struct {
    uint32_t ranks, halo;
} cuts[] = {{2, 1}, {2, 8}, {3, 3}, {4, 5}, {4, 14}};

/* --- one rank --------------------------------------------------------------------------------- */

struct rank {
    const struct run_case *run;
    struct vks_slab slab;
    struct thread_rank thread;
    char *fields[2]; /* the own rows; NULL: the thread failed */
    char why[512];
};

#define TRY(call)                                                                      \
    do {                                                                               \
        if ((call) != VKS_OK) {                                                        \
            snprintf(rank->why, sizeof(rank->why), "%s: %s", #call, vks_error_text()); \
            goto finish;                                                               \
        }                                                                              \
    } while (0)

static enum vks_result set_all(const struct run_case *run, struct vks_settings *settings)
{
    char size[32];
    snprintf(size, sizeof(size), "%ux%u", run->width, run->height);
    enum vks_result result = vks_settings_set(settings, "size", size);
    for (size_t i = 0; i < MAX_OPTIONS && run->options[i] && result == VKS_OK; i += 2) {
        result = strcmp(run->options[i], "preset") == 0
                     ? vks_settings_preset(settings, run->options[i + 1])
                     : vks_settings_set(settings, run->options[i], run->options[i + 1]);
    }
    return result == VKS_OK ? vks_settings_finish(settings) : result;
}

static size_t row_bytes(const struct vks_graph *graph, const char *name)
{
    const struct vks_declaration *declaration = vks_graph_declaration(graph);
    const struct vks_field *field = &declaration->fields[vks_find_field(declaration, name)];
    return (size_t)(vks_field_bytes(field) / field->shape[0]);
}

/* Spoils the halos, which the first exchange has to replace. */
static enum vks_result spoil(struct vks_graph *graph, const struct vks_slab *slab, const char *name)
{
    const size_t row = row_bytes(graph, name);
    const size_t rows = slab->before + slab->rows + slab->after;
    char *data = malloc(row * rows);
    enum vks_result result = data ? vks_graph_download_to(graph, name, data) : VKS_ERROR_MEMORY;
    if (result == VKS_OK) {
        memset(data, 0x7e, row * slab->before);
        memset(data + row * (slab->before + slab->rows), 0x7e, row * slab->after);
        result = vks_graph_upload(graph, name, data);
    }
    free(data);
    return result;
}

/* The own rows of a field. */
static enum vks_result keep(struct vks_graph *graph, const struct rank *rank, const char *name,
                            char **rows)
{
    const struct vks_slab *slab = &rank->slab;
    const uint32_t length = vks_slab_length(slab, rank->run->height);
    const size_t row = row_bytes(graph, name);
    char *data = malloc(row * length);
    const enum vks_result result =
        data ? vks_graph_download_to(graph, name, data) : VKS_ERROR_MEMORY;
    if (result == VKS_OK && slab->count > 1) {
        memmove(data, data + row * slab->before, row * slab->rows);
    }
    *rows = data;
    return result;
}

/* Runs the steps on a rank, in two pieces. */
static void *run_rank(void *user)
{
    struct rank *rank = user;
    const struct vks_gpu_params params = {0};
    struct vks_transport transport = {thread_trade, &rank->thread};
    struct vks_gpu device = {0};
    struct vks_settings settings = {0};
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    TRY(vks_gpu_open(&device, &params));
    TRY(vks_settings_init(&settings, vks_model_find(rank->run->model)));
    TRY(set_all(rank->run, &settings));
    struct vks_config config = vks_settings_config(&settings);
    config.limits = vks_graph_limits(&device);
    config.slab = rank->slab;
    vks_declare_model(settings.model, &config, &declaration);
    TRY(vks_graph_create(&device, &declaration, &graph));
    if (rank->slab.count > 1) {
        TRY(vks_graph_join(graph, &transport));
    }
    TRY(vks_graph_start(graph, 0, true));
    for (size_t i = 0; rank->run->fields[i] && rank->slab.count > 1; i++) {
        TRY(spoil(graph, &rank->slab, rank->run->fields[i]));
    }
    TRY(vks_graph_run(graph, STEPS / 3));
    TRY(vks_graph_run(graph, STEPS - STEPS / 3));
    for (size_t i = 0; rank->run->fields[i]; i++) {
        TRY(keep(graph, rank, rank->run->fields[i], &rank->fields[i]));
    }
finish:
    vks_graph_destroy(graph);
    vks_declaration_free(&declaration);
    vks_settings_free(&settings);
    vks_gpu_close(&device);
    return NULL;
}

/* --- all of them ------------------------------------------------------------------------------ */

static void run_ranks(const struct run_case *run, uint32_t count, uint32_t halo,
                      struct rank ranks[MAX_RANKS])
{
    struct thread_ranks all = {.count = count};
    pthread_t threads[MAX_RANKS];
    assert_int_equal(pthread_barrier_init(&all.meeting, NULL, count), 0);
    for (uint32_t i = 0; i < count; i++) {
        ranks[i] = (struct rank){.run = run, .thread = {&all, i, 0, 0}};
        ASSERT_FINE(
            vks_slab_of(run->height, run->grain, halo, run->closed, i, count, &ranks[i].slab));
        assert_int_equal(pthread_create(&threads[i], NULL, run_rank, &ranks[i]), 0);
    }
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        if (ranks[i].why[0]) {
            fail_msg("rank %u of %u: %s", i, count, ranks[i].why);
        }
    }
    pthread_barrier_destroy(&all.meeting);
}

static void free_ranks(struct rank ranks[MAX_RANKS])
{
    for (size_t i = 0; i < MAX_RANKS; i++) {
        free(ranks[i].fields[0]);
        free(ranks[i].fields[1]);
    }
}

static void test_ranks(void **state)
{
    const struct run_case *run = *state;
    struct rank one[MAX_RANKS] = {{0}};
    run_ranks(run, 1, 0, one);
    for (size_t c = 0; c < VKS_COUNT(cuts); c++) {
        struct rank ranks[MAX_RANKS] = {{0}};
        run_ranks(run, cuts[c].ranks, cuts[c].halo, ranks);
        for (uint32_t i = 0; i < cuts[c].ranks; i++) {
            const struct vks_slab *slab = &ranks[i].slab;
            const uint64_t pieces = (STEPS / 3 + cuts[c].halo - 1) / cuts[c].halo;
            assert_true(ranks[i].thread.trades >= pieces);
            for (size_t f = 0; run->fields[f]; f++) {
                const size_t row = (strcmp("float16", run->options[1]) == 0 ? 2 : 4) * run->width;
                if (memcmp(ranks[i].fields[f], one->fields[f] + row * slab->first,
                           row * slab->rows) != 0) {
                    fail_msg("%u ranks, halos of %u: '%s' of rank %u differs", cuts[c].ranks,
                             cuts[c].halo, run->fields[f], i);
                }
            }
        }
        free_ranks(ranks);
    }
    free_ranks(one);
}

static void test_slabs(void **state)
{
    (void)state;
    struct vks_slab slab, next;
    uint32_t at = 0;
    for (uint32_t i = 0; i < 3; i++) {
        ASSERT_FINE(vks_slab_of(61, 4, 8, true, i, 3, &slab));
        assert_int_equal(slab.first, at);
        assert_true(i == 2 || slab.rows % 4 == 0);
        assert_int_equal(slab.before, i == 0 ? 0 : 8);
        assert_int_equal(slab.after, i == 2 ? 0 : 8);
        at += slab.rows;
    }
    assert_int_equal(at, 61);
    ASSERT_FINE(vks_slab_of(61, 4, 8, false, 0, 1, &next));
    assert_int_equal(vks_slab_length(&next, 61), 61);
    assert_int_equal(vks_slab_of(61, 4, 21, false, 0, 3, &slab), VKS_ERROR_USAGE);
    assert_int_equal(vks_slab_of(12, 4, 1, false, 0, 4, &slab), VKS_ERROR_USAGE);
}

static void declare(const char *model, const struct vks_slab *slab,
                    struct vks_declaration *declaration)
{
    struct vks_settings settings = {0};
    ASSERT_FINE(vks_settings_init(&settings, vks_model_find(model)));
    ASSERT_FINE(vks_settings_set(&settings, "size", "32x32"));
    ASSERT_FINE(vks_settings_finish(&settings));
    struct vks_config config = vks_settings_config(&settings);
    config.slab = *slab;
    vks_declare_model(settings.model, &config, declaration);
    vks_settings_free(&settings);
}

/* A model without an exchange, and halos that are narrower than the reach of a step. */
static void test_refused(void **state)
{
    (void)state;
    const struct vks_slab slab = {0, 2, 0, 16, 4, 4}, bare = {0, 2, 0, 16, 0, 0};
    const struct vks_gpu_params params = {0};
    struct vks_transport transport = {0};
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    declare("gas", &slab, &declaration);
    assert_int_equal(declaration.result, VKS_ERROR_USAGE);
    assert_string_equal(vks_error_text(), "gas does not run on several ranks");
    vks_declaration_free(&declaration);
    ASSERT_FINE(vks_gpu_open(&gpu, &params));
    declare("gray-scott", &bare, &declaration);
    ASSERT_FINE(vks_graph_create(&gpu, &declaration, &graph));
    assert_int_equal(vks_graph_join(graph, &transport), VKS_ERROR_USAGE);
    vks_graph_destroy(graph);
    vks_gpu_close(&gpu);
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[VKS_COUNT(cases) + 2] = {cmocka_unit_test(test_slabs),
                                                     cmocka_unit_test(test_refused)};
    char names[VKS_COUNT(cases)][128];
    size_t count = 2;
    share_read(argc, argv);
    for (size_t i = 0; i < VKS_COUNT(cases); i++) {
        if (share_due()) {
            snprintf(names[i], sizeof(names[i]), "%s %s %s %ux%u", cases[i].model,
                     cases[i].options[0], cases[i].options[1], cases[i].width, cases[i].height);
            tests[count++] = (struct CMUnitTest){names[i], test_ranks, NULL, NULL,
                                                 (void *)(uintptr_t)(const void *)&cases[i]};
        }
    }
    return _cmocka_run_group_tests("ranks", tests, count, NULL, NULL);
}
