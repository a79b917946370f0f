/* SPDX-License-Identifier: MIT */
#include "report/compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "report/conclude.h"

enum {
    MAX_FILE = 1 << 24, /* bytes of a report */
    MAX_PASSES = 4096,
    MAX_WORDS = 4096, /* of a command line */
    MAX_SLICES = 1 << 13,
    MAX_POINTS = 1 << 16, /* of a list over time */
    MAX_NAME = 100,       /* bytes */
};
static const double max_seconds = 1e6, max_side = 4294967295.0;

static enum vks_result fail_report(const char *path, const char *lack)
{
    return vks_fail(VKS_ERROR_FILE, "'%s' is not a report of --timings=json: it has no valid %s",
                    path, lack);
}

/* A string that can be printed in a table. */
static bool is_name(const json_t *value)
{
    const char *text = json_string_value(value);
    char safe[MAX_NAME + 1];
    return text && strlen(text) <= MAX_NAME &&
           strcmp(vks_escape(text, safe, sizeof(safe)), text) == 0;
}

static bool is_between(const json_t *value, double min, double max)
{
    const double number = json_number_value(value);
    return json_is_number(value) && number >= min && number <= max;
}

static enum vks_result check_passes(const char *path, const json_t *passes)
{
    const size_t count = json_array_size(passes);
    if (!json_is_array(passes) || count > MAX_PASSES) {
        return fail_report(path, "passes");
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *pass = json_array_get(passes, i), *name = json_object_get(pass, "name");
        if (!is_name(name) || !is_between(json_object_get(pass, "p50_s"), 0, max_seconds) ||
            !is_between(json_object_get(pass, "samples"), 0, 1e18)) {
            return fail_report(path, "name, p50_s and samples in every pass");
        }
        for (size_t j = 0; j < i; j++) {
            const json_t *other = json_object_get(json_array_get(passes, j), "name");
            if (strcmp(json_string_value(other), json_string_value(name)) == 0) {
                return vks_fail(VKS_ERROR_FILE, "'%s' has the pass '%s' twice", path,
                                json_string_value(name));
            }
        }
    }
    return VKS_OK;
}

/* Lists for the HTML report, which takes whatever is in them. */
static enum vks_result check_lists(const char *path, const json_t *report)
{
    static const struct {
        const char *key;
        size_t max;
    } lists[] = {
        {"command", MAX_WORDS},   {"ceilings", MAX_PASSES},   {"phases", MAX_PASSES},
        {"timeline", MAX_SLICES}, {"step_times", MAX_POINTS},
    };
    for (size_t i = 0; i < VKS_COUNT(lists); i++) {
        const json_t *list = json_object_get(report, lists[i].key);
        if (list && (!json_is_array(list) || json_array_size(list) > lists[i].max)) {
            return fail_report(path, lists[i].key);
        }
    }
    return VKS_OK;
}

static enum vks_result check(const char *path, const json_t *report)
{
    const json_t *device = json_object_get(report, "device"), *depth, *driver;
    depth = json_object_get(report, "depth");
    driver = json_object_get(device, "driver");
    if (!is_name(json_object_get(report, "simulation"))) {
        return fail_report(path, "simulation");
    }
    if (!is_between(json_object_get(report, "width"), 1, max_side) ||
        !is_between(json_object_get(report, "height"), 1, max_side) ||
        (depth && !is_between(depth, 1, max_side))) {
        return fail_report(path, "size");
    }
    if (!is_between(json_object_get(report, "step_s"), 0, max_seconds)) {
        return fail_report(path, "step_s");
    }
    if (!is_name(json_object_get(device, "name")) || (driver && !is_name(driver))) {
        return fail_report(path, "device");
    }
    const enum vks_result result = check_lists(path, report);
    return result == VKS_OK ? check_passes(path, json_object_get(report, "passes")) : result;
}

