/* SPDX-License-Identifier: MIT */
#ifndef VKS_BASE_ERROR_H
#define VKS_BASE_ERROR_H

#include <vksim/model.h>

/* What would avoid a failure, apart from another value of a simulation's option. The library's
 * messages do not name options of the tool; the tool adds them according to this hint. */
enum vks_hint {
    VKS_HINT_NONE,
    VKS_HINT_SIZE,       /* fewer cells or pixels */
    VKS_HINT_ITEMS,      /* fewer items or cells */
    VKS_HINT_WINDOW,     /* no window is possible; frames can be written to files */
    VKS_HINT_DEVICE,     /* another device; the message begins with the requested name */
    VKS_HINT_VALIDATION, /* no validation: the layer is missing */
    VKS_HINT_OVERWRITE,  /* permission to replace a file */
    VKS_HINT_TIMEOUT,    /* more time for the GPU */
};

/* As vks_fail(), which records VKS_HINT_NONE. */
enum vks_result vks_fail_hint(enum vks_result result, enum vks_hint hint, const char *format, ...)
    VKS_PRINTF(3, 4);
/* The last failure, which is about an option, becomes one about that option. */
void vks_error_about(const char *option);
/* Adds to the last failure, `result`, the file that it is about. Returns `result`; VKS_OK is fine.
 */
enum vks_result vks_fail_file(enum vks_result result, const char *path);
/* Adds to the last failure, `result`, the text that it is about and a place in it, in bytes, which
 * vksim shows below the message. A long text is cut around the place. Returns `result`. */
enum vks_result vks_fail_at(enum vks_result result, const char *text, size_t place);
/* Appends to the message of the last failure. Returns `result`. */
enum vks_result vks_fail_more(enum vks_result result, const char *format, ...) VKS_PRINTF(2, 3);

/* VKS_ERROR_USAGE: a public function, __func__, got NULL where that is not allowed. */
enum vks_result vks_fail_null(const char *function);

/* A failure. Code decides by the other members; `text` is for people. */
struct vks_error {
    enum vks_result result;
    enum vks_hint hint;
    char option[64]; /* whose value is wrong; "": none */
    char file[2048]; /* that it is about, by vks_fail_file(); "": none */
    char text[2048]; /* the message */
    /* By vks_fail_at(), "" without it: safe to print, and the columns before the place. */
    char excerpt[400];
    int column;
};

/* The last failure of the calling thread. */
const struct vks_error *vks_error_last(void);
/* Copies the last failure, to keep it while other calls may fail. `result` is what the failing
 * function returned, which need not have recorded anything; with VKS_OK, vks_fail_again() only
 * restores the last failure. */
void vks_error_keep(enum vks_result result, struct vks_error *error);
/* Records the copy as the last failure and returns its result. */
enum vks_result vks_fail_again(const struct vks_error *error);

/* The same with another message, which may include the one of the copy. */
enum vks_result vks_fail_reworded(const struct vks_error *error, const char *format, ...)
    VKS_PRINTF(2, 3);

/* Reports a failed allocation. Returns VKS_ERROR_GPU. */
enum vks_result vks_fail_memory(void);

#endif
