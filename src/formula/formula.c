/* SPDX-License-Identifier: MIT */
#include "formula/formula.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <vksim/model.h>

#include "base/error.h"
#include "base/exact.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"
#include "formula/compound.h"
#include "formula/folder.h"
#include "formula/shader.h"

static const struct vks_formula *formula_of(const struct vks_config *config)
{
    return config->model->user;
}

/* --- programs -------------------------------------------------------------------------------- */

/* The number of a parameter that a map names; -1: there is none. */
static int mapped(const struct vks_formula *f, const struct vks_formula_settings *s,
                  const struct vks_formula_map *map)
{
    for (uint32_t i = 0; i < f->names.parameter_count; i++) {
        const char *name = f->names.parameters[i].name;
        if (strlen(name) == map->name_length &&
            strncmp(name, s->maps + map->name, map->name_length) == 0) {
            return (int)i;
        }
    }
    return -1;
}

static enum vks_result make_program(struct vks_formula *f, uint32_t images, uint64_t maps,
                                    struct vks_formula_program **program)
{
    enum vks_result result;
    struct vks_formula_program *made = calloc(1, sizeof(*made));
    if (!made) {
        return vks_fail_memory();
    }
    made->images = images;
    made->maps = maps;
    result = vks_formula_make(f, made);
    if (result != VKS_OK) {
        vks_formula_program_free(made);
        return result;
    }
    made->next = f->programs;
    f->programs = *program = made;
    return VKS_OK;
}

/* Programs and shaders are made when they are used, by several threads. */
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

/* The bits of the images that are read: those that have a file, and points. */
static uint32_t given_images(const struct vks_formula *f, const struct vks_formula_settings *s)
{
    uint32_t images = 0;
    for (uint32_t i = 0; i < f->image_count; i++) {
        const bool given = f->images[i].points || (s && vks_text_is_given(s->images[i]));
        images |= given ? 1U << i : 0;
    }
    return images;
}

/* The program of a run; NULL with a message. */
static struct vks_formula_program *program_of(const struct vks_config *config)
{
    struct vks_formula *f = (struct vks_formula *)(uintptr_t)formula_of(config);
    const struct vks_formula_settings *s = config->settings;
    const uint32_t images = given_images(f, s);
    uint64_t maps = 0;
    for (size_t i = 0; i < s->map_count; i++) {
        maps |= (uint64_t)1 << mapped(f, s, &s->map[i]); /* check() has found it */
    }
    pthread_mutex_lock(&making);
    struct vks_formula_program *program = f->programs;
    while (program && (program->images != images || program->maps != maps)) {
        program = program->next;
    }
    if (!program && make_program(f, images, maps, &program) != VKS_OK) {
        program = NULL;
    }
    pthread_mutex_unlock(&making);
    return program;
}

/* The shader of a stage for that many cells per invocation, compiled, with its version for fields
 * in chunks if that is `wide`; NULL with a message. */
static const char *compile(struct vks_formula *f, const struct vks_formula_program *p,
                           struct vks_formula_stage *stage, bool fours, bool wide)
{
    char images[64] = "";
    if (p->images || p->maps) {
        snprintf(images, sizeof(images), " images %x maps %llx", p->images,
                 (unsigned long long)p->maps);
    }
    char version[16] = "";
    if (f->version > 0) {
        snprintf(version, sizeof(version), " %u", f->version + 1);
    }
    const bool starts = stage >= p->starts && stage < p->starts + f->start_count;
    const char *name =
        vks_formula_text(f, "%s%s/%s%s%s%s%s", f->model.name, version, starts ? "init " : "",
                         stage->name, images, fours ? " x4" : "", wide ? " wide" : "");
    if (!name) {
        vks_fail_memory();
        return NULL;
    }
    return vks_shader_compile(&(const struct vks_shader_source){.name = name,
                                                                .path = "formula.comp",
                                                                .text = stage->shaders[fours],
                                                                .wide = wide},
                              NULL) == VKS_OK
               ? name
               : NULL;
}

