/* SPDX-License-Identifier: MIT */
/* Meetings of ranks between passes. A batch with meetings is submitted in parts: the device copies
 * what others need to the transport's memory at the end of one, the host trades, and the next part
 * begins with the copies back. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/profile.h"
#include "graph/declaration.h"
#include "graph/internal.h"
#include "graph/packet.h"
#include "ranks/slab.h"
#include "ranks/transport.h"

/* Offsets in messages, for buffers' descriptors. */
enum { ALIGNMENT = 256 };

/* Where a meeting's words are for the host: those to be the highest, then sums. */
enum { WORD_BYTES = 16 * VKS_MAX_COMBINED };

/* What the device copies in a turn: to the transport's memory, and from it. */
struct crossed {
    struct vks_copies out, in;
};

/* What ranks gather. */
struct gathering {
    struct vks_shared_memory shared;
    uint64_t *firsts;
    struct vks_packet out[VKS_TURNS], in[VKS_TURNS];
};

struct meeting {
    struct crossed crossed[VKS_TURNS];
    size_t sent[VKS_SIDES], received[VKS_SIDES]; /* bytes of the messages */
    struct gathering gathering;
};

struct vks_meetings {
    const struct vks_transport *transport;
    struct vks_mail mail;
    struct vks_packets messages;
    bool copied; /* the host has to copy some of them, or of what is gathered */
    struct vks_pipeline copy;
    struct vks_buffer down, up; /* words of each meeting */
    struct meeting *list;
    size_t count;
};

/* --- declaration ------------------------------------------------------------------------------ */

/* Index of a field, -1 for none; one that does not fit is a failure. */
static int field_of(struct vks_declaration *declaration, const char *name)
{
    const int index = name ? vks_find_field(declaration, name) : -1;
    if (name && (index < 0 || declaration->fields[index].ping_pong)) {
        vks_declaration_fail(declaration, vks_fail(VKS_ERROR_INTERNAL,
                                                   "ranks meet for '%s', which is not declared, or "
                                                   "has two buffers",
                                                   name));
    }
    return index;
}

static uint64_t words_of(const struct vks_declaration *declaration, int field)
{
    return field < 0 ? 0 : vks_field_bytes(&declaration->fields[field]) / 4;
}

static void check(struct vks_declaration *declaration, const struct vks_declared_meeting *meeting)
{
    const struct vks_field *fields = declaration->fields;
    bool fits = (meeting->sent < 0) == (meeting->received < 0) &&
                (meeting->part < 0) == (meeting->whole < 0) &&
                words_of(declaration, meeting->sent) == words_of(declaration, meeting->received) &&
                words_of(declaration, meeting->highest) <= VKS_MAX_COMBINED &&
                meeting->sums <= VKS_MAX_COMBINED &&
                words_of(declaration, meeting->summed) >= 2 * (uint64_t)meeting->sums &&
                (meeting->whole < 0 || fields[meeting->whole].shape[0] == meeting->slab.whole);
    for (size_t i = 0; i < meeting->halo_count; i++) { /* rows follow each other */
        fits = fits && vks_row_axis(declaration, &fields[meeting->halos[i]]) == 0;
    }
    if (!fits) {
        vks_declaration_fail(declaration,
                             vks_fail(VKS_ERROR_INTERNAL,
                                      "ranks meet for fields that do not fit each other, or for "
                                      "too many words"));
    }
}

/* Makes two meetings at one place one. */
static void merge(struct vks_declaration *declaration, struct vks_declared_meeting *meeting,
                  const struct vks_declared_meeting *more)
{
    int *const fields[] = {&meeting->sent,   &meeting->received, &meeting->highest,
                           &meeting->summed, &meeting->part,     &meeting->whole};
    const int others[] = {more->sent,   more->received, more->highest,
                          more->summed, more->part,     more->whole};
    bool differ = meeting->halo_count == 0 || more->halo_count == 0;
    for (size_t i = 0; i < VKS_COUNT(fields); i++) {
        differ = differ && (*fields[i] < 0 || others[i] < 0);
        *fields[i] = *fields[i] < 0 ? others[i] : *fields[i];
    }
    meeting->sums += more->sums;
    meeting->halos = more->halo_count > 0 ? more->halos : meeting->halos;
    meeting->halo_count += more->halo_count;
    if (!differ) {
        vks_declaration_fail(declaration,
                             vks_fail(VKS_ERROR_INTERNAL, "ranks meet twice at one place"));
    }
}

