/* SPDX-License-Identifier: MIT */
/* Physarum, slime mould: docs/sims/physarum.md. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <vksim/model.h>

#include "base/error.h"
#include "base/exact.h"
#include "base/memory.h"
#include "sim/physarum/physarum.h"

_Static_assert(sizeof(struct physarum_params) <= VKS_MAX_CONSTANTS, "fits the push constants");

const char *const vks_physarum_samplings[] = {"nearest", "bilinear", NULL};
static const char *const steerings[] = {"max", "jones", NULL};
static const char *const boundaries[] = {"periodic", "zero", NULL};
static const char *const starts[] = {"random", "disc", "ring", "point", NULL};
static const char *const species_starts[] = {"mixed", "bands", "wedges", NULL};
static const char *const infections[] = {"none", "any", "rising", "cycle", NULL};
static const char *const mixes[] = {"add", "max", NULL};
static const char *const at_walls[] = {"reflect", "turn", NULL};
static const char *const sights[] = {"blocked", "open", NULL};
#define SPECIES "species"
#define INFECTION "infection=any|rising|cycle"

/* clang-format off: one row per option */
#define AT(member) offsetof(struct physarum_settings, member)
/* Numbers that may be lists. */
#define OF_POINT(member) OF(point, struct physarum_point, member)
#define OF_FIELD(member) OF(field, struct physarum_field, member)
#define OF(part, type, member)                                                                  \
    .offset = AT(part.member),                                                                  \
    .list = AT(part.lists) + offsetof(type, member) / sizeof(double) * sizeof(struct vks_list), \
    .flags = VKS_OPTION_LIST
