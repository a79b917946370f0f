/* SPDX-License-Identifier: MIT */
#include "graph/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

uint32_t vks_schedule_period(const struct vks_declaration *declaration)
{
    uint64_t period = 1;
    for (size_t i = 0; i < declaration->pass_count && period <= UINT32_MAX; i++) {
        uint64_t a = period, b = declaration->passes[i].every;
        if (declaration->passes[i].when != VKS_EACH_STEP) {
            continue;
        }
        while (b) {
            uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        period = period / a * declaration->passes[i].every;
    }
    return period <= UINT32_MAX ? (uint32_t)period : 0;
}

bool vks_schedule_is_same(const struct vks_declaration *declaration, uint32_t steps, uint64_t a,
                          uint64_t b)
{
    bool same = true;
    for (size_t i = 0; i < declaration->pass_count && same; i++) {
        const uint64_t every = declaration->passes[i].every;
        /* Steps until the pass first runs. */
        const uint64_t rest_a = (every - a % every) % every, rest_b = (every - b % every) % every;
        same = declaration->passes[i].when != VKS_EACH_STEP || rest_a == rest_b ||
               (rest_a >= steps && rest_b >= steps);
    }
    return same;
}

static bool writes(unsigned access)
{
    return (access & (VKS_WRITE | VKS_ATOMIC)) != 0;
}

/* --- one item -------------------------------------------------------------------------------- */

/* Temporary memory of the scheduler. */
struct scratch {
    uint32_t *written, *read; /* per resource: 1 + the deepest level that wrote or read it in this
                               * round */
    uint32_t *level, *place;  /* per item of a round, and per level */
    struct vks_scheduled *sorted;  /* items of a round */
    struct vks_resource_use *uses; /* of an item, and the clock */
};

static enum vks_result create_scratch(const struct vks_declaration *declaration,
                                      struct scratch *scratch)
{
    const size_t resources = vks_clock_resource(declaration) + 1;
    const size_t passes = declaration->pass_count + 1;
    size_t uses = 1;
    for (size_t i = 0; i < declaration->pass_count; i++) {
        const size_t count = declaration->passes[i].use_count + 1;
        uses = count > uses ? count : uses;
    }
    scratch->written = calloc(resources, sizeof(*scratch->written));
    scratch->read = calloc(resources, sizeof(*scratch->read));
    scratch->level = calloc(passes, sizeof(*scratch->level));
    scratch->place = calloc(passes, sizeof(*scratch->place));
    scratch->sorted = calloc(passes, sizeof(*scratch->sorted));
    scratch->uses = calloc(uses, sizeof(*scratch->uses));
    return scratch->written && scratch->read && scratch->level && scratch->place &&
                   scratch->sorted && scratch->uses
               ? VKS_OK
               : vks_fail_memory();
}

static void free_scratch(struct scratch *scratch)
{
    free(scratch->written);
    free(scratch->read);
    free(scratch->level);
    free(scratch->place);
    free(scratch->sorted);
    free(scratch->uses);
}

/* Flips the parity of the fields of which the pass writes the next one. */
static void flip(const struct vks_pass *pass, unsigned char *parity)
{
    for (size_t i = 0; i < pass->use_count; i++) {
        bool flipped = false;
        for (size_t j = 0; j < i; j++) {
            flipped = flipped || ((pass->uses[j].access & VKS_NEXT) &&
                                  pass->uses[j].index == pass->uses[i].index);
        }
        if ((pass->uses[i].access & VKS_NEXT) && !flipped) {
            parity[pass->uses[i].index] ^= 1;
        }
    }
}

/* Adds a pass with its uses resolved to buffers. */
static enum vks_result add_item(struct vks_schedule *schedule, const struct vks_pass *pass,
                                uint32_t index, uint32_t step)
{
    struct vks_scheduled *grown =
        vks_grow(schedule->items, sizeof(*schedule->items), schedule->count, &schedule->capacity);
    if (!grown) {
        return vks_fail_memory();
    }
    schedule->items = grown;
    schedule->items[schedule->count++] = (struct vks_scheduled){.pass = index,
                                                                .meeting = schedule->meeting,
                                                                .step = step,
                                                                .round = schedule->rounds,
                                                                .use_count = pass->use_count,
                                                                .first_use = schedule->use_count};
    for (size_t i = 0; i < pass->use_count; i++) {
        const struct vks_use *use = &pass->uses[i];
        struct vks_scheduled_use *uses = vks_grow(schedule->uses, sizeof(*schedule->uses),
                                                  schedule->use_count, &schedule->use_capacity);
        if (!uses) {
            return vks_fail_memory();
        }
        schedule->uses = uses;
        schedule->uses[schedule->use_count++] = (struct vks_scheduled_use){
            .resource = 2 * use->index +
                        (schedule->parity[use->index] ^ (use->access & VKS_NEXT ? 1u : 0u)),
            .access = use->access & ~(unsigned)VKS_NEXT,
        };
    }
    schedule->meeting = 0;
    flip(pass, schedule->parity);
    return VKS_OK;
}

/* --- the items of a round -------------------------------------------------------------------- */

/* The dependency depth of an item: the length of the longest chain that leads to it. A read depends
 * on the writes before it, a write on everything before it; the deepest of each kind suffices. */
static uint32_t level_of(const struct scratch *scratch, const struct vks_scheduled_use *uses,
                         size_t count)
{
    uint32_t level = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t written = scratch->written[uses[i].resource];
        const uint32_t read = scratch->read[uses[i].resource];
        level = written > level ? written : level;
        level = writes(uses[i].access) && read > level ? read : level;
    }
    return level;
}

