/* SPDX-License-Identifier: MIT */
/* Changes of the look of a running simulation: repeated changes build no pipeline, no change waits
 * for the GPU, and the state is that of a run without changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "api/simulation.h"
#include "base/clock.h"

#define ASSERT_FINE(call)                     \
    do {                                      \
        if ((call) != VKS_OK) {               \
            fail_msg("%s", vks_error_text()); \
        }                                     \
    } while (0)

enum { SIDE = 384, STEPS = 3 };

static vks_context *context;

static PFN_vkWaitSemaphores wait_semaphores;
static PFN_vkDeviceWaitIdle wait_idle;
static unsigned waits;

static VKAPI_ATTR VkResult VKAPI_CALL count_wait(VkDevice device, const VkSemaphoreWaitInfo *info,
                                                 uint64_t timeout)
{
    waits++;
    return wait_semaphores(device, info, timeout);
}

static VKAPI_ATTR VkResult VKAPI_CALL count_idle(VkDevice device)
{
    waits++;
    return wait_idle(device);
}

static vks_simulation *open_simulation(uint32_t side)
{
    vks_simulation *simulation = NULL;
    const char *const options[] = {"agents=5000", NULL};
    ASSERT_FINE(vks_simulation_create(
        context, &VKS_SIMULATION_PARAMS(.width = side, .height = side, .options = options),
        &simulation));
    return simulation;
}

static void draw(vks_simulation *simulation)
{
    ASSERT_FINE(vks_simulation_draw(simulation));
    ASSERT_FINE(vks_simulation_wait(simulation));
}

/* Sets the option while steps are under way. Returns the seconds of the change itself, in which the
 * host waits for nothing. */
static double set(vks_simulation *simulation, const char *name, const char *value)
{
    struct vks_gpu *gpu = &context->gpu;
    ASSERT_FINE(vks_simulation_run(simulation, STEPS));
    wait_semaphores = gpu->vk.vkWaitSemaphores;
    wait_idle = gpu->vk.vkDeviceWaitIdle;
    gpu->vk.vkWaitSemaphores = count_wait;
    gpu->vk.vkDeviceWaitIdle = count_idle;
    waits = 0;
    const double begin = vks_seconds();
    const enum vks_result result = vks_simulation_set(simulation, name, value);
    const double seconds = vks_seconds() - begin;
    gpu->vk.vkWaitSemaphores = wait_semaphores;
    gpu->vk.vkDeviceWaitIdle = wait_idle;
    ASSERT_FINE(result);
    if (waits > 0) {
        fail_msg("%s=%s waits for the GPU", name, value);
    }
    return seconds;
}

/* What is never drawn has no pipelines for pictures. */
static void test_undrawn(void **state)
{
    (void)state;
    vks_simulation *simulation = open_simulation(64);
    ASSERT_FINE(vks_simulation_run(simulation, STEPS));
    ASSERT_FINE(vks_simulation_set(simulation, "bloom", "1"));
    ASSERT_FINE(vks_simulation_run(simulation, STEPS));
    const uint32_t undrawn = context->gpu.pipelines;
    draw(simulation);
    assert_true(context->gpu.pipelines > undrawn + 3);
    vks_simulation_destroy(simulation);
}

/* Each look, and back, twice. */
static void test_toggles(void **state)
{
    (void)state;
    static const struct {
        const char *name, *other, *usual;
    } looks[] = {
        {"view", "agents", "trail"},      {"bloom", "1", "0"},
        {"hillshade", "1", "0"},          {"background", "#102030", "none"},
        {"crop", "100,50,200x300", NULL}, {"output-size", "640x400", NULL},
        {"colormap", "viridis", "ember"}, {"invert", "true", "false"},
        {"tone", "log", "linear"},        {"gamma", "0.7", "0.5"},
        {"normalize", "frame", "smooth"}, {"annotate", "true", "false"},
    };
    char digest[33], expected[33];
    uint64_t steps = 0;
    vks_simulation *simulation = open_simulation(SIDE);
    draw(simulation);
    for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
        char whole[32];
        snprintf(whole, sizeof(whole), "%s%dx%d", strcmp(looks[i].name, "crop") == 0 ? "0,0," : "",
                 SIDE, SIDE);
        const char *usual = looks[i].usual ? looks[i].usual : whole;
        double seconds[2] = {0};
        for (int time = 0; time < 2; time++) {
            const uint32_t before = context->gpu.pipelines;
            for (int back = 0; back < 2; back++) {
                const double own = set(simulation, looks[i].name, back ? usual : looks[i].other);
                seconds[time] = own > seconds[time] ? own : seconds[time];
                steps += STEPS;
                draw(simulation);
            }
            if (time == 1 && context->gpu.pipelines != before) {
                fail_msg("%s: pipelines are built again", looks[i].name);
            }
        }
        print_message("# %s: %.1f ms, then %.1f ms\n", looks[i].name, 1e3 * seconds[0],
                      1e3 * seconds[1]);
    }
    ASSERT_FINE(vks_simulation_digest(simulation, digest));
    vks_simulation_destroy(simulation);
    simulation = open_simulation(SIDE);
    ASSERT_FINE(vks_simulation_run(simulation, steps));
    ASSERT_FINE(vks_simulation_digest(simulation, expected));
    assert_string_equal(digest, expected);
    vks_simulation_destroy(simulation);
}