static const char *shader_of(const struct vks_config *config, struct vks_formula_program *p,
                             struct vks_formula_stage *stage, bool fours, bool wide)
{
    struct vks_formula *f = (struct vks_formula *)(uintptr_t)formula_of(config);
    pthread_mutex_lock(&making);
    if (!stage->shader_names[fours][wide]) {
        stage->shader_names[fours][wide] = compile(f, p, stage, fours, wide);
    }
    const char *name = stage->shader_names[fours][wide];
    pthread_mutex_unlock(&making);
    return name;
}

/* --- options --------------------------------------------------------------------------------- */

static enum vks_result bad_map(const char *text, size_t length)
{
    return vks_fail_option(VKS_ERROR_USAGE, "maps", "'%.*s' is not PARAMETER=FILE:LOW:HIGH",
                           (int)length, text);
}

static enum vks_result parse(const struct vks_model *model, void *settings)
{
    (void)model;
    struct vks_formula_settings *s = settings;
    const char *at = vks_text_is_given(s->maps) ? s->maps : NULL;
    while (at) {
        const size_t length = strcspn(at, ",");
        struct vks_formula_map *map = &s->map[s->map_count];
        size_t file_length = 0;
        const char *file = vks_map_file(at, length, &file_length);
        if (s->map_count == VKS_FORMULA_MAPS) {
            return vks_fail_option(VKS_ERROR_USAGE, "maps", "has more than %d maps",
                                   VKS_FORMULA_MAPS);
        }
        *map = (struct vks_formula_map){.name = (size_t)(at - s->maps)};
        if (!file || vks_parse_span(file + file_length + 1, &map->low, &map->high) != at + length) {
            return bad_map(at, length);
        }
        map->name_length = (size_t)(file - 1 - at);
        map->file = (size_t)(file - s->maps);
        map->file_length = file_length;
        s->map_count++;
        at = at[length] ? at + length + 1 : NULL;
    }
    return VKS_OK;
}

static enum vks_result check_map(const struct vks_formula *f, const struct vks_formula_settings *s,
                                 const struct vks_formula_map *map)
{
    const int at = mapped(f, s, map);
    const char *name = s->maps + map->name;
    if (at <= VKS_PARAMETER_DX) {
        return vks_fail_option(VKS_ERROR_USAGE, "maps",
                               "'%.*s' is not a parameter of the formulas%s", (int)map->name_length,
                               name, at < 0 ? "" : " but a constant");
    }
    const struct vks_formula_name *parameter = &f->names.parameters[at];
    if (fmin(map->low, map->high) < parameter->low || fmax(map->low, map->high) > parameter->high) {
        return vks_fail_option(VKS_ERROR_USAGE, "maps", "'%.*s' is not within its limits, %g to %g",
                               (int)map->name_length, name, parameter->low, parameter->high);
    }
    for (const struct vks_formula_map *other = s->map; other < map; other++) {
        if (mapped(f, s, other) == at) {
            return vks_fail_option(VKS_ERROR_USAGE, "maps", "has two of %s", parameter->name);
        }
    }
    return VKS_OK;
}

static enum vks_result check(const struct vks_config *config)
{
    const struct vks_formula_settings *s = config->settings;
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < s->map_count && result == VKS_OK; i++) {
        result = check_map(formula_of(config), s, &s->map[i]);
    }
    return result;
}

/* --- the declaration ------------------------------------------------------------------------- */

/* The constants of all formulas. */
static enum vks_result fill_numbers(const void *user, const struct vks_field *field,
                                    const struct vks_source *source, void *out)
{
    const struct vks_config *config = user;
    const struct vks_formula_program *p = program_of(config);
    const struct vks_formula_settings *s = config->settings;
    double *values = p ? calloc(p->expressions.node_count, sizeof(*values)) : NULL;
    (void)source;
    if (!values) {
        return p ? vks_fail_memory() : vks_error_last()->result;
    }
    vks_node_values(&p->expressions, s->parameters, values);
    for (uint32_t i = 0; i < p->constants.count; i++) {
        ((float *)out)[i] = vks_real(values[p->constants.nodes[i]]);
    }
    for (uint32_t i = p->constants.count; i < field->shape[0]; i++) {
        ((float *)out)[i] = 0;
    }
    free(values);
    return VKS_OK;
}

