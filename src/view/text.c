/* SPDX-License-Identifier: MIT */
#include "view/text.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* --- the glyphs ------------------------------------------------------------------------------ */

/* Units of 1/100 em, y up from the baseline; coordinates are those of the centre line of strokes.
 * Heights: x-height 46, ascenders 70, capitals and figures 64, descenders -19.
 *
 * A drawing is a list of commands: `M x y` starts a stroke; `L x y` a line; `h x y` and `v x y` a
 * quarter of an oval that leaves horizontally or vertically; `C x y x y x y` a cubic curve; `. x y`
 * a dot. */
struct glyph {
    int8_t left, right; /* side bearings, measured from the centre lines */
    const char *strokes;
};

enum {
    BAR = 13,  /* next to an upright stroke */
    BOW = 10,  /* ... a round one */
    SLOPE = 6, /* ... a slanted one, or an open side */
};

enum { FIRST = '!', LAST = '~' };

/* clang-format off: one row per glyph */
static const struct glyph glyphs[LAST - FIRST + 1] = {
    ['!' - FIRST] = {BAR, BAR, "M0 64 L0 20 .0 1"},
    ['"' - FIRST] = {BOW, BOW, "M0 66 L0 50 M13 66 L13 50"},
    ['#' - FIRST] = {BOW, BOW, "M13 60 L7 4 M33 60 L27 4 M2 42 L40 42 M0 22 L38 22"},
    ['$' - FIRST] = {BOW, BOW,
                     "M37 53 C34 60 28 64 19 64 C9 64 2 58 2 48 C2 39 9 35 19 32 C30 29 38 25 38 "
                     "16 C38 6 30 0 19 0 C10 0 3 4 0 12 M19 73 L19 -9"},
    ['%' - FIRST] =
        {BOW, BOW,
         "M45 64 L11 0 M0 50 v12 64 h24 50 v12 36 h0 50 M32 14 v44 28 h56 14 v44 0 h32 14"},
    ['&' - FIRST] = {BOW, SLOPE,
                     "M48 0 L11 42 C8 46 7 49 7 52 C7 59 12 64 19 64 C26 64 31 59 31 53 C31 46 25 "
                     "42 16 37 C6 31 0 26 0 17 C0 7 8 0 18 0 C31 0 41 10 44 27"},
    ['\'' - FIRST] = {BOW, BOW, "M0 66 L0 50"},
    ['(' - FIRST] = {BOW, SLOPE, "M13 74 C4 63 0 48 0 30 C0 12 4 -3 13 -14"},
    [')' - FIRST] = {SLOPE, BOW, "M0 74 C9 63 13 48 13 30 C13 12 9 -3 0 -14"},
    ['*' - FIRST] = {SLOPE, SLOPE, "M13 67 L13 41 M2 61 L24 47 M24 61 L2 47"},
    ['+' - FIRST] = {BOW, BOW, "M0 29 L36 29 M18 47 L18 11"},
    [',' - FIRST] = {BOW, BOW, "M5 3 L0 -11"},
    ['-' - FIRST] = {BOW, BOW, "M0 25 L20 25"},
    ['.' - FIRST] = {BAR, BAR, ".0 1"},
    ['/' - FIRST] = {SLOPE, SLOPE, "M0 -9 L26 72"},
    ['0' - FIRST] = {BOW, BOW, "M0 38 v19 64 h38 38 L38 26 v19 0 h0 26 L0 38"},
    ['1' - FIRST] = {BAR, 16, "M0 50 L19 64 L19 0"},
    ['2' - FIRST] = {BOW, BOW,
                     "M2 49 C3 58 10 64 19 64 C29 64 36 57 36 47 C36 40 32 35 26 29 L0 0 L38 0"},
    ['3' - FIRST] =
        {BOW, BOW,
         "M2 54 C5 60 11 64 18 64 h35 49 v18 34 L13 34 M18 34 h38 17 v19 0 C10 0 4 4 0 11"},
    ['4' - FIRST] = {SLOPE, SLOPE, "M31 0 L31 64 L0 17 L42 17"},
    ['5' - FIRST] = {BOW, BOW, "M34 64 L6 64 L3 34 C7 39 13 41 19 41 h38 20 v18 0 C10 0 4 4 0 11"},
    ['6' - FIRST] = {BOW, BOW, "M0 20 v19 40 h38 20 v19 0 h0 20 C0 40 10 57 27 64"},
    ['7' - FIRST] = {BOW, SLOPE, "M0 64 L37 64 L12 0"},
    ['8' - FIRST] = {BOW, BOW, "M3 49 v19 64 h35 49 v19 34 h3 49 M0 17 v19 34 h38 17 v19 0 h0 17"},
    ['9' - FIRST] = {BOW, BOW, "M38 44 v19 24 h0 44 v19 64 h38 44 C38 24 28 7 11 0"},
    [':' - FIRST] = {BAR, BAR, ".0 41 .0 1"},
    [';' - FIRST] = {BOW, BOW, ".5 41 M5 3 L0 -11"},
    ['<' - FIRST] = {BOW, BOW, "M32 48 L0 29 L32 10"},
    ['=' - FIRST] = {BOW, BOW, "M0 38 L34 38 M0 20 L34 20"},
    ['>' - FIRST] = {BOW, BOW, "M0 48 L32 29 L0 10"},
    ['?' -
        FIRST] = {BOW, BOW, "M0 52 C3 60 8 64 16 64 C26 64 32 58 32 49 C32 37 16 36 16 20 .16 1"},
    ['@' - FIRST] = {BOW, BOW,
                     "M45 24 v31 40 h17 24 v31 9 h45 24 M45 40 L45 18 C45 12 48 9 53 9 C60 9 64 16 "
                     "64 26 v33 58 h0 24 v33 -12 C40 -12 46 -10 52 -6"},
    ['A' - FIRST] = {SLOPE, SLOPE, "M0 0 L25 64 L50 0 M9 22 L41 22"},
    ['B' - FIRST] = {BAR, BOW, "M23 34 h43 17 v24 0 L0 0 L0 64 L22 64 h39 49 v22 34 L0 34"},
    ['C' - FIRST] = {BOW, SLOPE, "M47 52 C43 60 36 64 27 64 h0 32 v27 0 C36 0 43 4 47 12"},
    ['D' - FIRST] = {BAR, BOW, "M0 0 L0 64 L20 64 h50 32 v20 0 L0 0"},
    ['E' - FIRST] = {BAR, SLOPE, "M38 64 L0 64 L0 0 L39 0 M0 33 L34 33"},
    ['F' - FIRST] = {BAR, SLOPE, "M37 64 L0 64 L0 0 M0 32 L32 32"},
    ['G' - FIRST] = {BOW, BOW, "M46 53 C42 60 36 64 27 64 h0 32 v27 0 h50 23 L50 30 L30 30"},
    ['H' - FIRST] = {BAR, BAR, "M0 64 L0 0 M46 64 L46 0 M0 33 L46 33"},
    ['I' - FIRST] = {BAR, BAR, "M0 64 L0 0"},
    ['J' - FIRST] = {SLOPE, BAR, "M27 64 L27 16 v13 0 C7 0 3 3 0 9"},
    ['K' - FIRST] = {BAR, SLOPE, "M0 64 L0 0 M42 64 L0 23 M15 38 L45 0"},
    ['L' - FIRST] = {BAR, SLOPE, "M0 64 L0 0 L36 0"},
    ['M' - FIRST] = {BAR, BAR, "M0 0 L0 64 L28 20 L56 64 L56 0"},
    ['N' - FIRST] = {BAR, BAR, "M0 0 L0 64 L46 0 L46 64"},
    ['O' - FIRST] = {BOW, BOW, "M0 32 v28 64 h56 32 v28 0 h0 32"},
    ['P' - FIRST] = {BAR, BOW, "M0 0 L0 64 L23 64 h42 46 v23 28 L0 28"},
    ['Q' - FIRST] = {BOW, BOW, "M0 32 v28 64 h56 32 v28 0 h0 32 M37 16 L54 -4"},
    ['R' - FIRST] = {BAR, SLOPE, "M0 0 L0 64 L23 64 h42 46 v23 28 L0 28 M23 28 L44 0"},
    ['S' - FIRST] = {BOW, BOW,
                     "M40 53 C37 60 30 64 21 64 C10 64 2 58 2 48 C2 39 9 35 21 32 C34 29 42 25 42 "
                     "16 C42 6 33 0 21 0 C11 0 4 4 0 12"},
    ['T' - FIRST] = {SLOPE, SLOPE, "M0 64 L46 64 M23 64 L23 0"},
    ['U' - FIRST] = {BAR, BAR, "M0 64 L0 23 v23 0 h46 23 L46 64"},
    ['V' - FIRST] = {SLOPE, SLOPE, "M0 64 L24 0 L48 64"},
    ['W' - FIRST] = {SLOPE, SLOPE, "M0 64 L18 0 L36 60 L54 0 L72 64"},
    ['X' - FIRST] = {SLOPE, SLOPE, "M1 64 L45 0 M44 64 L0 0"},
    ['Y' - FIRST] = {SLOPE, SLOPE, "M0 64 L23 29 L46 64 M23 29 L23 0"},
    ['Z' - FIRST] = {BOW, BOW, "M1 64 L40 64 L0 0 L41 0"},
    ['[' - FIRST] = {BAR, SLOPE, "M13 74 L0 74 L0 -14 L13 -14"},
    ['\\' - FIRST] = {SLOPE, SLOPE, "M0 72 L26 -9"},
    [']' - FIRST] = {SLOPE, BAR, "M0 74 L13 74 L13 -14 L0 -14"},
    ['^' - FIRST] = {BOW, BOW, "M0 44 L14 64 L28 44"},
    ['_' - FIRST] = {3, 3, "M0 -10 L38 -10"},
    ['`' - FIRST] = {BOW, BOW, "M0 68 L9 56"},
    ['a' - FIRST] =
        {BOW, BAR,
         "M33 0 L33 29 v17 46 C10 46 5 43 2 39 M33 27 L14 27 h0 13 v13 0 C22 0 29 4 33 11"},
    ['b' - FIRST] = {BAR, BOW, "M0 70 L0 0 M0 23 v18 46 h36 23 v18 0 h0 23"},
    ['c' - FIRST] = {BOW, SLOPE, "M33 37 C30 43 25 46 18 46 h0 23 v18 0 C25 0 30 3 33 9"},
    ['d' - FIRST] = {BOW, BAR, "M36 70 L36 0 M36 23 v18 46 h0 23 v18 0 h36 23"},
    ['e' - FIRST] = {BOW, BOW, "M0 23 L37 23 v19 46 h0 23 v19 0 C26 0 31 3 34 8"},
    ['f' - FIRST] = {SLOPE, 5, "M25 70 L22 70 h10 58 L10 0 M0 46 L23 46"},
    ['g' - FIRST] = {BOW, BAR,
                     "M36 46 L36 -4 v18 -19 C12 -19 7 -17 3 -13 M36 23 v18 46 h0 23 v18 0 h36 23"},
    ['h' - FIRST] = {BAR, BAR, "M0 70 L0 0 M0 27 v18 46 h34 29 L34 0"},
    ['i' - FIRST] = {BAR, BAR, "M0 46 L0 0 .0 65"},
    ['j' - FIRST] = {2, BAR, "M11 46 L11 -7 v0 -19 .11 65"},
    ['k' - FIRST] = {BAR, SLOPE, "M0 70 L0 0 M30 46 L0 16 M12 28 L33 0"},
    ['l' - FIRST] = {BAR, 7, "M0 70 L0 10 v10 0 L12 0"},
    ['m' - FIRST] = {BAR, BAR, "M0 46 L0 0 M0 28 v15 46 h29 30 L29 0 M29 28 v44 46 h58 30 L58 0"},
    ['n' - FIRST] = {BAR, BAR, "M0 46 L0 0 M0 27 v18 46 h34 29 L34 0"},
    ['o' - FIRST] = {BOW, BOW, "M0 23 v19 46 h38 23 v19 0 h0 23"},
    ['p' - FIRST] = {BAR, BOW, "M0 46 L0 -19 M0 23 v18 46 h36 23 v18 0 h0 23"},
    ['q' - FIRST] = {BOW, BAR, "M36 46 L36 -19 M36 23 v18 46 h0 23 v18 0 h36 23"},
    ['r' - FIRST] = {BAR, 4, "M0 46 L0 0 M0 26 v18 46 L21 46"},
    ['s' - FIRST] = {BOW, BOW,
                     "M29 39 C27 43 22 46 15 46 C6 46 1 41 1 35 C1 28 7 25 15 23 C24 21 30 18 30 "
                     "11 C30 4 24 0 15 0 C8 0 3 3 0 8"},
    ['t' - FIRST] = {SLOPE, SLOPE, "M10 60 L10 11 v20 0 L24 0 M0 46 L24 46"},
    ['u' - FIRST] = {BAR, BAR, "M0 46 L0 17 v16 0 h34 19 M34 46 L34 0"},
    ['v' - FIRST] = {SLOPE, SLOPE, "M0 46 L17 0 L34 46"},
    ['w' - FIRST] = {SLOPE, SLOPE, "M0 46 L14 0 L28 42 L42 0 L56 46"},
    ['x' - FIRST] = {SLOPE, SLOPE, "M1 46 L33 0 M32 46 L0 0"},
    ['y' - FIRST] = {SLOPE, SLOPE, "M0 46 L18 0 M35 46 L11 -19"},
    ['z' - FIRST] = {BOW, BOW, "M1 46 L30 46 L0 0 L31 0"},
    ['{' - FIRST] =
        {SLOPE, SLOPE,
         "M15 74 C8 74 7 70 7 62 L7 42 C7 34 5 30 0 30 C5 30 7 26 7 18 L7 -2 C7 -10 8 -14 15 -14"},
    ['|' - FIRST] = {BAR, BAR, "M0 74 L0 -14"},
    ['}' - FIRST] =
        {SLOPE, SLOPE,
         "M0 74 C7 74 8 70 8 62 L8 42 C8 34 10 30 15 30 C10 30 8 26 8 18 L8 -2 C8 -10 7 -14 0 -14"},
    ['~' - FIRST] = {BOW, BOW, "M0 24 C3 36 12 36 18 30 C24 24 33 24 36 36"},
};

