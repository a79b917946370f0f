/* SPDX-License-Identifier: MIT */
/* make_docs: prints the manual page, generated from the tables of commands, options, models and
 * results, so that it always matches the program. Run by docs/meson.build. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "graph/variant.h"
#include "sim/registry.h"
#include "tool/cli.h"

/* Of the release that the page describes. */
#define DATE "November 21, 2026"

/* --- roff ----------------------------------------------------------------------------------- */

/* Prints one character of running text: escapes roff requests, and keeps the two dashes of an
 * option as dashes. */
static void put_character(const char *text, size_t at)
{
    bool dashes = text[at] == '-' && (text[at + 1] == '-' || (at > 0 && text[at - 1] == '-'));
    if (dashes) {
        fputs("\\-", stdout);
    } else if (text[at] == '\\') {
        fputs("\\e", stdout);
    } else {
        putchar(text[at]);
    }
}

/* Prints running text in lines of at most 76 characters; each sentence starts a new line. */
static void put_text(const char *text)
{
    size_t column = 0;
    for (size_t at = 0; text[at];) {
        size_t length = strcspn(text + at, " ");
        if (column > 0) {
            bool sentence = at > 1 && text[at - 2] == '.';
            bool breaks = sentence || column + 1 + length > 76;
            putchar(breaks ? '\n' : ' ');
            column = breaks ? 0 : column + 1;
        }
        if (column == 0 && (text[at] == '.' || text[at] == '\'')) {
            fputs("\\&", stdout);
        }
        for (size_t i = 0; i < length; i++) {
            put_character(text, at + i);
        }
        column += length;
        at += length + strspn(text + at + length, " ");
    }
    if (text[0]) { /* an empty line would be a mistake */
        putchar('\n');
    }
}

static void put_options(const struct vks_option_table table)
{
    puts(".Bl -tag -width Ds");
    for (size_t i = 0; i < table.count; i++) {
        const struct vks_option *option = &table.options[i];
        const char *argument = vks_option_argument(option);
        char values[1024], body[2048];
        printf(".It ");
        if (option->letter) {
            printf("Fl %c , ", option->letter);
        }
        if (option->implied) {
            printf("Fl -%s Ns Op = Ns Ar %s\n", option->name, argument);
        } else if (strcmp(argument, "WxH") == 0) {
            printf("Fl -%s Ar W Ns x Ns Ar H\n", option->name);
        } else if (strcmp(argument, "WxH[xD]") == 0) {
            printf("Fl -%s Ar W Ns x Ns Ar H Ns Op x Ns Ar D\n", option->name);
        } else if (argument[0]) {
            printf("Fl -%s Ar %s\n", option->name, argument);
        } else {
            printf("Fl -%s\n", option->name);
        }
        snprintf(body, sizeof(body), "%s%s.", option->help,
                 vks_option_values(option, values, sizeof(values)));
        put_text(body);
    }
    puts(".El");
}

static void put_model(const struct vks_model *model, bool first)
{
    char list[512], text[1024];
    printf(".Ss Simulation %s\n", model->name);
    snprintf(text, sizeof(text), "%s%s.", model->summary, first ? "; the default simulation" : "");
    put_text(text);
    puts(".Pp");
    snprintf(text, sizeof(text), "Initial conditions (--init): %s%s.",
             vks_join(vks_model_starts(model), list, sizeof(list)),
             model->starts_from_image ? ", image:FILE" : "");
    put_text(text);
    puts(".Pp\nViews:\n.Bl -tag -width Ds -compact");
    for (const struct vks_view *view = model->views; view->name; view++) {
        printf(".It Cm %s\n", view->name);
        put_text(view->help);
    }
    puts(".El\n.Pp\nPresets:\n.Bl -tag -width Ds -compact");
    for (const struct vks_preset *preset = vks_model_presets(model); preset->name; preset++) {
        printf(".It Cm %s\n", preset->name);
        put_text(preset->summary);
    }
    if (model->variants) {
        puts(".El\n.Pp\nVariants:\n.Bl -tag -width Ds -compact");
    }
    for (const struct vks_variant_row *row = model->variants; row && row->name; row++) {
        char help[256];
        printf(".It Cm %s\n", row->name);
        put_text(vks_variant_help(row, help, sizeof(help)));
    }
    puts(".El\n.Pp\nIts options (defaults apply unless the preset sets another value):");
    put_options(model->options);
}

static void put_commands(void)
{
    puts(".Sh COMMANDS");
    for (const struct vks_command *command = vks_commands; command->name; command++) {
        printf(".Ss %s %s\n", command->name, command->arguments);
        char text[512];
        snprintf(text, sizeof(text), "It %s.", command->summary);
        put_text(text);
        if (command != vks_commands && command->options->count > 0) { /* a run's are above */
            puts(command->has_jobs
                     ? ".Pp\nIts options, in addition to the shared ones, those of the "
                       "simulation, and those of a run about its length, start and "
                       "files:"
                 : command->has_simulation ? ".Pp\nIts options, in addition to the shared ones and "
                                             "those of the simulation:"
                                           : ".Pp\nIts options, in addition to the shared ones:");
            put_options(*command->options);
        }
    }
}

