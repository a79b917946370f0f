/* SPDX-License-Identifier: MIT */
#include "tool/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option_json.h"
#include "base/file.h"
#include "api/model_check.h"
#include "view/colormap.h"
#include "frames/encoder.h"

static const char *const timings_forms[] = {"table", "json", NULL};
static const char *const depths[] = {"8", "16", NULL};
static const char *const validations[] = {"core", "sync", "gpu", NULL};

/* clang-format off: a row an option */
#define AT(member) offsetof(struct vks_cli, member)
static const struct vks_option rows[] = {
    {.name = "headless",
     .type = VKS_OPTION_FLAG,
     .offset = AT(headless),
     .help = "render to a file instead of a window"},
    {.name = "frames",
     .type = VKS_OPTION_COUNT,
     .offset = AT(frames),
     .least = 1,
     .most = 1e9,
     .standard = "500",
     .unit = "",
     .help = "frames to make, the first of which shows the start; a window stays open until it is "
             "closed, unless this or --steps is given"},
    {.name = "steps",
     .type = VKS_OPTION_COUNT,
     .offset = AT(steps),
     .least = 0,
     .most = 1e15,
     .unit = "",
     .help = "steps to run, instead of --frames: there is a frame of the start and one after every "
             "--steps-per-frame steps"},
    {.name = "preset",
     .type = VKS_OPTION_TEXT,
     .offset = AT(preset),
     .argument = "NAME",
     .help = "a named look (see --list): sets every option but size and seed; options given "
             "beside it win"},
    {.name = "scene",
     .type = VKS_OPTION_TEXT,
     .offset = AT(scene),
     .argument = "FILE.json",
     .help = "take options from a file; options given beside it win"},
    {.name = "save-scene",
     .type = VKS_OPTION_TEXT,
     .offset = AT(save_scene),
     .argument = "FILE.json",
     .help = "write a scene file that repeats this run exactly"},
    {.name = "out",
     .type = VKS_OPTION_TEXT,
     .offset = AT(out),
     .argument = "PATH",
     .help =
         "where --headless writes: a video (.mp4, .webm, .mkv, .gif, .y4m), a still of the last "
         "frame (.png), the field's numbers of all frames (.npy), - for y4m on standard output, "
         "or none; .png and .npy with %05d in the name: a numbered file a frame; default: "
         "SIMULATION.mp4"},
    {.name = "encoder",
     .type = VKS_OPTION_CHOICE,
     .offset = AT(encoder),
     .choices = vks_encoder_names,
     .standard = "auto",
     .argument = "NAME",
     .help = "how .mp4, .webm and .mkv are compressed; auto: vp9 for .webm, else h264"},
    {.name = "crf",
     .type = VKS_OPTION_COUNT,
     .offset = AT(crf),
     .least = 0,
     .most = 63,
     .unit = "",
     .help = "quality of .mp4, .webm and .mkv: less is better and larger; default: hardly any loss "
             "(16 for h264 and h265, 28 for vp9, 22 for av1)"},
    {.name = "depth",
     .type = VKS_OPTION_CHOICE,
     .offset = AT(depth),
     .choices = depths,
     .standard = "8",
     .argument = "BITS",
     .help = "bits a channel of .png files"},
    {.name = "poster",
     .type = VKS_OPTION_FLAG,
     .offset = AT(poster),
     .help = "write the last frame beside a video, as NAME.png for NAME.mp4"},
    {.name = "vary",
     .type = VKS_OPTION_TEXT,
     .offset = AT(vary_across),
     .argument = "OPTION=VALUES",
     .help = "several runs or looks side by side, one a value, with captions: preset=silk,net or "
             "any option of the simulation or look; VALUES are parted by commas (or semicolons), "
             "or LOW..HIGH spread over --grid, or the word all: every name there is"},
    {.name = "vary-rows",
     .type = VKS_OPTION_TEXT,
     .offset = AT(vary_down),
     .argument = "OPTION=VALUES",
     .help = "a second option, that varies from row to row; --vary then goes along the columns"},
    {.name = "grid",
     .type = VKS_OPTION_SIZE,
     .offset = AT(grid),
     .least = 1,
     .most = VKS_MAX_CELLS,
     .argument = "COLSxROWS",
     .help = "how --vary's cells are laid out; default: near to a square"},
    {.name = "collage",
     .type = VKS_OPTION_SIZE,
     .offset = AT(collage),
     .least = 1,
     .most = 1000,
     .argument = "COLSxROWS",
     .help = "a contact sheet of so many frames, evenly spread from the first to the last: --out "
             "NAME.png itself, or beside a video NAME-sheet.png"},
    {.name = "overwrite",
     .type = VKS_OPTION_FLAG,
     .offset = AT(overwrite),
     .help = "replace existing output, state and scene files"},
    {.name = "fps",
     .type = VKS_OPTION_COUNT,
     .offset = AT(fps),
     .least = 1,
     .most = 1000,
     .standard = "60",
     .unit = "frames/s",
     .help = "speed of the video file"},
    {.name = "load-state",
     .type = VKS_OPTION_TEXT,
     .offset = AT(load_state),
     .argument = "FILE.npz",
     .help = "start from a state file, or from arrays made in NumPy"},
    {.name = "save-state",
     .type = VKS_OPTION_TEXT,
     .offset = AT(save_state),
     .argument = "FILE.npz",
     .help = "write the state after the last step"},
    {.name = "watch",
     .type = VKS_OPTION_TEXT,
     .offset = AT(watch),
     .argument = "FILE",
     .help = "write the simulation's scalars (means, extremes) of every frame: FILE.csv with one "
             "row per frame, or FILE.json with an array of objects"},
    {.name = "device",
     .type = VKS_OPTION_TEXT,
     .offset = AT(device),
     .argument = "SEL",
     .help = "GPU to use: index, part of its name, or UUID; default: VKSIM_DEVICE, else the best"},
    {.name = "list-devices",
     .type = VKS_OPTION_FLAG,
     .offset = AT(list_devices),
     .help = "list the Vulkan devices with what they lack for vksim and the optional features "
             "that they offer, and exit"},
    {.name = "list",
     .type = VKS_OPTION_FLAG,
     .offset = AT(list),
     .help = "show simulations, starts, views, presets and colour maps, and exit"},
    {.name = "digest",
     .type = VKS_OPTION_FLAG,
     .offset = AT(digest),
     .help = "print the XXH3-128 digest of the final state and that of all frames written; equal "
             "runs have equal digests"},
    {.name = "timings",
     .type = VKS_OPTION_CHOICE,
     .offset = AT(timings),
     .choices = timings_forms,
     .implied = "table",
     .argument = "FORM",
     .help = "print the time of every pass on the GPU"},
    {.name = "validate",
     .type = VKS_OPTION_CHOICE,
     .offset = AT(validate),
     .choices = validations,
     .implied = "core",
     .argument = "KIND",
     .help = "run under the Vulkan validation layers; any message makes the exit code 6"},
    {.name = "quiet", .type = VKS_OPTION_FLAG, .offset = AT(quiet), .help = "print errors only"},
    {.name = "verbose",
     .type = VKS_OPTION_FLAG,
     .offset = AT(verbose),
     .help = "print more about the device, caches and files"},
    {.name = "version",
     .type = VKS_OPTION_FLAG,
     .offset = AT(version),
     .help = "print the version and exit"},
    {.name = "help",
     .type = VKS_OPTION_FLAG,
     .offset = AT(help),
     .help = "print this, or with a simulation's name its options, and exit"},
};
#undef AT
/* clang-format on */

