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
#include "view/plan.h"

_Static_assert(VKS_RANGE_FRAME == VIEW_FRAME && VKS_RANGE_FIXED == VIEW_FIXED &&
                   VKS_RANGE_SMOOTH == VIEW_SMOOTH,
               "a mode has one number");
_Static_assert(VKS_GROUND_NONE == GROUND_NONE && VKS_GROUND_TRANSPARENT == GROUND_TRANSPARENT &&
                   VKS_GROUND_COLOUR == GROUND_COLOUR && VKS_GROUND_FILE == GROUND_PICTURE,
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

/* --- passes ---------------------------------------------------------------------------------- */

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

static void declare_palette(const struct vks_plan *plan)
{
    const struct vks_look *look = plan->params->look;
    vks_plan_table(plan, "palette", PALETTE_WORDS, fill_palette, look, sizeof(*look),
                   vks_declaration_name(plan->declaration, "%s%s", look->colormap,
                                        look->invert ? " inverted" : ""));
}

/* Points, counted into "values". */
static void declare_points(const struct vks_plan *plan)
{
    const size_t from = plan->declaration->pass_count;
    const struct vks_points points = {.fields = plan->params->points,
                                      .look = plan->params->look,
                                      .part = plan->part,
                                      .first = plan->band.first_value,
                                      .rows = plan->band.value_rows};
    vks_declare_points(plan->declaration, &points);
    vks_plan_run_in(plan, from,
                    IN_DRAW | (plan->params->look->bloom > 0 ? IN_GLOW : 0U) |
                        vks_plan_parts_to_measure(plan));
}

/* The range of what the picture shows, as a whole. */
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

static void declare_level(const struct vks_plan *plan)
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
                                                    {"logarithmic", vks_plan_is_logarithmic(plan)}),
             VKS_PUSH(plan->view), .items = {1}, .group = {1, 1});
    vks_plan_run_in(plan, from, IN_LEVEL | ONCE);
}

/* The plain look, straight from the field or from "values". */
static void declare_colour(const struct vks_plan *plan, const char *source, const char *source_else)
{
    const double cell_bytes = vks_plan_has_halves(plan, source) ? 2 : 4;
    const struct vks_plan_rows *band = &plan->band;
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
             .specializations =
                 VKS_SPECIALIZATIONS({"half_cells", vks_plan_has_halves(plan, source)},
                                     {"logarithmic", vks_plan_is_logarithmic(plan)}),
             VKS_PUSH(view), .items = {(uint64_t)view.width * band->rows},
             .bytes = (cell_bytes + 4) * plan->pixels, .operations = 60 * plan->pixels);
    vks_plan_run_in(plan, from, IN_DRAW);
}

/* --- the rest -------------------------------------------------------------------------------- */

/* Strength of the two glows at bloom 1. */
static const double tight_strength = 0.5, wide_strength = 0.4;
/* Cells of height that hillshade 1 gives the highest value. */
static const double relief_height = 5;

