/* SPDX-License-Identifier: MIT */
#include "view/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/exact.h"
#include "io/image.h"
#include "view/colormap.h"
#include "view/plane.h"
#include "view/points.h"
#include "view/taps.h"
#include "view/params.h"

_Static_assert(VKS_RANGE_FRAME == VIEW_FRAME && VKS_RANGE_FIXED == VIEW_FIXED &&
                   VKS_RANGE_SMOOTH == VIEW_SMOOTH,
               "a mode has one number");
_Static_assert(VKS_GROUND_NONE == GROUND_NONE && VKS_GROUND_TRANSPARENT == GROUND_TRANSPARENT &&
                   VKS_GROUND_COLOUR == GROUND_COLOUR && VKS_GROUND_FILE == GROUND_PICTURE,
               "a background has one number");

void vks_coded_size(uint32_t width, uint32_t height, uint32_t *coded_width, uint32_t *coded_height)
{
    *coded_width = (width + 7) / 8 * 8;
    *coded_height = (height + 1) / 2 * 2;
}

void vks_rgb_from_rgba(uint8_t *rgb, const uint8_t *rgba, size_t pixels)
{
    for (size_t i = 0; i < pixels; i++) {
        rgb[3 * i] = rgba[4 * i];
        rgb[3 * i + 1] = rgba[4 * i + 1];
        rgb[3 * i + 2] = rgba[4 * i + 2];
    }
}

void vks_view_palette(const struct vks_look *look, const uint32_t colours[256], bool discrete,
                      uint32_t palette[257])
{
    for (size_t i = 0; i < 256; i++) {
        palette[i] = colours[look->invert ? 255 - i : i];
    }
    palette[PALETTE_DISCRETE] = discrete;
}

/* --- passes ---------------------------------------------------------------------------------- */

/* The rows of the picture that one frame of the graph draws: all of them, or those of a band. */
struct band {
    bool whole;           /* the picture is not drawn in bands */
    uint32_t rows;        /* of a band; the last one may have fewer */
    uint32_t value_rows;  /* of "values" */
    uint32_t first, end;  /* this band's first row, and the row after its last */
    uint32_t first_value; /* row of the picture for the first row of "values" */
};

/* What the passes are made from. */
struct plan {
    struct vks_declaration *declaration;
    const struct vks_view_params *params;
    struct vks_part part;
    struct vks_range range;
    struct vks_ground ground;
    uint64_t shape[2]; /* of the field: (H, W) */
    double pixels;     /* that are drawn at a time */
    bool plain;        /* "colour" can draw this look, else "paint" */
    bool direct;       /* from the field itself, else from "values" */
    struct band band;
    struct view_params view;
};

/* One axis of the shown part of a field. */
static struct vks_resized_axis axis_of(const struct vks_part *part, const uint64_t shape[2],
                                       int which)
{
    return which == RESAMPLE_DOWN ? (struct vks_resized_axis){(uint32_t)shape[0], part->y,
                                                              part->height, part->out_height}
                                  : (struct vks_resized_axis){(uint32_t)shape[1], part->x,
                                                              part->width, part->out_width};
}

static const struct vks_field *field_of(const struct plan *plan, const char *name)
{
    const int index = vks_find_field(plan->declaration, name);
    return index < 0 ? NULL : &plan->declaration->fields[index];
}

static uint32_t has_halves(const struct plan *plan, const char *name)
{
    const struct vks_field *field = field_of(plan, name);
    return field && field->element == VKS_F16;
}

static uint32_t is_logarithmic(const struct plan *plan)
{
    return plan->params->look->tone == VKS_TONE_LOG;
}

static void declare_buffer(const struct plan *plan, const char *name, enum vks_element element,
                           uint64_t count)
{
    VKS_FIELD(plan->declaration, .name = name, .element = element, .rank = 1, .shape = {count});
}

static void declare_plane(const struct plan *plan, const char *name, enum vks_element element,
                          uint64_t height, uint64_t width)
{
    VKS_FIELD(plan->declaration, .name = name, .element = element, .rank = 2,
              .shape = {height, width});
}

/* --- bands ----------------------------------------------------------------------------------- */

/* The parts of a banded picture in which a pass runs. */
enum {
    IN_MEASURE = 1 << VKS_VIEW_MEASURE,
    IN_MEASURE_ELSE = 1 << VKS_VIEW_MEASURE_ELSE,
    IN_LEVEL = 1 << VKS_VIEW_LEVEL,
    IN_GLOW = 1 << VKS_VIEW_GLOW,
    IN_BLUR = 1 << VKS_VIEW_BLUR,
    IN_DRAW = 1 << VKS_VIEW_DRAW,
    ONCE = 1 << 16, /* with the first band only */
};

/* Leaves out the frame's passes from index `from` on, unless they run in this part. */
static void run_in(const struct plan *plan, size_t from, unsigned parts)
{
    const struct vks_view_params *params = plan->params;
    const bool runs =
        plan->band.whole || ((parts >> params->part & 1U) && (params->row == 0 || !(parts & ONCE)));
    for (size_t i = from; i < plan->declaration->pass_count; i++) {
        struct vks_pass *pass = &plan->declaration->passes[i];
        pass->left_out = pass->when == VKS_EACH_FRAME && !runs;
    }
}

