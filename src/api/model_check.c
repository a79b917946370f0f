/* SPDX-License-Identifier: MIT */
#include "api/model_check.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "sim/registry.h"
#include "api/condition.h"

/* Names are typed after dashes and before '=': small letters, digits and dashes. */
static bool is_name(const char *name)
{
    return name[0] && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
}

/* Bytes of an option's value in the settings structure; 0 for an unknown type. */
static size_t value_bytes(enum vks_option_type type)
{
    switch (type) {
    case VKS_OPTION_FLAG:
        return sizeof(bool);
    case VKS_OPTION_COUNT:
        return sizeof(uint64_t);
    case VKS_OPTION_REAL:
        return sizeof(double);
    case VKS_OPTION_CHOICE:
        return sizeof(uint32_t);
    case VKS_OPTION_TEXT:
        return sizeof(char *);
    case VKS_OPTION_SIZE:
        return sizeof(struct vks_size);
    }
    return 0;
}

/* A part of the settings structure. */
struct span {
    size_t offset, bytes;
};

static struct span value_span(const struct vks_option *option)
{
    return (struct span){option->offset, value_bytes(option->type)};
}

/* Empty if the option cannot be a list. */
static struct span list_span(const struct vks_option *option)
{
    return option->flags & VKS_OPTION_LIST ? (struct span){option->list, sizeof(struct vks_list)}
                                           : (struct span){0, 0};
}

static bool is_outside(struct span span, size_t size)
{
    return span.offset > size || span.bytes > size - span.offset;
}

