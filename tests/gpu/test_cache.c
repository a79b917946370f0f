/* SPDX-License-Identifier: MIT */
/* The pipeline cache on disk: used if intact, else ignored; the result of a run is the same. */
#include "gpu_test.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/file.h"
#include "base/log.h"
#include "api/simulation.h"
#include "share.h"

static char folder[256];
static char expected[33]; /* digest of the run without a cache */

/* One small run; *loaded gets the bytes that came from the cache file. */
static void run(size_t *loaded, bool disk)
{
    vks_context *context;
    vks_simulation *simulation;
    char hex[33];
    ASSERT_FINE(vks_context_create(&VKS_CONTEXT_PARAMS(.no_disk_cache = !disk), &context));
    *loaded = context->gpu.cache_loaded;
    ASSERT_FINE(vks_simulation_create(
        context,
        &VKS_SIMULATION_PARAMS(.model = "gray-scott", .preset = "plain", .width = 32, .height = 32,
                               .options = (const char *const[]){"variant=plain", NULL}),
        &simulation));
    ASSERT_FINE(vks_simulation_run(simulation, 2));
    ASSERT_FINE(vks_simulation_digest(simulation, hex));
    vks_simulation_destroy(simulation);
    vks_context_destroy(context);
    if (expected[0]) {
        assert_string_equal(hex, expected);
    } else {
        memcpy(expected, hex, sizeof(hex));
    }
}

/* The one file of the folder, or "". */
static const char *find_file(void)
{
    static char path[600];
    DIR *open = opendir(folder);
    unsigned files = 0;
    assert_non_null(open);
    path[0] = '\0';
    for (struct dirent *entry; (entry = readdir(open)) != NULL;) {
        if (entry->d_name[0] != '.') {
            snprintf(path, sizeof(path), "%s/%.255s", folder, entry->d_name);
            files++;
        }
    }
    closedir(open);
    assert_true(files <= 1);
    return path;
}

static int setup(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof(folder), "%.200s/vksim-cache-XXXXXX", base && *base ? base : "/tmp");
    return mkdtemp(folder) && setenv("VKSIM_CACHE_DIR", folder, 1) == 0 ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    unlink(find_file());
    return rmdir(folder);
}

static void test_written_and_read(void **state)
{
    (void)state;
    size_t loaded;
    run(&loaded, false);
    assert_int_equal(loaded, 0);
    assert_string_equal(find_file(), ""); /* as asked */
    run(&loaded, true);
    assert_int_equal(loaded, 0);
    struct stat first, second;
    assert_int_equal(stat(find_file(), &first), 0);
    assert_true(first.st_size > 32);
    run(&loaded, true);
    assert_int_equal(loaded, first.st_size - 32);
    /* Still one file, and it was used. (One driver adds to it in every run.) */
    assert_int_equal(stat(find_file(), &second), 0);
    assert_true(second.st_size >= first.st_size);
    run(&loaded, true);
    assert_int_equal(loaded, second.st_size - 32);
}

/* The content of the cache file is ignored and replaced by a valid one. */
static void assert_ignored(const void *bytes, size_t size)
{
    size_t loaded;
    char path[600];
    snprintf(path, sizeof(path), "%s", find_file());
    ASSERT_FINE(vks_write_file(path, true, bytes, size));
    run(&loaded, true);
    assert_int_equal(loaded, 0);
    run(&loaded, true);
    assert_true(loaded > 0);
}

static void test_damaged(void **state)
{
    (void)state;
    size_t loaded, size;
    char *bytes;
    run(&loaded, true);
    ASSERT_FINE(vks_read_file(find_file(), (size_t)1 << 30, &bytes, &size));
    assert_true(size >= 64); /* vksim's header and Vulkan's */
    const size_t places[] = {0, 8, 31, 32, size - 1};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        bytes[places[i]] ^= 0x10;
        if (share_due()) {
            assert_ignored(bytes, size);
        }
        bytes[places[i]] ^= 0x10;
    }
    const size_t cuts[] = {0, 31, 32, size - 1};
    for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
        if (share_due()) {
            assert_ignored(bytes, cuts[i]);
        }
    }
    char *longer = calloc(1, size + 1);
    assert_non_null(longer);
    memcpy(longer, bytes, size);
    assert_ignored(longer, size + 1);
    free(longer);
    free(bytes);
}

