/* SPDX-License-Identifier: MIT */
/* Compiles shaders at run time as the build does: with its options (gpu/glsl.h), the program
 * spirv-val, and its checks of exactness and of what the library can use. */
#ifndef VKS_RELOAD_COMPILE_H
#define VKS_RELOAD_COMPILE_H

#include <stdio.h>

#include "formula/formula.h"
#include "gpu/pipeline.h"

struct vks_compiler {
    char *folder;                  /* of the sources: an absolute path */
    const struct vks_model *model; /* whose folder it is; NULL: it is laid out as shaders/ */
};

/* The folder is that of the model, if this is one of shaders, or one of vksim's. VKS_ERROR_FILE if
 * a compiler, spirv-val or the folder's shaders are missing. */
enum vks_result vks_compiler_open(struct vks_compiler *compiler, const char *folder,
                                  const struct vks_model *model);
void vks_compiler_close(struct vks_compiler *compiler); /* a zeroed one is fine */

/* The narrow or the wide version of a module. */
struct vks_compiled_build {
    uint32_t *words; /* NULL: those of the table, or there is no such version */
    size_t count;
    uint32_t shared_bytes;
};

struct vks_compiled {
    const struct vks_shader *shader;     /* which module is to be compiled */
    size_t index;                        /* of it in the model, if the folder is the model's */
    struct vks_compiled_build builds[2]; /* narrow and wide */
    char *depends; /* the files that it was made from; NULL: unknown, or any of the model's */
    bool failed;
};
void vks_compiled_free(struct vks_compiled *compiled);

/* Compiles FOLDER/NAME.comp of each shader, or the file that the model has for it, and its wide
 * version where the table has one. Writes what is wrong with those that failed to `errors`, one per
 * line, as "physarum/agents.comp:12:
 * ..."; also a new interface, because the program's declarations are of the old one. */
void vks_compile(const struct vks_compiler *compiler, struct vks_compiled *items, size_t count,
                 FILE *errors);

#endif
