/* SPDX-License-Identifier: MIT */
#include "gas_particles_reference.h"

#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "fft_reference.h"

static const double pi = 3.14159265358979323846;

static const float tiny = 0x1p-60f;

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static float max_of(float a, float b)
{
    return a > b ? a : b;
}

static float min_of(float a, float b)
{
    return a < b ? a : b;
}

static float abs_of(float a)
{
    return a < 0.0f ? -a : a;
}

/* |v|^2: all three components, whichever axes are active. */
static float square(const float v[3])
{
    return (v[GAS_Z] * v[GAS_Z] + v[GAS_Y] * v[GAS_Y]) + v[GAS_X] * v[GAS_X];
}

/* --- fixed point ------------------------------------------------------------------------------ */

static int32_t unit(float a)
{
    int32_t exponent = ((bits_of(a) & 0x7fffffu) == 0 ? 61 : 60) - gas_exponent_of(a);
    return exponent < 126 ? exponent : 126;
}

static float scale_of(const struct gas_particles_state *state, int word)
{
    return vks_power_of_two((int32_t)state->clockwork[word]);
}

static float unit_of(const struct gas_particles_state *state, int word)
{
    return vks_power_of_two(-(int32_t)state->clockwork[word]);
}

/* --- the grid --------------------------------------------------------------------------------- */

uint64_t gas_particles_nodes_of(const struct gas_particles_state *state)
{
    return (uint64_t)state->side[GAS_Z] * state->side[GAS_Y] * state->side[GAS_X];
}

static bool active(const struct gas_particles_state *state, int axis)
{
    return state->side[axis] > 1;
}

static uint64_t stride_of(const struct gas_particles_state *state, int axis)
{
    uint64_t stride = 1;
    for (int inner = GAS_X; inner > axis; inner--) {
        stride *= state->side[inner];
    }
    return stride;
}

static uint64_t after(const struct gas_particles_state *state, uint64_t node, int axis)
{
    uint64_t stride = stride_of(state, axis);
    uint64_t place = node / stride % state->side[axis];
    return place + 1 < state->side[axis] ? node + stride : node - place * stride;
}

static uint64_t before(const struct gas_particles_state *state, uint64_t node, int axis)
{
    uint64_t stride = stride_of(state, axis);
    uint64_t place = node / stride % state->side[axis];
    return place > 0 ? node - stride : node + (state->side[axis] - 1) * stride;
}

/* --- create and free -------------------------------------------------------------------------- */

static float constant(double value)
{
    return vks_flush((float)value);
}

static struct gas_particles_constants constants_of(const uint32_t side[3],
                                                   const struct gas_particles_settings *settings)
{
    double per_h = side[GAS_Z];
    per_h = side[GAS_Y] > per_h ? side[GAS_Y] : per_h;
    per_h = side[GAS_X] > per_h ? side[GAS_X] : per_h;
    const int active_axes = (side[GAS_Z] > 1) + (side[GAS_Y] > 1) + (side[GAS_X] > 1);
    const double faces = 2.0 * (active_axes > 0 ? active_axes : 1);
    return (struct gas_particles_constants){
        .inverse_g1 = constant(1.0 / (settings->gamma - 1.0)),
        .smooth = 0x1p-5f,
        .face_share = (float)((1.0 - 0x1p-10) / faces),
        .g1 = constant(settings->gamma - 1.0),
        .gamma = constant(settings->gamma),
        .half_gamma = constant(settings->gamma / 2.0),
        .stiff = constant((settings->gamma + 1.0) / 4.0),
        .per_h = constant(per_h),
        .per_h3 = constant(per_h * per_h * per_h),
        .h = constant(1.0 / per_h),
        .h2 = constant(1.0 / (per_h * per_h)),
        .per_cfl = constant(1.0 / settings->cfl),
        .per_diffusion = constant(1.0 / 0.15),
        .conductivity = constant(settings->conductivity),
        .mixing = constant(settings->mixing),
        .dt_longest = constant(settings->dt),
        .per_node = constant(1.0 / ((double)side[GAS_Z] * side[GAS_Y] * side[GAS_X])),
        .gravity = constant(settings->gravity),
        .attraction = constant(-4.0 * pi * settings->gravity),
    };
}

/* The square of each wave number in double, then rounded. */
static void fill_symbols(struct gas_particles_state *state)
{
    for (int axis = 0; axis < 3; axis++) {
        uint32_t side = state->side[axis];
        for (uint32_t i = 0; i < side; i++) {
            double n = i <= side / 2 ? (double)i : (double)i - side;
            double k = 2.0 * pi * n * state->constants.per_h / side;
            state->symbol[axis][i] = constant(k * k);
        }
    }
}

