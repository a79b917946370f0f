/* SPDX-License-Identifier: MIT */
/* Fields in memory that another device of this process imports, and on the host's memory. `gpu` is
 * that other device. No software driver exports timeline semaphores: tests/python/gpu_share.py has
 * those. */
#include "gpu_test.h"

#include <math.h>
#include <unistd.h>

#include "api/simulation.h"
#include "base/error.h"
#include "base/exact.h"
#include "gpu/features.h"
#include "gpu/memory.h"
#include "graph/internal.h"
#include "graph/share.h"

enum { HALVES = 1 << 16, FLOATS = 1 << 16 };

static vks_context *context;

/* --- the other device ------------------------------------------------------------------------ */

struct imported {
    struct vks_buffer buffer;
    struct vks_block block;
    struct vks_buffer host; /* as large */
};

/* Takes over the descriptor. */
static struct imported import(int fd, uint64_t bytes, uint64_t memory_bytes)
{
    struct imported imported = {0};
    VkMemoryRequirements needs;
    ASSERT_FINE(vks_buffer_make(&gpu, &imported.buffer, bytes, VKS_MEMORY_EXPORTED, false, false));
    gpu.vk.vkGetBufferMemoryRequirements(gpu.device, imported.buffer.buffer, &needs);
    const VkMemoryDedicatedAllocateInfo dedicated = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
        .buffer = imported.buffer.buffer,
    };
    const VkImportMemoryFdInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
        .pNext = &dedicated,
        .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
        .fd = fd,
    };
    const int type = vks_memory_type(&gpu, needs.memoryTypeBits, VKS_MEMORY_EXPORTED);
    ASSERT_FINE(vks_block_allocate(
        &gpu, &imported.block,
        &(struct vks_block_params){
            .size = memory_bytes, .type = (uint32_t)type, .chain = &info, .what = "imported"}));
    ASSERT_FINE(vks_buffer_bind(&gpu, &imported.buffer, &imported.block, 0));
    ASSERT_FINE(vks_buffer_create(&gpu, &imported.host, bytes, VKS_MEMORY_HOST, "host"));
    return imported;
}

static void forget(struct imported *imported)
{
    vks_buffer_destroy(&gpu, &imported->buffer);
    vks_block_free(&gpu, &imported->block);
    vks_buffer_destroy(&gpu, &imported->host);
}

/* Copies on the other device, into the imported memory or from there. */
static void copy(const struct imported *imported, bool in)
{
    const VkBufferCopy region = {.size = imported->buffer.size};
    const VkBuffer a = imported->buffer.buffer, b = imported->host.buffer;
    const VkCommandBuffer commands = begin_commands();
    gpu.vk.vkCmdCopyBuffer(commands, in ? b : a, in ? a : b, 1, &region);
    assert_int_equal(gpu.vk.vkEndCommandBuffer(commands), VK_SUCCESS);
    ASSERT_FINE(vks_gpu_submit(&gpu, commands, VK_NULL_HANDLE, VK_NULL_HANDLE));
    ASSERT_FINE(vks_gpu_wait(&gpu, gpu.submitted));
    gpu.vk.vkFreeCommandBuffers(gpu.device, gpu.pool, 1, &commands);
}

static const void *from(const struct imported *imported)
{
    memset(imported->host.map, 0xa5, imported->host.size);
    copy(imported, false);
    return imported->host.map;
}

static void to(const struct imported *imported, const void *data)
{
    memcpy(imported->host.map, data, imported->host.size);
    copy(imported, true);
}

/* --- simulations ----------------------------------------------------------------------------- */

static vks_simulation *open(const char *model, const char *const *options)
{
    vks_simulation *simulation = NULL;
    ASSERT_FINE(
        vks_simulation_create(context,
                              &VKS_SIMULATION_PARAMS(.model = model, .preset = "plain", .width = 64,
                                                     .height = 48, .seed = 5, .options = options),
                              &simulation));
    return simulation;
}

static void assert_digest(vks_simulation *simulation, const char *expected)
{
    char digest[33];
    ASSERT_FINE(vks_simulation_digest(simulation, digest));
    assert_string_equal(digest, expected);
}

