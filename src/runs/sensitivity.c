/* SPDX-License-Identifier: MIT */
#include "runs/sensitivity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/twins.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/task.h"

struct vks_pair {
    vks_simulation *own, *other;
    struct vks_twins *twins;
    vks_snapshot *start; /* of `own`, after the spin-up */
    double *row;         /* the step and the quantities */
};

enum vks_result vks_pair_create(vks_context *context, const struct vks_settings *settings,
                                uint32_t shrink, struct vks_pair **out)
{
    struct vks_pair *pair = calloc(1, sizeof(*pair));
    enum vks_result result =
        pair ? vks_simulation_open(context, settings, NULL, 0, &pair->own) : vks_fail_memory();
    if (result == VKS_OK) {
        result = vks_simulation_open(context, settings, NULL, 0, &pair->other);
    }
    if (result == VKS_OK) {
        result = vks_twins_create(pair->own, pair->other, shrink, &pair->twins);
    }
    if (result == VKS_OK) {
        pair->row = calloc(1 + vks_twins_count(pair->twins), sizeof(*pair->row));
        result = pair->row ? VKS_OK : vks_fail_memory();
    }
    if (result != VKS_OK) {
        struct vks_error why;
        vks_error_keep(result, &why);
        vks_pair_destroy(pair);
        return vks_fail_again(&why);
    }
    *out = pair;
    return VKS_OK;
}

void vks_pair_destroy(struct vks_pair *pair)
{
    if (pair) {
        vks_snapshot_release(pair->start);
        vks_twins_destroy(pair->twins);
        vks_simulation_destroy(pair->own);
        vks_simulation_destroy(pair->other);
        free(pair->row);
        free(pair);
    }
}

struct vks_twins *vks_pair_twins(const struct vks_pair *pair)
{
    return pair->twins;
}

vks_simulation *vks_pair_own(const struct vks_pair *pair)
{
    return pair->own;
}

vks_simulation *vks_pair_other(const struct vks_pair *pair)
{
    return pair->other;
}

enum vks_result vks_pair_spin_up(struct vks_pair *pair, uint32_t seed, uint64_t steps)
{
    enum { SLICE = 16 }; /* steps between two looks at what the user wants */
    vks_snapshot_release(pair->start);
    pair->start = NULL;
    enum vks_result result = vks_simulation_restart(pair->own, seed);
    for (uint64_t done = 0; done < steps && result == VKS_OK; done += SLICE) {
        result = vks_simulation_run(pair->own, steps - done < SLICE ? steps - done : SLICE);
        if (result == VKS_OK) {
            result = vks_simulation_wait(pair->own);
        }
        if (result == VKS_OK) {
            result = vks_task_advance(0);
        }
    }
    return result == VKS_OK ? vks_simulation_snapshot(pair->own, VKS_SNAPSHOT_DEVICE, &pair->start)
                            : result;
}

enum vks_result vks_pair_perturb(struct vks_pair *pair, const struct vks_perturbation *perturbation,
                                 uint64_t item)
{
    enum vks_result result = vks_simulation_restore(pair->own, pair->start);
    if (result == VKS_OK) {
        result = vks_simulation_restore(pair->other, pair->start);
    }
    return result == VKS_OK ? vks_perturb(pair->other, perturbation, item) : result;
}

/* Measures `pair->row`. */
static enum vks_result measure(struct vks_pair *pair, uint64_t step)
{
    pair->row[0] = (double)step;
    const enum vks_result result = vks_twins_measure(pair->twins, pair->row + 1);
    return result == VKS_OK ? vks_task_advance(0) : result;
}

/* Runs both for at most `every` steps, up to `steps` in all, and measures. */
static enum vks_result advance(struct vks_pair *pair, uint64_t *step, uint64_t every,
                               uint64_t steps)
{
    const uint64_t count = steps - *step < every ? steps - *step : every;
    enum vks_result result = vks_simulation_run(pair->own, count);
    if (result == VKS_OK) {
        result = vks_simulation_run(pair->other, count);
    }
    *step += count;
    return result == VKS_OK ? measure(pair, *step) : result;
}

