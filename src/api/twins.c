/* SPDX-License-Identifier: MIT */
#include "api/twins.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "api/internal.h"
#include "base/error.h"
#include "base/exact.h"
#include "core/distance.h"
#include "graph/variant.h"

enum { UNIT_BITS = 20 }; /* of sums of floats: 2^-20 */

struct vks_twins {
    struct vks_graph *measure, *contract; /* each bound to both simulations' steps */
    size_t count, first;                  /* quantities; the first one's scalar in `measure` */
    size_t main;
};

/* --- settings -------------------------------------------------------------------------------- */

static bool is_item_metric(enum vks_distance distance)
{
    return distance == VKS_DISTANCE_PLACE || distance == VKS_DISTANCE_ANGLE;
}

static bool is_sum_metric(enum vks_distance distance)
{
    return distance == VKS_DISTANCE_SUM || distance == VKS_DISTANCE_MAIN;
}

/* The element that a metric is for; others are compared word by word, or not at all. */
static bool has_element(const struct vks_field *field)
{
    return field->distance == VKS_DISTANCE_PLACE   ? field->element == VKS_U32X2
           : field->distance == VKS_DISTANCE_ANGLE ? field->element == VKS_U32
           : is_sum_metric(field->distance)        ? field->element == VKS_F32
                                                   : true;
}

static enum vks_result check_fields(const struct vks_model *model,
                                    const struct vks_declaration *declaration)
{
    const char *items = NULL;
    size_t mains = 0;
    if (declaration->result != VKS_OK) {
        return declaration->result;
    }
    for (size_t i = 0; i < declaration->field_count; i++) {
        const struct vks_field *field = &declaration->fields[i];
        if (!field->persistent) {
            continue;
        }
        if (field->distance == VKS_DISTANCE_NONE) {
            return vks_fail(VKS_ERROR_USAGE,
                            "sensitivity cannot compare two runs of %s: no distance is defined for "
                            "its field '%s'",
                            model->name, field->name);
        }
        if (field->element == VKS_F16) {
            return vks_fail(VKS_ERROR_USAGE,
                            "sensitivity needs float32: the field '%s' is of float16, which "
                            "rounds small perturbations away",
                            field->name);
        }
        if (!has_element(field) || (is_item_metric(field->distance) && items &&
                                    strcmp(field->items ? field->items : "", items) != 0)) {
            return vks_fail(VKS_ERROR_INTERNAL, "the distance of the field '%s' is of another type",
                            field->name);
        }
        items = is_item_metric(field->distance) ? field->items : items;
        mains += field->distance == VKS_DISTANCE_MAIN;
    }
    return mains == 1 ? VKS_OK
                      : vks_fail(VKS_ERROR_INTERNAL, "%s has %zu main distances, not one",
                                 model->name, mains);
}

enum vks_result vks_twins_check(const struct vks_settings *settings)
{
    struct vks_declaration declaration = {0};
    vks_declare_steps(settings, &declaration);
    const enum vks_result result = check_fields(settings->model, &declaration);
    vks_declaration_free(&declaration);
    return result;
}

/* True if the variant sorts items. */
static bool is_sorted(const struct vks_settings *settings, const struct vks_variant *variant)
{
    struct vks_declaration declaration = {0};
    struct vks_config config = vks_settings_config(settings);
    bool sorted = false;
    config.variant = *variant;
    vks_declare_model(settings->model, &config, &declaration);
    for (size_t i = 0; i < declaration.items_count; i++) {
        sorted = sorted || declaration.items[i].sorted;
    }
    vks_declaration_free(&declaration);
    return sorted;
}