static const struct vks_option options[] = {
    {.name = "agents",
     .heading = "agents",
     .type = VKS_OPTION_COUNT,
     .change = VKS_CHANGE_NEVER,
     .offset = AT(agents),
     .min = 0,
     .max = 1e9,
     .default_text = "0",
     .unit = "",
     .help = "number of agents; 0: density times the number of cells"},
    {.name = "density",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_NEVER,
     .offset = AT(density),
     .min = 1e-9,
     .max = 1000,
     .soft_min = 0.02,
     .soft_max = 2,
     .logarithmic = true,
     .default_text = "0.238419",
     .unit = "agents per cell",
     .unless = "agents",
     .help = "agents per cell at the start, whatever the size of the field"},
    {.name = "sensor-distance",
     .type = VKS_OPTION_REAL,
     OF_POINT(sensor_distance.base),
     .min = 0,
     .max = 1000,
     .soft_min = 0,
     .soft_max = 60,
     .default_text = "5",
     .unit = "cells",
     .help = "distance from an agent to its sensors"},
    {.name = "sensor-angle",
     .type = VKS_OPTION_REAL,
     OF_POINT(sensor_angle.base),
     .min = 0,
     .max = 180,
     .soft_min = 0,
     .soft_max = 120,
     .default_text = "45",
     .unit = "deg",
     .help = "angle between the front sensor and each side sensor"},
    {.name = "turn-angle",
     .type = VKS_OPTION_REAL,
     OF_POINT(turn_angle.base),
     .min = -180,
     .max = 180,
     .soft_min = -120,
     .soft_max = 120,
     .same_as = "sensor-angle",
     .unit = "deg",
     .help = "turn towards the stronger trail per step; negative values turn away"},
    {.name = "step-size",
     .type = VKS_OPTION_REAL,
     OF_POINT(step_size.base),
     .min = 0,
     .max = 1000,
     .soft_min = 0,
     .soft_max = 5,
     .default_text = "1",
     .unit = "cells",
     .help = "distance that an agent moves per step"},
    {.name = "jitter",
     .type = VKS_OPTION_REAL,
     OF_POINT(jitter),
     .min = 0,
     .max = 180,
     .soft_min = 0,
     .soft_max = 60,
     .default_text = "0",
     .unit = "deg",
     .help = "max random turn to either side per step"},
    {.name = "deposit",
     .heading = "trail",
     .type = VKS_OPTION_REAL,
     OF_FIELD(deposit),
     .min = 0,
     .max = 1e6,
     .soft_min = 0.05,
     .soft_max = 50,
     .logarithmic = true,
     .default_text = "1",
     .unit = "",
     .help = "trail that an agent deposits per step"},
    {.name = "diffuse",
     .type = VKS_OPTION_REAL,
     OF_FIELD(diffuse),
     .min = 0,
     .max = 1,
     .default_text = "0.2",
     .unit = "",
     .help = "fraction of the trail that diffuses per step"},
    {.name = "diffuse-size",
     .type = VKS_OPTION_COUNT,
     .change = VKS_CHANGE_SOMETIMES,
     .offset = AT(diffuse_size),
     .min = 1,
     .max = 63,
     .soft_min = 1,
     .soft_max = 21,
     .default_text = "3",
     .unit = "cells",
     .help = "side of the square that the trail diffuses over per step",
     .flags = VKS_OPTION_ODD},
    {.name = "decay",
     .type = VKS_OPTION_REAL,
     OF_FIELD(decay),
     .min = 0,
     .max = 1,
     .soft_min = 0.001,
     .soft_max = 0.3,
     .logarithmic = true,
     .default_text = "0.01",
     .unit = "",
     .help = "fraction of the trail that decays per step"},
    {.name = "sampling",
     .heading = "rules",
     .type = VKS_OPTION_CHOICE,
     .offset = AT(sampling),
     .choices = vks_physarum_samplings,
     .default_text = "nearest",
     .help = "what a sensor reads: the cell that contains it (nearest), or an interpolation of the "
             "four cells around it (bilinear)"},
    {.name = "steering",
     .type = VKS_OPTION_CHOICE,
     .offset = AT(steering),
     .choices = steerings,
     .default_text = "max",
     .help = "turn rule: max turns only to a side that is stronger than both other sensors; jones "
             "also turns, to a random side, where the front is weakest"},
    {.name = "boundary",
     .type = VKS_OPTION_CHOICE,
     .offset = AT(boundary),
     .choices = boundaries,
     .default_text = "periodic",
     .help = "boundary of the diffusing trail: periodic (wraps around), or zero outside the field"},
    {.name = "sensor-distance-gain",
     .heading = "gains",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_SOMETIMES,
     OF_POINT(sensor_distance.gain),
     .min = -1000,
     .max = 1000,
     .soft_min = -30,
     .soft_max = 30,
     .default_text = "0",
     .unit = "cells",
     .help = "added to the sensor distance where the trail near the agent is full"},
    {.name = "sensor-distance-power",
     .type = VKS_OPTION_REAL,
     OF_POINT(sensor_distance.power),
     .min = 0,
     .max = 100,
     .soft_min = 0,
     .soft_max = 4,
     .default_text = "1",
     .unit = "",
     .help = "power of the trail, relative to trail-full, in the gain of the sensor distance"},
    {.name = "sensor-angle-gain",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_SOMETIMES,
     OF_POINT(sensor_angle.gain),
     .min = -3600,
     .max = 3600,
     .soft_min = -120,
     .soft_max = 120,
     .default_text = "0",
     .unit = "deg",
     .help = "added to the sensor angle where the trail near the agent is full"},
    {.name = "sensor-angle-power",
     .type = VKS_OPTION_REAL,
     OF_POINT(sensor_angle.power),
     .min = 0,
     .max = 100,
     .soft_min = 0,
     .soft_max = 4,
     .default_text = "1",
     .unit = "",
     .help = "power of the trail, relative to trail-full, in the gain of the sensor angle"},
    {.name = "turn-angle-gain",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_SOMETIMES,
     OF_POINT(turn_angle.gain),
     .min = -3600,
     .max = 3600,
     .soft_min = -120,
     .soft_max = 120,
     .default_text = "0",
     .unit = "deg",
     .help = "added to the turn angle where the trail near the agent is full"},
    {.name = "turn-angle-power",
     .type = VKS_OPTION_REAL,
     OF_POINT(turn_angle.power),
     .min = 0,
     .max = 100,
     .soft_min = 0,
     .soft_max = 4,
     .default_text = "1",
     .unit = "",
     .help = "power of the trail, relative to trail-full, in the gain of the turn angle"},
    {.name = "step-size-gain",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_SOMETIMES,
     OF_POINT(step_size.gain),
     .min = -1000,
     .max = 1000,
     .soft_min = -4,
     .soft_max = 4,
     .default_text = "0",
     .unit = "cells",
     .help = "added to the step size where the trail near the agent is full"},
    {.name = "step-size-power",
     .type = VKS_OPTION_REAL,
     OF_POINT(step_size.power),
     .min = 0,
     .max = 100,
     .soft_min = 0,
     .soft_max = 4,
     .default_text = "1",
     .unit = "",
     .help = "power of the trail, relative to trail-full, in the gain of the step size"},
    {.name = "trail-full",
     .type = VKS_OPTION_REAL,
     OF_POINT(trail_full),
     .min = 1e-6,
     .max = 1e6,
     .soft_min = 1,
     .soft_max = 100,
     .logarithmic = true,
     .default_text = "10",
     .unit = "",
     .help = "trail that counts as full for the gains"},
    {.name = "trail-ahead",
     .type = VKS_OPTION_REAL,
     .offset = AT(point.trail_ahead),
     .min = -1000,
     .max = 1000,
     .soft_min = -50,
     .soft_max = 50,
     .default_text = "0",
     .unit = "cells",
     .help = "distance ahead of the agent at which the trail for the gains is read"},
    {.name = "trail-below",
     .type = VKS_OPTION_REAL,
     .offset = AT(point.trail_below),
     .min = -1000,
     .max = 1000,
     .soft_min = -50,
     .soft_max = 50,
     .default_text = "0",
     .unit = "cells",
     .help = "distance below that place, in the picture, at which it is read"},
    {.name = "blend-to",
     .heading = "blend",
     .type = VKS_OPTION_TEXT,
     .change = VKS_CHANGE_SOMETIMES,
     .offset = AT(blend_to),
     .argument = "PRESET|FILE.json",
     .help = "second point of the parameter space: the distances, angles, step size, jitter, gains "
             "and trail-... of a preset or a scene; what it does not set stays"},
    {.name = "blend",
     .type = VKS_OPTION_REAL,
     .offset = AT(blend),
     .min = 0,
     .max = 1,
     .default_text = "0.5",
     .unit = "",
     .needs = "blend-to",
     .unless = "blend-map|blend-spot",
     .help = "share of the second point"},
    {.name = "blend-map",
     .type = VKS_OPTION_TEXT,
     .change = VKS_CHANGE_SOMETIMES,
     .offset = AT(blend_map),
     .argument = "FILE",
     .needs = "blend-to",
     .help = "take the share of the second point from the brightness of an image (PNG or JPEG)",
     .flags = VKS_OPTION_IMAGE},
    {.name = "blend-spot",
     .type = VKS_OPTION_TEXT,
     .offset = AT(blend_spot),
     .argument = "X,Y,RADIUS",
     .needs = "blend-to",
     .help = "blend to the second point inside a spot: its centre as fractions of width and "
             "height, and its radius in cells"},
    {.name = "deposit-power",
     .heading = "crowding",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_SOMETIMES,
     .offset = AT(deposit_power),
     .min = 0,
     .max = 4,
     .soft_min = 0,
     .soft_max = 2,
     .default_text = "1",
     .unit = "",
     .help = "n agents in a cell deposit n^P times as much as one; below 1, crowds deposit less"},
    {.name = "deposit-limit",
     .type = VKS_OPTION_COUNT,
     .change = VKS_CHANGE_SOMETIMES,
     .offset = AT(deposit_limit),
     .min = 0,
     .max = 1e6,
     .soft_min = 0,
     .soft_max = 50,
     .default_text = "0",
     .unit = "agents",
     .help = "max number of agents in a cell whose deposits count; 0: no limit"},
    {.name = "lifetime",
     .type = VKS_OPTION_COUNT,
     .change = VKS_CHANGE_SOMETIMES,
     .offset = AT(lifetime),
     .min = 0,
     .max = 1e9,
     .soft_min = 0,
     .soft_max = 1000,
     .default_text = "0",
     .unit = "steps",
     .help = "mean number of steps until an agent restarts at a random place; 0: never"},
    {.name = "species",
     .heading = "species",
     .type = VKS_OPTION_COUNT,
     .change = VKS_CHANGE_NEVER,
     .offset = AT(species),
     .min = 1,
     .max = PHYSARUM_MAX_SPECIES,
     .default_text = "1",
     .unit = "",
     .help = "number of species, each with its own trail; options with X[,X...] take a value for "
             "each, or one for all"},
    {.name = "species-shares",
     .type = VKS_OPTION_TEXT,
     .change = VKS_CHANGE_START,
     .offset = AT(species_shares),
     .argument = "X,X...",
     .needs = SPECIES,
     .help = "shares of the agents at the start, as numbers of any scale; default: equal"},
    {.name = "species-start",
     .type = VKS_OPTION_CHOICE,
     .change = VKS_CHANGE_START,
     .offset = AT(species_start),
     .choices = species_starts,
     .default_text = "mixed",
     .needs = SPECIES,
     .help = "where species start: mixed, in vertical bands, or in wedges of a disc or ring"},
    {.name = "attraction",
     .type = VKS_OPTION_TEXT,
     .offset = AT(attraction),
     .argument = "NAME|X,X.../X,X...",
     .needs = SPECIES,
     .help = "how strongly the trails of the species (-1 to 1, by commas) attract each species (a "
             "row, by slashes), or for all: ignore, avoid (default), follow, chase, random"},
    {.name = "infection",
     .type = VKS_OPTION_CHOICE,
     .offset = AT(infection),
     .choices = infections,
     .default_text = "none",
     .needs = SPECIES,
     .help = "which species can take over an agent: none, any other, those with a higher number "
             "(rising), or the next one (cycle)"},
    {.name = "infection-factor",
     .type = VKS_OPTION_REAL,
     .offset = AT(infection_factor),
     .min = 0,
     .max = 1000,
     .soft_min = 0.05,
     .soft_max = 10,
     .logarithmic = true,
     .default_text = "2",
     .unit = "",
     .needs = INFECTION,
     .help = "an agent is exposed where the other trail is over this times its own"},
    {.name = "infection-time",
     .type = VKS_OPTION_COUNT,
     .offset = AT(infection_time),
     .min = 1,
     .max = 16777215,
     .soft_min = 1,
     .soft_max = 200,
     .logarithmic = true,
     .default_text = "20",
     .unit = "steps",
     .needs = INFECTION,
     .help = "consecutive steps of exposure after which an agent changes its species"},
    {.name = "infection-trail",
     .type = VKS_OPTION_REAL,
     .offset = AT(infection_trail),
     .min = 0,
     .max = 1e6,
     .soft_min = 0.05,
     .soft_max = 10,
     .logarithmic = true,
     .default_text = "1",
     .unit = "",
     .needs = INFECTION,
     .help = "smallest trail that infects"},
    {.name = "species-colors",
     .type = VKS_OPTION_TEXT,
     .offset = AT(species_colors),
     .argument = "COLOR,COLOR...",
     .needs = SPECIES,
     .help = "colour of each species, such as #ff8000, or the name of a colour map",
     .flags = VKS_OPTION_COLOURS | VKS_OPTION_PARTS},
    {.name = "species-mix",
     .type = VKS_OPTION_CHOICE,
     .offset = AT(species_mix),
     .choices = mixes,
     .default_text = "add",
     .needs = SPECIES,
     .help = "colours of overlapping species: their sum (add), or those of the strongest (max)",
     .flags = VKS_OPTION_COLOURS},
    {.name = "species-view",
     .type = VKS_OPTION_COUNT,
     .offset = AT(species_view),
     .min = 0,
     .max = PHYSARUM_MAX_SPECIES,
     .default_text = "0",
     .unit = "",
     .needs = SPECIES,
     .help = "show only the species with this number, from 1 on; 0: all"},
    {.name = "walls",
     .heading = "walls",
     .type = VKS_OPTION_TEXT,
     .change = VKS_CHANGE_SOMETIMES,
     .offset = AT(walls),
     .argument = "none|frame|disc|maze[:PASSAGES]|image:FILE",
     .help =
         "cells that agents and trail cannot enter: a frame, all outside a disc, a maze made from "
         "the seed (with that many passages along the shorter side, or one per 42 cells), or the "
         "dark parts of an "
         "image (PNG or JPEG)",
     .flags = VKS_OPTION_IMAGE | VKS_OPTION_NAMES},
    {.name = "walls-level",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_START,
     .offset = AT(walls_level),
     .min = 0,
     .max = 1,
     .default_text = "0.5",
     .unit = "",
     .needs = "walls",
     .help = "brightness of an image below which there is a wall"},
    {.name = "at-wall",
     .type = VKS_OPTION_CHOICE,
     .offset = AT(at_wall),
     .choices = at_walls,
     .default_text = "reflect",
     .needs = "walls",
     .help = "what an agent does at a wall: reflect, or turn to a random heading, stay and leave "
             "no deposit in that step"},
    {.name = "wall-sight",
     .type = VKS_OPTION_CHOICE,
     .offset = AT(wall_sight),
     .choices = sights,
     .default_text = "blocked",
     .needs = "walls",
     .help = "whether walls block what sensors read behind them"},
    {.name = "wall-color",
     .type = VKS_OPTION_TEXT,
     .offset = AT(wall_color),
     .argument = "COLOR",
     .default_text = "#5a5a5a",
     .needs = "walls",
     .help = "colour of walls in pictures, such as #ff8000 or gold",
     .flags = VKS_OPTION_COLOURS},
    {.name = "food",
     .heading = "food",
     .type = VKS_OPTION_TEXT,
     .change = VKS_CHANGE_SOMETIMES,
     .offset = AT(food),
     .argument = "none|image:FILE|points:X,Y/X,Y...",
     .help = "sources that add trail in every step: the bright parts of an image (PNG or JPEG), or "
             "discs around points, which are fractions of width and height",
     .flags = VKS_OPTION_IMAGE | VKS_OPTION_NAMES},
    {.name = "food-strength",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_START,
     .offset = AT(food_strength),
     .min = 0,
     .max = 1e6,
     .soft_min = 0.1,
     .soft_max = 100,
     .logarithmic = true,
     .default_text = "1",
     .unit = "",
     .needs = "food",
     .help = "trail that food adds per step at points and where the image is white"},
    {.name = "food-radius",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_START,
     .offset = AT(food_radius),
     .min = 0,
     .max = 1000,
     .soft_min = 0,
     .soft_max = 60,
     .default_text = "3",
     .unit = "cells",
     .needs = "food",
     .help = "radius of points of food"},
    {.name = "food-eaten",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_SOMETIMES,
     .offset = AT(food_eaten),
     .min = 0,
     .max = 1e6,
     .soft_min = 0,
     .soft_max = 2,
     .default_text = "0",
     .unit = "",
     .needs = "food",
     .help = "food that an agent removes from its cell per step; 0: food lasts forever"},
    {.name = "food-attraction",
     .type = VKS_OPTION_REAL,
     .offset = AT(of_food.attraction),
     .list = AT(of_food.lists),
     .min = -1,
     .max = 1,
     .default_text = "1",
     .unit = "",
     .needs = SPECIES,
     .help = "how strongly the trail of food attracts each of several species",
     .flags = VKS_OPTION_LIST},
    {.name = "maps",
     .heading = "maps",
     .type = VKS_OPTION_TEXT,
     .change = VKS_CHANGE_SOMETIMES,
     .offset = AT(maps),
     .argument = "OPTION=FILE:LOW:HIGH,...",
     .help = "scale options by images (PNG or JPEG): by LOW where black and HIGH where white, 0 to "
             "16; for sensor-distance, sensor-angle, turn-angle, step-size, jitter, deposit, "
             "diffuse, decay",
     .flags = VKS_OPTION_IMAGE | VKS_OPTION_MAPS | VKS_OPTION_PARTS},
    {.name = "start-radius",
     .heading = "start",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_START,
     .offset = AT(start_radius),
     .min = 0,
     .max = 10,
     .soft_min = 0,
     .soft_max = 1,
     .default_text = "0.35",
     .unit = "",
     .needs = "init=disc|ring",
     .help = "radius of --init disc and ring, as a fraction of the shorter side"},
    {.name = "field-strength",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_START,
     .offset = AT(field_strength),
     .min = 0,
     .max = 1e6,
     .soft_min = 0.1,
     .soft_max = 100,
     .logarithmic = true,
     .default_text = "3",
     .unit = "",
     .needs = "init=image",
     .help = "trail where the image of --init image:FILE is white"},
};
#undef OF
#undef OF_FIELD
#undef OF_POINT
#undef AT
/* clang-format on */

