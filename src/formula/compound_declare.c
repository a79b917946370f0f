/* SPDX-License-Identifier: MIT */
/* The functions of a compound: those of its parts, each with its own settings and scope. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option.h"
#include "formula/compound.h"
#include "graph/declare.h"

static struct vks_formula *formula_of(const struct vks_config *config)
{
    return (struct vks_formula *)(uintptr_t)config->model->user;
}

static const struct vks_compound *compound_of(const struct vks_config *config)
{
    return formula_of(config)->compound;
}

/* --- settings -------------------------------------------------------------------------------- */

static enum vks_result set_fixed(struct vks_compound_part *part, char *settings)
{
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < part->fixed_count && result == VKS_OK; i++) {
        const struct vks_option *option = part->fixed[i].option;
        const char *value = part->fixed[i].value ? part->fixed[i].value : option->default_text;
        if (option->type == VKS_OPTION_TEXT) { /* no row of the compound frees it */
            char *text = (char *)(uintptr_t)value;
            memcpy(settings + option->offset, &text, sizeof(text));
        } else if (value) {
            result = vks_option_set(option, settings, value);
        }
    }
    return result;
}

/* What a part says about its option, as about the compound's. */
static enum vks_result renamed(const struct vks_compound_part *part, enum vks_result result)
{
    char name[128];
    const char *option = vks_error_last()->option;
    if (result != VKS_OK && vks_option_find(part->model->options, option)) {
        snprintf(name, sizeof(name), "%s-%s", part->name, option);
        vks_error_about(name);
    }
    return result;
}

static enum vks_result parse(const struct vks_model *model, void *settings)
{
    const struct vks_formula *f = model->user;
    struct vks_compound *c = f->compound;
    double *parameters = ((struct vks_compound_settings *)settings)->own.parameters;
    enum vks_result result = VKS_OK;
    parameters[VKS_PARAMETER_DT] = parameters[VKS_PARAMETER_DX] = 1;
    for (size_t i = 0; i < c->part_count && result == VKS_OK; i++) {
        struct vks_compound_part *part = &c->parts[i];
        char *own = (char *)settings + part->settings;
        result = set_fixed(part, own);
        if (result == VKS_OK && part->model->parse) {
            result = renamed(part, part->model->parse(part->model, own));
        }
    }
    for (size_t i = 0; i < c->input_count; i++) {
        const struct vks_compound_input *input = &c->inputs[i];
        const struct vks_compound_part *part = &c->parts[input->part];
        if (input->times) {
            const struct vks_option *option =
                vks_option_find(part->model->options, input->input->times);
            memcpy(&parameters[input->times],
                   (const char *)settings + part->settings + option->offset, sizeof(double));
        }
    }
    return result;
}

/* The number of items of a part's settings, by its density, as vks_settings_parse() has it for
 * other models. */
static enum vks_result count_items(const struct vks_config *config, const struct vks_model *model,
                                   char *settings)
{
    const struct vks_option *count =
        model->density_option ? vks_option_find(model->options, model->count_option) : NULL;
    if (!count || *(const uint64_t *)(const void *)(settings + count->offset) > 0) {
        return VKS_OK;
    }
    const struct vks_option *density = vks_option_find(model->options, model->density_option);
    const double per_cell = *(const double *)(const void *)(settings + density->offset);
    const double cells = (double)config->width * config->height * config->depth;
    const double items = floor(per_cell * cells + 0.5);
    return items > count->max
               ? vks_fail_option(VKS_ERROR_USAGE, density->name,
                                 "%g is %.0f %s in this field, and the maximum is %.0f", per_cell,
                                 items, count->name, count->max)
               : vks_option_set_count(count, settings, items < 1 ? 1 : (uint64_t)items);
}

/* Outside all models' views. */
enum { NO_VIEW = VKS_MAX_VIEWS - 1 };

/* The run as a part sees it. `settings` are the part's. */
static struct vks_config config_of(const struct vks_config *config, size_t index, void *settings)
{
    const struct vks_compound *c = compound_of(config);
    const struct vks_compound_part *part = &c->parts[index];
    const struct vks_compound_settings *whole = config->settings;
    const uint32_t view = config->view - part->first_view;
    const uint64_t views = (UINT64_C(1) << part->view_count) - 1,
                   vectors = (UINT64_C(1) << part->vector_count) - 1;
    struct vks_config own = *config;
    own.model = part->model;
    own.settings = settings;
    own.start = whole->starts[index];
    own.image = NULL;
    own.view = view < part->view_count ? view : NO_VIEW;
    own.views = (uint32_t)((uint64_t)config->views >> part->first_view & views);
    own.vectors = (uint32_t)((uint64_t)config->vectors >> part->first_vector & vectors);
    if (index != c->variant_part) {
        own.variant = (struct vks_variant){0};
    }
    return own;
}

static const void *settings_of(const struct vks_config *config, size_t index)
{
    return (const char *)config->settings + compound_of(config)->parts[index].settings;
}

