/* SPDX-License-Identifier: MIT */
/* The command `sweep`. */
#include "tool/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "tool/cli.h"
#include "tool/device_list.h"

#define AT(member) offsetof(struct vks_sweep_values, member)
static const struct vks_option rows[] = {
    {.name = "vary",
     .type = VKS_OPTION_TEXT,
     .offset = AT(vary),
     .argument = "OPTION=VALUES",
     .help = "an option that varies: preset, or any option of the simulation or its look. VALUES: "
             "a list separated by commas, or by semicolons if values contain commas; LOW..HIGH/N "
             "for N numbers; LOW..HIGH for all whole numbers; or all for every name. May be given "
             "several times: there is a job for each combination, and the last one varies fastest"},
    {.name = "seeds",
     .type = VKS_OPTION_TEXT,
     .offset = AT(seeds),
     .argument = "VALUES",
     .help = "the same as --vary seed=VALUES, such as 1..8"},
    {.name = "from",
     .type = VKS_OPTION_TEXT,
     .offset = AT(from),
     .argument = "FILE.csv",
     .help =
         "read combinations from a table: the header has names of options, and each row the "
         "values of a job, where an empty field sets nothing; with --vary, each row is combined "
         "with all values"},
    {.name = "table",
     .type = VKS_OPTION_TEXT,
     .offset = AT(table),
     .argument = "FILE.csv",
     .help = "write a row per job: number, key, values, last value of every scalar, steps, digest "
             "of the state and exit code. Times and devices are written to FILE.times.csv"},
    {.name = "part",
     .type = VKS_OPTION_TEXT,
     .offset = AT(part),
     .argument = "I/N",
     .help =
         "run only the jobs whose number is I modulo N, for batch systems; the last part to end "
         "writes the table"},
    {.name = "resume",
     .type = VKS_OPTION_TEXT,
     .offset = AT(resume),
     .argument = "FILE.csv",
     .help = "resume the sweep of this table: run jobs that are missing or failed. The table's "
             "options are read from its parts; with the full command line, a missing sweep is "
             "started"},
    {.name = "devices",
     .type = VKS_OPTION_TEXT,
     .offset = AT(devices),
     .argument = "DEVICE,...",
     .help = "devices of the processes, in turn, each as for --device"},
    {.name = "jobs",
     .type = VKS_OPTION_COUNT,
     .offset = AT(jobs),
     .min = 0,
     .max = VKS_MAX_WORKERS,
     .default_text = "0",
     .unit = "",
     .help = "number of processes, each of which runs one job at a time; 0: one per device of "
             "--devices"},
    {.name = "list",
     .type = VKS_OPTION_FLAG,
     .offset = AT(list),
     .help = "print a command line per job, and exit: for GNU parallel and others"},
    {.name = "dry-run",
     .type = VKS_OPTION_FLAG,
     .offset = AT(dry_run),
     .help = "check everything that needs no device, print what would run, and exit"},
    {.name = "overwrite",
     .type = VKS_OPTION_FLAG,
     .offset = AT(overwrite),
     .help = "replace an existing table with all its parts, and existing files of jobs"},
};
#undef AT
const struct vks_option_table vks_sweep_options = {rows, VKS_COUNT(rows)};

/* --- the command line ------------------------------------------------------------------------- */

/* Parses the options of the sweep that --resume names, followed by those of the command line. */
static enum vks_result recall(const struct vks_call *given, const char *table,
                              struct vks_words *words, struct vks_call *call)
{
    enum vks_result result = vks_words_add(words, given->argv[0]);
    if (result == VKS_OK) {
        result = vks_words_add(words, given->command->name);
    }
    if (result == VKS_OK) {
        result = vks_sweep_recall(table, words);
    }
    for (int i = 2; i < given->argc && result == VKS_OK; i++) {
        result = vks_words_add(words, given->argv[i]);
    }
    return result == VKS_OK ? vks_call_parse(call, (int)words->count, words->words) : result;
}

/* Options that do not go together. */
static enum vks_result check_values(const struct vks_sweep *sweep)
{
    const struct vks_sweep_values *values = &sweep->values;
    if (values->resume && values->table && strcmp(values->resume, values->table) != 0) {
        return vks_fail(VKS_ERROR_USAGE, "--resume '%s' and --table '%s' name two tables",
                        values->resume, values->table);
    }
    if (values->resume && values->overwrite) {
        return vks_fail(VKS_ERROR_USAGE, "--resume and --overwrite exclude each other");
    }
    if (values->list && (values->table || values->devices || values->dry_run)) {
        return vks_fail(VKS_ERROR_USAGE, "--list and --%s exclude each other",
                        values->table     ? "table"
                        : values->devices ? "devices"
                                          : "dry-run");
    }
    return vks_device_list_check(sweep->call, values->devices);
}

/* The key of the first job. Checks the first and last job only; other combinations fail when run.
 */
