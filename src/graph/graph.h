/* SPDX-License-Identifier: MIT */
/* A declaration brought to life on a device: pipelines, buffers, command buffers that are recorded
 * once and submitted for every batch of steps, and the time each pass took. */
#ifndef VKS_GRAPH_GRAPH_H
#define VKS_GRAPH_GRAPH_H

#include "gpu/buffer.h"
#include "graph/model.h"
#include "graph/schedule.h"

struct vks_graph;

/* Checks the declaration against the shaders and the device, and builds everything. On success what
 * was declared belongs to the graph and *declaration is empty; on failure it stays the caller's.
 * Nothing runs yet: call vks_graph_start(). */
enum vks_result vks_graph_create(struct vks_gpu *gpu, struct vks_declaration *declaration,
                                 struct vks_graph **graph);
void vks_graph_destroy(struct vks_graph *graph); /* waits for the GPU; NULL is fine */

/* The declaration's own failure, or that its fields do not fit the device; makes nothing. */
enum vks_result vks_graph_fits(const struct vks_gpu *gpu,
                               const struct vks_declaration *declaration);

/* What models may know of a device. */
struct vks_limits vks_graph_limits(const struct vks_gpu *gpu);

/* Bytes of all its fields, both buffers of those that have two; UINT64_MAX when that overflows. */
uint64_t vks_declaration_bytes(const struct vks_declaration *declaration);

/* Only the pipelines, one after another, for a device that computes nothing. `each` is told every
 * pipeline while it lives, and whether it is the one for fields in chunks. */
enum vks_result vks_graph_compile(struct vks_gpu *gpu, const struct vks_declaration *declaration,
                                  void (*each)(void *user, const struct vks_pass *pass, bool wide,
                                               VkPipeline pipeline),
                                  void *user);

/* What differs between two declarations, the greater the more it takes. */
enum vks_difference {
    VKS_EQUAL,
    VKS_DIFFERS_AT_START,     /* only what a start makes */
    VKS_DIFFERS_LIVE,         /* what steps or frames read */
    VKS_DIFFERS_IN_STRUCTURE, /* fields or passes, with a message: vks_graph_update() refuses it */
};
enum vks_difference vks_declaration_compare(const struct vks_declaration *old,
                                            const struct vks_declaration *new);

/* Gives a graph new values, between any two calls: steps already submitted use the old ones, later
 * steps the new. Equal declarations change nothing; other push constants drop the recorded batches;
 * other specialization constants, items or workgroups also rebuild those pipelines.
 * VKS_ERROR_USAGE, with nothing changed, where other fields or passes would be needed: the message
 * says which, for example "it changes the field 'x', which needs a new simulation". On success the
 * graph takes the declaration over, as vks_graph_create() does; vks_graph_fill() follows. */
enum vks_result vks_graph_update(struct vks_graph *graph, struct vks_declaration *declaration);

/* Zeroes every field, sets the step counter and, when `run_passes`, fills the tables of the
 * AT_START and AT_CHANGE passes and runs those. */
enum vks_result vks_graph_start(struct vks_graph *graph, uint64_t first_step, bool run_passes);
/* Reads the pictures of fields. `*brightness` remains the reader's, valid until the next call. */
struct vks_pictures {
    void *user;
    enum vks_result (*read)(void *user, const char *path, uint32_t width, uint32_t height,
                            const float **brightness);
};
/* Fills the other fields that the host makes: all after vks_graph_start(), after
 * vks_graph_update() those whose sources have changed. With `has_state` the fields of the state are
 * left out, because they come from elsewhere. NULL: no field has a picture. */
enum vks_result vks_graph_fill(struct vks_graph *graph, bool has_state,
                               const struct vks_pictures *pictures);
/* Runs the WHEN_READY passes, after the state has been filled or loaded. */
enum vks_result vks_graph_ready(struct vks_graph *graph);
/* An array from outside as the elements of a field (its bytes at `out`), checked; VKS_ERROR_FILE
 * with a message that names the field. `out` may be the array itself if the field's elements are
 * not larger. */
enum vks_result vks_fill_from_array(const struct vks_field *field, const struct vks_source *source,
                                    void *out);

/* Submits steps without waiting, in batches of at most about 50 ms. VKS_ERROR_STOPPED when a status
 * word has ended the run; vks_graph_wait() and vks_graph_frame() do the same. */