const struct vks_option_table vks_cli_options = {rows, VKS_COUNT(rows)};

/* --- looking options up ---------------------------------------------------------------------- */

/* The row for a name in the tool's table or the simulation's, and where its value lives. */
static const struct vks_option *find(struct vks_cli *cli, const char *name, void **structure)
{
    const struct vks_option *option = vks_option_find(vks_cli_options, name);
    *structure = cli;
    return option ? option : vks_settings_option(&cli->settings, name, structure);
}

static const char *next_name(void *user, size_t index)
{
    const struct vks_cli *cli = user;
    const struct vks_option_table tables[] = {vks_cli_options, vks_common_options,
                                              cli->settings.model->options};
    for (size_t i = 0; i < VKS_COUNT(tables); i++) {
        if (index < tables[i].count) {
            return tables[i].options[index].name;
        }
        index -= tables[i].count;
    }
    return NULL;
}

static enum vks_result unknown_option(struct vks_cli *cli, const char *given)
{
    const char *near = vks_nearest(given, next_name, cli);
    return vks_fail(VKS_ERROR_USAGE, "unknown option '--%s'%s%s%s; see vksim --help", given,
                    near ? " (did you mean '--" : "", near ? near : "", near ? "'?)" : "");
}

/* --- the command line ------------------------------------------------------------------------ */

