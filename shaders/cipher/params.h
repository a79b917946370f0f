/* SPDX-License-Identifier: MIT */
/* Constants of the cipher passes, read as C and as GLSL: docs/sims/cipher.md. */
#ifndef VKS_CIPHER_PARAMS_H
#define VKS_CIPHER_PARAMS_H

#include "lib/shared.h"

struct cipher_params {
    VKS_UINT width, height; /* cells; even */
    VKS_UINT agents, reservoirs, registers;
    VKS_UINT key_x, key_y, key_z, key_w;
    float sensor_sine, sensor_cosine;      /* of the sensor angle */
    float sensor_y, sensor_x;              /* distance of sensors, in sides */
    float move_y, move_x;                  /* step size, in sides */
    VKS_UINT turn_angle, jitter;           /* 2^-32 turns */
    VKS_UINT deposit;                      /* 2^-16 grey levels */
    VKS_UINT even;                         /* what every cell loses per step for the deposits */
    VKS_UINT shear_trail, shear_reservoir; /* of the rotation, in 2^-16 */
    VKS_UINT turning;                      /* share of blocks that turn, in 2^-32 */
};

/* Invocations that look for words of the reservoirs that are not 0. */
#define CIPHER_COUNTERS 65536u

#endif
