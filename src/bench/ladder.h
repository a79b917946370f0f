/* SPDX-License-Identifier: MIT */
/* The ladder of kernels: each kernel is computed by several shaders, its rungs, and each rung
 * changes one thing (docs/ladder.md). A rung is verified before it is timed. */
#ifndef VKS_BENCH_LADDER_H
#define VKS_BENCH_LADDER_H

#include "bench/kernel.h"
#include "bench/rung.h"

/* Elements; a vector has the height 1. */
struct vks_ladder_size {
    uint32_t width, height;
};

/* Words from row to row: padded so that rows begin at a multiple of 16 bytes. */
static inline uint32_t vks_ladder_pitch(uint32_t width)
{
    return (width + 3) / 4 * 4;
}

/* rung_params.addend of the first or second source. */
static inline uint32_t vks_ladder_addend(uint32_t source)
{
    return (source + 1) << 20;
}

/* How the invocations of a rung cover the elements. */
enum vks_rung_layout {
    VKS_RUNG_LANES,  /* one lane per element */
    VKS_RUNG_FOURS,  /* one lane per four elements */
    VKS_RUNG_LOOP,   /* as many lanes as fill the device, each in a loop */
    VKS_RUNG_ROWS,   /* one workgroup per row */
    VKS_RUNG_BLOCKS, /* one lane per element, in workgroups of 32 x 8 */
    VKS_RUNG_TILES,  /* one workgroup of 256 lanes per 32 x 32 elements */
};

struct vks_rung {
    const char *name;   /* NULL ends a list */
    const char *shader; /* "bench/copy_scalar" */
    const char *help;   /* what it changes; one line */
    enum vks_rung_layout layout;
    enum vks_feature feature;
    bool partial; /* has the field `partial`: a count, and a word per workgroup */
};

struct vks_ladder_kernel {
    const char *name;           /* NULL ends the table */
    const char *help;           /* what it computes and teaches; one line */
    const char *sizes;          /* default ones, for a GPU */
    const char *software_sizes; /* default ones, for a software driver */
    const char *ceiling; /* what bounds it: a name of vks_ceiling_info(), in bytes per second */
    double bytes;        /* moved at least, per element */
    unsigned sources;    /* 1 or 2 */
    bool matrix;         /* sizes are WIDTHxHEIGHT */
    bool transposed;     /* the result has the source's columns as rows */
    bool real;           /* elements are float32 with integers below 2^20 */
    bool total;          /* the result is one word, which each dispatch adds to */
    /* The result at (x, y) of the source after one dispatch, as bits; of a total: all of it. */
    uint32_t (*reference)(const struct vks_ladder_size *size, uint32_t x, uint32_t y);
    const struct vks_rung *rungs;
};

extern const struct vks_ladder_kernel vks_ladder[];

/* The kernel of that name, or NULL. */
const struct vks_ladder_kernel *vks_ladder_find(const char *name);

/* True if the comma-separated list `names` has the rung; NULL has all. */
bool vks_ladder_has_rung(const char *names, const struct vks_rung *rung);
/* VKS_ERROR_USAGE with a list if a name is not a rung of the kernel. */
enum vks_result vks_ladder_check_rungs(const struct vks_ladder_kernel *kernel, const char *names);

/* Parses the size at *text, "4096" or "4096x1024", and moves *text past it and the comma behind it.
 * VKS_ERROR_USAGE if it is not one. */
enum vks_result vks_ladder_parse_size(const struct vks_ladder_kernel *kernel, const char **text,
                                      struct vks_ladder_size *size);

/* Bytes of memory that the kernel needs. */
uint64_t vks_ladder_bytes(const struct vks_ladder_kernel *kernel,
                          const struct vks_ladder_size *size);
/* VKS_ERROR_USAGE if the device does not have them: what it needs, and what there is. */
enum vks_result vks_ladder_check_size(const struct vks_gpu *gpu,
                                      const struct vks_ladder_kernel *kernel,
                                      const struct vks_ladder_size *size);

/* Declares its buffers, the passes that fill them, and the rung. `spoiled`: with wrong operands. */
void vks_rung_declare(const struct vks_gpu *gpu, const struct vks_ladder_kernel *kernel,
                      const struct vks_rung *rung, const struct vks_ladder_size *size, bool spoiled,
                      struct vks_declaration *declaration);

/* Runs the rung twice, compares every element with the reference, then times it: seconds per
 * dispatch, with the barrier before it. A wrong result: VKS_ERROR_STOPPED, and nothing is timed.
 * A device without timestamps or the rung's feature: VKS_ERROR_DEVICE. effort->repeats 0: only
 * verifies. */
enum vks_result vks_rung_measure(struct vks_gpu *gpu, const struct vks_ladder_kernel *kernel,
                                 const struct vks_rung *rung, const struct vks_ladder_size *size,
                                 const struct vks_effort *effort, struct vks_spread *seconds);

#endif
