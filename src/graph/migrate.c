/* SPDX-License-Identifier: MIT */
/* Items on several ranks. Each rank has the items in its rows and copies of those in its halos, in
 * no order. In an exchange it drops what is not its own and gets new copies. No message says that
 * an item has moved to another rank: that one has computed it, too. Where items move, there are no
 * copies, and an exchange hands on those that have left. Own items stay where they are in memory,
 * so that neighbours remain neighbours. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/exact.h"
#include "base/memory.h"
#include "core/migrate.h"
#include "graph/declaration.h"
#include "graph/migrate.h"
#include "ranks/slab.h"
#include "ranks/transport.h"

enum {
    PAIR_WORDS = 4, /* fields of one word besides a place of two, */
    MAX_WORDS = 10, /* and besides one of one */
    MOVED = 4,      /* times the items of a message: others' copies, and own items that left */
    GROUP = 256,    /* invocations */
    PER_LANE = 16,  /* items of an invocation of core/leave */
};

_Static_assert(MIGRATE_WORDS == (unsigned)VKS_ALIVE_WORDS, "shaders have the same words");

static const char *const message_names[2][VKS_SIDES] = {{"%s.to_before", "%s.to_after"},
                                                        {"%s.from_before", "%s.from_after"}};

struct vks_migration {
    uint32_t alive, position, numbers; /* fields */
    uint32_t messages[2][VKS_SIDES];   /* fields: to the neighbours, and from them */
    uint64_t room, message_room;       /* items */
    uint64_t bytes;                    /* of an item in a message */
    size_t place_words;
    uint64_t stored, dropped; /* before the exchange: all items in memory, and those not own */
    bool *stale; /* per field: is of other items since positions were written; NULL: none */
    struct vks_item_order *order; /* while fields are read; NULL: none */
    struct vks_copies copies[2][VKS_TURNS][VKS_SIDES];
};

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* --- declaration ------------------------------------------------------------------------------ */

/* Items in `rows` of all rows, with a reserve for the places where they crowd. */
static uint64_t reserve(const struct vks_slab *slab, uint64_t count, uint32_t rows)
{
    const double share = (double)rows / slab->whole * (double)count;
    const double room = share * 1.25 * slab->crowding + 4096 * slab->crowding;
    return room < (double)count ? (uint64_t)room : count;
}

uint64_t vks_room_for(const struct vks_slab *slab, uint64_t count)
{
    return slab->count > 1 ? reserve(slab, count, vks_slab_length(slab, 0)) : count;
}

/* Of an item's place. */
static uint32_t place_words(const struct vks_declaration *declaration)
{
    const struct vks_field *place = &declaration->fields[declaration->exchange.position];
    return (uint32_t)vks_element_bytes(place->element) / 4;
}

/* The fields of the items but for their position; false: a failure. */
static bool list_words(struct vks_declaration *declaration, const struct vks_items *items,
                       const char *position, const char *words[MAX_WORDS], uint32_t *count)
{
    const uint32_t most = place_words(declaration) > 1 ? PAIR_WORDS : MAX_WORDS;
    bool listed = true;
    *count = 0;
    for (size_t i = 0; i < declaration->field_count && listed; i++) {
        const struct vks_field *field = &declaration->fields[i];
        if (field->items && strcmp(field->items, items->name) == 0 &&
            strcmp(field->name, position) != 0) {
            listed = field->element != VKS_U32X2 && *count < most;
            words[listed ? (*count)++ : 0] = field->name;
        }
    }
    if (!listed) {
        vks_declaration_fail(declaration, vks_fail(VKS_ERROR_INTERNAL,
                                                   "items on several ranks have their position and "
                                                   "at most %u fields of one word",
                                                   most));
    }
    return listed && declaration->result == VKS_OK;
}

/* Declares fields of numbers of items, or of their words. */
static const char *declare_list(struct vks_declaration *declaration, const char *format,
                                const struct vks_items *items, uint64_t count)
{
    const char *name = vks_declaration_name(declaration, format, items->name);
    VKS_FIELD(declaration, .name = name, .element = VKS_U32, .rank = 1, .shape = {count});
    return name;
}

