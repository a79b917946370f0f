/* SPDX-License-Identifier: MIT */
/* The tables of a compound: those of its parts, whose names begin with the part's. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option.h"
#include "formula/compound.h"
#include "sim/registry.h"

const char *vks_compound_name(struct vks_formula *formula, const struct vks_compound_part *part,
                              const char *name)
{
    return vks_formula_text(formula, "%s-%s", part->name, name);
}

/* The name of a field; NULL stays NULL. */
static const char *field_name(struct vks_formula *f, const struct vks_compound_part *part,
                              const char *name)
{
    return name ? vks_formula_text(f, "%s%s", part->scope, name) : NULL;
}

const struct vks_compound_fixed *vks_compound_fixed(const struct vks_compound_part *part,
                                                    const char *name)
{
    for (size_t i = 0; i < part->fixed_count; i++) {
        if (strcmp(part->fixed[i].option->name, name) == 0) {
            return &part->fixed[i];
        }
    }
    return NULL;
}

/* Whether the part has the option and the compound, too. */
static bool has_option(const struct vks_compound_part *part, const char *name)
{
    return vks_option_find(part->model->options, name) && !vks_compound_fixed(part, name);
}

bool vks_compound_is_input(const struct vks_compound *compound, size_t part, const char *field)
{
    bool found = false;
    for (size_t i = 0; i < compound->input_count; i++) {
        const struct vks_compound_input *input = &compound->inputs[i];
        found = found || (input->part == part && strcmp(input->input->field, field) == 0);
    }
    return found;
}

/* --- conditions ------------------------------------------------------------------------------ */

static const char init[] = "init", init_image[] = "image";

/* Appends the values of a condition, without that of an image to start from. Returns how many. */
static size_t append_values(char *text, size_t size, const char *values, bool is_init)
{
    size_t count = 0;
    while (values) {
        const size_t length = strcspn(values, "|"), used = strlen(text);
        if (!is_init || length != strlen(init_image) || strncmp(values, init_image, length) != 0) {
            snprintf(text + used, size - used, "%s%.*s", count++ ? "|" : "=", (int)length, values);
        }
        values = values[length] ? values + length + 1 : NULL;
    }
    return count;
}

/* The condition `needs` of a part's option or brush, as the compound's. False: it is never met.
 * What an input fixes is given. */
static bool set_needs(struct vks_formula *f, const struct vks_compound_part *part,
                      const char **needs)
{
    char name[64], text[512];
    if (!*needs) {
        return true;
    }
    const size_t length = strcspn(*needs, "=");
    const char *values = (*needs)[length] ? *needs + length + 1 : NULL;
    snprintf(name, sizeof(name), "%.*s", (int)length, *needs);
    const bool is_init = strcmp(name, init) == 0;
    if (vks_compound_fixed(part, name)) {
        *needs = NULL;
    } else if (is_init || has_option(part, name)) {
        snprintf(text, sizeof(text), "%s-%s", part->name, name);
        if (values && append_values(text, sizeof(text), values, is_init) == 0) {
            return false;
        }
        *needs = vks_formula_text(f, "%s", text);
    }
    return true;
}

/* The options that replace one, as the compound's. */
static const char *make_unless(struct vks_formula *f, const struct vks_compound_part *part,
                               const char *unless)
{
    char text[512] = "";
    while (unless) {
        char name[64];
        const size_t length = strcspn(unless, "|"), used = strlen(text);
        snprintf(name, sizeof(name), "%.*s", (int)length, unless);
        if (!vks_compound_fixed(part, name)) {
            snprintf(text + used, sizeof(text) - used, "%s%s%s%s", used ? "|" : "",
                     has_option(part, name) ? part->name : "", has_option(part, name) ? "-" : "",
                     name);
        }
        unless = unless[length] ? unless + length + 1 : NULL;
    }
    return text[0] ? vks_formula_text(f, "%s", text) : NULL;
}

/* --- options --------------------------------------------------------------------------------- */

/* The help of an option, in which "--kill" becomes "--soil-kill". */
static const char *make_help(struct vks_formula *f, const struct vks_compound_part *part,
                             const char *help)
{
    enum { MAX = 1024 };
    char text[MAX] = "", name[64];
    size_t used = 0;
    while (*help && used + sizeof(name) < MAX) {
        const char *word = strncmp(help, "--", 2) == 0 ? help + 2 : NULL;
        const size_t length = word ? strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789-") : 0;
        snprintf(name, sizeof(name), "%.*s", (int)length, word ? word : "");
        if (word && (strcmp(name, init) == 0 || has_option(part, name))) {
            used += (size_t)snprintf(text + used, MAX - used, "--%s-", part->name);
            help = word;
        } else {
            text[used++] = *help++;
            text[used] = '\0';
        }
    }
    return vks_formula_text(f, "%s", text);
}

