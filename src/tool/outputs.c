/* SPDX-License-Identifier: MIT */
#include "tool/outputs.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/profile.h"
#include "frames/collage.h"
#include "frames/format.h"
#include "tool/resume.h"

/* --- the command line ------------------------------------------------------------------------ */

bool vks_outputs_are_none(const struct vks_cli *cli)
{
    return cli->output_count == 1 && cli->outputs[0].kind == VKS_OUT_NONE;
}

bool vks_outputs_has_stream(const struct vks_cli *cli)
{
    bool found = false;
    for (size_t i = 0; i < cli->output_count; i++) {
        found = found || cli->outputs[i].kind == VKS_OUT_STREAM;
    }
    return found;
}

static enum vks_result add_output(struct vks_cli *cli, const char *path)
{
    if (cli->output_count == VKS_RING_SINKS) {
        return vks_fail(VKS_ERROR_USAGE, "--out can be given at most %d times", VKS_RING_SINKS);
    }
    struct vks_cli_output *outputs =
        realloc(cli->outputs, (cli->output_count + 1) * sizeof(*outputs));
    if (!outputs) {
        return vks_fail_memory();
    }
    cli->outputs = outputs;
    outputs[cli->output_count++] = (struct vks_cli_output){
        .path = path,
        .kind = strcmp(path, "-") == 0      ? VKS_OUT_STREAM
                : strcmp(path, "none") == 0 ? VKS_OUT_NONE
                                            : VKS_OUT_FILE,
    };
    return VKS_OK;
}

/* "none" excludes other outputs, and there is one standard output. */
static enum vks_result check_outputs(struct vks_cli *cli)
{
    size_t streams = 0, nones = 0;
    for (size_t i = 0; i < cli->output_count; i++) {
        streams += cli->outputs[i].kind == VKS_OUT_STREAM;
        nones += cli->outputs[i].kind == VKS_OUT_NONE;
    }
    if (nones && nones < cli->output_count) {
        return vks_fail(VKS_ERROR_USAGE, "--out none and other outputs exclude each other");
    }
    cli->output_count = nones ? 1 : cli->output_count;
    return streams > 1 ? vks_fail(VKS_ERROR_USAGE, "--out - can be given only once") : VKS_OK;
}

enum vks_coded vks_outputs_coded(const struct vks_option *option)
{
    return option == VKS_CLI_ROW(coding.encoder) ? VKS_CODED_ENCODER
           : option == VKS_CLI_ROW(coding.crf)   ? VKS_CODED_CRF
           : option == VKS_CLI_ROW(coding.depth) ? VKS_CODED_DEPTH
                                                 : VKS_CODED;
}

/* Whether the files of an output support an option with that value. */
static bool supports(const char *path, enum vks_coded coded, const struct vks_coding *coding)
{
    const struct vks_format *format = NULL;
    if (coded != VKS_CODED_DEPTH) {
        return vks_format_has(path, VKS_FORMAT_ENCODED);
    }
    return vks_format_find(path, &format) == VKS_OK &&
           vks_format_planes(format, vks_coding_depth(coding)) != 0;
}

static void copy_coded(struct vks_coding *to, enum vks_coded coded, const struct vks_coding *from)
{
    to->given[coded] = true;
    to->encoder = coded == VKS_CODED_ENCODER ? from->encoder : to->encoder;
    to->crf = coded == VKS_CODED_CRF ? from->crf : to->crf;
    to->depth = coded == VKS_CODED_DEPTH ? from->depth : to->depth;
}

/* Gives an option before the first --out to the outputs that support it and have none of their own.
 * What no output takes goes to the first, which refuses it. */
static void share_common(struct vks_cli *cli, enum vks_coded coded)
{
    const struct vks_coding *common = &cli->coding;
    struct vks_coding *first = &cli->outputs[0].coding;
    bool taken = false;
    for (size_t i = 0; i < cli->output_count; i++) {
        struct vks_coding *own = &cli->outputs[i].coding;
        if (!own->given[coded] && supports(cli->outputs[i].path, coded, common)) {
            copy_coded(own, coded, common);
            taken = true;
        }
    }
    if (!taken && !first->given[coded]) {
        copy_coded(first, coded, common);
    }
}