/* One argument taken apart: `--name=value`, `--name value`, or a bare word. */
struct argument {
    char name[64];     /* "" for a bare word */
    const char *value; /* NULL: none given */
};

/* Splits argv[*at] and moves *at past it and a value that stands apart. */
static enum vks_result next_argument(struct vks_cli *cli, int argc, char **argv, int *at,
                                     struct argument *argument)
{
    const char *word = argv[(*at)++];
    void *structure;
    *argument = (struct argument){.value = word};
    if (strcmp(word, "-h") == 0) {
        word = "--help";
    }
    if (word[0] != '-' || word[1] == '\0') {
        return VKS_OK;
    }
    if (word[1] != '-' || word[2] == '\0') {
        return vks_fail(VKS_ERROR_USAGE, "unknown option '%s'; options begin with two dashes",
                        word);
    }
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word - 2) : strlen(word + 2);
    if (length >= sizeof(argument->name)) {
        return vks_fail(VKS_ERROR_USAGE, "unknown option '%.80s...'; see vksim --help", word);
    }
    memcpy(argument->name, word + 2, length);
    argument->name[length] = '\0';
    argument->value = equals ? equals + 1 : NULL;
    const struct vks_option *option = find(cli, argument->name, &structure);
    if (!option) {
        return unknown_option(cli, argument->name);
    }
    if (equals) {
        return VKS_OK;
    }
    if (option->type == VKS_OPTION_FLAG) {
        argument->value = "true";
    } else if (option->implied) {
        argument->value = option->implied;
    } else if (*at < argc) {
        argument->value = argv[(*at)++];
    } else {
        return vks_fail(VKS_ERROR_USAGE, "--%s needs a value: %s", option->name, option->help);
    }
    return VKS_OK;
}

static enum vks_result set_own(struct vks_cli *cli, const struct argument *argument)
{
    const struct vks_option *option = vks_option_find(vks_cli_options, argument->name);
    enum vks_result result = vks_option_set(option, cli, argument->value);
    cli->timings_asked = cli->timings_asked || strcmp(argument->name, "timings") == 0;
    cli->validate_asked = cli->validate_asked || strcmp(argument->name, "validate") == 0;
    cli->crf_given = cli->crf_given || strcmp(argument->name, "crf") == 0;
    if (strcmp(argument->name, "frames") == 0 || strcmp(argument->name, "steps") == 0) {
        bool frames = argument->name[0] == 'f';
        cli->frames_given = cli->frames_given || frames;
        cli->steps_given = cli->steps_given || !frames;
        if (cli->frames_given && cli->steps_given) {
            return vks_fail(VKS_ERROR_USAGE, "--steps and --frames exclude each other: the frames "
                                             "follow from the steps");
        }
    }
    return result;
}

/* First round: the simulation's name and the tool's own options. */
static enum vks_result parse_own(struct vks_cli *cli, int argc, char **argv)
{
    for (int at = 1; at < argc;) {
        struct argument argument;
        enum vks_result result = next_argument(cli, argc, argv, &at, &argument);
        if (result == VKS_OK && argument.name[0] == '\0') {
            if (cli->model_name) {
                return vks_fail(VKS_ERROR_USAGE,
                                "'%s' is one word too many after '%s'; options "
                                "begin with two dashes",
                                argument.value, cli->model_name);
            }
            cli->model_name = vks_strdup(argument.value);
            result = cli->model_name ? VKS_OK : vks_fail_memory();
        } else if (result == VKS_OK && vks_option_find(vks_cli_options, argument.name)) {
            result = set_own(cli, &argument);
        }
        if (result != VKS_OK) {
            return result;
        }
    }
    return VKS_OK;
}

