/* SPDX-License-Identifier: MIT */
/* What a fuzzing harness has. It runs under driver.c, which mutates seed files by itself, or under
 * libFuzzer (clang -fsanitize=fuzzer), which needs no driver. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One input; always returns 0. A finding is a crash, or abort() where a promise is broken. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Inputs that were taken as valid so far: the driver checks that its seeds are. */
extern unsigned long fuzz_taken;

static char fuzz_path[300];

static inline void fuzz_remove_input(void)
{
    unlink(fuzz_path);
}

/* The input as a file. After a crash it still lies there. */
static inline const char *fuzz_write_input(const uint8_t *data, size_t size)
{
    if (fuzz_path[0] == '\0') {
        const char *base = getenv("TMPDIR");
        snprintf(fuzz_path, sizeof(fuzz_path), "%.200s/vksim-fuzz-XXXXXX",
                 base && *base ? base : "/tmp");
        int created = mkstemp(fuzz_path);
        if (created < 0 || close(created) != 0 || atexit(fuzz_remove_input) != 0) {
            perror(fuzz_path);
            exit(2);
        }
    }
    FILE *file = fopen(fuzz_path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        perror(fuzz_path);
        exit(2);
    }
    return fuzz_path;
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
