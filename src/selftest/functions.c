/* SPDX-License-Identifier: MIT */
/* The functions of shaders/lib/exact.glsl, fixed.glsl and formula.glsl and the operations that they
 * are made of, on the device and on the host: identical bits over the whole domain. */
#include "selftest/selftest.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/exact.h"
#include "base/memory.h"
#include "base/task.h"
#include "graph/graph.h"
#include "selftest/inputs.h"
#include "selftest/numbers.h"

enum { COUNT = 1 << 18, WORDS = 4 };

/* A letter per word that is used: f float, u unsigned, i signed, x bits. */
static const struct function {
    const char *name, *in, *out;
} functions[EXACT_COUNT] = {
    [EXACT_FLUSH] = {"flush", "f", "f"},
    [EXACT_RECIPROCAL] = {"reciprocal", "f", "f"},
    [EXACT_DIVIDE] = {"divide", "ff", "f"},
    [EXACT_SQRT] = {"square root", "f", "f"},
    [EXACT_SINCOS] = {"sine and cosine of a binary angle", "u", "ff"},
    [EXACT_EXP2] = {"exp2", "f", "f"},
    [EXACT_LOG2] = {"log2", "f", "f"},
    [EXACT_EXP] = {"exp", "f", "f"},
    [EXACT_LOG] = {"log", "f", "f"},
    [EXACT_POW] = {"pow", "ff", "f"},
    [EXACT_RANDOM] = {"random words", "uuuu", "xxxx"},
    [EXACT_HIGH] = {"high word of a product", "uu", "u"},
    [EXACT_DISPLACEMENT] = {"displacement", "ff", "i"},
    [EXACT_POWER_OF_TWO] = {"power of two", "i", "f"},
    [EXACT_FIXED_ADD] = {"fixed-point sum", "xxxx", "xx"},
    [EXACT_FIXED_SUBTRACT] = {"fixed-point difference", "xxxx", "xx"},
    [EXACT_FIXED_NEGATE] = {"fixed-point negation", "xx", "xx"},
    [EXACT_FIXED] = {"float to fixed point", "ff", "xx"},
    [EXACT_FROM_FIXED] = {"fixed point to float", "xxf", "f"},
    [EXACT_LIMBS] = {"float to limbs", "f", "iii"},
    [EXACT_CARRIED] = {"carries of limbs", "iii", "iii"},
    [EXACT_FROM_LIMBS] = {"limbs to fixed point", "iii", "xx"},
    [EXACT_HALF] = {"float to float16", "f", "x"},
    [EXACT_FROM_HALF] = {"float16 to float", "x", "f"},
    [EXACT_FORMULA_RECIPROCAL] = {"reciprocal of a formula", "f", "f"},
    [EXACT_FORMULA_SQRT] = {"sqrt of a formula", "f", "f"},
    [EXACT_FORMULA_EXP] = {"exp of a formula", "f", "f"},
    [EXACT_FORMULA_LOG] = {"log of a formula", "f", "f"},
    [EXACT_FORMULA_SINCOS] = {"sin and cos of a formula", "f", "ff"},
    [EXACT_FORMULA_TANH] = {"tanh of a formula", "f", "f"},
    [EXACT_FORMULA_SIGMOID] = {"sigmoid of a formula", "f", "f"},
    [EXACT_FORMULA_POWER] = {"power of a formula", "ff", "f"},
    [EXACT_FORMULA_NORMAL] = {"normal deviate of a formula", "uu", "f"},
    [EXACT_ADD] = {"a + b", "ff", "f"},
    [EXACT_SUBTRACT] = {"a - b", "ff", "f"},
    [EXACT_MULTIPLY] = {"a * b", "ff", "f"},
    [EXACT_MULTIPLY_ADD] = {"a * b + c, not fused", "fff", "f"},
    [EXACT_COMPARE] = {"< <=, > >=, == !=", "ff", "uuu"},
    [EXACT_MIN_MAX] = {"min, max, clamp, abs", "fff", "ffff"},
    [EXACT_FLOOR] = {"floor, ceil, trunc, roundEven", "f", "ffff"},
    [EXACT_TO_INTEGER] = {"float to int and uint", "f", "iu"},
    [EXACT_TO_FLOAT] = {"int and uint to float", "iu", "ff"},
    [EXACT_INTEGER] = {"x * y + z, x - y, bits, -x", "xxxx", "xxxx"},
    [EXACT_QUOTIENT] = {"x / y, x % y, signed z / w", "uuii", "uui"},
    [EXACT_WIDE] = {"64-bit products of words", "xx", "xxxx"},
    [EXACT_SHIFT] = {"shifts, reversed bits", "xx", "xxxx"},
    [EXACT_BITS] = {"number and places of bits", "x", "iiii"},
};
/* --- on the host ----------------------------------------------------------------------------- */