/* Last round: the simulation's options, over everything else. */
static enum vks_result parse_settings(struct vks_cli *cli, int argc, char **argv,
                                      struct vks_settings *settings)
{
    for (int at = 1; at < argc;) {
        struct argument argument;
        enum vks_result result = next_argument(cli, argc, argv, &at, &argument);
        if (result == VKS_OK && argument.name[0] &&
            !vks_option_find(vks_cli_options, argument.name)) {
            result = vks_settings_set(settings, argument.name, argument.value);
            if (json_object_set_new(cli->given, argument.name, json_true()) != 0) {
                result = vks_fail_memory();
            }
        }
        if (result != VKS_OK) {
            return result;
        }
    }
    return VKS_OK;
}

/* The simulation's name must be known before its options can be read: the first bare word, which
 * no option has taken as its value. Options of all simulations are known by then. */
static const struct vks_model *guess_model(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        for (size_t m = 0; vks_model_at(m); m++) {
            if (strcmp(argv[i], vks_model_at(m)->name) == 0) {
                return vks_model_at(m);
            }
        }
    }
    return vks_model_at(0);
}

/* --- scenes ---------------------------------------------------------------------------------- */

static const char *const scene_keys[] = {"simulation", "preset", "vksim",      "frames",
                                         "steps",      "fps",    "load-state", "vary",
                                         "vary-rows",  "grid",   "collage",    NULL};

static enum vks_result load_scene(const char *path, json_t **scene)
{
    char *text;
    size_t size;
    json_error_t error;
    enum vks_result result = vks_read_file(path, (size_t)1 << 24, &text, &size);
    if (result != VKS_OK) {
        return result;
    }
    *scene = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    free(text);
    if (!*scene) {
        return vks_fail(VKS_ERROR_USAGE, "'%s' is no scene file: line %d: %s", path, error.line,
                        error.text);
    }
    if (!json_is_object(*scene)) {
        json_decref(*scene);
        *scene = NULL;
        return vks_fail(VKS_ERROR_USAGE, "'%s' is no scene file: it must hold one JSON object",
                        path);
    }
    return VKS_OK;
}

/* The three belong together: one of them on the command line, and the scene's do not count. */
static enum vks_result scene_vary(struct vks_cli *cli, const json_t *scene)
{
    static const char *const names[] = {"vary", "vary-rows", "grid"};
    enum vks_result result = VKS_OK;
    if (cli->vary_across || cli->vary_down || cli->grid.width) {
        return VKS_OK;
    }
    for (size_t i = 0; i < VKS_COUNT(names) && result == VKS_OK; i++) {
        const json_t *value = json_object_get(scene, names[i]);
        if (value) {
            cli->vary_of_scene = true;
            result = vks_option_from_json(vks_option_find(vks_cli_options, names[i]), cli, value,
                                          cli->scene);
        }
    }
    return result;
}

/* The tool's own options of a scene; those of the command line win. */
static enum vks_result scene_own(struct vks_cli *cli, const json_t *scene)
{
    const json_t *frames = json_object_get(scene, "frames");
    const json_t *steps = json_object_get(scene, "steps");
    const json_t *fps = json_object_get(scene, "fps");
    const json_t *load = json_object_get(scene, "load-state");
    const json_t *collage = json_object_get(scene, "collage");
    bool counted = cli->frames_given || cli->steps_given;
    enum vks_result result = VKS_OK;
    if (frames && steps) {
        return vks_fail(VKS_ERROR_USAGE,
                        "'%s' has both \"steps\" and \"frames\"; one of them "
                        "follows from the other",
                        cli->scene);
    }
    if (frames && !counted) {
        cli->frames_given = true;
        result = vks_option_from_json(vks_option_find(vks_cli_options, "frames"), cli, frames,
                                      cli->scene);
    }
    if (result == VKS_OK && steps && !counted) {
        cli->steps_given = true;
        result =
            vks_option_from_json(vks_option_find(vks_cli_options, "steps"), cli, steps, cli->scene);
    }
    if (result == VKS_OK && fps && cli->fps == 0) {
        result =
            vks_option_from_json(vks_option_find(vks_cli_options, "fps"), cli, fps, cli->scene);
    }
    if (result == VKS_OK && load && !cli->load_state) {
        result = vks_option_from_json(vks_option_find(vks_cli_options, "load-state"), cli, load,
                                      cli->scene);
    }
    /* A scene may be looked at in a window, which has no collage, or run without any output. */
    const bool written = cli->headless && !(cli->out && strcmp(cli->out, "none") == 0);
    if (result == VKS_OK && collage && !cli->collage.width && written) {
        result = vks_option_from_json(vks_option_find(vks_cli_options, "collage"), cli, collage,
                                      cli->scene);
    }
    return result == VKS_OK ? scene_vary(cli, scene) : result;
}

