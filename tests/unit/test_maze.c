/* SPDX-License-Identifier: MIT */
/* The mazes of Physarum: one way leads from each room to each other. So all open cells are
 * connected, and all walls, because a wall apart from the others would have a way on both sides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/physarum/physarum.h"

struct cells {
    uint32_t width, height;
    uint8_t *walls;
};

static struct cells make(uint32_t width, uint32_t height, uint32_t passages, uint32_t seed)
{
    const uint32_t row = (width + 31) / 32;
    struct cells cells = {width, height, malloc((size_t)width * height)};
    uint32_t *words = calloc((size_t)row * height, sizeof(*words));
    assert_non_null(cells.walls);
    assert_non_null(words);
    assert_int_equal(vks_physarum_fill_maze(width, height, passages, seed, words), VKS_OK);
    for (uint32_t i = 0; i < width * height; i++) {
        cells.walls[i] = words[i / width * row + i % width / 32] >> (i % width % 32) & 1;
    }
    free(words);
    return cells;
}

static uint32_t count(const struct cells *cells, uint8_t kind)
{
    uint32_t result = 0;
    for (uint32_t i = 0; i < cells->width * cells->height; i++) {
        result += cells->walls[i] == kind;
    }
    return result;
}

/* The number of cells that are connected by sides with the first of their kind. */
static uint32_t reach(const struct cells *cells, uint8_t kind)
{
    const uint32_t size = cells->width * cells->height;
    uint32_t *list = malloc(size * sizeof(*list)), length = 1;
    uint8_t *seen = calloc(size, 1);
    assert_non_null(list);
    assert_non_null(seen);
    list[0] = (uint32_t)((const uint8_t *)memchr(cells->walls, kind, size) - cells->walls);
    seen[list[0]] = 1;
    for (uint32_t i = 0; i < length; i++) {
        const uint32_t x = list[i] % cells->width, y = list[i] / cells->width;
        const uint32_t near[] = {x > 0 ? list[i] - 1 : list[i],
                                 x + 1 < cells->width ? list[i] + 1 : list[i],
                                 y > 0 ? list[i] - cells->width : list[i],
                                 y + 1 < cells->height ? list[i] + cells->width : list[i]};
        for (int k = 0; k < 4; k++) {
            if (!seen[near[k]] && cells->walls[near[k]] == kind) {
                seen[near[k]] = 1;
                list[length++] = near[k];
            }
        }
    }
    free(seen);
    free(list);
    return length;
}

static void test_perfect(void **state)
{
    static const uint32_t cases[][3] = {{64, 64, 12}, {97, 61, 12}, {61, 130, 15},  {4, 4, 1},
                                        {4, 40, 1},   {200, 33, 8}, {512, 512, 128}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (uint32_t seed = 0; seed < 3; seed++) {
            const struct cells cells = make(cases[i][0], cases[i][1], cases[i][2], seed);
            assert_int_equal(reach(&cells, 0), count(&cells, 0));
            assert_int_equal(reach(&cells, 1), count(&cells, 1));
            for (uint32_t x = 0; x < cells.width; x++) {
                assert_int_equal(cells.walls[x], 1);
                assert_int_equal(cells.walls[cells.width * cells.height - 1 - x], 1);
            }
            free(cells.walls);
        }
    }
}

static void test_seeds(void **state)
{
    (void)state;
    const struct cells one = make(64, 64, 8, 1), same = make(64, 64, 8, 1),
                       other = make(64, 64, 8, 2);
    assert_memory_equal(one.walls, same.walls, 64 * 64);
    assert_int_not_equal(memcmp(one.walls, other.walls, 64 * 64), 0);
    free(one.walls);
    free(same.walls);
    free(other.walls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_perfect),
                                       cmocka_unit_test(test_seeds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
