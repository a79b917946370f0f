/* SPDX-License-Identifier: MIT */
#include "physarum_reference.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "io/image.h"

static float to_float(double value)
{
    return vks_flush((float)value);
}

/* Degrees as 2^-32 turns, not wrapped. */
static double to_turns(double degrees)
{
    return round(degrees / 360.0 * 4294967296.0);
}

static uint32_t to_angle(double degrees)
{
    return (uint32_t)(int64_t)fmod(to_turns(degrees), 4294967296.0);
}

static struct physarum_constants constants_of(uint32_t width, uint32_t height,
                                              const struct physarum_settings *settings, size_t s)
{
    struct physarum_constants c = {0};
    c.sensor_angle = to_angle(settings->sensor_angle[s]);
    c.turn_angle = to_angle(settings->turn_angle[s]);
    c.jitter = (uint32_t)fmin(to_turns(settings->jitter[s]), 2147483647.0);
    vks_vec2 sensor = vks_sincos(c.sensor_angle);
    c.sin_sensor = sensor.x;
    c.cos_sensor = sensor.y;
    c.sensor_y = to_float(settings->sensor_distance[s] / height);
    c.sensor_x = to_float(settings->sensor_distance[s] / width);
    c.step_y = to_float(settings->step_size[s] / height);
    c.step_x = to_float(settings->step_size[s] / width);
    c.keep = to_float(1.0 - settings->decay[s]);
    c.blurred = to_float(settings->diffuse[s]);
    c.own = to_float(1.0 - settings->diffuse[s]);
    double side = (double)settings->diffuse_size;
    c.inverse = to_float(1.0 / (side * side));
    c.deposit = to_float(settings->deposit[s]);
    double shorter = width < height ? width : height;
    c.radius_y = to_float(settings->start_radius * shorter / height);
    c.radius_x = to_float(settings->start_radius * shorter / width);
    return c;
}

/* How species s is attracted by the trail of species t, before rounding. */
static double attraction_of(const struct physarum_settings *settings, uint32_t seed, uint32_t s,
                            uint32_t t)
{
    const uint32_t count = (uint32_t)settings->species;
    if (settings->attraction == PHYSARUM_GIVEN_ATTRACTION) {
        return settings->attractions[s][t];
    }
    if (s == t) {
        return 1.0;
    }
    if (settings->attraction == PHYSARUM_RANDOM_ATTRACTION) {
        const uint32_t word = vks_random(seed, 8 * s + t, 0, 5).x;
        return ((double)vks_high(word, 2049) - 1024.0) / 1024.0;
    }
    switch (settings->attraction) {
    case PHYSARUM_AVOID:
        return -0.5;
    case PHYSARUM_FOLLOW:
        return 0.5;
    case PHYSARUM_CHASE:
        if (count == 2) { /* each is the next and the previous species of the other */
            return s == 0 ? 0.5 : -0.5;
        }
        return t == (s + 1) % count ? 0.5 : t == (s + count - 1) % count ? -0.5 : 0.0;
    default:
        return 0.0;
    }
}

/* Multiples of 1/1024. */
static float round_attraction(double value)
{
    return (float)copysign(floor(fabs(value) * 1024.0 + 0.5) / 1024.0, value);
}

/* --- surroundings ---------------------------------------------------------------------------- */

static const char *image_of(const char *text)
{
    return strncmp(text, "image:", 6) == 0 ? text + 6 : NULL;
}

static float *read_image(const struct physarum_state *state, const char *path)
{
    float *brightness = NULL;
    return vks_image_brightness(path, state->width, state->height, VKS_IMAGE_STRETCH,
                                &brightness) == VKS_OK
               ? brightness
               : NULL;
}

static bool make_walls(struct physarum_state *state)
{
    const char *text = state->settings.walls, *image = image_of(text);
    const long width = (long)state->width, height = (long)state->height;
    const long shorter = width < height ? width : height;
    float *brightness = image != NULL ? read_image(state, image) : NULL;
    state->walls = calloc((size_t)width * (size_t)height, sizeof(bool));
    const bool good = state->walls != NULL && (image == NULL || brightness != NULL);
    for (long i = 0; good && i < height; i++) {
        for (long j = 0; j < width; j++) {
            const long down = 2 * i + 1 - height, right = 2 * j + 1 - width;
            state->walls[i * width + j] =
                image != NULL ? brightness[i * width + j] < to_float(state->settings.walls_level)
                : strcmp(text, "frame") == 0 ? i == 0 || j == 0 || i == height - 1 || j == width - 1
                                             : down * down + right * right > shorter * shorter;
        }
    }
    free(brightness);
    return good;
}

/* "points:X,Y/X,Y...": X and Y are fractions of the sides. */
static void add_points(struct physarum_state *state)
{
    const double radius = state->settings.food_radius;
    char *at = state->settings.food + strlen("points:");
    while (*at != '\0') {
        const double x = strtod(at, &at) * state->width;
        const double y = strtod(at + 1, &at) * state->height;
        const uint32_t row = (uint32_t)fmin(y, state->height - 1.0);
        const uint32_t column = (uint32_t)fmin(x, state->width - 1.0);
        for (uint32_t i = 0; i < state->height; i++) {
            for (uint32_t j = 0; j < state->width; j++) {
                const double down = 2.0 * i + 1.0 - 2.0 * y, right = 2.0 * j + 1.0 - 2.0 * x;
                if (right * right + down * down <= 4.0 * radius * radius ||
                    (i == row && j == column)) {
                    state->food[(size_t)i * state->width + j] =
                        to_float(state->settings.food_strength);
                }
            }
        }
        at += *at == '/';
    }
}

