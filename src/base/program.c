/* SPDX-License-Identifier: MIT */
#include "base/program.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

extern char **environ;

int vks_program_start(const char *const *arguments, const int files[3], pid_t *child)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        return error;
    }
    for (int i = 0; i < 3 && error == 0; i++) {
        error = posix_spawn_file_actions_adddup2(&actions, files[i], i);
    }
    if (error == 0) {
        /* It changes none of its arguments; POSIX keeps the type of execv(). */
        error = posix_spawnp(child, arguments[0], &actions, NULL,
                             (char *const *)(uintptr_t)arguments, environ);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

int vks_program_wait(pid_t child)
{
    int status = -1;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return -1;
        }
    }
    return status;
}

static void copy_all(int from, FILE *to)
{
    char buffer[4096];
    for (;;) {
        const ssize_t got = read(from, buffer, sizeof(buffer));
        if (got > 0) {
            fwrite(buffer, 1, (size_t)got, to);
        } else if (got == 0 || errno != EINTR) {
            return;
        }
    }
}

int vks_program_run(const char *const *arguments, int input, FILE *said)
{
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int ends[2] = {-1, -1}, error = 0, status = -1;
    pid_t child = 0;
    if (nothing < 0 || pipe(ends) != 0) {
        error = errno;
    } else {
        (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
        (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
        const int files[] = {input < 0 ? nothing : input, ends[1], ends[1]};
        error = vks_program_start(arguments, files, &child);
        close(ends[1]);
    }
    if (error == 0) {
        copy_all(ends[0], said);
        status = vks_program_wait(child);
    } else {
        fprintf(said, "cannot run %s: %s\n", arguments[0], vks_errno_text(error));
    }
    if (nothing >= 0) {
        close(nothing);
    }
    if (ends[0] >= 0) {
        close(ends[0]);
    }
    return status;
}
