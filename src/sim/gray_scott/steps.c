/* SPDX-License-Identifier: MIT */
/* Gray-Scott: one step per dispatch, or several fused. docs/sims/gray-scott.md. */
#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "sim/gray_scott/gray_scott.h"

_Static_assert(sizeof(struct gray_scott_step) <= VKS_MAX_CONSTANTS, "fits the push constants");

enum { MAX_STEPS = 16, BLOCK_LANES = 32, MAX_OWN = 5 };

/* The numbers of a variant: its steps per dispatch, its path, its rows and strips, and for MARCH
 * how many steps its dispatches usually have. */
enum { STEPS, PATH, ROWS, STRIPS, USUAL };

/* Tiles with that many rows per strip and that many strips. */
#define SHAPED(path_name, path, rows, strips, text)                                          \
    {                                                                                        \
        .name = path_name "-#-" #rows "x" #strips, .help = text,                             \
        .numbers = {0, path, rows, strips}, .min = 2, .max = (path) == MARCH ? 8 : MAX_STEPS \
    }
#define TILES(rows, strips, text) SHAPED("tile", TILE, rows, strips, text)
#define QUADS(rows, strips, text) SHAPED("quad", QUAD, rows, strips, text)
#define BLOCKS(rows, strips, text) SHAPED("block", BLOCK, rows, strips, text)
#define MARCHES(rows, strips, text) SHAPED("march", MARCH, rows, strips, text)

