/* SPDX-License-Identifier: MIT */
/* What plug-ins call, and copies of their structures, which may be shorter than this vksim's: the
 * members that they lack are zero. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/exact.h"
#include "base/memory.h"
#include "base/number.h"
#include "formula/plugin.h"

/* --- copies ----------------------------------------------------------------------------------- */

/* Copies `count` rows behind each other, with room for one more, which is zero. */
static void *copy_rows(const void *rows, size_t count, size_t size, size_t own)
{
    char *copy = calloc(count + 1, own);
    for (size_t i = 0; copy && i < count; i++) {
        memcpy(copy + i * own, (const char *)rows + i * size, size);
    }
    return copy;
}

void *vks_host_rows(const void *rows, size_t size, size_t own)
{
    const char *text = NULL;
    size_t count = 0;
    if (!rows) {
        return NULL;
    }
    for (;; count++) {
        memcpy(&text, (const char *)rows + count * size, sizeof(text));
        if (!text) {
            return copy_rows(rows, count, size, own);
        }
    }
}

#define ROWS(list, kind) vks_host_rows(list, sizes->kind, sizeof(struct vks_##kind))

/* A copy of a structure that is passed to a function. */
#define TAKE(copy, kind, from) memcpy(&(copy), (from), sizes->kind)

struct vks_model *vks_host_model(const struct vks_sizes *sizes, const struct vks_model *model)
{
    struct vks_model *copy = calloc(1, sizeof(*copy));
    if (!copy) {
        return NULL;
    }
    TAKE(*copy, model, model);
    const struct vks_model theirs = *copy;
    copy->options.options = copy_rows(theirs.options.options, theirs.options.count, sizes->option,
                                      sizeof(struct vks_option));
    copy->presets = ROWS(theirs.presets, preset);
    copy->views = ROWS(theirs.views, view);
    copy->vectors = ROWS(theirs.vectors, vector);
    copy->axis_options = ROWS(theirs.axis_options, axis_option);
    copy->shape_options = ROWS(theirs.shape_options, shape_option);
    copy->members = ROWS(theirs.members, member);
    copy->variants = ROWS(theirs.variants, variant_row);
    copy->brushes = ROWS(theirs.brushes, brush);
    copy->chart.labels = ROWS(theirs.chart.labels, chart_label);
    copy->inputs = ROWS(theirs.inputs, input);
    if (!copy->options.options || !copy->presets != !theirs.presets ||
        !copy->views != !theirs.views || !copy->vectors != !theirs.vectors ||
        !copy->axis_options != !theirs.axis_options ||
        !copy->shape_options != !theirs.shape_options || !copy->members != !theirs.members ||
        !copy->variants != !theirs.variants || !copy->brushes != !theirs.brushes ||
        !copy->chart.labels != !theirs.chart.labels || !copy->inputs != !theirs.inputs) {
        vks_host_model_free(copy);
        return NULL;
    }
    return copy;
}

void vks_host_model_free(struct vks_model *model)
{
    const void *const rows[] = {model->options.options, model->presets,      model->views,
                                model->vectors,         model->axis_options, model->shape_options,
                                model->members,         model->variants,     model->brushes,
                                model->chart.labels,    model->inputs};
    for (size_t i = 0; i < VKS_COUNT(rows); i++) {
        free((void *)(uintptr_t)rows[i]);
    }
    free(model);
}

/* --- functions that take structures ----------------------------------------------------------- */

/* A copy of rows for a declaration, which fails when memory runs out. */
static void *rows_for(struct vks_declaration *declaration, const void *rows, size_t size,
                      size_t own)
{
    void *copy = vks_host_rows(rows, size, own);
    if (rows && !copy) {
        vks_declaration_fail(declaration, vks_fail_memory());
    }
    return copy;
}

#define ROWS_FOR(list, kind) rows_for(declaration, list, sizes->kind, sizeof(struct vks_##kind))

static void declare_field(struct vks_declaration *declaration, const struct vks_sizes *sizes,
                          const struct vks_field *field)
{
    struct vks_field copy = {0};
    TAKE(copy, field, field);
    void *watched = ROWS_FOR(copy.watched, scalar);
    copy.watched = watched;
    vks_declare_field(declaration, &copy);
    free(watched);
}

