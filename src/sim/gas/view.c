/* SPDX-License-Identifier: MIT */
/* Views of the gas. */
#include "base/error.h"
#include "sim/gas/gas.h"

enum vks_result vks_gas_check_view(const struct vks_config *config)
{
    const struct gas_settings *s = config->settings;
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
    if (config->view == GAS_VIEW_POINTS && vks_gas_count(config) == 0) {
        return vks_fail_option(VKS_ERROR_USAGE, "view",
                               "points shows particles, which method grid has only as tracers: "
                               "set particles");
    }
    return VKS_OK;
}

void vks_gas_declare_view(const struct vks_config *config, const struct gas_params *params,
                          const char *hot, bool has_pressure, struct vks_declaration *declaration)
{
    static const uint32_t kinds[] = {
        [GAS_VIEW_TEMPERATURE] = GAS_TEMPERATURE,
        [GAS_VIEW_PRESSURE] = GAS_PRESSURE,
        [GAS_VIEW_SPEED] = GAS_SPEED,
        [GAS_VIEW_VORTICITY] = GAS_VORTICITY,
        [GAS_VIEW_HEAT] = GAS_HEAT,
        [GAS_VIEW_OSCILLATORS] = GAS_HEAT,
    };
    const double nodes = vks_gas_nodes(config);
    VKS_FIELD(declaration, .name = "displayed", .element = VKS_F32);
    VKS_PASS(declaration, .name = "view", .shader = "gas/view", .when = VKS_EACH_FRAME,
             .uses = VKS_USES({"density", VKS_READ}, {"velocity_z", VKS_READ},
                              {"velocity_y", VKS_READ}, {"velocity_x", VKS_READ},
                              {hot, VKS_READ, "hot"}, {"displayed", VKS_WRITE}),
             .specializations =
                 VKS_SPECIALIZATIONS({"view", kinds[config->view]}, {"has_pressure", has_pressure}),
             VKS_PUSH(*params), .bytes = 12 * nodes, .operations = 20 * nodes);
}
