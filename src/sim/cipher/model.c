/* SPDX-License-Identifier: MIT */
/* The reversible mould: docs/sims/cipher.md. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <vksim/model.h>

#include "base/error.h"
#include "base/exact.h"
#include "base/memory.h"
#include "cipher/params.h"

_Static_assert(sizeof(struct cipher_params) <= VKS_MAX_CONSTANTS, "fits the push constants");

enum { VIEW_PICTURE, VIEW_TRAIL };

struct settings {
    uint64_t agents;
    double sensor_distance, sensor_angle, turn_angle, step_size, jitter;
    double deposit, diffuse, decay;
    uint64_t reservoirs, registers;
    char *key, *key_line;
    bool reverse;
    /* Parsed: */
    vks_uvec4 words; /* of the key */
};

static const char *const starts[] = {"none", NULL};

/* clang-format off: one row per option */
#define AT(member) offsetof(struct settings, member)
static const struct vks_option options[] = {
    {.name = "agents",
     .heading = "agents",
     .type = VKS_OPTION_COUNT,
     .change = VKS_CHANGE_NEVER,
     .offset = AT(agents),
     .min = 0,
     .max = 1e8,
     .default_text = "0",
     .unit = "",
     .help = "number of agents; 0: 0.44 per cell"},
    {.name = "sensor-distance",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_NEVER,
     .offset = AT(sensor_distance),
     .min = 0,
     .max = 1000,
     .soft_min = 0,
     .soft_max = 30,
     .default_text = "7",
     .unit = "cells",
     .help = "distance from an agent to its sensors"},
    {.name = "sensor-angle",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_NEVER,
     .offset = AT(sensor_angle),
     .min = 0,
     .max = 180,
     .soft_min = 0,
     .soft_max = 90,
     .default_text = "30",
     .unit = "deg",
     .help = "angle between the front sensor and each side sensor"},
    {.name = "turn-angle",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_NEVER,
     .offset = AT(turn_angle),
     .min = -180,
     .max = 180,
     .soft_min = -90,
     .soft_max = 90,
     .default_text = "15",
     .unit = "deg",
     .help = "turn towards the stronger trail per step; negative values turn away"},
    {.name = "step-size",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_NEVER,
     .offset = AT(step_size),
     .min = 0,
     .max = 1000,
     .soft_min = 0,
     .soft_max = 4,
     .default_text = "1",
     .unit = "cells",
     .help = "distance that an agent moves per step"},
    {.name = "jitter",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_NEVER,
     .offset = AT(jitter),
     .min = 0,
     .max = 180,
     .soft_min = 0,
     .soft_max = 60,
     .default_text = "12",
     .unit = "deg",
     .help = "max random turn to either side in the registers at the start"},
    {.name = "deposit",
     .heading = "trail",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_NEVER,
     .offset = AT(deposit),
     .min = 0,
     .max = 1000,
     .soft_min = 0,
     .soft_max = 40,
     .default_text = "8",
     .unit = "grey levels",
     .help = "trail that an agent deposits per step"},
    {.name = "diffuse",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_NEVER,
     .offset = AT(diffuse),
     .min = 0,
     .max = 1,
     .default_text = "0.2",
     .unit = "",
     .help = "share of the blocks of 2 x 2 cells that turn per step"},
    {.name = "decay",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_NEVER,
     .offset = AT(decay),
     .min = 0,
     .max = 0.5,
     .default_text = "0.05",
     .unit = "",
     .help = "share of the trail that moves to a reservoir per step"},
    {.name = "reservoirs",
     .heading = "memory",
     .type = VKS_OPTION_COUNT,
     .change = VKS_CHANGE_NEVER,
     .offset = AT(reservoirs),
     .min = 1,
     .max = 64,
     .default_text = "16",
     .unit = "",
     .help = "planes that take the decayed trail in turn; more keep veins for longer"},
    {.name = "registers",
     .type = VKS_OPTION_COUNT,
     .change = VKS_CHANGE_NEVER,
     .offset = AT(registers),
     .min = 1,
     .max = 1024,
     .default_text = "64",
     .unit = "",
     .help = "words per agent that take its turns in turn; more keep veins for longer"},
    {.name = "key",
     .heading = "key",
     .type = VKS_OPTION_TEXT,
     .change = VKS_CHANGE_NEVER,
     .offset = AT(key),
     .argument = "TEXT",
     .help = "the key that both ways need; never saved. Art, not cryptography: it protects nothing",
     .flags = VKS_OPTION_SECRET},
    {.name = "key-file",
     .type = VKS_OPTION_TEXT,
     .change = VKS_CHANGE_NEVER,
     .offset = AT(key_line),
     .argument = "FILE",
     .help = "take the key from the first line of a file, which keeps it out of the list of "
             "processes",
     .flags = VKS_OPTION_SECRET | VKS_OPTION_LINE},
    {.name = "reverse",
     .type = VKS_OPTION_FLAG,
     .change = VKS_CHANGE_NEVER,
     .offset = AT(reverse),
     .help = "run backward, from a state (--load-state)"},
};
#undef AT
/* clang-format on */

