/* SPDX-License-Identifier: MIT */
#ifndef VKS_BASE_MEMORY_H
#define VKS_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* *product = a x b; false on overflow (then *product is unchanged). */
static inline bool vks_multiply(uint64_t a, uint64_t b, uint64_t *product)
{
    if (a != 0 && b > UINT64_MAX / a) {
        return false;
    }
    *product = a * b;
    return true;
}

/* The exponent of a power of two; of other numbers, that of the next smaller power. 0 for 0. */
static inline uint32_t vks_exponent(uint32_t power)
{
    uint32_t exponent = 0;
    while ((uint64_t)power >> (exponent + 1) > 0) {
        exponent++;
    }
    return exponent;
}

/* Grows a heap array to fit `count + 1` items by doubling its capacity. Returns the array, possibly
 * moved, or NULL if memory ran out (the old one stays valid). */
void *vks_grow(void *items, size_t item_size, size_t count, size_t *capacity);

/* A copy of a string, to be freed; NULL if memory ran out. */
char *vks_strdup(const char *text);

/* A printf-formatted string, to be freed; NULL if memory ran out. */
char *vks_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define VKS_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
