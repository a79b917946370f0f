/* SPDX-License-Identifier: MIT */
/* The passes of --bloom. */
#include <math.h>

#include "base/exact.h"
#include "view/plan.h"

enum { GLOW_SIDE = 256 }; /* blocks along the shorter side, up to twice as many */

/* Spread (standard deviation) of the tight glow as a share of that of the wide one, which is the
 * look's. */
static const double tight_share = 0.125;

static uint32_t shorter_side(const struct vks_part *part)
{
    return part->out_width < part->out_height ? part->out_width : part->out_height;
}

uint32_t vks_plan_glow_shift(const struct vks_part *part)
{
    uint32_t shift = 0;
    while (shorter_side(part) >> (shift + 1) >= GLOW_SIDE) {
        shift++;
    }
    return shift;
}

uint32_t vks_plan_blocks(uint32_t side, uint32_t shift)
{
    return (side + (UINT32_C(1) << shift) - 1) >> shift;
}

/* `spread` is a share of the picture's shorter side. At least wide enough for weights next to the
 * middle. */
static double spread_in_blocks(const struct vks_part *part, double spread)
{
    const double blocks =
        spread * shorter_side(part) / (double)(UINT32_C(1) << vks_plan_glow_shift(part));
    return blocks > 0.5 ? blocks : 0.5;
}

static uint32_t kernel_radius(const struct vks_part *part, double spread)
{
    return (uint32_t)ceil(3 * spread_in_blocks(part, spread));
}

/* The kernel of a blur. */
struct kernel {
    struct vks_part part;
    double spread;
};

/* A Gaussian in integers, from the middle outwards; both sides sum to 65536. */
static enum vks_result fill_kernel(const void *user, const struct vks_field *field,
                                   const struct vks_source *source, void *out)
{
    const struct kernel *kernel = user;
    const uint32_t radius = kernel_radius(&kernel->part, kernel->spread);
    const double deviation = spread_in_blocks(&kernel->part, kernel->spread);
    uint32_t *weights = out;
    (void)field;
    (void)source;
    double sum = 1;
    uint32_t rest = 65536;
    for (uint32_t i = 1; i <= radius; i++) {
        sum += 2 * (double)vks_exp((float)(-0.5 * i * i / (deviation * deviation)));
    }
    for (uint32_t i = 1; i <= radius; i++) {
        const double bell = (double)vks_exp((float)(-0.5 * i * i / (deviation * deviation)));
        weights[i] = (uint32_t)(65536 * bell / sum);
        rest -= 2 * weights[i];
    }
    weights[0] = rest;
    return VKS_OK;
}

/* Blurs "glow" across into `half` and down into `result`. */
static void declare_blur(const struct vks_plan *plan, double spread, const char *const names[2],
                         const char *kernel, const char *half, const char *result)
{
    const uint32_t shift = vks_plan_glow_shift(&plan->part);
    const struct blur_params params = {
        .width = vks_plan_blocks(plan->part.out_width, shift),
        .height = vks_plan_blocks(plan->part.out_height, shift),
        .radius = kernel_radius(&plan->part, spread),
    };
    const double blocks = (double)params.width * params.height;
    const struct kernel bell = {plan->part, spread};
    vks_plan_table(plan, kernel, params.radius + 1, fill_kernel, &bell, sizeof(bell),
                   vks_declaration_name(plan->declaration, "%a of %u", spread,
                                        (unsigned)shorter_side(&plan->part)));
    vks_plan_plane(plan, half, VKS_U32X2, params.height, params.width);
    vks_plan_plane(plan, result, VKS_U32X2, params.height, params.width);
    for (uint32_t axis = BLUR_ACROSS; axis <= BLUR_DOWN; axis++) {
        const char *from = axis == BLUR_ACROSS ? "glow" : half;
        const char *to = axis == BLUR_ACROSS ? half : result;
        VKS_PASS(plan->declaration, .name = names[axis], .shader = "view/blur",
                 .when = VKS_EACH_FRAME,
                 .uses = VKS_USES({from, VKS_READ, "glow_from"}, {kernel, VKS_READ, "kernel"},
                                  {to, VKS_WRITE, "glow_to"}),
                 .specializations = VKS_SPECIALIZATIONS({"axis", axis}), VKS_PUSH(params),
                 .items = {params.width, params.height}, .bytes = 16 * blocks,
                 .operations = 10 * blocks * (params.radius + 1));
    }
}

void vks_plan_bloom(const struct vks_plan *plan, const char *source)
{
    const uint32_t shift = vks_plan_glow_shift(&plan->part);
    const struct vks_plan_rows *band = &plan->band;
    size_t from = plan->declaration->pass_count;
    const struct glow_params params = {
        .width = plan->part.out_width,
        .height = plan->part.out_height,
        .glow_width = vks_plan_blocks(plan->part.out_width, shift),
        .glow_height = vks_plan_blocks(plan->part.out_height, shift),
        .shift = shift,
        .gamma = plan->view.gamma,
        .contrast = plan->view.contrast,
        .first = band->first >> shift,
        .rows = vks_plan_blocks(band->end - band->first, shift),
        .origin = plan->direct ? 0 : band->first_value,
        .plane = vks_plan_stride(plan, source),
    };
    const uint32_t rows = vks_plan_blocks(band->rows, shift);
    const double blocks = (double)params.glow_width * rows;
    const double wide = plan->params->look->bloom_radius;
    const double looked_at = shift < 3 ? plan->pixels : 64 * blocks;
    vks_plan_plane(plan, "glow", VKS_U32X2, params.glow_height, params.glow_width);
    VKS_PASS(plan->declaration, .name = "glow", .shader = "view/glow", .when = VKS_EACH_FRAME,
             .uses =
                 VKS_USES({source, VKS_READ, "displayed"}, {"view_level", VKS_READ},
                          {"palette", VKS_READ}, {"glow", VKS_WRITE},
                          {plan->params->tint ? "view_tints" : "palette", VKS_READ, "view_tints"}),
             .specializations = VKS_SPECIALIZATIONS(
                 {"logarithmic", vks_plan_is_logarithmic(plan)},
                 {"symmetric", vks_plan_is_symmetric(plan)}, {"curve", vks_plan_curve(plan)},
                 {"planes", plan->planes}, {"strongest", vks_plan_is_strongest(plan)},
                 {"tinted", plan->params->tint != NULL}),
             VKS_PUSH(params), .items = {params.glow_width, rows},
             .bytes = 4 * plan->planes * looked_at + 8 * blocks,
             .operations = 80 * plan->planes * looked_at);
    vks_plan_run_in(plan, from, IN_GLOW);
    from = plan->declaration->pass_count;
    declare_blur(plan, tight_share * wide, (const char *const[]){"glow 1 across", "glow 1 down"},
                 "kernel_tight", "glow_tight_half", "glow_tight");
    declare_blur(plan, wide, (const char *const[]){"glow 2 across", "glow 2 down"}, "kernel_wide",
                 "glow_wide_half", "glow_wide");
    vks_plan_run_in(plan, from, IN_BLUR | ONCE);
}
