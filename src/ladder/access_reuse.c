/* SPDX-License-Identifier: MIT */
/* How often elements of an array are loaded, by level. */
#include <math.h>
#include <stdlib.h>

#include "ladder/access.h"

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static size_t count_distinct(uint64_t *units, size_t count)
{
    size_t found = 0;
    if (count > 0) {
        qsort(units, count, sizeof(*units), compare);
    }
    for (size_t i = 0; i < count; i++) {
        found += i == 0 || units[i - 1] != units[i];
    }
    return found;
}

static bool is_of(const struct vks_access_request *request, uint32_t pass, size_t array,
                  uint32_t kind)
{
    return request->pass == pass && request->array == array && request->kind == kind;
}

/* Bytes of the smallest element that a request loads or stores: others are several units. */
static uint32_t unit_of(const struct vks_access_trace *trace, size_t array)
{
    uint32_t unit = 16;
    for (size_t i = 0; i < trace->request_count; i++) {
        const struct vks_access_request *request = &trace->requests[i];
        if (request->array == array && request->bytes > 0 && request->bytes < unit) {
            unit = request->bytes;
        }
    }
    return unit;
}

/* Lists the units that the lanes access; returns their number. */
static size_t list_units(const struct vks_access_request *request, uint32_t unit, uint64_t *units)
{
    const uint32_t per_element = request->bytes / unit;
    size_t count = 0;
    for (uint32_t lane = 0; lane < VKS_ACCESS_LANES; lane++) {
        for (uint32_t i = 0; i < per_element && (request->lanes >> lane & 1); i++) {
            units[count++] = (uint64_t)request->index[lane] * per_element + i;
        }
    }
    return count;
}

static double units_of_array(const struct vks_ladder_buffer *buffer, uint32_t unit)
{
    const double bytes = buffer->element == VKS_F16 ? 2 : 4;
    return (double)buffer->columns * (double)buffer->rows * bytes / unit;
}

static struct vks_access_reuse reuse_of_pass(const struct vks_access_trace *trace, uint32_t pass,
                                             size_t index)
{
    const struct vks_access_array *array = &trace->arrays[index];
    const uint32_t load = array->shared ? TRACE_SHARED_LOAD : TRACE_LOAD;
    const uint32_t unit = unit_of(trace, index);
    struct vks_access_reuse reuse = {0};
    size_t most = 0, count = 0;
    for (size_t i = 0; i < trace->request_count; i++) {
        most += is_of(&trace->requests[i], pass, index, load)
                    ? VKS_ACCESS_LANES * trace->requests[i].bytes / unit
                    : 0;
    }
    uint64_t *units = calloc(most + 1, sizeof(*units));
    uint64_t one[VKS_ACCESS_LANES * 16];
    double by_requests = 0, stored = 0;
    for (size_t i = 0; units && i < trace->request_count; i++) {
        const struct vks_access_request *request = &trace->requests[i];
        if (is_of(request, pass, index, load)) {
            const size_t listed = list_units(request, unit, units + count);
            by_requests += (double)count_distinct(units + count, listed);
            count += listed;
        } else if (is_of(request, pass, index, TRACE_SHARED_STORE)) {
            stored += (double)count_distinct(one, list_units(request, unit, one));
        }
    }
    if (count > 0) {
        const double distinct = (double)count_distinct(units, count);
        const double whole = units_of_array(&array->buffer, unit);
        reuse.lanes = (double)count / by_requests;
        reuse.requests = by_requests / (array->shared && stored > 0 ? stored : distinct);
        reuse.groups = array->shared || whole <= 0
                           ? 1
                           : fmax(1, distinct * (double)trace->passes[pass].groups / whole);
    }
    free(units);
    return reuse;
}

struct vks_access_reuse vks_access_reuse(const struct vks_access_trace *trace, size_t array)
{
    struct vks_access_reuse found = {0};
    for (uint32_t pass = 0; pass < trace->pass_count; pass++) {
        const struct vks_access_reuse reuse = reuse_of_pass(trace, pass, array);
        if (reuse.lanes * vks_access_transfers(&reuse) >
            found.lanes * vks_access_transfers(&found)) {
            found = reuse;
        }
    }
    return found;
}