const struct vks_option_table vks_physarum_options = {options, VKS_COUNT(options)};

const struct vks_preset vks_physarum_presets[] = {
#include "sim/physarum/presets.def"
    {NULL, NULL, NULL},
};

/* --- declaration ----------------------------------------------------------------------------- */

void vks_physarum_set_point(const struct vks_config *config, const struct physarum_point *point,
                            struct physarum_params *params)
{
    const double width = config->width, height = config->height;
    params->sensor_angle = vks_binary_angle(point->sensor_angle.base);
    params->turn_angle = vks_binary_angle(point->turn_angle.base);
    params->jitter = vks_jitter_angle(point->jitter);
    params->sensor_x = 0x1p32f * vks_real(point->sensor_distance.base / width);
    params->sensor_y = 0x1p32f * vks_real(point->sensor_distance.base / height);
    params->move_x = 0x1p32f * vks_real(point->step_size.base / width);
    params->move_y = 0x1p32f * vks_real(point->step_size.base / height);
    const vks_vec2 sensor = vks_sincos(params->sensor_angle);
    params->sensor_sine = sensor.x;
    params->sensor_cosine = sensor.y;
}

void vks_physarum_set_field(const struct physarum_field *field, struct physarum_params *params)
{
    params->deposit = vks_real(field->deposit);
    params->keep = vks_real(1 - field->decay);
    params->blurred = vks_real(field->diffuse);
    params->sharp = vks_real(1 - field->diffuse);
}

