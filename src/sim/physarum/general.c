/* SPDX-License-Identifier: MIT */
/* Agents whose traits depend on the trail near them, a second point of the parameter space,
 * lifetimes, and the parameters of species: docs/sims/physarum.md, "Agents that read the trail". */
#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/exact.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/option_json.h"
#include "sim/physarum/physarum.h"

enum { QUANTITIES = 4, DISTANCE_MAP = 0, STEP_MAP = 3, MAX_POINT_FILE = 1 << 20 };

/* --- what the options ask for ---------------------------------------------------------------- */

static const struct physarum_quantity *quantity_of(const struct physarum_point *point, size_t index)
{
    const struct physarum_quantity *const all[QUANTITIES] = {
        &point->sensor_distance, &point->sensor_angle, &point->turn_angle, &point->step_size};
    return all[index];
}

static const char *const gain_options[QUANTITIES] = {"sensor-distance-gain", "sensor-angle-gain",
                                                     "turn-angle-gain", "step-size-gain"};

/* The first option that gives agents traits of their own; NULL: none. */
static const char *form_option(const struct physarum_settings *settings)
{
    for (uint32_t s = 0; s < vks_physarum_species(settings); s++) {
        const struct physarum_point point = vks_physarum_point(&settings->point, s);
        for (size_t i = 0; i < QUANTITIES; i++) {
            if (quantity_of(&point, i)->gain != 0) {
                return gain_options[i];
            }
        }
    }
    const uint32_t of_agents = PHYSARUM_MAP_DEPOSIT - 1;
    return vks_text_is_given(settings->blend_to)       ? "blend-to"
           : (vks_physarum_maps(settings) & of_agents) ? "maps"
                                                       : NULL;
}

bool vks_physarum_has_form(const struct physarum_settings *settings)
{
    return form_option(settings) != NULL;
}

bool vks_physarum_is_general(const struct physarum_settings *settings)
{
    return vks_physarum_species(settings) > 1 || vks_physarum_has_form(settings) ||
           vks_physarum_has_walls(settings) || settings->lifetime > 0;
}

bool vks_physarum_has_general_field(const struct physarum_settings *settings)
{
    return vks_physarum_has_walls(settings) || vks_physarum_has_food(settings) ||
           vks_physarum_maps(settings) >= PHYSARUM_MAP_DEPOSIT;
}

uint32_t vks_physarum_blend(const struct physarum_settings *settings)
{
    return !vks_text_is_given(settings->blend_to)    ? PHYSARUM_NO_BLEND
           : vks_text_is_given(settings->blend_map)  ? PHYSARUM_BLEND_MAP
           : vks_text_is_given(settings->blend_spot) ? PHYSARUM_BLEND_SPOT
                                                     : PHYSARUM_BLEND;
}

uint32_t vks_physarum_curve(const struct physarum_settings *settings)
{
    return settings->deposit_power == 0.5 ? PHYSARUM_ROOT
           : settings->deposit_power != 1 ? PHYSARUM_POWER
           : settings->deposit_limit > 0  ? PHYSARUM_LIMITED
                                          : PHYSARUM_LINEAR;
}

const char *vks_physarum_feature(const struct physarum_settings *settings)
{
    return vks_physarum_species(settings) > 1 ? "species"
           : form_option(settings)            ? form_option(settings)
           : vks_physarum_has_walls(settings) ? "walls"
           : vks_physarum_has_food(settings)  ? "food"
           : vks_physarum_maps(settings)      ? "maps"
           : settings->lifetime > 0           ? "lifetime"
           : settings->deposit_power != 1     ? "deposit-power"
           : settings->deposit_limit > 0      ? "deposit-limit"
                                              : NULL;
}

/* The largest length that a quantity of both points can be, at any trail and any share, times the
 * largest factor of a map. */
static double max_length(const struct physarum_quantity *one, const struct physarum_quantity *two,
                         double factor)
{
    const double margin = 1.001; /* for roundings in shaders */
    const double length = fmax(one->base + fmax(one->gain, 0), two->base + fmax(two->gain, 0));
    return margin * fmin(length * factor, 1000);
}

