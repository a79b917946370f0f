/* SPDX-License-Identifier: MIT */
#include "view_reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotation_reference.h"
#include "base/exact.h"

static const double pi = 3.14159265358979323846;

static void *allocate(size_t size)
{
    void *data = calloc(1, size);
    if (!data) {
        fprintf(stderr, "view_reference: no memory\n");
        abort();
    }
    return data;
}

static float clip(float x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* True if the values have a range. */
static bool find_range(const float *values, size_t count, float range[2])
{
    range[0] = range[1] = values[0];
    for (size_t i = 1; i < count; i++) {
        range[0] = values[i] < range[0] ? values[i] : range[0];
        range[1] = values[i] > range[1] ? values[i] : range[1];
    }
    return range[1] - range[0] > 1e-6f;
}

/* --- another size ----------------------------------------------------------------------------- */

static double lanczos(double x)
{
    if (x == floor(x)) {
        return x == 0 ? 1 : 0;
    }
    return fabs(x) < 3 ? 3 * sin(pi * x) * sin(pi * x / 3) / (pi * pi * x * x) : 0;
}

/* Line `i` of the `size` lines that `length` of `side` lines, from `from` on, are resized to; line
 * j is at `lines + j * stride`; `limits` are the field's min and max. */
static float resized(const float *lines, size_t stride, uint32_t side, uint32_t from,
                     uint32_t length, uint32_t size, uint32_t i, const float limits[2])
{
    double shares[16] = {0}, *weights = shares, sum = 0;
    uint32_t first = from + i, last = from + i;
    if (size < length) {
        /* [a, b) in the units in which a line of the field is `size` long. */
        const uint64_t a = (uint64_t)i * length, b = a + length;
        first = from + (uint32_t)(a / size);
        last = from + (uint32_t)((b - 1) / size);
        weights = allocate((last - first + 1) * sizeof(*weights));
        for (uint32_t j = first; j <= last; j++) {
            const uint64_t begin = (uint64_t)(j - from) * size, end = begin + size;
            weights[j - first] = (double)((end < b ? end : b) - (begin > a ? begin : a));
        }
        sum = length;
    } else if (size > length) {
        const double middle = (double)from + (i + 0.5) * (double)length / (double)size;
        const double low = floor(middle - 2.5), high = floor(middle + 3.5);
        first = low > 0 ? (uint32_t)low : 0;
        last = (high < side ? (uint32_t)high : side) - 1;
        for (uint32_t j = first; j <= last; j++) {
            weights[j - first] = lanczos((double)j + 0.5 - middle);
            sum += weights[j - first];
        }
    } else {
        weights[0] = sum = 1;
    }
    const bool grows = size > length;
    float total = 0, min = grows ? limits[0] : lines[first * stride];
    float max = grows ? limits[1] : min;
    for (uint32_t j = first; j <= last; j++) {
        const float value = lines[j * stride],
                    weight = vks_flush((float)(weights[j - first] / sum));
        const float part = value * weight;
        total = total + part;
        min = !grows && value < min ? value : min;
        max = !grows && value > max ? value : max;
    }
    if (weights != shares) {
        free(weights);
    }
    return vks_flush(total < min ? min : total > max ? max : total);
}

static uint32_t planes_of(const struct view_reference *view)
{
    return view->planes ? view->planes : 1;
}

/* The picture's values of a plane: down first, unless only the height grows. */
static void show_plane(const struct view_reference *view, const float *cells, const float limits[2],
                       float *values)
{
    const uint32_t width = view->field_width, height = view->field_height;
    if (view->height > view->part_height && view->width < view->part_width) {
        float *rows = allocate((size_t)view->width * height * sizeof(*rows));
        for (uint32_t y = 0; y < height; y++) {
            for (uint32_t x = 0; x < view->width; x++) {
                rows[(size_t)y * view->width + x] =
                    resized(cells + (size_t)y * width, 1, width, view->x, view->part_width,
                            view->width, x, limits);
            }
        }
        for (uint32_t y = 0; y < view->height; y++) {
            for (uint32_t x = 0; x < view->width; x++) {
                values[(size_t)y * view->width + x] =
                    resized(rows + x, view->width, height, view->y, view->part_height, view->height,
                            y, limits);
            }
        }
        free(rows);
        return;
    }
    float *columns = allocate((size_t)view->height * width * sizeof(*columns));
    for (uint32_t y = 0; y < view->height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            columns[(size_t)y * width + x] = resized(cells + x, width, height, view->y,
                                                     view->part_height, view->height, y, limits);
        }
    }
    for (uint32_t y = 0; y < view->height; y++) {
        for (uint32_t x = 0; x < view->width; x++) {
            values[(size_t)y * view->width + x] =
                resized(columns + (size_t)y * width, 1, width, view->x, view->part_width,
                        view->width, x, limits);
        }
    }
    free(columns);
}

