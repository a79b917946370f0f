/* SPDX-License-Identifier: MIT */
/* graph/agree.h: a declaration against the reflection of a made-up shader. What is right passes;
 * each fault has its own message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "graph/agree.h"
#include "graph/model.h"

enum { LOADS = VKS_READ, STORES = VKS_WRITE, ATOMICS = VKS_ATOMIC };

/* A block by its qualifier ('r' readonly, 'w' writeonly, 0 neither) and what is done with it. */
static struct vks_reflected_buffer block(const char *name, uint32_t binding, char qualifier,
                                         unsigned code)
{
    return (struct vks_reflected_buffer){.name = name,
                                         .binding = binding,
                                         .stride = 4,
                                         .read_only = qualifier == 'r',
                                         .write_only = qualifier == 'w',
                                         .loads = code & LOADS,
                                         .stores = code & STORES,
                                         .atomics = code & ATOMICS};
}

/* Fields "a" and "pairs", and one pass. */
static struct vks_declaration declare(const struct vks_pass *pass)
{
    struct vks_declaration declaration = {0};
    VKS_FIELD(&declaration, .name = "a", .element = VKS_U32, .rank = 1, .shape = {8},
              .ping_pong = true);
    VKS_FIELD(&declaration, .name = "pairs", .element = VKS_U32X2, .rank = 1, .shape = {8});
    vks_declare_pass(&declaration, pass);
    assert_int_equal(declaration.result, VKS_OK);
    return declaration;
}

/* The sentence about a pass and a shader, or NULL when all is well. */
static const char *verdict(const struct vks_pass *pass, const struct vks_shader *shader,
                           bool measures)
{
    static char text[512];
    struct vks_declaration declaration = declare(pass);
    declaration.measures = measures;
    enum vks_result result = vks_check_agreement(&declaration, &declaration.passes[0], shader);
    vks_declaration_free(&declaration);
    if (result == VKS_OK) {
        return NULL;
    }
    assert_int_equal(result, VKS_ERROR_INTERNAL);
    snprintf(text, sizeof(text), "%s", vks_error_text());
    return text;
}

/* The same for a pass that uses field "a" once and a shader with one buffer. */
static const char *verdict_on(unsigned access, struct vks_reflected_buffer buffer)
{
    const struct vks_shader shader = {
        .name = "s", .exact = true, .reflection = {.buffers = &buffer, .buffer_count = 1}};
    return verdict(
        &(struct vks_pass){
            .name = "p", .shader = "s", .uses = VKS_USES({"a", access}), .items = {8}},
        &shader, false);
}

static void assert_says(const char *text, const char *wanted)
{
    if (!text || strcmp(text, wanted) != 0) {
        fail_msg("'%s' instead of '%s'", text ? text : "nothing", wanted);
    }
}

/* All declarations, qualifiers and kinds of code: right are only those that say the same. */
static void test_accesses(void **state)
{
    (void)state;
    static const char qualifiers[] = {0, 'r', 'w'};
    unsigned right = 0;
    for (unsigned access = 1; access < 8; access++) {
        const char wanted = access == VKS_READ ? 'r' : access == VKS_WRITE ? 'w' : 0;
        for (unsigned code = 0; code < 8; code++) {
            for (size_t i = 0; i < sizeof(qualifiers); i++) {
                const char *text = verdict_on(access, block("a", 0, qualifiers[i], code));
                assert_true((text == NULL) == (code == access && qualifiers[i] == wanted));
                right += text == NULL;
            }
        }
    }
    assert_int_equal(right, 7);
    assert_null(verdict_on(VKS_WRITE_NEXT, block("a_next", 0, 'w', STORES)));
}

