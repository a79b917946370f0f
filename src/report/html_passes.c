/* SPDX-License-Identifier: MIT */
/* The passes of each run: their table, the time line of a frame, the roofline. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "report/html_internal.h"

enum { MAX_SLICES = 250 }; /* rows of dispatches */

/* A chart is drawn by html/report.js from the page's data, and hidden without scripts. */
static void put_chart(FILE *out, const char *kind, size_t run, const char *label)
{
    fprintf(out,
            "<figure class=\"chart\" data-chart=\"%s\" data-run=\"%zu\" hidden><div>"
            "<canvas role=\"img\" aria-label=\"",
            kind, run);
    vks_html_text(out, label);
    fputs("\"></canvas></div></figure>\n", out);
}

/* --- the table ------------------------------------------------------------------------------- */

static const struct {
    const char *key, *head, *unit;
    double scale; /* 0: a share, or a text */
    int digits;
    bool is_time; /* unknown where there are no samples */
    bool is_rate; /* 0 is unknown */
} columns[] = {
    {"calls", "Calls", NULL, 1, 0, false, false},
    {"total_s", "Total", "ms", 1e-3, 3, true, false},
    {"share", "Share", "%", 0, 0, true, false},
    {"bound", "Bound by", NULL, 0, 0, false, false},
    {"mean_s", "Mean", "\xc2\xb5s", 1e-6, 2, true, false},
    {"min_s", "Min", "\xc2\xb5s", 1e-6, 2, true, false},
    {"p50_s", "Median", "\xc2\xb5s", 1e-6, 2, true, false},
    {"p95_s", "95 %", "\xc2\xb5s", 1e-6, 2, true, false},
    {"max_s", "Max", "\xc2\xb5s", 1e-6, 2, true, false},
    {"bytes_per_s", "GB/s", NULL, 1e9, 1, true, true},
    {"operations_per_s", "Gop/s", NULL, 1e9, 1, true, true},
};

static bool is_text(const char *key)
{
    return strcmp(key, "bound") == 0;
}

static bool has_column(const json_t *passes, const char *key)
{
    const json_t *pass;
    size_t index;
    bool found = false;
    json_array_foreach(passes, index, pass)
    {
        found = found || vks_json_has_number(pass, key) || vks_json_text(pass, key);
    }
    return found;
}

/* The share of a ceiling; NAN if it does not apply. */
static double share_of(const json_t *pass, const char *ceiling)
{
    return vks_json_number(json_object_get(pass, "ceilings"), ceiling, NAN);
}

/* The columns that a table has: those of which some pass knows something. */
struct used {
    bool columns[VKS_COUNT(columns)];
    bool share_of_copy; /* in place of shares of ceilings */
};

static struct used find_used(const struct vks_html_page *page, const json_t *passes)
{
    struct used used;
    for (size_t i = 0; i < VKS_COUNT(columns); i++) {
        used.columns[i] = has_column(passes, columns[i].key);
    }
    used.share_of_copy =
        json_object_size(page->ceilings) == 0 && has_column(passes, "share_of_copy");
    return used;
}

static void put_heads(const struct vks_html_page *page, const struct used *used)
{
    FILE *out = page->out;
    const char *ceiling;
    json_t *number;
    fputs("<thead><tr>", out);
    vks_html_head(out, "Pass", NULL, false);
    for (size_t i = 0; i < VKS_COUNT(columns); i++) {
        if (used->columns[i]) {
            vks_html_head(out, columns[i].head, columns[i].unit, !is_text(columns[i].key));
        }
    }
    json_object_foreach(page->ceilings, ceiling, number)
    {
        char text[128];
        snprintf(text, sizeof(text), "of %.100s", ceiling);
        vks_html_head(out, text, "%", true);
    }
    if (used->share_of_copy) {
        vks_html_head(out, "of copy", "%", true);
    }
    fputs("</tr></thead><tbody>\n", out);
}

static void put_pass(const struct vks_html_page *page, const struct used *used, const json_t *pass)
{
    FILE *out = page->out;
    const char *name = vks_json_text(pass, "name"), *bound = vks_json_text(pass, "bound");
    const bool timed = vks_json_number(pass, "samples", 0) > 0;
    const char *ceiling;
    json_t *number;
    fputs("<tr>", out);
    vks_html_pass(page, name ? name : "");
    for (size_t i = 0; i < VKS_COUNT(columns); i++) {
        double value = vks_json_number(pass, columns[i].key, NAN);
        if ((columns[i].is_time && !timed) || (columns[i].is_rate && !(value > 0))) {
            value = NAN;
        }
        if (!used->columns[i]) {
            continue;
        }
        if (is_text(columns[i].key)) {
            vks_html_cell_text(out, bound ? bound : "\xe2\x80\x93");
        } else if (columns[i].scale > 0) {
            vks_html_cell(out, value, columns[i].scale, columns[i].digits);
        } else {
            vks_html_cell_share(out, value, "");
        }
    }
    json_object_foreach(page->ceilings, ceiling, number)
    {
        vks_html_cell(out, share_of(pass, ceiling), 0.01, 1);
    }
    if (used->share_of_copy) {
        const double share = vks_json_number(pass, "share_of_copy", NAN);
        vks_html_cell(out, timed && share > 0 ? share : NAN, 0.01, 1);
    }
    fputs("</tr>\n", out);
}

