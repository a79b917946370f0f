/* SPDX-License-Identifier: MIT */
#include "bench/commands.h"

#include "base/clock.h"
#include "gpu/barrier.h"
#include "gpu/debug.h"

static const VkPipelineStageFlags2 device_stages =
    VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT | VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
static const VkAccessFlags2 device_writes =
    VK_ACCESS_2_TRANSFER_WRITE_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
static const VkAccessFlags2 device_accesses =
    VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT |
    VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;

enum vks_result vks_commands_begin(struct vks_gpu *gpu, struct vks_commands *commands,
                                   const char *name)
{
    const VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = gpu->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    *commands = (struct vks_commands){.gpu = gpu};
    enum vks_result result =
        vks_gpu_check(gpu, gpu->vk.vkAllocateCommandBuffers(gpu->device, &info, &commands->buffer),
                      "vkAllocateCommandBuffers");
    if (result == VKS_OK) {
        vks_gpu_name(gpu, VK_OBJECT_TYPE_COMMAND_BUFFER, (uint64_t)(uintptr_t)commands->buffer,
                     "%s", name);
        result = vks_gpu_check(gpu, gpu->vk.vkBeginCommandBuffer(commands->buffer, &begin),
                               "vkBeginCommandBuffer");
    }
    if (result == VKS_OK) {
        vks_commands_barrier(commands);
    }
    return result;
}

void vks_commands_barrier(const struct vks_commands *commands)
{
    const struct vks_barrier barrier = {
        .needed = true,
        .src_stage = device_stages,
        .src_access = device_writes,
        .dst_stage = device_stages,
        .dst_access = device_accesses,
    };
    vks_barrier_record(&commands->gpu->vk, commands->buffer, &barrier);
}

enum vks_result vks_commands_end(const struct vks_commands *commands)
{
    const struct vks_barrier barrier = {
        .needed = true,
        .src_stage = device_stages,
        .src_access = device_writes,
        .dst_stage = VK_PIPELINE_STAGE_2_HOST_BIT,
        .dst_access = VK_ACCESS_2_HOST_READ_BIT,
    };
    struct vks_gpu *gpu = commands->gpu;
    vks_barrier_record(&gpu->vk, commands->buffer, &barrier);
    return vks_gpu_check(gpu, gpu->vk.vkEndCommandBuffer(commands->buffer), "vkEndCommandBuffer");
}

enum vks_result vks_commands_run(const struct vks_commands *commands, double *seconds)
{
    const double begin = vks_seconds();
    enum vks_result result =
        vks_gpu_submit(commands->gpu, commands->buffer, VK_NULL_HANDLE, VK_NULL_HANDLE);
    if (result == VKS_OK) {
        result = vks_gpu_wait(commands->gpu, commands->gpu->submitted);
    }
    *seconds = vks_seconds() - begin;
    return result;
}

void vks_commands_free(struct vks_commands *commands)
{
    if (commands->buffer) {
        commands->gpu->vk.vkFreeCommandBuffers(commands->gpu->device, commands->gpu->pool, 1,
                                               &commands->buffer);
    }
    *commands = (struct vks_commands){.gpu = NULL};
}
