/* SPDX-License-Identifier: MIT */
/* Pieces of HTML: text, numbers, tables, pictures. */
#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"
#include "gpu/memory.h"
#include "report/html_internal.h"

/* --- JSON of unknown origin ------------------------------------------------------------------ */

bool vks_json_has_number(const json_t *object, const char *key)
{
    return json_is_number(json_object_get(object, key));
}

double vks_json_number(const json_t *object, const char *key, double fallback)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : fallback;
}

const char *vks_json_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

const json_t *vks_json_array(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_array_size(value) > 0 ? value : NULL;
}

/* --- text and numbers ------------------------------------------------------------------------ */

/* The characters that change the direction of the text after them, U+202A to U+202E and U+2066 to
 * U+2069, which could make a command look like another. */
static bool is_direction(const unsigned char *text)
{
    return text[0] == 0xe2 && ((text[1] == 0x80 && text[2] >= 0xaa && text[2] <= 0xae) ||
                               (text[1] == 0x81 && text[2] >= 0xa6 && text[2] <= 0xa9));
}

void vks_html_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (is_direction((const unsigned char *)text)) {
            fputs("\xef\xbf\xbd", out);
            text += 2;
            continue;
        }
        switch (c) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        case '\'':
            fputs("&#39;", out);
            break;
        default:
            if ((c < ' ' && c != '\n' && c != '\t') || c == 127) {
                fputs("\xef\xbf\xbd", out);
            } else {
                fputc(c, out);
            }
        }
    }
}

void vks_html_number(FILE *out, double value, double unit, int digits)
{
    char exact[40], text[64];
    const double scaled = value / unit;
    vks_format_real(value, exact, sizeof(exact));
    fprintf(out, "<data value=\"%s\">", exact);
    if (!(fabs(scaled) < 1e15)) {
        fprintf(out, "%s</data>", vks_format_real(scaled, text, sizeof(text)));
        return;
    }
    const int length = snprintf(text, sizeof(text), "%.*f", digits, fabs(scaled));
    const int whole = digits > 0 ? length - digits - 1 : length;
    fputs(scaled < 0 ? "\xe2\x88\x92" : "", out);
    for (int i = 0; i < length; i++) {
        if (i > 0 && i < whole && (whole - i) % 3 == 0) {
            fputs("\xe2\x80\xaf", out); /* a narrow space that does not break */
        }
        fputc(text[i], out);
    }
    fputs("</data>", out);
}

static bool put_none(FILE *out, double value)
{
    if (isnan(value)) {
        fputs("<td class=\"n none\">\xe2\x80\x93</td>", out);
    }
    return isnan(value);
}

void vks_html_cell(FILE *out, double value, double unit, int digits)
{
    if (!put_none(out, value)) {
        fputs("<td class=\"n\">", out);
        vks_html_number(out, value, unit, digits);
        fputs("</td>", out);
    }
}

void vks_html_cell_text(FILE *out, const char *text)
{
    fputs("<td>", out);
    vks_html_text(out, text);
    fputs("</td>", out);
}

void vks_html_cell_bytes(FILE *out, double bytes)
{
    char exact[40], text[32];
    if (!put_none(out, bytes)) {
        const double bounded = bytes < 0 ? 0 : bytes > 1e18 ? 1e18 : bytes;
        fprintf(out, "<td class=\"n\"><data value=\"%s\">%s</data></td>",
                vks_format_real(bytes, exact, sizeof(exact)),
                vks_format_bytes((uint64_t)bounded, text));
    }
}

void vks_html_cell_share(FILE *out, double share, const char *mark)
{
    if (!put_none(out, share)) {
        const double width = share < 0 ? 0 : share > 1 ? 100 : 100 * share;
        fprintf(out,
                "<td class=\"n share\"><svg class=\"bar\" viewBox=\"0 0 100 1\" "
                "preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect width=\"%.2f\" "
                "height=\"1\"/></svg>",
                width);
        vks_html_number(out, share, 0.01, 1);
        vks_html_text(out, mark);
        fputs("</td>", out);
    }
}

/* --- templates ------------------------------------------------------------------------------- */

enum vks_result vks_html_unknown(const char *name)
{
    return vks_fail(VKS_ERROR_INTERNAL, "the template of the page has an unknown slot '%s'", name);
}

enum vks_result vks_html_fill(FILE *out, const struct vks_page_piece *pieces, vks_html_put_fn *put,
                              vks_html_part_fn *part, const void *user)
{
    enum vks_result result = VKS_OK;
    const char *skipped = NULL; /* up to the end of this {{?name}} */
    for (; pieces->kind != VKS_PAGE_END && result == VKS_OK; pieces++) {
        if (skipped) {
            skipped =
                pieces->kind == VKS_PAGE_FI && strcmp(pieces->text, skipped) == 0 ? NULL : skipped;
        } else if (pieces->kind == VKS_PAGE_TEXT) {
            fputs(pieces->text, out);
        } else if (pieces->kind == VKS_PAGE_SLOT) {
            result = put(out, user, pieces->text);
        } else if (pieces->kind == VKS_PAGE_IF) {
            bool has = false;
            result = part ? part(user, pieces->text, &has) : vks_html_unknown(pieces->text);
            skipped = has ? NULL : pieces->text;
        }
    }
    return result;
}

