/* SPDX-License-Identifier: MIT */
#include "sim/sort_option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { MAX_EVERY = 1000 };

enum vks_result vks_sort_parse(const char *text, struct vks_sort_interval *interval)
{
    char *end = NULL;
    *interval =
        (struct vks_sort_interval){.automatic = !text || !text[0] || strcmp(text, "auto") == 0};
    if (interval->automatic) {
        return VKS_OK;
    }
    interval->steps = (uint32_t)strtoul(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && strlen(text) <= 4 &&
                   interval->steps <= MAX_EVERY
               ? VKS_OK
               : vks_fail_option(VKS_ERROR_USAGE, "sort",
                                 "'%s' is neither auto nor a number of steps from 0 (never) to %d",
                                 text, MAX_EVERY);
}

uint32_t vks_sort_every(const struct vks_sort_interval *interval, const char *variant)
{
    uint32_t every = interval->steps;
    if (interval->automatic && variant) {
        (void)sscanf(variant, "sort-%u", &every);
    }
    return every;
}

void vks_sort_list(const struct vks_sort_interval *interval, const char *const *names,
                   struct vks_variants *variants)
{
    variants->count = 0;
    for (size_t i = 0; interval->automatic && names[i]; i++) {
        snprintf(variants->names[variants->count++], sizeof(variants->names[0]), "%s", names[i]);
    }
}
