/* SPDX-License-Identifier: MIT */
/* Arenas, counted allocations, free memory, and optional features. The validation layer checks for
 * overlaps and leaks. */
#include "gpu_test.h"

#include "base/error.h"
#include "base/log.h"
#include "gpu/arena.h"
#include "gpu/features.h"

enum { KIB = 1024, MIB = 1024 * 1024, READBACK = 4 * KIB };

/* --- hooks ----------------------------------------------------------------------------------- */

static struct {
    PFN_vkAllocateMemory allocate;
    PFN_vkCreateBuffer create;
    PFN_vkGetBufferMemoryRequirements2 measure;
    VkDeviceSize preferred, required; /* sizes that get a dedicated allocation from the driver */
    unsigned calls;                   /* of vkAllocateMemory */
    uint64_t max;                     /* bytes of one allocation; larger ones fail */
    unsigned fail_memory;             /* the number of the call that fails, from 1; 0: none */
    bool fail_once;                   /* the next one succeeds, else it fails, too */
    unsigned fail_buffer;             /* the same of vkCreateBuffer */
    unsigned buffer_calls;
} hooks;

static VKAPI_ATTR VkResult VKAPI_CALL hooked_allocate(VkDevice device,
                                                      const VkMemoryAllocateInfo *info,
                                                      const VkAllocationCallbacks *callbacks,
                                                      VkDeviceMemory *memory)
{
    hooks.calls++;
    const bool fails =
        hooks.calls == hooks.fail_memory ||
        (hooks.fail_memory && hooks.calls == hooks.fail_memory + 1 && !hooks.fail_once);
    if (fails || (hooks.max && info->allocationSize > hooks.max)) {
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    return hooks.allocate(device, info, callbacks, memory);
}

static VKAPI_ATTR VkResult VKAPI_CALL hooked_create(VkDevice device, const VkBufferCreateInfo *info,
                                                    const VkAllocationCallbacks *callbacks,
                                                    VkBuffer *buffer)
{
    if (++hooks.buffer_calls == hooks.fail_buffer) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    return hooks.create(device, info, callbacks, buffer);
}

static VKAPI_ATTR void VKAPI_CALL hooked_measure(VkDevice device,
                                                 const VkBufferMemoryRequirementsInfo2 *info,
                                                 VkMemoryRequirements2 *needs)
{
    VkMemoryDedicatedRequirements *dedicated = needs->pNext;
    hooks.measure(device, info, needs);
    dedicated->prefersDedicatedAllocation |= needs->memoryRequirements.size == hooks.preferred;
    dedicated->requiresDedicatedAllocation |= needs->memoryRequirements.size == hooks.required;
}

static int set_hooks(void **state)
{
    (void)state;
    memset(&hooks, 0, sizeof(hooks));
    hooks.allocate = gpu.vk.vkAllocateMemory;
    hooks.create = gpu.vk.vkCreateBuffer;
    hooks.measure = gpu.vk.vkGetBufferMemoryRequirements2;
    gpu.vk.vkAllocateMemory = hooked_allocate;
    gpu.vk.vkCreateBuffer = hooked_create;
    gpu.vk.vkGetBufferMemoryRequirements2 = hooked_measure;
    return 0;
}

static int take_hooks(void **state)
{
    (void)state;
    gpu.vk.vkAllocateMemory = hooks.allocate;
    gpu.vk.vkCreateBuffer = hooks.create;
    gpu.vk.vkGetBufferMemoryRequirements2 = hooks.measure;
    return 0;
}

/* --- checking an arena ----------------------------------------------------------------------- */

static void submit_and_wait(VkCommandBuffer commands)
{
    ASSERT_FINE(vks_gpu_submit(&gpu, commands, VK_NULL_HANDLE, VK_NULL_HANDLE));
    ASSERT_FINE(vks_gpu_wait(&gpu, gpu.submitted));
}

/* Fills every buffer with a different number, then reads the first and last word of each. */
static void assert_separate(const struct vks_arena *arena)
{
    struct vks_buffer readback;
    const VkMemoryBarrier2 barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
        .srcStageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
        .srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT,
        .dstStageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT | VK_PIPELINE_STAGE_2_HOST_BIT,
        .dstAccessMask = VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_HOST_READ_BIT,
    };
    const VkDependencyInfo dependency = {
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
        .memoryBarrierCount = 1,
        .pMemoryBarriers = &barrier,
    };
    assert_true(arena->buffer_count * 8 <= READBACK);
    ASSERT_FINE(vks_buffer_create(&gpu, &readback, READBACK, VKS_MEMORY_READBACK, "readback"));
    const VkCommandBuffer commands = begin_commands();
    for (size_t i = 0; i < arena->buffer_count; i++) {
        gpu.vk.vkCmdFillBuffer(commands, arena->buffers[i].buffer, 0, VK_WHOLE_SIZE,
                               (uint32_t)i + 1000);
    }
    gpu.vk.vkCmdPipelineBarrier2(commands, &dependency);
    for (size_t i = 0; i < arena->buffer_count; i++) {
        const VkBufferCopy regions[] = {
            {.srcOffset = 0, .dstOffset = 8 * i, .size = 4},
            {.srcOffset = arena->buffers[i].size - 4, .dstOffset = 8 * i + 4, .size = 4},
        };
        gpu.vk.vkCmdCopyBuffer(commands, arena->buffers[i].buffer, readback.buffer, 2, regions);
    }
    gpu.vk.vkCmdPipelineBarrier2(commands, &dependency);
    assert_int_equal(gpu.vk.vkEndCommandBuffer(commands), VK_SUCCESS);
    submit_and_wait(commands);
    ASSERT_FINE(vks_buffer_invalidate(&gpu, &readback));
    const uint32_t *words = readback.map;
    for (size_t i = 0; i < arena->buffer_count; i++) {
        assert_int_equal(words[2 * i], i + 1000);
        assert_int_equal(words[2 * i + 1], i + 1000);
        if (arena->buffers[i].map) {
            ASSERT_FINE(vks_buffer_invalidate(&gpu, &arena->buffers[i]));
            assert_int_equal(*(const uint32_t *)arena->buffers[i].map, i + 1000);
        }
    }
    gpu.vk.vkFreeCommandBuffers(gpu.device, gpu.pool, 1, &commands);
    vks_buffer_destroy(&gpu, &readback);
}