/* A list in the making. */
struct rows {
    struct vks_option *options;
    size_t count;
};

static void add_option(struct vks_formula *f, const struct vks_compound_part *part,
                       const struct vks_option *own, const char **heading, struct rows *rows)
{
    struct vks_option *option = &rows->options[rows->count];
    *heading = own->heading ? own->heading : *heading;
    *option = *own;
    if (vks_compound_fixed(part, own->name) || !set_needs(f, part, &option->needs)) {
        return;
    }
    const bool follows = own->same_as && has_option(part, own->same_as);
    option->name = vks_compound_name(f, part, own->name);
    option->offset += part->settings;
    option->list += own->flags & VKS_OPTION_LIST ? part->settings : 0;
    option->same_as = follows ? vks_compound_name(f, part, own->same_as) : NULL;
    option->unless = make_unless(f, part, own->unless);
    option->help = make_help(f, part, own->help);
    option->heading = *heading ? vks_formula_text(f, "%s: %s", part->name, *heading) : NULL;
    option->brief = NULL;
    option->letter = 0;
    option->group = 0;
    *heading = NULL;
    rows->count++;
}

/* The initial condition of a part, if it has several. */
static void add_init(struct vks_formula *f, size_t index, struct rows *rows)
{
    const struct vks_compound_part *part = &f->compound->parts[index];
    const char *const *starts = vks_model_starts(part->model);
    if (starts[1]) {
        rows->options[rows->count++] = (struct vks_option){
            .name = vks_compound_name(f, part, init),
            .heading = vks_formula_text(f, "%s: initial condition", part->name),
            .type = VKS_OPTION_CHOICE,
            .change = VKS_CHANGE_START,
            .offset = offsetof(struct vks_compound_settings, starts) + index * sizeof(uint32_t),
            .choices = starts,
            .default_text = starts[0],
            .help = vks_formula_text(f, "initial condition of %s", part->name),
        };
    }
}

static enum vks_result make_options(struct vks_formula *f)
{
    enum { ALIGN = 16 };
    struct vks_compound *c = f->compound;
    struct rows rows = {.count = 0};
    size_t most = f->option_count;
    f->model.settings_size = (sizeof(struct vks_compound_settings) + ALIGN - 1) / ALIGN * ALIGN;
    for (size_t i = 0; i < c->part_count; i++) {
        const struct vks_model *model = c->parts[i].model;
        most += model->options.count + 1;
        c->parts[i].settings = f->model.settings_size;
        f->model.settings_size += (model->settings_size + ALIGN - 1) / ALIGN * ALIGN;
    }
    rows.options = vks_formula_keep(f, (most + 1) * sizeof(*rows.options));
    if (!rows.options) {
        return vks_fail_memory();
    }
    for (size_t i = 0; i < f->option_count; i++) {
        rows.options[rows.count++] = f->options[i];
    }
    for (size_t i = 0; i < c->part_count; i++) {
        const struct vks_option_table own = c->parts[i].model->options;
        const char *heading = "options";
        for (size_t j = 0; j < own.count; j++) {
            add_option(f, &c->parts[i], &own.options[j], &heading, &rows);
        }
        add_init(f, i, &rows);
    }
    f->model.options = (struct vks_option_table){rows.options, rows.count};
    return VKS_OK;
}

/* --- views and vectors ----------------------------------------------------------------------- */

static void add_view(struct vks_formula *f, const struct vks_compound_part *part,
                     const struct vks_view *own)
{
    struct vks_view *view = &f->views[f->view_count++];
    *view = *own;
    view->name = vks_compound_name(f, part, own->name);
    view->field = field_name(f, part, own->field);
    view->fallback = field_name(f, part, own->fallback);
    view->help = vks_formula_text(f, "%s: %s", part->name, own->help);
    for (size_t i = 0; i < 3; i++) {
        view->points[i] = field_name(f, part, own->points[i]);
        view->tint[i] = field_name(f, part, own->tint[i]);
    }
}

static enum vks_result make_views(struct vks_formula *f)
{
    struct vks_compound *c = f->compound;
    for (size_t i = 0; i < c->part_count; i++) {
        struct vks_compound_part *part = &c->parts[i];
        part->first_view = (uint32_t)f->view_count;
        for (const struct vks_view *own = part->model->views; own->name; own++) {
            if (f->view_count == VKS_FORMULA_VIEWS) {
                return vks_formula_wrong("parts", "have more than 32 views");
            }
            add_view(f, part, own);
            part->view_count++;
        }
    }
    return VKS_OK;
}

