/* SPDX-License-Identifier: MIT */
/* What exchanges between ranks cost: a fixed time, and their bytes by a bandwidth. */
#ifndef VKS_BENCH_EXCHANGE_H
#define VKS_BENCH_EXCHANGE_H

#include "bench/ceilings.h"
#include "ranks/transport.h"

enum { VKS_EXCHANGE_REPEATS = 9 };

/* Measures exchanges of several sizes, together with the other ranks, which call it, too. The set
 * has "exchange-fixed", in seconds, with the times of the sizes as its points, and
 * "exchange-bandwidth", of the bytes that a rank sends. All have the time of the slowest rank. Free
 * *set either way. VKS_INTERRUPTED: all ranks have agreed to stop. */
enum vks_result vks_exchange_measure(struct vks_gpu *gpu, struct vks_transport *transport,
                                     struct vks_ceilings *set);
/* Fits time = fixed + bytes / bandwidth by least squares of logarithms: both are positive for all
 * positive times, however they scatter. */
void vks_exchange_fit(const double *bytes, const double *seconds, size_t count, double *fixed,
                      double *bandwidth);

/* What vks_ceilings_write_ranks() has kept of them; false if nothing is. Free *set either way. */
bool vks_exchange_recall(const struct vks_device_info *devices, size_t count,
                         struct vks_ceilings *set);

#endif
