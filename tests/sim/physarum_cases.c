/* SPDX-License-Identifier: MIT */
#include "physarum_cases.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* What PHYSARUM_SECOND_FILE says. */
#define PHYSARUM_SECOND_FILE "tests/sim/physarum_second.json"
static bool add_second(const char *path, struct physarum_settings *settings)
{
    static struct physarum_settings second;
    if (strcmp(path, PHYSARUM_SECOND_FILE) != 0) {
        fprintf(stderr, "the second point of cases is %s\n", PHYSARUM_SECOND_FILE);
        return false;
    }
    second = *settings;
    second.sensor_distance = 18.0;
    second.sensor_angle = 60.0;
    second.turn_angle = -10.0;
    second.step_size = 1.4;
    second.form = (struct physarum_form){.gain = {-10.0, 0.0, 45.0, 0.0},
                                         .power = {0.5, 0.0, 12.0, 0.0},
                                         .trail_full = 3.0,
                                         .trail_below = 2.0};
    settings->blend_to = &second;
    return true;
}

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
        .form = {.power = {1.0, 1.0, 1.0, 1.0}, .trail_full = 10.0},
        .deposit_power = 1.0,
        .blend = 0.5,
    };
    static const char *const samplings[] = {"nearest", "bilinear", NULL};
    static const char *const steerings[] = {"max", "jones", NULL};
    static const char *const boundaries[] = {"periodic", "zero", NULL};
    char second[128] = "";
    double *const gain = settings->form.gain, *const power = settings->form.power;
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
        {"sensor-distance-gain", .real = &gain[PHYSARUM_DISTANCE]},
        {"sensor-distance-power", .real = &power[PHYSARUM_DISTANCE]},
        {"sensor-angle-gain", .real = &gain[PHYSARUM_SPREAD]},
        {"sensor-angle-power", .real = &power[PHYSARUM_SPREAD]},
        {"turn-angle-gain", .real = &gain[PHYSARUM_TURN]},
        {"turn-angle-power", .real = &power[PHYSARUM_TURN]},
        {"step-size-gain", .real = &gain[PHYSARUM_STEP]},
        {"step-size-power", .real = &power[PHYSARUM_STEP]},
        {"trail-full", .real = &settings->form.trail_full},
        {"trail-ahead", .real = &settings->form.trail_ahead},
        {"trail-below", .real = &settings->form.trail_below},
        {"deposit-power", .real = &settings->deposit_power},
        {"deposit-limit", .count = &settings->deposit_limit},
        {"lifetime", .count = &settings->lifetime},
        {"blend-to", .text = second, .text_size = sizeof(second)},
        {"blend", .real = &settings->blend},
        {"blend-map", .text = settings->blend_map, .text_size = sizeof(settings->blend_map)},
        {"blend-spot", .real = settings->blend_spot, .reals = 3},
    };
    bool good = case_options_parse(options, rows, sizeof(rows) / sizeof(rows[0]));
    if (isnan(settings->turn_angle)) {
        settings->turn_angle = settings->sensor_angle;
    }
    return good && (!second[0] || add_second(second, settings));
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
