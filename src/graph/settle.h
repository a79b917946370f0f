/* SPDX-License-Identifier: MIT */
/* The clock rate of a device during measurements. While the host computes or compiles, an idle
 * device lowers it, within seconds to a sixth on an NVIDIA H200, and takes 0.2 to 0.4 s of work to
 * raise it again; short bursts of work between pauses may never raise it. A gauge shows the rate:
 * a single workgroup with a chain of dependent operations, whose time is inversely proportional to
 * it. */
#ifndef VKS_GRAPH_SETTLE_H
#define VKS_GRAPH_SETTLE_H

#include "graph/graph.h"

/* Attempts to settle and measure when the clock rate drops during a measurement. */
enum { VKS_SETTLED_TRIES = 3 };

/* Runs steps of the graph, a multiple of `period` at a time, until the gauge shows the highest
 * clock rate that this process has seen, or the rate has not risen for 0.8 s (it then becomes the
 * highest); at most 3 s. Does nothing on a CPU or without timestamps. */
enum vks_result vks_graph_settle(struct vks_graph *graph, uint64_t period);

/* Sets *slower if the clock rate is lower than after vks_graph_settle(): everything measured since
 * then must be measured again. */
enum vks_result vks_graph_is_slower(const struct vks_graph *graph, bool *slower);

/* Runs steps. *seconds is the time per step, by the GPU's clock or else the host's. */
enum vks_result vks_graph_time(struct vks_graph *graph, uint64_t steps, double *seconds);

/* Steps per sample, a multiple of the period, if a step takes `step` seconds. */
uint64_t vks_sample_steps(uint64_t period, double step);

#endif
