/* SPDX-License-Identifier: MIT */
/* Colours as text. */
#ifndef VKS_VIEW_COLOUR_H
#define VKS_VIEW_COLOUR_H

#include <stdbool.h>
#include <stdint.h>

#include <vksim/result.h>

/* NULL-terminated: the names of src/view/colours.def, those of CSS. */
extern const char *const vks_colour_names[];

/* Parses #RRGGBB, #RGB or a name, in upper or lower case, as RGBA8 with red in the low byte and
 * alpha 255. False, with *colour unchanged, if the text is not a colour. */
bool vks_colour_parse(const char *text, uint32_t *colour);
/* VKS_ERROR_USAGE, for a text that begins with # and is not a colour. */
enum vks_result vks_colour_fail(const char *option, const char *text);

#endif
