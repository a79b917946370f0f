/* SPDX-License-Identifier: MIT */
/* Messages for a person, on standard error unless a callback takes them. */
#ifndef VKS_BASE_LOG_H
#define VKS_BASE_LOG_H

#include <vksim/vksim.h>

/* Both may be called from any thread. Messages above the level are dropped. A callback is called on
 * the thread of the message, so two may run at a time. */
void vks_message(enum vks_log_level level, const char *format, ...) VKS_PRINTF(2, 3);
void vks_message_to(enum vks_log_level max, vks_log_fn *callback, void *user);

#endif
