/* SPDX-License-Identifier: MIT */
/* A plain fuzzer, for every compiler: driver ITERATIONS SEED... [-- INPUT...]
 * Gives the seeds to the harness as they are, which must take them, then the further inputs, which
 * it may refuse, then ITERATIONS inputs that are made from the seeds by some random changes each;
 * equal arguments give equal inputs. An INPUT may be a corpus, which tools/fuzz --keep writes: a
 * mark, then inputs, each after its size of 32 bits in little-endian order. */
#include <errno.h>
#include <stdbool.h>

#include "../numbers.h"
#include "base/error.h"
#include "fuzz.h"

enum { MAX_SIZE = 1 << 16, MAX_FILE = 1 << 20, MAX_CHANGES = 6 };

/* Of a harness whose inputs have a form; weak: NULL without one. */
#pragma weak LLVMFuzzerCustomMutator

static const char corpus_mark[] = "vksim corpus\n";
static uint64_t state = 1; /* of all random choices */

struct input {
    uint8_t *bytes;
    size_t size;
};

static size_t below(size_t limit)
{
    return limit ? (size_t)(next_word(&state) % limit) : 0;
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
static void put_number(struct input *input)
{
    static const uint64_t numbers[] = {
        0,      1,       2,       0x7f,       0x80,       0xff,       0x7fff,          0x8000,
        0xffff, 0x10000, 1 << 24, 0x7fffffff, 0x80000000, 0xffffffff, UINT64_MAX >> 1, UINT64_MAX};
    uint64_t number = numbers[below(sizeof(numbers) / sizeof(numbers[0]))];
    size_t size = (size_t)1 << below(4);
    bool big_endian = below(2) != 0;
    if (size > input->size) {
        return;
    }
    size_t at = below(input->size - size + 1);
    for (size_t i = 0; i < size; i++) {
        input->bytes[at + (big_endian ? size - 1 - i : i)] = (uint8_t)(number >> (8 * i));
    }
}

/* Makes one change; parts may come from the other input. */
static void change(struct input *input, const struct input *other)
{
    uint8_t part[64];
    size_t at = below(input->size);
    size_t left = input->size - at;
    size_t size = 1 + below(sizeof(part));
    if (size > left) {
        size = left;
    }
    switch (below(8)) {
    case 0: /* a bit */
        if (left > 0) {
            input->bytes[at] ^= (uint8_t)(1u << below(8));
        }
        break;
    case 1: /* a byte */
        if (left > 0) {
            input->bytes[at] = (uint8_t)next_word(&state);
        }
        break;
    case 2:
        put_number(input);
        break;
    case 3: /* something goes */
        memmove(input->bytes + at, input->bytes + at + size, left - size);
        input->size -= size;
        break;
    case 4: /* something is there twice */
        memcpy(part, input->bytes + at, size);
        insert(input, below(input->size + 1), part, size);
        break;
    case 5: /* something comes from another seed */
        at = below(other->size);
        size = 1 + below(sizeof(part));
        if (size <= other->size - at) {
            insert(input, below(input->size + 1), other->bytes + at, size);
        }
        break;
    case 6: /* a character of the texts inside */
        if (left > 0) {
            input->bytes[at] = (uint8_t) " '\"(){}[],:0123456789<>|=-\\\n"[below(28)];
        }
        break;
    default: /* the end goes, seldom */
        if (below(8) == 0) {
            input->size = at;
        }
        break;
    }
}

static struct input *inputs; /* first the seeds */
static size_t seed_count;

/* Of bytes that are no seed's, such as a text inside one: with room for MAX_SIZE bytes, or less. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
    static uint8_t room[MAX_SIZE];
    struct input input = {.bytes = room, .size = size < MAX_SIZE ? size : MAX_SIZE};
    memcpy(room, data, input.size);
    for (size_t changes = 1 + below(MAX_CHANGES); changes > 0; changes--) {
        change(&input, &inputs[below(seed_count)]);
    }
    input.size = input.size == 0 ? 1 : input.size < max_size ? input.size : max_size;
    memcpy(data, room, input.size);
    return input.size;
}

/* Reads a file of up to MAX_FILE bytes. */
static bool read_file(const char *path, struct input *input)
{
    FILE *file = fopen(path, "rb");
    input->bytes = malloc(MAX_FILE);
    bool read = false;
    if (file && input->bytes) {
        input->size = fread(input->bytes, 1, MAX_FILE, file);
        read = !ferror(file) && input->size > 0;
    }
    if (!read) {
        fprintf(stderr, "cannot read '%s': %s\n", path, strerror(errno));
    }
    if (file) {
        fclose(file);
    }
    return read;
}

/* False if a seed is not taken. */
static bool run_seed(const char *path, const struct input *seed)
{
    const unsigned long before = fuzz_taken;
    LLVMFuzzerTestOneInput(seed->bytes, seed->size);
    if (fuzz_taken == before) {
        fprintf(stderr, "the seed '%s' is not taken as valid: %s\n", path, vks_error_text());
    }
    return fuzz_taken != before;
}

/* Runs an input, or the inputs of a corpus; false if that is cut off. */
static bool run_more(const char *path, const uint8_t *bytes, size_t size)
{
    const size_t mark = strlen(corpus_mark);
    if (size < mark || memcmp(bytes, corpus_mark, mark) != 0) {
        LLVMFuzzerTestOneInput(bytes, size);
        return true;
    }
    for (size_t at = mark; at < size;) {
        const uint8_t *head = bytes + at;
        const size_t left = size - at;
        const size_t length = left < 4 ? SIZE_MAX - 4
                                       : head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 |
                                             (size_t)head[3] << 24;
        if (length + 4 > left) {
            fprintf(stderr, "the corpus '%s' is damaged\n", path);
            return false;
        }
        LLVMFuzzerTestOneInput(head + 4, length);
        at += 4 + length;
    }
    return true;
}

static void run_changed(struct input *input)
{
    const struct input *seed = &inputs[below(seed_count)];
    input->size = seed->size < MAX_SIZE ? seed->size : MAX_SIZE;
    memcpy(input->bytes, seed->bytes, input->size);
    input->size = LLVMFuzzerCustomMutator
                      ? LLVMFuzzerCustomMutator(input->bytes, input->size, MAX_SIZE,
                                                (unsigned)next_word(&state))
                      : LLVMFuzzerMutate(input->bytes, input->size, MAX_SIZE);
    LLVMFuzzerTestOneInput(input->bytes, input->size);
}

/* Runs everything. The files are read before, as harnesses change the folder. */
static int run(unsigned long iterations, char **paths, size_t count)
{
    struct input input = {.bytes = malloc(MAX_SIZE)};
    int status = input.bytes ? 0 : 2;
    for (size_t i = 0; i < count && status == 0; i++) {
        status = (i < seed_count ? run_seed(paths[i], &inputs[i])
                                 : run_more(paths[i], inputs[i].bytes, inputs[i].size))
                     ? 0
                     : 1;
    }
    for (unsigned long i = 0; i < iterations && status == 0; i++) {
        run_changed(&input);
    }
    if (status == 0) {
        printf("%zu files and %lu inputs made of the seeds; %lu were taken as valid\n", count,
               iterations, fuzz_taken);
    }
    free(input.bytes);
    return status;
}

int main(int argc, char **argv)
{
    size_t count = 0;
    int status = 0;
    for (int i = 2; i < argc; i++) { /* the words after "--" move up */
        const bool ends = seed_count == 0 && strcmp(argv[i], "--") == 0;
        seed_count = ends ? count : seed_count;
        argv[2 + count] = argv[i];
        count += !ends;
    }
    seed_count = seed_count ? seed_count : count;
    if (count == 0) {
        fprintf(stderr, "usage: %s ITERATIONS SEED... [-- INPUT...]\n", argv[0]);
        return 2;
    }
    inputs = calloc(count, sizeof(*inputs));
    for (size_t i = 0; i < count && status == 0; i++) {
        status = inputs && read_file(argv[2 + i], &inputs[i]) ? 0 : 2;
    }
    if (status == 0) {
        status = run(strtoul(argv[1], NULL, 10), argv + 2, count);
    }
    for (size_t i = 0; inputs && i < count; i++) {
        free(inputs[i].bytes);
    }
    free(inputs);
    return status;
}
