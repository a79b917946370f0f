/* SPDX-License-Identifier: MIT */
/* The command `check` for files of shaders. */
#ifndef VKS_TOOL_CHECK_H
#define VKS_TOOL_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include <vksim/result.h>

/* Whether the word names a shader: FILE.spv, FILE.comp or FILE.glsl. */
bool vks_is_shader_file(const char *word);

/* Checks that the shaders keep to exact arithmetic; prints one line per exact file and one per
 * offence. VKS_ERROR_STOPPED after an offence; VKS_ERROR_FILE and VKS_ERROR_USAGE for a file that
 * cannot be read or is not a shader, which ends the check. */
enum vks_result vks_check_shaders(const char *const *files, size_t count, bool json);

#endif
