/* SPDX-License-Identifier: MIT */
/* Reads model.json of a model of shaders, and compiles the shaders beside it. */
#include "formula/folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/number.h"
#include "formula/shader.h"

static const char *const keys[] = {"shaders", "name",    "summary", "source", "parameters",
                                   "images",  "items",   "fields",  "passes", "init",
                                   "views",   "presets", "volumes", "size",   NULL};

/* Names of a part of the JSON in messages: "passes.step.uses". */
enum { WHERE = 160 };

/* --- expressions ----------------------------------------------------------------------------- */

/* An expression of numbers, options, width, height, depth, seed and start; a number is one, too. */
static enum vks_result parse(struct vks_folder *folder, const char *where, const json_t *value,
                             uint32_t *node)
{
    char digits[64];
    const char *text = json_is_number(value)
                           ? vks_format_real(json_number_value(value), digits, sizeof(digits))
                           : json_string_value(value);
    if (!text) {
        return vks_formula_wrong(where,
                                 value ? "is neither an expression nor a number" : "is missing");
    }
    enum vks_result result = vks_expression_parse(&folder->expressions, where, text, node);
    if (result == VKS_OK && !folder->expressions.nodes[*node].constant) {
        result = vks_formula_wrong(where, "differs from cell to cell or from step to step");
    }
    return result;
}

/* --- options --------------------------------------------------------------------------------- */

static enum vks_result read_names(struct vks_formula *f)
{
    static const char *const names[] = {"width", "height", "depth", "seed", "start"};
    for (size_t i = 0; i < VKS_COUNT(names); i++) {
        f->names.parameters[f->names.parameter_count++] =
            (struct vks_formula_name){names[i], 0, 4294967295.0};
    }
    f->names.dimensions = 2;
    return VKS_OK;
}

/* {"count": [DEFAULT, LOW, HIGH], "help": "..."} */
static enum vks_result read_count(struct vks_formula *f, const char *name, const json_t *object)
{
    const json_t *list = json_object_get(object, "count");
    const size_t at = f->names.parameter_count;
    json_int_t numbers[3] = {0};
    char known_as[VKS_FORMULA_OPTION_NAME];
    bool good = json_array_size(list) == 3;
    for (size_t i = 0; i < 3; i++) {
        good = good && json_is_integer(json_array_get(list, i));
        numbers[i] = json_integer_value(json_array_get(list, i));
    }
    if (!good || numbers[1] < 0 || numbers[1] > numbers[0] || numbers[0] > numbers[2] ||
        numbers[2] > 4294967295LL) {
        return vks_formula_wrong(name, "has a 'count' that is not [DEFAULT, LOW, HIGH], of whole "
                                       "numbers up to 2^32 - 1");
    }
    const char *option = vks_formula_text(f, "%s", vks_formula_option_name(name, known_as));
    const char *text = vks_formula_text(f, "%lld", (long long)numbers[0]);
    vks_formula_add_option(
        f, &(const struct vks_option){
               .name = option,
               .type = VKS_OPTION_COUNT,
               .offset = offsetof(struct vks_formula_settings, counts) + at * sizeof(uint64_t),
               .min = (double)numbers[1],
               .max = (double)numbers[2],
               .default_text = text,
               .unit = "",
           });
    f->names.parameters[f->names.parameter_count++] =
        (struct vks_formula_name){name, (double)numbers[1], (double)numbers[2]};
    return option && text ? VKS_OK : vks_fail_memory();
}

/* {"choices": ["a", "b"], "help": "..."}; the first is the default. */
static enum vks_result read_choices(struct vks_formula *f, const char *name, const json_t *object)
{
    enum { MOST = 32 };
    const json_t *list = json_object_get(object, "choices");
    const size_t count = json_array_size(list), at = f->names.parameter_count;
    char known_as[VKS_FORMULA_OPTION_NAME];
    const char **choices = vks_formula_keep(f, (count + 1) * sizeof(*choices));
    bool good = count >= 2 && count <= MOST;
    for (size_t i = 0; choices && i < count; i++) {
        choices[i] = json_string_value(json_array_get(list, i));
        good = good && choices[i] && choices[i][0];
    }
    const char *option = vks_formula_text(f, "%s", vks_formula_option_name(name, known_as));
    if (!choices || !option) {
        return vks_fail_memory();
    }
    if (!good) {
        return vks_formula_wrong(name, "has 'choices' that are not a list of 2 to 32 words");
    }
    vks_formula_add_option(
        f, &(const struct vks_option){
               .name = option,
               .type = VKS_OPTION_CHOICE,
               .offset = offsetof(struct vks_formula_settings, choices) + at * sizeof(uint32_t),
               .choices = choices,
               .default_text = choices[0],
           });
    f->names.parameters[f->names.parameter_count++] =
        (struct vks_formula_name){name, 0, (double)count - 1};
    return VKS_OK;
}

