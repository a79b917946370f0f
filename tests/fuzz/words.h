/* SPDX-License-Identifier: MIT */
/* What mutators insert: words of the tables of vksim, and numbers at edges. */
#ifndef FUZZ_WORDS_H
#define FUZZ_WORDS_H

#include <jansson.h>

#include "base/option.h"

/* The harness's: options besides those of simulations. */
extern const struct vks_option_table *const fuzz_options; /* NULL: none */

size_t fuzz_below(uint64_t *state, size_t limit); /* 0 for the limit 0 */
/* A row of a simulation, of all simulations or of the harness. */
const struct vks_option *fuzz_option(uint64_t *state);
/* A text that such a row may have as its value, or the name of something. */
const char *fuzz_text(const struct vks_option *option, uint64_t *state);
/* A number at or near an edge of the row, or of a type. */
double fuzz_number(const struct vks_option *option, uint64_t *state);

#endif