/* The output that a --collage or --poster is for. A second one for another output is refused. */
static enum vks_result choose_output(const struct vks_cli *cli, const char *name, size_t *output,
                                     bool *chosen)
{
    const size_t last = cli->output_count ? cli->output_count - 1 : SIZE_MAX;
    if (*chosen && *output != last) {
        return vks_fail(VKS_ERROR_USAGE, "--%s can be given for one output only", name);
    }
    *output = last;
    *chosen = true;
    return VKS_OK;
}

/* The first output that a --poster before all outputs suits. */
static size_t first_video(const struct vks_cli *cli)
{
    for (size_t i = 0; i < cli->output_count; i++) {
        if (vks_format_has(cli->outputs[i].path, VKS_FORMAT_MOVES)) {
            return i;
        }
    }
    return 0;
}

enum vks_result vks_outputs_parse(struct vks_cli *cli)
{
    struct vks_coding common = {0};
    bool has_collage = false, has_poster = false;
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < cli->call->word_count && result == VKS_OK; i++) {
        const struct vks_word *word = &cli->call->words[i];
        const struct vks_option *option = word->option;
        struct vks_coding *coding =
            cli->output_count ? &cli->outputs[cli->output_count - 1].coding : &common;
        const enum vks_coded coded = vks_outputs_coded(option);
        if (option == VKS_CLI_ROW(last_out)) {
            result = add_output(cli, word->text);
        } else if (option == VKS_CLI_ROW(collage)) {
            result = choose_output(cli, option->name, &cli->collage_output, &has_collage);
        } else if (option == VKS_CLI_ROW(poster)) {
            result = choose_output(cli, option->name, &cli->poster_output, &has_poster);
        } else if (coded != VKS_CODED) {
            cli->coding = *coding;
            cli->coding.given[coded] = true;
            result = vks_option_set(option, cli, word->text);
            *coding = cli->coding;
        }
    }
    cli->coding = common;
    return result == VKS_OK ? check_outputs(cli) : result;
}

enum vks_result vks_outputs_complete(struct vks_cli *cli)
{
    enum vks_result result = VKS_OK;
    if (cli->output_count == 0) {
        cli->default_out = vks_format("%s.mp4", cli->settings.model->name);
        result = cli->default_out ? add_output(cli, cli->default_out) : vks_fail_memory();
    }
    if (result == VKS_OK) {
        for (enum vks_coded coded = 0; coded < VKS_CODED; coded++) {
            if (cli->coding.given[coded]) {
                share_common(cli, coded);
            }
        }
        cli->collage_output = cli->collage_output < cli->output_count ? cli->collage_output : 0;
        cli->poster_output =
            cli->poster_output < cli->output_count ? cli->poster_output : first_video(cli);
        cli->coding = cli->output_count == 1 ? cli->outputs[0].coding : cli->coding;
    }
    return result;
}

/* --- names ----------------------------------------------------------------------------------- */

/* NAME.png for NAME.mp4. */
static enum vks_result name_poster(const struct vks_cli *cli, char **poster)
{
    const char *out = cli->outputs[cli->poster_output].path;
    const char *slash = strrchr(out, '/');
    const char *dot = strrchr(slash ? slash + 1 : out, '.');
    if (!cli->headless || !dot || !vks_format_has(out, VKS_FORMAT_MOVES)) {
        return vks_fail(
            VKS_ERROR_USAGE,
            "--poster is only for a video in a file (NAME.png next to NAME.mp4), not for %s",
            cli->headless ? out : "a window");
    }
    *poster = vks_format("%.*s.png", (int)(dot - out), out);
    return *poster ? VKS_OK : vks_fail_memory();
}

enum vks_result vks_outputs_name(const struct vks_cli *cli, struct vks_outputs *outputs)
{
    enum vks_result result = VKS_OK;
    if (cli->poster) {
        result = name_poster(cli, &outputs->poster);
    }
    if (result == VKS_OK && cli->collage.width) {
        result = vks_collage_path(cli->outputs[cli->collage_output].path, &outputs->sheet);
    }
    return result;
}

bool vks_outputs_is_sheet(const struct vks_cli *cli, const struct vks_outputs *outputs,
                          size_t index)
{
    return outputs->sheet && index == cli->collage_output &&
           strcmp(outputs->sheet, cli->outputs[index].path) == 0;
}

