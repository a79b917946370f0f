/* SPDX-License-Identifier: MIT */
/* Option tables. One row says everything about an option; the row feeds the command line, --help,
 * scene files, state-file headers, the window's controls and the generated documents. */
#ifndef VKS_BASE_OPTION_H
#define VKS_BASE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <vksim/model.h>

#include "base/nearest.h"

enum { VKS_VALUE_SIZE = 256 }; /* bytes of a buffer for vks_option_get() that holds any value */

/* The row, or NULL. */
const struct vks_option *vks_option_find(struct vks_option_table table, const char *name);
/* The nearest name in several tables, or NULL, as from vks_nearest(). */
const char *vks_option_nearest(const struct vks_option_table *tables, size_t count,
                               const char *name);
/* The row whose value is at that offset of the settings, which must exist. */
const struct vks_option *vks_option_at(struct vks_option_table table, size_t offset);

/* Sets one value, or a list such as "20,30,40", from text, checking type and range. The message
 * begins with the option's name and has the text and the range. A TEXT value is copied, and the
 * previous one freed. */
enum vks_result vks_option_set(const struct vks_option *option, void *settings, const char *text);

/* The same from a number. A REAL takes a count; any other type is an error. */
enum vks_result vks_option_set_real(const struct vks_option *option, void *settings, double real);
enum vks_result vks_option_set_count(const struct vks_option *option, void *settings,
                                     uint64_t count);
/* Sets a REAL to one value, or with VKS_OPTION_LIST to up to VKS_MAX_LIST. */
enum vks_result vks_option_set_list(const struct vks_option *option, void *settings,
                                    const double *values, size_t count);

/* The value as text that vks_option_set() reads back to the same value; "" for an unset one without
 * `same_as`. In `buffer`, or the value itself if that is a text, of any length. */
const char *vks_option_get(const struct vks_option *option, const void *settings, char *buffer,
                           size_t size);

/* The values of an option that is a list; NULL if it has one value. */
const struct vks_list *vks_option_list(const struct vks_option *option, const void *settings);

/* True if the option has a value (TEXT: not NULL; REAL: not following `same_as`). */
bool vks_option_is_set(const struct vks_option *option, const void *settings);

/* True if the value is not false, 0 (in a list: all 0), a count's minimum or an empty text,
 * nor "none" with VKS_OPTION_NAMES. */
bool vks_option_is_on(const struct vks_option *option, const void *settings);

/* True if the value is the option's default. */
bool vks_option_is_default(const struct vks_option *option, const void *settings);

/* Writes every default; the settings must be zeroed or hold values of this table. */
enum vks_result vks_options_reset(struct vks_option_table table, void *settings);

/* Fills in the values that follow another option. Only for copies, because values that are filled
 * in no longer follow. */
void vks_options_resolve(struct vks_option_table table, void *settings);

/* Copies a structure of `size` bytes: members without a row as they are, TEXT values duplicated.
 * `to` must be zeroed or hold values of this table. After a failure it can be freed. */
enum vks_result vks_options_copy(struct vks_option_table table, void *to, const void *from,
                                 size_t size);

/* Frees the TEXT values and zeroes them. */
void vks_options_free(struct vks_option_table table, void *settings);

/* The range of a slider: the soft one, or the legal one without it. */
void vks_option_soft_range(const struct vks_option *option, double *low, double *high);
/* The heading of a row of the table; "" if no row up to it has one. */
const char *vks_option_heading(struct vks_option_table table, const struct vks_option *option);

/* What stands for the value in --help: "N", "FILE"; "" for a flag. A static string. */
const char *vks_option_argument(const struct vks_option *option);

/* What a value may be and what it is by default: " (0 to 180 deg; default 45)", or "" where there
 * is nothing to say. Returns `buffer`. */
const char *vks_option_values(const struct vks_option *option, char *buffer, size_t size);

/* Prints one row of a page of that width: `head`, then `words` from the column `indent` on, on a
 * line of their own if the head is longer. */
void vks_put_row(FILE *out, const char *head, const char *words, unsigned indent, unsigned columns);

enum { VKS_HELP_INDENT = 28 }; /* column of the words in --help */

/* "  -o, --out PATH". Returns `buffer`. */
const char *vks_option_head(const struct vks_option *option, char *buffer, size_t size);

/* Prints one paragraph per option, for --help; `columns` is the width of the page. With `settings`
 * (NULL: none), values that are not the default are added after the words `source`, such as "preset
 * silk". */
void vks_options_help(FILE *out, struct vks_option_table table, unsigned columns,
                      const void *settings, const char *source);

#endif
