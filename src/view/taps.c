/* SPDX-License-Identifier: MIT */
#include "view/taps.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/exact.h"
#include "io/resize.h"

uint32_t vks_most_taps(const struct vks_resized_axis *axis)
{
    if (axis->size == axis->length) {
        return 1;
    }
    return axis->size < axis->length ? axis->length / axis->size + 2 : 2 * VKS_LANCZOS_RADIUS + 1;
}

/* The middle of resized line i among the field's lines, line j being [j, j + 1). */
static double middle_of(const struct vks_resized_axis *axis, uint32_t i)
{
    return (double)axis->from + ((double)i + 0.5) * (double)axis->length / (double)axis->size;
}

void vks_taps_of(const struct vks_resized_axis *axis, uint32_t i, uint32_t *first, uint32_t *count)
{
    if (axis->size == axis->length) {
        *first = axis->from + i;
        *count = 1;
    } else if (axis->size < axis->length) {
        const uint64_t begin = (uint64_t)i * axis->length;
        const uint64_t end = begin + axis->length;
        *first = axis->from + (uint32_t)(begin / axis->size);
        *count = axis->from + (uint32_t)((end + axis->size - 1) / axis->size) - *first;
    } else {
        const double middle = middle_of(axis, i);
        const double radius = (double)VKS_LANCZOS_RADIUS;
        const double low = floor(middle - radius + 0.5), high = floor(middle + radius + 0.5);
        *first = low > 0 ? (uint32_t)low : 0;
        *count = (high < axis->side ? (uint32_t)high : axis->side) - *first;
    }
}

/* Not yet divided by the sum over the line's taps. */
static double weight_of(const struct vks_resized_axis *axis, uint32_t i, uint32_t line)
{
    if (axis->size == axis->length) {
        return 1;
    }
    if (axis->size > axis->length) {
        return vks_lanczos((double)line + 0.5 - middle_of(axis, i));
    }
    /* In parts of a line: a line has `size` of them, a resized line `length`. */
    const uint64_t begin = (uint64_t)i * axis->length, end = begin + axis->length;
    const uint64_t low = (uint64_t)(line - axis->from) * axis->size, high = low + axis->size;
    return (double)((high < end ? high : end) - (low > begin ? low : begin));
}

uint64_t vks_taps_words(const struct vks_resized_axis *axis)
{
    return (uint64_t)axis->size * (2 + vks_most_taps(axis));
}

void vks_fill_taps(const struct vks_resized_axis *axis, uint32_t *words)
{
    const size_t size = axis->size;
    for (uint32_t i = 0; i < axis->size; i++) {
        uint32_t first, count;
        double sum = 0;
        vks_taps_of(axis, i, &first, &count);
        words[i] = first;
        words[size + i] = count;
        for (uint32_t k = 0; k < count; k++) {
            sum += weight_of(axis, i, first + k);
        }
        for (uint32_t k = 0; k < count; k++) {
            const float weight = vks_flush((float)(weight_of(axis, i, first + k) / sum));
            memcpy(&words[(2 + k) * size + i], &weight, sizeof(weight));
        }
    }
}
