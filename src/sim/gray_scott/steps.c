/* SPDX-License-Identifier: MIT */
/* Gray-Scott: one step per dispatch, or several fused. docs/sims/gray-scott.md. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "sim/gray_scott/gray_scott.h"

_Static_assert(sizeof(struct gray_scott_step) <= VKS_MAX_CONSTANTS, "fits the push constants");

enum { MAX_STEPS = 16, BLOCK_LANES = 32, MAX_OWN = 5 };

static const char *const path_names[] = {"plain", "tile", "quad", "block", "march"};

static void name_variant(const struct gray_scott_variant *variant, char name[24])
{
    if (variant->path == PLAIN) {
        snprintf(name, 24, "plain");
    } else {
        snprintf(name, 24, "%s-%u-%ux%u", path_names[variant->path], variant->steps, variant->a,
                 variant->b);
    }
}

static bool parse_variant(const char *name, struct gray_scott_variant *variant)
{
    char path[8];
    int length = 0;
    *variant = (struct gray_scott_variant){.path = PLAIN, .steps = 1};
    if (strcmp(name, "plain") == 0) {
        return true;
    }
    if (sscanf(name, "%7[a-z]-%2u-%4ux%2u%n", path, &variant->steps, &variant->a, &variant->b,
               &length) != 4 ||
        name[length] != '\0') {
        return false;
    }
    for (enum gray_scott_path i = TILE; i <= MARCH; i++) {
        if (strcmp(path, path_names[i]) == 0) {
            variant->path = i;
        }
    }
    return variant->path != PLAIN && variant->steps >= 2 && variant->steps <= MAX_STEPS &&
           variant->a >= 1 && variant->b >= 1;
}

/* The tile of a variant and its valid part. */
struct shape {
    uint32_t lanes;
    uint32_t width, height; /* computed by a workgroup (a strip of MARCH) */
    uint32_t margin_x, margin_y;
    uint32_t group, shared_bytes;
};

static uint32_t up_to_multiple(uint32_t value, uint32_t of)
{
    return (value + of - 1) / of * of;
}

/* The shape for `steps` fused steps; false if it does not fit the device or the field. */
static bool shape_of(const struct vks_config *config, const struct gray_scott_variant *variant,
                     uint32_t steps, struct shape *shape)
{
    const struct vks_limits *limits = &config->limits;
    const uint32_t lanes = variant->path == BLOCK ? BLOCK_LANES : limits->subgroup;
    *shape = (struct shape){.lanes = lanes, .group = lanes * variant->b};
    /* BLOCK does not shuffle, but its shader contains shuffles, so the device must support them. */
    if (limits->subgroup == 0 || shape->group > limits->invocations) {
        return false;
    }
    if (variant->path == MARCH) {
        shape->width = 4 * lanes;
        shape->height = variant->a + 2 * steps;
        shape->margin_x = up_to_multiple(steps, 4);
        shape->margin_y = steps;
        return config->width % 4 == 0 && steps <= 8 && shape->width > 2 * shape->margin_x;
    }
    const uint32_t columns = variant->path == QUAD ? 4 : 2;
    const uint32_t row_bytes = 2 * 4 * columns * lanes; /* of both fields, in shared memory */
    shape->width = columns * lanes;
    shape->height = variant->a * variant->b;
    shape->margin_x = up_to_multiple(steps, columns);
    shape->margin_y = steps;
    const uint32_t rows = variant->path == BLOCK ? variant->a : 4; /* kept in shared memory */
    shape->shared_bytes = row_bytes * rows * variant->b;
    return variant->a <= 32 && shape->width > 2 * shape->margin_x &&
           shape->height > 2 * shape->margin_y && shape->shared_bytes <= limits->shared_bytes &&
           (variant->path != QUAD || config->width % 4 == 0);
}

/* The largest number of steps per dispatch of a run whose variant fuses up to `max`: the scheduler
 * spreads the steps between two frames evenly over as few dispatches as possible
 * (graph/schedule.c). */
