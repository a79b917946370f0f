/* SPDX-License-Identifier: MIT */
#include "gpu/arena.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "gpu/debug.h"

static const uint64_t usual_dedicated = UINT64_C(256) << 20;

/* A buffer's requirements and its place. */
struct place {
    const struct vks_arena_item *item;
    VkDeviceSize size, alignment;
    uint32_t type;
    bool prefers_own, requires_own; /* allocation, according to the driver */
    size_t plan;
    VkDeviceSize offset;
};

/* An allocation to be made. */
struct plan {
    VkDeviceSize size;
    uint32_t type;
    bool shared; /* takes more buffers, while there is room */
    size_t first, count;
};

struct building {
    struct vks_gpu *gpu;
    struct vks_arena *arena;
    struct place *places; /* one per buffer */
    struct plan *plans;   /* room for one per buffer */
    size_t plan_count;
};

static uint32_t copies_of(const struct vks_arena_item *item)
{
    return item->copies ? item->copies : 1;
}

size_t vks_arena_chunks(const struct vks_arena_item *item)
{
    return item->chunk ? (size_t)((item->size - 1) / item->chunk + 1) : 1;
}

/* --- buffers --------------------------------------------------------------------------------- */

/* "trail", "trail.1" of two copies, "trail.1[3]" of several chunks. */
static void name_buffer(const struct building *building, const struct vks_buffer *buffer,
                        const struct vks_arena_item *item, uint32_t copy, size_t chunk)
{
    char copy_text[16] = "", chunk_text[32] = "";
    if (copies_of(item) > 1) {
        snprintf(copy_text, sizeof(copy_text), ".%u", copy);
    }
    if (vks_arena_chunks(item) > 1) {
        snprintf(chunk_text, sizeof(chunk_text), "[%zu]", chunk);
    }
    vks_gpu_name(building->gpu, VK_OBJECT_TYPE_BUFFER, (uint64_t)buffer->buffer, "%s%s%s",
                 item->name, copy_text, chunk_text);
}

static bool is_mapped(const struct vks_gpu *gpu, const struct place *place)
{
    return vks_memory_is_mapped(gpu, place->item->kind, place->type);
}

/* Asks the driver what the buffer needs. */
static enum vks_result measure(struct vks_gpu *gpu, const struct vks_buffer *buffer,
                               struct place *place)
{
    VkMemoryDedicatedRequirements dedicated = {.sType =
                                                   VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS};
    VkMemoryRequirements2 needs = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2,
                                   .pNext = &dedicated};
    const VkBufferMemoryRequirementsInfo2 info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2,
        .buffer = buffer->buffer,
    };
    gpu->vk.vkGetBufferMemoryRequirements2(gpu->device, &info, &needs);
    const int type =
        vks_memory_type(gpu, needs.memoryRequirements.memoryTypeBits, place->item->kind);
    const VkDeviceSize atom = gpu->properties.limits.nonCoherentAtomSize;
    if (type < 0) {
        return vks_fail(VKS_ERROR_GPU, "%s has no memory for the field '%s'", gpu->info.name,
                        place->item->name);
    }
    place->size = needs.memoryRequirements.size;
    place->alignment = needs.memoryRequirements.alignment;
    place->type = (uint32_t)type;
    if (is_mapped(gpu, place) && place->alignment < atom) {
        place->alignment = atom; /* both are powers of two */
    }
    if (place->alignment < place->item->alignment) {
        place->alignment = place->item->alignment;
    }
    place->prefers_own = dedicated.prefersDedicatedAllocation;
    place->requires_own =
        dedicated.requiresDedicatedAllocation || place->item->kind == VKS_MEMORY_EXPORTED;
    if (place->size > gpu->max_allocation) {
        char wanted[32], max_alloc[32];
        return vks_fail_hint(VKS_ERROR_GPU, VKS_HINT_SIZE,
                             "the field '%s' needs %s in one piece, more than the %s that %s "
                             "allocates at once",
                             place->item->name, vks_format_bytes(place->size, wanted),
                             vks_format_bytes(gpu->max_allocation, max_alloc), gpu->info.name);
    }
    return VKS_OK;
}

