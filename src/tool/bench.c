/* SPDX-License-Identifier: MIT */
/* The command `bench`. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "api/simulation.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/task.h"
#include "bench/ceilings.h"
#include "gpu/memory.h"
#include "ranks/local.h"
#include "report/plot.h"
#include "runs/run.h"
#include "tool/bench.h"
#include "tool/bench_plot.h"
#include "tool/command.h"

#define AT(member) offsetof(struct vks_bench_values, member)
static const struct vks_option bench_rows[] = {
    {.name = "fresh",
     .type = VKS_OPTION_FLAG,
     .offset = AT(fresh),
     .help = "measure everything again; default: use the values kept in the cache folder"},
    {.name = "json",
     .type = VKS_OPTION_FLAG,
     .offset = AT(json),
     .help = "print JSON, in units of bytes, operations and seconds"},
    {.name = "csv",
     .type = VKS_OPTION_FLAG,
     .offset = AT(csv),
     .help = "print the rungs of kernels as CSV, in the same units"},
    {.name = "sizes",
     .type = VKS_OPTION_TEXT,
     .offset = AT(sizes),
     .argument = "SIZE,...",
     .help = "sizes of a kernel, such as 1000000 or 8192x4096; default: some that fit the device"},
    {.name = "rungs",
     .type = VKS_OPTION_TEXT,
     .offset = AT(rungs),
     .argument = "NAME,...",
     .help = "rungs of a kernel; default: all"},
    {.name = "dtype",
     .type = VKS_OPTION_TEXT,
     .offset = AT(dtype),
     .argument = "NAME",
     .help = "type of a kernel's data: float32, float16 or uint32; default: the kernel's own"},
    {.name = "retune",
     .type = VKS_OPTION_FLAG,
     .offset = AT(retune),
     .help = "search for the constants of tuned rungs again; default: use those kept in the cache "
             "folder"},
    {.name = "show-tuning",
     .type = VKS_OPTION_FLAG,
     .offset = AT(show_tuning),
     .help = "print the combinations that the search for these constants tried"},
    {.name = "report",
     .type = VKS_OPTION_TEXT,
     .offset = AT(report),
     .argument = "FILE.html",
     .help = "also write the rungs into an HTML page: tables and plots"},
    {.name = "ranks",
     .type = VKS_OPTION_COUNT,
     .offset = AT(ranks),
     .min = 2,
     .max = VKS_LOCAL_RANKS,
     .unit = "",
     .help = "number of ranks whose exchanges are measured; default: 2"},
    {.name = "devices",
     .type = VKS_OPTION_TEXT,
     .offset = AT(devices),
     .argument = "DEVICE,...",
     .help = "devices of these ranks, in turn; default: the machine's devices of the best kind"},
    {.name = "plot",
     .type = VKS_OPTION_TEXT,
     .offset = AT(plot),
     .argument = "FILE.svg|png",
     .help = "also draw the values"},
    {.name = "explain",
     .type = VKS_OPTION_TEXT,
     .offset = AT(explain),
     .argument = "FILE.svg|html",
     .help = "do not measure; draw what each lane of a workgroup reads and writes"},
    {.name = "overwrite",
     .type = VKS_OPTION_FLAG,
     .offset = AT(overwrite),
     .help = "replace an existing plot or page"},
};
#undef AT
const struct vks_option_table vks_bench_options = {bench_rows, VKS_COUNT(bench_rows)};

/* --- output ---------------------------------------------------------------------------------- */

static void print_number(double value)
{
    printf(" %10.*f", value < 10 ? 3 : value < 1000 ? 1 : 0, value);
}

void vks_bench_print_row(const char *name, const struct vks_spread *value, double scale)
{
    printf("%-18s", name);
    print_number(value->median * scale);
    print_number(value->min * scale);
    print_number(value->max * scale);
    printf(" %8.1f %%", 100 * (value->high_quartile - value->low_quartile) / value->median);
}

/* A column for each ceiling that was measured over sizes. */
static void print_sizes(const struct vks_ceilings *set)
{
    const struct vks_ceiling *first = NULL;
    for (size_t i = 0; i < set->count; i++) {
        const struct vks_ceiling *ceiling = &set->items[i];
        if (ceiling->point_count > 0) {
            if (!first) {
                printf("\n%-18s", "buffer");
                first = ceiling;
            }
            printf(" %10s", ceiling->info->name);
        }
    }
    for (size_t row = 0; first && row < first->point_count; row++) {
        char size[32];
        printf("\n%-18s", vks_format_bytes(first->points[row].bytes, size));
        for (size_t i = 0; i < set->count; i++) {
            const struct vks_ceiling *ceiling = &set->items[i];
            if (row < ceiling->point_count) { /* all have the same sizes */
                print_number(ceiling->points[row].value.median * ceiling->info->scale);
            }
        }
        printf(" %s", first->info->symbol);
    }
    printf("%s", first ? "\n" : "");
}

