/* SPDX-License-Identifier: MIT */
/* Numbers as text, independent of the locale. */
#ifndef VKS_BASE_NUMBER_H
#define VKS_BASE_NUMBER_H

#include <vksim/model.h>

/* Parses a number or a fraction, such as 30000/1001; *end as above. */
double vks_parse_fraction(const char *text, const char **end);

/* The shortest text that parses to the same value; returns `buffer`. */
const char *vks_format_real(double value, char *buffer, size_t size);

/* Parses a time of at most a year: "90", "90s", "1.5min", "0.1h", "1:30" or "1:02:30.5". False if
 * it is not one. */
bool vks_parse_duration(const char *text, double *seconds);

/* Rewrites the real numbers of a JSON text, those with a point or an exponent, as the shortest text
 * that parses to the same value: 0.037, not 0.036999999999999998. */
void vks_shorten_reals(char *json);

/* An element of an array of floats ('f', of 2, 4 or 8 bytes) or of unsigned ('u') or signed ('i')
 * integers (of 1, 2, 4 or 8 bytes). A half must be finite. */
double vks_array_number(const void *array, char kind, uint32_t item_bytes, uint64_t index);

/* Parses "LOW:HIGH". Returns its end; NULL if it is not a span. */
const char *vks_parse_span(const char *text, double *low, double *high);

#endif
