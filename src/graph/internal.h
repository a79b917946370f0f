/* SPDX-License-Identifier: MIT */
/* Shared by the files of struct vks_graph: graph.c creates it, agree.c checks it against the
 * shaders, sets.c and chunks.c bind its fields, record.c records schedules, batch.c submits them,
 * data.c and fill.c move data, snapshot.c copies the state, watch.c and timing.c read results,
 * update.c changes its values, rebuild.c the structure of a bound one. */
#ifndef VKS_GRAPH_INTERNAL_H
#define VKS_GRAPH_INTERNAL_H

#include "gpu/arena.h"
#include "gpu/debug.h"
#include "gpu/pipeline.h"
#include "graph/graph.h"
#include "graph/snapshot.h"

enum {
    VKS_MAX_BATCHES = 48,      /* recorded command buffers kept */
    VKS_MAX_IN_FLIGHT = 3,     /* batches submitted ahead of the GPU */
    VKS_MAX_EARLIER = 127,     /* parts of a step but the last */
    VKS_MAX_SAMPLES = 4096,    /* latest samples kept of each pass, for the percentiles */
    VKS_MAX_DISPATCHES = 8192, /* of a batch */
    VKS_TRACED_STEPS = 64,     /* max steps of a batch that is traced */
    VKS_TEXEL_KINDS = 3,       /* sizes of texels: 1, 2 and 4 words */
};

/* Use of a pass that a shader's buffer is bound to; VKS_CLOCK_USE: the clock. */
#define VKS_CLOCK_USE UINT32_MAX
#define VKS_OWN_FIELD UINT32_MAX

struct vks_pass_state {
    struct vks_pipeline pipeline;
    struct vks_pipeline sliced; /* for some of the workgroups; zeroed before it is needed */
    uint64_t range;             /* that both are for: vks_pass_range() */
    uint32_t groups[3];
    uint32_t *bindings; /* per reflected buffer: the use it is bound to, or VKS_CLOCK_USE */
    /* One descriptor set per combination of parities of its uses that has occurred. */
    VkDescriptorSet *sets;
    size_t set_count, set_capacity;
    unsigned char *set_parities; /* use_count bytes per set */
    size_t set_parities_capacity;
    uint64_t calls, samples;
    double sum, min, max; /* of all samples */
    float *latest;        /* the latest VKS_MAX_SAMPLES, as a ring; NULL before the first */
    size_t latest_count, latest_capacity;
};

/* Recorded commands. Not in flight once the timeline has reached `value`. */
struct vks_batch {
    VkCommandBuffer commands;                 /* the last part */
    VkCommandBuffer earlier[VKS_MAX_EARLIER]; /* the parts before it */
    uint32_t earlier_count;
    uint32_t met[VKS_MAX_EARLIER]; /* the meetings after them, indices from 1; 0: none */
    uint32_t turn, meetings;       /* of the first, which is part of the key, and how many */
    bool divided;                  /* into parts, if it is long; part of the key of steps */
    VkQueryPool queries;
    uint32_t steps, phase; /* part of the key; steps 0: a frame, recorded each time */
    uint32_t timed_steps;  /* timed pass by pass; part of the key */
    unsigned char *parity; /* per field, before the batch; part of the key */
    enum vks_when when;
    uint32_t slot;       /* of the watched words */
    uint64_t value;      /* of the last submission; 0: none */
    uint64_t end;        /* steps completed after it */
    double submitted_at; /* vks_seconds() */
    bool uncollected;    /* its timestamps and words are still to be read */
    bool watched;        /* copies the watched words */
    bool traced;         /* its passes become slices of the profile */
    bool stale;          /* recorded before a change */
    uint64_t used;       /* for eviction */
    struct vks_schedule schedule;
    uint32_t *timed; /* schedule index of each timed pass, or a mark */
    uint32_t query_count;
};

/* Marks among the timed passes: a start; the start of a part, before which the GPU did not compute
 * the step; and the end of a slice of a pass that goes on in the next part. */
#define VKS_MARK_START UINT32_MAX
#define VKS_MARK_PART (UINT32_MAX - 1)
#define VKS_MARK_SLICE (UINT32_MAX - 2)

