/* SPDX-License-Identifier: MIT */
/* `vksim bench ranks`: what exchanges between ranks take. */
#include <stdlib.h>

#include "api/simulation.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "bench/exchange.h"
#include "bench/keep.h"
#include "gpu/memory.h"
#include "tool/bench.h"
#include "tool/device_list.h"
#include "tool/ranks.h"

enum { DEFAULT_RANKS = 2 };

static void print_table(const struct vks_device_info *devices, uint32_t count,
                        const struct vks_ceilings *set)
{
    const struct vks_ceiling *fixed = vks_ceilings_find(set, "exchange-fixed");
    printf("exchanges between %u ranks, medians of %u repeats\n", count, fixed->value.samples);
    for (uint32_t i = 0; i < count; i++) {
        printf("rank %-3u %s (%s)\n", i, devices[i].name, devices[i].driver);
    }
    printf("\n%-18s %10s %10s %10s %10s\n", "from each rank", "median", "min", "max", "spread");
    for (size_t i = 0; i < fixed->point_count; i++) {
        const struct vks_ceiling_point *point = &fixed->points[i];
        char size[32];
        vks_bench_print_row(vks_format_bytes(point->bytes, size), &point->value, 1e6);
        printf("  us  %8.3f GB/s\n", 1e-9 * (double)point->bytes / point->value.median);
    }
    printf("\n");
    for (size_t i = 0; i < set->count; i++) {
        const struct vks_ceiling_info *info = set->items[i].info;
        vks_bench_print_row(info->name, &set->items[i].value, info->scale);
        printf("  %-8s %s\n", info->symbol, info->help);
    }
}

static json_t *device_json(const struct vks_device_info *device)
{
    return json_pack("{s:s, s:s, s:s}", "name", device->name, "driver", device->driver, "uuid",
                     device->uuid);
}

/* As of ceilings, so that tools/bench-compare reads it; `device` is that of the first rank. */
static enum vks_result print_json(const struct vks_device_info *devices, uint32_t count,
                                  const struct vks_ceilings *set)
{
    json_t *list = json_array(), *all = json_array();
    bool whole = list && all;
    for (size_t i = 0; i < set->count && whole; i++) {
        whole = json_array_append_new(list, vks_ceiling_json(&set->items[i])) == 0;
    }
    for (uint32_t i = 0; i < count && whole; i++) {
        whole = json_array_append_new(all, device_json(&devices[i])) == 0;
    }
    json_t *root = json_pack("{s:o, s:o, s:{s:i}, s:o}", "device", device_json(&devices[0]),
                             "devices", all, "options", "ranks", (int)count, "ceilings", list);
    return vks_print_json(root, whole);
}

/* In rank 0. Validation slows exchanges down: then nothing is kept. */
static enum vks_result report(const struct vks_call *call, const struct vks_bench_values *values,
                              uint32_t count, const struct vks_ceilings *set)
{
    struct vks_device_info *devices = calloc(VKS_LOCAL_RANKS, sizeof(*devices));
    enum vks_result result =
        devices ? vks_ranks_devices(call, values->devices, count, devices) : vks_fail_memory();
    if (result == VKS_OK && call->shared.validation == VKS_VALIDATION_OFF) {
        vks_ceilings_write_ranks(devices, count, set);
    }
    if (result == VKS_OK && values->json) {
        result = print_json(devices, count, set);
    } else if (result == VKS_OK) {
        print_table(devices, count, set);
    }
    free(devices);
    return result;
}

static enum vks_result measure(struct vks_call *call, const struct vks_bench_values *values,
                               const struct vks_ranks *ranks, struct vks_ceilings *set)
{
    const struct vks_gpu_params params = vks_call_gpu(call);
    vks_context *context = NULL;
    enum vks_result result =
        vks_ranks_open(ranks, values->devices, &params, &(struct vks_rank_params){0}, &context);
    if (result == VKS_OK) {
        result = vks_exchange_measure(&context->gpu, &context->ranks, set);
    }
    if (context && result != VKS_OK && result != VKS_INTERRUPTED) {
        vks_context_leave(context, vks_error_text());
    }
    vks_call_close(call, context);
    return result;
}

enum vks_result vks_bench_ranks(struct vks_call *call, const struct vks_bench_values *values)
{
    const uint32_t count = values->ranks ? (uint32_t)values->ranks : DEFAULT_RANKS;
    struct vks_ceilings set = {0};
    struct vks_ranks ranks = {0};
    enum vks_result result = vks_device_list_check(call, values->devices);
    if (result == VKS_OK) {
        vks_message(VKS_LOG_INFO, "measuring; this takes some seconds");
        result = vks_ranks_fork(count, &ranks);
    }
    if (result == VKS_OK) {
        result = measure(call, values, &ranks, &set);
    }
    const bool first = ranks.index == 0;
    result = vks_ranks_end(&ranks, result);
    if (result == VKS_OK && first) {
        result = report(call, values, count, &set);
    }
    vks_ceilings_free(&set);
    return result;
}
