/* SPDX-License-Identifier: MIT */
/* A declaration on a device: pipelines, buffers, command buffers that are recorded once and
 * submitted for every batch of steps, and the times of passes. */
#ifndef VKS_GRAPH_GRAPH_H
#define VKS_GRAPH_GRAPH_H

#include "gpu/buffer.h"
#include "graph/declare.h"
#include "graph/schedule.h"

struct vks_graph;
struct vks_transport;

/* Checks the declaration against the shaders and the device, and builds everything. On success the
 * graph takes over the declaration and *declaration is empty; on failure it stays the caller's.
 * Nothing runs before vks_graph_start(). */
enum vks_result vks_graph_create(struct vks_gpu *gpu, struct vks_declaration *declaration,
                                 struct vks_graph **graph);
/* Creates the graph of a declaration that vks_declaration_bind() has begun with `from`'s: it uses
 * `from`'s buffers with their parity, step counter and steps, and has others only for its own
 * fields. All its passes are EACH_FRAME. `from` must outlive it. Its pipelines are built by
 * vks_graph_build(), or when they are first used, because some runs draw nothing. */
enum vks_result vks_graph_create_bound(struct vks_graph *from, struct vks_declaration *declaration,
                                       struct vks_graph **graph);
/* The same for a declaration that vks_declaration_bind_twin() has continued with `twin`'s, which
 * must outlive it too: passes may read and write the fields of both graphs. */
enum vks_result vks_graph_create_twins(struct vks_graph *from, struct vks_graph *twin,
                                       struct vks_declaration *declaration,
                                       struct vks_graph **graph);
/* Builds the pipelines that are missing. */
enum vks_result vks_graph_build(struct vks_graph *graph);
void vks_graph_destroy(struct vks_graph *graph); /* waits for the GPU; NULL is fine */

/* Before the first step: neighbours are reached by `transport`, which must outlive the graph. Steps
 * are collective from then on: all ranks run the same numbers of them in the same order. */
enum vks_result vks_graph_join(struct vks_graph *graph, struct vks_transport *transport);
/* Bytes that an exchange sends per row, with as many items as rows have on average. The declaration
 * is that of a rank. */
double vks_exchange_row_bytes(const struct vks_declaration *declaration);
/* Called on all ranks, during these calls, when one of them has too little room for its items:
 * vks_graph_update() with a declaration that has more (vks_slab.crowding). Without it that is a
 * failure. */
struct vks_more_room {
    enum vks_result (*make)(void *user, uint32_t crowding);
    void *user;
};
void vks_graph_on_crowding(struct vks_graph *graph, const struct vks_more_room *more);

/* The end of what all ranks do together: a failure of this rank becomes that of the others, which
 * otherwise wait for it. Returns `result`. Nothing happens on one rank. */
enum vks_result vks_graph_end_together(struct vks_graph *graph, enum vks_result result);
/* Exchanges halos, unless that many rows of them are still exact. All ranks call it. */
enum vks_result vks_graph_refresh(struct vks_graph *graph, uint32_t rows);

/* Reports the declaration's failure, or that its fields do not fit the device, together with those
 * it binds. Creates nothing. */
enum vks_result vks_graph_fits(const struct vks_gpu *gpu,
                               const struct vks_declaration *declaration);

/* The limits that models may know. */
struct vks_limits vks_graph_limits(const struct vks_gpu *gpu);

/* Bytes of all buffers of its own fields; UINT64_MAX on overflow. */
uint64_t vks_declaration_bytes(const struct vks_declaration *declaration);
/* True if a field is in several buffers on the device, so that shaders need addresses. */
bool vks_declaration_splits(const struct vks_gpu *gpu, const struct vks_declaration *declaration);

/* Only compiles the pipelines, one after another, for a device that cannot compute. `each` is
 * called with every pipeline while it exists, and whether it is the wide version. */
enum vks_result vks_graph_compile(struct vks_gpu *gpu, const struct vks_declaration *declaration,
                                  void (*each)(void *user, const struct vks_pass *pass, bool wide,
                                               VkPipeline pipeline),
                                  void *user);

/* How two declarations differ, in order of cost. */
enum vks_difference {
    VKS_EQUAL,
    VKS_DIFFERS_AT_START,     /* only in what a start computes */
    VKS_DIFFERS_LIVE,         /* in what steps or frames read */
    VKS_DIFFERS_IN_STRUCTURE, /* in fields or passes, with a message: vks_graph_update() refuses it,
                               * unless the graph is bound */
};
enum vks_difference vks_declaration_compare(const struct vks_declaration *old,
                                            const struct vks_declaration *new);

/* Updates the values of a graph: steps already submitted use the old ones, later steps the new.
 * Different push constants drop the recorded batches; different specialization constants, items or
 * workgroups also replace those pipelines. If fields or passes differ, a bound graph gets new
 * buffers for its own fields, zeroed except those that carry their values (`carries`). Any other
 * graph refuses that: VKS_ERROR_USAGE, with nothing changed; the message says what differs, for
 * example "it changes the field 'x', which needs a new simulation". On success the graph takes over
 * the declaration, as in vks_graph_create(); call vks_graph_fill() next. Does not wait for the GPU.
 */