struct gas_particles_state *gas_particles_create(uint32_t depth, uint32_t height, uint32_t width,
                                                 uint64_t count,
                                                 const struct gas_particles_settings *settings)
{
    struct gas_particles_state *state = calloc(1, sizeof(*state));
    if (state == NULL) {
        return NULL;
    }
    state->side[GAS_Z] = depth;
    state->side[GAS_Y] = height;
    state->side[GAS_X] = width;
    state->count = count;
    state->settings = *settings;
    state->constants = constants_of(state->side, settings);
    const struct gas_exchange_settings exchange = {
        .boltzmann = settings->boltzmann,
        .planck = settings->planck,
        .exchange_time = settings->exchange_time,
        .conductivity = settings->conductivity,
    };
    state->exchange = gas_exchange_of(&exchange, state->side, count);
    size_t particles = (size_t)count;
    size_t nodes = (size_t)gas_particles_nodes_of(state);
    bool complete = true;
    for (int axis = 0; axis < 3; axis++) {
        state->position[axis] = calloc(particles, sizeof(uint32_t));
        state->velocity[axis] = calloc(particles, sizeof(float));
        state->momentum_sum[axis] = calloc(nodes, sizeof(uint64_t));
        state->velocity_at[axis] = calloc(nodes, sizeof(float));
        state->acceleration[axis] = calloc(nodes, sizeof(float));
        state->slope_u[axis] = calloc(nodes, sizeof(float));
        state->slope_p[axis] = calloc(nodes, sizeof(float));
        state->predicted_u[axis] = calloc(nodes, sizeof(float));
        state->symbol[axis] = calloc(state->side[axis], sizeof(float));
        complete = complete && state->position[axis] != NULL && state->velocity[axis] != NULL &&
                   state->momentum_sum[axis] != NULL && state->velocity_at[axis] != NULL &&
                   state->acceleration[axis] != NULL && state->slope_u[axis] != NULL &&
                   state->slope_p[axis] != NULL && state->predicted_u[axis] != NULL &&
                   state->symbol[axis] != NULL;
    }
    state->mass = calloc(particles, sizeof(float));
    state->heat = calloc(particles, sizeof(float));
    state->oscillator = calloc(particles, sizeof(float));
    state->frequency = calloc(particles, sizeof(float));
    state->mass_sum = calloc(nodes, sizeof(uint64_t));
    state->heat_sum = calloc(nodes, sizeof(uint64_t));
    state->dispersion_sum = calloc(nodes, sizeof(uint64_t));
    state->occupied = calloc(nodes, sizeof(bool));
    state->density = calloc(nodes, sizeof(float));
    state->heat_at = calloc(nodes, sizeof(float));
    state->dispersion_at = calloc(nodes, sizeof(float));
    state->mixing_speed = calloc(nodes, sizeof(float));
    state->pressure = calloc(nodes, sizeof(float));
    state->predicted_p = calloc(nodes, sizeof(float));
    state->potential = calloc(nodes, sizeof(float));
    state->record = calloc(nodes, sizeof(*state->record));
    complete = complete && state->mass != NULL && state->heat != NULL &&
               state->oscillator != NULL && state->frequency != NULL && state->mass_sum != NULL &&
               state->heat_sum != NULL && state->dispersion_sum != NULL &&
               state->occupied != NULL && state->density != NULL && state->heat_at != NULL &&
               state->dispersion_at != NULL && state->mixing_speed != NULL &&
               state->pressure != NULL && state->predicted_p != NULL && state->potential != NULL &&
               state->record != NULL;
    if (!complete) {
        gas_particles_free(state);
        return NULL;
    }
    fill_symbols(state);
    return state;
}

void gas_particles_free(struct gas_particles_state *state)
{
    if (state == NULL) {
        return;
    }
    for (int axis = 0; axis < 3; axis++) {
        free(state->position[axis]);
        free(state->velocity[axis]);
        free(state->momentum_sum[axis]);
        free(state->velocity_at[axis]);
        free(state->acceleration[axis]);
        free(state->slope_u[axis]);
        free(state->slope_p[axis]);
        free(state->predicted_u[axis]);
        free(state->symbol[axis]);
    }
    free(state->mass);
    free(state->heat);
    free(state->oscillator);
    free(state->frequency);
    free(state->mass_sum);
    free(state->heat_sum);
    free(state->dispersion_sum);
    free(state->occupied);
    free(state->density);
    free(state->heat_at);
    free(state->dispersion_at);
    free(state->mixing_speed);
    free(state->pressure);
    free(state->predicted_p);
    free(state->potential);
    free(state->record);
    free(state);
}

