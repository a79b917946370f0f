/* SPDX-License-Identifier: MIT */
/* Measured rungs as an HTML page: a table and a plot of each kernel. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "bench/tune.h"
#include "report/html_internal.h"
#include "report/ladder.h"

/* The id of a kernel's section. */
static void put_id(FILE *out, const struct vks_ladder_run *run)
{
    fprintf(out, "%s-%s", run->kernel->name, vks_ladder_dtype(run->element));
}

/* The head of a row: a link to the section of a kernel. */
static void put_link(FILE *out, const struct vks_ladder_run *run)
{
    fputs("<tr><th scope=\"row\"><a href=\"#", out);
    put_id(out, run);
    fputs("\">", out);
    vks_html_text(out, run->kernel->name);
    fputs("</a></th>", out);
    vks_html_cell_text(out, vks_ladder_dtype(run->element));
}

/* The first row of the last size. */
static size_t last_rows(const struct vks_ladder_run *run)
{
    return (run->row_count - 1) / run->rung_count * run->rung_count;
}

/* The fastest rung at the last size; NULL if none was measured. */
static const struct vks_ladder_row *best_of(const struct vks_ladder_run *run)
{
    const struct vks_ladder_row *best = NULL;
    for (size_t i = last_rows(run); i < run->row_count; i++) {
        const struct vks_ladder_row *row = &run->rows[i];
        if (row->seconds.samples && (!best || row->seconds.median < best->seconds.median)) {
            best = row;
        }
    }
    return best;
}

/* Three significant digits. */
static void put_rate(FILE *out, const struct vks_ladder_run *run, const struct vks_ladder_row *row)
{
    double scale;
    (void)vks_ladder_unit(run, &scale);
    const double rate = vks_ladder_amount(row) / row->seconds.median;
    const double shown = rate * scale;
    vks_html_cell(out, rate, 1 / scale, shown < 1 ? 3 : shown < 10 ? 2 : shown < 100 ? 1 : 0);
}

static void put_share(FILE *out, const struct vks_ladder_row *row)
{
    const double share = vks_ladder_share(row);
    vks_html_cell_share(out, share > 0 ? share : NAN, vks_ladder_may_be_cached(row) ? "*" : "");
    vks_html_cell_text(out, share > 0 ? row->ceiling->info->name : "");
}

/* What the mark of a share means, if a row has one. */
static void put_cached(FILE *out, const struct vks_ladder_run *run)
{
    bool cached = false;
    for (size_t i = 0; i < run->row_count; i++) {
        const struct vks_ladder_row *row = &run->rows[i];
        cached = cached || (row->seconds.samples && vks_ladder_may_be_cached(row));
    }
    fputs(cached ? "<p class=\"note\">* All of its data are smaller than a buffer of the ceiling, "
                   "so they may stay in a cache.</p>\n"
                 : "",
          out);
}

static void put_overview(FILE *out, const struct vks_ladder_book *book)
{
    char size[48];
    double scale;
    vks_html_table(out, "The fastest rung of each kernel", false);
    fputs("<thead><tr>", out);
    vks_html_head(out, "Kernel", NULL, false);
    vks_html_head(out, "Data", NULL, false);
    vks_html_head(out, "Size", NULL, false);
    vks_html_head(out, "Rung", NULL, false);
    vks_html_head(out, "Time", "\xc2\xb5s", true);
    vks_html_head(out, "Rate", NULL, true);
    vks_html_head(out, "Unit", NULL, false);
    vks_html_head(out, "Share", "%", true);
    vks_html_head(out, "Ceiling", NULL, false);
    vks_html_head(out, "\u00d7 first", NULL, true);
    fputs("</tr></thead><tbody>\n", out);
    for (size_t i = 0; i < book->count; i++) {
        const struct vks_ladder_run *run = &book->runs[i];
        const struct vks_ladder_row *best = best_of(run);
        if (!best) {
            continue;
        }
        const double factor = vks_ladder_factor(best, &run->rows[last_rows(run)]);
        put_link(out, run);
        vks_html_cell_text(out, vks_ladder_format_size(run->kernel, &best->task.size, size));
        vks_html_cell_text(out, best->task.rung->name);
        vks_html_cell(out, best->seconds.median, 1e-6, 2);
        put_rate(out, run, best);
        vks_html_cell_text(out, vks_ladder_unit(run, &scale));
        put_share(out, best);
        vks_html_cell(out, factor > 0 ? factor : NAN, 1, 2);
        fputs("</tr>\n", out);
    }
    vks_html_table_end(out);
}

