/* SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>
#include <string.h>
#include <vksim/model.h>

#include "base/error.h"
#include "base/exact.h"
#include "core/reduce.h"
#include "core/sum.h"
#include "graph/graph.h"

/* The field to reduce, or NULL after a failure. */
static const struct vks_field *float_field(struct vks_declaration *declaration, const char *name)
{
    const int index = vks_find_field(declaration, name);
    if (declaration->result != VKS_OK) {
        return NULL;
    }
    if (index < 0 || vks_element_info(declaration->fields[index].element)->kind != 'f') {
        vks_declaration_fail(
            declaration, vks_fail(VKS_ERROR_INTERNAL, "'%s' is not a float field to reduce", name));
        return NULL;
    }
    if (vks_is_split(declaration, &declaration->fields[index]) &&
        vks_row_axis(declaration, &declaration->fields[index]) > 0) {
        vks_declaration_fail(
            declaration,
            vks_fail(VKS_ERROR_USAGE, "'%s' has planes, which several ranks cannot reduce", name));
        return NULL;
    }
    if (vks_field_count(&declaration->fields[index]) > UINT32_MAX) {
        vks_declaration_fail(declaration,
                             vks_fail(VKS_ERROR_GPU, "'%s' is too large to reduce", name));
        return NULL;
    }
    return &declaration->fields[index];
}

/* What a rank reduces of a field: its own rows, or all elements. */
struct own {
    uint64_t first, count;
};

static struct own own_of(const struct vks_declaration *declaration, const struct vks_field *field)
{
    const struct vks_slab *slab = &declaration->slab;
    const uint64_t all = vks_field_count(field), row = all / field->shape[0];
    return vks_is_split(declaration, field) ? (struct own){slab->before * row, slab->rows * row}
                                            : (struct own){0, all};
}

/* Ranks combine what they have of a field. */
static void meet(struct vks_declaration *declaration, const char *name,
                 const struct vks_meeting *meeting)
{
    const int index = vks_find_field(declaration, name);
    if (declaration->result == VKS_OK && vks_is_split(declaration, &declaration->fields[index])) {
        vks_declare_meeting(declaration, meeting);
    }
}

/* --- range ----------------------------------------------------------------------------------- */

/* The first unused of "range", "range b", "range c" and so on. */
static const char *name_range(struct vks_declaration *declaration)
{
    const char *name = "range";
    for (unsigned i = 1; declaration->result == VKS_OK && vks_has_pass(declaration, name); i++) {
        name = i < 26 ? vks_declaration_name(declaration, "range %c", (char)('a' + i))
                      : vks_declaration_name(declaration, "range %u", i + 1);
    }
    return name;
}

void vks_declare_range(struct vks_declaration *declaration, const char *name, const char *result,
                       enum vks_when when)
{
    const struct vks_field *field = float_field(declaration, name);
    if (!field) {
        return;
    }
    const bool halves = field->element == VKS_F16;
    const struct own own = own_of(declaration, field);
    const bool fours = own.first % 4 == 0 && own.count % 4 == 0;
    const bool few = vks_field_count(field) <= declaration->software.texels && !halves && fours;
    const char *range = name_range(declaration);
    const char *input = name;
    uint64_t count = own.count;
    bool last = false;
    for (unsigned level = 1; !last && declaration->result == VKS_OK; level++) {
        const uint64_t groups = (count + REDUCE_ITEMS - 1) / REDUCE_ITEMS;
        last = groups == 1;
        const char *output =
            last ? result : vks_declaration_name(declaration, "%s.%u", range, level);
        const struct reduce_params params = {.first = level == 1 ? (uint32_t)own.first : 0,
                                             .count = (uint32_t)count};
        VKS_FIELD(declaration, .name = output, .element = VKS_F32, .rank = 1,
                  .shape = {groups * 2});
        VKS_PASS(
            declaration,
            .name = level == 1 ? range : vks_declaration_name(declaration, "%s.%u", range, level),
            .shader = level == 1 && few ? "core/reduce8" : "core/reduce", .when = when,
            .uses = VKS_USES({input, VKS_READ, "items"}, {output, VKS_WRITE, "partials"}),
            .specializations = VKS_SPECIALIZATIONS({level == 1 && few ? NULL : "pairs", level > 1},
                                                   {"half_cells", level == 1 && halves}),
            VKS_PUSH(params), .items = {groups * 256}, .group = {level == 1 && few ? 8 : 256, 1},
            .per_group = {256, 1},
            .bytes = (double)count * (level > 1 ? 8
                                      : halves  ? 2
                                                : 4) +
                     8 * (double)groups,
            .operations = 2 * (double)count);
        input = output;
        count = groups;
    }
    meet(declaration, name,
         &(struct vks_meeting){.when = when, .slab = &declaration->slab, .highest = result});
}

