/* SPDX-License-Identifier: MIT */
#include "gas_start_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../numbers.h"
#include "base/exact.h"
#include "case_options.h"

enum { Z, Y, X };

static const double pi = 3.14159265358979323846;

bool gas_options_parse(const char *words, struct gas_options *options)
{
    *options = (struct gas_options){
        .gamma = 1.4,
        .dt = 0.015,
        .cfl = 0.4,
        .mixing = 0.1,
        .waves = 128,
        .wave_slope = -2,
        .wave_strength = 0.3,
        .temperature = 1,
        .mach = 2,
        .ratio = 8,
        .radius = 0.1,
        .energy = 1,
        .clump_size = 0.05,
        .planck = 1,
    };
    const struct case_option rows[] = {
        {"particles", .count = &options->particles},
        {"adiabatic-index", .real = &options->gamma},
        {"gravity", .real = &options->gravity},
        {"conductivity", .real = &options->conductivity},
        {"dt", .real = &options->dt},
        {"cfl", .real = &options->cfl},
        {"end-time", .real = &options->end_time},
        {"mixing", .real = &options->mixing},
        {"waves", .count = &options->waves},
        {"wave-slope", .real = &options->wave_slope},
        {"wave-strength", .real = &options->wave_strength},
        {"temperature", .real = &options->temperature},
        {"mach", .real = &options->mach},
        {"ratio", .real = &options->ratio},
        {"speed", .real = &options->speed},
        {"radius", .real = &options->radius},
        {"energy", .real = &options->energy},
        {"clumps", .count = &options->clumps},
        {"clump-size", .real = &options->clump_size},
        {"boltzmann", .real = &options->boltzmann},
        {"planck", .real = &options->planck},
        {"frequency", .real = options->frequency, .reals = 2},
        {"exchange-time", .real = &options->exchange_time},
    };
    return case_options_parse(words, rows, sizeof(rows) / sizeof(rows[0]));
}

/* A constant of the options. */
static float constant(double value)
{
    return vks_flush((float)value);
}

static uint32_t longest_side(const struct gas_start *start)
{
    uint32_t longest = start->side[Z];
    for (int axis = Y; axis <= X; axis++) {
        longest = start->side[axis] > longest ? start->side[axis] : longest;
    }
    return longest;
}

/* unit(r) */
static float unit(uint32_t r)
{
    return (float)(r >> 8) * 0x1p-24f;
}

/* --- the table of waves ---------------------------------------------------------------------- */

struct wave {
    double k[3], k2;
    float power;
};

static void direction(const struct gas_start *start, vks_uvec4 r, double vector[3])
{
    const vks_vec2 turn = vks_sincos(r.z);
    double part[3] = {(double)turn.x, (double)turn.y, 0};
    if (start->axes == 3) {
        const double u = 2 * (double)unit(r.y) - 1;
        part[0] = u;
        part[1] = sqrt(1 - u * u) * (double)turn.x;
        part[2] = sqrt(1 - u * u) * (double)turn.y;
    } else if (start->axes == 1) {
        part[0] = r.z >> 31 ? 1 : -1;
    }
    for (int axis = Z, next = 0; axis <= X; axis++) {
        vector[axis] = start->length[axis] > 0 ? part[next++] : 0;
    }
}

static void choose_wave(const struct gas_start *start, uint32_t i, struct gas_wave *row,
                        struct wave *wave)
{
    const bool shear = start->init == GAS_INIT_SHEAR;
    const double sixth = longest_side(start) / 6.0;
    const double highest = shear ? 8 : sixth > 2 ? sixth : 2;
    const vks_uvec4 r = vks_random(start->seed, i, 0, 2);
    const double octaves = (double)vks_log2((float)highest);
    const double m = (double)vks_exp2((float)((double)unit(r.x) * octaves));
    double e[3];
    direction(start, r, e);
    for (int axis = Z; axis <= X; axis++) {
        const bool none = start->length[axis] <= 0 || (shear && axis == Y);
        row->number[axis] = none ? 0 : (int32_t)floor(m * e[axis] * start->length[axis] + 0.5);
    }
    if (row->number[Z] == 0 && row->number[Y] == 0 && row->number[X] == 0) {
        row->number[shear ? X : start->along] = 1;
    }
    row->phase = r.w;
    wave->k2 = 0;
    for (int axis = Z; axis <= X; axis++) {
        const double length = start->length[axis];
        wave->k[axis] = length > 0 ? 2 * pi * row->number[axis] / length : 0;
        wave->k2 += wave->k[axis] * wave->k[axis];
    }
    wave->power = vks_pow((float)(sqrt(wave->k2) / (2 * pi)),
                          (float)(start->axes + start->options.wave_slope));
}

