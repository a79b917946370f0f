/* SPDX-License-Identifier: MIT */
/* The command `run`: its options, and the layers that set them. */
#ifndef VKS_TOOL_CLI_H
#define VKS_TOOL_CLI_H

#include "api/settings.h"
#include "api/simulation.h"
#include "runs/log.h"
#include "runs/vary.h"
#include "tool/command.h"

enum { VKS_CLI_ROWS = 72 }; /* maximum number of rows in the run's own table */

/* The layer that set one of the run's own options. */
enum vks_given { VKS_NOT_GIVEN, VKS_GIVEN_BY_SCENE, VKS_GIVEN };

/* The options that belong to one output. */
enum vks_coded { VKS_CODED_ENCODER, VKS_CODED_CRF, VKS_CODED_DEPTH, VKS_CODED };

struct vks_coding {
    bool given[VKS_CODED];
    uint32_t encoder, depth; /* choices */
    uint64_t crf;
};

/* An --out. */
struct vks_cli_output {
    const char *path;
    enum { VKS_OUT_FILE, VKS_OUT_STREAM, VKS_OUT_NONE } kind; /* other than files: "-", "none" */
    struct vks_coding coding;
};

struct vks_reload;

struct vks_cli {
    /* Values of vks_cli_options. */
    bool headless, overwrite, digest, list, list_devices, poster, dry_run, show_options,
        show_shader, allow_model_change;
    uint64_t frames, steps, warmup;
    double fps, frame_time; /* the latter may be unset */
    char *preset, *scene, *save_scene, *record_events, *last_out, *duration, *load_state,
        *save_state, *watch, *fields, *capture, *report, *hot_reload;
    char *points_out;
    char *ranks_text;               /* a number or "auto" */
    uint64_t ranks, exchange_every; /* the latter may be unset */
    bool mpi;                       /* mpirun has started the ranks */
    bool silent;                    /* of the ranks, this is not the first, which alone has files */
    char *devices;
    char *checkpoint, *checkpoint_every, *resume, *resume_or_start;
    uint64_t retries;
    char *timings_out, *trace, *trace_steps;
    uint32_t timings;         /* choice */
    uint32_t present;         /* choice: 0, or the row of ui/present.def from 1 */
    struct vks_coding coding; /* of the only output, or the values common to several */
    bool heights;
    double mesh_size, relief, mesh_base; /* the last two may be unset */
    uint64_t erode, talus, levels, level_smooth, cave_min;
    char *caves;
    char *vary_across, *vary_down;
    struct vks_size grid, collage;     /* width 0: not given */
    unsigned char given[VKS_CLI_ROWS]; /* enum vks_given of each row: vks_cli_given() */
    /* Filled by vks_cli_parse(). `steps` and `frames` are UINT64_MAX where only a run tells them.
     */
    const struct vks_call *call;    /* the command line */
    json_t *scene_object;           /* the scene file; NULL: none */
    struct vks_log events;          /* of the scene, to be replayed */
    struct vks_cli_output *outputs; /* of a run at least one, which may be the default */
    size_t output_count;
    /* The run ends by time or has frames at equal times; the time that it starts from; whether only
     * the end-time of its cells limits it. */
    bool by_time, until_end;
    double begin;
    size_t collage_output, poster_output; /* the outputs that --collage and --poster are for */
    char *default_out;                    /* NULL: --out is given */
    char *checkpoint_files[2];            /* heap strings; NULL: none */
    struct vks_settings settings;
    struct vks_vary vary;              /* count 0: one simulation, with `settings` */
    struct vks_settings *cells;        /* vary.count of them; &settings where nothing varies */
    struct vks_state_file state;       /* of --load-state, or the checkpoint: vks_cli_state() */
    const struct vks_resumed *resumed; /* the checkpoint that the run continues from; NULL: none */
    uint64_t first_step;               /* of the state that the run starts from */
    struct vks_reload *reload;         /* of --hot-reload, once the run begins; NULL: none */
    uint64_t reload_run;               /* its number there */
    bool carried;                      /* the run began with the state of one of other formulas */
};

enum vks_timings_form { VKS_TIMINGS_TABLE, VKS_TIMINGS_JSON, VKS_TIMINGS_CSV };

extern const struct vks_option_table vks_cli_options;

/* Applies the layers in order: defaults, the state file, the scene, the command line. Within a
 * layer the preset precedes the options. On success the cells are finished and checked; with --vary
 * the settings they were made from are not. With list or list_devices nothing else is read. Free
 * either way; the call must outlive it. */
enum vks_result vks_cli_parse(struct vks_cli *cli, const struct vks_call *call);
void vks_cli_free(struct vks_cli *cli);

/* The state that the run starts or continues from; NULL: none. */
const struct vks_state_file *vks_cli_state(const struct vks_cli *cli);
/* False for a window that runs until it is closed. */
bool vks_cli_ends(const struct vks_cli *cli);
/* True if the scene is all that the command line asks for: --save-scene in a run that would open a
 * window and has no other output. */
