/* SPDX-License-Identifier: MIT */
#include "view/planes.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "view/plan.h"

const struct vks_plane_format vks_plane_formats[VKS_PLANES] = {
    [VKS_PLANE_RGBA] = {.field = "picture", .pixel_bytes = 4},
    [VKS_PLANE_RGBA16] = {.field = "picture16", .pixel_bytes = 8},
    [VKS_PLANE_YUV] = {.field = "planes", .sample_bytes = 1},
    [VKS_PLANE_YUV10] = {.field = "planes10", .sample_bytes = 2},
    [VKS_PLANE_VALUES] = {.field = "values", .pixel_bytes = 4},
    [VKS_PLANE_CELLS] = {.field = "view_cells"},
    [VKS_PLANE_HEIGHTS] = {.field = "heights", .pixel_bytes = 4},
    [VKS_PLANE_ITEMS] = {.field = "view_items"},
};

bool vks_planes_are_deep(unsigned planes)
{
    return vks_has_plane(planes, VKS_PLANE_RGBA16) || vks_has_plane(planes, VKS_PLANE_YUV10);
}

bool vks_planes_are_opaque(unsigned planes)
{
    return vks_has_plane(planes, VKS_PLANE_YUV) || vks_has_plane(planes, VKS_PLANE_YUV10);
}

void vks_coded_size(uint32_t width, uint32_t height, uint32_t *coded_width, uint32_t *coded_height)
{
    *coded_width = (width + 7) & ~UINT32_C(7);
    *coded_height = (height + 1) & ~UINT32_C(1);
}

uint32_t vks_exports_components(const struct vks_exports *exports)
{
    uint32_t count = 0;
    for (size_t i = 0; i < exports->count; i++) {
        count += vks_export_components(&exports->list[i]);
    }
    return count;
}

const char *vks_export_copy(unsigned plane, uint32_t component, char name[32])
{
    snprintf(name, 32, component > 0 ? "%s.%u" : "%s", vks_plane_formats[plane].field, component);
    return name;
}

uint64_t vks_plane_bytes(unsigned plane, uint32_t width, uint32_t height, uint32_t value_planes,
                         const struct vks_extents *extents)
{
    const uint32_t planes = plane == VKS_PLANE_VALUES && value_planes ? value_planes : 1;
    const struct vks_plane_format *format = &vks_plane_formats[plane];
    uint32_t coded_width, coded_height;
    if (plane == VKS_PLANE_CELLS) {
        return (uint64_t)extents->cells[0] * extents->cells[1] * extents->cells[2] * sizeof(float) *
               (extents->of_cells ? extents->of_cells : 1);
    }
    if (plane == VKS_PLANE_ITEMS) {
        return extents->items * extents->of_items * sizeof(uint32_t);
    }
    if (format->pixel_bytes > 0) {
        return planes * (uint64_t)width * height * format->pixel_bytes;
    }
    vks_coded_size(width, height, &coded_width, &coded_height);
    return (uint64_t)coded_width * coded_height / 2 * 3 * format->sample_bytes;
}

static void declare_yuv(struct vks_declaration *declaration, enum vks_frame_plane plane,
                        uint32_t width, uint32_t height)
{
    const bool deep = plane == VKS_PLANE_YUV10;
    const char *field = vks_plane_formats[plane].field;
    const double pixels = (double)width * height;
    struct view_params view = {.width = width, .height = height};
    vks_coded_size(width, height, &view.coded_width, &view.coded_height);
    const uint64_t coded = (uint64_t)view.coded_width * view.coded_height;
    VKS_FIELD(declaration, .name = field, .element = VKS_U32, .rank = 1,
              .shape = {coded / 8 * 3 * vks_plane_formats[plane].sample_bytes});
    const bool whole = width == view.coded_width && height == view.coded_height;
    VKS_PASS(declaration, .name = deep ? "yuv10" : "yuv",
             .shader = deep                                     ? "view/yuv10"
                       : pixels <= declaration->software.texels ? "view/yuv_texels"
                                                                : "view/yuv",
             .when = VKS_EACH_FRAME,
             .specializations = VKS_SPECIALIZATIONS({deep ? NULL : "whole", whole}),
             .uses =
                 VKS_USES({deep ? "picture16" : "picture", VKS_READ}, {field, VKS_WRITE, "planes"}),
             VKS_PUSH(view), .items = {view.coded_width / 8, view.coded_height / 2},
             .group = {32, 4}, .bytes = (deep ? 11 : 5.5) * pixels, .operations = 10 * pixels);
}

void vks_declare_yuv(struct vks_declaration *declaration, unsigned planes, uint32_t width,
                     uint32_t height)
{
    const enum vks_frame_plane yuv[] = {VKS_PLANE_YUV, VKS_PLANE_YUV10};
    for (size_t i = 0; i < VKS_COUNT(yuv); i++) {
        if (vks_has_plane(planes, yuv[i])) {
            declare_yuv(declaration, yuv[i], width, height);
        }
    }
}

