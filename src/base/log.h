/* SPDX-License-Identifier: MIT */
/* Log messages, on standard error unless a callback is set, and the tool's progress line. */
#ifndef VKS_BASE_LOG_H
#define VKS_BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include <vksim/vksim.h>

/* Thread-safe. Messages above the level are dropped. A callback runs on the logging thread, so two
 * calls may overlap. Control characters of the text are escaped: it may contain text from files. */
void vks_message(enum vks_log_level level, const char *format, ...) VKS_PRINTF(2, 3);
void vks_message_to(enum vks_log_level max, vks_log_fn *callback, void *user);
/* From now on all messages are dropped, as in a process that leaves them to another. */
void vks_messages_off(void);

/* Writes a constant line, given without a newline, at VKS_LOG_INFO; async-signal-safe. */
void vks_message_from_handler(const char *line);

/* A line on standard error that shows progress. On a terminal it replaces the one before it, and
 * the next message starts on a line of its own; elsewhere lines follow each other. Dropped below
 * VKS_LOG_INFO. */
void vks_progress_show(const char *text);
/* Ends the progress line on a terminal, if there is one. */
void vks_progress_end(void);
/* Whether progress can be shown often: standard error is a terminal, or belongs to a window that
 * has started this process and set VKS_PROGRESS_VARIABLE. The columns of a terminal. */
#define VKS_PROGRESS_VARIABLE "VKSIM_PROGRESS"
bool vks_progress_is_live(void);
int vks_progress_columns(void);

/* Copies the text so that it cannot control a terminal: control characters (C0, DEL, C1), those
 * that change the direction of text, and bytes that are not UTF-8 become \n, \xHH or \u{HHHH}. Cuts
 * what does not fit, between characters. Escaping twice changes nothing. Returns `buffer`. */
const char *vks_escape(const char *text, char *buffer, size_t size);
bool vks_is_utf8(const char *text);

#endif
