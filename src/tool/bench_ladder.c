/* SPDX-License-Identifier: MIT */
/* `vksim bench KERNEL` and `vksim bench all`: verifies and measures rungs. */
#include <stdlib.h>
#include <string.h>

#include "api/simulation.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/task.h"
#include "gpu/memory.h"
#include "ladder/book.h"
#include "ladder/tune.h"
#include "report/html.h"
#include "report/plot.h"
#include "runs/run.h"
#include "tool/bench.h"

enum { MAX_SIZES = 64 };

/* --- what to measure ------------------------------------------------------------------------- */

/* `from` is a list of sizes. */
static enum vks_result parse_sizes(struct vks_ladder_run *run, const char *from)
{
    const char *at = from;
    run->size_count = 0;
    do {
        struct vks_ladder_size size;
        enum vks_result result = vks_ladder_parse_size(run->kernel, &at, &size);
        if (result == VKS_OK && run->size_count == MAX_SIZES) {
            result = vks_fail(VKS_ERROR_USAGE, "--sizes has more than %d sizes", MAX_SIZES);
        }
        if (result == VKS_OK && !run->sizes) {
            run->sizes = calloc(MAX_SIZES, sizeof(*run->sizes));
            result = run->sizes ? VKS_OK : vks_fail_memory();
        }
        if (result != VKS_OK) {
            return result;
        }
        run->sizes[run->size_count++] = size;
    } while (*at);
    return VKS_OK;
}

static const enum vks_element elements[] = {VKS_F32, VKS_F16, VKS_U32};

static enum vks_result parse_dtype(struct vks_ladder_run *run, const char *name)
{
    const char *names[VKS_COUNT(elements) + 1] = {NULL};
    size_t count = 0;
    char near[64], all[64];
    for (size_t i = 0; i < VKS_COUNT(elements); i++) {
        if (vks_ladder_takes(run->kernel, NULL, elements[i])) {
            names[count++] = vks_ladder_dtype(elements[i]);
            if (name && strcmp(name, names[count - 1]) == 0) {
                run->element = elements[i];
                return VKS_OK;
            }
        }
    }
    return !name ? VKS_OK
                 : vks_fail(VKS_ERROR_USAGE, "%s has no data type '%s'%s; there are: %s",
                            run->kernel->name, name,
                            vks_did_you_mean(name, names, near, sizeof(near)),
                            vks_join(names, all, sizeof(all)));
}

static struct vks_ladder_task task_of(const struct vks_ladder_run *run, size_t size)
{
    return (struct vks_ladder_task){
        .kernel = run->kernel, .size = run->sizes[size], .element = run->element};
}

/* Checks the sizes that were given, if any; of the default ones, those that do not fit are left
 * out. If none fits, the first stays and `refusal` says why, or, without `refusal`, the last
 * failure is returned. */
static enum vks_result choose_sizes(struct vks_ladder_run *run, struct vks_gpu *gpu,
                                    char refusal[VKS_LADDER_REFUSAL])
{
    const bool software = gpu->info.type == VKS_DEVICE_SOFTWARE;
    const bool given = run->size_count > 0;
    enum vks_result result =
        given ? VKS_OK
              : parse_sizes(run, software ? run->kernel->software_sizes : run->kernel->sizes);
    size_t kept = 0;
    for (size_t i = 0; result == VKS_OK && i < run->size_count; i++) {
        const struct vks_ladder_task task = task_of(run, i);
        result = vks_ladder_check_size(gpu, &task);
        if (result == VKS_OK) {
            run->sizes[kept++] = run->sizes[i];
        }
        const bool last = kept == 0 && i + 1 == run->size_count;
        if (result == VKS_ERROR_USAGE && !given && (!last || refusal)) {
            vks_message(VKS_LOG_INFO, "left out: %s", vks_error_text());
            result = VKS_OK;
        }
    }
    if (result == VKS_OK && kept == 0) {
        const struct vks_ladder_task first = task_of(run, 0);
        (void)vks_ladder_check_size(gpu, &first); /* fails again */
        snprintf(refusal, VKS_LADDER_REFUSAL, "%s", vks_error_text());
        kept = 1;
    }
    run->size_count = kept;
    return result;
}

static void refuse(struct vks_ladder_row *row, const char *reason)
{
    snprintf(row->refused, sizeof(row->refused), "%s", reason);
    row->missing = row->refused;
}

