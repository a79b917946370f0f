/* SPDX-License-Identifier: MIT */
/* Several runs side by side: what differs, then times with their ratios to the first run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/html_internal.h"

/* --- differences ----------------------------------------------------------------------------- */

/* Runs of the same work can be compared, on whatever device. */
static const struct {
    const char *object; /* NULL: the report itself */
    const char *key, *text;
    bool is_work;
} properties[] = {
    {NULL, "simulation", "Simulation", true}, {NULL, "width", "Width", true},
    {NULL, "height", "Height", true},         {NULL, "depth", "Depth", true},
    {NULL, "steps", "Steps", false},          {NULL, "frames", "Frames", false},
    {NULL, "version", "vksim", false},        {"device", "name", "Device", false},
    {"device", "driver", "Driver", false},    {"device", "vulkan", "Vulkan", false},
    {"device", "uuid", "UUID", false},        {"device", "memory", "Device memory", false},
};

static const json_t *property(const struct vks_html_page *page, size_t run, size_t index)
{
    const json_t *report = page->runs[run].report;
    const char *object = properties[index].object;
    return json_object_get(object ? json_object_get(report, object) : report,
                           properties[index].key);
}

/* Numbers are equal whether they are written as integers or not; absent equals absent. */
static bool is_equal(const json_t *a, const json_t *b)
{
    if (json_is_number(a) && json_is_number(b)) {
        return fabs(json_number_value(a) - json_number_value(b)) <= 0;
    }
    return a == b || (a && b && json_equal(a, b));
}

static bool differs(const struct vks_html_page *page, size_t index)
{
    bool found = false;
    for (size_t i = 1; i < page->count; i++) {
        found = found || !is_equal(property(page, 0, index), property(page, i, index));
    }
    return found;
}

/* Whether a run did the same work in each step as the first. */
static bool is_comparable(const struct vks_html_page *page, size_t run)
{
    bool same = true;
    for (size_t i = 0; i < VKS_COUNT(properties); i++) {
        same = same &&
               (!properties[i].is_work || is_equal(property(page, 0, i), property(page, run, i)));
    }
    return same;
}

static bool has_word(const json_t *command, const json_t *word)
{
    const json_t *other;
    size_t index;
    bool found = false;
    json_array_foreach(command, index, other)
    {
        found = found || json_equal((json_t *)(uintptr_t)word, (json_t *)(uintptr_t)other);
    }
    return found;
}

/* Words that not all runs have are marked. */
static void put_words(const struct vks_html_page *page, size_t run)
{
    const json_t *command = json_object_get(page->runs[run].report, "command"), *word;
    size_t index;
    fputs("<td><code>", page->out);
    json_array_foreach(command, index, word)
    {
        bool everywhere = true;
        if (!json_is_string(word)) {
            continue;
        }
        for (size_t i = 0; i < page->count; i++) {
            everywhere =
                everywhere && has_word(json_object_get(page->runs[i].report, "command"), word);
        }
        fputs(index ? " " : "", page->out);
        fputs(everywhere ? "" : "<mark>", page->out);
        vks_html_text(page->out, json_string_value(word));
        fputs(everywhere ? "" : "</mark>", page->out);
    }
    fputs("</code></td>", page->out);
}

static void put_property(FILE *out, const json_t *value)
{
    if (json_is_number(value)) {
        fputs("<td>", out);
        vks_html_number(out, json_number_value(value), 1, 0);
        fputs("</td>", out);
    } else {
        vks_html_cell_text(out, json_is_string(value) ? json_string_value(value) : "\xe2\x80\x93");
    }
}

static bool commands_differ(const struct vks_html_page *page)
{
    bool found = false;
    for (size_t i = 1; i < page->count; i++) {
        found = found || !is_equal(json_object_get(page->runs[0].report, "command"),
                                   json_object_get(page->runs[i].report, "command"));
    }
    return found;
}

static void put_heads(const struct vks_html_page *page, const char *text, bool ratios)
{
    fputs("<thead><tr>", page->out);
    vks_html_head(page->out, text, NULL, false);
    for (size_t i = 0; i < page->count; i++) {
        vks_html_run_column(page, i, ratios);
        if (ratios && i > 0) {
            vks_html_head(page->out, "ratio", NULL, true);
        }
    }
    fputs("</tr></thead><tbody>\n", page->out);
}

enum vks_result vks_html_differences(const struct vks_html_page *page)
{
    FILE *out = page->out;
    const bool commands = commands_differ(page);
    bool any = commands;
    for (size_t p = 0; p < VKS_COUNT(properties); p++) {
        any = any || differs(page, p);
    }
    if (!any) {
        fputs("<p>None: simulation, size, options, device and driver are the same.</p>\n", out);
        return VKS_OK;
    }
    vks_html_table(out, "What differs between the runs", false);
    put_heads(page, "", false);
    for (size_t p = 0; p < VKS_COUNT(properties); p++) {
        if (differs(page, p)) {
            fprintf(out, "<tr><th scope=\"row\">%s</th>", properties[p].text);
            for (size_t i = 0; i < page->count; i++) {
                put_property(out, property(page, i, p));
            }
            fputs("</tr>\n", out);
        }
    }
    if (commands) {
        fputs("<tr><th scope=\"row\">Command line</th>", out);
        for (size_t i = 0; i < page->count; i++) {
            put_words(page, i);
        }
        fputs("</tr>\n", out);
    }
    vks_html_table_end(out);
    for (size_t i = 1; i < page->count; i++) {
        if (!is_comparable(page, i)) {
            fprintf(out,
                    "<p class=\"note\">Run %zu has another simulation or size than run 1: its "
                    "times are of other work, so it has no ratios.</p>\n",
                    i + 1);
        }
    }
    return VKS_OK;
}

