/* SPDX-License-Identifier: MIT */
#include "graph/tuner.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "graph/internal.h"
#include "graph/settle.h"

/* A candidate this much slower than the best is not timed to the end. */
static const double hopeless = 1.5;

enum {
    MEASURE_ALL = 48, /* candidates, up to which all are measured */
    DESCENTS = 3,
    STARTS = 12, /* random candidates before each but the first */
    MAX_FILE = 1 << 20,
};

/* --- what was found before ------------------------------------------------------------------- */

/* The object {"vksim": version, KIND: {key: name}} in the file, or a new one. */
static json_t *read_file(const struct vks_tuner *tuner, const char *path)
{
    char *text = NULL;
    json_t *file = NULL;
    struct vks_error before; /* a missing file is not an error */
    vks_error_keep(VKS_OK, &before);
    if (vks_read_regular_file(path, MAX_FILE, &text, NULL) == VKS_OK) {
        file = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    }
    vks_fail_again(&before);
    free(text);
    const char *version = json_string_value(json_object_get(file, "vksim"));
    if (!version || strcmp(version, VKS_VERSION) != 0 ||
        !json_is_object(json_object_get(file, tuner->kind))) {
        json_decref(file);
        file = json_pack("{s:s, s:{}}", "vksim", VKS_VERSION, tuner->kind);
    }
    return file;
}

static char *file_name(const struct vks_gpu *gpu, const struct vks_tuner *tuner)
{
    return gpu->cache_path ? vks_gpu_cache_name(gpu, tuner->kind, "json") : NULL;
}

static void keep(const struct vks_gpu *gpu, const struct vks_tuner *tuner, const char *name)
{
    char *path = file_name(gpu, tuner);
    json_t *file = path ? read_file(tuner, path) : NULL;
    if (file && json_object_set_new(json_object_get(file, tuner->kind), tuner->key,
                                    json_string(name)) == 0) {
        char *text = vks_json_dump(file, JSON_INDENT(1) | JSON_SORT_KEYS);
        if (text) {
            vks_gpu_cache_keep(path, text, strlen(text));
        }
        free(text);
    }
    json_decref(file);
    free(path);
}

/* Finds the candidate that the file has for the key, if it is still one. */
static bool recall(const struct vks_gpu *gpu, const struct vks_tuner *tuner,
                   struct vks_tuning *tuning)
{
    char *path = file_name(gpu, tuner);
    json_t *file = path ? read_file(tuner, path) : NULL;
    const char *name =
        json_string_value(json_object_get(json_object_get(file, tuner->kind), tuner->key));
    for (size_t i = 0; name && i < tuning->count && !tuning->recalled; i++) {
        if (strcmp(tuning->tries[i].name, name) == 0) {
            tuning->best = i;
            tuning->recalled = true;
        }
    }
    json_decref(file);
    free(path);
    return tuning->recalled;
}

/* --- the candidates -------------------------------------------------------------------------- */

static const uint32_t not_a_candidate = UINT32_MAX;

struct search {
    const struct vks_tuner *tuner;
    struct vks_tuning *tuning;
    uint32_t *index; /* of the candidate with each combination, or not_a_candidate */
    size_t axes, combinations;
    double begin;
    uint32_t random;
    bool announced;
    enum vks_result result; /* VKS_INTERRUPTED */
    bool over;              /* out of time, or interrupted */
    struct vks_error first; /* failure */
};

/* The number of a combination: the last axis changes fastest. */
static size_t number_of(const struct search *search, const uint32_t *choice)
{
    size_t number = 0;
    for (size_t i = 0; i < search->axes; i++) {
        number = number * search->tuner->counts[i] + choice[i];
    }
    return number;
}

static void list_candidates(struct search *search)
{
    const struct vks_tuner *tuner = search->tuner;
    struct vks_tuning *tuning = search->tuning;
    for (size_t number = 0; number < search->combinations; number++) {
        struct vks_try *try = &tuning->tries[tuning->count];
        size_t rest = number;
        for (size_t i = search->axes; i > 0; i--) {
            try->choice[i - 1] = (uint32_t)(rest % tuner->counts[i - 1]);
            rest /= tuner->counts[i - 1];
        }
        search->index[number] = not_a_candidate;
        if (!tuner->fits || tuner->fits(tuner->user, try->choice)) {
            tuner->name(tuner->user, try->choice, try->name);
            search->index[number] = (uint32_t)tuning->count++;
        }
    }
}

