/* SPDX-License-Identifier: MIT */
/* Measured kernels: what they do, and what their results must be. */
#ifndef VKS_BENCH_KERNEL_H
#define VKS_BENCH_KERNEL_H

#include "bench/bench.h"
#include "bench/spread.h"
#include "gpu/device.h"
#include "gpu/features.h"
#include "graph/graph.h"

struct vks_kernel {
    const char *name;   /* of the pass */
    const char *shader; /* "bench/copy" */
    enum vks_feature feature;
    uint64_t source_words, result_words;          /* 0: no such buffer */
    unsigned access;                              /* enum vks_access of the result */
    struct vks_specialization specializations[4]; /* up to the first unnamed one */
    uint32_t subgroup;                            /* lanes that its subgroups need; 0: any */
    struct bench_params params;
    uint32_t min_repeat, max_repeat; /* of rounds, which are a multiple of the minimum */
    double amount;                   /* bytes or operations of all invocations in one round */
    /* What a word of the result must be, after `runs` dispatches of params.repeat rounds. */
    uint32_t (*expected)(const struct vks_kernel *kernel, uint64_t index);
    uint32_t check_every; /* only one word in this many is compared */
    uint32_t runs;        /* dispatches since the result was zero; set by the measurement */
};

/* Makes the shaders of this folder known (vks_shader_add()): once, before a device is used. */
void vks_bench_add_shaders(void);

/* Effort of a measurement. */
struct vks_effort {
    double seconds;   /* of one sample */
    uint32_t repeats; /* samples, at most VKS_MAX_REPEATS */
    bool spoiled;     /* wrong operands, for tests of the check */
};

/* Declares its buffers, the pass that fills the source, and its own pass. `spoiled`: with wrong
 * operands. */
void vks_kernel_declare(const struct vks_kernel *kernel, bool spoiled,
                        struct vks_declaration *declaration);

/* Runs the kernel for about that long per sample and checks its result: VKS_ERROR_GPU if it is
 * wrong. *rate is in amounts per second. */
enum vks_result vks_kernel_measure(struct vks_gpu *gpu, struct vks_kernel *kernel,
                                   const struct vks_effort *effort, struct vks_spread *rate);

/* Seconds per step of a graph that runs: `effort->repeats` samples, not sorted, each of at least
 * `min_steps` steps. */
enum vks_result vks_steps_measure(struct vks_graph *graph, uint32_t min_steps,
                                  const struct vks_effort *effort, double *samples);

/* Seconds per dispatch of one invocation: with a barrier before each, or without. */
enum vks_result vks_dispatch_measure(struct vks_gpu *gpu, bool barrier,
                                     const struct vks_effort *effort, struct vks_spread *seconds);

/* Seconds to submit a copy of 4 bytes and wait for it. */
enum vks_result vks_submit_measure(struct vks_gpu *gpu, const struct vks_effort *effort,
                                   struct vks_spread *seconds);

/* Bytes per second of a copy from host memory to the device's, or back (`download`); *bytes is the
 * size of the copy. */
enum vks_result vks_transfer_measure(struct vks_gpu *gpu, bool download,
                                     const struct vks_effort *effort, struct vks_spread *rate,
                                     uint64_t *bytes);

#endif
