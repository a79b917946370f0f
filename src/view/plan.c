/* SPDX-License-Identifier: MIT */
/* Fields and bands of the passes of a picture. */
#include "view/plan.h"
#include "view/points.h"

struct vks_resized_axis vks_plan_axis(const struct vks_part *part, const uint64_t shape[2],
                                      int which)
{
    return which == RESAMPLE_DOWN ? (struct vks_resized_axis){(uint32_t)shape[0], part->y,
                                                              part->height, part->out_height}
                                  : (struct vks_resized_axis){(uint32_t)shape[1], part->x,
                                                              part->width, part->out_width};
}

const struct vks_field *vks_plan_field(const struct vks_plan *plan, const char *name)
{
    const int index = vks_find_field(plan->declaration, name);
    return index < 0 ? NULL : &plan->declaration->fields[index];
}

uint32_t vks_plan_has_halves(const struct vks_plan *plan, const char *name)
{
    const struct vks_field *field = vks_plan_field(plan, name);
    return field && field->element == VKS_F16;
}

uint32_t vks_plan_curve(const struct vks_plan *plan)
{
    const float gamma = plan->view.gamma;
    return gamma == 1.0f ? TONE_LINEAR : gamma == 0.5f ? TONE_ROOT : TONE_POWER;
}

uint32_t vks_plan_is_logarithmic(const struct vks_plan *plan)
{
    return plan->params->look->tone == VKS_TONE_LOG;
}

uint32_t vks_plan_is_symmetric(const struct vks_plan *plan)
{
    return plan->range.symmetric;
}

uint32_t vks_plan_is_strongest(const struct vks_plan *plan)
{
    return plan->planes > 1 && plan->params->look->values.mix.strongest;
}

void vks_plan_buffer(const struct vks_plan *plan, const char *name, enum vks_element element,
                     uint64_t count)
{
    VKS_FIELD(plan->declaration, .name = name, .element = element, .rank = 1, .shape = {count});
}

void vks_plan_plane(const struct vks_plan *plan, const char *name, enum vks_element element,
                    uint64_t height, uint64_t width)
{
    VKS_FIELD(plan->declaration, .name = name, .element = element, .rank = 2,
              .shape = {height, width});
}

void vks_plan_values(const struct vks_plan *plan, const char *name, uint64_t height, uint64_t width)
{
    if (plan->planes == 1) {
        vks_plan_plane(plan, name, VKS_F32, height, width);
    } else {
        VKS_FIELD(plan->declaration, .name = name, .element = VKS_F32, .rank = 3,
                  .shape = {plan->planes, height, width});
    }
}

uint32_t vks_plan_stride(const struct vks_plan *plan, const char *name)
{
    const struct vks_field *field = vks_plan_field(plan, name);
    return field ? (uint32_t)(vks_field_count(field) / plan->planes) : 0;
}

/* --- bands ----------------------------------------------------------------------------------- */

void vks_plan_run_in(const struct vks_plan *plan, size_t from, unsigned parts)
{
    const struct vks_view_params *params = plan->params;
    const bool runs =
        plan->band.whole || ((parts >> params->part & 1U) && (params->row == 0 || !(parts & ONCE)));
    for (size_t i = from; i < plan->declaration->pass_count; i++) {
        struct vks_pass *pass = &plan->declaration->passes[i];
        pass->left_out = pass->when == VKS_EACH_FRAME && !runs;
    }
}

unsigned vks_plan_parts_to_measure(const struct vks_plan *plan)
{
    return plan->range.mode != VKS_RANGE_FIXED || plan->params->fallback ? IN_MEASURE : 0;
}

uint32_t vks_plan_lines(const struct vks_resized_axis *axis, uint32_t from, uint32_t last,
                        uint32_t *begin)
{
    uint32_t first, count;
    vks_taps_of(axis, from, begin, &count);
    vks_taps_of(axis, last, &first, &count);
    return first + count - *begin;
}

bool vks_plan_is_across_first(const struct vks_resized_axis *down,
                              const struct vks_resized_axis *across)
{
    return down->size > down->length && across->size < across->length;
}

void vks_plan_shape_halfway(const struct vks_plan *plan, uint32_t value_rows, uint64_t shape[2])
{
    const struct vks_resized_axis down = vks_plan_axis(&plan->part, plan->shape, RESAMPLE_DOWN);
    const struct vks_resized_axis across = vks_plan_axis(&plan->part, plan->shape, RESAMPLE_ACROSS);
    uint32_t begin;
    shape[0] = shape[1] = 0;
    if (down.size == down.length || across.size == across.length || plan->params->points) {
        return;
    }
    if (vks_plan_is_across_first(&down, &across)) {
        /* Upscaling: a band needs fewer rows of the field than it has, plus the filter's radius on
         * both sides. */
        const uint64_t all = vks_plan_lines(&down, 0, down.size - 1, &begin);
        const uint64_t some = (uint64_t)value_rows + vks_max_taps(&down) + 2;
        shape[0] = some < all ? some : all;
        shape[1] = across.size;
    } else {
        shape[0] = value_rows;
        shape[1] = vks_plan_lines(&across, 0, across.size - 1, &begin);
    }
}

