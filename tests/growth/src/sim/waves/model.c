/* SPDX-License-Identifier: MIT */
/* Waves on a pool whose edges meet: the wave equation by explicit steps. */
#include <stddef.h>
#include <vksim/model.h>

#include "base/memory.h"
#include "waves/params.h"

_Static_assert(sizeof(struct waves_start) <= VKS_MAX_CONSTANTS, "fits the push constants");
_Static_assert(sizeof(struct waves_params) <= VKS_MAX_CONSTANTS, "fits the push constants");

struct settings {
    uint64_t drops, drop_size;
    double speed, damping, ground;
};

static const char *const starts[] = {"drops", "middle", NULL};
static const char *const failures[] = {"the water has uncovered the ground; choose a larger "
                                       "ground or fewer drops",
                                       NULL};

/* clang-format off */
#define AT(member) offsetof(struct settings, member)
static const struct vks_option options[] = {
    {.name = "drops", .type = VKS_OPTION_COUNT, .offset = AT(drops), .min = 0, .max = 1000,
     .default_text = "12", .unit = "", .help = "drops that fall before the first step",
     .change = VKS_CHANGE_START},
    {.name = "drop-size", .type = VKS_OPTION_COUNT, .offset = AT(drop_size), .min = 1,
     .max = 1000, .default_text = "24", .unit = "cells", .help = "radius of a drop",
     .change = VKS_CHANGE_START},
    {.name = "speed", .type = VKS_OPTION_REAL, .offset = AT(speed), .min = 0, .max = 0.57,
     .default_text = "0.5", .unit = "cells",
     .help = "distance a wave moves in a step"},
    {.name = "damping", .type = VKS_OPTION_REAL, .offset = AT(damping), .min = 0, .max = 1,
     .default_text = "0.0005", .unit = "",
     .help = "share of its velocity that the water loses in a step"},
    {.name = "ground", .type = VKS_OPTION_REAL, .offset = AT(ground), .min = 0, .max = 1000,
     .default_text = "100", .unit = "", .help = "depth of the ground; uncovering it ends the run"},
};
#undef AT
/* clang-format on */

static const struct vks_preset presets[] = {
    {"default", "rain on a pool", "gamma=1 colormap=abyss steps-per-frame=2"},
    {"ring", "one drop in the middle, no damping",
     "init=middle damping=0 drop-size=60 gamma=1 colormap=iris steps-per-frame=2"},
    {NULL, NULL, NULL},
};

static void declare(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct settings *s = config->settings;
    const double cells = (double)config->width * config->height * config->depth;
    const struct waves_start start = {
        .width = config->width,
        .height = config->height,
        .depth = config->depth,
        .seed = config->seed,
        .drops = config->start == WAVES_MIDDLE ? 1 : (uint32_t)s->drops,
        .radius = (uint32_t)s->drop_size,
        .inverse_area = vks_flush((float)(1 / ((double)s->drop_size * (double)s->drop_size))),
    };
    const struct waves_params params = {
        .width = config->width,
        .height = config->height,
        .depth = config->depth,
        .pull = vks_flush((float)(s->speed * s->speed)),
        .keep = vks_flush((float)(1 - s->damping)),
        .bottom = vks_flush((float)-s->ground),
    };
    VKS_FIELD(declaration, .name = "surface", .help = "height of the water", .element = VKS_F32,
              .persistent = true, .ping_pong = true);
    VKS_FIELD(declaration, .name = "velocity", .help = "its change in a step", .element = VKS_F32,
              .persistent = true);
    VKS_PASS(declaration, .name = "start", .shader = "waves/start", .when = VKS_AT_START,
             .uses = VKS_USES({"surface", VKS_WRITE}),
             .specializations = VKS_SPECIALIZATIONS({"start", config->start}), VKS_PUSH(start),
             .bytes = 4 * cells);
    VKS_PASS(declaration, .name = "step", .shader = "waves/step",
             .uses = VKS_USES({"surface", VKS_READ}, {"velocity", VKS_READ_WRITE},
                              {"surface", VKS_WRITE_NEXT}),
             VKS_PUSH(params), .bytes = 16 * cells, .operations = 9 * cells);
    VKS_FIELD(declaration, .name = "dry", .element = VKS_U32, .rank = 1, .shape = {1},
              .watched = VKS_SCALARS({"dry", .failures = failures}));
    VKS_PASS(declaration, .name = "check", .shader = "waves/check", .every = 16,
             .uses = VKS_USES({"surface", VKS_READ}, {"dry", VKS_ATOMIC}), VKS_PUSH(params),
             .bytes = 4 * cells);
}

static void declare_frame(const struct vks_config *config, struct vks_declaration *declaration)
{
    if (config->watch) {
        vks_declare_range(declaration, "surface", "heights", VKS_EACH_FRAME);
        vks_declare_watch(declaration, "heights", VKS_SCALARS({"lowest"}, {"highest"}));
    }
}

const struct vks_model vks_model_waves = {
    .name = "waves",
    .summary = "waves on a pool whose edges meet",
    .options = {options, VKS_COUNT(options)},
    .settings_size = sizeof(struct settings),
    .presets = presets,
    .starts = starts,
    .views = VKS_VIEWS({"surface", "surface", .help = "height of the water"}),
    .brushes = VKS_BRUSHES({"drop", "raises the water", "lowers the water",
                            .effects = {{"surface", VKS_ADD(1), VKS_ADD(-1), -100, 100}}}),
    .declare = declare,
    .declare_frame = declare_frame,
};
