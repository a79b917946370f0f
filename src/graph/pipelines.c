/* SPDX-License-Identifier: MIT */
/* The pipelines of a graph, made by several threads: drivers take milliseconds for each, or more
 * when their cache is empty. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/profile.h"
#include "base/task.h"
#include "graph/agree.h"
#include "graph/internal.h"

enum { MAX_HELPERS = 7 };

struct work {
    struct vks_graph *graph;
    pthread_mutex_t lock; /* for the rest */
    size_t next;          /* the first pass that no thread has taken */
    size_t failed;        /* the first pass that failed */
    enum vks_result result;
    struct vks_error error; /* of that pass */
};

/* Creates the pipeline of a pass and maps the shader's buffers to its uses. */
static enum vks_result create_pass(struct vks_graph *graph, size_t index)
{
    const struct vks_pass *pass = &graph->declaration.passes[index];
    struct vks_pass_state *state = &graph->passes[index];
    enum vks_result result = vks_create_pass_pipeline(
        graph->gpu, &graph->declaration, pass,
        vks_pass_is_wide(graph->gpu, &graph->declaration, pass), &state->pipeline);
    if (result == VKS_OK) {
        result = vks_size_dispatch(graph->gpu, pass, state->groups);
    }
    if (result != VKS_OK) {
        return result;
    }
    const struct vks_reflection *reflection = &state->pipeline.reflection;
    state->bindings = calloc(reflection->buffer_count + 1, sizeof(*state->bindings));
    for (size_t i = 0; state->bindings && i < reflection->buffer_count; i++) {
        const char *name = reflection->buffers[i].name;
        state->bindings[i] =
            strcmp(name, "clock") == 0 ? VKS_CLOCK_USE : (uint32_t)vks_use_of_block(pass, name);
    }
    return state->bindings ? VKS_OK : vks_fail_memory();
}

/* The next pass, or the number of passes if none is left or one has failed. */
static size_t take(struct work *work)
{
    const size_t count = work->graph->declaration.pass_count;
    pthread_mutex_lock(&work->lock);
    const size_t index = work->result == VKS_OK && work->next < count ? work->next++ : count;
    pthread_mutex_unlock(&work->lock);
    return index;
}

/* Records the failure of the calling thread, unless an earlier pass has failed, too. */
static void note(struct work *work, size_t index, enum vks_result result)
{
    pthread_mutex_lock(&work->lock);
    if (work->result == VKS_OK || index < work->failed) {
        work->result = result;
        work->failed = index;
        vks_error_keep(&work->error);
    }
    pthread_mutex_unlock(&work->lock);
}

static void *create_passes(void *user)
{
    struct work *work = user;
    const size_t count = work->graph->declaration.pass_count;
    for (size_t i = take(work); i < count; i = take(work)) {
        enum vks_result result = vks_task_advance(0); /* only the caller's thread has a task */
        if (result == VKS_OK) {
            result = create_pass(work->graph, i);
        }
        if (result != VKS_OK) {
            note(work, i, result);
        }
    }
    return NULL;
}

static enum vks_result create_all(struct vks_graph *graph)
{
    struct work work = {.graph = graph, .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t helpers[MAX_HELPERS];
    const size_t passes = graph->declaration.pass_count;
    const char *try = getenv("VKSIM_TRY_THREADS");
    const size_t most = try ? (size_t)atoi(try) : MAX_HELPERS;
    const size_t wanted = passes < 1 ? 0 : passes - 1 < most ? passes - 1 : most;
    size_t count = 0;
    while (count < wanted && pthread_create(&helpers[count], NULL, create_passes, &work) == 0) {
        count++;
    }
    create_passes(&work);
    for (size_t i = 0; i < count; i++) {
        pthread_join(helpers[i], NULL);
    }
    return work.result == VKS_OK ? VKS_OK : vks_fail_again(work.result, &work.error);
}

enum vks_result vks_create_pipelines(struct vks_graph *graph)
{
    vks_phase_begin(VKS_PHASE_PIPELINES);
    enum vks_result result = vks_pipeline_create(
        graph->gpu, &graph->advance,
        &(struct vks_pipeline_params){.shader = "core/advance", .group = {1, 1}});
    if (result == VKS_OK) {
        result = create_all(graph);
    }
    vks_phase_end();
    return result;
}