static enum vks_result read_option(struct vks_formula *f, const char *name, const json_t *value)
{
    static const char *const known[] = {"count", "choices", "help", "change", NULL};
    static const char *const changes[] = {"live", "start", "never", NULL};
    const char *help = NULL;
    uint32_t change = 0;
    if (!json_is_object(value)) {
        return vks_formula_read_parameter(f, name, value);
    }
    enum vks_result result = vks_formula_check_name(f, &f->names, name);
    if (result == VKS_OK) {
        result = vks_formula_check_keys(value, known, name);
    }
    if (result == VKS_OK) {
        result = vks_formula_read_text(value, "help", "an option of the model", &help);
    }
    if (result == VKS_OK) {
        result = vks_formula_read_choice(value, "change", changes, &change);
    }
    if (result == VKS_OK) {
        result = json_object_get(value, "count")     ? read_count(f, name, value)
                 : json_object_get(value, "choices") ? read_choices(f, name, value)
                                                     : vks_formula_wrong(name, "has neither "
                                                                               "'count' nor "
                                                                               "'choices'");
    }
    if (result == VKS_OK) {
        struct vks_option *option = &f->options[f->option_count - 1];
        option->help = help;
        option->change = change == 0   ? VKS_CHANGE_LIVE
                         : change == 1 ? VKS_CHANGE_START
                                       : VKS_CHANGE_NEVER;
    }
    return result;
}

/* Calls a function for each key of an object, which may be missing. */
static enum vks_result each(struct vks_formula *f, const char *key, size_t most,
                            enum vks_result (*read)(struct vks_formula *f, const char *name,
                                                    const json_t *value))
{
    const json_t *object = json_object_get(f->json, key);
    const char *name;
    json_t *value;
    enum vks_result result = VKS_OK;
    if (object && !json_is_object(object)) {
        return vks_formula_wrong(key, "is not an object");
    }
    if (json_object_size(object) > most) {
        return vks_fail(VKS_ERROR_USAGE, "'%s' has more than %zu", key, most);
    }
    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        result = result == VKS_OK ? read(f, name, value) : result;
    }
    return result;
}

static enum vks_result read_options(struct vks_formula *f)
{
    enum vks_result result =
        each(f, "parameters", VKS_FORMULA_PARAMETERS - VKS_FOLDER_NAMES, read_option);
    f->options[0].heading = "parameters";
    f->folder->expressions = f->names;
    return result;
}

static enum vks_result read_images(struct vks_formula *f)
{
    return each(f, "images", VKS_FORMULA_NAMED_IMAGES, vks_formula_read_image);
}

/* --- items and fields ------------------------------------------------------------------------ */

static enum vks_result read_item(struct vks_formula *f, const char *name, const json_t *value)
{
    struct vks_folder *folder = f->folder;
    char where[WHERE];
    snprintf(where, sizeof(where), "items.%s", name);
    folder->items[folder->item_count].name = name;
    return parse(folder, where, value, &folder->items[folder->item_count++].count);
}

static enum vks_result read_items(struct vks_formula *f)
{
    return each(f, "items", VKS_FOLDER_ITEMS, read_item);
}

static bool has_items(const struct vks_folder *folder, const char *name)
{
    bool found = false;
    for (size_t i = 0; i < folder->item_count; i++) {
        found = found || strcmp(folder->items[i].name, name) == 0;
    }
    return found;
}

