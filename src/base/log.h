/* SPDX-License-Identifier: MIT */
/* Log messages, on standard error unless a callback is set. */
#ifndef VKS_BASE_LOG_H
#define VKS_BASE_LOG_H

#include <vksim/vksim.h>

/* Thread-safe. Messages above the level are dropped. A callback runs on the logging thread, so two
 * calls may overlap. */
void vks_message(enum vks_log_level level, const char *format, ...) VKS_PRINTF(2, 3);
void vks_message_to(enum vks_log_level max, vks_log_fn *callback, void *user);

#endif