static void declare_passes(struct vks_declaration *declaration, const struct vks_items *items,
                           const char *position, uint64_t message_room)
{
    static const char *const bindings[MAX_WORDS] = {"items_0", "items_1", "items_2", "items_3",
                                                    "items_4", "items_5", "items_6", "items_7",
                                                    "items_8", "items_9"};
    const uint32_t place = place_words(declaration), most = place > 1 ? PAIR_WORDS : MAX_WORDS;
    const bool pairs = place > 1;
    const struct vks_slab *slab = &declaration->slab;
    const char *words[MAX_WORDS], *messages[2][VKS_SIDES];
    const uint64_t moved_room = smaller(MOVED * message_room, items->room);
    const uint64_t free_room = smaller(moved_room + VKS_SIDES * message_room, items->room);
    uint32_t count;
    if (!list_words(declaration, items, position, words, &count)) {
        return;
    }
    if (message_room * (place + count) > UINT32_MAX) { /* shaders number these words */
        vks_declaration_fail(declaration, vks_fail(VKS_ERROR_USAGE,
                                                   "ranks exchange too many %s at once; they have "
                                                   "to exchange more often",
                                                   items->name));
        return;
    }
    for (uint32_t i = 0; i < 2 * VKS_SIDES; i++) {
        messages[i / VKS_SIDES][i % VKS_SIDES] =
            declare_list(declaration, message_names[i / VKS_SIDES][i % VKS_SIDES], items,
                         message_room * (place + count));
    }
    const char *alive = declare_list(declaration, "%s_alive", items, MIGRATE_WORDS);
    const char *dropped = declare_list(declaration, "%s.dropped", items, moved_room);
    const char *moved = declare_list(declaration, "%s.moved", items, moved_room);
    const char *free_places = declare_list(declaration, "%s.free", items, free_room);
    const struct migrate_params params = {
        .message_room = (uint32_t)message_room,
        .moved_room = (uint32_t)moved_room,
        .side = slab->whole,
        .first = slab->first,
        .rows = slab->rows,
        .before = slab->before, /* the neighbours' halos have the size of the own */
        .after = slab->after,
    };
    struct vks_use leave[MAX_WORDS + 6] = {{position, VKS_READ, "place"},
                                           {alive, VKS_READ | VKS_ATOMIC, "alive"},
                                           {messages[0][VKS_BEFORE], VKS_WRITE, "to_before"},
                                           {messages[0][VKS_AFTER], VKS_WRITE, "to_after"},
                                           {dropped, VKS_WRITE, "dropped"}};
    struct vks_use arrive[MAX_WORDS + 7] = {{position, VKS_READ_WRITE, "place"},
                                            {alive, VKS_READ, "alive"},
                                            {messages[1][VKS_BEFORE], VKS_READ, "from_before"},
                                            {messages[1][VKS_AFTER], VKS_READ, "from_after"},
                                            {free_places, VKS_READ, "free"},
                                            {moved, VKS_READ, "moved"}};
    for (uint32_t i = 0; i < most; i++) {
        const char *word = words[i < count ? i : 0];
        leave[5 + i] = (struct vks_use){word, VKS_READ, bindings[i]};
        arrive[6 + i] = (struct vks_use){word, VKS_READ_WRITE, bindings[i]};
    }
    const double copied = 4.0 * (place + count) * (double)message_room;
    VKS_PASS(declaration, .name = vks_declaration_name(declaration, "%s: leave", items->name),
             .shader = pairs ? "core/leave" : "core/leave_words", .when = VKS_BEFORE_EXCHANGE,
             .uses = leave,
             .specializations =
                 VKS_SPECIALIZATIONS({"fields", count}, {"moves", declaration->exchange.moves}),
             VKS_PUSH(params), .items = {items->room}, .group = {GROUP, 1},
             .per_group = {PER_LANE * GROUP, 1}, .shared_bytes = 24,
             .bytes = 8 * (double)items->room);
    VKS_PASS(
        declaration, .name = vks_declaration_name(declaration, "%s: make room", items->name),
        .shader = pairs ? "core/make_room" : "core/make_room_words", .when = VKS_AFTER_EXCHANGE,
        .uses = VKS_USES({position, VKS_READ, "place"}, {alive, VKS_READ | VKS_ATOMIC, "alive"},
                         {dropped, VKS_READ, "dropped"}, {free_places, VKS_WRITE, "free"},
                         {moved, VKS_WRITE, "moved"}),
        VKS_PUSH(params), .items = {moved_room}, .group = {GROUP, 1}, .shared_bytes = 16,
        .bytes = 8 * (double)message_room);
    VKS_PASS(declaration, .name = vks_declaration_name(declaration, "%s: arrive", items->name),
             .shader = pairs ? "core/arrive" : "core/arrive_words", .when = VKS_AFTER_EXCHANGE,
             .uses = arrive, .specializations = VKS_SPECIALIZATIONS({"fields", count}),
             VKS_PUSH(params), .items = {free_room}, .bytes = 2 * copied);
}

void vks_declare_migration(struct vks_declaration *declaration, const char *name,
                           const char *position)
{
    const struct vks_items *items = vks_find_items(declaration, name);
    const int place = vks_find_field(declaration, position);
    const struct vks_slab *slab = &declaration->slab;
    if (!items || place < 0 ||
        declaration->fields[place].element != (declaration->exchange.moves ? VKS_U32 : VKS_U32X2) ||
        !declaration->fields[place].items ||
        strcmp(declaration->fields[place].items, items->name) != 0) {
        vks_declaration_fail(declaration,
                             vks_fail(VKS_ERROR_INTERNAL,
                                      "an exchange names items '%s' that are not declared, or are "
                                      "not at places '%s'",
                                      name, position));
        return;
    }
    declaration->exchange.items = items->name;
    declaration->exchange.position = (uint32_t)place;
    if (slab->count > 1) {
        const struct vks_items copy = *items;
        VKS_FIELD(declaration, .name = vks_declaration_name(declaration, "%s_number", name),
                  .element = VKS_U32, .rank = 1, .shape = {copy.room}, .items = name);
        declare_passes(
            declaration, &copy, position,
            reserve(slab, copy.count, declaration->exchange.moves ? 1 : 2 * vks_slab_halo(slab)));
    }
}

bool vks_is_shared(const struct vks_declaration *declaration, const struct vks_field *field)
{
    return declaration->slab.count > 1 && declaration->exchange.items && field->items &&
           strcmp(field->items, declaration->exchange.items) == 0;
}

