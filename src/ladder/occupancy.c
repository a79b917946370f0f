/* SPDX-License-Identifier: MIT */
#include "ladder/occupancy.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "gpu/pipeline.h"
#include "gpu/statistics.h"

enum {
    NVIDIA = 0x10de,
    REGISTER_STEP = 8,   /* registers of a lane are allocated in multiples of this */
    MAX_WORKGROUPS = 32, /* of a multiprocessor */
};

uint32_t vks_occupancy_lanes(const struct vks_multiprocessor *has,
                             const struct vks_occupancy *needs, const char **limit)
{
    const uint32_t steps = (needs->registers + REGISTER_STEP - 1) / REGISTER_STEP;
    const struct {
        const char *name;
        uint64_t has, needs; /* of a workgroup */
    } limits[] = {
        {"the number of lanes", has->lanes, needs->lanes},
        {"registers", has->registers, (uint64_t)steps * REGISTER_STEP * needs->lanes},
        {"shared memory", has->shared_bytes, needs->shared_bytes},
        {"the number of workgroups", MAX_WORKGROUPS, 1},
    };
    uint64_t groups = UINT64_MAX;
    for (size_t i = 0; i < VKS_COUNT(limits); i++) {
        const uint64_t fit = limits[i].needs ? limits[i].has / limits[i].needs : UINT64_MAX;
        if (fit < groups) {
            groups = fit;
            *limit = limits[i].name;
        }
    }
    return (uint32_t)groups * needs->lanes;
}

/* The numbers of NVIDIA's data centre devices, with what the device tells instead. */
static struct vks_multiprocessor assume(const struct vks_gpu *gpu)
{
    struct vks_multiprocessor has = {
        .lanes = 2048, .registers = 65536, .shared_bytes = UINT32_C(164) << 10};
    VkPhysicalDeviceShaderSMBuiltinsPropertiesNV builtins = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV};
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &builtins};
    if (gpu->properties.vendorID == NVIDIA) {
        vkGetPhysicalDeviceProperties2(gpu->physical, &properties);
    }
    if (builtins.shaderWarpsPerSM > 0) {
        has.lanes = 32 * builtins.shaderWarpsPerSM;
        has.lanes_known = true;
        if (builtins.shaderWarpsPerSM < 64) { /* consumer devices */
            has.shared_bytes = UINT32_C(100) << 10;
        }
    }
    return has;
}

struct description {
    const struct vks_gpu *gpu;
    const struct vks_declaration *declaration;
    struct vks_occupancy needs[TRACE_PASSES];
    double subgroups[TRACE_PASSES]; /* that a SIMD unit keeps, as AMD's drivers report it; 0: not */
};

/* The number of a pass, as of traced ones; TRACE_PASSES: it is none. */
static size_t number_of(const struct vks_declaration *declaration, const char *name)
{
    size_t number = 0;
    for (size_t i = 0; i < declaration->pass_count; i++) {
        const struct vks_pass *pass = &declaration->passes[i];
        if (pass->when == VKS_EACH_STEP && strcmp(pass->name, name) == 0) {
            return number < TRACE_PASSES ? number : TRACE_PASSES;
        }
        number += pass->when == VKS_EACH_STEP;
    }
    return TRACE_PASSES;
}

struct reading {
    struct vks_occupancy *needs;
    double *subgroups;
};

static void each_statistic(void *user, const char *name, double value)
{
    struct reading *reading = user;
    if (strcmp(name, "VGPRs") == 0 || strcmp(name, "Register Count") == 0) {
        reading->needs->registers = (uint32_t)value;
    } else if (strcmp(name, "Subgroups per SIMD") == 0) {
        *reading->subgroups = value;
    } else if (strcmp(name, "Scratch size") == 0 || strcmp(name, "Stack Size") == 0) {
        reading->needs->spilled = (uint32_t)value;
    }
}

static void each_pipeline(void *user, const struct vks_pass *pass, bool wide, VkPipeline pipeline)
{
    struct description *description = user;
    const size_t number = number_of(description->declaration, pass->name);
    if (number < TRACE_PASSES && !wide) {
        struct reading reading = {&description->needs[number], &description->subgroups[number]};
        vks_pipeline_statistics(description->gpu, pipeline, each_statistic, &reading);
    }
}

static void write_text(const struct vks_gpu *gpu, const struct vks_occupancy *needs,
                       double subgroups, char text[VKS_OCCUPANCY_TEXT])
{
    const struct vks_multiprocessor has = assume(gpu);
    const char *limit;
    const uint32_t lanes = vks_occupancy_lanes(&has, needs, &limit);
    char shared[32], registers[64], room[128], assumed[96];
    snprintf(shared, sizeof(shared), "%s", "none");
    if (needs->shared_bytes > 0) {
        vks_format_bytes(needs->shared_bytes, shared);
    }
    if (needs->registers > 0) {
        snprintf(registers, sizeof(registers), "%u per lane%s", needs->registers,
                 needs->spilled > 0 ? ", and more in scratch memory" : "");
        snprintf(room, sizeof(room), "%u of %u lanes, limited by %s", lanes, has.lanes, limit);
    } else {
        snprintf(registers, sizeof(registers), "%s", "not reported by this driver");
        snprintf(room, sizeof(room), "%u of %u lanes, if each has at most %u registers", lanes,
                 has.lanes, lanes ? has.registers / lanes / REGISTER_STEP * REGISTER_STEP : 0);
    }
    snprintf(assumed, sizeof(assumed), "per multiprocessor with %u registers and %u KiB%s",
             has.registers, has.shared_bytes >> 10, has.lanes_known ? "" : ", as assumed");
    if (subgroups > 0) {
        snprintf(room, sizeof(room), "%.0f subgroups per SIMD unit", subgroups);
        snprintf(assumed, sizeof(assumed), "by the driver");
    }
    snprintf(text, VKS_OCCUPANCY_TEXT, "Registers: %s. Shared memory: %s.\nOccupancy: %s (%s).",
             registers, shared, room, assumed);
}

enum vks_result vks_occupancy_describe(struct vks_gpu *gpu, const struct vks_ladder_task *task,
                                       char (*texts)[VKS_OCCUPANCY_TEXT])
{
    struct vks_declaration declaration = {0};
    struct description description = {.gpu = gpu, .declaration = &declaration};
    vks_rung_declare(gpu, task, &declaration);
    enum vks_result result = declaration.result;
    if (result == VKS_OK && vks_gpu_has(gpu, VKS_FEATURE_PIPELINE_STATISTICS)) {
        result = vks_graph_compile(gpu, &declaration, each_pipeline, &description);
    }
    for (size_t i = 0; result == VKS_OK && i < declaration.pass_count; i++) {
        const struct vks_pass *pass = &declaration.passes[i];
        const struct vks_shader *shader = vks_shader_find(pass->shader);
        const size_t number = number_of(&declaration, pass->name);
        if (number < TRACE_PASSES && shader) {
            struct vks_occupancy *needs = &description.needs[number];
            needs->lanes = pass->group[0] * (pass->group[1] ? pass->group[1] : 1);
            needs->lanes = needs->lanes ? needs->lanes : 256;
            needs->shared_bytes =
                pass->shared_bytes ? pass->shared_bytes : shader->reflection.shared_bytes;
            write_text(gpu, needs, description.subgroups[number], texts[number]);
        }
    }
    vks_declaration_free(&declaration);
    return result;
}
