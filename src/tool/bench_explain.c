/* SPDX-License-Identifier: MIT */
/* vksim bench KERNEL --explain FILE: access pictures of its rungs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "ladder/access_picture.h"
#include "ladder/occupancy.h"
#include "ladder/tune.h"
#include "tool/bench.h"

/* One size: the first of --sizes, or a small one, which has the same accesses as a large one. */
static enum vks_result choose_size(const struct vks_ladder_kernel *kernel, const char *sizes,
                                   struct vks_ladder_size *size)
{
    const char *text = sizes ? sizes : kernel->software_sizes;
    const enum vks_result result = vks_ladder_parse_size(kernel, &text, size);
    return result == VKS_OK && sizes && *text
               ? vks_fail(VKS_ERROR_USAGE, "--explain takes one size, not also %s", text)
               : result;
}

/* The time of a rung with the constants of its picture; a device without timestamps has none. */
static enum vks_result measure(struct vks_gpu *gpu, struct vks_access_figure *figure)
{
    const struct vks_effort effort = vks_bench_effort(gpu);
    struct vks_ladder_task task = figure->task;
    enum vks_result result = VKS_OK;
    if (gpu->timestamp_period == 0) {
        return VKS_OK;
    }
    if (vks_rung_is_untuned(&task)) {
        result = vks_rung_first(gpu, &task);
    }
    return result == VKS_OK ? vks_rung_measure(gpu, &task, &effort, &figure->seconds) : result;
}

/* Records the rungs of the list; without a list, all that the device can run. */
static enum vks_result record(struct vks_gpu *gpu, const struct vks_ladder_kernel *kernel,
                              const struct vks_ladder_size *size, const char *rungs, bool timed,
                              struct vks_access_figure *figures, size_t *count)
{
    enum vks_result result = VKS_OK;
    for (const struct vks_rung *rung = kernel->rungs; result == VKS_OK && rung->name; rung++) {
        struct vks_access_figure *figure = &figures[*count];
        const char *missing = vks_rung_missing(gpu, rung, kernel->element);
        figure->task = (struct vks_ladder_task){
            .kernel = kernel, .rung = rung, .size = *size, .element = kernel->element};
        if (!vks_ladder_has_rung(rungs, rung)) {
            continue;
        }
        if (missing) {
            vks_message(VKS_LOG_INFO, "%s needs %s, which %s does not offer", rung->name, missing,
                        gpu->info.name);
        } else if (rungs || vks_access_is_recorded(gpu, &figure->task)) {
            result = vks_access_record(gpu, &figure->task, &figure->trace);
            *count += result == VKS_OK;
        } else {
            vks_message(VKS_LOG_INFO, "%s does not record its accesses", rung->name);
        }
        if (result == VKS_OK && *count > 0 && figure == &figures[*count - 1]) {
            result = vks_occupancy_describe(gpu, &figure->task, figure->resources);
            result = result == VKS_OK && timed ? measure(gpu, figure) : result;
        }
    }
    return result == VKS_OK && *count == 0
               ? vks_fail(VKS_ERROR_USAGE, "no rung of %s can be drawn on %s", kernel->name,
                          gpu->info.name)
               : result;
}

enum vks_result vks_bench_explain(struct vks_call *call, const struct vks_bench_values *values,
                                  const struct vks_ladder_kernel *kernel)
{
    struct vks_gpu gpu = {0};
    struct vks_ladder_size size;
    struct vks_access_figure *figures = NULL;
    size_t rungs = 0, count = 0;
    enum vks_result result = VKS_OK;
    if (values->plot || values->report || values->dtype || values->json || values->csv ||
        values->fresh || values->retune || values->show_tuning) {
        result = vks_fail(VKS_ERROR_USAGE,
                          "--explain draws accesses, so it excludes --plot, --report, --dtype, "
                          "--json, --csv, --fresh, --retune and --show-tuning");
    }
    if (result == VKS_OK) {
        result = vks_access_check("--explain", values->explain, values->overwrite);
    }
    if (result == VKS_OK) {
        result = choose_size(kernel, values->sizes, &size);
    }
    if (result == VKS_OK) {
        result = vks_ladder_check_rungs(kernel, values->rungs);
    }
    if (result == VKS_OK) {
        /* Not a context, whose pipelines keep no statistics. */
        result = vks_gpu_open(&gpu, &(struct vks_gpu_params){
                                        .device = call->shared.device,
                                        .validation = (enum vks_validation)call->shared.validation,
                                        .statistics = true,
                                    });
    }
    if (result == VKS_OK) {
        while (kernel->rungs[rungs].name) {
            rungs++;
        }
        figures = calloc(rungs + 1, sizeof(*figures));
        result = figures ? record(&gpu, kernel, &size, values->rungs,
                                  vks_has_extension(values->explain, ".html"), figures, &count)
                         : vks_fail_memory();
    }
    if (result == VKS_OK) {
        result = vks_access_write(figures, count, &gpu.info, values->explain, values->overwrite);
    }
    for (size_t i = 0; i < count; i++) {
        vks_access_free(&figures[i].trace);
    }
    free(figures);
    vks_gpu_close(&gpu);
    call->messages = gpu.validation_messages;
    return result;
}
