/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <vksim/model.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/exact.h"
#include "base/memory.h"
#include "core/fft.h"
#include "graph/declare.h"

enum {
    AXES = 3, /* z, y, x */
    MAX_SIDE = 2048,
    MAX_CELL_BITS = 31, /* so that shifts in the shaders stay below 32 */
    MAX_STAGE_BITS = 4, /* levels in registers: 16 complex numbers per invocation */
};

static const char *const axis_names[AXES] = {"z", "y", "x"};
static const float max_symbol = 0x1p58F; /* the sum of three is in the domain of vks_reciprocal() */
static const float max_factor = 0x1p60F;

struct plan {
    struct vks_declaration *declaration;
    const struct vks_fft *fft;
    uint64_t shape[AXES];
    uint32_t bits[AXES]; /* log2 of the sides */
    uint32_t cell_bits;
    int axes[AXES]; /* in order of transformation: x, y, z without those of length 1 */
    int axis_count; /* at least 1: a single cell counts as a line along x */
    const char *turns, *symbol, *scratch;
};

static void fail(struct vks_declaration *declaration, const char *name, const char *why)
{
    vks_declaration_fail(declaration, vks_fail(VKS_ERROR_INTERNAL, "FFT '%s' %s", name, why));
}

/* --- tables ---------------------------------------------------------------------------------- */

/* Cosine and sine of j / count turns, 8 j <= count, by Taylor series with an error below 1e-17.
 * Only + - *, so the bits do not depend on a maths library. */
static void octant_turn(uint32_t j, uint32_t count, double *cosine, double *sine)
{
    static const double turn = 0x1.921fb54442d18p+2; /* 2 pi */
    static const double cosines[] = {1.0 / 20922789888000,
                                     -1.0 / 87178291200,
                                     1.0 / 479001600,
                                     -1.0 / 3628800,
                                     1.0 / 40320,
                                     -1.0 / 720,
                                     1.0 / 24,
                                     -1.0 / 2,
                                     1.0};
    static const double sines[] = {1.0 / 355687428096000,
                                   -1.0 / 1307674368000,
                                   1.0 / 6227020800,
                                   -1.0 / 39916800,
                                   1.0 / 362880,
                                   -1.0 / 5040,
                                   1.0 / 120,
                                   -1.0 / 6,
                                   1.0};
    const double angle = turn * ((double)j / count); /* the quotient is exact */
    const double square = angle * angle;
    *cosine = 0;
    *sine = 0;
    for (size_t i = 0; i < VKS_COUNT(cosines); i++) {
        *cosine = *cosine * square + cosines[i];
        *sine = *sine * square + sines[i];
    }
    *sine = *sine * angle;
}

/* The root of j / count turns, j < count / 2: (cos, -sin), exact at quarter turns. */
static void write_root(uint32_t j, uint32_t count, float root[2])
{
    const bool second = 4 * j >= count; /* quarter */
    const uint32_t rest = second ? j - count / 4 : j;
    const bool swapped = 8 * rest > count;
    double cosine, sine;
    octant_turn(swapped ? count / 4 - rest : rest, count, &cosine, &sine);
    const float c = (float)(swapped ? sine : cosine), s = (float)(swapped ? cosine : sine);
    root[0] = second ? 0 - s : c;
    root[1] = second ? 0 - c : 0 - s;
}

/* Entry 2^l + j is the root of j / 2^(l + 1) turns; entry 0 is unused. */
static enum vks_result fill_turns(const void *user, const struct vks_field *field,
                                  const struct vks_source *source, void *out)
{
    float *roots = out;
    (void)user;
    (void)source;
    for (uint32_t half = 1; half < field->shape[0]; half *= 2) {
        for (uint32_t j = 0; j < half; j++) {
            write_root(j, 2 * half, roots + 2 * (size_t)(half + j));
        }
    }
    return VKS_OK;
}

static enum vks_result fill_symbol(const void *user, const struct vks_field *field,
                                   const struct vks_source *source, void *out)
{
    const float *values = user;
    (void)source;
    memcpy(out, values, field->shape[0] * sizeof(*values));
    return VKS_OK;
}