/* --- opening --------------------------------------------------------------------------------- */

/* Sinks reject options that do not apply to them; a sheet and "none" have no sink. */
static enum vks_result check_no_sink(const struct vks_cli_output *output)
{
    const struct vks_coding *coding = &output->coding;
    if (coding->encoder != VKS_ENCODER_AUTO || coding->given[VKS_CODED_CRF]) {
        return vks_fail(VKS_ERROR_USAGE,
                        "'%s' does not support %s; only .mp4, .webm and .mkv files do",
                        output->path, coding->given[VKS_CODED_CRF] ? "--crf" : "--encoder");
    }
    if (vks_coding_depth(coding) != 0) {
        return vks_fail(VKS_ERROR_USAGE, "'%s' does not support --depth", output->path);
    }
    return VKS_OK;
}

/* Parses "A-B", or one level. */
static bool parse_levels(const char *text, uint64_t levels, struct vks_terrain *terrain)
{
    const char *end, *rest;
    const double first = vks_parse_real(text, &end);
    const double last = *end == '-' ? vks_parse_real(end + 1, &rest) : first;
    rest = *end == '-' ? rest : end;
    if (end == text || *rest || rest == end + 1 || first < 0 || last < first ||
        last >= (double)levels || first != floor(first) || last != floor(last)) {
        return false;
    }
    terrain->first_open = (uint32_t)first;
    terrain->last_open = (uint32_t)last;
    return true;
}

/* What the options say about the heights of an output. */
static enum vks_result terrain_of(const struct vks_cli *cli, const char *path, struct vks_size size,
                                  struct vks_terrain *terrain)
{
    const uint32_t shorter = size.width < size.height ? size.width : size.height;
    const bool is_solid = vks_has_extension(path, ".stl");
    *terrain = (struct vks_terrain){
        .heights = cli->heights,
        .erode = (uint32_t)cli->erode,
        .talus = (uint32_t)cli->talus,
        .levels = (uint32_t)cli->levels,
        .level_smooth = (uint32_t)cli->level_smooth,
        .cave_min = cli->cave_min,
        .size = cli->mesh_size,
        .relief = vks_option_is_set(VKS_CLI_ROW(relief), cli) ? cli->relief : 0.05 * shorter,
        .base = vks_option_is_set(VKS_CLI_ROW(mesh_base), cli) ? cli->mesh_base
                : is_solid                                     ? 2
                                                               : 0,
    };
    if (is_solid && terrain->base == 0) {
        return vks_fail(VKS_ERROR_USAGE, "'%s': a solid needs a --mesh-base over 0", path);
    }
    if (!cli->caves) {
        return VKS_OK;
    }
    terrain->caves = true;
    if (cli->levels == 0) {
        return vks_fail(VKS_ERROR_USAGE, "--caves needs --levels");
    }
    return parse_levels(cli->caves, cli->levels, terrain)
               ? VKS_OK
               : vks_fail(VKS_ERROR_USAGE,
                          "--caves '%s' is not A-B, levels from 0 to %" PRIu64
                          " such as 0-%" PRIu64,
                          cli->caves, cli->levels - 1, cli->levels / 2);
}

/* What files of fields and of particles hold, and the units of their places. */
static enum vks_result set_arrays(const struct vks_cli *cli, struct vks_sink_params *params)
{
    const struct vks_settings *settings = &cli->cells[0];
    const struct vks_size size = settings->common.size;
    struct vks_declaration steps = {0};
    enum vks_result result = VKS_OK;
    vks_settings_cells(settings, &params->cells);
    params->grid[0] = size.width;
    params->grid[1] = size.height;
    params->grid[2] = size.depth;
    uint32_t longest = size.width > size.height ? size.width : size.height;
    longest = size.depth > longest ? size.depth : longest;
    const bool unit_box = settings->model->unit_box;
    params->spacing = unit_box ? 1.0 / longest : 1;
    params->first_place = unit_box ? 0 : 0.5;
    if (vks_has_extension(params->path, ".vtp")) {
        vks_declare_steps(settings, &steps);
        vks_settings_items(settings, &steps, &params->items);
        result = steps.result != VKS_OK ? steps.result
                 : params->items.count == 0
                     ? vks_fail(VKS_ERROR_USAGE, "'%s': this run of %s has no particles to write",
                                params->path, settings->model->name)
                     : VKS_OK;
        vks_declaration_free(&steps);
    }
    return result;
}

