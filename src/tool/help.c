/* SPDX-License-Identifier: MIT */
/* --help and --list. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "sim/registry.h"
#include "tool/cli.h"
#include "view/colormap.h"

/* What --help describes. */
struct subject {
    struct vks_settings settings; /* defaults and preset */
    char source[128];             /* of values that are not defaults: "preset silk" */
};

/* Prints the options, with the values that `source` sets in `settings` (NULL: none). Nothing for an
 * empty table. */
static bool print_values(const char *title, struct vks_option_table table, const void *settings,
                         const char *source)
{
    if (table.count == 0) {
        return true;
    }
    char *text = vks_options_help(table, 100, settings, source);
    if (text) {
        printf("\n%s\n%s", title, text);
    }
    free(text);
    return text != NULL;
}

static bool print_options(const char *title, struct vks_option_table table)
{
    return print_values(title, table, NULL, NULL);
}

/* A simulation's views and presets. */
static void print_names(const struct vks_model *model, const char *views, const char *presets,
                        const char *indent)
{
    const struct vks_preset *preset = vks_model_presets(model);
    printf("%s\n", views);
    for (size_t i = 0; model->views[i].name; i++) {
        printf("%s%-25s %s%s\n", indent, model->views[i].name, model->views[i].help,
               i == 0 ? " (default)" : "");
    }
    printf("%s\n", presets);
    for (; preset->name; preset++) {
        printf("%s%-25s %s\n", indent, preset->name, preset->summary);
    }
}

/* The values of --variant. Rows without a help have that of the row before. */
static void print_variants(const struct vks_model *model)
{
    char help[256];
    if (model->variants) {
        printf("\nVariants of %s (--variant), all with the same results:\n  %-25s the fastest "
               "measured on this device (default)\n",
               model->name, "auto");
    }
    for (const struct vks_variant_row *row = model->variants; row && row->name; row++) {
        printf(row->help ? "  %-25s %s\n" : "  %s%s\n", row->name,
               vks_variant_help(row, help, sizeof(help)));
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
            printf("\nThe %s also sets (see vksim --help):\n", subject->source);
        }
        const int width = (int)(strlen(option->name) + strlen(value)) + 7;
        if (column > 0 && column + width > 100) {
            printf("\n");
            column = 0;
        }
        column += printf("    --%s %s", option->name, value);
    }
    if (count > 0) {
        printf("\n");
    }
}

static bool print_model_help(const struct subject *subject, bool all)
{
    const struct vks_model *model = subject->settings.model;
    char list[512], title[256];
    printf("vksim %s: %s\n\nUsage: vksim %s [OPTIONS]\n", model->name, model->summary, model->name);
    if (model->notes) {
        printf("\n%s", model->notes);
    }
    printf("\nInitial conditions (--init): %s%s\n",
           vks_join(vks_model_starts(model), list, sizeof(list)),
           model->starts_from_image ? ", image:FILE" : "");
    print_names(model, "Views (--view):", "Presets (--preset):", "  ");
    snprintf(title, sizeof(title),
             "Options of this simulation, with the values that the %s changes:", subject->source);
    if (!print_values(title, model->options, subject->settings.own, subject->source)) {
        return false;
    }
    print_common_values(subject);
    if (all) {
        print_variants(model);
    }
    return printf(
               "\nSee vksim --help for the options common to all simulations (size, seed, colours) "
               "and those of\na run.\n") > 0;
}

static void print_keys_and_codes(void)
{
    printf("\nKeys in the window:\n");
#define VKS_KEY(name, key, other, action, words) printf("  %-25s %s\n", name, words);
#include "ui/keys.def"
#undef VKS_KEY
    printf("\nExit codes:\n");
#define VKS_RESULT_ROW(name, value, text)    \
    if (vks_exit_code(name) == value) {      \
        printf("  %-25d %s\n", value, text); \
    }
    VKS_RESULTS(VKS_RESULT_ROW)
#undef VKS_RESULT_ROW
}

