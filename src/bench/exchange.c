/* SPDX-License-Identifier: MIT */
#include "bench/exchange.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "bench/keep.h"
#include "gpu/memory.h"
#include "graph/declare.h"
#include "graph/graph.h"
#include "ranks/slab.h"

/* A message is of rows of 4 KiB. The largest is a third of a field, which is within any range. */
enum { ROW = 4096, SMALLEST = 2 * ROW, GROWTH = 4, SIZES = 7 };
/* Exchanges of a sample: as many as take about that time. */
enum { MAX_EXCHANGES = 64 };
#define SAMPLE_SECONDS 0.02

static const struct vks_ceiling_info infos[] = {
    {.name = "exchange-fixed",
     .unit = "s",
     .help = "what an exchange takes besides its bytes",
     .symbol = "us",
     .scale = 1e6,
     .group = VKS_CEILING_LATENCY},
    {.name = "exchange-bandwidth",
     .unit = "B/s",
     .help = "bytes that a rank sends to both neighbours",
     .symbol = "GB/s",
     .scale = 1e-9,
     .group = VKS_CEILING_BANDWIDTH},
};
enum { FIXED, BANDWIDTH, COUNT };

static enum vks_result create(struct vks_ceilings *set)
{
    *set = (struct vks_ceilings){.items = calloc(COUNT, sizeof(*set->items))};
    if (!set->items) {
        return vks_fail_memory();
    }
    for (set->count = 0; set->count < COUNT; set->count++) {
        set->items[set->count].info = &infos[set->count];
    }
    return VKS_OK;
}

/* --- measuring -------------------------------------------------------------------------------- */

/* The graph of a field whose rows are exchanged before each step, and nothing else. */
static enum vks_result open_graph(struct vks_gpu *gpu, struct vks_transport *transport,
                                  uint32_t rows, struct vks_graph **graph)
{
    struct vks_declaration declaration = {0};
    struct vks_slab *slab = &declaration.slab;
    enum vks_result result = vks_slab_of(rows * transport->count, 1, rows, false, transport->index,
                                         transport->count, slab);
    if (result == VKS_OK) {
        vks_declaration_grid(&declaration, 1, vks_slab_length(slab, slab->whole),
                             ROW / sizeof(uint32_t));
        VKS_FIELD(&declaration, .name = "rows", .element = VKS_U32);
        vks_declare_exchange(
            &declaration,
            &(struct vks_exchange){.fields = (const char *const[]){"rows", NULL}, .reach = rows});
        result = vks_graph_create(gpu, &declaration, graph);
    }
    if (result == VKS_OK) {
        result = vks_graph_join(*graph, transport);
    }
    if (result == VKS_OK) {
        result = vks_graph_start(*graph, 0, false);
    }
    vks_declaration_free(&declaration);
    return result;
}

/* The time of an exchange, on the slowest rank. */
static enum vks_result sample(struct vks_graph *graph, const struct vks_transport *transport,
                              uint32_t exchanges, double *seconds)
{
    const double begin = vks_seconds();
    enum vks_result result = vks_graph_run(graph, exchanges);
    if (result == VKS_OK) {
        result = vks_graph_wait(graph);
    }
    uint64_t nanos = (uint64_t)(1e9 * (vks_seconds() - begin));
    if (result == VKS_OK) {
        result = transport->combine(transport->user, VKS_HIGHEST, &nanos, 1);
    }
    *seconds = 1e-9 * (double)(nanos > 0 ? nanos : 1) / exchanges;
    return result;
}

/* The times of exchanges in which a rank sends that many rows to each neighbour. */
static enum vks_result measure_size(struct vks_gpu *gpu, struct vks_transport *transport,
                                    uint32_t rows, double seconds[VKS_EXCHANGE_REPEATS])
{
    struct vks_graph *graph = NULL;
    double first = 0;
    enum vks_result result = open_graph(gpu, transport, rows, &graph);
    for (uint32_t i = 0; i < 2 && result == VKS_OK; i++) { /* the first warms up */
        result = sample(graph, transport, 2 * VKS_TURNS, &first);
    }
    const double wanted = SAMPLE_SECONDS / (first > 0 ? first : 1);
    const uint32_t exchanges = wanted < 1               ? 1
                               : wanted < MAX_EXCHANGES ? (uint32_t)wanted
                                                        : MAX_EXCHANGES;
    for (size_t i = 0; i < VKS_EXCHANGE_REPEATS && result == VKS_OK; i++) {
        result = sample(graph, transport, exchanges, &seconds[i]);
    }
    vks_graph_destroy(graph);
    return result;
}

