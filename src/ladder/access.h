/* SPDX-License-Identifier: MIT */
/* What the lanes of one workgroup of a rung access: recorded by the tracing build of its shaders
 * (shaders/ladder/access.glsl), and what that costs in a model of a GPU:
 *
 * - lanes work in subgroups of 32, in order of gl_LocalInvocationIndex, whatever the device has.
 * The lanes of a subgroup that execute the same access make one request,
 * - buffers are moved in sectors of 32 bytes. A request costs the sectors that it touches; atomic
 *   operations of several lanes on the same element cost their sector once for each,
 * - shared memory has 32 banks of 4 bytes. Elements of up to 4 bytes are served for 32 lanes
 *   together, of 8 bytes for 16, of 16 bytes for 8. Each such phase takes as many cycles as the
 *   busiest bank has different words; lanes that load the same word share it. Atomic operations on
 *   the same word take a cycle each. */
#ifndef VKS_LADDER_ACCESS_H
#define VKS_LADDER_ACCESS_H

#include "ladder/ladder.h"
#include "ladder/trace.h"

enum {
    VKS_ACCESS_LANES = 32,  /* of a subgroup */
    VKS_ACCESS_SECTOR = 32, /* bytes */
    VKS_ACCESS_BANKS = 32,  /* of 4 bytes */
};

struct vks_access_array {
    char name[48]; /* of the field, or of the shared array */
    bool shared;
    struct vks_ladder_buffer buffer; /* its shape; of no columns if it is not one of the kernel's */
};

/* Accesses of a subgroup, a barrier or a computation. */
struct vks_access_request {
    uint32_t kind; /* TRACE_LOAD and so on */
    uint32_t pass, subgroup;
    uint32_t epoch;                   /* barriers before it */
    uint32_t order;                   /* within the pass, subgroup and epoch */
    uint32_t line;                    /* of the shader's source */
    uint32_t array;                   /* index */
    uint32_t bytes;                   /* of an element */
    uint32_t lanes;                   /* that take part: a bit for each */
    uint32_t index[VKS_ACCESS_LANES]; /* of the element, per lane; operations of TRACE_COMPUTE */
    uint32_t cost, ideal;             /* sectors or cycles */
    /* Of shared memory: words of the busiest bank; of atomic operations on a buffer: lanes on one
     * element. 1: no conflict. */
    uint32_t degree;
};

struct vks_access_pass {
    char name[48];
    char shader[64];   /* ladder/NAME of its text */
    uint64_t groups;   /* number of workgroups */
    uint32_t group[2]; /* number of the traced one */
    uint32_t lanes;
    uint32_t shared_bytes;
};

struct vks_access_trace {
    struct vks_access_request *requests; /* in order of pass, subgroup and time */
    size_t request_count;
    struct vks_access_array *arrays; /* in the order of the kernel's buffers, then shared ones */
    size_t array_count;
    struct vks_access_pass passes[TRACE_PASSES];
    size_t pass_count;
    uint64_t records, lost; /* that did not fit into the buffer */
};

/* True if the rung has a tracing build: its shaders include ladder/access.glsl. */
bool vks_access_is_recorded(const struct vks_gpu *gpu, const struct vks_ladder_task *task);
/* Runs the tracing build (task->trace is set here). VKS_ERROR_USAGE if there is none. */
enum vks_result vks_access_record(struct vks_gpu *gpu, const struct vks_ladder_task *task,
                                  struct vks_access_trace *trace);
void vks_access_free(struct vks_access_trace *trace);

/* Of all requests of one kind to one array. */
struct vks_access_total {
    uint64_t requests;
    uint64_t cost;   /* sectors, or cycles of shared memory */
    uint64_t ideal;  /* the minimum that could move the same bytes */
    uint32_t degree; /* of the worst bank conflict */
    /* The first of those with the largest cost for its bytes; NULL: there are none. */
    const struct vks_access_request *worst;
};

/* pass < 0: of all passes. */
struct vks_access_total vks_access_total(const struct vks_access_trace *trace, int pass,
                                         size_t array, uint32_t kind);
/* How often an element is loaded, as a product over levels; all 0: no loads, or memory ran out. */
struct vks_access_reuse {
    double lanes;    /* of a request that share one transfer */
    double requests; /* of the workgroup; of a shared array, since the element was stored */
    double groups;   /* workgroups: 1 for a shared array and where the array's size is unknown */
};
/* Means over the elements that the workgroup loads, in the pass that loads them most often. */
struct vks_access_reuse vks_access_reuse(const struct vks_access_trace *trace, size_t array);
/* Transfers of an element: requests of all workgroups. */
static inline double vks_access_transfers(const struct vks_access_reuse *reuse)
{
    return reuse->requests * reuse->groups;
}
/* Lanes of the request that access the element. */
uint32_t vks_access_lanes_on(const struct vks_access_request *request, uint32_t index);
/* Computes cost, ideal and degree of a request. */
void vks_access_cost(struct vks_access_request *request);

static inline bool vks_access_is_shared(uint32_t kind)
{
    return kind >= TRACE_SHARED_LOAD && kind <= TRACE_SHARED_ATOMIC;
}

static inline bool vks_access_is_buffer(uint32_t kind)
{
    return kind <= TRACE_ATOMIC;
}

#endif