static void assert_usage(enum vks_result result, const char *words)
{
    assert_int_equal(result, VKS_ERROR_USAGE);
    if (!strstr(vks_error_text(), words)) {
        fail_msg("'%s' does not say '%s'", vks_error_text(), words);
    }
}

/* A simulation with a shared field. */
struct sharing {
    vks_simulation *simulation;
    const char *field;
    vks_shared *shared;
    uint64_t bytes;
    struct imported memory;
};

static struct sharing share(vks_simulation *simulation, const char *field)
{
    struct sharing sharing = {.simulation = simulation, .field = field};
    struct vks_shared_info info = {.size = sizeof(info)};
    ASSERT_FINE(vks_simulation_share(simulation, field, &sharing.shared, &info));
    assert_int_equal(info.semaphore, -1); /* of software drivers; see above */
    assert_true(info.memory_bytes >= info.bytes);
    sharing.bytes = info.bytes;
    sharing.memory = import(info.memory, info.bytes, info.memory_bytes);
    return sharing;
}

static void end(struct sharing *sharing)
{
    vks_shared_close(sharing->shared);
    vks_simulation_destroy(sharing->simulation);
    forget(&sharing->memory);
}

static void update(struct sharing *sharing)
{
    uint64_t value = 1;
    ASSERT_FINE(vks_shared_update(sharing->shared, 0, &value));
    assert_int_equal(value, 0);
}

static enum vks_result store(struct sharing *sharing)
{
    uint64_t value;
    return vks_shared_store(sharing->shared, 0, &value);
}

static void *read_field(struct sharing *sharing)
{
    void *data = allocate(sharing->bytes);
    ASSERT_FINE(vks_simulation_read(sharing->simulation, sharing->field, data, sharing->bytes));
    return data;
}

/* The memory has the field's bytes. */
static void assert_updated(struct sharing *sharing)
{
    void *own = read_field(sharing);
    assert_memory_equal(from(&sharing->memory), own, sharing->bytes);
    free(own);
}

/* Updates have the bytes of the field, after any number of steps, and change nothing; `copies` by a
 * shader or by commands. Values that are stored are those of the field, in the same steps as after
 * a write. */
static void check_field(const char *model, const char *field, const char *const *options,
                        bool by_shader)
{
    context->gpu.copies_by_shader = by_shader;
    struct sharing sharing = share(open(model, options), field);
    vks_simulation *other = open(model, options);
    char digest[33];
    for (uint64_t steps = 1; steps <= 3; steps++) {
        ASSERT_FINE(vks_simulation_run(sharing.simulation, steps));
        update(&sharing);
        assert_updated(&sharing);
    }
    ASSERT_FINE(vks_simulation_run(other, 6));
    ASSERT_FINE(vks_simulation_digest(other, digest));
    assert_digest(sharing.simulation, digest);
    unsigned char *data = read_field(&sharing);
    for (uint64_t i = 0; i < sharing.bytes / 8; i++) { /* the other way round, by words */
        unsigned char word[4];
        unsigned char *a = data + 4 * i, *b = data + sharing.bytes - 4 - 4 * i;
        memcpy(word, a, 4);
        memcpy(a, b, 4);
        memcpy(b, word, 4);
    }
    to(&sharing.memory, data);
    ASSERT_FINE(store(&sharing));
    ASSERT_FINE(vks_simulation_write(other, field, data, sharing.bytes));
    assert_updated(&sharing);
    for (int i = 0; i < 2; i++) {
        ASSERT_FINE(vks_simulation_digest(other, digest));
        assert_digest(sharing.simulation, digest);
        ASSERT_FINE(vks_simulation_run(sharing.simulation, 5));
        ASSERT_FINE(vks_simulation_run(other, 5));
    }
    free(data);
    vks_simulation_destroy(other);
    end(&sharing);
    context->gpu.copies_by_shader = false;
}

static void test_fields(void **state)
{
    (void)state;
    static const char *const plain[] = {"agents=900", "variant=unsorted", NULL};
    static const char *const sorted[] = {"agents=900", "variant=sorted-2-bytes", NULL};
    static const char *const halves[] = {"precision=float16", NULL};
    for (int shader = 0; shader < 2; shader++) {
        check_field("physarum", "trail", plain, shader);
        check_field("physarum", "position", sorted, shader);
        check_field("physarum", "heading", plain, shader);
        check_field("gray-scott", "v", NULL, shader);
        check_field("gray-scott", "u", halves, shader);
    }
}

