/* SPDX-License-Identifier: MIT */
/* spirv/reflect.h: the reflection of real shaders, and that damaged ones do no harm. Modules
 * lie at the end of a page with no page behind it, so that reading past them is seen. Wrong shaders
 * are in test_spv_embed.py. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "../numbers.h"
#include "bench/kernel.h"
#include "gpu/internal.h"
#include "gpu/pipeline.h"
#include "ladder/ladder.h"
#include "spirv/reflect.h"

enum { FLIPS = 60000, MAX_CUTS = 512 };

/* Room for a module that ends where nothing is mapped. */
struct guarded {
    unsigned char *room;
    size_t size, page;
};

static struct guarded make_guarded(size_t size)
{
    struct guarded guarded = {.page = (size_t)sysconf(_SC_PAGESIZE)};
    guarded.size = (size + guarded.page - 1) / guarded.page * guarded.page;
    guarded.room = mmap(NULL, guarded.size + guarded.page, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(guarded.room != MAP_FAILED);
    assert_int_equal(mprotect(guarded.room + guarded.size, guarded.page, PROT_NONE), 0);
    return guarded;
}

static void free_guarded(struct guarded *guarded)
{
    assert_int_equal(munmap(guarded->room, guarded->size + guarded->page), 0);
}

/* The first `count` words, moved to the end of the room. */
static uint32_t *put(const struct guarded *guarded, const uint32_t *words, size_t count)
{
    uint32_t *copy = (uint32_t *)(guarded->room + guarded->size) - count;
    memcpy(copy, words, count * sizeof(*words));
    return copy;
}

static const struct vks_reflected_buffer *find_buffer(const struct vks_reflection *reflection,
                                                      const char *name)
{
    for (size_t i = 0; i < reflection->buffer_count; i++) {
        if (strcmp(reflection->buffers[i].name, name) == 0) {
            return &reflection->buffers[i];
        }
    }
    fail_msg("no buffer '%s'", name);
    return NULL;
}

static uint32_t find_constant(const struct vks_reflection *reflection, const char *name)
{
    for (size_t i = 0; i < reflection->constant_count; i++) {
        if (strcmp(reflection->constants[i].name, name) == 0) {
            return reflection->constants[i].id;
        }
    }
    fail_msg("no constant '%s'", name);
    return 0;
}

/* The table that the build made of a shader, which is what the tool says of its words now. */
static const struct vks_reflection *reflection_of_shader(const struct vks_shader *shader)
{
    char fault[VKS_SPV_FAULT_SIZE] = "";
    struct vks_spv_facts facts;
    assert_non_null(shader);
    if (!vks_spv_reflect(shader->words, shader->count, &facts, fault)) {
        fail_msg("%s: %s", shader->name, fault);
    }
    const struct vks_reflection *built = &shader->reflection, *now = &facts.reflection;
    assert_int_equal(built->push_size, now->push_size);
    assert_int_equal(built->shared_bytes, now->shared_bytes);
    assert_int_equal(built->buffer_count, now->buffer_count);
    for (size_t i = 0; i < now->buffer_count; i++) {
        const struct vks_reflected_buffer *a = &built->buffers[i], *b = &now->buffers[i];
        assert_string_equal(a->name, b->name);
        assert_int_equal(a->binding, b->binding);
        assert_int_equal(a->stride, b->stride);
        assert_true(a->read_only == b->read_only && a->write_only == b->write_only);
        assert_true(a->loads == b->loads && a->stores == b->stores && a->atomics == b->atomics);
        assert_true(a->chunked == b->chunked);
    }
    assert_int_equal(built->constant_count, now->constant_count);
    for (size_t i = 0; i < now->constant_count; i++) {
        assert_string_equal(built->constants[i].name, now->constants[i].name);
        assert_int_equal(built->constants[i].id, now->constants[i].id);
    }
    vks_spv_facts_free(&facts);
    return built;
}

static const struct vks_reflection *reflection_of(const char *name)
{
    return reflection_of_shader(vks_shader_find(name));
}

/* --- real shaders ----------------------------------------------------------------------------- */

extern const struct vks_shader vks_bench_shaders[];
extern const size_t vks_bench_shader_count;
#if VKS_HAVE_LADDER
extern const struct vks_shader vks_ladder_shaders[];
extern const size_t vks_ladder_shader_count;
#endif

/* The shaders of a table follow the rules that the graph relies on. */
static void check_table(const struct vks_shader *shaders, size_t shader_count, bool exact)
{
    assert_true(shader_count > 8);
    for (size_t i = 0; i < shader_count; i++) {
        const struct vks_reflection *reflection = reflection_of(shaders[i].name);
        assert_true(shaders[i].exact == exact);
        assert_true(reflection->buffer_count >= 1);
        assert_true(reflection->buffer_count <= VKS_FLOOR_BUFFERS);
        assert_true(reflection->push_size <= VKS_FLOOR_PUSH);
        assert_true(reflection->shared_bytes <= VKS_FLOOR_SHARED);
        for (size_t a = 0; a < reflection->buffer_count; a++) {
            const struct vks_reflected_buffer *buffer = &reflection->buffers[a];
            assert_true(buffer->name[0] != '\0');
            assert_false(buffer->read_only && buffer->write_only);
            assert_false(buffer->read_only && (buffer->stores || buffer->atomics));
            assert_false(buffer->write_only && (buffer->loads || buffer->atomics));
            assert_true(buffer->loads || buffer->stores || buffer->atomics);
            for (size_t b = 0; b < a; b++) {
                assert_int_not_equal(buffer->binding, reflection->buffers[b].binding);
                assert_string_not_equal(buffer->name, reflection->buffers[b].name);
            }
        }
        for (size_t a = 0; a < reflection->constant_count; a++) {
            assert_true(reflection->constants[a].name[0] != '\0');
            assert_true(reflection->constants[a].id < VKS_GROUP_SIZE_ID);
            for (size_t b = 0; b < a; b++) {
                assert_int_not_equal(reflection->constants[a].id, reflection->constants[b].id);
                assert_string_not_equal(reflection->constants[a].name,
                                        reflection->constants[b].name);
            }
        }
    }
}

static void test_every_shader(void **state)
{
    (void)state;
    check_table(vks_shaders, vks_shader_count, true);
    check_table(vks_bench_shaders, vks_bench_shader_count, false);
#if VKS_HAVE_LADDER
    check_table(vks_ladder_shaders, vks_ladder_shader_count, false);
#endif
    assert_null(vks_shader_find("physarum/nothing"));
    assert_null(vks_shader_find(""));
}

static void test_reduce(void **state)
{
    (void)state;
    const struct vks_reflection *reflection = reflection_of("core/reduce");
    assert_int_equal(reflection->buffer_count, 2);
    const struct vks_reflected_buffer *items = find_buffer(reflection, "items");
    const struct vks_reflected_buffer *partials = find_buffer(reflection, "partials");
    assert_int_equal(items->binding, 0);
    assert_int_equal(items->stride, 4);
    assert_true(items->read_only);
    assert_false(items->write_only);
    assert_true(items->loads);
    assert_int_equal(partials->binding, 1);
    assert_false(partials->read_only);
    assert_true(partials->write_only);
    assert_true(partials->stores);
    assert_int_equal(reflection->push_size, 12);
    assert_int_equal(reflection->shared_bytes, 256 * 8);
    assert_int_equal(find_constant(reflection, "pairs"), 2);
    assert_int_equal(find_constant(reflection, "half_cells"), 8);
}

/* The variants for fields in chunks. */
static void test_wide(void **state)
{
    (void)state;
    size_t wide = 0;
    for (size_t i = 0; i < vks_shader_count; i++) {
        const struct vks_shader *shader = &vks_shaders[i];
        if (shader->wide) {
            wide++;
            assert_true(shader->exact && shader->wide->exact);
            assert_string_equal(shader->wide->name, shader->name);
            assert_null(shader->wide->wide);
            assert_int_equal(find_constant(reflection_of_shader(shader->wide), VKS_CHUNK_BITS),
                             252);
        }
        for (size_t k = 0; k < shader->reflection.buffer_count; k++) {
            assert_false(shader->reflection.buffers[k].chunked);
        }
    }
    assert_true(wide >= 16);
    const struct vks_reflection *agents =
        reflection_of_shader(vks_shader_find("physarum/agents")->wide);
    const struct vks_reflected_buffer *trail = find_buffer(agents, "trail");
    const struct vks_reflected_buffer *position = find_buffer(agents, "position");
    const struct vks_reflected_buffer *deposits = find_buffer(agents, "deposits");
    assert_true(trail->chunked && trail->loads && !trail->stores && !trail->atomics);
    assert_true(position->chunked && position->loads && position->stores && !position->atomics);
    assert_true(deposits->chunked && !deposits->loads && !deposits->stores && deposits->atomics);
    assert_int_equal(deposits->stride, 8);
    assert_false(find_buffer(agents, "clock")->chunked);
    const struct vks_reflection *reduce =
        reflection_of_shader(vks_shader_find("core/reduce")->wide);
    assert_true(find_buffer(reduce, "items")->chunked);
    assert_false(find_buffer(reduce, "partials")->chunked);
}

static void test_advance_and_copy(void **state)
{
    (void)state;
    const struct vks_reflection *reflection = reflection_of("core/advance");
    assert_int_equal(reflection->buffer_count, 1);
    assert_int_equal(find_buffer(reflection, "clock")->stride, 0); /* no array in it */
    assert_false(reflection->buffers[0].read_only);
    assert_false(reflection->buffers[0].write_only);
    assert_true(reflection->buffers[0].loads);
    assert_true(reflection->buffers[0].stores);
    assert_false(reflection->buffers[0].atomics);
    assert_int_equal(reflection->push_size, 8);
    assert_int_equal(reflection->shared_bytes, 0);
    reflection = reflection_of("bench/copy");
    assert_int_equal(find_buffer(reflection, "source")->stride, 16);
    assert_true(find_buffer(reflection, "result")->write_only);
}

static void test_agents(void **state)
{
    (void)state;
    const struct vks_reflection *reflection = reflection_of("physarum/agents");
    assert_int_equal(find_buffer(reflection, "position")->stride, 8);
    assert_true(find_buffer(reflection, "position")->loads);
    assert_true(find_buffer(reflection, "position")->stores);
    assert_int_equal(find_buffer(reflection, "heading")->stride, 4);
    assert_true(find_buffer(reflection, "trail")->read_only);
    const struct vks_reflected_buffer *deposits = find_buffer(reflection, "deposits");
    assert_false(deposits->read_only);
    assert_true(deposits->atomics);
    assert_false(deposits->loads || deposits->stores);
    assert_true(find_buffer(reflection, "clock")->read_only);
    (void)find_constant(reflection, "sampling");
    (void)find_constant(reflection, "steering");
    (void)find_constant(reflection, "jittered");
}

/* Several blocks of one binding are one buffer; the length of shared arrays is computed. */
static void test_views(void **state)
{
    (void)state;
    const struct vks_reflection *reflection = reflection_of("gray_scott/step4");
    assert_int_equal(find_buffer(reflection, "u")->stride, 4); /* of 16, 8 and 4 */
    assert_int_equal(find_buffer(reflection, "u_next")->stride, 8);
    assert_int_equal(find_buffer(reflection, "feed_rate")->stride, 16);
    assert_true(find_buffer(reflection, "u_next")->write_only);
    /* kept * lanes of 8 bytes, twice; kept is 4 * strips, for `shuffled` is true as it stands. */
    assert_int_equal(reflection_of("gray_scott/tile")->shared_bytes, 4 * 8 * 32 * 8 * 2);
}

/* Replaces the opcodes of all instructions of a kind in bench/copy, and reflects the result. */
static bool reflect_with(uint32_t from, uint32_t to, struct vks_spv_facts *facts,
                         char fault[VKS_SPV_FAULT_SIZE])
{
    const struct vks_shader *shader = vks_shader_find("bench/copy");
    uint32_t *words = malloc(shader->count * sizeof(*words));
    assert_non_null(words);
    memcpy(words, shader->words, shader->count * sizeof(*words));
    for (size_t at = 5; at < shader->count; at += shader->words[at] >> 16) {
        if ((words[at] & 0xffff) == from) {
            words[at] = (words[at] & 0xffff0000) | to;
        }
    }
    const bool good = vks_spv_reflect(words, shader->count, facts, fault);
    free(words);
    return good;
}

/* Loads and stores of cooperative matrices, which the compiler may not know, have their pointers
 * where other loads and stores have them. Unknown instructions must not take any. */
static void test_cooperative_matrices(void **state)
{
    (void)state;
    enum { LOAD = 61, STORE = 62, UNKNOWN = 5999 };
    static const uint32_t loads[] = {LOAD, 4457, 5367}, stores[] = {STORE, 4458, 5368};
    char fault[VKS_SPV_FAULT_SIZE] = "";
    struct vks_spv_facts facts;
    for (size_t i = 0; i < 3; i++) {
        assert_true(reflect_with(LOAD, loads[i], &facts, fault));
        assert_true(find_buffer(&facts.reflection, "source")->loads);
        assert_false(find_buffer(&facts.reflection, "source")->stores);
        vks_spv_facts_free(&facts);
        assert_true(reflect_with(STORE, stores[i], &facts, fault));
        assert_true(find_buffer(&facts.reflection, "result")->stores);
        assert_false(find_buffer(&facts.reflection, "result")->loads);
        vks_spv_facts_free(&facts);
    }
    assert_false(reflect_with(LOAD, UNKNOWN, &facts, fault));
    assert_non_null(strstr(fault, "takes a pointer into a buffer"));
    vks_spv_facts_free(&facts);
}

/* --- damaged ones ----------------------------------------------------------------------------- */

/* Any outcome is fine that is a success or a sentence; names end. */
static bool try_module(const uint32_t *words, size_t count)
{
    struct vks_spv_facts facts;
    char fault[VKS_SPV_FAULT_SIZE];
    memset(fault, 'x', sizeof(fault));
    const bool good = vks_spv_reflect(words, count, &facts, fault);
    const struct vks_reflection *reflection = &facts.reflection;
    if (!good) {
        assert_non_null(memchr(fault, '\0', sizeof(fault)));
        assert_true(strncmp(fault, "it", 2) == 0);
    }
    for (size_t i = 0; good && i < reflection->buffer_count; i++) {
        assert_true(strlen(reflection->buffers[i].name) <= count * 4);
    }
    for (size_t i = 0; good && i < reflection->constant_count; i++) {
        assert_true(strlen(reflection->constants[i].name) <= count * 4);
    }
    vks_spv_facts_free(&facts);
    return good;
}

static void test_no_module(void **state)
{
    (void)state;
    static const uint32_t zeros[8] = {0};
    assert_false(try_module(NULL, 0));
    assert_false(try_module(zeros, 8));
    static const uint32_t only_header[] = {0x07230203, 0x10600, 0, 8, 0};
    assert_false(try_module(only_header, 5)); /* no entry point */
    assert_false(try_module(only_header, 4));
    static const uint32_t many_ids[] = {0x07230203, 0x10600, 0, UINT32_MAX, 0};
    assert_false(try_module(many_ids, 5));
}

static void test_cut_anywhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < vks_shader_count; i++) {
        const struct vks_shader *shader =
            vks_shaders[i].wide ? vks_shaders[i].wide : &vks_shaders[i];
        struct guarded guarded = make_guarded(shader->count * 4);
        assert_true(try_module(put(&guarded, shader->words, shader->count), shader->count));
        const size_t stride = 1 + shader->count / MAX_CUTS;
        size_t refused = 0, cuts = 0;
        for (size_t count = 0; count < shader->count; count += stride, cuts++) {
            refused += !try_module(put(&guarded, shader->words, count), count);
        }
        /* Most cuts go through an instruction; those between two of them may pass. */
        assert_true(refused > cuts / 2);
        free_guarded(&guarded);
    }
}

