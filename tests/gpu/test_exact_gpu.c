/* SPDX-License-Identifier: MIT */
/* Every function of shaders/lib/exact.glsl and fixed.glsl on a device and in C: identical bits over
 * the whole domain. */
#include "gpu_test.h"

#include <math.h>

#include "base/exact.h"
#include "exact_cases.h"

enum { COUNT = 1 << 20 };

struct words {
    uint32_t x, y, z, w;
};

static struct words evaluate(uint32_t function, struct words in)
{
    float a = float_of(in.x), b = float_of(in.y);
    switch (function) {
    case EXACT_FLUSH:
        return (struct words){bits_of(vks_flush(a)), 0, 0, 0};
    case EXACT_RECIPROCAL:
        return (struct words){bits_of(vks_reciprocal(a)), 0, 0, 0};
    case EXACT_DIVIDE:
        return (struct words){bits_of(vks_divide(a, b)), 0, 0, 0};
    case EXACT_SQRT:
        return (struct words){bits_of(vks_sqrt(a)), 0, 0, 0};
    case EXACT_SINCOS: {
        vks_vec2 v = vks_sincos(in.x);
        return (struct words){bits_of(v.x), bits_of(v.y), 0, 0};
    }
    case EXACT_EXP2:
        return (struct words){bits_of(vks_exp2(a)), 0, 0, 0};
    case EXACT_LOG2:
        return (struct words){bits_of(vks_log2(a)), 0, 0, 0};
    case EXACT_EXP:
        return (struct words){bits_of(vks_exp(a)), 0, 0, 0};
    case EXACT_LOG:
        return (struct words){bits_of(vks_log(a)), 0, 0, 0};
    case EXACT_POW:
        return (struct words){bits_of(vks_pow(a, b)), 0, 0, 0};
    case EXACT_RANDOM: {
        vks_uvec4 v = vks_random(in.x, in.y, in.z, in.w);
        return (struct words){v.x, v.y, v.z, v.w};
    }
    case EXACT_HIGH:
        return (struct words){vks_high(in.x, in.y), 0, 0, 0};
    case EXACT_POWER_OF_TWO:
        return (struct words){bits_of(vks_power_of_two((int32_t)in.x)), 0, 0, 0};
    case EXACT_FIXED_ADD: {
        vks_uvec2 v = vks_fixed_add((vks_uvec2){in.x, in.y}, (vks_uvec2){in.z, in.w});
        return (struct words){v.x, v.y, 0, 0};
    }
    case EXACT_FIXED_SUBTRACT: {
        vks_uvec2 v = vks_fixed_subtract((vks_uvec2){in.x, in.y}, (vks_uvec2){in.z, in.w});
        return (struct words){v.x, v.y, 0, 0};
    }
    case EXACT_FIXED_NEGATE: {
        vks_uvec2 v = vks_fixed_negate((vks_uvec2){in.x, in.y});
        return (struct words){v.x, v.y, 0, 0};
    }
    case EXACT_FIXED: {
        vks_uvec2 v = vks_fixed(a, b);
        return (struct words){v.x, v.y, 0, 0};
    }
    case EXACT_FROM_FIXED:
        return (struct words){bits_of(vks_from_fixed((vks_uvec2){in.x, in.y}, float_of(in.z))), 0,
                              0, 0};
    case EXACT_LIMBS: {
        vks_ivec3 v = vks_limbs(a);
        return (struct words){(uint32_t)v.x, (uint32_t)v.y, (uint32_t)v.z, 0};
    }
    case EXACT_CARRIED: {
        vks_ivec3 v = vks_carried((vks_ivec3){(int32_t)in.x, (int32_t)in.y, (int32_t)in.z});
        return (struct words){(uint32_t)v.x, (uint32_t)v.y, (uint32_t)v.z, 0};
    }
    case EXACT_FROM_LIMBS: {
        vks_uvec2 v = vks_from_limbs((vks_ivec3){(int32_t)in.x, (int32_t)in.y, (int32_t)in.z});
        return (struct words){v.x, v.y, 0, 0};
    }
    default:
        return (struct words){vks_displacement(a, b), 0, 0, 0};
    }
}

