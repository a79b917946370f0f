/* SPDX-License-Identifier: MIT */
/* Gray-Scott, two substances that react and diffuse: docs/sims/gray-scott.md. */
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/exact.h"
#include "base/memory.h"
#include "base/number.h"
#include "graph/model.h"
#include "gray_scott/params.h"

_Static_assert(sizeof(struct gray_scott_start) <= VKS_MAX_CONSTANTS, "fits the push constants");
_Static_assert(sizeof(struct gray_scott_rates) <= VKS_MAX_CONSTANTS, "fits the push constants");
_Static_assert(sizeof(struct gray_scott_step) <= VKS_MAX_CONSTANTS, "fits the push constants");

struct settings {
    double feed, kill, du, dv, dt;
    uint32_t stencil, boundary, precision;
    char *map, *feed_map, *kill_map, *feed_range, *kill_range, *fuse;
    double start_radius, start_share, start_noise;
    uint64_t start_count, start_grain;
};

enum { FLOAT32, FLOAT16 };

static const char *const stencils[] = {"five-point", "nine-point", NULL};
static const char *const boundaries[] = {"periodic", "no-flux", NULL};
static const char *const precisions[] = {"float32", "float16", NULL};
static const char *const starts[] = {"square", "disc", "ring", "spots", "noise", "inverse", NULL};

/* clang-format off: a row an option */
#define AT(member) offsetof(struct settings, member)
static const struct vks_option options[] = {
    {.name = "feed",
     .type = VKS_OPTION_REAL,
     .offset = AT(feed),
     .min = 0,
     .max = 1,
     .default_text = "0.037",
     .unit = "",
     .help = "F: rate at which u is fed"},
    {.name = "kill",
     .type = VKS_OPTION_REAL,
     .offset = AT(kill),
     .min = 0,
     .max = 1,
     .default_text = "0.06",
     .unit = "",
     .help = "k: rate at which v is removed, beyond F"},
    {.name = "du",
     .type = VKS_OPTION_REAL,
     .offset = AT(du),
     .min = 0,
     .max = 100,
     .default_text = "0.16",
     .unit = "cells^2/step",
     .help = "diffusion of u"},
    {.name = "dv",
     .type = VKS_OPTION_REAL,
     .offset = AT(dv),
     .min = 0,
     .max = 100,
     .default_text = "0.08",
     .unit = "cells^2/step",
     .help = "diffusion of v"},
    {.name = "dt",
     .type = VKS_OPTION_REAL,
     .offset = AT(dt),
     .min = 1e-6,
     .max = 1e6,
     .default_text = "1",
     .unit = "",
     .help = "time of a step"},
    {.name = "stencil",
     .type = VKS_OPTION_CHOICE,
     .offset = AT(stencil),
     .choices = stencils,
     .default_text = "five-point",
     .help = "neighbours that diffusion sees: the four beside a cell, or the corners too (rounder "
             "patterns)"},
    {.name = "boundary",
     .type = VKS_OPTION_CHOICE,
     .offset = AT(boundary),
     .choices = boundaries,
     .default_text = "periodic",
     .help = "what lies beyond an edge: the other side, or a wall that nothing passes"},
    {.name = "precision",
     .type = VKS_OPTION_CHOICE,
     .offset = AT(precision),
     .choices = precisions,
     .default_text = "float32",
     .help = "how u and v are stored; float16 halves memory and traffic, is computed in float32 "
             "and is a result of its own"},
    {.name = "map",
     .type = VKS_OPTION_TEXT,
     .offset = AT(map),
     .argument = "F0:F1,K0:K1",
     .help = "parameter map: feed rises from F0 at the bottom to F1 at the top, kill from K0 at "
             "the left to K1 at the right"},
    {.name = "feed-map",
     .type = VKS_OPTION_TEXT,
     .offset = AT(feed_map),
     .argument = "FILE",
     .help = "feed from the brightness of a picture (PNG or JPEG)"},
    {.name = "feed-range",
     .type = VKS_OPTION_TEXT,
     .offset = AT(feed_range),
     .default_text = "0.01:0.1",
     .argument = "F0:F1",
     .help = "feed where the picture of --feed-map is black, and where it is white"},
    {.name = "kill-map",
     .type = VKS_OPTION_TEXT,
     .offset = AT(kill_map),
     .argument = "FILE",
     .help = "kill from the brightness of a picture"},
    {.name = "kill-range",
     .type = VKS_OPTION_TEXT,
     .offset = AT(kill_range),
     .default_text = "0.045:0.07",
     .argument = "K0:K1",
     .help = "kill where the picture of --kill-map is black, and where it is white"},
    {.name = "fuse",
     .type = VKS_OPTION_TEXT,
     .offset = AT(fuse),
     .default_text = "auto",
     .argument = "auto|K",
     .help =
         "steps that are computed at once, which changes the speed and not a byte: measured and "
         "chosen for the device, at most K (2 to 16), 1 for none, or the name of a variant as "
         "--verbose prints it",
     .flags = VKS_OPTION_NOT_SAVED},
    {.name = "start-radius",
     .type = VKS_OPTION_REAL,
     .offset = AT(start_radius),
     .min = 0,
     .max = 10,
     .default_text = "0.1",
     .unit = "",
     .help = "radius of --init disc, ring and inverse and half the side of square, as a share of "
             "the shorter side of the field"},
    {.name = "start-count",
     .type = VKS_OPTION_COUNT,
     .offset = AT(start_count),
     .min = 0,
     .max = 10000,
     .default_text = "20",
     .unit = "",
     .help = "spots of --init spots"},
    {.name = "start-grain",
     .type = VKS_OPTION_COUNT,
     .offset = AT(start_grain),
     .min = 1,
     .max = 10000,
     .default_text = "4",
     .unit = "cells",
     .help = "radius of a spot of --init spots, and side of a block of --init noise"},
    {.name = "start-share",
     .type = VKS_OPTION_REAL,
     .offset = AT(start_share),
     .min = 0,
     .max = 1,
     .default_text = "0.5",
     .unit = "",
     .help = "share of the blocks that --init noise fills"},
    {.name = "start-noise",
     .type = VKS_OPTION_REAL,
     .offset = AT(start_noise),
     .min = 0,
     .max = 1,
     .default_text = "0",
     .unit = "",
     .help = "most that the start of a cell is off at random; without it a symmetric start stays "
             "symmetric to the bit"},
};
#undef AT
/* clang-format on */

