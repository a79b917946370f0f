/* SPDX-License-Identifier: MIT */
/* Declares the fields and passes of a model of shaders. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/exact.h"
#include "base/memory.h"
#include "formula/folder.h"
#include "graph/declare.h"

static const struct vks_formula *formula_of(const struct vks_config *config)
{
    return config->model->user;
}

/* The values of all nodes, to be freed; NULL with a message. */
static double *values_of(const struct vks_config *config)
{
    const struct vks_formula *f = formula_of(config);
    const struct vks_formula_settings *s = config->settings;
    const struct vks_expressions *e = &f->folder->expressions;
    double names[VKS_FORMULA_PARAMETERS] = {
        [VKS_FOLDER_WIDTH] = config->width, [VKS_FOLDER_HEIGHT] = config->height,
        [VKS_FOLDER_DEPTH] = config->depth, [VKS_FOLDER_SEED] = config->seed,
        [VKS_FOLDER_START] = config->start,
    };
    double *values = calloc(e->node_count + 1, sizeof(*values));
    if (!values) {
        vks_fail_memory();
        return NULL;
    }
    for (size_t i = VKS_FOLDER_NAMES; i < e->parameter_count; i++) {
        const enum vks_option_type type = f->options[i - VKS_FOLDER_NAMES].type;
        names[i] = type == VKS_OPTION_REAL    ? s->parameters[i]
                   : type == VKS_OPTION_COUNT ? (double)s->counts[i]
                                              : s->choices[i];
    }
    vks_node_values(e, names, values);
    return values;
}

/* A number as an unsigned integer: rounded down, within 2^32 - 1. */
static uint32_t whole(double value)
{
    return (uint32_t)fmin(fmax(floor(value), 0), 4294967295.0);
}

/* --- fields ---------------------------------------------------------------------------------- */

/* The file of an image's option; NULL: none. */
static const char *image_of(const struct vks_config *config, const char *name)
{
    const struct vks_formula *f = formula_of(config);
    const struct vks_formula_settings *s = config->settings;
    for (size_t i = 0; name && i < f->image_count; i++) {
        if (strcmp(f->images[i].name, name) == 0 && vks_text_is_given(s->images[i])) {
            return s->images[i];
        }
    }
    return NULL;
}

static void declare_field(const struct vks_config *config, const struct vks_folder_field *row,
                          const double *values, struct vks_declaration *declaration)
{
    static const struct vks_formula_levels levels = {0, 1};
    const char *image = image_of(config, row->image);
    struct vks_field field = {
        .name = row->name,
        .help = row->help,
        .element = row->element,
        .rank = row->rank,
        .persistent = row->persistent,
        .ping_pong = row->ping_pong,
        .items = row->items,
        .watched = row->scalars[0].name ? row->scalars : NULL,
        .image = image,
        .made_from = image,
        .fill = image ? vks_formula_fill_image : NULL,
        .user = &levels,
        .distance = row->persistent ? VKS_DISTANCE_EQUAL : VKS_DISTANCE_NONE,
    };
    const struct vks_items *items = row->items ? vks_find_items(declaration, row->items) : NULL;
    for (uint32_t i = 0; i < row->rank; i++) {
        field.shape[i] = items ? items->count : whole(values[row->shape[i]]);
    }
    vks_declare_field(declaration, &field);
}

/* --- passes ---------------------------------------------------------------------------------- */

static void declare_shader(const struct vks_folder_pass *row, const double *values,
                           struct vks_declaration *declaration)
{
    uint32_t words[VKS_FOLDER_CONSTANTS];
    struct vks_specialization specializations[VKS_FOLDER_SPECIALIZATIONS + 1] = {{0}};
    for (size_t i = 0; i < row->constant_count; i++) {
        const double value = values[row->constants[i].node];
        const float real = vks_real(value);
        words[i] = whole(value);
        if (row->constants[i].real) {
            memcpy(&words[i], &real, 4);
        }
    }
    for (size_t i = 0; i < row->specialization_count; i++) {
        specializations[i].name = row->specializations[i].name;
        specializations[i].value = whole(values[row->specializations[i].node]);
    }
    struct vks_pass pass = {
        .name = row->name,
        .shader = row->shader,
        .when = row->when,
        .every = row->every,
        .uses = row->uses,
        .specializations = specializations,
        .constants = row->constant_count ? words : NULL,
        .constants_size = 4 * row->constant_count,
        .group = {row->group[0], row->group[1]},
    };
    for (size_t i = 0; i < 2 && row->has_items; i++) {
        pass.items[i] = whole(values[row->items[i]]);
    }
    vks_declare_pass(declaration, &pass);
}

