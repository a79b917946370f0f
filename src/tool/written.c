/* SPDX-License-Identifier: MIT */
#include "tool/written.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "frames/format.h"
#include "frames/numbered.h"
#include "tool/resume.h"

/* True if the extension is that of an output. */
static bool is_output(const char *path)
{
    const struct vks_format *format;
    return vks_format_find(path, &format) == VKS_OK;
}

size_t vks_written_list(const struct vks_cli *cli, const struct vks_outputs *outputs,
                        struct vks_written files[VKS_MAX_WRITTEN])
{
    /* Only a file that the command line itself names twice is certainly meant to be replaced. */
    const bool state_named = vks_cli_given(cli, VKS_CLI_ROW(load_state)) == VKS_GIVEN;
    const struct vks_written others[] = {
        {"--collage", "contact sheet", NULL, outputs->sheet},
        {"--poster", "poster", NULL, outputs->poster},
        {"--save-state", "state", VKS_CLI_ROW(save_state), cli->save_state, .own = cli->load_state,
         .replaces = state_named},
        {"--save-scene", "scene", VKS_CLI_ROW(save_scene), cli->save_scene, .own = cli->scene,
         .replaces = cli->scene && !is_output(cli->scene)},
        {"--record-events", "events", VKS_CLI_ROW(record_events), cli->record_events,
         .own = cli->scene, .replaces = cli->scene && !is_output(cli->scene)},
        {"--points-out", "points", VKS_CLI_ROW(points_out), cli->points_out},
        {"--checkpoint", "checkpoint", NULL, cli->checkpoint_files[0]},
        {"--checkpoint", "checkpoint", NULL, cli->checkpoint_files[1]},
        {"--watch", "scalars", VKS_CLI_ROW(watch), cli->watch},
        {"--timings-out", "timings", VKS_CLI_ROW(timings_out), cli->timings_out},
        {"--trace", "trace", VKS_CLI_ROW(trace), cli->trace},
        {"--report", "report", VKS_CLI_ROW(report), cli->report},
    };
    _Static_assert(VKS_RING_SINKS + VKS_COUNT(others) <= VKS_MAX_WRITTEN, "too many files");
    size_t count = 0;
    for (size_t i = 0; cli->headless && i < cli->output_count; i++) {
        if (!vks_outputs_is_sheet(cli, outputs, i)) {
            files[count++] = (struct vks_written){
                .option = "--out",
                .what = "frames",
                .path = cli->outputs[i].path,
                .is_file = cli->outputs[i].kind == VKS_OUT_FILE,
                .is_checked = true,
            };
        }
    }
    for (size_t i = 0; i < VKS_COUNT(others); i++) {
        if (others[i].path) {
            files[count] = others[i];
            files[count++].is_file = true;
        }
    }
    return count;
}

bool vks_cli_only_scene(const struct vks_cli *cli)
{
    struct vks_written files[VKS_MAX_WRITTEN];
    const bool prints =
        cli->capture || cli->digest || vks_cli_given(cli, VKS_CLI_ROW(timings)) != VKS_NOT_GIVEN;
    return cli->save_scene && !cli->headless && !prints &&
           vks_written_list(cli, &(struct vks_outputs){0}, files) == 1;
}

/* True if the text names the file at that path. */
static bool is_name_of(const char *text, const char *path)
{
    return vks_numbered_matches(path, text) ||
           (access(path, F_OK) == 0 && vks_is_same_file(text, path));
}

/* True if an option of the settings names that file. */
static bool reads_from(const struct vks_settings *settings, const char *path)
{
    const struct vks_option_table tables[] = {settings->model->options, vks_common_options};
    const void *const values[] = {settings->own, &settings->common};
    for (size_t t = 0; t < VKS_COUNT(tables); t++) {
        for (size_t i = 0; i < tables[t].count; i++) {
            const struct vks_option *option = &tables[t].options[i];
            const char *text = option->type == VKS_OPTION_TEXT
                                   ? *(char *const *)((const char *)values[t] + option->offset)
                                   : NULL;
            char name[VKS_PATH_SIZE];
            for (const char *rest = text; vks_next_file(option, &rest, name);) {
                if (is_name_of(name, path)) {
                    return true;
                }
            }
        }
    }
    return false;
}