static const struct vks_preset presets[] = {
#include "sim/gray_scott/presets.def"
    {NULL, NULL, NULL},
};

/* --- options --------------------------------------------------------------------------------- */

struct range {
    double low, high;
};

/* How feed and kill lie over the field. */
struct rates {
    bool varied;
    struct range feed, kill; /* from black or bottom to white or top, left to right */
};

/* "LOW:HIGH" up to `stop`, both in [0, 1] and rising. Returns where it ends, NULL if it is none. */
static const char *parse_range(const char *text, char stop, struct range *range)
{
    const char *end = vks_parse_span(text, &range->low, &range->high);
    const bool good =
        end && *end == stop && range->low >= 0 && range->low < range->high && range->high <= 1;
    return good ? end : NULL;
}

static bool is_given(const char *text)
{
    return text && text[0];
}

/* The range of --feed-map or --kill-map; a wrong one is said even where no map uses it. */
static enum vks_result take_range(const char *rate, const char *text, const char *map,
                                  struct range *range, bool *varied)
{
    struct range parsed;
    if (!text || !parse_range(text, '\0', &parsed)) {
        return vks_fail(VKS_ERROR_USAGE,
                        "--%s-range '%s' is not LOW:HIGH with 0 <= LOW < HIGH <= 1", rate,
                        text ? text : "");
    }
    if (is_given(map)) {
        *range = parsed;
        *varied = true;
    }
    return VKS_OK;
}