enum vks_result vks_report_load(const char *path, json_t **report)
{
    char *text;
    size_t size;
    json_error_t error;
    enum vks_result result = vks_read_ready_file(path, MAX_FILE, &text, &size);
    if (result != VKS_OK) {
        return result;
    }
    *report = vks_json_load(text, size, 0, &error);
    free(text);
    if (!*report) {
        return vks_fail(VKS_ERROR_FILE, "'%s' is not a report of --timings=json: line %d: %s", path,
                        error.line, error.text);
    }
    result = check(path, *report);
    if (result == VKS_OK && !vks_report_conclude(*report)) {
        result = vks_fail_memory();
    }
    if (result != VKS_OK) {
        json_decref(*report);
        *report = NULL;
    }
    return result;
}

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static const char *string(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* The pass of that name, NULL if the report has none or never timed it. */
static const json_t *find_pass(const json_t *report, const char *name)
{
    const json_t *passes = json_object_get(report, "passes"), *pass, *found = NULL;
    size_t index;
    json_array_foreach((json_t *)(uintptr_t)passes, index, pass)
    {
        if (strcmp(string(pass, "name"), name) == 0 && number(pass, "samples") > 0) {
            found = pass;
        }
    }
    return found;
}

/* Only times of the same work have a ratio, on whatever device; report/html/compare.js has the same
 * rule. */
static bool is_same_work(const json_t *a, const json_t *b)
{
    const json_t *depths[] = {json_object_get(a, "depth"), json_object_get(b, "depth")};
    return strcmp(string(a, "simulation"), string(b, "simulation")) == 0 &&
           number(a, "width") == number(b, "width") && number(a, "height") == number(b, "height") &&
           (depths[0] ? json_number_value(depths[0]) : 1) ==
               (depths[1] ? json_number_value(depths[1]) : 1);
}

static void print_heads(FILE *out, const char *const *paths, json_t *const *reports, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const json_t *report = reports[i], *device = json_object_get(report, "device");
        const char *driver = string(device, "driver");
        char path[4096];
        fprintf(out, "%zu: %s: %s %.0fx%.0f", i + 1, vks_escape(paths[i], path, sizeof(path)),
                string(report, "simulation"), number(report, "width"), number(report, "height"));
        if (number(report, "depth") > 1) {
            fprintf(out, "x%.0f", number(report, "depth"));
        }
        fprintf(out, " on %s (%s)\n", string(device, "name"), driver ? driver : "driver unknown");
        vks_report_print_conclusions(out, report, "   ");
        if (!is_same_work(report, reports[0])) {
            fprintf(out, "   It differs from run 1 in simulation or size, so its times have no "
                         "ratio.\n");
        }
    }
}

/* Times of one row in microseconds, 0 where a run has none, with the ratio to the first. */
static void print_row(FILE *out, int width, const char *name, json_t *const *reports,
                      const double *seconds, size_t count)
{
    fprintf(out, "%-*s", width, name);
    for (size_t i = 0; i < count; i++) {
        if (seconds[i] > 0) {
            fprintf(out, " %11.2f", seconds[i] * 1e6);
        } else {
            fprintf(out, " %11s", "-");
        }
        if (i > 0 && seconds[0] > 0 && seconds[i] > 0 && is_same_work(reports[i], reports[0])) {
            fprintf(out, " %7.3f", seconds[i] / seconds[0]);
        } else if (i > 0) {
            fprintf(out, " %7s", "-");
        }
    }
    fprintf(out, "\n");
}

/* Passes in the order of the first report that has them. */
static void print_table(FILE *out, json_t *const *reports, size_t count, double *seconds)
{
    const json_t *pass;
    size_t index;
    int width = 11;
    for (size_t i = 0; i < count; i++) {
        json_array_foreach(json_object_get(reports[i], "passes"), index, pass)
        {
            const int length = (int)strlen(string(pass, "name"));
            width = length > width ? length : width;
        }
    }
    fprintf(out, "%-*s", width, "p50 us");
    for (size_t i = 0; i < count; i++) {
        fprintf(out, i == 0 ? " %11zu" : " %11zu   ratio", i + 1);
    }
    fprintf(out, "\n");
    for (size_t i = 0; i < count; i++) {
        json_array_foreach(json_object_get(reports[i], "passes"), index, pass)
        {
            const char *name = string(pass, "name");
            bool is_new = find_pass(reports[i], name) != NULL;
            for (size_t j = 0; j < count; j++) {
                const json_t *same = find_pass(reports[j], name);
                seconds[j] = same ? number(same, "p50_s") : 0;
                is_new = is_new && !(j < i && same);
            }
            if (is_new) {
                print_row(out, width, name, reports, seconds, count);
            }
        }
    }
    for (size_t j = 0; j < count; j++) {
        seconds[j] = number(reports[j], "step_s");
    }
    print_row(out, width, "step (mean)", reports, seconds, count);
}

enum vks_result vks_report_compare(FILE *out, const char *const *paths, size_t count)
{
    json_t **reports = calloc(count, sizeof(*reports));
    double *seconds = calloc(count, sizeof(*seconds));
    enum vks_result result = reports && seconds ? VKS_OK : vks_fail_memory();
    for (size_t i = 0; i < count && result == VKS_OK; i++) {
        result = vks_report_load(paths[i], &reports[i]);
    }
    if (result == VKS_OK) {
        print_heads(out, paths, reports, count);
        print_table(out, reports, count, seconds);
    }
    for (size_t i = 0; reports && i < count; i++) {
        json_decref(reports[i]);
    }
    free(reports);
    free(seconds);
    return result;
}
