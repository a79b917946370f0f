/* SPDX-License-Identifier: MIT */
#include "physarum_3d_cases.h"

#include <string.h>

#include "base/digest.h"
#include "case_options.h"

const struct physarum_3d_case physarum_3d_cases[] = {
#define PHYSARUM_3D_CASE(name, width, height, depth, options, d1, d8, d60) \
    {name, width, height, depth, options, {d1, d8, d60}},
#include "selftest/physarum_3d_cases.def"
#undef PHYSARUM_3D_CASE
};
const size_t physarum_3d_case_count = sizeof(physarum_3d_cases) / sizeof(physarum_3d_cases[0]);
const uint32_t physarum_3d_moments[PHYSARUM_3D_MOMENTS] = {1, 8, 60};

bool physarum_3d_parse(const char *options, struct physarum_3d_settings *settings)
{
    static const char *const switches[] = {"off", "on", NULL};
    static const char prefix[] = "points:";
    char food[sizeof(settings->points)] = "";
    *settings = (struct physarum_3d_settings){
        .agents = 1000000,
        .sensor_distance = 6.0,
        .sensor_angle = 30.0,
        .turn_angle = 20.0,
        .step_size = 1.0,
        .sharpness = 4.0,
        .distance_spread = 1,
        .deposit = 0.05,
        .decay = 0.1,
        .diffuse = 1.0,
        .trace_decay = 0.01,
        .points_margin = 0.1,
        .food_strength = 10.0,
    };
    const struct case_option rows[] = {
        {"agents", .count = &settings->agents},
        {"sensor-distance", .real = &settings->sensor_distance},
        {"sensor-angle", .real = &settings->sensor_angle},
        {"turn-angle", .real = &settings->turn_angle},
        {"step-size", .real = &settings->step_size},
        {"sharpness", .real = &settings->sharpness},
        {"distance-spread", .choice = &settings->distance_spread, .choices = switches},
        {"deposit", .real = &settings->deposit},
        {"decay", .real = &settings->decay},
        {"diffuse", .real = &settings->diffuse},
        {"trace-decay", .real = &settings->trace_decay},
        {"lifetime", .count = &settings->lifetime},
        {"food", .text = food, .text_size = sizeof(food)},
        {"points-box", .real = settings->box, .reals = 6},
        {"points-margin", .real = &settings->points_margin},
        {"food-strength", .real = &settings->food_strength},
    };
    const bool good = case_options_parse(options, rows, sizeof(rows) / sizeof(rows[0]));
    if (good && strncmp(food, prefix, strlen(prefix)) == 0) {
        memcpy(settings->points, food + strlen(prefix), sizeof(food) - strlen(prefix));
    }
    return good;
}

const char *physarum_3d_digest(const struct physarum_3d_state *state,
                               char digest[PHYSARUM_3D_DIGEST_SIZE])
{
    const size_t cells = physarum_3d_cells(state), agents = (size_t)state->settings.agents;
    struct vks_digest *hash = vks_digest_create();
    digest[0] = '\0';
    if (hash != NULL) {
        vks_digest_update(hash, state->trail, cells * sizeof(float));
        vks_digest_update(hash, state->trace, cells * sizeof(float));
        if (state->food != NULL) {
            vks_digest_update(hash, state->food, cells * sizeof(float));
        }
        for (int axis = 0; axis < 3; axis++) {
            vks_digest_update(hash, state->place[axis], agents * sizeof(uint32_t));
        }
        for (int axis = 0; axis < 3; axis++) {
            vks_digest_update(hash, state->direction[axis], agents * sizeof(float));
        }
        vks_digest_hex(hash, digest);
    }
    vks_digest_destroy(hash);
    return digest;
}