uint64_t vks_shared_item_bytes(const struct vks_declaration *declaration)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < declaration->field_count; i++) {
        const struct vks_field *field = &declaration->fields[i];
        bytes += vks_is_shared(declaration, field) ? vks_element_bytes(field->element) : 0;
    }
    return bytes;
}

/* --- messages --------------------------------------------------------------------------------- */

enum vks_result vks_migration_create(struct vks_graph *graph, struct vks_migration **out)
{
    const struct vks_declaration *declaration = &graph->declaration;
    const char *items = declaration->exchange.items;
    struct vks_migration *migration = items ? calloc(1, sizeof(*migration)) : NULL;
    char name[300];
    *out = migration;
    if (!items) {
        return VKS_OK;
    }
    if (!migration) {
        return vks_fail_memory();
    }
    migration->position = declaration->exchange.position;
    migration->place_words = place_words(declaration);
    snprintf(name, sizeof(name), "%s_alive", items);
    migration->alive = (uint32_t)vks_find_field(declaration, name);
    snprintf(name, sizeof(name), "%s_number", items);
    migration->numbers = (uint32_t)vks_find_field(declaration, name);
    migration->bytes = vks_shared_item_bytes(declaration);
    for (uint32_t k = 0; k < 2 * VKS_SIDES; k++) {
        const uint32_t from = k / VKS_SIDES, side = k % VKS_SIDES;
        snprintf(name, sizeof(name), message_names[from][side], items);
        migration->messages[from][side] = (uint32_t)vks_find_field(declaration, name);
    }
    migration->room = vks_find_items(declaration, items)->room;
    migration->message_room =
        vks_field_bytes(&declaration->fields[migration->messages[0][0]]) / migration->bytes;
    return VKS_OK;
}

void vks_migration_destroy(struct vks_migration *migration)
{
    for (uint32_t k = 0; migration && k < 2 * VKS_TURNS * VKS_SIDES; k++) {
        vks_copies_clear(&migration->copies[k / (VKS_TURNS * VKS_SIDES)][k / VKS_SIDES % VKS_TURNS]
                                           [k % VKS_SIDES]);
    }
    if (migration) {
        free(migration->stale);
        vks_migration_end_order(migration);
    }
    free(migration);
}

uint64_t vks_migration_bytes(const struct vks_migration *migration)
{
    return migration ? migration->message_room * migration->bytes : 0;
}

uint64_t vks_migration_item_bytes(const struct vks_migration *migration)
{
    return migration ? migration->bytes : 0;
}

enum vks_result vks_migration_bind(struct vks_graph *graph, struct vks_migration *migration,
                                   const struct vks_pipeline *copy, uint32_t turn, uint32_t side,
                                   const struct vks_pieces_at *sent,
                                   const struct vks_pieces_at *received)
{
    enum vks_result result = VKS_OK;
    for (uint32_t from = 0; from < 2 && result == VKS_OK; from++) {
        struct vks_copies *copies = &migration->copies[from][turn][side];
        const uint32_t field = migration->messages[from][side];
        const struct vks_pieces_at own = {&graph->pieces[2 * field], 0};
        *copies = (struct vks_copies){.gpu = graph->gpu, .pipeline = copy};
        result = vks_copies_add(copies, from ? *received : own, from ? own : *sent,
                                migration->message_room * migration->bytes);
        if (result == VKS_OK) {
            result = vks_copies_bind(copies);
        }
    }
    return result;
}

/* The crowding with which there is room for `count` where there is for `room` now; if it rises then
 * by so much that it need not soon rise again. */
static uint64_t crowding_for(const struct vks_graph *graph, uint64_t count, uint64_t room)
{
    const uint64_t now = graph->declaration.slab.crowding;
    const uint64_t needed = (count * now + room - 1) / room + 1;
    return count <= room ? now : larger(needed, now + now / 2);
}

static enum vks_result read_words(struct vks_graph *graph, const struct vks_migration *migration,
                                  uint32_t words[MIGRATE_WORDS])
{
    void *data;
    const size_t bytes = MIGRATE_WORDS * sizeof(*words);
    const enum vks_result result = vks_download_part(graph, (int)migration->alive, 0, bytes, &data);
    if (result == VKS_OK) {
        memcpy(words, data, bytes);
    }
    return result;
}

void vks_migration_restart(struct vks_migration *migration)
{
    if (migration) {
        free(migration->stale);
        migration->stale = NULL;
    }
}

enum vks_result vks_migration_check(const struct vks_graph *graph,
                                    const struct vks_migration *migration)
{
    const struct vks_field *fields = graph->declaration.fields;
    for (size_t i = 0; migration && migration->stale && i < graph->declaration.field_count; i++) {
        if (migration->stale[i]) {
            return vks_fail(
                VKS_ERROR_USAGE,
                "'%s' is written, but '%s' is not written after it, which several ranks "
                "need: the %s may have moved to others",
                fields[migration->position].name, fields[i].name,
                graph->declaration.exchange.items);
        }
    }
    return VKS_OK;
}

