/* SPDX-License-Identifier: MIT */
/* Simulations from shared libraries: docs/plugins.md. */
#ifndef VKS_FORMULA_PLUGIN_H
#define VKS_FORMULA_PLUGIN_H

#include <vksim/plugin.h>

/* A plug-in that is loaded, for the life of the process. */
struct vks_loaded_plugin {
    const struct vks_model *const *models; /* up to NULL; vksim's copies */
    const char *path;                      /* as it was given first */
    char version[33];                      /* XXH3-128 of the file */
    bool registered;                       /* the caller's: its models are */
    /* Private: */
    const struct vks_plugin *source;
    struct vks_loaded_plugin *next;
};

/* Loads the shared library and takes its shaders, or finds it among those that are loaded.
 * VKS_ERROR_FILE if it cannot be read, VKS_ERROR_STOPPED if a shader is not exact, VKS_ERROR_USAGE
 * if it is not a plug-in for this vksim; the message names the file. One thread at a time. */
enum vks_result vks_plugin_load(const char *path, struct vks_loaded_plugin **plugin);
/* Takes a plug-in back whose models are not registered. */
void vks_plugin_unload(struct vks_loaded_plugin *plugin);
/* The plug-in of a model; NULL: it is of none. From any thread. */
const struct vks_loaded_plugin *vks_plugin_of(const struct vks_model *model);
/* Its simulation of that name; NULL: it has none, or there is no plug-in. */
const struct vks_model *vks_plugin_model(const struct vks_loaded_plugin *plugin, const char *name);

/* --- the list of them (plugins.c) ------------------------------------------------------------- */

void vks_plugins_add(struct vks_loaded_plugin *plugin);
void vks_plugins_remove(struct vks_loaded_plugin *plugin); /* which must be there */
/* The one that has this in its file; NULL: it is not loaded. */
struct vks_loaded_plugin *vks_plugins_find(const struct vks_plugin *source);

/* --- between the two (host.c) ---------------------------------------------------------------- */

/* What plug-ins call. */
extern const struct vks_host vks_host_table;
/* A copy of a plug-in's model, with this vksim's structures, to be freed with
 * vks_host_model_free(); NULL when memory ran out. */
struct vks_model *vks_host_model(const struct vks_sizes *sizes, const struct vks_model *model);
void vks_host_model_free(struct vks_model *model);
/* A copy of rows that begin with a text and end with one without it, to be freed; NULL if there are
 * none, or when memory ran out. `own` is the size of a row in this vksim. */
void *vks_host_rows(const void *rows, size_t size, size_t own);

#endif
