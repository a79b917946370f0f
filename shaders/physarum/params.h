/* SPDX-License-Identifier: MIT */
/* Constants of the Physarum passes; docs/sims/physarum.md names each. */
#ifndef VKS_PHYSARUM_PARAMS_H
#define VKS_PHYSARUM_PARAMS_H

#include "lib/shared.h"

#define PHYSARUM_MAX_SPECIES 8u

struct physarum_params {
    VKS_UINT width, height; /* cells of the fields */
    VKS_UINT agents;        /* that the fields have room for */
    VKS_UINT seed;
    VKS_UINT sensor_angle, turn_angle, jitter; /* binary angles */
    float sensor_sine, sensor_cosine;
    float sensor_x, sensor_y; /* sensor distance in 2^-32 sides */
    float move_x, move_y;     /* step size in 2^-32 sides */
    float deposit;
    float keep;           /* 1 - decay */
    float blurred, sharp; /* diffuse, 1 - diffuse */
    float inverse_area;   /* 1 / diffuse-size^2 */
    VKS_UINT radius;      /* (diffuse-size - 1) / 2 */
    /* log2 of the cells along the sides of a block, whose spilled counts are marked together. */
    VKS_UINT block_rows_bits, block_columns_bits;
    VKS_UINT blocks;        /* in a row */
    VKS_UINT curve_bits;    /* squares of 2^n tiles have a Hilbert curve each */
    VKS_UINT steps;         /* of a dispatch */
    float deposit_power;    /* with PHYSARUM_POWER */
    VKS_UINT deposit_limit; /* agents of a cell; 0: none */
    VKS_UINT side, first;   /* rows of the whole field, and the first of the rank's */
};

/* Of the pass that places agents. */
struct physarum_start_params {
    VKS_UINT width, height; /* cells */
    VKS_UINT agents;
    VKS_UINT seed;
    float radius_x, radius_y;       /* in sides */
    VKS_UINT block_bits;            /* k: there are 2^k x 2^k blocks */
    VKS_UINT order_high, order_low; /* Q: 2^64 / agents */
    /* Species k + 1 begins at this key; there are `bounds` of them that some key reaches. */
    VKS_UINT first_key[PHYSARUM_MAX_SPECIES - 1u];
    VKS_UINT bounds;
    VKS_UINT room, first, rows; /* of a rank: for agents, and its own rows */
};

/* View `headings`: a direction's cosine and sine are summed as integers in this unit. */
#define PHYSARUM_HEADING_UNIT 256.0f
#define PHYSARUM_HEADING_TAPS 9u
#define PHYSARUM_THIRD 0.333333343f
#define PHYSARUM_ROOT_THIRD 0.577350259f /* sqrt(1 / 3) */

#define PHYSARUM_TILE 8u /* cells along a side of a tile */
/* Tiles along the curve, whose agents are in order of species: enough for many workgroups of each,
 * and so few that a cache has the trails of all. */
#define PHYSARUM_GROUP 1024u

/* Values of the specialization constants. */
#define PHYSARUM_NEAREST 0
#define PHYSARUM_BILINEAR 1
#define PHYSARUM_MAX 0
#define PHYSARUM_JONES 1
#define PHYSARUM_PERIODIC 0
#define PHYSARUM_ZERO 1
#define PHYSARUM_RANDOM 0
#define PHYSARUM_DISC 1
#define PHYSARUM_RING 2
#define PHYSARUM_POINT 3
/* The deposit of n agents of a cell: n, at most the limit, its root, or a power of it. */
#define PHYSARUM_LINEAR 0
#define PHYSARUM_LIMITED 1
#define PHYSARUM_ROOT 2
#define PHYSARUM_POWER 3
/* At a wall: an agent is reflected, or stays and turns. */
#define PHYSARUM_REFLECT 0
#define PHYSARUM_TURN 1
#define PHYSARUM_OPEN_SIGHT 0
/* Cells along a side of a block that has a bit in each of two tables: whether a wall is beside it,
 * and whether one is in the reach of its agents. A reach from PHYSARUM_MAX_REACH on makes all near.
 */
