/* SPDX-License-Identifier: MIT */
/* A plain fuzzer, for every compiler: driver ITERATIONS SEED...
 * Gives the seeds to the harness as they are, which must take them, then ITERATIONS inputs that are
 * made from them by some random changes each; equal arguments give equal inputs. */
#include <errno.h>
#include <stdbool.h>

#include "../numbers.h"
#include "fuzz.h"

enum { MAX_SIZE = 1 << 16, MAX_CHANGES = 6 };

struct input {
    uint8_t *bytes; /* room for MAX_SIZE */
    size_t size;
};

static size_t below(uint64_t *state, size_t limit)
{
    return limit ? (size_t)(next_word(state) % limit) : 0;
}

static void insert(struct input *input, size_t at, const uint8_t *bytes, size_t size)
{
    if (size > MAX_SIZE - input->size) {
        size = MAX_SIZE - input->size;
    }
    memmove(input->bytes + at + size, input->bytes + at, input->size - at);
    memcpy(input->bytes + at, bytes, size);
    input->size += size;
}

/* A number of 1, 2, 4 or 8 bytes near a limit, in either byte order. */
static void put_number(struct input *input, uint64_t *state)
{
    static const uint64_t numbers[] = {
        0,      1,       2,       0x7f,       0x80,       0xff,       0x7fff,          0x8000,
        0xffff, 0x10000, 1 << 24, 0x7fffffff, 0x80000000, 0xffffffff, UINT64_MAX >> 1, UINT64_MAX};
    uint64_t number = numbers[below(state, sizeof(numbers) / sizeof(numbers[0]))];
    size_t size = (size_t)1 << below(state, 4);
    bool big_endian = below(state, 2) != 0;
    if (size > input->size) {
        return;
    }
    size_t at = below(state, input->size - size + 1);
    for (size_t i = 0; i < size; i++) {
        input->bytes[at + (big_endian ? size - 1 - i : i)] = (uint8_t)(number >> (8 * i));
    }
}

static void change(struct input *input, const struct input *other, uint64_t *state)
{
    uint8_t part[64];
    size_t at = below(state, input->size);
    size_t left = input->size - at;
    size_t size = 1 + below(state, sizeof(part));
    if (size > left) {
        size = left;
    }
    switch (below(state, 8)) {
    case 0: /* a bit */
        if (left > 0) {
            input->bytes[at] ^= (uint8_t)(1u << below(state, 8));
        }
        break;
    case 1: /* a byte */
        if (left > 0) {
            input->bytes[at] = (uint8_t)next_word(state);
        }
        break;
    case 2:
        put_number(input, state);
        break;
    case 3: /* something goes */
        memmove(input->bytes + at, input->bytes + at + size, left - size);
        input->size -= size;
        break;
    case 4: /* something is there twice */
        memcpy(part, input->bytes + at, size);
        insert(input, below(state, input->size + 1), part, size);
        break;
    case 5: /* something comes from another seed */
        at = below(state, other->size);
        size = 1 + below(state, sizeof(part));
        if (size <= other->size - at) {
            insert(input, below(state, input->size + 1), other->bytes + at, size);
        }
        break;
    case 6: /* a character of the texts inside */
        if (left > 0) {
            input->bytes[at] = (uint8_t) " '\"(){}[],:0123456789<>|=-\\\n"[below(state, 28)];
        }
        break;
    default: /* the end goes, seldom */
        if (below(state, 8) == 0) {
            input->size = at;
        }
        break;
    }
}

static bool read_seed(const char *path, struct input *seed)
{
    FILE *file = fopen(path, "rb");
    seed->bytes = malloc(MAX_SIZE);
    bool read = false;
    if (file && seed->bytes) {
        seed->size = fread(seed->bytes, 1, MAX_SIZE, file);
        read = !ferror(file) && seed->size > 0;
    }
    if (!read) {
        fprintf(stderr, "cannot read '%s': %s\n", path, strerror(errno));
    }
    if (file) {
        fclose(file);
    }
    return read;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: %s ITERATIONS SEED...\n", argv[0]);
        return 2;
    }
    unsigned long iterations = strtoul(argv[1], NULL, 10);
    size_t count = (size_t)argc - 2;
    struct input *seeds = calloc(count, sizeof(*seeds));
    struct input input = {.bytes = malloc(MAX_SIZE)};
    int status = seeds && input.bytes ? 0 : 2;
    for (size_t i = 0; i < count && status == 0; i++) {
        unsigned long before = fuzz_taken;
        if (!read_seed(argv[i + 2], &seeds[i])) {
            status = 2;
            break;
        }
        LLVMFuzzerTestOneInput(seeds[i].bytes, seeds[i].size);
        if (fuzz_taken == before) {
            fprintf(stderr, "the seed '%s' is not taken as valid\n", argv[i + 2]);
            status = 1;
        }
    }
    uint64_t state = 1;
    for (unsigned long i = 0; i < iterations && status == 0; i++) {
        const struct input *seed = &seeds[below(&state, count)];
        const struct input *other = &seeds[below(&state, count)];
        memcpy(input.bytes, seed->bytes, seed->size);
        input.size = seed->size;
        for (size_t changes = 1 + below(&state, MAX_CHANGES); changes > 0; changes--) {
            change(&input, other, &state);
        }
        LLVMFuzzerTestOneInput(input.bytes, input.size);
    }
    if (status == 0) {
        printf("%zu seeds and %lu inputs made of them; %lu were taken as valid\n", count,
               iterations, fuzz_taken);
    }
    for (size_t i = 0; seeds && i < count; i++) {
        free(seeds[i].bytes);
    }
    free(input.bytes);
    free(seeds);
    return status;
}
