/* SPDX-License-Identifier: MIT */
#include "onset/report.h"

#include <inttypes.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"

#define PI 3.14159265358979323846

/* Ratios of what was measured to the theory that count as agreement, and amplitudes too small to be
 * compared. */
static const double tolerance = 0.3, small = 0.1;
/* Standard errors within which a difference is chance: of the few hundred amplitudes of a table,
 * hardly one is farther off. */
enum { CERTAIN = 3 };
/* A wave whose rate is not above this does not grow: rates of waves that neither grow nor decay are
 * only zero to rounding. */
static const double zero_rate = 1e-9;

static const char valid_for[] = "valid for the first 10 to 20 steps after the pattern starts";

/* --- prediction ------------------------------------------------------------------------------ */

enum vks_result vks_onset_predict(struct vks_onset_report *report)
{
    const struct vks_onset_plan *plan = report->plan;
    double complex matrix[VKS_ONSET_ORDER * VKS_ONSET_ORDER];
    for (size_t i = 0; i < plan->mode_count; i++) {
        struct vks_onset_row *row = &report->rows[i];
        const double k = 2 * PI * plan->modes[i] / plan->width;
        *row = (struct vks_onset_row){
            .mode = plan->modes[i],
            .wavelength = (double)plan->width / plan->modes[i],
            .resolved = vks_onset_resolves(plan->model, k),
        };
        vks_onset_matrix(plan->model, &report->measured->gains, k, matrix);
        if (!vks_onset_mode_of(matrix, &row->theory)) {
            return vks_fail(VKS_ERROR_INTERNAL,
                            "the eigenvalues of mode %" PRIu32 " do not converge", row->mode);
        }
        vks_onset_response(matrix, vks_onset_times, VKS_ONSET_TIMES, row->responses);
        vks_onset_toy_response(&row->theory, vks_onset_times, VKS_ONSET_TIMES, row->toy_responses);
    }
    return VKS_OK;
}

/* --- what agrees ----------------------------------------------------------------------------- */

static bool grows(const struct vks_onset_row *row)
{
    return row->theory.rate > zero_rate;
}

static bool toy_grows(const struct vks_onset_row *row)
{
    return row->theory.alpha * row->theory.gamma > row->theory.beta * row->theory.kappa;
}

/* Whether a measured amplitude is far from a predicted one, and not by chance. */
static bool differs(double predicted, const struct vks_onset_mean *measured)
{
    return !(fabs(predicted) < small && fabs(measured->value) < small) &&
           !(fabs(measured->value / predicted - 1) <= tolerance) &&
           fabs(measured->value - predicted) > CERTAIN * measured->error;
}

/* Whether it is not known from 0, and predicted to be small. */
static bool vanishes(double predicted, const struct vks_onset_mean *measured)
{
    return fabs(predicted) < small &&
           fabs(measured->value) < fmax(small, CERTAIN * measured->error);
}

/* How far the theory and the model of two variables hold after some steps. */
struct agreement {
    size_t compared, differ, toy_differ;
};

static struct agreement agreement_of(const struct vks_onset_report *report, size_t time)
{
    struct agreement found = {0};
    for (size_t i = 0; i < report->plan->mode_count; i++) {
        const struct vks_onset_row *row = &report->rows[i];
        const struct vks_onset_mean *measured = &report->measured->responses[i][time];
        if (row->resolved) {
            found.compared++;
            found.differ += differs(row->responses[time], measured);
            found.toy_differ += differs(row->toy_responses[time], measured);
        }
    }
    return found;
}

/* The conclusions of all rows. */
struct summary {
    const struct vks_onset_row *fastest, *toy_fastest; /* NULL: no row is resolved */
    const struct vks_onset_row *first, *last;          /* of those that grow; NULL: none */
    size_t growing, resolved;
    size_t missed;  /* grow, but not in the model of two variables */
    size_t claimed; /* grow only there */
};

static struct summary summary_of(const struct vks_onset_report *report)
{
    struct summary found = {NULL};
    for (size_t i = 0; i < report->plan->mode_count; i++) {
        const struct vks_onset_row *row = &report->rows[i];
        if (!row->resolved) {
            continue;
        }
        found.resolved++;
        if (!found.fastest || row->theory.rate > found.fastest->theory.rate) {
            found.fastest = row;
        }
        if (!found.toy_fastest || row->theory.toy_rate > found.toy_fastest->theory.toy_rate) {
            found.toy_fastest = row;
        }
        found.missed += grows(row) && !toy_grows(row);
        found.claimed += !grows(row) && toy_grows(row);
        if (grows(row)) {
            found.growing++;
            found.first = found.first ? found.first : row;
            found.last = row;
        }
    }
    return found;
}

