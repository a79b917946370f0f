/* SPDX-License-Identifier: MIT */
#include "tool/capture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/number.h"
#include "gpu/renderdoc.h"

static const double max_steps = 1e15; /* of --steps */

static bool is_count(double value)
{
    return value >= 0 && value <= max_steps && value == (double)(uint64_t)value;
}

static bool parse(const char *text, uint64_t *first, uint64_t *end)
{
    double low, high;
    const char *rest = vks_parse_span(text, &low, &high);
    if (!rest || *rest != '\0' || !is_count(low) || !is_count(high)) {
        return false;
    }
    *first = (uint64_t)low;
    *end = (uint64_t)high;
    return true;
}

enum vks_result vks_capture_check(const struct vks_cli *cli)
{
    uint64_t first, end;
    if (!cli->capture) {
        return VKS_OK;
    }
    if (!parse(cli->capture, &first, &end)) {
        return vks_fail(VKS_ERROR_USAGE,
                        "--capture '%s' is not A:B, two numbers of steps such as 100:104",
                        cli->capture);
    }
    if (first >= end) {
        return vks_fail(VKS_ERROR_USAGE,
                        "--capture '%s' has no steps: its first number must be less than its "
                        "second",
                        cli->capture);
    }
    const bool ends = cli->headless || vks_cli_given(cli, "frames") || vks_cli_given(cli, "steps");
    if (ends && end > cli->steps) {
        return vks_fail(VKS_ERROR_USAGE,
                        "--capture '%s' is outside the run, which has %" PRIu64 " steps",
                        cli->capture, cli->steps);
    }
    return VKS_OK;
}

enum vks_result vks_capture_ready(const struct vks_cli *cli, const struct vks_gpu *gpu)
{
    return cli->capture ? vks_renderdoc_check(gpu) : VKS_OK;
}

static enum vks_result enter(void *user)
{
    const struct vks_capture *capture = user;
    return vks_renderdoc_start(capture->gpu);
}

static enum vks_result leave(void *user, uint64_t end)
{
    const struct vks_capture *capture = user;
    char *path = NULL;
    enum vks_result result = vks_renderdoc_end(capture->gpu, &path);
    if (result == VKS_OK) {
        fputs(capture->progress_line ? "\n" : "", stderr);
        vks_message(VKS_LOG_INFO, "wrote %s (RenderDoc capture of steps %" PRIu64 ":%" PRIu64 ")",
                    path, capture->first, end);
    }
    free(path);
    return result;
}

struct vks_section vks_capture_section(const struct vks_cli *cli, const struct vks_gpu *gpu,
                                       struct vks_capture *capture)
{
    struct vks_section section = {.user = capture, .enter = enter, .leave = leave};
    if (cli->capture) {
        (void)parse(cli->capture, &section.first, &section.end);
    }
    *capture = (struct vks_capture){
        .gpu = gpu,
        .first = section.first,
        .progress_line = cli->headless && !cli->call->shared.quiet && isatty(STDERR_FILENO) != 0,
    };
    return section;
}