/* --- units ------------------------------------------------------------------------------------ */

static float velocity2_of(const struct gas_particles_state *state, uint64_t particle)
{
    const float v[3] = {
        state->velocity[GAS_Z][particle],
        state->velocity[GAS_Y][particle],
        state->velocity[GAS_X][particle],
    };
    return square(v);
}

static float energy_of(const struct gas_particles_state *state, uint64_t particle)
{
    return vks_flush((state->heat[particle] + state->oscillator[particle]) +
                     0.5f * velocity2_of(state, particle));
}

/* Words 5 and 6 for energies up to `bound`. */
static void set_energy_units(struct gas_particles_state *state, float bound)
{
    float total = float_of(state->clockwork[GAS_TOTAL_MASS]);
    float momentum = vks_flush(vks_sqrt(vks_flush(2.0f * total)) * vks_sqrt(bound));
    state->clockwork[GAS_ENERGY_EXPONENT] = (uint32_t)unit(bound);
    state->clockwork[GAS_MOMENTUM_EXPONENT] = (uint32_t)unit(max_of(momentum, tiny));
}

static void set_energy(struct gas_particles_state *state, uint64_t energy)
{
    state->clockwork[GAS_TOTAL_ENERGY_LOW] = (uint32_t)energy;
    state->clockwork[GAS_TOTAL_ENERGY_HIGH] = (uint32_t)(energy >> 32);
}

void gas_particles_units(struct gas_particles_state *state)
{
    const struct gas_particles_constants *k = &state->constants;
    float max_mass = 0.0f;
    float max_energy = 0.0f;
    for (uint64_t i = 0; i < state->count; i++) {
        max_mass = max_of(max_mass, state->mass[i]);
        max_energy = max_of(max_energy, energy_of(state, i));
    }
    int32_t bits = 0;
    for (uint64_t rest = state->count - 1; rest != 0; rest >>= 1) {
        bits++;
    }
    int32_t s = 60 - bits - gas_exponent_of(max_mass);
    s = s < 126 ? s : 126;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < state->count; i++) {
        sum += gas_fixed(state->mass[i], vks_power_of_two(s));
    }
    float total = max_of(gas_from_fixed(sum, vks_power_of_two(-s)), tiny);
    float mean = max_of(vks_flush((total * k->per_h3) * k->per_node), tiny);
    float energy = max_of(vks_flush(max_energy * total), tiny);
    state->clockwork[GAS_MASS_EXPONENT] = (uint32_t)unit(total);
    state->clockwork[GAS_TOTAL_MASS] = bits_of(total);
    state->clockwork[GAS_MEAN] = bits_of(mean);
    set_energy_units(state, energy + energy);
    set_energy(state, gas_fixed(energy, scale_of(state, GAS_ENERGY_EXPONENT)));
}

/* --- place, deposit, nodes, dispersion ------------------------------------------------------- */

struct gas_place gas_particles_place_of(const struct gas_particles_state *state, uint64_t particle)
{
    const uint32_t position[3] = {
        state->position[GAS_Z][particle],
        state->position[GAS_Y][particle],
        state->position[GAS_X][particle],
    };
    return gas_place_of(state->side, position);
}

void gas_particles_deposit(struct gas_particles_state *state)
{
    float mass_scale = scale_of(state, GAS_MASS_EXPONENT);
    float energy_scale = scale_of(state, GAS_ENERGY_EXPONENT);
    float momentum_scale = scale_of(state, GAS_MOMENTUM_EXPONENT);
    for (uint64_t i = 0; i < state->count; i++) {
        const struct gas_place place = gas_particles_place_of(state, i);
        float m = state->mass[i];
        gas_place_add(state->mass_sum, &place, m, mass_scale);
        for (int axis = 0; axis < 3; axis++) {
            float momentum = vks_flush(m * state->velocity[axis][i]);
            gas_place_add(state->momentum_sum[axis], &place, momentum, momentum_scale);
        }
        gas_place_add(state->heat_sum, &place, vks_flush(m * state->heat[i]), energy_scale);
    }
}