static void put_ceilings(FILE *out, const struct vks_ladder_book *book)
{
    vks_html_table(out, "Measured ceilings of the device", false);
    fputs("<thead><tr>", out);
    vks_html_head(out, "Ceiling", NULL, false);
    vks_html_head(out, "Median", NULL, true);
    vks_html_head(out, "Unit", NULL, false);
    vks_html_head(out, "Buffer", NULL, true);
    vks_html_head(out, "What is measured", NULL, false);
    fputs("</tr></thead><tbody>\n", out);
    for (size_t i = 0; i < book->ceilings.count; i++) {
        const struct vks_ceiling *ceiling = &book->ceilings.items[i];
        if (!ceiling->missing) {
            fputs("<tr><th scope=\"row\">", out);
            vks_html_text(out, ceiling->info->name);
            fputs("</th>", out);
            vks_html_cell(out, ceiling->value.median, 1 / ceiling->info->scale, 2);
            vks_html_cell_text(out, ceiling->info->symbol);
            vks_html_cell_bytes(out, ceiling->bytes ? (double)ceiling->bytes : NAN);
            vks_html_cell_text(out, ceiling->info->help);
            fputs("</tr>\n", out);
        }
    }
    vks_html_table_end(out);
}

static void put_row(FILE *out, const struct vks_ladder_run *run, size_t index)
{
    char size[48], values[VKS_TUNER_NAME];
    const struct vks_ladder_row *row = &run->rows[index];
    const size_t first = index / run->rung_count * run->rung_count;
    fputs("<tr><th scope=\"row\">", out);
    vks_html_text(out, row->task.rung->name);
    fputs("</th>", out);
    vks_html_cell_text(out, vks_ladder_format_size(run->kernel, &row->task.size, size));
    if (row->missing || row->wrong) {
        fputs("<td colspan=\"8\">", out); /* all other columns */
        if (row->missing) {
            fputs(row->missing == row->refused ? "" : "needs ", out);
            vks_html_text(out, row->missing);
        } else {
            fputs("wrong: not timed", out);
        }
        fputs("</td>", out);
    } else {
        const double over_first = vks_ladder_factor(row, &run->rows[first]);
        const double over = index > first ? vks_ladder_factor(row, row - 1) : 0;
        vks_html_cell(out, row->seconds.median, 1e-6, 2);
        vks_html_cell(
            out, (row->seconds.high_quartile - row->seconds.low_quartile) / row->seconds.median,
            1e-2, 1);
        put_rate(out, run, row);
        put_share(out, row);
        vks_html_cell(out, over_first > 0 ? over_first : NAN, 1, 2);
        vks_html_cell(out, over > 0 ? over : NAN, 1, 2);
        fputs("<td class=\"text\">", out);
        vks_html_text(out, row->task.rung->help);
        if (*vks_rung_values(&row->task, values)) {
            fputs(": <code>", out);
            vks_html_text(out, values);
            fputs("</code>", out);
        }
        fputs("</td>", out);
    }
    fputs("</tr>\n", out);
}

