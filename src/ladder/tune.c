/* SPDX-License-Identifier: MIT */
#include "ladder/tune.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"

static size_t constant_count(const struct vks_ladder_task *task)
{
    const struct vks_rung_space *space = task->rung->space;
    size_t count = 0;
    while (space && count < VKS_RUNG_CONSTANTS && space->constants[count].name) {
        count++;
    }
    return count;
}

bool vks_rung_is_untuned(const struct vks_ladder_task *task)
{
    return constant_count(task) > 0 && task->values[0] == 0;
}

const char *vks_rung_values(const struct vks_ladder_task *task, char text[VKS_TUNER_NAME])
{
    size_t used = 0;
    text[0] = '\0';
    const size_t count = vks_rung_is_untuned(task) ? 0 : constant_count(task);
    for (size_t i = 0; i < count && used < VKS_TUNER_NAME; i++) {
        used += (size_t)snprintf(text + used, VKS_TUNER_NAME - used, "%s%s=%u", i ? " " : "",
                                 task->rung->space->constants[i].name, task->values[i]);
    }
    return text;
}

/* --- the space ------------------------------------------------------------------------------- */

struct space {
    struct vks_gpu *gpu;
    struct vks_limits limits;
    struct vks_ladder_task task;  /* values are set for each candidate */
    struct vks_ladder_size small; /* where candidates are verified */
};

static void set_values(struct vks_ladder_task *task, const uint32_t *choice)
{
    for (size_t i = 0; i < constant_count(task); i++) {
        task->values[i] = task->rung->space->constants[i].values[choice[i]];
    }
}

static void name(void *user, const uint32_t *choice, char text[VKS_TUNER_NAME])
{
    struct space *space = user;
    set_values(&space->task, choice);
    vks_rung_values(&space->task, text);
}

static bool fits(void *user, const uint32_t *choice)
{
    struct space *space = user;
    set_values(&space->task, choice);
    const struct vks_rung_space *own = space->task.rung->space;
    return !own->fits || own->fits(&space->limits, &space->task);
}

static size_t value_count(const struct vks_tuned_constant *constant)
{
    size_t count = 0;
    while (count < sizeof(constant->values) / sizeof(constant->values[0]) &&
           constant->values[count]) {
        count++;
    }
    return count;
}

enum vks_result vks_rung_first(const struct vks_gpu *gpu, struct vks_ladder_task *task)
{
    const struct vks_limits limits = vks_graph_limits(gpu);
    const struct vks_rung_space *space = task->rung->space;
    const size_t count = constant_count(task);
    uint32_t choice[VKS_RUNG_CONSTANTS] = {0};
    for (size_t at = count;;) {
        set_values(task, choice);
        if (!space->fits || space->fits(&limits, task)) {
            return VKS_OK;
        }
        for (at = count; at > 0; at--) { /* the next combination: the last changes fastest */
            if (++choice[at - 1] < value_count(&space->constants[at - 1])) {
                break;
            }
            choice[at - 1] = 0;
        }
        if (at == 0) {
            return vks_fail(VKS_ERROR_DEVICE, "no combination of constants of %s %s fits %s",
                            task->kernel->name, task->rung->name, gpu->info.name);
        }
    }
}

/* --- measuring ------------------------------------------------------------------------------- */

/* The largest size with short sides at which the check of many candidates takes little time, or the
 * task's own. Where a side is a multiple of a power of two, so is the short one, or it is odd: a
 * pipeline that is specialized for whole tiles then serves both sizes. */
static struct vks_ladder_size small_size(const struct vks_ladder_task *task)
{
    static const uint32_t sides[] = {65536, 4096, 1024, 256};
    enum { SMALL_BYTES = 1 << 20 };
    struct vks_ladder_task small = *task;
    char reason[128];
    for (size_t i = 0;
         i < sizeof(sides) / sizeof(sides[0]) && vks_ladder_bytes(&small) > SMALL_BYTES; i++) {
        for (size_t k = 0; k < VKS_LADDER_AXES; k++) {
            const uint32_t side = task->size.axis[k];
            const uint32_t small_side = sides[i] + (side % sides[i] ? 1 : 0);
            small.size.axis[k] = side < small_side ? side : small_side;
        }
        if (task->kernel->refuse && task->kernel->refuse(&small.size, reason)) {
            small.size = task->size;
        }
    }
    return small.size;
}