enum vks_result vks_formula_fill_image(const void *user, const struct vks_field *field,
                                       const struct vks_source *source, void *out)
{
    const struct vks_formula_levels *levels = user;
    for (uint64_t i = 0; i < vks_field_count(field); i++) { /* all planes of a volume */
        const double brightness = (double)source->brightness[i % source->count];
        ((float *)out)[i] = vks_real(levels->low + (levels->high - levels->low) * brightness);
    }
    return VKS_OK;
}

static void declare_image(struct vks_declaration *declaration, const char *name, const char *file,
                          struct vks_formula_levels levels)
{
    VKS_FIELD(declaration, .name = name, .element = VKS_F32, .fill = vks_formula_fill_image,
              .user = vks_declaration_copy(declaration, &levels, sizeof(levels)), .image = file,
              .made_from =
                  vks_declaration_name(declaration, "%s %a %a", file, levels.low, levels.high));
}

/* In the order of the program's images. */
static void declare_images(const struct vks_config *config, const struct vks_formula_program *p,
                           struct vks_declaration *declaration)
{
    const struct vks_formula *f = formula_of(config);
    const struct vks_formula_settings *s = config->settings;
    for (uint32_t i = 0; i < f->image_count; i++) {
        if (f->images[i].points) {
            vks_formula_declare_points(config, i, declaration);
        } else if (p->images >> i & 1) {
            declare_image(declaration, f->images[i].name, s->images[i],
                          (struct vks_formula_levels){0, 1});
        }
    }
    for (size_t i = 0; i < s->map_count; i++) {
        const struct vks_formula_map *map = &s->map[i];
        const uint8_t image = p->expressions.maps[mapped(f, s, map)];
        declare_image(
            declaration, p->expressions.images[image - 1].name,
            vks_declaration_name(declaration, "%.*s", (int)map->file_length, s->maps + map->file),
            (struct vks_formula_levels){map->low, map->high});
    }
}

void vks_formula_declare_numbers(const struct vks_config *config,
                                 const struct vks_formula_program *program,
                                 struct vks_declaration *declaration)
{
    const struct vks_formula *f = formula_of(config);
    const struct vks_formula_settings *s = config->settings;
    enum { DIGITS = 26 }; /* of the longest "%a " */
    char text[VKS_FORMULA_PARAMETERS * DIGITS + 1] = "";
    size_t used = 0;
    for (size_t i = 0; i < f->names.parameter_count; i++) {
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%a ", s->parameters[i]);
    }
    VKS_FIELD(declaration, .name = "numbers", .element = VKS_F32, .rank = 1,
              .shape = {(program->constants.count + 4) / 4 * 4}, /* read by fours */
              .fill = fill_numbers, .user = config, .made_from = text);
    VKS_FIELD(declaration, .name = "status", .element = VKS_U32, .rank = 1, .shape = {1},
              .watched = VKS_SCALARS({"status", .failures = f->failures}));
}

static void declare_fields(const struct vks_config *config, const struct vks_formula_program *p,
                           struct vks_declaration *declaration)
{
    const struct vks_formula *f = formula_of(config);
    for (uint32_t i = 0; i < p->expressions.all_fields; i++) {
        const bool own = i < f->field_count;
        const struct vks_formula_name *name = &p->expressions.fields[i];
        VKS_FIELD(declaration, .name = name->name, .help = own ? f->field_helps[i] : NULL,
                  .element = VKS_F32, .persistent = own, .ping_pong = own,
                  .range = {own ? name->low : 0, own ? name->high : 0},
                  .distance =
                      own ? (i == 0 ? VKS_DISTANCE_MAIN : VKS_DISTANCE_SUM) : VKS_DISTANCE_NONE);
    }
    declare_images(config, p, declaration);
    vks_formula_declare_numbers(config, p, declaration);
}