/* A string of the scene or NULL; *result fails when it is something else. */
static const char *scene_text(const struct vks_cli *cli, const json_t *scene, const char *key,
                              enum vks_result *result)
{
    const json_t *value = json_object_get(scene, key);
    if (value && !json_is_string(value)) {
        *result = vks_fail(VKS_ERROR_USAGE, "'%s': \"%s\" must be a string", cli->scene, key);
    }
    return value ? json_string_value(value) : NULL;
}

static enum vks_result choose_model(struct vks_cli *cli, const json_t *scene)
{
    enum vks_result result = VKS_OK;
    const char *name = cli->model_name;
    const char *scened = scene ? scene_text(cli, scene, "simulation", &result) : NULL;
    if (result != VKS_OK) {
        return result;
    }
    if (!name) {
        name = scened;
    }
    if (!name) {
        name = vks_state_file_model(&cli->state);
    }
    const struct vks_model *model = vks_model_find(name ? name : vks_model_at(0)->name);
    if (!model && !cli->model_name && !scened) {
        return vks_fail(VKS_ERROR_FILE,
                        "'%s' holds a state of '%s', which is no simulation of "
                        "this vksim",
                        cli->load_state, name);
    }
    if (!model) {
        return VKS_ERROR_USAGE;
    }
    if (scened && strcmp(scened, model->name) != 0) {
        return vks_fail(VKS_ERROR_USAGE, "'%s' is a scene of %s, not of %s", cli->scene, scened,
                        model->name);
    }
    const char *held = vks_state_file_model(&cli->state);
    if (held && strcmp(held, model->name) != 0) {
        return vks_fail(VKS_ERROR_FILE, "'%s' holds a state of %s, not of %s", cli->load_state,
                        held, model->name);
    }
    vks_settings_free(&cli->settings);
    return vks_settings_init(&cli->settings, model);
}

/* Defaults, state file, scene, preset: all that the command line's own options win over. */
static enum vks_result gather(struct vks_cli *cli, const json_t *scene)
{
    enum vks_result result = scene ? scene_own(cli, scene) : VKS_OK;
    if (result == VKS_OK && cli->load_state) {
        result = vks_state_file_open(&cli->state, cli->load_state, NULL);
    }
    if (result == VKS_OK) {
        result = choose_model(cli, scene);
    }
    if (result == VKS_OK && cli->load_state) {
        result = vks_state_file_apply(&cli->state, &cli->settings);
    }
    if (result == VKS_OK && scene) {
        const char *preset = scene_text(cli, scene, "preset", &result);
        if (result == VKS_OK && preset) {
            result = vks_settings_preset(&cli->settings, preset);
        }
        if (result == VKS_OK) {
            result = vks_settings_from_json(&cli->settings, scene, scene_keys, cli->scene);
        }
    }
    if (result == VKS_OK && cli->preset) {
        result = vks_settings_preset(&cli->settings, cli->preset);
    }
    if (result == VKS_OK && cli->load_state) {
        result = vks_state_file_shape(&cli->state, &cli->settings);
    }
    return result;
}

/* --- cells ----------------------------------------------------------------------------------- */

struct command_line {
    struct vks_cli *cli;
    int argc;
    char **argv;
    const json_t *scene; /* NULL: none */
};

/* What wins over a cell's preset: the command line's options, and those of a scene that varies
 * presets itself. */
static enum vks_result win_over_preset(void *user, struct vks_settings *cell)
{
    const struct command_line *line = user;
    struct vks_cli *cli = line->cli;
    enum vks_result result = VKS_OK;
    if (cli->vary_of_scene) {
        result = vks_settings_from_json(cell, line->scene, scene_keys, cli->scene);
    }
    if (result == VKS_OK && cli->load_state) {
        result = vks_state_file_shape(&cli->state, cell);
    }
    return result == VKS_OK ? parse_settings(cli, line->argc, line->argv, cell) : result;
}

/* What is varied cannot be given as well. */
static enum vks_result check_axis(const struct vks_cli *cli, const struct vks_axis *axis,
                                  const char *flag)
{
    const bool given = vks_axis_is_preset(axis) ? cli->preset != NULL
                       : axis->count            ? json_object_get(cli->given, axis->option) != NULL
                                                : false;
    return given ? vks_fail(VKS_ERROR_USAGE, "--%s and %s %s exclude each other", axis->option,
                            flag, axis->option)
                 : VKS_OK;
}