/* b of a wave of amplitude A. */
static void vector_of(const struct gas_start *start, uint32_t i, const struct wave *wave,
                      double amplitude, double b[3])
{
    double e[3], along = 0, square = 0;
    b[Z] = b[Y] = b[X] = 0;
    if (wave->k2 <= 0) {
        return;
    }
    switch (start->init) {
    case GAS_INIT_WAVES:
        for (int axis = Z; axis <= X; axis++) {
            b[axis] = -amplitude * wave->k[axis] / wave->k2;
        }
        return;
    case GAS_INIT_SHEAR:
        b[Y] = amplitude;
        return;
    default:
        break;
    }
    direction(start, vks_random(start->seed, i, 0, 3), e);
    for (int axis = Z; axis <= X; axis++) {
        along += e[axis] * wave->k[axis] / wave->k2;
    }
    for (int axis = Z; axis <= X; axis++) {
        e[axis] -= along * wave->k[axis];
        square += e[axis] * e[axis];
    }
    for (int axis = Z; axis <= X; axis++) {
        b[axis] = square > 1e-12 ? e[axis] * (amplitude / sqrt(square)) : 0;
    }
}

static double strength(const struct gas_start *start)
{
    const struct gas_options *o = &start->options;
    switch (start->init) {
    case GAS_INIT_CLOUD:
        return o->mach * sqrt(o->gamma * (o->gamma - 1) * o->temperature);
    case GAS_INIT_SHEAR:
        return o->wave_strength * o->speed;
    default:
        return o->wave_strength;
    }
}

static void fill_waves(struct gas_start *start)
{
    const uint32_t count = (uint32_t)start->options.waves;
    struct wave wave;
    double powers = 0;
    for (uint32_t i = 0; i < count; i++) {
        choose_wave(start, i, &start->waves[i], &wave);
        powers += (double)wave.power;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct gas_wave *row = &start->waves[i];
        double b[3];
        choose_wave(start, i, row, &wave);
        const double amplitude =
            powers > 0 ? strength(start) * sqrt(2 * (double)wave.power / powers) : 0;
        vector_of(start, i, &wave, amplitude, b);
        row->density = start->init == GAS_INIT_WAVES ? constant(amplitude) : 0;
        for (int axis = Z; axis <= X; axis++) {
            row->vector[axis] = constant(b[axis]);
        }
    }
}

bool gas_start_init(struct gas_start *start, const char *init, uint32_t depth, uint32_t height,
                    uint32_t width, uint32_t seed, const struct gas_options *options)
{
    static const char *const names[] = {"waves", "cloud", "tube", "blast", "shear", NULL};
    const int kind = case_name_index(init, names);
    *start = (struct gas_start){.init = (enum gas_init)kind,
                                .side = {depth, height, width},
                                .seed = seed,
                                .options = *options};
    const uint32_t longest = longest_side(start);
    for (uint32_t axis = Z; axis <= X; axis++) {
        const uint32_t side = start->side[axis];
        start->length[axis] = side > 1 ? (double)side / longest : 0;
        start->axes += side > 1;
        start->along = side == longest ? axis : start->along;
    }
    start->waves = calloc(options->waves + 1, sizeof(*start->waves));
    if (kind < 0 || !start->waves) {
        return false;
    }
    fill_waves(start);
    return true;
}

void gas_start_free(struct gas_start *start)
{
    free(start->waves);
    start->waves = NULL;
}

/* --- the gas at a place ---------------------------------------------------------------------- */

/* way(a, b) */
static void way(const struct gas_start *start, const uint32_t a[3], const uint32_t b[3],
                float out[3])
{
    for (int axis = Z; axis <= X; axis++) {
        /* an arithmetic shift of int32_t rounds down on all supported compilers */
        const float turns = (float)((int32_t)(b[axis] - a[axis]) >> 8) * 0x1p-24f;
        out[axis] = vks_flush(turns * constant(start->length[axis]));
    }
}

