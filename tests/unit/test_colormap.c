/* SPDX-License-Identifier: MIT */
/* Colour maps: those that vksim has against their definitions, and files good and bad. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <png.h>

#include "view/colormap.h"

static char folder[256];
static char path[300];

static int make_folder(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof(folder), "%.200s/vksim-colormap-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(path, sizeof(path), "%s/map", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static struct vks_colormap load(const char *text)
{
    struct vks_colormap map;
    memset(&map, 0x5a, sizeof(map));
    if (vks_colormap_load(text, &map) != VKS_OK) {
        fail_msg("'%s': %s", text, vks_error_text());
    }
    return map;
}

static void refuse(const char *text, enum vks_result result, const char *words)
{
    struct vks_colormap map;
    memset(&map, 0x5a, sizeof(map));
    const struct vks_colormap before = map;
    if (vks_colormap_load(text, &map) != result) {
        fail_msg("'%s' was taken or failed otherwise: %s", text, vks_error_text());
    }
    if (!strstr(vks_error_text(), words) || !strstr(vks_error_text(), text)) {
        fail_msg("'%s' does not say '%s'", vks_error_text(), words);
    }
    assert_memory_equal(map.entries, before.entries, sizeof(map.entries));
}

/* 0xRRGGBB */
static unsigned colour_of(const struct vks_colormap *map, int entry)
{
    const uint32_t word = map->entries[entry];
    assert_int_equal(word >> 24, 255);
    return (word & 0xff) << 16 | (word & 0xff00) | (word >> 16 & 0xff);
}

/* --- maps of vksim -------------------------------------------------------------------------- */

/* CIE L* of an entry. */
static double lightness(const struct vks_colormap *map, int entry)
{
    static const double weights[3] = {0.2126, 0.7152, 0.0722};
    double y = 0;
    for (int c = 0; c < 3; c++) {
        const double value = (map->entries[entry] >> (8 * c) & 0xff) / 255.0;
        y += weights[c] * (value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4));
    }
    return y > 216.0 / 24389 ? 116 * cbrt(y) - 16 : y * 24389 / 27;
}

/* First, middle and last colours; of published maps what matplotlib 3.6 gives for i / 255. */
static const struct {
    const char *name;
    unsigned first, middle, last; /* of entries 0, 128 and 255 */
    bool rises, falls;            /* lightness does so all along */
} known[] = {
    {"grey", 0x000000, 0x808080, 0xffffff, .rises = true},
    {"cyberpunk", 0x050519, 0x01cce4, 0xff32cc},
    {"viridis", 0x440154, 0x20908c, 0xfde724, .rises = true},
    {"inferno", 0x000003, 0xbb3754, 0xfcfea4, .rises = true},
    {"magma", 0x000003, 0xb63679, 0xfbfcbf, .rises = true},
    {"plasma", 0x0c0786, 0xcb4777, 0xeff821, .rises = true},
    {"cividis", 0x00224d, 0x7c7b78, 0xfde737, .rises = true},
    {"turbo", 0x30123b, 0xa4fc3b, 0x7a0402},
    {"ember", 0x020205, 0xb32e17, 0xfff9dd, .rises = true},
    {"lichen", 0x02070a, 0x33754a, 0xfcf9db, .rises = true},
    {"abyss", 0x000207, 0x0a668a, 0xf7fff2, .rises = true},
    {"orchid", 0x05020c, 0x992684, 0xfff2db, .rises = true},
    {"gold", 0x050507, 0x946420, 0xfff9e0, .rises = true},
    {"dusk", 0x02020a, 0x802e86, 0xfff7db, .rises = true},
    {"copper", 0x02050a, 0x804a3d, 0xfff4dd, .rises = true},
    {"iris", 0x020207, 0x384dd1, 0xfcf9ff, .rises = true},
    {"ink", 0xf7f2e8, 0x6b788b, 0x050714, .falls = true},
    {"madder", 0xf9f2e0, 0xc26152, 0x1e0519, .falls = true},
    {"dawn", 0x152569, 0xf5f4f3, 0x5c000f},
    {"aurora", 0xc7f9ff, 0x0a0808, 0xfdedc8},
    {"twilight", 0xe1d8e2, 0x2f1336, 0xe1d8e1},
    {"tab10", 0x1f77b4, 0x8c564b, 0x17becf},
    {"Set1", 0xe41a1c, 0xff7f00, 0x999999},
    {"Set3", 0x8dd3c7, 0xb3de69, 0xffed6f},
    {"Paired", 0xa6cee3, 0xfdbf6f, 0xb15928},
    {"terrain", 0x0a2342, 0x81aa56, 0xffffff},
    {"cave", 0x111016, 0x604a35, 0xfff1c8},
};

