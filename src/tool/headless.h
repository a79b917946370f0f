/* SPDX-License-Identifier: MIT */
/* A run without a window: its frames go to files. */
#ifndef VKS_TOOL_HEADLESS_H
#define VKS_TOOL_HEADLESS_H

#include "tool/cli.h"
#include "runs/watcher.h"

/* What a run writes, by the command line; heap strings or NULL. */
struct vks_output_names {
    char *out;    /* --out or its default; also "none" and "-" */
    char *sheet;  /* --collage's, which may be `out` itself */
    char *poster; /* --poster's */
};

/* VKS_ERROR_USAGE where --collage or --poster do not go with --out. Free either way. */
enum vks_result vks_output_names(const struct vks_cli *cli, struct vks_output_names *names);
void vks_output_names_free(struct vks_output_names *names);

/* Finishes the file of --watch, which is kept even if the run failed, and says where it is. Returns
 * `result`, the run's, or its own failure after VKS_OK. NULL is fine. */
enum vks_result vks_end_watch(const struct vks_cli *cli, struct vks_watcher *watcher,
                              enum vks_result result);

/* Runs what the command line says, and tells what it asks for. VKS_INTERRUPTED after Ctrl-C, when
 * all that was whole has been written. */
enum vks_result vks_headless(const struct vks_cli *cli, vks_context *context);

#endif
