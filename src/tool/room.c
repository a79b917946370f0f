/* SPDX-License-Identifier: MIT */
#include "tool/room.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "api/simulation.h"
#include "base/file.h"
#include "base/log.h"
#include "gpu/memory.h"
#include "tool/resume.h"

enum { MAX_DISKS = VKS_RING_SINKS + 1 + VKS_CHECKPOINT_SLOTS };

/* A file system. */
struct disk {
    dev_t device;
    char *folder; /* of the first file there */
    double needs; /* bytes */
};

struct disks {
    struct disk list[MAX_DISKS];
    size_t count;
};

/* The bytes that a state takes, which are stored as they are. */
static double state_bytes(const struct vks_settings *settings)
{
    struct vks_declaration steps = {0};
    double bytes = 0;
    vks_declare_steps(settings, &steps);
    for (size_t i = 0; i < steps.field_count; i++) {
        const struct vks_field whole = vks_whole_field(&steps, &steps.fields[i]);
        bytes += whole.persistent ? (double)vks_field_bytes(&whole) : 0;
    }
    vks_declaration_free(&steps);
    return bytes;
}

/* Adds a file. One whose folder is unknown does not count. */
static void add(struct disks *disks, const char *path, double bytes)
{
    char *target = bytes > 0 ? vks_follow_links(path) : NULL;
    char *folder = target ? vks_folder_of(target) : NULL;
    struct stat info;
    size_t at = 0;
    free(target);
    if (!folder || stat(folder, &info) != 0) {
        free(folder);
        return;
    }
    while (at < disks->count && disks->list[at].device != info.st_dev) {
        at++;
    }
    if (at < disks->count) {
        free(folder);
    } else {
        disks->list[disks->count++] = (struct disk){.device = info.st_dev, .folder = folder};
    }
    disks->list[at].needs += bytes;
}

static void warn(const struct disk *disk)
{
    struct statvfs info;
    char needs[32], has[32];
    if (statvfs(disk->folder, &info) != 0 || info.f_blocks == 0) { /* 0: it has no limit */
        return;
    }
    const double room = (double)info.f_bavail * (double)info.f_frsize;
    if (disk->needs > room) {
        const double shown = disk->needs < 0x1p63 ? disk->needs : 0x1p63;
        vks_message(VKS_LOG_WARNING,
                    "the files of the run need at least %s, but the disk of the folder '%s' has "
                    "%s free",
                    vks_format_bytes((uint64_t)shown, needs), disk->folder,
                    vks_format_bytes((uint64_t)room, has));
    }
}

void vks_room_warn(const struct vks_cli *cli, const struct vks_outputs *outputs)
{
    struct disks disks = {0};
    const bool has_states = cli->save_state || cli->checkpoint;
    const double state = has_states ? state_bytes(&cli->cells[0]) : 0;
    for (size_t i = 0; i < outputs->sink_count; i++) {
        add(&disks, vks_sink_name(outputs->sinks[i]), vks_sink_bytes(outputs->sinks[i]));
    }
    if (cli->save_state) {
        add(&disks, cli->save_state, state);
    }
    /* A run that continues replaces its checkpoints, one at a time. */
    const size_t count = cli->checkpoint ? (vks_resume_keeps_name(cli) ? 1 : 2) : 0;
    for (size_t i = 0; i < count; i++) {
        add(&disks, cli->checkpoint_files[i], state);
    }
    for (size_t i = 0; i < disks.count; i++) {
        warn(&disks.list[i]);
        free(disks.list[i].folder);
    }
}