/* --- sum ------------------------------------------------------------------------------------- */

/* One dispatch of a sum: reduces words of `from` to one number per group. */
static void declare_level(struct vks_declaration *declaration, const char *name, const char *from,
                          const char *to, uint64_t groups, const struct sum_params *params,
                          enum vks_element element, enum vks_when when)
{
    VKS_FIELD(declaration, .name = to, .element = VKS_U32X2, .rank = 1, .shape = {groups});
    VKS_PASS(declaration, .name = name, .shader = "core/sum", .when = when,
             .uses = VKS_USES({from, VKS_READ, "items"}, {to, VKS_WRITE, "partials"}),
             .specializations = VKS_SPECIALIZATIONS({"halves", element == VKS_F16},
                                                    {"pairs", element == VKS_U32X2}),
             .constants = params, .constants_size = sizeof(*params), .items = {groups * 256},
             .bytes = 4 * (double)(params->end - params->first) + 8 * (double)groups,
             .operations = (double)(params->end - params->first));
}

void vks_declare_sum(struct vks_declaration *declaration, const char *name, int exponent,
                     const char *result, enum vks_when when)
{
    const struct vks_field *field = float_field(declaration, name);
    if (!field) {
        return;
    }
    if (exponent < -126 || exponent > 127) {
        vks_declaration_fail(declaration, vks_fail(VKS_ERROR_INTERNAL,
                                                   "the sum of '%s' has units of 2^%d; the "
                                                   "exponent can be -126 to 127",
                                                   name, -exponent));
        return;
    }
    const enum vks_element element = field->element;
    const struct own own = own_of(declaration, field);
    const uint64_t per_word = element == VKS_F16 ? 2 : 1;
    const uint64_t first = own.first / per_word, words = own.count / per_word;
    const uint64_t wanted = (words + SUM_ITEMS - 1) / SUM_ITEMS;
    const uint64_t groups = wanted < SUM_GROUPS ? wanted : SUM_GROUPS;
    const struct sum_params params = {
        .first = (uint32_t)first,
        .end = (uint32_t)(first + words),
        .scale = vks_power_of_two(exponent),
        .limit = 62 - exponent > 127 ? FLT_MAX : vks_power_of_two(62 - exponent),
    };
    const char *pass = vks_declaration_name(declaration, "sum %s", result);
    if (groups == 1) {
        declare_level(declaration, pass, name, result, 1, &params, element, when);
    } else {
        const char *partials = vks_declaration_name(declaration, "%s.partials", result);
        declare_level(declaration, pass, name, partials, groups, &params, element, when);
        declare_level(declaration, vks_declaration_name(declaration, "sum %s.2", result), partials,
                      result, 1, &(struct sum_params){.end = 2 * (uint32_t)groups}, VKS_U32X2,
                      when);
    }
    meet(declaration, name,
         &(struct vks_meeting){
             .when = when, .slab = &declaration->slab, .summed = result, .sums = 1});
}

void vks_declare_mean(struct vks_declaration *declaration, const char *name, double max,
                      const char *scalar)
{
    const struct vks_field *field = float_field(declaration, name);
    if (!field) {
        return;
    }
    if (!(max > 0)) {
        vks_declaration_fail(declaration, vks_fail(VKS_ERROR_INTERNAL,
                                                   "the mean of '%s' needs a bound above 0", name));
        return;
    }
    /* The finest unit that keeps the sum below 2^63. */
    const struct vks_field whole = vks_whole_field(declaration, field);
    const double count = (double)vks_field_count(&whole);
    const int exponent = 62 - (ilogb(count * max) + 1);
    const char *total = vks_declaration_name(declaration, "%s.total", scalar);
    vks_declare_sum(declaration, name, exponent, total, VKS_EACH_FRAME);
    vks_declare_watch(declaration, total,
                      VKS_SCALARS({scalar, .unit = ldexp(1, -exponent) / count}));
}
