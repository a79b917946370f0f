/* SPDX-License-Identifier: MIT */
#include "tool/summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "bench/ceilings.h"
#include "gpu/memory.h"
#include "report/report.h"

/* The stream of text results: stderr if standard output is the video. */
static FILE *results(const struct vks_cli *cli)
{
    return cli->out && strcmp(cli->out, "-") == 0 ? stderr : stdout;
}

static enum vks_result print_digests(const struct vks_cli *cli, const struct vks_grid *grid,
                                     const struct vks_outcome *outcome)
{
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < vks_grid_count(grid) && result == VKS_OK; i++) {
        char hex[33], label[256];
        result = vks_simulation_digest(vks_grid_simulation(grid, i), hex);
        if (result == VKS_OK) {
            vks_grid_label(grid, i, label, sizeof(label));
            fprintf(results(cli), "digest state %s%s%s\n", hex, label[0] ? " " : "", label);
        }
    }
    if (result == VKS_OK && outcome->has_frames) {
        fprintf(results(cli), "digest frames %s\n", outcome->frames_digest);
    }
    return result;
}

/* The scalars of the latest frame: a heap array, or NULL if there are no scalars or several cells.
 */
static struct vks_report_value *list_watched(const struct vks_grid *grid, size_t *count)
{
    struct vks_graph *graph = vks_simulation_graph(vks_grid_simulation(grid, 0));
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

static enum vks_result print_timings(const struct vks_cli *cli, struct vks_grid *grid,
                                     const struct vks_outcome *outcome)
{
    struct vks_pass_timing *passes = NULL;
    size_t capacity = 0;
    double busy, steps = 0, rest = outcome->ring.copies;
    uint64_t busy_steps;
    struct vks_report report = {
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
    };
    for (bool more = true, each_frame; more;) {
        struct vks_pass_timing *grown =
            vks_grow(passes, sizeof(*passes), report.pass_count, &capacity);
        if (!grown) {
            free(passes);
            return vks_fail_memory();
        }
        passes = grown;
        more = vks_grid_timing(grid, report.pass_count, &passes[report.pass_count], &each_frame);
        if (more) {
            *(each_frame ? &rest : &steps) += passes[report.pass_count++].total;
        }
    }
    report.passes = passes;
    struct vks_report_value *watched = list_watched(grid, &report.watched_count);
    report.watched = watched;
    vks_grid_busy(grid, &busy, &busy_steps);
    report.step_seconds = busy_steps ? busy / (double)busy_steps : 0;
    /* Steps are best timed as complete batches, where available; the passes of frames one by one.
     */
    const double batches = report.step_seconds * (double)report.steps;
    report.gpu_busy = rest + (batches > 0 ? batches : steps);
    vks_context *context = vks_simulation_context(vks_grid_simulation(grid, 0));
    const struct vks_budget budget = vks_gpu_budget(&context->gpu);
    report.allocated = context->gpu.allocated_bytes;
    report.free = budget.free;
    report.free_known = budget.known;
    report.device.size = sizeof(report.device);
    (void)vks_context_device(context, &report.device); /* the size is right */
    if (vks_copy_bandwidth(&context->gpu, &report.copy_bandwidth) != VKS_OK) {
        vks_message(VKS_LOG_WARNING, "the copy bandwidth is unknown: %s", vks_error_text());
    }
    enum vks_result result = VKS_OK;
    if (cli->timings == VKS_TIMINGS_JSON) {
        result = vks_report_json(results(cli), &report);
    } else {
        vks_report_table(results(cli), &report);
    }
    free(watched);
    free(passes);
    return result;
}

enum vks_result vks_summary(const struct vks_cli *cli, struct vks_grid *grid,
                            const struct vks_outcome *outcome)
{
    enum vks_result result = VKS_OK;
    if (cli->save_state) { /* there is one cell: run.c rejects --vary with --save-state */
        result = vks_simulation_save(vks_grid_simulation(grid, 0), cli->save_state, true);
    }
    if (result == VKS_OK && cli->digest) {
        result = print_digests(cli, grid, outcome);
    }
    if (result == VKS_OK && vks_cli_given(cli, "timings")) {
        result = print_timings(cli, grid, outcome);
    }
    return result;
}
