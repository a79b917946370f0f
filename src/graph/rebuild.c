/* SPDX-License-Identifier: MIT */
/* A new structure for a bound graph. The old graph is retired: it keeps its buffers until the GPU
 * is done with them, so that nothing waits. */
#include "graph/internal.h"

#include <string.h>

enum { MAX_RETIRED = 3 }; /* if changes follow each other faster than the GPU completes frames */

void vks_collect_retired(struct vks_graph *graph)
{
    struct vks_graph *old = graph->retired;
    if (!old) {
        return;
    }
    const bool done = vks_gpu_reached(graph->gpu, old->last);
    vks_collect_done(old); /* if `done`: all that is left */
    vks_watch_inherit(graph, old);
    if (done && !old->retired) {
        vks_add_timings(graph, old);
        graph->retired = NULL;
        vks_graph_destroy(old);
    }
}

/* Waits for the oldest of too many. */
static enum vks_result limit_retired(struct vks_graph *graph)
{
    struct vks_graph *oldest = graph;
    int count = 0;
    for (; oldest->retired; count++) {
        oldest = oldest->retired;
    }
    const enum vks_result result =
        count < MAX_RETIRED ? VKS_OK : vks_gpu_wait(graph->gpu, oldest->last);
    vks_collect_retired(graph);
    return result;
}

struct carrying {
    const struct vks_graph *from, *to;
};

static void record_carried(void *user, VkCommandBuffer commands)
{
    const struct carrying *carrying = user;
    const struct vks_declaration *old = &carrying->from->declaration;
    const struct vks_declaration *new = &carrying->to->declaration;
    for (size_t i = 0; i < new->field_count; i++) {
        const struct vks_field *field = &new->fields[i];
        const int was = field->carries ? vks_find_field(old, field->name) : -1;
        if (was >= 0 && vks_is_same_field(&old->fields[was], field)) {
            vks_graph_copy(carrying->from, carrying->to, field->name, commands);
        }
    }
}

static bool has_drawn(const struct vks_graph *graph)
{
    bool built = false;
    for (size_t i = 0; i < graph->declaration.pass_count; i++) {
        built = built || graph->passes[i].pipeline.pipeline;
    }
    return built;
}

enum vks_result vks_graph_build(struct vks_graph *graph)
{
    enum vks_result result = VKS_OK;
    for (size_t i = 0; result == VKS_OK && i < graph->declaration.pass_count; i++) {
        result = vks_build_pipeline(graph, i, false);
    }
    return result;
}

/* Of fields with more elements than before: those that there were. */
static void record_kept(void *user, VkCommandBuffer commands)
{
    const struct carrying *carrying = user;
    const struct vks_graph *from = carrying->from, *to = carrying->to;
    for (size_t i = 0; i < to->declaration.field_count; i++) {
        const uint64_t bytes = vks_field_bytes(&from->declaration.fields[i]);
        const size_t copies = to->declaration.fields[i].ping_pong ? 2 : 1;
        for (size_t k = 2 * i; k < 2 * i + copies; k++) {
            vks_record_pieces(from, &from->pieces[k], &to->pieces[k], bytes, commands);
        }
    }
}

/* Copies the fields with their parities, and joins the ranks again. */
static enum vks_result take_over(struct vks_graph *fresh, const struct vks_graph *graph)
{
    struct carrying carrying = {graph, fresh};
    const size_t fields = fresh->declaration.field_count;
    enum vks_result result = vks_graph_start(fresh, graph->steps, false);
    if (result == VKS_OK) {
        result = vks_transfer(fresh, record_kept, &carrying);
    }
    if (result == VKS_OK) {
        memcpy(fresh->parity, graph->parity, fields);
        memcpy(fresh->unfilled, graph->unfilled, fields * sizeof(*fresh->unfilled));
        /* The transport is the same for both. */
        result =
            vks_graph_join(fresh, (struct vks_transport *)(uintptr_t)vks_graph_transport(graph));
    }
    return result;
}

enum vks_result vks_graph_grow(struct vks_graph *graph, struct vks_declaration *declaration)
{
    struct vks_graph *fresh = NULL;
    enum vks_result result = vks_gpu_wait(graph->gpu, graph->gpu->submitted);
    if (result == VKS_OK) {
        vks_collect_done(graph);
        result = vks_create_graph(graph->gpu, NULL, NULL, declaration, &fresh);
    }
    if (result == VKS_OK) {
        result = take_over(fresh, graph);
        if (result != VKS_OK) {
            vks_return_declaration(fresh, declaration);
            vks_graph_destroy(fresh);
        }
    }
    if (result != VKS_OK) {
        return result;
    }
    vks_exchange_inherit(fresh, graph);
    struct vks_graph old = *graph;
    *graph = *fresh; /* the address must not change */
    *fresh = old;
    graph->grown = old.grown + 1;
    graph->batch_limit = old.batch_limit;
    graph->step_seconds = old.step_seconds;
    graph->division = old.division;
    graph->busy = old.busy;
    graph->busy_steps = old.busy_steps;
    graph->ran = old.ran;
    graph->watch.each = old.watch.each;
    graph->watch.user = old.watch.user;
    graph->broken_barriers = old.broken_barriers;
    vks_add_timings(graph, fresh);
    vks_graph_destroy(fresh);
    return VKS_OK;
}

enum vks_result vks_graph_rebuild(struct vks_graph *graph, struct vks_declaration *declaration)
{
    struct vks_graph *fresh = NULL;
    enum vks_result result = limit_retired(graph);
    if (result == VKS_OK) {
        result = vks_create_graph(graph->gpu, graph->from, graph->twin, declaration, &fresh);
    }
    if (result != VKS_OK) {
        return result;
    }
    struct carrying carrying = {graph, fresh};
    result = has_drawn(graph) ? vks_graph_build(fresh) : VKS_OK; /* a failure changes nothing */
    if (result == VKS_OK) {
        result = vks_graph_start(fresh, 0, false);
    }
    if (result == VKS_OK) {
        result = vks_start_transfer(fresh, record_carried, &carrying, NULL);
    }
    if (result != VKS_OK) {
        vks_return_declaration(fresh, declaration);
        vks_graph_destroy(fresh);
        return result;
    }
    /* The address of the graph must not change, so the contents are swapped. */
    const struct vks_graph old = *graph;
    *graph = *fresh;
    *fresh = old;
    fresh->last = graph->last; /* the copy reads its buffers */
    graph->retired = fresh;
    graph->watch.each = old.watch.each;
    graph->watch.user = old.watch.user;
    graph->broken_barriers = old.broken_barriers;
    vks_watch_inherit(graph, fresh);
    return VKS_OK;
}