enum vks_result vks_graph_run(struct vks_graph *graph, uint64_t steps);
uint64_t vks_graph_steps(const struct vks_graph *graph);
enum vks_result vks_graph_wait(struct vks_graph *graph);

/* Submits the EACH_FRAME passes, then what `record` adds (copies from fields, say; all fields are
 * readable by transfers there). *value gets the timeline value that says it is done. */
enum vks_result vks_graph_frame(struct vks_graph *graph,
                                void (*record)(void *user, VkCommandBuffer commands), void *user,
                                VkSemaphore wait, VkSemaphore signal, uint64_t *value);

/* A field is in one buffer, or in several if it is too large for one. */
struct vks_piece {
    VkBuffer buffer; /* VK_NULL_HANDLE: there is no such field */
    uint64_t offset; /* of the byte that was asked for */
    uint64_t size;   /* bytes from there to the buffer's end */
};
/* Where byte `at` of a field is now. */
struct vks_piece vks_graph_piece(const struct vks_graph *graph, const char *field, uint64_t at);
/* Records the copy of a whole field to the one of the same name and size in another graph. */
void vks_graph_copy(const struct vks_graph *from, const struct vks_graph *to, const char *field,
                    VkCommandBuffer commands);
/* Records the copy of the step counter: what follows in the other graph is as at this step. */
void vks_graph_copy_clock(const struct vks_graph *from, const struct vks_graph *to,
                          VkCommandBuffer commands);
/* The buffer of a field that is in one, such as a picture, now; VK_NULL_HANDLE: there is none. */
VkBuffer vks_graph_buffer(const struct vks_graph *graph, const char *field);
/* The graph's own. */
const struct vks_declaration *vks_graph_declaration(const struct vks_graph *graph);
uint64_t vks_field_bytes(const struct vks_field *field); /* UINT64_MAX when that overflows */
uint32_t vks_element_bytes(enum vks_element element);

/* A declared field as an array of scalars: its shape, then, where an element has several,
 * their number; 0 in what is left. Returns the rank, 1 to 4. */
uint32_t vks_array_shape(const struct vks_field *field, uint64_t shape[4]);

/* Whole fields in and out; waits for the GPU. Fields of items are in order of number, and an upload
 * leaves all fields of the items in that order. `sink` gets the bytes in order, in pieces. */
enum vks_result vks_graph_upload(struct vks_graph *graph, const char *field, const void *data);
enum vks_result vks_graph_download(struct vks_graph *graph, const char *field,
                                   void (*sink)(void *user, const void *bytes, size_t size),
                                   void *user);

/* A whole field into `data`, which has room for its bytes. */
enum vks_result vks_graph_download_to(struct vks_graph *graph, const char *field, void *data);

/* Watched scalars as they came back with a batch or a frame. */
struct vks_row {
    uint64_t step; /* steps done */
    bool frame;    /* came with a frame, after its passes have run */
    const double *values;
    size_t count;
};

/* The scalars in order of declaration: name and unit; NULL past the last. */
const struct vks_scalar *vks_graph_scalar(const struct vks_graph *graph, size_t index);
/* The values of the latest frame that has come back; false if there is none. Never waits. (In a
 * batch's row, scalars that frames compute are old.) */
bool vks_graph_watched(struct vks_graph *graph, struct vks_row *row);
/* `each` is called with every row in order of submission, within the calls that find a batch or
 * frame done: vks_graph_run(), _frame(), _wait() and those that read timings. NULL: no more. */
void vks_graph_on_row(struct vks_graph *graph, void (*each)(void *user, const struct vks_row *row),
                      void *user);

/* Pass timings in order of declaration; false past the last. Collects what is done, never waits. */
bool vks_graph_timing(struct vks_graph *graph, size_t index, struct vks_pass_timing *timing);
/* The passes of that name in several graphs as if they were one: what a mean is of every call, what
 * a percentile is of every sample. False if none has it. */
bool vks_graphs_timing(struct vks_graph *const *graphs, size_t count, const char *name,
                       struct vks_pass_timing *timing);
/* Seconds the GPU took for the batches done so far, and the steps in them. */
void vks_graph_busy(struct vks_graph *graph, double *seconds, uint64_t *steps);

/* Tests only: leaves every barrier out, so that synchronization validation has something to find.
 */
void vks_graph_break_barriers(struct vks_graph *graph);

#endif