static bool takes_no_alpha(const struct vks_view_params *params)
{
    return (params->planes & VKS_VIEW_OPAQUE) || vks_planes_are_opaque(params->planes);
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

static void declare_backdrop(const struct vks_plan *plan)
{
    const struct vks_plan_rows *band = &plan->band;
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
static void declare_paint(const struct vks_plan *plan, const char *source)
{
    const struct vks_look *look = plan->params->look;
    const struct vks_part *part = &plan->part;
    const struct vks_plan_rows *band = &plan->band;
    const size_t from = plan->declaration->pass_count;
    const bool glows = look->bloom > 0, deep = vks_planes_are_deep(plan->params->planes);
    const uint32_t shift = vks_plan_glow_shift(part);
    /* A pixel's way in cells turns a difference into a slope; 8 is the sum of Sobel's weights. */
    const double height = look->hillshade * relief_height / 8;
    const struct paint_params params = {
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
        vks_plan_plane(plan, "picture16", VKS_U32X2, band->rows, part->out_width);
    }
    VKS_PASS(plan->declaration, .name = "paint", .shader = deep ? "view/paint16" : "view/paint",
             .when = VKS_EACH_FRAME, .uses = uses,
             .specializations = VKS_SPECIALIZATIONS({"relief", look->hillshade > 0},
                                                    {"glows", glows}, {"ground", plan->ground.kind},
                                                    {"logarithmic", vks_plan_is_logarithmic(plan)}),
             VKS_PUSH(params), .items = {params.width, band->rows},
             .group = {32, 8}, /* the shader's tile */
             .bytes = (8 + (framed ? 4 : 0) + (deep ? 8 : 0)) * plan->pixels,
             .operations =
                 (80 + (look->hillshade > 0 ? 150 : 0) + (glows ? 150 : 0)) * plan->pixels);
    vks_plan_run_in(plan, from, IN_DRAW);
}

static enum vks_result make_plan(struct vks_plan *plan)
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
        const struct vks_field *field = vks_plan_field(plan, plan->params->shown);
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
    const unsigned planes = plan->params->planes;
    const bool all = part->out_width == plan->shape[1] && part->out_height == plan->shape[0] &&
                     part->width == plan->shape[1] && part->height == plan->shape[0];
    plan->plain = look->hillshade <= 0 && look->bloom <= 0 &&
                  plan->ground.kind == VKS_GROUND_NONE && !vks_planes_are_deep(planes);
    /* Paint takes floats, of one field. */
    plan->direct = all && !points && !vks_has_plane(planes, VKS_PLANE_VALUES) &&
                   (plan->plain ||
                    (!plan->params->shown_else && !vks_plan_has_halves(plan, plan->params->shown)));
    plan->pixels = (double)part->out_width * part->out_height;
    vks_plan_band(plan);
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
static enum vks_result check_shown(const struct vks_plan *plan, const char *name)
{
    const struct vks_field *field = vks_plan_field(plan, name);
    if (!field) {
        return vks_fail(VKS_ERROR_GPU, "the field '%s' is to be shown but is not declared", name);
    }
    if (field->rank < 2 || vks_element_info(field->element)->kind != 'f') {
        return vks_fail(VKS_ERROR_GPU,
                        "the field '%s' cannot be shown: it must have rank 2 or 3 and elements "
                        "VKS_F32 or VKS_F16",
                        name);
    }
    const struct vks_field *shown = vks_plan_field(plan, plan->params->shown);
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
    struct vks_plan plan = {.declaration = declaration, .params = params};
    if (declaration->result != VKS_OK) {
        return;
    }
    enum vks_result result = params->points ? vks_check_points(declaration, params->points)
                                            : check_shown(&plan, params->shown);
    if (result == VKS_OK && params->shown_else) {
        result = check_shown(&plan, params->shown_else);
    }
    if (result == VKS_OK) {
        result = vks_plan_cells(&plan);
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
    const struct vks_plan_rows *band = &plan.band;
    const bool direct = plan.direct;
    const char *source = direct ? params->shown : "values";
    /* The model's own drawing passes, and those that flatten volumes, run once, before everything.
     */
    vks_plan_run_in(&plan, 0, IN_MEASURE | ONCE);
    declaration->goes_on = !band->whole && (params->part != VKS_VIEW_MEASURE || params->row > 0);
    vks_plan_buffer(&plan, "view_level", VKS_F32, LEVEL_WORDS);
    declare_palette(&plan);
    vks_plan_plane(&plan, "picture", VKS_U32, band->rows, part->out_width);
    if (!direct) {
        vks_plan_plane(&plan, "values", VKS_F32, band->value_rows, part->out_width);
    }
    if (params->points) {
        declare_points(&plan);
    } else if (!direct) {
        const struct vks_resized_axis down = vks_plan_axis(part, plan.shape, RESAMPLE_DOWN);
        const struct vks_resized_axis across = vks_plan_axis(part, plan.shape, RESAMPLE_ACROSS);
        vks_plan_taps(&plan, "taps_down", &down);
        vks_plan_taps(&plan, "taps_across", &across);
        vks_plan_resampling(&plan, params->shown, false);
    }
    declare_picture_range(&plan, source, "view_range", vks_plan_parts_to_measure(&plan));
    if (params->shown_else) {
        if (!direct) {
            vks_plan_resampling(&plan, params->shown_else, true);
        }
        declare_picture_range(&plan, direct ? params->shown_else : source, "view_range_else",
                              IN_MEASURE_ELSE);
    }
    declare_level(&plan);
    if (plan.plain) {
        declare_colour(&plan, source, direct ? params->shown_else : NULL);
    } else {
        if (params->look->bloom > 0) {
            vks_plan_bloom(&plan, source);
        }
        declare_paint(&plan, source);
    }
    vks_declare_yuv(declaration, params->planes, plan.view.width, plan.view.height);
}
