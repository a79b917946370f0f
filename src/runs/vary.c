/* SPDX-License-Identifier: MIT */
#include "runs/vary.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "runs/presets.h"
#include "sim/registry.h"
#include "view/colormap.h"

static const char preset[] = "preset";

bool vks_axis_is_preset(const struct vks_axis *axis)
{
    return axis->count > 0 && strcmp(axis->option, preset) == 0;
}

/* --- values ---------------------------------------------------------------------------------- */

static enum vks_result add_value(struct vks_axis *axis, const char *text, size_t length,
                                 const char *given, const char *flag)
{
    if (length == 0) {
        return vks_fail(VKS_ERROR_USAGE, "%s '%s' has an empty value", flag, given);
    }
    if (axis->count == axis->max) {
        return vks_fail(VKS_ERROR_USAGE, "%s '%.40s...' has more than %zu values", flag, given,
                        axis->max);
    }
    char **values = vks_grow(axis->values, sizeof(*values), axis->count, &axis->capacity);
    if (!values) {
        return vks_fail_memory();
    }
    axis->values = values;
    axis->values[axis->count] = vks_format("%.*s", (int)length, text);
    return axis->values[axis->count++] ? VKS_OK : vks_fail_memory();
}

static enum vks_result add_list(struct vks_axis *axis, const char *list, const char *given,
                                const char *flag)
{
    /* With semicolons, values may contain commas. */
    const char *const mark = strchr(list, ';') ? ";" : ",";
    enum vks_result result = VKS_OK;
    for (const char *at = list; at && result == VKS_OK;) {
        const size_t length = strcspn(at, mark);
        result = add_value(axis, at, length, given, flag);
        at = at[length] ? at + length + 1 : NULL;
    }
    return result;
}

/* Name `index` of an option with named values (NULL is the preset): presets, initial conditions,
 * views, choices, colour maps. NULL past the last. */
static const char *name_at(const struct vks_settings *settings, const struct vks_option *option,
                           size_t index)
{
    if (!option) {
        return vks_model_presets(settings->model)[index].name;
    }
    if (option == VKS_COMMON_ROW(look.view)) {
        return settings->model->views[index].name;
    }
    const char *const *names = option == VKS_COMMON_ROW(init) ? vks_model_starts(settings->model)
                               : option == VKS_COMMON_ROW(look.colormap) ? vks_colormap_names
                                                                         : option->choices;
    return names ? names[index] : NULL;
}

static enum vks_result add_all(struct vks_axis *axis, const struct vks_settings *settings,
                               const struct vks_option *option, const char *given, const char *flag)
{
    enum vks_result result = VKS_OK;
    const char *name = name_at(settings, option, 0);
    if (!name) {
        return vks_fail(VKS_ERROR_USAGE, "%s '%s': --%s has no list of names, which 'all' needs",
                        flag, given, axis->option);
    }
    for (size_t i = 0; name && result == VKS_OK; i++) {
        result = add_value(axis, name, strlen(name), given, flag);
        name = name_at(settings, option, i + 1);
    }
    return result;
}

/* --- ranges ---------------------------------------------------------------------------------- */

struct range {
    double low, high;
    size_t count; /* of LOW..HIGH/N; 0: not given */
};

