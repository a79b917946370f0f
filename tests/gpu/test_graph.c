/* SPDX-License-Identifier: MIT */
/* graph/graph.h on a device: declarations that disagree with their shaders, fields in and out,
 * passes that run every n steps, fields with two buffers, timings. */
#include "gpu_test.h"
#include "bench/kernel.h"
#include "graph/internal.h"
#include "stencil.h"

static struct vks_declaration *new_declaration(void)
{
    struct vks_declaration *declaration = calloc(1, sizeof(*declaration));
    assert_non_null(declaration);
    return declaration;
}

static void add_field(struct vks_declaration *declaration, const char *name,
                      enum vks_element element, uint64_t count, bool ping_pong)
{
    VKS_FIELD(declaration, .name = name, .element = element, .rank = 1, .shape = {count},
              .ping_pong = ping_pong);
    assert_int_equal(declaration->result, VKS_OK);
}

/* --- disagreements ---------------------------------------------------------------------------- */

static const uint32_t one = 1;
static const uint32_t two[] = {1, 1};

/* A correct declaration of selftest/mix; each test breaks one thing. */
struct mixing {
    struct vks_use uses[5];
    struct vks_specialization specializations[3];
    struct vks_pass pass; /* without the two lists */
};
static const struct mixing right = {
    .uses = {{"x", VKS_READ, "own"}, {"y", VKS_READ, "other"}, {"x", VKS_WRITE_NEXT, "own"}},
    .specializations = {{"factor", 3}},
    .pass = {.name = "mix",
             .shader = "selftest/mix",
             .constants = &one,
             .constants_size = 4,
             .items = {1}},
};

static struct vks_pass pass_of(const struct mixing *mixing)
{
    struct vks_pass pass = mixing->pass;
    pass.uses = mixing->uses;
    pass.specializations = mixing->specializations;
    return pass;
}

static enum vks_result create(const struct vks_pass *pass)
{
    struct vks_declaration *declaration = new_declaration();
    struct vks_graph *graph = NULL;
    add_field(declaration, "x", VKS_U32, 1, true);
    add_field(declaration, "y", VKS_U32, 1, true);
    add_field(declaration, "pairs", VKS_U32X2, 1, true);
    vks_declare_pass(declaration, pass);
    assert_int_equal(declaration->result, VKS_OK);
    enum vks_result result = vks_graph_create(&gpu, declaration, &graph);
    assert_true((result == VKS_OK) == (graph != NULL));
    vks_graph_destroy(graph);
    free_declaration(declaration);
    return result;
}

/* A mistake in the declaration, unless it is the device that is too small. */
static void assert_pass_refused(const struct vks_pass *pass, const char *words)
{
    const bool too_small = strstr(words, "too large for") != NULL;
    if (create(pass) != (too_small ? VKS_ERROR_GPU : VKS_ERROR_INTERNAL) ||
        !strstr(vks_error_text(), words)) {
        fail_msg("'%s' does not say '%s'", vks_error_text(), words);
    }
}

static void assert_refused(const struct mixing *mixing, const char *words)
{
    const struct vks_pass pass = pass_of(mixing);
    assert_pass_refused(&pass, words);
}

static void test_agreement(void **state)
{
    (void)state;
    const struct vks_pass pass = pass_of(&right);
    ASSERT_FINE(create(&pass));
    vks_graph_destroy(NULL);
}

static void test_undeclared_buffer(void **state)
{
    (void)state;
    struct mixing mix = right;
    mix.uses[1] = mix.uses[2];
    mix.uses[2] = (struct vks_use){0};
    assert_refused(&mix, "pass 'mix' does not declare buffer 'other' of shader selftest/mix");
    mix = right;
    mix.uses[2] = (struct vks_use){0};
    assert_refused(&mix, "does not declare buffer 'own_next'");
    mix = right;
    mix.uses[1].as = "others";
    assert_refused(&mix, "does not declare buffer 'other'");
}

static void test_field_too_many(void **state)
{
    (void)state;
    struct mixing mix = right;
    mix.uses[3] = (struct vks_use){"pairs", VKS_READ, NULL};
    assert_refused(&mix, "pass 'mix' declares a field that shader selftest/mix does not have");
}

static void test_wrong_access(void **state)
{
    (void)state;
    struct mixing mix = right;
    mix.uses[1].access = VKS_READ_WRITE;
    assert_refused(&mix, "pass 'mix' writes 'other', but shader selftest/mix has it readonly");
    mix.uses[1].access = VKS_WRITE;
    assert_refused(&mix, "has it readonly");
    mix.uses[1].access = VKS_ATOMIC;
    assert_refused(&mix, "has it readonly");

    const struct vks_pass marking = {
        .name = "marking",
        .shader = "test/mark",
        .uses = VKS_USES({"x", VKS_READ, "marks"}),
        .constants = two,
        .constants_size = sizeof(two),
        .items = {1},
    };
    assert_pass_refused(&marking, "pass 'marking' only reads 'marks', but shader test/mark has it "
                                  "writable");
    struct vks_pass wrong = marking;
    wrong.uses = VKS_USES({"x", VKS_WRITE, "marks"});
    assert_pass_refused(&wrong, "pass 'marking' only writes 'marks', but shader test/mark has it "
                                "readable; it should be writeonly");
    wrong.uses = VKS_USES({"x", VKS_READ | VKS_ATOMIC, "marks"});
    assert_pass_refused(&wrong, "pass 'marking' does not declare that shader test/mark writes "
                                "'marks'");
    wrong.uses = VKS_USES({"x", VKS_READ_WRITE | VKS_ATOMIC, "marks"});
    assert_pass_refused(&wrong, "pass 'marking' declares that shader test/mark has atomic "
                                "operations on 'marks', which it never does");
}

