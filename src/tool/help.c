/* SPDX-License-Identifier: MIT */
/* --help and --list. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "formula/find.h"
#include "formula/plugin.h"
#include "graph/variant.h"
#include "runs/presets.h"
#include "sim/registry.h"
#include "tool/cli.h"
#include "view/colormap.h"

/* What --help describes. */
struct subject {
    struct vks_settings settings; /* defaults and preset */
    char source[128];             /* of values that are not defaults: "preset silk" */
};

/* The width of the page: COLUMNS, else that of the terminal, else 80. */
static unsigned page_columns(void)
{
    const char *text = getenv("COLUMNS");
    struct winsize size;
    unsigned long columns = text ? strtoul(text, NULL, 10) : 0;
    if (columns == 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
        columns = size.ws_col;
    }
    return columns == 0 ? 80 : columns < 40 ? 40 : columns > 120 ? 120 : (unsigned)columns;
}

/* A row of a list: the name is indented by two columns, the words begin at VKS_HELP_INDENT. */
static void print_row(const char *name, const char *words)
{
    char head[512];
    snprintf(head, sizeof(head), "  %s", name);
    vks_put_row(stdout, head, words, VKS_HELP_INDENT, page_columns());
}

static void print_text(const char *text)
{
    vks_put_row(stdout, "", text, 0, page_columns());
}

/* Prints the options, with the values that `source` sets in `settings` (NULL: none). Nothing for an
 * empty table. */
static void print_values(const char *title, struct vks_option_table table, const void *settings,
                         const char *source)
{
    if (table.count > 0) {
        printf("\n");
        print_text(title);
        vks_options_help(stdout, table, page_columns(), settings, source);
    }
}

static void print_name(const char *name, const char *words, unsigned indent, unsigned columns)
{
    char head[128];
    snprintf(head, sizeof(head), "%*s%s", (int)indent, "", name);
    vks_put_row(stdout, head, words, VKS_HELP_INDENT - 2 + indent, columns);
}

/* The presets that a person has saved. */
static void print_own_presets(const struct vks_model *model, unsigned indent, unsigned columns)
{
    struct vks_own_presets own = {.count = 0};
    if (vks_own_presets_list(&own, model) != VKS_OK) {
        vks_message(VKS_LOG_WARNING, "%s", vks_error_text());
    }
    for (size_t i = 0; i < own.count; i++) {
        print_name(own.items[i].name, "a preset of your own", indent, columns);
    }
    vks_own_presets_free(&own);
}

/* A simulation's views, presets and brushes, under these headings and on lines of that many
 * columns. */
static void print_names(const struct vks_model *model, const char *const headings[3],
                        unsigned indent, unsigned columns)
{
    const struct vks_preset *preset = vks_model_presets(model);
    const struct vks_brush *brush = model->brushes;
    char words[512];
    printf("%s\n", headings[0]);
    for (size_t i = 0; model->views[i].name; i++) {
        snprintf(words, sizeof(words), "%s%s", model->views[i].help, i == 0 ? " (default)" : "");
        print_name(model->views[i].name, words, indent, columns);
    }
    printf("%s\n", headings[1]);
    for (; preset->name; preset++) {
        print_name(preset->name, preset->summary, indent, columns);
    }
    print_own_presets(model, indent, columns);
    if (brush) {
        printf("%s\n", headings[2]);
    }
    for (; brush && brush->name; brush++) {
        print_name(brush->name, brush->help, indent, columns);
    }
}

/* The values of --variant. Rows without a help have that of the row before. */
static void print_variants(const struct vks_model *model)
{
    char help[256];
    if (model->variants) {
        printf("\n");
        snprintf(help, sizeof(help),
                 "Variants of %s (--variant), all with the same results:", model->name);
        print_text(help);
        print_row("auto", "the fastest measured on this device (default)");
    }
    for (const struct vks_variant_row *row = model->variants; row && row->name; row++) {
        print_row(row->name, row->help ? vks_variant_help(row, help, sizeof(help)) : "");
    }
}