/* All planes, with limits of the whole field. */
static void show_part(const struct view_reference *view, const float *cells, float *values)
{
    const size_t all = (size_t)view->field_width * view->field_height;
    const size_t shown = (size_t)view->width * view->height;
    float limits[2];
    find_range(cells, planes_of(view) * all, limits);
    for (uint32_t s = 0; s < planes_of(view); s++) {
        show_plane(view, cells + s * all, limits, values + s * shown);
    }
}

/* --- range ------------------------------------------------------------------------------------ */

/* The measured value: itself, or its logarithm from 2^-60 to 2^60. */
static float measured(const struct view_reference *view, float value)
{
    const float greatest = ldexpf(1, 60);
    return view->logarithmic ? vks_log2(value < greatest ? value : greatest) : value;
}

/* shaders/view/level.glsl */
static void move_level(struct view_reference *view, const float range[2], float field)
{
    float *level = view->level;
    float low = view->low, high = view->high;
    const float magnitude = fabsf(range[0]) > fabsf(range[1]) ? fabsf(range[0]) : fabsf(range[1]);
    const float magnitudes[] = {0, magnitude};
    range = view->symmetric ? magnitudes : range;
    if (view->mode == VIEW_OF_FRAME || (view->mode == VIEW_OF_SMOOTH && level[3] != field)) {
        low = range[0];
        high = range[1];
    } else if (view->mode == VIEW_OF_SMOOTH) {
        float to_low = range[0] - level[0], to_high = range[1] - level[1];
        low = level[0] + 0.05f * to_low;
        high = level[1] + 0.05f * to_high;
        low = vks_flush(low);
        high = vks_flush(high);
    }
    float range_now = high - low;
    level[0] = low;
    level[1] = high;
    level[3] = range_now > 1e-6f ? field : 0.0f;
    level[4] = low;
    if (view->logarithmic) { /* at most four decades */
        const float min = ldexpf(1, -60), decades = high * 1e-4f;
        level[4] = low > decades ? low : decades;
        level[4] = level[4] > min ? level[4] : min;
        high = high > level[4] ? high : level[4];
    }
    level[5] = measured(view, level[4]);
    float extent = measured(view, high) - level[5];
    level[2] = extent > 1e-6f ? vks_reciprocal(extent) : 0.0f;
}

/* The place in a symmetric range. */
static float mirrored(float magnitude, bool negative)
{
    return negative ? 0.5f - 0.5f * magnitude : 0.5f + 0.5f * magnitude;
}

static float normalised(const struct view_reference *view, float value)
{
    const bool negative = value < 0;
    value = view->symmetric && negative ? -value : value;
    const bool below = view->logarithmic && value < view->level[4];
    float above = measured(view, below ? view->level[4] : value) - view->level[5];
    above = clip(above * view->level[2]);
    return view->symmetric ? mirrored(above, negative) : above;
}

/* The share of what glows and covers the background. */
static float strength(const struct view_reference *view, float tone)
{
    return view->symmetric ? fabsf(tone - 0.5f) * 2.0f : tone;
}

static float tone_of(const struct view_reference *view, float value)
{
    const float place = normalised(view, value);
    float tone = strength(view, place);
    if (view->gamma == 0.5f) {
        tone = vks_sqrt(tone);
    } else if (view->gamma != 1.0f) {
        tone = vks_pow(tone, view->gamma);
    }
    tone = view->symmetric ? mirrored(tone, place < 0.5f) : tone;
    if (view->contrast != 1.0f) {
        float centred = tone - 0.5f;
        tone = centred * view->contrast + 0.5f;
    }
    return clip(tone);
}

/* --- colours ---------------------------------------------------------------------------------- */

static uint8_t channel_of(uint32_t colour, int c)
{
    return (uint8_t)(colour >> (8 * c));
}

/* A pixel: channels of 16 bits, and bytes of the glow. */
struct shade {
    float height, tone; /* largest of the planes */
    uint64_t shallow[3], deep[3], flank[3];
};

