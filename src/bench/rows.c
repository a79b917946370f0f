/* SPDX-License-Identifier: MIT */
#include "bench/rows.h"

#include "base/error.h"
#include "base/memory.h"
#include "bench/expected.h"
#include "gpu/matrix.h"
#include "graph/declare.h"

enum kind {
    BUFFER, /* over sizes of a buffer */
    RANDOM, /* single words of the largest buffer */
    ATOMIC,
    COMPUTE, /* no memory but the result */
    MATRIX,  /* the same, by cooperative matrices */
    DISPATCH,
    SUBMIT,
    TRANSFER,
};

/* Addresses of an ATOMIC row, if not a number. */
enum { PER_SUBGROUP = -1, PER_INVOCATION = -2 };

static const struct row {
    struct vks_ceiling_info info;
    enum kind kind;
    bool second; /* BUFFER, RANDOM: reads it; DISPATCH: with a barrier; TRANSFER: download */
    const char *shader;
    enum vks_feature feature;
    double amount; /* bytes or operations of an invocation in one round */
    uint32_t (*expected)(const struct vks_kernel *kernel, uint64_t index);
    uint32_t check_every; /* 0: 1 */
    int addresses;        /* ATOMIC */
    uint32_t factor, max_repeat;
    uint32_t fewer; /* log2 of how many times fewer invocations: those with long rounds */
} rows[] = {
    {.info = {"copy", "B/s", "device memory, bytes read and written", "GB/s", 1e-9,
              VKS_CEILING_BANDWIDTH, true},
     .kind = BUFFER,
     .second = true,
     .shader = "bench/copy",
     .amount = 128,
     .expected = vks_expected_content},
    {.info = {"read", "B/s", "device memory, bytes read", "GB/s", 1e-9, VKS_CEILING_BANDWIDTH,
              true},
     .kind = BUFFER,
     .second = true,
     .shader = "bench/read",
     .amount = 64,
     .expected = vks_expected_read},
    {.info = {"write", "B/s", "device memory, bytes written", "GB/s", 1e-9, VKS_CEILING_BANDWIDTH,
              true},
     .kind = BUFFER,
     .shader = "bench/write",
     .amount = 64,
     .expected = vks_expected_content},
    {.info = {"shared", "B/s", "shared memory, bytes read", "GB/s", 1e-9, VKS_CEILING_BANDWIDTH,
              false},
     .kind = COMPUTE,
     .shader = "bench/shared",
     .amount = 256,
     .expected = vks_expected_shared,
     .check_every = 1025, /* every lane */
     .factor = 2654435769U << 20},
    {.info = {"float32", "FLOP/s", "fused multiply-adds, two operations each", "GFLOP/s", 1e-9,
              VKS_CEILING_ARITHMETIC, false},
     .kind = COMPUTE,
     .shader = "bench/float32",
     .amount = 512,
     .expected = vks_expected_float32,
     .factor = 1,
     .max_repeat = 1 << 15},
    {.info = {"float32-add", "FLOP/s", "additions", "GFLOP/s", 1e-9, VKS_CEILING_ARITHMETIC, false},
     .kind = COMPUTE,
     .shader = "bench/float32_add",
     .amount = 256,
     .expected = vks_expected_float32,
     .max_repeat = 1 << 15},
    {.info = {"float16", "FLOP/s", "fused multiply-adds of pairs, four operations each", "GFLOP/s",
              1e-9, VKS_CEILING_ARITHMETIC, false},
     .kind = COMPUTE,
     .shader = "bench/float16",
     .feature = VKS_FEATURE_FLOAT16,
     .amount = 16384,
     .expected = vks_expected_float16,
     .factor = 1,
     .max_repeat = 1 << 18,
     .fewer = 4},
    {.info = {"float16-matrix", "FLOP/s", "products of float16 matrices, added up in float32",
              "GFLOP/s", 1e-9, VKS_CEILING_ARITHMETIC, false},
     .kind = MATRIX,
     .shader = "bench/matrix",
     .feature = VKS_FEATURE_COOPERATIVE_MATRIX,
     .expected = vks_expected_matrix,
     .factor = 1,
     .max_repeat = 1 << 11,
     .fewer = 4},
    {.info = {"int32", "op/s", "multiply-adds, two operations each", "Gop/s", 1e-9,
              VKS_CEILING_ARITHMETIC, false},
     .kind = COMPUTE,
     .shader = "bench/int32",
     .amount = 512,
     .expected = vks_expected_int32,
     .check_every = 64,
     .factor = 747796405},
    {.info = {"int32-add", "op/s", "additions", "Gop/s", 1e-9, VKS_CEILING_ARITHMETIC, false},
     .kind = COMPUTE,
     .shader = "bench/int32_add",
     .amount = 256,
     .expected = vks_expected_int32_add,
     .check_every = 64},
    {.info = {"atomic-one", "op/s", "atomic additions to one word", "Gop/s", 1e-9,
              VKS_CEILING_ACCESSES, false},
     .kind = ATOMIC,
     .addresses = 1},
    {.info = {"atomic-subgroup", "op/s", "atomic additions, one word per subgroup", "Gop/s", 1e-9,
              VKS_CEILING_ACCESSES, false},
     .kind = ATOMIC,
     .addresses = PER_SUBGROUP},
    {.info = {"atomic-1k", "op/s", "atomic additions to 1024 scattered words", "Gop/s", 1e-9,
              VKS_CEILING_ACCESSES, false},
     .kind = ATOMIC,
     .addresses = 1 << 10},
    {.info = {"atomic-1m", "op/s", "atomic additions to 1048576 scattered words", "Gop/s", 1e-9,
              VKS_CEILING_ACCESSES, false},
     .kind = ATOMIC,
     .addresses = 1 << 20},
    {.info = {"atomic-spread", "op/s", "atomic additions, one word per invocation", "Gop/s", 1e-9,
              VKS_CEILING_ACCESSES, false},
     .kind = ATOMIC,
     .addresses = PER_INVOCATION},
    {.info = {"shuffle", "op/s", "shuffles of 4 bytes within subgroups", "Gop/s", 1e-9,
              VKS_CEILING_ARITHMETIC, false},
     .kind = COMPUTE,
     .shader = "bench/shuffle",
     .feature = VKS_FEATURE_SUBGROUP_SHUFFLES,
     .amount = 128,
     .expected = vks_expected_shuffle},
    {.info = {"random-read", "op/s", "reads of single words, scattered", "Gop/s", 1e-9,
              VKS_CEILING_ACCESSES, false},
     .kind = RANDOM,
     .second = true,
     .shader = "bench/random_read",
     .expected = vks_expected_random_read,
     .check_every = 1 << 14},
    {.info = {"random-write", "op/s", "writes of single words, scattered", "Gop/s", 1e-9,
              VKS_CEILING_ACCESSES, false},
     .kind = RANDOM,
     .shader = "bench/random_write",
     .expected = vks_expected_content},
    {.info = {"dispatch", "s", "a dispatch that waits for no other", "us", 1e6, VKS_CEILING_LATENCY,
              false},
     .kind = DISPATCH},
    {.info = {"dispatch-barrier", "s", "a dispatch with a barrier before it", "us", 1e6,
              VKS_CEILING_LATENCY, false},
     .kind = DISPATCH,
     .second = true},
    {.info = {"submit", "s", "a submission, from the call to the end of the host's wait", "us", 1e6,
              VKS_CEILING_LATENCY, false},
     .kind = SUBMIT},
    {.info = {"upload", "B/s", "a copy from the host's memory to the device's", "GB/s", 1e-9,
              VKS_CEILING_BANDWIDTH, false},
     .kind = TRANSFER},
    {.info = {"download", "B/s", "a copy from the device's memory to the host's", "GB/s", 1e-9,
              VKS_CEILING_BANDWIDTH, false},
     .kind = TRANSFER,
     .second = true},
};