/* A shape: up to three expressions, of the slowest axis first. */
static enum vks_result read_shape(struct vks_folder *folder, const char *name, const json_t *shape,
                                  struct vks_folder_field *field)
{
    enum vks_result result = VKS_OK;
    char where[WHERE];
    field->rank = (uint32_t)json_array_size(shape);
    if (shape && (field->rank < 1 || field->rank > 3)) {
        return vks_formula_wrong(name, "has a 'shape' that is not a list of one to three numbers");
    }
    snprintf(where, sizeof(where), "%s.shape", name);
    for (uint32_t i = 0; i < field->rank && result == VKS_OK; i++) {
        result = parse(folder, where, json_array_get(shape, i), &field->shape[i]);
    }
    return result;
}

/* Scalars that come back with each batch: {"NAME": null, "NAME": ["message", ...]}. */
static enum vks_result read_watch(struct vks_formula *f, const char *name, const json_t *watch,
                                  struct vks_folder_field *field)
{
    const char *scalar;
    json_t *messages;
    size_t count = 0;
    if (watch && (!json_is_object(watch) || json_object_size(watch) > VKS_FOLDER_SCALARS)) {
        return vks_formula_wrong(name, "has a 'watch' that is not an object of up to 16 names");
    }
    json_object_foreach((json_t *)(uintptr_t)watch, scalar, messages)
    {
        const size_t lines = json_array_size(messages);
        const char **kept = lines ? vks_formula_keep(f, (lines + 1) * sizeof(*kept)) : NULL;
        bool good = json_is_null(messages) || lines > 0;
        if (lines && !kept) {
            return vks_fail_memory();
        }
        for (size_t i = 0; i < lines; i++) {
            kept[i] = json_string_value(json_array_get(messages, i));
            good = good && kept[i];
        }
        if (!good) {
            return vks_formula_wrong(scalar, "is neither null nor a list of messages");
        }
        field->scalars[count++] = (struct vks_scalar){.name = scalar, .failures = kept};
    }
    return VKS_OK;
}

static enum vks_result read_flag(const json_t *object, const char *key, bool other, bool *flag)
{
    const json_t *value = json_object_get(object, key);
    *flag = value ? json_is_true(value) : other;
    return !value || json_is_boolean(value) ? VKS_OK
                                            : vks_formula_wrong(key, "is neither true nor false");
}

static enum vks_result check_image(const struct vks_formula *f, const char *name, const char *image)
{
    for (size_t i = 0; i < f->image_count; i++) {
        if (strcmp(f->images[i].name, image) == 0) {
            return VKS_OK;
        }
    }
    return image[0] ? vks_formula_wrong(name, "has an 'image' that is not one of 'images'")
                    : VKS_OK;
}

static enum vks_result read_field(struct vks_formula *f, const char *name, const json_t *value)
{
    static const char *const known[] = {"element", "help",  "shape", "items", "state",
                                        "next",    "image", "watch", NULL};
    static const char *const elements[] = {"float32", "uint32", "uint32x2", "float16", NULL};
    struct vks_folder *folder = f->folder;
    struct vks_folder_field *field = &folder->fields[folder->field_count++];
    const char *items = "", *image = "";
    uint32_t element = 0;
    field->name = name;
    enum vks_result result = vks_formula_check_field(f, name);
    if (result == VKS_OK) {
        result = json_is_object(value)
                     ? vks_formula_check_keys(value, known, name)
                     : vks_formula_wrong(name, "is a field that is not an object");
    }
    if (result == VKS_OK) {
        result = vks_formula_read_choice(value, "element", elements, &element);
    }
    if (result == VKS_OK) {
        result = vks_formula_read_text(value, "help", "", &field->help);
    }
    if (result == VKS_OK) {
        result = vks_formula_read_text(value, "items", "", &items);
    }
    if (result == VKS_OK) {
        result = vks_formula_read_text(value, "image", "", &image);
    }
    if (result == VKS_OK) {
        result = check_image(f, name, image);
    }
    if (result == VKS_OK) {
        result = read_shape(folder, name, json_object_get(value, "shape"), field);
    }
    if (result == VKS_OK) {
        result = read_flag(value, "state", field->rank == 0 && !image[0], &field->persistent);
    }
    if (result == VKS_OK) {
        result = read_flag(value, "next", false, &field->ping_pong);
    }
    if (result == VKS_OK) {
        result = read_watch(f, name, json_object_get(value, "watch"), field);
    }
    if (result != VKS_OK) {
        return result;
    }
    if (items[0] && !has_items(folder, items)) {
        return vks_formula_wrong(name, "has 'items' that are not one of 'items'");
    }
    if (items[0] && !field->rank) {
        field->rank = 1;
    }
    field->element = (enum vks_element)(VKS_F32 + element);
    field->items = items[0] ? items : NULL;
    field->image = image[0] ? image : NULL;
    return !image[0] || field->element == VKS_F32
               ? VKS_OK
               : vks_formula_wrong(name, "has an 'image', which only a field of float32 can have");
}

