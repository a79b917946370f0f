/* SPDX-License-Identifier: MIT */
/* What models from files have in common: names, options, initial conditions and presets from
 * JSON. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/option.h"
#include "formula/private.h"

/* Of parameters without limits of their own. */
static const double widest = 1e6;

/* Names that expressions have already. */
static const char *const reserved[] = {"x", "y", "z", "t", "step", "pi", NULL};

void *vks_formula_keep(struct vks_formula *formula, size_t size)
{
    char **grown =
        vks_grow(formula->texts, sizeof(*grown), formula->text_count, &formula->text_capacity);
    formula->texts = grown ? grown : formula->texts;
    void *kept = grown ? calloc(1, size) : NULL;
    if (kept) {
        formula->texts[formula->text_count++] = kept;
    }
    formula->lacks_memory = formula->lacks_memory || !kept;
    return kept;
}

const char *vks_formula_text(struct vks_formula *formula, const char *format, ...)
{
    char buffer[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(buffer, sizeof(buffer), format, arguments);
    va_end(arguments);
    char *text = vks_formula_keep(formula, strlen(buffer) + 1);
    return text ? strcpy(text, buffer) : NULL;
}

enum vks_result vks_formula_wrong(const char *key, const char *words)
{
    return vks_fail(VKS_ERROR_USAGE, "'%s' %s", key, words);
}

bool vks_formula_is_listed(const char *const *list, const char *name)
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
        if (!vks_formula_is_listed(known, key)) {
            return vks_fail(VKS_ERROR_USAGE, "there is no key '%s'%s%s%s", key,
                            where[0] ? " in " : "", where,
                            vks_did_you_mean(key, known, near, sizeof(near)));
        }
    }
    return VKS_OK;
}

/* The text of a key, or `other` if it is missing. */
enum vks_result vks_formula_read_text(const json_t *object, const char *key, const char *other,
                                      const char **text)
{
    const json_t *value = json_object_get(object, key);
    *text = value ? json_string_value(value) : other;
    return *text ? VKS_OK : vks_formula_wrong(key, value ? "is not a text" : "is missing");
}

