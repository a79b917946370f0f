/* SPDX-License-Identifier: MIT */
/* A pool of threads that each write a file, because compressing a picture takes far longer than
 * drawing one. The pool itself is used by one thread. */
#ifndef VKS_FRAMES_WRITERS_H
#define VKS_FRAMES_WRITERS_H

#include <stddef.h>
#include <stdint.h>

#include <vksim/result.h>

struct vks_writers;

/* Up to `max` threads, started on demand, each with a zeroed job of `job_bytes`. `write`
 * runs on a writer's thread. NULL when memory ran out. */
struct vks_writers *vks_writers_create(uint32_t max, size_t job_bytes,
                                       enum vks_result (*write)(void *user, void *job), void *user);

/* Waits for an idle writer and returns its job, with the contents of its last use. Once a writer
 * has failed, returns the first failure instead. */
enum vks_result vks_writers_take(struct vks_writers *writers, void **job);
/* Passes the taken job to its writer. */
void vks_writers_start(struct vks_writers *writers, void *job);
/* Waits until every job is written. Returns the first failure of a writer. */
enum vks_result vks_writers_wait(struct vks_writers *writers);
/* Waits, stops the threads and calls `free_job` for each job. NULL is fine. */
void vks_writers_destroy(struct vks_writers *writers, void (*free_job)(void *job));

#endif
