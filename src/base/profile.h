/* SPDX-License-Identifier: MIT */
/* Where a run's time goes: what each of its threads does and waits for, and what the GPU did.
 *
 * A thread records into the profile that it is attached to. On other threads all functions below do
 * nothing, so programs that link the library only pay for a test of a pointer. Totals of phases
 * are always kept. Spans, slices and samples, from which a trace is made, are kept only while
 * tracing. */
#ifndef VKS_BASE_PROFILE_H
#define VKS_BASE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vks_phase {
#define VKS_PHASE(id, name) VKS_PHASE_##id,
#include "base/phase.def"
#undef VKS_PHASE
    VKS_PHASES
};

const char *vks_phase_name(enum vks_phase phase);

enum {
    VKS_MAX_TRACE = 1000000,    /* spans, slices and samples of a trace in total */
    VKS_MAX_BATCH_TIMES = 1000, /* batch times kept; beyond that neighbours are merged */
};

#define VKS_NO_NUMBER UINT64_MAX

/* A thread was in a phase. Spans of a thread nest. */
struct vks_span {
    enum vks_phase phase;
    double begin, end;    /* vks_seconds() */
    uint64_t frame, step; /* that it worked on, or VKS_NO_NUMBER */
    uint64_t submission;  /* timeline value that it submitted or consumed; 0: none */
};

struct vks_thread_profile {
    char name[32];
    double seconds[VKS_PHASES]; /* in that phase, but not in one nested in it */
    uint64_t count[VKS_PHASES];
    struct vks_span *spans; /* in order of their ends */
    size_t span_count, span_capacity;
    struct vks_thread_profile *next;
};

enum vks_slice_kind { VKS_SLICE_BATCH, VKS_SLICE_PASS, VKS_SLICE_COPY };

/* The GPU executed a pass, a batch of steps, the passes of a frame, or the copies of a frame. */
struct vks_slice {
    enum vks_slice_kind kind;
    const char *name;    /* the profile's */
    uint64_t begin, end; /* ticks of the GPU's clock */
    uint64_t step;       /* of a pass of a step: that step, from 0; else steps completed after it */
    uint64_t frame;      /* of copies, else VKS_NO_NUMBER */
    uint64_t submission; /* timeline value of its submission */
    double seen;         /* vks_seconds() when it was known to have ended */
};

enum vks_counter { VKS_COUNTER_MEMORY, VKS_COUNTER_RING, VKS_COUNTER_QUEUE, VKS_COUNTERS };

struct vks_sample {
    enum vks_counter counter;
    double time;  /* vks_seconds() */
    double value; /* bytes; frames; submissions that have not completed */
};

/* GPU time per step of some consecutive batches. */
struct vks_batch_time {
    uint64_t step;   /* completed at their end */
    uint64_t steps;  /* in them */
    double seconds;  /* of all of them */
    double min, max; /* per step, over the batches */
    uint64_t batches;
};

/* A moment on both clocks. */
struct vks_clock_pair {
    double host;      /* vks_seconds() */
    uint64_t ticks;   /* of the GPU */
    double deviation; /* seconds that `host` may be off, at most */
    bool estimated;   /* from a submission, because the device cannot read both clocks at once */
};

/* Read it only when all other threads have detached. */
struct vks_profile {
    double begin;                       /* vks_seconds() at its creation */
    struct vks_thread_profile *threads; /* the first is the one that created it */
    struct vks_slice *slices;
    size_t slice_count, slice_capacity;
    struct vks_sample *samples;
    size_t sample_count, sample_capacity;
    struct vks_batch_time *batches;
    size_t batch_count, batch_capacity;
    uint64_t batches_merged;         /* batches per entry */
    struct vks_clock_pair clocks[2]; /* at the beginning and the end */
    size_t clock_count;
    char **names; /* of slices */
    size_t name_count, name_capacity;
    uint64_t from, to; /* steps that are traced: the first, and the one after the last */
    bool cut;          /* the trace reached VKS_MAX_TRACE, or memory ran out */
};

/* Creates a profile that began at `begin` and attaches the calling thread to it as "main". NULL
 * when memory ran out; then nothing is recorded. */
struct vks_profile *vks_profile_create(double begin);
void vks_profile_destroy(struct vks_profile *profile); /* detaches the calling thread; NULL is
                                                        * fine */

/* The calling thread's; NULL if it is not attached. */
struct vks_profile *vks_profile_current(void);
/* Attaches the calling thread, in the phase OTHER. `profile` may be NULL. */
void vks_profile_attach(struct vks_profile *profile, const char *name);
void vks_profile_detach(void);

/* Enters and leaves a phase. Within TUNE and CEILINGS all phases count as those. */
void vks_phase_begin(enum vks_phase phase);
void vks_phase_end(void);
/* Counts the time since the thread's last change of phases as `phase`. */
void vks_phase_spent(enum vks_phase phase);
/* What the current phase works on: of its span. */
void vks_phase_step(uint64_t step);
void vks_phase_frame(uint64_t frame);
void vks_phase_submission(uint64_t value);
/* Brings the totals of the calling thread up to date; call it before reading them. */
void vks_phase_update(void);

/* Traces steps `from` to `to` - 1 and, with `start_up`, what precedes the first step of the run.
 * Call it before the first step. */
void vks_profile_trace(struct vks_profile *profile, uint64_t from, uint64_t to, bool start_up);
/* True if the step after `step` completed ones is traced. *left: steps until that changes. From now
 * on, threads record spans accordingly. Without a profile nothing is traced. */
bool vks_profile_enter_step(uint64_t step, uint64_t *left);
/* True while tracing. */
bool vks_profile_traces(void);
/* True if some steps of this run are traced. */
bool vks_profile_will_trace(void);

/* Records a slice; its name is copied. */
void vks_profile_slice(const struct vks_slice *slice);
/* Records a counter's value now. */
void vks_profile_sample(enum vks_counter counter, double value);
/* Records the GPU time of a batch of steps. Those in the phases TUNE and CEILINGS are not part of
 * the run: this function and those above ignore them. */
void vks_profile_batch(uint64_t step, uint32_t steps, double seconds);
/* Keeps the first and the latest. */
void vks_profile_clocks(const struct vks_clock_pair *pair);

/* vks_seconds() at that tick: on the line through the two moments, the GPU's ticks having `mask`
 * valid bits and `period` seconds. `seen`: a time after it, by at most three quarters of a
 * wrap-around (or before it, by at most a quarter). */
double vks_profile_host_time(const struct vks_profile *profile, uint64_t ticks, uint64_t mask,
                             double period, double seen);

#endif
