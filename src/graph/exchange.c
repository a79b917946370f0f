/* SPDX-License-Identifier: MIT */
/* The exchange between ranks: copies of the neighbours' rows, before they are needed. Steps run in
 * pieces between two exchanges; within a piece nothing differs from a run on one rank. */
#include "graph/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/profile.h"
#include "base/task.h"
#include "graph/declaration.h"
#include "graph/migrate.h"
#include "graph/packet.h"
#include "ranks/slab.h"
#include "ranks/transport.h"

enum { MAX_EXCHANGED = 64 }; /* bits of struct crossing's parities */

/* A message begins with a header of the host's, then has the fields' rows, then items. These are
 * aligned for buffers' descriptors. */
enum { HEADER = 256 };

struct header {
    uint32_t items;
};

/* The copies to or from the messages of a turn, with these parities of the fields. */
struct crossing {
    struct crossing *next;
    uint64_t parities; /* a bit for each exchanged field */
    uint32_t turn;
    bool to_fields;
    struct vks_copies copies;
};

struct vks_exchanger {
    struct vks_transport *transport;
    struct vks_mail mail;
    bool stopped; /* all ranks have agreed to */
    struct vks_packets messages;
    uint64_t items_at[VKS_SIDES]; /* in messages */
    struct vks_pipeline copy;     /* none: commands copy */
    struct crossing *crossings;
    struct vks_migration *items; /* NULL: none */
    struct vks_more_room more;   /* .make NULL: a failure */
    uint32_t turn;
    uint64_t left; /* steps that the halos are still exact for */
};

/* --- declaration ------------------------------------------------------------------------------ */

static enum vks_result wrong_field(const char *name, const char *why)
{
    return vks_fail(VKS_ERROR_INTERNAL, "the exchange names '%s', %s", name, why);
}

uint32_t vks_row_axis(const struct vks_declaration *declaration, const struct vks_field *field)
{
    return declaration->grid[0] <= 1 && field->rank == 3 ? 1 : 0;
}

static bool has_all_rows(const struct vks_declaration *declaration, const struct vks_field *field)
{
    const bool volume = declaration->grid[0] > 1;
    return !field->whole && field->rank >= (volume ? 3 : 2) &&
           field->shape[vks_row_axis(declaration, field)] == declaration->grid[volume ? 0 : 1];
}

bool vks_is_split(const struct vks_declaration *declaration, const struct vks_field *field)
{
    return declaration->slab.count > 1 && has_all_rows(declaration, field);
}

struct vks_field vks_whole_field(const struct vks_declaration *declaration,
                                 const struct vks_field *field)
{
    struct vks_field whole = *field;
    if (vks_is_split(declaration, field)) {
        whole.shape[vks_row_axis(declaration, field)] = declaration->slab.whole;
    } else if (vks_is_shared(declaration, field)) {
        whole.shape[0] = vks_find_items(declaration, field->items)->count;
    }
    return whole;
}

bool vks_exchange_is_same(const struct vks_declaration *a, const struct vks_declaration *b)
{
    return a->exchange.reach == b->exchange.reach && a->exchange.grain == b->exchange.grain &&
           a->exchange.closed == b->exchange.closed && a->exchange.moves == b->exchange.moves;
}

void vks_declare_exchange(struct vks_declaration *declaration, const struct vks_exchange *exchange)
{
    size_t count = 0;
    if (declaration->scope) { /* a compound has not declared an exchange, and runs on one rank */
        return;
    }
    while (exchange->fields[count]) {
        count++;
    }
    if (exchange->reach == 0 || count > MAX_EXCHANGED) {
        vks_declaration_fail(declaration,
                             vks_fail(VKS_ERROR_INTERNAL,
                                      "an exchange has a reach of at least 1 and at most %d fields",
                                      MAX_EXCHANGED));
        return;
    }
    uint32_t *indices = vks_declaration_keep(declaration, (count + 1) * sizeof(*indices));
    if (!indices) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const int index = vks_find_field(declaration, exchange->fields[i]);
        const struct vks_field *field = index < 0 ? NULL : &declaration->fields[index];
        if (!field || !has_all_rows(declaration, field)) {
            vks_declaration_fail(declaration, wrong_field(exchange->fields[i],
                                                          field ? "which is not of the grid's shape"
                                                                : "which is not declared"));
            return;
        }
        indices[i] = (uint32_t)index;
    }
    declaration->exchange.fields = indices;
    declaration->exchange.count = count;
    declaration->exchange.reach = exchange->reach;
    declaration->exchange.grain = exchange->grain > 0 ? exchange->grain : 1;
    declaration->exchange.closed = exchange->closed;
    declaration->exchange.moves = exchange->moves;
    if (exchange->items) {
        vks_declare_migration(declaration, exchange->items, exchange->position);
    }
}

