/* SPDX-License-Identifier: MIT */
#include "tool/check.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "formula/shader.h"
#include "gpu/glsl.h"
#include "spirv/exact.h"
#include "tool/command.h"

enum { MAX_FILE = 1 << 26 }; /* bytes; a shader has some ten thousand */

/* A module and what the checker says of it. */
struct shader {
    uint32_t *words;
    size_t count;
    char *offences; /* lines */
    enum vks_spv_verdict verdict;
    struct vks_spv_counts counts;
};

bool vks_is_shader_file(const char *word)
{
    return vks_has_extension(word, ".spv") || vks_has_extension(word, ".comp") ||
           vks_has_extension(word, ".glsl");
}

static enum vks_result read_module(const char *path, struct shader *shader)
{
    char *data = NULL;
    size_t size = 0;
    const enum vks_result result = vks_read_file(path, MAX_FILE, &data, &size);
    if (result == VKS_OK && (size == 0 || size % 4 != 0)) {
        free(data);
        return vks_fail_file(vks_fail(VKS_ERROR_USAGE,
                                      "'%s' is not a SPIR-V module: it has %zu bytes, which are "
                                      "not whole words",
                                      path, size),
                             path);
    }
    shader->words = (uint32_t *)(void *)data; /* malloc's memory is aligned for it */
    shader->count = size / 4;
    return result;
}

/* The folder of vksim's shaders, if the file is in a folder of it, to be freed; NULL: it is not. */
static char *find_tree(const char *folder)
{
    char *above = vks_format("%s/..", folder);
    char *tree = above ? realpath(above, NULL) : NULL;
    char *pass = tree ? vks_format("%s/lib/pass.glsl", tree) : NULL;
    if (!pass || access(pass, R_OK) != 0) {
        free(tree);
        tree = NULL;
    }
    free(pass);
    free(above);
    return tree;
}

/* The module of a text, with the lines of its source. Includes are of vksim's folder of shaders, if
 * the file is there, else of the file's folder and of the library that is part of the program. */
static enum vks_result run_compiler(const char *path, const char *text, struct shader *shader,
                                    FILE *errors)
{
    char *folder = vks_folder_of(path), *tree = folder ? find_tree(folder) : NULL;
    char *whole = folder && !tree ? vks_shader_splice(&(struct vks_shader_source){
                                        .path = path, .text = text, .folder = folder})
                                  : NULL;
    enum vks_result result = !folder           ? vks_fail_memory()
                             : !tree && !whole ? vks_error_last()->result
                                               : VKS_OK;
    if (result == VKS_OK) {
        const struct vks_glsl_options options = {.folder = tree, .debug = true};
        struct vks_glsl_source source = {.path = path, .text = whole ? whole : text};
        vks_glsl_compile(&options, &source, 1, errors);
        free(source.depends);
        shader->words = source.words;
        shader->count = source.count;
    }
    free(whole);
    free(tree);
    free(folder);
    return result;
}

static enum vks_result compile(const char *path, struct shader *shader)
{
    char compiler[VKS_GLSL_IDENTITY], *text = NULL, *said = NULL;
    size_t size = 0;
    enum vks_result result = vks_read_file(path, MAX_FILE, &text, &size);
    if (result == VKS_OK && !vks_glsl_compiler(VKS_GLSL_EITHER, compiler)) {
        result = vks_fail(VKS_ERROR_USAGE,
                          "'%s' needs a GLSL compiler; install libshaderc1 or glslc", path);
    }
    FILE *errors = open_memstream(&said, &size);
    if (result == VKS_OK) {
        result = errors ? run_compiler(path, text, shader, errors) : vks_fail_memory();
    }
    if (errors) {
        fclose(errors);
    }
    if (result == VKS_OK && !shader->words) {
        const char *why = said ? said : "";
        result = vks_fail_file(vks_fail(VKS_ERROR_USAGE, "'%s' does not compile: %.*s", path,
                                        (int)strcspn(why, "\n"), why),
                               path);
    }
    free(said);
    free(text);
    return result;
}

static enum vks_result examine(const char *path, struct shader *shader)
{
    size_t size = 0;
    FILE *out = open_memstream(&shader->offences, &size);
    if (!out) {
        return vks_fail_memory();
    }
    shader->verdict = vks_spv_exact(path, shader->words, shader->count, out, &shader->counts);
    if (fclose(out) != 0) {
        return vks_fail_memory();
    }
    const int length = (int)strcspn(shader->offences, "\n");
    return shader->verdict == VKS_SPV_MALFORMED
               ? vks_fail_file(vks_fail(VKS_ERROR_USAGE, "%.*s", length, shader->offences), path)
               : VKS_OK;
}

static void print(const char *path, const struct shader *shader)
{
    if (shader->verdict == VKS_SPV_EXACT) {
        printf("%s: exact, %" PRIu64 " float operations\n", path, shader->counts.arithmetic);
    } else {
        fputs(shader->offences, stdout);
    }
}

/* The offences as an array of lines; NULL when memory ran out. */
static json_t *list_lines(const char *text)
{
    json_t *lines = json_array();
    bool complete = lines != NULL;
    for (size_t length; complete && *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        complete = json_array_append_new(lines, json_stringn(text, length)) == 0;
    }
    if (!complete) {
        json_decref(lines);
        return NULL;
    }
    return lines;
}

static bool add_json(json_t *array, const char *path, const struct shader *shader)
{
    json_t *object =
        json_pack("{s:s, s:b, s:I, s:o}", "file", path, "exact", shader->verdict == VKS_SPV_EXACT,
                  "float_operations", (json_int_t)shader->counts.arithmetic, "offences",
                  list_lines(shader->offences));
    return object && json_array_append_new(array, object) == 0;
}

enum vks_result vks_check_shaders(const char *const *files, size_t count, bool json)
{
    json_t *array = json ? json_array() : NULL;
    enum vks_result result = !json || array ? VKS_OK : vks_fail_memory();
    size_t inexact = 0;
    for (size_t i = 0; i < count && result == VKS_OK; i++) {
        struct shader shader = {0};
        result = vks_has_extension(files[i], ".spv") ? read_module(files[i], &shader)
                                                     : compile(files[i], &shader);
        result = result == VKS_OK ? examine(files[i], &shader) : result;
        if (result == VKS_OK && json) {
            result = add_json(array, files[i], &shader) ? VKS_OK : vks_fail_memory();
        } else if (result == VKS_OK) {
            print(files[i], &shader);
        }
        inexact += result == VKS_OK && shader.verdict == VKS_SPV_INEXACT;
        free(shader.words);
        free(shader.offences);
    }
    if (result == VKS_OK && json) {
        result = vks_print_json(array, true);
    } else {
        json_decref(array);
    }
    return result == VKS_OK && inexact > 0
               ? vks_fail(VKS_ERROR_STOPPED, "%zu of %zu shaders %s not exact", inexact, count,
                          inexact == 1 ? "is" : "are")
               : result;
}