static enum vks_result make_buffers(struct building *building, const struct vks_arena_item *item,
                                    size_t *at)
{
    const size_t chunks = vks_arena_chunks(item);
    enum vks_result result = VKS_OK;
    for (uint32_t copy = 0; result == VKS_OK && copy < copies_of(item); copy++) {
        for (size_t chunk = 0; result == VKS_OK && chunk < chunks; chunk++, (*at)++) {
            struct vks_buffer *buffer = &building->arena->buffers[*at];
            const bool last = chunk == chunks - 1;
            building->places[*at].item = item;
            result = vks_buffer_make(building->gpu, buffer,
                                     last ? item->size - chunk * item->chunk : item->chunk,
                                     item->kind, item->addressed, item->texels);
            if (result == VKS_OK) {
                name_buffer(building, buffer, item, copy, chunk);
                result = measure(building->gpu, buffer, &building->places[*at]);
            }
        }
    }
    return result;
}

/* --- which buffer goes into which allocation ------------------------------------------------- */

static VkDeviceSize align(VkDeviceSize size, VkDeviceSize alignment)
{
    return (size + alignment - 1) / alignment * alignment;
}

/* The open shared allocation of the place's memory type if this buffer fits, else NULL. */
static struct plan *find_shared(struct building *building, const struct place *place)
{
    for (size_t i = 0; i < building->plan_count; i++) {
        struct plan *plan = &building->plans[i];
        if (plan->shared && plan->type == place->type) {
            const VkDeviceSize offset = align(plan->size, place->alignment);
            plan->shared = offset <= building->gpu->max_allocation &&
                           place->size <= building->gpu->max_allocation - offset;
            return plan->shared ? plan : NULL;
        }
    }
    return NULL;
}

/* Plans dedicated allocations for buffers of `dedicated` bytes or more and for those for which the
 * driver prefers one; with UINT64_MAX, only for those that require one. */
static void plan_blocks(struct building *building, uint64_t dedicated)
{
    const bool few = dedicated == UINT64_MAX;
    building->plan_count = 0;
    for (size_t i = 0; i < building->arena->buffer_count; i++) {
        struct place *place = &building->places[i];
        const bool shares =
            !place->requires_own && (few || !place->prefers_own) && place->size < dedicated;
        struct plan *plan = shares ? find_shared(building, place) : NULL;
        if (!plan) {
            plan = &building->plans[building->plan_count++];
            *plan = (struct plan){.type = place->type, .shared = shares, .first = i};
        }
        place->plan = (size_t)(plan - building->plans);
        place->offset = align(plan->size, place->alignment);
        plan->size = place->offset + place->size;
        plan->count++;
    }
}

/* --- allocations ----------------------------------------------------------------------------- */

/* Adds a block of `size` bytes for the buffer or, if `count` is over 1, for all buffers of its
 * plan. */
static enum vks_result allocate(struct building *building, size_t buffer, size_t count,
                                VkDeviceSize size)
{
    const struct place *place = &building->places[buffer];
    const struct vks_arena_item *item = place->item;
    struct vks_arena *arena = building->arena;
    bool map = false, addressed = false;
    char what[256];
    for (size_t i = 0; i < arena->buffer_count; i++) {
        if (i == buffer || (count > 1 && building->places[i].plan == place->plan)) {
            map = map || is_mapped(building->gpu, &building->places[i]);
            addressed = addressed || building->places[i].item->addressed;
        }
    }
    const VkMemoryDedicatedAllocateInfo dedicated = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
        .buffer = arena->buffers[buffer].buffer,
    };
    const VkExportMemoryAllocateInfo exported = {
        .sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
        .pNext = &dedicated,
        .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
    };
    const VkMemoryAllocateFlagsInfo flags = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
        .pNext = count > 1                           ? NULL
                 : item->kind == VKS_MEMORY_EXPORTED ? (const void *)&exported
                                                     : &dedicated,
        .flags = addressed ? VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT : 0,
    };
    snprintf(what, sizeof(what), count > 1 ? "the fields from '%s' on" : "the field '%s'",
             item->name);
    enum vks_result result =
        vks_block_allocate(building->gpu, &arena->blocks[arena->block_count],
                           &(struct vks_block_params){
                               .size = size,
                               .type = place->type,
                               .map = map,
                               .chain = &flags,
                               .what = what,
                               .needs = count > 1 ? size : item->size * copies_of(item),
                           });
    arena->block_count += result == VKS_OK ? 1 : 0;
    return result;
}

