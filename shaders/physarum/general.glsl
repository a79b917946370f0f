// SPDX-License-Identifier: MIT
// Species, agents with traits of their own, lifetimes, walls, food and maps: docs/sims/physarum.md,
// "Species", "Agents that read the trail", "Deposits of crowds, lifetimes", "Walls", "Food" and
// "Maps".
#include "physarum/place.glsl"
#include "physarum/wall_blocks.glsl"

layout(constant_id = 16) const bool form = true; // false: the traits are the constants
layout(constant_id = 17) const uint blend = PHYSARUM_NO_BLEND;
layout(constant_id = 18) const bool restarts = false; // agents have a lifetime
layout(constant_id = 19) const uint kinds = 1u;       // species
layout(constant_id = 20) const uint infection = PHYSARUM_NO_INFECTION;
layout(constant_id = 21) const bool walled = false;
layout(constant_id = 22) const uint sight = 1u;    // points between an agent and what it senses
layout(constant_id = 23) const uint substeps = 1u; // of a step among walls
layout(constant_id = 24) const uint at_wall = PHYSARUM_REFLECT;
layout(constant_id = 25) const bool fed = false; // food has a trail
layout(constant_id = 26) const uint maps = 0u;   // bits of PHYSARUM_MAP_...

VKS_FIELD(9, readonly, parameters, uint, words);
VKS_FIELD(10, readonly, blend_shares, float, shares); // of cells, with PHYSARUM_BLEND_MAP
VKS_FIELD(11, , species, uint, species_words);        // species and exposure
VKS_FIELD(14, readonly, food_trail, float, food_trails);
// Factors of cells.
VKS_FIELD(16, readonly, map_sensor_distance, float, factors_of_distance);
VKS_FIELD(17, readonly, map_sensor_angle, float, factors_of_sensor_angle);
VKS_FIELD(18, readonly, map_turn_angle, float, factors_of_turn_angle);
VKS_FIELD(19, readonly, map_step_size, float, factors_of_step_size);
VKS_FIELD(20, readonly, map_jitter, float, factors_of_jitter);

struct agent {
    uvec2 place;
    uint direction;
    uint species;      // and its exposure to others, from bit 8 on
    uint next_species; // the same after the step
    uint turn_angle, jitter;
    float sensor_sine, sensor_cosine;
    vec2 sensor_distance, step_size; // (y, x) in 2^-32 sides
    bool walls;                      // are in its reach
};

#define SENSOR_SINE(a) a.sensor_sine
#define SENSOR_COSINE(a) a.sensor_cosine
#define SENSOR_DISTANCE(a) a.sensor_distance
#define STEP_SIZE(a) a.step_size
#define TURN_ANGLE(a) a.turn_angle
#define JITTER(a) a.jitter
#define WALLS(a) a.walls
#define SPECIES(a) (kinds > 1u ? a.species & 255u : 0u)

// A word of a species. Here and below, functions take the few members of an agent that they need,
// because compilers of software drivers copy whole structures.
uint word_of(uint own, uint word)
{
    return VKS_AT(words, own * PHYSARUM_BLOCK_WORDS + word);
}

float trait_of(uint own, uint word)
{
    return uintBitsToFloat(word_of(own, word));
}

// A word that all species share.
uint common_word(uint word)
{
    return VKS_AT(words, kinds * PHYSARUM_BLOCK_WORDS + word);
}

float parameter(uint word)
{
    return uintBitsToFloat(common_word(word));
}

// The trail of a cell: of the sensed species, or of food, which follows them.
float trail_at(uint row, uint column)
{
    if (fed && sensed_plane == kinds) {
        return VKS_AT(food_trails, row * constants.width + column);
    }
    return VKS_IN(trails, (sensed_plane * constants.height + row) * constants.width + column);
}

const bool needs_heading = walled && at_wall == PHYSARUM_TURN;

void recall(uint i, inout agent a)
{
    a.species = kinds > 1u ? VKS_AT(species_words, i) : 0u;
    a.next_species = a.species;
}