static bool make_food(struct physarum_state *state)
{
    const size_t cells = (size_t)state->width * state->height;
    const char *image = image_of(state->settings.food);
    state->food = image != NULL ? read_image(state, image) : calloc(cells, sizeof(float));
    state->food_trail = state->settings.species > 1 ? calloc(cells, sizeof(float)) : NULL;
    if (state->food == NULL || (state->settings.species > 1 && state->food_trail == NULL)) {
        return false;
    }
    for (size_t cell = 0; image != NULL && cell < cells; cell++) {
        state->food[cell] = vks_flush(state->food[cell] * to_float(state->settings.food_strength));
    }
    if (image == NULL) {
        add_points(state);
    }
    return true;
}

static bool make_maps(struct physarum_state *state)
{
    bool good = true;
    for (size_t m = 0; good && m < PHYSARUM_MAPS; m++) {
        const struct physarum_map *map = &state->settings.maps[m];
        if (map->image[0]) {
            state->maps[m] = read_image(state, map->image);
            good = state->maps[m] != NULL;
        }
        for (size_t i = 0; state->maps[m] != NULL && i < (size_t)state->width * state->height;
             i++) {
            state->maps[m][i] =
                to_float(map->low + (map->high - map->low) * (double)state->maps[m][i]);
        }
    }
    return good;
}

static bool make_surroundings(struct physarum_state *state)
{
    return (state->settings.walls[0] == '\0' || make_walls(state)) &&
           (state->settings.food[0] == '\0' || make_food(state)) && make_maps(state);
}

static void free_surroundings(struct physarum_state *state)
{
    free(state->walls);
    free(state->food);
    free(state->food_trail);
    for (size_t m = 0; m < PHYSARUM_MAPS; m++) {
        free(state->maps[m]);
    }
}

bool physarum_is_wall(const struct physarum_state *state, uint32_t y, uint32_t x)
{
    return state->walls != NULL && state->walls[(size_t)vks_high(y, state->height) * state->width +
                                                vks_high(x, state->width)];
}

size_t physarum_wall_words(const struct physarum_state *state)
{
    return ((size_t)state->width + 31) / 32;
}

void physarum_pack_walls(const struct physarum_state *state, uint32_t *words)
{
    const size_t row = physarum_wall_words(state);
    memset(words, 0, row * state->height * sizeof(*words));
    for (size_t i = 0; i < state->height; i++) {
        for (size_t j = 0; j < state->width; j++) {
            words[i * row + j / 32] |= (uint32_t)state->walls[i * state->width + j] << j % 32;
        }
    }
}

/* The factor of a map for an agent at (y, x); 1 if there is no such map. */
static float factor_at(const struct physarum_state *state, int map, uint32_t y, uint32_t x)
{
    return state->maps[map] == NULL
               ? 1.0f
               : state->maps[map][(size_t)vks_high(y, state->height) * state->width +
                                  vks_high(x, state->width)];
}

/* How many parts of at most one cell a length has, from 1 to `limit`: the largest that the options
 * allow. */
static uint32_t parts_of(const struct physarum_settings *settings, int quantity, uint32_t limit)
{
    const struct physarum_settings *points[] = {settings, settings->blend_to};
    const struct physarum_map *map = &settings->maps[quantity];
    double most = 0.0;
    for (int p = 0; p < 2 && points[p] != NULL; p++) {
        for (uint64_t s = 0; s < settings->species; s++) {
            const double base = quantity == PHYSARUM_DISTANCE ? points[p]->sensor_distance[s]
                                                              : points[p]->step_size[s];
            most = fmax(most, base + fmax(points[p]->form.gain[quantity][s], 0.0));
        }
    }
    most *= map->image[0] ? (double)(float)fmax(map->low, map->high) : 1.0;
    return (uint32_t)fmin(fmax(ceil(most), 1.0), limit);
}

/* --- creation -------------------------------------------------------------------------------- */