enum vks_result vks_twins_settle(const struct vks_gpu *gpu, struct vks_settings *settings)
{
    struct vks_candidates candidates = {.count = 0};
    const struct vks_variant none = {0};
    settings->limits = vks_graph_limits(gpu);
    settings->variant = none;
    const struct vks_config config = vks_settings_config(settings);
    if (settings->common.requested.name[0]) {
        return !is_sorted(settings, &settings->common.requested)
                   ? VKS_OK
                   : vks_fail_option(VKS_ERROR_USAGE, "variant",
                                     "'%s' sorts the items, whose order twins would not share; "
                                     "choose one that does not",
                                     settings->common.requested.name);
    }
    if (settings->model->candidates) {
        settings->model->candidates(&config, &candidates);
    }
    bool sorts = false; /* any of those that auto chooses from */
    for (size_t i = 0; i < candidates.count; i++) {
        sorts = sorts || is_sorted(settings, &candidates.variants[i]);
    }
    if (!sorts) {
        return VKS_OK;
    }
    /* The first of the model's variants is the plain one. */
    const char *name = settings->model->variants[0].name;
    for (size_t i = candidates.count; i-- > 0;) {
        name = is_sorted(settings, &candidates.variants[i]) ? name : candidates.variants[i].name;
    }
    const enum vks_result result = vks_settings_set(settings, "variant", name);
    return result == VKS_OK ? vks_settings_finish(settings) : result;
}

/* --- declarations ---------------------------------------------------------------------------- */

/* What is declared of the passes between two graphs. */
struct plan {
    const struct vks_declaration *base; /* of the steps of either */
    struct vks_declaration *declaration;
    uint64_t groups; /* of each pass that measures */
    size_t count;    /* of quantities so far */
    struct vks_scalar *names;
    size_t main;
};

/* Declares the fields of both graphs. */
static void bind_both(struct plan *plan)
{
    vks_declaration_bind(plan->declaration, plan->base);
    vks_declaration_bind_twin(plan->declaration, plan->base);
}

static const char *twin_of(const struct plan *plan, const struct vks_field *field)
{
    return vks_declaration_name(plan->declaration, "twin.%s", field->name);
}

static void add_quantity(struct plan *plan, const char *name)
{
    plan->names[plan->count++].name = name;
}

static struct distance_params params_of(const struct plan *plan, const struct vks_field *field)
{
    return (struct distance_params){.items = (uint32_t)vks_field_count(field),
                                    .height = (uint32_t)plan->base->grid[1],
                                    .width = (uint32_t)plan->base->grid[2],
                                    .quantity = (uint32_t)plan->count,
                                    .scale = vks_power_of_two(UNIT_BITS),
                                    .limit = vks_power_of_two(62 - UNIT_BITS)};
}

static void measure_items(struct plan *plan, const struct vks_field *field, bool first, bool last)
{
    const struct distance_params params = params_of(plan, field);
    const bool places = field->distance == VKS_DISTANCE_PLACE;
    VKS_PASS(plan->declaration,
             .name = vks_declaration_name(plan->declaration, "distance %s", field->name),
             .shader = "core/distance_wrap", .when = VKS_EACH_FRAME,
             .uses =
                 VKS_USES({field->name, VKS_READ, "own"}, {twin_of(plan, field), VKS_READ, "other"},
                          {"partials", VKS_WRITE}, {"marks", VKS_READ_WRITE}),
             .specializations =
                 VKS_SPECIALIZATIONS({"places", places}, {"first", first}, {"last", last}),
             VKS_PUSH(params), .items = {plan->groups * 256},
             .bytes = 2 * (double)vks_field_bytes(field) + 4 * (double)params.items);
    if (places) {
        add_quantity(plan, vks_declaration_name(plan->declaration, "%s_y", field->name));
        add_quantity(plan, vks_declaration_name(plan->declaration, "%s_x", field->name));
    } else {
        add_quantity(plan, field->name);
    }
}

static void measure_sum(struct plan *plan, const struct vks_field *field)
{
    const struct distance_params params = params_of(plan, field);
    VKS_PASS(plan->declaration,
             .name = vks_declaration_name(plan->declaration, "distance %s", field->name),
             .shader = "core/distance_sum", .when = VKS_EACH_FRAME,
             .uses = VKS_USES({field->name, VKS_READ, "own"},
                              {twin_of(plan, field), VKS_READ, "other"}, {"partials", VKS_WRITE}),
             VKS_PUSH(params), .items = {plan->groups * 256},
             .bytes = 2 * (double)vks_field_bytes(field));
    plan->main = field->distance == VKS_DISTANCE_MAIN ? plan->count : plan->main;
    add_quantity(plan, field->name);
    add_quantity(plan, vks_declaration_name(plan->declaration, "%s_total", field->name));
}

