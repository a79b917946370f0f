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

static const char *const keys[] = {"formula", "name",    "summary",  "fields", "parameters",
                                   "images",  "let",     "rates",    "next",   "dt",
                                   "dx",      "scheme",  "boundary", "init",   "stop",
                                   "presets", "volumes", "source",   NULL};
static const char *const schemes[] = {"euler", "heun", "rk4", "symplectic", NULL};
/* Names that expressions have already. */
static const char *const reserved[] = {"x", "y", "z", "t", "step", "pi", NULL};

const char *vks_formula_text(struct vks_formula *formula, const char *format, ...)
{
    char buffer[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(buffer, sizeof(buffer), format, arguments);
    va_end(arguments);
    char **grown =
        vks_grow(formula->texts, sizeof(*grown), formula->text_count, &formula->text_capacity);
    if (!grown) {
        return NULL;
    }
    formula->texts = grown;
    char *text = vks_strdup(buffer);
    if (text) {
        formula->texts[formula->text_count++] = text;
    }
    return text;
}

enum vks_result vks_formula_wrong(const char *key, const char *words)
{
    return vks_fail(VKS_ERROR_USAGE, "'%s' %s", key, words);
}

static bool is_listed(const char *const *list, const char *name)
{
    while (*list && strcmp(*list, name) != 0) {
        list++;
    }
    return *list != NULL;
}

enum vks_result vks_formula_check_keys(const json_t *object, const char *const *known,
                                       const char *where)
{
    const char *key;
    json_t *value;
    char near[128];
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        if (!is_listed(known, key)) {
            return vks_fail(VKS_ERROR_USAGE, "there is no key '%s'%s%s%s", key,
                            where[0] ? " in " : "", where,
                            vks_did_you_mean(key, known, near, sizeof(near)));
        }
    }
    return VKS_OK;
}

/* The text of a key, or `other` if it is missing. */
static enum vks_result read_text(const json_t *object, const char *key, const char *other,
                                 const char **text)
{
    const json_t *value = json_object_get(object, key);
    *text = value ? json_string_value(value) : other;
    return *text ? VKS_OK : vks_formula_wrong(key, value ? "is not a text" : "is missing");
}

/* The number of a text in a list. */
static enum vks_result read_choice(const json_t *object, const char *key,
                                   const char *const *choices, uint32_t *choice)
{
    const char *text;
    char list[256];
    enum vks_result result = read_text(object, key, choices[0], &text);
    if (result != VKS_OK) {
        return result;
    }
    for (*choice = 0; choices[*choice]; ++*choice) {
        if (strcmp(choices[*choice], text) == 0) {
            return VKS_OK;
        }
    }
    return vks_fail(VKS_ERROR_USAGE, "'%s' is '%s', not one of: %s", key, text,
                    vks_join(choices, list, sizeof(list)));
}