/* Beyond ASCII, by code point: signs, arrows and Greek, which the window uses. */
static const struct {
    uint32_t code;
    struct glyph glyph;
} others[] = {
    {0xb0, {BOW, BOW, "M0 54 v10 64 h20 54 v10 44 h0 54"}},
    {0xb1, {BOW, BOW, "M0 38 L36 38 M18 56 L18 20 M0 4 L36 4"}},
    {0xb7, {BAR, BAR, ".0 28"}},
    {0xd7, {BOW, BOW, "M0 44 L30 14 M30 44 L0 14"}},
    {0x2009, {11, 11, ""}},
    {0x2022, {BOW, BOW, "M0 29 v7 36 h14 29 v7 22 h0 29 .7 29"}},
    {0x2026, {BAR, BAR, ".0 1 .24 1 .48 1"}},
    {0x2190, {BOW, BOW, "M0 29 L48 29 M18 47 L0 29 L18 11"}},
    {0x2191, {BOW, BOW, "M18 0 L18 60 M0 42 L18 60 L36 42"}},
    {0x2192, {BOW, BOW, "M0 29 L48 29 M30 47 L48 29 L30 11"}},
    {0x2193, {BOW, BOW, "M18 60 L18 0 M0 18 L18 0 L36 18"}},
    {0x21bb, {BOW, BOW, "M50 28 v25 3 h0 28 v25 53 C35 53 43 49 48 41 M50 60 L49 40 L31 40"}},
    {0x23f8, {BOW, BOW, "M0 60 L0 0 M26 60 L26 0"}},
    {0x25b6, {BOW, BOW, "M0 60 L0 0 L48 30 L0 60"}},
    {0x3b1, {BOW, SLOPE, "M40 46 C36 18 28 0 17 0 h0 23 v17 46 C28 46 33 22 42 0"}},
    {0x3b2, {BAR, BOW, "M0 -19 L0 53 v16 70 h31 55 v14 40 h36 20 v17 0 C9 0 3 4 0 9"}},
    {0x3b3, {SLOPE, SLOPE, "M0 46 L18 0 L18 -19 M36 46 L18 0"}},
    {0x3b4, {BOW, BOW, "M31 66 C25 71 8 71 8 59 C8 47 37 44 37 22 v18 0 h0 22 v16 42"}},
    {0x3b5,
     {BOW, BOW,
      "M29 40 C26 44 22 46 16 46 h2 35 v14 24 L20 24 M14 24 h0 12 v16 0 C23 0 28 3 "
      "31 8"}},
    {0x3b6, {BOW, BOW, "M3 70 L30 70 C12 56 0 38 0 18 C0 -2 28 6 28 -8 C28 -15 24 -18 18 -19"}},
    {0x3b7, {BAR, BAR, "M0 46 L0 0 M0 27 v18 46 h34 29 L34 -19"}},
    {0x3b8, {BOW, BOW, "M0 35 v17 70 h34 35 v17 0 h0 35 M0 35 L34 35"}},
    {0x3b9, {BAR, 7, "M0 46 L0 9 v9 0 L11 0"}},
    {0x3ba, {BAR, SLOPE, "M0 46 L0 0 M28 46 L0 18 M11 28 L31 0"}},
    {0x3bb, {SLOPE, SLOPE, "M0 70 L7 70 L34 0 M18 43 L0 0"}},
    {0x3bc, {BAR, BAR, "M0 46 L0 -19 M0 17 v16 0 h34 17 M34 46 L34 0"}},
    {0x3bd, {SLOPE, SLOPE, "M0 46 L17 0 L34 46"}},
    {0x3be,
     {BOW, BOW,
      "M27 70 L13 70 h3 59 v13 48 L23 48 M13 48 h0 30 C0 4 29 14 29 -6 C29 -14 25 "
      "-18 18 -19"}},
    {0x3bf, {BOW, BOW, "M0 23 v19 46 h38 23 v19 0 h0 23"}},
    {0x3c0, {SLOPE, SLOPE, "M0 46 L42 46 M10 46 L10 0 M32 46 L32 0"}},
    {0x3c1, {BAR, BOW, "M0 -19 L0 22 v18 46 h36 23 v18 0 C9 0 3 5 0 12"}},
    {0x3c3, {BOW, SLOPE, "M44 46 L19 46 h0 23 v19 0 h38 23 v26 46"}},
};