/* A hue in the shade of a tone. */
static struct shade tinted(const struct view_reference *view, float value, uint32_t tint)
{
    const uint32_t entry = tint * 255 / 65535, share = tint * 255 % 65535;
    const uint32_t next = smaller(entry + 1, 255);
    const float place = normalised(view, value), tone = tone_of(view, value);
    const uint64_t s = (uint64_t)(tone * 65536.0f);
    const uint64_t bright = s * 3 / 2 < 65536 ? s * 3 / 2 : 65536;
    const uint64_t over = s <= 32768 ? 0 : s * 2 - 65536 < 65535 ? s * 2 - 65536 : 65535;
    struct shade shade = {.height = place, .tone = strength(view, tone)};
    for (int c = 0; c < 3; c++) {
        const uint64_t here = channel_of(view->palette[entry], c) * 257U;
        const uint64_t there = channel_of(view->palette[next], c) * 257U;
        uint64_t hue = view->discrete ? here : (here * (65535 - share) + there * share) / 65535;
        hue = hue * bright / 65536;
        hue += (65535 - hue) * (over * over / 65536 / 2) / 65536;
        shade.shallow[c] = shade.deep[c] = hue;
        shade.flank[c] = channel_of(view->palette[entry], c);
    }
    return shade;
}

static struct shade shade_of(const struct view_reference *view, const float *values, size_t i)
{
    struct shade shade = {.height = -1};
    if (view->tints) {
        return tinted(view, values[i], view->tints[i]);
    }
    for (uint32_t s = 0; s < planes_of(view); s++) {
        const float value = values[s * (size_t)view->width * view->height + i];
        const float height = normalised(view, value), tone = tone_of(view, value);
        const float place = tone * 255.0f;
        const uint32_t entry = (uint32_t)place, next = smaller(entry + 1, 255);
        const uint32_t *palette = view->planes ? view->palettes[s] : view->palette;
        const bool discrete = view->planes ? view->discretes[s] : view->discrete;
        const uint32_t flank = !view->symmetric ? entry * 9 / 16
                               : entry < 128    ? 127 - (127 - entry) * 9 / 16
                                                : 128 + (entry - 128) * 9 / 16;
        const uint64_t share = discrete ? 0 : (uint64_t)((place - (float)entry) * 65536.0f);
        const bool replaces = view->strongest && height > shade.height;
        for (int c = 0; c < 3 && (replaces || !view->strongest); c++) {
            const uint64_t here = (uint64_t)channel_of(palette[entry], c) * 257;
            const uint64_t there = (uint64_t)channel_of(palette[next], c) * 257;
            const uint64_t own[] = {here, (here * (65536 - share) + there * share) / 65536,
                                    channel_of(palette[flank], c)};
            uint64_t *const mixed[] = {&shade.shallow[c], &shade.deep[c], &shade.flank[c]};
            for (int k = 0; k < 3; k++) {
                const uint64_t most = k < 2 ? 65535 : 255;
                *mixed[k] = own[k] + (replaces ? 0 : *mixed[k]);
                *mixed[k] = *mixed[k] < most ? *mixed[k] : most;
            }
        }
        shade.height = height > shade.height ? height : shade.height;
        const float strong = strength(view, tone);
        shade.tone = strong > shade.tone ? strong : shade.tone;
    }
    return shade;
}

/* --- bloom ------------------------------------------------------------------------------------ */

struct glow {
    uint32_t shift, width, height;
    uint16_t *tight, *wide; /* three per block */
};

static uint32_t shorter_side(const struct view_reference *view)
{
    return smaller(view->width, view->height);
}

/* The glow of block (x, y). */
static void gather(const struct view_reference *view, const float *values, uint32_t shift,
                   uint32_t x, uint32_t y, uint16_t block[3])
{
    const uint32_t side = UINT32_C(1) << shift, stride = side >= 8 ? side / 8 : 1;
    uint64_t sums[3] = {0}, count = 0;
    for (uint32_t v = stride / 2; v < side; v += stride) {
        for (uint32_t u = stride / 2; u < side; u += stride) {
            const uint64_t px = (uint64_t)x * side + u, py = (uint64_t)y * side + v;
            if (px >= view->width || py >= view->height) {
                continue;
            }
            const struct shade shade = shade_of(view, values, py * view->width + px);
            const float over = clip(shade.tone * 2.0f - 1.0f);
            const uint32_t shine = (uint32_t)(over * over * 65535.0f);
            for (int c = 0; c < 3; c++) {
                sums[c] += shade.flank[c] * shine;
            }
            count++;
        }
    }
    for (int c = 0; c < 3; c++) {
        block[c] = (uint16_t)((count ? sums[c] / count : 0) / 256);
    }
}

