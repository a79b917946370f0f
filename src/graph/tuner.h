/* SPDX-License-Identifier: MIT */
/* The tuner: finds the fastest of several candidates on the device at hand by measuring them, and
 * keeps the choice in a file next to the pipeline cache. Candidates are the combinations of the
 * values of a few axes; a plain list of candidates is one axis. */
#ifndef VKS_GRAPH_TUNER_H
#define VKS_GRAPH_TUNER_H

#include <stdio.h>

#include "graph/graph.h"

enum {
    VKS_TUNER_AXES = 8,
    VKS_TUNER_COMBINATIONS = 1 << 16, /* at most, with those that do not fit */
    VKS_TUNER_NAME = 160,
    VKS_TUNER_CHECK_RUNS =
        2, /* steps before a check: the second finds what the first left behind */
};

enum vks_try_state {
    VKS_NOT_TRIED,
    VKS_TIMED,
    VKS_WRONG,  /* its result was wrong: it was not timed, and is never chosen */
    VKS_FAILED, /* it could not be built or run */
};

/* A candidate and what came of it. */
struct vks_try {
    char name[VKS_TUNER_NAME];
    uint32_t choice[VKS_TUNER_AXES]; /* which value of each axis */
    enum vks_try_state state;
    double seconds; /* VKS_TIMED: of one step */
};

struct vks_tuner {
    const char *kind;                /* of the file and its only object: "variants" */
    const char *key;                 /* of the case: the choice applies wherever the key is equal */
    const char *noun;                /* what candidates are called in messages: "variants" */
    uint32_t counts[VKS_TUNER_AXES]; /* values of each axis; 0 ends the list */
    void *user;
    /* Writes the candidate's name, unique among all. It must name the same candidate in every run
     * of this version. */
    void (*name)(void *user, const uint32_t *choice, char name[VKS_TUNER_NAME]);
    bool (*fits)(void *user, const uint32_t *choice); /* NULL: all do */
    /* Verifies and times a candidate, for example by vks_tuner_time(); VKS_ERROR_STOPPED if its
     * result is wrong. `best` is the shortest time so far, 0 if there is none: a candidate that is
     * clearly slower need not be timed to the end. */
    enum vks_result (*measure)(void *user, const uint32_t *choice, double best, double *seconds);
    bool (*stop)(void); /* true interrupts the search; NULL: never */
    /* The search ends once these have passed. The first candidate is measured in any case, with its
     * pipelines. */
    double seconds;
    /* A candidate may have failed for a passing reason, and pipelines may be in the cache the next
     * time: a choice is kept only if every candidate that the search wanted could be measured. If
     * set, it is kept in any case. */
    bool keep_partial;
    bool again; /* ignores what is kept */
};

struct vks_tuning {
    struct vks_try *tries; /* the candidates that fit */
    size_t count;
    size_t best;   /* the chosen one */
    bool recalled; /* it was kept: nothing was measured */
    /* The search ended before its time; without tuner->keep_partial, also: no candidate failed. */
    bool complete;
    bool out_of_time;
};

/* Chooses a candidate: the one that is kept, or the fastest found. A few candidates are all
 * measured, in order. Of many, the search starts from the first, which should be a good guess, and
 * changes one axis at a time as long as that helps; then it does the same twice from the best of
 * some random ones. Its sequence is always the same for the same times.
 *
 * If none could be timed, returns the first failure; VKS_INTERRUPTED if it was stopped. Free
 * *tuning in any case. */
enum vks_result vks_tuner_choose(const struct vks_gpu *gpu, const struct vks_tuner *tuner,
                                 struct vks_tuning *tuning);
void vks_tuning_free(struct vks_tuning *tuning);
/* The number of candidates in the given state. */
size_t vks_tuning_count(const struct vks_tuning *tuning, enum vks_try_state state);

/* Prints the candidates that were tried, the fastest first: name, time, and speed relative to the
 * fastest; then the wrong ones and those that failed. */
void vks_tuning_print(FILE *out, const struct vks_tuning *tuning);

/* Builds a graph of the declaration and starts it. If `verify` is set, runs two steps first
 * (VKS_TUNER_CHECK_RUNS), whose result it checks. Then times steps by the GPU's clock or, without
 * one, the host's: `period` of them or a multiple. *seconds is of one step. `best` is as in struct
 * vks_tuner. The declaration is freed. */
struct vks_tuner_steps {
    enum vks_result (*verify)(void *user, struct vks_graph *graph); /* NULL: not */
    void *user;
    uint64_t period; /* 0: only verifies */
    double warm_up;  /* seconds of steps before the first sample, by the host's clock */
    double best;
    bool settled; /* wait for the device's clock rate to settle, see graph/settle.h */
};
enum vks_result vks_tuner_time(struct vks_gpu *gpu, struct vks_declaration *declaration,
                               const struct vks_tuner_steps *steps, double *seconds);

#endif
