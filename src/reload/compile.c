/* SPDX-License-Identifier: MIT */
#include "reload/compile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/program.h"
#include "gpu/glsl.h"
#include "spirv/exact.h"
#include "spirv/reflect.h"

enum { NARROW, WIDE };

/* --- opening --------------------------------------------------------------------------------- */

static enum vks_result check_programs(void)
{
    static const char *const version[] = {"spirv-val", "--version", NULL};
    char identity[VKS_GLSL_IDENTITY], *said = NULL;
    size_t size = 0;
    if (!vks_glsl_compiler(VKS_GLSL_EITHER, identity)) {
        return vks_fail(VKS_ERROR_FILE,
                        "hot reload needs a GLSL compiler; install libshaderc1 or glslc");
    }
    FILE *out = open_memstream(&said, &size);
    const bool good = out && vks_program_run(version, -1, out) == 0;
    if (out) {
        fclose(out);
    }
    free(said);
    return good ? VKS_OK
                : vks_fail(VKS_ERROR_FILE, "hot reload needs the program spirv-val, which cannot "
                                           "be run; install spirv-tools");
}

static bool is_own_folder(const struct vks_compiler *compiler, const struct vks_model *model)
{
    const char *path = vks_folder_path(model);
    char *own = path ? realpath(path, NULL) : NULL;
    const bool same = own && strcmp(own, compiler->folder) == 0;
    free(own);
    return same;
}

static enum vks_result find_folder(struct vks_compiler *compiler, const char *folder,
                                   const struct vks_model *model)
{
    compiler->folder = realpath(folder, NULL);
    if (!compiler->folder) {
        return vks_fail(VKS_ERROR_FILE, "cannot read the folder '%s': %s", folder,
                        vks_errno_text(errno));
    }
    if (is_own_folder(compiler, model)) {
        compiler->model = model;
        return VKS_OK;
    }
    char *pass = vks_format("%s/lib/pass.glsl", compiler->folder);
    const bool ours = pass && access(pass, R_OK) == 0;
    free(pass);
    return ours
               ? VKS_OK
               : vks_fail(VKS_ERROR_FILE,
                          "'%s' is neither the folder of vksim's shaders, which has lib/pass.glsl, "
                          "nor that of the simulation",
                          folder);
}

enum vks_result vks_compiler_open(struct vks_compiler *compiler, const char *folder,
                                  const struct vks_model *model)
{
    *compiler = (struct vks_compiler){0};
    enum vks_result result = find_folder(compiler, folder, model);
    if (result == VKS_OK) {
        result = check_programs();
    }
    if (result != VKS_OK) {
        vks_compiler_close(compiler);
    }
    return result;
}

void vks_compiler_close(struct vks_compiler *compiler)
{
    free(compiler->folder);
    *compiler = (struct vks_compiler){0};
}

void vks_compiled_free(struct vks_compiled *compiled)
{
    free(compiled->builds[NARROW].words);
    free(compiled->builds[WIDE].words);
    free(compiled->depends);
    *compiled = (struct vks_compiled){0};
}

/* --- the interface --------------------------------------------------------------------------- */

static const struct vks_reflected_buffer *find_buffer(const struct vks_reflection *reflection,
                                                      const char *name)
{
    for (size_t i = 0; i < reflection->buffer_count; i++) {
        if (strcmp(reflection->buffers[i].name, name) == 0) {
            return &reflection->buffers[i];
        }
    }
    return NULL;
}

/* Less may be done to a buffer than before, but not more: a barrier could be missing. */
static bool fits_buffer(const struct vks_reflected_buffer *old,
                        const struct vks_reflected_buffer *new)
{
    return new &&new->binding == old->binding &&new->stride == old->stride &&new->read_only ==
           old->read_only &&new->write_only == old->write_only &&new->chunked ==
           old->chunked &&new->texel_words ==
           old->texel_words &&new->loads <= old->loads &&new->stores <=
               old->stores &&new->atomics <= old->atomics;
}

static bool has_constant(const struct vks_reflection *reflection,
                         const struct vks_reflected_constant *constant)
{
    bool found = false;
    for (size_t i = 0; i < reflection->constant_count; i++) {
        found = found || (reflection->constants[i].id == constant->id &&
                          strcmp(reflection->constants[i].name, constant->name) == 0);
    }
    return found;
}

/* What of the interface differs, "" for parts without a name; NULL: nothing. */
static const char *find_difference(const struct vks_reflection *old,
                                   const struct vks_reflection *new, const char **kind)
{
    *kind = "buffer";
    for (size_t i = 0; i < old->buffer_count; i++) {
        const char *name = old->buffers[i].name;
        if (!fits_buffer(&old->buffers[i], find_buffer(new, name))) {
            return name;
        }
    }
    for (size_t i = 0; i < new->buffer_count; i++) {
        if (!find_buffer(old, new->buffers[i].name)) {
            return new->buffers[i].name;
        }
    }
    *kind = "specialization constant";
    for (size_t i = 0; i < old->constant_count; i++) {
        if (!has_constant(new, &old->constants[i])) {
            return old->constants[i].name;
        }
    }
    for (size_t i = 0; i < new->constant_count; i++) {
        if (!has_constant(old, &new->constants[i])) {
            return new->constants[i].name;
        }
    }
    *kind = "block of push constants";
    return old->push_size == new->push_size ? NULL : "vks_push";
}