static bool overlap(struct span a, struct span b)
{
    return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

/* True if values of the two share a byte of the structure. */
static bool share_bytes(const struct vks_option *a, const struct vks_option *b)
{
    return overlap(value_span(a), value_span(b)) || overlap(value_span(a), list_span(b)) ||
           overlap(list_span(a), value_span(b)) || overlap(list_span(a), list_span(b));
}

/* What is wrong with an option, as the end of a sentence about it; NULL: nothing. */
static const char *wrong_with_option(const struct vks_model *model, const struct vks_option *option,
                                     struct vks_option_table taken)
{
    const bool ranged = option->type == VKS_OPTION_COUNT || option->type == VKS_OPTION_REAL ||
                        option->type == VKS_OPTION_SIZE;
    if (!is_name(option->name)) {
        return "has a .name with characters other than a-z, 0-9 and -";
    }
    if (value_bytes(option->type) == 0) {
        return "has a .type that is not an enum vks_option_type";
    }
    if (is_outside(value_span(option), model->settings_size) ||
        is_outside(list_span(option), model->settings_size)) {
        return "lies outside .settings_size: it must be the size of the structure that .offset "
               "points into";
    }
    if (option->type != VKS_OPTION_REAL && (option->flags & VKS_OPTION_LIST)) {
        return "has VKS_OPTION_LIST, which needs the type VKS_OPTION_REAL";
    }
    if (overlap(value_span(option), list_span(option))) {
        return "has VKS_OPTION_LIST and a .list that overlaps its value";
    }
    if (option->type != VKS_OPTION_TEXT &&
        (option->flags & (VKS_OPTION_SECRET | VKS_OPTION_LINE))) {
        return "has VKS_OPTION_SECRET or VKS_OPTION_LINE, which need the type VKS_OPTION_TEXT";
    }
    if (!option->help) {
        return "has no .help";
    }
    if (vks_option_find(model->options, option->name) != option) {
        return "is declared twice";
    }
    if (vks_option_find(vks_common_options, option->name)) {
        return "has the name of an option that every simulation has";
    }
    if (vks_option_find(taken, option->name)) {
        return "has the name of an option that the program has";
    }
    if (ranged && !(option->min < option->max)) {
        return "takes no value: .min must be under .max";
    }
    if (!ranged && (option->soft_min != 0 || option->soft_max != 0 || option->logarithmic)) {
        return "has .soft_min, .soft_max or .logarithmic, but is not a count or a real";
    }
    double low, high;
    vks_option_soft_range(option, &low, &high);
    if (ranged && !(low < high && low >= option->min && high <= option->max)) {
        return "needs .soft_min under .soft_max, and both inside .min to .max";
    }
    if (option->logarithmic && low <= 0) {
        return "is .logarithmic, which needs .soft_min over 0";
    }
    if (option->type == VKS_OPTION_CHOICE && (!option->choices || !option->choices[0])) {
        return "has no .choices";
    }
    if (option->type == VKS_OPTION_REAL && !option->default_text && !option->same_as) {
        return "has no .default_text: the value when it is not given";
    }
    if (option->type == VKS_OPTION_COUNT && !option->default_text && option->min > 0) {
        return "has no .default_text, and without one it is 0, which is under .min";
    }
    if (!vks_conditions_resolve(model, option, &(struct vks_conditions){0})) {
        return "has a .needs or .unless with an unknown option, or with a value that the option "
               "does not have";
    }
    if (option->same_as) {
        const struct vks_option *other = vks_option_find(model->options, option->same_as);
        if (option->type != VKS_OPTION_REAL || !other || other->type != VKS_OPTION_REAL ||
            other == option) {
            return "has a .same_as that is not another option of type VKS_OPTION_REAL, or is not "
                   "of that type itself";
        }
        if ((other->flags & VKS_OPTION_LIST) && !(option->flags & VKS_OPTION_LIST)) {
            return "has a .same_as with VKS_OPTION_LIST, which it lacks itself";
        }
    }
    return NULL;
}

static enum vks_result check_options(const struct vks_model *model, struct vks_option_table taken)
{
    const struct vks_option_table table = model->options;
    if (table.count > 0 && !table.options) {
        return vks_fail(VKS_ERROR_INTERNAL, "simulation '%s': .options has a count but no table",
                        model->name);
    }
    for (size_t i = 0; i < table.count; i++) {
        if (!table.options[i].name) {
            return vks_fail(VKS_ERROR_INTERNAL, "simulation '%s': option %zu has no .name",
                            model->name, i + 1);
        }
    }
    for (size_t i = 0; i < table.count; i++) {
        const char *wrong = wrong_with_option(model, &table.options[i], taken);
        if (wrong) {
            return vks_fail(VKS_ERROR_INTERNAL, "simulation '%s': option '%s' %s", model->name,
                            table.options[i].name, wrong);
        }
        for (size_t j = 0; j < i; j++) {
            if (share_bytes(&table.options[i], &table.options[j])) {
                return vks_fail(VKS_ERROR_INTERNAL,
                                "simulation '%s': the options '%s' and '%s' have the same .offset "
                                "or .list, or values of a .type that the structure's members do "
                                "not have",
                                model->name, table.options[j].name, table.options[i].name);
            }
        }
    }
    return VKS_OK;
}

static enum vks_result check_shape_options(const struct vks_model *model)
{
    for (const struct vks_shape_option *row = model->shape_options; row && row->option; row++) {
        const struct vks_option *option = vks_option_find(model->options, row->option);
        bool found = option && option->type == VKS_OPTION_TEXT && row->choice && row->instead_of;
        for (size_t i = 0;
             option && option->type == VKS_OPTION_CHOICE && row->choice && option->choices[i];
             i++) {
            found = found || strcmp(option->choices[i], row->choice) == 0;
        }
        if (!found || !row->fields[0]) {
            return vks_fail(VKS_ERROR_INTERNAL,
                            "simulation '%s': .shape_options has '%s' without one of its choices, "
                            "or without the fields of the choice",
                            model->name, row->option);
        }
    }
    return VKS_OK;
}

static enum vks_result check_axis_options(const struct vks_model *model)
{
    enum vks_result result = VKS_OK;
    for (const struct vks_axis_option *row = model->axis_options;
         result == VKS_OK && row && row->option; row++) {
        const struct vks_option *option = vks_option_find(model->options, row->option);
        if (!option || option->type != VKS_OPTION_COUNT || !row->field || row->rank < 1 ||
            row->rank > 3) {
            result = vks_fail(VKS_ERROR_INTERNAL,
                              "simulation '%s': .axis_options has '%s', which is not one of its "
                              "options of type VKS_OPTION_COUNT, or has no field of rank 1 to 3",
                              model->name, row->option);
        }
    }
    return result;
}

static enum vks_result check_variants(const struct vks_model *model)
{
    for (const struct vks_variant_row *row = model->variants; row && row->name; row++) {
        const struct vks_variant longest = vks_variant_of(row, row->max);
        const bool numbered = strchr(row->name, '#') != NULL;
        if (numbered != (row->max > 0) || row->min > row->max ||
            strlen(longest.name) + 1 >= sizeof(longest.name) || strcmp(row->name, "auto") == 0) {
            return vks_fail(VKS_ERROR_INTERNAL,
                            "simulation '%s': the variant '%s' has a # without .max or .max "
                            "without a #, a name that is too long, or the name auto",
                            model->name, row->name);
        }
    }
    return model->candidates && !model->variants
               ? vks_fail(VKS_ERROR_INTERNAL, "simulation '%s': .candidates needs .variants",
                          model->name)
               : VKS_OK;
}

static enum vks_result check_chart(const struct vks_model *model)
{
    const struct vks_chart *chart = &model->chart;
    const char *const names[] = {chart->x, chart->y};
    for (size_t i = 0; i < VKS_COUNT(names) && (chart->x || chart->y); i++) {
        const struct vks_option *option =
            names[i] ? vks_option_find(model->options, names[i]) : NULL;
        if (!option || option->type != VKS_OPTION_REAL || !(chart->low[i] < chart->high[i]) ||
            chart->low[i] < option->min || chart->high[i] > option->max) {
            return vks_fail(VKS_ERROR_INTERNAL,
                            "simulation '%s': .chart has '%s', which is not one of its options of "
                            "type VKS_OPTION_REAL, or a part of the plane outside their ranges",
                            model->name, names[i] ? names[i] : "");
        }
    }
    if (chart->along && (!chart->edge || !(chart->along_low < chart->along_high))) {
        return vks_fail(VKS_ERROR_INTERNAL,
                        "simulation '%s': .chart.along needs .edge, and .along_low below "
                        ".along_high",
                        model->name);
    }
    return VKS_OK;
}

static enum vks_result check_presets(const struct vks_model *model)
{
    const struct vks_preset *presets = vks_model_presets(model);
    if (!presets[0].name || strcmp(presets[0].name, "default") != 0) {
        return vks_fail(VKS_ERROR_INTERNAL,
                        "simulation '%s': the first of .presets must be named \"default\"",
                        model->name);
    }
    for (size_t i = 0; presets[i].name; i++) {
        if (!presets[i].summary) {
            return vks_fail(VKS_ERROR_INTERNAL, "simulation '%s': preset '%s' has no .summary",
                            model->name, presets[i].name);
        }
    }
    return VKS_OK;
}

/* What is wrong with a view, as the end of a sentence about it; NULL: nothing. */
static const char *wrong_with_view(const struct vks_model *model, const struct vks_view *view)
{
    if (!is_name(view->name)) {
        return "has a .name with characters other than a-z, 0-9 and -";
    }
    if (vks_view_find(model, view->name) != view) {
        return "is there twice";
    }
    const bool has_points = view->points[1] && view->points[2];
    if (!view->field && !has_points) {
        return "has no .field: the name of the field that it shows";
    }
    if (view->field && (has_points || view->points[0])) {
        return "has both a .field and .points";
    }
    if (has_points && !view->points[0] && model->volumes) {
        return "has .points without a field for z, which a simulation of volumes needs";
    }
    if (has_points && view->fallback) {
        return "has a .fallback, which goes only with a .field";
    }
    if (view->tint[0] && (!has_points || !view->tint[1] != !view->tint[2])) {
        return "has a .tint, which is one field or three, and goes only with .points";
    }
    if (view->field && view->fallback && strcmp(view->fallback, view->field) == 0) {
        return "has its own .field as .fallback";
    }
    return view->help ? NULL : "has no .help";
}

static enum vks_result check_views(const struct vks_model *model)
{
    size_t count = 0;
    while (model->views[count].name && count <= VKS_MAX_VIEWS) {
        count++;
    }
    if (count > VKS_MAX_VIEWS) {
        return vks_fail(VKS_ERROR_INTERNAL, "simulation '%s': .views has more than %d rows",
                        model->name, VKS_MAX_VIEWS);
    }
    const struct vks_vector *vector = model->vectors;
    size_t vectors = 0;
    while (vector && vector[vectors].name && vectors <= VKS_MAX_EXPORTS) {
        vectors++;
    }
    if (count + vectors > VKS_MAX_EXPORTS) {
        return vks_fail(VKS_ERROR_INTERNAL,
                        "simulation '%s': .views and .vectors have more than %d rows", model->name,
                        VKS_MAX_EXPORTS);
    }
    for (size_t i = 0; i < count; i++) {
        const char *wrong = wrong_with_view(model, &model->views[i]);
        if (wrong) {
            return vks_fail(VKS_ERROR_INTERNAL, "simulation '%s': view '%s' %s", model->name,
                            model->views[i].name, wrong);
        }
    }
    return VKS_OK;
}

/* What is wrong with a brush, as the end of a sentence about it; NULL: nothing. */
static const char *wrong_with_brush(const struct vks_model *model, const struct vks_brush *brush)
{
    const struct vks_option row = {.needs = brush->needs};
    const struct vks_brush *first = model->brushes;
    if (!is_name(brush->name)) {
        return "has a .name with characters other than a-z, 0-9 and -";
    }
    while (strcmp(first->name, brush->name) != 0) {
        first++;
    }
    if (first != brush) {
        return "is declared twice";
    }
    if (!brush->help || !brush->inverse) {
        return "has no .help or .inverse";
    }
    if (!vks_conditions_resolve(model, &row, &(struct vks_conditions){0})) {
        return "has a .needs with an unknown option, or with a value that the option does not have";
    }
    for (const struct vks_brush_effect *effect = brush->effects; effect->field; effect++) {
        const struct vks_option *times =
            effect->times ? vks_option_find(model->options, effect->times) : NULL;
        if (effect->times && (!times || times->type != VKS_OPTION_REAL)) {
            return "has an effect with .times that is not an option of type VKS_OPTION_REAL";
        }
        if (!(effect->min < effect->max)) {
            return "has an effect without a .max over its .min";
        }
        if (effect->value > VKS_STROKE_VALUES ||
            (effect->value > 0 && !brush->values[effect->value - 1].option)) {
            return "has an effect with a .value that its strokes do not carry";
        }
    }
    for (size_t i = 0; i < VKS_STROKE_VALUES && brush->values[i].option; i++) {
        const struct vks_option *option = vks_option_find(model->options, brush->values[i].option);
        if (!option || option->type != VKS_OPTION_REAL || !(brush->values[i].max > 0)) {
            return "has a value that is not of an option of type VKS_OPTION_REAL, or without a "
                   ".max over 0";
        }
    }
    return brush->effects[0].field || brush->declare ? NULL : "has neither .effects nor .declare";
}

static enum vks_result check_brushes(const struct vks_model *model)
{
    const struct vks_option closed = {.needs = model->closed};
    if (!vks_conditions_resolve(model, &closed, &(struct vks_conditions){0})) {
        return vks_fail(VKS_ERROR_INTERNAL,
                        "simulation '%s': .closed is not an option, or not with such a value",
                        model->name);
    }
    for (size_t i = 0; model->brushes && model->brushes[i].name; i++) {
        const char *wrong = i < VKS_MAX_BRUSHES ? wrong_with_brush(model, &model->brushes[i])
                                                : "is one too many: see VKS_MAX_BRUSHES";
        if (wrong) {
            return vks_fail(VKS_ERROR_INTERNAL, "simulation '%s': the brush '%s' %s", model->name,
                            model->brushes[i].name, wrong);
        }
    }
    return VKS_OK;
}

/* What is wrong with an input, as the end of a sentence about it; NULL: nothing. */
static const char *wrong_with_input(const struct vks_model *model, const struct vks_input *input)
{
    const struct vks_option *times =
        input->times ? vks_option_find(model->options, input->times) : NULL;
    if (!input->field || !input->options || !input->help) {
        return "has no .field, .options or .help";
    }
    if (!(input->min < input->max)) {
        return "needs .min under .max";
    }
    for (const char *at = input->options; *at;) {
        char name[64];
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, "= "), at);
        if (!vks_option_find(model->options, name)) {
            return "has .options with one that is not the simulation's";
        }
        at += strcspn(at, " ");
        at += *at == ' ';
    }
    return !input->times || (times && times->type == VKS_OPTION_REAL)
               ? NULL
               : "has .times that is not an option of type VKS_OPTION_REAL";
}

