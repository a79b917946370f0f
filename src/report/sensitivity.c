/* SPDX-License-Identifier: MIT */
#include "report/sensitivity.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"

/* Relative distances between which the free twin's growth is fitted, and the fewest points. */
static const double fit_low = 1e-4, fit_high = 3e-2;
enum { MIN_FIT = 5 };

static const double ln2 = 0.69314718055994530942;

/* --- figures --------------------------------------------------------------------------------- */

static size_t width_of(const struct vks_sensitivity *s)
{
    return 1 + s->quantities;
}

double vks_sensitivity_relative(const struct vks_sensitivity *s, const double *row)
{
    const double distance = row[1 + s->main], total = row[2 + s->main];
    return total > 0 ? distance / total : 0;
}

void vks_sensitivity_fit(const struct vks_sensitivity *s, struct vks_sensitivity_seed *seed)
{
    const struct vks_distances *free = &seed->free;
    size_t begin = 0, end = 0;
    double x_sum = 0, y_sum = 0, xy = 0, xx = 0;
    seed->free_rate = NAN;
    while (end < free->count &&
           vks_sensitivity_relative(s, free->rows + end * width_of(s)) < fit_high) {
        end++;
    }
    for (size_t i = 0; i < end; i++) {
        begin = vks_sensitivity_relative(s, free->rows + i * width_of(s)) < fit_low ? i + 1 : begin;
    }
    if (end == free->count || end - begin + 1 < MIN_FIT) {
        return;
    }
    const double count = (double)(end - begin + 1);
    for (size_t i = begin; i <= end; i++) {
        const double *row = free->rows + i * width_of(s);
        x_sum += row[0];
        y_sum += log(vks_sensitivity_relative(s, row));
    }
    for (size_t i = begin; i <= end; i++) {
        const double *row = free->rows + i * width_of(s);
        const double x = row[0] - x_sum / count;
        xy += x * (log(vks_sensitivity_relative(s, row)) - y_sum / count);
        xx += x * x;
    }
    seed->free_rate = xy / xx;
    seed->free_from = (uint64_t)free->rows[begin * width_of(s)];
    seed->free_to = (uint64_t)free->rows[end * width_of(s)];
}

double vks_sensitivity_rate(const struct vks_sensitivity_seed *seed, uint32_t shrink)
{
    double steps = 0;
    for (size_t i = 1; i < seed->cycle_count; i++) {
        steps += (double)seed->cycles[i];
    }
    return steps > 0 ? shrink * ln2 * (double)(seed->cycle_count - 1) / steps : (double)NAN;
}

/* The mean of the numbers that are not NaN, at `at` of each seed. */
static struct vks_sensitivity_mean mean_of(const struct vks_sensitivity_seed *seeds, size_t count,
                                           size_t at)
{
    struct vks_sensitivity_mean mean = {.value = NAN, .error = NAN};
    double sum = 0, squares = 0;
    for (int round = 0; round < 2; round++) {
        size_t used = 0;
        for (size_t i = 0; i < count; i++) {
            double value;
            memcpy(&value, (const char *)&seeds[i] + at, sizeof(value));
            if (!isfinite(value)) {
                continue;
            }
            used++;
            sum += round == 0 ? value : 0;
            squares += round == 1 ? (value - mean.value) * (value - mean.value) : 0;
        }
        mean.count = used;
        mean.value = used > 0 ? sum / (double)used : (double)NAN;
    }
    if (mean.count > 1) {
        mean.error = sqrt(squares / (double)(mean.count - 1) / (double)mean.count);
    }
    return mean;
}

struct vks_sensitivity_mean vks_sensitivity_mean(const struct vks_sensitivity *s, size_t cell)
{
    return mean_of(s->seeds + cell * s->seed_count, s->seed_count,
                   offsetof(struct vks_sensitivity_seed, rate));
}

struct vks_sensitivity_mean vks_sensitivity_free_mean(const struct vks_sensitivity *s)
{
    return mean_of(s->seeds, s->seed_count, offsetof(struct vks_sensitivity_seed, free_rate));
}

/* The distances between which the exponent is measured, relative. */
static double low_size(const struct vks_sensitivity *s)
{
    return ldexp(1.0 / s->limit, -(int)s->shrink);
}