static float square(const float v[3])
{
    return (v[Z] * v[Z] + v[Y] * v[Y]) + v[X] * v[X];
}

static float step(float t)
{
    return t <= 0 ? 0 : t >= 1 ? 1 : (t * t) * (3.0f - 2.0f * t);
}

/* S, and V in `vector`. */
static float sum_waves(const struct gas_start *start, const uint32_t place[3], float vector[3])
{
    float density = 0, sum[3] = {0};
    for (uint64_t i = 0; i < start->options.waves; i++) {
        const struct gas_wave *row = &start->waves[i];
        uint32_t angle = row->phase;
        for (int axis = Z; axis <= X; axis++) {
            angle += (uint32_t)row->number[axis] * place[axis];
        }
        const vks_vec2 turn = vks_sincos(angle);
        density = density + row->density * turn.y;
        for (int axis = Z; axis <= X; axis++) {
            sum[axis] = sum[axis] + row->vector[axis] * turn.x;
        }
    }
    for (int axis = Z; axis <= X; axis++) {
        vector[axis] = vks_flush(sum[axis]);
    }
    return vks_flush(density);
}

static const uint32_t centre[3] = {UINT32_C(1) << 31, UINT32_C(1) << 31, UINT32_C(1) << 31};

static struct gas_matter blast(const struct gas_start *start, const uint32_t place[3])
{
    const struct gas_options *o = &start->options;
    const float more = constant(o->ratio) - 1.0f;
    const float per_clump = constant(1 / (o->clump_size * o->clump_size));
    const double radius = fmax(o->radius, 1.25 / longest_side(start));
    const float per_area = constant(1 / (radius * radius));
    double spread = pow(pi, start->axes / 2.0);
    float density = 1.0f, off[3];
    for (uint32_t i = 0; i < o->clumps; i++) {
        const vks_uvec4 r = vks_random(start->seed, i, 0, 4);
        way(start, (const uint32_t[]){r.x, r.y, r.z}, place, off);
        const float d = square(off) * per_clump;
        if (d < 1.0f) {
            density = density + step(1.0f - d) * more;
        }
    }
    for (unsigned axis = 0; axis < start->axes; axis++) {
        spread *= radius;
    }
    const float v = vks_reciprocal(density);
    float heat = constant(o->temperature) * v;
    way(start, centre, place, off);
    const float x = square(off) * per_area;
    if (x < 40.0f) {
        heat = heat + vks_flush(constant(o->energy / spread) * vks_exp(-x)) * v;
    }
    return (struct gas_matter){vks_flush(density), {0}, vks_flush(heat)};
}

static struct gas_matter shear(const struct gas_start *start, const uint32_t place[3])
{
    const struct gas_options *o = &start->options;
    const float per_edge = constant(1 / o->radius), quarter = 0.25f * constant(start->length[Y]);
    float off[3], u[3];
    way(start, centre, place, off);
    const float t = (quarter - fabsf(off[Y])) * per_edge;
    const float share = step(t + 0.5f);
    const float density = share * (constant(o->ratio) - 1.0f) + 1.0f;
    const float heat = constant(o->temperature) * vks_reciprocal(density);
    const float near = t * 0.25f;
    const float n = fmaxf(0, 1.0f - near * near);
    sum_waves(start, place, u);
    for (int axis = Z; axis <= X; axis++) {
        u[axis] = u[axis] * (n * n);
    }
    u[X] = (share - 0.5f) * constant(o->speed) + u[X];
    return (struct gas_matter){
        vks_flush(density), {vks_flush(u[Z]), vks_flush(u[Y]), vks_flush(u[X])}, vks_flush(heat)};
}

static struct gas_matter cloud(const struct gas_start *start, const uint32_t place[3])
{
    const struct gas_options *o = &start->options;
    const float per_ratio = constant(1 / o->ratio), per_edge = constant(1 / (o->radius / 10));
    float off[3], u[3];
    way(start, centre, place, off);
    const float far = vks_sqrt(vks_flush(square(off)));
    const float share = step((constant(o->radius) - far) * per_edge + 1.0f);
    const float density = (1.0f - per_ratio) * share + per_ratio;
    sum_waves(start, place, u);
    for (int axis = Z; axis <= X; axis++) {
        u[axis] = vks_flush(u[axis] * share);
    }
    return (struct gas_matter){vks_flush(density), {u[Z], u[Y], u[X]}, constant(o->temperature)};
}

