/* SPDX-License-Identifier: MIT */
/* Room on disks for what a run writes. */
#ifndef VKS_TOOL_ROOM_H
#define VKS_TOOL_ROOM_H

#include "tool/outputs.h"

/* Before the run, with its outputs open: warns, once for each file system, if the files whose sizes
 * are known do not fit. */
void vks_room_warn(const struct vks_cli *cli, const struct vks_outputs *outputs);

#endif
