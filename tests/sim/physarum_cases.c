/* SPDX-License-Identifier: MIT */
#include "physarum_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "case_options.h"

const struct physarum_case physarum_cases[] = {
#define PHYSARUM_CASE(name, width, height, seed, start, options, d1, d2, d50, d500) \
    {name, width, height, seed, start, options, {d1, d2, d50, d500}},
#include "selftest/physarum_cases.def"
#include "selftest/physarum_species.def"
#include "selftest/physarum_surroundings.def"
#undef PHYSARUM_CASE
};
const size_t physarum_case_count = sizeof(physarum_cases) / sizeof(physarum_cases[0]);
const uint32_t physarum_moments[PHYSARUM_MOMENTS] = {1, 2, 50, 500};

/* What PHYSARUM_SECOND_FILE says. */
#define PHYSARUM_SECOND_FILE "tests/sim/physarum_second.json"
static bool add_second(const char *path, struct physarum_settings *settings)
{
    static struct physarum_settings second;
    if (strcmp(path, PHYSARUM_SECOND_FILE) != 0) {
        fprintf(stderr, "the second point of cases is %s\n", PHYSARUM_SECOND_FILE);
        return false;
    }
    static const double gains[PHYSARUM_QUANTITIES] = {-10.0, 0.0, 45.0, 0.0};
    static const double powers[PHYSARUM_QUANTITIES] = {0.5, 0.0, 12.0, 0.0};
    second = *settings;
    for (int s = 0; s < PHYSARUM_MAX_SPECIES; s++) {
        second.sensor_distance[s] = 18.0;
        second.sensor_angle[s] = 60.0;
        second.turn_angle[s] = -10.0;
        second.step_size[s] = 1.4;
        second.form.trail_full[s] = 3.0;
        for (int i = 0; i < PHYSARUM_QUANTITIES; i++) {
            second.form.gain[i][s] = gains[i];
            second.form.power[i][s] = powers[i];
        }
    }
    second.form.trail_ahead = 0.0;
    second.form.trail_below = 2.0;
    settings->blend_to = &second;
    return true;
}

/* How many species the options have, which their lists depend on. */
static uint64_t count_species(const char *options)
{
    const char *word = strstr(options, "species=");
    return word != NULL ? strtoull(word + strlen("species="), NULL, 10) : 1;
}

static void set_defaults(struct physarum_settings *settings)
{
    *settings = (struct physarum_settings){
        .agents = 100000,
        .field_strength = 3.0,
        .start_radius = 0.35,
        .diffuse_size = 3,
        .sampling = PHYSARUM_NEAREST,
        .steering = PHYSARUM_MAX,
        .boundary = PHYSARUM_PERIODIC,
        .deposit_power = 1.0,
        .blend = 0.5,
        .species = 1,
        .species_start = PHYSARUM_MIXED,
        .attraction = PHYSARUM_AVOID,
        .infection = PHYSARUM_NO_INFECTION,
        .infection_factor = 2.0,
        .infection_time = 20,
        .infection_trail = 1.0,
        .walls_level = 0.5,
        .food_strength = 1.0,
        .food_radius = 3.0,
    };
    for (int s = 0; s < PHYSARUM_MAX_SPECIES; s++) {
        settings->sensor_distance[s] = 5.0;
        settings->sensor_angle[s] = 45.0;
        settings->turn_angle[s] = NAN; /* not given */
        settings->step_size[s] = 1.0;
        settings->deposit[s] = 1.0;
        settings->diffuse[s] = 0.2;
        settings->decay[s] = 0.01;
        settings->form.trail_full[s] = 10.0;
        settings->species_shares[s] = 1.0;
        settings->food_attraction[s] = 1.0;
        for (int i = 0; i < PHYSARUM_QUANTITIES; i++) {
            settings->form.power[i][s] = 1.0;
        }
    }
}

/* A name, or rows of values: "1,-0.5/-0.5,1". */
static bool read_attraction(const char *text, struct physarum_settings *settings)
{
    static const char *const names[] = {
        [PHYSARUM_IGNORE] = "ignore",
        [PHYSARUM_AVOID] = "avoid",
        [PHYSARUM_FOLLOW] = "follow",
        [PHYSARUM_CHASE] = "chase",
        [PHYSARUM_RANDOM_ATTRACTION] = "random",
        NULL,
    };
    const uint64_t count = settings->species;
    const int index = case_name_index(text, names);
    if (index >= 0) {
        settings->attraction = (uint32_t)index;
        return true;
    }
    settings->attraction = PHYSARUM_GIVEN_ATTRACTION;
    for (uint64_t i = 0; i < count * count; i++) {
        char *end;
        settings->attractions[i / count][i % count] = strtod(text, &end);
        const char after = i + 1 == count * count ? '\0' : (i + 1) % count == 0 ? '/' : ',';
        if (end == text || *end != after) {
            (void)fprintf(stderr, "attraction is neither a name nor %llu rows of values\n",
                          (unsigned long long)count);
            return false;
        }
        text = end + 1;
    }
    return true;
}

