/* SPDX-License-Identifier: MIT */
#include "formula/formula.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/exact.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "formula/private.h"
#include "formula/shader.h"
#include "graph/primitives.h"
#include "sim/registry.h"

static const struct vks_formula *formula_of(const struct vks_config *config)
{
    return config->model->user;
}

/* --- shaders --------------------------------------------------------------------------------- */

/* The shader of a stage for that many cells per invocation, compiled; NULL with a message. */
static const char *shader_of(struct vks_formula *f, struct vks_formula_stage *stage, bool fours)
{
    if (!stage->shader_names[fours]) {
        const char *name =
            vks_formula_text(f, "%s/%s%s", f->model.name, stage->name, fours ? " x4" : "");
        if (!name) {
            vks_fail_memory();
            return NULL;
        }
        if (vks_formula_compile(name, stage->shaders[fours]) != VKS_OK) {
            return NULL;
        }
        stage->shader_names[fours] = name;
    }
    return stage->shader_names[fours];
}

static enum vks_result emit(struct vks_formula *f, struct vks_formula_stage *stage)
{
    for (size_t fours = 0; fours < 2; fours++) {
        stage->pass.lanes = fours ? 4 : 1;
        stage->shaders[fours] = vks_formula_emit(&f->expressions, &stage->pass, &f->constants);
        if (!stage->shaders[fours]) {
            return vks_error_last()->result;
        }
    }
    return VKS_OK;
}

static enum vks_result emit_all(struct vks_formula *f)
{
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < f->step_count && result == VKS_OK; i++) {
        result = emit(f, &f->steps[i]);
    }
    for (size_t i = 0; i < f->start_count && result == VKS_OK; i++) {
        result = emit(f, &f->starts[i]);
    }
    return result;
}

/* --- the declaration ------------------------------------------------------------------------- */

/* The constants of all formulas. */
static enum vks_result fill_numbers(const void *user, const struct vks_field *field,
                                    const struct vks_source *source, void *out)
{
    const struct vks_config *config = user;
    const struct vks_formula *f = formula_of(config);
    const struct vks_formula_settings *s = config->settings;
    double *values = calloc(f->expressions.node_count, sizeof(*values));
    (void)field;
    (void)source;
    if (!values) {
        return vks_fail_memory();
    }
    vks_node_values(&f->expressions, s->parameters, values);
    for (uint32_t i = 0; i < f->constants.count; i++) {
        ((float *)out)[i] = vks_real(values[f->constants.nodes[i]]);
    }
    free(values);
    return VKS_OK;
}

/* An array of a file or program: within the field's range, flushed. */
static enum vks_result fill_field(const void *user, const struct vks_field *field,
                                  const struct vks_source *source, void *out)
{
    const struct vks_formula *f = formula_of(user);
    size_t at = 0;
    while (strcmp(f->expressions.fields[at].name, field->name) != 0) {
        at++;
    }
    const struct vks_formula_name *limits = &f->expressions.fields[at];
    for (uint64_t i = 0; source->array && i < source->count; i++) {
        const double value = vks_source_number(source, i);
        if (!(value >= limits->low && value <= limits->high)) {
            return vks_fail(VKS_ERROR_FILE, "'%s': element %llu is %g; it must be %g to %g",
                            field->name, (unsigned long long)(source->first + i), value,
                            limits->low, limits->high);
        }
        ((float *)out)[i] = vks_real(value);
    }
    return VKS_OK;
}

static void declare_fields(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct vks_formula *f = formula_of(config);
    const struct vks_formula_settings *s = config->settings;
    enum { DIGITS = 26 }; /* of the longest "%a " */
    char text[VKS_FORMULA_PARAMETERS * DIGITS + 1] = "";
    size_t used = 0;
    for (size_t i = 0; i < f->expressions.parameter_count; i++) {
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%a ", s->parameters[i]);
    }
    for (uint32_t i = 0; i < f->expressions.all_fields; i++) {
        const bool own = i < f->field_count;
        VKS_FIELD(declaration, .name = f->expressions.fields[i].name,
                  .help = own ? f->field_helps[i] : NULL, .element = VKS_F32, .persistent = own,
                  .ping_pong = own, .fill = own ? fill_field : NULL, .user = config,
                  .distance =
                      own ? (i == 0 ? VKS_DISTANCE_MAIN : VKS_DISTANCE_SUM) : VKS_DISTANCE_NONE);
    }
    VKS_FIELD(declaration, .name = "numbers", .element = VKS_F32, .rank = 1,
              .shape = {f->constants.count > 0 ? f->constants.count : 1}, .fill = fill_numbers,
              .user = config, .made_from = text);
    VKS_FIELD(declaration, .name = "status", .element = VKS_U32, .rank = 1, .shape = {1},
              .watched = VKS_SCALARS(
                  {"status", .failures = (const char *const *)(const void *)f->failures}));
}

