/* SPDX-License-Identifier: MIT */
/* Initial conditions of the gas: constants and the table of waves. docs/sims/gas.md. */
#include <math.h>

#include "base/exact.h"
#include "base/memory.h"
#include "sim/gas/gas.h"

static const double pi = 3.14159265358979323846;

/* Length of the box along an axis; 0 for an inert one. */
static double side_of(const struct vks_config *config, size_t axis)
{
    uint32_t sides[3];
    vks_gas_sides(config, sides);
    return sides[axis] > 1 ? (double)sides[axis] / vks_gas_longest(config) : 0;
}

static unsigned active_axes(const struct vks_config *config)
{
    unsigned count = 0;
    for (size_t axis = 0; axis < 3; axis++) {
        count += side_of(config, axis) > 0;
    }
    return count;
}

/* The longest axis; of several, the last. */
static uint32_t longest_axis(const struct vks_config *config)
{
    uint32_t longest = 0;
    for (uint32_t axis = 1; axis < 3; axis++) {
        longest = side_of(config, axis) >= side_of(config, longest) ? axis : longest;
    }
    return longest;
}

/* Velocity per displacement of waves that grew by gravity alone. */
static double growth_of(const struct gas_settings *s)
{
    return sqrt(4 * pi * s->gravity);
}

/* The radius; that of a blast is at least what nodes sample without an error of its energy. */
static double radius_of(const struct vks_config *config)
{
    const struct gas_settings *s = config->settings;
    const double min_nodes = 1.25; /* the sum over the nodes is then within 1e-6 of the integral */
    return config->start == GAS_BLAST ? fmax(s->radius, min_nodes / vks_gas_longest(config))
                                      : s->radius;
}

struct gas_start_params vks_gas_start_params(const struct vks_config *config)
{
    const struct gas_settings *s = config->settings;
    const double radius = radius_of(config);
    const double balls[] = {1, 1.7724538509055161, pi, 5.568327996831708}; /* pi^(axes / 2) */
    double area = 1;
    uint32_t sides[3], here[3];
    vks_gas_sides(config, sides);
    vks_gas_sides_here(config, here);
    for (unsigned i = 0; i < active_axes(config); i++) {
        area *= radius;
    }
    /* The edge of a ball has a width of a tenth of its radius. */
    const double edge = config->start == GAS_SHEAR ? radius : radius / 10;
    return (struct gas_start_params){
        .width = here[2],
        .height = here[1],
        .depth = here[0],
        .seed = config->seed,
        .modes = (uint32_t)s->waves,
        .clumps = (uint32_t)s->clumps,
        .axis = longest_axis(config),
        .node_z = (uint32_t)(UINT64_C(0x100000000) / sides[0]),
        .node_y = (uint32_t)(UINT64_C(0x100000000) / sides[1]),
        .node_x = (uint32_t)(UINT64_C(0x100000000) / sides[2]),
        .side_z = vks_real(side_of(config, 0)),
        .side_y = vks_real(side_of(config, 1)),
        .side_x = vks_real(side_of(config, 2)),
        .temperature = vks_real(s->temperature),
        .ratio = vks_real(s->ratio),
        .per_ratio = vks_real(1 / s->ratio),
        .speed = vks_real(s->speed),
        .growth = vks_real(growth_of(s)),
        .radius = vks_real(radius),
        .per_edge = vks_real(1 / edge),
        .per_area = vks_real(1 / (radius * radius)),
        .peak = vks_real(s->energy / (balls[active_axes(config)] * area)),
        .per_clump = vks_real(1 / (s->clump_size * s->clump_size)),
    };
}

/* Volume of a node. */
static double cell_of(const struct vks_config *config)
{
    const double h = 1.0 / vks_gas_longest(config);
    return h * h * h;
}

/* Volume of the ball of --init cloud; an area or a length in flat boxes. */
static double ball_of(const struct vks_config *config)
{
    const struct gas_settings *s = config->settings;
    const double h = 1.0 / vks_gas_longest(config), r = s->radius;
    switch (active_axes(config)) {
    case 3:
        return 4.0 / 3 * pi * r * r * r;
    case 2:
        return pi * r * r * h;
    default:
        return 2 * r * h * h;
    }
}

