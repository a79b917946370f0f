/* SPDX-License-Identifier: MIT */
/* A compound from its JSON: parts, parameters and the expressions of inputs. */
#include "formula/compound.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/option.h"
#include "sim/registry.h"

static const char *const keys[] = {"compound", "name", "summary", "source",     "parts",
                                   "inputs",   "let",  "presets", "parameters", NULL};

/* --- parts ----------------------------------------------------------------------------------- */

/* The path of NAME or NAME.json beside the compound, to be freed; NULL: there is no such file. */
static char *file_beside(const struct vks_formula *f, const char *name)
{
    char *folder = vks_folder_of(f->path);
    char *path = folder ? vks_format("%s/%s%s", folder, name,
                                     vks_has_extension(name, ".json") ? "" : ".json")
                        : NULL;
    FILE *file = path ? fopen(path, "re") : NULL;
    free(folder);
    if (!file) {
        free(path);
        return NULL;
    }
    fclose(file);
    return path;
}

/* Makes a model of formulas of its own for the part, which the text or the file has. */
static enum vks_result make_part(struct vks_compound_part *part, const char *text, const char *path)
{
    enum vks_result result = text ? vks_formula_parse(text, strlen(text), path, &part->model)
                                  : vks_formula_load(path, &part->model);
    part->owned = result == VKS_OK;
    return result;
}

/* Finds the model that a name stands for: a built-in one, a file beside the compound, or one of
 * formulas that is registered. */
static enum vks_result find_part(const struct vks_formula *f, struct vks_compound_part *part,
                                 const char *name, bool has_files)
{
    const struct vks_model *model = vks_model_known(name);
    char *path = has_files && (!model || model->user) ? file_beside(f, name) : NULL;
    enum vks_result result = VKS_OK;
    if (path) {
        result = make_part(part, NULL, path);
    } else if (model && vks_is_formula(model)) {
        const struct vks_formula *other = model->user;
        result = make_part(part, other->canonical, name);
    } else if (model) {
        part->model = model;
    } else {
        vks_model_find(name);
        result = vks_fail(VKS_ERROR_USAGE, "part '%s': %s", part->name, vks_error_text());
    }
    free(path);
    return result;
}

/* What a model cannot be a part for, or NULL. */
static const char *wrong_with_part(const struct vks_compound_part *part)
{
    const struct vks_formula *f = part->model->user;
    return part->model->needs_image ? "starts from an image, which parts do not have"
           : f && f->folder         ? "has shaders; only built-in simulations and formulas can be "
                                      "parts"
                                    : NULL;
}

/* The text of a formula becomes a part of the compound's, whose scenes so have it, too. */
static enum vks_result embed(const struct vks_formula *f, struct vks_compound_part *part)
{
    struct vks_formula *own = (struct vks_formula *)(uintptr_t)part->model->user;
    const char *name = vks_formula_text(own, "%s.%s", f->model.name, part->name);
    if (!name || json_object_set(json_object_get(f->json, "parts"), part->name, own->json) != 0) {
        return vks_fail_memory();
    }
    own->model.name = name; /* its shaders are not those of another model of this name */
    return VKS_OK;
}

static enum vks_result read_part(struct vks_formula *f, const char *name, const json_t *value,
                                 bool has_files)
{
    struct vks_compound_part *part = &f->compound->parts[f->compound->part_count];
    enum vks_result result = vks_formula_check_name(f, &f->names, name);
    char known_as[VKS_FORMULA_OPTION_NAME];
    part->name = name;
    if (result == VKS_OK &&
        (strlen(name) > 15 || strcmp(vks_formula_option_name(name, known_as), name) != 0)) {
        result = vks_formula_wrong(name, "is not the name of a part: a-z and 0-9, 15 at most");
    }
    if (result == VKS_OK && json_is_string(value)) {
        result = find_part(f, part, json_string_value(value), has_files);
    } else if (result == VKS_OK && json_is_object(value)) {
        char *text = vks_formula_canonical(value);
        result = text ? make_part(part, text, name) : vks_fail_memory();
        free(text);
    } else if (result == VKS_OK) {
        result = vks_formula_wrong(name, "is neither the name of a model nor formulas");
    }
    f->compound->part_count += result == VKS_OK;
    const char *wrong = result == VKS_OK ? wrong_with_part(part) : NULL;
    if (wrong) {
        return vks_fail(VKS_ERROR_USAGE, "part '%s': %s %s", name, part->model->name, wrong);
    }
    part->scope = vks_formula_text(f, "%s.", name);
    if (result == VKS_OK && !part->scope) {
        result = vks_fail_memory();
    }
    return result == VKS_OK && part->owned ? embed(f, part) : result;
}

