/* SPDX-License-Identifier: MIT */
#include "ladder/access.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "gpu/pipeline.h"
#include "graph/agree.h"
#include "ladder/access_record.h"

enum {
    MAX_RECORDS = 1 << 20,
    HEAD_WORDS = 4 + TRACE_PASSES * TRACE_PASS_WORDS,
    MAX_ARRAYS = 16, /* of one pass */
};

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
        snprintf(trace->passes[number].shader, sizeof(trace->passes[number].shader), "%.*s",
                 (int)(strlen(pass->shader) - strlen("_trace")), pass->shader);
        trace->passes[number].groups = 1;
        for (int i = 0; i < 2; i++) {
            trace->passes[number].groups *=
                (pass->items[i] + pass->per_group[i] - 1) / pass->per_group[i];
        }
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
static bool is_possible(const struct vks_access_record *record)
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
    struct vks_access_record *records = calloc(count + 1, sizeof(*records));
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
        struct vks_access_record *record = &records[i];
        *record = (struct vks_access_record){
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
    complete = complete && vks_access_requests(records, count, trace);
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
                          "include ladder/access.glsl",
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