/* The number of a text in a list. */
enum vks_result vks_formula_read_choice(const json_t *object, const char *key,
                                        const char *const *choices, uint32_t *choice)
{
    const char *text;
    char list[256];
    enum vks_result result = vks_formula_read_text(object, key, choices[0], &text);
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
    bool taken = vks_formula_is_listed(reserved, name);
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

enum vks_result vks_formula_check_field(const struct vks_formula *formula, const char *name)
{
    static const char *const words[] = {"glow",    "palette", "picture", "planes",
                                        "strokes", "values",  NULL};
    static const char *const beginnings[] = {"annotation_", "background_", "field_range",
                                             "glow_",       "kernel_",     "picture_",
                                             "point_",      "taps_",       "view_"};
    bool taken = vks_formula_is_listed(words, name);
    for (size_t i = 0; i < VKS_COUNT(beginnings); i++) {
        taken = taken || strncmp(name, beginnings[i], strlen(beginnings[i])) == 0;
    }
    return taken ? vks_formula_wrong(name, "is a name of vksim's own fields")
                 : vks_formula_check_name(formula, &formula->names, name);
}

/* The name of a preset or an initial condition, as a command line has it. */
static enum vks_result check_word(const char *where, const char *name)
{
    char text[128];
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");
    if (name[0] != '\0' && name[0] != '-' && name[length] == '\0' && length < 64) {
        return VKS_OK;
    }
    snprintf(text, sizeof(text), "%s.%.64s", where, name);
    return vks_formula_wrong(text, "is not a name of a-z, 0-9 and '-', 63 at most");
}

/* --- options --------------------------------------------------------------------------------- */

void vks_formula_add_option(struct vks_formula *f, const struct vks_option *option)
{
    f->options[f->option_count++] = *option;
}

enum vks_result vks_formula_check_options(const struct vks_formula *f)
{
    const char *twice = NULL, *kind = "option --";
    for (size_t i = 0; i < f->option_count && !twice; i++) {
        const struct vks_option_table before = {f->options, i};
        twice = vks_option_find(before, f->options[i].name) ? f->options[i].name : NULL;
    }
    for (size_t i = 0; i < f->view_count && !twice; i++) {
        for (size_t j = 0; j < i && !twice; j++) {
            twice = strcmp(f->views[i].name, f->views[j].name) == 0 ? f->views[i].name : NULL;
            kind = "view ";
        }
    }
    return !twice ? VKS_OK
                  : vks_fail(VKS_ERROR_USAGE,
                             "two names give the %s%s (capitals become small, '_' becomes '-'); "
                             "rename one",
                             kind, twice);
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

/* The useful range of a parameter: of steps in time and space within a factor of ten, of others
 * without limits of their own from 0 to four times the default, or from -1 to 1 around 0. */
static void find_useful(struct vks_option *option, double value, bool is_step)
{
    if (is_step) {
        option->soft_min = fmax(option->min, value / 10);
        option->soft_max = fmin(option->max, value * 10);
        option->logarithmic = true;
    } else if (option->min == -widest && option->max == widest) {
        option->soft_min = value == 0 ? -1 : fmax(fmin(4 * value, 0), -widest);
        option->soft_max = value == 0 ? 1 : fmin(fmax(4 * value, 0), widest);
    }
}

/* Adds a parameter with its option. */
enum vks_result vks_formula_add_parameter(struct vks_formula *f, const char *name, double value,
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
    find_useful(option, value, e->parameter_count <= VKS_PARAMETER_DX);
    e->parameters[e->parameter_count++] = (struct vks_formula_name){name, low, high};
    return option->name && option->default_text ? VKS_OK : vks_fail_memory();
}

/* A number, or [default, low, high] with or without a line of help. */
enum vks_result vks_formula_read_parameter(struct vks_formula *f, const char *name,
                                           const json_t *value)
{
    double numbers[3] = {json_number_value(value), -widest, widest};
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
    return result == VKS_OK ? vks_formula_add_parameter(f, name, numbers[0], numbers[1], numbers[2],
                                                        help ? help : "a parameter of the formulas")
                            : result;
}

enum vks_result vks_formula_add_image(struct vks_formula *f, const char *name, const char *help,
                                      unsigned flags)
{
    const size_t at = f->image_count++;
    const bool points = f->images[at].points != NULL;
    const bool continues = at > 0 && points == (f->images[at - 1].points != NULL);
    char known_as[VKS_FORMULA_OPTION_NAME];
    const char *option = vks_formula_text(f, "%s", vks_formula_option_name(name, known_as));
    f->images[at].name = name;
    vks_formula_add_option(
        f, &(const struct vks_option){
               .name = option,
               .heading = continues ? NULL
                          : points  ? "points"
                                    : "images",
               .type = VKS_OPTION_TEXT,
               .change = VKS_CHANGE_SOMETIMES,
               .offset = offsetof(struct vks_formula_settings, images) + at * sizeof(char *),
               .argument = "FILE",
               .help = help,
               .flags = flags,
           });
    return option ? VKS_OK : vks_fail_memory();
}

/* An image, by an object with a line of help and the expression in its place. */
enum vks_result vks_formula_read_image(struct vks_formula *f, const char *name, const json_t *image)
{
    static const char *const known[] = {"help", "value", NULL};
    const char *help = NULL;
    enum vks_result result = vks_formula_check_name(f, &f->names, name);
    if (result == VKS_OK) {
        result = json_is_object(image)
                     ? vks_formula_check_keys(image, known, name)
                     : vks_formula_wrong(name, "is an image that is not an object");
    }
    if (result == VKS_OK) {
        result = vks_formula_read_text(image, "help", "image of the formulas (PNG or JPEG)", &help);
    }
    if (result != VKS_OK) {
        return result;
    }
    f->images[f->image_count].value = json_object_get(image, "value");
    return vks_formula_add_image(f, name, help, VKS_OPTION_IMAGE);
}

/* --- initial conditions ---------------------------------------------------------------------- */

enum vks_result vks_formula_read_starts(struct vks_formula *f)
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
        if (check_word("init", name) != VKS_OK) {
            return VKS_ERROR_USAGE;
        }
        f->start_names[f->start_count++] = name;
    }
    return VKS_OK;
}

/* --- presets --------------------------------------------------------------------------------- */

/* "a0=0.1 colormap=magma". */
struct words {
    char text[2048];
    size_t used;
};

/* Appends the options of an object, except those that another one has. */
static enum vks_result append_words(struct words *words, const char *name, const json_t *object,
                                    const json_t *except)
{
    char digits[64], option[VKS_FORMULA_OPTION_NAME];
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        const char *word = json_is_number(value)
                               ? vks_format_real(json_number_value(value), digits, sizeof(digits))
                           : json_is_boolean(value) ? (json_is_true(value) ? "true" : "false")
                                                    : json_string_value(value);
        if (strcmp(key, "summary") == 0 || json_object_get(except, key)) {
            continue;
        }
        if (!word || strpbrk(word, " =")) {
            return vks_fail(VKS_ERROR_USAGE, "'presets.%s.%s' is not the value of an option", name,
                            key);
        }
        words->used += (size_t)snprintf(
            words->text + words->used, sizeof(words->text) - words->used, "%s%s=%s",
            words->used ? " " : "", vks_formula_option_name(key, option), word);
        if (words->used >= sizeof(words->text)) {
            return vks_formula_wrong(name, "is a preset of too many options");
        }
    }
    return VKS_OK;
}

