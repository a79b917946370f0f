/* SPDX-License-Identifier: MIT */
/* Points of a formula model: a name of which the value is 1 near places, which are listed in the
 * JSON or in a table that an option names, and 0 elsewhere. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "formula/private.h"

/* What a place is, in messages. */
static const char *shape_of(const struct vks_formula *f)
{
    return f->names.dimensions == 2 ? "a place is X, Y or X, Y, RADIUS, all from 0 to 1"
                                    : "a place is X, Y, Z or X, Y, Z, RADIUS, all from 0 to 1";
}

/* Places become ones in `out`; NULL: they are only checked. */
struct drawing {
    const struct vks_config *config;
    const struct vks_formula *formula;
    const char *path; /* of the table */
    double radius;    /* of places without one */
    float *out;
};

/* --- the JSON -------------------------------------------------------------------------------- */

enum { MAX_NUMBERS = 4 };

/* The numbers of a place; 0 if it is not one. */
static uint32_t numbers_of(const struct vks_formula *f, const json_t *place,
                           double numbers[MAX_NUMBERS])
{
    const size_t count = json_array_size(place), axes = f->names.dimensions;
    bool good = count == axes || count == axes + 1;
    for (size_t i = 0; i < count && good; i++) {
        const json_t *number = json_array_get(place, i);
        numbers[i] = json_number_value(number);
        good = json_is_number(number) && numbers[i] >= 0 && numbers[i] <= 1;
    }
    return good ? (uint32_t)count : 0;
}

static enum vks_result check_object(const struct vks_formula *f, const char *name,
                                    const json_t *object)
{
    static const char *const known[] = {"help", "at", "radius", NULL};
    const json_t *at = json_object_get(object, "at"), *radius = json_object_get(object, "radius");
    double numbers[MAX_NUMBERS];
    enum vks_result result = json_is_object(object)
                                 ? vks_formula_check_keys(object, known, name)
                                 : vks_formula_wrong(name, "is not an object, such as {\"at\": "
                                                           "[[0.3, 0.5]], \"radius\": 0.02}");
    if (result == VKS_OK && at && !json_is_array(at)) {
        result = vks_formula_wrong(name, "has an 'at' that is not a list of places");
    }
    if (result == VKS_OK && radius &&
        !(json_is_number(radius) && json_number_value(radius) >= 0 &&
          json_number_value(radius) <= 1)) {
        result = vks_formula_wrong(name, "has a 'radius' that is not a number from 0 to 1");
    }
    for (size_t i = 0; i < json_array_size(at) && result == VKS_OK; i++) {
        if (numbers_of(f, json_array_get(at, i), numbers) == 0) {
            result = vks_fail(VKS_ERROR_USAGE, "'points.%s', entry %zu of 'at': %s", name, i + 1,
                              shape_of(f));
        }
    }
    return result;
}

enum vks_result vks_formula_read_points(struct vks_formula *f, const char *name,
                                        const json_t *points)
{
    const char *help = NULL;
    enum vks_result result = vks_formula_check_name(f, &f->names, name);
    if (result == VKS_OK) {
        result = check_object(f, name, points);
    }
    if (result == VKS_OK) {
        result =
            vks_formula_read_text(points, "help", "places of the formulas (.csv or .npy)", &help);
    }
    if (result != VKS_OK) {
        return result;
    }
    f->images[f->image_count].points = points;
    return vks_formula_add_image(f, name, help, 0);
}

/* --- drawing --------------------------------------------------------------------------------- */

