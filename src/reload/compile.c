/* SPDX-License-Identifier: MIT */
#include "reload/compile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/program.h"
#include "spirv/exact.h"
#include "spirv/reflect.h"

enum {
    NARROW,
    WIDE,
    MAX_MODULE = 64 << 20, /* bytes; a shader has some ten thousand */
};

/* The first argument is the folder to work in. */
#define GLSLC "cd \"$1\" && shift && exec glslc " VKS_GLSLC_OPTIONS " -c -MD \"$@\""
#define SPIRV_VAL "exec spirv-val " VKS_SPIRV_VAL_OPTIONS " \"$@\""

/* --- programs -------------------------------------------------------------------------------- */

static void copy_all(int from, FILE *to)
{
    char buffer[4096];
    for (;;) {
        const ssize_t got = read(from, buffer, sizeof(buffer));
        if (got > 0) {
            fwrite(buffer, 1, (size_t)got, to);
        } else if (got == 0 || errno != EINTR) {
            return;
        }
    }
}

/* Runs a command of the shell with `count` words as its arguments; what it says goes to `said`.
 * True if it succeeded. */
static bool run(const char *command, const char *const *words, size_t count, FILE *said)
{
    const char **arguments = calloc(count + 5, sizeof(*arguments));
    const char *const shell[] = {"/bin/sh", "-c", command, "sh"};
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int ends[2], status = 1;
    pid_t child = 0;
    if (!arguments || nothing < 0 || pipe(ends) != 0) {
        fprintf(said, "no memory to run a program\n");
        free(arguments);
        if (nothing >= 0) {
            close(nothing);
        }
        return false;
    }
    memcpy(arguments, shell, sizeof(shell));
    memcpy(arguments + VKS_COUNT(shell), words, count * sizeof(*words));
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    const int error =
        vks_program_start(arguments, (const int[]){nothing, ends[1], ends[1]}, &child);
    close(ends[1]);
    close(nothing);
    if (error == 0) {
        copy_all(ends[0], said);
        status = vks_program_wait(child);
    } else {
        fprintf(said, "cannot run /bin/sh: %s\n", vks_errno_text(error));
    }
    close(ends[0]);
    free(arguments);
    return error == 0 && status == 0;
}

/* Runs a command of whose output nothing is needed. */
static bool run_silently(const char *command, const char *word)
{
    FILE *nothing = fopen("/dev/null", "w");
    const bool good = nothing && run(command, &word, 1, nothing);
    if (nothing) {
        fclose(nothing);
    }
    return good;
}

/* --- opening --------------------------------------------------------------------------------- */

static enum vks_result check_programs(void)
{
    static const char *const programs[][2] = {{"glslc", "glslc"}, {"spirv-val", "spirv-tools"}};
    for (size_t i = 0; i < VKS_COUNT(programs); i++) {
        if (!run_silently("exec \"$1\" --version", programs[i][0])) {
            return vks_fail(VKS_ERROR_FILE,
                            "the program %s, which compiles shaders, cannot be run; install %s",
                            programs[i][0], programs[i][1]);
        }
    }
    return VKS_OK;
}

static enum vks_result find_folder(struct vks_compiler *compiler, const char *folder)
{
    compiler->folder = realpath(folder, NULL);
    if (!compiler->folder) {
        return vks_fail(VKS_ERROR_FILE, "cannot read the folder '%s': %s", folder,
                        vks_errno_text(errno));
    }
    char *pass = vks_format("%s/lib/pass.glsl", compiler->folder);
    const bool ours = pass && access(pass, R_OK) == 0;
    free(pass);
    return ours ? VKS_OK
                : vks_fail(VKS_ERROR_FILE,
                           "'%s' is not the folder of vksim's shaders: it has no lib/pass.glsl",
                           folder);
}

static enum vks_result make_work(struct vks_compiler *compiler)
{
    const char *given = getenv("TMPDIR");
    char *work = vks_format("%s/vksim-XXXXXX", given && given[0] ? given : "/tmp");
    if (!work) {
        return vks_fail_memory();
    }
    if (!mkdtemp(work)) {
        const enum vks_result result = vks_fail_write(work, errno);
        free(work);
        return result;
    }
    compiler->work = work;
    return VKS_OK;
}

enum vks_result vks_compiler_open(struct vks_compiler *compiler, const char *folder)
{
    *compiler = (struct vks_compiler){0};
    enum vks_result result = find_folder(compiler, folder);
    if (result == VKS_OK) {
        result = check_programs();
    }
    if (result == VKS_OK) {
        result = make_work(compiler);
    }
    if (result != VKS_OK) {
        vks_compiler_close(compiler);
    }
    return result;
}

