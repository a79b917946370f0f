/* SPDX-License-Identifier: MIT */
#include "tool/timings.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/profile.h"
#include "base/task.h"
#include "bench/ceilings.h"
#include "gpu/clock.h"
#include "gpu/memory.h"
#include "report/html.h"
#include "report/report.h"
#include "report/trace.h"
#include "tool/steps.h"

/* Traces a frame in the middle of the run, or the end of it if it is long: the time line of the
 * report. */
static void trace_frame(const struct vks_cli *cli, uint64_t first)
{
    enum { FRAME = 10, MAX_STEPS = 64 }; /* the frame of an endless run; steps that are traced */
    const uint64_t per_frame = cli->cells[0].common.steps_per_frame;
    const uint64_t frames = cli->steps / per_frame;
    const bool ends = vks_cli_ends(cli) && cli->steps != UINT64_MAX;
    const uint64_t frame = ends ? (frames + 1) / 2 : FRAME;
    const uint64_t steps = frame > 0 ? frame * per_frame : cli->steps;
    const uint64_t length = frame > 0 && per_frame < steps ? per_frame : steps;
    const uint64_t from = first + steps - (length < MAX_STEPS ? length : MAX_STEPS);
    vks_profile_trace(vks_profile_current(), from, first + steps, from == first);
}

enum vks_result vks_timings_begin(const struct vks_cli *cli)
{
    struct vks_steps steps = {0, UINT64_MAX};
    const uint64_t loaded = cli->state.steps;
    if (cli->trace_steps && !cli->trace) {
        return vks_fail(VKS_ERROR_USAGE, "--trace-steps needs --trace FILE.json");
    }
    if (cli->timings_out && !vks_cli_given(cli, VKS_CLI_ROW(timings))) {
        return vks_fail(VKS_ERROR_USAGE, "--timings-out needs --timings");
    }
    if (cli->trace_steps) {
        const enum vks_result result =
            vks_steps_parse(cli, "--trace-steps", cli->trace_steps, true, &steps);
        if (result != VKS_OK) {
            return result;
        }
        steps.end += loaded;
    }
    if (cli->trace) {
        vks_profile_trace(vks_profile_current(), loaded + steps.first, steps.end, steps.first == 0);
    } else if (cli->report) {
        trace_frame(cli, loaded);
    }
    return VKS_OK;
}

static enum vks_result read_clocks(struct vks_gpu *gpu)
{
    struct vks_clock_pair pair;
    if (!vks_profile_will_trace() || gpu->timestamp_period == 0) {
        return VKS_OK;
    }
    const enum vks_result result = vks_gpu_read_clocks(gpu, &pair);
    if (result == VKS_OK) {
        vks_profile_clocks(&pair);
    }
    return result;
}

enum vks_result vks_timings_start(vks_context *context)
{
    return read_clocks(&context->gpu);
}

/* --- gathering ------------------------------------------------------------------------------- */

/* The scalars of the latest frame: a heap array, or NULL if there are no scalars or several cells.
 */
static struct vks_report_value *list_watched(const struct vks_grid *grid, size_t *count)
{
    struct vks_graph *graph = vks_simulation_picture(vks_grid_simulation(grid, 0));
    struct vks_row row;
    *count = 0;
    if (vks_grid_count(grid) > 1 || !vks_graph_watched(graph, &row)) {
        return NULL;
    }
    struct vks_report_value *values = calloc(row.count, sizeof(*values));
    for (size_t i = 0; values && i < row.count; i++) {
        values[i] = (struct vks_report_value){vks_graph_scalar(graph, i)->name, row.values[i]};
        (*count)++;
    }
    return values;
}

/* The passes of all graphs, to be freed, and the GPU time of steps and of frames. */
static enum vks_result list_passes(struct vks_grid *grid, struct vks_report *report,
                                   struct vks_pass_timing **passes)
{
    size_t capacity = 0;
    double busy;
    uint64_t busy_steps;
    bool each_frame;
    for (;;) {
        struct vks_pass_timing *grown =
            vks_grow(*passes, sizeof(*grown), report->pass_count, &capacity);
        if (!grown) {
            return vks_fail_memory();
        }
        *passes = grown;
        if (!vks_grid_timing(grid, report->pass_count, &grown[report->pass_count], &each_frame)) {
            break;
        }
        *(each_frame ? &report->gpu_frames : &report->gpu_steps) +=
            grown[report->pass_count++].total;
    }
    report->passes = *passes;
    report->dropped = vks_grid_dropped(grid); /* as of the passes' times */
    vks_grid_busy(grid, &busy, &busy_steps);
    report->step_seconds = busy_steps ? busy / (double)busy_steps : 0;
    /* Whole batches time steps best, if there are any; the passes of frames are timed singly. */
    if (report->step_seconds > 0) {
        report->gpu_steps = report->step_seconds * (double)report->steps;
    }
    return VKS_OK;
}

