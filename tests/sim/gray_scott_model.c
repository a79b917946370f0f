/* SPDX-License-Identifier: MIT */
#include "gray_scott_model.h"

#include <math.h>
#include <stdlib.h>

struct gray_scott_model *gray_scott_model_create(const struct gray_scott_state *state)
{
    struct gray_scott_model *model = calloc(1, sizeof(*model));
    if (model == NULL) {
        return NULL;
    }
    size_t cells = (size_t)state->width * state->height;
    double **const arrays[] = {&model->u,    &model->v,      &model->feed,
                               &model->kill, &model->next_u, &model->next_v};
    model->width = state->width;
    model->height = state->height;
    model->settings = state->settings;
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
        *arrays[i] = calloc(cells, sizeof(double));
        if (*arrays[i] == NULL) {
            gray_scott_model_free(model);
            return NULL;
        }
    }
    for (size_t cell = 0; cell < cells; cell++) {
        model->u[cell] = state->u[cell];
        model->v[cell] = state->v[cell];
        model->feed[cell] = state->settings.feed;
        model->kill[cell] = state->settings.kill;
    }
    return model;
}

void gray_scott_model_free(struct gray_scott_model *model)
{
    if (model != NULL) {
        free(model->next_v);
        free(model->next_u);
        free(model->kill);
        free(model->feed);
        free(model->v);
        free(model->u);
        free(model);
    }
}

/* Maps `at` onto a periodic side, or one with mirrors at both ends. */
static long onto(const struct gray_scott_model *model, long at, long side)
{
    if (model->settings.boundary == GRAY_SCOTT_PERIODIC) {
        return (at + side) % side;
    }
    return at < 0 ? -1 - at : at >= side ? 2 * side - 1 - at : at;
}

static double laplacian(const struct gray_scott_model *model, const double *field, long y, long x)
{
    static const double five[2][2] = {{-4.0, 1.0}, {1.0, 0.0}};
    static const double nine[2][2] = {{-20.0 / 6.0, 4.0 / 6.0}, {4.0 / 6.0, 1.0 / 6.0}};
    double sum = 0.0;
    for (long dy = -1; dy <= 1; dy++) {
        for (long dx = -1; dx <= 1; dx++) {
            const double(*weights)[2] =
                model->settings.stencil == GRAY_SCOTT_NINE_POINT ? nine : five;
            long row = onto(model, y + dy, model->height);
            long column = onto(model, x + dx, model->width);
            sum += weights[labs(dy)][labs(dx)] * field[row * model->width + column];
        }
    }
    return sum;
}

void gray_scott_model_step(struct gray_scott_model *model)
{
    const struct gray_scott_settings *options = &model->settings;
    for (long y = 0; y < model->height; y++) {
        for (long x = 0; x < model->width; x++) {
            long cell = y * model->width + x;
            double u = model->u[cell], v = model->v[cell];
            double feed = model->feed[cell], kill = model->kill[cell];
            double reaction = u * v * v;
            double change_u =
                options->du * laplacian(model, model->u, y, x) - reaction + feed * (1.0 - u);
            double change_v =
                options->dv * laplacian(model, model->v, y, x) + reaction - (feed + kill) * v;
            model->next_u[cell] = fmin(fmax(u + options->dt * change_u, 0.0), 1.0);
            model->next_v[cell] = fmin(fmax(v + options->dt * change_v, 0.0), 1.0);
        }
    }
    double *u = model->u, *v = model->v;
    model->u = model->next_u;
    model->v = model->next_v;
    model->next_u = u;
    model->next_v = v;
}
