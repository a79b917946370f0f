/* SPDX-License-Identifier: MIT */
/* Changes command lines, with one word per line. */
#define _DEFAULT_SOURCE
#include "../numbers.h"
#include "base/memory.h"
#include "fuzz.h"
#include "words.h"

enum { MAX_WORDS = 64, MAX_WORD = 4096 };

struct line {
    char *words[MAX_WORDS];
    size_t count;
};

/* A new word: an option with or without a value, or a value. */
static void make_word(char *word, size_t size, uint64_t *state)
{
    const struct vks_option *option = fuzz_option(state);
    switch (fuzz_below(state, 5)) {
    case 0:
        snprintf(word, size, "--%s", option->name);
        break;
    case 1:
        snprintf(word, size, "--%s=%.10g", option->name, fuzz_number(option, state));
        break;
    case 2:
        snprintf(word, size, "%s", fuzz_text(option, state));
        break;
    default:
        snprintf(word, size, "--%s=%s", option->name, fuzz_text(option, state));
        break;
    }
}

static void insert(struct line *line, size_t at, char *word)
{
    memmove(&line->words[at + 1], &line->words[at], (line->count - at) * sizeof(line->words[0]));
    line->words[at] = word;
    line->count++;
}

static void change(struct line *line, char made[256], uint64_t *state)
{
    const size_t at = fuzz_below(state, line->count), to = fuzz_below(state, line->count);
    const bool full = line->count == MAX_WORDS;
    char *word = line->count ? line->words[at] : made;
    make_word(made, 256, state);
    switch (fuzz_below(state, 6)) {
    case 0:
        if (line->count > 1) {
            line->count--;
            memmove(&line->words[at], &line->words[at + 1],
                    (line->count - at) * sizeof(line->words[0]));
        }
        break;
    case 1:
        if (line->count > 0) {
            line->words[at] = line->words[to];
            line->words[to] = word;
        }
        break;
    case 2:
        if (line->count > 0) {
            line->words[at] = made;
        }
        break;
    case 3:
        if (!full) {
            insert(line, to, word);
        }
        break;
    default:
        if (!full) {
            insert(line, fuzz_below(state, line->count + 1), made);
        }
        break;
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    enum { CHANGES = 3 };
    uint64_t state = seed;
    struct line line = {.count = 0};
    char text[MAX_WORD], made[CHANGES][256];
    size_t length = 0;
    if (size >= sizeof(text) || fuzz_below(&state, 4) == 0) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *at = text, *word; line.count < MAX_WORDS && (word = strsep(&at, "\n")) != NULL;) {
        line.words[line.count++] = word;
    }
    for (size_t i = fuzz_below(&state, CHANGES) + 1; i > 0; i--) {
        change(&line, made[i - 1], &state);
    }
    for (size_t i = 0; i < line.count; i++) {
        const size_t more = strlen(line.words[i]);
        if (length + more + 1 > max_size) {
            break;
        }
        memcpy(data + length, line.words[i], more);
        length += more;
        data[length++] = '\n';
    }
    return length > 1 ? length - 1 : LLVMFuzzerMutate(data, size, max_size);
}
