/* SPDX-License-Identifier: MIT */
#include "view/colormap.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/option.h"
#include "io/image.h"

enum { ENTRIES = 256, MAX_TEXT = 1 << 20 };

/* A row of colormaps.def: `colours` colours, six digits each, spread over the entries. */
struct row {
    const char *name;
    enum vks_colormap_group group;
    int colours;
    const char *digits;
};

#define VKS_COLORMAP(name, group, colours, digits) {name, VKS_COLORMAP_##group, colours, digits},
static const struct row rows[] = {
#include "view/colormaps.def"
};
#undef VKS_COLORMAP

#define VKS_COLORMAP(name, group, colours, digits) \
    _Static_assert(sizeof(digits) == 6 * (colours) + 1, "six digits a colour");
#include "view/colormaps.def"
#undef VKS_COLORMAP

#define VKS_COLORMAP(name, group, colours, digits) name,
const char *const vks_colormap_names[] = {
#include "view/colormaps.def"
    NULL};
#undef VKS_COLORMAP

const char *const vks_colormap_group_names[VKS_COLORMAP_GROUPS] = {
    "sequential", "diverging", "cyclic", "discrete", "landscape"};

enum vks_colormap_group vks_colormap_group(size_t map)
{
    return rows[map].group;
}

static uint32_t entry_of(const uint8_t *rgb)
{
    return rgb[0] | (uint32_t)rgb[1] << 8 | (uint32_t)rgb[2] << 16 | 0xff000000;
}

/* --- maps of vksim -------------------------------------------------------------------------- */

static const struct row *find(const char *text, bool *reversed)
{
    for (size_t i = 0; i < VKS_COUNT(rows); i++) {
        const size_t length = strlen(rows[i].name);
        if (strncasecmp(text, rows[i].name, length) == 0) {
            *reversed = strcasecmp(text + length, "_r") == 0;
            if (*reversed || text[length] == '\0') {
                return &rows[i];
            }
        }
    }
    return NULL;
}

static uint8_t hex_byte(const char *digits)
{
    const char pair[3] = {digits[0], digits[1], '\0'};
    return (uint8_t)strtoul(pair, NULL, 16);
}

static void fill(const struct row *row, bool reversed, struct vks_colormap *map)
{
    map->discrete = row->group == VKS_COLORMAP_DISCRETE;
    for (int i = 0; i < ENTRIES; i++) {
        /* Discrete colours get about equal numbers of entries; 256 colours one each. */
        int colour = row->colours == ENTRIES ? i : i * row->colours / (ENTRIES - 1);
        if (colour == row->colours) {
            colour--;
        }
        const char *digits = row->digits + 6 * colour;
        const uint8_t rgb[3] = {hex_byte(digits), hex_byte(digits + 2), hex_byte(digits + 4)};
        map->entries[reversed ? ENTRIES - 1 - i : i] = entry_of(rgb);
    }
}

const char *vks_colormap_file(const char *text)
{
    bool reversed;
    return find(text, &reversed) ? NULL : text;
}

/* --- a picture ------------------------------------------------------------------------------ */

static enum vks_result from_picture(const char *path, struct vks_colormap *map)
{
    uint32_t width, height;
    uint8_t *pixels;
    enum vks_result result = vks_image_rgba(path, &width, &height, &pixels);
    if (result != VKS_OK) {
        return result;
    }
    const bool column = height > width;
    const uint32_t count = column ? height : width;
    const uint8_t *first = pixels + 4 * (column ? width / 2 : (size_t)(height / 2) * width);
    const size_t stride = 4 * (column ? (size_t)width : 1);
    if (count < 2) {
        result = vks_fail_option(VKS_ERROR_FILE, "colormap",
                                 "'%s' is an image of one pixel; a strip needs 2 or more", path);
    } else {
        for (uint32_t i = 0; i < ENTRIES; i++) {
            const uint32_t at = i * (count - 1), low = at / 255, share = at % 255;
            const uint8_t *from = first + stride * low, *to = share ? from + stride : from;
            uint8_t rgb[3];
            for (int c = 0; c < 3; c++) {
                rgb[c] = (uint8_t)((from[c] * (255 - share) + to[c] * share) / 255);
            }
            map->entries[i] = entry_of(rgb);
        }
        map->discrete = false;
    }
    free(pixels);
    return result;
}

/* --- a table -------------------------------------------------------------------------------- */

static bool is_gap(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == ',' || c == ';';
}

/* Three numbers, or none in an empty row; else false. */
static bool read_row(const char *line, double numbers[3], int *count)
{
    for (*count = 0;; ++*count) {
        while (is_gap(*line)) {
            line++;
        }
        if (*line == '\0' || *line == '#') {
            return *count == 0 || *count == 3;
        }
        const char *end;
        const double number = vks_parse_real(line, &end);
        if (end == line || !(*end == '\0' || *end == '#' || is_gap(*end)) || *count == 3) {
            return false;
        }
        numbers[*count] = number;
        line = end;
    }
}