static enum vks_result rates_of(const struct settings *s, struct rates *rates)
{
    *rates = (struct rates){.feed = {s->feed, s->feed}, .kill = {s->kill, s->kill}};
    if (is_given(s->map)) {
        const char *middle = parse_range(s->map, ',', &rates->feed);
        if (!middle || !parse_range(middle + 1, '\0', &rates->kill)) {
            return vks_fail(VKS_ERROR_USAGE,
                            "--map '%s' is not F0:F1,K0:K1 with 0 <= F0 < F1 <= 1 and 0 <= K0 < "
                            "K1 <= 1, as in 0.01:0.1,0.045:0.07",
                            s->map);
        }
        if (is_given(s->feed_map) || is_given(s->kill_map)) {
            return vks_fail(VKS_ERROR_USAGE, "--map and --%s exclude each other",
                            is_given(s->feed_map) ? "feed-map" : "kill-map");
        }
        rates->varied = true;
    }
    enum vks_result result =
        take_range("feed", s->feed_range, s->feed_map, &rates->feed, &rates->varied);
    return result == VKS_OK
               ? take_range("kill", s->kill_range, s->kill_map, &rates->kill, &rates->varied)
               : result;
}

/* The longest step for which every wave of both substances decays without swinging over (its
 * factor stays at or above -1) and removal does not pass 0. */
static double longest_step(const struct settings *s, const struct rates *rates)
{
    const double largest = s->stencil == GRAY_SCOTT_NINE ? 16.0 / 3.0 : 8.0; /* eigenvalue */
    const double u = largest * s->du + rates->feed.high;
    const double v = largest * s->dv + rates->feed.high + rates->kill.high;
    const double removal = rates->feed.high + rates->kill.high;
    const double diffusive = 2 / (u > v ? u : v);
    return removal * diffusive > 1 ? 1 / removal : diffusive;
}

/* --- variants ------------------------------------------------------------------------------------
 */

/* How steps are computed. TILE and BLOCK keep a tile in registers, `a` rows a strip and `b` strips;
 * MARCH goes down strips in segments of `a` rows, `b` strips a workgroup. docs/sims/gray-scott.md.
 */
enum path { PLAIN, TILE, BLOCK, MARCH };

struct variant {
    enum path path;
    uint32_t steps, a, b;
};

enum { MAX_STEPS = 16, BLOCK_LANES = 32 };

static const char *const path_names[] = {"plain", "tile", "block", "march"};

static void name_variant(const struct variant *variant, char name[24])
{
    if (variant->path == PLAIN) {
        snprintf(name, 24, "plain");
    } else {
        snprintf(name, 24, "%s-%u-%ux%u", path_names[variant->path], variant->steps, variant->a,
                 variant->b);
    }
}

static bool parse_variant(const char *name, struct variant *variant)
{
    char path[8];
    int length = 0;
    *variant = (struct variant){.path = PLAIN, .steps = 1};
    if (strcmp(name, "plain") == 0) {
        return true;
    }
    if (sscanf(name, "%7[a-z]-%2u-%4ux%2u%n", path, &variant->steps, &variant->a, &variant->b,
               &length) != 4 ||
        name[length] != '\0') {
        return false;
    }
    for (enum path i = TILE; i <= MARCH; i++) {
        if (strcmp(path, path_names[i]) == 0) {
            variant->path = i;
        }
    }
    return variant->path != PLAIN && variant->steps >= 2 && variant->steps <= MAX_STEPS &&
           variant->a >= 1 && variant->b >= 1;
}

/* Where a variant's useful part lies. */
struct shape {
    uint32_t lanes;
    uint32_t width, height; /* of what a workgroup (a strip of MARCH) computes */
    uint32_t margin_x, margin_y;
    uint32_t group, shared_bytes;
};

static uint32_t up_to_multiple(uint32_t value, uint32_t of)
{
    return (value + of - 1) / of * of;
}

/* The shape for strides of `steps`, or false if the device or the field cannot have it. */
static bool shape_of(const struct vks_config *config, const struct variant *variant, uint32_t steps,
                     struct shape *shape)
{
    const struct vks_limits *limits = &config->limits;
    const uint32_t lanes = variant->path == BLOCK ? BLOCK_LANES : limits->subgroup;
    *shape = (struct shape){.lanes = lanes, .group = lanes * variant->b};
    /* BLOCK shuffles nothing, but its shader could: the device must know how. */
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
    const uint32_t rows =
        variant->path == TILE ? 4 : variant->a; /* that are kept in shared memory */
    shape->width = 2 * lanes;
    shape->height = variant->a * variant->b;
    shape->margin_x = up_to_multiple(steps, 2);
    shape->margin_y = steps;
    shape->shared_bytes = 2 * 8 * rows * variant->b * lanes;
    return variant->a <= 32 && shape->width > 2 * shape->margin_x &&
           shape->height > 2 * shape->margin_y && shape->shared_bytes <= limits->shared_bytes;
}