static struct gas_matter tube(const struct gas_start *start, const uint32_t place[3])
{
    const struct gas_options *o = &start->options;
    const float temperature = constant(o->temperature);
    struct gas_matter matter = {1.0f, {0}, temperature};
    if ((place[start->along] + (UINT32_C(1) << 30)) >> 31 == 0) {
        matter.density = constant(1 / o->ratio);
        matter.heat = vks_flush(0.8f * temperature);
    }
    matter.velocity[start->along] = constant(o->speed);
    return matter;
}

static float growth(const struct gas_start *start)
{
    return constant(sqrt(4 * pi * start->options.gravity));
}

static struct gas_matter waves(const struct gas_start *start, const uint32_t place[3])
{
    struct gas_matter matter = {.heat = constant(start->options.temperature)};
    matter.density = fmaxf(1.0f + sum_waves(start, place, matter.velocity), 0.05f);
    for (int axis = Z; axis <= X; axis++) {
        matter.velocity[axis] = vks_flush(matter.velocity[axis] * growth(start));
    }
    return matter;
}

struct gas_matter gas_start_at(const struct gas_start *start, const uint32_t place[3])
{
    switch (start->init) {
    case GAS_INIT_CLOUD:
        return cloud(start, place);
    case GAS_INIT_TUBE:
        return tube(start, place);
    case GAS_INIT_BLAST:
        return blast(start, place);
    case GAS_INIT_SHEAR:
        return shear(start, place);
    default:
        return waves(start, place);
    }
}

/* --- what carries it ------------------------------------------------------------------------- */

void gas_start_grid(const struct gas_start *start, float *const field[6])
{
    size_t node = 0;
    uint32_t at[3];
    for (at[Z] = 0; at[Z] < start->side[Z]; at[Z]++) {
        for (at[Y] = 0; at[Y] < start->side[Y]; at[Y]++) {
            for (at[X] = 0; at[X] < start->side[X]; at[X]++, node++) {
                uint32_t place[3];
                for (int axis = Z; axis <= X; axis++) {
                    place[axis] = at[axis] * (uint32_t)((UINT64_C(1) << 32) / start->side[axis]);
                }
                const struct gas_matter matter = gas_start_at(start, place);
                const float r = matter.density, heat = vks_flush(r * matter.heat);
                field[0][node] = r;
                for (int axis = Z; axis <= X; axis++) {
                    field[1 + axis][node] = vks_flush(r * matter.velocity[axis]);
                }
                field[4][node] = vks_flush(heat + vks_flush(0.5f * r) * square(matter.velocity));
                field[5][node] = heat;
            }
        }
    }
}

/* f_j of particle i, for as many as there are active axes. */
static void even_numbers(unsigned axes, uint32_t i, uint32_t f[3])
{
    double g = 1.5, power = 1;
    for (int round = 0; round < 100; round++) { /* Newton's iteration */
        const double high = pow(g, axes);
        g -= (high * g - g - 1) / ((axes + 1) * high - 1);
    }
    for (unsigned j = 0; j < 3; j++) {
        power *= g;
        const uint32_t s = j < axes ? (uint32_t)floor(4294967296.0 / power + 0.5) : 0;
        f[j] = (UINT32_C(1) << 31) + i * s;
    }
}

/* J: the max displacement of numbers. */
static uint32_t jitter_of(const struct gas_start *start)
{
    if (start->init != GAS_INIT_CLOUD && start->init != GAS_INIT_WAVES) {
        return 0;
    }
    uint64_t side = 1;
    while (pow((double)side, start->axes) < (double)start->options.particles && start->axes > 0) {
        side++;
    }
    return (uint32_t)(UINT32_MAX / side);
}

