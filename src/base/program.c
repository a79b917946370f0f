/* SPDX-License-Identifier: MIT */
#include "base/program.h"

#include <errno.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/wait.h>

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