/* --- rows ------------------------------------------------------------------------------------- */

/* Bytes of a row of all planes of all exchanged fields. */
static uint64_t all_bytes(const struct vks_declaration *declaration)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < declaration->exchange.count; i++) {
        const struct vks_field *field = &declaration->fields[declaration->exchange.fields[i]];
        bytes += vks_field_bytes(field) / field->shape[vks_row_axis(declaration, field)];
    }
    return bytes;
}

double vks_exchange_row_bytes(const struct vks_declaration *declaration)
{
    const char *name = declaration->exchange.items;
    const struct vks_items *items = name ? vks_find_items(declaration, name) : NULL;
    const double per_row = items ? (double)items->count / declaration->slab.whole : 0;
    return (double)all_bytes(declaration) + per_row * (double)vks_shared_item_bytes(declaration);
}

/* Adds the copies of those rows of a field's planes, to messages or from them. */
static enum vks_result add_rows(struct vks_graph *graph, struct crossing *crossing, uint32_t field,
                                uint64_t first, uint64_t rows, struct vks_pieces_at *message)
{
    const uint64_t row = vks_row_bytes(graph, field), planes = vks_row_planes(graph, field);
    const uint64_t length = vks_slab_length(&graph->declaration.slab, 0);
    const bool to_fields = crossing->to_fields;
    enum vks_result result = VKS_OK;
    for (uint64_t plane = 0; plane < planes && result == VKS_OK; plane++) {
        const struct vks_pieces_at place = {&graph->pieces[2 * field + graph->parity[field]],
                                            row * (plane * length + first)};
        result = vks_copies_add(&crossing->copies, to_fields ? *message : place,
                                to_fields ? place : *message, row * rows);
        message->at += row * rows;
    }
    return result;
}

/* Adds the copies of the own rows that are the neighbours' halos to messages, or of messages to the
 * own halos. */
static enum vks_result add_copies(struct vks_graph *graph, struct crossing *crossing)
{
    const struct vks_declaration *declaration = &graph->declaration;
    struct vks_exchanger *exchange = graph->exchanger;
    const struct vks_slab *slab = &declaration->slab;
    const uint32_t rows[VKS_SIDES] = {slab->before, slab->after};
    const uint32_t end = slab->before + slab->rows;
    const uint32_t own[VKS_SIDES] = {slab->before, end - slab->after};
    const uint32_t halo[VKS_SIDES] = {0, end};
    const bool to_fields = crossing->to_fields;
    enum vks_result result = VKS_OK;
    for (size_t side = 0; side < VKS_SIDES; side++) {
        const struct vks_packet *messages = to_fields ? exchange->messages.received[crossing->turn]
                                                      : exchange->messages.sent[crossing->turn];
        const struct vks_pieces buffer = {&messages[side].buffer, 1};
        struct vks_pieces_at message = {&buffer, HEADER};
        for (size_t i = 0; i < declaration->exchange.count && result == VKS_OK && rows[side] > 0;
             i++) {
            result = add_rows(graph, crossing, declaration->exchange.fields[i],
                              to_fields ? halo[side] : own[side], rows[side], &message);
        }
    }
    return result == VKS_OK ? vks_copies_bind(&crossing->copies) : result;
}

