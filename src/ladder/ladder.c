/* SPDX-License-Identifier: MIT */
#include "ladder/ladder.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "gpu/matrix.h"
#include "gpu/memory.h"
#include "gpu/pipeline.h"

enum { MAX_NAMES = 24 };

#define VKS_KERNEL(name) extern const struct vks_ladder_kernel vks_kernel_##name;
#include "ladder/kernels.def"
#undef VKS_KERNEL

const struct vks_ladder_kernel *const vks_ladder[] = {
#define VKS_KERNEL(name) &vks_kernel_##name,
#include "ladder/kernels.def"
#undef VKS_KERNEL
    NULL,
};

extern const struct vks_shader vks_ladder_shaders[];
extern const size_t vks_ladder_shader_count;

void vks_ladder_add_shaders(void)
{
    vks_shader_add(vks_ladder_shaders, vks_ladder_shader_count);
}

/* --- names ----------------------------------------------------------------------------------- */

const struct vks_ladder_kernel *vks_ladder_find(const char *name)
{
    const struct vks_ladder_kernel *const *kernel = vks_ladder;
    while (*kernel && strcmp((*kernel)->name, name) != 0) {
        kernel++;
    }
    return *kernel;
}

bool vks_ladder_has_rung(const char *names, const struct vks_rung *rung)
{
    const size_t length = strlen(rung->name);
    for (const char *at = names; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, rung->name, length) == 0 && (at[length] == ',' || at[length] == '\0')) {
            return true;
        }
    }
    return !names;
}

static bool is_rung(const struct vks_ladder_kernel *kernel, const char *name)
{
    const struct vks_rung *rung = kernel->rungs;
    while (rung->name && strcmp(rung->name, name) != 0) {
        rung++;
    }
    return rung->name != NULL;
}

enum vks_result vks_ladder_check_rungs(const struct vks_ladder_kernel *kernel, const char *names)
{
    const char *rungs[MAX_NAMES + 1] = {NULL};
    for (size_t i = 0; i < MAX_NAMES && kernel->rungs[i].name; i++) {
        rungs[i] = kernel->rungs[i].name;
    }
    for (const char *at = names; at;) {
        char name[64], near[64], all[512];
        const size_t length = strcspn(at, ",");
        const size_t kept = length < sizeof(name) - 1 ? length : sizeof(name) - 1;
        memcpy(name, at, kept);
        name[kept] = '\0';
        if (!is_rung(kernel, name)) {
            return vks_fail(VKS_ERROR_USAGE, "%s has no rung '%s'%s; there are: %s", kernel->name,
                            name, vks_did_you_mean(name, rungs, near, sizeof(near)),
                            vks_join(rungs, all, sizeof(all)));
        }
        at = at[length] ? at + length + 1 : NULL;
    }
    return VKS_OK;
}

bool vks_ladder_takes(const struct vks_ladder_kernel *kernel, const struct vks_rung *rung,
                      enum vks_element element)
{
    const unsigned all = kernel->elements ? kernel->elements : VKS_LADDER_ELEMENT(kernel->element);
    const unsigned own = rung && rung->elements ? rung->elements : all;
    return (all & own & VKS_LADDER_ELEMENT(element)) != 0;
}

const char *vks_rung_missing(const struct vks_gpu *gpu, const struct vks_rung *rung,
                             enum vks_element element)
{
    const char *missing = vks_gpu_missing(gpu, rung->feature, rung->shader);
    if (missing) {
        return missing;
    }
    return element == VKS_F16 && !vks_gpu_has(gpu, VKS_FEATURE_FLOAT16)
               ? vks_feature_name(VKS_FEATURE_FLOAT16)
               : NULL;
}

/* --- sizes ----------------------------------------------------------------------------------- */

static size_t axis_count(const struct vks_ladder_kernel *kernel)
{
    size_t count = 1;
    for (const char *at = kernel->axes; *at; at++) {
        count += *at == 'x'; /* the names are in capitals */
    }
    return count;
}

/* A whole number from 1 to 2^31 - 1, or 0. */
static uint32_t parse_number(const char **text)
{
    uint64_t number = 0;
    while (**text >= '0' && **text <= '9') {
        number = 10 * number + (uint64_t)(*(*text)++ - '0');
        number = number < (UINT64_C(1) << 31) ? number : UINT64_C(1) << 31;
    }
    return number >> 31 ? 0 : (uint32_t)number;
}

enum vks_result vks_ladder_parse_size(const struct vks_ladder_kernel *kernel, const char **text,
                                      struct vks_ladder_size *size)
{
    const char *at = *text;
    const size_t axes = axis_count(kernel);
    bool valid = true;
    for (size_t i = 0; i < VKS_LADDER_AXES; i++) {
        const bool has = i < axes && valid;
        if (has && i > 0) {
            valid = *at == 'x';
            at += valid;
        }
        size->axis[i] = has && valid ? parse_number(&at) : 1;
        valid = valid && size->axis[i] > 0;
    }
    if (!valid || (*at != ',' && *at != '\0') || (*at == ',' && at[1] == '\0')) {
        return vks_fail(VKS_ERROR_USAGE,
                        "'%s' does not begin with a size of %s: %s, with integers from 1 to "
                        "2^31 - 1",
                        *text, kernel->name, kernel->axes);
    }
    *text = *at ? at + 1 : at;
    return VKS_OK;
}

