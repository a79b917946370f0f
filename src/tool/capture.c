/* SPDX-License-Identifier: MIT */
#include "tool/capture.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/log.h"
#include "gpu/renderdoc.h"
#include "tool/steps.h"

enum vks_result vks_capture_check(const struct vks_cli *cli)
{
    struct vks_steps steps;
    if (!cli->capture) {
        return VKS_OK;
    }
    const enum vks_result result = vks_steps_parse(cli, "--capture", cli->capture, false, &steps);
    return result == VKS_OK ? vks_renderdoc_check(NULL) : result;
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
    struct vks_steps steps;
    if (cli->capture && vks_steps_parse(cli, "--capture", cli->capture, false, &steps) == VKS_OK) {
        section.first = steps.first;
        section.end = steps.end;
    }
    *capture = (struct vks_capture){
        .gpu = gpu,
        .first = section.first,
    };
    return section;
}
