/* SPDX-License-Identifier: MIT */
/* Numbers as text, the same in every locale that a program may have set. */
#ifndef VKS_BASE_NUMBER_H
#define VKS_BASE_NUMBER_H

#include <stddef.h>

/* As strtod() in the C locale: *end is where the number ends, `text` itself if there is none. */
double vks_parse_real(const char *text, const char **end);

/* The fewest digits that read back to the same value; returns `buffer`. */
const char *vks_format_real(double value, char *buffer, size_t size);

/* Reads "LOW:HIGH". Returns where it ends, NULL if it is none. */
const char *vks_parse_span(const char *text, double *low, double *high);

#endif
