/* SPDX-License-Identifier: MIT */
#ifndef VKS_BASE_CLOCK_H
#define VKS_BASE_CLOCK_H

/* Seconds of a clock that never goes back; the origin is arbitrary. */
double vks_seconds(void);

#endif
