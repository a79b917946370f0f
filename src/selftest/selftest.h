/* SPDX-License-Identifier: MIT */
/* Whether a device computes the right bytes: rows of operations, functions, memory, primitives,
 * simulations and pictures, whose results are known beforehand. The tests use the same rows. */
#ifndef VKS_SELFTEST_SELFTEST_H
#define VKS_SELFTEST_SELFTEST_H

#include "api/simulation.h"

enum vks_selftest_length {
    VKS_SELFTEST_SHORT,  /* less than a minute on a processor */
    VKS_SELFTEST_NORMAL, /* a minute on a GPU */
    VKS_SELFTEST_LONG,   /* every recorded run; minutes on a GPU */
};

enum vks_selftest_outcome {
    VKS_SELFTEST_PASSED,
    VKS_SELFTEST_FAILED,
    VKS_SELFTEST_ABSENT, /* the device lacks an optional feature; nothing is wrong */
};

enum { VKS_SELFTEST_NAME = 128, VKS_SELFTEST_TEXT = 400 };

/* What a row has found. */
struct vks_selftest_result {
    char name[VKS_SELFTEST_NAME];
    enum vks_selftest_outcome outcome;
    uint64_t count; /* values that were computed, bytes of a picture, or steps of a simulation */
    double seconds;
    char digest[33];              /* of the device's results; "" without any */
    char text[VKS_SELFTEST_TEXT]; /* unless passed: the operation, its input, the expected and the
                                   * found bits of the first difference; or what is missing */
};

/* A run of rows. The functions of a row fill the result, whose outcome is PASSED at first. A result
 * other than VKS_OK is a failure of the row with the message of the error. */
struct vks_selftest {
    vks_context *context;
    enum vks_selftest_length length;
};

struct vks_selftest_group {
    const char *name;
    size_t (*count)(enum vks_selftest_length length); /* rows */
    enum vks_result (*run)(const struct vks_selftest *test, size_t row,
                           struct vks_selftest_result *result);
};

extern const struct vks_selftest_group vks_selftest_operations, vks_selftest_functions,
    vks_selftest_memory, vks_selftest_primitives, vks_selftest_simulations, vks_selftest_pictures,
    vks_selftest_soak;

enum { VKS_SELFTEST_GROUPS = 7 };
extern const struct vks_selftest_group *const vks_selftest_groups[VKS_SELFTEST_GROUPS];

/* Makes the shaders of selftest/ known (vks_shader_add()): once, before a device is used. */
void vks_selftest_add_shaders(void);

/* Runs a row of a group. Fails only if the user ends it (VKS_INTERRUPTED). */
enum vks_result vks_selftest_run(const struct vks_selftest *test,
                                 const struct vks_selftest_group *group, size_t row,
                                 struct vks_selftest_result *result);

/* --- for the rows ---------------------------------------------------------------------------- */

/* Compares `count` words with what they must be. A difference fails the row with the place and the
 * bits of the first one. */
void vks_selftest_compare(struct vks_selftest_result *result, const char *what,
                          const uint32_t *found, const uint32_t *expected, size_t count);
/* The same of digests of `what`; keeps the one that was found. */
void vks_selftest_compare_digests(struct vks_selftest_result *result, const char *what,
                                  const char *found, const char *expected);
/* Fails the row, unless it has failed before. */
void vks_selftest_fail(struct vks_selftest_result *result, const char *format, ...)
    VKS_PRINTF(2, 3);

#endif