static uint32_t clamped(int64_t at, uint32_t size)
{
    return at < 0 ? 0 : at >= size ? size - 1 : (uint32_t)at;
}

static uint16_t *blurred(const uint16_t *blocks, uint32_t width, uint32_t height, double spread)
{
    spread = spread > 0.5 ? spread : 0.5;
    const int radius = (int)ceil(3 * spread);
    double bells[512], sum = 0;
    uint64_t weights[512], rest = 65536;
    for (int i = -radius; i <= radius; i++) {
        bells[abs(i)] = i ? (double)vks_exp((float)(-0.5 * i * i / (spread * spread))) : 1;
    }
    sum = 1;
    for (int i = 1; i <= radius; i++) {
        sum += 2 * bells[i];
    }
    for (int i = 1; i <= radius; i++) {
        weights[i] = (uint64_t)(65536 * bells[i] / sum);
        rest -= 2 * weights[i];
    }
    weights[0] = rest;
    const size_t size = (size_t)width * height * 3;
    uint16_t *half = allocate(size * 2), *result = allocate(size * 2);
    for (int round = 0; round < 2; round++) {
        const uint16_t *from = round ? half : blocks;
        for (size_t i = 0; i < size; i++) {
            const uint32_t c = i % 3, x = i / 3 % width, y = (uint32_t)(i / 3 / width);
            uint64_t total = 32768;
            for (int k = -radius; k <= radius; k++) {
                const uint32_t px = round ? x : clamped((int64_t)x + k, width);
                const uint32_t py = round ? clamped((int64_t)y + k, height) : y;
                total += weights[abs(k)] * from[((size_t)py * width + px) * 3 + c];
            }
            (round ? result : half)[i] = (uint16_t)(total >> 16);
        }
    }
    free(half);
    return result;
}

static struct glow make_glow(const struct view_reference *view, const float *values)
{
    struct glow glow = {0};
    while (shorter_side(view) >> (glow.shift + 1) >= 256) {
        glow.shift++;
    }
    const uint32_t side = UINT32_C(1) << glow.shift;
    glow.width = (view->width + side - 1) / side;
    glow.height = (view->height + side - 1) / side;
    uint16_t *blocks = allocate((size_t)glow.width * glow.height * 6);
    for (uint32_t y = 0; y < glow.height; y++) {
        for (uint32_t x = 0; x < glow.width; x++) {
            gather(view, values, glow.shift, x, y, blocks + ((size_t)y * glow.width + x) * 3);
        }
    }
    const double spread = (view->bloom_radius > 0 ? view->bloom_radius : 0.05);
    glow.tight =
        blurred(blocks, glow.width, glow.height, 0.125 * spread * shorter_side(view) / side);
    glow.wide = blurred(blocks, glow.width, glow.height, spread * shorter_side(view) / side);
    free(blocks);
    return glow;
}

static uint64_t glow_of_block(const struct view_reference *view, const struct glow *glow,
                              uint32_t x, uint32_t y, int c)
{
    const size_t at = ((size_t)y * glow->width + x) * 3 + (size_t)c;
    const uint64_t tight = (uint64_t)(256 * 2.4 * view->bloom + 0.5);
    const uint64_t wide = (uint64_t)(256 * 4.5 * view->bloom + 0.5);
    const uint64_t sum = (glow->tight[at] * tight + glow->wide[at] * wide) / 256;
    return sum < 0xfffff ? sum : 0xfffff;
}

/* Interpolates linearly between the centres of blocks. */
static uint64_t glow_at(const struct view_reference *view, const struct glow *glow, uint32_t x,
                        uint32_t y, int c)
{
    const int64_t whole = INT64_C(2) << glow->shift;
    const int64_t place_x = 2 * (int64_t)x + 1 - whole / 2,
                  place_y = 2 * (int64_t)y + 1 - whole / 2;
    const int64_t share_x = ((place_x % whole) + whole) % whole;
    const int64_t share_y = ((place_y % whole) + whole) % whole;
    const int64_t left = (place_x - share_x) / whole, top = (place_y - share_y) / whole;
    uint64_t rows[2];
    for (int row = 0; row < 2; row++) {
        const uint32_t by = clamped(top + row, glow->height);
        rows[row] =
            (glow_of_block(view, glow, clamped(left, glow->width), by, c) *
                 (uint64_t)(whole - share_x) +
             glow_of_block(view, glow, clamped(left + 1, glow->width), by, c) * (uint64_t)share_x) /
            (uint64_t)whole;
    }
    const uint64_t sum =
        (rows[0] * (uint64_t)(whole - share_y) + rows[1] * (uint64_t)share_y) / (uint64_t)whole;
    return 32768 - UINT64_C(32768) * 32768 / (32768 + sum);
}