// What an agent of that species senses there: its attraction by the trails of all.
float sensed(uint own, uvec2 place)
{
    precise float sum = 0.0f;
    if (kinds == 1u) {
        sum = sample_at(place);
    } else {
        for (uint t = 0u; t < kinds; t++) {
            sensed_plane = t;
            precise float part = trait_of(own, PHYSARUM_ATTRACTION + t) * sample_at(place);
            sum = t == 0u ? part : sum + part;
        }
        if (fed) {
            sensed_plane = kinds;
            precise float part = trait_of(own, PHYSARUM_FOOD_ATTRACTION) * sample_at(place);
            sum = sum + part;
        }
    }
    return sum;
}

bool is_wall_at(uvec2 place)
{
    uvec2 at = whole_cell(place);
    return is_wall(at.x, at.y);
}

// Whether a wall is in a sensor's place, or in the way to it.
bool is_hidden(bool walls, uvec2 place, float sine, float cosine, vec2 distance)
{
    if (!walls || sight == PHYSARUM_OPEN_SIGHT) {
        return false;
    }
    bool hidden = is_wall_at(place_of_sensor(place, sine, cosine, distance));
    for (uint q = 1u; q < sight && !hidden; q++) {
        precise float part = float(q) * parameter(PHYSARUM_SIGHT_PART);
        precise vec2 way = distance * part;
        hidden = is_wall_at(place_of_sensor(place, sine, cosine, way));
    }
    return hidden;
}

// Moves an agent in that direction, among walls in substeps of at most a cell. Where it meets one,
// it turns to the heading `word` or is reflected, and stops. Returns whether it leaves a deposit.
bool travel(bool walls, inout uvec2 place, inout uint heading, float sine, float cosine, vec2 size,
            uint word)
{
    if (!walled) {
        place += uvec2(displacement(sine, size.x), displacement(cosine, size.y));
        return true;
    }
    precise vec2 way = size * parameter(PHYSARUM_SUBSTEP_PART);
    uvec2 by = uvec2(displacement(sine, way.x), displacement(cosine, way.y));
    if (!walls) {
        place += substeps * by;
        return true;
    }
    bool free = true;
    for (uint k = 0u; k < substeps && free; k++) {
        uvec2 next = place + by;
        bool beside_y = is_wall_at(uvec2(next.x, place.y)); // the two cells beside a diagonal
        bool beside_x = is_wall_at(uvec2(place.x, next.y));
        free = !(is_wall_at(next) || (beside_y && beside_x));
        if (free) {
            place = next;
        } else if (at_wall == PHYSARUM_TURN) {
            heading = word;
        } else if (beside_y && !beside_x) {
            heading = 0u - heading;
            place.y = next.y;
        } else if (beside_x && !beside_y) {
            heading = 0x80000000u - heading;
            place.x = next.x;
        } else {
            heading += 0x80000000u;
        }
    }
    return free || at_wall == PHYSARUM_REFLECT;
}

// The number of the cell at that place.
uint cell_number(uvec2 place)
{
    uvec2 at = cell(place);
    return at.x * constants.width + at.y;
}

// The share of the second point at that place, a multiple of 2^-16.
float share_at(uvec2 place)
{
    if (blend == PHYSARUM_BLEND_MAP) {
        return VKS_AT(shares, cell_number(place));
    }
    if (blend == PHYSARUM_BLEND_SPOT) {
        uvec2 from = uvec2(common_word(PHYSARUM_SPOT_Y), common_word(PHYSARUM_SPOT_X));
        precise vec2 d = vec2(ivec2(place - from)) * 2.3283064365386963e-10f;
        d = d * vec2(PLACE_ROWS, constants.width);
        precise float distance = d.x * d.x + d.y * d.y;
        precise float t = 1.0f - distance * parameter(PHYSARUM_SPOT_SHARPNESS);
        t = max(t, 0.0f);
        precise float parts = (t * t) * 65536.0f + 0.5f;
        parts = floor(parts) * 1.52587890625e-5f;
        return parts;
    }
    return parameter(PHYSARUM_SHARE);
}