/* A fixed range needs no measuring, except for the choice between two fields. */
static unsigned parts_to_measure(const struct plan *plan)
{
    return plan->range.mode != VKS_RANGE_FIXED || plan->params->shown_else ? IN_MEASURE : 0;
}

/* How many of the field's lines contribute to results `from` to `last`, and the first of them. */
static uint32_t lines_of(const struct vks_resized_axis *axis, uint32_t from, uint32_t last,
                         uint32_t *begin)
{
    uint32_t first, count;
    vks_taps_of(axis, from, begin, &count);
    vks_taps_of(axis, last, &first, &count);
    return first + count - *begin;
}

static bool is_across_first(const struct vks_resized_axis *down,
                            const struct vks_resized_axis *across)
{
    return down->size > down->length && across->size < across->length;
}

/* Shape of "halfway" for that many rows of values; zero where one axis keeps its size. */
static void shape_halfway(const struct plan *plan, uint32_t value_rows, uint64_t shape[2])
{
    const struct vks_resized_axis down = axis_of(&plan->part, plan->shape, RESAMPLE_DOWN);
    const struct vks_resized_axis across = axis_of(&plan->part, plan->shape, RESAMPLE_ACROSS);
    uint32_t begin;
    shape[0] = shape[1] = 0;
    if (down.size == down.length || across.size == across.length || plan->params->points) {
        return;
    }
    if (is_across_first(&down, &across)) {
        /* Upscaling: a band is made of fewer rows of the field than its own, plus the filter's
         * reach on both sides. */
        const uint64_t all = lines_of(&down, 0, down.size - 1, &begin);
        const uint64_t some = (uint64_t)value_rows + vks_most_taps(&down) + 2;
        shape[0] = some < all ? some : all;
        shape[1] = across.size;
    } else {
        shape[0] = value_rows;
        shape[1] = lines_of(&across, 0, across.size - 1, &begin);
    }
}

/* Rows of values that a band of `rows` needs: for relief with one more on either side. */
static uint32_t value_rows_of(const struct plan *plan, uint32_t rows)
{
    const uint32_t more = plan->params->look->hillshade > 0 ? 2 : 0;
    const uint32_t height = plan->part.out_height;
    return height - rows < more ? height : rows + more;
}

/* Bytes of the largest plane for bands of that many rows. */
static uint64_t largest_plane(const struct plan *plan, uint32_t rows)
{
    const uint32_t value_rows = value_rows_of(plan, rows);
    const uint64_t width = plan->part.out_width;
    const bool deep = (plan->params->wants & VKS_VIEW_RGBA16) != 0;
    uint64_t halfway[2];
    uint64_t most = rows * width * (deep ? 8 : 4);
    if (!plan->direct) {
        shape_halfway(plan, value_rows, halfway);
        const uint64_t values = value_rows * width * 4, half = halfway[0] * halfway[1] * 4;
        most = values > most ? values : most;
        most = half > most ? half : most;
    }
    return most;
}

uint32_t vks_view_first_value(uint32_t height, uint32_t rows, uint32_t value_rows, uint32_t row)
{
    const uint32_t above = value_rows > rows ? 1 : 0; /* relief */
    const uint32_t first = row > above ? row - above : 0;
    return first < height - value_rows ? first : height - value_rows;
}

static uint32_t glow_shift(const struct vks_part *part);

/* As many rows as the device and BAND_BYTES allow, whole blocks of the glow if there is one. All
 * rows of "values" are the picture's, also with the last band: its range is that of the picture. */
static void plan_band(struct plan *plan)
{
    enum { BAND_BYTES = 32 << 20 }; /* smaller bands are no slower, but save little memory */
    const struct vks_view_params *params = plan->params;
    const uint32_t height = plan->part.out_height;
    struct band *band = &plan->band;
    uint32_t step = UINT32_C(1) << 16;
    *band = (struct band){.whole = true, .rows = height, .value_rows = height, .end = height};
    if (params->max_bytes == 0 || largest_plane(plan, height) <= params->max_bytes) {
        return;
    }
    const uint64_t most = params->max_bytes < BAND_BYTES ? params->max_bytes : BAND_BYTES;
    const uint32_t block = params->look->bloom > 0 ? UINT32_C(1) << glow_shift(&plan->part) : 1;
    uint32_t rows = block;
    for (; step >= block; step /= 2) {
        if (rows + step < height && largest_plane(plan, rows + step) <= most) {
            rows += step;
        }
    }
    if (rows >= height) {
        return;
    }
    band->whole = false;
    band->rows = rows;
    band->value_rows = value_rows_of(plan, rows);
    band->first = params->row;
    band->end = height - params->row < rows ? height : params->row + rows;
    band->first_value = vks_view_first_value(height, rows, band->value_rows, params->row);
    plan->pixels = (double)plan->part.out_width * rows;
}

/* --- what the host makes --------------------------------------------------------------------- */

/* Declares a list of words that `fill` makes from a copy of `data`; `made_from` is that as text. */
static void declare_table(const struct plan *plan, const char *name, uint64_t words,
                          enum vks_result (*fill)(const void *user, const struct vks_field *field,
                                                  const struct vks_source *source, void *out),
                          const void *data, size_t size, const char *made_from)
{
    VKS_FIELD(plan->declaration, .name = name, .element = VKS_U32, .rank = 1, .shape = {words},
              .fill = fill, .user = vks_declaration_copy(plan->declaration, data, size),
              .made_from = made_from);
}