/* w of --init cloud, in the order of the active axes. */
static void into_ball(const struct gas_start *start, const uint32_t f[3], float w[3])
{
    const float radius = constant(start->options.radius);
    float e[3] = {2.0f * unit(f[0]) - 1.0f, 0, 0};
    if (start->axes == 3) {
        const float u = 2.0f * unit(f[1]) - 1.0f;
        const float flat = vks_sqrt(vks_flush(fmaxf(1.0f - u * u, 0)));
        const float out = vks_pow(unit(f[0]), 1.0f / 3.0f);
        const vks_vec2 turn = vks_sincos(f[2]);
        e[0] = u * out;
        e[1] = (turn.x * flat) * out;
        e[2] = (turn.y * flat) * out;
    } else if (start->axes == 2) {
        const float out = vks_sqrt(unit(f[0]));
        const vks_vec2 turn = vks_sincos(f[1]);
        e[0] = turn.x * out;
        e[1] = turn.y * out;
    }
    for (int i = 0; i < 3; i++) {
        w[i] = vks_flush(e[i] * radius);
    }
}

/* Volumes: all of the box, the thin gas of --init cloud, and the rest of its ball. */
static void volumes(const struct gas_start *start, double *box, double *thin, double *ball)
{
    const double h = 1.0 / longest_side(start), r = start->options.radius;
    const double nodes = (double)start->side[Z] * start->side[Y] * start->side[X];
    const double whole = start->axes == 3   ? 4.0 / 3 * pi * r * r * r
                         : start->axes == 2 ? pi * r * r * h
                                            : 2 * r * h * h;
    *box = nodes * (h * h * h);
    *thin = *box / start->options.ratio;
    *ball = whole * (1 - 1 / start->options.ratio);
}

void gas_start_particles(const struct gas_start *start, uint32_t *const position[3],
                         float *const velocity[3], float *mass, float *heat)
{
    const double count = (double)start->options.particles;
    const bool is_cloud = start->init == GAS_INIT_CLOUD, is_waves = start->init == GAS_INIT_WAVES;
    double box, thin, ball;
    volumes(start, &box, &thin, &ball);
    const float own = constant((is_cloud ? thin + ball : box) / count);
    const uint32_t jitter = jitter_of(start);
    const uint32_t outside = (uint32_t)floor(count * (thin / (thin + ball)) + 0.5);
    for (uint32_t i = 0; i < start->options.particles; i++) {
        uint32_t f[3], place[3] = {0};
        float w[3], moves[3] = {0};
        even_numbers(start->axes, i, f);
        const vks_uvec4 random = vks_random(start->seed, i, 0, 5);
        const uint32_t more[3] = {random.x, random.y, random.z};
        for (unsigned j = 0; j < start->axes; j++) {
            f[j] += vks_high(more[j], jitter);
        }
        into_ball(start, f, w);
        for (int axis = Z, next = 0; axis <= X; axis++) {
            if (start->length[axis] > 0) {
                place[axis] = f[next];
                moves[axis] = w[next++];
            }
        }
        const bool inside = is_cloud && i >= outside;
        if (is_waves) {
            sum_waves(start, place, moves);
        }
        for (int axis = Z; axis <= X && (is_waves || inside); axis++) {
            const double length = start->length[axis];
            place[axis] = (inside ? centre[axis] : place[axis]) +
                          vks_displacement(moves[axis], constant(length > 0 ? 1 / length : 0));
        }
        struct gas_matter matter = {.density = 1, .heat = constant(start->options.temperature)};
        if (is_waves) {
            for (int axis = Z; axis <= X; axis++) {
                matter.velocity[axis] = vks_flush(moves[axis] * growth(start));
            }
        } else {
            matter = gas_start_at(start, place);
        }
        for (int axis = Z; axis <= X; axis++) {
            position[axis][i] = place[axis];
            velocity[axis][i] = matter.velocity[axis];
        }
        mass[i] = is_cloud || is_waves ? own : vks_flush(own * matter.density);
        heat[i] = matter.heat;
    }
}

void gas_start_frequencies(const struct gas_start *start, float *frequency)
{
    const float low = constant(start->options.frequency[0]);
    const float range = constant(start->options.frequency[1] - start->options.frequency[0]);
    for (uint32_t i = 0; i < start->options.particles; i++) {
        frequency[i] = vks_flush(low + unit(vks_random(start->seed, i, 0, 6).x) * range);
    }
}
