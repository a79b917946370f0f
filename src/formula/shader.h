/* SPDX-License-Identifier: MIT */
/* Shaders of models from files: compiles GLSL, takes the modules of plug-ins. */
#ifndef VKS_FORMULA_SHADER_H
#define VKS_FORMULA_SHADER_H

#include <vksim/plugin.h>

#include "base/digest.h"
#include "gpu/pipeline.h"

/* The texts in shaders/lib/, and what they include. */
struct vks_shader_text {
    const char *name;         /* in #include; NULL ends the list */
    const char *const *lines; /* without comments; NULL ends them */
};
extern const struct vks_shader_text vks_shader_texts[];

struct vks_shader_source {
    const char *name; /* for vks_shader_find(); lives as long as the shader */
    const char *path; /* for messages */
    const char *text;
    const char *folder;        /* of files to include; NULL: the text is generated */
    const char *constants;     /* the text of "constants.glsl"; NULL: there is none */
    bool wide;                 /* with a version for fields in chunks */
    struct vks_digest *digest; /* of the text and the folder's files; NULL: not needed */
};

/* The text with those that it includes, each once, to be freed; NULL with a message. */
char *vks_shader_splice(const struct vks_shader_source *source);

struct vks_compiled_shader;

/* Compiles a compute shader, checks that it is exact, and adds it to those that vks_shader_find()
 * finds. *compiled (may be NULL) is for vks_shader_discard(). VKS_ERROR_USAGE if there is no
 * compiler, or if the shader of a folder is wrong. */
enum vks_result vks_shader_compile(const struct vks_shader_source *source,
                                   struct vks_compiled_shader **compiled);
/* Takes it back; nothing uses it. NULL is fine. */
void vks_shader_discard(struct vks_compiled_shader *compiled);

/* Checks that the shaders of a plug-in are exact and that no others have their names, and adds them
 * to those that vks_shader_find() finds. What the rows point to, up to one without
 * a name, outlives *added. VKS_ERROR_STOPPED if one is not exact, VKS_ERROR_USAGE if
 * something else is wrong. */
struct vks_added_shaders;
enum vks_result vks_shaders_take(const char *path, const struct vks_plugin_shader *rows,
                                 struct vks_added_shaders **added);
/* Takes them back; nothing uses them. NULL is fine. */
void vks_shaders_drop(struct vks_added_shaders *added);

#endif