static enum vks_result read_fields(struct vks_formula *f)
{
    const enum vks_result result = each(f, "fields", VKS_FOLDER_FIELDS, read_field);
    return result == VKS_OK && f->folder->field_count == 0
               ? vks_formula_wrong("fields", "is missing or empty")
               : result;
}

/* --- passes ---------------------------------------------------------------------------------- */

/* Adds the words of one field: "read", or ["read", "write-next"]. */
static enum vks_result read_use(const char *where, const char *field, const json_t *words,
                                struct vks_folder_pass *pass, size_t *count)
{
    static const char *const accesses[] = {"read",        "write",      "read-write",  "atomic",
                                           "atomic-read", "write-next", "atomic-next", NULL};
    static const unsigned char bits[] = {
        VKS_READ,       VKS_WRITE,      VKS_READ_WRITE, VKS_ATOMIC, VKS_ATOMIC | VKS_READ,
        VKS_WRITE_NEXT, VKS_ATOMIC_NEXT};
    const size_t most = json_is_array(words) ? json_array_size(words) : 1;
    char list[256];
    for (size_t i = 0; i < most; i++) {
        const char *word =
            json_string_value(json_is_array(words) ? json_array_get(words, i) : words);
        size_t access = 0;
        while (word && accesses[access] && strcmp(accesses[access], word) != 0) {
            access++;
        }
        if (!word || !accesses[access]) {
            return vks_fail(VKS_ERROR_USAGE, "'%s.%s' is not one of: %s, or a list of them", where,
                            field, vks_join(accesses, list, sizeof(list)));
        }
        if (*count == VKS_FOLDER_USES) {
            return vks_formula_wrong(where, "has more than 24 uses");
        }
        pass->uses[(*count)++] = (struct vks_use){.field = field, .access = bits[access]};
    }
    return VKS_OK;
}

static enum vks_result read_uses(const char *name, const json_t *uses, struct vks_folder_pass *pass)
{
    char where[WHERE];
    const char *field;
    json_t *words;
    size_t count = 0;
    enum vks_result result = VKS_OK;
    snprintf(where, sizeof(where), "%s.uses", name);
    if (!json_is_object(uses)) {
        return vks_formula_wrong(where, uses ? "is not an object of fields" : "is missing");
    }
    json_object_foreach((json_t *)(uintptr_t)uses, field, words)
    {
        result = result == VKS_OK ? read_use(where, field, words, pass, &count) : result;
    }
    return result;
}

static bool is_identifier(const char *name)
{
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_");
    return length > 0 && name[length] == '\0' && !(name[0] >= '0' && name[0] <= '9');
}

/* {"NAME": EXPRESSION} are uint, {"NAME": {"float": EXPRESSION}} float. */
static enum vks_result read_constants(struct vks_folder *folder, const char *name,
                                      const json_t *constants, struct vks_folder_pass *pass)
{
    char where[WHERE];
    const char *constant;
    json_t *value;
    enum vks_result result = VKS_OK;
    if (constants &&
        (!json_is_object(constants) || json_object_size(constants) > VKS_FOLDER_CONSTANTS)) {
        return vks_formula_wrong(name, "has 'constants' that are not an object of up to 30");
    }
    json_object_foreach((json_t *)(uintptr_t)constants, constant, value)
    {
        const json_t *real = json_object_get(value, "float");
        snprintf(where, sizeof(where), "%s.constants.%.60s", name, constant);
        if (result == VKS_OK && json_is_object(value) && (!real || json_object_size(value) != 1)) {
            result = vks_formula_wrong(where, "is neither an expression nor {\"float\": E}");
        }
        if (result == VKS_OK && !is_identifier(constant)) {
            result = vks_formula_wrong(where, "has a name that is not one of GLSL");
        }
        if (result == VKS_OK) {
            pass->constants[pass->constant_count].name = constant;
            pass->constants[pass->constant_count].real = real != NULL;
            result = parse(folder, where, real ? real : value,
                           &pass->constants[pass->constant_count++].node);
        }
    }
    return result;
}

