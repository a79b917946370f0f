/* SPDX-License-Identifier: MIT */
#include "annotation_reference.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "view/text.h"

/* --- numbers --------------------------------------------------------------------------------- */

static void trim(char *digits)
{
    size_t length = strlen(digits);
    while (strchr(digits, '.') && (digits[length - 1] == '0' || digits[length - 1] == '.')) {
        const bool point = digits[length - 1] == '.';
        digits[--length] = '\0';
        if (point) {
            break;
        }
    }
}

const char *annotation_number(float value, int digits, bool trims, char text[32])
{
    char rounded[64], *exponent;
    if (value == 0) {
        return strcpy(text, "0");
    }
    snprintf(rounded, sizeof(rounded), "%.*e", digits - 1, (double)value);
    exponent = strchr(rounded, 'e');
    const int power = atoi(exponent + 1);
    char kept[64];
    snprintf(kept, sizeof(kept), "%.*s", (int)(exponent - rounded), rounded);
    if (trims) {
        trim(kept);
    }
    const int decimals = strchr(kept, '.') ? (int)strlen(strchr(kept, '.')) - 1 : 0;
    if (power >= -3 && (power <= 4 || (power <= 6 && power <= decimals))) {
        snprintf(text, 32, "%.*f", decimals > power ? decimals - power : 0, strtod(rounded, NULL));
    } else {
        snprintf(text, 32, "%se%d", kept, power);
    }
    return text;
}

static float power_of_ten(int exponent)
{
    char text[16];
    snprintf(text, sizeof(text), "1e%d", exponent);
    return strtof(text, NULL);
}

static int decade_of(float value)
{
    int exponent = 38;
    while (exponent > -20 && power_of_ten(exponent) > value) {
        exponent--;
    }
    return exponent;
}

/* A number beside the bar, and where its tick is: a value. */
struct number {
    char text[32];
    float value;
};

struct numbers {
    struct number low, high, ticks[8];
    int count;
    bool decades;
};

static void write_end(const struct view_reference *view, float value, float other, char text[32])
{
    const float size = fabsf(value), range = fabsf(value - other);
    const float least = fabsf(other) * 1e-4f;
    int digits = view->level[2] == 0 ? 3 : decade_of(size) - decade_of(range) + 2;
    digits = digits < 3 ? 3 : digits > 7 ? 7 : digits;
    if (view->logarithmic && !view->symmetric &&
        abs(decade_of(size) - decade_of(fabsf(other))) > 1) {
        digits = 2;
    }
    const bool none = size < 0x1p-60f || (!view->logarithmic && size < least);
    const bool whole = size < 1000 && size == floorf(size);
    annotation_number(none ? 0 : value, digits, view->mode == VIEW_OF_FIXED || whole, text);
}

static void find_multiples(float low, float high, struct numbers *numbers)
{
    static const float factors[] = {5, 2, 1};
    const float range = high - low, margin = 0.06f * range;
    const float from = low + margin, to = high - margin;
    int best = 0, chosen = -1, begin = 0;
    if (!(range > 1e-6f) || fabsf(low) > 1e15f || fabsf(high) > 1e15f) {
        return;
    }
    for (int i = 0; i < 6; i++) {
        const float step = factors[i % 3] * power_of_ten(decade_of(range) - i / 3);
        const float first = ceilf(vks_divide(from, step)), last = floorf(vks_divide(to, step));
        const int count = last >= first && fabsf(first) < 1e6f && fabsf(last) < 1e6f
                              ? (int)(last - first) + 1
                              : 0;
        if (best == 0 || (best == 1 && (count == 2 || count == 3))) {
            best = count;
            chosen = i;
            begin = count ? (int)first : 0;
        }
    }
    for (int i = 0; i < best && numbers->count < 5; i++) {
        struct number *tick = &numbers->ticks[numbers->count++];
        const int exponent = decade_of(range) - chosen / 3;
        const float digits = (float)(begin + i) * factors[chosen % 3];
        char exact[64];
        tick->value = digits * power_of_ten(exponent);
        snprintf(exact, sizeof(exact), "%.0fe%d", (double)digits, exponent);
        /* All digits of the multiple; the float nearest to it has no more of them. */
        annotation_number(strtof(exact, NULL), 7, true, tick->text);
    }
}