static uint32_t reversed(uint32_t x)
{
    uint32_t bits = 0;
    for (int i = 0; i < 32; i++) {
        bits |= (x >> i & 1) << (31 - i);
    }
    return bits;
}

/* The place of the highest bit that is set, -1 for none. */
static uint32_t highest(uint32_t x)
{
    uint32_t place = UINT32_MAX;
    for (; x; x >>= 1) {
        place++;
    }
    return place;
}

static uint32_t lowest(uint32_t x)
{
    return highest(x & (0 - x));
}

static uint32_t count_bits(uint32_t x)
{
    uint32_t count = 0;
    for (; x; x &= x - 1) {
        count++;
    }
    return count;
}

static uint32_t flushed(float x)
{
    return bits_of(vks_flush(x));
}

static struct vks_words operate_on_integers(uint32_t function, struct vks_words in)
{
    const int32_t x = (int32_t)in.x, y = (int32_t)in.y;
    const uint64_t wide = (uint64_t)in.x * in.y;
    const uint64_t wide_signed = (uint64_t)((int64_t)x * y);
    const uint32_t shift = in.y & 31;
    switch (function) {
    case EXACT_TO_FLOAT:
        return (struct vks_words){bits_of((float)x), bits_of((float)in.y), 0, 0};
    case EXACT_INTEGER:
        return (struct vks_words){in.x * in.y + in.z, in.x - in.y, (in.x & in.y) ^ (in.z | ~in.w),
                                  0 - in.x};
    case EXACT_QUOTIENT:
        return (struct vks_words){in.x / in.y, in.x % in.y,
                                  (uint32_t)((int32_t)in.z / (int32_t)in.w), 0};
    case EXACT_WIDE:
        return (struct vks_words){(uint32_t)(wide >> 32), (uint32_t)wide,
                                  (uint32_t)(wide_signed >> 32), (uint32_t)wide_signed};
    case EXACT_SHIFT:
        return (struct vks_words){in.x << shift, in.x >> shift,
                                  (uint32_t)(((uint64_t)(int64_t)x) >> shift), reversed(in.x)};
    default:
        return (struct vks_words){count_bits(in.x), highest(in.x), lowest(in.x),
                                  highest(x < 0 ? ~in.x : in.x)};
    }
}

static struct vks_words operate(uint32_t function, struct vks_words in)
{
    const float a = float_of(in.x), b = float_of(in.y), c = float_of(in.z);
    const float low = a < b ? a : b, high = a < b ? b : a;
    switch (function) {
    case EXACT_ADD:
        return (struct vks_words){flushed(a + b), 0, 0, 0};
    case EXACT_SUBTRACT:
        return (struct vks_words){flushed(a - b), 0, 0, 0};
    case EXACT_MULTIPLY:
        return (struct vks_words){flushed(a * b), 0, 0, 0};
    case EXACT_MULTIPLY_ADD:
        return (struct vks_words){flushed(a * b + c), 0, 0, 0};
    case EXACT_COMPARE:
        return (struct vks_words){(a < b ? 1u : 0u) | (a <= b ? 2u : 0u),
                                  (a > b ? 1u : 0u) | (a >= b ? 2u : 0u),
                                  (a == b ? 1u : 0u) | (a != b ? 2u : 0u), 0};
    case EXACT_MIN_MAX:
        return (struct vks_words){bits_of(low), bits_of(high),
                                  bits_of(c < low ? low : (c > high ? high : c)),
                                  in.x & 0x7fffffff};
    case EXACT_FLOOR:
        return (struct vks_words){flushed(floorf(a)), flushed(ceilf(a)), flushed(truncf(a)),
                                  flushed(nearbyintf(a))};
    case EXACT_TO_INTEGER:
        return (struct vks_words){(uint32_t)(int32_t)a, (uint32_t)fabsf(a), 0, 0};
    default:
        return operate_on_integers(function, in);
    }
}