static enum vks_result prepare(struct search *search)
{
    const struct vks_tuner *tuner = search->tuner;
    search->combinations = 1;
    while (search->axes < VKS_TUNER_AXES && tuner->counts[search->axes]) {
        search->combinations *= tuner->counts[search->axes++];
        if (search->combinations > VKS_TUNER_COMBINATIONS) {
            return vks_fail(VKS_ERROR_INTERNAL, "%s has too many candidates to tune", tuner->key);
        }
    }
    search->tuning->tries = calloc(search->combinations, sizeof(*search->tuning->tries));
    search->index = calloc(search->combinations, sizeof(*search->index));
    if (!search->tuning->tries || !search->index) {
        return vks_fail_memory();
    }
    list_candidates(search);
    return search->tuning->count
               ? VKS_OK
               : vks_fail(VKS_ERROR_DEVICE, "none of the %zu %s for %s fits the device",
                          search->combinations, tuner->noun, tuner->key);
}

/* --- the search ------------------------------------------------------------------------------ */

/* True if there is a candidate that has been timed. */
static bool has_best(const struct search *search)
{
    return search->tuning->tries[search->tuning->best].state == VKS_TIMED;
}

static void report(struct search *search, const struct vks_try *try, enum vks_result result)
{
    if (result == VKS_OK) {
        vks_message(VKS_LOG_VERBOSE, "%s: %.2f us", try->name, try->seconds * 1e6);
        return;
    }
    vks_message(VKS_LOG_VERBOSE, "%s not measured: %s", try->name, vks_error_text());
    if (search->first.result == VKS_OK) {
        vks_error_keep(result, &search->first);
    }
    search->tuning->complete =
        search->tuning->complete && (result == VKS_ERROR_STOPPED || search->tuner->keep_partial);
}

/* Measures a candidate unless it has been, or the search is over. */
static void attempt(struct search *search, uint32_t index)
{
    const struct vks_tuner *tuner = search->tuner;
    struct vks_tuning *tuning = search->tuning;
    struct vks_try *try = &tuning->tries[index];
    const double elapsed = vks_seconds() - search->begin;
    const bool any = has_best(search) || search->first.result != VKS_OK;
    if (search->over || try->state != VKS_NOT_TRIED) {
        return;
    }
    if (tuner->stop && tuner->stop()) {
        search->result = VKS_INTERRUPTED;
        search->over = true;
        return;
    }
    if (any && elapsed > tuner->seconds) {
        tuning->complete = false;
        tuning->out_of_time = true;
        search->over = true;
        return;
    }
    if (!search->announced && elapsed > 1) {
        vks_message(VKS_LOG_INFO, "measuring which of %zu %s is fastest on this device",
                    tuning->count, tuner->noun);
        search->announced = true;
    }
    const double best = has_best(search) ? tuning->tries[tuning->best].seconds : 0;
    const enum vks_result result = tuner->measure(tuner->user, try->choice, best, &try->seconds);
    try->state = result == VKS_OK              ? VKS_TIMED
                 : result == VKS_ERROR_STOPPED ? VKS_WRONG
                                               : VKS_FAILED;
    report(search, try, result);
    if (result == VKS_OK && (best <= 0 || try->seconds < best)) {
        tuning->best = index;
    }
}

/* A pseudorandom number below `count`: always the same sequence. */
static uint32_t pick(struct search *search, size_t count)
{
    search->random = search->random * 1664525U + 1013904223U;
    return (uint32_t)(((uint64_t)search->random * count) >> 32);
}

static bool is_faster(const struct vks_tuning *tuning, uint32_t index, uint32_t than)
{
    const struct vks_try *try = &tuning->tries[index], *other = &tuning->tries[than];
    return try->state == VKS_TIMED && (other->state != VKS_TIMED || try->seconds < other->seconds);
}

