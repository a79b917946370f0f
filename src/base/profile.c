/* SPDX-License-Identifier: MIT */
#include "base/profile.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"

enum { MAX_NESTED = 16 };

/* The part of a profile that all threads share. */
struct shared {
    struct vks_profile public;
    pthread_mutex_t lock; /* for the lists of the profile */
    atomic_bool tracing;
    atomic_size_t recorded; /* towards VKS_MAX_TRACE */
    bool will_trace;
};

/* What the calling thread is doing. */
static _Thread_local struct {
    struct shared *profile; /* NULL: not attached */
    struct vks_thread_profile *thread;
    struct vks_span open[MAX_NESTED]; /* the innermost is last */
    size_t depth;                     /* may exceed MAX_NESTED: phases that are not recorded */
    double since;                     /* when the innermost was entered or resumed */
} self;

static const char *const phase_names[] = {
#define VKS_PHASE(id, name) [VKS_PHASE_##id] = name,
#include "base/phase.def"
#undef VKS_PHASE
};

const char *vks_phase_name(enum vks_phase phase)
{
    return phase_names[phase];
}

/* --- threads --------------------------------------------------------------------------------- */

struct vks_profile *vks_profile_create(double begin)
{
    struct shared *profile = calloc(1, sizeof(*profile));
    if (!profile) {
        return NULL;
    }
    pthread_mutex_init(&profile->lock, NULL);
    profile->public.begin = begin;
    profile->public.batches_merged = 1;
    vks_profile_attach(&profile->public, "main");
    if (!self.profile) {
        pthread_mutex_destroy(&profile->lock);
        free(profile);
        return NULL;
    }
    self.since = self.open[0].begin = begin;
    return &profile->public;
}

void vks_profile_destroy(struct vks_profile *profile)
{
    struct shared *shared = (struct shared *)profile;
    if (!shared) {
        return;
    }
    vks_profile_detach();
    while (profile->threads) {
        struct vks_thread_profile *next = profile->threads->next;
        free(profile->threads->spans);
        free(profile->threads);
        profile->threads = next;
    }
    for (size_t i = 0; i < profile->name_count; i++) {
        free(profile->names[i]);
    }
    free(profile->names);
    free(profile->slices);
    free(profile->samples);
    free(profile->batches);
    pthread_mutex_destroy(&shared->lock);
    free(shared);
}

struct vks_profile *vks_profile_current(void)
{
    return self.profile ? &self.profile->public : NULL;
}

void vks_profile_attach(struct vks_profile *profile, const char *name)
{
    struct shared *shared = (struct shared *)profile;
    struct vks_thread_profile *thread = shared ? calloc(1, sizeof(*thread)) : NULL;
    if (!thread) {
        return;
    }
    snprintf(thread->name, sizeof(thread->name), "%s", name);
    pthread_mutex_lock(&shared->lock);
    struct vks_thread_profile **last = &profile->threads;
    while (*last) {
        last = &(*last)->next;
    }
    *last = thread;
    pthread_mutex_unlock(&shared->lock);
    self.profile = shared;
    self.thread = thread;
    self.depth = 0;
    self.since = vks_seconds();
    vks_phase_begin(VKS_PHASE_OTHER);
}

void vks_profile_detach(void)
{
    vks_phase_update();
    self.profile = NULL;
    self.thread = NULL;
}

/* --- phases ---------------------------------------------------------------------------------- */

static size_t innermost(void)
{
    return (self.depth < MAX_NESTED ? self.depth : MAX_NESTED) - 1;
}

/* Adds the time since the last change to the innermost phase. Returns the time. */
static double account(void)
{
    const double now = vks_seconds();
    if (self.depth > 0) {
        self.thread->seconds[self.open[innermost()].phase] += now - self.since;
    }
    self.since = now;
    return now;
}

/* True while the thread does work that is not part of the run: tuning, or measuring the device. */
static bool is_aside(void)
{
    const enum vks_phase phase = self.open[innermost()].phase;
    return phase == VKS_PHASE_TUNE || phase == VKS_PHASE_CEILINGS;
}

void vks_phase_begin(enum vks_phase phase)
{
    if (!self.profile) {
        return;
    }
    const double now = account();
    if (self.depth > 0 && is_aside()) {
        phase = self.open[innermost()].phase;
    }
    if (self.depth < MAX_NESTED) {
        self.open[self.depth] = (struct vks_span){
            .phase = phase, .begin = now, .frame = VKS_NO_NUMBER, .step = VKS_NO_NUMBER};
        self.thread->count[phase]++;
    }
    self.depth++;
}