/* clang-format on */

static const struct glyph space = {16, 16, ""};
static const struct glyph box = {BAR, BAR, "M0 64 L0 0 L32 0 L32 64 L0 64"};

static const double stroke_part = 0.09; /* stroke width, in ems */
static const double dot_part = 1.25;    /* diameter of a dot, in stroke widths */
static const double oval_handle = 0.58; /* 0.552 would be a circle: slightly squarer */
enum { CURVE_PIECES = 16, MAX_PIECES = 192 };

/* The code point of the next UTF-8 character; advances *text past it. Bytes that are no UTF-8 give
 * code points without a glyph, or U+FFFD. */
static uint32_t next_code(const char **text)
{
    const unsigned char first = (unsigned char)*(*text)++;
    if (first < 0x80) {
        return first;
    }
    uint32_t code = first & (first < 0xe0 ? 0x1fU : first < 0xf0 ? 0xfU : 7U);
    uint32_t more = 0;
    while (((unsigned char)**text & 0xc0) == 0x80) {
        code = (code & 0x3ffff) << 6 | ((unsigned char)*(*text)++ & 0x3fU);
        more++;
    }
    return more == (first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3) ? code : 0xfffd;
}

static const struct glyph *glyph_of(uint32_t code)
{
    if (code >= FIRST && code <= LAST) {
        return &glyphs[code - FIRST];
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (others[i].code == code) {
            return &others[i].glyph;
        }
    }
    return code == ' ' ? &space : &box;
}