struct physarum_point vks_physarum_widest(const struct physarum_settings *settings)
{
    struct physarum_point widest = vks_physarum_point(&settings->point, 0);
    const bool form = vks_physarum_has_form(settings);
    const double distances = vks_physarum_max_factor(settings, DISTANCE_MAP);
    const double steps = vks_physarum_max_factor(settings, STEP_MAP);
    for (uint32_t s = 0; s < vks_physarum_species(settings); s++) {
        struct physarum_point one = vks_physarum_point(&settings->point, s);
        if (form) {
            const struct physarum_point two = vks_physarum_point(&settings->second, s);
            one.sensor_distance.base =
                max_length(&one.sensor_distance, &two.sensor_distance, distances);
            one.step_size.base = max_length(&one.step_size, &two.step_size, steps);
            one.jitter = fmax(one.jitter, two.jitter);
        }
        widest.sensor_distance.base = fmax(widest.sensor_distance.base, one.sensor_distance.base);
        widest.step_size.base = fmax(widest.step_size.base, one.step_size.base);
        widest.jitter = fmax(widest.jitter, one.jitter);
    }
    return widest;
}

/* Points of at most a cell each along the largest length that one of the quantities can be. */
static uint32_t points_along(const struct physarum_settings *settings, uint32_t quantity,
                             uint32_t map, uint32_t limit)
{
    double most = 0;
    for (uint32_t i = 0; i < vks_physarum_species(settings); i++) {
        const struct physarum_point one = vks_physarum_point(&settings->point, i);
        const struct physarum_point two = vks_physarum_point(&settings->second, i);
        const struct physarum_quantity *a = quantity_of(&one, quantity);
        const struct physarum_quantity *b = quantity_of(&two, quantity);
        most = fmax(most, fmax(a->base + fmax(a->gain, 0), b->base + fmax(b->gain, 0)));
    }
    return (uint32_t)fmin(limit, fmax(1, ceil(most * vks_physarum_max_factor(settings, map))));
}

uint32_t vks_physarum_sight(const struct physarum_settings *settings)
{
    return settings->wall_sight == PHYSARUM_OPEN ? PHYSARUM_OPEN_SIGHT
                                                 : points_along(settings, 0, DISTANCE_MAP, 32);
}

uint32_t vks_physarum_substeps(const struct physarum_settings *settings)
{
    return points_along(settings, QUANTITIES - 1, STEP_MAP, PHYSARUM_MAX_SUBSTEPS);
}

/* --- the second point ------------------------------------------------------------------------ */

/* The option if it belongs to a point; others are ignored. */
static const struct vks_option *find_member(const char *name)
{
    const struct vks_option *row = vks_option_find(vks_physarum_options, name);
    const size_t first = offsetof(struct physarum_settings, point);
    return row && row->offset >= first && row->offset < first + sizeof(struct physarum_point)
               ? row
               : NULL;
}

/* VKS_ERROR_USAGE without a message if there is no such preset. */
static enum vks_result read_preset(const char *name, struct physarum_settings *copy)
{
    const struct vks_preset *preset = vks_physarum_presets;
    while (preset->name && strcmp(preset->name, name) != 0) {
        preset++;
    }
    if (!preset->name) {
        return VKS_ERROR_USAGE;
    }
    char *text = vks_strdup(preset->options ? preset->options : ""), *rest = text;
    enum vks_result result = text ? VKS_OK : vks_fail_memory();
    for (char *word = text ? strtok_r(rest, " ", &rest) : NULL; word && result == VKS_OK;
         word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        *value = '\0';
        const struct vks_option *row = find_member(word);
        result = row ? vks_option_set(row, copy, value + 1) : VKS_OK;
    }
    free(text);
    return result;
}