// A trait between both points.
float mixed(uint own, uint word, float share)
{
    precise float trait = trait_of(own, word);
    if (blend != PHYSARUM_NO_BLEND) {
        trait = trait + share * (trait_of(own, PHYSARUM_POINT_WORDS + word) - trait);
    }
    return trait;
}

// A quantity from the log2 of the relative trail, times a map's factor, clamped to low .. high.
float quantity(uint own, uint word, float share, float logarithm, float factor, float low,
               float high)
{
    precise float exponent = mixed(own, word + 2u, share) * logarithm;
    precise float value =
        mixed(own, word, share) + mixed(own, word + 1u, share) * vks_exp2(max(exponent, -60.0f));
    value = value * factor;
    return vks_flush(min(max(value, low), high));
}

// A number of turns as a binary angle.
uint binary_angle(float turns)
{
    return vks_displacement(turns < 0.0f ? -1.0f : 1.0f, abs(turns));
}

// A length in cells as (y, x) in 2^-32 sides.
vec2 length_of(float cells)
{
    precise vec2 sides =
        cells * vec2(parameter(PHYSARUM_INVERSE_HEIGHT), parameter(PHYSARUM_INVERSE_WIDTH));
    sides = sides * 4294967296.0f;
    return sides;
}

// log2 of the relative trail that the agent's traits depend on, which is at least 2^-30 and at most
// 1.
float logarithm_near(uint own, uvec2 place, uint heading, float share)
{
    float ahead = mixed(own, PHYSARUM_AHEAD, share), below = mixed(own, PHYSARUM_BELOW, share);
    if (ahead != 0.0f) {
        precise vec2 direction = vks_sincos(heading) * (ahead < 0.0f ? -1.0f : 1.0f);
        precise vec2 sides = abs(ahead) * vec2(parameter(PHYSARUM_INVERSE_HEIGHT),
                                               parameter(PHYSARUM_INVERSE_WIDTH));
        place += uvec2(vks_displacement(direction.x, sides.x),
                       vks_displacement(direction.y, sides.y));
    }
    precise float down = abs(below) * parameter(PHYSARUM_INVERSE_HEIGHT);
    place.x += vks_displacement(below < 0.0f ? -1.0f : 1.0f, down);
    uvec2 at = cell(place);
    sensed_plane = own;
    precise float relative = trail_at(at.x, at.y) * mixed(own, PHYSARUM_SCALE, share);
    return vks_log2(min(max(relative, 9.31322574615478515625e-10f), 1.0f));
}

// The traits of the agent's species.
void take_traits(inout agent a)
{
    uint own = SPECIES(a);
    a.turn_angle = word_of(own, PHYSARUM_PLAIN_TURN);
    a.jitter = word_of(own, PHYSARUM_PLAIN_JITTER);
    a.sensor_sine = trait_of(own, PHYSARUM_PLAIN_SINE);
    a.sensor_cosine = trait_of(own, PHYSARUM_PLAIN_COSINE);
    a.sensor_distance =
        vec2(trait_of(own, PHYSARUM_PLAIN_SENSOR_Y), trait_of(own, PHYSARUM_PLAIN_SENSOR_X));
    a.step_size = vec2(trait_of(own, PHYSARUM_PLAIN_MOVE_Y), trait_of(own, PHYSARUM_PLAIN_MOVE_X));
}

