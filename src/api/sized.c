/* SPDX-License-Identifier: MIT */
#include "api/sized.h"

#include <string.h>

#include <vksim/vksim.h>

#include "base/error.h"

/* A member appended into padding would be read from programs that never set it. */
_Static_assert(sizeof(struct vks_context_params) ==
                   offsetof(struct vks_context_params, ranks) + sizeof(char *),
               "struct vks_context_params ends in padding");
_Static_assert(sizeof(struct vks_simulation_params) ==
                   offsetof(struct vks_simulation_params, load_state) + sizeof(const char *),
               "struct vks_simulation_params ends in padding");

enum { MAX_SIZE = 4096 }; /* no structure will be larger; a larger size was never set */

/* The first member of each such structure. */
static enum vks_result read_size(const void *given, size_t *size)
{
    memcpy(size, given, sizeof(*size));
    return *size >= sizeof(*size) && *size <= MAX_SIZE
               ? VKS_OK
               : vks_fail(VKS_ERROR_USAGE,
                          "a structure has the size %zu; set its member `size` to "
                          "the sizeof of the structure",
                          *size);
}

enum vks_result vks_take_sized(void *to, size_t size, const void *given)
{
    size_t theirs;
    const enum vks_result result = read_size(given, &theirs);
    if (result != VKS_OK) {
        return result;
    }
    const unsigned char *bytes = given;
    for (size_t i = size; i < theirs; i++) {
        if (bytes[i] != 0) {
            return vks_fail(VKS_ERROR_USAGE,
                            "a structure of parameters has members that libvksim %s does not know; "
                            "use the version that the program was compiled with",
                            VKS_VERSION);
        }
    }
    memset(to, 0, size);
    memcpy(to, given, theirs < size ? theirs : size);
    memcpy(to, &size, sizeof(size));
    return VKS_OK;
}

enum vks_result vks_give_sized(void *to, const void *from, size_t size)
{
    size_t theirs;
    const enum vks_result result = read_size(to, &theirs);
    if (result == VKS_OK) {
        memcpy(to, from, theirs < size ? theirs : size);
        memcpy(to, &theirs, sizeof(theirs));
    }
    return result;
}
