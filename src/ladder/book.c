/* SPDX-License-Identifier: MIT */
/* Measured rungs as tables, CSV, JSON and plots. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "ladder/book.h"
#include "ladder/tune.h"
#include "report/html.h"
#include "report/plot.h"
#include "report/ruler.h"
#include "report/svg.h"

enum { MAX_SENTENCE = 512 };

/* --- figures --------------------------------------------------------------------------------- */

static const struct vks_ceiling_info *ceiling_info(const struct vks_ladder_row *row)
{
    const char *own = row->task.rung->ceiling;
    const char *name = own && *own ? own : row->task.kernel->ceiling;
    size_t i = 0;
    while (vks_ceiling_info(i) && strcmp(vks_ceiling_info(i)->name, name) != 0) {
        i++;
    }
    return vks_ceiling_info(i);
}

static bool counts_operations(const struct vks_ladder_row *row)
{
    const struct vks_ceiling_info *info = ceiling_info(row);
    return info && strcmp(info->unit, "B/s") != 0 && row->task.kernel->operations;
}

/* Bytes or operations of a row, as its ceiling counts. */
static double amount_of(const struct vks_ladder_row *row)
{
    return counts_operations(row) ? row->task.kernel->operations(&row->task)
                                  : row->task.kernel->bytes(&row->task);
}

static double rate_of(const struct vks_ladder_row *row)
{
    return row->seconds.samples ? amount_of(row) / row->seconds.median : 0;
}

/* Unit of all rates of a run in text, such as "GB/s", and 1 over it. */
static const char *unit_of(const struct vks_ladder_run *run, double *scale)
{
    double highest = 0;
    for (size_t i = 0; i < run->row_count; i++) {
        highest = fmax(highest, rate_of(&run->rows[i]));
    }
    const bool large = counts_operations(&run->rows[0]) && highest >= 1e12;
    *scale = large ? 1e-12 : 1e-9;
    return large ? "TFLOP/s" : counts_operations(&run->rows[0]) ? "GFLOP/s" : "GB/s";
}

/* Its rate as a share of the ceiling; 0: unknown. */
static double share_of(const struct vks_ladder_row *row)
{
    return row->ceiling && !row->ceiling->missing ? rate_of(row) / row->ceiling->value.median : 0;
}

/* True if the data fit the buffer with which no cache helps the ceiling: they may stay in a cache.
 */
static bool may_be_cached(const struct vks_ladder_row *row)
{
    return row->ceiling && (double)vks_ladder_bytes(&row->task) < (double)row->ceiling->bytes;
}

bool vks_ladder_is_disturbed(const struct vks_ladder_run *run)
{
    return run->drift > 0 && fabs(run->drift - 1) > 0.05;
}

/* How many times as fast as another row; 0: unknown. */
static double factor_of(const struct vks_ladder_row *row, const struct vks_ladder_row *other)
{
    return row->seconds.samples && other->seconds.samples
               ? other->seconds.median / row->seconds.median
               : 0;
}

const char *vks_ladder_dtype(enum vks_element element)
{
    return element == VKS_U32 ? "uint32" : element == VKS_F16 ? "float16" : "float32";
}

static double spread_of(const struct vks_ladder_row *row)
{
    return (row->seconds.high_quartile - row->seconds.low_quartile) / row->seconds.median;
}

/* The quartiles are too far apart, or the ceiling changed: the figure may not be repeated. */
static bool is_noisy(const struct vks_ladder_run *run, const struct vks_ladder_row *row)
{
    const double max_spread = 0.1;
    return spread_of(row) > max_spread || vks_ladder_is_disturbed(run);
}

/* The first row of that size, and the one before it. */
static const struct vks_ladder_row *first_of(const struct vks_ladder_run *run, size_t index)
{
    return &run->rows[index / run->rung_count * run->rung_count];
}

static const struct vks_ladder_row *before(const struct vks_ladder_run *run, size_t index)
{
    return index % run->rung_count ? &run->rows[index - 1] : NULL;
}