/* The fastest candidate that differs from `from` in this one axis, or `from`. */
static uint32_t best_along(struct search *search, uint32_t from, size_t axis)
{
    const struct vks_tuning *tuning = search->tuning;
    uint32_t choice[VKS_TUNER_AXES], best = from;
    memcpy(choice, tuning->tries[from].choice, sizeof(choice));
    for (uint32_t value = 0; value < search->tuner->counts[axis]; value++) {
        choice[axis] = value;
        const uint32_t index = search->index[number_of(search, choice)];
        if (index != not_a_candidate) {
            attempt(search, index);
            best = is_faster(tuning, index, best) ? index : best;
        }
    }
    return best;
}

/* Changes one axis at a time until none helps. */
static void descend(struct search *search, uint32_t from)
{
    for (size_t unchanged = 0, axis = 0; unchanged < search->axes && !search->over;
         axis = (axis + 1) % search->axes) {
        const uint32_t best = best_along(search, from, axis);
        unchanged = best == from ? unchanged + 1 : 1;
        from = best;
    }
}

static void search_all(struct search *search)
{
    struct vks_tuning *tuning = search->tuning;
    if (tuning->count <= MEASURE_ALL) {
        for (uint32_t i = 0; i < tuning->count; i++) {
            attempt(search, i);
        }
        return;
    }
    attempt(search, 0);
    descend(search, 0);
    for (int i = 1; i < DESCENTS; i++) {
        uint32_t start = pick(search, tuning->count);
        attempt(search, start);
        for (int k = 1; k < STARTS; k++) {
            const uint32_t index = pick(search, tuning->count);
            attempt(search, index);
            start = is_faster(tuning, index, start) ? index : start;
        }
        descend(search, start);
    }
}

enum vks_result vks_tuner_choose(const struct vks_gpu *gpu, const struct vks_tuner *tuner,
                                 struct vks_tuning *tuning)
{
    struct search search = {.tuner = tuner, .tuning = tuning, .begin = vks_seconds()};
    *tuning = (struct vks_tuning){.complete = true};
    enum vks_result result = prepare(&search);
    if (result == VKS_OK && (tuner->again || !recall(gpu, tuner, tuning))) {
        vks_message(VKS_LOG_VERBOSE, "measuring %zu %s for %s", tuning->count, tuner->noun,
                    tuner->key);
        search_all(&search);
        result = search.result;
        if (result == VKS_OK && !has_best(&search)) {
            result = vks_fail_again(&search.first);
        }
        if (result == VKS_OK && (tuning->complete || tuner->keep_partial)) {
            keep(gpu, tuner, tuning->tries[tuning->best].name);
        }
    }
    free(search.index);
    return result;
}

void vks_tuning_free(struct vks_tuning *tuning)
{
    free(tuning->tries);
    *tuning = (struct vks_tuning){0};
}

size_t vks_tuning_count(const struct vks_tuning *tuning, enum vks_try_state state)
{
    size_t count = 0;
    for (size_t i = 0; i < tuning->count; i++) {
        count += tuning->tries[i].state == state;
    }
    return count;
}

/* --- the table ------------------------------------------------------------------------------- */

/* Those that were timed by their time, then the others. */
static int compare(const void *a, const void *b)
{
    const struct vks_try *first = *(const struct vks_try *const *)a;
    const struct vks_try *second = *(const struct vks_try *const *)b;
    if (first->state != second->state) {
        return first->state < second->state ? -1 : 1;
    }
    return (first->seconds > second->seconds) - (first->seconds < second->seconds);
}

static void print_try(FILE *out, const struct vks_try *try, double best, int width)
{
    fprintf(out, "%-*s ", width, try->name);
    if (try->state == VKS_TIMED) {
        fprintf(out, "%11.2f us %6.1f %%\n", 1e6 * try->seconds, 100 * best / try->seconds);
    } else {
        fprintf(out, "%s\n",
                try->state == VKS_WRONG ? "WRONG: its result is not that of the reference"
                                        : "failed: it could not be built or run");
    }
}