struct physarum_state *physarum_create(uint32_t width, uint32_t height, uint32_t seed,
                                       const struct physarum_settings *settings)
{
    struct physarum_state *state = calloc(1, sizeof(*state));
    if (state == NULL) {
        return NULL;
    }
    size_t cells = (size_t)width * height;
    size_t agents = (size_t)settings->agents;
    size_t planes = (size_t)settings->species;
    state->width = width;
    state->height = height;
    state->agents = settings->agents;
    state->seed = seed;
    state->settings = *settings;
    for (uint32_t s = 0; s < planes; s++) {
        state->constants[s] = constants_of(width, height, settings, s);
        for (uint32_t t = 0; t < planes; t++) {
            state->attraction[s][t] = round_attraction(attraction_of(settings, seed, s, t));
        }
    }
    state->trail = calloc(planes * cells, sizeof(float));
    state->position = calloc(agents, 2 * sizeof(uint32_t));
    state->heading = calloc(agents, sizeof(uint32_t));
    state->species = calloc(agents, sizeof(uint32_t));
    state->deposits = calloc(planes * cells, sizeof(uint32_t));
    state->deposited = calloc(cells, sizeof(float));
    state->row_sums = calloc(cells, sizeof(float));
    state->row = calloc(width + (size_t)settings->diffuse_size - 1, sizeof(float));
    if (state->trail == NULL || state->position == NULL || state->heading == NULL ||
        state->species == NULL || state->deposits == NULL || state->deposited == NULL ||
        state->row_sums == NULL || state->row == NULL ||
        (settings->blend_map[0] &&
         vks_image_brightness(settings->blend_map, width, height, VKS_IMAGE_STRETCH,
                              &state->shares) != VKS_OK) ||
        !make_surroundings(state)) {
        physarum_free(state);
        state = NULL;
    }
    for (size_t i = 0; state != NULL && state->shares != NULL && i < cells; i++) {
        state->shares[i] = (float)(floor((double)state->shares[i] * 65536.0 + 0.5) / 65536.0);
    }
    return state;
}

void physarum_free(struct physarum_state *state)
{
    if (state != NULL) {
        free_surroundings(state);
        free(state->shares);
        free(state->row);
        free(state->row_sums);
        free(state->deposited);
        free(state->deposits);
        free(state->species);
        free(state->heading);
        free(state->position);
        free(state->trail);
        free(state);
    }
}

/* The first position of the cell selected by the random word. */
static uint32_t cell_start(uint32_t word, uint32_t side)
{
    uint32_t low = word * side;
    return word - low / side;
}

/* Blocks along a side: 2^k. */
static unsigned block_bits(uint64_t agents)
{
    unsigned k = 0;
    while (k < 12 && UINT64_C(256) << 2 * (k + 1) <= agents) {
        k++;
    }
    return k;
}

/* Row (axis 0) or column (axis 1) of agent i's block. */
static uint32_t block_of(uint64_t i, uint64_t agents, unsigned k, int axis)
{
    uint64_t q = UINT64_MAX / agents;
    uint32_t along =
        (uint32_t)((uint32_t)i * (uint32_t)(q >> 32)) + vks_high((uint32_t)i, (uint32_t)q);
    uint32_t block = k > 0 ? along >> (32 - 2 * k) : 0;
    uint32_t coordinate = 0;
    for (unsigned bit = 0; bit < k; bit++) {
        coordinate |= (block >> (2 * bit + (axis == 0 ? 1 : 0)) & 1) << bit;
    }
    return coordinate;
}

static uint32_t word_in_block(uint32_t random, uint32_t block, unsigned k)
{
    return k > 0 ? (block << (32 - k)) + (random >> k) : random;
}

/* Places an agent at random, outside walls. */
static void relocate(struct physarum_state *state, uint64_t agent)
{
    const uint32_t item = (uint32_t)agent, step = (uint32_t)state->step;
    const size_t width = state->width, height = state->height;
    uint32_t *at = state->position + 2 * agent;
    for (uint32_t attempt = 0; attempt < 64; attempt++) {
        const vks_uvec4 r = vks_random(state->seed, item, step, 16 + attempt);
        at[0] = cell_start(r.x, state->height);
        at[1] = cell_start(r.y, state->width);
        state->heading[agent] = r.z;
        if (!physarum_is_wall(state, at[0], at[1])) {
            return;
        }
    }
    size_t cell = 0; /* the first that is open */
    while (state->walls[cell]) {
        cell++;
    }
    at[0] = (uint32_t)((((uint64_t)(cell / width) << 32) + height - 1) / height);
    at[1] = (uint32_t)((((uint64_t)(cell % width) << 32) + width - 1) / width);
    state->heading[agent] = vks_random(state->seed, item, step, 16).z;
}

/* The species of an agent with this key: its share of all keys follows species_shares. */
static uint32_t species_of(const struct physarum_settings *settings, uint32_t key)
{
    double sum = 0.0, first = 0.0;
    uint32_t species = 0;
    for (uint64_t s = 0; s < settings->species; s++) {
        sum += settings->species_shares[s];
    }
    for (uint64_t s = 0; s + 1 < settings->species; s++) {
        first += settings->species_shares[s];
        species += key >= (uint64_t)floor(4294967296.0 * (first / sum));
    }
    return species;
}

