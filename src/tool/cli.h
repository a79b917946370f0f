/* SPDX-License-Identifier: MIT */
/* The command line: the tool's options, and the layers that a run's options come from. */
#ifndef VKS_TOOL_CLI_H
#define VKS_TOOL_CLI_H

#include "api/settings.h"
#include "api/simulation.h"
#include "runs/vary.h"

enum { VKS_CLI_ROWS = 64 }; /* of the tool's table, at most */

/* Where the value of one of the tool's options is from. */
enum vks_given { VKS_NOT_GIVEN, VKS_GIVEN_BY_SCENE, VKS_GIVEN };

/* An option of the command line: its row (of the tool, of every simulation, or of some simulation)
 * and its value. */
struct vks_word {
    const struct vks_option *option;
    const char *text; /* of argv, or static */
};

struct vks_cli {
    /* Values of the tool's own option table. */
    bool headless, overwrite, digest, quiet, verbose, list, list_devices, version, help;
    bool poster;
    uint64_t frames, steps, fps, crf;
    char *preset, *scene, *save_scene, *out, *load_state, *save_state, *device, *watch;
    uint32_t timings, validate, encoder, depth; /* choices */
    char *vary_across, *vary_down;
    struct vks_size grid, collage;     /* width 0: not given */
    unsigned char given[VKS_CLI_ROWS]; /* enum vks_given of each row: vks_cli_given() */
    double begin;                      /* vks_seconds() when the process began; set by main() */
    /* Filled by vks_cli_parse(). */
    const char *model_name; /* on the command line; NULL: not named */
    struct vks_word *words; /* the command line in its order */
    size_t word_count;
    json_t *scene_object; /* the scene file; NULL: none */
    struct vks_settings settings;
    struct vks_vary vary;        /* count 0: one simulation, with the settings above */
    struct vks_settings *cells;  /* vary.count of them; `settings` where nothing varies */
    struct vks_state_file state; /* opened when load_state is set */
};

enum vks_timings_form { VKS_TIMINGS_TABLE, VKS_TIMINGS_JSON };

extern const struct vks_option_table vks_cli_options;

/* Splits argv into words, then applies the layers in their order: defaults, the state file, the
 * scene, the command line. A layer's preset comes before its options. On success the cells are
 * finished and checked (where something varies, not the settings that they were made from). With
 * help, version, list or list_devices nothing else is read. Free either way; argv must live as
 * long. */
enum vks_result vks_cli_parse(struct vks_cli *cli, int argc, char **argv);
void vks_cli_free(struct vks_cli *cli);
/* True if the command line has that option, of the tool or of simulations. */
bool vks_cli_has(const struct vks_cli *cli, const char *name);

/* --- the tool's rows (rows.c); names are those of rows -----------------------------------------
 */

enum vks_given vks_cli_given(const struct vks_cli *cli, const char *name);
void vks_cli_mark(struct vks_cli *cli, const char *name, enum vks_given given);
/* True if the command line has that option, or one that excludes it or belongs to it. */
bool vks_cli_overrides(const struct vks_cli *cli, const char *name);
/* Bits per channel of --depth; 0: the format's default. */
uint32_t vks_cli_depth(const struct vks_cli *cli);

/* --- scenes (scene.c) --------------------------------------------------------------------------
 */

/* Reads --scene's file, and from it the tool's options that the command line does not have. */
enum vks_result vks_scene_read(struct vks_cli *cli);
/* A string of the scene into *text; NULL if it has none, or if there is no scene. */
enum vks_result vks_scene_text(const struct vks_cli *cli, const char *key, const char **text);
/* The scene's options of the simulation, and of every simulation. */
enum vks_result vks_scene_apply(const struct vks_cli *cli, struct vks_settings *settings);
/* True if the scene says what varies: then its options win over a varied preset. */
bool vks_scene_varies(const struct vks_cli *cli);
/* Writes --save-scene's file. */
enum vks_result vks_scene_save(const struct vks_cli *cli);

/* --- help (help.c) -----------------------------------------------------------------------------
 */

/* What --help prints for the tool (model NULL) or a model. False when memory ran out. */
bool vks_cli_help(const struct vks_model *model);
/* What --list prints: simulations, starts, presets, colour maps. */
void vks_cli_list(void);
/* The tool's exit code for a result: its value, except that an output file that exists is a file
 * error like any other. */
int vks_exit_code(enum vks_result result);

#endif