/* A log-uniform magnitude in [2^-60, 2^60], sometimes at an edge. */
static float magnitude(uint64_t *random)
{
    static const float edges[] = {0x1p-60f, 0x1p60f, 1.0f, 0x1.fffffep-1f, 0x1.000002p0f,
                                  2.0f,     0.5f,    3.0f, 0x1.fffffep59f, 0x1.000002p-60f};
    if (next_word(random) % 64 == 0) {
        return edges[next_word(random) % (sizeof(edges) / sizeof(edges[0]))];
    }
    uint32_t exponent = (uint32_t)(67 + next_word(random) % 120); /* 2^-60 to 2^59 */
    return float_of(exponent << 23 | (uint32_t)(next_word(random) & 0x7fffff));
}

static float signed_magnitude(uint64_t *random)
{
    float value = magnitude(random);
    return next_word(random) & 1 ? -value : value;
}

/* A 64-bit integer of uniform bit length; often half way between two float32, or one unit off. */
static void fixed_point(uint64_t *random, uint32_t *low, uint32_t *high)
{
    uint64_t value = next_word(random) >> next_word(random) % 64;
    const uint32_t drop = (uint32_t)(1 + next_word(random) % 39);
    if (next_word(random) % 4 == 0) {
        const uint64_t kept = 0x800000 | (next_word(random) % 8 ? value & 0x7fffff : 0x7fffff);
        value = (kept << drop) + (UINT64_C(1) << (drop - 1)) + next_word(random) % 3 - 1;
    }
    value = next_word(random) & 1 ? value : 0 - value;
    *low = (uint32_t)value;
    *high = (uint32_t)(value >> 32);
}

/* A random input in the function's domain. */
static struct words input(uint32_t function, uint64_t *random)
{
    struct words in = {(uint32_t)next_word(random), (uint32_t)next_word(random),
                       (uint32_t)next_word(random), (uint32_t)next_word(random)};
    switch (function) {
    case EXACT_FLUSH: /* anything but NaN: subnormals, infinities and both zeros too */
        if ((in.x & 0x7fffffff) > 0x7f800000) {
            in.x &= 0x807fffff;
        }
        break;
    case EXACT_RECIPROCAL:
        in.x = bits_of(signed_magnitude(random));
        break;
    case EXACT_DIVIDE: {
        float b = signed_magnitude(random);
        int exponent = (int)(next_word(random) % 117) - 58;
        double quotient = ldexp(between(random, 1, 2), exponent);
        in.x = next_word(random) % 64 ? bits_of((float)(quotient * b)) : 0;
        in.y = bits_of(b);
        break;
    }
    case EXACT_SQRT:
        in.x = next_word(random) % 256 ? bits_of(magnitude(random)) : 0;
        break;
    case EXACT_EXP2:
        in.x = bits_of((float)between(random, -60, 60));
        if (next_word(random) % 16 == 0) {
            in.x = bits_of((float)((int)(next_word(random) % 121) - 60));
        }
        break;
    case EXACT_LOG2:
    case EXACT_LOG:
        in.x = bits_of(magnitude(random));
        break;
    case EXACT_EXP:
        in.x = bits_of((float)between(random, -41, 41));
        break;
    case EXACT_POW: {
        float a = next_word(random) % 256 ? magnitude(random) : 0.0f;
        double logarithm = a > 0 ? log2(a) : 0;
        double wanted = between(random, -59.9, 59.9);
        in.x = bits_of(a);
        in.y = bits_of((float)(fabs(logarithm) > 0.01 ? wanted / logarithm : wanted));
        break;
    }
    case EXACT_DISPLACEMENT: {
        static const float lengths[] = {0, 0x1p24f, 1, 0.5f, 0x1p-60f, 0x1p-32f};
        vks_vec2 direction = vks_sincos(in.z % 8 ? in.x : in.x & 0xc0000000);
        in.x = bits_of(direction.x);
        in.y = bits_of((float)ldexp(between(random, 1, 2), (int)(next_word(random) % 40) - 16));
        if (next_word(random) % 64 == 0) {
            in.y = bits_of(lengths[next_word(random) % 6]);
        }
        break;
    }
    case EXACT_POWER_OF_TWO:
        in.x = (uint32_t)((int32_t)(next_word(random) % 254) - 126);
        break;
    case EXACT_FIXED_ADD:
    case EXACT_FIXED_SUBTRACT:
    case EXACT_FIXED_NEGATE:
        fixed_point(random, &in.x, &in.y);
        fixed_point(random, &in.z, &in.w);
        break;
    case EXACT_FIXED: { /* |a * scale| from 2^-3 to 2^63, often a tie */
        const int exponent = (int)(next_word(random) % 254) - 126;
        const int low = -exponent - 3 > -126 ? -exponent - 3 : -126;
        const int high = -exponent + 62 < 127 ? -exponent + 62 : 127;
        const int of_a = low + (int)(next_word(random) % (uint64_t)(high - low + 1));
        in.x &= next_word(random) % 4 ? 0x807fffff : 0x80780000;
        in.x |= (uint32_t)(of_a + 127) << 23;
        in.x = next_word(random) % 64 ? in.x : in.x & 0x80000000;
        in.y = bits_of(vks_power_of_two(exponent));
        break;
    }
    case EXACT_FROM_FIXED:
        fixed_point(random, &in.x, &in.y);
        in.z = bits_of(vks_power_of_two((int32_t)(next_word(random) % 190) - 126));
        break;
    case EXACT_LIMBS: { /* |a| from 2^-45 to 2^21, often a tie */
        const uint32_t exponent = (uint32_t)(127 - 45 + next_word(random) % 66);
        in.x &= next_word(random) % 4 ? 0x807fffff : 0x80780000;
        in.x |= exponent << 23;
        in.x = next_word(random) % 64 ? in.x : in.x & 0x80000000;
        break;
    }
    case EXACT_CARRIED: /* limbs whose sums do not overflow */
    case EXACT_FROM_LIMBS:
        in.x = (uint32_t)((int32_t)in.x >> (1 + next_word(random) % 30));
        in.y = (uint32_t)((int32_t)in.y >> (1 + next_word(random) % 30));
        in.z = (uint32_t)((int32_t)in.z >> (8 + next_word(random) % 20));
        break;
    default: /* any words */
        break;
    }
    return in;
}

