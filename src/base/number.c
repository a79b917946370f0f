/* SPDX-License-Identifier: MIT */
#include "base/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"

static locale_t c_locale;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* Switches this thread to the C locale; returns the old one. */
static locale_t enter(void)
{
    pthread_once(&once, make_locale);
    return c_locale ? uselocale(c_locale) : (locale_t)0;
}

static void leave(locale_t before)
{
    if (before) {
        uselocale(before);
    }
}

/* Whether strtod() would read a decimal number there, and not blanks before it, a hexadecimal one
 * or a word such as inf. */
static bool is_decimal(const char *text)
{
    const char *digits = text + (*text == '+' || *text == '-');
    const bool hexadecimal = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    const char first = digits[*digits == '.'];
    return first >= '0' && first <= '9' && !hexadecimal;
}

double vks_parse_real(const char *text, const char **end)
{
    char *stop;
    if (!is_decimal(text)) {
        *end = text;
        return 0;
    }
    locale_t before = enter();
    double value = strtod(text, &stop);
    leave(before);
    *end = stop;
    return value;
}

const char *vks_format_real(double value, char *buffer, size_t size)
{
    locale_t before = enter();
    /* 6 digits also give shorter normal numbers, because %g drops trailing zeros. */
    for (int digits = fabs(value) < DBL_MIN ? 1 : 6; digits <= 17; digits++) {
        snprintf(buffer, size, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value) {
            break;
        }
    }
    leave(before);
    return buffer;
}

/* Removes a plus sign and leading zeros from the exponent: 1e+06 becomes 1e6. */
static void trim_exponent(char *number)
{
    char *to = strchr(number, 'e');
    if (!to) {
        return;
    }
    const char *from = ++to;
    if (*from == '-') {
        to++;
    }
    from += strspn(from, "+-0");
    memmove(to, from, strlen(from) + 1);
}

void vks_shorten_reals(char *json)
{
    char *to = json;
    bool quoted = false;
    for (const char *from = json; *from;) {
        const size_t length = quoted ? 0 : strspn(from, "+-.0123456789eE");
        char number[64];
        if (length == 0 || strchr("eE", *from)) { /* also the e of true and false */
            quoted = quoted != (*from == '"');
            if (quoted && *from == '\\' && from[1]) {
                *to++ = *from++;
            }
            *to++ = *from++;
            continue;
        }
        snprintf(number, sizeof(number), "%.*s", (int)length, from);
        if (length < sizeof(number) && strpbrk(number, ".eE")) {
            const char *end;
            const double value = vks_parse_real(number, &end);
            if (value != 0 || !signbit(value)) { /* -0 would be an integer, without a sign */
                vks_format_real(value, number, sizeof(number));
                trim_exponent(number);
            }
        }
        const size_t shorter = length < sizeof(number) ? strlen(number) : SIZE_MAX;
        const size_t count = shorter < length ? shorter : length;
        memmove(to, shorter < length ? number : from, count);
        to += count;
        from += length;
    }
    *to = '\0';
}

const char *vks_parse_span(const char *text, double *low, double *high)
{
    const char *end;
    *low = vks_parse_real(text, &end);
    if (end == text || *end != ':') {
        return NULL;
    }
    const char *second = end + 1;
    *high = vks_parse_real(second, &end);
    return end != second ? end : NULL;
}

double vks_parse_fraction(const char *text, const char **end)
{
    const double value = vks_parse_real(text, end);
    if (*end == text || **end != '/') {
        return value;
    }
    const char *below = *end + 1, *rest;
    const double divisor = vks_parse_real(below, &rest);
    if (rest != below) {
        *end = rest;
    }
    return rest != below ? value / divisor : value;
}

bool vks_parse_duration(const char *text, double *seconds)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"min", 60}, {"h", 3600}};
    const double max_seconds = 366 * 86400.0;
    const char *end;
    double time = vks_parse_real(text, &end);
    if (end == text || signbit(time)) {
        return false;
    }
    int parts = 1;
    for (; *end == ':' && parts < 3; parts++) {
        const char *part = end + 1;
        const double value = vks_parse_real(part, &end);
        if (end == part || !(value >= 0 && value < 60) || time != floor(time)) {
            return false;
        }
        time = time * 60 + value;
    }
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]) && (parts == 1 || i == 0); i++) {
        if (strcmp(end, units[i].name) == 0) {
            *seconds = time * units[i].seconds;
            return *seconds <= max_seconds;
        }
    }
    return false;
}

double vks_array_number(const void *array, char kind, uint32_t item_bytes, uint64_t index)
{
    const bool is_float = kind == 'f', is_signed = kind == 'i';
    switch (item_bytes) {
    case 1:
        return is_signed ? ((const int8_t *)array)[index] : ((const uint8_t *)array)[index];
    case 2:
        return is_float    ? (double)vks_from_half(((const uint16_t *)array)[index])
               : is_signed ? (double)((const int16_t *)array)[index]
                           : (double)((const uint16_t *)array)[index];
    case 4:
        return is_float    ? (double)((const float *)array)[index]
               : is_signed ? (double)((const int32_t *)array)[index]
                           : (double)((const uint32_t *)array)[index];
    default:
        return is_float    ? ((const double *)array)[index]
               : is_signed ? (double)((const int64_t *)array)[index]
                           : (double)((const uint64_t *)array)[index];
    }
}