void vks_plan_copy(const struct vks_plan *plan, const char *name, const char *from, const char *to)
{
    const uint64_t cells = vks_field_count(vks_plan_field(plan, from));
    const bool halves = vks_plan_has_halves(plan, from);
    const struct cells_params constants = {(uint32_t)cells};
    VKS_PASS(plan->declaration, .name = name, .shader = "view/cells", .when = VKS_EACH_FRAME,
             .uses = VKS_USES({from, VKS_READ, "field"}, {to, VKS_WRITE, "copies"}),
             .specializations = VKS_SPECIALIZATIONS({"half_cells", halves}), VKS_PUSH(constants),
             .items = {cells}, .bytes = (halves ? 6 : 8) * (double)cells);
}

/* Declares the copy of a field of cells. */
static enum vks_result declare_cells(const struct vks_plan *plan, const char *source,
                                     uint32_t component, const uint64_t *shape)
{
    struct vks_declaration *declaration = plan->declaration;
    const struct vks_field *field = vks_plan_field(plan, source);
    char name[32];
    vks_export_copy(VKS_PLANE_CELLS, component, name);
    struct vks_field copy = {.name = name, .element = VKS_F32, .rank = field ? field->rank : 2};
    if (!field || field->rank < 2 || vks_element_info(field->element)->kind != 'f') {
        return vks_fail(VKS_ERROR_INTERNAL,
                        "the field '%s' cannot be written: it is not declared, "
                        "or not one of floats per cell",
                        source);
    }
    memcpy(copy.shape, field->shape, sizeof(copy.shape));
    if (shape && memcmp(copy.shape, shape, sizeof(copy.shape)) != 0) {
        return vks_fail_option(VKS_ERROR_USAGE, "fields",
                               "has fields of several shapes, which one file cannot hold");
    }
    vks_declare_field(declaration, &copy);
    vks_plan_copy(plan,
                  component ? vks_declaration_name(declaration, "cells %u", component) : "cells",
                  source, name);
    return declaration->result;
}

enum vks_result vks_plan_cells(const struct vks_plan *plan)
{
    const struct vks_exports *cells = plan->params->cells;
    const struct vks_exports shown = {.list = {{.fields = {plan->params->displayed}}}, .count = 1};
    const uint64_t *shape = NULL;
    uint32_t component = 0;
    enum vks_result result = VKS_OK;
    if (!vks_has_plane(plan->params->planes, VKS_PLANE_CELLS)) {
        return VKS_OK;
    }
    if (plan->params->points && !(cells && cells->count)) {
        return vks_fail_option(VKS_ERROR_USAGE, "view",
                               "shows points and has no field of cells to write; choose another "
                               "view, or name the fields to write");
    }
    cells = cells && cells->count ? cells : &shown;
    uint64_t first[3];
    for (size_t i = 0; result == VKS_OK && i < cells->count; i++) {
        const struct vks_export *array = &cells->list[i];
        for (uint32_t c = 0; result == VKS_OK && c < vks_export_components(array); c++) {
            result = declare_cells(plan, array->fields[c], component++, shape);
            if (result == VKS_OK && !shape) {
                memcpy(first, vks_plan_field(plan, array->fields[c])->shape, sizeof(first));
                shape = first;
            }
        }
    }
    return result;
}

enum vks_result vks_plan_items(const struct vks_plan *plan)
{
    struct vks_declaration *declaration = plan->declaration;
    const struct vks_exports *items = plan->params->items;
    uint32_t component = 0;
    if (!vks_has_plane(plan->params->planes, VKS_PLANE_ITEMS) || !items) {
        return VKS_OK;
    }
    const char *number = vks_declaration_name(declaration, "%s_number", items->of ? items->of : "");
    for (size_t i = 0; i < items->count; i++) {
        const struct vks_export *array = &items->list[i];
        for (uint32_t c = 0; c < vks_export_components(array); c++) {
            const struct vks_field *field = vks_plan_field(plan, array->fields[c]);
            if (!field) {
                return vks_fail(VKS_ERROR_INTERNAL, "a file of items needs the field '%s'",
                                array->fields[c]);
            }
            const struct vks_field source = *field;
            const bool numbered = items->of && vks_plan_field(plan, number);
            const struct cells_params constants = {(uint32_t)source.shape[0]};
            char name[32];
            vks_export_copy(VKS_PLANE_ITEMS, component, name);
            VKS_FIELD(declaration, .name = name, .element = VKS_U32, .rank = 1,
                      .shape = {source.shape[0]});
            VKS_PASS(
                declaration, .name = vks_declaration_name(declaration, "items %u", component++),
                .shader = "view/items", .when = VKS_EACH_FRAME,
                .uses = VKS_USES({source.name, VKS_READ, "field"},
                                 {numbered ? number : source.name, VKS_READ, "numbers"},
                                 {name, VKS_WRITE, "copies"}),
                .specializations = VKS_SPECIALIZATIONS({"numbered", numbered}), VKS_PUSH(constants),
                .items = {source.shape[0]}, .bytes = (numbered ? 12 : 8) * (double)source.shape[0]);
        }
    }
    return VKS_OK;
}
