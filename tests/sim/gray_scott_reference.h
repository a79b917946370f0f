/* SPDX-License-Identifier: MIT */
/* docs/sims/gray-scott.md in plain single-threaded C: the bytes that every device must produce. */
#ifndef VKS_TESTS_SIM_GRAY_SCOTT_REFERENCE_H
#define VKS_TESTS_SIM_GRAY_SCOTT_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

enum { GRAY_SCOTT_FIVE_POINT, GRAY_SCOTT_NINE_POINT };
enum { GRAY_SCOTT_PERIODIC, GRAY_SCOTT_NO_FLUX };
enum { GRAY_SCOTT_FLOAT32, GRAY_SCOTT_FLOAT16 };
enum { GRAY_SCOTT_UNPAINTED, GRAY_SCOTT_PAINTED };

enum gray_scott_start_kind {
    GRAY_SCOTT_SQUARE,
    GRAY_SCOTT_DISC,
    GRAY_SCOTT_RING,
    GRAY_SCOTT_SPOTS,
    GRAY_SCOTT_NOISE,
    GRAY_SCOTT_INVERSE,
};

/* The options by their names; lengths in cells. */
struct gray_scott_settings {
    double feed, kill, du, dv, dt;
    double map[4];                   /* F0, F1, K0, K1; F1 = 0: no map */
    char feed_map[64], kill_map[64]; /* files; "": none */
    double feed_range[2], kill_range[2];
    double start_radius, start_share, start_noise;
    uint64_t start_count, start_grain;
    uint32_t stencil, boundary, precision, rates;
    uint32_t init_fit; /* of images: enum vks_image_fit */
};

/* Constants computed once on the host. */
struct gray_scott_constants {
    float bu, bv;         /* of each neighbour (nine-point: of a corner) */
    float rest_u, rest_v; /* 1 - n bu, 1 - n bv: what the rates are taken from */
    float f, k;           /* F dt, k dt */
    float dt;
};

struct gray_scott_state {
    uint32_t width, height, seed;
    uint64_t step;                /* steps done */
    float *u, *v;                 /* height x width; with float16, exact as halves */
    float *feed_rate, *kill_rate; /* height x width: F dt, k dt of a cell; NULL: the same for all */
    float *paint_feed, *paint_kill, *paint_share; /* height x width; NULL: rates are unpainted */
    struct gray_scott_settings settings;
    struct gray_scott_constants constants;
    float *next_u, *next_v;
};

/* u and v are 0, the rates those of `feed` and `kill`; NULL when memory ran out. Width and height
 * are at least 1. */
struct gray_scott_state *gray_scott_create(uint32_t width, uint32_t height, uint32_t seed,
                                           const struct gray_scott_settings *settings);
void gray_scott_free(struct gray_scott_state *state); /* takes NULL */

/* Step 0 of the kind. */
void gray_scott_start(struct gray_scott_state *state, enum gray_scott_start_kind kind);
/* Step 0 of an image: height x width values in [0, 1]. */
void gray_scott_start_image(struct gray_scott_state *state, const float *brightness);

void gray_scott_step(struct gray_scott_state *state);

/* Rates that vary over the field, if a map is among the settings or they are painted (with nothing
 * so far): from `map`, or from the
 * brightness (height x width, in [0, 1]) of the files, NULL if there is none. False when memory ran
 * out. */
_Bool gray_scott_set_rates(struct gray_scott_state *state, const float *feed_brightness,
                           const float *kill_brightness);

/* The nearest half of a value in [0, 1], ties to even, 0 below 2^-14; and back. */
uint16_t gray_scott_to_half(float value);
float gray_scott_from_half(uint16_t half);

/* The largest dt with which these settings are stable. */
double gray_scott_stable_dt(const struct gray_scott_settings *settings);

#endif