/* How far the times are from fixed (1 + bytes / half) with the best `fixed`: squares of logarithms.
 */
static double misfit(const double *bytes, const double *seconds, size_t count, double half,
                     double *fixed)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        const double log_fixed = log(seconds[i] / (1 + bytes[i] / half));
        sum += log_fixed;
        squares += log_fixed * log_fixed;
    }
    *fixed = exp(sum / (double)count);
    return squares - sum * sum / (double)count;
}

void vks_exchange_fit(const double *bytes, const double *seconds, size_t count, double *fixed,
                      double *bandwidth)
{
    enum { NARROWINGS = 100 };
    /* Bounds of `half`, the bytes that take as long as the fixed time. */
    double low = log(0x1p10), high = log(0x1p30);
    for (int i = 0; i < NARROWINGS; i++) {
        const double third = (high - low) / 3;
        if (misfit(bytes, seconds, count, exp(low + third), fixed) >
            misfit(bytes, seconds, count, exp(high - third), fixed)) {
            low += third;
        } else {
            high -= third;
        }
    }
    (void)misfit(bytes, seconds, count, exp(low), fixed);
    *bandwidth = exp(low) / *fixed;
}

/* Adds the fits of the repeats to the set, and the times by size. */
static enum vks_result conclude(const double bytes[SIZES],
                                double seconds[SIZES][VKS_EXCHANGE_REPEATS],
                                struct vks_ceilings *set)
{
    double fixed[VKS_EXCHANGE_REPEATS], bandwidth[VKS_EXCHANGE_REPEATS];
    struct vks_ceiling *times = &set->items[FIXED];
    for (size_t i = 0; i < VKS_EXCHANGE_REPEATS; i++) {
        double repeat[SIZES];
        for (size_t k = 0; k < SIZES; k++) {
            repeat[k] = seconds[k][i];
        }
        vks_exchange_fit(bytes, repeat, SIZES, &fixed[i], &bandwidth[i]);
    }
    times->points = calloc(SIZES, sizeof(*times->points));
    if (!times->points) {
        return vks_fail_memory();
    }
    for (times->point_count = 0; times->point_count < SIZES; times->point_count++) {
        times->points[times->point_count] = (struct vks_ceiling_point){
            .bytes = (uint64_t)bytes[times->point_count],
            .value = vks_spread_of(seconds[times->point_count], VKS_EXCHANGE_REPEATS)};
    }
    times->value = vks_spread_of(fixed, VKS_EXCHANGE_REPEATS);
    set->items[BANDWIDTH].value = vks_spread_of(bandwidth, VKS_EXCHANGE_REPEATS);
    return VKS_OK;
}

enum vks_result vks_exchange_measure(struct vks_gpu *gpu, struct vks_transport *transport,
                                     struct vks_ceilings *set)
{
    double bytes[SIZES], seconds[SIZES][VKS_EXCHANGE_REPEATS];
    uint32_t message = SMALLEST;
    enum vks_result result = create(set);
    for (size_t i = 0; i < SIZES && result == VKS_OK; i++, message *= GROWTH) {
        char size[32];
        bytes[i] = (double)VKS_SIDES * message;
        vks_message(VKS_LOG_VERBOSE, "measuring exchanges of %s",
                    vks_format_bytes(VKS_SIDES * message, size));
        result = measure_size(gpu, transport, message / ROW, seconds[i]);
    }
    return result == VKS_OK ? conclude(bytes, seconds, set) : result;
}

bool vks_exchange_recall(const struct vks_device_info *devices, size_t count,
                         struct vks_ceilings *set)
{
    if (create(set) != VKS_OK) {
        return false;
    }
    vks_ceilings_read_ranks(devices, count, set);
    return set->items[FIXED].kept && set->items[BANDWIDTH].kept;
}
