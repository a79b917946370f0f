/* SPDX-License-Identifier: MIT */
/* A step of Gray-Scott, plain and with several steps fused into a dispatch, as the simulation runs
 * it. Each variant must produce the state of another one. */
#include "ladder/model_rung.h"

#include <stdio.h>

enum { MAX_SIDE = 65536 };

static const char *refuse(const struct vks_ladder_size *size, char text[128])
{
    snprintf(text, 128, "its sides have at most %d cells", MAX_SIDE);
    return size->axis[0] > MAX_SIDE || size->axis[1] > MAX_SIDE ? text : NULL;
}

/* The state, in two buffers. */
static void buffers(const struct vks_ladder_task *task, struct vks_ladder_buffer *buffer)
{
    const uint32_t width = task->size.axis[0], height = task->size.axis[1];
    *buffer++ = (struct vks_ladder_buffer){"source", VKS_F32, width, 2 * (uint64_t)height};
    *buffer = (struct vks_ladder_buffer){"result", VKS_F32, width, 2 * (uint64_t)height};
}

/* Of a step that reads and writes u and v once. */
static double bytes(const struct vks_ladder_task *task)
{
    return 16 * (double)task->size.axis[0] * task->size.axis[1];
}

static enum vks_result measure(struct vks_gpu *gpu, const struct vks_ladder_task *task,
                               const struct vks_effort *effort, struct vks_spread *seconds,
                               const char *variant, const char *other)
{
    char size[32];
    snprintf(size, sizeof(size), "%ux%u", task->size.axis[0], task->size.axis[1]);
    const struct vks_model_choice options[] = {
        {"size", size},
        {"steps-per-frame", "64"}, /* so that no frame cuts the fused steps short */
        {0},
    };
    const struct vks_model_rung rung = {.model = "gray-scott",
                                        .options = options,
                                        .variant = variant,
                                        .other = other,
                                        .period = 48}; /* whole dispatches of most fused steps */
    return vks_model_rung_measure(gpu, task, effort, seconds, &rung);
}

#define MEASURE(name, variant, other)                                                              \
    static enum vks_result measure_##name(struct vks_gpu *gpu, const struct vks_ladder_task *task, \
                                          const struct vks_effort *effort,                         \
                                          struct vks_spread *seconds)                              \
    {                                                                                              \
        return measure(gpu, task, effort, seconds, variant, other);                                \
    }

MEASURE(plain, "plain", "fused-2")
MEASURE(fused2, "fused-2", "plain")
MEASURE(fused4, "fused-4", "plain")
MEASURE(fused8, "fused-8", "plain")
MEASURE(fastest, "auto", "plain")

static const struct vks_rung rungs[] = {
    {"plain", .help = "one dispatch per step", .measure = measure_plain},
    {"fused-2", .help = "two steps per dispatch, in a tile with a halo", .measure = measure_fused2},
    {"fused-4", .help = "four steps", .measure = measure_fused4},
    {"fused-8", .help = "eight steps", .measure = measure_fused8},
    {"auto", .help = "the variant that the simulation would run", .measure = measure_fastest},
    {0},
};

const struct vks_ladder_kernel vks_kernel_stencil = {
    .name = "stencil",
    .help = "steps of Gray-Scott: fused steps to exceed the limit of memory",
    .axes = "WIDTHxHEIGHT",
    .sizes = "1024x1024,8192x8192",
    .software_sizes = "96x96",
    .awkward_sizes = "16x16,61x37",
    .ceiling = "copy",
    .element = VKS_F32,
    .refuse = refuse,
    .buffers = buffers,
    .bytes = bytes,
    .rungs = rungs,
};