/* The copies of this turn, made when they are first needed. */
static enum vks_result find_crossing(struct vks_graph *graph, bool to_fields,
                                     struct crossing **found)
{
    struct vks_exchanger *exchange = graph->exchanger;
    uint64_t parities = 0;
    for (size_t i = 0; i < graph->declaration.exchange.count; i++) {
        const uint64_t parity = graph->parity[graph->declaration.exchange.fields[i]];
        parities |= parity << i;
    }
    for (struct crossing *at = exchange->crossings; at; at = at->next) {
        if (at->parities == parities && at->turn == exchange->turn && at->to_fields == to_fields) {
            *found = at;
            return VKS_OK;
        }
    }
    struct crossing *made = calloc(1, sizeof(*made));
    if (!made) {
        return vks_fail_memory();
    }
    *made = (struct crossing){.next = exchange->crossings,
                              .parities = parities,
                              .turn = exchange->turn,
                              .to_fields = to_fields,
                              .copies = {.gpu = graph->gpu, .pipeline = &exchange->copy}};
    exchange->crossings = *found = made;
    return add_copies(graph, made);
}

/* --- running ---------------------------------------------------------------------------------- */

/* Where the items of a message are, behind rows of that size. */
static uint64_t items_at(uint64_t rows)
{
    return HEADER + (rows + HEADER - 1) / HEADER * HEADER;
}

/* The copies of the items of a message. */
static enum vks_result bind_items(struct vks_graph *graph, uint32_t turn, uint32_t side)
{
    struct vks_exchanger *exchange = graph->exchanger;
    const struct vks_packet *sent = &exchange->messages.sent[turn][side];
    const struct vks_packet *received = &exchange->messages.received[turn][side];
    const struct vks_pieces to = {&sent->buffer, 1}, from = {&received->buffer, 1};
    const uint64_t at = exchange->items_at[side];
    return exchange->items && sent->bytes > 0
               ? vks_migration_bind(graph, exchange->items, &exchange->copy, turn, side,
                                    &(struct vks_pieces_at){&to, at},
                                    &(struct vks_pieces_at){&from, at})
               : VKS_OK;
}

enum vks_result vks_graph_join(struct vks_graph *graph, struct vks_transport *transport)
{
    const struct vks_slab *slab = &graph->declaration.slab;
    if (vks_slab_halo(slab) < graph->declaration.exchange.reach) {
        return vks_fail(VKS_ERROR_USAGE, "a step reads %u rows of neighbours, halos have %u",
                        graph->declaration.exchange.reach, vks_slab_halo(slab));
    }
    struct vks_exchanger *exchange = calloc(1, sizeof(*exchange));
    if (!exchange) {
        return vks_fail_memory();
    }
    graph->exchanger = exchange;
    exchange->transport = transport;
    enum vks_result result = vks_migration_create(graph, &exchange->items);
    const uint64_t row = all_bytes(&graph->declaration);
    const uint64_t rows[VKS_SIDES] = {slab->before * row, slab->after * row};
    for (uint32_t side = 0; side < VKS_SIDES && result == VKS_OK; side++) {
        const bool has_neighbour = (side == VKS_BEFORE ? slab->before : slab->after) > 0;
        exchange->items_at[side] = items_at(rows[side]);
        exchange->mail.bytes[side] =
            has_neighbour ? exchange->items_at[side] + vks_migration_bytes(exchange->items) : 0;
    }
    if (result == VKS_OK) {
        result = transport->open(transport->user, &exchange->mail);
    }
    bool copied = false;
    if (result == VKS_OK) {
        result = vks_packets_create(graph->gpu, &exchange->mail, &exchange->messages, &copied);
    }
    if (result == VKS_OK && graph->gpu->copies_by_shader && !copied) {
        result = vks_copy_pipeline(graph->gpu, &exchange->copy);
    }
    for (uint32_t i = 0; i < VKS_TURNS * VKS_SIDES && result == VKS_OK; i++) {
        result = bind_items(graph, i / VKS_SIDES, i % VKS_SIDES);
    }
    return result;
}

void vks_exchange_destroy(struct vks_graph *graph)
{
    struct vks_exchanger *exchange = graph->exchanger;
    while (exchange && exchange->crossings) {
        struct crossing *crossing = exchange->crossings;
        exchange->crossings = crossing->next;
        vks_copies_clear(&crossing->copies);
        free(crossing);
    }
    if (exchange) {
        vks_packets_destroy(graph->gpu, &exchange->messages);
        vks_migration_destroy(exchange->items);
        vks_pipeline_destroy(graph->gpu, &exchange->copy);
        exchange->transport->close(exchange->transport->user, &exchange->mail);
    }
    free(exchange);
}

