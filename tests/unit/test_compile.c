/* SPDX-License-Identifier: MIT */
/* Compiling shaders at run time: the library, where it can be loaded, and the program give the
 * bytes of the build. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "gpu/pipeline.h"
#include "gpu/glsl.h"

static const char small[] =
    "#version 450\n"
    "layout(local_size_x = 1) in;\n"
    "layout(std430, binding = 0) buffer out_next { float out_next_values[]; };\n"
    "void main() { out_next_values[0] = 2.0; }\n";

/* The ways that there are here. */
static size_t find_ways(enum vks_glsl_way ways[3])
{
    static const enum vks_glsl_way all[] = {VKS_GLSL_PROGRAM, VKS_GLSL_EITHER, VKS_GLSL_LIBRARY};
    char identity[VKS_GLSL_IDENTITY];
    size_t count = 0;
    for (size_t i = 0; i < 3; i++) {
        if (vks_glsl_compiler(all[i], identity)) {
            ways[count++] = all[i];
        }
    }
    assert_true(count >= 2); /* the build needs the program */
    print_message("# the library %s\n", count == 3 ? "is there" : "cannot be loaded");
    return count;
}

static void source_free(struct vks_glsl_source *source)
{
    free(source->words);
    free(source->depends);
}

/* What was compiled, without a word about it. */
static char *compile(const struct vks_glsl_options *options, struct vks_glsl_source *sources,
                     size_t count)
{
    char *said = NULL;
    size_t size = 0;
    FILE *errors = open_memstream(&said, &size);
    assert_non_null(errors);
    vks_glsl_compile(options, sources, count, errors);
    fclose(errors);
    return said;
}

/* Runs spirv-opt, as the build does. */
static void shorten(struct vks_glsl_source *source)
{
    char path[] = "/tmp/vksim-test-XXXXXX", line[1024];
    const int file = mkstemp(path);
    struct stat status;
    assert_true(file >= 0 && vks_write_all(file, source->words, 4 * source->count) == 0);
    snprintf(line, sizeof(line), "spirv-opt " VKS_SPIRV_OPT_PASSES " %s -o %s >/dev/null 2>&1",
             path, path);
    assert_int_equal(system(line), 0);
    free(source->words);
    assert_int_equal(stat(path, &status), 0);
    source->count = (size_t)status.st_size / 4;
    source->words = malloc((size_t)status.st_size);
    close(file);
    FILE *read = fopen(path, "rb");
    assert_true(source->words && read &&
                fread(source->words, 4, source->count, read) == source->count);
    fclose(read);
    unlink(path);
}

/* Those of the build, two of which have the same base name and all of which include, narrow and
 * wide. */
static void test_bytes(void **state)
{
    static const char *const names[] = {"gray_scott/start", "physarum/start", "gray_scott/rates"};
    enum vks_glsl_way ways[3];
    const size_t count = find_ways(ways);
    (void)state;
    for (size_t i = 0; i < 2 * count; i++) {
        struct vks_glsl_source sources[] = {{.path = "shaders/gray_scott/start.comp"},
                                            {.path = "shaders/physarum/start.comp"},
                                            {.path = "shaders/gray_scott/rates.comp"}};
        const bool wide = i % 2 != 0;
        char folder[4096];
        const struct vks_glsl_options options = {
            .way = ways[i / 2], .folder = realpath("shaders", folder), .wide = wide};
        for (size_t j = 0; j < 3; j++) {
            sources[j].path = realpath(sources[j].path, NULL);
        }
        char *said = compile(&options, sources, 3);
        assert_string_equal(said, "");
        free(said);
        for (size_t j = 0; j < 3; j++) {
            const struct vks_shader *shader = vks_shader_find(names[j]);
            const struct vks_shader *built = wide ? shader->wide : shader;
            assert_non_null(built);
            shorten(&sources[j]);
            assert_int_equal(sources[j].count, built->count);
            assert_memory_equal(sources[j].words, built->words, 4 * built->count);
            assert_non_null(strstr(sources[j].depends, "/shaders/lib/field.glsl"));
            free((char *)(uintptr_t)sources[j].path);
            source_free(&sources[j]);
        }
    }
}

/* Texts: the same bytes by every way, with lines of the source, too; a wrong one says where. */
static void test_texts(void **state)
{
    enum vks_glsl_way ways[3];
    uint32_t *first[2] = {NULL, NULL};
    const size_t count = find_ways(ways);
    (void)state;
    for (size_t i = 0; i < 2 * count; i++) {
        const bool debug = i % 2 != 0;
        struct vks_glsl_source sources[] = {{.path = "small.comp", .text = small},
                                            {.path = "wrong.comp", .text = "#version 450\nvoid\n"},
                                            {.path = "lost.comp",
                                             .text = "#version 450\n"
                                                     "#include \"lost.h\"\n"},
                                            {.path = "nowhere/none.comp"}};
        const struct vks_glsl_options options = {.way = ways[i / 2], .debug = debug};
        char *said = compile(&options, sources, 4);
        assert_non_null(strstr(said, "wrong.comp:3:"));
        assert_non_null(strstr(said, "lost.comp:"));
        assert_non_null(strstr(said, "nowhere/none.comp"));
        free(said);
        assert_non_null(sources[0].words);
        assert_true(!sources[1].words && !sources[2].words && !sources[3].words);
        if (first[debug]) {
            assert_memory_equal(sources[0].words, first[debug], 4 * sources[0].count);
        } else {
            first[debug] = sources[0].words;
            sources[0].words = NULL;
        }
        for (size_t j = 0; j < 4; j++) {
            source_free(&sources[j]);
        }
    }
    free(first[0]);
    free(first[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