static enum vks_result fill_palette(const void *user, const struct vks_field *field,
                                    const struct vks_source *source, void *out)
{
    const struct vks_look *look = user;
    struct vks_colormap map;
    enum vks_result result = vks_colormap_load(look->colormap, &map);
    (void)field;
    (void)source;
    if (result == VKS_OK) {
        vks_view_palette(look, map.entries, map.discrete, out);
    }
    return result;
}

static void declare_palette(const struct plan *plan)
{
    const struct vks_look *look = plan->params->look;
    declare_table(plan, "palette", PALETTE_WORDS, fill_palette, look, sizeof(*look),
                  vks_declaration_name(plan->declaration, "%s%s", look->colormap,
                                       look->invert ? " inverted" : ""));
}

static enum vks_result fill_axis(const void *user, const struct vks_field *field,
                                 const struct vks_source *source, void *out)
{
    (void)field;
    (void)source;
    vks_fill_taps(user, out);
    return VKS_OK;
}

static void declare_taps(const struct plan *plan, const char *name,
                         const struct vks_resized_axis *axis)
{
    declare_table(plan, name, vks_taps_words(axis), fill_axis, axis, sizeof(*axis),
                  vks_declaration_name(plan->declaration, "%u from %u of %u to %u", axis->length,
                                       axis->from, axis->side, axis->size));
}

/* One axis of `source` resized into `target`; lines of the source are those of the field from
 * `origin` on, `row` cells each. Bands have at most `rows` results down. */
static void declare_axis(const struct plan *plan, int axis, const char *name, const char *source,
                         const char *target, const struct resample_params *params, uint64_t rows,
                         bool gated)
{
    const double results = (double)params->width * params->height;
    const struct vks_resized_axis resized = axis_of(&plan->part, plan->shape, axis);
    const double taps = resized.size < resized.length
                            ? (double)resized.length / (double)resized.size
                            : vks_most_taps(&resized);
    const double cell_bytes = has_halves(plan, source) ? 2 : 4;
    const double read = resized.size < resized.length ? taps * results : results;
    const bool grows = resized.size > resized.length;
    const char *table = axis == RESAMPLE_DOWN ? "taps_down" : "taps_across";
    const char *limits = gated ? "field_range_else" : "field_range";
    const struct vks_use uses[] = {{source, VKS_READ, "source"},
                                   {table, VKS_READ, "taps"},
                                   {target, VKS_WRITE, "target"},
                                   {grows ? limits : table, VKS_READ, "limits"},
                                   {gated ? "view_range" : NULL, VKS_READ},
                                   {0}};
    VKS_PASS(plan->declaration, .name = name,
             .shader = gated ? "view/resample_else" : "view/resample", .when = VKS_EACH_FRAME,
             .uses = uses,
             .specializations = VKS_SPECIALIZATIONS({"axis", (uint32_t)axis}, {"grows", grows},
                                                    {"half_cells", has_halves(plan, source)}),
             VKS_PUSH(*params), .items = {params->width, rows}, .group = {64, 4},
             .bytes = cell_bytes * read + 4 * results, .operations = 4 * taps * results);
}

/* The passes that resize both axes, or the one that changes. Down the columns first, which reads
 * whole rows, unless that would make more of the cells that are to become fewer. */
static void declare_axes(const struct plan *plan, const char *source, bool gated)
{
    const struct vks_part *part = &plan->part;
    const struct band *band = &plan->band;
    const struct vks_resized_axis down = axis_of(part, plan->shape, RESAMPLE_DOWN);
    const struct vks_resized_axis across = axis_of(part, plan->shape, RESAMPLE_ACROSS);
    const char *const down_name = gated ? "else down" : "resize down";
    const char *const across_name = gated ? "else across" : "resize across";
    uint64_t halfway[2];
    uint32_t begin;
    struct resample_params last = {.width = part->out_width, .height = band->value_rows};
    shape_halfway(plan, band->value_rows, halfway);
    if (halfway[0] == 0) {
        const int axis = across.size == across.length ? RESAMPLE_DOWN : RESAMPLE_ACROSS;
        last.row = across.side;
        last.from = axis == RESAMPLE_DOWN ? across.from : down.from + band->first_value;
        last.size = axis == RESAMPLE_DOWN ? down.size : across.size;
        last.first = axis == RESAMPLE_DOWN ? band->first_value : 0;
        declare_axis(plan, axis, axis == RESAMPLE_DOWN ? down_name : across_name, source, "values",
                     &last, last.height, gated);
        return;
    }
    if (!gated) {
        declare_plane(plan, "halfway", VKS_F32, halfway[0], halfway[1]);
    }
    struct resample_params first = {.width = (uint32_t)halfway[1], .row = across.side};
    last.row = first.width;
    if (is_across_first(&down, &across)) {
        first.height =
            lines_of(&down, band->first_value, band->first_value + band->value_rows - 1, &begin);
        first.from = last.origin = begin;
        first.size = across.size;
        last.size = down.size;
        last.first = band->first_value;
        declare_axis(plan, RESAMPLE_ACROSS, across_name, source, "halfway", &first, halfway[0],
                     gated);
        declare_axis(plan, RESAMPLE_DOWN, down_name, "halfway", "values", &last, last.height,
                     gated);
    } else {
        first.height = band->value_rows;
        lines_of(&across, 0, across.size - 1, &begin);
        first.from = last.origin = begin;
        first.size = down.size;
        first.first = band->first_value;
        last.size = across.size;
        declare_axis(plan, RESAMPLE_DOWN, down_name, source, "halfway", &first, halfway[0], gated);
        declare_axis(plan, RESAMPLE_ACROSS, across_name, "halfway", "values", &last, last.height,
                     gated);
    }
}