/* Simulations may not use benchmark kernels. */
static void test_inexact(void **state)
{
    (void)state;
    const struct vks_pass copy = {
        .name = "copy",
        .shader = "bench/copy",
        .uses = VKS_USES({"x", VKS_READ, "copy_from"}, {"y", VKS_WRITE, "copy_to"}),
        .constants = &one,
        .constants_size = sizeof(one),
        .items = {1},
    };
    assert_pass_refused(&copy, "pass 'copy': shader bench/copy is a benchmark kernel; only "
                               "exact shaders can be part of a simulation");
}

static void test_wrong_element(void **state)
{
    (void)state;
    struct mixing mix = right;
    mix.uses[1].field = "pairs";
    assert_refused(&mix, "shader selftest/mix has elements of 4 bytes in 'other', the field has 8");
}

static void test_wrong_constants(void **state)
{
    (void)state;
    struct mixing mix = right;
    mix.pass.constants = two;
    mix.pass.constants_size = sizeof(two);
    assert_refused(&mix, "pass 'mix' has 8 bytes of constants, shader selftest/mix 4");
    mix.pass.constants_size = 0;
    assert_refused(&mix, "pass 'mix' has 0 bytes of constants, shader selftest/mix 4");
}

static void test_wrong_specialization(void **state)
{
    (void)state;
    struct mixing mix = right;
    mix.specializations[1] = (struct vks_specialization){"colour", 5};
    assert_refused(&mix, "shader selftest/mix has no specialization constant 'colour'");
}

static void test_wrong_group(void **state)
{
    (void)state;
    struct mixing mix = right;
    mix.pass.group[0] = 65536;
    assert_refused(&mix, "shader selftest/mix: workgroups of 65536 x 1 are too large for");
    mix.pass.items[1] = 1;
    mix.pass.group[1] = 65536; /* 2^32 invocations */
    assert_refused(&mix, "shader selftest/mix: workgroups of 65536 x 65536 are too large for");
}

/* Items beyond the limit of x continue in y; their numbers must not wrap. */
static void test_many_groups(void **state)
{
    (void)state;
    const uint32_t before = gpu.properties.limits.maxComputeWorkGroupCount[0];
    struct vks_pass pass = pass_of(&right);
    uint32_t groups[3];
    gpu.properties.limits.maxComputeWorkGroupCount[0] = 65535;
    pass.group[0] = pass.per_group[0] = 256;
    pass.group[1] = pass.per_group[1] = pass.items[1] = 1;
    pass.items[0] = UINT64_C(1) << 30;
    ASSERT_FINE(vks_size_dispatch(&gpu, &pass, groups));
    assert_int_equal(groups[0], 64528);
    assert_int_equal(groups[1], 65);
    pass.items[0] = UINT32_MAX;
    assert_int_equal(vks_size_dispatch(&gpu, &pass, groups), VKS_ERROR_USAGE);
    assert_non_null(strstr(vks_error_text(), "pass 'mix' needs more workgroups than "));
    gpu.properties.limits.maxComputeWorkGroupCount[0] = INT32_MAX;
    ASSERT_FINE(vks_size_dispatch(&gpu, &pass, groups));
    assert_int_equal(groups[0], 1 << 24);
    assert_int_equal(groups[1], 1);
    gpu.properties.limits.maxComputeWorkGroupCount[0] = before;

    /* Rows of the grid continue along z; others are refused. */
    const uint32_t rows_before = gpu.properties.limits.maxComputeWorkGroupCount[1];
    gpu.properties.limits.maxComputeWorkGroupCount[1] = 65535;
    pass.items[0] = 512;
    pass.items[1] = 512 * 512;
    pass.group[0] = pass.per_group[0] = 64;
    pass.group[1] = pass.per_group[1] = 4;
    assert_int_equal(vks_size_dispatch(&gpu, &pass, groups), VKS_ERROR_USAGE);
    pass.by_rows = true;
    ASSERT_FINE(vks_size_dispatch(&gpu, &pass, groups));
    assert_int_equal(groups[0], 8);
    assert_int_equal(groups[1], 32768);
    assert_int_equal(groups[2], 2);
    gpu.properties.limits.maxComputeWorkGroupCount[1] = rows_before;
}

static void test_no_such_shader(void **state)
{
    (void)state;
    struct mixing mix = right;
    mix.pass.shader = "test/nothing";
    assert_refused(&mix, "there is no shader 'test/nothing'");
}

/* A failed declaration keeps its first failure. */
static void test_failed_declaration(void **state)
{
    (void)state;
    struct vks_declaration *declaration = new_declaration();
    struct vks_graph *graph = NULL;
    const struct vks_pass pass = pass_of(&right);
    vks_declare_pass(declaration, &pass); /* its fields are missing */
    assert_int_equal(vks_graph_create(&gpu, declaration, &graph), VKS_ERROR_INTERNAL);
    assert_non_null(strstr(vks_error_text(), "field 'x' is not declared"));
    assert_null(graph);
    free_declaration(declaration);
}

