/* SPDX-License-Identifier: MIT */
/* How long a step of a simulation takes, start-up apart. */
#ifndef VKS_RUNS_PACE_H
#define VKS_RUNS_PACE_H

#include "api/settings.h"
#include "api/simulation.h"
#include "bench/spread.h"

struct vks_pace {
    struct vks_spread gpu; /* seconds of the GPU per step, of each repeat */
    struct vks_spread
        host;          /* seconds of the host's clock per step, from submission to completion */
    uint64_t steps;    /* per repeat */
    double startup;    /* seconds to create the simulation: memory, pipelines, initial state */
    double bytes;      /* minimum per step, as the passes declare; 0: unknown */
    double operations; /* likewise */
};

/* Measures `repeats` runs of `steps` steps (0: as many as take about 50 ms) after a warm-up, of one
 * simulation with these settings, which are finished; the pictures are never drawn. Fails with
 * VKS_HINT_SIZE if it does not fit the device, VKS_ERROR_STOPPED if a status word has ended it, and
 * VKS_INTERRUPTED after vks_interrupt(). The device has timestamps. */
enum vks_result vks_pace_measure(vks_context *context, const struct vks_settings *settings,
                                 uint32_t repeats, uint64_t steps, struct vks_pace *pace);

#endif