enum { BUFFERS = VKS_FORMULA_ALL_FIELDS + VKS_FORMULA_IMAGES };

/* The fields that a pass uses; bindings are f0, f1, ... */
static void list_uses(const struct vks_expressions *e, const struct vks_formula_pass *pass,
                      struct vks_use *uses, char names[][8])
{
    size_t count = 0;
    for (uint32_t i = 0; i < e->all_fields + e->image_count; i++) {
        const struct vks_formula_name *name =
            i < e->all_fields ? &e->fields[i] : &e->images[i - e->all_fields];
        snprintf(names[i], 8, "f%u", i);
        if ((pass->reads >> i & 1) != 0) {
            uses[count++] = (struct vks_use){name->name, VKS_READ, names[i], 0};
        }
    }
    for (size_t i = 0; i < pass->output_count; i++) {
        const struct vks_formula_output *output = &pass->outputs[i];
        uses[count++] =
            (struct vks_use){e->fields[output->field].name,
                             output->next ? VKS_WRITE_NEXT : VKS_WRITE, names[output->field], 0};
    }
    if (pass->has_numbers) {
        uses[count++] = (struct vks_use){"numbers", VKS_READ, NULL, 0};
    }
    uses[count++] = (struct vks_use){"status", VKS_ATOMIC, "status_word", 0};
    uses[count] = (struct vks_use){0};
}

static uint32_t edges_of(const struct vks_config *config)
{
    const struct vks_formula_settings *s = config->settings;
    return s->boundary == VKS_FORMULA_BY_SIDE   ? 8 + (7 & ~formula_of(config)->periodic_axes)
           : s->boundary == VKS_FORMULA_NO_FLUX ? 7
                                                : 0;
}

void vks_formula_declare_stage(const struct vks_config *config, struct vks_formula_program *program,
                               struct vks_formula_stage *stage, bool start,
                               struct vks_declaration *declaration)
{
    struct vks_formula_program *p = program;
    const bool fours = config->width % 4 == 0 && !p->edges_vary;
    const bool pairs = fours && stage->pass.rows == 2;
    const uint64_t rows = pairs ? (config->height + UINT64_C(1)) / 2 : config->height;
    const uint64_t bytes = UINT64_C(4) * config->width * config->height * config->depth;
    const bool wide = config->limits.field_range > 0 && bytes > config->limits.field_range;
    const char *shader = shader_of(config, p, stage, fours, wide);
    const struct vks_formula_push push = {
        .width = config->width,
        .height = config->height,
        .depth = config->depth,
        .seed = config->seed,
        .edges = edges_of(config),
        .per_width = (float)(1.0 / config->width),
        .per_height = (float)(1.0 / config->height),
        .per_depth = (float)(1.0 / config->depth),
    };
    struct vks_use uses[BUFFERS + VKS_FORMULA_FIELDS + 3];
    char names[BUFFERS][8];
    uint32_t reads = 0;
    if (!shader) {
        vks_declaration_fail(declaration, vks_error_last()->result);
        return;
    }
    list_uses(&p->expressions, &stage->pass, uses, names);
    for (uint32_t i = 0; i < BUFFERS; i++) {
        reads += stage->pass.reads >> i & 1;
    }
    VKS_PASS(declaration, .name = start ? "start" : stage->name, .shader = shader,
             .when = start ? VKS_AT_START : VKS_EACH_STEP, .uses = uses, VKS_PUSH(push),
             .items = {config->width / (fours ? 4 : 1), rows * config->depth},
             .group = {fours && !pairs ? 64 : 0, fours && !pairs ? 2 : 0}, .by_rows = true,
             .bytes = (double)bytes * (double)(reads + stage->pass.output_count));
}

