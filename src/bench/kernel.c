/* SPDX-License-Identifier: MIT */
#include "bench/kernel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "gpu/pipeline.h"
#include "graph/graph.h"
#include "graph/settle.h"

extern const struct vks_shader vks_bench_shaders[];
extern const size_t vks_bench_shader_count;

void vks_bench_add_shaders(void)
{
    vks_shader_add(vks_bench_shaders, vks_bench_shader_count);
}

/* A dispatch this far below the wanted time is made longer. */
static const double close_enough = 0.7;

void vks_kernel_declare(const struct vks_kernel *kernel, bool spoiled,
                        struct vks_declaration *declaration)
{
    struct bench_params params = kernel->params;
    const struct bench_params fill = {.count = (uint32_t)(kernel->source_words / 4),
                                      .factor = params.factor,
                                      .addend = params.addend + spoiled};
    struct vks_use uses[3] = {0};
    size_t used = 0;
    params.addend += spoiled;
    declaration->measures = true;
    if (kernel->source_words) {
        VKS_FIELD(declaration, .name = "source", .element = VKS_U32, .rank = 1,
                  .shape = {kernel->source_words});
        VKS_PASS(declaration, .name = "fill", .shader = "bench/fill", .when = VKS_AT_START,
                 .uses = VKS_USES({"source", VKS_WRITE}), VKS_PUSH(fill), .items = {fill.count});
        uses[used++] = (struct vks_use){.field = "source", .access = VKS_READ};
    }
    VKS_FIELD(declaration, .name = "result", .element = VKS_U32, .rank = 1,
              .shape = {kernel->result_words});
    uses[used] = (struct vks_use){.field = "result", .access = kernel->access};
    VKS_PASS(declaration, .name = kernel->name, .shader = kernel->shader,
             .feature = kernel->feature, .uses = uses, .subgroup = kernel->subgroup,
             .specializations = kernel->specializations, VKS_PUSH(params),
             .items = {params.invocations});
}

/* Runs one dispatch and times it. */
static enum vks_result sample(struct vks_graph *graph, size_t pass, double *seconds)
{
    struct vks_pass_timing before, after;
    (void)vks_graph_timing(graph, pass, &before); /* the pass exists */
    enum vks_result result = vks_graph_run(graph, 1);
    if (result == VKS_OK) {
        result = vks_graph_wait(graph);
    }
    (void)vks_graph_timing(graph, pass, &after);
    *seconds = after.mean * (double)after.samples - before.mean * (double)before.samples;
    if (result == VKS_OK && (after.samples != before.samples + 1 || *seconds <= 0)) {
        result = vks_fail(VKS_ERROR_GPU, "the kernel %s was not timed: its timestamps are equal",
                          after.name);
    }
    return result;
}

/* The same graph with the kernel's current number of rounds. */
static enum vks_result update(struct vks_graph *graph, const struct vks_kernel *kernel,
                              bool spoiled)
{
    struct vks_declaration declaration = {0};
    vks_kernel_declare(kernel, spoiled, &declaration);
    enum vks_result result = vks_graph_update(graph, &declaration);
    vks_declaration_free(&declaration);
    return result == VKS_OK ? vks_graph_fill(graph, false, NULL) : result;
}

/* Finds the number of rounds with which a dispatch takes the time wanted. */
static enum vks_result choose_rounds(struct vks_graph *graph, size_t pass,
                                     struct vks_kernel *kernel, const struct vks_effort *effort)
{
    double seconds = 0;
    enum vks_result result = sample(graph, pass, &seconds); /* fills caches, raises clock rates */
    for (int trial = 0; trial < 8 && result == VKS_OK; trial++) {
        result = sample(graph, pass, &seconds);
        const uint32_t rounds = kernel->params.repeat;
        if (result != VKS_OK || seconds > close_enough * effort->seconds) {
            break;
        }
        double times = effort->seconds / seconds;
        times = times < 64 ? times : 64;
        const double wanted = times * (double)rounds;
        const uint32_t more =
            wanted < (double)kernel->max_repeat ? (uint32_t)wanted : kernel->max_repeat;
        const uint32_t whole = more / kernel->min_repeat * kernel->min_repeat;
        if (whole <= rounds) {
            break;
        }
        kernel->params.repeat = whole;
        result = update(graph, kernel, effort->spoiled);
    }
    return result;
}

/* --- the check ------------------------------------------------------------------------------- */