static uint32_t steps_per_dispatch(const struct vks_config *config, uint32_t max)
{
    const uint64_t frame = config->steps_per_frame;
    if (frame <= 1) {
        return max;
    }
    const uint64_t dispatches = (frame + max - 1) / max;
    return (uint32_t)((frame + dispatches - 1) / dispatches);
}

/* Shapes in the order in which they are measured: those that were the fastest on some device.
 * Segments of MARCH differ only in push constants and share pipelines. */
static const struct gray_scott_variant candidates[] = {
    {TILE, 8, 8, 8},   {MARCH, 8, 64, 4}, {MARCH, 8, 104, 4}, {MARCH, 8, 256, 4}, {MARCH, 8, 40, 4},
    {QUAD, 12, 4, 11}, {QUAD, 12, 13, 8}, {QUAD, 12, 9, 12},  {QUAD, 10, 5, 8},   {TILE, 12, 4, 19},
    {TILE, 8, 6, 12},  {BLOCK, 4, 8, 4},  {MARCH, 4, 64, 4},  {MARCH, 4, 256, 4}, {TILE, 4, 8, 8},
    {BLOCK, 8, 8, 8},  {BLOCK, 2, 4, 4},  {TILE, 2, 4, 4},
};

enum vks_result vks_gray_scott_parse_fuse(const char *text, struct gray_scott_fuse *fuse)
{
    bool valid = true;
    *fuse = (struct gray_scott_fuse){0};
    if (!vks_gray_scott_is_given(text) || strcmp(text, "auto") == 0) {
        return VKS_OK;
    }
    if (text[0] >= '0' && text[0] <= '9') {
        char *end;
        const unsigned long number = strtoul(text, &end, 10);
        fuse->steps = (uint32_t)number;
        valid = *end == '\0' && number >= 1 && number <= MAX_STEPS;
    } else {
        valid = parse_variant(text, &fuse->named);
    }
    return valid ? VKS_OK
                 : vks_fail_option(
                       VKS_ERROR_USAGE, "fuse",
                       "'%s' is not auto, a number of steps from 1 to %d, or the name of a "
                       "variant as verbose messages print it",
                       text, MAX_STEPS);
}

void vks_gray_scott_variants(const struct vks_config *config, struct vks_variants *variants)
{
    const struct gray_scott_settings *s = config->settings;
    const uint32_t steps = s->fused.steps;
    variants->count = 0;
    if (s->fused.named.steps > 0 || steps == 1) {
        return;
    }
    /* Variants are timed with the steps per dispatch of the run. */
    const uint32_t frame =
        config->steps_per_frame < 2 * MAX_STEPS ? (uint32_t)config->steps_per_frame : 0;
    snprintf(variants->key, sizeof(variants->key), "gray-scott %ux%u %s %s %s%s%s by %u fuse %u",
             config->width, config->height, vks_gray_scott_precisions[s->precision],
             vks_gray_scott_stencils[s->stencil], vks_gray_scott_boundaries[s->boundary],
             s->rates.varied ? " varied" : "", s->dt == 1 ? "" : " dt", frame, steps);
    if (steps == 0) {
        const struct gray_scott_variant plain = {.path = PLAIN, .steps = 1};
        name_variant(&plain, variants->names[variants->count++]);
    }
    for (size_t i = 0; i < VKS_COUNT(candidates) && variants->count < VKS_COUNT(variants->names);
         i++) {
        struct gray_scott_variant variant = candidates[i];
        struct shape shape;
        variant.steps = steps_per_dispatch(config, steps ? steps : variant.steps);
        /* Where small subgroups exist, large ones have fewer registers per lane, so variants with
         * cells in registers spill. */
        const bool poor = variant.path != BLOCK && config->limits.min_subgroup < 32;
        bool listed = poor || !shape_of(config, &variant, variant.steps, &shape);
        char name[24];
        name_variant(&variant, name);
        for (size_t j = 0; j < variants->count; j++) {
            listed = listed || strcmp(variants->names[j], name) == 0;
        }
        if (!listed) {
            memcpy(variants->names[variants->count++], name, sizeof(name));
        }
    }
}