static enum vks_result check_inputs(const struct vks_model *model)
{
    enum vks_result result = VKS_OK;
    for (const struct vks_input *input = model->inputs; input && input->name && result == VKS_OK;
         input++) {
        const char *wrong = wrong_with_input(model, input);
        if (wrong) {
            result = vks_fail(VKS_ERROR_INTERNAL, "simulation '%s': the input '%s' %s", model->name,
                              input->name, wrong);
        }
    }
    return result;
}

enum vks_result vks_model_check(const struct vks_model *model, struct vks_option_table taken)
{
    if (!model->name) {
        return vks_fail(VKS_ERROR_INTERNAL,
                        "a simulation has no .name, by which the command line knows it");
    }
    /* In the order in which struct vks_model has them. */
    const struct vks_option *counted =
        model->count_option ? vks_option_find(model->options, model->count_option) : NULL;
    const struct vks_option *density =
        model->density_option ? vks_option_find(model->options, model->density_option) : NULL;
    const struct vks_option *reverse =
        model->reverse_option ? vks_option_find(model->options, model->reverse_option) : NULL;
    const struct vks_model_time *time = &model->time;
    const struct vks_option *end =
        time->end_option ? vks_option_find(model->options, time->end_option) : NULL;
    const struct {
        bool wrong;
        const char *words;
    } rules[] = {
        {!is_name(model->name), ".name has other characters than a-z, 0-9 and -"},
        {!model->summary, ".summary is missing: one line about it for --list"},
        {!vks_model_starts(model)[0], ".starts is empty; leave it out if there is only one"},
        {!model->views || !model->views[0].name,
         ".views is missing: the fields that pictures can show"},
        {model->count_option && !counted, ".count_option is not one of its options"},
        {counted && counted->type != VKS_OPTION_COUNT,
         ".count_option is an option of another type than VKS_OPTION_COUNT"},
        {model->density_option && (!counted || counted->min > 0),
         ".density_option needs a .count_option that may be 0"},
        {model->density_option && (!density || density->type != VKS_OPTION_REAL),
         ".density_option is not one of its options of type VKS_OPTION_REAL"},
        {!model->reverse_option != !model->reverse_field,
         ".reverse_option and .reverse_field go together"},
        {model->reverse_option && (!reverse || reverse->type != VKS_OPTION_FLAG),
         ".reverse_option is not one of its options of type VKS_OPTION_FLAG"},
        {time->end_option &&
             (!time->end_field || !time->field || !time->scalar || !time->dt_scalar),
         ".time lacks some of its members"},
        {time->end_option && (!end || end->type != VKS_OPTION_REAL || end->min != 0),
         ".time.end_option is not one of its options of type VKS_OPTION_REAL from 0 on"},
        {model->needs_image && !model->starts_from_image, ".needs_image needs .starts_from_image"},
        {!model->declare, ".declare is missing: the function that declares fields and passes"},
    };
    enum vks_result result = check_options(model, taken);
    for (size_t i = 0; result == VKS_OK && i < VKS_COUNT(rules); i++) {
        if (rules[i].wrong) {
            result =
                vks_fail(VKS_ERROR_INTERNAL, "simulation '%s': %s", model->name, rules[i].words);
        }
    }
    if (result == VKS_OK) {
        result = check_views(model);
    }
    if (result == VKS_OK) {
        result = check_shape_options(model);
    }
    if (result == VKS_OK) {
        result = check_axis_options(model);
    }
    if (result == VKS_OK) {
        result = check_variants(model);
    }
    if (result == VKS_OK) {
        result = check_brushes(model);
    }
    if (result == VKS_OK) {
        result = check_chart(model);
    }
    if (result == VKS_OK) {
        result = check_inputs(model);
    }
    return result == VKS_OK ? check_presets(model) : result;
}

