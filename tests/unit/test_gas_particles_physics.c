/* SPDX-License-Identifier: MIT */
/* The gas of particles against exact solutions; docs/sims/gas.md has the figures. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "gas_particles_physics.h"

/* Prints what was measured; `off` from `centre` by at most that much. */
static void need(const char *what, uint32_t side, double measured, double centre, double off)
{
    print_message("# %s, %u: %.6g (%.4g +- %.2g)\n", what, side, measured, centre, off);
    assert_true(measured >= centre - off && measured <= centre + off);
}

static void need_less(const char *what, uint32_t side, double measured, double limit)
{
    print_message("# %s, %u: %.4g (< %.4g)\n", what, side, measured, limit);
    assert_true(measured < limit);
}

static void test_tube(void **unused)
{
    (void)unused;
    static const double limits[] = {0.017, 0.0105, 0.0072};
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t side = 128u << i;
        const struct gas_sod sod = gas_sod(side, 0.0);
        need_less("tube, L1", side, sod.l1, limits[i]);
        if (side >= 256) {
            need("tube, displacement of the shock", side, sod.displacement, 1.0, 0.01);
            need("tube, density behind the shock / 0.265574", side, sod.post_shock / 0.265574, 1.0,
                 0.01);
        }
    }
}

static void test_tube_in_a_stream(void **unused)
{
    (void)unused;
    need_less("tube in a stream, L1", 256, gas_sod(256, 3.0).l1, 0.0105);
}

static void test_vacuum(void **unused)
{
    (void)unused;
    need_less("slab into vacuum, L1", 256, gas_vacuum_slab(256), 0.0096);
    need_less("slab into vacuum, L1", 512, gas_vacuum_slab(512), 0.0075);
}

static void test_sound(void **unused)
{
    (void)unused;
    static const double speed[] = {0.01, 0.004, 0.002};
    static const double amplitude[] = {0.92, 0.96, 0.98};
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t side = 32u << i;
        const struct gas_sound sound = gas_sound(side, 8);
        need("sound, speed", side, sound.speed, 1.0, speed[i]);
        need("sound, amplitude left", side, sound.amplitude, 0.5 * (amplitude[i] + 1.0),
             0.5 * (1.0 - amplitude[i]));
        need_less("sound, growth per half period", side, sound.growth, 1.0);
    }
}

static void test_jeans(void **unused)
{
    (void)unused;
    need("Jeans, frequency", 64, gas_jeans(64, 0.5), 1.0, 0.005);
    need("Jeans, frequency", 128, gas_jeans(128, 0.5), 1.0, 0.005);
    need("Jeans, growth", 64, gas_jeans(64, 2.0), 1.0, 0.02);
    need("Jeans, growth", 128, gas_jeans(128, 2.0), 1.0, 0.01);
}

static void test_pancake(void **unused)
{
    (void)unused;
    static const double limits[] = {0.05, 0.015, 0.005};
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t steps;
        double error = gas_pancake(32u << i, &steps);
        print_message("# %d steps\n", (int)steps);
        need_less("pancake, displacement", 32u << i, error, limits[i]);
    }
}

static void test_free_fall(void **unused)
{
    (void)unused;
    uint64_t steps;
    need("free fall, radius", 32, gas_free_fall(32, &steps), 1.0, 0.035);
    print_message("# %d steps\n", (int)steps);
    need("free fall, radius", 64, gas_free_fall(64, &steps), 1.0, 0.01);
    print_message("# %d steps\n", (int)steps);
}

static void test_blast(void **unused)
{
    (void)unused;
    const struct gas_sedov sedov = gas_sedov(24);
    print_message("# %d steps\n", (int)sedov.steps);
    need("blast, exponent", 24, sedov.exponent, 0.41, 0.03);
    need("blast, radius", 24, sedov.radius, 1.0, 0.03);
    need("blast, half height", 24, sedov.half_height, 0.0, 1.2);
}

static void test_advection(void **unused)
{
    (void)unused;
    const struct gas_advection advection = gas_advection(64);
    need("advection, speed", 64, advection.speed, 1.0, 0.02);
    need("advection, diffusivity", 64, advection.diffusivity, 0.0333, 0.007);
}

static void test_viscosity(void **unused)
{
    (void)unused;
    need("Gresho's vortex, kinetic energy left", 64, gas_gresho(64), 0.9, 0.1);
    need("vortices, viscosity / (c h)", 64, gas_vortex_viscosity(64), 0.015, 0.015);
    need("shear, viscosity / (c h)", 64, gas_shear_viscosity(64, 1.0), 0.0167, 0.005);
    need("the same beside a hot stripe", 64, gas_shear_viscosity(64, 25.0), 0.0167, 0.005);
}

static void test_drift(void **unused)
{
    (void)unused;
    const struct gas_drift tube = gas_sod_drift(128, 1000);
    need_less("tube, drift of energy", 128, tube.energy, 5e-6);
    const struct gas_drift shear = gas_shear_drift(24, 1000);
    need_less("shear, drift of energy", 24, shear.energy, 5e-6);
    need_less("shear, drift of momentum", 24, shear.momentum, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tube),      cmocka_unit_test(test_tube_in_a_stream),
        cmocka_unit_test(test_vacuum),    cmocka_unit_test(test_sound),
        cmocka_unit_test(test_jeans),     cmocka_unit_test(test_pancake),
        cmocka_unit_test(test_advection), cmocka_unit_test(test_free_fall),
        cmocka_unit_test(test_drift),     cmocka_unit_test(test_blast),
        cmocka_unit_test(test_viscosity),
    };
    return cmocka_run_group_tests_name("gas_particles_physics", tests, NULL, NULL);
}
