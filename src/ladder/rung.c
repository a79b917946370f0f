/* SPDX-License-Identifier: MIT */
/* Declares, verifies and times a rung. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "bench/rows.h"
#include "gpu/pipeline.h"
#include "graph/agree.h"
#include "ladder/ladder.h"
#include "ladder/tune.h"

/* --- inputs ---------------------------------------------------------------------------------- */

/* input_params.addend of the buffer of that index. */
static uint32_t addend_of(size_t index)
{
    return (uint32_t)(index + 1) << 20;
}

struct vks_ladder_reader vks_ladder_read(const struct vks_ladder_task *task, const char *name)
{
    struct vks_ladder_buffer buffers[VKS_LADDER_BUFFERS] = {{0}};
    size_t i = 0;
    task->kernel->buffers(task, buffers);
    while (buffers[i].name && strcmp(buffers[i].name, name) != 0) {
        i++;
    }
    return (struct vks_ladder_reader){
        .buffer = buffers[i],
        .pitch = vks_ladder_pitch(&buffers[i]),
        .addend = addend_of(i),
        .specials = task->specials && buffers[i].element != VKS_U32,
    };
}

static double special(uint32_t number, enum vks_element element)
{
    return number == 0   ? NAN
           : number == 1 ? INFINITY
           : number == 2 ? -INFINITY
                         : (element == VKS_F16 ? 65504.0 : 0x1.fffffep127);
}

double vks_ladder_at(const struct vks_ladder_reader *reader, uint64_t row, uint32_t column)
{
    const uint32_t index = (uint32_t)(row * reader->pitch + column);
    const uint32_t word = RUNG_WORD(index, reader->addend) >> (20 - reader->buffer.bits);
    const double scale = reader->buffer.scale != 0 ? (double)reader->buffer.scale : 1;
    if (reader->specials && RUNG_IS_SPECIAL(index)) {
        return special(RUNG_SPECIAL(index), reader->buffer.element);
    }
    return ((double)word - (double)reader->buffer.offset) * scale;
}

double vks_ladder_input(const struct vks_ladder_task *task, const char *name, uint64_t row,
                        uint32_t column)
{
    const struct vks_ladder_reader reader = vks_ladder_read(task, name);
    return vks_ladder_at(&reader, row, column);
}

/* --- the declaration ------------------------------------------------------------------------- */

static void declare_buffer(const struct vks_ladder_task *task,
                           const struct vks_ladder_buffer *buffer, size_t index,
                           struct vks_declaration *declaration)
{
    const uint64_t count = vks_ladder_pitch(buffer) * buffer->rows;
    const struct input_params params = {
        .count = (uint32_t)count,
        .columns = buffer->columns,
        .pitch = vks_ladder_pitch(buffer),
        .addend = addend_of(index) + task->spoiled * 8192U,
        .shift = 20 - buffer->bits,
        .offset = buffer->offset,
        .scale = buffer->scale != 0 ? buffer->scale : 1,
        .specials = task->specials,
    };
    VKS_FIELD(declaration, .name = buffer->name, .element = buffer->element, .rank = 1,
              .shape = {count});
    if (buffer->bits > 0) {
        static const char *const shaders[] = {[VKS_U32] = "ladder/input_uint",
                                              [VKS_F32] = "ladder/input_float",
                                              [VKS_F16] = "ladder/input_float_float16"};
        VKS_PASS(declaration, .name = vks_declaration_name(declaration, "fill %s", buffer->name),
                 .shader = shaders[buffer->element],
                 .feature = buffer->element == VKS_F16 ? VKS_FEATURE_FLOAT16 : VKS_FEATURE_NONE,
                 .when = VKS_AT_START, .uses = VKS_USES({buffer->name, VKS_WRITE, .as = "source"}),
                 VKS_PUSH(params), .items = {count});
    }
}

const char *vks_rung_shader(const struct vks_ladder_task *task, const char *shader,
                            struct vks_declaration *declaration)
{
    if (task->trace || task->element == VKS_F16) {
        const char *other =
            vks_declaration_name(declaration, "%s_%s", shader, task->trace ? "trace" : "float16");
        return vks_shader_find(other) ? other : shader;
    }
    return shader;
}