/* The squared wave numbers of an axis of `side` cells, (2 pi k / side)^2; NULL for one cell. */
static const float *symbol_of(struct vks_declaration *declaration, uint32_t side)
{
    float *symbol = side > 1 ? calloc(side, sizeof(*symbol)) : NULL;
    const double unit = 2 * 3.141592653589793 / side;
    if (!symbol) {
        if (side > 1) {
            vks_declaration_fail(declaration, vks_fail_memory());
        }
        return NULL;
    }
    for (uint32_t k = 0; k < side; k++) {
        const double wave = unit * (k <= side / 2 ? k : side - k);
        symbol[k] = (float)(wave * wave);
    }
    const float *kept = vks_declaration_copy(declaration, symbol, side * sizeof(*symbol));
    free(symbol);
    return kept;
}

static void declare_fft(const struct vks_config *config, const struct vks_folder_pass *row,
                        const double *values, struct vks_declaration *declaration)
{
    vks_declare_fft(declaration, &(const struct vks_fft){
                                     .name = row->name,
                                     .source = row->source,
                                     .target = row->target,
                                     .factor = vks_real(values[row->number]),
                                     .symbol = {symbol_of(declaration, config->depth),
                                                symbol_of(declaration, config->height),
                                                symbol_of(declaration, config->width)},
                                     .when = row->when,
                                     .every = row->every,
                                 });
}

static void declare_part(const struct vks_config *config, const struct vks_folder_pass *row,
                         const double *values, struct vks_declaration *declaration)
{
    switch (row->kind) {
    case VKS_FOLDER_PASS:
        declare_shader(row, values, declaration);
        break;
    case VKS_FOLDER_RANGE:
        vks_declare_range(declaration, row->source, row->name, row->when);
        break;
    case VKS_FOLDER_SUM:
        vks_declare_sum(declaration, row->source, row->exponent, row->name, row->when);
        break;
    case VKS_FOLDER_SCAN:
        vks_declare_scan(declaration, row->source, row->name, row->when);
        break;
    case VKS_FOLDER_SORT:
        vks_declare_sorting(declaration, &(const struct vks_sorting){
                                             .items = row->source,
                                             .key = row->target,
                                             .bins = whole(values[row->number]),
                                             .every = row->every,
                                         });
        break;
    case VKS_FOLDER_FFT:
        declare_fft(config, row, values, declaration);
        break;
    default: /* a mean, which belongs to frames */
        break;
    }
}

static void declare_parts(const struct vks_config *config, bool frames,
                          struct vks_declaration *declaration)
{
    const struct vks_folder *folder = formula_of(config)->folder;
    double *values = values_of(config);
    if (!values) {
        vks_declaration_fail(declaration, VKS_ERROR_GPU);
        return;
    }
    for (size_t i = 0; i < folder->item_count && !frames; i++) {
        vks_declare_items(declaration, folder->items[i].name,
                          whole(values[folder->items[i].count]));
    }
    for (size_t i = 0; i < folder->field_count && !frames; i++) {
        declare_field(config, &folder->fields[i], values, declaration);
    }
    for (size_t i = 0; i < folder->pass_count; i++) {
        const struct vks_folder_pass *row = &folder->passes[i];
        if (row->kind == VKS_FOLDER_MEAN && frames && config->watch) {
            vks_declare_mean(declaration, row->source, values[row->number], row->name);
        } else if ((row->when == VKS_EACH_FRAME) == frames && row->kind != VKS_FOLDER_MEAN) {
            declare_part(config, row, values, declaration);
        }
    }
    free(values);
}

static void declare(const struct vks_config *config, struct vks_declaration *declaration)
{
    declare_parts(config, false, declaration);
}

static void declare_frame(const struct vks_config *config, struct vks_declaration *declaration)
{
    declare_parts(config, true, declaration);
}

bool vks_is_folder(const struct vks_model *model)
{
    return model->declare == declare;
}

void vks_folder_set(struct vks_model *model)
{
    model->declare = declare;
    model->declare_frame = declare_frame;
}
