/* SPDX-License-Identifier: MIT */
#include "runs/log.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* --- events ---------------------------------------------------------------------------------- */

struct vks_event vks_event_set(json_t *values)
{
    return (struct vks_event){.set = values ? values : json_null()};
}

struct vks_event vks_event_option(const char *name, const char *text)
{
    return vks_event_set(json_pack("{s:s}", name, text));
}

struct vks_event vks_event_restart(uint32_t seed)
{
    return (struct vks_event){.restarts = true, .seed = seed};
}

/* --- the log --------------------------------------------------------------------------------- */

enum vks_result vks_log_add(struct vks_log *log, const struct vks_event *event)
{
    const bool complete = !event->set || json_is_object(event->set);
    struct vks_event *grown =
        complete ? vks_grow(log->events, sizeof(*log->events), log->count, &log->capacity) : NULL;
    if (!grown) {
        json_decref(event->set);
        return vks_fail_memory();
    }
    log->events = grown;
    log->events[log->count++] = *event;
    return VKS_OK;
}

/* Whether the event only sets options, as the last one at the same step does. */
static bool joins_last(const struct vks_log *log, const struct vks_event *event)
{
    const struct vks_event *last = log->count ? &log->events[log->count - 1] : NULL;
    return last && last->step == event->step && last->set && !last->restarts && event->set &&
           !event->restarts;
}

enum vks_result vks_log_record(struct vks_log *log, const struct vks_event *event)
{
    vks_log_cut(log, log->done);
    if (joins_last(log, event)) {
        const int failed = json_object_update(log->events[log->count - 1].set, event->set);
        json_decref(event->set);
        return failed ? vks_fail_memory() : VKS_OK;
    }
    const enum vks_result result = vks_log_add(log, event);
    log->done = log->count;
    return result;
}

struct vks_event *vks_log_next(const struct vks_log *log)
{
    return log && log->done < log->count ? &log->events[log->done] : NULL;
}

void vks_log_drop(struct vks_log *log)
{
    struct vks_event *event = &log->events[log->done];
    json_decref(event->set);
    memmove(event, event + 1, (--log->count - log->done) * sizeof(*event));
}

void vks_log_cut(struct vks_log *log, size_t first)
{
    while (log->count > first) {
        json_decref(log->events[--log->count].set);
    }
    log->done = log->done < first ? log->done : first;
}

enum vks_result vks_log_copy(struct vks_log *log, const struct vks_log *from)
{
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < from->count && result == VKS_OK; i++) {
        json_incref(from->events[i].set);
        result = vks_log_add(log, &from->events[i]);
    }
    return result;
}

void vks_log_free(struct vks_log *log)
{
    vks_log_cut(log, 0);
    free(log->events);
    *log = (struct vks_log){0};
}

bool vks_log_restarts(const struct vks_log *log)
{
    bool found = false;
    for (size_t i = 0; i < log->count; i++) {
        found = found || log->events[i].restarts;
    }
    return found;
}

/* --- scenes ---------------------------------------------------------------------------------- */

/* Reads one event. Returns what is wrong with it, NULL: nothing. */
static const char *read_event(json_t *object, struct vks_event *event)
{
    const char *key;
    json_t *value;
    const json_t *step = json_object_get(object, "step");
    if (!json_is_integer(step) || json_integer_value(step) < 0) {
        return "needs a \"step\", a number of steps from 0 on";
    }
    event->step = (uint64_t)json_integer_value(step);
    json_object_foreach(object, key, value)
    {
        if (strcmp(key, "set") == 0) {
            if (!json_is_object(value) || json_object_size(value) == 0) {
                return "has a \"set\" that is not an object of options and values";
            }
            event->set = value;
        } else if (strcmp(key, "restart") == 0) {
            const json_int_t seed = json_is_integer(value) ? json_integer_value(value) : -1;
            if (seed < 0 || seed > UINT32_MAX) {
                return "has a \"restart\" that is not a seed, a number from 0 to 4294967295";
            }
            event->restarts = true;
            event->seed = (uint32_t)seed;
        } else if (strcmp(key, "step") != 0) {
            return "has a key that is none of \"step\", \"set\" and \"restart\"";
        }
    }
    return event->set || event->restarts ? NULL : "does nothing: give it \"set\" or \"restart\"";
}

enum vks_result vks_log_read(const json_t *events, const char *source, struct vks_log *log)
{
    enum vks_result result = VKS_OK;
    if (events && !json_is_array(events)) {
        return vks_fail(VKS_ERROR_USAGE, "'%s': \"events\" must be a list", source);
    }
    for (size_t i = 0; i < json_array_size(events) && result == VKS_OK; i++) {
        struct vks_event event = {0};
        const char *wrong = read_event(json_array_get(events, i), &event);
        if (!wrong && log->count > 0 && event.step < log->events[log->count - 1].step) {
            wrong = "comes before its predecessor: events are in order of their steps";
        }
        if (wrong) {
            return vks_fail(VKS_ERROR_USAGE, "'%s': event %zu %s", source, i + 1, wrong);
        }
        json_incref(event.set);
        result = vks_log_add(log, &event);
    }
    return result;
}

/* Sets a key of an object, which it takes, to a value whose reference it takes. NULL if memory ran
 * out, before or now. */
static json_t *with(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) == 0) {
        return object;
    }
    json_decref(object);
    return NULL;
}

static json_t *event_of(const struct vks_event *event)
{
    json_t *object = with(json_object(), "step", json_integer((json_int_t)event->step));
    if (event->set) {
        object = with(object, "set", json_incref(event->set));
    }
    return event->restarts ? with(object, "restart", json_integer(event->seed)) : object;
}

json_t *vks_log_json(const struct vks_log *log)
{
    json_t *events = json_array();
    for (size_t i = 0; events && i < log->count; i++) {
        if (json_array_append_new(events, event_of(&log->events[i])) != 0) {
            json_decref(events);
            return NULL;
        }
    }
    return events;
}
