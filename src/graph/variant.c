/* SPDX-License-Identifier: MIT */
#include "graph/variant.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

struct vks_variant vks_variant_of(const struct vks_variant_row *row, uint32_t number)
{
    struct vks_variant variant;
    const size_t before = strcspn(row->name, "#");
    const bool is_family = row->name[before] == '#';
    memcpy(variant.numbers, row->numbers, sizeof(variant.numbers));
    snprintf(variant.name, sizeof(variant.name), "%s", row->name);
    if (is_family) {
        snprintf(variant.name, sizeof(variant.name), "%.*s%u%s", (int)before, row->name, number,
                 row->name + before + 1);
        variant.numbers[0] = number;
    }
    return variant;
}

const char *vks_variant_help(const struct vks_variant_row *row, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s", row->help ? row->help : "");
    if (row->help && row->max > 0) {
        snprintf(buffer, size, "%s; # %u to %u", row->help, row->min, row->max);
    }
    return buffer;
}

bool vks_variant_find(const struct vks_variant_row *rows, const char *name,
                      struct vks_variant *variant)
{
    for (const struct vks_variant_row *row = rows; row && row->name; row++) {
        for (uint32_t number = row->min; number <= row->max; number++) {
            *variant = vks_variant_of(row, number);
            if (strcmp(variant->name, name) == 0) {
                return true;
            }
        }
    }
    return false;
}

void vks_candidate_add(struct vks_candidates *candidates, const struct vks_variant *variant)
{
    for (size_t i = 0; i < candidates->count; i++) {
        if (strcmp(candidates->variants[i].name, variant->name) == 0) {
            return;
        }
    }
    if (candidates->count < VKS_COUNT(candidates->variants)) {
        candidates->variants[candidates->count++] = *variant;
    }
}