struct physarum_params vks_physarum_params(const struct vks_config *config)
{
    const struct physarum_settings *s = config->settings;
    const struct physarum_point point = vks_physarum_widest(s);
    const struct vks_config local = vks_physarum_local(config);
    const struct vks_slab *slab = &config->slab;
    struct physarum_params params = {
        .width = config->width,
        .height = local.height,
        .side = config->height,
        .first = (slab->first + config->height - slab->before) % config->height,
        .agents = (uint32_t)s->agents,
        .seed = config->seed,
        .deposit_power = vks_real(s->deposit_power),
        .deposit_limit = (uint32_t)s->deposit_limit,
        .inverse_area = vks_real(1 / ((double)s->diffuse_size * (double)s->diffuse_size)),
        .radius = (uint32_t)(s->diffuse_size / 2),
    };
    vks_physarum_set_point(config, &point, &params);
    vks_physarum_set_field(&s->field, &params);
    vks_physarum_set_blocks(&local, &params);
    return params;
}

static struct physarum_start_params start_params_of(const struct vks_config *config)
{
    const struct physarum_settings *s = config->settings;
    const double shorter = config->width < config->height ? config->width : config->height;
    struct physarum_start_params params = {
        .width = config->width,
        .height = config->height,
        .agents = (uint32_t)s->agents,
        .seed = config->seed,
        .radius_x = vks_real(s->start_radius * shorter / config->width),
        .radius_y = vks_real(s->start_radius * shorter / config->height),
        .order_high = (uint32_t)(UINT64_MAX / s->agents >> 32),
        .order_low = (uint32_t)(UINT64_MAX / s->agents),
        .first = config->slab.first,
        .rows = config->slab.rows,
    };
    while (params.block_bits < 12 && s->agents >> (8 + 2 * (params.block_bits + 1)) > 0) {
        params.block_bits++;
    }
    vks_physarum_set_shares(config, &params);
    return params;
}