static struct numbers numbers_of(const struct view_reference *view)
{
    struct numbers numbers = {.count = 0};
    const float high = view->level[1];
    const float low = view->symmetric ? -high : view->logarithmic ? view->level[4] : view->level[0];
    const bool flat = view->level[2] == 0;
    if (!flat || !view->symmetric) {
        write_end(view, low, high, numbers.low.text);
    }
    if (!flat) {
        write_end(view, high, low, numbers.high.text);
    }
    if (view->symmetric) {
        numbers.count = 1;
        strcpy(numbers.ticks[0].text, "0");
        return numbers;
    }
    for (int e = -20; !flat && view->logarithmic && e < 39; e++) {
        const float value = power_of_ten(e);
        if (value > low && value < high && numbers.count < 5) {
            numbers.ticks[numbers.count].value = value;
            annotation_number(value, 1, true, numbers.ticks[numbers.count++].text);
        }
    }
    numbers.decades = numbers.count > 1;
    if (!numbers.decades && !flat) {
        numbers.count = 0;
        find_multiples(low, high, &numbers);
    }
    return numbers;
}

/* With commas between thousands. */
static void write_whole(uint64_t value, char text[32])
{
    char digits[32];
    const int length = snprintf(digits, sizeof(digits), "%" PRIu64, value);
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            *text++ = ',';
        }
        *text++ = digits[i];
    }
    *text = '\0';
}

static void write_time(const struct annotation_reference *annotation, char text[64])
{
    char whole[32];
    if (!annotation->has_time) {
        write_whole(annotation->amount, whole);
        snprintf(text, 64, "step %s", whole);
        return;
    }
    const uint64_t fraction = annotation->amount & ((UINT64_C(1) << 40) - 1);
    const uint64_t decimals = (fraction * 10000 + (UINT64_C(1) << 39)) >> 40;
    write_whole((annotation->amount >> 40) + decimals / 10000, whole);
    snprintf(text, 64, "t = %s.%04u", whole, (unsigned)(decimals % 10000));
}

/* --- drawing --------------------------------------------------------------------------------- */

struct page {
    const struct annotation_reference *annotation;
    const struct view_reference *view;
    const struct view_frame *frame;
    uint32_t size, digit, pad, margin, gap, ascent, descent;
};

/* A panel whose upper left corner is at (x, y). */
struct panel {
    int64_t x, y, width, height;
};

static uint32_t part(uint32_t length, double share)
{
    return (uint32_t)floor(length * share + 0.5);
}

static uint64_t share_of(uint64_t cover)
{
    return (cover * 65536 + 127) / 255;
}

static void cover(const struct page *page, int64_t x, int64_t y, uint32_t colour, uint64_t share)
{
    if (share > 0) {
        view_cover(page->frame, (size_t)y * page->view->width + (size_t)x, colour, share);
    }
}

static uint32_t ink_of(const struct page *page)
{
    return page->annotation->light ? 0xff1a1616 : 0xffeef3f4;
}

static void box(const struct page *page, int64_t x, int64_t y, int64_t width, int64_t height,
                uint64_t share)
{
    for (int64_t i = 0; i < width * height; i++) {
        cover(page, x + i % width, y + i / width, ink_of(page), share_of(share));
    }
}

