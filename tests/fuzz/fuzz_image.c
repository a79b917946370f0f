/* SPDX-License-Identifier: MIT */
/* Pictures: decodes any bytes. As PNG checksums would stop nearly every change at the door, each
 * input is also tried with its checksums put right. */
#include "fuzz.h"

#include <zlib.h>

#include "io/image.h"
#include <vksim/result.h>

unsigned long fuzz_taken;

enum {
    WIDTH = 5,
    HEIGHT = 7,
    /* Decoding many pixels is slow, not wrong: sides above this are cut, in the repaired copy, and
     * larger images are not decoded. */
    MAX_SIDE = 1000,
};

static uint32_t big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Puts the checksums of all whole chunks right; false if the bytes are no PNG. */
static int repair(uint8_t *bytes, size_t size)
{
    if (size < 33 || memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) != 0) {
        return 0;
    }
    for (size_t i = 16; i < 24; i += 4) {
        uint32_t side = big_endian(bytes + i);
        if (side > MAX_SIDE && side < 1u << 31) {
            memset(bytes + i, 0, 2);
            bytes[i + 2] &= 3;
        }
    }
    size_t at = 8;
    while (size - at >= 12 && big_endian(bytes + at) <= size - at - 12) {
        size_t length = big_endian(bytes + at);
        uLong crc = crc32_z(0, bytes + at + 4, length + 4);
        for (size_t i = 0; i < 4; i++) {
            bytes[at + 8 + length + i] = (uint8_t)(crc >> (24 - 8 * i));
        }
        at += 12 + length;
    }
    return 1;
}

static void decode(const uint8_t *data, size_t size)
{
    float *brightness = NULL;
    const enum vks_image_fit fit = (enum vks_image_fit)(size % 3);
    const char *path = fuzz_write_input(data, size);
    uint32_t width, height;
    const enum vks_result header = vks_image_size(path, &width, &height);
    if (header == VKS_OK && (uint64_t)width * height > MAX_SIDE * MAX_SIDE) {
        return;
    }
    enum vks_result result = vks_image_brightness(path, WIDTH, HEIGHT, fit, &brightness);
    fuzz_require(header == VKS_OK || result == header, "the size is a part of the image");
    fuzz_require(result == VKS_OK || result == VKS_ERROR_FILE, "only files fail");
    fuzz_require(result == VKS_OK || strlen(vks_error_text()) > 10, "a failure has a sentence");
    fuzz_require((result == VKS_OK) == (brightness != NULL), "a picture or a failure");
    for (int i = 0; brightness && i < WIDTH * HEIGHT; i++) {
        fuzz_require(brightness[i] >= 0.0f && brightness[i] <= 1.0f, "brightness is in [0, 1]");
    }
    free(brightness);
    fuzz_taken += result == VKS_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    decode(data, size);
    uint8_t *copy = malloc(size ? size : 1);
    fuzz_require(copy != NULL, "there is memory");
    memcpy(copy, data, size);
    if (repair(copy, size) && memcmp(copy, data, size) != 0) {
        decode(copy, size);
    }
    free(copy);
    return 0;
}
