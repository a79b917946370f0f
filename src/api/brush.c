/* SPDX-License-Identifier: MIT */
/* Painting into a running simulation: docs/brushes.md. */
#include "api/brush.h"

#include <stdio.h>
#include <string.h>

#include "api/condition.h"
#include "api/rank.h"
#include "base/error.h"
#include "base/nearest.h"
#include "graph/brush.h"
#include "sim/registry.h"

bool vks_model_brush(const char *name, size_t index, struct vks_brush_info *info)
{
    const struct vks_model *model = info ? vks_model_find(name) : NULL;
    const struct vks_brush *brush = model ? model->brushes : NULL;
    for (size_t i = 0; brush && brush->name && i < index; i++) {
        brush++;
    }
    if (!brush || !brush->name) {
        return false;
    }
    struct vks_brush_info known = {
        .name = brush->name,
        .help = brush->help,
        .inverse = brush->inverse,
        .needs = brush->needs ? brush->needs : "",
    };
    for (size_t i = 0; i < VKS_STROKE_VALUES; i++) {
        known.values[i] = brush->values[i].option;
        known.max[i] = brush->values[i].max;
    }
    return vks_give_sized(info, &known, sizeof(known)) == VKS_OK;
}

/* --- which brush ----------------------------------------------------------------------------- */

/* True if the settings meet a condition as in an option's `needs`. */
static bool is_met(const struct vks_settings *settings, const char *needs)
{
    const struct vks_option row = {.needs = needs};
    struct vks_conditions conditions;
    return vks_conditions_resolve(settings->model, &row, &conditions) &&
           vks_condition_is_met(&conditions.needs, settings);
}

static enum vks_result fail_unknown(const struct vks_model *model, const char *name)
{
    const char *names[VKS_MAX_BRUSHES + 1] = {0};
    char all[256], meant[64];
    for (size_t i = 0; model->brushes[i].name; i++) {
        names[i] = model->brushes[i].name;
    }
    return vks_fail(VKS_ERROR_USAGE, "%s has no brush '%s', only: %s%s", model->name, name,
                    vks_join(names, all, sizeof(all)),
                    vks_did_you_mean(name, names, meant, sizeof(meant)));
}

enum vks_result vks_brush_find(const struct vks_settings *settings, const char *name, size_t *index)
{
    const struct vks_model *model = settings->model;
    size_t i = 0;
    if (!model->brushes) {
        return vks_fail(VKS_ERROR_USAGE, "%s has no brushes%s", model->name,
                        model->reverse_option
                            ? ": its steps can run backward, and a stroke would end that"
                            : "");
    }
    while (model->brushes[i].name && strcmp(model->brushes[i].name, name) != 0) {
        i++;
    }
    const struct vks_brush *brush = &model->brushes[i];
    if (!brush->name) {
        return fail_unknown(model, name);
    }
    if (brush->needs && !is_met(settings, brush->needs)) {
        return vks_fail(VKS_ERROR_USAGE, "the brush '%s' of %s needs a run with %s", name,
                        model->name, brush->needs);
    }
    *index = i;
    return VKS_OK;
}

/* --- which strokes --------------------------------------------------------------------------- */

enum { SIDE = 65536, MAX_SHARE = 65536, MAX_RADIUS = 32768 };

struct bounds {
    const char *name;
    int64_t value, min, max;
};

static enum vks_result check_numbers(const struct vks_stroke *stroke, size_t number)
{
    const struct bounds all[] = {
        {"x", stroke->x, -SIDE, 2 * SIDE},
        {"y", stroke->y, -SIDE, 2 * SIDE},
        {"x2", stroke->x2, -SIDE, 2 * SIDE},
        {"y2", stroke->y2, -SIDE, 2 * SIDE},
        {"z", stroke->z, -SIDE, SIDE},
        {"z2", stroke->z2, -SIDE, SIDE},
        {"x2 - x", (int64_t)stroke->x2 - stroke->x, -SIDE, SIDE},
        {"y2 - y", (int64_t)stroke->y2 - stroke->y, -SIDE, SIDE},
        {"z2 - z", (int64_t)stroke->z2 - stroke->z, -SIDE, SIDE},
        {"radius", stroke->radius, 1, MAX_RADIUS},
        {"soft", stroke->soft, 0, MAX_SHARE},
        {"strength", stroke->strength, 0, MAX_SHARE},
        {"inverse", stroke->inverse, 0, 1},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        const struct bounds *row = &all[i];
        if (row->value < row->min || row->value > row->max) {
            return vks_fail(VKS_ERROR_USAGE, "stroke %zu: %s is %lld; it must be %lld to %lld",
                            number, row->name, (long long)row->value, (long long)row->min,
                            (long long)row->max);
        }
    }
    return VKS_OK;
}

static enum vks_result check_values(const struct vks_brush *brush, struct vks_stroke *stroke,
                                    size_t number)
{
    for (size_t i = 0; i < VKS_STROKE_VALUES; i++) {
        const struct vks_brush_value *row = &brush->values[i];
        if (!row->option) {
            stroke->values[i] = 0; /* nothing reads it */
        } else if (!(stroke->values[i] >= 0 && stroke->values[i] <= row->max)) {
            return vks_fail(VKS_ERROR_USAGE, "stroke %zu: %s is %g; it must be 0 to %g", number,
                            row->option, stroke->values[i], row->max);
        }
    }
    return VKS_OK;
}

