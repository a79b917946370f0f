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

/* Whether a field has one element per point. */
static bool is_of_points(const struct vks_field *field, enum vks_element element,
                         const struct vks_field *place)
{
    return field->rank == 1 && field->element == element && field->shape[0] == place->shape[0];
}

static enum vks_result check_tint(const struct vks_declaration *declaration,
                                  const char *const *tint, const struct vks_field *place)
{
    for (int i = 0; i < 3 && tint && tint[i]; i++) {
        const struct vks_field *field = field_of(declaration, tint[i]);
        if (!field || !is_of_points(field, VKS_F32, place)) {
            return vks_fail(VKS_ERROR_INTERNAL,
                            "points cannot be coloured by '%s': it must be a field of rank 1, with "
                            "elements VKS_F32 and as many as '%s'",
                            tint[i], place->name);
        }
    }
    return VKS_OK;
}

enum vks_result vks_check_points(const struct vks_declaration *declaration,
                                 const struct vks_points *points)
{
    const char *const *fields = points->fields;
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
        if (!is_of_points(field, VKS_U32, along_x)) {
            return vks_fail(VKS_ERROR_INTERNAL,
                            "the field '%s' cannot be shown as points: it must have rank 1, "
                            "elements VKS_U32 and as many as '%s'",
                            fields[axis], fields[X]);
        }
    }
    return check_tint(declaration, points->tint, along_x);
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

/* The same for the part of a plane along an axis, which a camera sees from the front. */
static enum vks_result look_along(const struct vks_points *points, const uint64_t grid[3],
                                  struct camera_params *params, double middle[2])
{
    const struct vks_part *part = &points->part;
    const enum vks_sight sight = points->look->values.plane.sight;
    const double across = (double)grid[sight == VKS_SIGHT_X ? Y : X];
    const double down = (double)grid[sight == VKS_SIGHT_Z ? Y : Z];
    const double wide = across * part->out_width / part->width;
    const double high = down * part->out_height / part->height;
    const double longest = fmax(fmax(part->out_width, part->out_height), fmax(wide, high));
    if (longest > 0x1p26) {
        return vks_fail(VKS_ERROR_USAGE,
                        "a box of soft points may be 2^26 pixels long, and here it has %.0f: show "
                        "a larger part or a smaller picture",
                        longest);
    }
    const uint32_t shift = shift_of(longest);
    const double unit = ldexp(1, (int)shift);
    const float length = vks_real(wide * unit), height = vks_real(high * unit);
    *params = (struct camera_params){
        .azimuth = sight == VKS_SIGHT_X ? UINT32_C(1) << 30 : 0,
        .across_x = sight == VKS_SIGHT_X ? 0 : length,
        .across_y = sight == VKS_SIGHT_X ? length : 0,
        .down_y = sight == VKS_SIGHT_Z ? height : 0,
        .down_z = sight == VKS_SIGHT_Z ? 0 : (uint32_t)height,
        .shift = shift,
    };
    middle[0] = (double)length * (0.5 - part->x / across);
    middle[1] = (double)height * (0.5 - part->y / down);
    return VKS_OK;
}

static void declare_camera(struct vks_declaration *declaration, const struct camera_params *params)
{
    VKS_FIELD(declaration, .name = "view_camera", .element = VKS_U32, .rank = 1,
              .shape = {CAMERA_WORDS});
    VKS_PASS(declaration, .name = "camera", .shader = "view/camera", .when = VKS_EACH_FRAME,
             .uses = VKS_USES({"view_camera", VKS_WRITE}), VKS_PUSH(*params), .items = {1},
             .group = {1, 1});
}

static void declare_turned(struct vks_declaration *declaration, const struct vks_points *points,
                           const struct vks_camera *camera, uint64_t count)
{
    struct camera_params params = look_from(points, declaration->grid, camera);
    params.count = (uint32_t)count;
    declare_camera(declaration, &params);
    VKS_PASS(declaration, .name = "points", .shader = "view/points_turned", .when = VKS_EACH_FRAME,
             .uses = VKS_USES({points->fields[Z], VKS_READ, "point_z"},
                              {points->fields[Y], VKS_READ, "point_y"},
                              {points->fields[X], VKS_READ, "point_x"}, {"view_camera", VKS_READ},
                              {"view_counts", VKS_ATOMIC}),
             VKS_PUSH(params), .items = {count}, .bytes = 20 * (double)count,
             .operations = 40 * (double)count);
}

/* --- soft, with a tint ------------------------------------------------------------------------ */

enum { SUM_BYTES = 16 };

uint64_t vks_points_bytes(uint64_t rows, uint64_t width)
{
    return SUM_BYTES * (rows + 2) * (width + 2);
}

