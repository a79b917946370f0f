/* SPDX-License-Identifier: MIT */
#include "frames/writers.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/profile.h"

struct writer {
    struct vks_writers *pool;
    pthread_t thread;
    void *job;
    bool full; /* under the lock: the job is to be written */
};

struct vks_writers {
    enum vks_result (*write)(void *user, void *job);
    void *user;
    size_t job_bytes;
    struct vks_profile *profile; /* of the thread that created the pool */
    struct writer *writers;
    uint32_t count, max;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool stop;
    struct vks_error error; /* the first failure of a writer */
};

struct vks_writers *vks_writers_create(uint32_t max, size_t job_bytes,
                                       enum vks_result (*write)(void *user, void *job), void *user)
{
    struct vks_writers *pool = calloc(1, sizeof(*pool));
    struct writer *writers = calloc(max, sizeof(*writers));
    if (!pool || !writers) {
        free(writers);
        free(pool);
        return NULL;
    }
    pool->write = write;
    pool->user = user;
    pool->job_bytes = job_bytes;
    pool->writers = writers;
    pool->max = max;
    pool->profile = vks_profile_current();
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->changed, NULL);
    return pool;
}

static void *run(void *user)
{
    struct writer *writer = user;
    struct vks_writers *pool = writer->pool;
    char name[32];
    snprintf(name, sizeof(name), "writer %zu", (size_t)(writer - pool->writers) + 1);
    vks_profile_attach(pool->profile, name);
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        vks_phase_begin(VKS_PHASE_WAIT_FRAME);
        while (!pool->stop && !writer->full) {
            pthread_cond_wait(&pool->changed, &pool->lock);
        }
        vks_phase_end();
        if (!writer->full) {
            break;
        }
        pthread_mutex_unlock(&pool->lock);
        vks_phase_begin(VKS_PHASE_WRITE);
        const enum vks_result result = pool->write(pool->user, writer->job);
        vks_phase_end();
        pthread_mutex_lock(&pool->lock);
        if (result != VKS_OK && pool->error.result == VKS_OK) {
            vks_error_keep(result, &pool->error);
        }
        writer->full = false;
        pthread_cond_broadcast(&pool->changed);
    }
    pthread_mutex_unlock(&pool->lock);
    vks_profile_detach();
    return NULL;
}

/* NULL when memory ran out or no thread could be started. */
static struct writer *add_writer(struct vks_writers *pool)
{
    struct writer *writer = &pool->writers[pool->count];
    writer->pool = pool;
    writer->job = calloc(1, pool->job_bytes);
    if (!writer->job || pthread_create(&writer->thread, NULL, run, writer) != 0) {
        free(writer->job);
        writer->job = NULL;
        return NULL;
    }
    pool->count++;
    return writer;
}

/* Raises the failure of a writer on this thread. Call with the lock held. */
static enum vks_result failure(const struct vks_writers *pool)
{
    return pool->error.result == VKS_OK ? VKS_OK : vks_fail_again(&pool->error);
}

enum vks_result vks_writers_take(struct vks_writers *pool, void **job)
{
    struct writer *found = NULL;
    enum vks_result result = VKS_OK;
    pthread_mutex_lock(&pool->lock);
    while (!found && pool->error.result == VKS_OK && result == VKS_OK) {
        for (uint32_t i = 0; i < pool->count && !found; i++) {
            found = pool->writers[i].full ? NULL : &pool->writers[i];
        }
        if (!found && pool->count < pool->max) {
            found = add_writer(pool);
            pool->max = found ? pool->max : pool->count; /* continue with the existing threads */
        }
        if (!found && pool->count == 0) {
            result = vks_fail_memory();
        } else if (!found) {
            pthread_cond_wait(&pool->changed, &pool->lock);
        }
    }
    result = result == VKS_OK ? failure(pool) : result;
    pthread_mutex_unlock(&pool->lock);
    *job = found ? found->job : NULL;
    return result;
}

void vks_writers_start(struct vks_writers *pool, void *job)
{
    pthread_mutex_lock(&pool->lock);
    for (uint32_t i = 0; i < pool->count; i++) {
        pool->writers[i].full = pool->writers[i].full || pool->writers[i].job == job;
    }
    pthread_cond_broadcast(&pool->changed);
    pthread_mutex_unlock(&pool->lock);
}

enum vks_result vks_writers_wait(struct vks_writers *pool)
{
    pthread_mutex_lock(&pool->lock);
    for (uint32_t i = 0; i < pool->count; i++) {
        while (pool->writers[i].full) {
            pthread_cond_wait(&pool->changed, &pool->lock);
        }
    }
    const enum vks_result result = failure(pool);
    pthread_mutex_unlock(&pool->lock);
    return result;
}

void vks_writers_destroy(struct vks_writers *pool, void (*free_job)(void *job))
{
    if (!pool) {
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->stop = true;
    pthread_cond_broadcast(&pool->changed);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 0; i < pool->count; i++) {
        pthread_join(pool->writers[i].thread, NULL);
        free_job(pool->writers[i].job);
        free(pool->writers[i].job);
    }
    pthread_cond_destroy(&pool->changed);
    pthread_mutex_destroy(&pool->lock);
    free(pool->writers);
    free(pool);
}
