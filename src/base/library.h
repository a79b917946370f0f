/* SPDX-License-Identifier: MIT */
/* Shared libraries that are loaded on first use, because most runs need none of them and linking
 * them takes longer than everything else before main(). */
#ifndef VKS_BASE_LIBRARY_H
#define VKS_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function, and where its address goes in the caller's table. */
struct vks_library_function {
    const char *name;
    size_t offset;
};

struct vks_library {
    /* Names with the version of their ABI ("libSDL2-2.0.so.0"), up to NULL. Each function is in one
     * of them or in a library that they depend on. */
    const char *const *names;
    const struct vks_library_function *functions;
    size_t function_count;
    void *table; /* of function pointers */
    bool loaded; /* set by vks_library_load(); initially true if the table is linked */
};

/* Loads the libraries and fills the table, unless that has been done; from any thread. Returns
 * false if a library or function is missing, with the reason in `why`. Libraries stay loaded until
 * the process ends: some have threads or handlers of their own. */
bool vks_library_load(struct vks_library *library, char *why, size_t size);

/* A note in the binary for packaging tools, which cannot see such libraries otherwise
 * (https://uapi-group.org/specifications/specs/elf_dlopen_metadata/). `priority` is "required",
 * "recommended" or "suggested"; the other arguments are strings, too. */
#define VKS_LIBRARY_NOTE(id, feature, description, priority, soname)                         \
    VKS_LIBRARY_NOTE_JSON(id, "[{\"feature\":\"" feature "\",\"description\":\"" description \
                              "\",\"priority\":\"" priority "\",\"soname\":[\"" soname "\"]}]")
#define VKS_LIBRARY_NOTE_JSON(id, json)                                                     \
    __attribute__((used, section(".note.dlopen"))) _Alignas(uint32_t) static const struct { \
        uint32_t name_size, text_size, type;                                                \
        char name[4];                                                                       \
        _Alignas(uint32_t) char text[sizeof(json)];                                         \
    } vks_library_note_##id = {4, sizeof(json), UINT32_C(0x407c0c0a), "FDO", json}

#endif
