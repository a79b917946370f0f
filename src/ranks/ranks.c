/* SPDX-License-Identifier: MIT */
#include "ranks/ranks.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "ranks/local.h"

enum vks_result vks_ranks_join(const char *text, double patience, struct vks_transport *transport)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
    char name[41];
    unsigned index, count;
    int end = 0;
    if (sscanf(text, "local:%40[^:]:%5u/%5u%n", name, &index, &count, &end) != 3 || text[end] ||
        name[strspn(name, letters)]) {
        return vks_fail(VKS_ERROR_USAGE,
                        "'%s' names no ranks; they are local:NAME:INDEX/COUNT, with a name of "
                        "letters, digits and '-'",
                        text);
    }
    return vks_local_join(name, index, count, patience, transport);
}
