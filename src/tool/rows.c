/* SPDX-License-Identifier: MIT */
/* The options of a run itself, and the layers that set them. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "frames/encoder.h"
#include "frames/terrain.h"
#include "ranks/local.h"
#include "tool/cli.h"

/* Numbers of .group. */
enum { GROUP_LENGTH = 1, GROUP_CELLS };

static const char *const timings_forms[] = {"table", "json", "csv", NULL};
static const char *const present_modes[] = {"auto",
#define VKS_PRESENT_MODE(name, mode) name,
#include "ui/present.def"
                                            NULL};
static const char *const depths[] = {"auto", "8", "10", "16", "32", NULL};

/* clang-format off: one row per option */
#define AT(member) offsetof(struct vks_cli, member)
static const struct vks_option rows[] = {
    {.name = "headless",
     .topic = "run",
     .type = VKS_OPTION_FLAG,
     .offset = AT(headless),
     .help = "render to files instead of a window; --out implies it"},
    {.name = "frames",
     .type = VKS_OPTION_COUNT,
     .offset = AT(frames),
     .min = 1,
     .max = 1e9,
     .default_text = "500",
     .unit = "",
     .help = "number of frames, the first of which shows the state after --warmup; a window stays "
             "open until closed, unless this or --steps is given",
     .flags = VKS_OPTION_IN_SCENE,
     .group = GROUP_LENGTH},
    {.name = "steps",
     .brief = "number of steps",
     .type = VKS_OPTION_COUNT,
     .offset = AT(steps),
     .min = 0,
     .max = 1e15,
     .unit = "",
     .help = "number of steps, instead of --frames; frames show the state after --warmup, after "
             "every --steps-per-frame steps from there and after the last step",
     .flags = VKS_OPTION_IN_SCENE,
     .group = GROUP_LENGTH},
    {.name = "duration",
     .brief = "length of the video, such as 20s",
     .type = VKS_OPTION_TEXT,
     .offset = AT(duration),
     .argument = "TIME",
     .help = "length of the video at --fps, instead of --frames: 20s, 1.5min, 0:20, or a number of "
             "seconds",
     .group = GROUP_LENGTH},
    {.name = "warmup",
     .type = VKS_OPTION_COUNT,
     .offset = AT(warmup),
     .min = 0,
     .max = 1e15,
     .default_text = "0",
     .unit = "steps",
     .help = "steps before the first frame, which are run without frames and which --steps "
             "includes: a video starts at this step",
     .flags = VKS_OPTION_IN_SCENE},
    {.name = "frame-time",
     .type = VKS_OPTION_REAL,
     .offset = AT(frame_time),
     .min = 1e-9,
     .max = 8192,
     .unit = "",
     .help = "frames at the multiples of this time, instead of every --steps-per-frame steps: the "
             "first shows the start, the last the time of --end-time if it is given; for "
             "simulations with a time of their own (gas)",
     .flags = VKS_OPTION_IN_SCENE | VKS_OPTION_OF_FILES},
    {.name = "preset",
     .brief = "named set of options",
     .type = VKS_OPTION_TEXT,
     .offset = AT(preset),
     .argument = "NAME",
     .help = "named set of options (see --list); all others except size and seed return to their "
             "defaults; explicit options override it",
     .flags = VKS_OPTION_IN_SCENE},
    {.name = "scene",
     .type = VKS_OPTION_TEXT,
     .offset = AT(scene),
     .argument = "FILE.json|png|mp4",
     .help =
         "read options from a scene file (.json), or from a .png, .mp4, .webm or .mkv that vksim "
         "has written, which makes it again; explicit options override it"},
    {.name = "save-scene",
     .type = VKS_OPTION_TEXT,
     .offset = AT(save_scene),
     .argument = "FILE.json",
     .help = "write a scene file that reproduces this run exactly; if it is the only output and "
             "--headless is not given, vksim writes it and ends without opening a window"},
    {.name = "record-events",
     .type = VKS_OPTION_TEXT,
     .offset = AT(record_events),
     .argument = "FILE.json",
     .help = "at the end, write a scene file with everything that was done to the run in its "
             "window; vksim --scene FILE.json --headless repeats it exactly"},
    {.name = "present",
     .type = VKS_OPTION_CHOICE,
     .offset = AT(present),
     .choices = present_modes,
     .default_text = "auto",
     .help = "how the window's pictures reach the screen: in turn, one per refresh (fifo); the "
             "same, but late ones at once (fifo-relaxed); only the newest (mailbox); or at once "
             "(immediate, which may tear); auto is fifo"},
    {.name = "hot-reload",
     .type = VKS_OPTION_TEXT,
     .offset = AT(hot_reload),
     .argument = "DIR",
     .help = "use the shaders of a folder laid out as vksim's shaders/ instead of the built-in "
             "ones, and compile them again whenever a file there changes, while the run goes on "
             "(needs glslc and spirv-val); digests and scenes name the shaders that differ. Also "
             "the folder of the simulation, if it is one of shaders, or in a window its file, if "
             "it is one of formulas"},
    {.name = "dry-run",
     .type = VKS_OPTION_FLAG,
     .offset = AT(dry_run),
     .help = "print what would run, with all options, and exit; opens no window or device and "
             "writes no file except that of --save-scene"},
    {.name = "show-options",
     .type = VKS_OPTION_FLAG,
     .offset = AT(show_options),
     .help = "print all options with the values that the run would use, and exit"},
    {.name = "list",
     .type = VKS_OPTION_FLAG,
     .offset = AT(list),
     .help = "list simulations, initial conditions, views, presets, brushes and colour maps, or "
             "those of "
             "the named simulation, and exit"},
    {.name = "show-shader",
     .type = VKS_OPTION_FLAG,
     .offset = AT(show_shader),
     .help = "print the shaders of a simulation of formulas, and exit"},
    {.name = "out",
     .topic = "output",
     .brief = "file to write: .mp4, .png, .gif, .exr, .npy, .glb",
     .type = VKS_OPTION_TEXT,
     .offset = AT(last_out),
     .argument = "PATH",
     .letter = 'o',
     .help = "output, without a window: "
#define VKS_FORMAT(extension, backend, depths, flags, content) extension " (" content "), "
#include "frames/formats.def"
#undef VKS_FORMAT
             "- (Y4M on standard output), or none; %05d in the name of a still or array: one "
             "numbered file per frame; can be given several times: --encoder, --crf, --depth, "
             "--collage and --poster then apply to the --out before them; default: "
             "SIMULATION.mp4",
     .flags = VKS_OPTION_OF_FILES},
    {.name = "encoder",
     .type = VKS_OPTION_CHOICE,
     .offset = AT(coding.encoder),
     .choices = vks_encoder_names,
     .default_text = "auto",
     .argument = "NAME",
     .help = "encoder of .mp4, .webm and .mkv; auto: vp9 for .webm, otherwise h264, or h265 with "
             "--depth 10",
     .flags = VKS_OPTION_OF_FILES},
    {.name = "crf",
     .type = VKS_OPTION_COUNT,
     .offset = AT(coding.crf),
     .min = 0,
     .max = 63,
     .unit = "",
     .help = "quality of .mp4, .webm and .mkv: lower values give better quality and larger files; "
             "default: near lossless (15 for h264, 16 for h265, 28 for vp9, 22 for av1)",
     .flags = VKS_OPTION_OF_FILES},
    {.name = "depth",
     .type = VKS_OPTION_CHOICE,
     .offset = AT(coding.depth),
     .choices = depths,
     .default_text = "auto",
     .argument = "BITS",
     .help = "bits per channel: 8 or 10 in videos (10: h265, vp9, av1, .y4m), 8 or 16 in .png, 16 "
             "or 32 in .exr; auto: the lower",
     .flags = VKS_OPTION_OF_FILES},
    {.name = "heights",
     .type = VKS_OPTION_FLAG,
     .offset = AT(heights),
     .help = "write heights to .png: 16-bit grey, the normalised values before gamma",
     .flags = VKS_OPTION_OF_FILES},
    {.name = "erode",
     .type = VKS_OPTION_COUNT,
     .offset = AT(erode),
     .min = 0,
     .max = 10000,
     .default_text = "0",
     .unit = "passes",
     .help = "thermal erosion of heights and meshes",
     .flags = VKS_OPTION_OF_FILES},
    {.name = "talus",
     .type = VKS_OPTION_COUNT,
     .offset = AT(talus),
     .min = 0,
     .max = VKS_MAX_HEIGHT,
     .default_text = "600",
     .unit = "",
     .help = "height difference, of 65535, that --erode leaves",
     .flags = VKS_OPTION_OF_FILES},
    {.name = "levels",
     .type = VKS_OPTION_COUNT,
     .offset = AT(levels),
     .min = 2,
     .max = VKS_MAX_LEVELS,
     .unit = "",
     .help = "divide heights and meshes into this many levels",
     .flags = VKS_OPTION_OF_FILES},
    {.name = "level-smooth",
     .type = VKS_OPTION_COUNT,
     .offset = AT(level_smooth),
     .min = 0,
     .max = 100,
     .default_text = "0",
     .unit = "passes",
     .help = "majority filter of --levels over 3 x 3 pixels",
     .flags = VKS_OPTION_OF_FILES},
    {.name = "caves",
     .type = VKS_OPTION_TEXT,
     .offset = AT(caves),
     .argument = "A-B",
     .help = "levels, of --levels from 0 on, that are open: .png and .npy hold the number or label "
             "of the connected cave of each pixel, .csv a table of them",
     .flags = VKS_OPTION_OF_FILES},
    {.name = "cave-min",
     .type = VKS_OPTION_COUNT,
     .offset = AT(cave_min),
     .min = 1,
     .max = 2147483648.0,
     .default_text = "1",
     .unit = "pixels",
     .help = "close smaller caves",
     .flags = VKS_OPTION_OF_FILES},
    {.name = "mesh-size",
     .type = VKS_OPTION_REAL,
     .offset = AT(mesh_size),
     .min = 1e-6,
     .max = 1e6,
     .default_text = "1",
     .unit = "",
     .help = "length of a pixel in a mesh (.glb, .stl, .ply)",
     .flags = VKS_OPTION_OF_FILES},
    {.name = "relief",
     .type = VKS_OPTION_REAL,
     .offset = AT(relief),
     .min = 0,
     .max = 1e6,
     .unit = "pixels",
     .help = "height of the range in a mesh; default: 5 % of the shorter side",
     .flags = VKS_OPTION_OF_FILES},
    {.name = "mesh-base",
     .type = VKS_OPTION_REAL,
     .offset = AT(mesh_base),
     .min = 0,
     .max = 1e6,
     .unit = "pixels",
     .help = "thickness of a solid base of a mesh; 0: a surface; default: 2 in .stl, otherwise 0",
     .flags = VKS_OPTION_OF_FILES},
    {.name = "poster",
     .type = VKS_OPTION_FLAG,
     .offset = AT(poster),
     .help = "also write the last frame of a video, as NAME.png for NAME.mp4"},
    {.name = "vary",
     .brief = "runs side by side, such as preset=silk,net",
     .type = VKS_OPTION_TEXT,
     .offset = AT(vary_across),
     .argument = "OPTION=VALUES",
     .help =
         "several runs or looks side by side with captions, one per value. OPTION: preset, or "
         "any option of the simulation or look. VALUES: separated by commas, or by semicolons "
         "if values contain commas; LOW..HIGH/N for N numbers, or LOW..HIGH spread over --grid; or "
         "all for every name",
     .flags = VKS_OPTION_IN_SCENE,
     .group = GROUP_CELLS},
    {.name = "vary-rows",
     .type = VKS_OPTION_TEXT,
     .offset = AT(vary_down),
     .argument = "OPTION=VALUES",
     .help = "second option, which varies by row; --vary then varies by column",
     .flags = VKS_OPTION_IN_SCENE,
     .group = GROUP_CELLS},
    {.name = "grid",
     .type = VKS_OPTION_SIZE,
     .offset = AT(grid),
     .min = 1,
     .max = VKS_MAX_CELLS,
     .argument = "COLSxROWS",
     .help = "layout of the cells of --vary; default: nearly square",
     .flags = VKS_OPTION_IN_SCENE,
     .group = GROUP_CELLS},
    {.name = "collage",
     .type = VKS_OPTION_SIZE,
     .offset = AT(collage),
     .min = 1,
     .max = 1000,
     .argument = "COLSxROWS",
     .help = "contact sheet of COLS x ROWS frames, evenly spaced from the first to the last: "
             "written to --out NAME.png itself, or to NAME-sheet.png next to a video",
     .flags = VKS_OPTION_IN_SCENE},
    {.name = "overwrite",
     .type = VKS_OPTION_FLAG,
     .offset = AT(overwrite),
     .help = "replace existing output, state and scene files"},
    {.name = "fps",
     .type = VKS_OPTION_REAL,
     .offset = AT(fps),
     .min = 1,
     .max = 1000,
     .default_text = "60",
     .unit = "frames/s",
     .help = "frame rate of the video or animation, such as 60, 23.976 or 30000/1001",
     .flags = VKS_OPTION_IN_SCENE | VKS_OPTION_OF_FILES},
    {.name = "load-state",
     .type = VKS_OPTION_TEXT,
     .offset = AT(load_state),
     .argument = "FILE.npz",
     .help = "start from a state file or from arrays made in NumPy",
     .flags = VKS_OPTION_IN_SCENE},
    {.name = "allow-model-change",
     .type = VKS_OPTION_FLAG,
     .offset = AT(allow_model_change),
     .help = "use the formula or the shaders on the command line for a state or scene of another "
             "version of them"},
    {.name = "save-state",
     .type = VKS_OPTION_TEXT,
     .offset = AT(save_state),
     .argument = "FILE.npz",
     .help = "write the state after the last step"},
    {.name = "checkpoint",
     .type = VKS_OPTION_TEXT,
     .offset = AT(checkpoint),
     .argument = "NAME",
     .help =
         "keep the run in NAME.a.vkc.npz and NAME.b.vkc.npz, which are written in turn, so that "
         "--resume NAME continues it after a crash, a power failure, Ctrl-C or SIGTERM; at "
         "SIGUSR1 they are written at once"},
    {.name = "checkpoint-every",
     .type = VKS_OPTION_TEXT,
     .offset = AT(checkpoint_every),
     .default_text = "10min",
     .argument = "INTERVAL",
     .help = "time or steps between checkpoints: 30s, 10min, 2h or 5000steps"},
    {.name = "resume",
     .type = VKS_OPTION_TEXT,
     .offset = AT(resume),
     .argument = "NAME",
     .help = "continue the run of --checkpoint NAME with its options, where it was at the newer "
             "checkpoint, and keep its checkpoints; other options override its own, except those "
             "that would change what it computes"},
    {.name = "resume-or-start",
     .type = VKS_OPTION_TEXT,
     .offset = AT(resume_or_start),
     .argument = "NAME",
     .help = "--resume NAME if there is a checkpoint, else --checkpoint NAME: for batch systems, "
             "which repeat the same command"},
    {.name = "retries",
     .type = VKS_OPTION_COUNT,
     .offset = AT(retries),
     .min = 0,
     .max = 100,
     .default_text = "3",
     .unit = "",
     .help = "after the GPU is lost or hangs, continue from the checkpoint in a new process, up to "
             "this many times without progress"},
    {.name = "points-out",
     .type = VKS_OPTION_TEXT,
     .offset = AT(points_out),
     .argument = "FILE.csv",
     .help = "write the values at the simulation's data points after the last step, as a table "
             "with one row per point (physarum-3d with --food points:FILE)"},
    {.name = "fields",
     .type = VKS_OPTION_TEXT,
     .offset = AT(fields),
     .argument = "NAME,...",
     .help = "fields of .vti and .npz files: names of views, and velocity (of the gas); default: "
             "what --view "
             "shows"},
    {.name = "watch",
     .type = VKS_OPTION_TEXT,
     .offset = AT(watch),
     .argument = "FILE",
     .help = "write the simulation's scalars (such as means and extremes) of every frame: FILE.csv "
             "with one row per frame, or FILE.json with an array of objects"},
    {.name = "ranks",
     .topic = "device",
     .type = VKS_OPTION_TEXT,
     .offset = AT(ranks_text),
     .default_text = "1",
     .argument = "N|auto",
     .help = "compute one simulation with this many processes, each on a device of its own with a "
             "part of the rows; results have the same bytes as with one (gray-scott, physarum, "
             "gas). auto: one per device of the best kind, or fewer if the simulation is too small "
             "for them"},
    {.name = "devices",
     .type = VKS_OPTION_TEXT,
     .offset = AT(devices),
     .argument = "DEVICE,...",
     .help =
         "devices of the --ranks, in turn, each as for --device; default: the machine's devices "
         "of the best kind"},
    {.name = "exchange-every",
     .type = VKS_OPTION_COUNT,
     .offset = AT(exchange_every),
     .min = 1,
     .max = 65536,
     .unit = "steps",
     .help = "steps between two exchanges of rows among --ranks: with more of them there are fewer "
             "exchanges, and more rows are computed by two ranks; changes only the speed; default: "
             "by the size of the simulation"},
    {.name = "list-devices",
     .type = VKS_OPTION_FLAG,
     .offset = AT(list_devices),
     .help = "list the devices, as vksim devices does, and exit"},
    {.name = "digest",
     .type = VKS_OPTION_FLAG,
     .offset = AT(digest),
     .help = "print the XXH3-128 digests of the final state and of all frames written; equal runs "
             "have equal digests"},
    {.name = "timings",
     .type = VKS_OPTION_CHOICE,
     .offset = AT(timings),
     .choices = timings_forms,
     .implied = "table",
     .argument = "FORM",
     .help = "print where the time went: every GPU pass, how close it comes to the limits of the "
             "device, and the phases of each thread"},
    {.name = "timings-out",
     .type = VKS_OPTION_TEXT,
     .offset = AT(timings_out),
     .argument = "FILE",
     .help = "write the output of --timings to a file"},
    {.name = "trace",
     .type = VKS_OPTION_TEXT,
     .offset = AT(trace),
     .argument = "FILE.json",
     .help = "write a trace of all threads and GPU passes, for Perfetto or chrome://tracing; "
             "traced steps are slower"},
    {.name = "trace-steps",
     .type = VKS_OPTION_TEXT,
     .offset = AT(trace_steps),
     .argument = "A:B",
     .help = "trace only steps A to B - 1, counted from 0 in each run; default: all steps, up to a "
             "million events"},
    {.name = "capture",
     .type = VKS_OPTION_TEXT,
     .offset = AT(capture),
     .argument = "A:B",
     .help = "make a RenderDoc capture of steps A to B - 1, counted from 0 in each run, and of the "
             "frames drawn after them; start it with: renderdoccmd capture -w -d . vksim OPTIONS"},
    {.name = "report",
     .type = VKS_OPTION_TEXT,
     .offset = AT(report),
     .argument = "FILE.html",
     .help = "write an HTML page about the run: its command line, device, pictures, and where the "
             "time went, as tables and charts"},
};
#undef AT
/* clang-format on */

