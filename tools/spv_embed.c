/* SPDX-License-Identifier: MIT */
/* Build step: `spv_embed OUT.c OUT.bin PREFIX [--exact|--inexact|--plugin] NAME FILE.spv [--wide
 * FILE.spv] ...` writes shaders as C: the tables PREFIX_shaders and PREFIX_shader_count of
 * gpu/pipeline.h, with the reflection of each module. The words of all modules are written to
 * OUT.bin, which OUT.c includes by an assembler directive, because compiling that many numbers
 * takes seconds. Modules after --exact have passed spv_exact; after --plugin, the table is
 * PREFIX_shaders of vksim/plugin.h, without reflection. --wide gives the version of the preceding
 * shader for fields in chunks; it is left out if the shader declares no buffer by VKS_FIELD of
 * lib/field.glsl. A shader that the library cannot use fails the build with a message. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spirv/reflect.h"

/* The words of a file, to be freed; NULL after a message on stderr. */
static uint32_t *read_words(const char *path, size_t *count)
{
    FILE *in = fopen(path, "rb");
    uint32_t *words = NULL;
    size_t room = 0;
    bool good = in != NULL;
    *count = 0;
    while (good && !feof(in)) {
        if (*count == room) {
            room = room ? 2 * room : 4096;
            uint32_t *more = realloc(words, room * sizeof(*words));
            good = more != NULL;
            words = good ? more : words;
        }
        if (good) {
            *count += fread(words + *count, sizeof(*words), room - *count, in);
            good = !ferror(in);
        }
    }
    if (in) {
        fclose(in);
    }
    if (!good) {
        fprintf(stderr, "spv_embed: cannot read '%s'\n", path);
        free(words);
        return NULL;
    }
    return words;
}

struct row {
    const char *name;
    bool exact;
    bool wrong;   /* a fault was reported */
    bool wide;    /* the next row is its variant for fields in chunks */
    size_t first; /* of its words */
    size_t count; /* words */
    struct vks_spv_facts facts;
};

/* The outputs so far. */
struct output {
    FILE *text;  /* OUT.c */
    FILE *words; /* OUT.bin */
    size_t word_count;
    const char *prefix;
    bool plugin; /* the table is one of a plug-in */
};

static void write_facts(FILE *out, int index, const struct vks_reflection *reflection)
{
    if (reflection->buffer_count > 0) {
        fprintf(out, "static const struct vks_reflected_buffer buffers_%d[] = {\n", index);
        for (size_t i = 0; i < reflection->buffer_count; i++) {
            const struct vks_reflected_buffer *buffer = &reflection->buffers[i];
            fprintf(out, "    {\"%s\", %u, %u, %d, %d, %d, %d, %d, %d, %u},\n", buffer->name,
                    buffer->binding, buffer->stride, buffer->read_only, buffer->write_only,
                    buffer->loads, buffer->stores, buffer->atomics, buffer->chunked,
                    buffer->texel_words);
        }
        fprintf(out, "};\n");
    }
    if (reflection->constant_count > 0) {
        fprintf(out, "static const struct vks_reflected_constant constants_%d[] = {\n", index);
        for (size_t i = 0; i < reflection->constant_count; i++) {
            fprintf(out, "    {\"%s\", %u},\n", reflection->constants[i].name,
                    reflection->constants[i].id);
        }
        fprintf(out, "};\n");
    }
    fprintf(out, "\n");
}

static bool has_chunks(const struct vks_reflection *reflection)
{
    bool found = false;
    for (size_t i = 0; i < reflection->buffer_count; i++) {
        found = found || reflection->buffers[i].chunked;
    }
    return found;
}

/* Fills the row and writes what it refers to; nothing for a wide variant without fields in chunks.
 * False after a message on stderr. */
static bool embed(struct output *out, int index, const char *path, bool is_wide, struct row *row)
{
    char fault[VKS_SPV_FAULT_SIZE];
    uint32_t *words = read_words(path, &row->count);
    bool good = words != NULL;
    if (good && !vks_spv_reflect(words, row->count, &row->facts, fault)) {
        fprintf(stderr, "shader %s: %s\n", row->name, fault);
        good = false;
    }
    if (good && (!is_wide || has_chunks(&row->facts.reflection))) {
        row->first = out->word_count;
        out->word_count += fwrite(words, sizeof(*words), row->count, out->words);
        if (!out->plugin) {
            write_facts(out->text, index, &row->facts.reflection);
        }
    }
    free(words);
    return good;
}

/* --- wide variants --------------------------------------------------------------------------- */

static const struct vks_reflected_buffer *find_buffer(const struct vks_reflection *reflection,
                                                      uint32_t binding)
{
    for (size_t i = 0; i < reflection->buffer_count; i++) {
        if (reflection->buffers[i].binding == binding) {
            return &reflection->buffers[i];
        }
    }
    return NULL;
}