static enum vks_result put_kernel(FILE *out, const struct vks_ladder_book *book, size_t index)
{
    const struct vks_ladder_run *run = &book->runs[index];
    char *svg = NULL;
    double scale;
    const enum vks_result result = vks_ladder_svg(book, index, &svg);
    if (result != VKS_OK) {
        return result;
    }
    fputs("<section aria-labelledby=\"", out);
    put_id(out, run);
    fputs("\">\n<h2 id=\"", out);
    put_id(out, run);
    fputs("\">", out);
    vks_html_text(out, run->kernel->name);
    fprintf(out, ", %s</h2>\n<p>It ", vks_ladder_dtype(run->element));
    vks_html_text(out, run->kernel->help);
    fputs(".</p>\n", out);
    if (vks_ladder_is_disturbed(run)) {
        fprintf(out,
                "<p class=\"note\">Disturbed: the ceiling %s changed by %+.0f&nbsp;%% during these "
                "measurements.</p>\n",
                run->rows[0].ceiling->info->name, 100 * (run->drift - 1));
    }
    if (run->size_count > 1) {
        fputs("<figure class=\"plot\"><img alt=\"Rate of each rung against the size; the table "
              "below has the values\" src=\"data:image/svg+xml;base64,",
              out);
        vks_html_base64(out, svg, strlen(svg));
        fputs("\"></figure>\n", out);
    }
    free(svg);
    vks_html_table(out, "Rungs", false);
    fputs("<thead><tr>", out);
    vks_html_head(out, "Rung", NULL, false);
    vks_html_head(out, "Size", NULL, false);
    vks_html_head(out, "Time", "\xc2\xb5s", true);
    vks_html_head(out, "Spread", "%", true);
    vks_html_head(out, "Rate", vks_ladder_unit(run, &scale), true);
    vks_html_head(out, "Share", "%", true);
    vks_html_head(out, "Ceiling", NULL, false);
    vks_html_head(out, "\u00d7 first", NULL, true);
    vks_html_head(out, "\u00d7 previous", NULL, true);
    vks_html_head(out, "What it changes", NULL, false);
    fputs("</tr></thead><tbody>\n", out);
    for (size_t i = 0; i < run->row_count; i++) {
        fputs(i && i % run->rung_count == 0 ? "</tbody><tbody>\n" : "", out); /* by size */
        put_row(out, run, i);
    }
    vks_html_table_end(out);
    put_cached(out, run);
    fputs("</section>\n", out);
    return VKS_OK;
}

static enum vks_result put_slot(FILE *out, const void *user, const char *name)
{
    const struct vks_ladder_book *book = user;
    enum vks_result result = VKS_OK;
    if (strcmp(name, "product") == 0) {
        fputs("vksim bench", out);
    } else if (strcmp(name, "title") == 0) {
        vks_html_text(out, book->count > 1 ? "The ladder of kernels" : book->runs[0].kernel->name);
    } else if (strcmp(name, "subtitle") == 0) {
        fputs("on ", out);
        vks_html_text(out, book->device->name);
        fputs(" (", out);
        vks_html_text(out, book->device->driver);
        fputs(")", out);
    } else if (strcmp(name, "left") == 0) {
        fprintf(out, "%zu", book->rows_left);
    } else if (strcmp(name, "overview") == 0) {
        put_overview(out, book);
    } else if (strcmp(name, "ceilings") == 0) {
        put_ceilings(out, book);
    } else if (strcmp(name, "kernels") == 0) {
        for (size_t i = 0; i < book->count && result == VKS_OK; i++) {
            result = put_kernel(out, book, i);
        }
    } else {
        result = vks_html_unknown(name);
    }
    return result;
}

static enum vks_result find_part(const void *user, const char *name, bool *has)
{
    const struct vks_ladder_book *book = user;
    const bool several = strcmp(name, "several") == 0;
    *has = several ? book->count > 1 : book->rows_left > 0;
    return several || strcmp(name, "interrupted") == 0 ? VKS_OK : vks_html_unknown(name);
}

static enum vks_result print_page(FILE *out, const void *user)
{
    return vks_html_fill(out, vks_ladder_page, put_slot, find_part, user);
}

enum vks_result vks_ladder_html(const struct vks_ladder_book *book, const char *path,
                                bool overwrite)
{
    const enum vks_result result = vks_html_available();
    return result == VKS_OK ? vks_print_file(path, overwrite, print_page, book) : result;
}
