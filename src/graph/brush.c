/* SPDX-License-Identifier: MIT */
#include "graph/brush.h"

#include <string.h>

#include "base/error.h"
#include "base/exact.h"
#include "base/option.h"
#include "graph/graph.h"

enum { UNIT = 1 << STROKE_UNIT_BITS, SHARE_BITS = 16, MIN_RADIUS = 7 * UNIT / 8 };

/* --- records --------------------------------------------------------------------------------- */

/* Rounded down. */
static int64_t quotient(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* A place in 2^-16 sides, in the unit of strokes. */
static int64_t place_of(int64_t share, uint32_t side)
{
    return quotient(share * side, INT64_C(1) << (SHARE_BITS - STROKE_UNIT_BITS));
}

static uint32_t bits_of(float real)
{
    uint32_t bits;
    memcpy(&bits, &real, sizeof(bits));
    return bits;
}

static float radius_of(const struct vks_config *config, const struct vks_stroke *stroke)
{
    const uint32_t sides[] = {config->width, config->height, config->depth};
    uint32_t shortest = UINT32_MAX;
    for (int i = 0; i < 3; i++) {
        shortest = sides[i] > 1 && sides[i] < shortest ? sides[i] : shortest;
    }
    const double radius = shortest < UINT32_MAX ? (double)stroke->radius * shortest /
                                                      (1 << (SHARE_BITS - STROKE_UNIT_BITS))
                                                : 0;
    return (float)(radius > MIN_RADIUS ? radius : MIN_RADIUS);
}

/* Where a stroke is along an axis, and how many of its images touch the grid. */
static void set_axis(uint32_t *record, uint32_t axis, uint32_t side, const int32_t ends[2],
                     float radius, bool closed)
{
    const int64_t length = (int64_t)side * UNIT, margin = (int64_t)radius + 1;
    int64_t start = place_of(ends[0], side), along = place_of(ends[1], side) - start;
    uint32_t images = 1;
    if (side == 1) { /* the field has no extent here */
        start = UNIT / 2;
        along = 0;
    } else if (!closed) {
        const int64_t low = start + (along < 0 ? along : 0) - margin;
        const int64_t high = start + (along > 0 ? along : 0) + margin;
        const int64_t first = -quotient(high, length), last = quotient(length - 1 - low, length);
        start += first * length;
        images = (uint32_t)(last - first + 1);
    }
    record[STROKE_START + axis] = (uint32_t)start;
    record[STROKE_ALONG + axis] = (uint32_t)along;
    record[STROKE_IMAGES + axis] = images;
}

/* Tells strokes at different places apart, however they are grouped into calls. */
static uint32_t stream_of(const struct vks_stroke *stroke)
{
    const vks_uvec4 start =
        vks_random((uint32_t)stroke->x, (uint32_t)stroke->y, (uint32_t)stroke->z, stroke->radius);
    const vks_uvec4 whole =
        vks_random(start.x, (uint32_t)stroke->x2, (uint32_t)stroke->y2, (uint32_t)stroke->z2);
    return whole.x | UINT32_C(1) << 31; /* steps use small numbers */
}

static void set_record(uint32_t *record, const struct vks_config *config, bool closed,
                       const struct vks_stroke *stroke)
{
    const float radius = radius_of(config, stroke);
    const double edge = (double)radius * stroke->soft / (1 << SHARE_BITS);
    const int32_t middle = 1 << (SHARE_BITS - 1);
    const int32_t ends[3][2] = {{stroke->x, stroke->x2},
                                {stroke->y, stroke->y2},
                                {stroke->z + middle, stroke->z2 + middle}};
    const uint32_t sides[] = {config->width, config->height, config->depth};
    double square = 0;
    for (uint32_t i = 0; i < 3; i++) {
        set_axis(record, i, sides[i], ends[i], radius, closed);
        const double along = (int32_t)record[STROKE_ALONG + i];
        square += along * along;
    }
    record[STROKE_RADIUS] = bits_of(radius);
    record[STROKE_SHARPNESS] = bits_of(edge > 0 ? (float)(1 / edge) : 0);
    record[STROKE_INVERSE] = bits_of(square > 0 ? (float)(1 / square) : 0);
    record[STROKE_STRENGTH] = bits_of((float)stroke->strength / (1 << SHARE_BITS));
    record[STROKE_BACKWARD] = stroke->inverse;
    record[STROKE_STREAM] = stream_of(stroke);
    for (uint32_t i = 0; i < VKS_STROKE_VALUES; i++) {
        record[STROKE_VALUES + i] = bits_of(vks_real(stroke->values[i]));
    }
}

void vks_strokes_set(struct vks_strokes *words, const struct vks_config *config, bool closed,
                     const struct vks_stroke *strokes, size_t count)
{
    *words = (struct vks_strokes){
        .words = {(uint32_t)count, config->width, config->height, config->depth}};
    for (size_t i = 0; i < count; i++) {
        set_record(words->words + STROKE_HEADER + i * STROKE_WORDS, config, closed, &strokes[i]);
    }
}

/* --- passes ---------------------------------------------------------------------------------- */

static enum vks_result fill_strokes(const void *user, const struct vks_field *field,
                                    const struct vks_source *source, void *out)
{
    (void)source;
    memcpy(out, user, vks_field_bytes(field));
    return VKS_OK;
}

/* The value of a REAL option of the model, 1 without one. */
static double value_of(const struct vks_model *model, const struct vks_config *config,
                       const char *name)
{
    const struct vks_option *option = name ? vks_option_find(model->options, name) : NULL;
    double value = 1;
    if (option) {
        memcpy(&value, (const char *)config->settings + option->offset, sizeof(value));
    }
    return value;
}

static void declare_effect(const struct vks_brush_effect *effect, double times,
                           struct vks_declaration *declaration)
{
    const int index = vks_find_field(declaration, effect->field);
    const struct vks_field *field = index < 0 ? NULL : &declaration->fields[index];
    if (!field || field->rank < 2 || (field->element != VKS_F32 && field->element != VKS_F16)) {
        vks_declaration_fail(declaration,
                             vks_fail(VKS_ERROR_INTERNAL,
                                      "a brush paints '%s', which is not a field of floats with a "
                                      "value per cell",
                                      effect->field));
        return;
    }
    const bool halves = field->element == VKS_F16;
    const bool masked = effect->outside && vks_find_field(declaration, effect->outside) >= 0;
    const uint64_t width = field->shape[field->rank - 1];
    const uint64_t rows = vks_field_count(field) / width;
    const struct brush_params params = {
        .rows = (uint32_t)rows,
        .adds = {effect->stroke.adds, effect->inverse.adds},
        .amounts = {vks_real(effect->stroke.amount * times),
                    vks_real(effect->inverse.amount * times)},
        .min = vks_real(effect->min),
        .max = vks_real(effect->max),
        .value = effect->value,
    };
    VKS_PASS(declaration, .name = vks_declaration_name(declaration, "paint %s", effect->field),
             .shader = "core/brush", .when = VKS_EACH_FRAME,
             .uses = VKS_USES({effect->field, VKS_READ_WRITE, "field"}, {"strokes", VKS_READ},
                              {masked ? effect->outside : "strokes", VKS_READ, "mask"}),
             .specializations = VKS_SPECIALIZATIONS({"halves", halves}, {"masked", masked}),
             VKS_PUSH(params), .items = {halves ? width / 2 : width, rows}, .by_rows = true,
             .bytes = 2 * (double)vks_field_bytes(field));
}

/* Fails if a pass would never run. */
static void check_times(const struct vks_brush *brush, struct vks_declaration *declaration)
{
    for (size_t i = 0; i < declaration->pass_count; i++) {
        if (declaration->passes[i].when != VKS_EACH_FRAME) {
            vks_declaration_fail(declaration,
                                 vks_fail(VKS_ERROR_INTERNAL,
                                          "brush '%s': pass '%s' is not VKS_EACH_FRAME",
                                          brush->name, declaration->passes[i].name));
        }
    }
}

void vks_declare_brush(const struct vks_model *model, const struct vks_config *config,
                       const struct vks_brush *brush, const struct vks_strokes *strokes,
                       uint64_t made_from, const struct vks_declaration *base,
                       struct vks_declaration *declaration)
{
    vks_declaration_bind(declaration, base);
    declaration->continues = true;
    VKS_FIELD(declaration, .name = "strokes", .element = VKS_U32, .rank = 1,
              .shape = {sizeof(strokes->words) / sizeof(*strokes->words)}, .fill = fill_strokes,
              .user = vks_declaration_copy(declaration, strokes, sizeof(*strokes)),
              .made_from =
                  vks_declaration_name(declaration, "%llu", (unsigned long long)made_from));
    for (const struct vks_brush_effect *effect = brush->effects; effect->field; effect++) {
        declare_effect(effect, value_of(model, config, effect->times), declaration);
    }
    if (brush->declare) {
        brush->declare(config, declaration);
        check_times(brush, declaration);
    }
}
