/* SPDX-License-Identifier: MIT */
/* Option tables as JSON objects: scene files and state-file headers. */
#ifndef VKS_BASE_OPTION_JSON_H
#define VKS_BASE_OPTION_JSON_H

#include <jansson.h>

#include "base/option.h"

/* Adds every option that is set and not flagged VKS_OPTION_UNSAVED: numbers as numbers, lists as
 * arrays of numbers, flags as booleans, the rest as strings. */
enum vks_result vks_options_to_json(struct vks_option_table table, const void *settings,
                                    json_t *object);

/* Sets one option from a JSON value, with vks_option_set()'s checks.
 * `source` names the file in messages; NULL: none. */
enum vks_result vks_option_from_json(const struct vks_option *option, void *settings,
                                     const json_t *value, const char *source);
/* Puts the file before the message of the last failure, `result`, which it returns; VKS_OK and no
 * file (NULL) are fine. */
enum vks_result vks_fail_in(const char *source, enum vks_result result);

#endif