static enum vks_result read_parts(struct vks_formula *f, bool has_files)
{
    json_t *parts = json_object_get(f->json, "parts");
    struct vks_compound *c = f->compound;
    const char *name;
    json_t *value;
    void *next;
    enum vks_result result = VKS_OK;
    if (json_object_size(parts) < 2 || json_object_size(parts) > VKS_COMPOUND_PARTS) {
        return vks_formula_wrong("parts", "is not an object of 2 to 4 models");
    }
    json_object_foreach_safe(parts, next, name, value)
    {
        result = result == VKS_OK ? read_part(f, name, value, has_files) : result;
    }
    f->model.volumes = f->model.unit_box = true;
    for (size_t i = 0; i < c->part_count; i++) {
        f->model.volumes = f->model.volumes && c->parts[i].model->volumes;
        f->model.unit_box = f->model.unit_box && c->parts[i].model->unit_box;
    }
    f->names.dimensions = f->model.volumes ? 3 : 2;
    f->names.foreign = true;
    return result;
}

/* --- parameters ------------------------------------------------------------------------------ */

/* The first two, which operators use, are 1. */
static enum vks_result read_parameters(struct vks_formula *f)
{
    const json_t *parameters = json_object_get(f->json, "parameters");
    const char *name;
    json_t *value;
    enum vks_result result = !parameters || json_is_object(parameters)
                                 ? VKS_OK
                                 : vks_formula_wrong("parameters", "is not an object");
    f->names.parameters[f->names.parameter_count++] = (struct vks_formula_name){"dt", 1, 1};
    f->names.parameters[f->names.parameter_count++] = (struct vks_formula_name){"dx", 1, 1};
    json_object_foreach((json_t *)(uintptr_t)parameters, name, value)
    {
        result = result == VKS_OK ? vks_formula_read_parameter(f, name, value) : result;
    }
    return result;
}

/* --- inputs ---------------------------------------------------------------------------------- */

static enum vks_result unknown_input(const struct vks_compound_part *part, const char *key,
                                     const char *name)
{
    const char *names[VKS_FORMULA_PARAMETERS + VKS_FORMULA_NAMED_IMAGES + 1] = {NULL};
    char list[1024];
    const struct vks_input *inputs = part->model->inputs;
    for (size_t i = 0; inputs && inputs[i].name; i++) {
        names[i] = inputs[i].name;
    }
    return inputs ? vks_fail(VKS_ERROR_USAGE, "'inputs.%s': %s has no input '%s', only: %s", key,
                             part->model->name, name, vks_join(names, list, sizeof(list)))
                  : vks_fail(VKS_ERROR_USAGE, "'inputs.%s': %s takes no inputs", key,
                             part->model->name);
}

/* The part that a name such as "mould.trail" begins with; NULL: there is none. */
static struct vks_compound_part *part_of(struct vks_compound *c, const char *name)
{
    for (size_t i = 0; i < c->part_count; i++) {
        if (strncmp(name, c->parts[i].scope, strlen(c->parts[i].scope)) == 0) {
            return &c->parts[i];
        }
    }
    return NULL;
}

/* Fixes an option for an input: "name" or "name=value". */
static enum vks_result fix_option(struct vks_formula *f, struct vks_compound_part *part,
                                  const char *word, size_t length)
{
    const size_t name_length = strcspn(word, "= ");
    const char *name = vks_formula_text(f, "%.*s", (int)name_length, word);
    const char *value =
        name_length < length
            ? vks_formula_text(f, "%.*s", (int)(length - name_length - 1), word + name_length + 1)
            : NULL;
    struct vks_compound_fixed *known =
        name ? (struct vks_compound_fixed *)(uintptr_t)vks_compound_fixed(part, name) : NULL;
    if (!name || (name_length < length && !value)) {
        return vks_fail_memory();
    }
    if (known && known->value && value) { /* of a list */
        known->value = vks_formula_text(f, "%s,%s", known->value, value);
        return known->value ? VKS_OK : vks_fail_memory();
    }
    if (known) {
        known->value = value ? value : known->value;
        return VKS_OK;
    }
    if (part->fixed_count == VKS_COMPOUND_FIXED) {
        return vks_formula_wrong(part->name, "has too many inputs");
    }
    part->fixed[part->fixed_count++] =
        (struct vks_compound_fixed){vks_option_find(part->model->options, name), value};
    return VKS_OK;
}