/* The same with the number of items, which is set in the copy of the settings. */
static enum vks_result complete(const struct vks_config *config, size_t index, void *copy,
                                struct vks_config *own)
{
    const struct vks_model *model = compound_of(config)->parts[index].model;
    memcpy(copy, settings_of(config, index), model->settings_size);
    *own = config_of(config, index, copy);
    return renamed(&compound_of(config)->parts[index], count_items(config, model, copy));
}

/* --- functions about options ----------------------------------------------------------------- */

/* Calls a function for a part. */
static enum vks_result call(const struct vks_config *config, size_t index,
                            enum vks_result (*function)(const struct vks_config *config))
{
    const struct vks_compound_part *part = &compound_of(config)->parts[index];
    struct vks_config own;
    void *copy = malloc(part->model->settings_size + 1);
    enum vks_result result = copy ? complete(config, index, copy, &own) : vks_fail_memory();
    if (result == VKS_OK && function) {
        result = renamed(part, function(&own));
    }
    free(copy);
    return result;
}

/* Fails unless expressions can read what they name in this run. */
static enum vks_result check_fields(const struct vks_config *config, size_t index)
{
    const struct vks_formula *f = formula_of(config);
    const struct vks_compound_part *part = &f->compound->parts[index];
    const size_t reads = f->names.field_count - f->compound->input_count;
    struct vks_declaration declaration = {0};
    enum vks_result result = VKS_OK;
    if (vks_is_formula(part->model)) { /* always */
        return VKS_OK;
    }
    vks_declaration_grid(&declaration, config->depth, config->height, config->width);
    vks_compound_declare_part(config, index, &declaration);
    result = declaration.result;
    for (size_t i = 0; i < reads && result == VKS_OK; i++) {
        const char *name = f->names.fields[i].name;
        const int at = vks_find_field(&declaration, name);
        const struct vks_field *field = at < 0 ? NULL : &declaration.fields[at];
        const uint64_t cells = (uint64_t)config->width * config->height * config->depth;
        if (strncmp(name, part->scope, strlen(part->scope)) == 0 &&
            (!field || field->element != VKS_F32 || vks_field_count(field) != cells)) {
            result =
                vks_fail(VKS_ERROR_USAGE,
                         "the inputs of %s read '%s', which has no float32 per cell with these "
                         "options",
                         f->model.name, name);
        }
    }
    vks_declaration_free(&declaration);
    return result;
}

static enum vks_result check(const struct vks_config *config)
{
    const struct vks_compound *c = compound_of(config);
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < c->part_count && result == VKS_OK; i++) {
        result = call(config, i, c->parts[i].model->check);
        result = result == VKS_OK ? check_fields(config, i) : result;
    }
    return result;
}

static enum vks_result check_files(const struct vks_config *config)
{
    const struct vks_compound *c = compound_of(config);
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < c->part_count && result == VKS_OK; i++) {
        result = call(config, i, c->parts[i].model->check_files);
    }
    return result;
}

static const char *warning(const struct vks_config *config)
{
    const struct vks_compound *c = compound_of(config);
    const char *words = NULL;
    for (size_t i = 0; i < c->part_count && !words; i++) {
        const struct vks_model *model = c->parts[i].model;
        struct vks_config own;
        void *copy = model->warning ? malloc(model->settings_size + 1) : NULL;
        if (copy && complete(config, i, copy, &own) == VKS_OK) {
            words = model->warning(&own);
        }
        free(copy);
    }
    return words;
}

static void candidates(const struct vks_config *config, struct vks_candidates *list)
{
    const struct vks_compound *c = compound_of(config);
    struct vks_config own;
    char key[sizeof(list->key)];
    if (c->variant_part == SIZE_MAX) {
        return;
    }
    const struct vks_model *model = c->parts[c->variant_part].model;
    void *copy = model->candidates ? malloc(model->settings_size + 1) : NULL;
    if (copy && complete(config, c->variant_part, copy, &own) == VKS_OK) {
        model->candidates(&own, list);
        snprintf(key, sizeof(key), "%.40s: %.110s", config->model->name, list->key);
        memcpy(list->key, key, sizeof(key));
    }
    free(copy);
}

/* --- declarations ---------------------------------------------------------------------------- */

/* The run as a part sees it, as long as the declaration; NULL: the declaration has failed. */
static const struct vks_config *keep(const struct vks_config *config, size_t index,
                                     struct vks_declaration *declaration)
{
    const size_t size = compound_of(config)->parts[index].model->settings_size;
    struct vks_config own = {0};
    void *copy = vks_declaration_copy(declaration, settings_of(config, index), size);
    if (copy) {
        vks_declaration_fail(declaration, complete(config, index, copy, &own));
    }
    return vks_declaration_copy(declaration, &own, sizeof(own));
}