static enum vks_result read_specializations(struct vks_folder *folder, const char *name,
                                            const json_t *object, struct vks_folder_pass *pass)
{
    char where[WHERE];
    const char *constant;
    json_t *value;
    enum vks_result result = VKS_OK;
    if (object &&
        (!json_is_object(object) || json_object_size(object) > VKS_FOLDER_SPECIALIZATIONS)) {
        return vks_formula_wrong(name, "has 'specializations' that are not an object of up to 16");
    }
    json_object_foreach((json_t *)(uintptr_t)object, constant, value)
    {
        if (result == VKS_OK) {
            snprintf(where, sizeof(where), "%s.specializations.%.60s", name, constant);
            pass->specializations[pass->specialization_count].name = constant;
            result = parse(folder, where, value,
                           &pass->specializations[pass->specialization_count++].node);
        }
    }
    return result;
}

/* A list of one or two expressions, or numbers. */
static enum vks_result read_extent(struct vks_folder *folder, const char *name, const json_t *pass,
                                   struct vks_folder_pass *row)
{
    const json_t *items = json_object_get(pass, "items"), *group = json_object_get(pass, "group");
    char where[WHERE];
    enum vks_result result = VKS_OK;
    if ((items && (json_array_size(items) < 1 || json_array_size(items) > 2)) ||
        (group && (json_array_size(group) < 1 || json_array_size(group) > 2))) {
        return vks_formula_wrong(name, "has 'items' or a 'group' that are not lists of one or two "
                                       "numbers");
    }
    row->has_items = items != NULL;
    row->items[1] = vks_node_number(&folder->expressions, 0);
    snprintf(where, sizeof(where), "%s.items", name);
    for (size_t i = 0; i < json_array_size(items) && result == VKS_OK; i++) {
        result = parse(folder, where, json_array_get(items, i), &row->items[i]);
    }
    for (size_t i = 0; i < json_array_size(group) && result == VKS_OK; i++) {
        const json_int_t side = json_integer_value(json_array_get(group, i));
        row->group[i] = side > 0 && side <= 1024 ? (uint32_t)side : 0;
        if (row->group[i] == 0) {
            result = vks_formula_wrong(name, "has a 'group' that is not of whole numbers");
        }
    }
    if (group && json_array_size(group) == 1) {
        row->group[1] = 1;
    }
    return result;
}

/* The constants of a pass as GLSL. */
static char *constants_text(const struct vks_folder_pass *pass)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out) {
        fputs("#include \"lib/pass.glsl\"\n", out);
        fputs(pass->constant_count ? "struct vks_folder_constants {\n" : "", out);
        for (size_t i = 0; i < pass->constant_count; i++) {
            fprintf(out, "    %s %s;\n", pass->constants[i].real ? "float" : "uint",
                    pass->constants[i].name);
        }
        fputs(pass->constant_count ? "};\nVKS_CONSTANTS(vks_folder_constants);\n" : "", out);
        if (fclose(out) != 0) {
            free(text);
            text = NULL;
        }
    }
    return text;
}

/* The source of a pass; its text and constants are to be freed, also after a failure. */
static enum vks_result read_source(const struct vks_formula *f, const struct vks_folder_pass *pass,
                                   struct vks_shader_source *source)
{
    char *path = vks_format("%s/%s", f->folder->path, pass->file), *text = NULL;
    size_t size = 0;
    *source = (struct vks_shader_source){
        .name = pass->shader,
        .path = pass->file,
        .folder = f->folder->path,
        .constants = constants_text(pass),
    };
    enum vks_result result = path && source->constants ? VKS_OK : vks_fail_memory();
    if (result == VKS_OK) {
        result = vks_read_regular_file(path, 1 << 20, &text, &size);
    }
    if (result == VKS_OK) {
        source->text = text;
        source->wide = strstr(text, "VKS_FIELD") != NULL;
    }
    free(path);
    return result;
}

