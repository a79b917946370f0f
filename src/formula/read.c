/* SPDX-License-Identifier: MIT */
/* The tables of a model of formulas from its JSON. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/number.h"
#include "formula/private.h"

static const char *const keys[] = {
    "formula", "name",  "summary", "fields",  "parameters", "images", "points",
    "let",     "rates", "next",    "dt",      "dx",         "scheme", "boundary",
    "init",    "stop",  "presets", "volumes", "size",       "source", NULL};
static const char *const schemes[] = {"euler", "heun", "rk4", "symplectic", NULL};
/* --- fields and parameters ------------------------------------------------------------------- */

static enum vks_result read_range(const json_t *range, const char *name, double *low, double *high)
{
    *low = -0x1p30;
    *high = 0x1p30;
    if (!range) {
        return VKS_OK;
    }
    const json_t *first = json_array_get(range, 0), *second = json_array_get(range, 1);
    if (json_array_size(range) != 2 || !json_is_number(first) || !json_is_number(second)) {
        return vks_formula_wrong(name, "has a range that is not [LOW, HIGH]");
    }
    *low = json_number_value(first);
    *high = json_number_value(second);
    return *low < *high && fabs(*low) <= 0x1p30 && fabs(*high) <= 0x1p30
               ? VKS_OK
               : vks_formula_wrong(
                     name, "has a range that is not from a lower to a higher number within 2^30");
}

static enum vks_result read_field(struct vks_formula *f, const char *name, const json_t *value)
{
    char known_as[VKS_FORMULA_OPTION_NAME];
    static const char *const known[] = {"help", "range", "boundary", NULL};
    static const char *const own[] = {"numbers", "status", NULL}; /* as declare() has them */
    struct vks_expressions *e = &f->names;
    struct vks_formula_name *field = &e->fields[e->field_count];
    const char *help = "";
    const bool is_own = vks_formula_is_listed(own, name);
    enum vks_result result = is_own ? vks_formula_wrong(name, "is a name of vksim's own fields")
                                    : vks_formula_check_field(f, name);
    if (result == VKS_OK && !json_is_object(value)) {
        result = vks_formula_wrong(name, "is not an object, such as {\"help\": \"concentration\"}");
    }
    if (result == VKS_OK) {
        result = vks_formula_check_keys(value, known, name);
    }
    if (result == VKS_OK) {
        result = vks_formula_read_text(value, "help", "", &help);
    }
    if (result == VKS_OK) {
        result = read_range(json_object_get(value, "range"), name, &field->low, &field->high);
    }
    if (result == VKS_OK) {
        field->name = name;
        f->field_helps[e->field_count] = help;
        f->views[f->view_count++] = (struct vks_view){
            .name = vks_formula_text(f, "%s", vks_formula_option_name(name, known_as)),
            .field = name,
            .help = help};
        f->failures[e->field_count] =
            vks_formula_text(f, "%s has left its range, %g to %g; choose a smaller dt", name,
                             field->low, field->high);
        result = f->views[f->view_count - 1].name ? VKS_OK : vks_fail_memory();
        e->field_count++;
    }
    return result;
}

static enum vks_result read_fields(struct vks_formula *f)
{
    const json_t *fields = json_object_get(f->json, "fields");
    const char *name;
    json_t *value;
    enum vks_result result = VKS_OK;
    const size_t count = json_object_size(fields);
    if (count < 1 || count > VKS_FORMULA_FIELDS) {
        return vks_formula_wrong("fields", "is not an object of 1 to 8 fields");
    }
    json_object_foreach((json_t *)(uintptr_t)fields, name, value)
    {
        result = result == VKS_OK ? read_field(f, name, value) : result;
    }
    f->field_count = (uint32_t)f->names.field_count;
    return result;
}

/* `dt` or `dx`: 1 unless it is given. */
static enum vks_result read_length(struct vks_formula *f, const char *name, const char *help)
{
    const json_t *value = json_object_get(f->json, name);
    const double number = value ? json_number_value(value) : 1;
    if (value && !(json_is_number(value) && number >= 1e-6 && number <= 1e6)) {
        return vks_formula_wrong(name, "is not a number from 1e-6 to 1e6");
    }
    return vks_formula_add_parameter(f, name, number, 1e-6, 1e6, help);
}

