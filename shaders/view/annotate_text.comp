// SPDX-License-Identifier: MIT
// The texts of an annotation, as columns of its font: names, the time, and numbers next to the
// colour bar. One workgroup; an invocation formats one number and sets one line. docs/pictures.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "view/decimal.glsl"
#include "view/params.h"
#include "view/range.glsl"
#include "view/tone.glsl"

layout(constant_id = 2) const uint time_kind = TIME_CLOCK;
layout(constant_id = 3) const bool has_fallback = false;

VKS_CONSTANTS(annotate_text_params);
VKS_CLOCK;

layout(std430, set = 0, binding = 0) readonly buffer annotation_table
{
    uint table[];
};
layout(std430, set = 0, binding = 1) readonly buffer view_level
{
    float level[];
};
layout(std430, set = 0, binding = 2) readonly buffer view_range
{
    float first_range[];
};
layout(std430, set = 0, binding = 3) readonly buffer drawn_steps
{
    uint step_words[];
};
layout(std430, set = 0, binding = 4) readonly buffer drawn_time
{
    uvec2 amounts[]; // fixed point of 64 bits, units of 2^-40
};
layout(std430, set = 0, binding = 5) writeonly buffer annotation_columns
{
    uint columns[];
};

// Numbers at the bar: both ends of the range, then ticks.
const uint LOW = 0u;
const uint HIGH = 1u;
const uint FIRST_TICK = 2u;
const uint NUMBERS = 7u;
const uint MAX_TICKS = NUMBERS - FIRST_TICK;
const uint NUMBER_SIZE = 16u; // characters

shared uint head[TABLE_HEAD];
shared uint number_texts[NUMBERS * NUMBER_SIZE];
shared uint number_lengths[NUMBERS];
shared float tick_values[MAX_TICKS];
shared uint tick_digits[MAX_TICKS];
shared int tick_last[MAX_TICKS];
shared uint tick_count;
shared bool decades; // ticks are powers of ten
shared uint marks[NUMBERS];
shared uint mark_count;
shared uint glyphs[LINES * LINE_GLYPHS]; // characters
shared uint places[LINES * LINE_GLYPHS]; // their first columns
shared uint glyph_counts[LINES];
shared uint line_ends[LINES];

// --- the range -------------------------------------------------------------------------------

float low_end()
{
    return symmetric ? -level[LEVEL_HIGH] : level[logarithmic ? LEVEL_FIRST : LEVEL_LOW];
}

bool is_flat()
{
    return level[LEVEL_SCALE] == 0.0f;
}

float power_of_ten(int exponent)
{
    return uintBitsToFloat(head[TABLE_POWERS + uint(exponent - POWERS_FIRST)]);
}

// The largest exponent of a power of ten up to a magnitude; at least POWERS_FIRST.
int decade_of(float magnitude)
{
    int at = POWERS_FIRST;
    int last = POWERS_FIRST + POWERS - 1;
    for (int jump = 32; jump > 0; jump >>= 1) {
        at += at + jump <= last && power_of_ten(at + jump) <= magnitude ? jump : 0;
    }
    return at;
}

// --- ticks -----------------------------------------------------------------------------------

void add_tick(bool negative, uint digits, int last, float value)
{
    if (tick_count < MAX_TICKS) {
        tick_values[tick_count] = negative ? -value : value;
        tick_digits[tick_count] = digits | (negative ? 0x80000000u : 0u);
        tick_last[tick_count] = last;
        tick_count++;
    }
}

// Powers of ten inside the range.
void add_decades(float low, float high)
{
    int last = decade_of(high);
    for (int e = max(decade_of(low), POWERS_FIRST); e <= last; e++) {
        float value = power_of_ten(e);
        if (value > low && value < high) {
            add_tick(false, 1u, e, value);
        }
    }
}

