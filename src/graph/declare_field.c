/* SPDX-License-Identifier: MIT */
/* Fields of a declaration: checks and copies. */
#include <string.h>
#include <vksim/model.h>

#include "base/error.h"
#include "base/memory.h"
#include "graph/declaration.h"

uint64_t vks_field_count(const struct vks_field *field)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < field->rank; i++) {
        if (!vks_multiply(count, field->shape[i], &count)) {
            return UINT64_MAX;
        }
    }
    return count;
}

/* Fills in the grid's rank and shape unless the field has its own. */
static struct vks_field shaped(const struct vks_declaration *declaration,
                               const struct vks_field *field)
{
    const uint64_t *grid = declaration->grid;
    struct vks_field whole = *field;
    if (field->rank == 0 && grid[0] > 0) {
        whole.rank = grid[0] > 1 ? 3 : 2;
        memcpy(whole.shape, grid + 3 - whole.rank, whole.rank * sizeof(*grid));
    }
    return whole;
}

/* What is wrong with a field of items, or NULL. */
static const char *wrong_with_items(const struct vks_declaration *declaration,
                                    const struct vks_field *field)
{
    const struct vks_items *items = vks_find_items(declaration, field->items);
    if (!items) {
        return "is of items that vks_declare_items() has not declared";
    }
    if (items->sorted) {
        return "is of items whose sorting is declared already; declare it before";
    }
    if (field->rank != 1 || field->shape[0] != items->room) {
        return "has another number of elements than its items";
    }
    return field->element == VKS_F16 ? "is of items, which cannot have halves" : NULL;
}

/* What is wrong with the scalars of a watched field, or NULL. */
static const char *wrong_with_scalars(const struct vks_field *field,
                                      const struct vks_scalar *scalars)
{
    size_t count = 0;
    bool plain = true;
    for (; scalars && scalars[count].name; count++) {
        const unsigned char *at = (const unsigned char *)scalars[count].name;
        plain = plain && *at;
        for (; *at; at++) {
            plain = plain && *at >= ' ' && *at != 127 && *at != ',' && *at != '"' && *at != '\\';
        }
    }
    if (scalars &&
        (field->rank != 1 || field->element == VKS_F16 || count != field->shape[0] || count == 0)) {
        return "is watched, but is not a list of words with a name for each";
    }
    if (scalars && field->items) {
        return "is watched, but is of items, whose order changes";
    }
    return plain ? NULL : "is watched under a name that is empty or has a comma or quotes";
}

static bool ends_in_next(const char *name)
{
    static const char suffix[] = "_next";
    const size_t length = strlen(name), end = sizeof(suffix) - 1;
    return length >= end && strcmp(name + length - end, suffix) == 0;
}

/* What is wrong with a field, or NULL. */
static const char *wrong_with_field(const struct vks_declaration *declaration,
                                    const struct vks_field *field)
{
    if (vks_find_field(declaration, field->name) >= 0) {
        return "is declared twice";
    }
    if (ends_in_next(field->name)) {
        return "has a name that ends in '_next', which means what a pass writes";
    }
    if (!vks_element_info(field->element)) {
        return "has no .element, or one that is not an enum vks_element";
    }
    if (field->rank < 1 || field->rank > 3) {
        return "has a rank other than 1 to 3";
    }
    if (vks_field_count(field) == 0) {
        return "has an extent of 0";
    }
    const char *wrong = wrong_with_scalars(field, field->watched);
    if (wrong) {
        return wrong;
    }
    if ((field->made_from || field->image) && !(field->made_from && field->fill)) {
        return "has .made_from or .image, which go with .fill and .made_from";
    }
    if (field->element == VKS_F16 && field->shape[field->rank - 1] % 2 != 0) {
        return "has rows of an odd number of halves; two share a word";
    }
    return field->items ? wrong_with_items(declaration, field) : NULL;
}

