/* SPDX-License-Identifier: MIT */
#include "formula/shader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/program.h"
#include "gpu/device.h"
#include "spirv/exact.h"
#include "spirv/reflect.h"

/* What belongs to one shader for the life of the process. */
struct compiled {
    struct vks_shader shader;
    struct vks_spv_facts facts;
    uint32_t *words;
};

/* An unnamed file, open for reading and writing; -1 with a message. */
static int open_temporary(void)
{
    FILE *file = tmpfile();
    const int fd = file ? fcntl(fileno(file), F_DUPFD_CLOEXEC, 3) : -1;
    if (fd < 0) {
        vks_fail(VKS_ERROR_FILE, "cannot make a temporary file: %s", vks_errno_text(errno));
    }
    if (file) {
        fclose(file); /* the duplicate keeps it */
    }
    return fd;
}

/* The whole file, with a zero after it, to be freed; NULL with a message. */
static char *read_all(int fd, size_t *size)
{
    const off_t end = lseek(fd, 0, SEEK_END);
    char *data = end >= 0 ? calloc(1, (size_t)end + 8) : NULL;
    size_t at = 0;
    while (data && at < (size_t)end) {
        const ssize_t count = pread(fd, data + at, (size_t)end - at, (off_t)at);
        if (count <= 0 && errno != EINTR) {
            break;
        }
        at += count > 0 ? (size_t)count : 0;
    }
    if (!data || at < (size_t)end) {
        vks_fail(VKS_ERROR_FILE, "cannot read a temporary file: %s", vks_errno_text(errno));
        free(data);
        data = NULL;
    }
    *size = at;
    return data;
}

/* Runs glslc from the file descriptors `in` to `out`, messages to `errors`. Returns its exit
 * status, or -1 with a message. */