/* --- light and background -------------------------------------------------------------------- */

static float height_at(const struct view_reference *view, const float *heights, int64_t x,
                       int64_t y)
{
    return heights[(size_t)clamped(y, view->height) * view->width + clamped(x, view->width)];
}

/* Binomial weights over seven lines, across and then down. */
static float smooth_height(const struct view_reference *view, const float *heights, int64_t x,
                           int64_t y)
{
    static const float weights[] = {20, 15, 6, 1};
    float rows[7], sum;
    for (int v = -3; v <= 3; v++) {
        sum = weights[0] * height_at(view, heights, x, y + v);
        for (int k = 1; k <= 3; k++) {
            const float pair =
                height_at(view, heights, x - k, y + v) + height_at(view, heights, x + k, y + v);
            const float part = weights[k] * pair;
            sum = sum + part;
        }
        rows[v + 3] = sum / 64;
    }
    sum = weights[0] * rows[3];
    for (int k = 1; k <= 3; k++) {
        const float pair = rows[3 - k] + rows[3 + k], part = weights[k] * pair;
        sum = sum + part;
    }
    return sum / 64;
}

/* The smooth heights of all pixels and of those around the picture. */
static float *make_relief(const struct view_reference *view, const float *values)
{
    const size_t count = (size_t)view->width * view->height, stride = (size_t)view->width + 2;
    float *heights = allocate(count * sizeof(*heights));
    float *relief = allocate(stride * ((size_t)view->height + 2) * sizeof(*relief));
    for (size_t i = 0; i < count; i++) {
        heights[i] = shade_of(view, values, i).height;
    }
    for (int64_t y = -1; y <= view->height; y++) {
        for (int64_t x = -1; x <= view->width; x++) {
            relief[(size_t)(y + 1) * stride + (size_t)(x + 1)] = smooth_height(view, heights, x, y);
        }
    }
    free(heights);
    return relief;
}

static float highlight(float cosine)
{
    float power = clip(cosine);
    for (int i = 0; i < 6; i++) {
        power = power * power;
    }
    return vks_flush(power);
}

static uint32_t binary_angle(double degrees)
{
    const double turns = fmod(degrees, 360) / 360;
    return (uint32_t)(uint64_t)floor((turns - floor(turns)) * 4294967296.0 + 0.5);
}

struct lighting {
    uint64_t lit, shine; /* in 65536ths */
};

static struct lighting light_at(const struct view_reference *view, const float *smooth, uint32_t x,
                                uint32_t y)
{
    float height[3][3];
    for (size_t v = 0; v < 3; v++) {
        for (size_t u = 0; u < 3; u++) {
            height[v][u] = smooth[(y + v) * ((size_t)view->width + 2) + x + u];
        }
    }
    const double *direction = view->light[1] > 0 ? view->light : (const double[]){315, 45};
    const vks_vec2 azimuth = vks_sincos(binary_angle(direction[0]));
    const vks_vec2 elevation = vks_sincos(binary_angle(direction[1]));
    const double to_x = (double)elevation.y * (double)azimuth.x;
    const double to_y = -(double)elevation.y * (double)azimuth.y, to_z = (double)elevation.x;
    const double size = sqrt(to_x * to_x + to_y * to_y + (to_z + 1) * (to_z + 1));
    const float middle = (float)((to_z + 1) / size);
    const double relief = view->hillshade * 12 / 8;
    float across = (height[0][2] - height[0][0]) + (height[2][2] - height[2][0]);
    across = across + 2.0f * (height[1][2] - height[1][0]);
    float down = (height[2][0] - height[0][0]) + (height[2][2] - height[0][2]);
    down = down + 2.0f * (height[2][1] - height[0][1]);
    across = across * vks_flush((float)(relief * view->width / view->part_width));
    down = down * vks_flush((float)(relief * view->height / view->part_height));
    float away =
        across * vks_flush((float)(-to_x / to_z)) + down * vks_flush((float)(-to_y / to_z));
    float towards = away + 1.0f;
    float steep = 1.0f + across * across + down * down;
    float upright = vks_reciprocal(vks_sqrt(steep));
    float lit = towards > 0 ? towards * upright : 0.0f;
    lit = lit < 1 ? 0.25f + 0.75f * lit : lit < 1.5f ? lit : 1.5f;
    float sideways =
        across * vks_flush((float)(to_x / size)) + down * vks_flush((float)(to_y / size));
    float shine = highlight((middle - sideways) * upright) - highlight(middle);
    shine = clip(shine * vks_flush((float)view->gloss)) * 65536.0f + 0.5f;
    return (struct lighting){(uint64_t)(lit * 65536.0f + 0.5f), (uint64_t)shine};
}

