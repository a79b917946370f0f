/* SPDX-License-Identifier: MIT */
/* Where the time of a run went: passes on the GPU, phases of its threads, memory. As a table, as
 * JSON, or as CSV. docs/timing.md describes the figures. */
#ifndef VKS_REPORT_REPORT_H
#define VKS_REPORT_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include <vksim/vksim.h>

#include "base/profile.h"
#include "report/bound.h"

/* A scalar of the simulation. */
struct vks_report_value {
    const char *name;
    double value;
};

struct vks_report {
    const char *const *command; /* argv */
    size_t command_count;
    const char *model;
    uint32_t width, height, depth; /* cells */
    struct vks_device_info device;
    uint32_t timestamp_bits; /* valid ones; 0: the device has no timestamps */
    double timestamp_period; /* seconds per tick; 0: no valid timestamps */
    uint64_t timestamp_mask;
    const struct vks_pass_timing *passes;
    size_t pass_count;
    uint64_t dropped; /* samples that could not be read */
    const struct vks_report_ceiling *ceilings;
    size_t ceiling_count;
    const struct vks_report_value *watched; /* of the latest frame */
    size_t watched_count;
    const struct vks_profile *profile; /* phases, batches, slices; NULL: none */
    uint64_t steps, frames;
    double wall;         /* seconds since the process started */
    double seconds;      /* wall time of the loop */
    double step_seconds; /* GPU time per step, 0 if unknown */
    double gpu_steps;    /* GPU time of all steps */
    double gpu_frames;   /* GPU time of all frames, without their copies */
    uint64_t allocated;  /* bytes of device memory at the end of the run, all buffers */
    uint64_t peak;       /* the maximum during the run */
    uint64_t budget;     /* bytes that the process may use, if `budget_known` */
    uint64_t free;       /* free bytes of them */
    bool budget_known;   /* false if the driver does not report it */
    uint32_t pipelines, pipelines_cached; /* made; of them found in the driver's cache */
    bool encoded;                         /* there were frames: the members below are valid */
    double gpu_waits;                     /* the GPU was idle, waiting for the encoder */
    double encoder_waits;                 /* the encoder waited for a frame */
    double copies;                        /* GPU time of copying frames to the host, 0 if unknown */
    double encoder_busy; /* busy time of the encoder, including completion of the file */
    double digest_busy;  /* busy time of the digest's thread */
    double ending;       /* wall time of completing the file, after the loop */
    double startup;      /* seconds from the start of the process to that of the loop */
    double first_frame;  /* ... to the first frame in the encoder, 0 if there was none */
};

/* `part` of `whole`; 0 if there is no whole. */
static inline double vks_share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* GPU time of steps, frames and copies. */
double vks_report_busy(const struct vks_report *report);
/* The duration of the whole run relative to its slower side; 1 is perfect overlap. */
double vks_report_over_slower_side(const struct vks_report *report);

/* GPU time of all passes. */
double vks_report_passes(const struct vks_report *report);

void vks_report_table(FILE *out, const struct vks_report *report);
/* One row per pass, with a header. */
void vks_report_csv(FILE *out, const struct vks_report *report);
/* A string, or "?" if the text (a word of the command line, a file's name) is not UTF-8. */
json_t *vks_report_string(const char *text);
/* A command line as an array of strings. */
json_t *vks_report_command(const char *const *words, size_t count);
/* One object, to be released; NULL when memory ran out. */
json_t *vks_report_json(const struct vks_report *report);

#endif