enum vks_result vks_graph_update(struct vks_graph *graph, struct vks_declaration *declaration);

/* Builds again the pipelines for whose shaders vks_shader_find() has another one now. On failure
 * nothing changes. Does not wait for the GPU; AT_CHANGE passes with other shaders run again. */
enum vks_result vks_graph_reload(struct vks_graph *graph);

/* Reads the image of a field, fitted as its image_fit says. `*brightness` belongs to the reader and
 * is valid until the next call. */
struct vks_images {
    void *user;
    enum vks_result (*read)(void *user, const struct vks_field *field, uint32_t width,
                            uint32_t height, const float **brightness);
};
/* Zeroes every field of its own, sets the step counter unless that is bound and, with `run_passes`,
 * fills the tables of the AT_START and AT_CHANGE passes and runs them. */
enum vks_result vks_graph_start(struct vks_graph *graph, uint64_t first_step, bool run_passes);
/* The same with passes; tables may have images. */
enum vks_result vks_graph_start_from(struct vks_graph *graph, uint64_t first_step,
                                     const struct vks_images *images);
/* Fills the other fields with host data: after vks_graph_start() all that have not been uploaded;
 * after vks_graph_update() those whose source has changed, in a submission of its own, without
 * waiting. `has_state` excludes fields of the state. With NULL for `images`, fields with an image
 * stay as they are. */
enum vks_result vks_graph_fill(struct vks_graph *graph, bool has_state,
                               const struct vks_images *images);
/* Runs the WHEN_READY passes, after the state has been filled or loaded. */
enum vks_result vks_graph_ready(struct vks_graph *graph);
/* Packs an array of (H, mask_width) elements into a field with a mask_width, whose words are 0. */
void vks_fill_mask(const struct vks_field *field, const struct vks_source *source, uint32_t *words);
/* Checks an array of the user and converts it to the elements of a field (at `out`), which may be
 * the array itself if the field's elements are not larger. VKS_ERROR_FILE: the message names the
 * field. */
enum vks_result vks_fill_from_array(const struct vks_field *field, const struct vks_source *source,
                                    void *out);

/* Submits steps without waiting, in batches of at most about 50 ms. VKS_ERROR_STOPPED if a status
 * word has ended the run, here and in vks_graph_wait() and vks_graph_frame(). */
enum vks_result vks_graph_run(struct vks_graph *graph, uint64_t steps);
/* How long submissions are, for programs that answer input while they run. */
struct vks_division {
    double seconds; /* a longer step or frame is submitted in parts of at most this, as far as
                     * passes allow and their times are known */
    /* Called between two parts, with at most one of them ahead. It may submit work that neither
     * reads nor writes the graph's fields. If it fails, the steps or the frame are completed all
     * the same. */
    enum vks_result (*between)(void *user);
    void *user;
};

/* From the next step on; NULL: batches of about 50 ms in one part. */
void vks_graph_divide(struct vks_graph *graph, const struct vks_division *division);
uint64_t vks_graph_steps(const struct vks_graph *graph);
enum vks_result vks_graph_wait(struct vks_graph *graph);
/* VKS_ERROR_STOPPED with the model's message once a nonzero status word has arrived. Never waits.
 */
enum vks_result vks_graph_check(const struct vks_graph *graph);

/* Submits the EACH_FRAME passes, then the commands of `record`, such as copies (transfers may read
 * all fields). *value: the timeline value of its completion. */
enum vks_result vks_graph_frame(struct vks_graph *graph,
                                void (*record)(void *user, VkCommandBuffer commands), void *user,
                                VkSemaphore wait, VkSemaphore signal, uint64_t *value);

/* A field is in one buffer, or in several if it is too large for one. */
struct vks_piece {
    VkBuffer buffer; /* VK_NULL_HANDLE: no such field */
    uint64_t offset; /* of the requested byte */
    uint64_t size;   /* bytes from there to the buffer's end */
};
/* The current place of byte `at` of a field. */
struct vks_piece vks_graph_piece(const struct vks_graph *graph, const char *field, uint64_t at);
/* Records the copy of a whole field to the one of the same name and size in another graph. */
void vks_graph_copy(const struct vks_graph *from, const struct vks_graph *to, const char *field,
                    VkCommandBuffer commands);
/* The current buffer of a field that is in one piece, such as a picture; VK_NULL_HANDLE: none. */
VkBuffer vks_graph_buffer(const struct vks_graph *graph, const char *field);
/* The graph's own. */
const struct vks_declaration *vks_graph_declaration(const struct vks_graph *graph);
uint64_t vks_field_bytes(const struct vks_field *field); /* UINT64_MAX on overflow */
uint32_t vks_element_bytes(enum vks_element element);

/* The shape of a declared field as an array of scalars, with the number of scalars per element last
 * if it is over 1; unused entries are 0. Returns the rank, 1 to 4. */
uint32_t vks_array_shape(const struct vks_field *field, uint64_t shape[4]);

/* Whether the field has a row for each of the rank's, so that a whole one is that of all ranks; and
 * the field with its whole shape. */