/* Bad values leave the state as it was, and are named; the field can be shared on. */
static void test_bad_values(void **state)
{
    (void)state;
    static const char *const agents[] = {"agents=900", NULL};
    const struct {
        const char *model, *field;
        float value;
        const char *words;
    } rows[] = {
        {"physarum", "trail", INFINITY, "'trail': element 77 is inf; it must be 0 to 1e+30"},
        {"physarum", "trail", -NAN, "'trail': element 77 is -nan; it must be 0 to 1e+30"},
        {"physarum", "trail", -1e-45f, "'trail': element 77 is -1.4013e-45; it must be 0 to 1e+30"},
        {"gray-scott", "v", 2, "'v': element 77 is 2; it must be 0 to 1"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sharing sharing = share(open(rows[i].model, i < 3 ? agents : NULL), rows[i].field);
        char digest[33];
        ASSERT_FINE(vks_simulation_run(sharing.simulation, 3));
        ASSERT_FINE(vks_simulation_digest(sharing.simulation, digest));
        float *data = read_field(&sharing);
        data[77] = data[200] = rows[i].value;
        to(&sharing.memory, data);
        assert_usage(store(&sharing), rows[i].words);
        assert_digest(sharing.simulation, digest);
        data[77] = data[200] = 0.5f;
        to(&sharing.memory, data);
        ASSERT_FINE(store(&sharing));
        assert_updated(&sharing);
        update(&sharing);
        assert_memory_equal(from(&sharing.memory), data, sharing.bytes);
        free(data);
        end(&sharing);
    }
}

/* --- the check ------------------------------------------------------------------------------- */

/* Takes no values, and counts them. */
static enum vks_result refuse(void *user, const void *data)
{
    (void)data;
    ++*(int *)user;
    return vks_fail(VKS_ERROR_USAGE, "refused");
}

/* A field of floats without a model, and the same check on the host. */
static void check_values(enum vks_element element, const double range[2], const void *data,
                         uint64_t count)
{
    struct vks_graph *graph = NULL;
    struct vks_share *shared = NULL;
    struct vks_declaration declaration = {0};
    int memory, semaphore, refused = 0;
    uint64_t value;
    VKS_FIELD(&declaration, .name = "x", .element = element, .rank = 1, .shape = {count},
              .help = "numbers", .persistent = true, .range = {range[0], range[1]});
    ASSERT_FINE(vks_graph_create(&context->gpu, &declaration, &graph));
    ASSERT_FINE(vks_graph_start(graph, 0, true));
    ASSERT_FINE(vks_share_create(graph, "x", &shared, &memory, &semaphore));
    const struct vks_field *field = &vks_graph_declaration(graph)->fields[0];
    const uint64_t bytes = vks_field_bytes(field);
    struct imported imported = import(memory, bytes, vks_share_bytes(shared));
    void *expected = allocate(bytes), *got = allocate(bytes);
    const struct vks_source source = {
        .array = data, .kind = 'f', .item_bytes = (uint32_t)(bytes / count), .count = count};
    const bool good = vks_fill_from_array(field, &source, expected) == VKS_OK;
    to(&imported, data);
    assert_int_equal(vks_share_store(shared, 0, refuse, &refused, &value),
                     good ? VKS_OK : VKS_ERROR_USAGE);
    assert_int_equal(refused, good ? 0 : 1);
    download(graph, "x", got);
    if (!good) {
        memset(expected, 0, bytes);
    }
    assert_memory_equal(got, expected, bytes);
    if (good) {
        assert_memory_equal(from(&imported), expected, bytes);
    }
    free(expected);
    free(got);
    vks_share_destroy(shared);
    vks_graph_destroy(graph);
    forget(&imported);
}

static bool is_within(float value, const double range[2])
{
    return range[0] == range[1] ? isfinite(value) : value >= range[0] && value <= range[1];
}

/* All halves, and floats around every power of two, that are in the range; then one that is not,
 * which comes last or first. */
static void check_range(const double range[2])
{
    uint16_t *halves = allocate(HALVES * sizeof(*halves));
    uint32_t *floats = allocate(FLOATS * sizeof(*floats));
    const float inside = (float)(range[0] == range[1] ? 0 : (range[0] + range[1]) / 2);
    uint32_t inside_bits;
    memcpy(&inside_bits, &inside, sizeof(inside_bits));
    for (uint32_t i = 0; i < HALVES; i++) {
        const uint32_t near = (i << 16) + (i % 3 - 1);
        halves[i] = is_within(vks_from_half(i), range) ? (uint16_t)i : (uint16_t)vks_half(inside);
        floats[i] = is_within(float_of(near), range) ? near : inside_bits;
    }
    check_values(VKS_F16, range, halves, HALVES);
    check_values(VKS_F32, range, floats, FLOATS);
    const uint32_t bad[] = {0xff800000u, 0x7f800001u, 0xffc00000u};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        halves[i == 1 ? 0 : HALVES - 1] = (uint16_t)(bad[i] >> 16 | (bad[i] & 1));
        floats[i == 1 ? 0 : FLOATS - 1] = bad[i];
        check_values(VKS_F16, range, halves, HALVES);
        check_values(VKS_F32, range, floats, FLOATS);
        halves[0] = halves[HALVES - 1] = (uint16_t)vks_half(inside);
        floats[0] = floats[FLOATS - 1] = inside_bits;
    }
    for (int end = 0; end < 2 && range[0] < range[1]; end++) {
        const float value = nextafterf((float)range[end], end == 0 ? -INFINITY : INFINITY);
        memcpy(&floats[40000], &value, sizeof(value));
        check_values(VKS_F32, range, floats, FLOATS);
        floats[40000] = inside_bits;
    }
    free(halves);
    free(floats);
}

