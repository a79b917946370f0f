/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <vksim/model.h>

#include "base/error.h"
#include "base/memory.h"
#include "core/scan.h"
#include "core/sort.h"
#include "graph/declaration.h"
#include "graph/declare.h"

enum { PLACED_AT_ONCE = 8 }; /* fields of core/place8 */

/* Keeps the numbers of invocations past the last item from wrapping. */
static const uint64_t max_count = UINT64_C(1) << 31;

/* Scans of up to this many items use small tiles. */
static const uint64_t few_items = UINT64_C(1) << 20;

static void fail(struct vks_declaration *declaration, const char *what, const char *name,
                 const char *why)
{
    vks_declaration_fail(declaration, vks_fail(VKS_ERROR_INTERNAL, "%s '%s' %s", what, name, why));
}

/* --- exclusive scan -------------------------------------------------------------------------- */

static void declare_scan(struct vks_declaration *declaration, const char *field, const char *result,
                         enum vks_when when, uint32_t every)
{
    const int index = vks_find_field(declaration, field);
    if (declaration->result != VKS_OK) {
        return;
    }
    if (index < 0 || declaration->fields[index].element != VKS_U32 ||
        vks_field_count(&declaration->fields[index]) > max_count) {
        fail(declaration, "field", field, "cannot be scanned: that takes up to 2^31 uint32");
        return;
    }
    const uint64_t count = vks_field_count(&declaration->fields[index]);
    const uint32_t row_fours = count <= few_items ? 1 : SCAN_ITEMS / 4096;
    const uint64_t tile = UINT64_C(4096) * row_fours;
    const uint64_t tiles = (count + tile - 1) / tile;
    const struct scan_params params = {.count = (uint32_t)count, .tiles = (uint32_t)tiles};
    const char *states = vks_declaration_name(declaration, "%s.states", result);
    VKS_FIELD(declaration, .name = result, .element = VKS_U32, .rank = 1, .shape = {count + 1});
    VKS_FIELD(declaration, .name = states, .element = VKS_U32X2, .rank = 1, .shape = {tiles},
              .ping_pong = true);
    VKS_PASS(declaration, .name = vks_declaration_name(declaration, "scan %s", result),
             .shader = "core/scan", .feature = VKS_FEATURE_SUBGROUP_SUMS,
             .without = "core/scan_floor", .when = when, .every = every,
             .uses = VKS_USES({field, VKS_READ, "scan_in"}, {result, VKS_WRITE, "scan_out"},
                              {states, VKS_ATOMIC, "states"}, {states, VKS_WRITE_NEXT, "states"}),
             .specializations = VKS_SPECIALIZATIONS({"row_fours", row_fours}), VKS_PUSH(params),
             .items = {tiles * 256}, .bytes = 8 * (double)count, .operations = (double)count);
}

void vks_declare_scan(struct vks_declaration *declaration, const char *field, const char *result,
                      enum vks_when when)
{
    declare_scan(declaration, field, result, when, 1);
}

/* --- ordered items --------------------------------------------------------------------------- */

void vks_declare_items(struct vks_declaration *declaration, const char *name, uint64_t count)
{
    if (!name || !name[0]) {
        vks_declaration_fail(declaration,
                             vks_fail(VKS_ERROR_INTERNAL, "items are declared without a "
                                                          "name"));
        return;
    }
    const struct vks_items items = {.name = vks_declaration_scoped(declaration, name),
                                    .count = count,
                                    .room = vks_room_for(&declaration->slab, count)};
    if (declaration->result != VKS_OK) {
        return;
    }
    if (vks_find_items(declaration, name)) {
        fail(declaration, "items", name, "are declared twice");
        return;
    }
    if (count == 0 || count > max_count) {
        fail(declaration, "items", name, "are none, or more than 2^31");
        return;
    }
    struct vks_items *grown = vks_grow(declaration->items, sizeof(*grown), declaration->items_count,
                                       &declaration->items_capacity);
    if (!grown) {
        vks_declaration_fail(declaration, vks_fail_memory());
        return;
    }
    declaration->items = grown;
    declaration->items[declaration->items_count++] = items;
}

