/* SPDX-License-Identifier: MIT */
#include "view/look.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "view/colour.h"

enum { MAX_SIDE = 65536 }; /* pixels */

const char *const vks_fit_names[] = {"stretch", "crop", "cells", NULL};
const char *const vks_tone_names[] = {"linear", "log", NULL};
const char *const vks_sight_names[] = {"x", "y", "z", NULL};
const char *const vks_project_names[] = {"slice", "mean", "max", "column", "soft", NULL};

/* --- volumes --------------------------------------------------------------------------------- */

static const struct vks_plane default_plane = {VKS_SIGHT_Z, VKS_PROJECT_SLICE, 0.5};

/* Index of a name, -1 if it is none. */
static int index_of(const char *const *names, const char *name)
{
    int index = 0;
    while (names[index] && strcmp(names[index], name) != 0) {
        index++;
    }
    return names[index] ? index : -1;
}

static enum vks_result read_plane(const struct vks_look *look, bool points, struct vks_plane *plane)
{
    const bool soft = look->values.camera.given && !points;
    const int sight = look->axis ? index_of(vks_sight_names, look->axis) : VKS_SIGHT_Z;
    const int project = look->project ? index_of(vks_project_names, look->project)
                        : soft        ? VKS_PROJECT_SOFT
                                      : VKS_PROJECT_SLICE;
    *plane = default_plane;
    if (sight < 0) {
        return vks_fail_option(VKS_ERROR_USAGE, "axis", "'%s' is not one of: x, y, z", look->axis);
    }
    if (project < 0) {
        return vks_fail_option(VKS_ERROR_USAGE, "project",
                               "'%s' is not one of: slice, mean, max, column, soft", look->project);
    }
    plane->sight = (enum vks_sight)sight;
    plane->project = (enum vks_project)project;
    if (!look->slice) {
        return VKS_OK;
    }
    const char *end;
    plane->slice = vks_parse_real(look->slice, &end);
    if (end == look->slice || *end != '\0' || !(plane->slice >= 0 && plane->slice <= 1)) {
        return vks_fail_option(VKS_ERROR_USAGE, "slice", "'%s' is not a number from 0 to 1",
                               look->slice);
    }
    return project == VKS_PROJECT_SLICE
               ? VKS_OK
               : vks_fail_option(VKS_ERROR_USAGE, "slice",
                                 "'%s' requires project slice, not project %s", look->slice,
                                 vks_project_names[project]);
}

/* The given option that rotates or enlarges the box, and its value as in messages; NULL: none. */
static const char *turning_option(const struct vks_look *look, char value[80])
{
    if (look->camera && strcmp(look->camera, "none") != 0) {
        snprintf(value, 80, "'%.60s'", look->camera);
        return "camera";
    }
    snprintf(value, 80, "%g", look->spin != 0 ? look->spin : look->zoom);
    return look->spin != 0 ? "spin" : look->zoom != 1 ? "zoom" : NULL;
}

enum vks_result vks_look_flat(const struct vks_look *look)
{
    const char *const names[] = {"axis", "slice"};
    const char *const texts[] = {look->axis, look->slice};
    for (size_t i = 0; i < VKS_COUNT(names); i++) {
        if (texts[i]) {
            return vks_fail_option(VKS_ERROR_USAGE, names[i],
                                   "'%s' requires a volume, and this view is flat", texts[i]);
        }
    }
    char value[80];
    const char *turning = turning_option(look, value);
    return turning ? vks_fail_option(VKS_ERROR_USAGE, turning,
                                     "%s requires a volume, and this view is flat", value)
                   : VKS_OK;
}

void vks_look_size(const struct vks_look *look, struct vks_size size, uint32_t *width,
                   uint32_t *height)
{
    const enum vks_sight sight = look->values.plane.sight;
    *width = sight == VKS_SIGHT_X ? size.height : size.width;
    *height = sight == VKS_SIGHT_Z ? size.height : size.depth;
}

/* --- cameras --------------------------------------------------------------------------------- */

static uint32_t binary_angle(double degrees)
{
    double turns = fmod(degrees, 360) / 360;
    turns -= floor(turns);
    return (uint32_t)(uint64_t)floor(turns * 4294967296.0 + 0.5);
}