static bool takes_value(const struct vks_option *option)
{
    return option->type != VKS_OPTION_FLAG && !option->implied;
}

/* The options of a model against those of the models before it. */
static enum vks_result check_values(size_t index)
{
    const struct vks_option_table own = vks_model_at(index)->options;
    for (size_t m = 0; m < index; m++) {
        for (size_t i = 0; i < own.count; i++) {
            const struct vks_option *option = &own.options[i];
            const struct vks_option *other =
                vks_option_find(vks_model_at(m)->options, option->name);
            if (other && takes_value(other) != takes_value(option)) {
                return vks_fail(VKS_ERROR_INTERNAL,
                                "simulation '%s': .options has '%s', which takes a value in one of "
                                "it and '%s' only",
                                vks_model_at(index)->name, option->name, vks_model_at(m)->name);
            }
        }
    }
    return VKS_OK;
}

enum vks_result vks_models_check(struct vks_option_table taken)
{
    enum vks_result result = VKS_OK;
    for (size_t i = 0; result == VKS_OK && vks_model_at(i); i++) {
        result = vks_model_check(vks_model_at(i), taken);
    }
    for (size_t i = 0; result == VKS_OK && vks_model_at(i); i++) {
        result = check_values(i);
        if (result == VKS_OK && vks_model_find(vks_model_at(i)->name) != vks_model_at(i)) {
            result =
                vks_fail(VKS_ERROR_INTERNAL, "src/sim/registry.def has two simulations named '%s'",
                         vks_model_at(i)->name);
        }
    }
    return result;
}
