/* SPDX-License-Identifier: MIT */
/* Self-gravity of the gas: docs/sims/gas.md. */
#include <stdlib.h>
#include <string.h>
#include <vksim/model.h>

#include "base/error.h"
#include "base/memory.h"
#include "graph/declare.h"
#include "sim/gas/gas.h"

static const double pi = 3.14159265358979323846;

/* (2 pi n / L)^2 for every wave number n of an axis; the upper half are the negative ones. */
static void fill_symbol(float *symbol, uint32_t side, uint32_t longest)
{
    for (uint32_t i = 0; i < side; i++) {
        const double number = i <= side / 2 ? i : (double)side - i;
        const double k = 2 * pi * number * longest / side;
        symbol[i] = vks_real(k * k);
    }
}

/* Solves for the potential of "density" into `target`. */
static void declare_solution(const struct vks_config *config, const char *name, const char *target,
                             enum vks_when when, struct vks_declaration *declaration)
{
    const struct gas_settings *s = config->settings;
    uint32_t sides[3];
    float *symbols[3];
    vks_gas_sides(config, sides);
    for (size_t axis = 0; axis < 3; axis++) {
        symbols[axis] = malloc(sides[axis] * sizeof(float));
        if (symbols[axis]) {
            fill_symbol(symbols[axis], sides[axis], vks_gas_longest(config));
        } else {
            vks_declaration_fail(declaration, vks_fail_memory());
        }
    }
    const char *source = vks_gas_whole_density(config, declaration);
    vks_gas_declare_whole(config, target, declaration);
    if (declaration->result == VKS_OK) {
        vks_declare_fft(declaration,
                        &(struct vks_fft){.name = name,
                                          .source = source,
                                          .target = target,
                                          .mean_field = "clockwork",
                                          .mean_word = CLOCK_MEAN,
                                          .factor = vks_real(-4 * pi * s->gravity),
                                          .symbol = {symbols[0], symbols[1], symbols[2]},
                                          .when = when,
                                          .invocations = config->limits.invocations});
    }
    for (size_t axis = 0; axis < 3; axis++) {
        free(symbols[axis]);
    }
}

const char *vks_gas_declare_potential(const struct vks_config *config,
                                      struct vks_declaration *declaration)
{
    static const char target[] = "frame_potential";
    if (vks_find_field(declaration, target) < 0) {
        declare_solution(config, "potential", target, VKS_EACH_FRAME, declaration);
    }
    return target;
}

void vks_gas_declare_gravity(const struct vks_config *config, bool chooses,
                             struct vks_declaration *declaration)
{
    static const char *const fields[] = {"acceleration_z", "acceleration_y", "acceleration_x"};
    const struct gas_params params = vks_gas_params(config);
    const double nodes = vks_gas_nodes_here(config);
    declare_solution(config, "gravity", "potential", VKS_EACH_STEP, declaration);
    for (size_t i = 0; i < VKS_COUNT(fields); i++) {
        VKS_FIELD(declaration, .name = fields[i], .element = VKS_F32);
    }
    const struct vks_use chosen[] = {
        {"clockwork", VKS_READ_WRITE}, {"step_values", VKS_WRITE},
        {"time", VKS_WRITE},           {"dt", VKS_WRITE},
        {"status", VKS_ATOMIC},        {"finished", VKS_ATOMIC | VKS_WRITE},
        {"end_time", VKS_READ}};
    struct vks_use uses[13] = {
        {"potential", VKS_READ},
        {"acceleration_z", VKS_WRITE},
        {"acceleration_y", VKS_WRITE},
        {"acceleration_x", VKS_WRITE},
        {"limits", chooses ? VKS_ATOMIC | VKS_WRITE : VKS_ATOMIC},
    };
    if (chooses) {
        memcpy(uses + 5, chosen, sizeof(chosen));
        VKS_FIELD(declaration, .name = "finished", .element = VKS_U32, .rank = 1, .shape = {1});
    }
    VKS_PASS(declaration, .name = chooses ? "acceleration, time step" : "acceleration",
             .shader = chooses ? "gas/acceleration_time_step" : "gas/acceleration", .uses = uses,
             .specializations = vks_gas_specialize(config, declaration, GAS_PLACES, NULL),
             VKS_PUSH(params), .group = {64, 4}, .bytes = 16 * nodes, .operations = 15 * nodes);
}