/* --- what the host makes -------------------------------------------------------------------- */

static enum vks_result check_finite(const struct vks_field *field, const struct vks_source *source,
                                    uint64_t index, double value)
{
    return isfinite(value) ? VKS_OK
                           : vks_fail(VKS_ERROR_FILE, "'%s': element %llu is not a finite number",
                                      field->name, (unsigned long long)(source->first + index));
}

/* The initial trail: the brightness of an image. */
static enum vks_result fill_trail(const void *user, const struct vks_field *field,
                                  const struct vks_source *source, void *out)
{
    const struct vks_config *config = user;
    const struct physarum_settings *s = config->settings;
    const float strength = vks_real(s->field_strength);
    float *trail = out;
    (void)field;
    for (uint64_t i = 0; source->brightness && i < source->count; i++) {
        trail[i] = vks_flush(source->brightness[i] * strength);
    }
    return VKS_OK;
}

/* Positions in cells, (y, x). */
static enum vks_result fill_position(const void *user, const struct vks_field *field,
                                     const struct vks_source *source, void *out)
{
    const struct vks_config *config = user;
    const uint32_t sides[] = {config->height, config->width};
    return vks_fill_places(field, source, sides, 2, out);
}

/* Headings in radians. */
static enum vks_result fill_heading(const void *user, const struct vks_field *field,
                                    const struct vks_source *source, void *out)
{
    uint32_t *heading = out;
    enum vks_result result = VKS_OK;
    (void)user;
    for (uint64_t i = 0; result == VKS_OK && i < source->count; i++) {
        const double turns = vks_source_number(source, i) / 6.283185307179586;
        result = check_finite(field, source, i, turns);
        if (result == VKS_OK) {
            const double fraction = (turns - floor(turns)) * 4294967296.0;
            heading[i] = fraction < 4294967295.5 ? (uint32_t)(fraction + 0.5) : 0;
        }
    }
    return result;
}