static void shade(const struct page *page, const struct panel *panel)
{
    const int64_t radius = part(page->size, 0.45);
    for (int64_t i = 0; i < panel->width * panel->height; i++) {
        const int64_t x = i % panel->width, y = i / panel->width;
        const int64_t across = x < panel->width - 1 - x ? x : panel->width - 1 - x;
        const int64_t down = y < panel->height - 1 - y ? y : panel->height - 1 - y;
        double inside = 1;
        if (across < radius && down < radius) {
            const double a = (double)(radius - across) - 0.5, b = (double)(radius - down) - 0.5;
            inside = fmin(1, fmax(0, (double)radius - sqrt(a * a + b * b) + 0.5));
        }
        const uint64_t share = share_of((uint64_t)(255 * inside + 0.5));
        cover(page, panel->x + x, panel->y + y, page->annotation->light ? 0xffffffff : 0xff0e0b0b,
              share * (page->annotation->light ? 24000 : 22000) >> 15);
    }
}

static uint32_t width_of(const struct page *page, const char *text, bool tabular)
{
    uint32_t width = 0;
    for (; *text; text++) {
        const char character[] = {*text, '\0'};
        width += tabular && *text >= '0' && *text <= '9' ? page->digit
                                                         : vks_text_width(character, page->size);
    }
    return width;
}

/* Capitals begin in row y; nothing from column `end` on. */
static void text_at(const struct page *page, int64_t x, int64_t y, const char *text, bool tabular,
                    int64_t end)
{
    for (; *text; text++) {
        const char character[] = {*text, '\0'};
        const uint32_t own = vks_text_width(character, page->size);
        const uint32_t wide = tabular && *text >= '0' && *text <= '9' ? page->digit : own;
        struct vks_canvas canvas = {NULL, own, page->ascent + page->descent};
        canvas.rgba = calloc((size_t)own * canvas.height, 4);
        vks_text_draw(&canvas, 0, page->ascent, character, page->size, 0xffffff);
        for (uint32_t i = 0; i < own * canvas.height; i++) {
            const int64_t at = x + (wide - own) / 2 + i % own;
            if (canvas.rgba[4 * i + 3] && at < end) {
                cover(page, at, y + i / own, ink_of(page), share_of(canvas.rgba[4 * i + 3]));
            }
        }
        free(canvas.rgba);
        x += wide;
    }
}

static void bar_at(const struct page *page, uint32_t plane, int64_t x, int64_t y, int64_t width,
                   int64_t height)
{
    const struct view_reference *view = page->view;
    const uint32_t *palette = view->planes > 1 ? view->palettes[plane] : view->palette;
    for (int64_t i = 0; i < width; i++) {
        const float place = ((float)i + 0.5f) * vks_reciprocal((float)width);
        float tone = (place - 0.5f) * view->contrast + 0.5f;
        tone = tone > 0 ? tone < 1 ? tone : 1 : 0;
        for (int64_t j = 0; j < height; j++) {
            cover(page, x + i, y + j, palette[(uint32_t)(tone * 255.0f)], 65536);
        }
    }
}

static void numbers_at(const struct page *page, int64_t x, int64_t y, int64_t width)
{
    const struct numbers numbers = numbers_of(page->view);
    const int64_t stroke = page->size < 24 ? 1 : (page->size + 8) / 16;
    const int64_t tick = part(page->size, 0.28), gap = part(page->size, 0.6);
    const int64_t row = y + tick + part(page->size, 0.3);
    int64_t from = x, to = x + width;
    if (numbers.low.text[0]) {
        text_at(page, x, row, numbers.low.text, false, INT64_MAX);
        box(page, x, y, stroke, tick, 255);
        from += width_of(page, numbers.low.text, false) + gap;
    }
    const int64_t high = width_of(page, numbers.high.text, false);
    if (numbers.high.text[0] && from + high <= to) {
        text_at(page, to - high, row, numbers.high.text, false, INT64_MAX);
        box(page, to - stroke, y, stroke, tick, 255);
        to -= high + gap;
    }
    int64_t marked = x + width - stroke;
    for (int i = 0; i < numbers.count; i++) {
        const float tone = view_tone(page->view, numbers.ticks[i].value);
        const int64_t at = x + (int64_t)(tone * (float)(width - stroke) + 0.5f);
        const int64_t wide = width_of(page, numbers.ticks[i].text, false);
        const int64_t left = at + stroke / 2 - wide / 2;
        const bool fits = left >= from && left + wide <= to;
        if (fits) {
            text_at(page, left, row, numbers.ticks[i].text, false, INT64_MAX);
            from = left + wide + gap;
        }
        if ((fits || numbers.decades) && at != x && at != marked) {
            box(page, at, y, stroke, tick, 255);
        }
    }
}

