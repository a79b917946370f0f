/* SPDX-License-Identifier: MIT */
#include "sim/sort_option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { MAX_EVERY = 1000 };

static bool parse(const char *text, uint32_t *every, bool *automatic)
{
    char *end = NULL;
    *automatic = !text || !text[0] || strcmp(text, "auto") == 0;
    *every = *automatic ? 0 : (uint32_t)strtoul(text, &end, 10);
    return *automatic || (text[0] >= '0' && text[0] <= '9' && *end == '\0' && strlen(text) <= 4 &&
                          *every <= MAX_EVERY);
}

uint32_t vks_sort_every(const char *text, const char *variant)
{
    uint32_t every = 0;
    bool automatic;
    if (parse(text, &every, &automatic) && automatic && variant) {
        (void)sscanf(variant, "sort-%u", &every);
    }
    return every;
}

enum vks_result vks_sort_check(const char *text)
{
    uint32_t every;
    bool automatic;
    return parse(text, &every, &automatic)
               ? VKS_OK
               : vks_fail_hint(
                     VKS_ERROR_USAGE, VKS_HINT_OPTION,
                     "sort '%s' is neither auto nor a number of steps from 0 (never) to %d", text,
                     MAX_EVERY);
}

void vks_sort_list(const char *text, const char *const *names, struct vks_variants *variants)
{
    uint32_t every;
    bool automatic;
    variants->count = 0;
    if (!parse(text, &every, &automatic) || !automatic) {
        return;
    }
    for (size_t i = 0; names[i]; i++) {
        snprintf(variants->names[variants->count++], sizeof(variants->names[0]), "%s", names[i]);
    }
}
