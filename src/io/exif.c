/* SPDX-License-Identifier: MIT */
#include "io/exif.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum {
    HEADER = 8, /* bytes: the byte order and the place of the first directory */
    ENTRY = 12,
    TAG_ORIENTATION = 0x112,
    TYPE_SHORT = 3,
    UPRIGHT = 1,
    LAST = 8,
};

static uint32_t number(const uint8_t *bytes, size_t count, bool little)
{
    uint32_t value = 0;
    for (size_t i = 0; i < count; i++) {
        value = value << 8 | bytes[little ? count - 1 - i : i];
    }
    return value;
}

unsigned vks_exif_orientation(const uint8_t *tiff, size_t size)
{
    if (size < HEADER || (memcmp(tiff, "II*", 4) != 0 && memcmp(tiff, "MM\0*", 4) != 0)) {
        return UPRIGHT;
    }
    const bool little = tiff[0] == 'I';
    const size_t at = number(tiff + 4, 4, little);
    if (at > size - 2) {
        return UPRIGHT;
    }
    const size_t fitting = (size - at - 2) / ENTRY, count = number(tiff + at, 2, little);
    for (size_t i = 0; i < count && i < fitting; i++) {
        const uint8_t *entry = tiff + at + 2 + i * ENTRY;
        if (number(entry, 2, little) == TAG_ORIENTATION) {
            const uint32_t value = number(entry + 8, 2, little);
            const bool good = number(entry + 2, 2, little) == TYPE_SHORT &&
                              number(entry + 4, 4, little) == 1 && value >= UPRIGHT &&
                              value <= LAST;
            return good ? value : UPRIGHT;
        }
    }
    return UPRIGHT;
}

bool vks_exif_is_turned(unsigned orientation)
{
    return orientation >= 5;
}

enum vks_result vks_exif_apply(unsigned orientation, uint32_t **pixels, uint32_t *width,
                               uint32_t *height)
{
    if (orientation == UPRIGHT) {
        return VKS_OK;
    }
    /* By orientation 1 to 8: whether the stored columns, and the stored rows, run backwards. */
    static const bool columns_back[LAST + 1] = {[2] = true, [3] = true, [7] = true, [8] = true};
    static const bool rows_back[LAST + 1] = {[3] = true, [4] = true, [6] = true, [7] = true};
    const bool turned = vks_exif_is_turned(orientation);
    const uint32_t stored_width = *width, stored_height = *height;
    const uint32_t new_width = turned ? stored_height : stored_width;
    const uint32_t new_height = turned ? stored_width : stored_height;
    uint32_t *upright = malloc((size_t)new_width * new_height * sizeof(*upright));
    if (!upright) {
        return vks_fail_memory();
    }
    for (uint32_t y = 0; y < new_height; y++) {
        for (uint32_t x = 0; x < new_width; x++) {
            const uint32_t column = turned ? y : x, row = turned ? x : y;
            const uint32_t from_column =
                columns_back[orientation] ? stored_width - 1 - column : column;
            const uint32_t from_row = rows_back[orientation] ? stored_height - 1 - row : row;
            upright[(size_t)y * new_width + x] =
                (*pixels)[(size_t)from_row * stored_width + from_column];
        }
    }
    free(*pixels);
    *pixels = upright;
    *width = new_width;
    *height = new_height;
    return VKS_OK;
}