/* --- modules --------------------------------------------------------------------------------- */

/* The source of a shader; its path and text are to be freed. The path is NULL if it cannot be had,
 * which goes to `errors`. */
static struct vks_glsl_source source_of(const struct vks_compiler *compiler,
                                        const struct vks_compiled *item, FILE *errors)
{
    struct vks_glsl_source source = {0};
    if (compiler->model) {
        const char *file;
        source.text = vks_folder_text(compiler->model, item->index, &file);
        source.path = source.text ? vks_strdup(file) : NULL;
    } else {
        source.path = vks_format("%s/%s.comp", compiler->folder, item->shader->name);
    }
    if (!source.path) {
        fprintf(errors, "%s: %s\n", item->shader->name,
                compiler->model && !source.text ? vks_error_text() : "no memory to compile it");
    }
    return source;
}

static void source_free(struct vks_glsl_source *source)
{
    free((char *)(uintptr_t)source->path);
    free((char *)(uintptr_t)source->text);
    free(source->words);
    free(source->depends);
}

/* Fails a module for what spv_exact finds, with lines of the source. */
static bool check_exact(const struct vks_compiler *compiler, int build,
                        const struct vks_compiled *item, FILE *errors)
{
    const struct vks_compiled_build *made = &item->builds[build];
    const struct vks_glsl_options options = {
        .folder = compiler->folder, .wide = build == WIDE, .debug = true};
    struct vks_spv_counts counts;
    char *said = NULL;
    size_t size = 0;
    if (compiler->model) { /* it has its lines */
        return vks_spv_exact(item->shader->name, made->words, made->count, errors, &counts) ==
               VKS_SPV_EXACT;
    }
    FILE *none = open_memstream(&said, &size);
    const bool exact = none && vks_spv_exact(item->shader->name, made->words, made->count, none,
                                             &counts) == VKS_SPV_EXACT;
    if (none) {
        fclose(none);
    }
    free(said);
    if (exact) {
        return true;
    }
    struct vks_glsl_source source = source_of(compiler, item, errors);
    if (source.path) {
        vks_glsl_compile(&options, &source, 1, errors);
    }
    if (source.words) {
        (void)vks_spv_exact(item->shader->name, source.words, source.count, errors, &counts);
    }
    source_free(&source);
    return false;
}

/* Runs a program on a module, by a line for the shell; what it says goes to `errors` if it fails.
 * The module is the program's standard input, and *after what is left in that file, as a list of
 * *words; NULL: it is not read back. */
static bool run_on(const char *line, const char *name, const uint32_t *module, size_t count,
                   uint32_t **after, size_t *words, FILE *errors)
{
    const char *const arguments[] = {"/bin/sh", "-c", line, NULL};
    char *said = NULL;
    size_t length = 0;
    struct stat status;
    FILE *file = tmpfile(), *out = open_memstream(&said, &length);
    const int input = file ? fileno(file) : -1;
    bool good = file && out && vks_write_all(input, module, 4 * count) == 0 &&
                lseek(input, 0, SEEK_SET) == 0 && vks_program_run(arguments, input, out) == 0 &&
                fstat(input, &status) == 0;
    if (good && after) {
        const size_t size = (size_t)status.st_size;
        *after = malloc(size + 1);
        *words = size / 4;
        good = *after && size > 0 && pread(input, *after, size, 0) == status.st_size;
    }
    if (out) {
        fclose(out);
    }
    if (!good) {
        fprintf(errors, "%s.comp: %s\n", name,
                said && *said ? said : "it cannot be written to a file");
    }
    if (file) {
        fclose(file);
    }
    free(said);
    return good;
}

/* Runs spirv-opt on a module, as the build does. */
static bool shorten(struct vks_glsl_source *source, const char *name, FILE *errors)
{
    uint32_t *words = NULL;
    size_t count = 0;
    const bool good = run_on("exec spirv-opt " VKS_SPIRV_OPT_PASSES " - -o /dev/stdin", name,
                             source->words, source->count, &words, &count, errors);
    free(good ? source->words : words);
    source->words = good ? words : source->words;
    source->count = good ? count : source->count;
    return good;
}

static bool check_valid(const struct vks_compiled_build *made, const char *name, FILE *errors)
{
    return run_on("exec spirv-val " VKS_SPIRV_VAL_OPTIONS, name, made->words, made->count, NULL,
                  NULL, errors);
}