enum vks_result vks_formula_check_name(const struct vks_formula *formula,
                                       const struct vks_expressions *expressions, const char *name)
{
    const struct vks_expressions *e = expressions;
    bool taken = is_listed(reserved, name);
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_");
    if (name[0] == '\0' || name[length] != '\0' || (name[0] >= '0' && name[0] <= '9') ||
        length > 31) {
        return vks_formula_wrong(name, "is not a name of letters, digits and '_', 31 at most");
    }
    for (size_t i = 0; i < e->field_count; i++) {
        taken = taken || strcmp(e->fields[i].name, name) == 0;
    }
    for (size_t i = 0; i < e->parameter_count; i++) {
        taken = taken || strcmp(e->parameters[i].name, name) == 0;
    }
    for (size_t i = 0; i < formula->image_count; i++) {
        taken = taken || strcmp(formula->images[i].name, name) == 0;
    }
    for (size_t i = 0; i < e->let_count; i++) {
        taken = taken || strcmp(e->lets[i].name, name) == 0;
    }
    return taken ? vks_formula_wrong(name, "is a name of something else") : VKS_OK;
}

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
    static const char *const known[] = {"help", "range", "boundary", NULL};
    struct vks_expressions *e = &f->names;
    struct vks_formula_name *field = &e->fields[e->field_count];
    const char *help = "";
    enum vks_result result = vks_formula_check_name(f, &f->names, name);
    if (result == VKS_OK && !json_is_object(value)) {
        result = vks_formula_wrong(name, "is not an object, such as {\"help\": \"concentration\"}");
    }
    if (result == VKS_OK) {
        result = vks_formula_check_keys(value, known, name);
    }
    if (result == VKS_OK) {
        result = read_text(value, "help", "", &help);
    }
    if (result == VKS_OK) {
        result = read_range(json_object_get(value, "range"), name, &field->low, &field->high);
    }
    if (result == VKS_OK) {
        field->name = name;
        f->field_helps[e->field_count] = help;
        f->views[e->field_count] = (struct vks_view){.name = name, .field = name, .help = help};
        f->failures[e->field_count] =
            vks_formula_text(f, "%s has left its range, %g to %g; choose a smaller dt", name,
                             field->low, field->high);
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

const char *vks_formula_option_name(const char *name, char text[VKS_FORMULA_OPTION_NAME])
{
    size_t i = 0;
    for (; name[i] && i + 1 < VKS_FORMULA_OPTION_NAME; i++) {
        text[i] = (char)(name[i] == '_' ? '-' : tolower((unsigned char)name[i]));
    }
    text[i] = '\0';
    return text;
}

/* Adds a parameter with its option. */
static enum vks_result add_parameter(struct vks_formula *f, const char *name, double value,
                                     double low, double high, const char *help)
{
    struct vks_expressions *e = &f->names;
    struct vks_option *option = &f->options[f->option_count++];
    char digits[64], known_as[VKS_FORMULA_OPTION_NAME];
    if (e->parameter_count == VKS_FORMULA_PARAMETERS) {
        return vks_formula_wrong("parameters", "are more than 62");
    }
    if (!(low <= value && value <= high && fabs(low) <= 1e15 && fabs(high) <= 1e15)) {
        return vks_fail(VKS_ERROR_USAGE,
                        "'%s' is %g, which is not within its limits, %g to %g (at most 1e15)", name,
                        value, low, high);
    }
    *option = (struct vks_option){
        .name = vks_formula_text(f, "%s", vks_formula_option_name(name, known_as)),
        .heading = e->parameter_count == 0   ? "time and space"
                   : e->parameter_count == 2 ? "parameters"
                                             : NULL,
        .type = VKS_OPTION_REAL,
        .offset =
            offsetof(struct vks_formula_settings, parameters) + e->parameter_count * sizeof(double),
        .min = low,
        .max = high,
        .default_text = vks_formula_text(f, "%s", vks_format_real(value, digits, sizeof(digits))),
        .unit = "",
        .help = help,
    };
    if (e->parameter_count <= VKS_PARAMETER_DX) {
        option->soft_min = fmax(low, value / 10);
        option->soft_max = fmin(high, value * 10);
        option->logarithmic = true;
    }
    e->parameters[e->parameter_count++] = (struct vks_formula_name){name, low, high};
    return option->name && option->default_text ? VKS_OK : vks_fail_memory();
}

/* A number, or [default, low, high] with or without a line of help. */
static enum vks_result read_parameter(struct vks_formula *f, const char *name, const json_t *value)
{
    double numbers[3] = {json_number_value(value), -1e6, 1e6};
    const size_t count = json_array_size(value);
    const char *help = json_string_value(json_array_get(value, 3));
    enum vks_result result = vks_formula_check_name(f, &f->names, name);
    bool good = json_is_number(value) || (count >= 3 && count <= 4 && (count == 3 || help));
    for (size_t i = 0; i < 3 && count > 0; i++) {
        const json_t *number = json_array_get(value, i);
        good = good && json_is_number(number);
        numbers[i] = json_number_value(number);
    }
    if (result == VKS_OK && !good) {
        result = vks_formula_wrong(
            name, "is neither a number nor [DEFAULT, LOW, HIGH] or [DEFAULT, LOW, HIGH, "
                  "\"HELP\"]");
    }
    return result == VKS_OK ? add_parameter(f, name, numbers[0], numbers[1], numbers[2],
                                            help ? help : "a parameter of the formulas")
                            : result;
}

/* `dt` or `dx`: 1 unless it is given. */
static enum vks_result read_length(struct vks_formula *f, const char *name, const char *help)
{
    const json_t *value = json_object_get(f->json, name);
    const double number = value ? json_number_value(value) : 1;
    if (value && !(json_is_number(value) && number >= 1e-6 && number <= 1e6)) {
        return vks_formula_wrong(name, "is not a number from 1e-6 to 1e6");
    }
    return add_parameter(f, name, number, 1e-6, 1e6, help);
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
        result = result == VKS_OK ? read_parameter(f, name, value) : result;
    }
    return result;
}