static enum vks_result make_vectors(struct vks_formula *f)
{
    enum { MAX = 32 }; /* bits of vks_config.vectors */
    struct vks_compound *c = f->compound;
    struct vks_vector *vectors = vks_formula_keep(f, (MAX + 1) * sizeof(*vectors));
    uint32_t count = 0;
    for (size_t i = 0; i < c->part_count && vectors; i++) {
        struct vks_compound_part *part = &c->parts[i];
        part->first_vector = count;
        const struct vks_vector *own = part->model->vectors;
        for (; own && own->name && count < MAX; own++, part->vector_count++) {
            vectors[count] = *own;
            vectors[count].name = vks_compound_name(f, part, own->name);
            for (size_t axis = 0; axis < 3; axis++) {
                vectors[count].fields[axis] = field_name(f, part, own->fields[axis]);
            }
            count++;
        }
    }
    f->model.vectors = vectors;
    return vectors ? VKS_OK : vks_fail_memory();
}

/* --- brushes --------------------------------------------------------------------------------- */

/* Whether a brush works in the compound: an input would write over what it paints, and the options
 * that it needs may be fixed. */
static bool keeps_brush(const struct vks_compound *c, size_t part, const struct vks_brush *brush)
{
    bool kept = true;
    for (const struct vks_brush_effect *effect = brush->effects; effect->field; effect++) {
        kept = kept && !vks_compound_is_input(c, part, effect->field) &&
               (!effect->times || has_option(&c->parts[part], effect->times));
    }
    for (size_t i = 0; i < VKS_STROKE_VALUES && brush->values[i].option; i++) {
        kept = kept && has_option(&c->parts[part], brush->values[i].option);
    }
    return kept;
}

static void add_brush(struct vks_formula *f, size_t index, const struct vks_brush *own,
                      struct vks_brush *brushes, size_t count)
{
    const struct vks_compound_part *part = &f->compound->parts[index];
    struct vks_brush *brush = &brushes[count];
    *brush = *own;
    brush->name = vks_compound_name(f, part, own->name);
    set_needs(f, part, &brush->needs);
    for (struct vks_brush_effect *effect = brush->effects; effect->field; effect++) {
        effect->field = field_name(f, part, effect->field);
        effect->times = effect->times ? vks_compound_name(f, part, effect->times) : NULL;
        effect->outside = field_name(f, part, effect->outside);
    }
    for (size_t i = 0; i < VKS_STROKE_VALUES && brush->values[i].option; i++) {
        brush->values[i].option = vks_compound_name(f, part, brush->values[i].option);
    }
    brush->declare = own->declare ? vks_compound_paints[count] : NULL;
    f->compound->brush_parts[count] = index;
    f->compound->brushes[count] = own;
}

/* The first brushes of all parts, as many as a model may have. */
static enum vks_result make_brushes(struct vks_formula *f)
{
    struct vks_compound *c = f->compound;
    struct vks_brush *brushes = vks_formula_keep(f, (VKS_MAX_BRUSHES + 1) * sizeof(*brushes));
    size_t count = 0;
    for (size_t i = 0; i < c->part_count && brushes; i++) {
        const struct vks_brush *own = c->parts[i].model->brushes;
        for (; own && own->name && count < VKS_MAX_BRUSHES; own++) {
            if (keeps_brush(c, i, own)) {
                add_brush(f, i, own, brushes, count++);
            }
        }
    }
    f->model.brushes = count > 0 ? brushes : NULL;
    return brushes ? VKS_OK : vks_fail_memory();
}

/* --- the rest -------------------------------------------------------------------------------- */

/* The first part's that has it. */
static void make_rest(struct vks_formula *f)
{
    struct vks_compound *c = f->compound;
    for (size_t i = 0; i < c->part_count; i++) {
        const struct vks_compound_part *part = &c->parts[i];
        const struct vks_model *model = part->model;
        const struct vks_chart *chart = &model->chart;
        if (!f->model.closed && model->closed) {
            f->model.closed = model->closed;
            set_needs(f, part, &f->model.closed);
        }
        if (!f->model.chart.x && chart->x && has_option(part, chart->x) &&
            has_option(part, chart->y)) {
            f->model.chart = *chart;
            f->model.chart.x = vks_compound_name(f, part, chart->x);
            f->model.chart.y = vks_compound_name(f, part, chart->y);
        }
        if (c->variant_part == SIZE_MAX && model->variants && model->count_option) {
            c->variant_part = i;
            f->model.variants = model->variants;
        }
    }
}

enum vks_result vks_compound_make_tables(struct vks_formula *formula)
{
    enum vks_result result = make_options(formula);
    result = result == VKS_OK ? make_views(formula) : result;
    result = result == VKS_OK ? make_vectors(formula) : result;
    result = result == VKS_OK ? make_brushes(formula) : result;
    make_rest(formula);
    vks_compound_set(&formula->model);
    formula->model.user = formula;
    return result == VKS_OK && formula->lacks_memory ? vks_fail_memory() : result;
}