/* --- the declaration ------------------------------------------------------------------------- */

/* Counts the agents in each cell for a picture, in integers, so that their order does not
 * matter. */
static void declare_agents_view(const struct vks_config *config,
                                const struct physarum_params *params, uint32_t only,
                                struct vks_declaration *declaration)
{

    const double cells = (double)params->width * params->height;
    VKS_FIELD(declaration, .name = "agent_counts", .element = VKS_U32);
    VKS_FIELD(declaration, .name = "agents", .element = VKS_F32);
    VKS_PASS(declaration, .name = "count agents",
             .shader = vks_physarum_shader(config, declaration, "physarum/count"),
             .when = VKS_EACH_FRAME,
             .uses = VKS_USES({"position", VKS_READ}, {"agent_counts", VKS_ATOMIC},
                              {only ? "species" : "heading", VKS_READ, "species"},
                              {vks_physarum_alive(config), VKS_READ}),
             .specializations = VKS_SPECIALIZATIONS({"only", only}), VKS_PUSH(*params),
             .items = {params->agents}, .bytes = 16 * (double)params->agents,
             .atomics = (double)params->agents);
    VKS_PASS(declaration, .name = "show agents", .shader = "physarum/counted",
             .when = VKS_EACH_FRAME,
             .uses = VKS_USES({"agent_counts", VKS_READ_WRITE}, {"agents", VKS_WRITE}),
             VKS_PUSH(*params), .items = {params->width, params->height}, .bytes = 12 * cells);
}