/* Every buffer is inside a block, aligned, and overlaps no other. */
static void assert_placed(const struct vks_arena *arena)
{
    for (size_t i = 0; i < arena->buffer_count; i++) {
        const struct vks_buffer *a = &arena->buffers[i];
        VkMemoryRequirements needs;
        bool found = false;
        gpu.vk.vkGetBufferMemoryRequirements(gpu.device, a->buffer, &needs);
        assert_int_equal(a->offset % needs.alignment, 0);
        for (size_t j = 0; j < arena->block_count; j++) {
            const struct vks_block *block = &arena->blocks[j];
            if (block->memory == a->memory) {
                found = true;
                assert_true(a->offset + needs.size <= block->size);
                assert_true(needs.memoryTypeBits & (UINT32_C(1) << block->type));
            }
        }
        assert_true(found);
        for (size_t j = 0; j < i; j++) {
            const struct vks_buffer *b = &arena->buffers[j];
            assert_true(a->memory != b->memory || b->offset + b->size <= a->offset ||
                        a->offset + a->size <= b->offset);
        }
    }
}

static void assert_fine_arena(const struct vks_arena *arena)
{
    assert_placed(arena);
    assert_separate(arena);
}

/* --- arenas ---------------------------------------------------------------------------------- */

/* Small buffers of odd sizes share one block for each memory type that they need. */
static void test_grouping(void **state)
{
    (void)state;
    const struct vks_arena_item items[] = {
        {.name = "trail", .size = 100 * KIB + 4, .copies = 2},
        {.name = "deposit", .size = 4},
        {.name = "watched", .size = 20, .kind = VKS_MEMORY_READBACK},
        {.name = "agents", .size = 333 * KIB + 12},
        {.name = "watched too", .size = 4, .kind = VKS_MEMORY_READBACK},
        {.name = "clock", .size = 4},
        {.name = "start", .size = 44, .kind = VKS_MEMORY_UPLOAD},
    };
    struct vks_arena arena;
    const uint32_t before = gpu.allocations;
    const uint64_t bytes = gpu.allocated_bytes;
    ASSERT_FINE(vks_arena_create(&gpu, &arena, items, 7, 0));
    assert_int_equal(arena.buffer_count, 8);
    uint32_t types = 0;
    uint64_t total = 0;
    for (size_t i = 0; i < arena.block_count; i++) {
        types |= UINT32_C(1) << arena.blocks[i].type;
        total += arena.blocks[i].size;
    }
    assert_int_equal(arena.block_count, __builtin_popcount(types));
    assert_int_equal(hooks.calls, arena.block_count);
    assert_int_equal(gpu.allocations - before, arena.block_count);
    assert_int_equal(gpu.allocated_bytes - bytes, total);
    assert_int_equal(arena.buffers[0].size, items[0].size);
    assert_int_equal(arena.buffers[1].size, items[0].size);
    assert_int_equal(arena.buffers[3].size, 20);
    assert_null(arena.buffers[0].map);
    assert_non_null(arena.buffers[3].map);
    assert_non_null(arena.buffers[5].map);
    assert_non_null(arena.buffers[7].map);
    assert_int_equal(arena.buffers[0].address, 0);
    assert_fine_arena(&arena);
    vks_arena_destroy(&gpu, &arena);
    assert_null(arena.buffers);
    assert_int_equal(gpu.allocations, before);
    assert_int_equal(gpu.allocated_bytes, bytes);
    /* An empty arena is valid. */
    ASSERT_FINE(vks_arena_create(&gpu, &arena, items, 0, 0));
    assert_int_equal(arena.buffer_count, 0);
    vks_arena_destroy(&gpu, &arena);
}

