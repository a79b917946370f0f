/* SPDX-License-Identifier: MIT */
/* A step of Physarum, in which every agent deposits by an atomic addition to its cell, with agents
 * in different orders in memory. No order changes the state. */
#include "ladder/model_rung.h"

#include <stdio.h>

enum { MAX_SIDE = 65536, MAX_AGENTS = 1000000000 };

static const char *refuse(const struct vks_ladder_size *size, char text[128])
{
    snprintf(text, 128, "it takes at most %d agents and sides of %d cells", MAX_AGENTS, MAX_SIDE);
    return size->axis[0] > MAX_AGENTS || size->axis[1] > MAX_SIDE || size->axis[2] > MAX_SIDE
               ? text
               : NULL;
}

/* Agents, and the trail and the deposits, in two buffers each. */
static void buffers(const struct vks_ladder_task *task, struct vks_ladder_buffer *buffer)
{
    const uint32_t agents = task->size.axis[0], width = task->size.axis[1];
    const uint64_t height = task->size.axis[2];
    *buffer++ = (struct vks_ladder_buffer){"source", VKS_U32, agents, 3};
    *buffer++ = (struct vks_ladder_buffer){"sorted", VKS_U32, agents, 3};
    *buffer++ = (struct vks_ladder_buffer){"trail", VKS_F32, width, 2 * height};
    *buffer = (struct vks_ladder_buffer){"result", VKS_U32, width, 2 * height};
}

/* An agent's position and heading are read and written, three cells are read and one is added to;
 * the trail is read and written, and the deposits are read and cleared. */
static double bytes(const struct vks_ladder_task *task)
{
    const double cells = (double)task->size.axis[1] * task->size.axis[2];
    return 44 * (double)task->size.axis[0] + 16 * cells;
}

/* How the simulation counts sorted agents in a field of this size. */
static const char *sorted(const struct vks_ladder_task *task, uint32_t interval, char text[32])
{
    enum { CACHED = 1 << 21 };
    const double cells = (double)task->size.axis[1] * task->size.axis[2];
    snprintf(text, 32, "sorted-%u-%s", interval, cells > CACHED ? "bytes" : "words");
    return text;
}

/* Agents that are sorted at that interval, never (0), or as the tuner finds best. */
static enum vks_result measure(struct vks_gpu *gpu, const struct vks_ladder_task *task,
                               const struct vks_effort *effort, struct vks_spread *seconds,
                               uint32_t interval, bool tuned)
{
    enum { LEAD = 2000 }; /* steps in which agents that are never sorted lose their order */
    static const char unsorted[] = "unsorted";
    char size[32], agents[16], name[32];
    snprintf(agents, sizeof(agents), "%u", task->size.axis[0]);
    snprintf(size, sizeof(size), "%ux%u", task->size.axis[1], task->size.axis[2]);
    const struct vks_model_choice options[] = {{"agents", agents}, {"size", size}, {0}};
    const bool sorts = interval > 0 && !tuned;
    const struct vks_model_rung rung = {.model = "physarum",
                                        .options = options,
                                        .variant = tuned   ? "auto"
                                                   : sorts ? sorted(task, interval, name)
                                                           : unsorted,
                                        .other = tuned || sorts ? unsorted : sorted(task, 8, name),
                                        .lead = LEAD,
                                        .period = interval ? interval : 16};
    return vks_model_rung_measure(gpu, task, effort, seconds, &rung);
}

#define MEASURE(name, interval, tuned)                                                             \
    static enum vks_result measure_##name(struct vks_gpu *gpu, const struct vks_ladder_task *task, \
                                          const struct vks_effort *effort,                         \
                                          struct vks_spread *seconds)                              \
    {                                                                                              \
        return measure(gpu, task, effort, seconds, interval, tuned);                               \
    }

MEASURE(unsorted, 0, false)
MEASURE(sorted256, 256, false)
MEASURE(sorted64, 64, false)
MEASURE(sorted16, 16, false)
MEASURE(fastest, 256, true)

static const struct vks_rung rungs[] = {
    {"unsorted", .help = "agents stay where they are in memory", .measure = measure_unsorted},
    {"sorted-256", .help = "sorted by tile of cells every 256 steps", .measure = measure_sorted256},
    {"sorted-64", .help = "every 64 steps", .measure = measure_sorted64},
    {"sorted-16", .help = "every 16 steps", .measure = measure_sorted16},
    {"auto", .help = "the interval that the simulation would use", .measure = measure_fastest},
    {0},
};

const struct vks_ladder_kernel vks_kernel_scatter = {
    .name = "scatter",
    .help = "steps of Physarum: atomic additions, and agents sorted for locality",
    .axes = "AGENTSxWIDTHxHEIGHT",
    .sizes = "1000000x1024x1024,10000000x4096x4096",
    .software_sizes = "2000x32x32",
    .awkward_sizes = "1x16x16,1009x61x37",
    .ceiling = "copy",
    .element = VKS_U32,
    .refuse = refuse,
    .buffers = buffers,
    .bytes = bytes,
    .rungs = rungs,
};
