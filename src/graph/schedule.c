/* SPDX-License-Identifier: MIT */
#include "graph/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

uint32_t vks_schedule_period(const struct vks_declaration *declaration)
{
    uint32_t period = 1;
    for (size_t i = 0; i < declaration->pass_count; i++) {
        uint32_t a = period, b = declaration->passes[i].every;
        if (declaration->passes[i].when != VKS_EACH_STEP) {
            continue;
        }
        while (b) {
            uint32_t rest = a % b;
            a = b;
            b = rest;
        }
        period = period / a * declaration->passes[i].every;
    }
    return period;
}

static bool writes(unsigned access)
{
    return (access & (VKS_WRITE | VKS_ATOMIC)) != 0;
}

/* Resolves a pass's uses to buffers and flips what it writes as the next. */
static struct vks_scheduled resolve(const struct vks_declaration *declaration, uint32_t pass,
                                    uint32_t step, uint32_t *sides)
{
    const struct vks_pass *declared = &declaration->passes[pass];
    struct vks_scheduled item = {.pass = pass, .step = step};
    uint32_t flipped = 0;
    for (size_t i = 0; i < VKS_MAX_USES && declared->uses[i].field; i++) {
        const struct vks_use *use = &declared->uses[i];
        uint32_t field = (uint32_t)vks_find_field(declaration, use->field);
        uint32_t side = (*sides >> field) & 1;
        if (use->access & VKS_NEXT) {
            side ^= 1;
            flipped |= UINT32_C(1) << field;
        }
        item.uses[item.use_count++] = (struct vks_scheduled_use){
            .resource = 2 * field + side, .access = use->access & ~(unsigned)VKS_NEXT};
    }
    *sides ^= flipped;
    return item;
}

static bool depends(const struct vks_scheduled *later, const struct vks_scheduled *earlier)
{
    for (size_t i = 0; i < later->use_count; i++) {
        for (size_t j = 0; j < earlier->use_count; j++) {
            if (later->uses[i].resource == earlier->uses[j].resource &&
                (writes(later->uses[i].access) || writes(earlier->uses[j].access))) {
                return true;
            }
        }
    }
    return false;
}

/* Orders the items of one step by the length of the chain that leads to them; stable. */
static void order(struct vks_scheduled *items, size_t count)
{
    struct vks_scheduled sorted[VKS_MAX_PASSES];
    uint32_t level[VKS_MAX_PASSES] = {0};
    uint32_t deepest = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (depends(&items[i], &items[j]) && level[j] + 1 > level[i]) {
                level[i] = level[j] + 1;
            }
        }
        deepest = level[i] > deepest ? level[i] : deepest;
    }
    size_t used = 0;
    for (uint32_t at = 0; at <= deepest; at++) {
        for (size_t i = 0; i < count; i++) {
            if (level[i] == at) {
                sorted[used++] = items[i];
            }
        }
    }
    memcpy(items, sorted, count * sizeof(*items));
}

static void add_barriers(struct vks_schedule *schedule, size_t from)
{
    for (size_t i = from; i < schedule->count; i++) {
        struct vks_scheduled *item = &schedule->items[i];
        struct vks_resource_use uses[VKS_MAX_USES + 1];
        for (size_t j = 0; j < item->use_count; j++) {
            VkAccessFlags2 access = 0;
            if (item->uses[j].access & (VKS_READ | VKS_ATOMIC)) {
                access |= VK_ACCESS_2_SHADER_STORAGE_READ_BIT;
            }
            if (writes(item->uses[j].access)) {
                access |= VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
            }
            uses[j] = (struct vks_resource_use){item->uses[j].resource,
                                                VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, access};
        }
        uses[item->use_count] =
            (struct vks_resource_use){VKS_CLOCK_RESOURCE, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                                      VK_ACCESS_2_SHADER_STORAGE_READ_BIT};
        item->barrier = vks_sync_next(&schedule->sync, uses, item->use_count + 1);
    }
}

