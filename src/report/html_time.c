/* SPDX-License-Identifier: MIT */
/* Where the wall time went, and the time of a step over the run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/html_internal.h"

enum { MAX_TIMES = 250 }; /* rows of batches */

/* --- phases ---------------------------------------------------------------------------------- */

bool vks_html_has_phases(const struct vks_html_page *page)
{
    return vks_html_any(page, "phases");
}

static const char *thread_of(const json_t *phase)
{
    const char *thread = vks_json_text(phase, "thread");
    return thread ? thread : "";
}

/* Phases of one thread: rows, then their sum. */
static void put_thread(FILE *out, const json_t *phases, const char *thread, double wall)
{
    const json_t *phase;
    size_t index;
    double sum = 0;
    json_array_foreach(phases, index, phase)
    {
        if (strcmp(thread_of(phase), thread) == 0) {
            sum += vks_json_number(phase, "seconds", 0);
        }
    }
    fputs("<tbody>\n", out);
    json_array_foreach(phases, index, phase)
    {
        const char *name = vks_json_text(phase, "name");
        const double seconds = vks_json_number(phase, "seconds", NAN);
        if (strcmp(thread_of(phase), thread) == 0) {
            fputs("<tr><td>", out);
            vks_html_text(out, thread);
            fputs("</td><th scope=\"row\">", out);
            vks_html_text(out, name ? name : "");
            fputs("</th>", out);
            vks_html_cell(out, vks_json_number(phase, "count", NAN), 1, 0);
            vks_html_cell(out, seconds, 1e-3, 3);
            vks_html_cell_share(out, seconds / (wall > 0 ? wall : sum), "");
            fputs("</tr>\n", out);
        }
    }
    fputs("<tr class=\"sum\"><td>", out);
    vks_html_text(out, thread);
    fputs("</td><th scope=\"row\">sum</th><td></td>", out);
    vks_html_cell(out, sum, 1e-3, 3);
    vks_html_cell_share(out, sum / (wall > 0 ? wall : sum), "");
    fputs("</tr>\n</tbody>", out);
}

enum vks_result vks_html_phases(const struct vks_html_page *page)
{
    FILE *out = page->out;
    for (size_t i = 0; i < page->count; i++) {
        const json_t *phases = vks_json_array(page->runs[i].report, "phases");
        const double wall = vks_json_number(page->runs[i].report, "wall_s", 0);
        json_t *threads = json_object();
        const json_t *phase;
        size_t index;
        if (!threads) {
            return vks_fail_memory();
        }
        if (!phases) {
            json_decref(threads);
            continue;
        }
        vks_html_run_begin(page, i);
        vks_html_table(out, "Phases of each thread", false);
        fputs("<thead><tr>", out);
        vks_html_head(out, "Thread", NULL, false);
        vks_html_head(out, "Phase", NULL, false);
        vks_html_head(out, "Times", NULL, true);
        vks_html_head(out, "Total", "ms", true);
        vks_html_head(out, wall > 0 ? "Of the wall time" : "Of the thread", "%", true);
        fputs("</tr></thead>\n", out);
        json_array_foreach(phases, index, phase)
        {
            const char *thread = thread_of(phase);
            if (!json_object_get(threads, thread)) {
                put_thread(out, phases, thread, wall);
                json_object_set_new(threads, thread, json_true());
            }
        }
        json_decref(threads);
        fputs("</table></div>\n", out);
        vks_html_run_end(page);
    }
    return VKS_OK;
}

/* --- the time of a step ---------------------------------------------------------------------- */