static const struct vks_preset presets[] = {
#include "sim/cipher/presets.def"
    {NULL, NULL, NULL},
};

/* --- options --------------------------------------------------------------------------------- */

static vks_uvec4 words_of(const char *key)
{
    vks_uvec4 k = {0, 0, 0, 0};
    uint32_t length = 0;
    for (const unsigned char *byte = (const unsigned char *)key; *byte; byte++) {
        k = vks_random(k.x ^ *byte, k.y, k.z + length++, k.w);
    }
    return vks_random(k.x, k.y ^ length, k.z, k.w ^ 0x6b657973);
}

static enum vks_result parse(const struct vks_model *model, void *settings)
{
    (void)model;
    struct settings *s = settings;
    const char *key = s->key ? s->key : s->key_line;
    s->words = words_of(key ? key : "");
    return s->key && s->key_line ? vks_fail_option(VKS_ERROR_USAGE, "key-file",
                                                   "and key exclude each other; give one of them")
                                 : VKS_OK;
}

static uint64_t agents_of(const struct vks_config *config)
{
    const struct settings *s = config->settings;
    const double chosen = floor(0.44 * config->width * config->height + 0.5);
    return s->agents ? s->agents : chosen > 1e8 ? 100000000 : chosen < 1 ? 1 : (uint64_t)chosen;
}

/* Indices are uint32. */
static enum vks_result check_words(const char *option, uint64_t planes, uint64_t elements,
                                   const char *of)
{
    return planes <= UINT32_MAX / elements
               ? VKS_OK
               : vks_fail_option(VKS_ERROR_USAGE, option,
                                 "is %llu, and for %llu %s at most %llu are possible",
                                 (unsigned long long)planes, (unsigned long long)elements, of,
                                 (unsigned long long)(UINT32_MAX / elements));
}

static enum vks_result check(const struct vks_config *config)
{
    const struct settings *s = config->settings;
    const uint32_t width = config->width, height = config->height;
    if (width % 2 || height % 2) {
        return vks_fail_option(VKS_ERROR_USAGE, "size",
                               "%ux%u has an odd side; both must be even, such as %ux%u", width,
                               height, width + width % 2, height + height % 2);
    }
    const enum vks_result result =
        check_words("reservoirs", s->reservoirs, (uint64_t)width * height, "cells");
    return result == VKS_OK ? check_words("registers", s->registers, agents_of(config), "agents")
                            : result;
}

/* A sine or cosine in 2^-16. */
static uint32_t share_of(double value)
{
    return (uint32_t)floor(65536 * value + 0.5);
}

static struct cipher_params params_of(const struct vks_config *config)
{
    const struct settings *s = config->settings;
    const uint64_t agents = agents_of(config);
    const uint64_t deposit = (uint64_t)floor(65536 * s->deposit + 0.5);
    const double turning = floor(4294967296.0 * s->diffuse);
    const double cosine = 1 - s->decay; /* the decay is a rotation of trail and reservoir */
    const vks_vec2 sensor = vks_sincos(vks_binary_angle(s->sensor_angle));
    return (struct cipher_params){
        .width = config->width,
        .height = config->height,
        .agents = (uint32_t)agents,
        .reservoirs = (uint32_t)s->reservoirs,
        .registers = (uint32_t)s->registers,
        .key_x = s->words.x,
        .key_y = s->words.y,
        .key_z = s->words.z,
        .key_w = s->words.w,
        .sensor_sine = sensor.x,
        .sensor_cosine = sensor.y,
        .sensor_y = vks_real(s->sensor_distance / config->height),
        .sensor_x = vks_real(s->sensor_distance / config->width),
        .move_y = vks_real(s->step_size / config->height),
        .move_x = vks_real(s->step_size / config->width),
        .turn_angle = vks_binary_angle(s->turn_angle),
        .jitter = vks_jitter_angle(s->jitter),
        .deposit = (uint32_t)deposit,
        .even = (uint32_t)(deposit * agents / ((uint64_t)config->width * config->height)),
        .shear_trail = share_of(sqrt((1 - cosine) / (1 + cosine))),
        .shear_reservoir = share_of(sqrt(1 - cosine * cosine)),
        .turning = turning < 4294967295.0 ? (uint32_t)turning : UINT32_MAX,
    };
}

/* --- what the host makes --------------------------------------------------------------------- */