/* Rows of values that a band of `rows` needs: a hillshade needs more on either side. */
static uint32_t value_rows_of(const struct vks_plan *plan, uint32_t rows)
{
    const uint32_t more = plan->params->look->hillshade > 0 ? 2 * RELIEF_ROWS : 0;
    const uint32_t height = plan->part.out_height;
    return height - rows < more ? height : rows + more;
}

/* Bytes of the largest plane for bands of that many rows. */
static uint64_t largest_plane(const struct vks_plan *plan, uint32_t rows)
{
    const uint32_t value_rows = value_rows_of(plan, rows);
    const uint64_t width = plan->part.out_width;
    const bool deep = vks_planes_are_deep(plan->params->planes);
    uint64_t halfway[2];
    uint64_t max = rows * width * (deep ? 8 : 4);
    if (!plan->direct) {
        vks_plan_shape_halfway(plan, value_rows, halfway);
        const uint64_t values = plan->planes * value_rows * width * 4;
        const uint64_t half = plan->planes * halfway[0] * halfway[1] * 4;
        max = values > max ? values : max;
        max = half > max ? half : max;
    }
    if (plan->params->tint) {
        const uint64_t sums = vks_points_bytes(value_rows, width);
        max = sums > max ? sums : max;
    }
    return max;
}

uint32_t vks_view_value_planes(const struct vks_declaration *declaration)
{
    const int index = vks_find_field(declaration, "values");
    const struct vks_field *field = index < 0 ? NULL : &declaration->fields[index];
    return field && field->rank == 3 ? (uint32_t)field->shape[0] : 1;
}

uint32_t vks_view_first_value(uint32_t height, uint32_t rows, uint32_t value_rows, uint32_t row)
{
    const uint32_t above = value_rows > rows ? RELIEF_ROWS : 0;
    const uint32_t first = row > above ? row - above : 0;
    return first < height - value_rows ? first : height - value_rows;
}

/* A band has as many rows as the device and BAND_BYTES allow, in whole blocks with bloom. All rows
 * of "values" belong to the picture, also in the last band, so that the range is the picture's. */
void vks_plan_band(struct vks_plan *plan)
{
    enum { BAND_BYTES = 32 << 20 }; /* smaller bands are not slower, but save little memory */
    const struct vks_view_params *params = plan->params;
    const uint32_t height = plan->part.out_height;
    struct vks_plan_rows *band = &plan->band;
    uint32_t step = UINT32_C(1) << 16;
    *band =
        (struct vks_plan_rows){.whole = true, .rows = height, .value_rows = height, .end = height};
    const bool has_planes = plan->planes > 1 && vks_has_plane(params->planes, VKS_PLANE_VALUES);
    if (params->max_bytes == 0 || has_planes || largest_plane(plan, height) <= params->max_bytes) {
        return;
    }
    const uint64_t max = params->max_bytes < BAND_BYTES ? params->max_bytes : BAND_BYTES;
    const uint32_t block =
        params->look->bloom > 0 ? UINT32_C(1) << vks_plan_glow_shift(&plan->part) : 1;
    uint32_t rows = block;
    for (; step >= block; step /= 2) {
        if (rows + step < height && largest_plane(plan, rows + step) <= max) {
            rows += step;
        }
    }
    if (rows >= height) {
        return;
    }
    band->whole = false;
    band->rows = rows;
    band->value_rows = value_rows_of(plan, rows);
    band->first = params->row;
    band->end = height - params->row < rows ? height : params->row + rows;
    band->first_value = vks_view_first_value(height, rows, band->value_rows, params->row);
    plan->pixels = (double)plan->part.out_width * rows;
}

/* --- what the host makes --------------------------------------------------------------------- */

void vks_plan_table(const struct vks_plan *plan, const char *name, uint64_t words,
                    enum vks_result (*fill)(const void *user, const struct vks_field *field,
                                            const struct vks_source *source, void *out),
                    const void *data, size_t size, const char *made_from)
{
    VKS_FIELD(plan->declaration, .name = name, .element = VKS_U32, .rank = 1, .shape = {words},
              .fill = fill, .user = vks_declaration_copy(plan->declaration, data, size),
              .made_from = made_from);
}