void gas_particles_nodes(struct gas_particles_state *state)
{
    float per_h3 = state->constants.per_h3;
    float mass_unit = unit_of(state, GAS_MASS_EXPONENT);
    float energy_unit = unit_of(state, GAS_ENERGY_EXPONENT);
    float momentum_unit = unit_of(state, GAS_MOMENTUM_EXPONENT);
    uint64_t nodes = gas_particles_nodes_of(state);
    for (uint64_t n = 0; n < nodes; n++) {
        int64_t units = (int64_t)state->mass_sum[n];
        float mass = gas_from_fixed(state->mass_sum[n], mass_unit);
        float density = vks_flush(mass * per_h3);
        bool occupied = units >= 256 && density > 0.0f;
        float v = occupied ? vks_reciprocal(mass) : 0.0f;
        state->occupied[n] = occupied;
        state->density[n] = occupied ? density : 0.0f;
        for (int axis = 0; axis < 3; axis++) {
            float momentum = gas_from_fixed(state->momentum_sum[axis][n], momentum_unit);
            state->velocity_at[axis][n] = vks_flush(momentum * v);
            state->momentum_sum[axis][n] = 0;
        }
        float heat = vks_flush(gas_from_fixed(state->heat_sum[n], energy_unit) * per_h3);
        state->heat_at[n] = occupied ? heat : 0.0f;
        state->mass_sum[n] = 0;
        state->heat_sum[n] = 0;
    }
}

void gas_particles_dispersion(struct gas_particles_state *state)
{
    float scale = scale_of(state, GAS_ENERGY_EXPONENT);
    for (uint64_t i = 0; i < state->count; i++) {
        const struct gas_place place = gas_particles_place_of(state, i);
        for (unsigned corner = 0; corner < 8; corner++) {
            uint64_t n = place.node[corner];
            if (!state->occupied[n]) {
                continue;
            }
            float c = vks_flush(place.weight[corner] * (0.5f * state->mass[i]));
            float q[3];
            for (int axis = 0; axis < 3; axis++) {
                q[axis] = vks_flush(state->velocity[axis][i] - state->velocity_at[axis][n]);
            }
            state->dispersion_sum[n] += gas_fixed(c * square(q), scale);
        }
    }
}

/* --- gravity ---------------------------------------------------------------------------------- */

void gas_particles_gravity(struct gas_particles_state *state)
{
    const struct fft_reference fft = {
        .shape = {state->side[GAS_Z], state->side[GAS_Y], state->side[GAS_X]},
        .mean = float_of(state->clockwork[GAS_MEAN]),
        .factor = state->constants.attraction,
        .symbol = {state->symbol[GAS_Z], state->symbol[GAS_Y], state->symbol[GAS_X]},
    };
    fft_reference(&fft, state->density, state->potential);
    float per_2h = 0.5f * state->constants.per_h;
    uint64_t nodes = gas_particles_nodes_of(state);
    state->max_g2 = 0.0f;
    for (uint64_t n = 0; n < nodes; n++) {
        float g[3] = {0.0f, 0.0f, 0.0f};
        for (int axis = 0; axis < 3; axis++) {
            if (active(state, axis)) {
                float difference = state->potential[before(state, n, axis)] -
                                   state->potential[after(state, n, axis)];
                g[axis] = vks_flush(difference * per_2h);
            }
            state->acceleration[axis][n] = g[axis];
        }
        state->max_g2 = max_of(state->max_g2, vks_flush(square(g)));
    }
}

/* --- limits and time step -------------------------------------------------------------------- */

static float speed_of_sound(const struct gas_particles_state *state, uint64_t n, float pressure)
{
    float v = vks_reciprocal(state->density[n]);
    return vks_sqrt(vks_flush(vks_flush(state->constants.gamma * pressure) * v));
}

