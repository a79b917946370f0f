/* SPDX-License-Identifier: MIT */
#include "runs/over.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"

/* The largest value of any quantity, exact as a double. */
#define LARGEST 1e15

/* A text that is being parsed. */
struct parser {
    struct vks_over *over;
    const char *text;            /* of the whole option */
    bool optional[VKS_MAX_OVER]; /* values that are dropped where the settings cannot have them */
};

/* Reports what is wrong with the text. */
static enum vks_result wrong(const struct parser *parser, const char *why)
{
    return vks_fail_option(VKS_ERROR_USAGE, "over", "'%.100s%s' %s", parser->text,
                           strlen(parser->text) > 100 ? "..." : "", why);
}

static enum vks_result wrong_number(const struct parser *parser, const char *number)
{
    char why[160];
    const size_t length = strcspn(number, ",:/");
    snprintf(why, sizeof(why),
             "has '%.*s', which is not a whole number from 1 to 1e15 (k, M and G may follow it)",
             length < 40 ? (int)length : 40, number);
    return wrong(parser, why);
}

/* Reports what follows the number at `number`: a part of it, or of another kind of values. */
static enum vks_result wrong_end(const struct parser *parser, const char *number, const char *end)
{
    return strchr(",:/", *end)
               ? wrong(parser, "is neither a list (256,512) nor a range (256:1024 or 256:1024/9)")
               : wrong_number(parser, number);
}

/* --- values ---------------------------------------------------------------------------------- */

/* Reads a whole number with its suffix; *end is behind it. */
static enum vks_result parse_number(const struct parser *parser, const char *text, uint64_t *number,
                                    const char **end)
{
    double value = vks_parse_real(text, end);
    if (*end == text) {
        return wrong_number(parser, text);
    }
    const char *suffix = strchr("kMG", **end);
    if (**end && suffix) {
        value *= *suffix == 'k' ? 1e3 : *suffix == 'M' ? 1e6 : 1e9;
        (*end)++;
    }
    if (!(value >= 1 && value <= LARGEST) || fabs(value - round(value)) > 1e-9 * value) {
        return wrong_number(parser, text);
    }
    *number = (uint64_t)llround(value);
    return VKS_OK;
}

/* Adds a value that is larger than the last one. */
static enum vks_result add_value(const struct parser *parser, uint64_t value)
{
    struct vks_over *over = parser->over;
    if (over->count > 0 && value <= over->values[over->count - 1]) {
        return wrong(parser, "is not in ascending order");
    }
    if (over->count == VKS_MAX_OVER) {
        return wrong(parser, "has more than 64 values");
    }
    over->values[over->count++] = value;
    return VKS_OK;
}

static enum vks_result add_list(const struct parser *parser, const char *text)
{
    for (;;) {
        uint64_t value;
        const char *end;
        enum vks_result result = parse_number(parser, text, &value, &end);
        if (result == VKS_OK && *end && *end != ',') {
            result = wrong_end(parser, text, end);
        }
        if (result == VKS_OK) {
            result = add_value(parser, value);
        }
        if (result != VKS_OK || !*end) {
            return result;
        }
        text = end + 1;
    }
}

/* Sides that are multiples of 16 take the shaders' common paths, so that a curve over sizes has no
 * spikes at odd ones. */
static uint64_t round_value(const struct vks_over *over, double value)
{
    return over->quantity == VKS_QUANTITY_SIZE && value > 64 ? (uint64_t)llround(value / 16) * 16
                                                             : (uint64_t)llround(value);
}

static enum vks_result add_spaced(const struct parser *parser, uint64_t low, uint64_t high,
                                  uint64_t count)
{
    struct vks_over *over = parser->over;
    const double ratio = (double)high / (double)low;
    enum vks_result result = VKS_OK;
    if (count < 2) {
        return wrong(parser, "needs at least 2 values after '/'");
    }
    if (count > VKS_MAX_OVER) {
        return wrong(parser, "has more than 64 values");
    }
    for (uint64_t i = 0; i < count && result == VKS_OK; i++) {
        const double place = (double)i / (double)(count - 1);
        const uint64_t value = i == 0 ? low
                               : i + 1 == count
                                   ? high
                                   : round_value(over, (double)low * pow(ratio, place));
        if (value > (over->count ? over->values[over->count - 1] : 0)) { /* each once */
            result = add_value(parser, value);
        }
    }
    return result;
}

/* LOW, twice and four times that and so on, the values halfway between them, and HIGH. */
static enum vks_result add_doubled(struct parser *parser, uint64_t low, uint64_t high)
{
    struct vks_over *over = parser->over;
    enum vks_result result = VKS_OK;
    double factor = 1;
    for (int i = 0; factor * (double)low < (double)high && result == VKS_OK; i++) {
        const uint64_t value = round_value(over, (double)low * factor);
        if (value > (over->count ? over->values[over->count - 1] : 0) && value < high) {
            result = add_value(parser, i == 0 ? low : value);
            parser->optional[over->count - 1] = i % 2 == 1;
        }
        factor = pow(2, 0.5 * (i + 1));
    }
    return result == VKS_OK ? add_value(parser, high) : result;
}

