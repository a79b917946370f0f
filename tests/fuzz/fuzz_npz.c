/* SPDX-License-Identifier: MIT */
/* NumPy archives: opens any bytes and reads all that is in them. */
#include "fuzz.h"

#include "io/npz.h"
#include <vksim/result.h>

unsigned long fuzz_taken;

/* Failures have a kind and a sentence. */
static void check(enum vks_result result)
{
    fuzz_require(result == VKS_OK || result == VKS_ERROR_FILE, "only files fail");
    fuzz_require(result == VKS_OK || strlen(vks_error_text()) > 10, "a failure has a sentence");
}

static enum vks_result read_array(struct vks_npz *npz, const struct vks_npy *array, size_t file)
{
    uint64_t product = array->item_bytes;
    fuzz_require(array->rank <= 4, "the rank is 4 or less");
    for (uint32_t i = 0; i < array->rank; i++) {
        product *= array->shape[i];
    }
    fuzz_require(product == array->bytes, "the size is that of the shape");
    fuzz_require(array->bytes <= (uint64_t)file * 1100, "the size is one that the file can hold");
    fuzz_require(strlen(array->name) < sizeof(array->name), "the name ends");
    fuzz_require(vks_npz_find(npz, array->name) == array, "the name is there once");
    /* No room to spare, so that a write past the end is seen. */
    void *data = malloc(array->bytes ? array->bytes : 1);
    fuzz_require(data != NULL, "there is memory");
    enum vks_result result = vks_npz_read(npz, array, data, array->bytes);
    check(result);
    free(data);
    return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct vks_npz *npz;
    enum vks_result result = vks_npz_open(fuzz_write_input(data, size), &npz);
    check(result);
    fuzz_require((result == VKS_OK) == (npz != NULL), "an archive or a failure");
    if (!npz) {
        return 0;
    }
    int whole = 1;
    for (size_t i = 0; i < vks_npz_count(npz); i++) {
        whole &= read_array(npz, vks_npz_at(npz, i), size) == VKS_OK;
    }
    char *text;
    result = vks_npz_text(npz, "vksim.json", &text);
    check(result);
    fuzz_require(result == VKS_OK || !text, "a text or a failure");
    whole &= result == VKS_OK;
    free(text);
    vks_npz_close(npz);
    fuzz_taken += (unsigned long)whole;
    return 0;
}