/* One pixel's channels of 16 bits, from a colour of the map. */
static void finish(const struct view_reference *view, const uint64_t colour[3],
                   struct lighting light, const uint64_t glow[3], uint64_t cover, uint32_t under,
                   uint16_t pixel[4])
{
    const uint64_t alpha = (uint64_t)(under >> 24) * 257;
    const uint64_t rest = alpha == 65535 ? 65536 - cover : (65536 - cover) * alpha / 65536;
    uint64_t all = 65536;
    for (int c = 0; c < 3; c++) {
        uint64_t value = colour[c];
        if (view->hillshade > 0) {
            const uint64_t lit = light.lit;
            value = lit > 65536 ? value + value * (65535 - value) / 65536 * (lit - 65536) / 32768
                                : value * lit / 65536;
            value += (65535 - value) * light.shine / 65536;
        }
        if (view->bloom > 0) {
            value += (65535 - value) * glow[c] / 65536;
        }
        if (view->background == VIEW_ON_TRANSPARENCY) {
            all = cover;
        } else if (view->background != VIEW_ON_NOTHING) {
            all = cover + rest;
            const uint64_t sum = value * cover + (uint64_t)channel_of(under, c) * 257 * rest;
            value = all ? sum / all : 0;
        }
        pixel[c] = (uint16_t)value;
    }
    pixel[3] = (uint16_t)(all == 65536 ? 65535 : all);
}

/* --- frames ----------------------------------------------------------------------------------- */

static void paint(const struct view_reference *view, const float *values,
                  const struct view_frame *frame)
{
    struct glow glow = {0};
    if (view->bloom > 0) {
        glow = make_glow(view, values);
    }
    float *relief = view->hillshade > 0 ? make_relief(view, values) : NULL;
    for (uint32_t y = 0; y < view->height; y++) {
        for (uint32_t x = 0; x < view->width; x++) {
            const size_t i = (size_t)y * view->width + x;
            const struct shade shade = shade_of(view, values, i);
            const struct lighting lit =
                relief ? light_at(view, relief, x, y) : (struct lighting){0};
            const float s = clip(shade.tone * 2.0f - 0.2f);
            uint64_t cover = (uint64_t)(s * s * (3.0f - 2.0f * s) * 65536.0f + 0.5f);
            uint64_t shining[3] = {0}, brightest = 0;
            for (int c = 0; c < 3; c++) {
                shining[c] = view->bloom > 0 ? glow_at(view, &glow, x, y, c) : 0;
                brightest = shining[c] > brightest ? shining[c] : brightest;
            }
            cover += (65536 - cover) * brightest / 65536;
            const uint32_t under =
                view->background == VIEW_ON_IMAGE ? view->image[i] : view->colour;
            uint16_t pixel[4];
            finish(view, shade.shallow, lit, shining, cover, under, pixel);
            frame->pixels[i] = (uint32_t)(pixel[0] >> 8) | (uint32_t)(pixel[1] >> 8) << 8 |
                               (uint32_t)(pixel[2] >> 8) << 16 | (uint32_t)(pixel[3] >> 8) << 24;
            if (frame->deep) {
                finish(view, shade.deep, lit, shining, cover, under, frame->deep + 4 * i);
            }
        }
    }
    free(relief);
    free(glow.tight);
    free(glow.wide);
}

/* Where the side before cell `cell` of an axis lies in pixel `at`, in 1/4096, rounded down. */
static uint64_t side_at(uint32_t cell, uint32_t at, uint32_t length, uint32_t size)
{
    const int64_t from = (int64_t)cell * size - (int64_t)at * length;
    return from <= 0 ? 0 : from >= length ? 4096 : (uint64_t)from * 4096 / length;
}

/* The share of a pixel under the mask, in 1/65536: of every cell its part of the pixel. */
static uint64_t masked_at(const struct view_reference *view, uint32_t x, uint32_t y)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < view->part_height; i++) {
        const uint64_t down = side_at(i + 1, y, view->part_height, view->height) -
                              side_at(i, y, view->part_height, view->height);
        for (uint32_t j = 0; down > 0 && j < view->part_width; j++) {
            const uint64_t across = side_at(j + 1, x, view->part_width, view->width) -
                                    side_at(j, x, view->part_width, view->width);
            sum += view->mask[(size_t)(view->y + i) * view->field_width + view->x + j]
                       ? down * across
                       : 0;
        }
    }
    return (sum + 128) / 256;
}