static void test_too_large(void **state)
{
    (void)state;
    struct vks_declaration *declaration = new_declaration();
    struct vks_graph *graph = NULL;
    add_field(declaration, "x", VKS_U32, gpu.info.largest_buffer / 4 + 1, false);
    assert_int_equal(vks_graph_create(&gpu, declaration, &graph), VKS_ERROR_USAGE);
    assert_non_null(strstr(vks_error_text(), "the field 'x' needs "));
    assert_non_null(strstr(vks_error_text(), gpu.info.name));
    free_declaration(declaration);
    declaration = new_declaration();
    add_field(declaration, "x", VKS_U32X2, UINT64_MAX / 8 + 2, false); /* 64 bits wrap */
    assert_int_equal(vks_graph_create(&gpu, declaration, &graph), VKS_ERROR_USAGE);
    free_declaration(declaration);
    /* Each field fits, but not all together. */
    declaration = new_declaration();
    enum { PARTS = 32 };
    uint64_t share = gpu.info.memory / PARTS + 4096;
    if (share > gpu.info.largest_buffer) {
        share = gpu.info.largest_buffer;
    }
    for (int i = 0; i < PARTS; i++) {
        add_field(declaration, vks_declaration_name(declaration, "x%d", i), VKS_U32, share / 4,
                  true);
    }
    if (share * 2 * PARTS > gpu.info.memory) {
        assert_int_equal(vks_graph_create(&gpu, declaration, &graph), VKS_ERROR_USAGE);
        assert_non_null(strstr(vks_error_text(), "the fields need "));
    }
    free_declaration(declaration);
}

/* --- fields in and out ------------------------------------------------------------------------ */

static void check_transfer(enum vks_element element, uint64_t count)
{
    struct vks_declaration *declaration = new_declaration();
    struct vks_graph *graph = NULL;
    const size_t size = count * vks_element_bytes(element);
    uint32_t *data = allocate(size), *back = allocate(size);
    uint64_t random = count;
    for (size_t i = 0; i < size / 4; i++) {
        data[i] = (uint32_t)next_word(&random);
    }
    memset(back, 0x55, size);
    add_field(declaration, "before", VKS_U32, 3, false);
    add_field(declaration, "field", element, count, false);
    add_field(declaration, "after", VKS_U32, 3, false);
    ASSERT_FINE(vks_graph_create(&gpu, declaration, &graph));
    ASSERT_FINE(vks_graph_start(graph, 0, true));
    download(graph, "field", back); /* initially zero */
    for (size_t i = 0; i < size / 4; i++) {
        if (back[i] != 0) {
            fail_msg("word %zu of %zu is not zero at the start", i, size / 4);
        }
    }
    ASSERT_FINE(vks_graph_upload(graph, "field", data));
    download(graph, "field", back);
    assert_int_equal(memcmp(data, back, size), 0);
    uint32_t near[3];
    download(graph, "before", near);
    assert_true(near[0] == 0 && near[1] == 0 && near[2] == 0);
    download(graph, "after", near);
    assert_true(near[0] == 0 && near[1] == 0 && near[2] == 0);
    vks_graph_destroy(graph);
    free_declaration(declaration);
    free(back);
    free(data);
}

static void test_transfer(void **state)
{
    (void)state;
    check_transfer(VKS_U32, 1);
    check_transfer(VKS_U32X2, 1);
    check_transfer(VKS_F32, 12345);
    /* Fields are copied in pieces of 32 MiB: just below, at and above, and an odd rest. */
    check_transfer(VKS_U32, (32u << 20) / 4 - 1);
    check_transfer(VKS_U32, (32u << 20) / 4);
    check_transfer(VKS_U32, (32u << 20) / 4 + 1);
    check_transfer(VKS_U32X2, (64u << 20) / 8 + 12345);
}

/* --- every n steps --------------------------------------------------------------------------- */

enum { COLUMNS = 4000 };
static const uint32_t everies[] = {1, 2, 3, 5};

static void check_every(uint64_t first, const uint32_t *pieces)
{
    struct vks_declaration *declaration = new_declaration();
    struct vks_graph *graph = NULL;
    uint32_t(*marks)[COLUMNS] = allocate(4 * sizeof(*marks));
    static const char *const names[] = {"every 1", "every 2", "every 3", "every 5"};
    add_field(declaration, "marks", VKS_U32, 4 * COLUMNS, false);
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t constants[] = {i, COLUMNS};
        VKS_PASS(declaration, .name = names[i], .shader = "test/mark", .every = everies[i],
                 .uses = VKS_USES({"marks", VKS_READ_WRITE, NULL}), .constants = constants,
                 .constants_size = sizeof(constants), .items = {1});
    }
    ASSERT_FINE(vks_graph_create(&gpu, declaration, &graph));
    ASSERT_FINE(vks_graph_start(graph, first, true));
    uint64_t end = first;
    for (size_t i = 0; pieces[i]; i++) {
        ASSERT_FINE(vks_graph_run(graph, pieces[i]));
        end += pieces[i];
        assert_int_equal(vks_graph_steps(graph), end);
    }
    download(graph, "marks", marks);
    for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t step = 0; step < COLUMNS; step++) {
            uint32_t expected = step >= first && step < end && step % everies[i] == 0;
            if (marks[i][step] != expected) {
                fail_msg("%s, begun at %llu: step %u has %u marks", names[i],
                         (unsigned long long)first, step, marks[i][step]);
            }
        }
        struct vks_pass_timing timing;
        assert_true(vks_graph_timing(graph, i, &timing));
        assert_string_equal(timing.name, names[i]);
        uint64_t calls = 0;
        for (uint64_t step = first; step < end; step++) {
            calls += step % everies[i] == 0;
        }
        assert_int_equal(timing.calls, calls);
        assert_true(timing.samples <= calls);
    }
    vks_graph_destroy(graph);
    free_declaration(declaration);
    free(marks);
}

static void test_every(void **state)
{
    (void)state;
    check_every(0, (const uint32_t[]){1, 0});
    check_every(0, (const uint32_t[]){3500, 0}); /* batches of many sizes */
    check_every(7, (const uint32_t[]){1, 2, 3, 500, 1, 1, 1, 64, 63, 0});
    check_every(3999, (const uint32_t[]){1, 0});
}