static void test_dedicated(void **state)
{
    (void)state;
    const struct vks_arena_item items[] = {
        {.name = "small", .size = 64 * KIB},      {.name = "large", .size = 2 * MIB, .copies = 2},
        {.name = "small too", .size = 64 * KIB},  {.name = "just", .size = MIB},
        {.name = "below", .size = MIB - 4 * KIB},
    };
    struct vks_arena arena;
    ASSERT_FINE(vks_arena_create(&gpu, &arena, items, 5, MIB));
    assert_int_equal(arena.block_count, 4); /* two large, the one of 1 MiB, the others */
    assert_int_equal(hooks.calls, 4);
    assert_ptr_equal(arena.buffers[0].memory, arena.buffers[3].memory);
    assert_ptr_equal(arena.buffers[0].memory, arena.buffers[5].memory);
    assert_ptr_not_equal(arena.buffers[1].memory, arena.buffers[2].memory);
    assert_int_equal(arena.buffers[1].offset, 0);
    assert_fine_arena(&arena);
    vks_arena_destroy(&gpu, &arena);
}

/* The driver's preferences are followed; if allocations are scarce, only its requirements. */
static void test_wishes(void **state)
{
    (void)state;
    const struct vks_arena_item items[] = {
        {.name = "a", .size = 64 * KIB},  {.name = "preferred", .size = 128 * KIB},
        {.name = "b", .size = 64 * KIB},  {.name = "required", .size = 192 * KIB},
        {.name = "c", .size = 320 * KIB},
    };
    struct vks_arena arena;
    const uint32_t max = gpu.properties.limits.maxMemoryAllocationCount;
    hooks.preferred = 128 * KIB;
    hooks.required = 192 * KIB;
    ASSERT_FINE(vks_arena_create(&gpu, &arena, items, 5, 0));
    assert_int_equal(arena.block_count, 3);
    assert_ptr_equal(arena.buffers[0].memory, arena.buffers[4].memory);
    assert_fine_arena(&arena);
    vks_arena_destroy(&gpu, &arena);
    gpu.properties.limits.maxMemoryAllocationCount = gpu.allocations + 2;
    ASSERT_FINE(vks_arena_create(&gpu, &arena, items, 5, 0));
    assert_int_equal(arena.block_count, 2);
    assert_ptr_equal(arena.buffers[0].memory, arena.buffers[1].memory);
    assert_ptr_not_equal(arena.buffers[0].memory, arena.buffers[3].memory);
    gpu.properties.limits.maxMemoryAllocationCount = max;
    assert_fine_arena(&arena);
    vks_arena_destroy(&gpu, &arena);
}

