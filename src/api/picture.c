/* SPDX-License-Identifier: MIT */
/* Pictures of a simulation, whole or in bands. */
#include <stdlib.h>
#include <string.h>

#include "api/rank.h"
#include "base/error.h"
#include "base/exact.h"
#include "base/memory.h"
#include "view/params.h"

static enum vks_result update_band(void *user, enum vks_view_part part, uint32_t row)
{
    vks_simulation *simulation = user;
    simulation->bands.part = part;
    simulation->bands.row = row;
    const enum vks_result result = vks_simulation_update_picture(simulation);
    return result == VKS_OK ? vks_simulation_fill(simulation, true) : result;
}

enum vks_result vks_planes_with_bands(uint32_t given, unsigned *planes)
{
    const bool whole = vks_planes_are_opaque(given) || vks_has_plane(given, VKS_PLANE_CELLS);
    if (given >> VKS_PUBLIC_PLANES != 0) {
        return vks_fail(VKS_ERROR_USAGE, "there is no plane for some bits of the planes %#x",
                        given);
    }
    *planes = given | (whole ? 0U : VKS_VIEW_BANDS);
    return VKS_OK;
}

void vks_simulation_take_planes(vks_simulation *simulation, unsigned planes)
{
    simulation->planes = planes;
    simulation->bands.max_bytes =
        planes & VKS_VIEW_BANDS ? simulation->context->gpu.field_range : 0;
}

enum vks_result vks_simulation_use_planes(vks_simulation *simulation, unsigned planes)
{
    const unsigned before = simulation->planes;
    enum vks_result result = vks_simulation_alive(simulation);
    if (result != VKS_OK) {
        return result;
    }
    simulation->drawn = false;
    vks_simulation_take_planes(simulation, planes);
    result = update_band(simulation, VKS_VIEW_MEASURE, 0);
    if (result != VKS_OK) {
        struct vks_error why;
        vks_error_keep(result, &why);
        vks_simulation_take_planes(simulation, before);
        simulation->dead = update_band(simulation, VKS_VIEW_MEASURE, 0) != VKS_OK;
        return vks_fail_again(&why);
    }
    return VKS_OK;
}

enum vks_result vks_simulation_set_planes(vks_simulation *simulation, uint32_t planes)
{
    unsigned known;
    if (!simulation) {
        return vks_fail_null(__func__);
    }
    const enum vks_result result = vks_planes_with_bands(planes, &known);
    return result == VKS_OK ? vks_simulation_use_planes(simulation, known) : result;
}

struct vks_bands vks_simulation_bands(vks_simulation *simulation)
{
    const enum vks_background_kind background =
        simulation->settings.common.look.values.background.kind;
    uint32_t width, height;
    vks_picture_size(&simulation->settings, &width, &height);
    return (struct vks_bands){
        .graph = simulation->picture,
        .height = height,
        .rows = vks_band_rows(simulation->picture),
        .alpha = background == VKS_BACKGROUND_TRANSPARENT || background == VKS_BACKGROUND_FILE,
        .user = simulation,
        .update = update_band,
    };
}

void vks_simulation_picture_size(const vks_simulation *simulation, uint32_t *width,
                                 uint32_t *height)
{
    uint32_t unused;
    *(width ? width : &unused) = 0;
    *(height ? height : &unused) = 0;
    if (simulation) {
        vks_picture_size(&simulation->settings, width ? width : &unused, height ? height : &unused);
    }
}

/* The planes that are made of each frame. */
static unsigned planes_of(const vks_simulation *simulation)
{
    return simulation->planes | vks_plane_bit(VKS_PLANE_RGBA);
}

enum vks_result vks_simulation_clipped(vks_simulation *simulation, double *below, double *above)
{
    float level[LEVEL_WORDS];
    const enum vks_result result = vks_graph_download_to(simulation->picture, "view_level", level);
    *below = result == VKS_OK ? (double)level[LEVEL_BELOW] : 0;
    *above = result == VKS_OK ? (double)level[LEVEL_ABOVE] : 0;
    return result;
}

/* The field that holds the values which the picture shows; a field of the state if it shows that
 * cell by cell. */
static const struct vks_field *find_shown(const vks_simulation *simulation, const float *level)
{
    const struct vks_view *view = simulation->settings.common.view;
    const struct vks_declaration *declaration = vks_graph_declaration(simulation->picture);
    const bool second = level[LEVEL_FIELD] > 1;
    const char *const names[] = {"picture_values", "values",
                                 second ? "view_plane_fallback" : "view_plane",
                                 second ? view->fallback : view->field};
    int index = -1;
    for (size_t i = 0; i < VKS_COUNT(names) && index < 0; i++) {
        index = names[i] ? vks_find_field(declaration, names[i]) : -1;
    }
    return index < 0 ? NULL : &declaration->fields[index];
}