static void print_table(const struct vks_device_info *device, const struct vks_ceilings *set)
{
    printf("ceilings of %s (%s)\n%-18s %10s %10s %10s %10s\n", device->name, device->driver, "",
           "median", "min", "max", "spread");
    for (size_t i = 0; i < set->count; i++) {
        const struct vks_ceiling *ceiling = &set->items[i];
        const struct vks_ceiling_info *info = ceiling->info;
        if (ceiling->missing) {
            printf("%-18s   needs %s, which the device does not offer\n", info->name,
                   ceiling->missing);
            continue;
        }
        vks_bench_print_row(info->name, &ceiling->value, info->scale);
        printf("  %-8s %s\n", info->symbol, info->help);
    }
    print_sizes(set);
}

static enum vks_result print_json(const struct vks_device_info *device,
                                  const struct vks_ceilings *set)
{
    json_t *list = json_array();
    bool whole = list != NULL;
    for (size_t i = 0; i < set->count && whole; i++) {
        json_t *ceiling = vks_ceiling_json(&set->items[i]);
        whole = ceiling &&
                json_object_set_new(ceiling, "kept", json_boolean(set->items[i].kept)) == 0 &&
                json_array_append(list, ceiling) == 0;
        json_decref(ceiling);
    }
    json_t *root = json_pack("{s:{s:s, s:s, s:s}, s:o}", "device", "name", device->name, "driver",
                             device->driver, "uuid", device->uuid, "ceilings", list);
    return vks_print_json(root, whole);
}

/* --- the command ----------------------------------------------------------------------------- */

#if !VKS_HAVE_LADDER
const struct vks_ladder_kernel *const vks_ladder[] = {NULL};

const struct vks_ladder_kernel *vks_ladder_find(const char *name)
{
    (void)name;
    return NULL;
}
#endif

static void print_list(void)
{
    printf("vksim bench ceilings [NAME...] measures limits of the device:\n");
    for (size_t i = 0; vks_ceiling_info(i); i++) {
        const struct vks_ceiling_info *info = vks_ceiling_info(i);
        printf("  %-16s %s (%s)\n", info->name, info->help, info->symbol);
    }
    printf("\nvksim bench ranks measures the exchanges between --ranks.\n");
    if (!VKS_HAVE_LADDER) {
        return;
    }
    printf("\nvksim bench KERNEL verifies and measures each step of optimising a kernel:\n");
    for (size_t i = 0; vks_ladder[i]; i++) {
        printf("  %-16s %s (%s)\n", vks_ladder[i]->name, vks_ladder[i]->help, vks_ladder[i]->axes);
        for (const struct vks_rung *rung = vks_ladder[i]->rungs; rung->name; rung++) {
            printf("    %-14s %s\n", rung->name, rung->help);
        }
    }
    printf("\nvksim bench all measures all kernels.\n");
}

static void report_progress(void *user, const char *what)
{
    bool *announced = user;
    if (!*announced) {
        vks_message(VKS_LOG_INFO, "measuring; this takes up to a minute");
        *announced = true;
    }
    vks_message(VKS_LOG_VERBOSE, "measuring %s", what);
}

static enum vks_result bench_ceilings(struct vks_call *call, const struct vks_bench_values *values)
{
    vks_context *context = NULL;
    struct vks_ceilings set = {0};
    bool announced = false;
    const struct vks_ceilings_request request = {
        .names = call->argument_count > 1 ? call->arguments + 1 : NULL,
        .complete = true,
        .fresh = values->fresh,
        .stop = vks_interrupted,
        .progress = report_progress,
        .user = &announced,
    };
    enum vks_result result = vks_plot_check("--plot", values->plot, values->overwrite);
    if (result == VKS_OK) {
        result = vks_call_open(call, &context);
    }
    if (result == VKS_OK) {
        result = vks_ceilings_get(&context->gpu, &request, &set);
    }
    if (result == VKS_OK && !announced) {
        vks_message(VKS_LOG_INFO, "these values were measured earlier; --fresh measures again");
    }
    if (result == VKS_OK && values->json) {
        result = print_json(&context->gpu.info, &set);
    } else if (result == VKS_OK) {
        print_table(&context->gpu.info, &set);
    }
    if (result == VKS_OK && values->plot) {
        result = vks_ceilings_plot(&set, &context->gpu.info, values->plot, values->overwrite);
    }
    vks_ceilings_free(&set);
    vks_call_close(call, context);
    return result;
}

/* The first arguments: the ceilings, ranks, all kernels, then each kernel. */
static const char *kind_at(size_t index)
{
    return index == 0              ? "ceilings"
           : index == 1            ? "ranks"
           : !VKS_HAVE_LADDER      ? NULL
           : index == 2            ? "all"
           : vks_ladder[index - 3] ? vks_ladder[index - 3]->name
                                   : NULL;
}

