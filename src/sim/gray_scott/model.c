/* SPDX-License-Identifier: MIT */
/* Gray-Scott, two substances that react and diffuse: docs/sims/gray-scott.md. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vksim/model.h>

#include "base/error.h"
#include "base/exact.h"
#include "base/memory.h"
#include "base/number.h"
#include "sim/gray_scott/gray_scott.h"

_Static_assert(sizeof(struct gray_scott_start) <= VKS_MAX_CONSTANTS, "fits the push constants");
_Static_assert(sizeof(struct gray_scott_rates) <= VKS_MAX_CONSTANTS, "fits the push constants");

/* The largest F and k that can be painted: more than any pattern needs. */
#define MAX_PAINTED 0.125

const char *const vks_gray_scott_stencils[] = {"five-point", "nine-point", NULL};
const char *const vks_gray_scott_boundaries[] = {"periodic", "no-flux", NULL};
const char *const vks_gray_scott_precisions[] = {"float32", "float16", NULL};
static const char *const paintings[] = {"unpainted", "painted", NULL};
static const char *const starts[] = {"square", "disc", "ring", "spots", "noise", "inverse", NULL};

/* clang-format off: one row per option */
#define AT(member) offsetof(struct gray_scott_settings, member)
static const struct vks_option options[] = {
    {.name = "feed",
     .heading = "reaction",
     .type = VKS_OPTION_REAL,
     .offset = AT(feed),
     .min = 0,
     .max = 1,
     .soft_min = 0,
     .soft_max = 0.12,
     .default_text = "0.037",
     .unit = "",
     .unless = "map|feed-map",
     .help = "F, the rate at which u is fed"},
    {.name = "kill",
     .type = VKS_OPTION_REAL,
     .offset = AT(kill),
     .min = 0,
     .max = 1,
     .soft_min = 0.03,
     .soft_max = 0.075,
     .default_text = "0.06",
     .unit = "",
     .unless = "map|kill-map",
     .help = "k, the rate at which v is removed in addition to F"},
    {.name = "du",
     .heading = "diffusion",
     .type = VKS_OPTION_REAL,
     .offset = AT(du),
     .min = 0,
     .max = 100,
     .soft_min = 0.02,
     .soft_max = 1,
     .logarithmic = true,
     .default_text = "0.16",
     .unit = "cells^2/time",
     .help = "diffusion coefficient of u"},
    {.name = "dv",
     .type = VKS_OPTION_REAL,
     .offset = AT(dv),
     .min = 0,
     .max = 100,
     .soft_min = 0.01,
     .soft_max = 0.5,
     .logarithmic = true,
     .default_text = "0.08",
     .unit = "cells^2/time",
     .help = "diffusion coefficient of v"},
    {.name = "dt",
     .heading = "time and space",
     .type = VKS_OPTION_REAL,
     .offset = AT(dt),
     .min = 1e-6,
     .max = 1e6,
     .soft_min = 0.1,
     .soft_max = 1,
     .default_text = "1",
     .unit = "",
     .help = "time step"},
    {.name = "stencil",
     .type = VKS_OPTION_CHOICE,
     .offset = AT(stencil),
     .choices = vks_gray_scott_stencils,
     .default_text = "five-point",
     .help = "Laplacian stencil: 4 neighbours, or 8 (more isotropic)"},
    {.name = "boundary",
     .type = VKS_OPTION_CHOICE,
     .offset = AT(boundary),
     .choices = vks_gray_scott_boundaries,
     .default_text = "periodic",
     .help = "periodic (wraps around) or no-flux (reflecting wall)"},
    {.name = "precision",
     .type = VKS_OPTION_CHOICE,
     .change = VKS_CHANGE_NEVER,
     .offset = AT(precision),
     .choices = vks_gray_scott_precisions,
     .default_text = "float32",
     .help = "storage format of u and v; float16 halves memory and traffic and gives different "
             "results (arithmetic is always float32)"},
    {.name = "map",
     .heading = "maps",
     .type = VKS_OPTION_TEXT,
     .change = VKS_CHANGE_SOMETIMES,
     .offset = AT(map),
     .argument = "F0:F1,K0:K1",
     .help = "parameter map: feed rises from F0 at the bottom to F1 at the top, kill from K0 at "
             "the left to K1 at the right"},
    {.name = "feed-map",
     .type = VKS_OPTION_TEXT,
     .change = VKS_CHANGE_SOMETIMES,
     .offset = AT(feed_map),
     .argument = "FILE",
     .help = "take feed from the brightness of an image (PNG or JPEG)",
     .flags = VKS_OPTION_IMAGE},
    {.name = "feed-range",
     .type = VKS_OPTION_TEXT,
     .offset = AT(feed_range),
     .default_text = "0.01:0.1",
     .argument = "F0:F1",
     .needs = "feed-map",
     .help = "feed where the image of --feed-map is black and where it is white"},
    {.name = "kill-map",
     .type = VKS_OPTION_TEXT,
     .change = VKS_CHANGE_SOMETIMES,
     .offset = AT(kill_map),
     .argument = "FILE",
     .help = "take kill from the brightness of an image (PNG or JPEG)",
     .flags = VKS_OPTION_IMAGE},
    {.name = "kill-range",
     .type = VKS_OPTION_TEXT,
     .offset = AT(kill_range),
     .default_text = "0.045:0.07",
     .argument = "K0:K1",
     .needs = "kill-map",
     .help = "kill where the image of --kill-map is black and where it is white"},
    {.name = "rates",
     .type = VKS_OPTION_CHOICE,
     .change = VKS_CHANGE_NEVER,
     .offset = AT(painting),
     .choices = paintings,
     .default_text = "unpainted",
     .help = "painted: the brush 'rates' can paint F and k over those of the options or maps"},
    {.name = "start-radius",
     .heading = "start",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_START,
     .offset = AT(start_radius),
     .min = 0,
     .max = 10,
     .soft_min = 0,
     .soft_max = 0.6,
     .default_text = "0.1",
     .unit = "",
     .needs = "init=square|disc|ring|inverse",
     .help = "radius of --init disc, ring and inverse, or half the side of square, as a fraction "
             "of the shorter side of the field"},
    {.name = "start-count",
     .type = VKS_OPTION_COUNT,
     .change = VKS_CHANGE_START,
     .offset = AT(start_count),
     .min = 0,
     .max = 10000,
     .soft_min = 0,
     .soft_max = 500,
     .default_text = "20",
     .unit = "",
     .needs = "init=spots",
     .help = "number of spots of --init spots"},
    {.name = "start-grain",
     .type = VKS_OPTION_COUNT,
     .change = VKS_CHANGE_START,
     .offset = AT(start_grain),
     .min = 1,
     .max = 10000,
     .soft_min = 1,
     .soft_max = 64,
     .logarithmic = true,
     .default_text = "4",
     .unit = "cells",
     .needs = "init=spots|noise",
     .help = "radius of the spots of --init spots, or side of the blocks of --init noise"},
    {.name = "start-share",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_START,
     .offset = AT(start_share),
     .min = 0,
     .max = 1,
     .default_text = "0.5",
     .unit = "",
     .needs = "init=noise",
     .help = "fraction of the blocks that --init noise fills"},
    {.name = "start-noise",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_START,
     .offset = AT(start_noise),
     .min = 0,
     .max = 1,
     .default_text = "0",
     .unit = "",
     .help = "amplitude of random noise on the initial condition; at 0 a symmetric one stays "
             "symmetric to the bit"},
};
#undef AT
/* clang-format on */