/* Grey levels in 2^-16, 128 is 0; or integers of any type, as int32. */
static enum vks_result fill_words(const void *user, const struct vks_field *field,
                                  const struct vks_source *source, void *out)
{
    uint32_t *words = out;
    (void)user;
    for (uint64_t i = 0; source->brightness && i < source->count; i++) {
        const int32_t level = (int32_t)floor(255.0 * (double)source->brightness[i] + 0.5);
        words[i] = (uint32_t)(level - 128) << 16;
    }
    for (uint64_t i = 0; source->array && i < source->count; i++) {
        const double value = vks_source_number(source, i);
        if (!(value >= -2147483648.0 && value <= 4294967295.0)) {
            return vks_fail(VKS_ERROR_FILE, "'%s': element %llu is %.0f, which has over 32 bits",
                            field->name, (unsigned long long)(source->first + i), value);
        }
        words[i] = (uint32_t)(int64_t)value;
    }
    return VKS_OK;
}

/* --- the declaration ------------------------------------------------------------------------- */

static void declare_fields(const struct vks_config *config, const struct cipher_params *params,
                           struct vks_declaration *declaration)
{
    vks_declare_items(declaration, "agents", params->agents);
    VKS_FIELD(declaration, .name = "trail", .help = "int32: grey levels from 128 on, in 2^-16",
              .element = VKS_U32, .persistent = true, .fill = fill_words, .integers = true,
              .image = config->image, .made_from = config->image);
    VKS_FIELD(declaration, .name = "reservoir", .help = "int32: decayed trail, in 2^-16",
              .element = VKS_U32, .rank = 3,
              .shape = {params->reservoirs, params->height, params->width}, .persistent = true,
              .fill = fill_words, .integers = true);
    VKS_FIELD(declaration, .name = "position", .help = "(y, x) as fractions of the side in 2^-32",
              .element = VKS_U32X2, .rank = 1, .shape = {params->agents}, .persistent = true,
              .items = "agents");
    VKS_FIELD(declaration, .name = "heading", .help = "fractions of a turn in 2^-32",
              .element = VKS_U32, .rank = 1, .shape = {params->agents}, .persistent = true,
              .items = "agents");
    VKS_FIELD(declaration, .name = "register", .help = "turns, in 2^-32 turns", .element = VKS_U32,
              .rank = 2, .shape = {params->registers, params->agents}, .persistent = true);
    VKS_FIELD(declaration, .name = "moment", .help = "steps from the start", .element = VKS_U32,
              .rank = 1, .shape = {1}, .persistent = true, .ping_pong = true);
    VKS_FIELD(declaration, .name = "counts", .element = VKS_U32);
}

static void declare_forward(const struct cipher_params *params, struct vks_declaration *declaration)
{
    const double cells = (double)params->width * params->height, agents = params->agents;
    VKS_PASS(declaration, .name = "agents", .shader = "cipher/agents", .fixed = true,
             .uses = VKS_USES({"trail", VKS_READ}, {"position", VKS_READ_WRITE},
                              {"heading", VKS_READ_WRITE}, {"register", VKS_READ_WRITE},
                              {"moment", VKS_READ}, {"counts", VKS_ATOMIC}),
             VKS_PUSH(*params), .items = {params->agents}, .bytes = 32 * agents, .atomics = agents);
    VKS_PASS(declaration, .name = "blocks", .shader = "cipher/blocks", .fixed = true,
             .uses = VKS_USES({"trail", VKS_READ_WRITE}, {"reservoir", VKS_READ_WRITE},
                              {"counts", VKS_READ_WRITE}, {"moment", VKS_READ},
                              {"moment", VKS_WRITE_NEXT}),
             VKS_PUSH(*params), .items = {params->width / 2, params->height / 2},
             .bytes = 24 * cells);
}