/* The shown part of a field, in the picture's size, into "values"; with `gated` only where the
 * field before had no range. */
static void declare_resampling(const struct plan *plan, const char *source, bool gated)
{
    const struct vks_resized_axis down = axis_of(&plan->part, plan->shape, RESAMPLE_DOWN);
    const struct vks_resized_axis across = axis_of(&plan->part, plan->shape, RESAMPLE_ACROSS);
    size_t from = plan->declaration->pass_count;
    if (down.size > down.length || across.size > across.length) {
        vks_declare_range(plan->declaration, source, gated ? "field_range_else" : "field_range",
                          VKS_EACH_FRAME);
        run_in(plan, from, IN_MEASURE | ONCE);
        from = plan->declaration->pass_count;
    }
    declare_axes(plan, source, gated);
    run_in(plan, from,
           IN_DRAW | (plan->params->look->bloom > 0 ? IN_GLOW : 0U) |
               (gated ? IN_MEASURE_ELSE : parts_to_measure(plan)));
}

/* Points, counted into "values". */
static void declare_points(const struct plan *plan)
{
    const size_t from = plan->declaration->pass_count;
    const struct vks_points points = {.fields = plan->params->points,
                                      .look = plan->params->look,
                                      .part = plan->part,
                                      .first = plan->band.first_value,
                                      .rows = plan->band.value_rows};
    vks_declare_points(plan->declaration, &points);
    run_in(plan, from,
           IN_DRAW | (plan->params->look->bloom > 0 ? IN_GLOW : 0U) | parts_to_measure(plan));
}

/* The range of what the picture shows, as a whole. */
static void declare_picture_range(const struct plan *plan, const char *source, const char *result,
                                  unsigned parts)
{
    const size_t from = plan->declaration->pass_count;
    if (plan->band.whole || plan->direct) {
        vks_declare_range(plan->declaration, source, result, VKS_EACH_FRAME);
        run_in(plan, from, parts | ONCE);
        return;
    }
    const char *band = vks_declaration_name(plan->declaration, "%s_of_band", result);
    const struct widen_params params = {plan->params->row == 0};
    vks_declare_range(plan->declaration, source, band, VKS_EACH_FRAME);
    declare_buffer(plan, result, VKS_F32, 2);
    VKS_PASS(plan->declaration, .name = vks_declaration_name(plan->declaration, "widen %s", result),
             .shader = "view/widen", .when = VKS_EACH_FRAME,
             .uses =
                 VKS_USES({band, VKS_READ, "band_range"}, {result, VKS_READ_WRITE, "view_range"}),
             VKS_PUSH(params), .items = {1}, .group = {1, 1});
    run_in(plan, from, parts);
}

static void declare_level(const struct plan *plan)
{
    const bool two = plan->params->shown_else != NULL;
    const size_t from = plan->declaration->pass_count;
    const struct vks_use uses[] = {{"view_range", VKS_READ},
                                   {"view_level", VKS_READ_WRITE},
                                   {two ? "view_range_else" : NULL, VKS_READ},
                                   {0}};
    VKS_PASS(plan->declaration, .name = "level", .shader = two ? "view/level_else" : "view/level",
             .when = VKS_EACH_FRAME, .uses = uses,
             .specializations = VKS_SPECIALIZATIONS({"mode", plan->range.mode},
                                                    {"logarithmic", is_logarithmic(plan)}),
             VKS_PUSH(plan->view), .items = {1}, .group = {1, 1});
    run_in(plan, from, IN_LEVEL | ONCE);
}

/* The plain look, straight from the field or from "values". */
static void declare_colour(const struct plan *plan, const char *source, const char *source_else)
{
    const double cell_bytes = has_halves(plan, source) ? 2 : 4;
    const struct band *band = &plan->band;
    const size_t from = plan->declaration->pass_count;
    struct view_params view = plan->view;
    view.height = band->end - band->first;
    view.origin = view.width * (plan->direct ? band->first : band->first - band->first_value);
    const struct vks_use uses[] = {{source, VKS_READ, "shown"},
                                   {"view_level", VKS_READ},
                                   {"palette", VKS_READ},
                                   {"picture", VKS_WRITE},
                                   {source_else, VKS_READ, "shown_else"},
                                   {"view_range", VKS_READ},
                                   {0}};
    const struct vks_use one[] = {uses[0], uses[1], uses[2], uses[3], {0}};
    VKS_PASS(plan->declaration, .name = "colour",
             .shader = source_else ? "view/colour_else" : "view/colour", .when = VKS_EACH_FRAME,
             .uses = source_else ? uses : one,
             .specializations = VKS_SPECIALIZATIONS({"half_cells", has_halves(plan, source)},
                                                    {"logarithmic", is_logarithmic(plan)}),
             VKS_PUSH(view), .items = {(uint64_t)view.width * band->rows},
             .bytes = (cell_bytes + 4) * plan->pixels, .operations = 60 * plan->pixels);
    run_in(plan, from, IN_DRAW);
}

