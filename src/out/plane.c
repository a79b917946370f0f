/* SPDX-License-Identifier: MIT */
#include "out/plane.h"

#include <math.h>

#include "base/exact.h"
#include "view/params.h"

/* Where the lines of sight are in a volume of (D, H, W) cells. */
static struct plane_params lines_through(const uint64_t shape[3], const struct vks_plane *plane)
{
    const uint32_t depth = (uint32_t)shape[0], height = (uint32_t)shape[1],
                   width = (uint32_t)shape[2];
    const uint32_t row = width, layer = width * height; /* cells from one to the next */
    switch (plane->sight) {
    case VKS_SIGHT_X:
        return (struct plane_params){.width = height,
                                     .height = depth,
                                     .across = row,
                                     .down = layer,
                                     .along = 1,
                                     .count = width};
    case VKS_SIGHT_Y:
        return (struct plane_params){.width = width,
                                     .height = depth,
                                     .across = 1,
                                     .down = layer,
                                     .along = row,
                                     .count = height};
    default:
        return (struct plane_params){.width = width,
                                     .height = height,
                                     .across = 1,
                                     .down = row,
                                     .along = layer,
                                     .count = depth};
    }
}

void vks_declare_plane(struct vks_declaration *declaration, const struct vks_look *look,
                       const char *volume, const char *name, const char *pass)
{
    const int index = vks_find_field(declaration, volume);
    const struct vks_field *field = &declaration->fields[index];
    const bool halves = field->element == VKS_F16;
    struct vks_plane plane;
    const enum vks_result result = vks_look_plane(look, &plane);
    if (result != VKS_OK) {
        vks_declaration_fail(declaration, result);
        return;
    }
    struct plane_params params = lines_through(field->shape, &plane);
    params.factor = plane.project == VKS_PROJECT_MEAN ? 1.0f / (float)params.count : 1.0f;
    if (plane.project == VKS_PROJECT_SLICE) {
        const double cell = floor(plane.slice * params.count);
        params.first = params.along * (cell < params.count ? (uint32_t)cell : params.count - 1);
        params.count = 1;
    }
    const double results = (double)params.width * params.height;
    VKS_FIELD(declaration, .name = name, .element = VKS_F32, .rank = 2,
              .shape = {params.height, params.width});
    VKS_PASS(declaration, .name = pass, .shader = "view/plane", .when = VKS_EACH_FRAME,
             .uses = VKS_USES({volume, VKS_READ, "volume"}, {name, VKS_WRITE, "plane"}),
             .specializations = VKS_SPECIALIZATIONS({"greatest", plane.project == VKS_PROJECT_MAX},
                                                    {"half_cells", halves}),
             VKS_PUSH(params), .items = {params.width, params.height}, .group = {64, 4},
             .bytes = ((halves ? 2.0 : 4.0) * params.count + 4) * results,
             .operations = (params.count + 1.0) * results);
}