/* AZIMUTH,ELEVATION in degrees, the latter from `lowest` to 90. */
static bool parse_direction(const char *text, double lowest, double *azimuth, double *elevation)
{
    const char *end, *comma;
    *azimuth = vks_parse_real(text, &comma);
    const bool split = comma != text && *comma == ',';
    *elevation = split ? vks_parse_real(comma + 1, &end) : 0;
    return split && end != comma + 1 && *end == '\0' && isfinite(*azimuth) &&
           *elevation >= lowest && *elevation <= 90;
}

static enum vks_result read_light(const struct vks_look *look, struct vks_light *light)
{
    double azimuth, elevation;
    const char *text = look->light ? look->light : "315,45";
    if (!parse_direction(text, VKS_LOWEST_LIGHT, &azimuth, &elevation)) {
        return vks_fail_option(VKS_ERROR_USAGE, "light",
                               "'%s' is not AZIMUTH,ELEVATION in degrees, such as 315,45, with an "
                               "elevation from %d to 90",
                               text, VKS_LOWEST_LIGHT);
    }
    *light = (struct vks_light){binary_angle(azimuth), binary_angle(elevation)};
    return VKS_OK;
}

static enum vks_result read_camera(const struct vks_look *look, struct vks_camera *camera)
{
    const char *text = look->camera ? look->camera : look->spin != 0 ? "0,20" : "none";
    double azimuth, elevation;
    *camera = (struct vks_camera){.spin = binary_angle(look->spin)};
    if (strcmp(text, "none") == 0) {
        return look->spin == 0
                   ? VKS_OK
                   : vks_fail_option(VKS_ERROR_USAGE, "spin",
                                     "%g needs a camera, and camera is 'none'", look->spin);
    }
    if (!parse_direction(text, -90, &azimuth, &elevation)) {
        return vks_fail_option(VKS_ERROR_USAGE, "camera",
                               "'%s' is not none or AZIMUTH,ELEVATION in degrees, such as 30,20, "
                               "with an elevation from -90 to 90",
                               text);
    }
    camera->given = true;
    camera->azimuth = binary_angle(azimuth);
    camera->elevation = binary_angle(elevation);
    return VKS_OK;
}

double vks_look_scale(const struct vks_look *look, const struct vks_part *part,
                      const uint64_t grid[3], double sine, double cosine)
{
    const double x = (double)grid[2], y = (double)grid[1], z = (double)grid[0];
    const double width = sqrt(x * x + y * y);
    const double height = width * fabs(sine) + z * cosine;
    const double across = part->out_width / width, down = part->out_height / height;
    return (across < down ? across : down) * look->zoom;
}

/* Checks a look at a volume. */
static enum vks_result check_volume(const struct vks_look *look, bool points)
{
    const bool turned = look->values.camera.given;
    const enum vks_project project = look->values.plane.project;
    char value[80];
    const char *turning = turning_option(look, value);
    if (turning && !turned) {
        return vks_fail_option(VKS_ERROR_USAGE, turning,
                               "%s requires camera; without one, crop enlarges a part", value);
    }
    if (turned && look->axis) {
        return vks_fail_option(VKS_ERROR_USAGE, turning, "%s and axis '%s' exclude each other",
                               value, look->axis);
    }
    if (turned && look->crop) {
        return vks_fail_option(VKS_ERROR_USAGE, "crop",
                               "'%s' is in cells, which a rotated box does not show; use zoom",
                               look->crop);
    }
    if (!points && !turned && project == VKS_PROJECT_SOFT) {
        return vks_fail_option(VKS_ERROR_USAGE, "project",
                               "'soft' requires camera; along an axis, choose slice, mean, max or "
                               "column");
    }
    if (!points && turned && project != VKS_PROJECT_SOFT && project != VKS_PROJECT_COLUMN) {
        return vks_fail_option(VKS_ERROR_USAGE, "project",
                               "'%s' projects along an axis; with camera, choose soft or column",
                               look->project);
    }
    /* All points along a line of sight are counted: a column. */
    const bool projects = look->project && project != VKS_PROJECT_COLUMN;
    if (points && (projects || look->slice)) {
        return vks_fail_option(VKS_ERROR_USAGE, projects ? "project" : "slice",
                               "'%s' is for fields; all points along a line of sight are counted "
                               "(project column)",
                               projects ? look->project : look->slice);
    }
    return VKS_OK;
}

/* --- range ----------------------------------------------------------------------------------- */