static enum vks_result fix_options(struct vks_formula *f, struct vks_compound_part *part,
                                   const struct vks_input *input)
{
    enum vks_result result = VKS_OK;
    for (const char *at = input->options; *at && result == VKS_OK;) {
        const size_t length = strcspn(at, " ");
        result = fix_option(f, part, at, length);
        at += length + (at[length] == ' ');
    }
    return result;
}

static enum vks_result read_input(struct vks_formula *f, const char *key, const json_t *value)
{
    struct vks_compound *c = f->compound;
    struct vks_compound_part *part = part_of(c, key);
    struct vks_compound_input *input = &c->inputs[c->input_count];
    char digits[64];
    size_t of_part = 0;
    if (c->input_count == VKS_COMPOUND_INPUTS) {
        return vks_formula_wrong("inputs", "are more than 20");
    }
    if (!part) {
        return vks_formula_wrong(key, "is not PART.INPUT, with the name of a part");
    }
    input->part = (size_t)(part - c->parts);
    input->input = part->model->inputs;
    while (input->input && input->input->name &&
           strcmp(input->input->name, key + strlen(part->scope)) != 0) {
        input->input++;
    }
    if (!input->input || !input->input->name) {
        return unknown_input(part, key, key + strlen(part->scope));
    }
    for (size_t i = 0; i < c->input_count; i++) {
        of_part += c->inputs[i].part == input->part;
    }
    if (of_part == VKS_FORMULA_FIELDS) {
        return vks_formula_wrong(part->name, "has more than 8 inputs");
    }
    input->key = vks_formula_text(f, "inputs.%s", key);
    input->value =
        json_is_number(value)
            ? vks_formula_text(f, "%s",
                               vks_format_real(json_number_value(value), digits, sizeof(digits)))
            : json_string_value(value);
    c->input_count++;
    if (!input->key || !input->value) {
        return json_is_string(value) || json_is_number(value)
                   ? vks_fail_memory()
                   : vks_formula_wrong(key, "is neither an expression nor a number");
    }
    return fix_options(f, part, input->input);
}

static enum vks_result read_inputs(struct vks_formula *f)
{
    const json_t *inputs = json_object_get(f->json, "inputs");
    const char *key;
    json_t *value;
    enum vks_result result = !inputs || json_is_object(inputs)
                                 ? VKS_OK
                                 : vks_formula_wrong("inputs", "is not an object of expressions");
    json_object_foreach((json_t *)(uintptr_t)inputs, key, value)
    {
        result = result == VKS_OK ? read_input(f, key, value) : result;
    }
    return result;
}

/* --- names of expressions -------------------------------------------------------------------- */

/* Steps of each part for its default options, to see which fields it has. */
struct probe {
    const struct vks_formula *formula;
    void *settings;
    struct vks_config config;
    struct vks_declaration parts[VKS_COMPOUND_PARTS];
    bool probed[VKS_COMPOUND_PARTS];
};

static enum vks_result begin_probe(const struct vks_formula *f, struct probe *probe)
{
    *probe = (struct probe){.formula = f, .settings = calloc(1, f->model.settings_size)};
    if (!probe->settings) {
        return vks_fail_memory();
    }
    enum vks_result result = vks_options_reset(f->model.options, probe->settings);
    vks_options_resolve(f->model.options, probe->settings);
    result = result == VKS_OK ? f->model.parse(&f->model, probe->settings) : result;
    probe->config = (struct vks_config){.model = &f->model,
                                        .width = 40,
                                        .height = 24,
                                        .depth = 1,
                                        .steps_per_frame = 1,
                                        .settings = probe->settings};
    return result;
}

static void end_probe(struct probe *probe)
{
    for (size_t i = 0; i < VKS_COMPOUND_PARTS; i++) {
        vks_declaration_free(&probe->parts[i]);
    }
    if (probe->settings) {
        vks_options_free(probe->formula->model.options, probe->settings);
    }
    free(probe->settings);
}

/* The names of a part's fields that expressions can read: float32 of the state with a value per
 * cell; of formulas without declaring them, which takes a compiler. */
static enum vks_result list_fields(struct probe *probe, size_t part, const char **names)
{
    enum { MAX = 60 };
    const struct vks_compound *c = probe->formula->compound;
    const struct vks_model *model = c->parts[part].model;
    struct vks_declaration *d = &probe->parts[part];
    size_t count = 0;
    if (vks_is_formula(model)) {
        const struct vks_formula *own = model->user;
        for (size_t i = 0; i < own->field_count; i++) {
            names[count++] = own->names.fields[i].name;
        }
        return VKS_OK;
    }
    if (!probe->probed[part]) {
        vks_declaration_grid(d, 1, probe->config.height, probe->config.width);
        vks_compound_declare_part(&probe->config, part, d);
        probe->probed[part] = true;
    }
    for (size_t i = 0; i < d->field_count && count < MAX; i++) {
        const struct vks_field *field = &d->fields[i];
        if (field->persistent && field->element == VKS_F32 && field->rank == 2 &&
            field->shape[0] == probe->config.height && field->shape[1] == probe->config.width &&
            !vks_compound_is_input(c, part, field->plain)) {
            names[count++] = field->plain;
        }
    }
    return d->result;
}