/* The strokes of a call, and the rows of their brushes. */
struct strokes {
    struct vks_stroke all[VKS_MAX_STROKES];
    size_t brushes[VKS_MAX_STROKES];
    size_t count;
};

static enum vks_result take_strokes(const vks_simulation *simulation,
                                    const struct vks_stroke *given, size_t count,
                                    struct strokes *strokes)
{
    size_t stride;
    enum vks_result result = VKS_OK;
    if (count > VKS_MAX_STROKES) {
        return vks_fail(VKS_ERROR_USAGE,
                        "%zu strokes are too many; at most %d can be painted at "
                        "once",
                        count, VKS_MAX_STROKES);
    }
    memcpy(&stride, given, sizeof(stride));
    for (size_t i = 0; i < count && result == VKS_OK; i++) {
        struct vks_stroke *stroke = &strokes->all[i];
        result = vks_take_sized(stroke, sizeof(*stroke), (const char *)given + i * stride);
        if (result == VKS_OK && !stroke->brush) {
            result = vks_fail(VKS_ERROR_USAGE, "stroke %zu names no brush", i);
        }
        if (result == VKS_OK) {
            result = check_numbers(stroke, i);
        }
        if (result == VKS_OK) {
            result = vks_brush_find(&simulation->settings, stroke->brush, &strokes->brushes[i]);
        }
        if (result == VKS_OK) {
            result =
                check_values(&simulation->settings.model->brushes[strokes->brushes[i]], stroke, i);
        }
    }
    strokes->count = count;
    return result;
}

enum vks_result vks_simulation_can_paint(const vks_simulation *simulation,
                                         const struct vks_stroke *given, size_t count)
{
    struct strokes strokes;
    return take_strokes(simulation, given, count, &strokes);
}

/* --- painting -------------------------------------------------------------------------------- */

/* Gives the brush's graph, made at its first stroke, these strokes. */
static enum vks_result prepare(vks_simulation *simulation, size_t index,
                               const struct vks_strokes *words)
{
    const struct vks_config config = vks_settings_config(&simulation->settings);
    const struct vks_model *model = simulation->settings.model;
    struct vks_graph **graph = &simulation->brushes[index];
    struct vks_declaration declaration = {0};
    vks_declare_brush(model, &config, &model->brushes[index], words, ++simulation->painted,
                      vks_graph_declaration(simulation->graph), &declaration);
    enum vks_result result = declaration.result;
    if (result == VKS_OK && *graph) {
        result = vks_graph_update(*graph, &declaration);
    } else if (result == VKS_OK) {
        result = vks_graph_create_bound(simulation->graph, &declaration, graph);
        if (result == VKS_OK) {
            result = vks_graph_start(*graph, 0, false);
        }
    }
    vks_declaration_free(&declaration);
    return result == VKS_OK ? vks_graph_fill(*graph, true, NULL) : result;
}

/* Paints successive strokes of one brush. */
static enum vks_result paint(vks_simulation *simulation, size_t brush,
                             const struct vks_stroke *strokes, size_t count)
{
    const struct vks_model *model = simulation->settings.model;
    const struct vks_config config = vks_settings_config(&simulation->settings);
    const bool closed = model->closed && is_met(&simulation->settings, model->closed);
    struct vks_strokes words;
    uint64_t value;
    vks_strokes_set(&words, &config, closed, strokes, count);
    enum vks_result result = prepare(simulation, brush, &words);
    if (result == VKS_OK) {
        result = vks_graph_frame(simulation->brushes[brush], NULL, NULL, VK_NULL_HANDLE,
                                 VK_NULL_HANDLE, &value);
    }
    if (result == VKS_OK && model->brushes[brush].measures) {
        result = vks_graph_ready(simulation->graph);
    }
    return result;
}

enum vks_result vks_simulation_paint(vks_simulation *simulation, const struct vks_stroke *given,
                                     size_t count)
{
    struct strokes strokes;
    if (!simulation || (!given && count > 0)) {
        return vks_fail_null(__func__);
    }
    enum vks_result result = vks_simulation_alive(simulation);
    if (result == VKS_OK && count > 0) {
        result = vks_rank_fail(simulation, "painting");
    }
    if (result == VKS_OK && count > 0) {
        result = take_strokes(simulation, given, count, &strokes);
    }
    if (result != VKS_OK || count == 0) {
        return result;
    }
    simulation->drawn = false;
    for (size_t i = 0, next; i < count && result == VKS_OK; i = next) {
        const size_t brush = strokes.brushes[i];
        const bool together = !simulation->settings.model->brushes[brush].measures;
        for (next = i + 1; together && next < count && strokes.brushes[next] == brush;) {
            next++;
        }
        result = paint(simulation, brush, strokes.all + i, next - i);
    }
    return result;
}
