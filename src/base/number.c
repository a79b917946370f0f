/* SPDX-License-Identifier: MIT */
#include "base/number.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

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

double vks_parse_real(const char *text, const char **end)
{
    char *stop;
    locale_t before = enter();
    double value = strtod(text, &stop);
    leave(before);
    *end = stop;
    return value;
}

const char *vks_format_real(double value, char *buffer, size_t size)
{
    locale_t before = enter();
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(buffer, size, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value) {
            break;
        }
    }
    leave(before);
    return buffer;
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