/* Strides are made even over the steps between two frames (graph/schedule.c): of `steps` at most,
 * the longest that such a run will take. A run without frames in between takes them whole. */
static uint32_t stride_of(const struct vks_config *config, uint32_t steps)
{
    const uint64_t frame = config->steps_per_frame;
    if (frame <= 1) {
        return steps;
    }
    const uint64_t strides = (frame + steps - 1) / steps;
    return (uint32_t)((frame + strides - 1) / strides);
}

/* Shapes in the order in which they are tried: of a few that would do as well those that some
 * device liked best. Segments of MARCH differ only in constants, which costs no pipeline. */
static const struct variant candidates[] = {
    {TILE, 8, 8, 8},   {MARCH, 8, 64, 4}, {MARCH, 8, 104, 4}, {MARCH, 8, 256, 4},
    {MARCH, 8, 40, 4}, {TILE, 8, 4, 15},  {TILE, 8, 6, 12},   {TILE, 12, 8, 16},
    {BLOCK, 4, 8, 4},  {MARCH, 4, 64, 4}, {MARCH, 4, 256, 4}, {TILE, 4, 8, 8},
    {BLOCK, 8, 8, 8},  {BLOCK, 2, 4, 4},  {TILE, 2, 4, 4},
};

/* What --fuse asks for: the number of steps, 0 for auto; or a variant by name, its steps 0 if none
 * is named. False if it is nothing of the kind. */
static bool parse_fuse(const char *text, uint32_t *steps, struct variant *variant)
{
    char *end;
    *steps = 0;
    *variant = (struct variant){.path = PLAIN, .steps = 0};
    if (!is_given(text) || strcmp(text, "auto") == 0) {
        return true;
    }
    if (text[0] >= '0' && text[0] <= '9') {
        const unsigned long number = strtoul(text, &end, 10);
        *steps = (uint32_t)number;
        return *end == '\0' && number >= 1 && number <= MAX_STEPS;
    }
    return parse_variant(text, variant);
}