/* The common options that the preset sets, except the start that every simulation has. */
static void print_common_values(const struct subject *subject)
{
    const char *const first = vks_model_starts(subject->settings.model)[0];
    unsigned count = 0;
    int column = 0;
    for (size_t i = 0; i < vks_common_options.count; i++) {
        const struct vks_option *option = &vks_common_options.options[i];
        char buffer[VKS_VALUE_SIZE];
        const char *value =
            vks_option_get(option, &subject->settings.common, buffer, sizeof(buffer));
        if (vks_option_is_default(option, &subject->settings.common) ||
            (option == VKS_COMMON_ROW(init) && strcmp(value, first) == 0)) {
            continue;
        }
        if (count++ == 0) {
            printf("\nThe %s also sets (see vksim --help all):\n", subject->source);
        }
        const int width = (int)(strlen(option->name) + strlen(value)) + 7;
        if (column > 0 && column + width > (int)page_columns()) {
            printf("\n");
            column = 0;
        }
        column += printf("    --%s %s", option->name, value);
    }
    if (count > 0) {
        printf("\n");
    }
}

/* The words that name the simulation of the call. */
static void print_usage(const struct vks_call *call)
{
    const char *name = call->arguments[0], *file = call->file ? call->file : name;
    const struct vks_loaded_plugin *plugin = call->file ? vks_plugin_of(call->model) : NULL;
    const bool named = call->model_named && strcmp(file, name) != 0;
    printf("\nUsage: vksim %s%s%s [OPTIONS]\n", file, named ? " " : "", named ? name : "");
    for (size_t i = 0; plugin && plugin->models[i]; i++) {
        if (strcmp(plugin->models[i]->name, name) != 0) {
            printf("       vksim %s %s [OPTIONS]\n", file, plugin->models[i]->name);
        }
    }
    printf("\n");
}

static void print_model_help(const struct vks_call *call, const struct subject *subject, bool all)
{
    static const char *const headings[] = {"Views (--view):", "Presets (--preset):",
                                           "Brushes (in the window, and in events of scenes):"};
    const struct vks_model *model = subject->settings.model;
    char list[512], text[640];
    snprintf(text, sizeof(text), "vksim %s: %s", model->name, model->summary);
    print_text(text);
    print_usage(call);
    if (model->notes) {
        print_text(model->notes);
        printf("\n");
    }
    snprintf(text, sizeof(text), "Initial conditions (--init): %s%s",
             vks_join(vks_model_starts(model), list, sizeof(list)),
             model->starts_from_image ? ", image:FILE" : "");
    print_text(text);
    print_names(model, headings, 2, page_columns());
    snprintf(text, sizeof(text),
             "Options of this simulation, with the values that the %s changes:", subject->source);
    print_values(text, model->options, subject->settings.own, subject->source);
    print_common_values(subject);
    if (all) {
        print_variants(model);
    }
    printf("\n");
    print_text("See vksim --help all for the options common to all simulations (size, seed, "
               "colours) and those of a run.");
}

static void print_keys_and_codes(void)
{
    char code[16];
    printf("\nKeys in the window:\n");
#define VKS_KEY(name, words) print_row(name, words);
#include "ui/keys.def"
    printf("\nExit codes:\n");
#define VKS_RESULT_ROW(name, value, text)          \
    if (vks_exit_code(name) == value) {            \
        snprintf(code, sizeof(code), "%d", value); \
        print_row(code, text);                     \
    }
    VKS_RESULTS(VKS_RESULT_ROW)
#undef VKS_RESULT_ROW
}

/* The topics between "short" and "all": consecutive rows of the tables, the first of which has the
 * name. */
static const struct {
    const char *name, *title, *contents;
} topics[] = {
    {"run", "Run", "length, size, seed, start, scenes"},
    {"look", "Look", "view, colours, camera, relief, crop"},
    {"output", "Output", "files, encoders, meshes, grids, state files, tables"},
    {"device", "Device", "the GPU, timings, traces, messages"},
};

static void print_topic(const struct subject *subject, const char *name)
{
    const struct {
        struct vks_option_table table;
        const void *values;
    } parts[] = {{vks_common_options, &subject->settings.common},
                 {vks_cli_options, NULL},
                 {vks_device_options, NULL},
                 {vks_shared_options, NULL}};
    for (size_t i = 0; i < VKS_COUNT(parts); i++) {
        const char *topic = "";
        for (size_t row = 0; row < parts[i].table.count; row++) {
            const struct vks_option *option = &parts[i].table.options[row];
            topic = option->topic ? option->topic : topic;
            if (strcmp(topic, name) == 0) {
                vks_options_help(stdout, (struct vks_option_table){option, 1}, page_columns(),
                                 parts[i].values, subject->source);
            }
        }
    }
}