/* Letters whose heights are those of small ones. */
static bool is_small(uint32_t code)
{
    return (code >= 'a' && code <= 'z') || (code >= 0x3b1 && code <= 0x3c9);
}

/* --- flattening ------------------------------------------------------------------------------ */

struct point {
    double x, y;
};

struct piece {
    struct point from, to;
    bool dot;
};

struct drawing {
    struct piece pieces[MAX_PIECES];
    size_t count;
    double left, right; /* bounds of all pieces, in units */
    double low, high;
};

static void add_piece(struct drawing *drawing, struct point from, struct point to, bool dot)
{
    const struct point ends[] = {from, to};
    for (int i = 0; i < 2; i++) {
        const bool first = drawing->count == 0 && i == 0;
        drawing->left = first || ends[i].x < drawing->left ? ends[i].x : drawing->left;
        drawing->right = first || ends[i].x > drawing->right ? ends[i].x : drawing->right;
        drawing->low = first || ends[i].y < drawing->low ? ends[i].y : drawing->low;
        drawing->high = first || ends[i].y > drawing->high ? ends[i].y : drawing->high;
    }
    if (drawing->count < MAX_PIECES) {
        drawing->pieces[drawing->count++] = (struct piece){from, to, dot};
    }
}

static void add_curve(struct drawing *drawing, struct point a, struct point b, struct point c,
                      struct point d)
{
    struct point before = a;
    for (int i = 1; i <= CURVE_PIECES; i++) {
        const double t = (double)i / (double)CURVE_PIECES, s = 1 - t;
        const double wa = s * s * s, wb = 3 * s * s * t, wc = 3 * s * t * t, wd = t * t * t;
        const struct point at = {wa * a.x + wb * b.x + wc * c.x + wd * d.x,
                                 wa * a.y + wb * b.y + wc * c.y + wd * d.y};
        add_piece(drawing, before, at, false);
        before = at;
    }
}