void vks_compiler_close(struct vks_compiler *compiler)
{
    if (compiler->work) {
        (void)run_silently("exec rm -rf -- \"$1\"", compiler->work);
    }
    free(compiler->folder);
    free(compiler->work);
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

static const char *base_of(const struct vks_shader *shader)
{
    return strrchr(shader->name, '/') + 1;
}

static bool same_folder(const struct vks_shader *a, const struct vks_shader *b)
{
    const size_t length = (size_t)(base_of(a) - a->name);
    return strncmp(a->name, b->name, length) == 0 && !strchr(b->name + length, '/');
}

/* WORK/BUILD/FOLDER, to be freed; NULL if it cannot be made. */
static char *make_folder(const struct vks_compiler *compiler, int build,
                         const struct vks_shader *shader)
{
    char *path = vks_format("%s/%d/%.*s", compiler->work, build,
                            (int)(base_of(shader) - shader->name), shader->name);
    if (path && vks_make_folders(path) != 0) {
        free(path);
        path = NULL;
    }
    return path;
}

/* The file of a module, to be freed. */
static char *module_path(const struct vks_compiler *compiler, int build,
                         const struct vks_shader *shader, const char *ending)
{
    return vks_format("%s/%d/%s.comp.spv%s", compiler->work, build, shader->name, ending);
}

/* Whether item i is compiled together with the first of its folder. */
static bool belongs(const struct vks_compiled *items, size_t first, size_t i, int build)
{
    return same_folder(items[first].shader, items[i].shader) &&
           (build == NARROW || items[i].shader->wide);
}

/* Calls glslc once for the `only` item, or for all that belong to the first. */
static void call_glslc(const struct vks_compiler *compiler, int build,
                       const struct vks_compiled *items, size_t first, size_t count, bool debug,
                       FILE *said)
{
    const char **words = calloc(count + 5, sizeof(*words));
    char *folder = make_folder(compiler, build, items[first].shader);
    size_t used = 0;
    if (!words || !folder) {
        fprintf(said, "%s: cannot write to '%s'\n", items[first].shader->name, compiler->work);
        free(words);
        free(folder);
        return;
    }
    words[used++] = folder;
    words[used++] = "-I";
    words[used++] = compiler->folder;
    if (build == WIDE) {
        words[used++] = VKS_GLSLC_WIDE;
    }
    if (debug) {
        words[used++] = "-g";
    }
    const size_t fixed = used;
    for (size_t i = first; i < count; i++) {
        char *old = module_path(compiler, build, items[i].shader, "");
        if (old && belongs(items, first, i, build)) {
            (void)unlink(old);
            words[used++] = vks_format("%s/%s.comp", compiler->folder, items[i].shader->name);
        }
        free(old);
    }
    if (used > fixed) {
        (void)run(GLSLC, words, used, said); /* a module that is missing afterwards has failed */
    }
    while (used > fixed) {
        free((char *)(uintptr_t)words[--used]);
    }
    free(folder);
    free(words);
}

/* Fails a module for what spv_exact finds, with lines of the source. */
static bool check_exact(const struct vks_compiler *compiler, int build,
                        const struct vks_compiled *item, FILE *errors)
{
    const struct vks_compiled_build *made = &item->builds[build];
    struct vks_spv_counts counts;
    char *said = NULL, *path = NULL, *words = NULL;
    size_t size = 0;
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
    call_glslc(compiler, build, item, 0, 1, true, errors);
    path = module_path(compiler, build, item->shader, "");
    if (path && vks_read_file(path, MAX_MODULE, &words, &size) == VKS_OK) {
        (void)vks_spv_exact(item->shader->name, (const uint32_t *)(const void *)words, size / 4,
                            errors, &counts);
    }
    free(words);
    free(path);
    return false;
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

/* Reads and checks a module that glslc has made. False: it has failed. */
static bool take(const struct vks_compiler *compiler, int build, struct vks_compiled *item,
                 FILE *errors)
{
    const struct vks_shader *old = build == WIDE ? item->shader->wide : item->shader;
    struct vks_compiled_build *made = &item->builds[build];
    char *path = module_path(compiler, build, item->shader, ""), *bytes = NULL, *said = NULL;
    size_t size = 0, length = 0;
    bool good = path && vks_read_file(path, MAX_MODULE, &bytes, &size) == VKS_OK;
    made->words = (uint32_t *)(void *)bytes; /* malloc's memory is aligned for it */
    made->count = size / 4;
    if (good && made->count == old->count && memcmp(bytes, old->words, 4 * old->count) == 0) {
        free(bytes); /* it was checked by the build */
        *made = (struct vks_compiled_build){0};
        free(path);
        return true;
    }
    FILE *out = good ? open_memstream(&said, &length) : NULL;
    const char *const word = path;
    if (out && !run(SPIRV_VAL, &word, 1, out)) {
        fflush(out);
        fprintf(errors, "%s.comp: %s\n", item->shader->name, said);
        good = false;
    }
    if (out) {
        fclose(out);
    }
    free(said);
    free(path);
    return good && check_exact(compiler, build, item, errors) &&
           check_interface(old, item->shader, made, errors);
}

static void take_depends(const struct vks_compiler *compiler, struct vks_compiled *item)
{
    char *path = module_path(compiler, NARROW, item->shader, ".d");
    if (path && vks_read_file(path, MAX_MODULE, &item->depends, NULL) != VKS_OK) {
        item->depends = NULL;
    }
    free(path);
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

/* Writes the lines without repetitions (a header fails many shaders), without glslc's counts, and
 * with names relative to the folder. */
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

static void compile_build(const struct vks_compiler *compiler, int build,
                          struct vks_compiled *items, size_t count, FILE *errors)
{
    for (size_t first = 0; first < count; first++) {
        bool repeated = false;
        for (size_t i = 0; i < first; i++) {
            repeated = repeated || same_folder(items[i].shader, items[first].shader);
        }
        if (!repeated) {
            call_glslc(compiler, build, items, first, count, false, errors);
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (build == NARROW) {
            take_depends(compiler, &items[i]);
        }
        if (build == NARROW || items[i].shader->wide) {
            items[i].failed = !take(compiler, build, &items[i], errors) || items[i].failed;
        }
    }
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