static void source_free(struct vks_shader_source *source)
{
    free((char *)(uintptr_t)source->text);
    free((char *)(uintptr_t)source->constants);
}

static enum vks_result compile(struct vks_formula *f, const char *file,
                               struct vks_folder_pass *pass)
{
    struct vks_shader_source source;
    pass->shader = vks_formula_text(f, "%s/%s", f->model.name, pass->name);
    pass->file = file;
    if (!pass->shader) {
        return vks_fail_memory();
    }
    enum vks_result result = read_source(f, pass, &source);
    source.digest = f->folder->digest;
    if (result == VKS_OK) {
        result = vks_shader_compile(&source, &pass->compiled);
    }
    source_free(&source);
    return result;
}

static const char *const whens[] = {"step", "start", "change", "ready", "frame", NULL};
/* In that order, and for a mistake. */
static const enum vks_when when_of[VKS_COUNT(whens)] = {
    VKS_EACH_STEP, VKS_AT_START, VKS_AT_CHANGE, VKS_WHEN_READY, VKS_EACH_FRAME, VKS_EACH_STEP};

static enum vks_result read_shader(struct vks_formula *f, const json_t *pass,
                                   struct vks_folder_pass *row)
{
    static const char *const known[] = {"pass",      "shader",          "when",  "every", "uses",
                                        "constants", "specializations", "items", "group", NULL};
    struct vks_folder *folder = f->folder;
    const char *shader = NULL;
    enum vks_result result = vks_formula_check_keys(pass, known, row->name);
    if (result == VKS_OK) {
        result = vks_formula_read_text(pass, "shader", NULL, &shader);
    }
    if (result == VKS_OK) {
        result = read_uses(row->name, json_object_get(pass, "uses"), row);
    }
    if (result == VKS_OK) {
        result = read_constants(folder, row->name, json_object_get(pass, "constants"), row);
    }
    if (result == VKS_OK) {
        result =
            read_specializations(folder, row->name, json_object_get(pass, "specializations"), row);
    }
    if (result == VKS_OK) {
        result = read_extent(folder, row->name, pass, row);
    }
    return result == VKS_OK ? compile(f, shader, row) : result;
}

/* {"range": FIELD, "result": NAME} and so on. */
static enum vks_result read_primitive(struct vks_formula *f, const json_t *pass, const char *kind,
                                      struct vks_folder_pass *row)
{
    static const char *const known[] = {"range",  "sum",  "mean", "scan",   "sort",  "fft",
                                        "result", "when", "max",  "factor", "every", "exponent",
                                        "key",    "bins", "into", NULL};
    const bool sorts = row->kind == VKS_FOLDER_SORT, solves = row->kind == VKS_FOLDER_FFT;
    const char *number = sorts ? "bins" : solves ? "factor" : "max";
    const json_t *exponent = json_object_get(pass, "exponent");
    char where[WHERE];
    enum vks_result result = vks_formula_check_keys(pass, known, kind);
    if (result == VKS_OK) {
        result = vks_formula_read_text(pass, kind, NULL, &row->source);
    }
    if (result == VKS_OK && (sorts || solves)) {
        result = vks_formula_read_text(pass, sorts ? "key" : "into", NULL, &row->target);
    }
    if (result == VKS_OK && !sorts) {
        result = vks_formula_read_text(pass, "result", solves ? row->source : NULL, &row->name);
    }
    if (result == VKS_OK && (sorts || solves || row->kind == VKS_FOLDER_MEAN)) {
        snprintf(where, sizeof(where), "%s.%s", kind, number);
        result = parse(f->folder, where, json_object_get(pass, number), &row->number);
    }
    row->exponent = (int)json_integer_value(exponent);
    if (result == VKS_OK && row->kind == VKS_FOLDER_SUM &&
        !(json_is_integer(exponent) && row->exponent >= -126 && row->exponent <= 127)) {
        result = vks_formula_wrong(kind, "has an 'exponent' that is not from -126 to 127");
    }
    return result;
}