static struct vks_words evaluate(uint32_t function, struct vks_words in)
{
    const float a = float_of(in.x), b = float_of(in.y);
    switch (function) {
    case EXACT_FLUSH:
        return (struct vks_words){bits_of(vks_flush(a)), 0, 0, 0};
    case EXACT_RECIPROCAL:
        return (struct vks_words){bits_of(vks_reciprocal(a)), 0, 0, 0};
    case EXACT_DIVIDE:
        return (struct vks_words){bits_of(vks_divide(a, b)), 0, 0, 0};
    case EXACT_SQRT:
        return (struct vks_words){bits_of(vks_sqrt(a)), 0, 0, 0};
    case EXACT_SINCOS: {
        vks_vec2 v = vks_sincos(in.x);
        return (struct vks_words){bits_of(v.x), bits_of(v.y), 0, 0};
    }
    case EXACT_EXP2:
        return (struct vks_words){bits_of(vks_exp2(a)), 0, 0, 0};
    case EXACT_LOG2:
        return (struct vks_words){bits_of(vks_log2(a)), 0, 0, 0};
    case EXACT_EXP:
        return (struct vks_words){bits_of(vks_exp(a)), 0, 0, 0};
    case EXACT_LOG:
        return (struct vks_words){bits_of(vks_log(a)), 0, 0, 0};
    case EXACT_POW:
        return (struct vks_words){bits_of(vks_pow(a, b)), 0, 0, 0};
    case EXACT_RANDOM: {
        vks_uvec4 v = vks_random(in.x, in.y, in.z, in.w);
        return (struct vks_words){v.x, v.y, v.z, v.w};
    }
    case EXACT_HIGH:
        return (struct vks_words){vks_high(in.x, in.y), 0, 0, 0};
    case EXACT_POWER_OF_TWO:
        return (struct vks_words){bits_of(vks_power_of_two((int32_t)in.x)), 0, 0, 0};
    case EXACT_FIXED_ADD: {
        vks_uvec2 v = vks_fixed_add((vks_uvec2){in.x, in.y}, (vks_uvec2){in.z, in.w});
        return (struct vks_words){v.x, v.y, 0, 0};
    }
    case EXACT_FIXED_SUBTRACT: {
        vks_uvec2 v = vks_fixed_subtract((vks_uvec2){in.x, in.y}, (vks_uvec2){in.z, in.w});
        return (struct vks_words){v.x, v.y, 0, 0};
    }
    case EXACT_FIXED_NEGATE: {
        vks_uvec2 v = vks_fixed_negate((vks_uvec2){in.x, in.y});
        return (struct vks_words){v.x, v.y, 0, 0};
    }
    case EXACT_FIXED: {
        vks_uvec2 v = vks_fixed(a, b);
        return (struct vks_words){v.x, v.y, 0, 0};
    }
    case EXACT_FROM_FIXED:
        return (struct vks_words){bits_of(vks_from_fixed((vks_uvec2){in.x, in.y}, float_of(in.z))),
                                  0, 0, 0};
    case EXACT_LIMBS: {
        vks_ivec3 v = vks_limbs(a);
        return (struct vks_words){(uint32_t)v.x, (uint32_t)v.y, (uint32_t)v.z, 0};
    }
    case EXACT_CARRIED: {
        vks_ivec3 v = vks_carried((vks_ivec3){(int32_t)in.x, (int32_t)in.y, (int32_t)in.z});
        return (struct vks_words){(uint32_t)v.x, (uint32_t)v.y, (uint32_t)v.z, 0};
    }
    case EXACT_FROM_LIMBS: {
        vks_uvec2 v = vks_from_limbs((vks_ivec3){(int32_t)in.x, (int32_t)in.y, (int32_t)in.z});
        return (struct vks_words){v.x, v.y, 0, 0};
    }
    case EXACT_DISPLACEMENT:
        return (struct vks_words){vks_displacement(a, b), 0, 0, 0};
    case EXACT_HALF:
        return (struct vks_words){vks_half(a), 0, 0, 0};
    case EXACT_FROM_HALF:
        return (struct vks_words){bits_of(vks_from_half(in.x)), 0, 0, 0};
    case EXACT_FORMULA_RECIPROCAL:
        return (struct vks_words){bits_of(vks_formula_reciprocal(a)), 0, 0, 0};
    case EXACT_FORMULA_SQRT:
        return (struct vks_words){bits_of(vks_formula_sqrt(a)), 0, 0, 0};
    case EXACT_FORMULA_EXP:
        return (struct vks_words){bits_of(vks_formula_exp(a)), 0, 0, 0};
    case EXACT_FORMULA_LOG:
        return (struct vks_words){bits_of(vks_formula_log(a)), 0, 0, 0};
    case EXACT_FORMULA_SINCOS: {
        vks_vec2 v = vks_formula_sincos(a);
        return (struct vks_words){bits_of(v.x), bits_of(v.y), 0, 0};
    }
    case EXACT_FORMULA_TANH:
        return (struct vks_words){bits_of(vks_formula_tanh(a)), 0, 0, 0};
    case EXACT_FORMULA_SIGMOID:
        return (struct vks_words){bits_of(vks_formula_sigmoid(a)), 0, 0, 0};
    case EXACT_FORMULA_POWER:
        return (struct vks_words){bits_of(vks_formula_power(a, b)), 0, 0, 0};
    case EXACT_FORMULA_NORMAL:
        return (struct vks_words){bits_of(vks_formula_normal(in.x, in.y)), 0, 0, 0};
    default:
        return operate(function, in);
    }
}