/* The fields that a pass uses; bindings are f0, f1, ... */
static void list_uses(const struct vks_formula *f, const struct vks_formula_pass *pass,
                      struct vks_use *uses, char names[][8])
{
    size_t count = 0;
    for (uint32_t i = 0; i < f->expressions.all_fields; i++) {
        snprintf(names[i], 8, "f%u", i);
        if ((pass->reads >> i & 1) != 0) {
            uses[count++] = (struct vks_use){f->expressions.fields[i].name, VKS_READ, names[i], 0};
        }
    }
    for (size_t i = 0; i < pass->output_count; i++) {
        const struct vks_formula_output *output = &pass->outputs[i];
        uses[count++] =
            (struct vks_use){f->expressions.fields[output->field].name,
                             output->next ? VKS_WRITE_NEXT : VKS_WRITE, names[output->field], 0};
    }
    if (pass->has_numbers) {
        uses[count++] = (struct vks_use){"numbers", VKS_READ, NULL, 0};
    }
    uses[count++] = (struct vks_use){"status", VKS_ATOMIC, "status_word", 0};
    uses[count] = (struct vks_use){0};
}

static void declare_stage(const struct vks_config *config, struct vks_formula_stage *stage,
                          bool start, struct vks_declaration *declaration)
{
    const struct vks_formula_settings *s = config->settings;
    struct vks_formula *f = (struct vks_formula *)(uintptr_t)formula_of(config);
    const bool fours = config->width % 4 == 0;
    const char *shader = shader_of(f, stage, fours);
    const struct vks_formula_push push = {
        .width = config->width,
        .height = config->height,
        .depth = config->depth,
        .seed = config->seed,
        .mirrored = s->boundary == VKS_FORMULA_NO_FLUX ? 7 : 0,
        .per_width = (float)(1.0 / config->width),
        .per_height = (float)(1.0 / config->height),
        .per_depth = (float)(1.0 / config->depth),
    };
    struct vks_use uses[VKS_FORMULA_ALL_FIELDS + VKS_FORMULA_FIELDS + 3];
    char names[VKS_FORMULA_ALL_FIELDS][8];
    const double cells = (double)config->width * config->height * config->depth;
    uint32_t reads = 0;
    if (!shader) {
        vks_declaration_fail(declaration, vks_error_last()->result);
        return;
    }
    list_uses(f, &stage->pass, uses, names);
    for (uint32_t i = 0; i < f->expressions.all_fields; i++) {
        reads += stage->pass.reads >> i & 1;
    }
    VKS_PASS(declaration, .name = start ? "start" : stage->name, .shader = shader,
             .when = start ? VKS_AT_START : VKS_EACH_STEP, .uses = uses, VKS_PUSH(push),
             .items = {config->width / (fours ? 4 : 1), (uint64_t)config->height * config->depth},
             .group = {fours ? 64 : 0, fours ? 2 : 0}, .by_rows = true,
             .bytes = 4 * cells * (double)(reads + stage->pass.output_count));
}

static void declare(const struct vks_config *config, struct vks_declaration *declaration)
{
    struct vks_formula *f = (struct vks_formula *)(uintptr_t)formula_of(config);
    declare_fields(config, declaration);
    declare_stage(config, &f->starts[config->start], true, declaration);
    for (size_t i = 0; i < f->step_count; i++) {
        declare_stage(config, &f->steps[i], false, declaration);
    }
}

static void declare_frame(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct vks_formula *f = formula_of(config);
    for (uint32_t i = 0; config->watch && i < f->field_count; i++) {
        const char *name = f->expressions.fields[i].name;
        vks_declare_mean(declaration, name, 1, name);
    }
}

