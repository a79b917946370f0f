/* SPDX-License-Identifier: MIT */
/* The clock rate of a device while it is measured. While the host computes or compiles, an idle
 * device lowers it, within seconds to a sixth on an NVIDIA H200, and takes 0.2 to 0.4 s of work to
 * raise it again; work in short bursts between pauses may never raise it. The rate is seen by a
 * gauge: a single workgroup with a chain of dependent operations, whose time in nanoseconds is
 * inversely proportional to it. */
#ifndef VKS_GRAPH_SETTLE_H
#define VKS_GRAPH_SETTLE_H

#include "graph/graph.h"

/* Settles and measures at most so often when the clock falls in between. */
enum { VKS_SETTLED_TRIES = 3 };

/* Runs steps of the graph, `period` of them or a multiple at a time, until the gauge shows the
 * highest clock rate that this process has seen, or none higher for 0.8 s (which is then the
 * highest); at most 3 s. Does nothing on a processor or without timestamps. */
enum vks_result vks_graph_settle(struct vks_graph *graph, uint64_t period);

/* Sets *slower if the clock rate is lower than after vks_graph_settle(): what was measured since
 * then must be measured again. */
enum vks_result vks_graph_is_slower(const struct vks_graph *graph, bool *slower);

/* Runs steps. *seconds is of one, by the GPU's clock or, without one, the host's. */
enum vks_result vks_graph_time(struct vks_graph *graph, uint64_t steps, double *seconds);

/* As many steps as a sample needs, a multiple of the period, if one takes `step` seconds. */
uint64_t vks_sample_steps(uint64_t period, double step);

#endif
