/* SPDX-License-Identifier: MIT */
#ifndef VKS_TOOL_BENCH_PLOT_H
#define VKS_TOOL_BENCH_PLOT_H

#include "bench/ceilings.h"

/* Draws bandwidths over the size of the buffer, and bars of all values, into an SVG file. */
enum vks_result vks_ceilings_plot(const struct vks_ceilings *set,
                                  const struct vks_device_info *device, const char *path,
                                  bool overwrite);

#endif
