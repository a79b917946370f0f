/* SPDX-License-Identifier: MIT */
/* Results of libvksim's calls. Every call that can fail returns an enum vks_result;
 * vks_error_text() is the message for the calling thread, which says what went wrong and names the
 * option, file or device. */
#ifndef VKSIM_RESULT_H
#define VKSIM_RESULT_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define VKS_API __attribute__((visibility("default")))
#define VKS_PRINTF(string, first) __attribute__((format(printf, string, first)))
#else
#define VKS_API
#define VKS_PRINTF(string, first)
#endif

/* name, value, meaning */
#define VKS_RESULTS(X)                                                           \
    X(VKS_OK, 0, "done")                                                         \
    X(VKS_ERROR_USAGE, 2, "wrong usage")                                         \
    X(VKS_ERROR_DEVICE, 3, "no suitable device or display")                      \
    X(VKS_ERROR_FILE, 4, "a file could not be read or written")                  \
    X(VKS_ERROR_GPU, 5, "the GPU or its driver failed, or memory ran out")       \
    X(VKS_ERROR_VALIDATION, 6, "the Vulkan validation layers reported messages") \
    X(VKS_ERROR_STOPPED, 7, "the simulation ended the run, or a test failed")    \
    X(VKS_ERROR_INTERNAL, 8, "an internal error: please report it")              \
    X(VKS_ERROR_EXISTS, 9, "the file exists already")                            \
    X(VKS_ERROR_MEMORY, 10, "a snapshot needs more memory than is free")         \
    X(VKS_ERROR_LOST, 11, "the device was lost, or it hangs")                    \
    X(VKS_INTERRUPTED, 130, "interrupted")

enum vks_result {
#define VKS_RESULT_ROW(name, value, text) name = value,
    VKS_RESULTS(VKS_RESULT_ROW)
#undef VKS_RESULT_ROW
};

/* The meaning of a code: a static string, never NULL. */
VKS_API const char *vks_result_text(enum vks_result result);

/* The message of the last failure on the calling thread: valid until that thread's next failure, ""
 * if there was none. It is safe to print: control characters in names and values from files are
 * escaped. */
VKS_API const char *vks_error_text(void);

#ifdef __cplusplus
}
#endif
#endif
