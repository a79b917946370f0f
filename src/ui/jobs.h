/* SPDX-License-Identifier: MIT */
/* Renderings in the background: processes of this program that write one file each, one at a time.
 * Independent of SDL. */
#ifndef VKS_UI_JOBS_H
#define VKS_UI_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <vksim/result.h>

/* The file from which the process of a job reads its scene. */
#define VKS_JOB_SCENE "/dev/stdin"

/* What its members point to is on the heap. */
struct vks_job {
    char **arguments; /* the program's name and its options, with a NULL at the end */
    char *scene;      /* the content of VKS_JOB_SCENE; NULL: it is empty */
    char *path;       /* of the file that it writes */
    uint8_t *thumb;   /* the picture's, as a gallery has them; NULL: none */
    uint64_t step;    /* what it shows or ends with */
    uint32_t run;     /* the window's number of the run that asked for it; 0: none did */
};

/* Adds a copy of a word to the arguments. */
enum vks_result vks_job_word(struct vks_job *job, const char *word);
void vks_job_free(struct vks_job *job); /* and zeroes it; a zeroed job is fine */

enum { VKS_MAX_JOBS = 8 };

/* Zeroed: no job. */
struct vks_jobs {
    struct vks_job jobs[VKS_MAX_JOBS]; /* the first one is running or the next to run */
    size_t count;
    pid_t process;     /* of the first one; 0: it is not started */
    int output;        /* the process's messages and progress */
    double share;      /* of the running job that is done; negative: not known yet */
    char line[1024];   /* of the output so far */
    size_t length;     /* of that */
    char message[512]; /* the last one of the process */
};

/* Takes the job, also after a failure: VKS_ERROR_USAGE if there are as many as possible, or one
 * that writes the same file. */
enum vks_result vks_jobs_add(struct vks_jobs *jobs, struct vks_job *job);

/* Reads the progress and starts the next job; never waits. True if a job has ended: *ended is the
 * caller's, and *why has the reason of a failure, which ends with the next call; NULL: its file is
 * complete. */
bool vks_jobs_poll(struct vks_jobs *jobs, struct vks_job *ended, const char **why);

/* Ends the first job, if there is one, and removes what it has written. */
void vks_jobs_cancel(struct vks_jobs *jobs);
/* Ends all jobs. */
void vks_jobs_end(struct vks_jobs *jobs);

#endif