static void declare_turns(struct plan *plan)
{
    uint64_t longest = 1;
    for (int i = 0; i < AXES; i++) {
        longest = plan->shape[i] > longest ? plan->shape[i] : longest;
    }
    plan->turns = vks_declaration_name(plan->declaration, "%s.turns", plan->fft->name);
    VKS_FIELD(plan->declaration, .name = plan->turns, .element = VKS_F32, .rank = 2,
              .shape = {longest, 2}, .fill = fill_turns,
              .made_from =
                  vks_declaration_name(plan->declaration, "%llu", (unsigned long long)longest));
}

/* All three tables in one field. */
static void declare_symbol(struct plan *plan)
{
    const uint64_t count = plan->shape[0] + plan->shape[1] + plan->shape[2];
    float values[AXES * MAX_SIDE];
    char hex[33];
    size_t at = 0;
    for (int i = 0; i < AXES; i++) {
        for (uint64_t k = 0; k < plan->shape[i]; k++) {
            values[at++] = plan->fft->symbol[i] ? vks_flush(plan->fft->symbol[i][k]) : 0;
        }
    }
    vks_digest_of(values, at * sizeof(*values), hex);
    plan->symbol = vks_declaration_name(plan->declaration, "%s.symbol", plan->fft->name);
    VKS_FIELD(plan->declaration, .name = plan->symbol, .element = VKS_F32, .rank = 1,
              .shape = {count}, .fill = fill_symbol,
              .user = vks_declaration_copy(plan->declaration, values, at * sizeof(*values)),
              .made_from = vks_declaration_name(plan->declaration, "%s", hex));
}

/* --- passes ---------------------------------------------------------------------------------- */

/* How the lines along an axis are mapped to workgroups. */
struct tiling {
    uint32_t stages,
        bits[3];         /* radix-2 levels per stage, which an invocation computes in registers */
    uint32_t value_bits; /* values per invocation */
    uint32_t line_bits;  /* lines per group */
    bool along;
};

/* Workgroups have at most 256 invocations and 32 KiB of shared memory. Short lines have small
 * groups, so that a small grid occupies the whole GPU. Groups along y and z take neighbouring
 * lines, so that they access at least 64 contiguous bytes for up to 512 cells, 32 for 1024 and 16
 * for 2048. */
static struct tiling tile_axis(const struct plan *plan, int axis, uint32_t stride_bits)
{
    const uint32_t bits = plan->bits[axis], lines = plan->cell_bits - bits;
    struct tiling tiling = {.along = stride_bits < 2};
    tiling.stages = bits <= MAX_STAGE_BITS ? 1 : (bits + MAX_STAGE_BITS - 1) / MAX_STAGE_BITS;
    /* Three stages of equal size would need several sets per invocation, which spilled
     * registers. */
    const uint32_t max =
        tiling.stages < 3 ? (bits + tiling.stages - 1) / tiling.stages : MAX_STAGE_BITS;
    for (uint32_t i = 0, rest = bits; i < tiling.stages; i++) {
        tiling.bits[i] = rest < max ? rest : max;
        rest -= tiling.bits[i];
    }
    tiling.value_bits = bits < 7 ? tiling.bits[0] : MAX_STAGE_BITS;
    const uint32_t values = bits < 5 ? bits + 6 : bits < 7 ? 9 : tiling.along ? 11 : 12;
    tiling.line_bits = values - bits < lines ? values - bits : lines;
    return tiling;
}

/* One pass: all lines along an axis. */
struct lines {
    const char *verb, *shader;
    int axis;
    bool solves;  /* forward, times the multiplier, and back */
    bool inverse; /* of core/fft_inner */
    double bytes; /* per cell */
    struct vks_use uses[6];
};