/* --- images ---------------------------------------------------------------------------------- */

static void add_option(struct vks_formula *f, const struct vks_option *option)
{
    f->options[f->option_count++] = *option;
}

/* An image, by an object with a line of help and the expression in its place. */
static enum vks_result read_image(struct vks_formula *f, const char *name, const json_t *image)
{
    static const char *const known[] = {"help", "value", NULL};
    const size_t at = f->image_count;
    char known_as[VKS_FORMULA_OPTION_NAME];
    const char *help = NULL;
    enum vks_result result = vks_formula_check_name(f, &f->names, name);
    if (result == VKS_OK) {
        result = json_is_object(image)
                     ? vks_formula_check_keys(image, known, name)
                     : vks_formula_wrong(name, "is an image that is not an object");
    }
    if (result == VKS_OK) {
        result = read_text(image, "help", "image of the formulas (PNG or JPEG)", &help);
    }
    if (result != VKS_OK) {
        return result;
    }
    f->images[at].name = name;
    f->images[at].value = json_object_get(image, "value");
    f->image_count++;
    const char *option = vks_formula_text(f, "%s", vks_formula_option_name(name, known_as));
    add_option(f, &(const struct vks_option){
                      .name = option,
                      .heading = at == 0 ? "images" : NULL,
                      .type = VKS_OPTION_TEXT,
                      .change = VKS_CHANGE_SOMETIMES,
                      .offset = offsetof(struct vks_formula_settings, images) + at * sizeof(char *),
                      .argument = "FILE",
                      .help = help,
                      .flags = VKS_OPTION_IMAGE,
                  });
    return option ? VKS_OK : vks_fail_memory();
}

