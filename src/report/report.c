/* SPDX-License-Identifier: MIT */
#include "report/report.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "gpu/memory.h"

static double gpu_total(const struct vks_report *report)
{
    double total = 0;
    for (size_t i = 0; i < report->pass_count; i++) {
        total += report->passes[i].total;
    }
    return total;
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static double bandwidth(const struct vks_pass_timing *pass)
{
    return share(pass->bytes, pass->mean);
}

/* The duration of the whole run relative to its slower side; 1 is perfect overlap. */
static double over_slower_side(const struct vks_report *report)
{
    const double slower =
        report->gpu_busy > report->encoder_busy ? report->gpu_busy : report->encoder_busy;
    return share(report->seconds + report->ending, slower);
}

static void print_memory(FILE *out, const struct vks_report *report)
{
    char allocated[32], is_free[32], size[32];
    vks_format_bytes(report->allocated, allocated);
    vks_format_bytes(report->device.memory, size);
    if (report->free_known) {
        fprintf(out, "memory: %s allocated, %s of %s free\n", allocated,
                vks_format_bytes(report->free, is_free), size);
    } else {
        fprintf(out, "memory: %s allocated of %s\n", allocated, size);
    }
}

void vks_report_table(FILE *out, const struct vks_report *report)
{
    const double total = gpu_total(report);
    fprintf(out, "%s %" PRIu32 "x%" PRIu32, report->model, report->width, report->height);
    if (report->depth > 1) {
        fprintf(out, "x%" PRIu32, report->depth);
    }
    fprintf(out, " on %s (%s)\n", report->device.name, report->device.driver);
    int width = 10;
    for (size_t i = 0; i < report->pass_count; i++) {
        const int length = report->passes[i].calls ? (int)strlen(report->passes[i].name) : 0;
        width = length > width ? length : width;
    }
    fprintf(out, "%-*s %9s %11s %10s %10s %10s %7s %9s %8s\n", width, "pass", "calls", "total ms",
            "mean us", "p50 us", "p95 us", "share", "GB/s", "of copy");
    for (size_t i = 0; i < report->pass_count; i++) {
        const struct vks_pass_timing *pass = &report->passes[i];
        if (pass->calls == 0) {
            continue;
        }
        fprintf(out, "%-*s %9" PRIu64, width, pass->name, pass->calls);
        if (pass->samples == 0) {
            fprintf(out, " %11s %10s %10s %10s %7s %9s %8s\n", "-", "-", "-", "-", "-", "-", "-");
            continue;
        }
        fprintf(out, " %11.3f %10.2f %10.2f %10.2f %6.1f%%", pass->total * 1e3, pass->mean * 1e6,
                pass->p50 * 1e6, pass->p95 * 1e6, 100 * share(pass->total, total));
        if (pass->bytes > 0) {
            fprintf(out, " %9.1f", bandwidth(pass) * 1e-9);
        } else {
            fprintf(out, " %9s", "-");
        }
        if (pass->bytes > 0 && report->copy_bandwidth > 0) {
            fprintf(out, " %7.1f%%\n", 100 * share(bandwidth(pass), report->copy_bandwidth));
        } else {
            fprintf(out, " %8s\n", "-");
        }
    }
    if (report->copy_bandwidth > 0) {
        fprintf(out, "copy bandwidth, measured: %.1f GB/s\n", report->copy_bandwidth * 1e-9);
    }
    print_memory(out, report);
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
                100 * share(report->gpu_waits, report->seconds),
                100 * share(report->encoder_waits, report->seconds));
        fprintf(out, "sides: GPU %.3f s (copies %.3f s), encoder %.3f s", report->gpu_busy,
                report->copies, report->encoder_busy);
        if (report->digest_busy > 0) {
            fprintf(out, ", digest %.3f s", report->digest_busy);
        }
        fprintf(out, "; the whole run took %.3f s, %.2f x the slower side\n",
                report->seconds + report->ending, over_slower_side(report));
    }
}

enum vks_result vks_report_json(FILE *out, const struct vks_report *report)
{
    const double total = gpu_total(report);
    json_t *passes = json_array();
    for (size_t i = 0; passes && i < report->pass_count; i++) {
        const struct vks_pass_timing *pass = &report->passes[i];
        json_array_append_new(
            passes, json_pack("{s:s, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}",
                              "name", pass->name, "calls", (json_int_t)pass->calls, "samples",
                              (json_int_t)pass->samples, "total_s", pass->total, "mean_s",
                              pass->mean, "p50_s", pass->p50, "p95_s", pass->p95, "share",
                              share(pass->total, total), "bytes", pass->bytes, "operations",
                              pass->operations, "bytes_per_s", bandwidth(pass), "share_of_copy",
                              share(bandwidth(pass), report->copy_bandwidth)));
    }
    json_t *root = json_pack(
        "{s:s, s:i, s:i, s:i, s:{s:s, s:s, s:s, s:s, s:I}, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:I, "
        "s:o?}",
        "simulation", report->model, "width", (int)report->width, "height", (int)report->height,
        "depth", (int)report->depth, "device", "name", report->device.name, "driver",
        report->device.driver, "vulkan", report->device.api_version, "uuid", report->device.uuid,
        "memory", (json_int_t)report->device.memory, "steps", (json_int_t)report->steps, "frames",
        (json_int_t)report->frames, "seconds", report->seconds, "step_s", report->step_seconds,
        "copy_bytes_per_s", report->copy_bandwidth, "startup_s", report->startup, "first_frame_s",
        report->first_frame, "allocated_bytes", (json_int_t)report->allocated, "passes", passes);
    if (root && report->free_known) {
        json_object_set_new(root, "free_bytes", json_integer((json_int_t)report->free));
    }
    json_t *watched = root && report->watched_count > 0 ? json_object() : NULL;
    for (size_t i = 0; watched && i < report->watched_count; i++) {
        json_t *value = json_real(report->watched[i].value); /* NULL if it is not finite */
        json_object_set_new(watched, report->watched[i].name, value ? value : json_null());
    }
    if (watched) {
        json_object_set_new(root, "watched", watched);
    }
    if (root && report->encoded) {
        json_object_set_new(root, "gpu_waits_s", json_real(report->gpu_waits));
        json_object_set_new(root, "encoder_waits_s", json_real(report->encoder_waits));
        json_object_set_new(root, "copies_s", json_real(report->copies));
        json_object_set_new(root, "encoder_busy_s", json_real(report->encoder_busy));
        json_object_set_new(root, "digest_busy_s", json_real(report->digest_busy));
        json_object_set_new(root, "gpu_busy_s", json_real(report->gpu_busy));
        json_object_set_new(root, "ending_s", json_real(report->ending));
        json_object_set_new(root, "over_slower_side", json_real(over_slower_side(report)));
    }
    char *text = root ? json_dumps(root, JSON_INDENT(2)) : NULL;
    enum vks_result result = text ? VKS_OK : vks_fail_memory();
    if (text) {
        fprintf(out, "%s\n", text);
    }
    free(text);
    json_decref(root);
    return result;
}
