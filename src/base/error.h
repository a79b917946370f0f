/* SPDX-License-Identifier: MIT */
#ifndef VKS_BASE_ERROR_H
#define VKS_BASE_ERROR_H

#include <vksim/result.h>

/* Records the message for vks_error_text() on this thread and returns `result`, so that a failing
 * function ends with `return vks_fail(VKS_ERROR_FILE, "cannot read '%s': %s", ...)`. The message is
 * one sentence that names the option, file or device, what is wrong and what would be right; no
 * trailing newline. Arguments may include vks_error_text(), to add context. Control characters are
 * escaped (vks_escape()), because arguments may contain text from files. */
enum vks_result vks_fail(enum vks_result result, const char *format, ...) VKS_PRINTF(2, 3);

/* The kind of setting that would avoid a failure. Messages of the library do not name options of
 * the tool, which adds its own according to this. */
enum vks_hint {
    VKS_HINT_NONE,
    VKS_HINT_SIZE,       /* fewer cells, pixels or items */
    VKS_HINT_WINDOW,     /* no window is possible; frames can be written to files */
    VKS_HINT_DEVICE,     /* another device; the message begins with the requested name */
    VKS_HINT_VALIDATION, /* no validation: the layer is missing */
    VKS_HINT_OVERWRITE,  /* permission to replace a file */
    VKS_HINT_OPTION,     /* another value; the message begins with the name of the option */
};

/* As vks_fail(), which records VKS_HINT_NONE. */
enum vks_result vks_fail_hint(enum vks_result result, enum vks_hint hint, const char *format, ...)
    VKS_PRINTF(3, 4);
/* The hint of the last failure on the calling thread. */
enum vks_hint vks_error_hint(void);

/* The message and hint of a failure, kept while other calls may fail. */
struct vks_error {
    enum vks_hint hint;
    char text[2048];
};

/* Copies the last failure of the calling thread. */
void vks_error_keep(struct vks_error *error);
/* Records it again and returns `result`. */
enum vks_result vks_fail_again(enum vks_result result, const struct vks_error *error);

/* Reports a failed allocation. Returns VKS_ERROR_GPU. */
enum vks_result vks_fail_memory(void);

#endif