/* --- bloom ----------------------------------------------------------------------------------- */

enum { GLOW_SIDE = 256 }; /* blocks along the shorter side, up to twice as many */

/* Spread (standard deviation) of the two glows, in parts of the picture's shorter side, and their
 * strength at bloom 1. */
static const double tight_spread = 0.006, wide_spread = 0.045;
static const double tight_strength = 0.5, wide_strength = 0.4;

static uint32_t shorter_side(const struct vks_part *part)
{
    return part->out_width < part->out_height ? part->out_width : part->out_height;
}

static uint32_t glow_shift(const struct vks_part *part)
{
    uint32_t shift = 0;
    while (shorter_side(part) >> (shift + 1) >= GLOW_SIDE) {
        shift++;
    }
    return shift;
}

/* Blocks that a side has. */
static uint32_t blocks_of(uint32_t side, uint32_t shift)
{
    return (side + (UINT32_C(1) << shift) - 1) >> shift;
}

/* Not so narrow that the bell's sides vanish. */
static double spread_in_blocks(const struct vks_part *part, double spread)
{
    const double blocks = spread * shorter_side(part) / (double)(UINT32_C(1) << glow_shift(part));
    return blocks > 0.5 ? blocks : 0.5;
}

static uint32_t kernel_radius(const struct vks_part *part, double spread)
{
    return (uint32_t)ceil(3 * spread_in_blocks(part, spread));
}

/* What a glow is blurred with. */
struct kernel {
    struct vks_part part;
    double spread;
};

/* A bell curve in whole numbers: the middle, then outwards; 65536 with both sides. */
static enum vks_result fill_kernel(const void *user, const struct vks_field *field,
                                   const struct vks_source *source, void *out)
{
    const struct kernel *kernel = user;
    const uint32_t radius = kernel_radius(&kernel->part, kernel->spread);
    const double deviation = spread_in_blocks(&kernel->part, kernel->spread);
    uint32_t *weights = out;
    (void)field;
    (void)source;
    double sum = 1;
    uint32_t rest = 65536;
    for (uint32_t i = 1; i <= radius; i++) {
        sum += 2 * (double)vks_exp((float)(-0.5 * i * i / (deviation * deviation)));
    }
    for (uint32_t i = 1; i <= radius; i++) {
        const double bell = (double)vks_exp((float)(-0.5 * i * i / (deviation * deviation)));
        weights[i] = (uint32_t)(65536 * bell / sum);
        rest -= 2 * weights[i];
    }
    weights[0] = rest;
    return VKS_OK;
}

/* One glow: "glow" blurred across and down into `result`, through `half`. */
static void declare_blur(const struct plan *plan, double spread, const char *const names[2],
                         const char *kernel, const char *half, const char *result)
{
    const uint32_t shift = glow_shift(&plan->part);
    const struct blur_params params = {
        .width = blocks_of(plan->part.out_width, shift),
        .height = blocks_of(plan->part.out_height, shift),
        .radius = kernel_radius(&plan->part, spread),
    };
    const double blocks = (double)params.width * params.height;
    const struct kernel bell = {plan->part, spread};
    declare_table(plan, kernel, params.radius + 1, fill_kernel, &bell, sizeof(bell),
                  vks_declaration_name(plan->declaration, "%a of %u", spread,
                                       (unsigned)shorter_side(&plan->part)));
    declare_plane(plan, half, VKS_U32X2, params.height, params.width);
    declare_plane(plan, result, VKS_U32X2, params.height, params.width);
    for (uint32_t axis = BLUR_ACROSS; axis <= BLUR_DOWN; axis++) {
        const char *from = axis == BLUR_ACROSS ? "glow" : half;
        const char *to = axis == BLUR_ACROSS ? half : result;
        VKS_PASS(plan->declaration, .name = names[axis], .shader = "view/blur",
                 .when = VKS_EACH_FRAME,
                 .uses = VKS_USES({from, VKS_READ, "glow_from"}, {kernel, VKS_READ, "kernel"},
                                  {to, VKS_WRITE, "glow_to"}),
                 .specializations = VKS_SPECIALIZATIONS({"axis", axis}), VKS_PUSH(params),
                 .items = {params.width, params.height}, .bytes = 16 * blocks,
                 .operations = 10 * blocks * (params.radius + 1));
    }
}

