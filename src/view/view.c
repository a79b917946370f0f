/* SPDX-License-Identifier: MIT */
#include "view/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vksim/model.h>

#include "base/error.h"
#include "base/exact.h"
#include "base/nearest.h"
#include "io/image.h"
#include "view/colour.h"
#include "view/colormap.h"
#include "view/plane.h"
#include "view/points.h"
#include "view/rays.h"
#include "view/plan.h"

_Static_assert(VKS_RANGE_FRAME == VIEW_FRAME && VKS_RANGE_FIXED == VIEW_FIXED &&
                   VKS_RANGE_SMOOTH == VIEW_SMOOTH,
               "a mode has one number");
_Static_assert(VKS_BACKGROUND_NONE == BACKGROUND_NONE &&
                   VKS_BACKGROUND_TRANSPARENT == BACKGROUND_TRANSPARENT &&
                   VKS_BACKGROUND_COLOUR == BACKGROUND_COLOUR &&
                   VKS_BACKGROUND_FILE == BACKGROUND_IMAGE,
               "a background has one number");

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

void vks_view_hues(uint32_t palette[257])
{
    for (size_t i = 0; i < 256; i++) {
        uint32_t largest = 0, hue = palette[i] & UINT32_C(0xff000000);
        for (uint32_t shift = 0; shift < 24; shift += 8) {
            const uint32_t channel = palette[i] >> shift & 0xff;
            largest = channel > largest ? channel : largest;
        }
        for (uint32_t shift = 0; shift < 24; shift += 8) {
            const uint32_t channel = palette[i] >> shift & 0xff;
            hue |= (largest ? (channel * 255 + largest / 2) / largest : 255) << shift;
        }
        palette[i] = hue;
    }
}

/* --- passes ---------------------------------------------------------------------------------- */

static enum vks_result fill_palette(const void *user, const struct vks_field *field,
                                    const struct vks_source *source, void *out)
{
    const struct vks_look *look = user;
    const struct vks_look_values *values = &look->values;
    const uint64_t planes = field->shape[0] / PALETTE_WORDS;
    (void)source;
    for (uint64_t i = 0; i < planes; i++) {
        const struct vks_colormap *map = planes > 1 ? &values->mix.maps[i] : &values->map;
        vks_view_palette(look, map->entries, map->discrete, (uint32_t *)out + i * PALETTE_WORDS);
    }
    return VKS_OK;
}

static enum vks_result fill_hues(const void *user, const struct vks_field *field,
                                 const struct vks_source *source, void *out)
{
    const enum vks_result result = fill_palette(user, field, source, out);
    vks_view_hues(out);
    return result;
}

static void declare_palette(const struct vks_plan *plan)
{
    const struct vks_look *look = plan->params->look;
    const struct vks_look_mix *mix = &look->values.mix;
    const bool tinted = plan->params->tint != NULL;
    vks_plan_table(plan, "palette", (uint64_t)plan->planes * PALETTE_WORDS,
                   tinted ? fill_hues : fill_palette, look, sizeof(*look),
                   vks_declaration_name(plan->declaration, "%s %u%s%s",
                                        mix->planes > 1 ? mix->digest : look->colormap, mix->only,
                                        look->invert ? " inverted" : "", tinted ? " hues" : ""));
}

/* The parts of a banded picture that need the values of each pixel. */
static unsigned parts_with_values(const struct vks_plan *plan, bool gated)
{
    return IN_DRAW | (plan->params->look->bloom > 0 ? IN_GLOW : 0U) |
           (gated ? IN_MEASURE_FALLBACK : vks_plan_parts_to_measure(plan));
}

/* Casts rays through a volume into `target`. */
static void declare_rays(const struct vks_plan *plan, const char *volume, const char *target,
                         bool gated)
{
    const size_t from = plan->declaration->pass_count;
    const struct vks_rays rays = {.look = plan->params->look,
                                  .part = plan->part,
                                  .first = plan->band.first_value,
                                  .rows = plan->band.value_rows,
                                  .volume = volume,
                                  .target = target,
                                  .gated = gated};
    vks_declare_rays(plan->declaration, &rays);
    vks_plan_run_in(plan, from, parts_with_values(plan, gated));
}