static enum vks_result make_cells(struct command_line *line)
{
    struct vks_cli *cli = line->cli;
    struct vks_vary *vary = &cli->vary;
    enum vks_result result =
        vks_vary_parse(vary, &cli->settings, cli->grid, cli->vary_across, cli->vary_down);
    if (result == VKS_OK) {
        result = check_axis(cli, &vary->across, "--vary");
    }
    if (result == VKS_OK) {
        result = check_axis(cli, &vary->down, "--vary-rows");
    }
    if (result == VKS_OK && vary->count) {
        result = vks_vary_cells(vary, &cli->settings, win_over_preset, line, &cli->cells);
    } else {
        cli->cells = &cli->settings;
    }
    return result;
}

/* Steps from --frames or frames from --steps. */
static enum vks_result count_frames(struct vks_cli *cli)
{
    uint64_t per_frame = cli->settings.common.steps_per_frame;
    for (size_t i = 0; i < cli->vary.count; i++) {
        const uint64_t own = cli->cells[i].common.steps_per_frame;
        if (cli->steps_given && own != cli->cells[0].common.steps_per_frame) {
            return vks_fail(VKS_ERROR_USAGE,
                            "--steps does not tell the number of frames, for the cells differ in "
                            "their steps from frame to frame; give --frames or --steps-per-frame");
        }
        per_frame = i == 0 || own > per_frame ? own : per_frame;
    }
    if (cli->steps_given) {
        cli->frames = cli->steps / per_frame + 1;
    } else if (!vks_multiply(cli->frames - 1, per_frame, &cli->steps) ||
               cli->steps > 1000000000000000) {
        return vks_fail(VKS_ERROR_USAGE, "--frames x --steps-per-frame is over 1e15 steps");
    }
    return VKS_OK;
}

enum vks_result vks_cli_parse(struct vks_cli *cli, int argc, char **argv)
{
    *cli = (struct vks_cli){0};
    enum vks_result result = vks_models_check(vks_cli_options);
    if (result == VKS_OK) {
        result = vks_options_reset(vks_cli_options, cli);
    }
    cli->fps = 0; /* unset, so that a scene's counts */
    cli->given = json_object();
    if (result == VKS_OK) {
        result = cli->given ? vks_settings_init(&cli->settings, guess_model(argc, argv))
                            : vks_fail_memory();
    }
    if (result == VKS_OK) {
        result = parse_own(cli, argc, argv);
    }
    if (result != VKS_OK || cli->version || cli->list || cli->list_devices) {
        return result;
    }
    if (cli->help) { /* a simulation's name beside it must be right */
        return cli->model_name && !vks_model_find(cli->model_name) ? VKS_ERROR_USAGE : VKS_OK;
    }
    json_t *scene = NULL;
    if (cli->scene) {
        result = load_scene(cli->scene, &scene);
    }
    if (result == VKS_OK) {
        result = gather(cli, scene);
    }
    if (result == VKS_OK) {
        result = parse_settings(cli, argc, argv, &cli->settings);
    }
    cli->settings.watch = cli->watch != NULL;
    if (result == VKS_OK) {
        result = make_cells(&(struct command_line){cli, argc, argv, scene});
    }
    if (result == VKS_OK && cli->vary_of_scene && json_object_update(cli->given, scene) != 0) {
        result = vks_fail_memory();
    }
    json_decref(scene);
    if (result == VKS_OK && cli->vary.count == 0) {
        result = vks_settings_finish(&cli->settings);
    }
    if (cli->fps == 0) {
        cli->fps = 60;
    }
    return result == VKS_OK ? count_frames(cli) : result;
}

void vks_cli_free(struct vks_cli *cli)
{
    vks_state_file_close(&cli->state);
    vks_settings_free(&cli->settings);
    if (cli->cells != &cli->settings) {
        for (size_t i = 0; cli->cells && i < cli->vary.count; i++) {
            vks_settings_free(&cli->cells[i]);
        }
        free(cli->cells);
    }
    cli->cells = NULL;
    vks_vary_free(&cli->vary);
    json_decref(cli->given);
    cli->given = NULL;
    vks_options_free(vks_cli_options, cli);
    free(cli->model_name);
    cli->model_name = NULL;
}

