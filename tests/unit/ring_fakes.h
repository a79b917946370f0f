/* SPDX-License-Identifier: MIT */
/* A device, a sink and a collage for the tests of the ring of frames. The device draws frame n as
 * bytes that depend on n, and copies them when the test lets it reach the frame's value of the
 * timeline; until then a copy holds other bytes. The linker replaces what the ring calls of the
 * layers below it (--wrap in tests/meson.build), so every order of events can be produced, and none
 * needs a GPU. */
#ifndef VKS_TESTS_UNIT_RING_FAKES_H
#define VKS_TESTS_UNIT_RING_FAKES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "base/error.h"
#include "frames/ring.h"
#include "gpu/buffer.h"

enum { WIDTH = 6, HEIGHT = 4, PIXELS = WIDTH * HEIGHT, MAX_COPIES = 256, STALE = 0xEE };

struct copy {
    uint64_t value; /* of the timeline, when it is done */
    uint8_t *target;
    size_t size;
    uint8_t first; /* its bytes are first, first + 1 ... */
};

struct fake_device {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool manual; /* the test says how far the device is; else everything is done at once */
    uint64_t reached;
    bool lost;          /* waits fail */
    uint64_t fail_at;   /* the draw of this number fails, from 1; 0: none */
    uint64_t draws;     /* asked for */
    unsigned drawn[64]; /* rows that were drawn, in order */
    unsigned begun;     /* pictures */
    const char *fields; /* that are drawn, " picture planes " */
    size_t buffers;     /* that exist */
    struct copy copies[MAX_COPIES];
    size_t copy_count, done_count;
};
extern struct fake_device device;
extern struct vks_gpu gpu;

struct vks_sink {
    unsigned planes;
    bool only_last;
    uint64_t last;    /* frame that is the only one wanted */
    uint64_t fail_at; /* the frame of this number fails; UINT64_MAX: none */
    /* Under the device's lock. */
    bool blocked; /* a write waits until the test lets it go on, or cancels */
    bool writing; /* a write waits now */
    bool cancelled;
    uint64_t written; /* frames or bands */
    struct vks_frame frames[64];
    uint8_t first[64]; /* byte of each frame's first plane */
    bool whole[64];    /* and whether all of its bytes were those of one frame */
};

struct vks_collage {
    uint64_t every; /* frames whose number this divides */
    unsigned count;
    uint64_t indices[64];
};

/* A new device, on which everything is done at once. */
void fake_device_begin(void);
void fake_device_end(void);
/* Lets the device get as far as that value of the timeline. */
void reach(uint64_t value);
/* What frame or band `draw` (from 0) has at byte `at`. */
uint8_t byte_at(uint64_t draw, size_t at);

/* Whether writes wait. */
void block(struct vks_sink *sink, bool blocked);
uint64_t written(struct vks_sink *sink);
/* Waits until the sink has that many frames, at most ten seconds. */
void await_written(struct vks_sink *sink, uint64_t count);
/* Frame i of the sink is number `index`, drawn as number `draw` by the device. */
void assert_frame(const struct vks_sink *sink, size_t i, uint64_t index, uint64_t draw);

void sleep_ms(long ms);

#endif