/* Counts points into "values". */
static void declare_points(const struct vks_plan *plan)
{
    const size_t from = plan->declaration->pass_count;
    const struct vks_points points = {.fields = plan->params->points,
                                      .tint = plan->params->tint,
                                      .look = plan->params->look,
                                      .part = plan->part,
                                      .first = plan->band.first_value,
                                      .rows = plan->band.value_rows};
    vks_declare_points(plan->declaration, &points);
    vks_plan_run_in(plan, from, parts_with_values(plan, false));
}

/* The range of the whole picture. */
static void declare_picture_range(const struct vks_plan *plan, const char *source,
                                  const char *result, unsigned parts)
{
    const size_t from = plan->declaration->pass_count;
    if (plan->band.whole || plan->direct) {
        vks_declare_range(plan->declaration, source, result, VKS_EACH_FRAME);
        vks_plan_run_in(plan, from, parts | ONCE);
        return;
    }
    const char *band = vks_declaration_name(plan->declaration, "%s_of_band", result);
    const struct widen_params params = {plan->params->row == 0};
    vks_declare_range(plan->declaration, source, band, VKS_EACH_FRAME);
    vks_plan_buffer(plan, result, VKS_F32, 2);
    VKS_PASS(plan->declaration, .name = vks_declaration_name(plan->declaration, "widen %s", result),
             .shader = "view/widen", .when = VKS_EACH_FRAME,
             .uses =
                 VKS_USES({band, VKS_READ, "band_range"}, {result, VKS_READ_WRITE, "view_range"}),
             VKS_PUSH(params), .items = {1}, .group = {1, 1});
    vks_plan_run_in(plan, from, parts);
}

/* Copies "values" to the plane of the values of the picture, which a fallback may replace. */
static const char *declare_apart(const struct vks_plan *plan)
{
    static const char name[] = "picture_values";
    const size_t from = plan->declaration->pass_count;
    vks_plan_plane(plan, name, VKS_F32, plan->band.value_rows, plan->part.out_width);
    vks_plan_copy(plan, "keep values", "values", name);
    vks_plan_run_in(plan, from,
                    IN_DRAW | IN_MEASURE_FALLBACK | (plan->params->look->bloom > 0 ? IN_GLOW : 0U));
    return name;
}

static void declare_level(const struct vks_plan *plan, const char *source)
{
    const bool two = plan->params->fallback != NULL;
    const size_t from = plan->declaration->pass_count;
    const struct vks_use uses[] = {{"view_range", VKS_READ},
                                   {"view_level", VKS_READ_WRITE},
                                   {source, VKS_READ, "displayed"},
                                   {two ? "view_range_fallback" : NULL, VKS_READ},
                                   {0}};
    /* Clipped values are counted if nothing else has to fit the range. */
    const bool counts = plan->range.mode == VKS_RANGE_FIXED && plan->band.whole;
    const struct level_params params = {
        .low = plan->view.low,
        .high = plan->view.high,
        .follow = 0.05f,
        .values = counts ? (uint32_t)vks_field_count(vks_plan_field(plan, source)) : 0,
    };
    VKS_PASS(plan->declaration, .name = "level",
             .shader = two ? "view/level_fallback" : "view/level", .when = VKS_EACH_FRAME,
             .uses = uses,
             .specializations = VKS_SPECIALIZATIONS(
                 {"mode", plan->range.mode}, {"logarithmic", vks_plan_is_logarithmic(plan)},
                 {"symmetric", vks_plan_is_symmetric(plan)},
                 {"half_cells", vks_plan_has_halves(plan, source)}),
             VKS_PUSH(params), .items = {counts ? LEVEL_SAMPLES : 1}, .group = {LEVEL_SAMPLES, 1});
    vks_plan_run_in(plan, from, IN_LEVEL | ONCE);
}

