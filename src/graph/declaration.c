/* SPDX-License-Identifier: MIT */
#include "graph/model.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

void vks_declaration_fail(struct vks_declaration *declaration, enum vks_result result)
{
    if (declaration->result == VKS_OK) {
        declaration->result = result;
    }
}

int vks_find_field(const struct vks_declaration *declaration, const char *name)
{
    for (size_t i = 0; i < declaration->field_count; i++) {
        if (strcmp(declaration->fields[i].name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

void vks_declare_field(struct vks_declaration *declaration, const struct vks_field *field)
{
    if (declaration->result != VKS_OK) {
        return;
    }
    if (!field->name || !vks_element_info(field->element)) {
        vks_declaration_fail(
            declaration,
            field->name
                ? vks_fail(VKS_ERROR_GPU, "field '%s' has no .element", field->name)
                : vks_fail(VKS_ERROR_GPU, "field %zu has no .name", declaration->field_count + 1));
        return;
    }
    bool empty = field->rank < 1 || field->rank > VKS_COUNT(field->extent);
    for (uint32_t i = 0; !empty && i < field->rank; i++) {
        empty = field->extent[i] == 0;
    }
    if (declaration->field_count == VKS_MAX_FIELDS ||
        vks_find_field(declaration, field->name) >= 0 || empty ||
        (field->element == VKS_F16 && field->extent[field->rank - 1] % 2 != 0)) {
        vks_declaration_fail(declaration, vks_fail(VKS_ERROR_GPU,
                                                   "field '%s' is declared twice, is one of more "
                                                   "than %d, has no extent, or an odd row of "
                                                   "halves",
                                                   field->name, VKS_MAX_FIELDS));
        return;
    }
    declaration->fields[declaration->field_count++] = *field;
}

/* A sentence's worth of what is wrong with a use, or NULL. */
static const char *wrong_with(const struct vks_declaration *declaration, const struct vks_use *use)
{
    int field = vks_find_field(declaration, use->field);
    if (field < 0) {
        return "is not declared";
    }
    if ((use->access & VKS_NEXT) && !declaration->fields[field].ping_pong) {
        return "is written as the next one but is not ping_pong";
    }
    if ((use->access & VKS_NEXT) && use->access != VKS_WRITE_NEXT) {
        return "can only be written as the next one";
    }
    return use->access ? NULL : "is used without an access";
}

/* Strides and passes that are not run every step cannot be told apart in time. */
static bool mixes_strides(const struct vks_declaration *declaration, const struct vks_pass *pass)
{
    bool strides = pass->steps > 1, rests = pass->every > 1;
    for (size_t i = 0; i < declaration->pass_count; i++) {
        strides = strides || declaration->passes[i].steps > 1;
        rests = rests || declaration->passes[i].every > 1;
    }
    return strides && rests;
}

void vks_declare_pass(struct vks_declaration *declaration, const struct vks_pass *pass)
{
    if (declaration->result != VKS_OK) {
        return;
    }
    if (declaration->pass_count == VKS_MAX_PASSES || pass->constants_size > VKS_MAX_CONSTANTS ||
        pass->items[0] == 0) {
        vks_declaration_fail(
            declaration,
            vks_fail(VKS_ERROR_GPU,
                     "pass '%s' has no items, more than %d bytes of constants, or is one of "
                     "more than %d",
                     pass->name, VKS_MAX_CONSTANTS, VKS_MAX_PASSES));
        return;
    }
    for (size_t i = 0; i < VKS_MAX_USES && pass->uses[i].field; i++) {
        const char *wrong = wrong_with(declaration, &pass->uses[i]);
        if (wrong) {
            vks_declaration_fail(declaration, vks_fail(VKS_ERROR_GPU, "pass '%s': field '%s' %s",
                                                       pass->name, pass->uses[i].field, wrong));
            return;
        }
    }
    if (mixes_strides(declaration, pass)) {
        vks_declaration_fail(declaration,
                             vks_fail(VKS_ERROR_GPU,
                                      "pass '%s': a model with passes of several steps has none "
                                      "that leave steps out",
                                      pass->name));
        return;
    }
    size_t index = declaration->pass_count++;
    struct vks_pass *kept = &declaration->passes[index];
    *kept = *pass;
    if (pass->constants_size) {
        memcpy(declaration->constants[index], pass->constants, pass->constants_size);
    }
    kept->constants = declaration->constants[index];
    if (kept->items[1] == 0) {
        kept->items[1] = 1;
        kept->group[0] = kept->group[0] ? kept->group[0] : 256;
        kept->group[1] = 1;
    } else if (kept->group[0] == 0) {
        kept->group[0] = 32;
        kept->group[1] = 8;
    }
    for (int i = 0; i < 2; i++) {
        kept->per_group[i] = kept->per_group[i] ? kept->per_group[i] : kept->group[i];
    }
    kept->every = kept->every ? kept->every : 1;
    kept->steps = kept->steps ? kept->steps : 1;
}

static bool uses_field(const struct vks_pass *pass, const char *field)
{
    for (size_t i = 0; i < VKS_MAX_USES && pass->uses[i].field; i++) {
        if (strcmp(pass->uses[i].field, field) == 0) {
            return true;
        }
    }
    return false;
}

void vks_declaration_keep_frames(struct vks_declaration *declaration)
{
    size_t passes = 0, fields = 0;
    for (size_t i = 0; i < declaration->pass_count; i++) {
        if (declaration->passes[i].when == VKS_EACH_FRAME) {
            memmove(declaration->constants[passes], declaration->constants[i],
                    sizeof(declaration->constants[i]));
            declaration->passes[passes] = declaration->passes[i];
            declaration->passes[passes].constants = declaration->constants[passes];
            passes++;
        }
    }
    declaration->pass_count = passes;
    for (size_t i = 0; i < declaration->field_count; i++) {
        bool used = false;
        for (size_t j = 0; j < passes; j++) {
            used = used || uses_field(&declaration->passes[j], declaration->fields[i].name);
        }
        if (used) {
            declaration->fields[fields++] = declaration->fields[i];
        }
    }
    declaration->field_count = fields;
}

bool vks_is_state_field(const struct vks_declaration *declaration, const struct vks_field *field)
{
    bool used = field->persistent;
    for (size_t i = 0; i < declaration->pass_count; i++) {
        used = used || (declaration->passes[i].when != VKS_EACH_FRAME &&
                        uses_field(&declaration->passes[i], field->name));
    }
    return used;
}