static enum vks_result read_file(const char *path, struct physarum_settings *copy)
{
    char *text = NULL;
    size_t size;
    json_error_t error;
    enum vks_result result = vks_read_ready_file(path, MAX_POINT_FILE, &text, &size);
    if (result != VKS_OK) {
        return result;
    }
    json_t *file = vks_json_load(text, size, JSON_REJECT_DUPLICATES, &error);
    free(text);
    if (!file) {
        return vks_fail(VKS_ERROR_FILE, "'%s' is not a JSON file: line %d: %s", path, error.line,
                        error.text);
    }
    if (!json_is_object(file)) {
        json_decref(file);
        return vks_fail(VKS_ERROR_FILE, "'%s' is not a JSON object with options", path);
    }
    const char *preset = json_string_value(json_object_get(file, "preset"));
    if (preset) { /* of a scene: applied first */
        result = read_preset(preset, copy);
        result = result == VKS_ERROR_USAGE
                     ? vks_fail(VKS_ERROR_USAGE, "'%s': physarum has no preset '%s'", path, preset)
                     : result;
    }
    const char *name;
    json_t *value;
    json_object_foreach(file, name, value)
    {
        const struct vks_option *row = find_member(name);
        if (row && result == VKS_OK) {
            result = vks_option_from_json(row, copy, value, path);
        }
    }
    json_decref(file);
    return result == VKS_ERROR_USAGE ? vks_fail(VKS_ERROR_FILE, "%s", vks_error_text()) : result;
}

static const char *preset_name(void *user, size_t index)
{
    (void)user;
    return vks_physarum_presets[index].name;
}

static enum vks_result read_second(const char *text, struct physarum_settings *copy)
{
    const enum vks_result result = read_preset(text, copy);
    if (result != VKS_ERROR_USAGE) {
        return result;
    }
    if (vks_has_extension(text, ".json")) {
        return read_file(text, copy);
    }
    const char *hint = vks_nearest(text, preset_name, NULL);
    return vks_fail_option(VKS_ERROR_USAGE, "blend-to",
                           "'%s' is neither a preset of physarum nor a .json file%s%s%s", text,
                           hint ? "; did you mean '" : "", hint ? hint : "", hint ? "'?" : "");
}

static enum vks_result parse_spot(struct physarum_settings *settings)
{
    double *const numbers[] = {&settings->spot_x, &settings->spot_y, &settings->spot_radius};
    const char *at = settings->blend_spot, *end = at;
    bool good = true;
    for (size_t i = 0; i < VKS_COUNT(numbers) && good; i++) {
        *numbers[i] = vks_parse_real(at, &end);
        good = end != at && *end == (i + 1 < VKS_COUNT(numbers) ? ',' : '\0');
        at = end + 1;
    }
    good = good && settings->spot_x >= 0 && settings->spot_x <= 1 && settings->spot_y >= 0 &&
           settings->spot_y <= 1 && settings->spot_radius >= 0.001 && settings->spot_radius <= 1e6;
    return good ? VKS_OK
                : vks_fail_option(VKS_ERROR_USAGE, "blend-spot",
                                  "'%s' is not X,Y,RADIUS: a place of 0 to 1 along both sides, and "
                                  "a radius of 0.001 to 1e6 cells",
                                  settings->blend_spot);
}

enum vks_result vks_physarum_parse(const struct vks_model *model, void *given)
{
    (void)model;
    struct physarum_settings *settings = given;
    struct physarum_settings copy = *settings; /* only numbers of its point are set */
    enum vks_result result = VKS_OK;
    if (vks_text_is_given(settings->blend_to)) {
        result = read_second(settings->blend_to, &copy);
        vks_options_resolve(vks_physarum_options, &copy);
    }
    settings->second = copy.point;
    result = result == VKS_OK ? vks_physarum_parse_species(settings) : result;
    result = result == VKS_OK ? vks_physarum_parse_surroundings(settings) : result;
    return result == VKS_OK && vks_text_is_given(settings->blend_spot) ? parse_spot(settings)
                                                                       : result;
}

