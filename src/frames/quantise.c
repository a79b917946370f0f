/* SPDX-License-Identifier: MIT */
#include "frames/quantise.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BINS_PER_AXIS = 64,
    BINS = BINS_PER_AXIS * BINS_PER_AXIS * BINS_PER_AXIS,
    ROUNDS = 4, /* of k-means refinement */
};

struct bin {
    uint64_t count;
    uint64_t sum[3]; /* of the bytes of its colours */
};

struct vks_colour_counts {
    struct bin bins[BINS];
};

/* A bin that is not empty. */
struct item {
    float look[3];
    float weight;
    float rgb[3];
};

/* --- perceived colour ------------------------------------------------------------------------ */

static float linear(uint8_t byte)
{
    const double value = byte / 255.0;
    return (float)(value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4));
}

/* OKLab (B. Ottosson, 2020): lightness and two opponent axes, in which distances match perceived
 * differences. */
static void look_of(const uint8_t rgb[3], float look[3])
{
    const float r = linear(rgb[0]), g = linear(rgb[1]), b = linear(rgb[2]);
    const float l = cbrtf(0.4122214708f * r + 0.5363325363f * g + 0.0514459929f * b);
    const float m = cbrtf(0.2119034982f * r + 0.6806995451f * g + 0.1073969566f * b);
    const float s = cbrtf(0.0883024619f * r + 0.2817188376f * g + 0.6299787005f * b);
    look[0] = 0.2104542553f * l + 0.7936177850f * m - 0.0040720468f * s;
    look[1] = 1.9779984951f * l - 2.4285922050f * m + 0.4505937099f * s;
    look[2] = 0.0259040371f * l + 0.7827717662f * m - 0.8086757660f * s;
}

static float distance(const float a[3], const float b[3])
{
    const float x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

/* --- counting -------------------------------------------------------------------------------- */

struct vks_colour_counts *vks_colour_counts_create(void)
{
    return calloc(1, sizeof(struct vks_colour_counts));
}

void vks_colour_counts_destroy(struct vks_colour_counts *counts)
{
    free(counts);
}

void vks_colour_count(struct vks_colour_counts *counts, const uint8_t rgb[3], uint64_t times)
{
    const size_t at =
        (size_t)(rgb[0] >> 2) << 12 | (size_t)(rgb[1] >> 2) << 6 | (size_t)(rgb[2] >> 2);
    struct bin *bin = &counts->bins[at];
    bin->count += times;
    for (size_t c = 0; c < 3; c++) {
        bin->sum[c] += times * rgb[c];
    }
}

static uint8_t to_byte(float value)
{
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value + 0.5f);
}

static size_t collect(const struct vks_colour_counts *counts, struct item *items)
{
    size_t count = 0;
    for (size_t i = 0; i < BINS; i++) {
        const struct bin *bin = &counts->bins[i];
        if (bin->count == 0) {
            continue;
        }
        struct item *item = &items[count++];
        uint8_t mean[3];
        for (size_t c = 0; c < 3; c++) {
            item->rgb[c] = (float)((double)bin->sum[c] / (double)bin->count);
            mean[c] = to_byte(item->rgb[c]);
        }
        look_of(mean, item->look);
        /* The square root keeps a large dark background from crowding out a few bright threads. */
        item->weight = (float)sqrt((double)bin->count);
    }
    return count;
}

/* --- the palette ----------------------------------------------------------------------------- */

struct box {
    size_t first, count; /* items */
    int axis;            /* of the largest spread */
    double spread;       /* weighted sum of squared distances from its mean, along that axis */
};

static void measure(struct box *box, const struct item *items)
{
    box->spread = -1;
    for (int axis = 0; axis < 3; axis++) {
        double weight = 0, sum = 0, squares = 0;
        for (size_t i = box->first; i < box->first + box->count; i++) {
            const double value = items[i].look[axis];
            weight += items[i].weight;
            sum += items[i].weight * value;
            squares += items[i].weight * value * value;
        }
        const double spread = squares - sum * sum / weight;
        if (spread > box->spread) {
            box->spread = spread;
            box->axis = axis;
        }
    }
    if (box->count < 2) {
        box->spread = 0;
    }
}

#define COMPARE(axis)                                         \
    static int compare_##axis(const void *a, const void *b)   \
    {                                                         \
        const float x = ((const struct item *)a)->look[axis]; \
        const float y = ((const struct item *)b)->look[axis]; \
        return (x > y) - (x < y);                             \
    }
COMPARE(0)
COMPARE(1)
COMPARE(2)

/* Cuts a box where the variance within the two parts is smallest. Returns the upper part. */
static struct box cut(struct box *box, struct item *items)
{
    int (*const compare[3])(const void *, const void *) = {compare_0, compare_1, compare_2};
    struct item *own = items + box->first;
    qsort(own, box->count, sizeof(*own), compare[box->axis]);
    double weight = 0, sum = 0, below_weight = 0, below_sum = 0, best = -1;
    for (size_t i = 0; i < box->count; i++) {
        weight += own[i].weight;
        sum += own[i].weight * (double)own[i].look[box->axis];
    }
    size_t at = 1;
    for (size_t i = 1; i < box->count; i++) {
        below_weight += own[i - 1].weight;
        below_sum += own[i - 1].weight * (double)own[i - 1].look[box->axis];
        const double above_weight = weight - below_weight, above_sum = sum - below_sum;
        const double gain =
            below_sum * below_sum / below_weight + above_sum * above_sum / above_weight;
        if (i == 1 || gain > best) {
            best = gain;
            at = i;
        }
    }
    const struct box upper = {.first = box->first + at, .count = box->count - at};
    box->count = at;
    return upper;
}