static void declare_lines(const struct plan *plan, const struct lines *lines)
{
    const uint32_t levels = plan->bits[lines->axis];
    const uint32_t stride = lines->axis == 2   ? 0
                            : lines->axis == 1 ? plan->bits[2]
                                               : plan->bits[2] + plan->bits[1];
    const struct tiling tiling = tile_axis(plan, lines->axis, stride);
    const uint32_t values = levels + tiling.line_bits; /* log2 of those of a group */
    const uint32_t written = tiling.along ? levels : values;
    const uint32_t exchanged = tiling.stages > 1 ? UINT32_C(1) << values : 1;
    const uint32_t group = UINT32_C(1) << (values - tiling.value_bits);
    const uint64_t groups = UINT64_C(1) << (plan->cell_bits - values);
    const uint64_t cells = UINT64_C(1) << plan->cell_bits;
    const struct fft_params params = {
        .groups = (uint32_t)groups,
        .mean = plan->fft->mean,
        .mean_word = plan->fft->mean_field ? plan->fft->mean_word : FFT_NO_WORD,
        .factor = vks_flush((float)((double)plan->fft->factor / (double)cells)),
    };
    struct vks_specialization values_of[16] = {
        {"levels", levels},
        {"stages", tiling.stages},
        {"bits_0", tiling.bits[0]},
        {"bits_1", tiling.bits[1]},
        {"bits_2", tiling.bits[2]},
        {"value_bits", tiling.value_bits},
        {"line_bits", tiling.line_bits},
        {"stride_bits", stride},
        {"along", tiling.along},
        {"exchanged", exchanged},
        {"fold", written > 8 ? written - 4 : 4},
    };
    size_t count = 11;
    if (lines->solves) {
        values_of[count++] = (struct vks_specialization){"axis", (uint32_t)lines->axis};
        values_of[count++] = (struct vks_specialization){"depth_bits", plan->bits[0]};
        values_of[count++] = (struct vks_specialization){"height_bits", plan->bits[1]};
        values_of[count++] = (struct vks_specialization){"width_bits", plan->bits[2]};
    } else if (strcmp(lines->shader, "core/fft_inner") == 0) {
        values_of[count++] = (struct vks_specialization){"inverse", lines->inverse};
    }
    VKS_PASS(plan->declaration,
             .name = vks_declaration_name(plan->declaration, "%s: %s %s", plan->fft->name,
                                          lines->verb, axis_names[lines->axis]),
             .shader = lines->shader, .when = plan->fft->when, .every = plan->fft->every,
             .uses = lines->uses, .specializations = values_of, VKS_PUSH(params),
             .items = {groups * group}, .group = {group}, .shared_bytes = 8 * exchanged,
             .bytes = lines->bytes * (double)cells,
             .operations = (double)(lines->solves ? 2 : 1) * 5 * levels * (double)cells);
}

/* True if both axes of a plane of the volume are transformed in one dispatch: square planes of at
 * most 32 KiB. */
static bool has_planes(const struct plan *plan)
{
    return plan->axis_count == AXES && plan->bits[1] == plan->bits[2] && plan->bits[1] <= 6;
}

/* All planes, by rows and columns. */
static void declare_planes(const struct plan *plan, const char *verb, const char *shader,
                           const struct vks_use *uses)
{
    const uint32_t levels = plan->bits[2], max_group = plan->fft->invocations;
    struct tiling tiling = tile_axis(plan, 2, 0);
    while (2 * levels - tiling.value_bits > 8 &&
           UINT32_C(1) << (2 * levels - tiling.value_bits) > max_group) {
        tiling.value_bits++;
    }
    const uint64_t planes = plan->shape[0];
    const uint32_t group = UINT32_C(1) << (2 * levels - tiling.value_bits);
    const double cells = (double)(UINT64_C(1) << plan->cell_bits);
    const struct fft_params params = {
        .groups = (uint32_t)planes,
        .mean = plan->fft->mean,
        .mean_word = plan->fft->mean_field ? plan->fft->mean_word : FFT_NO_WORD,
    };
    VKS_PASS(plan->declaration,
             .name = vks_declaration_name(plan->declaration, "%s: %s", plan->fft->name, verb),
             .shader = shader, .when = plan->fft->when, .every = plan->fft->every, .uses = uses,
             .specializations = VKS_SPECIALIZATIONS(
                 {"levels", levels}, {"stages", tiling.stages}, {"bits_0", tiling.bits[0]},
                 {"bits_1", tiling.bits[1]}, {"bits_2", tiling.bits[2]},
                 {"value_bits", tiling.value_bits}, {"exchanged", UINT32_C(1) << (2 * levels)},
                 {"fold", 2 * levels > 8 ? 2 * levels - 4 : 4}),
             VKS_PUSH(params), .items = {planes * group}, .group = {group},
             .shared_bytes = 8U << (2 * levels), .bytes = 12 * cells,
             .operations = 10 * levels * cells);
}

/* Forward along each axis, with the multiplication and the inverse in the pass of the last, then
 * back. */
