/* SPDX-License-Identifier: MIT */
/* docs/sims/physarum.md in plain single-threaded C: the bytes that every device must produce. */
#ifndef VKS_TESTS_SIM_PHYSARUM_REFERENCE_H
#define VKS_TESTS_SIM_PHYSARUM_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
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
enum { PHYSARUM_REFLECTS, PHYSARUM_TURNS };
enum { PHYSARUM_SIGHT_BLOCKED, PHYSARUM_SIGHT_OPEN };

enum { PHYSARUM_MAX_SPECIES = 8 };

enum physarum_start_kind {
    PHYSARUM_RANDOM,
    PHYSARUM_DISC,
    PHYSARUM_RING,
    PHYSARUM_POINT,
};

/* What depends on the trail near an agent. */
enum { PHYSARUM_DISTANCE, PHYSARUM_SPREAD, PHYSARUM_TURN, PHYSARUM_STEP, PHYSARUM_QUANTITIES };

/* What a map can scale: these quantities first. */
enum {
    PHYSARUM_JITTER_MAP = PHYSARUM_QUANTITIES,
    PHYSARUM_DEPOSIT_MAP,
    PHYSARUM_DIFFUSE_MAP,
    PHYSARUM_DECAY_MAP,
    PHYSARUM_MAPS
};

struct physarum_map {
    char image[64]; /* "": none */
    double low, high;
};

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
    char walls[64], food[256]; /* as the options take them; "": none */
    double walls_level, food_strength, food_radius, food_eaten;
    double food_attraction[PHYSARUM_MAX_SPECIES];
    uint32_t at_wall, wall_sight;
    struct physarum_map maps[PHYSARUM_MAPS];
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
    /* height x width each; NULL: there is none. */
    bool *walls;
    float *food, *food_trail;   /* food_trail: with several species */
    float *maps[PHYSARUM_MAPS]; /* factors */
};

/* Trail, positions, headings and species are 0; NULL when memory ran out or an image cannot be
 * read. Width, height and agents are at least 1, and a cell is open. */
struct physarum_state *physarum_create(uint32_t width, uint32_t height, uint32_t seed,
                                       const struct physarum_settings *settings);
/* Step 0 of the kind, with an empty trail. */
void physarum_start(struct physarum_state *state, enum physarum_start_kind kind);
void physarum_step(struct physarum_state *state);
/* Copies fields, agents and step from a state of equal size with the same fields. */
void physarum_copy(struct physarum_state *to, const struct physarum_state *from);
void physarum_free(struct physarum_state *state); /* takes NULL */

/* The two halves of a step; between them `deposits` holds the counts. */
void physarum_move_agents(struct physarum_state *state);
void physarum_update_field(struct physarum_state *state);

/* Whether (y, x) is in a wall. */
bool physarum_is_wall(const struct physarum_state *state, uint32_t y, uint32_t x);
/* Words of a row of walls, a bit per cell; and the words of all rows. */
size_t physarum_wall_words(const struct physarum_state *state);
void physarum_pack_walls(const struct physarum_state *state, uint32_t *words);

/* The trail of a species as a sensor at (y, x) sees it. */
float physarum_sample(const struct physarum_state *state, uint32_t species, uint32_t y, uint32_t x);

#endif
