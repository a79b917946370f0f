/* SPDX-License-Identifier: MIT */
#include "physarum_model.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"

static const double pi = 3.14159265358979323846;

struct physarum_model *physarum_model_create(const struct physarum_state *state)
{
    struct physarum_model *model = calloc(1, sizeof(*model));
    if (model == NULL) {
        return NULL;
    }
    size_t cells = (size_t)state->width * state->height;
    size_t agents = (size_t)state->agents;
    model->width = state->width;
    model->height = state->height;
    model->agents = state->agents;
    model->step = state->step;
    model->seed = state->seed;
    model->settings = state->settings;
    model->trail = calloc(cells, sizeof(double));
    model->mean = calloc(cells, sizeof(double));
    model->y = calloc(agents, sizeof(double));
    model->x = calloc(agents, sizeof(double));
    model->heading = calloc(agents, sizeof(double));
    if (model->trail == NULL || model->mean == NULL || model->y == NULL || model->x == NULL ||
        model->heading == NULL) {
        physarum_model_free(model);
        return NULL;
    }
    for (size_t cell = 0; cell < cells; cell++) {
        model->trail[cell] = state->trail[cell];
    }
    for (size_t i = 0; i < agents; i++) {
        model->y[i] = state->position[2 * i] * 0x1p-32 * state->height;
        model->x[i] = state->position[2 * i + 1] * 0x1p-32 * state->width;
        model->heading[i] = state->heading[i] * 0x1p-32 * 2.0 * pi;
    }
    return model;
}

void physarum_model_free(struct physarum_model *model)
{
    if (model != NULL) {
        free(model->heading);
        free(model->x);
        free(model->y);
        free(model->mean);
        free(model->trail);
        free(model);
    }
}

/* Wraps to [0, side). */
static double wrap(double value, double side)
{
    double wrapped = fmod(value, side);
    if (wrapped < 0.0) {
        wrapped += side;
    }
    return wrapped < side ? wrapped : 0.0;
}

static double at(const struct physarum_model *model, size_t i, size_t j)
{
    return model->trail[i % model->height * model->width + j % model->width];
}

/* --- traits ---------------------------------------------------------------------------------- */

/* What an agent has of its own: in cells and radians. */
struct traits {
    double sensor_distance, sensor_angle, turn_angle, step_size, jitter;
};

/* The shortest way between two places on a circle. */
static double apart(double a, double b, double side)
{
    return remainder(a - b, side);
}

static double share_at(const struct physarum_model *model, size_t agent)
{
    const struct physarum_settings *options = &model->settings;
    if (options->blend_to == NULL) {
        return 0.0;
    }
    if (options->blend_spot[2] <= 0.0) {
        return options->blend;
    }
    const double dy = apart(model->y[agent], options->blend_spot[1] * model->height, model->height);
    const double dx = apart(model->x[agent], options->blend_spot[0] * model->width, model->width);
    const double radius = options->blend_spot[2];
    const double t = fmax(1.0 - (dy * dy + dx * dx) / (radius * radius), 0.0);
    return t * t;
}

static double between(double first, double second, double share)
{
    return (1.0 - share) * first + share * second;
}

static struct traits traits_of(const struct physarum_model *model, size_t agent)
{
    const struct physarum_settings *one = &model->settings;
    const struct physarum_settings *two = one->blend_to != NULL ? one->blend_to : one;
    const double share = share_at(model, agent), radians = pi / 180.0;
    const double ahead = between(one->form.trail_ahead, two->form.trail_ahead, share);
    const double below = between(one->form.trail_below, two->form.trail_below, share);
    const double y = model->y[agent] + ahead * sin(model->heading[agent]) + below;
    const double x = model->x[agent] + ahead * cos(model->heading[agent]);
    const double near =
        at(model, (size_t)wrap(y, model->height), (size_t)wrap(x, model->width)) *
        between(1.0 / one->form.trail_full[0], 1.0 / two->form.trail_full[0], share);
    const double bases[2][PHYSARUM_QUANTITIES] = {
        {one->sensor_distance[0], one->sensor_angle[0], one->turn_angle[0], one->step_size[0]},
        {two->sensor_distance[0], two->sensor_angle[0], two->turn_angle[0], two->step_size[0]}};
    double values[PHYSARUM_QUANTITIES];
    for (int i = 0; i < PHYSARUM_QUANTITIES; i++) {
        const double power = between(one->form.power[i][0], two->form.power[i][0], share);
        values[i] = between(bases[0][i], bases[1][i], share) +
                    between(one->form.gain[i][0], two->form.gain[i][0], share) *
                        pow(fmin(fmax(near, 0x1p-30), 1.0), power);
    }
    return (struct traits){.sensor_distance = fmin(fmax(values[PHYSARUM_DISTANCE], 0.0), 1000.0),
                           .sensor_angle = values[PHYSARUM_SPREAD] * radians,
                           .turn_angle = values[PHYSARUM_TURN] * radians,
                           .step_size = fmin(fmax(values[PHYSARUM_STEP], 0.0), 1000.0),
                           .jitter = between(one->jitter[0], two->jitter[0], share) * radians};
}