/* The smallest and largest of the largest distances of seeds without a rate, as text. */
static const char *largest_text(const struct vks_sensitivity *s, char text[64])
{
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < s->seed_count; i++) {
        if (!isfinite(s->seeds[i].rate)) {
            low = fmin(low, 100 * s->seeds[i].largest);
            high = fmax(high, 100 * s->seeds[i].largest);
        }
    }
    char ends[2][24];
    snprintf(ends[0], sizeof(ends[0]), "%.2g %%", low);
    snprintf(ends[1], sizeof(ends[1]), "%.2g %%", high);
    const bool same = strcmp(ends[0], ends[1]) == 0;
    snprintf(text, 64, "%s%s%s", ends[0], same ? "" : " to ", same ? "" : ends[1]);
    return text;
}

/* Seeds whose twins have reached the limit. */
static size_t count_reached(const struct vks_sensitivity *s)
{
    size_t count = 0;
    for (size_t i = 0; i < s->seed_count; i++) {
        count += s->seeds[i].cycle_count > 0;
    }
    return count;
}

/* --- the table ------------------------------------------------------------------------------- */

/* With four decimals; "-" for NaN. */
static const char *rate_text(double value, char text[32])
{
    snprintf(text, 32, "-");
    if (isfinite(value)) {
        snprintf(text, 32, "%.4f", value);
    }
    return text;
}

static const char *error_text(const struct vks_sensitivity_mean *mean, char text[48])
{
    text[0] = '\0';
    if (isfinite(mean->error)) {
        snprintf(text, 48, " +- %.4f", mean->error);
    }
    return text;
}

static const char *field_of(const struct vks_sensitivity *s)
{
    return s->names[s->main];
}

static void print_seed(FILE *out, const struct vks_sensitivity *s,
                       const struct vks_sensitivity_seed *seed)
{
    char rate[32], free_rate[32], first[32] = "-", share[32] = "-";
    const double *last = seed->free.rows + (seed->free.count - 1) * width_of(s);
    if (seed->cycle_count > 0) {
        snprintf(first, sizeof(first), "%" PRIu64, seed->cycles[0]);
    }
    if (s->items > 0 && seed->free.count > 0) {
        snprintf(share, sizeof(share), "%.0f", last[1]);
    }
    fprintf(out, "%10" PRIu64 " %11s %8zu %10s %11s %11.4g%%", seed->seed,
            rate_text(seed->rate, rate), seed->cycle_count, first,
            rate_text(seed->free_rate, free_rate), 100 * seed->largest);
    if (s->items > 0) {
        fprintf(out, " %16s", share);
    }
    fputc('\n', out);
}

static void print_growth(FILE *out, const struct vks_sensitivity *s)
{
    const struct vks_sensitivity_mean rate = vks_sensitivity_mean(s, 0);
    const struct vks_sensitivity_mean free_rate = vks_sensitivity_free_mean(s);
    const size_t reached = count_reached(s);
    char error[48], largest[64];
    if (rate.count > 0) {
        fprintf(out, "finite-size exponent: %.4f%s per step (mean%s of %zu seed%s)\n", rate.value,
                error_text(&rate, error), rate.count > 1 ? " and standard error" : "", rate.count,
                rate.count == 1 ? "" : "s");
        fprintf(out, "  for distances from %.2g %% to %.2g %% of the total %s\n", 100 * low_size(s),
                100.0 / s->limit, field_of(s));
        if (rate.value > 0) {
            fprintf(out, "  doubling time: %.3g steps\n", ln2 / rate.value);
        }
    }
    if (reached == 0) {
        fprintf(out,
                "no growth to %.2g %% of the total %s within %" PRIu64
                " steps: the largest distance of "
                "the twins is %s\n",
                100.0 / s->limit, field_of(s), s->steps, largest_text(s, largest));
    } else if (rate.count < s->seed_count) {
        fprintf(out,
                "%zu of %zu seeds have no rate: their twins reached %.2g %% of the total %s at "
                "most once "
                "within %" PRIu64 " steps, and their largest distance is %s\n",
                s->seed_count - rate.count, s->seed_count, 100.0 / s->limit, field_of(s), s->steps,
                largest_text(s, largest));
    }
    if (free_rate.count > 0) {
        fprintf(out, "free twin: %.4f%s per step from %g %% to %g %% (%zu seed%s)\n",
                free_rate.value, error_text(&free_rate, error), 100 * fit_low, 100 * fit_high,
                free_rate.count, free_rate.count == 1 ? "" : "s");
    }
}

