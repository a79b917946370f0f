/* SPDX-License-Identifier: MIT */
#include "tool/device_list.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

size_t vks_device_count(const char *list)
{
    size_t count = list ? 1 : 0;
    for (const char *at = list; at && *at; at++) {
        count += *at == ',';
    }
    return count;
}

char *vks_nth_device(const char *list, size_t index)
{
    for (; index > 0; index--) {
        list += strcspn(list, ",") + 1;
    }
    return vks_format("%.*s", (int)strcspn(list, ","), list);
}

enum vks_result vks_device_list_check(const struct vks_call *call, const char *list)
{
    if (list && call->shared.device) {
        return vks_fail(VKS_ERROR_USAGE, "--device and --devices exclude each other");
    }
    if (list && (list[0] == '\0' || list[0] == ',' || strstr(list, ",,") ||
                 list[strlen(list) - 1] == ',')) {
        return vks_fail_option(VKS_ERROR_USAGE, "devices",
                               "'%s' has an empty name; it is a list such as 0,1", list);
    }
    return VKS_OK;
}
