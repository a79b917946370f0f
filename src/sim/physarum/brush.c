/* SPDX-License-Identifier: MIT */
/* Brushes that are more than values of a field: docs/sims/physarum.md, "Brushes". */
#include "graph/declare.h"
#include "sim/physarum/physarum.h"

void vks_physarum_brush_agents(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct physarum_settings *s = config->settings;
    const struct physarum_params params = vks_physarum_params(config);
    const bool sorted = vks_find_field(declaration, "agents_number") >= 0;
    const bool walled = vks_physarum_has_walls(s);
    VKS_PASS(declaration, .name = "paint agents", .shader = "physarum/brush_agents",
             .when = VKS_EACH_FRAME,
             .uses =
                 VKS_USES({"position", VKS_READ_WRITE}, {"heading", VKS_READ_WRITE},
                          {sorted ? "agents_number" : "strokes", VKS_READ, "agents_number"},
                          {walled ? "walls" : "strokes", VKS_READ, "walls"}, {"strokes", VKS_READ}),
             .specializations = VKS_SPECIALIZATIONS({"sorted", sorted}, {"walled", walled}),
             VKS_PUSH(params), .items = {s->agents}, .bytes = 24 * (double)s->agents);
}

void vks_physarum_brush_walls(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct physarum_params params = vks_physarum_params(config);
    const uint64_t words = (uint64_t)config->height * ((config->width + 31) / 32);
    VKS_PASS(
        declaration, .name = "paint walls", .shader = "physarum/brush_walls",
        .when = VKS_EACH_FRAME,
        .uses = VKS_USES({"walls", VKS_READ_WRITE}, {"open_cell", VKS_READ}, {"strokes", VKS_READ}),
        VKS_PUSH(params), .items = {words}, .bytes = 8 * (double)words);
}