/* --- times ----------------------------------------------------------------------------------- */

/* One row: values of all runs, NAN where there is none, with ratios to the first. */
static void put_values(const struct vks_html_page *page, const double *values, double unit,
                       int digits)
{
    for (size_t i = 0; i < page->count; i++) {
        vks_html_cell(page->out, values[i], unit, digits);
        if (i > 0) {
            const bool known = values[0] > 0 && values[i] >= 0 && is_comparable(page, i);
            vks_html_cell(page->out, known ? values[i] / values[0] : NAN, 1, 3);
        }
    }
    fputs("</tr>\n", page->out);
}

/* The median of a pass; NAN if the run has none. */
static double median_of(const json_t *report, const char *name)
{
    const json_t *pass;
    size_t index;
    double median = NAN;
    json_array_foreach(json_object_get(report, "passes"), index, pass)
    {
        const char *other = vks_json_text(pass, "name");
        if (other && strcmp(other, name) == 0 && vks_json_number(pass, "samples", 0) > 0) {
            median = vks_json_number(pass, "p50_s", NAN);
        }
    }
    return median;
}

static void put_passes(const struct vks_html_page *page, double *values)
{
    const char *name;
    json_t *number;
    vks_html_table(page->out, "Median time of every pass in \xc2\xb5s", true);
    put_heads(page, "Pass", true);
    json_object_foreach(page->passes, name, number)
    {
        bool any = false;
        for (size_t i = 0; i < page->count; i++) {
            values[i] = median_of(page->runs[i].report, name);
            any = any || !isnan(values[i]);
        }
        if (any) {
            fputs("<tr>", page->out);
            vks_html_pass(page, name);
            put_values(page, values, 1e-6, 2);
        }
    }
    vks_html_table_end(page->out);
}

/* Seconds of a phase; NAN if the run has none of that name. */
static double phase_of(const json_t *report, const json_t *like)
{
    const json_t *phase;
    size_t index;
    double seconds = NAN;
    json_array_foreach(json_object_get(report, "phases"), index, phase)
    {
        if (is_equal(json_object_get(phase, "thread"), json_object_get(like, "thread")) &&
            is_equal(json_object_get(phase, "name"), json_object_get(like, "name"))) {
            seconds = vks_json_number(phase, "seconds", NAN);
        }
    }
    return seconds;
}

/* Phases in the order of the first run that has them. */
static void put_phases(const struct vks_html_page *page, double *values)
{
    vks_html_table(page->out, "Phases in ms", false);
    put_heads(page, "Phase", true);
    for (size_t i = 0; i < page->count; i++) {
        const json_t *phase;
        size_t index;
        json_array_foreach(json_object_get(page->runs[i].report, "phases"), index, phase)
        {
            const char *thread = vks_json_text(phase, "thread");
            const char *name = vks_json_text(phase, "name");
            bool is_new = true;
            for (size_t j = 0; j < page->count; j++) {
                values[j] = phase_of(page->runs[j].report, phase);
                is_new = is_new && !(j < i && !isnan(values[j]));
            }
            if (is_new) {
                fputs("<tr><th scope=\"row\">", page->out);
                vks_html_text(page->out, thread ? thread : "");
                fputs(": ", page->out);
                vks_html_text(page->out, name ? name : "");
                fputs("</th>", page->out);
                put_values(page, values, 1e-3, 3);
            }
        }
    }
    vks_html_table_end(page->out);
}

static void put_totals(const struct vks_html_page *page, double *values)
{
    static const struct {
        const char *key, *text;
        double unit;
        int digits;
    } rows[] = {
        {"wall_s", "Wall time, s", 1, 3},
        {"step_s", "GPU time per step, \xc2\xb5s", 1e-6, 2},
        {"seconds", "Loop, s", 1, 3},
        {"startup_s", "Start-up, ms", 1e-3, 0},
        {"first_frame_s", "First frame after, ms", 1e-3, 0},
        {"copy_bytes_per_s", "Copy bandwidth, GB/s", 1e9, 1},
        {"allocated_bytes", "Device memory allocated, MiB", 1 << 20, 1},
    };
    vks_html_table(page->out, "Totals", false);
    put_heads(page, "", true);
    for (size_t r = 0; r < VKS_COUNT(rows); r++) {
        bool any = false;
        for (size_t i = 0; i < page->count; i++) {
            const json_t *report = page->runs[i].report;
            const double value =
                vks_json_number(report, rows[r].key,
                                vks_json_number(json_object_get(report, "memory"), rows[r].key, 0));
            values[i] = value > 0 ? value : NAN;
            any = any || value > 0;
        }
        if (any) {
            fprintf(page->out, "<tr><th scope=\"row\">%s</th>", rows[r].text);
            put_values(page, values, rows[r].unit, rows[r].digits);
        }
    }
    vks_html_table_end(page->out);
}

enum vks_result vks_html_comparison(const struct vks_html_page *page)
{
    double *values = calloc(page->count, sizeof(*values));
    if (!values) {
        return vks_fail_memory();
    }
    put_totals(page, values);
    if (json_object_size(page->passes) > 0) {
        put_passes(page, values);
    }
    if (vks_html_any(page, "phases")) {
        put_phases(page, values);
    }
    free(values);
    return VKS_OK;
}
