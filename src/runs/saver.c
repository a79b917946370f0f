/* SPDX-License-Identifier: MIT */
#include "runs/saver.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/profile.h"
#include "api/simulation.h"

struct vks_saver {
    vks_snapshot *snapshot; /* NULL: there is no thread */
    char *path;
    json_t *run;
    atomic_bool done;
    pthread_t thread;
    struct vks_profile *profile;
    struct vks_error error; /* of writing */
};

static void *write_file(void *user)
{
    struct vks_saver *saver = user;
    vks_profile_attach(saver->profile, "state writer");
    vks_phase_begin(VKS_PHASE_WRITE);
    vks_error_keep(vks_snapshot_save_run(saver->snapshot, saver->path, true, saver->run),
                   &saver->error);
    vks_phase_end();
    vks_profile_detach();
    atomic_store(&saver->done, true);
    return NULL;
}

/* Without a copy of the state, which needs no memory. Ranks have to take part at the same moment.
 */
static enum vks_result write_now(vks_simulation *simulation, struct vks_saver *saver)
{
    atomic_store(&saver->done, true);
    return vks_simulation_save_run(simulation, saver->path, true, saver->run);
}

enum vks_result vks_saver_start(vks_simulation *simulation, const char *path, json_t *run,
                                struct vks_saver **out)
{
    struct vks_saver *saver = calloc(1, sizeof(*saver));
    enum vks_result result = VKS_OK;
    if (!saver) {
        json_decref(run);
        return vks_fail_memory();
    }
    saver->run = run;
    saver->profile = vks_profile_current();
    saver->path = vks_strdup(path);
    if (!saver->path) {
        result = vks_fail_memory();
    }
    const bool ranks = vks_simulation_settings(simulation)->slab.count > 1;
    if (result == VKS_OK && !ranks) {
        result = vks_simulation_snapshot(simulation, VKS_SNAPSHOT_DEVICE, &saver->snapshot);
    }
    if (result == VKS_OK && !ranks &&
        pthread_create(&saver->thread, NULL, write_file, saver) != 0) {
        vks_snapshot_release(saver->snapshot);
        saver->snapshot = NULL;
        result = VKS_ERROR_MEMORY;
    }
    if (saver->path && (result == VKS_ERROR_MEMORY || (result == VKS_OK && ranks))) {
        result = write_now(simulation, saver);
    }
    if (result != VKS_OK) {
        (void)vks_saver_finish(saver);
        return result;
    }
    *out = saver;
    return VKS_OK;
}

bool vks_saver_is_done(const struct vks_saver *saver)
{
    return atomic_load(&saver->done);
}

enum vks_result vks_saver_finish(struct vks_saver *saver)
{
    if (!saver) {
        return VKS_OK;
    }
    if (saver->snapshot) {
        pthread_join(saver->thread, NULL);
        vks_snapshot_release(saver->snapshot);
    }
    const enum vks_result result =
        saver->error.result == VKS_OK ? VKS_OK : vks_fail_again(&saver->error);
    json_decref(saver->run);
    free(saver->path);
    free(saver);
    return result;
}