/* Draws the plain look, directly from the field or from "values". */
static void declare_colour(const struct vks_plan *plan, const char *source,
                           const char *fallback_source)
{
    const double cell_bytes = vks_plan_has_halves(plan, source) ? 2 : 4;
    const struct vks_plan_rows *band = &plan->band;
    const size_t from = plan->declaration->pass_count;
    struct view_params view = plan->view;
    view.height = band->end - band->first;
    view.origin = view.width * (plan->direct ? band->first : band->first - band->first_value);
    const struct vks_use uses[] = {{source, VKS_READ, "displayed"},
                                   {"view_level", VKS_READ},
                                   {"palette", VKS_READ},
                                   {"picture", VKS_WRITE},
                                   {fallback_source, VKS_READ, "fallback"},
                                   {"view_range", VKS_READ},
                                   {0}};
    const struct vks_use one[] = {uses[0], uses[1], uses[2], uses[3], {0}};
    /* Four pixels at a time: software drivers take as long for one element as for four. */
    const bool fours = view.width % 4 == 0;
    const bool texels =
        vks_field_count(vks_plan_field(plan, source)) <= plan->declaration->software.texels;
    VKS_PASS(plan->declaration, .name = "colour",
             .shader = vks_declaration_name(plan->declaration, "view/colour%s%s%s",
                                            fours ? "4" : "", fallback_source ? "_fallback" : "",
                                            fours && texels ? "_texels" : ""),
             .when = VKS_EACH_FRAME, .uses = fallback_source ? uses : one,
             .specializations = VKS_SPECIALIZATIONS(
                 {"half_cells", vks_plan_has_halves(plan, source)},
                 {"logarithmic", vks_plan_is_logarithmic(plan)},
                 {"symmetric", vks_plan_is_symmetric(plan)}, {"curve", vks_plan_curve(plan)}),
             VKS_PUSH(view), .items = {(uint64_t)view.width * band->rows / (fours ? 4 : 1)},
             .bytes = (cell_bytes + 4) * plan->pixels, .operations = 60 * plan->pixels);
    vks_plan_run_in(plan, from, IN_DRAW);
}

/* --- the rest -------------------------------------------------------------------------------- */

/* Strength of the two glows at bloom 1. */
static const double tight_strength = 2.4, wide_strength = 4.5;
/* Height of the highest value at hillshade 1, in cells. */
static const double relief_height = 12;

static bool takes_no_alpha(const struct vks_view_params *params)
{
    return (params->planes & VKS_VIEW_OPAQUE) || vks_planes_are_opaque(params->planes);
}

/* A background image. */
struct background_image {
    const char *path; /* the look's */
    struct vks_part part;
    uint32_t first, end; /* rows of the picture */
    bool opaque;         /* transparent pixels are refused */
};

static enum vks_result fill_background(const void *user, const struct vks_field *field,
                                       const struct vks_source *source, void *out)
{
    const struct background_image *image = user;
    const struct vks_part *part = &image->part;
    uint8_t *rgba = NULL;
    enum vks_result result = vks_image_resized(image->path, part->out_width, part->out_height,
                                               image->first, image->end - image->first, &rgba);
    (void)field;
    (void)source;
    if (result != VKS_OK) {
        return vks_look_fail_background(result, image->path);
    }
    const size_t pixels = (size_t)part->out_width * (image->end - image->first);
    for (size_t i = 0; image->opaque && result == VKS_OK && i < pixels; i++) {
        if (rgba[4 * i + 3] != 255) {
            result = vks_fail_option(VKS_ERROR_USAGE, "background",
                                     "'%s' is transparent in places, and a video has no "
                                     "transparency; write pictures (.png) or use another",
                                     image->path);
        }
    }
    memcpy(out, rgba, 4 * pixels);
    free(rgba);
    return result;
}

static void declare_background(const struct vks_plan *plan)
{
    const struct vks_plan_rows *band = &plan->band;
    const bool draws = band->whole || plan->params->part == VKS_VIEW_DRAW;
    const struct background_image image = {.path = plan->params->look->background,
                                           .part = plan->part,
                                           .first = draws ? band->first : 0,
                                           .end = draws ? band->end : band->rows,
                                           .opaque = takes_no_alpha(plan->params)};
    VKS_FIELD(plan->declaration, .name = "background_image", .element = VKS_U32, .rank = 2,
              .shape = {band->rows, plan->part.out_width}, .fill = fill_background,
              .user = vks_declaration_copy(plan->declaration, &image, sizeof(image)),
              .made_from = vks_declaration_name(plan->declaration, "rows from %u on of %s",
                                                image.first, image.path));
}

