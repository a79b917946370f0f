/* SPDX-License-Identifier: MIT */
#include "graph/packet.h"

#include <string.h>

#include "gpu/external.h"
#include "ranks/transport.h"

enum vks_result vks_packet_create(struct vks_gpu *gpu, void *memory, size_t bytes, bool received,
                                  struct vks_packet *packet)
{
    const char *what = received ? "rows of other ranks" : "rows for other ranks";
    *packet = (struct vks_packet){.memory = memory, .bytes = bytes};
    if (bytes == 0) {
        return VKS_OK;
    }
    enum vks_result result = vks_external_import(
        gpu, memory, (bytes + VKS_PAGE - 1) / VKS_PAGE * VKS_PAGE, what, &packet->buffer);
    packet->copied = !packet->buffer.buffer;
    if (result == VKS_OK && packet->copied) {
        result = vks_buffer_create(gpu, &packet->buffer, bytes,
                                   received ? VKS_MEMORY_UPLOAD : VKS_MEMORY_READBACK, what);
    }
    return result;
}

void vks_packet_destroy(struct vks_gpu *gpu, struct vks_packet *packet)
{
    vks_buffer_destroy(gpu, &packet->buffer);
}

enum vks_result vks_packet_copy(struct vks_gpu *gpu, const struct vks_packet *packet, bool received,
                                size_t from, size_t bytes)
{
    enum vks_result result = VKS_OK;
    if (packet->copied) {
        char *const memory = (char *)packet->memory + from;
        char *const map = (char *)packet->buffer.map + from;
        result = received ? VKS_OK : vks_buffer_invalidate(gpu, &packet->buffer);
        memcpy(received ? map : memory, received ? memory : map, bytes);
    }
    return result;
}