static void render(vks_simulation *simulation, uint8_t rgb[64 * 64 * 3])
{
    ASSERT_FINE(vks_simulation_render(simulation, rgb, 64 * 64 * 3));
}

/* The smoothed range continues after a change of structure, and starts again with another view. */
static void test_smooth(void **state)
{
    (void)state;
    static uint8_t one[64 * 64 * 3], other[64 * 64 * 3];
    vks_simulation *changed = open_simulation(64), *kept = open_simulation(64);
    for (int frame = 0; frame < 6; frame++) {
        ASSERT_FINE(vks_simulation_run(changed, 5));
        ASSERT_FINE(vks_simulation_run(kept, 5));
        ASSERT_FINE(vks_simulation_set(changed, "bloom", frame % 2 ? "0" : "2"));
        render(changed, one);
        render(kept, other);
        assert_true((memcmp(one, other, sizeof(one)) == 0) == (frame % 2 == 1));
    }
    vks_simulation_destroy(kept);
    kept = open_simulation(64);
    ASSERT_FINE(vks_simulation_run(kept, vks_simulation_steps(changed)));
    render(kept, other); /* its first frame */
    ASSERT_FINE(vks_simulation_set(changed, "view", "agents"));
    render(changed, one);
    ASSERT_FINE(vks_simulation_set(changed, "view", "trail"));
    render(changed, one);
    assert_memory_equal(one, other, sizeof(one));
    vks_simulation_destroy(kept);
    vks_simulation_destroy(changed);
}

/* More changes than graphs are kept for, without a frame between them; then the times of a pass
 * that all of them have. */
static void test_many(void **state)
{
    (void)state;
    struct vks_pass_timing timing = {.size = sizeof(timing)};
    vks_simulation *simulation = open_simulation(64);
    uint64_t calls = 0;
    for (int i = 0; i < 20; i++) {
        char size[16];
        snprintf(size, sizeof(size), "%dx%d", 40 + i % 5, 32);
        ASSERT_FINE(vks_simulation_run(simulation, 2));
        ASSERT_FINE(vks_simulation_set(simulation, "output-size", size));
        ASSERT_FINE(vks_simulation_set(simulation, "hillshade", i % 2 ? "1" : "0"));
        ASSERT_FINE(vks_simulation_draw(simulation));
    }
    for (size_t i = 0; vks_simulation_timing(simulation, i, &timing); i++) {
        calls = strcmp(timing.name, "level") == 0 ? timing.calls : calls;
    }
    assert_int_equal(calls, 20);
    vks_simulation_destroy(simulation);
}

/* Pictures of fields in chunks, whose tables of addresses are made again. */
static void test_wide(void **state)
{
    (void)state;
    const uint64_t range = context->gpu.field_range;
    context->gpu.field_range = 1000;
    vks_simulation *simulation = open_simulation(64);
    assert_true(vks_declaration_splits(&context->gpu,
                                       vks_graph_declaration(vks_simulation_picture(simulation))));
    for (int i = 0; i < 4; i++) {
        draw(simulation);
        (void)set(simulation, "view", i % 2 ? "trail" : "agents");
        draw(simulation);
        (void)set(simulation, "output-size", i % 2 ? "64x64" : "80x60");
    }
    vks_simulation_destroy(simulation);
    context->gpu.field_range = range;
}

static PFN_vkGetSemaphoreCounterValue counter_value;
static unsigned behind; /* so many more answers */

static VKAPI_ATTR VkResult VKAPI_CALL answer_behind(VkDevice device, VkSemaphore semaphore,
                                                    uint64_t *value)
{
    const VkResult result = counter_value(device, semaphore, value);
    *value = behind > 0 ? 0 : *value;
    behind -= behind > 0;
    return result;
}