/* Adds the field of a name such as "mould.trail" to those of expressions. */
static enum vks_result add_field(struct vks_formula *f, struct probe *probe, const char *key,
                                 const char *name)
{
    struct vks_expressions *e = &f->names;
    const struct vks_compound_part *part = part_of(f->compound, name);
    const char *names[64] = {NULL};
    char list[512];
    if (!part) {
        return vks_fail(VKS_ERROR_USAGE, "'%s': '%s' does not begin with the name of a part", key,
                        name);
    }
    for (size_t i = 0; i < e->field_count; i++) {
        if (strcmp(e->fields[i].name, name) == 0) {
            return VKS_OK;
        }
    }
    const char *field = name + strlen(part->scope);
    const enum vks_result result = list_fields(probe, (size_t)(part - f->compound->parts), names);
    if (result == VKS_OK && !names[0]) {
        return vks_fail(VKS_ERROR_USAGE, "'%s': %s has no fields that can be read", key,
                        part->name);
    }
    if (result == VKS_OK && !vks_formula_is_listed(names, field)) {
        return vks_fail(VKS_ERROR_USAGE, "'%s': %s has no field '%s' that can be read, only: %s",
                        key, part->name, field, vks_join(names, list, sizeof(list)));
    }
    if (result == VKS_OK && e->field_count == VKS_COMPOUND_READS) {
        return vks_formula_wrong("inputs", "read more than 12 fields");
    }
    if (result == VKS_OK) {
        e->fields[e->field_count++] =
            (struct vks_formula_name){vks_formula_text(f, "%s", name), -0x1p30, 0x1p30};
    }
    return result;
}

static bool is_letter(char letter)
{
    return isalpha((unsigned char)letter) || letter == '_';
}

/* Adds the fields that an expression names. */
static enum vks_result scan(struct vks_formula *f, struct probe *probe, const char *key,
                            const char *text)
{
    enum { LONGEST = 64 };
    enum vks_result result = VKS_OK;
    for (const char *at = text; at && *at && result == VKS_OK;) {
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '_' || at[length] == '.') {
            length++;
        }
        char name[LONGEST];
        snprintf(name, sizeof(name), "%.*s", (int)length, at);
        if (is_letter(at[0]) && strchr(name, '.')) {
            result = add_field(f, probe, key, name);
        }
        at += length > 0 ? length : 1;
    }
    return result;
}

/* The fields that expressions read, then those that they give. */
static enum vks_result read_names(struct vks_formula *f)
{
    struct vks_compound *c = f->compound;
    struct vks_expressions *e = &f->names;
    const char *name;
    json_t *value;
    struct probe probe;
    enum vks_result result = begin_probe(f, &probe);
    for (size_t i = 0; i < c->input_count && result == VKS_OK; i++) {
        result = scan(f, &probe, c->inputs[i].key, c->inputs[i].value);
    }
    json_object_foreach(json_object_get(f->json, "let"), name, value)
    {
        result = result == VKS_OK ? scan(f, &probe, name, json_string_value(value)) : result;
    }
    end_probe(&probe);
    for (size_t i = 0; i < c->input_count && result == VKS_OK; i++) {
        const struct vks_compound_part *part = &c->parts[c->inputs[i].part];
        c->inputs[i].field = (uint32_t)e->field_count;
        /* Values are limited before, and never outside these limits. */
        e->fields[e->field_count++] = (struct vks_formula_name){
            vks_formula_text(f, "%s%s", part->scope, c->inputs[i].input->field), -0x1p62, 0x1p62};
        result = e->fields[e->field_count - 1].name ? VKS_OK : vks_fail_memory();
    }
    e->all_fields = e->field_count;
    return result;
}

/* Options that multiply inputs become parameters after those of the file. */
static enum vks_result add_factors(struct vks_formula *f)
{
    struct vks_compound *c = f->compound;
    struct vks_expressions *e = &f->names;
    for (size_t i = 0; i < c->input_count; i++) {
        const struct vks_compound_part *part = &c->parts[c->inputs[i].part];
        const char *times = c->inputs[i].input->times;
        if (!times) {
            continue;
        }
        if (e->parameter_count == VKS_FORMULA_PARAMETERS) {
            return vks_formula_wrong("parameters", "are too many");
        }
        const struct vks_option *option = vks_option_find(part->model->options, times);
        const char *name = vks_formula_text(f, "%s%s", part->scope, times);
        if (!name) {
            return vks_fail_memory();
        }
        c->inputs[i].times = (uint32_t)e->parameter_count;
        e->parameters[e->parameter_count++] =
            (struct vks_formula_name){name, option->min, option->max};
    }
    return VKS_OK;
}

