/* SPDX-License-Identifier: MIT */
#ifndef VKS_BASE_CLOCK_H
#define VKS_BASE_CLOCK_H

/* Seconds of a monotonic clock with an arbitrary origin. Async-signal-safe. */
double vks_seconds(void);

#endif
