/* SPDX-License-Identifier: MIT */
/* What a request costs in the model of access.h. */
#include <stdlib.h>

#include "ladder/access.h"

static int compare_words(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sorts and removes duplicates; returns how many are left. */
static uint32_t distinct(uint64_t *items, uint32_t count)
{
    uint32_t kept = 0;
    qsort(items, count, sizeof(*items), compare_words);
    for (uint32_t i = 0; i < count; i++) {
        if (kept == 0 || items[kept - 1] != items[i]) {
            items[kept++] = items[i];
        }
    }
    return kept;
}

uint32_t vks_access_lanes_on(const struct vks_access_request *request, uint32_t index)
{
    uint32_t lanes = 0;
    for (uint32_t lane = 0; lane < VKS_ACCESS_LANES; lane++) {
        lanes += (request->lanes >> lane & 1) && request->index[lane] == index;
    }
    return lanes;
}

/* Each sector counts as often as its most frequently accessed element. */
static void cost_of_atomic(struct vks_access_request *request)
{
    const uint32_t per_sector = VKS_ACCESS_SECTOR / request->bytes;
    request->cost = 0;
    for (uint32_t lane = 0; lane < VKS_ACCESS_LANES; lane++) {
        const uint32_t sector = request->index[lane] / per_sector;
        uint32_t busiest = 0;
        bool first = request->lanes >> lane & 1;
        for (uint32_t other = 0; first && other < VKS_ACCESS_LANES; other++) {
            if ((request->lanes >> other & 1) && request->index[other] / per_sector == sector) {
                const uint32_t lanes = vks_access_lanes_on(request, request->index[other]);
                first = other >= lane; /* counted once per sector */
                busiest = lanes > busiest ? lanes : busiest;
            }
        }
        request->cost += first ? busiest : 0;
        request->degree = first && busiest > request->degree ? busiest : request->degree;
    }
}

static void cost_of_buffer(struct vks_access_request *request)
{
    /* An element is in at most two sectors where its size does not divide 32. */
    uint64_t sectors[2 * VKS_ACCESS_LANES], elements[VKS_ACCESS_LANES];
    uint32_t count = 0, accesses = 0;
    for (uint32_t lane = 0; lane < VKS_ACCESS_LANES; lane++) {
        if (request->lanes >> lane & 1) {
            const uint64_t byte = (uint64_t)request->index[lane] * request->bytes;
            elements[accesses++] = request->index[lane];
            sectors[count++] = byte / VKS_ACCESS_SECTOR;
            sectors[count++] = (byte + request->bytes - 1) / VKS_ACCESS_SECTOR;
        }
    }
    const uint32_t needed = distinct(elements, accesses) * request->bytes;
    request->cost = distinct(sectors, count);
    request->ideal = (needed + VKS_ACCESS_SECTOR - 1) / VKS_ACCESS_SECTOR;
    request->degree = 1;
    if (request->kind == TRACE_ATOMIC) {
        cost_of_atomic(request);
    }
}

/* Cycles of the lanes from `first` on that are served together. */
static uint32_t cycles_of_phase(const struct vks_access_request *request, uint32_t first,
                                uint32_t lanes)
{
    uint64_t words[VKS_ACCESS_LANES];
    uint32_t count = 0, busy[VKS_ACCESS_BANKS] = {0}, busiest = 0;
    const uint32_t per_element = request->bytes > 4 ? request->bytes / 4 : 1;
    for (uint32_t lane = first; lane < first + lanes; lane++) {
        for (uint32_t i = 0; i < per_element && (request->lanes >> lane & 1); i++) {
            words[count++] = (uint64_t)request->index[lane] * request->bytes / 4 + i;
        }
    }
    /* Atomic operations on one word are done one after another. */
    count = request->kind == TRACE_SHARED_ATOMIC ? count : distinct(words, count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t bank = (uint32_t)(words[i] % VKS_ACCESS_BANKS);
        busiest = ++busy[bank] > busiest ? busy[bank] : busiest;
    }
    return busiest;
}

static void cost_of_shared(struct vks_access_request *request)
{
    const uint32_t together = request->bytes <= 4 ? 32 : request->bytes <= 8 ? 16 : 8;
    request->cost = request->ideal = 0;
    request->degree = 1;
    for (uint32_t first = 0; first < VKS_ACCESS_LANES; first += together) {
        const uint32_t cycles = cycles_of_phase(request, first, together);
        request->cost += cycles;
        request->ideal += cycles > 0;
        request->degree = cycles > request->degree ? cycles : request->degree;
    }
}

void vks_access_cost(struct vks_access_request *request)
{
    if (vks_access_is_buffer(request->kind)) {
        cost_of_buffer(request);
    } else if (vks_access_is_shared(request->kind)) {
        cost_of_shared(request);
    }
}

struct vks_access_total vks_access_total(const struct vks_access_trace *trace, int pass,
                                         size_t array, uint32_t kind)
{
    struct vks_access_total total = {.degree = 0};
    for (size_t i = 0; i < trace->request_count; i++) {
        const struct vks_access_request *request = &trace->requests[i];
        if (request->array != array || request->kind != kind ||
            (pass >= 0 && request->pass != (uint32_t)pass)) {
            continue;
        }
        total.requests++;
        total.cost += request->cost;
        total.ideal += request->ideal;
        total.degree = request->degree > total.degree ? request->degree : total.degree;
        if (!total.worst || (uint64_t)request->cost * total.worst->ideal >
                                (uint64_t)total.worst->cost * request->ideal) {
            total.worst = request;
        }
    }
    return total;
}