static void test_check(void **state)
{
    (void)state;
    static const double ranges[][2] = {{0, 0}, {0, 1}, {-0.3, 7.1e-5}, {0, 1e30}, {0.1, 2048}};
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        check_range(ranges[i]);
    }
}

/* --- the host's memory ----------------------------------------------------------------------- */

/* A map is the field's own memory: what is written later is seen there, and it stays where it is.
 */
static void test_map(void **state)
{
    (void)state;
    static const char *const sorted[] = {"agents=900", "variant=sorted-2-bytes", NULL};
    vks_simulation *simulation = open("gray-scott", NULL);
    struct vks_mapped first = {.size = sizeof(first)}, next = first;
    float values[64 * 48];
    ASSERT_FINE(vks_simulation_map(simulation, "v", &first));
    assert_int_equal(first.bytes, sizeof(values));
    for (int i = 0; i < 4; i++) {
        ASSERT_FINE(vks_simulation_run(simulation, 1));
        ASSERT_FINE(vks_simulation_map(simulation, "v", &next));
        ASSERT_FINE(vks_simulation_read(simulation, "v", values, sizeof(values)));
        assert_memory_equal(next.data, values, sizeof(values));
        assert_true((next.data == first.data) == (i % 2 == 1)); /* two buffers take turns */
    }
    values[100] = 0.125f;
    ASSERT_FINE(vks_simulation_write(simulation, "v", values, sizeof(values)));
    assert_memory_equal(first.data, values, sizeof(values)); /* without another call */
    assert_usage(vks_simulation_map(simulation, "w", &next), "has no field 'w'");
    assert_usage(vks_simulation_map(simulation, NULL, &next), "NULL");
    next.size = 0;
    assert_usage(vks_simulation_map(simulation, "v", &next), "size");
    vks_simulation_destroy(simulation);
    next.size = sizeof(next);
    simulation = open("physarum", sorted);
    assert_usage(vks_simulation_map(simulation, "position", &next), "has its items sorted");
    vks_simulation_destroy(simulation);
}

/* --- what is refused ------------------------------------------------------------------------- */