enum vks_result vks_migration_leave(struct vks_graph *graph, struct vks_migration *migration,
                                    uint32_t sent[VKS_SIDES])
{
    void *data;
    const uint32_t *words = NULL;
    const enum vks_result result = vks_download_after(
        graph, VKS_BEFORE_EXCHANGE, (int)migration->alive, MIGRATE_WORDS * sizeof(*words), &data);
    if (result == VKS_OK) {
        words = data;
        sent[VKS_BEFORE] = words[MIGRATE_BEFORE];
        sent[VKS_AFTER] = words[MIGRATE_AFTER];
        migration->stored = words[MIGRATE_ALIVE];
        migration->dropped = words[MIGRATE_DROPPED];
    }
    return words && words[MIGRATE_LOST] > 0
               ? vks_fail(VKS_ERROR_GPU, "%s move too far in a step for several ranks",
                          graph->declaration.exchange.items)
               : result;
}

uint64_t vks_migration_crowding(const struct vks_graph *graph,
                                const struct vks_migration *migration,
                                const uint32_t sent[VKS_SIDES], const uint32_t received[VKS_SIDES])
{
    const uint64_t message = migration->message_room;
    const uint64_t all =
        migration->stored - migration->dropped + received[VKS_BEFORE] + received[VKS_AFTER];
    return larger(
        larger(crowding_for(graph, larger(sent[VKS_BEFORE], sent[VKS_AFTER]), message),
               crowding_for(graph, migration->dropped, smaller(MOVED * message, migration->room))),
        crowding_for(graph, all, migration->room));
}

enum vks_result vks_migration_placed(struct vks_graph *graph, const struct vks_migration *migration,
                                     uint64_t *crowding)
{
    uint32_t words[MIGRATE_WORDS] = {0};
    const enum vks_result result = read_words(graph, migration, words);
    *crowding = crowding_for(graph, words[MIGRATE_ALIVE], migration->room);
    return result;
}

void vks_migration_inherit(struct vks_migration *migration, struct vks_migration *from)
{
    migration->stored = from->stored;
    migration->stale = from->stale;
    from->stale = NULL;
}

void vks_migration_record(struct vks_migration *migration, VkCommandBuffer commands, bool from,
                          uint32_t turn, const uint32_t counts[VKS_SIDES])
{
    for (uint32_t side = 0; side < VKS_SIDES; side++) {
        vks_copies_record_first(&migration->copies[from][turn][side],
                                counts[side] * migration->bytes, commands);
    }
}

static void set_words(const struct vks_graph *graph, const struct vks_migration *migration,
                      VkCommandBuffer commands, const uint32_t words[MIGRATE_WORDS])
{
    const struct vks_piece piece = vks_piece_at(&graph->pieces[2 * migration->alive], 0);
    graph->gpu->vk.vkCmdUpdateBuffer(commands, piece.buffer, piece.offset,
                                     MIGRATE_WORDS * sizeof(*words), words);
}

void vks_migration_set(const struct vks_graph *graph, struct vks_migration *migration,
                       VkCommandBuffer commands, const uint32_t received[VKS_SIDES])
{
    const uint64_t own = migration->stored - migration->dropped;
    set_words(graph, migration, commands,
              (uint32_t[MIGRATE_WORDS]){
                  [MIGRATE_ALIVE] = (uint32_t)own + received[VKS_BEFORE] + received[VKS_AFTER],
                  [MIGRATE_WAS] = (uint32_t)migration->stored,
                  [MIGRATE_FROM_BEFORE] = received[VKS_BEFORE],
                  [MIGRATE_FROM_AFTER] = received[VKS_AFTER],
                  [MIGRATE_DROPPED_BEFORE] = (uint32_t)migration->dropped,
              });
}

void vks_migration_undo(const struct vks_graph *graph, struct vks_migration *migration,
                        VkCommandBuffer commands)
{
    set_words(graph, migration, commands,
              (uint32_t[MIGRATE_WORDS]){[MIGRATE_ALIVE] = (uint32_t)migration->stored});
}

/* --- fields of all ranks ---------------------------------------------------------------------- */

/* The first `count` elements of a field, in a heap array. */
static enum vks_result download_first(struct vks_graph *graph, uint32_t field, uint64_t count,
                                      void **out)
{
    const uint64_t bytes = count * vks_element_bytes(graph->declaration.fields[field].element);
    *out = malloc(bytes + 1);
    return *out ? vks_download_bytes(graph, (int)field, 0, bytes, *out) : vks_fail_memory();
}

/* The own items by blocks of consecutive numbers. */
struct vks_item_order {
    uint64_t held;      /* items in memory, with copies of others' */
    uint64_t size;      /* numbers of a block */
    uint64_t *starts;   /* of each block, and the end */
    uint32_t *numbers;  /* of the items */
    uint32_t *elements; /* where they are in memory */
};

void vks_migration_end_order(struct vks_migration *migration)
{
    struct vks_item_order *order = migration ? migration->order : NULL;
    if (order) {
        free(order->starts);
        free(order->numbers);
        free(order->elements);
        free(order);
        migration->order = NULL;
    }
}

/* Puts an element of some items that the rank has at their places in the block that begins with
 * that number. */
static enum vks_result place(const struct vks_graph *graph, char *whole, uint64_t first,
                             uint64_t size, const uint32_t *numbers, const char *elements,
                             uint64_t count, size_t element)
{
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t number = numbers[i] - first;
        if (number >= size) {
            return vks_fail(VKS_ERROR_INTERNAL, "%s have wrong numbers",
                            graph->declaration.exchange.items);
        }
        memcpy(whole + number * element, elements + i * element, element);
    }
    return VKS_OK;
}