struct rung_params vks_rung_params(const struct vks_ladder_task *task)
{
    struct vks_ladder_buffer buffers[VKS_LADDER_BUFFERS] = {{0}};
    task->kernel->buffers(task, buffers);
    const struct vks_ladder_buffer result = vks_ladder_buffer(task, "result");
    return (struct rung_params){
        .width = buffers[0].columns,
        .height = (uint32_t)buffers[0].rows,
        .source_pitch = vks_ladder_pitch(&buffers[0]),
        .result_pitch = vks_ladder_pitch(&result),
    };
}

static unsigned access_of(const struct vks_reflected_buffer *buffer)
{
    return buffer->loads * (unsigned)VKS_READ | buffer->stores * (unsigned)VKS_WRITE |
           buffer->atomics * (unsigned)VKS_ATOMIC;
}

/* The number of a traced pass: those that fill inputs do not count. */
static uint32_t traced_passes(const struct vks_declaration *declaration)
{
    uint32_t count = 0;
    for (size_t i = 0; i < declaration->pass_count; i++) {
        count += declaration->passes[i].when == VKS_EACH_STEP;
    }
    return count;
}

void vks_rung_pass(const struct vks_ladder_task *task, const struct vks_pass *pass,
                   struct vks_declaration *declaration)
{
    enum { MAX_USES = 16, MAX_SPECIALIZATIONS = 8 };
    struct vks_use uses[MAX_USES + 1] = {{0}};
    /* 2: trace_pass, and the end of the list */
    struct vks_specialization specializations[MAX_SPECIALIZATIONS + VKS_RUNG_CONSTANTS + 2] = {{0}};
    struct vks_pass own = *pass;
    size_t used = 0, specialized = 0;
    bool fits = true;
    const char *plain = pass->shader ? pass->shader : task->rung->shader;
    own.name = pass->name ? pass->name : task->rung->name;
    own.shader = vks_rung_shader(task, plain, declaration);
    const struct vks_shader *shader = vks_shader_find(own.shader);
    for (const struct vks_use *use = pass->uses; use && use->field && fits; use++) {
        fits = used < MAX_USES;
        uses[used] = *use;
        used += fits;
    }
    own.uses = uses;
    own.use_count = used;
    for (size_t i = 0; shader && i < shader->reflection.buffer_count && fits; i++) {
        const struct vks_reflected_buffer *buffer = &shader->reflection.buffers[i];
        if (vks_use_of_block(&own, buffer->name) < 0 &&
            vks_find_field(declaration, buffer->name) >= 0) {
            fits = used < MAX_USES;
            uses[used] = (struct vks_use){.field = buffer->name, .access = access_of(buffer)};
            used += fits;
        }
    }
    for (const struct vks_specialization *given = pass->specializations;
         given && given->name && fits; given++) {
        fits = specialized < MAX_SPECIALIZATIONS;
        specializations[specialized] = *given;
        specialized += fits;
    }
    if (!fits) {
        vks_declaration_fail(
            declaration,
            vks_fail(VKS_ERROR_INTERNAL,
                     "the pass %s of the rung %s of %s has more than %d uses or %d specializations",
                     own.name, task->rung->name, task->kernel->name, MAX_USES,
                     MAX_SPECIALIZATIONS));
        return;
    }
    if (own.shader != plain && task->trace) {
        specializations[specialized++] =
            (struct vks_specialization){"trace_pass", traced_passes(declaration)};
    }
    const struct vks_tuned_constant *tuned =
        task->rung->space ? task->rung->space->constants : NULL;
    for (size_t k = 0; tuned && tuned[k].name; k++) {
        for (size_t i = 0; shader && i < shader->reflection.constant_count; i++) {
            if (strcmp(shader->reflection.constants[i].name, tuned[k].name) == 0) {
                specializations[specialized++] =
                    (struct vks_specialization){tuned[k].name, task->values[k]};
            }
        }
    }
    own.specializations = specializations;
    if (own.feature == VKS_FEATURE_NONE) {
        own.feature = task->rung->feature        ? task->rung->feature
                      : task->element == VKS_F16 ? VKS_FEATURE_FLOAT16
                                                 : VKS_FEATURE_NONE;
    }
    vks_declare_pass(declaration, &own);
}