/* The run that the outputs come from, as planned. */
static struct vks_origin origin_of(const struct vks_cli *cli, const struct vks_grid *grid,
                                   const char *scene)
{
    return (struct vks_origin){
        .scene = scene,
        .first_step = cli->first_step,
        .steps = cli->steps,
        .frames = cli->frames,
        .by_frames = vks_grid_common_steps(grid) == 0,
    };
}

/* The same of a run that has ended, perhaps early. */
static struct vks_origin origin_at_end(const struct vks_cli *cli, const struct vks_grid *grid,
                                       const char *scene, const struct vks_outcome *outcome)
{
    struct vks_origin origin = origin_of(cli, grid, scene);
    origin.steps = outcome->run.steps;
    origin.frames = outcome->run.frames + (cli->resumed ? cli->resumed->place.frames : 0);
    return origin;
}

/* A complete checkpoint has no parts of its outputs any more. */
static enum vks_result check_continued(const struct vks_cli *cli, const char *path)
{
    return cli->resumed && cli->resumed->complete && vks_resume_position(cli, path) &&
                   vks_format_has(path, VKS_FORMAT_JOINED)
               ? vks_fail(VKS_ERROR_FILE,
                          "'%s' is complete, and frames cannot be added to it; --out OTHER writes "
                          "those of a longer run to another file",
                          path)
               : VKS_OK;
}

static enum vks_result open_sink(const struct vks_cli *cli, const struct vks_grid *grid,
                                 const struct vks_cli_output *output, struct vks_outputs *outputs)
{
    const struct vks_size size = vks_grid_size(grid);
    struct vks_sink **sink = &outputs->sinks[outputs->sink_count];
    struct vks_terrain terrain;
    enum vks_result result = terrain_of(cli, output->path, size, &terrain);
    if (result == VKS_OK) {
        result = check_continued(cli, output->path);
    }
    if (result != VKS_OK) {
        return result;
    }
    const json_t *position = cli->dry_run ? NULL : vks_resume_position(cli, output->path);
    struct vks_sink_params params = {
        .path = output->path,
        .width = size.width,
        .height = size.height,
        .fps = vks_rate_from(cli->fps),
        .frames =
            cli->resumed && !position ? cli->frames - cli->resumed->place.frames : cli->frames,
        .overwrite = cli->overwrite,
        .continuable = cli->checkpoint && !cli->dry_run,
        .resume = position,
        .depth = vks_coding_depth(&output->coding),
        .encoder = (enum vks_encoder)output->coding.encoder,
        .has_crf = output->coding.given[VKS_CODED_CRF],
        .crf = (uint32_t)output->coding.crf,
        .value_planes = vks_look_value_planes(&cli->cells[0].common.look),
        .field = cli->cells[0].common.view->name,
        .terrain = terrain,
        .origin = origin_of(cli, grid, outputs->scene),
    };
    result = set_arrays(cli, &params);
    if (result == VKS_OK) {
        result = vks_sink_open(&params, sink);
    }
    if (result != VKS_OK) {
        return result;
    }
    outputs->sink_count++;
    const unsigned made = vks_plane_bit(VKS_PLANE_RGBA) | vks_plane_bit(VKS_PLANE_YUV);
    return cli->vary.count && (vks_sink_planes(*sink) & ~made)
               ? vks_fail(VKS_ERROR_USAGE,
                          "the cells of --vary share one picture with 8 bits per channel, which "
                          "'%s' cannot be made from",
                          output->path)
               : VKS_OK;
}

struct vks_collage_params vks_outputs_collage(const struct vks_cli *cli,
                                              const struct vks_grid *grid)
{
    const struct vks_size size = vks_grid_size(grid);
    return (struct vks_collage_params){
        .columns = cli->collage.width,
        .rows = cli->collage.height,
        .width = size.width,
        .height = size.height,
        .frames = cli->frames,
        .first_step = cli->first_step + cli->warmup,
        .steps_per_frame = vks_grid_common_steps(grid),
        .steps = cli->steps - cli->warmup,
        .overwrite = cli->overwrite,
    };
}

