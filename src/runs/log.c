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

/* --- strokes --------------------------------------------------------------------------------- */

/* A number of a stroke. */
struct part {
    const char *key;
    size_t offset;
    const char *same; /* the key whose value it has unless it is given; NULL: `otherwise` */
    int64_t otherwise, min, max;
};

#define AT(member) offsetof(struct vks_stroke, member)
static const struct part parts[] = {
    {"x", AT(x), NULL, 0, INT32_MIN, INT32_MAX},
    {"y", AT(y), NULL, 0, INT32_MIN, INT32_MAX},
    {"z", AT(z), NULL, 0, INT32_MIN, INT32_MAX},
    {"x2", AT(x2), "x", 0, INT32_MIN, INT32_MAX},
    {"y2", AT(y2), "y", 0, INT32_MIN, INT32_MAX},
    {"z2", AT(z2), "z", 0, INT32_MIN, INT32_MAX},
    {"radius", AT(radius), NULL, 0, 0, INT32_MAX},
    {"soft", AT(soft), NULL, 0, 0, INT32_MAX},
    {"strength", AT(strength), NULL, 65536, 0, INT32_MAX},
    {"inverse", AT(inverse), NULL, 0, 0, 1},
};

/* All are 32 bits wide, and no unsigned one is read that is over INT32_MAX. */
static int32_t *part_of(struct vks_stroke *stroke, const struct part *part)
{
    return (int32_t *)(void *)((char *)stroke + part->offset);
}

/* What the stroke has unless the part is given. */
static int64_t usual(const json_t *object, const struct part *part)
{
    const json_t *value = part->same ? json_object_get(object, part->same) : NULL;
    return value ? json_integer_value(value) : part->otherwise;
}

static bool has_values(const struct vks_stroke *stroke)
{
    bool found = false;
    for (size_t i = 0; i < VKS_STROKE_VALUES; i++) {
        found = found || stroke->values[i] != 0;
    }
    return found;
}

/* An array of up to VKS_STROKE_VALUES numbers; those that it lacks are 0. */
static bool read_values(const json_t *array, struct vks_stroke *stroke)
{
    const size_t count = json_array_size(array);
    bool good = json_is_array(array) && count <= VKS_STROKE_VALUES;
    for (size_t i = 0; good && i < count; i++) {
        good = json_is_number(json_array_get(array, i));
        stroke->values[i] = json_number_value(json_array_get(array, i));
    }
    return good;
}

