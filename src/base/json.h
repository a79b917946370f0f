/* SPDX-License-Identifier: MIT */
#ifndef VKS_BASE_JSON_H
#define VKS_BASE_JSON_H

#include <jansson.h>
#include <stdint.h>

/* The text of a JSON value, to be freed; NULL if memory ran out. `flags` as of json_dumps(), which
 * can lose the key of an object when memory runs out and still succeed (jansson 2.14). */
char *vks_json_dump(const json_t *value, size_t flags);

/* Like json_loadb(), but skips the byte order mark with which some editors begin UTF-8. */
json_t *vks_json_load(const char *text, size_t size, size_t flags, json_error_t *error);

/* The integer of that name in the object; 0 if there is none, or if it is negative. */
uint64_t vks_json_count(const json_t *object, const char *name);

#endif
