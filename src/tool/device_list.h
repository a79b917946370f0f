/* SPDX-License-Identifier: MIT */
/* The list of --devices: names of devices, as for --device, for processes that take them in turn.
 */
#ifndef VKS_TOOL_DEVICE_LIST_H
#define VKS_TOOL_DEVICE_LIST_H

#include "tool/command.h"

/* The number of names; 0: `list` is NULL. */
size_t vks_device_count(const char *list);
/* A name, as a heap string; NULL without memory. */
char *vks_nth_device(const char *list, size_t index);
/* VKS_ERROR_USAGE for an empty name, and together with --device. */
enum vks_result vks_device_list_check(const struct vks_call *call, const char *list);

#endif
