/* SPDX-License-Identifier: MIT */
#include "gas_exact.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static double sound(const struct gas_exact_state *w, double gamma)
{
    return w->density > 0.0 ? sqrt(gamma * w->p / w->density) : 0.0;
}

/* --- Riemann problems --------------------------------------------------------------------- */

/* Change of velocity over a wave to pressure p, and its derivative. */
static double wave(const struct gas_exact_state *w, double gamma, double p, double *slope)
{
    double c = sound(w, gamma);
    if (p > w->p) {
        double a = 2.0 / ((gamma + 1.0) * w->density), b = (gamma - 1.0) / (gamma + 1.0) * w->p;
        double root = sqrt(a / (p + b));
        *slope = root * (1.0 - 0.5 * (p - w->p) / (p + b));
        return (p - w->p) * root;
    }
    double ratio = p / w->p;
    *slope = pow(ratio, -(gamma + 1.0) / (2.0 * gamma)) / (w->density * c);
    return 2.0 * c / (gamma - 1.0) * (pow(ratio, (gamma - 1.0) / (2.0 * gamma)) - 1.0);
}

void gas_exact_star(const struct gas_exact_state *left, const struct gas_exact_state *right,
                    double gamma, double *p, double *u)
{
    double at = 0.5 * (left->p + right->p), l = 0.0, r = 0.0;
    for (int i = 0; i < 60; i++) {
        double slope_l, slope_r;
        l = wave(left, gamma, at, &slope_l);
        r = wave(right, gamma, at, &slope_r);
        at = fmax(1e-3 * at, at - (l + r + right->u - left->u) / (slope_l + slope_r));
    }
    *p = at;
    *u = 0.5 * (left->u + right->u) + 0.5 * (r - l);
}

/* Inside of a rarefaction that runs down x into `left`. */
static struct gas_exact_state fan(const struct gas_exact_state *left, double gamma, double speed)
{
    double c0 = sound(left, gamma);
    double c = (2.0 * c0 + (gamma - 1.0) * (left->u - speed)) / (gamma + 1.0);
    double density = left->density * pow(c / c0, 2.0 / (gamma - 1.0));
    return (struct gas_exact_state){density, speed + c, density * c * c / gamma};
}

/* The left side of the contact. */
static struct gas_exact_state behind(const struct gas_exact_state *left, double gamma, double p,
                                     double u, double speed)
{
    double c = sound(left, gamma), ratio = p / left->p;
    if (p > left->p) {
        double strength = (gamma + 1.0) / (2.0 * gamma) * ratio + (gamma - 1.0) / (2.0 * gamma);
        double mu = (gamma - 1.0) / (gamma + 1.0);
        return speed < left->u - c * sqrt(strength)
                   ? *left
                   : (struct gas_exact_state){left->density * (ratio + mu) / (mu * ratio + 1.0), u,
                                              p};
    }
    if (speed < left->u - c) {
        return *left;
    }
    struct gas_exact_state star = {left->density * pow(ratio, 1.0 / gamma), u, p};
    return speed > u - sound(&star, gamma) ? star : fan(left, gamma, speed);
}

static struct gas_exact_state mirrored(struct gas_exact_state w)
{
    w.u = -w.u;
    return w;
}

struct gas_exact_state gas_exact_riemann(const struct gas_exact_state *left,
                                         const struct gas_exact_state *right, double gamma,
                                         double speed)
{
    if (!(right->density > 0.0)) {
        double c = sound(left, gamma);
        return speed < left->u - c ? *left
               : speed < left->u + 2.0 * c / (gamma - 1.0)
                   ? fan(left, gamma, speed)
                   : (struct gas_exact_state){0.0, 0.0, 0.0};
    }
    double p, u;
    gas_exact_star(left, right, gamma, &p, &u);
    if (speed < u) {
        return behind(left, gamma, p, u, speed);
    }
    struct gas_exact_state flipped = mirrored(*right);
    return mirrored(behind(&flipped, gamma, p, -u, -speed));
}

struct gas_exact_slab gas_exact_sod(double speed)
{
    return (struct gas_exact_slab){
        .slab = {1.0, speed, 1.0},
        .around = {0.125, speed, 0.1},
        .lower = 0.25,
        .upper = 0.75,
        .gamma = 1.4,
    };
}

struct gas_exact_state gas_exact_in_slab(const struct gas_exact_slab *problem, double x, double t)
{
    double from_middle = x - 0.5 * (problem->lower + problem->upper);
    double drift = problem->slab.u * t;
    from_middle -= drift;
    from_middle -= floor(from_middle + 0.5);
    double half = 0.5 * (problem->upper - problem->lower);
    struct gas_exact_state slab = problem->slab, around = problem->around;
    around.u -= slab.u;
    double boost = slab.u;
    slab.u = 0.0;
    struct gas_exact_state w;
    if (from_middle >= 0.0) {
        w = gas_exact_riemann(&slab, &around, problem->gamma, (from_middle - half) / t);
    } else {
        around.u = -around.u;
        w = mirrored(gas_exact_riemann(&slab, &around, problem->gamma, (-from_middle - half) / t));
    }
    w.u += boost;
    return w;
}