/* Size and number of blocks stay within the device's limits. */
static void test_limits(void **state)
{
    (void)state;
    struct vks_arena_item items[10];
    struct vks_arena arena;
    const uint64_t before = gpu.max_allocation;
    const uint32_t count_before = gpu.properties.limits.maxMemoryAllocationCount;
    for (int i = 0; i < 10; i++) {
        items[i] = (struct vks_arena_item){.name = "part", .size = 100 * KIB};
    }
    gpu.max_allocation = 310 * KIB; /* three of them */
    ASSERT_FINE(vks_arena_create(&gpu, &arena, items, 10, 0));
    assert_int_equal(arena.block_count, 4);
    for (size_t i = 0; i < arena.block_count; i++) {
        assert_true(arena.blocks[i].size <= gpu.max_allocation);
    }
    assert_fine_arena(&arena);
    vks_arena_destroy(&gpu, &arena);

    items[7].size = 400 * KIB;
    items[7].name = "giant";
    assert_int_equal(vks_arena_create(&gpu, &arena, items, 10, 0), VKS_ERROR_GPU);
    assert_non_null(strstr(vks_error_text(), "the field 'giant' needs 400 KiB in one piece"));
    assert_non_null(strstr(vks_error_text(), "310 KiB"));
    assert_int_equal(vks_error_last()->hint, VKS_HINT_SIZE);
    assert_null(arena.buffers);
    gpu.max_allocation = before;

    /* Ten dedicated allocations with a limit of nine: they share one. */
    gpu.properties.limits.maxMemoryAllocationCount = gpu.allocations + 10;
    ASSERT_FINE(vks_arena_create(&gpu, &arena, items, 10, 1));
    assert_int_equal(arena.block_count, 10);
    vks_arena_destroy(&gpu, &arena);
    gpu.properties.limits.maxMemoryAllocationCount = gpu.allocations + 9;
    ASSERT_FINE(vks_arena_create(&gpu, &arena, items, 10, 1));
    assert_int_equal(arena.block_count, 1);
    vks_arena_destroy(&gpu, &arena);
    gpu.properties.limits.maxMemoryAllocationCount = gpu.allocations;
    assert_int_equal(vks_arena_create(&gpu, &arena, items, 10, 0), VKS_ERROR_GPU);
    assert_non_null(strstr(vks_error_text(), "need 1 allocations of memory"));
    gpu.properties.limits.maxMemoryAllocationCount = count_before;
}

/* Chunks, which shaders access by address. */
static void test_chunks(void **state)
{
    (void)state;
    const struct vks_arena_item items[] = {
        {.name = "wide", .size = MIB + 20, .chunk = 256 * KIB, .copies = 2, .addressed = true},
        {.name = "whole", .size = 512 * KIB, .chunk = 256 * KIB},
        {.name = "one", .size = 8, .chunk = 256 * KIB, .addressed = true},
    };
    struct vks_arena arena;
    assert_int_equal(vks_arena_chunks(&items[0]), 5);
    assert_int_equal(vks_arena_chunks(&items[1]), 2);
    assert_int_equal(vks_arena_chunks(&items[2]), 1);
    for (int dedicated = 0; dedicated < 2; dedicated++) {
        ASSERT_FINE(vks_arena_create(&gpu, &arena, items, 3, dedicated ? 128 * KIB : 0));
        assert_int_equal(arena.buffer_count, 13);
        assert_int_equal(arena.block_count, dedicated ? 11 : 1);
        assert_int_equal(arena.buffers[3].size, 256 * KIB);
        assert_int_equal(arena.buffers[4].size, 20);
        assert_int_equal(arena.buffers[9].size, 20);
        assert_int_equal(arena.buffers[11].size, 256 * KIB);
        for (size_t i = 0; i < 13; i++) {
            const bool addressed = i < 10 || i == 12;
            assert_true((arena.buffers[i].address != 0) == addressed);
            for (size_t j = 0; j < i; j++) {
                assert_true(!addressed || arena.buffers[i].address != arena.buffers[j].address);
            }
        }
        assert_fine_arena(&arena);
        vks_arena_destroy(&gpu, &arena);
    }
}

/* --- failures -------------------------------------------------------------------------------- */

static const struct vks_arena_item some[] = {
    {.name = "first", .size = 64 * KIB},
    {.name = "second", .size = 2 * MIB, .copies = 2},
    {.name = "third", .size = 64 * KIB, .kind = VKS_MEMORY_READBACK},
    {.name = "fourth", .size = 128 * KIB, .addressed = true},
};

static void assert_nothing_left(const struct vks_arena *arena, uint32_t allocations)
{
    assert_null(arena->buffers);
    assert_null(arena->blocks);
    assert_int_equal(arena->buffer_count, 0);
    assert_int_equal(gpu.allocations, allocations);
}