uint64_t vks_items_room(const struct vks_declaration *declaration, const char *name)
{
    const struct vks_items *items = vks_find_items(declaration, name);
    return items ? items->room : 1; /* the declaration has failed */
}

void vks_declare_numbers(struct vks_declaration *declaration, const char *name)
{
    const struct vks_items *items = vks_find_items(declaration, name);
    const char *number = vks_declaration_name(declaration, "%s_number", name);
    if (declaration->result != VKS_OK || vks_find_field(declaration, number) >= 0) {
        return;
    }
    if (!items) {
        fail(declaration, "items", name, "are numbered but not declared");
        return;
    }
    const uint64_t count = items->room;
    const struct items_params params = {.count = (uint32_t)count};
    VKS_FIELD(declaration, .name = number, .element = VKS_U32, .rank = 1, .shape = {count},
              .items = name);
    VKS_PASS(declaration, .name = vks_declaration_name(declaration, "%s: number", name),
             .shader = "core/number", .when = VKS_AT_START,
             .uses = VKS_USES({number, VKS_WRITE, "numbers"}), VKS_PUSH(params), .items = {count},
             .bytes = 4 * (double)count);
}

/* The fields of a sorting. */
struct sort_fields {
    const struct vks_sorting *sorting;
    struct sort_params params;
    const char *number, *slots, *counts, *starts;
    bool skips; /* places in memory without an item */
};

/* Moves the elements of a field of items back to the order of their numbers. */
static void declare_restore(struct vks_declaration *declaration, size_t index, const char *items,
                            const char *number)
{
    const struct vks_field field = declaration->fields[index];
    const bool pairs = field.element == VKS_U32X2;
    const uint64_t count = field.shape[0];
    const struct items_params params = {.count = (uint32_t)count};
    if (declaration->slab.count > 1) { /* each rank has some of the numbers: migrate.c */
        return;
    }
    VKS_PASS(declaration,
             .name = vks_declaration_name(declaration, "%s: restore %s", items, field.plain),
             .shader = pairs ? "core/move2" : "core/move", .when = VKS_BEFORE_READ,
             .uses = VKS_USES({number, VKS_READ, "slots"}, {field.plain, VKS_READ, "items"},
                              {field.plain, VKS_WRITE_NEXT, "items"}),
             VKS_PUSH(params), .items = {count}, .bytes = (pairs ? 20 : 12) * (double)count);
}

/* Moves the elements of a field of pairs to their slots. */
static void declare_place2(struct vks_declaration *declaration, size_t index,
                           const struct sort_fields *sort)
{
    const struct vks_field field = declaration->fields[index];
    VKS_PASS(
        declaration,
        .name =
            vks_declaration_name(declaration, "%s: place %s", sort->sorting->items, field.plain),
        .shader = "core/place2", .every = sort->sorting->every,
        .uses = VKS_USES({sort->sorting->key, VKS_READ, "keys"}, {sort->starts, VKS_READ, "starts"},
                         {sort->slots, VKS_READ, "slots"}, {field.plain, VKS_READ, "items"},
                         {field.plain, VKS_WRITE_NEXT, "items"}),
        .specializations = VKS_SPECIALIZATIONS({"skips", sort->skips}), VKS_PUSH(sort->params),
        .items = {field.shape[0]}, .bytes = 24 * (double)field.shape[0]);
}

