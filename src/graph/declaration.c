/* SPDX-License-Identifier: MIT */
#include "graph/model.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* --- what a declaration keeps ---------------------------------------------------------------- */

enum { BLOCK_BYTES = 4096 };

/* Memory that is given out piece by piece and freed as a whole. */
struct vks_kept {
    struct vks_kept *next;
    size_t size, used; /* of `bytes` */
    alignas(max_align_t) unsigned char bytes[];
};

void vks_declaration_fail(struct vks_declaration *declaration, enum vks_result result)
{
    if (declaration->result == VKS_OK) {
        declaration->result = result;
    }
}

void vks_declaration_free(struct vks_declaration *declaration)
{
    while (declaration->blocks) {
        struct vks_kept *next = declaration->blocks->next;
        free(declaration->blocks);
        declaration->blocks = next;
    }
    free(declaration->fields);
    free(declaration->passes);
    free(declaration->items);
    *declaration = (struct vks_declaration){0};
}

/* `size` zeroed bytes, aligned for anything; NULL after a failure. */
static void *keep(struct vks_declaration *declaration, size_t size)
{
    const size_t align = alignof(max_align_t);
    const size_t rounded = (size + align - 1) / align * align;
    struct vks_kept *block = declaration->blocks;
    if (declaration->result != VKS_OK) {
        return NULL;
    }
    if (!block || block->size - block->used < rounded) {
        const size_t room = rounded > BLOCK_BYTES ? rounded : BLOCK_BYTES;
        block = calloc(1, sizeof(*block) + room);
        if (!block) {
            vks_declaration_fail(declaration, vks_fail_memory());
            return NULL;
        }
        block->size = room;
        block->next = declaration->blocks;
        declaration->blocks = block;
    }
    void *piece = block->bytes + block->used;
    block->used += rounded;
    return piece;
}

void *vks_declaration_copy(struct vks_declaration *declaration, const void *data, size_t size)
{
    void *copy = keep(declaration, size);
    return copy && size ? memcpy(copy, data, size) : copy;
}

/* NULL stays NULL. */
static const char *keep_text(struct vks_declaration *declaration, const char *text)
{
    return text ? vks_declaration_copy(declaration, text, strlen(text) + 1) : NULL;
}

const char *vks_declaration_name(struct vks_declaration *declaration, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *name = length < 0 ? NULL : keep(declaration, (size_t)length + 1);
    if (!name) {
        return "";
    }
    va_start(args, format);
    vsnprintf(name, (size_t)length + 1, format, args);
    va_end(args);
    return name;
}

/* --- fields ---------------------------------------------------------------------------------- */

void vks_declaration_grid(struct vks_declaration *declaration, uint64_t depth, uint64_t height,
                          uint64_t width)
{
    memcpy(declaration->grid, (const uint64_t[]){depth, height, width}, sizeof(declaration->grid));
}

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

