/* SPDX-License-Identifier: MIT */
#include "frames/loop.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

struct vks_loop {
    size_t samples, bytes;
    bool deep, ended;
    uint32_t fade;
    uint64_t count, next; /* frames taken; the next one to be written, once that has ended */
    void *spare;          /* a frame's memory; NULL: none */
    void **frames;        /* the first `fade`, then a ring of the last `fade` */
};

struct vks_loop *vks_loop_create(size_t samples, bool deep, uint32_t fade)
{
    struct vks_loop *loop = calloc(1, sizeof(*loop));
    void **frames = calloc((size_t)2 * fade, sizeof(*frames));
    if (!loop || !frames) {
        free(loop);
        free(frames);
        return NULL;
    }
    *loop = (struct vks_loop){.samples = samples,
                              .bytes = samples * (deep ? 2 : 1),
                              .deep = deep,
                              .fade = fade,
                              .frames = frames};
    return loop;
}

void vks_loop_destroy(struct vks_loop *loop)
{
    if (loop) {
        for (size_t i = 0; i < (size_t)2 * loop->fade; i++) {
            free(loop->frames[i]);
        }
        free(loop->frames);
        free(loop->spare);
        free(loop);
    }
}

static uint32_t fade_of(uint64_t count, uint32_t fade)
{
    return count / 2 < fade ? (uint32_t)(count / 2) : fade;
}

uint64_t vks_loop_length(uint64_t count, uint32_t fade)
{
    return count - fade_of(count, fade);
}

/* Where a frame is, as long as it is held. */
static void **place_of(const struct vks_loop *loop, uint64_t index)
{
    return &loop->frames[index < loop->fade ? index : loop->fade + index % loop->fade];
}

static enum vks_result make_spare(struct vks_loop *loop)
{
    loop->spare = loop->spare ? loop->spare : malloc(loop->bytes);
    return loop->spare ? VKS_OK : vks_fail_memory();
}

enum vks_result vks_loop_add(struct vks_loop *loop, const void *frame, const void **ready)
{
    const enum vks_result result = make_spare(loop);
    *ready = NULL;
    if (result != VKS_OK) {
        return result;
    }
    void **place = place_of(loop, loop->count++);
    void *before = *place;
    memcpy(loop->spare, frame, loop->bytes);
    *place = loop->spare;
    loop->spare = before;
    *ready = before;
    return VKS_OK;
}

/* The spare frame becomes a share of `part` of `whole` of b, and the rest of a. */
static void blend(const struct vks_loop *loop, const void *a, const void *b, uint32_t part,
                  uint32_t whole)
{
    const uint32_t rest = whole - part;
    for (size_t i = 0; i < loop->samples && !loop->deep; i++) {
        const uint32_t sum = ((const uint8_t *)a)[i] * rest + ((const uint8_t *)b)[i] * part;
        ((uint8_t *)loop->spare)[i] = (uint8_t)((sum + whole / 2) / whole);
    }
    for (size_t i = 0; i < loop->samples && loop->deep; i++) {
        const uint32_t sum = ((const uint16_t *)a)[i] * rest + ((const uint16_t *)b)[i] * part;
        ((uint16_t *)loop->spare)[i] = (uint16_t)((sum + whole / 2) / whole);
    }
}

enum vks_result vks_loop_next(struct vks_loop *loop, const void **ready)
{
    const uint32_t fade = fade_of(loop->count, loop->fade);
    const uint64_t whole = loop->count - fade; /* frames before the fade */
    if (!loop->ended) {
        const bool all = loop->count <= (uint64_t)2 * loop->fade;
        loop->ended = true;
        loop->next = all ? fade : whole;
    }
    const enum vks_result result = make_spare(loop);
    *ready = NULL;
    if (result != VKS_OK || loop->next == loop->count) {
        return result;
    }
    const void *frame = *place_of(loop, loop->next);
    *ready = frame;
    if (loop->next >= whole) {
        const uint64_t index = loop->next - whole;
        blend(loop, frame, *place_of(loop, index), (uint32_t)index + 1, fade + 1);
        *ready = loop->spare;
    }
    loop->next++;
    return VKS_OK;
}