/* The light of a hillshade: a unit vector towards it, x to the right, y down, z to the eye. */
static void set_light(const struct vks_look *look, struct paint_params *params)
{
    const vks_vec2 round = vks_sincos(look->values.light.azimuth);
    const vks_vec2 high = vks_sincos(look->values.light.elevation);
    const double x = (double)high.y * (double)round.x, y = -(double)high.y * (double)round.y;
    const double z = (double)high.x, length = sqrt(x * x + y * y + (z + 1) * (z + 1));
    params->light_x = vks_flush((float)(-x / z));
    params->light_y = vks_flush((float)(-y / z));
    params->half_x = vks_flush((float)(x / length));
    params->half_y = vks_flush((float)(y / length));
    params->half_z = vks_flush((float)((z + 1) / length));
    params->gloss = vks_flush((float)look->gloss);
}

/* Hillshade, bloom, background, 16 bits or a mix. Unused bindings get the palette or another field
 * as a dummy buffer. */
static void declare_paint(const struct vks_plan *plan, const char *source)
{
    const struct vks_look *look = plan->params->look;
    const struct vks_part *part = &plan->part;
    const struct vks_plan_rows *band = &plan->band;
    const size_t from = plan->declaration->pass_count;
    const bool glows = look->bloom > 0, deep = vks_planes_are_deep(plan->params->planes);
    const uint32_t shift = vks_plan_glow_shift(part);
    /* A difference divided by the pixel's size in cells is a slope; 8 is the sum of the Sobel
     * weights. */
    const double height = look->hillshade * relief_height / 8;
    struct paint_params params = {
        .width = part->out_width,
        .height = part->out_height,
        .gamma = plan->view.gamma,
        .contrast = plan->view.contrast,
        .relief_x = vks_flush((float)(height * part->out_width / part->width)),
        .relief_y = vks_flush((float)(height * part->out_height / part->height)),
        .glow_width = vks_plan_blocks(part->out_width, shift),
        .glow_height = vks_plan_blocks(part->out_height, shift),
        .glow_shift = shift,
        .tight = (uint32_t)(256 * tight_strength * look->bloom + 0.5),
        .wide = (uint32_t)(256 * wide_strength * look->bloom + 0.5),
        .background = plan->background.colour,
        .first = band->first,
        .rows = band->end - band->first,
        .origin = plan->direct ? 0 : band->first_value,
        .plane = vks_plan_stride(plan, source),
    };
    if (look->hillshade > 0) {
        set_light(look, &params);
    }
    const bool framed = plan->background.kind == VKS_BACKGROUND_FILE;
    const struct vks_use uses[] = {
        {source, VKS_READ, "displayed"},
        {"view_level", VKS_READ},
        {"palette", VKS_READ},
        {glows ? "glow_tight" : "palette", VKS_READ, "glow_tight"},
        {glows ? "glow_wide" : "palette", VKS_READ, "glow_wide"},
        {framed ? "background_image" : "palette", VKS_READ, "background_image"},
        {"picture", VKS_WRITE},
        {plan->params->tint ? "view_tints" : "palette", VKS_READ, "view_tints"},
        {deep ? "picture16" : NULL, VKS_WRITE},
        {0}};
    if (framed) {
        declare_background(plan);
    }
    if (deep) {
        vks_plan_plane(plan, "picture16", VKS_U32X2, band->rows, part->out_width);
    }
    VKS_PASS(
        plan->declaration, .name = "paint", .shader = deep ? "view/paint16" : "view/paint",
        .when = VKS_EACH_FRAME, .uses = uses,
        .specializations = VKS_SPECIALIZATIONS(
            {"relief", look->hillshade > 0}, {"glows", glows},
            {"background", plan->background.kind}, {"logarithmic", vks_plan_is_logarithmic(plan)},
            {"symmetric", vks_plan_is_symmetric(plan)}, {"curve", vks_plan_curve(plan)},
            {"planes", plan->planes}, {"strongest", vks_plan_is_strongest(plan)},
            {"tinted", plan->params->tint != NULL}),
        VKS_PUSH(params), .items = {params.width, band->rows},
        .group = {32, 8}, /* the shader's tile */
        .bytes = (4 * plan->planes + 4 + (framed ? 4 : 0) + (deep ? 8 : 0)) * plan->pixels,
        .operations = (80 * plan->planes + (look->hillshade > 0 ? 250 : 0) + (glows ? 150 : 0)) *
                      plan->pixels);
    vks_plan_run_in(plan, from, IN_DRAW);
}

