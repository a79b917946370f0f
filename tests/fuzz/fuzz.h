/* SPDX-License-Identifier: MIT */
/* What a fuzzing harness has. It runs under driver.c, which mutates seed files by itself, or under
 * libFuzzer (tools/fuzz), which needs no driver. */
#ifndef FUZZ_H
#define FUZZ_H

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One input; always returns 0. A finding is a crash, or abort() where a promise is broken. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Of the engine, libFuzzer or driver.c: changes some bytes. Returns the new size, 1 to max_size. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
/* Optional, of a mutator that knows the form of the inputs: the same. Equal arguments, and equal
 * results of LLVMFuzzerMutate(), give equal results. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

/* Inputs that were taken as valid so far: the driver checks that its seeds are. */
extern unsigned long fuzz_taken;

static char fuzz_path[300], fuzz_folder[300];

/* TMPDIR/vksim-fuzz-XXXXXX, for mkstemp() and mkdtemp(). */
static inline void fuzz_temporary_name(char name[300])
{
    const char *base = getenv("TMPDIR");
    snprintf(name, 300, "%.200s/vksim-fuzz-XXXXXX", base && *base ? base : "/tmp");
}

static inline void fuzz_remove_input(void)
{
    unlink(fuzz_path);
}

static inline void fuzz_write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        perror(path);
        exit(2);
    }
}

/* The input as a file. After a crash it still lies there. */
static inline const char *fuzz_write_input(const uint8_t *data, size_t size)
{
    if (fuzz_path[0] == '\0') {
        fuzz_temporary_name(fuzz_path);
        int created = mkstemp(fuzz_path);
        if (created < 0 || close(created) != 0 || atexit(fuzz_remove_input) != 0) {
            perror(fuzz_path);
            exit(2);
        }
    }
    fuzz_write_file(fuzz_path, data, size);
    return fuzz_path;
}

/* Removes all files and empty folders of the present folder. */
static inline void fuzz_clear_folder(void)
{
    DIR *entries = opendir(".");
    const struct dirent *entry;
    while (entries && (entry = readdir(entries))) {
        (void)remove(entry->d_name);
    }
    if (entries) {
        closedir(entries);
    }
}

static inline void fuzz_leave_folder(void)
{
    fuzz_clear_folder();
    rmdir(fuzz_folder);
}

/* Changes to a new folder, which is also the user's home, so that no other file is found. After a
 * crash it still exists. */
static inline void fuzz_enter_folder(void)
{
    fuzz_temporary_name(fuzz_folder);
    if (!mkdtemp(fuzz_folder) || chdir(fuzz_folder) != 0 || atexit(fuzz_leave_folder) != 0) {
        perror(fuzz_folder);
        exit(2);
    }
    setenv("HOME", fuzz_folder, 1);
    unsetenv("XDG_DATA_HOME");
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("VKSIM_MODEL_PATH");
}

/* A broken promise. */
static inline void fuzz_require(int condition, const char *promise)
{
    if (!condition) {
        fprintf(stderr, "broken: %s (input: %s)\n", promise, fuzz_path);
        abort();
    }
}

#endif
