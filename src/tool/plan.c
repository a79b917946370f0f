/* SPDX-License-Identifier: MIT */
/* --dry-run and --show-options: what would run, without a window or a device. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "frames/encoder.h"
#include "gpu/memory.h"
#include "runs/grid.h"
#include "tool/ranks.h"
#include "tool/written.h"

/* Prints a text of any length from a file or the command line, escaped. */
static void put_text(const char *text)
{
    const size_t size = 4 * strlen(text) + 1; /* a byte becomes at most \xHH */
    char *safe = malloc(size);
    fputs(safe ? vks_escape(text, safe, size) : "?", stdout);
    free(safe);
}

/* --- options --------------------------------------------------------------------------------- */

/* Prints one line: the name, the value and, where that differs, the default. */
static void print_value(const struct vks_option *option, const char *value, bool is_default)
{
    const char *standard = option->same_as        ? option->same_as
                           : option->default_text ? option->default_text
                                                  : "unset";
    if (option->type == VKS_OPTION_FLAG) {
        standard = "false";
    }
    printf("  %-19s ", option->name);
    put_text(value[0] ? value : "unset");
    if (!is_default) {
        printf("  (default: %s)", standard);
    }
    printf("\n");
}

/* The values of `values`, the structure of the table, except those that is_unset() (NULL: none)
 * names. */
static void print_table(const char *title, struct vks_option_table table, const void *values,
                        bool (*is_unset)(const struct vks_cli *cli, const struct vks_option *row),
                        const struct vks_cli *cli)
{
    printf("%s\n", title);
    for (size_t i = 0; i < table.count; i++) {
        const struct vks_option *option = &table.options[i];
        const bool unset = is_unset && is_unset(cli, option);
        if (table.options == vks_cli_options.options && cli->output_count > 1 &&
            (vks_outputs_coded(option) != VKS_CODED || option == VKS_CLI_ROW(last_out))) {
            print_value(option, "see the outputs", true);
            continue;
        }
        char text[VKS_VALUE_SIZE];
        print_value(option, unset ? "" : vks_option_get(option, values, text, sizeof(text)),
                    unset || vks_option_is_default(option, values));
    }
}

/* True for numbers and choices that have no default and were not given. --frames or --steps follows
 * from the other. */
static bool is_unset_row(const struct vks_cli *cli, const struct vks_option *row)
{
    const bool given = row == VKS_CLI_ROW(coding.crf) ? cli->coding.given[VKS_CODED_CRF]
                                                      : vks_cli_given(cli, row) != VKS_NOT_GIVEN;
    const bool is_open = (row == VKS_CLI_ROW(steps) && cli->steps == UINT64_MAX) ||
                         (row == VKS_CLI_ROW(frames) && cli->frames == UINT64_MAX);
    if (is_open) {
        return true;
    }
    return !row->default_text && row->type != VKS_OPTION_FLAG && row->type != VKS_OPTION_TEXT &&
           row != VKS_CLI_ROW(steps) && !given;
}

/* The values of all cells; "varies" where they differ. */
static void print_cells(const char *title, const struct vks_cli *cli, struct vks_option_table table,
                        bool own)
{
    const size_t count = cli->vary.count ? cli->vary.count : 1;
    printf("%s\n", title);
    for (size_t i = 0; i < table.count; i++) {
        const struct vks_option *option = &table.options[i];
        const struct vks_settings *first = &cli->cells[0];
        const void *values = own ? first->own : (const void *)&first->common;
        char first_text[VKS_VALUE_SIZE], text[VKS_VALUE_SIZE];
        const char *value = vks_option_get(option, values, first_text, sizeof(first_text));
        bool varies = false;
        for (size_t j = 1; j < count && !varies; j++) {
            const struct vks_settings *cell = &cli->cells[j];
            varies =
                strcmp(value, vks_option_get(option, own ? cell->own : (const void *)&cell->common,
                                             text, sizeof(text))) != 0;
        }
        const bool hidden = (option->flags & VKS_OPTION_SECRET) && value[0];
        print_value(option,
                    varies   ? "varies"
                    : hidden ? "given, and not shown"
                             : value,
                    varies || hidden || vks_option_is_default(option, values));
    }
}

/* The files of frames, each with its own options. */
static void print_files(const struct vks_cli *cli)
{
    printf("outputs:\n");
    for (size_t i = 0; i < cli->output_count; i++) {
        const struct vks_coding *coding = &cli->outputs[i].coding;
        printf("  ");
        put_text(cli->outputs[i].path);
        if (coding->given[VKS_CODED_ENCODER]) {
            printf(" --encoder %s", vks_encoder_names[coding->encoder]);
        }
        if (coding->given[VKS_CODED_CRF]) {
            printf(" --crf %" PRIu64, coding->crf);
        }
        if (vks_coding_depth(coding)) {
            printf(" --depth %" PRIu32, vks_coding_depth(coding));
        }
        printf("\n");
    }
}