void vks_declare_meeting(struct vks_declaration *declaration, const struct vks_meeting *meeting)
{
    if (meeting->slab->count < 2) {
        return;
    }
    struct vks_declared_meeting declared = {
        .when = meeting->when,
        .place = declaration->pass_count,
        .slab = *meeting->slab,
        .sent = field_of(declaration, meeting->sent),
        .received = field_of(declaration, meeting->received),
        .highest = field_of(declaration, meeting->highest),
        .summed = field_of(declaration, meeting->summed),
        .part = field_of(declaration, meeting->part),
        .whole = field_of(declaration, meeting->whole),
        .sums = meeting->sums,
    };
    while (meeting->halos && meeting->halos[declared.halo_count]) {
        declared.halo_count++;
    }
    declared.halos =
        vks_declaration_keep(declaration, (declared.halo_count + 1) * sizeof(*declared.halos));
    for (size_t i = 0; i < declared.halo_count && declaration->result == VKS_OK; i++) {
        declared.halos[i] = (uint32_t)field_of(declaration, meeting->halos[i]);
    }
    if (declaration->result == VKS_OK) {
        check(declaration, &declared);
    }
    if (declaration->result != VKS_OK) {
        return;
    }
    struct vks_declared_meeting *last = declaration->meeting_count > 0
                                            ? &declaration->meetings[declaration->meeting_count - 1]
                                            : NULL;
    if (last && last->when == declared.when && last->place == declared.place) {
        merge(declaration, last, &declared);
        return;
    }
    struct vks_declared_meeting *grown =
        vks_grow(declaration->meetings, sizeof(*grown), declaration->meeting_count,
                 &declaration->meeting_capacity);
    if (!grown) {
        vks_declaration_fail(declaration, vks_fail_memory());
        return;
    }
    declaration->meetings = grown;
    declaration->meetings[declaration->meeting_count++] = declared;
}

/* What the graph's declaration, which an update replaces, says of a meeting. */
static const struct vks_declared_meeting *declared_of(const struct vks_graph *graph,
                                                      const struct meeting *meeting)
{
    return &graph->declaration.meetings[meeting - graph->meetings->list];
}

/* The graph whose ranks have joined, of a bound one too. */
static struct vks_graph *joined(struct vks_graph *graph)
{
    return vks_graph_transport(graph) ? graph : graph->from;
}

/* --- messages --------------------------------------------------------------------------------- */