static enum vks_result keep_row(const struct vks_pair *pair, struct vks_distances *distances)
{
    const size_t width = 1 + vks_twins_count(pair->twins);
    double *grown =
        vks_grow(distances->rows, width * sizeof(*grown), distances->count, &distances->capacity);
    if (!grown) {
        return vks_fail_memory();
    }
    distances->rows = grown;
    memcpy(grown + width * distances->count++, pair->row, width * sizeof(*grown));
    return VKS_OK;
}

/* True if the twins are more than 1 / limit of the total apart: products of integers. */
static bool is_far(const struct vks_pair *pair, uint32_t limit)
{
    const double *main = pair->row + 1 + vks_twins_main(pair->twins);
    return main[0] * limit > main[1];
}

static void note_largest(const struct vks_pair *pair, const struct vks_sensitivity *sensitivity,
                         struct vks_sensitivity_seed *seed)
{
    seed->largest = fmax(seed->largest, vks_sensitivity_relative(sensitivity, pair->row));
}

static enum vks_result run_freely(struct vks_pair *pair, const struct vks_sensitivity *sensitivity,
                                  struct vks_sensitivity_seed *seed, bool *reached)
{
    enum vks_result result = measure(pair, 0);
    *reached = false;
    for (uint64_t step = 0; result == VKS_OK;) {
        note_largest(pair, sensitivity, seed);
        *reached = *reached || (step > 0 && is_far(pair, sensitivity->limit));
        result = keep_row(pair, &seed->free);
        if (result != VKS_OK || step == sensitivity->steps) {
            break;
        }
        result = advance(pair, &step, sensitivity->every, sensitivity->steps);
    }
    return result;
}

static enum vks_result add_cycle(struct vks_sensitivity_seed *seed, uint64_t length)
{
    uint64_t *grown =
        vks_grow(seed->cycles, sizeof(*grown), seed->cycle_count, &seed->cycle_capacity);
    if (!grown) {
        return vks_fail_memory();
    }
    seed->cycles = grown;
    grown[seed->cycle_count++] = length;
    return VKS_OK;
}

static enum vks_result run_contracted(struct vks_pair *pair,
                                      const struct vks_sensitivity *sensitivity,
                                      struct vks_sensitivity_seed *seed)
{
    enum vks_result result = VKS_OK;
    uint64_t last = 0;
    for (uint64_t step = 0; step < sensitivity->steps && result == VKS_OK;) {
        result = advance(pair, &step, sensitivity->every, sensitivity->steps);
        if (result == VKS_OK && seed->free.count == 0) {
            note_largest(pair, sensitivity, seed);
        }
        if (result == VKS_OK && is_far(pair, sensitivity->limit)) {
            result = vks_twins_contract(pair->twins);
            if (result == VKS_OK) {
                result = add_cycle(seed, step - last);
            }
            last = step;
        }
    }
    return result;
}

enum vks_result vks_pair_measure(struct vks_pair *pair, const struct vks_sensitivity *sensitivity,
                                 const struct vks_perturbation *perturbation, uint64_t item,
                                 bool has_free, struct vks_sensitivity_seed *seed)
{
    bool reached = true;
    enum vks_result result = VKS_OK;
    if (has_free) {
        result = vks_pair_perturb(pair, perturbation, item);
        if (result == VKS_OK) {
            result = run_freely(pair, sensitivity, seed, &reached);
        }
        vks_sensitivity_fit(sensitivity, seed);
    }
    /* Up to its first contraction the other twin is the free one, which may have shown that there
     * is none. */
    if (result == VKS_OK && reached) {
        result = vks_pair_perturb(pair, perturbation, item);
        if (result == VKS_OK) {
            result = run_contracted(pair, sensitivity, seed);
        }
    }
    seed->rate = vks_sensitivity_rate(seed, sensitivity->shrink);
    return result;
}
