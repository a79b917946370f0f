/* SPDX-License-Identifier: MIT */
/* tune.h on a device: variants are measured, remembered and recalled; a file that is damaged or of
 * another version is replaced. The software device poses as a GPU, or nothing would be measured. */
#include <dirent.h>
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
#include "api/tune.h"
#include "sim/registry.h"
#include "share.h"

static char folder[] = "/tmp/vksim-tune-XXXXXX";
static struct vks_gpu gpu;

static int open_device(void **state)
{
    (void)state;
    if (!mkdtemp(folder) || setenv("VKSIM_CACHE_DIR", folder, 1) != 0 ||
        vks_gpu_open(&gpu, &(struct vks_gpu_params){0}) != VKS_OK) {
        return 1;
    }
    gpu.info.type = VKS_DEVICE_OTHER;
    return 0;
}

static int close_device(void **state)
{
    (void)state;
    vks_gpu_close(&gpu);
    DIR *all = opendir(folder);
    for (struct dirent *entry; all && (entry = readdir(all)) != NULL;) {
        char path[512];
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    closedir(all);
    return rmdir(folder);
}

/* The variant that tuning selects for a small field. */
static void tune(const char *requested, char variant[VKS_VARIANT_NAME])
{
    struct vks_settings settings = {0};
    assert_int_equal(vks_settings_init(&settings, vks_model_find("gray-scott")), VKS_OK);
    assert_int_equal(vks_settings_preset(&settings, "plain"), VKS_OK);
    assert_int_equal(vks_settings_set(&settings, "size", "64x48"), VKS_OK);
    assert_int_equal(vks_settings_set(&settings, "variant", requested), VKS_OK);
    assert_int_equal(vks_settings_finish(&settings), VKS_OK);
    vks_tune(&gpu, &settings, 120);
    snprintf(variant, VKS_VARIANT_NAME, "%s", settings.variant.name);
    vks_settings_free(&settings);
}

static char *read_variants(void)
{
    char *path = vks_gpu_cache_name(&gpu, "variants", "json"), *text = NULL;
    assert_non_null(path);
    assert_int_equal(vks_read_file(path, 1 << 20, &text, NULL), VKS_OK);
    free(path);
    return text;
}

static void write_variants(const char *text)
{
    char *path = vks_gpu_cache_name(&gpu, "variants", "json");
    assert_int_equal(vks_write_file(path, true, text, strlen(text)), VKS_OK);
    free(path);
}

/* `text` with the first `from` replaced, to be freed. */
static char *replaced(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    assert_non_null(at);
    char *result = calloc(1, strlen(text) + strlen(to) + 1);
    memcpy(result, text, (size_t)(at - text));
    strcat(result, to);
    strcat(result, at + strlen(from));
    return result;
}

static void test_measured_and_recalled(void **state)
{
    (void)state;
    char variant[VKS_VARIANT_NAME], again[VKS_VARIANT_NAME], quoted[32];
    tune("auto", variant);
    assert_true(variant[0] != '\0');
    char *text = read_variants();
    snprintf(quoted, sizeof(quoted), "\"%s\"", variant);
    assert_non_null(strstr(text, quoted));
    assert_non_null(strstr(text, "gray-scott 64x48 float32 five-point periodic"));

    /* Another variant in the file is used without measuring. */
    const char *other = strcmp(variant, "plain") == 0 ? "block-2-4x4" : "plain";
    char other_quoted[32];
    snprintf(other_quoted, sizeof(other_quoted), "\"%s\"", other);
    char *changed = replaced(text, quoted, other_quoted);
    write_variants(changed);
    tune("auto", again);
    assert_string_equal(again, other);

    /* An unknown variant, a file of another version, a damaged one: measured again. */
    char *strange = replaced(text, quoted, "\"march-9-9x9\"");
    char *old = replaced(changed, "\"vksim\": \"", "\"vksim\": \"0.0.");
    const char *const wrong[] = {
        strange,
        old,
        "{\"vksim\": ",
        "",
        "[]",
        "{\"vksim\": \"" VKS_VERSION "\", \"variants\": 5}",
        "{\"vksim\": \"" VKS_VERSION "\", \"variants\": {\"gray-scott\": [[[1e400]]]}}",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        if (!share_due()) {
            continue;
        }
        write_variants(wrong[i]);
        tune("auto", again);
        assert_true(again[0] != '\0' && strcmp(again, "march-9-9x9") != 0);
        char *after = read_variants();
        snprintf(quoted, sizeof(quoted), "\"%s\"", again);
        assert_non_null(strstr(after, quoted));
        assert_null(strstr(after, "march-9-9x9"));
        free(after);
    }
    char *path = vks_gpu_cache_name(&gpu, "variants", "json");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0); /* opening it would wait for a writer */
    tune("auto", again);
    assert_true(again[0] != '\0');
    assert_int_equal(unlink(path), 0);
    free(path);
    free(old);
    free(strange);
    free(changed);
    free(text);
}

/* A number of steps selects among the variants with it; a single variant is not measured. */
static void test_requested(void **state)
{
    (void)state;
    char variant[VKS_VARIANT_NAME];
    tune("fused-2", variant);
    assert_non_null(strstr(variant, "-2-"));
    tune("plain", variant);
    assert_string_equal(variant, "plain");
    char *before = read_variants();
    tune("block-4-8x4", variant);
    assert_string_equal(variant, "block-4-8x4");
    char *after = read_variants();
    assert_string_equal(before, after);
    free(before);
    free(after);
}

/* A requested variant is the one that runs, whatever a model would measure or prefer here. */
static void test_requested_runs(void **state)
{
    (void)state;
    static const enum vks_device_type types[] = {VKS_DEVICE_OTHER, VKS_DEVICE_SOFTWARE};
    static const char *const methods[] = {"particles", "grid"};
    for (size_t m = 0; vks_model_at(m); m++) {
        const struct vks_model *model = vks_model_at(m);
        const struct vks_variant_row *row = model->variants;
        for (size_t i = 0; row && row[i / 4].name; i++) {
            const struct vks_variant variant = vks_variant_of(&row[i / 4], row[i / 4].min);
            struct vks_settings settings = {0};
            assert_int_equal(vks_settings_init(&settings, model), VKS_OK);
            assert_int_equal(vks_settings_set(&settings, "size", "192x192"), VKS_OK);
            assert_int_equal(vks_settings_set(&settings, "variant", variant.name), VKS_OK);
            (void)vks_settings_set(&settings, "method", methods[i / 2 % 2]); /* of the gas */
            (void)vks_settings_set(&settings, "gravity", "0");
            (void)vks_settings_set(&settings, "view", model->views[0].name);
            gpu.info.type = types[i % 2];
            if (vks_settings_finish(&settings) == VKS_OK && strncmp(variant.name, "fused", 5)) {
                vks_tune(&gpu, &settings, 120);
                assert_string_equal(vks_settings_config(&settings).variant.name, variant.name);
            }
            vks_settings_free(&settings);
        }
    }
    gpu.info.type = VKS_DEVICE_OTHER;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measured_and_recalled),
        cmocka_unit_test(test_requested),
        cmocka_unit_test(test_requested_runs),
    };
    share_read(argc, argv);
    return cmocka_run_group_tests(tests, open_device, close_device);
}
