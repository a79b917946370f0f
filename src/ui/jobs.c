/* SPDX-License-Identifier: MIT */
#include "ui/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"

extern char **environ;

enum {
    NICE = 10,        /* of the process: the window comes first */
    MAX_FILES = 1024, /* that this program may have open */
};

/* --- jobs ------------------------------------------------------------------------------------ */

enum vks_result vks_job_word(struct vks_job *job, const char *word)
{
    size_t count = 0;
    while (job->arguments && job->arguments[count]) {
        count++;
    }
    char *copy = vks_strdup(word);
    char **grown = copy ? realloc(job->arguments, (count + 2) * sizeof(*grown)) : NULL;
    if (!grown) {
        free(copy);
        return vks_fail_memory();
    }
    grown[count] = copy;
    grown[count + 1] = NULL;
    job->arguments = grown;
    return VKS_OK;
}

void vks_job_free(struct vks_job *job)
{
    for (size_t i = 0; job->arguments && job->arguments[i]; i++) {
        free(job->arguments[i]);
    }
    free(job->arguments);
    free(job->scene);
    free(job->path);
    free(job->thumb);
    *job = (struct vks_job){0};
}

enum vks_result vks_jobs_add(struct vks_jobs *jobs, struct vks_job *job)
{
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < jobs->count && result == VKS_OK; i++) {
        if (strcmp(jobs->jobs[i].path, job->path) == 0) {
            result = vks_fail(VKS_ERROR_USAGE, "'%s' is being rendered already", job->path);
        }
    }
    if (result == VKS_OK && jobs->count == VKS_MAX_JOBS) {
        result = vks_fail(VKS_ERROR_USAGE, "%d renderings are waiting already", VKS_MAX_JOBS);
    }
    if (result == VKS_OK) {
        jobs->jobs[jobs->count++] = *job;
        *job = (struct vks_job){0};
    }
    vks_job_free(job);
    return result;
}

/* Removes the first job from the list. */
static struct vks_job take_first(struct vks_jobs *jobs)
{
    const struct vks_job first = jobs->jobs[0];
    memmove(&jobs->jobs[0], &jobs->jobs[1], --jobs->count * sizeof(jobs->jobs[0]));
    jobs->process = 0;
    return first;
}

/* --- the process ----------------------------------------------------------------------------- */

/* The environment of the process, whose strings are this one's; NULL if memory ran out. */
static char **make_environment(char *progress)
{
    size_t count = 0;
    while (environ[count]) {
        count++;
    }
    char **copy = malloc((count + 2) * sizeof(*copy));
    if (copy) {
        memcpy(copy, environ, count * sizeof(*copy));
        copy[count] = progress;
        copy[count + 1] = NULL;
    }
    return copy;
}

/* In the new process, which only has this thread: calls nothing that may take a lock. The group of
 * its own keeps Ctrl-C on a terminal from it: this program ends it. */
_Noreturn static void become(const struct vks_job *job, char **environment, const int files[3])
{
    bool ready = true;
    setpgid(0, 0);
    (void)setpriority(PRIO_PROCESS, 0, NICE);
    for (int i = 0; i < 3; i++) {
        ready = ready && dup2(files[i], i) >= 0;
    }
    for (int i = 3; i < MAX_FILES; i++) {
        close(i);
    }
    if (ready) {
        execve("/proc/self/exe", job->arguments, environment);
    }
    _exit(127);
}

/* With files for its standard input and output. Returns an errno. */
static int start_with(struct vks_jobs *jobs, char **environment, int in, int out)
{
    int ends[2];
    if (pipe(ends) != 0) {
        return errno;
    }
    const pid_t process = fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 ? fork() : -1;
    if (process == 0) {
        become(&jobs->jobs[0], environment, (const int[]){in, out, ends[1]});
    }
    const int error = process < 0 ? errno : 0;
    close(ends[1]);
    if (error) {
        close(ends[0]);
        return error;
    }
    jobs->process = process;
    jobs->output = ends[0];
    return 0;
}

