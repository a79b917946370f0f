/* SPDX-License-Identifier: MIT */
#include "view/points.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/exact.h"
#include "view/params.h"

enum { Z, Y, X };

static const struct vks_field *field_of(const struct vks_declaration *declaration, const char *name)
{
    const int index = vks_find_field(declaration, name);
    return index < 0 ? NULL : &declaration->fields[index];
}

enum vks_result vks_check_points(const struct vks_declaration *declaration,
                                 const char *const *fields)
{
    const struct vks_field *along_x = field_of(declaration, fields[X]);
    if (declaration->grid[0] > 1 && !fields[Z]) {
        return vks_fail(VKS_ERROR_INTERNAL, "a view of points in a volume needs a field for z");
    }
    for (int axis = fields[Z] ? Z : Y; axis <= X; axis++) {
        const struct vks_field *field = field_of(declaration, fields[axis]);
        if (!field || !along_x) {
            return vks_fail(VKS_ERROR_USAGE,
                            "this view shows points, and with these options there are none: the "
                            "field '%s' is missing",
                            field ? fields[X] : fields[axis]);
        }
        if (field->rank != 1 || field->element != VKS_U32 || field->shape[0] != along_x->shape[0]) {
            return vks_fail(VKS_ERROR_INTERNAL,
                            "the field '%s' cannot be shown as points: it must have rank 1, "
                            "elements VKS_U32 and as many as '%s'",
                            fields[axis], fields[X]);
        }
    }
    return VKS_OK;
}

/* --- seen along an axis ---------------------------------------------------------------------- */

static void declare_along(struct vks_declaration *declaration, const struct vks_points *points,
                          uint64_t count)
{
    const uint64_t *grid = declaration->grid;
    const struct vks_part *part = &points->part;
    const struct vks_plane plane = points->look->values.plane;
    const int across = plane.sight == VKS_SIGHT_X ? Y : X;
    const int down = plane.sight == VKS_SIGHT_Z ? Y : Z;
    const struct points_params params = {
        .count = (uint32_t)count,
        .columns = (uint32_t)grid[across],
        .rows = (uint32_t)grid[down],
        .x = part->x,
        .y = part->y,
        .part_width = part->width,
        .part_height = part->height,
        .width = part->out_width,
        .height = part->out_height,
        .first = points->first,
        .values = points->rows,
    };
    VKS_PASS(declaration, .name = "points", .shader = "view/points", .when = VKS_EACH_FRAME,
             .uses = VKS_USES({points->fields[across], VKS_READ, "point_across"},
                              {points->fields[down], VKS_READ, "point_down"},
                              {"view_counts", VKS_ATOMIC}),
             VKS_PUSH(params), .items = {count}, .bytes = 16 * (double)count,
             .operations = 30 * (double)count);
}

/* --- seen by a camera ------------------------------------------------------------------------ */

/* The largest scale that keeps all lengths below 2^29. */
static uint32_t shift_of(double longest)
{
    uint32_t shift = 3;
    while (shift < 24 && ldexp(longest, (int)shift + 1) <= 0x1p29) {
        shift++;
    }
    return shift;
}

static struct camera_params look_from(const struct vks_points *points, const uint64_t grid[3],
                                      const struct vks_camera *camera)
{
    const struct vks_part *part = &points->part;
    const vks_vec2 tilt = vks_sincos(camera->elevation);
    const double sine = (double)tilt.x, cosine = (double)tilt.y;
    const double scale = vks_look_scale(points->look, part, grid, sine, cosine);
    const double x = scale * (double)grid[X], y = scale * (double)grid[Y];
    const double z = scale * (double)grid[Z] * cosine;
    double longest = part->out_width > part->out_height ? part->out_width : part->out_height;
    longest = fmax(longest, fmax(x, fmax(y, z)));
    const uint32_t shift = shift_of(longest);
    const double unit = ldexp(1, (int)shift);
    return (struct camera_params){
        .azimuth = camera->azimuth,
        .spin = camera->spin,
        .across_x = vks_real(x * unit),
        .across_y = vks_real(y * unit),
        .down_x = vks_real(x * sine * unit),
        .down_y = vks_real(y * sine * unit),
        .down_z = (uint32_t)floor(z * unit + 0.5),
        .shift = shift,
        .width = part->out_width,
        .height = part->out_height,
        .first = points->first,
        .values = points->rows,
    };
}

static void declare_turned(struct vks_declaration *declaration, const struct vks_points *points,
                           const struct vks_camera *camera, uint64_t count)
{
    struct camera_params params = look_from(points, declaration->grid, camera);
    params.count = (uint32_t)count;
    VKS_FIELD(declaration, .name = "view_camera", .element = VKS_U32, .rank = 1,
              .shape = {CAMERA_WORDS});
    VKS_PASS(declaration, .name = "camera", .shader = "view/camera", .when = VKS_EACH_FRAME,
             .uses = VKS_USES({"view_camera", VKS_WRITE}), VKS_PUSH(params), .items = {1},
             .group = {1, 1});
    VKS_PASS(declaration, .name = "points", .shader = "view/points_turned", .when = VKS_EACH_FRAME,
             .uses = VKS_USES({points->fields[Z], VKS_READ, "point_z"},
                              {points->fields[Y], VKS_READ, "point_y"},
                              {points->fields[X], VKS_READ, "point_x"}, {"view_camera", VKS_READ},
                              {"view_counts", VKS_ATOMIC}),
             VKS_PUSH(params), .items = {count}, .bytes = 20 * (double)count,
             .operations = 40 * (double)count);
}

void vks_declare_points(struct vks_declaration *declaration, const struct vks_points *points)
{
    const uint64_t count = field_of(declaration, points->fields[X])->shape[0];
    const uint64_t pixels = (uint64_t)points->rows * points->part.out_width;
    const struct counted_params params = {(uint32_t)pixels};
    const struct vks_camera camera = points->look->values.camera;
    VKS_FIELD(declaration, .name = "view_counts", .element = VKS_U32, .rank = 2,
              .shape = {points->rows, points->part.out_width});
    if (camera.given) {
        declare_turned(declaration, points, &camera, count);
    } else {
        declare_along(declaration, points, count);
    }
    VKS_PASS(declaration, .name = "counted", .shader = "view/counted", .when = VKS_EACH_FRAME,
             .uses = VKS_USES({"view_counts", VKS_READ_WRITE}, {"values", VKS_WRITE}),
             VKS_PUSH(params), .items = {pixels}, .bytes = 12 * (double)pixels);
}