static size_t aligned(uint64_t bytes)
{
    return (size_t)((bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

/* Halos go to both sides, and behind them what only the rank after gets. */
static void size_messages(const struct vks_graph *graph, struct meeting *meeting)
{
    const struct vks_declared_meeting *declared = declared_of(graph, meeting);
    const struct vks_slab *slab = &declared->slab;
    size_t rows = 0;
    for (size_t i = 0; i < declared->halo_count; i++) {
        rows += aligned(vks_row_bytes(graph, declared->halos[i]) * vks_slab_halo(slab));
    }
    const size_t more = declared->sent < 0
                            ? 0
                            : aligned(vks_field_bytes(&graph->declaration.fields[declared->sent]));
    meeting->sent[VKS_BEFORE] = slab->before > 0 ? rows : 0;
    meeting->sent[VKS_AFTER] = slab->after > 0 ? rows + more : 0;
    meeting->received[VKS_BEFORE] = slab->before > 0 ? rows + more : 0;
    meeting->received[VKS_AFTER] = slab->after > 0 ? rows : 0;
}

/* A copy between a field and a message, which it enlarges. */
struct strip {
    uint32_t field;
    uint64_t at, bytes; /* in the field */
};

static enum vks_result add_strip(struct vks_graph *graph, struct vks_copies *copies,
                                 const struct vks_packet *packet, size_t *at,
                                 const struct strip *strip, bool to_field)
{
    const struct vks_pieces buffer = {&packet->buffer, 1};
    const struct vks_pieces_at message = {&buffer, *at};
    const struct vks_pieces_at place = {&graph->pieces[2 * strip->field], strip->at};
    *at += aligned(strip->bytes);
    return vks_copies_add(copies, to_field ? message : place, to_field ? place : message,
                          strip->bytes);
}

/* The copies to the messages of a turn, or from them. */
static enum vks_result add_strips(struct vks_graph *graph, struct meeting *meeting, uint32_t turn,
                                  bool to_fields)
{
    const struct vks_meetings *meetings = graph->meetings;
    const struct vks_declared_meeting *declared = declared_of(graph, meeting);
    const struct vks_slab *slab = &declared->slab;
    const uint64_t end = slab->before + slab->rows;
    const uint64_t halo[VKS_SIDES] = {0, end}, own[VKS_SIDES] = {slab->before, end - slab->after};
    const uint32_t rows[VKS_SIDES] = {slab->before, slab->after};
    struct vks_copies *copies =
        to_fields ? &meeting->crossed[turn].in : &meeting->crossed[turn].out;
    enum vks_result result = VKS_OK;
    for (uint32_t side = 0; side < VKS_SIDES; side++) {
        const struct vks_packet *packet = to_fields ? &meetings->messages.received[turn][side]
                                                    : &meetings->messages.sent[turn][side];
        const bool more = declared->sent >= 0 && side == (to_fields ? VKS_BEFORE : VKS_AFTER);
        size_t at = 0;
        for (size_t i = 0; i < declared->halo_count && rows[side] > 0 && result == VKS_OK; i++) {
            const uint64_t row = vks_row_bytes(graph, declared->halos[i]);
            const struct strip strip = {
                declared->halos[i], row * (to_fields ? halo[side] : own[side]), row * rows[side]};
            result = add_strip(graph, copies, packet, &at, &strip, to_fields);
        }
        if (more && rows[side] > 0 && result == VKS_OK) {
            const int field = to_fields ? declared->received : declared->sent;
            const struct strip strip = {(uint32_t)field, 0,
                                        vks_field_bytes(&graph->declaration.fields[field])};
            result = add_strip(graph, copies, packet, &at, &strip, to_fields);
        }
    }
    return result;
}

/* --- what ranks gather ------------------------------------------------------------------------ */

/* The memory of what ranks gather. A device that can import it does so once. */
static enum vks_result open_gathering(struct vks_graph *graph, struct meeting *meeting)
{
    const struct vks_transport *transport = graph->meetings->transport;
    const struct vks_declared_meeting *declared = declared_of(graph, meeting);
    const struct vks_slab *slab = &declared->slab;
    struct gathering *gathering = &meeting->gathering;
    const uint32_t grain = joined(graph)->declaration.exchange.grain;
    gathering->firsts =
        declared->whole < 0 ? NULL : calloc(slab->count + 1, sizeof(*gathering->firsts));
    if (!gathering->firsts) {
        return declared->whole < 0 ? VKS_OK : vks_fail_memory();
    }
    const uint64_t row = vks_row_bytes(graph, (uint32_t)declared->whole);
    for (uint32_t rank = 0; rank <= slab->count; rank++) {
        gathering->firsts[rank] = row * vks_slab_first(slab->whole, grain, rank, slab->count);
    }
    gathering->shared.firsts = gathering->firsts;
    enum vks_result result = transport->open_shared(transport->user, &gathering->shared);
    for (uint32_t turn = 0; turn < VKS_TURNS && result == VKS_OK; turn++) {
        void *memory = gathering->shared.memory[turn];
        const uint64_t bytes = row * slab->whole;
        result = vks_packet_create(graph->gpu, memory, bytes, false, &gathering->out[turn]);
        gathering->in[turn] = gathering->out[turn];
        if (result == VKS_OK && gathering->out[turn].copied) {
            graph->meetings->copied = true;
            result = vks_packet_create(graph->gpu, memory, bytes, true, &gathering->in[turn]);
        }
    }
    return result;
}

static enum vks_result add_gathering(struct vks_graph *graph, struct meeting *meeting,
                                     uint32_t turn)
{
    const struct vks_declared_meeting *declared = declared_of(graph, meeting);
    const struct vks_slab *slab = &declared->slab;
    const struct gathering *gathering = &meeting->gathering;
    const struct vks_pieces to = {&gathering->out[turn].buffer, 1};
    const struct vks_pieces from = {&gathering->in[turn].buffer, 1};
    if (declared->whole < 0) {
        return VKS_OK;
    }
    const uint64_t row = vks_row_bytes(graph, (uint32_t)declared->whole);
    const struct vks_pieces_at own = {&graph->pieces[2 * declared->part], row * slab->before};
    const struct vks_pieces_at whole = {&graph->pieces[2 * declared->whole], 0};
    const enum vks_result result = vks_copies_add(
        &meeting->crossed[turn].out, own,
        (struct vks_pieces_at){&to, gathering->firsts[slab->index]}, row * slab->rows);
    return result == VKS_OK
               ? vks_copies_add(&meeting->crossed[turn].in, (struct vks_pieces_at){&from, 0}, whole,
                                row * slab->whole)
               : result;
}

static enum vks_result gather(struct vks_graph *graph, struct meeting *meeting, uint32_t turn)
{
    const struct vks_transport *transport = graph->meetings->transport;
    const struct gathering *gathering = &meeting->gathering;
    const struct vks_slab *slab = &declared_of(graph, meeting)->slab;
    const uint64_t first = gathering->firsts[slab->index];
    enum vks_result result = vks_packet_copy(graph->gpu, &gathering->out[turn], false, first,
                                             gathering->firsts[slab->index + 1] - first);
    if (result == VKS_OK) {
        result = transport->share(transport->user, &gathering->shared, turn);
    }
    return result == VKS_OK ? vks_packet_copy(graph->gpu, &gathering->in[turn], true, 0,
                                              gathering->firsts[slab->count])
                            : result;
}

/* --- life ------------------------------------------------------------------------------------- */

/* The memory of messages, for the largest of all meetings. */
static enum vks_result open_mail(struct vks_graph *graph)
{
    struct vks_meetings *meetings = graph->meetings;
    const struct vks_transport *transport = meetings->transport;
    struct vks_mail *mail = &meetings->mail;
    size_t largest = 0;
    for (size_t i = 0; i < meetings->count; i++) {
        size_messages(graph, &meetings->list[i]);
        for (uint32_t side = 0; side < VKS_SIDES; side++) {
            const size_t bytes = meetings->list[i].sent[side];
            largest = bytes > largest ? bytes : largest;
        }
    }
    if (largest == 0) {
        return VKS_OK;
    }
    const struct vks_slab *slab = &graph->declaration.meetings[0].slab;
    mail->bytes[VKS_BEFORE] = slab->before > 0 ? largest : 0;
    mail->bytes[VKS_AFTER] = slab->after > 0 ? largest : 0;
    const enum vks_result result = transport->open(transport->user, mail);
    return result == VKS_OK
               ? vks_packets_create(graph->gpu, mail, &meetings->messages, &meetings->copied)
               : result;
}

static enum vks_result add_copies(struct vks_graph *graph, struct meeting *meeting)
{
    enum vks_result result = VKS_OK;
    for (uint32_t turn = 0; turn < VKS_TURNS && result == VKS_OK; turn++) {
        struct crossed *crossed = &meeting->crossed[turn];
        crossed->out = crossed->in =
            (struct vks_copies){.gpu = graph->gpu, .pipeline = &graph->meetings->copy};
        result = add_strips(graph, meeting, turn, false);
        if (result == VKS_OK) {
            result = add_strips(graph, meeting, turn, true);
        }
        if (result == VKS_OK) {
            result = add_gathering(graph, meeting, turn);
        }
    }
    return result;
}

static enum vks_result bind_meeting(struct meeting *meeting)
{
    enum vks_result result = VKS_OK;
    for (uint32_t turn = 0; turn < VKS_TURNS && result == VKS_OK; turn++) {
        result = vks_copies_bind(&meeting->crossed[turn].out);
        result = result == VKS_OK ? vks_copies_bind(&meeting->crossed[turn].in) : result;
    }
    return result;
}

static enum vks_result open_all(struct vks_graph *graph)
{
    struct vks_meetings *meetings = graph->meetings;
    const uint64_t words = WORD_BYTES * meetings->count;
    enum vks_result result = open_mail(graph);
    if (result == VKS_OK) {
        result = vks_buffer_create(graph->gpu, &meetings->down, words, VKS_MEMORY_READBACK,
                                   "words for other ranks");
    }
    if (result == VKS_OK) {
        result = vks_buffer_create(graph->gpu, &meetings->up, words, VKS_MEMORY_UPLOAD,
                                   "words of other ranks");
    }
    for (size_t i = 0; i < meetings->count && result == VKS_OK; i++) {
        result = open_gathering(graph, &meetings->list[i]);
    }
    if (result == VKS_OK && graph->gpu->copies_by_shader && !meetings->copied) {
        result = vks_copy_pipeline(graph->gpu, &meetings->copy);
    }
    for (size_t i = 0; i < meetings->count && result == VKS_OK; i++) {
        result = add_copies(graph, &meetings->list[i]);
        result = result == VKS_OK ? bind_meeting(&meetings->list[i]) : result;
    }
    return result;
}

enum vks_result vks_meetings_open(struct vks_graph *graph)
{
    struct vks_graph *ranks = joined(graph);
    const size_t count = graph->declaration.meeting_count;
    if (count == 0 || graph->meetings) {
        return VKS_OK;
    }
    if (!ranks || !vks_graph_transport(ranks)) {
        return vks_fail(VKS_ERROR_INTERNAL, "ranks meet before they have joined");
    }
    struct vks_meetings *meetings = calloc(1, sizeof(*meetings));
    struct meeting *list = calloc(count, sizeof(*list));
    enum vks_result result = meetings && list ? VKS_OK : vks_fail_memory();
    if (result == VKS_OK) {
        *meetings = (struct vks_meetings){
            .transport = vks_graph_transport(ranks), .list = list, .count = count};
        graph->meetings = meetings;
        result = open_all(graph);
    } else {
        free(meetings);
        free(list);
    }
    if (result != VKS_OK) {
        vks_meetings_destroy(graph);
    }
    return vks_graph_end_together(ranks, result);
}

enum vks_result vks_meetings_end(struct vks_graph *graph, enum vks_result result)
{
    return graph->meetings ? vks_graph_end_together(joined(graph), result) : result;
}

void vks_meetings_destroy(struct vks_graph *graph)
{
    struct vks_meetings *meetings = graph->meetings;
    if (!meetings) {
        return;
    }
    const struct vks_transport *transport = meetings->transport;
    vks_packets_destroy(graph->gpu, &meetings->messages);
    for (size_t i = 0; i < meetings->count; i++) {
        struct meeting *meeting = &meetings->list[i];
        for (uint32_t turn = 0; turn < VKS_TURNS; turn++) {
            if (meeting->crossed[turn].out.gpu) {
                vks_copies_clear(&meeting->crossed[turn].out);
                vks_copies_clear(&meeting->crossed[turn].in);
            }
            if (meeting->gathering.in[turn].copied) {
                vks_packet_destroy(graph->gpu, &meeting->gathering.in[turn]);
            }
            vks_packet_destroy(graph->gpu, &meeting->gathering.out[turn]);
        }
        transport->close_shared(transport->user, &meeting->gathering.shared);
        free(meeting->gathering.firsts);
    }
    vks_buffer_destroy(graph->gpu, &meetings->down);
    vks_buffer_destroy(graph->gpu, &meetings->up);
    vks_pipeline_destroy(graph->gpu, &meetings->copy);
    transport->close(transport->user, &meetings->mail);
    free(meetings->list);
    free(meetings);
    graph->meetings = NULL;
}

/* --- meeting ---------------------------------------------------------------------------------- */

/* Records copies of the words to the host, or back. */
static void record_words(const struct vks_graph *graph, uint32_t number, bool to_fields,
                         VkCommandBuffer commands)
{
    const struct vks_declared_meeting *declared = &graph->declaration.meetings[number];
    const VkBuffer buffer = to_fields ? graph->meetings->up.buffer : graph->meetings->down.buffer;
    const int fields[] = {declared->highest, declared->summed};
    const uint64_t bytes[] = {4 * words_of(&graph->declaration, declared->highest),
                              8 * (uint64_t)declared->sums};
    uint64_t place = WORD_BYTES * (uint64_t)number;
    for (size_t i = 0; i < VKS_COUNT(fields); i++) {
        if (fields[i] >= 0) {
            vks_record_bytes(graph, commands, &graph->pieces[2 * fields[i]],
                             (struct vks_bytes){buffer, 0, place, bytes[i]}, to_fields);
        }
        place += 4 * VKS_MAX_COMBINED;
    }
}

void vks_meeting_record(struct vks_graph *graph, uint32_t number, uint32_t turn, bool to_fields,
                        VkCommandBuffer commands)
{
    const struct crossed *crossed = &graph->meetings->list[number].crossed[turn];
    vks_copies_record(to_fields ? &crossed->in : &crossed->out, commands);
    record_words(graph, number, to_fields, commands);
}

static enum vks_result trade(struct vks_graph *graph, const struct meeting *meeting, uint32_t turn)
{
    struct vks_meetings *meetings = graph->meetings;
    const struct vks_transport *transport = meetings->transport;
    bool stop = false; /* that is agreed on between steps */
    enum vks_result result = VKS_OK;
    for (uint32_t side = 0; side < VKS_SIDES && result == VKS_OK; side++) {
        meetings->mail.used[side] = meeting->sent[side];
        result = vks_packet_copy(graph->gpu, &meetings->messages.sent[turn][side], false, 0,
                                 meeting->sent[side]);
    }
    if (result == VKS_OK) {
        result = transport->trade(transport->user, &meetings->mail, turn, &stop);
    }
    for (uint32_t side = 0; side < VKS_SIDES && result == VKS_OK; side++) {
        result = vks_packet_copy(graph->gpu, &meetings->messages.received[turn][side], true, 0,
                                 meeting->received[side]);
    }
    if (stop) {
        vks_exchange_stop(joined(graph));
    }
    return result;
}

/* Numbers that rise with the floats of these bits, or that fall; and back. */
static uint32_t ordered(uint32_t bits, bool falling)
{
    const uint32_t rising = bits >> 31 ? ~bits : bits | UINT32_C(1) << 31;
    return falling ? ~rising : rising;
}

static uint32_t bits_of(uint32_t number, bool falling)
{
    const uint32_t rising = falling ? ~number : number;
    return rising >> 31 ? rising & UINT32_MAX >> 1 : ~rising;
}

static enum vks_result combine(struct vks_graph *graph, uint32_t number)
{
    const struct vks_meetings *meetings = graph->meetings;
    const struct vks_transport *transport = meetings->transport;
    const struct vks_declared_meeting *declared = &graph->declaration.meetings[number];
    const uint64_t at = WORD_BYTES * (uint64_t)number;
    const uint32_t *down = (const uint32_t *)(const void *)((char *)meetings->down.map + at);
    uint32_t *up = (uint32_t *)(void *)((char *)meetings->up.map + at);
    const size_t words = words_of(&graph->declaration, declared->highest);
    const bool floats =
        words > 0 && graph->declaration.fields[declared->highest].element == VKS_F32;
    uint64_t values[VKS_MAX_COMBINED];
    enum vks_result result = vks_buffer_invalidate(graph->gpu, &meetings->down);
    for (size_t i = 0; i < words; i++) {
        values[i] = floats ? ordered(down[i], i % 2 == 0) : down[i];
    }
    if (result == VKS_OK && words > 0) {
        result = transport->combine(transport->user, VKS_HIGHEST, values, words);
    }
    for (size_t i = 0; i < words; i++) {
        up[i] = floats ? bits_of((uint32_t)values[i], i % 2 == 0) : (uint32_t)values[i];
    }
    down += VKS_MAX_COMBINED;
    up += VKS_MAX_COMBINED;
    for (size_t i = 0; i < declared->sums; i++) {
        values[i] = (uint64_t)down[2 * i + 1] << 32 | down[2 * i];
    }
    if (result == VKS_OK && declared->sums > 0) {
        result = transport->combine(transport->user, VKS_SUM, values, declared->sums);
    }
    for (size_t i = 0; i < declared->sums; i++) {
        up[2 * i] = (uint32_t)values[i];
        up[2 * i + 1] = (uint32_t)(values[i] >> 32);
    }
    return result;
}

enum vks_result vks_meeting_hold(struct vks_graph *graph, uint32_t number, uint32_t turn)
{
    struct meeting *meeting = &graph->meetings->list[number];
    const struct vks_declared_meeting *declared = declared_of(graph, meeting);
    enum vks_result result = VKS_OK;
    vks_phase_begin(VKS_PHASE_EXCHANGE);
    if (declared->halo_count > 0 || declared->sent >= 0) {
        result = trade(graph, meeting, turn);
    }
    if (result == VKS_OK && (declared->highest >= 0 || declared->sums > 0)) {
        result = combine(graph, number);
    }
    if (result == VKS_OK && declared->whole >= 0) {
        result = gather(graph, meeting, turn);
    }
    result = vks_graph_end_together(joined(graph), result);
    vks_phase_end();
    return result;
}
