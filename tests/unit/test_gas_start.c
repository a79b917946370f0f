/* SPDX-License-Identifier: MIT */
/* The C reference of the gas's initial conditions, against what they mean; and the recorded runs of
 * both methods' references, which start from it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gas_cases.h"
#include "gas_start_reference.h"

static const double pi = 3.14159265358979323846;

enum { DENSITY, MOMENTUM_Z, MOMENTUM_Y, MOMENTUM_X, ENERGY, INTERNAL, FIELDS };

/* A start with what it gives the nodes and the particles. */
struct lab {
    struct gas_start start;
    size_t nodes, particles;
    double h;
    float *field[FIELDS];
    uint32_t *position[3];
    float *velocity[3], *mass, *heat;
};

static struct lab open_lab(uint32_t depth, uint32_t height, uint32_t width, const char *init,
                           const char *words)
{
    struct lab lab = {.nodes = (size_t)depth * height * width};
    struct gas_options options;
    assert_true(gas_options_parse(words, &options));
    assert_true(gas_start_init(&lab.start, init, depth, height, width, 7, &options));
    const uint32_t longest = lab.start.side[lab.start.along];
    lab.h = 1.0 / longest;
    lab.particles = options.particles;
    for (int f = 0; f < FIELDS; f++) {
        lab.field[f] = calloc(lab.nodes, sizeof(float));
        assert_non_null(lab.field[f]);
    }
    for (int axis = 0; axis < 3; axis++) {
        lab.position[axis] = calloc(lab.particles, sizeof(uint32_t));
        lab.velocity[axis] = calloc(lab.particles, sizeof(float));
        assert_true(lab.position[axis] && lab.velocity[axis]);
    }
    lab.mass = calloc(lab.particles, sizeof(float));
    lab.heat = calloc(lab.particles, sizeof(float));
    assert_true(lab.mass && lab.heat);
    gas_start_grid(&lab.start, lab.field);
    gas_start_particles(&lab.start, lab.position, lab.velocity, lab.mass, lab.heat);
    return lab;
}

static void close_lab(struct lab *lab)
{
    for (int f = 0; f < FIELDS; f++) {
        free(lab->field[f]);
    }
    for (int axis = 0; axis < 3; axis++) {
        free(lab->position[axis]);
        free(lab->velocity[axis]);
    }
    free(lab->mass);
    free(lab->heat);
    gas_start_free(&lab->start);
}

static double mean(const float *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += (double)values[i];
    }
    return sum / (double)count;
}

static double rms(const float *values, size_t count, double around)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += ((double)values[i] - around) * ((double)values[i] - around);
    }
    return sqrt(sum / (double)count);
}

/* Fails unless value is within `share` of what is expected. */
static void near_(const char *name, double value, double expected, double share, int line)
{
    print_message("# %s: %.7g (%.7g)\n", name, value, expected);
    if (!(fabs(value - expected) <= share * fabs(expected))) {
        _fail(__FILE__, line);
    }
}
#define near(name, value, expected, share) near_(name, value, expected, share, __LINE__)

/* Wave vector of a row. */
static double wave_vector(const struct lab *lab, uint32_t i, double k[3])
{
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double length = lab->start.length[axis];
        k[axis] = length > 0 ? 2 * pi * lab->start.waves[i].number[axis] / length : 0;
        square += k[axis] * k[axis];
    }
    return square;
}

/* --- waves ---------------------------------------------------------------------------------- */

/* Half the sum of the squares of the amplitudes is the mean square; each wave has its power; the
 * displacement makes the density. */
static void test_spectrum(void **unused)
{
    (void)unused;
    static const uint32_t boxes[][3] = {{64, 64, 64}, {1, 96, 40}, {1, 1, 200}, {24, 1, 48}};
    for (size_t box = 0; box < 4; box++) {
        struct lab lab = open_lab(boxes[box][0], boxes[box][1], boxes[box][2], "waves",
                                  "particles=1 waves=90 wave-slope=-1.5 wave-strength=0.2");
        const double exponent = lab.start.axes - 1.5;
        double power = 0, ratio = 0;
        for (uint32_t i = 0; i < 90; i++) {
            const struct gas_wave *row = &lab.start.waves[i];
            const double a = (double)row->density;
            double k[3], along = 0;
            const double square = wave_vector(&lab, i, k);
            const double own = a * a / pow(sqrt(square) / (2 * pi), exponent);
            for (int axis = 0; axis < 3; axis++) {
                along += k[axis] * (double)row->vector[axis];
            }
            assert_true(fabs(along + a) <= 1e-6 * a);
            assert_true(i == 0 || fabs(own - ratio) <= 1e-4 * ratio);
            ratio = own;
            power += 0.5 * a * a;
        }
        near("rms of all waves", sqrt(power), 0.2, 1e-6);
        near("mean density", mean(lab.field[DENSITY], lab.nodes), 1, 1e-4);
        near("rms of the density", rms(lab.field[DENSITY], lab.nodes, 1), 0.2, 0.35);
        close_lab(&lab);
    }
}

