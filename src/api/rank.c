/* SPDX-License-Identifier: MIT */
/* A simulation on several ranks: which rows each of them has. */
#include "api/rank.h"

#include <math.h>

#include "base/error.h"
#include "ranks/slab.h"

/* Between two exchanges a rank also computes reach rows per step and side, so K steps cost about
 * c cells reach K more each, and an exchange costs F. The sum is least at K = sqrt(F / (c cells
 * reach)). On a GPU, F / c is about 2^26: 100 us, and 1.5 ps per cell. */
static uint32_t best_halo(uint64_t cells, uint32_t reach)
{
    const double steps = sqrt(0x1p26 / ((double)cells * reach));
    return steps < 1 ? reach : reach << (int)floor(log2(fmin(steps, 0x1p16)));
}

/* The rows along the slowest axis of a grid. */
static uint32_t rows_of(const uint64_t grid[3])
{
    return (uint32_t)(grid[0] > 1 ? grid[0] : grid[1]);
}

static enum vks_result choose_halo(const struct vks_declaration *whole, uint32_t count,
                                   uint64_t every, uint32_t *halo)
{
    const uint64_t *grid = whole->grid;
    const uint32_t rows = rows_of(grid), reach = whole->exchange.reach;
    const uint32_t least = vks_slab_first(rows, whole->exchange.grain, 1, count);
    if (every > 0) {
        *halo = every <= least / reach ? (uint32_t)every * reach : 0;
        return *halo > 0 ? VKS_OK
                         : vks_fail_option(VKS_ERROR_USAGE, "exchange-every",
                                           "%llu needs %llu rows of each neighbour, but %u ranks "
                                           "have %u",
                                           (unsigned long long)every,
                                           (unsigned long long)every * reach, count, least);
    }
    /* An eighth of the own rows at most, unless a step needs more. */
    const uint32_t best = best_halo(grid[0] * grid[1] * grid[2] / rows, reach);
    const uint32_t most = least / 8 / reach * reach;
    *halo = best < most ? best : most > reach ? most : reach;
    return VKS_OK;
}

enum vks_result vks_rank_slab(const struct vks_settings *settings, uint32_t index, uint32_t count,
                              uint64_t every, struct vks_slab *slab)
{
    struct vks_declaration whole = {0};
    uint32_t halo;
    vks_declare_steps(settings, &whole);
    enum vks_result result = whole.result;
    if (result == VKS_OK && whole.exchange.count == 0) {
        result =
            vks_fail(VKS_ERROR_USAGE, "%s does not run on several ranks", settings->model->name);
    }
    if (result == VKS_OK) {
        result = choose_halo(&whole, count, every, &halo);
    }
    if (result == VKS_OK) {
        result = vks_slab_of(rows_of(whole.grid), whole.exchange.grain, halo, whole.exchange.closed,
                             index, count, slab);
    }
    vks_declaration_free(&whole);
    return result;
}

enum vks_result vks_rank_fail(const vks_simulation *simulation, const char *what)
{
    return simulation->settings.slab.count > 1
               ? vks_fail(VKS_ERROR_USAGE, "%s is not possible on several ranks", what)
               : VKS_OK;
}