static void test_refused(void **state)
{
    (void)state;
    static const char *const wide[] = {"variant=plain", NULL};
    vks_shared *shared = NULL;
    struct vks_shared_info info = {.size = sizeof(info)};
    struct vks_mapped mapped = {.size = sizeof(mapped)};
    uint64_t value = 7;
    const uint32_t features = context->gpu.features;
    vks_simulation *simulation = open("gray-scott", NULL);
    assert_usage(vks_simulation_share(simulation, "w", &shared, &info), "has no field 'w'");
    assert_usage(vks_simulation_share(NULL, "v", &shared, &info), "NULL");
    assert_usage(vks_simulation_share(simulation, "v", NULL, &info), "NULL");
    info.size = 0;
    assert_usage(vks_simulation_share(simulation, "v", &shared, &info), "size");
    info.size = sizeof(info);
    context->gpu.features &= ~(UINT32_C(1) << VKS_FEATURE_EXPORTED_MEMORY);
    assert_int_equal(vks_simulation_share(simulation, "v", &shared, &info), VKS_ERROR_DEVICE);
    assert_non_null(strstr(vks_error_text(), "sharing a field needs memory export, which "));
    context->gpu.features = features;
    assert_null(shared);
    ASSERT_FINE(vks_simulation_share(simulation, "v", &shared, &info));
    close(info.memory);
    assert_usage(vks_shared_update(shared, 1, &value), "shares no semaphore that could reach 1");
    assert_usage(vks_shared_store(shared, 1, &value), "shares no semaphore that could reach 1");
    assert_usage(vks_shared_update(shared, 0, NULL), "NULL");
    assert_usage(vks_shared_update(NULL, 0, &value), "NULL");
    assert_usage(vks_shared_store(NULL, 0, &value), "NULL");
    vks_shared_close(shared);
    vks_shared_close(NULL);
    vks_simulation_destroy(simulation);
    const uint64_t range = context->gpu.field_range;
    context->gpu.field_range = 1000;
    simulation = open("gray-scott", wide);
    assert_usage(vks_simulation_share(simulation, "v", &shared, &info), "too large for one buffer");
    assert_usage(vks_simulation_map(simulation, "v", &mapped), "is in several buffers");
    vks_simulation_destroy(simulation);
    context->gpu.field_range = range;
}

/* Which memory can be mapped: cached, of the largest heap. */
static void test_types(void **state)
{
    (void)state;
    enum { DEVICE = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT };
    enum { BAR = VKS_MAPPED_MEMORY_FLAGS, HOST = BAR | VK_MEMORY_PROPERTY_HOST_CACHED_BIT };
    const struct {
        uint32_t flags[2], heaps[2];
        int type;
        bool mapped;
    } rows[] = {
        {{DEVICE, BAR}, {0, 0}, 0, false},  /* a discrete GPU */
        {{DEVICE, HOST}, {0, 1}, 0, false}, /* with a small window of memory */
        {{DEVICE, HOST}, {0, 0}, 1, true},  /* an integrated GPU */
        {{HOST, DEVICE}, {0, 0}, 0, true},  {{BAR, DEVICE}, {0, 0}, 0, false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct vks_gpu fake = {.memory = {.memoryTypeCount = 2, .memoryHeapCount = 2}};
        for (int k = 0; k < 2; k++) {
            fake.memory.memoryTypes[k] = (VkMemoryType){rows[i].flags[k], rows[i].heaps[k]};
            fake.memory.memoryHeaps[k] =
                (VkMemoryHeap){k ? 256 : 4096, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
        }
        assert_int_equal(vks_memory_type(&fake, UINT32_MAX, VKS_MEMORY_STATE), rows[i].type);
        assert_int_equal(vks_memory_is_mapped(&fake, VKS_MEMORY_STATE, (uint32_t)rows[i].type),
                         rows[i].mapped);
        assert_false(vks_memory_is_mapped(&fake, VKS_MEMORY_DEVICE, (uint32_t)rows[i].type));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),  cmocka_unit_test(test_map),
        cmocka_unit_test(test_fields), cmocka_unit_test(test_bad_values),
        cmocka_unit_test(test_check),  cmocka_unit_test(test_refused),
    };
    const struct vks_gpu_params params = {.no_disk_cache = true, .validation = VKS_VALIDATION_SYNC};
    open_gpu(&params);
    if (vks_context_open(&params, &context) != VKS_OK) {
        printf("Bail out! %s\n", vks_error_text());
        return 1;
    }
    int failed = cmocka_run_group_tests_name("external", tests, NULL, NULL);
    const uint64_t messages = vks_context_close(context);
    vks_gpu_close(&gpu);
    if (messages + gpu.validation_messages > 0) {
        printf("not ok - the validation layer is silent\n");
        failed++;
    }
    return failed;
}