/* A row of column names. */
static bool is_header(const char *line)
{
    while (is_gap(*line) || *line == '"') {
        line++;
    }
    return isalpha((unsigned char)*line);
}

static enum vks_result bad_table(const char *path, const char *format, ...) VKS_PRINTF(2, 3);

static enum vks_result bad_table(const char *path, const char *format, ...)
{
    char what[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    return vks_fail_option(VKS_ERROR_FILE, "colormap",
                           "'%s': %s; a colour map has 256 rows 'red,green,blue', all whole "
                           "numbers from 0 to 255 or all fractions from 0 to 1",
                           path, what);
}

/* Reads the rows of `text`, which is split in place. */
static enum vks_result read_rows(const char *path, char *text, double numbers[ENTRIES][3],
                                 unsigned lines[ENTRIES])
{
    unsigned line = 0, rows_read = 0;
    bool header = false;
    for (char *rest = text; rest;) {
        char *here = rest, *end = strchr(here, '\n');
        rest = end ? end + 1 : NULL;
        if (end) {
            *end = '\0';
        }
        line++;
        if (rows_read == 0 && !header && is_header(here)) {
            header = true;
            continue;
        }
        double row[3];
        int count;
        if (!read_row(here, row, &count)) {
            return bad_table(path, "line %u is not three numbers", line);
        }
        if (count == 0) {
            continue;
        }
        if (rows_read < ENTRIES) {
            memcpy(numbers[rows_read], row, sizeof(row));
            lines[rows_read] = line;
        }
        rows_read++;
    }
    return rows_read == ENTRIES
               ? VKS_OK
               : bad_table(path, "it has %u row%s", rows_read, rows_read == 1 ? "" : "s");
}

static enum vks_result from_text(const char *path, char *text, struct vks_colormap *map)
{
    double numbers[ENTRIES][3];
    unsigned lines[ENTRIES];
    static const char mark[] = "\xef\xbb\xbf"; /* byte order mark of UTF-8 */
    enum vks_result result =
        read_rows(path, text + (strncmp(text, mark, 3) == 0 ? 3 : 0), numbers, lines);
    if (result != VKS_OK) {
        return result;
    }
    double max = 0;
    for (int i = 0; i < 3 * ENTRIES; i++) {
        max = fmax(max, numbers[i / 3][i % 3]);
    }
    struct vks_colormap made = {.discrete = false};
    for (int i = 0; i < ENTRIES; i++) {
        uint8_t rgb[3];
        for (int c = 0; c < 3; c++) {
            const double number = numbers[i][c];
            if (!(number >= 0 && number <= 255) || (max > 1 && number != floor(number))) {
                return bad_table(path, "%g in line %u does not fit", number, lines[i]);
            }
            rgb[c] = (uint8_t)(max > 1 ? number : number * 255);
        }
        made.entries[i] = entry_of(rgb);
    }
    *map = made;
    return VKS_OK;
}

/* --- either --------------------------------------------------------------------------------- */

static bool is_text(const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const unsigned char byte = (unsigned char)bytes[i];
        if (byte < ' ' && byte != '\t' && byte != '\r' && byte != '\n') {
            return false;
        }
    }
    return true;
}

static enum vks_result from_file(const char *path, struct vks_colormap *map)
{
    FILE *file;
    enum vks_result result = vks_open_regular(path, &file);
    if (result != VKS_OK) {
        return result;
    }
    static const uint8_t png_start[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    uint8_t start[8];
    const bool is_png = fread(start, 1, sizeof(start), file) == sizeof(start) &&
                        memcmp(start, png_start, sizeof(start)) == 0;
    fclose(file); /* read only: no error matters */
    if (is_png) {
        return from_picture(path, map);
    }
    char *text = NULL;
    size_t size;
    result = vks_read_file(path, MAX_TEXT, &text, &size);
    if (result == VKS_OK) {
        result = is_text(text, size)
                     ? from_text(path, text, map)
                     : vks_fail_option(VKS_ERROR_FILE, "colormap",
                                       "'%s' is neither a PNG image nor a text of 256 rows "
                                       "'red,green,blue'",
                                       path);
        free(text);
    }
    return result;
}

enum vks_result vks_colormap_load(const char *text, struct vks_colormap *map)
{
    bool reversed;
    const struct row *row = find(text, &reversed);
    if (row) {
        fill(row, reversed, map);
        return VKS_OK;
    }
    struct stat status;
    if (strpbrk(text, "./") || stat(text, &status) == 0) {
        return vks_fail_file(from_file(text, map), text);
    }
    char list[512], near[128];
    return vks_fail_option(VKS_ERROR_USAGE, "colormap", "'%s' is neither a file nor one of: %s%s",
                           text, vks_join(vks_colormap_names, list, sizeof(list)),
                           vks_did_you_mean(text, vks_colormap_names, near, sizeof(near)));
}
