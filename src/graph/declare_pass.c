/* SPDX-License-Identifier: MIT */
/* Passes of a declaration: checks, defaults and copies. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "graph/declaration.h"

/* What is wrong with a use, or NULL. */
static const char *wrong_with_use(const struct vks_declaration *declaration,
                                  const struct vks_pass *pass, const struct vks_use *use)
{
    int field = vks_find_field(declaration, use->field);
    if (field < 0) {
        return "is not declared";
    }
    if ((use->access & VKS_NEXT) && !declaration->fields[field].ping_pong) {
        return "is written as the next one but is not ping_pong";
    }
    if ((use->access & VKS_NEXT) && declaration->fields[field].bound) {
        return "is written as the next one, but its buffers are another graph's";
    }
    if ((use->access & VKS_NEXT) && use->access != VKS_WRITE_NEXT &&
        use->access != VKS_ATOMIC_NEXT) {
        return "is used as the next one, but neither only written nor only added to";
    }
    if (pass->when == VKS_AT_CHANGE && (use->access & (VKS_WRITE | VKS_ATOMIC)) &&
        declaration->fields[field].persistent) {
        return "is persistent; a pass that runs at changes cannot write it";
    }
    return use->access ? NULL : "is used without an access";
}

/* Fused steps and `every` exclude each other. */
static bool mixes_variants(const struct vks_declaration *declaration, const struct vks_pass *pass)
{
    bool fuses = pass->steps_per_dispatch > 1, rests = pass->every > 1;
    for (size_t i = 0; i < declaration->pass_count; i++) {
        fuses = fuses || declaration->passes[i].steps_per_dispatch > 1;
        rests = rests || declaration->passes[i].every > 1;
    }
    return fuses && rests;
}

/* True if the passes that this one joins are two single steps that were declared before. */
static bool can_join(const struct vks_declaration *declaration, const struct vks_pass *pass)
{
    size_t found = 0;
    if (!pass->joins[1] || strcmp(pass->joins[0], pass->joins[1]) == 0) {
        return false;
    }
    for (size_t i = 0; i < declaration->pass_count; i++) {
        const struct vks_pass *other = &declaration->passes[i];
        for (size_t j = 0; j < 2; j++) {
            found += strcmp(other->name, pass->joins[j]) == 0 && other->when == VKS_EACH_STEP &&
                     other->steps_per_dispatch == 1 && !other->joins[0];
        }
    }
    return found == 2 && pass->when == VKS_EACH_STEP && pass->every == 1 &&
           pass->steps_per_dispatch == 1;
}

static enum vks_result check_pass(const struct vks_declaration *declaration,
                                  const struct vks_pass *pass)
{
    if (!pass->name || !pass->name[0]) {
        return vks_fail(VKS_ERROR_INTERNAL, "a pass is declared without a name");
    }
    if (!pass->shader || !pass->shader[0]) {
        return vks_fail(VKS_ERROR_INTERNAL, "pass '%s' names no shader", pass->name);
    }
    if (pass->items[0] == 0) {
        return vks_fail(VKS_ERROR_INTERNAL, "pass '%s' has no items, and there is no grid",
                        pass->name);
    }
    if (pass->constants_size > VKS_MAX_CONSTANTS) {
        return vks_fail(VKS_ERROR_INTERNAL, "pass '%s' has %zu bytes of constants; at most %d fit",
                        pass->name, pass->constants_size, VKS_MAX_CONSTANTS);
    }
    if (pass->constants_size > 0 && !pass->constants) {
        return vks_fail(VKS_ERROR_INTERNAL,
                        "pass '%s' has %zu bytes of constants but no .constants", pass->name,
                        pass->constants_size);
    }
    for (size_t i = 0; pass->uses && pass->uses[i].field; i++) {
        const char *wrong = wrong_with_use(declaration, pass, &pass->uses[i]);
        if (wrong) {
            return vks_fail(VKS_ERROR_INTERNAL, "pass '%s': field '%s' %s", pass->name,
                            pass->uses[i].field, wrong);
        }
    }
    if (vks_has_pass(declaration, pass->name)) {
        return vks_fail(VKS_ERROR_INTERNAL, "pass '%s' is declared twice", pass->name);
    }
    if (mixes_variants(declaration, pass)) {
        return vks_fail(VKS_ERROR_INTERNAL, "pass '%s': fused steps and .every exclude each other",
                        pass->name);
    }
    if (pass->joins[0] && !can_join(declaration, pass)) {
        return vks_fail(VKS_ERROR_INTERNAL, "pass '%s' cannot join '%s' and '%s'", pass->name,
                        pass->joins[0], pass->joins[1] ? pass->joins[1] : "");
    }
    return VKS_OK;
}

