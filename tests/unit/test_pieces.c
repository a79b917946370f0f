/* SPDX-License-Identifier: MIT */
/* graph/chunks.c without a device: how large chunks are, and where a field's bytes are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "graph/internal.h"

static void test_chunk_bits(void **state)
{
    (void)state;
    assert_int_equal(vks_chunk_bits(16), 4);
    assert_int_equal(vks_chunk_bits(31), 4);
    assert_int_equal(vks_chunk_bits(32), 5);
    assert_int_equal(vks_chunk_bits(UINT64_C(1) << 27), 27); /* lavapipe's range */
    assert_int_equal(vks_chunk_bits((UINT64_C(1) << 27) - 1), 26);
    assert_int_equal(vks_chunk_bits((UINT64_C(1) << 30) - 1), 29);
    assert_int_equal(vks_chunk_bits(UINT64_C(1) << 30), 30);
    assert_int_equal(vks_chunk_bits(UINT32_MAX), 30); /* an H200's */
    assert_int_equal(vks_chunk_bits(UINT64_MAX), 30);
}

/* Fake buffers, told apart by their handles. */
static struct vks_buffer buffer_of(uintptr_t number, uint64_t size)
{
    return (struct vks_buffer){.buffer = (VkBuffer)number, .size = size};
}

static void assert_piece(const struct vks_pieces *pieces, uint64_t at, uintptr_t buffer,
                         uint64_t offset, uint64_t size)
{
    const struct vks_piece piece = vks_piece_at(pieces, at);
    assert_true(piece.buffer == (VkBuffer)buffer);
    assert_int_equal(piece.offset, offset);
    assert_int_equal(piece.size, size);
}

static void test_one_piece(void **state)
{
    (void)state;
    const struct vks_buffer buffer = buffer_of(7, 1000);
    const struct vks_pieces pieces = {&buffer, 1};
    assert_piece(&pieces, 0, 7, 0, 1000);
    assert_piece(&pieces, 1, 7, 1, 999);
    assert_piece(&pieces, 999, 7, 999, 1);
}

static void test_several_pieces(void **state)
{
    (void)state;
    const struct vks_buffer buffers[] = {buffer_of(1, 64), buffer_of(2, 64), buffer_of(3, 5)};
    const struct vks_pieces pieces = {buffers, 3};
    assert_piece(&pieces, 0, 1, 0, 64);
    assert_piece(&pieces, 63, 1, 63, 1);
    assert_piece(&pieces, 64, 2, 0, 64);
    assert_piece(&pieces, 127, 2, 63, 1);
    assert_piece(&pieces, 128, 3, 0, 5);
    assert_piece(&pieces, 132, 3, 4, 1);
}

/* Past what 32 bits count. */
static void test_large_pieces(void **state)
{
    (void)state;
    const uint64_t whole = UINT64_C(1) << 30;
    struct vks_buffer buffers[12];
    for (size_t i = 0; i < 12; i++) {
        buffers[i] = buffer_of(i + 1, i < 11 ? whole : 12);
    }
    const struct vks_pieces pieces = {buffers, 12};
    assert_piece(&pieces, 4 * whole - 1, 4, whole - 1, 1);
    assert_piece(&pieces, 4 * whole, 5, 0, whole);
    assert_piece(&pieces, 7 * whole + 123, 8, 123, whole - 123);
    assert_piece(&pieces, 11 * whole + 11, 12, 11, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chunk_bits),
        cmocka_unit_test(test_one_piece),
        cmocka_unit_test(test_several_pieces),
        cmocka_unit_test(test_large_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