/* The trail in a plane per primary colour of the mean heading. */
static void declare_headings_view(const struct physarum_params *params, uint32_t species,
                                  uint32_t only, struct vks_declaration *declaration)
{
    const double cells = (double)params->width * params->height, agents = (double)params->agents;
    const uint64_t shape[] = {3, params->height, params->width};
    VKS_FIELD(declaration, .name = "heading_sums", .element = VKS_U32, .rank = 3,
              .shape = {shape[0], shape[1], shape[2]});
    VKS_FIELD(declaration, .name = "heading_rows", .element = VKS_F32, .rank = 3,
              .shape = {shape[0], shape[1], shape[2]});
    VKS_FIELD(declaration, .name = "headings", .element = VKS_F32, .rank = 3,
              .shape = {shape[0], shape[1], shape[2]});
    VKS_PASS(declaration, .name = "clear headings", .shader = "physarum/clear_headings",
             .when = VKS_EACH_FRAME, .uses = VKS_USES({"heading_sums", VKS_WRITE}),
             VKS_PUSH(*params), .items = {shape[0] * shape[1] * shape[2]}, .bytes = 12 * cells);
    VKS_PASS(declaration, .name = "sum headings", .shader = "physarum/headings",
             .when = VKS_EACH_FRAME,
             .uses = VKS_USES({"position", VKS_READ}, {"heading", VKS_READ},
                              {"heading_sums", VKS_ATOMIC},
                              {only ? "species" : "heading", VKS_READ, "species"}),
             .specializations = VKS_SPECIALIZATIONS({"only", only}), VKS_PUSH(*params),
             .items = {params->agents}, .bytes = 36 * agents, .operations = 40 * agents,
             .atomics = 3 * agents);
    VKS_PASS(declaration, .name = "smooth headings", .shader = "physarum/heading_rows",
             .when = VKS_EACH_FRAME,
             .uses = VKS_USES({"heading_sums", VKS_READ}, {"heading_rows", VKS_WRITE}),
             VKS_PUSH(*params), .items = {params->width, params->height}, .bytes = 24 * cells,
             .operations = 80 * cells);
    VKS_PASS(
        declaration, .name = "show headings", .shader = "physarum/headed", .when = VKS_EACH_FRAME,
        .uses = VKS_USES({"heading_rows", VKS_READ}, {"trail", VKS_READ}, {"headings", VKS_WRITE}),
        .specializations = VKS_SPECIALIZATIONS({"only", only}, {"species", species}),
        VKS_PUSH(*params), .items = {params->width, params->height}, .bytes = 28 * cells,
        .operations = 120 * cells);
}

static void declare(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct physarum_settings *s = config->settings;
    const struct vks_config local = vks_physarum_local(config);
    struct physarum_params params = vks_physarum_params(config);
    struct physarum_start_params start = start_params_of(config);
    const uint32_t species = vks_physarum_species(s);
    const bool ranks = config->slab.count > 1;
    vks_declare_items(declaration, "agents", s->agents);
    params.agents = start.room = (uint32_t)vks_items_room(declaration, "agents");
    VKS_FIELD(declaration, .name = "trail", .help = "trail of each species, at least 0",
              .fill = fill_trail, .range = {0, VKS_LARGEST_AMOUNT}, .user = config,
              .image = config->image, .made_from = config->image, .element = VKS_F32,
              .rank = species > 1 ? 3 : 2,
              .shape = {species > 1 ? species : local.height,
                        species > 1 ? local.height : config->width,
                        species > 1 ? config->width : 0},
              .persistent = true, .ping_pong = true, .distance = VKS_DISTANCE_MAIN);
    VKS_FIELD(declaration, .name = "position", .help = "(y, x) as fractions of the side in 2^-32",
              .fill = fill_position, .user = config, .element = VKS_U32X2, .rank = 1,
              .shape = {params.agents}, .persistent = true, .items = "agents",
              .distance = VKS_DISTANCE_PLACE);
    VKS_FIELD(declaration, .name = "heading", .help = "fractions of a turn in 2^-32",
              .fill = fill_heading, .element = VKS_U32, .rank = 1, .shape = {params.agents},
              .persistent = true, .items = "agents", .distance = VKS_DISTANCE_ANGLE);
    vks_physarum_declare_species(config, declaration);
    vks_physarum_declare_surroundings(config, declaration);
    vks_physarum_declare_exchange(config, declaration);
    VKS_PASS(declaration, .name = "start",
             .shader = vks_physarum_shader(config, declaration, "physarum/start"),
             .when = VKS_AT_START,
             .uses = ranks ? VKS_USES({"position", VKS_WRITE}, {"heading", VKS_WRITE},
                                      {vks_physarum_species_field(s), VKS_WRITE, "species"},
                                      {"agents_alive", VKS_ATOMIC}, {"agents_number", VKS_WRITE})
                           : VKS_USES({"position", VKS_WRITE}, {"heading", VKS_WRITE},
                                      {vks_physarum_species_field(s), VKS_WRITE, "species"}),
             .specializations = VKS_SPECIALIZATIONS({"start", config->start}, {"kinds", species},
                                                    {"species_start", s->species_start}),
             VKS_PUSH(start), .items = {s->agents}, .bytes = 12 * (double)s->agents);
    if (vks_physarum_is_general(s) || vks_physarum_has_general_field(s)) {
        vks_physarum_declare_general(config, declaration);
    }
    vks_physarum_declare_steps(&local, &params, declaration);
    vks_physarum_declare_opening(config, &params, declaration);
}