/* Replaces zeros by defaults. */
static struct vks_pass completed(const struct vks_declaration *declaration,
                                 const struct vks_pass *pass)
{
    const uint64_t *grid = declaration->grid;
    struct vks_pass whole = *pass;
    if (whole.items[0] == 0) {
        whole.by_rows = true;
        whole.items[0] = grid[2];
        whole.items[1] = grid[0] * grid[1];
    }
    if (whole.items[1] == 0) {
        whole.items[1] = 1;
        whole.group[0] = whole.group[0] ? whole.group[0] : 256;
        whole.group[1] = 1;
    } else if (whole.group[0] == 0) {
        whole.group[0] = 32;
        whole.group[1] = 8;
    } else if (whole.group[1] == 0) {
        whole.group[1] = 1;
    }
    for (int i = 0; i < 2; i++) {
        whole.per_group[i] = whole.per_group[i] ? whole.per_group[i] : whole.group[i];
    }
    whole.every = whole.every ? whole.every : 1;
    whole.steps_per_dispatch = whole.steps_per_dispatch ? whole.steps_per_dispatch : 1;
    whole.use_count = 0;
    while (whole.uses && whole.uses[whole.use_count].field) {
        whole.use_count++;
    }
    return whole;
}

/* Copies everything that the pass points to. */
static void keep_pass(struct vks_declaration *declaration, struct vks_pass *pass)
{
    pass->shader = vks_declaration_keep_text(declaration, pass->shader);
    pass->without = vks_declaration_keep_text(declaration, pass->without);
    for (size_t i = 0; i < 2; i++) {
        pass->joins[i] = vks_declaration_keep_text(declaration, pass->joins[i]);
    }
    pass->constants = vks_declaration_copy(declaration, pass->constants, pass->constants_size);
    struct vks_use *uses = vks_declaration_keep(declaration, (pass->use_count + 1) * sizeof(*uses));
    for (size_t i = 0; uses && i < pass->use_count; i++) {
        uses[i] = pass->uses[i];
        uses[i].index = (uint32_t)vks_find_field(declaration, uses[i].field);
        const bool has_other_name = uses[i].as || declaration->scope;
        uses[i].as =
            has_other_name
                ? vks_declaration_keep_text(declaration, uses[i].as ? uses[i].as : uses[i].field)
                : NULL;
        uses[i].field = declaration->fields[uses[i].index].name;
    }
    pass->uses = uses;
    size_t count = 0;
    while (pass->specializations && pass->specializations[count].name) {
        count++;
    }
    struct vks_specialization *values =
        vks_declaration_keep(declaration, (count + 1) * sizeof(*values));
    for (size_t i = 0; values && i < count; i++) {
        values[i].name = vks_declaration_keep_text(declaration, pass->specializations[i].name);
        values[i].value = pass->specializations[i].value;
    }
    pass->specializations = values;
}

void vks_declare_pass(struct vks_declaration *declaration, const struct vks_pass *declared)
{
    if (declaration->result != VKS_OK) {
        return;
    }
    struct vks_pass pass = completed(declaration, declared);
    if (declaration->scope && (pass.joins[0] || pass.steps_per_dispatch > 1)) {
        return;
    }
    pass.name = vks_declaration_scoped(declaration, pass.name);
    if (declaration->result != VKS_OK) {
        return;
    }
    enum vks_result result = check_pass(declaration, &pass);
    struct vks_pass *grown = vks_grow(declaration->passes, sizeof(*grown), declaration->pass_count,
                                      &declaration->pass_capacity);
    if (result == VKS_OK && !grown) {
        result = vks_fail_memory();
    }
    if (grown) {
        declaration->passes = grown;
    }
    if (result != VKS_OK) {
        vks_declaration_fail(declaration, result);
        return;
    }
    keep_pass(declaration, &pass);
    if (declaration->result == VKS_OK) {
        declaration->passes[declaration->pass_count++] = pass;
    }
}
