/* SPDX-License-Identifier: MIT */
/* Options of recorded runs, "name=value name=value ...", for references; the library reads the
 * same words by its own tables. */
#ifndef VKS_TESTS_SIM_CASE_OPTIONS_H
#define VKS_TESTS_SIM_CASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One of the four selects the type and the destination. */
struct case_option {
    const char *name;
    double *real;
    size_t reals; /* how many, separated by ':' or ','; 0: 1 */
    bool shared;  /* a single value counts for all reals */
    uint64_t *count;
    uint32_t *choice;           /* becomes the index in `choices` */
    const char *const *choices; /* NULL-terminated */
    char *text;
    size_t text_size; /* with the 0 at the end */
};

/* Sets the values in order. False for an unknown name or an invalid value, which is printed to
 * standard error. */
bool case_options_parse(const char *words, const struct case_option *options, size_t count);

/* Index of a name in a NULL-terminated list, or -1. */
int case_name_index(const char *name, const char *const *names);

#endif