static bool has_constant(const struct vks_reflection *reflection, const char *name, uint32_t id)
{
    for (size_t i = 0; i < reflection->constant_count; i++) {
        if (strcmp(reflection->constants[i].name, name) == 0) {
            return reflection->constants[i].id == id;
        }
    }
    return false;
}

static bool same_buffer(const struct vks_reflected_buffer *a, const struct vks_reflected_buffer *b)
{
    return b && strcmp(a->name, b->name) == 0 && a->loads == b->loads && a->stores == b->stores &&
           a->atomics == b->atomics;
}

/* Only wide variants get tables. False after a message on stderr. */
static bool check_narrow(const char *name, const struct vks_reflection *reflection)
{
    for (size_t i = 0; i < reflection->buffer_count; i++) {
        if (reflection->buffers[i].chunked) {
            fprintf(stderr,
                    "shader %s: it takes addresses from '%s', which only wide variants may\n", name,
                    reflection->buffers[i].name);
            return false;
        }
    }
    return true;
}

/* The wide variant must access the same fields as the narrow one, because one declaration serves
 * both. False after a message on stderr. */
static bool check_wide(const char *name, const struct vks_reflection *narrow,
                       const struct vks_reflection *wide)
{
    const char *differs = NULL;
    for (size_t i = 0; i < narrow->buffer_count; i++) {
        const struct vks_reflected_buffer *own = &narrow->buffers[i];
        const struct vks_reflected_buffer *other = find_buffer(wide, own->binding);
        differs = same_buffer(own, other) ? differs : own->name;
    }
    for (size_t i = 0; i < narrow->constant_count; i++) {
        if (!has_constant(wide, narrow->constants[i].name, narrow->constants[i].id)) {
            differs = narrow->constants[i].name;
        }
    }
    if (differs) {
        fprintf(stderr, "shader %s: its wide variant differs in '%s'\n", name, differs);
    } else if (narrow->buffer_count != wide->buffer_count || narrow->push_size != wide->push_size ||
               narrow->shared_bytes != wide->shared_bytes) {
        fprintf(stderr,
                "shader %s: its wide variant has other buffers, push constants or "
                "workgroup variables\n",
                name);
    } else {
        return true;
    }
    return false;
}

/* --- the table ------------------------------------------------------------------------------- */

/* Includes OUT.bin and declares the symbol of its words. */
static void write_head(FILE *out, bool plugin, const char *prefix, const char *words)
{
    fprintf(out,
            "/* Made by the build. */\n#include %s\n\n"
            "__attribute__((visibility(\"hidden\"))) extern const uint32_t %s_words[];\n"
            "__asm__(\".section .rodata\\n.balign 16\\n.globl %s_words\\n.hidden %s_words\\n\"\n"
            "        \"%s_words:\\n.incbin \\\"%s\\\"\\n.previous\\n\");\n\n",
            plugin ? "<vksim/model.h>" : "\"gpu/pipeline.h\"", prefix, prefix, prefix, prefix,
            words);
}

static void write_row(const struct output *to, const struct row *row, int index)
{
    FILE *out = to->text;
    const struct vks_reflection *reflection = &row->facts.reflection;
    fprintf(out,
            "{.name = \"%s\",\n     .words = %s_words + %zu,\n     .count = %zu,\n"
            "     .exact = %d,\n",
            row->name, to->prefix, row->first, row->count, row->exact);
    if (row->wide) {
        fprintf(out, "     .wide = &wide_%d,\n", index + 1);
    }
    fprintf(out, "     .reflection = {\n");
    if (reflection->buffer_count > 0) {
        fprintf(out, "         .buffers = buffers_%d,\n         .buffer_count = %zu,\n", index,
                reflection->buffer_count);
    }
    if (reflection->constant_count > 0) {
        fprintf(out, "         .constants = constants_%d,\n         .constant_count = %zu,\n",
                index, reflection->constant_count);
    }
    fprintf(out,
            "         .push_size = %u,\n         .shared_bytes = %u,\n"
            "         .numbered_axes = %u,\n         .counts_groups = %d}}",
            reflection->push_size, reflection->shared_bytes, reflection->numbered_axes,
            reflection->counts_groups);
}