/* The density of the nodes is the sum of the cosines, in double. */
static void test_sum_of_waves(void **unused)
{
    (void)unused;
    struct lab lab =
        open_lab(6, 20, 32, "waves", "particles=1 waves=40 wave-strength=0.1 gravity=2");
    for (size_t node = 0; node < lab.nodes; node++) {
        const double at[3] = {(double)(node / 640), (double)(node / 32 % 20), (double)(node % 32)};
        double density = 1, v = 0;
        for (uint32_t i = 0; i < 40; i++) {
            const struct gas_wave *row = &lab.start.waves[i];
            double k[3], angle = 2 * pi * row->phase / 4294967296.0;
            wave_vector(&lab, i, k);
            for (int axis = 0; axis < 3; axis++) {
                angle += k[axis] * at[axis] * lab.h;
            }
            density += (double)row->density * cos(angle);
            v += (double)row->vector[1] * sin(angle);
        }
        const double r = (double)lab.field[DENSITY][node];
        v *= sqrt(8 * pi);
        assert_true(fabs(r - density) <= 1e-5);
        assert_true(fabs((double)lab.field[MOMENTUM_Y][node] / r - v) <= 1e-5);
        assert_true(fabs((double)lab.field[INTERNAL][node] - r) <= 1e-6); /* temperature 1 */
    }
    close_lab(&lab);
}

/* Particles that are moved by the waves have their density, and the velocity of growth. */
static void test_particles_of_waves(void **unused)
{
    (void)unused;
    enum { BINS = 32, COUNT = 65536 };
    struct lab lab = open_lab(1, 1, 24, "waves",
                              "particles=65536 waves=5 wave-strength=0.01 gravity=3 temperature=2");
    double bins[BINS] = {0}, worst = 0;
    for (size_t i = 0; i < COUNT; i++) {
        bins[lab.position[2][i] >> 27] += (double)BINS / COUNT;
        assert_true(lab.position[0][i] == 0 && lab.position[1][i] == 0);
        assert_true(lab.velocity[0][i] == 0 && lab.heat[i] == 2);
    }
    for (uint32_t bin = 0; bin < BINS; bin++) {
        double density = 0, v = 0;
        for (uint32_t part = 0; part < 64; part++) {
            const uint32_t place[3] = {0, 0, (bin << 27) + (part << 21) + (1u << 20)};
            density += (double)gas_start_at(&lab.start, place).density / 64;
            v = fmax(v, fabs((double)gas_start_at(&lab.start, place).velocity[2]));
        }
        worst = fmax(worst, fabs(bins[bin] - density));
        assert_true(v < 1);
    }
    print_message("# apart by %g (rms of the density: 0.01)\n", worst);
    assert_true(worst <= 2e-3);
    near("mass", COUNT * (double)lab.mass[0], 1.0 / 24 / 24, 1e-6);
    close_lab(&lab);
}

/* As many in every octant and in every part of a finer grid, but no lattice. */
static void test_even_places(void **unused)
{
    (void)unused;
    enum { COUNT = 32768, CELLS = 512 };
    struct lab lab = open_lab(8, 8, 8, "waves", "particles=32768 waves=0");
    int cells[CELLS] = {0}, worst = 0;
    for (size_t i = 0; i < COUNT; i++) {
        cells[(lab.position[0][i] >> 29) * 64 + (lab.position[1][i] >> 29) * 8 +
              (lab.position[2][i] >> 29)]++;
    }
    for (int cell = 0; cell < CELLS; cell++) {
        const int off = abs(cells[cell] - COUNT / CELLS);
        worst = off > worst ? off : worst;
    }
    print_message("# %d apart of %d\n", worst, COUNT / CELLS);
    assert_true(worst <= 16); /* at random: 25 */
    close_lab(&lab);
}

