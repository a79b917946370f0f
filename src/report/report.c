/* SPDX-License-Identifier: MIT */
#include "report/report.h"

#include <inttypes.h>
#include <string.h>

#include "gpu/memory.h"
#include "report/conclude.h"

enum { MAX_THREADS = 4 }; /* columns of phases; writers share one */

static int larger(int a, int b)
{
    return a > b ? a : b;
}

double vks_report_busy(const struct vks_report *report)
{
    return report->gpu_steps + report->gpu_frames + report->copies;
}

double vks_report_over_slower_side(const struct vks_report *report)
{
    const double busy = vks_report_busy(report);
    const double slower = busy > report->encoder_busy ? busy : report->encoder_busy;
    return vks_share(report->seconds + report->ending, slower);
}

double vks_report_passes(const struct vks_report *report)
{
    double total = 0;
    for (size_t i = 0; i < report->pass_count; i++) {
        total += report->passes[i].total;
    }
    return total;
}

/* --- passes ---------------------------------------------------------------------------------- */

/* The columns after the name of the pass, in order. */
enum column_of_pass { CALLS, TOTAL, MEAN, P50, P95, MAX, SHARE, BYTES, COPY, OPERATIONS, BOUND };
enum { PASS_COLUMNS = BOUND + 1, MAX_CELL = 32 };

static const char *const pass_heads[PASS_COLUMNS] = {
    [CALLS] = "calls",  [TOTAL] = "total ms",     [MEAN] = "mean us",   [P50] = "p50 us",
    [P95] = "p95 us",   [MAX] = "max us",         [SHARE] = "share",    [BYTES] = "GB/s",
    [COPY] = "of copy", [OPERATIONS] = "GFLOP/s", [BOUND] = "bound by",
};

/* A figure, or "" where it is 0. */
static void format_figure(char *cell, int decimals, double value, const char *unit)
{
    if (value > 0) {
        snprintf(cell, MAX_CELL, "%.*f%s", decimals, value, unit);
    }
}

static enum vks_limit bound_of(const struct vks_report *report, const struct vks_pass_timing *pass,
                               double shares[VKS_LIMITS])
{
    vks_pass_shares(pass, report->ceilings, report->ceiling_count, shares);
    return vks_pass_bound(shares,
                          vks_pass_is_cached(pass, report->ceilings, report->ceiling_count));
}

static void format_pass(const struct vks_report *report, const struct vks_pass_timing *pass,
                        char cells[PASS_COLUMNS][MAX_CELL])
{
    double shares[VKS_LIMITS];
    const enum vks_limit bound = bound_of(report, pass, shares);
    for (size_t i = 0; i < PASS_COLUMNS; i++) {
        cells[i][0] = '\0';
    }
    snprintf(cells[CALLS], MAX_CELL, "%" PRIu64, pass->calls);
    if (pass->samples == 0) {
        return;
    }
    format_figure(cells[TOTAL], 3, pass->total * 1e3, "");
    format_figure(cells[MEAN], 2, pass->mean * 1e6, "");
    format_figure(cells[P50], 2, pass->p50 * 1e6, "");
    format_figure(cells[P95], 2, pass->p95 * 1e6, "");
    format_figure(cells[MAX], 2, pass->max * 1e6, "");
    format_figure(cells[SHARE], 1, 100 * vks_share(pass->total, vks_report_passes(report)), "%");
    format_figure(cells[BYTES], 1, vks_share(pass->bytes, pass->p50) * 1e-9, "");
    format_figure(cells[COPY], 1, 100 * shares[VKS_LIMIT_BANDWIDTH], "%");
    format_figure(cells[OPERATIONS], 1, vks_share(pass->operations, pass->p50) * 1e-9, "");
    if (report->ceiling_count > 0) {
        snprintf(cells[BOUND], MAX_CELL, "%s",
                 bound == VKS_LIMIT_NONE ? "-" : vks_limit_name(bound));
    }
}

/* A row: the name, and the cells of the columns that have a width; "-" in empty ones. */
static void print_pass(FILE *out, const char *name, int name_width, const int *widths,
                       const char *const *cells)
{
    fprintf(out, "%-*s", name_width, name);
    for (size_t i = 0; i < PASS_COLUMNS; i++) {
        if (widths[i] > 0 && i == BOUND) {
            fprintf(out, "  %s", cells[i][0] ? cells[i] : "-");
        } else if (widths[i] > 0) {
            fprintf(out, "  %*s", widths[i], cells[i][0] ? cells[i] : "-");
        }
    }
    fprintf(out, "\n");
}