/* A submitted command buffer of transfers, and the memory that it copies from. */
struct vks_transfer {
    VkCommandBuffer commands;
    struct vks_buffer staging; /* may be zero */
    uint64_t value;            /* of its submission */
};

/* The watched fields' words, in order of declaration. */
struct vks_watch {
    size_t count;            /* scalars; 0: nothing is watched */
    struct vks_buffer slots; /* one per batch */
    VkDeviceSize slot_bytes;
    double *values; /* of the batch or frame being read */
    double *latest; /* of the latest frame, after `step` steps, if `known` */
    bool known;
    bool collected; /* `values` are those of a batch or frame */
    uint64_t step;
    double status;        /* the first that was not 0, else 0 */
    size_t status_scalar; /* which scalar that was, */
    uint64_t failed_at;   /* and after which step it was seen */
    void (*each)(void *user, const struct vks_row *row);
    void *user;
};

/* The buffers of a resource, of equal size except the last, which may be smaller. */
struct vks_pieces {
    const struct vks_buffer *buffers; /* the arena's */
    size_t count;                     /* 0: no such resource */
};

/* Addresses of chunks, for wide shaders. */
struct vks_tables {
    struct vks_buffer buffer; /* none if no field is split */
    struct {
        VkDeviceSize offset, range;
    } * places; /* of each resource's table in the buffer */
};

struct vks_graph {
    struct vks_gpu *gpu;
    struct vks_graph *from;     /* whose buffers it binds; NULL: none */
    struct vks_graph *twin;     /* the second one, with an equal declaration; NULL: none */
    uint32_t grown, from_grown; /* times that this one has got other buffers, and `from` when they
                                 * were bound */
    uint32_t *sources; /* per field: index of the bound one in its graph, or VKS_OWN_FIELD */
    struct vks_graph *retired; /* as it was before its structure changed, until the GPU is done
                                * with it and its results are read */
    uint64_t last;             /* timeline value of its last submission; 0: none */
    struct vks_declaration declaration;
    struct vks_pass_state *passes;
    struct vks_pipeline advance;
    VkDescriptorSet advance_set;
    VkDescriptorPool *pools; /* remaining sets and descriptors of the last pool */
    size_t pool_count, pool_capacity;
    uint32_t sets_left, descriptors_left;
    struct vks_arena arena;
    struct vks_pieces *pieces; /* per resource */
    VkBufferView *views;       /* VKS_TEXEL_KINDS per resource; VK_NULL_HANDLE: none yet */
    struct vks_tables tables;
    struct vks_buffer staging_up, staging_down;
    struct vks_transfer *transfers; /* that nothing has waited for */
    size_t transfer_count, transfer_capacity;
    unsigned char *parity; /* of each field now */
    bool *unfilled;        /* per field: host data is missing or out of date */
    uint32_t period;
    uint32_t max_batch_steps; /* a power of two: by time and by the number of dispatches */
    uint32_t max_queries;     /* timestamps of a batch */
    uint64_t steps;
    struct vks_batch *batches[VKS_MAX_BATCHES];
    size_t batch_count;
    uint64_t uses;
    uint64_t in_flight[VKS_MAX_IN_FLIGHT]; /* timeline values, a ring */
    size_t in_flight_at;
    uint32_t batch_limit;
    double step_seconds;          /* of the latest batch, 0 before the first is done */
    struct vks_division division; /* `between` NULL: none */
    double done_at;               /* vks_seconds() when the latest batch was found completed */
    uint64_t steps_seen, steps_timed, frames_seen, frames_timed;
    uint64_t dropped; /* samples that could not be read */
    double busy;
    uint64_t busy_steps;
    struct vks_watch watch;
    struct vks_exchanger *exchanger; /* between ranks; NULL: there is one */
    struct vks_meetings *meetings;   /* NULL: there are none, or none has been yet */
    uint32_t turn;                   /* of the next meeting */
    bool ran;                        /* a step */
    bool broken_barriers;
};