const struct vks_ceiling_info *vks_ceiling_info(size_t index)
{
    return index < VKS_COUNT(rows) ? &rows[index].info : NULL;
}

const char *vks_ceiling_missing(const struct vks_gpu *gpu, size_t index)
{
    return vks_gpu_missing(gpu, rows[index].feature, rows[index].shader);
}

static bool is_software(const struct vks_gpu *gpu)
{
    return gpu->info.type == VKS_DEVICE_SOFTWARE;
}

uint64_t vks_largest_buffer(const struct vks_gpu *gpu)
{
    uint64_t bytes = is_software(gpu) ? UINT64_C(64) << 20 : UINT64_C(2) << 30;
    while (bytes > (UINT64_C(1) << 20) &&
           (bytes > gpu->info.largest_buffer || bytes > gpu->info.memory / 8)) {
        bytes /= 2;
    }
    return bytes;
}

/* Invocations: enough that the last workgroups of a dispatch, which leave a part of the device
 * idle, do not matter. */
static uint32_t many(const struct vks_gpu *gpu)
{
    return is_software(gpu) ? 1U << 14 : 1U << 22;
}

/* Invocations that read a buffer larger than a cache: about as many as a large GPU runs at once.
 * They move through the buffer together, so everything has left the caches when they get to it
 * again. With more, those that run would pass over their own small part again and again. */