/* --- the table ------------------------------------------------------------------------------- */

static void print_rows(FILE *out, const struct vks_onset_report *report)
{
    fputs("  mode  wavelength     rate   period  alpha*gamma   beta*kappa    2x2 rate\n", out);
    fputs("             cells  1/step    steps                              1/step\n", out);
    for (size_t i = 0; i < report->plan->mode_count; i++) {
        const struct vks_onset_row *row = &report->rows[i];
        const struct vks_onset_mode *mode = &row->theory;
        char period[32] = "-";
        if (!row->resolved) {
            fprintf(out, "%6" PRIu32 " %11.2f  too short for this theory's %d headings\n",
                    row->mode, row->wavelength, VKS_ONSET_HEADINGS);
            continue;
        }
        if (mode->period > 0) {
            snprintf(period, sizeof(period), "%.1f", mode->period);
        }
        fprintf(out, "%6" PRIu32 " %11.2f %8.4f %8s %12.6f %12.6f %11.4f\n", row->mode,
                row->wavelength, mode->rate, period, mode->alpha * mode->gamma,
                mode->beta * mode->kappa, mode->toy_rate);
    }
}

/* The ratio of the measured to the predicted amplitude. */
static void format_ratio(const struct vks_onset_row *row, const struct vks_onset_mean *measured,
                         size_t time, char text[32])
{
    const double theory = row->responses[time], ratio = measured->value / theory;
    const char *flag = differs(theory, measured) ? "*" : " ";
    if (!row->resolved) {
        snprintf(text, 32, "- ");
    } else if (vanishes(theory, measured)) {
        snprintf(text, 32, ". ");
    } else if (fabs(ratio) < 99.5) {
        snprintf(text, 32, fabs(ratio) < 9.995 ? "%.2f%s" : "%.0f%s", ratio, flag);
    } else {
        snprintf(text, 32, "%s99%s", ratio < 0 ? "<-" : ">", flag);
    }
}

static void print_responses(FILE *out, const struct vks_onset_report *report)
{
    fprintf(out,
            "\nAmplitude of the trail's waves, relative to the start: measured with its standard "
            "error, by the\ntheory, and measured / theory. * differs by more than %.0f %% and %d "
            "standard errors; . both vanish.\n",
            tolerance * 100, CERTAIN);
    fputs("  mode wavelength", out);
    for (size_t t = 0; t < VKS_ONSET_TIMES; t++) {
        char title[32];
        snprintf(title, sizeof(title), "after %u steps", vks_onset_times[t]);
        fprintf(out, "   %-24s", title);
    }
    fputc('\n', out);
    for (size_t i = 0; i < report->plan->mode_count; i++) {
        const struct vks_onset_row *row = &report->rows[i];
        fprintf(out, "%6" PRIu32 " %10.2f", row->mode, row->wavelength);
        for (size_t t = 0; t < VKS_ONSET_TIMES; t++) {
            const struct vks_onset_mean *measured = &report->measured->responses[i][t];
            const double theory = row->responses[t];
            char ratio[32];
            format_ratio(row, measured, t, ratio);
            fprintf(out, "  %6.2f+-%4.2f %6.*f %6s", measured->value, measured->error,
                    fabs(theory) < 100 ? 2 : 0, theory, ratio);
        }
        fputc('\n', out);
    }
}

static void print_summary(FILE *out, const struct summary *summary)
{
    if (!summary->fastest) {
        fputs("\nall wavelengths are too short for this theory: choose smaller --modes\n", out);
        return;
    }
    const struct vks_onset_mode *fastest = &summary->fastest->theory;
    fprintf(out, "\nfastest wavelength: %.2f cells, rate %.4f per step, ",
            summary->fastest->wavelength, fastest->rate);
    if (grows(summary->fastest)) {
        fprintf(out, "doubles in %.1f steps%s\n", log(2) / fastest->rate,
                fastest->period > 0 ? " and oscillates" : "");
        fprintf(out, "growing band: %zu of %zu modes, wavelengths %.2f to %.2f cells\n",
                summary->growing, summary->resolved, summary->last->wavelength,
                summary->first->wavelength);
    } else {
        fputs("which decays\ngrowing band: none of these modes: the uniform state is stable\n",
              out);
    }
    const size_t agree = summary->resolved - summary->missed - summary->claimed;
    fprintf(out,
            "two-by-two model: alpha gamma > beta kappa agrees with the theory about growth for "
            "%zu of %zu modes",
            agree, summary->resolved);
    if (summary->missed) {
        fprintf(out, "; it misses %zu that grow", summary->missed);
    }
    if (summary->claimed) {
        fprintf(out, "; it claims growth for %zu that do not", summary->claimed);
    }
    fprintf(out, "; its largest rate is %.4f at %.2f cells\n",
            summary->toy_fastest->theory.toy_rate, summary->toy_fastest->wavelength);
    fprintf(out, "%s\n", valid_for);
}