static struct point read_point(const char **text)
{
    char *end;
    const double x = (double)strtol(*text, &end, 10);
    const double y = (double)strtol(end, &end, 10);
    *text = end;
    return (struct point){x, y};
}

static struct point between(struct point a, struct point b, double part)
{
    return (struct point){a.x + part * (b.x - a.x), a.y + part * (b.y - a.y)};
}

static void flatten(const char *text, struct drawing *drawing)
{
    struct point at = {0, 0};
    drawing->count = 0;
    drawing->left = drawing->right = drawing->low = drawing->high = 0;
    while (*text) {
        const char command = *text++;
        if (command == ' ') {
            continue;
        }
        const struct point to = read_point(&text);
        struct point end = to;
        if (command == 'L') {
            add_piece(drawing, at, to, false);
        } else if (command == '.') {
            add_piece(drawing, to, to, true);
        } else if (command == 'C') {
            const struct point second = read_point(&text);
            end = read_point(&text);
            add_curve(drawing, at, to, second, end);
        } else if (command == 'h' || command == 'v') {
            const struct point corner =
                command == 'h' ? (struct point){to.x, at.y} : (struct point){at.x, to.y};
            add_curve(drawing, at, between(at, corner, oval_handle),
                      between(to, corner, oval_handle), to);
        }
        at = end;
    }
}

