/* SPDX-License-Identifier: MIT */
/* The tool's own options, and which of them were given. */
#include <string.h>

#include "base/memory.h"
#include "frames/encoder.h"
#include "tool/cli.h"

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
     .min = 1,
     .max = 1e9,
     .default_text = "500",
     .unit = "",
     .help = "frames to make, the first of which shows the start; a window stays open until it is "
             "closed, unless this or --steps is given",
     .flags = VKS_OPTION_IN_SCENE},
    {.name = "steps",
     .type = VKS_OPTION_COUNT,
     .offset = AT(steps),
     .min = 0,
     .max = 1e15,
     .unit = "",
     .help = "steps to run, instead of --frames: there is a frame of the start and one after every "
             "--steps-per-frame steps",
     .flags = VKS_OPTION_IN_SCENE},
    {.name = "preset",
     .type = VKS_OPTION_TEXT,
     .offset = AT(preset),
     .argument = "NAME",
     .help = "a named look (see --list): sets every option but size and seed; options given "
             "beside it win",
     .flags = VKS_OPTION_IN_SCENE},
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
     .default_text = "auto",
     .argument = "NAME",
     .help = "how .mp4, .webm and .mkv are compressed; auto: vp9 for .webm, else h264"},
    {.name = "crf",
     .type = VKS_OPTION_COUNT,
     .offset = AT(crf),
     .min = 0,
     .max = 63,
     .unit = "",
     .help = "quality of .mp4, .webm and .mkv: less is better and larger; default: hardly any loss "
             "(16 for h264 and h265, 28 for vp9, 22 for av1)"},
    {.name = "depth",
     .type = VKS_OPTION_CHOICE,
     .offset = AT(depth),
     .choices = depths,
     .default_text = "8",
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
             "or LOW..HIGH spread over --grid, or the word all: every name there is",
     .flags = VKS_OPTION_IN_SCENE},
    {.name = "vary-rows",
     .type = VKS_OPTION_TEXT,
     .offset = AT(vary_down),
     .argument = "OPTION=VALUES",
     .help = "a second option, that varies from row to row; --vary then goes along the columns",
     .flags = VKS_OPTION_IN_SCENE},
    {.name = "grid",
     .type = VKS_OPTION_SIZE,
     .offset = AT(grid),
     .min = 1,
     .max = VKS_MAX_CELLS,
     .argument = "COLSxROWS",
     .help = "how --vary's cells are laid out; default: near to a square",
     .flags = VKS_OPTION_IN_SCENE},
    {.name = "collage",
     .type = VKS_OPTION_SIZE,
     .offset = AT(collage),
     .min = 1,
     .max = 1000,
     .argument = "COLSxROWS",
     .help = "a contact sheet of so many frames, evenly spread from the first to the last: --out "
             "NAME.png itself, or beside a video NAME-sheet.png",
     .flags = VKS_OPTION_IN_SCENE},
    {.name = "overwrite",
     .type = VKS_OPTION_FLAG,
     .offset = AT(overwrite),
     .help = "replace existing output, state and scene files"},
    {.name = "fps",
     .type = VKS_OPTION_COUNT,
     .offset = AT(fps),
     .min = 1,
     .max = 1000,
     .default_text = "60",
     .unit = "frames/s",
     .help = "speed of the video file",
     .flags = VKS_OPTION_IN_SCENE},
    {.name = "load-state",
     .type = VKS_OPTION_TEXT,
     .offset = AT(load_state),
     .argument = "FILE.npz",
     .help = "start from a state file, or from arrays made in NumPy",
     .flags = VKS_OPTION_IN_SCENE},
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

_Static_assert(VKS_COUNT(rows) <= VKS_CLI_ROWS, "struct vks_cli has too few marks");

static size_t row_of(const char *name)
{
    const struct vks_option *option = vks_option_find(vks_cli_options, name);
    return option ? (size_t)(option - rows) : 0;
}

enum vks_given vks_cli_given(const struct vks_cli *cli, const char *name)
{
    return cli->given[row_of(name)];
}

/* True if the options exclude each other or belong together: those of a scene do not count if one
 * of them is on the command line. */
static bool in_one_group(const char *a, const char *b)
{
    static const char *const groups[][4] = {{"frames", "steps"}, {"vary", "vary-rows", "grid"}};
    bool found = strcmp(a, b) == 0;
    for (size_t i = 0; i < VKS_COUNT(groups); i++) {
        bool has_a = false, has_b = false;
        for (size_t j = 0; groups[i][j]; j++) {
            has_a = has_a || strcmp(groups[i][j], a) == 0;
            has_b = has_b || strcmp(groups[i][j], b) == 0;
        }
        found = found || (has_a && has_b);
    }
    return found;
}

bool vks_cli_overrides(const struct vks_cli *cli, const char *name)
{
    bool found = false;
    for (size_t i = 0; i < VKS_COUNT(rows); i++) {
        found = found || (cli->given[i] == VKS_GIVEN && in_one_group(rows[i].name, name));
    }
    return found;
}

void vks_cli_mark(struct vks_cli *cli, const char *name, enum vks_given given)
{
    cli->given[row_of(name)] = given;
}