/* The views of every simulation. */
static void print_views(void)
{
    printf("\nViews (--view) of each simulation:\n");
    for (size_t i = 0; vks_model_at(i); i++) {
        const struct vks_model *model = vks_model_at(i);
        const char *names[VKS_MAX_VIEWS + 1] = {NULL};
        char list[512];
        for (size_t view = 0; model->views[view].name; view++) {
            names[view] = model->views[view].name;
        }
        print_row(model->name, vks_join(names, list, sizeof(list)));
    }
}

static void print_sections(const struct subject *subject, const char *name)
{
    const bool all = strcmp(name, "all") == 0;
    for (size_t i = 0; i < VKS_COUNT(topics); i++) {
        if (all || strcmp(name, topics[i].name) == 0) {
            printf("%s%s (%s):\n", all ? "\n" : "", topics[i].title, topics[i].contents);
            print_topic(subject, topics[i].name);
        }
    }
    if (all || strcmp(name, "look") == 0) {
        print_views();
    }
}

/* The options of the short help. */
static void print_common(void)
{
    const struct vks_option_table tables[] = {vks_cli_options, vks_common_options};
    char head[128];
    for (size_t i = 0; i < VKS_COUNT(tables); i++) {
        for (size_t row = 0; row < tables[i].count; row++) {
            const struct vks_option *option = &tables[i].options[row];
            if (option->brief) {
                vks_put_row(stdout, vks_option_head(option, head, sizeof(head)), option->brief,
                            VKS_HELP_INDENT, page_columns());
            }
        }
    }
}

static void print_title(void)
{
    printf("vksim %s: simulations on Vulkan compute, byte-identical on every driver\n\n"
           "Usage: vksim [SIMULATION] [OPTIONS]\n       vksim COMMAND [OPTIONS]\n",
           VKS_VERSION);
}

/* One screen. */
static void print_short_help(void)
{
    char text[256];
    const char *names[16] = {NULL};
    print_title();
    printf("\nSimulations:\n");
    for (size_t i = 0; vks_model_at(i); i++) {
        const char *summary = vks_model_at(i)->summary;
        snprintf(text, sizeof(text), "%.*s%s", (int)strcspn(summary, ":,"), summary,
                 i == 0 ? " (default)" : "");
        print_row(vks_model_at(i)->name, text);
    }
    printf("\nOptions:\n");
    print_common();
    printf("\nExamples:\n"
           "  vksim --preset network --colormap abyss     # in a window; Q quits\n"
           "  vksim --preset silk --duration 10s --out silk.mp4\n"
           "  vksim gray-scott --steps 9000 --out picture.png\n"
           "  vksim --vary preset=worms,silk,net --steps 400 --out sheet.png\n"
           "  vksim --init image:photo.jpg --out photo.mp4\n"
           "\nMore:\n");
    print_row("vksim SIMULATION --help", "its options; --list: its presets and views");
    for (size_t i = 0; i < VKS_COUNT(topics); i++) {
        snprintf(text, sizeof(text), "vksim --help %s", topics[i].name);
        print_row(text, topics[i].contents);
    }
    print_row("vksim --help all", "every option, key and exit code");
    for (size_t i = 1; vks_commands[i].name; i++) {
        names[i - 1] = vks_commands[i].name;
    }
    print_row("vksim COMMAND --help", vks_join(names, text, sizeof(text)));
}

/* Everything about runs. */
static void print_long_help(const struct subject *subject)
{
    char text[256];
    print_title();
    printf("\nSimulations:\n");
    for (size_t i = 0; vks_model_at(i); i++) {
        snprintf(text, sizeof(text), "%s%s", vks_model_at(i)->summary, i == 0 ? " (default)" : "");
        print_row(vks_model_at(i)->name, text);
    }
    printf("\nCommands:\n");
    for (const struct vks_command *command = vks_commands; command->name; command++) {
        print_row(command->name, command->summary);
    }
    print_sections(subject, "all");
    for (size_t i = 0; vks_model_at(i); i++) {
        print_variants(vks_model_at(i));
    }
    print_keys_and_codes();
    printf("\n");
    print_text("See vksim SIMULATION --help for the options of a simulation, vksim COMMAND --help "
               "for those of a command, and vksim --list for the presets.");
}