void physarum_start(struct physarum_state *state, enum physarum_start_kind kind)
{
    const struct physarum_constants *c = &state->constants[0];
    size_t cells = (size_t)state->settings.species * state->width * state->height;
    const uint32_t centre = 0x80000000u;
    const unsigned k = block_bits(state->agents);

    state->step = 0;
    memset(state->trail, 0, cells * sizeof(float));
    memset(state->deposits, 0, cells * sizeof(uint32_t));
    for (uint64_t i = 0; i < state->agents; i++) {
        vks_uvec4 r = vks_random(state->seed, (uint32_t)i, 0, 0);
        uint32_t y = centre, x = centre, heading = r.z;
        if (kind == PHYSARUM_RANDOM) {
            uint32_t row = block_of(i, state->agents, k, 0);
            uint32_t column = block_of(i, state->agents, k, 1);
            y = cell_start(word_in_block(r.x, row, k), state->height);
            x = cell_start(word_in_block(r.y, column, k), state->width);
        } else if (kind == PHYSARUM_DISC || kind == PHYSARUM_RING) {
            float rho = 1.0f;
            if (kind == PHYSARUM_DISC) {
                rho = vks_sqrt((float)(r.y >> 8) * 0x1p-24f);
            }
            vks_vec2 direction = vks_sincos(r.x);
            y = centre + vks_displacement(direction.x, rho * c->radius_y);
            x = centre + vks_displacement(direction.y, rho * c->radius_x);
            heading = r.x + 0x80000000u;
        }
        state->position[2 * i] = y;
        state->position[2 * i + 1] = x;
        state->heading[i] = heading;
        const uint32_t from = state->settings.species_start;
        state->species[i] = species_of(&state->settings, from == PHYSARUM_MIXED   ? r.w
                                                         : from == PHYSARUM_BANDS ? x
                                                                                  : r.x);
        if (physarum_is_wall(state, y, x)) {
            relocate(state, i);
        }
    }
}

/* The fraction of a position within its cell, 0 to 1. */
static float fraction_of(uint32_t position, uint32_t side)
{
    uint32_t low = position * side;
    return (float)(low >> 8) * 0x1p-24f;
}

static float *plane_of(const struct physarum_state *state, uint32_t species)
{
    return state->trail + (size_t)species * state->height * state->width;
}

static float sample_plane(const struct physarum_state *state, const float *trail, uint32_t y,
                          uint32_t x)
{
    size_t width = state->width;
    uint32_t i = vks_high(y, state->height);
    uint32_t j = vks_high(x, state->width);
    if (state->settings.sampling == PHYSARUM_NEAREST) {
        return trail[i * width + j];
    }

    uint32_t i1 = i + 1 == state->height ? 0 : i + 1;
    uint32_t j1 = j + 1 == state->width ? 0 : j + 1;
    float fy = fraction_of(y, state->height);
    float fx = fraction_of(x, state->width);
    float t00 = trail[i * width + j], t01 = trail[i * width + j1];
    float t10 = trail[i1 * width + j], t11 = trail[i1 * width + j1];
    float top = t00 + fx * (t01 - t00);
    float bottom = t10 + fx * (t11 - t10);
    return top + fy * (bottom - top);
}

float physarum_sample(const struct physarum_state *state, uint32_t species, uint32_t y, uint32_t x)
{
    return sample_plane(state, plane_of(state, species), y, x);
}

/* --- traits ---------------------------------------------------------------------------------- */

static bool has_form(const struct physarum_settings *settings)
{
    bool found = settings->blend_to != NULL;
    for (int i = 0; i < PHYSARUM_QUANTITIES; i++) {
        for (uint64_t s = 0; s < settings->species; s++) {
            found = found || settings->form.gain[i][s] != 0.0;
        }
    }
    for (int m = 0; m <= PHYSARUM_JITTER_MAP; m++) {
        found = found || settings->maps[m].image[0];
    }
    return found;
}

/* The share of the second point for an agent at (y, x). */
static float share_at(const struct physarum_state *state, uint32_t y, uint32_t x)
{
    const struct physarum_settings *settings = &state->settings;
    if (settings->blend_to == NULL) {
        return 0.0f;
    }
    if (state->shares != NULL) {
        return state
            ->shares[(size_t)vks_high(y, state->height) * state->width + vks_high(x, state->width)];
    }
    const double *spot = settings->blend_spot;
    if (spot[2] > 0.0) {
        const uint32_t spot_y = (uint32_t)(uint64_t)floor(spot[1] * 4294967296.0);
        const uint32_t spot_x = (uint32_t)(uint64_t)floor(spot[0] * 4294967296.0);
        const float dy = (float)(int32_t)(y - spot_y) * 0x1p-32f * (float)state->height;
        const float dx = (float)(int32_t)(x - spot_x) * 0x1p-32f * (float)state->width;
        const float t = 1.0f - (dy * dy + dx * dx) * to_float(1.0 / (spot[2] * spot[2]));
        const float inside = t > 0.0f ? t : 0.0f;
        return floorf((inside * inside) * 65536.0f + 0.5f) * 0x1p-16f;
    }
    return (float)(floor(settings->blend * 65536.0 + 0.5) / 65536.0);
}

static float mix(double first, double second, float share)
{
    const float a = to_float(first), b = to_float(second);
    return a + share * (b - a);
}

/* Base, in cells or turns. */
static double base_of(const struct physarum_settings *settings, int quantity, uint32_t species)
{
    const double bases[] = {
        settings->sensor_distance[species], settings->sensor_angle[species] * (1.0 / 360.0),
        settings->turn_angle[species] * (1.0 / 360.0), settings->step_size[species]};
    return bases[quantity];
}

static uint32_t species_at(const struct physarum_state *state, uint64_t agent)
{
    return state->species[agent] & 0xff;
}