/* Passes that ran. Columns are as wide as their contents need; one without contents is left out. */
static void print_pass_table(FILE *out, const struct vks_report *report)
{
    char cells[PASS_COLUMNS][MAX_CELL];
    const char *row[PASS_COLUMNS];
    int name_width = (int)strlen("pass"), widths[PASS_COLUMNS] = {0};
    for (size_t p = 0; p < report->pass_count; p++) {
        if (report->passes[p].calls == 0) {
            continue;
        }
        name_width = larger(name_width, (int)strlen(report->passes[p].name));
        format_pass(report, &report->passes[p], cells);
        for (size_t i = 0; i < PASS_COLUMNS; i++) {
            if (cells[i][0]) {
                widths[i] =
                    larger(larger(widths[i], (int)strlen(cells[i])), (int)strlen(pass_heads[i]));
            }
        }
    }
    print_pass(out, "pass", name_width, widths, pass_heads);
    for (size_t i = 0; i < PASS_COLUMNS; i++) {
        row[i] = cells[i];
    }
    for (size_t p = 0; p < report->pass_count; p++) {
        if (report->passes[p].calls > 0) {
            format_pass(report, &report->passes[p], cells);
            print_pass(out, report->passes[p].name, name_width, widths, row);
        }
    }
}

static void print_passes(FILE *out, const struct vks_report *report)
{
    print_pass_table(out, report);
    const double copy = vks_find_ceiling(report->ceilings, report->ceiling_count, "copy");
    if (copy > 0) {
        fprintf(out, "copy bandwidth, measured: %.1f GB/s\n", copy * 1e-9);
    }
    if (report->timestamp_period == 0) {
        fprintf(out, "no times: %s\n",
                report->timestamp_bits == 0 ? "the queue of the device has no timestamps"
                                            : "the device reports no valid timestamp period");
    }
    if (report->dropped > 0) {
        fprintf(out, "%" PRIu64 " samples are missing: their timestamps could not be read\n",
                report->dropped);
    }
}

/* --- phases ---------------------------------------------------------------------------------- */

/* Seconds per phase of the threads whose names share their first word. */
struct column {
    char name[32];
    double seconds[VKS_PHASES];
};

/* The columns of the threads, writers in one, and of the GPU last. Returns their number. */
static size_t list_columns(const struct vks_report *report, struct column *columns)
{
    size_t count = 0;
    const struct vks_thread_profile *thread = report->profile->threads;
    for (; thread; thread = thread->next) {
        const size_t length = strcspn(thread->name, " ");
        size_t found = 0;
        while (found < count && (strlen(columns[found].name) != length ||
                                 strncmp(columns[found].name, thread->name, length) != 0)) {
            found++;
        }
        if (found == MAX_THREADS) {
            continue;
        }
        if (found == count) {
            columns[count] = (struct column){0};
            memcpy(columns[count++].name, thread->name, length);
        }
        for (size_t i = 0; i < VKS_PHASES; i++) {
            columns[found].seconds[i] += thread->seconds[i];
        }
    }
    columns[count] = (struct column){.name = "GPU"};
    columns[count].seconds[VKS_PHASE_SIMULATE] = report->gpu_steps;
    columns[count].seconds[VKS_PHASE_DRAW] = report->gpu_frames;
    columns[count].seconds[VKS_PHASE_COPY] = report->copies;
    return count + 1;
}

/* A figure with one decimal, or "-" where it is 0. */
static void print_figure(FILE *out, int width, double value)
{
    if (value > 0) {
        fprintf(out, " %*.1f", width, value);
    } else {
        fprintf(out, " %*s", width, "-");
    }
}