/* The variant of a run: the requested or the fastest one. */
static enum vks_result variant_of(const struct vks_config *config,
                                  struct gray_scott_variant *variant)
{
    const struct gray_scott_settings *s = config->settings;
    struct shape shape;
    *variant = (struct gray_scott_variant){.path = PLAIN, .steps = 1};
    if (config->limits.invocations == 0) { /* no device yet */
        return VKS_OK;
    }
    bool fits = true;
    if (s->fused.named.steps > 0) {
        *variant = s->fused.named;
        fits = variant->path == PLAIN || shape_of(config, variant, variant->steps, &shape);
    } else if (config->variant) {
        fits = parse_variant(config->variant, variant);
    } else {
        fits = s->fused.steps <= 1;
    }
    return fits ? VKS_OK
                : vks_fail_option(VKS_ERROR_USAGE, "fuse",
                                  "%s does not fit this device (subgroups of %u, workgroups of %u) "
                                  "or a field %u wide",
                                  s->fuse, config->limits.subgroup, config->limits.invocations,
                                  config->width);
}

enum vks_result vks_gray_scott_check_fuse(const struct vks_config *config)
{
    struct gray_scott_variant variant;
    return variant_of(config, &variant);
}

/* --- passes ---------------------------------------------------------------------------------- */

/* Rounds to a multiple of 2^-bits: such coefficients add up without rounding. */
static double on_grid(double value, int bits)
{
    return ldexp(nearbyint(ldexp(value, bits)), -bits);
}

enum { FIVE_BITS = 26, NINE_BITS = 25, RATE_BITS = 24 };

static struct gray_scott_step step_params(const struct vks_config *config)
{
    const struct gray_scott_settings *s = config->settings;
    const bool nine = s->stencil == GRAY_SCOTT_NINE;
    const double neighbours = nine ? 20 : 4, parts = nine ? 6 : 1;
    const int bits = nine ? NINE_BITS : FIVE_BITS; /* 20 near_u may exceed 1 */
    const double near_u = on_grid(s->du * s->dt / parts, bits);
    const double near_v = on_grid(s->dv * s->dt / parts, bits);
    const double feed = s->rates.varied ? 0 : on_grid(s->feed * s->dt, RATE_BITS);
    const double kill = s->rates.varied ? 0 : on_grid(s->kill * s->dt, RATE_BITS);
    return (struct gray_scott_step){
        .width = config->width,
        .height = config->height,
        .own_u = (float)(1 - neighbours * near_u - feed),
        .own_v = (float)(1 - neighbours * near_v - (feed + kill)),
        .near_u = (float)near_u,
        .near_v = (float)near_v,
        .feed = (float)feed,
        .dt = (float)s->dt,
    };
}

/* Declares a pass of the step: the properties of its variant plus the common ones. `own` may be
 * NULL. */
static void declare_step(const struct vks_config *config, const struct gray_scott_step *params,
                         const struct vks_pass *variant, const struct vks_specialization *own,
                         struct vks_declaration *declaration)
{
    enum { COMMON = 6 };
    const struct gray_scott_settings *s = config->settings;
    const bool halves = s->precision == FLOAT16;
    const double cells = (double)config->width * config->height;
    const double lowest_feed = s->rates.feed.low * s->dt;
    const double highest_feed = s->rates.varied ? s->rates.feed.high * s->dt : 0;
    const bool fed = lowest_feed > 0x1p-24 && (double)params->own_u >= highest_feed;
    struct vks_specialization values[COMMON + MAX_OWN + 1] = {
        {"stencil", s->stencil},     {"boundary", s->boundary},   {"halves", halves},
        {"varied", s->rates.varied}, {"whole_steps", s->dt == 1}, {"fed", fed}};
    for (size_t i = 0; own && own[i].name; i++) {
        assert(i < MAX_OWN);
        values[COMMON + i] = own[i];
    }
    struct vks_pass pass = *variant;
    pass.uses = VKS_USES({"u", VKS_READ}, {"v", VKS_READ}, {"u", VKS_WRITE_NEXT},
                         {"v", VKS_WRITE_NEXT}, {"feed_rate", VKS_READ}, {"kill_rate", VKS_READ});
    pass.specializations = values;
    pass.constants = params;
    pass.constants_size = sizeof(*params);
    pass.bytes = ((halves ? 8 : 16) + (s->rates.varied ? 8 : 0)) * cells;
    pass.operations = (s->stencil == GRAY_SCOTT_NINE ? 33 : 23) * cells *
                      (pass.steps_per_dispatch ? pass.steps_per_dispatch : 1);
    vks_declare_pass(declaration, &pass);
}