bool vks_html_has_steps(const struct vks_html_page *page)
{
    return vks_html_any(page, "step_times");
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value that a share of the sorted times does not exceed. */
static double quantile(const double *times, size_t count, double share)
{
    const size_t at = (size_t)ceil(share * (double)count);
    return times[at > 0 ? at - 1 : 0];
}

static void put_spread(FILE *out, const double *times, size_t count, double mean, double least,
                       double most)
{
    const double median = quantile(times, count, 0.5), low = quantile(times, count, 0.05),
                 high = quantile(times, count, 0.95);
    static const char *const heads[] = {"Min", "5 %", "Median", "Mean", "95 %", "Max"};
    const double values[] = {least, low, median, mean, high, most};
    vks_html_table(out, "Spread of the time per step", false);
    fputs("<thead><tr>", out);
    vks_html_head(out, "Batches", NULL, true);
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        vks_html_head(out, heads[i], "\xc2\xb5s", true);
    }
    vks_html_head(out, "Spread", "%", true);
    fputs("</tr></thead><tbody><tr>", out);
    vks_html_cell(out, (double)count, 1, 0);
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        vks_html_cell(out, values[i], 1e-6, 3);
    }
    vks_html_cell(out, median > 0 ? (high - low) / median : NAN, 0.01, 1);
    fputs("</tr>", out);
    vks_html_table_end(out);
}

/* The chart has all points; the table has evenly spaced ones if there are many. */
static void put_times(FILE *out, const json_t *points)
{
    const size_t count = json_array_size(points), stride = (count + MAX_TIMES - 1) / MAX_TIMES;
    fprintf(out, "<details><summary>%zu of %zu batches</summary>\n", (count - 1) / stride + 1,
            count);
    vks_html_table(out, "Time per step of each batch", true);
    fputs("<thead><tr>", out);
    vks_html_head(out, "Step", NULL, true);
    vks_html_head(out, "Steps", NULL, true);
    vks_html_head(out, "Time per step", "\xc2\xb5s", true);
    fputs("</tr></thead><tbody>\n", out);
    for (size_t i = 0; i < count; i += stride) {
        const json_t *point = json_array_get(points, i);
        fputs("<tr>", out);
        vks_html_cell(out, vks_json_number(point, "step", NAN), 1, 0);
        vks_html_cell(out, vks_json_number(point, "steps", NAN), 1, 0);
        vks_html_cell(out, vks_json_number(point, "seconds", NAN), 1e-6, 3);
        fputs("</tr>\n", out);
    }
    vks_html_table_end(out);
    fputs("</details>\n", out);
}

static enum vks_result put_steps(const struct vks_html_page *page, const json_t *points)
{
    double *times = calloc(json_array_size(points), sizeof(*times)), sum = 0, steps = 0;
    double least = INFINITY, most = 0; /* of the batches that a point stands for */
    const json_t *point;
    size_t index, count = 0;
    if (!times) {
        return vks_fail_memory();
    }
    json_array_foreach(points, index, point)
    {
        const double seconds = vks_json_number(point, "seconds", NAN);
        const double weight = vks_json_number(point, "steps", 1);
        if (seconds >= 0) {
            times[count++] = seconds;
            least = fmin(least, vks_json_number(point, "min_s", seconds));
            most = fmax(most, vks_json_number(point, "max_s", seconds));
            sum += seconds * weight;
            steps += weight;
        }
    }
    if (count > 0) {
        qsort(times, count, sizeof(*times), compare);
        put_spread(page->out, times, count, steps > 0 ? sum / steps : NAN, least, most);
    }
    free(times);
    put_times(page->out, points);
    return VKS_OK;
}

enum vks_result vks_html_steps(const struct vks_html_page *page)
{
    enum vks_result result = VKS_OK;
    fputs("<figure class=\"chart\" data-chart=\"steps\" hidden><div><canvas role=\"img\" "
          "aria-label=\"Time per step over the run; the tables have its figures\"></canvas></div>"
          "</figure>\n<div class=\"all\">\n",
          page->out);
    for (size_t i = 0; i < page->count && result == VKS_OK; i++) {
        const json_t *points = vks_json_array(page->runs[i].report, "step_times");
        if (points) {
            vks_html_run_begin(page, i);
            result = put_steps(page, points);
            vks_html_run_end(page);
        }
    }
    fputs("</div>\n", page->out);
    return result;
}