bool vks_html_has_passes(const struct vks_html_page *page)
{
    return vks_html_any(page, "passes");
}

enum vks_result vks_html_passes(const struct vks_html_page *page)
{
    for (size_t i = 0; i < page->count; i++) {
        const json_t *passes = vks_json_array(page->runs[i].report, "passes"), *pass;
        size_t index;
        if (!passes) {
            continue;
        }
        vks_html_run_begin(page, i);
        vks_html_table(page->out, "GPU time of every pass", true);
        const struct used used = find_used(page, passes);
        put_heads(page, &used);
        json_array_foreach(passes, index, pass)
        {
            if (vks_json_number(pass, "calls", 1) > 0) {
                put_pass(page, &used, pass);
            }
        }
        vks_html_table_end(page->out);
        vks_html_run_end(page);
    }
    return VKS_OK;
}

/* --- the time line --------------------------------------------------------------------------- */

bool vks_html_has_timeline(const struct vks_html_page *page)
{
    return vks_html_any(page, "timeline");
}

static void put_slices(const struct vks_html_page *page, const json_t *slices)
{
    FILE *out = page->out;
    const size_t count = json_array_size(slices);
    fprintf(out, "<details><summary>All %zu dispatches</summary>\n", count);
    vks_html_table(out, "Dispatches of the time line", true);
    fputs("<thead><tr>", out);
    vks_html_head(out, "Pass", NULL, false);
    vks_html_head(out, "Step", NULL, true);
    vks_html_head(out, "Begin", "\xc2\xb5s", true);
    vks_html_head(out, "Duration", "\xc2\xb5s", true);
    fputs("</tr></thead><tbody>\n", out);
    for (size_t i = 0; i < count && i < MAX_SLICES; i++) {
        const json_t *slice = json_array_get(slices, i);
        const char *name = vks_json_text(slice, "pass");
        const double begin = vks_json_number(slice, "begin_s", NAN);
        fputs("<tr>", out);
        vks_html_pass(page, name ? name : "");
        vks_html_cell(out, vks_json_number(slice, "step", NAN), 1, 0);
        vks_html_cell(out, begin, 1e-6, 2);
        vks_html_cell(out, vks_json_number(slice, "end_s", NAN) - begin, 1e-6, 2);
        fputs("</tr>\n", out);
    }
    vks_html_table_end(out);
    if (count > MAX_SLICES) {
        fprintf(out, "<p class=\"note\">The table ends after %d dispatches.</p>\n", MAX_SLICES);
    }
    fputs("</details>\n", out);
}

/* The first begin and the last end. */
static void find_span(const json_t *slices, double *begin, double *end)
{
    const json_t *slice;
    size_t index;
    *begin = INFINITY;
    *end = -INFINITY;
    json_array_foreach(slices, index, slice)
    {
        *begin = fmin(*begin, vks_json_number(slice, "begin_s", INFINITY));
        *end = fmax(*end, vks_json_number(slice, "end_s", -INFINITY));
    }
}

