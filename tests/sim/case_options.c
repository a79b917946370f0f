/* SPDX-License-Identifier: MIT */
#include "case_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int case_name_index(const char *name, const char *const *names)
{
    for (int i = 0; names[i] != NULL; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

static bool read_value(const struct case_option *option, const char *value)
{
    char *end = NULL;
    if (option->choices != NULL) {
        int index = case_name_index(value, option->choices);
        *option->choice = index < 0 ? *option->choice : (uint32_t)index;
        return index >= 0;
    }
    if (option->text != NULL) {
        return snprintf(option->text, option->text_size, "%s", value) < (int)option->text_size;
    }
    if (option->count != NULL) {
        *option->count = strtoull(value, &end, 10);
        return end != value && *end == '\0';
    }
    option->real[0] = strtod(value, &end);
    if (option->shared && end != value && *end == '\0') {
        for (size_t i = 1; i < option->reals; i++) {
            option->real[i] = option->real[0];
        }
        return true;
    }
    for (size_t i = 1; end != value && i < option->reals; i++) {
        if (*end != ':' && *end != ',') {
            return false;
        }
        value = end + 1;
        option->real[i] = strtod(value, &end);
    }
    return end != value && *end == '\0';
}

static bool read_word(char *word, const struct case_option *options, size_t count)
{
    char *value = strchr(word, '=');
    if (value == NULL) {
        return false;
    }
    *value++ = '\0';
    for (size_t i = 0; i < count; i++) {
        if (strcmp(options[i].name, word) == 0) {
            return read_value(&options[i], value);
        }
    }
    return false;
}

bool case_options_parse(const char *words, const struct case_option *options, size_t count)
{
    char *copy = strdup(words);
    char *rest = copy;
    bool good = copy != NULL;
    while (good) {
        char *word = strtok_r(rest, " ", &rest);
        if (word == NULL) {
            break;
        }
        good = read_word(word, options, count);
        if (!good) {
            (void)fprintf(stderr, "option '%s' is unknown here, or its value cannot be read\n",
                          word);
        }
    }
    free(copy);
    return good;
}