/* Memory is fragmented: no large piece is left, but small ones are. */
static void test_piecewise(void **state)
{
    (void)state;
    struct vks_arena arena;
    hooks.max = 3 * MIB;
    ASSERT_FINE(vks_arena_create(&gpu, &arena, some, 4, 0));
    assert_true(arena.block_count >= 4);
    assert_int_equal(hooks.calls > arena.block_count, 1);
    assert_true(arena.buffers[4].address != 0);
    assert_fine_arena(&arena);
    vks_arena_destroy(&gpu, &arena);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct vks_arena arena;
    const uint32_t before = gpu.allocations;
    hooks.max = 100 * KIB;
    assert_int_equal(vks_arena_create(&gpu, &arena, some, 4, 0), VKS_ERROR_GPU);
    /* Both copies of the field count. */
    assert_non_null(strstr(vks_error_text(), "the field 'second' needs 4.0 MiB, more than is free "
                                             "of the "));
    assert_non_null(strstr(vks_error_text(), gpu.info.name));
    assert_null(strstr(vks_error_text(), "--"));
    assert_int_equal(vks_error_last()->hint, VKS_HINT_SIZE);
    assert_nothing_left(&arena, before);
}

/* Each call fails twice; with a threshold of 1 byte every buffer has its own memory. One that fails
 * once is tried again. */
static void test_each_call_fails(void **state)
{
    (void)state;
    struct vks_arena arena;
    const uint32_t before = gpu.allocations;
    const char *const names[] = {"first", "second", "second", "third", "fourth"};
    for (unsigned i = 1; i <= 5; i++) {
        char sentence[64];
        snprintf(sentence, sizeof(sentence), "the field '%s' needs ", names[i - 1]);
        hooks.calls = 0;
        hooks.fail_memory = i;
        assert_int_equal(vks_arena_create(&gpu, &arena, some, 4, 1), VKS_ERROR_GPU);
        assert_non_null(strstr(vks_error_text(), sentence));
        assert_nothing_left(&arena, before);
        hooks.calls = 0;
        hooks.fail_once = true;
        ASSERT_FINE(vks_arena_create(&gpu, &arena, some, 4, 1));
        assert_int_equal(hooks.calls, 6);
        vks_arena_destroy(&gpu, &arena);
        hooks.fail_once = false;
        hooks.fail_memory = 0;
        hooks.buffer_calls = 0;
        hooks.fail_buffer = i;
        assert_int_equal(vks_arena_create(&gpu, &arena, some, 4, 1), VKS_ERROR_GPU);
        assert_non_null(strstr(vks_error_text(), "vkCreateBuffer failed on"));
        assert_nothing_left(&arena, before);
        hooks.fail_buffer = 0;
    }
    hooks.calls = 0;
    ASSERT_FINE(vks_arena_create(&gpu, &arena, some, 4, 1));
    assert_int_equal(hooks.calls, 5);
    vks_arena_destroy(&gpu, &arena);
    assert_nothing_left(&arena, before);
}

/* --- what is free ---------------------------------------------------------------------------- */

static VKAPI_ATTR void VKAPI_CALL fake_budget(VkPhysicalDevice physical,
                                              VkPhysicalDeviceMemoryProperties2 *properties)
{
    VkPhysicalDeviceMemoryBudgetPropertiesEXT *budget = properties->pNext;
    (void)physical;
    assert_int_equal(budget->sType, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT);
    for (unsigned i = 0; i < VK_MAX_MEMORY_HEAPS; i++) {
        budget->heapUsage[i] = 100 * MIB;
        budget->heapBudget[i] = 400 * MIB;
    }
}

static void test_budget(void **state)
{
    (void)state;
    const PFN_vkGetPhysicalDeviceMemoryProperties2 query = vkGetPhysicalDeviceMemoryProperties2;
    const uint32_t features = gpu.features;
    const uint32_t bit = UINT32_C(1) << VKS_FEATURE_MEMORY_BUDGET;
    struct vks_buffer buffer;
    hooks.max = KIB;
    /* Without the extension allocations are counted here. */
    gpu.features &= ~bit;
    struct vks_budget budget = vks_gpu_budget(&gpu);
    assert_false(budget.known);
    assert_int_equal(budget.size, gpu.info.memory);
    assert_int_equal(budget.free, gpu.info.memory - gpu.allocated_bytes);
    assert_int_equal(vks_buffer_create(&gpu, &buffer, 64 * KIB, VKS_MEMORY_DEVICE, "the buffer"),
                     VKS_ERROR_GPU);
    assert_non_null(
        strstr(vks_error_text(), "the buffer needs 64.0 KiB, more than is free of the "));
    assert_null(strstr(vks_error_text(), "counts"));
    assert_int_equal(vks_error_last()->hint, VKS_HINT_SIZE);
    /* With it the driver counts. */
    gpu.features |= bit;
    vkGetPhysicalDeviceMemoryProperties2 = fake_budget;
    budget = vks_gpu_budget(&gpu);
    assert_true(budget.known);
    assert_int_equal(budget.size, gpu.info.memory);
    assert_int_equal(budget.free, 300 * MIB);
    assert_int_equal(vks_buffer_create(&gpu, &buffer, 64 * KIB, VKS_MEMORY_DEVICE, "the buffer"),
                     VKS_ERROR_GPU);
    assert_non_null(strstr(vks_error_text(), "(its driver counts 300 MiB as free)"));
    vkGetPhysicalDeviceMemoryProperties2 = query;
    gpu.features = features;
    hooks.max = 0;
    ASSERT_FINE(vks_buffer_create(&gpu, &buffer, 64 * KIB, VKS_MEMORY_DEVICE, "the buffer"));
    vks_buffer_destroy(&gpu, &buffer);
}