static void describe_device(vks_context *context, struct vks_report *report)
{
    const struct vks_gpu *gpu = &context->gpu;
    const struct vks_budget budget = vks_gpu_budget(gpu);
    report->device.size = sizeof(report->device);
    (void)vks_context_device(context, &report->device); /* the size is right */
    report->timestamp_bits = gpu->timestamp_bits;
    report->timestamp_period = gpu->timestamp_period;
    report->timestamp_mask = gpu->timestamp_mask;
    report->allocated = gpu->allocated_bytes;
    report->peak = gpu->peak_bytes;
    report->budget = budget.limit;
    report->free = budget.free;
    report->budget_known = budget.known;
    report->pipelines = gpu->pipelines;
    report->pipelines_cached = gpu->pipelines_cached;
}

/* The ceilings of the device, to be freed: kept ones, or measured now. Without timestamps, or where
 * they cannot be measured, there are none. */
static enum vks_result measure(struct vks_gpu *gpu, struct vks_report *report,
                               struct vks_report_ceiling **ceilings, bool *interrupted)
{
    struct vks_ceilings set = {0};
    const struct vks_ceilings_request request = {.names = vks_report_ceilings,
                                                 .stop = vks_interrupted};
    if (gpu->timestamp_period == 0) {
        return VKS_OK;
    }
    const enum vks_result result = vks_ceilings_get(gpu, &request, &set);
    *interrupted = result == VKS_INTERRUPTED;
    if (*interrupted) {
        vks_message(VKS_LOG_WARNING, "not all ceilings of the device are known: interrupted");
    } else if (result != VKS_OK) {
        vks_message(VKS_LOG_WARNING, "the ceilings of the device are unknown: %s",
                    vks_error_text());
    }
    *ceilings = calloc(set.count + 1, sizeof(**ceilings));
    for (size_t i = 0; *ceilings && i < set.count; i++) {
        if (!set.items[i].missing && set.items[i].value.median > 0) {
            (*ceilings)[report->ceiling_count++] = (struct vks_report_ceiling){
                set.items[i].info->name, set.items[i].info->unit, set.items[i].value.median};
        }
    }
    report->ceilings = *ceilings;
    vks_ceilings_free(&set);
    return *ceilings ? VKS_OK : vks_fail_memory();
}

/* --- writing --------------------------------------------------------------------------------- */

/* What is written, and how. */
struct output {
    const struct vks_cli *cli;
    const struct vks_report *report;
    json_t *json; /* the report, with digests if there are any; NULL: memory ran out */
};

bool vks_timings_print_json(const struct vks_cli *cli)
{
    return vks_cli_given(cli, VKS_CLI_ROW(timings)) && !cli->timings_out &&
           cli->timings == (uint32_t)VKS_TIMINGS_JSON;
}

static enum vks_result print_timings(FILE *out, const void *user)
{
    const struct output *output = user;
    switch ((enum vks_timings_form)output->cli->timings) {
    case VKS_TIMINGS_JSON:
        return vks_print_json_to(out, json_incref(output->json), true);
    case VKS_TIMINGS_CSV:
        vks_report_csv(out, output->report);
        return VKS_OK;
    case VKS_TIMINGS_TABLE:
        break;
    }
    vks_report_table(out, output->report);
    return VKS_OK;
}

static enum vks_result print_trace(FILE *out, const void *user)
{
    const struct output *output = user;
    return vks_trace_write(out, output->report);
}

static enum vks_result print_written(const char *path, enum vks_result result)
{
    if (result == VKS_OK) {
        vks_message(VKS_LOG_INFO, "wrote %s", path);
    }
    return result;
}

/* Writes the page of --report, from the JSON that --timings=json prints. */
static enum vks_result write_page(const struct vks_cli *cli, const json_t *json,
                                  const struct vks_collage *thumbnails)
{
    const struct vks_html_run run = {.report = json, .thumbnails = thumbnails};
    const enum vks_result result =
        json ? vks_report_html_file(cli->report, cli->overwrite, &run, 1) : vks_fail_memory();
    return print_written(cli->report, result);
}

