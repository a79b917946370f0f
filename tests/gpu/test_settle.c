/* SPDX-License-Identifier: MIT */
/* graph/settle.h: a device runs until its clock rate has settled, and a drop is detected. A
 * software driver is treated as a GPU here; what its gauge shows does not matter. */
#include "gpu_test.h"

#include "base/clock.h"
#include "graph/internal.h"
#include "graph/settle.h"

static struct vks_graph *create(void)
{
    static const uint32_t constants[] = {100, 3};
    struct vks_declaration declaration = {.measures = true};
    struct vks_graph *graph = NULL;
    VKS_FIELD(&declaration, .name = "word", .element = VKS_U32, .rank = 1, .shape = {1});
    VKS_PASS(&declaration, .name = "work", .shader = "core/gauge",
             .uses = VKS_USES({"word", VKS_READ_WRITE}), VKS_PUSH(constants), .items = {1});
    ASSERT_FINE(vks_graph_create(&gpu, &declaration, &graph));
    ASSERT_FINE(vks_graph_start(graph, 0, true));
    vks_declaration_free(&declaration);
    return graph;
}

static uint64_t steps_of(struct vks_graph *graph)
{
    double seconds;
    uint64_t steps;
    vks_graph_busy(graph, &seconds, &steps);
    return steps;
}

/* Nothing is known: works until the gauge has not become faster for 0.8 s, and knows then. */
static void test_first(void **state)
{
    (void)state;
    struct vks_graph *graph = create();
    gpu.gauge_seconds = 0;
    const double begin = vks_seconds();
    ASSERT_FINE(vks_graph_settle(graph, 4));
    assert_true(vks_seconds() - begin >= 0.8);
    assert_true(gpu.gauge_seconds > 0);
    assert_true(steps_of(graph) > 0);
    assert_int_equal(steps_of(graph) % 4, 0);
    vks_graph_destroy(graph);
}

/* The clock is up: no work. */
static void test_settled(void **state)
{
    (void)state;
    struct vks_graph *graph = create();
    bool slower = true;
    gpu.gauge_seconds = 1e6;
    ASSERT_FINE(vks_graph_is_slower(graph, &slower));
    assert_false(slower);
    ASSERT_FINE(vks_graph_settle(graph, 1));
    assert_int_equal(steps_of(graph), 0);
    assert_true(gpu.gauge_seconds < 1e6); /* it was even faster */
    vks_graph_destroy(graph);
}

/* The clock fell and does not rise again: waits, then takes that for the highest rate. */
static void test_slower(void **state)
{
    (void)state;
    struct vks_graph *graph = create();
    bool slower = false;
    gpu.gauge_seconds = 1e-12;
    ASSERT_FINE(vks_graph_is_slower(graph, &slower));
    assert_true(slower);
    ASSERT_FINE(vks_graph_settle(graph, 1));
    assert_true(steps_of(graph) > 0);
    assert_true(gpu.gauge_seconds > 1e-9);
    vks_graph_destroy(graph);
}

/* A CPU's clock rate need not settle. */
static void test_processor(void **state)
{
    (void)state;
    struct vks_graph *graph = create();
    bool slower = true;
    const VkPhysicalDeviceType type = gpu.properties.deviceType;
    gpu.properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_CPU;
    gpu.gauge_seconds = 1e-12;
    ASSERT_FINE(vks_graph_is_slower(graph, &slower));
    assert_false(slower);
    ASSERT_FINE(vks_graph_settle(graph, 1));
    assert_int_equal(steps_of(graph), 0);
    gpu.properties.deviceType = type;
    vks_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first),
        cmocka_unit_test(test_settled),
        cmocka_unit_test(test_slower),
        cmocka_unit_test(test_processor),
    };
    open_gpu(&(struct vks_gpu_params){.no_disk_cache = true});
    gpu.properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    const int failed = cmocka_run_group_tests_name("settle", tests, NULL, NULL);
    vks_gpu_close(&gpu);
    return failed;
}
