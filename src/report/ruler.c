/* SPDX-License-Identifier: MIT */
#include "report/ruler.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* Keeps differences and powers finite. */
#define LARGEST 1e280

/* --- numbers --------------------------------------------------------------------------------- */

/* Powers of 1000 from -5 to 6. */
static const char *const prefixes[] = {"f", "p", "n", "\u00b5", "m", "",
                                       "k", "M", "G", "T",      "P", "E"};
static const char *const binary_prefixes[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
enum { UNITY = 5 }; /* index of the power 0 */

static bool is_plain(const char *unit)
{
    return !unit || unit[0] == '\0';
}

/* The index of the prefix that leaves 1 to 999.5 before it. */
static int prefix_of(double value, const char *unit)
{
    const double size = fabs(value);
    int at = UNITY;
    if (!(size > 0) || (unit && strcmp(unit, "%") == 0)) {
        return UNITY;
    }
    while (at + 1 < (int)VKS_COUNT(prefixes) && size / pow(1000, at - UNITY) >= 999.5) {
        at++;
    }
    /* Plain numbers below 1 stay decimal fractions. */
    while (at > (is_plain(unit) ? UNITY : 0) && size / pow(1000, at - UNITY) < 0.9995) {
        at--;
    }
    return at;
}

static const char *binary_number(double value, const char *unit, char *buffer, size_t size)
{
    size_t at = 0;
    const bool bytes = unit && strcmp(unit, "B") == 0;
    /* Sides and counts are read as 4096, not as 4 Ki. */
    const double first = bytes ? 1024 : 1048576;
    if (fabs(value) >= first) {
        while (at + 1 < VKS_COUNT(binary_prefixes) && fabs(value) >= 1024) {
            value /= 1024;
            at++;
        }
    }
    snprintf(buffer, size, "%.6g%s%s%s", value, at || !is_plain(unit) ? " " : "",
             binary_prefixes[at], unit ? unit : "");
    return buffer;
}

const char *vks_plot_number(double value, const char *unit, enum vks_plot_scale scale, char *buffer,
                            size_t size)
{
    if (scale == VKS_PLOT_LOG2) {
        return binary_number(value, unit, buffer, size);
    }
    const int prefix = prefix_of(value, unit);
    snprintf(buffer, size, "%.3g%s%s%s", value / pow(1000, prefix - UNITY),
             is_plain(unit) ? "" : " ", prefixes[prefix], unit ? unit : "");
    return buffer;
}

/* --- ticks ----------------------------------------------------------------------------------- */

static void add_tick(struct vks_ruler *ruler, double value, const char *label)
{
    if (ruler->count < VKS_MAX_TICKS && value >= ruler->min && value <= ruler->max) {
        struct vks_tick *tick = &ruler->ticks[ruler->count++];
        tick->value = value;
        snprintf(tick->label, sizeof(tick->label), "%s", label);
    }
}

/* On a logarithmic scale the labels of the ticks have the unit. */
static void set_title(struct vks_ruler *ruler, const struct vks_plot_axis *axis, const char *prefix)
{
    const char *label = axis->label ? axis->label : "";
    if (is_plain(axis->unit) || axis->scale != VKS_PLOT_LINEAR) {
        snprintf(ruler->title, sizeof(ruler->title), "%s", label);
    } else {
        snprintf(ruler->title, sizeof(ruler->title), "%s (%s%s)", label, prefix, axis->unit);
    }
}

/* The largest of 1, 2, 5 x 10^n that is at most `value` (with some tolerance). */
static double step_below(double value)
{
    const double decade = pow(10, floor(log10(value) + 1e-9));
    const double part = value / decade * (1 + 1e-9);
    return decade * (part >= 5 ? 5 : part >= 2 ? 2 : 1);
}

static double next_step(double step)
{
    /* 1 -> 2 -> 5 -> 10, from the leading digit */
    const double decade = pow(10, floor(log10(step) + 1e-9));
    const double part = round(step / decade);
    return decade * (part < 2 ? 2 : part < 5 ? 5 : 10);
}

static double step_above(double value)
{
    const double below = step_below(value);
    return below >= value * (1 - 1e-9) ? below : next_step(below);
}

static void make_linear(struct vks_ruler *ruler, const struct vks_plot_axis *axis, bool given)
{
    enum { TICKS = 7 };
    if (!given && ruler->min > 0 && ruler->min < ruler->max / 2) {
        ruler->min = 0;
    }
    const double size = fmax(fabs(ruler->min), fabs(ruler->max));
    if (!(ruler->max - ruler->min > fmax(1e-12 * size, 1 / LARGEST))) { /* nearly one value */
        const double around = size > 1 / LARGEST ? size / 2 : 1;
        ruler->min -= around;
        ruler->max += around;
    }
    const double step = step_above((ruler->max - ruler->min) / (double)TICKS);
    if (!given) {
        ruler->min = step * floor(ruler->min / step + 1e-9);
        ruler->max = step * ceil(ruler->max / step - 1e-9);
    }
    const double max_abs = fmax(fabs(ruler->min), fabs(ruler->max));
    const bool short_plain = is_plain(axis->unit) && max_abs < 1e4;
    const int prefix = short_plain ? UNITY : prefix_of(max_abs, axis->unit);
    const double scale = pow(1000, prefix - UNITY);
    for (double i = ceil(ruler->min / step - 1e-9); i * step <= ruler->max + step / 1000; i++) {
        char label[32];
        const double value = i * step + 0; /* not -0 */
        if (is_plain(axis->unit)) {
            snprintf(label, sizeof(label), "%.5g%s", value / scale,
                     value != 0 ? prefixes[prefix] : "");
        } else {
            snprintf(label, sizeof(label), "%.5g", value / scale);
        }
        add_tick(ruler, fmin(value, ruler->max), label);
    }
    set_title(ruler, axis, prefixes[prefix]);
}

static void make_log(struct vks_ruler *ruler, const struct vks_plot_axis *axis, bool given)
{
    enum { DECADES = 8 };
    char label[32];
    if (!given) {
        const double high = ruler->max;
        ruler->min = step_below(ruler->min);
        ruler->max = step_above(high);
        if (ruler->max <= ruler->min * (1 + 1e-9)) {
            ruler->max = next_step(ruler->max);
        }
    }
    const double first = floor(log10(ruler->min) + 1e-9), last = ceil(log10(ruler->max) - 1e-9);
    const double span = log10(ruler->max / ruler->min);
    const double every = ceil((last - first) / (double)DECADES);
    for (double decade = first; decade <= last; decade += every) {
        for (int digit = 1; digit < 10; digit++) {
            const bool labelled = digit == 1 || (span < 2.5 && (digit == 2 || digit == 5));
            const double value = pow(10, decade) * digit;
            if (every > 1 && digit > 1) {
                break;
            }
            /* The range was rounded to such values: rounding must not lose its ends. */
            const double near = fabs(value / ruler->min - 1) < 1e-9   ? ruler->min
                                : fabs(value / ruler->max - 1) < 1e-9 ? ruler->max
                                                                      : value;
            add_tick(ruler, near,
                     labelled ? vks_plot_number(value, axis->unit, ruler->scale, label, 32) : "");
        }
    }
    set_title(ruler, axis, "");
}

static void make_log2(struct vks_ruler *ruler, const struct vks_plot_axis *axis, bool given)
{
    enum { POWERS = 11 };
    char label[32];
    double first = floor(log2(ruler->min) + 1e-9), last = ceil(log2(ruler->max) - 1e-9);
    last = last > first ? last : first + 1;
    if (!given) {
        ruler->min = exp2(first);
        ruler->max = exp2(last);
    }
    const double every = ceil((last - first) / (double)POWERS);
    for (double power = first; power <= last; power += every) {
        add_tick(ruler, exp2(power),
                 vks_plot_number(exp2(power), axis->unit, ruler->scale, label, 32));
    }
    set_title(ruler, axis, "");
}

void vks_ruler_make(struct vks_ruler *ruler, const struct vks_plot_axis *axis, double low,
                    double high)
{
    const bool given = isfinite(axis->min) && isfinite(axis->max) && axis->max > axis->min &&
                       (axis->scale == VKS_PLOT_LINEAR || axis->min > 0);
    const bool positive = axis->scale != VKS_PLOT_LINEAR;
    low = given ? axis->min : low;
    high = given ? axis->max : high;
    if (!isfinite(low) || !isfinite(high) || low > high) {
        low = positive ? 1 : 0;
        high = positive ? 10 : 1;
    }
    const double min = positive ? 1 / LARGEST : -LARGEST;
    *ruler = (struct vks_ruler){
        .scale = axis->scale,
        .min = fmin(fmax(low, min), LARGEST),
        .max = fmin(fmax(high, min), LARGEST),
    };
    switch (axis->scale) {
    case VKS_PLOT_LINEAR:
        make_linear(ruler, axis, given);
        break;
    case VKS_PLOT_LOG:
        make_log(ruler, axis, given);
        break;
    case VKS_PLOT_LOG2:
        make_log2(ruler, axis, given);
        break;
    }
}

double vks_ruler_at(const struct vks_ruler *ruler, double value)
{
    if (ruler->scale == VKS_PLOT_LINEAR) {
        return (value - ruler->min) / (ruler->max - ruler->min);
    }
    return value > 0 ? log(value / ruler->min) / log(ruler->max / ruler->min) : (double)NAN;
}

double vks_ruler_value(const struct vks_ruler *ruler, double place)
{
    return ruler->scale == VKS_PLOT_LINEAR ? ruler->min + place * (ruler->max - ruler->min)
                                           : ruler->min * pow(ruler->max / ruler->min, place);
}