/* The elements of a rank's items in a block, and in rank 0 those of all of them. */
struct block {
    uint64_t first, count;
    uint32_t *numbers; /* of another rank's */
    char *elements, *whole;
};

/* The own elements of a block, in the block's memory. */
static void take_own(const struct vks_item_order *order, const struct block *block,
                     const char *field, size_t element)
{
    const uint64_t at = order->starts[block->first / order->size];
    const uint64_t end = order->starts[block->first / order->size + 1];
    for (uint64_t i = at; i < end; i++) {
        memcpy(block->elements + (i - at) * element, field + order->elements[i] * element, element);
    }
}

/* Collects the elements of a block. */
static enum vks_result collect(struct vks_graph *graph, const struct vks_item_order *order,
                               struct block *block, const char *field, size_t element)
{
    const struct vks_transport *transport = vks_graph_transport(graph);
    const struct vks_slab *slab = &graph->declaration.slab;
    const uint64_t at = order->starts[block->first / order->size];
    const uint64_t end = order->starts[block->first / order->size + 1];
    const bool collects = slab->index == 0;
    uint64_t found = 0;
    enum vks_result result = VKS_OK;
    take_own(order, block, field, element);
    for (uint32_t rank = 0; rank < slab->count && result == VKS_OK; rank++) {
        uint64_t count = end - at;
        uint32_t *numbers = rank == slab->index ? order->numbers + at : block->numbers;
        if (rank > 0) {
            result = transport->hand(transport->user, rank, &count, sizeof(count));
        }
        if (result == VKS_OK && collects && count > block->count) {
            result = vks_fail(VKS_ERROR_INTERNAL, "rank %u has too many %s", rank,
                              graph->declaration.exchange.items);
        }
        if (rank > 0 && result == VKS_OK) {
            result = transport->hand(transport->user, rank, numbers, count * sizeof(*numbers));
        }
        if (rank > 0 && result == VKS_OK) {
            result = transport->hand(transport->user, rank, block->elements, count * element);
        }
        if (result == VKS_OK && collects) {
            found += count;
            result = place(graph, block->whole, block->first, block->count, numbers,
                           block->elements, count, element);
        }
    }
    return result == VKS_OK && collects && found != block->count
               ? vks_fail(VKS_ERROR_INTERNAL, "some %s are on no rank, or on two",
                          graph->declaration.exchange.items)
               : result;
}

static bool is_own(const struct vks_slab *slab, const uint32_t *place)
{
    return vks_high(*place, slab->whole) - slab->first < slab->rows;
}

/* Orders those of the rank's items that are in its own rows, which are exact there, unlike copies
 * of others'. */
static enum vks_result sort_own(const struct vks_graph *graph,
                                const struct vks_migration *migration, const uint32_t *places,
                                const uint32_t *numbers, uint64_t blocks,
                                struct vks_item_order *order)
{
    const struct vks_slab *slab = &graph->declaration.slab;
    const size_t words = migration->place_words;
    order->starts = calloc(blocks + 2, sizeof(*order->starts));
    order->numbers = malloc((order->held + 1) * sizeof(*order->numbers));
    order->elements = malloc((order->held + 1) * sizeof(*order->elements));
    if (!order->starts || !order->numbers || !order->elements) {
        return vks_fail_memory();
    }
    for (uint64_t i = 0; i < order->held; i++) {
        const uint64_t block = numbers[i] / order->size;
        if (block >= blocks) {
            return vks_fail(VKS_ERROR_INTERNAL, "%s have wrong numbers",
                            graph->declaration.exchange.items);
        }
        order->starts[block + 2] += is_own(slab, places + words * i);
    }
    for (uint64_t block = 0; block < blocks; block++) {
        order->starts[block + 2] += order->starts[block + 1];
    }
    for (uint64_t i = 0; i < order->held; i++) {
        if (is_own(slab, places + words * i)) {
            const uint64_t at = order->starts[numbers[i] / order->size + 1]++;
            order->numbers[at] = numbers[i];
            order->elements[at] = (uint32_t)i;
        }
    }
    return VKS_OK;
}

/* Blocks of an array that may be larger than the host's memory. */
static uint64_t block_size(uint64_t count)
{
    const uint64_t min_block = UINT64_C(1) << 22, most_blocks = 16;
    const uint64_t part = (count + most_blocks - 1) / most_blocks;
    return part > min_block ? part : smaller(min_block, count);
}

enum vks_result vks_migration_order(struct vks_graph *graph, struct vks_migration *migration)
{
    const struct vks_declaration *declaration = &graph->declaration;
    const uint64_t count = vks_find_items(declaration, declaration->exchange.items)->count;
    const uint64_t size = block_size(count);
    struct vks_item_order *order = migration->order = calloc(1, sizeof(*order));
    uint32_t words[MIGRATE_WORDS] = {0};
    void *places = NULL, *numbers = NULL;
    enum vks_result result = order ? read_words(graph, migration, words) : vks_fail_memory();
    if (result == VKS_OK) {
        order->held = words[MIGRATE_ALIVE];
        order->size = size;
        result = download_first(graph, migration->position, order->held, &places);
    }
    if (result == VKS_OK) {
        result = download_first(graph, migration->numbers, order->held, &numbers);
    }
    if (result == VKS_OK) {
        result = sort_own(graph, migration, places, numbers, (count + size - 1) / size, order);
    }
    free(places);
    free(numbers);
    if (result != VKS_OK) {
        vks_migration_end_order(migration);
    }
    return result;
}