/* --- the other starts ----------------------------------------------------------------------- */

/* Velocities that neither gather nor spread the gas, of the Mach number. */
static void test_cloud(void **unused)
{
    (void)unused;
    struct lab lab = open_lab(48, 48, 48, "cloud",
                              "particles=20000 mach=3 temperature=0.25 ratio=50 radius=0.3");
    double power = 0, mass = 0, inside = 0, centre[3] = {0};
    for (uint32_t i = 0; i < 128; i++) {
        double k[3], along = 0, square = 0;
        const double k2 = wave_vector(&lab, i, k);
        for (int axis = 0; axis < 3; axis++) {
            const double b = (double)lab.start.waves[i].vector[axis];
            along += k[axis] * b;
            square += b * b;
        }
        assert_true(fabs(along) <= 1e-5 * sqrt(k2 * square));
        assert_true(lab.start.waves[i].density == 0);
        power += 0.5 * square;
    }
    near("rms of the velocity", sqrt(power), 3 * sqrt(1.4 * 0.4 * 0.25), 1e-6);
    for (size_t i = 0; i < lab.particles; i++) {
        double square = 0;
        for (int axis = 0; axis < 3; axis++) {
            const double off = lab.position[axis][i] / 4294967296.0 - 0.5;
            square += off * off;
            centre[axis] += off / (double)lab.particles;
        }
        mass += (double)lab.mass[i];
        inside += square <= 0.09 ? (double)lab.mass[i] : 0;
    }
    const double ball = 4.0 / 3 * pi * 0.027;
    near("mass of the particles", mass, 0.02 + ball * 0.98, 1e-5);
    near("mass in the ball", inside, ball, 2e-3);
    assert_true(fabs(centre[0]) < 2e-3 && fabs(centre[1]) < 2e-3 && fabs(centre[2]) < 2e-3);
    near("density in the middle", (double)lab.field[DENSITY][24 * 2304 + 24 * 48 + 24], 1, 1e-6);
    near("density in the corner", (double)lab.field[DENSITY][0], 0.02, 1e-6);
    assert_true(lab.field[MOMENTUM_X][0] == 0);
    close_lab(&lab);
}

/* The textbook's: density 1 and 1/8, pressure 1 and 1/10. */
static void test_tube(void **unused)
{
    (void)unused;
    struct lab lab = open_lab(1, 3, 64, "tube", "particles=6400 temperature=2.5 ratio=8 speed=0.5");
    for (size_t node = 0; node < lab.nodes; node++) {
        const bool dense = node % 64 >= 16 && node % 64 < 48;
        assert_true(lab.field[DENSITY][node] == (dense ? 1.0f : 0.125f));
        assert_true(fabs(0.4 * (double)lab.field[INTERNAL][node] - (dense ? 1 : 0.1)) < 1e-7);
        assert_true(lab.field[MOMENTUM_X][node] == 0.5f * lab.field[DENSITY][node]);
        assert_true(lab.field[MOMENTUM_Y][node] == 0);
    }
    near("mass of the particles", mean(lab.mass, 6400) * 6400,
         mean(lab.field[DENSITY], lab.nodes) * 3 / 64 / 64, 1e-3);
    close_lab(&lab);
}

/* The explosion has its energy, in one to three dimensions and at any radius, and is round: its
 * heat falls with the distance from the middle as it does along an axis. */
static void test_blast(void **unused)
{
    (void)unused;
    static const uint32_t boxes[][3] = {{48, 48, 48}, {1, 64, 64}, {1, 1, 64}, {1, 33, 33}};
    static const double radii[] = {0.0001, 0.01, 0.05};
    for (size_t i = 0; i < 12; i++) {
        const uint32_t *box = boxes[i / 3];
        char words[80];
        snprintf(words, sizeof(words), "particles=1 temperature=0.001 energy=3 radius=%g",
                 radii[i % 3]);
        struct lab lab = open_lab(box[0], box[1], box[2], "blast", words);
        const double volume = pow(lab.h, lab.start.axes);
        near("energy", mean(lab.field[ENERGY], lab.nodes) * (double)lab.nodes * volume,
             3 + 0.001 * (double)lab.nodes * volume, 2e-6);
        assert_true(rms(lab.field[DENSITY], lab.nodes, 1) == 0);
        const double width = fmax(radii[i % 3] / lab.h, 1.25), middle = box[2] / 2.0;
        for (size_t node = 0; node < lab.nodes; node++) {
            const size_t row = node / box[2];
            const double off = pow((double)(node % box[2]) - middle, 2) +
                               (box[1] > 1 ? pow((double)(row % box[1]) - middle, 2) : 0) +
                               (box[0] > 1 ? pow((double)(row / box[1]) - middle, 2) : 0);
            const double heat = 3 / pow(sqrt(pi) * width * lab.h, lab.start.axes);
            assert_true(fabs((double)lab.field[INTERNAL][node] - 0.001 -
                             heat * exp(-off / (width * width))) <= 1e-5 * heat);
        }
        close_lab(&lab);
    }
}