enum vks_result vks_outputs_open(const struct vks_cli *cli, const struct vks_grid *grid,
                                 struct vks_outputs *outputs)
{
    enum vks_result result = vks_scene_origin(cli, &cli->events, false, &outputs->scene);
    if (result == VKS_OK && outputs->sheet) {
        struct vks_collage_params params = vks_outputs_collage(cli, grid);
        params.path = outputs->sheet;
        result = vks_collage_open(&params, &outputs->collage);
    }
    for (size_t i = 0; i < cli->output_count && result == VKS_OK; i++) {
        const struct vks_cli_output *output = &cli->outputs[i];
        const bool is_sink = !vks_outputs_are_none(cli) && !vks_outputs_is_sheet(cli, outputs, i);
        result = is_sink ? open_sink(cli, grid, output, outputs) : check_no_sink(output);
    }
    return result;
}

enum vks_result vks_outputs_start(const struct vks_cli *cli, const struct vks_outputs *outputs)
{
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < outputs->sink_count && result == VKS_OK; i++) {
        if (!cli->dry_run || !vks_sink_is_stream(outputs->sinks[i])) {
            result = vks_sink_start(outputs->sinks[i]);
        }
    }
    return result;
}

bool vks_outputs_take_bands(const struct vks_cli *cli)
{
    bool take = !cli->collage.width && !cli->heights && !cli->caves;
    for (size_t i = 0; i < cli->output_count; i++) {
        take = take && (vks_outputs_are_none(cli) || vks_sink_takes_bands(cli->outputs[i].path));
    }
    return take;
}

unsigned vks_outputs_planes(const struct vks_cli *cli, const struct vks_outputs *outputs)
{
    const unsigned pictures = vks_plane_bit(VKS_PLANE_RGBA) | vks_plane_bit(VKS_PLANE_YUV) |
                              vks_plane_bit(VKS_PLANE_YUV10);
    unsigned planes = vks_outputs_take_bands(cli) ? VKS_VIEW_BANDS : 0U;
    for (size_t i = 0; i < outputs->sink_count; i++) {
        const unsigned taken = vks_sink_planes(outputs->sinks[i]);
        const bool opaque = !vks_format_has(vks_sink_name(outputs->sinks[i]), VKS_FORMAT_ALPHA) &&
                            (taken & pictures);
        planes |= taken | (opaque ? VKS_VIEW_OPAQUE : 0U);
    }
    return planes;
}

bool vks_outputs_need_all(const struct vks_cli *cli)
{
    bool all = cli->collage.width > 0;
    for (size_t i = 0; i < cli->output_count && !vks_outputs_are_none(cli); i++) {
        all = all || !vks_sink_shows_end(cli->outputs[i].path);
    }
    return all;
}

/* --- the end --------------------------------------------------------------------------------- */

static void print_written(const char *name, uint64_t frames, double seconds)
{
    vks_message(VKS_LOG_INFO, "wrote %s (%" PRIu64 " frame%s, %.1f s)", name, frames,
                frames == 1 ? "" : "s", seconds);
}

/* Completes the file of a sink and prints its name. A sink without a frame is left as it is; so is
 * a still of the last frame after a failure. */
static enum vks_result finish_sink(struct vks_sink **open, bool failed, struct vks_outcome *outcome)
{
    struct vks_sink *sink = *open;
    const uint64_t frames = vks_sink_frames(sink);
    if (frames == 0 || (failed && vks_sink_shows_end(vks_sink_name(sink)))) {
        return VKS_OK;
    }
    *open = NULL;
    const bool partial = failed || outcome->run.interrupted;
    enum vks_result result = partial ? vks_sink_keep_old(sink) : VKS_OK;
    if (result != VKS_OK) {
        vks_sink_abort(sink);
        return result;
    }
    const bool stream = vks_sink_is_stream(sink);
    char *name = vks_strdup(vks_sink_name(sink));
    const double begin = vks_seconds();
    vks_phase_begin(VKS_PHASE_ENCODE);
    result = vks_sink_finish(sink);
    vks_phase_end();
    outcome->ending += vks_seconds() - begin;
    if (result == VKS_INTERRUPTED) {
        vks_message(VKS_LOG_WARNING, "%s", vks_error_text());
        result = VKS_OK;
    } else if (result == VKS_OK && name && !stream) {
        print_written(name, frames, outcome->run.seconds + outcome->ending);
    }
    free(name);
    return result;
}

