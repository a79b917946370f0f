/* SPDX-License-Identifier: MIT */
/* gpu/barrier.h: where barriers are needed, what they say, and that there are no more of them than
 * needed; a brute-force check of random command lists has the last word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../numbers.h"
#include "gpu/barrier.h"

static const VkPipelineStageFlags2 compute = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
static const VkPipelineStageFlags2 transfer = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
static const VkAccessFlags2 shader_read = VK_ACCESS_2_SHADER_STORAGE_READ_BIT;
static const VkAccessFlags2 shader_write = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
static const VkAccessFlags2 transfer_read = VK_ACCESS_2_TRANSFER_READ_BIT;
static const VkAccessFlags2 transfer_write = VK_ACCESS_2_TRANSFER_WRITE_BIT;

enum { LISTED = 72 }; /* resources */

/* Nothing is pending. */
static struct vks_sync new_sync(void)
{
    struct vks_sync sync;
    assert_int_equal(vks_sync_create(&sync, LISTED), VKS_OK);
    return sync;
}

static struct vks_barrier one(struct vks_sync *sync, uint32_t resource, VkPipelineStageFlags2 stage,
                              VkAccessFlags2 access)
{
    return vks_sync_next(sync, &(struct vks_resource_use){resource, stage, access}, 1);
}

static struct vks_barrier reads(struct vks_sync *sync, uint32_t resource)
{
    return one(sync, resource, compute, shader_read);
}

static struct vks_barrier writes(struct vks_sync *sync, uint32_t resource)
{
    return one(sync, resource, compute, shader_write);
}

/* A pass that reads `from` and writes `to`; true if a barrier stands before it. */
static bool pass(struct vks_sync *sync, uint32_t from, uint32_t to)
{
    const struct vks_resource_use uses[] = {{from, compute, shader_read},
                                            {to, compute, shader_write}};
    return vks_sync_next(sync, uses, 2).needed;
}

static void assert_none(struct vks_barrier barrier)
{
    assert_false(barrier.needed);
    assert_true(barrier.src_stage == 0 && barrier.dst_stage == 0 && barrier.src_access == 0 &&
                barrier.dst_access == 0);
}

static void test_nothing_pending(void **state)
{
    (void)state;
    struct vks_sync sync = new_sync();
    assert_none(reads(&sync, 0));
    assert_none(reads(&sync, 0));
    assert_none(writes(&sync, 1));
    assert_none(vks_sync_next(&sync, NULL, 0));
    vks_sync_free(&sync);
}

static void test_read_after_write(void **state)
{
    (void)state;
    struct vks_sync sync = new_sync();
    writes(&sync, 3);
    struct vks_barrier barrier = reads(&sync, 3);
    assert_true(barrier.needed);
    assert_true(barrier.src_stage & compute);
    assert_true(barrier.src_access & shader_write);
    assert_true(barrier.dst_stage & compute);
    assert_true(barrier.dst_access & shader_read);
    assert_none(reads(&sync, 3)); /* seen already */
    vks_sync_free(&sync);
}

static void test_write_after_read(void **state)
{
    (void)state;
    struct vks_sync sync = new_sync();
    reads(&sync, 3);
    struct vks_barrier barrier = writes(&sync, 3);
    assert_true(barrier.needed);
    assert_true(barrier.src_stage & compute);
    assert_true(barrier.dst_stage & compute);
    vks_sync_free(&sync);
}

static void test_write_after_write(void **state)
{
    (void)state;
    struct vks_sync sync = new_sync();
    writes(&sync, 3);
    struct vks_barrier barrier = writes(&sync, 3);
    assert_true(barrier.needed);
    assert_true(barrier.src_access & shader_write);
    assert_true(barrier.dst_access & shader_write);
    assert_true(writes(&sync, 3).needed); /* the second write is as pending as the first */
    vks_sync_free(&sync);
}

static void test_read_and_write_at_once(void **state)
{
    (void)state;
    struct vks_sync sync = new_sync();
    const VkAccessFlags2 both = shader_read | shader_write;
    assert_none(one(&sync, 5, compute, both));
    for (int i = 0; i < 3; i++) {
        struct vks_barrier barrier = one(&sync, 5, compute, both);
        assert_true(barrier.needed);
        assert_true((barrier.dst_access & both) == both);
        assert_true(barrier.src_access & shader_write);
    }
    vks_sync_free(&sync);
}