static void declare_passes(const struct plan *plan)
{
    const struct vks_fft *fft = plan->fft;
    const struct vks_use turns = {plan->turns, VKS_READ, "turns"};
    const struct vks_use symbol = {plan->symbol, VKS_READ, "symbol"};
    const struct vks_use source = {fft->source, VKS_READ, "source"};
    const struct vks_use mean = {fft->mean_field ? fft->mean_field : plan->turns, VKS_READ, "mean"};
    const struct vks_use target = {fft->target, VKS_WRITE, "target"};
    const struct vks_use scratch = {plan->scratch, VKS_READ_WRITE, "scratch"};
    const struct vks_use read = {plan->scratch, VKS_READ, "scratch"};
    const struct vks_use written = {plan->scratch, VKS_WRITE, "scratch"};
    const int last = plan->axis_count - 1;
    if (last == 0) {
        declare_lines(plan,
                      &(struct lines){"solve", "core/fft_only", plan->axes[0], .solves = true,
                                      .bytes = 8, .uses = {turns, source, mean, target, symbol}});
        return;
    }
    if (has_planes(plan)) {
        declare_planes(plan, "forward x y", "core/fft_plane_first",
                       VKS_USES(turns, source, mean, written));
        declare_lines(plan,
                      &(struct lines){"solve", "core/fft_middle", plan->axes[last], .solves = true,
                                      .bytes = 16, .uses = {turns, scratch, symbol}});
        declare_planes(plan, "inverse y x", "core/fft_plane_last", VKS_USES(turns, read, target));
        return;
    }
    declare_lines(plan, &(struct lines){"forward", "core/fft_first", plan->axes[0], .bytes = 12,
                                        .uses = {turns, source, mean, written}});
    for (int i = 1; i < last; i++) {
        declare_lines(plan, &(struct lines){"forward", "core/fft_inner", plan->axes[i], .bytes = 16,
                                            .uses = {turns, scratch}});
    }
    declare_lines(plan,
                  &(struct lines){"solve", "core/fft_middle", plan->axes[last], .solves = true,
                                  .bytes = 16, .uses = {turns, scratch, symbol}});
    for (int i = last - 1; i > 0; i--) {
        declare_lines(plan,
                      &(struct lines){"inverse", "core/fft_inner", plan->axes[i], .inverse = true,
                                      .bytes = 16, .uses = {turns, scratch}});
    }
    declare_lines(plan, &(struct lines){"inverse", "core/fft_last", plan->axes[0], .bytes = 12,
                                        .uses = {turns, read, target}});
}

/* --- checks ---------------------------------------------------------------------------------- */

/* Fails unless the side is a power of two up to MAX_SIDE. */
static void check_side(struct plan *plan, int axis)
{
    const uint64_t side = plan->shape[axis];
    uint64_t above = 1;
    while (above < side && above < MAX_SIDE) {
        above *= 2;
        plan->bits[axis]++;
    }
    if (side > MAX_SIDE) {
        vks_declaration_fail(
            plan->declaration,
            vks_fail(VKS_ERROR_USAGE, "FFT '%s' takes sides up to %d along %s, not %llu",
                     plan->fft->name, MAX_SIDE, axis_names[axis], (unsigned long long)side));
    } else if (side != above) {
        vks_declaration_fail(
            plan->declaration,
            vks_fail(VKS_ERROR_USAGE,
                     "FFT '%s' takes sides that are powers of two along %s, such as %llu or %llu, "
                     "not %llu",
                     plan->fft->name, axis_names[axis], (unsigned long long)above / 2,
                     (unsigned long long)above, (unsigned long long)side));
    }
}

static void check_symbol(const struct plan *plan, int axis)
{
    const float *symbol = plan->fft->symbol[axis];
    if (!symbol && plan->shape[axis] > 1) {
        vks_declaration_fail(plan->declaration,
                             vks_fail(VKS_ERROR_INTERNAL, "FFT '%s' has no symbol along %s",
                                      plan->fft->name, axis_names[axis]));
    }
    for (uint64_t k = 0; symbol && k < plan->shape[axis]; k++) {
        if (!(fabsf(symbol[k]) <= max_symbol)) {
            vks_declaration_fail(
                plan->declaration,
                vks_fail(VKS_ERROR_INTERNAL,
                         "FFT '%s' has the symbol %g for wave number %llu along %s; it can be "
                         "-2^58 to 2^58",
                         plan->fft->name, (double)symbol[k], (unsigned long long)k,
                         axis_names[axis]));
            return;
        }
    }
}

/* What is wrong with a field to read or to write, or NULL. */
static const char *wrong_with(const struct vks_field *field)
{
    if (!field) {
        return "names a field that is not declared";
    }
    if (field->element != VKS_F32) {
        return "takes fields of float32 only";
    }
    return field->items ? "takes no fields of items, whose order changes" : NULL;
}