static void note_cut(struct shared *profile)
{
    pthread_mutex_lock(&profile->lock);
    profile->public.cut = true;
    pthread_mutex_unlock(&profile->lock);
}

/* Room for one more item of a trace. */
static bool take_room(struct shared *profile)
{
    if (atomic_fetch_add(&profile->recorded, 1) < VKS_MAX_TRACE) {
        return true;
    }
    note_cut(profile);
    return false;
}

static void record_span(const struct vks_span *span)
{
    struct vks_thread_profile *thread = self.thread;
    struct vks_span *grown =
        take_room(self.profile)
            ? vks_grow(thread->spans, sizeof(*grown), thread->span_count, &thread->span_capacity)
            : NULL;
    if (grown) {
        thread->spans = grown;
        thread->spans[thread->span_count++] = *span;
    } else {
        note_cut(self.profile);
    }
}

void vks_phase_end(void)
{
    if (!self.profile || self.depth <= 1) { /* OTHER stays */
        return;
    }
    const double now = account();
    if (self.depth <= MAX_NESTED && atomic_load(&self.profile->tracing)) {
        struct vks_span *span = &self.open[self.depth - 1];
        span->end = now;
        record_span(span);
    }
    self.depth--;
}

void vks_phase_spent(enum vks_phase phase)
{
    if (self.profile) {
        const double begin = self.since;
        self.since = vks_seconds();
        self.thread->seconds[phase] += self.since - begin;
        self.thread->count[phase]++;
    }
}

void vks_phase_step(uint64_t step)
{
    if (self.profile) {
        self.open[innermost()].step = step;
    }
}

void vks_phase_frame(uint64_t frame)
{
    if (self.profile) {
        self.open[innermost()].frame = frame;
    }
}

void vks_phase_submission(uint64_t value)
{
    if (self.profile) {
        self.open[innermost()].submission = value;
    }
}

void vks_phase_update(void)
{
    if (self.profile) {
        (void)account();
    }
}

/* --- traces ---------------------------------------------------------------------------------- */

void vks_profile_trace(struct vks_profile *profile, uint64_t from, uint64_t to, bool start_up)
{
    struct shared *shared = (struct shared *)profile;
    profile->from = from;
    profile->to = to;
    shared->will_trace = true;
    atomic_store(&shared->tracing, start_up);
}

bool vks_profile_enter_step(uint64_t step, uint64_t *left)
{
    *left = UINT64_MAX;
    if (!self.profile || !self.profile->will_trace || is_aside()) {
        return false;
    }
    const struct vks_profile *profile = &self.profile->public;
    const bool on = step >= profile->from && step < profile->to;
    if (step < profile->from) {
        *left = profile->from - step;
    } else if (on) {
        *left = profile->to - step;
    }
    atomic_store(&self.profile->tracing, on);
    return on;
}

bool vks_profile_traces(void)
{
    return self.profile && atomic_load(&self.profile->tracing) && !is_aside();
}

bool vks_profile_will_trace(void)
{
    return self.profile && self.profile->will_trace;
}

/* The profile's copy of a name; NULL when memory ran out. Call with the lock held. */
static const char *keep_name(struct vks_profile *profile, const char *name)
{
    for (size_t i = 0; i < profile->name_count; i++) {
        if (strcmp(profile->names[i], name) == 0) {
            return profile->names[i];
        }
    }
    char **grown =
        vks_grow(profile->names, sizeof(*grown), profile->name_count, &profile->name_capacity);
    if (!grown) {
        return NULL;
    }
    profile->names = grown;
    char *copy = vks_strdup(name);
    if (copy) {
        profile->names[profile->name_count++] = copy;
    }
    return copy;
}

void vks_profile_slice(const struct vks_slice *slice)
{
    struct shared *shared = self.profile;
    if (!shared || !shared->will_trace) {
        return;
    }
    struct vks_profile *profile = &shared->public;
    if (!take_room(shared)) {
        return;
    }
    pthread_mutex_lock(&shared->lock);
    const char *name = keep_name(profile, slice->name);
    struct vks_slice *grown =
        vks_grow(profile->slices, sizeof(*grown), profile->slice_count, &profile->slice_capacity);
    if (grown) {
        profile->slices = grown;
    }
    if (grown && name) {
        profile->slices[profile->slice_count] = *slice;
        profile->slices[profile->slice_count++].name = name;
    } else {
        profile->cut = true;
    }
    pthread_mutex_unlock(&shared->lock);
}