static bool check_interface(const struct vks_shader *old, const struct vks_shader *names,
                            struct vks_compiled_build *made, FILE *errors)
{
    char fault[VKS_SPV_FAULT_SIZE];
    struct vks_spv_facts facts;
    const char *kind = NULL, *differs = NULL;
    const bool read = vks_spv_reflect(made->words, made->count, &facts, fault);
    if (read) {
        differs = find_difference(&old->reflection, &facts.reflection, &kind);
        made->shared_bytes = facts.reflection.shared_bytes;
    } else {
        fprintf(errors, "%s.comp: %s\n", names->name, fault);
    }
    if (differs) {
        fprintf(errors,
                "%s.comp: its %s '%s' is not as it was built; the interface of a shader changes "
                "only with a new build\n",
                names->name, kind, differs);
    }
    vks_spv_facts_free(&facts);
    return read && !differs;
}

/* Checks a module and takes it, unless it is that of the build. False: it has failed. */
static bool take(const struct vks_compiler *compiler, int build, struct vks_compiled *item,
                 struct vks_glsl_source *source, FILE *errors)
{
    const struct vks_shader *old = build == WIDE ? item->shader->wide : item->shader;
    struct vks_compiled_build *made = &item->builds[build];
    if (!source->words || (!compiler->model && !shorten(source, item->shader->name, errors))) {
        return false;
    }
    if (source->count == old->count && memcmp(source->words, old->words, 4 * old->count) == 0) {
        return true; /* it was checked by the build */
    }
    made->words = source->words;
    made->count = source->count;
    source->words = NULL;
    return check_valid(made, item->shader->name, errors) &&
           check_exact(compiler, build, item, errors) &&
           check_interface(old, item->shader, made, errors);
}

/* --- errors ---------------------------------------------------------------------------------- */

/* Whether the line is one of those before it. */
static bool is_repeated(const char *text, const char *line, size_t length)
{
    for (const char *at = text; at < line; at = strchr(at, '\n') + 1) {
        if (strncmp(at, line, length + 1) == 0) {
            return true;
        }
    }
    return false;
}

/* Writes the lines without repetitions (a header fails many shaders), without the compiler's
 * counts, and with names relative to the folder. */
static void write_errors(const char *text, const char *folder, FILE *out)
{
    static const char counts[] = "generated.\n";
    const size_t prefix = strlen(folder);
    const char *end;
    for (const char *line = text; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        const size_t length = (size_t)(end - line), tail = strlen(counts) - 1;
        const bool counted = length >= tail && strncmp(end - tail, counts, tail + 1) == 0;
        if (length == 0 || counted || is_repeated(text, line, length)) {
            continue;
        }
        const char *at = line, *found;
        while ((found = strstr(at, folder)) != NULL && found < end && found[prefix] == '/') {
            fwrite(at, 1, (size_t)(found - at), out);
            at = found + prefix + 1;
        }
        fwrite(at, 1, (size_t)(end - at) + 1, out);
    }
}

/* --- all of it ------------------------------------------------------------------------------- */

/* Compiles the narrow or wide versions of all items that have one. */
static void compile_build(const struct vks_compiler *compiler, int build,
                          struct vks_compiled *items, size_t count, FILE *errors)
{
    const struct vks_glsl_options options = {
        .folder = compiler->folder, .wide = build == WIDE, .debug = compiler->model != NULL};
    struct vks_glsl_source *sources = calloc(count, sizeof(*sources));
    struct vks_compiled **of = calloc(count, sizeof(struct vks_compiled *));
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        struct vks_compiled *item = &items[i];
        if (build == WIDE && !item->shader->wide) {
            continue;
        }
        if (sources && of) {
            of[used] = item;
            sources[used] = source_of(compiler, item, errors);
        }
        if (sources && of && sources[used].path) {
            used++;
        } else {
            item->failed = true;
        }
    }
    vks_glsl_compile(&options, sources, used, errors);
    for (size_t i = 0; i < used; i++) {
        of[i]->failed = !take(compiler, build, of[i], &sources[i], errors) || of[i]->failed;
        if (build == NARROW) {
            of[i]->depends = sources[i].depends;
            sources[i].depends = NULL;
        }
        source_free(&sources[i]);
    }
    free(of);
    free(sources);
}

void vks_compile(const struct vks_compiler *compiler, struct vks_compiled *items, size_t count,
                 FILE *errors)
{
    char *text = NULL;
    size_t length = 0;
    FILE *raw = open_memstream(&text, &length);
    if (!raw) {
        fprintf(errors, "no memory to compile shaders\n");
        for (size_t i = 0; i < count; i++) {
            items[i].failed = true;
        }
        return;
    }
    compile_build(compiler, NARROW, items, count, raw);
    compile_build(compiler, WIDE, items, count, raw);
    fclose(raw);
    write_errors(text, compiler->folder, errors);
    free(text);
}