static enum vks_result verify(void *user, struct vks_graph *graph)
{
    const struct vks_ladder_task *task = user;
    return task->kernel->check(task, graph, VKS_TUNER_CHECK_RUNS);
}

static enum vks_result measure(void *user, const uint32_t *choice, double best, double *seconds)
{
    struct space *space = user;
    set_values(&space->task, choice);
    struct vks_ladder_task small = space->task;
    small.size = space->small;
    struct vks_declaration declaration = {0};
    const struct vks_tuner_steps check = {.verify = verify, .user = &small};
    const struct vks_tuner_steps steps = {.period = 1, .best = best, .settled = true};
    vks_rung_declare(space->gpu, &small, &declaration);
    enum vks_result result = vks_tuner_time(space->gpu, &declaration, &check, seconds);
    if (result == VKS_OK) {
        vks_rung_declare(space->gpu, &space->task, &declaration);
        result = vks_tuner_time(space->gpu, &declaration, &steps, seconds);
    }
    return result;
}

/* Of the kernel, the rung, the data type and the rounded size. */
static void make_key(const struct vks_ladder_task *task, char key[160])
{
    struct vks_ladder_size rounded = task->size;
    char size[48];
    for (size_t i = 0; i < VKS_LADDER_AXES; i++) {
        uint32_t power = 1;
        while (power < rounded.axis[i] && power < UINT32_C(1) << 31) {
            power *= 2;
        }
        rounded.axis[i] = power;
    }
    snprintf(key, 160, "%s %s %s %s", task->kernel->name, task->rung->name,
             vks_element_info(task->element)->name,
             vks_ladder_format_size(task->kernel, &rounded, size));
}

/* Not a failure, since none of these is used, but a sign of a fault in the shader or the driver. */
static void report_wrong(const struct vks_ladder_task *task, const struct vks_tuning *tries)
{
    const size_t wrong = vks_tuning_count(tries, VKS_WRONG);
    char size[48];
    if (wrong > 0) {
        vks_message(VKS_LOG_WARNING,
                    "%s of %s at %s elements: %zu of %zu combinations computed wrong results; see "
                    "--show-tuning",
                    task->rung->name, task->kernel->name,
                    vks_ladder_format_size(task->kernel, &task->size, size), wrong,
                    tries->count - vks_tuning_count(tries, VKS_NOT_TRIED));
    }
}

enum vks_result vks_rung_tune(struct vks_gpu *gpu, struct vks_ladder_task *task,
                              const struct vks_rung_tuning *tuning, struct vks_tuning *tries)
{
    struct space space = {
        .gpu = gpu,
        .limits = vks_graph_limits(gpu),
        .task = *task,
        .small = small_size(task),
    };
    char key[160];
    make_key(task, key);
    struct vks_tuner tuner = {
        .kind = "constants",
        .noun = "combinations of constants",
        .key = key,
        .user = &space,
        .name = name,
        .fits = fits,
        .measure = measure,
        .stop = tuning->stop,
        .seconds = tuning->seconds > 0 ? tuning->seconds : VKS_RUNG_TUNING_SECONDS,
        .keep_partial = true,
        .again = tuning->again,
    };
    *tries = (struct vks_tuning){.count = 0};
    if (space.limits.software.driver && !tuning->again) {
        return vks_rung_first(gpu, task);
    }
    enum vks_result result = vks_ladder_check_size(gpu, task);
    for (size_t i = 0; i < constant_count(task); i++) {
        tuner.counts[i] = (uint32_t)value_count(&task->rung->space->constants[i]);
    }
    if (result == VKS_OK) {
        result = vks_tuner_choose(gpu, &tuner, tries);
        report_wrong(task, tries);
    }
    if (result == VKS_OK) {
        set_values(task, tries->tries[tries->best].choice);
    }
    return result;
}