/* How many steps to take at once when `left` are to be done: as few strides as possible, and those
 * as even as the ways that the model has allow. */
static uint32_t stride(const struct vks_declaration *declaration, uint32_t left)
{
    uint32_t most = 1;
    for (size_t i = 0; i < declaration->pass_count; i++) {
        const struct vks_pass *pass = &declaration->passes[i];
        if (pass->when == VKS_EACH_STEP && pass->steps <= left && pass->steps > most) {
            most = pass->steps;
        }
    }
    const uint32_t strides = (left + most - 1) / most;
    const uint32_t even = (left + strides - 1) / strides;
    uint32_t best = most;
    for (size_t i = 0; i < declaration->pass_count; i++) {
        const struct vks_pass *pass = &declaration->passes[i];
        if (pass->when == VKS_EACH_STEP && pass->steps >= even && pass->steps < best) {
            best = pass->steps;
        }
    }
    return best;
}

enum vks_result vks_schedule(const struct vks_declaration *declaration, enum vks_when when,
                             uint32_t sides, uint64_t first, uint32_t steps,
                             struct vks_schedule *schedule)
{
    *schedule = (struct vks_schedule){.sides = sides};
    vks_sync_unknown(&schedule->sync);
    const uint32_t end = when == VKS_EACH_STEP ? steps : 1;
    for (uint32_t step = 0, taken = 1; step < end; step += taken) {
        size_t from = schedule->count;
        taken = when == VKS_EACH_STEP ? stride(declaration, end - step) : 1;
        for (uint32_t pass = 0; pass < declaration->pass_count; pass++) {
            const struct vks_pass *declared = &declaration->passes[pass];
            if (declared->when != when ||
                (when == VKS_EACH_STEP &&
                 (declared->steps != taken || (first + step) % declared->every != 0))) {
                continue;
            }
            struct vks_scheduled *grown = vks_grow(schedule->items, sizeof(*schedule->items),
                                                   schedule->count, &schedule->capacity);
            if (!grown) {
                vks_schedule_free(schedule);
                return vks_fail_memory();
            }
            schedule->items = grown;
            schedule->items[schedule->count] = resolve(declaration, pass, step, &schedule->sides);
            schedule->items[schedule->count++].round = schedule->rounds;
        }
        if (schedule->count > from) {
            order(schedule->items + from, schedule->count - from);
            add_barriers(schedule, from);
        }
        schedule->rounds++;
    }
    return VKS_OK;
}

void vks_schedule_free(struct vks_schedule *schedule)
{
    free(schedule->items);
    *schedule = (struct vks_schedule){0};
}

char *vks_schedule_text(const struct vks_declaration *declaration,
                        const struct vks_schedule *schedule)
{
    size_t size = 64 + schedule->count * (64 + VKS_MAX_USES * 64);
    char *text = malloc(size);
    if (!text) {
        return NULL;
    }
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < schedule->count; i++) {
        const struct vks_scheduled *item = &schedule->items[i];
        if (item->barrier.needed) {
            used += (size_t)snprintf(text + used, size - used, "barrier\n");
        }
        used += (size_t)snprintf(text + used, size - used, "step %u: %.32s", item->step,
                                 declaration->passes[item->pass].name);
        for (size_t j = 0; j < item->use_count; j++) {
            static const char *const words[] = {"?", "reads", "writes", "updates", "adds to"};
            unsigned access = item->uses[j].access;
            used += (size_t)snprintf(text + used, size - used, "%s %s %.32s.%u", j ? "," : "",
                                     words[access & VKS_ATOMIC ? 4 : access & 3],
                                     declaration->fields[item->uses[j].resource / 2].name,
                                     item->uses[j].resource % 2);
        }
        used += (size_t)snprintf(text + used, size - used, "\n");
    }
    return text;
}