/* Copies of fields between two places, in regions. */
struct vks_copies {
    struct vks_gpu *gpu;
    const struct vks_pipeline *pipeline; /* vks_copy_pipeline(); zeroed: commands copy */
    struct vks_copy *list;
    size_t count, capacity;
    VkDescriptorPool pool;
};

/* --- snapshots -------------------------------------------------------------------------------- */

/* A field of the graph that a snapshot is of. */
struct vks_held_field {
    struct vks_field field; /* its name is the snapshot's own; no other pointers */
    uint64_t bytes;
    int numbers; /* index of the field with the items' numbers, by which it is sorted; -1: none */
    enum vks_held holds;
    unsigned char parity;
    struct vks_pieces copies[2]; /* of the current buffer, and of the other */
};

struct vks_graph_snapshot {
    struct vks_gpu *gpu;
    struct vks_held_field *fields; /* all of the declaration, in its order */
    size_t count;
    struct vks_arena arena;
    bool in_host;
    uint64_t bytes, steps;
    VkCommandBuffer commands;
    struct vks_copies copies; /* that the commands make */
    struct vks_pipeline copy; /* of the copies there and back */
    uint64_t value;           /* of the timeline, when the copies are done */
};

/* --- shared functions ------------------------------------------------------------------------ */

/* agree.c: the shader that a pass has on the device, by its name; NULL: there is none. */
const struct vks_shader *vks_pass_shader(const struct vks_gpu *gpu, const struct vks_pass *pass);
/* What a pipeline of a pass is for: all of its workgroups, some of them, or nothing before it is
 * built by another call. */
enum vks_pass_build { VKS_BUILD_WHOLE, VKS_BUILD_SLICED, VKS_BUILD_LATER };

/* agree.c: the pipeline of a pass, wide for chunks of that `range` or, if that is 0, narrow; an
 * error if shader and declaration disagree. */
enum vks_result vks_create_pass_pipeline(struct vks_gpu *gpu,
                                         const struct vks_declaration *declaration,
                                         const struct vks_pass *pass, uint64_t range,
                                         enum vks_pass_build build, struct vks_pipeline *pipeline);

/* chunks.c: log2 of the bytes of a chunk, for buffers of up to `range` bytes. */
uint32_t vks_chunk_bits(uint64_t range);
/* True if the field is larger than gpu->field_range and used, and all passes that use it have a
 * wide version. */
bool vks_field_splits(const struct vks_gpu *gpu, const struct vks_declaration *declaration,
                      uint32_t field);
/* gpu->field_range if the pass uses such a field, otherwise 0. */
uint64_t vks_pass_range(const struct vks_gpu *gpu, const struct vks_declaration *declaration,
                        const struct vks_pass *pass);
/* Where byte `at` of the resource is. */
struct vks_piece vks_piece_at(const struct vks_pieces *pieces, uint64_t at);
/* Creates and fills the address tables of all resources. */
enum vks_result vks_tables_create(struct vks_graph *graph);
void vks_tables_destroy(struct vks_graph *graph);

/* copies.c: the pipeline of copies by a shader. */
enum vks_result vks_copy_pipeline(struct vks_gpu *gpu, struct vks_pipeline *pipeline);
/* Bytes of pieces from `at` on. */
struct vks_pieces_at {
    const struct vks_pieces *pieces;
    uint64_t at;
};
/* Adds the copies of `bytes` bytes. */
enum vks_result vks_copies_add(struct vks_copies *copies, struct vks_pieces_at from,
                               struct vks_pieces_at to, uint64_t bytes);
/* Creates the descriptor sets, once all are added. */
enum vks_result vks_copies_bind(struct vks_copies *copies);
void vks_copies_record(const struct vks_copies *copies, VkCommandBuffer commands);
/* The same for the first `bytes` of all copies together. */
void vks_copies_record_first(const struct vks_copies *copies, uint64_t bytes,
                             VkCommandBuffer commands);
/* The GPU must no longer use them. The device and the pipeline stay. */
void vks_copies_clear(struct vks_copies *copies);

/* exchange.c: the most steps until the next exchange, which comes first if it is due; at most
 * `steps`. VKS_INTERRUPTED: all ranks have agreed to stop here. */
