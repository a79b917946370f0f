/* SPDX-License-Identifier: MIT */
#include "frames/rate.h"

#include <math.h>

struct vks_rate vks_rate_from(double rate)
{
    enum { MAX_SECONDS = 1001 };
    /* The smallest denominator whose fraction is as close as a double can tell; else the closest.
     */
    struct vks_rate best = {(uint32_t)llround(rate), 1};
    double error = fabs(rate - vks_rate_real(best));
    for (uint32_t seconds = 2; seconds <= MAX_SECONDS && error > 1e-12 * rate; seconds++) {
        const struct vks_rate next = {(uint32_t)llround(rate * seconds), seconds};
        const double next_error = fabs(rate - vks_rate_real(next));
        if (next_error < error) {
            best = next;
            error = next_error;
        }
    }
    return best;
}