enum vks_result vks_physarum_check_general(const struct vks_config *config)
{
    const struct physarum_settings *s = config->settings;
    const char *where = vks_text_is_given(s->blend_map)    ? "blend-map"
                        : vks_text_is_given(s->blend_spot) ? "blend-spot"
                                                           : NULL;
    if (where && !vks_text_is_given(s->blend_to)) {
        return vks_fail_option(VKS_ERROR_USAGE, where, "needs blend-to, the second point");
    }
    if (vks_text_is_given(s->blend_map) && vks_text_is_given(s->blend_spot)) {
        return vks_fail_option(VKS_ERROR_USAGE, "blend-map", "and blend-spot exclude each other");
    }
    return VKS_OK;
}

/* --- fields ---------------------------------------------------------------------------------- */

enum { MAX_WORDS = PHYSARUM_MAX_SPECIES * PHYSARUM_BLOCK_WORDS + PHYSARUM_COMMON_WORDS };

struct words {
    uint32_t count, words[MAX_WORDS];
};

static uint32_t bits_of(float real)
{
    uint32_t bits;
    memcpy(&bits, &real, sizeof(bits));
    return bits;
}

static uint32_t real_bits(double value)
{
    return bits_of(vks_real(value));
}

static void write_point(const struct physarum_point *point, uint32_t *words)
{
    for (size_t i = 0; i < QUANTITIES; i++) {
        const struct physarum_quantity *q = quantity_of(point, i);
        const double unit = i == 1 || i == 2 ? 1.0 / 360 : 1;
        words[3 * i] = real_bits(q->base * unit);
        words[3 * i + 1] = real_bits(q->gain * unit);
        words[3 * i + 2] = real_bits(q->power);
    }
    words[PHYSARUM_JITTER] = real_bits(point->jitter / 360);
    words[PHYSARUM_SCALE] = real_bits(1 / point->trail_full);
    words[PHYSARUM_AHEAD] = real_bits(point->trail_ahead);
    words[PHYSARUM_BELOW] = real_bits(point->trail_below);
}

static void write_species(const struct vks_config *config, uint32_t species, uint32_t *words)
{
    const struct physarum_settings *s = config->settings;
    const struct physarum_point one = vks_physarum_point(&s->point, species);
    const struct physarum_point two = vks_physarum_point(&s->second, species);
    const struct physarum_field field = vks_physarum_field(&s->field, species);
    struct physarum_params params = {0};
    vks_physarum_set_point(config, &one, &params);
    vks_physarum_set_field(&field, &params);
    write_point(&one, words);
    write_point(&two, words + PHYSARUM_POINT_WORDS);
    words[PHYSARUM_PLAIN_TURN] = params.turn_angle;
    words[PHYSARUM_PLAIN_JITTER] = params.jitter;
    words[PHYSARUM_PLAIN_SINE] = bits_of(params.sensor_sine);
    words[PHYSARUM_PLAIN_COSINE] = bits_of(params.sensor_cosine);
    words[PHYSARUM_PLAIN_SENSOR_Y] = bits_of(params.sensor_y);
    words[PHYSARUM_PLAIN_SENSOR_X] = bits_of(params.sensor_x);
    words[PHYSARUM_PLAIN_MOVE_Y] = bits_of(params.move_y);
    words[PHYSARUM_PLAIN_MOVE_X] = bits_of(params.move_x);
    words[PHYSARUM_DEPOSIT] = bits_of(params.deposit);
    words[PHYSARUM_KEEP] = bits_of(params.keep);
    words[PHYSARUM_BLURRED] = bits_of(params.blurred);
    words[PHYSARUM_SHARP] = bits_of(params.sharp);
    words[PHYSARUM_DECAY] = real_bits(field.decay);
    words[PHYSARUM_FOOD_ATTRACTION] = real_bits(vks_physarum_food_attraction(s, species));
    for (uint32_t t = 0; t < vks_physarum_species(s); t++) {
        words[PHYSARUM_ATTRACTION + t] = real_bits(vks_physarum_attraction(config, species, t));
    }
}