/* Binds a buffer to the last block. */
static enum vks_result bind(struct building *building, size_t i, VkDeviceSize offset)
{
    struct vks_gpu *gpu = building->gpu;
    struct vks_buffer *buffer = &building->arena->buffers[i];
    enum vks_result result = vks_buffer_bind(
        gpu, buffer, &building->arena->blocks[building->arena->block_count - 1], offset);
    if (!is_mapped(gpu, &building->places[i])) {
        buffer->map = NULL; /* the block is mapped for its other buffers */
    }
    if (result == VKS_OK && building->places[i].item->addressed) {
        buffer->address = gpu->vk.vkGetBufferDeviceAddress(
            gpu->device, &(VkBufferDeviceAddressInfo){
                             .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                             .buffer = buffer->buffer,
                         });
    }
    return result;
}

/* Allocates a planned block, or buffer by buffer if the block cannot be allocated in one piece. */
static enum vks_result make_block(struct building *building, size_t which)
{
    const struct plan *plan = &building->plans[which];
    enum vks_result result = allocate(building, plan->first, plan->count, plan->size);
    const bool whole = result == VKS_OK;
    if (!whole && plan->count > 1) {
        result = VKS_OK;
    }
    for (size_t i = plan->first; result == VKS_OK && i < building->arena->buffer_count; i++) {
        const struct place *place = &building->places[i];
        if (place->plan != which) {
            continue;
        }
        if (!whole) {
            result = allocate(building, i, 1, place->size);
        }
        if (result == VKS_OK) {
            result = bind(building, i, whole ? place->offset : 0);
        }
    }
    return result;
}

static enum vks_result make_blocks(struct building *building, uint64_t dedicated)
{
    const struct vks_gpu *gpu = building->gpu;
    const uint32_t max_alloc = gpu->properties.limits.maxMemoryAllocationCount;
    const uint32_t left = max_alloc > gpu->allocations ? max_alloc - gpu->allocations : 0;
    plan_blocks(building, dedicated);
    if (building->plan_count > left) {
        plan_blocks(building, UINT64_MAX);
    }
    if (building->plan_count > left) {
        return vks_fail(VKS_ERROR_GPU,
                        "the fields need %zu allocations of memory, and %s has %u left of %u",
                        building->plan_count, gpu->info.name, left, max_alloc);
    }
    enum vks_result result = VKS_OK;
    for (size_t i = 0; result == VKS_OK && i < building->plan_count; i++) {
        result = make_block(building, i);
    }
    return result;
}

enum vks_result vks_arena_create(struct vks_gpu *gpu, struct vks_arena *arena,
                                 const struct vks_arena_item *items, size_t count,
                                 uint64_t dedicated)
{
    size_t total = 0, at = 0;
    *arena = (struct vks_arena){0};
    for (size_t i = 0; i < count; i++) {
        total += copies_of(&items[i]) * vks_arena_chunks(&items[i]);
    }
    if (total == 0) {
        return VKS_OK;
    }
    arena->buffers = calloc(total, sizeof(*arena->buffers));
    arena->blocks = calloc(total, sizeof(*arena->blocks));
    arena->buffer_count = arena->buffers ? total : 0;
    struct building building = {
        .gpu = gpu,
        .arena = arena,
        .places = calloc(total, sizeof(*building.places)),
        .plans = calloc(total, sizeof(*building.plans)),
    };
    enum vks_result result = arena->buffers && arena->blocks && building.places && building.plans
                                 ? VKS_OK
                                 : vks_fail_memory();
    for (size_t i = 0; result == VKS_OK && i < count; i++) {
        result = make_buffers(&building, &items[i], &at);
    }
    if (result == VKS_OK) {
        result = make_blocks(&building, dedicated ? dedicated : usual_dedicated);
    }
    free(building.places);
    free(building.plans);
    if (result != VKS_OK) {
        vks_arena_destroy(gpu, arena);
    }
    return result;
}

void vks_arena_destroy(struct vks_gpu *gpu, struct vks_arena *arena)
{
    for (size_t i = 0; i < arena->buffer_count; i++) {
        vks_buffer_destroy(gpu, &arena->buffers[i]);
    }
    for (size_t i = 0; i < arena->block_count; i++) {
        vks_block_free(gpu, &arena->blocks[i]);
    }
    free(arena->buffers);
    free(arena->blocks);
    *arena = (struct vks_arena){0};
}