/* A file without a name that has the text; NULL with errno. */
static FILE *make_file(const char *text)
{
    FILE *file = tmpfile();
    if (file && (fputs(text, file) < 0 || fflush(file) != 0)) {
        const int error = errno;
        fclose(file);
        errno = error;
        return NULL;
    }
    return file;
}

/* Starts the first job. Returns an errno. */
static int start(struct vks_jobs *jobs)
{
    char progress[] = VKS_PROGRESS_VARIABLE "=1";
    const char *text = jobs->jobs[0].scene;
    char **environment = make_environment(progress);
    FILE *scene = make_file(text ? text : "");
    const int scene_error = errno;
    const int null = open("/dev/null", O_WRONLY);
    int error = null < 0 ? errno : !scene ? scene_error : environment ? 0 : ENOMEM;
    jobs->length = 0;
    jobs->message[0] = '\0';
    jobs->share = -1;
    if (!error) {
        error = start_with(jobs, environment, fileno(scene), null);
    }
    if (scene) {
        fclose(scene);
    }
    if (null >= 0) {
        close(null);
    }
    free(environment);
    return error;
}

/* --- its output ------------------------------------------------------------------------------ */

/* "frame 12/300 ...", "step 12/300 ..." or "vksim: MESSAGE". */
static void read_line(struct vks_jobs *jobs)
{
    static const char prefix[] = "vksim: ";
    uint64_t done, total;
    jobs->line[jobs->length] = '\0';
    jobs->length = 0;
    if (strncmp(jobs->line, prefix, strlen(prefix)) == 0) {
        snprintf(jobs->message, sizeof(jobs->message), "%.500s", jobs->line + strlen(prefix));
    } else if (sscanf(jobs->line, "%*[a-z] %" SCNu64 "/%" SCNu64, &done, &total) == 2 &&
               total > 0) {
        jobs->share = done < total ? (double)done / (double)total : 1;
    }
}

static void read_output(struct vks_jobs *jobs)
{
    char bytes[4096];
    ssize_t got;
    while ((got = read(jobs->output, bytes, sizeof(bytes))) > 0) {
        for (ssize_t i = 0; i < got; i++) {
            if (bytes[i] == '\n') {
                read_line(jobs);
            } else if (jobs->length < sizeof(jobs->line) - 1) {
                jobs->line[jobs->length++] = bytes[i];
            }
        }
    }
}

bool vks_jobs_poll(struct vks_jobs *jobs, struct vks_job *ended, const char **why)
{
    int status = 0;
    *why = NULL;
    if (jobs->count == 0) {
        return false;
    }
    if (jobs->process == 0) {
        const int error = start(jobs);
        if (error) {
            *why = vks_errno_text(error);
            *ended = take_first(jobs);
        }
        return error != 0;
    }
    const pid_t found = waitpid(jobs->process, &status, WNOHANG);
    read_output(jobs);
    if (found == 0) {
        return false;
    }
    close(jobs->output);
    if (found < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        *why = jobs->message[0] ? jobs->message : "its process was ended";
    }
    *ended = take_first(jobs);
    return true;
}

void vks_jobs_cancel(struct vks_jobs *jobs)
{
    if (jobs->count == 0) {
        return;
    }
    if (jobs->process > 0) {
        /* Asked to end, it would complete its file with what it has. */
        char *part = vks_format("%s.part-%ld", jobs->jobs[0].path, (long)jobs->process);
        kill(jobs->process, SIGKILL);
        while (waitpid(jobs->process, NULL, 0) < 0 && errno == EINTR) {
        }
        close(jobs->output);
        if (part) {
            unlink(part);
        }
        free(part);
    }
    struct vks_job first = take_first(jobs);
    vks_job_free(&first);
}

void vks_jobs_end(struct vks_jobs *jobs)
{
    while (jobs->count > 0) {
        vks_jobs_cancel(jobs);
    }
}
