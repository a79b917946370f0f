/* SPDX-License-Identifier: MIT */
/* A shader's text with the texts that it includes, so that it compiles without files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "formula/shader.h"

enum { MOST_FILES = 64, MOST_DEPTH = 16, MOST_NAME = 200, MOST_BYTES = 1 << 20 };

struct splicer {
    FILE *out;
    const struct vks_shader_source *source;
    char *included[MOST_FILES]; /* names, each of which is included once */
    size_t count;
    uint32_t depth;
    enum vks_result result;
};

static void splice(struct splicer *s, const char *name, const char *text);

/* The name in a line `#include "name"`; false for other lines. */
static bool find_name(const char *line, char name[MOST_NAME])
{
    line += strspn(line, " \t");
    if (strncmp(line, "#include", 8) != 0) {
        return false;
    }
    line += 8 + strspn(line + 8, " \t");
    const size_t length = line[0] == '"' ? strcspn(line + 1, "\"\n") : 0;
    if (length == 0 || length >= MOST_NAME || line[1 + length] != '"') {
        return false;
    }
    memcpy(name, line + 1, length);
    name[length] = '\0';
    return true;
}

/* True for the first time. */
static bool is_new(struct splicer *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++) {
        if (strcmp(s->included[i], name) == 0) {
            return false;
        }
    }
    if (s->count == MOST_FILES) {
        s->result = vks_fail(VKS_ERROR_USAGE, "it includes more than %d files", MOST_FILES);
        return false;
    }
    s->included[s->count] = vks_strdup(name);
    if (!s->included[s->count]) {
        s->result = vks_fail_memory();
        return false;
    }
    s->count++;
    return true;
}

static const struct vks_shader_text *find_text(const char *name)
{
    const struct vks_shader_text *text = vks_shader_texts;
    while (text->name && strcmp(text->name, name) != 0) {
        text++;
    }
    return text->name ? text : NULL;
}

static void splice_library(struct splicer *s, const struct vks_shader_text *text)
{
    char name[MOST_NAME];
    for (size_t i = 0; text->lines[i] && s->result == VKS_OK; i++) {
        if (find_name(text->lines[i], name)) {
            const struct vks_shader_text *next = find_text(name);
            if (next && is_new(s, name)) {
                splice_library(s, next);
            }
        } else {
            fputs(text->lines[i], s->out);
        }
    }
}

/* A file of the model's folder. */
static void splice_file(struct splicer *s, const char *name)
{
    char *path = vks_format("%s/%s", s->source->folder, name);
    char *text = NULL;
    size_t size = 0;
    if (!path) {
        s->result = vks_fail_memory();
    } else {
        s->result = vks_read_regular_file(path, MOST_BYTES, &text, &size);
    }
    if (s->result == VKS_OK) {
        splice(s, name, text);
    }
    free(text);
    free(path);
}

static void include(struct splicer *s, const char *name)
{
    const struct vks_shader_text *library = find_text(name);
    if (!is_new(s, name)) {
        return;
    }
    if (s->source->constants && strcmp(name, "constants.glsl") == 0) {
        splice(s, name, s->source->constants);
    } else if (library) {
        splice_library(s, library);
    } else if (!s->source->folder) {
        s->result = vks_fail(VKS_ERROR_INTERNAL, "a generated shader includes '%s'", name);
    } else if (s->depth == MOST_DEPTH) {
        s->result = vks_fail(VKS_ERROR_USAGE, "its files include each other too deeply");
    } else {
        s->depth++;
        splice_file(s, name);
        s->depth--;
    }
}

/* Writes the text, with lines numbered as in its file where there is a folder. */
static void splice(struct splicer *s, const char *name, const char *text)
{
    char included[MOST_NAME];
    size_t line = 0;
    if (s->source->digest) {
        vks_digest_update(s->source->digest, text, strlen(text) + 1);
    }
    while (*text && s->result == VKS_OK) {
        const size_t length = strcspn(text, "\n") + (strchr(text, '\n') ? 1 : 0);
        line++;
        if (find_name(text, included)) {
            include(s, included);
            if (s->source->folder) {
                fprintf(s->out, "#line %zu \"%s\"\n", line + 1, name);
            }
        } else {
            fwrite(text, 1, length, s->out);
        }
        text += length;
    }
    fputc('\n', s->out);
}

char *vks_shader_splice(const struct vks_shader_source *source)
{
    char *whole = NULL;
    size_t size = 0;
    struct splicer splicer = {.out = open_memstream(&whole, &size), .source = source};
    if (!splicer.out) {
        vks_fail_memory();
        return NULL;
    }
    splice(&splicer, source->path, source->text);
    if (fclose(splicer.out) != 0 && splicer.result == VKS_OK) {
        splicer.result = vks_fail_memory();
    }
    for (size_t i = 0; i < splicer.count; i++) {
        free(splicer.included[i]);
    }
    if (splicer.result != VKS_OK) {
        free(whole);
        return NULL;
    }
    return whole;
}