/* --- tables ---------------------------------------------------------------------------------- */

void vks_html_head(FILE *out, const char *text, const char *unit, bool numeric)
{
    fputs(numeric ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">", out);
    vks_html_text(out, text);
    if (unit) {
        fputs(" <small>", out);
        vks_html_text(out, unit);
        fputs("</small>", out);
    }
    fputs("</th>", out);
}

void vks_html_pass(const struct vks_html_page *page, const char *name)
{
    const json_t *number = json_object_get(page->passes, name);
    fprintf(page->out, "<th scope=\"row\"><i class=\"mark c%d\"></i>",
            (int)(json_integer_value(number) % VKS_HTML_COLOURS));
    vks_html_text(page->out, name);
    fputs("</th>", page->out);
}

void vks_html_table(FILE *out, const char *label, bool sortable)
{
    fputs("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"", out);
    vks_html_text(out, label);
    fprintf(out, "\"><table%s><caption>", sortable ? " class=\"sortable\"" : "");
    vks_html_text(out, label);
    fputs("</caption>\n", out);
}

void vks_html_table_end(FILE *out)
{
    fputs("</tbody></table></div>\n", out);
}

static void put_run(const struct vks_html_page *page, size_t run)
{
    const char *name = page->runs[run].name;
    fprintf(page->out, "<span class=\"run\">%zu</span> ", run + 1);
    vks_html_text(page->out, name ? name : "this run");
}

void vks_html_run_begin(const struct vks_html_page *page, size_t run)
{
    if (page->count > 1) {
        fputs("<div class=\"one\"><h3>", page->out);
        put_run(page, run);
        fputs("</h3>\n", page->out);
    }
}

void vks_html_run_end(const struct vks_html_page *page)
{
    fputs(page->count > 1 ? "</div>\n" : "", page->out);
}

void vks_html_run_column(const struct vks_html_page *page, size_t run, bool numeric)
{
    fprintf(page->out, "<th scope=\"col\" class=\"%sname\">", numeric ? "n " : "");
    put_run(page, run);
    fputs("</th>", page->out);
}

const char *vks_html_size(const json_t *report, char text[64])
{
    const double depth = vks_json_number(report, "depth", 1);
    const int length = snprintf(text, 64, "%.0f \xc3\x97 %.0f", vks_json_number(report, "width", 0),
                                vks_json_number(report, "height", 0));
    if (depth > 1 && length > 0 && length < 64) {
        snprintf(text + length, 64 - (size_t)length, " \xc3\x97 %.0f", depth);
    }
    return text;
}

/* --- data ------------------------------------------------------------------------------------ */

void vks_html_base64(FILE *out, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        const uint32_t word = (uint32_t)bytes[i] << 16 |
                              (i + 1 < size ? (uint32_t)bytes[i + 1] << 8 : 0) |
                              (i + 2 < size ? bytes[i + 2] : 0U);
        fputc(digits[word >> 18], out);
        fputc(digits[word >> 12 & 63], out);
        fputc(i + 1 < size ? digits[word >> 6 & 63] : '=', out);
        fputc(i + 2 < size ? digits[word & 63] : '=', out);
    }
}

enum vks_result vks_html_picture(FILE *out, const struct vks_thumbnail *thumbnail)
{
    png_image image = {
        .version = PNG_IMAGE_VERSION,
        .width = thumbnail->width,
        .height = thumbnail->height,
        .format = PNG_FORMAT_RGBA,
    };
    png_alloc_size_t size = 0;
    /* The first call only computes the size. */
    if (!png_image_write_to_memory(&image, NULL, &size, 0, thumbnail->pixels,
                                   (png_int_32)thumbnail->stride, NULL)) {
        return vks_fail(VKS_ERROR_FILE, "a picture of the report cannot be compressed: %s",
                        image.message);
    }
    uint8_t *bytes = malloc(size);
    if (!bytes) {
        return vks_fail_memory();
    }
    enum vks_result result = VKS_OK;
    if (png_image_write_to_memory(&image, bytes, &size, 0, thumbnail->pixels,
                                  (png_int_32)thumbnail->stride, NULL)) {
        fputs("data:image/png;base64,", out);
        vks_html_base64(out, bytes, size);
    } else {
        result = vks_fail(VKS_ERROR_FILE, "a picture of the report cannot be compressed: %s",
                          image.message);
    }
    free(bytes);
    return result;
}

enum vks_result vks_html_json(FILE *out, const json_t *value)
{
    /* Nine digits are more than any measured time has. */
    const size_t flags = JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9);
    char *text = value ? vks_json_dump(value, flags) : NULL;
    if (!text) {
        return vks_fail_memory();
    }
    for (const char *at = text; *at; at++) {
        if (strchr("<>&", *at)) { /* only strings have them */
            fprintf(out, "\\u%04x", (unsigned)*at);
        } else {
            fputc(*at, out);
        }
    }
    free(text);
    return VKS_OK;
}