void vks_profile_sample(enum vks_counter counter, double value)
{
    struct shared *shared = self.profile;
    if (!vks_profile_traces() || !take_room(shared)) {
        return;
    }
    struct vks_profile *profile = &shared->public;
    pthread_mutex_lock(&shared->lock);
    struct vks_sample *grown = vks_grow(profile->samples, sizeof(*grown), profile->sample_count,
                                        &profile->sample_capacity);
    if (grown) {
        profile->samples = grown;
        profile->samples[profile->sample_count++] =
            (struct vks_sample){counter, vks_seconds(), value};
    } else {
        profile->cut = true;
    }
    pthread_mutex_unlock(&shared->lock);
}

/* --- batches --------------------------------------------------------------------------------- */

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static struct vks_batch_time merge(const struct vks_batch_time *a, const struct vks_batch_time *b)
{
    return (struct vks_batch_time){.step = b->step,
                                   .steps = a->steps + b->steps,
                                   .seconds = a->seconds + b->seconds,
                                   .min = smaller(a->min, b->min),
                                   .max = larger(a->max, b->max),
                                   .batches = a->batches + b->batches};
}

void vks_profile_batch(uint64_t step, uint32_t steps, double seconds)
{
    struct shared *shared = self.profile;
    if (!shared || is_aside()) {
        return;
    }
    struct vks_profile *profile = &shared->public;
    const double each = seconds / steps;
    const struct vks_batch_time time = {step, steps, seconds, each, each, 1};
    pthread_mutex_lock(&shared->lock);
    struct vks_batch_time *last =
        profile->batch_count ? &profile->batches[profile->batch_count - 1] : NULL;
    if (last && last->batches < profile->batches_merged) {
        *last = merge(last, &time);
    } else {
        if (profile->batch_count == VKS_MAX_BATCH_TIMES) {
            for (size_t i = 0; i < VKS_MAX_BATCH_TIMES / 2; i++) {
                profile->batches[i] = merge(&profile->batches[2 * i], &profile->batches[2 * i + 1]);
            }
            profile->batch_count /= 2;
            profile->batches_merged *= 2;
        }
        struct vks_batch_time *grown = vks_grow(profile->batches, sizeof(*grown),
                                                profile->batch_count, &profile->batch_capacity);
        if (grown) {
            profile->batches = grown;
            profile->batches[profile->batch_count++] = time;
        }
    }
    pthread_mutex_unlock(&shared->lock);
}

/* --- clocks ---------------------------------------------------------------------------------- */

void vks_profile_clocks(const struct vks_clock_pair *pair)
{
    if (self.profile) {
        struct vks_profile *profile = &self.profile->public;
        profile->clocks[profile->clock_count > 0] = *pair;
        profile->clock_count += profile->clock_count < 2;
    }
}

/* Ticks from `a` to `b` of a clock that wraps, which may also run backwards by less than half. */
static double ticks_between(uint64_t a, uint64_t b, uint64_t mask)
{
    const uint64_t forwards = (b - a) & mask;
    return forwards <= mask / 2 ? (double)forwards : -(double)((a - b) & mask);
}

double vks_profile_host_time(const struct vks_profile *profile, uint64_t ticks, uint64_t mask,
                             double period, double seen)
{
    const struct vks_clock_pair *first = &profile->clocks[0], *last = &profile->clocks[1];
    double rate = period;
    const double wrap = ((double)mask + 1) * period;
    if (profile->clock_count == 2 && last->host - first->host < wrap / 2) {
        const double between = ticks_between(first->ticks, last->ticks, mask);
        const double measured = between > 0 ? (last->host - first->host) / between : 0;
        /* Clocks drift by parts per million; anything else is an error of the estimate. */
        rate = fabs(measured / period - 1) < 1e-3 ? measured : period;
    }
    const double time = first->host + ticks_between(first->ticks, ticks, mask) * rate;
    return time + wrap * floor((seen - time) / wrap + 0.25);
}