enum vks_result vks_exchange_due(struct vks_graph *graph, uint64_t *steps);
/* That many steps were submitted. */
void vks_exchange_passed(struct vks_graph *graph, uint64_t steps);
/* Fields have been written by other means than steps. */
void vks_exchange_needed(struct vks_graph *graph);
/* The same with all fields. */
void vks_exchange_restart(struct vks_graph *graph);
void vks_exchange_destroy(struct vks_graph *graph);
/* Continues another graph's exchanges with this one's, which has joined. */
void vks_exchange_inherit(struct vks_graph *graph, const struct vks_graph *from);
/* Items that passes move to the rows of any rank, once the state is complete. */
enum { VKS_RELOCATED_FIELDS = 12 };
struct vks_relocation {
    uint64_t count;                       /* items */
    bool *own;                            /* which were own before; NULL: no pass moves them */
    bool moved;                           /* some are now another rank's */
    void *elements[VKS_RELOCATED_FIELDS]; /* of each field of the items */
};
/* Before these passes, and after them. */
enum vks_result vks_exchange_note(struct vks_graph *graph, struct vks_relocation *relocation);
enum vks_result vks_exchange_relocate(struct vks_graph *graph, struct vks_relocation *relocation);
void vks_relocation_free(struct vks_relocation *relocation);
/* Items have been placed: makes room if some rank has too little. *again: they have to be placed
 * again. */
enum vks_result vks_exchange_placed(struct vks_graph *graph, bool *again);
/* All ranks have agreed to stop between two of the next steps. */
void vks_exchange_stop(struct vks_graph *graph);
/* Whether two declarations cut the grid in the same way. */
bool vks_exchange_is_same(const struct vks_declaration *a, const struct vks_declaration *b);
/* Hands the rows of a split field to the sink, in order, on rank 0. All ranks call it. */
enum vks_result vks_download_slabs(struct vks_graph *graph, int field, vks_bytes_fn *sink,
                                   void *user);
/* The same with fields of items of all ranks, in order of number. */
enum vks_result vks_exchange_upload(struct vks_graph *graph, int field, const void *data);
enum vks_result vks_exchange_download(struct vks_graph *graph, int field, vks_bytes_fn *sink,
                                      void *user);
/* The transport of the ranks that have joined; NULL: there is one rank. */
const struct vks_transport *vks_graph_transport(const struct vks_graph *graph);

/* meeting.c: creates what meetings need, together with the other ranks; of a bound graph, too. */
enum vks_result vks_meetings_open(struct vks_graph *graph);
void vks_meetings_destroy(struct vks_graph *graph);
/* Tells the other ranks of a failure between meetings. Returns `result`. */
enum vks_result vks_meetings_end(struct vks_graph *graph, enum vks_result result);
/* Records the copies before a meeting, or those after it (`to_fields`), without barriers. */
void vks_meeting_record(struct vks_graph *graph, uint32_t number, uint32_t turn, bool to_fields,
                        VkCommandBuffer commands);
/* Meets the other ranks, once the device has made the copies before. */
enum vks_result vks_meeting_hold(struct vks_graph *graph, uint32_t number, uint32_t turn);

/* Bytes of a field from `at` on, and of a buffer from `place` on. */
struct vks_bytes {
    VkBuffer buffer;
    uint64_t at, place, size;
};
/* data.c: records copies from the pieces of a field to the buffer, or the other way round. */
void vks_record_bytes(const struct vks_graph *graph, VkCommandBuffer commands,
                      const struct vks_pieces *pieces, struct vks_bytes bytes, bool to_field);
/* data.c: records copies of the first bytes of some pieces, which the others have, too. */
void vks_record_pieces(const struct vks_graph *graph, const struct vks_pieces *from,
                       const struct vks_pieces *to, uint64_t bytes, VkCommandBuffer commands);
/* data.c: bytes of one of the rows of a field, and the number of planes with rows. */
uint64_t vks_row_bytes(const struct vks_graph *graph, uint32_t field);
uint64_t vks_row_planes(const struct vks_graph *graph, uint32_t field);
/* data.c, a vks_bytes_fn: writes to where `user`, an unsigned char **, points, and moves that on.
 */