uint32_t vks_rung_loop_lanes(const struct vks_gpu *gpu, uint64_t groups)
{
    const uint32_t max = vks_resident_lanes(gpu);
    return groups < max / 256 ? 256 * (uint32_t)groups : max;
}

/* One pass that covers the first input. */
static void declare_pass(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                         struct vks_declaration *declaration)
{
    struct rung_params params = vks_rung_params(task);
    struct vks_pass pass = {.name = NULL}; /* the rung's */
    const uint32_t fours = (params.width + 3) / 4;
    uint64_t lanes = params.width;
    switch (task->rung->layout) {
    case VKS_RUNG_FOURS:
        lanes = fours;
        break;
    case VKS_RUNG_LOOP:
        lanes = vks_rung_loop_lanes(gpu, (fours + 255) / 256);
        break;
    case VKS_RUNG_ROWS:
        lanes = UINT64_C(256) * params.height;
        break;
    case VKS_RUNG_BLOCKS:
    case VKS_RUNG_TILES:
        pass.items[1] = params.height;
        pass.group[0] = 32;
        pass.group[1] = 8;
        if (task->rung->layout == VKS_RUNG_TILES) {
            pass.per_group[0] = pass.per_group[1] = 32;
        }
        break;
    default:
        break;
    }
    pass.items[0] = lanes;
    params.lanes = (uint32_t)lanes;
    pass.constants = &params;
    pass.constants_size = sizeof(params);
    vks_rung_pass(task, &pass, declaration);
}

void vks_rung_declare(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                      struct vks_declaration *declaration)
{
    struct vks_ladder_buffer buffers[VKS_LADDER_BUFFERS] = {{0}};
    struct vks_ladder_task own = *task;
    const enum vks_result fits = vks_rung_is_untuned(&own) ? vks_rung_first(gpu, &own) : VKS_OK;
    if (fits != VKS_OK) {
        vks_declaration_fail(declaration, fits);
        return;
    }
    declaration->measures = true;
    own.kernel->buffers(&own, buffers);
    for (size_t i = 0; i < VKS_LADDER_BUFFERS && buffers[i].name; i++) {
        declare_buffer(&own, &buffers[i], i, declaration);
    }
    if (own.rung->declare) {
        own.rung->declare(gpu, &own, declaration);
    } else {
        declare_pass(gpu, &own, declaration);
    }
}

/* --- the check ------------------------------------------------------------------------------- */

enum { CHECK_RUNS = 2 }; /* the second finds what the first left behind */

struct comparison {
    const struct vks_ladder_task *task;
    enum vks_element element;
    uint32_t columns, pitch;
    uint64_t row;
    uint32_t column;
    struct vks_expected (*expected)(void *user, uint64_t row, uint32_t column);
    void *user;
};

enum vks_result vks_ladder_wrong(const struct vks_ladder_task *task, uint64_t row, uint32_t column,
                                 double found, double expected)
{
    char size[48];
    return vks_fail(VKS_ERROR_STOPPED,
                    "the rung %s of %s is wrong at %s elements: element (%u, %llu) of its result "
                    "is %.10g instead of %.10g",
                    task->rung->name, task->kernel->name,
                    vks_ladder_format_size(task->kernel, &task->size, size), column,
                    (unsigned long long)row, found, expected);
}

/* Infinities and NaN included, which vks_from_half() does not take. */
static double from_half(uint16_t half)
{
    const double sign = half >> 15 ? -1 : 1;
    const int exponent = half >> 10 & 31;
    const double fraction = half & 1023;
    return exponent == 31  ? (fraction > 0 ? NAN : sign * INFINITY)
           : exponent == 0 ? sign * ldexp(fraction, -24)
                           : sign * ldexp(1024 + fraction, exponent - 25);
}