static void declare_bloom(const struct plan *plan, const char *source)
{
    const uint32_t shift = glow_shift(&plan->part);
    const struct band *band = &plan->band;
    size_t from = plan->declaration->pass_count;
    const struct glow_params params = {
        .width = plan->part.out_width,
        .height = plan->part.out_height,
        .glow_width = blocks_of(plan->part.out_width, shift),
        .glow_height = blocks_of(plan->part.out_height, shift),
        .shift = shift,
        .gamma = plan->view.gamma,
        .contrast = plan->view.contrast,
        .first = band->first >> shift,
        .rows = blocks_of(band->end - band->first, shift),
        .origin = plan->direct ? 0 : band->first_value,
    };
    const uint32_t rows = blocks_of(band->rows, shift);
    const double blocks = (double)params.glow_width * rows;
    const double looked_at = shift < 3 ? plan->pixels : 64 * blocks;
    declare_plane(plan, "glow", VKS_U32X2, params.glow_height, params.glow_width);
    VKS_PASS(plan->declaration, .name = "glow", .shader = "view/glow", .when = VKS_EACH_FRAME,
             .uses = VKS_USES({source, VKS_READ, "shown"}, {"view_level", VKS_READ},
                              {"palette", VKS_READ}, {"glow", VKS_WRITE}),
             .specializations = VKS_SPECIALIZATIONS({"logarithmic", is_logarithmic(plan)}),
             VKS_PUSH(params), .items = {params.glow_width, rows},
             .bytes = 4 * looked_at + 8 * blocks, .operations = 80 * looked_at);
    run_in(plan, from, IN_GLOW);
    from = plan->declaration->pass_count;
    declare_blur(plan, tight_spread, (const char *const[]){"glow 1 across", "glow 1 down"},
                 "kernel_tight", "glow_tight_half", "glow_tight");
    declare_blur(plan, wide_spread, (const char *const[]){"glow 2 across", "glow 2 down"},
                 "kernel_wide", "glow_wide_half", "glow_wide");
    run_in(plan, from, IN_BLUR | ONCE);
}

/* --- the rest -------------------------------------------------------------------------------- */

/* Cells of height that hillshade 1 gives the highest value. */
static const double relief_height = 5;

static bool takes_no_alpha(const struct vks_view_params *params)
{
    return (params->wants & (VKS_VIEW_YUV | VKS_VIEW_OPAQUE)) != 0;
}

/* A background picture. */
struct backdrop {
    const char *path; /* the look's */
    struct vks_part part;
    uint32_t first, end; /* rows of the picture */
    bool opaque;         /* no pixel of it may be transparent */
};

static enum vks_result fill_backdrop(const void *user, const struct vks_field *field,
                                     const struct vks_source *source, void *out)
{
    const struct backdrop *backdrop = user;
    const struct vks_part *part = &backdrop->part;
    uint8_t *rgba = NULL;
    enum vks_result result =
        vks_image_resized(backdrop->path, part->out_width, part->out_height, backdrop->first,
                          backdrop->end - backdrop->first, &rgba);
    (void)field;
    (void)source;
    if (result != VKS_OK) {
        struct vks_error why;
        vks_error_keep(&why);
        return vks_fail(result, "--background: %s", why.text);
    }
    const size_t pixels = (size_t)part->out_width * (backdrop->end - backdrop->first);
    for (size_t i = 0; backdrop->opaque && result == VKS_OK && i < pixels; i++) {
        if (rgba[4 * i + 3] != 255) {
            result = vks_fail(VKS_ERROR_USAGE,
                              "--background '%s' is transparent in places, and a video has no "
                              "transparency; write pictures (.png) or use another",
                              backdrop->path);
        }
    }
    memcpy(out, rgba, 4 * pixels);
    free(rgba);
    return result;
}

static void declare_backdrop(const struct plan *plan)
{
    const struct band *band = &plan->band;
    const bool draws = band->whole || plan->params->part == VKS_VIEW_DRAW;
    const struct backdrop backdrop = {.path = plan->ground.path,
                                      .part = plan->part,
                                      .first = draws ? band->first : 0,
                                      .end = draws ? band->end : band->rows,
                                      .opaque = takes_no_alpha(plan->params)};
    VKS_FIELD(plan->declaration, .name = "backdrop", .element = VKS_U32, .rank = 2,
              .shape = {band->rows, plan->part.out_width}, .fill = fill_backdrop,
              .user = vks_declaration_copy(plan->declaration, &backdrop, sizeof(backdrop)),
              .made_from = vks_declaration_name(plan->declaration, "rows from %u on of %s",
                                                backdrop.first, backdrop.path));
}

/* Relief, glow, background, or 16 bits. What a look does not have is bound to another buffer, which
 * the shader then leaves alone. */