enum vks_result vks_simulation_sample(vks_simulation *simulation, struct vks_samples *samples)
{
    enum { PARTS = 64 };
    float level[LEVEL_WORDS];
    const struct vks_bands bands = vks_simulation_bands(simulation);
    enum vks_result result = vks_graph_download_to(simulation->picture, "view_level", level);
    const struct vks_field *field = result == VKS_OK ? find_shown(simulation, level) : NULL;
    const bool flat = field && field->rank == 2 && bands.rows >= bands.height;
    samples->count = 0;
    if (!flat) {
        return result;
    }
    const uint64_t cells = vks_field_count(field);
    const bool halves = field->element == VKS_F16;
    const size_t parts = cells < VKS_SHOWN_SAMPLES ? 1 : PARTS;
    const size_t each = cells < VKS_SHOWN_SAMPLES ? (size_t)cells : VKS_SHOWN_SAMPLES / PARTS;
    result = vks_graph_sample(simulation->picture, field->name, parts, each * (halves ? 2 : 4),
                              samples->values);
    for (size_t i = parts * each; halves && i-- > 0;) { /* from the end: in place */
        uint16_t half;
        memcpy(&half, (const char *)samples->values + 2 * i, sizeof(half));
        samples->values[i] = vks_from_half(half);
    }
    samples->count = result == VKS_OK ? parts * each : 0;
    samples->low = (double)level[LEVEL_LOW];
    samples->high = (double)level[LEVEL_HIGH];
    return result;
}

enum vks_result vks_simulation_range(vks_simulation *simulation, double *low, double *high)
{
    float level[LEVEL_WORDS];
    const enum vks_result result = vks_graph_download_to(simulation->picture, "view_level", level);
    *low = result == VKS_OK ? (double)level[LEVEL_LOW] : 0;
    *high = result == VKS_OK ? (double)level[LEVEL_HIGH] : 0;
    return result;
}

static enum vks_result check_plane(const vks_simulation *simulation, enum vks_frame_plane plane)
{
    const enum vks_result alive = vks_simulation_alive(simulation);
    if (alive != VKS_OK) {
        return alive;
    }
    if (simulation->settings.slab.index > 0) {
        return vks_fail(VKS_ERROR_USAGE, "pictures are drawn by rank 0");
    }
    if ((unsigned)plane >= VKS_PUBLIC_PLANES || !vks_has_plane(planes_of(simulation), plane)) {
        return vks_fail(VKS_ERROR_USAGE, "plane %d is not one of those that pictures are made with",
                        (int)plane);
    }
    return VKS_OK;
}

/* The layout of a plane of a whole picture. */
static struct vks_plane_info layout_of(const vks_simulation *simulation, enum vks_frame_plane plane)
{
    const struct vks_plane_format *format = &vks_plane_formats[plane];
    struct vks_plane_info info = {.depth = 1};
    vks_picture_size(&simulation->settings, &info.width, &info.height);
    if (plane == VKS_PLANE_CELLS) {
        const struct vks_declaration *declaration = vks_graph_declaration(simulation->picture);
        const struct vks_field *field =
            &declaration->fields[vks_find_field(declaration, format->field)];
        info.width = (uint32_t)field->shape[field->rank - 1];
        info.height = (uint32_t)field->shape[field->rank - 2];
        info.depth = field->rank > 2 ? (uint32_t)field->shape[0] : 1;
        info.row_bytes = (uint64_t)info.width * sizeof(float);
    } else if (format->sample_bytes > 0) {
        vks_coded_size(info.width, info.height, &info.width, &info.height);
        info.row_bytes = (uint64_t)info.width * format->sample_bytes;
        info.bytes = info.row_bytes * info.height / 2 * 3; /* half as much for both chromas */
        return info;
    } else {
        info.row_bytes = (uint64_t)info.width * format->pixel_bytes;
        info.depth = plane == VKS_PLANE_VALUES
                         ? vks_view_value_planes(vks_graph_declaration(simulation->picture))
                         : 1;
    }
    info.bytes = info.row_bytes * info.height * info.depth;
    return info;
}

enum vks_result vks_simulation_plane(const vks_simulation *simulation, enum vks_frame_plane plane,
                                     struct vks_plane_info *info)
{
    if (!simulation || !info) {
        return vks_fail_null(__func__);
    }
    const enum vks_result result = check_plane(simulation, plane);
    if (result != VKS_OK) {
        return result;
    }
    const struct vks_plane_info known = layout_of(simulation, plane);
    return vks_give_sized(info, &known, sizeof(known));
}

