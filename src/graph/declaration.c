/* SPDX-License-Identifier: MIT */
#include "graph/declaration.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "graph/graph.h"

/* --- storage ---------------------------------------------------------------------------------- */

enum { BLOCK_BYTES = 4096 };

/* A block of memory that is handed out piecewise and freed as a whole. */
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
    free(declaration->meetings);
    *declaration = (struct vks_declaration){0};
}

void *vks_declaration_keep(struct vks_declaration *declaration, size_t size)
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
    void *copy = vks_declaration_keep(declaration, size);
    return copy && size ? memcpy(copy, data, size) : copy;
}

const char *vks_declaration_keep_text(struct vks_declaration *declaration, const char *text)
{
    return text ? vks_declaration_copy(declaration, text, strlen(text) + 1) : NULL;
}

const char *vks_declaration_name(struct vks_declaration *declaration, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *name = length < 0 ? NULL : vks_declaration_keep(declaration, (size_t)length + 1);
    if (!name) {
        return "";
    }
    va_start(args, format);
    vsnprintf(name, (size_t)length + 1, format, args);
    va_end(args);
    return name;
}

/* --- scopes ----------------------------------------------------------------------------------- */

void vks_declaration_scope(struct vks_declaration *declaration, const char *prefix)
{
    declaration->scope = vks_declaration_keep_text(declaration, prefix);
}

const char *vks_declaration_scoped(struct vks_declaration *declaration, const char *name)
{
    const char *scope = declaration->scope;
    return name && scope ? vks_declaration_name(declaration, "%s%s", scope, name)
                         : vks_declaration_keep_text(declaration, name);
}

/* A list of structures that begin with a name. */
struct named {
    const void *first;
    size_t count, size;
};

static int find(const struct named *list, const char *prefix, const char *name)
{
    const size_t length = strlen(prefix);
    for (size_t i = 0; i < list->count; i++) {
        const char *here =
            *(const char *const *)(const void *)((const char *)list->first + i * list->size);
        if (strncmp(here, prefix, length) == 0 && strcmp(here + length, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

/* Index of a name, first of one in the scope; -1: there is none. */
static int find_named(const struct vks_declaration *declaration, struct named list,
                      const char *name)
{
    const int found = declaration->scope ? find(&list, declaration->scope, name) : -1;
    return found >= 0 ? found : find(&list, "", name);
}

/* --- contents --------------------------------------------------------------------------------- */

void vks_declaration_grid(struct vks_declaration *declaration, uint64_t depth, uint64_t height,
                          uint64_t width)
{
    memcpy(declaration->grid, (const uint64_t[]){depth, height, width}, sizeof(declaration->grid));
}

int vks_find_field(const struct vks_declaration *declaration, const char *name)
{
    return find_named(
        declaration,
        (struct named){declaration->fields, declaration->field_count, sizeof(*declaration->fields)},
        name);
}

int vks_find_pass(const struct vks_declaration *declaration, const char *name)
{
    return find_named(
        declaration,
        (struct named){declaration->passes, declaration->pass_count, sizeof(*declaration->passes)},
        name);
}

bool vks_has_pass(const struct vks_declaration *declaration, const char *name)
{
    const struct named bound = {declaration->bound_passes, declaration->bound_pass_count,
                                sizeof(*declaration->bound_passes)};
    return vks_find_pass(declaration, name) >= 0 || find_named(declaration, bound, name) >= 0;
}

struct vks_items *vks_find_items(const struct vks_declaration *declaration, const char *name)
{
    const int found = find_named(
        declaration,
        (struct named){declaration->items, declaration->items_count, sizeof(*declaration->items)},
        name);
    return found < 0 ? NULL : &declaration->items[found];
}

void vks_declaration_move_pass(struct vks_declaration *declaration, size_t to)
{
    if (declaration->result == VKS_OK) {
        struct vks_pass *passes = declaration->passes;
        const size_t last = declaration->pass_count - 1;
        const struct vks_pass moved = passes[last];
        memmove(passes + to + 1, passes + to, (last - to) * sizeof(*passes));
        passes[to] = moved;
    }
}

/* --- uses ------------------------------------------------------------------------------------- */

bool vks_pass_uses(const struct vks_pass *pass, size_t field)
{
    for (size_t i = 0; i < pass->use_count; i++) {
        if (pass->uses[i].index == field) {
            return true;
        }
    }
    return false;
}

unsigned vks_field_access(const struct vks_declaration *declaration, size_t field)
{
    unsigned access = 0;
    for (size_t i = 0; i < declaration->pass_count; i++) {
        const struct vks_pass *pass = &declaration->passes[i];
        for (size_t k = 0; k < pass->use_count; k++) {
            access |= pass->uses[k].index == field ? pass->uses[k].access : 0;
        }
    }
    return access;
}

/* --- binding ---------------------------------------------------------------------------------- */

/* A field whose buffers are those of a field of another graph. */
static struct vks_field bound_field(const struct vks_field *base)
{
    struct vks_field field = {.name = base->name,
                              .element = base->element,
                              .rank = base->rank,
                              .ping_pong = base->ping_pong,
                              .bound = true};
    memcpy(field.shape, base->shape, sizeof(field.shape));
    return field;
}

void vks_declaration_unbind(struct vks_declaration *declaration)
{
    for (size_t i = 0; i < declaration->field_count; i++) {
        struct vks_field *field = &declaration->fields[i];
        const bool used = field->bound && (field->watched || vks_field_access(declaration, i) != 0);
        field->bound = field->bound && !used;
        field->ping_pong = field->ping_pong && !used;
    }
}

void vks_declaration_bind_twin(struct vks_declaration *declaration,
                               const struct vks_declaration *base)
{
    const uint64_t bytes = vks_declaration_bytes(base);
    for (size_t i = 0; i < base->field_count; i++) {
        struct vks_field field = bound_field(&base->fields[i]);
        field.name = vks_declaration_name(declaration, "twin.%s", field.name);
        field.twin = true;
        vks_declare_field(declaration, &field);
    }
    declaration->bound_bytes = bytes < UINT64_MAX - declaration->bound_bytes
                                   ? bytes + declaration->bound_bytes
                                   : UINT64_MAX;
}

void vks_declaration_bind(struct vks_declaration *declaration, const struct vks_declaration *base)
{
    vks_declaration_fail(declaration, base->result);
    memcpy(declaration->grid, base->grid, sizeof(declaration->grid));
    declaration->image_fit = base->image_fit;
    declaration->software = base->software;
    declaration->bound_bytes = vks_declaration_bytes(base);
    for (size_t i = 0; i < base->field_count; i++) {
        struct vks_field field = bound_field(&base->fields[i]);
        field.watched = base->fields[i].watched;
        vks_declare_field(declaration, &field);
    }
    const char **names = vks_declaration_keep(declaration, (base->pass_count + 1) * sizeof(*names));
    for (size_t i = 0; names && i < base->pass_count; i++) {
        names[i] = vks_declaration_keep_text(declaration, base->passes[i].name);
    }
    declaration->bound_passes = names;
    declaration->bound_pass_count = declaration->result == VKS_OK ? base->pass_count : 0;
}
