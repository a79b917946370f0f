/* SPDX-License-Identifier: MIT */
#include "brush_gas_reference.h"

#include <math.h>
#include <string.h>

#include "base/exact.h"

enum { AXES = 3, UNIT = 64 };

static float max_of(float a, float b)
{
    return a > b ? a : b;
}

static float min_of(float a, float b)
{
    return a < b ? a : b;
}

/* The share `weight` of the way from a to b. */
static float toward(float a, float b, float weight)
{
    const float kept = a * (1 - weight), part = b * weight;
    return vks_flush(kept + part);
}

static float hot_of(double temperature)
{
    return vks_real(fmin(16 * (temperature > 0 ? temperature : 1), 1073741824));
}

/* The velocity to which a stroke leads: z, y, x; false if it has none. */
static bool find_drag(const struct brush_grid *grid, const struct vks_stroke *stroke,
                      double temperature, float scale, float velocity[AXES])
{
    const float speed = vks_real(2 * sqrt(temperature > 0 ? temperature : 1)) * scale;
    int64_t way[AXES];
    brush_way(grid, stroke, way);
    const double square = (double)(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    const float per_length = square > 0 ? vks_sqrt((float)(1 / square)) : 0;
    for (int i = 0; i < AXES; i++) {
        const float direction = (float)way[AXES - 1 - i] * per_length;
        velocity[i] = stroke->inverse ? direction * 0.0F : direction * speed;
    }
    return stroke->inverse || square > 0;
}

static float heated(const struct vks_stroke *stroke, float heat, float highest, float weight)
{
    return stroke->inverse ? toward(heat, 0, weight) : max_of(heat, toward(heat, highest, weight));
}

/* --- the grid -------------------------------------------------------------------------------- */

struct node {
    float density, momentum[AXES], energy, internal;
};

static float kinetic_of(const struct node *node)
{
    const float inverse = vks_reciprocal(node->density);
    float part[AXES];
    for (int i = 0; i < AXES; i++) {
        const float velocity = vks_flush(node->momentum[i] * inverse);
        part[i] = node->momentum[i] * velocity;
    }
    return 0.5F * ((part[0] + part[1]) + part[2]);
}

static void change_node(const struct brush_grid *grid, const struct vks_stroke *stroke,
                        double temperature, float weight, struct node *node)
{
    const float thermal = node->energy - kinetic_of(node);
    const float kept = node->internal > 0 ? node->internal : max_of(thermal, 0);
    float heat = thermal > 0.001F * node->energy ? thermal : kept;
    float drag[AXES];
    if (strcmp(stroke->brush, "heat") == 0) {
        heat = heated(stroke, heat, hot_of(temperature) * node->density, weight);
    } else if (!find_drag(grid, stroke, temperature, node->density, drag)) {
        return;
    } else {
        for (int i = 0; i < AXES; i++) {
            node->momentum[i] = toward(node->momentum[i], drag[i], weight);
        }
    }
    node->energy = vks_flush(kinetic_of(node) + heat);
    node->internal = vks_flush(heat);
}

static void fill_node(const struct vks_stroke *stroke, float mean, float weight, struct node *node)
{
    float target = toward(node->density, mean * (stroke->inverse ? 0.25F : 4), weight);
    target = stroke->inverse ? min_of(node->density, target) : max_of(node->density, target);
    const float factor = min_of(target * vks_reciprocal(node->density), 2);
    if (node->density * factor > 1073741824 || node->energy * factor > 1073741824) {
        return;
    }
    node->density = vks_flush(node->density * factor);
    node->energy = vks_flush(node->energy * factor);
    node->internal = vks_flush(node->internal * factor);
    for (int i = 0; i < AXES; i++) {
        node->momentum[i] = vks_flush(node->momentum[i] * factor);
    }
}

void brush_gas_grid(const struct brush_grid *grid, const struct vks_stroke *stroke,
                    double temperature, struct gas_grid_state *state)
{
    const bool fills = strcmp(stroke->brush, "mass") == 0;
    float mean;
    memcpy(&mean, &state->clockwork[3], sizeof(mean));
    for (size_t i = 0; i < state->nodes; i++) {
        const size_t row = i / grid->width;
        const float weight =
            brush_weight_of_cell(grid, stroke, (uint32_t)(i % grid->width),
                                 (uint32_t)(row % grid->height), (uint32_t)(row / grid->height));
        float *const *field = state->field;
        struct node node = {
            field[GAS_DENSITY][i],
            {field[GAS_MOMENTUM_Z][i], field[GAS_MOMENTUM_Y][i], field[GAS_MOMENTUM_X][i]},
            field[GAS_ENERGY][i],
            field[GAS_INTERNAL][i]};
        if (!(weight > 0) || !(node.density > vks_flush(1e-10F * mean))) {
            continue;
        }
        if (fills) {
            fill_node(stroke, mean, weight, &node);
        } else {
            change_node(grid, stroke, temperature, weight, &node);
        }
        field[GAS_DENSITY][i] = node.density;
        field[GAS_MOMENTUM_Z][i] = node.momentum[0];
        field[GAS_MOMENTUM_Y][i] = node.momentum[1];
        field[GAS_MOMENTUM_X][i] = node.momentum[2];
        field[GAS_ENERGY][i] = node.energy;
        field[GAS_INTERNAL][i] = node.internal;
    }
    if (fills) {
        state->clockwork[3] = 0;
    }
}

/* --- particles ------------------------------------------------------------------------------- */

void brush_gas_particles(const struct brush_grid *grid, const struct vks_stroke *stroke,
                         double temperature, struct gas_particles_state *state)
{
    const bool heats = strcmp(stroke->brush, "heat") == 0;
    float drag[AXES];
    const bool drags = find_drag(grid, stroke, temperature, 1, drag);
    for (uint64_t i = 0; i < state->count; i++) {
        const uint64_t x = state->position[GAS_X][i], y = state->position[GAS_Y][i],
                       z = state->position[GAS_Z][i];
        const int64_t place[AXES] = {(int64_t)(x * UNIT * grid->width >> 32),
                                     (int64_t)(y * UNIT * grid->height >> 32),
                                     (int64_t)(z * UNIT * grid->depth >> 32)};
        const float weight = brush_weight(grid, stroke, place);
        if (weight > 0 && heats) {
            state->heat[i] = heated(stroke, state->heat[i], hot_of(temperature), weight);
        }
        for (int axis = 0; axis < AXES && weight > 0 && !heats && drags; axis++) {
            float *velocity = &state->velocity[axis][i];
            *velocity = toward(*velocity, drag[axis], weight);
        }
    }
    state->clockwork[3] = 0;
    gas_particles_units(state);
}