int vks_exit_code(enum vks_result result)
{
    return (int)(result == VKS_ERROR_EXISTS                               ? VKS_ERROR_FILE
                 : result == VKS_ERROR_MEMORY || result == VKS_ERROR_LOST ? VKS_ERROR_GPU
                                                                          : result);
}

/* The defaults and the preset of the command line, or the first, of the named simulation, or the
 * first. */
static enum vks_result take_subject(const struct vks_call *call, struct subject *subject)
{
    const char *preset = NULL;
    const bool named = call->argument_count > 0;
    const struct vks_model *model = named ? vks_model_find(call->arguments[0]) : vks_model_at(0);
    for (size_t i = 0; i < call->word_count; i++) {
        const bool is_preset = call->words[i].option == VKS_CLI_ROW(preset);
        preset = is_preset ? call->words[i].text : preset;
    }
    enum vks_result result = vks_settings_init(&subject->settings, model);
    if (result == VKS_OK && preset) {
        result = vks_preset_apply(&subject->settings, preset);
    }
    snprintf(subject->source, sizeof(subject->source), "preset %s%s%s",
             preset ? preset : vks_model_presets(model)[0].name, named ? "" : " of ",
             named ? "" : model->name);
    return result;
}

static void print_command_help(const struct vks_command *command)
{
    char title[256];
    snprintf(title, sizeof(title), "vksim %s: %s", command->name, command->summary);
    print_text(title);
    printf("\nUsage: vksim %s %s%s[OPTIONS]\n", command->name, command->arguments,
           command->arguments[0] ? " " : "");
    struct vks_option_table tables[VKS_COMMAND_TABLES];
    vks_command_tables(command, NULL, tables);
    print_values("Options:", tables[0], NULL, NULL);
    print_values("Options of the jobs:", tables[5], NULL, NULL);
    print_values("Options of the device:", tables[1], NULL, NULL);
    print_values("Options of all commands:", tables[2], NULL, NULL);
    if (command->has_simulation) {
        printf("\n");
        print_text("The options of the simulation apply as well: see vksim SIMULATION --help, and "
                   "vksim --help all for those that are common to all simulations.");
    }
}

enum vks_result vks_print_help(const struct vks_call *call)
{
    struct subject subject = {0};
    const char *topic = call->shared.help;
    const bool is_run = call->command == vks_commands, all = strcmp(topic, "all") == 0;
    const enum vks_result result = is_run ? take_subject(call, &subject) : VKS_OK;
    if (result == VKS_OK && !is_run) {
        print_command_help(call->command);
    } else if (result == VKS_OK && !all && strcmp(topic, "short") != 0) {
        print_sections(&subject, topic);
    } else if (result == VKS_OK && call->argument_count > 0) {
        print_model_help(call, &subject, all);
    } else if (result == VKS_OK && all) {
        print_long_help(&subject);
    } else if (result == VKS_OK) {
        print_short_help();
    }
    vks_settings_free(&subject.settings);
    return result;
}

/* Whether standard output supports 24-bit colour escapes and, in *half_blocks, UTF-8. */
static bool shows_colours(bool *half_blocks)
{
    const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"}; /* in order of precedence */
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
        /* Two samples per character: the foreground is the left half, the background the right. */
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
    printf("colour maps (NAME_r is NAME reversed):\n");
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

void vks_print_list(const char *simulation)
{
    static const char *const headings[] = {"  views:", "  presets:", "  brushes:"};
    char list[512];
    for (size_t i = 0; vks_model_at(i); i++) {
        const struct vks_model *model = vks_model_at(i);
        if (simulation && strcmp(simulation, model->name) != 0 &&
            !vks_plugin_model(vks_plugin_of(model), simulation)) {
            continue;
        }
        printf("%s: %s\n  initial conditions: %s%s\n", model->name, model->summary,
               vks_join(vks_model_starts(model), list, sizeof(list)),
               model->starts_from_image ? ", image:FILE" : "");
        print_names(model, headings, 4, UINT_MAX);
    }
    if (!simulation) {
        printf("models (vksim NAME; vksim NAME --list for the presets of one):\n");
        vks_list_model_files(print_row);
        list_colormaps();
    }
}