double gas_exact_slab_density(const struct gas_exact_slab *problem, size_t node, size_t nodes,
                              double t)
{
    enum { SAMPLES = 16 };
    double sum = 0.0;
    for (int s = 0; s < SAMPLES; s++) {
        double x = ((double)node + (s + 0.5) / SAMPLES - 0.5) / (double)nodes;
        sum += gas_exact_in_slab(problem, x, t).density / SAMPLES;
    }
    return sum;
}

struct gas_exact_shock gas_exact_slab_shock(const struct gas_exact_slab *problem)
{
    double p, u;
    const struct gas_exact_state *around = &problem->around;
    gas_exact_star(&problem->slab, around, problem->gamma, &p, &u);
    double mu = (problem->gamma - 1.0) / (problem->gamma + 1.0), ratio = p / around->p;
    double density = around->density * (ratio + mu) / (mu * ratio + 1.0);
    return (struct gas_exact_shock){u, density, u * density / (density - around->density)};
}

/* --- a wave of finite amplitude ------------------------------------------------------------ */

struct gas_exact_state gas_exact_sound(double amplitude, double gamma, double x, double t)
{
    double u = 0.0;
    for (int i = 0; i < 60; i++) { /* u is constant along dx/dt = u + c */
        u = amplitude * sin(2.0 * pi * (x - (1.0 + 0.5 * (gamma + 1.0) * u) * t));
    }
    double c = 1.0 + 0.5 * (gamma - 1.0) * u;
    double density = pow(c, 2.0 / (gamma - 1.0));
    return (struct gas_exact_state){density, u, density * c * c / gamma};
}

/* --- a point blast ------------------------------------------------------------------------- */

struct gas_exact_blast gas_exact_sedov(double gamma)
{
    enum { STEPS = 200000 };
    const double g = gamma;
    const double n1 = -(13.0 * g * g - 7.0 * g + 12.0) / ((3.0 * g - 1.0) * (2.0 * g + 1.0));
    const double n2 = 5.0 * (g - 1.0) / (2.0 * g + 1.0), n3 = 3.0 / (2.0 * g + 1.0);
    const double n4 = -n1 / (2.0 - g), n5 = -2.0 / (2.0 - g);
    /* The reduced velocity v goes from 1 / gamma in the middle to 2 / (gamma + 1) at the front. */
    double energy = 0.0, moment = 0.0, last_radius = 0.0, last_heat = 0.0;
    for (int i = 1; i <= STEPS; i++) {
        double s = (double)i / STEPS, width = 2.0 / (g + 1.0) - 1.0 / g;
        double rise = width * s * s * s * s, v = 1.0 / g + rise;
        double a = (g + 1.0) / (g - 1.0) * g * rise;
        double b = (g + 1.0) / (7.0 - g) * (5.0 - (3.0 * g - 1.0) * v);
        double d = (g + 1.0) / (g - 1.0) * (1.0 - v);
        double radius = pow(pow(0.5 * (g + 1.0) * v, -2.0) * pow(b, n1) * pow(a, n2), 0.2);
        double density = (g + 1.0) / (g - 1.0) * pow(a, n3) * pow(b, n4) * pow(d, n5);
        double z = g * (g - 1.0) * (1.0 - v) * v * v / (2.0 * g * rise);
        double heat = density * (0.5 * v * v + z / (g * (g - 1.0))) * radius * radius;
        double mean = 0.5 * (heat + (i == 1 ? heat : last_heat));
        energy += mean * (pow(radius, 3.0) - pow(last_radius, 3.0)) / 3.0;
        moment += mean * (pow(radius, 4.0) - pow(last_radius, 4.0)) / 4.0;
        last_radius = radius;
        last_heat = heat;
    }
    return (struct gas_exact_blast){pow(16.0 * pi / 25.0 * energy, -0.2), moment / energy};
}

double gas_shell_radius(const float *density, uint32_t side)
{
    enum { SHELLS = 256 };
    double sum[SHELLS] = {0.0}, count[SHELLS] = {0.0}, middle = side / 2;
    uint32_t shells = side / 2, peak = 0;
    for (size_t node = 0; node < (size_t)side * side * side; node++) {
        double z = (double)(node / side / side) - middle;
        double y = (double)(node / side % side) - middle;
        double x = (double)(node % side) - middle;
        uint32_t shell = (uint32_t)sqrt(z * z + y * y + x * x);
        if (shell < shells && shell < SHELLS) {
            sum[shell] += density[node];
            count[shell] += 1.0;
        }
    }
    for (uint32_t i = 0; i < shells; i++) {
        sum[i] /= count[i];
        peak = sum[i] > sum[peak] ? i : peak;
    }
    double half = 0.5 * (sum[peak] + 1.0);
    uint32_t i = peak;
    while (i + 2 < shells && sum[i + 1] > half) {
        i++;
    }
    return (i + 0.5 + (sum[i] - half) / (sum[i] - sum[i + 1])) / side;
}

void gas_power_law_add(struct gas_power_law *law, double x, double y)
{
    law->count += 1.0;
    law->x += log(x);
    law->y += log(y);
    law->xx += log(x) * log(x);
    law->xy += log(x) * log(y);
}

double gas_power_law_exponent(const struct gas_power_law *law)
{
    return (law->count * law->xy - law->x * law->y) / (law->count * law->xx - law->x * law->x);
}