static enum vks_result read_pass(struct vks_formula *f, const json_t *pass)
{
    static const char *const kinds[] = {"pass", "range", "sum", "mean",
                                        "scan", "sort",  "fft", NULL};
    struct vks_folder_pass *row = &f->folder->passes[f->folder->pass_count++];
    const json_t *every = json_object_get(pass, "every");
    uint32_t when = 0;
    size_t kind = 0;
    char list[128];
    while (kinds[kind] && !json_object_get(pass, kinds[kind])) {
        kind++;
    }
    if (!kinds[kind]) {
        return vks_fail(VKS_ERROR_USAGE, "entry %zu of 'passes' has none of: %s",
                        f->folder->pass_count, vks_join(kinds, list, sizeof(list)));
    }
    row->kind = (enum vks_folder_kind)kind;
    enum vks_result result = vks_formula_read_choice(pass, "when", whens, &when);
    row->when = when_of[when];
    row->every = (uint32_t)json_integer_value(every);
    if (result == VKS_OK && every && (!json_is_integer(every) || row->every < 1)) {
        result = vks_formula_wrong("every", "is not a number of steps");
    }
    if (result == VKS_OK) {
        result = vks_formula_read_text(pass, kinds[kind], NULL, &row->name);
    }
    if (result == VKS_OK) {
        result = kind == 0 ? read_shader(f, pass, row) : read_primitive(f, pass, kinds[kind], row);
    }
    return result;
}

static enum vks_result read_passes(struct vks_formula *f)
{
    const json_t *passes = json_object_get(f->json, "passes");
    const size_t count = json_array_size(passes);
    enum vks_result result = VKS_OK;
    if (count < 1 || count > VKS_FOLDER_PASSES) {
        return vks_formula_wrong("passes", "is not a list of 1 to 64 passes");
    }
    for (size_t i = 0; i < count && result == VKS_OK; i++) {
        result = read_pass(f, json_array_get(passes, i));
    }
    return result;
}

/* --- views ----------------------------------------------------------------------------------- */

static enum vks_result read_view(struct vks_formula *f, const char *name, const json_t *value)
{
    static const char *const known[] = {"field", "points", "help", "unit", NULL};
    struct vks_view *view = &f->views[f->view_count++];
    const json_t *points = json_object_get(value, "points");
    enum vks_result result = json_is_object(value)
                                 ? vks_formula_check_keys(value, known, name)
                                 : vks_formula_wrong(name, "is a view that is not an object");
    view->name = name;
    if (result == VKS_OK && !points) {
        result = vks_formula_read_text(value, "field", NULL, &view->field);
    }
    if (result == VKS_OK) {
        result = vks_formula_read_text(value, "help", "", &view->help);
    }
    if (result == VKS_OK && json_object_get(value, "unit")) {
        result = vks_formula_read_text(value, "unit", "", &view->unit);
    }
    if (result == VKS_OK && points && json_array_size(points) != 3) {
        result = vks_formula_wrong(name, "has 'points' that are not [Z, Y, X], of which Z may be "
                                         "null");
    }
    for (size_t i = 0; i < 3 && points && result == VKS_OK; i++) {
        view->points[i] = json_string_value(json_array_get(points, i));
    }
    return result;
}

/* The views, or each field of floats of the state that has the grid's shape. */
static enum vks_result read_views(struct vks_formula *f)
{
    enum vks_result result = each(f, "views", VKS_FORMULA_VIEWS, read_view);
    for (size_t i = 0; i < f->folder->field_count && !json_object_get(f->json, "views"); i++) {
        const struct vks_folder_field *field = &f->folder->fields[i];
        const bool floats = field->element == VKS_F32 || field->element == VKS_F16;
        if (floats && field->persistent && field->rank == 0 && f->view_count < VKS_FORMULA_VIEWS) {
            f->views[f->view_count++] =
                (struct vks_view){.name = field->name, .field = field->name, .help = field->help};
        }
    }
    return result == VKS_OK && f->view_count == 0
               ? vks_formula_wrong("views", "is missing, and no field can be shown")
               : result;
}