const struct vks_variant_row vks_gray_scott_variants[] = {
    {.name = "plain", .help = "one step per dispatch", .numbers = {1, PLAIN}},
    {.name = "fused-#",
     .help = "# steps per dispatch, in the fastest of these shapes",
     .numbers = {0, ANY},
     .min = 2,
     .max = MAX_STEPS},
    /* clang-format off: one kind of shape per block */
    TILES(4, 4, "# steps per dispatch by tiles: rows per strip x strips"),
    TILES(8, 4, NULL),
    TILES(8, 8, NULL),
    TILES(6, 12, NULL),
    TILES(4, 19, NULL),
    TILES(2, 9, NULL),
    QUADS(4, 4, "the same with four columns per lane instead of two"),
    QUADS(3, 6, NULL),
    QUADS(5, 3, NULL),
    QUADS(1, 30, NULL),
    QUADS(4, 11, NULL),
    QUADS(13, 8, NULL),
    QUADS(9, 12, NULL),
    QUADS(5, 8, NULL),
    BLOCKS(4, 4, "the same through shared memory"),
    BLOCKS(8, 4, NULL),
    BLOCKS(5, 7, NULL),
    BLOCKS(8, 8, NULL),
    MARCHES(64, 4, "# steps per dispatch by strips: rows per segment x strips per workgroup"),
    MARCHES(104, 4, NULL),
    MARCHES(256, 4, NULL),
    MARCHES(40, 4, NULL),
    MARCHES(5, 1, NULL),
    MARCHES(7, 2, NULL),
    MARCHES(40, 2, NULL),
    /* clang-format on */
    {0},
};

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
static bool shape_of(const struct vks_config *config, const struct vks_variant *variant,
                     uint32_t steps, struct shape *shape)
{
    const struct vks_limits *limits = &config->limits;
    const uint32_t path = variant->numbers[PATH];
    const uint32_t rows = variant->numbers[ROWS], strips = variant->numbers[STRIPS];
    const uint32_t lanes = path == BLOCK ? BLOCK_LANES : limits->subgroup;
    *shape = (struct shape){.lanes = lanes, .group = lanes * strips};
    /* BLOCK does not shuffle, but its shader contains shuffles, so the device must support them. */
    if (limits->subgroup == 0 || shape->group > limits->invocations) {
        return false;
    }
    if (path == MARCH) {
        shape->width = 4 * lanes;
        shape->height = rows + 2 * steps;
        shape->margin_x = up_to_multiple(steps, 4);
        shape->margin_y = steps;
        return config->width % 4 == 0 && steps <= 8 && shape->width > 2 * shape->margin_x;
    }
    const uint32_t columns = path == QUAD ? 4 : 2;
    const uint32_t row_bytes = 2 * 4 * columns * lanes; /* of both fields, in shared memory */
    shape->width = columns * lanes;
    shape->height = rows * strips;
    shape->margin_x = up_to_multiple(steps, columns);
    shape->margin_y = steps;
    const uint32_t kept = path == BLOCK ? rows : 4; /* rows in shared memory */
    shape->shared_bytes = row_bytes * kept * strips;
    return rows <= 32 && shape->width > 2 * shape->margin_x &&
           shape->height > 2 * shape->margin_y && shape->shared_bytes <= limits->shared_bytes &&
           (path != QUAD || config->width % 4 == 0);
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

/* Shapes in the order in which they are measured, with their most steps: those that were the
 * fastest on some device. Segments of MARCH differ only in push constants and share pipelines. */
static const struct {
    enum gray_scott_path path;
    uint32_t steps, rows, strips;
} shapes[] = {
    {TILE, 8, 8, 8},   {MARCH, 8, 64, 4}, {MARCH, 8, 104, 4}, {MARCH, 8, 256, 4}, {MARCH, 8, 40, 4},
    {QUAD, 12, 4, 11}, {QUAD, 12, 13, 8}, {QUAD, 12, 9, 12},  {QUAD, 10, 5, 8},   {TILE, 12, 4, 19},
    {TILE, 8, 6, 12},  {BLOCK, 4, 8, 4},  {MARCH, 4, 64, 4},  {MARCH, 4, 256, 4}, {TILE, 4, 8, 8},
    {BLOCK, 8, 8, 8},  {BLOCK, 2, 4, 4},  {TILE, 2, 4, 4},
};

/* The variant of a shape with that many steps. */
static struct vks_variant variant_of(enum gray_scott_path path, uint32_t rows, uint32_t strips,
                                     uint32_t steps)
{
    const struct vks_variant_row *row = vks_gray_scott_variants;
    while (row->name && (row->numbers[PATH] != path || row->numbers[ROWS] != rows ||
                         row->numbers[STRIPS] != strips)) {
        row++;
    }
    assert(row->name);
    return vks_variant_of(row, steps);
}

/* Where small subgroups exist, large ones have fewer registers per lane, so variants with cells in
 * registers spill. */
static bool is_worth_measuring(const struct vks_config *config, const struct vks_variant *variant)
{
    struct shape shape;
    return (variant->numbers[PATH] == BLOCK || config->limits.min_subgroup >= 32) &&
           shape_of(config, variant, variant->numbers[STEPS], &shape);
}

/* Variants are timed with the steps per dispatch that result from the run's steps per frame. MARCH
 * keeps that number if the steps per frame change during the run, because its passes cannot. */
void vks_gray_scott_candidates(const struct vks_config *config, struct vks_candidates *candidates)
{
    const struct gray_scott_settings *s = config->settings;
    struct vks_variant variant = config->variant;
    const bool any = variant.numbers[PATH] == ANY;
    const uint32_t steps = any ? variant.numbers[STEPS] : 0;
    if (variant.name[0] && !any) {
        variant.numbers[USUAL] = steps_per_dispatch(config, variant.numbers[STEPS]);
        vks_candidate_add(candidates, &variant);
        return;
    }
    const uint32_t frame =
        config->steps_per_frame < 2 * MAX_STEPS ? (uint32_t)config->steps_per_frame : 0;
    const char *rates = s->painting == PAINTED ? " painted" : s->rates.varied ? " varied" : "";
    snprintf(candidates->key, sizeof(candidates->key),
             "gray-scott %ux%u %s %s %s%s%s by %u fuse %u", config->width, config->height,
             vks_gray_scott_precisions[s->precision], vks_gray_scott_stencils[s->stencil],
             vks_gray_scott_boundaries[s->boundary], rates, s->dt == 1 ? "" : " dt", frame, steps);
    if (!any) {
        variant = variant_of(PLAIN, 0, 0, 1);
        vks_candidate_add(candidates, &variant);
    }
    for (size_t i = 0; i < VKS_COUNT(shapes); i++) {
        const uint32_t usual = steps_per_dispatch(config, any ? steps : shapes[i].steps);
        variant = variant_of(shapes[i].path, shapes[i].rows, shapes[i].strips, usual);
        variant.numbers[USUAL] = usual;
        if (is_worth_measuring(config, &variant)) {
            vks_candidate_add(candidates, &variant);
        }
    }
}

enum vks_result vks_gray_scott_check_variant(const struct vks_config *config)
{
    const struct vks_variant *variant = &config->variant;
    const struct vks_limits *limits = &config->limits;
    const uint32_t path = variant->numbers[PATH];
    struct shape shape;
    if (limits->invocations == 0 || /* no device yet */
        path == PLAIN ||
        (path != ANY && shape_of(config, variant, variant->numbers[STEPS], &shape))) {
        return VKS_OK;
    }
    if (limits->subgroup == 0) {
        return vks_fail_option(VKS_ERROR_USAGE, "variant",
                               "%s needs shuffles across subgroups of a known size, which this "
                               "device does not offer",
                               variant->name);
    }
    return vks_fail_option(VKS_ERROR_USAGE, "variant",
                           "%s does not fit this device (subgroups of %u, workgroups of %u) or a "
                           "field %u wide",
                           variant->name, limits->subgroup, limits->invocations, config->width);
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
    enum { COMMON = 7 };
    const struct gray_scott_settings *s = config->settings;
    const bool halves = s->precision == FLOAT16, painted = s->painting == PAINTED;
    const double cells = (double)config->width * config->height;
    const double lowest_feed = painted ? 0 : s->rates.feed.low * s->dt;
    const double highest_feed = s->rates.varied ? s->rates.feed.high * s->dt : 0;
    const bool fed = lowest_feed > 0x1p-24 && (double)params->own_u >= highest_feed;
    struct vks_specialization values[COMMON + MAX_OWN + 1] = {
        {"stencil", s->stencil},     {"boundary", s->boundary},   {"halves", halves},
        {"varied", s->rates.varied}, {"whole_steps", s->dt == 1}, {"fed", fed},
        {"painted", painted}};
    for (size_t i = 0; own && own[i].name; i++) {
        assert(i < MAX_OWN);
        values[COMMON + i] = own[i];
    }
    struct vks_pass pass = *variant;
    pass.uses = VKS_USES({"u", VKS_READ}, {"v", VKS_READ}, {"u", VKS_WRITE_NEXT},
                         {"v", VKS_WRITE_NEXT}, {"feed_rate", VKS_READ}, {"kill_rate", VKS_READ},
                         {painted ? "paint_feed" : "feed_rate", VKS_READ, "paint_feed"},
                         {painted ? "paint_kill" : "feed_rate", VKS_READ, "paint_kill"},
                         {painted ? "paint_share" : "feed_rate", VKS_READ, "paint_share"});
    pass.specializations = values;
    pass.constants = params;
    pass.constants_size = sizeof(*params);
    pass.bytes = ((halves ? 8 : 16) + (s->rates.varied ? 8 : 0) + (painted ? 12 : 0)) * cells;
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

static void declare_fused(const struct vks_config *config, const struct vks_variant *variant,
                          uint32_t steps, struct vks_declaration *declaration)
{
    struct shape shape;
    static const char *const shaders[] = {
        [TILE] = "gray_scott/tile",
        [QUAD] = "gray_scott/tile4",
        [BLOCK] = "gray_scott/tile",
        [MARCH] = "gray_scott/march",
    };
    const uint32_t path = variant->numbers[PATH], strips = variant->numbers[STRIPS];
    const bool march = path == MARCH;
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
        .shader = shaders[path],
        .steps_per_dispatch = steps,
        .items = {config->width, config->height},
        .group = {shape.group, 1},
        .per_group = {params.inner_width, params.inner_height * (march ? strips : 1)},
        .subgroup = path == BLOCK ? 0 : shape.lanes,
        .shared_bytes = shape.shared_bytes};
    struct vks_specialization own[MAX_OWN + 1] = {
        {"lanes", shape.lanes},
        {"rows", variant->numbers[ROWS]},
        {"strips", strips},
        {"shuffled", path != BLOCK},
    };
    if (path != QUAD) {
        own[4] = (struct vks_specialization){"paired", config->width % 2 == 0};
    }
    declare_step(config, &params, &pass,
                 march ? VKS_SPECIALIZATIONS({"lanes", shape.lanes}, {"steps", steps}) : own,
                 declaration);
}

void vks_gray_scott_declare_steps(const struct vks_config *config,
                                  struct vks_declaration *declaration)
{
    const struct vks_variant *variant = &config->variant;
    const uint32_t max = variant->numbers[STEPS], path = variant->numbers[PATH];
    const enum vks_result result = vks_gray_scott_check_variant(config);
    if (result != VKS_OK) {
        vks_declaration_fail(declaration, result);
        return;
    }
    declare_plain(config, declaration);
    /* A pipeline of MARCH serves one number of steps, so only the needed ones are declared; one of
     * another path serves any number. */
    const uint32_t usual = variant->numbers[USUAL] ? variant->numbers[USUAL] : max;
    for (uint32_t steps = path == PLAIN ? 1 : max; steps > 1; steps--) {
        if (path != MARCH || steps == max || steps == usual || steps + 1 == usual) {
            declare_fused(config, variant, steps, declaration);
        }
    }
}
