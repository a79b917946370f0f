/* SPDX-License-Identifier: MIT */
#include "tool/summary.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/log.h"
#include "base/profile.h"
#include "tool/timings.h"

static enum vks_result print_digests(const struct vks_cli *cli, const struct vks_grid *grid,
                                     const struct vks_outcome *outcome)
{
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < vks_grid_count(grid) && result == VKS_OK; i++) {
        char hex[33], label[256], safe[256];
        result = vks_simulation_digest(vks_grid_simulation(grid, i), hex);
        if (result == VKS_OK) {
            vks_grid_label(grid, i, label, sizeof(label));
            fprintf(vks_cli_results(cli), "digest state %s%s%s\n", hex, label[0] ? " " : "",
                    vks_escape(label, safe, sizeof(safe)));
        }
    }
    if (result == VKS_OK && outcome->has_frames) {
        fprintf(vks_cli_results(cli), "digest frames %s\n", outcome->frames_digest);
    }
    return result;
}

/* A state may replace the one that the run has loaded, because it continues that one; no other
 * state is replaced by one of a run that ended early. */
static enum vks_result save_state(const struct vks_cli *cli, struct vks_grid *grid,
                                  bool interrupted)
{
    char *partial = NULL;
    const bool own = cli->load_state && vks_is_same_file(cli->load_state, cli->save_state);
    enum vks_result result =
        interrupted && !own ? vks_partial_path(cli->save_state, &partial) : VKS_OK;
    if (result == VKS_OK) {
        result = vks_simulation_save(vks_grid_simulation(grid, 0),
                                     partial ? partial : cli->save_state, true);
    }
    free(partial);
    return result;
}

enum vks_result vks_summary(const struct vks_cli *cli, struct vks_grid *grid,
                            const struct vks_outcome *outcome)
{
    enum vks_result result = VKS_OK;
    if (cli->save_state) { /* there is one cell: run.c rejects --vary with --save-state */
        vks_phase_begin(VKS_PHASE_WRITE);
        result = save_state(cli, grid, outcome->run.interrupted);
        vks_phase_end();
    }
    if (result == VKS_OK && cli->digest) {
        vks_phase_begin(VKS_PHASE_DIGEST);
        result = print_digests(cli, grid, outcome);
        vks_phase_end();
    }
    return result == VKS_OK ? vks_timings_end(cli, grid, outcome) : result;
}