static const struct vks_preset presets[] = {
#include "sim/gray_scott/presets.def"
    {NULL, NULL, NULL},
};

/* --- options --------------------------------------------------------------------------------- */

/* Parses "LOW:HIGH" up to `stop`, with 0 <= LOW <= HIGH <= 1. Returns its end; NULL if it is
 * invalid. */
static const char *parse_range(const char *text, char stop, struct gray_scott_range *range)
{
    const char *end = vks_parse_span(text, &range->low, &range->high);
    const bool good =
        end && *end == stop && range->low >= 0 && range->low < range->high && range->high <= 1;
    return good ? end : NULL;
}

/* Parses the range of --feed-map or --kill-map; it must be valid even without a map. */
static enum vks_result parse_map_range(const char *option, const char *text, const char *map,
                                       struct gray_scott_range *range, bool *varied)
{
    struct gray_scott_range parsed;
    if (!text || !parse_range(text, '\0', &parsed)) {
        return vks_fail_option(VKS_ERROR_USAGE, option,
                               "'%s' is not LOW:HIGH with 0 <= LOW < HIGH <= 1", text ? text : "");
    }
    if (vks_text_is_given(map)) {
        *range = parsed;
        *varied = true;
    }
    return VKS_OK;
}

static enum vks_result parse_map(const char *text, struct gray_scott_ranges *rates)
{
    const char *middle = parse_range(text, ',', &rates->feed);
    rates->varied = middle && parse_range(middle + 1, '\0', &rates->kill);
    return rates->varied
               ? VKS_OK
               : vks_fail_option(VKS_ERROR_USAGE, "map",
                                 "'%s' is not F0:F1,K0:K1 with 0 <= F0 < F1 <= 1 and 0 <= K0 < "
                                 "K1 <= 1, as in 0.01:0.1,0.045:0.07",
                                 text);
}