void vks_compound_declare_part(const struct vks_config *config, size_t part,
                               struct vks_declaration *declaration)
{
    const struct vks_compound_part *row = &compound_of(config)->parts[part];
    const struct vks_config *own = keep(config, part, declaration);
    if (own) {
        vks_declaration_scope(declaration, row->scope);
        row->model->declare(own, declaration);
        vks_declaration_scope(declaration, NULL);
    }
}

/* The passes of a part's inputs run before its own. */
static void declare(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct vks_formula *f = formula_of(config);
    const struct vks_compound *c = f->compound;
    size_t first[VKS_COMPOUND_PARTS], before = 0;
    for (size_t i = 0; i < c->part_count; i++) {
        first[i] = declaration->pass_count;
        vks_compound_declare_part(config, i, declaration);
    }
    if (c->input_count == 0) {
        return;
    }
    vks_formula_declare_numbers(config, f->programs, declaration);
    for (size_t i = 0; i < c->part_count; i++) {
        if (c->parts[i].stage) {
            vks_formula_declare_stage(config, f->programs, c->parts[i].stage, false, declaration);
            vks_declaration_move_pass(declaration, first[i] + before++);
        }
    }
}

static void declare_frame(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct vks_compound *c = compound_of(config);
    for (size_t i = 0; i < c->part_count; i++) {
        const struct vks_compound_part *part = &c->parts[i];
        const struct vks_config *own =
            part->model->declare_frame ? keep(config, i, declaration) : NULL;
        if (own) {
            vks_declaration_scope(declaration, part->scope);
            part->model->declare_frame(own, declaration);
            vks_declaration_scope(declaration, NULL);
        }
    }
}

static void paint(const struct vks_config *config, size_t index,
                  struct vks_declaration *declaration)
{
    const struct vks_compound *c = compound_of(config);
    const size_t part = c->brush_parts[index];
    const struct vks_config *own = keep(config, part, declaration);
    if (own) {
        vks_declaration_scope(declaration, c->parts[part].scope);
        c->brushes[index]->declare(own, declaration);
        vks_declaration_scope(declaration, NULL);
    }
}

#define PAINT(index)                                                                               \
    static void paint##index(const struct vks_config *config, struct vks_declaration *declaration) \
    {                                                                                              \
        paint(config, index, declaration);                                                         \
    }
PAINT(0)
PAINT(1)
PAINT(2)
PAINT(3)
PAINT(4)
PAINT(5)
PAINT(6)
PAINT(7)
vks_compound_paint_fn *const vks_compound_paints[VKS_MAX_BRUSHES] = {
    paint0, paint1, paint2, paint3, paint4, paint5, paint6, paint7};

/* --- pictures -------------------------------------------------------------------------------- */

/* The compound's name of a part's option; texts of both live equally long. */
static const char *option_name(const struct vks_config *config, size_t index, const char *name)
{
    char text[128];
    snprintf(text, sizeof(text), "%s-%s", compound_of(config)->parts[index].name, name);
    const struct vks_option *option = vks_option_find(config->model->options, text);
    return option ? option->name : name;
}

static void mix(const struct vks_config *config, struct vks_mix *mixed)
{
    const struct vks_compound *c = compound_of(config);
    for (size_t i = 0; i < c->part_count; i++) {
        const struct vks_compound_part *part = &c->parts[i];
        const struct vks_config own =
            config_of(config, i, (void *)(uintptr_t)settings_of(config, i));
        if (own.view != NO_VIEW && part->model->mix) {
            part->model->mix(&own, mixed);
            mixed->option = mixed->option ? option_name(config, i, mixed->option) : NULL;
        }
    }
}

static void mask(const struct vks_config *config, struct vks_mask *masked)
{
    static pthread_mutex_t naming = PTHREAD_MUTEX_INITIALIZER;
    struct vks_compound *c = formula_of(config)->compound;
    for (size_t i = 0; i < c->part_count && !masked->field; i++) {
        struct vks_compound_part *part = &c->parts[i];
        const struct vks_config own =
            config_of(config, i, (void *)(uintptr_t)settings_of(config, i));
        if (part->model->mask) {
            part->model->mask(&own, masked);
        }
        if (!masked->field) {
            continue;
        }
        pthread_mutex_lock(&naming);
        part->mask = part->mask
                         ? part->mask
                         : vks_formula_text(formula_of(config), "%s%s", part->scope, masked->field);
        masked->field = part->mask;
        pthread_mutex_unlock(&naming);
        masked->option = option_name(config, i, masked->option);
    }
}

/* --- the model ------------------------------------------------------------------------------- */

bool vks_is_compound(const struct vks_model *model)
{
    return model->declare == declare;
}

void vks_compound_set(struct vks_model *model)
{
    model->parse = parse;
    model->check = check;
    model->check_files = check_files;
    model->warning = warning;
    model->declare = declare;
    model->declare_frame = declare_frame;
    model->mix = mix;
    model->mask = mask;
    model->candidates = model->variants ? candidates : NULL;
}
