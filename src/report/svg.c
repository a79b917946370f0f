/* SPDX-License-Identifier: MIT */
#include "report/svg.h"

#include <math.h>
#include <stdint.h>

/* Okabe and Ito's palette, which all common forms of colour vision can tell apart; lighter on dark.
 */
static const char *const light[VKS_SVG_COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                   "#e69f00", "#56b4e9", "#000000"};
static const char *const dark[VKS_SVG_COLOURS] = {"#56b4e9", "#ff8a4c", "#2cc99b", "#e39ac3",
                                                  "#f0c000", "#9fd3f5", "#ffffff"};

/* The length of the UTF-8 sequence at `text`; 0 if it is not one, or not allowed in XML. */
static size_t sequence(const unsigned char *text)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t length = text[0] < 0x80             ? 1
                          : (text[0] & 0xe0) == 0xc0 ? 2
                          : (text[0] & 0xf0) == 0xe0 ? 3
                          : (text[0] & 0xf8) == 0xf0 ? 4
                                                     : 0;
    if (length < 2) {
        return length == 1 && (text[0] >= 0x20 || text[0] == '\t' || text[0] == '\n') ? 1 : 0;
    }
    uint32_t code = text[0] & (0xffU >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) { /* also at the end of the string */
            return 0;
        }
        code = code << 6 | (text[i] & 0x3f);
    }
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    return code >= smallest[length] && code <= 0x10ffff && !surrogate && (code | 1) != 0xffff
               ? length
               : 0;
}

static void put_text(FILE *out, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    while (*at) {
        const size_t length = sequence(at);
        if (length == 0) {
            fputs("\ufffd", out);
            at++;
        } else if (*at == '&' || *at == '<' || *at == '>' || *at == '"') {
            fprintf(out, "&#%d;", *at++);
        } else {
            fwrite(at, 1, length, out);
            at += length;
        }
    }
}

/* The approximate width of a text, which depends on the viewer's font. */
double vks_svg_width(const char *text, double font)
{
    size_t characters = 0;
    for (const char *at = text; *at; at++) {
        characters += ((unsigned char)*at & 0xc0) != 0x80;
    }
    return (double)characters * font * 0.56;
}

/* `anchor`: start, middle, end. `attributes` are more, or "". */
void vks_svg_label(FILE *out, double x, double y, const char *class_name, const char *anchor,
                   const char *attributes, const char *text)
{
    fprintf(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>", class_name, x, y,
            anchor, attributes);
    put_text(out, text);
    fputs("</text>\n", out);
}

/* Clips one coordinate of a segment; false if nothing is left. */
static bool clip_edge(double from, double change, double low, double high, double *begin,
                      double *end)
{
    if (change == 0) {
        return from >= low && from <= high;
    }
    double a = (low - from) / change, b = (high - from) / change;
    *begin = fmax(*begin, fmin(a, b));
    *end = fmin(*end, fmax(a, b));
    return *begin <= *end;
}

/* Clips a segment to the frame; false if it is outside, or not finite. */
bool vks_svg_clip(const struct vks_svg_box *frame, double *x0, double *y0, double *x1, double *y1)
{
    double begin = 0, end = 1;
    const double dx = *x1 - *x0, dy = *y1 - *y0, x = *x0, y = *y0;
    if (!isfinite(dx) || !isfinite(dy) ||
        !clip_edge(x, dx, frame->left, frame->right, &begin, &end) ||
        !clip_edge(y, dy, frame->top, frame->bottom, &begin, &end)) {
        return false;
    }
    *x0 = x + begin * dx;
    *y0 = y + begin * dy;
    *x1 = x + end * dx;
    *y1 = y + end * dy;
    return true;
}

void vks_svg_line(FILE *out, const char *class_name, double x0, double y0, double x1, double y1)
{
    fprintf(out, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
            class_name, x0, y0, x1, y1);
}

bool vks_svg_inside(const struct vks_svg_box *frame, double x, double y)
{
    return x >= frame->left - 0.5 && x <= frame->right + 0.5 && y >= frame->top - 0.5 &&
           y <= frame->bottom + 0.5;
}