static void test_same_resource_twice_in_a_command(void **state)
{
    (void)state;
    struct vks_sync sync = new_sync();
    const struct vks_resource_use uses[] = {{0, compute, shader_write}, {0, compute, shader_read}};
    assert_none(vks_sync_next(&sync, uses, 2));
    assert_true(reads(&sync, 0).needed); /* the write is pending */

    vks_sync_free(&sync);
    sync = new_sync();
    const struct vks_resource_use reversed[] = {uses[1], uses[0]};
    assert_none(vks_sync_next(&sync, reversed, 2));
    assert_true(writes(&sync, 0).needed);

    /* Only the read of the pair needs a barrier: it must still come. */
    vks_sync_free(&sync);
    sync = new_sync();
    writes(&sync, 1);
    const struct vks_resource_use mixed[] = {{0, compute, shader_write}, {1, compute, shader_read}};
    assert_true(vks_sync_next(&sync, mixed, 2).needed);
    vks_sync_free(&sync);
}

static void test_transfers(void **state)
{
    (void)state;
    struct vks_sync sync = new_sync();
    one(&sync, 0, transfer, transfer_write);
    struct vks_barrier barrier = reads(&sync, 0);
    assert_true(barrier.needed);
    assert_true(barrier.src_stage & transfer);
    assert_true(barrier.src_access & transfer_write);
    assert_true(barrier.dst_stage & compute);

    /* Visible to shaders is not visible to transfers. */
    barrier = one(&sync, 0, transfer, transfer_read);
    assert_true(barrier.needed);
    assert_true(barrier.dst_stage & transfer);
    assert_true(barrier.dst_access & transfer_read);
    assert_none(one(&sync, 0, transfer, transfer_read));

    /* Both readers are waited for. */
    barrier = writes(&sync, 0);
    assert_true(barrier.needed);
    assert_true((barrier.src_stage & (compute | transfer)) == (compute | transfer));
    vks_sync_free(&sync);
}

/* A barrier for one resource orders all that is pending: the next ones are free. */
static void test_barrier_orders_everything(void **state)
{
    (void)state;
    struct vks_sync sync = new_sync();
    writes(&sync, 0);
    writes(&sync, 1);
    reads(&sync, 2);
    struct vks_barrier barrier = reads(&sync, 0);
    assert_true(barrier.needed);
    assert_none(reads(&sync, 1));
    /* Ordered after the read of 2, for compute. */
    assert_none(writes(&sync, 2));
    /* But what came after the barrier is not. */
    assert_true(writes(&sync, 1).needed);
    vks_sync_free(&sync);
}

static void test_chain_and_ping_pong(void **state)
{
    (void)state;
    struct vks_sync sync = new_sync();
    /* 0 -> 1 -> 2 -> 3: a barrier before each but the first. */
    assert_false(pass(&sync, 0, 1));
    assert_true(pass(&sync, 1, 2));
    assert_true(pass(&sync, 2, 3));

    /* Ping-pong between two buffers: one barrier per step, for both hazards. */
    vks_sync_free(&sync);
    sync = new_sync();
    unsigned barriers = 0;
    for (uint32_t step = 0; step < 10; step++) {
        barriers += pass(&sync, step & 1, ~step & 1);
    }
    assert_int_equal(barriers, 9);
    vks_sync_free(&sync);
}

static void test_diamond(void **state)
{
    (void)state;
    struct vks_sync sync = new_sync();
    writes(&sync, 0);
    assert_true(pass(&sync, 0, 1));
    assert_false(pass(&sync, 0, 2)); /* next to the one before */
    const struct vks_resource_use join[] = {
        {1, compute, shader_read}, {2, compute, shader_read}, {3, compute, shader_write}};
    assert_true(vks_sync_next(&sync, join, 3).needed);
    assert_true(writes(&sync, 1).needed);  /* read by the join */
    assert_false(writes(&sync, 0).needed); /* its readers lie before that barrier */
    vks_sync_free(&sync);
}

static void test_unknown_start(void **state)
{
    (void)state;
    struct vks_sync sync = new_sync();
    vks_sync_unknown(&sync);
    struct vks_barrier barrier = reads(&sync, 7);
    assert_true(barrier.needed);
    assert_true((barrier.src_stage & (compute | transfer)) == (compute | transfer));
    assert_true((barrier.src_access & (shader_write | transfer_write)) ==
                (shader_write | transfer_write));
    /* The first barrier was for all of them. */
    assert_none(reads(&sync, 8));

    vks_sync_unknown(&sync);
    assert_true(writes(&sync, LISTED - 1).needed);
    assert_none(writes(&sync, 0));
    vks_sync_free(&sync);
}

/* --- against brute force ---------------------------------------------------------------------- */

enum { COMMANDS = 24, RESOURCES = 4, USES = 3, ROUNDS = 20000 };

struct command {
    struct vks_resource_use uses[USES];
    size_t count;
    struct vks_barrier barrier; /* before it */
};