// Computes the agent's traits from the trail near it.
void compute_traits(inout agent a)
{
    float share = share_at(a.place);
    uint own = SPECIES(a);
    float logarithm = logarithm_near(own, a.place, a.direction, share);
    uint here = cell_number(a.place);
    float distance_here = 1.0f, sensor_angle_here = 1.0f, turn_angle_here = 1.0f;
    float step_size_here = 1.0f, jitter_here = 1.0f;
    if ((maps & PHYSARUM_MAP_SENSOR_DISTANCE) != 0u) {
        distance_here = VKS_AT(factors_of_distance, here);
    }
    if ((maps & PHYSARUM_MAP_SENSOR_ANGLE) != 0u) {
        sensor_angle_here = VKS_AT(factors_of_sensor_angle, here);
    }
    if ((maps & PHYSARUM_MAP_TURN_ANGLE) != 0u) {
        turn_angle_here = VKS_AT(factors_of_turn_angle, here);
    }
    if ((maps & PHYSARUM_MAP_STEP_SIZE) != 0u) {
        step_size_here = VKS_AT(factors_of_step_size, here);
    }
    if ((maps & PHYSARUM_MAP_JITTER) != 0u) {
        jitter_here = VKS_AT(factors_of_jitter, here);
    }
    float distance =
        quantity(own, PHYSARUM_DISTANCE, share, logarithm, distance_here, 0.0f, 1000.0f);
    float sensor_angle =
        quantity(own, PHYSARUM_SENSOR_ANGLE, share, logarithm, sensor_angle_here, -64.0f, 64.0f);
    float turn_angle =
        quantity(own, PHYSARUM_TURN_ANGLE, share, logarithm, turn_angle_here, -64.0f, 64.0f);
    float step_size =
        quantity(own, PHYSARUM_STEP_SIZE, share, logarithm, step_size_here, 0.0f, 1000.0f);
    precise float jitter = mixed(own, PHYSARUM_JITTER, share) * jitter_here;
    vec2 sc = vks_sincos(binary_angle(sensor_angle));
    a.sensor_sine = sc.x;
    a.sensor_cosine = sc.y;
    a.turn_angle = binary_angle(turn_angle);
    a.jitter = binary_angle(min(jitter, 0.49999997f));
    a.sensor_distance = length_of(distance);
    a.step_size = length_of(step_size);
}

// The agent's species and exposure after a step in which its front sensor is at that place: counts
// the steps in which it has been exposed to the strongest of those species that can take it over.
uint exposed(uint own, uint exposure, uvec2 place)
{
    float most = -1.0f, own_trail = 0.0f;
    uint other = own;
    for (uint t = 0u; t < kinds; t++) {
        bool can = infection == PHYSARUM_RISING  ? t > own
                   : infection == PHYSARUM_CYCLE ? t == (own + 1u == kinds ? 0u : own + 1u)
                                                 : t != own;
        sensed_plane = t;
        float there = sample_at(place);
        if (t == own) {
            own_trail = there;
        }
        if (can && there > most) {
            most = there;
            other = t;
        }
    }
    precise float enough = parameter(PHYSARUM_INFECTION_FACTOR) * own_trail;
    bool counts_now = most > enough && most >= parameter(PHYSARUM_INFECTION_TRAIL);
    exposure = counts_now ? exposure + 1u : 0u;
    return exposure >= common_word(PHYSARUM_INFECTION_TIME) ? other : own | (exposure << 8);
}

void prepare(inout agent a)
{
    uvec2 at = cell(a.place);
    a.walls = walled && has_walls(PHYSARUM_NEARBY, at.x, at.y);
    if (form) {
        compute_traits(a);
    } else {
        take_traits(a);
    }
    if (infection != PHYSARUM_NO_INFECTION) {
        vec2 sc = vks_sincos(a.direction);
        a.next_species = is_hidden(a.walls, a.place, sc.x, sc.y, a.sensor_distance)
                             ? SPECIES(a)
                             : exposed(SPECIES(a), a.species >> 8,
                                       place_of_sensor(a.place, sc.x, sc.y, a.sensor_distance));
    }
}

// What happens to agent i after its deposit: it changes its species, and at the end of its life it
// restarts at a random place.
void age(uint i, inout agent a)
{
    if (infection != PHYSARUM_NO_INFECTION) {
        VKS_AT(species_words, i) = a.next_species;
    }
    if (!restarts) {
        return;
    }
    uint number = number_of(i);
    if (vks_random(constants.seed, number, current_step(), 2u).x <=
        common_word(PHYSARUM_RESTARTS)) {
        a.place = random_place(walled, number, current_step(), a.direction);
    }
}
