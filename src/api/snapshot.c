/* SPDX-License-Identifier: MIT */
/* Snapshots of a simulation, and loading a state into it, which a snapshot undoes if it fails. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "graph/snapshot.h"
#include "api/rank.h"

struct vks_snapshot {
    const vks_context *context;
    struct vks_settings settings;
    struct vks_origin origin;
    struct vks_graph_snapshot *state;
    struct vks_graph_snapshot *picture; /* what it carries from frame to frame */
    struct vks_error failure;           /* of the simulation, which had one already */
};

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
        return vks_fail_null(__func__);
    }
    if (memory != VKS_SNAPSHOT_DEVICE && memory != VKS_SNAPSHOT_HOST) {
        return vks_fail(VKS_ERROR_USAGE, "%d is not a kind of memory for snapshots", (int)memory);
    }
    enum vks_result result = vks_simulation_alive(simulation);
    vks_snapshot *snapshot = result == VKS_OK ? calloc(1, sizeof(*snapshot)) : NULL;
    if (!snapshot) {
        return result == VKS_OK ? vks_fail_memory() : result;
    }
    snapshot->context = simulation->context;
    vks_error_keep(vks_graph_check(simulation->graph), &snapshot->failure);
    result = vks_settings_copy(&snapshot->settings, &simulation->settings);
    if (result == VKS_OK) {
        result = copy_origin(&snapshot->origin, &simulation->origin);
    }
    if (result == VKS_OK) {
        result = vks_graph_snapshot_create(simulation->graph, memory == VKS_SNAPSHOT_HOST,
                                           &snapshot->state);
    }
    if (result == VKS_OK) {
        result = vks_graph_snapshot_create(simulation->picture, memory == VKS_SNAPSHOT_HOST,
                                           &snapshot->picture);
    }
    if (result == VKS_OK) {
        result = vks_graph_snapshot_take(simulation->graph, snapshot->state);
    }
    if (result == VKS_OK) {
        result = vks_graph_snapshot_take(simulation->picture, snapshot->picture);
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
        return vks_fail_null(__func__);
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
    settings.watch = simulation->settings.watch; /* of this simulation, as its planes are */
    settings.slab = simulation->settings.slab;   /* which may have more room since */
    if (result == VKS_OK) {
        result = vks_simulation_use(simulation, &settings);
    }
    if (result == VKS_OK) {
        result = vks_graph_restore(simulation->graph, snapshot->state);
        if (result == VKS_OK) {
            result = vks_graph_restore(simulation->picture, snapshot->picture);
        }
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

enum vks_result vks_snapshot_save(const vks_snapshot *snapshot, const char *path, bool overwrite)
{
    if (!snapshot || !path) {
        return vks_fail_null(__func__);
    }
    return vks_snapshot_save_run(snapshot, path, overwrite, NULL);
}

enum vks_result vks_snapshot_save_run(const vks_snapshot *snapshot, const char *path,
                                      bool overwrite, json_t *run)
{
    if (snapshot->settings.slab.count > 1) {
        return vks_fail(VKS_ERROR_USAGE, "a snapshot of several ranks cannot be saved; "
                                         "vks_simulation_save() saves the state");
    }
    return snapshot->failure.result == VKS_OK
               ? vks_state_file_save(path, overwrite, &snapshot->settings, NULL, snapshot->state,
                                     run)
               : vks_fail_again(&snapshot->failure);
}

void vks_snapshot_release(vks_snapshot *snapshot)
{
    if (snapshot) {
        vks_graph_snapshot_destroy(snapshot->state);
        vks_graph_snapshot_destroy(snapshot->picture);
        vks_settings_free(&snapshot->settings);
        free(snapshot->origin.state_path);
        free(snapshot);
    }
}

enum vks_result vks_snapshot_describe(const vks_snapshot *snapshot, struct vks_snapshot_info *info)
{
    if (!snapshot || !info) {
        return vks_fail_null(__func__);
    }
    const struct vks_snapshot_info known = {
        .steps = vks_graph_snapshot_steps(snapshot->state),
        .bytes = vks_graph_snapshot_bytes(snapshot->state),
        .in_host_memory = vks_graph_snapshot_in_host(snapshot->state),
    };
    return vks_give_sized(info, &known, sizeof(known));
}

/* --- loading --------------------------------------------------------------------------------- */

/* Copies the options that state files do not have. */
static enum vks_result keep_unsaved(struct vks_settings *to, const struct vks_settings *from)
{
    const struct {
        struct vks_option_table table;
        void *to;
        const void *from;
    } parts[] = {
        {from->model->options, to->own, from->own},
        {vks_common_options, &to->common, &from->common},
    };
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < VKS_COUNT(parts); i++) {
        for (size_t k = 0; result == VKS_OK && k < parts[i].table.count; k++) {
            const struct vks_option *option = &parts[i].table.options[k];
            char text[VKS_VALUE_SIZE];
            if ((option->flags & VKS_OPTION_UNSAVED) && vks_option_is_set(option, parts[i].from)) {
                result = vks_option_set(option, parts[i].to,
                                        vks_option_get(option, parts[i].from, text, sizeof(text)));
            }
        }
    }
    return result;
}

/* The simulation's settings with those of the file. */
static enum vks_result settings_of(const vks_simulation *simulation,
                                   const struct vks_state_file *file, struct vks_settings *settings)
{
    enum vks_result result = vks_settings_copy(settings, &simulation->settings);
    if (result == VKS_OK) {
        result = vks_state_file_apply(file, settings);
    }
    if (result == VKS_OK) {
        result = keep_unsaved(settings, &simulation->settings);
    }
    if (result == VKS_OK) {
        result = vks_settings_finish(settings);
    }
    return result == VKS_OK ? vks_state_file_check(file, settings) : result;
}

/* Starts from the file with these settings, which the simulation takes over. */
static enum vks_result start_from(vks_simulation *simulation, const struct vks_state_file *file,
                                  struct vks_settings *settings)
{
    const struct vks_origin origin = {vks_strdup(file->path), settings->common.seed};
    enum vks_result result =
        origin.state_path ? vks_simulation_use(simulation, settings) : vks_fail_memory();
    if (result == VKS_OK) {
        free(simulation->origin.state_path);
        simulation->origin = origin;
        result = vks_simulation_start(simulation, file);
    } else {
        free(origin.state_path);
    }
    return result;
}

enum vks_result vks_simulation_end_attempt(vks_simulation *simulation, vks_snapshot *before,
                                           enum vks_result result)
{
    if (result != VKS_OK) {
        struct vks_error why;
        vks_error_keep(result, &why);
        simulation->dead = !before || vks_simulation_restore(simulation, before) != VKS_OK;
        result = vks_fail_again(&why);
    }
    vks_snapshot_release(before);
    return result;
}

enum vks_result vks_simulation_load(vks_simulation *simulation, const char *path)
{
    struct vks_state_file file = {0};
    struct vks_settings settings = {0};
    vks_snapshot *before = NULL;
    if (!simulation || !path) {
        return vks_fail_null(__func__);
    }
    enum vks_result result = vks_simulation_alive(simulation);
    if (result == VKS_OK) {
        result = vks_state_file_open(&file, path, simulation->settings.model);
    }
    if (result == VKS_OK) {
        result = settings_of(simulation, &file, &settings);
    }
    if (result == VKS_OK) {
        result = vks_simulation_snapshot(simulation, VKS_SNAPSHOT_DEVICE, &before);
    }
    if (result == VKS_OK) {
        result = start_from(simulation, &file, &settings);
    }
    result = before ? vks_simulation_end_attempt(simulation, before, result) : result;
    result = result == VKS_ERROR_USAGE
                 ? vks_fail(result, "'%s': %s", path, vks_error_text())
                 : vks_state_file_explain(&file, &simulation->settings, result);
    vks_settings_free(&settings);
    vks_state_file_close(&file);
    return result;
}