static void print_map(FILE *out, const struct vks_sensitivity *s)
{
    const size_t columns = s->across.count;
    fprintf(out, "exponent per step; rows: %s, columns: %s\n", s->down.count ? s->down.option : "-",
            s->across.option);
    fprintf(out, "%12s", "");
    for (size_t i = 0; i < columns; i++) {
        fprintf(out, " %10.10s", s->across.values[i]);
    }
    fputc('\n', out);
    for (size_t cell = 0; cell < s->cells; cell++) {
        char text[32];
        const struct vks_sensitivity_mean rate = vks_sensitivity_mean(s, cell);
        if (cell % columns == 0) {
            fprintf(out, "%12.12s", s->down.count ? s->down.values[cell / columns] : "");
        }
        fprintf(out, " %10s", rate_text(rate.value, text));
        if (cell % columns == columns - 1 || cell + 1 == s->cells) {
            fputc('\n', out);
        }
    }
    fprintf(
        out,
        "for distances from %.2g %% to %.2g %% of the total %s; -: no growth to this size within "
        "%" PRIu64 " steps\n",
        100 * low_size(s), 100.0 / s->limit, field_of(s), s->steps);
}

void vks_sensitivity_table(FILE *out, const struct vks_sensitivity *s)
{
    fprintf(out, "sensitivity of %s %s on %s (%s)\n", s->model, s->size, s->device.name,
            s->device.driver);
    fprintf(out,
            "perturbation %s after %" PRIu64 " steps, then %" PRIu64 " steps; shrink 2^-%u, limit "
            "1/%u\n",
            s->perturbation, s->spin_up, s->steps, s->shrink, s->limit);
    if (s->across.count > 0) {
        print_map(out, s);
    } else {
        fprintf(out, "%10s %11s %8s %10s %11s %12s", "seed", "rate/step", "cycles", "first", "free",
                "largest");
        if (s->items > 0) {
            fprintf(out, " %9.9s differ", s->names[0]);
        }
        fputc('\n', out);
        for (size_t i = 0; i < s->seed_count; i++) {
            print_seed(out, s, &s->seeds[i]);
        }
        print_growth(out, s);
    }
    if (s->interrupted) {
        fprintf(out, "INTERRUPTED: the rest was not measured\n");
    }
}

/* --- JSON ------------------------------------------------------------------------------------ */

/* NaN is null. */
static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *mean_json(const struct vks_sensitivity_mean *mean)
{
    return json_pack("{s:o, s:o, s:I, s:o}", "mean", number(mean->value), "standard_error",
                     number(mean->error), "seeds", (json_int_t)mean->count, "doubling_steps",
                     number(mean->value > 0 ? ln2 / mean->value : (double)NAN));
}

/* Takes `value`; false when memory ran out. */
static bool append(json_t *list, json_t *value)
{
    return json_array_append_new(list, value) == 0;
}