void vks_svg_marker(FILE *out, unsigned colour, bool hollow, double x, double y)
{
    static const char *const shapes[] = {
        "M-4.5,0a4.5,4.5 0 1,0 9,0a4.5,4.5 0 1,0 -9,0z", /* circle */
        "M-4,-4h8v8h-8z",                                /* square */
        "M0,-5.5l5,9h-10z",                              /* triangle */
        "M0,-6l5,6l-5,6l-5,-6z",                         /* diamond */
        "M0,5.5l5,-9h-10z",                              /* triangle pointing down */
        "M-2,-5h4v3h3v4h-3v3h-4v-3h-3v-4h3z",            /* cross */
        "M-5,-3h10v6h-10z",                              /* bar */
    };
    fprintf(out, "<path class=\"marker %s%u\" transform=\"translate(%.1f,%.1f)\" d=\"%s\"/>\n",
            hollow ? "h" : "f", colour % VKS_SVG_COLOURS, x, y, shapes[colour % VKS_SVG_COLOURS]);
}

/* --- the document ---------------------------------------------------------------------------- */

static void put_colours(FILE *out, const char *const colours[VKS_SVG_COLOURS],
                        const char *background)
{
    for (int i = 0; i < VKS_SVG_COLOURS; i++) {
        fprintf(out,
                ".vks-plot .s%d{stroke:%s}.vks-plot .f%d{fill:%s}"
                ".vks-plot .h%d{fill:%s;stroke:%s;stroke-width:1.6}\n",
                i, colours[i], i, colours[i], i, background, colours[i]);
    }
}

void vks_svg_begin(FILE *out, double width, double height, const char *title)
{
    fprintf(out,
            "<svg class=\"vks-plot\" xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
            "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" role=\"img\">\n",
            width, height, width, height);
    if (title) {
        fputs("<title>", out);
        put_text(out, title);
        fputs("</title>\n", out);
    }
    fprintf(out,
            "<style>\n"
            ".vks-plot{color-scheme:light dark}\n"
            ".vks-plot text{font-family:system-ui,'Segoe UI','Helvetica Neue',Arial,'DejaVu Sans',"
            "sans-serif;font-size:%.0fpx;fill:#1b1f24}\n"
            ".vks-plot .title{font-size:19px;font-weight:600}\n"
            ".vks-plot .label{font-size:15px}\n"
            ".vks-plot .tick,.vks-plot .note{fill:#4b5563}\n"
            ".vks-plot .tick{font-variant-numeric:tabular-nums}\n"
            ".vks-plot .halo{paint-order:stroke;stroke:#ffffff;stroke-width:4px;"
            "stroke-linejoin:round}\n"
            ".vks-plot .value{fill:#ffffff}\n"
            ".vks-plot .back{fill:#ffffff}\n"
            ".vks-plot line{stroke-width:2;stroke-linecap:round}\n"
            ".vks-plot .dashed{stroke-dasharray:7 5}\n"
            ".vks-plot .grid{stroke:#d9dee5;stroke-width:1}\n"
            ".vks-plot .minor{stroke:#eff1f4}\n"
            ".vks-plot .border{fill:none;stroke:#8b95a3;stroke-width:1}\n"
            ".vks-plot .error{stroke-width:1.4}\n"
            ".vks-plot .over{stroke:#1b1f24}\n"
            ".vks-plot .limit{stroke:#4b5563;stroke-width:1.4;stroke-dasharray:3 4}\n",
            VKS_SVG_FONT);
    put_colours(out, light, "#ffffff");
    fputs("@media (prefers-color-scheme:dark){\n"
          ".vks-plot text{fill:#e6e9ee}\n"
          ".vks-plot .tick,.vks-plot .note{fill:#aab3c0}\n"
          ".vks-plot .halo{stroke:#15181d}\n"
          ".vks-plot .value{fill:#15181d}\n"
          ".vks-plot .back{fill:#15181d}\n"
          ".vks-plot .grid{stroke:#333a44}\n"
          ".vks-plot .minor{stroke:#23282f}\n"
          ".vks-plot .border{stroke:#6b7684}\n"
          ".vks-plot .over{stroke:#e6e9ee}\n"
          ".vks-plot .limit{stroke:#aab3c0}\n",
          out);
    put_colours(out, dark, "#15181d");
    fprintf(out, "}\n</style>\n<rect class=\"back\" width=\"%.0f\" height=\"%.0f\"/>\n", width,
            height);
}

void vks_svg_end(FILE *out)
{
    fputs("</svg>\n", out);
}