/* The fastest rung of the last size in a sentence; "" if none was measured. */
static const char *conclude(const struct vks_ladder_run *run, char text[MAX_SENTENCE])
{
    const size_t first =
        run->row_count ? (run->row_count - 1) / run->rung_count * run->rung_count : 0;
    const struct vks_ladder_row *best = NULL;
    for (size_t i = first; i < run->row_count; i++) {
        const struct vks_ladder_row *row = &run->rows[i];
        if (row->seconds.samples && (!best || row->seconds.median < best->seconds.median)) {
            best = row;
        }
    }
    text[0] = '\0';
    if (best) {
        char size[48], rate[32], share[96] = "", factor[96] = "";
        const double over = factor_of(best, &run->rows[first]);
        if (share_of(best) > 0) {
            snprintf(share, sizeof(share), ", %.3g %% of the ceiling %s", 100 * share_of(best),
                     best->ceiling->info->name);
        }
        if (best != &run->rows[first] && over > 0) {
            snprintf(factor, sizeof(factor), " and %.3g times as fast as '%s'", over,
                     run->rows[first].task.rung->name);
        }
        snprintf(text, MAX_SENTENCE, "'%s' is the fastest rung at %s: %s%s%s%s.",
                 best->task.rung->name, vks_ladder_format_size(run->kernel, &best->task.size, size),
                 vks_plot_number(rate_of(best), counts_operations(best) ? "FLOP/s" : "B/s",
                                 VKS_PLOT_LINEAR, rate, sizeof(rate)),
                 share, factor, is_noisy(run, best) ? " (a noisy figure)" : "");
    }
    return text;
}

/* --- the table ------------------------------------------------------------------------------- */

static void print_row(const struct vks_ladder_run *run, size_t index)
{
    char size[48];
    const struct vks_ladder_row *row = &run->rows[index];
    printf("%-12s %14s", row->task.rung->name,
           vks_ladder_format_size(run->kernel, &row->task.size, size));
    if (row->missing) {
        printf("   %s%s\n", row->missing == row->refused ? "" : "needs ", row->missing);
        return;
    }
    if (row->wrong) {
        printf("   WRONG: its result is not that of the reference\n");
        return;
    }
    double scale;
    (void)unit_of(run, &scale);
    const double share = share_of(row);
    const double over_first = factor_of(row, first_of(run, index));
    const double over = before(run, index) ? factor_of(row, before(run, index)) : 0;
    printf(" %10.2f us %5.1f %% %9.2f", 1e6 * row->seconds.median, 100 * spread_of(row),
           scale * rate_of(row));
    if (share > 0) {
        printf(" %7.1f %%%c", 100 * share, may_be_cached(row) ? '*' : ' ');
    } else {
        printf("         - ");
    }
    printf(over_first > 0 ? " %7.2f" : "       -", over_first);
    printf(over > 0 ? " %7.2f" : "       -", over);
    char constants[VKS_TUNER_NAME];
    vks_rung_values(&row->task, constants);
    printf("  %s%s%s\n", row->task.rung->help, *constants ? ": " : "", constants);
}

static void print_run(const struct vks_ladder_book *book, const struct vks_ladder_run *run)
{
    char bytes[32], share[48];
    double scale;
    bool cached = false;
    const struct vks_ladder_row *first = &run->rows[0];
    printf("%s of %s on %s (%s): %s\n", run->kernel->name, vks_ladder_dtype(run->element),
           book->device->name, book->device->driver, run->kernel->help);
    for (size_t i = 0; i < book->ceilings.count; i++) {
        const struct vks_ceiling *ceiling = &book->ceilings.items[i];
        bool used = false;
        for (size_t k = 0; k < run->rung_count; k++) {
            used = used || run->rows[k].ceiling == ceiling;
        }
        if (used && !ceiling->missing) {
            printf("ceiling %s: %.1f %s", ceiling->info->name,
                   ceiling->value.median * ceiling->info->scale, ceiling->info->symbol);
            printf(ceiling->bytes ? ", with buffers of %s\n" : "\n",
                   vks_format_bytes(ceiling->bytes, bytes));
        }
    }
    snprintf(share, sizeof(share), "of %s", run->kernel->ceiling);
    printf("%-12s %14s %13s %7s %9s %10s %7s %7s  %s\n", "rung", "size", "time", "spread",
           unit_of(run, &scale), share, "x first", "x prev", "what it changes");
    for (size_t i = 0; i < run->row_count; i++) {
        printf("%s", i && i % run->rung_count == 0 ? "\n" : ""); /* between sizes */
        print_row(run, i);
        const struct vks_ladder_row *row = &run->rows[i];
        cached = cached || (row->seconds.samples && row->ceiling && may_be_cached(row));
    }
    char sentence[MAX_SENTENCE];
    if (*conclude(run, sentence)) {
        puts(sentence);
    }
    if (vks_ladder_is_disturbed(run)) {
        printf("DISTURBED: the ceiling %s changed by %+.0f %% during these measurements\n",
               first->ceiling->info->name, 100 * (run->drift - 1));
    }
    if (cached) {
        printf("* all of its data are smaller than a buffer of the ceiling, so they may stay in a "
               "cache\n");
    }
}