bool vks_cli_only_scene(const struct vks_cli *cli);
/* What a job of a sweep leaves: its key (vks_scene_key()), the steps that it took, the digest of
 * its state, and the last value of every scalar, {"u":"0.43","v":"0.21"}, a heap string. */
struct vks_job_end {
    char key[33], digest[33];
    uint64_t steps;
    char *scalars;
};
/* Runs the command line of `call`, of the command `run`, as a job of a sweep: on an open device,
 * with an output, and without a summary. The key is set if the options are right. An interrupted
 * job leaves no last picture. */
enum vks_result vks_job_run(struct vks_call *call, vks_context *context, struct vks_job_end *end);
/* The key of such a job, without running it; with what vks_warn_ineffective() says if `warns`. */
enum vks_result vks_job_key(struct vks_call *call, bool warns, char key[33]);

/* The stream of text results: stderr if standard output is the video. */
FILE *vks_cli_results(const struct vks_cli *cli);
/* Applies the command line's options of the simulation and of all simulations. */
enum vks_result vks_call_apply(const struct vks_call *call, struct vks_settings *settings);
/* Settings of a command: those of the simulation that its argument names (the first without one),
 * of the preset (NULL: none), and of its options. */
enum vks_result vks_call_settings(const struct vks_call *call, const char *preset,
                                  struct vks_settings *settings);

/* --- the run's options (rows.c) --------------------------------------------------------------- */

/* The row of vks_cli_options whose value is that member of struct vks_cli. */
#define VKS_CLI_ROW(member) vks_option_at(vks_cli_options, offsetof(struct vks_cli, member))
enum vks_given vks_cli_given(const struct vks_cli *cli, const struct vks_option *row);
/* Records the layer that set a row of the run; ignores other rows. */
void vks_cli_mark(struct vks_cli *cli, const struct vks_option *option, enum vks_given given);
/* The rows that a job of a sweep takes: those about its length, its start and its files. */
struct vks_option_table vks_job_options(void);
/* True if a value of the row names a file that a job writes, or several. */
bool vks_job_writes(const struct vks_option *row);
/* True if the command line has that option, or another of its group: those of a scene are then
 * ignored. */
bool vks_cli_overrides(const struct vks_cli *cli, const struct vks_option *row);
/* Bits per channel of --depth; 0: the format's default. */
uint32_t vks_coding_depth(const struct vks_coding *coding);

/* --- before the run --------------------------------------------------------------------------- */

/* True if no output has colours. */
bool vks_cli_has_no_colours(const struct vks_cli *cli);
/* Warns about each option on the command line that has no effect, and with what the model says
 * (ineffective.c). */
void vks_warn_ineffective(const struct vks_cli *cli);
/* Prints the options of the run with their values (plan.c). */
void vks_print_values(const struct vks_cli *cli);
struct vks_grid;
struct vks_outputs;
/* Prints what would run: --dry-run. `names` are the outputs, `bytes` the device memory, which is
 * compared with that of the device, if there is one. VKS_ERROR_DEVICE if --device names none. */
enum vks_result vks_print_plan(const struct vks_cli *cli, const struct vks_grid *grid,
                               const struct vks_outputs *names, uint64_t bytes);

/* --- scenes (scene.c) ------------------------------------------------------------------------- */

/* Reads --scene's file, which may be a picture of vksim's, and from it the run's options that the
 * command line does not override. */
enum vks_result vks_scene_read(struct vks_cli *cli);
/* The object of a scene's file, to be released; NULL and a message if it cannot be read. */
json_t *vks_scene_peek(const char *path);
/* Sets *text to a string of the scene; NULL if the scene has none, or if there is no scene. */
enum vks_result vks_scene_text(const struct vks_cli *cli, const char *key, const char **text);
/* Applies the scene's options of the simulation and of all simulations. */
enum vks_result vks_scene_apply(const struct vks_cli *cli, struct vks_settings *settings);
/* True if the scene has the varied options. Its other options then override a varied preset. */
bool vks_scene_varies(const struct vks_cli *cli);
/* Reads the scene's events. */
enum vks_result vks_scene_events(struct vks_cli *cli);
/* The scene of the run with these events as a new object: that of its start. */
enum vks_result vks_scene_make(const struct vks_cli *cli, const struct vks_log *events,
                               json_t **made);
/* The digest of the scene, with the version and the length of the run: equal keys, equal runs. */
enum vks_result vks_scene_key(const struct vks_cli *cli, char key[33]);
/* Writes --save-scene's file. */
enum vks_result vks_scene_save(const struct vks_cli *cli);
/* Writes --record-events's file: the scene of a run of that many steps with these events. */
enum vks_result vks_scene_record(const struct vks_cli *cli, const struct vks_log *events,
                                 uint64_t steps);
/* Sets *text to the scene with these events, without its length, and without its collage unless it
 * is of that, as a heap string: struct vks_origin. */
enum vks_result vks_scene_origin(const struct vks_cli *cli, const struct vks_log *events,
                                 bool collage, char **text);

#endif
