/* SPDX-License-Identifier: MIT */
#include "graph/packet.h"

#include <string.h>

#include "gpu/external.h"

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

enum vks_result vks_packets_create(struct vks_gpu *gpu, const struct vks_mail *mail,
                                   struct vks_packets *packets, bool *copied)
{
    enum vks_result result = VKS_OK;
    *copied = false;
    for (uint32_t i = 0; i < VKS_TURNS * VKS_SIDES && result == VKS_OK; i++) {
        const uint32_t turn = i / VKS_SIDES, side = i % VKS_SIDES;
        struct vks_packet *sent = &packets->sent[turn][side];
        struct vks_packet *received = &packets->received[turn][side];
        result = vks_packet_create(gpu, mail->sent[turn][side], mail->bytes[side], false, sent);
        if (result == VKS_OK) {
            result = vks_packet_create(gpu, mail->received[turn][side], mail->bytes[side], true,
                                       received);
        }
        *copied = *copied || sent->copied || received->copied;
    }
    return result;
}

void vks_packets_destroy(struct vks_gpu *gpu, struct vks_packets *packets)
{
    for (uint32_t i = 0; i < VKS_TURNS * VKS_SIDES; i++) {
        vks_packet_destroy(gpu, &packets->sent[i / VKS_SIDES][i % VKS_SIDES]);
        vks_packet_destroy(gpu, &packets->received[i / VKS_SIDES][i % VKS_SIDES]);
    }
}
