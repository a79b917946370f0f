/* SPDX-License-Identifier: MIT */
#ifndef VKS_BASE_JSON_H
#define VKS_BASE_JSON_H

#include <jansson.h>

/* The text of a JSON value, to be freed; NULL if memory ran out. `flags` as of json_dumps(), which
 * can lose the key of an object when memory runs out and still succeed (jansson 2.14). */
char *vks_json_dump(const json_t *value, size_t flags);

#endif