/* What is wrong with an FFT whose sides and symbols are fine, or NULL. */
static const char *wrong_with_fft(const struct vks_fft *fft)
{
    if (fft->when != VKS_EACH_STEP && fft->when != VKS_EACH_FRAME) {
        return "runs at steps or frames only: its tables are not filled before";
    }
    return fabsf(fft->factor) <= max_factor ? NULL : "has a factor beyond -2^60 to 2^60";
}

static const struct vks_field *find(const struct vks_declaration *declaration, const char *name)
{
    const int index = name ? vks_find_field(declaration, name) : -1;
    return index < 0 ? NULL : &declaration->fields[index];
}

/* What is wrong with the field of the mean, or NULL. */
static const char *wrong_with_mean(const struct vks_declaration *declaration,
                                   const struct vks_fft *fft)
{
    const struct vks_field *field = find(declaration, fft->mean_field);
    if (!fft->mean_field) {
        return isfinite(fft->mean) ? NULL : "has a mean that is not finite";
    }
    if (!field || (field->element != VKS_F32 && field->element != VKS_U32) || field->items) {
        return "has its mean in a field that is not one of float32 or uint32";
    }
    if (fft->target && strcmp(fft->mean_field, fft->target) == 0) {
        return "has its mean in its target";
    }
    return fft->mean_word < vks_field_count(field) ? NULL : "has its mean outside of its field";
}

/* Sets the shape and the axes from the source; fails if a field does not fit. */
static void take_shape(struct plan *plan)
{
    struct vks_declaration *declaration = plan->declaration;
    const struct vks_field *source = find(declaration, plan->fft->source);
    const struct vks_field *target = find(declaration, plan->fft->target);
    const char *wrong = wrong_with(source);
    wrong = wrong ? wrong : wrong_with(target);
    if (!wrong && source == target) {
        wrong = "has its source as its target";
    }
    if (!wrong && (source->rank != target->rank ||
                   memcmp(source->shape, target->shape, source->rank * sizeof(*source->shape)))) {
        wrong = "has a source and a target of different shapes";
    }
    if (wrong) {
        fail(declaration, plan->fft->name, wrong);
        return;
    }
    for (uint32_t i = 0; i < AXES; i++) {
        const uint32_t left_out = AXES - source->rank;
        plan->shape[i] = i < left_out ? 1 : source->shape[i - left_out];
    }
    for (int i = AXES - 1; i >= 0; i--) {
        check_side(plan, i);
        plan->cell_bits += plan->bits[i];
        if (plan->shape[i] > 1) {
            plan->axes[plan->axis_count++] = i;
        }
    }
    if (plan->axis_count == 0) {
        plan->axes[plan->axis_count++] = AXES - 1;
    }
    if (plan->cell_bits > MAX_CELL_BITS) {
        vks_declaration_fail(
            declaration,
            vks_fail(VKS_ERROR_USAGE, "FFT '%s' takes up to 2^31 cells", plan->fft->name));
    }
}

void vks_declare_fft(struct vks_declaration *declaration, const struct vks_fft *fft)
{
    struct plan plan = {.declaration = declaration, .fft = fft};
    if (declaration->result != VKS_OK) {
        return;
    }
    if (!fft->name || !fft->name[0]) {
        vks_declaration_fail(declaration,
                             vks_fail(VKS_ERROR_INTERNAL, "an FFT is declared without a name"));
        return;
    }
    take_shape(&plan);
    const char *wrong = wrong_with_fft(fft);
    wrong = wrong ? wrong : wrong_with_mean(declaration, fft);
    if (declaration->result == VKS_OK && wrong) {
        fail(declaration, fft->name, wrong);
    }
    for (int i = 0; i < AXES && declaration->result == VKS_OK; i++) {
        check_symbol(&plan, i);
    }
    if (declaration->result != VKS_OK) {
        return;
    }
    declare_turns(&plan);
    declare_symbol(&plan);
    if (plan.axis_count > 1) {
        plan.scratch = vks_declaration_name(declaration, "%s.waves", fft->name);
        VKS_FIELD(declaration, .name = plan.scratch, .element = VKS_F32, .rank = 2,
                  .shape = {UINT64_C(1) << plan.cell_bits, 2});
    }
    declare_passes(&plan);
}
