/* SPDX-License-Identifier: MIT */
/* The linear theory of Physarum's patterns, against values of NumPy; eigenvalues of matrices whose
 * eigenvalues are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "onset/eigen.h"
#include "onset/theory.h"

#define PI 3.14159265358979323846
#define DEGREES (PI / 180)

static void near(const char *what, double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * fmax(1, fabs(expected)))) {
        fail_msg("%s: %.12g is not %.12g", what, value, expected);
    }
}

/* --- the theory ------------------------------------------------------------------------------ */

static const double covariance[3][3] = {{0.36, 0.05, 0.05}, {0.05, 0.34, 0.02}, {0.05, 0.02, 0.34}};

static struct vks_onset_gains gains_of_case(void)
{
    double copy[3][3];
    struct vks_onset_gains gains;
    memcpy(copy, covariance, sizeof(copy));
    assert_true(vks_onset_gains_of(copy, &gains));
    return gains;
}

static void mode_of(const struct vks_onset_model *model, int wave, double complex *matrix,
                    struct vks_onset_mode *mode)
{
    const struct vks_onset_gains gains = gains_of_case();
    vks_onset_matrix(model, &gains, 2 * PI * wave / 128, matrix);
    assert_true(vks_onset_mode_of(matrix, mode));
}

static const struct vks_onset_model default_model = {
    0.43, 9, 26 * DEGREES, 6 * DEGREES, 2, 17 * DEGREES, 0.9, 0.4, 1, false};

/* The golden case of the definition. */
static void test_golden(void **state)
{
    (void)state;
    static const struct {
        int wave;
        double rate, alpha, beta, gamma, kappa, toy_rate;
    } cases[] = {
        {1, 0.017317800418606488, 0.8974541877503985, 0.09972318718408046, 0.0006290466645691314,
         0.0024081202669715696, 0.003078436120168748},
        {4, 0.08272365193013122, 0.8598169723109851, 0.09765208339379616, 0.007785047132540343,
         0.03818314392625721, 0.0189525194957559},
        {8, 0.11549329082634892, 0.7460946339312091, 0.10879855156626439, 0.01080997098877369,
         0.14836808629519216, -0.037310469521001415},
        {12, 0.050310915433784895, 0.5777634467724376, 0.14670958315920513, -0.007391927656154698,
         0.31801537063028673, -0.19479217887316072},
        {20, -0.10666817022969667, 0.18664282290484577, 0.20399753738876558, 0.0034988213284724914,
         0.7550164122540096, -0.2266684362385069},
    };
    const struct vks_onset_gains gains = gains_of_case();
    near("left", gains.left, 0.33636369543798067, 1e-12);
    near("front", gains.derivatives[VKS_ONSET_FRONT], -0.2575161346821264, 1e-12);
    near("to the left", gains.derivatives[VKS_ONSET_LEFT], 0.5068550599330218, 1e-12);
    near("to the right", gains.derivatives[VKS_ONSET_RIGHT], -0.24933892525089543, 1e-12);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        double complex matrix[VKS_ONSET_ORDER * VKS_ONSET_ORDER];
        struct vks_onset_mode mode;
        mode_of(&default_model, cases[i].wave, matrix, &mode);
        near("rate", mode.rate, cases[i].rate, 1e-10);
        near("alpha", mode.alpha, cases[i].alpha, 1e-10);
        near("beta", mode.beta, cases[i].beta, 1e-10);
        near("gamma", mode.gamma, cases[i].gamma, 1e-10);
        near("kappa", mode.kappa, cases[i].kappa, 1e-10);
        near("toy's rate", mode.toy_rate, cases[i].toy_rate, 1e-10);
    }
}

