/* SPDX-License-Identifier: MIT */
/* A volume model for tests, not in the registry: fields of every rank and element, of the grid's
 * shape, one per item, and neither. It has no passes. */
#ifndef VKS_TESTS_VOLUME_MODEL_H
#define VKS_TESTS_VOLUME_MODEL_H

#include <vksim/model.h>

#include "base/memory.h"
#include "graph/model.h"

struct volume_settings {
    uint64_t grains;
};

static const struct vks_option volume_options[] = {
    {.name = "grains",
     .type = VKS_OPTION_COUNT,
     .offset = offsetof(struct volume_settings, grains),
     .min = 1,
     .max = 1000,
     .default_text = "5",
     .unit = "",
     .help = "how many there are"},
};

/* Fields for every test. */
enum { VOLUME_TABLE_ROWS = 4, VOLUME_TABLE_COLUMNS = 6, VOLUME_TONES = 7 };

static void volume_declare(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct volume_settings *s = config->settings;
    const uint64_t width = config->width, height = config->height, depth = config->depth;
    const struct vks_field fields[] = {
        {.name = "tones", .element = VKS_F32, .rank = 1, .shape = {VOLUME_TONES}},
        {.name = "table",
         .element = VKS_F32,
         .rank = 2,
         .shape = {VOLUME_TABLE_ROWS, VOLUME_TABLE_COLUMNS}},
        {.name = "floor", .element = VKS_U32, .rank = 2, .shape = {height, width}},
        {.name = "density", .element = VKS_F32}, /* the grid's rank and shape */
        {.name = "heat", .element = VKS_F32},
        {.name = "flow", .element = VKS_U32X2, .rank = 3, .shape = {depth, height, width}},
        {.name = "place", .element = VKS_U32X2, .rank = 1, .shape = {s->grains}, .items = "grains"},
        {.name = "mass", .element = VKS_F32, .rank = 1, .shape = {s->grains}, .items = "grains"},
    };
    vks_declare_items(declaration, "grains", s->grains);
    for (size_t i = 0; i < VKS_COUNT(fields); i++) {
        struct vks_field field = fields[i];
        field.persistent = true;
        vks_declare_field(declaration, &field);
    }
    vks_declare_field(declaration, &(struct vks_field){.name = "shadow",
                                                       .element = VKS_F32,
                                                       .rank = 2,
                                                       .shape = {height, width}});
}

static const struct vks_model volume_model = {
    .name = "volume",
    .summary = "a volume for tests",
    .options = {volume_options, VKS_COUNT(volume_options)},
    .settings_size = sizeof(struct volume_settings),
    .views = VKS_VIEWS({"density", "density", "heat", "density, or heat where it is even"},
                       {"shadow", "shadow", .help = "a plane of its own"}),
    .count_option = "grains",
    .volumes = true,
    .declare = volume_declare,
};

#endif
