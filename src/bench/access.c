/* SPDX-License-Identifier: MIT */
#include "bench/access.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "graph/agree.h"
#include "gpu/pipeline.h"

enum {
    MAX_RECORDS = 1 << 20,
    HEAD_WORDS = 4 + TRACE_PASSES * TRACE_PASS_WORDS,
    MAX_ARRAYS = 16, /* of one pass */
};

/* A record of the trace, with what follows from those before it in its lane. */
struct record {
    uint32_t lane, line, number, kind, array, bytes, pass, index;
    uint32_t epoch;  /* barriers before it */
    uint32_t since;  /* records since the last of them */
    uint32_t repeat; /* how often the lane has done the same in this epoch */
};

/* --- costs ----------------------------------------------------------------------------------- */

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

/* Each sector as often as the busiest of its elements. */
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

/* --- records become requests ----------------------------------------------------------------- */

static int compare_in_time(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    return x->pass != y->pass   ? (x->pass > y->pass) - (x->pass < y->pass)
           : x->lane != y->lane ? (x->lane > y->lane) - (x->lane < y->lane)
                                : (x->number > y->number) - (x->number < y->number);
}

/* The same access of the lanes of a subgroup. */
static int compare_as_request(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
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
                            const struct record *record)
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
static bool place_in_time(struct record *records, size_t count)
{
    struct place *places = NULL;
    size_t place_count = 0, capacity = 0;
    uint32_t epoch = 0, since = 0;
    bool complete = true;
    for (size_t i = 0; i < count && complete; i++) {
        struct record *record = &records[i];
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

/* Makes the requests of sorted records, in order of time. */
static bool make_requests(struct record *records, size_t count, struct vks_access_trace *trace)
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
        const struct record *first = &records[i];
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
            const struct record *record = &records[i];
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

/* --- names ----------------------------------------------------------------------------------- */

/* Index of the array of that name, which is added if it is new; -1 if memory ran out. */
static int add_array(struct vks_access_trace *trace, size_t *capacity, const char *name,
                     bool shared, const struct vks_ladder_buffer *buffer)
{
    for (size_t i = 0; i < trace->array_count; i++) {
        if (trace->arrays[i].shared == shared && strcmp(trace->arrays[i].name, name) == 0) {
            return (int)i;
        }
    }
    void *grown = vks_grow(trace->arrays, sizeof(*trace->arrays), trace->array_count, capacity);
    if (!grown) {
        return -1;
    }
    trace->arrays = grown;
    struct vks_access_array *array = &trace->arrays[trace->array_count];
    *array = (struct vks_access_array){.shared = shared};
    snprintf(array->name, sizeof(array->name), "%s", name);
    array->buffer = buffer ? *buffer : array->buffer;
    return (int)trace->array_count++;
}

/* The field that the pass binds to the block; NULL if it is none: then it is a shared array. */
static const char *field_of(const struct vks_pass *pass, const char *block)
{
    const int use = vks_use_of_block(pass, block);
    return use < 0 ? NULL : pass->uses[use].field;
}

/* Where pass->specializations has the number of a traced pass; -1: it is not traced. */
static int number_of(const struct vks_pass *pass)
{
    for (const struct vks_specialization *s = pass->specializations; s && s->name; s++) {
        if (strcmp(s->name, "trace_pass") == 0) {
            return (int)s->value;
        }
    }
    return -1;
}

/* Lists passes and arrays; numbers[pass][array of the shader] is the array's index. */
static bool list_arrays(const struct vks_ladder_task *task,
                        const struct vks_declaration *declaration, struct vks_access_trace *trace,
                        int numbers[TRACE_PASSES][MAX_ARRAYS])
{
    static const char prefix[] = "trace_array_";
    struct vks_ladder_buffer buffers[VKS_LADDER_BUFFERS] = {{0}};
    size_t capacity = 0;
    task->kernel->buffers(task, buffers);
    for (size_t i = 0; i < VKS_LADDER_BUFFERS && buffers[i].name; i++) {
        if (add_array(trace, &capacity, buffers[i].name, false, &buffers[i]) < 0) {
            return false;
        }
    }
    for (size_t p = 0; p < declaration->pass_count; p++) {
        const struct vks_pass *pass = &declaration->passes[p];
        const struct vks_shader *shader = vks_shader_find(pass->shader);
        const int number = number_of(pass);
        if (number < 0 || number >= TRACE_PASSES || !shader) {
            continue;
        }
        snprintf(trace->passes[number].name, sizeof(trace->passes[number].name), "%s", pass->name);
        trace->passes[number].shared_bytes =
            pass->shared_bytes ? pass->shared_bytes : shader->reflection.shared_bytes;
        trace->pass_count =
            (size_t)number >= trace->pass_count ? (size_t)number + 1 : trace->pass_count;
        for (size_t i = 0; i < shader->reflection.constant_count; i++) {
            const struct vks_reflected_constant *constant = &shader->reflection.constants[i];
            const uint32_t array = constant->id - TRACE_FIRST_ARRAY;
            if (strncmp(constant->name, prefix, sizeof(prefix) - 1) == 0 && array < MAX_ARRAYS) {
                const char *block = constant->name + sizeof(prefix) - 1;
                const char *field = field_of(pass, block);
                const int index = add_array(trace, &capacity, field ? field : block, !field, NULL);
                if (index < 0) {
                    return false;
                }
                numbers[number][array] = index;
            }
        }
    }
    return true;
}

/* --- the trace ------------------------------------------------------------------------------- */

/* Memory of a device may hold anything. Elements have 1 to 16 bytes, barriers and computations
 * none. */
static bool is_possible(const struct record *record)
{
    return record->pass < TRACE_PASSES && record->array < MAX_ARRAYS &&
           record->kind <= TRACE_COMPUTE &&
           (record->kind > TRACE_SHARED_ATOMIC || (record->bytes >= 1 && record->bytes <= 16));
}

static enum vks_result analyse(const struct vks_ladder_task *task,
                               const struct vks_declaration *declaration, const uint32_t *words,
                               struct vks_access_trace *trace)
{
    int numbers[TRACE_PASSES][MAX_ARRAYS] = {{0}};
    const size_t count = words[0] < MAX_RECORDS ? words[0] : MAX_RECORDS;
    struct record *records = calloc(count + 1, sizeof(*records));
    bool complete = records && list_arrays(task, declaration, trace, numbers);
    trace->records = words[0];
    trace->lost = words[0] - count;
    for (size_t p = 0; p < trace->pass_count; p++) {
        const uint32_t *pass = words + 4 + TRACE_PASS_WORDS * p;
        trace->passes[p].group[0] = pass[0];
        trace->passes[p].group[1] = pass[1];
        trace->passes[p].lanes = pass[2];
    }
    for (size_t i = 0; complete && i < count; i++) {
        const uint32_t *word = words + HEAD_WORDS + TRACE_RECORD_WORDS * i;
        struct record *record = &records[i];
        *record = (struct record){
            .lane = word[0] & 0xffff,
            .line = word[0] >> 16,
            .number = word[1],
            .kind = word[2] & 15,
            .array = word[2] >> 4 & 255,
            .bytes = word[2] >> 12 & 255,
            .pass = word[2] >> 20,
            .index = word[3],
        };
        if (!is_possible(record)) {
            free(records);
            return vks_fail(VKS_ERROR_GPU, "the trace of %s contains an impossible record",
                            task->rung->name);
        }
        record->array = (uint32_t)numbers[record->pass][record->array];
    }
    complete = complete && make_requests(records, count, trace);
    free(records);
    return complete ? VKS_OK : vks_fail_memory();
}

/* Declares the tracing build; false if the rung has none. */
static bool declare_traced(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                           struct vks_declaration *declaration)
{
    struct vks_ladder_task traced = *task;
    bool recorded = false;
    if (task->rung->measure) {
        return false;
    }
    traced.trace = true;
    VKS_FIELD(declaration, .name = "trace", .element = VKS_U32, .rank = 1,
              .shape = {HEAD_WORDS + (uint64_t)TRACE_RECORD_WORDS * MAX_RECORDS});
    vks_rung_declare(gpu, &traced, declaration);
    for (size_t p = 0; p < declaration->pass_count; p++) {
        recorded = recorded || number_of(&declaration->passes[p]) >= 0;
    }
    return recorded;
}

bool vks_access_is_recorded(const struct vks_gpu *gpu, const struct vks_ladder_task *task)
{
    struct vks_declaration declaration = {0};
    const bool recorded = declare_traced(gpu, task, &declaration);
    vks_declaration_free(&declaration);
    return recorded;
}

enum vks_result vks_access_record(struct vks_gpu *gpu, const struct vks_ladder_task *task,
                                  struct vks_access_trace *trace)
{
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    uint32_t *words = NULL;
    *trace = (struct vks_access_trace){0};
    enum vks_result result = vks_ladder_check_size(gpu, task);
    if (result == VKS_OK && !declare_traced(gpu, task, &declaration)) {
        result = vks_fail(VKS_ERROR_USAGE,
                          "the rung %s of %s does not record its accesses: its shader does not "
                          "include bench/access.glsl",
                          task->rung->name, task->kernel->name);
    }
    if (result == VKS_OK) {
        result = vks_graph_create(gpu, &declaration, &graph);
    }
    if (result == VKS_OK) {
        result = vks_graph_start(graph, 0, true);
    }
    if (result == VKS_OK) {
        result = vks_graph_run(graph, 1);
    }
    if (result == VKS_OK) {
        words = malloc(sizeof(*words) * (HEAD_WORDS + (size_t)TRACE_RECORD_WORDS * MAX_RECORDS));
        result = words ? vks_graph_download_to(graph, "trace", words) : vks_fail_memory();
    }
    if (result == VKS_OK) {
        result = analyse(task, vks_graph_declaration(graph), words, trace);
    }
    free(words);
    vks_graph_destroy(graph);
    vks_declaration_free(&declaration);
    if (result != VKS_OK) {
        vks_access_free(trace);
    }
    return result;
}

void vks_access_free(struct vks_access_trace *trace)
{
    free(trace->requests);
    free(trace->arrays);
    *trace = (struct vks_access_trace){0};
}
