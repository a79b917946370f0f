/* SPDX-License-Identifier: MIT */
/* The command `report`. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "report/compare.h"
#include "report/html.h"
#include "tool/command.h"

struct values {
    char *html; /* NULL: a table on standard output */
    bool overwrite;
};

/* clang-format off: one row per option */
static const struct vks_option rows[] = {
    {.name = "html",
     .type = VKS_OPTION_TEXT,
     .offset = offsetof(struct values, html),
     .argument = "FILE.html",
     .help = "write an HTML page with tables and charts instead of printing a table"},
    {.name = "overwrite",
     .type = VKS_OPTION_FLAG,
     .offset = offsetof(struct values, overwrite),
     .help = "replace an existing page"},
};
/* clang-format on */

const struct vks_option_table vks_report_options = {rows, VKS_COUNT(rows)};

/* Checks the page's path before the reports are read. */
static enum vks_result check_page(const struct vks_call *call, const struct values *values)
{
    for (size_t i = 0; i < call->argument_count; i++) {
        if (vks_is_same_file(values->html, call->arguments[i])) {
            return vks_fail(VKS_ERROR_USAGE, "--html '%s' is also one of the reports to read",
                            values->html);
        }
    }
    return vks_html_check(values->html, values->overwrite);
}

static enum vks_result write_page(const struct vks_call *call, const struct values *values)
{
    const size_t count = call->argument_count;
    json_t **reports = calloc(count, sizeof(*reports));
    struct vks_html_run *runs = calloc(count, sizeof(*runs));
    enum vks_result result = reports && runs ? check_page(call, values) : vks_fail_memory();
    for (size_t i = 0; i < count && result == VKS_OK; i++) {
        result = vks_report_load(call->arguments[i], &reports[i]);
        runs[i] = (struct vks_html_run){.name = call->arguments[i], .report = reports[i]};
    }
    if (result == VKS_OK) {
        result = vks_report_html_file(values->html, values->overwrite, runs, count);
    }
    if (result == VKS_OK) {
        vks_message(VKS_LOG_INFO, "wrote %s", values->html);
    }
    for (size_t i = 0; reports && i < count; i++) {
        json_decref(reports[i]);
    }
    free(runs);
    free(reports);
    return result;
}

enum vks_result vks_command_report(struct vks_call *call)
{
    struct values values = {0};
    enum vks_result result = vks_call_values(call, &values);
    if (result == VKS_OK && call->argument_count == 0) {
        result = vks_fail(VKS_ERROR_USAGE, "report needs files that --timings=json printed: vksim "
                                           "report A.json B.json");
    }
    if (result == VKS_OK) {
        result = values.html ? write_page(call, &values)
                             : vks_report_compare(stdout, call->arguments, call->argument_count);
    }
    vks_options_free(vks_report_options, &values);
    return result;
}