static enum vks_result check(const struct vks_config *config)
{
    enum vks_result result = vks_physarum_check_species(config);
    result = result == VKS_OK ? vks_physarum_check_general(config) : result;
    result = result == VKS_OK ? vks_physarum_check_surroundings(config) : result;
    result = result == VKS_OK ? vks_physarum_check_ranks(config) : result;
    return result == VKS_OK ? vks_physarum_check_fused(config) : result;
}

static void declare_frame(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct physarum_params params = vks_physarum_params(config);
    if (vks_is_shown(config, PHYSARUM_VIEW_FOOD) && !vks_physarum_has_food(config->settings)) {
        VKS_FIELD(declaration, .name = "food", .element = VKS_F32); /* there is none */
    }
    const struct physarum_settings *s = config->settings;
    const uint32_t species = vks_physarum_species(s);
    const uint32_t only = species > 1 ? (uint32_t)s->species_view : 0;
    if (vks_is_shown(config, PHYSARUM_VIEW_AGENTS)) {
        declare_agents_view(config, &params, only, declaration);
    }
    if (vks_is_shown(config, PHYSARUM_VIEW_HEADINGS)) {
        declare_headings_view(&params, species, only, declaration);
    }
    if (config->watch) {
        vks_declare_mean(declaration, "trail", 0x1p20, "trail");
        vks_declare_range(declaration, "trail", "trail.range", VKS_EACH_FRAME);
        vks_declare_watch(declaration, "trail.range", VKS_SCALARS({"trail_min"}, {"trail_max"}));
        vks_physarum_declare_populations(config, &params, declaration);
    }
}

/* An input that takes the place of a map. */
#define SCALED(input, option)                                                            \
    {                                                                                    \
        input, "map_" input, 0, 4, .options = "maps=" option "=" VKS_INPUT_IMAGE ":0:4", \
                                   .help = "factor of " option                           \
    }

const struct vks_model vks_model_physarum = {
    .name = "physarum",
    .summary = "slime mould: agents that follow and leave trails (Jones 2010)",
    .options = {options, VKS_COUNT(options)},
    .settings_size = sizeof(struct physarum_settings),
    .presets = vks_physarum_presets,
    .starts = starts,
    .views = VKS_VIEWS([PHYSARUM_VIEW_TRAIL] = {"trail", "trail", .help = "the trail"},
                       [PHYSARUM_VIEW_AGENTS] = {"agents", "agents", .help = "agents in each cell",
                                                 .unit = "per cell",
                                                 .look = "colormap=ember tone=log gamma=1 "
                                                         "normalize=frame"},
                       [PHYSARUM_VIEW_HEADINGS] = {"headings", "headings",
                                                   .help = "the trail in colours of the mean "
                                                           "heading",
                                                   .look = "gamma=0.6 normalize=frame"},
                       [PHYSARUM_VIEW_FOOD] = {"food", "food", .help = "food that is left",
                                               .look = "colormap=gold normalize=frame"}),
    .count_option = "agents",
    .density_option = "density",
    .shape_options = VKS_SHAPE_OPTIONS({"walls", "given", {"walls"}, .instead_of = "none"},
                                       {"food", "given", {"food"}, .instead_of = "none"}),
    .axis_options = VKS_AXIS_OPTIONS({"species", "trail", 3}),
    .mix = vks_physarum_mix,
    .mask = vks_physarum_mask,
    .warning = vks_physarum_warning,
    .parse = vks_physarum_parse,
    .check = check,
    .declare = declare,
    .declare_frame = declare_frame,
    .variants = vks_physarum_variants,
    .candidates = vks_physarum_candidates,
    .brushes = VKS_BRUSHES(
        {"attract", "adds ten times the deposit of an agent to the trail of every species",
         "removes trail",
         .effects = {{"trail", VKS_ADD(10), VKS_TO(0), .max = 1e30, .times = "deposit",
                      .outside = "walls"}}},
        {"agents", "brings agents here from all over the field",
         "scatters the agents that are here over the field", .declare = vks_physarum_brush_agents},
        {"walls", "builds walls; agents and trail in them leave", "removes walls", .needs = "walls",
         .declare = vks_physarum_brush_walls, .measures = true},
        {"food", "moves food to the food-strength", "removes food", .needs = "food",
         .effects = {{"food", VKS_TO(1), VKS_TO(0), .max = 1e30, .times = "food-strength"}}}),
    .starts_from_image = true,
    .inputs = VKS_INPUTS(
        {"food", "food", 0, 1e6,
         .options = "food=image:" VKS_INPUT_IMAGE " food-eaten=0 food-strength food-radius",
         .help = "trail that is added per step"},
        SCALED("sensor_distance", "sensor-distance"), SCALED("sensor_angle", "sensor-angle"),
        SCALED("turn_angle", "turn-angle"), SCALED("step_size", "step-size"),
        SCALED("jitter", "jitter"), SCALED("deposit", "deposit"), SCALED("diffuse", "diffuse"),
        SCALED("decay", "decay")),
};