static void declare(struct vks_declaration *declaration, uint32_t function)
{
    static const char *const names[] = {"inputs_xy", "inputs_zw", "outputs_xy", "outputs_zw"};
    const uint32_t count = COUNT;
    for (int i = 0; i < 4; i++) {
        VKS_FIELD(declaration, .name = names[i], .element = VKS_U32X2, .rank = 1, .shape = {COUNT});
    }
    VKS_PASS(declaration, .name = "evaluate", .shader = "test/exact",
             .uses = VKS_USES({names[0], VKS_READ, NULL}, {names[1], VKS_READ, NULL},
                              {names[2], VKS_WRITE, NULL}, {names[3], VKS_WRITE, NULL}),
             .specializations = VKS_SPECIALIZATIONS({"function", function}), VKS_PUSH(count),
             .items = {COUNT});
}

static void test_function(void **state)
{
    const uint32_t function = *(const uint32_t *)*state;
    struct vks_declaration *declaration = calloc(1, sizeof(*declaration));
    struct vks_graph *graph = NULL;
    uint32_t(*xy)[2] = allocate(COUNT * sizeof(*xy)), (*zw)[2] = allocate(COUNT * sizeof(*zw));
    uint32_t(*out_xy)[2] = allocate(COUNT * sizeof(*xy)),
    (*out_zw)[2] = allocate(COUNT * sizeof(*zw));
    uint64_t random = 1 + function;
    for (size_t i = 0; i < COUNT; i++) {
        struct words in = input(function, &random);
        xy[i][0] = in.x;
        xy[i][1] = in.y;
        zw[i][0] = in.z;
        zw[i][1] = in.w;
    }
    assert_non_null(declaration);
    declare(declaration, function);
    ASSERT_FINE(vks_graph_create(&gpu, declaration, &graph));
    ASSERT_FINE(vks_graph_start(graph, 0, true));
    ASSERT_FINE(vks_graph_upload(graph, "inputs_xy", xy));
    ASSERT_FINE(vks_graph_upload(graph, "inputs_zw", zw));
    ASSERT_FINE(vks_graph_run(graph, 1));
    download(graph, "outputs_xy", out_xy);
    download(graph, "outputs_zw", out_zw);
    size_t wrong = 0;
    for (size_t i = 0; i < COUNT; i++) {
        struct words in = {xy[i][0], xy[i][1], zw[i][0], zw[i][1]};
        struct words out = evaluate(function, in);
        if (out.x != out_xy[i][0] || out.y != out_xy[i][1] || out.z != out_zw[i][0] ||
            out.w != out_zw[i][1]) {
            if (wrong++ < 5) {
                print_message("# of %08x %08x %08x %08x (%.9g, %.9g): %08x %08x %08x %08x, in C "
                              "%08x %08x %08x %08x\n",
                              in.x, in.y, in.z, in.w, float_of(in.x), float_of(in.y), out_xy[i][0],
                              out_xy[i][1], out_zw[i][0], out_zw[i][1], out.x, out.y, out.z, out.w);
            }
        }
    }
    vks_graph_destroy(graph);
    free_declaration(declaration);
    free(out_zw);
    free(out_xy);
    free(zw);
    free(xy);
    assert_int_equal(wrong, 0);
}