static void declare(const struct vks_config *config, struct vks_declaration *declaration)
{
    struct vks_formula_program *p = program_of(config);
    if (!p) {
        vks_declaration_fail(declaration, vks_error_last()->result);
        return;
    }
    declare_fields(config, p, declaration);
    vks_formula_declare_stage(config, p, &p->starts[config->start], true, declaration);
    for (size_t i = 0; i < p->step_count; i++) {
        vks_formula_declare_stage(config, p, &p->steps[i], false, declaration);
    }
}

static void declare_frame(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct vks_formula *f = formula_of(config);
    for (uint32_t i = 0; config->watch && i < f->field_count; i++) {
        const char *name = f->names.fields[i].name;
        vks_declare_mean(declaration, name, 1, name);
    }
}

/* --- warnings -------------------------------------------------------------------------------- */

static double factor_of(const struct vks_formula_term *term, const double *values)
{
    const double given = term->node == UINT32_MAX ? 1 : values[term->node];
    return (term->divides ? 1 / given : given) * (term->negative ? -1 : 1);
}

/* The largest time step that is stable for diffusion, by the eigenvalue of the wave that alternates
 * from cell to cell: -4 per dimension and dx^2. */
static double diffusion_limit(const struct vks_config *config, const struct vks_formula_program *p,
                              const struct vks_formula_term *term, const double *values)
{
    const struct vks_formula *f = formula_of(config);
    const struct vks_formula_settings *s = config->settings;
    const double dx = s->parameters[VKS_PARAMETER_DX];
    const double factor = factor_of(term, values);
    const double once = 4.0 * p->expressions.dimensions / (dx * dx);
    const double decay = term->operation == VKS_TERM_BILAP ? -factor * once * once : factor * once;
    return decay > 0 ? (f->scheme == VKS_SCHEME_RK4 ? 2.785 : 2) / decay : INFINITY;
}

/* The same for a flow in Euler's scheme, which grows in long waves unless the diffusion D of the
 * field holds it: 2 D / v^2. */
static double flow_limit(const struct vks_formula_program *p, const struct vks_formula_term *term,
                         const double *values)
{
    const double v = factor_of(term, values);
    double diffusion = 0;
    for (size_t i = 0; i < p->term_count; i++) {
        const bool spreads =
            p->terms[i].field == term->field && p->terms[i].operation == VKS_TERM_LAP;
        diffusion += spreads ? factor_of(&p->terms[i], values) : 0;
    }
    return v != 0 ? 2 * fmax(diffusion, 0) / (v * v) : INFINITY;
}

/* Whether dt is above the limit of a term. */
static bool warn_of_step(const struct vks_config *config, const struct vks_formula_program *p,
                         char *text, size_t size)
{
    static const char *const better[] = {"upwind", "upwind_y", "upwind_z"};
    const struct vks_formula_settings *s = config->settings;
    const double dt = s->parameters[VKS_PARAMETER_DT];
    double *values = calloc(p->expressions.node_count, sizeof(*values));
    bool found = false;
    if (values) {
        vks_node_values(&p->expressions, s->parameters, values);
    }
    for (size_t i = 0; values && i < p->term_count && !found; i++) {
        const struct vks_formula_term *term = &p->terms[i];
        const bool flows = term->operation >= VKS_TERM_DX;
        const char *name = p->expressions.fields[term->field].name;
        const double limit =
            flows ? flow_limit(p, term, values) : diffusion_limit(config, p, term, values);
        found = dt > limit * (1 + 1e-6);
        if (found && flows) {
            const size_t axis = term->operation - VKS_TERM_DX;
            snprintf(text, size, "dt is %g, but d%c(%s) is stable only up to %.3g; write %s", dt,
                     "xyz"[axis], name, limit, better[axis]);
        } else if (found) {
            snprintf(text, size, "dt is %g, but the diffusion of %s is stable only up to %.3g", dt,
                     name, limit);
        }
    }
    free(values);
    return found;
}