void vks_print_values(const struct vks_cli *cli)
{
    const struct vks_model *model = cli->settings.model;
    char title[128];
    if (cli->output_count > 1) {
        print_files(cli);
    }
    print_table("options of the run:", vks_cli_options, cli, is_unset_row, cli);
    print_table("options of the device:", vks_device_options, &cli->call->shared, NULL, cli);
    print_cells("options common to all simulations:", cli, vks_common_options, false);
    snprintf(title, sizeof(title), "options of %s:", model->name);
    print_cells(title, cli, model->options, true);
}

/* --- the plan -------------------------------------------------------------------------------- */

static void print_line(const char *name, const char *text)
{
    printf("%-14s ", name);
    put_text(text);
    printf("\n");
}

static void print_outputs(const struct vks_cli *cli, const struct vks_outputs *names)
{
    struct vks_written files[VKS_MAX_WRITTEN];
    const size_t count = vks_written_list(cli, names, files);
    if (!cli->headless && !vks_cli_only_scene(cli)) {
        print_line("frames", "a window");
    }
    for (size_t i = 0; i < count; i++) {
        print_line(files[i].what, files[i].path);
    }
}

/* Of the steps, the frames and the time those that are known. */
static void print_length_by_time(const struct vks_cli *cli)
{
    const struct vks_settings *settings = &cli->cells[0];
    const double end = vks_settings_end(settings);
    const char *before = "length         ";
    if (cli->steps != UINT64_MAX) {
        printf("%s%" PRIu64 " steps", before, cli->steps);
        before = ", ";
    }
    if (cli->frames != UINT64_MAX) {
        printf("%s%" PRIu64 " frames", before, cli->frames);
        before = ", ";
    }
    if (end > 0) {
        printf("%s%s time %g", before, cli->until_end ? "until" : "at most until", end);
    }
    printf("\n");
}

/* The device memory that the run needs, and what `info` has of it; NULL: there is no device. */
static void print_memory(uint64_t bytes, const struct vks_device_info *info,
                         const struct vks_budget *budget)
{
    char needs[32], is_free[32], size[32];
    printf("device memory  at least %s", vks_format_bytes(bytes, needs));
    if (info) {
        printf("; %s has %s, of which %s are free", info->name,
               vks_format_bytes(budget->size, size), vks_format_bytes(budget->free, is_free));
    }
    printf("\n");
    if (info && bytes > budget->free) {
        vks_message(VKS_LOG_WARNING,
                    "the run needs at least %s of device memory, but %s has %s free; choose a "
                    "smaller --size or --output-size",
                    needs, info->name, is_free);
    }
}

static void print_run(const struct vks_cli *cli, const struct vks_grid *grid)
{
    const struct vks_size picture = vks_grid_size(grid);
    const struct vks_option *size_row = VKS_COMMON_ROW(size);
    char size[64];
    printf("simulation     %s\n", cli->settings.model->name);
    if (cli->vary.count) {
        printf("cells          %zu (%" PRIu32 "x%" PRIu32 ")\n", cli->vary.count, cli->vary.columns,
               cli->vary.rows);
    }
    printf("size           %s cells, pictures of %" PRIu32 "x%" PRIu32 " pixels\n",
           vks_option_get(size_row, &cli->cells[0].common, size, sizeof(size)), picture.width,
           picture.height);
    if (vks_cli_only_scene(cli)) {
        printf("length         nothing runs: the scene is the only output\n");
    } else if (cli->by_time) {
        print_length_by_time(cli);
    } else if (vks_cli_ends(cli)) {
        printf("length         %" PRIu64 " steps, %" PRIu64 " frames\n", cli->steps, cli->frames);
    } else {
        printf("length         until the window is closed\n");
    }
    if (vks_cli_state(cli)) {
        print_line(cli->resumed ? "continues" : "starts from", cli->state.path);
        printf("%-14s after %" PRIu64 " steps\n", "", cli->state.steps);
    }
}

enum vks_result vks_print_plan(const struct vks_cli *cli, const struct vks_grid *grid,
                               const struct vks_outputs *names, uint64_t bytes)
{
    struct vks_device_info info;
    struct vks_budget budget;
    const char *device = cli->call->shared.device;
    const enum vks_result found = vks_memory_survey(device, &info, &budget);
    if (found != VKS_OK && device) {
        return found;
    }
    print_run(cli, grid);
    const enum vks_result result = vks_ranks_print(cli);
    print_memory(bytes, found == VKS_OK ? &info : NULL, &budget);
    print_outputs(cli, names);
    vks_print_values(cli);
    return result;
}
