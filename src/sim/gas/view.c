/* SPDX-License-Identifier: MIT */
/* Views of the gas. */
#include "base/error.h"
#include "base/memory.h"
#include "sim/gas/gas.h"

enum vks_result vks_gas_check_view(const struct vks_config *config)
{
    const struct gas_settings *s = config->settings;
    static const char *const names[] = {"points", "points-speed", "points-temperature"};
    const bool flat = config->depth == 1 && config->height > 1 && config->width > 1;
    if (config->view == GAS_VIEW_OSCILLATORS && vks_gas_count(config) == 0) {
        return vks_fail_option(VKS_ERROR_USAGE, "view",
                               "oscillators shows those of tracers, which "
                               "method grid has only with particles");
    }
    if (config->view == GAS_VIEW_POTENTIAL && s->gravity <= 0) {
        return vks_fail_option(
            VKS_ERROR_USAGE, "view",
            "potential shows the potential of gravity, which is off: set gravity");
    }
    if (config->view == GAS_VIEW_VORTICITY && !flat) {
        return vks_fail_option(VKS_ERROR_USAGE, "view",
                               "vorticity is for two-dimensional boxes: set size WIDTHxHEIGHT");
    }
    if ((1U << config->view & GAS_POINTS_VIEWS) && vks_gas_count(config) == 0) {
        return vks_fail_option(VKS_ERROR_USAGE, "view",
                               "%s shows particles, which method grid has only as tracers: set "
                               "particles",
                               names[config->view - GAS_VIEW_POINTS]);
    }
    return VKS_OK;
}

bool vks_gas_shows_velocity(const struct vks_config *config)
{
    return (config->vectors & 1U) != 0; /* the first of the model's */
}

void vks_gas_declare_views(const struct vks_config *config, const struct gas_params *params,
                           uint32_t views, const char *hot, bool has_pressure,
                           struct vks_declaration *declaration)
{
    static const struct {
        const char *name;
        uint32_t view, kind;
    } rows[] = {
        {"temperature", GAS_VIEW_TEMPERATURE, GAS_TEMPERATURE},
        {"pressure", GAS_VIEW_PRESSURE, GAS_PRESSURE},
        {"speed", GAS_VIEW_SPEED, GAS_SPEED},
        {"vorticity", GAS_VIEW_VORTICITY, GAS_VORTICITY},
        {"heat", GAS_VIEW_HEAT, GAS_HEAT},
        {"oscillators", GAS_VIEW_OSCILLATORS, GAS_HEAT},
    };
    const double nodes = vks_gas_nodes_here(config);
    for (size_t i = 0; i < VKS_COUNT(rows); i++) {
        if (!(views & vks_shown_views(config) & 1U << rows[i].view)) {
            continue;
        }
        const char *field = vks_declaration_name(declaration, "displayed_%s", rows[i].name);
        VKS_FIELD(declaration, .name = field, .element = VKS_F32);
        VKS_PASS(declaration, .name = vks_declaration_name(declaration, "view %s", rows[i].name),
                 .shader = "gas/view", .when = VKS_EACH_FRAME,
                 .uses = VKS_USES({"density", VKS_READ}, {"velocity_z", VKS_READ},
                                  {"velocity_y", VKS_READ}, {"velocity_x", VKS_READ},
                                  {hot, VKS_READ, "hot"}, {field, VKS_WRITE, "displayed"}),
                 .specializations =
                     VKS_SPECIALIZATIONS({"view", rows[i].kind}, {"has_pressure", has_pressure}),
                 VKS_PUSH(*params), .bytes = 12 * nodes, .operations = 20 * nodes);
    }
}