uint32_t vks_resident_lanes(const struct vks_gpu *gpu)
{
    return is_software(gpu) ? 1U << 14 : 1U << 18;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* The buffer of `words` words that the kernel accesses; its content is different everywhere. */
static void set_buffer(struct vks_kernel *kernel, bool reads, uint32_t words)
{
    kernel->source_words = reads ? words : 0;
    kernel->result_words = words;
    kernel->params.factor = (uint32_t)((UINT64_C(1) << 32) / words * UINT32_C(2654435769));
    kernel->params.shift = larger(1, (vks_exponent(words) + 1) / 2);
    kernel->check_every = larger(kernel->check_every, words > 1 << 20 ? 61 : 1);
}

static void prepare_atomic(const struct vks_gpu *gpu, const struct row *row,
                           struct vks_kernel *kernel)
{
    struct bench_params *p = &kernel->params;
    const uint32_t lanes = gpu->max_subgroup ? gpu->max_subgroup : 32;
    p->invocations = many(gpu);
    p->stride = BENCH_TURN;
    p->shift = 31;
    if (row->addresses == PER_SUBGROUP) {
        p->shift = vks_exponent(lanes);
        p->count = p->invocations >> p->shift;
    } else if (row->addresses == PER_INVOCATION) {
        p->shift = 0;
        p->count = p->invocations;
    } else {
        p->count = (uint32_t)row->addresses;
        p->invocations = larger(p->invocations, p->count);
        if (p->count > 1) {
            p->shift = vks_exponent(p->count) / 2;
            kernel->specializations[0] = (struct vks_specialization){"scatter", 1};
        }
    }
    kernel->shader = "bench/atomic";
    kernel->access = VKS_ATOMIC;
    kernel->result_words = p->count;
    kernel->expected = vks_expected_atomic;
    kernel->amount = p->invocations;
}

/* Eight sums per subgroup, to each of which a round adds 16 products. */
static void prepare_matrix(const struct vks_gpu *gpu, const struct row *row,
                           struct vks_kernel *kernel)
{
    struct bench_params *p = &kernel->params;
    struct vks_matrix_size size = {16, 16, 16};
    (void)vks_gpu_matrix_size(gpu, &size); /* see vks_ceiling_missing() */
    const uint32_t lanes = vks_graph_limits(gpu).subgroup;
    kernel->subgroup = lanes ? lanes : 32;
    kernel->specializations[0] = (struct vks_specialization){"M", size.rows};
    kernel->specializations[1] = (struct vks_specialization){"N", size.columns};
    kernel->specializations[2] = (struct vks_specialization){"K", size.depth};
    p->invocations = many(gpu) >> row->fewer;
    p->count = size.depth;
    const double subgroups = p->invocations / kernel->subgroup;
    kernel->result_words = (uint64_t)subgroups * size.rows * size.columns;
    kernel->amount = subgroups * 8 * 16 * 2 * size.rows * size.columns * size.depth;
}

static void prepare(const struct vks_gpu *gpu, const struct row *row, uint64_t bytes,
                    struct vks_kernel *kernel)
{
    struct bench_params *p = &kernel->params;
    const uint32_t words = (uint32_t)(bytes / 4);
    *kernel = (struct vks_kernel){
        .name = row->info.name,
        .shader = row->shader,
        .feature = row->feature,
        .access = VKS_WRITE,
        .expected = row->expected,
        .check_every = larger(1, row->check_every),
        .min_repeat = 1,
        .max_repeat = row->max_repeat ? row->max_repeat : 1U << 20,
        .params = {.factor = row->factor, .addend = 1},
    };
    switch (row->kind) {
    case BUFFER:
        set_buffer(kernel, row->second, words);
        p->count = words / 4; /* elements of 16 bytes */
        p->invocations = larger(p->count / 4, many(gpu) / 4);
        p->stride = BENCH_TURN;
        if (p->invocations >= many(gpu) && row->expected != vks_expected_read) {
            kernel->max_repeat = 1; /* once over the buffer: results fill it */
            if (row->second) {
                kernel->shader = "bench/copy_once";
                p->invocations = p->count;
                kernel->amount = row->amount / 4 * p->count;
            }
        } else if (p->invocations >=
                   4 * vks_resident_lanes(gpu)) { /* several times over all of it */
            kernel->min_repeat = p->invocations / vks_resident_lanes(gpu);
            p->invocations = p->stride = vks_resident_lanes(gpu);
        }
        if (row->expected == vks_expected_read) {
            kernel->result_words = p->invocations;
        }
        break;
    case RANDOM:
        set_buffer(kernel, row->second, words);
        p->count = words;
        p->invocations = words / 8; /* reach every word in one round */
        if (row->second) {
            kernel->result_words = p->invocations;
        }
        kernel->amount = words;
        break;
    case ATOMIC:
        prepare_atomic(gpu, row, kernel);
        break;
    case MATRIX:
        prepare_matrix(gpu, row, kernel);
        break;
    default:
        p->invocations = many(gpu) >> row->fewer;
        kernel->result_words = p->invocations;
        break;
    }
    if (kernel->amount == 0) {
        kernel->amount = row->amount * p->invocations;
    }
}

bool vks_ceiling_kernel(const struct vks_gpu *gpu, size_t index, uint64_t bytes,
                        struct vks_kernel *kernel)
{
    const struct row *row = &rows[index];
    if (row->kind == DISPATCH || row->kind == SUBMIT || row->kind == TRANSFER) {
        return false;
    }
    if (row->kind == RANDOM) { /* software drivers: fewer, because single words take long there */
        bytes = is_software(gpu) ? vks_largest_buffer(gpu) / 4 : vks_largest_buffer(gpu);
    }
    prepare(gpu, row, bytes, kernel);
    return true;
}

enum vks_result vks_ceiling_measure(struct vks_gpu *gpu, size_t index, uint64_t bytes,
                                    const struct vks_effort *effort, struct vks_spread *value,
                                    uint64_t *used)
{
    const struct row *row = &rows[index];
    struct vks_kernel kernel;
    const char *missing = vks_ceiling_missing(gpu, index);
    *used = 0;
    if (missing) {
        return vks_fail(VKS_ERROR_DEVICE, "%s of %s needs %s", row->info.name, gpu->info.name,
                        missing);
    }
    if (vks_ceiling_kernel(gpu, index, bytes, &kernel)) {
        if (row->kind == BUFFER || row->kind == RANDOM) {
            *used = 4 * (kernel.source_words ? kernel.source_words : kernel.result_words);
        }
        return vks_kernel_measure(gpu, &kernel, effort, value);
    }
    if (row->kind == TRANSFER) {
        return vks_transfer_measure(gpu, row->second, effort, value, used);
    }
    return row->kind == SUBMIT ? vks_submit_measure(gpu, effort, value)
                               : vks_dispatch_measure(gpu, row->second, effort, value);
}