static uint64_t blended(uint64_t under, uint64_t over, uint64_t share)
{
    return (under * (65536 - share) + over * share + 32768) / 65536;
}

void view_cover(const struct view_frame *frame, size_t i, uint32_t colour, uint64_t cover)
{
    uint16_t *deep = frame->deep ? frame->deep + 4 * i : NULL;
    const uint64_t alphas[] = {(uint64_t)(frame->pixels[i] >> 24) * 257, deep ? deep[3] : 0};
    uint64_t shares[2];
    for (int k = 0; k < 2; k++) {
        const uint64_t alpha = blended(alphas[k], 65535, cover);
        const uint64_t share = alpha ? 65535 * cover / alpha : 65536;
        shares[k] = share < 65536 ? share : 65536;
    }
    uint64_t pixel = blended(frame->pixels[i] >> 24, 255, cover) << 24;
    for (int c = 0; c < 3; c++) {
        const uint64_t own = channel_of(colour, c);
        pixel |= blended(channel_of(frame->pixels[i], c), own, shares[0]) << 8 * c;
        if (deep) {
            deep[c] = (uint16_t)blended(deep[c], own * 257, shares[1]);
        }
    }
    frame->pixels[i] = (uint32_t)pixel;
    if (deep) {
        deep[3] = (uint16_t)blended(deep[3], 65535, cover);
    }
}

static void draw_mask(const struct view_reference *view, const struct view_frame *frame)
{
    for (size_t i = 0; i < (size_t)view->width * view->height; i++) {
        const uint64_t cover =
            masked_at(view, (uint32_t)(i % view->width), (uint32_t)(i / view->width));
        if (cover > 0) {
            view_cover(frame, i, view->mask_colour, cover);
        }
    }
}

float view_tone(const struct view_reference *view, float value)
{
    struct view_reference plain = *view;
    plain.contrast = 1;
    return tone_of(&plain, value);
}

struct view_reference view_of_field(uint32_t width, uint32_t height, const uint32_t *palette)
{
    return (struct view_reference){.field_width = width,
                                   .field_height = height,
                                   .part_width = width,
                                   .part_height = height,
                                   .width = width,
                                   .height = height,
                                   .gamma = 1,
                                   .contrast = 1,
                                   .palette = palette};
}

void view_draw(struct view_reference *view, const float *cells, const float *others,
               const struct view_frame *frame)
{
    const size_t count = (size_t)planes_of(view) * view->width * view->height;
    float *values = allocate(count * sizeof(*values)), range[2], field = 1;
    show_part(view, cells, values);
    if (frame->values) { /* of the first field, even if the picture shows the other */
        memcpy(frame->values, values, count * sizeof(*values));
    }
    if (!find_range(values, count, range) && others) {
        show_part(view, others, values);
        find_range(values, count, range);
        field = 2;
    }
    move_level(view, range, field);
    paint(view, values, frame);
    if (view->mask) {
        draw_mask(view, frame);
    }
    if (view->annotation) {
        annotation_draw(view->annotation, view, field == 2, frame);
    }
    free(values);
}

/* --- volumes ---------------------------------------------------------------------------------- */

void view_flatten(const float *volume, uint32_t depth, uint32_t height, uint32_t width,
                  enum view_axis axis, enum view_project project, double slice, float *plane,
                  uint32_t *columns, uint32_t *rows)
{
    const uint32_t sides[] = {width, height, depth};
    const uint32_t length = sides[axis];
    const uint32_t chosen = smaller((uint32_t)floor(slice * length), length - 1);
    *columns = axis == VIEW_ALONG_X ? height : width;
    *rows = axis == VIEW_ALONG_Z ? height : depth;
    for (uint32_t row = 0; row < *rows; row++) {
        for (uint32_t column = 0; column < *columns; column++) {
            float sum = 0, max = 0, cut = 0;
            for (uint32_t k = 0; k < length; k++) {
                const uint32_t x = axis == VIEW_ALONG_X ? k : column;
                const uint32_t y = axis == VIEW_ALONG_Y ? k : axis == VIEW_ALONG_X ? column : row;
                const uint32_t z = axis == VIEW_ALONG_Z ? k : row;
                const float value = volume[((size_t)z * height + y) * width + x];
                sum = k == 0 ? value : sum + value;
                max = k == 0 || value > max ? value : max;
                cut = k == chosen ? value : cut;
            }
            const float seen[] = {cut, sum * (1.0f / (float)length), max, sum};
            plane[(size_t)row * *columns + column] = vks_flush(seen[project]);
        }
    }
}

