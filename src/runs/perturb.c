/* SPDX-License-Identifier: MIT */
#include "runs/perturb.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/exact.h"
#include "base/memory.h"
#include "base/number.h"

static const double unit = 0x1p-32; /* of turns and sides */
enum { SIGN_STREAM = 7 };

/* --- names ----------------------------------------------------------------------------------- */

static bool is_kind(const struct vks_field *field, enum vks_perturbed what)
{
    switch (what) {
    case VKS_PERTURBED_ANGLE:
    case VKS_PERTURBED_ANGLES:
        return field->distance == VKS_DISTANCE_ANGLE;
    case VKS_PERTURBED_PLACE:
        return field->distance == VKS_DISTANCE_PLACE;
    case VKS_PERTURBED_VALUE:
    case VKS_PERTURBED_VALUES:
        break;
    }
    return field->distance == VKS_DISTANCE_SUM || field->distance == VKS_DISTANCE_MAIN;
}

/* The name of a perturbation of a field. */
static const char *name_of(const char *field, enum vks_perturbed what, char name[80])
{
    snprintf(name, 80, "%s%.64s%s", what == VKS_PERTURBED_VALUES ? "all-" : "", field,
             what == VKS_PERTURBED_ANGLES ? "s" : "");
    return name;
}

/* Calls `each` with every perturbation until it returns true. */
static bool find(const struct vks_declaration *declaration, void *user,
                 bool (*each)(void *user, const struct vks_field *field, enum vks_perturbed what))
{
    for (size_t i = 0; i < declaration->field_count; i++) {
        const struct vks_field *field = &declaration->fields[i];
        for (unsigned what = 0; field->persistent && what <= VKS_PERTURBED_VALUES; what++) {
            if (is_kind(field, (enum vks_perturbed)what) &&
                each(user, field, (enum vks_perturbed)what)) {
                return true;
            }
        }
    }
    return false;
}

struct wanted {
    const char *name;
    size_t length;
    struct vks_perturbation *found;
};

static bool is_wanted(void *user, const struct vks_field *field, enum vks_perturbed what)
{
    const struct wanted *wanted = user;
    char name[80];
    if (strlen(name_of(field->name, what, name)) != wanted->length ||
        memcmp(name, wanted->name, wanted->length) != 0) {
        return false;
    }
    wanted->found->what = what;
    snprintf(wanted->found->field, sizeof(wanted->found->field), "%s", field->name);
    return true;
}

/* The default: all angles, else all of the main field. */
static bool is_default(void *user, const struct vks_field *field, enum vks_perturbed what)
{
    struct vks_perturbation *found = user;
    if (what == VKS_PERTURBED_ANGLES ||
        (what == VKS_PERTURBED_VALUES && field->distance == VKS_DISTANCE_MAIN)) {
        found->what = what;
        snprintf(found->field, sizeof(found->field), "%s", field->name);
    }
    return what == VKS_PERTURBED_ANGLES;
}

static bool add_name(void *user, const struct vks_field *field, enum vks_perturbed what)
{
    char *list = user, name[80];
    const size_t used = strlen(list);
    snprintf(list + used, 400 - used, "%s%s", used ? ", " : "", name_of(field->name, what, name));
    return false;
}

/* --- amounts --------------------------------------------------------------------------------- */

static enum vks_result wrong(const char *text, const char *why)
{
    return vks_fail_option(VKS_ERROR_USAGE, "perturb", "'%.100s' %s", text, why);
}

/* Sets the amount in units. */
static enum vks_result measure(struct vks_perturbation *p, const struct vks_settings *settings,
                               const char *text)
{
    char why[200];
    const uint32_t width = settings->common.size.width;
    if (p->what == VKS_PERTURBED_VALUE || p->what == VKS_PERTURBED_VALUES) {
        if (!(p->amount <= 1)) {
            return wrong(text, "is too large: a value changes by at most 1 of itself");
        }
        return (float)(1 + p->amount) > 1
                   ? VKS_OK
                   : wrong(text, "is less than one unit, which is 2^-23 (1.2e-7) of the value");
    }
    const bool place = p->what == VKS_PERTURBED_PLACE;
    const double side = place ? width : 1;
    if (!(p->amount <= side / 2)) {
        snprintf(why, sizeof(why), "is too large: at most %s, %g%s",
                 place ? "half the width" : "half a turn", side / 2, place ? " cells" : "");
        return wrong(text, why);
    }
    const double units = round(p->amount / side / unit);
    if (units < 1) {
        snprintf(why, sizeof(why), "is less than one unit, which is %s (%.2g %s)",
                 place ? "2^-32 of the width" : "2^-32 turns", side * unit,
                 place ? "cells" : "turns");
        return wrong(text, why);
    }
    p->units = (uint32_t)units;
    return VKS_OK;
}