/* The fields of items that are measured: their number, and the number of items. */
static size_t count_item_fields(const struct vks_declaration *base, uint64_t *items,
                                const char **name)
{
    size_t count = 0;
    for (size_t i = 0; i < base->field_count; i++) {
        const struct vks_field *field = &base->fields[i];
        if (field->persistent && is_item_metric(field->distance)) {
            count++;
            *items = vks_field_count(field);
            *name = field->items;
        }
    }
    return count;
}

/* Quantities, at most: two per field, and two of items. */
static size_t max_quantities(const struct vks_declaration *base)
{
    return 2 * base->field_count + 2;
}

/* Groups of the passes that measure: enough for the largest field. */
static uint64_t choose_groups(const struct vks_declaration *base)
{
    uint64_t groups = 1;
    for (size_t i = 0; i < base->field_count; i++) {
        const struct vks_field *field = &base->fields[i];
        const uint64_t wanted = (vks_field_count(field) + DISTANCE_ITEMS - 1) / DISTANCE_ITEMS;
        if (field->persistent && wanted > groups) {
            groups = wanted;
        }
    }
    return groups < DISTANCE_GROUPS ? groups : DISTANCE_GROUPS;
}

static void declare_measure(struct plan *plan)
{
    struct vks_declaration *declaration = plan->declaration;
    uint64_t items = 1;
    const char *name = "items";
    const size_t item_fields = count_item_fields(plan->base, &items, &name);
    bind_both(plan);
    VKS_FIELD(declaration, .name = "partials", .element = VKS_U32X2, .rank = 1,
              .shape = {plan->groups * max_quantities(plan->base)});
    VKS_FIELD(declaration, .name = "marks", .element = VKS_U32, .rank = 1, .shape = {items});
    if (item_fields > 0) {
        add_quantity(plan, name);
        add_quantity(plan, "apart");
    }
    for (size_t i = 0, done = 0; i < plan->base->field_count; i++) {
        const struct vks_field *field = &plan->base->fields[i];
        if (field->persistent && is_item_metric(field->distance)) {
            measure_items(plan, field, done == 0, done + 1 == item_fields);
            done++;
        }
    }
    for (size_t i = 0; i < plan->base->field_count; i++) {
        const struct vks_field *field = &plan->base->fields[i];
        if (field->persistent && is_sum_metric(field->distance)) {
            measure_sum(plan, field);
        }
    }
    const struct distance_params params = {.items = (uint32_t)plan->groups};
    VKS_FIELD(declaration, .name = "distances", .element = VKS_U32X2, .rank = 1,
              .shape = {plan->count}, .watched = plan->names);
    VKS_PASS(declaration, .name = "distances", .shader = "core/distance_total",
             .when = VKS_EACH_FRAME,
             .uses = VKS_USES({"partials", VKS_READ}, {"distances", VKS_WRITE}), VKS_PUSH(params),
             .items = {plan->count * 256}, .bytes = 8 * (double)(plan->groups * plan->count));
}

static void declare_contract(struct plan *plan, uint32_t shift)
{
    bind_both(plan);
    for (size_t i = 0; i < plan->base->field_count; i++) {
        const struct vks_field *field = &plan->base->fields[i];
        if (!field->persistent) {
            continue;
        }
        struct distance_params params = {.items = (uint32_t)(vks_field_bytes(field) / 4),
                                         .shift = shift,
                                         .scale = vks_power_of_two(-(int)shift)};
        VKS_PASS(plan->declaration,
                 .name = vks_declaration_name(plan->declaration, "contract %s", field->name),
                 .shader = "core/contract", .when = VKS_EACH_FRAME,
                 .uses = VKS_USES({field->name, VKS_READ, "own"},
                                  {twin_of(plan, field), VKS_READ_WRITE, "other"}),
                 .specializations = VKS_SPECIALIZATIONS({"wraps", is_item_metric(field->distance)},
                                                        {"reals", is_sum_metric(field->distance)}),
                 VKS_PUSH(params), .items = {params.items},
                 .bytes = 3 * (double)vks_field_bytes(field));
    }
}