/* Sets the cell that the place is in, and those whose centres are within the radius. */
static void draw(const struct drawing *drawing, const double centre[3], double radius)
{
    const struct vks_config *c = drawing->config;
    const uint32_t sides[] = {c->width, c->height, c->depth};
    uint64_t own[3], low[3], high[3];
    for (size_t i = 0; i < 3; i++) {
        const double last = sides[i] - 1.0;
        own[i] = (uint64_t)fmin(floor(centre[i]), last);
        low[i] = (uint64_t)fmax(floor(centre[i] - radius), 0);
        high[i] = (uint64_t)fmin(floor(centre[i] + radius), last);
    }
    for (uint64_t z = low[2]; z <= high[2]; z++) {
        const double dz = (double)z + 0.5 - centre[2];
        for (uint64_t y = low[1]; y <= high[1]; y++) {
            const double dy = (double)y + 0.5 - centre[1];
            for (uint64_t x = low[0]; x <= high[0]; x++) {
                const double dx = (double)x + 0.5 - centre[0];
                if (dx * dx + dy * dy + dz * dz <= radius * radius) {
                    drawing->out[(z * c->height + y) * c->width + x] = 1;
                }
            }
        }
    }
    drawing->out[(own[2] * c->height + own[1]) * c->width + own[0]] = 1;
}

/* A place of a table or of the JSON. */
static enum vks_result take_place(void *user, uint64_t number, const double *values, uint32_t count)
{
    const struct drawing *drawing = user;
    const struct vks_config *c = drawing->config;
    const uint32_t axes = drawing->formula->names.dimensions;
    const double sides[] = {c->width, c->height, c->depth};
    const double shorter = fmin(sides[0], sides[1]);
    double centre[3] = {0.5, 0.5, 0.5};
    for (uint32_t i = 0; i < count; i++) {
        if (!(values[i] >= 0 && values[i] <= 1)) {
            return vks_fail_file(vks_fail(VKS_ERROR_FILE, "'%s', row %" PRIu64 ": %s",
                                          drawing->path, number, shape_of(drawing->formula)),
                                 drawing->path);
        }
    }
    for (uint32_t i = 0; i < axes; i++) {
        centre[i] = values[i] * sides[i];
    }
    if (drawing->out) {
        draw(drawing, centre, (count > axes ? values[axes] : drawing->radius) * shorter);
    }
    return VKS_OK;
}

static enum vks_result draw_points(const struct vks_config *config, size_t image, float *out)
{
    const struct vks_formula *f = config->model->user;
    const struct vks_formula_settings *s = config->settings;
    const json_t *points = f->images[image].points, *at = json_object_get(points, "at");
    struct drawing drawing = {
        .config = config,
        .formula = f,
        .path = vks_text_is_given(s->images[image]) ? s->images[image] : NULL,
        .radius = json_number_value(json_object_get(points, "radius")),
        .out = out,
    };
    double numbers[MAX_NUMBERS];
    enum vks_result result = VKS_OK;
    if (drawing.path) {
        return config->read_table(drawing.path, f->names.dimensions, f->names.dimensions + 1,
                                  take_place, &drawing);
    }
    for (size_t i = 0; i < json_array_size(at) && result == VKS_OK; i++) {
        const uint32_t count = numbers_of(f, json_array_get(at, i), numbers);
        result = take_place(&drawing, i + 1, numbers, count);
    }
    return result;
}

enum vks_result vks_formula_check_points(const struct vks_config *config)
{
    const struct vks_formula *f = config->model->user;
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < f->image_count && result == VKS_OK; i++) {
        result = f->images[i].points ? draw_points(config, i, NULL) : VKS_OK;
    }
    return result;
}

static enum vks_result fill(const void *user, const struct vks_field *field,
                            const struct vks_source *source, void *out)
{
    const struct vks_config *config = user;
    const struct vks_formula *f = config->model->user;
    size_t image = 0;
    (void)source;
    while (strcmp(f->images[image].name, field->name) != 0) {
        image++;
    }
    return draw_points(config, image, out);
}

void vks_formula_declare_points(const struct vks_config *config, size_t image,
                                struct vks_declaration *declaration)
{
    const struct vks_formula *f = config->model->user;
    const struct vks_formula_settings *s = config->settings;
    const char *path = s->images[image];
    VKS_FIELD(declaration, .name = f->images[image].name, .element = VKS_F32, .fill = fill,
              .user = config, .made_from = vks_text_is_given(path) ? path : "at");
}