/* Of a message to or from a side with that many items, or as many as fit. */
static size_t used_bytes(const struct vks_exchanger *exchange, uint32_t side, uint32_t items)
{
    const uint64_t most = vks_migration_bytes(exchange->items);
    const uint64_t bytes = items * vks_migration_item_bytes(exchange->items);
    return exchange->mail.bytes[side] > 0 ? exchange->items_at[side] + (bytes < most ? bytes : most)
                                          : 0;
}

/* Messages with that many items which the host copies, to the transport's memory or from it. */
static enum vks_result copy_messages(struct vks_graph *graph,
                                     const struct vks_packet messages[VKS_SIDES], bool received,
                                     const uint32_t items[VKS_SIDES])
{
    enum vks_result result = VKS_OK;
    for (uint32_t side = 0; side < VKS_SIDES && result == VKS_OK; side++) {
        if (messages[side].bytes > 0) {
            result = vks_packet_copy(graph->gpu, &messages[side], received, HEADER,
                                     used_bytes(graph->exchanger, side, items[side]) - HEADER);
        }
    }
    return result;
}

/* What the device copies to messages, or from them. */
struct crossed {
    struct vks_graph *graph;
    struct crossing *rows;
    uint32_t items[VKS_SIDES];
};

static void record_crossed(void *user, VkCommandBuffer commands)
{
    const struct crossed *crossed = user;
    struct vks_exchanger *exchange = crossed->graph->exchanger;
    const bool received = crossed->rows->to_fields;
    vks_copies_record(&crossed->rows->copies, commands);
    if (exchange->items) {
        vks_migration_record(exchange->items, commands, received, exchange->turn, crossed->items);
    }
    if (exchange->items && received) {
        vks_migration_set(crossed->graph, exchange->items, commands, crossed->items);
    }
}

/* Copies the rows and items for the neighbours to the messages. */
static enum vks_result write_messages(struct vks_graph *graph, uint32_t items[VKS_SIDES])
{
    struct vks_exchanger *exchange = graph->exchanger;
    const struct vks_packet *messages = exchange->messages.sent[exchange->turn];
    struct crossed crossed = {.graph = graph};
    enum vks_result result =
        exchange->items ? vks_migration_leave(graph, exchange->items, items) : VKS_OK;
    memcpy(crossed.items, items, sizeof(crossed.items));
    if (result == VKS_OK) {
        result = find_crossing(graph, false, &crossed.rows);
    }
    if (result == VKS_OK) { /* which waits for the copies of the last exchange, too */
        result = vks_transfer(graph, record_crossed, &crossed);
    }
    if (result == VKS_OK) {
        result = copy_messages(graph, messages, false, crossed.items);
    }
    for (uint32_t side = 0; side < VKS_SIDES && result == VKS_OK; side++) {
        if (messages[side].bytes > 0) {
            *(struct header *)messages[side].memory = (struct header){crossed.items[side]};
        }
    }
    return result;
}

/* Copies the messages of the neighbours, with that many items, to the fields. */
static enum vks_result read_messages(struct vks_graph *graph, const uint32_t items[VKS_SIDES])
{
    struct vks_exchanger *exchange = graph->exchanger;
    struct crossed crossed = {graph, NULL, {items[VKS_BEFORE], items[VKS_AFTER]}};
    enum vks_result result =
        copy_messages(graph, exchange->messages.received[exchange->turn], true, crossed.items);
    if (result == VKS_OK) {
        result = find_crossing(graph, true, &crossed.rows);
    }
    if (result == VKS_OK) {
        result = vks_start_transfer(graph, record_crossed, &crossed, NULL);
    }
    return result == VKS_OK && exchange->items
               ? vks_run_once(graph, VKS_AFTER_EXCHANGE, NULL, NULL, VK_NULL_HANDLE, VK_NULL_HANDLE)
               : result;
}

