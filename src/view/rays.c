/* SPDX-License-Identifier: MIT */
#include "view/rays.h"

#include "base/exact.h"
#include "view/params.h"

/* Of a mean side of the volume: e^-2 of what is behind it is seen. */
static const double optical_depth = 2;

void vks_declare_rays(struct vks_declaration *declaration, const struct vks_rays *rays)
{
    const struct vks_field *field = &declaration->fields[vks_find_field(declaration, rays->volume)];
    const bool halves = field->element == VKS_F16;
    const struct vks_part *part = &rays->part;
    const struct vks_camera camera = rays->look->values.camera;
    const vks_vec2 tilt = vks_sincos(camera.elevation);
    const double scale =
        vks_look_scale(rays->look, part, field->shape, (double)tilt.x, (double)tilt.y);
    const double side = (double)(field->shape[0] + field->shape[1] + field->shape[2]) / 3;
    const struct rays_params params = {
        .azimuth = camera.azimuth,
        .spin = camera.spin,
        .sine = tilt.x,
        .cosine = tilt.y,
        .half_pixel = vks_flush((float)(0.5 / scale)),
        .absorption = vks_flush((float)(optical_depth / side)),
        .columns = (uint32_t)field->shape[2],
        .rows = (uint32_t)field->shape[1],
        .layers = (uint32_t)field->shape[0],
        .width = part->out_width,
        .height = part->out_height,
        .first = rays->first,
        .values = rays->rows,
    };
    const bool absorbs = rays->look->values.plane.project == VKS_PROJECT_SOFT;
    const double results = (double)part->out_width * rays->rows;
    VKS_PASS(declaration, .name = rays->gated ? "fallback project" : "project",
             .shader = rays->gated ? "view/rays_fallback" : "view/rays", .when = VKS_EACH_FRAME,
             .uses =
                 VKS_USES({rays->volume, VKS_READ, "volume"}, {rays->target, VKS_WRITE, "values"},
                          {rays->gated ? "view_range" : NULL, VKS_READ}),
             .specializations = VKS_SPECIALIZATIONS({"absorbs", absorbs}, {"half_cells", halves}),
             VKS_PUSH(params), .items = {part->out_width, rays->rows}, .group = {8, 8},
             .bytes = (halves ? 2 : 4) * (double)vks_field_count(field) + 4 * results,
             .operations = 40 * side * results);
}
