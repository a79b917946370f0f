/* SPDX-License-Identifier: MIT */
/* Memory of a transport between ranks, for copies by the device. */
#ifndef VKS_GRAPH_PACKET_H
#define VKS_GRAPH_PACKET_H

#include "gpu/buffer.h"
#include "ranks/transport.h"

struct vks_packet {
    struct vks_buffer buffer;
    void *memory; /* of the transport; the buffer's too if the device could import it */
    bool copied;  /* it could not: the host copies */
    size_t bytes; /* 0: there is none */
};

/* Of what is received, or sent. The memory outlives it. Zero it after a failure, too. */
enum vks_result vks_packet_create(struct vks_gpu *gpu, void *memory, size_t bytes, bool received,
                                  struct vks_packet *packet);
void vks_packet_destroy(struct vks_gpu *gpu, struct vks_packet *packet);
/* After the device has written bytes of it, or before it reads them: what the host has to copy. */
enum vks_result vks_packet_copy(struct vks_gpu *gpu, const struct vks_packet *packet, bool received,
                                size_t from, size_t bytes);

/* Those of a mail, which is open. */
struct vks_packets {
    struct vks_packet sent[VKS_TURNS][VKS_SIDES], received[VKS_TURNS][VKS_SIDES];
};
/* Start from a zeroed structure, and destroy it after a failure, too. *copied: whether the host has
 * to copy one of them. */
enum vks_result vks_packets_create(struct vks_gpu *gpu, const struct vks_mail *mail,
                                   struct vks_packets *packets, bool *copied);
void vks_packets_destroy(struct vks_gpu *gpu, struct vks_packets *packets);

#endif