/* Heights of "values", or of those of the fallback. */
static void declare_heights(const struct vks_plan *plan, const char *source)
{
    const struct vks_plan_rows *band = &plan->band;
    const char *name = vks_plane_formats[VKS_PLANE_HEIGHTS].field;
    const size_t from = plan->declaration->pass_count;
    const struct heights_params params = {
        .pixels = (band->end - band->first) * plan->part.out_width,
        .origin = (band->first - band->first_value) * plan->part.out_width,
        .plane = vks_plan_stride(plan, source),
    };
    vks_plan_plane(plan, name, VKS_U32, band->rows, plan->part.out_width);
    VKS_PASS(plan->declaration, .name = name, .shader = "view/heights", .when = VKS_EACH_FRAME,
             .uses = VKS_USES({source, VKS_READ, "displayed"}, {"view_level", VKS_READ},
                              {name, VKS_WRITE}),
             .specializations = VKS_SPECIALIZATIONS({"planes", plan->planes},
                                                    {"logarithmic", vks_plan_is_logarithmic(plan)},
                                                    {"symmetric", vks_plan_is_symmetric(plan)}),
             VKS_PUSH(params), .items = {(uint64_t)band->rows * plan->part.out_width},
             .bytes = (4 * plan->planes + 4) * plan->pixels, .operations = 5 * plan->pixels);
    vks_plan_run_in(plan, from, IN_DRAW);
}

