/* SPDX-License-Identifier: MIT */
#include "tool/steps.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/number.h"

static const double max_steps = 1e15; /* of --steps */

static bool is_count(double value)
{
    return value >= 0 && value <= max_steps && value == (double)(uint64_t)value;
}

enum vks_result vks_steps_parse(const struct vks_cli *cli, const char *option, const char *text,
                                bool open, struct vks_steps *steps)
{
    double first, end;
    const char *rest = vks_parse_span(text, &first, &end);
    if (!rest || *rest != '\0' || !is_count(first) || !is_count(end)) {
        return vks_fail(VKS_ERROR_USAGE, "%s '%s' is not A:B, two step numbers such as 100:104",
                        option, text);
    }
    *steps = (struct vks_steps){(uint64_t)first, (uint64_t)end};
    if (first >= end) {
        return vks_fail(VKS_ERROR_USAGE,
                        "%s '%s' has no steps: its first number must be less than its second",
                        option, text);
    }
    if (vks_cli_ends(cli) && (open ? steps->first >= cli->steps : steps->end > cli->steps)) {
        return vks_fail(VKS_ERROR_USAGE, "%s '%s' is outside the run, which has %" PRIu64 " step%s",
                        option, text, cli->steps, cli->steps == 1 ? "" : "s");
    }
    return VKS_OK;
}
