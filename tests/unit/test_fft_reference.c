/* SPDX-License-Identifier: MIT */
/* The C reference of vks_declare_fft() against a Fourier sum in float64, waves whose potential is
 * known, and a recorded potential. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <vksim/model.h>

#include "../numbers.h"
#include "fft_reference.h"

static const double pi = 3.14159265358979323846;
static const double tolerance = 1e-5; /* of the largest potential */

static void *allocate(size_t size)
{
    void *data = malloc(size);
    assert_non_null(data);
    return data;
}

/* Squared wave numbers of a box whose cells are `cell` wide. */
struct box {
    struct fft_reference fft;
    float tables[3][2048];
};

static struct box *new_box(const size_t shape[3], double cell, double factor)
{
    struct box *box = allocate(sizeof(*box));
    box->fft = (struct fft_reference){.factor = (float)factor};
    for (int axis = 0; axis < 3; axis++) {
        const size_t side = shape[axis];
        for (size_t n = 0; n < side; n++) {
            const double k = 2 * pi * (double)(n > side / 2 ? side - n : n) / ((double)side * cell);
            box->tables[axis][n] = (float)(k * k);
        }
        box->fft.shape[axis] = side;
        box->fft.symbol[axis] = box->tables[axis];
    }
    return box;
}

static size_t cells_of(const size_t shape[3])
{
    return shape[0] * shape[1] * shape[2];
}

static void check_close(const float *got, const double *wanted, size_t cells)
{
    double largest = 0, error = 0;
    for (size_t i = 0; i < cells; i++) {
        largest = fmax(largest, fabs(wanted[i]));
        error = fmax(error, fabs((double)got[i] - wanted[i]));
    }
    assert_true(largest > 0);
    if (!(error <= tolerance * largest)) {
        fail_msg("off by %g of %g", error, largest);
    }
}

/* --- Fourier sums in float64 ------------------------------------------------------------------ */

/* Along one axis, by the definition; `sign` -1 forward. */
static void sum_axis(double (*waves)[2], const size_t shape[3], int axis, int sign)
{
    const size_t cells = cells_of(shape), side = shape[axis];
    const size_t stride = axis == 2 ? 1 : axis == 1 ? shape[2] : shape[2] * shape[1];
    double(*sums)[2] = allocate(cells * sizeof(*sums));
    for (size_t i = 0; i < cells; i++) {
        const size_t k = i / stride % side, first = i - k * stride;
        sums[i][0] = sums[i][1] = 0;
        for (size_t n = 0; n < side; n++) {
            const double *value = waves[first + n * stride];
            const double angle = sign * 2 * pi * (double)(k * n % side) / (double)side;
            sums[i][0] += value[0] * cos(angle) - value[1] * sin(angle);
            sums[i][1] += value[0] * sin(angle) + value[1] * cos(angle);
        }
    }
    memcpy(waves, sums, cells * sizeof(*sums));
    free(sums);
}

static void solve(const struct box *box, const float *source, double *target)
{
    const size_t *shape = box->fft.shape, cells = cells_of(shape);
    double(*waves)[2] = allocate(cells * sizeof(*waves));
    for (size_t i = 0; i < cells; i++) {
        waves[i][0] = (double)source[i] - (double)box->fft.mean;
        waves[i][1] = 0;
    }
    for (int axis = 0; axis < 3; axis++) {
        sum_axis(waves, shape, axis, -1);
    }
    for (size_t i = 0; i < cells; i++) {
        const double symbol = (double)box->tables[0][i / (shape[2] * shape[1])] +
                              (double)box->tables[1][i / shape[2] % shape[1]] +
                              (double)box->tables[2][i % shape[2]];
        const double multiplier = i == 0 ? 0 : (double)box->fft.factor / symbol / (double)cells;
        waves[i][0] *= multiplier;
        waves[i][1] *= multiplier;
    }
    for (int axis = 0; axis < 3; axis++) {
        sum_axis(waves, shape, axis, 1);
    }
    for (size_t i = 0; i < cells; i++) {
        target[i] = waves[i][0];
    }
    free(waves);
}

static void test_sums(void **state)
{
    (void)state;
    static const size_t shapes[][3] = {{1, 1, 2},  {1, 1, 256}, {1, 128, 1}, {64, 1, 1}, {2, 2, 2},
                                       {8, 16, 4}, {1, 32, 64}, {16, 1, 8},  {4, 32, 1}};
    uint64_t random = 1;
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        const size_t cells = cells_of(shapes[i]);
        struct box *box = new_box(shapes[i], 0.0625, -4 * pi);
        float *source = allocate(cells * sizeof(*source)), *got = allocate(cells * sizeof(*got));
        double *wanted = allocate(cells * sizeof(*wanted));
        double sum = 0;
        for (size_t j = 0; j < cells; j++) {
            source[j] = (float)between(&random, 0, 8);
        }
        box->fft.mean = 4;
        fft_reference(&box->fft, source, got);
        solve(box, source, wanted);
        check_close(got, wanted, cells);
        for (size_t j = 0; j < cells; j++) {
            sum += (double)got[j];
        }
        assert_true(fabs(sum) <= 1e-6 * (double)cells);
        free(wanted);
        free(got);
        free(source);
        free(box);
    }
}

