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

/* Makes room for one more moment: false if there is none even without the spare ones. */
static bool make_room(struct vks_history *history)
{
    const uint64_t needed = history->count ? history->moments[0].bytes : 0;
    while (history->count > 2 && history->bytes + needed > history->max_bytes) {
        forget(history, find_spare(history));
    }
    return history->bytes + needed <= history->max_bytes || history->count == 0;
}

enum vks_result vks_history_keep(struct vks_history *history, uint64_t step, size_t events,
                                 bool at_once)
{
    const double now = vks_seconds();
    struct vks_kept_moment moment = {.step = step, .events = events}, *grown;
    size_t at = history->count;
    while (at > 0 && history->moments[at - 1].step >= step) {
        at--;
    }
    const bool known = at < history->count && history->moments[at].step == step;
    if (known || (!at_once && history->last > 0 && now - history->last < history->interval)) {
        return VKS_OK;
    }
    grown = vks_grow(history->moments, sizeof(*grown), history->count, &history->capacity);
    if (!grown) {
        return vks_fail_memory();
    }
    history->moments = grown;
    history->last = now;
    if (!make_room(history)) {
        return VKS_OK;
    }
    const enum vks_result result =
        history->keeper.keep(history->keeper.user, &moment.moment, &moment.bytes);
    if (result != VKS_OK) {
        return result == VKS_ERROR_MEMORY ? VKS_OK : result;
    }
    for (at = history->count; at > 0 && grown[at - 1].step > step; at--) {
        grown[at] = grown[at - 1];
    }
    grown[at] = moment;
    history->count++;
    history->bytes += moment.bytes;
    return VKS_OK;
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