static void note_level(struct scratch *scratch, const struct vks_scheduled_use *uses, size_t count,
                       uint32_t level)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t *deepest = writes(uses[i].access) ? &scratch->written[uses[i].resource]
                                                   : &scratch->read[uses[i].resource];
        *deepest = level > *deepest ? level : *deepest;
    }
}

/* Orders the items of a round by their level; stable. */
static void order(struct vks_schedule *schedule, struct scratch *scratch, size_t from)
{
    const size_t count = schedule->count - from;
    if (count == 0) {
        return;
    }
    struct vks_scheduled *items = schedule->items + from;
    memset(scratch->place, 0, (count + 1) * sizeof(*scratch->place));
    for (size_t i = 0; i < count; i++) {
        const struct vks_scheduled_use *uses = schedule->uses + items[i].first_use;
        scratch->level[i] = level_of(scratch, uses, items[i].use_count);
        note_level(scratch, uses, items[i].use_count, scratch->level[i] + 1);
        scratch->place[scratch->level[i] + 1]++;
    }
    for (size_t i = 0; i < count; i++) {
        scratch->place[i + 1] += scratch->place[i];
    }
    for (size_t i = 0; i < count; i++) {
        scratch->sorted[scratch->place[scratch->level[i]]++] = items[i];
        for (size_t j = 0; j < items[i].use_count; j++) { /* for the next round */
            const uint32_t resource = schedule->uses[items[i].first_use + j].resource;
            scratch->written[resource] = scratch->read[resource] = 0;
        }
    }
    memcpy(items, scratch->sorted, count * sizeof(*items));
}

static void add_barriers(struct vks_schedule *schedule, struct scratch *scratch, size_t from)
{
    const VkPipelineStageFlags2 stage = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
    const uint32_t clock = schedule->sync.count - 1;
    for (size_t i = from; i < schedule->count; i++) {
        struct vks_scheduled *item = &schedule->items[i];
        const struct vks_scheduled_use *uses = schedule->uses + item->first_use;
        for (size_t j = 0; j < item->use_count; j++) {
            VkAccessFlags2 access = 0;
            if (uses[j].access & (VKS_READ | VKS_ATOMIC)) {
                access |= VK_ACCESS_2_SHADER_STORAGE_READ_BIT;
            }
            if (writes(uses[j].access)) {
                access |= VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
            }
            scratch->uses[j] = (struct vks_resource_use){uses[j].resource, stage, access};
        }
        scratch->uses[item->use_count] =
            (struct vks_resource_use){clock, stage, VK_ACCESS_2_SHADER_STORAGE_READ_BIT};
        item->barrier = vks_sync_next(&schedule->sync, scratch->uses, item->use_count + 1);
    }
}

