/* SPDX-License-Identifier: MIT */
#define VKS_C
#include <string.h>

#include "base/error.h"
#include "core/reduce.h"
#include "graph/model.h"

static const char *const operations[] = {[REDUCE_RANGE] = "range", [REDUCE_SUM] = "sum"};

static bool has_pass(const struct vks_declaration *declaration, const char *name)
{
    for (size_t i = 0; i < declaration->pass_count; i++) {
        if (strcmp(declaration->passes[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* "range", "range b", "range c" ... : the first that no pass has. */
static const char *name_of(struct vks_declaration *declaration, uint32_t operation)
{
    const char *name = operations[operation];
    for (unsigned i = 1; declaration->result == VKS_OK && has_pass(declaration, name); i++) {
        name = i < 26 ? vks_declaration_name(declaration, "%s %c", operations[operation],
                                             (char)('a' + i))
                      : vks_declaration_name(declaration, "%s %u", operations[operation], i + 1);
    }
    return name;
}

static void declare_reduction(struct vks_declaration *declaration, const char *field,
                              const char *result, enum vks_when when, uint32_t operation)
{
    const int index = vks_find_field(declaration, field);
    if (declaration->result != VKS_OK) {
        return;
    }
    if (index < 0 || (declaration->fields[index].element != VKS_F32 &&
                      declaration->fields[index].element != VKS_F16)) {
        vks_declaration_fail(declaration,
                             vks_fail(VKS_ERROR_GPU, "'%s' is not a float field to reduce", field));
        return;
    }
    const bool halves = declaration->fields[index].element == VKS_F16;
    const char *name = name_of(declaration, operation);
    uint64_t count = vks_field_count(&declaration->fields[index]);
    uint64_t arity = operation == REDUCE_RANGE ? 2 : 1;
    const char *input = field;
    bool last = false;
    if (count > UINT32_MAX) {
        vks_declaration_fail(declaration,
                             vks_fail(VKS_ERROR_GPU, "'%s' is too large to reduce", field));
    }
    for (unsigned level = 1; !last && declaration->result == VKS_OK; level++) {
        uint64_t groups = (count + REDUCE_ITEMS - 1) / REDUCE_ITEMS;
        last = groups == 1;
        const char *output =
            last ? result : vks_declaration_name(declaration, "%s.%u", name, level);
        struct reduce_params params = {.count = (uint32_t)count};
        VKS_FIELD(declaration, .name = output, .element = VKS_F32, .rank = 1,
                  .shape = {groups * arity});
        VKS_PASS(
            declaration,
            .name = level == 1 ? name : vks_declaration_name(declaration, "%s.%u", name, level),
            .shader = "core/reduce", .when = when,
            .uses = VKS_USES({input, VKS_READ, "items"}, {output, VKS_WRITE, "partials"}),
            .specializations = VKS_SPECIALIZATIONS({"operation", operation}, {"pairs", level > 1},
                                                   {"half_cells", level == 1 && halves}),
            VKS_PUSH(params), .items = {groups * 256},
            .bytes = (double)count * (level > 1 ? 4.0 * (double)arity
                                      : halves  ? 2
                                                : 4) +
                     4.0 * (double)(groups * arity),
            .operations = (double)count * (double)arity);
        input = output;
        count = groups;
    }
}

void vks_declare_range(struct vks_declaration *declaration, const char *field, const char *result,
                       enum vks_when when)
{
    declare_reduction(declaration, field, result, when, REDUCE_RANGE);
}

void vks_declare_sum(struct vks_declaration *declaration, const char *field, const char *result,
                     enum vks_when when)
{
    declare_reduction(declaration, field, result, when, REDUCE_SUM);
}