/* The quantity of every point as a tint. */
static void declare_tints(struct vks_declaration *declaration, const char *const *tint,
                          uint64_t count)
{
    const struct tints_params params = {(uint32_t)count};
    const bool vector = tint[1] != NULL;
    VKS_FIELD(declaration, .name = "point_tint", .element = VKS_U32, .rank = 1, .shape = {count});
    VKS_FIELD(declaration, .name = "view_tint_sums", .element = VKS_U32X2, .rank = 1,
              .shape = {TINT_SUMS});
    VKS_FIELD(declaration, .name = "view_tint", .element = VKS_F32, .rank = 1,
              .shape = {TINT_WORDS});
    VKS_PASS(declaration, .name = "tints", .shader = "view/tints", .when = VKS_EACH_FRAME,
             .uses = VKS_USES({tint[0], VKS_READ, "quantity_z"},
                              {tint[vector ? 1 : 0], VKS_READ, "quantity_y"},
                              {tint[vector ? 2 : 0], VKS_READ, "quantity_x"},
                              {"point_tint", VKS_WRITE}, {"view_tint_sums", VKS_ATOMIC}),
             .specializations = VKS_SPECIALIZATIONS({"vector", vector}), VKS_PUSH(params),
             .items = {(count + TINTS_PER_ITEM - 1) / TINTS_PER_ITEM}, .group = {256, 1},
             .bytes = (vector ? 16 : 8) * (double)count, .operations = 60 * (double)count);
    VKS_PASS(declaration, .name = "tint range", .shader = "view/tint_range", .when = VKS_EACH_FRAME,
             .uses = VKS_USES({"view_tint_sums", VKS_READ_WRITE}, {"view_tint", VKS_WRITE}),
             .items = {1}, .group = {1, 1});
}

static void declare_soft(struct vks_declaration *declaration, const struct vks_points *points,
                         uint64_t count)
{
    const struct vks_part *part = &points->part;
    const struct vks_camera *camera = &points->look->values.camera;
    const uint32_t width = part->out_width, rows = points->rows;
    struct camera_params seen = {0};
    double middle[2] = {0};
    if (camera->given) {
        seen = look_from(points, declaration->grid, camera);
        middle[0] = ldexp(width, (int)seen.shift - 1);
        middle[1] = ldexp(part->out_height, (int)seen.shift - 1);
    } else {
        const enum vks_result result = look_along(points, declaration->grid, &seen, middle);
        if (result != VKS_OK) {
            vks_declaration_fail(declaration, result);
            return;
        }
    }
    const struct splat_params params = {
        .down_z = seen.down_z,
        .shift = seen.shift,
        .middle_x = (uint32_t)(int32_t)floor(middle[0] + 0.5),
        .middle_y = (uint32_t)(int32_t)floor(middle[1] + 0.5),
        .count = (uint32_t)count,
        .first = points->first,
        .columns = width + 2,
        .rows = rows + 2,
    };
    const uint64_t sums = (uint64_t)params.columns * params.rows;
    const struct counted_params all = {(uint32_t)sums};
    const struct splatted_params shown = {width, rows};
    const double pixels = (double)rows * width;
    const char *z = points->fields[points->fields[Z] ? Z : X];
    declare_tints(declaration, points->tint, count);
    declare_camera(declaration, &seen);
    VKS_FIELD(declaration, .name = "view_sums", .element = VKS_U32X2, .rank = 1,
              .shape = {2 * sums});
    VKS_FIELD(declaration, .name = "view_tints", .element = VKS_U32, .rank = 2,
              .shape = {rows, width});
    VKS_PASS(declaration, .name = "clear splats", .shader = "view/clear_splats",
             .when = VKS_EACH_FRAME, .uses = VKS_USES({"view_sums", VKS_WRITE}), VKS_PUSH(all),
             .items = {sums}, .bytes = SUM_BYTES * (double)sums);
    VKS_PASS(declaration, .name = "splat", .shader = "view/splat", .when = VKS_EACH_FRAME,
             .uses = VKS_USES({z, VKS_READ, "point_z"}, {points->fields[Y], VKS_READ, "point_y"},
                              {points->fields[X], VKS_READ, "point_x"}, {"view_camera", VKS_READ},
                              {"point_tint", VKS_READ}, {"view_tint", VKS_READ},
                              {"view_sums", VKS_ATOMIC}),
             VKS_PUSH(params), .items = {count}, .bytes = 80 * (double)count,
             .operations = 80 * (double)count, .atomics = 8 * (double)count);
    VKS_PASS(
        declaration, .name = "splatted", .shader = "view/splatted", .when = VKS_EACH_FRAME,
        .uses = VKS_USES({"view_sums", VKS_READ}, {"values", VKS_WRITE}, {"view_tints", VKS_WRITE}),
        VKS_PUSH(shown), .items = {width, (rows + SPLATTED_ROWS - 1) / SPLATTED_ROWS},
        .group = {64, 1}, .bytes = (SUM_BYTES + 8) * pixels, .operations = 120 * pixels);
}

void vks_declare_points(struct vks_declaration *declaration, const struct vks_points *points)
{
    const uint64_t count = field_of(declaration, points->fields[X])->shape[0];
    const uint64_t pixels = (uint64_t)points->rows * points->part.out_width;
    const struct counted_params params = {(uint32_t)pixels};
    const struct vks_camera camera = points->look->values.camera;
    if (points->tint) {
        declare_soft(declaration, points, count);
        return;
    }
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