static float quantity_of(const struct physarum_state *state, int quantity, uint64_t agent,
                         float share, float logarithm)
{
    const uint32_t species = species_at(state, agent);
    const struct physarum_settings *one = &state->settings;
    const struct physarum_settings *two = one->blend_to != NULL ? one->blend_to : one;
    const bool angle = quantity == PHYSARUM_SPREAD || quantity == PHYSARUM_TURN;
    const double unit = angle ? 1.0 / 360.0 : 1.0;
    const float low = angle ? -64.0f : 0.0f, high = angle ? 64.0f : 1000.0f;
    const float base = mix(base_of(one, quantity, species), base_of(two, quantity, species), share);
    const float gain = mix(one->form.gain[quantity][species] * unit,
                           two->form.gain[quantity][species] * unit, share);
    const float power =
        mix(one->form.power[quantity][species], two->form.power[quantity][species], share);
    const float exponent = power * logarithm;
    const float factor =
        factor_at(state, quantity, state->position[2 * agent], state->position[2 * agent + 1]);
    const float formed = base + gain * vks_exp2(exponent > -60.0f ? exponent : -60.0f);
    const float value = formed * factor;
    return vks_flush(value < low ? low : value > high ? high : value);
}

static uint32_t turns_to_angle(float turns)
{
    return vks_displacement(turns < 0.0f ? -1.0f : 1.0f, fabsf(turns));
}

static struct physarum_traits traits_of(const struct physarum_state *state, uint64_t agent)
{
    const uint32_t species = species_at(state, agent);
    const struct physarum_constants *k = &state->constants[species];
    const struct physarum_settings *one = &state->settings;
    if (!has_form(one)) {
        return (struct physarum_traits){k->turn_angle, k->jitter,   k->sin_sensor, k->cos_sensor,
                                        k->sensor_y,   k->sensor_x, k->step_y,     k->step_x};
    }
    const struct physarum_settings *two = one->blend_to != NULL ? one->blend_to : one;
    const uint32_t y = state->position[2 * agent], x = state->position[2 * agent + 1];
    const float share = share_at(state, y, x);
    const float scale =
        mix(1.0 / one->form.trail_full[species], 1.0 / two->form.trail_full[species], share);
    const float ahead = mix(one->form.trail_ahead, two->form.trail_ahead, share);
    const float below = mix(one->form.trail_below, two->form.trail_below, share);
    const float high = to_float(1.0 / state->height), wide = to_float(1.0 / state->width);
    const float forward = ahead > 0.0f ? 1.0f : ahead < 0.0f ? -1.0f : 0.0f;
    const vks_vec2 direction = vks_sincos(state->heading[agent]);
    const uint32_t at_y = y + vks_displacement(direction.x * forward, fabsf(ahead) * high) +
                          vks_displacement(below < 0.0f ? -1.0f : 1.0f, fabsf(below) * high);
    const uint32_t at_x = x + vks_displacement(direction.y * forward, fabsf(ahead) * wide);
    const float near =
        plane_of(state, species)[(size_t)vks_high(at_y, state->height) * state->width +
                                 vks_high(at_x, state->width)] *
        scale;
    const float logarithm = vks_log2(near < 0x1p-30f ? 0x1p-30f : near > 1.0f ? 1.0f : near);
    const float distance = quantity_of(state, PHYSARUM_DISTANCE, agent, share, logarithm);
    const float step = quantity_of(state, PHYSARUM_STEP, agent, share, logarithm);
    const vks_vec2 sensor =
        vks_sincos(turns_to_angle(quantity_of(state, PHYSARUM_SPREAD, agent, share, logarithm)));
    const float jitter = mix(one->jitter[species] / 360.0, two->jitter[species] / 360.0, share) *
                         factor_at(state, PHYSARUM_JITTER_MAP, y, x);
    return (struct physarum_traits){
        .turn_angle = turns_to_angle(quantity_of(state, PHYSARUM_TURN, agent, share, logarithm)),
        .jitter = turns_to_angle(jitter < 0.49999997f ? jitter : 0.49999997f),
        .sin_sensor = sensor.x,
        .cos_sensor = sensor.y,
        .sensor_y = distance * high,
        .sensor_x = distance * wide,
        .step_y = step * high,
        .step_x = step * wide,
    };
}

/* An agent whose life ends is placed at random. */
static void restart(struct physarum_state *state, uint64_t agent)
{
    const uint64_t lifetime = state->settings.lifetime;
    const uint32_t item = (uint32_t)agent, step = (uint32_t)state->step;
    if (lifetime > 0 && vks_random(state->seed, item, step, 2).x < (UINT64_C(1) << 32) / lifetime) {
        relocate(state, agent);
    }
}

/* --- agents ---------------------------------------------------------------------------------- */

/* Whether a wall is where a sensor in this direction is, or between it and the agent. */
static bool is_hidden(const struct physarum_state *state, const struct physarum_traits *traits,
                      uint64_t agent, float sine, float cosine)
{
    const uint32_t parts = parts_of(&state->settings, PHYSARUM_DISTANCE, 32);
    const float each = (float)(1.0 / parts);
    if (state->walls == NULL || state->settings.wall_sight == PHYSARUM_SIGHT_OPEN) {
        return false;
    }
    for (uint32_t q = 1; q <= parts; q++) {
        const float part = q == parts ? 1.0f : (float)q * each;
        const uint32_t y =
            state->position[2 * agent] + vks_displacement(sine, traits->sensor_y * part);
        const uint32_t x =
            state->position[2 * agent + 1] + vks_displacement(cosine, traits->sensor_x * part);
        if (physarum_is_wall(state, y, x)) {
            return true;
        }
    }
    return false;
}

