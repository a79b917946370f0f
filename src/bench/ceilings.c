/* SPDX-License-Identifier: MIT */
#include "bench/ceilings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/task.h"
#include "base/nearest.h"
#include "bench/keep.h"
#include "bench/rows.h"
#include "gpu/clock.h"
#include "gpu/memory.h"

const char *const vks_report_ceilings[] = {
    "copy",      "read",          "float32",          "float32-add", "int32",
    "atomic-1k", "atomic-spread", "dispatch-barrier", NULL,
};

enum { REPEATS = 9, FEW_REPEATS = 5 };

void vks_ceilings_free(struct vks_ceilings *set)
{
    for (size_t i = 0; i < set->count; i++) {
        free(set->items[i].points);
    }
    free(set->items);
    *set = (struct vks_ceilings){0};
}

const struct vks_ceiling *vks_ceilings_find(const struct vks_ceilings *set, const char *name)
{
    for (size_t i = 0; i < set->count; i++) {
        const struct vks_ceiling *item = &set->items[i];
        if (strcmp(item->info->name, name) == 0 && item->value.samples > 0) {
            return item;
        }
    }
    return NULL;
}

/* --- names ----------------------------------------------------------------------------------- */

/* All names, for messages; to be freed. NULL when memory ran out. */
static const char **list_names(void)
{
    size_t count = 0;
    while (vks_ceiling_info(count)) {
        count++;
    }
    const char **names = calloc(count + 1, sizeof(*names));
    for (size_t i = 0; names && i < count; i++) {
        names[i] = vks_ceiling_info(i)->name;
    }
    return names;
}

static bool is_listed(const char *const *names, const char *name)
{
    size_t i = 0;
    while (names[i] && strcmp(names[i], name) != 0) {
        i++;
    }
    return names[i] != NULL;
}

static enum vks_result check_names(const char *const *wanted)
{
    const char **names = list_names();
    enum vks_result result = names ? VKS_OK : vks_fail_memory();
    for (size_t i = 0; wanted && wanted[i] && result == VKS_OK; i++) {
        if (!is_listed(names, wanted[i])) {
            char near[64], all[512];
            result = vks_fail(VKS_ERROR_USAGE, "there is no ceiling '%s'%s; there are: %s",
                              wanted[i], vks_did_you_mean(wanted[i], names, near, sizeof(near)),
                              vks_join(names, all, sizeof(all)));
        }
    }
    free((void *)names);
    return result;
}

/* --- measuring ------------------------------------------------------------------------------- */

static enum vks_result begin(const struct vks_ceilings_request *request,
                             const struct vks_ceiling *ceiling, uint64_t bytes)
{
    char what[64], size[32];
    if (request->stop && request->stop()) {
        return VKS_INTERRUPTED;
    }
    if (request->progress) {
        snprintf(what, sizeof(what), "%s%s%s", ceiling->info->name, bytes ? ", " : "",
                 bytes ? vks_format_bytes(bytes, size) : "");
        request->progress(request->user, what);
    }
    return VKS_OK;
}

static struct vks_effort effort_for(const struct vks_gpu *gpu,
                                    const struct vks_ceilings_request *request, uint32_t repeats)
{
    const bool software = gpu->info.type == VKS_DEVICE_SOFTWARE;
    return (struct vks_effort){
        .seconds = software ? 0.008 : 0.004, .repeats = repeats, .spoiled = request->spoiled};
}

/* All sizes but the largest. */
static enum vks_result measure_points(struct vks_gpu *gpu,
                                      const struct vks_ceilings_request *request, size_t index,
                                      struct vks_ceiling *ceiling)
{
    const uint64_t largest = vks_largest_buffer(gpu);
    const struct vks_effort effort = effort_for(gpu, request, FEW_REPEATS);
    size_t capacity = 0;
    enum vks_result result = VKS_OK;
    for (uint64_t bytes = VKS_SMALLEST_BUFFER; bytes <= largest && result == VKS_OK; bytes *= 2) {
        struct vks_ceiling_point *grown =
            vks_grow(ceiling->points, sizeof(*ceiling->points), ceiling->point_count, &capacity);
        if (!grown) {
            return vks_fail_memory();
        }
        ceiling->points = grown;
        struct vks_ceiling_point *point = &grown[ceiling->point_count];
        *point = (struct vks_ceiling_point){.bytes = bytes, .value = ceiling->value};
        if (bytes < largest) {
            result = begin(request, ceiling, bytes);
            if (result == VKS_OK) {
                result =
                    vks_ceiling_measure(gpu, index, bytes, &effort, &point->value, &point->bytes);
            }
        }
        ceiling->point_count += result == VKS_OK;
    }
    return result;
}