static int run_glslc(int in, int out, int errors)
{
    static const char *const argv[] = {
        "glslc", "--target-env=vulkan1.3", "-fshader-stage=compute", "-g", "-c", "-o", "-", "-",
        NULL,
    };
    pid_t child;
    const int error = vks_program_start(argv, (const int[]){in, out, errors}, &child);
    if (error != 0) {
        vks_fail(VKS_ERROR_USAGE,
                 error == ENOENT ? "a formula needs a GLSL compiler: install the program glslc"
                                 : "cannot run glslc: %s",
                 vks_errno_text(error));
        return -1;
    }
    const int status = vks_program_wait(child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

/* The text with the library in place of its include, to be freed; NULL with a message. */
static char *whole_text(const char *text)
{
    static const char include[] = "#include \"lib/cells.glsl\"\n";
    const char *at = strstr(text, include);
    char *whole = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&whole, &size);
    if (out) {
        fwrite(text, 1, at ? (size_t)(at - text) : 0, out);
        for (size_t i = 0; vks_formula_library[i]; i++) {
            fputs(vks_formula_library[i], out);
        }
        fputs(at ? at + strlen(include) : text, out);
        if (fclose(out) != 0) {
            free(whole);
            whole = NULL;
        }
    }
    if (!whole) {
        vks_fail_memory();
    }
    return whole;
}

static enum vks_result write_text(int fd, const char *text)
{
    const int error = vks_write_all(fd, text, strlen(text));
    return error == 0 && lseek(fd, 0, SEEK_SET) == 0
               ? VKS_OK
               : vks_fail(VKS_ERROR_FILE, "cannot write a temporary file: %s",
                          vks_errno_text(error ? error : errno));
}

/* The module of a text, to be freed; NULL with a message. */
static uint32_t *run_compiler(const char *name, const char *text, size_t *count)
{
    const int in = open_temporary(), out = in >= 0 ? open_temporary() : -1;
    const int errors = out >= 0 ? open_temporary() : -1;
    char *data = NULL;
    size_t size = 0;
    int status = -1;
    if (errors >= 0 && write_text(in, text) == VKS_OK) {
        status = run_glslc(in, out, errors);
    }
    if (status >= 0) {
        data = read_all(status == 0 ? out : errors, &size);
    }
    if (data && status != 0) {
        vks_fail(VKS_ERROR_INTERNAL, "the shader %s does not compile: %.400s", name, data);
        free(data);
        data = NULL;
    }
    const int files[] = {in, out, errors};
    for (size_t i = 0; i < VKS_COUNT(files); i++) {
        if (files[i] >= 0) {
            close(files[i]);
        }
    }
    *count = size / 4;
    return (uint32_t *)(void *)data;
}

/* Checks that the words are an exact module that the library can use, and reflects them. */
static enum vks_result examine(const char *name, const uint32_t *words, size_t count,
                               struct vks_spv_facts *facts)
{
    char *offences = NULL, fault[VKS_SPV_FAULT_SIZE];
    size_t size = 0;
    struct vks_spv_counts counts;
    FILE *out = open_memstream(&offences, &size);
    if (!out) {
        return vks_fail_memory();
    }
    const enum vks_spv_verdict verdict = vks_spv_exact(name, words, count, out, &counts);
    if (fclose(out) != 0) {
        free(offences);
        return vks_fail_memory();
    }
    enum vks_result result = VKS_OK;
    if (verdict != VKS_SPV_EXACT) {
        result =
            vks_fail(VKS_ERROR_INTERNAL, "the shader of a formula is not exact: %.400s", offences);
    } else if (!vks_spv_reflect(words, count, facts, fault)) {
        result = vks_fail(VKS_ERROR_INTERNAL, "the shader %s: %s", name, fault);
        vks_spv_facts_free(facts);
        *facts = (struct vks_spv_facts){0};
    }
    free(offences);
    return result;
}

/* Where the module of a text is kept, to be freed; NULL: nowhere. */
static char *cache_path(const char *text)
{
    char hex[33], file[64];
    struct vks_digest *digest = vks_digest_create();
    if (!digest) {
        return NULL;
    }
    vks_digest_update(digest, text, strlen(text));
    vks_digest_hex(digest, hex);
    vks_digest_destroy(digest);
    snprintf(file, sizeof(file), "shaders/%s.spv", hex);
    return vks_cache_name(file);
}

/* Takes the module from the cache; false if it is not there, or damaged. */
static bool take_cached(const char *path, const char *name, struct compiled *compiled,
                        size_t *count)
{
    char *data = NULL;
    size_t size = 0;
    struct vks_error before; /* a missing file is not an error */
    vks_error_keep(VKS_OK, &before);
    if (path && access(path, R_OK) == 0 &&
        vks_read_regular_file(path, (size_t)1 << 26, &data, &size) == VKS_OK && size % 4 == 0) {
        *count = size / 4;
        compiled->words = (uint32_t *)(void *)data;
        if (examine(name, compiled->words, *count, &compiled->facts) == VKS_OK) {
            return true;
        }
    }
    compiled->words = NULL;
    free(data);
    vks_fail_again(&before);
    return false;
}

/* Takes the module from the cache, or compiles and keeps it. */
static enum vks_result find_module(const char *name, const char *text, struct compiled *compiled,
                                   size_t *count)
{
    enum vks_result result = VKS_OK;
    char *path = cache_path(text);
    if (!take_cached(path, name, compiled, count)) {
        compiled->words = run_compiler(name, text, count);
        result = compiled->words ? examine(name, compiled->words, *count, &compiled->facts)
                                 : vks_error_last()->result;
        if (result == VKS_OK && path) {
            vks_gpu_cache_keep(path, compiled->words, 4 * *count);
        }
    }
    free(path);
    return result;
}

enum vks_result vks_formula_compile(const char *name, const char *text)
{
    struct compiled *compiled = calloc(1, sizeof(*compiled));
    char *whole = whole_text(text);
    size_t count = 0;
    enum vks_result result =
        compiled && whole ? find_module(name, whole, compiled, &count) : vks_fail_memory();
    free(whole);
    if (result == VKS_OK) {
        compiled->shader = (struct vks_shader){.name = name,
                                               .words = compiled->words,
                                               .count = count,
                                               .exact = true,
                                               .reflection = compiled->facts.reflection};
        result = vks_shader_add(&compiled->shader, 1);
    }
    if (result != VKS_OK && compiled) {
        vks_spv_facts_free(&compiled->facts);
        free(compiled->words);
        free(compiled);
    }
    return result;
}