static enum vks_result add_range(struct parser *parser, const char *text)
{
    uint64_t low, high, count;
    const char *end;
    enum vks_result result = parse_number(parser, text, &low, &end);
    if (result != VKS_OK) {
        return result;
    }
    if (*end != ':') {
        return *end ? wrong_end(parser, text, end) : wrong_number(parser, text);
    }
    text = end + 1;
    result = parse_number(parser, text, &high, &end);
    if (result != VKS_OK) {
        return result;
    }
    if (*end && *end != '/') {
        return wrong_end(parser, text, end);
    }
    if (high <= low) {
        return wrong(parser, high < low ? "is reversed: a range is LOW:HIGH"
                                        : "is a range of one value; give the value alone");
    }
    if (!*end) {
        return add_doubled(parser, low, high);
    }
    text = end + 1;
    result = parse_number(parser, text, &count, &end);
    if (result == VKS_OK && *end) {
        result = wrong_end(parser, text, end);
    }
    return result == VKS_OK ? add_spaced(parser, low, high, count) : result;
}

/* --- quantities ------------------------------------------------------------------------------ */

/* Size, steps, and the counts among the simulation's options: NULL past the last. */
static const char *quantity_at(const struct vks_settings *settings, size_t index)
{
    static const char *const fixed[] = {"size", "steps"};
    if (index < VKS_COUNT(fixed)) {
        return fixed[index];
    }
    index -= VKS_COUNT(fixed);
    const struct vks_option_table table = settings->model->options;
    for (size_t i = 0; i < table.count; i++) {
        if (table.options[i].type == VKS_OPTION_COUNT && index-- == 0) {
            return table.options[i].name;
        }
    }
    return NULL;
}

static enum vks_result find_quantity(const struct parser *parser,
                                     const struct vks_settings *settings)
{
    struct vks_over *over = parser->over;
    const size_t length = strcspn(parser->text, "=");
    char list[256] = "", why[512];
    if (parser->text[length] != '=') {
        return wrong(parser, "is not QUANTITY=VALUES, such as size=256:16384 or steps=100,200");
    }
    snprintf(over->name, sizeof(over->name), "%.*s", length > 63 ? 63 : (int)length, parser->text);
    for (size_t i = 0; quantity_at(settings, i); i++) {
        const char *name = quantity_at(settings, i);
        if (length == strlen(name) && strcmp(over->name, name) == 0) {
            over->quantity = i < VKS_QUANTITY_ITEMS ? (enum vks_quantity)i : VKS_QUANTITY_ITEMS;
            return VKS_OK;
        }
        const size_t used = strlen(list);
        snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "", name);
    }
    snprintf(why, sizeof(why), "has an unknown quantity; those of %s are %s", settings->model->name,
             list);
    return wrong(parser, why);
}

/* --- settings -------------------------------------------------------------------------------- */

static enum vks_result apply(const struct vks_over *over, uint64_t value,
                             struct vks_settings *settings)
{
    char text[96];
    const bool volume = settings->common.size.depth > 1;
    switch (over->quantity) {
    case VKS_QUANTITY_SIZE:
        if (volume) {
            snprintf(text, sizeof(text), "%" PRIu64 "x%" PRIu64 "x%" PRIu64, value, value, value);
        } else {
            snprintf(text, sizeof(text), "%" PRIu64 "x%" PRIu64, value, value);
        }
        return vks_settings_set(settings, "size", text);
    case VKS_QUANTITY_ITEMS:
        snprintf(text, sizeof(text), "%" PRIu64, value);
        return vks_settings_set(settings, over->name, text);
    case VKS_QUANTITY_STEPS:
        break;
    }
    return VKS_OK;
}

enum vks_result vks_over_settings(const struct vks_over *over, uint64_t value,
                                  const struct vks_settings *base, struct vks_settings *settings)
{
    enum vks_result result = vks_settings_copy(settings, base);
    if (result == VKS_OK) {
        result = apply(over, value, settings);
    }
    return result == VKS_OK ? vks_settings_finish(settings) : result;
}

/* Checks the values against the settings. */
static enum vks_result check_values(const struct parser *parser,
                                    const struct vks_settings *settings)
{
    struct vks_over *over = parser->over;
    enum vks_result result = VKS_OK;
    size_t kept = 0;
    for (size_t i = 0; i < over->count && result == VKS_OK; i++) {
        struct vks_settings point = {0};
        const uint64_t value = over->values[i];
        result = vks_over_settings(over, value, settings, &point);
        vks_settings_free(&point);
        if (result == VKS_OK) {
            over->values[kept++] = value;
        } else if (result == VKS_ERROR_USAGE && parser->optional[i]) {
            result = VKS_OK;
        } else if (result == VKS_ERROR_USAGE) {
            char why[1024];
            snprintf(why, sizeof(why), "cannot have %" PRIu64 ": %s", value, vks_error_text());
            result = wrong(parser, why);
        }
    }
    over->count = kept;
    return result;
}

enum vks_result vks_over_parse(struct vks_over *over, const struct vks_settings *settings,
                               const char *text)
{
    struct parser parser = {.over = over, .text = text};
    *over = (struct vks_over){.count = 0};
    enum vks_result result = find_quantity(&parser, settings);
    if (result != VKS_OK) {
        return result;
    }
    const char *values = strchr(text, '=') + 1;
    if (!*values) {
        return wrong(&parser, "has no values, such as size=256:16384 or steps=100,200");
    }
    result = strchr(values, ':') ? add_range(&parser, values) : add_list(&parser, values);
    return result == VKS_OK ? check_values(&parser, settings) : result;
}