// Multiples of the longest step of 1, 2 or 5 times a power of ten, two or three of which are inside
// the range, not too close to its ends; else of the longest one with any.
void add_multiples(float low, float high)
{
    precise float range = high - low;
    float largest = max(abs(low), abs(high));
    if (!(range > 1e-6f) || largest > 1e15f) {
        return;
    }
    precise float margin = 0.06f * range;
    precise float from = low + margin;
    precise float to = high - margin;
    int top = decade_of(range);
    int chosen_first = 0;
    uint chosen_count = 0u;
    uint chosen_factor = 1u;
    int chosen_exponent = 0;
    for (uint i = 0u; i < 6u; i++) {
        uint factor = i % 3u == 0u ? 5u : (i % 3u == 1u ? 2u : 1u);
        int exponent = top - int(i / 3u);
        precise float step = float(factor) * power_of_ten(exponent);
        precise float first = ceil(vks_divide(from, step));
        precise float last = floor(vks_divide(to, step));
        uint count = last >= first && max(abs(first), abs(last)) < 1e6f ? uint(last - first) + 1u
                                                                        : 0u;
        bool suits = count == 2u || count == 3u;
        if (chosen_count == 0u || (chosen_count == 1u && suits)) {
            chosen_first = int(count > 0u ? first : 0.0f);
            chosen_count = count;
            chosen_factor = factor;
            chosen_exponent = exponent;
        }
    }
    for (uint i = 0u; i < chosen_count; i++) {
        int multiple = chosen_first + int(i);
        uint digits = uint(abs(multiple)) * chosen_factor;
        precise float value = float(digits) * power_of_ten(chosen_exponent);
        add_tick(multiple < 0, digits, chosen_exponent, value);
    }
}

void find_ticks()
{
    tick_count = 0u;
    decades = false;
    if (symmetric) {
        add_tick(false, 0u, 0, 0.0f);
        return;
    }
    if (is_flat()) {
        return;
    }
    if (logarithmic) {
        add_decades(low_end(), level[LEVEL_HIGH]);
    }
    decades = tick_count > 1u;
    if (!decades) {
        tick_count = 0u;
        add_multiples(low_end(), level[LEVEL_HIGH]);
    }
}

// --- numbers ---------------------------------------------------------------------------------

void put(uint number, inout uint length, uint character)
{
    if (length < NUMBER_SIZE) {
        number_texts[number * NUMBER_SIZE + length] = character;
        length++;
    }
}

uint character_of(uint digit)
{
    return 48u + digit;
}

// 12.3, 0.00123 or 1.23e-4. `trims`: without final zeros of the digits.
uint write_decimal(uint number, bool negative, decimal value, bool trims)
{
    uint length = 0u;
    if (value.digits == 0u) {
        put(number, length, character_of(0u));
        return length;
    }
    while (trims && value.digits % 10u == 0u) {
        value.digits /= 10u;
        value.last++;
    }
    int count = 0;
    uint unit = 1u; // of the first digit
    for (uint rest = value.digits; rest > 0u; rest /= 10u) {
        unit *= count > 0 ? 10u : 1u;
        count++;
    }
    int exponent = value.last + count - 1;
    bool plain = exponent >= -3 && (exponent <= 4 || (exponent <= 6 && value.last <= 0));
    int whole = plain ? exponent + 1 : 1; // digits before the point
    if (negative) {
        put(number, length, 45u);
    }
    for (int i = min(whole - 1, 0); i < max(whole, count); i++) {
        if (i == max(whole, 0) && whole > 0) {
            put(number, length, 46u);
        }
        put(number, length, character_of(i >= 0 && i < count ? value.digits / unit % 10u : 0u));
        if (whole <= 0 && i == whole - 1) {
            put(number, length, 46u);
        }
        unit /= i >= 0 && unit > 1u ? 10u : 1u;
    }
    if (!plain) {
        put(number, length, 101u);
        if (exponent < 0) {
            put(number, length, 45u);
        }
        uint size = uint(abs(exponent));
        if (size >= 10u) {
            put(number, length, character_of(size / 10u));
        }
        put(number, length, character_of(size % 10u));
    }
    return length;
}