static void maps_are_known(void **state)
{
    (void)state;
    enum vks_colormap_group group = VKS_COLORMAP_SEQUENTIAL;
    for (size_t i = 0; vks_colormap_names[i]; i++) {
        const char *name = vks_colormap_names[i];
        assert_true(i < sizeof(known) / sizeof(known[0]));
        assert_string_equal(name, known[i].name);
        assert_true(vks_colormap_group(i) >= group); /* group by group */
        group = vks_colormap_group(i);
        assert_true(strlen(vks_colormap_group_names[group]) > 3);
        assert_null(vks_colormap_file(name));
        const struct vks_colormap map = load(name);
        if (colour_of(&map, 0) != known[i].first || colour_of(&map, 128) != known[i].middle ||
            colour_of(&map, 255) != known[i].last) {
            fail_msg("%s is #%06x, #%06x, #%06x", name, colour_of(&map, 0), colour_of(&map, 128),
                     colour_of(&map, 255));
        }
        assert_int_equal(map.discrete, group == VKS_COLORMAP_DISCRETE);
        /* Rounding to bytes moves lightness by up to a twentieth. */
        for (int j = 1; j < 256 && (known[i].rises || known[i].falls); j++) {
            const double step = lightness(&map, j) - lightness(&map, j - 1);
            if ((known[i].rises ? step : -step) < -0.05) {
                fail_msg("%s: lightness %s by %g at entry %d", name,
                         known[i].rises ? "falls" : "rises", fabs(step), j);
            }
        }
    }
    assert_string_equal(known[sizeof(known) / sizeof(known[0]) - 1].name, "cave");
}

/* CIELAB for D65. */
static void lab_of(const struct vks_colormap *map, int entry, double lab[3])
{
    static const double weights[3][3] = {{0.4124564, 0.3575761, 0.1804375},
                                         {0.2126729, 0.7151522, 0.0721750},
                                         {0.0193339, 0.1191920, 0.9503041}};
    static const double white[3] = {0.95047, 1, 1.08883};
    double f[3];
    for (int i = 0; i < 3; i++) {
        double sum = 0;
        for (int c = 0; c < 3; c++) {
            const double value = (map->entries[entry] >> (8 * c) & 0xff) / 255.0;
            sum += weights[i][c] *
                   (value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4));
        }
        sum /= white[i];
        f[i] = sum > 216.0 / 24389 ? cbrt(sum) : (24389.0 / 27 * sum + 16) / 116;
    }
    lab[0] = 116 * f[1] - 16;
    lab[1] = 500 * (f[0] - f[1]);
    lab[2] = 200 * (f[1] - f[2]);
}