/* The clock has 32 bits; steps are counted in 64. */
static void test_steps_over_32_bits(void **state)
{
    (void)state;
    struct vks_declaration *declaration = new_declaration();
    struct vks_graph *graph = NULL;
    uint32_t marks[COLUMNS];
    const uint32_t constants[] = {0, COLUMNS};
    const uint64_t first = (UINT64_C(1) << 32) - 5;
    add_field(declaration, "marks", VKS_U32, COLUMNS, false);
    VKS_PASS(declaration, .name = "every 3", .shader = "test/mark", .every = 3,
             .uses = VKS_USES({"marks", VKS_READ_WRITE, NULL}), .constants = constants,
             .constants_size = sizeof(constants), .items = {1});
    ASSERT_FINE(vks_graph_create(&gpu, declaration, &graph));
    ASSERT_FINE(vks_graph_start(graph, first, true));
    ASSERT_FINE(vks_graph_run(graph, 300));
    download(graph, "marks", marks);
    assert_true(vks_graph_steps(graph) == first + 300);
    for (uint64_t step = UINT64_C(1) << 32; step < (UINT64_C(1) << 32) + COLUMNS; step++) {
        uint32_t expected = step < first + 300 && step % 3 == 0;
        assert_int_equal(marks[step & 0xffffffff], expected);
    }
    vks_graph_destroy(graph);
    free_declaration(declaration);
}

/* --- two buffers ----------------------------------------------------------------------------- */

enum { ITEMS = 1000, FIELDS = 3 };
static const char *const field_names[] = {"x", "y", "z"};
static const uint32_t factors[] = {1664525, 22695477, 1103515245};
static const uint32_t rhythms[] = {1, 2, 3};

/* x' = f(x, y) each step, y' = f(y, z) every second, z' = f(z, x) every third, in that order. */
static void mix_in_c(uint32_t fields[FIELDS][ITEMS], uint32_t step)
{
    for (uint32_t f = 0; f < FIELDS; f++) {
        uint32_t next[ITEMS];
        const uint32_t *other = fields[(f + 1) % FIELDS];
        if (step % rhythms[f] != 0) {
            continue;
        }
        for (uint32_t i = 0; i < ITEMS; i++) {
            uint32_t near = other[(i + 1) % ITEMS];
            next[i] = fields[f][i] * factors[f] + (near ^ near >> 7) + step + i;
        }
        memcpy(fields[f], next, sizeof(next));
    }
}

static void test_ping_pong(void **state)
{
    (void)state;
    static const uint32_t pieces[] = {1, 1, 1, 2, 3, 64, 1, 100, 7, 333, 5};
    static uint32_t fields[FIELDS][ITEMS];
    uint32_t back[ITEMS];
    const uint32_t constants = ITEMS;
    struct vks_declaration *declaration = new_declaration();
    struct vks_graph *graph = NULL;
    uint64_t random = 1;
    for (uint32_t f = 0; f < FIELDS; f++) {
        add_field(declaration, field_names[f], VKS_U32, ITEMS, true);
        for (uint32_t i = 0; i < ITEMS; i++) {
            fields[f][i] = (uint32_t)next_word(&random);
        }
    }
    for (uint32_t f = 0; f < FIELDS; f++) {
        VKS_PASS(declaration, .name = field_names[f], .shader = "selftest/mix", .every = rhythms[f],
                 .uses = VKS_USES({field_names[f], VKS_READ, "own"},
                                  {field_names[(f + 1) % 3], VKS_READ, "other"},
                                  {field_names[f], VKS_WRITE_NEXT, "own"}),
                 .specializations = VKS_SPECIALIZATIONS({"factor", factors[f]}),
                 .constants = &constants, .constants_size = 4, .items = {ITEMS});
    }
    ASSERT_FINE(vks_graph_create(&gpu, declaration, &graph));
    ASSERT_FINE(vks_graph_start(graph, 0, true));
    for (uint32_t f = 0; f < FIELDS; f++) {
        ASSERT_FINE(vks_graph_upload(graph, field_names[f], fields[f]));
    }
    uint32_t step = 0;
    for (size_t p = 0; p < sizeof(pieces) / sizeof(pieces[0]); p++) {
        ASSERT_FINE(vks_graph_run(graph, pieces[p]));
        for (uint32_t end = step + pieces[p]; step < end; step++) {
            mix_in_c(fields, step);
        }
        for (uint32_t f = 0; f < FIELDS; f++) {
            download(graph, field_names[f], back);
            for (uint32_t i = 0; i < ITEMS; i++) {
                if (back[i] != fields[f][i]) {
                    fail_msg("after %u steps: %s[%u] is %08x, in C %08x", step, field_names[f], i,
                             back[i], fields[f][i]);
                }
            }
        }
        /* An upload writes the current buffer. */
        uint32_t f = (uint32_t)(p % FIELDS);
        for (uint32_t i = 0; i < ITEMS; i += 3) {
            fields[f][i] = (uint32_t)next_word(&random);
        }
        ASSERT_FINE(vks_graph_upload(graph, field_names[f], fields[f]));
    }
    /* A second start resets everything: zeros, step 0, the first buffers. */
    memset(fields, 0, sizeof(fields));
    ASSERT_FINE(vks_graph_start(graph, 0, true));
    assert_int_equal(vks_graph_steps(graph), 0);
    ASSERT_FINE(vks_graph_run(graph, 77));
    for (step = 0; step < 77; step++) {
        mix_in_c(fields, step);
    }
    for (uint32_t f = 0; f < FIELDS; f++) {
        download(graph, field_names[f], back);
        assert_memory_equal(back, fields[f], sizeof(back));
    }
    assert_true(vks_graph_buffer(graph, "x") != VK_NULL_HANDLE);
    assert_true(vks_graph_buffer(graph, "nothing") == VK_NULL_HANDLE);
    vks_graph_destroy(graph);
    free_declaration(declaration);
}