// An end of the range: three digits, or as many as it takes to tell both ends apart; two if they
// are powers of ten apart on a logarithmic scale.
uint write_end(uint number, float value, float other)
{
    float magnitude = abs(value);
    precise float range = abs(value - other);
    precise float noticeable = logarithmic ? 0.0f : abs(other) * 1e-4f;
    if (magnitude < VKS_TINY || magnitude < noticeable) {
        return write_decimal(number, false, decimal(0u, 0), true);
    }
    int digits = is_flat() ? 3 : decade_of(magnitude) - decade_of(range) + 2;
    digits = clamp(digits, 3, 7);
    if (logarithmic && !symmetric && abs(decade_of(magnitude) - decade_of(abs(other))) > 1) {
        digits = 2;
    }
    bool whole = magnitude < 1000.0f && floor(magnitude) == magnitude;
    return write_decimal(number, value < 0.0f, decimal_of(magnitude, uint(digits)),
                         constants.trims != 0u || whole);
}

void write_number(uint number)
{
    uint length = 0u;
    if (number < FIRST_TICK) {
        float low = low_end();
        float high = level[LEVEL_HIGH];
        bool shown = !is_flat() || (number == LOW && !symmetric);
        if (shown) {
            length = write_end(number, number == LOW ? low : high, number == LOW ? high : low);
        }
    } else if (number - FIRST_TICK < tick_count) {
        uint tick = number - FIRST_TICK;
        uint digits = tick_digits[tick];
        length = write_decimal(number, digits >= 0x80000000u,
                               decimal(digits & 0x7fffffffu, tick_last[tick]), true);
    }
    number_lengths[number] = length;
}

// --- lines -----------------------------------------------------------------------------------

bool is_digit(uint character)
{
    return character - 48u < 10u;
}

uint width_of(uint character)
{
    return head[TABLE_WIDTHS + character - FONT_FIRST];
}

// All digits of the time are equally wide, so that it does not move.
void add_glyph(uint line, inout uint count, inout uint pen, uint character)
{
    if (count < LINE_GLYPHS) {
        uint own = width_of(character);
        uint wide = line == LINE_TIME && is_digit(character) ? constants.digit : own;
        glyphs[line * LINE_GLYPHS + count] = character;
        places[line * LINE_GLYPHS + count] = pen + (wide - own) / 2u;
        pen += wide;
        count++;
    }
}

void add_string(uint line, inout uint count, inout uint pen, uint text)
{
    uint from = head[TABLE_TEXTS + 2u * text];
    uint length = head[TABLE_TEXTS + 2u * text + 1u];
    for (uint i = 0u; i < length; i++) {
        add_glyph(line, count, pen, head[from + i]);
    }
}

// An integer, with commas between thousands.
void add_whole(uint line, inout uint count, inout uint pen, uint value)
{
    uint unit = 1000000000u;
    bool begun = false;
    for (uint left = 9u; left < 10u; left--) {
        uint digit = value / unit % 10u;
        begun = begun || digit > 0u || left == 0u;
        if (begun) {
            add_glyph(line, count, pen, character_of(digit));
            if (left == 3u || left == 6u || left == 9u) {
                add_glyph(line, count, pen, 44u);
            }
        }
        unit /= 10u;
    }
}

// An amount in units of 2^-40 with four decimals, to the nearest.
void add_amount(uint line, inout uint count, inout uint pen, uvec2 amount)
{
    uint high, low;
    umulExtended(amount.x, 10000u, high, low);
    uint scaled = (amount.y & 0xffu) * 10000u + high; // of the fraction, in 2^-8
    uint decimals = (scaled + 128u) >> 8;
    uint whole = (amount.y >> 8) + decimals / 10000u;
    add_whole(line, count, pen, whole);
    add_glyph(line, count, pen, 46u);
    uint unit = 1000u;
    for (uint i = 0u; i < 4u; i++) {
        add_glyph(line, count, pen, character_of(decimals / unit % 10u));
        unit /= 10u;
    }
}