static enum vks_result read_parameters(struct vks_formula *f)
{
    const json_t *parameters = json_object_get(f->json, "parameters");
    const char *name;
    json_t *value;
    enum vks_result result = read_length(f, "dt", "time step");
    if (result == VKS_OK) {
        result = read_length(f, "dx", "width of a cell");
    }
    if (result == VKS_OK && parameters && !json_is_object(parameters)) {
        result = vks_formula_wrong("parameters", "is not an object");
    }
    json_object_foreach((json_t *)(uintptr_t)parameters, name, value)
    {
        result = result == VKS_OK ? vks_formula_read_parameter(f, name, value) : result;
    }
    return result;
}

/* --- images ---------------------------------------------------------------------------------- */

static enum vks_result read_images(struct vks_formula *f)
{
    const json_t *images = json_object_get(f->json, "images");
    const json_t *points = json_object_get(f->json, "points");
    const char *name;
    json_t *value;
    enum vks_result result = VKS_OK;
    if (images && !json_is_object(images)) {
        return vks_formula_wrong("images", "is not an object of images");
    }
    if (points && !json_is_object(points)) {
        return vks_formula_wrong("points", "is not an object of names with places");
    }
    if (json_object_size(images) + json_object_size(points) > VKS_FORMULA_NAMED_IMAGES) {
        return vks_formula_wrong("images", "and 'points' have more than 8 names");
    }
    json_object_foreach((json_t *)(uintptr_t)images, name, value)
    {
        result = result == VKS_OK ? vks_formula_read_image(f, name, value) : result;
    }
    json_object_foreach((json_t *)(uintptr_t)points, name, value)
    {
        result = result == VKS_OK ? vks_formula_read_points(f, name, value) : result;
    }
    if (f->names.parameter_count > VKS_PARAMETER_DX + 1) {
        vks_formula_add_option(
            f, &(const struct vks_option){
                   .name = "maps",
                   .heading = "maps",
                   .type = VKS_OPTION_TEXT,
                   .change = VKS_CHANGE_SOMETIMES,
                   .offset = offsetof(struct vks_formula_settings, maps),
                   .argument = "PARAMETER=FILE:LOW:HIGH,...",
                   .help = "take parameters from the brightness of images (PNG or JPEG): LOW "
                           "where black, HIGH where white",
                   .flags = VKS_OPTION_IMAGE | VKS_OPTION_MAPS | VKS_OPTION_PARTS,
               });
    }
    return result;
}

/* --- inputs ---------------------------------------------------------------------------------- */

/* Whatever an image can give, a compound can: parameters and images. */
static enum vks_result read_inputs(struct vks_formula *f)
{
    struct vks_input *input = f->inputs;
    char low[64], high[64], option[VKS_FORMULA_OPTION_NAME];
    enum vks_result result = VKS_OK;
    for (size_t i = VKS_PARAMETER_DX + 1; i < f->names.parameter_count; i++) {
        const struct vks_formula_name *p = &f->names.parameters[i];
        *input = (struct vks_input){
            .name = p->name,
            .field = vks_formula_text(f, "%s.map", p->name),
            .min = p->low,
            .max = p->high,
            .options = vks_formula_text(f, "maps=%s=" VKS_INPUT_IMAGE ":%s:%s %s", p->name,
                                        vks_format_real(p->low, low, sizeof(low)),
                                        vks_format_real(p->high, high, sizeof(high)),
                                        vks_formula_option_name(p->name, option)),
            .help = "a parameter of the formulas",
        };
        result = input->field && input->options ? result : vks_fail_memory();
        input += p->low < p->high;
    }
    for (size_t i = 0; i < f->image_count; i++) {
        const char *name = f->images[i].name;
        *input++ = (struct vks_input){
            .name = name,
            .field = name,
            .min = 0,
            .max = 1,
            .options =
                vks_formula_text(f, "%s=" VKS_INPUT_IMAGE, vks_formula_option_name(name, option)),
            .help = "an image of the formulas",
        };
        result = input[-1].options ? result : vks_fail_memory();
    }
    *input = (struct vks_input){0};
    f->model.inputs = f->inputs;
    return result;
}

/* --- edges ----------------------------------------------------------------------------------- */

/* A boundary is a word, or an object of sides. */
static enum vks_result check_boundary(struct vks_formula *f, const json_t *boundary)
{
    if (boundary && !json_is_string(boundary) && !json_is_object(boundary)) {
        return vks_formula_wrong("boundary", "is neither a word nor an object of sides");
    }
    f->by_side = f->by_side || json_is_object(boundary);
    return VKS_OK;
}