/* --- any number of fields, passes and descriptor sets ----------------------------------------- */

enum { MANY_FIELDS = 300, MANY_PASSES = 500, MANY_ITEMS = 32 };

static uint32_t other_of(uint32_t pass)
{
    return (pass * 7 + 1) % MANY_FIELDS;
}

static struct vks_declaration *declare_many(void)
{
    static const uint32_t constants = MANY_ITEMS;
    struct vks_declaration *declaration = new_declaration();
    for (uint32_t i = 0; i < MANY_FIELDS; i++) {
        add_field(declaration, vks_declaration_name(declaration, "f%u", i), VKS_U32, MANY_ITEMS,
                  true);
    }
    for (uint32_t i = 0; i < MANY_PASSES; i++) {
        const char *own = declaration->fields[i % MANY_FIELDS].name;
        VKS_PASS(declaration, .name = vks_declaration_name(declaration, "p%u", i),
                 .shader = "selftest/mix", .every = 1 + i % 2,
                 .uses = VKS_USES({own, VKS_READ, "own"},
                                  {declaration->fields[other_of(i)].name, VKS_READ, "other"},
                                  {own, VKS_WRITE_NEXT, "own"}),
                 .specializations = VKS_SPECIALIZATIONS({"factor", factors[i % 3]}),
                 VKS_PUSH(constants), .items = {MANY_ITEMS});
    }
    assert_int_equal(declaration->result, VKS_OK);
    return declaration;
}

static void many_in_c(uint32_t fields[MANY_FIELDS][MANY_ITEMS], uint32_t step)
{
    for (uint32_t p = 0; p < MANY_PASSES; p++) {
        uint32_t next[MANY_ITEMS];
        uint32_t *own = fields[p % MANY_FIELDS];
        const uint32_t *other = fields[other_of(p)];
        if (step % (1 + p % 2) != 0) {
            continue;
        }
        for (uint32_t i = 0; i < MANY_ITEMS; i++) {
            uint32_t near = other[(i + 1) % MANY_ITEMS];
            next[i] = own[i] * factors[p % 3] + (near ^ near >> 7) + step + i;
        }
        memcpy(own, next, sizeof(next));
    }
}

/* Runs 1 step, then 2, and so on up to `most`. */
static void run_many(struct vks_graph *graph, uint32_t most)
{
    static uint32_t fields[MANY_FIELDS][MANY_ITEMS];
    uint32_t back[MANY_ITEMS];
    memset(fields, 0, sizeof(fields));
    ASSERT_FINE(vks_graph_start(graph, 0, true));
    uint32_t step = 0;
    for (uint32_t pieces = 1; pieces <= most; pieces++) {
        ASSERT_FINE(vks_graph_run(graph, pieces));
        for (const uint32_t end = step + pieces; step < end; step++) {
            many_in_c(fields, step);
        }
    }
    for (uint32_t f = 0; f < MANY_FIELDS; f++) {
        char name[16];
        snprintf(name, sizeof(name), "f%u", f);
        download(graph, name, back);
        assert_memory_equal(back, fields[f], sizeof(back));
    }
}

static void test_many(void **state)
{
    (void)state;
    struct vks_declaration *declaration = declare_many();
    struct vks_graph *graph = NULL;
    ASSERT_FINE(vks_graph_create(&gpu, declaration, &graph));
    assert_int_equal(declaration->field_count, 0); /* the graph's now */
    run_many(graph, 7);
    vks_graph_destroy(graph);
    free_declaration(declaration);
}

static enum vks_result count_builds(void *user)
{
    unsigned *left = user;
    return (*left)-- > 0 ? VKS_OK : vks_fail(VKS_ERROR_USAGE, "no more");
}

/* Who creates a graph hears of each pipeline, and can end it. */
static void test_builds(void **state)
{
    (void)state;
    struct vks_graph *graph = NULL;
    unsigned left = MANY_PASSES;
    gpu.builds = count_builds;
    gpu.builds_for = &left;
    struct vks_declaration *declaration = declare_many();
    ASSERT_FINE(vks_graph_create(&gpu, declaration, &graph));
    assert_int_equal(left, 0);
    vks_graph_destroy(graph);
    free_declaration(declaration);
    declaration = declare_many();
    graph = NULL;
    left = MANY_PASSES - 1;
    assert_int_equal(vks_graph_create(&gpu, declaration, &graph), VKS_ERROR_USAGE);
    assert_null(graph);
    free_declaration(declaration);
    gpu.builds = NULL;
}

/* What is called between parts: it takes time, and fails once told to. */
struct pauses {
    uint32_t calls;
    bool fails;
};

static enum vks_result wait_a_bit(void *user)
{
    struct pauses *seen = user;
    seen->calls++;
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    return seen->fails ? VKS_ERROR_USAGE : VKS_OK;
}

/* Steps in as many parts as there can be have the same results. */
static void test_divided(void **state)
{
    (void)state;
    struct vks_declaration *declaration = declare_many();
    struct vks_graph *graph = NULL;
    struct pauses seen = {.calls = 0};
    double busy;
    uint64_t steps;
    ASSERT_FINE(vks_graph_create(&gpu, declaration, &graph));
    vks_graph_divide(graph, &(struct vks_division){1e-9, wait_a_bit, &seen});
    run_many(graph, 3);
    assert_true(seen.calls >= VKS_MAX_EARLIER && seen.calls % VKS_MAX_EARLIER == 0);
    vks_graph_busy(graph, &busy, &steps);
    assert_in_range(steps, 4, 6);                       /* fast steps are not all timed */
    assert_true(busy > 0 && busy < 0.002 * seen.calls); /* without the waits */
    seen = (struct pauses){.fails = true};
    assert_int_equal(vks_graph_run(graph, 2), VKS_ERROR_USAGE);
    assert_int_equal(seen.calls, 1); /* the rest goes on without it */
    assert_int_equal(vks_graph_steps(graph), 8);
    vks_graph_divide(graph, NULL);
    ASSERT_FINE(vks_graph_run(graph, 2));
    assert_int_equal(seen.calls, 1);
    vks_graph_destroy(graph);
    free_declaration(declaration);
}