static enum vks_result make_plan(struct vks_plan *plan)
{
    const struct vks_look *look = plan->params->look;
    const bool points = plan->params->points != NULL;
    if (points) {
        const uint64_t *grid = plan->declaration->grid;
        const struct vks_size size = {(uint32_t)grid[2], (uint32_t)grid[1], (uint32_t)grid[0]};
        uint32_t width, height;
        vks_look_size(look, size, &width, &height);
        plan->shape[0] = height;
        plan->shape[1] = width;
    } else if (plan->params->given) {
        memcpy(plan->shape, plan->params->given, sizeof(plan->shape));
    } else {
        const struct vks_field *field = vks_plan_field(plan, plan->params->displayed);
        memcpy(plan->shape, field->shape + field->rank - 2, sizeof(plan->shape));
    }
    const struct vks_look_values *values = &look->values;
    plan->range = values->range;
    plan->background = values->background;
    plan->part = values->part;
    if (plan->part.out_width == 0 || (uint64_t)plan->part.x + plan->part.width > plan->shape[1] ||
        (uint64_t)plan->part.y + plan->part.height > plan->shape[0]) {
        return vks_fail(VKS_ERROR_INTERNAL, "a look is used that was not finished for this field");
    }
    if (plan->rays ||
        (points && values->camera.given)) { /* a rotated box has no cells: a pixel counts as one */
        plan->part.x = plan->part.y = 0;
        plan->part.width = plan->part.out_width;
        plan->part.height = plan->part.out_height;
    }
    if (plan->background.kind == VKS_BACKGROUND_TRANSPARENT && takes_no_alpha(plan->params)) {
        return vks_fail_option(VKS_ERROR_USAGE, "background",
                               "transparent: this output has no transparency; use a colour, "
                               "such as background '#000000'");
    }
    const struct vks_part *part = &plan->part;
    const unsigned planes = plan->params->planes;
    const bool all = part->out_width == plan->shape[1] && part->out_height == plan->shape[0] &&
                     part->width == plan->shape[1] && part->height == plan->shape[0];
    plan->plain = look->hillshade <= 0 && look->bloom <= 0 &&
                  plan->background.kind == VKS_BACKGROUND_NONE && !vks_planes_are_deep(planes) &&
                  plan->planes == 1 && !plan->params->tint;
    /* "paint" reads float32 of one field. */
    plan->direct =
        all && !points && !plan->params->given && !plan->rays &&
        !vks_has_plane(planes, VKS_PLANE_VALUES) && !vks_has_plane(planes, VKS_PLANE_HEIGHTS) &&
        (plan->plain ||
         (!plan->params->fallback && !vks_plan_has_halves(plan, plan->params->displayed)));
    plan->pixels = (double)part->out_width * part->out_height;
    vks_plan_band(plan);
    const uint64_t cells = plan->shape[0] * plan->shape[1];
    const uint64_t shown = (uint64_t)plan->band.value_rows * part->out_width;
    const uint64_t largest = plan->planes * (cells > shown ? cells : shown);
    if (plan->planes > 1 && largest > UINT32_MAX) {
        return vks_fail_hint(VKS_ERROR_USAGE, VKS_HINT_SIZE,
                             "a view of %u planes has %" PRIu64 " values; the limit is 2^32 - 1",
                             plan->planes, largest);
    }
    plan->view = (struct view_params){
        .width = plan->part.out_width,
        .height = plan->part.out_height,
        .low = vks_flush((float)plan->range.low),
        .high = vks_flush((float)plan->range.high),
        .gamma = (float)look->gamma,
        .contrast = vks_flush((float)look->contrast),
    };
    vks_coded_size(plan->view.width, plan->view.height, &plan->view.coded_width,
                   &plan->view.coded_height);
    return VKS_OK;
}

/* A displayed field must be declared, have rank 2 or 3 and elements of float32 or float16. */
static enum vks_result check_displayed(const struct vks_plan *plan, const char *name)
{
    const struct vks_field *field = vks_plan_field(plan, name);
    if (!field) {
        return vks_fail(VKS_ERROR_INTERNAL, "the view's field '%s' is not declared", name);
    }
    if (field->rank < 2 || vks_element_info(field->element)->kind != 'f') {
        return vks_fail(VKS_ERROR_INTERNAL,
                        "the field '%s' cannot be shown: it must have rank 2 or 3 and elements "
                        "VKS_F32 or VKS_F16",
                        name);
    }
    const struct vks_field *displayed = vks_plan_field(plan, plan->params->displayed);
    if (field->rank != displayed->rank ||
        memcmp(field->shape, displayed->shape, field->rank * sizeof(*field->shape)) != 0) {
        return vks_fail(VKS_ERROR_INTERNAL,
                        "the fields '%s' and '%s' cannot both be shown: they differ "
                        "in shape",
                        displayed->name, name);
    }
    return VKS_OK;
}

/* Checks the field of a mix; with `only` its plane is displayed instead. */
static enum vks_result select_planes(struct vks_plan *plan, struct vks_view_params *params)
{
    const struct vks_look_mix *mix = &params->look->values.mix;
    const struct vks_field *field = vks_plan_field(plan, params->displayed);
    if (field->rank != 3 || field->shape[0] != mix->planes || params->fallback) {
        return vks_fail(VKS_ERROR_INTERNAL,
                        "the field '%s' cannot be mixed: it must have %u planes and no fallback",
                        params->displayed, mix->planes);
    }
    if (mix->only == 0) {
        plan->planes = mix->planes;
        return VKS_OK;
    }
    const struct vks_plane plane = {VKS_SIGHT_Z, VKS_PROJECT_SLICE,
                                    (mix->only - 0.5) / mix->planes};
    vks_declare_plane(plan->declaration, plane, params->displayed, "view_plane", "select");
    params->displayed = "view_plane";
    return plan->declaration->result;
}

