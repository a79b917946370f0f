/* SPDX-License-Identifier: MIT */
/* A run as a trace in the Trace Event format, which Perfetto and chrome://tracing read: threads
 * with what they did and waited for, the GPU's queue with batches and passes, arrows from
 * submissions to the GPU and from copies of frames to their consumers, and counters. docs/timing.md
 * shows one. */
#ifndef VKS_REPORT_TRACE_H
#define VKS_REPORT_TRACE_H

#include <stdio.h>

#include "report/report.h"

/* Writes what the report's profile recorded; all other threads have ended. The profile has the
 * clocks of both sides unless the device has no timestamps; then the trace has no GPU
 * tracks. VKS_ERROR_GPU when memory ran out; the caller checks `out` for write errors. */
enum vks_result vks_trace_write(FILE *out, const struct vks_report *report);

#endif