/* Modes that grow, decay and oscillate, by numpy.linalg.eigvals and powers of the matrix. */
static void test_numpy(void **state)
{
    (void)state;
    static const struct vks_onset_model silk = {0.30, 9, 76 * DEGREES, -9 * DEGREES, 1.2, 0, 0.9,
                                                0.3,  1, false};
    static const struct vks_onset_model away = {
        0.43, 9, 26 * DEGREES, -30 * DEGREES, 2, 17 * DEGREES, 0.9, 0.4, 1, false};
    static const struct vks_onset_model plain = {0.24, 5, 45 * DEGREES, 45 * DEGREES, 1, 0, 0.99,
                                                 0.2,  1, false};
    static const struct vks_onset_model sharp = {
        0.43, 9, 26 * DEGREES, 6 * DEGREES, 2, 17 * DEGREES, 0.98, 0, 5, false};
    static const struct {
        const struct vks_onset_model *model;
        int wave;
        double rate, angle; /* of the eigenvalue with the largest absolute value */
        double toy_rate;
        double responses[4];
    } cases[] = {
        {&silk,
         2,
         0.0303100842993,
         0.1493477631,
         -0.0548984158269,
         {0.50783703351, -0.0146394688692, -0.819201890639, 1.48217860784}},
        {&silk,
         5,
         0.041282701899,
         0.3009065659,
         -0.0665885801652,
         {0.314933802691, -0.444733849984, 0.740612363662, 1.32617416964}},
        {&silk,
         10,
         0.0971699504111,
         0,
         -0.0215125576319,
         {0.741903241117, 1.45925013788, 3.69676731721, 25.8357516885}},
        {&away,
         2,
         0.0250114676369,
         0.2254440726,
         -0.0581535116701,
         {0.339733158884, -0.505567796568, -0.129823397894, -1.53544524832}},
        {&away,
         5,
         0.0682633616266,
         0.4463857696,
         -0.0872779161251,
         {-0.343022268227, -0.46136562393, -1.6922117885, 3.27767400068}},
        {&away,
         24,
         -0.235807051015,
         2.06978216,
         -0.362682452377,
         {0.110124732597, 0.0160836078209, 4.94021984674e-05, 2.03555254766e-06}},
        {&plain,
         2,
         0.113629645549,
         0,
         0.0606264847143,
         {1.07510689366, 1.5489064666, 4.59014333354, 44.612036111}},
        {&plain,
         24,
         -0.168018641457,
         0.9087260372,
         -0.239346452847,
         {0.172728773618, 0.0518316781981, 0.00234913502241, -0.000126779414854}},
        {&sharp,
         10,
         0.424188869516,
         0,
         0.0427314987502,
         {4.48903176782, 36.7918823712, 2570.5920216, 12430138.0608}},
        {&sharp,
         24,
         -0.116502988763,
         2.299323637,
         0.0780077865256,
         {0.583487901248, 0.10243230907, -0.00435312313503, 0.000277101504463}},
    };
    static const unsigned steps[] = {5, 10, 20, 40};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        double complex matrix[VKS_ONSET_ORDER * VKS_ONSET_ORDER];
        struct vks_onset_mode mode;
        double responses[4];
        mode_of(cases[i].model, cases[i].wave, matrix, &mode);
        near("rate", mode.rate, cases[i].rate, 1e-9);
        near("angle", mode.period > 0 ? 2 * PI / mode.period : 0, cases[i].angle, 1e-8);
        near("toy's rate", mode.toy_rate, cases[i].toy_rate, 1e-9);
        vks_onset_response(matrix, steps, 4, responses);
        for (int t = 0; t < 4; t++) {
            near("response", responses[t], cases[i].responses[t], 1e-9);
        }
    }
}

/* The model of two variables by its own matrix: the sign of its rate is that of alpha gamma - beta
 * kappa, and its response that of the 2 x 2 matrix. */