/* --- agents ---------------------------------------------------------------------------------- */

static double sense(const struct physarum_model *model, size_t agent, double distance, double angle)
{
    double y = wrap(model->y[agent] + distance * sin(angle), model->height);
    double x = wrap(model->x[agent] + distance * cos(angle), model->width);
    size_t i = (size_t)y, j = (size_t)x;
    if (model->settings.sampling == PHYSARUM_NEAREST) {
        return at(model, i, j);
    }
    double down = y - (double)i, along = x - (double)j;
    return (1.0 - down) * ((1.0 - along) * at(model, i, j) + along * at(model, i, j + 1)) +
           down * ((1.0 - along) * at(model, i + 1, j) + along * at(model, i + 1, j + 1));
}

/* -1 right, 0 straight, 1 left. */
static int side_of(const struct physarum_model *model, double front, double left, double right,
                   bool heads)
{
    int stronger = left > right ? 1 : left < right ? -1 : 0;
    if (model->settings.steering == PHYSARUM_MAX) {
        return fmax(left, right) > front ? stronger : 0;
    }
    if (front > left && front > right) {
        return 0;
    }
    if (front < left && front < right) {
        return heads ? 1 : -1;
    }
    return stronger;
}

void physarum_model_move_agents(struct physarum_model *model)
{
    const struct physarum_settings *options = &model->settings;
    for (size_t i = 0; i < model->agents; i++) {
        const struct traits t = traits_of(model, i);
        double a = model->heading[i];
        double front = sense(model, i, t.sensor_distance, a);
        double left = sense(model, i, t.sensor_distance, a + t.sensor_angle);
        double right = sense(model, i, t.sensor_distance, a - t.sensor_angle);
        vks_uvec4 r = vks_random(model->seed, (uint32_t)i, (uint32_t)model->step, 1);
        a += side_of(model, front, left, right, r.y >= 0x80000000u) * t.turn_angle;
        a += (2.0 * (r.x * 0x1p-32) - 1.0) * t.jitter;
        model->heading[i] = a;
        model->y[i] = wrap(model->y[i] + t.step_size * sin(a), model->height);
        model->x[i] = wrap(model->x[i] + t.step_size * cos(a), model->width);
    }
    /* After all agents have sensed: they are independent within a step. */
    memset(model->mean, 0, (size_t)model->height * model->width * sizeof(double));
    for (size_t i = 0; i < model->agents; i++) {
        model->mean[(size_t)model->y[i] * model->width + (size_t)model->x[i]] += 1.0;
    }
    for (size_t cell = 0; cell < (size_t)model->height * model->width; cell++) {
        const double limit = (double)options->deposit_limit;
        const double count = limit > 0.0 ? fmin(model->mean[cell], limit) : model->mean[cell];
        model->trail[cell] +=
            (count > 0.0 ? pow(count, options->deposit_power) : 0.0) * options->deposit[0];
    }
}

void physarum_model_update_field(struct physarum_model *model)
{
    const struct physarum_settings *options = &model->settings;
    long height = (long)model->height, width = (long)model->width;
    long reach = (long)options->diffuse_size / 2;
    double area = (double)options->diffuse_size * (double)options->diffuse_size;
    for (long i = 0; i < height; i++) {
        for (long j = 0; j < width; j++) {
            double sum = 0.0;
            for (long k = i - reach; k <= i + reach; k++) {
                for (long l = j - reach; l <= j + reach; l++) {
                    bool inside = k >= 0 && k < height && l >= 0 && l < width;
                    if (inside || options->boundary == PHYSARUM_PERIODIC) {
                        long row = (k % height + height) % height;
                        long column = (l % width + width) % width;
                        sum += model->trail[row * width + column];
                    }
                }
            }
            model->mean[i * width + j] = sum / area;
        }
    }
    for (long cell = 0; cell < height * width; cell++) {
        double diffused = (1.0 - options->diffuse[0]) * model->trail[cell] +
                          options->diffuse[0] * model->mean[cell];
        model->trail[cell] = (1.0 - options->decay[0]) * diffused;
    }
}

void physarum_model_step(struct physarum_model *model)
{
    physarum_model_move_agents(model);
    physarum_model_update_field(model);
    model->step++;
}