/* Spacing of particles, as a fraction of the side in 2^-32. */
static uint32_t spacing_of(const struct vks_config *config, uint64_t count)
{
    const unsigned axes = active_axes(config);
    const double root = axes == 3 ? cbrt((double)count) : sqrt((double)count);
    uint64_t side = axes < 2 ? count : (uint64_t)root; /* cbrt() may be slightly off */
    side = side > 2 && axes > 1 ? side - 2 : 1;
    for (uint64_t places = 0; places < count && axes > 1; side += places < count) {
        places = side * side * (axes == 3 ? side : 1);
    }
    return UINT32_MAX / (uint32_t)(axes == 1 ? count : side);
}

struct gas_start_params vks_gas_start_particles(const struct vks_config *config)
{
    const struct gas_settings *s = config->settings;
    struct gas_start_params params = vks_gas_start_params(config);
    const double volume = vks_gas_nodes(config) * cell_of(config);
    const double thin = volume / s->ratio, ball = ball_of(config) * (1 - 1 / s->ratio);
    const double total = config->start == GAS_CLOUD ? thin + ball : volume;
    const double count = (double)vks_gas_count(config);
    params.particles = (uint32_t)count;
    params.outside = (uint32_t)floor(count * (thin / (thin + ball)) + 0.5);
    params.jitter = config->start == GAS_WAVES || config->start == GAS_CLOUD
                        ? spacing_of(config, vks_gas_count(config))
                        : 0;
    params.mass = vks_real(total / count);
    params.per_side_z = vks_real(side_of(config, 0) > 0 ? 1 / side_of(config, 0) : 0);
    params.per_side_y = vks_real(side_of(config, 1) > 0 ? 1 / side_of(config, 1) : 0);
    params.per_side_x = vks_real(side_of(config, 2) > 0 ? 1 / side_of(config, 2) : 0);
    return params;
}

/* --- waves ----------------------------------------------------------------------------------- */

struct wave {
    int32_t numbers[3]; /* z, y, x */
    double k[3];        /* 2 pi numbers / side */
    double square;      /* |k|^2 */
    float power;
};

/* A number in [0, 1). */
static float share(uint32_t word)
{
    return (float)(word >> 8) * 0x1p-24f;
}

/* A random unit vector along the active axes, uniform over the sphere, circle or line. */
static void direction_of(const struct vks_config *config, const vks_uvec4 *random, double vector[3])
{
    const unsigned axes = active_axes(config);
    const vks_vec2 turn = vks_sincos(random->z);
    const double up = axes == 3 ? 2 * (double)share(random->y) - 1 : 0;
    const double flat = sqrt(1 - up * up);
    const double parts[3] = {up, flat * (double)turn.x, flat * (double)turn.y};
    size_t next = axes == 3 ? 0 : 1;
    for (size_t axis = 0; axis < 3; axis++) {
        vector[axis] = 0;
        if (side_of(config, axis) > 0) {
            vector[axis] = axes == 1 ? (random->z >> 31 ? 1 : -1) : parts[next++];
        }
    }
}

/* Wave numbers from 1 to `highest` per longest side, log-uniform. */
static void choose_wave(const struct vks_config *config, uint32_t index, double highest,
                        struct wave *wave)
{
    const struct gas_settings *s = config->settings;
    const vks_uvec4 random = vks_random(config->seed, index, 0, 2);
    const float octaves = vks_log2((float)highest);
    const double magnitude = (double)vks_exp2(share(random.x) * octaves);
    const bool flat = config->start == GAS_SHEAR; /* only waves along the streams */
    double vector[3];
    uint64_t any = 0;
    direction_of(config, &random, vector);
    for (size_t axis = 0; axis < 3; axis++) {
        const double number = magnitude * vector[axis] * side_of(config, axis);
        wave->numbers[axis] = flat && axis == 1 ? 0 : (int32_t)floor(number + 0.5);
        any |= wave->numbers[axis] != 0;
    }
    if (!any) {
        wave->numbers[flat ? 2 : longest_axis(config)] = 1;
    }
    wave->square = 0;
    for (size_t axis = 0; axis < 3; axis++) {
        const double side = side_of(config, axis);
        wave->k[axis] = side > 0 ? 2 * pi * wave->numbers[axis] / side : 0;
        wave->square += wave->k[axis] * wave->k[axis];
    }
    const double per_turn = sqrt(wave->square) / (2 * pi);
    wave->power = vks_pow((float)per_turn, (float)(active_axes(config) + s->wave_slope));
}

