/* SPDX-License-Identifier: MIT */
#include "formula/shader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "gpu/device.h"
#include "gpu/glsl.h"
#include "spirv/exact.h"
#include "spirv/reflect.h"

/* A module that is checked. */
struct module {
    struct vks_spv_facts facts;
    const uint32_t *words;
    uint32_t *owned; /* the same words, to be freed; NULL: they are another's */
    size_t count;
};

struct vks_compiled_shader {
    struct vks_shader shader, wide;
    struct module modules[2]; /* the second: for fields in chunks */
};

/* The kind of a mistake in the shader, which is generated, or of a folder or plug-in. */
static enum vks_result fault_of(const struct vks_shader_source *shader)
{
    return shader->folder || !shader->text ? VKS_ERROR_USAGE : VKS_ERROR_INTERNAL;
}

/* The module of a text, to be freed; NULL with a message. */
static uint32_t *run_compiler(const struct vks_shader_source *shader, const char *text, bool wide,
                              size_t *count)
{
    const struct vks_glsl_options options = {.wide = wide, .debug = shader->folder != NULL};
    struct vks_glsl_source source = {.path = shader->path, .text = text};
    char *said = NULL;
    size_t size = 0;
    FILE *errors = open_memstream(&said, &size);
    if (!errors) {
        vks_fail_memory();
        return NULL;
    }
    vks_glsl_compile(&options, &source, 1, errors);
    fclose(errors);
    if (!source.words) {
        vks_fail(fault_of(shader), "the shader %s does not compile: %.*s", shader->name,
                 said ? (int)strcspn(said, "\n") : 0, said ? said : "");
    }
    free(said);
    free(source.depends);
    *count = source.count;
    return source.words;
}

/* Checks that it is an exact module that the library can use, and reflects it. */
static enum vks_result examine(const struct vks_shader_source *shader, struct module *module)
{
    char *offences = NULL, fault[VKS_SPV_FAULT_SIZE];
    size_t size = 0;
    struct vks_spv_counts counts;
    FILE *out = open_memstream(&offences, &size);
    if (!out) {
        return vks_fail_memory();
    }
    const enum vks_spv_verdict verdict =
        vks_spv_exact(shader->path, module->words, module->count, out, &counts);
    if (fclose(out) != 0) {
        free(offences);
        return vks_fail_memory();
    }
    enum vks_result result = VKS_OK;
    if (verdict != VKS_SPV_EXACT) {
        result = vks_fail(shader->text ? fault_of(shader) : VKS_ERROR_STOPPED,
                          "the shader %s is not exact: %.*s", shader->name,
                          (int)strcspn(offences, "\n"), offences);
    } else if (!vks_spv_reflect(module->words, module->count, &module->facts, fault)) {
        result = vks_fail(fault_of(shader), "the shader %s: %s", shader->name, fault);
        vks_spv_facts_free(&module->facts);
        module->facts = (struct vks_spv_facts){0};
    }
    free(offences);
    return result;
}

/* Where the module that a compiler makes of a text is kept, to be freed; NULL: nowhere. */
static char *cache_path(const char *compiler, const char *text, bool wide)
{
    char hex[33], file[64];
    struct vks_digest *digest = vks_digest_create();
    if (!digest) {
        return NULL;
    }
    vks_digest_update(digest, compiler, strlen(compiler) + 1);
    vks_digest_update(digest, text, strlen(text));
    vks_digest_hex(digest, hex);
    vks_digest_destroy(digest);
    snprintf(file, sizeof(file), "shaders/%s%s.spv", hex, wide ? "-wide" : "");
    return vks_cache_name(file);
}

/* Takes the module from the cache; false if it is not there, or damaged. */
static bool take_cached(const char *path, const struct vks_shader_source *shader,
                        struct module *module)
{
    char *data = NULL;
    size_t size = 0;
    struct vks_error before; /* a missing file is not an error */
    vks_error_keep(VKS_OK, &before);
    if (path && access(path, R_OK) == 0 &&
        vks_read_regular_file(path, (size_t)1 << 26, &data, &size) == VKS_OK && size % 4 == 0) {
        module->count = size / 4;
        module->words = module->owned = (uint32_t *)(void *)data;
        if (examine(shader, module) == VKS_OK) {
            return true;
        }
    }
    module->words = module->owned = NULL;
    free(data);
    vks_fail_again(&before);
    return false;
}

/* Takes the module from the cache, or compiles and keeps it. */
static enum vks_result find_module(const struct vks_shader_source *shader, const char *text,
                                   bool wide, struct module *module)
{
    char compiler[VKS_GLSL_IDENTITY];
    if (!vks_glsl_compiler(VKS_GLSL_EITHER, compiler)) {
        return vks_fail(VKS_ERROR_USAGE, "%s needs a GLSL compiler; install libshaderc1 or glslc",
                        shader->folder ? shader->name : "a formula");
    }
    enum vks_result result = VKS_OK;
    char *path = cache_path(compiler, text, wide);
    if (!take_cached(path, shader, module)) {
        module->words = module->owned = run_compiler(shader, text, wide, &module->count);
        result = module->words ? examine(shader, module) : vks_error_last()->result;
        if (result == VKS_OK && path) {
            vks_gpu_cache_keep(path, module->words, 4 * module->count);
        }
    }
    free(path);
    return result;
}

