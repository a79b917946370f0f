/* SPDX-License-Identifier: MIT */
/* The records of lanes become requests of subgroups, in order of time. */
#include <stdlib.h>

#include "base/memory.h"
#include "ladder/access_record.h"

static int compare_in_time(const void *a, const void *b)
{
    const struct vks_access_record *x = a, *y = b;
    return x->pass != y->pass   ? (x->pass > y->pass) - (x->pass < y->pass)
           : x->lane != y->lane ? (x->lane > y->lane) - (x->lane < y->lane)
                                : (x->number > y->number) - (x->number < y->number);
}

/* The same access of the lanes of a subgroup. */
static int compare_as_request(const void *a, const void *b)
{
    const struct vks_access_record *x = a, *y = b;
    const uint32_t left[] = {
        x->pass, x->lane / VKS_ACCESS_LANES, x->epoch, x->kind, x->line, x->array, x->repeat};
    const uint32_t right[] = {
        y->pass, y->lane / VKS_ACCESS_LANES, y->epoch, y->kind, y->line, y->array, y->repeat};
    for (size_t i = 0; i < VKS_COUNT(left); i++) {
        if (left[i] != right[i]) {
            return left[i] > right[i] ? 1 : -1;
        }
    }
    return (x->lane > y->lane) - (x->lane < y->lane);
}

static int compare_requests(const void *a, const void *b)
{
    const struct vks_access_request *x = a, *y = b;
    const uint32_t left[] = {x->pass, x->subgroup, x->epoch, x->order, x->line, x->kind, x->array};
    const uint32_t right[] = {y->pass, y->subgroup, y->epoch, y->order, y->line, y->kind, y->array};
    for (size_t i = 0; i < VKS_COUNT(left); i++) {
        if (left[i] != right[i]) {
            return left[i] > right[i] ? 1 : -1;
        }
    }
    return 0;
}

/* Places in the source that one lane has executed since its last barrier, and how often. */
struct place {
    uint32_t kind, line, array, count;
};

static uint32_t count_place(struct place **places, size_t *count, size_t *capacity,
                            const struct vks_access_record *record)
{
    for (size_t i = 0; i < *count; i++) {
        struct place *place = &(*places)[i];
        if (place->kind == record->kind && place->line == record->line &&
            place->array == record->array) {
            return place->count++;
        }
    }
    void *grown = vks_grow(*places, sizeof(**places), *count, capacity);
    if (!grown) {
        return UINT32_MAX;
    }
    *places = grown;
    (*places)[(*count)++] = (struct place){record->kind, record->line, record->array, 1};
    return 0;
}

/* Sets epoch, since and repeat of records in order of time. Lanes of a subgroup that have done an
 * access equally often since the last barrier do it together: lanes that a condition leaves out
 * fall behind only up to the next barrier. */
static bool place_in_time(struct vks_access_record *records, size_t count)
{
    struct place *places = NULL;
    size_t place_count = 0, capacity = 0;
    uint32_t epoch = 0, since = 0;
    bool complete = true;
    for (size_t i = 0; i < count && complete; i++) {
        struct vks_access_record *record = &records[i];
        if (i == 0 || record->lane != records[i - 1].lane || record->pass != records[i - 1].pass) {
            epoch = since = 0;
            place_count = 0;
        }
        record->epoch = epoch;
        record->since = since++;
        record->repeat = count_place(&places, &place_count, &capacity, record);
        complete = record->repeat != UINT32_MAX;
        if (record->kind == TRACE_BARRIER) {
            epoch++;
            since = 0;
            place_count = 0;
        }
    }
    free(places);
    return complete;
}

bool vks_access_requests(struct vks_access_record *records, size_t count,
                         struct vks_access_trace *trace)
{
    size_t capacity = 0;
    if (count > 0) {
        qsort(records, count, sizeof(*records), compare_in_time);
    }
    if (!place_in_time(records, count)) {
        return false;
    }
    if (count > 0) {
        qsort(records, count, sizeof(*records), compare_as_request);
    }
    for (size_t i = 0; i < count;) {
        void *grown =
            vks_grow(trace->requests, sizeof(*trace->requests), trace->request_count, &capacity);
        if (!grown) {
            return false;
        }
        trace->requests = grown;
        struct vks_access_request *request = &trace->requests[trace->request_count++];
        const struct vks_access_record *first = &records[i];
        *request = (struct vks_access_request){
            .kind = first->kind,
            .pass = first->pass,
            .subgroup = first->lane / VKS_ACCESS_LANES,
            .epoch = first->epoch,
            .order = first->since,
            .line = first->line,
            .array = first->array,
            .bytes = first->bytes,
        };
        for (; i < count; i++) {
            const struct vks_access_record *record = &records[i];
            if (record->lane / VKS_ACCESS_LANES != request->subgroup ||
                record->pass != first->pass || record->epoch != first->epoch ||
                record->kind != first->kind || record->line != first->line ||
                record->array != first->array || record->repeat != first->repeat) {
                break;
            }
            const uint32_t lane = record->lane % VKS_ACCESS_LANES;
            request->lanes |= UINT32_C(1) << lane;
            request->index[lane] = record->index;
            request->order = record->since < request->order ? record->since : request->order;
        }
        if (request->kind == TRACE_BARRIER) {
            request->order = UINT32_MAX; /* lanes without other requests arrive early */
        }
        vks_access_cost(request);
    }
    if (trace->request_count > 0) {
        qsort(trace->requests, trace->request_count, sizeof(*trace->requests), compare_requests);
    }
    return true;
}