void vks_ladder_print(const struct vks_ladder_book *book)
{
    for (size_t i = 0; i < book->count; i++) {
        printf("%s", i ? "\n" : "");
        print_run(book, &book->runs[i]);
    }
    if (book->rows_left) {
        printf("\nINTERRUPTED: %zu more rows were not measured\n", book->rows_left);
    }
}

/* --- CSV ------------------------------------------------------------------------------------- */

/* In quotes, since messages have commas. */
static void print_quoted(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        fputs(*text == '"' ? "\"\"" : (const char[]){*text, 0}, stdout);
    }
    putchar('"');
}

static void print_csv_row(const struct vks_ladder_run *run, size_t index)
{
    const struct vks_ladder_row *row = &run->rows[index];
    const struct vks_spread *seconds = &row->seconds;
    char size[48];
    printf("%s,%s,%s,%s,", run->kernel->name, row->task.rung->name, vks_ladder_dtype(run->element),
           vks_ladder_format_size(run->kernel, &row->task.size, size));
    print_quoted(row->missing ? row->missing : "");
    printf(",%d", !row->missing && !row->wrong);
    if (!seconds->samples) {
        puts(",,,,,,,,,,,,,");
        return;
    }
    const double first = factor_of(row, first_of(run, index));
    const double over = before(run, index) ? factor_of(row, before(run, index)) : 0;
    printf(",%.9g,%.9g,%.9g,%u,%.9g,%s", seconds->median, seconds->low_quartile,
           seconds->high_quartile, seconds->samples, rate_of(row),
           counts_operations(row) ? "FLOP/s" : "B/s");
    printf(",%s", row->ceiling ? row->ceiling->info->name : "");
    const double numbers[] = {share_of(row), first, over};
    for (size_t i = 0; i < VKS_COUNT(numbers); i++) {
        printf(numbers[i] > 0 ? ",%.6g" : ",", numbers[i]);
    }
    char constants[VKS_TUNER_NAME];
    printf(",%.9g,%.9g,%s\n", seconds->min, seconds->max, vks_rung_values(&row->task, constants));
}

void vks_ladder_print_csv(const struct vks_ladder_book *book)
{
    puts("kernel,rung,dtype,size,missing,verified,median_s,low_quartile_s,high_quartile_s,samples,"
         "rate,unit,ceiling,of_ceiling,over_first,over_before,min_s,max_s,constants");
    for (size_t k = 0; k < book->count; k++) {
        for (size_t i = 0; i < book->runs[k].row_count; i++) {
            print_csv_row(&book->runs[k], i);
        }
    }
}

/* --- JSON ------------------------------------------------------------------------------------ */

static bool put_number(json_t *object, const char *key, double value)
{
    return value <= 0 || json_object_set_new(object, key, json_real(value)) == 0;
}

static json_t *row_json(const struct vks_ladder_run *run, size_t index)
{
    const struct vks_ladder_row *row = &run->rows[index];
    char size[48];
    json_t *object = json_pack("{s:s, s:s, s:s, s:b}", "rung", row->task.rung->name, "help",
                               row->task.rung->help, "size",
                               vks_ladder_format_size(run->kernel, &row->task.size, size),
                               "verified", (int)(!row->wrong && !row->missing));
    bool whole = object != NULL;
    char constants[VKS_TUNER_NAME];
    if (whole && !row->missing && *vks_rung_values(&row->task, constants)) {
        whole = json_object_set_new(object, "constants", json_string(constants)) == 0;
    }
    if (whole && row->missing) {
        whole = json_object_set_new(object, row->missing == row->refused ? "refused" : "missing",
                                    json_string(row->missing)) == 0;
    }
    if (whole && row->seconds.samples) {
        json_t *seconds = vks_spread_json(json_object(), &row->seconds);
        const char *rate = counts_operations(row) ? "operations_per_second" : "bytes_per_second";
        const struct vks_ladder_row *previous = before(run, index);
        whole =
            seconds && json_object_set_new(object, "seconds", seconds) == 0 &&
            put_number(object, rate, rate_of(row)) &&
            put_number(object, "of_ceiling", share_of(row)) &&
            (!is_noisy(run, row) || json_object_set_new(object, "noisy", json_true()) == 0) &&
            (!may_be_cached(row) ||
             json_object_set_new(object, "may_be_cached", json_true()) == 0) &&
            (!row->ceiling ||
             json_object_set_new(object, "ceiling", json_string(row->ceiling->info->name)) == 0) &&
            put_number(object, "over_first", factor_of(row, first_of(run, index))) &&
            put_number(object, "over_before", previous ? factor_of(row, previous) : 0);
    }
    if (!whole) {
        json_decref(object);
        object = NULL;
    }
    return object;
}