/* --- the whole ------------------------------------------------------------------------------- */

/* How many of `left` steps to fuse: as few dispatches as possible, of sizes as equal as the
 * variants allow. */
static uint32_t steps_to_fuse(const struct vks_declaration *declaration, uint32_t left)
{
    uint32_t max = 1;
    for (size_t i = 0; i < declaration->pass_count; i++) {
        const struct vks_pass *pass = &declaration->passes[i];
        if (pass->when == VKS_EACH_STEP && pass->steps_per_dispatch <= left &&
            pass->steps_per_dispatch > max) {
            max = pass->steps_per_dispatch;
        }
    }
    const uint32_t rounds = (left + max - 1) / max;
    const uint32_t even = (left + rounds - 1) / rounds;
    uint32_t best = max;
    for (size_t i = 0; i < declaration->pass_count; i++) {
        const struct vks_pass *pass = &declaration->passes[i];
        if (pass->when == VKS_EACH_STEP && pass->steps_per_dispatch >= even &&
            pass->steps_per_dispatch < best) {
            best = pass->steps_per_dispatch;
        }
    }
    return best;
}

static bool runs_at(const struct vks_pass *pass, enum vks_when when, uint64_t step, uint32_t steps)
{
    return pass->when == when && !pass->left_out && !pass->joins[0] &&
           (when != VKS_EACH_STEP ||
            (pass->steps_per_dispatch == steps && step % pass->every == 0));
}

/* The first pass of a single step, or its last one; NULL: it has none. */
static const struct vks_pass *end_of_step(const struct vks_declaration *declaration, uint64_t step,
                                          bool last)
{
    const struct vks_pass *end = NULL;
    for (size_t i = 0; i < declaration->pass_count && (last || !end); i++) {
        const struct vks_pass *pass = &declaration->passes[i];
        end = runs_at(pass, VKS_EACH_STEP, step, 1) ? pass : end;
    }
    return end;
}

/* Index of the pass that joins that step with the next; UINT32_MAX: none. */
static uint32_t joint_after(const struct vks_declaration *declaration, uint64_t step)
{
    for (uint32_t i = 0; i < declaration->pass_count; i++) {
        const char *const *joins = declaration->passes[i].joins;
        if (joins[0]) {
            const struct vks_pass *last = end_of_step(declaration, step, true);
            const struct vks_pass *first = end_of_step(declaration, step + 1, false);
            if (last && first && strcmp(last->name, joins[0]) == 0 &&
                strcmp(first->name, joins[1]) == 0) {
                return i;
            }
        }
    }
    return UINT32_MAX;
}

/* The meeting at that place, an index from 1; 0: there is none. */
static uint32_t meeting_at(const struct vks_declaration *declaration, enum vks_when when,
                           size_t place)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < declaration->meeting_count; i++) {
        const struct vks_declared_meeting *meeting = &declaration->meetings[i];
        found = meeting->when == when && meeting->place == place ? i + 1 : found;
    }
    return found;
}

/* Completes the items of a round, or of its part before a meeting, of which none are moved to the
 * other side. */
static void complete(struct vks_schedule *schedule, struct scratch *scratch, size_t *from)
{
    order(schedule, scratch, *from);
    add_barriers(schedule, scratch, *from);
    *from = schedule->count;
}

static enum vks_result fail_meeting(void)
{
    return vks_fail(VKS_ERROR_INTERNAL, "ranks meet twice without a pass between");
}

