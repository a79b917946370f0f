/* SPDX-License-Identifier: MIT */
#include "report/report.h"

#include <inttypes.h>
#include <string.h>

#include "gpu/memory.h"

enum { MAX_THREADS = 4 }; /* columns of phases; writers share one */

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

/* A figure with one decimal, or "-" where it is 0. */
static void print_figure(FILE *out, int width, double value, const char *unit)
{
    if (value > 0) {
        fprintf(out, " %*.1f%s", width - (int)strlen(unit), value, unit);
    } else {
        fprintf(out, " %*s", width, "-");
    }
}

static void print_pass(FILE *out, const struct vks_report *report,
                       const struct vks_pass_timing *pass, int width)
{
    double shares[VKS_LIMITS];
    vks_pass_shares(pass, report->ceilings, report->ceiling_count, shares);
    const enum vks_limit bound = vks_pass_bound(shares);
    fprintf(out, "%-*s %9" PRIu64, width, pass->name, pass->calls);
    if (pass->samples == 0) {
        fprintf(out, " %11s %10s %10s %10s %10s %7s %9s %8s %9s  -\n", "-", "-", "-", "-", "-", "-",
                "-", "-", "-");
        return;
    }
    fprintf(out, " %11.3f %10.2f %10.2f %10.2f %10.2f", pass->total * 1e3, pass->mean * 1e6,
            pass->p50 * 1e6, pass->p95 * 1e6, pass->max * 1e6);
    print_figure(out, 7, 100 * vks_share(pass->total, vks_report_passes(report)), "%");
    print_figure(out, 9, vks_share(pass->bytes, pass->p50) * 1e-9, "");
    print_figure(out, 8, 100 * shares[VKS_LIMIT_BANDWIDTH], "%");
    print_figure(out, 9, vks_share(pass->operations, pass->p50) * 1e-9, "");
    fprintf(out, "  %s\n", bound == VKS_LIMIT_NONE ? "-" : vks_limit_name(bound));
}

static void print_passes(FILE *out, const struct vks_report *report)
{
    int width = 10;
    for (size_t i = 0; i < report->pass_count; i++) {
        const int length = report->passes[i].calls ? (int)strlen(report->passes[i].name) : 0;
        width = length > width ? length : width;
    }
    fprintf(out, "%-*s %9s %11s %10s %10s %10s %10s %7s %9s %8s %9s  %s\n", width, "pass", "calls",
            "total ms", "mean us", "p50 us", "p95 us", "max us", "share", "GB/s", "of copy",
            "GFLOP/s", "bound by");
    for (size_t i = 0; i < report->pass_count; i++) {
        if (report->passes[i].calls > 0) {
            print_pass(out, report, &report->passes[i], width);
        }
    }
    const double copy = vks_find_ceiling(report->ceilings, report->ceiling_count, "copy");
    if (copy > 0) {
        fprintf(out, "copy bandwidth, measured: %.1f GB/s\n", copy * 1e-9);
    }
    if (report->timestamp_period == 0) {
        fprintf(out, "no times: %s\n",
                report->timestamp_bits == 0
                    ? "the queue of this device has no timestamps"
                    : "this device reports no valid period of its timestamps");
    }
    if (report->dropped > 0) {
        fprintf(out, "%" PRIu64 " samples are missing: their timestamps could not be read\n",
                report->dropped);
    }
}

/* --- phases ---------------------------------------------------------------------------------- */

/* Seconds per phase of the threads whose names begin alike. */
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
                print_figure(out, 11, columns[c].seconds[i] * 1e3, "");
            }
            fprintf(out, "\n");
        }
    }
    fprintf(out, "%-16s", "total");
    for (size_t c = 0; c < count; c++) {
        print_figure(out, 11, totals[c] * 1e3, "");
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
    fprintf(out, "memory: %s allocated, at most %s", allocated, peak);
    if (report->budget_known) {
        vks_format_bytes(report->free, is_free);
        fprintf(out, "; %s free of a budget of %s", is_free,
                vks_format_bytes(report->budget, size));
    } else {
        fprintf(out, " of %s", size);
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
    print_passes(out, report);
    if (report->profile) {
        print_phases(out, report);
    }
    print_memory(out, report);
    fprintf(out, "pipelines: %" PRIu32 ", of which %" PRIu32 " were cached\n", report->pipelines,
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
        vks_pass_shares(pass, report->ceilings, report->ceiling_count, shares);
        const enum vks_limit bound = vks_pass_bound(shares);
        fprintf(out,
                "%s,%" PRIu64 ",%" PRIu64 ",%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.4g,%s\n",
                pass->name, pass->calls, pass->samples, pass->total, pass->mean, pass->p50,
                pass->p95, pass->min, pass->max, pass->bytes, pass->operations, pass->atomics,
                shares[VKS_LIMIT_BANDWIDTH], bound == VKS_LIMIT_NONE ? "" : vks_limit_name(bound));
    }
}
