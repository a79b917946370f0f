/* SPDX-License-Identifier: MIT */
/* Presets that a person has saved. */
#include <ftw.h>
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

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "runs/presets.h"
#include "sim/registry.h"

static char home[256];
static unsigned warnings;

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)kind;
    (void)place;
    return remove(path);
}

static int make_home(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(home, sizeof(home), "%.200s/vksim-presets-XXXXXX", base && *base ? base : "/tmp");
    return !mkdtemp(home) || setenv("XDG_CONFIG_HOME", home, 1) != 0;
}

static int remove_home(void **state)
{
    (void)state;
    return nftw(home, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void write_preset(const char *name, const char *text)
{
    char path[600];
    snprintf(path, sizeof(path), "%s/vksim/presets/%s", home, name);
    assert_int_equal(vks_write_file(path, true, text, strlen(text)), VKS_OK);
}

static void count_warning(void *user, enum vks_log_level level, const char *text)
{
    (void)user;
    (void)text;
    warnings += level == VKS_LOG_WARNING;
}

static void assert_value(struct vks_settings *settings, const char *name, const char *wanted)
{
    char buffer[VKS_VALUE_SIZE];
    void *values;
    const struct vks_option *option = vks_settings_option(settings, name, &values);
    assert_string_equal(vks_option_get(option, values, buffer, sizeof(buffer)), wanted);
}

static struct vks_settings make(const char *model)
{
    struct vks_settings settings = {0};
    assert_int_equal(vks_settings_init(&settings, vks_model_find(model)), VKS_OK);
    return settings;
}

static void set(struct vks_settings *settings, const char *name, const char *text)
{
    assert_int_equal(vks_settings_set(settings, name, text), VKS_OK);
}

/* Everything but seed and size comes back, also over another preset. */
static void test_saved(void **state)
{
    (void)state;
    struct vks_settings saved = make("gray-scott"), taken = make("gray-scott");
    set(&saved, "feed", "0.0312");
    set(&saved, "colormap", "abyss");
    set(&saved, "seed", "7");
    set(&saved, "size", "96x64");
    assert_int_equal(vks_settings_finish(&saved), VKS_OK);
    assert_false(vks_preset_exists(saved.model, "my own-1.5"));
    assert_int_equal(vks_own_preset_save(&saved, "my own-1.5", false), VKS_OK);
    assert_true(vks_preset_exists(saved.model, "my own-1.5"));
    assert_int_equal(vks_settings_preset(&taken, "zeta-a"), VKS_OK);
    set(&taken, "seed", "3");
    set(&taken, "hillshade", "2");
    assert_int_equal(vks_preset_apply(&taken, "my own-1.5"), VKS_OK);
    assert_value(&taken, "feed", "0.0312");
    assert_value(&taken, "colormap", "abyss");
    assert_value(&taken, "hillshade", "0");
    assert_value(&taken, "seed", "3");
    assert_value(&taken, "size", "1024x1024");
    assert_int_equal(vks_preset_apply(&taken, "zeta-a"), VKS_OK);
    assert_value(&taken, "feed", "0.022");
    assert_ptr_equal(vks_own_preset_model("my own-1.5"), saved.model);
    vks_settings_free(&saved);
    vks_settings_free(&taken);
}

/* Presets of the gas are for a size. */
static void test_size(void **state)
{
    (void)state;
    struct vks_settings saved = make("gas"), taken = make("gas");
    set(&saved, "size", "32x16x8");
    assert_int_equal(vks_own_preset_save(&saved, "small", false), VKS_OK);
    assert_int_equal(vks_preset_apply(&taken, "small"), VKS_OK);
    assert_value(&taken, "size", "32x16x8");
    vks_settings_free(&saved);
    vks_settings_free(&taken);
    taken = make("physarum");
    assert_int_equal(vks_preset_apply(&taken, "small"), VKS_ERROR_USAGE);
    assert_non_null(strstr(vks_error_text(), "is of gas"));
    vks_settings_free(&taken);
}

static void test_names(void **state)
{
    (void)state;
    static const char *const bad[] = {"",     "a/b", ".hidden",
                                      "../x", "-x",  "a,b",
                                      "end ", "\n",  "0123456789012345678901234567890123456789x"};
    struct vks_settings settings = make("gray-scott");
    for (size_t i = 0; i < VKS_COUNT(bad); i++) {
        assert_int_equal(vks_own_preset_save(&settings, bad[i], false), VKS_ERROR_USAGE);
        assert_null(vks_own_preset_model(bad[i]));
    }
    assert_int_equal(vks_own_preset_save(&settings, "zeta-a", false), VKS_ERROR_EXISTS);
    assert_int_equal(vks_own_preset_save(&settings, "twice", false), VKS_OK);
    assert_int_equal(vks_own_preset_save(&settings, "twice", false), VKS_ERROR_EXISTS);
    set(&settings, "feed", "0.05");
    assert_int_equal(vks_own_preset_save(&settings, "twice", true), VKS_OK);
    assert_int_equal(vks_own_preset_save(&settings, "zeta-a", true), VKS_ERROR_EXISTS);
    assert_int_equal(vks_preset_apply(&settings, "zeta-a"), VKS_OK);
    assert_int_equal(vks_preset_apply(&settings, "twice"), VKS_OK);
    assert_value(&settings, "feed", "0.05");
    assert_int_equal(vks_preset_apply(&settings, "../twice"), VKS_ERROR_USAGE);
    vks_settings_free(&settings);
}

static void test_list(void **state)
{
    (void)state;
    struct vks_own_presets own = {.count = 0};
    struct vks_settings settings = make("physarum");
    const struct vks_model *model = settings.model;
    assert_int_equal(vks_own_preset_save(&settings, "b", false), VKS_OK);
    assert_int_equal(vks_own_preset_save(&settings, "a", false), VKS_OK);
    write_preset("damaged.json", "{\"simulation\":");
    write_preset("foreign.json", "[1]");
    write_preset("default.json", "{\"simulation\":\"physarum\"}");
    write_preset("note.txt", "");
    write_preset("wrong.json", "{\"simulation\":\"physarum\",\"decay\":\"no\"}");
    vks_message_to(VKS_LOG_INFO, count_warning, NULL);
    assert_int_equal(vks_own_presets_list(&own, model), VKS_OK);
    vks_message_to(VKS_LOG_INFO, NULL, NULL);
    assert_int_equal(warnings, 2);
    assert_int_equal(own.count, 3);
    assert_string_equal(own.items[0].name, "a");
    assert_string_equal(own.items[1].name, "b");
    assert_null(vks_own_preset_find(&own, "c"));
    assert_int_equal(vks_own_preset_apply(vks_own_preset_find(&own, "wrong"), &settings),
                     VKS_ERROR_USAGE);
    assert_non_null(strstr(vks_error_text(), "wrong.json"));
    assert_int_equal(vks_preset_apply(&settings, "damaged"), VKS_ERROR_FILE);
    assert_non_null(strstr(vks_error_text(), "damaged.json"));
    vks_own_presets_free(&own);
    vks_settings_free(&settings);
}

static void test_no_home(void **state)
{
    (void)state;
    struct vks_own_presets own = {.count = 0};
    struct vks_settings settings = make("physarum");
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("HOME");
    assert_int_equal(vks_own_presets_list(&own, settings.model), VKS_OK);
    assert_int_equal(own.count, 0);
    assert_int_equal(vks_preset_apply(&settings, "a"), VKS_ERROR_USAGE);
    assert_int_equal(vks_own_preset_save(&settings, "c", false), VKS_ERROR_FILE);
    vks_settings_free(&settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_saved), cmocka_unit_test(test_size),    cmocka_unit_test(test_names),
        cmocka_unit_test(test_list),  cmocka_unit_test(test_no_home),
    };
    return cmocka_run_group_tests(tests, make_home, remove_home);
}