/* Lists the rungs at each size; all are refused if there is a refusal. */
static enum vks_result choose_rows(struct vks_ladder_run *run, const struct vks_gpu *gpu,
                                   const char *names, const char *refusal)
{
    size_t all = 0;
    while (run->kernel->rungs[all].name) {
        all++;
    }
    run->rows = calloc(run->size_count * all + 1, sizeof(*run->rows));
    if (!run->rows) {
        return vks_fail_memory();
    }
    size_t count = 0;
    for (size_t size = 0; size < run->size_count; size++) {
        for (size_t i = 0; i < all; i++) {
            const struct vks_rung *rung = &run->kernel->rungs[i];
            if (vks_ladder_has_rung(names, rung) &&
                vks_ladder_takes(run->kernel, rung, run->element)) {
                struct vks_ladder_row *row = &run->rows[count++];
                row->task = task_of(run, size);
                row->task.rung = rung;
                row->missing = vks_rung_missing(gpu, rung, run->element);
                if (*refusal) {
                    refuse(row, refusal);
                }
            }
        }
        run->rung_count = size == 0 ? count : run->rung_count;
    }
    return run->rung_count > 0 ? VKS_OK
                               : vks_fail(VKS_ERROR_USAGE, "none of these rungs takes data of %s",
                                          vks_ladder_dtype(run->element));
}

static enum vks_result prepare(struct vks_ladder_run *run, const struct vks_bench_values *values)
{
    enum vks_result result = values->sizes ? parse_sizes(run, values->sizes) : VKS_OK;
    if (result == VKS_OK) {
        result = vks_ladder_check_rungs(run->kernel, values->rungs);
    }
    return result == VKS_OK ? parse_dtype(run, values->dtype) : result;
}

/* --- measuring ------------------------------------------------------------------------------- */

/* Measures the ceilings that bound the rungs. */
static enum vks_result get_ceilings(struct vks_ladder_book *book, struct vks_gpu *gpu, bool fresh)
{
    enum { MAX_CEILINGS = 32 };
    const char *names[MAX_CEILINGS + 1] = {NULL};
    for (size_t i = 0, count = 0; vks_ceiling_info(i) && count < MAX_CEILINGS; i++) {
        const char *name = vks_ceiling_info(i)->name;
        bool used = false;
        for (size_t k = 0; k < book->count; k++) {
            const struct vks_ladder_run *run = &book->runs[k];
            for (size_t rung = 0; rung < run->rung_count; rung++) {
                const char *own = run->rows[rung].task.rung->ceiling;
                used = used || strcmp(own ? own : run->kernel->ceiling, name) == 0;
            }
        }
        names[count] = name;
        count += used;
        names[count] = NULL;
    }
    const struct vks_ceilings_request request = {
        .names = names, .fresh = fresh, .stop = vks_interrupted};
    const enum vks_result result = vks_ceilings_get(gpu, &request, &book->ceilings);
    for (size_t k = 0; result == VKS_OK && k < book->count; k++) {
        struct vks_ladder_run *run = &book->runs[k];
        for (size_t i = 0; i < run->size_count * run->rung_count; i++) {
            const char *own = run->rows[i].task.rung->ceiling;
            run->rows[i].ceiling =
                vks_ceilings_find(&book->ceilings, own ? own : run->kernel->ceiling);
        }
    }
    return result;
}

/* Searches for the best values of the rung's constants. The tries go to `table`, unless NULL. */
static enum vks_result tune_row(struct vks_ladder_row *row, struct vks_gpu *gpu, bool again,
                                FILE *table)
{
    const struct vks_rung_tuning request = {.again = again, .stop = vks_interrupted};
    struct vks_tuning tries = {.count = 0};
    char size[48];
    const enum vks_result result = vks_rung_tune(gpu, &row->task, &request, &tries);
    if (result == VKS_OK && table) {
        fprintf(table, "tuning of %s, rung %s, %s, %s:%s\n", row->task.kernel->name,
                row->task.rung->name, vks_ladder_dtype(row->task.element),
                vks_ladder_format_size(row->task.kernel, &row->task.size, size),
                tries.recalled     ? " kept from an earlier search"
                : tries.count == 0 ? " not searched on a software driver without --retune"
                                   : "");
        if (tries.count > 0) {
            vks_tuning_print(table, &tries);
        }
        fputc('\n', table);
    }
    vks_tuning_free(&tries);
    return result;
}

struct vks_effort vks_bench_effort(const struct vks_gpu *gpu)
{
    const bool software = gpu->info.type == VKS_DEVICE_SOFTWARE;
    return (struct vks_effort){.seconds = software ? 0.008 : 0.02, .repeats = software ? 5 : 9};
}

