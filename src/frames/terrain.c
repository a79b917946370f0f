/* SPDX-License-Identifier: MIT */
#include "frames/terrain.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* --- thermal erosion ------------------------------------------------------------------------- */

/* Heights are eroded in 1/256 units. */
enum { UNIT_BITS = 8, FLOW_BITS = 3 };

/* What flows to `here` from a neighbour: an eighth of what exceeds the talus. */
static inline int32_t flow(int32_t neighbour, int32_t here, int32_t talus)
{
    const int32_t in = neighbour - here - talus, out = here - neighbour - talus;
    return (in > 0 ? in >> FLOW_BITS : 0) - (out > 0 ? out >> FLOW_BITS : 0);
}

static inline int32_t eroded(const int32_t *above, const int32_t *here, const int32_t *below,
                             int32_t left, int32_t right, int32_t talus)
{
    return *here + flow(*above, *here, talus) + flow(*below, *here, talus) +
           flow(left, *here, talus) + flow(right, *here, talus);
}

/* The edges are apart so that compilers vectorise the loop. */
static void erode_row(const int32_t *above, const int32_t *here, const int32_t *below,
                      uint32_t width, int32_t talus, int32_t *restrict next)
{
    const uint32_t last = width - 1;
    next[0] = eroded(above, here, below, here[0], here[last > 0], talus);
    for (uint32_t x = 1; x < last; x++) {
        next[x] = eroded(above + x, here + x, below + x, here[x - 1], here[x + 1], talus);
    }
    if (last > 0) {
        next[last] =
            eroded(above + last, here + last, below + last, here[last - 1], here[last], talus);
    }
}

static enum vks_result erode(const struct vks_terrain *terrain, uint32_t *heights, uint32_t width,
                             uint32_t height)
{
    const size_t count = (size_t)width * height;
    const int32_t talus = (int32_t)(terrain->talus << UNIT_BITS);
    int32_t *buffers = malloc(2 * count * sizeof(*buffers));
    if (!buffers) {
        return vks_fail_memory();
    }
    int32_t *now = buffers, *next = buffers + count;
    for (size_t i = 0; i < count; i++) {
        now[i] = (int32_t)(heights[i] << UNIT_BITS);
    }
    for (uint32_t pass = 0; pass < terrain->erode; pass++) {
        for (uint32_t y = 0; y < height; y++) {
            const int32_t *row = now + (size_t)y * width;
            erode_row(y > 0 ? row - width : row, row, y + 1 < height ? row + width : row, width,
                      talus, next + (size_t)y * width);
        }
        int32_t *const other = now;
        now = next;
        next = other;
    }
    for (size_t i = 0; i < count; i++) {
        const int32_t rounded = (now[i] + (1 << (UNIT_BITS - 1))) >> UNIT_BITS;
        heights[i] = rounded < VKS_MAX_HEIGHT ? (uint32_t)rounded : VKS_MAX_HEIGHT;
    }
    free(buffers);
    return VKS_OK;
}

/* --- levels ---------------------------------------------------------------------------------- */

/* The most frequent of nine levels, the lowest of equals; the fifth unless another is more
 * frequent. */
static uint8_t majority(const uint8_t nine[9])
{
    uint8_t best = nine[4];
    unsigned most = 0, own = 0;
    for (size_t i = 0; i < 9; i++) {
        unsigned count = 0;
        for (size_t j = 0; j < 9; j++) {
            count += nine[j] == nine[i];
        }
        own = i == 4 ? count : own;
        if (count > most || (count == most && nine[i] < best)) {
            most = count;
            best = nine[i];
        }
    }
    return most > own ? best : nine[4];
}

