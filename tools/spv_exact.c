/* SPDX-License-Identifier: MIT */
/* spv_exact FILE.spv...: the build checks with it that shaders keep to exact arithmetic
 * (src/spirv/exact.h).
 *
 * Standard output gets one line per file; standard error one line per offence, which the build
 * shows last. Exit status: 0 all files exact, 1 an offence, 2 a file that cannot be read or is not
 * a SPIR-V module, or wrong usage. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "spirv/exact.h"

enum {
    HEADER_WORDS = 5,
    FILE_LIMIT = 64 * 1024 * 1024, /* bytes; a shader has some ten thousand */
    EXIT_OFFENCE = 1,
    EXIT_MALFORMED = 2,
};

/* All words of a file, to be freed; NULL after a message on stderr. */
static uint32_t *read_words(const char *path, size_t *count)
{
    uint32_t *words = NULL;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "%s: cannot be opened: %s\n", path, strerror(errno));
        return NULL;
    }
    size_t size = 0;
    size_t room = 65536;
    unsigned char *bytes = malloc(room);
    while (bytes != NULL && size < FILE_LIMIT) {
        errno = 0;
        const size_t got = fread(bytes + size, 1, room - size, file);
        if (got == 0) {
            break;
        }
        size += got;
        if (size == room) {
            unsigned char *more = realloc(bytes, room * 2);
            if (more == NULL) {
                free(bytes);
            }
            bytes = more;
            room *= 2;
        }
    }
    if (bytes == NULL) {
        fprintf(stderr, "%s: out of memory\n", path);
    } else if (ferror(file)) {
        fprintf(stderr, "%s: cannot be read: %s\n", path, strerror(errno));
    } else if (size >= FILE_LIMIT) {
        fprintf(stderr, "%s: larger than %d bytes: not a shader\n", path, FILE_LIMIT);
    } else if (size % 4 != 0 || size < HEADER_WORDS * 4) {
        fprintf(stderr, "%s: not a SPIR-V module: %zu bytes are no header and whole words\n", path,
                size);
    } else {
        *count = size / 4;
        words = (uint32_t *)(void *)bytes; /* malloc's memory is aligned for it */
        bytes = NULL;
    }
    free(bytes);
    fclose(file);
    return words;
}

static uint32_t swap_bytes(uint32_t w)
{
    return w >> 24 | (w >> 8 & 0xff00u) | (w << 8 & 0xff0000u) | w << 24;
}

static int check_file(const char *path)
{
    struct vks_spv_counts counts;
    size_t count;
    uint32_t *words = read_words(path, &count);
    if (!words) {
        return EXIT_MALFORMED;
    }
    const bool foreign = words[0] == swap_bytes(SpvMagicNumber); /* of a host of other byte order */
    for (size_t i = 0; foreign && i < count; i++) {
        words[i] = swap_bytes(words[i]);
    }
    const enum vks_spv_verdict verdict = vks_spv_exact(path, words, count, stderr, &counts);
    free(words);
    if (verdict == VKS_SPV_INEXACT) {
        printf("%s: not exact: %" PRIu64 " %s\n", path, counts.offences,
               counts.offences == 1 ? "offence" : "offences");
    } else if (verdict == VKS_SPV_EXACT) {
        printf("%s: exact: %" PRIu64 " float operations, all uncontracted\n", path,
               counts.arithmetic);
    }
    return verdict == VKS_SPV_EXACT     ? EXIT_SUCCESS
           : verdict == VKS_SPV_INEXACT ? EXIT_OFFENCE
                                        : EXIT_MALFORMED;
}

int main(int argc, char **argv)
{
    if (argc < 2 || argv[1][0] == '-') {
        fprintf(stderr, "usage: spv_exact FILE.spv...\n"
                        "Checks that shaders use only arithmetic that is exact on every device.\n");
        return EXIT_MALFORMED;
    }
    int status = EXIT_SUCCESS;
    for (int i = 1; i < argc; i++) {
        const int one = check_file(argv[i]);
        status = one > status ? one : status;
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "spv_exact: cannot write to standard output: %s\n", strerror(errno));
        status = EXIT_MALFORMED;
    }
    return status;
}