#define PHYSARUM_BLOCK 16u
#define PHYSARUM_MAX_REACH 128u
#define PHYSARUM_BESIDE 0u
#define PHYSARUM_NEARBY 1u
#define PHYSARUM_NOWHERE 0xffffffffu /* row of a deposit that there is not */
/* Maps, in the order of enum physarum_maps. */
#define PHYSARUM_MAP_SENSOR_DISTANCE 1u
#define PHYSARUM_MAP_SENSOR_ANGLE 2u
#define PHYSARUM_MAP_TURN_ANGLE 4u
#define PHYSARUM_MAP_STEP_SIZE 8u
#define PHYSARUM_MAP_JITTER 16u
#define PHYSARUM_MAP_DEPOSIT 32u
#define PHYSARUM_MAP_DIFFUSE 64u
#define PHYSARUM_MAP_DECAY 128u
/* The share of the second point: none, one number, an image, or a spot. */
#define PHYSARUM_NO_BLEND 0
#define PHYSARUM_BLEND 1
#define PHYSARUM_BLEND_MAP 2
#define PHYSARUM_BLEND_SPOT 3

/* The brush `agents` at full strength brings one agent in 256. */
#define PHYSARUM_GATHERED 0.00390625f

/* Where species start. */
#define PHYSARUM_MIXED 0
#define PHYSARUM_BANDS 1
#define PHYSARUM_WEDGES 2
/* Which species can take over an agent. */
#define PHYSARUM_NO_INFECTION 0
#define PHYSARUM_ANY 1
#define PHYSARUM_RISING 2
#define PHYSARUM_CYCLE 3

/* Words of the field `parameters`: floats unless noted. First a block for each species, which
 * begins with both points of the parameter space, in cells and turns; each quantity has its base,
 * gain and power. */
#define PHYSARUM_DISTANCE 0u
#define PHYSARUM_SENSOR_ANGLE 3u
#define PHYSARUM_TURN_ANGLE 6u
#define PHYSARUM_STEP_SIZE 9u
#define PHYSARUM_JITTER 12u
#define PHYSARUM_SCALE 13u /* 1 / trail-full */
#define PHYSARUM_AHEAD 14u
#define PHYSARUM_BELOW 15u
#define PHYSARUM_POINT_WORDS 16u
/* Traits that do not depend on the trail, as in struct physarum_params. */
#define PHYSARUM_PLAIN_TURN 32u   /* uint */
#define PHYSARUM_PLAIN_JITTER 33u /* uint */
#define PHYSARUM_PLAIN_SINE 34u
#define PHYSARUM_PLAIN_COSINE 35u
#define PHYSARUM_PLAIN_SENSOR_Y 36u
#define PHYSARUM_PLAIN_SENSOR_X 37u
#define PHYSARUM_PLAIN_MOVE_Y 38u
#define PHYSARUM_PLAIN_MOVE_X 39u
/* Of the species' trail. */
#define PHYSARUM_DEPOSIT 40u
#define PHYSARUM_KEEP 41u
#define PHYSARUM_BLURRED 42u
#define PHYSARUM_SHARP 43u
#define PHYSARUM_DECAY 44u
#define PHYSARUM_FOOD_ATTRACTION 45u /* by the trail of food */
#define PHYSARUM_ATTRACTION 46u      /* by the trail of each species */
#define PHYSARUM_BLOCK_WORDS 54u
/* Behind the blocks of all species. */
#define PHYSARUM_SHARE 0u          /* of the second point */
#define PHYSARUM_SPOT_Y 1u         /* 2^-32 sides, uint */
#define PHYSARUM_SPOT_X 2u         /* the same */
#define PHYSARUM_SPOT_SHARPNESS 3u /* 1 / radius^2 */
#define PHYSARUM_INVERSE_HEIGHT 4u
#define PHYSARUM_INVERSE_WIDTH 5u
#define PHYSARUM_RESTARTS 6u /* the largest random word with which an agent restarts, uint */
#define PHYSARUM_INFECTION_FACTOR 7u
#define PHYSARUM_INFECTION_TRAIL 8u
#define PHYSARUM_INFECTION_TIME 9u /* uint */
#define PHYSARUM_SIGHT_PART 10u    /* 1 / sight */
#define PHYSARUM_SUBSTEP_PART 11u  /* 1 / substeps */
#define PHYSARUM_FOOD_EATEN 12u
#define PHYSARUM_COMMON_WORDS 13u

#endif