static void put_page(void)
{
    printf(".\\\" Made by tools/make_docs.c from the option tables. SPDX-License-Identifier: MIT\n"
           ".Dd " DATE "\n.Dt VKSIM 1\n.Os\n.Sh NAME\n.Nm vksim\n"
           ".Nd simulations on Vulkan compute, byte-identical on every driver\n"
           ".Sh SYNOPSIS\n.Nm\n.Op Ar SIMULATION\n.Op Ar OPTIONS\n"
           ".Nm\n.Ar COMMAND\n.Op Ar OPTIONS\n"
           ".Sh DESCRIPTION\n.Nm\n");
    puts("runs a simulation on a GPU and shows it in a window, or with\n"
         ".Fl -headless\n"
         "renders it to a video, pictures, arrays or a state file.\n"
         "Equal options and seeds produce byte-identical state and pictures on every Vulkan\n"
         "driver.\n"
         ".Pp\n"
         "Values come from these sources, later ones overriding earlier ones: the defaults of the\n"
         "options, the preset \"default\", a state file\n"
         ".Pq Fl -load-state ,\n"
         "a scene file\n"
         ".Pq Fl -scene ,\n"
         ".Fl -preset ,\n"
         "and the other options of the command line.\n"
         "A preset resets every option that it does not name to its default, except size and\n"
         "seed.\n"
         ".Pp\n"
         "An option is written as\n"
         ".Fl -name Ar value\n"
         "or\n"
         ".Fl -name Ns = Ns Ar value .\n"
         ".Ss Options of a run");
    put_options(vks_cli_options);
    puts(".Ss Options of the device");
    put_options(vks_device_options);
    puts(".Ss Options of all commands");
    put_options(vks_shared_options);
    puts(".Ss Options common to all simulations");
    put_options(vks_common_options);
    for (size_t i = 0; vks_model_at(i); i++) {
        put_model(vks_model_at(i), i == 0);
    }
    put_commands();
    puts(".Sh KEYS\nIn the window:\n"
         ".Bl -tag -width Ds -compact\n"
#define VKS_KEY(name, words) ".It \\&" name "\n" words "\n"
#include "ui/keys.def"
         ".El");
    puts(".Sh ENVIRONMENT\n.Bl -tag -width Ds\n"
         ".It Ev VKSIM_DEVICE\nThe GPU to use if\n.Fl -device\nis not given.\n"
         ".It Ev VKSIM_CACHE_DIR\nFolder of the pipeline cache.\n"
         ".It Ev XDG_CONFIG_HOME\nPresets that you have saved are in its subfolder\n"
         ".Pa vksim/presets ;\nits default is\n.Pa ~/.config .\n"
         ".It Ev XDG_CACHE_HOME\nThe pipeline cache is in its subfolder\n.Pa vksim\n"
         "if\n.Ev VKSIM_CACHE_DIR\nis not set.\n"
         ".El");
    puts(".Sh FILES\n.Bl -tag -width Ds\n"
         ".It Pa ~/.cache/vksim/pipelines-*.bin\n"
         "Compiled pipelines, one file per device and driver, if neither variable is set.\n"
         "They can be deleted at any time.\n"
         ".It Pa ~/.cache/vksim/variants-*.json\n"
         "The fastest variants of simulations, as measured, one file per device and driver.\n"
         "Without it they are measured again.\n"
         ".El");
    puts(".Sh EXIT STATUS\n.Bl -tag -width Ds -compact");
#define RESULT_ROW(name, value, text)   \
    if (vks_exit_code(name) == value) { \
        printf(".It %d\n", value);      \
        put_text(text);                 \
    }
    VKS_RESULTS(RESULT_ROW)
#undef RESULT_ROW
    puts(".El");
    puts(".Sh EXAMPLES\n"
         "A video of 500 frames,\n.Pa physarum.mp4 :\n"
         ".Pp\n.Dl vksim --headless --frames 500\n.Pp\n"
         "A different look and seed, in a window:\n"
         ".Pp\n.Dl vksim physarum --colormap abyss --seed 7 --sensor-angle 40\n.Pp\n"
         "The picture after 1000 steps:\n"
         ".Pp\n.Dl vksim --headless --steps 1000 --out picture.png\n.Pp\n"
         "The GPU time of each pass, without an output file:\n"
         ".Pp\n.Dl vksim --headless --steps 1000 --out none --timings\n.Pp\n"
         "A run in two halves, byte-identical to a single run:\n"
         ".Pp\n.Dl vksim --headless --steps 500 --out none --save-state half.npz\n"
         ".Dl vksim --headless --steps 500 --out none --load-state half.npz --digest\n"
         ".Sh SEE ALSO\n"
         ".Xr ffmpeg 1 ,\n.Xr vulkaninfo 1");
}

int main(void)
{
    if (vks_check_tables() != VKS_OK) {
        fprintf(stderr, "%s\n", vks_error_text());
        return 1;
    }
    put_page();
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