struct check {
    const struct vks_kernel *kernel;
    uint64_t at; /* words seen */
};

static enum vks_result compare(void *user, const void *bytes, size_t size)
{
    struct check *check = user;
    const struct vks_kernel *kernel = check->kernel;
    const uint32_t every = kernel->check_every;
    const size_t words = size / 4;
    for (size_t i = (size_t)((every - check->at % every) % every); i < words; i += every) {
        uint32_t found;
        memcpy(&found, (const char *)bytes + 4 * i, 4);
        const uint32_t expected = kernel->expected(kernel, check->at + i);
        if (found != expected) {
            return vks_fail(VKS_ERROR_GPU,
                            "the kernel %s computed %u instead of %u in word %llu of its result, "
                            "after %u runs of %u rounds: its time means nothing",
                            kernel->name, found, expected, (unsigned long long)(check->at + i),
                            kernel->runs, kernel->params.repeat);
        }
    }
    check->at += words;
    return VKS_OK;
}

/* Fills `rates`. The result is then that of kernel->runs dispatches. */
static enum vks_result measure_rates(struct vks_graph *graph, size_t pass,
                                     struct vks_kernel *kernel, const struct vks_effort *effort,
                                     double *rates)
{
    enum vks_result result = vks_graph_settle(graph, 1);
    if (result == VKS_OK) {
        result = choose_rounds(graph, pass, kernel, effort);
    }
    if (result == VKS_OK) {
        result = vks_graph_start(graph, 0, true); /* the result is zero */
    }
    for (kernel->runs = 0; result == VKS_OK && kernel->runs < effort->repeats; kernel->runs++) {
        double seconds = 1;
        result = sample(graph, pass, &seconds);
        rates[kernel->runs] = kernel->amount * (double)kernel->params.repeat / seconds;
    }
    return result;
}

enum vks_result vks_kernel_measure(struct vks_gpu *gpu, struct vks_kernel *kernel,
                                   const struct vks_effort *effort, struct vks_spread *rate)
{
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    double rates[VKS_MAX_REPEATS];
    const size_t pass = kernel->source_words ? 1 : 0;
    kernel->params.repeat = kernel->min_repeat;
    vks_kernel_declare(kernel, effort->spoiled, &declaration);
    enum vks_result result = vks_graph_create(gpu, &declaration, &graph);
    if (result == VKS_OK) {
        result = vks_graph_start(graph, 0, true);
    }
    bool slower = true;
    for (int i = 0; i < VKS_SETTLED_TRIES && slower && result == VKS_OK; i++) {
        result = measure_rates(graph, pass, kernel, effort, rates);
        if (result == VKS_OK) {
            result = vks_graph_is_slower(graph, &slower);
        }
    }
    if (result == VKS_OK) {
        struct check check = {.kernel = kernel};
        result = vks_graph_download(graph, "result", compare, &check);
    }
    if (result == VKS_OK) {
        *rate = vks_spread_of(rates, effort->repeats);
    }
    vks_graph_destroy(graph);
    vks_declaration_free(&declaration);
    return result;
}

/* --- dispatches ------------------------------------------------------------------------------ */

enum { INDEPENDENT = 32, DISPATCHES = 1024 };

/* Steps of `passes` dispatches that do not depend on each other, but on the step before. */
static enum vks_result create_counters(struct vks_gpu *gpu, uint32_t passes, bool spoiled,
                                       struct vks_graph **graph)
{
    struct vks_declaration declaration = {.measures = true};
    const struct bench_params params = {.addend = 1 + spoiled};
    for (uint32_t i = 0; i < passes; i++) {
        const char *field = vks_declaration_name(&declaration, "counter%u", i);
        const char *name = vks_declaration_name(&declaration, "count%u", i);
        VKS_FIELD(&declaration, .name = field, .element = VKS_U32, .rank = 1, .shape = {1});
        VKS_PASS(&declaration, .name = name, .shader = "bench/count",
                 .uses = VKS_USES({field, VKS_READ_WRITE, .as = "result"}), VKS_PUSH(params),
                 .items = {64}, .group = {64});
    }
    const enum vks_result result = vks_graph_create(gpu, &declaration, graph);
    vks_declaration_free(&declaration);
    return result;
}

