/* SPDX-License-Identifier: MIT */
/* One of several ranks: docs/sims/physarum.md, "Several GPUs". */
#include <math.h>
#include <vksim/model.h>

#include "base/error.h"
#include "sim/physarum/physarum.h"

struct vks_config vks_physarum_local(const struct vks_config *config)
{
    struct vks_config local = *config;
    local.height = vks_slab_length(&config->slab, config->height);
    return local;
}

const char *vks_physarum_shader(const struct vks_config *config,
                                struct vks_declaration *declaration, const char *name)
{
    return config->slab.count > 1 ? vks_declaration_name(declaration, "%s_ranks", name) : name;
}

const char *vks_physarum_alive(const struct vks_config *config)
{
    return config->slab.count > 1 ? "agents_alive" : NULL;
}

enum vks_result vks_physarum_check_ranks(const struct vks_config *config)
{
    const struct physarum_settings *s = config->settings;
    const uint32_t kind = config->variant.numbers[PHYSARUM_KIND];
    if (config->slab.count < 2) {
        return VKS_OK;
    }
    if (s->lifetime > 0) { /* it ends anywhere, in any step */
        return vks_fail_option(VKS_ERROR_USAGE, "lifetime", "and several ranks exclude each other");
    }
    if (kind == PHYSARUM_JOINED || kind == PHYSARUM_TOGETHER) {
        return vks_fail_option(VKS_ERROR_USAGE, "variant",
                               "%s and several ranks exclude each other", config->variant.name);
    }
    return VKS_OK;
}

/* Rows between two places at that distance at most, which shaders may exceed by roundings. */
static uint32_t rows_of(double cells)
{
    return (uint32_t)fmin(ceil(cells * (1 + 0x1p-20)), 1U << 28);
}

/* Rows that a step reads beyond a cell's own: from the cells of the square to the agents that have
 * moved there and what these have sensed. */
static uint32_t reach_of(const struct physarum_settings *settings)
{
    const struct physarum_point widest = vks_physarum_widest(settings);
    double sensed = widest.sensor_distance.base;
    const struct physarum_point *const points[] = {&settings->point, &settings->second};
    for (size_t i = 0; vks_physarum_has_form(settings) && i < 2; i++) { /* where traits are read */
        sensed = fmax(sensed, fabs(points[i]->trail_ahead) + fabs(points[i]->trail_below));
    }
    const uint32_t reach = (uint32_t)(settings->diffuse_size / 2) + rows_of(sensed) +
                           rows_of(widest.step_size.base) +
                           (settings->sampling == PHYSARUM_BILINEAR ? 1 : 0);
    return reach > 0 ? reach : 1; /* an exchange has some */
}

void vks_physarum_declare_exchange(const struct vks_config *config,
                                   struct vks_declaration *declaration)
{
    const struct physarum_settings *s = config->settings;
    const char *food = vks_physarum_has_food(s) ? "food" : NULL;
    const char *food_trail = vks_physarum_has_food_trail(s) ? "food_trail" : NULL;
    if (s->lifetime == 0) {
        vks_declare_exchange(
            declaration,
            &(struct vks_exchange){.fields = (const char *const[]){"trail", food, food_trail, NULL},
                                   .reach = reach_of(s),
                                   .grain = PHYSARUM_TILE,
                                   .items = "agents",
                                   .position = "position"});
    }
}