/* True if the run or one of its cells reads from that file, except as the input `own`. */
static bool is_input(const struct vks_cli *cli, const char *path, const char *own)
{
    const char *const inputs[] = {cli->load_state, cli->scene};
    bool found = reads_from(&cli->settings, path);
    for (size_t i = 0; i < VKS_COUNT(inputs); i++) {
        found = found || (inputs[i] && inputs[i] != own && vks_is_same_file(path, inputs[i]));
    }
    for (size_t i = 0; i < cli->vary.count; i++) {
        found = found || reads_from(&cli->cells[i], path);
    }
    return found;
}

/* Given twice, such an option would silently write only the last file. */
static enum vks_result check_once(const struct vks_cli *cli, const struct vks_written *file)
{
    size_t count = 0;
    for (size_t i = 0; file->row && i < cli->call->word_count; i++) {
        count += cli->call->words[i].option == file->row;
    }
    return count <= 1 ? VKS_OK
                      : vks_fail(VKS_ERROR_USAGE, "%s can be given only once", file->option);
}

/* True if two outputs resolve to the same file. */
static bool collide(const char *a, const char *b)
{
    return vks_is_same_file(a, b) || vks_numbered_matches(a, b) || vks_numbered_matches(b, a) ||
           vks_numbered_overlap(a, b);
}

static enum vks_result check_written(const struct vks_cli *cli, const struct vks_written *files,
                                     size_t index)
{
    const struct vks_written *file = &files[index];
    const bool own = file->own && vks_is_same_file(file->path, file->own);
    const bool replaces = own && file->replaces;
    if (is_input(cli, file->path, own ? file->own : NULL)) {
        return vks_fail(VKS_ERROR_USAGE, "%s '%s' is a file that the run reads from", file->option,
                        file->path);
    }
    for (size_t i = 0; i < index; i++) {
        if (!files[i].is_file || !collide(files[i].path, file->path)) {
            continue;
        }
        return strcmp(files[i].path, file->path) == 0
                   ? vks_fail(VKS_ERROR_USAGE, "%s and %s both name '%s'", files[i].option,
                              file->option, file->path)
                   : vks_fail(
                         VKS_ERROR_USAGE,
                         "%s '%s' and %s '%s' can name the same file; give them different names",
                         files[i].option, files[i].path, file->option, file->path);
    }
    if (strcmp(file->path, "-") == 0) {
        return vks_fail(VKS_ERROR_USAGE,
                        "%s '-': only frames can be written to standard output (--out -); name a "
                        "file ('./-' is one called '-')",
                        file->option);
    }
    const bool is_scene =
        file->row == VKS_CLI_ROW(save_scene) || file->row == VKS_CLI_ROW(record_events);
    if (is_scene && is_output(file->path)) {
        return vks_fail(VKS_ERROR_USAGE,
                        "%s '%s': this is the name of an output; name a .json file", file->option,
                        file->path);
    }
    struct vks_atomic_file opened = {0};
    const bool begun = vks_resume_owns(cli, file->path);
    enum vks_result result = vks_resume_confirm(cli, file->option, file->path);
    if (result == VKS_OK && (!file->is_checked || (cli->resumed && !begun))) {
        result = vks_atomic_file_begin(&opened, file->path, cli->overwrite || replaces || begun);
        vks_atomic_file_abort(&opened);
    }
    return result;
}

enum vks_result vks_written_check(const struct vks_cli *cli, const struct vks_outputs *outputs)
{
    struct vks_written files[VKS_MAX_WRITTEN];
    const size_t count = vks_written_list(cli, outputs, files);
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < count && result == VKS_OK; i++) {
        result = check_once(cli, &files[i]);
    }
    for (size_t i = 0; i < count && result == VKS_OK; i++) {
        result = files[i].is_file ? check_written(cli, files, i) : VKS_OK;
    }
    /* Options that cannot be written as JSON fail now rather than after the run. */
    if (result == VKS_OK && (cli->save_state || cli->save_scene || cli->record_events)) {
        json_t *object = json_object();
        result = object ? vks_settings_to_json(&cli->settings, object) : vks_fail_memory();
        json_decref(object);
    }
    return result;
}