/* The title as it fits; "" without one. */
static void title_of(const struct page *page, bool other, uint32_t width, char text[128])
{
    const struct annotation_reference *a = page->annotation;
    const char *title = other ? a->fallback : a->title, *kind = a->kind ? a->kind : "";
    snprintf(text, 64, "%s%s", kind, title);
    char more[128];
    snprintf(more, sizeof(more), "%s (%s)", text, a->unit ? a->unit : "");
    if (a->unit && !a->summed && width_of(page, more, false) <= width) {
        strcpy(text, more);
    } else if (width_of(page, text, false) > width) {
        text[0] = '\0';
    }
}

/* The scale bar: its text and its pixels, 0 if there is none. */
static uint32_t scale_of(const struct page *page, char text[64])
{
    static const int factors[] = {5, 2, 1};
    const struct view_reference *view = page->view;
    const double across = (double)view->width / view->part_width;
    const double down = (double)view->height / view->part_height;
    const uint32_t cells = page->annotation->box;
    for (int i = 0; fabs(across - down) <= 0.01 * across && i < 36; i++) {
        const int exponent = 5 - i / 3;
        char number[16];
        snprintf(number, sizeof(number), "%de%d", factors[i % 3], exponent);
        const double length = strtod(number, NULL), pixels = length * across * (cells ? cells : 1);
        if (pixels <= view->width * 0.25 && (cells || exponent >= 0)) {
            snprintf(text, 64, "%g %s", length, cells ? "box" : length == 1 ? "cell" : "cells");
            return pixels + 0.5 > page->size + 1 ? (uint32_t)(pixels + 0.5) : 0;
        }
    }
    return 0;
}

