/* SPDX-License-Identifier: MIT */
#include "runs/saver.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/profile.h"

struct vks_saver {
    vks_snapshot *snapshot; /* NULL: there is no thread */
    char *path;
    pthread_t thread;
    struct vks_profile *profile;
    struct vks_error error; /* of writing */
};

static void *write_file(void *user)
{
    struct vks_saver *saver = user;
    vks_profile_attach(saver->profile, "state writer");
    vks_phase_begin(VKS_PHASE_WRITE);
    vks_error_keep(vks_snapshot_save(saver->snapshot, saver->path, true), &saver->error);
    vks_phase_end();
    vks_profile_detach();
    return NULL;
}

enum vks_result vks_saver_start(vks_simulation *simulation, const char *path,
                                struct vks_saver **out)
{
    struct vks_saver *saver = calloc(1, sizeof(*saver));
    enum vks_result result = VKS_OK;
    if (!saver) {
        return vks_fail_memory();
    }
    saver->profile = vks_profile_current();
    saver->path = vks_strdup(path);
    if (!saver->path) {
        result = vks_fail_memory();
    }
    if (result == VKS_OK) {
        result = vks_simulation_snapshot(simulation, VKS_SNAPSHOT_DEVICE, &saver->snapshot);
    }
    if (result == VKS_OK && pthread_create(&saver->thread, NULL, write_file, saver) != 0) {
        vks_snapshot_release(saver->snapshot);
        saver->snapshot = NULL;
        result = VKS_ERROR_MEMORY;
    }
    if (result == VKS_ERROR_MEMORY) {
        result = vks_simulation_save(simulation, path, true);
    }
    if (result != VKS_OK) {
        (void)vks_saver_finish(saver);
        return result;
    }
    *out = saver;
    return VKS_OK;
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
    free(saver->path);
    free(saver);
    return result;
}