static void modules_free(struct module modules[2])
{
    for (size_t i = 0; i < 2; i++) {
        vks_spv_facts_free(&modules[i].facts);
        free(modules[i].owned);
    }
}

static struct vks_shader shader_of(const char *name, const struct module *module)
{
    return (struct vks_shader){.name = name,
                               .words = module->words,
                               .count = module->count,
                               .exact = true,
                               .reflection = module->facts.reflection};
}

enum vks_result vks_shader_compile(const struct vks_shader_source *source,
                                   struct vks_compiled_shader **added)
{
    struct vks_compiled_shader *compiled = calloc(1, sizeof(*compiled));
    char *whole = compiled ? vks_shader_splice(source) : NULL;
    enum vks_result result = whole      ? VKS_OK
                             : compiled ? vks_error_last()->result
                                        : vks_fail_memory();
    for (size_t i = 0; i < (source->wide ? 2U : 1U) && result == VKS_OK; i++) {
        result = find_module(source, whole, i == 1, &compiled->modules[i]);
    }
    free(whole);
    if (result == VKS_OK) {
        compiled->shader = shader_of(source->name, &compiled->modules[0]);
        compiled->wide = shader_of(source->name, &compiled->modules[1]);
        compiled->shader.outside = source->folder != NULL;
        compiled->shader.wide = source->wide ? &compiled->wide : NULL;
        result = vks_shader_add(&compiled->shader, 1);
    }
    if (result != VKS_OK && compiled) {
        modules_free(compiled->modules);
        free(compiled);
        compiled = NULL;
    }
    if (added) {
        *added = compiled;
    }
    return result;
}

void vks_shader_discard(struct vks_compiled_shader *compiled)
{
    if (compiled) {
        vks_shader_remove(&compiled->shader);
        modules_free(compiled->modules);
        free(compiled);
    }
}

/* --- plug-ins --------------------------------------------------------------------------------- */

struct vks_added_shaders {
    size_t count;
    struct vks_shader *shaders; /* a table, and behind it the wide versions */
    struct module (*modules)[2];
};

static enum vks_result take(const char *path, const struct vks_plugin_shader *row,
                            struct vks_added_shaders *added, size_t index)
{
    const struct vks_shader_source source = {.name = row->name, .path = path};
    struct module *modules = added->modules[index];
    struct vks_shader *shader = &added->shaders[index], *wide = shader + added->count;
    modules[0].words = row->words;
    modules[0].count = row->count;
    modules[1].words = row->wide_words;
    modules[1].count = row->wide_count;
    if (vks_shader_find(row->name)) {
        return vks_fail(VKS_ERROR_USAGE, "there is a shader '%s' already", row->name);
    }
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < (row->wide_words ? 2U : 1U) && result == VKS_OK; i++) {
        result = examine(&source, &modules[i]);
    }
    *shader = shader_of(row->name, &modules[0]);
    *wide = shader_of(row->name, &modules[1]);
    shader->outside = true;
    shader->wide = row->wide_words ? wide : NULL;
    return result;
}

static void added_free(struct vks_added_shaders *added)
{
    for (size_t i = 0; added->modules && i < added->count; i++) {
        modules_free(added->modules[i]);
    }
    free(added->modules);
    free(added->shaders);
    free(added);
}

enum vks_result vks_shaders_take(const char *path, const struct vks_plugin_shader *rows,
                                 struct vks_added_shaders **added)
{
    struct vks_added_shaders *new = calloc(1, sizeof(*new));
    *added = NULL;
    if (!new) {
        return vks_fail_memory();
    }
    while (rows && rows[new->count].name) {
        new->count++;
    }
    new->shaders = calloc(2 * new->count + 1, sizeof(*new->shaders));
    new->modules = calloc(new->count + 1, sizeof(*new->modules));
    enum vks_result result = new->shaders &&new->modules ? VKS_OK : vks_fail_memory();
    for (size_t i = 0; i < new->count &&result == VKS_OK; i++) {
        result = take(path, &rows[i], new, i);
    }
    if (result == VKS_OK) {
        result = vks_shader_add(new->shaders, new->count);
    }
    if (result != VKS_OK) {
        added_free(new);
        return result;
    }
    *added = new;
    return VKS_OK;
}

void vks_shaders_drop(struct vks_added_shaders *added)
{
    if (added) {
        vks_shader_remove(added->shaders);
        added_free(added);
    }
}
