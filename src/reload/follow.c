/* SPDX-License-Identifier: MIT */
#include "reload/follow.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const double pause = 0.1; /* seconds between two looks, for editors that write in pieces */

bool vks_follow_is(const struct vks_model *model, const char *path)
{
    const char *file = vks_formula_file(model, 0);
    char *own = file ? realpath(file, NULL) : NULL, *given = own ? realpath(path, NULL) : NULL;
    const bool same = given && strcmp(own, given) == 0;
    free(own);
    free(given);
    return same;
}

static void look(const struct vks_model *model, struct vks_file_stamp stamps[VKS_FOLLOWED_FILES])
{
    const char *path;
    memset(stamps, 0, VKS_FOLLOWED_FILES * sizeof(*stamps));
    for (size_t i = 0; i < VKS_FOLLOWED_FILES && (path = vks_formula_file(model, i)) != NULL; i++) {
        struct stat info;
        if (stat(path, &info) == 0) {
            stamps[i] = (struct vks_file_stamp){info.st_mtim.tv_sec, info.st_mtim.tv_nsec,
                                                info.st_size, (long long)info.st_ino};
        }
    }
}

void vks_follow_begin(struct vks_follow *follow, const struct vks_model *model)
{
    look(model, follow->known);
    memcpy(follow->last, follow->known, sizeof(follow->known));
}

bool vks_follow_poll(struct vks_follow *follow, const struct vks_model *model, double now)
{
    struct vks_file_stamp stamps[VKS_FOLLOWED_FILES];
    if (now - follow->time < pause) {
        return false;
    }
    look(model, stamps);
    const bool settled = memcmp(stamps, follow->last, sizeof(stamps)) == 0;
    const bool changed = settled && memcmp(stamps, follow->known, sizeof(stamps)) != 0;
    follow->time = now;
    memcpy(follow->last, stamps, sizeof(stamps));
    if (changed) {
        memcpy(follow->known, stamps, sizeof(stamps));
    }
    return changed;
}
