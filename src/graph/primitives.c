/* SPDX-License-Identifier: MIT */
#define VKS_C
#include "base/error.h"
#include "core/reduce.h"
#include "graph/model.h"

enum { MAX_LEVELS = 4 };

static void declare_reduction(struct vks_declaration *declaration, const char *field,
                              const char *result, enum vks_when when, uint32_t operation,
                              const char *const fields[MAX_LEVELS],
                              const char *const passes[MAX_LEVELS])
{
    int index = vks_find_field(declaration, field);
    if (index < 0 || declaration->fields[index].element != VKS_F32) {
        vks_declaration_fail(declaration,
                             vks_fail(VKS_ERROR_GPU, "'%s' is no float field to reduce", field));
        return;
    }
    const struct vks_field *source = &declaration->fields[index];
    uint64_t count = source->extent[0] * (source->rank == 2 ? source->extent[1] : 1);
    uint64_t arity = operation == REDUCE_RANGE ? 2 : 1;
    const char *input = field;
    bool last = false;
    for (int level = 0; !last && level < MAX_LEVELS; level++) {
        uint64_t groups = (count + REDUCE_ITEMS - 1) / REDUCE_ITEMS;
        last = groups == 1;
        const char *output = last ? result : fields[level];
        struct reduce_params params = {.count = (uint32_t)count};
        vks_declare_field(declaration, &(struct vks_field){.name = output,
                                                           .element = VKS_F32,
                                                           .rank = 1,
                                                           .extent = {groups * arity}});
        vks_declare_pass(
            declaration,
            &(struct vks_pass){
                .name = passes[level],
                .shader = "core/reduce",
                .when = when,
                .uses = {{input, VKS_READ, "items"}, {output, VKS_WRITE, "partials"}},
                .specializations = {{"operation", operation}, {"pairs", level > 0}},
                .constants = &params,
                .constants_size = sizeof(params),
                .items = {groups * 256},
                .bytes = (double)(count * (level > 0 ? arity : 1) + groups * arity) * 4,
                .operations = (double)count * (double)arity,
            });
        input = output;
        count = groups;
    }
    if (!last) {
        vks_declaration_fail(declaration,
                             vks_fail(VKS_ERROR_GPU, "'%s' is too large to reduce", field));
    }
}

void vks_declare_range(struct vks_declaration *declaration, const char *field, const char *result,
                       enum vks_when when)
{
    static const char *const fields[MAX_LEVELS] = {"range.1", "range.2", "range.3", "range.4"};
    static const char *const passes[MAX_LEVELS] = {"range", "range.2", "range.3", "range.4"};
    declare_reduction(declaration, field, result, when, REDUCE_RANGE, fields, passes);
}

void vks_declare_sum(struct vks_declaration *declaration, const char *field, const char *result,
                     enum vks_when when)
{
    static const char *const fields[MAX_LEVELS] = {"sum.1", "sum.2", "sum.3", "sum.4"};
    static const char *const passes[MAX_LEVELS] = {"sum", "sum.2", "sum.3", "sum.4"};
    declare_reduction(declaration, field, result, when, REDUCE_SUM, fields, passes);
}