void vks_tuning_print(FILE *out, const struct vks_tuning *tuning)
{
    const struct vks_try **tried = calloc(tuning->count + 1, sizeof(*tried));
    size_t count = 0;
    int width = 9;
    for (size_t i = 0; tried && i < tuning->count; i++) {
        const struct vks_try *try = &tuning->tries[i];
        if (try->state != VKS_NOT_TRIED) {
            tried[count++] = try;
            width = (int)strlen(try->name) > width ? (int)strlen(try->name) : width;
        }
    }
    if (tuning->recalled) {
        fprintf(out, "%s: kept from an earlier measurement\n", tuning->tries[tuning->best].name);
    } else if (tried) {
        qsort(tried, count, sizeof(*tried), compare);
        fprintf(out, "%-*s %14s %8s\n", width, "candidate", "time", "of best");
        for (size_t i = 0; i < count; i++) {
            print_try(out, tried[i], tuning->tries[tuning->best].seconds, width);
        }
        fprintf(out, "%zu of %zu candidates tried, %zu of them wrong and %zu failed%s\n", count,
                tuning->count, vks_tuning_count(tuning, VKS_WRONG),
                vks_tuning_count(tuning, VKS_FAILED), tuning->out_of_time ? "; time ran out" : "");
    }
    free(tried);
}

/* --- measuring ------------------------------------------------------------------------------- */

/* The minimum of three samples, after a first one in which batches are recorded, caches filled and
 * the clock rate rises. */
static enum vks_result sample(struct vks_graph *graph, const struct vks_tuner_steps *steps,
                              double *seconds)
{
    double step = 0;
    const double begin = vks_seconds();
    enum vks_result result = vks_graph_time(graph, steps->period, &step);
    while (result == VKS_OK && vks_seconds() - begin < steps->warm_up) {
        result = vks_graph_time(graph, vks_sample_steps(steps->period, step), &step);
    }
    const uint64_t count = vks_sample_steps(steps->period, step);
    *seconds = 1e9;
    for (int i = 0; i < 3 && result == VKS_OK; i++) {
        result = vks_graph_time(graph, count, &step);
        *seconds = step < *seconds ? step : *seconds;
        if (steps->best > 0 && *seconds > hopeless * steps->best) {
            break;
        }
    }
    return result;
}

static enum vks_result time_steps(struct vks_graph *graph, const struct vks_tuner_steps *steps,
                                  double *seconds)
{
    if (!steps->settled) {
        return sample(graph, steps, seconds);
    }
    bool slower = true;
    enum vks_result result = VKS_OK;
    for (int i = 0; i < VKS_SETTLED_TRIES && slower && result == VKS_OK; i++) {
        result = vks_graph_settle(graph, steps->period);
        if (result == VKS_OK) {
            result = sample(graph, steps, seconds);
        }
        if (result == VKS_OK) {
            result = vks_graph_is_slower(graph, &slower);
        }
    }
    return result;
}

enum vks_result vks_tuner_time(struct vks_gpu *gpu, struct vks_declaration *declaration,
                               const struct vks_tuner_steps *steps, double *seconds)
{
    struct vks_graph *graph = NULL;
    enum vks_result result = vks_graph_create(gpu, declaration, &graph);
    if (result == VKS_OK) {
        result = vks_graph_start(graph, 0, true);
    }
    if (result == VKS_OK) {
        result = vks_graph_fill(graph, false, NULL);
    }
    if (result == VKS_OK) {
        result = vks_graph_ready(graph);
    }
    for (int i = 0; steps->verify && i < VKS_TUNER_CHECK_RUNS && result == VKS_OK; i++) {
        result = vks_graph_run(graph, 1);
    }
    if (result == VKS_OK && steps->verify) {
        result = steps->verify(steps->user, graph);
    }
    if (result == VKS_OK && steps->period) {
        result = time_steps(graph, steps, seconds);
    }
    vks_graph_destroy(graph);
    vks_declaration_free(declaration);
    return result;
}
