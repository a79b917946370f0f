/* SPDX-License-Identifier: MIT */
/* Frame rates as fractions, as containers store them. */
#ifndef VKS_FRAMES_RATE_H
#define VKS_FRAMES_RATE_H

#include <stdint.h>

/* `frames` frames in `seconds` seconds: 30000 in 1001 is NTSC's. */
struct vks_rate {
    uint32_t frames, seconds;
};

/* The fraction nearest to `rate` frames per second, from 1 to 1000, with at most 1001 seconds. */
struct vks_rate vks_rate_from(double rate);

static inline double vks_rate_real(struct vks_rate rate)
{
    return (double)rate.frames / rate.seconds;
}

#endif
