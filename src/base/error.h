/* SPDX-License-Identifier: MIT */
#ifndef VKS_BASE_ERROR_H
#define VKS_BASE_ERROR_H

#include <vksim/result.h>

/* Records the sentence for vks_error_text() on this thread and returns `result`, so that a failing
 * function ends with `return vks_fail(VKS_ERROR_FILE, "cannot read '%s': %s", ...)`. The sentence
 * names the option, file or device, what was wrong and what would be right; no trailing newline. */
enum vks_result vks_fail(enum vks_result result, const char *format, ...) VKS_PRINTF(2, 3);

/* `malloc` failed: the same sentence everywhere. Returns VKS_ERROR_GPU. */
enum vks_result vks_fail_memory(void);

#endif