static json_t *integers(const uint64_t *values, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        if (!append(list, json_integer((json_int_t)values[i]))) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

/* The last row of the free twin, by name. */
static json_t *end_json(const struct vks_sensitivity *s, const struct vks_sensitivity_seed *seed)
{
    json_t *object = json_object();
    const double *row = seed->free.rows + (seed->free.count - 1) * width_of(s);
    for (size_t i = 0; object && seed->free.count > 0 && i < s->quantities; i++) {
        if (json_object_set_new(object, s->names[i], json_integer((json_int_t)row[1 + i])) != 0) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

static json_t *seed_json(const struct vks_sensitivity *s, const struct vks_sensitivity_seed *seed)
{
    const bool fitted = isfinite(seed->free_rate);
    return json_pack(
        "{s:I, s:o, s:o, s:f, s:{s:o, s:o, s:o, s:o}}", "seed", (json_int_t)seed->seed, "cycles",
        integers(seed->cycles, seed->cycle_count), "rate", number(seed->rate), "largest_distance",
        seed->largest, "free", "rate", number(seed->free_rate), "from",
        fitted ? json_integer((json_int_t)seed->free_from) : json_null(), "to",
        fitted ? json_integer((json_int_t)seed->free_to) : json_null(), "end", end_json(s, seed));
}

static json_t *seeds_json(const struct vks_sensitivity *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->seed_count; i++) {
        if (!append(list, seed_json(s, &s->seeds[i]))) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *axis_json(const struct vks_sensitivity_axis *axis)
{
    json_t *values = json_array();
    for (size_t i = 0; i < axis->count; i++) {
        if (!append(values, json_string(axis->values[i]))) {
            json_decref(values);
            return NULL;
        }
    }
    return axis->count > 0 ? json_pack("{s:s, s:o}", "option", axis->option, "values", values)
                           : (json_decref(values), json_null());
}

static json_t *map_json(const struct vks_sensitivity *s)
{
    json_t *cells = json_array();
    for (size_t i = 0; i < s->cells; i++) {
        const struct vks_sensitivity_mean rate = vks_sensitivity_mean(s, i);
        if (!append(cells, mean_json(&rate))) {
            json_decref(cells);
            return NULL;
        }
    }
    return json_pack("{s:o, s:o, s:o}", "columns", axis_json(&s->across), "rows",
                     axis_json(&s->down), "cells", cells);
}

json_t *vks_sensitivity_json(const struct vks_sensitivity *s)
{
    json_t *root = json_pack(
        "{s:s, s:O, s:s, s:s, s:{s:s, s:s, s:s, s:s}, s:O, s:s, s:I, s:I, s:I, s:i, s:i, s:[f, f], "
        "s:s}",
        "version", VKS_VERSION, "command", s->command, "simulation", s->model, "size", s->size,
        "device", "name", s->device.name, "driver", s->device.driver, "vulkan",
        s->device.api_version, "uuid", s->device.uuid, "options", s->options, "perturbation",
        s->perturbation, "spin_up", (json_int_t)s->spin_up, "steps", (json_int_t)s->steps, "every",
        (json_int_t)s->every, "shrink", (int)s->shrink, "limit", (int)s->limit, "distances",
        low_size(s), 1.0 / s->limit, "field", field_of(s));
    bool complete = root != NULL;
    if (complete && s->across.count > 0) {
        complete = json_object_set_new(root, "map", map_json(s)) == 0;
    } else if (complete) {
        const struct vks_sensitivity_mean rate = vks_sensitivity_mean(s, 0);
        const struct vks_sensitivity_mean free_rate = vks_sensitivity_free_mean(s);
        complete = json_object_set_new(root, "rate", mean_json(&rate)) == 0 &&
                   json_object_set_new(root, "free_rate", mean_json(&free_rate)) == 0 &&
                   json_object_set_new(root, "seeds", seeds_json(s)) == 0;
    }
    if (complete && s->interrupted) {
        complete = json_object_set_new(root, "interrupted", json_true()) == 0;
    }
    if (!complete) {
        json_decref(root);
        return NULL;
    }
    return root;
}

/* --- CSV ------------------------------------------------------------------------------------- */

static enum vks_result print_curve(FILE *out, const void *user)
{
    const struct vks_sensitivity *s = user;
    fputs("seed,step", out);
    for (size_t i = 0; i < s->quantities; i++) {
        fprintf(out, ",%s", s->names[i]);
    }
    fputs(",relative\n", out);
    for (size_t k = 0; k < s->seed_count; k++) {
        const struct vks_distances *free = &s->seeds[k].free;
        for (size_t i = 0; i < free->count; i++) {
            const double *row = free->rows + i * width_of(s);
            char text[32];
            fprintf(out, "%" PRIu64, s->seeds[k].seed);
            for (size_t j = 0; j <= s->quantities; j++) {
                fprintf(out, ",%.0f", row[j]);
            }
            fprintf(out, ",%s\n",
                    vks_format_real(vks_sensitivity_relative(s, row), text, sizeof(text)));
        }
    }
    return VKS_OK;
}

enum vks_result vks_sensitivity_curve(const struct vks_sensitivity *s, const char *path,
                                      bool overwrite)
{
    return vks_print_file(path, overwrite, print_curve, s);
}