/* --- hinting --------------------------------------------------------------------------------- */

/* A text size with what follows from it, in pixels. The centre line of a stroke is `inset` from the
 * edge of the pixels that it covers: at the centre of a pixel or on the edge between two. */
struct face {
    double scale; /* pixels per unit */
    double stroke, inset;
};

static struct face face_of(uint32_t size, double part)
{
    size = size < VKS_MIN_TEXT_SIZE ? VKS_MIN_TEXT_SIZE : size;
    size = size > VKS_MAX_TEXT_SIZE ? VKS_MAX_TEXT_SIZE : size;
    const double stroke = size * part;
    struct face face = {.scale = size / 100.0, .stroke = stroke < 1 ? 1 : stroke};
    face.inset = floor(face.stroke + 0.5) / 2;
    return face;
}

static double whole(double x)
{
    return floor(x + 0.5);
}

/* Pixels from the pen to the drawing's left end, its width, and on to the next pen position. */
struct extent {
    double left, across, right;
};

static struct extent extent_of(const struct face *face, const struct glyph *glyph,
                               const struct drawing *drawing)
{
    if (drawing->count == 0) {
        return (struct extent){.right = whole((glyph->left + glyph->right) * face->scale)};
    }
    /* Half pixels go to the right, so that the gap between two letters is rounded once. */
    struct extent extent = {
        .left = floor(whole(2 * (glyph->left * face->scale - face->inset)) / 2),
        .across = whole((drawing->right - drawing->left) * face->scale),
        .right = ceil(whole(2 * (glyph->right * face->scale - face->inset)) / 2),
    };
    /* Strokes of neighbouring letters never touch. */
    extent.left = extent.left < 0 ? 0 : extent.left;
    extent.right = extent.right < 1 ? 1 : extent.right;
    return extent;
}

static double advance_of(const struct face *face, const struct extent *extent, bool empty)
{
    return extent->left + extent->across + extent->right + (empty ? 0 : 2 * face->inset);
}

/* Heights of common horizontal strokes, each rounded to whole pixels. */
static const double small_heights[] = {-19, 0, 23, 46, 70};
static const double large_heights[] = {-19, 0, 33, 64, 70};
enum { HEIGHTS = 5 };