/* Declares the planes of volumes, which are displayed instead, unless a camera sees them. */
static enum vks_result flatten(struct vks_plan *plan, struct vks_view_params *params)
{
    struct vks_declaration *declaration = plan->declaration;
    const int index = vks_find_field(declaration, params->displayed);
    const struct vks_field *field = &declaration->fields[index];
    if (field->rank == 2 || field->shape[0] == 1 || plan->planes > 1) {
        return vks_look_flat(params->look);
    }
    plan->rays = params->look->values.camera.given;
    if (plan->rays) {
        return VKS_OK;
    }
    const struct vks_plane plane = params->look->values.plane;
    vks_declare_plane(declaration, plane, params->displayed, "view_plane", "project");
    params->displayed = "view_plane";
    if (params->fallback) {
        vks_declare_plane(declaration, plane, params->fallback, "view_plane_fallback",
                          "fallback project");
        params->fallback = "view_plane_fallback";
    }
    return declaration->result;
}

/* The values of the displayed field at the pixels. */
static void declare_resized(const struct vks_plan *plan)
{
    const struct vks_resized_axis down = vks_plan_axis(&plan->part, plan->shape, RESAMPLE_DOWN);
    const struct vks_resized_axis across = vks_plan_axis(&plan->part, plan->shape, RESAMPLE_ACROSS);
    vks_plan_taps(plan, "taps_down", &down);
    vks_plan_taps(plan, "taps_across", &across);
    vks_plan_resampling(plan, plan->params->displayed, "values", false);
}

/* Puts the given values of the second field in place of the first one's, if that has no range. */
static void declare_given_fallback(const struct vks_plan *plan, const char *target)
{
    const uint32_t width = plan->part.out_width, height = plan->part.out_height;
    struct vks_plan same = *plan;
    same.shape[0] = height;
    same.shape[1] = width;
    same.part = (struct vks_part){
        .width = width, .height = height, .out_width = width, .out_height = height};
    const struct vks_resized_axis down = vks_plan_axis(&same.part, same.shape, RESAMPLE_DOWN);
    vks_plan_plane(plan, "values_fallback", VKS_F32, height, width);
    vks_plan_taps(plan, "taps_down", &down);
    vks_plan_resampling(&same, "values_fallback", target, true);
}

/* --- the rows of a rank ----------------------------------------------------------------------- */