/* --- the twins ------------------------------------------------------------------------------- */

static enum vks_result create_graph(struct plan *plan, vks_simulation *own, vks_simulation *other,
                                    struct vks_graph **graph)
{
    enum vks_result result =
        vks_graph_create_twins(own->graph, other->graph, plan->declaration, graph);
    vks_declaration_free(plan->declaration);
    return result == VKS_OK ? vks_graph_start(*graph, 0, false) : result;
}

enum vks_result vks_twins_create(vks_simulation *own, vks_simulation *other, uint32_t shift,
                                 struct vks_twins **out)
{
    const struct vks_declaration *base = vks_graph_declaration(own->graph);
    struct vks_declaration declaration = {0};
    struct plan plan = {.base = base, .declaration = &declaration, .groups = choose_groups(base)};
    struct vks_twins *twins = calloc(1, sizeof(*twins));
    plan.names = calloc(max_quantities(base) + 1, sizeof(*plan.names));
    enum vks_result result =
        twins && plan.names ? check_fields(own->settings.model, base) : vks_fail_memory();
    if (result == VKS_OK && (own->context != other->context ||
                             vks_declaration_compare(base, vks_graph_declaration(other->graph)) >=
                                 VKS_DIFFERS_IN_STRUCTURE)) {
        result = vks_fail(VKS_ERROR_INTERNAL, "twins are of different simulations");
    }
    if (result == VKS_OK) {
        declare_measure(&plan);
        result = create_graph(&plan, own, other, &twins->measure);
    }
    if (result == VKS_OK) {
        while (vks_graph_scalar(twins->measure, twins->first + plan.count)) {
            twins->first++; /* those of the steps come first */
        }
        twins->count = plan.count;
        twins->main = plan.main;
        declare_contract(&plan, shift);
        result = create_graph(&plan, own, other, &twins->contract);
    }
    free(plan.names);
    if (result != VKS_OK) {
        vks_twins_destroy(twins);
        return result;
    }
    *out = twins;
    return VKS_OK;
}

void vks_twins_destroy(struct vks_twins *twins)
{
    if (twins) {
        vks_graph_destroy(twins->measure);
        vks_graph_destroy(twins->contract);
        free(twins);
    }
}

size_t vks_twins_count(const struct vks_twins *twins)
{
    return twins->count;
}

const char *vks_twins_name(const struct vks_twins *twins, size_t quantity)
{
    const struct vks_scalar *scalar =
        quantity < twins->count ? vks_graph_scalar(twins->measure, twins->first + quantity) : NULL;
    return scalar ? scalar->name : NULL;
}

size_t vks_twins_main(const struct vks_twins *twins)
{
    return twins->main;
}

enum vks_result vks_twins_measure(struct vks_twins *twins, double *values)
{
    struct vks_row row;
    uint64_t value;
    enum vks_result result =
        vks_graph_frame(twins->measure, NULL, NULL, VK_NULL_HANDLE, VK_NULL_HANDLE, &value);
    if (result == VKS_OK) {
        result = vks_graph_wait(twins->measure);
    }
    if (result == VKS_OK && !vks_graph_watched(twins->measure, &row)) {
        result = vks_fail(VKS_ERROR_GPU, "the distances of the twins have not arrived");
    }
    if (result == VKS_OK) {
        memcpy(values, row.values + twins->first, twins->count * sizeof(*values));
    }
    return result;
}

enum vks_result vks_twins_contract(struct vks_twins *twins)
{
    uint64_t value;
    return vks_graph_frame(twins->contract, NULL, NULL, VK_NULL_HANDLE, VK_NULL_HANDLE, &value);
}