/* The useful ranges of parameters reach the numbers of a preset. */
static void widen(struct vks_formula *f, const json_t *preset)
{
    char name[VKS_FORMULA_OPTION_NAME];
    const char *key;
    const json_t *number;
    json_object_foreach((json_t *)(uintptr_t)preset, key, number)
    {
        vks_formula_option_name(key, name);
        for (size_t i = 0; i < f->option_count && json_is_number(number); i++) {
            struct vks_option *option = &f->options[i];
            const double value = fmax(fmin(json_number_value(number), option->max), option->min);
            if (option->soft_min < option->soft_max && strcmp(option->name, name) == 0) {
                option->soft_min = fmin(option->soft_min, value);
                option->soft_max = fmax(option->soft_max, value);
            }
        }
    }
}

/* The option that sets the size of the model, which presets may replace; "" if it has none. */
static enum vks_result read_size(const struct vks_formula *f, char word[32])
{
    enum { MAX_SIDE = 65536 };
    const json_t *size = json_object_get(f->json, "size");
    const size_t count = json_array_size(size);
    size_t used = (size_t)snprintf(word, 32, size ? "size" : "");
    bool good = !size || count == 2 || (count == 3 && f->model.volumes);
    for (size_t i = 0; i < count && good; i++) {
        const json_int_t side = json_integer_value(json_array_get(size, i));
        good = side >= 1 && side <= MAX_SIDE;
        used += (size_t)snprintf(word + used, 32 - used, "%s%d", i == 0 ? "=" : "x",
                                 good ? (int)side : 0);
    }
    return good ? VKS_OK
                : vks_formula_wrong("size", "is not [WIDTH, HEIGHT] or, in models of volumes, "
                                            "[WIDTH, HEIGHT, DEPTH], of 1 to 65536 cells");
}

/* What the default preset sets holds in the others, too. */
static enum vks_result read_preset(struct vks_formula *f, size_t index, const char *name,
                                   const json_t *object, const char *size)
{
    const json_t *base = json_object_get(json_object_get(f->json, "presets"), "default");
    const bool has_size = json_object_get(object, "size") || json_object_get(base, "size");
    struct words words = {.used = 0};
    if (!has_size) {
        words.used = (size_t)snprintf(words.text, sizeof(words.text), "%s", size);
    }
    const char *summary = "";
    enum vks_result result = check_word("presets", name);
    if (result == VKS_OK && !json_is_object(object)) {
        result = vks_formula_wrong(name, "is a preset that is not an object");
    }
    if (result == VKS_OK) {
        result = vks_formula_read_text(object, "summary", "", &summary);
    }
    if (result == VKS_OK && base != object) {
        result = append_words(&words, "default", base, object);
    }
    if (result == VKS_OK) {
        result = append_words(&words, name, object, NULL);
        widen(f, object);
    }
    if (result == VKS_OK) {
        const char *options = vks_formula_text(f, "%s", words.text);
        f->presets[index] = (struct vks_preset){name, summary, options};
        result = options ? VKS_OK : vks_fail_memory();
    }
    return result;
}

enum vks_result vks_formula_read_presets(struct vks_formula *f)
{
    const json_t *presets = json_object_get(f->json, "presets");
    const char *name;
    json_t *value;
    size_t count = 0;
    char size[32];
    enum vks_result result = read_size(f, size);
    const bool has_default = json_object_get(presets, "default") != NULL;
    if (presets && (!json_is_object(presets) || json_object_size(presets) >= VKS_FORMULA_PRESETS)) {
        return vks_formula_wrong("presets", "is not an object of up to 63 presets");
    }
    if (!has_default) {
        const char *options = vks_formula_text(f, "%s", size);
        result = options ? result : vks_fail_memory();
        f->presets[count++] =
            (struct vks_preset){"default", "every option at its default", options};
    } else if (result == VKS_OK) {
        result = read_preset(f, count++, "default", json_object_get(presets, "default"), size);
    }
    json_object_foreach((json_t *)(uintptr_t)presets, name, value)
    {
        if (result == VKS_OK && strcmp(name, "default") != 0) {
            result = read_preset(f, count++, name, value, size);
        }
    }
    return result;
}

/* --- the name -------------------------------------------------------------------------------- */

/* The name in the file, or that of the file. */
enum vks_result vks_formula_read_name(struct vks_formula *f)
{
    const char *slash = strrchr(f->path, '/'), *base = slash ? slash + 1 : f->path;
    const char *stem = vks_formula_text(f, "%.*s", (int)strcspn(base, "."), base);
    enum vks_result result = vks_formula_read_text(f->json, "name", stem, &f->model.name);
    if (result == VKS_OK) {
        result = vks_formula_read_text(f->json, "summary", "a simulation of formulas",
                                       &f->model.summary);
    }
    return result;
}