static void declare_pass(struct vks_declaration *declaration, const struct vks_sizes *sizes,
                         const struct vks_pass *pass)
{
    struct vks_pass copy = {0};
    TAKE(copy, pass, pass);
    void *uses = ROWS_FOR(copy.uses, use);
    void *specializations = ROWS_FOR(copy.specializations, specialization);
    copy.uses = uses;
    copy.specializations = specializations;
    vks_declare_pass(declaration, &copy);
    free(specializations);
    free(uses);
}

static void declare_watch(struct vks_declaration *declaration, const struct vks_sizes *sizes,
                          const char *field, const struct vks_scalar *scalars)
{
    void *copy = ROWS_FOR(scalars, scalar);
    if (copy) {
        vks_declare_watch(declaration, field, copy);
    }
    free(copy);
}

static void declare_fft(struct vks_declaration *declaration, const struct vks_sizes *sizes,
                        const struct vks_fft *fft)
{
    struct vks_fft copy = {0};
    TAKE(copy, fft, fft);
    vks_declare_fft(declaration, &copy);
}

static void declare_ranks(struct vks_declaration *declaration, const struct vks_sizes *sizes,
                          const struct vks_sorting *sorting)
{
    struct vks_sorting copy = {0};
    TAKE(copy, sorting, sorting);
    vks_declare_ranks(declaration, &copy);
}

static void declare_sorting(struct vks_declaration *declaration, const struct vks_sizes *sizes,
                            const struct vks_sorting *sorting)
{
    struct vks_sorting copy = {0};
    TAKE(copy, sorting, sorting);
    vks_declare_sorting(declaration, &copy);
}

static void declare_exchange(struct vks_declaration *declaration, const struct vks_sizes *sizes,
                             const struct vks_exchange *exchange)
{
    struct vks_exchange copy = {0};
    TAKE(copy, exchange, exchange);
    vks_declare_exchange(declaration, &copy);
}

/* --- functions that take a format ------------------------------------------------------------- */

static enum vks_result fail(enum vks_result result, const char *option, const char *format,
                            va_list arguments)
{
    char text[sizeof(((struct vks_error *)0)->text)];
    vsnprintf(text, sizeof(text), format, arguments);
    return option ? vks_fail_option(result, option, "%s", text) : vks_fail(result, "%s", text);
}

static const char *declaration_name(struct vks_declaration *declaration, const char *format,
                                    va_list arguments)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    const bool written = out && vfprintf(out, format, arguments) >= 0;
    const bool closed = out && fclose(out) == 0;
    const char *name = "";
    if (written && closed) {
        name = vks_declaration_name(declaration, "%s", text);
    } else {
        vks_declaration_fail(declaration, vks_fail_memory());
    }
    free(text);
    return name;
}

const struct vks_host vks_host_table = {
    .fail = fail,
    .real = vks_real,
    .binary_angle = vks_binary_angle,
    .flush = vks_flush,
    .divide = vks_divide,
    .sqrt = vks_sqrt,
    .exp = vks_exp,
    .log = vks_log,
    .pow = vks_pow,
    .sincos = vks_sincos,
    .random = vks_random,
    .parse_real = vks_parse_real,
    .variant_of = vks_variant_of,
    .candidate_add = vks_candidate_add,
    .source_number = vks_source_number,
    .field_count = vks_field_count,
    .fill_places = vks_fill_places,
    .declare_field = declare_field,
    .declare_pass = declare_pass,
    .declare_watch = declare_watch,
    .declaration_name = declaration_name,
    .declaration_copy = vks_declaration_copy,
    .declaration_fail = vks_declaration_fail,
    .declare_range = vks_declare_range,
    .declare_sum = vks_declare_sum,
    .declare_mean = vks_declare_mean,
    .declare_scan = vks_declare_scan,
    .declare_fft = declare_fft,
    .declare_items = vks_declare_items,
    .declare_numbers = vks_declare_numbers,
    .declare_ranks = declare_ranks,
    .declare_sorting = declare_sorting,
    .declare_exchange = declare_exchange,
    .items_room = vks_items_room,
};