static enum vks_result measure(struct vks_gpu *gpu, const struct vks_ceilings_request *request,
                               size_t index, struct vks_ceiling *ceiling)
{
    const uint32_t repeats = request->complete ? REPEATS : FEW_REPEATS;
    const struct vks_effort effort = effort_for(gpu, request, repeats);
    const uint64_t largest = vks_largest_buffer(gpu);
    free(ceiling->points);
    *ceiling = (struct vks_ceiling){.info = ceiling->info};
    enum vks_result result = begin(request, ceiling, ceiling->info->sizes ? largest : 0);
    if (result == VKS_OK) {
        result =
            vks_ceiling_measure(gpu, index, largest, &effort, &ceiling->value, &ceiling->bytes);
    }
    if (result == VKS_OK && request->complete && ceiling->info->sizes) {
        result = measure_points(gpu, request, index, ceiling);
    }
    if (result != VKS_OK) {
        free(ceiling->points);
        *ceiling = (struct vks_ceiling){.info = ceiling->info};
    }
    return result;
}

/* An item for each row of the table. */
static enum vks_result create(const struct vks_gpu *gpu, struct vks_ceilings *set)
{
    size_t count = 0;
    while (vks_ceiling_info(count)) {
        count++;
    }
    *set = (struct vks_ceilings){.items = calloc(count, sizeof(*set->items)), .count = count};
    if (!set->items) {
        *set = (struct vks_ceilings){0};
        return vks_fail_memory();
    }
    for (size_t i = 0; i < count; i++) {
        set->items[i].info = vks_ceiling_info(i);
        set->items[i].missing = vks_ceiling_missing(gpu, i);
    }
    return VKS_OK;
}

/* Drops items that are not requested. */
static void select_items(const struct vks_ceilings_request *request, struct vks_ceilings *set)
{
    size_t kept = 0;
    for (size_t i = 0; i < set->count; i++) {
        if (!request->names || is_listed(request->names, set->items[i].info->name)) {
            set->items[kept++] = set->items[i];
        } else {
            free(set->items[i].points);
        }
    }
    set->count = kept;
}

enum vks_result vks_ceilings_get(struct vks_gpu *gpu, const struct vks_ceilings_request *request,
                                 struct vks_ceilings *set)
{
    bool measured = false;
    *set = (struct vks_ceilings){0};
    enum vks_result result = check_names(request->names);
    if (result == VKS_OK) {
        result = vks_gpu_need_timestamps(gpu);
    }
    if (result == VKS_OK) {
        result = create(gpu, set);
    }
    if (result == VKS_OK) {
        vks_ceilings_read(gpu, set);
    }
    for (size_t i = 0; i < set->count && result == VKS_OK; i++) {
        struct vks_ceiling *ceiling = &set->items[i];
        const bool complete =
            ceiling->kept &&
            (!request->complete || (ceiling->value.samples >= REPEATS &&
                                    (!ceiling->info->sizes || ceiling->point_count > 0)));
        if (ceiling->missing || (complete && !request->fresh) ||
            (request->names && !is_listed(request->names, ceiling->info->name))) {
            continue;
        }
        result = measure(gpu, request, i, ceiling);
        measured = measured || result == VKS_OK;
    }
    if (measured) { /* even if a later one failed or was interrupted */
        if (!request->transient) {
            vks_ceilings_write(gpu, set);
        }
    }
    if (result == VKS_OK || result == VKS_INTERRUPTED) {
        select_items(request, set);
    }
    return result;
}

enum vks_result vks_copy_bandwidth(struct vks_gpu *gpu, double *bandwidth)
{
    const char *const names[] = {"copy", NULL};
    struct vks_ceilings set = {0};
    *bandwidth = 0;
    if (gpu->timestamp_period == 0) {
        return VKS_OK;
    }
    const enum vks_result result = vks_ceilings_get(
        gpu, &(struct vks_ceilings_request){.names = names, .stop = vks_interrupted}, &set);
    const struct vks_ceiling *copy = vks_ceilings_find(&set, "copy");
    if (result == VKS_OK && copy) {
        *bandwidth = copy->value.median;
    }
    vks_ceilings_free(&set);
    return result;
}