/* Even pressure, whatever the density. */
static void test_equilibrium(void **unused)
{
    (void)unused;
    struct lab lab = open_lab(1, 64, 64, "shear",
                              "particles=9000 temperature=2.5 ratio=4 speed=3 radius=0.03 "
                              "wave-strength=0.1 waves=8");
    near("pressure", 0.4 * mean(lab.field[INTERNAL], lab.nodes), 1, 1e-6);
    assert_true(rms(lab.field[INTERNAL], lab.nodes, 2.5) < 1e-6);
    near("density in the middle", (double)lab.field[DENSITY][32 * 64], 4, 1e-6);
    near("density outside", (double)lab.field[DENSITY][0], 1, 1e-6);
    near("the stream in the middle", (double)lab.field[MOMENTUM_X][32 * 64], 4 * 1.5, 1e-6);
    near("the stream outside", (double)lab.field[MOMENTUM_X][0], -1.5, 1e-6);
    assert_true(lab.field[MOMENTUM_Y][0] == 0);
    assert_true(rms(lab.field[MOMENTUM_Y] + 16 * 64, 64, 0) > 0.05);
    near("mass of the particles", mean(lab.mass, 9000) * 9000 * 64,
         mean(lab.field[DENSITY], lab.nodes), 2e-3);
    close_lab(&lab);

    lab = open_lab(1, 80, 80, "blast",
                   "particles=9000 temperature=2 ratio=9 energy=0 clumps=5 clump-size=0.15");
    assert_true(rms(lab.field[INTERNAL], lab.nodes, 2) < 1e-6);
    double most = 0;
    for (size_t node = 0; node < lab.nodes; node++) {
        const double r = (double)lab.field[DENSITY][node];
        most = fmax(most, r);
        assert_true(r >= 1);
    }
    assert_true(most > 8);
    near("mass of the particles", mean(lab.mass, 9000) * 9000 * 80,
         mean(lab.field[DENSITY], lab.nodes), 5e-3);
    close_lab(&lab);
}

/* --- recorded runs -------------------------------------------------------------------------- */

static void test_digests(void **unused)
{
    (void)unused;
    size_t wrong = 0;
    for (size_t i = 0; i < gas_case_count; i++) {
        const struct gas_case *row = &gas_cases[i];
        const struct gas_reference *reference = gas_reference_of(row);
        char digests[GAS_MOMENTS][GAS_DIGEST_SIZE] = {""};
        void *state = reference->begin(row);
        assert_non_null(state);
        bool same = true;
        for (uint32_t moment = 0, done = 0; moment < GAS_MOMENTS && row->digests[moment];
             moment++) {
            for (; done < gas_moments[moment]; done++) {
                assert_true(reference->step(state));
            }
            (void)gas_digest(reference, state, digests[moment]);
            same = same && strcmp(digests[moment], row->digests[moment]) == 0;
        }
        reference->end(state);
        if (same) {
            continue;
        }
        wrong++;
        print_error("GAS_CASE(\"%s\", \"%s\", %u, %u, %u, \"%s\",\n         \"%s\"", row->method,
                    row->name, row->width, row->height, row->depth, row->start, row->options);
        for (size_t moment = 0; moment < GAS_MOMENTS; moment++) {
            const char *quote = row->digests[moment] ? "\"" : "";
            print_error(",\n         %s%s%s", quote, *quote ? digests[moment] : "NULL", quote);
        }
        print_error(")\n");
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spectrum),
        cmocka_unit_test(test_sum_of_waves),
        cmocka_unit_test(test_particles_of_waves),
        cmocka_unit_test(test_even_places),
        cmocka_unit_test(test_cloud),
        cmocka_unit_test(test_tube),
        cmocka_unit_test(test_blast),
        cmocka_unit_test(test_equilibrium),
        cmocka_unit_test(test_digests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