/* Makes room on all ranks if one of them needs more. *made: the graph has it now. */
static enum vks_result make_room(struct vks_graph *graph, uint64_t crowding, bool *made)
{
    const struct vks_exchanger *exchange = graph->exchanger;
    const struct vks_transport *transport = exchange->transport;
    enum vks_result result = transport->combine(transport->user, VKS_HIGHEST, &crowding, 1);
    *made = false;
    if (result != VKS_OK || crowding <= graph->declaration.slab.crowding) {
        return result;
    }
    *made = exchange->more.make && crowding <= UINT32_MAX / 2;
    return *made ? exchange->more.make(exchange->more.user, (uint32_t)crowding)
                 : vks_fail(VKS_ERROR_USAGE, "a rank has too little room for its %s",
                            graph->declaration.exchange.items);
}

static void record_undo(void *user, VkCommandBuffer commands)
{
    const struct vks_graph *graph = user;
    vks_migration_undo(graph, graph->exchanger->items, commands);
}

static enum vks_result trade(struct vks_graph *graph)
{
    struct vks_exchanger *exchange = graph->exchanger;
    const struct vks_transport *transport = exchange->transport;
    uint32_t sent[VKS_SIDES] = {0}, received[VKS_SIDES] = {0};
    bool made = false;
    exchange->turn = (exchange->turn + 1) % VKS_TURNS;
    enum vks_result result = write_messages(graph, sent);
    for (uint32_t side = 0; side < VKS_SIDES; side++) {
        exchange->mail.used[side] = used_bytes(exchange, side, sent[side]);
    }
    if (result == VKS_OK) {
        exchange->stopped = vks_interrupt_wanted();
        result =
            transport->trade(transport->user, &exchange->mail, exchange->turn, &exchange->stopped);
    }
    for (uint32_t side = 0; side < VKS_SIDES && result == VKS_OK; side++) {
        const struct vks_packet *packet = &exchange->messages.received[exchange->turn][side];
        received[side] = packet->bytes > 0 ? ((const struct header *)packet->memory)->items : 0;
    }
    if (result == VKS_OK && exchange->items) {
        result =
            make_room(graph, vks_migration_crowding(graph, exchange->items, sent, received), &made);
    }
    if (result == VKS_OK && made) {
        result = vks_transfer(graph, record_undo, graph);
        return result == VKS_OK ? trade(graph) : result;
    }
    return result == VKS_OK ? read_messages(graph, received) : result;
}

enum vks_result vks_graph_end_together(struct vks_graph *graph, enum vks_result result)
{
    if (result != VKS_OK && result != VKS_INTERRUPTED && graph->exchanger) {
        const struct vks_transport *transport = graph->exchanger->transport;
        transport->fail(transport->user, vks_error_text());
    }
    return result;
}

static enum vks_result renew(struct vks_graph *graph)
{
    const struct vks_declaration *declaration = &graph->declaration;
    enum vks_result result = vks_migration_check(graph, graph->exchanger->items);
    if (result != VKS_OK) {
        return result;
    }
    vks_phase_begin(VKS_PHASE_EXCHANGE);
    result = vks_graph_end_together(graph, trade(graph));
    vks_phase_end();
    if (result == VKS_OK) {
        graph->exchanger->left = declaration->exchange.moves ? 1
                                                             : vks_slab_halo(&declaration->slab) /
                                                                   declaration->exchange.reach;
    }
    return result;
}

enum vks_result vks_graph_refresh(struct vks_graph *graph, uint32_t rows)
{
    const struct vks_exchanger *exchange = graph->exchanger;
    return exchange && exchange->left * graph->declaration.exchange.reach < rows ? renew(graph)
                                                                                 : VKS_OK;
}

enum vks_result vks_exchange_due(struct vks_graph *graph, uint64_t *steps)
{
    struct vks_exchanger *exchange = graph->exchanger;
    if (!exchange) {
        return VKS_OK;
    }
    if (exchange->left == 0) {
        const enum vks_result result = renew(graph);
        if (result != VKS_OK) {
            return result;
        }
        exchange = graph->exchanger; /* it may have got more room */
    }
    if (exchange->stopped) { /* perhaps when the halos were refreshed */
        vks_interrupt_agreed();
        return vks_fail(VKS_INTERRUPTED, "interrupted");
    }
    *steps = *steps < exchange->left ? *steps : exchange->left;
    return VKS_OK;
}

void vks_exchange_passed(struct vks_graph *graph, uint64_t steps)
{
    if (graph->exchanger) {
        graph->exchanger->left -= steps;
    }
}

