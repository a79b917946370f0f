/* SPDX-License-Identifier: MIT */
/* The command line: options, scenes and their order. */
#ifndef VKS_TOOL_CLI_H
#define VKS_TOOL_CLI_H

#include "api/settings.h"
#include "api/simulation.h"
#include "runs/vary.h"

struct vks_cli {
    /* Values of the tool's own option table. */
    bool headless, overwrite, digest, quiet, verbose, list, list_devices, version, help;
    bool poster;
    bool timings_asked, validate_asked, crf_given;
    uint64_t frames, steps, fps, crf;
    char *preset, *scene, *save_scene, *out, *load_state, *save_state, *device, *watch;
    uint32_t timings, validate, encoder, depth; /* choices */
    char *vary_across, *vary_down;
    struct vks_size grid, collage; /* width 0: not given */
    double begin;                  /* vks_seconds() when the process began; set by main() */
    /* Filled by vks_cli_parse(). */
    bool frames_given, steps_given; /* by the command line or the scene */
    bool vary_of_scene;
    char *model_name; /* NULL: not named */
    struct vks_settings settings;
    struct vks_vary vary;        /* count 0: one simulation, with the settings above */
    struct vks_settings *cells;  /* vary.count of them; `settings` where nothing varies */
    json_t *given;               /* the names of settings that win over a varied preset */
    struct vks_state_file state; /* opened when load_state is set */
};

enum vks_depth { VKS_DEPTH_8, VKS_DEPTH_16 };
enum vks_timings_form { VKS_TIMINGS_TABLE, VKS_TIMINGS_JSON };

extern const struct vks_option_table vks_cli_options;

/* Defaults, then the state file, the scene, the command line. On success the cells are finished and
 * checked (where something varies, not the settings that they were made from). With help, version,
 * list or list_devices nothing else is read. Free either way. */
enum vks_result vks_cli_parse(struct vks_cli *cli, int argc, char **argv);
void vks_cli_free(struct vks_cli *cli);

/* What --help prints for the tool (model NULL) or a model. False when memory ran out. */
bool vks_cli_help(const struct vks_model *model);
/* What --list prints: simulations, starts, presets, colour maps. */
void vks_cli_list(void);

/* Writes --save-scene's file. */
enum vks_result vks_cli_save_scene(const struct vks_cli *cli);

#endif
