/* SPDX-License-Identifier: MIT */
/* The names of a run's outputs. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "frames/collage.h"
#include "frames/format.h"
#include "tool/headless.h"

/* NAME.png for NAME.mp4. */
static enum vks_result name_poster(const struct vks_cli *cli, const char *out, char **poster)
{
    const char *slash = strrchr(out, '/');
    const char *dot = strrchr(slash ? slash + 1 : out, '.');
    if (!cli->headless || !dot || !vks_format_has(out, VKS_FORMAT_MOVES)) {
        return vks_fail(
            VKS_ERROR_USAGE,
            "--poster is only for a video in a file (NAME.png next to NAME.mp4), not for %s",
            cli->headless ? out : "a window");
    }
    *poster = vks_format("%.*s.png", (int)(dot - out), out);
    return *poster ? VKS_OK : vks_fail_memory();
}

enum vks_result vks_output_names(const struct vks_cli *cli, struct vks_output_names *names)
{
    *names = (struct vks_output_names){
        .out = cli->out ? vks_strdup(cli->out) : vks_format("%s.mp4", cli->settings.model->name),
    };
    enum vks_result result = names->out ? VKS_OK : vks_fail_memory();
    if (result == VKS_OK && cli->poster) {
        result = name_poster(cli, names->out, &names->poster);
    }
    if (result == VKS_OK && cli->collage.width) {
        result = vks_collage_path(names->out, &names->sheet);
    }
    return result;
}

void vks_output_names_free(struct vks_output_names *names)
{
    free(names->out);
    free(names->sheet);
    free(names->poster);
    *names = (struct vks_output_names){0};
}