/* --- known solutions -------------------------------------------------------------------------- */

/* One wave along one axis or several: its potential is the wave itself, times factor / k^2. */
static void check_wave(const size_t shape[3], const size_t wave[3])
{
    const size_t cells = cells_of(shape);
    struct box *box = new_box(shape, 0.25, -4 * pi);
    float *source = allocate(cells * sizeof(*source)), *got = allocate(cells * sizeof(*got));
    double *wanted = allocate(cells * sizeof(*wanted));
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        square += pow(2 * pi * (double)wave[axis] / ((double)shape[axis] * 0.25), 2);
    }
    for (size_t i = 0; i < cells; i++) {
        const size_t at[3] = {i / (shape[2] * shape[1]), i / shape[2] % shape[1], i % shape[2]};
        double phase = 0.3;
        for (int axis = 0; axis < 3; axis++) {
            phase += 2 * pi * (double)(wave[axis] * at[axis]) / (double)shape[axis];
        }
        source[i] = (float)(1 + 0.1 * cos(phase));
        wanted[i] = -4 * pi * 0.1 * cos(phase) / square;
    }
    box->fft.mean = 1;
    fft_reference(&box->fft, source, got);
    check_close(got, wanted, cells);
    free(wanted);
    free(got);
    free(source);
    free(box);
}

static void test_waves(void **state)
{
    (void)state;
    check_wave((const size_t[]){16, 8, 4}, (const size_t[]){1, 0, 0});
    check_wave((const size_t[]){16, 8, 4}, (const size_t[]){0, 3, 0});
    check_wave((const size_t[]){16, 8, 4}, (const size_t[]){0, 0, 1});
    check_wave((const size_t[]){16, 16, 16}, (const size_t[]){1, 2, 0});
    check_wave((const size_t[]){32, 8, 64}, (const size_t[]){5, 1, 30});
    check_wave((const size_t[]){1, 1, 2048}, (const size_t[]){0, 0, 7});
    check_wave((const size_t[]){1, 1024, 1}, (const size_t[]){0, 11, 0});
}

/* An even source has an even potential, and a uniform one none. */
static void test_symmetry(void **state)
{
    (void)state;
    enum { SIDE = 64 };
    const size_t shape[3] = {1, 1, SIDE};
    struct box *box = new_box(shape, 1, -1);
    float source[SIDE], got[SIDE];
    uint64_t random = 5;
    for (size_t i = 0; i <= SIDE / 2; i++) {
        source[i] = source[(SIDE - i) % SIDE] = (float)between(&random, 0, 1);
    }
    fft_reference(&box->fft, source, got);
    for (size_t i = 1; i < SIDE; i++) {
        assert_true(fabsf(got[i] - got[SIDE - i]) <= 1e-4F);
    }
    for (size_t i = 0; i < SIDE; i++) {
        source[i] = 0.3F;
    }
    box->fft.mean = 0.3F;
    fft_reference(&box->fft, source, got);
    for (size_t i = 0; i < SIDE; i++) {
        assert_int_equal(bits_of(got[i]), 0);
    }
    free(box);
}

/* --- a recorded potential --------------------------------------------------------------------- */

static void read_doubles(const char *path, double *values, size_t count)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(values, sizeof(*values), count, file), count);
    assert_int_equal(fclose(file), 0);
}

static void test_recorded(void **state)
{
    (void)state;
    enum { CELLS = 16 * 8 * 4 };
    const size_t shape[3] = {16, 8, 4};
    struct box *box = new_box(shape, 0.0625, -4 * pi);
    static double density[CELLS], wanted[CELLS];
    float source[CELLS], got[CELLS];
    double sum = 0;
    read_doubles("tests/golden-gas/deposit_rho_mom_heat_kin.f64", density, CELLS);
    read_doubles("tests/golden-gas/phi_spectral_G1.f64", wanted, CELLS);
    for (size_t i = 0; i < CELLS; i++) {
        source[i] = (float)density[i];
        sum += density[i];
    }
    box->fft.mean = (float)(sum / CELLS);
    fft_reference(&box->fft, source, got);
    check_close(got, wanted, CELLS);
    free(box);
}

/* --- roots ------------------------------------------------------------------------------------ */

/* Symmetric, and exact at quarter turns; so those of one half of a level give those of the other.
 */
static void test_roots(void **state)
{
    (void)state;
    for (size_t count = 2; count <= 2048; count *= 2) {
        float root[2], other[2];
        fft_reference_root(0, count, root);
        assert_true(root[0] == 1 && root[1] == 0);
        for (size_t j = 0; count >= 4 && j < count / 4; j++) {
            fft_reference_root(j, count, root);
            fft_reference_root(j + count / 4, count, other);
            assert_true(other[0] == root[1] && other[1] == -root[0]);
            fft_reference_root(count / 4 - j, count, other);
            assert_true(other[0] == -root[1] && other[1] == -root[0]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),     cmocka_unit_test(test_waves),
        cmocka_unit_test(test_symmetry), cmocka_unit_test(test_recorded),
        cmocka_unit_test(test_roots),
    };
    return cmocka_run_group_tests_name("fft_reference", tests, NULL, NULL);
}
