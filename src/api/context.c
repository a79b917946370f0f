/* SPDX-License-Identifier: MIT */
/* The library itself, devices and contexts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "ranks/ranks.h"
#include "api/simulation.h"
#include "api/sized.h"

const char *vks_version(void)
{
    return VKS_VERSION;
}

void vks_log_to(enum vks_log_level max, vks_log_fn *callback, void *user)
{
    vks_message_to(max, callback, user);
}

/* --- contexts -------------------------------------------------------------------------------- */

/* Joins the ranks and opens the device. The others learn of a device that does not open. */
static enum vks_result join(vks_context *context, const struct vks_gpu_params *given,
                            const struct vks_rank_params *rank)
{
    struct vks_gpu_params params = *given;
    struct vks_transport *transport = &context->ranks;
    enum vks_result result = vks_ranks_join(
        rank->text, params.timeout > 0 ? params.timeout : VKS_GPU_SECONDS, transport);
    if (result != VKS_OK) {
        return result;
    }
    params.rank = transport->here;
    params.ranks = transport->here_count;
    context->exchange_every = rank->exchange_every;
    context->pictures = rank->pictures;
    result = vks_gpu_open(&context->gpu, &params);
    if (result == VKS_OK) {
        const uint64_t nanos = context->gpu.timeout;
        context->patience = nanos < UINT64_MAX ? 1e-9 * (double)nanos : INFINITY;
        transport->set_patience(transport->user, context->patience);
    } else {
        vks_context_leave(context, vks_error_text());
    }
    return result;
}

enum vks_result vks_context_open_rank(const struct vks_gpu_params *params,
                                      const struct vks_rank_params *rank, vks_context **context)
{
    vks_context *made = calloc(1, sizeof(*made));
    if (!made) {
        return vks_fail_memory();
    }
    const enum vks_result result =
        rank->text ? join(made, params, rank) : vks_gpu_open(&made->gpu, params);
    if (result != VKS_OK) {
        free(made);
        return result;
    }
    *context = made;
    return VKS_OK;
}

enum vks_result vks_context_open(const struct vks_gpu_params *params, vks_context **context)
{
    return vks_context_open_rank(params, &(struct vks_rank_params){0}, context);
}

void vks_context_leave(vks_context *context, const char *why)
{
    if (context->ranks.count > 0) {
        context->ranks.leave(context->ranks.user, why);
    }
    context->ranks = (struct vks_transport){0};
}

enum vks_result vks_context_create(const struct vks_context_params *given, vks_context **context)
{
    if (!given || !context) {
        return vks_fail_null(__func__);
    }
    struct vks_context_params params;
    enum vks_result result = vks_take_sized(&params, sizeof(params), given);
    if (result == VKS_OK && (unsigned)params.validation > VKS_VALIDATION_GPU) {
        result =
            vks_fail(VKS_ERROR_USAGE, "%d is not a kind of validation", (int)params.validation);
    }
    if (result == VKS_OK && !(params.gpu_timeout < 1e9)) {
        result = vks_fail(VKS_ERROR_USAGE, "gpu_timeout is %g; it must be below 1e9 s",
                          params.gpu_timeout);
    }
    return result == VKS_OK
               ? vks_context_open_rank(
                     &(struct vks_gpu_params){.device = params.device,
                                              .validation = params.validation,
                                              .no_disk_cache = params.no_disk_cache,
                                              .timeout = params.gpu_timeout},
                     &(struct vks_rank_params){.text = params.ranks, .pictures = true}, context)
               : result;
}

uint64_t vks_context_close(vks_context *context)
{
    uint64_t messages = 0;
    if (context) {
        vks_gpu_close(&context->gpu);
        vks_context_leave(context, NULL);
        messages = vks_context_validation_messages(context);
        free(context);
    }
    return messages;
}

void vks_context_destroy(vks_context *context)
{
    vks_context_close(context);
}

uint64_t vks_context_validation_messages(const vks_context *context)
{
    return context ? __atomic_load_n(&context->gpu.validation_messages, __ATOMIC_RELAXED) : 0;
}

enum vks_result vks_context_device(const vks_context *context, struct vks_device_info *info)
{
    if (!context || !info) {
        return vks_fail_null(__func__);
    }
    return vks_give_sized(info, &context->gpu.info, sizeof(context->gpu.info));
}

enum vks_result vks_devices(struct vks_device_info *infos, size_t capacity, size_t *count)
{
    struct vks_device_info found[VKS_MAX_DEVICES];
    if (!count || (capacity > 0 && !infos)) {
        return vks_fail_null(__func__);
    }
    enum vks_result result = vks_gpu_list(found, VKS_COUNT(found), count);
    const size_t size = capacity > 0 ? infos[0].size : 0;
    for (size_t i = 0; result == VKS_OK && i < *count && i < capacity && i < VKS_COUNT(found);
         i++) {
        void *row = (char *)infos + i * size;
        memcpy(row, &size, sizeof(size));
        result = vks_give_sized(row, &found[i], sizeof(found[i]));
    }
    return result;
}