static void test_changed_anywhere(void **state)
{
    (void)state;
    uint64_t random = 1;
    size_t refused = 0;
    for (size_t i = 0; i < vks_shader_count; i++) {
        const struct vks_shader *shader =
            vks_shaders[i].wide ? vks_shaders[i].wide : &vks_shaders[i];
        struct guarded guarded = make_guarded(shader->count * 4);
        for (int round = 0; round < FLIPS / (int)vks_shader_count; round++) {
            uint32_t *words = put(&guarded, shader->words, shader->count);
            for (uint64_t changes = 1 + next_word(&random) % 4; changes > 0; changes--) {
                size_t at = next_word(&random) % shader->count;
                switch (next_word(&random) % 4) {
                case 0:
                case 1:
                    words[at] ^= UINT32_C(1) << next_word(&random) % 32;
                    break;
                case 2: /* another id or length */
                    words[at] = (uint32_t)(next_word(&random) % 64);
                    break;
                default:
                    words[at] = (uint32_t)next_word(&random);
                    break;
                }
            }
            refused += !try_module(words, shader->count);
        }
        free_guarded(&guarded);
    }
    assert_true(refused > FLIPS / 10);
}

/* A type or constant whose instruction is as short as it can be, at the very end. */
static void test_short_instructions(void **state)
{
    (void)state;
    assert_non_null(vks_shader_find("core/reduce"));
    const struct vks_shader *shader = vks_shader_find("core/reduce")->wide;
    assert_non_null(shader);
    struct guarded guarded = make_guarded((shader->count + 8) * 4);
    uint32_t *words = calloc(shader->count + 8, sizeof(*words));
    assert_non_null(words);
    static const uint32_t opcodes[] = {
        5,  12, 15, 16, 17, 20, 21, 22, 23, 24, 28, 29, 30, 32,  43,  48,  49,  50,  52,  54,  56,
        57, 59, 61, 62, 63, 64, 65, 66, 67, 70, 71, 72, 83, 120, 124, 227, 228, 234, 331, 4457};
    memcpy(words, shader->words, shader->count * 4);
    for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++) {
        for (uint32_t length = 1; length <= 5; length++) {
            for (uint32_t id = 1; id < words[3]; id++) {
                words[shader->count] = length << 16 | opcodes[i];
                for (uint32_t k = 1; k < length; k++) {
                    words[shader->count + k] = id;
                }
                size_t count = shader->count + length;
                (void)try_module(put(&guarded, words, count), count);
            }
        }
    }
    free(words);
    free_guarded(&guarded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_shader),
        cmocka_unit_test(test_reduce),
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_advance_and_copy),
        cmocka_unit_test(test_agents),
        cmocka_unit_test(test_views),
        cmocka_unit_test(test_cooperative_matrices),
        cmocka_unit_test(test_no_module),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_changed_anywhere),
        cmocka_unit_test(test_short_instructions),
    };
    vks_bench_add_shaders();
#if VKS_HAVE_LADDER
    vks_ladder_add_shaders();
#endif
    return cmocka_run_group_tests(tests, NULL, NULL);
}