static json_t *values_of(const struct vks_stroke *stroke)
{
    json_t *array = json_array();
    for (size_t i = 0; i < VKS_STROKE_VALUES; i++) {
        if (json_array_append_new(array, json_real(stroke->values[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static bool read_stroke(const json_t *object, struct vks_stroke *stroke)
{
    const json_t *values = json_object_get(object, "values");
    size_t known = values ? 2 : 1;
    *stroke = (struct vks_stroke){.size = sizeof(*stroke)};
    stroke->brush = json_string_value(json_object_get(object, "brush"));
    for (size_t i = 0; i < VKS_COUNT(parts); i++) {
        const json_t *value = json_object_get(object, parts[i].key);
        const int64_t number = value ? json_integer_value(value) : usual(object, &parts[i]);
        if ((value && !json_is_integer(value)) || number < parts[i].min || number > parts[i].max) {
            return false;
        }
        known += value != NULL;
        *part_of(stroke, &parts[i]) = (int32_t)number;
    }
    return stroke->brush && (!values || read_values(values, stroke)) &&
           json_object_size(object) == known;
}

enum vks_result vks_event_strokes(const struct vks_event *event,
                                  struct vks_stroke strokes[VKS_MAX_STROKES], size_t *count)
{
    *count = json_array_size(event->paint);
    for (size_t i = 0; i < *count && *count <= VKS_MAX_STROKES; i++) {
        if (!read_stroke(json_array_get(event->paint, i), &strokes[i])) {
            return vks_fail(VKS_ERROR_USAGE,
                            "stroke %zu is not an object of \"brush\", a name, and whole numbers, "
                            "which can be x, y, z, x2, y2, z2, radius, soft, strength and inverse, "
                            "and \"values\", up to %d numbers",
                            i + 1, VKS_STROKE_VALUES);
        }
    }
    return *count >= 1 && *count <= VKS_MAX_STROKES
               ? VKS_OK
               : vks_fail(VKS_ERROR_USAGE, "an event has 1 to %d strokes, not %zu", VKS_MAX_STROKES,
                          *count);
}

struct vks_event vks_event_stroke(const struct vks_stroke *stroke)
{
    struct vks_stroke copy = *stroke;
    json_t *object = json_pack("{s:s}", "brush", stroke->brush);
    for (size_t i = 0; object && i < VKS_COUNT(parts); i++) {
        const int64_t number = *part_of(&copy, &parts[i]);
        if (number != usual(object, &parts[i]) || strcmp(parts[i].key, "x") == 0 ||
            strcmp(parts[i].key, "y") == 0) {
            object = with(object, parts[i].key, json_integer(number));
        }
    }
    if (has_values(stroke)) {
        object = with(object, "values", values_of(stroke));
    }
    json_t *paint = json_array();
    if (!object || json_array_append_new(paint, object) != 0) {
        json_decref(paint);
        paint = NULL;
    }
    return (struct vks_event){.paint = paint ? paint : json_null()};
}

/* --- the log --------------------------------------------------------------------------------- */

static void release(const struct vks_event *event)
{
    json_decref(event->set);
    json_decref(event->paint);
}

enum vks_result vks_log_add(struct vks_log *log, const struct vks_event *event)
{
    const bool complete = (!event->set || json_is_object(event->set)) &&
                          (!event->paint || json_is_array(event->paint));
    struct vks_event *grown =
        complete ? vks_grow(log->events, sizeof(*log->events), log->count, &log->capacity) : NULL;
    if (!grown) {
        release(event);
        return vks_fail_memory();
    }
    log->events = grown;
    log->events[log->count++] = *event;
    return VKS_OK;
}

/* Whether the event sets options, as the last one at the same step does. */
static bool joins_last(const struct vks_log *log, const struct vks_event *event)
{
    const struct vks_event *last = log->count ? &log->events[log->count - 1] : NULL;
    return last && last->step == event->step && last->set && event->set;
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
    release(event);
    memmove(event, event + 1, (--log->count - log->done) * sizeof(*event));
}

void vks_log_cut(struct vks_log *log, size_t first)
{
    while (log->count > first) {
        release(&log->events[--log->count]);
    }
    log->done = log->done < first ? log->done : first;
}

enum vks_result vks_log_copy(struct vks_log *log, const struct vks_log *from)
{
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < from->count && result == VKS_OK; i++) {
        json_incref(from->events[i].set);
        json_incref(from->events[i].paint);
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
        } else if (strcmp(key, "paint") == 0) {
            event->paint = value;
        } else if (strcmp(key, "step") != 0) {
            return "has a key that is none of \"step\", \"set\", \"restart\" and \"paint\"";
        }
    }
    return json_object_size(object) == 2
               ? NULL
               : "needs one of \"set\", \"restart\" and \"paint\" besides its \"step\"";
}

enum vks_result vks_log_read(const json_t *events, const char *source, struct vks_log *log)
{
    struct vks_stroke strokes[VKS_MAX_STROKES];
    enum vks_result result = VKS_OK;
    size_t count;
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
        if (event.paint && vks_event_strokes(&event, strokes, &count) != VKS_OK) {
            return vks_fail(VKS_ERROR_USAGE, "'%s': event %zu: %s", source, i + 1,
                            vks_error_text());
        }
        json_incref(event.set);
        json_incref(event.paint);
        result = vks_log_add(log, &event);
    }
    return result;
}

static json_t *event_of(const struct vks_event *event)
{
    json_t *object = with(json_object(), "step", json_integer((json_int_t)event->step));
    if (event->set) {
        object = with(object, "set", json_incref(event->set));
    }
    if (event->restarts) {
        object = with(object, "restart", json_integer(event->seed));
    }
    return event->paint ? with(object, "paint", json_incref(event->paint)) : object;
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