/* Runs `steps` steps. *seconds: of one. */
static enum vks_result sample_steps(struct vks_graph *graph, uint32_t steps, double *seconds)
{
    double before, after;
    uint64_t steps_before, steps_after;
    vks_graph_busy(graph, &before, &steps_before);
    enum vks_result result = vks_graph_run(graph, steps);
    if (result == VKS_OK) {
        result = vks_graph_wait(graph);
    }
    vks_graph_busy(graph, &after, &steps_after);
    if (result == VKS_OK && (steps_after == steps_before || after <= before)) {
        return vks_fail(VKS_ERROR_GPU, "%u dispatches were not timed: their timestamps are equal",
                        steps);
    }
    *seconds = result == VKS_OK ? (after - before) / (double)(steps_after - steps_before) : 1;
    return result;
}

static enum vks_result check_counters(struct vks_graph *graph, uint32_t passes)
{
    enum vks_result result = VKS_OK;
    const uint64_t steps = vks_graph_steps(graph);
    for (uint32_t i = 0; i < passes && result == VKS_OK; i++) {
        char field[32];
        uint32_t found = 0;
        snprintf(field, sizeof(field), "counter%u", i);
        result = vks_graph_download_to(graph, field, &found);
        if (result == VKS_OK && found != steps) {
            result = vks_fail(VKS_ERROR_GPU,
                              "dispatches counted to %u instead of %llu: their time means nothing",
                              found, (unsigned long long)steps);
        }
    }
    return result;
}

static enum vks_result measure_steps(struct vks_graph *graph, uint32_t min_steps,
                                     const struct vks_effort *effort, double *samples)
{
    double step = 1;
    enum vks_result result = vks_graph_settle(graph, min_steps);
    for (int i = 0; i < 2 && result == VKS_OK; i++) { /* the first finds the size of batches */
        result = vks_graph_run(graph, min_steps);
        if (result == VKS_OK) {
            result = sample_steps(graph, min_steps, &step);
        }
    }
    const double wanted = effort->seconds / step;
    uint32_t steps = wanted < (double)DISPATCHES ? (uint32_t)wanted : DISPATCHES;
    steps = steps > min_steps ? steps : min_steps;
    for (uint32_t i = 0; i <= effort->repeats && result == VKS_OK; i++) { /* the first warms up */
        result = sample_steps(graph, steps, &samples[i ? i - 1 : 0]);
    }
    return result;
}

enum vks_result vks_steps_measure(struct vks_graph *graph, uint32_t min_steps,
                                  const struct vks_effort *effort, double *samples)
{
    bool slower = true;
    enum vks_result result = VKS_OK;
    for (int i = 0; i < VKS_SETTLED_TRIES && slower && result == VKS_OK; i++) {
        result = measure_steps(graph, min_steps, effort, samples);
        if (result == VKS_OK) {
            result = vks_graph_is_slower(graph, &slower);
        }
    }
    return result;
}

/* Seconds of steps of that many independent dispatches: samples that are not sorted. */
static enum vks_result time_counters(struct vks_gpu *gpu, uint32_t passes,
                                     const struct vks_effort *effort, double *samples)
{
    struct vks_graph *graph = NULL;
    enum vks_result result = create_counters(gpu, passes, effort->spoiled, &graph);
    if (result == VKS_OK) {
        result = vks_graph_start(graph, 0, true);
    }
    if (result == VKS_OK) {
        result = vks_steps_measure(graph, 16, effort, samples);
    }
    if (result == VKS_OK) {
        result = check_counters(graph, passes);
    }
    vks_graph_destroy(graph);
    return result;
}

enum vks_result vks_dispatch_measure(struct vks_gpu *gpu, bool barrier,
                                     const struct vks_effort *effort, struct vks_spread *seconds)
{
    double single[VKS_MAX_REPEATS], many[VKS_MAX_REPEATS];
    enum vks_result result = time_counters(gpu, 1, effort, single);
    if (result == VKS_OK && !barrier) {
        result = time_counters(gpu, 1 + INDEPENDENT, effort, many);
    }
    if (result != VKS_OK) {
        return result;
    }
    const struct vks_spread one = vks_spread_of(single, effort->repeats);
    *seconds = one;
    if (!barrier) {
        /* A step has one barrier, whose time is in `one`. */
        for (uint32_t i = 0; i < effort->repeats; i++) {
            /* Noise can make the difference negative; it is at least a tick. */
            many[i] = fmax(many[i] - one.median, gpu->timestamp_period) / (double)INDEPENDENT;
        }
        *seconds = vks_spread_of(many, effort->repeats);
    }
    return VKS_OK;
}