static json_t *run_json(const struct vks_ladder_run *run)
{
    json_t *rows = json_array();
    bool whole = rows != NULL;
    for (size_t i = 0; whole && i < run->row_count; i++) {
        whole = json_array_append_new(rows, row_json(run, i)) == 0;
    }
    json_t *object =
        whole ? json_pack("{s:s, s:s, s:s, s:O}", "kernel", run->kernel->name, "help",
                          run->kernel->help, "dtype", vks_ladder_dtype(run->element), "rungs", rows)
              : NULL;
    json_decref(rows);
    char sentence[MAX_SENTENCE];
    if (object && (!put_number(object, "drift", run->drift) ||
                   (*conclude(run, sentence) &&
                    json_object_set_new(object, "conclusion", json_string(sentence)) != 0))) {
        json_decref(object);
        object = NULL;
    }
    return object;
}

json_t *vks_ladder_json(const struct vks_ladder_book *book, bool all)
{
    json_t *ceilings = json_array(), *runs = json_array();
    bool whole = ceilings && runs;
    for (size_t i = 0; whole && i < book->ceilings.count; i++) {
        const struct vks_ceiling *ceiling = &book->ceilings.items[i];
        if (!ceiling->missing) {
            json_t *object = vks_ceiling_json(ceiling);
            whole = json_array_append_new(ceilings, object) == 0 &&
                    json_object_set_new(object, "help", json_string(ceiling->info->help)) == 0;
        }
    }
    for (size_t i = 0; whole && i < book->count; i++) {
        whole = json_array_append_new(runs, run_json(&book->runs[i])) == 0;
    }
    json_t *root =
        json_pack("{s:{s:s, s:s, s:s}, s:o}", "device", "name", book->device->name, "driver",
                  book->device->driver, "uuid", book->device->uuid, "ceilings", ceilings);
    if (whole && root && all) {
        whole = json_object_set(root, "kernels", runs) == 0;
    } else if (whole && root) {
        whole = json_object_update(root, json_array_get(runs, 0)) == 0;
    }
    if (whole && root && book->rows_left) {
        const json_int_t left = (json_int_t)book->rows_left;
        whole = json_object_set_new(root, "interrupted", json_true()) == 0 &&
                json_object_set_new(root, "left", json_integer(left)) == 0;
    }
    json_decref(runs);
    if (!whole) {
        json_decref(root);
        root = NULL;
    }
    return root;
}

/* --- the plot -------------------------------------------------------------------------------- */

/* A line per rung over the size. */
struct figure {
    struct vks_plot plot;
    struct vks_plot_series *series;
    double *numbers;
    struct vks_plot_limit limit;
    char label[64], title[96],
        subtitle[sizeof(((struct vks_device_info *)NULL)->name) +
                 sizeof(((struct vks_device_info *)NULL)->driver) + 8];
};

static void fill_series(struct figure *figure, const struct vks_ladder_run *run, size_t rung)
{
    double *x = figure->numbers + 4 * rung * run->size_count, *y = x + run->size_count;
    double *low = y + run->size_count, *high = low + run->size_count;
    size_t count = 0;
    for (size_t k = 0; k < run->size_count; k++) {
        const struct vks_ladder_row *row = &run->rows[k * run->rung_count + rung];
        if (row->seconds.samples) {
            x[count] = 1;
            for (size_t i = 0; i < VKS_LADDER_AXES; i++) {
                x[count] *= row->task.size.axis[i];
            }
            y[count] = amount_of(row) / row->seconds.median;
            low[count] = amount_of(row) / row->seconds.high_quartile;
            high[count++] = amount_of(row) / row->seconds.low_quartile;
        }
    }
    /* Colours repeat: then as dashed lines with hollow points. */
    const bool again = rung / VKS_SVG_COLOURS % 2 != 0;
    figure->series[figure->plot.series_count] = (struct vks_plot_series){
        .name = run->rows[rung].task.rung->name,
        .x = x,
        .y = y,
        .low = low,
        .high = high,
        .count = count,
        .style = VKS_PLOT_POINTS | VKS_PLOT_LINE | (again ? VKS_PLOT_DASHED | VKS_PLOT_HOLLOW : 0),
        .colour = (unsigned)rung,
    };
    figure->plot.series_count += count > 0; /* not in the legend either if nothing was measured */
}