/* What fails where. */
static void print_agreement(FILE *out, const struct vks_onset_report *report,
                            const struct summary *summary)
{
    for (size_t t = 0; t < VKS_ONSET_TIMES; t++) {
        const struct agreement found = agreement_of(report, t);
        fprintf(out,
                "after %u steps: the theory is off by more than %.0f %% for %zu of %zu modes, the "
                "two-by-two model for %zu\n",
                vks_onset_times[t], tolerance * 100, found.differ, found.compared,
                found.toy_differ);
    }
    const struct vks_onset_measured *measured = report->measured;
    if (measured->pattern) {
        fprintf(out,
                "pattern after %d steps: power has grown most at %.2f cells (%.3g times); the "
                "theory's fastest wavelength is %.2f cells\n",
                VKS_ONSET_PATTERN, (double)report->plan->width / measured->pattern,
                measured->pattern_growth, summary->fastest ? summary->fastest->wavelength : 0);
    }
}

void vks_onset_table(FILE *out, const struct vks_onset_report *report)
{
    const struct vks_onset_plan *plan = report->plan;
    const struct summary summary = summary_of(report);
    fprintf(out,
            "onset of patterns on %s: %" PRIu32 "x%" PRIu32 " cells, %.3g agents per cell, %" PRIu64
            " steps of spin-up\n",
            report->device.name, plan->width, plan->height, plan->model->density, plan->spin_up);
    fprintf(out,
            "probability of a left turn %.4f; by the trail in front %.4f, left %.4f, right "
            "%.4f\n\n",
            report->measured->gains.left, report->measured->gains.derivatives[VKS_ONSET_FRONT],
            report->measured->gains.derivatives[VKS_ONSET_LEFT],
            report->measured->gains.derivatives[VKS_ONSET_RIGHT]);
    print_rows(out, report);
    if (plan->seeds) {
        print_responses(out, report);
    }
    print_summary(out, &summary);
    if (plan->seeds) {
        print_agreement(out, report, &summary);
    }
}

/* --- JSON ------------------------------------------------------------------------------------ */

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *numbers(const double *values, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count && array; i++) {
        if (json_array_append_new(array, number(values[i])) != 0) {
            json_decref(array);
            array = NULL;
        }
    }
    return array;
}

static bool set(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0; /* which also fails for NULL */
}

/* The measured members of a row. */
static bool set_measured(const struct vks_onset_report *report, size_t index, json_t *object)
{
    const struct vks_onset_row *row = &report->rows[index];
    const struct vks_onset_mean *measured = report->measured->responses[index];
    double values[VKS_ONSET_TIMES], errors[VKS_ONSET_TIMES], ratios[VKS_ONSET_TIMES];
    json_t *flags = json_array();
    bool complete = flags != NULL;
    for (size_t t = 0; t < VKS_ONSET_TIMES && complete; t++) {
        values[t] = measured[t].value;
        errors[t] = measured[t].error;
        ratios[t] = measured[t].value / row->responses[t];
        complete = json_array_append_new(
                       flags, json_boolean(differs(row->responses[t], &measured[t]))) == 0;
    }
    return set(object, "differs", flags) && complete &&
           set(object, "measured", numbers(values, VKS_ONSET_TIMES)) &&
           set(object, "measured_error", numbers(errors, VKS_ONSET_TIMES)) &&
           set(object, "ratio", numbers(ratios, VKS_ONSET_TIMES)) &&
           set(object, "measured_rate", number(report->measured->rates[index].value)) &&
           set(object, "measured_rate_error", number(report->measured->rates[index].error));
}

static json_t *row_json(const struct vks_onset_report *report, size_t index, bool *complete)
{
    const struct vks_onset_row *row = &report->rows[index];
    const struct vks_onset_mode *mode = &row->theory;
    json_t *object = json_pack("{s:I, s:f, s:b}", "mode", (json_int_t)row->mode, "wavelength",
                               row->wavelength, "resolved", (int)row->resolved);
    *complete = object != NULL;
    if (*complete && row->resolved) {
        *complete = set(object, "rate", number(mode->rate)) &&
                    set(object, "period", mode->period > 0 ? number(mode->period) : json_null()) &&
                    set(object, "alpha", number(mode->alpha)) &&
                    set(object, "beta", number(mode->beta)) &&
                    set(object, "gamma", number(mode->gamma)) &&
                    set(object, "kappa", number(mode->kappa)) &&
                    set(object, "toy_rate", number(mode->toy_rate)) &&
                    set(object, "toy_grows", json_boolean(toy_grows(row))) &&
                    set(object, "responses", numbers(row->responses, VKS_ONSET_TIMES)) &&
                    set(object, "toy_responses", numbers(row->toy_responses, VKS_ONSET_TIMES));
    }
    if (*complete && report->plan->seeds) {
        *complete = set_measured(report, index, object);
    }
    return object;
}