int vks_find_field(const struct vks_declaration *declaration, const char *name)
{
    for (size_t i = 0; i < declaration->field_count; i++) {
        if (strcmp(declaration->fields[i].name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

bool vks_has_pass(const struct vks_declaration *declaration, const char *name)
{
    for (size_t i = 0; i < declaration->pass_count; i++) {
        if (strcmp(declaration->passes[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* The field with the grid's rank and shape, unless it has its own. */
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

struct vks_items *vks_find_items(const struct vks_declaration *declaration, const char *name)
{
    for (size_t i = 0; i < declaration->items_count; i++) {
        if (strcmp(declaration->items[i].name, name) == 0) {
            return &declaration->items[i];
        }
    }
    return NULL;
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
    if (field->rank != 1 || field->shape[0] != items->count) {
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
    if ((field->made_from || field->picture) && !(field->made_from && field->fill)) {
        return "has .made_from or .picture, which go with .fill and .made_from";
    }
    if (field->element == VKS_F16 && field->shape[field->rank - 1] % 2 != 0) {
        return "has rows of an odd number of halves; two share a word";
    }
    return field->items ? wrong_with_items(declaration, field) : NULL;
}

/* Copies a list of scalars, with the messages of a status word; a list without one is none. */
static const struct vks_scalar *keep_scalars(struct vks_declaration *declaration,
                                             const struct vks_scalar *scalars, size_t count)
{
    struct vks_scalar *copy = keep(declaration, (count + 1) * sizeof(*copy));
    for (size_t i = 0; copy && i < count; i++) {
        size_t failures = 0;
        while (scalars[i].failures && scalars[i].failures[failures]) {
            failures++;
        }
        const char **kept = failures ? keep(declaration, (failures + 1) * sizeof(*kept)) : NULL;
        for (size_t j = 0; kept && j < failures; j++) {
            kept[j] = keep_text(declaration, scalars[i].failures[j]);
        }
        copy[i] =
            (struct vks_scalar){keep_text(declaration, scalars[i].name), scalars[i].unit, kept};
    }
    return copy;
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
    field.name = keep_text(declaration, field.name);
    field.help = keep_text(declaration, field.help);
    field.made_from = keep_text(declaration, field.made_from);
    field.picture = keep_text(declaration, field.picture);
    field.items = keep_text(declaration, field.items);
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

/* --- passes ---------------------------------------------------------------------------------- */

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
    if ((use->access & VKS_NEXT) && use->access != VKS_WRITE_NEXT) {
        return "can only be written as the next one";
    }
    if (pass->when == VKS_AT_CHANGE && (use->access & (VKS_WRITE | VKS_ATOMIC)) &&
        declaration->fields[field].persistent) {
        return "is persistent; a pass that runs at changes cannot write it";
    }
    return use->access ? NULL : "is used without an access";
}

/* Passes of several steps and passes that do not run every step exclude each other. */
static bool mixes_variants(const struct vks_declaration *declaration, const struct vks_pass *pass)
{
    bool fuses = pass->steps > 1, rests = pass->every > 1;
    for (size_t i = 0; i < declaration->pass_count; i++) {
        fuses = fuses || declaration->passes[i].steps > 1;
        rests = rests || declaration->passes[i].every > 1;
    }
    return fuses && rests;
}

/* Fails with a message if something is wrong with a pass. */
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
        return vks_fail(VKS_ERROR_INTERNAL,
                        "pass '%s': a model with passes of several steps has none that leave "
                        "steps out",
                        pass->name);
    }
    return VKS_OK;
}

/* The pass with every zero replaced by its default. */
static struct vks_pass completed(const struct vks_declaration *declaration,
                                 const struct vks_pass *pass)
{
    const uint64_t *grid = declaration->grid;
    struct vks_pass whole = *pass;
    if (whole.items[0] == 0) {
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
    whole.steps = whole.steps ? whole.steps : 1;
    whole.use_count = 0;
    while (whole.uses && whole.uses[whole.use_count].field) {
        whole.use_count++;
    }
    return whole;
}

/* Copies what the pass points at. */
static void keep_pass(struct vks_declaration *declaration, struct vks_pass *pass)
{
    pass->name = keep_text(declaration, pass->name);
    pass->shader = keep_text(declaration, pass->shader);
    pass->without = keep_text(declaration, pass->without);
    pass->constants = vks_declaration_copy(declaration, pass->constants, pass->constants_size);
    struct vks_use *uses = keep(declaration, (pass->use_count + 1) * sizeof(*uses));
    for (size_t i = 0; uses && i < pass->use_count; i++) {
        uses[i] = pass->uses[i];
        uses[i].index = (uint32_t)vks_find_field(declaration, uses[i].field);
        uses[i].field = keep_text(declaration, uses[i].field);
        uses[i].as = keep_text(declaration, uses[i].as);
    }
    pass->uses = uses;
    size_t count = 0;
    while (pass->specializations && pass->specializations[count].name) {
        count++;
    }
    struct vks_specialization *values = keep(declaration, (count + 1) * sizeof(*values));
    for (size_t i = 0; values && i < count; i++) {
        values[i].name = keep_text(declaration, pass->specializations[i].name);
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

void vks_declare_model(const struct vks_model *model, const struct vks_config *config,
                       struct vks_declaration *declaration)
{
    const struct vks_config *kept = vks_declaration_copy(declaration, config, sizeof(*config));
    if (!kept) {
        return;
    }
    vks_declaration_grid(declaration, config->depth, config->height, config->width);
    model->declare(kept, declaration);
    if (declaration->measures) {
        vks_declaration_fail(declaration,
                             vks_fail(VKS_ERROR_INTERNAL,
                                      "%s declares that it measures; a simulation may only use "
                                      "exact shaders",
                                      model->name));
    }
}

/* --- what is used for ------------------------------------------------------------------------ */

bool vks_pass_uses(const struct vks_pass *pass, size_t field)
{
    for (size_t i = 0; i < pass->use_count; i++) {
        if (pass->uses[i].index == field) {
            return true;
        }
    }
    return false;
}

/* The uses of a pass after the fields have moved to new places. */
static void renumber(struct vks_declaration *declaration, struct vks_pass *pass,
                     const uint32_t *places)
{
    struct vks_use *uses =
        vks_declaration_copy(declaration, pass->uses, (pass->use_count + 1) * sizeof(*uses));
    for (size_t i = 0; uses && i < pass->use_count; i++) {
        uses[i].index = places[uses[i].index];
    }
    pass->uses = uses ? uses : pass->uses;
}

void vks_declaration_strip_to_frames(struct vks_declaration *declaration)
{
    size_t passes = 0, fields = 0;
    uint32_t *places = calloc(declaration->field_count + 1, sizeof(*places));
    if (!places) {
        vks_declaration_fail(declaration, vks_fail_memory());
        return;
    }
    for (size_t i = 0; i < declaration->pass_count; i++) {
        if (declaration->passes[i].when == VKS_EACH_FRAME) {
            declaration->passes[passes++] = declaration->passes[i];
        }
    }
    declaration->pass_count = passes;
    for (size_t i = 0; i < declaration->field_count; i++) {
        bool used = false;
        for (size_t j = 0; j < passes; j++) {
            used = used || vks_pass_uses(&declaration->passes[j], i);
        }
        if (used) {
            places[i] = (uint32_t)fields;
            declaration->fields[fields++] = declaration->fields[i];
        }
    }
    declaration->field_count = fields;
    declaration->items_count = 0; /* nothing is sorted */
    for (size_t i = 0; i < passes; i++) {
        renumber(declaration, &declaration->passes[i], places);
    }
    free(places);
}

bool vks_field_is_state(const struct vks_declaration *declaration, const struct vks_field *field)
{
    const int index = vks_find_field(declaration, field->name);
    bool used = field->persistent;
    for (size_t i = 0; i < declaration->pass_count && index >= 0; i++) {
        used = used || (declaration->passes[i].when != VKS_EACH_FRAME &&
                        vks_pass_uses(&declaration->passes[i], (size_t)index));
    }
    return used;
}