/* So have long passes of steps or frames, which are cut into slices: mixed as in C. */
static void check_sliced(enum vks_when when)
{
    const bool steps = when == VKS_EACH_STEP;
    enum { LENGTH = 5000, STEPS = 6 };
    static const uint32_t constants = LENGTH;
    static uint32_t wanted[LENGTH], next[LENGTH], back[LENGTH];
    struct vks_declaration *declaration = new_declaration();
    struct vks_graph *graph = NULL;
    struct pauses seen = {.calls = 0};
    struct vks_pass_timing timing;
    memset(wanted, 0, sizeof(wanted));
    add_field(declaration, "own", VKS_U32, LENGTH, true);
    VKS_PASS(declaration, .name = "mix", .shader = "selftest/mix", .when = when,
             .uses =
                 VKS_USES({"own", VKS_READ}, {"own", VKS_READ, "other"}, {"own", VKS_WRITE_NEXT}),
             .specializations = VKS_SPECIALIZATIONS({"factor", factors[0]}), VKS_PUSH(constants),
             .items = {LENGTH});
    ASSERT_FINE(vks_graph_create(&gpu, declaration, &graph));
    const uint32_t groups = graph->passes[0].groups[0];
    assert_true(groups > 8 && groups <= VKS_MAX_EARLIER + 1);
    vks_graph_divide(graph, &(struct vks_division){1e-9, wait_a_bit, &seen});
    ASSERT_FINE(vks_graph_start(graph, 0, true));
    for (uint32_t step = 0; step < STEPS; step++) {
        uint64_t value;
        ASSERT_FINE(
            steps ? vks_graph_run(graph, 1)
                  : vks_graph_frame(graph, NULL, NULL, VK_NULL_HANDLE, VK_NULL_HANDLE, &value));
        ASSERT_FINE(vks_graph_wait(graph));
        for (uint32_t i = 0; i < LENGTH; i++) {
            const uint32_t near = wanted[(i + 1) % LENGTH];
            next[i] = wanted[i] * factors[0] + (near ^ near >> 7) + (steps ? step : 0) + i;
        }
        memcpy(wanted, next, sizeof(next));
    }
    download(graph, "own", back);
    assert_memory_equal(back, wanted, sizeof(back));
    assert_int_equal(seen.calls,
                     (STEPS - 1) * (groups - 1)); /* the first one's time is not known */
    assert_true(vks_graph_timing(graph, 0, &timing));
    assert_true(timing.samples >= 3); /* each of all slices, without the waits */
    assert_true(timing.p50 > 0 && timing.p50 < 0.002 * (groups - 1));
    vks_graph_destroy(graph);
    free_declaration(declaration);
}

static void test_sliced(void **state)
{
    (void)state;
    check_sliced(VKS_EACH_STEP);
    check_sliced(VKS_EACH_FRAME);
}

/* The dispatches of a batch are limited: 8192 hold 16 steps of 500 passes. */
static void test_batch_of_many(void **state)
{
    (void)state;
    struct vks_declaration *declaration = declare_many();
    struct vks_graph *graph = NULL;
    ASSERT_FINE(vks_graph_create(&gpu, declaration, &graph));
    assert_int_equal(graph->max_batch_steps, 16);
    vks_graph_destroy(graph);
    free_declaration(declaration);
}

static void test_combinations(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    enum { TURNED = 6, STEPS = 200 };
    const uint32_t constants = 1;
    uint32_t values[TURNED] = {0}, total = 0, back;
    struct vks_declaration *declaration = new_declaration();
    struct vks_graph *graph = NULL;
    add_field(declaration, "total", VKS_U32, 1, false);
    for (uint32_t i = 0; i < TURNED; i++) {
        add_field(declaration, names[i], VKS_U32, 1, true);
    }
    VKS_PASS(declaration, .name = "gather", .shader = "test/gather", .items = {1},
             .uses = VKS_USES({"a", VKS_READ}, {"b", VKS_READ}, {"c", VKS_READ}, {"d", VKS_READ},
                              {"e", VKS_READ}, {"f", VKS_READ}, {"total", VKS_READ_WRITE}));
    for (uint32_t i = 0; i < TURNED; i++) {
        VKS_PASS(declaration, .name = names[i], .shader = "selftest/mix", .every = UINT32_C(1) << i,
                 .uses = VKS_USES({names[i], VKS_READ, "own"}, {"total", VKS_READ, "other"},
                                  {names[i], VKS_WRITE_NEXT, "own"}),
                 .specializations = VKS_SPECIALIZATIONS({"factor", factors[i % 3]}),
                 VKS_PUSH(constants), .items = {1});
    }
    ASSERT_FINE(vks_graph_create(&gpu, declaration, &graph));
    ASSERT_FINE(vks_graph_start(graph, 0, true));
    ASSERT_FINE(vks_graph_run(graph, STEPS));
    for (uint32_t step = 0; step < STEPS; step++) {
        total *= 3;
        for (uint32_t i = 0; i < TURNED; i++) {
            total += values[i];
        }
        for (uint32_t i = 0; i < TURNED; i++) {
            if (step % (UINT32_C(1) << i) == 0) {
                values[i] = values[i] * factors[i % 3] + (total ^ total >> 7) + step;
            }
        }
    }
    download(graph, "total", &back);
    assert_int_equal(back, total);
    assert_true(graph->passes[0].set_count > 16);
    vks_graph_destroy(graph);
    free_declaration(declaration);
}

