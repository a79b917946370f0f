/* SPDX-License-Identifier: MIT */
/* Colour maps in files: tables and strips, from any bytes. */
#include "fuzz.h"

#include "io/image.h"
#include "view/colormap.h"

enum { MAX_PIXELS = 1000000 };

unsigned long fuzz_taken;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct vks_colormap map;
    uint32_t width = 0, height = 0;
    const char *path = fuzz_write_input(data, size);
    if (vks_image_size(path, &width, &height) == VKS_OK && (uint64_t)width * height > MAX_PIXELS) {
        return 0; /* slow, not wrong */
    }
    memset(&map, 0, sizeof(map));
    enum vks_result result = vks_colormap_load(path, &map);
    fuzz_require(result == VKS_OK || result == VKS_ERROR_FILE, "only files fail");
    fuzz_require(result == VKS_OK || strlen(vks_error_text()) > 10, "a failure has a sentence");
    for (int i = 0; i < 256; i++) {
        fuzz_require(map.entries[i] >> 24 == (result == VKS_OK ? 255 : 0),
                     "256 opaque entries, or none");
    }
    fuzz_taken += result == VKS_OK;
    return 0;
}