static enum vks_result read_images(struct vks_formula *f)
{
    const json_t *images = json_object_get(f->json, "images");
    const char *name;
    json_t *value;
    enum vks_result result = VKS_OK;
    if (images &&
        (!json_is_object(images) || json_object_size(images) > VKS_FORMULA_NAMED_IMAGES)) {
        return vks_formula_wrong("images", "is not an object of up to 8 images");
    }
    json_object_foreach((json_t *)(uintptr_t)images, name, value)
    {
        result = result == VKS_OK ? read_image(f, name, value) : result;
    }
    if (f->names.parameter_count > VKS_PARAMETER_DX + 1) {
        add_option(f,
                   &(const struct vks_option){
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
        result = read_choice(f->json, "boundary", boundaries, &choice);
    }
    f->names.has_ghosts = f->by_side;
    f->model.closed = f->by_side ? "boundary=no-flux|by-side" : "boundary=no-flux";
    add_option(f, &(const struct vks_option){
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
    enum vks_result result = read_choice(f->json, "scheme", schemes, &scheme);
    f->scheme = next ? VKS_SCHEME_MAP : (enum vks_formula_scheme)scheme;
    f->names.all_fields = vks_formula_stages(f->scheme) * f->field_count;
    if (result == VKS_OK && next && json_object_get(f->json, "scheme")) {
        result = vks_formula_wrong("scheme", "has no effect with 'next'");
    }
    return result;
}

static enum vks_result read_starts(struct vks_formula *f)
{
    const json_t *init = json_object_get(f->json, "init");
    const char *name;
    json_t *value;
    if (!json_is_object(init) || json_object_size(init) == 0) {
        return vks_formula_wrong("init", "is not an object of initial conditions");
    }
    if (json_object_size(init) > VKS_FORMULA_STARTS) {
        return vks_formula_wrong("init", "has more than 16 initial conditions");
    }
    json_object_foreach((json_t *)(uintptr_t)init, name, value)
    {
        f->start_names[f->start_count++] = name;
    }
    return VKS_OK;
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

/* --- presets --------------------------------------------------------------------------------- */

/* "a0=0.1 colormap=magma". */
static enum vks_result read_preset(struct vks_formula *f, size_t index, const char *name,
                                   const json_t *object)
{
    char text[2048] = "", digits[64];
    size_t used = 0;
    const char *key, *summary = "";
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        const char *word = json_is_number(value)
                               ? vks_format_real(json_number_value(value), digits, sizeof(digits))
                           : json_is_boolean(value) ? (json_is_true(value) ? "true" : "false")
                                                    : json_string_value(value);
        if (!word || (strcmp(key, "summary") != 0 && strpbrk(word, " ="))) {
            return vks_fail(VKS_ERROR_USAGE, "'presets.%s.%s' is not the value of an option", name,
                            key);
        }
        if (strcmp(key, "summary") == 0) {
            summary = word;
        } else if (used < sizeof(text)) {
            char option[VKS_FORMULA_OPTION_NAME];
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s=%s", used ? " " : "",
                                     vks_formula_option_name(key, option), word);
        }
    }
    const char *options = used < sizeof(text) ? vks_formula_text(f, "%s", text) : NULL;
    f->presets[index] = (struct vks_preset){name, summary, options};
    return options ? VKS_OK : vks_formula_wrong(name, "is a preset of too many options");
}

static enum vks_result read_presets(struct vks_formula *f)
{
    const json_t *presets = json_object_get(f->json, "presets");
    const char *name;
    json_t *value;
    size_t count = 0;
    enum vks_result result = VKS_OK;
    const bool has_default = json_object_get(presets, "default") != NULL;
    if (presets && (!json_is_object(presets) || json_object_size(presets) >= VKS_FORMULA_PRESETS)) {
        return vks_formula_wrong("presets", "is not an object of up to 63 presets");
    }
    if (!has_default) {
        f->presets[count++] = (struct vks_preset){"default", "every option at its default", ""};
    } else {
        result = read_preset(f, count++, "default", json_object_get(presets, "default"));
    }
    json_object_foreach((json_t *)(uintptr_t)presets, name, value)
    {
        if (result == VKS_OK && strcmp(name, "default") != 0) {
            result = read_preset(f, count++, name, value);
        }
    }
    return result;
}

/* --- the whole ------------------------------------------------------------------------------- */

/* The name in the file, or that of the file. */
static enum vks_result read_name(struct vks_formula *f)
{
    const char *slash = strrchr(f->path, '/'), *base = slash ? slash + 1 : f->path;
    const char *stem = vks_formula_text(f, "%.*s", (int)strcspn(base, "."), base);
    enum vks_result result = read_text(f->json, "name", stem, &f->model.name);
    if (result == VKS_OK) {
        result = read_text(f->json, "summary", "a simulation of formulas", &f->model.summary);
    }
    return result;
}

enum vks_result vks_formula_read(struct vks_formula *formula)
{
    enum vks_result (*const parts[])(struct vks_formula *) = {
        read_name,   read_fields, read_parameters, read_images, read_boundary,
        read_scheme, read_starts, read_stops,      read_presets};
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
