/* SPDX-License-Identifier: MIT */
/* Cells that finished pictures show in a colour of their own. docs/pictures.md. */
#include <vksim/model.h>

#include "base/error.h"
#include "base/nearest.h"
#include "view/colour.h"
#include "view/plan.h"

enum vks_result vks_look_mask(struct vks_look *look, const struct vks_mask *mask)
{
    struct vks_look_mask *made = &look->values.mask;
    char near[128];
    *made = (struct vks_look_mask){.field = mask->field};
    if (!mask->colour || vks_colour_parse(mask->colour, &made->colour)) {
        return VKS_OK;
    }
    return mask->colour[0] == '#'
               ? vks_colour_fail(mask->option, mask->colour)
               : vks_fail_option(
                     VKS_ERROR_USAGE, mask->option,
                     "'%s' is neither #RRGGBB, #RGB nor the name of a colour%s", mask->colour,
                     vks_did_you_mean(mask->colour, vks_colour_names, near, sizeof(near)));
}

void vks_plan_mask(const struct vks_plan *plan)
{
    const struct vks_look_mask *mask = &plan->params->look->values.mask;
    const struct vks_part *part = &plan->part;
    const struct vks_plan_rows *band = &plan->band;
    const size_t from = plan->declaration->pass_count;
    if (!mask->field) {
        return;
    }
    const struct vks_field *field = vks_plan_field(plan, mask->field);
    if (!field || field->element != VKS_U32 || field->rank != 2 ||
        field->shape[0] != plan->shape[0] || field->shape[1] != (plan->shape[1] + 31) / 32 ||
        plan->rays || (plan->params->points && plan->params->look->values.camera.given)) {
        vks_declaration_fail(plan->declaration,
                             vks_fail(VKS_ERROR_INTERNAL,
                                      "the mask '%s' does not fit the view: it must be a declared "
                                      "field of bits, one for each cell of a plane",
                                      mask->field));
        return;
    }
    const struct mask_params params = {
        .width = part->out_width,
        .height = part->out_height,
        .first = band->first,
        .rows = band->end - band->first,
        .x = part->x,
        .y = part->y,
        .part_width = part->width,
        .part_height = part->height,
        .stride = (uint32_t)field->shape[1],
        .colour = mask->colour,
    };
    const bool deep = vks_planes_are_deep(plan->params->planes);
    const struct vks_use uses[] = {{mask->field, VKS_READ, "mask"},
                                   {"picture", VKS_READ_WRITE},
                                   {deep ? "picture16" : NULL, VKS_READ_WRITE},
                                   {0}};
    VKS_PASS(plan->declaration, .name = "mask", .shader = deep ? "view/mask16" : "view/mask",
             .when = VKS_EACH_FRAME, .uses = uses, VKS_PUSH(params),
             .items = {params.width, band->rows}, .group = {32, 8},
             .bytes = (deep ? 24 : 8) * plan->pixels, .operations = 100 * plan->pixels);
    vks_plan_run_in(plan, from, IN_DRAW);
}