bool vks_migration_is_ordered(const struct vks_migration *migration)
{
    return migration->order != NULL;
}

/* The most items of a rank in a block. */
static uint64_t most_own(const struct vks_item_order *order, uint64_t count)
{
    uint64_t most = 0;
    for (uint64_t block = 0; block * order->size < count; block++) {
        most = larger(most, order->starts[block + 1] - order->starts[block]);
    }
    return most;
}

enum vks_result vks_migration_download(struct vks_graph *graph,
                                       const struct vks_migration *migration, int field,
                                       vks_bytes_fn *sink, void *user)
{
    const struct vks_declaration *declaration = &graph->declaration;
    const struct vks_item_order *order = migration->order;
    const uint64_t count = vks_find_items(declaration, declaration->exchange.items)->count;
    const bool collects = declaration->slab.index == 0;
    const size_t element = vks_element_bytes(declaration->fields[field].element);
    struct block block = {0};
    void *elements = NULL;
    enum vks_result result = download_first(graph, (uint32_t)field, order->held, &elements);
    if (result == VKS_OK) {
        const uint64_t most = collects ? order->size : most_own(order, count);
        block.elements = malloc(most * element + 1);
        result = block.elements ? VKS_OK : vks_fail_memory();
    }
    if (result == VKS_OK && collects) {
        block.numbers = malloc(order->size * sizeof(*block.numbers));
        block.whole = malloc(order->size * element);
        result = block.numbers && block.whole ? VKS_OK : vks_fail_memory();
    }
    for (; block.first < count && result == VKS_OK; block.first += order->size) {
        block.count = smaller(order->size, count - block.first);
        result = collect(graph, order, &block, elements, element);
        if (result == VKS_OK && collects) {
            result = sink(user, block.whole, block.count * element);
        }
    }
    free(elements);
    free(block.numbers);
    free(block.elements);
    free(block.whole);
    return result;
}

size_t vks_upload_order(const struct vks_declaration *declaration, size_t i)
{
    const size_t position = declaration->exchange.position;
    const bool places_first = declaration->slab.count > 1 && declaration->exchange.items;
    return !places_first || i > position ? i : i == 0 ? position : i - 1;
}

/* Writes the first `count` elements of a field. */
static enum vks_result upload_first(struct vks_graph *graph, uint32_t field, uint64_t count,
                                    const void *data)
{
    return vks_upload_part(graph, (int)field, 0,
                           count * vks_element_bytes(graph->declaration.fields[field].element),
                           data);
}

/* The own ones of all places. */
static uint64_t count_own(const struct vks_graph *graph, const struct vks_migration *migration,
                          const uint32_t *places)
{
    const struct vks_declaration *declaration = &graph->declaration;
    const uint64_t count = vks_find_items(declaration, graph->declaration.exchange.items)->count;
    uint64_t own = 0;
    for (uint64_t i = 0; i < count; i++) {
        own += is_own(&declaration->slab, places + migration->place_words * i);
    }
    return own;
}

uint64_t vks_migration_upload_crowding(const struct vks_graph *graph,
                                       const struct vks_migration *migration, int field,
                                       const void *data)
{
    return (uint32_t)field == migration->position
               ? crowding_for(graph, count_own(graph, migration, data), migration->room)
               : 0;
}

/* Takes the items that are in the own rows. */
static enum vks_result upload_positions(struct vks_graph *graph, struct vks_migration *migration,
                                        const uint32_t *places)
{
    const struct vks_declaration *declaration = &graph->declaration;
    const struct vks_slab *slab = &declaration->slab;
    const uint64_t count = vks_find_items(declaration, graph->declaration.exchange.items)->count;
    const uint64_t most = count_own(graph, migration, places);
    uint32_t *numbers = malloc((most + 1) * sizeof(*numbers));
    const size_t words = migration->place_words;
    uint32_t *own = malloc((most + 1) * words * sizeof(*own));
    uint64_t kept = 0;
    enum vks_result result = numbers && own ? VKS_OK : vks_fail_memory();
    for (uint64_t i = 0; i < count && result == VKS_OK; i++) {
        if (is_own(slab, places + words * i)) {
            numbers[kept] = (uint32_t)i;
            memcpy(own + words * kept++, places + words * i, words * sizeof(*own));
        }
    }
    if (result == VKS_OK) {
        result = upload_first(graph, migration->position, kept, own);
    }
    if (result == VKS_OK) {
        result = upload_first(graph, migration->numbers, kept, numbers);
    }
    if (result == VKS_OK) {
        const uint32_t alive[MIGRATE_WORDS] = {[MIGRATE_ALIVE] = (uint32_t)kept};
        result = upload_first(graph, migration->alive, MIGRATE_WORDS, alive);
    }
    migration->stale = migration->stale
                           ? migration->stale
                           : calloc(declaration->field_count, sizeof(*migration->stale));
    result = result == VKS_OK && !migration->stale ? vks_fail_memory() : result;
    for (size_t i = 0; i < declaration->field_count && result == VKS_OK; i++) {
        migration->stale[i] = vks_is_shared(declaration, &declaration->fields[i]) &&
                              i != migration->numbers && i != migration->position;
    }
    free(numbers);
    free(own);
    return result;
}

