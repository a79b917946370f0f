/* SPDX-License-Identifier: MIT */
#include "report/conclude.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "report/ruler.h"

enum { MAX_SENTENCE = 1024, FIGURE = 32, MAX_NAMED = 3, LINE = 110 };
static const double most = 0.9; /* of the GPU time: no more passes are named */

/* Members of a file may have any type: others than numbers are 0. */
static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static const char *name_of(const json_t *pass)
{
    return json_string_value(json_object_get(pass, "name"));
}

/* Three digits with a prefix and the unit; "%" takes fractions. */
static const char *figure(double value, const char *unit, char text[FIGURE])
{
    const double scale = strcmp(unit, "%") == 0 ? 100 : 1;
    return vks_plot_number(scale * value, unit, VKS_PLOT_LINEAR, text, FIGURE);
}

__attribute__((format(printf, 2, 3))) static bool say(json_t *sentences, const char *format, ...)
{
    char text[MAX_SENTENCE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return json_array_append_new(sentences, json_string(text)) == 0;
}

/* --- what takes the time --------------------------------------------------------------------- */

/* The timed pass with the largest share below that of `previous`; NULL: none. Of equal shares the
 * first in the list is the larger. */
static const json_t *next_pass(const json_t *report, const json_t *previous)
{
    const json_t *passes = json_object_get(report, "passes"), *found = NULL;
    bool after = previous == NULL;
    for (size_t i = 0; i < json_array_size(passes); i++) {
        const json_t *pass = json_array_get(passes, i);
        const double share = number(pass, "share");
        const bool follows = !previous || share < number(previous, "share") ||
                             (after && share == number(previous, "share"));
        after = after || pass == previous;
        if (follows && share > 0 && (!found || share > number(found, "share"))) {
            found = pass;
        }
    }
    return found;
}

static bool say_time(const json_t *report, json_t *sentences)
{
    char text[MAX_SENTENCE], a[FIGURE], b[FIGURE];
    const double wall = number(report, "wall_s"), startup = number(report, "startup_s");
    const double step = number(report, "step_s");
    const json_t *pass = next_pass(report, NULL);
    double named = 0;
    int used = 0;
    if (startup > wall / 2 && startup <= wall) {
        used = snprintf(text, sizeof(text), "Start-up took %s of the run's %s; ",
                        figure(startup, "s", a), figure(wall, "s", b));
    }
    if (!pass) {
        return used == 0 || say(sentences, "%.*s.", used - 2, text);
    }
    if (step > 0) {
        used +=
            snprintf(text + used, sizeof(text) - (size_t)used, "%s step takes %s of GPU time, and ",
                     used ? "a" : "A", figure(step, "s", a));
    }
    for (size_t i = 0; pass && i < MAX_NAMED && named < most; i++) {
        const double share = number(pass, "share");
        used += snprintf(text + used, sizeof(text) - (size_t)used,
                         i == 0 ? "'%s' takes %s of all GPU time" : ", '%s' %s", name_of(pass),
                         figure(share, "%", a));
        named += share;
        pass = next_pass(report, pass);
    }
    return say(sentences, "%s.", text);
}

/* --- what bounds it -------------------------------------------------------------------------- */

static bool say_bound(const json_t *report, json_t *sentences)
{
    const json_t *pass = next_pass(report, NULL), *shares = json_object_get(pass, "ceilings");
    const char *name = name_of(pass), *bound = json_string_value(json_object_get(pass, "bound"));
    const double p50 = number(pass, "p50_s"), copy = number(shares, "copy");
    char a[FIGURE], b[FIGURE];
    if (!pass || p50 <= 0) {
        return true;
    }
    const char *bytes = figure(number(pass, "bytes") / p50, "B/s", a);
    if (json_object_size(shares) == 0) {
        return say(sentences, "What bounds '%s' is unknown: the report has no ceilings.", name);
    }
    if (!bound) {
        const char *key;
        json_t *share;
        double closest = 0;
        json_object_foreach((json_t *)(uintptr_t)shares, key, share)
        {
            closest = json_number_value(share) > closest ? json_number_value(share) : closest;
        }
        return say(sentences,
                   "No measured ceiling bounds '%s', which reaches at most %s of one: it may wait "
                   "for memory latency, or for scattered or conflicting accesses.",
                   name, figure(closest, "%", a));
    }
    if (strcmp(bound, vks_limit_name(VKS_LIMIT_CACHE)) == 0) {
        return say(sentences,
                   "A cache serves '%s': it moves %s, %.3g times what a copy through memory "
                   "reaches, so memory bandwidth does not bound it.",
                   name, bytes, copy);
    }
    if (strcmp(bound, vks_limit_name(VKS_LIMIT_BANDWIDTH)) == 0) {
        return say(sentences,
                   "Memory bandwidth bounds '%s': it moves %s, %s of what a copy reaches.", name,
                   bytes, figure(copy, "%", b));
    }
    if (strcmp(bound, vks_limit_name(VKS_LIMIT_ARITHMETIC)) == 0) {
        return say(sentences,
                   "Arithmetic bounds '%s': it does %s, %s of the additions that the device can "
                   "do.",
                   name, figure(number(pass, "operations") / p50, "op/s", a),
                   figure(number(shares, vks_limit_ceiling(VKS_LIMIT_ARITHMETIC)), "%", b));
    }
    if (strcmp(bound, vks_limit_name(VKS_LIMIT_ATOMICS)) == 0) {
        return say(sentences,
                   "Atomic operations bound '%s': it does %s, %s of what the device can do.", name,
                   figure(number(pass, "atomics") / p50, "op/s", a),
                   figure(number(shares, vks_limit_ceiling(VKS_LIMIT_ATOMICS)), "%", b));
    }
    if (strcmp(bound, vks_limit_name(VKS_LIMIT_LATENCY)) == 0) {
        return say(sentences,
                   "The dispatch itself bounds '%s': a dispatch with its barrier takes %s of its "
                   "%s.",
                   name, figure(number(shares, vks_limit_ceiling(VKS_LIMIT_LATENCY)), "%", a),
                   figure(p50, "s", b));
    }
    return true;
}

/* --- what idles ------------------------------------------------------------------------------ */

/* GPU time of steps, frames and copies. */
static double gpu_seconds(const json_t *report)
{
    const json_t *phases = json_object_get(report, "phases");
    double seconds = 0;
    for (size_t i = 0; i < json_array_size(phases); i++) {
        const json_t *phase = json_array_get(phases, i);
        const char *thread = json_string_value(json_object_get(phase, "thread"));
        seconds += thread && strcmp(thread, "GPU") == 0 ? number(phase, "seconds") : 0;
    }
    return seconds > 0 ? seconds : number(report, "gpu_busy_s");
}

static bool say_idle(const json_t *report, json_t *sentences)
{
    const double loop = number(report, "seconds"), gpu = gpu_seconds(report), much = 0.25;
    if (loop <= 0 || gpu <= 0) {
        return true;
    }
    const double idle = gpu < loop ? 1 - gpu / loop : 0;
    char a[FIGURE], b[FIGURE], c[FIGURE];
    figure(idle, "%", a);
    figure(loop, "s", b);
    if (number(report, "encoder_busy_s") > 0) {
        const double waits = number(report, "encoder_waits_s") / loop;
        return say(sentences,
                   "The GPU idles for %s of the loop's %s, the encoder waits for %s of it: %s.", a,
                   b, figure(waits, "%", c),
                   fmin(idle, waits) > much ? "both wait for each other or for the host"
                   : idle < waits           ? "the GPU sets the pace"
                                            : "the encoder sets the pace");
    }
    return say(sentences, "The GPU idles for %s of the loop's %s%s.", a, b,
               idle > much ? "; the phases show what the main thread did" : "");
}

/* --- the report ------------------------------------------------------------------------------ */

/* Of a pass in a file: whether a cache serves it, which then bounds it instead of bandwidth. */
static bool mend_pass(json_t *pass, const struct vks_report_ceiling *ceilings, size_t count)
{
    const struct vks_pass_timing timing = {
        .p50 = number(pass, "p50_s"),
        .bytes = number(pass, "bytes"),
        .operations = number(pass, "operations"),
        .atomics = number(pass, "atomics"),
    };
    const char *bound = json_string_value(json_object_get(pass, "bound"));
    const bool cached = vks_pass_is_cached(&timing, ceilings, count);
    bool whole = json_object_set_new(pass, "cached", json_boolean(cached)) == 0;
    if (cached && bound && strcmp(bound, vks_limit_name(VKS_LIMIT_BANDWIDTH)) == 0) {
        double shares[VKS_LIMITS];
        vks_pass_shares(&timing, ceilings, count, shares);
        bound = vks_limit_name(vks_pass_bound(shares, cached));
        whole = whole && json_object_set_new(pass, "bound", json_string(bound)) == 0;
    }
    return whole;
}

static bool mend_passes(const json_t *report)
{
    json_t *list = json_object_get(report, "ceilings"), *passes = json_object_get(report, "passes");
    const size_t listed = json_array_size(list);
    struct vks_report_ceiling *ceilings = calloc(listed + 1, sizeof(*ceilings));
    bool whole = ceilings != NULL;
    size_t count = 0;
    for (size_t i = 0; whole && i < listed; i++) {
        const json_t *one = json_array_get(list, i);
        if (name_of(one)) {
            ceilings[count++] =
                (struct vks_report_ceiling){.name = name_of(one), .value = number(one, "median")};
        }
    }
    if (whole && count == 0) {
        ceilings[count++] = (struct vks_report_ceiling){
            .name = "copy", .value = number(report, "copy_bytes_per_s")};
    }
    for (size_t i = 0; whole && i < json_array_size(passes); i++) {
        whole = mend_pass(json_array_get(passes, i), ceilings, count);
    }
    free(ceilings);
    return whole;
}

bool vks_report_conclude(json_t *report)
{
    json_t *sentences = json_array();
    return mend_passes(report) &&
           json_object_set_new(report, "conclusions", sentences) == 0 /* takes it */ &&
           say_time(report, sentences) && say_bound(report, sentences) &&
           say_idle(report, sentences);
}

/* Prints a sentence in lines of at most LINE columns, of which all but the first are indented once
 * more. */
static void print_wrapped(FILE *out, const char *sentence, const char *indent)
{
    size_t column = strlen(indent);
    fputs(indent, out);
    for (const char *at = sentence; *at;) {
        const size_t length = strcspn(at, " "), blank = at > sentence;
        if (blank && at[0] != '%' && column + blank + length > LINE) {
            fprintf(out, "\n%s  ", indent);
            column = strlen(indent) + 2;
        } else if (blank) {
            fputc(' ', out);
            column++;
        }
        for (size_t i = 0; i < length; i++) {
            const bool micro = at[i] == '\xc2' && at[i + 1] == '\xb5'; /* "us", as in the tables */
            i += micro;
            fputc(micro ? 'u' : at[i], out);
        }
        column += length;
        at += length + (at[length] == ' ');
    }
    fputc('\n', out);
}

void vks_report_print_conclusions(FILE *out, const json_t *report, const char *indent)
{
    const json_t *sentences = json_object_get(report, "conclusions");
    for (size_t i = 0; i < json_array_size(sentences); i++) {
        print_wrapped(out, json_string_value(json_array_get(sentences, i)), indent);
    }
}
