/* SPDX-License-Identifier: MIT */
/* The passes that resize the displayed part of a field. */
#include <vksim/model.h>

#include "view/plan.h"

static enum vks_result fill_axis(const void *user, const struct vks_field *field,
                                 const struct vks_source *source, void *out)
{
    (void)field;
    (void)source;
    vks_fill_taps(user, out);
    return VKS_OK;
}

void vks_plan_taps(const struct vks_plan *plan, const char *name,
                   const struct vks_resized_axis *axis)
{
    vks_plan_table(plan, name, vks_taps_words(axis), fill_axis, axis, sizeof(*axis),
                   vks_declaration_name(plan->declaration, "%u from %u of %u to %u", axis->length,
                                        axis->from, axis->side, axis->size));
}

/* Resizes one axis of `source` into `target`. The source's lines are the field's from `origin` on,
 * with `row` cells each. Bands have at most `rows` results down, which is their stride of planes.
 */
static void declare_axis(const struct vks_plan *plan, int axis, const char *name,
                         const char *source, const char *target, struct resample_params params,
                         uint64_t rows, bool gated)
{
    const double results = (double)params.width * params.height * plan->planes;
    const struct vks_resized_axis resized = vks_plan_axis(&plan->part, plan->shape, axis);
    const double taps = resized.size < resized.length
                            ? (double)resized.length / (double)resized.size
                            : vks_max_taps(&resized);
    const double cell_bytes = vks_plan_has_halves(plan, source) ? 2 : 4;
    const double read = resized.size < resized.length ? taps * results : results;
    const bool grows = resized.size > resized.length;
    const char *table = axis == RESAMPLE_DOWN ? "taps_down" : "taps_across";
    const char *limits = gated ? "field_range_fallback" : "field_range";
    const struct vks_use uses[] = {{source, VKS_READ, "source"},
                                   {table, VKS_READ, "taps"},
                                   {target, VKS_WRITE, "target"},
                                   {grows ? limits : table, VKS_READ, "limits"},
                                   {gated ? "view_range" : NULL, VKS_READ},
                                   {0}};
    params.plane = vks_plan_stride(plan, source);
    params.rows = (uint32_t)rows;
    VKS_PASS(plan->declaration, .name = name,
             .shader = gated ? "view/resample_fallback" : "view/resample", .when = VKS_EACH_FRAME,
             .uses = uses,
             .specializations = VKS_SPECIALIZATIONS(
                 {"axis", (uint32_t)axis}, {"grows", grows}, {"planes", plan->planes},
                 {"half_cells", vks_plan_has_halves(plan, source)}),
             VKS_PUSH(params), .items = {params.width, rows * plan->planes}, .group = {64, 4},
             .bytes = cell_bytes * read + 4 * results, .operations = 4 * taps * results);
}

/* Resizes both axes, or the one that changes. Columns come first, which reads whole rows, unless
 * the height grows while the width shrinks. */
static void declare_axes(const struct vks_plan *plan, const char *source, const char *target,
                         bool gated)
{
    const struct vks_part *part = &plan->part;
    const struct vks_plan_rows *band = &plan->band;
    const struct vks_resized_axis down = vks_plan_axis(part, plan->shape, RESAMPLE_DOWN);
    const struct vks_resized_axis across = vks_plan_axis(part, plan->shape, RESAMPLE_ACROSS);
    const char *const down_name = gated ? "fallback down" : "resize down";
    const char *const across_name = gated ? "fallback across" : "resize across";
    uint64_t halfway[2];
    uint32_t begin;
    struct resample_params last = {.width = part->out_width, .height = band->value_rows};
    vks_plan_shape_halfway(plan, band->value_rows, halfway);
    if (halfway[0] == 0) {
        const int axis = across.size == across.length ? RESAMPLE_DOWN : RESAMPLE_ACROSS;
        last.row = across.side;
        last.from =
            axis == RESAMPLE_DOWN ? across.from : down.from + band->first_value - plan->origin;
        last.origin = axis == RESAMPLE_DOWN ? plan->origin : 0;
        last.size = axis == RESAMPLE_DOWN ? down.size : across.size;
        last.first = axis == RESAMPLE_DOWN ? band->first_value : 0;
        declare_axis(plan, axis, axis == RESAMPLE_DOWN ? down_name : across_name, source, target,
                     last, last.height, gated);
        return;
    }
    if (!gated) {
        vks_plan_values(plan, "halfway", halfway[0], halfway[1]);
    }
    struct resample_params first = {.width = (uint32_t)halfway[1], .row = across.side};
    last.row = first.width;
    if (vks_plan_is_across_first(&down, &across)) {
        first.height = vks_plan_lines(&down, band->first_value,
                                      band->first_value + band->value_rows - 1, &begin);
        first.from = begin - plan->origin;
        last.origin = begin;
        first.size = across.size;
        last.size = down.size;
        last.first = band->first_value;
        declare_axis(plan, RESAMPLE_ACROSS, across_name, source, "halfway", first, halfway[0],
                     gated);
        declare_axis(plan, RESAMPLE_DOWN, down_name, "halfway", target, last, last.height, gated);
    } else {
        first.height = band->value_rows;
        vks_plan_lines(&across, 0, across.size - 1, &begin);
        first.from = last.origin = begin;
        first.size = down.size;
        first.origin = plan->origin;
        first.first = band->first_value;
        last.size = across.size;
        declare_axis(plan, RESAMPLE_DOWN, down_name, source, "halfway", first, halfway[0], gated);
        declare_axis(plan, RESAMPLE_ACROSS, across_name, "halfway", target, last, last.height,
                     gated);
    }
}

void vks_plan_resampling(const struct vks_plan *plan, const char *source, const char *target,
                         bool gated)
{
    const struct vks_resized_axis down = vks_plan_axis(&plan->part, plan->shape, RESAMPLE_DOWN);
    const struct vks_resized_axis across = vks_plan_axis(&plan->part, plan->shape, RESAMPLE_ACROSS);
    size_t from = plan->declaration->pass_count;
    if (down.size > down.length || across.size > across.length) {
        vks_declare_range(plan->declaration, source, gated ? "field_range_fallback" : "field_range",
                          VKS_EACH_FRAME);
        vks_plan_run_in(plan, from, IN_MEASURE | ONCE);
        from = plan->declaration->pass_count;
    }
    declare_axes(plan, source, target, gated);
    vks_plan_run_in(plan, from,
                    IN_DRAW | (plan->params->look->bloom > 0 ? IN_GLOW : 0U) |
                        (gated ? IN_MEASURE_FALLBACK : vks_plan_parts_to_measure(plan)));
}