void gas_particles_limits(struct gas_particles_state *state)
{
    const struct gas_particles_constants *k = &state->constants;
    float energy_unit = unit_of(state, GAS_ENERGY_EXPONENT);
    float thin = vks_flush(0.01f * float_of(state->clockwork[GAS_MEAN]));
    float axes = 0.0f;
    for (int axis = 0; axis < 3; axis++) {
        axes += active(state, axis) ? 1.0f : 0.0f;
    }
    state->max_rate = 0.0f;
    state->max_speed = 0.0f;
    state->max_diffusivity = 0.0f;
    uint64_t nodes = gas_particles_nodes_of(state);
    for (uint64_t n = 0; n < nodes; n++) {
        float sum = gas_from_fixed(state->dispersion_sum[n], energy_unit);
        state->dispersion_sum[n] = 0;
        state->dispersion_at[n] = 0.0f;
        state->mixing_speed[n] = 0.0f;
        if (!state->occupied[n]) {
            continue;
        }
        state->dispersion_at[n] = vks_flush(sum * k->per_h3);
        float e = vks_flush(state->heat_at[n] + state->dispersion_at[n]);
        float c = speed_of_sound(state, n, vks_flush(k->g1 * e));
        float closing = 0.0f; /* over the axes, the sum and the largest */
        float fastest = 0.0f;
        for (int axis = 0; axis < 3; axis++) {
            if (!active(state, axis)) {
                continue;
            }
            const float *u = state->velocity_at[axis];
            uint64_t lower = before(state, n, axis);
            uint64_t upper = after(state, n, axis);
            float of_lower = state->occupied[lower] ? u[lower] - u[n] : 0.0f;
            float of_upper = state->occupied[upper] ? u[n] - u[upper] : 0.0f;
            float own = max_of(max_of(of_lower, of_upper), 0.0f);
            closing += own;
            fastest = max_of(fastest, own);
            state->max_speed = max_of(state->max_speed, abs_of(u[n]));
        }
        state->max_rate = max_of(state->max_rate, axes * c + closing);
        state->mixing_speed[n] = vks_flush(c + fastest);
        if (k->conductivity > 0.0f && state->density[n] >= thin) {
            float diffusivity = vks_flush(k->conductivity * vks_reciprocal(state->density[n]));
            state->max_diffusivity = max_of(state->max_diffusivity, diffusivity);
        }
    }
}

/* The time step before it is rounded. */
static float longest_step(const struct gas_particles_state *state)
{
    const struct gas_particles_constants *k = &state->constants;
    float per_dt = vks_flush(vks_flush(state->max_rate * k->per_h) * k->per_cfl);
    if (k->conductivity > 0.0f) {
        per_dt =
            vks_flush(per_dt + (state->max_diffusivity * (k->per_h * k->per_h)) * k->per_diffusion);
    }
    per_dt = min_of(per_dt, 0x1p60f);
    float dt = per_dt * k->dt_longest > 1.0f ? vks_reciprocal(per_dt) : k->dt_longest;
    if (state->max_speed >= tiny) {
        dt = min_of(dt, vks_flush((0.5f * k->h) * vks_reciprocal(state->max_speed)));
    }
    if (k->gravity > 0.0f && state->max_g2 > 0.0f) {
        float v = vks_reciprocal(vks_sqrt(state->max_g2));
        dt = min_of(dt, 0.25f * vks_sqrt(vks_flush(k->h * v)));
    }
    return dt;
}

void gas_particles_time_step(struct gas_particles_state *state)
{
    const struct gas_particles_constants *k = &state->constants;
    uint32_t *words = state->clockwork;
    /* Below 2^24 units of 2^-40 the conversion equals floor. */
    float scaled = longest_step(state) * 0x1p40f;
    float dt = (float)(uint64_t)scaled * 0x1p-40f;
    if (dt == 0.0f) {
        state->status = GAS_NO_TIME_STEP;
        return;
    }
    const uint64_t before = gas_particles_time(state);
    uint64_t units = gas_fixed(dt, 0x1p40f);
    if (state->settings.end > 0 && units >= state->settings.end - before) {
        units = state->settings.end - before;
        dt = (float)units * 0x1p-40f;
    }
    state->dt = dt;
    state->lambda = dt * k->per_h;
    state->cap = vks_flush((0.15f * k->h2) * vks_reciprocal(dt));
    state->half = 0.5f * (float_of(words[GAS_LAST_DT]) + dt);
    const uint64_t time = before + units;
    words[GAS_TIME_LOW] = (uint32_t)time;
    words[GAS_TIME_HIGH] = (uint32_t)(time >> 32);
    words[GAS_LAST_DT] = bits_of(dt);

    state->mixing_time = vks_flush(vks_flush(k->mixing * dt) * k->per_h);

    float total = float_of(words[GAS_TOTAL_MASS]);
    float kick = k->gravity > 0.0f ? vks_flush(vks_sqrt(state->max_g2) * state->half) : 0.0f;
    uint64_t sum = (uint64_t)words[GAS_TOTAL_ENERGY_HIGH] << 32 | words[GAS_TOTAL_ENERGY_LOW];
    float energy = gas_from_fixed(sum, unit_of(state, GAS_ENERGY_EXPONENT));
    float bound = vks_flush((energy + energy) + vks_flush(total * kick) * kick);
    set_energy_units(state, max_of(bound, tiny));
    set_energy(state, 0);
}

uint64_t gas_particles_time(const struct gas_particles_state *state)
{
    return (uint64_t)state->clockwork[GAS_TIME_HIGH] << 32 | state->clockwork[GAS_TIME_LOW];
}

