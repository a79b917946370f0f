/* SPDX-License-Identifier: MIT */
/* Constants of the passes of Physarum in a volume; docs/sims/physarum-3d.md names each. */
#ifndef VKS_PHYSARUM_3D_PARAMS_H
#define VKS_PHYSARUM_3D_PARAMS_H

#include "lib/shared.h"

/* Of the passes over the agents. */
struct physarum_3d_agents {
    VKS_UINT width, height, depth; /* cells */
    VKS_UINT agents;
    VKS_UINT seed;
    float sensor_z, sensor_y, sensor_x; /* mean sensor distance, in sides */
    float move_z, move_y, move_x;       /* step size, in sides */
    float sensor_sine, sensor_cosine;   /* of the angle between the sensors */
    float turn_sine, turn_cosine;
    float sharpness;
    float per_mean;    /* 1 / mean length of the vectors of the random distances */
    VKS_UINT restarts; /* an agent restarts if a random word is at most this */
};

/* Of the pass over the cells. */
struct physarum_3d_field {
    VKS_UINT width, height, depth; /* cells */
    float deposit;
    float keep;           /* 1 - decay */
    float blurred, sharp; /* diffuse, 1 - diffuse */
    float inverse_volume; /* 1 / 27 */
    float hold;           /* 1 - trace-decay */
};

#define PHYSARUM_3D_TILE 8u /* cells along a side of a tile, by which agents are sorted */

/* Directions whose squared length differs from 1 by at most this are unit vectors: 2^-16. */
#define PHYSARUM_3D_UNIT 1.52587890625e-5f

/* Readings are clipped to this, so that their powers are defined: 2^20. */
#define PHYSARUM_3D_MAX_READING 1048576.0f

#endif