/* What an agent senses in this direction. samples: of the trails of all species. */
static float sense(const struct physarum_state *state, const struct physarum_traits *traits,
                   uint64_t agent, float sine, float cosine, float samples[PHYSARUM_MAX_SPECIES])
{
    uint32_t y = state->position[2 * agent] + vks_displacement(sine, traits->sensor_y);
    uint32_t x = state->position[2 * agent + 1] + vks_displacement(cosine, traits->sensor_x);
    const uint32_t count = (uint32_t)state->settings.species;
    const bool hidden = is_hidden(state, traits, agent, sine, cosine);
    for (uint32_t t = 0; t < count; t++) {
        samples[t] = hidden ? 0.0f : physarum_sample(state, t, y, x);
    }
    if (count == 1) {
        return samples[0];
    }
    const float *attraction = state->attraction[species_at(state, agent)];
    float sum = attraction[0] * samples[0];
    for (uint32_t t = 1; t < count; t++) {
        const float part = attraction[t] * samples[t];
        sum = sum + part;
    }
    if (state->food_trail != NULL) {
        const float food = hidden ? 0.0f : sample_plane(state, state->food_trail, y, x);
        const double own = state->settings.food_attraction[species_at(state, agent)];
        const float part = round_attraction(own) * food;
        sum = sum + part;
    }
    return sum;
}

/* Whether a trail of species t can take over an agent of species s. */
static bool is_candidate(const struct physarum_settings *settings, uint32_t s, uint32_t t)
{
    switch (settings->infection) {
    case PHYSARUM_ANY:
        return t != s;
    case PHYSARUM_RISING:
        return t > s;
    default:
        return t == (s + 1) % settings->species;
    }
}

/* Counts the agent's exposure, and changes its species after enough of it. ahead: the samples of
 * its front sensor. */
static void infect(struct physarum_state *state, uint64_t agent,
                   const float ahead[PHYSARUM_MAX_SPECIES])
{
    const struct physarum_settings *settings = &state->settings;
    const uint32_t own = species_at(state, agent);
    uint32_t strongest = own;
    for (uint32_t t = 0; t < settings->species; t++) {
        if (is_candidate(settings, own, t) && (strongest == own || ahead[t] > ahead[strongest])) {
            strongest = t;
        }
    }
    const float bound = to_float(settings->infection_factor) * ahead[own];
    const bool exposed = strongest != own && ahead[strongest] > bound &&
                         ahead[strongest] >= to_float(settings->infection_trail);
    const uint32_t exposure = exposed ? (state->species[agent] >> 8) + 1 : 0;
    state->species[agent] = exposure >= settings->infection_time ? strongest : own | exposure << 8;
}

/* The change of the heading by steering. */
static uint32_t turn_of(const struct physarum_state *state, uint32_t to_left, float front,
                        float left, float right, uint32_t random)
{
    uint32_t to_right = 0u - to_left;
    uint32_t turn = 0;
    if (state->settings.steering == PHYSARUM_MAX) {
        if (left > front && left > right) {
            turn = to_left;
        } else if (right > front && right > left) {
            turn = to_right;
        }
    } else if (front > left && front > right) {
        turn = 0;
    } else if (front < left && front < right) {
        turn = random >> 31 != 0 ? to_left : to_right;
    } else if (left > right) {
        turn = to_left;
    } else if (right > left) {
        turn = to_right;
    }
    return turn;
}

/* Moves an agent in this direction, in parts of at most a cell. At a wall it stops: with the
 * heading `random` and without a deposit, or reflected. Returns whether it deposits. */
static bool move_among_walls(struct physarum_state *state, const struct physarum_traits *traits,
                             uint64_t agent, vks_vec2 direction, uint32_t random)
{
    const uint32_t parts = parts_of(&state->settings, PHYSARUM_STEP, 16);
    const float part = (float)(1.0 / parts);
    const uint32_t dy = vks_displacement(direction.x, traits->step_y * part);
    const uint32_t dx = vks_displacement(direction.y, traits->step_x * part);
    uint32_t *y = &state->position[2 * agent], *x = y + 1, *heading = &state->heading[agent];
    for (uint32_t k = 0; k < parts; k++) {
        const bool side_y = physarum_is_wall(state, *y + dy, *x);
        const bool side_x = physarum_is_wall(state, *y, *x + dx);
        const bool blocked = physarum_is_wall(state, *y + dy, *x + dx) || (side_y && side_x);
        if (!blocked) {
            *y += dy;
            *x += dx;
            continue;
        }
        if (state->settings.at_wall == PHYSARUM_TURNS) {
            *heading = random;
            return false;
        }
        if (side_y && !side_x) {
            *heading = 0u - *heading;
            *x += dx;
        } else if (side_x && !side_y) {
            *heading = 0x80000000u - *heading;
            *y += dy;
        } else {
            *heading += 0x80000000u;
        }
        return true;
    }
    return true;
}

