/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* dladdr() */
#include "gpu/glsl.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/library.h"
#include "base/memory.h"
#include "base/program.h"

enum { MAX_FILE = 64 << 20 }; /* bytes; a module has some ten thousand */

/* The file of a name in a folder, to be freed. */
static char *in_folder(const char *folder, const char *name, const char *ending)
{
    return vks_format("%s/%s%s", folder, name, ending);
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* --- the library ----------------------------------------------------------------------------- */

#define SONAME "libshaderc.so.1"

VKS_LIBRARY_NOTE(shaderc, "formulas", "Compiles formulas and changed shaders", "suggested", SONAME);

/* As <shaderc/shaderc.h> declares them, which is not needed for the build. */
typedef struct {
    const char *source_name;
    size_t source_name_length;
    const char *content;
    size_t content_length;
    void *user_data;
} shaderc_include_result;
typedef shaderc_include_result *shaderc_resolver(void *user, const char *requested, int type,
                                                 const char *requesting, size_t depth);
typedef void shaderc_releaser(void *user, shaderc_include_result *result);
enum {
    SHADERC_TARGET_VULKAN = 0,
    SHADERC_VULKAN_1_3 = (1 << 22) | (3 << 12),
    SHADERC_COMPUTE = 2,
    SHADERC_INCLUDE_RELATIVE = 0,
    SHADERC_SUCCESS = 0,
};

static struct {
#define VKS_SHADERC(result, name, arguments) result(*name) arguments;
#include "gpu/shaderc.def"
#undef VKS_SHADERC
} shaderc;

static bool load_library(void)
{
    static const char *const names[] = {SONAME, NULL};
    static const struct vks_library_function functions[] = {
#define VKS_SHADERC(result, name, arguments) \
    {"shaderc_" #name, (size_t)((const char *)&shaderc.name - (const char *)&shaderc)},
#include "gpu/shaderc.def"
#undef VKS_SHADERC
    };
    static struct vks_library library = {
        .names = names,
        .functions = functions,
        .function_count = VKS_COUNT(functions),
        .table = &shaderc,
    };
    static _Atomic bool failed; /* which takes a millisecond each time */
    char why[256];
    failed = failed || !vks_library_load(&library, why, sizeof(why));
    return !failed;
}

/* What the includes of a source need. */
struct includes {
    const char *folder;
    FILE *depends;
};

/* The file that an #include names, to be freed; NULL: there is none. */
static char *find_include(const struct includes *includes, const char *requested, int type,
                          const char *requesting)
{
    const size_t length = (size_t)(base_of(requesting) - requesting);
    char *path = NULL;
    if (type == SHADERC_INCLUDE_RELATIVE) {
        path = vks_format("%.*s%s", (int)length, requesting, requested);
    }
    if (includes->folder && !(path && access(path, R_OK) == 0)) {
        free(path);
        path = in_folder(includes->folder, requested, "");
    }
    return path;
}

static shaderc_include_result *resolve(void *user, const char *requested, int type,
                                       const char *requesting, size_t depth)
{
    static const char missing[] = "there is no such file to include";
    static shaderc_include_result none = {"", 0, missing, sizeof(missing) - 1, NULL};
    const struct includes *includes = user;
    shaderc_include_result *result = calloc(1, sizeof(*result));
    char *path = find_include(includes, requested, type, requesting), *text = NULL;
    size_t size = 0;
    (void)depth;
    if (!result || !path || vks_read_file(path, MAX_FILE, &text, &size) != VKS_OK) {
        free(result);
        free(path);
        return &none;
    }
    fprintf(includes->depends, " %s", path);
    *result = (shaderc_include_result){path, strlen(path), text, size, text};
    return result;
}

static void release(void *user, shaderc_include_result *result)
{
    (void)user;
    if (result->user_data) {
        free(result->user_data);
        free((char *)(uintptr_t)result->source_name);
        free(result);
    }
}

static void *make_options(const struct vks_glsl_options *options, struct includes *includes)
{
    void *made = shaderc.compile_options_initialize();
    if (made) {
        shaderc.compile_options_set_target_env(made, SHADERC_TARGET_VULKAN, SHADERC_VULKAN_1_3);
        shaderc.compile_options_set_warnings_as_errors(made);
        shaderc.compile_options_set_include_callbacks(made, resolve, release, includes);
    }
    if (made && options->wide) {
        const char *name = &VKS_GLSLC_WIDE[strlen("-D")];
        shaderc.compile_options_add_macro_definition(made, name, strlen(name), NULL, 0);
    }
    if (made && options->debug) {
        shaderc.compile_options_set_generate_debug_info(made);
    }
    return made;
}

static void take_result(void *result, struct vks_glsl_source *source, FILE *errors)
{
    if (!result || shaderc.result_get_compilation_status(result) != SHADERC_SUCCESS) {
        fputs(result ? shaderc.result_get_error_message(result) : "no memory to compile\n", errors);
        return;
    }
    const size_t size = shaderc.result_get_length(result);
    source->words = malloc(size);
    if (source->words) {
        memcpy(source->words, shaderc.result_get_bytes(result), size);
        source->count = size / 4;
    } else {
        fprintf(errors, "%s: no memory to compile\n", source->path);
    }
}

static void compile_by_library(void *compiler, const struct vks_glsl_options *options,
                               struct vks_glsl_source *source, FILE *errors)
{
    char *read = NULL;
    size_t size = 0, length;
    struct includes includes = {options->folder, open_memstream(&source->depends, &length)};
    void *made = includes.depends ? make_options(options, &includes) : NULL;
    if (!source->text && vks_read_file(source->path, MAX_FILE, &read, &size) != VKS_OK) {
        fprintf(errors, "%s\n", vks_error_last()->text);
    } else if (made) {
        const char *text = read ? read : source->text;
        fprintf(includes.depends, " %s", source->path);
        void *result = shaderc.compile_into_spv(compiler, text, read ? size : strlen(text),
                                                SHADERC_COMPUTE, source->path, "main", made);
        take_result(result, source, errors);
        shaderc.result_release(result);
    } else {
        fprintf(errors, "%s: no memory to compile\n", source->path);
    }
    if (made) {
        shaderc.compile_options_release(made);
    }
    if (includes.depends) {
        fclose(includes.depends);
    }
    free(read);
}

static void compile_all_by_library(const struct vks_glsl_options *options,
                                   struct vks_glsl_source *sources, size_t count, FILE *errors)
{
    void *compiler = shaderc.compiler_initialize();
    for (size_t i = 0; compiler && i < count; i++) {
        compile_by_library(compiler, options, &sources[i], errors);
    }
    if (compiler) {
        shaderc.compiler_release(compiler);
    } else {
        fprintf(errors, "no memory to compile\n");
    }
}

/* --- the program ----------------------------------------------------------------------------- */

/* The first argument is the folder to work in. */
#define GLSLC "cd \"$1\" && shift && exec glslc " VKS_GLSLC_OPTIONS " -c -MD \"$@\""

/* The file of the program, to be freed; NULL: there is none. */
static char *find_program(void)
{
    char *path = NULL;
    const char *folders = vks_environment("PATH");
    for (const char *at = folders; at && *at && !path;) {
        const size_t length = strcspn(at, ":");
        path = length > 0 ? vks_format("%.*s/glslc", (int)length, at) : NULL;
        if (path && access(path, X_OK) != 0) {
            free(path);
            path = NULL;
        }
        at += length + (at[length] == ':');
    }
    return path;
}

/* A new folder for what glslc reads and writes, to be freed; NULL with a line. */
static char *make_work(FILE *errors)
{
    const char *given = getenv("TMPDIR");
    char *work = vks_format("%s/vksim-XXXXXX", given && given[0] ? given : "/tmp");
    if (work && !mkdtemp(work)) {
        fprintf(errors, "cannot write to '%s': %s\n", work, vks_errno_text(errno));
        free(work);
        work = NULL;
    }
    return work;
}

/* Whether the source is among those of one call: the first that is left of its base name. */
static bool is_in_call(const struct vks_glsl_source *sources, const bool *called, size_t i)
{
    for (size_t j = 0; j < i; j++) {
        if (!called[j] && strcmp(base_of(sources[j].path), base_of(sources[i].path)) == 0) {
            return false;
        }
    }
    return !called[i];
}

static bool write_text(const char *path, const char *text, FILE *errors)
{
    FILE *file = fopen(path, "we");
    const bool written = file && fputs(text, file) >= 0;
    const bool closed = file && fclose(file) == 0;
    if (!written || !closed) {
        fprintf(errors, "cannot write '%s': %s\n", path, vks_errno_text(errno));
    }
    return written && closed;
}

/* The files of a source in the folder of work; takes what was made of it and removes them. */
static void take_files(const char *work, struct vks_glsl_source *source)
{
    static const char *const endings[] = {"", ".spv", ".spv.d"};
    const char *base = base_of(source->path);
    char *paths[VKS_COUNT(endings)], *words = NULL;
    size_t size = 0;
    for (size_t i = 0; i < VKS_COUNT(endings); i++) {
        paths[i] = in_folder(work, base, endings[i]);
    }
    if (paths[1] && access(paths[1], R_OK) == 0 &&
        vks_read_file(paths[1], MAX_FILE, &words, &size) == VKS_OK) {
        source->words = (uint32_t *)(void *)words; /* malloc's memory is aligned for it */
        source->count = size / 4;
    }
    if (paths[2] && access(paths[2], R_OK) == 0) {
        (void)vks_read_file(paths[2], MAX_FILE, &source->depends, NULL);
    }
    for (size_t i = 0; i < VKS_COUNT(endings); i++) {
        if (paths[i]) {
            (void)unlink(paths[i]);
        }
        free(paths[i]);
    }
}

/* The words that glslc is called with before its sources; their number. */
static size_t first_words(const struct vks_glsl_options *options, const char *work,
                          const char **words)
{
    static const char *const shell[] = {"/bin/sh", "-c", GLSLC, "sh"};
    size_t used = VKS_COUNT(shell);
    memcpy(words, shell, sizeof(shell));
    words[used++] = work;
    if (options->folder) {
        words[used++] = "-I";
        words[used++] = options->folder;
    }
    if (options->wide) {
        words[used++] = VKS_GLSLC_WIDE;
    }
    if (options->debug) {
        words[used++] = "-g";
    }
    return used;
}

/* One call compiles all sources whose base names differ, because most of its time is start-up. */
static void call_glslc(const struct vks_glsl_options *options, const char *work,
                       struct vks_glsl_source *sources, bool *called, size_t count, FILE *errors)
{
    enum { FIRST = 9 };
    const char **words = calloc(FIRST + count + 1, sizeof(*words));
    bool *now = calloc(count, sizeof(*now));
    size_t used = words && now ? first_words(options, work, words) : 0;
    for (size_t i = 0; used > 0 && i < count; i++) {
        now[i] = is_in_call(sources, called, i);
        if (now[i] && sources[i].text) {
            char *path = in_folder(work, base_of(sources[i].path), "");
            now[i] = path && write_text(path, sources[i].text, errors);
            called[i] = !now[i];
            free(path);
        }
        if (now[i]) {
            words[used++] = sources[i].text ? base_of(sources[i].path) : sources[i].path;
        }
    }
    if (used > 0) {
        (void)vks_program_run(words, -1, errors); /* a module that is missing then has failed */
    } else {
        fprintf(errors, "no memory to compile\n");
    }
    for (size_t i = 0; i < count; i++) {
        called[i] = called[i] || used == 0 || now[i];
        if (used > 0 && now[i]) {
            take_files(work, &sources[i]);
        }
    }
    free(words);
    free(now);
}

static void compile_all_by_program(const struct vks_glsl_options *options,
                                   struct vks_glsl_source *sources, size_t count, FILE *errors)
{
    char *work = make_work(errors);
    bool *called = calloc(count, sizeof(*called));
    for (size_t left = work && called ? count : 0; left > 0;) {
        call_glslc(options, work, sources, called, count, errors);
        left = 0;
        for (size_t i = 0; i < count; i++) {
            left += !called[i];
        }
    }
    if (work) {
        (void)rmdir(work);
    }
    free(called);
    free(work);
}

/* --- either ---------------------------------------------------------------------------------- */

static enum vks_glsl_way choose(enum vks_glsl_way way)
{
    return way == VKS_GLSL_PROGRAM || !load_library() ? VKS_GLSL_PROGRAM : VKS_GLSL_LIBRARY;
}

bool vks_glsl_compiler(enum vks_glsl_way way, char identity[VKS_GLSL_IDENTITY])
{
    struct stat info;
    Dl_info library;
    char *path = NULL;
    if (choose(way) == VKS_GLSL_LIBRARY) {
        void *function;
        memcpy(&function, &shaderc.compiler_initialize, sizeof(function));
        path = dladdr(function, &library) != 0 ? vks_strdup(library.dli_fname) : NULL;
    } else if (way != VKS_GLSL_LIBRARY) {
        path = find_program();
    }
    const bool found = path && stat(path, &info) == 0;
    if (found) {
        snprintf(identity, VKS_GLSL_IDENTITY, "%s %lld %lld %s", path, (long long)info.st_size,
                 (long long)info.st_mtime, VKS_GLSLC_OPTIONS);
    }
    free(path);
    return found;
}

void vks_glsl_compile(const struct vks_glsl_options *options, struct vks_glsl_source *sources,
                      size_t count, FILE *errors)
{
    for (size_t i = 0; i < count; i++) {
        sources[i].words = NULL;
        sources[i].count = 0;
        sources[i].depends = NULL;
    }
    if (choose(options->way) == VKS_GLSL_LIBRARY) {
        compile_all_by_library(options, sources, count, errors);
    } else {
        compile_all_by_program(options, sources, count, errors);
    }
}