enum vks_result vks_simulation_draw(vks_simulation *simulation)
{
    if (!simulation) {
        return vks_fail_null(__func__);
    }
    enum vks_result result = vks_simulation_alive(simulation);
    if (result == VKS_OK) {
        result = vks_simulation_collect(simulation);
    }
    if (result != VKS_OK || simulation->settings.slab.index > 0) {
        return result;
    }
    const struct vks_bands bands = vks_simulation_bands(simulation);
    uint64_t value;
    result = bands.rows < bands.height ? vks_bands_begin(&bands)
                                       : vks_graph_frame(simulation->picture, NULL, NULL,
                                                         VK_NULL_HANDLE, VK_NULL_HANDLE, &value);
    simulation->drawn = result == VKS_OK;
    return result;
}

/* Copies the rows of one band, which is the whole picture or has just been drawn. */
static enum vks_result copy_band(vks_simulation *simulation, enum vks_frame_plane plane,
                                 const struct vks_plane_info *info, uint32_t row, uint32_t rows,
                                 uint8_t *data)
{
    const char *name = vks_plane_formats[plane].field;
    const struct vks_declaration *declaration = vks_graph_declaration(simulation->picture);
    const struct vks_field *field = &declaration->fields[vks_find_field(declaration, name)];
    const uint64_t bytes = vks_field_bytes(field);
    if (bytes == info->bytes) {
        return vks_graph_download_to(simulation->picture, name, data);
    }
    /* "values" has rows above the band's for the relief. */
    const uint32_t above =
        plane == VKS_PLANE_VALUES
            ? row - vks_view_first_value(info->height, vks_band_rows(simulation->picture),
                                         (uint32_t)field->shape[0], row)
            : 0;
    uint8_t *band = malloc(bytes);
    if (!band) {
        return vks_fail_memory();
    }
    const enum vks_result result = vks_graph_download_to(simulation->picture, name, band);
    if (result == VKS_OK) {
        memcpy(data + row * info->row_bytes, band + above * info->row_bytes,
               rows * info->row_bytes);
    }
    free(band);
    return result;
}

enum vks_result vks_simulation_read_plane(vks_simulation *simulation, enum vks_frame_plane plane,
                                          void *data, size_t size)
{
    if (!simulation || !data) {
        return vks_fail_null(__func__);
    }
    enum vks_result result = check_plane(simulation, plane);
    if (result != VKS_OK) {
        return result;
    }
    const struct vks_plane_info info = layout_of(simulation, plane);
    if (size != info.bytes) {
        return vks_fail(VKS_ERROR_USAGE, "the plane has %llu bytes, not %zu",
                        (unsigned long long)info.bytes, size);
    }
    if (!simulation->drawn) {
        return vks_fail(VKS_ERROR_USAGE,
                        "no picture has been drawn since the simulation changed; draw one first");
    }
    const struct vks_bands bands = vks_simulation_bands(simulation);
    for (uint64_t row = 0; result == VKS_OK && row < bands.height; row += bands.rows) {
        const uint64_t left = bands.height - row;
        uint64_t value;
        if (bands.rows < bands.height) {
            result = vks_bands_draw(&bands, (uint32_t)row, NULL, NULL, &value);
        }
        if (result == VKS_OK) {
            result = copy_band(simulation, plane, &info, (uint32_t)row,
                               (uint32_t)(left < bands.rows ? left : bands.rows), data);
        }
    }
    return result;
}

enum vks_result vks_simulation_render(vks_simulation *simulation, uint8_t *rgb, size_t size)
{
    if (simulation && simulation->settings.slab.index > 0) {
        return vks_simulation_draw(simulation);
    }
    if (!simulation || !rgb) {
        return vks_fail_null(__func__);
    }
    enum vks_result result = check_plane(simulation, VKS_PLANE_RGBA);
    if (result != VKS_OK) {
        return result;
    }
    const struct vks_plane_info info = layout_of(simulation, VKS_PLANE_RGBA);
    const size_t pixels = (size_t)info.width * info.height;
    if (size != pixels * 3) {
        return vks_fail(VKS_ERROR_USAGE, "a picture has %zu bytes, not %zu", pixels * 3, size);
    }
    uint8_t *rgba = malloc(info.bytes);
    result = rgba ? vks_simulation_draw(simulation) : vks_fail_memory();
    if (result == VKS_OK) {
        result = vks_simulation_read_plane(simulation, VKS_PLANE_RGBA, rgba, info.bytes);
    }
    if (result == VKS_OK) {
        vks_rgb_from_rgba(rgb, rgba, pixels);
    }
    free(rgba);
    return result;
}