static uint64_t watched_step(vks_simulation *simulation)
{
    struct vks_watched watched = {.size = sizeof(watched)};
    assert_true(vks_simulation_watched(simulation, 0, &watched));
    assert_true(watched.known);
    return watched.step;
}

/* Scalars of frames outlast a change of structure, also if the frame ends between two looks at the
 * timeline. */
static void test_scalars(void **state)
{
    (void)state;
    struct vks_gpu *gpu = &context->gpu;
    vks_simulation *simulation = NULL;
    ASSERT_FINE(vks_simulation_create(
        context, &VKS_SIMULATION_PARAMS(.width = 64, .height = 64, .watch = true), &simulation));
    ASSERT_FINE(vks_simulation_run(simulation, STEPS));
    draw(simulation);
    ASSERT_FINE(vks_simulation_set(simulation, "bloom", "1"));
    assert_int_equal(watched_step(simulation), STEPS);
    for (unsigned late = 0; late < 4; late++) {
        ASSERT_FINE(vks_simulation_run(simulation, STEPS));
        ASSERT_FINE(vks_simulation_draw(simulation));
        ASSERT_FINE(vks_simulation_set(simulation, "bloom", late % 2 ? "1" : "0"));
        ASSERT_FINE(vks_gpu_wait_idle(gpu)); /* reads nothing */
        counter_value = gpu->vk.vkGetSemaphoreCounterValue;
        gpu->vk.vkGetSemaphoreCounterValue = answer_behind;
        behind = late;
        (void)watched_step(simulation);
        behind = 0;
        gpu->vk.vkGetSemaphoreCounterValue = counter_value;
        assert_int_equal(watched_step(simulation), vks_simulation_steps(simulation));
    }
    vks_simulation_destroy(simulation);
}

static PFN_vkAllocateMemory allocate_memory;
static unsigned countdown; /* to the allocation that fails, which is tried twice */

static VKAPI_ATTR VkResult VKAPI_CALL allocate_or_fail(VkDevice device,
                                                       const VkMemoryAllocateInfo *info,
                                                       const VkAllocationCallbacks *callbacks,
                                                       VkDeviceMemory *memory)
{
    countdown -= countdown > 0;
    return countdown == 2 || countdown == 1 ? VK_ERROR_OUT_OF_DEVICE_MEMORY
                                            : allocate_memory(device, info, callbacks, memory);
}

/* Looks for which there is too little memory leave the picture, and its smoothed range, as they
 * are: each allocation of a change fails, and so does the second try. */
static void test_no_memory(void **state)
{
    (void)state;
    static uint8_t one[64 * 64 * 3], other[64 * 64 * 3];
    struct vks_gpu *gpu = &context->gpu;
    vks_simulation *changed = open_simulation(64), *kept = open_simulation(64);
    unsigned refused = 0;
    bool failed = true;
    allocate_memory = gpu->vk.vkAllocateMemory;
    for (unsigned which = 1; failed; which++) {
        ASSERT_FINE(vks_simulation_run(changed, STEPS));
        ASSERT_FINE(vks_simulation_run(kept, STEPS));
        gpu->vk.vkAllocateMemory = allocate_or_fail;
        countdown = which + 2;
        const enum vks_result result = vks_simulation_set(changed, "bloom", "1");
        gpu->vk.vkAllocateMemory = allocate_memory;
        failed = countdown <= 2;
        refused += result != VKS_OK;
        if (result == VKS_OK) { /* smaller allocations have succeeded */
            ASSERT_FINE(vks_simulation_set(changed, "bloom", "0"));
        }
        render(changed, one);
        render(kept, other);
        assert_memory_equal(one, other, sizeof(one));
    }
    assert_true(refused > 0);
    vks_simulation_destroy(kept);
    vks_simulation_destroy(changed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_undrawn), /* the first, because pipelines are kept */
        cmocka_unit_test(test_toggles), cmocka_unit_test(test_smooth),
        cmocka_unit_test(test_many),    cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_wide),    cmocka_unit_test(test_no_memory),
    };
    if (vks_context_create(
            &VKS_CONTEXT_PARAMS(.no_disk_cache = true, .validation = VKS_VALIDATION_SYNC),
            &context) != VKS_OK) {
        print_message("%s\n", vks_error_text());
        return 1;
    }
    const int failed = cmocka_run_group_tests_name("looks", tests, NULL, NULL);
    return failed + (vks_context_close(context) > 0);
}
