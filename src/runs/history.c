/* SPDX-License-Identifier: MIT */
#include "runs/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"

static void forget(struct vks_history *history, size_t index)
{
    struct vks_kept_moment *moment = &history->moments[index];
    history->bytes -= moment->bytes;
    history->keeper.forget(history->keeper.user, moment->moment);
    memmove(moment, moment + 1, (--history->count - index) * sizeof(*moment));
}

/* The moment that is missed least: the one with the smallest gap between its neighbours relative to
 * its age. The first and the last stay. */
static size_t find_spare(const struct vks_history *history)
{
    const uint64_t now = history->moments[history->count - 1].step;
    size_t spare = 1;
    double least = 0;
    for (size_t i = 1; i + 1 < history->count; i++) {
        const struct vks_kept_moment *moment = &history->moments[i];
        const double gap = (double)(moment[1].step - moment[-1].step);
        const double share = gap / (double)(now - moment->step + 1);
        if (i == 1 || share < least) {
            spare = i;
            least = share;
        }
    }
    return spare;
}

enum vks_result vks_history_keep(struct vks_history *history, uint64_t step, size_t events)
{
    const double now = vks_seconds();
    const struct vks_kept_moment *last =
        history->count ? &history->moments[history->count - 1] : NULL;
    if ((last && last->step >= step) ||
        (history->last > 0 && now - history->last < history->interval)) {
        return VKS_OK;
    }
    struct vks_kept_moment *grown =
        vks_grow(history->moments, sizeof(*grown), history->count, &history->capacity);
    if (!grown) {
        return vks_fail_memory();
    }
    history->moments = grown;
    history->last = now;
    while (history->count > 2 && history->bytes + history->moments[0].bytes > history->max_bytes) {
        forget(history, find_spare(history));
    }
    if (history->count > 0 && history->bytes + history->moments[0].bytes > history->max_bytes) {
        return VKS_OK;
    }
    struct vks_kept_moment moment = {.step = step, .events = events};
    const enum vks_result result =
        history->keeper.keep(history->keeper.user, &moment.moment, &moment.bytes);
    if (result == VKS_ERROR_MEMORY) {
        return VKS_OK;
    }
    if (result == VKS_OK) {
        history->moments[history->count++] = moment;
        history->bytes += moment.bytes;
    }
    return result;
}

enum vks_result vks_history_return(struct vks_history *history, uint64_t step, size_t events,
                                   struct vks_kept_moment *found)
{
    size_t index = history->count;
    while (index > 0 && (history->moments[index - 1].step > step ||
                         history->moments[index - 1].events > events)) {
        index--;
    }
    if (index == 0) {
        return vks_fail(VKS_ERROR_USAGE, "no earlier moment of this run is kept");
    }
    *found = history->moments[index - 1];
    return history->keeper.restore(history->keeper.user, found->moment);
}

void vks_history_cut(struct vks_history *history, size_t events)
{
    while (history->count > 0 && history->moments[history->count - 1].events > events) {
        forget(history, history->count - 1);
    }
}

void vks_history_branch(struct vks_history *history, uint64_t step, size_t event)
{
    while (history->count > 0 && history->moments[history->count - 1].step > step) {
        forget(history, history->count - 1);
    }
    struct vks_kept_moment *last =
        history->count > 0 ? &history->moments[history->count - 1] : NULL;
    if (last && last->events > event) {
        last->events = event;
    }
}

void vks_history_free(struct vks_history *history)
{
    while (history->count > 0) {
        forget(history, history->count - 1);
    }
    free(history->moments);
    *history = (struct vks_history){0};
}
