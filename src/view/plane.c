/* SPDX-License-Identifier: MIT */
#include "view/plane.h"

#include <math.h>

#include "base/exact.h"
#include "view/params.h"

/* The lines of sight through a volume of (D, H, W) cells. */
static struct plane_params lines_through(const uint64_t shape[3], enum vks_sight sight)
{
    const uint32_t depth = (uint32_t)shape[0], height = (uint32_t)shape[1],
                   width = (uint32_t)shape[2];
    /* By axis: the volume's size and the stride in cells. */
    const uint32_t sides[] = {width, height, depth}, steps[] = {1, width, width * height};
    const enum vks_sight across = sight == VKS_SIGHT_X ? VKS_SIGHT_Y : VKS_SIGHT_X;
    const enum vks_sight down = sight == VKS_SIGHT_Z ? VKS_SIGHT_Y : VKS_SIGHT_Z;
    return (struct plane_params){
        .width = sides[across],
        .height = sides[down],
        .across = steps[across],
        .down = steps[down],
        .along = steps[sight],
        .count = sides[sight],
    };
}

void vks_declare_plane(struct vks_declaration *declaration, struct vks_plane plane,
                       const char *volume, const char *name, const char *pass)
{
    const int index = vks_find_field(declaration, volume);
    const struct vks_field *field = &declaration->fields[index];
    const bool halves = field->element == VKS_F16;
    struct plane_params params = lines_through(field->shape, plane.sight);
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