static double difference(const struct vks_colormap *map, int one, int other)
{
    double a[3], b[3];
    lab_of(map, one, a);
    lab_of(map, other, b);
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

/* The lightness of diverging maps changes only one way from the centre to either end, both arms are
 * equally light, and equal steps along an arm are nearly equal differences of colour. */
static void diverging_maps_are_even(void **state)
{
    (void)state;
    enum { ARM = 128, APART = 8 };
    size_t count = 0;
    for (size_t i = 0; vks_colormap_names[i]; i++) {
        if (vks_colormap_group(i) != VKS_COLORMAP_DIVERGING) {
            continue;
        }
        const char *name = vks_colormap_names[i];
        const struct vks_colormap map = load(name);
        const double sign = lightness(&map, ARM) < lightness(&map, 255) ? 1 : -1;
        double least = INFINITY, most = 0;
        count++;
        for (int j = 0; j < ARM; j++) {
            if (fabs(lightness(&map, ARM + j) - lightness(&map, ARM - 1 - j)) > 6) {
                fail_msg("%s: the arms differ in lightness %d entries from the centre", name, j);
            }
            if (j > 0 && (sign * (lightness(&map, ARM + j) - lightness(&map, ARM + j - 1)) <= 0 ||
                          sign * (lightness(&map, ARM - 1 - j) - lightness(&map, ARM - j)) <= 0)) {
                fail_msg("%s: lightness turns back %d entries from the centre", name, j);
            }
            if (j + APART < ARM) {
                const double steps[] = {difference(&map, ARM + j, ARM + j + APART),
                                        difference(&map, ARM - 1 - j, ARM - 1 - j - APART)};
                for (int k = 0; k < 2; k++) {
                    least = steps[k] < least ? steps[k] : least;
                    most = steps[k] > most ? steps[k] : most;
                }
            }
        }
        if (most > 1.4 * least) {
            fail_msg("%s: differences of colour from %g to %g", name, least, most);
        }
    }
    assert_int_equal(count, 2);
}

static void grey_is_grey(void **state)
{
    (void)state;
    const struct vks_colormap map = load("grey");
    for (unsigned i = 0; i < 256; i++) {
        assert_int_equal(colour_of(&map, (int)i), i * 0x010101);
    }
}

/* The models' definition: even, linear, floor(x 255). */
static void cyberpunk_is_defined(void **state)
{
    (void)state;
    static const double colours[7][3] = {{.02, .02, .1}, {.1, 0, .3}, {0, .2, .8}, {0, .8, .9},
                                         {.4, 1, .6},    {1, .8, 0},  {1, .2, .8}};
    const struct vks_colormap map = load("cyberpunk");
    for (int i = 0; i < 256; i++) {
        const double place = i * 6.0 / 255;
        const int from = place < 5 ? (int)place : 5;
        for (int c = 0; c < 3; c++) {
            const double value =
                colours[from][c] + (place - from) * (colours[from + 1][c] - colours[from][c]);
            const int byte = map.entries[i] >> (8 * c) & 0xff;
            assert_true(byte <= value * 255 + 1e-6 && byte > value * 255 - 1 - 1e-6);
        }
    }
}

static void twilight_closes(void **state)
{
    (void)state;
    const struct vks_colormap map = load("twilight");
    for (int c = 0; c < 24; c += 8) {
        assert_true(abs((int)(map.entries[0] >> c & 0xff) - (int)(map.entries[255] >> c & 0xff)) <
                    3);
    }
}

/* Entry i is colour floor(i n / 255), which gives every colour as many entries as the others, or
 * one more or less. */
static void discrete_is_even(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int colours;
    } rows[] = {{"tab10", 10}, {"Set1", 9}, {"Set3", 12}, {"Paired", 12}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct vks_colormap map = load(rows[i].name);
        int runs = 0, length = 0;
        for (int j = 0; j < 256; j++) {
            length++;
            assert_int_equal(runs, j < 255 ? j * rows[i].colours / 255 : rows[i].colours - 1);
            if (j == 255 || map.entries[j] != map.entries[j + 1]) {
                assert_in_range(length, 256 / rows[i].colours, 256 / rows[i].colours + 1);
                runs++;
                length = 0;
            }
        }
        assert_int_equal(runs, rows[i].colours);
    }
}

static void names_in_any_case(void **state)
{
    (void)state;
    const struct vks_colormap map = load("Set1"), back = load("Set1_r");
    static const char *const same[] = {"set1", "SET1", "sEt1"}, *const turned[] = {"set1_r",
                                                                                   "SET1_R"};
    for (size_t i = 0; i < 3; i++) {
        const struct vks_colormap other = load(same[i]);
        assert_memory_equal(other.entries, map.entries, sizeof(map.entries));
        assert_true(other.discrete);
    }
    for (size_t i = 0; i < 2; i++) {
        const struct vks_colormap other = load(turned[i]);
        assert_null(vks_colormap_file(turned[i]));
        assert_memory_equal(other.entries, back.entries, sizeof(map.entries));
        assert_true(other.discrete);
    }
    for (int i = 0; i < 256; i++) {
        assert_int_equal(map.entries[i], back.entries[255 - i]);
    }
}

