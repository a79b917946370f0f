/* SPDX-License-Identifier: MIT */
/* State files: a simulation's persistent fields and how it was made, docs/state-files.md. */
#ifndef VKS_API_STATE_H
#define VKS_API_STATE_H

#include "graph/graph.h"
#include "io/npz.h"
#include "api/settings.h"

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
/* Only the size and count, and the option that decides which fields there are, such as a method:
 * again after a preset, which resets them. */
enum vks_result vks_state_file_shape(const struct vks_state_file *file,
                                     struct vks_settings *settings);
/* VKS_ERROR_FILE if such an option has another value in a run with these settings than the file's
 * arrays need. The settings stay as they are. */
enum vks_result vks_state_file_check(const struct vks_state_file *file,
                                     struct vks_settings *settings);

/* Fills the graph's persistent fields from the file, converted and checked. Fields that a file
 * without a header lacks stay as they are. */
enum vks_result vks_state_file_load(const struct vks_state_file *file, struct vks_graph *graph);

/* One field from memory, in its declared form, with the same checks; VKS_ERROR_USAGE for values it
 * cannot have. */
enum vks_result vks_state_field_load(struct vks_graph *graph, const struct vks_field *field,
                                     const void *data);

/* Writes the persistent fields; the file appears under its name only when it is whole. */
enum vks_result vks_state_file_save(const char *path, bool overwrite,
                                    const struct vks_settings *settings, struct vks_graph *graph);

#endif
