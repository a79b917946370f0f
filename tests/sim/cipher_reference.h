/* SPDX-License-Identifier: MIT */
/* docs/sims/cipher.md in plain single-threaded C: the bytes that every device must produce. */
#ifndef VKS_TESTS_SIM_CIPHER_REFERENCE_H
#define VKS_TESTS_SIM_CIPHER_REFERENCE_H

#include <stdint.h>

/* The options by their names; lengths in cells, angles in degrees. */
struct cipher_settings {
    uint64_t agents, reservoirs, registers;
    double sensor_distance, sensor_angle, turn_angle, step_size, jitter;
    double deposit, diffuse, decay;
    char key[64];
};

struct cipher_state {
    uint32_t width, height; /* even */
    uint32_t moment;
    int32_t *trail;      /* height x width */
    int32_t *reservoir;  /* reservoirs x height x width */
    uint32_t *position;  /* agents x (y, x) */
    uint32_t *heading;   /* agents */
    uint32_t *registers; /* registers x agents */
    uint32_t *counts;    /* height x width: agents, scratch */
    uint32_t key[4];
    struct cipher_settings settings;
};

/* The 128 bits of a key. */
void cipher_key(const char *text, uint32_t key[4]);
/* Moment 0, of an image of width x height brightnesses. NULL when memory ran out. */
struct cipher_state *cipher_create(uint32_t width, uint32_t height, const float *brightness,
                                   const struct cipher_settings *settings);
void cipher_forward(struct cipher_state *state);
void cipher_backward(struct cipher_state *state); /* not at moment 0 */
void cipher_free(struct cipher_state *state);     /* takes NULL */

#endif