/* The help of the tool itself. */
static bool print_run_help(const struct subject *subject, bool all)
{
    printf("vksim %s: simulations on Vulkan compute, byte-identical on every driver\n\n"
           "Usage: vksim [SIMULATION] [OPTIONS]\n       vksim COMMAND [OPTIONS]\n\nSimulations:\n",
           VKS_VERSION);
    for (size_t i = 0; vks_model_at(i); i++) {
        printf("  %-25s %s%s\n", vks_model_at(i)->name, vks_model_at(i)->summary,
               i == 0 ? " (default)" : "");
    }
    printf("\nCommands:\n");
    for (const struct vks_command *command = vks_commands; command->name; command++) {
        printf("  %-25s %s\n", command->name, command->summary);
    }
    const bool printed = print_options("Options of a run:", vks_cli_options) &&
                         print_options("Options of the device:", vks_device_options) &&
                         print_options("Options of all commands:", vks_shared_options) &&
                         print_values("Options common to all simulations:", vks_common_options,
                                      &subject->settings.common, subject->source);
    for (size_t i = 0; all && vks_model_at(i); i++) {
        print_variants(vks_model_at(i));
    }
    print_keys_and_codes();
    return printed &&
           printf("\nSee vksim SIMULATION --help for the options of a simulation, vksim COMMAND "
                  "--help "
                  "for those of\na command, and vksim --list for the presets.\n") > 0;
}

int vks_exit_code(enum vks_result result)
{
    return (int)(result == VKS_ERROR_EXISTS   ? VKS_ERROR_FILE
                 : result == VKS_ERROR_MEMORY ? VKS_ERROR_GPU
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
        result = vks_settings_preset(&subject->settings, preset);
    }
    snprintf(subject->source, sizeof(subject->source), "preset %s%s%s",
             preset ? preset : vks_model_presets(model)[0].name, named ? "" : " of ",
             named ? "" : model->name);
    return result;
}

static bool print_command_help(const struct vks_command *command)
{
    printf("vksim %s: %s\n\nUsage: vksim %s %s%s[OPTIONS]\n", command->name, command->summary,
           command->name, command->arguments, command->arguments[0] ? " " : "");
    struct vks_option_table tables[VKS_COMMAND_TABLES];
    vks_command_tables(command, NULL, tables);
    return print_options("Options:", tables[0]) &&
           print_options("Options of the device:", tables[1]) &&
           print_options("Options of all commands:", tables[2]) &&
           (!command->has_simulation ||
            printf(
                "\nThe options of the simulation apply as well: see vksim SIMULATION --help, and "
                "vksim --help for those\nthat are common to all simulations.\n") > 0);
}

enum vks_result vks_print_help(const struct vks_call *call)
{
    struct subject subject = {0};
    const bool is_run = call->command == vks_commands;
    enum vks_result result = is_run ? take_subject(call, &subject) : VKS_OK;
    if (result == VKS_OK) {
        const bool printed = !is_run ? print_command_help(call->command)
                             : call->argument_count > 0
                                 ? print_model_help(&subject, call->shared.help_all)
                                 : print_run_help(&subject, call->shared.help_all);
        result = printed || ferror(stdout) ? VKS_OK : vks_fail_memory();
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
    char list[512];
    for (size_t i = 0; vks_model_at(i); i++) {
        const struct vks_model *model = vks_model_at(i);
        if (simulation && strcmp(simulation, model->name) != 0) {
            continue;
        }
        printf("%s: %s\n  initial conditions: %s%s\n", model->name, model->summary,
               vks_join(vks_model_starts(model), list, sizeof(list)),
               model->starts_from_image ? ", image:FILE" : "");
        print_names(model, "  views:", "  presets:", "    ");
    }
    if (!simulation) {
        list_colormaps();
    }
}