/* --- grids ------------------------------------------------------------------------------------ */

static uint32_t wrapped(uint32_t at, int by, uint32_t side)
{
    return (uint32_t)((at + side + (uint32_t)by) % side);
}

/* tests/gpu/stencil.comp for one cell. */
static uint32_t stencil_in_c(const uint32_t *cells, const uint32_t at[3], const uint32_t sides[3])
{
    static const uint32_t weights[3][2] = {{5, 7}, {11, 13}, {17, 19}}; /* x, y, z */
    uint32_t sum = 3 * cells[(at[2] * sides[1] + at[1]) * sides[0] + at[0]];
    for (int axis = 0; axis < 3; axis++) {
        for (int after = 0; after < 2; after++) {
            uint32_t near[3] = {at[0], at[1], at[2]};
            near[axis] = wrapped(at[axis], after ? 1 : -1, sides[axis]);
            sum +=
                weights[axis][after] * cells[(near[2] * sides[1] + near[1]) * sides[0] + near[0]];
        }
    }
    return sum;
}

/* Cells and neighbours of a pass over the grid, and of one over items, in planes and volumes. */
static void check_grid(const uint32_t sides[3], bool by_item)
{
    const struct stencil_params params = {sides[0], sides[1], sides[2]};
    const uint64_t count = (uint64_t)sides[0] * sides[1] * sides[2];
    uint32_t *cells = allocate(4 * count), *back = allocate(4 * count);
    uint64_t random = count;
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    vks_declaration_grid(&declaration, sides[2], sides[1], sides[0]);
    VKS_FIELD(&declaration, .name = "cells", .element = VKS_U32, .ping_pong = true);
    VKS_PASS(&declaration, .name = "stencil", .shader = "test/stencil",
             .uses = VKS_USES({"cells", VKS_READ}, {"cells", VKS_WRITE_NEXT}),
             .specializations = VKS_SPECIALIZATIONS({"by_item", by_item}), VKS_PUSH(params),
             .items = {by_item ? count : 0});
    ASSERT_FINE(vks_graph_create(&gpu, &declaration, &graph));
    ASSERT_FINE(vks_graph_start(graph, 0, true));
    for (uint64_t i = 0; i < count; i++) {
        cells[i] = (uint32_t)next_word(&random);
    }
    ASSERT_FINE(vks_graph_upload(graph, "cells", cells));
    ASSERT_FINE(vks_graph_run(graph, 1));
    download(graph, "cells", back);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at[3] = {i % sides[0], i / sides[0] % sides[1], i / sides[0] / sides[1]};
        assert_int_equal(back[i], stencil_in_c(cells, at, sides));
    }
    vks_graph_destroy(graph);
    free(back);
    free(cells);
}

static void test_grid(void **state)
{
    (void)state;
    static const uint32_t grids[][3] = {{7, 5, 1},  {7, 5, 4},   {1, 1, 2},  {1, 9, 3},
                                        {33, 9, 8}, {64, 16, 5}, {100, 1, 2}};
    for (size_t i = 0; i < sizeof(grids) / sizeof(grids[0]); i++) {
        check_grid(grids[i], false);
        check_grid(grids[i], true);
    }
}

/* --- tables, and passes of a state that is complete ------------------------------------------ */

static enum vks_result fill_word(const void *user, const struct vks_field *field,
                                 const struct vks_source *source, void *out)
{
    (void)field;
    (void)source;
    memcpy(out, user, sizeof(uint32_t));
    return VKS_OK;
}

static uint32_t word_of(struct vks_graph *graph, const char *field)
{
    uint32_t word;
    ASSERT_FINE(vks_graph_download_to(graph, field, &word));
    return word;
}

/* AT_START passes read tables that are filled before them; state is filled after them; the
 * WHEN_READY pass sees everything, once. */