/* --- passes ---------------------------------------------------------------------------------- */

/* The value that the field gets. */
static uint32_t limited(struct vks_expressions *e, const struct vks_compound_input *input,
                        uint32_t node)
{
    const struct vks_input *row = input->input;
    node = vks_node_make(e, VKS_OP_MAX, node, vks_node_number(e, row->min), 0);
    node = vks_node_make(e, VKS_OP_MIN, node, vks_node_number(e, row->max), 0);
    if (input->times) {
        node = vks_node_make(e, VKS_OP_MULTIPLY, node,
                             vks_node_leaf(e, VKS_OP_PARAMETER, input->times), 0);
    }
    if (row->grain > 0) {
        node = vks_node_make(e, VKS_OP_MULTIPLY, node, vks_node_number(e, 1 / row->grain), 0);
        node = vks_node_make(e, VKS_OP_ADD, node, vks_node_number(e, 0.5), 0);
        node = vks_node_make(e, VKS_OP_FLOOR, node, 0, 0);
        node = vks_node_make(e, VKS_OP_MULTIPLY, node, vks_node_number(e, row->grain), 0);
    }
    return node;
}

enum vks_result vks_compound_make_steps(struct vks_formula *f, struct vks_formula_program *p)
{
    struct vks_compound *c = f->compound;
    struct vks_expressions *e = &p->expressions;
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < c->part_count; i++) {
        struct vks_formula_stage *stage = &p->steps[p->step_count];
        for (size_t j = 0; j < c->input_count && result == VKS_OK; j++) {
            const struct vks_compound_input *input = &c->inputs[j];
            uint32_t node = 0;
            if (input->part != i) {
                continue;
            }
            result = vks_expression_parse(e, input->key, input->value, &node);
            if (result == VKS_OK) {
                stage->pass.outputs[stage->pass.output_count++] = (struct vks_formula_output){
                    .field = input->field, .node = limited(e, input, node)};
            }
        }
        if (stage->pass.output_count > 0) {
            stage->name = vks_formula_text(f, "inputs of %s", c->parts[i].name);
            c->parts[i].stage = stage;
            p->step_count++;
            result = stage->name ? result : vks_fail_memory();
        }
    }
    return result == VKS_OK ? e->result : result;
}

/* --- the whole ------------------------------------------------------------------------------- */

static enum vks_result read_all(struct vks_formula *f, bool has_files)
{
    enum vks_result result = json_is_object(f->json)
                                 ? vks_formula_check_keys(f->json, keys, "")
                                 : vks_fail(VKS_ERROR_USAGE, "it is not a JSON object");
    if (result == VKS_OK && json_integer_value(json_object_get(f->json, "compound")) != 1) {
        result = vks_formula_wrong("compound", "is not 1, the version that this vksim reads");
    }
    result = result == VKS_OK ? vks_formula_read_name(f) : result;
    result = result == VKS_OK ? read_parts(f, has_files) : result;
    result = result == VKS_OK ? read_parameters(f) : result;
    result = result == VKS_OK ? read_inputs(f) : result;
    result = result == VKS_OK ? vks_formula_read_presets(f) : result;
    result = result == VKS_OK ? vks_compound_make_tables(f) : result;
    result = result == VKS_OK ? add_factors(f) : result;
    return result == VKS_OK ? read_names(f) : result;
}

enum vks_result vks_compound_read(struct vks_formula *f, bool has_files)
{
    static _Thread_local bool reading;
    if (reading) {
        return vks_fail(VKS_ERROR_USAGE, "a compound cannot be a part of a compound");
    }
    f->compound = calloc(1, sizeof(*f->compound));
    if (!f->compound) {
        return vks_fail_memory();
    }
    f->compound->variant_part = SIZE_MAX;
    f->failures[0] = "an input has left its limits";
    reading = true;
    const enum vks_result result = read_all(f, has_files);
    reading = false;
    return result;
}

void vks_compound_free(struct vks_compound *compound)
{
    for (size_t i = 0; compound && i < VKS_COMPOUND_PARTS; i++) {
        if (compound->parts[i].owned) {
            vks_formula_free(compound->parts[i].model);
        }
    }
    free(compound);
}