enum vks_result vks_append_bytes(void *user, const void *bytes, size_t size);
/* data.c: reads bytes of a field, at most 32 MiB. *data stays valid until the next
 * copy. */
enum vks_result vks_download_part(struct vks_graph *graph, int field, uint64_t at, size_t size,
                                  void **data);
/* data.c: these bytes to memory of the caller. */
enum vks_result vks_download_bytes(struct vks_graph *graph, int field, uint64_t at, uint64_t bytes,
                                   void *to);
/* The same of its first bytes, after the passes of `when`, which do not swap its buffers. */
enum vks_result vks_download_after(struct vks_graph *graph, enum vks_when when, int field,
                                   size_t size, void **data);
/* data.c: writes bytes of a field. */
enum vks_result vks_upload_part(struct vks_graph *graph, int field, uint64_t at, uint64_t size,
                                const void *data);

/* graph.c: what an arena needs for `copies` buffers of a field. */
struct vks_arena_item vks_field_item(const struct vks_field *field, uint32_t copies);
/* graph.c: creates a graph that binds `from` and `twin`, as far as they are not NULL. */
enum vks_result vks_create_graph(struct vks_gpu *gpu, struct vks_graph *from,
                                 struct vks_graph *twin, struct vks_declaration *declaration,
                                 struct vks_graph **graph);
/* graph.c: the graph that has the buffers of a bound field. */
const struct vks_graph *vks_owner_of(const struct vks_graph *graph, const struct vks_field *field);
/* Gives the declaration of a graph that is about to be destroyed back to its owner. */
void vks_return_declaration(struct vks_graph *graph, struct vks_declaration *declaration);
/* rebuild.c: gives a bound graph the new structure, as vks_graph_update(). */
enum vks_result vks_graph_rebuild(struct vks_graph *graph, struct vks_declaration *declaration);
/* rebuild.c: gives a rank more room for items, as vks_graph_update(). */
enum vks_result vks_graph_grow(struct vks_graph *graph, struct vks_declaration *declaration);
/* Reads what graphs that have been replaced still have, and destroys those that are done. */
void vks_collect_retired(struct vks_graph *graph);
/* update.c: true if two declarations have the same field. */
bool vks_is_same_field(const struct vks_field *a, const struct vks_field *b);
/* data.c: True if the field is of sorted items. */
bool vks_is_sorted(const struct vks_graph *graph, int field);
/* Submits the passes that put sorted items in order of number, each from a field into its other
 * buffer. With `keep` those buffers become the current ones; otherwise the order in memory stays
 * the same, and the other buffers are valid until the next pass. *parity: where `field` is in order
 * of number. */
enum vks_result vks_restore_order(struct vks_graph *graph, int field, bool keep,
                                  unsigned char *parity);
/* data.c: uploads a field that is not of sorted items, without waiting. */
enum vks_result vks_graph_stage(struct vks_graph *graph, int field, const void *data);

/* graph.c: of struct vks_graph's `advance`. */
extern const struct vks_pipeline_params vks_advance_params;
/* agree.c: the workgroup size of a pass, which is the probe's if the pass leaves it free: one item
 * per invocation, no workgroup variables and nothing of subgroups. */
void vks_pass_group(const struct vks_gpu *gpu, const struct vks_pass *pass, uint32_t group[2]);
/* graph.c: workgroup counts of a pass within the device's limits. */
enum vks_result vks_size_dispatch(const struct vks_gpu *gpu, const struct vks_pass *pass,
                                  uint32_t groups[3]);
/* sets.c: the set that binds an item's buffers, created on first use; that of core/advance. */
enum vks_result vks_set_for(struct vks_graph *graph, const struct vks_scheduled *item,
                            VkDescriptorSet *set);
enum vks_result vks_sets_create_advance(struct vks_graph *graph);
void vks_sets_destroy(struct vks_graph *graph);

/* record.c: the mean time of a pass; 0: not known. */
double vks_pass_mean(const struct vks_pass_state *state);
/* record.c: sets the limits of batches and of their timestamps. */
void vks_size_batches(struct vks_graph *graph);
enum vks_result vks_create_commands(struct vks_graph *graph, VkCommandBuffer *commands);
enum vks_result vks_begin(struct vks_graph *graph, VkCommandBuffer commands,
                          VkCommandBufferUsageFlags usage);