/* Whether no expression uses a parameter. */
static bool warn_of_parameter(const struct vks_formula_program *p, char *text, size_t size)
{
    const struct vks_expressions *e = &p->expressions;
    for (uint32_t i = VKS_PARAMETER_DX + 1; i < e->parameter_count; i++) {
        bool used = e->maps[i] != 0;
        for (size_t n = 0; n < e->node_count && !used; n++) {
            used = e->nodes[n].op == VKS_OP_PARAMETER && e->nodes[n].index == i;
        }
        if (!used) {
            snprintf(text, size, "no formula uses the parameter '%s'", e->parameters[i].name);
            return true;
        }
    }
    return false;
}

static const char *warning(const struct vks_config *config)
{
    static _Thread_local char text[256];
    const struct vks_formula_program *p = program_of(config);
    return p && (warn_of_step(config, p, text, sizeof(text)) ||
                 warn_of_parameter(p, text, sizeof(text)))
               ? text
               : NULL;
}

/* --- loading --------------------------------------------------------------------------------- */

enum { MOST = 1 << 20 }; /* bytes of a text */

static void formula_free(struct vks_formula *f)
{
    for (size_t i = 0; i < f->text_count; i++) {
        free(f->texts[i]);
    }
    free(f->texts);
    while (f->programs) {
        struct vks_formula_program *next = f->programs->next;
        vks_formula_program_free(f->programs);
        f->programs = next;
    }
    vks_folder_free(f->folder);
    vks_compound_free(f->compound);
    json_decref(f->json);
    free(f->canonical);
    free(f->path);
    free(f);
}

static enum vks_result parse_json(struct vks_formula *f, const char *text, size_t size)
{
    json_error_t error;
    if (size > MOST) {
        return vks_fail(VKS_ERROR_FILE, "it is larger than a megabyte");
    }
    f->json = vks_json_load(text, size, JSON_REJECT_DUPLICATES, &error);
    return f->json
               ? VKS_OK
               : vks_fail(VKS_ERROR_FILE, "it is not JSON: line %d: %s", error.line, error.text);
}

static enum vks_result read_json(struct vks_formula *f)
{
    FILE *file;
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
    result = failed ? vks_fail(VKS_ERROR_FILE, "it cannot be read") : parse_json(f, text, size);
    free(text);
    return result;
}

/* Sets what scenes and state files hold. */
static enum vks_result set_canonical(struct vks_formula *f)
{
    if (!json_object_get(f->json, "name") &&
        json_object_set_new(f->json, "name", json_string(f->model.name)) != 0) {
        return vks_fail_memory();
    }
    f->canonical = vks_formula_canonical(f->json);
    return f->canonical ? VKS_OK : vks_fail_memory();
}

/* Makes the model of the text, or of the file if that is NULL. */
static enum vks_result make(struct vks_formula *f, const char *text, size_t size)
{
    f->has_file = !text;
    enum vks_result result = text ? parse_json(f, text, size) : read_json(f);
    const bool has_shaders = json_object_get(f->json, "shaders") != NULL;
    const bool is_compound = json_object_get(f->json, "compound") != NULL;
    if (result == VKS_OK && has_shaders && text) {
        result = vks_fail(VKS_ERROR_USAGE, "it has shaders, which only the files of a model may");
    }
    if (result == VKS_OK) {
        result = is_compound   ? vks_compound_read(f, !text)
                 : has_shaders ? vks_folder_read(f)
                               : vks_formula_read(f);
    }
    if (result == VKS_OK) {
        result = vks_formula_check_options(f);
    }
    if (result == VKS_OK) {
        result = set_canonical(f);
    }
    if (result == VKS_OK && !has_shaders) {
        result = make_program(f, given_images(f, NULL), 0, &f->programs);
    }
    f->model.presets = f->presets;
    f->model.views = f->views;
    f->model.user = f;
    if (is_compound) {
        return result;
    }
    f->model.settings_size = sizeof(struct vks_formula_settings);
    f->model.starts = f->start_names;
    if (has_shaders) {
        vks_folder_set(&f->model);
        return result;
    }
    f->model.declare = declare;
    f->model.declare_frame = declare_frame;
    f->model.warning = warning;
    f->model.parse = parse;
    f->model.check = check;
    f->model.check_files = vks_formula_check_points;
    return result;
}