/* --- predict and Lagrangian step ------------------------------------------------------------- */

static float slope(float before_it, float it, float after_it)
{
    float a = it - before_it;
    float b = after_it - it;
    if (a > 0.0f && b > 0.0f) {
        return min_of(0.5f * (a + b), min_of(2.0f * a, 2.0f * b));
    }
    if (a < 0.0f && b < 0.0f) {
        return max_of(0.5f * (a + b), max_of(2.0f * a, 2.0f * b));
    }
    return 0.0f;
}

/* The slope of a velocity: changes that are small against the speed of sound are not limited. */
static float velocity_slope(float before_it, float it, float after_it, float small)
{
    float a = it - before_it;
    float b = after_it - it;
    float high = a > 0.0f && b > 0.0f ? small + 2.0f * min_of(a, b) : small;
    float low = a < 0.0f && b < 0.0f ? 2.0f * max_of(a, b) - small : -small;
    return min_of(max_of(0.5f * (a + b), low), high);
}

/* The share of the deviations from the node's mean that a step removes. */
static float mixed_share(const struct gas_particles_state *state, uint64_t n)
{
    return min_of(1.0f, vks_flush(state->mixing_time * state->mixing_speed[n]));
}

/* What the pressure sees of the energy of a node. */
static float pressing(const struct gas_particles_state *state, uint64_t n)
{
    return state->heat_at[n] + vks_flush(mixed_share(state, n) * state->dispersion_at[n]);
}

/* 0 without gas. */
static float sound_of(const struct gas_particles_state *state, uint64_t n)
{
    return state->occupied[n] ? speed_of_sound(state, n, state->pressure[n]) : 0.0f;
}

void gas_particles_predict(struct gas_particles_state *state)
{
    const struct gas_particles_constants *k = &state->constants;
    uint64_t nodes = gas_particles_nodes_of(state);
    for (uint64_t n = 0; n < nodes; n++) {
        state->pressure[n] = vks_flush(k->g1 * pressing(state, n));
    }
    float shrink = vks_flush(k->half_gamma * state->lambda);
    for (uint64_t n = 0; n < nodes; n++) {
        float p = state->pressure[n];
        float divergence = 0.0f;
        float v = state->occupied[n] ? vks_reciprocal(state->density[n]) : 0.0f;
        float small = vks_flush(k->smooth * sound_of(state, n));
        for (int axis = 0; axis < 3; axis++) {
            const float *u = state->velocity_at[axis];
            uint64_t lower = before(state, n, axis);
            uint64_t upper = after(state, n, axis);
            bool sloped = active(state, axis) && state->occupied[lower] && state->occupied[n] &&
                          state->occupied[upper];
            float s_u = sloped ? velocity_slope(u[lower], u[n], u[upper], small) : 0.0f;
            float s_p = sloped ? slope(state->pressure[lower], p, state->pressure[upper]) : 0.0f;
            state->slope_u[axis][n] = s_u;
            state->slope_p[axis][n] = s_p;
            state->predicted_u[axis][n] =
                vks_flush(u[n] - (0.5f * state->lambda) * vks_flush(s_p * v));
            divergence = active(state, axis) ? divergence + s_u : divergence;
        }
        state->predicted_p[n] = max_of(0.0f, vks_flush(p - vks_flush(shrink * p) * divergence));
    }
}

/* The face above node `left` along an axis. */
struct face {
    float p, u, q;
};

static float temperature_of(const struct gas_particles_state *state, uint64_t n)
{
    float heat = vks_flush(state->pressure[n] * state->constants.inverse_g1);
    return vks_flush(heat * vks_reciprocal(state->density[n]));
}

static float impedance_of(const struct gas_particles_state *state, uint64_t n, float delta)
{
    if (!state->occupied[n]) {
        return 0.0f;
    }
    return vks_flush(state->density[n] *
                     (sound_of(state, n) + state->constants.stiff * max_of(delta, 0.0f)));
}