/* "OPTION=FILE:LOW:HIGH,..." */
static bool read_maps(char *text, struct physarum_settings *settings)
{
    static const char *const names[] = {"sensor-distance", "sensor-angle", "turn-angle",
                                        "step-size",       "jitter",       "deposit",
                                        "diffuse",         "decay",        NULL};
    char *rest = text;
    for (char *word = strtok_r(rest, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest)) {
        char name[32] = "", file[64] = "";
        struct physarum_map map = {0};
        if (sscanf(word, "%31[^=]=%63[^:]:%lf:%lf", name, file, &map.low, &map.high) != 4 ||
            case_name_index(name, names) < 0) {
            (void)fprintf(stderr, "'%s' is not a map\n", word);
            return false;
        }
        memcpy(map.image, file, sizeof(map.image));
        settings->maps[case_name_index(name, names)] = map;
    }
    return true;
}

bool physarum_parse(const char *options, struct physarum_settings *settings)
{
    static const char *const at_walls[] = {"reflect", "turn", NULL};
    static const char *const sights[] = {"blocked", "open", NULL};
    static const char *const samplings[] = {"nearest", "bilinear", NULL};
    static const char *const steerings[] = {"max", "jones", NULL};
    static const char *const boundaries[] = {"periodic", "zero", NULL};
    static const char *const species_starts[] = {"mixed", "bands", "wedges", NULL};
    static const char *const infections[] = {"none", "any", "rising", "cycle", NULL};
    char second[128] = "", attraction[1024] = "avoid", maps[768] = "";
    set_defaults(settings);
    double(*const gain)[PHYSARUM_MAX_SPECIES] = settings->form.gain;
    double(*const power)[PHYSARUM_MAX_SPECIES] = settings->form.power;
    const uint64_t species = count_species(options);
    if (species < 1 || species > PHYSARUM_MAX_SPECIES) {
        (void)fprintf(stderr, "species is not 1 to %d\n", PHYSARUM_MAX_SPECIES);
        return false;
    }
/* One value per species, or one for all. */
#define PER_SPECIES(member) .real = (member), .reals = species, .shared = true
    const struct case_option rows[] = {
        {"agents", .count = &settings->agents},
        {"sensor-distance", PER_SPECIES(settings->sensor_distance)},
        {"sensor-angle", PER_SPECIES(settings->sensor_angle)},
        {"turn-angle", PER_SPECIES(settings->turn_angle)},
        {"step-size", PER_SPECIES(settings->step_size)},
        {"jitter", PER_SPECIES(settings->jitter)},
        {"deposit", PER_SPECIES(settings->deposit)},
        {"diffuse", PER_SPECIES(settings->diffuse)},
        {"diffuse-size", .count = &settings->diffuse_size},
        {"decay", PER_SPECIES(settings->decay)},
        {"sampling", .choice = &settings->sampling, .choices = samplings},
        {"steering", .choice = &settings->steering, .choices = steerings},
        {"boundary", .choice = &settings->boundary, .choices = boundaries},
        {"field-strength", .real = &settings->field_strength},
        {"start-radius", .real = &settings->start_radius},
        {"sensor-distance-gain", PER_SPECIES(gain[PHYSARUM_DISTANCE])},
        {"sensor-distance-power", PER_SPECIES(power[PHYSARUM_DISTANCE])},
        {"sensor-angle-gain", PER_SPECIES(gain[PHYSARUM_SPREAD])},
        {"sensor-angle-power", PER_SPECIES(power[PHYSARUM_SPREAD])},
        {"turn-angle-gain", PER_SPECIES(gain[PHYSARUM_TURN])},
        {"turn-angle-power", PER_SPECIES(power[PHYSARUM_TURN])},
        {"step-size-gain", PER_SPECIES(gain[PHYSARUM_STEP])},
        {"step-size-power", PER_SPECIES(power[PHYSARUM_STEP])},
        {"trail-full", PER_SPECIES(settings->form.trail_full)},
        {"trail-ahead", .real = &settings->form.trail_ahead},
        {"trail-below", .real = &settings->form.trail_below},
        {"deposit-power", .real = &settings->deposit_power},
        {"deposit-limit", .count = &settings->deposit_limit},
        {"lifetime", .count = &settings->lifetime},
        {"blend-to", .text = second, .text_size = sizeof(second)},
        {"blend", .real = &settings->blend},
        {"blend-map", .text = settings->blend_map, .text_size = sizeof(settings->blend_map)},
        {"blend-spot", .real = settings->blend_spot, .reals = 3},
        {"species", .count = &settings->species},
        {"species-shares", .real = settings->species_shares, .reals = species},
        {"species-start", .choice = &settings->species_start, .choices = species_starts},
        {"attraction", .text = attraction, .text_size = sizeof(attraction)},
        {"infection", .choice = &settings->infection, .choices = infections},
        {"infection-factor", .real = &settings->infection_factor},
        {"infection-time", .count = &settings->infection_time},
        {"infection-trail", .real = &settings->infection_trail},
        {"walls", .text = settings->walls, .text_size = sizeof(settings->walls)},
        {"walls-level", .real = &settings->walls_level},
        {"at-wall", .choice = &settings->at_wall, .choices = at_walls},
        {"wall-sight", .choice = &settings->wall_sight, .choices = sights},
        {"food", .text = settings->food, .text_size = sizeof(settings->food)},
        {"food-strength", .real = &settings->food_strength},
        {"food-radius", .real = &settings->food_radius},
        {"food-eaten", .real = &settings->food_eaten},
        {"food-attraction", PER_SPECIES(settings->food_attraction)},
        {"maps", .text = maps, .text_size = sizeof(maps)},
    };
#undef PER_SPECIES
    if (!case_options_parse(options, rows, sizeof(rows) / sizeof(rows[0])) ||
        settings->species != species || !read_attraction(attraction, settings) ||
        !read_maps(maps, settings)) {
        return false;
    }
    if (isnan(settings->turn_angle[0])) {
        memcpy(settings->turn_angle, settings->sensor_angle, sizeof(settings->turn_angle));
    }
    return !second[0] || add_second(second, settings);
}