/* Is there a barrier after `from`, up to `to`, with both in its scopes? */
static bool ordered_by_one(const struct command *commands, size_t from, VkPipelineStageFlags2 stage,
                           VkAccessFlags2 flushed, size_t to, VkPipelineStageFlags2 to_stage,
                           VkAccessFlags2 seen)
{
    for (size_t i = from + 1; i <= to; i++) {
        const struct vks_barrier *barrier = &commands[i].barrier;
        if (barrier->needed && (barrier->src_stage & stage) == stage &&
            (barrier->src_access & flushed) == flushed &&
            (barrier->dst_stage & to_stage) == to_stage && (barrier->dst_access & seen) == seen) {
            return true;
        }
    }
    return false;
}

/* The same; each kind of access may be let through by a barrier of its own. */
static bool ordered(const struct command *commands, size_t from, VkPipelineStageFlags2 stage,
                    VkAccessFlags2 flushed, size_t to, VkPipelineStageFlags2 to_stage,
                    VkAccessFlags2 seen)
{
    bool good = seen != 0 || ordered_by_one(commands, from, stage, flushed, to, to_stage, 0);
    for (VkAccessFlags2 bit = 1; good && bit && bit <= seen; bit <<= 1) {
        good = !(seen & bit) || ordered_by_one(commands, from, stage, flushed, to, to_stage, bit);
    }
    return good;
}

static bool is_write(VkAccessFlags2 access)
{
    return (access & (shader_write | transfer_write)) != 0;
}

/* True if every hazard of the list is covered by a barrier between. */
static bool covered(const struct command *commands, size_t count)
{
    for (size_t to = 0; to < count; to++) {
        for (size_t u = 0; u < commands[to].count; u++) {
            const struct vks_resource_use *use = &commands[to].uses[u];
            for (size_t from = to; from-- > 0;) {
                bool written = false;
                for (size_t e = 0; e < commands[from].count; e++) {
                    const struct vks_resource_use *earlier = &commands[from].uses[e];
                    if (earlier->resource != use->resource) {
                        continue;
                    }
                    written = written || is_write(earlier->access);
                    VkAccessFlags2 flushed = is_write(earlier->access)
                                                 ? earlier->access & (shader_write | transfer_write)
                                                 : 0;
                    VkAccessFlags2 seen = flushed ? use->access : 0;
                    if ((is_write(earlier->access) || is_write(use->access)) &&
                        !ordered(commands, from, earlier->stage, flushed, to, use->stage, seen)) {
                        return false;
                    }
                }
                if (written) {
                    break; /* what lies before that write is ordered by it */
                }
            }
        }
    }
    return true;
}

static void test_random_lists(void **state)
{
    (void)state;
    uint64_t random = 1;
    unsigned barriers = 0, needless = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct command commands[COMMANDS] = {0};
        struct vks_sync sync = new_sync();
        /* Half of the lists have only shaders: there the fewest barriers are checked too. */
        bool shaders_only = round % 2 == 0;
        for (size_t i = 0; i < COMMANDS; i++) {
            struct command *command = &commands[i];
            command->count = 1 + next_word(&random) % USES;
            bool copies = !shaders_only && next_word(&random) % 3 == 0;
            for (size_t u = 0; u < command->count; u++) {
                const VkAccessFlags2 read = copies ? transfer_read : shader_read;
                const VkAccessFlags2 write = copies ? transfer_write : shader_write;
                const VkAccessFlags2 kinds[] = {read, read, write, read | write};
                command->uses[u] = (struct vks_resource_use){
                    (uint32_t)(next_word(&random) % RESOURCES), copies ? transfer : compute,
                    kinds[next_word(&random) % 4]};
            }
            command->barrier = vks_sync_next(&sync, command->uses, command->count);
        }
        vks_sync_free(&sync);
        assert_true(covered(commands, COMMANDS));
        for (size_t i = 0; i < COMMANDS && shaders_only; i++) {
            if (commands[i].barrier.needed) {
                barriers++;
                commands[i].barrier.needed = false;
                needless += covered(commands, COMMANDS);
                commands[i].barrier.needed = true;
            }
        }
    }
    assert_true(barriers > ROUNDS);
    assert_int_equal(needless, 0); /* taking any one away leaves a hazard */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_pending),
        cmocka_unit_test(test_read_after_write),
        cmocka_unit_test(test_write_after_read),
        cmocka_unit_test(test_write_after_write),
        cmocka_unit_test(test_read_and_write_at_once),
        cmocka_unit_test(test_same_resource_twice_in_a_command),
        cmocka_unit_test(test_transfers),
        cmocka_unit_test(test_barrier_orders_everything),
        cmocka_unit_test(test_chain_and_ping_pong),
        cmocka_unit_test(test_diamond),
        cmocka_unit_test(test_unknown_start),
        cmocka_unit_test(test_random_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