static bool parse_range(const char *text, struct vks_range *range)
{
    *range = (struct vks_range){.mode = VKS_RANGE_FIXED, .high = 1};
    if (strcmp(text, "frame") == 0) {
        range->mode = VKS_RANGE_FRAME;
        return true;
    }
    if (strcmp(text, "smooth") == 0) {
        range->mode = VKS_RANGE_SMOOTH;
        return true;
    }
    const char *end = NULL;
    if (strncmp(text, "symmetric", 9) == 0) {
        range->symmetric = true;
        range->mode = text[9] ? VKS_RANGE_FIXED : VKS_RANGE_SMOOTH;
        range->high = text[9] == ':' ? vks_parse_real(text + 10, &end) : 1;
        end = end == text + 10 ? NULL : text[9] ? end : text + 9;
    } else if (strncmp(text, "fixed:", 6) == 0) {
        end = vks_parse_span(text + 6, &range->low, &range->high);
    }
    return end && *end == '\0' && fabs(range->low) < 1e9 && fabs(range->high) < 1e9 &&
           (float)range->high - (float)range->low > 2e-6f;
}

static enum vks_result read_range(const struct vks_look *look, struct vks_range *range)
{
    if (!parse_range(look->normalize, range)) {
        return vks_fail_option(VKS_ERROR_USAGE, "normalize",
                               "'%s' is not frame, smooth, symmetric, or fixed:LOW:HIGH with LOW "
                               "below HIGH, both between -1e9 and 1e9 and more than 2e-6 apart, "
                               "or symmetric:HIGH with HIGH above 0",
                               look->normalize);
    }
    return VKS_OK;
}

/* --- part and size --------------------------------------------------------------------------- */

/* Parses an integer and the character after it, and advances *text past both, but not past '\0'. */
static bool parse_whole(const char **text, char after, uint32_t *value)
{
    uint64_t number = 0;
    const char *at = *text;
    while (isdigit((unsigned char)*at) && number <= UINT32_MAX) {
        number = number * 10 + (uint64_t)(*at++ - '0');
    }
    if (at == *text || number > UINT32_MAX || *at != after) {
        return false;
    }
    *value = (uint32_t)number;
    *text = after ? at + 1 : at;
    return true;
}

static enum vks_result parse_crop(const char *text, uint32_t width, uint32_t height,
                                  struct vks_part *part)
{
    const char *at = text;
    if (!parse_whole(&at, ',', &part->x) || !parse_whole(&at, ',', &part->y) ||
        !parse_whole(&at, 'x', &part->width) || !parse_whole(&at, '\0', &part->height) ||
        part->width == 0 || part->height == 0) {
        return vks_fail_option(VKS_ERROR_USAGE, "crop",
                               "'%s' is not X,Y,WIDTHxHEIGHT in whole cells, such as "
                               "100,50,640x480",
                               text);
    }
    if ((uint64_t)part->x + part->width > width || (uint64_t)part->y + part->height > height) {
        return vks_fail_option(VKS_ERROR_USAGE, "crop",
                               "'%s' reaches outside the field, which has %" PRIu32 "x%" PRIu32
                               " cells",
                               text, width, height);
    }
    return VKS_OK;
}

/* a x b / c, rounded, at least 1. */
static uint32_t in_proportion(uint32_t a, uint32_t b, uint32_t c)
{
    const uint64_t result = ((uint64_t)a * b + c / 2) / c;
    return result > UINT32_MAX ? UINT32_MAX : result > 0 ? (uint32_t)result : 1;
}

static enum vks_result parse_size(const char *text, struct vks_part *part)
{
    const char *at = text;
    uint32_t width, height;
    if (!parse_whole(&at, 'x', &width) || !parse_whole(&at, '\0', &height) ||
        (width == 0 && height == 0) || width > MAX_SIDE || height > MAX_SIDE) {
        return vks_fail_option(VKS_ERROR_USAGE, "output-size",
                               "'%s' is not WIDTHxHEIGHT with each from 1 to %d pixels, or "
                               "one of them 0 to follow from the other",
                               text, MAX_SIDE);
    }
    part->out_width = width ? width : in_proportion(height, part->width, part->height);
    part->out_height = height ? height : in_proportion(width, part->height, part->width);
    if (part->out_width > MAX_SIDE || part->out_height > MAX_SIDE ||
        (uint64_t)part->out_width * part->out_height > UINT32_MAX) {
        return vks_fail_option(VKS_ERROR_USAGE, "output-size",
                               "'%s' makes a picture of %" PRIu32 "x%" PRIu32
                               "; the limit is %d pixels per side and 2^32 - 1 in all",
                               text, part->out_width, part->out_height, MAX_SIDE);
    }
    return VKS_OK;
}