/* Completes the files of all sinks. Returns the first failure. */
static enum vks_result finish_sinks(struct vks_outputs *outputs, bool failed,
                                    struct vks_outcome *outcome)
{
    struct vks_error why = {0};
    for (size_t i = 0; i < outputs->sink_count; i++) {
        const enum vks_result finished = finish_sink(&outputs->sinks[i], failed, outcome);
        if (why.result == VKS_OK && finished != VKS_OK) {
            vks_error_keep(finished, &why);
        }
    }
    return why.result == VKS_OK ? VKS_OK : vks_fail_again(&why);
}

/* Replaces the name by that of a partial result. */
static enum vks_result keep_old(char **name)
{
    char *partial;
    const enum vks_result result = vks_partial_path(*name, &partial);
    if (result == VKS_OK) {
        free(*name);
        *name = partial;
    }
    return result;
}

static enum vks_result finish_collage(const struct vks_cli *cli, const struct vks_grid *grid,
                                      struct vks_outputs *outputs,
                                      const struct vks_outcome *outcome)
{
    char *scene;
    if (!outputs->collage || vks_collage_count(outputs->collage) == 0) {
        return VKS_OK;
    }
    enum vks_result result = outcome->run.interrupted ? keep_old(&outputs->sheet) : VKS_OK;
    if (result == VKS_OK) {
        result = vks_scene_origin(cli, &cli->events, true, &scene);
    }
    if (result == VKS_OK) {
        const struct vks_origin origin = origin_at_end(cli, grid, scene, outcome);
        result = vks_collage_write(outputs->collage, outputs->sheet, &origin);
        free(scene);
    }
    if (result == VKS_OK) {
        print_written(outputs->sheet, vks_collage_count(outputs->collage), outcome->run.seconds);
    }
    return result;
}

/* Writes the last picture, which is still on the GPU. */
static enum vks_result finish_poster(const struct vks_cli *cli, const struct vks_grid *grid,
                                     struct vks_outputs *outputs, const struct vks_outcome *outcome)
{
    const struct vks_size size = vks_grid_size(grid);
    if (!outputs->poster || outcome->ring.frames == 0) {
        return VKS_OK;
    }
    uint8_t *rgba = malloc((size_t)size.width * size.height * 4);
    enum vks_result result =
        rgba ? vks_graph_download_to(vks_grid_graph(grid), "picture", rgba) : vks_fail_memory();
    if (result == VKS_OK && outcome->run.interrupted) {
        result = keep_old(&outputs->poster);
    }
    if (result == VKS_OK) {
        const struct vks_origin origin = origin_at_end(cli, grid, outputs->scene, outcome);
        result =
            vks_write_png(outputs->poster, rgba, size.width, size.height, &origin, cli->overwrite);
    }
    if (result == VKS_OK) {
        vks_message(VKS_LOG_INFO, "wrote %s", outputs->poster);
    }
    free(rgba);
    return result;
}

enum vks_result vks_outputs_finish(const struct vks_cli *cli, const struct vks_grid *grid,
                                   struct vks_outputs *outputs, enum vks_result result,
                                   struct vks_outcome *outcome)
{
    struct vks_error why;
    if (outputs->waits) {
        for (size_t i = 0; i < outputs->sink_count; i++) {
            vks_sink_abort(outputs->sinks[i]);
            outputs->sinks[i] = NULL;
        }
        return result;
    }
    vks_error_keep(result, &why);
    enum vks_result finished = finish_sinks(outputs, result != VKS_OK, outcome);
    if (result != VKS_OK) {
        return vks_fail_again(&why);
    }
    if (finished == VKS_OK) {
        finished = finish_collage(cli, grid, outputs, outcome);
    }
    return finished == VKS_OK ? finish_poster(cli, grid, outputs, outcome) : finished;
}

void vks_outputs_close(struct vks_outputs *outputs)
{
    for (size_t i = 0; i < outputs->sink_count; i++) {
        vks_sink_abort(outputs->sinks[i]);
    }
    vks_collage_destroy(outputs->collage);
    free(outputs->sheet);
    free(outputs->poster);
    free(outputs->scene);
    *outputs = (struct vks_outputs){0};
}
