/* SPDX-License-Identifier: MIT */
#include "cipher_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "case_options.h"
#include "io/image.h"

const struct cipher_case cipher_cases[] = {
#define CIPHER_CASE(name, width, height, start, options, d1, d2, d10, d200) \
    {name, width, height, start, options, {d1, d2, d10, d200}},
#include "selftest/cipher_cases.def"
#undef CIPHER_CASE
};
const size_t cipher_case_count = sizeof(cipher_cases) / sizeof(cipher_cases[0]);
const uint32_t cipher_moments[CIPHER_MOMENTS] = {1, 2, 10, 200};

struct cipher_state *cipher_begin(uint32_t width, uint32_t height, const char *start,
                                  const char *options)
{
    struct cipher_settings settings = {
        .agents = (uint64_t)floor(0.44 * width * height + 0.5),
        .reservoirs = 16,
        .registers = 64,
        .sensor_distance = 7.0,
        .sensor_angle = 30.0,
        .turn_angle = 15.0,
        .step_size = 1.0,
        .jitter = 12.0,
        .deposit = 8.0,
        .diffuse = 0.2,
        .decay = 0.05,
    };
    uint32_t fit = VKS_IMAGE_COVER;
    const struct case_option rows[] = {
        {"agents", .count = &settings.agents},
        {"reservoirs", .count = &settings.reservoirs},
        {"registers", .count = &settings.registers},
        {"sensor-distance", .real = &settings.sensor_distance},
        {"sensor-angle", .real = &settings.sensor_angle},
        {"turn-angle", .real = &settings.turn_angle},
        {"step-size", .real = &settings.step_size},
        {"jitter", .real = &settings.jitter},
        {"deposit", .real = &settings.deposit},
        {"diffuse", .real = &settings.diffuse},
        {"decay", .real = &settings.decay},
        {"key", .text = settings.key, .text_size = sizeof(settings.key)},
        {"init-fit", .choice = &fit, .choices = vks_image_fit_names},
    };
    static const char image[] = "image:";
    struct cipher_state *state = NULL;
    float *brightness = NULL;
    if (case_options_parse(options, rows, sizeof(rows) / sizeof(rows[0])) &&
        strncmp(start, image, strlen(image)) == 0 &&
        vks_image_brightness(start + strlen(image), width, height, (enum vks_image_fit)fit,
                             &brightness) == VKS_OK) {
        state = cipher_create(width, height, brightness, &settings);
    }
    free(brightness);
    return state;
}

const char *cipher_digest(const struct cipher_state *state, char digest[CIPHER_DIGEST_SIZE])
{
    const size_t cells = (size_t)state->width * state->height;
    const size_t agents = (size_t)state->settings.agents;
    struct vks_digest *hash = vks_digest_create();
    digest[0] = '\0';
    if (hash != NULL) {
        vks_digest_update(hash, state->trail, cells * sizeof(int32_t));
        vks_digest_update(hash, state->reservoir,
                          cells * state->settings.reservoirs * sizeof(int32_t));
        vks_digest_update(hash, state->position, 2 * agents * sizeof(uint32_t));
        vks_digest_update(hash, state->heading, agents * sizeof(uint32_t));
        vks_digest_update(hash, state->registers,
                          agents * state->settings.registers * sizeof(uint32_t));
        vks_digest_update(hash, &state->moment, sizeof(uint32_t));
        vks_digest_hex(hash, digest);
    }
    vks_digest_destroy(hash);
    return digest;
}