static struct face face_of(const struct gas_particles_state *state, uint64_t left, int axis)
{
    const struct gas_particles_constants *k = &state->constants;
    const float *u = state->predicted_u[axis];
    const float *p = state->predicted_p;
    const float *s_u = state->slope_u[axis];
    const float *s_p = state->slope_p[axis];
    uint64_t right = after(state, left, axis);
    float u_l = vks_flush(u[left] + 0.5f * s_u[left]);
    float u_r = vks_flush(u[right] - 0.5f * s_u[right]);
    float p_l = vks_flush(max_of(0.0f, p[left] + 0.5f * s_p[left]));
    float p_r = vks_flush(max_of(0.0f, p[right] - 0.5f * s_p[right]));
    /* Crossing slopes of a fast expansion. */
    if (u[left] <= u[right] && u_l - u_r > min_of(sound_of(state, left), sound_of(state, right))) {
        u_l = u[left];
        u_r = u[right];
    }
    float delta = u_l - u_r;
    float z_l = impedance_of(state, left, delta);
    float z_r = impedance_of(state, right, delta);
    float w = z_l + z_r;
    struct face face = {0};
    if (w >= tiny) {
        float v = vks_reciprocal(w);
        face.p =
            vks_flush(max_of(0.0f, ((z_r * p_l + z_l * p_r) + vks_flush(z_l * z_r) * delta) * v));
        face.u = vks_flush(((z_l * u_l + z_r * u_r) + (p_l - p_r)) * v);
    }
    if (k->conductivity > 0.0f && state->occupied[left] && state->occupied[right]) {
        float thinner = min_of(state->density[left], state->density[right]);
        float kappa = min_of(k->conductivity, vks_flush(state->cap * thinner));
        float difference = temperature_of(state, left) - temperature_of(state, right);
        face.q = vks_flush((kappa * difference) * k->per_h);
    }
    float theta = 1.0f;
    const uint64_t nodes[2] = {left, right};
    for (int side = 0; side < 2; side++) {
        uint64_t n = nodes[side];
        if (!state->occupied[n]) {
            continue;
        }
        float own = state->velocity_at[axis][n];
        float pushed = 0.5f * vks_flush(state->lambda * vks_reciprocal(state->density[n]));
        float work = face.p * ((side == 0 ? face.u - own : own - face.u) + pushed * face.p);
        float loss = state->lambda * (side == 0 ? work + face.q : work - face.q);
        float most = vks_flush(vks_flush(state->pressure[n] * k->inverse_g1) * k->face_share);
        if (loss > most) {
            theta = min_of(theta, loss > tiny && loss < 0x1p60f
                                      ? vks_flush((most * vks_reciprocal(loss)) * 0x1.ffep-1f)
                                      : 0.0f);
        }
    }
    if (theta < 1.0f) {
        face.p = vks_flush(theta * face.p);
        face.q = vks_flush(theta * face.q);
    }
    return face;
}

static struct gas_particles_record record_of(struct gas_particles_state *state, uint64_t n)
{
    struct gas_particles_record record = {0};
    float v = vks_reciprocal(state->density[n]);
    float k = vks_flush(state->lambda * v);
    float work = 0.0f;
    for (int axis = 0; axis < 3; axis++) {
        float u = state->velocity_at[axis][n];
        record.u[axis] = u;
        if (!active(state, axis)) {
            continue;
        }
        const struct face upper = face_of(state, n, axis);
        const struct face lower = face_of(state, before(state, n, axis), axis);
        float push = vks_flush(k * (upper.p - lower.p));
        float mid = u - 0.5f * push;
        work += (upper.p * (upper.u - mid) - lower.p * (lower.u - mid)) + (upper.q - lower.q);
        float pushed = u - push;
        if (state->constants.gravity > 0.0f) {
            pushed += state->acceleration[axis][n] * state->half;
        }
        record.u[axis] = vks_flush(pushed);
        record.du[axis] = vks_flush(record.u[axis] - u);
    }
    float heat = state->heat_at[n];
    float change = vks_flush(0.0f - state->lambda * work);
    float r = mixed_share(state, n);
    float keep = 1.0f - r;
    change += vks_flush(r * (2.0f - r) * state->dispersion_at[n]);
    float loss = change < 0.0f && heat > 0.0f
                     ? max_of(-1.0f, vks_flush(change * vks_reciprocal(heat)))
                     : 0.0f;
    float gain = vks_flush(max_of(change, 0.0f) * v);
    float mean = vks_flush(max_of(0.0f, heat + change) * v);
    record.r = r;
    record.b = max_of(-1.0f, keep * loss - r);
    record.c = vks_flush(keep * gain + r * mean);
    return record;
}

void gas_particles_lagrangian(struct gas_particles_state *state)
{
    uint64_t nodes = gas_particles_nodes_of(state);
    for (uint64_t n = 0; n < nodes; n++) {
        state->record[n] =
            state->occupied[n] ? record_of(state, n) : (struct gas_particles_record){0};
    }
}

/* --- move ------------------------------------------------------------------------------------- */