static enum vks_result check_jobs(const struct vks_sweep *sweep, char key[33])
{
    char last[33];
    const enum vks_result result = vks_sweep_key(sweep, 0, true, key);
    return result == VKS_OK ? VKS_OK : vks_sweep_key(sweep, sweep->count - 1, true, last);
}

/* --- running --------------------------------------------------------------------------------- */

/* Jobs of the part; those of them that have failed, and the first of these; those that are left. */
struct count {
    size_t all, failed, first, left;
};

static struct count count_jobs(const struct vks_sweep *sweep, const struct vks_sweep_table *table)
{
    struct count count = {0};
    for (size_t job = sweep->part; job < sweep->count; job += sweep->parts) {
        const bool failed = table->done[job] > 0;
        count.first = failed && count.failed == 0 ? job : count.first;
        count.failed += failed;
        count.left += table->done[job] != 0;
        count.all++;
    }
    return count;
}

static enum vks_result print_plan(const struct vks_sweep *sweep,
                                  const struct vks_sweep_table *table)
{
    const struct count count = count_jobs(sweep, table);
    const size_t all = sweep->count;
    printf("simulation     %s\njobs           %zu:", sweep->model->name, all);
    if (sweep->from.columns > 0) {
        printf(" %zu row%s of %s%s", sweep->from.rows - 1, sweep->from.rows == 2 ? "" : "s",
               sweep->values.from, sweep->axis_count ? " x" : "");
    }
    for (size_t i = 0; i < sweep->axis_count; i++) {
        printf("%s %s %zu", i ? " x" : "", sweep->axes[i].option, sweep->axes[i].count);
    }
    printf("\npart           %zu/%zu, %zu job%s, %zu to run\ntable          %s\n", sweep->part,
           sweep->parts, count.all, count.all == 1 ? "" : "s", count.left, table->path);
    if (sweep->part < all) {
        printf("first job      ");
    }
    return vks_sweep_print(sweep, sweep->part, all);
}

/* Says how the sweep ended. The exit code is that of the first job that failed. */
static enum vks_result conclude(const struct vks_sweep *sweep, const struct vks_sweep_table *table,
                                size_t missing)
{
    const struct count count = count_jobs(sweep, table);
    if (missing > 0) {
        vks_message(VKS_LOG_INFO, "part %zu/%zu has ended; %s still lacks %zu job%s of other parts",
                    sweep->part, sweep->parts, table->path, missing, missing == 1 ? "" : "s");
    } else {
        vks_message(VKS_LOG_INFO, "wrote %s (%zu row%s)", table->path, sweep->count,
                    sweep->count == 1 ? "" : "s");
    }
    return count.failed
               ? vks_fail((enum vks_result)table->done[count.first],
                          "%zu of %zu job%s failed; the first is job %zu with exit code %d; "
                          "--resume %s tries again",
                          count.failed, count.all, count.all == 1 ? "" : "s", count.first,
                          table->done[count.first], table->path)
               : VKS_OK;
}

static enum vks_result run_jobs(const struct vks_sweep *sweep, const char *key)
{
    struct vks_sweep_table table;
    size_t missing = 0;
    /* Parts that run at the same time would remove each other's rows. */
    if (sweep->values.overwrite && sweep->parts > 1) {
        return vks_fail(VKS_ERROR_USAGE, "--overwrite and --part exclude each other; delete the "
                                         "files of the earlier sweep first");
    }
    enum vks_result result = vks_sweep_open(sweep, key, sweep->values.dry_run, &table);
    if (result == VKS_OK && sweep->values.dry_run) {
        result = print_plan(sweep, &table);
    } else if (result == VKS_OK) {
        result = vks_sweep_run(sweep, &table);
        result = result == VKS_OK ? vks_sweep_merge(sweep, &table, &missing) : result;
        result = result == VKS_OK ? conclude(sweep, &table, missing) : result;
    }
    vks_sweep_close(&table);
    return result;
}

enum vks_result vks_command_sweep(struct vks_call *call)
{
    struct vks_sweep sweep = {.call = call};
    struct vks_words words = {0};
    struct vks_call recalled = {0};
    char key[33];
    enum vks_result result = vks_call_values(call, &sweep.values);
    if (result == VKS_OK && sweep.values.resume &&
        !(sweep.values.vary || sweep.values.seeds || sweep.values.from)) {
        result = recall(call, sweep.values.resume, &words, &recalled);
        sweep.call = &recalled;
        vks_options_free(vks_sweep_options, &sweep.values);
        result = result == VKS_OK ? vks_call_values(&recalled, &sweep.values) : result;
    }
    if (result == VKS_OK) {
        result = check_values(&sweep);
    }
    if (result == VKS_OK) {
        result = vks_sweep_read(&sweep);
    }
    if (result == VKS_OK) {
        result = check_jobs(&sweep, key);
    }
    if (result == VKS_OK) {
        result = sweep.values.list ? vks_sweep_print(&sweep, sweep.part, sweep.parts)
                                   : run_jobs(&sweep, key);
    }
    vks_sweep_free(&sweep);
    vks_call_free(&recalled);
    vks_words_free(&words);
    return result;
}