enum vks_result vks_migration_upload(struct vks_graph *graph, struct vks_migration *migration,
                                     int field, const void *data)
{
    const struct vks_field *declared = &graph->declaration.fields[field];
    const size_t element = vks_element_bytes(declared->element);
    uint32_t words[MIGRATE_WORDS];
    void *numbers = NULL;
    char *own = NULL;
    if ((uint32_t)field == migration->position) {
        return upload_positions(graph, migration, data);
    }
    enum vks_result result = read_words(graph, migration, words);
    if (result == VKS_OK) {
        result = download_first(graph, migration->numbers, words[MIGRATE_ALIVE], &numbers);
    }
    if (result == VKS_OK) {
        own = malloc(words[MIGRATE_ALIVE] * element + 1);
        result = own ? VKS_OK : vks_fail_memory();
    }
    for (uint64_t i = 0; result == VKS_OK && i < words[MIGRATE_ALIVE]; i++) {
        const uint64_t number = ((const uint32_t *)numbers)[i];
        memcpy(own + i * element, (const char *)data + number * element, element);
    }
    if (result == VKS_OK) {
        result = upload_first(graph, (uint32_t)field, words[MIGRATE_ALIVE], own);
    }
    if (result == VKS_OK && migration->stale) {
        migration->stale[field] = false;
    }
    free(numbers);
    free(own);
    return result;
}

/* --- items that passes move to any rank ------------------------------------------------------- */

static bool places_items(const struct vks_graph *graph)
{
    bool places = false;
    for (size_t i = 0; i < graph->declaration.pass_count; i++) {
        const struct vks_pass *pass = &graph->declaration.passes[i];
        for (size_t j = 0; pass->when == VKS_WHEN_READY && j < pass->use_count; j++) {
            places = places || (pass->uses[j].index == graph->declaration.exchange.position &&
                                (pass->uses[j].access & VKS_WRITE) != 0);
        }
    }
    return places;
}

enum vks_result vks_migration_note(struct vks_graph *graph, const struct vks_migration *migration,
                                   struct vks_relocation *relocation)
{
    uint32_t words[MIGRATE_WORDS] = {0};
    void *places = NULL;
    if (!migration || !places_items(graph)) {
        return VKS_OK;
    }
    enum vks_result result = read_words(graph, migration, words);
    relocation->count = words[MIGRATE_ALIVE];
    if (result == VKS_OK) {
        result = download_first(graph, migration->position, relocation->count, &places);
    }
    relocation->own = calloc(relocation->count + 1, sizeof(*relocation->own));
    result = result == VKS_OK && !relocation->own ? vks_fail_memory() : result;
    for (uint64_t i = 0; i < relocation->count && result == VKS_OK; i++) {
        relocation->own[i] =
            is_own(&graph->declaration.slab, (const uint32_t *)places + migration->place_words * i);
    }
    free(places);
    return vks_graph_end_together(graph, result);
}

void vks_relocation_free(struct vks_relocation *relocation)
{
    for (size_t i = 0; i < VKS_COUNT(relocation->elements); i++) {
        free(relocation->elements[i]);
    }
    free(relocation->own);
    *relocation = (struct vks_relocation){0};
}

/* The fields of the items, and bytes of an element of each. */
struct columns {
    uint32_t fields[VKS_RELOCATED_FIELDS];
    size_t bytes[VKS_RELOCATED_FIELDS], count;
    size_t places; /* which of them */
};

static struct columns list_columns(const struct vks_graph *graph,
                                   const struct vks_migration *migration)
{
    const struct vks_declaration *declaration = &graph->declaration;
    struct columns columns = {0};
    for (uint32_t i = 0; i < declaration->field_count; i++) {
        if (vks_is_shared(declaration, &declaration->fields[i])) {
            columns.places = i == migration->position ? columns.count : columns.places;
            columns.bytes[columns.count] = vks_element_bytes(declaration->fields[i].element);
            columns.fields[columns.count++] = i;
        }
    }
    return columns;
}

/* Makes values[rank] that of this rank, for all ranks. */
static enum vks_result tell_all(const struct vks_transport *transport, const struct vks_slab *slab,
                                uint64_t value, uint64_t *values)
{
    enum vks_result result = VKS_OK;
    for (uint32_t at = 0; at < slab->count && result == VKS_OK; at += VKS_MAX_COMBINED) {
        const uint32_t left = slab->count - at;
        for (uint32_t i = 0; i < left && i < VKS_MAX_COMBINED; i++) {
            values[at + i] = at + i == slab->index ? value : 0;
        }
        result = transport->combine(transport->user, VKS_HIGHEST, values + at,
                                    left < VKS_MAX_COMBINED ? left : VKS_MAX_COMBINED);
    }
    return result;
}