/* --- on the device --------------------------------------------------------------------------- */

static const char *const names[] = {"inputs_xy", "inputs_zw", "outputs_xy", "outputs_zw"};

static enum vks_result create(struct vks_gpu *gpu, uint32_t function, struct vks_graph **graph)
{
    const uint32_t count = COUNT;
    struct vks_declaration declaration = {0};
    for (int i = 0; i < 4; i++) {
        VKS_FIELD(&declaration, .name = names[i], .element = VKS_U32X2, .rank = 1,
                  .shape = {COUNT});
    }
    VKS_PASS(&declaration, .name = "evaluate", .shader = "selftest/functions",
             .uses = VKS_USES({names[0], VKS_READ, NULL}, {names[1], VKS_READ, NULL},
                              {names[2], VKS_WRITE, NULL}, {names[3], VKS_WRITE, NULL}),
             .specializations = VKS_SPECIALIZATIONS({"function", function}), VKS_PUSH(count),
             .items = {COUNT});
    enum vks_result result = vks_graph_create(gpu, &declaration, graph);
    if (result == VKS_OK) {
        result = vks_graph_start(*graph, 0, true);
    }
    vks_declaration_free(&declaration);
    return result;
}

/* Pairs of words, as the fields have them. */
struct round {
    uint32_t in[2][COUNT][2], out[2][COUNT][2];
    struct vks_digest *digest;
    uint64_t wrong;
};

static struct vks_words words_of(uint32_t pairs[2][COUNT][2], size_t i)
{
    return (struct vks_words){pairs[0][i][0], pairs[0][i][1], pairs[1][i][0], pairs[1][i][1]};
}

/* The words that the format has letters for. */
static void print_words(char *text, size_t size, const char *format, struct vks_words words)
{
    const uint32_t list[WORDS] = {words.x, words.y, words.z, words.w};
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; format[i] && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s%08" PRIx32, i ? ", " : "", list[i]);
        if (used < size && format[i] == 'f') {
            used +=
                (size_t)snprintf(text + used, size - used, " (%.9g)", (double)float_of(list[i]));
        } else if (used < size && format[i] != 'x') {
            used +=
                (size_t)snprintf(text + used, size - used, " (%" PRId64 ")",
                                 format[i] == 'i' ? (int64_t)(int32_t)list[i] : (int64_t)list[i]);
        }
    }
}

