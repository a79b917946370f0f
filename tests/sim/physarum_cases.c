/* SPDX-License-Identifier: MIT */
#include "physarum_cases.h"

#include <math.h>

#include "base/digest.h"
#include "case_options.h"

const struct physarum_case physarum_cases[] = {
#define PHYSARUM_CASE(name, width, height, seed, start, options, d1, d2, d50, d500) \
    {name, width, height, seed, start, options, {d1, d2, d50, d500}},
#include "physarum_cases.def"
#undef PHYSARUM_CASE
};
const size_t physarum_case_count = sizeof(physarum_cases) / sizeof(physarum_cases[0]);
const uint32_t physarum_moments[PHYSARUM_MOMENTS] = {1, 2, 50, 500};

bool physarum_parse(const char *options, struct physarum_settings *settings)
{
    *settings = (struct physarum_settings){
        .agents = 100000,
        .sensor_distance = 5.0,
        .sensor_angle = 45.0,
        .turn_angle = NAN, /* not given */
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
    static const char *const samplings[] = {"nearest", "bilinear", NULL};
    static const char *const steerings[] = {"max", "jones", NULL};
    static const char *const boundaries[] = {"periodic", "zero", NULL};
    const struct case_option rows[] = {
        {"agents", .count = &settings->agents},
        {"sensor-distance", .real = &settings->sensor_distance},
        {"sensor-angle", .real = &settings->sensor_angle},
        {"turn-angle", .real = &settings->turn_angle},
        {"step-size", .real = &settings->step_size},
        {"jitter", .real = &settings->jitter},
        {"deposit", .real = &settings->deposit},
        {"diffuse", .real = &settings->diffuse},
        {"diffuse-size", .count = &settings->diffuse_size},
        {"decay", .real = &settings->decay},
        {"sampling", .choice = &settings->sampling, .choices = samplings},
        {"steering", .choice = &settings->steering, .choices = steerings},
        {"boundary", .choice = &settings->boundary, .choices = boundaries},
        {"field-strength", .real = &settings->field_strength},
        {"start-radius", .real = &settings->start_radius},
    };
    bool good = case_options_parse(options, rows, sizeof(rows) / sizeof(rows[0]));
    if (isnan(settings->turn_angle)) {
        settings->turn_angle = settings->sensor_angle;
    }
    return good;
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

const char *physarum_digest(const float *trail, size_t cells, const uint32_t *position,
                            const uint32_t *heading, size_t agents,
                            char digest[PHYSARUM_DIGEST_SIZE])
{
    struct vks_digest *hash = vks_digest_create();
    digest[0] = '\0';
    if (hash != NULL) {
        vks_digest_update(hash, trail, cells * sizeof(float));
        vks_digest_update(hash, position, 2 * agents * sizeof(uint32_t));
        vks_digest_update(hash, heading, agents * sizeof(uint32_t));
        vks_digest_hex(hash, digest);
    }
    vks_digest_destroy(hash);
    return digest;
}