static void print_phases(FILE *out, const struct vks_report *report)
{
    struct column columns[MAX_THREADS + 1];
    const size_t count = list_columns(report, columns);
    const double shown = 50e-6; /* seconds: 0.1 ms as printed */
    fprintf(out, "%-16s", "phase");
    for (size_t c = 0; c < count; c++) {
        fprintf(out, " %8s ms", columns[c].name);
    }
    fprintf(out, "\n");
    double totals[MAX_THREADS + 1] = {0};
    for (int i = 0; i < VKS_PHASES; i++) {
        bool used = false;
        for (size_t c = 0; c < count; c++) {
            totals[c] += columns[c].seconds[i];
            used = used || columns[c].seconds[i] >= shown;
        }
        if (used) {
            fprintf(out, "%-16s", vks_phase_name((enum vks_phase)i));
            for (size_t c = 0; c < count; c++) {
                print_figure(out, 11, columns[c].seconds[i] * 1e3);
            }
            fprintf(out, "\n");
        }
    }
    fprintf(out, "%-16s", "total");
    for (size_t c = 0; c < count; c++) {
        print_figure(out, 11, totals[c] * 1e3);
    }
    fprintf(out, "\n");
}

/* --- the table ------------------------------------------------------------------------------- */

static void print_memory(FILE *out, const struct vks_report *report)
{
    char allocated[32], peak[32], is_free[32], size[32];
    vks_format_bytes(report->allocated, allocated);
    vks_format_bytes(report->peak, peak);
    vks_format_bytes(report->device.memory, size);
    fprintf(out, "memory: %s allocated, peak %s", allocated, peak);
    if (report->budget_known) {
        vks_format_bytes(report->free, is_free);
        fprintf(out, "; %s free of a budget of %s", is_free,
                vks_format_bytes(report->budget, size));
    } else {
        fprintf(out, ", of %s", size);
    }
    fprintf(out, "\n");
}

void vks_report_table(FILE *out, const struct vks_report *report)
{
    fprintf(out, "%s %" PRIu32 "x%" PRIu32, report->model, report->width, report->height);
    if (report->depth > 1) {
        fprintf(out, "x%" PRIu32, report->depth);
    }
    fprintf(out, " on %s (%s)\n", report->device.name, report->device.driver);
    json_t *json = vks_report_json(report);
    vks_report_print_conclusions(out, json, "");
    json_decref(json);
    print_passes(out, report);
    if (report->profile) {
        print_phases(out, report);
    }
    print_memory(out, report);
    fprintf(out, "pipelines: %" PRIu32 ", %" PRIu32 " of them from the cache\n", report->pipelines,
            report->pipelines_cached);
    fprintf(out, "%" PRIu64 " steps, %" PRIu64 " frames in %.3f s", report->steps, report->frames,
            report->seconds);
    if (report->step_seconds > 0) {
        fprintf(out, "; GPU %.2f us/step", report->step_seconds * 1e6);
    }
    fprintf(out, "; start-up %.0f ms", report->startup * 1e3);
    if (report->first_frame > 0) {
        fprintf(out, ", first frame after %.0f ms", report->first_frame * 1e3);
    }
    fprintf(out, "\n");
    if (report->encoded) {
        fprintf(out,
                "waits: GPU for the encoder %.1f%% of the time, encoder for the GPU "
                "%.1f%%\n",
                100 * vks_share(report->gpu_waits, report->seconds),
                100 * vks_share(report->encoder_waits, report->seconds));
        fprintf(out, "sides: GPU %.3f s (copies %.3f s), encoder %.3f s", vks_report_busy(report),
                report->copies, report->encoder_busy);
        if (report->digest_busy > 0) {
            fprintf(out, ", digest %.3f s", report->digest_busy);
        }
        fprintf(out, "; the whole run took %.3f s, %.2f x the slower side\n",
                report->seconds + report->ending, vks_report_over_slower_side(report));
    }
}

void vks_report_csv(FILE *out, const struct vks_report *report)
{
    fprintf(out, "pass,calls,samples,total_s,mean_s,p50_s,p95_s,min_s,max_s,bytes,operations,"
                 "atomics,of_copy,bound\n");
    for (size_t i = 0; i < report->pass_count; i++) {
        const struct vks_pass_timing *pass = &report->passes[i];
        double shares[VKS_LIMITS];
        const enum vks_limit bound = bound_of(report, pass, shares);
        fprintf(out,
                "%s,%" PRIu64 ",%" PRIu64 ",%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.4g,%s\n",
                pass->name, pass->calls, pass->samples, pass->total, pass->mean, pass->p50,
                pass->p95, pass->min, pass->max, pass->bytes, pass->operations, pass->atomics,
                shares[VKS_LIMIT_BANDWIDTH], bound == VKS_LIMIT_NONE ? "" : vks_limit_name(bound));
    }
}
