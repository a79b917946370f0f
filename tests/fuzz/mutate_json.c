/* SPDX-License-Identifier: MIT */
/* Changes JSON so that it stays JSON: values are replaced, removed, doubled and swapped, and keys
 * renamed. What follows the text after a NUL is left to the engine. */
#include "../numbers.h"
#include "base/memory.h"
#include "fuzz.h"
#include "words.h"

/* A value and where it is. */
struct spot {
    json_t *parent; /* NULL: the root */
    const char *key;
    size_t index;
    json_t *value;
};

enum { MAX_SPOTS = 4096, MAX_DEPTH = 64 };

struct walk {
    struct spot spots[MAX_SPOTS];
    size_t count;
};

static void add(struct walk *walk, struct spot spot, int depth)
{
    const char *key;
    json_t *value;
    size_t index;
    if (walk->count == MAX_SPOTS || depth == MAX_DEPTH) {
        return;
    }
    walk->spots[walk->count++] = spot;
    json_object_foreach(spot.value, key, value)
    {
        add(walk, (struct spot){.parent = spot.value, .key = key, .value = value}, depth + 1);
    }
    json_array_foreach(spot.value, index, value)
    {
        add(walk, (struct spot){.parent = spot.value, .index = index, .value = value}, depth + 1);
    }
}

static json_t *new_number(const json_t *before, uint64_t *state)
{
    const double real = json_number_value(before);
    const json_int_t whole = json_integer_value(before);
    const json_int_t edges[] = {whole + (whole < 1000),
                                whole - (whole > 0),
                                INT32_MAX,
                                UINT32_MAX,
                                INT64_MAX,
                                INT64_MIN,
                                0,
                                -(whole % 1000000),
                                1 << 24};
    switch (fuzz_below(state, 4)) {
    case 0:
        return json_integer(edges[fuzz_below(state, VKS_COUNT(edges))]);
    case 1:
        return json_real(real * (double)fuzz_below(state, 9) / 4);
    default:
        return json_real(fuzz_number(fuzz_option(state), state));
    }
}

static json_t *new_value(const json_t *before, uint64_t *state)
{
    switch (fuzz_below(state, 8)) {
    case 0:
        return json_null();
    case 1:
        return json_boolean(fuzz_below(state, 2));
    case 2:
        return fuzz_below(state, 2) ? json_array() : json_object();
    case 3:
    case 4:
        return json_string(fuzz_text(fuzz_option(state), state));
    default:
        return new_number(before, state);
    }
}

/* Puts the value, whose reference it takes, in the place of the spot's. */
static void replace(json_t **root, const struct spot *spot, json_t *value)
{
    if (!spot->parent) {
        json_decref(*root);
        *root = value;
    } else if (json_is_object(spot->parent)) {
        json_object_set_new(spot->parent, spot->key, value);
    } else {
        json_array_set_new(spot->parent, spot->index, value);
    }
}

/* Adds a value to the object or array of the spot. */
static void insert(const struct spot *spot, json_t *value, uint64_t *state)
{
    if (json_is_object(spot->parent)) {
        json_object_set_new(spot->parent, fuzz_option(state)->name, value);
    } else if (json_is_array(spot->parent)) {
        json_array_insert_new(spot->parent, fuzz_below(state, json_array_size(spot->parent) + 1),
                              value);
    } else {
        json_decref(value);
    }
}

static void remove_spot(const struct spot *spot)
{
    if (json_is_object(spot->parent)) {
        json_object_del(spot->parent, spot->key);
    } else {
        json_array_remove(spot->parent, spot->index);
    }
}

/* A text with some bytes changed; NULL if it is no longer UTF-8. */
static json_t *changed_text(const json_t *value)
{
    char text[512];
    size_t size = json_string_length(value);
    if (!json_is_string(value) || size > sizeof(text) / 2) {
        return NULL;
    }
    memcpy(text, json_string_value(value), size);
    size = LLVMFuzzerMutate((uint8_t *)text, size, sizeof(text));
    return json_stringn(text, size);
}

static void change(json_t **root, uint64_t *state)
{
    static struct walk walk;
    walk.count = 0;
    add(&walk, (struct spot){.value = *root}, 0);
    const struct spot *spot = &walk.spots[fuzz_below(state, walk.count)];
    const struct spot *other = &walk.spots[fuzz_below(state, walk.count)];
    json_t *value = NULL;
    switch (fuzz_below(state, 6)) {
    case 0:
        remove_spot(spot);
        break;
    case 1: /* doubled */
        insert(spot, json_deep_copy(spot->value), state);
        break;
    case 2:
        insert(spot, new_value(spot->value, state), state);
        break;
    case 3: /* the value of another spot */
        replace(root, spot, json_deep_copy(other->value));
        break;
    case 4:
        value = changed_text(spot->value);
        replace(root, spot, value ? value : new_value(spot->value, state));
        break;
    default:
        replace(root, spot, new_value(spot->value, state));
        break;
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    uint64_t state = seed;
    const uint8_t *end = memchr(data, 0, size);
    const size_t length = end ? (size_t)(end - data) : size;
    json_t *root = json_loadb((const char *)data, length, 0, NULL);
    if (!root || fuzz_below(&state, 8) == 0) {
        json_decref(root);
        return LLVMFuzzerMutate(data, size, max_size);
    }
    for (size_t i = 1 + fuzz_below(&state, 3); i > 0; i--) {
        change(&root, &state);
    }
    char *text = json_dumps(root, JSON_COMPACT | JSON_ENCODE_ANY);
    const size_t made = text ? strlen(text) : 0, rest = size - length;
    json_decref(root);
    if (made == 0 || made + rest > max_size) {
        free(text);
        return LLVMFuzzerMutate(data, size, max_size);
    }
    memmove(data + made, data + length, rest);
    memcpy(data, text, made);
    free(text);
    return made + rest;
}