enum vks_result vks_perturbation_parse(struct vks_perturbation *perturbation,
                                       const struct vks_settings *settings, const char *text)
{
    struct vks_declaration declaration = {0};
    char names[400] = "", why[512];
    *perturbation = (struct vks_perturbation){.amount = 1e-3};
    vks_declare_steps(settings, &declaration);
    enum vks_result result = declaration.result;
    const char *colon = text ? strchr(text, ':') : NULL, *end = "";
    if (result == VKS_OK && text) {
        const struct wanted wanted = {text, colon ? (size_t)(colon - text) : strlen(text),
                                      perturbation};
        perturbation->amount = colon ? vks_parse_real(colon + 1, &end) : 0;
        if (!find(&declaration, (void *)(uintptr_t)&wanted, is_wanted)) {
            (void)find(&declaration, names, add_name);
            snprintf(why, sizeof(why), "does not begin with what %s can perturb: %s",
                     settings->model->name, names);
            result = wrong(text, why);
        } else if (!colon || end == colon + 1 || *end || !(perturbation->amount > 0)) {
            result = wrong(text, "is not WHAT:AMOUNT with a number above 0, such as headings:1e-3");
        }
    } else if (result == VKS_OK) {
        (void)find(&declaration, perturbation, is_default);
    }
    vks_declaration_free(&declaration);
    return result == VKS_OK ? measure(perturbation, settings, text ? text : "") : result;
}

void vks_perturbation_text(const struct vks_perturbation *perturbation, char text[96])
{
    char name[80], amount[32];
    snprintf(text, 96, "%s:%s", name_of(perturbation->field, perturbation->what, name),
             vks_format_real(perturbation->amount, amount, sizeof(amount)));
}

/* --- the change ------------------------------------------------------------------------------ */

static void change_words(const struct vks_perturbation *p, uint32_t seed, uint64_t count,
                         uint64_t item, uint32_t *words)
{
    if (p->what == VKS_PERTURBED_PLACE) {
        words[2 * item + 1] += p->units; /* (y, x) */
    } else if (p->what == VKS_PERTURBED_ANGLE) {
        words[item] += p->units;
    }
    for (uint64_t i = 0; p->what == VKS_PERTURBED_ANGLES && i < count; i++) {
        const bool plus = vks_random(seed, (uint32_t)i, 0, SIGN_STREAM).x >> 31;
        words[i] += plus ? p->units : 0U - p->units;
    }
}

/* Also checks the values, as those of a state file. */
static enum vks_result change_values(const struct vks_perturbation *p,
                                     const struct vks_field *field, uint64_t item, float *values)
{
    const float factor = (float)(1 + p->amount);
    const uint64_t count = vks_field_count(field);
    const struct vks_source source = {
        .array = values, .kind = 'f', .item_bytes = sizeof(*values), .count = count};
    const bool all = p->what == VKS_PERTURBED_VALUES;
    for (uint64_t i = all ? 0 : item; i < (all ? count : item + 1); i++) {
        values[i] = vks_flush(values[i] * factor);
    }
    const enum vks_result result = vks_fill_from_array(field, &source, values);
    return result == VKS_OK
               ? result
               : vks_fail_option(VKS_ERROR_USAGE, "perturb", "makes values that are not valid: %s",
                                 vks_error_text());
}

enum vks_result vks_perturb(vks_simulation *simulation, const struct vks_perturbation *perturbation,
                            uint64_t item)
{
    struct vks_graph *graph = vks_simulation_graph(simulation);
    const struct vks_declaration *declaration = vks_graph_declaration(graph);
    const struct vks_settings *settings = vks_simulation_settings(simulation);
    const int index = vks_find_field(declaration, perturbation->field);
    const struct vks_field *field = index < 0 ? NULL : &declaration->fields[index];
    if (!field || item >= vks_field_count(field)) {
        return vks_fail(VKS_ERROR_INTERNAL, "there is no element %" PRIu64 " of '%s' to perturb",
                        item, perturbation->field);
    }
    void *data = malloc((size_t)vks_field_bytes(field));
    enum vks_result result =
        data ? vks_graph_download_to(graph, field->name, data) : vks_fail_memory();
    if (result == VKS_OK && is_kind(field, VKS_PERTURBED_VALUES)) {
        result = change_values(perturbation, field, item, data);
    } else if (result == VKS_OK) {
        change_words(perturbation, (uint32_t)settings->common.seed, vks_field_count(field), item,
                     data);
    }
    if (result == VKS_OK) {
        result = vks_graph_upload(graph, field->name, data);
    }
    free(data);
    return result;
}