static void report(struct vks_selftest_result *result, uint32_t function, struct vks_words in,
                   struct vks_words expected, struct vks_words found)
{
    const struct function *row = &functions[function];
    char input[128], right[128], wrong[128];
    print_words(input, sizeof(input), row->in, in);
    print_words(right, sizeof(right), row->out, expected);
    print_words(wrong, sizeof(wrong), row->out, found);
    vks_selftest_fail(result, "for %s: expected %s, found %s", input, right, wrong);
}

static enum vks_result run_round(struct vks_graph *graph, uint32_t function, uint64_t *random,
                                 struct round *round, struct vks_selftest_result *result)
{
    for (size_t i = 0; i < COUNT; i++) {
        const struct vks_words in = vks_selftest_input(function, random);
        round->in[0][i][0] = in.x;
        round->in[0][i][1] = in.y;
        round->in[1][i][0] = in.z;
        round->in[1][i][1] = in.w;
    }
    enum vks_result ended = vks_graph_upload(graph, names[0], round->in[0]);
    ended = ended == VKS_OK ? vks_graph_upload(graph, names[1], round->in[1]) : ended;
    ended = ended == VKS_OK ? vks_graph_run(graph, 1) : ended;
    ended = ended == VKS_OK ? vks_graph_download_to(graph, names[2], round->out[0]) : ended;
    ended = ended == VKS_OK ? vks_graph_download_to(graph, names[3], round->out[1]) : ended;
    for (size_t i = 0; i < COUNT && ended == VKS_OK; i++) {
        const struct vks_words in = words_of(round->in, i), found = words_of(round->out, i);
        const struct vks_words expected = evaluate(function, in);
        if (memcmp(&found, &expected, sizeof(found)) != 0) {
            report(result, function, in, expected, found);
            round->wrong++;
        }
    }
    vks_digest_update(round->digest, round->out, sizeof(round->out));
    result->count += COUNT;
    return ended == VKS_OK ? vks_task_advance(0) : ended;
}

static void conclude(const struct round *round, struct vks_selftest_result *result)
{
    vks_digest_hex(round->digest, result->digest);
    if (round->wrong > 1) {
        const size_t used = strlen(result->text);
        snprintf(result->text + used, sizeof(result->text) - used,
                 "; %" PRIu64 " of %" PRIu64 " results differ", round->wrong, result->count);
    }
}

static enum vks_result run(const struct vks_selftest *test, uint32_t function, uint32_t rounds,
                           struct vks_selftest_result *result)
{
    struct vks_graph *graph = NULL;
    struct round *round = calloc(1, sizeof(*round));
    struct vks_digest *digest = vks_digest_create();
    uint64_t random = 1 + function;
    snprintf(result->name, sizeof(result->name), "%s", functions[function].name);
    enum vks_result ended =
        round && digest ? create(&test->context->gpu, function, &graph) : vks_fail_memory();
    if (ended == VKS_OK) {
        round->digest = digest;
        for (uint32_t i = 0; i < rounds && ended == VKS_OK; i++) {
            ended = run_round(graph, function, &random, round, result);
        }
        conclude(round, result);
    }
    vks_graph_destroy(graph);
    vks_digest_destroy(digest);
    free(round);
    return ended;
}

/* --- the rows -------------------------------------------------------------------------------- */

static size_t count_operations(enum vks_selftest_length length)
{
    (void)length;
    return EXACT_COUNT - VKS_FIRST_OPERATION;
}

static enum vks_result test_operation(const struct vks_selftest *test, size_t row,
                                      struct vks_selftest_result *result)
{
    static const uint32_t rounds[] = {1, 64, 256};
    return run(test, VKS_FIRST_OPERATION + (uint32_t)row, rounds[test->length], result);
}

const struct vks_selftest_group vks_selftest_operations = {"operations", count_operations,
                                                           test_operation};

static size_t count_functions(enum vks_selftest_length length)
{
    (void)length;
    return VKS_FIRST_OPERATION;
}

static enum vks_result test_function(const struct vks_selftest *test, size_t row,
                                     struct vks_selftest_result *result)
{
    static const uint32_t rounds[] = {1, 4, 64};
    return run(test, (uint32_t)row, rounds[test->length], result);
}

const struct vks_selftest_group vks_selftest_functions = {"functions", count_functions,
                                                          test_function};
