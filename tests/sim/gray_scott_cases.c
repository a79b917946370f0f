/* SPDX-License-Identifier: MIT */
#include "gray_scott_cases.h"

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "case_options.h"
#include "io/image.h"

const struct gray_scott_case gray_scott_cases[] = {
#define GRAY_SCOTT_CASE(name, width, height, seed, start, options, d1, d2, d7, d50, d300) \
    {name, width, height, seed, start, options, {d1, d2, d7, d50, d300}},
#include "selftest/gray_scott_cases.def"
#undef GRAY_SCOTT_CASE
};
const size_t gray_scott_case_count = sizeof(gray_scott_cases) / sizeof(gray_scott_cases[0]);
const uint32_t gray_scott_moments[GRAY_SCOTT_MOMENTS] = {1, 2, 7, 50, 300};

bool gray_scott_parse(const char *options, struct gray_scott_settings *settings)
{
    static const char *const stencils[] = {"five-point", "nine-point", NULL};
    static const char *const boundaries[] = {"periodic", "no-flux", NULL};
    static const char *const precisions[] = {"float32", "float16", NULL};
    static const char *const paintings[] = {"unpainted", "painted", NULL};
    *settings = (struct gray_scott_settings){
        .feed = 0.037,
        .kill = 0.060,
        .du = 0.16,
        .dv = 0.08,
        .dt = 1.0,
        .feed_range = {0.01, 0.1},
        .kill_range = {0.045, 0.07},
        .start_radius = 0.1,
        .start_share = 0.5,
        .start_count = 20,
        .start_grain = 4,
    };
    char variant[24]; /* must not change the result */
    const struct case_option rows[] = {
        {"feed", .real = &settings->feed},
        {"kill", .real = &settings->kill},
        {"du", .real = &settings->du},
        {"dv", .real = &settings->dv},
        {"dt", .real = &settings->dt},
        {"stencil", .choice = &settings->stencil, .choices = stencils},
        {"boundary", .choice = &settings->boundary, .choices = boundaries},
        {"init-fit", .choice = &settings->init_fit, .choices = vks_image_fit_names},
        {"precision", .choice = &settings->precision, .choices = precisions},
        {"rates", .choice = &settings->rates, .choices = paintings},
        {"map", .real = settings->map, .reals = 4},
        {"feed-map", .text = settings->feed_map, .text_size = sizeof(settings->feed_map)},
        {"feed-range", .real = settings->feed_range, .reals = 2},
        {"kill-map", .text = settings->kill_map, .text_size = sizeof(settings->kill_map)},
        {"kill-range", .real = settings->kill_range, .reals = 2},
        {"variant", .text = variant, .text_size = sizeof(variant)},
        {"start-radius", .real = &settings->start_radius},
        {"start-count", .count = &settings->start_count},
        {"start-grain", .count = &settings->start_grain},
        {"start-share", .real = &settings->start_share},
        {"start-noise", .real = &settings->start_noise},
    };
    return case_options_parse(options, rows, sizeof(rows) / sizeof(rows[0]));
}

/* *brightness of the file for the state's sides, NULL for the path "". */
static bool read_image(const char *path, const struct gray_scott_state *state, float **brightness)
{
    *brightness = NULL;
    return path[0] == '\0' ||
           vks_image_brightness(path, state->width, state->height,
                                (enum vks_image_fit)state->settings.init_fit, brightness) == VKS_OK;
}

static bool start_of(struct gray_scott_state *state, const char *start)
{
    static const char *const names[] = {
        [GRAY_SCOTT_SQUARE] = "square",  [GRAY_SCOTT_DISC] = "disc",
        [GRAY_SCOTT_RING] = "ring",      [GRAY_SCOTT_SPOTS] = "spots",
        [GRAY_SCOTT_NOISE] = "noise",    [GRAY_SCOTT_INVERSE] = "inverse",
        [GRAY_SCOTT_INVERSE + 1] = NULL,
    };
    static const char image[] = "image:";
    if (strncmp(start, image, strlen(image)) == 0) {
        float *brightness;
        bool good = read_image(start + strlen(image), state, &brightness) && brightness != NULL;
        if (good) {
            gray_scott_start_image(state, brightness);
        }
        free(brightness);
        return good;
    }
    int kind = case_name_index(start, names);
    if (kind >= 0) {
        gray_scott_start(state, (enum gray_scott_start_kind)kind);
    }
    return kind >= 0;
}

struct gray_scott_state *gray_scott_begin(uint32_t width, uint32_t height, uint32_t seed,
                                          const char *start, const char *options)
{
    struct gray_scott_settings settings;
    struct gray_scott_state *state = NULL;
    float *feed = NULL, *kill = NULL;
    bool good =
        gray_scott_parse(options, &settings) && settings.dt <= gray_scott_stable_dt(&settings);
    if (good) {
        state = gray_scott_create(width, height, seed, &settings);
    }
    good = state != NULL && start_of(state, start) && read_image(settings.feed_map, state, &feed) &&
           read_image(settings.kill_map, state, &kill) && gray_scott_set_rates(state, feed, kill);
    free(kill);
    free(feed);
    if (!good) {
        gray_scott_free(state);
        state = NULL;
    }
    return state;
}

/* --- bytes -------------------------------------------------------------------------------- */

size_t gray_scott_bytes(const struct gray_scott_state *state)
{
    bool half = state->settings.precision == GRAY_SCOTT_FLOAT16;
    return (size_t)state->width * state->height * (half ? sizeof(uint16_t) : sizeof(float));
}

void gray_scott_store(const struct gray_scott_state *state, const float *field, void *bytes)
{
    if (state->settings.precision == GRAY_SCOTT_FLOAT32) {
        memcpy(bytes, field, gray_scott_bytes(state));
        return;
    }
    uint16_t *halves = bytes;
    for (size_t cell = 0; cell < (size_t)state->width * state->height; cell++) {
        halves[cell] = gray_scott_to_half(field[cell]);
    }
}

void gray_scott_load(const struct gray_scott_state *state, const void *bytes, float *field)
{
    if (state->settings.precision == GRAY_SCOTT_FLOAT32) {
        memcpy(field, bytes, gray_scott_bytes(state));
        return;
    }
    const uint16_t *halves = bytes;
    for (size_t cell = 0; cell < (size_t)state->width * state->height; cell++) {
        field[cell] = gray_scott_from_half(halves[cell]);
    }
}

const char *gray_scott_digest(const struct gray_scott_state *state,
                              char digest[GRAY_SCOTT_DIGEST_SIZE])
{
    struct vks_digest *hash = vks_digest_create();
    void *bytes = malloc(gray_scott_bytes(state));
    const float *const fields[] = {state->u, state->v};
    digest[0] = '\0';
    if (hash != NULL && bytes != NULL) {
        for (int i = 0; i < 2; i++) {
            gray_scott_store(state, fields[i], bytes);
            vks_digest_update(hash, bytes, gray_scott_bytes(state));
        }
        vks_digest_hex(hash, digest);
    }
    free(bytes);
    vks_digest_destroy(hash);
    return digest;
}