static void test_sentences(void **state)
{
    (void)state;
    assert_says(verdict_on(VKS_READ, block("a", 0, 0, LOADS)),
                "pass 'p' only reads 'a', but shader s has it writable");
    assert_says(verdict_on(VKS_READ_WRITE, block("a", 0, 'r', LOADS)),
                "pass 'p' writes 'a', but shader s has it readonly");
    assert_says(verdict_on(VKS_WRITE, block("a", 0, 0, STORES)),
                "pass 'p' only writes 'a', but shader s has it readable; it should be writeonly");
    assert_says(verdict_on(VKS_WRITE, block("a", 0, 0, LOADS | STORES)),
                "pass 'p' only writes 'a', but shader s has it readable; it should be writeonly");
    assert_says(verdict_on(VKS_READ_WRITE, block("a", 0, 'w', STORES)),
                "pass 'p' reads 'a', but shader s has it writeonly");
    /* Qualifiers that say one thing and code that does another. */
    assert_says(verdict_on(VKS_WRITE, block("a", 0, 'w', LOADS | STORES)),
                "pass 'p' does not declare that shader s reads 'a'");
    assert_says(verdict_on(VKS_READ, block("a", 0, 'r', LOADS | STORES)),
                "pass 'p' does not declare that shader s writes 'a'");
    assert_says(verdict_on(VKS_READ_WRITE, block("a", 0, 0, LOADS | STORES | ATOMICS)),
                "pass 'p' does not declare that shader s has atomic operations on 'a'");
    assert_says(verdict_on(VKS_ATOMIC, block("a", 0, 0, LOADS | ATOMICS)),
                "pass 'p' does not declare that shader s reads 'a'");
    /* More than the shader does. */
    assert_says(verdict_on(VKS_READ_WRITE, block("a", 0, 0, STORES)),
                "pass 'p' declares that shader s reads 'a', which it never does");
    assert_says(verdict_on(VKS_READ_WRITE, block("a", 0, 0, LOADS)),
                "pass 'p' declares that shader s writes 'a', which it never does");
    assert_says(
        verdict_on(VKS_ATOMIC, block("a", 0, 0, 0)),
        "pass 'p' declares that shader s has atomic operations on 'a', which it never does");
    /* Names and elements. */
    assert_says(verdict_on(VKS_READ, block("b", 0, 'r', LOADS)),
                "pass 'p' does not declare buffer 'b' of shader s");
    assert_says(verdict_on(VKS_WRITE_NEXT, block("a", 0, 'w', STORES)),
                "pass 'p' does not declare buffer 'a' of shader s");
    struct vks_reflected_buffer odd = block("a", 0, 'r', LOADS);
    odd.stride = 6;
    assert_says(verdict_on(VKS_READ, odd),
                "shader s has elements of 6 bytes in 'a', the field has 4");
    odd.stride = 16;
    assert_null(verdict_on(VKS_READ, odd));
    odd.stride = 0;
    assert_null(verdict_on(VKS_READ, odd));
}

/* A shader with a buffer for the field, the clock, and push constants. */
static const char *verdict_with_clock(char qualifier, unsigned code, uint32_t push_size,
                                      const struct vks_pass *pass)
{
    const struct vks_reflected_buffer buffers[] = {block("clock", 15, qualifier, code),
                                                   block("a", 0, 'r', LOADS)};
    const struct vks_shader shader = {
        .name = "s",
        .exact = true,
        .reflection = {.buffers = buffers, .buffer_count = 2, .push_size = push_size}};
    return verdict(pass, &shader, false);
}

static void test_clock_and_constants(void **state)
{
    (void)state;
    const uint32_t params[2] = {0};
    struct vks_pass pass = {
        .name = "p", .shader = "s", .uses = VKS_USES({"a", VKS_READ}), .items = {8}};
    assert_null(verdict_with_clock('r', LOADS, 0, &pass));
    assert_null(verdict_with_clock('r', LOADS, 4, &pass));
    assert_null(verdict_with_clock('r', 0, 4, &pass));
    assert_says(verdict_with_clock(0, LOADS | STORES, 4, &pass),
                "shader s has the clock writable; use VKS_CLOCK");
    assert_says(verdict_with_clock('r', LOADS, 12, &pass),
                "pass 'p' has 0 bytes of constants, shader s 8");
    pass.constants = params;
    pass.constants_size = sizeof(params);
    assert_null(verdict_with_clock('r', LOADS, 12, &pass));
    assert_says(verdict_with_clock('r', LOADS, 8, &pass),
                "pass 'p' has 8 bytes of constants, shader s 4");
    assert_null(verdict_with_clock('r', LOADS, 0, &pass)); /* it reads none */
    pass.uses = VKS_USES({"a", VKS_READ}, {"pairs", VKS_READ});
    assert_says(verdict_with_clock('r', LOADS, 12, &pass),
                "pass 'p' declares a field that shader s does not have");
}

/* Kernels to be measured are for declarations that measure. */
static void test_inexact(void **state)
{
    (void)state;
    const struct vks_reflected_buffer buffer = block("a", 0, 'r', LOADS);
    const struct vks_shader shader = {.name = "s",
                                      .reflection = {.buffers = &buffer, .buffer_count = 1}};
    const struct vks_pass pass = {
        .name = "p", .shader = "s", .uses = VKS_USES({"a", VKS_READ}), .items = {8}};
    assert_says(verdict(&pass, &shader, false),
                "pass 'p': shader s is a benchmark kernel; only exact shaders can be part of "
                "a simulation");
    assert_null(verdict(&pass, &shader, true));
}

static void declare_cheating(const struct vks_config *config, struct vks_declaration *declaration)
{
    (void)config;
    declaration->measures = true;
}

/* A model that sets `measures` is refused. */
static void test_cheating_model(void **state)
{
    (void)state;
    const struct vks_model cheating = {.name = "cheating", .declare = declare_cheating};
    const struct vks_config config = {.width = 8, .height = 8};
    struct vks_declaration declaration = {0};
    vks_declare_model(&cheating, &config, &declaration);
    assert_int_equal(declaration.result, VKS_ERROR_INTERNAL);
    assert_says(vks_error_text(), "cheating declares that it measures; a simulation may only use "
                                  "exact shaders");
    vks_declaration_free(&declaration);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accesses),
        cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_clock_and_constants),
        cmocka_unit_test(test_inexact),
        cmocka_unit_test(test_cheating_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