static enum vks_result parse(const struct vks_model *model, void *settings)
{
    (void)model;
    struct gray_scott_settings *s = settings;
    struct gray_scott_ranges *rates = &s->rates;
    rates->feed = (struct gray_scott_range){s->feed, s->feed};
    rates->kill = (struct gray_scott_range){s->kill, s->kill};
    enum vks_result result = vks_text_is_given(s->map) ? parse_map(s->map, rates) : VKS_OK;
    if (result == VKS_OK) {
        result =
            parse_map_range("feed-range", s->feed_range, s->feed_map, &rates->feed, &rates->varied);
    }
    if (result == VKS_OK) {
        result =
            parse_map_range("kill-range", s->kill_range, s->kill_map, &rates->kill, &rates->varied);
    }
    rates->varied = rates->varied || s->painting == PAINTED;
    return result;
}

/* The longest step for which every Fourier mode's amplification factor stays in [-1, 1] for both
 * substances and removal does not pass 0. */
static double longest_step(const struct gray_scott_settings *s)
{
    const double painted = s->painting == PAINTED ? MAX_PAINTED : 0;
    const double feed = fmax(s->rates.feed.high, painted), kill = fmax(s->rates.kill.high, painted);
    const double largest = s->stencil == GRAY_SCOTT_NINE ? 16.0 / 3.0 : 8.0; /* eigenvalue */
    const double u = largest * s->du + feed;
    const double v = largest * s->dv + feed + kill;
    const double removal = feed + kill;
    const double diffusive = 2 / (u > v ? u : v);
    return removal * diffusive > 1 ? 1 / removal : diffusive;
}

static enum vks_result check(const struct vks_config *config)
{
    const struct gray_scott_settings *s = config->settings;
    const bool fed_by_map = vks_text_is_given(s->feed_map);
    if (vks_text_is_given(s->map) && (fed_by_map || vks_text_is_given(s->kill_map))) {
        return vks_fail_option(VKS_ERROR_USAGE, "map", "and %s exclude each other",
                               fed_by_map ? "feed-map" : "kill-map");
    }
    const enum vks_result fits = vks_gray_scott_check_variant(config);
    if (fits != VKS_OK) {
        return fits;
    }
    if (s->dt > longest_step(s)) {
        /* Rounded down, so that the printed value is valid. */
        const double longest = floor(longest_step(s) * 1e6) / 1e6;
        return vks_fail_option(VKS_ERROR_USAGE, "dt",
                               "%g is unstable with du %g, dv %g and the %s stencil; the largest "
                               "stable dt is %.6f (presets set them all; preset plain does not)",
                               s->dt, s->du, s->dv, vks_gray_scott_stencils[s->stencil], longest);
    }
    /* Each cell tests each spot, in one dispatch. */
    const double max_spots = 1e11 / ((double)config->width * config->height);
    if (config->start == GRAY_SCOTT_SPOTS && /* an image is start 0 */
        (double)s->start_count > max_spots) {
        return vks_fail_option(VKS_ERROR_USAGE, "start-count",
                               "%llu is too many for a field of %ux%u; at most %.0f are placed "
                               "there",
                               (unsigned long long)s->start_count, config->width, config->height,
                               floor(max_spots));
    }
    if (s->precision == FLOAT16 && config->width % 2 != 0) {
        return vks_fail_option(VKS_ERROR_USAGE, "precision",
                               "float16 needs an even width, not %u: two cells share a word",
                               config->width);
    }
    return VKS_OK;
}

