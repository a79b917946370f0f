/* SPDX-License-Identifier: MIT */
#include "report/bound.h"

#include <math.h>
#include <string.h>

static const double min_share = 0.5; /* of a ceiling that is said to bound a pass */

static const struct {
    const char *name, *ceiling;
} limits[] = {
    [VKS_LIMIT_BANDWIDTH] = {"bandwidth", "copy"},
    [VKS_LIMIT_ARITHMETIC] = {"arithmetic", "float32-add"},
    [VKS_LIMIT_ATOMICS] = {"atomics", "atomic-spread"},
    [VKS_LIMIT_LATENCY] = {"latency", "dispatch-barrier"},
    [VKS_LIMIT_CACHE] = {"cache", NULL},
};

const char *vks_limit_name(enum vks_limit limit)
{
    return limits[limit].name;
}

const char *vks_limit_ceiling(enum vks_limit limit)
{
    return limits[limit].ceiling;
}

double vks_find_ceiling(const struct vks_report_ceiling *ceilings, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(ceilings[i].name, name) == 0) {
            return ceilings[i].value;
        }
    }
    return 0;
}

void vks_pass_shares(const struct vks_pass_timing *pass, const struct vks_report_ceiling *ceilings,
                     size_t ceiling_count, double shares[VKS_LIMITS])
{
    const double amounts[VKS_LIMITS] = {
        [VKS_LIMIT_BANDWIDTH] = pass->bytes,
        [VKS_LIMIT_ARITHMETIC] = pass->operations,
        [VKS_LIMIT_ATOMICS] = pass->atomics,
    };
    for (size_t i = 0; i < VKS_LIMITS; i++) {
        const double ceiling = vks_find_ceiling(ceilings, ceiling_count, limits[i].ceiling);
        const double min_seconds = i == VKS_LIMIT_LATENCY ? ceiling
                                   : ceiling > 0          ? amounts[i] / ceiling
                                                          : 0; /* seconds that it must take */
        shares[i] = pass->p50 > 0 ? min_seconds / pass->p50 : 0;
    }
}

bool vks_pass_is_cached(const struct vks_pass_timing *pass,
                        const struct vks_report_ceiling *ceilings, size_t ceiling_count)
{
    const double copy = vks_find_ceiling(ceilings, ceiling_count, "copy");
    const double memory = fmax(copy, vks_find_ceiling(ceilings, ceiling_count, "read"));
    return copy > 0 && pass->bytes > memory * pass->p50 && pass->p50 > 0;
}

enum vks_limit vks_pass_bound(const double shares[VKS_LIMITS], bool cached)
{
    enum vks_limit found = cached ? VKS_LIMIT_CACHE : VKS_LIMIT_NONE;
    double most = min_share;
    for (size_t i = cached ? VKS_LIMIT_ARITHMETIC : VKS_LIMIT_BANDWIDTH; i < VKS_LIMITS; i++) {
        if (shares[i] >= most) {
            found = (enum vks_limit)i;
            most = shares[i];
        }
    }
    return found;
}