/* Crops the part to the picture's aspect ratio, around its middle. */
static void cut(struct vks_part *part)
{
    const uint32_t width = in_proportion(part->height, part->out_width, part->out_height);
    const uint32_t height = in_proportion(part->width, part->out_height, part->out_width);
    if (width < part->width) {
        part->x += (part->width - width) / 2;
        part->width = width;
    } else if (height < part->height) {
        part->y += (part->height - height) / 2;
        part->height = height;
    }
}

/* Cuts the middle with one cell per pixel out of a part that is as large as the picture. */
static void cut_cells(struct vks_part *part)
{
    if (part->out_width <= part->width && part->out_height <= part->height) {
        part->x += (part->width - part->out_width) / 2;
        part->y += (part->height - part->out_height) / 2;
        part->width = part->out_width;
        part->height = part->out_height;
    }
}

static enum vks_result read_part(const struct vks_look *look, uint32_t width, uint32_t height,
                                 struct vks_part *part)
{
    *part = (struct vks_part){.width = width, .height = height};
    enum vks_result result = look->crop ? parse_crop(look->crop, width, height, part) : VKS_OK;
    part->out_width = part->width;
    part->out_height = part->height;
    if (result == VKS_OK && look->output_size) {
        result = parse_size(look->output_size, part);
        if (result == VKS_OK && look->fit == VKS_FIT_CROP) {
            cut(part);
        } else if (result == VKS_OK && look->fit == VKS_FIT_CELLS) {
            cut_cells(part);
        }
    }
    return result;
}

/* --- background ------------------------------------------------------------------------------ */

static enum vks_result read_background(const struct vks_look *look,
                                       struct vks_background *background)
{
    const char *text = look->background;
    *background = (struct vks_background){.kind = VKS_BACKGROUND_NONE};
    if (!text || strcmp(text, "none") == 0) {
        return VKS_OK;
    }
    if (strcmp(text, "transparent") == 0) {
        background->kind = VKS_BACKGROUND_TRANSPARENT;
        return VKS_OK;
    }
    if (vks_colour_parse(text, &background->colour)) {
        background->kind = VKS_BACKGROUND_COLOUR;
        return VKS_OK;
    }
    if (text[0] == '#') {
        return vks_colour_fail("background", text);
    }
    if (text[0] == '\0') {
        return vks_fail_option(VKS_ERROR_USAGE, "background",
                               "'' is not none, transparent, #RRGGBB, the name of a "
                               "colour, or the name of a PNG or JPEG file");
    }
    background->kind = VKS_BACKGROUND_FILE;
    return VKS_OK;
}

enum vks_result vks_look_fail_background(enum vks_result result, const char *path)
{
    char meant[128];
    vks_fail_option(result, "background", ": %s%s", vks_error_text(),
                    vks_did_you_mean(path, vks_colour_names, meant, sizeof(meant)));
    return vks_fail_file(result, path);
}

enum vks_result vks_look_finish(struct vks_look *look, struct vks_size size, bool points)
{
    struct vks_look_values *values = &look->values;
    uint32_t width, height;
    *values = (struct vks_look_values){.plane = default_plane};
    enum vks_result result = read_range(look, &values->range);
    if (result == VKS_OK) {
        result = read_camera(look, &values->camera);
    }
    if (result == VKS_OK) {
        result = read_light(look, &values->light);
    }
    if (result == VKS_OK) {
        result = size.depth > 1 ? read_plane(look, points, &values->plane) : vks_look_flat(look);
    }
    if (result == VKS_OK && size.depth > 1) {
        result = check_volume(look, points);
    }
    if (result == VKS_OK) {
        vks_look_size(look, size, &width, &height);
        result = read_part(look, width, height, &values->part);
    }
    if (result == VKS_OK) {
        result = read_background(look, &values->background);
    }
    return result == VKS_OK && look->colormap ? vks_colormap_load(look->colormap, &values->map)
                                              : result;
}