static void write_table(const struct output *to, const struct row *rows, int count)
{
    FILE *out = to->text;
    int written = 0;
    for (int i = 1; i < count; i++) {
        if (rows[i - 1].wide) {
            fprintf(out, "static const struct vks_shader wide_%d = ", i);
            write_row(to, &rows[i], i);
            fprintf(out, ";\n");
        }
    }
    fprintf(out, "const struct vks_shader %s_shaders[] = {\n", to->prefix);
    for (int i = 0; i < count; i++) {
        if (i == 0 || !rows[i - 1].wide) {
            fprintf(out, "    ");
            write_row(to, &rows[i], i);
            fprintf(out, ",\n");
            written++;
        }
    }
    fprintf(out, "};\nconst size_t %s_shader_count = %d;\n", to->prefix, written);
}

/* Adds the variant of the last row, where it has fields in chunks. False after a message on stderr.
 */
static bool add_wide(struct output *out, struct row *rows, int *count, const char *path, bool exact)
{
    struct row *narrow = &rows[*count - 1], *wide = &rows[*count];
    *wide = (struct row){.name = narrow->name, .exact = exact};
    bool good = embed(out, *count, path, true, wide);
    if (good && !has_chunks(&wide->facts.reflection)) {
        vks_spv_facts_free(&wide->facts);
        return true;
    }
    narrow->wide = true;
    *count += 1;
    return good && check_wide(narrow->name, &narrow->facts.reflection, &wide->facts.reflection);
}

/* The table of a plug-in, which ends with an empty row. */
static void write_plugin_table(const struct output *to, const struct row *rows, int count)
{
    FILE *out = to->text;
    fprintf(out,
            "extern const struct vks_plugin_shader %s_shaders[];\n"
            "const struct vks_plugin_shader %s_shaders[] = {\n",
            to->prefix, to->prefix);
    for (int i = 0; i < count; i++) {
        const struct row *row = &rows[i];
        fprintf(out, "    {\"%s\", %s_words + %zu, %zu, ", row->name, to->prefix, row->first,
                row->count);
        if (row->wide) {
            i++;
            fprintf(out, "%s_words + %zu, %zu},\n", to->prefix, rows[i].first, rows[i].count);
        } else {
            fprintf(out, "NULL, 0},\n");
        }
    }
    fprintf(out, "    {NULL, NULL, 0, NULL, 0},\n};\n");
}

static bool close_output(FILE *out, const char *path)
{
    const bool written = !ferror(out);
    if (fclose(out) != 0 || !written) {
        fprintf(stderr, "spv_embed: cannot write '%s'\n", path);
        return false;
    }
    return true;
}

static bool is_kind(const char *argument)
{
    return strcmp(argument, "--exact") == 0 || strcmp(argument, "--inexact") == 0 ||
           strcmp(argument, "--plugin") == 0;
}

/* Adds what the arguments from the fifth on name; *count becomes the number of rows. False after a
 * message on stderr. */
static bool add_rows(struct output *out, int argc, char **argv, struct row *rows, int *count)
{
    bool exact = false, good = true;
    for (int i = 4; i < argc; i++) {
        struct row *row = &rows[*count];
        if (is_kind(argv[i])) {
            exact = strcmp(argv[i], "--exact") == 0;
        } else if (strcmp(argv[i], "--wide") == 0 && *count > 0 && i + 1 < argc) {
            i++;
            if (!row[-1].wrong) { /* one message is enough */
                good = add_wide(out, rows, count, argv[i], exact) && good;
            }
        } else if (i + 1 < argc) {
            *row = (struct row){.name = argv[i], .exact = exact};
            row->wrong = !embed(out, *count, argv[++i], false, row) ||
                         !check_narrow(argv[i - 1], &row->facts.reflection);
            good = good && !row->wrong;
            ++*count;
        }
    }
    return good;
}

int main(int argc, char **argv)
{
    struct row *rows = calloc((size_t)argc + 1, sizeof(*rows));
    struct output out = {0};
    int count = 0;
    if (argc > 4 && rows) {
        out = (struct output){fopen(argv[1], "w"), fopen(argv[2], "wb"), 0, argv[3],
                              strcmp(argv[4], "--plugin") == 0};
    }
    if (!out.text || !out.words) {
        fprintf(stderr, "usage: spv_embed OUT.c OUT.bin PREFIX [--exact|--inexact|--plugin] "
                        "NAME FILE.spv [--wide FILE.spv] ...\n");
        free(rows);
        return 2;
    }
    write_head(out.text, out.plugin, argv[3], argv[2]);
    bool good = add_rows(&out, argc, argv, rows, &count);
    if (out.plugin) {
        write_plugin_table(&out, rows, count);
    } else {
        write_table(&out, rows, count);
    }
    good = close_output(out.text, argv[1]) && good;
    good = close_output(out.words, argv[2]) && good;
    for (int i = 0; i < count; i++) {
        vks_spv_facts_free(&rows[i].facts);
    }
    free(rows);
    if (!good) {
        remove(argv[1]);
        remove(argv[2]);
        return 1;
    }
    return 0;
}