/* Moves the elements of up to eight fields to their slots, and with `clears` clears the counts. */
static void declare_place8(struct vks_declaration *declaration, const size_t *indices,
                           size_t fields, const struct sort_fields *sort, bool clears)
{
    static const char *const bindings[PLACED_AT_ONCE] = {
        "items_0", "items_1", "items_2", "items_3", "items_4", "items_5", "items_6", "items_7"};
    const struct vks_field first = declaration->fields[indices[0]];
    const double count = (double)first.shape[0];
    const char *items = sort->sorting->items;
    const char *name = first.plain, *last = declaration->fields[indices[fields - 1]].plain;
    struct vks_use uses[5 + 2 * PLACED_AT_ONCE] = {
        {sort->sorting->key, VKS_READ, "keys"},
        {sort->starts, VKS_READ, "starts"},
        {sort->slots, VKS_READ, "slots"},
    };
    for (size_t i = 0; i < PLACED_AT_ONCE; i++) {
        const char *field = declaration->fields[indices[i < fields ? i : 0]].plain;
        uses[3 + 2 * i] = (struct vks_use){field, VKS_READ, bindings[i]};
        uses[4 + 2 * i] = (struct vks_use){field, VKS_WRITE_NEXT, bindings[i]};
    }
    if (clears) {
        uses[3 + 2 * PLACED_AT_ONCE] = (struct vks_use){sort->counts, VKS_WRITE, "counts"};
    }
    VKS_PASS(
        declaration,
        .name = fields == 1
                    ? vks_declaration_name(declaration, "%s: place %s", items, name)
                    : vks_declaration_name(declaration, "%s: place %s to %s", items, name, last),
        .shader = clears ? "core/place8_clear" : "core/place8", .every = sort->sorting->every,
        .uses = uses,
        .specializations =
            VKS_SPECIALIZATIONS({"fields", (uint32_t)fields}, {"skips", sort->skips}),
        VKS_PUSH(sort->params), .items = {first.shape[0]},
        .bytes = (8 + 8 * (double)fields) * count + (clears ? 4 * (double)sort->params.bins : 0));
}

static void declare_rank_fields(struct vks_declaration *declaration, const struct sort_fields *sort)
{
    if (vks_find_field(declaration, sort->slots) < 0) {
        VKS_FIELD(declaration, .name = sort->slots, .element = VKS_U32, .rank = 1,
                  .shape = {sort->params.count});
        VKS_FIELD(declaration, .name = sort->counts, .element = VKS_U32, .rank = 1,
                  .shape = {sort->params.bins});
    }
}

/* The passes that find each item's rank in its bin and the start of each bin. */
static void declare_ranks(struct vks_declaration *declaration, const struct sort_fields *sort)
{
    const struct vks_sorting *sorting = sort->sorting;
    const uint64_t count = sort->params.count;
    declare_rank_fields(declaration, sort);
    if (!sorting->counted) {
        VKS_PASS(
            declaration, .name = vks_declaration_name(declaration, "%s: count", sorting->items),
            .shader = "core/count", .every = sorting->every,
            .uses = VKS_USES({sorting->key, VKS_READ, "keys"}, {sort->counts, VKS_ATOMIC, "counts"},
                             {sort->slots, VKS_WRITE, "slots"}),
            .specializations =
                VKS_SPECIALIZATIONS({"one_by_one", declaration->software.one_by_one}),
            VKS_PUSH(sort->params), .items = {count}, .bytes = 8 * (double)count);
    }
    declare_scan(declaration, sort->counts, sort->starts, VKS_EACH_STEP, sorting->every);
}

/* What is wrong with a sorting, or NULL. */
static const char *wrong_with(const struct vks_declaration *declaration,
                              const struct vks_sorting *sorting)
{
    const struct vks_items *items = vks_find_items(declaration, sorting->items);
    const int key = vks_find_field(declaration, sorting->key);
    if (!items) {
        return "are sorted but not declared";
    }
    if (items->sorted) {
        return "are sorted twice";
    }
    if (declaration->slab.count > 1 && !sorting->counted) {
        return "of one of several ranks have to be counted by the model";
    }
    if (key < 0 || declaration->fields[key].element != VKS_U32 || declaration->fields[key].items ||
        vks_field_count(&declaration->fields[key]) != items->room) {
        return "need a key of one uint32 each, in a field that is not one of items";
    }
    return sorting->bins == 0 || sorting->bins > max_count ? "need 1 to 2^31 bins" : NULL;
}