static enum vks_result put_timeline(const struct vks_html_page *page, const json_t *slices)
{
    FILE *out = page->out;
    const char *name;
    json_t *number;
    double begin, end, busy = 0;
    find_span(slices, &begin, &end);
    vks_html_table(out, "The time line, by pass", true);
    fputs("<thead><tr>", out);
    vks_html_head(out, "Pass", NULL, false);
    vks_html_head(out, "Dispatches", NULL, true);
    vks_html_head(out, "First begin", "\xc2\xb5s", true);
    vks_html_head(out, "Total", "\xc2\xb5s", true);
    vks_html_head(out, "Of the whole", "%", true);
    fputs("</tr></thead><tbody>\n", out);
    json_object_foreach(page->passes, name, number)
    {
        const json_t *slice;
        size_t index, count = 0;
        double first = INFINITY, total = 0;
        json_array_foreach(slices, index, slice)
        {
            const char *pass = vks_json_text(slice, "pass");
            if (!pass || strcmp(pass, name) != 0) {
                continue;
            }
            const double at = vks_json_number(slice, "begin_s", NAN);
            const double length = vks_json_number(slice, "end_s", NAN) - at;
            if (length >= 0) {
                count++;
                first = fmin(first, at);
                total += length;
            }
        }
        if (count > 0) {
            fputs("<tr>", out);
            vks_html_pass(page, name);
            vks_html_cell(out, (double)count, 1, 0);
            vks_html_cell(out, first, 1e-6, 2);
            vks_html_cell(out, total, 1e-6, 2);
            vks_html_cell_share(out, end > begin ? total / (end - begin) : NAN, "");
            fputs("</tr>\n", out);
            busy += total;
        }
    }
    vks_html_table_end(out);
    if (end > begin) {
        fputs("<p class=\"note\">From the first begin to the last end: ", out);
        vks_html_number(out, end - begin, 1e-6, 2);
        fputs(" \xc2\xb5s; the passes add up to ", out);
        vks_html_number(out, busy, 1e-6, 2);
        fputs(" \xc2\xb5s.</p>\n", out);
    }
    put_slices(page, slices);
    return VKS_OK;
}

enum vks_result vks_html_timeline(const struct vks_html_page *page)
{
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < page->count && result == VKS_OK; i++) {
        const json_t *slices = vks_json_array(page->runs[i].report, "timeline");
        if (slices) {
            vks_html_run_begin(page, i);
            put_chart(page->out, "timeline", i,
                      "Time line of one frame; the table has its figures");
            result = put_timeline(page, slices);
            vks_html_run_end(page);
        }
    }
    return result;
}

/* --- the roofline ---------------------------------------------------------------------------- */

/* Bytes and operations of a dispatch make a point of the roofline. */
static bool is_point(const json_t *pass)
{
    return vks_json_number(pass, "samples", 0) > 0 && vks_json_number(pass, "mean_s", 0) > 0 &&
           (vks_json_number(pass, "bytes", 0) > 0 || vks_json_number(pass, "operations", 0) > 0);
}

static bool has_points(const json_t *report)
{
    const json_t *pass;
    size_t index;
    bool found = false;
    json_array_foreach(json_object_get(report, "passes"), index, pass)
    {
        found = found || is_point(pass);
    }
    return found;
}

bool vks_html_has_roofline(const struct vks_html_page *page)
{
    bool found = false;
    for (size_t i = 0; i < page->count; i++) {
        found = found || has_points(page->runs[i].report);
    }
    return found;
}

static void put_points(const struct vks_html_page *page, const json_t *passes)
{
    FILE *out = page->out;
    const json_t *pass;
    size_t index;
    fputs("<thead><tr>", out);
    vks_html_head(out, "Pass", NULL, false);
    vks_html_head(out, "Bytes", "kB/call", true);
    vks_html_head(out, "Operations", "k/call", true);
    vks_html_head(out, "Intensity", "operations/byte", true);
    vks_html_head(out, "GB/s", NULL, true);
    vks_html_head(out, "Gop/s", NULL, true);
    fputs("</tr></thead><tbody>\n", out);
    json_array_foreach(passes, index, pass)
    {
        const char *name = vks_json_text(pass, "name");
        const double bytes = vks_json_number(pass, "bytes", 0);
        const double operations = vks_json_number(pass, "operations", 0);
        const double seconds = vks_json_number(pass, "mean_s", 0);
        if (is_point(pass)) {
            fputs("<tr>", out);
            vks_html_pass(page, name ? name : "");
            vks_html_cell(out, bytes, 1e3, 1);
            vks_html_cell(out, operations, 1e3, 1);
            vks_html_cell(out, bytes > 0 ? operations / bytes : NAN, 1, 3);
            vks_html_cell(out, vks_json_number(pass, "bytes_per_s", bytes / seconds), 1e9, 1);
            vks_html_cell(out, vks_json_number(pass, "operations_per_s", operations / seconds), 1e9,
                          1);
            fputs("</tr>\n", out);
        }
    }
}

enum vks_result vks_html_roofline(const struct vks_html_page *page)
{
    put_chart(page->out, "roofline", 0,
              "Roofline: operations per second over operations per byte; the tables have its "
              "figures");
    fputs("<div class=\"all\">\n", page->out);
    for (size_t i = 0; i < page->count; i++) {
        if (has_points(page->runs[i].report)) {
            vks_html_run_begin(page, i);
            vks_html_table(page->out, "Work and rates of every pass", true);
            put_points(page, json_object_get(page->runs[i].report, "passes"));
            vks_html_table_end(page->out);
            vks_html_run_end(page);
        }
    }
    fputs("</div>\n", page->out);
    return VKS_OK;
}
