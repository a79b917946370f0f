/* SPDX-License-Identifier: MIT */
#include "tool/summary.h"

#include <stdio.h>

#include "base/profile.h"
#include "tool/timings.h"

static enum vks_result print_digests(const struct vks_cli *cli, const struct vks_grid *grid,
                                     const struct vks_outcome *outcome)
{
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < vks_grid_count(grid) && result == VKS_OK; i++) {
        char hex[33], label[256];
        result = vks_simulation_digest(vks_grid_simulation(grid, i), hex);
        if (result == VKS_OK) {
            vks_grid_label(grid, i, label, sizeof(label));
            fprintf(vks_cli_results(cli), "digest state %s%s%s\n", hex, label[0] ? " " : "", label);
        }
    }
    if (result == VKS_OK && outcome->has_frames) {
        fprintf(vks_cli_results(cli), "digest frames %s\n", outcome->frames_digest);
    }
    return result;
}

enum vks_result vks_summary(const struct vks_cli *cli, struct vks_grid *grid,
                            const struct vks_outcome *outcome)
{
    enum vks_result result = VKS_OK;
    if (cli->save_state) { /* there is one cell: run.c rejects --vary with --save-state */
        vks_phase_begin(VKS_PHASE_WRITE);
        result = vks_simulation_save(vks_grid_simulation(grid, 0), cli->save_state, true);
        vks_phase_end();
    }
    if (result == VKS_OK && cli->digest) {
        vks_phase_begin(VKS_PHASE_DIGEST);
        result = print_digests(cli, grid, outcome);
        vks_phase_end();
    }
    return result == VKS_OK ? vks_timings_end(cli, grid, outcome) : result;
}