void physarum_move_agents(struct physarum_state *state)
{
    for (uint64_t i = 0; i < state->agents; i++) {
        const struct physarum_traits t = traits_of(state, i);
        vks_vec2 ahead = vks_sincos(state->heading[i]);
        float s = ahead.x, c = ahead.y;
        float samples[PHYSARUM_MAX_SPECIES], others[PHYSARUM_MAX_SPECIES];
        float front = sense(state, &t, i, s, c, samples);
        float left = sense(state, &t, i, s * t.cos_sensor + c * t.sin_sensor,
                           c * t.cos_sensor - s * t.sin_sensor, others);
        float right = sense(state, &t, i, s * t.cos_sensor - c * t.sin_sensor,
                            c * t.cos_sensor + s * t.sin_sensor, others);

        vks_uvec4 r = vks_random(state->seed, (uint32_t)i, (uint32_t)state->step, 1);
        uint32_t heading =
            state->heading[i] + turn_of(state, t.turn_angle, front, left, right, r.y);
        if (t.jitter > 0) {
            heading += vks_high(r.x, 2 * t.jitter + 1) - t.jitter;
        }
        state->heading[i] = heading;

        vks_vec2 direction = vks_sincos(heading);
        uint32_t *at = state->position + 2 * i;
        bool deposits = true;
        if (state->walls != NULL) {
            deposits = move_among_walls(state, &t, i, direction, r.z);
        } else {
            at[0] += vks_displacement(direction.x, t.step_y);
            at[1] += vks_displacement(direction.y, t.step_x);
        }
        const size_t row =
            (size_t)species_at(state, i) * state->height + vks_high(at[0], state->height);
        state->deposits[row * state->width + vks_high(at[1], state->width)] += deposits;
        if (state->settings.species > 1 && state->settings.infection != PHYSARUM_NO_INFECTION) {
            infect(state, i, samples);
        }
        restart(state, i);
    }
}

/* What the agents of a cell deposit, in deposits of one. */
static float deposits_of(const struct physarum_settings *settings, uint32_t count)
{
    if (settings->deposit_limit > 0 && count > settings->deposit_limit) {
        count = (uint32_t)settings->deposit_limit;
    }
    return settings->deposit_power == 1.0 ? (float)count
           : settings->deposit_power == 0.5
               ? vks_sqrt((float)count)
               : vks_pow((float)count, to_float(settings->deposit_power));
}

/* Position `at` - `reach`, wrapped as often as needed. */
static size_t wrap(size_t at, size_t reach, size_t side)
{
    return (at + side - reach % side) % side;
}

/* Sums of `size` neighbours along each row of D, centred, from left to right. */
static void sum_rows(struct physarum_state *state)
{
    size_t width = state->width;
    size_t size = (size_t)state->settings.diffuse_size, reach = size / 2;
    for (size_t i = 0; i < state->height; i++) {
        const float *from = state->deposited + i * width;
        float *sums = state->row_sums + i * width;
        for (size_t j = 0; j < width + size - 1; j++) {
            if (state->settings.boundary == PHYSARUM_PERIODIC) {
                state->row[j] = from[wrap(j, reach, width)];
            } else {
                state->row[j] = j >= reach && j - reach < width ? from[j - reach] : 0.0f;
            }
        }
        memcpy(sums, state->row, width * sizeof(float));
        for (size_t k = 1; k < size; k++) {
            const float *row = state->row + k;
            for (size_t j = 0; j < width; j++) {
                sums[j] = sums[j] + row[j];
            }
        }
    }
}

/* The same over squares of 3 x 3 cells, complete, where walls stand for the cell in the middle. */
static void sum_among_walls(struct physarum_state *state, float *sums)
{
    const size_t width = state->width, height = state->height;
    const bool periodic = state->settings.boundary == PHYSARUM_PERIODIC;
    for (size_t i = 0; i < height; i++) {
        for (size_t j = 0; j < width; j++) {
            float rows[3];
            for (size_t k = 0; k < 3; k++) {
                float cells[3];
                const size_t row = wrap(i + k, 1, height);
                const bool row_inside = i + k >= 1 && i + k - 1 < height;
                for (size_t l = 0; l < 3; l++) {
                    const size_t column = wrap(j + l, 1, width);
                    const bool column_inside = j + l >= 1 && j + l - 1 < width;
                    const bool above = state->walls[row * width + j] && (periodic || row_inside);
                    const bool beside =
                        state->walls[i * width + column] && (periodic || column_inside);
                    const bool inside = periodic || (row_inside && column_inside);
                    const bool wall = (inside && state->walls[row * width + column]) ||
                                      (k != 1 && l != 1 && above && beside);
                    cells[l] = wall || (k == 1 && l == 1) ? state->deposited[i * width + j]
                               : inside                   ? state->deposited[row * width + column]
                                                          : 0.0f;
                }
                rows[k] = cells[0] + cells[1];
                rows[k] = rows[k] + cells[2];
            }
            sums[i * width + j] = rows[0] + rows[1];
            sums[i * width + j] = sums[i * width + j] + rows[2];
        }
    }
}