static void list_variants(const struct vks_config *config, struct vks_variants *variants)
{
    const struct settings *s = config->settings;
    uint32_t steps;
    struct variant named;
    struct rates rates;
    variants->count = 0;
    if (!parse_fuse(s->fuse, &steps, &named) || named.steps > 0 || steps == 1 ||
        rates_of(s, &rates) != VKS_OK) {
        return;
    }
    /* Variants are timed at the strides that the run will take. */
    const uint32_t frame =
        config->steps_per_frame < 2 * MAX_STEPS ? (uint32_t)config->steps_per_frame : 0;
    snprintf(variants->key, sizeof(variants->key), "gray-scott %ux%u %s %s %s%s%s by %u fuse %u",
             config->width, config->height, precisions[s->precision], stencils[s->stencil],
             boundaries[s->boundary], rates.varied ? " varied" : "", s->dt == 1 ? "" : " dt", frame,
             steps);
    if (steps == 0) {
        const struct variant plain = {.path = PLAIN, .steps = 1};
        name_variant(&plain, variants->names[variants->count++]);
    }
    for (size_t i = 0; i < VKS_COUNT(candidates) && variants->count < VKS_COUNT(variants->names);
         i++) {
        struct variant variant = candidates[i];
        struct shape shape;
        variant.steps = stride_of(config, steps ? steps : variant.steps);
        /* Where subgroups can be small, the large ones share what registers those have, and what
         * keeps its cells in registers spills. */
        const bool poor = variant.path != BLOCK && config->limits.subgroup_least < 32;
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

/* The variant of a run: the one asked for, or the one found to be best. */
static enum vks_result variant_of(const struct vks_config *config, struct variant *variant)
{
    const struct settings *s = config->settings;
    uint32_t steps;
    struct shape shape;
    const struct variant plain = {.path = PLAIN, .steps = 1};
    if (!parse_fuse(s->fuse, &steps, variant)) {
        return vks_fail(VKS_ERROR_USAGE,
                        "--fuse '%s' is not auto, a number of steps from 1 to %d, or the name of a "
                        "variant as --verbose prints it",
                        s->fuse, MAX_STEPS);
    }
    if (config->limits.invocations == 0) { /* no device yet */
        *variant = plain;
        return VKS_OK;
    }
    bool fits = true;
    if (variant->steps > 0) {
        fits = variant->path == PLAIN || shape_of(config, variant, variant->steps, &shape);
    } else if (config->variant) {
        fits = parse_variant(config->variant, variant);
    } else {
        *variant = plain;
        fits = steps <= 1;
    }
    return fits ? VKS_OK
                : vks_fail(VKS_ERROR_USAGE,
                           "--fuse %s does not fit this device (subgroups of %u, workgroups of %u) "
                           "or a field %u wide",
                           s->fuse, config->limits.subgroup, config->limits.invocations,
                           config->width);
}

static enum vks_result check(const struct vks_config *config)
{
    const struct settings *s = config->settings;
    struct rates rates;
    struct variant variant;
    enum vks_result result = rates_of(s, &rates);
    if (result == VKS_OK) {
        result = variant_of(config, &variant);
    }
    if (result != VKS_OK) {
        return result;
    }
    if (s->dt > longest_step(s, &rates)) {
        /* Rounded down, so that the figure itself is taken. */
        const double longest = floor(longest_step(s, &rates) * 1e6) / 1e6;
        return vks_fail(VKS_ERROR_USAGE,
                        "--dt %g is unstable with --du %g, --dv %g and the %s stencil; the largest "
                        "stable dt is %.6f (presets set them all; --preset plain does not)",
                        s->dt, s->du, s->dv, stencils[s->stencil], longest);
    }
    /* Each cell looks at each spot, in one dispatch. */
    const double most_spots = 1e11 / ((double)config->width * config->height);
    if (strcmp(starts[config->start], "spots") == 0 && !config->image &&
        (double)s->start_count > most_spots) {
        return vks_fail(
            VKS_ERROR_USAGE,
            "--start-count %llu is too many for a field of %ux%u; at most %.0f are placed "
            "there",
            (unsigned long long)s->start_count, config->width, config->height, floor(most_spots));
    }
    if (s->precision == FLOAT16 && config->width % 2 != 0) {
        return vks_fail(VKS_ERROR_USAGE,
                        "--precision float16 needs an even width, not %u: two cells share a word",
                        config->width);
    }
    return VKS_OK;
}

/* --- constants ------------------------------------------------------------------------------- */

/* The nearest multiple of 2^-bits: coefficients on such a grid add up without rounding. */
static double on_grid(double value, int bits)
{
    return ldexp(nearbyint(ldexp(value, bits)), -bits);
}

enum { FIVE_BITS = 26, NINE_BITS = 25, RATE_BITS = 24 };

static struct gray_scott_step step_params(const struct vks_config *config,
                                          const struct rates *rates)
{
    const struct settings *s = config->settings;
    const bool nine = s->stencil == GRAY_SCOTT_NINE;
    const double neighbours = nine ? 20 : 4, parts = nine ? 6 : 1;
    const int bits = nine ? NINE_BITS : FIVE_BITS; /* 20 near_u may pass 1 */
    const double near_u = on_grid(s->du * s->dt / parts, bits);
    const double near_v = on_grid(s->dv * s->dt / parts, bits);
    const double feed = rates->varied ? 0 : on_grid(s->feed * s->dt, RATE_BITS);
    const double kill = rates->varied ? 0 : on_grid(s->kill * s->dt, RATE_BITS);
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

static struct gray_scott_rates rate_params(const struct vks_config *config,
                                           const struct rates *rates)
{
    const struct settings *s = config->settings;
    const bool ramp = is_given(s->map);
    return (struct gray_scott_rates){
        .width = config->width,
        .height = config->height,
        .feed = (float)(rates->feed.low * s->dt),
        .feed_rise = ramp ? (float)((rates->feed.high - rates->feed.low) * s->dt) : 0,
        .kill = (float)(rates->kill.low * s->dt),
        .kill_rise = ramp ? (float)((rates->kill.high - rates->kill.low) * s->dt) : 0,
        .per_column = config->width > 1 ? (float)(1.0 / (config->width - 1)) : 0,
        .per_row = config->height > 1 ? (float)(1.0 / (config->height - 1)) : 0,
    };
}

static uint32_t to_uint(double value)
{
    return value < 4294967295.0 ? (uint32_t)value : UINT32_MAX;
}

static struct gray_scott_start start_params(const struct vks_config *config)
{
    const struct settings *s = config->settings;
    const uint32_t shorter = config->width < config->height ? config->width : config->height;
    const double diameter = 2 * s->start_radius * shorter;
    const double inner = 0.75 * diameter;
    return (struct gray_scott_start){
        .width = config->width,
        .height = config->height,
        .seed = config->seed,
        .half_side = to_uint(fmax(2, round(diameter))), /* at least the cells at the middle */
        .outer = to_uint(fmax(3, round(diameter * diameter))),
        .inner = to_uint(round(inner * inner)),
        .spots = (uint32_t)s->start_count,
        .grain = (uint32_t)s->start_grain,
        .share = to_uint(s->start_share * 4294967296.0),
        .noise = vks_flush((float)s->start_noise),
    };
}

/* --- what the host makes -------------------------------------------------------------------- */

/* A value as the state has it: in [0, 1], nothing that could become subnormal. */
static float settled(float value)
{
    return value < 0x1p-60f ? 0 : value > 1 ? 1 : value;
}

static void store(const struct settings *s, void *out, size_t index, float value)
{
    if (s->precision == FLOAT16) {
        ((uint16_t *)out)[index] = (uint16_t)vks_half(settled(value));
    } else {
        ((float *)out)[index] = settled(value);
    }
}

/* u and v: where a picture is bright both are as in a start's shape; or a user's array. */
static enum vks_result fill_substance(const void *user, const struct vks_field *field,
                                      const struct vks_source *source, void *out)
{
    const struct vks_config *config = user;
    const struct settings *s = config->settings;
    const bool is_u = field->name[0] == 'u';
    const float noise = vks_flush((float)s->start_noise);
    for (uint64_t i = 0; source->brightness && i < source->count; i++) {
        float value = is_u ? 1 - 0.5f * source->brightness[i] : 0.25f * source->brightness[i];
        if (noise > 0) { /* as in shaders/gray_scott/start.comp */
            const vks_uvec4 r = vks_random(config->seed, (uint32_t)i, 0, 2);
            value += noise * ((float)((is_u ? r.x : r.y) >> 8) * 0x1p-23f - 1);
        }
        store(s, out, i, value);
    }
    for (uint64_t i = 0; source->array && i < source->count; i++) {
        const double value = vks_source_number(source, i);
        if (!(value >= 0 && value <= 1)) {
            return vks_fail(VKS_ERROR_FILE, "'%s': element %llu is %g; it must be 0 to 1",
                            field->name, (unsigned long long)i, value);
        }
        store(s, out, i, (float)value);
    }
    return VKS_OK;
}

/* A rate of each cell: from the low end of its range where the map is black to the high end. */
static enum vks_result fill_rate(const void *user, const struct vks_field *field,
                                 const struct vks_source *source, void *out)
{
    const struct vks_config *config = user;
    const struct settings *s = config->settings;
    struct rates rates;
    enum vks_result result = rates_of(s, &rates);
    if (result != VKS_OK) {
        return result;
    }
    const struct range range = strcmp(field->name, "feed_rate") == 0 ? rates.feed : rates.kill;
    const float low = (float)(range.low * s->dt);
    const float rise = (float)((range.high - range.low) * s->dt);
    for (uint64_t i = 0; i < source->count; i++) {
        const float rate = low + rise * source->brightness[i];
        ((float *)out)[i] = floorf(rate * 0x1p24f + 0.5f) * 0x1p-24f;
    }
    return VKS_OK;
}

/* --- the declaration ------------------------------------------------------------------------- */

static void declare_start(const struct vks_config *config, const struct rates *rates,
                          struct vks_declaration *declaration)
{
    const struct settings *s = config->settings;
    const double cells = (double)config->width * config->height;
    const bool halves = s->precision == FLOAT16;
    const struct gray_scott_start start = start_params(config);
    VKS_PASS(declaration, .name = "start", .shader = "gray_scott/start", .when = VKS_AT_START,
             .uses = VKS_USES({"u", VKS_WRITE}, {"v", VKS_WRITE}),
             .specializations = VKS_SPECIALIZATIONS({"start", config->start},
                                                    {"boundary", s->boundary}, {"halves", halves}),
             VKS_PUSH(start), .items = {halves ? config->width / 2 : config->width, config->height},
             .bytes = (halves ? 4 : 8) * cells);
    if (rates->varied) {
        const struct gray_scott_rates ramp = rate_params(config, rates);
        VKS_PASS(declaration, .name = "rates", .shader = "gray_scott/rates", .when = VKS_AT_CHANGE,
                 .uses = VKS_USES({"feed_rate", VKS_WRITE}, {"kill_rate", VKS_WRITE}),
                 VKS_PUSH(ramp), .bytes = 8 * cells);
    }
}

/* A pass that steps: what its variant says, and what all variants have in common. `own` may be
 * NULL. */
static void declare_step(const struct vks_config *config, const struct rates *rates,
                         const struct gray_scott_step *params, const struct vks_pass *variant,
                         const struct vks_specialization *own, struct vks_declaration *declaration)
{
    enum { COMMON = 6, MAX_OWN = 6 };
    const struct settings *s = config->settings;
    const bool halves = s->precision == FLOAT16;
    const double cells = (double)config->width * config->height;
    const double lowest_feed = rates->feed.low * s->dt;
    const double highest_feed = rates->varied ? rates->feed.high * s->dt : 0;
    const bool fed = lowest_feed > 0x1p-24 && (double)params->own_u >= highest_feed;
    struct vks_specialization values[COMMON + MAX_OWN + 1] = {
        {"stencil", s->stencil},   {"boundary", s->boundary},   {"halves", halves},
        {"varied", rates->varied}, {"whole_steps", s->dt == 1}, {"fed", fed}};
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
    pass.bytes = ((halves ? 8 : 16) + (rates->varied ? 8 : 0)) * cells;
    pass.operations =
        (s->stencil == GRAY_SCOTT_NINE ? 33 : 23) * cells * (pass.steps ? pass.steps : 1);
    vks_declare_pass(declaration, &pass);
}

static void declare_plain(const struct vks_config *config, const struct rates *rates,
                          struct vks_declaration *declaration)
{
    const struct settings *s = config->settings;
    const double cells = (double)config->width * config->height;
    const struct gray_scott_step params = step_params(config, rates);
    const uint32_t width = s->precision == FLOAT16 ? config->width / 2 : config->width;
    /* Long columns save reads; many invocations hide latency, which small fields need more. */
    const uint32_t rows = cells < 5e5 ? 1 : cells < 6e7 ? 4 : 16;
    const struct vks_pass single = {
        .name = "step", .shader = "gray_scott/step", .items = {width, config->height}};
    const struct vks_pass fours = {.name = "step",
                                   .shader = "gray_scott/step4",
                                   .items = {config->width / 4, config->height},
                                   .group = {128, 2},
                                   .per_group = {128, 2 * rows}};
    const bool by_fours = config->width % 4 == 0;
    declare_step(config, rates, &params, by_fours ? &fours : &single,
                 by_fours ? VKS_SPECIALIZATIONS({"rows", rows}) : NULL, declaration);
}

static void declare_fused(const struct vks_config *config, const struct rates *rates,
                          const struct variant *variant, uint32_t steps,
                          struct vks_declaration *declaration)
{
    struct shape shape;
    const bool march = variant->path == MARCH;
    struct gray_scott_step params = step_params(config, rates);
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
        .shader = march ? "gray_scott/march" : "gray_scott/tile",
        .steps = steps,
        .items = {config->width, config->height},
        .group = {shape.group, 1},
        .per_group = {params.inner_width, params.inner_height * (march ? variant->b : 1)},
        .subgroup = variant->path == BLOCK ? 0 : shape.lanes,
        .shared_bytes = shape.shared_bytes};
    declare_step(config, rates, &params, &pass,
                 march ? VKS_SPECIALIZATIONS({"lanes", shape.lanes}, {"steps", steps})
                       : VKS_SPECIALIZATIONS({"lanes", shape.lanes}, {"rows", variant->a},
                                             {"strips", variant->b},
                                             {"shuffled", variant->path == TILE},
                                             {"paired", config->width % 2 == 0}),
                 declaration);
}

static void declare_steps(const struct vks_config *config, const struct rates *rates,
                          struct vks_declaration *declaration)
{
    struct variant variant;
    enum vks_result result = variant_of(config, &variant);
    if (result != VKS_OK) {
        vks_declaration_fail(declaration, result);
        return;
    }
    declare_plain(config, rates, declaration);
    if (variant.path == MARCH) {
        /* A pipeline for each number of steps: those that the run will take. */
        const uint32_t often = stride_of(config, variant.steps);
        declare_fused(config, rates, &variant, variant.steps, declaration);
        for (uint32_t steps = often; steps + 1 >= often && steps > 1; steps--) {
            if (steps != variant.steps) {
                declare_fused(config, rates, &variant, steps, declaration);
            }
        }
    } else if (variant.path != PLAIN) {
        /* One pipeline does any number of steps. */
        for (uint32_t steps = variant.steps; steps > 1; steps--) {
            declare_fused(config, rates, &variant, steps, declaration);
        }
    }
}

/* F dt or k dt of each cell; unread where they are the same everywhere. */
static void declare_rate(const struct vks_config *config, const struct rates *rates,
                         const struct range *range, const char *name, const char *map,
                         struct vks_declaration *declaration)
{
    const struct settings *s = config->settings;
    struct vks_field field = {.name = name, .element = VKS_F32};
    if (!rates->varied) {
        field.rank = 2;
        field.shape[0] = 1;
        field.shape[1] = 4;
    } else if (is_given(map)) {
        field.fill = fill_rate;
        field.user = config;
        field.picture = map;
        field.made_from =
            vks_declaration_name(declaration, "%a to %a by %a", range->low, range->high, s->dt);
    }
    vks_declare_field(declaration, &field);
}

static void declare(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct settings *s = config->settings;
    const enum vks_element element = s->precision == FLOAT16 ? VKS_F16 : VKS_F32;
    static const char *const names[] = {"u", "v"};
    static const char *const helps[] = {"concentration of u, 0 to 1", "concentration of v, 0 to 1"};
    struct rates rates;
    enum vks_result result = rates_of(s, &rates);
    if (result != VKS_OK) {
        vks_declaration_fail(declaration, result);
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        VKS_FIELD(declaration, .name = names[i], .help = helps[i], .element = element,
                  .persistent = true, .ping_pong = true, .fill = fill_substance, .user = config,
                  .picture = config->image, .made_from = config->image);
    }
    declare_rate(config, &rates, &rates.feed, "feed_rate", s->feed_map, declaration);
    declare_rate(config, &rates, &rates.kill, "kill_rate", s->kill_map, declaration);
    declare_start(config, &rates, declaration);
    declare_steps(config, &rates, declaration);
    for (size_t i = 0; config->watch && i < 2; i++) {
        vks_declare_mean(declaration, names[i], 1, names[i]);
    }
}

const struct vks_model vks_model_gray_scott = {
    .name = "gray-scott",
    .summary = "reaction-diffusion of two substances (Pearson 1993)",
    .options = {options, VKS_COUNT(options)},
    .settings_size = sizeof(struct settings),
    .presets = presets,
    .starts = starts,
    .views = VKS_VIEWS({"v", "v", "u", "concentration of v, or of u while v is even"},
                       {"u", "u", .help = "concentration of u"}),
    .check = check,
    .declare = declare,
    .variants = list_variants,
    .starts_from_image = true,
};