/* One end of a range, `length` characters of `text`. */
static bool parse_end(const char *text, size_t length, double *value)
{
    /* A copy, because strtod() would read the first dot: "1..2" begins with the number "1.". */
    char copy[64];
    const char *end;
    if (length == 0 || length >= sizeof(copy)) {
        return false;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    *value = vks_parse_real(copy, &end);
    return end != copy && *end == '\0' && isfinite(*value);
}

/* True if the text is LOW..HIGH, or an attempt at it for an option of numbers. */
static bool is_range(const char *text, bool numeric)
{
    const char *dots = strstr(text, "..");
    double value;
    if (!dots || strpbrk(text, ",;")) {
        return false;
    }
    return numeric || (parse_end(text, (size_t)(dots - text), &value) &&
                       parse_end(dots + 2, strlen(dots + 2), &value));
}

/* The numbers around "..", for an option of numbers. */
static enum vks_result parse_range(const struct vks_option *option, const char *text,
                                   const char *given, const char *flag, struct range *range)
{
    const char *dots = strstr(text, ".."), *end;
    double *const ends[] = {&range->low, &range->high};
    const char *const begins[] = {text, dots + 2};
    const size_t lengths[] = {(size_t)(dots - text), strcspn(dots + 2, "/")};
    const char *unit = option->unit ? option->unit : "";
    const char *count = dots[2 + lengths[1]] ? dots + 2 + lengths[1] + 1 : NULL;
    if (count) {
        const double number = vks_parse_real(count, &end);
        if (end == count || *end || number != floor(number) || number < 1 || number > 1e9) {
            return vks_fail(VKS_ERROR_USAGE,
                            "%s '%s': a range is LOW..HIGH/N with N values, and '%.40s' is not a "
                            "number of values",
                            flag, given, count);
        }
        range->count = (size_t)number;
    }
    for (size_t i = 0; i < VKS_COUNT(ends); i++) {
        const int shown = lengths[i] < 64 ? (int)lengths[i] : 64;
        if (lengths[i] == 0) {
            return vks_fail(VKS_ERROR_USAGE,
                            "%s '%s': a range is LOW..HIGH, and the %s number is missing", flag,
                            given, i == 0 ? "first" : "second");
        }
        if (!parse_end(begins[i], lengths[i], ends[i])) {
            return vks_fail(VKS_ERROR_USAGE,
                            "%s '%s': a range is LOW..HIGH, and '%.*s' is not a number", flag,
                            given, shown, begins[i]);
        }
        if (option->type == VKS_OPTION_COUNT && *ends[i] != floor(*ends[i])) {
            return vks_fail(VKS_ERROR_USAGE, "%s '%s': %s takes whole numbers, and %.*s is not one",
                            flag, given, option->name, shown, begins[i]);
        }
        if (*ends[i] < option->min || *ends[i] > option->max) {
            return vks_fail(VKS_ERROR_USAGE, "%s '%s': %s must be from %g to %g%s%s, not %.*s",
                            flag, given, option->name, option->min, option->max, unit[0] ? " " : "",
                            unit, shown, begins[i]);
        }
    }
    return VKS_OK;
}

/* `value` rounded to few digits: two more than the first digit of `step`. */
static double few_digits(double value, double step)
{
    double unit = 1;
    while (step < 100 * unit && unit > 1e-12) {
        unit /= 10;
    }
    /* By the inverse, which is a whole number: 0.3 is 3 / 10, not 3 x 0.1. */
    return unit < 1 ? round(value * round(1 / unit)) / round(1 / unit) : round(value);
}

/* Without a number of values, a range of whole numbers has all of them. */
static enum vks_result add_range(struct vks_axis *axis, const struct vks_option *option,
                                 struct range range, size_t cells, const char *given,
                                 const char *flag)
{
    const double low = range.low, high = range.high;
    const double steps = option->flags & VKS_OPTION_ODD ? 2 : 1;
    const double all = floor(fabs(high - low) / steps) + 1;
    const bool whole = option->type == VKS_OPTION_COUNT;
    enum vks_result result = VKS_OK;
    const size_t count = range.count ? range.count
                         : cells     ? cells
                         : whole     ? (size_t)fmin(all, (double)axis->max + 1)
                                     : 0;
    if (count == 0) {
        return vks_fail(VKS_ERROR_USAGE,
                        "%s '%s' is a range; add the number of values, as in LOW..HIGH/N", flag,
                        given);
    }
    if (whole && all < (double)count) {
        return vks_fail(VKS_ERROR_USAGE, "%s '%s' has %.0f %s numbers, too few for %zu values",
                        flag, given, all, steps > 1 ? "odd" : "whole", count);
    }
    const double step = count > 1 ? (high - low) / (double)(count - 1) : 0;
    for (size_t i = 0; i < count && result == VKS_OK; i++) {
        char text[64];
        double value = low + step * (double)i;
        value = i + 1 == count && i > 0 ? high : value;
        if (whole) {
            value = option->flags & VKS_OPTION_ODD ? 2 * floor(value / 2) + 1 : round(value);
            snprintf(text, sizeof(text), "%.0f", value);
        } else {
            const bool end = i == 0 || i + 1 == count;
            vks_format_real(end ? value : few_digits(value, fabs(step)), text, sizeof(text));
        }
        result = add_value(axis, text, strlen(text), given, flag);
    }
    return result;
}

/* --- an axis --------------------------------------------------------------------------------- */

/* The kind of values that the option takes, in words; NULL is the preset. */
static const char *kind_of(const struct vks_option *option)
{
    if (!option || option->choices || option == VKS_COMMON_ROW(init) ||
        option == VKS_COMMON_ROW(look.view)) {
        return "names";
    }
    switch (option->type) {
    case VKS_OPTION_FLAG:
        return "true or false";
    case VKS_OPTION_COUNT:
        return "whole numbers";
    case VKS_OPTION_REAL:
        return "numbers";
    case VKS_OPTION_SIZE:
        return "sizes such as 640x480";
    case VKS_OPTION_CHOICE:
    case VKS_OPTION_TEXT:
        break;
    }
    return "texts or files";
}

/* Values of flags and numbers must have that type. Their range is checked with the cells. */
static enum vks_result check_types(const struct vks_axis *axis, const struct vks_option *option,
                                   const char *given, const char *flag)
{
    for (size_t i = 0; option && i < axis->count; i++) {
        const char *value = axis->values[i], *end;
        const bool is_flag = strcmp(value, "true") == 0 || strcmp(value, "false") == 0;
        const bool follows = option->same_as && strcmp(value, option->same_as) == 0;
        (void)vks_parse_real(value, &end);
        const bool is_number = follows || end != value;
        const bool good = option->type == VKS_OPTION_FLAG ? is_flag
                          : option->type == VKS_OPTION_COUNT || option->type == VKS_OPTION_REAL
                              ? is_number
                              : true;
        if (!good) {
            return vks_fail(VKS_ERROR_USAGE, "%s '%s': %s takes %s, and '%s' is %s", flag, given,
                            option->name, kind_of(option), value,
                            option->type == VKS_OPTION_FLAG ? "neither" : "not a number");
        }
    }
    return VKS_OK;
}

enum vks_result vks_axis_parse(struct vks_axis *axis, struct vks_settings *settings,
                               const char *text, size_t cells, size_t max, const char *flag)
{
    const char *equals = strchr(text, '=');
    *axis = (struct vks_axis){.max = max};
    if (!equals || equals == text) {
        return vks_fail(VKS_ERROR_USAGE, "%s '%s' is not OPTION=VALUE,VALUE...", flag, text);
    }
    axis->option = vks_format("%.*s", (int)(equals - text), text);
    if (!axis->option) {
        return vks_fail_memory();
    }
    void *structure;
    const struct vks_option *option = vks_settings_option(settings, axis->option, &structure);
    if (!option && strcmp(axis->option, preset) != 0) {
        const struct vks_option of_preset = {.name = preset};
        const struct vks_option_table tables[] = {
            settings->model->options, vks_common_options, {&of_preset, 1}};
        const char *near = vks_option_nearest(tables, VKS_COUNT(tables), axis->option);
        char owners[256];
        if (vks_option_replaced(axis->option)) {
            return vks_fail(
                VKS_ERROR_USAGE, "%s '%s': '%s' was replaced by '%s'; see vksim %s --help all",
                flag, text, axis->option, vks_option_replaced(axis->option), settings->model->name);
        }
        if (vks_option_owners(axis->option, owners, sizeof(owners))[0]) {
            return vks_fail(VKS_ERROR_USAGE, "%s '%s': %s has no option '%s', which belongs to %s",
                            flag, text, settings->model->name, axis->option, owners);
        }
        return vks_fail(VKS_ERROR_USAGE,
                        "%s '%s': only preset and the options of %s and its look can vary, and "
                        "'%s' is none of them%s%s%s",
                        flag, text, settings->model->name, axis->option,
                        near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    }
    if (option && (option->flags & VKS_OPTION_SECRET)) {
        return vks_fail(VKS_ERROR_USAGE, "%s: %s cannot vary, because labels would show its values",
                        flag, option->name);
    }
    struct range range = {0};
    const bool numeric =
        option && (option->type == VKS_OPTION_REAL || option->type == VKS_OPTION_COUNT);
    if (strcmp(equals + 1, "all") == 0) {
        return add_all(axis, settings, option, text, flag);
    }
    if (numeric && is_range(equals + 1, true)) {
        const enum vks_result result = parse_range(option, equals + 1, text, flag, &range);
        return result == VKS_OK ? add_range(axis, option, range, cells, text, flag) : result;
    }
    if (!numeric && is_range(equals + 1, false)) {
        return vks_fail(VKS_ERROR_USAGE,
                        "%s '%s': a range is for numbers, and %s takes %s; list the values instead",
                        flag, text, axis->option, kind_of(option));
    }
    const enum vks_result result = add_list(axis, equals + 1, text, flag);
    return result == VKS_OK ? check_types(axis, option, text, flag) : result;
}

/* Default number of columns: the grid is at least as wide as high and at most twice as wide,
 * without blank cells if possible. */
static uint32_t choose_columns(size_t count)
{
    const uint32_t root = (uint32_t)ceil(sqrt((double)count));
    for (uint32_t columns = root; columns * columns <= 2 * count; columns++) {
        if (count % columns == 0) {
            return columns;
        }
    }
    return count <= 3 ? (uint32_t)count : root;
}

static enum vks_result shape(struct vks_vary *vary, struct vks_size grid, const char *across_flag,
                             const char *down_flag)
{
    const size_t across = vary->across.count, down = vary->down.count;
    const size_t cells = (size_t)grid.width * grid.height;
    vary->count = down ? across * down : across;
    if (vary->count > VKS_MAX_CELLS) {
        return vks_fail(VKS_ERROR_USAGE, "%s and %s make %zu cells; at most %d are possible",
                        across_flag, down_flag, vary->count, VKS_MAX_CELLS);
    }
    if (!grid.width) {
        vary->columns = down ? (uint32_t)across : choose_columns(vary->count);
        vary->rows = (uint32_t)((vary->count + vary->columns - 1) / vary->columns);
        return VKS_OK;
    }
    vary->columns = grid.width;
    vary->rows = grid.height;
    if (down && (across != grid.width || down != grid.height)) {
        return vks_fail(VKS_ERROR_USAGE,
                        "--grid %ux%u does not fit: %s has %zu values for the columns, "
                        "%s %zu for the rows",
                        grid.width, grid.height, across_flag, across, down_flag, down);
    }
    if (!down && across != cells) {
        return vks_fail(VKS_ERROR_USAGE, "--grid %ux%u has %zu cell%s, and %s %s has %zu value%s",
                        grid.width, grid.height, cells, cells == 1 ? "" : "s", across_flag,
                        vary->across.option, across, across == 1 ? "" : "s");
    }
    return VKS_OK;
}

enum vks_result vks_vary_parse(struct vks_vary *vary, struct vks_settings *settings,
                               struct vks_size grid, const char *across, const char *down)
{
    return vks_vary_parse_flags(vary, settings, grid, "--vary", across, "--vary-rows", down);
}

enum vks_result vks_vary_parse_flags(struct vks_vary *vary, struct vks_settings *settings,
                                     struct vks_size grid, const char *across_flag,
                                     const char *across, const char *down_flag, const char *down)
{
    const size_t cells = (size_t)grid.width * grid.height;
    *vary = (struct vks_vary){0};
    if (!across) {
        if (!down && !grid.width) {
            return VKS_OK;
        }
        return vks_fail(VKS_ERROR_USAGE, "%s needs %s OPTION=VALUE,VALUE... as well",
                        down ? down_flag : "--grid", across_flag);
    }
    if (cells > VKS_MAX_CELLS) {
        return vks_fail(VKS_ERROR_USAGE, "--grid %ux%u has %zu cells; at most %d are possible",
                        grid.width, grid.height, cells, VKS_MAX_CELLS);
    }
    enum vks_result result = vks_axis_parse(&vary->across, settings, across,
                                            down ? grid.width : cells, VKS_MAX_CELLS, across_flag);
    if (result == VKS_OK && down) {
        result = vks_axis_parse(&vary->down, settings, down, grid.height, VKS_MAX_CELLS, down_flag);
        if (result == VKS_OK && strcmp(vary->across.option, vary->down.option) == 0) {
            result = vks_fail(VKS_ERROR_USAGE, "%s and %s both vary '%s'", across_flag, down_flag,
                              vary->down.option);
        }
    }
    return result == VKS_OK ? shape(vary, grid, across_flag, down_flag) : result;
}

void vks_axis_free(struct vks_axis *axis)
{
    for (size_t i = 0; i < axis->count; i++) {
        free(axis->values[i]);
    }
    free(axis->values);
    free(axis->option);
    *axis = (struct vks_axis){0};
}

void vks_vary_free(struct vks_vary *vary)
{
    vks_axis_free(&vary->across);
    vks_axis_free(&vary->down);
    *vary = (struct vks_vary){0};
}

const char *vks_vary_value(const struct vks_vary *vary, const struct vks_axis *axis, size_t cell)
{
    if (axis->count == 0) {
        return NULL;
    }
    if (vary->down.count == 0) {
        return axis->values[cell];
    }
    return axis->values[axis == &vary->down ? cell / vary->columns : cell % vary->columns];
}

/* --- settings -------------------------------------------------------------------------------- */

static enum vks_result make_cell(const struct vks_vary *vary, size_t index,
                                 const struct vks_settings *base,
                                 enum vks_result (*win)(void *user, struct vks_settings *cell),
                                 void *user, struct vks_settings *cell)
{
    const struct vks_axis *const axes[] = {&vary->across, &vary->down};
    enum vks_result result = vks_settings_copy(cell, base);
    for (size_t i = 0; i < VKS_COUNT(axes) && result == VKS_OK; i++) {
        if (vks_axis_is_preset(axes[i])) {
            result = vks_preset_apply(cell, vks_vary_value(vary, axes[i], index));
            result = result == VKS_OK ? win(user, cell) : result;
        }
    }
    for (size_t i = 0; i < VKS_COUNT(axes) && result == VKS_OK; i++) {
        const char *value = vks_vary_value(vary, axes[i], index);
        if (value && !vks_axis_is_preset(axes[i])) {
            result = vks_settings_set(cell, axes[i]->option, value);
        }
    }
    return result == VKS_OK ? vks_settings_finish(cell) : result;
}

enum vks_result vks_vary_cells(const struct vks_vary *vary, const struct vks_settings *base,
                               enum vks_result (*win)(void *user, struct vks_settings *cell),
                               void *user, struct vks_settings **cells)
{
    struct vks_settings *made = calloc(vary->count, sizeof(*made));
    enum vks_result result = made ? VKS_OK : vks_fail_memory();
    for (size_t i = 0; i < vary->count && result == VKS_OK; i++) {
        result = make_cell(vary, i, base, win, user, &made[i]);
    }
    for (size_t i = 0; made && result != VKS_OK && i < vary->count; i++) {
        vks_settings_free(&made[i]);
    }
    if (result != VKS_OK) {
        free(made);
        made = NULL;
    }
    *cells = made;
    return result;
}

/* --- captions -------------------------------------------------------------------------------- */

static void add_words(const struct vks_axis *axis, const char *value, struct vks_settings *settings,
                      struct vks_caption *caption)
{
    void *structure;
    const struct vks_option *option = vks_settings_option(settings, axis->option, &structure);
    const bool words = !option || option == VKS_COMMON_ROW(init) || /* they explain themselves */
                       option == VKS_COMMON_ROW(look.view) ||
                       option == VKS_COMMON_ROW(look.colormap);
    if (!words && option->type != VKS_OPTION_CHOICE) {
        char name[64];
        snprintf(name, sizeof(name), "%s", axis->option);
        for (char *c = name; *c; c++) {
            *c = *c == '-' ? ' ' : *c;
        }
        vks_caption_add(caption, name, true);
    }
    const char *slash = words ? strrchr(value, '/') : NULL; /* files without their folder */
    vks_caption_add(caption, slash && slash[1] ? slash + 1 : value, false);
}

void vks_vary_caption(const struct vks_vary *vary, struct vks_settings *settings, size_t cell,
                      struct vks_caption *caption)
{
    *caption = (struct vks_caption){0};
    const struct vks_axis *const axes[] = {&vary->across, &vary->down};
    for (size_t i = 0; i < VKS_COUNT(axes); i++) {
        const char *value = vks_vary_value(vary, axes[i], cell);
        if (value) {
            add_words(axes[i], value, settings, caption);
        }
    }
}
