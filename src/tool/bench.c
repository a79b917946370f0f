/* SPDX-License-Identifier: MIT */
/* The command `bench`. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

#include "api/simulation.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "bench/ceiling.h"
#include "gpu/memory.h"
#include "runs/run.h"
#include "tool/command.h"

/* Bytes of the smallest buffer: 2 x 16 KiB fit the first cache of most devices. */
enum { SMALLEST = 1 << 14, MAX_SIZES = 32 };

struct measure {
    uint64_t bytes; /* of one buffer */
    struct vks_pass_timing timing;
};

static double bandwidth(const struct measure *measure)
{
    return measure->timing.p50 > 0 ? measure->timing.bytes / measure->timing.p50 : 0;
}

static void print_table(const struct vks_device_info *device, const struct measure *measures,
                        size_t count)
{
    printf("copy on %s (%s)\n%10s %10s %10s %10s\n", device->name, device->driver, "buffer",
           "p50 us", "p95 us", "GB/s");
    for (size_t i = 0; i < count; i++) {
        char size[32];
        printf("%10s %10.2f %10.2f %10.1f\n", vks_format_bytes(measures[i].bytes, size),
               measures[i].timing.p50 * 1e6, measures[i].timing.p95 * 1e6,
               bandwidth(&measures[i]) * 1e-9);
    }
}

static enum vks_result print_json(const struct vks_device_info *device,
                                  const struct measure *measures, size_t count)
{
    json_t *copies = json_array();
    bool whole = copies != NULL;
    for (size_t i = 0; i < count && whole; i++) {
        const struct measure *measure = &measures[i];
        json_t *copy =
            json_pack("{s:I, s:I, s:f, s:f, s:f}", "buffer_bytes", (json_int_t)measure->bytes,
                      "samples", (json_int_t)measure->timing.samples, "p50_s", measure->timing.p50,
                      "p95_s", measure->timing.p95, "bytes_per_s", bandwidth(measure));
        whole = copy && json_array_append_new(copies, copy) == 0;
    }
    json_t *root = json_pack("{s:{s:s, s:s, s:s}, s:o}", "device", "name", device->name, "driver",
                             device->driver, "uuid", device->uuid, "copy", copies);
    return vks_print_json(root, whole);
}

/* Copies of growing buffers, so that the caches show as steps. */
static enum vks_result measure_copies(struct vks_gpu *gpu, struct measure *measures, size_t *count)
{
    const uint64_t largest = vks_copy_bytes(gpu);
    enum vks_result result = VKS_OK;
    *count = 0;
    for (uint64_t bytes = SMALLEST; bytes <= largest && *count < MAX_SIZES && result == VKS_OK;
         bytes *= 2) {
        if (vks_run_interrupted()) {
            return VKS_INTERRUPTED;
        }
        struct measure *measure = &measures[*count];
        measure->bytes = bytes;
        result = vks_measure_copy(gpu, bytes, &measure->timing);
        *count += result == VKS_OK;
    }
    return result;
}

enum vks_result vks_command_bench(struct vks_call *call)
{
    struct vks_json_values options = {0};
    struct measure measures[MAX_SIZES];
    size_t count = 0;
    vks_context *context = NULL;
    enum vks_result result = vks_call_values(call, &options);
    if (result == VKS_OK) {
        result = vks_call_open(call, &context);
    }
    if (result == VKS_OK) {
        result = measure_copies(&context->gpu, measures, &count);
    }
    if (result == VKS_OK && measures[0].timing.samples == 0) {
        result = vks_fail(VKS_ERROR_DEVICE, "%s has no timestamps, so nothing can be measured",
                          context->gpu.info.name);
    }
    if (result == VKS_OK && options.json) {
        result = print_json(&context->gpu.info, measures, count);
    } else if (result == VKS_OK) {
        print_table(&context->gpu.info, measures, count);
    }
    vks_call_close(call, context);
    return result;
}
