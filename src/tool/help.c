/* SPDX-License-Identifier: MIT */
/* --help and --list. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "tool/cli.h"
#include "view/colormap.h"

static bool print_options(const char *title, struct vks_option_table table)
{
    char *text = vks_options_help(table, 100);
    if (text) {
        printf("\n%s\n%s", title, text);
    }
    free(text);
    return text != NULL;
}

bool vks_cli_help(const struct vks_model *model)
{
    char list[512];
    if (model) {
        printf("vksim %s: %s\n\nUsage: vksim %s [OPTIONS]\n", model->name, model->summary,
               model->name);
        printf("\nInitial conditions (--init): %s%s\n",
               vks_join(vks_model_starts(model), list, sizeof(list)),
               model->starts_from_image ? ", image:FILE" : "");
        const struct vks_preset *presets = vks_model_presets(model);
        printf("Views (--view):\n");
        for (size_t i = 0; model->views[i].name; i++) {
            printf("  %-25s %s%s\n", model->views[i].name, model->views[i].help,
                   i == 0 ? " (default)" : "");
        }
        printf("Presets (--preset):\n");
        for (size_t i = 0; presets[i].name; i++) {
            printf("  %-25s %s\n", presets[i].name, presets[i].summary);
        }
        return print_options("Options of this simulation (defaults apply unless the preset sets "
                             "another value):",
                             model->options) &&
               printf("\nvksim --help shows the options common to all simulations (size, seed, "
                      "colours) and those of\nthe tool.\n") > 0;
    }
    printf("vksim %s: simulations on Vulkan compute, byte-identical on every driver\n\n"
           "Usage: vksim [SIMULATION] [OPTIONS]\n\nSimulations:\n",
           VKS_VERSION);
    for (size_t i = 0; vks_model_at(i); i++) {
        printf("  %-25s %s%s\n", vks_model_at(i)->name, vks_model_at(i)->summary,
               i == 0 ? " (default)" : "");
    }
    return print_options("Options of the tool:", vks_cli_options) &&
           print_options("Options common to all simulations:", vks_common_options) &&
           printf("\nvksim SIMULATION --help shows the options of a simulation, vksim --list its "
                  "presets.\n"
                  "Window keys: space pause and resume, . single-step, R restart, N restart with "
                  "the next seed,\nS save the picture, F full screen, Q or Escape quit.\n"
                  "Exit codes: 0 success, 2 usage error, 3 no suitable device or display, 4 file "
                  "error, 5 GPU failure\nor out of memory, 6 validation messages, 7 run ended by "
                  "the simulation, 8 internal\nerror, 130 interrupted.\n") > 0;
}

int vks_exit_code(enum vks_result result)
{
    return (int)(result == VKS_ERROR_EXISTS ? VKS_ERROR_FILE : result);
}

/* Whether escapes of 24-bit colours, and half blocks in UTF-8, may be written to stdout. */
static bool shows_colours(bool *half_blocks)
{
    const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"}; /* the first that is set counts */
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
        /* The first of two is the letter's, the left half; the second its background. */
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

void vks_cli_list(void)
{
    char list[512];
    for (size_t i = 0; vks_model_at(i); i++) {
        const struct vks_model *model = vks_model_at(i);
        const struct vks_preset *presets = vks_model_presets(model);
        printf("%s: %s\n  initial conditions: %s%s\n  views:\n", model->name, model->summary,
               vks_join(vks_model_starts(model), list, sizeof(list)),
               model->starts_from_image ? ", image:FILE" : "");
        for (size_t j = 0; model->views[j].name; j++) {
            printf("    %-25s %s%s\n", model->views[j].name, model->views[j].help,
                   j == 0 ? " (default)" : "");
        }
        printf("  presets:\n");
        for (size_t j = 0; presets[j].name; j++) {
            printf("    %-25s %s\n", presets[j].name, presets[j].summary);
        }
    }
    list_colormaps();
}