/* Moves the items that stay to the front, and writes those that leave to `message`. */
static void divide(const struct vks_slab *slab, const struct columns *columns,
                   struct vks_relocation *relocation, char *message)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < relocation->count; i++) {
        const char *place = (const char *)relocation->elements[columns->places];
        const bool stays =
            is_own(slab, (const void *)(place + i * columns->bytes[columns->places]));
        for (size_t k = 0; k < columns->count && relocation->own[i]; k++) {
            const size_t bytes = columns->bytes[k];
            char *elements = relocation->elements[k];
            memmove(stays ? elements + kept * bytes : message, elements + i * bytes, bytes);
            message = stays ? message : message + bytes;
        }
        kept += relocation->own[i] && stays;
    }
    relocation->count = kept;
}

/* Appends the own items of a message. */
static enum vks_result append(const struct vks_slab *slab, const struct columns *columns,
                              struct vks_relocation *relocation, const char *message,
                              uint64_t bytes)
{
    uint64_t item = 0, place = 0, added = 0;
    for (size_t k = 0; k < columns->count; k++) {
        place = k == columns->places ? item : place;
        item += columns->bytes[k];
    }
    for (uint64_t at = 0; at < bytes; at += item) {
        added += is_own(slab, (const void *)(message + at + place));
    }
    for (size_t k = 0; k < columns->count; k++) {
        void *more =
            realloc(relocation->elements[k], (relocation->count + added + 1) * columns->bytes[k]);
        if (!more) {
            return vks_fail_memory();
        }
        relocation->elements[k] = more;
    }
    for (uint64_t at = 0; at < bytes; at += item) {
        const char *from = message + at;
        if (!is_own(slab, (const void *)(from + place))) {
            continue;
        }
        for (size_t k = 0; k < columns->count; k++) {
            const size_t size = columns->bytes[k];
            memcpy((char *)relocation->elements[k] + relocation->count * size, from, size);
            from += size;
        }
        relocation->count++;
    }
    return VKS_OK;
}

/* Trades the items that have left, that many bytes of them, with all ranks. */
static enum vks_result trade_with_all(struct vks_graph *graph, const struct columns *columns,
                                      uint64_t bytes, struct vks_relocation *relocation)
{
    const struct vks_transport *transport = vks_graph_transport(graph);
    const struct vks_slab *slab = &graph->declaration.slab;
    uint64_t *firsts = calloc(slab->count + 1, sizeof(*firsts));
    struct vks_shared_memory shared = {.firsts = firsts};
    enum vks_result result =
        firsts ? tell_all(transport, slab, bytes, firsts + 1) : vks_fail_memory();
    for (uint32_t rank = 0; rank < slab->count && result == VKS_OK; rank++) {
        firsts[rank + 1] += firsts[rank];
    }
    const bool opens = result == VKS_OK && firsts[slab->count] > 0;
    if (opens) {
        result = transport->open_shared(transport->user, &shared);
    }
    if (result == VKS_OK) {
        divide(slab, columns, relocation,
               opens ? (char *)shared.memory[0] + firsts[slab->index] : NULL);
    }
    if (result == VKS_OK && opens) {
        result = transport->share(transport->user, &shared, 0);
    }
    if (result == VKS_OK && opens) {
        result = append(slab, columns, relocation, shared.memory[0], firsts[slab->count]);
    }
    if (opens) {
        transport->close_shared(transport->user, &shared);
    }
    free(firsts);
    return result;
}

enum vks_result vks_migration_relocate(struct vks_graph *graph,
                                       const struct vks_migration *migration,
                                       struct vks_relocation *relocation)
{
    const struct vks_transport *transport = vks_graph_transport(graph);
    const struct columns columns = list_columns(graph, migration);
    uint64_t moved = 0, leaving = 0; /* with copies that have come to own rows */
    void **places = &relocation->elements[columns.places];
    enum vks_result result = download_first(graph, migration->position, relocation->count, places);
    for (uint64_t i = 0; i < relocation->count && result == VKS_OK; i++) {
        const bool own = is_own(&graph->declaration.slab,
                                (const uint32_t *)*places + migration->place_words * i);
        moved += own != relocation->own[i];
        leaving += relocation->own[i] && !own;
    }
    if (result == VKS_OK) {
        result = transport->combine(transport->user, VKS_SUM, &moved, 1);
    }
    relocation->moved = moved > 0;
    for (size_t k = 0; k < columns.count && result == VKS_OK && relocation->moved; k++) {
        result = k == columns.places ? VKS_OK
                                     : download_first(graph, columns.fields[k], relocation->count,
                                                      &relocation->elements[k]);
    }
    return result == VKS_OK && relocation->moved
               ? trade_with_all(graph, &columns, leaving * migration->bytes, relocation)
               : result;
}

uint64_t vks_migration_relocation_crowding(const struct vks_graph *graph,
                                           const struct vks_migration *migration,
                                           const struct vks_relocation *relocation)
{
    return crowding_for(graph, relocation->count, migration->room);
}

enum vks_result vks_migration_put(struct vks_graph *graph, const struct vks_migration *migration,
                                  const struct vks_relocation *relocation)
{
    const struct columns columns = list_columns(graph, migration);
    const uint32_t alive[MIGRATE_WORDS] = {[MIGRATE_ALIVE] = (uint32_t)relocation->count};
    enum vks_result result = upload_first(graph, migration->alive, MIGRATE_WORDS, alive);
    for (size_t k = 0; k < columns.count && result == VKS_OK; k++) {
        result = upload_first(graph, columns.fields[k], relocation->count, relocation->elements[k]);
    }
    return result;
}