enum vks_result vks_formula_parse(const char *text, size_t size, const char *origin,
                                  const struct vks_model **model)
{
    struct vks_formula *f = calloc(1, sizeof(*f));
    if (f) {
        f->path = vks_strdup(origin);
    }
    if (!f || !f->path) {
        free(f);
        return vks_fail_memory();
    }
    const enum vks_result result = make(f, text, size);
    if (result != VKS_OK) {
        struct vks_error error;
        vks_error_keep(result, &error);
        const bool named = !f->json && strstr(error.text, origin); /* it could not be opened */
        formula_free(f);
        return vks_fail_reworded(&error, "%s%s%s%s", named ? "" : "'", named ? "" : origin,
                                 named ? "" : "': ", error.text);
    }
    *model = &f->model;
    return VKS_OK;
}

enum vks_result vks_formula_load(const char *path, const struct vks_model **model)
{
    return vks_formula_parse(NULL, 0, path, model);
}

void vks_formula_free(const struct vks_model *model)
{
    formula_free((struct vks_formula *)(uintptr_t)model->user);
}

bool vks_formula_equal(const struct vks_model *a, const struct vks_model *b)
{
    return vks_folder_equal(a, b) ||
           (vks_is_formula(a) && vks_is_formula(b) &&
            strcmp(((const struct vks_formula *)a->user)->canonical,
                   ((const struct vks_formula *)b->user)->canonical) == 0);
}

bool vks_is_formula(const struct vks_model *model)
{
    return model->declare == declare || vks_is_compound(model);
}

const char *vks_formula_file(const struct vks_model *model, size_t index)
{
    const struct vks_formula *f = vks_is_formula(model) ? model->user : NULL;
    for (size_t i = 0; f && f->compound && index > 0 && i < f->compound->part_count; i++) {
        const struct vks_formula *part =
            f->compound->parts[i].owned ? f->compound->parts[i].model->user : NULL;
        if (part && part->has_file && --index == 0) {
            return part->path;
        }
    }
    return f && f->has_file && index == 0 ? f->path : NULL;
}

static void set_version(struct vks_formula *f, unsigned version)
{
    f->version = version;
    for (size_t i = 0; f->compound && i < f->compound->part_count; i++) {
        if (f->compound->parts[i].owned) {
            set_version((struct vks_formula *)(uintptr_t)f->compound->parts[i].model->user,
                        version);
        }
    }
}

void vks_formula_succeed(const struct vks_model *model, const struct vks_model *before)
{
    struct vks_formula *f = (struct vks_formula *)(uintptr_t)model->user;
    const struct vks_formula *old = before->user;
    f->before = before;
    set_version(f, old->version + 1);
}

static void show(const struct vks_formula_stage *stage, const char *kind, FILE *out)
{
    const char *text = stage->shaders[1] ? stage->shaders[1] : stage->shaders[0];
    fprintf(out, "// %s%s\n%s\n", kind, stage->name, text);
}

enum vks_result vks_formula_show(const struct vks_model *model, FILE *out)
{
    const struct vks_formula *f = model->user;
    const struct vks_formula_program *p = f->programs;
    for (size_t i = 0; i < f->start_count; i++) {
        show(&p->starts[i], "init: ", out);
    }
    for (size_t i = 0; i < p->step_count; i++) {
        show(&p->steps[i], "", out);
    }
    return ferror(out) ? vks_fail(VKS_ERROR_FILE, "cannot write the shaders") : VKS_OK;
}