/* --- features -------------------------------------------------------------------------------- */

static void test_features(void **state)
{
    (void)state;
    const uint32_t features = gpu.features;
    char text[sizeof(gpu.info.features)] = "";
    /* Everything that the device offers is enabled, except windows and statistics. */
    assert_false(vks_gpu_has(&gpu, VKS_FEATURE_SWAPCHAIN));
    assert_false(vks_gpu_has(&gpu, VKS_FEATURE_PIPELINE_STATISTICS));
    for (unsigned i = VKS_FEATURE_NONE + 1; i < VKS_FEATURE_COUNT; i++) {
        const bool offered = strstr(gpu.info.features, vks_feature_name(i)) != NULL;
        const bool asked = i != VKS_FEATURE_SWAPCHAIN && i != VKS_FEATURE_PIPELINE_STATISTICS &&
                           i != VKS_FEATURE_COOPERATIVE_MATRIX;
        assert_true(!vks_gpu_has(&gpu, i) || offered);
        assert_true(!asked || vks_gpu_has(&gpu, i) == offered);
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s, ", vks_feature_name(i));
    }
    assert_true(strlen(text) < sizeof(text) - 1); /* the whole list has room */
    /* A pass that needs one. */
    ASSERT_FINE(vks_gpu_need(&gpu, VKS_FEATURE_NONE, "pass 'a'"));
    gpu.features |= UINT32_C(1) << VKS_FEATURE_FLOAT16;
    ASSERT_FINE(vks_gpu_need(&gpu, VKS_FEATURE_FLOAT16, "pass 'a'"));
    gpu.features = 0;
    assert_int_equal(vks_gpu_need(&gpu, VKS_FEATURE_FLOAT16, "pass 'a'"), VKS_ERROR_DEVICE);
    assert_non_null(strstr(vks_error_text(), "pass 'a' needs float16 arithmetic, which "));
    assert_non_null(strstr(vks_error_text(), gpu.info.name));
    assert_int_equal(vks_gpu_need(&gpu, VKS_FEATURE_COOPERATIVE_MATRIX, "pass 'b'"),
                     VKS_ERROR_DEVICE);
    assert_non_null(strstr(vks_error_text(), "pass 'b' needs cooperative matrices, which "));
    gpu.features = features;
}

static void on_log(void *user, enum vks_log_level level, const char *text)
{
    (void)user;
    if (level == VKS_LOG_ERROR) {
        printf("# %s\n", text);
    }
}

int main(void)
{
#define WITH_HOOKS(test) cmocka_unit_test_setup_teardown(test, set_hooks, take_hooks)
    const struct CMUnitTest tests[] = {
        WITH_HOOKS(test_grouping),  WITH_HOOKS(test_dedicated),
        WITH_HOOKS(test_wishes),    WITH_HOOKS(test_limits),
        WITH_HOOKS(test_chunks),    WITH_HOOKS(test_piecewise),
        WITH_HOOKS(test_no_memory), WITH_HOOKS(test_each_call_fails),
        WITH_HOOKS(test_budget),    cmocka_unit_test(test_features),
    };
    open_gpu(&(struct vks_gpu_params){.no_disk_cache = true, .validation = VKS_VALIDATION_SYNC});
    vks_message_to(VKS_LOG_WARNING, on_log, NULL);
    int failed = cmocka_run_group_tests_name("memory", tests, NULL, NULL);
    vks_gpu_close(&gpu); /* the layer reports leaks here */
    if (gpu.validation_messages > 0) {
        printf("not ok - the validation layer is silent\n");
        failed++;
    }
    return failed;
}
