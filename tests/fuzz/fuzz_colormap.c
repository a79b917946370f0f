/* SPDX-License-Identifier: MIT */
/* Colour maps in files: tables and strips, from any bytes. */
#include "fuzz.h"

#include "view/colormap.h"

unsigned long fuzz_taken;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct vks_colormap map;
    memset(&map, 0, sizeof(map));
    enum vks_result result = vks_colormap_load(fuzz_write_input(data, size), &map);
    fuzz_require(result == VKS_OK || result == VKS_ERROR_FILE, "only files fail");
    fuzz_require(result == VKS_OK || strlen(vks_error_text()) > 10, "a failure has a sentence");
    for (int i = 0; i < 256; i++) {
        fuzz_require(map.entries[i] >> 24 == (result == VKS_OK ? 255 : 0),
                     "256 opaque entries, or none");
    }
    fuzz_taken += result == VKS_OK;
    return 0;
}