static enum vks_result read_starts(struct vks_formula *f)
{
    const json_t *init = json_object_get(f->json, "init");
    const size_t count = json_array_size(init);
    if (init && (count < 1 || count > VKS_FORMULA_STARTS)) {
        return vks_formula_wrong("init", "is not a list of 1 to 16 names");
    }
    for (size_t i = 0; i < count; i++) {
        f->start_names[f->start_count] = json_string_value(json_array_get(init, i));
        if (!f->start_names[f->start_count++]) {
            return vks_formula_wrong("init", "has something that is not a name");
        }
    }
    if (!init) {
        f->start_names[f->start_count++] = "default";
    }
    return VKS_OK;
}

/* --- the whole ------------------------------------------------------------------------------- */

/* The digest of model.json and the shaders. */
static enum vks_result set_version(struct vks_formula *f)
{
    char *text = vks_formula_canonical(f->json);
    if (!text) {
        return vks_fail_memory();
    }
    vks_digest_update(f->folder->digest, text, strlen(text));
    vks_digest_hex(f->folder->digest, f->folder->version);
    free(text);
    return VKS_OK;
}

enum vks_result vks_folder_read(struct vks_formula *formula)
{
    enum vks_result (*const parts[])(struct vks_formula *) = {
        read_names,  vks_formula_read_name, read_options, read_images, read_items,
        read_fields, read_starts,           read_passes,  read_views,  vks_formula_read_presets};
    formula->folder = calloc(1, sizeof(*formula->folder));
    if (!formula->folder || !(formula->folder->path = vks_folder_of(formula->path)) ||
        !(formula->folder->digest = vks_digest_create())) {
        return vks_fail_memory();
    }
    enum vks_result result = vks_formula_check_keys(formula->json, keys, "");
    if (result == VKS_OK && json_integer_value(json_object_get(formula->json, "shaders")) != 1) {
        result = vks_formula_wrong("shaders", "is not 1, the version that this vksim reads");
    }
    if (result == VKS_OK) {
        result = read_flag(formula->json, "volumes", false, &formula->model.volumes);
    }
    for (size_t i = 0; i < VKS_COUNT(parts) && result == VKS_OK; i++) {
        result = parts[i](formula);
    }
    formula->model.options = (struct vks_option_table){formula->options, formula->option_count};
    return result == VKS_OK ? set_version(formula) : result;
}

void vks_folder_free(struct vks_folder *folder)
{
    for (size_t i = 0; folder && i < folder->pass_count; i++) {
        vks_shader_discard(folder->passes[i].compiled);
    }
    if (folder) {
        vks_expressions_free(&folder->expressions);
        vks_digest_destroy(folder->digest);
        free(folder->path);
    }
    free(folder);
}

bool vks_folder_equal(const struct vks_model *a, const struct vks_model *b)
{
    if (!vks_is_folder(a) || !vks_is_folder(b) || strcmp(a->name, b->name) != 0) {
        return false;
    }
    const struct vks_formula *one = a->user, *other = b->user;
    return strcmp(one->folder->version, other->folder->version) == 0;
}

/* --- hot reload ------------------------------------------------------------------------------ */

const char *vks_folder_path(const struct vks_model *model)
{
    const struct vks_formula *f = vks_is_folder(model) ? model->user : NULL;
    return f ? f->folder->path : NULL;
}

/* The pass of a shader; NULL: there are fewer. */
static const struct vks_folder_pass *pass_of(const struct vks_formula *f, size_t index)
{
    for (size_t i = 0; i < f->folder->pass_count; i++) {
        const struct vks_folder_pass *pass = &f->folder->passes[i];
        if (pass->kind == VKS_FOLDER_PASS && index-- == 0) {
            return pass;
        }
    }
    return NULL;
}

const char *vks_folder_shader(const struct vks_model *model, size_t index)
{
    const struct vks_folder_pass *pass = pass_of(model->user, index);
    return pass ? pass->shader : NULL;
}

char *vks_folder_text(const struct vks_model *model, size_t index, const char **file)
{
    const struct vks_formula *f = model->user;
    const struct vks_folder_pass *pass = pass_of(f, index);
    struct vks_shader_source source;
    char *text = NULL;
    *file = pass->file;
    if (read_source(f, pass, &source) == VKS_OK) {
        text = vks_shader_splice(&source);
    }
    source_free(&source);
    return text;
}
