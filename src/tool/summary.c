/* SPDX-License-Identifier: MIT */
#include "tool/summary.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/profile.h"
#include "reload/reload.h"
#include "runs/saver.h"
#include "tool/timings.h"

/* Names the shaders that differ from the built-in ones, if there are any. */
static bool add_changed(const struct vks_cli *cli, json_t *digests)
{
    json_t *names = cli->reload ? vks_reload_changed(cli->reload, cli->reload_run) : json_array();
    if (json_array_size(names) > 0) {
        return json_object_set_new(digests, "changed_shaders", names) == 0;
    }
    json_decref(names);
    return names != NULL;
}

/* The digests as a new JSON object: "state" of a run, or "states" of the cells of a grid, "frames",
 * and the "changed_shaders" of --hot-reload. */
static enum vks_result list_digests(const struct vks_cli *cli, const struct vks_grid *grid,
                                    const struct vks_outcome *outcome, json_t **digests)
{
    const size_t count = vks_grid_count(grid);
    enum vks_result result = VKS_OK;
    *digests = json_object();
    json_t *cells = json_array();
    bool complete = *digests && cells && add_changed(cli, *digests);
    for (size_t i = 0; i < count && complete && result == VKS_OK; i++) {
        char hex[33], label[256];
        result = vks_simulation_digest(vks_grid_simulation(grid, i), hex);
        vks_grid_label(grid, i, label, sizeof(label));
        if (result == VKS_OK && label[0]) {
            complete = json_array_append_new(
                           cells, json_pack("{s:s, s:s}", "cell", label, "state", hex)) == 0;
        } else if (result == VKS_OK) {
            complete = json_object_set_new(*digests, "state", json_string(hex)) == 0;
        }
    }
    if (complete && json_array_size(cells) > 0) {
        complete = json_object_set(*digests, "states", cells) == 0;
    }
    if (complete && outcome->frames_digest[0]) { /* not if an earlier process had none */
        complete =
            json_object_set_new(*digests, "frames", json_string(outcome->frames_digest)) == 0;
    }
    json_decref(cells);
    return result == VKS_OK && !complete ? vks_fail_memory() : result;
}

/* Prints them as lines. */
static void print_digests(FILE *out, const json_t *digests)
{
    const char *state = json_string_value(json_object_get(digests, "state"));
    const char *frames = json_string_value(json_object_get(digests, "frames"));
    const json_t *cells = json_object_get(digests, "states");
    const json_t *changed = json_object_get(digests, "changed_shaders");
    if (state) {
        fprintf(out, "digest state %s\n", state);
    }
    for (size_t i = 0; i < json_array_size(cells); i++) {
        const json_t *cell = json_array_get(cells, i);
        char safe[256];
        fprintf(out, "digest state %s %s\n", json_string_value(json_object_get(cell, "state")),
                vks_escape(json_string_value(json_object_get(cell, "cell")), safe, sizeof(safe)));
    }
    if (frames) {
        fprintf(out, "digest frames %s\n", frames);
    }
    for (size_t i = 0; i < json_array_size(changed); i++) {
        fprintf(out, "%s %s%s", i == 0 ? "digest changed-shaders" : "",
                json_string_value(json_array_get(changed, i)),
                i + 1 < json_array_size(changed) ? "" : "\n");
    }
}

/* Starts to write the state. That of a run that ended early may replace only the one that the run
 * loaded, because it continues that one. */
static enum vks_result save_state(const struct vks_cli *cli, struct vks_grid *grid,
                                  bool interrupted, struct vks_saver **saver)
{
    char *partial = NULL;
    const bool own = cli->load_state && vks_is_same_file(cli->load_state, cli->save_state);
    enum vks_result result =
        interrupted && !own ? vks_partial_path(cli->save_state, &partial) : VKS_OK;
    if (result == VKS_OK) {
        result = vks_saver_start(vks_grid_simulation(grid, 0), partial ? partial : cli->save_state,
                                 NULL, saver);
    }
    free(partial);
    return result;
}

static enum vks_result read_field(void *user, const char *field, void *data, size_t size)
{
    return vks_simulation_read(user, field, data, size);
}

/* Of print_points(). */
struct points {
    const struct vks_model *model;
    struct vks_config config;
    vks_simulation *simulation;
};

static enum vks_result print_points(FILE *out, const void *user)
{
    const struct points *points = user;
    return points->model->tabulate(&points->config, read_field, points->simulation, out);
}

/* Writes the table of the data points; run.c has checked that there are some. */
static enum vks_result write_points(const struct vks_cli *cli, struct vks_grid *grid,
                                    bool interrupted)
{
    vks_simulation *simulation = vks_grid_simulation(grid, 0);
    const struct vks_settings *settings = vks_simulation_settings(simulation);
    const struct points points = {settings->model, vks_settings_config(settings), simulation};
    char *partial = NULL;
    enum vks_result result = interrupted ? vks_partial_path(cli->points_out, &partial) : VKS_OK;
    if (result == VKS_OK) {
        result = vks_print_file(partial ? partial : cli->points_out, cli->overwrite, print_points,
                                &points);
    }
    free(partial);
    return result;
}

enum vks_result vks_summary(const struct vks_cli *cli, struct vks_grid *grid,
                            const struct vks_outcome *outcome)
{
    enum vks_result result = VKS_OK;
    json_t *digests = NULL;
    struct vks_saver *saver = NULL;
    if (cli->save_state) { /* there is one cell: run.c rejects --vary with --save-state */
        vks_phase_begin(VKS_PHASE_WRITE);
        result = save_state(cli, grid, outcome->run.interrupted, &saver);
        vks_phase_end();
    }
    if (result == VKS_OK && cli->points_out) {
        vks_phase_begin(VKS_PHASE_WRITE);
        result = write_points(cli, grid, outcome->run.interrupted);
        vks_phase_end();
    }
    if (result == VKS_OK && cli->digest) {
        vks_phase_begin(VKS_PHASE_DIGEST);
        result = list_digests(cli, grid, outcome, &digests);
        vks_phase_end();
    }
    if (saver) {
        struct vks_error why;
        vks_phase_begin(VKS_PHASE_WRITE);
        vks_error_keep(result, &why);
        const enum vks_result saved = vks_saver_finish(saver);
        result = result == VKS_OK ? saved : vks_fail_again(&why);
        vks_phase_end();
    }
    const bool one_json = vks_timings_print_json(cli); /* which has the digests, too */
    if (result == VKS_OK && !one_json) {
        print_digests(vks_cli_results(cli), digests);
    }
    if (result == VKS_OK) {
        result = vks_timings_end(cli, grid, outcome, one_json ? digests : NULL);
    }
    /* Before the last checkpoint says that the run is complete. A write error is found at the
     * end. */
    fflush(vks_cli_results(cli));
    json_decref(digests);
    return result;
}