static enum vks_result measure_row(struct vks_ladder_row *row, struct vks_gpu *gpu,
                                   const struct vks_bench_values *values)
{
    const struct vks_effort effort = vks_bench_effort(gpu);
    char size[48];
    vks_message(VKS_LOG_VERBOSE, "measuring %s of %s, %s", row->task.rung->name,
                row->task.kernel->name,
                vks_ladder_format_size(row->task.kernel, &row->task.size, size));
    enum vks_result result = VKS_OK;
    if (vks_rung_is_untuned(&row->task)) {
        FILE *table = values->json || values->csv ? stderr : stdout;
        result = tune_row(row, gpu, values->retune, values->show_tuning ? table : NULL);
    }
    if (result == VKS_OK) {
        result = vks_rung_measure(gpu, &row->task, &effort, &row->seconds);
    }
    row->wrong = result == VKS_ERROR_STOPPED;
    return result;
}

/* Measures the ceiling of the first rung again, on a GPU: other programs use the processor at any
 * time. */
static enum vks_result find_drift(struct vks_ladder_run *run, struct vks_gpu *gpu)
{
    const struct vks_ceiling *before = run->rows[0].ceiling;
    struct vks_ceilings after = {0};
    if (gpu->info.type == VKS_DEVICE_SOFTWARE || !before || before->missing) {
        return VKS_OK;
    }
    const char *const names[] = {before->info->name, NULL};
    const struct vks_ceilings_request request = {
        .names = names, .fresh = true, .transient = true, .stop = vks_interrupted};
    const enum vks_result result = vks_ceilings_get(gpu, &request, &after);
    const struct vks_ceiling *again = vks_ceilings_find(&after, before->info->name);
    if (result == VKS_OK && again) {
        run->drift = again->value.median / before->value.median;
        if (vks_ladder_is_disturbed(run)) {
            vks_message(VKS_LOG_WARNING,
                        "the device's speed changed while %s was measured: its ceiling %s is now "
                        "%.0f %% of what it was before",
                        run->kernel->name, before->info->name, 100 * run->drift);
        }
    }
    vks_ceilings_free(&after);
    return result;
}

/* Even if one is wrong, all the others are measured; *wrong keeps the first such failure. */
static enum vks_result measure_run(struct vks_ladder_run *run, struct vks_gpu *gpu,
                                   const struct vks_bench_values *values, struct vks_error *wrong)
{
    for (size_t i = 0; i < run->size_count * run->rung_count; i++, run->row_count++) {
        if (vks_interrupted()) {
            return VKS_INTERRUPTED;
        }
        enum vks_result result =
            run->rows[i].missing ? VKS_OK : measure_row(&run->rows[i], gpu, values);
        /* What only building the rung finds: a lack of the device, or of memory for its own fields
         */
        if (result == VKS_ERROR_DEVICE || result == VKS_ERROR_USAGE ||
            (result == VKS_ERROR_GPU && vks_error_last()->hint == VKS_HINT_SIZE)) {
            refuse(&run->rows[i], vks_error_text());
            result = VKS_OK;
        }
        if (run->rows[i].wrong && wrong->result == VKS_OK) {
            vks_error_keep(VKS_ERROR_STOPPED, wrong);
        } else if (result != VKS_OK && !run->rows[i].wrong) {
            return result;
        }
    }
    return find_drift(run, gpu);
}

/* All rows, even if one is wrong: the first such failure is returned. */
static enum vks_result measure(struct vks_ladder_book *book, struct vks_gpu *gpu,
                               const struct vks_bench_values *values)
{
    struct vks_error wrong = {.result = VKS_OK};
    for (size_t k = 0; k < book->count; k++) {
        struct vks_ladder_run *run = &book->runs[k];
        if (book->count > 1) {
            vks_message(VKS_LOG_INFO, "measuring %s, %s", run->kernel->name,
                        vks_ladder_dtype(run->element));
        }
        const enum vks_result result = measure_run(run, gpu, values, &wrong);
        if (result != VKS_OK) {
            return result;
        }
    }
    return wrong.result == VKS_OK ? VKS_OK : vks_fail_again(&wrong);
}

/* --- the command ----------------------------------------------------------------------------- */

/* After an interruption, keeps the finished rows and says how many there are. Returns whether there
 * are any. */