static void declare_paint(const struct plan *plan, const char *source)
{
    const struct vks_look *look = plan->params->look;
    const struct vks_part *part = &plan->part;
    const struct band *band = &plan->band;
    const size_t from = plan->declaration->pass_count;
    const bool glows = look->bloom > 0, deep = (plan->params->wants & VKS_VIEW_RGBA16) != 0;
    const uint32_t shift = glow_shift(part);
    /* A pixel's way in cells turns a difference into a slope; 8 is the sum of Sobel's weights. */
    const double height = look->hillshade * relief_height / 8;
    const struct paint_params params = {
        .width = part->out_width,
        .height = part->out_height,
        .gamma = plan->view.gamma,
        .contrast = plan->view.contrast,
        .relief_x = vks_flush((float)(height * part->out_width / part->width)),
        .relief_y = vks_flush((float)(height * part->out_height / part->height)),
        .glow_width = blocks_of(part->out_width, shift),
        .glow_height = blocks_of(part->out_height, shift),
        .glow_shift = shift,
        .tight = (uint32_t)(256 * tight_strength * look->bloom + 0.5),
        .wide = (uint32_t)(256 * wide_strength * look->bloom + 0.5),
        .ground = plan->ground.colour,
        .first = band->first,
        .rows = band->end - band->first,
        .origin = plan->direct ? 0 : band->first_value,
    };
    const bool framed = plan->ground.kind == VKS_GROUND_FILE;
    const struct vks_use uses[] = {{source, VKS_READ, "shown"},
                                   {"view_level", VKS_READ},
                                   {"palette", VKS_READ},
                                   {glows ? "glow_tight" : "palette", VKS_READ, "glow_tight"},
                                   {glows ? "glow_wide" : "palette", VKS_READ, "glow_wide"},
                                   {framed ? "backdrop" : "palette", VKS_READ, "backdrop"},
                                   {"picture", VKS_WRITE},
                                   {deep ? "picture16" : NULL, VKS_WRITE},
                                   {0}};
    if (framed) {
        declare_backdrop(plan);
    }
    if (deep) {
        declare_plane(plan, "picture16", VKS_U32X2, band->rows, part->out_width);
    }
    VKS_PASS(plan->declaration, .name = "paint", .shader = deep ? "view/paint16" : "view/paint",
             .when = VKS_EACH_FRAME, .uses = uses,
             .specializations = VKS_SPECIALIZATIONS({"relief", look->hillshade > 0},
                                                    {"glows", glows}, {"ground", plan->ground.kind},
                                                    {"logarithmic", is_logarithmic(plan)}),
             VKS_PUSH(params), .items = {params.width, band->rows},
             .group = {32, 8}, /* the shader's tile */
             .bytes = (8 + (framed ? 4 : 0) + (deep ? 8 : 0)) * plan->pixels,
             .operations =
                 (80 + (look->hillshade > 0 ? 150 : 0) + (glows ? 150 : 0)) * plan->pixels);
    run_in(plan, from, IN_DRAW);
}

void vks_declare_planes(struct vks_declaration *declaration, uint32_t width, uint32_t height)
{
    const double pixels = (double)width * height;
    struct view_params view = {.width = width, .height = height};
    vks_coded_size(width, height, &view.coded_width, &view.coded_height);
    const uint64_t coded = (uint64_t)view.coded_width * view.coded_height;
    VKS_FIELD(declaration, .name = "planes", .element = VKS_U32, .rank = 1,
              .shape = {coded / 8 * 3});
    VKS_PASS(declaration, .name = "yuv", .shader = "view/yuv", .when = VKS_EACH_FRAME,
             .uses = VKS_USES({"picture", VKS_READ}, {"planes", VKS_WRITE}), VKS_PUSH(view),
             .items = {view.coded_width / 8, view.coded_height / 2}, .group = {32, 4},
             .bytes = 5.5 * pixels, .operations = 10 * pixels);
}

static enum vks_result make_plan(struct plan *plan)
{
    const struct vks_look *look = plan->params->look;
    const bool points = plan->params->points != NULL;
    struct vks_camera camera = {0};
    if (points) {
        const uint64_t *grid = plan->declaration->grid;
        const struct vks_size size = {(uint32_t)grid[2], (uint32_t)grid[1], (uint32_t)grid[0]};
        uint32_t width, height;
        vks_look_size(look, size, &width, &height);
        plan->shape[0] = height;
        plan->shape[1] = width;
    } else {
        const struct vks_field *field = field_of(plan, plan->params->shown);
        memcpy(plan->shape, field->shape + field->rank - 2, sizeof(plan->shape));
    }
    enum vks_result result = vks_look_range(look, &plan->range);
    if (result == VKS_OK) {
        result =
            vks_look_part(look, (uint32_t)plan->shape[1], (uint32_t)plan->shape[0], &plan->part);
    }
    if (result == VKS_OK && points) {
        result = vks_look_camera(look, &camera);
    }
    if (camera.given) { /* a turned box has no cells: each pixel counts as one */
        plan->part.x = plan->part.y = 0;
        plan->part.width = plan->part.out_width;
        plan->part.height = plan->part.out_height;
    }
    if (result == VKS_OK) {
        result = vks_look_ground(look, &plan->ground);
    }
    if (result == VKS_OK && plan->ground.kind == VKS_GROUND_TRANSPARENT &&
        takes_no_alpha(plan->params)) {
        return vks_fail(VKS_ERROR_USAGE, "--background transparent is for pictures (.png): a video "
                                         "has no transparency; use a colour, such as "
                                         "--background '#000000'");
    }
    const struct vks_part *part = &plan->part;
    const unsigned wants = plan->params->wants;
    const bool all = part->out_width == plan->shape[1] && part->out_height == plan->shape[0] &&
                     part->width == plan->shape[1] && part->height == plan->shape[0];
    plan->plain = look->hillshade <= 0 && look->bloom <= 0 &&
                  plan->ground.kind == VKS_GROUND_NONE && !(wants & VKS_VIEW_RGBA16);
    /* Paint takes floats, of one field. */
    plan->direct =
        all && !points && !(wants & VKS_VIEW_VALUES) &&
        (plan->plain || (!plan->params->shown_else && !has_halves(plan, plan->params->shown)));
    plan->pixels = (double)part->out_width * part->out_height;
    plan_band(plan);
    plan->view = (struct view_params){
        .width = plan->part.out_width,
        .height = plan->part.out_height,
        .low = vks_flush((float)plan->range.low),
        .high = vks_flush((float)plan->range.high),
        .follow = 0.05f,
        .gamma = (float)look->gamma,
        .contrast = vks_flush((float)look->contrast),
    };
    vks_coded_size(plan->view.width, plan->view.height, &plan->view.coded_width,
                   &plan->view.coded_height);
    return result;
}

