/* SPDX-License-Identifier: MIT */
/* Compiles GLSL at run time with the options of the build (meson.build): by the library libshaderc
 * where it can be loaded, else by the program glslc. Both make the same bytes. Debian 12's library
 * cannot be loaded, because it lacks symbols that only glslc has. */
#ifndef VKS_GPU_GLSL_H
#define VKS_GPU_GLSL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum vks_glsl_way {
    VKS_GLSL_EITHER,
    VKS_GLSL_LIBRARY,
    VKS_GLSL_PROGRAM,
};

struct vks_glsl_options {
    enum vks_glsl_way way;
    const char *folder; /* of files to include, after that of the including file; NULL: none */
    bool wide;          /* the version for fields in chunks */
    bool debug;         /* with lines of the source */
};

/* A compute shader. */
struct vks_glsl_source {
    const char *path; /* of a file, absolute, or a name for messages: "formula.comp" */
    const char *text; /* NULL: that of the file */
    uint32_t *words;  /* out: the module, to be freed; NULL: it does not compile */
    size_t count;
    char *depends; /* out: the files that it was made from, after spaces, to be freed; or NULL */
};

/* What would compile: its file, size and time, to name what it has made. False if there is nothing.
 * A setuid program has only the library, because PATH is its caller's. */
enum { VKS_GLSL_IDENTITY = 512 };
bool vks_glsl_compiler(enum vks_glsl_way way, char identity[VKS_GLSL_IDENTITY]);

/* Compiles all sources. What is wrong with those that fail goes to `errors`, in lines. */
void vks_glsl_compile(const struct vks_glsl_options *options, struct vks_glsl_source *sources,
                      size_t count, FILE *errors);

#endif