const struct vks_option_table vks_cli_options = {rows, VKS_COUNT(rows)};

_Static_assert(VKS_COUNT(rows) <= VKS_CLI_ROWS, "VKS_CLI_ROWS is too small");

/* The rows of files that a run writes, with their help in a sweep. */
#define NUMBERED "; %d or %06d in the name is the number of the job"
static const struct {
    const char *name, *help;
} written[] = {
    {"out", "file to write per job, as for a run but without standard output" NUMBERED
            ", and a second one that of the frame; can be given several times: --encoder, --crf, "
            "--depth, --collage and --poster then apply to the --out before them; default: none"},
    {"save-state", "write the state after the last step of each job" NUMBERED},
    {"watch", "write the simulation's scalars of every frame of each job, FILE.csv or "
              "FILE.json" NUMBERED},
    {"points-out", "write the values at the data points of each job after the last step" NUMBERED},
};
#undef NUMBERED
/* Other rows of a job that no flag tells. */
static const char *const taken[] = {"duration",           "scene", "poster", "fields",
                                    "allow-model-change", NULL};
/* Of a grid of runs, and of the sweep itself. */
static const char *const left_out[] = {"vary", "vary-rows", "grid", NULL};

static bool is_in(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name) != 0) {
        names++;
    }
    return *names != NULL;
}