/* Some kernels are named like a ceiling: a word is listed once. */
const char *vks_bench_word(size_t index)
{
    size_t kinds = 0;
    while (kind_at(kinds)) {
        kinds++;
    }
    if (index < kinds) {
        return kind_at(index);
    }
    size_t left = index - kinds;
    for (size_t i = 0; vks_ceiling_info(i); i++) {
        if (!vks_ladder_find(vks_ceiling_info(i)->name) && left-- == 0) {
            return vks_ceiling_info(i)->name;
        }
    }
    return NULL;
}

static enum vks_result refuse(const char *kind)
{
    enum { MAX_KINDS = 32 };
    const char *kinds[MAX_KINDS + 1] = {NULL};
    char near[64], all[512];
    for (size_t i = 0; i < MAX_KINDS && kind_at(i); i++) {
        kinds[i] = kind_at(i);
    }
    if (!kind) {
        return vks_fail(VKS_ERROR_USAGE,
                        "bench needs to know what to measure: vksim bench ceilings, vksim bench "
                        "ranks, or a kernel: %s",
                        vks_join(kinds + 2, all, sizeof(all)));
    }
    return vks_fail(VKS_ERROR_USAGE, "there is no benchmark '%s'%s; there are: %s", kind,
                    vks_did_you_mean(kind, kinds, near, sizeof(near)),
                    vks_join(kinds, all, sizeof(all)));
}

/* Exchanges between ranks are always measured, and not drawn. */
static enum vks_result bench_ranks(struct vks_call *call, const struct vks_bench_values *values,
                                   const char *own)
{
    const char *wrong = own                 ? own
                        : values->fresh     ? "fresh"
                        : values->plot      ? "plot"
                        : values->overwrite ? "overwrite"
                                            : NULL;
    if (wrong) {
        return vks_fail(VKS_ERROR_USAGE, "--%s does not apply to bench ranks", wrong);
    }
    if (call->argument_count > 1) {
        return vks_fail(VKS_ERROR_USAGE, "bench ranks takes no further word, but got '%s'",
                        call->arguments[1]);
    }
    return vks_bench_ranks(call, values);
}

static enum vks_result bench(struct vks_call *call, const struct vks_bench_values *values)
{
    const char *kind = call->argument_count > 0 ? call->arguments[0] : NULL;
    const struct vks_ladder_kernel *kernel = kind ? vks_ladder_find(kind) : NULL;
    const bool all = kind && strcmp(kind, "all") == 0;
    const char *own = values->sizes         ? "sizes"
                      : values->rungs       ? "rungs"
                      : values->dtype       ? "dtype"
                      : values->csv         ? "csv"
                      : values->report      ? "report"
                      : values->explain     ? "explain"
                      : values->retune      ? "retune"
                      : values->show_tuning ? "show-tuning"
                                            : NULL;
    const char *of_ranks = values->ranks ? "ranks" : values->devices ? "devices" : NULL;
    if (!kind && !own && !of_ranks && !values->json && !values->fresh && !values->plot &&
        !values->overwrite) {
        print_list();
        return VKS_OK;
    }
    if (kind && strcmp(kind, "ranks") == 0) {
        return bench_ranks(call, values, own);
    }
    if (of_ranks) {
        return vks_fail(VKS_ERROR_USAGE, "--%s is for vksim bench ranks", of_ranks);
    }
    if (!VKS_HAVE_LADDER && (own || !kind || strcmp(kind, "ceilings") != 0)) {
        return vks_fail(VKS_ERROR_USAGE, "this vksim was built without the ladder of kernels "
                                         "(-Dladder); it measures only ceilings and ranks: "
                                         "vksim bench ceilings, vksim bench ranks");
    }
    if (values->json && values->csv) {
        return vks_fail(VKS_ERROR_USAGE, "--json and --csv exclude each other");
    }
    if ((kernel || all) && call->argument_count > 1) {
        return vks_fail(VKS_ERROR_USAGE, "bench takes one kernel at a time, not also '%s'",
                        call->arguments[1]);
    }
    if (all && (values->sizes || values->rungs || values->dtype || values->explain)) {
        return vks_fail(VKS_ERROR_USAGE, "--%s is for a single kernel, not for all", own);
    }
#if VKS_HAVE_LADDER
    if (kernel && values->explain) {
        return vks_bench_explain(call, values, kernel);
    }
    if (kernel || all) {
        return vks_bench_ladder(call, values, kernel);
    }
#endif
    if (!kind || strcmp(kind, "ceilings") != 0) {
        return refuse(kind);
    }
    if (own) {
        return vks_fail(VKS_ERROR_USAGE, "--%s is for kernels, not for ceilings", own);
    }
    return bench_ceilings(call, values);
}

enum vks_result vks_command_bench(struct vks_call *call)
{
    struct vks_bench_values values = {0};
    enum vks_result result = vks_call_values(call, &values);
    if (result == VKS_OK) {
        result = bench(call, &values);
    }
    vks_options_free(vks_bench_options, &values);
    return result;
}
