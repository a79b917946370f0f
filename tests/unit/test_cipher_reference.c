/* SPDX-License-Identifier: MIT */
/* The C reference of the reversible mould: its key, the way back, and recorded digests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cipher_cases.h"

static struct cipher_state *begin(const struct cipher_case *row)
{
    struct cipher_state *state = cipher_begin(row->width, row->height, row->start, row->options);
    assert_non_null(state);
    return state;
}

/* Words that another implementation of docs/sims/cipher.md has computed. */
static void test_keys(void **unused)
{
    static const struct {
        const char *text;
        uint32_t words[4];
    } keys[] = {
        {"slime", {0x9a29e569U, 0x991f342cU, 0x81113ba3U, 0xd0650757U}},
        {"", {0x65d505eeU, 0x87898e53U, 0x8e800a8cU, 0x7279e6f8U}},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        uint32_t words[4];
        cipher_key(keys[i].text, words);
        assert_memory_equal(words, keys[i].words, sizeof(words));
    }
}

static int32_t level_of(int32_t trail)
{
    const int32_t level = (trail - (trail & 65535)) / 65536 + 128;
    return level < 0 ? 0 : level > 255 ? 255 : level;
}

/* The share of pixels with another grey level than at the first moment. */
static double share_wrong(const struct cipher_state *state, const int32_t *first)
{
    const size_t cells = (size_t)state->width * state->height;
    size_t wrong = 0;
    for (size_t cell = 0; cell < cells; cell++) {
        wrong += level_of(state->trail[cell]) != level_of(first[cell]);
    }
    return (double)wrong / (double)cells;
}

/* 200 steps and back restore every bit. */
static void test_back(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < cipher_case_count; i++) {
        const struct cipher_case *row = &cipher_cases[i];
        struct cipher_state *state = begin(row);
        char before[CIPHER_DIGEST_SIZE], after[CIPHER_DIGEST_SIZE];
        (void)cipher_digest(state, before);
        while (state->moment < 200) {
            cipher_forward(state);
        }
        while (state->moment > 0) {
            cipher_backward(state);
        }
        assert_string_equal(cipher_digest(state, after), before);
        cipher_free(state);
    }
}

/* With one bit of the key flipped, hardly a pixel. */
static void test_wrong_key(void **unused)
{
    (void)unused;
    const struct cipher_case *row = &cipher_cases[0];
    const size_t bytes = (size_t)row->width * row->height * sizeof(int32_t);
    int32_t *first = malloc(bytes);
    assert_non_null(first);
    for (uint32_t bit = 0; bit < 128; bit += 9) {
        struct cipher_state *state = begin(row);
        memcpy(first, state->trail, bytes);
        while (state->moment < 25) {
            cipher_forward(state);
        }
        state->key[bit / 32] ^= 1U << bit % 32;
        while (state->moment > 0) {
            cipher_backward(state);
        }
        assert_true(share_wrong(state, first) > 0.99);
        cipher_free(state);
    }
    free(first);
}

static void test_digests(void **unused)
{
    (void)unused;
    size_t wrong = 0;
    for (size_t i = 0; i < cipher_case_count; i++) {
        const struct cipher_case *row = &cipher_cases[i];
        struct cipher_state *state = begin(row);
        char digests[CIPHER_MOMENTS][CIPHER_DIGEST_SIZE];
        bool same = true;
        for (size_t m = 0; m < CIPHER_MOMENTS; m++) {
            while (state->moment < cipher_moments[m]) {
                cipher_forward(state);
            }
            (void)cipher_digest(state, digests[m]);
            same = same && strcmp(digests[m], row->digests[m]) == 0;
        }
        if (!same) {
            wrong++;
            print_error("CIPHER_CASE(\"%s\", %u, %u, \"%s\",\n            \"%s\",\n", row->name,
                        row->width, row->height, row->start, row->options);
            for (size_t m = 0; m < CIPHER_MOMENTS; m++) {
                print_error("            \"%s\"%s\n", digests[m],
                            m + 1 < CIPHER_MOMENTS ? "," : ")");
            }
        }
        cipher_free(state);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_back),
        cmocka_unit_test(test_wrong_key),
        cmocka_unit_test(test_digests),
    };
    return cmocka_run_group_tests_name("cipher_reference", tests, NULL, NULL);
}