static void test_toy(void **state)
{
    (void)state;
    static const unsigned steps[] = {1, 2};
    for (int wave = 1; wave <= 20; wave++) {
        double complex matrix[VKS_ONSET_ORDER * VKS_ONSET_ORDER];
        struct vks_onset_mode mode;
        double responses[2];
        mode_of(&default_model, wave, matrix, &mode);
        assert_int_equal(mode.toy_rate > 0, mode.alpha * mode.gamma > mode.beta * mode.kappa);
        vks_onset_toy_response(&mode, steps, 2, responses);
        near("one step", responses[0], 1 - mode.beta, 1e-15);
        near("two steps", responses[1], (1 - mode.beta) * (1 - mode.beta) + mode.alpha * mode.gamma,
             1e-15);
    }
}

/* The uniform mode: no agent is made, and the trail decays. A wave without steering as well. */
static void test_conserved(void **state)
{
    (void)state;
    double complex matrix[VKS_ONSET_ORDER * VKS_ONSET_ORDER];
    struct vks_onset_gains gains = gains_of_case();
    struct vks_onset_mode mode;
    double amplitude;
    vks_onset_matrix(&default_model, &gains, 0, matrix);
    assert_true(vks_onset_mode_of(matrix, &mode));
    near("rate of all agents", mode.rate, 0, 1e-12);
    near("gamma", mode.gamma, 0, 1e-12);
    near("kappa", mode.kappa, 0, 1e-12);
    near("beta", mode.beta, 0.1, 1e-12);
    struct vks_onset_model blind = default_model;
    blind.turn_angle = 0;
    const double k = 2 * PI * 8 / 128;
    vks_onset_matrix(&blind, &gains, k, matrix);
    vks_onset_response(matrix, &(unsigned){5}, 1, &amplitude);
    near("trail without steering", amplitude, pow(0.9 * (0.6 + 0.4 * (1 + 2 * cos(k)) / 3), 5),
         1e-12);
}

/* A sensor between cells reads less of short waves. */
static void test_bilinear(void **state)
{
    (void)state;
    double complex nearest[VKS_ONSET_ORDER * VKS_ONSET_ORDER];
    double complex bilinear[VKS_ONSET_ORDER * VKS_ONSET_ORDER];
    const struct vks_onset_gains gains = gains_of_case();
    struct vks_onset_model model = default_model;
    const double k = 2 * PI * 8 / 128;
    const double complex factor = sin(k / 2) / (k / 2) * (cos(k / 2) + I * sin(k / 2));
    vks_onset_matrix(&model, &gains, k, nearest);
    model.bilinear = true;
    vks_onset_matrix(&model, &gains, k, bilinear);
    for (int i = 0; i < VKS_ONSET_HEADINGS; i++) {
        const size_t at = (size_t)i * VKS_ONSET_ORDER;
        assert_memory_equal(nearest + at, bilinear + at, VKS_ONSET_HEADINGS * sizeof(*nearest));
        const double complex expected = nearest[at + VKS_ONSET_HEADINGS] * factor;
        near("difference", cabs(bilinear[at + VKS_ONSET_HEADINGS] - expected), 0, 1e-15);
    }
}

