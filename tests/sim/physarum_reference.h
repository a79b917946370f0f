/* SPDX-License-Identifier: MIT */
/* docs/sims/physarum.md in plain single-threaded C: the bytes that every device must produce. */
#ifndef VKS_TESTS_SIM_PHYSARUM_REFERENCE_H
#define VKS_TESTS_SIM_PHYSARUM_REFERENCE_H

#include <stdint.h>

enum { PHYSARUM_NEAREST, PHYSARUM_BILINEAR };
enum { PHYSARUM_MAX, PHYSARUM_JONES };
enum { PHYSARUM_PERIODIC, PHYSARUM_ZERO };
enum { PHYSARUM_MIXED, PHYSARUM_BANDS, PHYSARUM_WEDGES };
enum {
    PHYSARUM_IGNORE,
    PHYSARUM_AVOID,
    PHYSARUM_FOLLOW,
    PHYSARUM_CHASE,
    PHYSARUM_RANDOM_ATTRACTION,
    PHYSARUM_GIVEN_ATTRACTION,
};
enum { PHYSARUM_NO_INFECTION, PHYSARUM_ANY, PHYSARUM_RISING, PHYSARUM_CYCLE };

enum { PHYSARUM_MAX_SPECIES = 8 };

enum physarum_start_kind {
    PHYSARUM_RANDOM,
    PHYSARUM_DISC,
    PHYSARUM_RING,
    PHYSARUM_POINT,
};

/* What depends on the trail near an agent. */
enum { PHYSARUM_DISTANCE, PHYSARUM_SPREAD, PHYSARUM_TURN, PHYSARUM_STEP, PHYSARUM_QUANTITIES };

/* gain, power: by quantity and species. */
struct physarum_form {
    double gain[PHYSARUM_QUANTITIES][PHYSARUM_MAX_SPECIES];
    double power[PHYSARUM_QUANTITIES][PHYSARUM_MAX_SPECIES];
    double trail_full[PHYSARUM_MAX_SPECIES];
    double trail_ahead, trail_below;
};

/* The options by their names; lengths in cells, angles in degrees. Arrays have one element per
 * species. */
struct physarum_settings {
    uint64_t agents;
    double sensor_distance[PHYSARUM_MAX_SPECIES], sensor_angle[PHYSARUM_MAX_SPECIES];
    double turn_angle[PHYSARUM_MAX_SPECIES], step_size[PHYSARUM_MAX_SPECIES];
    double jitter[PHYSARUM_MAX_SPECIES];
    struct physarum_form form;
    double deposit[PHYSARUM_MAX_SPECIES], diffuse[PHYSARUM_MAX_SPECIES];
    double decay[PHYSARUM_MAX_SPECIES];
    double field_strength, start_radius;
    uint64_t diffuse_size; /* odd */
    uint32_t sampling, steering, boundary;
    double deposit_power;
    uint64_t deposit_limit, lifetime;
    const struct physarum_settings *blend_to; /* its sensor_distance to form; NULL: none */
    double blend;
    char blend_map[64];   /* an image; "": none */
    double blend_spot[3]; /* x and y in sides, radius in cells; 0: none */
    uint64_t species;
    double species_shares[PHYSARUM_MAX_SPECIES];
    uint32_t species_start, attraction, infection;
    /* With PHYSARUM_GIVEN_ATTRACTION: rows sense, columns are the trails. */
    double attractions[PHYSARUM_MAX_SPECIES][PHYSARUM_MAX_SPECIES];
    double infection_factor, infection_trail;
    uint64_t infection_time;
};

/* An agent's traits: constants, or of the trail near it. */
struct physarum_traits {
    uint32_t turn_angle, jitter;
    float sin_sensor, cos_sensor;
    float sensor_y, sensor_x, step_y, step_x; /* sides */
};

/* Constants of a species, computed once on the host. */
struct physarum_constants {
    uint32_t sensor_angle, turn_angle, jitter;  /* SA, TA, J */
    float sin_sensor, cos_sensor;               /* sSA, cSA */
    float sensor_y, sensor_x;                   /* sdy, sdx */
    float step_y, step_x;                       /* my, mx */
    float keep, blurred, own, inverse, deposit; /* keep, w, v, inv, deposit */
    float radius_y, radius_x;                   /* ry, rx */
};

struct physarum_state {
    uint32_t width, height;
    uint64_t agents;
    uint64_t step;      /* steps done */
    float *trail;       /* species x height x width */
    uint32_t *position; /* agents x (y, x) */
    uint32_t *heading;  /* agents */
    uint32_t *species;  /* agents: species in bits 0 to 7, exposure in bits 8 to 31 */
    uint32_t *deposits; /* species x height x width; 0 between steps */
    uint32_t seed;
    struct physarum_settings settings;
    struct physarum_constants constants[PHYSARUM_MAX_SPECIES];
    float attraction[PHYSARUM_MAX_SPECIES][PHYSARUM_MAX_SPECIES];
    float *deposited, *row_sums; /* height x width each: D, and its sums along a row */
    float *row;                  /* width + diffuse_size - 1: a row of D with its margins */
    float *shares;               /* height x width with blend_map: of the second point */
};

/* Trail, positions, headings and species are 0; NULL when memory ran out. Width, height and agents
 * are at least 1. */
struct physarum_state *physarum_create(uint32_t width, uint32_t height, uint32_t seed,
                                       const struct physarum_settings *settings);
/* Step 0 of the kind, with an empty trail. */
void physarum_start(struct physarum_state *state, enum physarum_start_kind kind);
void physarum_step(struct physarum_state *state);
/* Copies fields, agents and step from a state of equal size. */
void physarum_copy(struct physarum_state *to, const struct physarum_state *from);
void physarum_free(struct physarum_state *state); /* takes NULL */

/* The two halves of a step; between them `deposits` holds the counts. */
void physarum_move_agents(struct physarum_state *state);
void physarum_update_field(struct physarum_state *state);

/* The trail of a species as a sensor at (y, x) sees it. */
float physarum_sample(const struct physarum_state *state, uint32_t species, uint32_t y, uint32_t x);

#endif
