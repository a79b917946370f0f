/* SPDX-License-Identifier: MIT */
/* Where the GPU's time went, for a person or a program. */
#ifndef VKS_REPORT_REPORT_H
#define VKS_REPORT_REPORT_H

#include <stdio.h>

#include <vksim/vksim.h>

/* A scalar of the simulation. */
struct vks_report_value {
    const char *name;
    double value;
};

struct vks_report {
    const char *model;
    uint32_t width, height, depth; /* cells */
    struct vks_device_info device;
    const struct vks_pass_timing *passes;
    size_t pass_count;
    const struct vks_report_value *watched; /* of the latest frame */
    size_t watched_count;
    uint64_t steps, frames;
    double seconds;        /* wall time of the loop */
    double step_seconds;   /* GPU time a step, 0 if unknown */
    double gpu_busy;       /* GPU time of all steps, frames and copies */
    double copy_bandwidth; /* measured, bytes a second read and written; 0 if unknown */
    uint64_t allocated;    /* bytes of device memory at the end of the run, all buffers */
    uint64_t free;         /* bytes of it that are free, if `free_known` */
    bool free_known;       /* false where the driver does not count */
    bool encoded;          /* there were frames: what follows means something */
    double gpu_waits;      /* the GPU had nothing to do until the encoder was done with a frame */
    double encoder_waits;  /* the encoder had no frame */
    double copies;         /* GPU time of bringing frames to the processor, 0 if unknown */
    double encoder_busy;   /* the encoder at work, also while the file was ended */
    double digest_busy;    /* the digest of frames, on its own thread */
    double ending;         /* wall time of ending the file, after the loop */
    double startup;        /* seconds from the process's begin to the loop's */
    double first_frame;    /* ... to the first frame in the encoder, 0 if there was none */
};

void vks_report_table(FILE *out, const struct vks_report *report);
/* One JSON object; VKS_ERROR_GPU when memory ran out. */
enum vks_result vks_report_json(FILE *out, const struct vks_report *report);

#endif