/* Beyond this kill the state without v is the only uniform one: F >= 4 (F + k)^2 has no solution.
 */
static double saddle_node(double feed)
{
    return sqrt(feed) / 2 - feed;
}

/* --- constants ------------------------------------------------------------------------------- */

/* The row of the grid that is the first of the fields. */
static uint32_t first_row(const struct vks_config *config)
{
    const struct vks_slab *slab = &config->slab;
    return slab->first < slab->before ? slab->first + config->height - slab->before
                                      : slab->first - slab->before;
}

static struct gray_scott_rates rate_params(const struct vks_config *config)
{
    const struct gray_scott_settings *s = config->settings;
    const struct gray_scott_ranges *rates = &s->rates;
    const bool ramp = vks_text_is_given(s->map);
    return (struct gray_scott_rates){
        .width = config->width,
        .height = config->height,
        .feed = (float)(rates->feed.low * s->dt),
        .feed_rise = ramp ? (float)((rates->feed.high - rates->feed.low) * s->dt) : 0,
        .kill = (float)(rates->kill.low * s->dt),
        .kill_rise = ramp ? (float)((rates->kill.high - rates->kill.low) * s->dt) : 0,
        .per_column = config->width > 1 ? (float)(1.0 / (config->width - 1)) : 0,
        .per_row = config->height > 1 ? (float)(1.0 / (config->height - 1)) : 0,
        .first = first_row(config),
        .rows = vks_slab_length(&config->slab, config->height),
    };
}

static uint32_t to_uint(double value)
{
    return value < 4294967295.0 ? (uint32_t)value : UINT32_MAX;
}

static struct gray_scott_start start_params(const struct vks_config *config)
{
    const struct gray_scott_settings *s = config->settings;
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
        .first = first_row(config),
        .rows = vks_slab_length(&config->slab, config->height),
    };
}

/* --- what the host makes -------------------------------------------------------------------- */

/* Clamps a value to [0, 1] and flushes it, as the state requires. */
static float settled(float value)
{
    return value < 0x1p-60f ? 0 : value > 1 ? 1 : value;
}

static void store(const struct gray_scott_settings *s, void *out, size_t index, float value)
{
    if (s->precision == FLOAT16) {
        ((uint16_t *)out)[index] = (uint16_t)vks_half(settled(value));
    } else {
        ((float *)out)[index] = settled(value);
    }
}

/* u and v, from an image, whose bright parts have the values of a shape of --init. */
static enum vks_result fill_substance(const void *user, const struct vks_field *field,
                                      const struct vks_source *source, void *out)
{
    const struct vks_config *config = user;
    const struct gray_scott_settings *s = config->settings;
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
    return VKS_OK;
}

/* A rate of each cell, from the low end of its range where the map is black to the high end where
 * it is white. */
static enum vks_result fill_rate(const void *user, const struct vks_field *field,
                                 const struct vks_source *source, void *out)
{
    const struct vks_config *config = user;
    const struct gray_scott_settings *s = config->settings;
    const struct gray_scott_range range =
        strcmp(field->name, "feed_rate") == 0 ? s->rates.feed : s->rates.kill;
    const float low = (float)(range.low * s->dt);
    const float rise = (float)((range.high - range.low) * s->dt);
    for (uint64_t i = 0; i < source->count; i++) {
        const float rate = low + rise * source->brightness[i];
        ((float *)out)[i] = floorf(rate * 0x1p24f + 0.5f) * 0x1p-24f;
    }
    return VKS_OK;
}

/* --- the declaration ------------------------------------------------------------------------- */

