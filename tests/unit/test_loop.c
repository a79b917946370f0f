/* SPDX-License-Identifier: MIT */
/* Loops of frames against their definition: frame i of a loop whose end of F frames fades is frame
 * F + i of the N that were taken, and one of the last F frames, k, is blended with frame
 * k - (N - F). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "frames/loop.h"

enum { SAMPLES = 3 };

static uint32_t sample_of(uint64_t frame, size_t i, bool deep)
{
    return (uint32_t)(frame * 37 + i * 101) % (deep ? 1024 : 256);
}

static void assert_frame(const void *ready, uint64_t index, uint64_t count, uint32_t fade,
                         bool deep)
{
    const uint64_t k = index + fade, whole = count - fade;
    assert_non_null(ready);
    for (size_t i = 0; i < SAMPLES; i++) {
        uint32_t wanted = sample_of(k, i, deep);
        if (k >= whole) {
            const double share = (double)(k - whole + 1) / (fade + 1);
            const double first = sample_of(k - whole, i, deep);
            wanted = (uint32_t)(wanted * (1 - share) + first * share + 0.5 + 1e-9);
        }
        assert_int_equal(deep ? ((const uint16_t *)ready)[i] : ((const uint8_t *)ready)[i], wanted);
    }
}

static void check(uint64_t count, uint32_t fade, bool deep)
{
    struct vks_loop *loop = vks_loop_create(SAMPLES, deep, fade);
    const uint32_t real = count < (uint64_t)2 * fade ? (uint32_t)(count / 2) : fade;
    uint64_t index = 0;
    const void *ready;
    assert_non_null(loop);
    for (uint64_t n = 0; n < count; n++) {
        uint8_t bytes[SAMPLES];
        uint16_t words[SAMPLES];
        for (size_t i = 0; i < SAMPLES; i++) {
            words[i] = (uint16_t)sample_of(n, i, deep);
            bytes[i] = (uint8_t)words[i];
        }
        assert_int_equal(
            vks_loop_add(loop, deep ? (const void *)words : (const void *)bytes, &ready), VKS_OK);
        if (ready) {
            assert_frame(ready, index++, count, real, deep);
        }
    }
    for (;;) {
        assert_int_equal(vks_loop_next(loop, &ready), VKS_OK);
        if (!ready) {
            break;
        }
        assert_frame(ready, index++, count, real, deep);
    }
    assert_int_equal(index, count - real);
    assert_int_equal(vks_loop_length(count, fade), index);
    vks_loop_destroy(loop);
}

static void test_all_lengths(void **state)
{
    (void)state;
    for (uint64_t count = 1; count <= 20; count++) {
        for (uint32_t fade = 1; fade <= 6; fade++) {
            check(count, fade, false);
            check(count, fade, true);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_lengths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
