/* SPDX-License-Identifier: MIT */
/* What can be done with files that are dropped on the window, in each simulation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "frames/sink.h"
#include "sim/registry.h"
#include "ui/drop.h"

static char folder[256], foreign[300], own[300];

static int make_files(void **state)
{
    (void)state;
    static const uint8_t rgba[4 * 4 * 4] = {255};
    static const struct vks_origin origin = {.scene = "{\"simulation\":\"gas\"}", .steps = 1};
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof(folder), "%.200s/vksim-drop-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(foreign, sizeof(foreign), "%s/foreign.png", folder);
    snprintf(own, sizeof(own), "%s/own.png", folder);
    return vks_write_png(foreign, rgba, 4, 4, NULL, false) != VKS_OK ||
           vks_write_png(own, rgba, 4, 4, &origin, false) != VKS_OK;
}

static int remove_files(void **state)
{
    (void)state;
    return remove(foreign) || remove(own) || rmdir(folder);
}

/* The words of the choices, separated by commas. */
static const char *choices(const char *model, const char *path)
{
    static char text[1000];
    struct vks_settings settings = {0};
    struct vks_drop drop = {.path = NULL};
    assert_int_equal(vks_settings_init(&settings, vks_model_find(model)), VKS_OK);
    const enum vks_result result = vks_settings_finish(&settings) == VKS_OK
                                       ? vks_drop_read(&drop, path, &settings)
                                       : VKS_ERROR_USAGE;
    text[0] = '\0';
    for (size_t i = 0; i < drop.count; i++) {
        strcat(strcat(text, i > 0 ? ", " : ""), drop.choices[i].words);
    }
    assert_true((result == VKS_OK) == (drop.count > 0));
    vks_drop_free(&drop);
    vks_settings_free(&settings);
    return text;
}

static void test_choices(void **state)
{
    (void)state;
    assert_string_equal(choices("gray-scott", foreign),
                        "as start, as palette, as background, as feed map, as kill map");
    assert_string_equal(choices("physarum", foreign),
                        "as start, as palette, as background, as walls, as food");
    assert_string_equal(choices("physarum", own), "open its scene, as start, as palette, as "
                                                  "background, as walls, as food");
    assert_string_equal(choices("gas", foreign), "as palette, as background");
}

static void test_useless(void **state)
{
    (void)state;
    char path[400];
    assert_string_equal(choices("gas", folder), "");
    assert_non_null(strstr(vks_error_text(), "is not a file"));
    assert_string_equal(choices("gas", "/missing.png"), "");
    assert_string_equal(choices("gas", "/proc/self/exe"), "");
    assert_non_null(strstr(vks_error_text(), "is neither"));
    snprintf(path, sizeof(path), "%s/damaged.png", folder);
    assert_int_equal(vks_write_file(path, false, "text", 4), VKS_OK);
    assert_string_equal(choices("gas", path), "");
    assert_int_equal(remove(path), 0);
    snprintf(path, sizeof(path), "%s/damaged.mp4", folder);
    assert_int_equal(vks_write_file(path, false, "text", 4), VKS_OK);
    assert_string_equal(choices("gas", path), "");
    assert_int_equal(remove(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_useless),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