/* What a particle takes from a corner's record, `parts` of each. */
enum { PARTS = 8, PART_U = 0, PART_DU = 3, PART_B = 6, PART_C = 7 };

/* Sums over the corners: of the diagonals of the cell, those of corners 0 and 1 and those of 2 and
 * 3, then of both, so that a mirrored cell has the same bytes. */
static void sum_corners(const struct gas_particles_state *state, float (*values)[PARTS], int parts,
                        float *sums)
{
    const unsigned opposite = (active(state, GAS_Z) ? 4U : 0U) | (active(state, GAS_Y) ? 2U : 0U) |
                              (active(state, GAS_X) ? 1U : 0U);
    for (int part = 0; part < parts; part++) {
        float halves[2] = {0.0f, 0.0f};
        for (unsigned corner = 0; corner < 4; corner++) {
            if ((corner & ~opposite) != 0 || (corner ^ opposite) < corner) {
                continue;
            }
            float sum = corner == opposite ? values[corner][part]
                                           : values[corner][part] + values[corner ^ opposite][part];
            halves[corner / 2] += sum;
        }
        sums[part] = halves[0] + halves[1];
    }
}

void gas_particles_move(struct gas_particles_state *state)
{
    float scale = scale_of(state, GAS_ENERGY_EXPONENT);
    float sides[3];
    for (int axis = 0; axis < 3; axis++) {
        const float per_side = vks_flush((float)(1.0 / state->side[axis]));
        sides[axis] = vks_flush(state->lambda * per_side);
    }
    uint64_t energy = 0;
    for (uint64_t i = 0; i < state->count; i++) {
        const struct gas_place place = gas_particles_place_of(state, i);
        float parts[8][PARTS], kicks[8][3];
        for (unsigned corner = 0; corner < 8; corner++) {
            const struct gas_particles_record *record = &state->record[place.node[corner]];
            float w = place.weight[corner];
            for (int axis = 0; axis < 3; axis++) {
                float old = record->u[axis] - record->du[axis];
                kicks[corner][axis] =
                    record->du[axis] - record->r * (state->velocity[axis][i] - old);
                parts[corner][PART_U + axis] = w * record->u[axis];
                parts[corner][PART_DU + axis] = w * kicks[corner][axis];
            }
            parts[corner][PART_B] = w * record->b;
            parts[corner][PART_C] = w * record->c;
        }
        float sum[PARTS];
        sum_corners(state, parts, PARTS, sum);
        for (unsigned corner = 0; corner < 8; corner++) {
            float off[3];
            for (int axis = 0; axis < 3; axis++) {
                off[axis] = kicks[corner][axis] - sum[PART_DU + axis];
            }
            parts[corner][0] = place.weight[corner] * vks_flush(square(off));
        }
        float spread;
        sum_corners(state, parts, 1, &spread);
        for (int axis = 0; axis < 3; axis++) {
            state->velocity[axis][i] = vks_flush(state->velocity[axis][i] + sum[PART_DU + axis]);
            if (active(state, axis)) {
                state->position[axis][i] += vks_displacement(sum[PART_U + axis], sides[axis]);
            }
        }
        float heat = state->heat[i];
        float gain = (heat * sum[PART_B] + sum[PART_C]) + 0.5f * spread;
        state->heat[i] = vks_flush(max_of(0.0f, heat + gain));
        if (state->exchange.on) {
            gas_exchange(&state->exchange, float_of(state->clockwork[GAS_MEAN]), state->dt,
                         state->mass[i], state->frequency[i], &state->heat[i],
                         &state->oscillator[i]);
        }
        energy += gas_fixed(state->mass[i] * energy_of(state, i), scale);
    }
    set_energy(state, energy);
}

/* --- the step --------------------------------------------------------------------------------- */

bool gas_particles_step(struct gas_particles_state *state)
{
    if (state->status != GAS_RUNS) {
        return false;
    }
    if (state->clockwork[GAS_MEAN] == 0) {
        gas_particles_units(state);
    }
    if (state->settings.end > 0 && gas_particles_time(state) >= state->settings.end) {
        return true;
    }
    gas_particles_deposit(state);
    gas_particles_nodes(state);
    gas_particles_dispersion(state);
    if (state->constants.gravity > 0.0f) {
        gas_particles_gravity(state);
    }
    gas_particles_limits(state);
    gas_particles_time_step(state);
    if (state->status == GAS_RUNS) {
        gas_particles_predict(state);
        gas_particles_lagrangian(state);
        gas_particles_move(state);
    }
    return state->status == GAS_RUNS;
}