/* The sums over squares of `size` cells from those along rows. */
static void sum_columns(struct physarum_state *state, float *squares)
{
    size_t width = state->width, height = state->height;
    size_t size = (size_t)state->settings.diffuse_size, reach = size / 2;
    for (size_t i = 0; i < height; i++) {
        float *sums = squares + i * width;
        for (size_t k = 0; k < size; k++) {
            bool inside = i + k >= reach && i + k - reach < height;
            if (state->settings.boundary == PHYSARUM_ZERO && !inside) {
                /* A row of zeros: adding it changes nothing, starting with it gives zeros. */
                if (k == 0) {
                    memset(sums, 0, width * sizeof(float));
                }
                continue;
            }
            const float *row = state->row_sums + wrap(i + k, reach, height) * width;
            for (size_t j = 0; j < width; j++) {
                sums[j] = k == 0 ? row[j] : sums[j] + row[j];
            }
        }
    }
}

/* T of the next step, in place of T of this one, from D. */
static void diffuse(struct physarum_state *state, uint32_t species, float *trail)
{
    const struct physarum_constants *c = &state->constants[species];
    const size_t cells = (size_t)state->width * state->height;
    const float *diffuse_map = state->maps[PHYSARUM_DIFFUSE_MAP];
    const float *decay_map = state->maps[PHYSARUM_DECAY_MAP];
    const float decay = to_float(state->settings.decay[species]);
    if (state->walls != NULL && state->settings.diffuse_size == 3) {
        sum_among_walls(state, trail);
    } else {
        sum_rows(state);
        sum_columns(state, trail);
    }
    for (size_t cell = 0; cell < cells; cell++) {
        float keep = c->keep, blurred = c->blurred, own = c->own;
        if (decay_map != NULL) {
            const float lost = decay * decay_map[cell];
            keep = vks_flush(1.0f - (lost < 1.0f ? lost : 1.0f));
        }
        if (diffuse_map != NULL) {
            blurred = blurred * diffuse_map[cell];
            blurred = vks_flush(blurred < 1.0f ? blurred : 1.0f);
            own = vks_flush(1.0f - blurred);
        }
        const float mean = trail[cell] * c->inverse;
        const float stays = own * state->deposited[cell];
        const float spread = blurred * mean;
        trail[cell] = vks_flush(keep * (stays + spread));
        if (state->walls != NULL && state->walls[cell]) {
            trail[cell] = 0.0f;
        }
    }
}

static void update_plane(struct physarum_state *state, uint32_t species)
{
    const struct physarum_constants *c = &state->constants[species];
    float *trail = plane_of(state, species);
    const size_t cells = (size_t)state->width * state->height;
    const uint32_t *deposits = state->deposits + species * cells;
    const float *map = state->maps[PHYSARUM_DEPOSIT_MAP];
    const bool fed = state->food != NULL && state->settings.species == 1;
    for (size_t cell = 0; cell < cells; cell++) {
        const float each = map != NULL ? c->deposit * map[cell] : c->deposit;
        const float amount = deposits_of(&state->settings, deposits[cell]) * each;
        state->deposited[cell] = trail[cell] + amount;
        if (fed) {
            state->deposited[cell] = state->deposited[cell] + state->food[cell];
        }
    }
    diffuse(state, species, trail);
}

/* The trail of food, and what agents leave of the food. */
static void update_food(struct physarum_state *state)
{
    const size_t cells = (size_t)state->width * state->height;
    for (size_t cell = 0; state->food_trail != NULL && cell < cells; cell++) {
        state->deposited[cell] = state->food_trail[cell] + state->food[cell];
    }
    if (state->food_trail != NULL) {
        diffuse(state, 0, state->food_trail);
    }
    for (size_t cell = 0; state->settings.food_eaten > 0.0 && cell < cells; cell++) {
        uint32_t count = 0;
        for (size_t s = 0; s < state->settings.species; s++) {
            count += state->deposits[s * cells + cell];
        }
        const float eaten = (float)count * to_float(state->settings.food_eaten);
        const float left = state->food[cell] - eaten;
        state->food[cell] = vks_flush(left > 0.0f ? left : 0.0f);
    }
}

void physarum_update_field(struct physarum_state *state)
{
    const size_t planes = (size_t)state->settings.species;
    for (uint32_t s = 0; s < planes; s++) {
        update_plane(state, s);
    }
    if (state->food != NULL) {
        update_food(state);
    }
    memset(state->deposits, 0, planes * state->width * state->height * sizeof(uint32_t));
}

void physarum_step(struct physarum_state *state)
{
    physarum_move_agents(state);
    physarum_update_field(state);
    state->step++;
}

void physarum_copy(struct physarum_state *to, const struct physarum_state *from)
{
    const size_t cells = (size_t)from->settings.species * from->width * from->height;
    memcpy(to->trail, from->trail, cells * sizeof(float));
    memcpy(to->position, from->position, from->agents * 2 * sizeof(uint32_t));
    memcpy(to->heading, from->heading, from->agents * sizeof(uint32_t));
    memcpy(to->species, from->species, from->agents * sizeof(uint32_t));
    const size_t plane = (size_t)from->width * from->height;
    if (from->walls != NULL) {
        memcpy(to->walls, from->walls, plane * sizeof(bool));
    }
    if (from->food != NULL) {
        memcpy(to->food, from->food, plane * sizeof(float));
    }
    if (from->food_trail != NULL) {
        memcpy(to->food_trail, from->food_trail, plane * sizeof(float));
    }
    to->step = from->step;
}