bool vks_is_split(const struct vks_declaration *declaration, const struct vks_field *field);
struct vks_field vks_whole_field(const struct vks_declaration *declaration,
                                 const struct vks_field *field);
/* The axis of a field's rows. Fields of rank 3 of a plane have them in planes that
 * follow each other, such as one per species. */
uint32_t vks_row_axis(const struct vks_declaration *declaration, const struct vks_field *field);

typedef enum vks_result vks_bytes_fn(void *user, const void *bytes, size_t size);

/* Uploads and downloads whole fields; waits for the GPU. Fields of items are in order of number,
 * and an upload puts all fields of the items in that order. `sink` gets the bytes in order, in
 * pieces. Of several ranks all call these functions; each has the whole data of an upload, and only
 * rank 0 gets those of a download. */
enum vks_result vks_graph_upload(struct vks_graph *graph, const char *field, const void *data);
/* Several ranks find the order of their items once for all downloads between these calls, which
 * nothing else separates; else for each. End after a failure, too. */
enum vks_result vks_graph_begin_reading(struct vks_graph *graph);
void vks_graph_end_reading(struct vks_graph *graph);
/* The index of the field to upload after `i` others, of several or all: on several ranks places
 * decide where items are, and come first. */
size_t vks_upload_order(const struct vks_declaration *declaration, size_t i);
enum vks_result vks_graph_download(struct vks_graph *graph, const char *field, vks_bytes_fn *sink,
                                   void *user);

/* Where the state is written: the persistent fields in order of declaration. */
struct vks_state_sink {
    void *user;
    enum vks_result (*begin)(void *user, const struct vks_field *field); /* whole; NULL: none */
    vks_bytes_fn *bytes; /* of that field; rank 0 of several is the only one that needs it */
};
/* Downloads the whole state. */
enum vks_result vks_graph_read_state(struct vks_graph *graph, const struct vks_state_sink *sink);

/* Downloads a whole field to `data`, which has room for its bytes. */
enum vks_result vks_graph_download_to(struct vks_graph *graph, const char *field, void *data);
/* The same of a graph that is bound to one of several ranks, and a field with their rows. */
enum vks_result vks_graph_download_rows(struct vks_graph *graph, const char *field, void *data);
/* The rank's own rows of a field that is split, without communication. */
enum vks_result vks_graph_download_own(struct vks_graph *graph, const char *field, void *data);

/* The memory of a field in one piece. Waits for the GPU. VKS_ERROR_USAGE: the host cannot read it,
 * or the field is in several pieces or of sorted items. */
enum vks_result vks_graph_map(struct vks_graph *graph, const char *field, const void **data);

/* Downloads `parts` pieces of `bytes` bytes, evenly distributed over a field that has as many;
 * waits for the GPU. */
enum vks_result vks_graph_sample(struct vks_graph *graph, const char *field, size_t parts,
                                 size_t bytes, void *data);

/* The watched scalars of a batch or a frame. */
struct vks_row {
    uint64_t step; /* steps done */
    bool frame;    /* from a frame, after its passes */
    const double *values;
    size_t count;
};

/* A scalar of a watched field, from a copy of the field. */
double vks_scalar_value(const struct vks_field *field, size_t index, const void *data);
/* The scalars in order of declaration: name and unit; NULL past the last. */
const struct vks_scalar *vks_graph_scalar(const struct vks_graph *graph, size_t index);
/* The values of the latest frame that has completed; false if there is none. Never waits. (In a
 * batch's row, scalars computed by frames are out of date.) */
bool vks_graph_watched(struct vks_graph *graph, struct vks_row *row);
/* A scalar after the last batch or frame that has been waited for; false if there is none. */
bool vks_graph_latest(const struct vks_graph *graph, const char *name, double *value);
/* `each` is called with every row, in order of submission, from the calls that find a batch or
 * frame completed: vks_graph_run(), _frame(), _wait() and those that read timings. NULL: none. */
void vks_graph_on_row(struct vks_graph *graph, void (*each)(void *user, const struct vks_row *row),
                      void *user);

/* Pass timings in order of declaration; false past the last. Includes completed batches, never
 * waits. */
bool vks_graph_timing(struct vks_graph *graph, size_t index, struct vks_pass_timing *timing);
/* The same of several graphs, one after the other. Passes of the same name in several graphs count
 * as one: means over all calls, percentiles over all samples. */
bool vks_graphs_timing(struct vks_graph *const *graphs, size_t count, size_t index,
                       struct vks_pass_timing *timing);
/* The first pass that counts as that one; NULL past the last. */
const struct vks_pass *vks_graphs_pass(struct vks_graph *const *graphs, size_t count, size_t index);
/* Samples that are missing in the timings: their timestamps could not be read, or may have wrapped
 * around. */
uint64_t vks_graph_dropped(const struct vks_graph *graph);
/* GPU seconds of the completed batches that are timed, and their steps. */
void vks_graph_busy(struct vks_graph *graph, double *seconds, uint64_t *steps);

/* Tests only: omits every barrier, so that synchronization validation must report it. */
void vks_graph_break_barriers(struct vks_graph *graph);

#endif