static void declare_backward(const struct cipher_params *params,
                             struct vks_declaration *declaration)
{
    static const char *const failures[] = {
        "the picture was not restored: the key, an option or the file is not the one it was locked "
        "with",
        NULL,
    };
    const double cells = (double)params->width * params->height, agents = params->agents;
    VKS_PASS(declaration, .name = "count", .shader = "cipher/count", .fixed = true,
             .uses = VKS_USES({"position", VKS_READ}, {"moment", VKS_READ}, {"counts", VKS_ATOMIC}),
             VKS_PUSH(*params), .items = {params->agents}, .bytes = 8 * agents, .atomics = agents);
    VKS_PASS(declaration, .name = "blocks", .shader = "cipher/blocks_back", .fixed = true,
             .uses = VKS_USES({"trail", VKS_READ_WRITE}, {"reservoir", VKS_READ_WRITE},
                              {"counts", VKS_READ_WRITE}, {"moment", VKS_READ}),
             VKS_PUSH(*params), .items = {params->width / 2, params->height / 2},
             .bytes = 24 * cells);
    VKS_PASS(declaration, .name = "agents", .shader = "cipher/agents_back", .fixed = true,
             .uses = VKS_USES({"trail", VKS_READ}, {"position", VKS_READ_WRITE},
                              {"heading", VKS_READ_WRITE}, {"register", VKS_READ_WRITE},
                              {"moment", VKS_READ}, {"moment", VKS_WRITE_NEXT}),
             VKS_PUSH(*params), .items = {params->agents}, .bytes = 32 * agents);
    VKS_FIELD(declaration, .name = "status", .element = VKS_U32, .rank = 1, .shape = {1},
              .watched = VKS_SCALARS({"status", .failures = failures}));
    VKS_PASS(declaration, .name = "check", .shader = "cipher/check", .fixed = true,
             .uses =
                 VKS_USES({"reservoir", VKS_READ}, {"moment", VKS_READ}, {"status", VKS_ATOMIC}),
             VKS_PUSH(*params), .items = {CIPHER_COUNTERS});
}

static void declare(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct settings *s = config->settings;
    const struct cipher_params params = params_of(config);
    declare_fields(config, &params, declaration);
    VKS_PASS(
        declaration, .name = "start", .shader = "cipher/start", .when = VKS_AT_START, .fixed = true,
        .uses = VKS_USES({"position", VKS_WRITE}, {"heading", VKS_WRITE}, {"register", VKS_WRITE}),
        VKS_PUSH(params), .items = {params.agents},
        .bytes = (12 + 4.0 * params.registers) * params.agents);
    if (s->reverse) {
        declare_backward(&params, declaration);
    } else {
        declare_forward(&params, declaration);
    }
}

static void declare_frame(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct cipher_params params = params_of(config);
    const double cells = (double)params.width * params.height;
    static const struct {
        const char *view, *field, *shader;
    } rows[] = {
        [VIEW_TRAIL] = {"trail", "trail_value", "cipher/trail"},
        [VIEW_PICTURE] = {"picture", "grey_level", "cipher/picture"},
    };
    for (uint32_t i = 0; i < VKS_COUNT(rows); i++) {
        if (vks_is_shown(config, i)) {
            VKS_FIELD(declaration, .name = rows[i].field, .element = VKS_F32);
            VKS_PASS(declaration,
                     .name = vks_declaration_name(declaration, "show %s", rows[i].view),
                     .shader = rows[i].shader, .when = VKS_EACH_FRAME,
                     .uses = VKS_USES({"trail", VKS_READ}, {rows[i].field, VKS_WRITE}),
                     VKS_PUSH(params), .items = {params.width, params.height}, .bytes = 8 * cells);
        }
    }
    if (config->watch) {
        VKS_FIELD(declaration, .name = "residue", .element = VKS_U32, .rank = 1, .shape = {1},
                  .watched = VKS_SCALARS({"residue"}));
        VKS_PASS(declaration, .name = "clear residue", .shader = "cipher/clear",
                 .when = VKS_EACH_FRAME, .uses = VKS_USES({"residue", VKS_WRITE}), .items = {1});
        VKS_PASS(declaration, .name = "residue", .shader = "cipher/residue", .when = VKS_EACH_FRAME,
                 .uses = VKS_USES({"reservoir", VKS_READ}, {"residue", VKS_ATOMIC}),
                 VKS_PUSH(params), .items = {CIPHER_COUNTERS},
                 .bytes = 4 * cells * params.reservoirs);
    }
}

const struct vks_model vks_model_cipher = {
    .name = "cipher",
    .summary = "reversible slime mould: picture, veins, noise and back; not cryptography",
    .options = {options, VKS_COUNT(options)},
    .settings_size = sizeof(struct settings),
    .presets = presets,
    .starts = starts,
    .views = VKS_VIEWS([VIEW_PICTURE] = {"picture", "grey_level",
                                         .help = "the trail as grey levels, 0 to "
                                                 "255",
                                         .look = "colormap=grey normalize=fixed:0:255 gamma=1"},
                       [VIEW_TRAIL] = {"trail", "trail_value", .help = "the trail, without limits",
                                       .look = "colormap=grey gamma=1"}),
    .count_option = "agents",
    .axis_options = VKS_AXIS_OPTIONS({"reservoirs", "reservoir", 3}, {"registers", "register", 2}),
    .reverse_option = "reverse",
    .reverse_field = "moment",
    .parse = parse,
    .check = check,
    .declare = declare,
    .declare_frame = declare_frame,
    .starts_from_image = true,
    .needs_image = true,
};