/* The total of each cell is the integer sum in any order. */
static void test_accumulate(void **state)
{
    (void)state;
    enum { CELLS = 7, STEPS = 3 };
    const uint32_t params[] = {COUNT, CELLS};
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    uint32_t(*values)[2] = allocate(COUNT * sizeof(*values)), totals[CELLS][2];
    uint64_t random = 1, sums[CELLS] = {0};
    for (size_t i = 0; i < COUNT; i++) {
        /* Of all sizes and both signs, so that carries are frequent. */
        fixed_point(&random, &values[i][0], &values[i][1]);
        sums[i % CELLS] += STEPS * ((uint64_t)values[i][1] << 32 | values[i][0]);
    }
    VKS_FIELD(&declaration, .name = "amounts", .element = VKS_U32X2, .rank = 1, .shape = {COUNT});
    VKS_FIELD(&declaration, .name = "totals", .element = VKS_U32X2, .rank = 1, .shape = {CELLS});
    VKS_PASS(&declaration, .name = "accumulate", .shader = "test/accumulate",
             .uses = VKS_USES({"amounts", VKS_READ}, {"totals", VKS_ATOMIC}), VKS_PUSH(params),
             .items = {COUNT});
    ASSERT_FINE(vks_graph_create(&gpu, &declaration, &graph));
    ASSERT_FINE(vks_graph_start(graph, 0, true));
    ASSERT_FINE(vks_graph_upload(graph, "amounts", values));
    ASSERT_FINE(vks_graph_run(graph, STEPS));
    download(graph, "totals", totals);
    for (size_t cell = 0; cell < CELLS; cell++) {
        assert_true(((uint64_t)totals[cell][1] << 32 | totals[cell][0]) == sums[cell]);
    }
    vks_graph_destroy(graph);
    vks_declaration_free(&declaration);
    free(values);
}

int main(void)
{
    static const uint32_t numbers[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                       11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21};
#define ROW(number, function)                                \
    {                                                        \
        .name = #function, .test_func = test_function,       \
        .initial_state = (void *)(uintptr_t)&numbers[number] \
    }
    const struct CMUnitTest tests[] = {
        ROW(EXACT_FLUSH, vks_flush),
        ROW(EXACT_RECIPROCAL, vks_reciprocal),
        ROW(EXACT_DIVIDE, vks_divide),
        ROW(EXACT_SQRT, vks_sqrt),
        ROW(EXACT_SINCOS, vks_sincos),
        ROW(EXACT_EXP2, vks_exp2),
        ROW(EXACT_LOG2, vks_log2),
        ROW(EXACT_EXP, vks_exp),
        ROW(EXACT_LOG, vks_log),
        ROW(EXACT_POW, vks_pow),
        ROW(EXACT_RANDOM, vks_random),
        ROW(EXACT_HIGH, vks_high),
        ROW(EXACT_DISPLACEMENT, vks_displacement),
        ROW(EXACT_POWER_OF_TWO, vks_power_of_two),
        ROW(EXACT_FIXED_ADD, vks_fixed_add),
        ROW(EXACT_FIXED_SUBTRACT, vks_fixed_subtract),
        ROW(EXACT_FIXED_NEGATE, vks_fixed_negate),
        ROW(EXACT_FIXED, vks_fixed),
        ROW(EXACT_FROM_FIXED, vks_from_fixed),
        ROW(EXACT_LIMBS, vks_limbs),
        ROW(EXACT_CARRIED, vks_carried),
        ROW(EXACT_FROM_LIMBS, vks_from_limbs),
        cmocka_unit_test(test_accumulate),
    };
#undef ROW
    open_gpu(&(struct vks_gpu_params){.no_disk_cache = true});
    int failed = cmocka_run_group_tests_name("exact", tests, NULL, NULL);
    vks_gpu_close(&gpu);
    return failed;
}
