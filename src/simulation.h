/* SPDX-License-Identifier: MIT */
/* The inside of the library's objects, for the command line tool and the window. */
#ifndef VKS_SIMULATION_H
#define VKS_SIMULATION_H

#include <vksim/vksim.h>

#include "graph/graph.h"
#include "io/npz.h"
#include "settings.h"

struct vks_context {
    struct vks_gpu gpu;
};

/* As vks_context_create(), with what the window system and the tests need. */
enum vks_result vks_context_open(const struct vks_gpu_params *params, vks_context **context);

/* A state file, looked into: its arrays and what its header says. */
struct vks_state_file {
    char *path;
    struct vks_npz *npz;
    json_t *header; /* vksim.json, NULL if a person made the file */
    uint64_t steps;
};

/* Opens a state file; a header must be of the same model (NULL: any). Close with
 * vks_state_file_close(). */
enum vks_result vks_state_file_open(struct vks_state_file *file, const char *path,
                                    const struct vks_model *model);
void vks_state_file_close(struct vks_state_file *file); /* a zeroed structure is fine */
/* Name of the model in the header, or NULL. */
const char *vks_state_file_model(const struct vks_state_file *file);
/* Writes the header's options, and the size and count that the arrays have, into settings. */
enum vks_result vks_state_file_apply(const struct vks_state_file *file,
                                     struct vks_settings *settings);

/* The declaration of a simulation with these settings: model and view. */
void vks_declare_all(const struct vks_settings *settings, bool yuv,
                     struct vks_declaration *declaration);

/* Makes a simulation from finished settings (copied). `state` may be NULL. With `yuv`, pictures
 * are also made as YUV planes. */
enum vks_result vks_simulation_open(vks_context *context, const struct vks_settings *settings,
                                    const struct vks_state_file *state, bool yuv,
                                    vks_simulation **simulation);

vks_context *vks_simulation_context(const vks_simulation *simulation);
const struct vks_settings *vks_simulation_settings(const vks_simulation *simulation);
struct vks_graph *vks_simulation_graph(const vks_simulation *simulation);

#endif