static double fit_height(const struct face *face, const double *heights, double y)
{
    size_t i = 0;
    if (y < heights[0] || y > heights[HEIGHTS - 1]) {
        const double edge = y < heights[0] ? heights[0] : heights[HEIGHTS - 1];
        return whole(edge * face->scale) + (y - edge) * face->scale;
    }
    while (i + 2 < HEIGHTS && y > heights[i + 1]) {
        i++;
    }
    const double low = whole(heights[i] * face->scale);
    const double high = whole(heights[i + 1] * face->scale);
    return low + (y - heights[i]) / (heights[i + 1] - heights[i]) * (high - low);
}

/* --- pixels ---------------------------------------------------------------------------------- */

static double distance(struct point p, const struct piece *piece)
{
    const double dx = piece->to.x - piece->from.x, dy = piece->to.y - piece->from.y;
    const double square = dx * dx + dy * dy;
    double t = 0;
    if (square > 0) {
        t = ((p.x - piece->from.x) * dx + (p.y - piece->from.y) * dy) / square;
        t = t < 0 ? 0 : t > 1 ? 1 : t;
    }
    const double x = p.x - piece->from.x - t * dx, y = p.y - piece->from.y - t * dy;
    return sqrt(x * x + y * y);
}

static double clip(double x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

/* The part of a pixel covered by a stroke of `width` whose centre line is `away` from it. */
static double coverage(double away, double width)
{
    return clip(width / 2 + 0.5 - away) - clip(0.5 - width / 2 - away);
}

static void blend(uint8_t *pixel, uint32_t colour, double part)
{
    const uint32_t weight = (uint32_t)(part * 255 + 0.5);
    const uint32_t channels[] = {colour >> 16 & 0xff, colour >> 8 & 0xff, colour & 0xff, 255};
    for (int i = 0; i < 4; i++) {
        pixel[i] = (uint8_t)((pixel[i] * (255 - weight) + channels[i] * weight + 127) / 255);
    }
}

/* The part of the pixel at column x and row y that pieces cover whose coordinates are pixels. */
static double cover(const struct face *face, const struct drawing *drawing, int64_t x, int64_t y)
{
    const struct point middle = {(double)x + 0.5, (double)y + 0.5};
    double max = 0;
    for (size_t i = 0; i < drawing->count; i++) {
        const struct piece *piece = &drawing->pieces[i];
        const double width = face->stroke * (piece->dot ? dot_part : 1);
        const double part = coverage(distance(middle, piece), width);
        max = part > max ? part : max;
    }
    return max;
}

/* Whole pixels around all that is drawn. */
struct bounds {
    int64_t left, top, right, bottom;
};

static struct bounds bounds_of(const struct face *face, const struct drawing *drawing)
{
    const double reach = face->stroke * dot_part / 2 + 1;
    return (struct bounds){
        (int64_t)floor(drawing->left - reach), (int64_t)floor(drawing->low - reach),
        (int64_t)ceil(drawing->right + reach), (int64_t)ceil(drawing->high + reach)};
}

/* Paints pieces whose coordinates are pixels of the canvas. */
static void paint(const struct vks_canvas *canvas, const struct face *face,
                  const struct drawing *drawing, uint32_t colour)
{
    const struct bounds bounds = bounds_of(face, drawing);
    const int64_t left = bounds.left < 0 ? 0 : bounds.left;
    const int64_t top = bounds.top < 0 ? 0 : bounds.top;
    for (int64_t y = top; y < (int64_t)canvas->height && y < bounds.bottom; y++) {
        for (int64_t x = left; x < (int64_t)canvas->width && x < bounds.right; x++) {
            const double part = cover(face, drawing, x, y);
            if (part > 0) {
                blend(canvas->rgba + ((size_t)y * canvas->width + (size_t)x) * 4, colour, part);
            }
        }
    }
}

/* Converts a drawing from units to pixels of the canvas, with left end `x` and baseline `y`. */
static void place(const struct face *face, const struct extent *extent, const double *heights,
                  double x, double y, struct drawing *drawing)
{
    const double span = drawing->right - drawing->left, start = drawing->left;
    const double stretch = span > 0 ? extent->across / span : 0;
    struct drawing placed = {.count = 0};
    for (size_t i = 0; i < drawing->count; i++) {
        const struct point ends[] = {drawing->pieces[i].from, drawing->pieces[i].to};
        struct point moved[2];
        for (int j = 0; j < 2; j++) {
            moved[j].x = x + face->inset + (ends[j].x - start) * stretch;
            moved[j].y = y - face->inset - fit_height(face, heights, ends[j].y);
        }
        add_piece(&placed, moved[0], moved[1], drawing->pieces[i].dot);
    }
    *drawing = placed;
}

/* Lays the text out from the pen position `x`, and draws it if there is a canvas. Returns the final
 * pen position. */
static int64_t set_text(const struct vks_canvas *canvas, int64_t x, int64_t y, const char *text,
                        uint32_t size, uint32_t colour)
{
    const struct face face = face_of(size, stroke_part);
    double pen = (double)x;
    while (*text) {
        const uint32_t code = next_code(&text);
        const bool small = is_small(code);
        const struct glyph *glyph = glyph_of(code);
        struct drawing drawing;
        flatten(glyph->strokes, &drawing);
        const struct extent extent = extent_of(&face, glyph, &drawing);
        const bool empty = drawing.count == 0;
        if (canvas && !empty) {
            place(&face, &extent, small ? small_heights : large_heights, pen + extent.left,
                  (double)y, &drawing);
            paint(canvas, &face, &drawing, colour);
        }
        pen += advance_of(&face, &extent, empty);
    }
    return (int64_t)pen;
}

uint32_t vks_text_next(const char **text)
{
    return next_code(text);
}

enum vks_result vks_text_glyph(uint32_t code, uint32_t size, uint32_t weight,
                               struct vks_glyph *glyph)
{
    const struct face face = face_of(size, weight / 100.0);
    const struct glyph *shape = glyph_of(code);
    struct drawing drawing;
    flatten(shape->strokes, &drawing);
    const struct extent extent = extent_of(&face, shape, &drawing);
    const bool empty = drawing.count == 0;
    *glyph = (struct vks_glyph){.advance = (uint32_t)advance_of(&face, &extent, empty)};
    if (empty) {
        return VKS_OK;
    }
    place(&face, &extent, is_small(code) ? small_heights : large_heights, extent.left, 0, &drawing);
    const struct bounds bounds = bounds_of(&face, &drawing);
    glyph->left = (int32_t)bounds.left;
    glyph->top = (int32_t)bounds.top;
    glyph->width = (uint32_t)(bounds.right - bounds.left);
    glyph->height = (uint32_t)(bounds.bottom - bounds.top);
    glyph->coverage = malloc((size_t)glyph->width * glyph->height);
    if (!glyph->coverage) {
        return vks_fail_memory();
    }
    uint8_t *at = glyph->coverage;
    for (int64_t y = bounds.top; y < bounds.bottom; y++) {
        for (int64_t x = bounds.left; x < bounds.right; x++) {
            *at++ = (uint8_t)(cover(&face, &drawing, x, y) * 255 + 0.5);
        }
    }
    return VKS_OK;
}

uint32_t vks_text_width(const char *text, uint32_t size)
{
    return (uint32_t)set_text(NULL, 0, 0, text, size, 0);
}

uint32_t vks_text_ascent(uint32_t size)
{
    const struct face face = face_of(size, stroke_part);
    return (uint32_t)(fit_height(&face, large_heights, 64) + 2 * face.inset);
}

uint32_t vks_text_descent(uint32_t size)
{
    const struct face face = face_of(size, stroke_part);
    return (uint32_t)-fit_height(&face, small_heights, -19);
}

int64_t vks_text_draw(const struct vks_canvas *canvas, int64_t x, int64_t y, const char *text,
                      uint32_t size, uint32_t colour)
{
    return set_text(canvas, x, y, text, size, colour);
}

const char *vks_text_fit(const char *text, uint32_t size, uint32_t max_width, char *buffer,
                         size_t buffer_size)
{
    static const char cut[] = "...";
    size_t length = strlen(text);
    buffer[0] = '\0';
    if (length < buffer_size && vks_text_width(text, size) <= max_width) {
        memcpy(buffer, text, length + 1);
        return buffer;
    }
    length = length < buffer_size ? length : buffer_size - 1;
    while (length > 0) {
        length--;
        while (length > 0 && (((unsigned char)text[length] & 0xc0) == 0x80)) {
            length--;
        }
        while (length > 0 && text[length - 1] == ' ') {
            length--; /* no space before the dots */
        }
        if (length + sizeof(cut) > buffer_size) {
            continue;
        }
        memcpy(buffer, text, length);
        memcpy(buffer + length, cut, sizeof(cut));
        if (vks_text_width(buffer, size) <= max_width) {
            return buffer;
        }
    }
    buffer[0] = '\0';
    return buffer;
}
