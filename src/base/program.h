/* SPDX-License-Identifier: MIT */
/* Other programs. */
#ifndef VKS_BASE_PROGRAM_H
#define VKS_BASE_PROGRAM_H

#include <stdio.h>
#include <sys/types.h>

/* Starts the program arguments[0], found by PATH, with these files as its standard input, output
 * and error. `arguments` ends with NULL. Returns 0 or an errno. */
int vks_program_start(const char *const *arguments, const int files[3], pid_t *child);
/* Waits for its end. Returns its status as of waitpid(), or -1 with errno. */
int vks_program_wait(pid_t child);
/* Runs a program with an empty input, or the file `input` unless it is -1; what it prints, and why
 * it cannot be run, goes to `said`. Returns 0 if it succeeded. */
int vks_program_run(const char *const *arguments, int input, FILE *said);

#endif
