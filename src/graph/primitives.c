/* SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "core/reduce.h"
#include "graph/graph.h"

enum { MAX_LEVELS = 4, MAX_REDUCTIONS = 6 };

/* Names live as long as the program. */
#define LEVELS(name)                          \
    {                                         \
        name, name ".2", name ".3", name ".4" \
    }
#define PARTIALS(name)                             \
    {                                              \
        name ".1", name ".2", name ".3", name ".4" \
    }
#define NAMES(name)                                                                               \
    {                                                                                             \
        LEVELS(name), LEVELS(name " b"), LEVELS(name " c"), LEVELS(name " d"), LEVELS(name " e"), \
            LEVELS(name " f")                                                                     \
    }
#define FIELDS(name)                                                                   \
    {                                                                                  \
        PARTIALS(name), PARTIALS(name " b"), PARTIALS(name " c"), PARTIALS(name " d"), \
            PARTIALS(name " e"), PARTIALS(name " f")                                   \
    }
static const char *const pass_names[2][MAX_REDUCTIONS][MAX_LEVELS] = {
    [REDUCE_RANGE] = NAMES("range"), [REDUCE_SUM] = NAMES("sum")};
static const char *const field_names[2][MAX_REDUCTIONS][MAX_LEVELS] = {
    [REDUCE_RANGE] = FIELDS("range"), [REDUCE_SUM] = FIELDS("sum")};

/* How many reductions of the kind there are already. */
static size_t count_of(const struct vks_declaration *declaration, uint32_t operation)
{
    size_t count = 0;
    for (size_t i = 0; i < declaration->pass_count && count < MAX_REDUCTIONS; i++) {
        count += declaration->passes[i].name == pass_names[operation][count][0];
    }
    return count;
}

static void declare_reduction(struct vks_declaration *declaration, const char *field,
                              const char *result, enum vks_when when, uint32_t operation)
{
    int index = vks_find_field(declaration, field);
    const size_t which = count_of(declaration, operation);
    if (which == MAX_REDUCTIONS) {
        vks_declaration_fail(declaration, vks_fail(VKS_ERROR_GPU,
                                                   "'%s' is to be reduced, but there are %d "
                                                   "reductions of this kind already",
                                                   field, MAX_REDUCTIONS));
        return;
    }
    if (index < 0 || (declaration->fields[index].element != VKS_F32 &&
                      declaration->fields[index].element != VKS_F16)) {
        vks_declaration_fail(declaration,
                             vks_fail(VKS_ERROR_GPU, "'%s' is no float field to reduce", field));
        return;
    }
    const struct vks_field *source = &declaration->fields[index];
    const bool halves = source->element == VKS_F16;
    uint64_t count = vks_field_bytes(source) / vks_element_bytes(source->element);
    uint64_t arity = operation == REDUCE_RANGE ? 2 : 1;
    const char *input = field;
    bool last = false;
    for (int level = 0; !last && level < MAX_LEVELS; level++) {
        uint64_t groups = (count + REDUCE_ITEMS - 1) / REDUCE_ITEMS;
        last = groups == 1;
        const char *output = last ? result : field_names[operation][which][level];
        struct reduce_params params = {.count = (uint32_t)count};
        vks_declare_field(declaration, &(struct vks_field){.name = output,
                                                           .element = VKS_F32,
                                                           .rank = 1,
                                                           .extent = {groups * arity}});
        vks_declare_pass(declaration,
                         &(struct vks_pass){
                             .name = pass_names[operation][which][level],
                             .shader = "core/reduce",
                             .when = when,
                             .uses = {{input, VKS_READ, "items"}, {output, VKS_WRITE, "partials"}},
                             .specializations = {{"operation", operation},
                                                 {"pairs", level > 0},
                                                 {"half_cells", level == 0 && halves}},
                             .constants = &params,
                             .constants_size = sizeof(params),
                             .items = {groups * 256},
                             .bytes = (double)count * (level > 0 ? 4.0 * (double)arity
                                                       : halves  ? 2
                                                                 : 4) +
                                      4.0 * (double)(groups * arity),
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
    declare_reduction(declaration, field, result, when, REDUCE_RANGE);
}

void vks_declare_sum(struct vks_declaration *declaration, const char *field, const char *result,
                     enum vks_when when)
{
    declare_reduction(declaration, field, result, when, REDUCE_SUM);
}