static void unknown_names(void **state)
{
    (void)state;
    refuse("embr", VKS_ERROR_USAGE, "(did you mean 'ember'?)");
    refuse("embr", VKS_ERROR_USAGE, "neither a file nor one of: grey, cyberpunk, ");
    refuse("gray", VKS_ERROR_USAGE, "(did you mean 'grey'?)");
    refuse("virids_r", VKS_ERROR_USAGE, "(did you mean 'viridis'?)");
    refuse("set2", VKS_ERROR_USAGE, "(did you mean 'Set");
    refuse("", VKS_ERROR_USAGE, "neither a file nor one of");
    refuse("viridis_", VKS_ERROR_USAGE, "viridis");
    refuse("viridis_rr", VKS_ERROR_USAGE, "viridis");
    refuse("viridis.csv", VKS_ERROR_FILE, "no such file");
    refuse("no/such/map", VKS_ERROR_FILE, "no such file");
    assert_string_equal(vks_colormap_file("viridis.csv"), "viridis.csv");
    char name[3000];
    memset(name, 'v', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    struct vks_colormap map;
    assert_int_equal(vks_colormap_load(name, &map), VKS_ERROR_USAGE);
}

/* --- tables --------------------------------------------------------------------------------- */

static void write_bytes(const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static unsigned byte_of(int entry, int channel)
{
    return (unsigned)(entry * (7 + 4 * channel) + 31 * channel) & 0xff;
}

enum { FRACTIONS = 1, REALS = 2 };

/* 256 rows of byte_of() between `before` and `after`, each ended by `end`. */
static void write_table(const char *before, const char *gap, const char *end, const char *after,
                        int kind)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(before, file);
    for (int i = 0; i < 256; i++) {
        for (int c = 0; c < 3; c++) {
            const unsigned byte = byte_of(i, c);
            fprintf(file,
                    kind & FRACTIONS ? "%.17g%s"
                    : kind & REALS   ? "%.18e%s"
                                     : "%.0f%s",
                    kind & FRACTIONS ? byte / 255.0 : byte, c < 2 ? gap : "");
        }
        fputs(end, file);
    }
    fputs(after, file);
    assert_int_equal(fclose(file), 0);
}

static void is_the_table(const char *what)
{
    const struct vks_colormap map = load(path);
    assert_false(map.discrete);
    for (int i = 0; i < 256; i++) {
        if (colour_of(&map, i) != (byte_of(i, 0) << 16 | byte_of(i, 1) << 8 | byte_of(i, 2))) {
            fail_msg("%s: entry %d is #%06x", what, i, colour_of(&map, i));
        }
    }
}

static void tables_of_every_kind(void **state)
{
    (void)state;
    static const struct {
        const char *what, *before, *gap, *end, *after;
        int kind;
    } rows[] = {
        {"bytes", "", ",", "\n", ""},
        {"fractions", "", ",", "\n", "", FRACTIONS},
        {"bytes as reals", "", " ", "\n", "", REALS},
        {"spaces", "", "  \t ", " \n", ""},
        {"commas and spaces", "", ", ", "\n", ""},
        {"semicolons", "", ";", ";\n", ""},
        {"another system's lines", "r,g,b\r\n", ",", "\r\n", "\r\n"},
        {"a header", "red,green,blue\n", ",", "\n", ""},
        {"a header in quotes", "\n \"red\",\"green\",\"blue\"\n", ",", "\n", "", FRACTIONS},
        {"comments", "# mine, 1 2\n\n  # and\nr g b # here\n", " ", " # row\n", "# \xc3\xa4\n\n"},
        {"a mark of UTF-8", "\xef\xbb\xbf", ",", "\n", ""},
        {"a mark and a header", "\xef\xbb\xbfr,g,b\n", ",", "\n", ""},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        write_table(rows[i].before, rows[i].gap, rows[i].end, rows[i].after, rows[i].kind);
        is_the_table(rows[i].what);
    }
    /* Rounded down, not to the nearest. */
    FILE *fractions = fopen(path, "wb");
    assert_non_null(fractions);
    for (int i = 0; i < 256; i++) {
        fputs("0.9999,.5,1e-3\n", fractions);
    }
    assert_int_equal(fclose(fractions), 0);
    const struct vks_colormap map = load(path);
    assert_int_equal(colour_of(&map, 0), 0xfe7f00);
    /* Without a line end at the end. */
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    for (int i = 0; i < 256; i++) {
        fprintf(file, "%s%u %u %u", i ? "\n" : "", byte_of(i, 0), byte_of(i, 1), byte_of(i, 2));
    }
    assert_int_equal(fclose(file), 0);
    is_the_table("no end");
}

/* A row a line, `changed` (or nothing, if NULL) in line `line`. */
static void write_rows(int rows, int line, const char *changed)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    for (int i = 1; i <= rows; i++) {
        if (i == line && changed) {
            fprintf(file, "%s\n", changed);
        } else {
            fprintf(file, "%d,2,3\n", i % 256);
        }
    }
    assert_int_equal(fclose(file), 0);
}