/* A field to be shown must be there, be a plane or a volume, and have numbers that colours can
 * stand for. */
static enum vks_result check_shown(const struct plan *plan, const char *name)
{
    const struct vks_field *field = field_of(plan, name);
    if (!field) {
        return vks_fail(VKS_ERROR_GPU, "the field '%s' is to be shown but is not declared", name);
    }
    if (field->rank < 2 || vks_element_info(field->element)->kind != 'f') {
        return vks_fail(VKS_ERROR_GPU,
                        "the field '%s' cannot be shown: it must have rank 2 or 3 and elements "
                        "VKS_F32 or VKS_F16",
                        name);
    }
    const struct vks_field *shown = field_of(plan, plan->params->shown);
    if (field->rank != shown->rank ||
        memcmp(field->shape, shown->shape, field->rank * sizeof(*field->shape)) != 0) {
        return vks_fail(VKS_ERROR_GPU,
                        "the fields '%s' and '%s' cannot both be shown: they differ "
                        "in shape",
                        shown->name, name);
    }
    return VKS_OK;
}

/* Of volumes, declares the planes that are then shown instead. */
static enum vks_result flatten(struct vks_declaration *declaration, struct vks_view_params *params)
{
    const int index = vks_find_field(declaration, params->shown);
    const struct vks_field *field = &declaration->fields[index];
    if (field->rank == 2 || field->shape[0] == 1) {
        return vks_look_flat(params->look);
    }
    vks_declare_plane(declaration, params->look, params->shown, "view_plane", "project");
    params->shown = "view_plane";
    if (params->shown_else) {
        vks_declare_plane(declaration, params->look, params->shown_else, "view_plane_else",
                          "else project");
        params->shown_else = "view_plane_else";
    }
    return declaration->result;
}

void vks_declare_view(struct vks_declaration *declaration, const struct vks_view_params *view)
{
    struct vks_view_params flat = *view;
    const struct vks_view_params *const params = &flat;
    struct plan plan = {.declaration = declaration, .params = params};
    if (declaration->result != VKS_OK) {
        return;
    }
    enum vks_result result = params->points ? vks_check_points(declaration, params->points)
                                            : check_shown(&plan, params->shown);
    if (result == VKS_OK && params->shown_else) {
        result = check_shown(&plan, params->shown_else);
    }
    if (result == VKS_OK && !params->points) {
        result = flatten(declaration, &flat);
    }
    if (result == VKS_OK) {
        result = make_plan(&plan);
    }
    if (result != VKS_OK) {
        vks_declaration_fail(declaration, result);
        return;
    }
    const struct vks_part *part = &plan.part;
    const struct band *band = &plan.band;
    const bool direct = plan.direct;
    const char *source = direct ? params->shown : "values";
    /* The model's own drawing passes, and those that flatten volumes, run once, before everything.
     */
    run_in(&plan, 0, IN_MEASURE | ONCE);
    declaration->goes_on = !band->whole && (params->part != VKS_VIEW_MEASURE || params->row > 0);
    declare_buffer(&plan, "view_level", VKS_F32, LEVEL_WORDS);
    declare_palette(&plan);
    declare_plane(&plan, "picture", VKS_U32, band->rows, part->out_width);
    if (!direct) {
        declare_plane(&plan, "values", VKS_F32, band->value_rows, part->out_width);
    }
    if (params->points) {
        declare_points(&plan);
    } else if (!direct) {
        const struct vks_resized_axis down = axis_of(part, plan.shape, RESAMPLE_DOWN);
        const struct vks_resized_axis across = axis_of(part, plan.shape, RESAMPLE_ACROSS);
        declare_taps(&plan, "taps_down", &down);
        declare_taps(&plan, "taps_across", &across);
        declare_resampling(&plan, params->shown, false);
    }
    declare_picture_range(&plan, source, "view_range", parts_to_measure(&plan));
    if (params->shown_else) {
        if (!direct) {
            declare_resampling(&plan, params->shown_else, true);
        }
        declare_picture_range(&plan, direct ? params->shown_else : source, "view_range_else",
                              IN_MEASURE_ELSE);
    }
    declare_level(&plan);
    if (plan.plain) {
        declare_colour(&plan, source, direct ? params->shown_else : NULL);
    } else {
        if (params->look->bloom > 0) {
            declare_bloom(&plan, source);
        }
        declare_paint(&plan, source);
    }
    if (params->wants & VKS_VIEW_YUV) {
        vks_declare_planes(declaration, plan.view.width, plan.view.height);
    }
}