bool physarum_parse_start(const char *name, enum physarum_start_kind *kind)
{
    static const char *const names[] = {
        [PHYSARUM_RANDOM] = "random",
        [PHYSARUM_DISC] = "disc",
        [PHYSARUM_RING] = "ring",
        [PHYSARUM_POINT] = "point",
        NULL,
    };
    int index = case_name_index(name, names);
    if (index >= 0) {
        *kind = (enum physarum_start_kind)index;
    }
    return index >= 0;
}

static bool add_surroundings(const struct physarum_state *state, struct vks_digest *hash)
{
    const size_t cells = (size_t)state->width * state->height;
    const size_t bytes = physarum_wall_words(state) * state->height * sizeof(uint32_t);
    uint32_t *words = state->walls != NULL ? malloc(bytes) : NULL;
    if (words != NULL) {
        physarum_pack_walls(state, words);
        vks_digest_update(hash, words, bytes);
    }
    if (state->food != NULL) {
        vks_digest_update(hash, state->food, cells * sizeof(float));
    }
    if (state->food_trail != NULL) {
        vks_digest_update(hash, state->food_trail, cells * sizeof(float));
    }
    const bool good = state->walls == NULL || words != NULL;
    free(words);
    return good;
}

const char *physarum_digest(const struct physarum_state *state, char digest[PHYSARUM_DIGEST_SIZE])
{
    const size_t planes = (size_t)state->settings.species, agents = (size_t)state->agents;
    struct vks_digest *hash = vks_digest_create();
    digest[0] = '\0';
    if (hash != NULL) {
        vks_digest_update(hash, state->trail,
                          planes * state->width * state->height * sizeof(float));
        vks_digest_update(hash, state->position, 2 * agents * sizeof(uint32_t));
        vks_digest_update(hash, state->heading, agents * sizeof(uint32_t));
        if (planes > 1) {
            vks_digest_update(hash, state->species, agents * sizeof(uint32_t));
        }
        if (!add_surroundings(state, hash)) {
            vks_digest_destroy(hash);
            return digest;
        }
        vks_digest_hex(hash, digest);
    }
    vks_digest_destroy(hash);
    return digest;
}