/* --- YUV -------------------------------------------------------------------------------------- */

uint8_t view_luma(int red, int green, int blue)
{
    return (uint8_t)((1081344 + 11966 * red + 40254 * green + 4064 * blue) >> 16);
}

uint8_t view_blue(int red4, int green4, int blue4)
{
    return (uint8_t)((-6596 * red4 - 22189 * green4 + 28785 * blue4 + (128 << 18) + (1 << 17)) >>
                     18);
}

uint8_t view_red(int red4, int green4, int blue4)
{
    return (uint8_t)((28785 * red4 - 26145 * green4 - 2640 * blue4 + (128 << 18) + (1 << 17)) >>
                     18);
}

void view_planes(uint32_t width, uint32_t height, const uint32_t *pixels, uint8_t *planes)
{
    const uint32_t coded_width = (width + 7) / 8 * 8, coded_height = (height + 1) / 2 * 2;
    uint8_t *blues = planes + (size_t)coded_width * coded_height;
    uint8_t *reds = blues + (size_t)coded_width * coded_height / 4;
    for (uint32_t y = 0; y < coded_height; y += 2) {
        for (uint32_t x = 0; x < coded_width; x += 2) {
            int sums[3] = {0, 0, 0};
            for (uint32_t k = 0; k < 4; k++) {
                uint32_t column = x + (k & 1), row = y + (k >> 1);
                uint32_t pixel = pixels[(size_t)(row < height ? row : height - 1) * width +
                                        (column < width ? column : width - 1)];
                int red = pixel & 0xff, green = pixel >> 8 & 0xff, blue = pixel >> 16 & 0xff;
                planes[(size_t)row * coded_width + column] = view_luma(red, green, blue);
                sums[0] += red;
                sums[1] += green;
                sums[2] += blue;
            }
            size_t at = (size_t)(y / 2) * (coded_width / 2) + x / 2;
            blues[at] = view_blue(sums[0], sums[1], sums[2]);
            reds[at] = view_red(sums[0], sums[1], sums[2]);
        }
    }
}

/* Of 10 bits: colour is the sum of four pixels of 16 bits. */

uint16_t view_luma10(uint32_t red, uint32_t green, uint32_t blue)
{
    return (uint16_t)((11919 * red + 40098 * green + 4048 * blue + (64U << 22) + (1U << 21)) >> 22);
}

uint16_t view_blue10(int red4, int green4, int blue4)
{
    return (uint16_t)((-821 * red4 - 2763 * green4 + 3584 * blue4 + (512 << 21) + (1 << 20)) >> 21);
}

uint16_t view_red10(int red4, int green4, int blue4)
{
    return (uint16_t)((3584 * red4 - 3255 * green4 - 329 * blue4 + (512 << 21) + (1 << 20)) >> 21);
}

void view_planes10(uint32_t width, uint32_t height, const uint16_t *pixels, uint16_t *planes)
{
    const uint32_t coded_width = (width + 7) / 8 * 8, coded_height = (height + 1) / 2 * 2;
    uint16_t *blues = planes + (size_t)coded_width * coded_height;
    uint16_t *reds = blues + (size_t)coded_width * coded_height / 4;
    for (uint32_t y = 0; y < coded_height; y += 2) {
        for (uint32_t x = 0; x < coded_width; x += 2) {
            int sums[3] = {0, 0, 0};
            for (uint32_t k = 0; k < 4; k++) {
                const uint32_t column = x + (k & 1), row = y + (k >> 1);
                const uint16_t *pixel =
                    pixels + 4 * ((size_t)(row < height ? row : height - 1) * width +
                                  (column < width ? column : width - 1));
                planes[(size_t)row * coded_width + column] =
                    view_luma10(pixel[0], pixel[1], pixel[2]);
                for (uint32_t channel = 0; channel < 3; channel++) {
                    sums[channel] += pixel[channel];
                }
            }
            const size_t at = (size_t)(y / 2) * (coded_width / 2) + x / 2;
            blues[at] = view_blue10(sums[0], sums[1], sums[2]);
            reds[at] = view_red10(sums[0], sums[1], sums[2]);
        }
    }
}
