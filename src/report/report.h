/* SPDX-License-Identifier: MIT */
/* The GPU time of a run, as a table or as JSON. */
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
    double step_seconds;   /* GPU time per step, 0 if unknown */
    double gpu_busy;       /* GPU time of all steps, frames and copies */
    double copy_bandwidth; /* measured, bytes read and written per second; 0 if unknown */
    uint64_t allocated;    /* bytes of device memory at the end of the run, all buffers */
    uint64_t free;         /* free bytes of device memory, if `free_known` */
    bool free_known;       /* false if the driver does not report it */
    bool encoded;          /* there were frames: the members below are valid */
    double gpu_waits;      /* the GPU was idle, waiting for the encoder */
    double encoder_waits;  /* the encoder waited for a frame */
    double copies;         /* GPU time of copying frames to the host, 0 if unknown */
    double encoder_busy;   /* busy time of the encoder, including completion of the file */
    double digest_busy;    /* busy time of the digest's thread */
    double ending;         /* wall time of completing the file, after the loop */
    double startup;        /* seconds from the start of the process to that of the loop */
    double first_frame;    /* ... to the first frame in the encoder, 0 if there was none */
};

void vks_report_table(FILE *out, const struct vks_report *report);
/* One JSON object; VKS_ERROR_GPU when memory ran out. */
enum vks_result vks_report_json(FILE *out, const struct vks_report *report);

#endif