static void test_limits(void **state)
{
    (void)state;
    struct vks_onset_gains gains;
    double same[3][3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, none[3][3] = {{0}};
    double not_numbers[3][3] = {{NAN, NAN, NAN}, {NAN, NAN, NAN}, {NAN, NAN, NAN}};
    double lopsided[3][3] = {{0.36, 0.04, 0.06}, {0.04, 0.33, 0.02}, {0.06, 0.02, 0.35}};
    assert_false(vks_onset_gains_of(same, &gains));
    assert_false(vks_onset_gains_of(none, &gains));
    assert_false(vks_onset_gains_of(not_numbers, &gains));
    assert_true(vks_onset_gains_of(lopsided, &gains)); /* the mean of both sides */
    near("left", gains.left, 0.33636369543798067, 1e-12);
    assert_true(vks_onset_resolves(&default_model, PI / 2));
    struct vks_onset_model far = default_model;
    far.sensor_distance = 100;
    assert_false(vks_onset_resolves(&far, PI / 2));
}

/* --- eigenvalues ----------------------------------------------------------------------------- */

enum { MAX = 24 };

/* Every expected value is found once. */
static void same_values(double complex *values, const double complex *expected, size_t n,
                        double tolerance)
{
    for (size_t i = 0; i < n; i++) {
        size_t best = i;
        for (size_t j = i; j < n; j++) {
            best = cabs(values[j] - expected[i]) < cabs(values[best] - expected[i]) ? j : best;
        }
        near("eigenvalue", cabs(values[best] - expected[i]), 0, tolerance);
        values[best] = values[i];
    }
}

/* The companion matrix of z^n = 1. Its shifts repeat: it needs the exceptional ones. */
static void test_roots_of_unity(void **state)
{
    (void)state;
    for (size_t n = 1; n <= MAX; n++) {
        double complex matrix[MAX * MAX] = {0}, values[MAX], expected[MAX];
        for (size_t i = 0; i < n; i++) {
            matrix[i * n + (i + n - 1) % n] = 1;
            expected[i] = cexp(2 * PI * I * (double)i / (double)n);
        }
        assert_true(vks_eigenvalues(matrix, n, values));
        same_values(values, expected, n, 1e-12);
    }
}

/* T = Q D Q* for a reflection Q and a triangular D. */
static void test_similar(void **state)
{
    (void)state;
    enum { N = 16 };
    double complex d[N * N] = {0}, matrix[N * N] = {0}, v[N], values[N], expected[N];
    double square = 0;
    for (int i = 0; i < N; i++) {
        v[i] = cos(3 * i) + I * sin(7 * i + 1);
        square += creal(v[i] * conj(v[i]));
        expected[i] = d[i * N + i] = (i + 1) * cexp(I * (double)(i * i));
        for (int j = i + 1; j < N; j++) {
            d[i * N + j] = sin(i + 2 * j) - 0.5 * I * cos(i * j);
        }
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            for (int k = 0; k < N; k++) {
                for (int l = 0; l < N; l++) {
                    const double complex left = (i == k) - 2 * v[i] * conj(v[k]) / square;
                    const double complex right = (l == j) - 2 * v[l] * conj(v[j]) / square;
                    matrix[i * N + j] += left * d[k * N + l] * right;
                }
            }
        }
    }
    assert_true(vks_eigenvalues(matrix, N, values));
    same_values(values, expected, N, 1e-10);
}

/* A real rotation has a pair of complex eigenvalues; a Jordan block one that is defective. */
static void test_special(void **state)
{
    (void)state;
    double complex rotation[] = {cos(0.3), -sin(0.3), sin(0.3), cos(0.3)}, values[MAX];
    const double complex pair[] = {cexp(0.3 * I), cexp(-0.3 * I)};
    assert_true(vks_eigenvalues(rotation, 2, values));
    same_values(values, pair, 2, 1e-15);
    double complex block[] = {2, 1, 0, 0, 2, 1, 0, 0, 2};
    assert_true(vks_eigenvalues(block, 3, values));
    for (int i = 0; i < 3; i++) {
        near("defective", cabs(values[i] - 2), 0, 1e-4);
    }
    double complex zero[MAX * MAX] = {0}, numbers[] = {1, NAN, 0, 1};
    assert_true(vks_eigenvalues(zero, MAX, values));
    for (int i = 0; i < MAX; i++) {
        assert_true(cabs(values[i]) == 0);
    }
    assert_false(vks_eigenvalues(numbers, 2, values));
    assert_true(vks_eigenvalues(NULL, 0, values));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_numpy),
        cmocka_unit_test(test_toy),
        cmocka_unit_test(test_conserved),
        cmocka_unit_test(test_bilinear),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_roots_of_unity),
        cmocka_unit_test(test_similar),
        cmocka_unit_test(test_special),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
