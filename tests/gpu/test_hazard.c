/* SPDX-License-Identifier: MIT */
/* The validation layers see what they are asked for: with the barriers left out there are messages
 * about hazards, with them there are none, in a graph of tests and in a whole simulation; and
 * GPU-assisted validation sees a shader that reads and writes beyond the end of its buffers. */
#include "gpu_test.h"

#include "base/log.h"
#include "api/simulation.h"

static unsigned hazards, others;

static void on_log(void *user, enum vks_log_level level, const char *text)
{
    (void)user;
    static const char hazard[] = "validation: SYNC-HAZARD-";
    if (level == VKS_LOG_ERROR && strncmp(text, hazard, sizeof(hazard) - 1) == 0) {
        hazards++;
    } else if (level == VKS_LOG_ERROR) {
        others++;
        fprintf(stderr, "%s\n", text);
    }
}

enum { ITEMS = 1000 };

/* Two passes that mix their ITEMS items, in fields of `elements`. */
static void run_mix(struct vks_gpu *device, size_t elements, bool broken)
{
    const uint32_t constants = ITEMS;
    struct vks_declaration *declaration = calloc(1, sizeof(*declaration));
    struct vks_graph *graph = NULL;
    assert_non_null(declaration);
    for (int i = 0; i < 2; i++) {
        VKS_FIELD(declaration, .name = i ? "y" : "x", .element = VKS_U32, .rank = 1,
                  .shape = {(uint32_t)elements}, .ping_pong = true);
    }
    for (int i = 0; i < 2; i++) {
        VKS_PASS(declaration, .name = i ? "y" : "x", .shader = "selftest/mix",
                 .uses =
                     VKS_USES({i ? "y" : "x", VKS_READ, "own"}, {i ? "x" : "y", VKS_READ, "other"},
                              {i ? "y" : "x", VKS_WRITE_NEXT, "own"}),
                 .constants = &constants, .constants_size = 4, .items = {ITEMS});
    }
    ASSERT_FINE(vks_graph_create(device, declaration, &graph));
    if (broken) {
        vks_graph_break_barriers(graph);
    }
    ASSERT_FINE(vks_graph_start(graph, 0, true));
    ASSERT_FINE(vks_graph_run(graph, 20));
    ASSERT_FINE(vks_graph_wait(graph));
    vks_graph_destroy(graph);
    free_declaration(declaration);
}

static void test_with_barriers(void **state)
{
    (void)state;
    hazards = others = 0;
    run_mix(&gpu, ITEMS, false);
    assert_int_equal(hazards, 0);
    assert_int_equal(others, 0);
    assert_int_equal(gpu.validation_messages, 0);
}

static void test_without_barriers(void **state)
{
    (void)state;
    hazards = others = 0;
    run_mix(&gpu, ITEMS, true);
    assert_true(hazards >= 1);
    assert_int_equal(others, 0);
    assert_true(gpu.validation_messages >= hazards);
}

/* A whole simulation, with and without. */
static void run_physarum(vks_context *context, const char *diffuse_size, bool broken)
{
    vks_simulation *simulation;
    uint8_t rgb[48 * 32 * 3];
    char hex[33];
    const char *const options[] = {"agents=100", diffuse_size, NULL};
    ASSERT_FINE(vks_simulation_create(
        context, &VKS_SIMULATION_PARAMS(.width = 48, .height = 32, .options = options),
        &simulation));
    if (broken) {
        vks_graph_break_barriers(vks_simulation_graph(simulation));
        vks_graph_break_barriers(vks_simulation_picture(simulation));
    }
    for (int i = 0; i < 3; i++) {
        ASSERT_FINE(vks_simulation_run(simulation, 9));
        ASSERT_FINE(vks_simulation_render(simulation, rgb, sizeof(rgb)));
    }
    ASSERT_FINE(vks_simulation_digest(simulation, hex));
    vks_simulation_destroy(simulation);
}

static void test_simulation(void **state)
{
    (void)state;
    vks_context *context;
    ASSERT_FINE(vks_context_create(
        &VKS_CONTEXT_PARAMS(.no_disk_cache = true, .validation = VKS_VALIDATION_SYNC), &context));
    hazards = others = 0;
    run_physarum(context, "diffuse-size=3", false);
    run_physarum(context, "diffuse-size=7", false);
    assert_int_equal(vks_context_validation_messages(context), 0);
    run_physarum(context, "diffuse-size=3", true);
    assert_true(hazards >= 1);
    assert_int_equal(others, 0);
    assert_true(vks_context_validation_messages(context) >= hazards);
    vks_context_destroy(context);
}

/* What the layer says about its own set-up is not counted, what it finds is. */
static void test_gpu_assisted(void **state)
{
    (void)state;
    struct vks_gpu assisted;
    hazards = others = 0;
    ASSERT_FINE(
        vks_gpu_open(&assisted, &(struct vks_gpu_params){.no_disk_cache = true,
                                                         .validation = VKS_VALIDATION_GPU}));
    run_mix(&assisted, ITEMS, false);
    assert_int_equal(others, 0);
    assert_int_equal(assisted.validation_messages, 0);
    run_mix(&assisted, ITEMS - 1, false);
    assert_true(others >= 1);
    assert_int_equal(assisted.validation_messages, others);
    vks_gpu_close(&assisted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_with_barriers),
        cmocka_unit_test(test_without_barriers),
        cmocka_unit_test(test_simulation),
        cmocka_unit_test(test_gpu_assisted),
    };
    open_gpu(&(struct vks_gpu_params){.no_disk_cache = true, .validation = VKS_VALIDATION_SYNC});
    vks_message_to(VKS_LOG_WARNING, on_log, NULL);
    int failed = cmocka_run_group_tests_name("hazard", tests, NULL, NULL);
    vks_gpu_close(&gpu);
    return failed;
}