static bool is_of(const struct vks_declaration *declaration, const struct vks_field *field,
                  const char *items)
{
    return field->items && strcmp(field->items, vks_find_items(declaration, items)->name) == 0;
}

/* Moves every field of the items: fields of words, with the numbers as the last, in as few
 * dispatches as possible, with about equal numbers of fields. */
static void declare_places(struct vks_declaration *declaration, const struct sort_fields *sort)
{
    const size_t fields = declaration->field_count;
    const size_t number = (size_t)vks_find_field(declaration, sort->number);
    size_t *words = calloc(fields, sizeof(*words));
    size_t count = 0;
    if (!words) {
        vks_declaration_fail(declaration, vks_fail_memory());
    }
    for (size_t i = 0; i < fields && declaration->result == VKS_OK; i++) {
        const struct vks_field *field = &declaration->fields[i];
        if (!is_of(declaration, field, sort->sorting->items) || i == number) {
            continue;
        }
        if (field->element == VKS_U32X2) {
            declare_place2(declaration, i, sort);
        } else {
            words[count++] = i;
        }
        declare_restore(declaration, i, sort->sorting->items, sort->number);
    }
    if (declaration->result == VKS_OK) {
        words[count++] = number;
    }
    const size_t places = (count + PLACED_AT_ONCE - 1) / PLACED_AT_ONCE;
    for (size_t i = 0, from = 0; i < places && declaration->result == VKS_OK; i++) {
        const size_t to = (i + 1) * count / places;
        declare_place8(declaration, words + from, to - from, sort, to == count);
        from = to;
    }
    free(words);
}

/* Checks a sorting and names its fields. False: the declaration has failed. */
static bool describe(struct vks_declaration *declaration, const struct vks_sorting *sorting,
                     struct sort_fields *sort)
{
    if (!sorting->items || !sorting->key) {
        vks_declaration_fail(declaration,
                             vks_fail(VKS_ERROR_INTERNAL, "a sorting names no items, or no key"));
        return false;
    }
    const char *items = sorting->items;
    const char *wrong = wrong_with(declaration, sorting);
    if (declaration->result != VKS_OK) {
        return false;
    }
    if (wrong) {
        fail(declaration, "items", items, wrong);
        return false;
    }
    *sort = (struct sort_fields){
        .sorting = sorting,
        .params = {.count = (uint32_t)vks_find_items(declaration, items)->room,
                   .bins = (uint32_t)sorting->bins},
        .number = vks_declaration_name(declaration, "%s_number", items),
        .slots = vks_declaration_name(declaration, "%s.slots", items),
        .counts = vks_declaration_name(declaration, "%s.counts", items),
        .starts = vks_declaration_name(declaration, "%s.starts", items),
        .skips = declaration->slab.count > 1,
    };
    return declaration->result == VKS_OK;
}

void vks_declare_ranks(struct vks_declaration *declaration, const struct vks_sorting *sorting)
{
    struct sort_fields sort;
    if (describe(declaration, sorting, &sort)) {
        declare_rank_fields(declaration, &sort);
    }
}

void vks_declare_sorting(struct vks_declaration *declaration, const struct vks_sorting *sorting)
{
    struct sort_fields sort;
    if (!describe(declaration, sorting, &sort)) {
        return;
    }
    const char *items = sorting->items;
    vks_declare_numbers(declaration, items);
    const size_t fields = declaration->field_count;
    for (size_t i = 0; i < fields; i++) {
        struct vks_field *field = &declaration->fields[i];
        field->ping_pong = field->ping_pong || is_of(declaration, field, items);
    }
    vks_find_items(declaration, items)->sorted = true;
    declare_ranks(declaration, &sort);
    declare_places(declaration, &sort);
    if (declaration->result == VKS_OK) {
        /* Last, because the other moves use the old numbers. */
        declare_restore(declaration, (size_t)vks_find_field(declaration, sort.number), items,
                        sort.number);
    }
}
