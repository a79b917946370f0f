/* SPDX-License-Identifier: MIT */
/* Makes a loop of frames: the last ones fade into the first ones, which are left out. So the frame
 * after the last one is the first one that is written. Independent of any format. */
#ifndef VKS_FRAMES_LOOP_H
#define VKS_FRAMES_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vksim/result.h>

struct vks_loop;

/* For frames of that many samples of 8 bits, or, `deep`, of 16. The last `fade` frames are blended,
 * or half of them all, if there are fewer than twice as many. It holds twice as many frames. NULL
 * if memory ran out. */
struct vks_loop *vks_loop_create(size_t samples, bool deep, uint32_t fade);
void vks_loop_destroy(struct vks_loop *loop); /* NULL is fine */
/* Takes a copy of a frame. *ready is one to be written, valid until the next call; NULL: none. */
enum vks_result vks_loop_add(struct vks_loop *loop, const void *frame, const void **ready);
/* After the last frame: the rest, one after the other; NULL at the end. */
enum vks_result vks_loop_next(struct vks_loop *loop, const void **ready);
/* How many frames a loop of `count` frames has. */
uint64_t vks_loop_length(uint64_t count, uint32_t fade);

#endif
