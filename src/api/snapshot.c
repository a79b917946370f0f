/* SPDX-License-Identifier: MIT */
/* Snapshots of a simulation. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "graph/snapshot.h"
#include "api/internal.h"

struct vks_snapshot {
    const vks_context *context;
    struct vks_settings settings;
    struct vks_origin origin;
    struct vks_graph_snapshot *state;
};

static enum vks_result fail_null(const char *function)
{
    return vks_fail(VKS_ERROR_USAGE, "%s() got NULL", function);
}

static enum vks_result copy_origin(struct vks_origin *to, const struct vks_origin *from)
{
    *to = (struct vks_origin){.state_path = from->state_path ? vks_strdup(from->state_path) : NULL,
                              .seed = from->seed};
    return !from->state_path || to->state_path ? VKS_OK : vks_fail_memory();
}

enum vks_result vks_simulation_snapshot(vks_simulation *simulation, enum vks_snapshot_memory memory,
                                        vks_snapshot **out)
{
    if (!simulation || !out) {
        return fail_null("vks_simulation_snapshot");
    }
    if (memory != VKS_SNAPSHOT_DEVICE && memory != VKS_SNAPSHOT_HOST) {
        return vks_fail(VKS_ERROR_USAGE, "there is no memory %d for snapshots", (int)memory);
    }
    enum vks_result result = vks_simulation_alive(simulation);
    vks_snapshot *snapshot = result == VKS_OK ? calloc(1, sizeof(*snapshot)) : NULL;
    if (!snapshot) {
        return result == VKS_OK ? vks_fail_memory() : result;
    }
    snapshot->context = simulation->context;
    result = vks_settings_copy(&snapshot->settings, &simulation->settings);
    if (result == VKS_OK) {
        result = copy_origin(&snapshot->origin, &simulation->origin);
    }
    if (result == VKS_OK) {
        result = vks_graph_snapshot_create(simulation->graph, memory == VKS_SNAPSHOT_HOST,
                                           &snapshot->state);
    }
    if (result == VKS_OK) {
        result = vks_graph_snapshot_take(simulation->graph, snapshot->state);
    }
    if (result != VKS_OK) {
        vks_snapshot_release(snapshot);
        return result;
    }
    *out = snapshot;
    return VKS_OK;
}

enum vks_result vks_simulation_restore(vks_simulation *simulation, const vks_snapshot *snapshot)
{
    struct vks_settings settings = {0};
    struct vks_origin origin = {0};
    if (!simulation || !snapshot) {
        return fail_null("vks_simulation_restore");
    }
    enum vks_result result = vks_simulation_alive(simulation);
    if (result != VKS_OK) {
        return result;
    }
    if (snapshot->context != simulation->context ||
        snapshot->settings.model != simulation->settings.model) {
        return vks_fail(VKS_ERROR_USAGE, "the snapshot is of another context or model");
    }
    result = vks_settings_copy(&settings, &snapshot->settings);
    if (result == VKS_OK) {
        result = copy_origin(&origin, &snapshot->origin);
    }
    if (result == VKS_OK) {
        result = vks_simulation_use(simulation, &settings);
    }
    if (result == VKS_OK) {
        result = vks_graph_restore(simulation->graph, snapshot->state);
        simulation->dead = result != VKS_OK;
    }
    if (result == VKS_OK) {
        free(simulation->origin.state_path);
        simulation->origin = origin;
    } else {
        free(origin.state_path);
    }
    vks_settings_free(&settings);
    return result;
}

void vks_snapshot_release(vks_snapshot *snapshot)
{
    if (snapshot) {
        vks_graph_snapshot_destroy(snapshot->state);
        vks_settings_free(&snapshot->settings);
        free(snapshot->origin.state_path);
        free(snapshot);
    }
}

enum vks_result vks_snapshot_describe(const vks_snapshot *snapshot, struct vks_snapshot_info *info)
{
    if (!snapshot || !info) {
        return fail_null("vks_snapshot_describe");
    }
    const struct vks_snapshot_info known = {
        .steps = vks_graph_snapshot_steps(snapshot->state),
        .bytes = vks_graph_snapshot_bytes(snapshot->state),
        .in_host_memory = vks_graph_snapshot_in_host(snapshot->state),
    };
    return vks_give_sized(info, &known, sizeof(known));
}
