/* SPDX-License-Identifier: MIT */
#include "tool/bench_plot.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "report/plot.h"

/* A plot of each group, and the one over sizes. */
enum { MAX_PLOTS = VKS_CEILING_GROUPS + 1 };

struct figure {
    struct vks_plot plots[MAX_PLOTS];
    size_t count;
    char subtitle[sizeof((struct vks_device_info){0}.name) +
                  sizeof((struct vks_device_info){0}.driver) + 8];
    struct vks_plot_series *lines; /* over sizes: one per ceiling */
    size_t line_count;
    struct vks_plot_series bars[VKS_CEILING_GROUPS];
    double *numbers; /* of all series */
    size_t used;
    const char **names; /* of bars */
};

static double *take(struct figure *figure, size_t count)
{
    double *numbers = figure->numbers + figure->used;
    figure->used += count;
    return numbers;
}

static void add_line(struct figure *figure, const struct vks_ceiling *ceiling)
{
    const size_t count = ceiling->point_count;
    double *x = take(figure, count), *y = take(figure, count);
    double *low = take(figure, count), *high = take(figure, count);
    for (size_t i = 0; i < count; i++) {
        const struct vks_spread *value = &ceiling->points[i].value;
        x[i] = (double)ceiling->points[i].bytes;
        y[i] = value->median;
        low[i] = value->low_quartile;
        high[i] = value->high_quartile;
    }
    figure->lines[figure->line_count] = (struct vks_plot_series){
        .name = ceiling->info->name,
        .x = x,
        .y = y,
        .low = low,
        .high = high,
        .count = count,
        .style = VKS_PLOT_POINTS | VKS_PLOT_LINE,
        .colour = (unsigned)figure->line_count,
    };
    figure->line_count++;
}

static void add_sizes(struct figure *figure, const struct vks_ceilings *set)
{
    for (size_t i = 0; i < set->count; i++) {
        if (set->items[i].point_count > 0) {
            add_line(figure, &set->items[i]);
        }
    }
    if (figure->line_count > 0) {
        figure->plots[figure->count++] = (struct vks_plot){
            .title = "Bandwidth by size of the buffer",
            .subtitle = figure->subtitle,
            .x = {.label = "buffer", .unit = "B", .scale = VKS_PLOT_LOG2},
            .y = {.label = "bandwidth", .unit = "B/s"},
            .series = figure->lines,
            .series_count = figure->line_count,
        };
    }
}

static void add_group(struct figure *figure, const struct vks_ceilings *set,
                      enum vks_ceiling_group group)
{
    static const struct {
        const char *title, *label, *unit;
    } texts[VKS_CEILING_GROUPS] = {
        [VKS_CEILING_BANDWIDTH] = {"Bandwidth", "bandwidth", "B/s"},
        [VKS_CEILING_ARITHMETIC] = {"Arithmetic and shuffles", "rate", "op/s"},
        [VKS_CEILING_ACCESSES] = {"Accesses to single words", "rate", "op/s"},
        [VKS_CEILING_LATENCY] = {"Latencies", "time", "s"},
    };
    double *y = take(figure, set->count), *low = take(figure, set->count);
    double *high = take(figure, set->count);
    const char **names = figure->names + group * set->count;
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        const struct vks_ceiling *ceiling = &set->items[i];
        if (ceiling->info->group == group && !ceiling->missing) {
            y[count] = ceiling->value.median;
            low[count] = ceiling->value.low_quartile;
            high[count] = ceiling->value.high_quartile;
            names[count++] = ceiling->info->name;
        }
    }
    if (count == 0) {
        return;
    }
    figure->bars[group] =
        (struct vks_plot_series){.y = y, .low = low, .high = high, .count = count};
    figure->plots[figure->count++] = (struct vks_plot){
        .title = texts[group].title,
        .subtitle = figure->subtitle,
        .y = {.label = texts[group].label, .unit = texts[group].unit},
        .series = &figure->bars[group],
        .series_count = 1,
        .categories = names,
        .category_count = count,
    };
}

enum vks_result vks_ceilings_plot(const struct vks_ceilings *set,
                                  const struct vks_device_info *device, const char *path,
                                  bool overwrite)
{
    struct figure figure = {.count = 0};
    size_t numbers = 3 * VKS_CEILING_GROUPS * set->count;
    for (size_t i = 0; i < set->count; i++) {
        numbers += 4 * set->items[i].point_count;
    }
    figure.lines = calloc(set->count + 1, sizeof(*figure.lines));
    figure.numbers = calloc(numbers + 1, sizeof(*figure.numbers));
    figure.names = calloc(VKS_CEILING_GROUPS * set->count + 1, sizeof(*figure.names));
    enum vks_result result =
        figure.lines && figure.numbers && figure.names ? VKS_OK : vks_fail_memory();
    if (result == VKS_OK) {
        snprintf(figure.subtitle, sizeof(figure.subtitle), "%s (%s)", device->name, device->driver);
        add_sizes(&figure, set);
        for (unsigned group = 0; group < VKS_CEILING_GROUPS; group++) {
            add_group(&figure, set, (enum vks_ceiling_group)group);
        }
        result = vks_plot_write(path, overwrite, figure.plots, figure.count);
    }
    free(figure.lines);
    free(figure.numbers);
    free((void *)figure.names);
    return result;
}