/* Names the first parameter that no expression uses. */
static const char *warning(const struct vks_config *config)
{
    static char text[128];
    const struct vks_expressions *e = &formula_of(config)->expressions;
    for (uint32_t i = VKS_PARAMETER_DX + 1; i < e->parameter_count; i++) {
        bool used = false;
        for (size_t n = 0; n < e->node_count && !used; n++) {
            used = e->nodes[n].op == VKS_OP_PARAMETER && e->nodes[n].index == i;
        }
        if (!used) {
            snprintf(text, sizeof(text), "no formula uses the parameter '%s'",
                     e->parameters[i].name);
            return text;
        }
    }
    return NULL;
}

/* --- loading --------------------------------------------------------------------------------- */

static void formula_free(struct vks_formula *f)
{
    for (size_t i = 0; i < f->text_count; i++) {
        free(f->texts[i]);
    }
    free(f->texts);
    for (size_t fours = 0; fours < 2; fours++) {
        for (size_t i = 0; i < f->step_count; i++) {
            free(f->steps[i].shaders[fours]);
        }
        for (size_t i = 0; i < f->start_count; i++) {
            free(f->starts[i].shaders[fours]);
        }
    }
    vks_expressions_free(&f->expressions);
    json_decref(f->json);
    free(f->path);
    free(f);
}

static enum vks_result read_json(struct vks_formula *f)
{
    enum { MOST = 1 << 20 };
    FILE *file;
    json_error_t error;
    enum vks_result result = vks_open_regular(f->path, &file);
    if (result != VKS_OK) {
        return result;
    }
    char *text = malloc(MOST + 1);
    const size_t size = text ? fread(text, 1, MOST + 1, file) : 0;
    const bool failed = ferror(file) != 0;
    fclose(file);
    if (!text) {
        return vks_fail_memory();
    }
    if (failed || size > MOST) {
        free(text);
        return vks_fail(VKS_ERROR_FILE,
                        failed ? "it cannot be read" : "it is larger than a megabyte");
    }
    f->json = vks_json_load(text, size, JSON_REJECT_DUPLICATES, &error);
    free(text);
    return f->json
               ? VKS_OK
               : vks_fail(VKS_ERROR_FILE, "it is not JSON: line %d: %s", error.line, error.text);
}

static enum vks_result make(struct vks_formula *f)
{
    enum vks_result result = read_json(f);
    if (result == VKS_OK) {
        result = vks_formula_read(f);
    }
    if (result == VKS_OK) {
        result = emit_all(f);
    }
    f->model.settings_size = sizeof(struct vks_formula_settings);
    f->model.presets = f->presets;
    f->model.starts = f->start_names;
    f->model.views = f->views;
    f->model.declare = declare;
    f->model.declare_frame = declare_frame;
    f->model.warning = warning;
    f->model.closed = "boundary=no-flux";
    f->model.user = f;
    return result == VKS_OK ? vks_model_register(&f->model) : result;
}

enum vks_result vks_formula_load(const char *path, const struct vks_model **model)
{
    struct vks_formula *f = calloc(1, sizeof(*f));
    if (f) {
        f->path = vks_strdup(path);
    }
    if (!f || !f->path) {
        free(f);
        return vks_fail_memory();
    }
    const enum vks_result result = make(f);
    if (result != VKS_OK) {
        struct vks_error error;
        vks_error_keep(result, &error);
        const bool named = !f->json && strstr(error.text, path); /* it could not be opened */
        formula_free(f);
        return vks_fail(result, "%s%s%s%s", named ? "" : "'", named ? "" : path,
                        named ? "" : "': ", error.text);
    }
    *model = &f->model;
    return VKS_OK;
}

bool vks_is_formula(const struct vks_model *model)
{
    return model->declare == declare;
}

static void show(const struct vks_formula_stage *stage, const char *kind, FILE *out)
{
    fprintf(out, "// %s%s\n%s\n", kind, stage->name, stage->shaders[1]);
}

enum vks_result vks_formula_show(const struct vks_model *model, FILE *out)
{
    const struct vks_formula *f = model->user;
    for (size_t i = 0; i < f->start_count; i++) {
        show(&f->starts[i], "init: ", out);
    }
    for (size_t i = 0; i < f->step_count; i++) {
        show(&f->steps[i], "", out);
    }
    return ferror(out) ? vks_fail(VKS_ERROR_FILE, "cannot write the shaders") : VKS_OK;
}