/* --- help and lists -------------------------------------------------------------------------- */

static bool print_options(const char *title, struct vks_option_table table)
{
    char *text = vks_options_help(table, 100);
    if (text) {
        printf("\n%s\n%s", title, text);
    }
    free(text);
    return text != NULL;
}

bool vks_cli_help(const struct vks_model *model)
{
    char list[512];
    if (model) {
        printf("vksim %s: %s\n\nUsage: vksim %s [OPTIONS]\n", model->name, model->summary,
               model->name);
        printf("\nStarts (--init): %s%s\n", vks_join(vks_model_starts(model), list, sizeof(list)),
               model->starts_from_image ? ", image:FILE" : "");
        const struct vks_preset *presets = vks_model_presets(model);
        printf("Views (--view):\n");
        for (size_t i = 0; model->views[i].name; i++) {
            printf("  %-25s %s%s\n", model->views[i].name, model->views[i].help,
                   i == 0 ? " (default)" : "");
        }
        printf("Presets (--preset):\n");
        for (size_t i = 0; presets[i].name; i++) {
            printf("  %-25s %s\n", presets[i].name, presets[i].summary);
        }
        return print_options("Options of this simulation (the defaults hold where the preset sets "
                             "nothing else):",
                             model->options) &&
               printf("\nvksim --help shows the options that every simulation has (size, seed, "
                      "colours) and those of\nthe tool.\n") > 0;
    }
    printf("vksim %s: simulations on Vulkan compute, the same bytes on every driver\n\n"
           "Usage: vksim [SIMULATION] [OPTIONS]\n\nSimulations:\n",
           VKS_VERSION);
    for (size_t i = 0; vks_model_at(i); i++) {
        printf("  %-25s %s%s\n", vks_model_at(i)->name, vks_model_at(i)->summary,
               i == 0 ? " (default)" : "");
    }
    return print_options("Options of the tool:", vks_cli_options) &&
           print_options("Options of every simulation:", vks_common_options) &&
           printf("\nvksim SIMULATION --help shows the options of a simulation; vksim --list its "
                  "presets.\n"
                  "Window: space pause, . pause and step, R reset, N next seed, S picture, F full "
                  "screen, "
                  "Q quit.\n"
                  "Exit codes: 0 done, 2 usage, 3 no suitable device or display, 4 file, 5 GPU "
                  "failure,\n6 validation messages, 7 the simulation ended the run, 130 "
                  "interrupted.\n") > 0;
}

/* Whether escapes of 24-bit colours, and half blocks in UTF-8, may be written to stdout. */
static bool shows_colours(bool *half_blocks)
{
    const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"}; /* the first that is set counts */
    const char *locale = NULL, *colours = getenv("COLORTERM"), *none = getenv("NO_COLOR");
    for (size_t i = 0; i < VKS_COUNT(names) && !(locale && locale[0]); i++) {
        locale = getenv(names[i]);
    }
    *half_blocks = locale && (strstr(locale, "UTF-8") || strstr(locale, "utf8"));
    return isatty(STDOUT_FILENO) && !(none && none[0]) && colours &&
           (strcmp(colours, "truecolor") == 0 || strcmp(colours, "24bit") == 0);
}

static void print_swatch(const char *name, bool half_blocks)
{
    enum { CELLS = 56 };
    struct vks_colormap map;
    if (vks_colormap_load(name, &map) != VKS_OK) {
        return;
    }
    const int samples = half_blocks ? 2 * CELLS : CELLS;
    printf("    %-11s ", name);
    for (int i = 0; i < samples; i++) {
        const uint32_t colour = map.entries[(2 * i + 1) * 128 / samples];
        /* The first of two is the letter's, the left half; the second its background. */
        const bool left = half_blocks && i % 2 == 0;
        printf("\x1b[%d;2;%u;%u;%um%s", left ? 38 : 48, colour & 0xff, colour >> 8 & 0xff,
               colour >> 16 & 0xff,
               left          ? ""
               : half_blocks ? "\xe2\x96\x8c"
                             : " ");
    }
    printf("\x1b[0m\n");
}

