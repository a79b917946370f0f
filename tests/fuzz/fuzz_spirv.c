/* SPDX-License-Identifier: MIT */
/* SPIR-V, as a cache or a folder of shaders may have it: checks any words for exactness and
 * reflects them. */
#include "fuzz.h"

#include "spirv/exact.h"
#include "spirv/reflect.h"

unsigned long fuzz_taken;

static int is_exact(const uint32_t *words, size_t count)
{
    char *said = NULL;
    size_t size = 0;
    struct vks_spv_counts counts;
    FILE *out = open_memstream(&said, &size);
    fuzz_require(out != NULL, "there is memory");
    const enum vks_spv_verdict verdict = vks_spv_exact("fuzz", words, count, out, &counts);
    fuzz_require(fclose(out) == 0, "there is memory");
    fuzz_require((verdict == VKS_SPV_EXACT) == (size == 0), "what is wrong is said");
    fuzz_require(verdict != VKS_SPV_INEXACT || counts.offences > 0, "and counted");
    free(said);
    return verdict == VKS_SPV_EXACT;
}

static int is_reflected(const uint32_t *words, size_t count)
{
    char fault[VKS_SPV_FAULT_SIZE] = "";
    struct vks_spv_facts facts;
    const int good = vks_spv_reflect(words, count, &facts, fault);
    fuzz_require(good || strncmp(fault, "it", 2) == 0, "a fault has words");
    for (size_t i = 0; good && i < facts.reflection.buffer_count; i++) {
        fuzz_require(strlen(facts.reflection.buffers[i].name) > 0, "buffers have names");
    }
    vks_spv_facts_free(&facts);
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* No room to spare, so that a read past the end is seen. */
    uint32_t *words = malloc(size / 4 ? size / 4 * 4 : 1);
    fuzz_require(words != NULL, "there is memory");
    memcpy(words, data, size / 4 * 4);
    const int exact = is_exact(words, size / 4), reflected = is_reflected(words, size / 4);
    fuzz_taken += (unsigned long)(exact && reflected);
    free(words);
    return 0;
}
