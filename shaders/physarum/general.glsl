// SPDX-License-Identifier: MIT
// Species, agents with traits of their own, and lifetimes: docs/sims/physarum.md, "Species",
// "Agents that read the trail" and "Deposits of crowds, lifetimes".

layout(constant_id = 16) const bool form = true; // false: the traits are the constants
layout(constant_id = 17) const uint blend = PHYSARUM_NO_BLEND;
layout(constant_id = 18) const bool restarts = false; // agents have a lifetime
layout(constant_id = 19) const uint kinds = 1u;       // species
layout(constant_id = 20) const uint infection = PHYSARUM_NO_INFECTION;

VKS_FIELD(9, readonly, parameters, uint, words);
VKS_FIELD(10, readonly, blend_shares, float, shares); // of cells, with PHYSARUM_BLEND_MAP
VKS_FIELD(11, , species, uint, species_words);        // species and exposure

struct agent {
    uvec2 place;
    uint direction;
    uint species;      // and its exposure to others, from bit 8 on
    uint next_species; // the same after the step
    uint turn_angle, jitter;
    float sensor_sine, sensor_cosine;
    vec2 sensor_distance, step_size; // (y, x) in 2^-32 sides
};

#define SENSOR_SINE(a) a.sensor_sine
#define SENSOR_COSINE(a) a.sensor_cosine
#define SENSOR_DISTANCE(a) a.sensor_distance
#define STEP_SIZE(a) a.step_size
#define TURN_ANGLE(a) a.turn_angle
#define JITTER(a) a.jitter
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
    }
    return sum;
}

// The share of the second point at that place, a multiple of 2^-16.
float share_at(uvec2 place)
{
    if (blend == PHYSARUM_BLEND_MAP) {
        uvec2 at = cell(place);
        return VKS_AT(shares, at.x * constants.width + at.y);
    }
    if (blend == PHYSARUM_BLEND_SPOT) {
        uvec2 from = uvec2(common_word(PHYSARUM_SPOT_Y), common_word(PHYSARUM_SPOT_X));
        precise vec2 d = vec2(ivec2(place - from)) * 2.3283064365386963e-10f;
        d = d * vec2(constants.height, constants.width);
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

// A quantity from the log2 of the relative trail, clamped to low .. high.
float quantity(uint own, uint word, float share, float logarithm, float low, float high)
{
    precise float exponent = mixed(own, word + 2u, share) * logarithm;
    precise float value =
        mixed(own, word, share) + mixed(own, word + 1u, share) * vks_exp2(max(exponent, -60.0f));
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
    float distance = quantity(own, PHYSARUM_DISTANCE, share, logarithm, 0.0f, 1000.0f);
    float sensor_angle = quantity(own, PHYSARUM_SENSOR_ANGLE, share, logarithm, -64.0f, 64.0f);
    float turn_angle = quantity(own, PHYSARUM_TURN_ANGLE, share, logarithm, -64.0f, 64.0f);
    float step_size = quantity(own, PHYSARUM_STEP_SIZE, share, logarithm, 0.0f, 1000.0f);
    vec2 sc = vks_sincos(binary_angle(sensor_angle));
    a.sensor_sine = sc.x;
    a.sensor_cosine = sc.y;
    a.turn_angle = binary_angle(turn_angle);
    a.jitter = binary_angle(min(mixed(own, PHYSARUM_JITTER, share), 0.49999997f));
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
    if (form) {
        compute_traits(a);
    } else {
        take_traits(a);
    }
    if (infection != PHYSARUM_NO_INFECTION) {
        vec2 sc = vks_sincos(a.direction);
        a.next_species =
            exposed(SPECIES(a), a.species >> 8,
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
        uvec4 r = vks_random(constants.seed, number, current_step(), 16u);
        a.place = uvec2(r.x - (r.x * constants.height) / constants.height,
                        r.y - (r.y * constants.width) / constants.width);
        a.direction = r.z;
    }
}