/* Creates the query pool of a batch if it has timestamps. */
enum vks_result vks_create_queries(struct vks_graph *graph, struct vks_batch *batch);
void vks_name_batch(const struct vks_graph *graph, const struct vks_batch *batch);
/* How many steps of the next batch to time (or 1 for a frame): timestamps are not free. */
uint32_t vks_choose_timed(struct vks_graph *graph, uint32_t steps);
void vks_record_barrier(struct vks_graph *graph, VkCommandBuffer commands,
                        const struct vks_barrier *barrier);
/* The pipeline of a pass, whole or in slices, unless it exists; recording does so, too. */
enum vks_result vks_build_pipeline(struct vks_graph *graph, size_t number, bool sliced);
/* Records the batch's schedule; recording has begun. */
enum vks_result vks_record_schedule(struct vks_graph *graph, struct vks_batch *batch);
/* Records a whole batch of steps. */
enum vks_result vks_record_batch(struct vks_graph *graph, struct vks_batch *batch);

/* fill.c: fills the fields that the AT_START and AT_CHANGE passes only read; those with an image
 * unless `images` is NULL. */
enum vks_result vks_fill_tables(struct vks_graph *graph, const struct vks_images *images);

/* batch.c: takes the parities and steps of the graph whose buffers are bound, if there is one. */
void vks_follow(struct vks_graph *graph);
/* batch.c: schedules, records and submits the passes of `when` once, then `record`. */
enum vks_result vks_run_once(struct vks_graph *graph, enum vks_when when,
                             void (*record)(void *user, VkCommandBuffer commands), void *user,
                             VkSemaphore wait, VkSemaphore signal);
/* batch.c: makes earlier writes visible to transfers, and transfer writes visible to everything. */
void vks_record_transfer_barrier(struct vks_graph *graph, VkCommandBuffer commands);
/* batch.c: records a command buffer of transfers. */
enum vks_result vks_record_transfer(struct vks_graph *graph, VkCommandBuffer commands,
                                    VkCommandBufferUsageFlags usage,
                                    void (*record)(void *user, VkCommandBuffer commands),
                                    void *user);
/* The same, and submits it. */
enum vks_result vks_submit_transfer(struct vks_graph *graph, VkCommandBuffer commands,
                                    void (*record)(void *user, VkCommandBuffer commands),
                                    void *user);
/* The same with a command buffer of its own. Takes over the buffer that it copies from, which may
 * be NULL, also after a failure. */
enum vks_result vks_start_transfer(struct vks_graph *graph,
                                   void (*record)(void *user, VkCommandBuffer commands), void *user,
                                   struct vks_buffer *staging);
/* The same without that buffer, and waits for it. */
enum vks_result vks_transfer(struct vks_graph *graph,
                             void (*record)(void *user, VkCommandBuffer commands), void *user);
/* Frees the transfers that have completed. */
void vks_drop_transfers(struct vks_graph *graph);
void vks_destroy_batch(struct vks_graph *graph, struct vks_batch *batch);

/* timing.c: reads the timestamps and watched words of all completed batches, in order of
 * submission. */
void vks_collect_done(struct vks_graph *graph);
/* Adds the times of passes that `old` has as well, with the same work. */
void vks_add_timings(struct vks_graph *graph, const struct vks_graph *old);

/* watch.c */
enum vks_result vks_watch_create(struct vks_graph *graph);
void vks_watch_destroy(struct vks_graph *graph);
void vks_watch_reset(struct vks_graph *graph); /* forgets all values */
/* Takes over the latest values of a retired graph with the same scalars, and its failure. */
void vks_watch_inherit(struct vks_graph *graph, const struct vks_graph *old);
/* Adds the copies of the watched words to a batch whose passes are recorded. */
void vks_watch_record(struct vks_graph *graph, struct vks_batch *batch);
void vks_watch_collect(struct vks_graph *graph, const struct vks_batch *batch);

#endif