static void test_ready(void **state)
{
    (void)state;
    static const uint32_t five = 5, seven = 7, loaded = 100;
    struct vks_declaration *declaration = new_declaration();
    struct vks_graph *graph = NULL;
    VKS_FIELD(declaration, .name = "table", .element = VKS_U32, .rank = 1, .shape = {1},
              .fill = fill_word, .user = &five, .made_from = "five");
    VKS_FIELD(declaration, .name = "filled", .element = VKS_U32, .rank = 1, .shape = {1},
              .persistent = true, .fill = fill_word, .user = &seven, .made_from = "seven");
    add_field(declaration, "started", VKS_U32, 1, false);
    add_field(declaration, "measured", VKS_U32, 1, false);
    add_field(declaration, "stepped", VKS_U32, 1, false);
    add_field(declaration, "zero", VKS_U32, 1, false);
    VKS_PASS(
        declaration, .name = "start", .shader = "test/gather", .items = {1}, .when = VKS_AT_START,
        .uses = VKS_USES({"table", VKS_READ, "a"}, {"filled", VKS_READ, "b"},
                         {"zero", VKS_READ, "c"}, {"zero", VKS_READ, "d"}, {"zero", VKS_READ, "e"},
                         {"zero", VKS_READ, "f"}, {"started", VKS_READ_WRITE, "total"}));
    VKS_PASS(declaration, .name = "measure", .shader = "test/gather", .items = {1},
             .when = VKS_WHEN_READY,
             .uses =
                 VKS_USES({"started", VKS_READ, "a"}, {"filled", VKS_READ, "b"},
                          {"zero", VKS_READ, "c"}, {"zero", VKS_READ, "d"}, {"zero", VKS_READ, "e"},
                          {"zero", VKS_READ, "f"}, {"measured", VKS_READ_WRITE, "total"}));
    VKS_PASS(declaration, .name = "step", .shader = "test/gather", .items = {1},
             .uses =
                 VKS_USES({"measured", VKS_READ, "a"}, {"zero", VKS_READ, "b"},
                          {"zero", VKS_READ, "c"}, {"zero", VKS_READ, "d"}, {"zero", VKS_READ, "e"},
                          {"zero", VKS_READ, "f"}, {"stepped", VKS_READ_WRITE, "total"}));
    ASSERT_FINE(vks_graph_create(&gpu, declaration, &graph));
    for (int time = 0; time < 2; time++) { /* the second is a restart */
        ASSERT_FINE(vks_graph_start(graph, 0, true));
        assert_int_equal(word_of(graph, "started"), 5); /* the state did not exist yet */
        ASSERT_FINE(vks_graph_fill(graph, false, NULL));
        assert_int_equal(word_of(graph, "filled"), 7);
        assert_int_equal(word_of(graph, "measured"), 0);
        ASSERT_FINE(vks_graph_ready(graph));
        ASSERT_FINE(vks_graph_run(graph, 3));
        assert_int_equal(word_of(graph, "measured"), 12);
        assert_int_equal(word_of(graph, "stepped"), 12 * (1 + 3 + 9));
    }
    /* A loaded state is measured, too. */
    ASSERT_FINE(vks_graph_start(graph, 9, true));
    ASSERT_FINE(vks_graph_fill(graph, true, NULL));
    ASSERT_FINE(vks_graph_upload(graph, "filled", &loaded));
    ASSERT_FINE(vks_graph_ready(graph));
    assert_int_equal(word_of(graph, "measured"), 105);
    vks_graph_destroy(graph);
    free_declaration(declaration);
}

/* --- timings ---------------------------------------------------------------------------------- */

static void test_timings(void **state)
{
    (void)state;
    enum { count = 1 << 18 };
    const uint32_t constants = count;
    struct vks_declaration *declaration = new_declaration();
    struct vks_graph *graph = NULL;
    struct vks_pass_timing timing;
    double busy;
    uint64_t steps;
    add_field(declaration, "x", VKS_U32, count, true);
    add_field(declaration, "y", VKS_U32, count, true);
    VKS_PASS(declaration, .name = "mix", .shader = "selftest/mix",
             .uses = VKS_USES({"x", VKS_READ, "own"}, {"y", VKS_READ, "other"},
                              {"x", VKS_WRITE_NEXT, "own"}),
             .constants = &constants, .constants_size = 4, .items = {count}, .bytes = 12.0 * count,
             .operations = 5.0 * count);
    ASSERT_FINE(vks_graph_create(&gpu, declaration, &graph));
    ASSERT_FINE(vks_graph_start(graph, 0, true));
    assert_true(vks_graph_timing(graph, 0, &timing));
    assert_int_equal(timing.samples, 0);
    assert_false(vks_graph_timing(graph, 1, &timing));
    ASSERT_FINE(vks_graph_run(graph, 200));
    ASSERT_FINE(vks_graph_wait(graph));
    assert_true(vks_graph_timing(graph, 0, &timing));
    assert_int_equal(timing.calls, 200);
    assert_true(timing.samples >= 3 && timing.samples <= 200); /* some, not all: they cost */
    assert_true(timing.mean > 0 && timing.p50 > 0 && timing.p95 >= timing.p50);
    assert_true(timing.bytes == 12.0 * count && timing.operations == 5.0 * count);
    vks_graph_busy(graph, &busy, &steps);
    assert_true(steps >= 3 && steps <= 200);
    assert_true(busy > 0 && busy < 100);
    /* Slow steps are all timed; once steps are fast again, one in 512 is. */
    graph->step_seconds = 1;
    for (int i = 0; i < 5000; i++) {
        (void)vks_choose_timed(graph, 1);
    }
    graph->step_seconds = 1e-7;
    uint32_t timed = 0;
    for (int i = 0; i < 513; i++) {
        timed += vks_choose_timed(graph, 1);
    }
    assert_in_range(timed, 1, 2);
    vks_graph_destroy(graph);
    free_declaration(declaration);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agreement),       cmocka_unit_test(test_undeclared_buffer),
        cmocka_unit_test(test_field_too_many),  cmocka_unit_test(test_wrong_access),
        cmocka_unit_test(test_inexact),         cmocka_unit_test(test_wrong_element),
        cmocka_unit_test(test_wrong_constants), cmocka_unit_test(test_wrong_specialization),
        cmocka_unit_test(test_wrong_group),     cmocka_unit_test(test_many_groups),
        cmocka_unit_test(test_no_such_shader),  cmocka_unit_test(test_failed_declaration),
        cmocka_unit_test(test_too_large),       cmocka_unit_test(test_transfer),
        cmocka_unit_test(test_every),           cmocka_unit_test(test_steps_over_32_bits),
        cmocka_unit_test(test_ping_pong),       cmocka_unit_test(test_many),
        cmocka_unit_test(test_builds),          cmocka_unit_test(test_divided),
        cmocka_unit_test(test_sliced),          cmocka_unit_test(test_combinations),
        cmocka_unit_test(test_batch_of_many),   cmocka_unit_test(test_grid),
        cmocka_unit_test(test_ready),           cmocka_unit_test(test_timings),
    };
    vks_bench_add_shaders();
    open_gpu(&(struct vks_gpu_params){.no_disk_cache = true});
    int failed = cmocka_run_group_tests_name("graph", tests, NULL, NULL);
    vks_gpu_close(&gpu);
    return failed;
}