/* To the nearest multiple of 2^-16, so that products with it are not subnormal. */
static double share_of(double share)
{
    return floor(share * 65536 + 0.5) / 65536;
}

/* 2^-32 sides. */
static uint32_t place_of(double share)
{
    return (uint32_t)(uint64_t)floor(share * 0x1p32);
}

static uint32_t part_of(uint32_t count)
{
    return bits_of(count > 0 ? (float)(1 / (double)count) : 0);
}

static void write_parameters(const struct vks_config *config, struct words *all)
{
    const struct physarum_settings *s = config->settings;
    const uint32_t species = vks_physarum_species(s);
    for (uint32_t i = 0; i < species; i++) {
        write_species(config, i, all->words + i * PHYSARUM_BLOCK_WORDS);
    }
    uint32_t *words = all->words + species * PHYSARUM_BLOCK_WORDS;
    words[PHYSARUM_SHARE] = real_bits(share_of(s->blend));
    words[PHYSARUM_SPOT_Y] = place_of(s->spot_y);
    words[PHYSARUM_SPOT_X] = place_of(s->spot_x);
    words[PHYSARUM_SPOT_SHARPNESS] =
        real_bits(s->spot_radius > 0 ? 1 / (s->spot_radius * s->spot_radius) : 0);
    words[PHYSARUM_INVERSE_HEIGHT] = real_bits(1 / (double)config->height);
    words[PHYSARUM_INVERSE_WIDTH] = real_bits(1 / (double)config->width);
    words[PHYSARUM_RESTARTS] = vks_event_words(s->lifetime);
    words[PHYSARUM_INFECTION_FACTOR] = real_bits(s->infection_factor);
    words[PHYSARUM_INFECTION_TRAIL] = real_bits(s->infection_trail);
    words[PHYSARUM_INFECTION_TIME] = (uint32_t)s->infection_time;
    words[PHYSARUM_SIGHT_PART] = part_of(vks_physarum_sight(s));
    words[PHYSARUM_SUBSTEP_PART] = part_of(vks_physarum_substeps(s));
    words[PHYSARUM_FOOD_EATEN] = real_bits(s->food_eaten);
    all->count = species * PHYSARUM_BLOCK_WORDS + PHYSARUM_COMMON_WORDS;
}

static enum vks_result fill_parameters(const void *user, const struct vks_field *field,
                                       const struct vks_source *source, void *out)
{
    const struct words *words = user;
    (void)field;
    (void)source;
    memcpy(out, words->words, words->count * sizeof(uint32_t));
    return VKS_OK;
}

static enum vks_result fill_shares(const void *user, const struct vks_field *field,
                                   const struct vks_source *source, void *out)
{
    float *shares = out;
    (void)user;
    (void)field;
    for (uint64_t i = 0; i < source->count; i++) {
        shares[i] = (float)share_of((double)source->brightness[i]);
    }
    return VKS_OK;
}

void vks_physarum_declare_general(const struct vks_config *config,
                                  struct vks_declaration *declaration)
{
    const struct physarum_settings *s = config->settings;
    struct words words = {0};
    char text[9 * MAX_WORDS + 1];
    write_parameters(config, &words);
    for (size_t i = 0; i < words.count; i++) {
        snprintf(text + 9 * i, sizeof(text) - 9 * i, "%08x ", words.words[i]);
    }
    VKS_FIELD(declaration, .name = "parameters", .element = VKS_U32, .rank = 1,
              .shape = {words.count}, .fill = fill_parameters,
              .user = vks_declaration_copy(declaration, &words, sizeof(words)), .made_from = text);
    struct vks_field shares = {
        .name = "blend_shares", .element = VKS_F32, .rank = 2, .shape = {1, 4}};
    if (vks_physarum_blend(s) == PHYSARUM_BLEND_MAP) {
        shares = (struct vks_field){.name = "blend_shares",
                                    .element = VKS_F32,
                                    .fill = fill_shares,
                                    .image = s->blend_map,
                                    .made_from = s->blend_map};
    }
    vks_declare_field(declaration, &shares);
}
