/* SPDX-License-Identifier: MIT */
/* State files: a simulation's persistent fields and its options, docs/state-files.md. */
#ifndef VKS_API_STATE_H
#define VKS_API_STATE_H

#include "graph/graph.h"
#include "graph/snapshot.h"
#include "io/npz.h"
#include "api/settings.h"

enum { VKS_STATE_FORMAT = 1 }; /* of the header */

/* An open state file: its arrays and its header. */
struct vks_state_file {
    char *path;
    struct vks_npz *npz;
    json_t *header; /* vksim.json; NULL if the file was not written by vksim */
    uint64_t steps;
    bool *noted; /* its unknown and missing arrays have been reported */
};

/* Opens a state file; a header must be of the same model (NULL: any). Close with
 * vks_state_file_close(). */
enum vks_result vks_state_file_open(struct vks_state_file *file, const char *path,
                                    const struct vks_model *model);
void vks_state_file_close(struct vks_state_file *file); /* a zeroed structure is fine */
/* Name of the model in the header, or NULL. */
const char *vks_state_file_model(const struct vks_state_file *file);
/* Sets the header's options in the settings, and the size and count of items of the arrays, with
 * which the header must agree. VKS_ERROR_USAGE for a state of another version of a formula, unless
 * the settings allow it. */
enum vks_result vks_state_file_apply(const struct vks_state_file *file,
                                     struct vks_settings *settings);
/* Sets only the size, the count, and the option that determines which fields exist, such as a
 * method: to be repeated after a preset, which resets them. */
enum vks_result vks_state_file_shape(const struct vks_state_file *file,
                                     struct vks_settings *settings);
/* VKS_ERROR_FILE if such an option has a value in these settings that does not match the file's
 * arrays. */
enum vks_result vks_state_file_check(const struct vks_state_file *file,
                                     const struct vks_settings *settings);

/* Whether a run with these settings can start from the file (NULL: from its initial condition) and
 * take that many steps: VKS_ERROR_USAGE if the model needs an image or a state that is not given,
 * or if there are fewer steps to run backward. */
enum vks_result vks_check_start(const struct vks_state_file *file,
                                const struct vks_settings *settings, uint64_t steps);
/* VKS_ERROR_USAGE if the file's state is from after the end of the simulation's time: nothing would
 * change. */
enum vks_result vks_check_end(const struct vks_state_file *file,
                              const struct vks_settings *settings);
/* The time of the file's state, in a model that has one; 0 without a file. */
enum vks_result vks_start_time(const struct vks_state_file *file, const struct vks_model *model,
                               double *time);

/* After a failure of a run with the options of the state: adds the name of the state to a message
 * about a file that one of these options names. Returns `result`. */
enum vks_result vks_state_file_explain(const struct vks_state_file *file,
                                       const struct vks_settings *settings, enum vks_result result);

/* Converts and checks the arrays and uploads them to the graph's persistent fields. Fields that a
 * file without a header lacks are those that the model computes instead, or remain unchanged. A
 * task (base/task.h): VKS_INTERRUPTED after vks_interrupt(). */
enum vks_result vks_state_file_load(const struct vks_state_file *file,
                                    const struct vks_settings *settings, struct vks_graph *graph);

/* The same checks without a device. */
enum vks_result vks_state_file_try(const struct vks_state_file *file,
                                   const struct vks_settings *settings);

/* The array that gives a declared field: its own, or the first of the model's members for it; NULL:
 * the file has neither. */
const struct vks_npy *vks_state_array(const struct vks_state_file *file,
                                      const struct vks_model *model,
                                      const struct vks_declaration *declaration,
                                      const struct vks_field *field);
/* VKS_ERROR_FILE if two arrays say the same. */
enum vks_result vks_state_check_members(const struct vks_state_file *file,
                                        const struct vks_settings *settings);
/* Warns of arrays that the declaration does not know. */
void vks_state_warn_unknown(const struct vks_state_file *file, const struct vks_model *model,
                            const struct vks_declaration *declaration);
/* Computes a field that the file, without a header, lacks: *numbers, the caller's, or NULL, as the
 * model's complete(). */
enum vks_result vks_state_complete(const struct vks_state_file *file,
                                   const struct vks_settings *settings,
                                   const struct vks_declaration *declaration,
                                   const struct vks_field *field, double **numbers,
                                   char assumed[VKS_ASSUMED_SIZE]);
/* The array must have the field's shape, or that of its mask. */
enum vks_result vks_state_check_shape(const struct vks_state_file *file,
                                      const struct vks_field *field, const struct vks_npy *array);

/* Warns of images that are not those of the run that wrote the file, although it continues with
 * them. */
void vks_state_file_compare_images(const struct vks_state_file *file,
                                   const struct vks_settings *settings);

/* One field from memory, of its declared type and shape, with the same checks; VKS_ERROR_USAGE for
 * invalid values. */
enum vks_result vks_state_field_load(struct vks_graph *graph, const struct vks_field *field,
                                     const void *data);

/* Writes the persistent fields of the snapshot, on any thread, or of the graph if that is NULL,
 * each in pieces; the file gets its name once it is complete. `run`: what a checkpoint says about
 * its run, which the header has then, with the digest of the state; NULL: none. On several ranks
 * all call it, and a failure to write is one of rank 0 alone: vks_rank_agree(). */
enum vks_result vks_state_file_save(const char *path, bool overwrite,
                                    const struct vks_settings *settings, struct vks_graph *graph,
                                    const struct vks_graph_snapshot *snapshot, json_t *run);
/* Reads all arrays of a checkpoint, and compares their digest with that in the header.
 * VKS_ERROR_FILE if it differs, or the file is damaged. */
enum vks_result vks_state_file_verify(const struct vks_state_file *file);

#endif
