/* SPDX-License-Identifier: MIT */
/* Commands: a table of what `vksim NAME` does, the options that all of them share, and argv split
 * into words. The first row, a run, is meant where no command is named. */
#ifndef VKS_TOOL_COMMAND_H
#define VKS_TOOL_COMMAND_H

#include <vksim/vksim.h>

#include "base/option.h"
#include "graph/model.h"

/* Values of the options that every command has, or every command that opens a device. */
struct vks_shared {
    char *device;
    uint32_t validation; /* enum vks_validation */
    bool quiet, verbose, version, help;
};

extern const struct vks_option_table vks_shared_options, vks_device_options;

/* An option of the command line: its row and its value. */
struct vks_word {
    const struct vks_option *option;
    const char *text; /* of argv, or static */
};

struct vks_command;

/* A command line. */
struct vks_call {
    const struct vks_command *command;
    struct vks_shared shared;
    struct vks_word *words; /* options in their order, those in `shared` included */
    size_t word_count;
    const char **arguments; /* words that are not options, without the command's name */
    size_t argument_count;
    double begin;      /* vks_seconds() when the process began; set by main() */
    uint64_t messages; /* of the validation layers; set by the command */
};

struct vks_command {
    const char *name;
    const char *arguments; /* of the usage line: "[SIMULATION]"; "": none */
    const char *summary;
    const struct vks_option_table *options; /* its own */
    bool has_device;                        /* takes vks_device_options */
    bool has_simulation;                    /* takes the options of simulations, and may name one */
    size_t max_arguments;
    enum vks_result (*run)(struct vks_call *call);
};

/* In the order of --help; ends with a NULL name. */
extern const struct vks_command vks_commands[];

/* The tables of a command's options: its own, those of the device and those of all commands, then
 * those of every simulation and of `model` (NULL: none), where the command takes them. */
enum { VKS_COMMAND_TABLES = 5 };
void vks_command_tables(const struct vks_command *command, const struct vks_model *model,
                        struct vks_option_table tables[VKS_COMMAND_TABLES]);

/* The commands' functions. */
enum vks_result vks_command_run(struct vks_call *call);
enum vks_result vks_command_devices(struct vks_call *call);
enum vks_result vks_command_bench(struct vks_call *call);
enum vks_result vks_command_report(struct vks_call *call);
extern const struct vks_option_table vks_devices_options, vks_bench_options, vks_report_options;

/* Splits argv and reads the shared options. Free either way; argv must live as long. */
enum vks_result vks_call_parse(struct vks_call *call, int argc, char **argv);
void vks_call_free(struct vks_call *call);

/* Writes the defaults of the command's own options and its words to `values`, which is zeroed. Free
 * them with vks_options_free(). */
enum vks_result vks_call_values(const struct vks_call *call, void *values);
/* True if the word is an option of the command or of all commands, not of a simulation. */
bool vks_call_is_own(const struct vks_call *call, const struct vks_word *word);
/* True if the command line has that option. */
bool vks_call_has(const struct vks_call *call, const char *name);
/* Opens the device of the shared options. */
enum vks_result vks_call_open(const struct vks_call *call, vks_context **context);
/* Destroys it and notes its validation messages; NULL is fine. */
void vks_call_close(struct vks_call *call, vks_context *context);

/* Prints all devices, as text or as JSON. VKS_ERROR_DEVICE where there is none. */
enum vks_result vks_print_devices(bool json);

/* What --help prints for a command, or for a simulation (NULL: none is named). False when memory
 * ran out. */
bool vks_print_help(const struct vks_command *command, const struct vks_model *model);
/* What --list prints: simulations, initial conditions, presets, colour maps. */
void vks_print_list(void);

/* The tool's exit code for a result: its value, except that an output file that exists is a file
 * error like any other. */
int vks_exit_code(enum vks_result result);

#endif