static void smooth(const uint8_t *levels, uint32_t width, uint32_t height, uint8_t *next)
{
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *rows[] = {levels + (size_t)(y > 0 ? y - 1 : y) * width,
                                 levels + (size_t)y * width,
                                 levels + (size_t)(y + 1 < height ? y + 1 : y) * width};
        for (uint32_t x = 0; x < width; x++) {
            const uint32_t columns[] = {x > 0 ? x - 1 : x, x, x + 1 < width ? x + 1 : x};
            uint8_t nine[9];
            for (size_t i = 0; i < 9; i++) {
                nine[i] = rows[i / 3][columns[i % 3]];
            }
            next[(size_t)y * width + x] = majority(nine);
        }
    }
}

static enum vks_result divide(const struct vks_terrain *terrain, uint32_t *heights, uint32_t width,
                              uint32_t height, uint8_t **levels)
{
    const size_t count = (size_t)width * height;
    uint8_t *now = malloc(count), *next = malloc(count);
    if (!now || !next) {
        free(now);
        free(next);
        return vks_fail_memory();
    }
    for (size_t i = 0; i < count; i++) {
        now[i] = (uint8_t)(heights[i] * terrain->levels >> 16);
    }
    for (uint32_t pass = 0; pass < terrain->level_smooth; pass++) {
        smooth(now, width, height, next);
        uint8_t *const other = now;
        now = next;
        next = other;
    }
    for (size_t i = 0; i < count; i++) {
        heights[i] = now[i] * (uint32_t)VKS_MAX_HEIGHT / (terrain->levels - 1);
    }
    free(next);
    *levels = now;
    return VKS_OK;
}

enum vks_result vks_terrain_shape(const struct vks_terrain *terrain, uint32_t *heights,
                                  uint32_t width, uint32_t height, uint8_t **levels)
{
    uint8_t *own = NULL;
    enum vks_result result = terrain->erode > 0 ? erode(terrain, heights, width, height) : VKS_OK;
    if (result == VKS_OK && terrain->levels > 0) {
        result = divide(terrain, heights, width, height, &own);
    }
    if (levels) {
        *levels = own;
    } else {
        free(own);
    }
    return result;
}

/* --- caves ----------------------------------------------------------------------------------- */

/* The label of the region that a label was joined to: the smallest. */
static uint32_t root_of(uint32_t *labels, uint32_t label)
{
    while (labels[label - 1] != label) {
        labels[label - 1] = labels[labels[label - 1] - 1]; /* shortens the way */
        label = labels[label - 1];
    }
    return label;
}

static void join(uint32_t *labels, size_t a, size_t b)
{
    const uint32_t one = root_of(labels, (uint32_t)a + 1), two = root_of(labels, (uint32_t)b + 1);
    labels[(one > two ? one : two) - 1] = one > two ? two : one;
}

enum vks_result vks_terrain_caves(const struct vks_terrain *terrain, const uint8_t *levels,
                                  uint32_t width, uint32_t height, uint32_t **labels)
{
    const size_t count = (size_t)width * height;
    uint32_t *own = malloc(count * sizeof(*own)), *cells = calloc(count, sizeof(*cells));
    if (!own || !cells) {
        free(own);
        free(cells);
        return vks_fail_memory();
    }
    for (size_t i = 0; i < count; i++) {
        const bool open = levels[i] >= terrain->first_open && levels[i] <= terrain->last_open;
        own[i] = open ? (uint32_t)i + 1 : 0;
        if (open && i % width > 0 && own[i - 1]) {
            join(own, i, i - 1);
        }
        if (open && i >= width && own[i - width]) {
            join(own, i, i - width);
        }
    }
    for (size_t i = 0; i < count; i++) { /* roots come first */
        own[i] = own[i] ? own[own[i] - 1] : 0;
        if (own[i]) {
            cells[own[i] - 1]++;
        }
    }
    for (size_t i = 0; i < count; i++) {
        own[i] = own[i] && cells[own[i] - 1] >= terrain->cave_min ? own[i] : 0;
    }
    free(cells);
    *labels = own;
    return VKS_OK;
}
