/* SPDX-License-Identifier: MIT */
/* How close a pass comes to each ceiling of the device, and which of them bounds it. docs/timing.md
 * explains the rule. */
#ifndef VKS_REPORT_BOUND_H
#define VKS_REPORT_BOUND_H

#include <stdbool.h>
#include <stddef.h>

#include <vksim/vksim.h>

/* A measured limit of the device. */
struct vks_report_ceiling {
    const char *name; /* as in bench/ceilings.h */
    const char *unit; /* "B/s", "op/s", or "s" for the time of an operation */
    double value;
};

/* The limits that a pass is compared with. */
enum vks_limit {
    VKS_LIMIT_BANDWIDTH,  /* bytes per second against the ceiling copy */
    VKS_LIMIT_ARITHMETIC, /* operations per second against float32-add: exact shaders do not fuse */
    VKS_LIMIT_ATOMICS,    /* atomic operations per second against atomic-spread */
    VKS_LIMIT_LATENCY,    /* time of a dispatch with its barrier, dispatch-barrier, per call */
    VKS_LIMITS,
    VKS_LIMIT_NONE = VKS_LIMITS,
    VKS_LIMIT_CACHE, /* memory could not move its bytes as fast: see vks_pass_is_cached() */
};

/* The value of the ceiling of that name; 0: unknown. */
double vks_find_ceiling(const struct vks_report_ceiling *ceilings, size_t count, const char *name);

/* "bandwidth", and the name of its ceiling, which VKS_LIMIT_CACHE lacks. */
const char *vks_limit_name(enum vks_limit limit);
const char *vks_limit_ceiling(enum vks_limit limit);

/* Share of each ceiling that the pass reaches, by its median call; 0 where the pass declares none
 * of it, was not timed, or the ceiling is unknown. Bytes that stay in a cache may exceed 1. */
void vks_pass_shares(const struct vks_pass_timing *pass, const struct vks_report_ceiling *ceilings,
                     size_t ceiling_count, double shares[VKS_LIMITS]);

/* True if the pass moves its bytes faster than both `copy` and `read`: a cache serves them. */
bool vks_pass_is_cached(const struct vks_pass_timing *pass,
                        const struct vks_report_ceiling *ceilings, size_t ceiling_count);

/* The limit with the largest share, if that is at least half of its ceiling: then no other part of
 * the pass can take as long. The bandwidth of memory does not bound a pass that is cached: without
 * another limit, it is VKS_LIMIT_CACHE. Otherwise VKS_LIMIT_NONE: the figures do not tell. */
enum vks_limit vks_pass_bound(const double shares[VKS_LIMITS], bool cached);

#endif
