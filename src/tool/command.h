/* SPDX-License-Identifier: MIT */
/* The table of commands (`vksim NAME`), the options that all of them share, and the parsed command
 * line. The first row, `run`, is the default command. */
#ifndef VKS_TOOL_COMMAND_H
#define VKS_TOOL_COMMAND_H

#include <vksim/vksim.h>

#include <jansson.h>
#include <stdio.h>

#include "base/option.h"
#include "graph/model.h"

/* Values of the options that every command has, or every command that opens a device. */
struct vks_shared {
    char *device;
    uint32_t validation; /* enum vks_validation */
    double gpu_timeout;  /* seconds; 0: no limit */
    bool quiet, verbose, version;
    char *help; /* the topic; NULL: not given */
};

extern const struct vks_option_table vks_shared_options, vks_device_options;

/* The topics of --help: "short", then sections of the options, then "all". Ends with a NULL. */
extern const char *const vks_help_topics[];

/* An option on the command line: its row and its value. */
struct vks_word {
    const struct vks_option *option;
    const char *text; /* of argv, of the checkpoint, or static */
    bool stored;      /* of the checkpoint that the run continues from */
};

struct vks_command;
struct vks_resumed;

/* A command line. */
struct vks_call {
    const struct vks_command *command;
    int argc; /* as main() got them */
    char **argv;
    struct vks_shared shared;
    struct vks_word *words; /* options in order, including those in `shared` */
    size_t word_count;
    const char **arguments; /* words that are not options, except the command's name */
    size_t argument_count;
    const char *file; /* the word in place of arguments[0] that named its file; NULL: none did */
    const struct vks_model *model; /* of a file that a word named; NULL: none did */
    bool model_named;              /* it was chosen by its name, not as the first of a plug-in */
    double begin;                  /* vks_seconds() when the process started; set by main() */
    uint64_t messages;             /* of the validation layers; set by the command */
    bool job;                      /* of a sweep: vks_job_run() */
    struct vks_resumed *resumed;   /* the checkpoint of --resume; NULL: none */
};

struct vks_command {
    const char *name;
    const char *arguments; /* for the usage line: "[SIMULATION]"; "": none */
    const char *summary;
    const struct vks_option_table *options; /* its own */
    bool has_device;                        /* takes vks_device_options */
    bool has_simulation;               /* accepts the options of simulations and the name of one */
    bool (*is_file)(const char *word); /* whether an argument is not a simulation but a file that
                                        * the command takes as well. NULL: none is */
    bool has_jobs;                     /* takes vks_job_options() */
    size_t max_arguments;
    const char *(*word)(size_t index); /* words that arguments may be, for completion; NULL past the
                                        * last. May be NULL */
    enum vks_result (*run)(struct vks_call *call);
};

/* In the order of --help; ends with a NULL name. */
extern const struct vks_command vks_commands[];

/* The tables of a command's options: its own, those of the device and those of all commands, then
 * those of every simulation, those of `model` (NULL: none) and those of jobs, where the command
 * takes them. */
enum { VKS_COMMAND_TABLES = 6 };
void vks_command_tables(const struct vks_command *command, const struct vks_model *model,
                        struct vks_option_table tables[VKS_COMMAND_TABLES]);

/* The commands' functions. */
enum vks_result vks_command_run(struct vks_call *call);
enum vks_result vks_command_devices(struct vks_call *call);
enum vks_result vks_command_bench(struct vks_call *call);
const char *vks_bench_word(size_t index);
enum vks_result vks_command_scale(struct vks_call *call);
enum vks_result vks_command_onset(struct vks_call *call);
enum vks_result vks_command_sensitivity(struct vks_call *call);
enum vks_result vks_command_sweep(struct vks_call *call);
enum vks_result vks_command_report(struct vks_call *call);
enum vks_result vks_command_check(struct vks_call *call);
enum vks_result vks_command_new(struct vks_call *call);
enum vks_result vks_command_selftest(struct vks_call *call);
const char *vks_selftest_word(size_t index);
extern const struct vks_option_table vks_bench_options, vks_report_options, vks_scale_options;
extern const struct vks_option_table vks_onset_options, vks_sensitivity_options, vks_sweep_options;
extern const struct vks_option_table vks_check_options, vks_new_options, vks_selftest_options;

/* Values of vks_json_options, for commands that print a table or JSON. */
struct vks_json_values {
    bool json;
};
extern const struct vks_option_table vks_json_options;

/* vks_model_renew(), unless the options of the new model are those of something else. */
enum vks_result vks_renew(const struct vks_model *old, const struct vks_model **model);
/* Checks the tables of commands, simulations and options: no name is used twice, and no member is
 * missing. The message says what is wrong. */
enum vks_result vks_check_tables(void);

/* Parses argv and reads the shared options. Free either way; argv must outlive the call. */
enum vks_result vks_call_parse(struct vks_call *call, int argc, char **argv);
void vks_call_free(struct vks_call *call);

/* Fills `values`, which is zeroed, with the command's own options: the defaults, then the command
 * line. Free them with vks_options_free(). */
enum vks_result vks_call_values(const struct vks_call *call, void *values);
/* True if the word is an option of the command or of all commands, and not of a simulation. */
bool vks_call_is_own(const struct vks_call *call, const struct vks_word *word);
/* True if the command line has that option. */
bool vks_call_has(const struct vks_call *call, const char *name);
/* Opens the device of the shared options. */
enum vks_result vks_call_open(const struct vks_call *call, vks_context **context);
/* The parameters of the device that the call names. */
struct vks_gpu_params vks_call_gpu(const struct vks_call *call);
/* Destroys it and records the number of its validation messages; NULL is fine. */
void vks_call_close(struct vks_call *call, vks_context *context);

/* Prints a JSON value and releases it; VKS_ERROR_GPU where memory ran out while it was made (NULL,
 * or not `complete`). The first prints to standard output. */
enum vks_result vks_print_json(json_t *value, bool complete);
enum vks_result vks_print_json_to(FILE *out, json_t *value, bool complete);
/* Prints all devices, as text or as JSON. VKS_ERROR_DEVICE where there is none. */
enum vks_result vks_print_devices(bool json);

/* Prints the topic of --help: the short help, or the options of the command or of the simulation
 * that the command line names, or a section of the options of a run. Values are those of the
 * preset. VKS_ERROR_USAGE for an unknown preset. */
enum vks_result vks_print_help(const struct vks_call *call);
/* Prints the --list: simulations, initial conditions, views, presets, colour maps; or of that
 * simulation only, without colour maps. */
void vks_print_list(const char *simulation);

/* The tool's exit code for a result: its value, except that an output file that exists is a file
 * error like any other. */
int vks_exit_code(enum vks_result result);

#endif