void annotation_draw(const struct annotation_reference *annotation,
                     const struct view_reference *view, bool other, const struct view_frame *frame)
{
    struct page page = {.annotation = annotation, .view = view, .frame = frame};
    const uint32_t shorter = view->width < view->height ? view->width : view->height;
    const uint32_t planes = view->planes > 1 ? view->planes : 1;
    char time[64], title[128], first[128], scale[64] = "";
    page.size = (shorter + 20) / 40;
    page.size = page.size > (shorter < 160 ? 9 : 11) ? page.size : shorter < 160 ? 9 : 11;
    page.ascent = vks_text_ascent(page.size);
    page.descent = vks_text_descent(page.size);
    for (char digit[] = "0"; digit[0] <= '9'; digit[0]++) {
        const uint32_t width = vks_text_width(digit, page.size);
        page.digit = width > page.digit ? width : page.digit;
    }
    page.pad = part(page.size, 0.65);
    page.pad = page.pad > page.descent ? page.pad : page.descent + 1;
    page.margin = part(page.size, 0.8);
    page.gap = part(page.size, 0.4);
    page.gap = page.gap > page.descent ? page.gap : page.descent + 1;
    const int64_t width = view->width, height = view->height, margin = page.margin;

    /* Sizes. */
    struct panel when = {margin, margin, 0, 2 * page.pad + page.ascent};
    write_time(annotation, time);
    when.width = 2 * page.pad + width_of(&page, time, true);
    const int64_t usual =
        width_of(&page, annotation->has_time ? "t = 000000" : "step 000000", true) + 2 * page.pad;
    uint32_t names = 0;
    for (uint32_t i = 0; i < planes && planes > 1; i++) {
        const uint32_t name = width_of(&page, annotation->names[i], false);
        names = name > names ? name : names;
    }
    const int64_t bar_x = page.pad + (names ? names + part(page.size, 0.5) : 0);
    int64_t bar_width = part((uint32_t)width, 0.28);
    bar_width = bar_width < 9 * page.size ? 9 * page.size : bar_width;
    bar_width = bar_width > 26 * page.size ? 26 * page.size : bar_width;
    const int64_t bar_height = planes > 1 ? page.ascent : part(page.size, 0.65);
    title_of(&page, other, (uint32_t)bar_width, title);
    title_of(&page, false, (uint32_t)bar_width, first);
    struct panel bar = {.width = bar_x + bar_width + page.pad};
    const int64_t bars_y = page.pad + (first[0] ? page.ascent + page.gap : 0);
    const int64_t ticks_y =
        bars_y + planes * bar_height + (planes - 1) * page.gap + (planes > 1 ? page.descent : 0);
    bar.height = ticks_y + part(page.size, 0.28) + part(page.size, 0.3) + page.ascent + page.pad;
    const uint32_t length = scale_of(&page, scale), beam = part(page.size, 0.18);
    const uint32_t label = width_of(&page, scale, false);
    struct panel rule = {.width = (label > length ? label : length) + 2 * page.pad,
                         .height = 2 * page.pad + page.ascent + page.gap + beam};

    /* What fits. */
    const int64_t area = width * height;
    const bool has_when = usual + 2 * margin <= width && when.height + 2 * margin <= height;
    bool has_bar = bar.width + 2 * margin <= width && bar.height + 2 * margin <= height &&
                   bar.width * bar.height * 4 <= area;
    bool has_rule = length && rule.width + 2 * margin <= width &&
                    rule.height + 2 * margin <= height && rule.width * rule.height * 4 <= area;
    if (has_when && usual + bar.width + 3 * margin > width &&
        when.height + bar.height + 3 * margin > height) {
        has_bar = false;
    }
    if ((has_when ? when.height : 0) + rule.height + 3 * margin > height ||
        rule.width + (has_bar ? bar.width : 0) + 3 * margin > width) {
        has_rule = false;
    }

    if (has_when) {
        when.width = when.width < width - 2 * margin ? when.width : width - 2 * margin;
        shade(&page, &when);
        text_at(&page, when.x + page.pad, when.y + page.pad, time, true, when.x + when.width);
    }
    if (has_bar) {
        bar.x = width - margin - bar.width;
        bar.y = height - margin - bar.height;
        shade(&page, &bar);
        text_at(&page, bar.x + bar_x, bar.y + page.pad, title, false, INT64_MAX);
        const int64_t edge = page.size < 24 ? 1 : (page.size + 8) / 16 / 2;
        for (uint32_t i = 0; i < planes; i++) {
            const int64_t x = bar.x + bar_x;
            const int64_t y = bar.y + bars_y + i * (bar_height + page.gap);
            box(&page, x - edge, y - edge, bar_width + 2 * edge, edge, 90);
            box(&page, x - edge, y, edge, bar_height, 90);
            box(&page, x + bar_width, y, edge, bar_height, 90);
            box(&page, x - edge, y + bar_height, bar_width + 2 * edge, edge, 90);
            bar_at(&page, i, x, y, bar_width, bar_height);
            if (planes > 1) {
                text_at(&page, bar.x + page.pad, y, annotation->names[i], false, INT64_MAX);
            }
        }
        numbers_at(&page, bar.x + bar_x, bar.y + ticks_y, bar_width);
    }
    if (has_rule) {
        rule.x = margin;
        rule.y = height - margin - rule.height;
        shade(&page, &rule);
        text_at(&page, rule.x + (rule.width - label) / 2, rule.y + page.pad, scale, false,
                INT64_MAX);
        box(&page, rule.x + (rule.width - length) / 2, rule.y + page.pad + page.ascent + page.gap,
            length, beam, 255);
    }
}
