/* SPDX-License-Identifier: MIT */
/* The files that a run writes, as the command line names them. */
#ifndef VKS_TOOL_WRITTEN_H
#define VKS_TOOL_WRITTEN_H

#include "tool/outputs.h"

enum { VKS_MAX_WRITTEN = VKS_RING_SINKS + 12 };

struct vks_written {
    const char *option, *what; /* "--out"; "frames" */
    const struct vks_option *row;
    const char *path;
    bool is_file;    /* false for "-" and "none" */
    bool is_checked; /* the sink of frames checks the path itself */
    const char *own; /* the input that may have the same name; NULL: none */
    bool replaces;   /* it may replace that input without --overwrite */
};

/* Lists the files and returns their number. `outputs` have their names; none are fine. */
size_t vks_written_list(const struct vks_cli *cli, const struct vks_outputs *outputs,
                        struct vks_written files[VKS_MAX_WRITTEN]);
/* Before the run: no two files are the same, none is an input, and all can be written. */
enum vks_result vks_written_check(const struct vks_cli *cli, const struct vks_outputs *outputs);

#endif