static enum vks_result write_trace(const struct vks_cli *cli, const struct output *output)
{
    const enum vks_result result = vks_print_file(cli->trace, cli->overwrite, print_trace, output);
    if (result == VKS_OK && output->report->profile->cut) {
        vks_message(VKS_LOG_WARNING,
                    "the trace is incomplete: it reached the limit of %d events; choose fewer "
                    "steps with --trace-steps",
                    VKS_MAX_TRACE);
    }
    return print_written(cli->trace, result);
}

/* Writes the later outputs even if an earlier one failed; returns the first failure. */
static enum vks_result write_all(const struct vks_cli *cli, const struct vks_report *report,
                                 const struct vks_collage *thumbnails, json_t *digests)
{
    json_t *json = vks_report_json(report);
    if (json && digests && json_object_set(json, "digest", digests) != 0) {
        json_decref(json);
        json = NULL;
    }
    const struct output output = {cli, report, json};
    enum vks_result result = VKS_OK, next = VKS_OK;
    struct vks_error why;
    if (vks_cli_given(cli, VKS_CLI_ROW(timings)) && cli->timings_out) {
        result = vks_print_file(cli->timings_out, cli->overwrite, print_timings, &output);
        result = print_written(cli->timings_out, result);
    } else if (vks_cli_given(cli, VKS_CLI_ROW(timings))) {
        result = print_timings(vks_cli_results(cli), &output);
    }
    vks_error_keep(result, &why);
    if (cli->trace) {
        next = write_trace(cli, &output);
    }
    if (why.result == VKS_OK) {
        vks_error_keep(next, &why);
    }
    next = cli->report ? write_page(cli, json, thumbnails) : VKS_OK;
    json_decref(json);
    return why.result == VKS_OK ? next : vks_fail_again(&why);
}

enum vks_result vks_timings_end(const struct vks_cli *cli, struct vks_grid *grid,
                                const struct vks_outcome *outcome, json_t *digests)
{
    struct vks_pass_timing *passes = NULL;
    vks_context *context = vks_simulation_context(vks_grid_simulation(grid, 0));
    struct vks_report_ceiling *ceilings = NULL;
    struct vks_report report = {
        .command = (const char *const *)cli->call->argv,
        .command_count = (size_t)cli->call->argc,
        .model = cli->settings.model->name,
        .width = cli->settings.common.size.width,
        .height = cli->settings.common.size.height,
        .depth = cli->settings.common.size.depth,
        .steps = vks_grid_steps(grid),
        .frames = outcome->run.frames,
        .seconds = outcome->run.seconds,
        .encoded = outcome->has_frames,
        .gpu_waits = outcome->ring.gpu_waits,
        .encoder_waits = outcome->ring.encoder_waits,
        .copies = outcome->ring.copies,
        .encoder_busy = outcome->ring.encoder_busy + outcome->ending,
        .digest_busy = outcome->ring.digest_busy,
        .ending = outcome->ending,
        .startup = outcome->begin - cli->call->begin,
        .first_frame =
            outcome->ring.first_frame > 0 ? outcome->ring.first_frame - cli->call->begin : 0,
        .profile = vks_profile_current(),
    };
    if (!vks_cli_given(cli, VKS_CLI_ROW(timings)) && !cli->trace && !cli->report) {
        return VKS_OK;
    }
    const struct vks_runnable runnable = vks_grid_runnable(grid);
    enum vks_result result = runnable.wait(runnable.user); /* for the passes' last times */
    if (result == VKS_OK) {
        result = list_passes(grid, &report, &passes);
    }
    if (result == VKS_OK) {
        result = read_clocks(&context->gpu);
    }
    struct vks_report_value *watched = NULL;
    if (result == VKS_OK) {
        describe_device(context, &report);
        report.watched = watched = list_watched(grid, &report.watched_count);
        vks_phase_begin(VKS_PHASE_CEILINGS);
        bool interrupted = false;
        result = measure(&context->gpu, &report, &ceilings, &interrupted);
        vks_phase_end();
        vks_phase_update();
        report.wall = vks_seconds() - cli->call->begin;
        if (result == VKS_OK) {
            result = write_all(cli, &report, outcome->thumbnails, digests);
        }
        result = result == VKS_OK && interrupted ? VKS_INTERRUPTED : result;
    }
    free(ceilings);
    free(watched);
    free(passes);
    return result;
}