double vks_ladder_value(enum vks_element element, const void *bytes, uint64_t index)
{
    uint32_t word = 0;
    uint16_t half = 0;
    float value = 0;
    switch (element) {
    case VKS_F16:
        memcpy(&half, (const char *)bytes + 2 * index, 2);
        return from_half(half);
    case VKS_F32:
        memcpy(&value, (const char *)bytes + 4 * index, 4);
        return (double)value;
    default:
        memcpy(&word, (const char *)bytes + 4 * index, 4);
        return word;
    }
}

static bool is_close(double found, struct vks_expected expected)
{
    if (isnan(expected.value) || isnan(found)) {
        return isnan(expected.value) && isnan(found);
    }
    return found == expected.value || (isfinite(found) && isfinite(expected.value) &&
                                       fabs(found - expected.value) <= expected.bound);
}

static enum vks_result compare(void *user, const void *bytes, size_t size)
{
    struct comparison *at = user;
    const size_t count = size / vks_element_bytes(at->element);
    for (size_t i = 0; i < count; i++) {
        if (at->column < at->columns) {
            const double found = vks_ladder_value(at->element, bytes, i);
            const struct vks_expected expected = at->expected(at->user, at->row, at->column);
            if (!is_close(found, expected)) {
                return vks_ladder_wrong(at->task, at->row, at->column, found, expected.value);
            }
        }
        if (++at->column == at->pitch) {
            at->column = 0;
            at->row++;
        }
    }
    return VKS_OK;
}

enum vks_result
vks_ladder_compare(const struct vks_ladder_task *task, struct vks_graph *graph, const char *name,
                   struct vks_expected (*expected)(void *user, uint64_t row, uint32_t column),
                   void *user)
{
    const struct vks_ladder_buffer buffer = vks_ladder_buffer(task, name);
    struct comparison comparison = {
        .task = task,
        .element = buffer.element,
        .columns = buffer.columns,
        .pitch = vks_ladder_pitch(&buffer),
        .expected = expected,
        .user = user,
    };
    return vks_graph_download(graph, name, compare, &comparison);
}

/* --- measuring ------------------------------------------------------------------------------- */

enum vks_result vks_rung_measure(struct vks_gpu *gpu, const struct vks_ladder_task *task,
                                 const struct vks_effort *effort, struct vks_spread *seconds)
{
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    double samples[VKS_MAX_REPEATS];
    struct vks_ladder_task tuned = *task;
    const char *missing = vks_rung_missing(gpu, task->rung, task->element);
    enum vks_result result = missing ? vks_fail(VKS_ERROR_DEVICE, "the rung %s of %s needs %s",
                                                task->rung->name, task->kernel->name, missing)
                                     : vks_ladder_check_size(gpu, task);
    if (result == VKS_OK && effort->repeats > 0 && vks_rung_is_untuned(task)) {
        struct vks_tuning tries;
        result = vks_rung_tune(gpu, &tuned, &(struct vks_rung_tuning){.again = false}, &tries);
        vks_tuning_free(&tries);
        task = &tuned;
    }
    if (result == VKS_OK && task->rung->measure) {
        return task->rung->measure(gpu, task, effort, seconds);
    }
    if (result == VKS_OK) {
        vks_rung_declare(gpu, task, &declaration);
        result = vks_graph_create(gpu, &declaration, &graph);
    }
    if (result == VKS_OK) {
        result = vks_graph_start(graph, 0, true);
    }
    for (int i = 0; i < CHECK_RUNS && result == VKS_OK; i++) {
        result = vks_graph_run(graph, 1);
    }
    if (result == VKS_OK) {
        result = task->kernel->check(task, graph, CHECK_RUNS);
    }
    if (result == VKS_OK && effort->repeats > 0) {
        result = vks_steps_measure(graph, 1, effort, samples);
    }
    if (result == VKS_OK && effort->repeats > 0) {
        *seconds = vks_spread_of(samples, effort->repeats);
    }
    vks_graph_destroy(graph);
    vks_declaration_free(&declaration);
    return result;
}