/* The help of a row of files in a sweep; NULL for other rows. */
static const char *help_of_files(const struct vks_option *row)
{
    size_t i = 0;
    while (i < VKS_COUNT(written) && strcmp(written[i].name, row->name) != 0) {
        i++;
    }
    return i < VKS_COUNT(written) ? written[i].help : NULL;
}

bool vks_job_writes(const struct vks_option *row)
{
    return help_of_files(row) != NULL;
}

struct vks_option_table vks_job_options(void)
{
    static struct vks_option jobs[VKS_COUNT(rows)];
    size_t count = 0;
    for (size_t i = 0; i < VKS_COUNT(rows); i++) {
        const bool of_run = (rows[i].flags & (VKS_OPTION_IN_SCENE | VKS_OPTION_OF_FILES)) ||
                            vks_job_writes(&rows[i]) || is_in(taken, rows[i].name);
        if (of_run && !is_in(left_out, rows[i].name)) {
            jobs[count] = rows[i];
            jobs[count].help = vks_job_writes(&rows[i]) ? help_of_files(&rows[i]) : rows[i].help;
            count++;
        }
    }
    return (struct vks_option_table){jobs, count};
}

enum vks_given vks_cli_given(const struct vks_cli *cli, const struct vks_option *row)
{
    return (enum vks_given)cli->given[row - rows];
}

bool vks_cli_overrides(const struct vks_cli *cli, const struct vks_option *row)
{
    bool found = vks_cli_given(cli, row) == VKS_GIVEN;
    for (size_t i = 0; i < VKS_COUNT(rows) && row->group; i++) {
        found = found || (cli->given[i] == VKS_GIVEN && rows[i].group == row->group);
    }
    return found;
}

uint32_t vks_coding_depth(const struct vks_coding *coding)
{
    return (uint32_t)strtoul(depths[coding->depth], NULL, 10); /* "auto" is 0 */
}

void vks_cli_mark(struct vks_cli *cli, const struct vks_option *option, enum vks_given given)
{
    if (option >= rows && option < rows + VKS_COUNT(rows)) {
        cli->given[option - rows] = (unsigned char)given;
    }
}