static void declare_start(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct gray_scott_settings *s = config->settings;
    const bool halves = s->precision == FLOAT16;
    const struct gray_scott_start start = start_params(config);
    const double cells = (double)config->width * start.rows;
    VKS_PASS(declaration, .name = "start", .shader = "gray_scott/start", .when = VKS_AT_START,
             .uses = VKS_USES({"u", VKS_WRITE}, {"v", VKS_WRITE}),
             .specializations = VKS_SPECIALIZATIONS({"start", config->start},
                                                    {"boundary", s->boundary}, {"halves", halves}),
             VKS_PUSH(start), .items = {halves ? config->width / 2 : config->width, start.rows},
             .bytes = (halves ? 4 : 8) * cells);
    if (s->rates.varied) {
        const struct gray_scott_rates ramp = rate_params(config);
        VKS_PASS(declaration, .name = "rates", .shader = "gray_scott/rates", .when = VKS_AT_CHANGE,
                 .uses = VKS_USES({"feed_rate", VKS_WRITE}, {"kill_rate", VKS_WRITE}),
                 VKS_PUSH(ramp), .bytes = 8 * cells);
    }
}

/* F dt or k dt of each cell; unused if they are uniform. */
static void declare_rate(const struct vks_config *config, const struct gray_scott_range *range,
                         const char *name, const char *map, struct vks_declaration *declaration)
{
    const struct gray_scott_settings *s = config->settings;
    struct vks_field field = {.name = name, .element = VKS_F32};
    if (!s->rates.varied) {
        field.rank = 2;
        field.shape[0] = 1;
        field.shape[1] = 4;
    } else if (vks_text_is_given(map)) {
        field.fill = fill_rate;
        field.user = config;
        field.image = map;
        field.made_from =
            vks_declaration_name(declaration, "%a to %a by %a", range->low, range->high, s->dt);
    }
    vks_declare_field(declaration, &field);
}

/* Strokes are a layer over the rates of the options, which so can still change. */
static void declare_paint(struct vks_declaration *declaration)
{
    static const struct {
        const char *name, *help;
        double max;
    } layers[] = {
        {"paint_feed", "painted F times paint_share", MAX_PAINTED},
        {"paint_kill", "painted k times paint_share", MAX_PAINTED},
        {"paint_share", "share of the rates that is painted, 0 to 1", 1},
    };
    for (size_t i = 0; i < VKS_COUNT(layers); i++) {
        VKS_FIELD(declaration, .name = layers[i].name, .help = layers[i].help, .element = VKS_F32,
                  .persistent = true, .range = {0, layers[i].max}, .distance = VKS_DISTANCE_EQUAL);
    }
}

static const char *const names[] = {"u", "v"};

static void declare(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct gray_scott_settings *s = config->settings;
    const enum vks_element element = s->precision == FLOAT16 ? VKS_F16 : VKS_F32;
    static const char *const helps[] = {"concentration of u, 0 to 1", "concentration of v, 0 to 1"};
    for (size_t i = 0; i < 2; i++) {
        VKS_FIELD(declaration, .name = names[i], .help = helps[i], .element = element,
                  .persistent = true, .ping_pong = true, .range = {0, 1}, .fill = fill_substance,
                  .user = config, .image = config->image, .made_from = config->image,
                  .distance = i == 0 ? VKS_DISTANCE_SUM : VKS_DISTANCE_MAIN);
    }
    declare_rate(config, &s->rates.feed, "feed_rate", s->feed_map, declaration);
    declare_rate(config, &s->rates.kill, "kill_rate", s->kill_map, declaration);
    if (s->painting == PAINTED) {
        declare_paint(declaration);
    }
    declare_start(config, declaration);
    /* What steps compute beyond the halos' ends is wrong, and does not reach the own rows. */
    struct vks_config local = *config;
    local.height = vks_slab_length(&config->slab, config->height);
    vks_gray_scott_declare_steps(&local, declaration);
    vks_declare_exchange(declaration, &(struct vks_exchange){
                                          .fields = (const char *const[]){"u", "v", NULL},
                                          .reach = 1,
                                          .grain = 4,
                                          .closed = s->boundary != 0,
                                      });
}

