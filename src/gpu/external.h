/* SPDX-License-Identifier: MIT */
/* Memory and semaphores as file descriptors, for other APIs and devices. */
#ifndef VKS_GPU_EXTERNAL_H
#define VKS_GPU_EXTERNAL_H

#include "gpu/buffer.h"

/* VKS_OK if buffers of VKS_MEMORY_EXPORTED can be made; else VKS_ERROR_DEVICE. */
enum vks_result vks_external_need(const struct vks_gpu *gpu);

/* A new descriptor of the buffer's memory, which is of VKS_MEMORY_EXPORTED. */
enum vks_result vks_external_memory(const struct vks_gpu *gpu, const struct vks_buffer *buffer,
                                    int *fd);

/* A buffer for copies, of the host's memory: whole pages, which outlive the buffer. On VKS_OK
 * without a buffer (`buffer->buffer`) the device cannot use that memory. Destroy it as any other.
 */
enum vks_result vks_external_import(struct vks_gpu *gpu, void *memory, uint64_t bytes,
                                    const char *what, struct vks_buffer *buffer);

/* A timeline semaphore with the value 0 and a new descriptor of it; VK_NULL_HANDLE and -1 if the
 * device cannot export one. */
enum vks_result vks_external_semaphore(const struct vks_gpu *gpu, VkSemaphore *semaphore, int *fd);

/* Records that the buffer goes to another API (`away`) or comes back from one, with its contents.
 */
void vks_external_hand_over(const struct vks_gpu *gpu, VkBuffer buffer, bool away,
                            VkCommandBuffer commands);

#endif