static size_t nearest(const float looks[][3], size_t count, const float look[3])
{
    size_t best = 0;
    float min = FLT_MAX;
    for (size_t i = 0; i < count; i++) {
        const float found = distance(looks[i], look);
        if (found < min) {
            min = found;
            best = i;
        }
    }
    return best;
}

/* The weighted mean of items, as bytes and in OKLab. */
static void set_mean(const double sum[4], uint8_t rgb[3], float look[3])
{
    for (size_t c = 0; c < 3; c++) {
        rgb[c] = to_byte((float)(sum[c] / sum[3]));
    }
    look_of(rgb, look);
}

static void add_item(double sum[4], const struct item *item)
{
    for (size_t c = 0; c < 3; c++) {
        sum[c] += (double)item->weight * item->rgb[c];
    }
    sum[3] += item->weight;
}

/* One k-means iteration: moves each colour to the mean of the items nearest to it. */
static void refine(const struct item *items, size_t item_count, uint8_t palette[256][3],
                   float looks[256][3], size_t count)
{
    double sums[256][4] = {{0}};
    for (size_t i = 0; i < item_count; i++) {
        add_item(sums[nearest((const float(*)[3])looks, count, items[i].look)], &items[i]);
    }
    for (size_t i = 0; i < count; i++) {
        if (sums[i][3] > 0) {
            set_mean(sums[i], palette[i], looks[i]);
        }
    }
}

size_t vks_palette_make(const struct vks_colour_counts *counts, size_t max, uint8_t palette[256][3])
{
    struct item *items = malloc(BINS * sizeof(*items));
    struct box boxes[256];
    float looks[256][3];
    size_t count = 1;
    if (!items) {
        return 0;
    }
    const size_t item_count = collect(counts, items);
    boxes[0] = (struct box){.count = item_count};
    measure(&boxes[0], items);
    while (count < max) {
        size_t widest = 0;
        for (size_t i = 1; i < count; i++) {
            widest = boxes[i].spread > boxes[widest].spread ? i : widest;
        }
        if (boxes[widest].spread <= 0) {
            break; /* one colour per item */
        }
        boxes[count] = cut(&boxes[widest], items);
        measure(&boxes[widest], items);
        measure(&boxes[count], items);
        count++;
    }
    for (size_t i = 0; i < count; i++) {
        double sum[4] = {0};
        for (size_t j = boxes[i].first; j < boxes[i].first + boxes[i].count; j++) {
            add_item(sum, &items[j]);
        }
        set_mean(sum, palette[i], looks[i]);
    }
    for (int round = 0; round < ROUNDS; round++) {
        refine(items, item_count, palette, looks, count);
    }
    free(items);
    return count;
}

/* --- mixtures -------------------------------------------------------------------------------- */

void vks_mixer_prepare(struct vks_mixer *mixer)
{
    for (size_t i = 0; i < mixer->count; i++) {
        look_of(mixer->palette[i], mixer->looks[i]);
    }
}

struct vks_mixture vks_mixer_find(const struct vks_mixer *mixer, const uint8_t rgb[3])
{
    /* Weight of the visible grain of a mixture against its smaller mean error. */
    const float grain = 0.15f;
    float look[3];
    look_of(rgb, look);
    const size_t first = nearest(mixer->looks, mixer->count, look);
    const float *from = mixer->looks[first];
    struct vks_mixture best = {(uint8_t)first, (uint8_t)first, 0};
    float min = distance(from, look);
    for (size_t i = 0; i < mixer->count; i++) {
        const float *to = mixer->looks[i];
        const float length = distance(from, to);
        if (i == first || length <= 0) {
            continue;
        }
        const float along = (look[0] - from[0]) * (to[0] - from[0]) +
                            (look[1] - from[1]) * (to[1] - from[1]) +
                            (look[2] - from[2]) * (to[2] - from[2]);
        const float share = fminf(along / length, 0.5f);
        if (share * 64 < 0.5f) {
            continue;
        }
        float mixed[3];
        for (size_t c = 0; c < 3; c++) {
            mixed[c] = from[c] + share * (to[c] - from[c]);
        }
        const float off = distance(mixed, look) + grain * share * (1 - share) * length;
        if (off < min) {
            min = off;
            best.second = (uint8_t)i;
            best.share = (uint8_t)(share * 64 + 0.5f);
        }
    }
    return best;
}

bool vks_mixer_alike(const struct vks_mixer *mixer, size_t one, size_t other)
{
    /* Well below 0.02, the just noticeable difference side by side, because changes add up to
     * visible grain. */
    return distance(mixer->looks[one], mixer->looks[other]) < 0.012f * 0.012f;
}

/* The 8 x 8 Bayer matrix: the bits of x ^ y and y interleaved, lowest first. */
static uint32_t threshold(uint32_t x, uint32_t y)
{
    const uint32_t d = x ^ y;
    return (d & 1) << 5 | (y & 1) << 4 | (d & 2) << 2 | (y & 2) << 1 | (d & 4) >> 1 | (y & 4) >> 2;
}

uint8_t vks_mixture_at(const struct vks_mixture *mixture, uint32_t x, uint32_t y)
{
    return threshold(x, y) < mixture->share ? mixture->second : mixture->first;
}