static void list_colormaps(void)
{
    bool half_blocks;
    const bool colours = shows_colours(&half_blocks);
    printf("colour maps (NAME_r is NAME the other way round):\n");
    for (unsigned group = 0; group < VKS_COLORMAP_GROUPS; group++) {
        int column = printf("  %-11s", vks_colormap_group_names[group]);
        if (colours) {
            printf("\n");
        }
        for (size_t i = 0; vks_colormap_names[i]; i++) {
            const char *name = vks_colormap_names[i];
            if (vks_colormap_group(i) != group) {
                continue;
            }
            if (colours) {
                print_swatch(name, half_blocks);
                continue;
            }
            if (column + 1 + (int)strlen(name) > 100) {
                column = printf("\n%13s", "") - 1;
            }
            column += printf(" %s", name);
        }
        if (!colours) {
            printf("\n");
        }
    }
}

void vks_cli_list(void)
{
    char list[512];
    for (size_t i = 0; vks_model_at(i); i++) {
        const struct vks_model *model = vks_model_at(i);
        const struct vks_preset *presets = vks_model_presets(model);
        printf("%s: %s\n  starts: %s%s\n  views:\n", model->name, model->summary,
               vks_join(vks_model_starts(model), list, sizeof(list)),
               model->starts_from_image ? ", image:FILE" : "");
        for (size_t j = 0; model->views[j].name; j++) {
            printf("    %-25s %s%s\n", model->views[j].name, model->views[j].help,
                   j == 0 ? " (default)" : "");
        }
        printf("  presets:\n");
        for (size_t j = 0; presets[j].name; j++) {
            printf("    %-25s %s\n", presets[j].name, presets[j].summary);
        }
    }
    list_colormaps();
}

/* --- --save-scene ---------------------------------------------------------------------------- */

/* --vary and its kin. What a varied preset sets must not be in the scene, where it would win. */
static enum vks_result save_vary(const struct vks_cli *cli, json_t *scene)
{
    static const char *const names[] = {"vary", "vary-rows", "grid", "collage"};
    const bool presets =
        vks_axis_is_preset(&cli->vary.across) || vks_axis_is_preset(&cli->vary.down);
    const char *name;
    json_t *value;
    void *next;
    json_object_foreach_safe(scene, next, name, value)
    {
        const bool kept = strcmp(name, "size") == 0 || strcmp(name, "seed") == 0;
        if (presets && !kept && !json_object_get(cli->given, name)) {
            json_object_del(scene, name);
        }
    }
    for (size_t i = 0; i < VKS_COUNT(names); i++) {
        char text[4096];
        const struct vks_option *option = vks_option_find(vks_cli_options, names[i]);
        if (vks_option_is_set(option, cli) &&
            json_object_set_new(scene, names[i],
                                json_string(vks_option_get(option, cli, text, sizeof(text)))) !=
                0) {
            return vks_fail(VKS_ERROR_FILE, "--%s cannot be written as JSON: it must be UTF-8",
                            names[i]);
        }
    }
    return VKS_OK;
}

enum vks_result vks_cli_save_scene(const struct vks_cli *cli)
{
    json_t *scene = json_object();
    char *text = NULL;
    enum vks_result result =
        scene ? vks_settings_to_json(&cli->settings, scene) : vks_fail_memory();
    if (result == VKS_OK) {
        result = save_vary(cli, scene);
    }
    if (result == VKS_OK &&
        (json_object_set_new(scene, "simulation", json_string(cli->settings.model->name)) != 0 ||
         json_object_set_new(scene, "vksim", json_string(VKS_VERSION)) != 0 ||
         json_object_set_new(scene, "fps", json_integer((json_int_t)cli->fps)) != 0 ||
         json_object_set_new(
             scene, cli->steps_given ? "steps" : "frames",
             json_integer((json_int_t)(cli->steps_given ? cli->steps : cli->frames))) != 0 ||
         (cli->load_state &&
          json_object_set_new(scene, "load-state", json_string(cli->load_state)) != 0))) {
        result = vks_fail(VKS_ERROR_FILE, "the scene cannot be written as JSON");
    }
    if (result == VKS_OK) {
        text = json_dumps(scene, JSON_INDENT(2) | JSON_SORT_KEYS | JSON_ENSURE_ASCII);
        result =
            text ? vks_write_file(cli->save_scene, true, text, strlen(text)) : vks_fail_memory();
    }
    free(text);
    json_decref(scene);
    return result;
}