/* By the theory, and by the model of two variables. */
static bool set_summary(const struct vks_onset_report *report, json_t *root)
{
    const struct summary summary = summary_of(report);
    if (!summary.fastest) {
        return true;
    }
    const double rate = summary.fastest->theory.rate;
    const bool any = summary.first != NULL;
    return set(root, "fastest_wavelength", number(summary.fastest->wavelength)) &&
           set(root, "fastest_rate", number(rate)) &&
           set(root, "doubling_steps", any ? number(log(2) / rate) : json_null()) &&
           set(root, "growing_from", any ? number(summary.last->wavelength) : json_null()) &&
           set(root, "growing_to", any ? number(summary.first->wavelength) : json_null()) &&
           set(root, "toy_fastest_wavelength", number(summary.toy_fastest->wavelength)) &&
           set(root, "toy_fastest_rate", number(summary.toy_fastest->theory.toy_rate)) &&
           set(root, "toy_misses", json_integer((json_int_t)summary.missed)) &&
           set(root, "toy_claims", json_integer((json_int_t)summary.claimed));
}

/* What was measured, except in rows. */
static bool set_agreement(const struct vks_onset_report *report, json_t *root)
{
    json_t *array = json_array();
    bool complete = array != NULL;
    for (size_t t = 0; t < VKS_ONSET_TIMES && complete; t++) {
        const struct agreement found = agreement_of(report, t);
        json_t *object = json_pack("{s:i, s:i, s:i, s:i}", "steps", (int)vks_onset_times[t],
                                   "modes", (int)found.compared, "theory_differs",
                                   (int)found.differ, "toy_differs", (int)found.toy_differ);
        complete = json_array_append_new(array, object) == 0;
    }
    const uint32_t pattern = report->measured->pattern;
    return set(root, "agreement", array) && complete &&
           set(root, "pattern_wavelength",
               pattern ? number((double)report->plan->width / pattern) : json_null()) &&
           set(root, "pattern_steps", json_integer(VKS_ONSET_PATTERN)) &&
           set(root, "pattern_growth", number(report->measured->pattern_growth));
}

json_t *vks_onset_json(const struct vks_onset_report *report, bool *complete)
{
    const struct vks_onset_plan *plan = report->plan;
    double times[VKS_ONSET_TIMES];
    json_t *rows = json_array(), *covariance = json_array();
    *complete = rows && covariance;
    for (size_t t = 0; t < VKS_ONSET_TIMES; t++) {
        times[t] = vks_onset_times[t];
    }
    for (size_t i = 0; i < plan->mode_count && *complete; i++) {
        json_t *row = row_json(report, i, complete);
        *complete = json_array_append_new(rows, row) == 0 && *complete;
    }
    for (size_t s = 0; s < VKS_ONSET_SENSORS && *complete; s++) {
        *complete = json_array_append_new(covariance, numbers(report->measured->covariance[s],
                                                              VKS_ONSET_SENSORS)) == 0;
    }
    json_t *root = json_pack(
        "{s:s, s:O, s:s, s:{s:s, s:s, s:s, s:s}, s:O, s:I, s:I, s:I, s:f, s:o, s:f, s:o, s:o, s:o, "
        "s:s}",
        "version", VKS_VERSION, "command", report->command, "simulation", "physarum", "device",
        "name", report->device.name, "driver", report->device.driver, "vulkan",
        report->device.api_version, "uuid", report->device.uuid, "options", report->options, "seed",
        (json_int_t)plan->seed, "seeds", (json_int_t)plan->seeds, "spin_up",
        (json_int_t)plan->spin_up, "density", plan->model->density, "covariance", covariance,
        "p_left", report->measured->gains.left, "derivatives",
        numbers(report->measured->gains.derivatives, VKS_ONSET_SENSORS), "steps",
        numbers(times, VKS_ONSET_TIMES), "modes", rows, "validity", valid_for);
    *complete = *complete && root && set_summary(report, root) &&
                (plan->seeds == 0 || set_agreement(report, root));
    return root;
}