/* Copies a list of scalars, with the messages of status words; NULL for an empty list. */
static const struct vks_scalar *keep_scalars(struct vks_declaration *declaration,
                                             const struct vks_scalar *scalars, size_t count)
{
    struct vks_scalar *copy = vks_declaration_keep(declaration, (count + 1) * sizeof(*copy));
    for (size_t i = 0; copy && i < count; i++) {
        size_t failures = 0;
        while (scalars[i].failures && scalars[i].failures[failures]) {
            failures++;
        }
        const char **kept =
            failures ? vks_declaration_keep(declaration, (failures + 1) * sizeof(*kept)) : NULL;
        for (size_t j = 0; kept && j < failures; j++) {
            kept[j] = vks_declaration_keep_text(declaration, scalars[i].failures[j]);
        }
        copy[i] = (struct vks_scalar){vks_declaration_scoped(declaration, scalars[i].name),
                                      scalars[i].unit, kept};
    }
    return copy;
}

/* How twins measure a field in a scope: models have one main field, and one kind of items that are
 * at places; those of later models are only compared. */
static enum vks_distance scoped_distance(const struct vks_declaration *declaration,
                                         const struct vks_field *field)
{
    const bool at_places =
        field->distance == VKS_DISTANCE_PLACE || field->distance == VKS_DISTANCE_ANGLE;
    enum vks_distance distance = field->distance;
    for (size_t i = 0; i < declaration->field_count && declaration->scope; i++) {
        const struct vks_field *other = &declaration->fields[i];
        if (distance == VKS_DISTANCE_MAIN && other->distance == VKS_DISTANCE_MAIN) {
            distance = VKS_DISTANCE_SUM;
        } else if (at_places && other->distance == VKS_DISTANCE_PLACE &&
                   strcmp(other->items, field->items) != 0) {
            distance = VKS_DISTANCE_EQUAL;
        }
    }
    return distance;
}

void vks_declare_field(struct vks_declaration *declaration, const struct vks_field *declared)
{
    if (declaration->result != VKS_OK) {
        return;
    }
    if (!declared->name || !declared->name[0]) {
        vks_declaration_fail(declaration,
                             vks_fail(VKS_ERROR_INTERNAL, "a field is declared without a "
                                                          "name"));
        return;
    }
    struct vks_field field = shaped(declaration, declared);
    if (field.image && strcmp(field.image, VKS_INPUT_IMAGE) == 0) {
        field.image = field.made_from = NULL;
    }
    field.plain = vks_declaration_keep_text(declaration, field.name);
    field.name = vks_declaration_scoped(declaration, field.name);
    if (declaration->result != VKS_OK) {
        return;
    }
    const char *wrong = wrong_with_field(declaration, &field);
    if (wrong) {
        vks_declaration_fail(declaration,
                             vks_fail(VKS_ERROR_INTERNAL, "field '%s' %s", field.name, wrong));
        return;
    }
    struct vks_field *grown = vks_grow(declaration->fields, sizeof(*grown),
                                       declaration->field_count, &declaration->field_capacity);
    if (!grown) {
        vks_declaration_fail(declaration, vks_fail_memory());
        return;
    }
    declaration->fields = grown;
    field.help = vks_declaration_keep_text(declaration, field.help);
    field.made_from = vks_declaration_keep_text(declaration, field.made_from);
    field.image = vks_declaration_keep_text(declaration, field.image);
    field.image_fit = field.image ? declaration->image_fit : 0;
    field.items = vks_declaration_scoped(declaration, field.items);
    field.distance = scoped_distance(declaration, &field);
    field.carries = vks_declaration_keep_text(declaration, field.carries);
    field.watched = field.watched ? keep_scalars(declaration, field.watched, field.shape[0]) : NULL;
    if (declaration->result == VKS_OK) {
        declaration->fields[declaration->field_count++] = field;
    }
}

void vks_declare_watch(struct vks_declaration *declaration, const char *name,
                       const struct vks_scalar *scalars)
{
    if (declaration->result != VKS_OK) {
        return;
    }
    const int index = vks_find_field(declaration, name);
    struct vks_field *field = index < 0 ? NULL : &declaration->fields[index];
    const char *wrong = field ? wrong_with_scalars(field, scalars) : "is not declared";
    if (wrong) {
        vks_declaration_fail(declaration,
                             vks_fail(VKS_ERROR_INTERNAL, "field '%s' %s", name, wrong));
        return;
    }
    field->watched = keep_scalars(declaration, scalars, field->shape[0]);
}