uint32_t vks_view_row_at(const struct vks_look *look, const uint64_t shape[2], uint32_t field_row)
{
    const struct vks_resized_axis down = vks_plan_axis(&look->values.part, shape, RESAMPLE_DOWN);
    uint32_t low = 0, high = down.size;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        uint32_t first, count;
        vks_taps_of(&down, middle, &first, &count);
        if (first + count / 2 < field_row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

uint32_t vks_view_reach(const struct vks_look *look, const uint64_t shape[2])
{
    const struct vks_resized_axis down = vks_plan_axis(&look->values.part, shape, RESAMPLE_DOWN);
    return vks_max_taps(&down) / 2 + 1;
}

void vks_declare_values(struct vks_declaration *declaration, const struct vks_view_params *params,
                        const struct vks_slab *slab, uint32_t first, uint32_t end)
{
    struct vks_plan plan = {.declaration = declaration,
                            .params = params,
                            .part = params->look->values.part,
                            .planes = 1,
                            .origin = slab->first - slab->before,
                            .band = {.whole = true,
                                     .rows = end - first,
                                     .value_rows = end - first,
                                     .first = first,
                                     .end = end,
                                     .first_value = first}};
    if (declaration->result != VKS_OK) {
        return;
    }
    memcpy(plan.shape, params->given, sizeof(plan.shape));
    enum vks_result result = check_displayed(&plan, params->displayed);
    const struct vks_field *field = vks_plan_field(&plan, params->displayed);
    if (result == VKS_OK &&
        (field->rank != 2 || field->shape[0] != vks_slab_length(slab, slab->whole))) {
        result = vks_fail(VKS_ERROR_USAGE,
                          "several ranks cannot draw '%s', which does not have "
                          "the grid's rows",
                          field->name);
    }
    if (result != VKS_OK) {
        vks_declaration_fail(declaration, result);
    } else if (end > first) {
        vks_plan_plane(&plan, "values", VKS_F32, end - first, plan.part.out_width);
        declare_resized(&plan);
    }
}

/* --- all -------------------------------------------------------------------------------------- */

void vks_declare_view(struct vks_declaration *declaration, const struct vks_view_params *view)
{
    struct vks_view_params flat = *view;
    const struct vks_view_params *const params = &flat;
    struct vks_plan plan = {.declaration = declaration, .params = params, .planes = 1};
    if (declaration->result != VKS_OK) {
        return;
    }
    const struct vks_points points = {.fields = params->points, .tint = params->tint};
    enum vks_result result = params->given    ? VKS_OK
                             : params->points ? vks_check_points(declaration, &points)
                                              : check_displayed(&plan, params->displayed);
    if (result == VKS_OK && params->fallback) {
        result = check_displayed(&plan, params->fallback);
    }
    if (result == VKS_OK && !params->points && !params->given &&
        params->look->values.mix.planes > 1) {
        result = select_planes(&plan, &flat);
    }
    if (result == VKS_OK && !params->given) {
        result = vks_plan_cells(&plan);
    }
    if (result == VKS_OK) {
        result = vks_plan_items(&plan);
    }
    if (result == VKS_OK && !params->points && !params->given) {
        result = flatten(&plan, &flat);
    }
    if (result == VKS_OK) {
        result = make_plan(&plan);
    }
    if (result != VKS_OK) {
        vks_declaration_fail(declaration, result);
        return;
    }
    const struct vks_part *part = &plan.part;
    const struct vks_plan_rows *band = &plan.band;
    const bool direct = plan.direct;
    /* With both, arrays need the first field, and pictures may need the second. */
    const bool apart = params->fallback && vks_has_plane(params->planes, VKS_PLANE_VALUES);
    const char *source = direct ? params->displayed : "values";
    /* The model's own frame passes and those that project volumes run once, first. */
    vks_plan_run_in(&plan, 0, IN_MEASURE | ONCE);
    declaration->continues = !band->whole && (params->part != VKS_VIEW_MEASURE || params->row > 0);
    VKS_FIELD(declaration, .name = "view_level", .element = VKS_F32, .rank = 1,
              .shape = {LEVEL_WORDS}, .carries = params->name ? params->name : "");
    declare_palette(&plan);
    vks_plan_plane(&plan, "picture", VKS_U32, band->rows, part->out_width);
    if (!direct) {
        vks_plan_values(&plan, "values", band->value_rows, part->out_width);
    }
    if (params->points) {
        declare_points(&plan);
    } else if (plan.rays) {
        declare_rays(&plan, params->displayed, "values", false);
    } else if (!direct && !params->given) {
        declare_resized(&plan);
    }
    declare_picture_range(&plan, source, "view_range", vks_plan_parts_to_measure(&plan));
    if (params->fallback) {
        if (apart) {
            source = declare_apart(&plan);
        }
        if (plan.rays) {
            declare_rays(&plan, params->fallback, source, true);
        } else if (params->given) {
            declare_given_fallback(&plan, source);
        } else if (!direct) {
            vks_plan_resampling(&plan, params->fallback, source, true);
        }
        declare_picture_range(&plan, direct ? params->fallback : source, "view_range_fallback",
                              IN_MEASURE_FALLBACK);
    }
    declare_level(&plan, source);
    if (vks_has_plane(params->planes, VKS_PLANE_HEIGHTS)) {
        declare_heights(&plan, source);
    }
    if (declaration->result != VKS_OK) {
        return; /* some field is missing */
    }
    if (plan.plain) {
        declare_colour(&plan, source, direct ? params->fallback : NULL);
    } else {
        if (params->look->bloom > 0) {
            vks_plan_bloom(&plan, source);
        }
        declare_paint(&plan, source);
    }
    vks_plan_mask(&plan);
    vks_plan_annotation(&plan);
    vks_declare_yuv(declaration, params->planes, plan.view.width, plan.view.height);
}