/* The displacement or velocity of the gas in a wave of this amplitude. */
static void vector_of(const struct vks_config *config, const struct wave *wave, uint32_t index,
                      double amplitude, double vector[3])
{
    if (wave->square == 0) { /* a box of one node */
        vector[0] = vector[1] = vector[2] = 0;
        return;
    }
    if (config->start == GAS_WAVES) { /* the displacement that gives the density */
        for (size_t axis = 0; axis < 3; axis++) {
            vector[axis] = -amplitude * wave->k[axis] / wave->square;
        }
        return;
    }
    if (config->start == GAS_SHEAR) {
        vector[0] = vector[2] = 0;
        vector[1] = amplitude;
        return;
    }
    /* Transverse, so that the velocity is divergence-free. */
    const vks_uvec4 random = vks_random(config->seed, index, 0, 3);
    double along = 0, square = 0;
    direction_of(config, &random, vector);
    for (size_t axis = 0; axis < 3; axis++) {
        along += vector[axis] * wave->k[axis] / wave->square;
    }
    for (size_t axis = 0; axis < 3; axis++) {
        vector[axis] -= along * wave->k[axis];
        square += vector[axis] * vector[axis];
    }
    for (size_t axis = 0; axis < 3; axis++) {
        vector[axis] *= square > 1e-12 ? amplitude / sqrt(square) : 0;
    }
}

/* Root mean square of all waves, in relative density or velocity. */
static double strength_of(const struct vks_config *config)
{
    const struct gas_settings *s = config->settings;
    switch (config->start) {
    case GAS_CLOUD:
        return s->mach * sqrt(s->gamma * (s->gamma - 1) * s->temperature);
    case GAS_SHEAR:
        return s->wave_strength * s->speed;
    default:
        return s->wave_strength;
    }
}

static enum vks_result fill_modes(const void *user, const struct vks_field *field,
                                  const struct vks_source *source, void *out)
{
    const double shear_waves = 8, nodes_per_wave = 6;
    const struct vks_config *config = user;
    const struct gas_settings *s = config->settings;
    const double finest = (double)vks_gas_longest(config) / nodes_per_wave;
    const double highest = config->start == GAS_SHEAR ? shear_waves : finest > 2 ? finest : 2;
    uint32_t *words = out;
    double powers = 0;
    struct wave wave;
    (void)field;
    (void)source;
    for (uint32_t i = 0; i < s->waves; i++) {
        choose_wave(config, i, highest, &wave);
        powers += (double)wave.power;
    }
    for (uint32_t i = 0; i < s->waves; i++) {
        uint32_t *row = words + (size_t)i * MODE_WORDS;
        double vector[3];
        choose_wave(config, i, highest, &wave);
        const double amplitude =
            powers > 0 ? strength_of(config) * sqrt(2 * (double)wave.power / powers) : 0;
        vector_of(config, &wave, i, amplitude, vector);
        for (size_t axis = 0; axis < 3; axis++) {
            row[MODE_NUMBER + axis] = (uint32_t)wave.numbers[axis];
            row[MODE_VECTOR + axis] = vks_gas_real_bits(vector[axis]);
        }
        row[MODE_PHASE] = vks_random(config->seed, i, 0, 2).w;
        row[MODE_DENSITY] = vks_gas_real_bits(config->start == GAS_WAVES ? amplitude : 0);
    }
    return VKS_OK;
}

void vks_gas_declare_modes(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct gas_settings *s = config->settings;
    const uint64_t rows = s->waves > 0 ? s->waves : 1;
    VKS_FIELD(declaration, .name = "modes", .element = VKS_U32, .rank = 1,
              .shape = {rows * MODE_WORDS}, .fill = fill_modes, .user = config,
              .made_from =
                  vks_declaration_name(declaration, "seed %u start %u: %a %a %a %a %a %a %a",
                                       config->seed, config->start, s->wave_slope, s->wave_strength,
                                       s->mach, s->temperature, s->gamma, s->speed, s->gravity));
}
