/* SPDX-License-Identifier: MIT */
#include "physarum_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

const struct physarum_case physarum_cases[] = {
#define PHYSARUM_CASE(name, width, height, seed, start, options, d1, d2, d50, d500)                \
    {name, width, height, seed, start, options, {d1, d2, d50, d500}},
#include "physarum_cases.def"
#undef PHYSARUM_CASE
};
const size_t physarum_case_count = sizeof(physarum_cases) / sizeof(physarum_cases[0]);
const uint32_t physarum_moments[PHYSARUM_MOMENTS] = {1, 2, 50, 500};

/* True if `text` is the `length` bytes at `word`. */
static bool equals(const char *text, const char *word, size_t length)
{
    return strlen(text) == length && memcmp(text, word, length) == 0;
}

static bool parse_choice(const char *value, size_t length, const char *first, const char *second,
                         uint32_t *choice)
{
    bool known = true;
    if (equals(first, value, length)) {
        *choice = 0;
    } else if (equals(second, value, length)) {
        *choice = 1;
    } else {
        known = false;
    }
    return known;
}

/* One option; `turn_given` becomes true when it was the turn angle. */
static bool parse_one(const char *name, size_t name_length, const char *value, size_t length,
                      struct physarum_settings *settings, bool *turn_given)
{
    const struct {
        const char *name;
        double *value;
    } reals[] = {
        {"sensor-distance", &settings->sensor_distance},
        {"sensor-angle", &settings->sensor_angle},
        {"turn-angle", &settings->turn_angle},
        {"step-size", &settings->step_size},
        {"jitter", &settings->jitter},
        {"deposit", &settings->deposit},
        {"diffuse", &settings->diffuse},
        {"decay", &settings->decay},
        {"field-strength", &settings->field_strength},
        {"start-radius", &settings->start_radius},
    };
    char *end = NULL;
    for (size_t i = 0; i < sizeof(reals) / sizeof(reals[0]); i++) {
        if (equals(reals[i].name, name, name_length)) {
            *reals[i].value = strtod(value, &end);
            *turn_given = *turn_given || reals[i].value == &settings->turn_angle;
            return length > 0 && end == value + length;
        }
    }
    if (equals("agents", name, name_length)) {
        settings->agents = strtoull(value, &end, 10);
        return length > 0 && end == value + length;
    }
    if (equals("diffuse-size", name, name_length)) {
        settings->diffuse_size = strtoull(value, &end, 10);
        return length > 0 && end == value + length;
    }
    if (equals("sampling", name, name_length)) {
        return parse_choice(value, length, "nearest", "bilinear", &settings->sampling);
    }
    if (equals("steering", name, name_length)) {
        return parse_choice(value, length, "max", "jones", &settings->steering);
    }
    if (equals("boundary", name, name_length)) {
        return parse_choice(value, length, "periodic", "zero", &settings->boundary);
    }
    return false;
}

bool physarum_parse(const char *options, struct physarum_settings *settings)
{
    *settings = (struct physarum_settings){
        .agents = 100000,
        .sensor_distance = 5.0,
        .sensor_angle = 45.0,
        .step_size = 1.0,
        .jitter = 0.0,
        .deposit = 1.0,
        .diffuse = 0.2,
        .decay = 0.01,
        .field_strength = 3.0,
        .start_radius = 0.35,
        .diffuse_size = 3,
        .sampling = PHYSARUM_NEAREST,
        .steering = PHYSARUM_MAX,
        .boundary = PHYSARUM_PERIODIC,
    };
    bool good = true, turn_given = false;
    const char *word = options + strspn(options, " ");
    while (good && *word != '\0') {
        size_t length = strcspn(word, " ");
        size_t name_length = strcspn(word, "= ");
        good = name_length < length &&
               parse_one(word, name_length, word + name_length + 1, length - name_length - 1,
                         settings, &turn_given);
        if (!good) {
            (void)fprintf(stderr, "physarum option '%.*s' is not one of docs/sims/physarum.md\n",
                          (int)length, word);
        }
        word += length;
        word += strspn(word, " ");
    }
    if (!turn_given) {
        settings->turn_angle = settings->sensor_angle;
    }
    return good;
}

bool physarum_parse_start(const char *name, enum physarum_start_kind *kind)
{
    const char *const names[] = {
        [PHYSARUM_RANDOM] = "random",
        [PHYSARUM_DISC] = "disc",
        [PHYSARUM_RING] = "ring",
        [PHYSARUM_POINT] = "point",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(names[i], name) == 0) {
            *kind = (enum physarum_start_kind)i;
            return true;
        }
    }
    return false;
}

const char *physarum_digest(const float *trail, size_t cells, const uint32_t *position,
                            const uint32_t *heading, size_t agents,
                            char digest[PHYSARUM_DIGEST_SIZE])
{
    XXH3_state_t *hash = XXH3_createState();
    digest[0] = '\0';
    if (hash != NULL && XXH3_128bits_reset(hash) == XXH_OK &&
        XXH3_128bits_update(hash, trail, cells * sizeof(float)) == XXH_OK &&
        XXH3_128bits_update(hash, position, 2 * agents * sizeof(uint32_t)) == XXH_OK &&
        XXH3_128bits_update(hash, heading, agents * sizeof(uint32_t)) == XXH_OK) {
        XXH128_canonical_t canonical;
        XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(hash));
        for (size_t i = 0; i < sizeof(canonical.digest); i++) {
            (void)snprintf(digest + 2 * i, 3, "%02x", canonical.digest[i]);
        }
    }
    (void)XXH3_freeState(hash);
    return digest;
}
