/* SPDX-License-Identifier: MIT */
/* Fields in memory that other APIs can import. */
#include <stdlib.h>

#include "base/error.h"
#include "graph/share.h"
#include "api/rank.h"

struct vks_shared {
    vks_simulation *simulation;
    size_t field; /* of the steps' declaration */
    struct vks_share *share;
};

/* The bytes of a UUID's text. */
static void read_uuid(const char *text, uint8_t bytes[16])
{
    for (size_t i = 0; i < 16; i++) {
        text += *text == '-';
        const char digits[] = {text[0], text[1], '\0'};
        bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
        text += 2;
    }
}

enum vks_result vks_simulation_share(vks_simulation *simulation, const char *name, vks_shared **out,
                                     struct vks_shared_info *info)
{
    if (!simulation || !name || !out || !info) {
        return vks_fail_null(__func__);
    }
    const struct vks_field *field;
    struct vks_shared_info known = {.memory = -1, .semaphore = -1};
    enum vks_result result = vks_give_sized(info, &known, sizeof(known)); /* before files open */
    if (result == VKS_OK) {
        result = vks_simulation_find_field(simulation, name, &field);
    }
    if (result == VKS_OK) {
        result = vks_rank_fail(simulation, "vks_simulation_share()");
    }
    vks_shared *shared = result == VKS_OK ? calloc(1, sizeof(*shared)) : NULL;
    if (!shared) {
        return result == VKS_OK ? vks_fail_memory() : result;
    }
    shared->simulation = simulation;
    shared->field = (size_t)(field - vks_graph_declaration(simulation->graph)->fields);
    result =
        vks_share_create(simulation->graph, name, &shared->share, &known.memory, &known.semaphore);
    if (result == VKS_OK) {
        known.bytes = vks_field_bytes(field);
        known.memory_bytes = vks_share_bytes(shared->share);
        read_uuid(simulation->context->gpu.info.uuid, known.device_uuid);
        result = vks_give_sized(info, &known, sizeof(known));
    }
    if (result != VKS_OK) {
        vks_shared_close(shared);
        return result;
    }
    *out = shared;
    return VKS_OK;
}

void vks_shared_close(vks_shared *shared)
{
    if (shared) {
        vks_share_destroy(shared->share);
        free(shared);
    }
}

enum vks_result vks_shared_update(vks_shared *shared, uint64_t after, uint64_t *value)
{
    if (!shared || !value) {
        return vks_fail_null(__func__);
    }
    const enum vks_result alive = vks_simulation_alive(shared->simulation);
    return alive == VKS_OK ? vks_share_update(shared->share, after, value) : alive;
}

static enum vks_result take(void *user, const void *data)
{
    const vks_shared *shared = user;
    struct vks_graph *graph = shared->simulation->graph;
    return vks_state_field_load(graph, &vks_graph_declaration(graph)->fields[shared->field], data);
}

enum vks_result vks_shared_store(vks_shared *shared, uint64_t after, uint64_t *value)
{
    if (!shared || !value) {
        return vks_fail_null(__func__);
    }
    vks_simulation *simulation = shared->simulation;
    enum vks_result result = vks_simulation_alive(simulation);
    if (result != VKS_OK) {
        return result;
    }
    simulation->drawn = false;
    result = vks_share_store(shared->share, after, take, shared, value);
    return result == VKS_OK ? vks_graph_ready(simulation->graph) : result;
}
