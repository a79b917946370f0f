/* Cells that live, fade and die by a rule, as in Conway's Life but with more states. A rule is a
 * text, such as "347/23/8": a cell stays alive with 3, 4 or 7 neighbours that are alive, a dead one
 * begins to live with 2 or 3, and there are 8 states: dead, alive and six in which a cell fades. */
#include <math.h>
#include <stdlib.h>
#include <vksim/model.h>

#include "params.h"

enum { MAX_STATES = 64, SEED = 30 /* cells: the side of the square of --init seed */ };

struct settings {
    char *rule;
    double density;
    /* From `rule`, by parse(): */
    uint32_t stays, begins, states;
};

/* --- options ---------------------------------------------------------------------------------- */

#define AT(member) offsetof(struct settings, member)
static const struct vks_option options[] = {
    {.name = "rule",
     .type = VKS_OPTION_TEXT,
     .offset = AT(rule),
     .argument = "S/B/N",
     .default_text = "347/23/8",
     .help = "neighbours with which a cell stays alive, those with which one begins to live, and "
             "the number of states"},
    {.name = "density",
     .type = VKS_OPTION_REAL,
     .offset = AT(density),
     .min = 0,
     .max = 1,
     .default_text = "0.3",
     .unit = "",
     .help = "share of cells that are alive at the start",
     .change = VKS_CHANGE_START},
};
#undef AT

static const char *const starts[] = {"soup", "seed", NULL};

static const struct vks_preset presets[] = {
    {"default", "bows that curl up", "normalize=frame gamma=1 colormap=magma"},
    {"blossoms", "rings that grow into each other",
     "rule=1456/2356/16 normalize=frame gamma=1 colormap=magma"},
    {"fleets", "ships that fly in rows", "rule=345/2/4 normalize=frame gamma=1 colormap=ember"},
    {"flower", "what grows from a few cells",
     "rule=345/24/25 init=seed normalize=frame gamma=1 colormap=ember"},
    {NULL, NULL, NULL},
};

/* A set of digits up to a slash. Returns its end. */
static const char *parse_digits(const char *text, uint32_t *set)
{
    for (*set = 0; *text >= '0' && *text <= '8'; text++) {
        *set |= 1U << (*text - '0');
    }
    return text;
}

static enum vks_result parse(const struct vks_model *model, void *user)
{
    (void)model;
    struct settings *s = user;
    const char *rule = s->rule ? s->rule : "347/23/8", *end;
    const char *at = parse_digits(rule, &s->stays);
    if (*at == '/') {
        at = parse_digits(at + 1, &s->begins);
    }
    const double states = *at == '/' ? vks_parse_real(at + 1, &end) : 0;
    if (states < 2 || states > MAX_STATES || states != floor(states) || *end != '\0') {
        return vks_fail_option(VKS_ERROR_USAGE, "rule",
                               "'%s' is not two sets of digits from 0 to 8 and a number of states "
                               "from 2 to %d, such as 347/23/8",
                               rule, MAX_STATES);
    }
    s->states = (uint32_t)states;
    return VKS_OK;
}

/* --- fields and passes ------------------------------------------------------------------------ */

static void declare(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct settings *s = config->settings;
    const double cells = (double)config->width * config->height;
    const float alive = (float)(s->states - 1);
    const struct start_params start = {
        .width = config->width,
        .height = config->height,
        .seed = config->seed,
        .below = (uint32_t)fmin(s->density * 0x1p32, 0xffffffff),
        .side = config->start == 1 ? SEED : UINT32_MAX,
        .alive = alive,
    };
    const struct step_params step = {
        .width = config->width,
        .height = config->height,
        .stays = s->stays,
        .begins = s->begins,
        .alive = alive,
    };
    VKS_FIELD(declaration, .name = "life", .help = "steps until a cell is dead", .element = VKS_F32,
              .persistent = true, .ping_pong = true);
    VKS_PASS(declaration, .name = "start", .shader = "NAME/start", .when = VKS_AT_START,
             .uses = VKS_USES({"life", VKS_WRITE}), VKS_PUSH(start));
    VKS_PASS(declaration, .name = "step", .shader = "NAME/step",
             .uses = VKS_USES({"life", VKS_READ}, {"life", VKS_WRITE_NEXT}), VKS_PUSH(step),
             .bytes = 8 * cells);
}

/* A column of tables. */
static void declare_frame(const struct vks_config *config, struct vks_declaration *declaration)
{
    if (config->watch) {
        vks_declare_mean(declaration, "life", MAX_STATES, "life");
    }
}

static const struct vks_model model = {
    .name = "NAME",
    .summary = "cells that live, fade and die by a rule",
    .options = {options, sizeof(options) / sizeof(options[0])},
    .settings_size = sizeof(struct settings),
    .presets = presets,
    .starts = starts,
    .views = VKS_VIEWS({"life", "life", .help = "how alive a cell is"}),
    .parse = parse,
    .declare = declare,
    .declare_frame = declare_frame,
};

VKS_DEFINE_PLUGIN(plugin_shaders, &model)