/* "WIDTH x HEIGHT" of axes, whose product is along x. */
static const char *label_axes(const char *axes, char label[64])
{
    size_t used = 0;
    for (; *axes && used < 60; axes++) {
        used += (size_t)snprintf(label + used, 64 - used, *axes == 'x' ? " \u00d7 " : "%c", *axes);
    }
    return strcmp(label, "ELEMENTS") == 0 ? "elements" : label;
}

static enum vks_result create_figure(const struct vks_ladder_book *book, size_t index,
                                     struct figure *figure)
{
    const struct vks_ladder_run *run = &book->runs[index];
    const struct vks_ceiling *ceiling = run->rows[0].ceiling;
    figure->series = calloc(run->rung_count, sizeof(*figure->series));
    figure->numbers = calloc(4 * run->rung_count * run->size_count, sizeof(*figure->numbers));
    if (!figure->series || !figure->numbers) {
        return vks_fail_memory();
    }
    figure->plot.series_count = 0;
    for (size_t i = 0; i < run->rung_count; i++) {
        fill_series(figure, run, i);
    }
    snprintf(figure->title, sizeof(figure->title), "Rungs of %s, %s", run->kernel->name,
             vks_ladder_dtype(run->element));
    snprintf(figure->subtitle, sizeof(figure->subtitle), "%s (%s)", book->device->name,
             book->device->driver);
    if (ceiling && !ceiling->missing) {
        figure->limit =
            (struct vks_plot_limit){.label = ceiling->info->name, .scale = ceiling->value.median};
    }
    figure->plot = (struct vks_plot){
        .title = figure->title,
        .subtitle = figure->subtitle,
        .x = {.label = label_axes(run->kernel->axes, figure->label), .scale = VKS_PLOT_LOG},
        .y = {.label = "rate",
              .unit = counts_operations(&run->rows[0]) ? "FLOP/s" : "B/s",
              .scale = VKS_PLOT_LOG},
        .series = figure->series,
        .series_count = figure->plot.series_count,
        .limits = &figure->limit,
        .limit_count = figure->limit.label ? 1 : 0,
    };
    return VKS_OK;
}

static void free_figure(struct figure *figure)
{
    free(figure->series);
    free(figure->numbers);
}

/* A plot as a string; null where a kernel has one size. */
static enum vks_result add_plot(const struct vks_ladder_book *book, size_t index, json_t *plots)
{
    struct figure figure = {.series = NULL};
    char *svg = NULL;
    enum vks_result result = VKS_OK;
    if (book->runs[index].size_count > 1) {
        result = create_figure(book, index, &figure);
        if (result == VKS_OK) {
            result = vks_plot_svg(&figure.plot, 1, &svg);
        }
    }
    if (result == VKS_OK &&
        json_array_append_new(plots, svg ? json_string(svg) : json_null()) != 0) {
        result = vks_fail_memory();
    }
    free_figure(&figure);
    free(svg);
    return result;
}

enum vks_result vks_ladder_html(const struct vks_ladder_book *book, bool all, const char *path,
                                bool overwrite)
{
    json_t *plots = json_array();
    enum vks_result result = plots ? VKS_OK : vks_fail_memory();
    for (size_t i = 0; i < book->count && result == VKS_OK; i++) {
        result = add_plot(book, i, plots);
    }
    if (result != VKS_OK) {
        json_decref(plots);
        return result;
    }
    return vks_html_write(path, overwrite, &vks_page_ladder, vks_ladder_json(book, all), plots);
}

enum vks_result vks_ladder_plot(const struct vks_ladder_book *book, const char *path,
                                bool overwrite)
{
    struct figure *figures = calloc(book->count, sizeof(*figures));
    struct vks_plot *plots = calloc(book->count, sizeof(*plots));
    enum vks_result result = figures && plots ? VKS_OK : vks_fail_memory();
    for (size_t i = 0; i < book->count && result == VKS_OK; i++) {
        result = create_figure(book, i, &figures[i]);
        plots[i] = figures[i].plot;
    }
    if (result == VKS_OK) {
        result = vks_plot_write(path, overwrite, plots, book->count);
    }
    for (size_t i = 0; figures && i < book->count; i++) {
        free_figure(&figures[i]);
    }
    free(figures);
    free(plots);
    return result;
}