void vks_exchange_restart(struct vks_graph *graph)
{
    vks_exchange_needed(graph);
    if (graph->exchanger) {
        vks_migration_restart(graph->exchanger->items);
    }
}

void vks_exchange_stop(struct vks_graph *graph)
{
    graph->exchanger->stopped = true;
}

void vks_exchange_needed(struct vks_graph *graph)
{
    if (graph->exchanger) {
        graph->exchanger->left = 0;
    }
}

void vks_graph_on_crowding(struct vks_graph *graph, const struct vks_more_room *more)
{
    graph->exchanger->more = *more;
}

void vks_exchange_inherit(struct vks_graph *graph, const struct vks_graph *from)
{
    graph->exchanger->more = from->exchanger->more;
    graph->exchanger->stopped = from->exchanger->stopped;
    vks_migration_inherit(graph->exchanger->items, from->exchanger->items);
}

enum vks_result vks_exchange_placed(struct vks_graph *graph, bool *again)
{
    const struct vks_exchanger *exchange = graph->exchanger;
    uint64_t crowding = 0;
    if (!exchange || !exchange->items) {
        return VKS_OK;
    }
    enum vks_result result = vks_migration_placed(graph, exchange->items, &crowding);
    if (result == VKS_OK) {
        result = make_room(graph, crowding, again);
    }
    return vks_graph_end_together(graph, result);
}

enum vks_result vks_exchange_note(struct vks_graph *graph, struct vks_relocation *relocation)
{
    return graph->exchanger ? vks_migration_note(graph, graph->exchanger->items, relocation)
                            : VKS_OK;
}

enum vks_result vks_exchange_relocate(struct vks_graph *graph, struct vks_relocation *relocation)
{
    bool made;
    if (!relocation->own) {
        return VKS_OK;
    }
    enum vks_result result = vks_migration_relocate(graph, graph->exchanger->items, relocation);
    if (result == VKS_OK && relocation->moved) {
        result = make_room(
            graph, vks_migration_relocation_crowding(graph, graph->exchanger->items, relocation),
            &made);
    }
    if (result == VKS_OK && relocation->moved) {
        vks_exchange_needed(graph);
        result = vks_migration_put(graph, graph->exchanger->items, relocation);
    }
    return vks_graph_end_together(graph, result);
}

/* --- fields of all ranks ---------------------------------------------------------------------- */

const struct vks_transport *vks_graph_transport(const struct vks_graph *graph)
{
    return graph->exchanger ? graph->exchanger->transport : NULL;
}

static enum vks_result not_joined(const char *field)
{
    return vks_fail(VKS_ERROR_INTERNAL, "'%s' is read before the ranks have joined", field);
}

enum { PART = 4 << 20 }; /* bytes that are handed at once */

struct sink {
    vks_bytes_fn *bytes;
    void *user;
};

/* Hands the own rows of a plane to the sink of rank 0, whose memory `part` has room for PART. */
static enum vks_result download_plane(struct vks_graph *ranks, struct vks_graph *graph, int field,
                                      uint64_t plane, void *part, const struct sink *sink)
{
    const struct vks_slab *slab = &ranks->declaration.slab;
    const struct vks_transport *transport = ranks->exchanger->transport;
    const uint64_t row = vks_row_bytes(graph, (uint32_t)field);
    const uint64_t own = row * (plane * vks_slab_length(slab, 0) + slab->before);
    enum vks_result result = VKS_OK;
    for (uint32_t rank = 0; rank < slab->count && result == VKS_OK; rank++) {
        const uint32_t grain = ranks->declaration.exchange.grain;
        const uint64_t first = vks_slab_first(slab->whole, grain, rank, slab->count);
        const uint64_t end = vks_slab_first(slab->whole, grain, rank + 1, slab->count);
        for (uint64_t at = 0, bytes = (end - first) * row; at < bytes && result == VKS_OK;
             at += PART) {
            const size_t size = bytes - at < PART ? (size_t)(bytes - at) : PART;
            void *data = part;
            if (rank == slab->index) {
                result = vks_download_part(graph, field, own + at, size, &data);
            }
            if (rank > 0 && result == VKS_OK) {
                result = transport->hand(transport->user, rank, data, size);
            }
            if (slab->index == 0 && result == VKS_OK) {
                result = sink->bytes(sink->user, data, size);
            }
        }
    }
    return result;
}