static void declare_plain(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct gray_scott_settings *s = config->settings;
    const double cells = (double)config->width * config->height;
    const struct gray_scott_step params = step_params(config);
    const uint32_t width = s->precision == FLOAT16 ? config->width / 2 : config->width;
    /* Long columns save reads; many invocations hide latency, which matters more for small
     * fields. */
    const uint32_t rows = cells < 5e5 ? 1 : cells < 6e7 ? 4 : 16;
    const struct vks_pass single = {
        .name = "step", .shader = "gray_scott/step", .items = {width, config->height}};
    const struct vks_pass fours = {.name = "step",
                                   .shader = "gray_scott/step4",
                                   .items = {config->width / 4, config->height},
                                   .group = {128, 2},
                                   .per_group = {128, 2 * rows}};
    const bool by_fours = config->width % 4 == 0;
    declare_step(config, &params, by_fours ? &fours : &single,
                 by_fours ? VKS_SPECIALIZATIONS({"rows", rows}) : NULL, declaration);
}

static void declare_fused(const struct vks_config *config, const struct gray_scott_variant *variant,
                          uint32_t steps, struct vks_declaration *declaration)
{
    struct shape shape;
    static const char *const shaders[] = {
        [TILE] = "gray_scott/tile",
        [QUAD] = "gray_scott/tile4",
        [BLOCK] = "gray_scott/tile",
        [MARCH] = "gray_scott/march",
    };
    const bool march = variant->path == MARCH;
    struct gray_scott_step params = step_params(config);
    if (!shape_of(config, variant, steps, &shape)) {
        return;
    }
    params.steps = steps;
    params.margin_x = shape.margin_x;
    params.margin_y = shape.margin_y;
    params.inner_width = shape.width - 2 * shape.margin_x;
    params.inner_height = shape.height - 2 * shape.margin_y;
    const struct vks_pass pass = {
        .name = vks_declaration_name(declaration, "step x%u", steps),
        .shader = shaders[variant->path],
        .steps_per_dispatch = steps,
        .items = {config->width, config->height},
        .group = {shape.group, 1},
        .per_group = {params.inner_width, params.inner_height * (march ? variant->b : 1)},
        .subgroup = variant->path == BLOCK ? 0 : shape.lanes,
        .shared_bytes = shape.shared_bytes};
    struct vks_specialization own[MAX_OWN + 1] = {
        {"lanes", shape.lanes},
        {"rows", variant->a},
        {"strips", variant->b},
        {"shuffled", variant->path != BLOCK},
    };
    if (variant->path != QUAD) {
        own[4] = (struct vks_specialization){"paired", config->width % 2 == 0};
    }
    declare_step(config, &params, &pass,
                 march ? VKS_SPECIALIZATIONS({"lanes", shape.lanes}, {"steps", steps}) : own,
                 declaration);
}

void vks_gray_scott_declare_steps(const struct vks_config *config,
                                  struct vks_declaration *declaration)
{
    struct gray_scott_variant variant;
    enum vks_result result = variant_of(config, &variant);
    if (result != VKS_OK) {
        vks_declaration_fail(declaration, result);
        return;
    }
    declare_plain(config, declaration);
    if (variant.path == MARCH) {
        /* One pipeline per number of fused steps: those that the run needs. */
        const uint32_t usual = steps_per_dispatch(config, variant.steps);
        declare_fused(config, &variant, variant.steps, declaration);
        for (uint32_t steps = usual; steps + 1 >= usual && steps > 1; steps--) {
            if (steps != variant.steps) {
                declare_fused(config, &variant, steps, declaration);
            }
        }
    } else if (variant.path != PLAIN) {
        /* One pipeline serves any number of steps. */
        for (uint32_t steps = variant.steps; steps > 1; steps--) {
            declare_fused(config, &variant, steps, declaration);
        }
    }
}