static enum vks_result add_rounds(const struct vks_declaration *declaration, enum vks_when when,
                                  uint64_t first, uint32_t steps, struct scratch *scratch,
                                  struct vks_schedule *schedule)
{
    const uint32_t end = when == VKS_EACH_STEP ? steps : 1;
    uint32_t before = UINT32_MAX; /* the pass that joins the previous step with this one */
    for (uint32_t step = 0, taken = 1; step < end; step += taken) {
        size_t from = schedule->count;
        taken = when == VKS_EACH_STEP ? steps_to_fuse(declaration, end - step) : 1;
        const uint32_t after =
            step + 1 < end && taken == 1 && steps_to_fuse(declaration, end - step - 1) == 1
                ? joint_after(declaration, first + step)
                : UINT32_MAX;
        for (uint32_t pass = 0; pass < declaration->pass_count; pass++) {
            const struct vks_pass *declared = &declaration->passes[pass];
            const uint32_t meeting = meeting_at(declaration, when, pass);
            if (meeting > 0 && schedule->meeting > 0) {
                return fail_meeting();
            }
            if (meeting > 0) {
                complete(schedule, scratch, &from);
                schedule->meeting = meeting;
            }
            if (!runs_at(declared, when, first + step, taken) ||
                (after != UINT32_MAX &&
                 strcmp(declared->name, declaration->passes[after].joins[0]) == 0)) {
                continue;
            }
            uint32_t run = pass;
            if (before != UINT32_MAX &&
                strcmp(declared->name, declaration->passes[before].joins[1]) == 0) {
                run = before;
            }
            const enum vks_result result = add_item(schedule, &declaration->passes[run], run, step);
            if (result != VKS_OK) {
                return result;
            }
        }
        const uint32_t last = meeting_at(declaration, when, declaration->pass_count);
        if (last > 0 && schedule->meeting > 0) {
            return fail_meeting();
        }
        schedule->meeting = last > 0 ? last : schedule->meeting;
        before = after;
        complete(schedule, scratch, &from);
        schedule->rounds++;
    }
    return VKS_OK;
}

enum vks_result vks_schedule(const struct vks_declaration *declaration, enum vks_when when,
                             const unsigned char *parity, uint64_t first, uint32_t steps,
                             struct vks_schedule *schedule)
{
    struct scratch scratch = {0};
    *schedule = (struct vks_schedule){.parity = calloc(declaration->field_count + 1, 1)};
    enum vks_result result =
        schedule->parity ? create_scratch(declaration, &scratch) : vks_fail_memory();
    if (result == VKS_OK) {
        result = vks_sync_create(&schedule->sync, vks_clock_resource(declaration) + 1);
    }
    if (result == VKS_OK) {
        vks_sync_unknown(&schedule->sync);
        if (parity) {
            memcpy(schedule->parity, parity, declaration->field_count);
        }
        result = add_rounds(declaration, when, first, steps, &scratch, schedule);
    }
    for (size_t i = 0; i < schedule->count; i++) {
        schedule->items[i].uses = schedule->uses + schedule->items[i].first_use;
    }
    free_scratch(&scratch);
    if (result != VKS_OK) {
        vks_schedule_free(schedule);
    }
    return result;
}

void vks_schedule_free(struct vks_schedule *schedule)
{
    free(schedule->items);
    free(schedule->uses);
    free(schedule->parity);
    vks_sync_free(&schedule->sync);
    *schedule = (struct vks_schedule){0};
}

char *vks_schedule_text(const struct vks_declaration *declaration,
                        const struct vks_schedule *schedule)
{
    static const char *const words[] = {"?", "reads", "writes", "updates", "adds to"};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        return NULL;
    }
    for (size_t i = 0; i < schedule->count; i++) {
        const struct vks_scheduled *item = &schedule->items[i];
        fprintf(out, "%s%sstep %u: %s", item->meeting > 0 ? "ranks meet\n" : "",
                item->barrier.needed ? "barrier\n" : "", item->step,
                declaration->passes[item->pass].name);
        for (size_t j = 0; j < item->use_count; j++) {
            const unsigned access = item->uses[j].access;
            fprintf(out, "%s %s %s.%u", j ? "," : "", words[access & VKS_ATOMIC ? 4 : access & 3],
                    declaration->fields[item->uses[j].resource / 2].name,
                    item->uses[j].resource % 2);
        }
        fprintf(out, "\n");
    }
    if (schedule->meeting > 0) {
        fputs("ranks meet\n", out);
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