static enum vks_result read_boundary(struct vks_formula *f)
{
    static const char *const boundaries[] = {"periodic", "no-flux", NULL};
    static const char *const with_sides[] = {"periodic", "no-flux", "by-side", NULL};
    uint32_t choice = 0;
    const char *name;
    json_t *value;
    const json_t *boundary = json_object_get(f->json, "boundary");
    enum vks_result result = check_boundary(f, boundary);
    json_object_foreach(json_object_get(f->json, "fields"), name, value)
    {
        const json_t *own = json_object_get(value, "boundary");
        result = result == VKS_OK ? check_boundary(f, own) : result;
        f->by_side = f->by_side || own;
    }
    if (result == VKS_OK && !json_is_object(boundary)) {
        result = vks_formula_read_choice(f->json, "boundary", boundaries, &choice);
    }
    f->names.has_ghosts = f->by_side;
    f->model.closed = f->by_side ? "boundary=no-flux|by-side" : "boundary=no-flux";
    vks_formula_add_option(
        f, &(const struct vks_option){
               .name = "boundary",
               .heading = "edges",
               .type = VKS_OPTION_CHOICE,
               .offset = offsetof(struct vks_formula_settings, boundary),
               .choices = f->by_side ? with_sides : boundaries,
               .default_text = f->by_side ? "by-side" : boundaries[choice],
               .help = f->by_side ? "periodic (wraps around), no-flux (reflecting wall), or "
                                    "as the formula says for each side"
                                  : "periodic (wraps around) or no-flux (reflecting wall)",
           });
    return result;
}

/* --- the run --------------------------------------------------------------------------------- */

static enum vks_result read_scheme(struct vks_formula *f)
{
    const json_t *rates = json_object_get(f->json, "rates"),
                 *next = json_object_get(f->json, "next");
    uint32_t scheme;
    if (!rates == !next) {
        return vks_formula_wrong("rates",
                                 next ? "and 'next' exclude each other" : "or 'next' is missing");
    }
    enum vks_result result = vks_formula_read_choice(f->json, "scheme", schemes, &scheme);
    f->scheme = next ? VKS_SCHEME_MAP : (enum vks_formula_scheme)scheme;
    f->names.all_fields = vks_formula_stages(f->scheme) * f->field_count;
    if (result == VKS_OK && next && json_object_get(f->json, "scheme")) {
        result = vks_formula_wrong("scheme", "has no effect with 'next'");
    }
    return result;
}

/* The messages of what ends a run, after those of the fields. */
static enum vks_result read_stops(struct vks_formula *f)
{
    const json_t *stop = json_object_get(f->json, "stop");
    const char *message;
    json_t *value;
    size_t count = f->field_count;
    if (stop && (!json_is_object(stop) || json_object_size(stop) > VKS_FORMULA_STOPS)) {
        return vks_formula_wrong("stop",
                                 "is not an object of up to 8 messages with their conditions");
    }
    json_object_foreach((json_t *)(uintptr_t)stop, message, value)
    {
        if (!message[0] || strlen(message) > 200) {
            return vks_formula_wrong("stop",
                                     "has a message that is empty or longer than 200 characters");
        }
        f->failures[count++] = message;
    }
    return VKS_OK;
}

/* --- the whole ------------------------------------------------------------------------------- */

enum vks_result vks_formula_read(struct vks_formula *formula)
{
    enum vks_result (*const parts[])(struct vks_formula *) = {vks_formula_read_name,
                                                              read_fields,
                                                              read_parameters,
                                                              read_images,
                                                              read_inputs,
                                                              read_boundary,
                                                              read_scheme,
                                                              vks_formula_read_starts,
                                                              read_stops,
                                                              vks_formula_read_presets};
    const json_t *volumes = json_object_get(formula->json, "volumes");
    enum vks_result result = json_is_object(formula->json)
                                 ? vks_formula_check_keys(formula->json, keys, "")
                                 : vks_fail(VKS_ERROR_USAGE, "it is not a JSON object");
    if (result == VKS_OK && json_integer_value(json_object_get(formula->json, "formula")) != 1) {
        result = vks_formula_wrong("formula", "is not 1, the version that this vksim reads");
    }
    if (result == VKS_OK && volumes && !json_is_boolean(volumes)) {
        result = vks_formula_wrong("volumes", "is neither true nor false");
    }
    formula->model.volumes = json_is_true(volumes);
    formula->names.dimensions = formula->model.volumes ? 3 : 2;
    for (size_t i = 0; i < VKS_COUNT(parts) && result == VKS_OK; i++) {
        result = parts[i](formula);
    }
    formula->model.options = (struct vks_option_table){formula->options, formula->option_count};
    return result;
}