static void declare_frame(const struct vks_config *config, struct vks_declaration *declaration)
{
    for (size_t i = 0; config->watch && i < 2; i++) {
        vks_declare_mean(declaration, names[i], 1, names[i]);
    }
}

/* The classes, between the presets of each. */
static const struct vks_chart_label classes[] = {
    {"\u03b1", {0.05, 0.012}},  {"\u03b2", {0.045, 0.02}},   {"\u03b3", {0.053, 0.024}},
    {"\u03b4", {0.057, 0.036}}, {"\u03b5", {0.057, 0.02}},   {"\u03b6", {0.06, 0.024}},
    {"\u03b8", {0.059, 0.034}}, {"\u03ba", {0.063, 0.054}},  {"\u03bb", {0.063, 0.03}},
    {"\u03bc", {0.065, 0.052}}, {"\u03bd", {0.065, 0.068}},  {"\u03be", {0.044, 0.012}},
    {"\u03c1", {0.057, 0.096}}, {"\u03c3", {0.0547, 0.105}}, {NULL, {0, 0}}};

const struct vks_model vks_model_gray_scott = {
    .name = "gray-scott",
    .summary = "reaction-diffusion of two substances (Pearson 1993)",
    .options = {options, VKS_COUNT(options)},
    .settings_size = sizeof(struct gray_scott_settings),
    .presets = presets,
    .starts = starts,
    .views = VKS_VIEWS(
        {"v", "v", "u", "concentration of v, or of u while v is uniform"},
        {"u", "u", .help = "concentration of u", .look = "colormap=abyss normalize=frame"}),
    .shape_options =
        VKS_SHAPE_OPTIONS({"rates", "painted", {"paint_feed", "paint_kill", "paint_share"}}),
    .parse = parse,
    .check = check,
    .declare = declare,
    .declare_frame = declare_frame,
    .variants = vks_gray_scott_variants,
    .candidates = vks_gray_scott_candidates,
    .brushes = VKS_BRUSHES(
        {"seed", "moves u and v to 0.5 and 0.25, the values of the initial conditions",
         "moves u and v to 1 and 0, as clear does",
         .effects = {{"u", VKS_TO(0.5), VKS_TO(1), .max = 1},
                     {"v", VKS_TO(0.25), VKS_TO(0), .max = 1}}},
        {"clear", "moves u and v to 1 and 0, where nothing reacts",
         "moves u and v to 0.5 and 0.25, as seed does",
         .effects = {{"u", VKS_TO(1), VKS_TO(0.5), .max = 1},
                     {"v", VKS_TO(0), VKS_TO(0.25), .max = 1}}},
        {"rates", "moves F and k to those of the stroke",
         "moves F and k back to those of the options or maps", .needs = "rates=painted",
         .values = {{"feed", MAX_PAINTED}, {"kill", MAX_PAINTED}},
         .effects = {{"paint_feed", VKS_TO(1), VKS_TO(0), .max = MAX_PAINTED, .value = 1},
                     {"paint_kill", VKS_TO(1), VKS_TO(0), .max = MAX_PAINTED, .value = 2},
                     {"paint_share", VKS_TO(1), VKS_TO(0), .max = 1}}}),
    .closed = "boundary=no-flux",
    .starts_from_image = true,
    .inputs = VKS_INPUTS(
        {"feed", "feed_rate", 0, MAX_PAINTED, .times = "dt", .grain = 0x1p-24,
         .options = "feed-map=" VKS_INPUT_IMAGE " feed-range=0:0.125 feed map", .help = "F"},
        {"kill", "kill_rate", 0, MAX_PAINTED, .times = "dt", .grain = 0x1p-24,
         .options = "kill-map=" VKS_INPUT_IMAGE " kill-range=0:0.125 kill map", .help = "k"}),
    .chart = {.x = "kill",
              .y = "feed",
              .low = {0.03, 0},
              .high = {0.075, 0.12},
              .edge = saddle_node,
              .help = "left of the line there are uniform states with v, right of it only the "
                      "empty one",
              .along = "along the crescent",
              .along_low = -0.012,
              .along_high = 0.012,
              .labels = classes},
};