/* Hands the own rows of all ranks, which have joined, to the sink of rank 0. */
static enum vks_result download_rows(struct vks_graph *ranks, struct vks_graph *graph, int field,
                                     vks_bytes_fn *sink, void *user)
{
    const bool collects = ranks->declaration.slab.index == 0;
    const uint64_t planes = vks_row_planes(graph, (uint32_t)field);
    void *part = collects ? malloc(PART) : NULL;
    enum vks_result result = !ranks->exchanger   ? not_joined(graph->declaration.fields[field].name)
                             : collects && !part ? vks_fail_memory()
                                                 : VKS_OK;
    for (uint64_t plane = 0; plane < planes && result == VKS_OK; plane++) {
        result = download_plane(ranks, graph, field, plane, part, &(struct sink){sink, user});
    }
    free(part);
    return vks_graph_end_together(ranks, result);
}

enum vks_result vks_download_slabs(struct vks_graph *graph, int field, vks_bytes_fn *sink,
                                   void *user)
{
    return download_rows(graph, graph, field, sink, user);
}

enum vks_result vks_graph_download_own(struct vks_graph *graph, const char *name, void *data)
{
    const int field = vks_find_field(&graph->declaration, name);
    const struct vks_slab *slab = &graph->declaration.slab;
    const uint64_t row = vks_row_bytes(graph, (uint32_t)field), bytes = slab->rows * row;
    const uint64_t planes = vks_row_planes(graph, (uint32_t)field);
    enum vks_result result = VKS_OK;
    for (uint64_t plane = 0; plane < planes && result == VKS_OK; plane++) {
        const uint64_t first = plane * vks_slab_length(slab, 0) + slab->before;
        result = vks_download_bytes(graph, field, first * row, bytes, (char *)data + plane * bytes);
    }
    return result;
}

enum vks_result vks_graph_download_rows(struct vks_graph *graph, const char *field, void *data)
{
    unsigned char *at = data;
    return download_rows(graph->from, graph, vks_find_field(&graph->declaration, field),
                         vks_append_bytes, &at);
}

enum vks_result vks_graph_begin_reading(struct vks_graph *graph)
{
    enum vks_result result = VKS_OK;
    if (!graph->exchanger || !graph->exchanger->items) {
        return VKS_OK;
    }
    result = vks_migration_check(graph, graph->exchanger->items);
    if (result == VKS_OK && graph->declaration.exchange.moves) { /* those that have left */
        result = vks_graph_refresh(graph, graph->declaration.exchange.reach);
    }
    return result == VKS_OK
               ? vks_graph_end_together(graph, vks_migration_order(graph, graph->exchanger->items))
               : result;
}

void vks_graph_end_reading(struct vks_graph *graph)
{
    if (graph->exchanger) {
        vks_migration_end_order(graph->exchanger->items);
    }
}

enum vks_result vks_exchange_download(struct vks_graph *graph, int field, vks_bytes_fn *sink,
                                      void *user)
{
    const struct vks_migration *items = graph->exchanger ? graph->exchanger->items : NULL;
    const bool alone = items && !vks_migration_is_ordered(items); /* no other field is read */
    enum vks_result result = !items  ? not_joined(graph->declaration.fields[field].name)
                             : alone ? vks_graph_begin_reading(graph)
                                     : VKS_OK;
    if (result == VKS_OK) {
        items = graph->exchanger->items; /* which may have got more room */
        result =
            vks_graph_end_together(graph, vks_migration_download(graph, items, field, sink, user));
    }
    if (alone) {
        vks_graph_end_reading(graph);
    }
    return result;
}

enum vks_result vks_exchange_upload(struct vks_graph *graph, int field, const void *data)
{
    bool made;
    if (!graph->exchanger) {
        return not_joined(graph->declaration.fields[field].name);
    }
    const uint64_t crowding =
        vks_migration_upload_crowding(graph, graph->exchanger->items, field, data);
    enum vks_result result = make_room(graph, crowding, &made);
    if (result == VKS_OK) {
        result = vks_migration_upload(graph, graph->exchanger->items, field, data);
    }
    return vks_graph_end_together(graph, result);
}
