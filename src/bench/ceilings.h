/* SPDX-License-Identifier: MIT */
/* Ceilings of a device: measured limits that passes are compared with (docs/timing.md). They are
 * kept on disk by device and driver. */
#ifndef VKS_BENCH_CEILINGS_H
#define VKS_BENCH_CEILINGS_H

#include <jansson.h>

#include "bench/spread.h"
#include "gpu/device.h"

/* What plots show together. */
enum vks_ceiling_group {
    VKS_CEILING_BANDWIDTH,
    VKS_CEILING_ARITHMETIC,
    VKS_CEILING_ACCESSES, /* single words: atomic, random */
    VKS_CEILING_LATENCY,
    VKS_CEILING_GROUPS,
};

/* What is measured. */
struct vks_ceiling_info {
    const char *name;   /* stable: "copy" */
    const char *unit;   /* of its values: "B/s", "FLOP/s", "op/s" or "s" */
    const char *help;   /* one line */
    const char *symbol; /* unit of text output: "GB/s" */
    double scale;       /* values times this are in that unit */
    enum vks_ceiling_group group;
    bool sizes; /* also measured over sizes of the buffer */
};

/* The ceilings in order; NULL past the last. */
const struct vks_ceiling_info *vks_ceiling_info(size_t index);

/* The value at one size of the buffer. */
struct vks_ceiling_point {
    uint64_t bytes; /* of the buffer, or of each of two */
    struct vks_spread value;
};

struct vks_ceiling {
    const struct vks_ceiling_info *info;
    const char *missing;              /* what the device or the build lacks; NULL: measured */
    struct vks_spread value;          /* at the largest size */
    uint64_t bytes;                   /* of the buffer; 0: does not matter */
    struct vks_ceiling_point *points; /* by size, the last is `value`; NULL: only that */
    size_t point_count;
    bool kept; /* read from the disk, not measured now */
};

struct vks_ceilings {
    struct vks_ceiling *items; /* in the order of vks_ceiling_info() */
    size_t count;
};

struct vks_ceilings_request {
    const char *const *names; /* NULL-terminated; NULL: all */
    bool complete;            /* with more repeats, and over sizes */
    bool fresh;               /* measures even what is kept */
    bool transient;           /* keeps nothing */
    bool (*stop)(void);       /* asked between measurements; NULL: never stops */
    /* Called before each measurement: "copy, 64.0 KiB"; may be NULL. */
    void (*progress)(void *user, const char *what);
    void *user;
    bool spoiled; /* tests only: kernels get wrong operands, which the self-checks must report */
};

/* Ceilings for reports: enough to say what bounds a pass. Measured in under a second on a GPU. */
extern const char *const vks_report_ceilings[];

/* Kept ceilings of the device, and measured ones where there are none; keeps those. A name that
 * does not exist: VKS_ERROR_USAGE with a list. A device without timestamps: VKS_ERROR_DEVICE, and
 * nothing is measured. A wrong result of a kernel: VKS_ERROR_GPU. VKS_INTERRUPTED after `stop`,
 * with what is known by then. Free *set either way. */
enum vks_result vks_ceilings_get(struct vks_gpu *gpu, const struct vks_ceilings_request *request,
                                 struct vks_ceilings *set);
void vks_ceilings_free(struct vks_ceilings *set); /* a zeroed structure is fine */

/* The measured ceiling of that name, or NULL. */
const struct vks_ceiling *vks_ceilings_find(const struct vks_ceilings *set, const char *name);

/* An object with its name, unit, spread, buffer and points; NULL when memory ran out. */
json_t *vks_ceiling_json(const struct vks_ceiling *ceiling);

/* The median of the ceiling `copy`, in bytes per second; 0 without timestamps. */
enum vks_result vks_copy_bandwidth(struct vks_gpu *gpu, double *bandwidth);

#endif