const char *vks_ladder_format_size(const struct vks_ladder_kernel *kernel,
                                   const struct vks_ladder_size *size, char text[48])
{
    size_t used = 0;
    for (size_t i = 0; i < axis_count(kernel); i++) {
        used += (size_t)snprintf(text + used, 48 - used, "%s%u", i ? "x" : "", size->axis[i]);
    }
    return text;
}

/* --- buffers --------------------------------------------------------------------------------- */

uint32_t vks_ladder_pitch(const struct vks_ladder_buffer *buffer)
{
    const uint32_t unit = 16 / vks_element_bytes(buffer->element);
    return (buffer->columns + unit - 1) / unit * unit;
}

struct vks_ladder_buffer vks_ladder_buffer(const struct vks_ladder_task *task, const char *name)
{
    struct vks_ladder_buffer buffers[VKS_LADDER_BUFFERS] = {{0}};
    size_t i = 0;
    task->kernel->buffers(task, buffers);
    while (buffers[i].name && strcmp(buffers[i].name, name) != 0) {
        i++;
    }
    return buffers[i];
}

static uint64_t buffer_bytes(const struct vks_ladder_buffer *buffer)
{
    /* Below 2^64: a pitch is at most 2^31, and check_elements() limits their product. */
    return vks_element_bytes(buffer->element) * (uint64_t)vks_ladder_pitch(buffer) * buffer->rows;
}

uint64_t vks_ladder_bytes(const struct vks_ladder_task *task)
{
    struct vks_ladder_buffer buffers[VKS_LADDER_BUFFERS] = {{0}};
    uint64_t bytes = 0;
    task->kernel->buffers(task, buffers);
    for (size_t i = 0; i < VKS_LADDER_BUFFERS && buffers[i].name; i++) {
        bytes += buffer_bytes(&buffers[i]);
    }
    return bytes;
}

/* Shaders index elements by 32 bits. */
static enum vks_result check_elements(const struct vks_ladder_task *task,
                                      const struct vks_ladder_buffer *buffers)
{
    char text[48];
    for (size_t i = 0; i < VKS_LADDER_BUFFERS && buffers[i].name; i++) {
        if (buffers[i].rows > (UINT64_C(1) << 31) / vks_ladder_pitch(&buffers[i])) {
            return vks_fail(VKS_ERROR_USAGE, "%s of %s has a matrix of more than 2^31 elements",
                            task->kernel->name,
                            vks_ladder_format_size(task->kernel, &task->size, text));
        }
    }
    return VKS_OK;
}

enum vks_result vks_ladder_check_size(const struct vks_gpu *gpu, const struct vks_ladder_task *task)
{
    const struct vks_ladder_kernel *kernel = task->kernel;
    struct vks_ladder_buffer buffers[VKS_LADDER_BUFFERS] = {{0}};
    const struct vks_budget budget = vks_gpu_budget(gpu);
    uint64_t largest = 0;
    char size[48], reason[128], needs[32], has[32];
    vks_ladder_format_size(kernel, &task->size, size);
    const char *refusal = kernel->refuse ? kernel->refuse(&task->size, reason) : NULL;
    if (refusal) {
        return vks_fail(VKS_ERROR_USAGE, "%s of %s is impossible: %s", kernel->name, size, refusal);
    }
    kernel->buffers(task, buffers);
    const enum vks_result result = check_elements(task, buffers);
    if (result != VKS_OK) {
        return result;
    }
    for (size_t i = 0; i < VKS_LADDER_BUFFERS && buffers[i].name; i++) {
        const uint64_t bytes = buffer_bytes(&buffers[i]);
        largest = bytes > largest ? bytes : largest;
    }
    if (largest > gpu->info.largest_buffer) {
        return vks_fail(VKS_ERROR_USAGE,
                        "%s of %s elements needs a buffer of %s, but a buffer of %s has at most %s",
                        kernel->name, size, vks_format_bytes(largest, needs), gpu->info.name,
                        vks_format_bytes(gpu->info.largest_buffer, has));
    }
    const uint64_t bytes = vks_ladder_bytes(task);
    if (bytes > budget.free) {
        return vks_fail(VKS_ERROR_USAGE, "%s of %s elements needs %s, but %s has %s of free memory",
                        kernel->name, size, vks_format_bytes(bytes, needs), gpu->info.name,
                        vks_format_bytes(budget.free, has));
    }
    return VKS_OK;
}