static void test_foreign(void **state)
{
    (void)state;
    static const char text[] = "#!/bin/sh\n# This is a text and nothing else, whatever its name.\n";
    size_t loaded;
    run(&loaded, true);
    assert_ignored(text, sizeof(text));
}

/* The digest is valid, but the data is not a cache of this driver, which must refuse it; the run
 * continues. */
static void test_foreign_inside(void **state)
{
    (void)state;
    enum { SIZE = 4096 };
    size_t loaded;
    unsigned char file[32 + SIZE];
    const uint64_t size = SIZE;
    run(&loaded, true);
    for (int kind = 0; kind < 3; kind++) {
        uint64_t random = 1;
        for (size_t i = 0; i < SIZE; i++) {
            file[32 + i] = kind == 0 ? 0 : (unsigned char)next_word(&random);
        }
        if (kind == 2) { /* a Vulkan header (32 bytes, version one) of another vendor's device */
            const uint32_t header[] = {32, 1, 0x12345678, 0x9abcdef0};
            memcpy(file + 32, header, sizeof(header));
        }
        XXH128_canonical_t canonical;
        XXH128_canonicalFromHash(&canonical, XXH3_128bits(file + 32, SIZE));
        memcpy(file, "VKSIMPC1", 8);
        memcpy(file + 8, &size, 8);
        memcpy(file + 16, canonical.digest, 16);
        char path[600];
        snprintf(path, sizeof(path), "%s", find_file());
        ASSERT_FINE(vks_write_file(path, true, file, sizeof(file)));
        run(&loaded, true);
    }
    run(&loaded, true);
    assert_true(loaded > 0);
}

/* Nothing can be written: below a file, in a folder of the kernel, below something that is not a
 * folder. */
static void test_no_folder(void **state)
{
    (void)state;
    static const char *const places[] = {"/proc/vksim", "/dev/null/vksim", "/proc/self/status"};
    size_t loaded;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        assert_int_equal(setenv("VKSIM_CACHE_DIR", places[i], 1), 0);
        run(&loaded, true);
        assert_int_equal(loaded, 0);
    }
    char path[300];
    snprintf(path, sizeof(path), "%s/file", folder);
    ASSERT_FINE(vks_write_file(path, false, "x", 1));
    assert_int_equal(setenv("VKSIM_CACHE_DIR", path, 1), 0);
    run(&loaded, true);
    run(&loaded, true);
    assert_int_equal(loaded, 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(setenv("VKSIM_CACHE_DIR", folder, 1), 0);
}

/* A folder in the cache file's place. */
static void test_folder_in_its_place(void **state)
{
    (void)state;
    size_t loaded;
    char path[600];
    run(&loaded, true);
    snprintf(path, sizeof(path), "%s", find_file());
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0777), 0);
    run(&loaded, true);
    assert_int_equal(loaded, 0);
    assert_int_equal(rmdir(path), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_written_and_read, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damaged, setup, teardown),
        cmocka_unit_test_setup_teardown(test_foreign, setup, teardown),
        cmocka_unit_test_setup_teardown(test_foreign_inside, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_folder, setup, teardown),
        cmocka_unit_test_setup_teardown(test_folder_in_its_place, setup, teardown),
    };
    share_read(argc, argv);
    open_gpu(&(struct vks_gpu_params){.no_disk_cache = true}); /* there is a device */
    vks_gpu_close(&gpu);
    vks_message_to(VKS_LOG_WARNING, NULL, NULL);
    return cmocka_run_group_tests_name("cache", tests, NULL, NULL);
}