uint number_width(uint number)
{
    uint width = 0u;
    for (uint i = 0u; i < number_lengths[number]; i++) {
        width += width_of(number_texts[number * NUMBER_SIZE + i]);
    }
    return width;
}

void add_number(inout uint count, uint left, uint number)
{
    uint pen = left;
    for (uint i = 0u; i < number_lengths[number]; i++) {
        add_glyph(LINE_NUMBERS, count, pen, number_texts[number * NUMBER_SIZE + i]);
    }
}

void add_mark(uint mark)
{
    marks[mark_count] = mark;
    mark_count++;
}

// Both ends of the range, and the ticks between them whose numbers have room.
uint set_numbers()
{
    uint count = 0u;
    uint begin = constants.bar_x;
    uint end = begin + constants.bar_width;
    uint free = begin; // columns up to here have numbers
    mark_count = 0u;
    if (number_lengths[LOW] > 0u) {
        add_number(count, begin, LOW);
        add_mark(begin);
        free = begin + number_width(LOW) + constants.gap;
    }
    uint width = number_width(HIGH);
    if (number_lengths[HIGH] > 0u && free + width <= end) {
        add_number(count, end - width, HIGH);
        add_mark(end - constants.stroke);
        end -= width + constants.gap;
    }
    vec3 levels = TONE_LEVELS;
    for (uint i = 0u; i < tick_count; i++) {
        float tone = curved(normalised(tick_values[i], levels), constants.gamma, 1.0f);
        precise float place = tone * float(constants.bar_width - constants.stroke) + 0.5f;
        uint mark = begin + uint(place);
        width = number_width(FIRST_TICK + i);
        uint middle = mark + constants.stroke / 2u;
        uint left = middle - min(middle, width / 2u);
        if (left >= free && left + width <= end) {
            add_number(count, left, FIRST_TICK + i);
            add_mark(mark);
            free = left + width + constants.gap;
        } else if (decades) {
            add_mark(mark); // without its number
        }
    }
    return count;
}

void set_line(uint line)
{
    uint count = 0u;
    uint pen = head[TABLE_LEFT + line];
    if (line == LINE_NUMBERS) {
        count = set_numbers();
    } else {
        bool other = line == LINE_TITLE && has_fallback &&
                     !has_range(first_range[0], first_range[1]);
        add_string(line, count, pen, other ? LINES : line);
    }
    if (line == LINE_TIME && time_kind == TIME_AMOUNT) {
        add_amount(line, count, pen, amounts[0]);
    } else if (line == LINE_TIME) {
        add_whole(line, count, pen, time_kind == TIME_STEPS ? step_words[0] : first_step);
    }
    glyph_counts[line] = count;
    line_ends[line] = pen;
}

uint column_at(uint line, uint x)
{
    uint word = 0u;
    for (uint i = 0u; i < glyph_counts[line]; i++) {
        uint character = glyphs[line * LINE_GLYPHS + i];
        uint within = x - places[line * LINE_GLYPHS + i];
        if (within < width_of(character)) {
            word = head[TABLE_STARTS + character - FONT_FIRST] + within + 1u;
        }
    }
    for (uint i = 0u; line == LINE_NUMBERS && i < mark_count; i++) {
        word |= x - marks[i] < constants.stroke ? COLUMN_TICK : 0u;
    }
    return word;
}

void main()
{
    uint own = gl_LocalInvocationIndex;
    for (uint i = own; i < TABLE_HEAD; i += gl_WorkGroupSize.x) {
        head[i] = table[i];
    }
    barrier();
    if (own == 0u) {
        find_ticks();
    }
    barrier();
    if (own < NUMBERS) {
        write_number(own);
    }
    barrier();
    if (own < LINES) {
        set_line(own);
    }
    barrier();
    for (uint line = 0u; line < constants.lines; line++) {
        for (uint x = own; x < constants.stride; x += gl_WorkGroupSize.x) {
            columns[line * constants.stride + x] = column_at(line, x);
        }
    }
    if (own == 0u) {
        columns[LINES * constants.stride] = line_ends[LINE_TIME] + constants.pad;
    }
}