static void bad_tables(void **state)
{
    (void)state;
    static const struct {
        int rows, line;
        const char *changed, *words;
    } bad[] = {
        {255, 0, NULL, "it has 255 rows; a colour map has 256 rows 'red,green,blue'"},
        {257, 0, NULL, "it has 257 rows"},
        {1, 0, NULL, "it has 1 row;"},
        {0, 0, NULL, "it has 0 rows"},
        {256, 7, "1,2", "line 7 is not three numbers"},
        {256, 8, "1,2,3,4", "line 8 is not three numbers"},
        {256, 9, "1,two,3", "line 9 is not three numbers"},
        {256, 10, "red,green,blue", "line 10 is not three numbers"},
        {256, 11, "1.2.3,4,5", "line 11 is not three numbers"},
        {256, 12, "0x,4,5", "line 12 is not three numbers"},
        {256, 1, "1,x,5", "line 1 is not three numbers"},
        {256, 13, "256,1,1", "256 in line 13 does not fit"},
        {256, 14, "1,-1,1", "-1 in line 14 does not fit"},
        {256, 15, "1,1,1e300", "in line 15 does not fit"},
        {256, 16, "0.5,0.5,0.5", "0.5 in line 16 does not fit"},
        {256, 17, "1,nan,1", "line 17 is not three numbers"},
        {256, 18, "inf,1,1", "line 18 is not three numbers"},
        {256, 256, "1,1,\xff", "line 256 is not three numbers"},
        {256, 19, "1,1,\x01", "neither a PNG image nor a text"},
        {256, 1, "r,g,b", "it has 255 rows"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        write_rows(bad[i].rows, bad[i].line, bad[i].changed);
        refuse(path, VKS_ERROR_FILE, bad[i].words);
    }
    write_bytes("r g b\nr g b\n", 12);
    refuse(path, VKS_ERROR_FILE, "line 2 is not three numbers");
    write_bytes("1,2,3\n\0\0", 8);
    refuse(path, VKS_ERROR_FILE, "neither a PNG image nor a text");
    write_bytes("\xff\xd8\xff\xe0\0\x10JFIF", 10);
    refuse(path, VKS_ERROR_FILE, "neither a PNG image nor a text");
}

static void no_table_at_all(void **state)
{
    (void)state;
    write_bytes("", 0);
    refuse(path, VKS_ERROR_FILE, "it has 0 rows");
    const size_t size = (1 << 20) + 1;
    char *text = malloc(size);
    assert_non_null(text);
    memset(text, '\n', size);
    write_bytes(text, size);
    refuse(path, VKS_ERROR_FILE, "is too long");
    memset(text, '1', size - 1);
    write_bytes(text, size - 1);
    refuse(path, VKS_ERROR_FILE, "line 1 is not three numbers");
    free(text);
    refuse(folder, VKS_ERROR_FILE, "not a regular file");
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    refuse(path, VKS_ERROR_FILE, "not a regular file"); /* does not wait for a writer */
    unlink(path);
    refuse(path, VKS_ERROR_FILE, "no such file");
    if (geteuid() != 0) {
        write_rows(256, 0, NULL);
        assert_int_equal(chmod(path, 0), 0);
        refuse(path, VKS_ERROR_FILE, "cannot read");
    }
}

/* --- pictures ------------------------------------------------------------------------------- */

/* A picture whose middle row, or column, is (byte_of(i, c)), and whose others are not. */
static void write_strip(unsigned width, unsigned height, int type)
{
    const unsigned channels = type == PNG_COLOR_TYPE_RGB ? 3 : 4;
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    uint8_t *row = calloc(width, channels);
    assert_non_null(row);
    if (setjmp(png_jmpbuf(png))) {
        fail_msg("libpng cannot write");
    }
    png_init_io(png, file);
    png_set_IHDR(png, info, width, height, 8, type, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (unsigned y = 0; y < height; y++) {
        for (unsigned x = 0; x < width; x++) {
            const bool middle = height > width ? x == width / 2 : y == height / 2;
            for (int c = 0; c < 3; c++) {
                row[x * channels + (unsigned)c] =
                    (uint8_t)(middle ? byte_of((int)(height > width ? y : x), c) : 99);
            }
            if (channels == 4) {
                row[x * channels + 3] = (uint8_t)x; /* does not count */
            }
        }
        png_write_row(png, row);
    }
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    free(row);
    assert_int_equal(fclose(file), 0);
}

static void strips(void **state)
{
    (void)state;
    static const unsigned sizes[][2] = {{256, 1},   {256, 2},  {256, 9},   {256, 256}, {1, 256},
                                        {255, 256}, {2, 1},    {2, 2},     {1, 2},     {3, 2},
                                        {17, 3},    {255, 1},  {257, 4},   {1000, 3},  {2, 511},
                                        {511, 511}, {4096, 1}, {1, 65535}, {65535, 1}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const unsigned width = sizes[i][0], height = sizes[i][1];
        const int count = (int)(width < height ? height : width);
        write_strip(width, height, i % 2 ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB);
        const struct vks_colormap map = load(path);
        assert_false(map.discrete);
        for (int j = 0; j < 256; j++) {
            /* The pixels at both sides of the entry, in fractions of 1 / 255. */
            const int low = j * (count - 1) / 255, high = low + 1 < count ? low + 1 : low;
            const int share = j * (count - 1) - 255 * low;
            for (int c = 0; c < 3; c++) {
                const unsigned wanted = (byte_of(low, c) * (unsigned)(255 - share) +
                                         byte_of(high, c) * (unsigned)share) /
                                        255;
                if ((map.entries[j] >> (8 * c) & 0xff) != wanted) {
                    fail_msg("%ux%u: channel %d of entry %d is %u, not %u", width, height, c, j,
                             map.entries[j] >> (8 * c) & 0xff, wanted);
                }
            }
            assert_int_equal(map.entries[j] >> 24, 255);
        }
    }
    write_strip(256, 5, PNG_COLOR_TYPE_RGB);
    is_the_table("a strip of 256");
}

static void bad_strips(void **state)
{
    (void)state;
    write_strip(1, 1, PNG_COLOR_TYPE_RGB);
    refuse(path, VKS_ERROR_FILE, "an image of one pixel");
    write_bytes("\x89PNG\r\n\x1a\n", 8);
    refuse(path, VKS_ERROR_FILE, "as a PNG file");
    write_strip(256, 4, PNG_COLOR_TYPE_RGB);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(truncate(path, status.st_size - 20), 0);
    refuse(path, VKS_ERROR_FILE, "as a PNG file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_are_known),       cmocka_unit_test(diverging_maps_are_even),
        cmocka_unit_test(grey_is_grey),         cmocka_unit_test(cyberpunk_is_defined),
        cmocka_unit_test(twilight_closes),      cmocka_unit_test(discrete_is_even),
        cmocka_unit_test(names_in_any_case),    cmocka_unit_test(unknown_names),
        cmocka_unit_test(tables_of_every_kind), cmocka_unit_test(bad_tables),
        cmocka_unit_test(no_table_at_all),      cmocka_unit_test(strips),
        cmocka_unit_test(bad_strips),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
