/* SPDX-License-Identifier: MIT */
/* The C reference of Physarum in a volume: against what must hold whatever the options, and against
 * recorded digests. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "physarum_3d_cases.h"

static struct physarum_3d_state *begin(const struct physarum_3d_case *row)
{
    struct physarum_3d_settings settings;
    assert_true(physarum_3d_parse(row->options, &settings));
    struct physarum_3d_state *state =
        physarum_3d_create(row->width, row->height, row->depth, PHYSARUM_3D_SEED, &settings);
    assert_non_null(state);
    return state;
}

static void step_to(struct physarum_3d_state *state, uint64_t step)
{
    while (state->step < step) {
        physarum_3d_step(state);
    }
}

static double sum_of(const float *cells, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += (double)cells[i];
    }
    return sum;
}

static void test_recorded(void **state)
{
    (void)state;
    size_t different = 0;
    for (size_t i = 0; i < physarum_3d_case_count; i++) {
        const struct physarum_3d_case *row = &physarum_3d_cases[i];
        struct physarum_3d_state *run = begin(row);
        char digests[PHYSARUM_3D_MOMENTS][PHYSARUM_3D_DIGEST_SIZE];
        bool same = true;
        for (size_t j = 0; j < PHYSARUM_3D_MOMENTS; j++) {
            step_to(run, physarum_3d_moments[j]);
            same = strcmp(physarum_3d_digest(run, digests[j]), row->digests[j]) == 0 && same;
        }
        if (!same) {
            different++;
            fprintf(stderr, "PHYSARUM_3D_CASE(\"%s\", %u, %u, %u, \"%s\",\n", row->name, row->width,
                    row->height, row->depth, row->options);
            for (size_t j = 0; j < PHYSARUM_3D_MOMENTS; j++) {
                fprintf(stderr, "                 \"%s\"%s\n", digests[j],
                        j + 1 < PHYSARUM_3D_MOMENTS ? "," : ")");
            }
        }
        physarum_3d_free(run);
    }
    assert_int_equal(different, 0);
}

/* Directions stay unit vectors, and places stay in their volume by construction. */
static void test_directions(void **state)
{
    (void)state;
    for (size_t i = 0; i < physarum_3d_case_count; i++) {
        struct physarum_3d_state *run = begin(&physarum_3d_cases[i]);
        step_to(run, 60);
        for (size_t agent = 0; agent < run->settings.agents; agent++) {
            double square = 0.0;
            for (int axis = 0; axis < 3; axis++) {
                const double part = (double)run->direction[axis][agent];
                square += part * part;
            }
            assert_true(fabs(square - 1.0) < 1e-6);
        }
        physarum_3d_free(run);
    }
}

/* Of isotropic directions, each part has mean 0 and mean square 1/3, also after turns without
 * trail. */
static void test_isotropy(void **state)
{
    (void)state;
    const struct physarum_3d_case row = {"", 32, 32, 32, "agents=20000 sharpness=0 deposit=1", {0}};
    struct physarum_3d_state *run = begin(&row);
    for (int moment = 0; moment < 2; moment++) {
        for (int axis = 0; axis < 3; axis++) {
            double sum = 0.0, squares = 0.0;
            for (size_t agent = 0; agent < run->settings.agents; agent++) {
                const double part = (double)run->direction[axis][agent];
                sum += part / 20000.0;
                squares += part * part / 20000.0;
            }
            assert_true(fabs(sum) < 0.02);
            assert_true(fabs(squares - 1.0 / 3.0) < 0.01);
        }
        step_to(run, 30);
    }
    physarum_3d_free(run);
}

/* Without decay the trail is what was deposited, and the trace all visits. */
static void test_conservation(void **state)
{
    (void)state;
    const struct physarum_3d_case row = {
        "", 12, 9, 15, "agents=500 decay=0 trace-decay=0 deposit=0.25 diffuse=0.7", {0}};
    struct physarum_3d_state *run = begin(&row);
    step_to(run, 40);
    const double visits = sum_of(run->trace, physarum_3d_cells(run));
    const double trail = sum_of(run->trail, physarum_3d_cells(run));
    assert_true(visits == 500.0 * 40.0);
    assert_true(fabs(trail / (500.0 * 40.0 * 0.25) - 1.0) < 1e-5);
    physarum_3d_free(run);
}

/* Agents are drawn to food. */
static void test_attraction(void **state)
{
    (void)state;
    const struct physarum_3d_case row = {
        "",
        16,
        10,
        12,
        "agents=2000 food=points:tests/sim/physarum_3d_points.csv points-box=0,0,0,16,10,12",
        {0}};
    struct physarum_3d_state *run = begin(&row);
    double fed = 0.0, all = 0.0, near = 0.0;
    step_to(run, 60);
    for (size_t cell = 0; cell < physarum_3d_cells(run); cell++) {
        all += (double)run->trace[cell];
        near += run->food[cell] > 0.0f ? (double)run->trace[cell] : 0.0;
        fed += run->food[cell] > 0.0f ? 1.0 : 0.0;
    }
    /* Cells with food are visited several times as often as others. */
    assert_true(near / fed > 3.0 * all / (double)physarum_3d_cells(run));
    physarum_3d_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded),   cmocka_unit_test(test_directions),
        cmocka_unit_test(test_isotropy),   cmocka_unit_test(test_conservation),
        cmocka_unit_test(test_attraction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
