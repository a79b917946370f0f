/* SPDX-License-Identifier: MIT */
/* Events: what a person or a program does to a running simulation, each stamped with its step. The
 * log of a run's events repeats the run to the bit. Scenes store it as "events": docs/scenes.md. */
#ifndef VKS_RUNS_LOG_H
#define VKS_RUNS_LOG_H

#include <jansson.h>
#include <stdbool.h>

#include <vksim/vksim.h>

/* One of three things. */
struct vks_event {
    uint64_t step; /* of the run, which restarts do not reset: it acts between the first `step`
                    * steps and the next one, before a frame of that state is drawn */
    json_t *set;   /* an object of options and their new values; NULL: none */
    bool restarts;
    uint32_t seed; /* of the restarted simulation, or the first cell's */
    json_t *paint; /* an array of 1 to VKS_MAX_STROKES strokes, as vks_event_strokes() reads them;
                    * NULL: none */
};

struct vks_log {
    struct vks_event *events; /* in order of their steps */
    size_t count, capacity;
    size_t done; /* of them are applied; the others are the future of a run that is repeated */
};

/* Events to be added to a log. `values`: an object, whose reference it takes; NULL becomes a
 * failure of the function that adds it. */
struct vks_event vks_event_set(json_t *values);
struct vks_event vks_event_restart(uint32_t seed);
/* The same for one option and its value as text. */
struct vks_event vks_event_option(const char *name, const char *text);

/* The same for a stroke. */
struct vks_event vks_event_stroke(const struct vks_stroke *stroke);
/* The strokes of an event, whose names are the event's. VKS_ERROR_USAGE for another form. */
enum vks_result vks_event_strokes(const struct vks_event *event,
                                  struct vks_stroke strokes[VKS_MAX_STROKES], size_t *count);

/* Appends the event, which the log takes over, also after a failure. */
enum vks_result vks_log_add(struct vks_log *log, const struct vks_event *event);
/* Adds an event that was applied now, in place of the future. It joins the last one if both set
 * options at the same step. */
enum vks_result vks_log_record(struct vks_log *log, const struct vks_event *event);
/* The next event of the future; NULL: there is none. */
struct vks_event *vks_log_next(const struct vks_log *log);
/* Removes that one. */
void vks_log_drop(struct vks_log *log);
/* Removes the events from number `first` on. */
void vks_log_cut(struct vks_log *log, size_t first);
/* Adds copies of all events of another log. */
enum vks_result vks_log_copy(struct vks_log *log, const struct vks_log *from);
void vks_log_free(struct vks_log *log); /* and zeroes it; a zeroed log is fine */

/* Whether an event restarts the simulation. */
bool vks_log_restarts(const struct vks_log *log);

/* Reads the list "events" of a scene. Checks its form and order; whether options have these values,
 * the run says. VKS_ERROR_USAGE names `source` and the number of the event, from 1. */
enum vks_result vks_log_read(const json_t *events, const char *source, struct vks_log *log);
/* The list as a new reference; NULL if memory ran out. */
json_t *vks_log_json(const struct vks_log *log);

#endif