static bool keep_done(struct vks_ladder_book *book)
{
    size_t done = 0, all = 0, runs = 0;
    for (size_t i = 0; i < book->count; i++) {
        const struct vks_ladder_run *run = &book->runs[i];
        all += run->size_count * run->rung_count;
        done += run->row_count;
        runs += run->row_count > 0; /* runs are measured in order, so these are the first */
    }
    book->count = runs;
    book->rows_left = all - done;
    vks_message(VKS_LOG_WARNING, "interrupted after %zu of %zu rows", done, all);
    return done > 0;
}

static enum vks_result report(const struct vks_ladder_book *book,
                              const struct vks_bench_values *values, bool all)
{
    enum vks_result result = VKS_OK;
    if (values->json) {
        json_t *root = vks_ladder_json(book, all);
        result = vks_print_json(root, root != NULL);
    } else if (values->csv) {
        vks_ladder_print_csv(book);
    } else {
        vks_ladder_print(book);
    }
    if (result == VKS_OK && values->plot) {
        result = vks_ladder_plot(book, values->plot, values->overwrite);
    }
    if (result == VKS_OK && values->report) {
        result = vks_ladder_html(book, all, values->report, values->overwrite);
    }
    return result;
}

/* A run of the kernel or, of all kernels, one of each for every type of data. */
static enum vks_result create_book(struct vks_ladder_book *book,
                                   const struct vks_bench_values *values,
                                   const struct vks_ladder_kernel *kernel)
{
    enum vks_result result = VKS_OK;
    size_t count = 1;
    for (; !kernel && vks_ladder[count]; count++) {
    }
    book->runs = calloc(count * VKS_COUNT(elements) + 1, sizeof(*book->runs));
    for (size_t i = 0; book->runs && i < count && result == VKS_OK; i++) {
        struct vks_ladder_run *run = &book->runs[book->count++];
        run->kernel = kernel ? kernel : vks_ladder[i];
        run->element = run->kernel->element;
        result = prepare(run, values);
        for (size_t k = 0; k < VKS_COUNT(elements) && !kernel; k++) {
            if (elements[k] != run->element && vks_ladder_takes(run->kernel, NULL, elements[k])) {
                book->runs[book->count++] =
                    (struct vks_ladder_run){.kernel = run->kernel, .element = elements[k]};
            }
        }
    }
    return book->runs ? result : vks_fail_memory();
}

static void free_book(struct vks_ladder_book *book)
{
    /* All of them: keep_done() may have reduced the count. */
    for (struct vks_ladder_run *run = book->runs; run && run->kernel; run++) {
        free(run->sizes);
        free(run->rows);
    }
    free(book->runs);
    vks_ceilings_free(&book->ceilings);
}

static enum vks_result check_files(const struct vks_bench_values *values)
{
    enum vks_result result = vks_plot_check("--plot", values->plot, values->overwrite);
    if (result == VKS_OK && values->report) {
        result =
            values->plot && vks_is_same_file(values->plot, values->report)
                ? vks_fail(VKS_ERROR_USAGE, "--plot and --report both name '%s'", values->report)
                : vks_html_check(values->report, values->overwrite);
    }
    return result;
}

enum vks_result vks_bench_ladder(struct vks_call *call, const struct vks_bench_values *values,
                                 const struct vks_ladder_kernel *kernel)
{
    struct vks_ladder_book book = {.count = 0};
    vks_context *context = NULL;
    enum vks_result result = check_files(values);
    if (result == VKS_OK) {
        result = create_book(&book, values, kernel);
    }
    if (result == VKS_OK) {
        result = vks_call_open(call, &context);
    }
    for (size_t i = 0; result == VKS_OK && i < book.count; i++) {
        char refusal[VKS_LADDER_REFUSAL] = "";
        result = choose_sizes(&book.runs[i], &context->gpu, kernel ? NULL : refusal);
        if (result == VKS_OK) {
            result = choose_rows(&book.runs[i], &context->gpu, values->rungs, refusal);
        }
    }
    if (result == VKS_OK) {
        book.device = &context->gpu.info;
        result = get_ceilings(&book, &context->gpu, values->fresh || !kernel);
    }
    const enum vks_result measured =
        result == VKS_OK ? measure(&book, &context->gpu, values) : result;
    struct vks_error wrong;
    vks_error_keep(measured, &wrong);
    const bool interrupted = measured == VKS_INTERRUPTED;
    if (result == VKS_OK && (measured == VKS_OK || measured == VKS_ERROR_STOPPED ||
                             (interrupted && keep_done(&book)))) {
        result = report(&book, values, !kernel);
    }
    if (result == VKS_OK && measured != VKS_OK) {
        result = vks_fail_again(&wrong);
    }
    free_book(&book);
    vks_call_close(call, context);
    return result;
}
