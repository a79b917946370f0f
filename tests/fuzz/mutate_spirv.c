/* SPDX-License-Identifier: MIT */
/* Changes SPIR-V so that the lengths of its instructions stay right: words are replaced, and
 * instructions removed, doubled and moved. */
#include "../numbers.h"
#include "fuzz.h"

enum { HEADER = 5, MAX_INSTRUCTIONS = 1 << 16 };

struct module {
    uint32_t *words;
    size_t count, max;
    size_t begins[MAX_INSTRUCTIONS]; /* of instructions */
    size_t instructions;
};

static size_t below(uint64_t *state, size_t limit)
{
    return limit ? (size_t)(next_word(state) % limit) : 0;
}

static size_t length_at(const struct module *module, size_t at)
{
    const size_t length = module->words[at] >> 16, left = module->count - at;
    return length == 0 || length > left ? left : length;
}

static void find_instructions(struct module *module)
{
    module->instructions = 0;
    for (size_t at = HEADER; at < module->count && module->instructions < MAX_INSTRUCTIONS;
         at += length_at(module, at)) {
        module->begins[module->instructions++] = at;
    }
}

/* A word: of another instruction, near its old value, or at an edge. */
static uint32_t new_word(const struct module *module, uint32_t before, uint64_t *state)
{
    static const uint32_t edges[] = {0, 1, 2, 3, 4, 16, 32, 64, 0xffff, 0x7fffffff, 0xffffffff};
    switch (below(state, 4)) {
    case 0:
        return module->words[below(state, module->count)];
    case 1:
        return before + (uint32_t)below(state, 9) - 4;
    case 2:
        return (uint32_t)below(state, module->words[3]); /* an id */
    default:
        return edges[below(state, sizeof(edges) / sizeof(edges[0]))];
    }
}

static void remove_instruction(struct module *module, size_t at)
{
    const size_t length = length_at(module, at);
    memmove(module->words + at, module->words + at + length,
            (module->count - at - length) * sizeof(uint32_t));
    module->count -= length;
}

/* Copies an instruction to another place. */
static void copy_instruction(struct module *module, size_t from, size_t to)
{
    uint32_t copy[256];
    const size_t length = length_at(module, from);
    if (length > sizeof(copy) / sizeof(copy[0]) || length > module->max - module->count) {
        return;
    }
    memcpy(copy, module->words + from, length * sizeof(uint32_t));
    memmove(module->words + to + length, module->words + to,
            (module->count - to) * sizeof(uint32_t));
    memcpy(module->words + to, copy, length * sizeof(uint32_t));
    module->count += length;
}

static void change(struct module *module, uint64_t *state)
{
    const size_t at = module->begins[below(state, module->instructions)];
    const size_t to = module->begins[below(state, module->instructions)];
    const size_t length = length_at(module, at);
    const size_t operand = at + 1 + below(state, length - 1);
    switch (below(state, 8)) {
    case 0:
        remove_instruction(module, at);
        break;
    case 1:
        copy_instruction(module, at, to);
        break;
    case 2: /* another operation */
        module->words[at] = (module->words[at] & 0xffff0000) | (module->words[to] & 0xffff);
        break;
    case 3: /* any operation */
        module->words[at] = (module->words[at] & 0xffff0000) | (uint32_t)below(state, 400);
        break;
    default:
        if (operand < module->count) {
            module->words[operand] = new_word(module, module->words[operand], state);
        }
        break;
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    static struct module module;
    uint64_t state = seed;
    if (size / 4 <= HEADER || below(&state, 16) == 0) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    module.max = max_size / 4;
    module.count = size / 4;
    module.words = malloc(module.max * 4);
    fuzz_require(module.words != NULL, "there is memory");
    memcpy(module.words, data, module.count * 4);
    for (size_t i = 1 + below(&state, 3); i > 0; i--) {
        find_instructions(&module);
        if (module.instructions > 0) {
            change(&module, &state);
        }
    }
    memcpy(data, module.words, module.count * 4);
    free(module.words);
    return module.count * 4;
}
